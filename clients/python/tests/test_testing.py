"""The fixture for tests of applications, with a real supervisor, if $INITD is the path of one. `initctl` is $INITCTL, or beside it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from unittest import mock

from appinitializers import testing

from .fake_supervisor import DEADLINE

INITD = os.environ.get("INITD")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(testing.__file__)))

READY = """
    version: 1
    ports: { web: auto, admin-page: auto }
    initializers:
      token: { command: 'echo "{\\"id\\": 7}" > "$INITD_OUTPUT"' }
      pass.word: { command: 'printf s3cret > "$INITD_OUTPUT"', secret: true, phase: active }
      greet: { command: 'echo "$GREETING"; echo "$0"', after: [token] }
    processes:
      web: { command: [python3, -m, http.server, "${ports.web}"], ready: { tcp: "localhost:${ports.web}" }, timeout: 60s }
"""


@unittest.skipUnless(INITD, "INITD isn't set")
class FixtureTests(unittest.TestCase):
    def setUp(self):
        # Everything of a test has this path: its manifest, its sockets, and the environment of all of its processes.
        self.directory = os.path.realpath(tempfile.mkdtemp(prefix="fixture-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.addCleanup(self.end_all)
        self.programs = os.path.join(self.directory, "bin")
        self.temporary = os.path.join(self.directory, "tmp")
        os.mkdir(self.programs)
        os.mkdir(self.temporary)
        initctl = os.environ.get("INITCTL") or os.path.join(os.path.dirname(INITD), "initctl")
        for name, path in (("initd", INITD), ("initctl", initctl)):
            os.symlink(os.path.abspath(path), os.path.join(self.programs, name))
        for patch in (mock.patch.object(tempfile, "tempdir", self.temporary), mock.patch.dict(os.environ, XDG_RUNTIME_DIR=self.temporary)):
            patch.start()
            self.addCleanup(patch.stop)

    def supervisor(self, text, **options):
        return testing.supervisor(self.manifest(text), **{"programs": self.programs, "timeout": DEADLINE, **options})

    def manifest(self, text):
        path = os.path.join(self.directory, "ci.yaml")
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def processes(self):
        """The processes of this test other than this one: its directory is in their words or their environment."""
        found = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) != os.getpid():
                with contextlib.suppress(OSError):
                    texts = []
                    for name in ("cmdline", "environ"):
                        with open(f"/proc/{entry}/{name}", "rb") as file:
                            texts.append(file.read())
                    if any(self.directory.encode() in text for text in texts):
                        found[int(entry)] = texts[0].replace(b"\0", b" ").decode(errors="replace")
        return found

    def end_all(self):
        for process in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)

    def assertNothingIsLeft(self):
        self.assertEqual(self.processes(), {})
        self.assertEqual([each for each in os.listdir(self.temporary) if each.startswith("initd-")], [])

    def until(self, condition, what):
        end = time.monotonic() + DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), end, f"{what}: not within {DEADLINE} s")
            time.sleep(0.01)

    def refused(self, text, **options):
        """The message of a start that fails, and leaves nothing behind."""
        with self.assertRaises(AssertionError) as caught:
            with self.supervisor(text, **options):
                self.fail("the start hasn't failed")
        self.assertIsInstance(caught.exception, testing.StartFailed)
        self.assertNothingIsLeft()
        return str(caught.exception)

    def test_a_ready_app_has_its_ports_outputs_logs_and_client(self):
        with self.supervisor(READY, env={"GREETING": "good morning"}) as app:
            self.assertEqual(app.client.status()["composite"], {"state": "complete"})
            self.assertEqual(app.client.status()["ports"], {"web": app.port("web"), "admin-page": app.port("admin-page")})
            self.assertEqual((app.output("token"), app.output("pass.word")), ({"id": 7}, "s3cret"))
            self.assertEqual(app.log("greet"), "good morning\n/bin/sh\n")
            status = subprocess.run([os.path.join(self.programs, "initctl"), "port", "web"], env=app.environment, capture_output=True)
            self.assertEqual(status.stdout.decode(), f"{app.port('web')}\n")
            self.assertEqual(app.socket, app.environment["INITD_SOCKET"])
            self.assertGreater(len(self.processes()), 1)
        self.assertNothingIsLeft()

    def test_a_name_without_a_value_is_an_error_that_names_it(self):
        with self.supervisor("version: 1") as app:
            with self.assertRaisesRegex(LookupError, "no port 'web': .* INITD_PORT_WEB"):
                app.port("web")
            with self.assertRaisesRegex(LookupError, "no output 'a-b': .* INITD_INPUT_A_B_JSON"):
                app.output("a-b")

    def test_two_run_side_by_side_at_different_ports(self):
        text = "version: 1\nports: { web: auto }\n"
        with self.supervisor(text) as one, self.supervisor(text) as other:
            self.assertNotEqual(one.port("web"), other.port("web"))
            self.assertNotEqual(one.client.instance, other.client.instance)
        self.assertNothingIsLeft()

    def test_the_variables_of_a_supervisor_that_runs_the_tests_are_not_inherited(self):
        outer = {"INITD_SOCKET": "/nowhere", "INITD_PORT_OUTER": "1", "INITD_INPUT_OUTER_JSON": "1", "NOTIFY_SOCKET": "/nowhere"}
        with mock.patch.dict(os.environ, outer), self.supervisor("version: 1") as app:
            self.assertEqual([name for name in app.environment if name.startswith(("INITD_", "NOTIFY_"))], ["INITD_SOCKET"])

    def test_only_a_part_runs(self):
        text = """
            version: 1
            initializers:
              tables: { command: "true" }
              rows: { command: "true", dependencies: [tables] }
              other: { command: "false" }
        """
        for only, expected in ((["rows"], {"tables", "rows"}), ("tables", {"tables"})):
            with self.supervisor(text, only=only) as app:
                complete = {each["name"] for each in app.client.status()["initializers"] if each["status"] == "complete"}
                self.assertEqual(complete, expected)

    def test_with_a_state_directory_the_next_start_repeats_nothing(self):
        text = f"version: 1\ninitializers: {{ a: {{ command: 'echo a >> {self.directory}/ran; echo 1 > $INITD_OUTPUT' }} }}\n"
        state = os.path.join(self.directory, "state")
        for options in ({"state_directory": state}, {"state_directory": state}, {}):
            with self.supervisor(text, **options) as app:
                self.assertEqual(app.output("a"), 1)
        with open(os.path.join(self.directory, "ran")) as file:
            self.assertEqual(file.read(), "a\na\n")
        self.assertNothingIsLeft()

    def test_an_exception_in_the_block_stops_everything(self):
        for error in (ValueError("no"), KeyboardInterrupt()):
            with self.assertRaises(type(error)) as caught:
                with self.supervisor(READY):
                    raise error
            self.assertIs(caught.exception, error)
            self.assertNothingIsLeft()

    def test_the_message_of_a_failed_start_names_the_initializer_and_has_its_output(self):
        message = self.refused("""
            version: 1
            initializers:
              tables: { command: "true" }
              seed: { command: "seq -f 'row %.0f' 40; echo no space >&2; exit 3", dependencies: [tables] }
              later: { command: "true", dependencies: [seed] }
        """)
        self.assertRegex(message, r"/ci\.yaml: the start has failed\n")
        self.assertRegex(message, r"(?m)^ready failed\n└─ launch failed\n   └─ seed failed .* ago: exit status 3; ")
        # The tree has the last lines, and what follows it has all of them.
        self.assertRegex(message, r"(?m)^ +seed \| no space$")
        self.assertRegex(message, r"(?m)^seed \| row 1$")

    def test_output_that_the_tree_shows_is_not_repeated(self):
        message = self.refused("version: 1\ninitializers: { seed: { command: 'echo no space; exit 3', phase: active } }\n")
        self.assertEqual(message.count("seed | no space"), 1, message)

    def test_the_message_of_a_process_that_isnt_ready_has_its_output(self):
        message = self.refused("""
            version: 1
            processes: { web: { command: "echo no certificate; exit 4", ready: { tcp: "localhost:1" }, restart: never } }
        """)
        self.assertRegex(message, r"web failed .*exit status 4")
        self.assertIn("web | no certificate", message)

    def test_a_start_that_takes_too_long_says_what_still_runs(self):
        message = self.refused("version: 1\ninitializers: { slow: { command: 'exec sleep 1000' } }\n", timeout=0.2)
        self.assertRegex(message, r"ci\.yaml: the app isn't ready after 0\.2 s\nready has been pending")
        self.assertIn("└─ slow ", message)

    def test_the_message_of_a_bad_manifest_has_all_mistakes(self):
        message = self.refused("version: 1\ninitializers:\n  a: { comand: x }\n  b: { command: [\"true\"], dependencies: [c] }\n")
        self.assertRegex(message, r"^.*/ci\.yaml: initd has ended with status 65\n")
        self.assertRegex(message, r"(?m)^.*/ci\.yaml:3:8: .*comand")
        self.assertRegex(message, r"(?m)^.*/ci\.yaml:4:\d+: .*\bc\b")

    def test_a_manifest_that_cant_be_read(self):
        with self.assertRaisesRegex(testing.StartFailed, "^nothing.yaml: initd has ended with status 66\n.*No such file"):
            with testing.supervisor("nothing.yaml", programs=self.programs):
                self.fail("the start hasn't failed")
        self.assertNothingIsLeft()

    def test_a_missing_program_is_an_error_that_says_what_to_do(self):
        empty = self.temporary
        with mock.patch.dict(os.environ, PATH=empty):
            for options, where in (({"programs": empty}, empty), ({"programs": None}, r".* and in PATH")):
                with self.assertRaisesRegex(testing.StartFailed, f"^cannot find initd in {where}: install it .*, or pass programs=DIRECTORY$"):
                    with self.supervisor("version: 1", **options):
                        self.fail("the start hasn't failed")
        os.remove(os.path.join(self.programs, "initctl"))
        self.assertRegex(self.refused("version: 1"), "^cannot find initctl in ")

    def test_a_program_of_the_path_is_found(self):
        with mock.patch.dict(os.environ, PATH=f"{self.programs}:{os.environ['PATH']}"), self.supervisor("version: 1", programs=None) as app:
            self.assertEqual(app.client.status()["lifecycle"], "active")

    def test_an_interrupted_or_killed_test_leaves_nothing_behind(self):
        """During the start, and after it."""
        program = f"""
            import signal, sys
            signal.signal(signal.SIGINT, signal.default_int_handler)  # A program in the background ignores it.
            sys.path.insert(0, {PACKAGE!r})
            import appinitializers.testing
            with appinitializers.testing.supervisor(sys.argv[1], programs={self.programs!r}):
                print("ready", flush=True)
                sys.stdin.read()
        """
        starts = "version: 1\ninitializers: {{ a: {{ command: 'touch {0}/started; {1}' }} }}\nprocesses: {{ web: {{ command: [sleep, 1000] }} }}\n"
        for when, command in (("during the start", "exec sleep 1000"), ("once ready", "true")):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                with self.subTest(when, signal=number.name):
                    words = [sys.executable, "-c", textwrap.dedent(program), self.manifest(starts.format(self.directory, command))]
                    environment = {**os.environ, "TMPDIR": self.temporary}
                    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
                    with subprocess.Popen(words, env=environment, start_new_session=True, **pipes) as test:
                        if command == "true":
                            self.assertEqual(test.stdout.readline(), b"ready\n")
                        self.until(lambda: os.path.exists(f"{self.directory}/started"), "the command has started")
                        # A terminal sends SIGINT to the whole process group.
                        (os.killpg if number == signal.SIGINT else os.kill)(test.pid, number)
                        self.assertEqual(test.wait(DEADLINE), -number)
                    # After SIGTERM and SIGKILL, the guard does it.
                    self.until(lambda: not self.processes(), "the end of all processes")
                    self.assertNothingIsLeft()
                    os.remove(f"{self.directory}/started")

    def test_a_supervisor_that_doesnt_stop_is_killed(self):
        with mock.patch.object(testing, "_STOP", 0.5), self.assertWarnsRegex(UserWarning, "ci.yaml hasn't stopped within 0.5 s, and was killed"):
            self.start_deaf()
        self.until(lambda: not self.processes(), "the end of all processes")
        self.assertNothingIsLeft()

    def test_if_the_stop_is_interrupted_everything_is_killed(self):
        wait = subprocess.Popen.wait

        def interrupted(process, timeout=None):
            if timeout is not None:
                raise KeyboardInterrupt
            return wait(process)

        with mock.patch.object(subprocess.Popen, "wait", interrupted), self.assertRaises(KeyboardInterrupt):
            self.start_deaf()
        self.until(lambda: not self.processes(), "the end of all processes")
        self.assertNothingIsLeft()

    def start_deaf(self):
        """Starts and ends a supervisor with a process that ignores SIGTERM."""
        text = """
            version: 1
            processes: { web: { command: "trap '' TERM; echo deaf; while :; do sleep 1; done", ready: { line: deaf }, stopTimeout: 1000s } }
        """
        with self.supervisor(text) as app:
            self.assertIn(app.client.status()["processes"][0]["pid"], self.processes())


if __name__ == "__main__":
    unittest.main()
