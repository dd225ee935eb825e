"""The manual pages, which scripts/man-page makes from the help of the programs."""

import os
import subprocess
import unittest

from supervisor import INITCTL, INITD, ROOT, Conformance


class ManualPageTests(Conformance):
    def page(self, program):
        words = [os.path.join(ROOT, "scripts/man-page"), program]
        return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()

    def test_a_table_keeps_its_lines(self):
        page = self.page(INITCTL)
        first = page.index("  ::progress 0.5 half of it         the fraction, and a message")
        self.assertEqual(page[first - 1], ".EX")
        self.assertEqual(page[first + 1], "  ::message copying the last table  a message alone")
        self.assertEqual(page[page.index(".EE", first) - 1], "  ::secret                          the output for dependents is secret")
        # A paragraph that follows is filled again.
        self.assertTrue(page[page.index(".EE", first) + 2].startswith("With \\-\\-status\\-fd, the worker writes"))
        self.assertIn("  source <(initctl completions zsh)", page)

    def test_the_options_of_all_commands_are_listed_once(self):
        page = self.page(INITCTL)
        for option in ("\\-\\-socket <path>", "\\-\\-connect\\-timeout <duration>", "\\-\\-reply\\-timeout <duration>", "\\-h, \\-\\-help"):
            self.assertEqual(page.count(f".B {option}"), 1, option)
        # A command without further options has no list of options; a command with others has one.
        shutdown = page[page.index(".SS shutdown"):page.index(".SS completions")]
        self.assertNotIn(".SS Options", shutdown)
        self.assertNotIn(".SS Options", page[page.index(".SS completions"):])
        status = page[page.index(".SS status"):page.index(".SS launch")]
        self.assertIn(".B \\-\\-failed", status)

    def test_every_option_of_initd_is_listed(self):
        page = self.page(INITD)
        for option in ("\\-\\-config <file>", "\\-\\-socket <path>", "\\-\\-version"):
            self.assertEqual(page.count(f".B {option}"), 1, option)


if __name__ == "__main__":
    unittest.main()
