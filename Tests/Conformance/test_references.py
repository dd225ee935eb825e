"""everyday.md "Values reach everything" (S35): references to outputs, and variables in the words of list commands."""

import json
import os
import re
import signal
import socket
import sys

from deadlines import until
from supervisor import INITD, Conformance
from test_values import AWKWARD, ValuesCase

TELL = "[sh, -c, 'printf %s \"$1\" > seen', sh, "
"""The beginning of a list command that writes its last word to the file `seen`."""
LITERAL = "${outputs.port} $${outputs.port} ${HOME} $$ ${"
LISTEN = """\
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == sys.argv[2] else 404)
        self.end_headers()

    def log_request(self, *_):
        pass

with http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler) as server:
    server.serve_forever()
"""


class ReferenceCase(ValuesCase):
    def launched(self, supervisor):
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def seen(self, supervisor, name="seen"):
        """The text of a file once it exists, and a program has written all of it."""
        until(lambda: os.path.exists(supervisor.file(name)), name)
        return supervisor.text(name)

    def told(self, command, initializers="", **options):
        """What an initializer `use` writes to `seen`; it depends on `x`."""
        supervisor = self.begin("", f"{initializers.strip()}\nuse: {{ {command}, dependencies: [x] }}", **options)
        self.launched(supervisor)
        return supervisor.text("seen")

    def fault(self, supervisor, initializer="use"):
        """The message of the failure of launch, which is that of this initializer."""
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer=initializer)
        return error["cause"]["message"]

    def given_up(self, supervisor, name):
        """The last exit of a process, once it is given up."""
        peer = supervisor.peer()

        def found():
            process = next(each for each in peer.status()["processes"] if each["name"] == name)
            return process["givenUp"] and process

        return until(found, f"{name} given up")

    def files(self, **texts):
        """A new directory with these files."""
        directory = self.directory()
        for name, text in texts.items():
            with open(os.path.join(directory, name), "w", newline="") as file:
                file.write(text)
        return directory

    def port(self):
        """A port that was free a moment ago."""
        with socket.create_server(("127.0.0.1", 0)) as stream:
            return stream.getsockname()[1]


class ValueTests(ReferenceCase):
    def test_a_strings_raw_text_else_its_json(self):
        for written, expected in (
            ("8080", "8080"), ('"a b"', "a b"), ("plain text", "plain text"), ("[1,\"a\"]", '[1,"a"]'), ('{"a":{"b":null}}', '{"a":{"b":null}}'),
            ("true", "true"), ("1.50", "1.50"), ('""', ""),
        ):
            with self.subTest(written):
                directory = self.files(value=written)
                supervisor = self.begin("", """
                    x: { command: 'cat value > $INITD_OUTPUT' }
                    use: { command: [sh, -c, 'printf %s "$1" > seen; printf %s "$INITD_INPUT_X" > input', sh, "${outputs.x}"], dependencies: [x] }
                    """, directory=directory)
                self.launched(supervisor)
                self.assertEqual(supervisor.text("seen"), expected)
                self.assertEqual(supervisor.text("input"), expected, "the same as the variable")

    def test_a_part_of_it_by_json_pointer(self):
        value = {"a": [7, {"b": "two words"}], "/": "slash", "~": "tilde", "": "empty", "0": "zero", "o": {"k": [1]}, "~1": "both", "d.e-f g": "odd"}
        for pointer, expected in (
            ("/a/0", "7"), ("/a/1/b", "two words"), ("/a/1", '{"b":"two words"}'), ("/~1", "slash"), ("/~0", "tilde"), ("/", "empty"), ("/0", "zero"),
            ("/o", '{"k":[1]}'), ("/~01", "both"), ("/d.e-f g", "odd"),
        ):
            with self.subTest(pointer):
                told = self.told(
                    "command: " + TELL + f'"<${{outputs.x#{pointer}}}>"]', "x: { command: 'cat value > $INITD_OUTPUT' }",
                    directory=self.files(value=json.dumps(value, separators=(",", ":"))))
                self.assertEqual(told, f"<{expected}>")

    def test_a_value_of_any_text_and_of_64_kib_arrives_as_it_is(self):
        for name, text in (("awkward", AWKWARD + "\r\t'\u0301"), ("large", "x" * (64 * 1024 - 2)), ("literal", LITERAL), ("spaces", "  a  \n\n b ")):
            with self.subTest(name):
                supervisor = self.begin(
                    "web: { command: [sh, -c, 'printf %s \"$1\" > word; printf %s \"$V\" > tmp; mv tmp env; exec sleep 600', sh, \"${outputs.x}\"], environment: { V: \"${outputs.x}\" }, dependencies: [x] }",
                    "x: { command: 'cat value > $INITD_OUTPUT' }\nuse: { command: " + TELL + '"${outputs.x}"], dependencies: [x] }',
                    directory=self.files(value=json.dumps(text)))
                self.launched(supervisor)
                self.seen(supervisor, "env")
                for file in ("seen", "word", "env"):
                    with open(supervisor.file(file), newline="") as stream:
                        self.assertEqual(stream.read(), text, file)

    def test_several_values_and_text_stand_in_one_word(self):
        told = self.told(
            "command: " + TELL + '"-${outputs.x#/a}${outputs.x#/b}:${outputs.x#/a}=é"]', "x: { command: 'echo {\\\"a\\\":1,\\\"b\\\":\\\"two\\\"} > $INITD_OUTPUT' }"
            .replace("echo {\\\"a\\\":1,\\\"b\\\":\\\"two\\\"}", "cat value"), directory=self.files(value='{"a":1,"b":"two"}'))
        self.assertEqual(told, "-1two:1=é")

    def test_a_value_is_one_word_even_if_it_is_empty_or_has_spaces(self):
        supervisor = self.begin("", """
            x: { command: 'cat value > $INITD_OUTPUT' }
            use: { command: [sh, -c, 'echo $# > seen', sh, "${outputs.x#/empty}", "${outputs.x#/spaces}"], dependencies: [x] }
            """, directory=self.files(value='{"empty":"","spaces":"a b  c"}'))
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("seen"), ["2"])

    def test_two_dollars_before_a_brace_are_one_and_no_reference(self):
        told = self.told("command: " + TELL + '"$${outputs.x} $$${outputs.x} $ $1 $$1"]', "x: { command: 'echo 5 > $INITD_OUTPUT' }")
        self.assertEqual(told, "${outputs.x} $${outputs.x} $ $1 $$1")

    def test_a_dollar_before_a_value_is_that_of_a_variable(self):
        told = self.told("command: " + TELL + '"${NONE:-$}${outputs.x} ${DOLLARS}${outputs.x}"]', "x: { command: 'echo 5 > $INITD_OUTPUT' }", env={"DOLLARS": "$$"})
        self.assertEqual(told, "$5 $$5")


