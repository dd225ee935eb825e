"""everyday.md "Processes, by that name": `healthy`.

`healthy: { http: …, every: 10s, tries: 3, tryTimeout: 5s, onFailure: restart }` (and `owner: any`): after a process is ready, the supervisor
goes on checking it. After `tries` failures in a row it is unhealthy. `watchdog` isn't tested here.
"""

import contextlib
import os
import signal
import socket
import sys
import textwrap
import unittest

from deadlines import DEADLINE, until
from supervisor import is_running
from test_ready import STOPS_LATE, TIDY
from test_stop_start import USER, StopStartCase
from test_wait_for import bound

SERVE = """
import contextlib, os, socket, sys, time

kind, place = sys.argv[1:]

def listener():
    if kind == "unix":
        with contextlib.suppress(FileNotFoundError):
            os.unlink(place)
        made = socket.socket(socket.AF_UNIX)
        made.bind(place)
        made.listen()
    else:
        made = socket.create_server(("127.0.0.1", int(place)))
    made.settimeout(0.01)
    return made

server = None
while True:
    if kind != "http" and os.path.exists("sick"):
        if server:
            server.close()
            server = None
        time.sleep(0.01)
        continue
    server = server or listener()
    open("up", "w").close()
    with contextlib.suppress(OSError, IndexError):
        with server.accept()[0] as connection:
            if kind == "http":
                connection.settimeout(5)
                with open("checks", "a") as file:
                    file.write(connection.recv(4096).split()[1].decode() + "\\n")
                status = b"503 Sick" if os.path.exists("sick") else b"200 OK"
                connection.sendall(b"HTTP/1.1 " + status + b"\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
"""
"""`SERVE KIND PLACE` answers until the file `sick` exists: `http`, which logs each path, answers 503 then; the others stop listening."""

STARTS = "rm -f sick; echo start >> starts; echo > up; exec sleep 1000"
"""A process that a start heals."""
GATE = "{ command: 'test -e gate && test ! -e sick', every: 10ms }"
"""It isn't ready before a start has healed it, so no check fails too early."""
CHECK = "command: 'echo check >> checks; test -e sick || exit 0; echo bad >> bad; exit 7', every: 20ms"
"""A check that fails while the file `sick` exists, and counts itself."""
HANGS = "command: 'echo $$ >> hung; exec sleep 1000', every: 20ms, tryTimeout: 60s"
CLOCK = "clock: { command: [sleep, '1000'], ready: { path: / }, healthy: { command: 'echo tick >> ticks', every: 20ms } }"
"""A healthy process whose checks are the time of the tests that something doesn't happen."""
TALKS = "echo start >> starts; echo > up; while :; do sleep 0.02; done"
"""A process whose shell runs traps."""


class HealthyCase(StopStartCase):
    def setUp(self):
        super().setUp()
        self.fresh()

    def fresh(self):
        """A new directory for the next supervisor."""
        self.home = self.directory()
        self.write(os.path.join(self.home, "serve.py"), SERVE)

    def begin(self, processes, initializers="", head="", *arguments, **options):
        """A supervisor with these processes."""
        text = "version: 1\ncancelGrace: 2s\n" + textwrap.dedent(head)
        text += "processes:\n" + textwrap.indent(textwrap.dedent(processes).strip("\n"), "  ") + "\n"
        if initializers:
            text += "initializers:\n" + textwrap.indent(textwrap.dedent(initializers).strip("\n"), "  ") + "\n"
        return self.start(text, *arguments, directory=self.home, **options)

    def web(self, healthy=CHECK, more="", command=STARTS, ready=GATE):
        """A process with this `healthy`, which is started again soon. `more` are other keys."""
        text = command if command.startswith("[") else f'"{command}"'
        more = more if "backoff" in more else f"{more}, backoff: {{ delay: 10ms }}".lstrip(", ")
        parts = [f"command: {text}", f"ready: {ready}" if ready else "", f"healthy: {{ {healthy} }}" if healthy else "", more]
        return f"web: {{ {', '.join(filter(None, parts))} }}"

    def ready(self, processes, initializers="", head="", *arguments, **options):
        """A supervisor whose processes are ready, because the file `gate` exists, and have reached their line `start`; and a client."""
        supervisor, peer = super().ready(processes, initializers, head, *arguments, **options)
        if ">> starts" in processes:
            supervisor.until_lines("starts")
        return supervisor, peer

    def server(self, kind, place):
        return f"[{sys.executable}, serve.py, {kind}, '{place}']"

    def targets(self):
        """Each kind: the command of a process, its target, and a pattern for the failure. It is sick when `make_sick` says so."""
        port, other = self.port(), self.port()
        yield "http", self.server("http", port), f"http: 'http://127.0.0.1:{port}/'", "503"
        yield "tcp", self.server("tcp", other), f"tcp: '127.0.0.1:{other}'", "refused"
        yield "unix", self.server("unix", "web.sock"), "unix: web.sock", "refused|web.sock"
        yield "path", "echo > well; echo > up; exec sleep 1000", "path: well", "well"
        yield "command", "echo > up; exec sleep 1000", "command: 'test -e sick && exit 7; true'", "exit status 7"

    def make_sick(self, supervisor):
        self.open(supervisor, "sick")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(supervisor.file("well"))

    def heal(self, supervisor):
        os.unlink(supervisor.file("sick"))
        self.open(supervisor, "well")

    def until_unhealthy(self, peer, name="web"):
        return self.until_process(peer, name, lambda each: "unhealthy" in each, f"that {name} is unhealthy")

    def until_well(self, peer):
        """Waits until launch is complete and no process is unhealthy."""
        return until(
            lambda: (found := peer.status())["launch"]["state"] == "complete" and not any("unhealthy" in each for each in found["processes"]) and found,
            "a complete launch of healthy processes")

    def until_another(self, peer, pid):
        """Waits until the process has been started again, and returns its new id."""
        return self.until_process(peer, "web", lambda each: each.get("pid", pid) != pid, "another process")["pid"]

    def until_more(self, supervisor, name, count):
        """Waits until a file has this many lines more."""
        return supervisor.until_lines(name, len(supervisor.lines(name)) + count)

    def watcher(self, supervisor):
        """A client that is told each change of a process."""
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["worker"])
        return peer

    def assertNeverUnhealthy(self, watcher):
        watcher.alive()
        told = [each["params"].get("process", {}) for each in watcher.inbox if each.get("method") == "event"]
        self.assertEqual([each for each in told if "unhealthy" in each], [])

    def assertNoMoreChecks(self, supervisor, name="checks"):
        """The clock's checks go on, and a check that was in flight may count."""
        self.until_more(supervisor, "ticks", 3)
        count = len(supervisor.lines(name))
        self.until_more(supervisor, "ticks", 10)
        self.assertEqual(len(supervisor.lines(name)), count)

    def assertUnready(self, supervisor):
        self.assertStatus(supervisor.ctl("wait", "ready", "--timeout", "200ms"), 124)


