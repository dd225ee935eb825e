"""The model: checks a stream of events against semantics.md, using only the events.

It knows neither how the supervisor works nor the clients' requests, other than which initializers may run again (S26, S32). It keeps the state that results from the events so far (each
initializer's shape, the passes, the runs that occupy a place, the record of states), and every further event must be a step that
the rules allow from there. `Violation.rule` is the broken rule.

Terms: a run *occupies* its place while it is running or stopping (S13), and between two attempts (S16). A pass is *in flight* from
its started event to its end. The events of one moment end with its record of states, so the effect of a pass's end on the states is *due*
with the next record.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Container, Iterable, Optional

PARTS = ("launch", "active", "composite", "lifecycle")
ENDS = ("complete", "failed", "cancelled")
DONE = ("complete", "skipped")
WAITING = ("waitFor", "process")
"""The providers whose runs only wait, and take no place of the concurrency (S6)."""
KEPT = 32
"""How many ended passes are kept: as many as the supervisor must remember."""


class Violation(AssertionError):
    """A rule was broken."""

    def __init__(self, rule: str, what: str, about: Iterable[str] = ()) -> None:
        super().__init__(f"{rule}: {what}")
        self.rule = rule
        self.about = frozenset(about)
        self.leading: list[str] = []
        """The last events before the violation, one per line."""


@dataclass
class Pass:
    number: int
    phase: str
    outcome: Optional[str] = None
    told_to_end: bool = False
    """The pass was deactivated in flight: it may start no run, and must end as cancelled (S11)."""
    error: Optional[dict[str, Any]] = None
    """The first error of an initializer that isn't optional (S8)."""
    errors: list[str] = field(default_factory=list)
    """The initializers of all such errors: a pass that keeps going must list them (S28)."""
    attempts: dict[str, int] = field(default_factory=dict)
    """The last attempt of each initializer that ran."""
    settled: set[str] = field(default_factory=set)
    """The initializers that have ended in the pass: no initializer runs twice (S7)."""
    completed: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    ended: list[tuple[int, str, int, str]] = field(default_factory=list)
    """Run, initializer, attempt and outcome, in the order of their ends, for comparison with `history`."""
    unseen: set[int] = field(default_factory=set)
    """Runs of names that were removed in the meantime: no event reports their end."""
    redeclared: set[str] = field(default_factory=set)
    """Names that were registered again or removed in the meantime: this pass uses the old declarations, the next ones the new (protocol, register)."""
    whole: bool = False
    """An `activate` started it, so it runs all active initializers (S4)."""


@dataclass
class Rest:
    """Queries at rest, when nothing was in flight."""

    status: dict[str, Any]
    history: list[dict[str, Any]]
    asked: int
    """The highest number of a pass in an answer."""
    turns: int
    """How often the app became active or inactive, by the clients that activated and held it (S23)."""


