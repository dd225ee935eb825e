"""initd's log: starts, failures and their causes, output of commands, and its members as JSON."""

import json
import os
import signal

from deadlines import until
from supervisor import INITD, Conformance, is_running


class LogCase(Conformance):
    def log(self, supervisor):
        """The whole log, from standard error, after an orderly end."""
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        supervisor.program.pump()
        return supervisor.program.err.decode()

    def messages(self, supervisor):
        """The lines of the log without their times."""
        return [line.split(" initd: ", 1)[1] for line in self.log(supervisor).splitlines()]

    def failed_launch(self, initializers, *arguments):
        supervisor = self.start_with(initializers, *arguments)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "failed")
        return supervisor


class RunTests(LogCase):
    def test_starts_are_logged_with_the_pid(self):
        supervisor = self.start_with("migrate: { command: 'echo $$ > pid' }\nw: { worker: true }")
        worker = supervisor.worker("w", name="api-worker")
        worker.expect_run("w").succeed()
        supervisor.peer().ok("wait", for_="launch")
        messages = self.messages(supervisor)
        self.assertIn(f"migrate started, pid {supervisor.lines('pid')[0]}", messages)
        self.assertTrue(any(each.startswith("w started, on ") and "api-worker" in each for each in messages), messages)

    def test_each_failed_attempt_is_logged_with_the_next_step(self):
        supervisor = self.failed_launch(
            "flags: { command: 'echo not reached; exit 22', retry: { attempts: 3, delay: 1ms, factor: 1, maxDelay: 1ms } }"
        )
        told = [each for each in self.messages(supervisor) if "flags" in each and "pass" not in each]
        for attempt, line in enumerate([each for each in told if "failed" in each], 1):
            again = "" if attempt == 3 else "; next attempt in 1 ms"
            self.assertRegex(line, f"^warning: flags: attempt {attempt} of 3 failed after [0-9.]+ m?s: exit status 22{again}$")
        kinds = [word for each in told for word in ("started", "failed", "|") if word in each.split(":")[-1] or f" {word} " in each]
        self.assertEqual(kinds, ["started", "failed", "|"] * 3, told)

    def test_a_single_attempt_is_logged_without_a_number(self):
        supervisor = self.failed_launch("flags: { command: 'exit 22' }")
        [line] = [each for each in self.messages(supervisor) if "failed after" in each]
        self.assertRegex(line, "^warning: flags failed after [0-9.]+ m?s: exit status 22$")

    def test_cancellations_are_logged_with_the_reason(self):
        supervisor = self.start(
            self.manifest(
                """
                tables: { command: 'until test -e slow; do sleep 0.01; done; exit 1', priority: appActive }
                slow: { command: 'test -e second || touch slow; exec sleep 600', priority: appActive }
                """
            ),
            "--concurrency", "2",
        )
        peer = supervisor.peer()
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "failed")
        os.rename(supervisor.file("slow"), supervisor.file("second"))
        peer.ok("activate")
        peer.ok("deactivate", wait=True)
        worker = supervisor.worker("gone", "late")
        run = worker.expect_run("gone")
        worker.call("unregister", {"names": ["gone"]})
        run.expect_cancel("unregistered").fail()
        late = worker.expect_run("late")
        peer.ok("shutdown")
        late.expect_cancel("shutdown").fail()
        self.assertEqual(supervisor.ended(), 0)
        supervisor.program.pump()
        told = [line.split(" initd: ", 1)[1] for line in supervisor.program.err.decode().splitlines() if " cancelled: " in line]
        self.assertEqual(told[0], "slow cancelled: tables failed first")
        self.assertEqual(set(told[1:3]), {"tables cancelled: the app was deactivated", "slow cancelled: the app was deactivated"})
        self.assertEqual(told[3:], ["gone cancelled: it was unregistered", "late cancelled: the supervisor is shutting down"])


class LastLinesTests(LogCase):
    def test_the_last_lines_of_a_failed_command_are_logged_though_a_turn_reads_fewer(self):
        """The supervisor reads the output and the exit in the same turn."""
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "gate"))
        supervisor = self.start_with("c: { command: 'echo $$ >> pids; read x < gate; seq 2000; exit 1' }", directory=directory)
        [pid] = map(int, supervisor.until_lines("pids"))
        supervisor.program.signal(signal.SIGSTOP)
        with open(os.path.join(directory, "gate"), "w") as gate:
            gate.write("go\n")
        until(lambda: not is_running(pid), "its end")
        supervisor.program.signal(signal.SIGCONT)
        supervisor.peer().ok("wait", for_="launch")
        lines = [each.split(" | ")[1] for each in self.messages(supervisor) if "c | " in each]
        self.assertEqual(lines, [str(number) for number in range(1991, 2001)])