class TargetTests(HealthyCase):
    """A target of its own; without one, it checks what `ready` does."""

    def check_target(self, healthy, command, ready, failure):
        supervisor = self.begin(self.web(f"{healthy}every: 20ms, tries: 2, onFailure: report", command=command, ready=ready))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        pid = self.pid(peer, "web")
        self.assertNotIn("unhealthy", self.process(peer, "web"))
        self.make_sick(supervisor)
        self.until_unhealthy(peer)
        self.until_state(peer, "launch", "pending")
        self.assertRegex(self.assertStatus(supervisor.ctl("why"), 2).out, failure)
        self.heal(supervisor)
        self.until_well(peer)
        self.assertEqual(self.pid(peer, "web"), pid)

    def test_it_has_a_target_of_its_own(self):
        for kind, command, target, failure in self.targets():
            with self.subTest(kind):
                self.fresh()
                self.check_target(f"{target}, ", command, "{ path: up, every: 10ms }", failure)

    def test_without_one_it_checks_what_ready_does(self):
        for kind, command, target, failure in self.targets():
            with self.subTest(kind):
                self.fresh()
                self.check_target("", command, f"{{ {target}, every: 10ms }}", failure)

    def test_one_whose_ready_can_not_be_checked_again_is_checked_by_a_target_of_its_own(self):
        notifies = self.write(
            os.path.join(self.home, "notify.py"),
            "import os,socket,time; s=socket.socket(1,2); s.connect(os.environ['NOTIFY_SOCKET']); s.send(b'READY=1'); time.sleep(1000)\n")
        for ready, command in (
            ("{ line: hello }", "echo hello; exec sleep 1000"),
            ("{ notify: true }", f"[{sys.executable}, {notifies}]"),
            ("started", "exec sleep 1000"),
            ("", "exec sleep 1000"),
        ):
            with self.subTest(ready):
                self.fresh()
                supervisor = self.begin(self.web(f"{CHECK}, onFailure: report", command=command, ready=ready))
                peer = supervisor.peer()
                supervisor.until_lines("checks", 2)
                self.assertStatus(supervisor.ctl("wait", "ready", "--timeout", "10s"), 0)
                self.make_sick(supervisor)
                self.until_unhealthy(peer)
                self.assertUnready(supervisor)
                self.heal(supervisor)
                self.until_well(peer)
                self.assertStatus(supervisor.ctl("wait", "ready", "--timeout", "10s"), 0)

    def test_the_command_runs_in_the_environment_of_the_process(self):
        os.mkdir(os.path.join(self.home, "inside"))
        seen = os.path.join(self.home, "seen")
        supervisor = self.begin(
            self.web(
                f"command: 'echo \"$MODE $INITD_INPUT_TOKEN $PWD\" >> {seen}', every: 20ms",
                "environment: { MODE: x }, workingDirectory: inside, dependencies: [token]", ready=f"{{ path: {self.home}/gate, every: 10ms }}"),
            "token: { command: 'printf secret > $INITD_OUTPUT' }")
        self.open(supervisor)
        self.assertEqual(supervisor.until_lines("seen")[0], f"x secret {self.home}/inside")

    def test_its_values_take_outputs_and_ports(self):
        supervisor, peer = self.ready(
            self.web(
                "http: 'http://127.0.0.1:${ports.web}/${outputs.token}', every: 20ms, tries: 2, onFailure: report",
                "dependencies: [token]", f"[{sys.executable}, serve.py, http, '${{ports.web}}']", "{ path: up, every: 10ms }"),
            "token: { command: 'printf health > $INITD_OUTPUT' }", "ports: { web: auto }\n")
        self.assertEqual(set(supervisor.until_lines("checks", 3)), {"/health"})
        self.assertNotIn("unhealthy", self.process(peer, "web"))
        self.make_sick(supervisor)
        self.until_unhealthy(peer)


