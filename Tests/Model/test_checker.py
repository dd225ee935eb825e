#!/usr/bin/env python3
"""The checker's own test: it accepts recorded histories, and refuses each violation with the name of the rule.

The histories were recorded from a supervisor, like those of any case:
run --replay histories/NAME.case.json --record histories/NAME.json --times 1
"""

from __future__ import annotations

import copy
import json
import os
import re
import sys
import unittest
from typing import Any, Callable, Optional

from checker import KEPT, Checker, Recording, Rest, Violation

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "Conformance"))

import timelimit  # noqa: E402

timelimit.install()
HISTORIES = ("ordinary", "failing", "moved", "again", "kept")
"""Passes that complete and are cancelled; attempts, failures and a launch that is retried; names that other workers take over; initializers
that run again or are cancelled by an operator, and stale ones; kept processes that end, with what depends on them."""


class History(Recording):
    """A recorded history that can be modified."""

    @classmethod
    def read(cls, name: str) -> History:
        with open(os.path.join(HERE, "histories", f"{name}.json")) as file:
            read = json.load(file)
        return cls(read["declared"], read["snapshot"], read["events"], Rest(**read["rest"]), again=read.get("again", {}))

    def of(self, name: str, status: str, run: Optional[int] = None) -> int:
        """The index of the first event that shows this initializer so."""
        for index, event in enumerate(self.events):
            shown = event.get("initializer")
            if shown and shown["name"] == name and shown["status"] == status and run in (None, shown.get("run")):
                return index
        raise AssertionError(f"no event shows {name} {status}")

    def of_pass(self, number: int, status: str) -> int:
        return next(i for i, e in enumerate(self.events) if e["topic"] == "pass" and (e["pass"], e["status"]) == (number, status))

    def state_after(self, index: int) -> int:
        return next(i for i, e in enumerate(self.events) if i > index and e["topic"] == "state")

    def shape(self, index: int) -> dict[str, Any]:
        return self.events[index]["initializer"]

    def copy(self, index: int, before: int, **members: Any) -> None:
        """Repeats the initializer event, modified, after another one, right after the event before that."""
        event = copy.deepcopy(self.events[index])
        event["time"] = self.events[before - 1]["time"]
        event["initializer"] |= members
        self.events.insert(before, event)

    def renumber(self) -> None:
        """Renumbers the events, so the violation isn't a gap."""
        for seq, event in enumerate(self.events, self.snapshot["seq"] + 1):
            event["seq"] = seq
        self.rest.status["seq"] = self.snapshot["seq"] + len(self.events)


Breaking = Callable[[History], Any]


def drop(*indices: int) -> Callable[[History], None]:
    def breaking(history: History) -> None:
        for index in sorted(indices, reverse=True):
            del history.events[index]

    return breaking


def not_stale_any_more(h: History) -> None:
    """Makes the initializer stale in the end, although the last event about it and the Status don't say so."""
    last = [event["initializer"] for event in h.events if event["topic"] == "initializer" and event["initializer"]["name"] == "last"][-1]
    for shape in (last, *(each for each in h.rest.status["initializers"] if each["name"] == "last")):
        del shape["stale"]


def runs_again_unasked(h: History) -> None:
    h.again.clear()


def processes(h: History) -> list[dict[str, Any]]:
    return [event["process"] for event in h.events if "process" in event]


def ends_without_a_word(h: History) -> None:
    next(each for each in processes(h) if "pid" not in each).pop("lastExit")


def another_process_without_a_restart(h: History) -> None:
    for each in processes(h):
        each["restarts"] = 0


def a_change_of_a_process_is_lost(h: History) -> None:
    last = [index for index, event in enumerate(h.events) if "process" in event][-1]
    del h.events[last]


def starts_again_although_it_runs(h: History) -> None:
    processes(h)[-1]["nextStart"] = 1.0


def retried_although_cancelled(h: History) -> None:
    h.shape(h.of("slow", "failed"))["status"] = "waiting"


# One entry for each way to break a rule: the rule, the history, and the modification.


def composite_of_its_own(h: History) -> None:
    h.events[h.state_after(h.of_pass(2, "complete"))]["composite"] = {"state": "pending"}


def says_what_did_not_change(h: History) -> None:
    h.events[h.state_after(h.of_pass(1, "complete"))]["changed"] = ["launch", "lifecycle"]


