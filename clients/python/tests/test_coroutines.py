"""Initializers that are coroutines."""

import asyncio
import logging
import subprocess
import sys
import threading
import unittest

from appinitializers import Context, NoSupervisor, Worker
from appinitializers.coroutines import EventLoop

from .fake_supervisor import DEADLINE, FakeSupervisor
from .working import PACKAGE, play


RUN = {"run": 1, "initializer": "a", "pass": 1, "phase": "launch", "attempt": 1}


class CoroutineTests(unittest.TestCase):
    def setUp(self):
        logging.getLogger("appinitializers").setLevel(logging.CRITICAL)

    def test_its_exception_fails_the_run_but_doesnt_end_the_loop(self):
        def script(peer):
            for number, (name, message) in enumerate(
                (("worded", "HTTP 503"), ("exit", "3"), ("cancelled", "the coroutine was cancelled"), ("stopped", "KeyboardInterrupt")), 1
            ):
                peer.run(number, name)
                self.assertEqual(peer.receive()["error"], {"code": 1, "message": message})
            peer.run(9, "good")
            self.assertEqual(peer.receive()["result"], {"output": 1})

        def declare(worker):
            for name, error in (
                ("worded", OSError("HTTP 503")),
                ("exit", SystemExit(3)),
                ("cancelled", asyncio.CancelledError()),
                ("stopped", KeyboardInterrupt()),
            ):

                @worker.initializer(name)
                async def failing(context, error=error):
                    await asyncio.sleep(0)
                    raise error

            @worker.initializer("good")
            async def good(context):
                context.hand_over(1)

        play(script, declare)

    def test_a_cancel_cancels_the_coroutine_and_is_answered_when_it_has_stopped(self):
        seen = []

        def script(peer):
            for number, name in enumerate(("leaves", "cleans", "returns", "raises"), 1):
                peer.run(number, name)
                peer.expect("progress")
                peer.cancel(number, "deactivated")
                self.assertEqual((answer := peer.receive())["error"]["code"], -32008, answer)
                self.assertEqual(seen.pop(), (name, "deactivated"))

        def declare(worker):
            def waiting(name, then):
                @worker.initializer(name)
                async def wait(context):
                    context.progress(0)
                    try:
                        await asyncio.sleep(DEADLINE)
                    except asyncio.CancelledError:
                        await asyncio.sleep(0.05)
                        seen.append((name, context.reason))
                        then(context)

            def leave(context):
                raise asyncio.CancelledError

            def fail(context):
                raise OSError("interrupted")

            waiting("leaves", leave)
            waiting("cleans", lambda context: context.check())
            waiting("returns", lambda context: None)
            waiting("raises", fail)

        play(script, declare)

    def test_stop_and_a_lost_connection_cancel_coroutines(self):
        reasons = []

        def declare(worker):
            @worker.initializer("a")
            async def a(context):
                context.progress(0)
                try:
                    await asyncio.sleep(DEADLINE)
                finally:
                    reasons.append(context.reason)

        def lose(peer):
            peer.run(1, "a")
            peer.expect("progress")

        def serve(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(2, "a")
            peer.expect("progress")
            box["worker"].stop()
            peer.reply("unregister", {})
            self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.expect_end()

        box = {}
        play(lose, lambda worker: (box.update(worker=worker), declare(worker)), serve)
        self.assertEqual(reasons, ["lost", "unregistered"])

    def test_coroutines_share_a_loop_that_functions_dont_block_and_that_ends_with_the_worker(self):
        loops = []

        def script(peer):
            peer.run(1, "blocks")
            peer.expect("progress")
            peer.run(2, "first")
            peer.run(3, "second")
            self.assertEqual({peer.receive()["id"], peer.receive()["id"]}, {"run-2", "run-3"})
            release.set()
            self.assertEqual(peer.receive()["id"], "run-1")

        release = threading.Event()
        background = []

        def declare(worker):
            met = None

            async def linger():
                try:
                    await asyncio.sleep(3600)
                finally:
                    await asyncio.sleep(0.1)

            async def meet(context):
                nonlocal met
                loops.append(asyncio.get_running_loop())
                background.append(asyncio.create_task(linger()))
                if met is None:
                    met = asyncio.Event()
                    await met.wait()
                met.set()

            @worker.initializer("blocks")
            def blocks(context):
                context.progress(0)
                release.wait(DEADLINE)

            worker.initializer("first")(meet)
            worker.initializer("second")(meet)

        play(script, declare)
        self.assertIs(loops[0], loops[1])
        self.assertTrue(loops[0].is_closed())
        self.assertTrue(all(task.cancelled() for task in background))
        self.assertNotIn("appinitializers-loop", [thread.name for thread in threading.enumerate()])

    def test_a_worker_starts_without_asyncio(self):
        program = "import sys, appinitializers; sys.exit('asyncio' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], cwd=PACKAGE).returncode, 0)

    def test_a_cancel_just_before_the_coroutine_begins_cancels_it(self):
        answers = []
        ended = []

        class Connection:
            def refuse(self, *answer):
                answers.append(answer)

        async def wait():
            try:
                await asyncio.sleep(DEADLINE)
            except asyncio.CancelledError:
                ended.append(True)
                raise

        def function(context):
            context.cancel("deactivated")
            return wait()

        loop = EventLoop()
        context = Context(Connection(), "run-1", RUN)
        context.answer(context.perform(function, loop))
        loop.close(DEADLINE)
        self.assertEqual((ended, answers), ([True], [("run-1", -32008, "cancelled")]))

    def test_a_run_that_is_cancelled_before_it_starts_makes_no_coroutine(self):
        called, answers = [], []

        class Connection:
            def refuse(self, *answer):
                answers.append(answer)

        context = Context(Connection(), "run-1", RUN)
        context.cancel("deactivated")
        context.answer(context.perform(called.append, EventLoop()))
        self.assertEqual((called, answers), ([], [("run-1", -32008, "cancelled")]))

    def test_serve_runs_coroutines_in_the_programs_loop_and_leaves_when_its_task_is_cancelled(self):
        seen = []

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a", "b"]})
            peer.run(1, "a")
            self.assertEqual(peer.receive()["result"], {})
            peer.run(2, "b")
            peer.expect("progress")
            peer.reply("unregister", {})
            self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.expect_end()

        async def program(path):
            worker, begun = Worker(path), asyncio.Event()

            @worker.initializer("a")
            async def a(context):
                seen.append(asyncio.get_running_loop())

            @worker.initializer("b")
            async def b(context):
                context.progress(0)
                begun.set()
                await asyncio.sleep(DEADLINE)

            serving = asyncio.ensure_future(worker.serve())
            await begun.wait()
            serving.cancel()
            await asyncio.wait([serving])
            self.assertTrue(serving.cancelled())
            self.assertEqual(seen, [asyncio.get_running_loop()])

        with FakeSupervisor(script) as supervisor:
            asyncio.run(program(supervisor.path))

    def test_what_ends_run_ends_serve(self):
        worker = Worker("x" * 200)
        worker.initializer("a")(print)
        with self.assertRaises(NoSupervisor):
            asyncio.run(worker.serve())


if __name__ == "__main__":
    unittest.main()
