"""Examples/ci: all failures of a job are reported at once, a second run repeats only the steps that have changed or failed, and the
workflow for GitHub Actions makes its reports."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from image import BUILT, ROOT
from program import Program
from release import Release

CI = ROOT / "Examples/ci"
START = 300
"""The maximum time for a run, in seconds: it installs the tools from PyPI."""


def setUpModule():
    subprocess.run([ROOT / "scripts/install-missing", "django"], check=True)


def workflow():
    """The contents of workflow.yml, and the steps of its job."""
    import yaml  # setUpModule has installed it.

    contents = yaml.safe_load((CI / "workflow.yml").read_text())
    return contents, contents["jobs"]["checks"]["steps"]


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


class Job:
    """The job of workflow.yml in a checkout of this folder, run step by step as GitHub's runner does it."""

    def __init__(self, directory):
        self.checkout, self.temporary, self.runtime, programs = (directory / name for name in ("checkout", "temporary", "runtime", "bin"))
        for each in (self.temporary, self.runtime, programs):
            each.mkdir(mode=0o700)
        shutil.copytree(CI, self.checkout)
        # scripts/install-missing has installed the packages: test_the_packages_of_its_first_step.
        (programs / "sudo").write_text("#!/bin/sh\nexec echo sudo \"$@\"\n")
        (programs / "sudo").chmod(0o755)
        self.paths, self.summary = self.temporary / "path", self.temporary / "summary.md"
        tarball = Release(str(directory), **BUILT).tarball()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("INITD")}
        self.environment = inherited | {
            "PATH": f"{programs}:{os.environ['PATH']}", "XDG_RUNTIME_DIR": str(self.runtime), "APPINITIALIZERS": f"file://{tarball}",
            "RUNNER_TEMP": str(self.temporary), "GITHUB_PATH": str(self.paths), "GITHUB_STEP_SUMMARY": str(self.summary)}

    def run(self):
        """The steps' exit statuses, and what they have written, by name."""
        statuses, written = {}, {}
        for step in workflow()[1]:
            if "run" not in step or (any(statuses.values()) and "if" not in step):
                continue
            process = subprocess.run(
                ["bash", "-e", "-c", step["run"]], cwd=self.checkout, env=self.environment, timeout=START, text=True, capture_output=True)
            statuses[step["name"]], written[step["name"]] = process.returncode, process.stdout + process.stderr
            if self.paths.exists():
                added = ":".join(reversed(self.paths.read_text().split()))
                self.environment["PATH"] = f"{added}:{self.environment['PATH']}"
                self.paths.unlink()
        return statuses, written

    def end(self):
        subprocess.run([BUILT["initctl"], "down"], cwd=self.checkout, env=self.environment, capture_output=True)


class WorkflowTests(unittest.TestCase):
    def setUp(self):
        directory = pathlib.Path(tempfile.mkdtemp(prefix="job-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, directory)
        self.job = Job(directory)
        self.addCleanup(self.job.end)
        self.workflow, self.steps = workflow()

    def cases(self):
        """The file that is uploaded, as JUnit's: counts, and test cases by name."""
        (upload,) = (step["with"] for step in self.steps if "upload-artifact" in step.get("uses", ""))
        suite = ElementTree.parse(self.job.checkout / upload["path"]).getroot()
        return (suite.get("failures"), suite.get("errors", "0")), {case.get("name"): case for case in suite.iter("testcase")}

    def test_a_good_commit(self):
        statuses, written = self.job.run()
        self.assertEqual(set(statuses.values()), {0}, written)
        self.assertNotIn("::error", written["annotations"])
        counts, cases = self.cases()
        self.assertEqual((counts, set(cases)), (("0", "0"), {"tools", "lint", "unit", "stored", "counted", "redis"}))
        self.assertRegex(self.job.summary.read_text(), r"^## pass \d+ \(launch\) complete")

    def test_a_bad_commit_is_annotated_and_reported(self):
        (self.job.checkout / "prices/rounding.py").write_text("import os\n\n\ndef rounded(cents: int) -> int:\n    return cents\n")
        statuses, written = self.job.run()
        self.assertEqual(statuses, {"install": 0, "checks": 1, "annotations": 0, "report": 0}, written)
        found = re.findall(r"^::error title=(\w+)::(.*)$", written["annotations"], re.M)
        self.assertLessEqual({"lint", "unit"}, {title for title, _ in found}, written)
        self.assertIn("'os' imported but unused", dict(found)["lint"])
        counts, cases = self.cases()
        self.assertEqual(counts, ("2", "0"))
        self.assertEqual({name for name, case in cases.items() if case.find("failure") is not None}, {"lint", "unit"})
        self.assertIn("imported but unused", cases["lint"].findtext("system-out"))
        self.assertRegex(self.job.summary.read_text(), r"^## pass \d+ \(launch\) failed")

    def test_the_packages_of_its_first_step(self):
        (line,) = re.findall(r"apt-get install (.*)", self.steps[1]["run"])
        names = [word for word in line.split() if not word.startswith("-")]
        self.assertTrue(names)
        subprocess.run(["dpkg-query", "--show", *names], check=True, stdout=subprocess.DEVNULL)

    def test_it_may_only_read_and_its_actions_are_those_of_this_project(self):
        self.assertEqual(self.workflow["permissions"], {"contents": "read"})
        ours = "".join(path.read_text() for path in (ROOT / ".github/workflows").iterdir())
        used = re.findall(r"uses: (\S+ # \S+)$", (CI / "workflow.yml").read_text(), re.M)
        self.assertEqual(len(used), sum("uses" in step for step in self.steps))
        for action in used:
            self.assertTrue(f"uses: {action}\n" in ours, action)
