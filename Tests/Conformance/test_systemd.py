"""commands-and-manifest.md: notifications to systemd, and the sockets that it passes."""

import contextlib
import os
import socket
import struct

from deadlines import DEADLINE, until
from peer import Peer, hello
from supervisor import INITD, Conformance


class Manager:
    """A service manager's notification socket."""

    def __init__(self, test, abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        test.addCleanup(self.socket.close)
        self.socket.settimeout(DEADLINE)
        path = os.path.join(test.directory(), "notify")
        self.path = "@" + path if abstract else path
        self.socket.bind("\0" + path if abstract else path)
        self.told = []

    def next(self):
        """The next assignments."""
        lines = self.socket.recv(65536).decode().split("\n")
        found = dict(line.split("=", 1) for line in lines)
        self.told.append(found)
        return found

    def until(self, **expected):
        """Reads until these assignments arrive, and returns the datagram that contains them."""
        while True:
            found = self.next()
            if all(found.get(name) == value for name, value in expected.items()):
                return found


class NotifyTests(Conformance):
    def test_it_is_ready_when_launch_is_complete_and_not_before(self):
        for abstract in (False, True):
            manager = Manager(self, abstract)
            directory = self.directory()
            os.mkfifo(os.path.join(directory, "fifo"))
            supervisor = self.start(self.manifest("a: { command: 'read line < fifo' }"), directory=directory, env={"NOTIFY_SOCKET": manager.path})
            self.assertEqual(manager.next(), {"STATUS": "launching"})
            supervisor.peer().alive()
            with open(os.path.join(directory, "fifo"), "w") as fifo:
                fifo.write("go\n")
            self.assertEqual(manager.until(READY="1")["STATUS"], "ready")
            self.assertEqual([each for each in manager.told if "READY" in each], manager.told[-1:])
            peer = supervisor.peer()
            peer.ok("activate")
            manager.until(STATUS="ready")
            peer.ok("deactivate")
            manager.until(STATUS="ready")
            peer.ok("shutdown")
            self.assertNotIn("READY", manager.until(STOPPING="1"))
            self.assertFalse(any("READY" in each for each in manager.told[2:]), "told once")

    def test_with_activate_it_is_ready_when_active_is_complete(self):
        manager = Manager(self)
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        self.start(
            self.manifest("a: { command: 'read line < fifo', priority: appActive }"), "--activate", directory=directory,
            env={"NOTIFY_SOCKET": manager.path},
        )
        self.assertNotIn("READY", manager.until(STATUS="activating"))
        with open(os.path.join(directory, "fifo"), "w") as fifo:
            fifo.write("go\n")
        self.assertEqual(manager.until(READY="1")["STATUS"], "ready")

    def test_a_failure_is_reported_and_not_as_ready(self):
        manager = Manager(self)
        supervisor = self.start_with("a: { command: 'exit 3' }", env={"NOTIFY_SOCKET": manager.path})
        manager.until(STATUS="launch failed: a failed: exit status 3")
        supervisor.peer().ok("shutdown")
        manager.until(STOPPING="1")
        self.assertFalse(any("READY" in each for each in manager.told))

    def test_the_last_status_is_why_the_app_is_not_started(self):
        for app, initializer, why in (("true", "exit 3", "initialization failed: a failed: exit status 3"), ("/no/such/app", "true", "/no/such/app")):
            manager = Manager(self)
            directory = self.directory()
            manifest = self.write(os.path.join(directory, "init.yaml"), self.manifest(f"a: {{ command: '{initializer}' }}"))
            words = [INITD, "--socket", os.path.join(directory, "s"), "--config", manifest, "--", app]
            self.program(words, cwd=directory, env={"NOTIFY_SOCKET": manager.path})
            self.assertIn(why, manager.until(STOPPING="1")["STATUS"])

    def test_a_workers_messages_are_escaped_for_the_manager_too(self):
        manager = Manager(self)
        supervisor = self.start_with("a: { worker: true }", env={"NOTIFY_SOCKET": manager.path})
        supervisor.worker("a").expect_run("a").fail("\x1b[31m red \u202e")
        while "failed" not in (told := manager.until()).get("STATUS", ""):
            pass
        self.assertTrue(told["STATUS"].isprintable(), told)
        self.assertIn("red", told["STATUS"])

    def test_with_an_app_it_is_ready_when_the_app_has_been_started(self):
        manager = Manager(self)
        directory = self.directory()
        program = self.program(
            [INITD, "--socket", os.path.join(directory, "s"), "--", "/bin/sh", "-c", "echo $NOTIFY_SOCKET > seen; read line"],
            cwd=directory, env={"NOTIFY_SOCKET": manager.path}, stdin=-1,
        )
        self.assertEqual(manager.until(READY="1"), {"READY": "1"})
        until(lambda: os.path.exists(os.path.join(directory, "seen")), "the app")
        program.process.stdin.close()
        program.wait()
        manager.until(STOPPING="1")
        with open(os.path.join(directory, "seen")) as file:
            self.assertEqual(file.read(), "\n", "the manager is the supervisor's alone")

    def test_the_watchdog_gets_a_keep_alive_at_the_requested_interval(self):
        manager = Manager(self)
        self.start_fast(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "100000"})
        for _ in range(4):
            manager.until(WATCHDOG="1")

    def test_a_watchdog_of_another_process_isnt_ours(self):
        manager = Manager(self)
        supervisor = self.start_fast(env={"NOTIFY_SOCKET": manager.path, "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"})
        supervisor.peer().ok("shutdown")
        manager.until(STOPPING="1")
        self.assertFalse(any("WATCHDOG" in each for each in manager.told))

    def test_a_missing_manager_delays_nothing(self):
        for path in ("/nowhere/notify", "relative", "", "@nobody-listens", "/" + "x" * 200):
            supervisor = self.start_with("a: { command: 'true' }", env={"NOTIFY_SOCKET": path})
            self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")


