"""Memory, descriptors, children and zombies of an idle supervisor, measured repeatedly."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Optional

from world import World  # This finds the next two modules.
from calm import Calm, Held
from deadlines import POLL

SETTLING = 2.0
"""The maximum time for an idle supervisor to close the resources of ended processes: output pipes are read for a moment longer."""


@dataclass
class Vitals:
    """Samples of one supervisor.

    The maximum during warm-up is compared with later samples, because the supervisor keeps a few prepared resources for the next command,
    whose number varies.
    """

    world: World
    samples: list[tuple[float, int]] = field(default_factory=list)
    """The time of each sample after warm-up, in cycles or seconds, and the memory in bytes."""
    most: Optional[Held] = None
    last: Optional[Held] = None

    def take(self, where: float, warming: bool = False) -> list[str]:
        """Waits until the supervisor is idle and measures; returns the resources that exceed those during warm-up."""
        self.world.rest()
        if self.most is None:
            self.most = Calm(self.world.supervisor).before
        end = time.monotonic() + SETTLING
        while (found := self._measure()) and time.monotonic() < end:
            time.sleep(POLL)
        if warming:
            self.most.descriptors |= self.last.descriptors
        else:
            self.samples.append((where, self.last.memory))
        return found

    def _measure(self) -> list[str]:
        self.last = Held(self.world.supervisor.pid)
        found = [f"{count} more {kind}" for kind, count in sorted((self.last.descriptors - self.most.descriptors).items())]
        found += [f"zombie {pid}" for pid in sorted(self.last.zombies)]
        found += [f"child {pid}" for pid in sorted(self.last.children - self.most.children)]
        return found

    def growth(self) -> tuple[float, float]:
        """The growth of memory along a straight line through the samples, and the memory at its start."""
        count = len(self.samples)
        x = sum(where for where, _ in self.samples) / count
        y = sum(memory for _, memory in self.samples) / count
        slope = sum((where - x) * (memory - y) for where, memory in self.samples) / sum((where - x) ** 2 for where, _ in self.samples)
        first, last = self.samples[0][0], self.samples[-1][0]
        return slope * (last - first), y - slope * (x - first)

    def __str__(self) -> str:
        held = self.last
        return f"{held.memory / 2**20:.2f} MiB, {held.descriptors.total()} descriptors, {len(held.children)} children, {len(held.zombies)} zombies"
