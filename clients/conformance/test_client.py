"""The client's side: requests, holds, and subscriptions."""

from __future__ import annotations

import signal
import unittest

from deadlines import until
from subject import WORKER_ONLY, Scenario, active, launch


@unittest.skipIf(WORKER_ONLY, "the subject is only a worker")
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
        subject = self.subject(supervisor, launch("a"), calls=[{"wait": "ready", "timeout": 0.1}, {"waitFor": "missing", "timeout": 5}])
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


@unittest.skipIf(WORKER_ONLY, "the subject is only a worker")
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