class SocketTests(Conformance):
    def pass_sockets(self, sockets, *arguments, names=None, pid="$$"):
        """A supervisor that gets these descriptors from 3 on, as from systemd."""
        given = ":".join(names) if names else ""
        script = f'export LISTEN_PID={pid} LISTEN_FDS={len(sockets)} LISTEN_FDNAMES="{given}"; exec "$@"'

        def dup():
            copies = [os.dup2(each.fileno(), 100 + place) for place, each in enumerate(sockets)]
            for place, copy in enumerate(copies):
                os.dup2(copy, 3 + place)

        return self.program(
            ["/bin/sh", "-c", script, "sh", INITD, *arguments], preexec_fn=dup, pass_fds=range(3, 3 + len(sockets)), cwd=self.directory()
        )

    def listening(self, name="given"):
        path = os.path.join(self.directory(), name)
        each = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(each.close)
        each.bind(path)
        each.listen()
        return each, path

    def peer_at(self, path):
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        peer = Peer(stream)
        self.addCleanup(peer.close)
        stream.connect(path)
        hello(peer)
        return peer

    def test_a_passed_socket_is_used_and_its_file_isnt_removed(self):
        given, path = self.listening()
        program = self.pass_sockets([given], "--log-level", "debug")
        peer = self.peer_at(path)
        peer.ok("shutdown")
        self.assertEqual(program.wait(), 0)
        self.assertTrue(os.path.exists(path), "it is systemd's")
        self.assertFalse(os.path.exists(path + ".lock"))

    def test_commands_get_its_path_but_not_the_descriptor(self):
        given, path = self.listening()
        manifest = self.write(os.path.join(self.directory(), "init.yaml"), "version: 1\ninitializers:\n  a: { command: 'echo $INITD_SOCKET $LISTEN_FDS; ls /proc/self/fd' }\n")
        self.pass_sockets([given], "--config", manifest)
        peer = self.peer_at(path)
        peer.ok("wait", for_="launch")
        lines = [each["line"] for each in peer.ok("logs")["lines"]]
        self.assertEqual(lines, [path, "0", "1", "2", "3"])

    def test_the_socket_named_observe_is_the_second_one(self):
        first, path = self.listening("first")
        second, observing = self.listening("second")
        self.pass_sockets([second, first], names=["observe", "main"])
        self.peer_at(path).ok("activate")
        answer = self.peer_at(observing).call("activate")
        self.assertEqual(answer["error"]["code"], -32005)

    def test_the_supervisor_is_the_peer_of_its_clients(self):
        """SO_PEERCRED names the process that has called listen() last. A client knows by it whether its supervisor was killed."""
        (first, path), (second, observing) = self.listening("first"), self.listening("second")
        program = self.pass_sockets([first, second], names=["main", "observe"])
        for each in (path, observing):
            # This client may have connected before the supervisor has listened.
            self.peer_at(each).alive()
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.addCleanup(client.close)
            client.connect(each)
            peer = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
            self.assertEqual(peer[0], program.process.pid)

    def test_a_third_socket_and_contradicting_options_are_refused(self):
        """No passed socket is ignored silently: clients of a socket that isn't used would wait indefinitely."""
        (first, path), (second, other) = self.listening("first"), self.listening("second")
        for sockets, names, options, status, words in (
            ([first, second], ["a", "b"], [], 73, f"cannot listen on {other}"),
            ([first, second], ["observe", "observe"], [], 73, f"cannot listen on {other}"),
            ([first], None, ["--socket", other], 64, f"passes {path}"),
            ([first], None, ["--socket-mode", "666"], 64, "SocketMode="),
            ([first, second], ["a", "observe"], ["--observe-socket", path], 64, f"passes {other}"),
        ):
            with self.subTest(options):
                program = self.pass_sockets(sockets, *options, names=names)
                self.assertEqual(program.wait(), status)
                program.pump()
                self.assertIn(words, program.err.decode())
        self.pass_sockets([first], "--socket", path)
        self.peer_at(path).alive()

    def test_sockets_for_another_process_are_ignored(self):
        given, _ = self.listening()
        own = os.path.join(self.directory(), "own")
        self.pass_sockets([given], "--socket", own, pid="1")

        def answers():
            with contextlib.suppress(OSError):
                return self.peer_at(own)

        until(answers, "the own socket").alive()

    def test_a_descriptor_that_isnt_a_listening_socket_is_73_with_the_reason(self):
        path = os.path.join(self.directory(), "s")
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        bound.bind(path)
        datagram = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        datagram.bind(path + "d")
        tcp = socket.socket()
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        abstract = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        abstract.bind("\0" + path)
        abstract.listen()
        for each in (bound, datagram, tcp, abstract):
            program = self.pass_sockets([each])
            self.assertEqual(program.wait(), 73)
            program.pump()
            self.assertIn("descriptor 3", program.err.decode())
            each.close()


