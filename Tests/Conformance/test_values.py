"""everyday.md "Values reach everything" (S35)."""

import json
import os

from deadlines import until
from supervisor import INITD, Conformance

SHOW = "env | grep ^INITD_INPUT_ | sort"
AWKWARD = "it's \"two\"\nlines $HOME `x` \\ é"


class ValuesCase(Conformance):
    def inputs(self, lines):
        """The inputs among the lines of an environment."""
        return dict(line.split("=", 1) for line in lines if line.startswith("INITD_INPUT_"))

    def begin(self, workers="", initializers="", *arguments, head="", **options):
        """A supervisor with these processes and initializers, each given as lines."""
        text = "version: 1\ncancelGrace: 2s\n" + head
        for key, entries in (("workers", workers), ("initializers", initializers)):
            lines = [line.strip() for line in entries.strip().splitlines()]
            if lines:
                text += f"{key}:\n" + "".join(f"  {line}\n" for line in lines)
        return self.start(text, *arguments, **options)


class InputTests(ValuesCase):
    def test_a_process_gets_the_outputs_of_its_dependencies_at_each_of_its_starts(self):
        supervisor = self.begin(
            f"web: {{ command: '{SHOW} > seen.tmp; mv seen.tmp seen$(ls seen* 2>/dev/null | wc -l); exec sleep 600', dependencies: [port], restart: always, backoff: {{ delay: 10ms }} }}",
            """
            port: { command: 'cat port > $INITD_OUTPUT' }
            other: { command: 'echo 1 > $INITD_OUTPUT' }
            """, "--no-launch")
        self.write(supervisor.file("port"), "8080")
        peer = supervisor.peer()
        peer.ok("launch")
        until(lambda: os.path.exists(supervisor.file("seen1")) or os.path.exists(supervisor.file("seen0")), "the first start")
        first = "seen0" if os.path.exists(supervisor.file("seen0")) else "seen1"
        self.assertEqual(self.inputs(supervisor.lines(first)), {"INITD_INPUT_PORT": "8080", "INITD_INPUT_PORT_JSON": "8080"})
        self.write(supervisor.file("port"), "[9]")
        self.assertStatus(supervisor.ctl("rerun", "port", "--wait"), 0)
        os.kill(peer.status()["processes"][0]["pid"], 9)
        second = f"seen{int(first[-1]) + 1}"
        until(lambda: os.path.exists(supervisor.file(second)), "the second start")
        self.assertEqual(self.inputs(supervisor.lines(second)), {"INITD_INPUT_PORT": "[9]", "INITD_INPUT_PORT_JSON": "[9]"})

    def test_so_does_the_command_of_its_ready(self):
        supervisor = self.begin(
            "web: { command: [sleep, '600'], dependencies: [port], ready: { command: 'echo $INITD_INPUT_PORT $INITD_INPUT_PORT_JSON > seen' } }",
            "port: { command: \"echo '\\\"a b\\\"' > $INITD_OUTPUT\" }")
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("seen"), ['a b "a b"'])

    def test_and_a_stop_command(self):
        supervisor = self.begin("", """
            port: { command: 'echo 8080 > $INITD_OUTPUT' }
            use: { command: 'true', stop: 'echo $INITD_INPUT_PORT > stopped', dependencies: [port] }
            again: { command: 'true', stop: 'echo $INITD_INPUT_PORT > again', dependencies: [port], phase: active }
            """)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        supervisor.ended()
        self.assertEqual((supervisor.lines("stopped"), supervisor.lines("again")), (["8080"], ["8080"]))

    def test_a_value_of_any_text_and_64_kib_arrives_as_it_is(self):
        large = "x" * (64 * 1024 - 2)
        directory = self.directory()
        for name, text in (("awkward", AWKWARD), ("large", large)):
            self.write(os.path.join(directory, name), text)
        supervisor = self.begin(
            "web: { command: 'env -0 > tmp; mv tmp seen; exec sleep 600', dependencies: [awkward, large] }",
            """
            awkward: { command: 'cat awkward > $INITD_OUTPUT' }
            large: { command: 'cat large > $INITD_OUTPUT' }
            """, directory=directory)
        until(lambda: os.path.exists(supervisor.file("seen")), "the start")
        values = self.inputs(supervisor.text("seen").split("\0"))
        self.assertEqual(values["INITD_INPUT_AWKWARD"], AWKWARD)
        self.assertEqual(json.loads(values["INITD_INPUT_AWKWARD_JSON"]), AWKWARD)
        self.assertEqual(values["INITD_INPUT_LARGE"], large)

    def test_a_value_with_a_nul_is_refused_at_the_start(self):
        supervisor = self.begin(
            "web: { command: [sleep, '600'], dependencies: [a], ready: { command: 'true' } }\n"
            "plain: { command: [sleep, '600'], dependencies: [a] }", "a: { worker: true }")
        worker = supervisor.worker("a")
        worker.send(id=worker.expect_run("a").id, result={"output": "x\0y"})
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="web")
        self.assertIn("the output of a has a NUL", error["cause"]["message"])
        shapes = {each["name"]: each for each in supervisor.peer().status()["processes"]}
        self.assertEqual([shapes[name].get("givenUp") for name in ("web", "plain")], [True, True])

    def test_the_environment_of_a_process_has_the_inputs_that_are_there(self):
        supervisor = self.begin(
            "web: { command: 'env -0 > tmp; mv tmp seen; exec sleep 600', dependencies: [port, late] }",
            """
            port: { command: 'echo 8080 > $INITD_OUTPUT' }
            late: { command: 'true' }
            """, "--no-launch")
        peer = supervisor.peer()
        self.assertEqual(self.inputs(f"{key}={value}" for key, value in peer.ok("environment", name="web")["variables"].items()), {})
        peer.ok("launch")
        until(lambda: os.path.exists(supervisor.file("seen")), "the start")
        expected = self.inputs(supervisor.text("seen").split("\0"))
        self.assertEqual(expected, {"INITD_INPUT_PORT": "8080", "INITD_INPUT_PORT_JSON": "8080"})
        variables = peer.ok("environment", name="web")["variables"]
        self.assertEqual(self.inputs(f"{key}={value}" for key, value in variables.items()), expected)


