"""manifest.md, processes in the graph (S32): `ready` and its relatives, from outside."""

import contextlib
import os
import re
import signal
import socket
import sys
import textwrap
import threading
import unittest

from deadlines import until
from supervisor import INITCTL, Conformance, is_running
from test_wait_for import bound

LISTEN = """
import socket, sys, time, os, signal
port, gate = int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else ""
while gate and not os.path.exists(gate):
    time.sleep(0.01)
server = socket.create_server(("127.0.0.1", port), reuse_port=False)
print("listening", flush=True)
while True:
    server.accept()[0].close()
"""
"""A server: `LISTEN PORT [FILE]` listens once the file exists."""


class ReadyCase(Conformance):
    def setUp(self):
        super().setUp()
        self.home = self.directory()
        self.write(os.path.join(self.home, "listen.py"), LISTEN)

    def write_server(self):
        """A directory of its own that has `listen.py`."""
        directory = self.directory()
        self.write(os.path.join(directory, "listen.py"), LISTEN)
        return directory

    def port(self):
        stream = bound()
        port = stream.getsockname()[1]
        stream.close()
        return port

    def begin(self, workers, initializers="", head="", *arguments, **options):
        """A supervisor with these workers, whose directory has `listen.py`."""
        patience = "" if "registrationTimeout" in head else "registrationTimeout: 2s\n"
        text = "version: 1\ncancelGrace: 2s\n" + patience + textwrap.dedent(head)
        workers = workers.replace("$INITCTL", INITCTL)
        text += "workers:\n" + textwrap.indent(textwrap.dedent(workers).strip("\n"), "  ") + "\n"
        if initializers:
            text += "initializers:\n" + textwrap.indent(textwrap.dedent(initializers).strip("\n"), "  ") + "\n"
        return self.start(text, *arguments, directory=self.home, **options)

    def server(self, port, gate=""):
        return f"[{sys.executable}, listen.py, '{port}'{', ' + gate if gate else ''}]"

    def open(self, supervisor, name="gate"):
        with open(supervisor.file(name), "w"):
            pass

    def process(self, peer, name):
        return next(each for each in peer.status()["processes"] if each["name"] == name)

    def until_process(self, peer, name, condition, what):
        return until(lambda: condition(found := self.process(peer, name)) and found, what)

    def until_message(self, peer, name, pattern):
        return until(
            lambda: re.search(pattern, found := peer.initializer(name).get("progress", {}).get("message", "")) and found,
            f"a message {pattern} of {name}")

    def until_state(self, peer, phase, state):
        return until(lambda: peer.status()[phase]["state"] == state and peer.status()[phase], f"{phase} {state}")