class PlaceTests(ReferenceCase):
    def test_an_initializers_words_environment_directory_and_stop_take_it(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "d8080"))
        supervisor = self.begin("", """
            x: { command: 'echo 8080 > $INITD_OUTPUT' }
            use: { command: [sh, -c, 'echo "$1 $V" > seen', sh, "at ${outputs.x}"], environment: { V: "<${outputs.x}>" }, workingDirectory: "d${outputs.x}", stop: [sh, -c, 'echo "$1 $V" > stopped', sh, "end ${outputs.x}"], dependencies: [x] }
            """, directory=directory)
        self.launched(supervisor)
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        supervisor.ended()
        self.assertEqual((supervisor.text("d8080/seen"), supervisor.text("d8080/stopped")), ("at 8080 <8080>\n", "end 8080 <8080>\n"))

    def test_a_processs_words_environment_and_directory_take_it(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "d8080"))
        supervisor = self.begin(
            "web: { command: [sh, -c, 'echo \"$1 $V\" > tmp; mv tmp seen; exec sleep 600', sh, \"at ${outputs.x}\"], environment: { V: \"<${outputs.x}>\" }, workingDirectory: \"d${outputs.x}\", dependencies: [x] }",
            "x: { command: 'echo 8080 > $INITD_OUTPUT' }", directory=directory)
        self.assertEqual(self.seen(supervisor, "d8080/seen"), "at 8080 <8080>\n")

    def test_a_value_of_the_environment_reaches_the_values_that_name_the_variable(self):
        told = self.told(
            "command: [sh, -c, 'echo \"$W\" > seen'], environment: { V: \"<${outputs.x}>\", W: \"w ${V}\" }", "x: { command: 'echo 5 > $INITD_OUTPUT' }")
        self.assertEqual(told, "w <5>\n")

    def test_waitfor_takes_it(self):
        port = self.port()
        directory = self.files(**{"listen.py": LISTEN})
        path = os.path.join(directory, "made")
        bus = os.path.join(directory, "bus")
        with socket.socket(socket.AF_UNIX) as stream:
            stream.bind(bus)
            stream.listen()
            supervisor = self.begin(
                f"web: {{ command: [{sys.executable}, listen.py, '{port}', /up] }}",
                f"""
                x: {{ command: 'echo {port} > $INITD_OUTPUT; echo > made' }}
                name: {{ command: 'echo made > $INITD_OUTPUT' }}
                full: {{ command: 'echo {path} > $INITD_OUTPUT' }}
                tcp: {{ waitFor: {{ tcp: "127.0.0.1:${{outputs.x}}", every: 10ms }}, dependencies: [x] }}
                http: {{ waitFor: {{ http: "http://127.0.0.1:${{outputs.x}}/up", every: 10ms }}, dependencies: [x] }}
                path: {{ waitFor: {{ path: "${{outputs.name}}" }}, dependencies: [name, x] }}
                absolute: {{ waitFor: {{ path: "${{outputs.full}}" }}, dependencies: [full, x] }}
                unix: {{ waitFor: {{ unix: "${{outputs.bus}}" }}, dependencies: [bus] }}
                bus: {{ command: 'echo {bus} > $INITD_OUTPUT' }}
                """, directory=directory)
            self.launched(supervisor)

    def test_ready_takes_it(self):
        directory = self.files(**{"listen.py": LISTEN})
        ports = [self.port() for _ in range(3)]
        lines = [
            f"a: {{ command: [{sys.executable}, listen.py, '${{outputs.x#/0}}', /], ready: {{ tcp: '127.0.0.1:${{outputs.x#/0}}', every: 10ms }}, dependencies: [x] }}",
            f"b: {{ command: [{sys.executable}, listen.py, '${{outputs.x#/1}}', /up], ready: {{ http: 'http://127.0.0.1:${{outputs.x#/1}}/up', every: 10ms }}, dependencies: [x] }}",
            "c: { command: 'echo > made; exec sleep 600', ready: { path: '${outputs.x#/2}', every: 10ms }, dependencies: [x] }",
            "d: { command: 'exec sleep 600', ready: { command: [sh, -c, 'echo $1 > checked', sh, '<${outputs.x#/2}>'] }, dependencies: [x] }",
        ]
        supervisor = self.begin("\n".join(lines), "x: { command: 'cat value > $INITD_OUTPUT' }", directory=directory)
        self.write(supervisor.file("value"), json.dumps([ports[0], str(ports[1]), "made"]))
        supervisor.peer().ok("launch")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("checked"), ["<made>"])

    def test_in_a_path_an_absolute_value_replaces_what_stands_before_it(self):
        directory = self.directory()
        for name in ("in", "in/deep"):
            os.mkdir(os.path.join(directory, name))
        program = self.write(os.path.join(directory, "tell"), "#!/bin/sh\npwd -P > \"$1\"\n")
        os.chmod(program, 0o755)
        supervisor = self.begin("", f"""
            x: {{ command: 'cat value > $INITD_OUTPUT' }}
            a: {{ command: [sh, -c, 'pwd -P > {directory}/a'], workingDirectory: "${{outputs.x#/full}}", dependencies: [x] }}
            b: {{ command: [sh, -c, 'pwd -P > {directory}/b'], workingDirectory: "in/${{outputs.x#/deep}}", dependencies: [x] }}
            c: {{ command: ["${{outputs.x#/program}}", c], dependencies: [x] }}
            d: {{ command: ["./${{outputs.x#/name}}", d], dependencies: [x] }}
            """, "--no-launch", directory=directory)
        self.write(supervisor.file("value"), json.dumps({"full": os.path.join(directory, "in"), "deep": "deep", "program": program, "name": "tell"}))
        supervisor.peer().ok("launch")
        self.launched(supervisor)
        self.assertEqual([supervisor.text(name).strip() for name in "abcd"], [f"{directory}/in", f"{directory}/in/deep", directory, directory])

    def test_indirect_dependencies_count(self):
        supervisor = self.begin(
            "web: { command: [sh, -c, 'echo $1 > tmp; mv tmp web.seen; exec sleep 600', sh, \"${outputs.x}\"], dependencies: [between] }",
            """
            x: { command: 'echo 8080 > $INITD_OUTPUT' }
            between: { command: 'true', dependencies: [x] }
            use: { command: [sh, -c, 'echo "$1 $V" > seen; env > environment', sh, "${outputs.x}"], environment: { V: "${outputs.x}" }, dependencies: [between] }
            active: { command: [sh, -c, 'echo $1 > active.seen', sh, "${outputs.x}"], phase: active, dependencies: [use] }
            """)
        self.launched(supervisor)
        self.assertEqual(self.seen(supervisor, "web.seen"), "8080\n")
        self.assertEqual(supervisor.text("seen"), "8080 8080\n")
        self.assertEqual(self.inputs(supervisor.lines("environment")), {}, "the variables are those of direct ones")
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.assertEqual(supervisor.text("active.seen"), "8080\n")

    def test_it_is_resolved_at_each_start(self):
        supervisor = self.begin(
            "web: { command: [sh, -c, 'echo $1 >> starts; exec sleep 600', sh, \"${outputs.x}\"], dependencies: [x], restart: always, backoff: { delay: 10ms } }",
            "x: { command: 'cat value > $INITD_OUTPUT' }\nuse: { command: [sh, -c, 'echo $1 >> ran', sh, \"${outputs.x}\"], dependencies: [x] }",
            directory=self.files(value="1"))
        self.launched(supervisor)
        supervisor.until_lines("starts")
        self.write(supervisor.file("value"), "2")
        self.assertStatus(supervisor.ctl("rerun", "x", "--with-dependents", "--wait"), 0)
        self.assertEqual(supervisor.lines("ran"), ["1", "2"])
        peer = supervisor.peer()
        process = until(lambda: next(each for each in peer.status()["processes"] if "pid" in each), "a running process")
        os.kill(process["pid"], signal.SIGKILL)
        until(lambda: supervisor.lines("starts")[-1] == "2", "a start with the new value")

    def test_the_output_of_a_worker_and_of_an_earlier_supervisor_count(self):
        directory = self.directory()
        state = os.path.join(directory, "state")
        text = "x: { worker: true }\nuse: { command: " + TELL + '"${outputs.x#/a}"], dependencies: [x], phase: active }'
        first = self.begin("", text, "--state-directory", state, directory=directory)
        worker = first.worker("x")
        worker.send(id=worker.expect_run("x").id, result={"output": {"a": "of the worker"}})
        self.assertStatus(first.ctl("activate", "--wait"), 0)
        self.assertEqual(first.text("seen"), "of the worker")
        self.assertStatus(first.ctl("shutdown"), 0)
        first.ended()
        os.unlink(first.file("seen"))
        second = self.begin("", text, "--state-directory", state, directory=directory)
        self.assertStatus(second.ctl("activate", "--wait"), 0)
        self.assertEqual(second.text("seen"), "of the worker")

    def test_the_request_environment_has_the_values_that_are_there(self):
        supervisor = self.begin(
            "web: { command: 'exec sleep 600', environment: { V: \"<${outputs.x}>\", W: \"${outputs.late}\", P: plain }, dependencies: [x, late] }",
            "x: { command: 'echo 8080 > $INITD_OUTPUT' }\nlate: { worker: true }")
        worker = supervisor.worker("late")
        run = worker.expect_run("late")
        peer = supervisor.peer()
        peer.until_initializer("x", "complete")
        variables = peer.ok("environment", name="web")["variables"]
        self.assertEqual([variables.get(name) for name in "VWP"], ["<8080>", None, "plain"])
        worker.send(id=run.id, result={"output": "now"})
        self.launched(supervisor)
        self.assertEqual(peer.ok("environment", name="web")["variables"]["W"], "now")
        self.assertIn("W='now'\n", self.assertStatus(supervisor.ctl("env", "web"), 0).out.replace("export ", "").replace("W=now\n", "W='now'\n"))


    def test_freshness_counts_the_outputs_to_which_it_refers(self):
        """Direct ones are in its variables as well; those of indirect dependencies only in its words."""
        for dependencies in ("[x]", "[between]"):
            with self.subTest(dependencies):
                supervisor = self.begin("", f"""
                    x: {{ command: 'cat value > $INITD_OUTPUT', phase: active }}
                    between: {{ command: 'true', dependencies: [x], phase: active }}
                    use: {{ command: [sh, -c, 'echo $1 >> ran', sh, "${{outputs.x}}"], inputs: [input], dependencies: {dependencies}, phase: active }}
                    """, directory=self.files(value="1", input="same"))
                for value, expected in (("1", ["1"]), ("1", ["1"]), ("2", ["1", "2"]), ("2", ["1", "2"])):
                    self.write(supervisor.file("value"), value)
                    self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
                    self.assertEqual(supervisor.lines("ran"), expected, value)

    def test_a_new_output_makes_a_remembered_one_run_again(self):
        """After a restart, what has taken another output isn't taken as done."""
        directory = self.files(value="1")
        state = os.path.join(directory, "state")
        text = """
            x: { command: 'cat value > $INITD_OUTPUT', perProcess: true }
            between: { command: 'true', dependencies: [x] }
            use: { command: [sh, -c, 'echo $1 >> ran', sh, "${outputs.x}"], dependencies: [between] }
            """
        for value, expected in (("1", ["1"]), ("2", ["1", "2"])):
            self.write(os.path.join(directory, "value"), value)
            supervisor = self.begin("", text, "--state-directory", state, directory=directory)
            self.launched(supervisor)
            self.assertEqual(supervisor.lines("ran"), expected)
            self.assertStatus(supervisor.ctl("shutdown"), 0)
            supervisor.ended()

    def test_a_value_of_an_environment_file_is_taken_as_written(self):
        directory = self.files(**{".env": "V='${outputs.x} $${HOME} ${HOME}'\n"})
        told = self.told("command: [sh, -c, 'printf %s \"$V\" > seen'], environmentFile: [.env]", "x: { command: 'echo 5 > $INITD_OUTPUT' }", directory=directory)
        self.assertEqual(told, "${outputs.x} $${HOME} ${HOME}")

    def test_two_values_may_be_too_long_for_a_word(self):
        """The system allows 128 KiB for a word: the run fails, and the supervisor goes on."""
        supervisor = self.begin("", """
            x: { command: 'cat value > $INITD_OUTPUT' }
            use: { command: ['true', "${outputs.x}${outputs.x}${outputs.x}"], dependencies: [x], optional: true }
            after: { command: ['true'], after: [use] }
            """, directory=self.files(value="x" * (64 * 1024 - 2)))
        self.launched(supervisor)
        self.assertEqual(supervisor.peer().initializer("use")["status"], "failed")


