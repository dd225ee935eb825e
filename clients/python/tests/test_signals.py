"""Signals end a worker."""

import os
import signal
import subprocess
import sys
import textwrap
import unittest

from .fake_supervisor import DEADLINE, FakeSupervisor
from .working import PACKAGE


class SignalTests(unittest.TestCase):
    def test_a_signal_unregisters_and_ends_the_program(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                self.check_signal(number, "context.check()", twice=False, expected=(0, "came back\n", ""))

    def test_a_second_signal_does_not_wait_for_runs(self):
        self.check_signal(signal.SIGTERM, "threading.Event().wait()", twice=True, expected=(-signal.SIGTERM, "", ""))

    def test_a_signal_that_another_thread_gets_ends_the_program(self):
        # The main thread waits for messages if that is its innermost frame.
        first = [
            "import signal, sys",
            "while not sys._current_frames()[threading.main_thread().ident].f_code.co_filename.endswith('wake.py'): context.wait(0.01)",
            "context.wait(0.1)",
            "signal.pthread_kill(threading.get_ident(), signal.SIGTERM)",
        ]
        self.check_signal(0, "", first=("\n" + " " * 16).join(first), twice=False, expected=(0, "came back\n", ""))

    def check_signal(self, number, then, *, twice, expected, first=""):
        program = textwrap.dedent(
            f"""
            import threading
            from appinitializers import Worker
            worker = Worker()

            @worker.initializer("a")
            def a(context):
                context.progress(0)
                {first}
                context.wait()
                {then}

            worker.run()
            print("came back")
            """
        )
        started = []

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")
            started[0].send_signal(number)
            self.assertEqual(peer.reply("unregister", {})["params"], {"names": ["a"]})
            if twice:
                started[0].send_signal(number)
            else:
                self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.expect_end()

        with FakeSupervisor(script) as supervisor:
            started.append(
                subprocess.Popen(
                    [sys.executable, "-c", program],
                    cwd=PACKAGE,
                    env=os.environ | {"INITD_SOCKET": supervisor.path},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            self.addCleanup(started[0].kill)
            out, err = started[0].communicate(timeout=DEADLINE * 2)
        self.assertEqual((started[0].returncode, out, err), expected)


if __name__ == "__main__":
    unittest.main()