class LeftBehindTests(LogCase):
    def test_processes_left_in_a_commands_group_are_logged_and_killed(self):
        supervisor = self.start_with("a: { command: 'sleep 600 & echo $! > pid; until grep -qs sleep /proc/$!/comm; do :; done' }")
        supervisor.peer().ok("wait", for_="launch")
        [pid] = map(int, supervisor.lines("pid"))
        until(lambda: not is_running(pid), "its end")
        [line] = [each for each in self.messages(supervisor) if "left processes" in each]
        self.assertEqual(
            line, f"warning: a left processes running, which were killed: sleep (pid {pid}); wait for them, or start them with setsid"
        )

    def test_only_the_first_of_many_are_named(self):
        supervisor = self.start_with("a: { command: 'for i in $(seq 25); do sleep 600 & done; exit 0' }")
        supervisor.peer().ok("wait", for_="launch")
        [line] = [each for each in self.messages(supervisor) if "left processes" in each]
        self.assertEqual(line.count("(pid "), 10)
        self.assertIn(" and 15 more;", line)

    def test_killed_processes_are_not_logged_again_at_the_end(self):
        """The process has so much memory that its end takes a while."""
        script = 'held = b"x" * (256 << 20); open("up", "w").write("x"); import time; time.sleep(600)'
        directory = self.directory()
        self.write(os.path.join(directory, "large.py"), script)
        supervisor = self.start_with("a: { command: 'python3 large.py & until test -s up; do :; done' }", directory=directory)
        supervisor.peer().ok("wait", for_="launch")
        [line] = [each for each in self.messages(supervisor) if "left processes" in each]
        self.assertIn("which were killed", line)

    def test_commands_that_waited_or_left_their_group_or_were_cancelled_are_not_logged(self):
        supervisor = self.start_with(
            """
            waited: { command: 'true & wait' }
            left: { command: "setsid sh -c 'echo x >> up; exec sleep 600' & until test -s up; do :; done; rm up" }
            told: { command: [sh, ./script], priority: appActive }
            """,
            directory=self.stubborn(),
        )
        peer = supervisor.peer()
        peer.ok("activate")
        [pid] = map(int, supervisor.until_lines("told"))
        peer.ok("deactivate", wait=True)
        until(lambda: not is_running(pid), "the end of what was killed")
        self.assertNotIn("which were killed", self.log(supervisor))

    def stubborn(self):
        """A directory with a script that exits on SIGTERM, and starts a process that doesn't."""
        directory = self.directory()
        script = "(trap : TERM; echo started > up; while :; do sleep 0.01; done) & trap 'exit 0' TERM; until test -s up; do :; done; echo $! >> told; while :; do sleep 0.01; done\n"
        self.write(os.path.join(directory, "script"), script)
        return directory

    def test_initctl_worker_logs_it_too(self):
        supervisor = self.start_fast()
        worker = supervisor.start_ctl("worker", "a", "--", "/bin/sh", "-c", "sleep 600 & until grep -qs sleep /proc/$!/comm; do :; done")
        self.assertEqual(supervisor.peer().ok("wait", initializer="a", appear=True)["state"], "complete")
        worker.until_err("a left processes running, which were killed: sleep (pid ")


