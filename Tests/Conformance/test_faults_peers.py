"""Faults of peers: the supervisor serves the other clients and recovers, regardless of the actions of a client or worker."""

import contextlib
import sys
import unittest

import shapes
from calm import IN_TIME, calm
from deadlines import until
from flood import Flood, all_gone, come_and_go, greeted, percentile, queued, timed
from peer import Ended, frame, hello, message
from supervisor import Conformance

KEPT_SILENT = 64
"""The maximum number of connections that haven't sent hello."""

CONNECTIONS = 1000
"""The maximum number of connections."""

RESERVED = 16
"""How many more connections root and the supervisor's own user may have; the test uses one of them."""

HELLO = message(id=1, method="hello", params={"protocol": 1, "client": {"name": "conformance", "version": "1"}})
QUIET = ("--log-level", "error")
"""Used for log output that exceeds the capacity of the pipe, which is read at the end."""


def active(name, **more):
    return {"name": name, "priority": "appActive"} | more


class SilentTests(Conformance):
    def test_200_send_nothing_while_a_201st_works(self):
        """The oldest connections are closed without a message. 64 stay, including this one until its hello; connections after hello aren't
        closed."""
        supervisor = self.start_fast()
        with calm(supervisor):
            silent = [queued(supervisor.path) for _ in range(200)]
            working = greeted(supervisor.path)
            self.assertLess(percentile([timed(working.status) for _ in range(100)], 0.99), IN_TIME)
            working.register("a")
            working.expect_run("a").succeed()
            self.assertEqual(working.ok("wait", for_="launch")["state"], "complete")
            working.ok("unregister", names=["a"])
            stayed = silent[-(KEPT_SILENT - 1) :]
            for peer in silent[: -len(stayed)]:
                peer.expect_end_now()
                peer.close()
            for peer in stayed:
                hello(peer)
                peer.alive()
                peer.close()
            working.close()

    def test_200_send_nothing_after_hello(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            silent = [greeted(supervisor.path) for _ in range(200)]
            working = greeted(supervisor.path)
            self.assertLess(percentile([timed(working.status) for _ in range(100)], 0.99), IN_TIME)
            for peer in [working, *silent]:
                peer.alive()
                peer.close()

    def test_connections_beyond_1000_are_refused_with_the_reason(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            peers = [greeted(supervisor.path) for _ in range(CONNECTIONS + RESERVED)]
            for _ in range(200):
                with contextlib.closing(queued(supervisor.path)) as further:
                    said = b"".join(iter(lambda: further.stream.recv(4096), b""))
                    refused = shapes.loads(said[4:])
                    self.assertEqual((refused["id"], refused["error"]["code"]), (None, -32007))
                    self.assertEqual(refused["error"]["data"]["limit"], "connections")
            for peer in peers:
                peer.alive()
                peer.close()


class FloodTests(Conformance):
    """Clients that connect and disconnect as fast as they can, at every point of a conversation."""

    TIMES = 2000

    def test_clients_connect_and_close(self):
        register = frame(message(id=2, method="register", params={"initializers": [{"name": "a"}]}))
        waiting = frame(message(id=3, method="wait", params={"for": "active"})) + frame(message(id=4, method="subscribe"))
        held = frame(message(id=5, method="activate", params={"hold": True}))
        for said in (b"", b"\0", b"\xff", frame(HELLO), frame(HELLO) + waiting + held, frame(HELLO) + register + waiting + held):
            with self.subTest(said=said):
                supervisor = self.start_fast(*QUIET, "--no-launch")
                come_and_go(supervisor.path, said)
                with calm(supervisor) as before:
                    flood = Flood(self, lambda _: come_and_go(supervisor.path, said))
                    flood.until(self.TIMES)
                    flood.stop()
                    all_gone(supervisor, before)
                status = supervisor.peer().status()
                self.assertEqual((status["workers"], status["holds"], status["lifecycle"]), ([], 0, "inactive"))


class WorkerTests(Conformance):
    """A worker that exits or is stopped during its run."""

    def setUp(self):
        super().setUp()
        self.supervisor = self.start("version: 1\ncancelGrace: 300ms\nregistrationTimeout: 60s\n", *QUIET)
        self.peer = self.supervisor.peer()

    def process(self, *declared):
        """A worker in a separate process, which registers these names and succeeds in all runs until it is disconnected."""

        def prepare():
            worker = queued(self.supervisor.path)
            hello(worker, "process")
            worker.register(*declared)
            return worker

        def work(worker):
            try:
                worker.expect_run(deadline=600).succeed()
            except (Ended, BrokenPipeError):
                sys.exit()

        return Flood(self, work, prepare)

    def gone(self, *names):
        """Waits until the names have no worker, and unregisters them."""
        until(lambda: self.peer.status()["workers"] == [], "the loss of the worker")
        self.peer.ok("unregister", names=list(names))

    def again(self, what, times=100):
        """Checks the resources around this many of them. Memory of the first one, e.g. for a timer, may be kept for the next."""
        what()
        with calm(self.supervisor):
            for _ in range(times):
                what()

    def activated(self):
        return self.peer.ok("activate")["pass"]

    def completes(self, number):
        self.assertEqual(self.peer.ok("wait", pass_=number)["state"], "complete")

    def outcomes(self):
        """Returns the outcomes of the newest pass's runs."""
        return [each["outcome"] for each in self.peer.last_pass()["runs"]]

    def stopped_in_its_run(self, *declared):
        """A stopped worker process that is sent a run."""
        worker = self.process(*declared)
        until(lambda: self.peer.status()["workers"], "the worker")
        worker.pause()
        number = self.activated()
        self.peer.until_initializer("a", "running")
        return worker, number

    def test_a_worker_is_killed(self):
        """The worker disconnects during its run, which fails then, and is retried by the next worker."""

        def killed():
            declared = active("a", retry={"attempts": 2, "delay": 0})
            worker, number = self.stopped_in_its_run(declared)
            worker.stop()
            self.peer.until_initializer("a", "waiting")
            another = self.process(declared)
            self.completes(number)
            self.assertEqual(self.outcomes(), ["failed", "complete"])
            another.stop()
            self.peer.ok("deactivate", wait=True)
            self.gone("a")

        self.again(killed)

    def test_a_worker_is_stopped_and_continued(self):
        """The run continues afterwards. Requests to it wait, but other clients don't."""
        worker, number = self.stopped_in_its_run(active("a"), active("b"))

        def continued():
            nonlocal number
            self.assertEqual(self.peer.call("wait", {"pass": number, "timeout": 0.01})["error"]["code"], -32003)
            before = worker.count
            worker.resume()
            self.completes(number)
            until(lambda: worker.count >= before + 2, "its two runs")
            self.assertEqual(self.outcomes(), ["complete", "complete"])
            self.peer.ok("deactivate", wait=True)
            worker.pause()
            number = self.activated()
            self.peer.until_initializer("a", "running")

        self.again(continued)

    def test_a_stopped_worker_is_cancelled_and_continued_too_late(self):
        """The worker was disconnected after its grace period; its later answers are ignored, and its place is free."""

        def too_late():
            worker, _ = self.stopped_in_its_run(active("a"))
            self.assertEqual(self.peer.ok("deactivate", wait=True)["cancelled"], ["a"])
            self.assertEqual((self.peer.status()["workers"], self.outcomes()), ([], ["cancelled"]))
            another = self.process(active("a"))
            until(lambda: self.peer.status()["workers"], "another worker")
            worker.resume()
            worker.ended()
            self.completes(self.activated())
            until(lambda: another.count >= 1, "its run")
            another.stop()
            self.peer.ok("deactivate", wait=True)
            self.gone("a")

        self.again(too_late, times=10)


class AnswerTests(Conformance):
    """Answers to unknown or ended runs: each run ends by its own worker's answer, and no memory is kept for them."""

    def again(self, declared, wrong, wanted, times=200):
        """Runs this many passes of two workers; during the run of `wrong`, that worker makes a fault, and the run ends. Returns the
        outcomes."""
        supervisor = self.start_fast("--concurrency", "2", *QUIET)
        peer = supervisor.peer()
        worker, other = supervisor.worker(active("a", **declared)), supervisor.worker(active("b"))

        def once():
            number = peer.ok("activate")["pass"]
            run, its = worker.expect_run("a"), other.expect_run("b")
            wrong(run, its)
            worker.alive()
            self.assertEqual((peer.initializer("b")["status"], peer.initializer("b").get("progress")), ("running", None))
            its.succeed()
            self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
            runs = peer.last_pass()["runs"]
            self.assertEqual([each["outcome"] for each in runs if each["initializer"] == "a"], wanted)
            peer.ok("deactivate", wait=True)

        once()
        with calm(supervisor):
            for _ in range(times):
                once()
        self.assertEqual(worker.inbox + other.inbox, [], "no further message is sent")

    def test_twice(self):
        def wrong(run, its):
            for _ in range(5):
                run.succeed()
                run.fail()
                run.progress(fraction=0.5)

        self.again({}, wrong, ["complete"])

    def test_late(self):
        """After its timeout, and again during the next attempt."""

        def wrong(run, its):
            run.progress(extend=0)
            run.expect_cancel("timeout").stopped()
            run.succeed()
            following = run.peer.expect_run("a")
            for _ in range(5):
                run.succeed()
                run.fail()
                run.progress(fraction=0.5)
            following.succeed()

        self.again({"timeout": 600, "retry": {"attempts": 2, "delay": 0}}, wrong, ["failed", "complete"])

    def test_for_anothers_run(self):
        def wrong(run, its):
            for _ in range(5):
                run.peer.send(id=its.id, result={})
                run.peer.send(id=its.id, error={"code": 1, "message": "not its own"})
                run.peer.send(method="progress", params={"run": its.number, "fraction": 0.5, "extend": 0})
            run.succeed()

        self.again({}, wrong, ["complete"])

    def test_for_a_run_that_never_was(self):
        strange = ["run-0", "run-1000000", "run--1", "run-", "run", "", "x" * 64, f"run-{2**64 - 1}", f"run-{2**63}", 0, 1, -1, 2**63 - 1]

        def wrong(run, its):
            for id in [*strange, f"run-0{run.number}", f"run-{run.number} ", f"RUN-{run.number}", f"run-+{run.number}", run.number]:
                run.peer.send(id=id, result={})
                run.peer.send(id=id, error={"code": 1, "message": "of nothing"})
            for number in (0, -1, run.number + 1000, 2**63 - 1):
                run.peer.send(method="progress", params={"run": number, "fraction": 0.5})
            run.peer.alive()
            self.assertEqual(run.peer.initializer("a")["status"], "running")
            run.succeed()

        self.again({}, wrong, ["complete"], times=50)


class NameTests(Conformance):
    def test_a_name_taken(self):
        """One client retries, and others connect and disconnect: the name and its runs stay with the first worker."""
        supervisor = self.start_fast("--activate", *QUIET)
        first, second = supervisor.worker(active("a")), supervisor.peer()
        run = first.expect_run("a")
        wanted = {"initializers": [active("new"), active("a")]}
        with calm(supervisor):
            for _ in range(1000):
                second.refused(-32002, "register", wanted)
            for _ in range(500):
                with contextlib.closing(greeted(supervisor.path)) as other:
                    other.refused(-32002, "register", wanted)
        run.succeed()
        status = supervisor.peer().status()
        self.assertNames(status["initializers"], ["a"])
        self.assertEqual([each["initializers"] for each in status["workers"]], [["a"]])
        self.assertEqual(second.ok("wait", for_="active")["state"], "complete")

    def test_register_then_die_before_the_answer(self):
        """The name is free at once for the next worker, which gets its run."""
        register = message(id=2, method="register", params={"initializers": [active("a")]})
        supervisor = self.start_fast("--activate", *QUIET)
        peer = supervisor.peer()
        with calm(supervisor) as before:
            for number in range(1000):
                come_and_go(supervisor.path, frame(HELLO) + frame(register))
                if number % 50 == 0:
                    worker = greeted(supervisor.path)
                    until(lambda: "result" in worker.call("register", {"initializers": [active("a")]}), "a name that is free")
                    number = peer.ok("activate")["pass"]
                    worker.expect_run("a").succeed()
                    self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
                    worker.close()
            all_gone(supervisor, before)
            peer.ok("unregister", names=["a"])
            self.assertEqual(peer.status()["initializers"], [])


if __name__ == "__main__":
    unittest.main()
