"""everyday.md "Processes, by that name": `initctl exec`.

`initctl exec NAME -- COMMAND` runs COMMAND with the environment that the next start of NAME would get, in its directory, as the caller.
Role control; 77 else. So `initctl exec web -- gdb …` beside a stopped process is how one debugs.
"""

import json
import os
import signal
import sys
import unittest

from supervisor import INITCTL, Conformance, is_running

PRINT = "import json, os, sys; json.dump(dict(os.environ), sys.stdout)"


class ExecCase(Conformance):
    def begin(self, more="", *arguments, **options):
        """A supervisor with the process `web`, whose directory is `site`, and which isn't started."""
        directory = options.pop("directory", None) or self.directory()
        os.mkdir(os.path.join(directory, "site"))
        manifest = (
            "version: 1\nenvironment: { A: all, B: all }\n"
            "workers:\n  web:\n    command: [sleep, '1000']\n    workingDirectory: site\n    dependencies: [port]\n"
            "    environment: { B: own, AWKWARD: \"it's $HOME \\\"x\\\"\\n\" }\n"
            "initializers:\n  port: { command: 'echo 8080 > $INITD_OUTPUT' }\n" + more)
        return self.start(manifest, "--no-launch", *arguments, directory=directory, **options)

    def launched(self, *arguments, **options):
        supervisor = self.begin(*arguments, **options)
        peer = supervisor.peer()
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        return supervisor

    def tool(self, path, text="#!/bin/sh\necho tool\n", mode=0o755):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.write(path, text)
        os.chmod(path, mode)
        return path


class EnvironmentTests(ExecCase):
    """It runs COMMAND with the environment that `initctl env NAME` prints, in its directory, as the caller."""

    def test_a_value_in_its_directory_is_there(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "made"))
        supervisor = self.start(
            "version: 1\nprocesses:\n  web: { command: [sleep, '1000'], workingDirectory: '${outputs.folder}', dependencies: [folder] }\n"
            "initializers:\n  folder: { command: 'echo made > $INITD_OUTPUT' }\n", directory=directory)
        supervisor.peer().ok("wait", for_="launch")
        out = self.assertStatus(supervisor.ctl("exec", "web", "--", "pwd"), 0).out
        self.assertEqual(os.path.realpath(out.strip()), os.path.realpath(os.path.join(directory, "made")))

    def same(self, supervisor, name, **options):
        """The environment of a command that `exec` runs, which is what `env` prints; TERM may be that of the caller's terminal."""
        shown = json.loads(self.assertStatus(supervisor.ctl("env", name, "--format", "json"), 0).out)
        ran = json.loads(self.assertStatus(supervisor.ctl("exec", name, "--", sys.executable, "-I", "-c", PRINT, **options), 0).out)
        ran.pop("LC_CTYPE", None)  # Python may set it for itself.
        shown.pop("LC_CTYPE", None)
        if "TERM" not in shown:
            ran.pop("TERM", None)
        self.assertEqual(ran, shown)
        return ran

    def test_of_a_process(self):
        supervisor = self.launched()
        ran = self.same(supervisor, "web", env={"CALLER": "x", "A": "of the caller"})
        self.assertEqual((ran["A"], ran["B"], ran["AWKWARD"]), ("all", "own", "it's $HOME \"x\"\n"))
        self.assertEqual((ran["INITD_INPUT_PORT"], ran["INITD_SOCKET"]), ("8080", supervisor.path))
        self.assertNotIn("CALLER", ran)

    def test_of_a_process_whose_inputs_are_not_there_yet(self):
        self.assertNotIn("INITD_INPUT_PORT", self.same(self.begin(), "web"))

    def test_of_an_initializer(self):
        supervisor = self.launched("  use: { command: 'true', dependencies: [port], environment: { C: c } }\n")
        ran = self.same(supervisor, "use")
        self.assertEqual((ran["C"], ran["INITD_INPUT_PORT"], ran["INITD_INITIALIZER"]), ("c", "8080", "use"))

    def test_secret_inputs_are_in_it(self):
        supervisor = self.launched(
            "  token: { command: 'printf hunter2 > $INITD_OUTPUT', secret: true }\n  use: { command: 'true', dependencies: [token] }\n")
        done = self.assertStatus(supervisor.ctl("exec", "use", "--", "printenv", "INITD_INPUT_TOKEN"), 0)
        self.assertEqual(done.out, "hunter2\n")

    def test_in_its_directory(self):
        supervisor = self.begin("  use: { command: 'true' }\n  far: { command: 'true', workingDirectory: / }\n")
        for name, directory in (("web", supervisor.file("site")), ("use", supervisor.directory), ("far", "/")):
            with self.subTest(name):
                done = self.assertStatus(supervisor.ctl("exec", name, "--", "pwd", "-P", cwd="/usr"), 0)
                self.assertEqual(done.out, os.path.realpath(directory) + "\n")

    def test_a_relative_command_is_in_its_directory(self):
        supervisor = self.begin()
        self.tool(supervisor.file("site/tool"))
        self.assertEqual(self.assertStatus(supervisor.ctl("exec", "web", "--", "./tool", cwd="/"), 0).out, "tool\n")

    def test_a_command_is_found_in_the_PATH_of_the_environment(self):
        directory = self.directory()
        self.tool(os.path.join(directory, "bin/only-here"))
        supervisor = self.begin(f"  use: {{ command: 'true', environment: {{ PATH: '{directory}/bin' }} }}\n", directory=directory)
        self.assertEqual(self.assertStatus(supervisor.ctl("exec", "use", "--", "only-here"), 0).out, "tool\n")
        self.assertStatus(supervisor.ctl("exec", "use", "--", "sleep", "0"), 127)

    @unittest.skipUnless(os.geteuid() == 0, "another user requires root")
    def test_as_the_caller(self):
        """Even if the process has another user."""
        supervisor = self.begin("  use: { command: 'true', user: nobody }\n")
        self.assertEqual(self.assertStatus(supervisor.ctl("exec", "use", "--", "id", "-u"), 0).out, "0\n")

    def test_while_the_process_runs_and_while_it_is_stopped(self):
        supervisor = self.launched()
        pid = self.web(supervisor)["pid"]
        self.assertEqual(self.assertStatus(supervisor.ctl("exec", "web", "--", "echo", "beside"), 0).out, "beside\n")
        self.assertEqual(self.web(supervisor)["pid"], pid)
        self.assertStatus(supervisor.ctl("stop", "web"), 0)
        self.assertFalse(is_running(pid))
        self.assertEqual(self.assertStatus(supervisor.ctl("exec", "web", "--", "printenv", "B"), 0).out, "own\n")
        self.assertNotIn("pid", self.web(supervisor))

    def web(self, supervisor):
        return next(each for each in supervisor.peer().status()["processes"] if each["name"] == "web")


