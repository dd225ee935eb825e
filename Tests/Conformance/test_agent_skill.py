"""Examples/agents/SKILL.md: it is short, and each of its commands works on a real supervisor, with the statuses of its table."""

import json
import os
import pathlib
import re
import shlex
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Docs"))

from markdown import Document, spans
from supervisor import ROOT
from test_project import GATED, ProjectCase

PAGE = Document(pathlib.Path(ROOT, "Examples/agents/SKILL.md"))
TOKENS = 600
"""The most that a reader of the page has to spend."""
LONG = 120
"""The maximum time for a command, in seconds."""
APP = """\
initializers:
  warm: { command: echo warm }
  migrate: { command: "echo migrate >> ran; echo no such table; test -e fixed" }
processes:
  web: { command: "echo web >> ran; echo listening; exec sleep 1000", dependencies: [migrate], ready: { line: listening } }
"""
"""An app that fails until the file `fixed` exists."""


def commands(section):
    """The commands of a section's block, without their comments."""
    (block,) = [each for each in PAGE.blocks() if each.section == section]
    return [line.split("#")[0].strip() for line in block.text.splitlines()]


class SkillTests(ProjectCase):
    def setUp(self):
        super().setUp()
        self.project(APP, self.folder)
        self.addCleanup(self.end_background, self.folder, [])

    def shell(self, command, status=0, cwd=None):
        program = self.program(["sh", "-c", command], cwd=cwd or self.folder, env=self.environment)
        return self.assertStatus(program.finish(LONG), status)

    def test_the_front_matter(self):
        """https://agentskills.io/specification: what `name` and `description` may be."""
        text = PAGE.path.read_text()
        head = re.match(r"---\nname: (.*)\ndescription: (.*)\n---\n\n# ", text)
        self.assertIsNotNone(head, text[:200])
        self.assertRegex(head[1], r"^[a-z0-9]+(-[a-z0-9]+)*$")
        self.assertLessEqual(len(head[1]), 64)
        self.assertLessEqual(len(head[2]), 1024)

    def test_it_costs_few_tokens(self):
        """By both rules of thumb: 1.35 tokens a word, and four characters a token. The tokenizer cl100k counted 525 for 2,171 characters."""
        text = PAGE.path.read_text()
        self.assertLessEqual(1.35 * len(text.split()), TOKENS)
        self.assertLessEqual(len(text) / 4, TOKENS)

    def test_the_commands_that_start(self):
        self.put("fixed")
        (up,) = commands("Start")
        for _ in range(2):
            self.assertIn("the app is ready", self.shell(up).out)
        self.assertEqual(self.ran(), ["migrate", "web"])

    def test_the_commands_that_find_out_why(self):
        (up,) = commands("Start")
        self.shell(up, 1)
        why, failed, web, wait, report = commands("Find out why")
        tree = json.loads(self.shell(why, 1).out)
        while tree["because"]:
            (tree,) = tree["because"]
        self.assertEqual((tree["name"], tree["output"]), ("migrate", ["no such table"]))
        self.assertEqual(self.shell(failed).out, "migrate | no such table\n")
        self.assertEqual(self.shell(web).out, "")
        self.assertIn("migrate failed", self.shell(wait, 1).err)
        self.assertIn("| migrate | failed |", self.shell(report).out)
        # "Fix the cause, then `initctl up`."
        self.put("fixed")
        self.shell(up)
        self.assertIn("listening", self.shell(web).out)

    def test_the_commands_that_apply_a_change(self):
        self.put("fixed")
        self.shell(*commands("Start"))
        check, dry, reload, rerun, restart, run = commands("Apply a change")
        self.project("nonsense: 1\n" + APP, self.folder)
        self.assertRegex(self.shell(check, 65).err, r"init\.yaml:\d+:1: ")
        self.project(APP.replace("no such", "a new"), self.folder)
        self.assertIn("migrate", self.shell(check).out)
        self.assertIn("~ migrate (command)", self.shell(dry).out)
        self.assertEqual(self.ran(), ["migrate", "web"])
        self.assertIn("~ migrate (command)", self.shell(reload).out)
        (afterwards,) = [each for _, line in PAGE.prose() if line.startswith("Afterwards ") for each in spans(line)]
        self.shell(afterwards)
        self.assertEqual(self.ran(), ["migrate", "web", "migrate"])
        self.shell(rerun)
        self.assertEqual(self.ran()[3:], ["migrate", "web"])
        self.shell(restart)
        self.assertEqual(self.ran()[5:], ["web"])
        self.assertIn(f"INITD_SOCKET={self.socket()}", self.shell(run).out)

    def test_the_exit_statuses(self):
        empty, bad, slow = self.bare(), self.project("nonsense: 1\n"), self.project(GATED)
        self.addCleanup(self.end_background, slow, [])
        seen = set()

        def ends(command, status, cwd=None):
            seen.add(self.shell(command, status, cwd).status)

        ends("initctl up --timeout 100ms", 124, slow)
        ends("initctl why", 2, slow)
        self.put("go", folder=slow)
        ends("initctl wait", 0, slow)
        ends("initctl status", 69)
        ends("initctl up", 1)
        ends("initctl logs nobody", 64)
        ends("initctl up", 65, bad)
        ends("initctl up", 66, empty)
        rows = PAGE.rows("Exit statuses")
        self.assertEqual({int(each) for row in rows for each in row[0].split(",")}, seen)

    def test_each_other_command_of_the_text_exists(self):
        named = {span for _, line in PAGE.prose() for span in spans(line) if span.startswith("initctl ")}
        self.assertIn("initctl down", named)
        for command in sorted(named):
            words = shlex.split(command)
            page = self.shell("initctl help" if words[1] == "help" else f"initctl help {words[1]}").out
            for option in (word for word in words if word.startswith("--")):
                self.assertIn(option, page)


if __name__ == "__main__":
    unittest.main()
