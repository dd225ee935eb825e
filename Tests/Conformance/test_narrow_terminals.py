"""The output of `status`, `why` and `wait` on a terminal of 40 columns: no line is wider, and no part of the explanation is missing."""

import os
import unittest

from deadlines import until
from screen import Screen
from supervisor import INITCTL, Conformance

CLOSED = "事務所が閉まっているので価格表を取得できません、また明日来てください"
NAME = "the-prices-of-all-books"
MANIFEST = f"""\
version: 1
registrationTimeout: 1h
initializers:
  {NAME}: {{ command: 'echo {CLOSED} >&2; exit 3', retry: {{ attempts: 3, delay: 1h, maxDelay: 1h }} }}
  shelf: {{ command: 'true', dependencies: [{NAME}, tables] }}
  tables: {{ worker: true }}
"""


class NarrowTerminalTests(Conformance):
    def shown(self, words, first=""):
        """Returns the lines that a command of initctl prints, from the line that begins with `first`; the terminal has broken none of these
        lines."""
        supervisor = self.start(MANIFEST)
        until(lambda: supervisor.peer().initializer(NAME).get("nextAttempt"), "the first failure")
        screen = Screen(self, 40, 40)
        self.write(os.path.join(screen.directory, "w"), f"{INITCTL} --socket {supervisor.path} {words}\necho $? >status\n")
        screen.type("clear; sh w")
        until(lambda: screen.file("status"), "its end")
        lines = screen.until(lambda lines: any(line.startswith("$") for line in lines[1:]))
        if first:
            lines = lines[next(place for place, line in enumerate(lines) if line.startswith(first)) :]
        # With -J, tmux joins lines that it has broken.
        whole = [line.rstrip() for line in screen.tmux("capture-pane", "-p", "-J").splitlines()]
        self.assertEqual(lines, whole[-len(lines) :])
        return lines

    def assertTold(self, lines, *texts):
        """Asserts that a tree has these texts, wherever they are broken."""
        told = "".join(character for line in lines for character in line if character not in "│├└─ ")
        for text in texts:
            self.assertIn(text.replace(" ", ""), told)

    def test_status_leaves_out_columns(self):
        lines = self.shown("status")
        rows = lines[next(place for place, line in enumerate(lines) if line.startswith("NAME")) :]
        self.assertRegex(rows[0], "^NAME +STATUS +TIME")
        self.assertRegex(rows[1], "^the-prices-o[a-z-]*…? +waiting +[0-9]+ ms")
        self.assertTold(lines, "NOT READY: the-prices-of-all-books has been waiting for", "exit status 3")

    def test_the_tree_of_why_keeps_its_margin(self):
        lines = self.shown("why shelf")
        self.assertEqual(lines[0], "shelf waits for the-prices-of-all-books")
        self.assertEqual(lines[1], "│  and tables")
        last = next(place for place, line in enumerate(lines) if line.startswith("└─ tables"))
        self.assertTrue(all(line.startswith("│  ") for line in lines[3:last]))
        self.assertTold(lines, "attempt 1 of 3, next in", f"{NAME} | {CLOSED}", "no worker provides it; start the worker that registers it")

    def test_the_tree_of_wait_keeps_its_margin(self):
        tree = self.shown("wait shelf --timeout 0 >out", first="  shelf")
        self.assertEqual(tree[0], "  shelf waits for")
        self.assertTold(tree, f"{NAME} | {CLOSED}", "no worker provides it; start the worker that registers it")


if __name__ == "__main__":
    unittest.main()
