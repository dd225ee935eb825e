"""Checks that a supervisor has recovered after a fault: alive, prompt, and with no more descriptors, children, zombies and memory than
before.

`calm` surrounds a fault that is repeated so often that a leak exceeds the memory that an allocator keeps for reuse. `Calm` is for faults
that can't be repeated: create it before the fault, on a supervisor that has already had a similar one, and check it afterwards.
Both use only /proc and the documented contract.
"""

from __future__ import annotations

import collections
import contextlib
import os
import re
import socket
import struct
import time
from typing import Iterator, Optional

from deadlines import DEADLINE, POLL, until
from peer import Ended, Late, Peer, connected, hello
from supervisor import Supervisor

SANITIZED = bool(os.environ.get("SANITIZED"))
"""Whether the programs have a sanitizer, which makes them many times slower and larger."""

PROMPTLY = 0.1 if not SANITIZED else 10.0
"""The maximum time from connecting to the answer to `status`, in seconds."""

IN_TIME = PROMPTLY if os.environ.get("SPEED") else 10.0
"""The limit that a test asserts. Only release programs on a quiet machine must keep it, which SPEED=1 indicates."""

SETTLED = 0.4
"""How long nothing may change before a supervisor counts as idle: longer than the output of an exited command is read."""

MEMORY = 1 << 20
"""How many more bytes of memory count as unchanged, because an allocator may keep them."""

GUARD = "init-guard"

KEPT = 8 << 20
"""How many bytes an allocator may keep after its first allocations."""


@contextlib.contextmanager
def calm(supervisor: Supervisor, memory: int = KEPT, deadline: float = DEADLINE) -> Iterator[Held]:
    """Around a fault: the supervisor's resources must be the same afterwards, within `deadline` seconds."""
    before = Calm(supervisor, memory)
    yield before.before
    before.assert_back(deadline)


class Calm:
    """An idle supervisor, and whether it has returned to that state."""

    def __init__(self, supervisor: Supervisor, memory: int = MEMORY, spare: Optional[dict[str, int]] = None) -> None:
        """`spare` is the number of descriptors that an idle supervisor may have prepared for the next run."""
        self.supervisor = supervisor
        self.spare = collections.Counter(spare or {})
        self.memory = memory
        self.pid = process_of(supervisor)
        self.before = self._at_rest()

    def assert_back(self, deadline: float = DEADLINE) -> None:
        """Asserts that the supervisor is alive within `deadline` seconds, answers promptly, and uses no more resources than before."""
        end = time.monotonic() + deadline
        if IN_TIME == PROMPTLY and (slow := self._slow()):
            raise AssertionError(f"the supervisor {self.pid} doesn't answer promptly after: {slow}")
        while differences := self._differences():
            if time.monotonic() > end:
                raise AssertionError(f"the supervisor {self.pid} has not recovered, {deadline} s later: {'; '.join(differences)}")
            time.sleep(POLL)

    def _differences(self) -> list[str]:
        self.supervisor.program.pump()
        if self.supervisor.program.process.poll() is not None:
            return [f"it ended with {self.supervisor.program.process.returncode}"]
        # Measured last, because a connection that has just ended would count.
        return self._held() or self._slow()

    def _held(self) -> list[str]:
        now = Held(self.pid)
        found = [f"{count} more {kind}" for kind, count in sorted((now.descriptors - self.before.descriptors - self.spare).items())]
        if more := now.children - self.before.children:
            found.append(f"further children {sorted(more)}")
        if now.zombies:
            found.append(f"zombies {sorted(now.zombies)}")
        if not SANITIZED and now.memory > self.before.memory + self.memory:
            found.append(f"{now.memory - self.before.memory} more bytes of memory than {self.before.memory}")
        return found

    def _slow(self) -> list[str]:
        begun = time.monotonic()
        while True:
            try:
                status_takes(self.supervisor.path)
                break
            except BlockingIOError as error:  # Connections that a flood has closed may still wait to be accepted.
                if time.monotonic() - begun > IN_TIME:
                    return [f"a new client is not served: {error}"]
            except (OSError, Ended, Late) as error:
                return [f"a new client is not served: {error}"]
        took = time.monotonic() - begun
        return [] if took <= IN_TIME else [f"status took {took:.3f} s"]

    def _at_rest(self) -> Held:
        since, held = time.monotonic(), Held(self.pid)

        def rests() -> Optional[Held]:
            nonlocal since, held
            now = Held(self.pid)
            if not now.same(held):
                since, held = time.monotonic(), now
            return held if time.monotonic() - since >= SETTLED and not held.zombies else None

        return until(rests, "a supervisor at rest")


class Held:
    """The resources of a process at one moment."""

    def __init__(self, pid: int) -> None:
        self.descriptors = descriptors(pid)
        every = children(pid)
        self.zombies = {child for child, state in every.items() if state == "Z"}
        self.children = set(every) - self.zombies
        with open(f"/proc/{pid}/status") as file:
            self.memory = int(re.search(r"^RssAnon:\s+(\d+) kB", file.read(), re.MULTILINE)[1]) * 1024  # type: ignore[index]

    def same(self, other: Held) -> bool:
        return (self.descriptors, self.children, self.zombies) == (other.descriptors, other.children, other.zombies)


def descriptors(pid: int) -> collections.Counter[str]:
    """The open descriptors of a process, by kind."""
    found: collections.Counter[str] = collections.Counter()
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            found[re.sub(r":\[\d+\]$", "", os.readlink(f"/proc/{pid}/fd/{number}"))] += 1
        except FileNotFoundError:
            pass  # Closed in the meantime.
    return found


def children(pid: int) -> dict[int, str]:
    """The children of a process except its guard, with the state of each as one letter."""
    return {child: state for child, (name, state) in _every_child(pid).items() if name != GUARD}


def guard(pid: int) -> Optional[int]:
    """The guard, which kills the other processes if the process is killed."""
    return next((child for child, (name, _) in _every_child(pid).items() if name == GUARD), None)


def _every_child(pid: int) -> dict[int, tuple[str, str]]:
    found = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", errors="replace") as file:
                head, rest = file.read().rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        state, parent = rest.split()[:2]
        if int(parent) == pid:
            found[int(entry)] = (head.split("(", 1)[1], state)
    return found


def zombies(pid: int) -> list[int]:
    """The children of a process that have ended and were not reaped."""
    return [child for child, state in children(pid).items() if state == "Z"]


def processor_time(pid: int) -> float:
    """The CPU time of a process in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def process_of(supervisor: Supervisor) -> int:
    """Returns the process that listens at the socket, by its pid in our namespace: it may be in another namespace, or a descendant."""
    with connected(supervisor.path) as stream:
        credentials = stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[0]


def status_takes(path: str, deadline: float = DEADLINE) -> float:
    """How long a new client waits for `status`, in seconds."""
    start = time.monotonic()
    peer = Peer(connected(path))
    try:
        hello(peer, "calm")
        answer = peer.call("status", deadline=deadline)
        took = time.monotonic() - start
        assert "result" in answer, answer
        return took
    finally:
        peer.close()
