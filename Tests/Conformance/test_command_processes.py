"""Tests the processes of commands: their pids, their output while they run, and the reports if they must be killed."""

import os
import re
import signal

from deadlines import until
from supervisor import Conformance

STUBBORN = "trap '' TERM; echo $$ >> pids; echo asking; echo no answer >&2; while :; do sleep 0.02; done"
KILLED = "it didn't exit within 300 ms of SIGTERM (cancelGrace), so it was killed with SIGKILL"


class PidTests(Conformance):
    def test_a_command_that_runs_has_a_pid_in_the_status_and_in_events_and_no_longer(self):
        supervisor = self.start_with("a: { command: 'echo $$ >> pids; until test -e go; do sleep 0.02; done' }", "--no-launch")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer"])
        peer = supervisor.peer()
        peer.ok("launch")
        [pid] = map(int, supervisor.until_lines("pids"))
        started = watcher.events_until(lambda event: "pid" in event["initializer"])
        self.assertEqual([each["initializer"]["status"] for each in started], ["waiting", "running", "running"])
        self.assertEqual(started[-1]["initializer"]["pid"], pid)
        self.assertEqual(peer.status()["initializers"], [started[-1]["initializer"]])
        self.write(supervisor.file("go"), "")
        ended = watcher.events_until(lambda event: event["initializer"]["status"] == "complete")
        self.assertTrue(all("pid" not in each["initializer"] for each in ended))
        self.assertNotIn("pid", peer.status()["initializers"][0])

    def test_status_and_why_show_the_process_of_a_hanging_command_and_its_last_lines(self):
        supervisor = self.start_with("a: { command: 'echo $$ >> pids; seq 5; sleep 600' }")
        [pid] = supervisor.until_lines("pids")
        until(lambda: len(supervisor.peer().ok("logs")["lines"]) == 5, "its output")
        self.assertRegex(supervisor.ctl("status").out, rf"\na +running +command +launch +[0-9.]+ m?s +pid {pid}\n")
        self.assertRegex(supervisor.ctl("status").out.splitlines()[0], rf"NOT READY: a has been running for .*: pid {pid}; initctl wait")
        told = supervisor.ctl("why", "a")
        self.assertEqual(told.status, 2)
        self.assertRegex(told.out, rf"^a has been running for [0-9.]+ m?s: pid {pid}\n   a \| 3\n   a \| 4\n   a \| 5\n$")
        [node] = supervisor.ctl("why", "a", "--json").json()
        self.assertEqual((node["pid"], node["output"]), (int(pid), ["3", "4", "5"]))
        [shape] = supervisor.ctl("status", "--json").json()[0]["initializers"]
        self.assertEqual(shape["pid"], int(pid))

    def test_the_process_of_a_stop_command_is_not_its_initializers(self):
        """The start and end of a process aren't reported like those of a run."""
        supervisor = self.start(
            self.manifest(
                """
                a: { command: 'true', stop: 'echo stopping; echo $$ >> pids; until test -e go; do sleep 0.02; done' }
                b: { command: 'true', stop: 'echo why not >&2; exit 3', dependencies: [a] }
                """
            )
        )
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer"])
        peer.ok("shutdown")
        [pid] = supervisor.until_lines("pids")
        [a, b] = peer.status()["initializers"]
        self.assertEqual([("pid" in each, each["status"]) for each in (a, b)], [(False, "complete")] * 2)
        self.write(supervisor.file("go"), "")
        self.assertEqual([each["topic"] for each in watcher.events_until(lambda event: event["topic"] == "shutdown")], ["shutdown"])
        self.assertEqual(supervisor.ended(), 0)
        log = supervisor.program.err.decode()
        ending = log.split("shutting down")[1]
        self.assertIn(f": the stop command of a started, pid {pid}\n", ending)
        self.assertIn(": the stop command of a is complete\n", ending)
        self.assertIn("warning: the stop command of b failed: exit status 3\n", ending)
        self.assertIn("warning: b | why not\n", ending)
        for told in (": a started", ": b started"):
            self.assertNotIn(told, ending)


