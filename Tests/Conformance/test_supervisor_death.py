"""Issue of faults: what becomes of a supervisor's children, workers and files when it is killed."""

import os
import signal
import unittest

from deadlines import until
from supervisor import Conformance, is_running


class DeathTests(Conformance):
    def test_commands_die_with_a_supervisor_that_is_killed(self):
        """In the middle of launch and of an activation, and also those that would ignore SIGTERM."""
        for phase in ("appLaunch", "appActive"):
            with self.subTest(phase):
                supervisor = self.start_with(
                    f"""
                    a: {{ command: "trap '' TERM; echo $$ >> pids; while :; do sleep 1; done", priority: {phase} }}
                    """,
                    "--activate",
                )
                [pid] = map(int, supervisor.until_lines("pids"))
                self.assertTrue(is_running(pid))
                supervisor.program.signal(signal.SIGKILL)
                supervisor.ended()
                until(lambda: not is_running(pid), f"the end of {pid}")
