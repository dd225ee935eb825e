"""Cancels: a run stops, answers once, and no other run starts in its place before."""

from __future__ import annotations

import os
import unittest

from deadlines import until
from subject import LANGUAGE, Scenario, active
from supervisor import FAST
from transcript import Server

PATIENT = "version: 1\ncancelGrace: 20s\nregistrationTimeout: 500ms\n"


class Cancels(Scenario):
    def test_a_working_run_is_cancelled(self) -> None:
        supervisor = self.start(PATIENT)
        subject, peer = self.registered(supervisor, active("a", {"sleep": 300}))
        number = peer.ok("activate")["pass"]
        run = subject.run("a")
        self.assertEqual(peer.ok("deactivate", wait=True), {"cancelled": ["a"]})
        self.assertEqual(subject.take("cancel", "a"), ["cancel", "a", str(run), "deactivated"])
        subject.take("done", "a", run)
        self.assertEqual(self.outcome(peer, number), "cancelled")
        self.assertEqual(subject.count("lost"), 0)

    def test_an_operator_cancels_a_run(self) -> None:
        supervisor = self.start(PATIENT)
        subject, peer = self.registered(supervisor, active("a", {"sleep": 300}))
        number = peer.ok("activate")["pass"]
        run = subject.run("a")
        self.assertEqual(peer.ok("cancelRun", initializers=["a"]), {"cancelled": ["a"]})
        self.assertEqual(subject.take("cancel", "a"), ["cancel", "a", str(run), "operator"])
        subject.take("done", "a", run)
        self.assertEqual(self.outcome(peer, number), "failed")
        self.assertEqual(subject.count("lost"), 0)

    def test_cancelled_twice(self) -> None:
        supervisor = self.start(PATIENT)
        subject, peer = self.registered(supervisor, active("a", {"ignoreCancelFor": 0.3}, {"sleep": 300}, {"fail": "not reached"}))
        for _ in range(2):
            peer.ok("activate")
            run = subject.run("a")
            peer.ok("deactivate")
            peer.ok("deactivate")
            number = peer.ok("activate")["pass"]
            self.assertEqual(subject.run("a"), run + 1)
            peer.ok("deactivate", wait=True)
            self.assertEqual(self.outcome(peer, number), "cancelled")
            subject.take("done", "a", run + 1)
        lines = [line.split() for line in subject.lines() if line.split()[0] in ("run", "cancel", "done")]
        self.assertEqual([line[0] for line in lines], ["run", "cancel", "done"] * (len(lines) // 3), lines)
        self.assertEqual(len(lines), 12)

    def test_a_cancel_during_a_block(self) -> None:
        supervisor = self.start(PATIENT)
        subject, peer = self.registered(supervisor, active("a", {"block": 1.0}, {"fail": "not reached"}))
        number = peer.ok("activate")["pass"]
        run = subject.run("a")
        peer.ok("deactivate", wait=True)
        subject.take("done", "a", run)
        self.assertEqual(self.outcome(peer, number), "cancelled")
        if LANGUAGE != "node":
            self.assertEqual(subject.count("cancel", "a", run), 1)

    @unittest.skipIf(LANGUAGE == "node", "its busy loop ends before it reads the cancel")
    def test_a_result_after_a_cancel_does_not_count(self) -> None:
        server = Server(os.path.join(self.directory(), "s"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a", {"output": "too late"}, {"block": 1.0}))
        talk = server.accept()
        talk.begin()
        talk.send({"id": "run-1", "method": "run", "params": {"run": 1, "initializer": "a", "pass": 1, "phase": "active", "attempt": 1}})
        subject.run("a")
        talk.send({"method": "cancel", "params": {"run": 1, "reason": "deactivated"}})
        talk.expect({"id": "run-1", "error": {"code": -32008}})
        subject.take("done", "a")

    def test_cancelled_by_its_timeout(self) -> None:
        supervisor = self.start(PATIENT)
        subject, peer = self.registered(supervisor, active("a", {"sleep": 300}, timeout=0.3))
        number = peer.ok("activate")["pass"]
        self.assertEqual(subject.take("cancel", "a")[3], "timeout")
        subject.take("done", "a")
        self.assertEqual(self.outcome(peer, number), "failed")

    def test_cancelled_because_another_failed(self) -> None:
        supervisor = self.start(PATIENT + "concurrency: 2\n")
        subject, peer = self.registered(supervisor, active("slow", {"sleep": 300}), active("bad", {"sleep": 0.2}, {"fail": "boom"}))
        number = peer.ok("activate")["pass"]
        self.assertEqual(subject.take("cancel", "slow")[3], "failed")
        subject.take("done", "slow")
        self.assertEqual(peer.ok("wait", pass_=number)["error"]["initializer"], "bad")

    def test_a_cancel_ignored_beyond_the_grace(self) -> None:
        supervisor = self.start(FAST)
        subject, peer = self.registered(supervisor, active("a", {"ignoreCancelFor": 1.0}, {"sleep": 300}))
        for _ in range(10):
            peer.ok("activate")
            run = subject.run("a")
            peer.ok("deactivate", wait=True)
            until(lambda: subject.count("lost") or subject.count("done", "a", run), "the end of the run")
            if subject.count("lost"):
                break
            # The cancel came before the run's first step.
        subject.take("lost")
        self.available(peer, active("a"))
        subject.take("connected")
        peer.ok("activate")
        subject.run("a")

    def test_one_of_several_is_cancelled(self) -> None:
        supervisor = self.start(PATIENT + "concurrency: 2\n")
        late = active("late", {"sleep": 300}, timeout=0.3, optional=True)
        subject, peer = self.registered(supervisor, late, active("other", {"sleep": 1.0}))
        number = peer.ok("activate")["pass"]
        self.assertEqual(self.outcome(peer, number), "complete")
        subject.take("done", "late")
        subject.take("done", "other")
        self.assertEqual(subject.count("cancel", "other"), 0)
