"""The open runs of a worker. Each has a thread of its own; an awaitable that its function returns runs in the worker's event loop."""

from __future__ import annotations

import threading
from typing import Callable, Sequence

from .context import Context
from .coroutines import EventLoop


class Runs:
    """Calls `on_answered` when a run has been answered, and `on_end` when it has ended in any way, both in the run's thread."""

    def __init__(self, on_answered: Callable[[Context], None], on_end: Callable[[], None]) -> None:
        self._on_answered = on_answered
        self._on_end = on_end
        self._open: dict[int, Context] = {}
        self._lock = threading.Lock()
        self._answering = threading.Lock()

    def __len__(self) -> int:
        return len(self._open)

    @property
    def names(self) -> Sequence[str]:
        """The initializers that are running."""
        with self._lock:
            return sorted(context.initializer for context in self._open.values())

    def begin(self, context: Context, function: Callable[[Context], object], loop: EventLoop) -> None:
        """Starts a run. Raises `RuntimeError` if the system has no further thread."""
        with self._lock:
            self._open[context.run] = context
        name = f"run-{context.run}"
        thread = threading.Thread(target=self._perform, args=(context, function, loop), name=name, daemon=True)
        try:
            thread.start()
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

    def _perform(self, context: Context, function: Callable[[Context], object], loop: EventLoop) -> None:
        try:
            with self._answering:  # The answer to an earlier run may have caused this run: `on_answered` comes first.
                pass
            failure = context.perform(function, loop)
            with self._answering:
                if context.answer(failure):
                    self._on_answered(context)
        finally:
            self._end(context)

    def _end(self, context: Context) -> None:
        with self._lock:
            self._open.pop(context.run, None)
        self._on_end()
