"""`make release`: in a copy of this repository, it changes the version everywhere, and commits nothing."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from house import versions
from house.tree import Tree
from broken import ROOT


class ReleaseTests(unittest.TestCase):
    def setUp(self):
        self.copy = pathlib.Path(tempfile.mkdtemp(prefix="release-"))
        self.addCleanup(shutil.rmtree, self.copy)
        names = {"CHANGELOG.md", "scripts/release", *versions.PLACES, *(f"scripts/house/{path.name}" for path in (ROOT / "scripts/house").glob("*.py"))}
        for name in names:
            (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.copy / name)
        self.add_section("99.0.1", "- Something new.\n")
        (self.copy / ".gitignore").write_text("__pycache__/\n")
        self.git("init", "--quiet")
        self.commit()

    def git(self, *words):
        who = ["-c", "user.name=test", "-c", "user.email=test@appinitializers.example"]
        return subprocess.run(["git", *who, *words], cwd=self.copy, check=True, capture_output=True, text=True).stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a test")

    def add_section(self, version, text):
        path = self.copy / "CHANGELOG.md"
        path.write_text(path.read_text().replace("# Changelog\n", f"# Changelog\n\n## {version} — unreleased\n\n{text}", 1))

    def release(self, *words):
        return subprocess.run([self.copy / "scripts/release", *words], capture_output=True, text=True)

    def test_it_changes_each_place_and_tells_what_to_push(self):
        done = self.release("99.0.1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(list(versions.findings(Tree(self.copy))), [])
        self.assertEqual(versions.current(Tree(self.copy)), "99.0.1")
        self.assertRegex((self.copy / "CHANGELOG.md").read_text(), r"(?m)^## 99\.0\.1 — \d{4}-\d\d-\d\d$")
        self.assertIn("git push origin main v99.0.1", done.stdout)
        self.assertEqual((self.git("tag"), len(self.git("log", "--oneline").splitlines())), ("", 1))
        changed = {line[3:] for line in self.git("status", "--porcelain").splitlines()}
        self.assertEqual(changed, {"CHANGELOG.md", *versions.PLACES})

    def test_it_refuses_what_is_no_release(self):
        current = versions.current(Tree(ROOT))
        self.add_section("99.0.2", "")
        self.commit()
        for words, reason in (
            (["1.0"], "the version must be three numbers"),
            ([], "the version must be three numbers"),
            (["0.0.1"], f"this is already {current}"),
            (["99.0.3"], 'CHANGELOG.md has no section "## 99.0.3 — unreleased"'),
            (["99.0.2"], "is empty"),
        ):
            with self.subTest(words):
                done = self.release(*words)
                self.assertEqual(done.returncode, 1)
                self.assertIn(reason, done.stderr)
        self.git("tag", "v99.0.1")
        self.assertIn("the tag v99.0.1 exists", self.release("99.0.1").stderr)
        (self.copy / "new").touch()
        self.assertRegex(self.release("99.0.1").stderr, re.escape("commit them first:\n?? new"))
        self.assertEqual(versions.current(Tree(self.copy)), current)


if __name__ == "__main__":
    unittest.main()