class AbsentTests(ReferenceCase):
    def test_a_part_that_is_not_there_fails_that_run(self):
        for value, pointer in (
            ('{"a":1}', "/port"), ("8080", "/port"), ("[1]", "/1"), ("[1]", "/-"), ("[1]", "/01"), ('{"a":[1]}', "/a/x"), ('"text"', "/0"), ('{"a":null}', "/a/b"),
        ):
            with self.subTest(value, pointer=pointer):
                supervisor = self.begin("", f"""
                    pick-port: {{ command: 'cat value > $INITD_OUTPUT' }}
                    use: {{ command: [sh, -c, 'echo > ran', sh, "${{outputs.pick-port#{pointer}}}"], dependencies: [pick-port] }}
                    """, directory=self.files(value=value))
                self.assertEqual(self.fault(supervisor), f"the output of pick-port has no {pointer}")
                self.assertFalse(os.path.exists(supervisor.file("ran")))

    def test_it_fails_in_each_place(self):
        for place in (
            "command: 'true', environment: { V: '${outputs.pick-port#/port}' }",
            "command: 'true', workingDirectory: '${outputs.pick-port#/port}'",
            "command: ['true', '${outputs.pick-port#/port}']",
            "waitFor: { tcp: 'localhost:${outputs.pick-port#/port}' }",
            "waitFor: { path: '${outputs.pick-port#/port}' }",
        ):
            with self.subTest(place):
                supervisor = self.begin("", f"pick-port: {{ command: 'echo 8080 > $INITD_OUTPUT' }}\nuse: {{ {place}, dependencies: [pick-port] }}")
                self.assertEqual(self.fault(supervisor), "the output of pick-port has no /port")
        for place in ("command: [sleep, '${outputs.pick-port#/port}'], ready: { path: / }", "command: [sleep, '600'], ready: { tcp: 'localhost:${outputs.pick-port#/port}' }"):
            with self.subTest(place):
                supervisor = self.begin(f"use: {{ {place}, dependencies: [pick-port] }}", "pick-port: { command: 'echo 8080 > $INITD_OUTPUT' }")
                self.assertEqual(self.fault(supervisor), "the output of pick-port has no /port")

    def test_nothing_was_written(self):
        supervisor = self.begin("", "pick-port: { command: 'true' }\nuse: { command: [echo, '${outputs.pick-port}'], dependencies: [pick-port] }")
        self.assertEqual(self.fault(supervisor), "pick-port has no output")
        supervisor = self.begin("", "pick-port: { command: 'true' }\nuse: { command: [echo, '${outputs.pick-port#/a}'], dependencies: [pick-port] }")
        self.assertEqual(self.fault(supervisor), "pick-port has no output")

    def test_it_was_skipped(self):
        supervisor = self.begin("", "pick-port: { command: 'echo 1 > $INITD_OUTPUT', when: { env: NO_SUCH } }\nuse: { command: [echo, '${outputs.pick-port}'], dependencies: [pick-port] }")
        self.assertEqual(self.fault(supervisor), "pick-port has no output")
        supervisor = self.begin("", "pick-port: { command: 'echo 1 > $INITD_OUTPUT' }\nuse: { command: [echo, '${outputs.pick-port}'], dependencies: [pick-port] }", "--skip", "pick-port")
        self.assertEqual(self.fault(supervisor), "pick-port has no output")

    def test_its_rerun_failed(self):
        supervisor = self.begin(
            "web: { command: [sh, -c, 'echo $1 >> starts; exec sleep 600', sh, '${outputs.pick-port}'], dependencies: [pick-port], restart: always, backoff: { delay: 10ms } }",
            """
            pick-port: { command: 'cat value > $INITD_OUTPUT' }
            use: { command: [sh, -c, 'echo $1 >> ran', sh, '${outputs.pick-port}'], dependencies: [pick-port], phase: active }
            """, directory=self.files(value="8080"))
        self.launched(supervisor)
        supervisor.until_lines("starts")
        peer = supervisor.peer()
        pid = next(each for each in peer.status()["processes"])["pid"]
        os.unlink(supervisor.file("value"))
        self.assertStatus(supervisor.ctl("rerun", "pick-port", "--wait"), 1)
        os.kill(pid, signal.SIGKILL)
        self.assertIn("pick-port has no output", json.dumps(self.given_up(supervisor, "web")))
        self.assertEqual(supervisor.lines("starts"), ["8080"])

    def test_a_process_without_ready_is_given_up_and_launch_starts_it(self):
        supervisor = self.begin(
            "web: { command: [sh, -c, 'echo $1 > tmp; mv tmp seen; exec sleep 600', sh, '${outputs.pick-port#/port}'], dependencies: [pick-port] }",
            "pick-port: { command: 'cat value > $INITD_OUTPUT' }", directory=self.files(value="8080"))
        self.assertIn("the output of pick-port has no /port", json.dumps(self.given_up(supervisor, "web")))
        supervisor.program.until_err("the output of pick-port has no /port")
        self.write(supervisor.file("value"), '{"port":8080}')
        self.assertStatus(supervisor.ctl("rerun", "pick-port", "--wait"), 0)
        supervisor.peer().ok("launch")
        self.assertEqual(self.seen(supervisor), "8080\n")

    def test_a_nul_is_refused(self):
        supervisor = self.begin(
            "web: { command: [sleep, '600', '${outputs.a}'], dependencies: [a], ready: { path: / } }\nplain: { command: [sleep, '600', '${outputs.a#/0}'], dependencies: [between] }",
            "a: { worker: true }\nbetween: { command: 'true', dependencies: [worked] }\nworked: { worker: true, dependencies: [a] }")
        worker = supervisor.worker("a", "worked")
        worker.send(id=worker.expect_run("a").id, result={"output": ["x\0y"]})
        worker.expect_run("worked").succeed()
        self.assertIn("the output of a has a NUL", json.dumps(self.given_up(supervisor, "plain")))

    def test_a_nul_is_refused_in_each_place(self):
        for place in (
            "command: 'true', environment: { V: '${outputs.a}' }", "command: 'true', workingDirectory: '${outputs.a}'", "command: [echo, '${outputs.a}']",
            "waitFor: { path: '${outputs.a}' }", "waitFor: { tcp: '${outputs.a}:1' }",
        ):
            with self.subTest(place):
                supervisor = self.begin("", f"a: {{ worker: true }}\nbetween: {{ worker: true, dependencies: [a] }}\nuse: {{ {place}, dependencies: [between] }}")
                worker = supervisor.worker("a", "between")
                worker.send(id=worker.expect_run("a").id, result={"output": "x\0y"})
                worker.expect_run("between").succeed()
                self.assertEqual(self.fault(supervisor), "the output of a has a NUL")

    def test_it_is_a_failure_like_another(self):
        supervisor = self.begin("", """
            pick-port: { command: 'echo 8080 > $INITD_OUTPUT' }
            use: { command: [echo, '${outputs.pick-port#/port}'], dependencies: [pick-port], optional: true, retry: { attempts: 2, delay: 10ms } }
            after: { command: 'echo > seen', after: [use] }
            """)
        self.launched(supervisor)
        shape = supervisor.peer().initializer("use")
        self.assertEqual((shape["error"]["cause"]["message"], shape["attempt"]), ("the output of pick-port has no /port", 2))
        self.assertEqual(supervisor.lines("seen"), [""])

    def test_a_value_that_makes_no_target_names_what_is_written(self):
        supervisor = self.begin("", "x: { command: 'echo not a port > $INITD_OUTPUT' }\nuse: { waitFor: { tcp: 'localhost:${outputs.x}' }, dependencies: [x] }")
        message = self.fault(supervisor)
        self.assertIn("localhost:${outputs.x}", message)


