"""everyday.md "Processes, by that name": `ready: { line: … }`.

`ready: { line: "listening on" }`: some complete line of its standard output or error, colours dropped, contains the text (literal, case
counts), since this start.
"""

import os
import sys
import unittest

from deadlines import until
from test_ready import ReadyCase

TALK = """
import os, sys, time

def say(data, to=1):
    while data:
        data = data[os.write(to, data):]

def wait(name="gate"):
    while not os.path.exists(name):
        time.sleep(0.01)

"""
"""The beginning of a program that writes bytes as they are."""

STAY = "\ntime.sleep(1000)\n"


class LineCase(ReadyCase):
    def talks(self, body, line="'listening on'", name="web", **keys):
        """A process that runs this Python program, and is ready by that line, which is written as YAML."""
        script = self.write(os.path.join(self.home, f"{name}.py"), TALK + body + STAY)
        more = "".join(f", {key}: {value}" for key, value in keys.items())
        return f"{name}: {{ command: [{sys.executable}, -u, {script}], ready: {{ line: {line} }}{more} }}\n"

    def until_logged(self, supervisor, text, name="web"):
        """Waits until the supervisor has read a line of the process."""
        until(lambda: text in supervisor.ctl("logs", name).out, f"the line {text!r} of {name}")

    def assertBecomesReady(self, body, line="'listening on'", *arguments, workers="", **keys):
        self.home = self.directory()
        supervisor = self.begin(self.talks(body, line, **keys) + workers, "", "", *arguments)
        self.until_state(supervisor.peer(), "launch", "complete")
        return supervisor

    def assertNotYet(self, body, line="'listening on'", *arguments, said="marker", **keys):
        """The program says a marker after what doesn't count; then it waits for the gate, and says what counts."""
        self.home = self.directory()
        supervisor = self.begin(self.talks(body, line, **keys), "", "", *arguments)
        peer = supervisor.peer()
        self.until_logged(supervisor, said)
        self.assertEqual(peer.initializer("web")["status"], "running")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")
        return supervisor


class LineTests(LineCase):
    """Some complete line of its standard output or error contains the text."""

    def test_a_line_of_standard_output_or_error_makes_it_ready(self):
        for stream in (1, 2):
            with self.subTest(stream):
                supervisor = self.assertNotYet(f"say(b'marker\\n', {stream}); wait(); say(b'now listening on port 80\\n', {stream})")
                supervisor.program.until_err("process web is ready")

    def test_the_line_may_be_the_text_alone(self):
        self.assertBecomesReady("say(b'listening on\\n')")

    def test_what_depends_on_it_waits_for_the_line(self):
        supervisor = self.begin(
            self.talks("say(b'marker\\n'); wait(); say(b'listening on 80\\n')"), "after: { command: echo after >> order, dependencies: [web] }")
        peer = supervisor.peer()
        self.until_logged(supervisor, "marker")
        self.assertEqual(peer.initializer("after")["status"], "waiting")
        self.assertEqual(supervisor.lines("order"), [])
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])

    def test_the_status_and_why_say_which_line_it_waits_for(self):
        supervisor = self.begin(self.talks("say(b'marker\\n')"))
        self.until_logged(supervisor, "marker")
        self.assertIn("listening on", supervisor.peer().initializer("web")["waitsFor"])
        self.assertIn("listening on", supervisor.ctl("status").out)
        self.assertIn("listening on", self.assertStatus(supervisor.ctl("why"), 2).out)

    def test_only_a_complete_line_counts(self):
        """It comes in two writes. The marker, on the other stream, is written after the first one."""
        self.assertNotYet("say(b'now listening on'); say(b'marker\\n', 2); wait(); say(b' port 80\\n')")

    def test_the_text_may_come_in_pieces(self):
        self.assertNotYet("say(b'now list'); say(b'marker\\n', 2); wait(); say(b'ening'); say(b' on'); say(b'\\n')")

    def test_it_is_not_joined_from_two_lines_or_streams(self):
        self.assertNotYet("say(b'listening\\n on\\n'); say(b'listening '); say(b'on\\nmarker\\n', 2); wait(); say(b'\\nlistening on\\n')")

    def test_lines_that_come_at_once_are_all_looked_at(self):
        self.assertBecomesReady("say(b'one\\n' * 500 + b'listening on 80\\n' + b'two\\n' * 500)")

    def test_it_stays_ready_whatever_it_says_later(self):
        supervisor = self.begin(self.talks("say(b'listening on 80\\n'); wait(); say(b'stopped\\nlistening on 81\\n')"))
        peer = supervisor.peer()
        first = self.until_state(peer, "launch", "complete")
        self.open(supervisor)
        self.until_logged(supervisor, "81")
        self.assertEqual(peer.status()["launch"], first)
        self.assertEqual(peer.initializer("web")["run"], 1)

    def test_a_line_of_a_grandchild_counts(self):
        self.assertNotYet(
            "import subprocess\n"
            "subprocess.Popen(['sh', '-c', 'until test -e gate; do sleep 0.01; done; echo listening on 80; exec sleep 1000'])\n"
            "say(b'marker\\n')")

    def test_a_line_of_another_process_does_not_count(self):
        supervisor = self.begin(
            self.talks("say(b'marker\\n'); wait(); say(b'listening on 80\\n')")
            + self.talks("say(b'listening on 81\\n')", name="other", line="listening"))
        peer = supervisor.peer()
        peer.until_initializer("other", "complete")
        self.until_logged(supervisor, "marker")
        self.assertEqual(peer.initializer("web")["status"], "running")
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")

    def test_it_does_not_depend_on_what_the_log_shows(self):
        for option in ("none", "failed", "all"):
            with self.subTest(option):
                self.assertBecomesReady("say(b'listening on 80\\n')", "'listening on'", "--output", option, "--log-level", "error")

    def test_it_does_not_depend_on_how_many_lines_are_kept(self):
        self.assertBecomesReady("say(b'listening on 80\\n' + b'x\\n' * 5000)", "'listening on'", "--limit", "logLines=10")


