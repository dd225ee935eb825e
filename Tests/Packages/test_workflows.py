"""The workflows: valid, with few permissions and pinned actions, and each command is one of this repository."""

import fnmatch
import pathlib
import re
import shlex
import subprocess
import unittest

import yaml

from packages import ARCHITECTURE, CORE, DEB, DEBIAN, DIST, IMAGE, MADE, PROGRAMS, ROOT, TARBALL, VERSION, bill, deb, tarball, wheel

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


class WorkflowTests(unittest.TestCase):
    def setUp(self):
        # YAML 1.1 reads the key `on` as true.
        self.workflows = {path.name: yaml.safe_load(path.read_text()) for path in WORKFLOWS}
        self.jobs = [job for each in self.workflows.values() for job in each["jobs"].values()]

    def test_each_has_what_a_workflow_needs(self):
        self.assertEqual(set(self.workflows), {"test.yml", "release.yml"})
        for name, each in self.workflows.items():
            self.assertEqual({"name", "permissions", "jobs"} - each.keys(), set(), name)
            self.assertIn(True, each, name)
        for job in self.jobs:
            self.assertIn("runs-on", job)
            for step in job["steps"]:
                self.assertEqual(("run" in step) + ("uses" in step), 1, step)

    def test_they_may_only_read_but_for_what_attests_and_what_drafts_a_release(self):
        for each in self.workflows.values():
            self.assertEqual(each["permissions"], {"contents": "read"})
        found = {name: job["permissions"] for each in self.workflows.values() for name, job in each["jobs"].items() if "permissions" in job}
        self.assertEqual(found, {"attest": {"attestations": "write", "id-token": "write"}, "draft": {"contents": "write"}})
        self.assertNotIn("secrets.", "".join(path.read_text() for path in WORKFLOWS))

    def test_each_action_is_pinned_to_a_commit(self):
        used = [line for path in WORKFLOWS for line in path.read_text().splitlines() if "uses:" in line]
        self.assertTrue(used)
        for line in used:
            self.assertRegex(line, r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")

    def test_each_file_of_a_release_is_attested_before_the_draft(self):
        jobs = self.workflows["release.yml"]["jobs"]
        self.assertEqual((jobs["attest"]["needs"], jobs["draft"]["needs"]), ("packages", "attest"))
        runners = jobs["packages"]["strategy"]["matrix"]["runner"]
        self.assertEqual([each["runner"] for each in jobs["attest"]["strategy"]["matrix"]["include"]], runners)
        provenance, *boms = [step["with"] for step in jobs["attest"]["steps"] if step.get("uses", "").startswith("actions/attest@")]
        self.assertEqual(provenance, {"subject-path": "dist/*"})
        # The patterns find all files of each package with programs, and nothing else.
        variables = {"env.VERSION": VERSION, "matrix.architecture": ARCHITECTURE, "matrix.debian": DEBIAN}
        names = {path.name for path in DIST.iterdir()}
        found = {}
        for each in boms:
            document, patterns = (re.sub(r"\$\{\{ (.*?) \}\}", lambda name: variables[name[1]], each[key]) for key in ("sbom-path", "subject-path"))
            found[document] = {name for pattern in patterns.split() for name in fnmatch.filter(names, pattern.removeprefix("dist/"))}
        others = {TARBALL, DEB, IMAGE, wheel().name}
        expected = {package: {tarball(package), deb(package)} | (others if package == CORE else set()) for package in PROGRAMS}
        self.assertEqual(found, {f"dist/{bill(package)}": files if package in MADE else set() for package, files in expected.items()})

    def test_each_command_is_one_of_this_repository(self):
        tried = 0
        for command in (step["run"] for job in self.jobs for step in job["steps"] if "run" in step):
            self.assertEqual(subprocess.run(["bash", "-n", "-c", command]).returncode, 0, command)
            program, *rest = shlex.split(command)
            if program == "make":
                subprocess.run(["make", "--dry-run", *rest], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
                tried += 1
            elif re.match(r"(scripts|Tests)/", program):
                self.assertTrue((ROOT / program).is_file(), program)
                subprocess.run(["sh", "-c", '[ -x "$0" ]', ROOT / program], check=True)
                tried += 1
        self.assertEqual(tried, 5)

    def test_the_other_files_are_valid(self):
        for path in (ROOT / ".github/ISSUE_TEMPLATE").iterdir():
            text = path.read_text()
            head = yaml.safe_load(text.split("---")[1] if path.suffix == ".md" else text)
            self.assertTrue(head, path.name)
        for path in (ROOT / ".github").rglob("*"):
            self.assertIn(path.suffix, {"", ".md", ".yml"})
        self.assertTrue(pathlib.Path(ROOT / ".editorconfig").read_text().startswith("root = true\n"))


if __name__ == "__main__":
    unittest.main()
