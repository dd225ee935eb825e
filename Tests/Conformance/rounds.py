"""Measured times: how exact they must be, and how a scenario is repeated because the machine was busy."""

from __future__ import annotations

from typing import Any, Callable, Optional

from calm import SANITIZED

TOLERANCE = 0.02 if not SANITIZED else 0.5
"""The maximum distance of a reported time from the time that its command noted, in the first round, in seconds."""

APART = 0.01
"""The minimum distance of two ends that must not be mistaken for each other, in the first round, in seconds."""

SCALES = (1, 2, 4, 8)
"""How many times slower than in the first round the commands of each round are.

The tolerance grows with the number of rounds. So a wrong program, whose times are wrong by a part of a known answer, is outside of it in
each round. The time that a busy machine adds to the start and the end of a process doesn't grow, so it is inside in a later round.
"""

_scale = 1


class Inexact(AssertionError):
    """A measured time is outside of the tolerance: the program is wrong, or the machine is busy."""


def apart() -> float:
    """APART in this round."""
    return APART * _scale


def near(actual: float, expected: float, what: str, tolerance: Optional[float] = None) -> None:
    """Requires a measured time. Another round may follow if the time is outside of the tolerance, by default that of this round."""
    tolerance = TOLERANCE * _scale if tolerance is None else tolerance
    if not abs(actual - expected) <= tolerance:
        raise Inexact(f"{what}: {actual:.4f} s, expected {expected:.4f} s within {tolerance * 1000:.0f} ms")


def in_one_round(scenario: Callable[[float], Any]) -> Any:
    """Repeats a scenario, each time with slower commands, while it is inexact. Every other failure counts in each round.

    The scenario is called with the number by which it must multiply the durations of its commands.
    """
    global _scale
    inexact: Optional[Inexact] = None
    try:
        for _scale in SCALES:
            try:
                return scenario(_scale)
            except Inexact as error:
                inexact = error
    finally:
        _scale = 1
    raise AssertionError(f"in each of {len(SCALES)} rounds a time is wrong; in the last one {inexact}") from None