class OwnerTests(HealthyCase):
    """Who may answer is as for `ready`."""

    def stranger(self):
        """A socket of this test that listens, and its port."""
        stream = bound()
        self.addCleanup(stream.close)
        stream.listen()
        stream.settimeout(DEADLINE)
        return stream, stream.getsockname()[1]

    def test_an_answer_of_another_process_is_a_failure(self):
        _, port = self.stranger()
        supervisor, peer = self.ready(self.web(f"tcp: '127.0.0.1:{port}', every: 20ms, onFailure: report"))
        self.until_unhealthy(peer)
        self.assertRegex(supervisor.ctl("why").out, rf"answered by .+ \(pid {os.getpid()}\), not by web")

    def test_it_is_an_answer_with_owner_any(self):
        for healthy, ready in (
            ("tcp: '127.0.0.1:PORT', owner: any, every: 20ms, tries: 1", GATE),
            ("every: 20ms, tries: 1", "{ tcp: '127.0.0.1:PORT', owner: any, every: 10ms }"),
        ):
            with self.subTest(healthy):
                self.fresh()
                stream, port = self.stranger()
                supervisor = self.begin(self.web(healthy.replace("PORT", str(port)), ready=ready.replace("PORT", str(port))))
                self.write(supervisor.file("gate"), "")
                peer, watcher = supervisor.peer(), self.watcher(supervisor)
                for _ in range(6):
                    stream.accept()[0].close()
                self.until_state(peer, "launch", "complete")
                self.assertNeverUnhealthy(watcher)
                self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_one_whose_port_is_taken_by_another_process_is_unhealthy(self):
        port = self.port()
        supervisor = self.begin(
            self.web("every: 20ms, onFailure: report", command=self.server("tcp", port), ready=f"{{ tcp: '127.0.0.1:{port}', every: 10ms }}"))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        self.make_sick(supervisor)
        self.until_unhealthy(peer)
        stranger = socket.create_server(("127.0.0.1", port))
        self.addCleanup(stranger.close)
        until(lambda: f"(pid {os.getpid()}), not by web" in supervisor.ctl("why").out, "the last failure")
        self.assertIn("unhealthy", self.process(peer, "web"))


class TriesTests(HealthyCase):
    """After `tries` failures in a row it is unhealthy."""

    def test_so_many_failures_make_it_unhealthy(self):
        """One that is given up isn't checked any more, so the number of failures stays."""
        for text, count in ((", tries: 1", 1), (", tries: 2", 2), ("", 3), (", tries: 5", 5)):
            with self.subTest(text):
                self.fresh()
                supervisor, peer = self.ready(f"{self.web(CHECK + text, 'restart: never')}\n{CLOCK}")
                self.make_sick(supervisor)
                self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
                self.assertNoMoreChecks(supervisor, "bad")
                self.assertEqual(len(supervisor.lines("bad")), count)

    def test_fewer_change_nothing_and_a_success_begins_again(self):
        """Two of three checks fail."""
        supervisor, peer = self.ready(
            self.web("command: 'echo check >> checks; test $(($(wc -l < checks) % 3)) = 0', every: 20ms, tries: 3"),
            "after: { command: echo after >> order, dependencies: [web] }")
        before = peer.status()
        watcher = self.watcher(supervisor)
        self.until_more(supervisor, "checks", 15)
        self.assertNeverUnhealthy(watcher)
        after = peer.status()
        self.assertEqual((after["launch"], after["processes"][0]["pid"]), (before["launch"], before["processes"][0]["pid"]))
        self.assertEqual((supervisor.lines("starts"), supervisor.lines("order")), (["start"], ["after"]))
        self.assertEqual(peer.initializer("web")["run"], 1)

    def test_a_check_that_hangs_is_killed_and_is_a_failure(self):
        hangs = HANGS.replace("60s", "500ms, tries: 2")
        supervisor, peer = self.ready(f"{self.web(hangs, 'restart: never')}\n{CLOCK}")
        self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
        self.assertNoMoreChecks(supervisor, "hung")
        self.assertEqual(len(supervisor.lines("hung")), 2)
        for each in supervisor.lines("hung"):
            self.assertFalse(is_running(int(each)))

    def test_why_says_that_a_check_hung(self):
        supervisor, peer = self.ready(self.web("command: [sleep, '77'], every: 20ms, tries: 2, tryTimeout: 200ms, onFailure: report"))
        self.until_unhealthy(peer)
        self.assertIn("sleep 77 didn't exit within 200 ms", supervisor.ctl("why").out)

    def test_none_is_started_while_the_last_is_under_way(self):
        supervisor, peer = self.ready(self.web("command: 'echo begin >> checks; sleep 0.15; echo end >> checks', every: 10ms"))
        lines = supervisor.until_lines("checks", 10)
        self.assertEqual(lines[:10], ["begin", "end"] * 5)

    def test_a_hanging_check_is_alone(self):
        supervisor, peer = self.ready(f"{self.web(HANGS)}\n{CLOCK}")
        supervisor.until_lines("hung")
        self.until_more(supervisor, "ticks", 10)
        self.assertEqual(len(supervisor.lines("hung")), 1)
        self.assertNotIn("unhealthy", self.process(peer, "web"))

    def test_a_process_that_half_hangs_is_noticed(self):
        """The system accepts connections for a stopped process, which answers none."""
        port = self.port()
        supervisor = self.begin(
            self.web(
                "every: 20ms, tries: 2, tryTimeout: 500ms", "stopTimeout: 200ms", self.server("http", port),
                f"{{ http: 'http://127.0.0.1:{port}/', every: 10ms }}"))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        pid = self.pid(peer, "web")
        os.kill(pid, signal.SIGSTOP)
        self.until_another(peer, pid)
        self.until_well(peer)
        self.assertFalse(is_running(pid))