class RemovedSocketTests(Conformance):
    def test_a_deleted_socket_file_is_restored(self):
        supervisor = self.start_fast()
        before = supervisor.peer()
        for _ in range(3):
            os.unlink(supervisor.path)
            supervisor.wait_until_up()
            self.assertEqual(os.stat(supervisor.path).st_mode & 0o777, 0o600)
            supervisor.peer().alive()
        before.alive()
        supervisor.program.until_err("was removed; it is restored")
        supervisor.peer().ok("shutdown")
        supervisor.ended()
        self.assertFalse(os.path.exists(supervisor.path))

    def test_a_renamed_socket_file_is_restored_and_the_renamed_one_stays(self):
        supervisor = self.start_fast()
        os.rename(supervisor.path, supervisor.path + ".old")
        supervisor.wait_until_up()
        supervisor.peer().ok("shutdown")
        supervisor.ended()
        self.assertEqual(sorted(os.listdir(supervisor.directory)), ["init.yaml", "initd.sock.old"])

    def test_another_file_at_the_path_stays_and_the_log_reports_it(self):
        supervisor = self.start_fast()
        peer = supervisor.peer()
        self.write(supervisor.path + ".new", "a file")
        os.rename(supervisor.path + ".new", supervisor.path)
        supervisor.program.until_err("can't be restored")
        peer.ok("shutdown")
        supervisor.ended()
        with open(supervisor.path) as file:
            self.assertEqual(file.read(), "a file")
