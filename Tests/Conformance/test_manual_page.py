"""The manual pages, which scripts/man-pages makes from the help of the programs."""

import os
import shutil
import subprocess
import tempfile
import unittest

from supervisor import INITCTL, INITD, ROOT, Conformance


class ManualPageTests(Conformance):
    pages = {}
    """The directory with the pages of each program, because making them takes seconds."""

    def page(self, program, name=None):
        """The lines of a program's page, or of that of one of its commands."""
        directory = self.pages.get(program)
        if directory is None:
            directory = self.pages[program] = tempfile.mkdtemp(prefix="initd-")
            self.addClassCleanup(shutil.rmtree, directory)
            subprocess.run([os.path.join(ROOT, "scripts/man-pages"), program, directory], check=True)
        with open(os.path.join(directory, (name or os.path.basename(program)) + ".1")) as file:
            return file.read().splitlines()

    def test_a_table_keeps_its_lines(self):
        page = self.page(INITCTL, "initctl-worker")
        first = page.index("  ::progress 0.5 half of it         the fraction, and a message")
        self.assertEqual(page[first - 1], ".EX")
        self.assertEqual(page[first + 1], "  ::message copying the last table  a message alone")
        self.assertEqual(page[page.index(".EE", first) - 1], "  ::secret                          the output for dependents is secret")
        # A paragraph that follows is filled again.
        self.assertTrue(page[page.index(".EE", first) + 2].startswith("With \\-\\-status\\-fd, the worker writes"))
        self.assertIn("  source <(initctl completions zsh)", self.page(INITCTL, "initctl-completions"))

    def test_the_options_of_all_commands_are_listed_once(self):
        page = self.page(INITCTL)
        for option in ("\\-\\-socket <path>", "\\-\\-connect\\-timeout <duration>", "\\-\\-reply\\-timeout <duration>", "\\-h, \\-\\-help"):
            self.assertEqual(page.count(f".B {option}"), 1, option)
        # A command without further options has no list of options; a command with others has one.
        self.assertNotIn(".SH OPTIONS", self.page(INITCTL, "initctl-shutdown"))
        status = self.page(INITCTL, "initctl-status")
        self.assertIn(".B \\-\\-failed", status)
        self.assertNotIn(".B \\-\\-socket <path>", status)

    def test_a_command_has_a_page_of_its_own(self):
        page = self.page(INITCTL, "initctl-why")
        self.assertRegex(page[0], r'\A\.TH INITCTL-WHY 1 "" "initctl \d+\.\d+\.\d+" "AppInitializers"\Z')
        self.assertTrue(page[2].startswith("initctl\\-why \\- Explain what"))
        headings = [line[4:] for line in page if line.startswith(".SH ")]
        self.assertEqual(headings, ["NAME", "SYNOPSIS", "ARGUMENTS", "OPTIONS", "DESCRIPTION", "EXAMPLES", "SEE ALSO"])

    def test_every_option_of_initd_is_listed(self):
        page = self.page(INITD)
        for option in ("\\-\\-config <file>", "\\-\\-socket <path>", "\\-\\-version"):
            self.assertEqual(page.count(f".B {option}"), 1, option)


if __name__ == "__main__":
    unittest.main()