class WhenTests(HealthyCase):
    """Checks start only after it is ready; there is none while it starts or is stopped."""

    def test_none_before_it_is_ready(self):
        supervisor = self.begin(f"{self.web()}\n{CLOCK}")
        supervisor.until_lines("starts")
        self.until_more(supervisor, "ticks", 10)
        self.assertEqual(supervisor.lines("checks"), [])
        self.open(supervisor)
        supervisor.until_lines("checks", 3)
        self.until_state(supervisor.peer(), "launch", "complete")

    def test_none_while_it_starts_again(self):
        supervisor, peer = self.ready(f"{self.web()}\n{CLOCK}")
        self.close_gate(supervisor)
        self.make_sick(supervisor)
        supervisor.until_lines("starts", 2)
        self.assertNoMoreChecks(supervisor)
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.open(supervisor)
        self.until_well(peer)
        self.until_more(supervisor, "checks", 3)

    def test_none_while_it_waits_for_its_backoff(self):
        supervisor, peer = self.ready(f"{self.web(more='restart: always, backoff: { delay: 10m, maxDelay: 10m }')}\n{CLOCK}")
        os.kill(self.pid(peer, "web"), signal.SIGKILL)
        self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
        self.assertNoMoreChecks(supervisor)

    def test_none_while_somebody_stops_it_and_after(self):
        supervisor, peer = self.ready(f"{self.web(command=STOPS_LATE.replace('gate', 'end') + TALKS, more='stopTimeout: 60s')}\n{CLOCK}")
        supervisor.until_lines("checks")
        client = supervisor.start_ctl("stop", "web")
        self.assertEqual(supervisor.until_lines("order"), ["asked"])
        self.assertNoMoreChecks(supervisor)
        self.open(supervisor, "end")
        self.assertEqual(self.assertStatus(client.finish(), 0).out, "web stopped\n")
        self.assertNoMoreChecks(supervisor)
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_more(supervisor, "checks", 3)

    def test_they_take_no_place_of_concurrency(self):
        supervisor = self.begin(self.web(), "slow: { command: 'until test -e go; do sleep 0.02; done', dependencies: [web] }", "concurrency: 1\n")
        self.open(supervisor)
        peer = supervisor.peer()
        peer.until_initializer("slow", "running")
        self.until_more(supervisor, "checks", 5)
        self.open(supervisor, "go")
        self.until_state(peer, "launch", "complete")

    def test_a_supervisor_that_was_suspended_does_not_find_it_unhealthy_at_once(self):
        """Alone, or with the process, as on a laptop that sleeps."""
        for together in (False, True):
            with self.subTest(together=together):
                self.fresh()
                port = self.port()
                supervisor = self.begin(
                    self.web(
                        "every: 50ms, tries: 3, tryTimeout: 500ms", "", self.server("http", port),
                        f"{{ http: 'http://127.0.0.1:{port}/', every: 20ms }}")
                    + "\nbeats: { command: 'while :; do echo beat >> beats; sleep 0.05; done' }")
                peer, watcher = supervisor.peer(), self.watcher(supervisor)
                self.until_state(peer, "launch", "complete")
                pid = self.pid(peer, "web")
                self.until_more(supervisor, "checks", 3)
                pids = [supervisor.pid] + [pid] * together
                try:
                    for each in pids:
                        os.kill(each, signal.SIGSTOP)
                    self.until_more(supervisor, "beats", 20)
                finally:
                    for each in reversed(pids):
                        os.kill(each, signal.SIGCONT)
                self.until_more(supervisor, "checks", 6)
                self.assertNeverUnhealthy(watcher)
                self.assertEqual((self.pid(peer, "web"), self.process(peer, "web")["restarts"]), (pid, 0))
                self.assertEqual(peer.status()["launch"]["state"], "complete")


