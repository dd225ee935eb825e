"""Cancelled runs."""

import logging
import subprocess
import unittest
from unittest import mock

from appinitializers import Context

from .fake_supervisor import DEADLINE
from .working import play


class CancelTests(unittest.TestCase):
    def setUp(self):
        logging.getLogger("appinitializers").setLevel(logging.CRITICAL)

    play = staticmethod(play)

    def test_a_cancelled_run_stops_and_is_answered_as_cancelled_with_any_result(self):
        reasons = []

        def script(peer):
            for number, name in enumerate(("checks", "returns", "raises"), 1):
                peer.run(number, name)
                peer.expect("progress")
                peer.cancel(number, "deactivated")
                answer = peer.receive()
                self.assertEqual((answer["id"], answer["error"]["code"]), (f"run-{number}", -32008))

        def declare(worker):
            def waiting(then):
                def function(context):
                    context.check()
                    context.progress(0)
                    self.assertTrue(context.wait(DEADLINE))
                    context.progress(1)  # Has no effect any more.
                    reasons.append(context.reason)
                    then(context)

                return function

            def fail(context):
                raise OSError("interrupted")

            worker.initializer("checks")(waiting(lambda context: context.check()))
            worker.initializer("returns")(waiting(lambda context: None))
            worker.initializer("raises")(waiting(fail))

        self.play(script, declare)
        self.assertEqual(reasons, ["deactivated"] * 3)

    def test_the_first_reason_counts_and_none_follows_the_answer(self):
        params = {"run": 1, "initializer": "a", "pass": 1, "phase": "launch", "attempt": 1}
        stopped, answered = (Context(mock.Mock(), "run-1", params) for _ in range(2))
        stopped.cancel("timeout")
        stopped.cancel("lost")
        self.assertEqual(stopped.reason, "timeout")
        answered.perform(lambda context: None, None)
        answered.cancel("lost")
        self.assertEqual((answered.reason, answered.cancelled.is_set()), (None, False))

    def test_a_callback_interrupts_work_that_blocks(self):
        called = []

        def script(peer):
            peer.run(1, "a")
            peer.expect("progress")
            peer.cancel(1, "deactivated")
            self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.run(2, "a")  # A callback belongs to one run, and isn't called at its end.
            peer.expect("progress")
            self.assertEqual(peer.receive()["result"], {})

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                process = subprocess.Popen(["sleep", "0" if context.run == 2 else "3600"])
                context.on_cancel(lambda: called.append(context.run) or 1 / 0)  # Its failure doesn't keep others from being called.
                context.on_cancel(process.terminate)
                context.progress(0)
                process.wait()
                if context.cancelled.is_set():
                    context.on_cancel(lambda: called.append("late"))

        self.play(script, declare)
        self.assertEqual(called, [1, "late"])


if __name__ == "__main__":
    unittest.main()