class AppTests(ValuesCase):
    def app(self, initializers):
        """The inputs of an app, and the log of its supervisor."""
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), self.manifest(initializers))
        program = self.program(
            [INITD, "--socket", os.path.join(directory, "s"), "--config", path, "--", "/bin/sh", "-c", "env -0 > seen"], cwd=directory)
        self.assertEqual(program.wait(), 0)
        program.pump()
        with open(os.path.join(directory, "seen")) as file:
            return self.inputs(file.read().split("\0")), program.err.decode()

    def test_the_app_gets_those_of_all_complete_initializers_secret_ones_too(self):
        inputs, log = self.app("""
            a: { command: 'echo "t w o" > $INITD_OUTPUT' }
            token: { command: 'echo hidden1234 > $INITD_OUTPUT', secret: true, phase: active }
            none: { command: 'true' }
            """)
        self.assertEqual(inputs, {
            "INITD_INPUT_A": "t w o", "INITD_INPUT_A_JSON": '"t w o"', "INITD_INPUT_TOKEN": "hidden1234", "INITD_INPUT_TOKEN_JSON": '"hidden1234"'})
        self.assertNotIn("hidden1234", log)

    def test_if_two_names_would_share_a_variable_neither_is_set_and_the_log_says_so(self):
        inputs, log = self.app("""
            a-b: { command: 'echo 1 > $INITD_OUTPUT' }
            a.b: { command: 'echo 2 > $INITD_OUTPUT' }
            c: { command: 'echo 3 > $INITD_OUTPUT' }
            """)
        self.assertEqual(inputs, {"INITD_INPUT_C": "3", "INITD_INPUT_C_JSON": "3"})
        self.assertIn("the outputs of a-b and a.b share the variable INITD_INPUT_A_B;", log)