class ReportTests(HealthyCase):
    """`report` only says so; one success ends it."""

    def sick(self, more="", initializers="", healthy=CHECK):
        """A supervisor whose process is unhealthy, and a client."""
        supervisor, peer = self.ready(self.web(f"{healthy}, onFailure: report", more), initializers)
        self.make_sick(supervisor)
        self.until_unhealthy(peer)
        return supervisor, peer

    def test_the_app_is_not_ready_until_a_check_succeeds(self):
        supervisor, peer = self.sick(initializers="after: { command: echo after >> order, dependencies: [web] }")
        self.until_state(peer, "launch", "pending")
        self.assertUnready(supervisor)
        self.heal(supervisor)
        self.until_well(peer)
        self.assertStatus(supervisor.ctl("wait", "ready", "--timeout", "10s"), 0)
        self.assertStatus(supervisor.ctl("why"), 0)
        self.assertEqual((supervisor.lines("starts"), supervisor.lines("order")), (["start"], ["after"]))

    def test_who_waits_for_it_is_answered_when_it_is_healthy_again(self):
        supervisor, peer = self.sick()
        id = peer.request("wait", {"for": "ready"})
        self.until_more(supervisor, "bad", 2)
        peer.alive()
        self.assertEqual(peer.inbox, [])
        self.heal(supervisor)
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_it_is_never_restarted(self):
        supervisor, peer = self.sick("restart: always")
        pid = self.pid(peer, "web")
        self.until_more(supervisor, "bad", 10)
        found = self.process(peer, "web")
        self.assertEqual((found["pid"], found["restarts"], found["givenUp"]), (pid, 0, False))
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_why_and_status_say_for_how_long_and_the_failure(self):
        supervisor, peer = self.sick()
        for words, status in ((["why"], 2), (["why", "web"], 2), (["status"], 0)):
            with self.subTest(words):
                out = self.assertStatus(supervisor.ctl(*words), status).out
                self.assertRegex(out, r"\bunhealthy\b.*\b\d[\d.]* (?:ms|s|min)\b")
                self.assertIn("exit status 7", out)

    def test_the_failure_is_the_last_one(self):
        supervisor, peer = self.sick(healthy="command: 'test -e sick || exit 0; test -e worse && exit 8; exit 7', every: 20ms")
        self.assertIn("exit status 7", supervisor.ctl("why").out)
        self.open(supervisor, "worse")
        until(lambda: "exit status 8" in supervisor.ctl("why").out, "the last failure")
        self.assertNotIn("exit status 7", supervisor.ctl("why").out)

    def test_the_log_says_so(self):
        supervisor, peer = self.sick()
        supervisor.program.until_err("unhealthy")
        self.until_more(supervisor, "bad", 5)
        supervisor.program.pump()
        [line] = [each for each in supervisor.program.err.decode().splitlines() if "unhealthy" in each]
        self.assertIn("web", line)

    def test_the_topic_worker_tells_each_change(self):
        supervisor, peer = self.ready(self.web(f"{CHECK}, onFailure: report"))
        watcher = self.watcher(supervisor)
        self.make_sick(supervisor)
        watcher.take(lambda each: "unhealthy" in each.get("params", {}).get("process", {}), "that it is unhealthy")
        watcher.inbox.clear()
        self.heal(supervisor)
        watcher.take(lambda each: "unhealthy" not in each.get("params", {}).get("process", {"unhealthy": 0}), "that it is healthy")

    def test_it_can_become_unhealthy_again(self):
        supervisor, peer = self.sick()
        for _ in range(2):
            self.heal(supervisor)
            self.until_well(peer)
            self.make_sick(supervisor)
            self.until_unhealthy(peer)

    def test_a_crash_ends_it(self):
        supervisor, peer = self.sick("restart: always")
        pid = self.pid(peer, "web")
        os.kill(pid, signal.SIGKILL)
        self.until_another(peer, pid)
        self.until_well(peer)

    def test_stop_and_start_and_restart_take_it(self):
        supervisor, peer = self.sick()
        self.stop(supervisor, "web")
        self.assertStopped(peer, "web")
        self.assertNotIn("unhealthy", self.process(peer, "web"))
        self.assertIn(f"web was stopped by {USER}", supervisor.ctl("why").out)
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_well(peer)
        supervisor.until_lines("starts", 2)
        self.make_sick(supervisor)
        pid = self.until_unhealthy(peer)["pid"]
        self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0)
        self.until_well(peer)
        self.assertNotEqual(self.pid(peer, "web"), pid)
        self.assertEqual(self.process(peer, "web")["restarts"], 0)

    def test_a_shutdown_ends_it(self):
        supervisor, peer = self.sick()
        pid = self.pid(peer, "web")
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(pid))


