"""Threads that are used again."""

import threading
import unittest

from appinitializers import Worker
from appinitializers.threads import Threads

from .fake_supervisor import DEADLINE
from .working import play


class ThreadsTests(unittest.TestCase):
    def setUp(self):
        self.threads = Threads("some-test")
        self.addCleanup(self.threads.end)

    def test_a_call_has_a_free_thread_or_a_new_one(self):
        met = threading.Barrier(3, timeout=DEADLINE)
        for _ in range(2):
            self.threads.call(met.wait)
        met.wait()  # Both runs have started at the same time.
        self.assertEqual(self.threads._started, 2)
        done = threading.Semaphore(0)
        for _ in range(50):
            self.threads.call(done.release)
            self.assertTrue(done.acquire(timeout=DEADLINE))
        self.assertLessEqual(self.threads._started, 3)

    def test_a_call_that_raises_loses_only_its_thread(self):
        reported, done = threading.Event(), threading.Event()
        former, threading.excepthook = threading.excepthook, lambda _: reported.set()
        self.addCleanup(setattr, threading, "excepthook", former)
        self.threads.call(lambda: 1 / 0)
        self.assertTrue(reported.wait(DEADLINE))
        self.threads.call(done.set)
        self.assertTrue(done.wait(DEADLINE))

    def test_a_call_that_gets_no_thread_leaves_nothing_behind(self):
        real, threading.Thread.start = threading.Thread.start, lambda _: (_ for _ in ()).throw(RuntimeError("can't start new thread"))
        try:
            with self.assertRaises(RuntimeError):
                self.threads.call(print)
        finally:
            threading.Thread.start = real
        self.assertEqual((self.threads._started, self.threads._busy), (0, 0))


class RunTests(unittest.TestCase):
    def test_a_coroutine_has_no_thread_to_itself(self):
        seen = []

        def script(peer):
            for number in (1, 2):
                peer.run(number, "a")
                self.assertEqual(peer.receive()["result"], {})

        def declare(worker: Worker):
            @worker.initializer("a")
            async def a(context):
                seen.append([each.name for each in threading.enumerate() if each.name == "appinitializers-run"])

        play(script, declare)
        self.assertEqual(seen, [[], []])


if __name__ == "__main__":
    unittest.main()
