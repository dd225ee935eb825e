"""Connections that are lost leave nothing behind: no thread, no descriptor, no run."""

import logging
import os
import threading
import unittest
import warnings
from unittest import mock

from appinitializers import Worker, waiting

from .fake_supervisor import FakeSupervisor
from .kinds import Asynchronous, Blocking, Both
from .test_hold import ACTIVATED
from .test_subscription import idle, losing, serving as subscribed
from .working import serving

LOSSES = 1000


def resources():
    """Returns the number of descriptors and threads."""
    return len(os.listdir("/proc/self/fd")), threading.active_count()


class Counted(unittest.TestCase):
    def setUp(self):
        super().setUp()
        logging.getLogger("appinitializers").setLevel(logging.CRITICAL)
        for patch in (mock.patch.object(waiting, "FIRST", 0.0001), mock.patch.object(waiting, "LONGEST", 0.001)):
            patch.start()
            self.addCleanup(patch.stop)
        warnings.simplefilter("error", ResourceWarning)
        self.addCleanup(warnings.resetwarnings)


class WorkerLeakTests(Counted):
    def test_a_worker_that_loses_a_thousand_connections_in_the_middle_of_its_runs(self):
        before = resources()
        counts, ended = [], []

        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a", "b"]})
            peer.run(1, "a")
            peer.run(2, "b")
            peer.expect("progress")
            peer.expect("progress")

        def count(peer):
            lose(peer)
            counts.append(resources())

        def last(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a", "b"]})
            self.assertEqual(worker._runs.names, [])
            worker.stop()
            peer.reply("unregister", {})
            peer.expect_end()

        with FakeSupervisor(*[count if each % 100 == 99 else lose for each in range(LOSSES)], last) as supervisor:
            worker = Worker(supervisor.path)

            @worker.initializer("a")
            def a(context):
                context.progress(0)
                context.wait()
                ended.append(context.reason)

            @worker.initializer("b")
            async def b(context):
                import asyncio

                context.progress(0)
                try:
                    await asyncio.sleep(3600)
                finally:
                    ended.append(context.reason)

            with serving(worker, within=100) as failures:
                pass
        self.assertEqual((failures, ended), ([], ["lost"] * 2 * LOSSES))
        for count in counts[1:]:
            self.assertLessEqual(count[0], counts[0][0] + 8, counts)
            self.assertLessEqual(count[1], counts[0][1] + 8, counts)
        Blocking().wait_until(lambda: resources() == before)  # The last threads are ending.


class ClientLeakTests(Both, Counted):
    def test_a_subscription_and_a_hold_that_lose_many_connections(self):
        def lose(peer):
            peer.greet()
            peer.reply("activate", ACTIVATED)

        def hold(peer):
            peer.greet()
            peer.reply("activate", dict(ACTIVATED, **{"pass": 9}))
            peer.reply("release", {})
            peer.expect_end()

        before = resources()
        subscriptions = [losing() for _ in range(100)] + [subscribed(seq=9)]
        with FakeSupervisor(idle, *subscriptions) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()) as events:
                while events.snapshot["seq"] != 9:
                    self.kind.next(events)
        with FakeSupervisor(idle, *[lose] * 100, hold) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.hold()) as held:
                self.kind.wait_until(lambda: held.activated["pass"] == 9)
        self.kind.wait_until(lambda: resources() == before)  # The last threads are ending.


class AsyncClientLeakTests(ClientLeakTests):
    Kind = Asynchronous


if __name__ == "__main__":
    unittest.main()