class TextTests(LineCase):
    """Colours dropped; literal, case counts."""

    def test_colours_are_dropped(self):
        for text in (
            rb"\x1b[32mINFO\x1b[0m: listening on 80",
            rb"listen\x1b[1;31ming\x1b[0m on 80",
            rb"\x1b[38;5;196ml\x1b[38;2;1;2;3mistening \x1b[4mon\x1b[m",
            rb"\x1b[1mlistening\x1b[22m \x1b[Kon\x1b[0m",
        ):
            with self.subTest(text):
                self.assertBecomesReady(f"say(b'{text.decode()}\\n')")

    def test_colours_in_two_writes_are_dropped(self):
        self.assertBecomesReady("say(b'listening \\x1b[3'); say(b'2mon\\x1b'); say(b'[0m 80\\n')")

    def test_a_carriage_return_before_the_newline_does_not_matter(self):
        self.assertBecomesReady("say(b'now listening on\\r\\n')")
        self.assertBecomesReady("say(b'now listening on\\x1b[0m\\r\\n')")

    def test_bytes_that_are_no_text_do_not_matter(self):
        self.assertBecomesReady("say(b'\\xff\\xfe\\x00 listening on 80 \\xc3\\n')")

    def test_text_that_is_not_ascii_counts(self):
        self.assertBecomesReady("say('Läuft auf Port 80 ✓\\n'.encode())", "'Läuft auf Port'")

    def test_case_counts(self):
        self.assertNotYet("say(b'Listening on 80\\nLISTENING ON 80\\nmarker\\n'); wait(); say(b'listening on 80\\n')")

    def test_the_text_is_literal(self):
        for line, no, yes in (
            ("'v1.0 *ready*'", "v1x0 *ready*|v1.0 ready|v1.0 *readyy*", "app v1.0 *ready* now"),
            ("'a.*b'", "a.b|axxb|aab", "xa.*by"),
            ("'[80]'", "8|0|80", "port [80]"),
            ("'(up|down)$'", "up|down", "is (up|down)$ x"),
            ("'\\d+'", "12|d+|d", "say \\\\d+"),
        ):
            with self.subTest(line):
                lines = "".join(f"{each}\\n" for each in (no.split("|")))
                self.assertNotYet(f"say(b'{lines}marker\\n'); wait(); say(b'{yes}\\n')", line)

    def test_spaces_count(self):
        self.assertNotYet("say(b'listening  on 80\\nlisteningon\\nmarker\\n'); wait(); say(b'listening on 80\\n')")


class LongLineTests(LineCase):
    """Lines are cut at the log's line limit (`logLineBytes`)."""

    def test_after_a_very_long_line_without_a_newline_others_count(self):
        for arguments in ([], ["--limit", "logLineBytes=100"]):
            with self.subTest(arguments):
                self.assertNotYet("say(b'x' * 300_000); say(b'marker\\n', 2); wait(); say(b'\\nlistening on 80\\n')", "'listening on'", *arguments)

    def test_the_end_of_a_very_long_line_counts(self):
        """The line is cut right before the text."""
        self.assertBecomesReady("say(b'x' * (64 * 1024) + b' listening on ' + b'y' * 20 + b'\\n')", "'listening on'", "--limit", "logLineBytes=1024")

    def test_a_line_within_the_limit_counts(self):
        self.assertBecomesReady("say(b'x' * 8000 + b' listening on 80\\n')")

    def test_an_endless_line_does_not_use_memory(self):
        supervisor = self.begin(self.talks(
            "for _ in range(640):\n    say(b'x' * 65536)\n"
            "open('written', 'w').close(); wait(); say(b'\\nlistening on 80\\n')"))
        until(lambda: os.path.exists(supervisor.file("written")), "the line")
        self.assertLess(supervisor.resident(), 200 << 20)
        self.open(supervisor)
        self.until_state(supervisor.peer(), "launch", "complete")


