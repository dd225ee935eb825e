"""The delays between attempts to reach a supervisor."""

from __future__ import annotations

import logging
import random
import time
from typing import Optional

from . import errors

_log = logging.getLogger(__package__)

FIRST = 0.1
"""The delay after the first failure, in seconds."""

LONGEST = 1.0
"""The longest delay, in seconds. A worker must have registered again within 2 s after its supervisor is back."""

TOLD_AFTER = 1.0
"""After this time without a supervisor, in seconds, the log says so."""


class Backoff:
    """Exponential delays with jitter, so that many clients of one supervisor don't all return at once."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begins anew, after a success."""
        self._delay = FIRST
        self._since: Optional[float] = None
        self._told = False

    def next(self, error: errors.InitdError) -> float:
        """The delay in seconds after an attempt that failed with `error`. The log reports the failure once, as a warning, after a second."""
        delay = self._delay * random.uniform(0.5, 1.0)
        self._delay = min(self._delay * 2, LONGEST)
        if self._told:
            return delay
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        left = self._since + TOLD_AFTER - now
        if left > 0:
            return min(delay, left)
        self._told = True
        _log.warning("waiting for a supervisor: %s", error)
        return delay
