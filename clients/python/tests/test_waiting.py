"""The wait for a supervisor: its delays, its limit, and its notice."""

import contextlib
import unittest
from unittest import mock

from appinitializers import NoSupervisor, NotPermitted, ProtocolError, waiting
from appinitializers.waiting import Waiting

ERROR = NoSupervisor("cannot connect")


class WaitingTests(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(waiting, "time", mock.Mock(monotonic=lambda: self.now))
        patch.start()
        self.addCleanup(patch.stop)
        self.now = 0.0
        self.timers = []

    def wait(self, limit=None, **options):
        return Waiting("/run/shop.sock", limit, later=self.later, **options)

    def later(self, seconds, function):
        self.timers.append(mock.Mock(seconds=seconds, function=function))
        return self.timers[-1]

    def test_delays_grow_to_a_limit_with_jitter(self):
        with self.wait() as wait:
            for longest in [0.05, 0.1, 0.2, 0.4, 0.8, 1, 1, 1]:
                delay = wait.delay(ERROR)
                self.assertTrue(longest / 2 <= delay <= longest, (delay, longest))
        with contextlib.ExitStack() as stack:
            firsts = [stack.enter_context(self.wait()).delay(ERROR) for _ in range(100)]
        self.assertTrue(min(firsts) < 0.0325 and max(firsts) > 0.0425, "many workers would come back at once")

    def test_it_ends_with_its_limit_after_a_last_attempt(self):
        with self.wait(10) as wait:
            self.assertEqual(wait.patience, 10)
            self.now = 4.0
            self.assertEqual(wait.patience, 6)
            self.now = 9.99
            self.assertAlmostEqual(wait.delay(ERROR), 0.01)
            self.now = 10.0
            self.assertGreater(wait.patience, 0)
            with self.assertRaises(NoSupervisor):
                wait.delay(ERROR)

    def test_a_limit_of_0_makes_one_attempt(self):
        with self.wait(0) as wait:
            self.assertEqual(wait.patience, 10)
            with self.assertRaises(NoSupervisor):
                wait.delay(ERROR)

    def test_without_a_limit_it_lasts_for_ever(self):
        with self.wait() as wait:
            self.now = 1e6
            self.assertEqual(wait.patience, 10)
            self.assertLessEqual(wait.delay(ERROR), 0.1)

    def test_an_error_that_waiting_does_not_cure_ends_it(self):
        with self.wait() as wait, self.assertRaises(NotPermitted):
            wait.delay(NotPermitted(-32005, "permission denied"))

    def test_after_a_loss_something_else_at_the_socket_does_not_end_it(self):
        with self.wait() as wait, self.assertRaises(ProtocolError):
            wait.delay(ProtocolError("not initd"))
        with self.wait(after_loss=True) as wait:
            self.assertGreater(wait.delay(ProtocolError("not initd")), 0)
            with self.assertLogs("appinitializers", "WARNING") as logs:
                self.timers[-1].function()
        self.assertEqual(logs.output, ["WARNING:appinitializers:waiting for a supervisor at /run/shop.sock: not initd"])

    def test_a_second_after_its_begin_the_log_has_the_latest_error(self):
        for failed, told in ((False, "it hasn't answered yet"), (True, "cannot connect")):
            with self.wait() as wait, self.assertLogs("appinitializers", "WARNING") as logs:
                if failed:
                    wait.delay(ERROR)
                self.assertEqual(self.timers[-1].seconds, 1)
                self.timers[-1].function()
            self.assertEqual(logs.output, [f"WARNING:appinitializers:waiting for a supervisor at /run/shop.sock: {told}"])

    def test_the_end_cancels_the_notice(self):
        with self.wait():
            self.timers[-1].cancel.assert_not_called()
        self.timers[-1].cancel.assert_called_once()


if __name__ == "__main__":
    unittest.main()
