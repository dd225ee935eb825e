"""The client's side: requests, holds, and subscriptions."""

from __future__ import annotations

import os
import signal
import socket

from deadlines import until
from subject import Scenario, active, launch


class Requests(Scenario):
    def test_requests_and_their_answers(self) -> None:
        supervisor = self.start_fast()
        calls = [
            {"status": True}, {"wait": "launch", "timeout": 20}, {"activate": True}, {"wait": "ready", "timeout": 20}, {"waitFor": "a", "timeout": 20},
            {"deactivate": True}, {"status": True},
        ]  # fmt: skip
        subject = self.subject(supervisor, launch("a"), active("b"), calls=calls)
        self.assertEqual(subject.take("call", "status")[2:], ["inactive"])
        self.assertEqual(subject.take("call", "wait")[2:], ["complete"])
        number = int(subject.take("call", "activate")[2])
        self.assertEqual(self.outcome(supervisor.peer(), number), "complete")
        self.assertEqual(subject.take("call", "wait")[2:], ["complete"])
        self.assertEqual(subject.take("call", "wait")[2:], ["complete"])
        subject.take("call", "deactivate")
        self.assertEqual(subject.take("call", "status")[2:], ["inactive"])

    def test_refusals_have_a_code_and_a_word(self) -> None:
        supervisor = self.start_fast()
        subject = self.subject(supervisor, launch("a"), calls=[{"wait": "active", "timeout": 0.1}, {"waitFor": "missing", "timeout": 5}])
        self.assertEqual(subject.take("call", "wait")[2:], ["refused", "-32003", "timeout"])
        self.assertEqual(subject.take("call", "wait")[2:], ["refused", "-32004", "unknownInitializer"])

    def test_a_failed_state_is_an_answer(self) -> None:
        supervisor = self.start_fast()
        subject = self.subject(supervisor, active("a", {"fail": "boom"}), calls=[{"activate": True}, {"wait": "active", "timeout": 20}])
        self.assertEqual(subject.take("call", "wait")[2:], ["failed"])

    def test_a_hold_is_a_scope(self) -> None:
        supervisor = self.start_fast()
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["lifecycle"])
        subject = self.subject(supervisor, active("a"), calls=[{"hold": 0.3}, {"status": True}])
        subject.take("call", "hold", "begun")
        peer.event_where(lifecycle="active")
        subject.take("call", "hold", "ended")
        peer.event_where(lifecycle="inactive")
        self.assertEqual(subject.take("call", "status")[2:], ["inactive"])

    def test_a_hold_is_taken_again_at_the_next_supervisor(self) -> None:
        directory = self.directory()
        first = self.start_fast(directory=directory)
        subject = self.subject(first, calls=[{"hold": 300}])
        subject.take("call", "hold", "begun")
        first.program.signal(signal.SIGKILL)
        first.ended()
        second = self.start_fast(directory=directory)
        peer = second.peer()
        until(lambda: peer.status()["holds"] == 1, "the hold")
        self.assertEqual(peer.status()["lifecycle"], "active")
        subject.family(signal.SIGTERM)
        until(lambda: peer.status()["holds"] == 0, "the end of the hold")
        until(lambda: peer.status()["lifecycle"] == "inactive", "the end of activity")

    def test_a_wait_begins_before_there_is_a_supervisor(self) -> None:
        directory = self.directory()
        subject = self.subject(os.path.join(directory, "initd.sock"), calls=[{"wait": "launch", "timeout": 30}])
        until(lambda: subject.program.pump() or subject.program.err, "a line on standard error after a second")
        self.start_fast(directory=directory)
        self.assertEqual(subject.take("call", "wait")[2:], ["complete"])

    def test_waiting_is_told_while_nothing_answers(self) -> None:
        path = os.path.join(self.directory(), "initd.sock")
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        subject = self.subject(path, calls=[{"status": True}])
        until(lambda: subject.program.pump() or subject.program.err, "a line on standard error after a second")


class Subscriptions(Scenario):
    def test_a_snapshot_and_then_events(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a"), subscribe=["pass"])
        self.assertEqual(subject.take("snapshot"), ["snapshot", peer.status()["instance"]])
        number = peer.ok("activate")["pass"]
        self.assertEqual(self.outcome(peer, number), "complete")
        subject.take("event", "pass")
        subject.take("event", "pass")

    def test_it_begins_anew_after_a_loss(self) -> None:
        directory = self.directory()
        first = self.start_fast(directory=directory)
        subject, peer = self.registered(first, active("a"), subscribe=["pass"])
        former = subject.take("snapshot")[1]
        first.program.signal(signal.SIGKILL)
        first.ended()
        subject.take("lost")
        second = self.start_fast(directory=directory)
        instance = subject.take("snapshot")[1]
        self.assertNotEqual(instance, former)
        peer = second.peer()
        self.assertEqual(instance, peer.status()["instance"])
        until(lambda: subject.count("connected"), "its registration")
        self.available(peer, active("a"))
        events = subject.count("event", "pass")
        peer.ok("activate")
        until(lambda: subject.count("event", "pass") >= events + 2, "two events")

    def test_the_shutdown_is_an_event(self) -> None:
        directory = self.directory()
        first = self.start_fast(directory=directory)
        subject = self.subject(first, subscribe=["pass"])
        former = subject.take("snapshot")[1]
        first.peer().ok("shutdown")
        subject.take("event", "shutdown")
        self.assertEqual(first.ended(), 0)
        self.start_fast(directory=directory)
        self.assertNotEqual(subject.take("snapshot")[1], former)

    def test_a_slow_reader_gets_lagged_and_a_snapshot(self) -> None:
        supervisor = self.start_fast("--activate", "--limit", "eventBytes=64KiB")
        subject = self.subject(supervisor, subscribe=["initializer"])
        first = subject.take("snapshot")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        subject.family(signal.SIGSTOP)
        for number in range(1000):
            run.progress(message=f"{number} " + "x" * 1000)
        worker.alive()
        subject.family(signal.SIGCONT)
        self.assertGreater(int(subject.take("lagged")[1]), 0)
        self.assertEqual(subject.take("snapshot"), first)
        events = subject.count("event", "initializer")
        run.succeed()
        until(lambda: subject.count("event", "initializer") > events, "an event after it")
