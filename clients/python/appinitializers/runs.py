"""The open runs of a worker. A function has a thread to itself, and an `async def` runs in the worker's event loop alone.

If an ordinary function returns an awaitable, that also runs in that loop, and the thread waits for it.
"""

from __future__ import annotations

import inspect
import threading
from typing import Any, Awaitable, Callable, Optional, Sequence

from .context import Context
from .coroutines import EventLoop
from .threads import Threads


class Runs:
    """Calls `on_answered` when a run has been answered, and `on_end` however it ended. Both are called in the run's thread or in the event
    loop."""

    def __init__(self, on_answered: Callable[[Context], None], on_end: Callable[[], None]) -> None:
        self._on_answered = on_answered
        self._on_end = on_end
        self._open: dict[int, Context] = {}
        self._threads = Threads("appinitializers-run")
        self._lock = threading.Lock()
        self._answering = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    @property
    def names(self) -> Sequence[str]:
        """The initializers that are running."""
        with self._lock:
            return sorted(context.initializer for context in self._open.values())

    def begin(self, context: Context, function: Callable[[Context], Any], loop: EventLoop) -> None:
        """Starts a run. Raises `RuntimeError` if the system has no further thread."""
        with self._lock:
            self._open[context.run] = context
        try:
            if inspect.iscoroutinefunction(function):
                loop.start(lambda: self._perform_in_loop(context, function))
            else:
                self._threads.call(lambda: self._perform(context, function, loop))
        except RuntimeError:
            self._end(context)
            raise

    def cancel(self, run: object, reason: str) -> None:
        """Cancels a run, if it is open."""
        with self._lock:
            contexts = [context for context in self._open.values() if context.run == run]
        for context in contexts:
            context.cancel(reason)

    def cancel_all(self, reason: str) -> None:
        """Cancels all open runs."""
        with self._lock:
            contexts = list(self._open.values())
        for context in contexts:
            context.cancel(reason)

    def close(self) -> None:
        """Ends the threads that are free, and each other thread with its run."""
        self._threads.end()
        self._threads = Threads("appinitializers-run")

    def _perform(self, context: Context, function: Callable[[Context], object], loop: EventLoop) -> None:
        try:
            self._await_earlier_answer()
            self._answer(context, context.perform(function, loop))
        finally:
            self._end(context)

    async def _perform_in_loop(self, context: Context, function: Callable[[Context], Awaitable[object]]) -> None:
        try:
            self._await_earlier_answer()
            self._answer(context, await context.perform_in_loop(function))
        finally:
            self._end(context)

    def _await_earlier_answer(self) -> None:
        """The answer to an earlier run may have caused this run: `on_answered` comes first."""
        with self._answering:
            pass

    def _answer(self, context: Context, failure: Optional[BaseException]) -> None:
        with self._answering:
            if context.answer(failure):
                self._on_answered(context)

    def _end(self, context: Context) -> None:
        with self._lock:
            self._open.pop(context.run, None)
        self._on_end()
