"""The delays between attempts."""

import unittest
from unittest import mock

from appinitializers import NoSupervisor, backoff
from appinitializers.backoff import Backoff

ERROR = NoSupervisor("cannot connect")


class BackoffTests(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(backoff, "time", mock.Mock(monotonic=lambda: self.now))
        patch.start()
        self.addCleanup(patch.stop)
        self.now = 0.0

    def test_delays_grow_to_a_limit_with_jitter(self):
        delays = Backoff()
        with mock.patch.object(backoff, "TOLD_AFTER", 3600):
            for longest in [0.1, 0.2, 0.4, 0.8, 1, 1, 1]:
                delay = delays.next(ERROR)
                self.assertTrue(longest / 2 <= delay <= longest, (delay, longest))
            firsts = [Backoff().next(ERROR) for _ in range(100)]
        self.assertTrue(min(firsts) < 0.065 and max(firsts) > 0.085, "many workers would come back at once")

    def test_delays_begin_anew_after_a_success(self):
        delays = Backoff()
        for _ in range(5):
            delays.next(ERROR)
        delays.reset()
        self.assertLessEqual(delays.next(ERROR), 0.1)

    def test_the_log_says_once_after_a_second_that_it_waits(self):
        delays = Backoff()
        with self.assertNoOutput():
            while self.now < 1:
                delay = delays.next(ERROR)
                self.assertLessEqual(self.now + delay, 1)  # The notice isn't late.
                self.now += max(delay, 0.01)
        with self.assertLogs("appinitializers", "WARNING") as logs:
            delays.next(ERROR)
            self.now += 5
            delays.next(ERROR)
        self.assertEqual(logs.output, ["WARNING:appinitializers:waiting for a supervisor: cannot connect"])

    def assertNoOutput(self):
        return mock.patch.object(backoff._log, "warning", side_effect=AssertionError("too early"))


if __name__ == "__main__":
    unittest.main()