def same_record_twice(h: History) -> None:
    index = h.state_after(h.of_pass(1, "complete"))
    h.events.insert(index + 1, copy.deepcopy(h.events[index]))


def status_of_another_state(h: History) -> None:
    h.rest.status["launch"] = {"state": "pending"}


def blocked_by_nobody(h: History) -> None:
    del h.shape(h.of("after", "notRun"))["blockedBy"]


def blocked_by_what_completed(h: History) -> None:
    h.shape(h.of("after", "notRun"))["blockedBy"] = "base"


def no_such_cycle(h: History) -> None:
    cycle = {"code": "circularDependency", "initializer": "remote", "cycle": ["remote", "after", "remote"], "message": ""}
    h.shape(h.of("remote", "failed"))["error"] = cycle


def missing_and_there(h: History) -> None:
    h.shape(h.of("remote", "failed"))["error"] = {"code": "missingDependency", "initializer": "remote", "dependency": "base", "message": ""}


def launch_leaves_one_out(h: History) -> None:
    drop(h.of("session", "running"), h.of("session", "complete"))(h)


def launch_runs_what_it_does_not_need(h: History) -> None:
    h.copy(h.of("last", "running"), h.of_pass(1, "complete"), **{"pass": 1, "phase": "launch", "run": 3})


def active_leaves_one_out(h: History) -> None:
    drop(h.of("last", "running"), h.of("last", "complete"))(h)


def active_runs_what_is_launchs(h: History) -> None:
    h.copy(h.of("session", "running"), h.of("last", "running"), run=5, phase="active", **{"pass": 2})


def active_runs_before_launch(h: History) -> None:
    h.copy(h.of("base", "running", run=9), h.of_pass(3, "complete"))


def beside_the_other_phase(h: History) -> None:
    started = h.events.pop(h.of_pass(2, "started"))
    h.events.insert(h.of("index", "complete"), started)
    h.copy(h.of("one", "running"), h.of("index", "complete"))


def more_than_may(h: History) -> None:
    h.snapshot["concurrency"] = 2


def skipped_and_runs(h: History) -> None:
    h.skipped = ["migrate"]


def runs_unselected(h: History) -> None:
    h.only = ["migrate"]


def in_a_group_of_its_own(h: History) -> None:
    h.shape(h.of("migrate", "running"))["group"] = "db"


def runs_though_its_condition_never_holds(h: History) -> None:
    h.declared.setdefault("migrate", {})["when"] = "doesn't"


def fresh_before_it_has_completed(h: History) -> None:
    h.declared.setdefault("migrate", {})["inputs"] = True
    h.shape(h.of("migrate", "running")).update(status="skipped", skipped={"reason": "fresh", "message": ""})


def fresh_without_inputs(h: History) -> None:
    h.shape(h.of("migrate", "running")).update(status="skipped", skipped={"reason": "fresh", "message": ""})


def before_its_dependency(h: History) -> None:
    for name in ("migrate", "session"):
        for status in ("running", "complete"):
            shape = h.shape(h.of(name, status))
            shape["run"] = {"migrate": 2, "session": 1}[name]
    moved = [h.events.pop(h.of("migrate", status)) for status in ("running", "complete")]
    index = h.of("session", "complete")
    h.events[index + 1 : index + 1] = moved


def out_of_order(h: History) -> None:
    first = h.of("prices", "running")
    last = h.of("last", "running")
    numbers = iter((3, 4, 5))
    block = h.events[last : last + 2] + h.events[first:last]
    for event in block:
        if event["initializer"]["status"] == "running":
            number = next(numbers)
        event["initializer"]["run"] = number
    h.events[first : last + 2] = block


def beside_a_delayed_one(h: History) -> None:
    h.copy(h.of("extra", "running"), h.of("flaky", "waiting", run=2) + 1, run=3)


def twice_in_a_pass(h: History) -> None:
    h.copy(h.of("migrate", "running"), h.of_pass(1, "complete"), run=3)


def a_run_number_again(h: History) -> None:
    for status in ("running", "complete"):
        h.shape(h.of("session", status))["run"] = 1


def goes_on_after_an_error(h: History) -> None:
    h.copy(h.of("after", "running"), h.of("after", "notRun"), run=6, **{"pass": 1})


def completes_after_an_error(h: History) -> None:
    h.events[h.of_pass(1, "failed")]["status"] = "complete"


