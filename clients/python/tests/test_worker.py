"""The runs of a worker."""

import logging
import threading
import unittest
from unittest import mock

from appinitializers import Retry, Worker

from .fake_supervisor import DEADLINE, FakeSupervisor
from .working import play, serving

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


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
            worker.initializer("shared", per_process=False, optional=False)(lambda context: None)

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
                {"name": "shared", "perProcess": False, "optional": False},
            ],
        )
        self.assertEqual(box["unregister"], ["plain", "full", "short", "own", "shared"])
        self.assertEqual(box["failures"], [])

    def test_a_name_is_declared_only_once(self):
        worker = Worker("/nowhere")
        worker.initializer("a")(print)
        with self.assertRaises(ValueError):
            worker.initializer("a")

    def test_a_worker_without_initializers_does_not_wait_for_runs(self):
        with self.assertRaisesRegex(ValueError, "it has no initializer; declare one"):
            Worker("/nowhere").run()

    def test_a_run_knows_its_numbers_reports_progress_and_succeeds(self):
        seen = []

        def script(peer):
            peer.run(7, "a", attempt=2, timeout=30, traceparent=TRACE, **{"pass": 3, "phase": "active"})
            self.assertEqual(
                peer.expect("progress")["params"], {"run": 7, "fraction": 0.5, "message": "half", "extend": 30}
            )
            self.assertEqual(peer.expect("progress")["params"], {"run": 7, "message": "more"})
            for params in ({"fraction": 0}, {"fraction": 1}, {"message": "no number"}):
                self.assertEqual(peer.expect("progress")["params"], {"run": 7, **params})
            self.assertEqual(peer.receive(), {"jsonrpc": "2.0", "id": "run-7", "result": {}})

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                seen.append(
                    (context.run, context.initializer, context.pass_, context.phase, context.attempt, context.timeout, context.traceparent)
                )
                context.progress(0.5, "half", extend=30)
                context.progress(message="more")
                context.progress(-0.1)
                context.progress(1.1)
                context.progress(float("nan"), "no number")

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

    def test_a_run_once_for_a_release_has_a_fence(self):
        fences = []

        def script(peer):
            for number, more in enumerate(({"fence": 42}, {}), 1):
                peer.run(number, "a", **more)
                peer.receive()

        self.play(script, lambda worker: worker.initializer("a")(lambda context: fences.append(context.fence)))
        self.assertEqual(fences, [42, None])

    def test_a_long_message_is_cut_and_one_that_is_no_text_is_shown(self):
        def script(peer):
            peer.run(1, "a")
            self.assertLess(len(peer.expect("progress")["params"]["message"]), 5000)
            self.assertEqual(peer.expect("progress")["params"]["message"], "?")
            self.assertEqual(peer.receive()["result"], {})

        def declare(worker):
            @worker.initializer("a")
            def a(context):
                context.progress(message="x" * 2_000_000)
                context.progress(message="\ud800")

        self.play(script, declare)

    def test_a_run_that_follows_an_answer_comes_after_on_answered(self):
        seen = []

        class Slow(Worker):
            def on_answered(self, context):
                threading.Event().wait(0.05)
                seen.append(f"answered {context.run}")

        def script(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            for number in (1, 2):
                peer.run(number, "a")
                peer.receive()
            worker.stop()
            peer.reply("unregister", {})

        with FakeSupervisor(script) as supervisor:
            worker = Slow(supervisor.path)
            worker.initializer("a")(lambda context: seen.append(f"run {context.run}"))
            with serving(worker):
                pass
        self.assertEqual(seen, ["run 1", "answered 1", "run 2", "answered 2"])

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

    def test_a_run_that_gets_no_thread_fails(self):
        real = threading.Thread.start

        def start(thread):
            if thread.name == "appinitializers-run":
                raise RuntimeError("can't start new thread")
            real(thread)

        def script(peer):
            with mock.patch.object(threading.Thread, "start", start):
                peer.run(1, "a")
                self.assertEqual(peer.receive()["error"], {"code": 1, "message": "cannot run a: can't start new thread"})
            peer.run(2, "a")
            self.assertEqual(peer.receive()["result"], {})

        self.play(script, lambda worker: worker.initializer("a")(lambda context: None))


if __name__ == "__main__":
    unittest.main()