class SecretTests(ReferenceCase):
    def shown(self, supervisor, state):
        """Everything that the supervisor shows and records."""
        peer = supervisor.peer()
        told = json.dumps([peer.status(), peer.ok("history"), peer.ok("logs")])
        for words in (["status"], ["status", "--json"], ["history", "--json"], ["why"], ["why", "--json"], ["blame"], ["logs"], ["graph", "--json"]):
            done = supervisor.ctl(*words)
            told += done.out + done.err
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        supervisor.ended()
        supervisor.program.pump()
        told += supervisor.program.err.decode()
        for name in os.listdir(state):
            with open(os.path.join(state, name), errors="replace") as file:
                told += file.read()
        return told

    def not_shown(self, supervisor, state):
        """Nothing of that has the secret; returns all of it."""
        told = self.shown(supervisor, state)
        places = [told[max(0, each.start() - 100) : each.end() + 60] for each in re.finditer("hunter2", told)]
        if places:
            self.fail(f"{len(places)} places show the secret, e.g. " + "\n".join(places[:3]))
        return told

    def secretly(self, workers, initializers, **options):
        directory = self.directory()
        state = os.path.join(directory, "state")
        supervisor = self.begin(
            workers, "token: { command: 'printf hunter2 > $INITD_OUTPUT', secret: true }\n" + initializers, "--state-directory", state,
            "--log-level", "trace", directory=directory, **options)
        return supervisor, state

    def test_a_secret_in_an_environment_and_in_words_is_shown_nowhere(self):
        supervisor, state = self.secretly(
            "web: { command: [sh, -c, 'printf %s \"$1 $V\" > tmp; mv tmp web; exec sleep 600', sh, '${outputs.token}'], environment: { V: '${outputs.token}' }, dependencies: [token] }",
            """
            use: { command: [sh, -c, 'printf %s "$1 $V" > seen', sh, '${outputs.token}'], environment: { V: '${outputs.token}' }, stop: ['true', '${outputs.token}'], dependencies: [token] }
            fails: { command: [sh, -c, 'exit 3', sh, '${outputs.token}'], dependencies: [token], optional: true }
            """)
        self.launched(supervisor)
        self.assertEqual(self.seen(supervisor, "web"), "hunter2 hunter2")
        self.assertEqual(supervisor.text("seen"), "hunter2 hunter2")
        self.not_shown(supervisor, state)

    def test_a_secret_in_a_program_or_a_directory_that_is_not_there_is_shown_nowhere(self):
        for process, initializer in (
            ("", "program: { command: ['./${outputs.token}'], dependencies: [token], optional: true }"),
            ("", "path: { command: ['${outputs.token}'], dependencies: [token], optional: true }"),
            ("", "directory: { command: ['true'], workingDirectory: '${outputs.token}', dependencies: [token], optional: true }"),
            ("", "stops: { command: 'true', stop: ['./${outputs.token}'], dependencies: [token] }"),
            ("gone: { command: ['./${outputs.token}'], dependencies: [token] }", ""),
            ("nowhere: { command: [sleep, '600'], workingDirectory: '${outputs.token}', dependencies: [token] }", ""),
        ):
            with self.subTest(process or initializer):
                supervisor, state = self.secretly(process, initializer)
                self.launched(supervisor)
                if process:
                    peer = supervisor.peer()
                    until(lambda: "lastExit" in peer.status()["processes"][0], "a failed start")
                self.not_shown(supervisor, state)

    def test_a_secret_in_waitfor_is_shown_nowhere(self):
        port = self.port()
        supervisor, state = self.secretly("", f"""
            path: {{ waitFor: {{ path: '${{outputs.token}}', every: 10ms }}, timeout: 100ms, dependencies: [token], optional: true }}
            unix: {{ waitFor: {{ unix: '${{outputs.token}}', every: 10ms }}, timeout: 100ms, dependencies: [token], optional: true }}
            http: {{ waitFor: {{ http: 'http://127.0.0.1:{port}/${{outputs.token}}', every: 10ms }}, timeout: 100ms, dependencies: [token], optional: true }}
            host: {{ waitFor: {{ tcp: '${{outputs.token}}.invalid:{port}', every: 10ms }}, timeout: 100ms, dependencies: [token], optional: true }}
            wrong: {{ waitFor: {{ tcp: '127.0.0.1:${{outputs.token}}' }}, dependencies: [token], optional: true }}
            page: {{ waitFor: {{ http: '${{outputs.token}}' }}, dependencies: [token], optional: true }}
            """)
        self.launched(supervisor)
        self.assertIn("${outputs.token}", self.not_shown(supervisor, state))

    def test_a_secret_in_a_check_is_shown_nowhere(self):
        port = self.port()
        directory_of_server = self.files(**{"listen.py": LISTEN})
        supervisor, state = self.secretly(
            f"""
            good: {{ command: [{sys.executable}, {directory_of_server}/listen.py, '{port}', '/${{outputs.token}}'], ready: {{ http: 'http://127.0.0.1:{port}/${{outputs.token}}', every: 10ms }}, dependencies: [token] }}
            checked: {{ command: [sleep, '600'], ready: {{ command: ['true', '${{outputs.token}}'] }}, dependencies: [token] }}
            """, "")
        self.launched(supervisor)
        self.not_shown(supervisor, state)

    def test_a_secret_in_a_check_that_fails_is_shown_nowhere(self):
        for ready in (
            "{ path: '${outputs.token}', every: 10ms }", "{ command: ['false', '${outputs.token}'], every: 10ms }", "{ command: ['./${outputs.token}'], every: 10ms }",
            "{ tcp: '127.0.0.1:${outputs.token}' }", "{ tcp: '${outputs.token}.invalid:1', every: 10ms }", "{ unix: '${outputs.token}', every: 10ms }",
        ):
            with self.subTest(ready):
                supervisor, state = self.secretly(f"web: {{ command: [sleep, '600'], ready: {ready}, timeout: 200ms, dependencies: [token] }}", "")
                self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "failed")
                self.not_shown(supervisor, state)

    def test_a_secret_part_is_shown_nowhere(self):
        directory = self.files(value='{"a":"hunter2"}')
        supervisor = self.begin("", """
            token: { command: 'cat value > $INITD_OUTPUT', secret: true }
            path: { waitFor: { path: '${outputs.token#/a}', every: 10ms }, timeout: 100ms, dependencies: [token], optional: true }
            """, "--state-directory", os.path.join(directory, "state"), "--log-level", "trace", directory=directory)
        self.launched(supervisor)
        self.not_shown(supervisor, os.path.join(directory, "state"))

    def test_a_process_that_ends_shows_no_secret(self):
        supervisor, state = self.secretly(
            "web: { command: [sh, -c, 'exit 3', sh, '${outputs.token}'], environment: { V: '${outputs.token}' }, dependencies: [token], restart: never }", "")
        self.launched(supervisor)
        peer = supervisor.peer()
        until(lambda: "lastExit" in peer.status()["processes"][0], "the exit")
        self.not_shown(supervisor, state)

    def test_who_controls_may_see_it_in_the_environment(self):
        supervisor, _ = self.secretly("web: { command: [sleep, '600'], environment: { V: '${outputs.token}' }, dependencies: [token] }", "")
        self.launched(supervisor)
        self.assertEqual(json.loads(self.assertStatus(supervisor.ctl("env", "web", "--format", "json"), 0).out)["V"], "hunter2")

    def test_who_only_observes_may_not(self):
        directory = self.directory()
        second = os.path.join(directory, "observe")
        supervisor = self.begin(
            "web: { command: [sleep, '600'], environment: { V: '${outputs.token}' }, dependencies: [token] }",
            "token: { command: 'printf hunter2 > $INITD_OUTPUT', secret: true }", "--observe-socket", second, directory=directory)
        self.launched(supervisor)
        done = self.assertStatus(self.initctl("--socket", second, "env", "web"), 77)
        self.assertNotIn("hunter2", done.out + done.err)