def fails_with_another_error(h: History) -> None:
    state = h.events[h.state_after(h.of_pass(1, "failed"))]
    for part in ("launch", "composite"):
        state[part]["error"]["message"] = "another"


def active_fails_with_its_own_error(h: History) -> None:
    h.events[h.state_after(h.of_pass(2, "failed"))]["active"]["error"]["initializer"] = "broken"


def completed_is_told_as_failed(h: History) -> None:
    drop(h.of_pass(1, "failed"))(h)


def launch_runs_again_what_completed(h: History) -> None:
    base = h.of("base", "running")
    h.copy(base, h.of("extra", "running", run=6), run=6, **{"pass": 3})


def pending_again_by_itself(h: History) -> None:
    index = h.state_after(h.of_pass(3, "cancelled"))
    event = copy.deepcopy(h.events[h.of_pass(1, "complete") + 1])
    event |= {"launch": {"state": "pending", "pass": 1}}
    h.events.insert(index, event)


def starts_twice(h: History) -> None:
    index = h.of_pass(2, "started")
    h.events.insert(index, copy.deepcopy(h.events[index]))


def two_at_once(h: History) -> None:
    index = h.of_pass(2, "started")
    h.events.insert(index + 1, copy.deepcopy(h.events[index]) | {"pass": 3})


def never_started(h: History) -> None:
    h.rest.asked += 10


def never_ends(h: History) -> None:
    del h.events[h.of_pass(5, "complete") :]


def runs_in_no_pass(h: History) -> None:
    drop(h.of_pass(2, "started"))(h)


def skips_a_number(h: History) -> None:
    for event in h.events:
        if event["topic"] == "pass" and event["pass"] == 5:
            event["pass"] = 6
        if event["topic"] == "initializer" and event["initializer"].get("pass") == 5:
            event["initializer"]["pass"] = 6
        if event["topic"] == "state" and event["active"].get("pass") == 5:
            event["active"]["pass"] = 6


def cancelled_by_nobody(h: History) -> None:
    h.events[h.of_pass(5, "complete")]["status"] = "cancelled"
    drop(h.state_after(h.of_pass(5, "cancelled")), len(h.events) - 1)(h)


def completes_though_cancelled(h: History) -> None:
    h.events[h.of_pass(3, "cancelled")]["status"] = "failed"


def starts_though_cancelled(h: History) -> None:
    h.copy(h.of("last", "running"), h.of_pass(3, "cancelled"), run=8, **{"pass": 3})


def cancelled_and_counts(h: History) -> None:
    h.shape(h.of("shelf", "cancelled"))["status"] = "complete"


def told_to_stop_and_runs_on(h: History) -> None:
    h.copy(h.of("shelf", "running", run=7), h.of("shelf", "cancelled"))


def complete_without_a_run(h: History) -> None:
    h.copy(h.of("migrate", "complete"), h.of("migrate", "running"))


def cancelled_and_never_told(h: History) -> None:
    drop(h.of("shelf", "stopping"))(h)


def in_the_place_of_another(h: History) -> None:
    h.copy(h.of("shelf", "running", run=7), h.of("shelf", "cancelled"), run=8)


def ends_though_one_runs(h: History) -> None:
    index = h.of("shelf", "cancelled")
    ended = h.events.pop(index)
    h.events.insert(h.of_pass(3, "cancelled") + 1, ended)


def one_attempt_too_many(h: History) -> None:
    h.declared["flaky"]["retry"] = 1


def an_attempt_left_out(h: History) -> None:
    h.shape(h.of("flaky", "running", run=3))["attempt"] = 3


def gives_up_too_early(h: History) -> None:
    h.declared["remote"]["retry"] = 2


def fraction_goes_down(h: History) -> None:
    at = [i for i, e in enumerate(h.events) if e.get("initializer", {}).get("progress", {}).get("fraction") == 0.5]
    h.shape(at[1])["progress"]["fraction"] = 0.4


def two_have_it(h: History) -> None:
    next(e for e in h.events if e["topic"] == "worker" and e["worker"]["initializers"] == ["shelf"])["worker"]["initializers"] = ["shelf", "session"]


def stays_complete_elsewhere(h: History) -> None:
    h.declared["index"]["perProcess"] = True
    next(e for e in h.events if e["topic"] == "worker" and e["worker"]["client"] == "worker-0-4")["worker"]["pid"] += 1


