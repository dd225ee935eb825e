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
8. A success counts. A run that ends while etcd is away in an otherwise quiet fleet is recorded when etcd is back, because its claim is
   still there. No run that has succeeded is recorded as a failure, unless a signal ended it, its supervisor was stopped by LATE after that, or
   told to end, its agent was told to end before the success, its lease was lost before that, or no renewal was answered for so long that it was told to
   stop. And the claim of a run that has succeeded under a living lease isn't deleted without a record while that lease lives, unless
   something happens to its supervisor, or its agent is killed, stopped or told to end twice. This isn't checked for hosts with few
   attempts: if an initializer fails there, the others are cancelled.
9. A host whose answers are late by less than a quarter of the lease keeps its lease, if nothing else has happened to it or to etcd in the QUIET
   seconds before.

The bound. Rules 2 and 5 rely on the supervisor, which ends a run, or deactivates, before the lease ends. A supervisor that is stopped with
SIGSTOP, e.g. with its whole machine, can't do that. So a run, or an active host, is excused while its supervisor is stopped, and for
AFTER_CONTINUING seconds after that, in which a supervisor on a busy machine reads its clock and kills the run. A stop that isn't longer than
RESERVE is no excuse: the supervisor ends its runs that much earlier than the lease. It is never excused because
an agent, etcd or the network was stopped, slow or gone. The other exception: etcd ends leases that were renewed in time. If
that has happened to the lease of the witness, an overlap that begins within LEASE after it is excused. The register refuses the writes of
such a run: rule 1 has no excuse.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Sequence

AFTER_CONTINUING = 1.0
LEASE = 3.0
MARGIN = 0.2
"""How much earlier than the end that it was told the supervisor has killed a run."""
RESERVE = LEASE / 20 + MARGIN
"""How much earlier than its lease a run has been killed: the drift, a twentieth of the lease, and the supervisor's margin."""
CANCEL_GRACE = 0.3
"""The manifest's: a run is told to stop that much before it is killed."""
LATE = 1.0
"""How late a success may reach the supervisor and its agent on a busy machine."""
QUIET = 5.0
"""How long the effects of a fault may last: an election of etcd, and a lease that wasn't renewed in the meantime."""
KILLED = re.compile(r"terminated by SIG[A-Z0-9+-]+|killed by SIGKILL, not by initd: .*")
"""How initd describes that a signal has ended a command."""
ANSWER = re.compile(r"lease ([0-9a-f]+) has (\d+) s: answer to a renewal sent (\S+) seconds ago")
"""An agent's trace of an answer to a renewal."""
LOST = "the lease is lost: "
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
    if diverged := _of(history, "diverged"):
        return [Violation("etcd", "the members of etcd have different data, so this history proves nothing; play it again", tuple(diverged))]
    runs, stops = _runs(history), _stops(history) + _revocations(history)
    found = [*_tokens(history, runs), *_one_at_a_time(runs, stops), *_completions(history, runs, log)]
    found += [*_ready(history, runs), *_leaders(history, stops), *_ends(history), *_moves(history, runs)]
    return found + [*_successes(history, runs, log), *_kept_claims(history, runs, log), *_leases(history)]


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


def _stops(history: Sequence[Record], role: str = "supervisor") -> list[Interval]:
    """When processes were stopped. When a process ends, its stop ends: the commands of a supervisor are killed with it."""
    begun: dict[str, float] = {}
    stops: list[Interval] = []
    for record in _of(history, "stopped", "continued", "exited"):
        if record["role"] != role:
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
        stop.host in (host, ANYBODY) and begin <= stop.end and stop.begin <= next_begin and last <= stop.end + AFTER_CONTINUING
        and (stop.host == ANYBODY or stop.end - stop.begin > RESERVE)
        for stop in stops
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
            is_lost = run.done is not None and run.start < away["t"] < run.done < back["t"] and completed.get(run.task) != run.token
            if is_lost and not _is_late(history, run):
                what = f"the success of {run.host} with {run.task} wasn't recorded, although its claim was there when etcd was back"
                yield Violation("successes", what, (away, back, *run.records))
    succeeded = {(run.task, run.token): run for run in runs if run.done is not None}
    for change in log:
        task, kind = _meaning(change["key"])
        if kind == "failed" and change["value"] is not None:
            value = json.loads(change["value"])
            run = succeeded.get((task, value["fence"]))
            if run is None or run.done is None or KILLED.fullmatch(value["message"]):
                continue
            # A run that ends in the moment in which its supervisor is continued is ended as late: its lease is over.
            of_host = [record for record in _of(history, "stopped", "asked", "killed", "trace") if record["host"] == run.host]
            is_excused = any(each.get("role") == "supervisor" and run.start <= each["t"] <= run.last for each in of_host)
            is_excused |= any(stop.host == run.host and run.start <= stop.end and stop.begin <= run.last + LATE for stop in _stops(history))
            is_excused |= _is_late(history, run)
            # Then the run was told to stop, and has succeeded nevertheless.
            is_excused |= any(
                each.get("role") == "agent"
                and (
                    run.start <= each["t"] <= run.done + LATE if each["event"] == "asked"
                    # The supervisor ends the run that much earlier.
                    else each.get("says", "").startswith(LOST) and run.start <= each["t"] - CANCEL_GRACE - MARGIN <= run.done + LATE
                )
                for each in of_host
            )
            if not is_excused:
                yield Violation("successes", f"the success of {run.host} with {task} was recorded as a failure", (change, *run.records))


@dataclass(frozen=True)
class Answer:
    """An agent's answer from etcd: from when it was sent, the lease lives for LEASE."""

    t: float
    sent: float