class CheckTests(ReferenceCase):
    def found(self, text, status=65):
        """The findings of `check` as (line, column, text); `initctl` says the same as `initd`."""
        path = self.write(os.path.join(self.directory(), "init.yaml"), text)
        done = self.assertStatus(self.initd("--check", path), status)
        again = self.initctl("check", path, env={"PATH": f"{os.path.dirname(INITD)}:{os.environ['PATH']}"})
        self.assertEqual((again.status, again.out, again.err), (done.status, done.out, done.err))
        found = []
        for line in done.err.splitlines():
            self.assertTrue(line.startswith(f"{path}:"), line)
            number, column, text = line.removeprefix(f"{path}:").split(":", 2)
            found.append((int(number), int(column), text.strip()))
        return found

    def mistake(self, text, line, column, *words):
        """`check` finds one mistake, here, and says these words."""
        found = self.found(text)
        self.assertEqual([each[:2] for each in found], [(line, column)], found)
        for word in words:
            self.assertIn(word, found[0][2])

    HEAD = "version: 1\ninitializers:\n  pick-port: { command: x }\n"

    def test_in_a_command_that_is_a_text_it_is_a_mistake_with_the_remedy(self):
        for key, column in (("command", 19), ("stop", 31)):
            with self.subTest(key):
                line = "  use: { command: 'run ${outputs.pick-port}', dependencies: [pick-port] }" if key == "command" else "  use: { command: x,   stop: 'run ${outputs.pick-port}', dependencies: [pick-port] }"
                self.mistake(self.HEAD + line + "\n", 4, line.index("'run") + 1, "${outputs.pick-port}", '"$INITD_INPUT_PICK_PORT"')

    def test_so_it_is_in_a_text_of_a_process_and_of_a_check(self):
        line = "  web: { command: 'run ${outputs.pick-port}', dependencies: [pick-port] }"
        self.mistake(self.HEAD + "workers:\n" + line + "\n", 5, line.index("'run") + 1, '"$INITD_INPUT_PICK_PORT"')
        line = "  web: { command: [run], ready: { command: 'try ${outputs.pick-port}' }, dependencies: [pick-port] }"
        self.mistake(self.HEAD + "workers:\n" + line + "\n", 5, line.index("'try") + 1, '"$INITD_INPUT_PICK_PORT"')

    def test_in_a_text_the_shells_own_escape_is_no_mistake(self):
        self.found(self.HEAD + "  use: { command: 'run $${outputs.pick-port} $INITD_INPUT_PICK_PORT', dependencies: [pick-port] }\n", status=0)

    def test_a_name_on_which_it_does_not_depend_is_a_mistake(self):
        for line in (
            "  use: { command: [run, '${outputs.pick-port}'] }", "  use: { command: run, environment: { V: '${outputs.pick-port}' } }",
            "  use: { command: run, workingDirectory: '${outputs.pick-port}' }", "  use: { waitFor: { tcp: 'a:1${outputs.pick-port}' } }",
            "  use: { waitFor: { path: '${outputs.pick-port}' } }", "  use: { command: [run], stop: [run, '${outputs.pick-port}'] }",
        ):
            with self.subTest(line):
                start = line.index("'") + 1
                self.mistake(self.HEAD + line + "\n", 4, start, "${outputs.pick-port}", 'add "pick-port" to its dependencies')

    def test_after_is_no_dependency(self):
        line = "  use: { command: [run, '${outputs.pick-port}'], after: [pick-port] }"
        self.mistake(self.HEAD + line + "\n", 4, line.index("'") + 1, 'add "pick-port" to its dependencies')

    def test_its_own_output_and_that_of_a_dependent_are_mistakes(self):
        line = "  use: { command: [run, '${outputs.use}'] }"
        self.mistake(self.HEAD + line + "\n", 4, line.index("'") + 1, "${outputs.use}")

    def test_a_process_refers_only_to_its_dependencies(self):
        for line in (
            "  web: { command: [run, '${outputs.pick-port}'] }", "  web: { command: [run], ready: { tcp: 'localhost:${outputs.pick-port}' } }",
            "  web: { command: [run], ready: { command: [try, '${outputs.pick-port}'] } }", "  web: { command: [run], environment: { V: '${outputs.pick-port}' } }",
        ):
            with self.subTest(line):
                self.mistake(self.HEAD + "workers:\n" + line + "\n", 5, line.index("'") + 1, 'add "pick-port" to its dependencies')

    def test_one_that_is_not_declared_is_a_mistake(self):
        line = "  use: { command: [run, '${outputs.pick-prot}'], dependencies: [pick-port] }"
        self.mistake(self.HEAD + line + "\n", 4, line.index("'") + 1, 'unknown initializer "pick-prot"', 'did you mean "pick-port"?')

    def test_what_has_no_output_is_a_mistake(self):
        line = "  use: { command: [run, '${outputs.wait}'], dependencies: [wait] }"
        self.mistake("version: 1\ninitializers:\n  wait: { waitFor: { path: / } }\n" + line + "\n", 4, line.index("'") + 1, '"wait" has no output')
        line = "  use: { command: [run, '${outputs.web}'], dependencies: [web] }"
        self.mistake("version: 1\nworkers:\n  web: { command: run, ready: { path: / } }\ninitializers:\n" + line + "\n", 5, line.index("'") + 1, '"web" has no output')

    def test_in_the_environment_of_all_it_is_a_mistake(self):
        self.mistake("version: 1\nenvironment: { V: '${outputs.pick-port}' }\ninitializers:\n  pick-port: { command: x }\n", 2, 19, "${outputs.pick-port}")

    def test_other_forms_are_mistakes_with_the_remedy(self):
        for text in ("${outputs.}", "${outputs.a b}", "${outputs.pick-port#a}", "${outputs.pick-port#/~2}", "${outputs.pick-port#}", "${outputs.pick-port", "${}", "${-x}", "${1}", "${A", "${A-b}", "${output.a.b}"):
            with self.subTest(text):
                line = f"  use: {{ command: [run, '{text}'], dependencies: [pick-port] }}"
                self.mistake(self.HEAD + line + "\n", 4, line.index("'") + 1, "$${ for the text ${")

    def test_all_mistakes_are_found_at_once(self):
        found = self.found(
            self.HEAD + "  a: { command: [run, '${outputs.pick-port}', '${outputs.gone}'] }\n  b: { command: 'x ${outputs.a}', dependencies: [a] }\n")
        self.assertEqual([each[0] for each in found], [4, 4, 5], found)

    def test_a_manifest_of_a_worker_has_no_references(self):
        supervisor = self.begin("", "x: { command: 'true' }")
        path = self.write(os.path.join(self.directory(), "worker.yaml"), "version: 1\ninitializers:\n  a: { command: [echo, '${outputs.x}'], dependencies: [x] }\n")
        done = self.assertStatus(supervisor.ctl("worker", "--config", path), 65)
        self.assertIn("$INITD_INPUT_X", done.err)

    def test_strict_does_not_look_for_what_a_value_names(self):
        self.write(path := os.path.join(self.directory(), "init.yaml"), """\
            version: 1
            initializers:
              x: { command: 'true' }
              a: { command: ["${outputs.x}"], stop: ["./${outputs.x}"], dependencies: [x] }
              b: { command: ['true'], workingDirectory: "d/${outputs.x}", dependencies: [x] }
            workers:
              w: { command: ["/${outputs.x}"], ready: { command: ["${outputs.x}"] }, dependencies: [x] }
            """)
        self.assertStatus(self.initd("--check", path, "--strict"), 0)

    def test_plan_and_graph_read_it(self):
        path = self.write(os.path.join(self.directory(), "init.yaml"), self.HEAD + "  use: { command: [run, '${outputs.pick-port}'], dependencies: [pick-port] }\n")
        env = {"PATH": f"{os.path.dirname(INITD)}:{os.environ['PATH']}"}
        [plan] = self.assertStatus(self.initctl("plan", "--config", path, "--json", env=env), 0).json()
        self.assertEqual(plan["launch"], ["pick-port", "use"])

    def resolved(self, text):
        path = self.write(os.path.join(self.directory(), "init.yaml"), text)
        return self.assertStatus(self.initd("--check", path, "--resolved", env={"HERE": "is $${outputs.x}", "PLAIN": "value"}), 0).out

    def test_resolved_shows_them_as_written_and_checks_to_the_same(self):
        text = """\
            version: 1
            initializers:
              x: { command: 'echo 1 > $INITD_OUTPUT' }
              use:
                command: [./run, "a ${outputs.x} $${outputs.x} ${outputs.x#/a/0} ${NONE:-$}${outputs.x} ${PLAIN} $${PLAIN} $PLAIN ${HERE}", '$', "${outputs.x#/d.e f}"]
                environment: { V: "${outputs.x} ${PLAIN}", W: "${V} $${outputs.x}" }
                workingDirectory: "${outputs.x}"
                stop: [end, "${outputs.x#/~1}"]
                dependencies: [x]
              wait: { waitFor: { http: "http://localhost:${outputs.x}/a" }, dependencies: [x] }
              path: { waitFor: { path: "${outputs.x}" }, dependencies: [x] }
            workers:
              web: { command: [web, "${outputs.x}"], ready: { tcp: "localhost:${outputs.x}" }, dependencies: [x] }
              checked: { command: [web, "${outputs.x}"], ready: { command: [try, "${outputs.x}"] }, dependencies: [x] }
            """
        whole = self.resolved(text)
        for written in ("${outputs.x#/a/0}", "${outputs.x#/d.e f}", "${outputs.x#/~1}", "http://localhost:${outputs.x}/a", "localhost:${outputs.x}"):
            self.assertIn(written, whole)
        self.assertNotIn("${PLAIN} $", whole.replace("$${PLAIN}", ""))
        self.assertEqual(self.resolved(whole), whole)

    def test_what_resolved_shows_means_the_same(self):
        text = """\
            version: 1
            initializers:
              x: { command: 'echo 5 > $INITD_OUTPUT' }
              use: { command: [sh, -c, 'printf "%s|" "$@" "$V" "$W" > "$OUT"', sh, "${outputs.x} $${outputs.x} $${PLAIN} ${HERE}", "$", "${outputs.x}$"], environment: { V: "<${outputs.x}>", W: "${V} $${V} $${outputs.x}" }, dependencies: [x] }
            """
        seen = []
        for manifest in (text, self.resolved(text)):
            out = os.path.join(self.directory(), "seen")
            supervisor = self.start(manifest, env={"HERE": "is $${outputs.x}", "PLAIN": "value", "OUT": out})
            self.launched(supervisor)
            with open(out) as file:
                seen.append(file.read())
        self.assertEqual(seen[0], "5 ${outputs.x} ${PLAIN} is $${outputs.x}|$|5$|<5>|<5> ${V} ${outputs.x}|")
        self.assertEqual(seen[1], seen[0])

    def test_a_dollar_before_a_value_stays(self):
        text = """\
            version: 1
            initializers:
              x: { command: 'echo 5 > $INITD_OUTPUT' }
              use: { command: [sh, -c, 'printf %s "$1" > "$OUT"', sh, "${NONE:-$}${outputs.x}"], dependencies: [x] }
            """
        out = os.path.join(self.directory(), "seen")
        self.launched(self.start(text, env={"OUT": out}))
        with open(out) as file:
            self.assertEqual(file.read(), "$5")


