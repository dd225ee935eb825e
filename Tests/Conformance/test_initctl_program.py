"""initctl as a program: signals, a full or newer supervisor, misleading arguments, and its requests to a supervisor."""

import os
import pty
import select
import signal
import socket
import subprocess
import threading
import time
import unittest

from deadlines import DEADLINE, until
from fake import STATUS, FakeSupervisor
from supervisor import FAST, INITCTL, Conformance, is_running

ACTIVE = {"name": "a", "priority": "appActive"}
PASSED_ON = [
    *(signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGVTALRM),
    *(signal.SIGPROF, signal.SIGIO, signal.SIGPWR, signal.SIGXCPU, signal.SIGWINCH, signal.SIGCONT, signal.SIGURG, 34, 64),
]
TELLING = f"""
import signal
signals = {[int(number) for number in PASSED_ON]}
signal.pthread_sigmask(signal.SIG_BLOCK, signals)
print("up", flush=True)
while True:
    print(signal.sigwaitinfo(signals).si_signo, flush=True)
"""


def unignore():
    """Gives every signal its default action, because the tests may inherit ignored ones, e.g. from `nohup`."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)


class Faking(Conformance):
    def fake(self, answer):
        supervisor = FakeSupervisor(os.path.join(self.directory(), "s"), answer)
        self.addCleanup(supervisor.close)
        return supervisor


class SignalTests(Conformance):
    def test_run_forwards_every_signal_and_ends_after_its_command(self):
        supervisor = self.start_fast()
        program = supervisor.start_ctl("run", "--", "python3", "-c", TELLING, preexec_fn=unignore)
        self.assertEqual(program.line(), "up")
        for number in PASSED_ON:
            with self.subTest(number):
                program.signal(number)
                self.assertEqual(program.line(), str(int(number)))
        program.signal(signal.SIGXFSZ)
        self.assertEqual(supervisor.peer().status()["holds"], 1)
        self.assertIsNone(program.process.poll())
        program.signal(16)  # SIGSTKFLT, which has no handler.
        self.assertEqual(program.wait(), 128 + 16)

    def test_ignored_signals_stay_ignored(self):
        supervisor = self.start_fast()
        os.mkfifo(supervisor.file("gate"))
        script = f'trap "" HUP USR1; exec {INITCTL} --socket {supervisor.path} run -- sh -c "echo up; read x < gate; exit 7"'
        program = self.program(["sh", "-c", script], cwd=supervisor.directory)
        self.assertEqual(program.line(), "up")
        program.signal(signal.SIGHUP)
        program.signal(signal.SIGUSR1)
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")
        self.assertStatus(program.finish(), 7)

    def test_a_command_that_a_signal_ended_is_128_and_its_number(self):
        supervisor = self.start_fast()
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, 34, 40, 64):
            with self.subTest(number):
                finished = supervisor.ctl("run", "--", "bash", "-c", f"kill -{int(number)} $$; sleep 600")
                self.assertStatus(finished, 128 + number)

    def test_run_ends_when_the_app_is_deactivated_before_it_is_ready(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(ACTIVE)
        program = supervisor.start_ctl("run", "--", "echo", "started")
        run = worker.expect_run("a")
        # Once the program waits, it has subscribed.
        until(lambda: "lifecycle" not in program.err.decode() and supervisor.peer().status()["holds"] == 1, "the hold")
        supervisor.peer().ok("deactivate")
        run.expect_cancel("deactivated").stopped()
        finished = self.assertStatus(program.finish(), 1)
        self.assertEqual(finished.out, "")
        self.assertIn("cannot run echo: the app was deactivated before it was ready", finished.err)

    def test_watch_restores_the_terminal_when_any_signal_ends_it(self):
        supervisor = self.start_fast()
        for number in (signal.SIGUSR1, signal.SIGALRM, signal.SIGTERM, 34):
            with self.subTest(number):
                picture = Picture(self, supervisor.path)
                picture.until(b"lifecycle")
                picture.process.send_signal(number)
                picture.until(b"\x1b[?25h\x1b[?1049l")
                self.assertEqual(picture.process.wait(DEADLINE), -number)

    def test_watch_draws_everything_anew_when_the_window_is_resized(self):
        picture = Picture(self, self.start_fast().path)
        picture.until(b"lifecycle")
        picture.process.send_signal(signal.SIGWINCH)
        picture.until(b"lifecycle", 2)
        self.assertEqual(picture.seen.count(b"\x1b[2J"), 2)


class Picture:
    """`initctl watch` on a terminal."""

    def __init__(self, test, path):
        self.terminal, theirs = pty.openpty()
        test.addCleanup(os.close, self.terminal)
        self.process = subprocess.Popen([INITCTL, "--socket", path, "watch"], stdin=theirs, stdout=theirs, stderr=theirs)
        test.addCleanup(self.process.wait)
        test.addCleanup(self.process.kill)
        self.seen = b""
        os.close(theirs)

    def until(self, text, count=1):
        """Reads until the terminal has received `text` this many times."""
        end = time.monotonic() + DEADLINE
        while self.seen.count(text) < count:
            assert select.select([self.terminal], [], [], max(0, end - time.monotonic()))[0], f"no {text} in {self.seen}"
            self.seen += os.read(self.terminal, 1 << 16)


class FullTests(Faking):
    def test_connect_timeout_waits_for_a_free_connection(self):
        supervisor = self.start_fast("--limit", "connections=1")
        # The supervisor's own user has a few extra connections.
        held = [supervisor.peer() for _ in range(17)]
        self.assertIn("connections", self.assertStatus(supervisor.ctl("status"), 1).err)
        program = supervisor.start_ctl("status", "--connect-timeout", "60s")
        self.assertStatus(supervisor.ctl("status", "--connect-timeout", "1s"), 1)  # By now the other program has also tried.
        self.assertIsNone(program.process.poll())
        held.pop().close()
        self.assertStatus(program.finish(), 0)

    def test_connect_timeout_waits_if_the_backlog_is_full(self):
        path = os.path.join(self.directory(), "s")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
            listener.bind(path)
            listener.listen(0)
            waiting = []
            try:
                while True:
                    waiting.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
                    self.addCleanup(waiting[-1].close)
                    waiting[-1].setblocking(False)
                    waiting[-1].connect(path)
            except BlockingIOError:
                pass
            self.assertStatus(self.initctl("--socket", path, "status"), 69)
            began = time.monotonic()
            self.assertStatus(self.initctl("--socket", path, "status", "--connect-timeout", "2s"), 69)
            self.assertGreater(time.monotonic() - began, 2)
            program = self.program([INITCTL, "--socket", path, "status", "--connect-timeout", "60s"])
            os.unlink(path)
        self.start(self.manifest(), directory=os.path.dirname(path), socket_path=path)
        self.assertStatus(program.finish(), 0)


class WorkerTests(Conformance):
    def registered(self, supervisor, name):
        peer = supervisor.peer()
        until(lambda: any(e["name"] == name and e["available"] for e in peer.status()["initializers"]), f"{name} provided")
        return peer

    def test_it_kills_a_command_that_doesnt_exit_within_the_grace_period(self):
        supervisor = self.start("version: 1\ncancelGrace: 60s\n", "--activate")
        supervisor.start_ctl(
            "worker", "w", "--priority", "appActive", "--", "bash", "-c", "trap '' TERM; echo $$ >> pids; while :; do sleep 0.1; done", cwd=supervisor.directory
        )
        child = int(supervisor.until_lines("pids", 1)[0])
        peer = supervisor.peer()
        began = time.monotonic()
        peer.ok("deactivate")
        self.assertTrue(is_running(child))
        peer.call("deactivate", {"wait": True}, deadline=30)
        self.assertFalse(is_running(child))
        self.assertGreater(time.monotonic() - began, 4.5)

    def test_a_second_signal_kills_at_once(self):
        # Both signals are pending when the program continues. The first signal alone would send SIGTERM to the command, which writes that
        # it got it.
        supervisor = self.start("version: 1\ncancelGrace: 60s\n")
        program = supervisor.start_ctl(
            "worker", "w", "--", "bash", "-c", "trap 'echo told >> seen' TERM; echo $$ >> seen; while :; do sleep 0.1; done", cwd=supervisor.directory
        )
        child = int(supervisor.until_lines("seen", 1)[0])
        for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
            program.signal(number)
        program.wait()
        self.assertFalse(is_running(child))
        self.assertEqual(supervisor.lines("seen"), [str(child)])

    def test_its_command_gets_no_variables_of_an_enclosing_run(self):
        supervisor = self.start("version: 1\ninitializers: { x: { command: 'echo 7 > $INITD_OUTPUT' } }", "--no-launch")
        around = {
            "INITD_INPUT_OTHER": "1", "INITD_INPUT_X": "of another", "INITD_OUTPUT": "/nowhere/output", "INITD_RUN": "99", "INITD_INITIALIZER": "around",
            "INITD_PASS": "98", "INITD_PHASE": "other", "INITD_ATTEMPT": "97", "NOTIFY_SOCKET": "/nowhere/notify", "LISTEN_FDS": "1", "LISTEN_PID": "1",
            "WATCHDOG_USEC": "1", "HOME": "/kept",
        }
        supervisor.start_ctl("worker", "w", "--dependency", "x", "--", "sh", "-c", "env > got; mv got environment", cwd=supervisor.directory, env=around)
        peer = self.registered(supervisor, "w")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", initializer="w")["state"], "complete")
        got = dict(line.split("=", 1) for line in supervisor.lines("environment"))
        self.assertEqual((got["INITD_INPUT_X"], got["INITD_INITIALIZER"], got["INITD_PHASE"], got["HOME"]), ("7", "w", "launch", "/kept"))
        self.assertEqual((got["INITD_PASS"], got["INITD_ATTEMPT"], got["INITD_SOCKET"]), ("1", "1", supervisor.path))
        self.assertNotIn(got["INITD_OUTPUT"], around.values())
        self.assertNotIn(got["NOTIFY_SOCKET"], around.values())
        self.assertEqual([name for name in got if name.startswith(("INITD_INPUT_OTHER", "LISTEN", "WATCHDOG"))], [])


class ReasonTests(Conformance):
    def test_the_reason_shows_only_the_lines_of_that_run(self):
        supervisor = self.start_with(
            "i: { command: 'test $INITD_ATTEMPT = 3 || echo from attempt $INITD_ATTEMPT; exit 3', retry: { attempts: 3, delay: 1ms } }\n"
            "j: { command: 'echo from pass $INITD_PASS; exit 4', priority: appActive }",
            "--no-launch",
        )
        finished = self.assertStatus(supervisor.ctl("launch", "--wait"), 1)
        self.assertIn("exit status 3", finished.err)
        self.assertNotIn("from attempt", finished.err)
        supervisor = self.start_with("j: { command: 'echo from pass $INITD_PASS; exit 4', priority: appActive }")
        for _ in range(2):
            number = supervisor.peer().ok("activate")["pass"]
            finished = self.assertStatus(supervisor.ctl("wait", "active"), 1)
            self.assertEqual([line.strip() for line in finished.err.splitlines() if "from pass" in line], [f"j | from pass {number}"])


class NameTests(Conformance):
    def test_a_mistyped_name_is_64_with_a_suggestion(self):
        supervisor = self.start_with("favorites: { command: 'true' }\nmigrate: { command: 'true' }")
        for words, meant in (
            (["wait", "favorits"], "favorites"), (["wait", "Migrate"], "migrate"), (["wait", "lanuch"], "launch"), (["wait", "redy"], "ready"),
            (["logs", "migrat"], "migrate"), (["logs", "migrat", "--follow"], "migrate"),
        ):
            with self.subTest(words):
                finished = self.assertStatus(supervisor.ctl(*words), 64)
                self.assertEqual(finished.err, f'initctl: no initializer or process is named "{words[1]}"; did you mean "{meant}"?\n')
                self.assertEqual(finished.out, "")
        self.assertIn("--appear", self.assertStatus(supervisor.ctl("wait", "something-else"), 64).err)
        self.assertIn("initctl status", self.assertStatus(supervisor.ctl("logs", "something-else"), 64).err)
        self.assertStatus(supervisor.ctl("wait", "favorits", "--appear", "--timeout", "50ms"), 124)


class ArgumentTests(Conformance):
    def test_control_characters_are_printed_escaped(self):
        trick = "\x1b]0;x\x07\r\nforged"
        path = os.path.join(self.directory(), "s")
        for words, status in (
            ([trick], 64), (["status", trick], 64), (["status", "--" + trick], 64), (["wait", trick], 64), (["wait", "--timeout", trick], 64),
            (["watch", trick], 64), (["worker", trick, "--", "true"], 64), (["worker", "a", "--priority", trick, "--", "true"], 64),
            (["logs", trick], 64), (["--socket", path + trick, "status"], 69),
        ):
            with self.subTest(words):
                finished = self.assertStatus(self.initctl(*words, env={"INITD_SOCKET": path}), status)
                self.assertFalse({"\x1b", "\x07", "\r"} & set(finished.out + finished.err), finished)
                self.assertFalse([line for line in (finished.out + finished.err).splitlines() if line.startswith("forged")], finished)
        supervisor = self.start_fast()
        finished = self.assertStatus(supervisor.ctl("run", "--", trick), 127)
        self.assertNotIn("\x1b", finished.err)


LATER = STATUS | {
    "lifecycle": "dozing", "launch": {"state": "paused\r", "pass": 1}, "later": {},
    "composite": {"state": "failed", "error": {"code": "vetoed", "by": "policy", "initializer": "i", "message": "the policy says no"}},
    "initializers": [
        {"name": "i", "priority": "appIdle", "dependencies": [], "provider": "wasm", "available": True, "status": "skipped\x1b", "phase": "idle", "later": 1},
        {"name": "j", "priority": "appLaunch", "dependencies": [], "provider": "command", "available": True, "status": "failed",
         "error": {"code": "initializerFailed", "initializer": "j", "cause": {"kind": "evicted"}, "message": "j was evicted"}},
    ],
}
EVENTS = [
    {"seq": 2, "time": 1.0, "topic": "weather\x1b", "sun": True},
    {"seq": 3, "time": 1.0, "topic": "pass", "pass": 1, "phase": "idle", "status": "suspended"},
    {"seq": 4, "time": 1.0, "topic": "log", "initializer": "i", "run": 1, "stream": "journal", "line": "a line"},
    {"seq": 5, "time": 1.0, "topic": "initializer", "initializer": LATER["initializers"][0]},
    {"seq": 6, "time": 1.0, "topic": "state", "changed": ["weather"]} | {name: LATER[name] for name in ("launch", "active", "composite", "lifecycle")},
]


class NewerTests(Faking):
    """Starts a supervisor of a later version: unknown words are shown unchanged, and cause no error."""

    def answer(self, method, params):
        return {
            "status": LATER,
            "subscribe": {"snapshot": LATER, "later": 1},
            "wait": {"state": "paused", "later": 1} if (params or {}).get("for") == "launch" else LATER["composite"],
            "activate": {"pass": 3, "active": {"state": "paused"}, "launch": {"state": "paused"}},
            "launch": {"pass": 3, "launch": {"state": "paused"}},
            "logs": {"lines": [EVENTS[2]]},
            "history": {"passes": []},
            "reload": {"added": [], "changed": [], "removed": [], "unchanged": 1},
        }[method]

    def test_status_shows_unknown_words(self):
        supervisor = self.fake(self.answer)
        finished = self.assertStatus(self.initctl("--socket", supervisor.path, "status"), 0)
        for text in ("dozing", "paused\\r (pass 1)", "failed", "skipped\\u{1B}", "wasm", "idle", "j was evicted"):
            self.assertIn(text, finished.out)
        self.assertNotIn("\x1b", finished.out)

    def test_watch_continues_after_unknown_events(self):
        supervisor = self.fake(self.answer)
        for words, lines in (
            ([], ["weather\\u{1B}", "idle pass 1 is suspended", "log i | a line", " i is skipped\\u{1B}", "state weather"]),
            (["--json"], ['"sun": true', '"phase": "idle"', '"stream": "journal"', '"status": "skipped\\u001b"', '"changed": ["weather"]']),
        ):
            with self.subTest(words):
                program = self.program([INITCTL, "--socket", supervisor.path, "watch", *words])
                for _ in range(1 if words else 3):
                    program.line()  # The snapshot.
                for event, text in zip(EVENTS, lines):
                    supervisor.event(**event)
                    line = program.line()
                    self.assertIn(text.replace(" ", ""), line.replace(" ", ""))
                self.assertIsNone(program.process.poll())

    def test_wait_and_other_commands_report_it_with_their_own_status(self):
        supervisor = self.fake(self.answer)
        for words, status, text in (
            (["wait", "launch"], 1, "launch is paused"), (["wait"], 1, "the policy says no"), (["launch"], 0, ""), (["activate"], 0, ""),
            (["logs"], 0, ""),
        ):
            with self.subTest(words):
                self.assertIn(text, self.assertStatus(self.initctl("--socket", supervisor.path, *words), status).err)

    def test_a_wait_that_is_never_answered_is_124_soon_after_its_timeout(self):
        supervisor = self.fake(lambda method, params: None)
        finished = self.assertStatus(self.initctl("--socket", supervisor.path, "wait", "--timeout", "100ms"), 124)
        self.assertIn("no answer within 2.1 s", finished.err)

    def test_shutdown_ends_when_the_supervisor_has_exited(self):
        gone = threading.Event()

        def go():
            gone.set()
            supervisor.close()

        def answer(method, params):
            threading.Timer(0.5, go).start()
            return {}

        supervisor = self.fake(answer)
        self.assertStatus(self.initctl("--socket", supervisor.path, "shutdown"), 0)
        self.assertTrue(gone.is_set())

    def test_run_releases_its_hold_before_it_ends(self):
        answers = {
            "activate": {"pass": 1, "active": {"state": "complete"}, "launch": {"state": "complete"}}, "subscribe": {"snapshot": STATUS},
            "wait": {"state": "complete"}, "release": {},
        }
        supervisor = self.fake(lambda method, params: answers[method])
        self.assertStatus(self.initctl("--socket", supervisor.path, "run", "--", "sh", "-c", "exit 5"), 5)
        self.assertEqual(supervisor.asked["release"], 1)

    def test_an_error_code_that_it_does_not_know_is_1(self):
        supervisor = self.fake(lambda method, params: Exception({"code": -32099, "message": "the moon is wrong", "data": {"code": "moon", "phase": 3}}))
        finished = self.assertStatus(self.initctl("--socket", supervisor.path, "status"), 1)
        self.assertEqual(finished.err, "initctl: the moon is wrong\n")


class AskingTests(Faking):
    RUNNING = {"name": "i", "priority": "appLaunch", "dependencies": [], "provider": "command", "available": True, "status": "running", "run": 1, "started": 0.0}

    def test_a_screen_and_a_pipe_never_request_the_status(self):
        status = STATUS | {"initializers": [self.RUNNING]}
        supervisor = self.fake(lambda method, params: {"subscribe": {"snapshot": status}, "status": status, "history": {"passes": []}}[method])
        picture = Picture(self, supervisor.path)
        picture.until(b"running")
        for seq in range(2, 20):
            supervisor.event(seq=seq, time=1.0, topic="initializer", initializer=self.RUNNING | {"progress": {"message": f"message {seq}"}})
        picture.until(b"message 19")
        self.assertEqual(supervisor.asked["status"], 0)

        program = self.program([INITCTL, "--socket", supervisor.path, "watch"])
        for _ in range(2):
            program.line()
        supervisor.event(seq=30, time=1.0, topic="pass", **{"pass": 1, "phase": "launch", "status": "complete"})
        self.assertIn("launch pass 1 is complete", program.line())
        self.assertEqual(supervisor.asked["status"], 0)


if __name__ == "__main__":
    unittest.main()