def runs_again_in_the_same_process(h: History) -> None:
    first = next(e for e in h.events if e["topic"] == "worker" and e["worker"]["client"] == "worker-0-1")
    next(e for e in h.events if e["topic"] == "worker" and e["worker"]["client"] == "worker-2-3")["worker"]["pid"] = first["worker"]["pid"]


def another_process_is_no_reason(h: History) -> None:
    h.declared["cache"]["perProcess"] = False


def a_turn_that_nobody_asked_for(h: History) -> None:
    h.rest.turns -= 1


def an_event_is_lost(h: History) -> None:
    del h.events[3]
    h.renumber = lambda: None  # type: ignore[method-assign]


def lags(h: History) -> None:
    h.events.insert(3, {"topic": "lagged", "dropped": 2})
    h.renumber = lambda: None  # type: ignore[method-assign]


def status_of_another_shape(h: History) -> None:
    h.rest.status["initializers"][0]["status"] = "idle"


def status_in_another_order(h: History) -> None:
    h.rest.status["initializers"].reverse()


def status_of_another_worker(h: History) -> None:
    h.rest.status["workers"].pop()


def gone_with_what_it_had_not(h: History) -> None:
    next(e for e in h.events if e["topic"] == "worker" and not e["connected"])["worker"]["initializers"] = ["one"]


def a_pass_forgotten(h: History) -> None:
    h.rest.history.pop(1)


def passes_in_another_order(h: History) -> None:
    h.rest.history.reverse()


def another_outcome(h: History) -> None:
    h.rest.history[0]["outcome"] = "failed"


def a_run_forgotten(h: History) -> None:
    h.rest.history[0]["runs"].pop()


def a_run_of_another_outcome(h: History) -> None:
    h.rest.history[2]["runs"][-1]["outcome"] = "complete"


def begins_in_the_middle(h: History) -> None:
    h.snapshot["initializers"][0] |= {"status": "running"}


def removed(h: History) -> int:
    return next(i for i, e in enumerate(h.events) if e.get("removed"))


def taken_away_untold(h: History) -> None:
    del h.events[removed(h)]["removed"]


def taken_away_twice(h: History) -> None:
    h.events.insert(removed(h), copy.deepcopy(h.events[removed(h)]))


def taken_away_from_the_manifest(h: History) -> None:
    h.events[h.of("last", "complete")]["removed"] = True