class VariableTests(ReferenceCase):
    def test_a_variable_is_expanded_in_the_words_of_a_list(self):
        told = self.told(
            "command: " + TELL + '"${OUTER} ${ALL} ${OWN} $OUTER"], environment: { OWN: "own ${ALL}" }', "x: { command: 'true' }",
            head="environment: { ALL: all, ANY: \"of ${OUTER}\" }\n", env={"OUTER": "outer"})
        self.assertEqual(told, "outer all own all $OUTER")

    def test_in_a_stop_a_process_and_a_check_too(self):
        supervisor = self.begin(
            "web: { command: [sh, -c, 'echo \"$1\" > web; exec sleep 600', sh, '${V}'], environment: { V: own }, ready: { command: [sh, -c, 'test -s web && echo \"$1\" > checked', sh, '${V}'], every: 10ms } }",
            "use: { command: 'true', stop: [sh, -c, 'echo \"$1\" > stopped', sh, '${V}'] }", env={"V": "outer"})
        self.launched(supervisor)
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        supervisor.ended()
        self.assertEqual([supervisor.text(name) for name in ("web", "checked", "stopped")], ["own\n", "own\n", "outer\n"])

    def test_in_the_program_too(self):
        told = self.told("command: ['${PROGRAM}', -c, 'printf ran > seen']", "x: { command: 'true' }", env={"PROGRAM": "/bin/sh"})
        self.assertEqual(told, "ran")

    def test_a_default_and_an_escape(self):
        told = self.told("command: " + TELL + '"${NO_SUCH:-usual value} ${EMPTY:-empty} $${OUTER} $$ $"]', "x: { command: 'true' }", env={"EMPTY": "", "OUTER": "x"})
        self.assertEqual(told, "usual value empty ${OUTER} $$ $")

    def test_a_value_is_one_word_and_not_expanded_again(self):
        value = "a  b\n'\"${OUTER} $${OUTER} ${outputs.x} $HOME `x`"
        told = self.told("command: " + TELL + "'${AWKWARD}']", "x: { command: 'echo 5 > $INITD_OUTPUT' }", env={"AWKWARD": value, "OUTER": "x"})
        self.assertEqual(told, value)

    def test_one_that_is_not_set_is_a_mistake_at_its_word(self):
        path = self.write(os.path.join(self.directory(), "init.yaml"), "version: 1\ninitializers:\n  a: { command: [echo, 'x ${NO_SUCH_VARIABLE}'] }\n")
        done = self.assertStatus(self.initd("--check", path), 65)
        self.assertEqual(
            done.err,
            f"{path}:3:24: the variable \"NO_SUCH_VARIABLE\" is not set; set it in the environment of initd, or write a default: ${{NO_SUCH_VARIABLE:-default}}\n")

    def test_a_text_is_left_to_the_shell(self):
        told = self.told("command: 'printf %s \"${NO_SUCH:-of the shell} ${V} $${#}\" > seen', environment: { V: own }", "x: { command: 'true' }", env={"V": "outer"})
        self.assertRegex(told, r"^of the shell own \d+\{#\}$")

    def test_so_is_a_script_that_is_a_word_of_a_list_only_if_it_is_escaped(self):
        told = self.told("command: [sh, -c, 'printf %s \"${V} $${V}\" > seen'], environment: { W: w }", "x: { command: 'true' }", env={"V": "of the supervisor"})
        self.assertEqual(told, "of the supervisor of the supervisor")


