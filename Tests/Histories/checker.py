"""The checker: a history and the log of etcd in, violations out. It knows the rules, and nothing about how the programs keep them.

A *task* is an initializer of a release, which must run once.

1. The register accepts no token that is smaller than one it has accepted, and a token belongs to one run.
2. At most one run of a task executes at any time: a run with a smaller token gives no sign of life after the first sign of a run with a
   larger token.
3. A task is completed once: etcd gets one record of it, by a run that has succeeded and had the claim. No host begins a run after that. All
   hosts take that run as done.
4. No host is ready before the runs that completed its tasks were done.
5. At most one host is active at any time, if there are leaders.
6. At the end, after all faults, everything completes; and no program ends unless it is stopped.
7. If nothing else is wrong, the work of a hung supervisor moves on: another host begins its task, or becomes active, within MOVES_ON.
8. A success counts. A run that ends while etcd is away in an otherwise quiet fleet is recorded when etcd is back, because its claim is still
   there. No run that has succeeded is recorded as a failure, unless a signal ended it, or its supervisor was stopped or told to end.

The bound. Rules 2 and 5 rely on the supervisor, which ends a run, or deactivates, before the lease ends. A supervisor that is stopped with
SIGSTOP, e.g. with its whole machine, can't do that. So a run, or an active host, is excused while its supervisor is stopped, and for
AFTER_CONTINUING seconds after that, in which a supervisor on a busy machine reads its clock and kills the run. It is never excused because
an agent, etcd or the network was stopped, slow or gone. The other exception: etcd ends leases that were renewed in time. If
that has happened to the lease of the witness, an overlap that begins within LEASE after it is excused. The register refuses the writes of
such a run: rule 1 has no excuse.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Sequence

AFTER_CONTINUING = 1.0
LEASE = 3.0
MOVES_ON = 10.0
"""The supervisor is found silent after one lease, its lease ends within another one, and etcd and a busy machine are late."""

ANYBODY = "*"

Record = dict[str, Any]


@dataclass(frozen=True)
class Violation:
    """A rule that doesn't hold, and the records that show it."""

    rule: str
    what: str
    records: tuple[Record, ...] = ()


@dataclass
class Run:
    """The facts of the history about one run."""

    task: str
    host: str
    token: int
    start: float
    last: float
    done: Optional[float] = None
    records: list[Record] = field(default_factory=list)


@dataclass(frozen=True)
class Interval:
    """A time in which something was so."""

    host: str
    begin: float
    end: float


def check(history: Sequence[Record], log: Sequence[Record]) -> list[Violation]:
    """All violations of the rules."""
    runs, stops = _runs(history), _stops(history) + _revocations(history)
    found = [*_tokens(history, runs), *_one_at_a_time(runs, stops), *_completions(history, runs, log)]
    found += [*_ready(history, runs), *_leaders(history, stops), *_ends(history)]
    return found + [*_moves(history, runs), *_successes(history, runs, log)]


def _of(history: Sequence[Record], *events: str) -> list[Record]:
    return [record for record in history if record["event"] in events]


def _runs(history: Sequence[Record]) -> list[Run]:
    """The runs, by their tokens. A run without `last` gave no sign after its last record."""
    runs: dict[tuple[str, int, str], Run] = {}
    for record in _of(history, "start", "done", "failed", "last"):
        key = (record["task"], record["token"], record["host"])
        run = runs.setdefault(key, Run(record["task"], record["host"], record["token"], record["t"], record["t"]))
        run.start, run.last = min(run.start, record["t"]), max(run.last, record["t"])
        run.records.append(record)
        if record["event"] == "done":
            run.done = record["t"]
    return sorted(runs.values(), key=lambda run: run.token)


def _stops(history: Sequence[Record]) -> list[Interval]:
    """When supervisors were stopped. When a process ends, its stop ends: its commands are killed with it."""
    begun: dict[str, float] = {}
    stops: list[Interval] = []
    for record in _of(history, "stopped", "continued", "exited"):
        if record["role"] != "supervisor":
            continue
        if record["event"] == "stopped":
            begun[record["host"]] = record["t"]
        elif record["host"] in begun:
            stops.append(Interval(record["host"], begun.pop(record["host"]), record["t"]))
    return stops + [Interval(host, begin, float("inf")) for host, begin in begun.items()]


def _revocations(history: Sequence[Record]) -> list[Interval]:
    """When etcd ended leases early: from the last renewal, for as long as a lease that it has ended was told to last."""
    return [Interval(ANYBODY, record["begun"], record["t"] + LEASE) for record in _of(history, "revoked")]


