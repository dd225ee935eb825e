"""The event loop of a worker: it runs the coroutines of initializers that are declared with `async def`.

Rule 1. All coroutines of a worker run in one event loop, so they can share objects such as a pool of connections. It is the loop of the
program, or one in a separate thread that is created with the first coroutine.
Rule 2. `finish` and `finished` return only when the coroutine has ended, even if it was cancelled.
Rule 3. No exception of a coroutine ends the loop, not even `SystemExit`.
Rule 4. `asyncio` is imported with the first coroutine: it takes longer than the rest of a worker's start.
Rule 5. Nothing in a loop of a separate thread keeps the program from exiting: no coroutine that blocks it or doesn't let itself be cancelled, and
no function in another thread, e.g. of `asyncio.to_thread`.
"""

from __future__ import annotations

import functools
import inspect
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Awaitable, Callable, Coroutine, Optional

from . import errors

if TYPE_CHECKING:
    import asyncio


class EventLoop:
    """`loop`, or an event loop in a separate thread. Its methods may be called from any other thread."""

    def __init__(self, loop: Optional[asyncio.AbstractEventLoop] = None) -> None:
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._loop = loop
        self._ended: Optional[asyncio.Event] = None
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, function: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Calls `function` in the loop, and runs the coroutine that it returns. That must not raise. Doesn't wait for it."""
        loop = self._started()

        def create() -> None:
            task = loop.create_task(function())
            self._tasks.add(task)  # A loop has only weak references to its tasks.
            task.add_done_callback(self._tasks.discard)

        loop.call_soon_threadsafe(create)

    def finish(self, awaitable: Awaitable[Any], on_start: Callable[[Callable[[], None]], None]) -> None:
        """Awaits `awaitable` in the loop, and raises its exception. See `finished` for `on_start`."""
        outcome: Future[None] = Future()

        async def work() -> None:
            try:
                await finished(awaitable, on_start)
            except BaseException as error:  # Rule 3: the run's thread raises it.
                outcome.set_exception(error)
            else:
                outcome.set_result(None)

        self.start(work)
        outcome.result()

    def close(self, patience: float) -> None:
        """Ends a loop in a separate thread, and cancels the tasks that coroutines have left running in it.

        Waits `patience` seconds for that. The next coroutine creates another loop.
        """
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            assert self._loop is not None and self._ended is not None
            self._loop.call_soon_threadsafe(self._ended.set)
            thread.join(patience)
            self._loop = None

    def _started(self) -> asyncio.AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._loop is None:
                ready = threading.Event()
                thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), name="appinitializers-loop", daemon=True)
                thread.start()
                ready.wait()
                self._thread = thread
            assert self._loop is not None
            return self._loop

    async def _serve(self, ready: threading.Event) -> None:
        import asyncio

        from .threads import DaemonThreads

        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_default_executor(DaemonThreads())
        ready.set()
        await self._ended.wait()


async def finished(awaitable: Awaitable[Any], on_start: Callable[[Callable[[], None]], None]) -> None:
    """Awaits `awaitable`. Raises the coroutine's exception; `Cancelled` if it was cancelled.

    Once it has started, `on_start` gets a function that cancels it. That may be called from any thread, even after the end.
    """
    import asyncio

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    on_start(lambda: _call_soon(loop, task.cancel))
    try:
        await awaitable
    except asyncio.CancelledError:
        raise errors.Cancelled("the coroutine was cancelled") from None


def require_runnable(name: str, function: object) -> None:
    """Raises `TypeError` if `function` can't be an initializer: it isn't callable, or a call only creates a generator."""
    if not callable(function):
        raise TypeError(f"cannot declare {name}: {function!r} is not a function")
    while isinstance(function, functools.partial):
        function = function.func
    for code in (function, getattr(type(function), "__call__", None)):
        if inspect.isasyncgenfunction(code) or inspect.isgeneratorfunction(code):
            raise TypeError(f"cannot declare {name}: {_GENERATOR}")


def require_result(result: object) -> None:
    """Raises `TypeError` if a function returned a generator, because none of its code has run."""
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError(_GENERATOR)


_GENERATOR = "it is a generator, and nothing would run it; remove its yield, or call it in a function that iterates over it"


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        pass  # The loop has ended, and the coroutine before it.