class Checker:
    """Checks the events of all topics one by one, from a snapshot on.

    `declared` has the attributes of the manifest's initializers that no event contains: `optional`, `perProcess`, `retry` (the number of
    attempts), and `delay`, the first one between attempts.
    Other names belong only to their worker.
    """

    def __init__(self, snapshot: dict[str, Any], declared: dict[str, dict[str, Any]], refused: bool = False, keeps_going: bool = False,
                 only: Iterable[str] = (), skipped: Iterable[str] = ()) -> None:
        self.declared = declared
        self.only, self.skipped = frozenset(only), frozenset(skipped)
        """If there are any, only these initializers and those that they need run; and these never run (S28)."""
        self.keeps_going = keeps_going
        """A failure stops only the dependents (S28)."""
        self.refused = refused
        """System calls of the supervisor may fail: then a command may not be started or watched."""
        self.optional = frozenset(name for name, each in declared.items() if each.get("optional"))
        self.groups: dict[str, int] = {each["name"]: each["places"] for each in snapshot.get("groups", [])}
        """How many of each group may occupy a place at once (S33)."""
        self.seq: int = snapshot["seq"]
        self.concurrency: int = snapshot["concurrency"]
        self.shown: dict[str, dict[str, Any]] = {each["name"]: each for each in snapshot["initializers"]}
        self.replayed = dict(self.shown)
        """The same state by a subscriber's rule alone: each event replaces or removes an initializer."""
        self.record = {part: snapshot[part] for part in PARTS}
        self.workers: dict[str, list[str]] = {each["client"]: each["initializers"] for each in snapshot["workers"]}
        """The names that each worker provides, while it provides any."""
        self.process: dict[str, Optional[int]] = {}
        """The process of the worker that provides or last provided each name."""
        self.done: dict[str, Optional[int]] = {}
        """The initializers that completed in a launch pass, with the process: a launch pass runs none of them again (S9)."""
        self.blocked: dict[str, str] = {}
        """The initializers that were `notRun` since the last end of a pass, and their blockers."""
        self.last: dict[str, str] = {}
        """The outcome of each initializer's last run."""
        self.moving: dict[str, Optional[int]] = {}
        """Initializers that run again because of a process that will be reported, and the process in which they had completed (S22)."""
        self.again: dict[str, int] = {}
        """How often each initializer may run again in launch, because a client has requested that (S26)."""
        self.lost: set[str] = set()
        """The initializers whose process has ended since they completed: if nothing needs them, they run in the next pass (S7, S32)."""
        self.revived: set[str] = set()
        """The initializers that run again because a process has ended: in the pass in flight, if something in it needs them (S32)."""
        self.requested: dict[str, int] = {}
        """The same, including the initializers that have run since."""
        self.lasting: set[str] = set()
        """The initializers that completed, and whose completion wasn't undone since: with inputs, which never change here, they are fresh
        (S30)."""
        self.stale: set[str] = set()
        """The initializers that had completed, or ran, when something on which they depend started (S26)."""
        self.kept = {each["name"]: timeless(each) for each in snapshot.get("processes", [])}
        """The kept processes, without their uptimes."""
        self.turns = 0
        self.passes: dict[int, Pass] = {}
        """The passes in flight, and the passes that ended last."""
        self.ended: list[int] = []
        """The last ended passes, in the order of their ends."""
        self.flying: dict[str, Pass] = {}
        self.occupied: dict[str, int] = {}
        """The run that occupies each initializer's place, until it has stopped (S13)."""
        self.delayed: dict[str, tuple[float, Pass]] = {}
        """The initializers that wait for their next attempt, and keep their place in that pass at least until then (S16)."""
        self.now = 0.0
        self.leaving: set[str] = set()
        """Names that were removed while their runs occupied their places; such a run may not have stopped yet."""
        self.let_go: set[str] = set()
        """Names of the manifest whose workers unregistered them while their runs occupied their places."""
        self.newest_run = 0
        self.newest_pass = 0
        self.numbers = 0
        self.due: dict[str, Pass] = {}
        self.left: dict[str, set[str]] = {}
        """The initializers that the last pass of each phase should have run when it completed, and hadn't."""
        self.cancelled_unsaid: Optional[Pass] = None
        self.deactivated = 0
        """The newest active pass that a deactivation has ended; no older one continues either."""
        for phase in ("launch", "active"):
            number = snapshot[phase].get("pass", 0)
            self.newest_pass = self.numbers = max(self.newest_pass, number)
            if number and snapshot[phase]["state"] == "pending" and (phase == "launch" or snapshot["lifecycle"] == "active"):
                self.flying[phase] = self.passes[number] = Pass(number, phase)
        need(all(each["status"] not in ("running", "stopping") for each in self.shown.values()), "model", "the snapshot must be of an idle moment")

    def rerun(self, names: list[str], with_dependents: bool) -> None:
        """A client is about to request that these run again. Called by another thread."""
        for name in [*names, *(self._dependents(names, "launch") if with_dependents else [])]:
            self.again[name] = self.again.get(name, 0) + 1
            self.requested[name] = self.requested.get(name, 0) + 1

    def crash(self, name: str) -> None:
        """A kept process is about to end, so its initializer may run again (S32). Called by another thread."""
        reruns = self.declared[name].get("rerun", False)
        self.revived |= {name, *(self._dependents([name], "launch") if reruns else [])}
        self.rerun([name], reruns)

    def _dependents(self, names: Iterable[str], phase: str) -> set[str]:
        """Returns the direct and indirect dependents; in an active pass only active initializers."""
        reached, ahead = set(names), list(names)
        shown = list(self.shown.items())
        while ahead:
            name = ahead.pop()
            for other, each in shown:
                if other not in reached and other not in self.skipped and name in each["dependencies"] and (phase == "launch" or each["priority"] == "appActive"):
                    reached.add(other)
                    ahead.append(other)
        return reached - set(names)

    # Events

    def take(self, event: dict[str, Any]) -> None:
        """Checks the next event."""
        topic = event["topic"]
        need(topic not in ("lagged", "snapshot"), "§5", "a subscriber that reads promptly lags")
        if topic == "shutdown":
            return
        need(event["seq"] == self.seq + 1, "§5", f"seq {event['seq']} follows {self.seq}")
        self.seq += 1
        self.now = event["time"]
        match topic:
            case "initializer" if event.get("removed"):
                self._removed(event["initializer"]["name"])
            case "initializer":
                self.replayed[event["initializer"]["name"]] = event["initializer"]
                self._initializer(event["initializer"])
            case "pass":
                self._pass(event)
            case "state":
                self._state(event)
            case "worker" if "process" in event:
                self._process(event["process"])
            case "worker":
                self._worker(event["worker"], event["connected"])

    def _removed(self, name: str) -> None:
        need(name in self.replayed, "§5", f"{name} is removed, but no event reports it", [name])
        need(name not in self.declared, "S21", f"{name} is removed, although the manifest declares it", [name])
        del self.replayed[name]
        self._taken_away(name)

    def look(self, status: dict[str, Any]) -> None:
        """Compares a Status between two events with the snapshot and the events up to it."""
        need(status["seq"] == self.seq, "§5", f"the status is of {status['seq']}, and came after {self.seq}")
        told = list(self.replayed.values())
        need(status["initializers"] == told, "§5", f"status shows {status['initializers']}, events over the snapshot {told}")
        stale = {each["name"] for each in told if each.get("stale")}
        expected = {each["name"] for each in told if (each["status"] == "complete" or fresh(each)) and each["name"] in self.stale}
        need(stale == expected, "S26", f"{sorted(stale)} are stale, and should be {sorted(expected)}", stale ^ expected)
        for part in PARTS:
            need(bare(status[part]) == bare(self.record[part]), "S1", f"status shows {part} {status[part]}, events {self.record[part]}")

    def _initializer(self, new: dict[str, Any]) -> None:
        name, status = new["name"], new["status"]
        old = self.shown.get(name)
        before = old["status"] if old else "idle"
        run = new.get("run") if status in ("running", "stopping") or status in ENDS else None
        if old is not None and any(old[member] != new[member] for member in ("dependencies", "priority")):
            for flying in self.flying.values():
                flying.redeclared.add(name)
        if name in self.leaving:
            # Registered again: its new shape is shown as stopping until the old run has stopped.
            if status == "stopping" and (old is None or before == "stopping"):
                self.shown[name] = new
                return
            self.leaving.discard(name)
        if status == "running" and self.occupied.get(name) != run:
            self._starts(new, run)
        elif status == "running":
            need(before == "running", "S12", f"{name} continues after it was asked to stop", [name])
            fraction, last = (each.get("progress", {}).get("fraction", 0) for each in (new, old or {}))
            need(fraction >= last, "S17", f"the fraction of {name} goes down from {last} to {fraction}", [name])
        elif name in self.occupied:
            self._goes_on(new, before)
        else:
            need(status != "stopping", "S13", f"{name} stops, and did not run", [name])
            if status == "complete":
                # This includes an initializer that a pass needed and no longer does: it has its earlier state again, without that run.
                same = old is not None and (old.get("run") == run if before == "complete" else run is None and self.last.get(name) == "complete")
                need(same, "S12", f"{name} is complete, and run {run} had not been running", [name])
            if status == "failed" and before != "failed":
                self._fails_unrun(new)
            if status in ("idle", "notRun", "cancelled", "failed", "complete"):
                self.delayed.pop(name, None)
            if before == "complete" and status in ("idle", "waiting") and name in self.revived:
                self._loses_effect(name)
        need((status == "skipped") == (name in self.skipped) or self._never(name) or fresh(new), "S28", f"{name} is {status}", [name])
        if status == "skipped" and name not in self.skipped and before != "skipped":
            self._skips(new)
        if status == "notRun":
            need("blockedBy" in new, "S2", f"{name} was not run, although nothing prevented it", [name])
            if before != "notRun":
                self.blocked[name] = new["blockedBy"]
        self.shown[name] = new

    def _loses_effect(self, name: str) -> None:
        """Handles that a kept process has ended: a dependent that hasn't started waits for its next run (S6, S32)."""
        if name in self.done:
            need(self.again.get(name, 0) > 0, "S32", f"{name} isn't complete any more, and its process hasn't ended", [name])
            self.again[name] -= 1
            del self.done[name]
        if flying := self.flying.get("launch"):
            self.lost.add(name)
            flying.settled.discard(name)
            flying.completed.discard(name)
            flying.attempts.pop(name, None)

    def _never(self, name: str) -> bool:
        """Returns whether the initializer's condition never holds (S29)."""
        return self.declared.get(name, {}).get("when") == "doesn't"

    def _skips(self, new: dict[str, Any]) -> None:
        """The turn of an initializer has come, and its condition doesn't hold, or it is fresh."""
        name = new["name"]
        if fresh(new):
            need(self.declared.get(name, {}).get("inputs"), "S30", f"{name} is fresh, and has no inputs", [name])
            need(name in self.lasting, "S30", f"{name} is fresh, and hasn't completed since it last started", [name])
            need(name not in self.stale, "S30", f"{name} is fresh, and is stale", [name])
        else:
            need(self._never(name), "S29", f"{name} is skipped, and its condition holds", [name])
        # Launch may begin again while an active initializer's inputs are read. The skip still belongs to the active pass.
        phases = ("launch", "active") if name in self._order("launch") else ("active", "launch")
        flying = next((self.flying[phase] for phase in phases if phase in self.flying), None)
        need(flying is not None and not flying.told_to_end, "S29", f"{name} is skipped without a pass that runs", [name])
        need(flying.error is None or self.keeps_going, "S29", f"{name} is skipped in pass {flying.number} after its first error", [name])
        for dependency in new["dependencies"] if name not in flying.redeclared else ():
            need(self._had(flying, dependency), "S29", f"{name} is skipped before its dependency {dependency} has completed", [name, dependency])
        flying.completed.add(name)
        flying.settled.add(name)
        if flying.phase == "launch":
            self.done[name] = self.process.get(name)

    def _starts(self, new: dict[str, Any], run: int) -> None:
        """A run starts."""
        name, number, phase, attempt = new["name"], new.get("pass"), new.get("phase"), new.get("attempt", 0)
        self._nothing_due()
        need(not self._never(name), "S29", f"{name} runs, and its condition doesn't hold", [name])
        if attempt == 1 and self.declared.get(name, {}).get("inputs") and not self.refused and name not in self.requested:
            need(name not in self.lasting or name in self.stale or self._moves(name), "S30", f"{name} runs, and is fresh", [name])
        self.lasting.discard(name)
        self.lost.discard(name)
        need(name not in self.skipped, "S28", f"{name} runs, and was to be skipped", [name])
        need(self._selected(name), "S28", f"{name} runs, and nothing selected needs it", [name])
        need(name not in self.occupied, "S13", f"run {run} of {name} starts in the place of {self.occupied.get(name)}", [name])
        need(run is not None and run > self.newest_run, "S7", f"run {run} of {name} follows {self.newest_run}", [name])
        flying = self.flying.get(phase)
        need(flying is not None and flying.number == number, "S10", f"{name} runs in pass {number}, which is not in flight", [name])
        need(not flying.told_to_end, "S11", f"{name} starts in pass {number}, which was cancelled", [name])
        need(flying.error is None or self.keeps_going, "S8", f"{name} starts in pass {number} after its first error", [name])
        if phase == "launch" and name in self.done and self._moves(name):
            self.moving[name] = self.done.pop(name)
            flying.settled.discard(name)
            flying.attempts.pop(name, None)
        if phase == "launch" and name in self.done and self.again.get(name, 0) > 0 and name not in flying.settled:
            self.again[name] -= 1
            del self.done[name]
        need(name not in flying.settled, "S7", f"{name} runs twice in pass {number}", [name])
        need(flying.redeclared or name in self._order(phase), "S3", f"{name} runs in the {phase} pass {number}, which doesn't need it", [name])
        need(phase == "active" or name not in self.done, "S9", f"{name} has completed, and runs in the launch pass {number}", [name])
        last, attempts = flying.attempts.get(name, 0), self.declared.get(name, {}).get("retry", 1)
        need(attempt == last + 1, "S16", f"attempt {attempt} of {name} follows {last}", [name])
        need(attempt <= attempts, "S16", f"attempt {attempt} of {name}, which has {attempts}", [name])
        others = {self.shown[each]["phase"] for each in self.occupied} - {phase}
        need(not others, "S4", f"{name} runs in the {phase} pass beside a run of the other", [name, *self.occupied])
        if phase == "active":
            need(self.record["launch"]["state"] == "complete", "S4", f"{name} runs in an active pass before launch is complete", [name])
            need(self.record["lifecycle"] == "active", "S11", f"{name} runs in an active pass while the app is inactive", [name])
        places = self.occupied.keys() | {each for each, (end, of) in self.delayed.items() if self.now < end and of is flying} - {name}
        slots = {each for each in places if self.shown[each]["provider"] not in WAITING}
        is_full = len(slots) >= self.concurrency
        need(new["provider"] in WAITING or not is_full, "S6", f"{name} starts beside {sorted(slots)}, and {self.concurrency} may run", [name, *slots])
        group = new.get("group")
        need(group == self.declared.get(name, {}).get("group"), "S33", f"{name} is of the group {group}", [name])
        if group is not None:
            places = {each for each in places if self.shown[each].get("group") == group}
            need(len(places) < self.groups[group], "S33", f"{name} starts beside {sorted(places)} of {group}", [name, *places])
        for dependency in new["dependencies"] if attempt == 1 and name not in flying.redeclared else ():
            need(self._had(flying, dependency), "S6", f"{name} starts before its dependency {dependency} has completed", [name, dependency])
        if attempt == 1 and not flying.redeclared and not any(map(self._moves, self.done)):
            for other in self._order(phase, self._had_before(flying)):
                if other == name:
                    break
                shape = self.shown[other]
                could = shape["status"] == "waiting" and shape["available"] and other not in self.delayed
                could = could and self._has_group_place(shape, flying) and (shape["provider"] in WAITING or not is_full)
                # Its condition may be being checked, which no event shows.
                could = could and not self.declared.get(other, {}).keys() & {"when", "inputs"}
                # An initializer that was asked to run again has completed before, and completes again first.
                could = could and not any(self.again.get(each) for each in shape["dependencies"])
                could = could and other not in flying.settled and all(self._has(flying, each) for each in shape["dependencies"])
                need(not could, "S6", f"{name} starts before {other}, which could start and precedes it", [name, other])
        self.newest_run = run
        self.occupied[name] = run
        self.delayed.pop(name, None)
        flying.attempts[name] = attempt
        self.stale.discard(name)
        for other in self._dependents([name], phase):
            if self.shown[other]["status"] == "complete" or fresh(self.shown[other]) or other in self.occupied:
                self.stale.add(other)

    def _has_group_place(self, shape: dict[str, Any], flying: Pass) -> bool:
        """Returns whether its group may have a place for it; an initializer between two attempts keeps its own at least until the next."""
        group = shape.get("group")
        taken = {each for each in [*self.occupied, *self.delayed] if self.shown[each].get("group") == group}
        return group is None or len(taken) < self.groups[group]

    def _goes_on(self, new: dict[str, Any], before: str) -> None:
        """Handles a run that occupies its place: it is asked to stop, or has ended."""
        name, status, run = new["name"], new["status"], self.occupied[new["name"]]
        if status == "stopping":
            need(new.get("run") == run, "S13", f"run {new.get('run')} of {name} stops while {run} runs", [name])
            return
        flying = self.passes[self.shown[name]["pass"]]
        attempts = self.declared.get(name, {}).get("retry", 1)
        cause = new.get("error", {}).get("cause", {})
        by_operator = cause.get("kind") == "operator"
        timed_out = cause.get("kind") == "timeout" or by_operator
        if new["provider"] == "command" and cause.get("kind") not in (None, "timeout", "exit", "signal", "operator"):
            need(self.refused, "S2", f"{name} is there, and fails with {cause}", [name])
        if status in ENDS:
            need(new.get("run") == run, "S12", f"run {new.get('run')} of {name} ends while {run} occupies its place", [name])
        match status:
            case "complete":
                need(before == "running", "S12", f"run {run} of {name} was asked to stop, but counts as complete", [name])
                self.lasting.add(name)
                flying.completed.add(name)
                flying.settled.add(name)
                if flying.phase == "launch":
                    self.done[name] = self.process.get(name)
            case "failed":
                need(before == "running" or timed_out, "S12", f"run {run} of {name} was asked to stop, but counts as failed", [name])
                final = flying.attempts[name] >= attempts or by_operator or flying.told_to_end or flying.redeclared
                final = final or flying.error is not None and not self.keeps_going
                need(final, "S16", f"{name} has failed with {attempts - flying.attempts[name]} attempts left", [name])
                flying.settled.add(name)
                self._failed(new, flying)
            case "cancelled":
                need(before == "stopping", "S13", f"run {run} of {name} is cancelled, but was never asked to stop", [name])
                if name not in self.let_go:  # Otherwise the initializer's worker unregistered it, and the next worker runs it.
                    flying.settled.add(name)
            case "waiting":
                need("error" in new, "S16", f"run {run} of {name} gives way to nothing", [name])
                need(not by_operator, "S34", f"run {run} of {name} was cancelled by an operator, and is retried", [name])
                need(flying.attempts[name] < attempts, "S16", f"{name} waits for an attempt, and has no more than {attempts}", [name])
                need(before == "running" or timed_out, "S12", f"run {run} of {name} was asked to stop, but is retried", [name])
                self.delayed[name] = self.now + self.declared[name]["delay"] * 2 ** (flying.attempts[name] - 1), flying
            case _:
                raise Violation("S13", f"{name} is {status} while its run {run} occupies its place", [name])
        outcome = status if status in ENDS else "failed"
        flying.ended.append((run, name, flying.attempts[name], outcome))
        self.last[name] = outcome
        del self.occupied[name]
        if name in self.let_go:
            self.let_go.discard(name)
            flying.attempts.pop(name)

    def _failed(self, new: dict[str, Any], flying: Pass) -> None:
        self._real(new["error"], flying)
        flying.failed.add(new["name"])
        # An initializer that only a removed name needed isn't needed any longer.
        needed = not flying.redeclared or new["name"] in self._order(flying.phase)
        if needed and new["name"] not in self.optional:
            flying.error = flying.error or new["error"]
            flying.errors.append(new["name"])

    def _fails_unrun(self, new: dict[str, Any]) -> None:
        """Handles an initializer that can't be run, or fails with launch. No event names the pass; if two are in flight, it may be
        either."""
        for flying in self.flying.values() if len(self.flying) == 1 else ():
            # The exception: the initializer isn't needed any longer, and has its earlier state again.
            if not flying.redeclared or self.last.get(new["name"]) != "failed":
                self._failed(new, flying)
        for flying in self.flying.values():
            flying.failed.add(new["name"])

    def _real(self, error: dict[str, Any], flying: Pass) -> None:
        """Checks that an error names the right dependencies."""
        # Launch may have failed with a name that was registered again since: an active pass fails with that error.
        if flying.redeclared or flying.phase == "active" and error == self.record["launch"].get("error"):
            return
        if error["code"] == "circularDependency":
            cycle = error["cycle"]
            for each, next in zip(cycle, cycle[1:]):
                needs = self.shown.get(each, {}).get("dependencies", [])
                need(next in needs, "S2", f"{each} doesn't depend on {next}, and {cycle} is said to be a cycle", cycle)
        if error["code"] == "missingDependency":
            name, missing = error["initializer"], error["dependency"]
            needs = self.shown.get(name, {}).get("dependencies", [])
            need(missing in needs and missing not in self.shown, "S2", f"{missing} isn't what {name} misses", [name, missing])

    def _nothing_left(self) -> None:
        """An initializer that a completed pass hasn't run was removed in the same moment, which is reported last."""
        for phase, names in self.left.items():
            need(not names, "S3" if phase == "launch" else "S4", f"a pass of {phase} completed without {sorted(names)}", names)

    def _pass(self, event: dict[str, Any]) -> None:
        number, phase, status = event["pass"], event["phase"], event["status"]
        if status == "started":
            self._nothing_left()
            need(number not in self.passes and number > self.newest_pass - KEPT, "S10", f"pass {number} starts twice")
            need(phase not in self.flying, "S10", f"pass {number} starts while {self._flying(phase)} of its phase is in flight")
            self.newest_pass = max(self.newest_pass, number)
            self.numbers += 1
            whole = phase == "active" and self.record["lifecycle"] == "inactive"
            self.passes[number] = self.flying[phase] = Pass(number, phase, whole=whole, told_to_end=phase == "active" and number <= self.deactivated)
            return
        flying = self.flying.get(phase)
        need(flying is not None and flying.number == number, "S10", f"pass {number} ends, but isn't in flight")
        still = [name for name in self.occupied if self.shown[name].get("pass") == number]
        need(not still, "S13", f"pass {number} ends while its runs of {still} occupy their places", still)
        for name, blocker in self.blocked.items():
            failed = blocker not in self.shown or self.shown[blocker]["status"] == "failed"
            failed = failed or any(blocker in each.failed for each in [*self.flying.values(), *self.due.values()])
            # Launch may have failed with an initializer whose name belongs to another one by now.
            failed = failed or blocker == self.record["launch"].get("error", {}).get("initializer")
            # No initializer of a cycle is run: one of them is in the error, although another pass may have it waiting.
            failed = failed or self._in_circle(blocker)
            need(failed, "S2", f"{name} was not run because of {blocker}, which hasn't failed", [name, blocker])
        self.blocked.clear()
        if status == "complete":
            need(flying.error is None, "S8", f"pass {number} completes after an error")
            priority = "appLaunch" if phase == "launch" else "appActive"
            had = {name for name, each in self.shown.items() if each["status"] in DONE and not flying.whole}
            had = flying.completed | (had if phase == "active" else self.done.keys())
            left = {name for name, each in self.shown.items() if each["priority"] == priority and self._selected(name)}
            left -= self.optional | self.skipped | self.lost | had
            self.left[phase] = left
        need(not flying.told_to_end or status == "cancelled", "S11", f"pass {number} was cancelled, and ends {status}")
        if status == "cancelled":
            need(phase == "active", "S11", f"the launch pass {number} is cancelled")
            if not flying.told_to_end:
                self.cancelled_unsaid = flying
        flying.outcome = status
        self.delayed = {name: each for name, each in self.delayed.items() if each[1] is not flying}
        del self.flying[phase]
        self.due[phase] = flying
        self.ended.append(number)
        if len(self.ended) > KEPT:
            del self.passes[self.ended.pop(0)]

    def _state(self, event: dict[str, Any]) -> None:
        old, new = self.record, {part: event[part] for part in PARTS}
        need(bare(new["composite"]) == composite(new["launch"], new["active"]), "S1", "the composite isn't derived from the two")
        changed = {part for part in PARTS if bare(new[part]) != bare(old[part])}
        need(changed, "S1", "the same record is published twice in a row")
        need(set(event["changed"]) == changed, "S1", f"{sorted(changed)} changed, and it says {event['changed']}")
        for phase in ("launch", "active"):
            was, state = old[phase], new[phase]
            if bare(state) == bare(was):
                continue
            rule = "S9" if phase == "launch" else "S11"
            if state["state"] == "pending":
                retried = phase == "active" and was.get("error") == old["launch"].get("error") and ("launch" in self.flying or "launch" in self.due)
                newer = state.get("pass", 0) > was.get("pass", 0)
                need(newer or retried, rule, f"the {phase} state is pending again without a new pass")
            else:
                ended = self.due.get(phase)
                fits = ended is not None and ended.number == state.get("pass") and ended.outcome == state["state"]
                need(fits, "S8", f"the {phase} state is {state['state']}, and no pass ended so")
                if state["state"] == "failed":
                    self._right_error(phase, state["error"], ended, new)
        self.record = new
        self.turns += "lifecycle" in changed
        if new["lifecycle"] == "inactive":
            self.cancelled_unsaid = None
            if "lifecycle" in changed:
                self.deactivated = new["active"].get("pass", 0)
                if flying := self.flying.get("active"):
                    flying.told_to_end = True
        self._nothing_due()

    def _in_circle(self, name: str) -> bool:
        """Returns whether the initializer depends on itself, directly or indirectly."""
        reached, ahead = set(), [name]
        while ahead:
            for other in self.shown.get(ahead.pop(), {}).get("dependencies", []):
                if other == name:
                    return True
                if other not in reached:
                    reached.add(other)
                    ahead.append(other)
        return False

    def _right_error(self, phase: str, error: dict[str, Any], ended: Pass, record: dict[str, Any]) -> None:
        """A failed state has the first error (S8), whose initializer is failed (S2)."""
        launch = record["launch"]
        if phase == "active" and launch["state"] == "failed":
            need(error == launch["error"], "S8", "the active pass doesn't fail with launch's error")
            return
        listed = error.get("errors", [error])
        need(self.keeps_going or "errors" not in error, "S8", f"pass {ended.number} fails with several errors")
        if self.keeps_going and not ended.redeclared:
            missing = set(ended.errors) - {each["initializer"] for each in listed}
            need(not missing, "S28", f"the error of pass {ended.number} doesn't list {sorted(missing)}", missing)
        error = listed[0]
        if ended.error is not None:
            # The error of an optional initializer counts as the first error if an initializer that isn't optional needs it.
            right = error == ended.error or error["initializer"] in self.optional & ended.failed
            need(right, "S8", f"pass {ended.number} fails with {error}, and its first error was {ended.error}", [error["initializer"]])
        about = error["initializer"]
        failed = about not in self.shown or self.shown[about]["status"] == "failed" or about in ended.failed
        need(failed or self._in_circle(about), "S2", f"the error is about {about}, which hasn't failed", [about])

    def _nothing_due(self) -> None:
        """The effect of a pass's end on the states has been reported."""
        need(self.cancelled_unsaid is None, "S11", "a pass is cancelled, but the app was not deactivated")
        for phase, ended in self.due.items():
            state = self.record[phase]
            expected = "pending" if ended.outcome == "cancelled" else ended.outcome
            newer = state.get("pass", 0) > ended.number or phase in self.flying
            need(newer or state["state"] == expected, "S11" if expected == "pending" else "S8",
                 f"pass {ended.number} ended {ended.outcome}, and the {phase} state is {state['state']}")
        self.due.clear()

    def _worker(self, worker: dict[str, Any], connected: bool) -> None:
        client, names, process = worker["client"], worker["initializers"], worker.get("pid")
        had = self.workers.pop(client, [])
        if not connected:
            need(sorted(names) == sorted(had), "§5", f"{client} is gone with {names}, and had {had}", names)
            return
        for other, others in self.workers.items():
            need(not set(names) & set(others), "S18", f"{names} of {client} and {others} of {other} are of two", names)
        for name in names:
            need(name in self.shown, "§5", f"{name} is provided, but no event reports it", [name])
            if name not in had:
                self._provided(name, process)
        for name in had:
            if name not in names and name not in self.declared:
                need(name not in self.shown, "§5", f"{client} has removed {name}, but no event reports it", [name])
            elif name not in names and name in self.occupied:
                self.let_go.add(name)
        if names:
            self.workers[client] = names
        self._nothing_left()

    def _process(self, new: dict[str, Any]) -> None:
        """A kept process was started, has ended, or won't be started again (S32)."""
        name, old = new["name"], self.kept.get(new["name"])
        need(old is not None, "S32", f"the process {name} is told of, and no snapshot has it", [name])
        need(("pid" in new) == ("uptime" in new), "S32", f"{name} has a pid or an uptime without the other: {new}", [name])
        need("nextStart" not in new or "pid" not in new and not new["givenUp"], "S32", f"{name} runs, and starts again: {new}", [name])
        more = new["restarts"] - old["restarts"]
        need(more in (0, 1), "S32", f"the restarts of {name} go from {old['restarts']} to {new['restarts']}", [name])
        if "pid" in new and "pid" in old and more == 0:
            need(new["pid"] == old["pid"], "S32", f"{name} is another process, and wasn't restarted: {new}", [name])
        if "pid" in old and "pid" not in new:
            need("lastExit" in new, "S32", f"{name} has ended, and nothing says how: {new}", [name])
        self.kept[name] = timeless(new)

    def _provided(self, name: str, process: Optional[int]) -> None:
        """Records that a name has a provider from now on."""
        if name in self.moving:
            before = self.moving.pop(name)
            need(process is None or process != before, "S22", f"{name} runs again in the process that it had completed in", [name])
        moved = name in self.done and (process is None or process != self.done[name])
        if self.declared.get(name, {}).get("perProcess"):
            self.lasting.discard(name)
        if moved and self.declared.get(name, {}).get("perProcess"):
            need(self.shown[name]["status"] != "complete", "S22", f"{name} is complete, and its process is another now", [name])
            del self.done[name]
            for flying in self.flying.values() if name not in self.occupied else ():
                flying.settled.discard(name)
                flying.attempts.pop(name, None)
        self.process[name] = process

    def _taken_away(self, name: str) -> None:
        """A name was unregistered: a later registration of it is a new initializer."""
        if (run := self.occupied.pop(name, None)) is not None:
            self.passes[self.shown[name]["pass"]].unseen.add(run)
            self.leaving.add(name)
        for flying in self.flying.values():
            flying.redeclared.add(name)
            flying.settled.discard(name)
            flying.attempts.pop(name, None)
        self.delayed.pop(name, None)
        self.done.pop(name, None)
        self.last.pop(name, None)
        for names in self.left.values():
            names.discard(name)
        self.process.pop(name, None)
        self.stale.discard(name)
        self.lasting.discard(name)
        self.lost.discard(name)
        del self.shown[name]

    # The end

    def finish(self, rest: Rest) -> None:
        """At rest: nothing is in flight, and `status` and `history` agree with the events."""
        status = rest.status
        self._nothing_due()
        self._nothing_left()
        waiting = self.lost if status["launch"]["state"] == "complete" else set()
        need(not waiting, "S32", f"the processes of {sorted(waiting)} have ended, and launch is complete without their next runs", waiting)
        need(not self.moving, "S22", f"{list(self.moving)} run again, and no other process has them", self.moving)
        need(not self.flying, "S10", f"pass {[each.number for each in self.flying.values()]} never ends")
        need(not self.occupied, "S13", f"runs of {list(self.occupied)} never end", self.occupied)
        need(rest.asked <= self.newest_pass, "S10", f"pass {rest.asked} was requested, but never started")
        need(self.numbers == self.newest_pass, "S10", f"passes are numbered to {self.newest_pass}, and {self.numbers} started")
        need(self.turns == rest.turns, "S23", f"the app's lifecycle changed {self.turns} times, and by who asked and held {rest.turns} times")
        self.look(status)
        workers = {each["client"]: sorted(each["initializers"]) for each in status["workers"]}
        live = {client: sorted(names) for client, names in self.workers.items()}
        need(workers == live, "§5", f"status shows workers {workers}, events {live}")
        kept = {each["name"]: timeless(each) for each in status.get("processes", [])}
        need(kept == self.kept, "S32", f"status shows processes {kept}, events {self.kept}")
        self._history(rest.history)

    def _history(self, history: list[dict[str, Any]]) -> None:
        numbers = [each["pass"] for each in history]
        need(numbers == self.ended, "history", f"the passes {numbers} have ended; events tell {self.ended}")
        for each in history:
            told = self.passes[each["pass"]]
            need((each["phase"], each["outcome"]) == (told.phase, told.outcome), "history", f"pass {told.number} is {each}, events {told}")
            runs = [(run["run"], run["initializer"], run["attempt"], run["outcome"]) for run in each["runs"]]
            need([run for run in runs if run[0] not in told.unseen] == told.ended, "history", f"pass {told.number} ran {runs}, events {told.ended}")
            need(told.unseen <= {run[0] for run in runs}, "history", f"pass {told.number} ran {runs}, and also {told.unseen}")

    # Consequences of the rules

    def _has(self, flying: Pass, dependency: str) -> bool:
        """Whether a dependency is satisfied: an initializer that completed in a pass stays complete in it (S21)."""
        told = dependency in flying.completed or dependency in self.skipped or flying.phase == "launch" and dependency in self.done
        return told or self.shown.get(dependency, {}).get("status") in DONE

    def _had(self, flying: Pass, dependency: str) -> bool:
        """Whether a dependency may be satisfied: an active one that launch has skipped isn't shown so if an active pass has asked for it again."""
        skipped = flying.phase == "launch" and self._never(dependency) and self.shown[dependency]["priority"] == "appActive"
        return skipped or self._has(flying, dependency)

    def _had_before(self, flying: Pass) -> set[str]:
        """Returns the initializers that had completed before a pass, and aren't part of it."""
        if flying.phase == "launch":
            return {name for name in self.done if name not in flying.settled}
        return {name for name, each in self.shown.items() if each["status"] in DONE and name not in flying.settled}

    def _order(self, phase: str, but: Container[str] = ()) -> list[str]:
        """The depth-first order of the initializers that the phase needs, as registered (S6), without some that completed before.

        Launch initializers have completed before an active pass (S4).
        """
        priority = "appLaunch" if phase == "launch" else "appActive"
        order: dict[str, None] = {}
        entered: set[str] = set()

        def enter(name: str) -> None:
            if name in entered or name in but or name in self.skipped or name not in self.shown or (phase == "active" and self.shown[name]["priority"] == "appLaunch"):
                return
            entered.add(name)
            for dependency in self.shown[name]["dependencies"]:
                enter(dependency)
            order[name] = None

        for name, each in self.shown.items():
            if each["priority"] == priority and self._selected(name):
                enter(name)
        return list(order)

    def _selected(self, name: str) -> bool:
        """Returns whether the initializer was selected, or a selected one needs it (S28)."""
        selected, ahead = set(self.only), list(self.only)
        while ahead:
            next_one = ahead.pop()
            needs = self.shown.get(next_one, {}).get("dependencies", []) if next_one not in self.skipped else []
            new = set(needs) - selected
            selected |= new
            ahead += new
        return not self.only or name in selected

    def _moves(self, name: str) -> bool:
        """Whether another process may have just taken it over (S22): it has a provider that will be reported next."""
        each = self.shown[name]
        own = each["provider"] == "worker" and self.declared.get(name, {}).get("perProcess")
        return bool(own and each["available"] and not any(name in names for names in self.workers.values()))

    def _flying(self, phase: str) -> Optional[int]:
        return self.flying[phase].number if phase in self.flying else None


