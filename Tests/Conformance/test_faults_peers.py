"""Faults of peers: whatever clients and workers do, or stop doing, the supervisor serves the others and is as it was afterwards."""

import contextlib
import os
import unittest

import shapes
from calm import PROMPTLY, calm
from deadlines import until
from flood import Flood, fresh_status, percentile, queued, timed
from peer import frame, hello, message
from supervisor import Conformance

LONG = bool(os.environ.get("LONG"))
KEPT_SILENT = 64
"""How many connections that haven't said hello are kept."""

CONNECTIONS = 1000
"""How many connections there may be."""

HELLO = message(id=1, method="hello", params={"protocol": 1, "client": {"name": "conformance", "version": "1"}})
QUIET = ("--log-level", "error")
"""For what is logged more often than the pipe of the log, which is read at the end, has room for."""


def active(name, **more):
    return {"name": name, "priority": "appActive"} | more


def come_and_go(path, data=b""):
    """Somebody who connects, says that, and hangs up without reading."""
    with contextlib.closing(queued(path)) as peer, contextlib.suppress(BrokenPipeError):
        peer.send_bytes(data)


def silent_ones(path, silent, most=200):
    """One more that says nothing; the oldest of them goes, if they are more than `most`."""
    silent.append(queued(path))
    if len(silent) > most:
        silent.pop(0).close()


PIPELINED = frame(message(id=1, method="status")) * 1000 + frame(message(id="the last", method="ping"))


def pipeline(peer):
    """1,000 requests at once, and their answers, read as bytes."""
    peer.send_bytes(PIPELINED)
    tail = b""
    while b"the last" not in tail:
        tail = tail[-10:] + peer.stream.recv(1 << 20)


def greeted(path, name="conformance"):
    peer = queued(path)
    hello(peer, name)
    return peer


class HonestTests(Conformance):
    """Under floods `status` takes a new client, and one that has been there, no longer than promptly in 99 of 100 cases."""

    CALLS = 300

    def floods(self, supervisor):
        """What a flood does, and what it begins with."""
        path = supervisor.path
        return {
            "connect and close": (lambda _: come_and_go(path), lambda: None),
            "say hello and close": (lambda _: come_and_go(path, frame(HELLO)), lambda: None),
            "say nothing": (lambda silent: silent_ones(path, silent), list),
            "pipeline": (pipeline, lambda: greeted(path)),
        }

    def honest_under(self, floods, copies, is_spoken=False):
        """So many processes of each of these floods, and a command whose output doesn't end."""
        supervisor = self.start_with(
            """\
            first: { command: "true" }
            spoken: { command: exec yes a line of output neither short nor long, priority: appActive }
            """,
            *QUIET,
        )
        with contextlib.closing(supervisor.peer()) as peer:
            peer.ok("wait", for_="launch")  # Of the first command some descriptors are kept for the next.
        with calm(supervisor):
            flowing = [Flood(self, *self.floods(supervisor)[each]) for each in floods for _ in range(copies)]
            honest = greeted(supervisor.path)
            if is_spoken:
                honest.ok("activate")
                until(lambda: honest.ok("logs", limit=1)["lines"], "output")
            for each in flowing:
                each.until(10)
            before = [each.count for each in flowing]
            times = {
                "who has been there": [timed(honest.status) for _ in range(self.CALLS)],
                "a new client": [timed(lambda: fresh_status(supervisor.path)) for _ in range(self.CALLS)],
            }
            after = [each.count for each in flowing]
            for each in flowing:
                each.alive()
                each.stop()
            if is_spoken:
                self.assertEqual(honest.initializer("spoken")["status"], "running")
                honest.ok("deactivate", wait=True)
            honest.close()
        for then, now in zip(before, after):
            self.assertGreater(now, then, "a flood that doesn't flow")
        for who, took in times.items():
            self.assertLess(percentile(took, 0.99), PROMPTLY, f"{who} waits so long; the median is {percentile(took, 0.5)}")

    def test_under_a_flood_of_connections_that_close(self):
        self.honest_under(["connect and close", "say hello and close"], 2)

    def test_under_a_flood_of_connections_that_say_nothing(self):
        self.honest_under(["say nothing"], 3)

    def test_under_a_flood_of_pipelined_requests(self):
        self.honest_under(["pipeline"], 3)

    def test_under_a_flood_of_output(self):
        self.honest_under([], 0, is_spoken=True)

    def test_under_all_floods_at_once(self):
        self.honest_under(["connect and close", "say nothing", "pipeline"], 1, is_spoken=True)