class AppEnvironmentTests(ValuesCase):
    def test_the_app_gets_the_variables_of_the_manifest_as_they_are_meant(self):
        """`$${` is the text `${`: for the app, too; what it inherits is as it was."""
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), 'version: 1\nenvironment: { TEXT: "$${outputs.x}" }\n')
        program = self.program(
            [INITD, "--socket", os.path.join(directory, "s"), "--config", path, "--", "/bin/sh", "-c", 'echo "$TEXT $OWN" > seen'],
            cwd=directory, env={"OWN": "$${outputs.x}"})
        self.assertEqual(program.wait(), 0)
        with open(os.path.join(directory, "seen")) as file:
            self.assertEqual(file.read(), "${outputs.x} $${outputs.x}\n")


class EarlierOutputTests(ValuesCase):
    WEB = "web: { command: 'echo start >> starts; touch up$(wc -l < starts); exec sleep 600', dependencies: [port], ready: { command: 'test -e up$(wc -l < starts)' } }"

    def begin_web(self, web=WEB, more=""):
        supervisor = self.begin(web, "port: { command: 'cat port > $INITD_OUTPUT' }\n" + more, "--no-launch")
        self.write(supervisor.file("port"), "1")
        supervisor.peer().ok("launch")
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def process(self, supervisor):
        (process,) = supervisor.peer().ok("status")["processes"]
        return process

    def test_a_process_with_an_earlier_output_is_stale(self):
        supervisor = self.begin_web()
        self.assertStatus(supervisor.ctl("rerun", "port", "--wait"), 0)
        self.assertNotIn("stale", self.process(supervisor), "the output is the same")
        self.write(supervisor.file("port"), "2")
        self.assertStatus(supervisor.ctl("rerun", "port", "--wait"), 0)
        until(lambda: self.process(supervisor).get("stale"), "a stale process")
        self.assertEqual(self.process(supervisor)["earlierOutputs"], ["port"])
        self.assertIn("runs with an earlier output of port", supervisor.ctl("status").out)
        self.write(supervisor.file("port"), "1")
        self.assertStatus(supervisor.ctl("rerun", "port", "--wait"), 0)
        until(lambda: "stale" not in self.process(supervisor), "the output of its start")
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_with_dependents_restarts_it_if_the_value_differs(self):
        supervisor = self.begin_web()
        self.assertStatus(supervisor.ctl("rerun", "port", "--with-dependents", "--wait"), 0)
        self.assertEqual(supervisor.lines("starts"), ["start"])
        self.write(supervisor.file("port"), "2")
        self.assertStatus(supervisor.ctl("rerun", "port", "--with-dependents", "--wait"), 0)
        self.assertEqual(supervisor.until_lines("starts", 2), ["start", "start"])
        self.assertNotIn("stale", self.process(supervisor))

    def test_a_rerun_of_itself_restarts_it(self):
        supervisor = self.begin_web()
        self.assertStatus(supervisor.ctl("rerun", "web", "--wait"), 0)
        self.assertEqual(supervisor.until_lines("starts", 2), ["start", "start"])

    def test_one_without_ready_is_restarted_with_dependents_if_the_output_differs(self):
        """`rerun --with-dependents` restarts it, if the value differs."""
        supervisor = self.begin_web("web: { command: 'echo start >> starts; exec sleep 600', dependencies: [port] }")
        supervisor.until_lines("starts")
        self.assertStatus(supervisor.ctl("rerun", "port", "--with-dependents", "--wait"), 0)
        self.write(supervisor.file("port"), "2")
        self.assertStatus(supervisor.ctl("rerun", "port", "--with-dependents", "--wait"), 0)
        supervisor.until_lines("starts", 2)
        self.assertEqual(len(supervisor.lines("starts")), 2, "the first rerun has restarted it, although the output is the same")
        self.assertNotIn("stale", self.process(supervisor))
