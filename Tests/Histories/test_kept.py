"""The process that is kept running, and what it suffers."""

import os
import tempfile
import time
import unittest

from history import History
from kept import FOREVER, Kept

PATIENT = "trap : TERM; trap 'exit 7' INT; echo begun; while :; do sleep 0.01; done"
"""Ends only at the second signal."""
WITH_SIGINT = ["env", "--default-signal=INT"]
"""A shell can't catch a signal that was ignored when it started, as SIGINT is in a job in the background."""


class KeptTests(unittest.TestCase):
    def kept(self, script):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.log = f"{directory.name}/log"
        self.history = History()
        kept = Kept(self.history, "a", "agent", lambda: WITH_SIGINT + ["sh", "-c", script], lambda: dict(os.environ), self.log)
        self.addCleanup(kept.finish)
        kept.tick()
        return kept

    def until(self, kept, condition):
        end = time.monotonic() + 10
        while not condition():
            self.assertLess(time.monotonic(), end)
            kept.tick()
            time.sleep(0.01)

    def has_begun(self):
        with open(self.log) as file:
            return "begun" in file.read()

    def events(self):
        return [record["event"] for record in self.history.all()]

    def test_a_process_that_is_asked_twice_gets_a_second_signal(self):
        kept = self.kept(PATIENT)
        self.until(kept, self.has_begun)
        kept.terminate(FOREVER, twice=True)
        self.until(kept, lambda: not kept.runs)
        kept.tick()
        self.assertEqual(self.events(), ["started", "asked", "insisted", "exited"])
        self.assertEqual((self.history.all()[-1]["status"], self.history.all()[-1]["expected"]), (7, True))
        kept.heal()
        kept.tick()
        self.assertTrue(kept.runs)

    def test_a_process_that_ends_at_once_gets_no_second_signal(self):
        kept = self.kept("echo begun; exec sleep 60")
        self.until(kept, self.has_begun)
        kept.terminate(twice=True)
        self.until(kept, lambda: self.events()[-1] == "started" and len(self.events()) > 1)
        self.assertEqual(self.events(), ["started", "asked", "exited", "started"])
        self.assertIsNone(kept._insists_at)

    def test_a_crash_is_never_expected(self):
        kept = self.kept("trap 'kill -SEGV $$' TERM; echo begun; while :; do sleep 0.01; done")
        self.until(kept, self.has_begun)
        kept.terminate(FOREVER)
        self.until(kept, lambda: not kept.runs)
        kept.tick()
        self.assertFalse(self.history.all()[-1]["expected"])


if __name__ == "__main__":
    unittest.main()
