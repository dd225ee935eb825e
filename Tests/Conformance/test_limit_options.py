"""`initd --limit`: each limit of the protocol's table is set to a small value, and tested at that value and beyond it."""

import contextlib
import json
import os
import re
import select
import socket
import struct
import time
import unittest

from calm import Calm
from deadlines import until
from peer import Peer, connected, frame, hello, message
from supervisor import Conformance

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/PROTOCOL.md")

STRANGER = 64321
"""A user without other processes."""


def limited(**limits):
    """The arguments that set the limits."""
    return [word for name, value in limits.items() for word in ("--limit", f"{name}={value}")]


def sized(size):
    """A ping whose payload has exactly this many bytes."""
    payload = message(id="sized", method="ping", params={"x": ""})
    return payload.replace(b'""', b'"' + b"x" * (size - len(payload)) + b'"')


class LimitOptionTests(Conformance):
    def test_every_limit_of_the_table_is_tested(self):
        with open(PAGE) as file:
            table = re.search(r"## Limits\n(.*?)\n## ", file.read(), re.DOTALL)[1]
        names = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
        self.assertGreater(len(names), 15)
        for name in names:
            with self.subTest(name):
                self.assertTrue(hasattr(self, f"test_{name}"))
                self.assertStatus(self.initd("--limit", f"{name}=-1"), 64)

    def test_one_limit_set_twice_is_wrong_usage(self):
        for words in (["--limit", "waits=3", "--limit", "waits=4"], ["--limit=waits=3", "--limit", "connections=9", "--limit=waits=3"]):
            with self.subTest(words):
                finished = self.assertStatus(self.initd("--socket", os.path.join(self.directory(), "s"), *words), 64)
                self.assertIn("--limit waits is given twice", finished.err)

    def test_frameBytes(self):
        supervisor = self.start_fast(*limited(frameBytes="8KiB"))
        peer = supervisor.connect()
        self.assertEqual(hello(peer)["limits"], {"frameBytes": 8192})
        peer.send_payload(sized(8192))
        self.assertEqual(peer.answer("sized")["result"], json.loads(sized(8192))["params"])
        peer.send_bytes(struct.pack(">I", 8193))
        peer.complaint(-32700)
        peer.expect_end_now()

    def test_frameTimeout(self):
        supervisor = self.start_fast(*limited(frameTimeout="200ms"))
        peer = supervisor.peer()
        peer.alive()
        peer.send_bytes(b"\0")
        peer.complaint(-32700)
        peer.expect_end_now()

    def test_the_time_of_a_frame_begins_with_its_own_first_byte(self):
        """The deadline counts even if the frame arrives together with the rest of an earlier frame, or later than that frame's deadline."""
        supervisor = self.start_fast(*limited(frameTimeout="1s"))
        ping = frame(message(id="p", method="ping"))
        for later in (b"", ping[:10]):
            with self.subTest(later=later):
                peer = supervisor.peer()
                peer.send_bytes(ping[:10])
                # By the supervisor's own timers, this takes most of the first frame's time.
                supervisor.peer().refused(-32003, "wait", {"for": "active", "timeout": 0.7})
                begin = time.monotonic()
                peer.send_bytes(ping[10:] + later)
                self.assertIn("result", peer.answer("p"))
                if not later:
                    supervisor.peer().refused(-32003, "wait", {"for": "active", "timeout": 0.4})
                    begin = time.monotonic()
                    peer.send_bytes(ping[:10])
                peer.complaint(-32700)
                self.assertGreaterEqual(time.monotonic() - begin, 0.99)

    def test_the_time_of_a_frame_begins_when_the_answer_to_the_one_before_has_been_read(self):
        """Until then, the client's bytes aren't read either."""
        supervisor = self.start_fast(*limited(frameTimeout="1s", answerBytes="64KiB"))
        first = frame(sized(900_000))
        peer = supervisor.peer()
        peer.send_bytes(first[:10])
        # By the supervisor's own timers, this takes most of the first frame's time.
        supervisor.peer().refused(-32003, "wait", {"for": "active", "timeout": 0.7})
        begin = time.monotonic()
        peer.send_bytes(first[10:] + first[:10])
        self.assertIn("result", peer.answer("sized"))
        peer.complaint(-32700)
        self.assertGreaterEqual(time.monotonic() - begin, 0.99)

    def test_connections(self):
        """Root and the supervisor's own user have 16 more, which others can't use."""
        supervisor = self.start_fast(*limited(connections=3), *self.observers(4))
        os.chmod(supervisor.directory, 0o755)
        if os.geteuid() == 0:
            # The client of the readiness check may still be connected for a moment.
            for user in (STRANGER, STRANGER + 1, STRANGER + 2):
                until(lambda user=user: self.has_let_in(supervisor.peer_of_another_process(user)[0]), "three of them")
            self.refused(supervisor.peer_of_another_process(STRANGER + 3)[0])
        else:
            peers = [supervisor.peer() for _ in range(3)]
        peers = [supervisor.peer() for _ in range(16)]
        self.refused(supervisor.connect())
        peers.pop().close()
        until(lambda: self.is_served(supervisor), "a place")

    @unittest.skipUnless(os.geteuid() == 0, "another user requires root")
    def test_a_user_has_at_most_half_of_the_connections_of_each_socket(self):
        """The other half is for other users; root and the supervisor's own user may have all. A closed connection is free again."""
        directory = self.directory()
        os.chmod(directory, 0o755)
        observe = os.path.join(directory, "o")
        supervisor = self.start_fast(*limited(connections=6), *self.observers(2), "--observe-socket", observe, directory=directory)
        until(lambda: os.path.exists(observe), "the second socket")
        for path in (supervisor.path, observe):
            with self.subTest(path):
                own = [self.admitted(supervisor, STRANGER, path) for _ in range(3)]
                for _ in range(3):
                    message = self.refused(supervisor.peer_of_another_process(STRANGER, path=path)[0])
                    self.assertIn(f"more than 3 connections of user {STRANGER}, half of the limit of 6", message)
                other = self.admitted(supervisor, STRANGER + 1, path)
                # The processes of later clients inherited the descriptor, so closing it wouldn't disconnect.
                own.pop().stream.shutdown(socket.SHUT_RDWR)
                own.append(self.admitted(supervisor, STRANGER, path))
                other.stream.shutdown(socket.SHUT_RDWR)
                for _ in range(3):
                    until(lambda path=path: self.has_let_in(self.connected(path)), "root in the other half")

    def connected(self, path):
        """A connection of this process before hello."""
        peer = Peer(connected(path))
        self.addCleanup(peer.close)
        return peer

    def observers(self, count):
        """The options that let this many strangers observe."""
        users = [word for user in range(count) for word in ("--allow-observe", str(STRANGER + user))]
        return ["--socket-mode", "666", *users]

    def admitted(self, supervisor, user, path):
        """Opens a connection of this user, as soon as there is room for it."""
        def attempt():
            peer = supervisor.peer_of_another_process(user, path=path)[0]
            return peer if self.has_let_in(peer) else None

        return until(attempt, "a place")

    def has_let_in(self, peer):
        with contextlib.suppress(AssertionError, OSError):
            return hello(peer)

    def refused(self, further):
        refused = json.loads(b"".join(iter(lambda: further.stream.recv(4096), b""))[4:])
        self.assertEqual((refused["error"]["code"], refused["error"]["data"]["limit"]), (-32007, "connections"))
        return refused["error"]["message"]

    def test_observers_dont_count_at_the_main_socket(self):
        observe = os.path.join(self.directory(), "o")
        supervisor = self.start_fast(*limited(connections=2, silentConnections=2), "--observe-socket", observe)
        # The second socket exists once the first one answers.
        supervisor.peer().close()
        silent = supervisor.connect()
        looking = [Peer(connected(observe)) for _ in range(2)]
        for each in looking:
            self.addCleanup(each.close)
            hello(each)
        for _ in range(5):
            with contextlib.closing(Peer(connected(observe))) as further:
                self.refused(further)
        for _ in range(2):
            supervisor.peer()
        hello(silent)

    def is_served(self, supervisor):
        with contextlib.suppress(AssertionError, OSError), contextlib.closing(supervisor.connect()) as peer:
            hello(peer)
            return True

    def test_silentConnections(self):
        supervisor = self.start_fast(*limited(silentConnections=2))
        first, second, third = (supervisor.connect() for _ in range(3))
        first.expect_end_now()
        for peer in (second, third):
            hello(peer)

    def test_silent_connections_at_one_socket_close_none_at_the_other(self):
        directory = self.directory()
        observe = os.path.join(directory, "o")
        supervisor = self.start_fast(*limited(silentConnections=2), "--observe-socket", observe, directory=directory)
        until(lambda: os.path.exists(observe), "the second socket")
        peers = [self.connected(path) for _ in range(2) for path in (supervisor.path, observe)]
        for peer in peers:
            hello(peer)

    def test_helloTimeout(self):
        supervisor = self.start_fast(*limited(helloTimeout="200ms"))
        greeted, silent = supervisor.peer(), supervisor.connect()
        silent.expect_end_now()
        greeted.alive()

    def test_initializers(self):
        supervisor = self.start_with("a: { worker: true }", *limited(initializers=3))
        peer = supervisor.peer()
        peer.register("b", "c")
        refused = peer.refused(-32007, "register", {"initializers": [{"name": "d"}]})
        self.assertEqual(refused["data"]["limit"], "initializers")
        peer.register("a")

    def test_declarationBytes(self):
        supervisor = self.start_fast(*limited(declarationBytes="4096"))
        peer = supervisor.peer()
        names = [f"{'n' * 90}{number}" for number in range(50)]
        error = peer.refused(-32007, "register", {"initializers": [{"name": "all", "dependencies": names}]})
        self.assertEqual(error["data"]["limit"], "declarationBytes")
        peer.register({"name": "few", "dependencies": names[:30]})
        peer.refused(-32007, "register", {"initializers": [{"name": "more", "dependencies": names[:20]}]})
        peer.ok("unregister", names=["few"])
        peer.register({"name": "more", "dependencies": names[:30]})
        peer.ok("unregister", names=["more"])
        # Each name counts its bytes and three.
        exact = ["n" * 97] * 40 + ["n" * 90]
        exact = [f"{number:02}{name}"[: len(name)] for number, name in enumerate(exact)]
        self.assertEqual(sum(len(name) + 3 for name in [*exact, "a"]), 4097)
        peer.refused(-32007, "register", {"initializers": [{"name": "a", "dependencies": exact}]})
        peer.register({"name": "a", "dependencies": [*exact[:-1], exact[-1][:-1]]})

    def test_allWaits(self):
        supervisor = self.start_fast(*limited(allWaits=5))
        peers = [supervisor.peer() for _ in range(2)]
        for number in range(5):
            peers[number % 2].request("wait", {"for": "active"})
        # Two connections are read in any order: wait until the other one's waits are open before the wait that exceeds the limit.
        peers[1].alive()
        error = peers[0].refused(-32007, "wait", {"for": "active"})
        self.assertEqual(error["data"]["limit"], "allWaits")
        peers[1].close()
        until(lambda: "error" not in self.try_wait(supervisor), "room for a wait")

    @unittest.skipUnless(os.geteuid() == 0, "other users require root")
    def test_a_user_has_at_most_half_of_all_waits(self):
        """The other half is for other users; root may have all. When a wait is answered, or its client is gone, its place is free again."""
        supervisor = self.start_fast(*limited(allWaits=7), *self.observers(2))
        os.chmod(supervisor.directory, 0o755)
        first, second, other = (self.admitted(supervisor, user, supervisor.path) for user in (STRANGER, STRANGER, STRANGER + 1))
        first.request("wait", {"for": "active"})
        first.request("wait", {"for": "active"})
        first.alive()
        second.request("wait", {"initializer": "a", "appear": True})
        second.alive()
        for peer in (first, second):
            error = peer.refused(-32007, "wait", {"for": "active"})
            self.assertEqual(error["data"]["limit"], "allWaits")
            self.assertIn(f"more than 3 waits of user {STRANGER}", error["message"])
        other.request("wait", {"for": "active"})
        other.alive()
        root = supervisor.peer()
        for _ in range(2):
            root.request("wait", {"for": "active"})
        root.alive()
        worker = supervisor.worker("a")
        worker.expect_run("a").succeed()
        second.alive()
        first.request("wait", {"for": "active"})
        first.alive()
        self.assertIn(f"of user {STRANGER}", second.refused(-32007, "wait", {"for": "active"})["message"])
        first.stream.shutdown(socket.SHUT_RDWR)
        until(lambda: self.has_wait(second), "room for a wait")

    def has_wait(self, peer):
        """Whether a wait isn't refused."""
        request = peer.request("wait", {"for": "active", "timeout": 0.01})
        return peer.answer(request)["error"]["code"] == -32003

    def try_wait(self, supervisor):
        """A wait that is refused at once, or times out."""
        peer = supervisor.peer()
        answer = peer.call("wait", {"for": "active", "timeout": 0.01})
        peer.close()
        return {} if answer["error"]["code"] == -32003 else answer

    def test_clientBytes(self):
        supervisor = self.start_fast(*limited(clientBytes="64KiB"))
        honest = supervisor.peer("honest")
        for number in range(2):
            hog = supervisor.peer(f"hog{number}")
            # Bytes of an incomplete frame.
            hog.send_bytes(struct.pack(">I", 1 << 20) + b"x" * (100 << 10))
            hog.expect_end()
            supervisor.program.until_err(f"disconnected hog{number}")
            honest.alive()
        # The memory of the disconnected client is free again: another client may use some of it.
        large = frame(sized(20 << 10))
        honest.send_bytes(large[: 10 << 10])
        supervisor.peer().alive()
        honest.send_bytes(large[10 << 10 :])
        self.assertIn("result", honest.answer("sized"))

    def test_waits(self):
        supervisor = self.start_fast(*limited(waits=2))
        peer = supervisor.peer()
        for _ in range(2):
            peer.request("wait", {"for": "active"})
        refused = peer.refused(-32007, "wait", {"for": "active"})
        self.assertEqual(refused["data"]["limit"], "waits")
        supervisor.peer().call("wait", {"for": "launch"})

    def test_an_answered_wait_no_longer_counts(self):
        """However it was answered: its target settled, or it timed out."""
        supervisor = self.start_fast("--activate", *limited(waits=2, allWaits=2))
        peer = supervisor.peer()
        for number in range(5):
            worker = supervisor.worker({"name": f"a{number}", "priority": "appActive"})
            waits = [peer.request("wait", {"initializer": f"a{number}"}) for _ in range(2)]
            worker.expect_run(f"a{number}").succeed()
            for wait in waits:
                self.assertEqual(peer.answer(wait)["result"]["state"], "complete")
            for _ in range(2):
                peer.refused(-32003, "wait", {"initializer": "never", "appear": True, "timeout": 0.01})

    def test_eventBytes(self):
        """The kernel's own buffer isn't counted; a client with a tiny queue lags as soon as that buffer is full."""
        supervisor = self.start_fast("--activate", *limited(eventBytes="1KiB"))
        worker = supervisor.worker({"name": "a", "priority": "appActive"})
        run = worker.expect_run("a")
        reader, deaf = supervisor.peer(), supervisor.peer()
        for peer in (reader, deaf):
            peer.ok("subscribe", topics=["initializer"])
        for number in range(1000):
            run.progress(message=f"{number} " + "x" * 1000)
            reader.event()
        received = 0
        while (event := deaf.event())["topic"] == "initializer":
            received += 1
        self.assertEqual(event["topic"], "lagged")
        self.assertGreaterEqual(event["dropped"], 1000 - received - 2)
        self.assertLess(received * 1000, 1 << 19, "the kernel's share, and 1 KiB")

    def test_answerBytes(self):
        """The supervisor reads no more from a client with this many unread bytes."""
        sizes = {}
        for limit in ("1KiB", "8MiB"):
            supervisor = self.start_fast(*limited(answerBytes=limit))
            peer = supervisor.peer()
            peer.stream.setblocking(False)
            request, taken = frame(message(id=1, method="ping", params={"x": "y" * 10_000})), 0
            with contextlib.suppress(BlockingIOError):
                while taken < 16 << 20:
                    if not select.select([], [peer.stream], [], 0.5)[1]:
                        break
                    taken += peer.stream.send(request)
            sizes[limit] = taken
        self.assertLess(sizes["1KiB"], 2 << 20)
        self.assertGreater(sizes["8MiB"], 6 << 20)

    def test_framesPerTurn(self):
        """Clients don't notice it: all requests are answered in order."""
        for number in (1, 1000):
            peer = self.start_fast(*limited(framesPerTurn=number)).peer()
            peer.send_bytes(b"".join(frame(message(id=each, method="ping")) for each in range(500)))
            self.assertEqual([peer.receive()["id"] for _ in range(500)], list(range(500)))

    def logged(self, command, **limits):
        supervisor = self.start_with(f"a: {{ command: {command} }}", *limited(**limits))
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        return [each["line"] for each in peer.ok("logs", limit=1000)["lines"]]

    def test_logLines(self):
        self.assertEqual(self.logged("seq 10", logLines=3), ["8", "9", "10"])

    def test_logBytes(self):
        self.assertEqual(self.logged("seq 1000 1009", logBytes=8), ["1008", "1009"])

    def test_logLineBytes(self):
        self.assertEqual(self.logged("echo 0123456789abcdefgh", logLineBytes=16), ["0123456789abcdef", "gh"])

    def test_outputDrain(self):
        """Output of a remaining process is read for this long, and no longer."""
        supervisor = self.start_with(
            "a: { command: 'setsid sh -c \"touch up; until test -e late; do sleep 0.01; done; echo late\" & until test -e up; do :; done; echo early' }",
            *limited(outputDrain="30s"),
        )
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.write(supervisor.file("late"), "")
        until(lambda: [each["line"] for each in peer.ok("logs")["lines"]] == ["early", "late"], "what came late")

    def test_the_output_of_at_most_16_ended_commands_is_read(self):
        """Then the oldest one's is closed: each takes descriptors."""
        script = "setsid sh -c \"touch up-$INITD_INITIALIZER; exec sleep 600\" & until test -e up-$INITD_INITIALIZER; do :; done"
        left = f"{{ command: '{script}', priority: PRIORITY }}"
        names = [(f"l{number}", "appLaunch") for number in range(16)] + [(f"a{number}", "appActive") for number in range(4)]
        supervisor = self.start_with("\n".join(f"{name}: {left.replace('PRIORITY', priority)}" for name, priority in names), *limited(outputDrain="600s"))
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        before = self.pipes(supervisor)
        self.assertGreaterEqual(before, 32)
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        self.assertEqual(self.pipes(supervisor), before)

    def pipes(self, supervisor):
        """Returns how many ends of pipes the supervisor has, after its work at the end of a turn."""
        supervisor.peer().alive()
        numbers = os.listdir(f"/proc/{supervisor.pid}/fd")
        return sum(os.readlink(f"/proc/{supervisor.pid}/fd/{number}").startswith("pipe:") for number in numbers)

    def test_outputBytes(self):
        supervisor = self.start_with("a: { command: 'printf 12345 > \"$INITD_OUTPUT\"' }", *limited(outputBytes=5))
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        supervisor = self.start_with("a: { command: 'printf 123456 > \"$INITD_OUTPUT\"' }", *limited(outputBytes=5))
        self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed")

    def worker_that_ends(self, **limits):
        text = self.manifest() + "workers:\n  w: { command: 'echo x >> starts; sleep 0.05; exit 1', backoff: { delay: 1ms, maxDelay: 1ms } }\n"
        return self.start(text, *limited(**limits))

    def test_workerBurst(self):
        supervisor = self.worker_that_ends(workerBurst=3)
        supervisor.program.until_err("given up")
        self.assertEqual(len(supervisor.lines("starts")), 3)
        # Earlier exits don't count if a client starts it again.
        supervisor.peer().ok("launch")
        supervisor.until_lines("starts", 6)

    def test_workerSettled(self):
        """The exit of a process that ran this long doesn't count."""
        supervisor = self.worker_that_ends(workerBurst=2, workerSettled="1ms")
        supervisor.until_lines("starts", 10)

    def test_a_burst_of_one_doesnt_affect_settled_workers(self):
        supervisor = self.worker_that_ends(workerBurst=1, workerSettled="1ms")
        supervisor.until_lines("starts", 5)
        supervisor = self.worker_that_ends(workerBurst=1)
        supervisor.program.until_err("given up")
        self.assertEqual(len(supervisor.lines("starts")), 1)

    def test_farewell(self):
        """A client that doesn't read its last message is disconnected after this time."""
        supervisor = self.start_fast(*limited(farewell="100ms"))
        before = Calm(supervisor)
        peer = supervisor.peer()
        peer.send_bytes(b"\xff" * 4)
        before.assert_back()

    def test_an_invalid_limit_or_value_is_refused_with_a_remedy(self):
        for text, words in (
            ("connections", "NAME=VALUE"), ("speed=1", "use one of"), ("connections=0", "from 1"), ("connections=many", "a number"),
            ("frameBytes=1KiB", "from 4KiB"), ("frameBytes=16MiB", "16777215"), ("frameBytes=4kb", "64KiB"), ("helloTimeout=0s", "from 1ms"),
            ("helloTimeout=soon", "30s"), ("helloTimeout=", "30s"), ("=1", "use one of"), ("frameBytes=99999999999999999999MiB", "MiB"),
        ):  # fmt: skip
            with self.subTest(text):
                finished = self.assertStatus(self.initd("--limit", text), 64)
                self.assertIn(words, finished.err)


if __name__ == "__main__":
    unittest.main()