class ReloadTests(ReferenceCase):
    def manifest_of(self, use, web="", x="1"):
        text = f"version: 1\ncancelGrace: 2s\ninitializers:\n  x: {{ command: 'echo {{\\\"a\\\":1,\\\"b\\\":2}} > $INITD_OUTPUT' }}\n"
        text = text.replace("echo {\\\"a\\\":1,\\\"b\\\":2}", "cat value")
        return text + f"  use: {{ {use}, dependencies: [x] }}\n" + (f"workers:\n  web: {{ {web}, dependencies: [x] }}\n" if web else "")

    def test_a_changed_reference_makes_it_run_again(self):
        def use(key, variable):
            return f"command: [sh, -c, 'echo \"$1 $V\" >> ran', sh, '${{outputs.x#/{key}}}'], environment: {{ V: '${{outputs.x#/{variable}}}' }}"

        supervisor = self.start(self.manifest_of(use("a", "a")), directory=self.files(value='{"a":1,"b":2}'))
        self.launched(supervisor)
        for words, expected in ((("b", "a"), "~ use (command)\n= 1 unchanged\n"), (("b", "b"), "~ use (environment: V)\n= 1 unchanged\n"), (("b", "b"), "= 2 unchanged\n")):
            self.write(supervisor.manifest, self.manifest_of(use(*words)))
            self.assertEqual(self.assertStatus(supervisor.ctl("reload"), 0).out, expected)
            self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["1 1", "2 1", "2 2"])

    def test_a_changed_reference_restarts_a_process(self):
        def web(key):
            return f"command: [sh, -c, 'echo $1 >> starts; exec sleep 600', sh, '${{outputs.x#/{key}}}']"

        supervisor = self.start(self.manifest_of("command: 'true'", web("a")), directory=self.files(value='{"a":1,"b":2}'))
        supervisor.until_lines("starts")
        self.write(supervisor.manifest, self.manifest_of("command: 'true'", web("b")))
        self.assertEqual(self.assertStatus(supervisor.ctl("reload"), 0).out, "~ web (command)\n= 2 unchanged\n")
        self.assertEqual(supervisor.until_lines("starts", 2), ["1", "2"])

    def test_a_changed_target_of_a_wait_that_runs_holds_at_once(self):
        def use(key):
            return f"waitFor: {{ path: '${{outputs.x#/{key}}}', every: 10ms }}"

        supervisor = self.start(self.manifest_of(use("a")), directory=self.files(value='{"a":"not","b":"made"}', made=""))
        peer = supervisor.peer()
        until(lambda: "doesn't exist" in peer.initializer("use").get("progress", {}).get("message", ""), "a failed try")
        self.write(supervisor.manifest, self.manifest_of(use("b")))
        self.assertStatus(supervisor.ctl("reload"), 0)
        self.launched(supervisor)

    def test_a_mistaken_reference_changes_nothing(self):
        supervisor = self.start(self.manifest_of("command: 'true'"), directory=self.files(value="1"))
        self.launched(supervisor)
        before = supervisor.peer().status()["initializers"]
        self.write(supervisor.manifest, self.manifest_of("command: ['true', '${outputs.gone}']"))
        done = self.assertStatus(supervisor.ctl("reload"), 65)
        self.assertIn('unknown initializer "gone"', done.err)
        self.assertEqual(supervisor.peer().status()["initializers"], before)

    def test_another_value_alone_is_no_change(self):
        supervisor = self.start(self.manifest_of("command: ['true', '${outputs.x}']"), directory=self.files(value="1"))
        self.launched(supervisor)
        self.write(supervisor.file("value"), "2")
        self.assertStatus(supervisor.ctl("rerun", "x", "--wait"), 0)
        self.assertEqual(self.assertStatus(supervisor.ctl("reload"), 0).out, "= 2 unchanged\n")


class AppTests(Conformance):
    def test_the_apps_own_words_are_taken_as_they_are(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), "version: 1\ninitializers:\n  x: { command: 'echo 5 > $INITD_OUTPUT' }\n")
        program = self.program(
            [INITD, "--socket", os.path.join(directory, "s"), "--config", path, "--", "/bin/sh", "-c", 'printf %s "$1 $INITD_INPUT_X" > seen', "sh", "${outputs.x}"], cwd=directory)
        self.assertEqual(program.wait(), 0)
        with open(os.path.join(directory, "seen")) as file:
            self.assertEqual(file.read(), "${outputs.x} 5")


if __name__ == "__main__":
    import unittest

    unittest.main()
