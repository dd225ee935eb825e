"""The cancel grace: how long a worker that stops waits for runs that don't."""

import asyncio
import inspect
import threading
import unittest

from appinitializers import Worker

from .fake_supervisor import DEADLINE, FakeSupervisor
from .logs import logged
from .working import serving

TOLD = ["stopped waiting for a, which didn't end within the cancel grace"]


class GraceTests(unittest.TestCase):
    def setUp(self):
        self.go_on = threading.Event()
        self.addCleanup(self.go_on.set)

    def check(self, function):
        """A worker that stops leaves this function behind."""

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")
            worker.stop()
            peer.reply("unregister", {})
            peer.expect_end()

        with logged() as log, FakeSupervisor(script) as supervisor:
            worker = Worker(supervisor.path, cancel_grace=0.1)
            worker.initializer("a")(function)
            with serving(worker) as failures:
                pass
            self.assertEqual((failures, log.lines), ([], TOLD))

    def test_it_is_4_5_s_by_default(self):
        self.assertEqual(inspect.signature(Worker).parameters["cancel_grace"].default, 4.5)

    def test_a_function_that_blocks(self):
        def a(context):
            context.progress(0)
            self.go_on.wait()

        self.check(a)

    def test_a_coroutine_that_is_not_cancelled(self):
        async def a(context):
            context.progress(0)
            while not self.go_on.is_set():
                try:
                    await asyncio.sleep(0.1)
                except asyncio.CancelledError:
                    pass

        self.check(a)

    def test_a_coroutine_that_blocks_its_loop(self):
        async def a(context):
            context.progress(0)
            self.go_on.wait()

        self.check(a)

    def test_a_coroutine_that_waits_for_a_thread(self):
        async def a(context):
            context.progress(0)
            blocked = asyncio.ensure_future(asyncio.to_thread(self.go_on.wait))
            try:
                await asyncio.shield(blocked)
            except asyncio.CancelledError:
                await blocked

        self.check(a)

    def test_a_supervisor_that_is_lost(self):
        lost = threading.Event()

        class Losing(Worker):
            def on_lost(self, reason):
                lost.set()

        def a(context):
            context.progress(0)
            self.go_on.wait()

        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")

        with logged() as log, FakeSupervisor(lose) as supervisor:
            worker = Losing(supervisor.path, cancel_grace=0.1)
            worker.initializer("a")(a)
            with serving(worker) as failures:
                self.assertTrue(lost.wait(DEADLINE))
                worker.stop()
            self.assertEqual((failures, log.lines), ([], TOLD))

    def test_a_run_that_stops_within_it_is_answered(self):
        def a(context):
            context.progress(0)
            context.wait()
            self.go_on.wait()

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")
            worker.stop()
            peer.reply("unregister", {})
            self.go_on.set()
            self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.expect_end()

        with logged() as log, FakeSupervisor(script) as supervisor:
            worker = Worker(supervisor.path, cancel_grace=float("inf"))
            worker.initializer("a")(a)
            with serving(worker) as failures:
                pass
        self.assertEqual((failures, log.lines), ([], []))

    def test_a_worker_that_runs_again_waits_for_what_it_left_behind(self):
        seen = []

        def a(context):
            context.progress(0)
            self.go_on.wait()
            seen.append(context.run)

        def first(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")
            worker.stop()
            peer.reply("unregister", {})
            peer.expect_end()

        def second(peer):
            seen.append("connected")
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            worker.stop()
            peer.reply("unregister", {})
            peer.expect_end()

        with logged(), FakeSupervisor(first, second) as supervisor:
            worker = Worker(supervisor.path, cancel_grace=0.1)
            worker.initializer("a")(a)
            with serving(worker):
                pass
            ending = threading.Timer(0.1, self.go_on.set)
            with serving(worker) as failures:
                ending.start()
            ending.join()
        self.assertEqual((failures, seen), ([], [1, "connected"]))


if __name__ == "__main__":
    unittest.main()