def _is_excused(host: str, begin: float, last: float, next_begin: float, stops: Sequence[Interval]) -> bool:
    """Returns whether the supervisor couldn't end in time the run that began at `begin`, as the other began at `next_begin`; see the bound
    above."""
    return any(
        stop.host in (host, ANYBODY) and begin <= stop.end and stop.begin <= next_begin and last <= stop.end + AFTER_CONTINUING for stop in stops
    )


def _tokens(history: Sequence[Record], runs: Sequence[Run]) -> Iterator[Violation]:
    largest: dict[str, Record] = {}
    for record in _of(history, "write"):
        before = largest.get(record["task"])
        if record["accepted"] and before and record["token"] < before["token"]:
            yield Violation("tokens", "the register has accepted a smaller token after a larger one", (before, record))
        if record["accepted"] and (not before or record["token"] > before["token"]):
            largest[record["task"]] = record
    first: dict[int, Run] = {}
    for run in runs:
        same = first.setdefault(run.token, run)
        starts = [record for record in run.records if record["event"] == "start"]
        if same is not run or len(starts) > 1:
            yield Violation("tokens", f"two runs have the token {run.token}", tuple(same.records + (run.records if same is not run else [])))


def _one_at_a_time(runs: Sequence[Run], stops: Sequence[Interval]) -> Iterator[Violation]:
    for place, older in enumerate(runs):
        for newer in runs[place + 1 :]:
            if newer.task != older.task or older.last <= newer.start or newer.token == older.token:
                continue
            if not _is_excused(older.host, older.start, older.last, newer.start, stops):
                what = f"{older.host} executed its run of {older.task} for {older.last - newer.start:.3f} s after {newer.host} had begun a newer one"
                yield Violation("one run at a time", what, tuple(older.records + newer.records))


def _completions(history: Sequence[Record], runs: Sequence[Run], log: Sequence[Record]) -> Iterator[Violation]:
    claims: dict[tuple[str, int], Record] = {}
    completed: dict[str, tuple[int, Record]] = {}
    for change in log:
        task, kind = _meaning(change["key"])
        # A later change of the key isn't another claim.
        if kind == "claim" and change["value"] is not None and change["created"] == change["revision"]:
            claims[(task, change["revision"])] = change
            if task in completed:
                yield Violation("completions", f"{task} was claimed again after its completion", (completed[task][1], change))
        if kind == "done" and task in completed:
            what = "deleted" if change["value"] is None else "recorded twice"
            yield Violation("completions", f"the completion of {task} was {what}", (completed[task][1], change))
        elif kind == "done":
            value = json.loads(change["value"])
            completed[task] = (value["fence"], change)
            claim = claims.get((task, value["fence"]))
            if claim is None or json.loads(claim["value"])["host"] != value["host"]:
                yield Violation("completions", f"the completion of {task} was recorded without its claim", (change,))
            if not any(run.task == task and run.token == value["fence"] and run.done is not None for run in runs):
                yield Violation("completions", f"{task} was recorded as complete by a run that hasn't succeeded", (change,))
    for run in runs:
        if (run.task, run.token) not in claims:
            yield Violation("completions", f"{run.host} has run {run.task} without a claim", tuple(run.records))
    for ready in _of(history, "ready"):
        if ready["task"] not in completed:
            yield Violation("completions", f"{ready['host']} is ready, and the completion of {ready['task']} is lost", (ready,))
        elif ready["token"] != completed[ready["task"]][0]:
            what = f"{ready['host']} takes another run as done than the recorded one of {ready['task']}"
            yield Violation("completions", what, (ready, completed[ready["task"]][1]))


def _meaning(key: str) -> tuple[str, str]:
    """The task and the kind of a key, e.g. `/initfleet/shop once r1 migrate done`. Empty for other keys."""
    words = key.split(" ")
    return (f"{words[2]}/{words[3]}", words[4]) if len(words) == 5 and words[1] == "once" else ("", "")


def _ready(history: Sequence[Record], runs: Sequence[Run]) -> Iterator[Violation]:
    done = {(run.task, run.token): run for run in runs if run.done is not None}
    for ready in _of(history, "ready"):
        run = done.get((ready["task"], ready["token"]))
        if run is None or run.done is None or ready["t"] < run.done:
            what = f"{ready['host']} was ready before the run of {ready['task']} was done that it takes as done"
            yield Violation("ready", what, (ready, *(run.records if run else [])))