class ReadyTests(ReadyCase):
    def test_its_run_starts_it_and_completes_when_it_is_ready(self):
        port = self.port()
        supervisor = self.begin(
            f"pg: {{ command: {self.server(port, 'gate')}, ready: {{ tcp: 'localhost:{port}', every: 20ms }}, dependencies: [init] }}",
            """
            init: { command: echo init >> order }
            migrate: { command: echo migrate >> order, dependencies: [pg] }
            """)
        peer = supervisor.peer()
        self.assertEqual(self.until_message(peer, "pg", "."), f"connection refused by localhost:{port}")
        shape = peer.initializer("pg")
        self.assertEqual((shape["provider"], shape["priority"], shape["status"]), ("process", "appLaunch", "running"))
        self.assertEqual(shape["waitsFor"], f"localhost:{port}")
        self.assertEqual(supervisor.lines("order"), ["init"])
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertIn("pid", self.process(peer, "pg"))
        self.open(supervisor)
        peer.until_initializer("migrate", "complete")
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.lines("order"), ["init", "migrate"])
        supervisor.program.until_err("process pg is ready")

    def test_when_it_ends_it_runs_again_and_its_dependents_do_not(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: {self.server(port)}, ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, restart: always, backoff: {{ delay: 10ms }} }}",
            "after: { command: echo after >> order, dependencies: [web] }")
        peer = supervisor.peer()
        first = self.until_state(peer, "launch", "complete")
        pid = self.process(peer, "web")["pid"]
        os.kill(pid, signal.SIGKILL)
        again = until(lambda: (state := peer.status()["launch"])["state"] == "complete" and state["pass"] > first["pass"] and state, "a second pass")
        self.assertGreater(again["pass"], first["pass"])
        found = self.process(peer, "web")
        self.assertEqual((found["restarts"], found["lastExit"]), (1, {"kind": "signal", "signal": "SIGKILL"}))
        self.assertNotEqual(found["pid"], pid)
        self.assertRuns(peer, ["web"])
        self.assertEqual(supervisor.lines("order"), ["after"])

    def test_when_it_ends_in_the_pass_what_has_not_started_waits_for_its_next_run(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        supervisor = self.start(
            "version: 1\nconcurrency: 2\nworkers:\n"
            "  web: { command: exec sleep 600, ready: { path: up, every: 10ms }, restart: always, backoff: { delay: 10ms } }\ninitializers:\n"
            "  slow: { command: read line < fifo }\n"
            "  after: { command: echo after >> order, dependencies: [slow, web] }\n",
            directory=directory)
        peer = supervisor.peer()
        self.open(supervisor, "up")
        peer.until_initializer("web", "complete")
        os.remove(supervisor.file("up"))
        pid = self.process(peer, "web")["pid"]
        os.kill(pid, signal.SIGKILL)
        self.until_process(peer, "web", lambda found: found.get("pid", pid) != pid, "another process")
        with open(supervisor.file("fifo"), "w") as fifo:
            fifo.write("go\n")
        peer.until_initializer("slow", "complete")
        self.assertEqual([peer.initializer(name)["status"] for name in ("web", "after")], ["running", "waiting"])
        self.open(supervisor, "up")
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])
        self.assertEqual(peer.last_pass()["pass"], 1)

    def test_onRestart_rerun_runs_what_depends_on_it_again_once_it_is_ready(self):
        for option, count in (("", 1), ("onRestart: ignore, ", 1), ("onRestart: rerun, ", 2)):
            with self.subTest(option):
                port = self.port()
                supervisor = self.start(
                    "version: 1\nworkers:\n"
                    f"  web: {{ command: {self.server(port)}, ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, {option}"
                    "restart: always, backoff: { delay: 10ms } }\ninitializers:\n"
                    "  direct: { command: echo direct >> order, dependencies: [web] }\n"
                    "  through: { command: echo through >> order, dependencies: [direct] }\n"
                    "  other: { command: echo other >> others }\n"
                    "  active: { command: echo active >> order, phase: active, dependencies: [web] }\n",
                    "--activate", directory=self.write_server())
                peer = supervisor.peer()
                self.until_state(peer, "active", "complete")
                first = peer.status()
                os.kill(self.process(peer, "web")["pid"], signal.SIGKILL)
                phase = "active" if count == 2 else "launch"
                until(lambda: peer.status()[phase]["pass"] > first[phase]["pass"], "another pass")
                self.until_state(peer, "launch", "complete")
                self.until_state(peer, "active", "complete")
                self.assertEqual(supervisor.lines("order"), ["direct", "through", "active"] * count)
                self.assertEqual(supervisor.lines("others"), ["other"])
                stale = [each["name"] for each in peer.status()["initializers"] if each.get("stale")]
                self.assertEqual(stale, [] if count == 2 else ["direct", "through", "active"])

    def test_it_is_never_ready_while_it_crash_loops(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: 'exit 3', ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, restart: always, backoff: {{ delay: 50ms, factor: 1 }} }}",
            "", "concurrency: 2\n")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: each["restarts"] >= 2, "restarts")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        # Between two ends, a try may say that the connection is refused.
        self.until_message(peer, "web", "^its process ended: exit status 3$")

    def test_one_that_ends_before_it_was_ready_and_is_not_restarted_fails_at_once(self):
        for command, words in (("exit 3", "web failed: exit status 3"), ("exit 0", "web failed: its process has ended with exit status 0")):
            with self.subTest(command):
                port = self.port()
                supervisor = self.start(
                    f"version: 1\nworkers:\n  web: {{ command: '{command}', ready: {{ tcp: '127.0.0.1:{port}' }}, restart: never }}\n")
                peer = supervisor.peer()
                shape = peer.until_initializer("web", "failed")
                self.assertEqual(shape["error"]["message"], words)
                self.assertEqual(peer.status()["launch"]["state"], "failed")

    def test_a_launch_starts_one_again_that_has_ended_for_good(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: {self.server(port)}, ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, restart: never }}")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        os.kill(self.process(peer, "web")["pid"], signal.SIGKILL)
        failed = self.until_state(peer, "launch", "failed")
        self.assertEqual(failed["error"]["cause"], {"kind": "signal", "signal": "SIGKILL"})
        peer.ok("launch")
        self.until_state(peer, "launch", "complete")
        self.assertIn("pid", self.process(peer, "web"))

    def test_a_launch_starts_one_at_once_that_waits_for_its_backoff(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: {self.server(port)}, ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, restart: always, backoff: {{ delay: 10m, maxDelay: 10m }} }}",
            "fails: { command: 'test -e gate', dependencies: [web] }")
        peer = supervisor.peer()
        # No run of it is in flight.
        self.until_state(peer, "launch", "failed")
        os.kill(self.process(peer, "web")["pid"], signal.SIGKILL)
        self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
        self.open(supervisor)
        peer.ok("launch")
        self.until_state(peer, "launch", "complete")
        self.assertEqual(self.process(peer, "web")["restarts"], 1)

    def test_after_its_timeout_it_is_stopped_and_has_failed(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: [sleep, '1000'], ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, timeout: 500ms, restart: always }}")
        peer = supervisor.peer()
        pid = self.until_process(peer, "web", lambda each: "pid" in each, "its start")["pid"]
        shape = peer.until_initializer("web", "failed")
        self.assertRegex(
            shape["error"]["message"], rf"^web failed: timed out after 500 ms: connection refused by 127.0.0.1:{port} \(\d+ tries\)$")
        until(lambda: not is_running(pid), "its end")

    def test_a_start_that_times_out_is_an_exit_with_failure_and_its_launch_goes_on_once_it_is_ready(self):
        """Whatever its exit status is: a database that recovers slowly delays the rest, and never ends it."""
        for policy in ("onFailure", "always"):
            with self.subTest(policy=policy):
                port = self.port()
                supervisor = self.begin(
                    f"""
                    web:
                      command: "echo start >> starts; trap 'exit 0' TERM; {sys.executable} listen.py {port} gate & wait"
                      ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}
                      timeout: 500ms
                      restart: {policy}
                      backoff: {{ delay: 50ms }}
                    """, "seed: { command: 'echo seed >> seeds', dependencies: [web] }")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "failed")
                supervisor.until_lines("starts", 2)
                self.assertEqual(peer.initializer("web")["error"]["cause"]["kind"], "timeout")
                self.assertIn("launch is retried by itself once it is ready", supervisor.ctl("why", "web").out)
                # This start isn't a run of launch, which has failed, so no timeout ends it.
                pid = self.until_process(peer, "web", lambda each: "pid" in each, "its second start")["pid"]
                self.open(supervisor)
                self.until_state(peer, "launch", "complete")
                self.assertEqual(self.process(peer, "web")["pid"], pid)
                self.assertEqual(supervisor.lines("seeds"), ["seed"])
                peer.ok("shutdown")
                supervisor.ended()
                for name in ("gate", "starts", "seeds"):
                    os.unlink(supervisor.file(name))

    def test_a_reload_that_corrects_a_late_process_starts_it_again(self):
        port = self.port()
        late = f"web: {{ command: [sleep, '1000'], ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, timeout: 300ms, restart: always, backoff: {{ delay: 20ms }} }}"
        supervisor = self.begin(late)
        peer = supervisor.peer()
        self.until_state(peer, "launch", "failed")
        self.until_process(peer, "web", lambda each: each["restarts"] == 1 and "pid" in each, "its second start")
        path = os.path.join(self.home, "init.yaml")
        with open(path) as file:
            text = file.read()
        self.write(path, text.replace("[sleep, '1000']", self.server(port)))
        peer.ok("reload")
        self.until_state(peer, "launch", "complete")

    def test_a_start_that_times_out_is_not_repeated_if_its_policy_says_never(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: [sleep, '1000'], ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }}, timeout: 200ms, restart: never }}")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "failed")
        self.until_process(peer, "web", lambda each: "pid" not in each, "its end")
        self.assertNotIn("nextStart", self.process(peer, "web"))

    def test_notify_says_when_it_is_ready(self):
        send = "import socket,os,sys,time; s=socket.socket(1,2); s.connect(os.environ['NOTIFY_SOCKET']);"
        script = self.write(
            os.path.join(self.home, "notify.py"),
            send + "s.send(b'STATUS=warming up')\nwhile not os.path.exists('gate'): time.sleep(0.01)\ns.send(b'READY=1')\ntime.sleep(1000)\n")
        supervisor = self.begin(f"web: {{ command: [{sys.executable}, {script}], ready: {{ notify: true }}, timeout: 60s }}")
        peer = supervisor.peer()
        self.assertEqual(self.until_message(peer, "web", "."), "warming up")
        self.assertEqual(peer.initializer("web")["status"], "running")
        self.open(supervisor)
        peer.until_initializer("web", "complete")

    def test_a_process_and_a_command_have_notification_sockets_of_their_own(self):
        script = self.write(
            os.path.join(self.home, "notify.py"),
            "import os,socket,time; s=socket.socket(1,2); s.connect(os.environ['NOTIFY_SOCKET']); s.send(b'READY=1'); time.sleep(1000)\n")
        supervisor = self.begin(
            f"web: {{ command: [{sys.executable}, {script}], ready: {{ notify: true }}, backoff: {{ delay: 100s, maxDelay: 100s }} }}",
            "first: { command: 'until test -e gate; do sleep 0.01; done' }", "concurrency: 2\n")
        peer = supervisor.peer()
        peer.until_initializer("web", "complete")
        self.assertEqual(peer.initializer("first")["status"], "running")
        self.open(supervisor)

    def test_a_command_says_when_it_is_ready(self):
        supervisor = self.begin(
            """
            web:
              command: [sleep, '1000']
              ready: { command: "test \\"$MODE\\" = x && test -e gate || exit 7", every: 20ms }
              environment: { MODE: x }
            """)
        peer = supervisor.peer()
        self.assertEqual(self.until_message(peer, "web", "."), "exit status 7")
        self.open(supervisor)
        peer.until_initializer("web", "complete")

    def test_a_check_that_hangs_is_killed(self):
        supervisor = self.begin(
            "web: { command: [sleep, '1000'], ready: { command: [sleep, '77'], every: 20ms, tryTimeout: 200ms } }")
        peer = supervisor.peer()
        self.assertEqual(self.until_message(peer, "web", "."), "sleep 77 didn't exit within 200 ms")
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)

    def test_an_answer_of_another_process_does_not_count(self):
        stranger = bound()
        self.addCleanup(stranger.close)
        stranger.listen()
        port = stranger.getsockname()[1]
        for target in (f"tcp: 'localhost:{port}'", f"http: 'http://127.0.0.1:{port}/', tryTimeout: 300ms"):
            with self.subTest(target):
                supervisor = self.start(
                    f"version: 1\nworkers:\n  web: {{ command: [sleep, '1000'], ready: {{ {target}, every: 20ms }} }}\n")
                peer = supervisor.peer()
                words = self.until_message(peer, "web", ".")
                if target.startswith("tcp"):
                    self.assertRegex(words, rf"^answered by .+ \(pid {os.getpid()}\), not by web$")
                self.assertEqual(peer.initializer("web")["status"], "running")
        supervisor = self.start(
            f"version: 1\nworkers:\n  web: {{ command: [sleep, '1000'], ready: {{ tcp: 'localhost:{port}', every: 20ms, owner: any }} }}\n")
        supervisor.peer().until_initializer("web", "complete")

    def check_stranger(self, target):
        """The process sleeps, so whoever answers is this test."""
        with self.subTest(target):
            supervisor = self.start(
                f"version: 1\nworkers:\n  web: {{ command: [sleep, '1000'], ready: {{ {target}, every: 20ms }} }}\n")
            peer = supervisor.peer()
            self.assertRegex(self.until_message(peer, "web", "answered"), rf"^answered by .+ \(pid {os.getpid()}\), not by web$")
            self.assertEqual(peer.initializer("web")["status"], "running")

    def test_an_answer_of_another_process_does_not_count_at_any_spelling_of_the_address(self):
        stranger = bound()
        self.addCleanup(stranger.close)
        stranger.listen()
        port = stranger.getsockname()[1]
        for host in ("0.0.0.0", "[::ffff:127.0.0.1]"):
            self.check_stranger(f"tcp: '{host}:{port}'")
        everywhere = socket.socket(socket.AF_INET6)
        self.addCleanup(everywhere.close)
        everywhere.bind(("::", 0))
        everywhere.listen()
        port = everywhere.getsockname()[1]
        for host in ("[::]", "[::1]", "0.0.0.0", "127.0.0.2"):
            self.check_stranger(f"tcp: '{host}:{port}'")

    def test_a_stranger_at_the_more_specific_address_answers(self):
        """The process listens at all addresses; the system gives connections to the one who listens at the very address."""
        stranger = socket.socket()
        self.addCleanup(stranger.close)
        stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        port = stranger.getsockname()[1]
        script = self.write(
            os.path.join(self.home, "wide.py"),
            f"import socket,time\ns=socket.socket()\ns.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEPORT,1)\n"
            f"s.bind(('0.0.0.0',{port}))\ns.listen()\nopen('up','w').close()\ntime.sleep(1000)\n")
        supervisor = self.begin(f"web: {{ command: [{sys.executable}, {script}], ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }} }}")
        peer = supervisor.peer()
        until(lambda: os.path.exists(supervisor.file("up")), "the process listens")
        tries = peer.initializer("web")["run"]
        self.assertRegex(self.until_message(peer, "web", "answered"), rf"^answered by .+ \(pid {os.getpid()}\), not by web$")
        self.assertEqual((peer.initializer("web")["status"], peer.initializer("web")["run"]), ("running", tries))
        stranger.close()
        peer.until_initializer("web", "complete")

    def test_a_path_renamed_to_the_socket_of_another_process_does_not_count(self):
        """The process listens at its path, but a stranger's socket was moved there since."""
        script = self.write(
            os.path.join(self.home, "own.py"),
            "import os,socket,time\ns=socket.socket(1)\ns.bind('web.sock')\ns.listen()\nos.rename('other.sock', 'web.sock')\n"
            "open('up','w').close()\nwhile not os.path.exists('gate'): time.sleep(0.01)\n"
            "os.unlink('web.sock')\nt=socket.socket(1)\nt.bind('web.sock')\nt.listen()\ntime.sleep(1000)\n")
        stranger = socket.socket(socket.AF_UNIX)
        self.addCleanup(stranger.close)
        stranger.bind(os.path.join(self.home, "other.sock"))
        stranger.listen()
        supervisor = self.begin(
            f"web: {{ command: [sh, -c, 'exec {sys.executable} {script}'], ready: {{ unix: web.sock, every: 20ms }} }}")
        peer = supervisor.peer()
        self.assertRegex(self.until_message(peer, "web", "answered"), rf"^answered by .+ \(pid {os.getpid()}\), not by web$")
        self.assertEqual(peer.initializer("web")["status"], "running")
        self.open(supervisor)
        peer.until_initializer("web", "complete")

    def test_a_bad_answer_of_another_process_names_that_process(self):
        stranger = bound()
        self.addCleanup(stranger.close)
        stranger.listen()

        def redirect():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = stranger.accept()
                    with connection:
                        connection.recv(4096)
                        connection.sendall(b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n")

        threading.Thread(target=redirect, daemon=True).start()
        target = f"http: 'http://127.0.0.1:{stranger.getsockname()[1]}/', every: 20ms"
        for owner, words in (("", rf"^answered by .+ \(pid {os.getpid()}\), not by web$"), (", owner: any", "answered 301, a redirect")):
            with self.subTest(owner):
                supervisor = self.start(
                    f"version: 1\nworkers:\n  web: {{ command: [sleep, '1000'], ready: {{ {target}{owner} }} }}\n")
                self.assertRegex(self.until_message(supervisor.peer(), "web", "."), words)

    def test_a_unix_socket_counts_if_it_belongs_to_a_descendant(self):
        path = os.path.join(self.home, "web.sock")
        stranger = socket.socket(socket.AF_UNIX)
        self.addCleanup(stranger.close)
        stranger.bind(path)
        stranger.listen()
        script = self.write(
            os.path.join(self.home, "unix.py"),
            "import os,socket,time\nwhile not os.path.exists('gate'): time.sleep(0.01)\nos.unlink('web.sock')\ns=socket.socket(1)\n"
            f"s.bind({path!r})\ns.listen()\ntime.sleep(1000)\n")
        supervisor = self.begin(f"web: {{ command: '{sys.executable} {script}; true', ready: {{ unix: web.sock, every: 20ms }} }}")
        peer = supervisor.peer()
        self.assertRegex(self.until_message(peer, "web", "."), rf"^answered by .+ \(pid {os.getpid()}\), not by web$")
        self.open(supervisor)
        peer.until_initializer("web", "complete")


STOPS_LATE = "trap 'echo asked >> order; until test -e gate; do sleep 0.01; done; echo ended >> order; exit 0' TERM; "
"""A script's beginning: asked to stop, it does so once the file exists."""

TIDY = "trap 'rm up; exit 0' TERM; "
"""The process isn't ready until it says so again."""

STAYS = "echo start >> order; echo > up; while :; do sleep 0.01; done"


class RerunTests(ReadyCase):
    """S26: a process that runs again is restarted."""

    def rerun(self, peer, *names, **options):
        """Runs the initializers again, and returns the states of the passes."""
        return [peer.ok("wait", **{"pass": number})["state"] for number in peer.ok("rerun", initializers=list(names), **options)["passes"]]

    def test_S26_it_is_stopped_by_its_signal_and_started_again_and_the_pass_waits_until_it_is_ready(self):
        port = self.port()
        trap = "import signal,sys;signal.signal(signal.SIGINT,lambda *_:(print('ended',file=open('order','a')),sys.exit(0)));"
        supervisor = self.begin(
            f"web: {{ command: [{sys.executable}, -c, \"{trap}sys.argv=['','{port}'];exec(open('listen.py').read())\"], stopSignal: INT,"
            f" ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }} }}",
            "after: { command: echo after >> order, dependencies: [web] }")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        pid = self.process(peer, "web")["pid"]
        self.assertEqual(self.rerun(peer, "web"), ["complete"])
        process = self.process(peer, "web")
        self.assertNotEqual(process["pid"], pid)
        self.assertEqual((process["restarts"], process.get("lastExit")), (0, None))
        self.assertFalse(is_running(pid))
        self.assertEqual(supervisor.lines("order"), ["after", "ended"])
        self.assertTrue(peer.initializer("after")["stale"])
        # Each run of the initializer has a start of its own.
        self.assertStatus(supervisor.ctl("rerun", "web", "--wait"), 0)
        self.assertEqual(self.process(peer, "web")["restarts"], 0)

    def test_S26_S32_with_onRestart_rerun_what_depends_on_it_runs_again_after_it(self):
        supervisor = self.begin(
            f"web: {{ command: \"{TIDY}{STAYS}\", ready: {{ path: up, every: 10ms }}, onRestart: rerun }}",
            """
            direct: { command: echo direct >> order, dependencies: [web] }
            active: { command: echo active >> order, phase: active, dependencies: [direct] }
            other: { command: echo other >> others }
            """)
        peer = supervisor.peer()
        peer.ok("activate")
        self.until_state(peer, "active", "complete")
        self.assertEqual(self.rerun(peer, "web"), ["complete", "complete"])
        self.assertEqual(supervisor.lines("order"), ["start", "direct", "active"] * 2)
        self.assertEqual(supervisor.lines("others"), ["other"])
        self.assertFalse(any(each.get("stale") for each in peer.status()["initializers"]))

    def test_S26_one_that_runs_again_as_a_dependent_is_restarted_too(self):
        supervisor = self.begin(
            f"web: {{ command: \"{TIDY}{STAYS}\", ready: {{ path: up, every: 10ms }}, dependencies: [init] }}",
            "init: { command: echo init >> order }")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        self.assertEqual(self.rerun(peer, "init", withDependents=True), ["complete"])
        self.assertEqual(supervisor.lines("order"), ["init", "start"] * 2)

    def test_S15_S26_the_time_until_it_has_stopped_does_not_count_for_its_timeout(self):
        supervisor = self.begin(
            f"web: {{ command: \"trap '' TERM; rm -f up; {STAYS}\", ready: {{ path: up, every: 10ms }}, timeout: 5s, stopTimeout: 6s }}")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        self.assertEqual(self.rerun(peer, "web"), ["complete"])
        self.assertEqual(supervisor.until_lines("order", 2), ["start"] * 2)
        supervisor.program.until_err("is killed with SIGKILL: it didn't exit within 6 s of SIGTERM (stopTimeout)")

    def test_S26_S34_a_rerun_that_is_cancelled_while_it_stops_does_not_start_it_again(self):
        supervisor = self.begin(
            f"web: {{ command: \"{STOPS_LATE}{STAYS}\", ready: {{ path: up, every: 10ms }}, restart: always, stopTimeout: 60s }}")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        peer.ok("rerun", initializers=["web"])
        self.assertEqual(supervisor.until_lines("order", 2), ["start", "asked"])
        cancelled = peer.request("cancelRun", {"initializers": ["web"]})
        peer.until_initializer("web", "stopping")
        self.open(supervisor)
        self.assertEqual(peer.answer(cancelled)["result"], {"cancelled": ["web"]})
        peer.until_initializer("web", "failed")
        self.until_state(peer, "launch", "failed")
        process = self.process(peer, "web")
        self.assertFalse("pid" in process or "nextStart" in process, process)
        self.assertEqual(supervisor.lines("order"), ["start", "asked", "ended"])
        peer.ok("launch")
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.until_lines("order", 4)[3:], ["start"])

    def test_S26_S27_a_reload_while_it_stops_starts_the_new_definition_only(self):
        def workers(text):
            return f"web: {{ command: \"{STOPS_LATE}{STAYS.replace('start', text)}\", ready: {{ path: up, every: 10ms }}, stopTimeout: 60s }}"

        supervisor = self.begin(workers("old"))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        peer.ok("rerun", initializers=["web"])
        self.assertEqual(supervisor.until_lines("order", 2), ["old", "asked"])
        with open(supervisor.manifest) as manifest:
            text = manifest.read()
        self.write(supervisor.manifest, text.replace("echo old", "echo new"))
        self.assertEqual([each["name"] for each in peer.ok("reload")["changed"]], ["web"])
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.until_lines("order", 4), ["old", "asked", "ended", "new"])
        self.assertEqual(self.process(peer, "web")["restarts"], 1)

    def test_S24_S26_a_shutdown_while_it_stops_does_not_start_it_again(self):
        supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", ready: {{ path: up, every: 10ms }}, stopTimeout: 60s }}")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        peer.ok("rerun", initializers=["web"])
        self.assertEqual(supervisor.until_lines("order", 2), ["start", "asked"])
        peer.ok("shutdown")
        self.open(supervisor)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order"), ["start", "asked", "ended"])


