"""Wakes the loop of a worker."""

from __future__ import annotations

import threading
from typing import Optional


class Wake:
    """An event for one waiting thread. A signal handler may set it, unlike a `threading.Event`.

    `queue.SimpleQueue` isn't used: in CPython up to 3.12, a `get` that is woken when its timeout ends waits indefinitely.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()  # Locked: not set.
        self._lock.acquire()

    def set(self) -> None:
        """Makes `wait` return, now or when it is called next."""
        try:
            self._lock.release()
        except RuntimeError:
            pass  # The event is set already.

    def wait(self, seconds: Optional[float] = None) -> None:
        """Waits until the flag is set, at most for this time, and resets it."""
        self._lock.acquire(timeout=-1 if seconds is None else max(0.0, seconds))
