"""semantics.md S13, S15, S16 and commands-and-manifest.md: commands, and their environment."""

import json
import os
import signal
import sys
import unittest

from deadlines import until
from supervisor import Conformance, is_running

STUBBORN = """
  command: |
    trap '' TERM
    sleep 600 &
    echo $$ $! >> pids
    while :; do wait; done
"""

NOTIFY = """
import os, socket, sys
peer = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
path = os.environ["NOTIFY_SOCKET"]
peer.connect("\\0" + path[1:] if path.startswith("@") else path)
peer.send(sys.argv[1].replace("|", "\\n").encode())
"""


class OutcomeTests(Conformance):
    def outcome(self, command, **more):
        """The state of launch after a pass with that one command."""
        extra = "".join(f"  {name}: {value}\n" for name, value in more.items())
        supervisor = self.start_with(f"c:\n  command: {command}\n{extra}")
        self.supervisor = supervisor
        return supervisor.peer().ok("wait", for_="launch")

    def test_exit_status_0_is_success(self):
        self.assertEqual(self.outcome("exit 0")["state"], "complete")

    def test_another_exit_status_is_the_cause(self):
        for status in (1, 3, 255):
            with self.subTest(status):
                self.failed(self.outcome(f"exit {status}"), "initializerFailed", initializer="c", cause={"kind": "exit", "status": status})

    def test_a_signal_is_the_cause_by_its_name(self):
        for name in ("SIGKILL", "SIGTERM", "SIGUSR1"):
            with self.subTest(name):
                state = self.outcome(f"kill -{name[3:]} $$")
                self.failed(state, "initializerFailed", initializer="c", cause={"kind": "signal", "signal": name})

    def test_a_program_that_cant_be_started_is_notFound(self):
        error = self.failed(self.outcome("[./nothing-there]"), "initializerFailed", initializer="c")
        self.assertEqual(error["cause"]["kind"], "notFound")
        self.assertTrue(error["cause"]["message"])

    def test_a_file_that_isnt_a_program_is_notFound(self):
        directory = self.directory()
        self.write(os.path.join(directory, "data"), "not a program\n")
        supervisor = self.start(self.manifest("c: { command: [./data] }"), directory=directory)
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="c")
        self.assertEqual(error["cause"]["kind"], "notFound")

    def test_a_program_that_the_shell_cant_find_is_an_exit_status(self):
        self.failed(self.outcome("nothing-of-that-name-anywhere"), "initializerFailed", cause={"kind": "exit", "status": 127})

    def test_a_list_is_run_as_it_is(self):
        self.outcome('[python3, -c, "import sys; open(\'out\', \'w\').write(repr(sys.argv[1:]))", "a  b", $HOME, "*", "", 30, yes, 1.50]')
        self.assertEqual(self.supervisor.text("out"), repr(["a  b", "$HOME", "*", "", "30", "yes", "1.50"]))

    def test_a_string_is_run_by_the_shell(self):
        self.outcome("'X=\"a  b\"; echo \"$X\" > out; echo \"$0\" $# >> out'")
        self.assertEqual(self.supervisor.lines("out")[0], "a  b")

    def test_a_grandchild_that_keeps_stdout_open_doesnt_delay_completion(self):
        state = self.outcome("'sleep 600 & echo started'")
        self.assertEqual(state["state"], "complete")

    def test_a_command_shows_what_it_is_in_status(self):
        supervisor = self.start_with("c: { command: read x < gate }", directory=self.gate())
        peer = supervisor.peer()
        shown = peer.until_initializer("c", "running")
        self.assertEqual((shown["provider"], shown["available"], shown["phase"], shown["attempt"], shown["pass"]), ("command", True, "launch", 1, 1))
        self.assertIn("started", shown)
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")
        peer.ok("wait", for_="launch")
        shown = peer.initializer("c")
        self.assertEqual(shown["status"], "complete")
        self.assertGreater(shown["duration"], 0)

    def gate(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "gate"))
        return directory