def _answers(history: Sequence[Record], host: str) -> list[Answer]:
    """The answers to the renewals of the agent's lease."""
    found = []
    for record in _of(history, "trace"):
        answer = ANSWER.fullmatch(record["says"]) if record["host"] == host and record["role"] == "agent" else None
        if answer and int(answer[2]) > 0:
            found.append(Answer(record["t"], record["t"] - float(answer[3])))
    return found


def _is_late(history: Sequence[Record], run: Run) -> bool:
    """Returns whether the supervisor may have told the run to stop before it learned of the success: no renewal was answered for long."""
    sent = [each.sent for each in _answers(history, run.host) if each.t <= (run.done or run.last)]
    return bool(sent) and (run.done or run.last) + LATE > max(sent) + LEASE - RESERVE - CANCEL_GRACE


def _kept_claims(history: Sequence[Record], runs: Sequence[Run], log: Sequence[Record]) -> Iterator[Violation]:
    few = {record["host"] for record in _of(history, "few")}
    # Other records are judged above.
    recorded = set()
    for change in log:
        task, kind = _meaning(change["key"])
        if kind in ("done", "failed") and change["value"]:
            recorded.add((task, json.loads(change["value"])["fence"]))
    deletions = {record["revision"]: record for record in _of(history, "etcd") if record["what"] == "deleted"}
    for run in runs:
        if run.done is None or run.host in few or (run.task, run.token) in recorded:
            continue
        later = (change for change in log if change["revision"] > run.token and _meaning(change["key"]) == (run.task, "claim"))
        revision = next((change["revision"] for change in later if change["value"] is None), None)
        deletion = deletions.get(revision or 0)
        if deletion and _was_thrown_away(history, run, run.done, deletion["t"]):
            what = f"the claim of {run.host} for {run.task} was deleted although its run had succeeded and its lease lived"
            yield Violation("successes", what, (*run.records, deletion))


def _was_thrown_away(history: Sequence[Record], run: Run, done: float, deleted: float) -> bool:
    """Returns whether the claim of a run that has succeeded was given up without a reason. The watch has told of it at `deleted`."""
    for role in ("supervisor", "agent"):
        if any(stop.host == run.host and stop.begin <= deleted and run.start <= stop.end for stop in _stops(history, role)):
            return False
    asked: Optional[float] = None
    for record in sorted(_of(history, "killed", "asked", "insisted", "exited"), key=lambda record: record["t"]):
        if record["host"] != run.host or record["role"] not in ("supervisor", "agent") or not run.start <= record["t"] <= deleted:
            continue
        if record["role"] == "agent" and record["event"] == "asked" and record["t"] > done + LATE:
            asked = record["t"]
        elif record["role"] == "agent" and record["event"] == "exited" and asked is not None:
            continue
        else:
            return False
    if any(revoked.begin <= deleted <= revoked.end for revoked in _revocations(history)):
        return False
    traces = [record for record in _of(history, "trace") if record["host"] == run.host and record["role"] == "agent"]
    if any(record["says"].startswith(LOST) and run.start <= record["t"] <= deleted for record in traces):
        return False
    answers = _answers(history, run.host)
    # The supervisor hadn't yet begun to end the run when it succeeded, and etcd couldn't have ended the lease when the claim was deleted.
    was_safe = any(run.start <= each.t <= done and done + RESERVE < each.sent + LEASE - RESERVE - CANCEL_GRACE for each in answers)
    return was_safe and any(run.start <= each.t <= deleted < each.sent + LEASE for each in answers)


def _leases(history: Sequence[Record]) -> Iterator[Violation]:
    delays: dict[str, Record] = {}
    found: list[tuple[Record, float]] = []
    for record in _of(history, "delayed", "undelayed"):
        if record["event"] == "delayed":
            delays[record["host"]] = record
            continue
        for host in [record["host"]] if record["host"] != ANYBODY else list(delays):
            if host in delays:
                found.append((delays.pop(host), record["t"]))
    found += [(record, float("inf")) for record in delays.values()]
    for delayed, end in found:
        for trace in _of(history, "trace"):
            is_lost = trace["host"] == delayed["host"] and trace["says"].startswith(LOST) and delayed["t"] <= trace["t"] <= end
            if is_lost and delayed["seconds"] < LEASE / 4 and not _is_disturbed(history, trace["host"], trace["t"]):
                what = f"{trace['host']} has lost a lease of {LEASE:g} s, and only its answers were late, by {delayed['seconds']:g} s"
                yield Violation("leases", what, (delayed, trace))


def _is_disturbed(history: Sequence[Record], host: str, t: float) -> bool:
    """Returns whether something has happened to a host or to etcd shortly before, other than a delay of the host's answers."""
    begin = t - QUIET
    if any(revoked.begin <= t and begin <= revoked.end for revoked in _revocations(history)):
        return True
    for role in ("supervisor", "agent", "lead", "etcd"):
        if any((role == "etcd" or stop.host == host) and stop.begin <= t and begin <= stop.end for stop in _stops(history, role)):
            return True
    for record in _of(history, "fault", "started", "killed", "asked", "insisted", "exited", "full", "room", "away", "back"):
        kind, target = record.get("kind", ""), record.get("target", record.get("host", ""))
        what = kind.partition("-")[2]
        concerns = target == host or record.get("role") == "etcd" or what in ("member", "leader", "all") or record["event"] in ("full", "room", "away", "back")
        if record["event"] == "fault" and (not kind or kind == "delay-host"):
            continue
        # A full etcd has room some time after the fault.
        if concerns and record["t"] <= t and begin <= record.get("until", record["t"]):
            return True
    fills = [record for record in _of(history, "full", "room") if record["t"] <= t]
    return bool(fills) and fills[-1]["event"] == "full"
