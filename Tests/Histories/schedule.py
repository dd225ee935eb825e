"""Decides which faults happen when: a pure function of the seed and the options."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Sequence

HOSTS = ("h1", "h2", "h3", "h4", "h5")
MEMBERS = ("m1", "m2", "m3")
ONCE = ("migrate", "index", "import")
"""The initializers that run once for a release."""

KINDS = {
    "kill-agent": 4, "ask-agent": 4, "ask-twice": 2, "stop-agent": 10, "kill-supervisor": 4, "stop-supervisor": 4, "suspend-host": 3, "crash-host": 2,
    "kill-member": 3, "kill-leader": 3, "stop-member": 2, "stop-leader": 2, "cut-host": 5, "cut-member": 3, "cut-leader": 2, "cut-all": 2,
    "slow-host": 2, "slow-member": 2, "delay-host": 4, "kill-all": 2, "fill-all": 1,
}
"""The faults, and how often each is chosen, relative to the others."""

LEADING = {"kill-lead": 4, "ask-lead": 5, "stop-lead": 12}
"""The faults of candidates for leadership."""


@dataclass(frozen=True)
class Fault:
    """An action at a time, in seconds from the start of the schedule.

    `lasts` is how long; `target` is a node, "" if it depends on the moment, e.g. which member leads; `more` depends on the kind. A fault
    that `hunts` the runner happens to a host that executes a run at that time, or is active if it hunts the leader; if there is none, to
    the target.
    """

    at: float
    kind: str
    target: str = ""
    lasts: float = 0.0
    more: tuple[str, ...] = ()
    hunts: str = ""

    def __str__(self) -> str:
        target = f"{self.hunts}, else {self.target}" if self.hunts else self.target
        words = [f"{self.at:6.2f} s", self.kind, target, *self.more]
        return " ".join(word for word in words if word) + (f" for {self.lasts:.2f} s" if self.lasts else "")


@dataclass(frozen=True)
class Schedule:
    """The faults in order, and the last release, which all hosts must have completed at the end.

    The part that `hangs` at the end, after one more release: the supervisor that executes a run or is active, or etcd; or the answers to the
    host that executes a run are late. The fleet is quiet then, so the result is known.

    `few` are hosts, initializers, and the number of their attempts, which is small. They may use them up, and then need another host.
    """

    seed: int
    seconds: float
    faults: tuple[Fault, ...]
    last_release: str
    hangs: str = ""
    """"runner", "leader", "etcd", "delay", or empty."""
    delay: float = 0.0
    few: tuple[tuple[str, str, int], ...] = ()

    @property
    def hanging_release(self) -> str:
        """The release that all hosts get before a supervisor hangs."""
        return f"r{int(self.last_release[1:]) + 1}"


def schedule(seed: int, seconds: float, leads: bool = False) -> Schedule:
    """The schedule of a seed."""
    chance = random.Random(f"{seed} {float(seconds)} {leads}")
    faults: list[Fault] = []
    # The members of etcd, and the hosts, don't all start at once.
    late = chance.uniform(1, 4) if chance.random() < 0.25 else 0
    faults += [Fault(round(late + chance.uniform(0, 0.3), 3), "begin-member", each) for each in MEMBERS]
    faults += [Fault(round(chance.uniform(0, 1.5), 3), "begin-host", each) for each in HOSTS]
    number, at = 0, chance.uniform(2.5, 4)
    while at < seconds - 1:
        number += 1
        if number > 1 and chance.random() < 0.4 and at < seconds - 8:
            # Two releases beside each other for a while: some hosts get the new release first. Sometimes they go back.
            first = chance.sample(HOSTS, chance.randint(1, 3))
            faults += _release(chance, at, seconds, first, number)
            at += chance.uniform(2, 5)
            if chance.random() < 0.3:
                faults += _release(chance, at, seconds, first, number - 1)
                at += chance.uniform(2, 4)
        faults += _release(chance, at, seconds, HOSTS, number)
        at += chance.uniform(4, 8)
    busy: dict[str, float] = {}
    kinds = KINDS | (LEADING if leads else {})
    at = 0.5
    while (at := at + chance.expovariate(1 / 1.1)) < seconds - 0.3:
        kind = chance.choices(list(kinds), kinds.values())[0]
        fault = _fault(chance, round(at, 3), kind, leads)
        # One fault of a kind at a time for a target, so a longer one isn't ended by the end of a shorter one. Mostly one fault of etcd
        # at a time: without a majority, little can happen.
        subject = "members" if "member" in kind or "leader" in kind or kind.endswith("-all") else f"{kind.split('-')[1]} {fault.target}"
        if busy.get(subject, 0) <= at or (subject == "members" and chance.random() < 0.15):
            busy[subject] = at + fault.lasts
            faults.append(fault)
    hangs = chance.choice(["", "runner", "etcd", "delay", "leader" if leads else ""])
    # At least two hosts have many attempts, so one is left if the other one hangs at the end.
    few = chance.sample(HOSTS, chance.randint(1, 3)) if chance.random() < 0.4 else []
    attempts = tuple((host, chance.choice(ONCE), chance.choice([1, 2])) for host in few)
    return Schedule(
        seed, seconds, tuple(sorted(faults, key=lambda fault: fault.at)), f"r{number}", hangs, chance.choice([0.3, 0.5, 0.7]), attempts
    )


def _release(chance: random.Random, at: float, seconds: float, hosts: Sequence[str], number: int) -> list[Fault]:
    """Restarts these hosts with a release."""
    return [
        Fault(
            round(min(at + chance.uniform(0, 1.5), seconds - 0.2), 3), "release", each,
            more=(f"r{number}", "asks" if chance.random() < 0.6 else "kills"),
        )
        for each in hosts
    ]


def _fault(chance: random.Random, at: float, kind: str, leads: bool) -> Fault:
    what = kind.split("-")[1]
    if what in ("leader", "all"):
        target = ""
    else:
        target = chance.choice(MEMBERS if what == "member" else HOSTS)
    hunts = ""
    if target in HOSTS and not kind.startswith("slow") and chance.random() < 0.6:
        hunts = "leader" if kind in LEADING or (leads and chance.random() < 0.4) else "runner"
    # Short, about as long as the lease of 3 s, or longer: then the lease of a host that executes a run ends.
    low, high = chance.choices([(0.1, 1), (2, 4.5), (5, 8)], [3, 4, 3] if hunts or what == "all" else [5, 4, 1])[0]
    more: tuple[str, ...] = ()
    if kind.startswith("slow"):
        more = (str(chance.choice([8, 16, 48])),)
    elif kind == "delay-host":
        # Longer than a tenth of the lease; the longest is half of it.
        more = (str(chance.choice([0.3, 0.8, 1.5])),)
    elif kind == "ask-twice":
        more = (chance.choice(["agent", "lead"]) if leads else "agent",)
    elif kind == "cut-host":
        # The host is cut off from all members, or from some of them; in both directions, or in one.
        members = MEMBERS if chance.random() < 0.6 else tuple(chance.sample(MEMBERS, chance.randint(1, 2)))
        more = (chance.choices(["both", "from", "to"], [6, 1, 1])[0], *members)
    elif kind in ("cut-member", "cut-leader"):
        # The member is cut off from the other members, and perhaps also from the hosts; otherwise hosts still talk to a member without a
        # majority.
        more = (chance.choices(["both", "from", "to"], [6, 1, 1])[0], chance.choice(["alone", "with-hosts"]))
    return Fault(at, kind, target, round(chance.uniform(low, high), 3), more, hunts)
