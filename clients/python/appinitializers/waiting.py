"""The wait for a supervisor: growing delays between attempts, a limit, and a warning after a second."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from typing import Callable, Optional, Protocol

from . import errors, socket_path
from .session import HELLO_TIMEOUT

_log = logging.getLogger(__package__)

FIRST = 0.05
"""The delay after the first failure, in seconds."""

LONGEST = 1.0
"""The longest delay, in seconds. A worker must have registered again within 2 s after its supervisor is back."""

TOLD_AFTER = 1.0
"""After this time without a supervisor, in seconds, the log says so."""

_SHORTEST_ATTEMPT = 0.1
"""How long the last attempt may take at least, in seconds."""


class Cancellable(Protocol):
    """A call that happens later, unless it is cancelled."""

    def cancel(self) -> object: ...


def _timer(seconds: float, function: Callable[[], None]) -> Cancellable:
    timer = threading.Timer(seconds, function)
    timer.daemon = True
    timer.start()
    return timer


class Waiting:
    """One wait for the supervisor at `path`. It begins with a `with` block, and ends when that is left.

    The wait takes at most `limit` seconds: None waits indefinitely, and 0 makes one attempt. After a second, once, the log has a warning,
    even if an attempt hangs. Delays are exponential with jitter, so many clients of one supervisor don't all return at once. After a
    loss, it also outlasts e.g. another program at the socket. `later` calls a function after some seconds; a thread does that by default.
    """

    def __init__(
        self,
        path: Optional[socket_path.Path],
        limit: Optional[float] = None,
        *,
        after_loss: bool = False,
        later: Callable[[float, Callable[[], None]], Cancellable] = _timer,
    ) -> None:
        self._path = path
        self._limit = limit
        self._may_pass = errors.may_pass_after_loss if after_loss else errors.may_pass
        self._later = later
        self._delay = FIRST
        self._latest: Optional[errors.InitdError] = None

    def __enter__(self) -> Waiting:
        self._end = None if self._limit is None else time.monotonic() + self._limit
        self._notice = self._later(TOLD_AFTER, self._tell)
        return self

    def __exit__(self, *_: object) -> None:
        self._notice.cancel()

    @property
    def patience(self) -> float:
        """How many seconds the next attempt may take."""
        if self._end is None or not self._limit:
            return HELLO_TIMEOUT
        return min(HELLO_TIMEOUT, max(_SHORTEST_ATTEMPT, self._end - time.monotonic()))

    def delay(self, error: errors.InitdError) -> float:
        """The delay in seconds after an attempt that failed with `error`. Raises the error if waiting is useless, or has reached its
        limit."""
        self._latest = error
        left = math.inf if self._end is None else self._end - time.monotonic()
        if left <= 0 or not self._may_pass(error):
            raise error
        delay = self._delay * random.uniform(0.5, 1.0)
        self._delay = min(self._delay * 2, LONGEST)
        return min(left, delay)

    def _tell(self) -> None:
        why = self._latest or "it hasn't answered yet"
        _log.warning("waiting for a supervisor at %s: %s", socket_path.resolve(self._path), why)
