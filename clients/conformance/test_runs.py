"""Runs: order, concurrency, outputs, failures, progress."""

from __future__ import annotations

import json
import os
import unittest
from typing import Any

from subject import LANGUAGE, Scenario, active, find, launch
from supervisor import FAST
from transcript import Server

TEXT = 'åß∂ 漢字 🙂 "quoted" \\ / \u0001 \u2028 end'
LARGEST = 1 << 20
"""The `frameBytes` of the test's supervisor."""
SPEED = bool(os.environ.get("SPEED")) and LANGUAGE != "shell"
"""Whether the duration of a run is checked as well: a shell starts a process for each run."""
ENOUGH = 0.0005
VALUE = {"text": TEXT, "numbers": [0, -1, 9007199254740991, 0.5, 1e20, 2.5e-7], "empty": [{}, [], "", None], "yes": True, "": "no name"}


class Runs(Scenario):
    def test_dependencies_run_in_order(self) -> None:
        supervisor = self.start_fast()
        chain = [launch("c", dependencies=["b"]), launch("b", dependencies=["a"]), launch("a")]
        subject, peer = self.registered(supervisor, *chain)
        self.assertEqual(peer.ok("wait", initializer="c")["state"], "complete")
        subject.take("done", "c")
        self.assertEqual([line.split()[1] for line in subject.lines() if line.startswith("run")], ["a", "b", "c"])
        self.assertEqual(subject.count("done"), 3)

    def test_several_run_at_once_on_one_connection(self) -> None:
        supervisor = self.start(FAST + "concurrency: 3\n")
        names = ["x", "y", "z"]
        subject, peer = self.registered(supervisor, *[active(name, {"sleep": 60}) for name in names])
        peer.ok("activate")
        for name in names:
            subject.run(name)
        self.assertEqual(len(peer.status()["workers"]), 1)
        peer.ok("deactivate", wait=True)
        for name in names:
            subject.take("done", name)

    def test_a_blocking_run_delays_no_other(self) -> None:
        supervisor = self.start(FAST + "concurrency: 2\n")
        subject, peer = self.registered(supervisor, active("slow", {"block": 1.5}), active("quick"))
        number = peer.ok("activate")["pass"]
        self.assertEqual(self.outcome(peer, number), "complete")
        subject.take("done", "slow")
        subject.take("done", "quick")
        ended = [line.split()[1] for line in subject.lines() if line.startswith("done")]
        if LANGUAGE != "node":  # Node has one thread: its busy loop delays everything.
            self.assertEqual(ended, ["quick", "slow"])

    def test_values_are_handed_over(self) -> None:
        supervisor = self.start_with(
            f"""
            check:
              command: [sh, -c, 'printf %s "$INITD_INPUT_COPY_JSON" > {self.directory()}/value; cp {self._directories[-1]}/value value']
              dependencies: [copy]
              priority: appActive
            copy: {{worker: true, priority: appActive, dependencies: [origin]}}
            origin: {{worker: true, priority: appActive}}
            """
        )
        subject, peer = self.registered(supervisor, active("origin", {"output": VALUE}), active("copy", {"echoInputs": True}, dependencies=["origin"]))
        number = peer.ok("activate")["pass"]
        self.assertEqual(self.outcome(peer, number), "complete")
        with open(os.path.join(self._directories[0], "value")) as file:
            self.assertEqual(json.load(file), {"origin": VALUE})

    def test_a_frame_of_a_mebibyte(self) -> None:
        supervisor = self.start_fast("--limit", "outputBytes=1000KiB")
        large = "🙂" * 20_000 + "x" * (700 << 10)  # The test's own messages escape it.
        first = supervisor.worker(active_declaration("origin"), name="origin")
        subject, peer = self.registered(supervisor, active("copy", {"echoInputs": True}, dependencies=["origin"]))
        last = supervisor.worker(active_declaration("last", ["copy"]), name="last")
        peer.ok("activate")
        run = first.expect_run("origin")
        first.send(id=run.id, result={"output": large})
        self.assertEqual(last.expect_run("last").params["inputs"], {"copy": {"origin": large}})

    def test_the_largest_frame_it_may_send(self) -> None:
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a", {"echoInputs": True}))
        talk = server.accept()
        talk.begin()

        def answer(number: int, length: int) -> tuple[dict[str, Any], int]:
            params = {"run": number, "initializer": "a", "pass": 1, "phase": "active", "attempt": 1, "inputs": {"b": "x" * length}}
            talk.send({"id": f"run-{number}", "method": "run", "params": params})
            message = talk.expect({"id": f"run-{number}"})
            return message, talk.last_length

        message, bytes = answer(1, 1)
        around = bytes - 1
        message, bytes = answer(2, LARGEST - around)
        self.assertEqual(bytes, LARGEST)
        self.assertIn("result", message)
        message, _ = answer(3, LARGEST - around + 1)
        self.assertIn("message", message["error"], "one byte more than the supervisor reads: the run fails")
        message, _ = answer(4, 1)
        self.assertIn("result", message)
        self.assertEqual(subject.count("lost"), 0)

    def test_a_failure_has_its_message(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"fail": TEXT}))
        number = peer.ok("activate")["pass"]
        error = peer.ok("wait", pass_=number)["error"]
        self.assertEqual((error["initializer"], error["cause"]), ("a", {"kind": "error", "message": TEXT}))
        subject.take("done", "a")

    def test_a_failure_is_retried(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"fail": "boom"}, retry={"attempts": 3, "delay": 0.01}))
        number = peer.ok("activate")["pass"]
        runs = [subject.run("a", attempt) for attempt in (1, 2, 3)]
        self.assertEqual(runs, sorted(set(runs)))
        self.assertEqual(self.outcome(peer, number), "failed")

    def test_progress_is_reported(self) -> None:
        supervisor = self.start_fast()
        steps = [{"progress": 0.25}, {"message": "half 漢字"}, {"progress": 0.5, "message": "last"}]
        subject, peer = self.registered(supervisor, active("a", *steps))
        peer.ok("subscribe", topics=["initializer"])
        peer.ok("activate")
        told = [event["initializer"].get("progress") for event in peer.initializer_events_until("a", "complete")]
        for progress in ({"fraction": 0.25}, {"fraction": 0.25, "message": "half 漢字"}, {"fraction": 0.5, "message": "last"}):
            self.assertIn(progress, told)

    def test_a_fraction_out_of_range_counts_as_the_nearest_one(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"progress": -1}, {"progress": 50, "message": "late"}))
        peer.ok("subscribe", topics=["initializer"])
        peer.ok("activate")
        told = [event["initializer"].get("progress") for event in peer.initializer_events_until("a", "complete")]
        for progress in ({"fraction": 0}, {"fraction": 1, "message": "late"}):
            self.assertIn(progress, told)

    def test_the_deadline_is_extended(self) -> None:
        supervisor = self.start_fast()
        extended = active("extended", {"extend": 30}, {"sleep": 1.2}, timeout=0.8)
        late = active("late", {"sleep": 60}, timeout=0.3, optional=True)
        subject, peer = self.registered(supervisor, extended, late)
        number = peer.ok("activate")["pass"]
        self.assertEqual(self.outcome(peer, number), "complete")
        subject.take("cancel", "late")
        self.assertEqual(subject.count("cancel", "extended"), 0)
        self.assertEqual(find(peer.status()["initializers"], "late")["error"]["cause"]["kind"], "timeout")

    def test_a_thousand_runs_on_one_connection(self) -> None:
        count = 100 if LANGUAGE == "shell" else 1000  # An environment variable of its subject has their steps.
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, *[active(f"n{number}") for number in range(count)])
        took: list[float] = []
        while self._goes_on(took, 1000 // count):
            number = peer.ok("activate")["pass"]
            self.assertEqual(self.outcome(peer, number), "complete")
            took.append(peer.last_pass()["duration"] / count)
            subject.program.pump()  # Otherwise its lines would fill the pipe.
        for number in range(count):
            subject.take("done", f"n{number}")
        if SPEED:
            print(f"{LANGUAGE}: {min(took) * 1e6:.0f} us for each run")
            self.assertLess(min(took), ENOUGH)

    def _goes_on(self, took: list[float], rounds: int) -> bool:
        """Whether another round must begin. On a busy machine, another process may take the time of one."""
        if SPEED:
            return len(took) < 5 or len(took) < 30 and min(took) >= ENOUGH
        return len(took) < rounds


def active_declaration(name: str, dependencies: list[str] = []) -> dict[str, object]:
    """A declaration for a worker of the test."""
    return {"name": name, "priority": "appActive", "dependencies": dependencies}


if __name__ == "__main__":
    unittest.main()