class OutputTests(LogCase):
    INITIALIZERS = """
        good: { command: 'echo well done' }
        bad: { command: 'seq 30; echo no space >&2; exit 3', dependencies: [good] }
        """

    def shown(self, *arguments):
        supervisor = self.failed_launch(self.INITIALIZERS, *arguments)
        return [each.removeprefix("warning: ") for each in self.messages(supervisor) if " | " in each]

    def test_by_default_the_last_lines_of_failures_are_logged(self):
        for arguments in ([], ["--output", "failed"]):
            shown = self.shown(*arguments)
            self.assertEqual(len(shown), 10)
            self.assertLessEqual(set(shown), {f"bad | {number}" for number in range(20, 31)} | {"bad | no space"})
            self.assertIn("bad | no space", shown)

    def test_all_logs_every_line_at_any_level(self):
        for level in ("info", "critical"):
            shown = self.shown("--output", "all", "--log-level", level)
            self.assertEqual(sorted(shown), sorted(["good | well done", "bad | no space"] + [f"bad | {number}" for number in range(1, 31)]))

    def test_none_logs_no_lines_but_keeps_them(self):
        supervisor = self.failed_launch(self.INITIALIZERS, "--output", "none", "--log-level", "trace")
        lines = supervisor.peer().ok("logs", initializer="good")["lines"]
        self.assertEqual([each["line"] for each in lines], ["well done"])
        self.assertFalse([each for each in self.messages(supervisor) if "well done" in each or "no space" in each])

    def test_only_the_attempts_own_lines_are_shown(self):
        supervisor = self.failed_launch("a: { command: 'echo attempt $INITD_ATTEMPT; exit 1', retry: { attempts: 3, delay: 0 } }")
        shown = [each for each in self.messages(supervisor) if " | " in each]
        self.assertEqual(shown, [f"warning: a | attempt {number}" for number in (1, 2, 3)])

    def test_output_is_escaped(self):
        supervisor = self.failed_launch("a: { command: \"printf '\\\\033cx\\\\a\\\\n'; exit 1\" }")
        self.assertIn("a | \\u{1B}cx\\u{7}", self.log(supervisor))

    def test_output_for_a_terminal_is_plain_but_whole_in_its_member(self):
        initializers = "a: { command: \"printf '10%%\\\\r99%%\\\\n\\\\033[31mred\\\\033[0m\\\\n'; exit 1\" }"
        supervisor = self.failed_launch(initializers)
        self.assertEqual([each for each in self.messages(supervisor) if " | " in each], ["warning: a | 99%", "warning: a | red"])
        supervisor = self.failed_launch(initializers, "--log-format", "json")
        lines = [json.loads(each) for each in self.log(supervisor).splitlines()]
        shown = [(each["message"], each["line"]) for each in lines if each.get("event") == "output"]
        self.assertEqual(shown, [("a | 99%", "10%\\r99%"), ("a | red", "\\u{1B}[31mred\\u{1B}[0m")])

    def test_another_word_is_wrong_usage(self):
        for words in (["--output", "some"], ["--output"]):
            self.assertStatus(self.initd("--socket", os.path.join(self.directory(), "s"), *words), 64)