class RestartTests(HealthyCase):
    """`restart` (default) stops it and starts it by its policy."""

    def test_it_is_stopped_and_started_and_is_ready_again(self):
        """Whatever its exit status is."""
        for healthy, more, command in (
            (CHECK, "", STARTS),
            (f"{CHECK}, onFailure: restart", "restart: always", STARTS),
            (CHECK, "restart: onFailure", f"{TIDY}rm -f sick; {TALKS}"),
        ):
            with self.subTest(healthy, more=more, command=command):
                self.fresh()
                supervisor, peer = self.ready(self.web(healthy, more, command), "after: { command: echo after >> order, dependencies: [web] }")
                pid = self.pid(peer, "web")
                self.make_sick(supervisor)
                self.until_another(peer, pid)
                self.assertEqual(supervisor.until_lines("starts", 2), ["start"] * 2)
                self.until_well(peer)
                self.assertFalse(is_running(pid))
                self.assertStatus(supervisor.ctl("wait", "ready", "--timeout", "10s"), 0)
                self.until_more(supervisor, "checks", 5)
                self.assertEqual((supervisor.lines("starts"), supervisor.lines("order")), (["start"] * 2, ["after"]))

    def test_its_stopSignal_is_used(self):
        supervisor, peer = self.ready(
            self.web(more="stopSignal: INT, stopTimeout: 60s", command=f"trap 'echo int >> order; exit 0' INT; trap '' TERM; rm -f sick; {TALKS}"))
        self.make_sick(supervisor)
        supervisor.until_lines("starts", 2)
        self.assertEqual(supervisor.lines("order"), ["int"])

    def test_it_is_killed_after_its_stopTimeout(self):
        supervisor, peer = self.ready(self.web(more="stopTimeout: 300ms", command=f"trap '' TERM; rm -f sick; {TALKS}"))
        pid = self.pid(peer, "web")
        self.make_sick(supervisor)
        self.until_another(peer, pid)
        supervisor.program.until_err("is killed with SIGKILL: it didn't exit within 300 ms of SIGTERM (stopTimeout)")
        self.until_well(peer)

    def test_its_backoff_holds(self):
        supervisor, peer = self.ready(self.web(more="restart: always, backoff: { delay: 10m, maxDelay: 10m }"))
        self.make_sick(supervisor)
        self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
        self.assertUnready(supervisor)
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_well(peer)

    def test_one_that_is_never_healthy_is_given_up(self):
        self.write(os.path.join(self.home, "gate"), "")
        supervisor = self.begin(self.web("path: nowhere, every: 20ms, tries: 1"), "", "", "--limit", "workerBurst=2")
        peer = supervisor.peer()
        found = self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
        self.assertNotIn("pid", found)
        self.assertNotEqual(peer.status()["launch"]["state"], "complete")

    def test_one_that_is_never_restarted_is_stopped_and_given_up(self):
        supervisor, peer = self.ready(self.web(more="restart: never"))
        pid = self.pid(peer, "web")
        self.make_sick(supervisor)
        found = self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
        self.assertFalse({"pid", "nextStart"} & found.keys(), found)
        self.assertFalse(is_running(pid))
        self.assertNotEqual(peer.status()["launch"]["state"], "complete")
        self.assertIn("unhealthy", supervisor.ctl("why", "web").out)
        self.assertEqual(supervisor.lines("starts"), ["start"])
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_well(peer)

    def test_onRestart_holds(self):
        for option, count in (("onRestart: ignore", 1), ("onRestart: rerun", 2)):
            with self.subTest(option):
                self.fresh()
                supervisor, peer = self.ready(self.web(more=option), "after: { command: echo after >> order, dependencies: [web] }")
                self.make_sick(supervisor)
                supervisor.until_lines("starts", 2)
                supervisor.until_lines("order", count)
                self.until_well(peer)
                self.assertEqual(supervisor.lines("order"), ["after"] * count)

    def stopping(self):
        """A supervisor that has asked the unhealthy process to end, which it does once the file `end` exists."""
        supervisor, peer = self.ready(
            f"{self.web(more='stopTimeout: 60s', command=STOPS_LATE.replace('gate', 'end') + 'rm -f sick; ' + TALKS)}\n{CLOCK}")
        self.make_sick(supervisor)
        self.assertEqual(supervisor.until_lines("order"), ["asked"])
        return supervisor, peer

    def test_while_it_is_stopped_the_app_is_not_ready_and_no_check_is_started(self):
        supervisor, peer = self.stopping()
        self.assertUnready(supervisor)
        self.assertNoMoreChecks(supervisor)
        # A success doesn't come any more, and nobody asks the process again.
        os.unlink(supervisor.file("sick"))
        self.assertNoMoreChecks(supervisor)
        self.assertEqual(supervisor.lines("order"), ["asked"])
        self.open(supervisor, "end")
        supervisor.until_lines("starts", 2)
        self.until_well(peer)

    def test_a_stop_while_it_is_stopped_keeps_it_stopped(self):
        supervisor, peer = self.stopping()
        client = supervisor.start_ctl("stop", "web")
        self.until_process(peer, "web", lambda each: "stoppedBy" in each, "the request")
        self.open(supervisor, "end")
        self.assertEqual(self.assertStatus(client.finish(), 0).out, "web stopped\n")
        self.until_more(supervisor, "ticks", 5)
        self.assertStopped(peer, "web")
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_a_shutdown_while_it_is_stopped_does_not_start_it_again(self):
        supervisor, peer = self.stopping()
        peer.ok("shutdown")
        self.open(supervisor, "end")
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual((supervisor.lines("order"), supervisor.lines("starts")), (["asked", "ended"], ["start"]))


class LeftoverTests(HealthyCase):
    """Nothing is left behind."""

    def test_a_check_in_flight_ends_with_what_it_checks(self):
        def crash(supervisor, peer):
            pid = self.pid(peer, "web")
            os.kill(pid, signal.SIGKILL)
            self.until_another(peer, pid)

        def shutdown(supervisor, peer):
            peer.ok("shutdown")
            self.assertEqual(supervisor.ended(), 0)

        def remove(supervisor, peer):
            self.edit(supervisor, f"  {web}\n", "")
            self.assertEqual(peer.ok("reload")["removed"], ["web"])

        def remove_healthy(supervisor, peer):
            self.edit(supervisor, f", healthy: {{ {HANGS} }}", "")
            peer.ok("reload")

        web = self.web(HANGS, "restart: always")
        for name, end in {
            "crash": crash,
            "shutdown": shutdown,
            "stop": lambda supervisor, peer: self.stop(supervisor, "web"),
            "restart": lambda supervisor, peer: self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0),
            "a reload without the process": remove,
            "a reload without healthy": remove_healthy,
        }.items():
            with self.subTest(name):
                self.fresh()
                supervisor, peer = self.ready(f"{web}\n{CLOCK}")
                check = int(supervisor.until_lines("hung")[0])
                end(supervisor, peer)
                until(lambda: not is_running(check), "the end of the check")

    def test_what_a_hanging_check_has_started_is_killed_with_it(self):
        supervisor, peer = self.ready(
            self.web("command: 'sleep 1000 & echo $! >> children; wait', every: 20ms, tryTimeout: 500ms, onFailure: report"))
        for child in supervisor.until_lines("children", 2)[:2]:
            until(lambda: not is_running(int(child)), "the end of the grandchild")


