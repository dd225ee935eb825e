"""Measured times: how exact they must be, and how often a scenario is repeated because the machine was busy."""

from __future__ import annotations

from typing import Any, Callable, Optional

from calm import SANITIZED

TOLERANCE = 0.02 if not SANITIZED else 0.5
"""How far a time that a program reports may be from the one that its command noted, in seconds."""

ROUNDS = 6
"""How often a scenario is tried. A wrong program is outside of the tolerance in each round; a busy machine only in some."""


class Inexact(AssertionError):
    """A measured time is outside of the tolerance: the program is wrong, or the machine is busy."""


def near(actual: float, expected: float, what: str, tolerance: float = TOLERANCE) -> None:
    """Requires a measured time. Another round may follow if it is outside of the tolerance."""
    if not abs(actual - expected) <= tolerance:
        raise Inexact(f"{what}: {actual:.4f} s, expected {expected:.4f} s within {tolerance * 1000:.0f} ms")


def in_one_round(scenario: Callable[[], Any]) -> Any:
    """Repeats a scenario while it is inexact. Every other failure counts in each round."""
    inexact: Optional[Inexact] = None
    for _ in range(ROUNDS):
        try:
            return scenario()
        except Inexact as error:
            inexact = error
    raise AssertionError(f"in each of {ROUNDS} rounds a time is wrong; in the last one {inexact}") from None
