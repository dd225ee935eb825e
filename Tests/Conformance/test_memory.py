"""protocol.md, Limits: the memory of all clients together, as it is allocated, and which clients are disconnected if it exceeds the limit."""

import contextlib
import json
import os
import re
import resource
import struct
import unittest

from deadlines import until
from peer import Ended, frame, hello, message
from supervisor import Conformance

ATTACKER, VICTIM = 64321, 64322
MIB = 1 << 20
CLIENT_BYTES = 16 * MIB
REST = 64 * MIB
"""The memory that initd may take in addition to clientBytes, as --help says."""


def resident_peak(pid):
    """The most resident memory since the last reset, in bytes."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"^VmHWM:\s+(\d+) kB", file.read(), re.MULTILINE)[1]) * 1024


def reset_peak(pid):
    with open(f"/proc/{pid}/clear_refs", "w") as file:
        file.write("5")


def begun(size, announced=MIB):
    """The beginning of a frame whose end never comes."""
    return struct.pack(">I", announced) + b"[" * size


@unittest.skipUnless(os.geteuid() == 0, "other users require root")
class MemoryTests(Conformance):
    def setUp(self):
        self.cgroups = []
        # Cleanups run in reverse order, so the processes have ended by then.
        self.addCleanup(lambda: [until(lambda path=path: self.removed(path), f"the end of {path}") for path in self.cgroups])
        super().setUp()

    def start_shared(self, *limits, initializers=""):
        """A supervisor that other users may observe, with these limits."""
        users = [word for user in (ATTACKER, VICTIM) for word in ("--allow-observe", str(user))]
        words = [word for limit in limits for word in ("--limit", limit)]
        supervisor = self.start_with(initializers, "--socket-mode", "666", *users, *words)
        os.chmod(supervisor.directory, 0o755)
        return supervisor

    def other(self, supervisor, user=ATTACKER):
        """A client of another user."""
        peer, _ = supervisor.peer_of_another_process(user)
        hello(peer)
        return peer

    def large(self, supervisor, count):
        """Connects a worker with this many names, so a Status has about 300 bytes for each."""
        worker = supervisor.peer("large")
        worker.ok("register", initializers=[{"name": f"{'n' * 100}{number}", "dependencies": ["first"]} for number in range(count)])
        return worker

    def send(self, peer, data):
        """Sends as much as it takes before it is disconnected."""
        with contextlib.suppress(OSError):
            peer.send_bytes(data)

    def settle(self, supervisor):
        """Waits until the supervisor has handled the earlier messages."""
        peer = supervisor.peer()
        for _ in range(5):
            peer.alive()
        peer.close()

    def test_a_user_with_many_clients_pays_before_one_with_a_larger_client(self):
        supervisor = self.start_shared("clientBytes=8MiB", "answerBytes=16MiB")
        worker = self.large(supervisor, 4000)
        victim = self.other(supervisor, VICTIM)
        request = victim.request("status")
        attackers = [self.other(supervisor) for _ in range(16)]
        for peer in attackers:
            self.send(peer, begun(600 * 1024))
        supervisor.program.until_err(f"user {ATTACKER}")
        answer = victim.answer(request)
        self.assertGreater(len(json.dumps(answer)), MIB)
        supervisor.program.pump()
        self.assertNotIn(f"user {VICTIM}", supervisor.program.err.decode())
        worker.alive()

    def test_a_user_who_connects_often_closes_no_silent_connection_of_another(self):
        supervisor = self.start_shared("silentConnections=4")
        victim, _ = supervisor.peer_of_another_process(VICTIM)
        attackers = [supervisor.peer_of_another_process(ATTACKER)[0] for _ in range(6)]
        for peer in attackers[:3]:
            peer.expect_end()
        for peer in [victim, *attackers[3:]]:
            hello(peer)

    def test_a_slow_subscriber_misses_nothing_while_another_user_uses_much_memory(self):
        """The attackers' own one misses events."""
        supervisor = self.start_shared("clientBytes=8MiB")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        subscribers = [self.other(supervisor, user) for user in (ATTACKER, VICTIM)]
        for peer in subscribers:
            peer.ok("subscribe", topics=["initializer"])
        hogs = [self.other(supervisor) for _ in range(7)]
        for peer in hogs:
            self.send(peer, begun(MIB - 100))
        self.settle(supervisor)
        for number in range(500):
            run.progress(message=f"{number} " + "x" * 1000)
        run.succeed()
        worker.alive()
        subscribers[0].event_where(topic="lagged")
        events = subscribers[1].events_until(lambda event: event["topic"] == "lagged" or event["initializer"]["status"] == "complete")
        self.assertEqual({each["topic"] for each in events}, {"initializer"})
        for peer in hogs:
            peer.stream.setblocking(False)
            with self.assertRaises(BlockingIOError, msg="none is disconnected because of events"):
                peer.stream.recv(1)

    def unread(self, supervisor, count, data):
        """Clients of another user that send this, and never read. Some clients are disconnected."""
        peers = supervisor.peers_of_another_user(ATTACKER, count)
        for peer in peers:
            with contextlib.suppress(OSError, Ended):
                hello(peer)
                self.send(peer, data)
        self.settle(supervisor)
        return peers

    ATTACKS = {
        # A buffer that doubles would take a MiB.
        "unfinished frames": (30, begun(MIB - 100)),
        "unfinished frames of other sizes": (80, begun(270 * 1024)),
        "unread answers": (50, frame(message(id=1, method="ping", params={"x": "y" * 700_000}))),
        "unread statuses": (60, frame(message(id=1, method="status")) * 20),
        "unread subscriptions": (60, frame(message(id=1, method="subscribe")) * 20),
    }

    def test_resident_memory_keeps_the_limit_of_all_clients(self):
        """The limit holds for clients with any kind of memory, and with any earlier memory."""
        supervisor = self.start_shared(f"clientBytes={CLIENT_BYTES >> 20}MiB", "answerBytes=2MiB")
        self.large(supervisor, 1000)
        before = supervisor.resident()
        for name, (count, data) in self.ATTACKS.items():
            with self.subTest(name):
                until(lambda: supervisor.resident() < REST / 2, "the memory of the last attack")
                reset_peak(supervisor.pid)
                peers = self.unread(supervisor, count, data)
                # Statuses and snapshots that nobody reads are encoded one at a time, so they hold little.
                is_held = "statuses" not in name and "subscriptions" not in name
                if is_held:
                    supervisor.program.until_err("disconnected")
                grown = resident_peak(supervisor.pid) - before
                if is_held:
                    self.assertGreater(grown, CLIENT_BYTES / 2, "the attack is too weak")
                # The bound allows one more answer, and the memory that an allocator keeps.
                self.assertLess(grown, CLIENT_BYTES * 1.1 + 8 * MIB)
                for peer in peers:
                    peer.close()
                self.settle(supervisor)
                supervisor.program.pump()
                supervisor.program.err = b""

    def test_memory_is_returned_soon_after_clients_have_freed_it(self):
        """The block is smaller than those that are returned at once, and other clients have memory between its parts."""
        # The end of a launch would also return memory.
        supervisor = self.start_with("", "--no-launch", "--socket-mode", "666", "--allow-observe", str(ATTACKER))
        os.chmod(supervisor.directory, 0o755)
        before = supervisor.resident()
        peers = self.unread(supervisor, 60, begun(99_000, announced=100_000))
        until(lambda: supervisor.resident() > before + 5 * MIB, "all unfinished frames")
        full = supervisor.resident()
        for peer in peers[::2]:
            peer.close()
        until(lambda: supervisor.resident() < full - 2 * MIB, "the return of the memory")

    def test_it_works_on_in_an_address_space_with_room_for_the_limit(self):
        """It stays connected for 24 MiB more, far less than the rest of its memory and 100 MiB. The memory of one attack is used for the
        next."""
        supervisor = self.start_shared(f"clientBytes={2 * CLIENT_BYTES >> 20}MiB", "answerBytes=2MiB")
        self.large(supervisor, 1000)
        with open(f"/proc/{supervisor.pid}/statm") as file:
            size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        space = size + 2 * CLIENT_BYTES + 24 * MIB
        resource.prlimit(supervisor.pid, resource.RLIMIT_AS, (space, space))
        kept = []
        for name, (count, data) in self.ATTACKS.items():
            with self.subTest(name):
                for peer in kept[::2]:
                    peer.close()
                kept = kept[1::2] + self.unread(supervisor, 2 * count, data)
                supervisor.peer().status()

    def test_open_waits_count(self):
        supervisor = self.start_shared("clientBytes=1MiB")
        attackers = [self.other(supervisor) for _ in range(3)]
        for peer in attackers:
            self.send(peer, b"".join(frame(message(id=number, method="wait", params={"for": "active"})) for number in range(1000)))
        supervisor.program.until_err("disconnected")
        # The memory and the places are free again.
        victim = self.other(supervisor, VICTIM)
        for number in range(100):
            victim.request("wait", {"for": "active"})
        victim.alive()

    def test_clients_may_hold_a_quarter_of_the_memory_of_the_cgroup(self):
        directory = self.cgroup(64 * MIB)

        def enter():
            with open(f"{directory}/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))

        supervisor = self.start(preexec_fn=enter)
        supervisor.program.until_err("clients may hold 16384 KiB")
        supervisor = self.start(None, "--limit", "clientBytes=20MiB", preexec_fn=enter)
        supervisor.peer().alive()
        supervisor.program.pump()
        self.assertNotIn(b"clients may hold", supervisor.program.err)

    def cgroup(self, limit):
        """A new cgroup of this memory."""
        name = f"initd-test-{os.getpid()}"
        for directory, file in (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
            path = f"{directory}/{name}"
            with contextlib.suppress(OSError):
                os.mkdir(path)
                self.cgroups.append(path)
                # The file doesn't exist if the controller isn't enabled.
                with open(f"{path}/{file}", "r+") as text:
                    text.write(str(limit))
                return path
        self.skipTest("no cgroup can have a memory limit here")

    def removed(self, path):
        with contextlib.suppress(OSError):
            os.rmdir(path)
        return not os.path.exists(path)


if __name__ == "__main__":
    unittest.main()
