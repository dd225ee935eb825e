"""What a supervisor at rest has of memory, descriptors, children and zombies, measured again and again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Optional

from world import World  # Knows where the next two are.
from calm import Calm, Held
from deadlines import POLL

SETTLING = 2.0
"""How long a supervisor at rest may take to close the last of what had ended: output pipes are read for a moment longer."""


@dataclass
class Vitals:
    """Samples of one supervisor.

    What it has at most while it warms up is what the later ones are held against: it keeps a few things ready for the next command, one or
    two of each as it happens.
    """

    world: World
    samples: list[tuple[float, int]] = field(default_factory=list)
    """Where each was taken after it was warm, in cycles or seconds, and the memory there, in bytes."""
    most: Optional[Held] = None
    last: Optional[Held] = None

    def take(self, where: float, warming: bool = False) -> list[str]:
        """Brings it to rest and measures; what there is more of than while it warmed up."""
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
        """How much memory a straight line through the samples gains from the first to the last, and what it has at the first."""
        count = len(self.samples)
        x = sum(where for where, _ in self.samples) / count
        y = sum(memory for _, memory in self.samples) / count
        slope = sum((where - x) * (memory - y) for where, memory in self.samples) / sum((where - x) ** 2 for where, _ in self.samples)
        first, last = self.samples[0][0], self.samples[-1][0]
        return slope * (last - first), y - slope * (x - first)

    def __str__(self) -> str:
        held = self.last
        return f"{held.memory / 2**20:.2f} MiB, {held.descriptors.total()} descriptors, {len(held.children)} children, {len(held.zombies)} zombies"