class SurroundingsTests(Conformance):
    def test_the_environment_is_initds_then_the_manifests_then_its_own(self):
        manifest = (
            "version: 1\nenvironment: { BOTH: manifest, MANIFEST: manifest, INHERITED_TOO: manifest }\n"
            "initializers:\n  c:\n    command: env > env.txt\n    environment: { BOTH: own, OWN: own, NUMBER: 5 }\n"
        )
        supervisor = self.start(manifest, env={"INHERITED": "initd", "INHERITED_TOO": "initd"})
        supervisor.peer().ok("wait", for_="launch")
        found = dict(line.split("=", 1) for line in supervisor.lines("env.txt") if "=" in line)
        expected = {"INHERITED": "initd", "INHERITED_TOO": "manifest", "MANIFEST": "manifest", "BOTH": "own", "OWN": "own", "NUMBER": "5"}
        self.assertEqual({name: found.get(name) for name in expected}, expected)

    def test_variables_of_systemd_for_initd_are_not_passed_on(self):
        given = {"LISTEN_PID": "1", "LISTEN_FDNAMES": "x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1", "NOTIFY_SOCKET": "/nowhere/notify"}
        supervisor = self.start_with("c: { command: env > env.txt }", env=given)
        supervisor.peer().ok("wait", for_="launch")
        found = dict(line.split("=", 1) for line in supervisor.lines("env.txt") if "=" in line)
        self.assertEqual([name for name in found if name.startswith(("LISTEN_", "WATCHDOG_"))], [])
        self.assertNotEqual(found.get("NOTIFY_SOCKET"), "/nowhere/notify")

    @unittest.skipUnless(os.geteuid() == 0, "hiding /proc requires root")
    def test_without_a_proc_file_system_the_environment_is_the_same(self):
        """The Swift runtime needs a variable then, which is only for initd."""
        without_proc = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        found = []
        for prefix in ([], without_proc):
            supervisor = self.start_with("c: { command: env > env.txt }", directory=self.directory(), prefix=prefix)
            supervisor.peer().ok("wait", for_="launch")
            found.append({line.split("=", 1)[0] for line in supervisor.lines("env.txt")})
        self.assertEqual(*found)

    def test_the_environment_describes_the_run(self):
        supervisor = self.start_with(
            """
            c:
              command: 'echo "$INITD_SOCKET $INITD_INITIALIZER $INITD_RUN $INITD_PASS $INITD_PHASE $INITD_ATTEMPT" >> runs; test $INITD_ATTEMPT = 2'
              priority: appActive
              retry: { attempts: 2, delay: 10ms }
            """
        )
        peer = supervisor.peer()
        number = peer.ok("activate")["pass"]
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        runs = peer.last_pass()["runs"]
        self.assertEqual(
            supervisor.lines("runs"),
            [f"{supervisor.path} c {run['run']} {number} active {run['attempt']}" for run in runs],
        )
        self.assertEqual([run["attempt"] for run in runs], [1, 2])

    def test_standard_input_is_empty(self):
        supervisor = self.start_with("c: { command: 'cat > in; echo ended > out' }", stdin=-1)
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual((supervisor.text("in"), supervisor.lines("out")), ("", ["ended"]))

    def test_the_directory_is_the_manifests_regardless_of_initds(self):
        supervisor = self.start_with("c: { command: pwd > here }", cwd="/")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("here"), [supervisor.directory])

    def test_the_working_directory_and_relative_paths_are_the_manifests(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "state"))
        script = self.write(os.path.join(directory, "migrate"), "#!/bin/sh\npwd > here\n")
        os.chmod(script, 0o755)
        supervisor = self.start(self.manifest("c: { command: [./migrate], workingDirectory: ./state }"), directory=directory, cwd="/")
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("state/here"), [os.path.join(directory, "state")])

    def test_a_program_is_searched_for_in_PATH(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "bin"))
        script = self.write(os.path.join(directory, "bin/own-program"), "#!/bin/sh\necho found > out\n")
        os.chmod(script, 0o755)
        supervisor = self.start(
            self.manifest("c: { command: [own-program] }"),
            directory=directory,
            env={"PATH": f"{directory}/bin:{os.environ['PATH']}"},
        )
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("out"), ["found"])

    def notify(self, text, more=""):
        directory = self.directory()
        self.write(os.path.join(directory, "notify.py"), NOTIFY)
        os.mkfifo(os.path.join(directory, "gate"))
        return self.start_with(f"c:\n  command: python3 notify.py '{text}' && read x < gate\n{more}", directory=directory)

    def go(self, supervisor):
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")

    def test_a_command_may_report_progress_over_NOTIFY_SOCKET(self):
        supervisor = self.notify("STATUS=half of the shelves|X_INITD_PROGRESS=0.4")
        peer = supervisor.peer()
        shown = until(lambda: peer.initializer("c").get("progress"), "the progress")
        self.assertEqual(shown, {"fraction": 0.4, "message": "half of the shelves"})
        self.go(supervisor)
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_a_command_may_extend_its_deadline_over_NOTIFY_SOCKET(self):
        supervisor = self.notify("EXTEND_TIMEOUT_USEC=600000000|STATUS=extended", "  timeout: 3s\n")
        peer = supervisor.peer()
        until(lambda: peer.initializer("c").get("progress"), "the report")
        self.assertEqual(peer.call("wait", {"initializer": "c", "timeout": 3.5})["error"]["code"], -32003)
        self.go(supervisor)
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_a_remaining_process_cannot_report_for_a_later_run(self):
        """The process is still connected to the socket of its own run, whose command has ended."""
        directory = self.directory()
        self.write(
            os.path.join(directory, "left.py"),
            """
            import os, socket, sys
            peer = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            peer.connect(os.environ["NOTIFY_SOCKET"])
            open("connected", "w").close()
            open("say").read()
            try:
                peer.send(b"STATUS=forged\\nX_INITD_PROGRESS=0.9\\n")
                said = "sent"
            except OSError as error:
                said = type(error).__name__
            with open("said", "w") as file:
                file.write(said + "\\n")
            """,
        )
        self.write(os.path.join(directory, "notify.py"), NOTIFY)
        for name in ("say", "gate"):
            os.mkfifo(os.path.join(directory, name))
        script = """
            if test $INITD_PASS = 2; then
              setsid python3 left.py & until test -e connected; do :; done
            else
              echo up >> up; read x < gate; python3 notify.py "STATUS=own"; read x < gate
            fi
            """
        self.write(os.path.join(directory, "script"), script)
        supervisor = self.start_with("c: { command: [sh, ./script], priority: appActive }", directory=directory)
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["initializer"])
        peer.ok("activate")
        peer.ok("wait", for_="active")
        peer.ok("activate")
        supervisor.until_lines("up")
        with open(supervisor.file("say"), "w"):
            pass
        self.assertEqual(supervisor.until_lines("said"), ["ConnectionRefusedError"])
        self.go(supervisor)
        until(lambda: peer.initializer("c").get("progress"), "the run's own report")
        self.go(supervisor)
        peer.ok("wait", for_="active")
        told = [each["initializer"].get("progress") for each in peer.events_until(lambda event: event["initializer"].get("pass") == 3 and event["initializer"]["status"] == "complete")]
        self.assertEqual([each for each in told if each], [{"message": "own"}] * 2)

    def test_the_last_report_of_a_failed_command_is_in_the_log(self):
        """The notification counts even if it was the command's last action."""
        directory = self.directory()
        notify = self.write(os.path.join(directory, "notify.py"), NOTIFY)
        for said, shown in (("ERRNO=28", "No space left on device"), ("STATUS=the \x1b[31mshelves are full", "shelves are full")):
            manifest = self.manifest(f"c: {{ command: [sh, -c, '{sys.executable} {notify} \"$WHAT\"; exit 3'], environment: {{ WHAT: {json.dumps(said)} }} }}")
            supervisor = self.start(manifest, directory=directory)
            supervisor.program.until_err("c failed after")
            line = next(each for each in supervisor.program.err.decode().splitlines() if "last report:" in each)
            self.assertIn("c: last report: ", line)
            self.assertIn(shown, line)
            self.assertTrue(line.isprintable(), line)
            supervisor.program.signal(signal.SIGTERM)
            supervisor.ended()

    def test_the_last_report_is_in_the_log_though_the_end_is_found_before_it(self):
        """A process that the command has started reports after the command's end."""
        directory = self.directory()
        for name in ("first", "second"):
            os.mkfifo(os.path.join(directory, name))
        notify = self.write(os.path.join(directory, "notify.py"), NOTIFY)
        script = f"(read x < second; {sys.executable} {notify} STATUS=said; echo >> said) & echo $$ >> pids; read x < first; exit 3"
        supervisor = self.start(self.manifest(f"c: {{ command: [sh, -c, {json.dumps(script)}] }}"), directory=directory)
        [pid] = map(int, supervisor.until_lines("pids"))
        supervisor.program.signal(signal.SIGSTOP)
        self.write(os.path.join(directory, "first"), "go\n")
        until(lambda: not is_running(pid), "its end")
        self.write(os.path.join(directory, "second"), "go\n")
        supervisor.until_lines("said")
        supervisor.program.signal(signal.SIGCONT)
        supervisor.program.until_err("c failed after")
        supervisor.program.until_err("last report: said")


