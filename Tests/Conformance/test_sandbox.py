"""Examples/sandbox: what its scripts run at a cold boot and at a warm wake."""

import os
import pathlib
import shutil
import signal
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Docs"))

from deadlines import until
from markdown import Document
from supervisor import ROOT, is_running
from test_project import ProjectCase

FOLDER = pathlib.Path(ROOT, "Examples/sandbox")
LONG = 120
"""The maximum time for a script, in seconds."""


class SandboxTests(ProjectCase):
    def setUp(self):
        super().setUp()
        shutil.copytree(FOLDER, self.folder, dirs_exist_ok=True)
        self.addCleanup(self.end_background, self.folder, [])

    def script(self, name, folder=None, status=0):
        """Runs a script, as a sandbox does: in any directory."""
        program = self.program([self.file(name, folder)], cwd="/", env=self.environment)
        return self.assertStatus(program.finish(LONG), status)

    def runs(self, folder=None):
        """The number of the newest run of each initializer; None if this supervisor hasn't run it."""
        return {each["name"]: each.get("run") for each in self.status(cwd=folder)["initializers"]}

    def cold_boot(self, folder=None):
        """Ends everything as the end of the machine does. The next boot has none of the records that count for one boot."""
        (pid,) = self.background()
        processes = [each["pid"] for each in self.status(cwd=folder)["processes"]]
        os.kill(pid, signal.SIGKILL)
        until(lambda: not any(map(is_running, [pid, *processes])), "the end of the processes")
        os.remove(self.file(".initd/launched", folder))

    def test_the_first_boot_runs_everything(self):
        self.script("setup")
        self.assertNotIn(None, self.runs().values())
        self.assertEqual(self.contents(self.file("site/index.txt")).split(), ["1", "apple", "2", "pear", "1", "plum"])

    def test_a_wake_runs_only_what_is_active(self):
        self.script("setup")
        status, before = self.status(), self.runs()
        self.script("maintenance")
        after = self.runs()
        self.assertEqual(self.status()["pid"], status["pid"])
        self.assertEqual([name for name in after if after[name] != before[name]], ["token"])
        self.assertEqual(self.status()["processes"][0]["pid"], status["processes"][0]["pid"])

    def test_a_later_boot_does_not_repeat_what_is_done_once(self):
        self.script("setup")
        self.cold_boot()
        self.script("maintenance")
        self.assertEqual([name for name, run in self.runs().items() if run is None], ["index"])

    def test_a_boot_without_setup_runs_everything_too(self):
        self.script("maintenance")
        self.assertNotIn(None, self.runs().values())

    def test_other_inputs_count_at_a_wake_and_at_a_boot(self):
        self.script("setup")
        self.put("texts/more.txt", "quince\n")
        self.script("maintenance")
        self.assertIn("quince", self.contents(self.file("site/index.txt")))
        self.put("texts/more.txt", "cherry\n")
        self.cold_boot()
        self.script("maintenance")
        self.assertIn("cherry", self.contents(self.file("site/index.txt")))

    def test_a_copy_counts_once_it_is_adopted(self):
        self.script("setup")
        (adopt,) = (each for each in self.blocks() if "adopt" in each)
        for adopted in (False, True):
            with self.subTest(adopted=adopted):
                self.cold_boot()
                original = os.path.join(self.directory(), "original")
                os.rename(self.folder, original)
                shutil.copytree(original, self.folder)
                if adopted:
                    self.assertStatus(self.shell(adopt), 0)
                log = len(self.contents(self.file(".initd/initd.log")))
                self.script("maintenance")
                self.assertEqual(self.runs()["index"] is None, adopted)
                ignored = "the file of what is done once is ignored" in self.contents(self.file(".initd/initd.log"))[log:]
                self.assertEqual(ignored, not adopted)
                # While a supervisor runs, it fails, and changes nothing.
                self.assertIn("a supervisor", self.assertStatus(self.shell(adopt), 1).err)

    def test_a_failure_is_explained_and_is_the_status(self):
        self.put("init.yaml", self.contents(self.file("init.yaml")).replace("date +%s", "echo no answer; exit 3; date"))
        for name in ("setup", "maintenance"):
            finished = self.script(name, status=1)
            self.assertRegex(finished.err, "token failed .*: exit status 3")
            self.assertIn("token | no answer", finished.err)
        self.assertStatus(self.ctl("down"), 0)
        # Another part has failed now, so the last step isn't reached.
        self.put("init.yaml", self.contents(self.file("init.yaml")).replace("sort", "exit 4; sort"))
        self.put("texts/more.txt", "other\n")
        self.assertRegex(self.script("maintenance", status=1).err, "index failed .*: exit status 4")

    def test_each_script_has_three_lines(self):
        for name in ("setup", "maintenance"):
            lines = (FOLDER / name).read_text().splitlines()
            self.assertEqual((len(lines), lines[0]), (3, "#!/bin/sh"), name)

    # The page

    def blocks(self):
        """The commands of the page. A block may be indented, as a part of a list."""
        page = Document(FOLDER / "README.md")
        page.lines = [line.removeprefix("  ") for line in page.lines]
        return [each.text for each in page.blocks() if each.language == "sh"]

    def shell(self, text, cwd=None):
        return self.program(["bash", "-e", "-c", text], cwd=cwd or self.folder, env=self.environment).finish(LONG)

    def test_the_commands_of_the_page_work_as_printed(self):
        tried, wake, _ = self.blocks()
        finished = self.assertStatus(self.shell(tried), 0)
        self.assertIn("index", finished.out)
        self.assertEqual(self.background(), [])
        self.assertEqual(wake, "initd --activate --activate-on wake\n")


if __name__ == "__main__":
    unittest.main()
