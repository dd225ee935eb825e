"""Faults of subscribers: one subscriber that never reads, and some that disconnect, don't affect the other clients."""

import os
import unittest

from calm import calm
from deadlines import until
from flood import Flood, greeted
from peer import frame, message
from supervisor import Conformance

LONG = bool(os.environ.get("LONG"))

QUIET = ("--log-level", "error")


def active(name, **more):
    return {"name": name, "priority": "appActive"} | more


class SubscriberTests(Conformance):
    TOPICS = ["launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log"]

    def events(self, count, subscribers, size):
        """Sends this many events to this many subscribers, one of which never reads: all others get all events, with the same bytes."""
        supervisor = self.start_fast(*QUIET, "--activate", "--limit", f"connections={subscribers + 2}")
        with calm(supervisor):
            worker = supervisor.worker(active("a"))
            run = worker.expect_run("a")
            peers = [greeted(supervisor.path) for _ in range(subscribers)]
            for peer in peers:
                peer.ok("subscribe", topics=["initializer"])
            deaf, first, *others = peers
            # A batch isn't larger than a socket's buffer, so only a client that doesn't read falls behind.
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
            self.assertTrue(more, "a subscriber that reads was disconnected")
            found += more
        return bytes(found)

    def test_one_subscriber_of_five_never_reads_through_100000_events(self):
        self.events(100_000, 5, 100)

    def test_one_subscriber_of_1000_never_reads(self):
        """More than the queue's limit; with LONG=1 all 100,000 events."""
        if LONG:
            self.events(100_000, 1000, 100)
        else:
            self.events(2000, 1000, 500)

    def test_a_subscriber_disconnects_during_a_write_1000_times(self):
        """The subscriber has read none, a few or only the first of its messages, and leaves an incomplete frame in a full socket."""
        supervisor = self.start_fast(*QUIET, "--activate")
        with calm(supervisor):
            talking = Flood(self, self.talk, lambda: self.talker(supervisor))
            talking.until(10)
            for number in range(1000):
                peer = greeted(supervisor.path)
                peer.ok("subscribe", topics=self.TOPICS)
                for _ in range(number % 3):
                    peer.event_where(topic="initializer")
                if number % 100 == 0:
                    talking.until(70)  # More than the limit of its queue: events are dropped, and their number hasn't been sent yet.
                peer.close()
            talking.alive()
            talking.stop()
            peer = supervisor.peer()
            until(lambda: peer.status()["workers"] == [], "the loss")
            peer.ok("unregister", names=["a"])
            peer.close()

    def talker(self, supervisor):
        """A run of a worker that sends reports."""
        worker = greeted(supervisor.path, "talker")
        worker.register(active("a"))
        return worker.expect_run("a")

    def talk(self, run):
        """Sends 20 KB of reports, each to all subscribers, and waits until all have read them."""
        for _ in range(20):
            run.progress(message="x" * 1000)
        run.peer.alive()


if __name__ == "__main__":
    unittest.main()