BROKEN: list[tuple[str, str, Breaking]] = [
    ("S1", "ordinary", composite_of_its_own),
    ("S1", "ordinary", says_what_did_not_change),
    ("S1", "ordinary", same_record_twice),
    ("S1", "ordinary", status_of_another_state),
    ("S2", "failing", blocked_by_nobody),
    ("S2", "failing", blocked_by_what_completed),
    ("S2", "failing", no_such_cycle),
    ("S2", "failing", missing_and_there),
    ("S3", "ordinary", launch_leaves_one_out),
    ("S3", "ordinary", launch_runs_what_it_does_not_need),
    ("S4", "ordinary", active_leaves_one_out),
    ("S3", "ordinary", active_runs_what_is_launchs),
    ("S4", "failing", active_runs_before_launch),
    ("S4", "moved", beside_the_other_phase),
    ("S6", "moved", more_than_may),
    ("S6", "ordinary", before_its_dependency),
    ("S6", "ordinary", out_of_order),
    ("S6", "failing", beside_a_delayed_one),
    ("S7", "ordinary", twice_in_a_pass),
    ("S7", "ordinary", a_run_number_again),
    ("S8", "failing", goes_on_after_an_error),
    ("S8", "failing", completes_after_an_error),
    ("S8", "failing", fails_with_another_error),
    ("S8", "failing", active_fails_with_its_own_error),
    ("S8", "failing", completed_is_told_as_failed),
    ("S9", "failing", launch_runs_again_what_completed),
    ("S9", "moved", another_process_is_no_reason),
    ("S9", "ordinary", pending_again_by_itself),
    ("S10", "ordinary", starts_twice),
    ("S10", "ordinary", two_at_once),
    ("S10", "ordinary", never_started),
    ("S10", "ordinary", never_ends),
    ("S10", "ordinary", runs_in_no_pass),
    ("S10", "ordinary", skips_a_number),
    ("S11", "ordinary", cancelled_by_nobody),
    ("S11", "ordinary", completes_though_cancelled),
    ("S11", "ordinary", starts_though_cancelled),
    ("S12", "ordinary", cancelled_and_counts),
    ("S12", "ordinary", told_to_stop_and_runs_on),
    ("S12", "ordinary", complete_without_a_run),
    ("S13", "ordinary", cancelled_and_never_told),
    ("S13", "ordinary", in_the_place_of_another),
    ("S13", "ordinary", ends_though_one_runs),
    ("S16", "failing", one_attempt_too_many),
    ("S16", "failing", an_attempt_left_out),
    ("S16", "failing", gives_up_too_early),
    ("S17", "ordinary", fraction_goes_down),
    ("S18", "ordinary", two_have_it),
    ("S22", "moved", stays_complete_elsewhere),
    ("S22", "moved", runs_again_in_the_same_process),
    ("S28", "ordinary", skipped_and_runs),
    ("S28", "ordinary", runs_unselected),
    ("S29", "ordinary", runs_though_its_condition_never_holds),
    ("S30", "ordinary", fresh_before_it_has_completed),
    ("S30", "ordinary", fresh_without_inputs),
    ("S33", "ordinary", in_a_group_of_its_own),
    ("S23", "ordinary", a_turn_that_nobody_asked_for),
    ("S26", "again", not_stale_any_more),
    ("S9", "again", runs_again_unasked),
    ("S9", "kept", runs_again_unasked),
    ("S32", "kept", ends_without_a_word),
    ("S32", "kept", another_process_without_a_restart),
    ("S32", "kept", a_change_of_a_process_is_lost),
    ("S32", "kept", starts_again_although_it_runs),
    ("S34", "again", retried_although_cancelled),
    ("§5", "ordinary", an_event_is_lost),
    ("§5", "ordinary", lags),
    ("§5", "ordinary", status_of_another_shape),
    ("§5", "ordinary", status_in_another_order),
    ("§5", "ordinary", status_of_another_worker),
    ("§5", "moved", gone_with_what_it_had_not),
    ("§5", "ordinary", taken_away_untold),
    ("§5", "ordinary", taken_away_twice),
    ("S21", "ordinary", taken_away_from_the_manifest),
    ("history", "ordinary", a_pass_forgotten),
    ("history", "ordinary", passes_in_another_order),
    ("history", "ordinary", another_outcome),
    ("history", "ordinary", a_run_forgotten),
    ("history", "ordinary", a_run_of_another_outcome),
    ("model", "ordinary", begins_in_the_middle),
]


class CheckerTests(unittest.TestCase):
    maxDiff = None

    def test_what_was_recorded_passes(self) -> None:
        for name in HISTORIES:
            with self.subTest(name):
                History.read(name).check()

    def test_each_violation_is_refused_by_the_rules_name(self) -> None:
        for rule, name, breaking in BROKEN:
            with self.subTest(rule=rule, breaking=breaking.__name__):
                history = History.read(name)
                breaking(history)
                history.renumber()
                with self.assertRaises(Violation) as raised:
                    history.check()
                self.assertEqual(raised.exception.rule, rule, raised.exception)

    def test_no_rule_is_without_a_violation(self) -> None:
        with open(os.path.join(HERE, "checker.py")) as file:
            named = set(re.findall(r'"(S\d+|§5|history|model)"', file.read()))
        self.assertEqual(named, {rule for rule, _, _ in BROKEN})

    def test_a_violation_shows_what_led_to_it(self) -> None:
        history = History.read("ordinary")
        cancelled_and_counts(history)
        with self.assertRaises(Violation) as raised:
            history.check()
        self.assertIn("shelf stopping", raised.exception.leading[-3])
        self.assertIn("shelf complete", raised.exception.leading[-1])
        self.assertFalse([each for each in raised.exception.leading if " last " in each])

    def test_what_is_remembered_is_bounded(self) -> None:
        checker = Checker(History.read("ordinary").snapshot | {"initializers": []}, {})
        for number in range(1, 10 * KEPT):
            for status in ("started", "complete"):
                event = {"topic": "pass", "time": 0.0, "pass": number, "phase": "launch", "status": status}
                checker.take(event | {"seq": checker.seq + 1})
        self.assertLessEqual(len(checker.passes), KEPT + 1)


if __name__ == "__main__":
    unittest.main()
