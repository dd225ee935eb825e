"""Examples/ci: all failures of a job are reported at once, and a second run repeats only the steps that have changed or failed."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from image import BUILT, ROOT
from program import Program

CI = ROOT / "Examples/ci"
START = 300
"""The maximum time for a run, in seconds: it installs the tools from PyPI."""


def setUpModule():
    subprocess.run([ROOT / "scripts/install-missing", "django"], check=True)


class JobTests(unittest.TestCase):
    def setUp(self):
        self.job = pathlib.Path(tempfile.mkdtemp(prefix="job-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.job)

    def run_job(self):
        """Returns the exit status, and the names of the initializers that ran, by outcome."""
        run = Program([CI / "run", str(self.job)], env=os.environ | {name.upper(): str(path) for name, path in BUILT.items()})
        self.addCleanup(run.end)
        status = run.wait(START)
        log = run.err.decode()
        complete = set(re.findall(r"initd: (\w+) is complete after", log))
        failed = set(re.findall(r"initd: warning: (\w+) failed after", log))
        return status, complete, failed, log

    def test_a_second_run_does_again_only_what_has_changed(self):
        status, complete, failed, log = self.run_job()
        self.assertEqual((status, failed), (0, set()), log)
        self.assertLessEqual({"tools", "lint", "unit", "stored", "counted"}, complete, log)

        status, complete, failed, log = self.run_job()
        self.assertEqual((status, failed), (0, set()), log)
        self.assertEqual(complete & {"tools", "lint", "unit"}, set(), log)

        # After a mistake, the independent checks run to their end, and all failures are named.
        (self.job / "prices/rounding.py").write_text("import os\n\n\ndef rounded(cents: int) -> int:\n    return cents\n")
        status, complete, failed, log = self.run_job()
        self.assertEqual((status, failed), (1, {"lint", "unit"}), log)
        self.assertLessEqual({"stored", "counted"}, complete, log)

        shutil.copy(CI / "prices/rounding.py", self.job / "prices/rounding.py")
        status, complete, failed, log = self.run_job()
        self.assertEqual((status, failed), (0, set()), log)
        self.assertNotIn("tools", complete, log)
