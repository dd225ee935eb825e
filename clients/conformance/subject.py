"""A subject: the program of a language that is driven through its argument and its standard output. See README.md."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from typing import Any, Optional

CLIENTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(CLIENTS), "Tests", "Conformance"))

from deadlines import DEADLINE, until  # noqa: E402
from peer import Peer  # noqa: E402
from supervisor import INITCTL, Conformance, Supervisor  # noqa: E402

LANGUAGE = os.environ.get("LANGUAGE", "python")
LONG = bool(os.environ.get("LONG"))


def command(language: str) -> str:
    """The path of a language's subject."""
    directory = os.path.join(CLIENTS, language, "conformance")
    for name in sorted(os.listdir(directory)) if os.path.isdir(directory) else []:
        if name.split(".")[0] == "subject" and os.access(os.path.join(directory, name), os.X_OK):
            return os.path.join(directory, name)
    raise SystemExit(f"{language} has no subject: {directory}/subject must be an executable")


class Subject:
    """A running subject. Lines that a call doesn't want are kept, in order, for later calls."""

    def __init__(self, test: Scenario, path: str, **config: Any) -> None:
        text = json.dumps({"client": "subject", "initializers": []} | config)
        search = os.pathsep.join([os.path.dirname(INITCTL), os.environ.get("PATH", "")])
        self.program = test.program([command(LANGUAGE), text], env={"INITD_SOCKET": path, "PATH": search})
        self.seen: list[str] = []
        self._inbox: list[str] = []

    @property
    def pid(self) -> int:
        return self.program.pid

    def take(self, *words: Any, deadline: float = DEADLINE) -> list[str]:
        """Returns the first line that begins with this text; the lines before it stay."""
        wanted = [str(word) for word in words]
        for place, line in enumerate(self._inbox):
            if line.split()[: len(wanted)] == wanted:
                return self._inbox.pop(place).split()
        end = time.monotonic() + deadline
        while True:
            try:
                line = self.program.line(max(0.01, end - time.monotonic()))
            except AssertionError as error:
                raise AssertionError(f"no line {' '.join(wanted)!r}; lines: {self.seen}; {error}") from None
            self.seen.append(line)
            if line.split()[: len(wanted)] == wanted:
                return line.split()
            self._inbox.append(line)

    def run(self, name: str, attempt: int = 1) -> int:
        """The number of the next run of an initializer."""
        words = self.take("run", name)
        assert len(words) == 4 and words[3] == str(attempt), words
        return int(words[2])

    def lines(self) -> list[str]:
        """All lines so far."""
        self.program.pump()
        text = self.program.out.decode()
        return [line for line in text.splitlines(keepends=True) if line.endswith("\n")] and text[: text.rfind("\n")].split("\n")

    def count(self, *words: Any) -> int:
        """Returns how many lines so far begin with these words."""
        wanted = [str(word) for word in words]
        return sum(line.split()[: len(wanted)] == wanted for line in self.lines())

    def family(self, number: int) -> None:
        """Sends a signal to the subject and its child processes: the shell's subject has some."""
        for pid in _descendants(self.pid):
            with contextlib.suppress(ProcessLookupError):  # The child may end with its parent.
                os.kill(pid, number)

    def terminate(self) -> int:
        """Ends the subject with SIGTERM: returns its exit status."""
        self.program.signal(signal.SIGTERM)
        return self.program.wait()


class Scenario(Conformance):
    """A test that drives a subject."""

    def subject(self, where: Any, *initializers: Any, **config: Any) -> Subject:
        """A subject of these initializers, given as declarations with steps, at a supervisor or a path."""
        path = where.path if isinstance(where, Supervisor) else where
        return Subject(self, path, **{"initializers": list(initializers)} | config)

    def registered(self, supervisor: Supervisor, *initializers: Any, **config: Any) -> tuple[Subject, Peer]:
        """A subject whose initializers are registered, and a connection of the test."""
        subject = self.subject(supervisor, *initializers, **config)
        peer = supervisor.peer()
        self.available(peer, *initializers)
        return subject, peer

    def available(self, peer: Peer, *initializers: Any, deadline: float = DEADLINE) -> None:
        """Waits until a worker provides these."""
        names = {each["name"] for each in initializers}

        def provided() -> bool:
            return names <= {each["name"] for each in peer.status()["initializers"] if each["available"]}

        until(provided, f"registration of {sorted(names)}", deadline)

    def outcome(self, peer: Peer, number: int) -> str:
        """The outcome of a pass."""
        return peer.ok("wait", pass_=number)["state"]


def active(name: str, *steps: Any, **members: Any) -> dict[str, Any]:
    """An initializer of the active phase."""
    return {"name": name, "priority": "appActive", "steps": list(steps)} | members


def launch(name: str, *steps: Any, **members: Any) -> dict[str, Any]:
    """An initializer of launch."""
    return {"name": name, "steps": list(steps)} | members


def _descendants(pid: int) -> list[int]:
    """A process, its children, and theirs."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        children = [int(word) for word in file.read().split()]
    return [pid, *(each for child in children for each in _descendants(child))]


def descriptors(pid: int) -> int:
    """How many descriptors a process has."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def threads(pid: int) -> int:
    """How many threads a process has."""
    return len(os.listdir(f"/proc/{pid}/task"))


def find(items: list[dict[str, Any]], name: str) -> Optional[dict[str, Any]]:
    """The one of that name."""
    return next((each for each in items if each["name"] == name), None)
