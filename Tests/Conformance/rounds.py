"""Measured times: how exact they must be, and how often a scenario is repeated because the machine was busy."""

from __future__ import annotations

from typing import Any, Callable, Optional

from calm import SANITIZED
from witness import overhead

TOLERANCE = 0.02 if not SANITIZED else 0.5
"""How far a time that a program reports may be from the one that its command noted, on an idle machine, in seconds."""

APART = 0.01
"""How far apart two ends must be that aren't to be taken for each other, in seconds."""

WIDEST = 0.06 if not SANITIZED else 0.5
"""The same on the busiest machine: less than any two known answers are apart."""

ROUNDS = 6
"""How often a scenario is tried. A wrong program is outside of the tolerance in each round; a busy machine only in some."""

_tolerance = TOLERANCE


class Inexact(AssertionError):
    """A measured time is outside of the tolerance: the program is wrong, or the machine is busy."""


def near(actual: float, expected: float, what: str, tolerance: Optional[float] = None) -> None:
    """Requires a measured time. Another round may follow if it is outside of the tolerance, by default that of this round."""
    tolerance = _tolerance if tolerance is None else tolerance
    if not abs(actual - expected) <= tolerance:
        raise Inexact(f"{what}: {actual:.4f} s, expected {expected:.4f} s within {tolerance * 1000:.0f} ms")


def in_one_round(scenario: Callable[[], Any]) -> Any:
    """Repeats a scenario while it is inexact. Every other failure counts in each round.

    After an inexact round, a process is measured that no supervisor has started. The next round tolerates twice of what the machine adds to
    it, at least TOLERANCE and at most WIDEST.
    """
    global _tolerance
    inexact: Optional[Inexact] = None
    try:
        for _ in range(ROUNDS):
            try:
                return scenario()
            except Inexact as error:
                inexact = error
                _tolerance = min(max(TOLERANCE, 2 * overhead()), WIDEST)
    finally:
        _tolerance = TOLERANCE
    raise AssertionError(f"in each of {ROUNDS} rounds a time is wrong; in the last one {inexact}") from None
