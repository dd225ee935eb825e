"""Commands that write down when they ran: the times that a supervisor reports must agree with these."""

from __future__ import annotations

import os
import time
from typing import Iterator

from supervisor import Supervisor

SCRIPT = """\
# timed SECONDS [ATTEMPT]: sleeps, notes when it began and ended, and fails before this attempt.
LC_ALL=C
began=$EPOCHREALTIME
sleep "$1"
echo "$INITD_PASS $INITD_INITIALIZER $began $EPOCHREALTIME" >>times
test "$INITD_ATTEMPT" -ge "${2:-1}"
"""


def timed(seconds: float, succeeds: int = 1) -> str:
    """A command for a manifest, which sleeps and notes its times. The first attempt that succeeds has the number `succeeds`."""
    return f"command: [bash, timed, '{seconds}', '{succeeds}']"


def with_script(directory: str) -> str:
    """Puts the script of these commands into a supervisor's directory, and returns the directory."""
    with open(os.path.join(directory, "timed"), "w") as file:
        file.write(SCRIPT)
    return directory


class Witness:
    """When the initializers of a pass ran, as noted by their commands, or by a test for its workers."""

    def __init__(self, supervisor: Supervisor, number: int = 1) -> None:
        self.attempts: dict[str, list[tuple[float, float]]] = {}
        for line in supervisor.lines("times"):
            each, name, began, ended = line.split()
            if int(each) == number:
                self.add(name, float(began), float(ended))

    def add(self, name: str, began: float, ended: float) -> None:
        self.attempts.setdefault(name, []).append((began, ended))

    def began(self, name: str) -> float:
        return self.attempts[name][0][0]

    def ended(self, name: str) -> float:
        return self.attempts[name][-1][1]

    def running(self, name: str) -> float:
        return sum(ended - began for began, ended in self.attempts[name])

    def backoff(self, name: str) -> float:
        attempts = self.attempts[name]
        return sum(after[0] - before[1] for before, after in zip(attempts, attempts[1:]))

    def last(self) -> float:
        """The time when the last command ended."""
        return max(self.ended(name) for name in self.attempts)

    def order(self) -> list[str]:
        """The names in the order of their ends."""
        return sorted(self.attempts, key=self.ended)

    def gaps(self) -> Iterator[float]:
        """The times between two ends."""
        ends = sorted(map(self.ended, self.attempts))
        return (after - before for before, after in zip(ends, ends[1:]))


class Noted:
    """When something happened in the test: between two moments."""

    def __enter__(self) -> Noted:
        self.before = time.time()
        return self

    def __exit__(self, *_: object) -> None:
        self.after = time.time()

    @property
    def moment(self) -> float:
        return (self.before + self.after) / 2
