"""Threads for the functions that coroutines don't wait for themselves, e.g. those of `asyncio.to_thread`."""

from __future__ import annotations

import os
import queue
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Optional

_MOST = min(32, (os.cpu_count() or 1) + 4)
"""How many threads there are at most: as many as in Python's own pool."""


class DaemonThreads(ThreadPoolExecutor):
    """A pool whose threads don't keep the program from exiting. Python's own pool does, as long as a function in it blocks.

    It is a `ThreadPoolExecutor` only because `asyncio` demands one.
    """

    def __init__(self) -> None:
        super().__init__()
        self._calls: queue.SimpleQueue[Optional[Callable[[], None]]] = queue.SimpleQueue()
        self._counting = threading.Lock()
        self._started = 0
        self._busy = 0

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Calls `function` in a thread, once one is free."""
        future: Future[Any] = Future()

        def call() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(*args, **kwargs))
                except BaseException as error:
                    future.set_exception(error)

        with self._counting:
            self._busy += 1
            if self._busy > self._started and self._started < _MOST:
                threading.Thread(target=self._work, name="appinitializers-call", daemon=True).start()
                self._started += 1
        self._calls.put(call)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends the threads when they have made all calls. Doesn't wait for them."""
        with self._counting:
            for _ in range(self._started):
                self._calls.put(None)

    def _work(self) -> None:
        while (call := self._calls.get()) is not None:
            call()
            with self._counting:
                self._busy -= 1