class ReloadTests(HealthyCase):
    """A changed `healthy` holds from the next check on, and restarts nothing."""

    def reload(self, supervisor, old, new):
        self.edit(supervisor, old, new)
        return self.assertStatus(supervisor.ctl("reload"), 0).out

    def check_reload(self, old, new, check):
        """A reload that changes `healthy` only. `check` gets the supervisor and the client before and after."""
        supervisor, peer = self.ready(f"{self.web(old)}\n{CLOCK}", "after: { command: echo after >> order, dependencies: [web] }")
        pid = self.pid(peer, "web")
        web, changed = self.web(old), self.web(new)
        next(steps := check(supervisor, peer))
        self.edit(supervisor, web, changed)
        self.assertIn("~ web (healthy)\n", self.assertStatus(supervisor.ctl("reload", "--dry-run"), 0).out)
        self.assertIn("~ web (healthy)\n", self.assertStatus(supervisor.ctl("reload"), 0).out)
        next(steps, None)
        self.assertEqual((self.pid(peer, "web"), self.process(peer, "web")["restarts"]), (pid, 0))
        self.assertEqual(peer.status()["launch"]["state"], "complete")
        self.assertEqual((supervisor.lines("starts"), supervisor.lines("order")), (["start"], ["after"]))

    def test_another_command_is_run(self):
        def check(supervisor, peer):
            supervisor.until_lines("old")
            yield
            supervisor.until_lines("new", 2)
            self.assertNoMoreChecks(supervisor, "old")

        self.check_reload("command: 'echo old >> old', every: 20ms", "command: 'echo new >> new', every: 20ms", check)

    def test_without_it_no_check_is_started(self):
        def check(supervisor, peer):
            supervisor.until_lines("checks", 2)
            yield
            self.assertNoMoreChecks(supervisor)

        self.check_reload(CHECK, "", check)

    def test_it_can_be_added(self):
        def check(supervisor, peer):
            yield
            supervisor.until_lines("checks", 3)

        self.check_reload("", CHECK, check)

    def test_an_unhealthy_one_is_ready_when_healthy_is_removed(self):
        def check(supervisor, peer):
            self.make_sick(supervisor)
            self.until_unhealthy(peer)
            yield
            self.until_well(peer)

        self.check_reload(f"{CHECK}, onFailure: report", "", check)

    def test_other_tries_count_from_the_next_check_on(self):
        def check(supervisor, peer):
            self.make_sick(supervisor)
            supervisor.until_lines("bad", 5)
            self.assertNotIn("unhealthy", self.process(peer, "web"))
            yield
            self.until_unhealthy(peer)
            self.heal(supervisor)
            self.until_well(peer)

        self.check_reload(f"{CHECK}, tries: 1000, onFailure: report", f"{CHECK}, tries: 2, onFailure: report", check)

    def test_without_a_target_it_checks_the_new_ready(self):
        supervisor, peer = self.ready(self.web("every: 20ms, onFailure: report", ready="{ path: gate, every: 10ms }"))
        pid = self.pid(peer, "web")
        self.assertIn("~ web (ready)\n", self.reload(supervisor, "path: gate", "path: other"))
        self.until_unhealthy(peer)
        self.assertRegex(supervisor.ctl("why").out, r"\bother\b")
        self.open(supervisor, "other")
        self.until_well(peer)
        self.assertEqual(self.pid(peer, "web"), pid)


class MistakeTests(HealthyCase):
    def check(self, text):
        path = self.write(os.path.join(self.home, "init.yaml"), f"version: 1\nprocesses:\n  a: {text}\n")
        return self.initd("--check", path)

    def assertMistake(self, text, *words):
        with self.subTest(text):
            done = self.assertStatus(self.check(text), 65)
            self.assertRegex(done.err, r"init.yaml:\d+:\d+: .+; .+")
            for word in words:
                self.assertIn(word, done.err)

    def test_the_manifest_is_good(self):
        for text in (
            "{ command: x, ready: { path: y }, healthy: { every: 10s, tries: 3, tryTimeout: 5s, onFailure: restart } }",
            "{ command: x, ready: { tcp: 'a:1' }, healthy: { http: 'http://a/', every: 1h, tries: 1, onFailure: report, owner: any } }",
            "{ command: x, ready: { http: 'http://a/', status: 204, owner: any }, healthy: { tryTimeout: 1s } }",
            "{ command: x, ready: { unix: a.sock }, healthy: { unix: b.sock } }",
            "{ command: x, ready: { command: [y, z] }, healthy: { tcp: 'a:1' } }",
            "{ command: x, ready: { line: a }, healthy: { command: [y, z] } }",
            "{ command: x, ready: { notify: true }, healthy: { command: y } }",
            "{ command: x, ready: started, healthy: { path: y } }",
            "{ command: x, healthy: { path: y } }",
            "{ command: x, ready: { path: y }, healthy: { every: 1s }, restart: never, stopSignal: INT, stopTimeout: 1s, onRestart: rerun }",
        ):
            with self.subTest(text):
                self.assertStatus(self.check(text), 0)

    def test_without_anything_to_check_it_is_a_mistake(self):
        for ready in ("ready: { line: a }, ", "ready: { notify: true }, ", "ready: started, ", ""):
            self.assertMistake(f"{{ command: x, {ready}healthy: {{ every: 1s }} }}", "healthy")

    def test_wrong_values_are_mistakes(self):
        for healthy, word in {
            "every: 0s": "every",
            "every: soon": "every",
            "every: -1s": "every",
            "tryTimeout: 0s": "tryTimeout",
            "tryTimeout: [1s]": "tryTimeout",
            "tries: 0": "tries",
            "tries: -1": "tries",
            "tries: 1.5": "tries",
            "tries: some": "tries",
            "onFailure: stop": "report",
            "onFailure: Restart": "restart",
            "onFailure: [report]": "onFailure",
            "tcp: 'a:1', owner: me": "any",
        }.items():
            self.assertMistake(f"{{ command: x, ready: {{ path: y }}, healthy: {{ {healthy} }} }}", word)

    def test_wrong_keys_and_targets_are_mistakes(self):
        for healthy, word in {
            "tcp: 'a:1', path: y": "keep one of them",
            "command: z, http: 'http://a/'": "keep one of them",
            "http: 'https://a/'": "curl",
            "path: y, owner: any": "remove it",
            "tcp: nowhere": "tcp",
            "path: z, onFailur: report": 'did you mean "onFailure"?',
            "line: a": "line",
            "notify: true": "notify",
        }.items():
            self.assertMistake(f"{{ command: x, ready: {{ path: y }}, healthy: {{ {healthy} }} }}", word)
        for healthy in ("true", "started", "[every]", "10s"):
            self.assertMistake(f"{{ command: x, ready: {{ path: y }}, healthy: {healthy} }}", "healthy")

    def test_an_initializer_has_none(self):
        for body in ("command: x", "waitFor: { path: y }"):
            self.assertMistake(f"{{ command: x }}\ninitializers:\n  b: {{ {body}, healthy: {{ path: y }} }}", "healthy")


