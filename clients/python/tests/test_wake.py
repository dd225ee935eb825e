"""Tests the object that wakes the loop of a worker."""

import threading
import unittest

from appinitializers.wake import Wake

from .fake_supervisor import DEADLINE


class WakeTests(unittest.TestCase):
    def waits(self, wake, seconds):
        """Whether a wait ended in time, after its limit or by a `set`."""
        thread = threading.Thread(target=wake.wait, args=(seconds,), daemon=True)
        thread.start()
        thread.join(DEADLINE)
        return not thread.is_alive()

    def test_a_wait_ends_with_its_time(self):
        for seconds in (-1, 0, 0.001):
            self.assertTrue(self.waits(Wake(), seconds))

    def test_it_is_set_before_the_wait_or_during_it(self):
        wake = Wake()
        wake.set()
        wake.set()
        self.assertTrue(self.waits(wake, None))
        timer = threading.Timer(0.01, wake.set)
        timer.start()
        self.assertTrue(self.waits(wake, None))
        timer.join()

    def test_a_wait_resets_it(self):
        wake, fired = Wake(), []
        wake.set()
        wake.wait()
        timer = threading.Timer(0.01, lambda: fired.append(True) or wake.set())
        timer.start()
        wake.wait()
        self.assertEqual(fired, [True])
        timer.join()


if __name__ == "__main__":
    unittest.main()