class OrderTests(ReadyCase):
    def test_without_ready_it_is_started_when_its_dependencies_are_complete(self):
        supervisor = self.begin(
            "late: { command: 'echo late >> order; exec sleep 1000', dependencies: [init] }",
            "init: { command: 'while ! test -e gate; do sleep 0.01; done; echo init >> order' }")
        peer = supervisor.peer()
        peer.until_initializer("init", "running")
        self.assertNotIn("pid", self.process(peer, "late"))
        self.assertEqual(len(peer.status()["initializers"]), 1, "it is no initializer")
        self.open(supervisor)
        self.assertEqual(supervisor.until_lines("order", 2), ["init", "late"])

    def test_they_are_stopped_in_the_reverse_order_of_their_starts(self):
        trap = "trap 'echo NAME >> order; exit 0' TERM; echo ok > NAME.up; while :; do sleep 0.01; done"
        supervisor = self.begin(
            "".join(
                f"{name}: {{ command: \"{trap.replace('NAME', name)}\", dependencies: [{needs}], ready: {{ path: {name}.up, every: 10ms }} }}\n"
                for name, needs in (("third", "second"), ("first", ""), ("second", "first"))))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order"), ["third", "second", "first"])

    def test_processes_stand_after_the_initializers(self):
        supervisor = self.begin(
            "a: { command: [sleep, '1000'], ready: { path: /, every: 10ms } }", "z: { command: 'true' }")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        self.assertNames(peer.status()["initializers"], ["z", "a"])

    def test_it_is_stopped_by_its_signal_and_killed_after_its_time(self):
        for extra, words in (
            ("stopSignal: INT", None),
            ("stopSignal: SIGINT", None),
            ("stopSignal: HUP, stopTimeout: 300ms", "it didn't exit within 300 ms of SIGHUP (stopTimeout)"),
        ):
            with self.subTest(extra):
                supervisor = self.start(
                    "version: 1\ncancelGrace: 60s\nstopTimeout: 1s\nworkers:\n"
                    f"  web: {{ command: \"trap 'echo int > int; exit 0' INT; trap '' HUP TERM; echo > up; while :; do sleep 0.01; done\", {extra} }}\n")
                peer = supervisor.peer()
                until(lambda: os.path.exists(supervisor.file("up")), "its traps")
                peer.ok("shutdown")
                self.assertEqual(supervisor.ended(), 0)
                if words:
                    self.assertIn(f"is killed with SIGKILL: {words}", supervisor.program.err.decode())
                else:
                    self.assertTrue(os.path.exists(supervisor.file("int")))

    def test_status_and_why_show_it(self):
        port = self.port()
        supervisor = self.begin(
            f"web: {{ command: {self.server(port, 'gate')}, ready: {{ tcp: '127.0.0.1:{port}', every: 20ms }} }}",
            "after: { command: 'true', dependencies: [web] }")
        peer = supervisor.peer()
        self.until_message(peer, "web", "refused")
        status, why = supervisor.ctl("status").out, supervisor.ctl("why").out
        self.assertRegex(status, rf"(?m)^web +running +process .*waits for 127.0.0.1:{port}")
        self.assertIn(f"waits for 127.0.0.1:{port}", why)

    def test_output_all_shows_each_line_whatever_output_says(self):
        for option in ("none", "failed"):
            with self.subTest(option):
                supervisor = self.start(
                    "version: 1\nworkers:\n"
                    "  shown: { command: 'echo from-shown; exec sleep 1000', output: all }\n"
                    "  other: { command: 'echo from-other; exec sleep 1000' }\n"
                    "initializers:\n"
                    "  told: { command: 'echo from-told; exit 3', output: all, optional: true }\n"
                    "  quiet: { command: 'echo from-quiet' }\n",
                    "--output", option, "--log-level", "warning")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                for name in ("shown", "other"):
                    until(lambda: f"from-{name}" in supervisor.ctl("logs", name).out, "its line")
                peer.ok("shutdown")
                self.assertEqual(supervisor.ended(), 0)
                err = supervisor.program.err.decode()
                for name, count in (("shown", 1), ("told", 1), ("other", 0), ("quiet", 0)):
                    self.assertEqual(err.count(f"{name} | from-{name}"), count, err)

    def test_the_topic_worker_tells_each_change(self):
        supervisor = self.begin("web: { command: [sleep, '1000'], ready: { path: gate, every: 10ms }, restart: always, backoff: { delay: 10ms } }")
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["worker"])
        self.open(supervisor)
        pid = self.until_process(peer, "web", lambda each: "pid" in each, "its start")["pid"]
        os.kill(pid, signal.SIGKILL)
        peer.take(lambda each: each.get("params", {}).get("process", {}).get("restarts") == 1, "its restart")


