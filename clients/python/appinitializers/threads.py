"""Threads that don't keep the program from exiting: for runs, and for functions that coroutines pass to e.g. `asyncio.to_thread`."""

from __future__ import annotations

import math
import os
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Optional

_MOST = min(32, (os.cpu_count() or 1) + 4)
"""How many threads an executor has at most: as many as Python's own."""


class Threads:
    """Makes each call in a thread: in a free thread, else in a new thread. To start a thread takes longer than to wake one.

    If all of `most` threads are busy, calls wait. A free thread stays until `end`.
    """

    def __init__(self, name: str, most: float = math.inf) -> None:
        self._name = name
        self._most = most
        self._calls: queue.SimpleQueue[Optional[Callable[[], object]]] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._started = 0
        self._busy = 0

    def call(self, function: Callable[[], object]) -> None:
        """Calls `function` in a thread. Raises `RuntimeError` if the system has no further thread."""
        with self._counting:
            if self._started <= self._busy and self._started < self._most:
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
                self._started += 1
            self._busy += 1
        self._calls.put(function)

    def end(self) -> None:
        """Ends the threads when they have made all calls. Doesn't wait for them. No call may follow."""
        with self._counting:
            for _ in range(self._started):
                self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            try:
                call()
            except BaseException:  # The exception ends this thread, and Python reports it.
                with self._counting:
                    self._started -= 1
                raise
            finally:
                with self._counting:
                    self._busy -= 1


class DaemonThreads(ThreadPoolExecutor):
    """An executor of `Threads`. With Python's own, a function that blocks keeps the program from exiting.

    The class is a `ThreadPoolExecutor` only because `asyncio` demands one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._daemons = Threads("appinitializers-call", _MOST)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Calls `function` in a thread, once one is free."""
        future: Future[Any] = Future()

        def call() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*args, **kwargs))
                except BaseException as error:
                    future.set_exception(error)

        self._daemons.call(call)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the threads when they have made all calls. Doesn't wait for them."""
        self._daemons.end()
