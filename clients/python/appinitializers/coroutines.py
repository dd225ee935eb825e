"""The event loop of a worker: it runs what initializers declared with `async def` return (protocol §6).

Rule 1. All coroutines of a worker run in one event loop, on a thread of its own: what one of them makes, e.g. a pool of connections,
        the others can use. The loop begins with the first coroutine.
Rule 2. `finish` comes back only when the coroutine has ended, also if it was cancelled.
Rule 3. No exception of a coroutine ends the loop, not even `SystemExit`.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from concurrent.futures import Future
from typing import Any, Awaitable, Callable, Optional


class EventLoop:
    """An event loop on a thread of its own. Its methods may be called from any other thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._ended: Optional[asyncio.Event] = None

    def finish(self, awaitable: Awaitable[Any], on_start: Callable[[Callable[[], None]], None]) -> Any:
        """Awaits `awaitable` in the loop, and returns its result or raises its exception.

        `on_start` gets what cancels it, once it has begun; that may be called from any thread, also when it has ended.
        """
        loop = self._started()
        outcome: Future[Any] = Future()

        async def work() -> None:
            task = asyncio.current_task()
            assert task is not None
            on_start(lambda: _call_soon(loop, task.cancel))
            try:
                result = await awaitable
            except BaseException as error:  # Rule 3: the run's thread raises it.
                outcome.set_exception(error)
            else:
                outcome.set_result(result)

        asyncio.run_coroutine_threadsafe(work(), loop)
        return outcome.result()

    def close(self) -> None:
        """Cancels the tasks that coroutines have left behind, and ends the loop. The next coroutine begins another."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            assert self._loop is not None and self._ended is not None
            self._loop.call_soon_threadsafe(self._ended.set)
            thread.join()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._thread is None:
                ready = threading.Event()
                thread = threading.Thread(target=lambda: asyncio.run(self._serve(ready)), name="appinitializers-loop", daemon=True)
                thread.start()
                ready.wait()
                self._thread = thread
            assert self._loop is not None
            return self._loop

    async def _serve(self, ready: threading.Event) -> None:
        self._loop, self._ended = asyncio.get_running_loop(), asyncio.Event()
        ready.set()
        await self._ended.wait()


def require_runnable(name: str, function: object) -> None:
    """Raises `TypeError` if `function` can't be an initializer: it isn't callable, or a call of it only makes a generator."""
    if not callable(function):
        raise TypeError(f"cannot declare {name}: {function!r} is not a function")
    while isinstance(function, functools.partial):
        function = function.func
    for code in (function, getattr(type(function), "__call__", None)):
        if inspect.isasyncgenfunction(code) or inspect.isgeneratorfunction(code):
            raise TypeError(f"cannot declare {name}: {_GENERATOR}")


def require_result(result: object) -> None:
    """Raises `TypeError` if a function returned a generator: nothing of it has run."""
    if inspect.isgenerator(result) or inspect.isasyncgen(result):
        raise TypeError(_GENERATOR)


_GENERATOR = "it is a generator, and nothing would run it; remove its yield, or call it in a function that iterates over it"


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:
        pass  # The loop has ended, and the coroutine before it.
