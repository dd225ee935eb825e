"""Initializers that are coroutines (protocol §6)."""

import asyncio
import functools
import logging
import subprocess
import sys
import threading
import unittest

from appinitializers import Context, Worker

from .fake_supervisor import DEADLINE
from .test_worker import PACKAGE, play


RUN = {"run": 1, "initializer": "a", "pass": 1, "phase": "launch", "attempt": 1}


class CoroutineTests(unittest.TestCase):
    def setUp(self):
        logging.getLogger("appinitializers").setLevel(logging.CRITICAL)

    def test_every_kind_of_function_runs(self):
        done = []

        async def declared(context):
            await asyncio.sleep(0)
            done.append(context.initializer)

        async def with_more(more, context):
            await declared(context)

        class Callable:
            async def __call__(self, context):
                await declared(context)

            async def method(self, context):
                await declared(context)

        async def awaited(context):
            await asyncio.ensure_future(declared(context))

        class Awaitable:
            def __init__(self, context):
                self.context = context

            def __await__(self):
                return declared(self.context).__await__()

        kinds = {
            "declared": declared,
            "partial": functools.partial(with_more, 1),
            "partial-of-callable": functools.partial(Callable()),
            "callable": Callable(),
            "method": Callable().method,
            "returned": lambda context: declared(context),
            "awaitable": Awaitable,
            "task": awaited,
            "ordinary": lambda context: done.append(context.initializer),
        }

        def script(peer):
            for number, name in enumerate(kinds, 1):
                peer.run(number, name)
                self.assertEqual(peer.receive(), {"jsonrpc": "2.0", "id": f"run-{number}", "result": {}})
                self.assertEqual(done[-1], name)

        def declare(worker):
            for name, function in kinds.items():
                self.assertIs(worker.initializer(name)(function), function)

        self.assertEqual(play(script, declare)["failures"], [])
        self.assertEqual(done, list(kinds))

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

    def test_a_generator_is_refused_when_it_is_declared(self):
        def generator(context):
            yield

        async def async_generator(context):
            yield

        class Callable:
            async def __call__(self, context):
                yield

            def method(self, context):
                yield

        worker = Worker("/nowhere")
        for function in (
            generator, async_generator, functools.partial(async_generator), Callable(), functools.partial(Callable()), Callable().method,
        ):
            with self.subTest(function=function), self.assertRaisesRegex(TypeError, "cannot declare a: .* remove its yield"):
                worker.initializer("a")(function)
        with self.assertRaisesRegex(TypeError, "cannot declare a: 3 is not a function"):
            worker.initializer("a")(3)
        worker.initializer("a")(print)  # The name is still free.

    def test_a_generator_that_is_returned_fails_the_run(self):
        def generator(context):
            yield

        async def async_generator(context):
            yield

        def script(peer):
            for number, name in enumerate(("a", "b"), 1):
                peer.run(number, name)
                self.assertIn("remove its yield", peer.receive()["error"]["message"])

        def declare(worker):
            worker.initializer("a")(lambda context: generator(context))
            worker.initializer("b")(lambda context: async_generator(context))

        play(script, declare)

    def test_a_cancel_just_before_the_coroutine_begins_cancels_it(self):
        answers = []
        ended = []

        class Client:
            def refuse(self, *answer):
                answers.append(answer)

        async def wait():
            try:
                await asyncio.sleep(DEADLINE)
            except asyncio.CancelledError:
                ended.append(True)
                raise

        def function(context):
            context._cancel("deactivated")
            return wait()

        worker = Worker("/nowhere")
        Context(Client(), "run-1", RUN)._run(function, worker._loop)
        worker._loop.close()
        self.assertEqual((ended, answers), ([True], [("run-1", -32008, "cancelled")]))

    def test_a_run_that_is_cancelled_before_it_starts_makes_no_coroutine(self):
        worker = Worker("/nowhere")
        called, answers = [], []

        class Client:
            def refuse(self, *answer):
                answers.append(answer)

        context = Context(Client(), "run-1", RUN)
        context._cancel("deactivated")
        context._run(called.append, worker._loop)
        self.assertEqual((called, answers), ([], [("run-1", -32008, "cancelled")]))


if __name__ == "__main__":
    unittest.main()
