"""Workers (protocol §6)."""

import contextlib
import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
import unittest
from unittest import mock

from appinitializers import Context, NameConflict, Retry, Worker
from appinitializers import worker as worker_module

from .fake_supervisor import DEADLINE, FakeSupervisor

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@contextlib.contextmanager
def serving(worker):
    """`worker.run()` in a separate thread; it must have returned at the end."""
    failures = []

    def run():
        try:
            worker.run()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield failures
    finally:
        thread.join(DEADLINE)
        assert not thread.is_alive(), "the worker did not end"


def play(script, declare, *more):
    """Runs a worker, set up by `declare`, against `script`, and stops it when the scripts have ended."""
    box = {}

    def first(peer):
        peer.greet()
        box["register"] = peer.reply("register", {"registered": []})["params"]["initializers"]
        script(peer)
        if not more:
            box["worker"].stop()
            box["unregister"] = peer.reply("unregister", {})["params"]["names"]
            peer.expect_end()

    with FakeSupervisor(first, *more) as supervisor:
        worker = box["worker"] = Worker(supervisor.path, "test-worker")
        declare(worker)
        with serving(worker) as box["failures"]:
            pass
    return box


class WorkerTests(unittest.TestCase):
    def setUp(self):
        logging.getLogger("appinitializers").setLevel(logging.CRITICAL)

    play = staticmethod(play)

    def test_it_registers_declared_initializers_and_unregisters_at_the_end(self):
        def declare(worker):
            worker.initializer("plain")(lambda context: None)
            worker.initializer(
                "full",
                priority="appActive",
                dependencies=["plain"],
                timeout=3,
                retry=Retry(3, delay=0.5, max_delay=2),
                per_process=True,
                optional=True,
                description="everything",
            )(lambda context: None)
            worker.initializer("short", retry=2, optional=True)(lambda context: None)
            worker.initializer("own", per_process=True)(lambda context: None)

        box = self.play(lambda peer: None, declare)
        self.assertEqual(
            box["register"],
            [
                {"name": "plain"},
                {
                    "name": "full",
                    "priority": "appActive",
                    "dependencies": ["plain"],
                    "timeout": 3,
                    "description": "everything",
                    "retry": {"attempts": 3, "delay": 0.5, "maxDelay": 2},
                    "perProcess": True,
                    "optional": True,
                },
                {"name": "short", "retry": {"attempts": 2}, "optional": True},
                {"name": "own", "perProcess": True},
            ],
        )
        self.assertEqual(box["unregister"], ["plain", "full", "short", "own"])
        self.assertEqual(box["failures"], [])

    def test_a_name_is_declared_only_once(self):
        worker = Worker("/nowhere")
        worker.initializer("a")(print)
        with self.assertRaises(ValueError):
            worker.initializer("a")

    def test_a_run_knows_its_numbers_reports_progress_and_succeeds(self):
        seen = []

        def script(peer):
            peer.run(7, "a", attempt=2, timeout=30, traceparent=TRACE, **{"pass": 3, "phase": "active"})
            self.assertEqual(
                peer.expect("progress")["params"], {"run": 7, "fraction": 0.5, "message": "half", "extend": 30}
            )
            self.assertEqual(peer.expect("progress")["params"], {"run": 7, "message": "more"})
            self.assertEqual(peer.receive(), {"jsonrpc": "2.0", "id": "run-7", "result": {}})

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                seen.append(
                    (context.run, context.initializer, context.pass_, context.phase, context.attempt, context.timeout, context.traceparent)
                )
                context.progress(0.5, "half", extend=30)
                context.progress(message="more")
                for fraction in (-0.1, 1.1):
                    with self.assertRaises(ValueError):
                        context.progress(fraction)

        self.play(script, declare)
        self.assertEqual(seen, [(7, "a", 3, "active", 2, 30, TRACE)])

    def test_a_run_gets_inputs_and_passes_on_an_output(self):
        seen = []

        def script(peer):
            for number, (inputs, result) in enumerate(
                [
                    ({}, {"output": {"k": [1, None]}}),
                    ({"inputs": {"b": "x"}}, {"output": "hunter2", "secret": True}),
                    ({}, {}),
                ],
                start=7,
            ):
                peer.run(number, "a", **inputs, **{"pass": 3, "phase": "active"})
                self.assertEqual(peer.receive(), {"jsonrpc": "2.0", "id": f"run-{number}", "result": result})

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                seen.append(context.inputs)
                if context.run == 7:
                    context.hand_over({"dropped": True}, secret=True)
                    context.hand_over({"k": [1, None]})
                elif context.run == 8:
                    context.hand_over("hunter2", secret=True)
                else:
                    deep = 1
                    for _ in range(30):
                        deep = [deep]
                    endless = []
                    endless.append(endless)
                    impossible = [float("nan"), object(), {1: "a", "1": "b"}, "\ud800", deep, endless]
                    for each in impossible:
                        with self.assertRaises((ValueError, TypeError)):
                            context.hand_over(each)

        self.play(script, declare)
        self.assertEqual(seen, [{}, {"b": "x"}, {}])

    def test_an_output_is_copied_when_it_is_set(self):
        def script(peer):
            peer.run(7, "a")
            self.assertEqual(peer.receive()["result"], {"output": {"k": 1}})

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                value = {"k": 1}
                context.hand_over(value)
                value["later"] = object()

        self.play(script, declare)

    def test_an_output_that_is_too_large_fails_the_run(self):
        def script(peer):
            peer.run(7, "a")
            self.assertIn("write it to a file", peer.receive()["error"]["message"])

        self.play(script, lambda worker: worker.initializer("a")(lambda context: context.hand_over("x" * 2_000_000)))

    def test_an_exception_is_answered_with_its_message(self):
        def script(peer):
            for number, name, message in (
                (1, "worded", "HTTP 503"), (2, "silent", "KeyboardInterrupt"), (3, "exit", "3"), (4, "odd", "?"),
            ):
                peer.run(number, name)
                answer = peer.receive()
                self.assertEqual(answer["id"], f"run-{number}")
                self.assertEqual(answer["error"], {"code": 1, "message": message})
            peer.run(5, "long")
            self.assertLess(len(peer.receive()["error"]["message"]), 10_000)

        def declare(worker):
            def raising(error):
                def function(context):
                    raise error

                return function

            worker.initializer("worded")(raising(OSError("HTTP 503")))
            worker.initializer("silent")(raising(KeyboardInterrupt()))
            worker.initializer("exit")(raising(SystemExit(3)))
            worker.initializer("odd")(raising(ValueError("\ud800")))
            worker.initializer("long")(raising(ValueError("x" * 2_000_000)))

        self.play(script, declare)

    def test_a_cancelled_run_stops_and_is_answered_as_cancelled_with_any_result(self):
        reasons = []

        def script(peer):
            for number, name in enumerate(("checks", "returns", "raises"), 1):
                peer.run(number, name)
                peer.expect("progress")
                peer.cancel(number, "deactivated")
                answer = peer.receive()
                self.assertEqual((answer["id"], answer["error"]["code"]), (f"run-{number}", -32008))

        def declare(worker):
            def waiting(then):
                def function(context):
                    context.check()
                    context.progress(0)
                    self.assertTrue(context.wait(DEADLINE))
                    context.progress(1)  # Has no effect any more.
                    reasons.append(context.reason)
                    then(context)

                return function

            def fail(context):
                raise OSError("interrupted")

            worker.initializer("checks")(waiting(lambda context: context.check()))
            worker.initializer("returns")(waiting(lambda context: None))
            worker.initializer("raises")(waiting(fail))

        self.play(script, declare)
        self.assertEqual(reasons, ["deactivated"] * 3)

    def test_the_first_reason_counts_and_none_follows_the_answer(self):
        params = {"run": 1, "initializer": "a", "pass": 1, "phase": "launch", "attempt": 1}
        stopped, answered = (Context(mock.Mock(), "run-1", params) for _ in range(2))
        stopped._cancel("timeout")
        stopped._cancel("lost")
        self.assertEqual(stopped.reason, "timeout")
        answered._run(lambda context: None, None)
        answered._cancel("lost")
        self.assertEqual((answered.reason, answered.cancelled.is_set()), (None, False))

    def test_runs_are_concurrent(self):
        def script(peer):
            peer.run(1, "first")
            peer.run(2, "second")
            self.assertEqual({peer.receive()["id"], peer.receive()["id"]}, {"run-1", "run-2"})

        def declare(worker):
            met = threading.Barrier(2, timeout=DEADLINE)
            worker.initializer("first")(lambda context: met.wait())
            worker.initializer("second")(lambda context: met.wait())

        self.play(script, declare)

    def test_an_unknown_run_is_refused(self):
        def script(peer):
            peer.run(1, "unheard-of")
            self.assertEqual(peer.receive()["error"]["code"], -32602)
            peer.send({"id": 9, "method": "run", "params": {"run": 2}})
            self.assertEqual(peer.receive()["error"]["code"], -32602)
            peer.send({"id": 9, "method": "dance"})
            self.assertEqual(peer.receive()["error"]["code"], -32601)
            peer.cancel(99, "timeout")

        self.play(script, lambda worker: worker.initializer("a")(print))

    def test_it_registers_again_after_a_restart_of_the_supervisor(self):
        again = []

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                context.progress(0)
                context.wait()
                again.append(context.reason)

            again.append(worker)

        def lose(peer):
            peer.run(1, "a")
            peer.expect("progress")

        def refuse(peer):
            self.assertEqual(again[1:], ["lost"])  # The old run has stopped before a new one starts.
            peer.greet()
            peer.refuse("register", -32006, "shutting down")

        def conflict(peer):
            peer.greet()
            peer.refuse("register", -32002, "still there")

        def serve(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            again[0].stop()
            peer.reply("unregister", {})

        self.assertEqual(self.play(lose, declare, refuse, conflict, serve)["failures"], [])

    def test_a_refused_registration_is_raised(self):
        def script(peer):
            peer.greet()
            peer.refuse("register", -32002, "taken")
            peer.expect_end()

        with FakeSupervisor(script) as supervisor:
            worker = Worker(supervisor.path)
            worker.initializer("a")(print)
            with self.assertRaises(NameConflict):
                worker.run()

    def test_stop_cancels_runs_and_waits_for_them(self):
        reasons = []

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")
            worker.stop()
            peer.reply("unregister", {})
            self.assertEqual(peer.receive()["error"]["code"], -32008)
            peer.expect_end()

        with FakeSupervisor(script) as supervisor:
            worker = Worker(supervisor.path)

            @worker.initializer("a")
            def a(context):
                context.progress(0)
                context.wait()
                reasons.append(context.reason)

            with serving(worker):
                pass
        self.assertEqual(reasons, ["unregistered"])

    def test_stop_after_a_loss_ends_it_when_its_runs_have_stopped(self):
        go_on = threading.Event()
        box = {}

        def declare(worker):
            box["worker"] = worker

            @worker.initializer("a")
            def a(context):
                context.progress(0)
                context.wait(DEADLINE)
                box["worker"].stop()
                box["reason"] = context.reason
                self.assertTrue(go_on.wait(DEADLINE))

        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.expect("progress")

        # A worker that reconnects would not return: no script answers a second connection.
        with FakeSupervisor(lose) as supervisor:
            worker = Worker(supervisor.path)
            declare(worker)
            with serving(worker) as failures:
                threading.Timer(0.1, go_on.set).start()
        self.assertEqual((failures, box["reason"]), ([], "lost"))
        self.assertEqual(worker._runs, {})

    def test_stop_between_two_attempts_ends_it_at_once(self):
        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})

        with FakeSupervisor(lose) as supervisor, mock.patch.object(worker_module, "_FIRST_DELAY", 3600.0):
            worker = Worker(supervisor.path)
            worker.initializer("a")(print)
            pauses = []

            def pausing(within, real=worker._stopped):
                pauses.append(within)
                worker.stop()
                return real(within)

            with mock.patch.object(worker, "_stopped", pausing), serving(worker) as failures:
                pass
        self.assertEqual((failures, len(pauses)), ([], 1))

    def test_stop_doesnt_wait_for_ever_for_a_supervisor_that_hangs(self):
        def hang(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            worker.stop()
            peer.expect("unregister")
            peer.expect_end()

        with FakeSupervisor(hang) as supervisor, mock.patch.object(worker_module, "_UNREGISTER_TIMEOUT", 0.05):
            worker = Worker(supervisor.path)
            worker.initializer("a")(print)
            with serving(worker) as failures:
                pass
        self.assertEqual(failures, [])

    def test_an_unanswered_registration_is_retried(self):
        def hang(peer):
            peer.greet()
            peer.expect("register")
            peer.expect_end()

        def serve(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            worker.stop()
            peer.reply("unregister", {})

        with FakeSupervisor(hang, serve) as supervisor, mock.patch.object(worker_module, "HELLO_TIMEOUT", 0.05):
            worker = Worker(supervisor.path)
            worker.initializer("a")(print)
            with serving(worker) as failures:
                pass
        self.assertEqual(failures, [])

    def pauses(self, worker, count):
        """The first `count` delays between attempts to connect."""
        pauses = []

        def pausing(within):
            pauses.append(within)
            return len(pauses) == count

        with mock.patch.object(worker, "_stopped", pausing):
            worker.run()
        return pauses

    def test_delays_grow_to_a_limit_with_jitter(self):
        worker = Worker("/nowhere/initd.sock")
        worker.initializer("a")(print)
        for pause, longest in zip(self.pauses(worker, 9), [0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5, 5]):
            self.assertTrue(longest / 2 <= pause <= longest, (pause, longest))
        firsts = [self.pauses(worker, 1)[0] for _ in range(100)]
        self.assertTrue(min(firsts) < 0.13 and max(firsts) > 0.17, "many workers would come back at once")

    def test_delays_restart_after_a_registration(self):
        def refuse(peer):
            peer.greet()
            peer.refuse("register", -32006, "shutting down")

        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})

        with FakeSupervisor(refuse, refuse, lose) as supervisor:
            worker = Worker(supervisor.path)
            worker.initializer("a")(print)
            pauses = self.pauses(worker, 3)
        for pause, longest in zip(pauses, [0.2, 0.4, 0.1]):
            self.assertTrue(longest / 2 <= pause <= longest, (pause, longest))

    def test_a_run_that_gets_no_thread_fails(self):
        real = threading.Thread.start

        def start(thread):
            if thread.name == "run-1":
                raise RuntimeError("can't start new thread")
            real(thread)

        def script(peer):
            with mock.patch.object(threading.Thread, "start", start):
                peer.run(1, "a")
                self.assertEqual(peer.receive()["error"], {"code": 1, "message": "cannot run a: can't start new thread"})
            peer.run(2, "a")
            self.assertEqual(peer.receive()["result"], {})

        self.play(script, lambda worker: worker.initializer("a")(lambda context: None))

    def test_stop_ends_it_even_without_a_supervisor(self):
        worker = Worker("/nowhere/initd.sock")
        worker.initializer("a")(print)
        with serving(worker) as failures:
            worker.stop()
        self.assertEqual(failures, [])

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
            "while sys._current_frames()[threading.main_thread().ident].f_code.co_name != '_serve': context.wait(0.01)",
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