class StartTests(LineCase):
    """Only lines since this start count."""

    AGAIN = (
        "open('starts', 'a').write('start\\n')\n"
        "if open('starts').read().count('start') > 1:\n    say(b'second start\\n'); wait()\n"
        "say(b'listening on 80\\n')")
    """The first start says the line at once, the others wait."""

    def check_second_start(self, supervisor, peer):
        supervisor.until_lines("starts", 2)
        self.until_logged(supervisor, "second start")
        self.assertIn("listening on 80", supervisor.ctl("logs", "web").out)
        self.assertEqual(peer.initializer("web")["status"], "running")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")

    def test_after_a_rerun_or_a_restart_the_old_line_does_not(self):
        for words in (["rerun", "web"], ["restart", "web"]):
            with self.subTest(words):
                self.home = self.directory()
                supervisor = self.begin(self.talks(self.AGAIN))
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                self.assertStatus(supervisor.ctl(*words), 0)
                self.check_second_start(supervisor, peer)

    def test_after_a_crash_the_old_line_does_not(self):
        supervisor = self.begin(self.talks(self.AGAIN, restart="always", backoff="{ delay: 10ms }"))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        os.kill(self.process(peer, "web")["pid"], 9)
        self.check_second_start(supervisor, peer)

    def test_a_piece_of_a_line_of_the_start_before_does_not(self):
        """The first start ends in the middle of a line that the second one would complete."""
        supervisor = self.begin(self.talks(
            "open('starts', 'a').write('start\\n')\n"
            "if open('starts').read().count('start') == 1:\n    say(b'listening'); sys.exit(3)\n"
            "say(b' on\\nmarker\\n'); wait(); say(b'listening on\\n')", restart="always", backoff="{ delay: 10ms }"))
        peer = supervisor.peer()
        self.until_logged(supervisor, "marker")
        self.assertEqual(peer.initializer("web")["status"], "running")
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")

    def test_a_reload_that_changes_the_text_restarts_nothing(self):
        supervisor = self.begin(self.talks("say(b'listening on 80\\n')"))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        pid = self.process(peer, "web")["pid"]
        with open(supervisor.manifest) as file:
            text = file.read()
        self.write(supervisor.manifest, text.replace("'listening on'", "'serving'"))
        peer.ok("reload")
        self.assertEqual(self.process(peer, "web")["pid"], pid)
        self.assertEqual(peer.status()["launch"]["state"], "complete")


class KeyTests(LineCase):
    """`line` with other keys."""

    def test_its_timeout_bounds_the_wait(self):
        supervisor = self.begin(self.talks("say(b'starting\\n')", timeout="500ms", restart="never"))
        peer = supervisor.peer()
        shape = peer.until_initializer("web", "failed")
        self.assertRegex(shape["error"]["message"], r"^web failed: timed out after 500 ms: .*listening on")
        self.assertEqual(shape["error"]["cause"]["kind"], "timeout")
        self.until_process(peer, "web", lambda each: "pid" not in each, "its end")
        self.assertEqual(peer.status()["launch"]["state"], "failed")

    def test_one_that_ends_before_the_line_has_failed(self):
        supervisor = self.begin(self.talks("say(b'starting\\n'); sys.exit(3)", restart="never"))
        shape = supervisor.peer().until_initializer("web", "failed")
        self.assertEqual(shape["error"]["message"], "web failed: exit status 3")

    def test_the_manifest_is_good(self):
        for text in (
            "{ command: x, ready: { line: listening on } }",
            "{ command: x, ready: { line: 'a: b # c' }, timeout: 30s, stopTimeout: 30s, restart: always, onRestart: rerun }",
        ):
            with self.subTest(text):
                self.assertStatus(self.check(text), 0)

    def test_each_mistake_is_found(self):
        for ready, remedy in {
            "{ line: '' }": "line",
            "{ line: [a] }": "line",
            "{ line: a, tcp: 'a:1' }": "keep one of them",
            "{ line: a, notify: true }": "keep one of them",
            "{ line: a, path: up }": "keep one of them",
            "{ line: a, every: 1s }": "remove it",
            "{ line: a, tryTimeout: 1s }": "remove it",
            "{ line: a, owner: any }": "remove it",
            "{ line: a, status: 204 }": "remove it",
        }.items():
            with self.subTest(ready):
                done = self.assertStatus(self.check(f"{{ command: x, ready: {ready} }}"), 65)
                self.assertRegex(done.err, r"init.yaml:\d+:\d+: .+; .+")
                self.assertIn(remedy, done.err)

    def check(self, text):
        path = self.write(os.path.join(self.home, "init.yaml"), "version: 1\nworkers:\n  a: " + text + "\n")
        return self.initd("--check", path)


if __name__ == "__main__":
    unittest.main()
