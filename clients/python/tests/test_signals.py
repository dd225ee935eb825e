"""Signals end a worker, and its program."""

import os
import signal
import subprocess
import sys
import textwrap
import unittest

from .fake_supervisor import DEADLINE, FakeSupervisor
from .working import PACKAGE

BLOCKS = "time.sleep(3600)"
CAME_BACK = (0, "came back\n", "")
LEFT_BEHIND = (0, "came back\n", "stopped waiting for a, which didn't end within the cancel grace\n")


def program(body, grace, kind="def", interrupt="signal.default_int_handler"):
    """A program with a worker whose initializer reports progress and then does this."""
    return (
        textwrap.dedent(
            f"""
            import asyncio, signal, sys, threading, time
            from appinitializers import Worker
            signal.signal(signal.SIGINT, {interrupt})
            worker = Worker(cancel_grace={grace})

            @worker.initializer("a")
            {kind} a(context):
                context.progress(0)
            """
        )
        + textwrap.indent(textwrap.dedent(body), "    ")
        + "\nworker.run()\nprint('came back')\n"
    )


class SignalTests(unittest.TestCase):
    def test_a_signal_unregisters_and_ends_the_program(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                self.check([number], program("context.wait(); context.check()", grace=3600), CAME_BACK, answered=True)

    def test_a_run_that_blocks_does_not_keep_the_program_from_ending(self):
        stubborn = """
            while True:
                try:
                    await asyncio.sleep(3600)
                except asyncio.CancelledError:
                    pass
            """
        in_a_thread = """
            try:
                await asyncio.to_thread(time.sleep, 3600)
            finally:
                await asyncio.to_thread(time.sleep, 3600)
            """
        for kind, body in (("def", BLOCKS), ("async def", stubborn), ("async def", BLOCKS), ("async def", in_a_thread)):
            with self.subTest(kind=kind, body=body):
                self.check([signal.SIGTERM], program(body, grace=0.1, kind=kind), LEFT_BEHIND)

    def test_a_thread_that_a_cancelled_coroutine_leaves_behind_does_not_keep_it_either(self):
        body = "await asyncio.to_thread(time.sleep, 3600)"
        self.check([signal.SIGTERM], program(body, grace=3600, kind="async def"), CAME_BACK, answered=True)

    def test_a_second_signal_does_not_wait_for_runs(self):
        for kind in ("def", "async def"):
            with self.subTest(kind=kind):
                self.check([signal.SIGTERM] * 2, program(BLOCKS, grace=3600, kind=kind), (-signal.SIGTERM, "", ""))

    def test_a_second_interrupt_raises_as_usual(self):
        for kind in ("def", "async def"):
            with self.subTest(kind=kind):
                caught = program(BLOCKS, grace=3600, kind=kind).replace("worker.run()", "try: worker.run()\nexcept KeyboardInterrupt: pass")
                self.check([signal.SIGINT] * 2, caught, CAME_BACK)

    def test_a_second_interrupt_ends_a_program_that_was_started_with_interrupts_ignored(self):
        code = program(BLOCKS, grace=3600, interrupt="signal.SIG_IGN")
        self.check([signal.SIGINT] * 2, code, (-signal.SIGINT, "", ""))

    def test_a_signal_that_another_thread_gets_ends_the_program(self):
        # The main thread waits for messages if that is its innermost frame.
        body = """
            while not sys._current_frames()[threading.main_thread().ident].f_code.co_filename.endswith('wake.py'): context.wait(0.01)
            context.wait(0.1)
            signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
            context.wait()
            """
        self.check([], program(body, grace=3600), CAME_BACK, answered=True)

    def check(self, signals, code, expected, *, answered=False):
        """Signals end this program as expected. The run is answered, or lost."""
        started = []

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")
            for number in signals[:1]:
                started[0].send_signal(number)
            self.assertEqual(peer.reply("unregister", {})["params"], {"names": ["a"]})
            for number in signals[1:]:
                started[0].send_signal(number)
            if answered:
                self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.expect_end()

        with FakeSupervisor(script) as supervisor:
            started.append(
                subprocess.Popen(
                    [sys.executable, "-c", code],
                    cwd=PACKAGE,
                    env=os.environ | {"INITD_SOCKET": supervisor.path},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
            )
            self.addCleanup(started[0].kill)
            out, err = started[0].communicate(timeout=DEADLINE)
        self.assertEqual((started[0].returncode, out, err), expected)


if __name__ == "__main__":
    unittest.main()
