"""The client's tests. Every test has a time limit: a test that hangs fails and is named."""

import signal
import unittest

LIMIT = 120
"""The time limit of a test, in seconds."""


def _limited(self, *arguments, run=unittest.TestCase.run):
    def stop(*_):
        raise AssertionError(f"{self.id()} has taken longer than {LIMIT} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, LIMIT, LIMIT)
    try:
        return run(self, *arguments)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


unittest.TestCase.run = _limited