class JSONTests(LogCase):
    def test_lines_have_members_with_the_event_and_its_subject(self):
        supervisor = self.failed_launch(
            """
            good: { command: 'sleep 600 & exit 0' }
            flags: { command: 'echo "why \\"so\\""; exit 22', retry: { attempts: 2, delay: 0 }, dependencies: [good] }
            """,
            "--log-format", "json",
        )
        lines = [json.loads(line) for line in self.log(supervisor).splitlines()]
        for line in lines:
            self.assertEqual([type(line[name]) for name in ("time", "level", "message")], [float, str, str])
        more = ("pid", "pids", "duration", "cause", "nextAttempt", "stream", "line")
        told = [{name: value for name, value in line.items() if name not in ("time", "level", "message", *more)} for line in lines if "event" in line]
        good = {"initializer": "good", "pass": 1, "run": 1, "attempt": 1}
        self.assertEqual(
            told,
            [
                {"event": "passStarted", "pass": 1, "phase": "launch"},
                {"event": "runStarted", **good},
                {"event": "leftBehind", **good},
                {"event": "runComplete", **good},
            ]
            + [
                {"event": event, "initializer": "flags", "pass": 1, "run": attempt + 1, "attempt": attempt}
                for attempt in (1, 2)
                for event in ("runStarted", "runFailed", "output")
            ]
            + [{"event": "passFailed", "initializer": "flags", "pass": 1, "phase": "launch"}],
        )
        self.assertIn('flags | why "so"', [line["message"] for line in lines])
        wanted = {
            "runStarted": {"pid"}, "runComplete": {"pid", "duration"}, "runFailed": {"pid", "duration", "cause"}, "output": {"stream", "line"},
            "leftBehind": {"pids"}, "passFailed": {"duration", "cause"},
        }
        pids = {line["run"]: line["pid"] for line in lines if line.get("event") == "runStarted"}
        for line in lines:
            retried = {"nextAttempt"} if line.get("event") == "runFailed" and line["attempt"] == 1 else set()
            self.assertEqual(set(more) & set(line), wanted.get(line.get("event"), set()) | retried, line)
            if "pid" in line:
                self.assertEqual(line["pid"], pids[line["run"]])
            if line.get("event") == "runStarted":
                self.assertIn(f"pid {line['pid']}", line["message"])
            if "pids" in line:
                self.assertEqual([f"(pid {pid})" in line["message"] for pid in line["pids"]], [True])
            if "nextAttempt" in line:
                self.assertAlmostEqual(line["nextAttempt"], line["time"], delta=60)
            if "duration" in line:
                self.assertIsInstance(line["duration"], float)
            if "cause" in line:
                self.assertEqual(line["cause"], {"kind": "exit", "status": 22})
            if "line" in line:
                self.assertEqual((line["stream"], line["line"]), ("stdout", 'why "so"'))

    def test_what_stopped_a_run_and_how_a_process_ended_is_an_object(self):
        supervisor = self.failed_launch("late: { command: 'exec sleep 600', timeout: 100ms }", "--log-format", "json")
        [line] = [each for each in map(json.loads, self.log(supervisor).splitlines()) if each.get("event") == "runFailed"]
        self.assertEqual(line["cause"], {"kind": "timeout", "after": 0.1})
        supervisor = self.start("version: 1\nworkers:\n  w: { command: [sleep, '600'] }\n", "--log-format", "json")
        pid = until(lambda: supervisor.peer().status()["processes"][0].get("pid"), "the start")
        os.kill(pid, signal.SIGKILL)
        supervisor.program.until_err("processEnded")
        lines = [json.loads(line) for line in self.log(supervisor).splitlines()]
        [started, ended] = [line for line in lines if line.get("pid") == pid]
        self.assertEqual((started["event"], ended["event"], ended["cause"]), ("processStarted", "processEnded", {"kind": "signal", "signal": "SIGKILL"}))
        self.assertGreaterEqual(ended["duration"], 0)

    def test_passes_have_their_phase_and_ended_ones_their_duration(self):
        supervisor = self.start_with("a: { command: sleep 0.2 }\nb: { worker: true, priority: appActive }", "--activate", "--log-format", "json")
        supervisor.worker("b").expect_run("b")
        peer = supervisor.peer()
        (launch,) = peer.ok("history", pass_=1, summaries=True)["summaries"]
        peer.ok("deactivate")
        lines = [json.loads(line) for line in self.log(supervisor).splitlines()]
        passes = [line for line in lines if line.get("event", "").startswith("pass")]
        self.assertEqual(
            [(line["event"], line["pass"], line["phase"], "duration" in line) for line in passes],
            [
                ("passStarted", 1, "launch", False), ("passStarted", 2, "active", False), ("passComplete", 1, "launch", True),
                ("passCancelled", 2, "active", True),
            ],
        )
        self.assertAlmostEqual(passes[2]["duration"], launch["duration"], delta=0.001)

    def test_durations_are_rounded_in_the_message_only(self):
        supervisor = self.start_with(
            "a: { command: 'sleep 1.02; exit 3', retry: { attempts: 2, delay: 1m, factor: 1, maxDelay: 1m } }", "--log-format", "json")
        supervisor.program.until_err("runFailed")
        [line] = [each for each in map(json.loads, self.log(supervisor).splitlines()) if each.get("event") == "runFailed"]
        self.assertRegex(line["message"], r"^a: attempt 1 of 2 failed after [0-9]+(\.[0-9])? s: exit status 3; next attempt in ")
        self.assertGreaterEqual(line["duration"], 1.02)

    def test_kept_processes_have_name_and_number_of_the_start(self):
        manifest = "version: 1\nworkers:\n  w: { command: 'echo bye; exit 3', backoff: { delay: 1ms, factor: 1 } }\n"
        supervisor = self.start(manifest, "--log-format", "json", "--limit", "workerBurst=2")
        supervisor.program.until_err("processGivenUp")
        lines = [json.loads(line) for line in self.log(supervisor).splitlines()]
        told = [(line["event"], line["run"]) for line in lines if line.get("process") == "w"]
        self.assertEqual(told, [(event, run) for run in (1, 2) for event in ("processStarted", "processEnded", "output")] + [("processGivenUp", 2)])

    def test_every_line_of_output_has_its_run(self):
        supervisor = self.start_with("a: { command: 'echo one; echo two >&2' }", "--log-format", "json", "--output", "all")
        supervisor.peer().ok("wait", for_="launch")
        lines = [json.loads(line) for line in self.log(supervisor).splitlines()]
        shown = [line for line in lines if line.get("event") == "output"]
        self.assertEqual(sorted(line["message"] for line in shown), ["a | one", "a | two"])
        self.assertEqual(sorted((line["stream"], line["line"]) for line in shown), [("stderr", "two"), ("stdout", "one")])
        for line in shown:
            self.assertEqual([line[name] for name in ("initializer", "pass", "run", "attempt", "level")], ["a", 1, 1, 1, "info"])


class AppTests(LogCase):
    def test_processes_left_by_the_app_and_its_end_are_logged(self):
        directory = self.directory()
        program = self.program([INITD, "--socket", os.path.join(directory, "s"), "--", "/bin/sh", "-c", "sleep 600 & kill -TERM $$"])
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        program.pump()
        log = program.err.decode()
        self.assertIn("the app was terminated by SIGTERM", log)
        self.assertRegex(log, r"the app left processes running, which were killed: \w+ \(pid [0-9]+\)")
