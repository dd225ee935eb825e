"""everyday.md "Processes, by that name": the request `environment`, and `initctl env`."""

import json
import os
import subprocess

from supervisor import Conformance

AWKWARD = "it's '\u0301; false; \"$HOME\" \\ `x` \"\u0301 $\u0301 \\\u0301\nof two lines\t"
"""A value with all that a shell and an environment file treat in their own way."""


class EnvironmentTests(Conformance):
    def test_a_process_gets_at_its_start_what_the_request_says(self):
        supervisor = self.start(
            "version: 1\nenvironment: { A: all, B: all }\nworkers:\n"
            "  web: { command: 'env -0 > ran; echo > ready; exec sleep 600', environment: { B: own } }\n",
            env={"INITD_OUTPUT": "/nowhere", "OUTER": "x"})
        supervisor.until_lines("ready")
        answer = supervisor.peer().ok("environment", name="web")
        self.assertEqual(answer["directory"], os.path.realpath(supervisor.directory))
        with open(os.path.join(supervisor.directory, "ran")) as file:
            ran = dict(line.split("=", 1) for line in file.read().split("\0") if line)
        for name in ("PWD", "OLDPWD", "SHLVL", "_"):
            answer["variables"].pop(name, None)
            ran.pop(name, None)
        self.assertEqual(answer["variables"], ran)
        self.assertEqual({name: ran.get(name) for name in ("A", "B", "OUTER", "INITD_OUTPUT")}, {"A": "all", "B": "own", "OUTER": "x", "INITD_OUTPUT": None})

    def test_a_command_has_the_inputs_that_are_there_and_nothing_of_a_run(self):
        supervisor = self.start_with(
            "port: { command: 'echo 8080 > $INITD_OUTPUT' }\nlate: { command: 'true', phase: active }\n"
            "use: { command: 'env -0 > ran', dependencies: [port], workingDirectory: /, phase: active }\n", "--no-launch")
        peer = supervisor.peer()
        before = peer.ok("environment", name="use")["variables"]
        self.assertEqual([name for name in before if name.startswith("INITD_INPUT")], [])
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        answer = peer.ok("environment", name="use")
        own = {name: value for name, value in answer["variables"].items() if name.startswith("INITD_")}
        self.assertEqual(own, {
            "INITD_SOCKET": supervisor.path, "INITD_INITIALIZER": "use", "INITD_PHASE": "active",
            "INITD_INPUT_PORT": "8080", "INITD_INPUT_PORT_JSON": "8080",
        })
        self.assertEqual(answer["directory"], "/")

    def test_an_input_that_no_variable_can_hold_is_refused_as_at_a_start(self):
        supervisor = self.start_with("a: { worker: true }\nuse: { command: 'true', dependencies: [a], phase: active }\n", "--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        peer.ok("launch")
        worker.send(id=worker.expect_run("a").id, result={"output": "x\0y"})
        peer.ok("wait", for_="launch")
        peer.refused(-32602, "environment", {"name": "use"}, naming="the output of a has a NUL")

    def test_what_the_supervisor_starts_nothing_for_has_none(self):
        supervisor = self.start_with("a: { worker: true }", "--no-launch")
        peer = supervisor.peer()
        peer.refused(-32602, "environment", {"name": "a"}, naming="a is neither a command nor a process")
        peer.refused(-32004, "environment", {"name": "nobody"}, naming="nobody")
        peer.refused(-32602, "environment", {}, naming="params.name")


class CommandTests(Conformance):
    def setUp(self):
        super().setUp()
        value = json.dumps(AWKWARD)
        self.supervisor = self.start_with(f"web: {{ command: 'true', environment: {{ AWKWARD: {value}, 'a.b': dotted, 'x y': spaced }} }}", "--no-launch")

    def env(self, *words):
        return self.assertStatus(self.supervisor.ctl("env", "web", *words), 0)

    def test_a_shell_evaluates_it_to_the_same_values(self):
        shown = self.env()
        evaluated = subprocess.run(["sh", "-c", 'eval "$1"; printf %s "$AWKWARD"', "sh", shown.out], capture_output=True, text=True)
        self.assertEqual((evaluated.stdout, evaluated.stderr), (AWKWARD, ""))
        self.assertEqual(shown.err, "".join(f'initctl: the variable "{name}" is left out; --format {form} can show it\n' for name, form in (("a.b", "dotenv"), ("x y", "json"))))

    def test_an_environment_file_has_the_same_values(self):
        text = self.env("--format", "dotenv").out
        directory = self.directory()
        self.write(os.path.join(directory, ".env"), text)
        manifest = "version: 1\nenvironmentFile: [.env]\ninitializers:\n  a: { command: 'printf %s \"$AWKWARD\" > value' }\n"
        other = self.start(manifest, directory=directory)
        other.peer().ok("wait", for_="launch")
        with open(os.path.join(directory, "value"), newline="") as file:
            self.assertEqual(file.read(), AWKWARD)

    def test_json_is_one_object_with_all_of_them(self):
        shown = self.env("--format", "json")
        self.assertEqual(shown.err, "")
        values = json.loads(shown.out)
        self.assertEqual([values[name] for name in ("AWKWARD", "a.b", "x y")], [AWKWARD, "dotted", "spaced"])

    def test_wrong_names_are_64(self):
        self.assertEqual(self.assertStatus(self.supervisor.ctl("env", "wbe"), 64).err, 'initctl: no initializer or process is named "wbe"; did you mean "web"?\n')
        self.assertIn("missing name", self.assertStatus(self.initctl("env"), 64).err)
        other = self.start_with("a: { worker: true }", "--no-launch")
        self.assertEqual(self.assertStatus(other.ctl("env", "a"), 64).err, "initctl: a is neither a command nor a process, so it has no environment; initctl status lists them\n")
