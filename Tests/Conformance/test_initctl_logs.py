"""seeing.md: `initctl logs`."""

import json
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from deadlines import DEADLINE, until
from rounds import Inexact, in_one_round
from supervisor import INITCTL, Conformance

THREE = """
a: { command: 'echo one; echo two >&2' }
b: { command: 'echo three', dependencies: [a] }
c: { command: 'echo four', dependencies: [b] }
"""


class LogsTests(Conformance):
    def three(self):
        supervisor = self.start_with(THREE)
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def lines(self, supervisor, *words, **options):
        return self.assertStatus(supervisor.ctl("logs", *words, **options), 0).out.splitlines()

    def test_several_names_are_told_apart_and_one_is_not(self):
        supervisor = self.three()
        self.assertEqual(self.lines(supervisor, "a"), ["one", "two"])
        self.assertEqual(self.lines(supervisor, "c", "b"), ["b | three", "c | four"])
        self.assertEqual(self.lines(supervisor), ["a | one", "a | two", "b | three", "c | four"])

    def test_progress_bars_and_colours_are_plain_for_people_and_whole_as_json(self):
        written = [" 10%\r 50%\r100%", "\x1b[1;31mno space\x1b[0m left"]
        supervisor = self.start_with("a: { command: \"printf ' 10%%\\\\r 50%%\\\\r100%%\\\\r\\\\n\\\\033[1;31mno space\\\\033[0m left\\\\n'; exit 1\" }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.lines(supervisor, "a"), ["100%", "no space left"])
        self.assertEqual([json.loads(line)["line"] for line in self.lines(supervisor, "a", "--json")], written)
        self.assertEqual([line["line"] for line in supervisor.peer().ok("logs")["lines"]], written)
        why = self.assertStatus(supervisor.ctl("why", "a"), 1).out
        self.assertEqual([line.strip() for line in why.splitlines()[1:3]], ["a | 100%", "a | no space left"])
        finished = self.assertStatus(supervisor.ctl("wait", "launch"), 1)
        self.assertIn("a | no space left", finished.err)
        program = supervisor.start_ctl("watch", "log")
        program.line()
        supervisor.peer().ok("launch")
        while " log " not in (line := program.line()):
            pass
        self.assertTrue(line.endswith(" log a | 100%"), line)

    def test_tail_is_the_last_lines_of_those_shown(self):
        supervisor = self.three()
        self.assertEqual(self.lines(supervisor, "--tail", "2"), ["b | three", "c | four"])
        self.assertEqual(self.lines(supervisor, "a", "--tail", "1"), ["two"])
        self.assertEqual(self.lines(supervisor, "a", "b", "--tail", "2"), ["a | two", "b | three"])
        self.assertEqual(self.lines(supervisor, "--tail", "0"), [])
        self.assertStatus(supervisor.ctl("logs", "--tail", "-1"), 64)

    def test_more_lines_than_the_protocols_default_are_shown(self):
        supervisor = self.start_with("a: { command: seq 1500 }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.lines(supervisor, "a"), [str(number) for number in range(1, 1501)])

    def test_the_lines_of_a_failure_outlast_the_output_of_others(self):
        """The lines are kept even if others write before it fails; until it runs again."""
        supervisor = self.start(
            self.manifest(
                """
                bad: { command: 'echo why it failed; until test -e go; do sleep 0.02; done; test -e good || exit 3', optional: true, priority: appActive }
                loud: { command: 'seq 3000; until test -e go2; do sleep 0.02; done; seq 3000', priority: appActive }
                after: { command: 'seq 3000', optional: true, priority: appActive, dependencies: [bad] }
                """,
                head="version: 1\nconcurrency: 2\n",
            ),
            "--limit", "logLines=100",
        )  # fmt: skip
        peer = supervisor.peer()
        peer.ok("activate")
        until(lambda: self.lines(supervisor, "loud")[-1:] == ["3000"], "much output")
        self.assertEqual(self.lines(supervisor, "bad"), ["why it failed"])
        self.write(supervisor.file("go"), "")
        self.assertEqual(peer.ok("wait", initializer="bad")["state"], "failed")
        self.write(supervisor.file("go2"), "")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        told = supervisor.ctl("logs", "bad")
        self.assertEqual((told.out, told.err), ("why it failed\n", ""))
        self.assertIn("bad | why it failed", supervisor.ctl("why", "bad").out)
        self.assertEqual(self.lines(supervisor)[0], "bad | why it failed")
        told = supervisor.ctl("logs", "loud")
        self.assertEqual(told.out.splitlines(), [str(number) for number in range(2901, 3001)])
        self.assertEqual(told.err, "… 5,900 earlier lines were dropped; raise --limit logLines\n")
        self.assertEqual(supervisor.ctl("logs").err, told.err)
        self.assertEqual(supervisor.ctl("logs", "loud", "bad").err, told.err)
        entries = supervisor.ctl("logs", "loud", "--tail", "1", "--json").json()
        self.assertEqual((len(entries), entries[0]["line"], entries[1]), (2, "3000", {"dropped": 5900}))
        answer = peer.ok("logs", initializer="loud", limit=1)
        self.assertEqual((answer["dropped"], answer["droppedBy"]), (5900, "logLines"))
        self.assertNotIn("dropped", peer.ok("logs", initializer="bad"))
        self.write(supervisor.file("good"), "")
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        self.assertEqual(self.lines(supervisor, "bad"), [])
        self.assertEqual(supervisor.ctl("logs", "bad").err, "… 2 earlier lines were dropped; raise --limit logLines\n")

    def test_the_limit_that_dropped_lines_is_named(self):
        supervisor = self.start_with("a: { command: 'seq 100' }", "--limit", "logBytes=64")
        supervisor.peer().ok("wait", for_="launch")
        self.assertRegex(supervisor.ctl("logs", "a").err, "^… [0-9]+ earlier lines were dropped; raise --limit logBytes\n$")

    def test_since_is_the_time_before_now(self):
        supervisor = self.three()
        self.assertEqual(len(self.lines(supervisor, "--since", "1h")), 4)
        self.assertEqual(self.lines(supervisor, "--since", "0"), [])
        self.assertStatus(supervisor.ctl("logs", "--since", "yesterday"), 64)

    def test_attempt_is_that_of_the_run(self):
        supervisor = self.start_with("a: { command: 'echo try $INITD_ATTEMPT; test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.lines(supervisor, "a", "--attempt", "1"), ["try 1"])
        self.assertEqual(self.lines(supervisor, "a", "--attempt", "2"), ["try 2"])
        self.assertEqual(self.lines(supervisor, "a", "--attempt", "3"), [])
        self.assertEqual(self.lines(supervisor, "a", "--attempt", "1", "--tail", "1"), ["try 1"], "the last line of that attempt")
        self.assertStatus(supervisor.ctl("logs", "--attempt", "0"), 64)

    def test_time_precedes_the_line(self):
        supervisor = self.three()
        line, _ = self.lines(supervisor, "a", "--time")
        self.assertRegex(line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z one$")

    def test_json_is_a_line_an_entry_as_in_the_protocol(self):
        supervisor = self.three()
        expected = supervisor.peer().ok("logs")["lines"]
        self.assertEqual(self.assertStatus(supervisor.ctl("logs", "--json"), 0).json(), expected)
        self.assertEqual([each["attempt"] for each in expected], [1, 1, 1, 1])
        self.assertEqual(supervisor.ctl("logs", "a", "c", "--json", "--tail", "1").json(), expected[-1:])

    def test_follow_shows_the_chosen_lines_alone(self):
        supervisor = self.start_with(
            "a: { command: echo from a $INITD_PASS, priority: appActive }\nb: { command: echo from b, priority: appActive }\n"
            "c: { command: echo from c $INITD_PASS, priority: appActive }"
        )
        peer = supervisor.peer()
        first = peer.ok("activate")["pass"]
        peer.ok("wait", pass_=first)
        program = supervisor.start_ctl("logs", "a", "c", "--follow", "--tail", "1")
        self.assertEqual(program.line(), f"c | from c {first}")
        second = peer.ok("activate")["pass"]
        self.assertEqual([program.line(), program.line()], [f"a | from a {second}", f"c | from c {second}"])
        program.signal(signal.SIGINT)
        program.finish()

    def test_since_separates_earlier_lines_from_later_ones(self):
        # The lines are 2 s apart, and the limit is in the middle: the test must only be asked within a second.
        supervisor = self.start_with("a: { command: 'echo early; sleep 2; echo late' }")
        peer = supervisor.peer()

        def scenario(_):
            peer.ok("wait", for_="launch")
            early, late = (each["time"] for each in peer.ok("logs")["lines"])
            self.assertGreater(late - early, 1.9)
            asked = time.time()
            lines = self.lines(supervisor, "a", "--since", f"{asked - (early + late) / 2:.3f}")
            if time.time() - asked > 0.9:
                raise Inexact("the machine is busy: initctl took almost a second")
            self.assertEqual(lines, ["late"])
            self.assertEqual(self.lines(supervisor, "a", "--since", f"{time.time() - early + 1:.3f}", "--tail", "1"), ["late"])
            self.assertEqual(self.lines(supervisor, "a", "--since", f"{(time.time() - early + 1) * 1000:.0f}ms"), ["early", "late"])

        in_one_round(scenario)

    def test_follow_of_an_attempt_shows_its_earlier_and_its_new_lines(self):
        supervisor = self.start_with(
            "a: { command: 'echo $INITD_PASS try $INITD_ATTEMPT; test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms }, priority: appActive }")
        peer = supervisor.peer()
        first = peer.ok("activate")["pass"]
        peer.ok("wait", pass_=first)
        program = supervisor.start_ctl("logs", "--follow", "--attempt", "2", "--json")
        self.assertEqual(json.loads(program.line())["line"], f"{first} try 2")
        second = peer.ok("activate")["pass"]
        entry = json.loads(program.line())
        self.assertEqual((entry["line"], entry["attempt"], entry["initializer"]), (f"{second} try 2", 2, "a"))
        program.signal(signal.SIGINT)
        program.finish()

    def test_follow_since_begins_with_the_lines_of_that_time(self):
        supervisor = self.start_with("a: { command: 'echo $INITD_PASS', priority: appActive }")
        peer = supervisor.peer()
        first = peer.ok("activate")["pass"]
        peer.ok("wait", pass_=first)
        all_lines = supervisor.start_ctl("logs", "a", "--follow", "--since", "1h")
        new_lines = supervisor.start_ctl("logs", "a", "--follow", "--since", "0")
        self.assertEqual(all_lines.line(), str(first))
        shown = [str(first)]

        def new():
            """No event shows when the second program follows, so another pass runs until it shows one."""
            number = peer.ok("activate")["pass"]
            peer.ok("wait", pass_=number)
            shown.append(all_lines.line())
            new_lines.pump()
            return new_lines.out.decode().split()

        told = until(new, "a line of a later pass")
        self.assertEqual(told, shown[shown.index(told[0]) :][: len(told)])
        self.assertNotIn(str(first), told)
        for program in (all_lines, new_lines):
            program.signal(signal.SIGINT)
            program.finish()

    def test_a_name_nobody_declared_is_64_with_a_suggestion(self):
        supervisor = self.start_with("migrate: { command: 'true' }\nworkers_: { worker: true }")
        for words in (["migrat"], ["migrate", "migrat"], ["migrat", "--follow"]):
            with self.subTest(words):
                finished = self.assertStatus(supervisor.ctl("logs", *words), 64)
                self.assertEqual(finished.out, "")
                self.assertIn('did you mean "migrate"?', finished.err)

    def test_prefixes_are_coloured_on_a_terminal_without_no_color(self):
        supervisor = self.three()
        self.assertIn("\x1b[", self.on_terminal(supervisor, "logs", NO_COLOR=None))
        self.assertNotIn("\x1b[", self.on_terminal(supervisor, "logs", NO_COLOR="1"))
        self.assertNotIn("\x1b", "\n".join(self.lines(supervisor, env={"TERM": "xterm"})))

    def on_terminal(self, supervisor, *words, NO_COLOR):
        """What a program writes to a terminal."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"}
        if NO_COLOR is not None:
            environment["NO_COLOR"] = NO_COLOR
        process = subprocess.Popen([INITCTL, "--socket", supervisor.path, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
        os.close(theirs)
        written, end = b"", time.monotonic() + DEADLINE
        while b"four" not in written:
            self.assertTrue(select.select([ours], [], [], max(0, end - time.monotonic()))[0], written)
            written += os.read(ours, 1 << 16)
        self.assertEqual(process.wait(DEADLINE), 0)
        return written.decode()


if __name__ == "__main__":
    unittest.main()