class KillTests(Conformance):
    def test_a_command_that_ignores_sigterm_says_so_in_the_log_and_beside_its_error(self):
        supervisor = self.start_with(f'a: {{ command: "{STUBBORN}", timeout: 1s }}')
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        [pid] = supervisor.until_lines("pids")
        status = peer.status()
        [shown] = status["initializers"]
        error = shown["error"]
        self.assertEqual((error["message"], error["cause"]), ("a failed: timed out after 1 s", {"kind": "timeout", "after": 1}))
        self.assertEqual(shown["killed"], KILLED)
        self.assertEqual(status["launch"]["error"], error, "the pass failed with this error, before the command was killed (S8)")
        self.assertRegex(supervisor.ctl("why", "a").out, rf"^a failed .* ago: timed out after 1 s; {re.escape(KILLED)}; fix it")
        supervisor.program.pump()
        log = supervisor.program.err.decode()
        self.assertIn(f"warning: a (pid {pid}) is killed with SIGKILL: it didn't exit within 300 ms of SIGTERM (cancelGrace)\n", log)
        self.assertRegex(log, rf"warning: a failed after .*: timed out after 1 s; {re.escape(KILLED)}\n")

    def test_a_command_that_exits_in_time_was_not_killed(self):
        supervisor = self.start_with("a: { command: 'sleep 600', timeout: 100ms }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        [shown] = peer.status()["initializers"]
        self.assertEqual(shown["error"]["message"], "a failed: timed out after 100 ms")
        self.assertNotIn("killed", shown)
        supervisor.program.pump()
        self.assertNotIn("SIGKILL", supervisor.program.err.decode())

    def test_a_command_that_somebody_else_killed_says_so(self):
        supervisor = self.start_with("a: { command: 'echo $$ >> pids; exec sleep 600' }")
        [pid] = map(int, supervisor.until_lines("pids"))
        os.kill(pid, signal.SIGKILL)
        error = supervisor.peer().ok("wait", for_="launch")["error"]
        self.assertEqual(error["message"], "a failed: killed by SIGKILL, not by initd: perhaps the kernel's OOM killer")
        self.assertEqual(error["cause"], {"kind": "signal", "signal": "SIGKILL"})

    def test_whatever_is_killed_at_shutdown_is_a_warning_with_the_grace_period_that_was_over(self):
        """A command, a stop command, a kept process, the app and a process that a command has left."""
        directory = self.directory()
        stubborn = "trap '' TERM; echo $$ >> pids-NAME; while :; do sleep 0.02; done"
        self.write(os.path.join(directory, "left"), stubborn.replace("NAME", "left"))
        words = [stubborn.replace("NAME", name) for name in ("run", "stop", "kept", "app")]
        manifest = f"""\
version: 1
cancelGrace: 300ms
stopTimeout: 300ms
initializers:
  left: {{ command: "setsid sh ./left > /dev/null 2>&1 & until test -e pids-left; do sleep 0.02; done" }}
  stopped: {{ command: 'true', stop: "{words[1]}" }}
  late: {{ command: "if test $INITD_PASS = 3; then {words[0]}; fi", priority: appActive, dependencies: [left, stopped] }}
workers:
  kept: {{ command: "{words[2]}" }}
"""
        path = self.write(os.path.join(directory, "init.yaml"), manifest)
        supervisor = self.start(None, "--config", path, "--", "sh", "-c", words[3], directory=directory, cwd=directory)
        supervisor.until_lines("pids-app")
        supervisor.until_lines("pids-kept")
        self.assertEqual(supervisor.peer().ok("activate")["pass"], 3)
        supervisor.until_lines("pids-run")
        supervisor.peer().ok("shutdown")
        supervisor.ended()
        pids = {name: supervisor.lines(f"pids-{name}")[0] for name in ("run", "stop", "kept", "app", "left")}
        log = supervisor.program.err.decode()
        for name, title in (("run", "late"), ("stop", "the stop command of stopped"), ("kept", "process kept"), ("app", "the app")):
            reason = "is killed with SIGKILL: it didn't exit within 300 ms of SIGTERM (cancelGrace)"
            self.assertIn(f"warning: {title} (pid {pids[name]}) {reason}\n", log)
        self.assertIn(f"warning: sh (pid {pids['left']}) is killed with SIGKILL: no exit within 300 ms of SIGTERM (cancelGrace)\n", log)
        self.assertIn("warning: the stop command of stopped failed: timed out after 300 ms (stopTimeout)\n", log)
        self.assertNotIn("not by initd", log)