def _active(history: Sequence[Record]) -> list[Interval]:
    """Returns when hosts were active: by their lifecycles, and by the signs of life of their runs."""
    begun: dict[str, float] = {}
    ending: dict[str, float] = {}
    found = [Interval(record["host"], record["begun"], record["t"]) for record in _of(history, "work")]
    # The observer may have learned of a change after the end of that supervisor.
    for record in sorted(_of(history, "active", "inactive", "killed", "asked", "exited"), key=lambda record: record["t"]):
        host, event = record["host"], record["event"]
        if event == "active":
            begun[host] = record["t"]
        elif event == "inactive" and host in begun:
            found.append(Interval(host, begun.pop(host), record["t"]))
        elif record.get("role") == "supervisor" and event != "exited":
            ending.setdefault(host, record["t"])
        elif record.get("role") == "supervisor":
            # The process has ended between the signal and its exit. Only certain facts count.
            end = ending.pop(host, record["t"])
            if host in begun:
                begin = begun.pop(host)
                found.append(Interval(host, begin, max(begin, end)))
    end = max((record["t"] for record in history), default=0.0)
    return sorted(found + [Interval(host, begin, end) for host, begin in begun.items()], key=lambda each: each.begin)


def _leaders(history: Sequence[Record], stops: Sequence[Interval]) -> Iterator[Violation]:
    intervals = _active(history)
    for place, older in enumerate(intervals):
        for newer in intervals[place + 1 :]:
            overlaps = newer.host != older.host and newer.begin < older.end
            if overlaps and not _is_excused(older.host, older.begin, older.end, newer.begin, stops):
                what = f"{older.host} was active for {older.end - newer.begin:.3f} s after {newer.host} had become active"
                yield Violation("one leader at a time", what, (vars(older), vars(newer)))


def _ends(history: Sequence[Record]) -> Iterator[Violation]:
    for record in _of(history, "exited"):
        if not record["expected"]:
            yield Violation("ends", f"the {record['role']} of {record['host']} ended by itself with {record['status']}", (record,))
    for record in _of(history, "late"):
        yield Violation("late", record["what"], (record,))


def _moves(history: Sequence[Record], runs: Sequence[Run]) -> Iterator[Violation]:
    active = _active(history)
    for hung in _of(history, "hung"):
        host, begin, end = hung["host"], hung["t"], hung["t"] + MOVES_ON
        for run in runs:
            if run.host == host and run.start <= begin < run.last:
                if not any(each.task == run.task and each.host != host and begin < each.start <= end for each in runs):
                    what = f"no other host has begun {run.task} within {MOVES_ON:g} s after the supervisor of {host} hung"
                    yield Violation("moves on", what, (hung, *run.records))
        if any(each.host == host and each.begin <= begin < each.end for each in active):
            if not any(each.host != host and begin < each.begin <= end for each in active):
                yield Violation("moves on", f"no other host was active within {MOVES_ON:g} s after the supervisor of {host} hung", (hung,))


def _successes(history: Sequence[Record], runs: Sequence[Run], log: Sequence[Record]) -> Iterator[Violation]:
    completed = {_meaning(each["key"])[0]: json.loads(each["value"])["fence"] for each in log if _meaning(each["key"])[1] == "done" and each["value"]}
    for away, back in zip(_of(history, "away"), _of(history, "back")):
        for run in runs:
            if run.done is not None and run.start < away["t"] < run.done < back["t"] and completed.get(run.task) != run.token:
                what = f"the success of {run.host} with {run.task} wasn't recorded, although its claim was there when etcd was back"
                yield Violation("successes", what, (away, back, *run.records))
    succeeded = {(run.task, run.token): run for run in runs if run.done is not None}
    for change in log:
        task, kind = _meaning(change["key"])
        if kind == "failed" and change["value"] is not None:
            value = json.loads(change["value"])
            run = succeeded.get((task, value["fence"]))
            # A run that ends in the moment in which its supervisor is continued is ended as late: its lease is over.
            troubles = [record for record in _of(history, "stopped", "asked", "killed") if run and record["host"] == run.host]
            is_excused = run and any(each["role"] == "supervisor" and run.start <= each["t"] <= run.last for each in troubles)
            if run and not is_excused and "SIG" not in value["message"]:
                yield Violation("successes", f"the success of {run.host} with {task} was recorded as a failure", (change, *run.records))