class WorkerTests(ReadyCase):
    """`worker: NAME`: an initializer that a process registers."""

    def test_the_wait_for_its_registration_is_not_bounded_while_its_process_lives(self):
        supervisor = self.begin(
            "django: { command: 'echo begins; while ! test -e gate; do sleep 0.01; done; exec \"$INITCTL\" worker fav -- true' }",
            "fav: { worker: django }\nother: { worker: true, optional: true }", "registrationTimeout: 100ms\n")
        peer = supervisor.peer()
        # For this initializer, the time is over.
        peer.until_initializer("other", "failed")
        until(lambda: "begins" in supervisor.ctl("logs", "django").out, "its line")
        shape = peer.initializer("fav")
        self.assertEqual((shape["process"], shape["provider"], shape["status"]), ("django", "worker", "waiting"))
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertRegex(supervisor.ctl("status").out, r"(?m)^fav +waiting .*the process django has not registered it")
        pid = self.process(peer, "django")["pid"]
        why = supervisor.ctl("why", "fav").out
        self.assertRegex(why, r"(?s)^fav .*the process django has not registered it; see initctl logs django\n└─ the process django runs: up .*begins")
        self.assertEqual(supervisor.ctl("why", "fav", "--json").json()[0]["because"][0]["pid"], pid)
        self.assertEqual(supervisor.ctl("logs", "fav").out, "begins\n")
        self.assertEqual([each["initializer"] for each in peer.ok("logs", initializer="fav")["lines"]], ["django"])

    def test_its_own_timeout_bounds_that_wait(self):
        supervisor = self.begin("django: { command: [sleep, '1000'] }", "fav: { worker: django, timeout: 300ms }")
        peer = supervisor.peer()
        shape = peer.until_initializer("fav", "failed")
        self.assertEqual(shape["error"]["message"], "fav failed: timed out after 300 ms: django has not registered it")
        self.assertEqual(shape["error"]["cause"]["kind"], "timeout")
        self.assertEqual(peer.status()["launch"]["state"], "failed")

    def test_it_fails_at_once_with_the_last_exit_when_its_process_has_ended_for_good(self):
        for process, message in (
            ("command: 'echo lost; exit 3', restart: never", "fav failed: exit status 3"),
            ("command: 'echo lost; exit 0'", "fav failed: its process has ended with exit status 0"),
            ("command: 'echo lost; exit 3', backoff: { delay: 1ms, factor: 1 }", "fav failed: exit status 3"),
        ):
            with self.subTest(process):
                supervisor = self.start(
                    f"version: 1\nregistrationTimeout: 1h\nworkers:\n  django: {{ {process} }}\ninitializers:\n  fav: {{ worker: django }}\n",
                    "--limit", "workerBurst=2")
                peer = supervisor.peer()
                shape = peer.until_initializer("fav", "failed")
                self.assertEqual(shape["error"]["message"], message)
                self.until_state(peer, "launch", "failed")
                if "status 3" in message:
                    why = supervisor.ctl("why", "fav").out
                    self.assertRegex(why, r"└─ the process django doesn't run: .*last: exit status 3; see initctl logs django")
                self.assertIn("lost", supervisor.ctl("logs", "fav").out)

    def test_a_launch_starts_its_process_again(self):
        supervisor = self.begin(
            "django: { command: 'test -e gate && exec \"$INITCTL\" worker fav -- true; exit 3', restart: never }", "fav: { worker: django }")
        peer = supervisor.peer()
        peer.until_initializer("fav", "failed")
        self.open(supervisor)
        peer.ok("launch")
        self.until_state(peer, "launch", "complete")

    def test_a_process_with_ready_is_started_by_its_own_run(self):
        supervisor = self.begin(
            "django: { command: 'test -e gate && echo > up && exec \"$INITCTL\" worker fav -- true; exit 3', ready: { path: up, every: 10ms }, restart: never }",
            "fav: { worker: django }")
        peer = supervisor.peer()
        self.assertEqual(self.until_state(peer, "launch", "failed")["error"]["cause"], {"kind": "exit", "status": 3})
        self.open(supervisor)
        peer.ok("launch")
        peer.until_initializer("fav", "complete")