def fresh(each: dict[str, Any]) -> bool:
    """Returns whether the initializer is skipped because it completed before (S30)."""
    return each.get("skipped", {}).get("reason") == "fresh"


def need(condition: Any, rule: str, what: str, about: Iterable[str] = ()) -> None:
    if not condition:
        raise Violation(rule, what, about)


def timeless(process: dict[str, Any]) -> dict[str, Any]:
    """Returns a process without its uptime, which changes all the time."""
    return {name: value for name, value in process.items() if name != "uptime"}


def bare(state: Any) -> Any:
    """A State without its pass: a new pass number alone isn't a change (S1)."""
    return {name: value for name, value in state.items() if name != "pass"} if isinstance(state, dict) else state


def composite(launch: dict[str, Any], active: dict[str, Any]) -> dict[str, Any]:
    """The composite of both (S1)."""
    for state in (launch, active):
        if state["state"] == "failed":
            return bare(state)
    return {"state": "complete" if launch["state"] == active["state"] == "complete" else "pending"}


@dataclass
class Recording:
    """The events of one subscriber, and the queries at rest."""

    declared: dict[str, dict[str, Any]]
    snapshot: dict[str, Any]
    events: list[dict[str, Any]]
    rest: Rest
    keeps_going: bool = False
    only: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    again: dict[str, int] = field(default_factory=dict)
    """How often each initializer may run again in launch (S26)."""

    def check(self) -> None:
        """Raises `Violation`."""
        checker = Checker(self.snapshot, self.declared, keeps_going=self.keeps_going, only=self.only, skipped=self.skipped)
        checker.again = dict(self.again)
        taken: list[dict[str, Any]] = []
        try:
            for event in self.events:
                taken.append(event)
                checker.take(event)
            checker.finish(self.rest)
        except Violation as violation:
            violation.leading = shortest(taken, violation.about)
            raise