class StopTests(Conformance):
    def test_S13_a_cancelled_command_gets_sigterm_and_occupies_its_place_until_it_has_exited(self):
        supervisor = self.start(
            """
            version: 1
            initializers:
              c:
                priority: appActive
                command: |
                  trap 'echo told >> order; read x < gate; exit 0' TERM
                  echo up >> order
                  while :; do sleep 0.05; done
            """,
            "--activate",
            directory=self.gate(),
        )
        supervisor.until_lines("order", 1)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("deactivate")["cancelled"], ["c"])
        self.assertEqual(supervisor.until_lines("order", 2), ["up", "told"])
        self.assertEqual(peer.initializer("c")["status"], "stopping")
        peer.ok("activate")
        self.assertEqual(peer.initializer("c")["status"], "stopping", "stopping outranks waiting")
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")
        self.assertEqual(supervisor.until_lines("order", 3), ["up", "told", "up"])

    def gate(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "gate"))
        return directory

    def pids(self, supervisor):
        return [int(word) for word in supervisor.until_lines("pids", 1)[-1].split()]

    def test_S13_the_process_group_of_a_command_that_doesnt_stop_in_time_is_killed(self):
        supervisor = self.start_with("c:\n  priority: appActive" + STUBBORN, "--activate")
        pids = self.pids(supervisor)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("deactivate", wait=True), {"cancelled": ["c"]})
        until(lambda: not any(map(is_running, pids)), "the end of the whole group")
        self.assertEqual(peer.initializer("c")["status"], "cancelled")
        self.assertEqual(peer.status()["active"]["state"], "pending")

    def test_S15_a_command_that_takes_too_long_has_failed_with_cause_timeout(self):
        supervisor = self.start_with("c: { command: [sleep, 600], timeout: 200ms }")
        state = supervisor.peer().ok("wait", for_="launch")
        self.failed(state, "initializerFailed", initializer="c", cause={"kind": "timeout", "after": 0.2})

    def test_S15_it_has_failed_with_any_exit_status(self):
        supervisor = self.start_with(
            """
            c:
              timeout: 200ms
              command: |
                trap 'exit 0' TERM
                while :; do sleep 0.05; done
            """
        )
        self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", cause={"kind": "timeout", "after": 0.2})

    def test_S15_a_command_that_ignores_sigterm_is_killed(self):
        supervisor = self.start_with("c:\n  timeout: 500ms" + STUBBORN)
        pids = self.pids(supervisor)
        self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", cause={"kind": "timeout", "after": 0.5})
        until(lambda: not any(map(is_running, pids)), "the end of the whole group")

    def test_S15_a_command_that_is_cancelled_while_it_stops_after_its_timeout_is_cancelled(self):
        supervisor = self.start(
            """
            version: 1
            initializers:
              c:
                priority: appActive
                timeout: 200ms
                command: |
                  trap 'echo told >> order; read x < gate; exit 0' TERM
                  while :; do sleep 0.05; done
            """,
            "--activate",
            directory=self.gate(),
        )
        supervisor.until_lines("order", 1)
        peer = supervisor.peer()
        number = peer.status()["active"]["pass"]
        peer.ok("deactivate")
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")
        self.assertEqual(peer.ok("wait", pass_=number)["state"], "cancelled")
        self.assertEqual(peer.initializer("c")["status"], "cancelled")

    def test_S15_after_a_timeout_it_may_be_retried(self):
        supervisor = self.start_with(
            "c: { command: 'test $INITD_ATTEMPT = 2 || sleep 600', timeout: 300ms, retry: { attempts: 2, delay: 10ms } }"
        )
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual([run["outcome"] for run in peer.last_pass()["runs"]], ["failed", "complete"])

    def test_S16_attempts_counts_the_first(self):
        supervisor = self.start_with("c: { command: 'echo x >> order; exit 1', retry: { attempts: 3, delay: 10ms, factor: 1 } }")
        self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", cause={"kind": "exit", "status": 1})
        self.assertEqual(supervisor.lines("order"), ["x", "x", "x"])

    def test_S16_without_retry_there_is_one_attempt(self):
        supervisor = self.start_with("c: { command: 'echo x >> order; exit 1' }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("order"), ["x"])

    def test_S16_a_deactivation_ends_the_delay(self):
        supervisor = self.start_with(
            "c: { command: 'echo x >> order; exit 1', priority: appActive, retry: { attempts: 2, delay: 60m, maxDelay: 60m } }",
            "--activate",
        )
        supervisor.until_lines("order", 1)
        peer = supervisor.peer()
        peer.until_initializer("c", "waiting")
        number = peer.status()["active"]["pass"]
        peer.ok("deactivate", wait=True)
        self.assertEqual(peer.ok("wait", pass_=number)["state"], "cancelled")

    def test_S13_a_command_killed_from_outside_fails_by_that_signal(self):
        supervisor = self.start_with("c: { command: 'echo $$ >> pids; while :; do sleep 600; done' }")
        os.kill(int(supervisor.until_lines("pids", 1)[0]), signal.SIGKILL)
        self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", cause={"kind": "signal", "signal": "SIGKILL"})


if __name__ == "__main__":
    unittest.main()