REPORTS = """
import os, socket, time
span = int(os.environ["WATCHDOG_USEC"])
reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
reports.connect(os.environ["NOTIFY_SOCKET"])
with open("span", "w") as file:
    print(span, int(os.environ["WATCHDOG_PID"]) == os.getpid(), file=file)
while True:
    if not os.path.exists("quiet"):
        reports.send(b"WATCHDOG=1")
    time.sleep(span / 1e6 / 10)
"""


class WaitTests(HealthyCase):
    def test_a_wait_for_an_unhealthy_process_waits_until_it_is_healthy(self):
        """After `tries` failures in a row it is `unhealthy`; one success ends it: `initctl wait web` waits for that."""
        for ready in ("", ", ready: started"):
            with self.subTest(ready):
                self.home = self.directory()
                supervisor = self.begin(
                    "web: { command: 'exec sleep 1000', healthy: { command: [test, '!', -e, sick], every: 20ms, tries: 1, onFailure: report }"
                    f"{ready} }}")
                peer = supervisor.peer()
                self.assertStatus(supervisor.ctl("wait", "web"), 0)
                self.write(supervisor.file("sick"), "")
                self.until_unhealthy(peer)
                self.assertStatus(supervisor.ctl("wait", "web", "--timeout", "50ms"), 124)
                client = supervisor.start_ctl("wait", "web")
                os.unlink(supervisor.file("sick"))
                self.assertStatus(client.finish(), 0)


class WatchdogTests(HealthyCase):
    """`healthy: { watchdog: 30s }`: as systemd's, `WATCHDOG=1` over `NOTIFY_SOCKET`."""

    def reporting(self, more=""):
        self.write(os.path.join(self.home, "reports.py"), REPORTS)
        supervisor = self.begin(f"web: {{ command: [{sys.executable}, reports.py], healthy: {{ watchdog: 1s{more} }} }}")
        supervisor.until_lines("span")
        return supervisor, supervisor.peer()

    def test_it_has_its_time_in_microseconds_and_its_pid(self):
        supervisor, _ = self.reporting()
        self.assertEqual(supervisor.lines("span"), ["1000000 True"])

    def test_one_that_reports_nothing_is_unhealthy_until_it_does(self):
        supervisor, peer = self.reporting(", onFailure: report")
        self.write(supervisor.file("quiet"), "")
        self.until_unhealthy(peer)
        self.assertIn("no WATCHDOG=1 within 1 s", supervisor.ctl("status").out)
        os.unlink(supervisor.file("quiet"))
        self.until_well(peer)

    def test_it_is_restarted(self):
        supervisor, peer = self.reporting()
        pid = self.process(peer, "web")["pid"]
        self.write(supervisor.file("quiet"), "")
        until(lambda: self.process(peer, "web").get("pid") not in (pid, None), "another process")


class InBetweenTests(HealthyCase):
    def test_a_restart_while_an_unhealthy_one_stops_wins(self):
        supervisor = self.begin(
            "web: { command: \"trap 'until test -e go; do sleep 0.01; done; exit 0' TERM; echo start >> starts; while :; do sleep 0.01; done\","
            " restart: never, stopTimeout: 60s, healthy: { command: [test, '!', -e, sick], every: 20ms, tries: 1 } }")
        supervisor.until_lines("starts")
        self.write(supervisor.file("sick"), "")
        peer = supervisor.peer()
        self.until_unhealthy(peer)
        os.unlink(supervisor.file("sick"))
        restart = supervisor.start_ctl("restart", "web")
        supervisor.program.until_err("process web is restarted by")
        self.write(supervisor.file("go"), "")
        self.assertStatus(restart.finish(), 0)
        supervisor.until_lines("starts", 2)
        self.assertNotIn("lastExit", self.process(peer, "web"))

    def test_one_without_ready_that_was_killed_leaves_the_app_unready(self):
        supervisor = self.begin(
            "web: { command: [sleep, '1000'], restart: never, healthy: { command: [test, '!', -e, sick], every: 20ms, tries: 1 } }")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        self.write(supervisor.file("sick"), "")
        until(lambda: self.process(peer, "web")["givenUp"], "the end of the process")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        os.unlink(supervisor.file("sick"))
        self.assertStatus(supervisor.ctl("start", "web"), 0)
        self.until_state(peer, "launch", "complete")


if __name__ == "__main__":
    unittest.main()
