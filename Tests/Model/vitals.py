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
    """Samples of one supervisor. The first is what the later ones are held against."""

    world: World
    samples: list[tuple[float, int]] = field(default_factory=list)
    """Where each was taken, in cycles or seconds, and the memory there, in bytes."""
    first: Optional[Held] = None
    last: Optional[Held] = None

    def take(self, where: float) -> list[str]:
        """Brings it to rest and measures; what there is more of than at first."""
        self.world.rest()
        if self.first is None:
            self.first = Calm(self.world.supervisor).before
        end = time.monotonic() + SETTLING
        while (self._measure() or self.last.zombies) and time.monotonic() < end:
            time.sleep(POLL)
        self.samples.append((where, self.last.memory))
        return self._measure()

    def _measure(self) -> list[str]:
        self.last = Held(self.world.supervisor.pid)
        found = [f"{count} more {kind}" for kind, count in sorted((self.last.descriptors - self.first.descriptors).items())]
        found += [f"zombie {pid}" for pid in sorted(self.last.zombies)]
        found += [f"child {pid}" for pid in sorted(self.last.children - self.first.children)]
        return found

    def growth(self, since: float) -> tuple[float, float]:
        """How much memory a straight line through the samples gains from `since` to the last, and what it has at `since`."""
        points = [each for each in self.samples if each[0] >= since]
        if len(points) < 2:
            return 0.0, float(points[0][1] if points else 0)
        x = sum(where for where, _ in points) / len(points)
        y = sum(memory for _, memory in points) / len(points)
        slope = sum((where - x) * (memory - y) for where, memory in points) / sum((where - x) ** 2 for where, _ in points)
        return slope * (points[-1][0] - points[0][0]), y - slope * (x - points[0][0])

    def __str__(self) -> str:
        held = self.last
        return f"{held.memory / 2**20:.2f} MiB, {held.descriptors.total()} descriptors, {len(held.children)} children, {len(held.zombies)} zombies"
