"""Every test has a time limit: a test that hangs fails and is named."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import unittest
from typing import Any

LIMIT = 1200 if os.environ.get("SANITIZED") or os.environ.get("LONG") else 240
"""The time limit of a test in seconds, with its setup and cleanup. On an idle machine no test takes a quarter of it."""
AGAIN = 30
"""After how many seconds a test that ignores the first interruption is interrupted again, and how long after that the process ends."""


class Late(AssertionError):
    """The test has taken too long."""


def install() -> None:
    """Limits each test of this process, and the time between two tests, from now on."""
    run = unittest.TestCase.run

    def limited(self: unittest.TestCase, *arguments: Any) -> Any:
        def stop(*_: Any) -> None:
            raise Late(f"{self.id()} has taken longer than {LIMIT} s")

        before = signal.signal(signal.SIGALRM, stop)
        _watch()
        signal.setitimer(signal.ITIMER_REAL, LIMIT, AGAIN)
        try:
            return run(self, *arguments)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            _watch()

    unittest.TestCase.run = limited  # type: ignore[method-assign]
    _watch()


def _watch() -> None:
    """If no exception gets through, ends the process, and shows the stack of each thread."""
    faulthandler.dump_traceback_later(LIMIT + 2 * AGAIN, exit=True, file=sys.__stderr__)
