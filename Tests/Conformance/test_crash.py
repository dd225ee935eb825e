"""A program that crashes reports its stack, and ends by the signal."""

import os
import shutil
import signal
import subprocess
import unittest

from deadlines import until
from supervisor import INITCTL, INITD, ROOT, Conformance, is_running

# Swift's runtime has a report of its own, if the program for it is installed.
ENV = {"SWIFT_BACKTRACE": "enable=no"}
REPORT = r"^(\w+) 0\.1\.0 crashed: (\w+)(?: at address 0x[0-9a-f]+| from process \d+)?; report this line: build [0-9a-f]{40}, stack(?: 0x[0-9a-f]+)+$"


class CrashTests(Conformance):
    def report(self, program, number, text):
        """Checks that a program has ended by a signal, after a report of its stack, and returns the report's line."""
        self.assertEqual(program.wait(), -number)
        lines = [line for line in program.err.decode().splitlines() if "crashed" in line]
        self.assertEqual(len(lines), 1, program.err)
        self.assertRegex(lines[0], REPORT)
        self.assertTrue(lines[0].startswith(text), lines[0])
        return lines[0]

    def stack(self, program, line):
        """The functions of a report."""
        command = [os.path.join(ROOT, "scripts/crash-stack"), program]
        return subprocess.run(command, input=f"a log\n{line}\n", capture_output=True, text=True, check=True).stdout

    def test_the_report_of_initd_leads_to_its_functions(self):
        for number in (signal.SIGSEGV, signal.SIGABRT):
            with self.subTest(number.name):
                supervisor = self.start(None, env=ENV)
                supervisor.peer().ok("ping")
                supervisor.program.signal(number)
                line = self.report(supervisor.program, number, f"initd 0.1.0 crashed: {number.name} from process {os.getpid()};")
                stack = self.stack(INITD, line)
                self.assertIn("EventLoop.Loop.run()", stack)
                self.assertRegex(stack, r"initd\.Initd\.run\(\).*Sources/initd/Initd\.swift:\d+")

    def test_the_report_of_initctl_leads_to_its_functions(self):
        supervisor = self.start(None)
        program = self.program([INITCTL, "--socket", supervisor.path, "watch", "--json"], env=ENV)
        # When the program reports an event, it has subscribed, and its loop runs.
        program.line()
        supervisor.peer().ok("activate")
        program.line()
        program.signal(signal.SIGSEGV)
        line = self.report(program, signal.SIGSEGV, f"initctl 0.1.0 crashed: SIGSEGV from process {os.getpid()};")
        self.assertIn("EventLoop.Loop.run()", self.stack(INITCTL, line))

    def test_the_stack_of_another_build_is_refused(self):
        supervisor = self.start(None, env=ENV)
        supervisor.program.signal(signal.SIGSEGV)
        line = self.report(supervisor.program, signal.SIGSEGV, "initd ")
        command = [os.path.join(ROOT, "scripts/crash-stack"), INITCTL]
        refused = subprocess.run(command, input=line, capture_output=True, text=True)
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr, "^scripts/crash-stack: .*/initctl is build [0-9a-f]{40}, and the report is of build [0-9a-f]{40}: ")

    def test_a_crash_leaves_nothing_behind(self):
        supervisor = self.start_with("deep: { command: 'sleep 600 & echo $! > pid; wait' }", env=ENV)
        pid = int(supervisor.until_lines("pid")[0])
        supervisor.program.signal(signal.SIGSEGV)
        self.report(supervisor.program, signal.SIGSEGV, "initd ")
        until(lambda: not is_running(pid), "the grandchild is killed")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
    def test_the_first_process_of_a_container_doesnt_get_the_signal_of_another(self):
        """Without a handler, the kernel doesn't deliver it."""
        directory = self.directory()
        path = os.path.join(directory, "s")
        words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", INITD, "--socket", path, "--"]
        program = self.program([*words, "sh", "-c", "kill -SEGV 1; kill -ABRT 1; exit 7"], env=ENV)
        self.assertEqual(program.wait(), 7)
        self.assertNotIn(b"crashed", program.err)


if __name__ == "__main__":
    unittest.main()