class CommandTests(ExecCase):
    """The exit status is that of COMMAND, because it replaces `initctl`."""

    def setUp(self):
        super().setUp()
        self.supervisor = self.begin("  lost: { worker: true, optional: true }\n")

    def run_sh(self, script, *words, **options):
        return self.supervisor.ctl("exec", "web", "--", "sh", "-c", script, "sh", *words, **options)

    def test_its_exit_status_is_passed_on(self):
        for status in (0, 1, 3, 64, 77, 255):
            with self.subTest(status):
                self.assertEqual(self.run_sh(f"exit {status}").status, status)

    def test_it_replaces_initctl(self):
        client = self.supervisor.start_ctl("exec", "web", "--", "sh", "-c", "echo $$")
        self.assertEqual(self.assertStatus(client.finish(), 0).out, f"{client.pid}\n")

    def test_a_signal_that_ends_it_ends_initctl(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGPIPE):
            with self.subTest(number):
                self.assertEqual(self.run_sh(f"kill -{number.name[3:]} $$").status, -number)

    def test_a_shell_sees_128_and_the_signal(self):
        done = self.program(
            ["sh", "-c", '"$@"; echo $?', "sh", INITCTL, "--socket", self.supervisor.path, "exec", "web", "--", "sh", "-c", "kill -KILL $$"]).finish()
        self.assertEqual(done.out, "137\n")

    def test_it_gets_the_signals_that_initctl_is_sent(self):
        client = self.supervisor.start_ctl("exec", "web", "--", "sh", "-c", "trap 'echo told; exit 7' TERM; echo up; while :; do sleep 0.01; done")
        self.assertEqual(client.line(), "up")
        client.signal(signal.SIGTERM)
        self.assertEqual(client.line(), "told")
        self.assertEqual(client.finish().status, 7)

    def test_its_signals_are_neither_blocked_nor_ignored(self):
        """As for a command that a shell starts: compared with the same command without `exec`."""
        script = "grep -E '^Sig(Blk|Ign)' /proc/self/status"
        direct = self.program(["sh", "-c", script]).finish()
        self.assertEqual(self.run_sh(script).out, direct.out)

    def test_no_descriptor_of_initctl_reaches_it(self):
        """Only the three standard ones, and the one that lists them."""
        done = self.run_sh("ls /proc/self/fd | wc -l")
        self.assertEqual(done.out.strip(), "4")

    def test_standard_input_and_output_are_passed_through(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        with open(writing, "wb") as pipe:
            client = self.supervisor.start_ctl("exec", "web", "--", "sh", "-c", "cat; echo to-err >&2", stdin=reading)
            pipe.write(b"one\ntwo without a newline")
        done = self.assertStatus(client.finish(), 0)
        self.assertEqual((done.out, done.err), ("one\ntwo without a newline", "to-err\n"))

    def test_it_prints_nothing_of_its_own(self):
        done = self.run_sh("true")
        self.assertEqual((done.status, done.out, done.err), (0, "", ""))

    def test_its_words_are_passed_as_they_are(self):
        words = ["--json", "--", "-x", "", "a  b", "$HOME", "*", "--socket", "--help"]
        done = self.assertStatus(self.run_sh('printf "<%s>" "$@"', *words), 0)
        self.assertEqual(done.out, "".join(f"<{each}>" for each in words))

    def test_a_supervisor_that_ends_does_not_end_it(self):
        client = self.supervisor.start_ctl("exec", "web", "--", "sh", "-c", "echo up; until test -e ../gate; do sleep 0.01; done; echo on")
        self.assertEqual(client.line(), "up")
        self.assertStatus(self.supervisor.ctl("shutdown"), 0)
        self.write(self.supervisor.file("gate"), "")
        self.assertEqual(self.assertStatus(client.finish(), 0).out, "up\non\n")


class FailureTests(ExecCase):
    def test_an_unknown_name_is_64(self):
        supervisor = self.begin("  lost: { worker: true, optional: true }\n")
        done = self.assertStatus(supervisor.ctl("exec", "wbe", "--", "echo", "ran"), 64)
        self.assertEqual(done.out, "")
        self.assertIn('"wbe"', done.err)
        self.assertIn('did you mean "web"?', done.err)
        done = self.assertStatus(supervisor.ctl("exec", "lost", "--", "echo", "ran"), 64)
        self.assertEqual(done.out, "")
        self.assertIn("lost is neither a command nor a process", done.err)

    def test_a_command_that_is_not_found_is_127(self):
        supervisor = self.begin()
        for command in ("nothing-of-that-name", "./nothing-there", "/nowhere/at-all"):
            with self.subTest(command):
                done = self.assertStatus(supervisor.ctl("exec", "web", "--", command), 127)
                self.assertEqual(done.out, "")
                self.assertIn(command, done.err)

    def test_a_command_that_can_not_be_executed_is_126(self):
        supervisor = self.begin()
        self.tool(supervisor.file("site/data"), "data\n", 0o644)
        for command in ("./data", supervisor.file("site/data"), "/"):
            with self.subTest(command):
                done = self.assertStatus(supervisor.ctl("exec", "web", "--", command), 126)
                self.assertEqual(done.out, "")
                self.assertIn(command, done.err)

    def test_a_directory_that_is_missing_is_named(self):
        """Nothing runs in another directory."""
        supervisor = self.begin()
        os.rmdir(supervisor.file("site"))
        done = self.assertStatus(supervisor.ctl("exec", "web", "--", "echo", "ran"), 126)
        self.assertEqual(done.out, "")
        self.assertIn(supervisor.file("site"), done.err)

    def test_wrong_usage_is_64(self):
        supervisor = self.begin()
        for words in ([], ["web"], ["web", "echo", "ran"], ["web", "--"], ["--", "echo", "ran"], ["web", "port", "--", "echo", "ran"]):
            with self.subTest(words):
                done = self.assertStatus(supervisor.ctl("exec", *words), 64)
                self.assertEqual(done.out, "")
                self.assertTrue(done.err.strip())

    def test_who_only_observes_may_not(self):
        directory = self.directory()
        second = os.path.join(directory, "observe")
        self.begin("", "--observe-socket", second, directory=directory)
        done = self.assertStatus(self.initctl("--socket", second, "exec", "web", "--", "echo", "ran"), 77)
        self.assertEqual(done.out, "")

    def test_without_a_supervisor_it_is_69(self):
        path = os.path.join(self.directory(), "initd.sock")
        done = self.assertStatus(self.initctl("--socket", path, "exec", "web", "--", "echo", "ran"), 69)
        self.assertEqual(done.out, "")
        self.assertIn(path, done.err)


if __name__ == "__main__":
    unittest.main()
