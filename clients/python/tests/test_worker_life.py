"""The life of a worker: lost connections, stops and signals."""

import logging
import threading
import unittest
from unittest import mock

from appinitializers import LimitExceeded, NameConflict, NoSupervisor, Worker, waiting
from appinitializers import worker as worker_module

from .fake_supervisor import DEADLINE, FakeSupervisor
from .logs import logged
from .working import play, serving


class LifeTests(unittest.TestCase):
    def setUp(self):
        logging.getLogger("appinitializers").setLevel(logging.CRITICAL)

    play = staticmethod(play)

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
        for code, limit, error in ((-32002, None, NameConflict), (-32007, "initializers", LimitExceeded)):

            def script(peer):
                peer.greet()
                peer.refuse("register", code, "no", {"limit": limit})
                peer.expect_end()

            with self.subTest(error=error), FakeSupervisor(script) as supervisor:
                worker = Worker(supervisor.path)
                worker.initializer("a")(print)
                with self.assertRaises(error):
                    worker.run()

    def test_a_limit_of_the_start_does_not_count_after_a_loss(self):
        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})

        def full(peer):
            peer.refuse("hello", -32007, "too many connections", {"limit": "connections"})

        def serve(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            worker.stop()
            peer.reply("unregister", {})

        with FakeSupervisor(lose, full, serve) as supervisor:
            worker = Worker(supervisor.path, connect_timeout=0)
            worker.initializer("a")(print)
            with serving(worker) as failures:
                pass
        self.assertEqual(failures, [])

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
            worker = Worker(supervisor.path, cancel_grace=3600)
            declare(worker)
            with serving(worker) as failures:
                threading.Timer(0.1, go_on.set).start()
        self.assertEqual((failures, box["reason"]), ([], "lost"))
        self.assertEqual(worker._runs.names, [])

    def test_stop_between_two_attempts_ends_it_at_once(self):
        lost = threading.Event()

        class Losing(Worker):
            def on_lost(self, reason):
                lost.set()

        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})

        with FakeSupervisor(lose) as supervisor, mock.patch.object(waiting, "FIRST", 3600):
            worker = Losing(supervisor.path)
            worker.initializer("a")(print)
            with serving(worker) as failures:
                self.assertTrue(lost.wait(DEADLINE))
                worker.stop()
        self.assertEqual(failures, [])

    def test_stop_ends_it_while_a_supervisor_does_not_answer_hello(self):
        def hang(peer):
            peer.expect("hello")
            worker.stop()
            peer.expect_end()

        with FakeSupervisor(hang) as supervisor:
            worker = Worker(supervisor.path)
            worker.initializer("a")(print)
            with serving(worker) as failures:
                pass
        self.assertEqual(failures, [])

    def test_stop_doesnt_wait_for_ever_for_a_supervisor_that_hangs(self):
        def hang(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            worker.stop()
            peer.expect("unregister")
            peer.expect_end()

        with FakeSupervisor(hang) as supervisor:
            worker = Worker(supervisor.path, cancel_grace=0.05)
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

    def test_stop_ends_it_even_without_a_supervisor(self):
        worker = Worker("/nowhere/initd.sock")
        worker.initializer("a")(print)
        with serving(worker) as failures:
            worker.stop()
        self.assertEqual(failures, [])

    def test_it_waits_for_ever_and_says_so(self):
        worker = Worker("/nowhere/initd.sock")
        worker.initializer("a")(print)
        with logged() as log, mock.patch.object(waiting, "TOLD_AFTER", 0.05), serving(worker) as failures:
            self.assertTrue(log.told.wait(DEADLINE))
            worker.stop()
        self.assertEqual(len(log.lines), 1)
        self.assertIn("waiting for a supervisor at /nowhere/initd.sock: cannot connect to /nowhere/initd.sock", log.lines[0])
        self.assertEqual(failures, [])

    def test_it_says_so_if_the_registration_is_not_answered(self):
        def hang(peer):
            peer.greet()
            peer.expect("register")
            self.assertTrue(log.told.wait(DEADLINE))
            worker.stop()
            peer.expect_end()

        with logged() as log, FakeSupervisor(hang) as supervisor, mock.patch.object(waiting, "TOLD_AFTER", 0.05):
            worker = Worker(supervisor.path, cancel_grace=0)
            worker.initializer("a")(print)
            with serving(worker):
                pass
        self.assertIn("it hasn't answered yet", log.lines[0])

    def test_a_limit_of_0_makes_one_attempt(self):
        worker = Worker("/nowhere/initd.sock", connect_timeout=0)
        worker.initializer("a")(print)
        with mock.patch.object(waiting, "FIRST", 3600), self.assertRaises(NoSupervisor):
            worker.run()

    def test_it_does_not_wait_if_that_is_useless(self):
        worker = Worker("x" * 200)
        worker.initializer("a")(print)
        with self.assertRaises(NoSupervisor):
            worker.run()

    def test_its_hooks_follow_its_connections_and_its_answers(self):
        seen = []

        class Told(Worker):
            def on_connected(self):
                seen.append("connected")

            def on_lost(self, reason):
                seen.append(f"lost: {reason}")

            def on_answered(self, context):
                seen.append(f"answered {context.run}")

        def lose_at_once(peer):
            peer.expect("hello")

        def lose(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            peer.run(1, "a")
            peer.receive()

        def serve(peer):
            peer.greet()
            peer.reply("register", {"registered": ["a"]})
            worker.stop()
            peer.reply("unregister", {})
            peer.expect_end()

        def lose_before_it_has_registered(peer):
            peer.greet()
            peer.expect("register")

        with FakeSupervisor(lose_at_once, lose, lose_before_it_has_registered, serve) as supervisor:
            worker = Told(supervisor.path)
            worker.initializer("a")(lambda context: None)
            with serving(worker):
                pass
        self.assertEqual(sorted(seen[:3]), ["answered 1", "connected", "lost: the supervisor closed the connection"])
        self.assertEqual(seen[3:], ["connected"])


if __name__ == "__main__":
    unittest.main()