def shortest(events: list[dict[str, Any]], about: Iterable[str]) -> list[str]:
    """Returns the events up to a violation, one per line: of its initializers, if it has any, and of passes and states."""
    named = set(about)
    told = [each for each in events if each["topic"] != "log"]
    return [line(each) for each in told if not named or each["topic"] != "initializer" or each["initializer"]["name"] in named]


def line(event: dict[str, Any]) -> str:
    """A short description of an event."""
    head = f"{event.get('seq', '-'):>5} "
    match event["topic"]:
        case "initializer":
            each = event["initializer"]
            more = {key: each[key] for key in ("run", "attempt", "pass", "phase", "blockedBy", "progress") if key in each}
            error = f" error={json.dumps(each['error'].get('cause', each['error']['code']))}" if "error" in each else ""
            available = ("" if each["available"] else " (unavailable)") + (" (removed)" if event.get("removed") else "")
            return f"{head}{each['name']} {each['status']}{available} {json.dumps(more)}{error} after {each['dependencies']}"
        case "pass":
            return f"{head}pass {event['pass']} ({event['phase']}) {event['status']}"
        case "state":
            states = " ".join(f"{p}={event[p]['state']}/{event[p].get('pass', '-')}" for p in ("launch", "active"))
            return f"{head}state {states} composite={event['composite']['state']} {event['lifecycle']} changed={event['changed']}"
        case "worker" if "process" in event:
            return f"{head}process {json.dumps(event['process'])}"
        case "worker":
            return f"{head}worker {event['worker']['client']} {'has' if event['connected'] else 'gone, had'} {event['worker']['initializers']}"
        case _:
            return f"{head}{event['topic']}"