class MistakeTests(ReadyCase):
    def check(self, text):
        path = self.write(os.path.join(self.home, "init.yaml"), "version: 1\nworkers:\n  a: " + text + "\n")
        return self.initd("--check", path)

    def test_a_manifest_with_it_is_good(self):
        for text in (
            "{ command: x, ready: { tcp: 'a:1' }, timeout: 30s, stopSignal: INT, stopTimeout: 30s, restart: always }",
            "{ command: x, ready: { path: y }, onRestart: rerun, output: all }",
            "{ command: x, ready: { http: 'http://a/', status: 204, owner: any } }",
            "{ command: x, ready: { notify: true }, group: db }\ngroups: { db: 1 }",
            "{ command: x, ready: { command: [pg_isready, -q], every: 200ms } }",
            "{ command: x, ready: { path: y }, dependencies: [b] }\ninitializers: { b: { command: x } }",
            "{ command: x, dependencies: [b] }\ninitializers: { b: { command: x } }",
            "{ command: x }\ninitializers: { b: { worker: a } }",
            "{ command: x, ready: { path: y } }\ninitializers: { b: { command: x, dependencies: [a] } }",
        ):
            with self.subTest(text):
                self.assertStatus(self.check(text), 0)

    def test_each_mistake_is_found(self):
        for text, remedy in {
            "{ command: x, timeout: 30s }": "needs \"ready\"",
            "{ command: x, group: db }\ngroups: { db: 1 }": "needs \"ready\"",
            "{ command: x, ready: { path: y }, group: db }": "unknown group",
            "{ command: x, onRestart: rerun }": "needs \"ready\"",
            "{ command: x, ready: { path: y }, onRestart: always }": "ignore",
            "{ command: x }\ninitializers: { b: { worker: A } }": 'did you mean "a"?',
            "{ command: x }\ninitializers: { b: { worker: other } }": "declare it under processes",
            "{ command: x, output: failed }": "write all",
            "{ command: x, ready: {} }": "write ready: {",
            "{ command: x, ready: { tcp: 'a:1', notify: true } }": "keep one of them",
            "{ command: x, ready: { notify: false } }": "notify: true",
            "{ command: x, ready: { notify: true, every: 1s } }": "remove it",
            "{ command: x, ready: { path: y, owner: any } }": "remove it",
            "{ command: x, ready: { tcp: 'a:1', owner: me } }": "any",
            "{ command: x, ready: { http: 'https://a/' } }": "curl",
            "{ command: x, stopSignal: STOP }": "stopSignal: INT",
            "{ command: x, stopSignal: int }": "write stopSignal: INT",
            "{ command: x, stopTimeout: soon }": "30s",
            "{ command: x, dependencies: [b] }": "unknown dependency",
            "{ command: x, ready: { path: y }, dependencies: [a] }": "circular dependency",
            "{ command: x, dependencies: [b] }\ninitializers: { b: { worker: a } }": "circular dependency b -> a -> b",
            "{ command: x, ready: { path: y } }\ninitializers: { a: { command: x } }": "rename one of them",
        }.items():
            with self.subTest(text):
                finished = self.assertStatus(self.check(text), 65)
                self.assertRegex(finished.err, r"init.yaml:\d+:\d+: .+; .+")
                self.assertIn(remedy, finished.err)

    def test_a_state_directory_does_not_remember_it(self):
        state = os.path.join(self.home, "state")
        os.mkdir(state)
        workers = "web: { command: 'echo up >> order; exec sleep 1000', ready: { path: order, every: 10ms } }"
        initializers = "after: { command: echo after >> order, dependencies: [web] }"
        for count in (1, 2):
            supervisor = self.begin(workers, initializers, "", "--state-directory", state)
            self.until_state(supervisor.peer(), "launch", "complete")
            # The second process is ready before its first line, because the file exists.
            until(lambda: supervisor.lines("order").count("up") == count, "its start")
            supervisor.peer().ok("shutdown")
            self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order").count("after"), 1)


if __name__ == "__main__":
    unittest.main()
