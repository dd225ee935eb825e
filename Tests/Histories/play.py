"""Plays one schedule in the namespaces of this process, and checks its history. `run` starts it, and reads its result."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import json
import os
import subprocess
import sys
import time
from typing import Any, Callable, Optional

import schedule as schedules
from checker import ANYBODY, MOVES_ON, check
from cluster import Cluster
from evidence import KeyWatch, traces
from full import Full
from history import History
from hosts import Host
from kept import FOREVER
from lifecycle import Observer
from network import Network
from register import Register
from slow import Slow
from witness import Witness

DIRECTORY = "/run/histories"
TICK = 0.02
AWAY = 7.0
"""How long etcd is away at the end: for more than two leases."""
DELAYED = 10.0
"""How long answers are late at the end: for more than three leases."""
AGREES = 5.0
"""How long the members of etcd may take until all have the same data."""
MOST_EXITS = 10
"""How many processes may end by themselves until the schedule is given up."""
SETTLED = 90.0
"""How long all hosts may take to be ready after the last fault, in seconds. It is usually about 5 s; a busy machine needs longer."""


class Play:
    """The nodes, and what happens to them."""

    def __init__(self, plan: schedules.Schedule, leads: bool) -> None:
        self.plan, self.leads = plan, leads
        self.history = History()
        os.mkdir(DIRECTORY)
        self.network = Network(schedules.HOSTS + schedules.MEMBERS)
        self.register = Register(f"{DIRECTORY}/register", self.history)
        self.cluster = Cluster(self.network, self.history, DIRECTORY)
        self.hosts = {
            name: Host(
                name, self.network, self.history, DIRECTORY, self.cluster.urls, plan.seed, leads,
                {initializer: attempts for host, initializer, attempts in plan.few if host == name},
            )
            for name in schedules.HOSTS
        }
        self.observers = [Observer(each.name, each.socket, self.history) for each in self.hosts.values()] if leads else []
        self.full = Full(self.cluster, self.history)
        self.slow = Slow(self.network)
        Witness(self.cluster, self.history)
        KeyWatch(self.cluster, self.history)
        for each in self.kept():
            each.down_until = FOREVER
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = itertools.count()

    def kept(self) -> list[Any]:
        """All processes that are kept running."""
        return [*self.cluster.members.values(), *(each for host in self.hosts.values() for each in host.all)]

    def play(self) -> None:
        """Plays the schedule, ends all faults, and waits until everything is well."""
        self.begin = time.monotonic()
        for fault in self.plan.faults:
            self._at(self.begin + fault.at, lambda fault=fault: self._inflict(fault))
        self._tick_until(lambda: time.monotonic() >= self.begin + self.plan.seconds)
        self._do_what_is_due()  # E.g. a last release, if this machine is busy.
        self._due = []
        self.network.heal()
        self.slow.heal()
        self.history.record("undelayed", host=ANYBODY)
        self.full.heal()
        for host in self.hosts.values():
            host.heal()
        for member in self.cluster.members.values():
            member.heal()
        self._tell("all faults end")
        if not self._tick_until(self._is_settled, SETTLED):
            self.history.record("late", what=f"{', '.join(self._unsettled())} not within {SETTLED:.0f} s after the last fault")
        self._tell("settled")
        if self.plan.hangs and self._is_settled():
            self._hang()

    def _at(self, moment: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._due, (moment, next(self._count), action))

    def _do_what_is_due(self) -> None:
        while self._due and self._due[0][0] <= time.monotonic():
            heapq.heappop(self._due)[2]()

    def _tell(self, what: str, **members: Any) -> None:
        self.history.record("fault", what=what, **members)

    def _delay(self, host: str, seconds: float, until: float) -> None:
        self.slow.begin(host, seconds)
        self.history.record("delayed", host=host, seconds=seconds)
        self._at(until, lambda: self._undelay(host))

    def _undelay(self, host: str) -> None:
        self.slow.end(host)
        self.history.record("undelayed", host=host)

    def _tick_until(self, condition: Callable[[], bool], deadline: Optional[float] = None) -> bool:
        end = time.monotonic() + (deadline or FOREVER)
        while time.monotonic() < end:
            self._do_what_is_due()
            for member in self.cluster.members.values():
                member.tick()
            for host in self.hosts.values():
                host.tick()
            if condition():
                return True
            if sum(record["event"] == "exited" and not record["expected"] for record in self.history.all()) > MOST_EXITS:
                return False
            time.sleep(TICK)
        return False

    def _is_settled(self) -> bool:
        return not self._unsettled()

    def _unsettled(self, release: str = "") -> list[str]:
        """Returns the hosts and members that aren't well yet: with this release, or with the last release of the faults."""
        ready = {}
        last_task = f"{release or self.plan.last_release}/{schedules.ONCE[-1]}"
        for record in self.history.all():
            if record["event"] == "ready" and record["task"] == last_task:
                ready[record["host"]] = record["t"]
        found = [f"{name} isn't ready" for name, host in self.hosts.items() if ready.get(name, 0) <= host.supervisor.started]
        if self.leads and sum(each.is_active for each in self.observers) != 1:
            found.append("there isn't one leader")
        return found + ([] if self.full.is_over else ["etcd is full"])

    def _hang(self) -> None:
        """In a quiet fleet, all hosts get one more release; then a supervisor hangs, etcd is away while a command ends, or answers are late.

        Afterwards all hosts must be well.
        """
        release, begin, what = self.plan.hanging_release, time.monotonic(), self.plan.hangs
        for host in self.hosts.values():
            host.restart(release, asks=True)
        if not self._tick_until(lambda: self._hanging(begin) is not None, SETTLED):
            return self.history.record("late", what=f"no host to hang, with {release} within {SETTLED:.0f} s")
        if what == "etcd":
            self.history.record("away")
            for member in self.cluster.members.values():
                member.kill(FOREVER)
            end = time.monotonic() + AWAY
        elif what == "delay":
            host, end = self._hanging(begin), time.monotonic() + DELAYED
            self._delay(host.name, self.plan.delay, end)
        else:
            host, end = self._hanging(begin), time.monotonic() + MOVES_ON + 1
            host.supervisor.stop(end)
            self.history.record("hung", host=host.name)
        self._tick_until(lambda: time.monotonic() >= end)
        for member in self.cluster.members.values():
            member.heal()
        self._tell("everything is back")
        if what == "etcd":
            self.history.record("back")
        if not self._tick_until(lambda: not self._unsettled(release), SETTLED):
            self.history.record("late", what=f"{', '.join(self._unsettled(release))} within {SETTLED:.0f} s after everything was back")

    def _hanging(self, begin: float) -> Optional[Host]:
        """The host that executes a run, or is active, with a supervisor that was started after that time."""
        name = self._leader() if self.plan.hangs == "leader" else self.register.runner
        host = self.hosts[name] if name else None
        return host if host and host.supervisor.started > begin and host.supervisor.runs else None

    def _leader(self) -> Optional[str]:
        return next((each.host for each in self.observers if each.is_active), None)

    # MARK: Faults

    def _inflict(self, fault: schedules.Fault) -> None:
        verb, what = fault.kind.split("-") if "-" in fault.kind else (fault.kind, "")
        target, until = self._prey(fault) or fault.target, time.monotonic() + fault.lasts
        if what == "leader":
            target, what = self.cluster.leader() or "", "member"
            if not target:
                return self._tell(f"{fault}: no leader")
        found = f": {target}" if target != fault.target else ""
        self._tell(str(fault) + found, kind=fault.kind, target=target, until=until)
        if verb == "release":
            self.hosts[target].restart(fault.more[0], asks=fault.more[1] == "asks")
        elif verb == "begin":
            for each in [self.cluster.members[target]] if what == "member" else self.hosts[target].all:
                each.down_until = 0
        elif verb == "cut":
            self._cut(self._pairs(what, target, fault.more), until)
        elif verb == "slow":
            self.network.slow(target, int(fault.more[0]))
            self._at(until, lambda: self.network.fast(target))
        elif verb == "delay":
            self._delay(target, float(fault.more[0]), until)
        elif verb == "fill":
            self.full.fill(until)
        elif what == "all" and verb == "kill":
            for member in self.cluster.members.values():
                member.kill(until)
        elif what == "host":
            host = self.hosts[target]
            (host.crash if verb == "crash" else host.suspend)(until)
        else:
            role = fault.more[0] if what == "twice" else what
            process = self.cluster.members[target] if what == "member" else getattr(self.hosts[target], role)
            if verb == "ask":
                process.terminate(until, twice=what == "twice")
            else:
                (process.kill if verb == "kill" else process.stop)(until)

    def _prey(self, fault: schedules.Fault) -> Optional[str]:
        """Returns the host that a fault hunts, if there is one at this time."""
        if fault.hunts == "leader":
            return self._leader()
        return self.register.runner if fault.hunts == "runner" else None

    def _pairs(self, what: str, target: str, more: tuple[str, ...]) -> list[tuple[str, str]]:
        """The directions that a cut concerns."""
        if what == "all":
            return [pair for host in self.hosts for member in self.cluster.members for pair in ((host, member), (member, host))]
        if what == "host":
            others = list(more[1:])
        else:
            others = [each for each in self.cluster.members if each != target] + (list(self.hosts) if more[1] == "alone" else [])
        pairs = [(target, other) for other in others] if more[0] != "to" else []
        return pairs + ([(other, target) for other in others] if more[0] != "from" else [])

    def _cut(self, pairs: list[tuple[str, str]], until: float) -> None:
        self.network.cut(pairs)
        self._at(until, lambda: self.network.join(pairs))

    # MARK: The end

    def log(self) -> list[dict[str, Any]]:
        """The records in etcd. Its members run until then."""
        last: list[Optional[int]] = [None]

        def answers() -> bool:
            last[0] = self.cluster.revision()
            return last[0] is not None

        if not self._tick_until(answers, SETTLED) or last[0] is None:
            raise RuntimeError("etcd doesn't answer after the end of all faults")
        hashes: dict[str, str] = {}

        def agrees() -> bool:
            with contextlib.suppress(OSError, ValueError):  # A member may not have this revision yet.
                hashes.update(self.cluster.hashes(last[0] or 0))
            return len(set(hashes.values())) == 1

        if not self._tick_until(agrees, AGREES):
            self.history.record("diverged", hashes=hashes)
        return self.cluster.log(last[0])

    def finish(self) -> None:
        """Ends all processes, and waits until the register has learned of the end of all runs.

        etcd is the first: the hosts end one after the other, and without etcd none of them replaces another one.
        """
        for member in self.cluster.members.values():
            member.finish()
        for host in self.hosts.values():
            host.crash(FOREVER)
        for each in self.kept():
            each.finish()
        begun, ended = -1, 0
        end = time.monotonic() + 10
        while begun != ended and time.monotonic() < end:
            records = self.history.all()
            begun = sum(record["event"] == "start" for record in records)
            ended = sum(record["event"] == "last" for record in records)
            time.sleep(TICK)


def main() -> None:
    """Arguments: the seed, the seconds, whether there are leaders, and the file for the result."""
    seed, seconds, leads, result = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3] == "leaders", sys.argv[4]
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    plan = schedules.schedule(seed, seconds, leads)
    play = Play(plan, leads)
    play.play()
    log = play.log()
    play.finish()
    traces(play.history, DIRECTORY)
    history = [record | {"t": round(record["t"] - play.begin, 4)} for record in play.history.all()]
    for record in history:
        for name in ("begun", "until"):
            if name in record:
                record[name] = round(record[name] - play.begin, 4)
    logs = {}
    for directory, _, names in os.walk(DIRECTORY):
        for name in names:
            if name.endswith(".log"):
                with open(f"{directory}/{name}", errors="replace") as file:
                    logs[f"{os.path.relpath(directory, DIRECTORY)}/{name}"] = file.read()[-20000:]
    with open(result, "w") as file:
        violations = [vars(each) for each in check(history, log)]
        json.dump({"history": history, "log": log, "violations": violations, "logs": logs}, file)


if __name__ == "__main__":
    main()