class SilentTests(Conformance):
    def test_200_say_nothing_while_a_201st_works(self):
        """The oldest go without a word and 64 stay, of whom it was one itself until its hello; nobody has to go who has said that."""
        supervisor = self.start_fast()
        with calm(supervisor):
            silent = [queued(supervisor.path) for _ in range(200)]
            working = greeted(supervisor.path)
            self.assertLess(percentile([timed(working.status) for _ in range(100)], 0.99), PROMPTLY)
            working.register("a")
            working.expect_run("a").succeed()
            self.assertEqual(working.ok("wait", for_="launch")["state"], "complete")
            working.ok("unregister", names=["a"])
            stayed = silent[-(KEPT_SILENT - 1) :]
            for peer in silent[: -len(stayed)]:
                peer.expect_end_now()
                peer.close()
            for peer in stayed:
                hello(peer)
                peer.alive()
                peer.close()
            working.close()

    def test_200_say_nothing_after_hello(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            silent = [greeted(supervisor.path) for _ in range(200)]
            working = greeted(supervisor.path)
            self.assertLess(percentile([timed(working.status) for _ in range(100)], 0.99), PROMPTLY)
            for peer in [working, *silent]:
                peer.alive()
                peer.close()

    def test_of_more_than_1000_connections_the_further_are_told_so(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            peers = [greeted(supervisor.path) for _ in range(CONNECTIONS)]
            for _ in range(200):
                with contextlib.closing(queued(supervisor.path)) as further:
                    said = b"".join(iter(lambda: further.stream.recv(4096), b""))
                    refused = shapes.loads(said[4:])
                    self.assertEqual((refused["id"], refused["error"]["code"]), (None, -32007))
                    self.assertEqual(refused["error"]["data"]["limit"], "connections")
            for peer in peers:
                peer.alive()
                peer.close()


class FloodTests(Conformance):
    """Connections that come and go as fast as they can, and leave at every point of a conversation."""

    TIMES = 2000

    def test_who_connects_and_closes(self):
        register = frame(message(id=2, method="register", params={"initializers": [{"name": "a"}]}))
        waiting = frame(message(id=3, method="wait", params={"for": "active"})) + frame(message(id=4, method="subscribe"))
        held = frame(message(id=5, method="activate", params={"hold": True}))
        for said in (b"", b"\0", b"\xff", frame(HELLO), frame(HELLO) + waiting + held, frame(HELLO) + register + waiting + held):
            with self.subTest(said=said):
                supervisor = self.start_fast(*QUIET, "--no-launch")
                come_and_go(supervisor.path, said)
                with calm(supervisor):
                    flood = Flood(self, lambda _: come_and_go(supervisor.path, said))
                    flood.until(self.TIMES)
                    flood.stop()
                status = supervisor.peer().status()
                self.assertEqual((status["workers"], status["holds"], status["lifecycle"]), ([], 0, "inactive"))


class SubscriberTests(Conformance):
    TOPICS = ["launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log"]

    def events(self, count, subscribers, size):
        """So many events to so many subscribers, one of which never reads: the others get the same bytes, and all of them."""
        supervisor = self.start_fast(*QUIET, "--activate")
        with calm(supervisor):
            worker = supervisor.worker(active("a"))
            run = worker.expect_run("a")
            peers = [greeted(supervisor.path) for _ in range(subscribers)]
            for peer in peers:
                peer.ok("subscribe", topics=["initializer"])
            deaf, first, *others = peers
            # No more at a time than a socket has room for: nobody is late but who doesn't read.
            batch = max(1, 64 * 1024 // (size + 500))
            for start in range(0, count, batch):
                numbers = range(start, min(start + batch, count))
                worker.send_bytes(b"".join(self.progress(run, number, size) for number in numbers))
                sent = self.frames(first, len(numbers))
                for peer in others:
                    if (got := self.bytes(peer, len(sent))) != sent:
                        self.assertEqual(got, sent)
            self.assertIn(self.progress(run, count - 1, size)[-size:-4], sent)
            deaf.event_where(topic="lagged")
            self.assertEqual(deaf.event()["topic"], "snapshot")
            run.succeed()
            worker.ok("unregister", names=["a"])
            for peer in [worker, *peers]:
                peer.close()

    def progress(self, run, number, size):
        return frame(message(method="progress", params={"run": run.number, "message": f"{number} " + "x" * size}))

    def frames(self, peer, count):
        """The next frames, as bytes."""
        found = b""
        for _ in range(count):
            header = self.bytes(peer, 4)
            found += header + self.bytes(peer, int.from_bytes(header, "big"))
        return found

    def bytes(self, peer, count):
        """The next bytes."""
        found = bytearray()
        while len(found) < count:
            more = peer.stream.recv(count - len(found))
            self.assertTrue(more, "a subscriber that reads was put out")
            found += more
        return bytes(found)

    def test_100000_events_one_subscriber_of_ten_never_reads(self):
        self.events(100_000, 10, 100)

    def test_one_subscriber_of_as_many_as_there_may_be_never_reads(self):
        """As much as is kept for one and more; with LONG=1 all of 100,000 events."""
        others = 2  # The worker, and who asks afterwards whether all is well.
        if LONG:
            self.events(100_000, CONNECTIONS - others, 100)
        else:
            self.events(200, CONNECTIONS - others, 8000)


if __name__ == "__main__":
    unittest.main()
