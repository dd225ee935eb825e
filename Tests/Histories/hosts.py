"""The hosts: each has a supervisor with a manifest, an agent, and a candidate for leadership if the schedule has leaders."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from typing import Iterator, Mapping, Optional, Sequence

from cluster import FLEET
from history import History
from kept import Kept
from network import Network
from schedule import ONCE

HERE = os.path.dirname(os.path.abspath(__file__))
LEASE = "3s"
COMMAND = f"{sys.executable} -I -S {HERE}/command.py"
MANIFEST = f"""\
version: 1
release: r0
cancelGrace: 300ms
registrationTimeout: 2s
concurrency: 8
initializers:
  serve: {{ command: '{COMMAND} serve {" ".join(ONCE)}', dependencies: [{", ".join(ONCE)}] }}
"""
ONLY_ONCE = f"  NAME: {{ command: '{COMMAND} once', once: fleet, retry: {{ attempts: ATTEMPTS, delay: 200ms, factor: 1 }} }}\n"
LEAD = f"  lead: {{ command: '{COMMAND} lead', priority: appActive }}\n"
WRONG_TIME = 69
"""The exit status of an agent that can't reach its supervisor, or finds another agent there. It is started again, as a worker would be."""


class Host:
    """One host, a node of the network."""

    def __init__(
        self, name: str, network: Network, history: History, directory: str, urls: Sequence[str], seed: int, leads: bool,
        attempts: Mapping[str, int],
    ) -> None:
        """`attempts`: the initializers that have only a few."""
        self.name, self.release = name, "r0"
        self._network, self._history, self._seed = network, history, seed
        self._directory = f"{directory}/{name}"
        self._register = f"{directory}/register"
        self._suspended_until: Optional[float] = None
        self._suspended: list[int] = []
        os.mkdir(self._directory)
        with open(f"{self._directory}/init.yaml", "w") as file:
            file.write(MANIFEST)
            for each in ONCE:
                file.write(ONLY_ONCE.replace("NAME", each).replace("ATTEMPTS", str(attempts.get(each, 1000))))
            file.write(LEAD if leads else "")
        for each, count in attempts.items():
            history.record("few", host=name, initializer=each, attempts=count)
        self.socket = f"{self._directory}/initd.sock"
        fleet = ["--etcd", ",".join(urls), "--fleet", FLEET, "--host", name, "--lease", LEASE, "--socket", self.socket, "--connect-timeout", "1h"]
        initd, initfleet = os.environ["INITD"], os.environ["INITFLEET"]
        self.supervisor = self._kept("supervisor", [initd, "--socket", self.socket, "--config", f"{self._directory}/init.yaml"])
        self.agent = self._kept("agent", [initfleet, "agent", *fleet, "--log-level", "trace"], [WRONG_TIME])
        self.all = [self.supervisor, self.agent]
        if leads:
            self.lead = self._kept("lead", [initfleet, "lead", "app", *fleet, "--log-level", "trace"], [WRONG_TIME])
            self.all.append(self.lead)

    def _kept(self, role: str, words: Sequence[str], may_end_with: Sequence[int] = ()) -> Kept:
        words = self._network.words(self.name, words)
        log = f"{self._directory}/{role}.log"
        return Kept(self._history, self.name, role, lambda: words, self._environment, log, may_end_with)

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"], "HOST": self.name, "REGISTER": self._register, "SEED": str(self._seed),
            "INITD_RELEASE": self.release, "XDG_RUNTIME_DIR": self._directory,
        }

    def tick(self) -> None:
        """Performs the actions that are due. Nothing starts on a suspended host."""
        if self._suspended_until is not None and time.monotonic() < self._suspended_until:
            return
        self._resume()
        for each in self.all:
            each.tick()

    def restart(self, release: str, asks: bool) -> None:
        """Restarts the supervisor with another release: asks it to end, or kills it."""
        self.release = release
        if asks:
            self.supervisor.terminate()
        else:
            self.supervisor.kill(self.supervisor.down_until)

    def crash(self, until: float) -> None:
        """Kills all processes of this host, as if it had no power until that time."""
        for each in self.all:
            each.kill(until)
        for pid in self._others():
            _send(pid, signal.SIGKILL)

    def suspend(self, until: float) -> None:
        """Stops all processes of this host until that time, as if it were suspended."""
        if self._suspended_until is not None:
            return
        for each in self.all:
            each.stop(until)
        self._suspended_until = until
        for pid in self._others():
            _send(pid, signal.SIGSTOP)
            self._suspended.append(pid)

    def _others(self) -> Iterator[int]:
        """Returns the processes that aren't kept: runs, and the processes that they have started."""
        ours = {each.process.pid for each in self.all if each.process is not None}
        for pid in self._network.processes(self.name):
            if pid not in ours:
                yield pid

    def _resume(self) -> None:
        # The runs are continued first: on a machine that continues, the supervisor may be scheduled after them.
        for pid in self._suspended:
            _send(pid, signal.SIGCONT)
        self._suspended_until, self._suspended = None, []

    def heal(self) -> None:
        """Ends all faults."""
        self._resume()
        for each in self.all:
            each.heal()


def _send(pid: int, number: int) -> None:
    """Sends a signal to a process that may have ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
