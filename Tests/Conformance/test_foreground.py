"""everyday.md: "In the foreground on a terminal `initd` shows the output of all by default"."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest

from deadlines import DEADLINE
from supervisor import INITD, Conformance

MANIFEST = """\
version: 1
concurrency: 2
initializers:
  a: { command: 'echo one; echo two >&2' }
  migrate: { command: 'echo migrating; STATUS', dependencies: [a] }
"""


class Foreground:
    """An `initd` whose standard error is a terminal."""

    def __init__(self, case, text, *options, **environment):
        directory = case.directory()
        case.write(os.path.join(directory, "init.yaml"), text)
        self.terminal, theirs = pty.openpty()
        variables = {key: value for key, value in os.environ.items() if not key.startswith("INITD") and key != "NO_COLOR"}
        self.process = subprocess.Popen(
            [INITD, "--socket", os.path.join(directory, "s"), *options], cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
            env=variables | {"TERM": "xterm"} | environment)
        os.close(theirs)
        self.text = ""
        case.addCleanup(self.end)

    def until(self, part):
        """Reads until a text was printed; returns all lines so far."""
        end = time.monotonic() + DEADLINE
        while part not in self.text:
            ready, _, _ = select.select([self.terminal], [], [], max(0, end - time.monotonic()))
            assert ready, f"no {part!r} within {DEADLINE} s: {self.text!r}"
            try:
                self.text += os.read(self.terminal, 65536).decode()
            except OSError:
                raise AssertionError(f"no {part!r}, and initd has ended: {self.text!r}") from None
        return self.text.replace("\r", "").splitlines()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(DEADLINE)
        os.close(self.terminal)


class ForegroundTests(Conformance):
    def test_the_output_of_all_with_aligned_names_and_without_time(self):
        """`name | line` with aligned, coloured names; its own lines stand out; no time."""
        lines = Foreground(self, MANIFEST.replace("STATUS", "true"), NO_COLOR="1").until("launch pass 1 is complete")
        self.assertIn("a       | one", lines)
        self.assertIn("a       | two", lines)
        self.assertIn("migrate | migrating", lines)
        self.assertIn("initd: launch pass 1 started", lines)
        self.assertTrue(all(line.startswith(("initd: ", "a       | ", "migrate | ")) for line in lines), lines)

    def test_colours(self):
        """Aligned, coloured names; its own lines stand out."""
        lines = Foreground(self, MANIFEST.replace("STATUS", "true")).until("launch pass 1 is complete")
        self.assertRegex(next(line for line in lines if "one" in line), r"^\x1b\[\d+ma       \|\x1b\[0m one$")
        self.assertIn("\x1b[1minitd: launch pass 1 started\x1b[0m", lines)

    def test_log_time(self):
        """No time unless `--log-time`."""
        lines = Foreground(self, MANIFEST.replace("STATUS", "true"), "--log-time", NO_COLOR="1").until("launch pass 1 is complete")
        self.assertTrue(any(line[12:] == " a       | one" for line in lines), lines)

    def test_after_a_failed_launch_the_last_line_says_what_to_do(self):
        """After a failed launch its last line says what to do next."""
        lines = Foreground(self, MANIFEST.replace("STATUS", "exit 3"), "--activate", NO_COLOR="1").until("try again with initctl launch\r\n")
        self.assertEqual(lines[-1], "initd: launch has failed: initctl why explains it; edit init.yaml, then initctl up; or try again with initctl launch")

    def test_the_options_and_the_manifest_come_first(self):
        """`output: all` is only the default."""
        for options, head in ((["--output", "none"], ""), ([], "output: none\n")):
            with self.subTest(options):
                lines = Foreground(self, MANIFEST.replace("STATUS", "true") + head, *options, NO_COLOR="1").until("launch pass 1 is complete")
                self.assertNotIn("a       | one", lines)

    def test_in_a_pipe_everything_stays_as_it_is(self):
        """In a pipe everything stays as it is."""
        supervisor = self.start(MANIFEST.replace("STATUS", "true"))
        supervisor.peer().ok("wait", for_="launch")
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        supervisor.program.pump()
        log = supervisor.program.err.decode()
        self.assertNotIn("| one", log)
        self.assertRegex(log, r"\d\d:\d\d:\d\d\.\d\d\d initd: launch pass 1 started\n")


if __name__ == "__main__":
    unittest.main()
