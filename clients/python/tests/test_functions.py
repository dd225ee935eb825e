"""Tests which functions can be initializers."""

import asyncio
import functools
import logging
import unittest

from appinitializers import Worker

from .working import play


class FunctionTests(unittest.TestCase):
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


if __name__ == "__main__":
    unittest.main()
