"""The meaning of the protocol's numbers, which the schema doesn't have."""

TIMES = {"time", "opened", "started", "firstStarted", "nextAttempt", "nextStart", "ready", "provided", "freed", "stoppedAt", "unhealthySince"}
"""Seconds since the Unix epoch."""

DURATIONS = {
    "uptime", "duration", "after", "busy", "processes", "supervisor", "cpu", "polls", "held", "waited", "queued", "running", "backoff",
    "finished", "cancelGrace",
}  # fmt: skip
"""Seconds."""

FRACTIONS = {"fraction", "cores"}


def unit(member: str) -> str:
    """`time`, `duration` or `fraction`: the meaning of a member that is a number, but not an integer."""
    for name, members in {"time": TIMES, "duration": DURATIONS, "fraction": FRACTIONS}.items():
        if member in members:
            return name
    raise ValueError(f"the unit of the number {member} is unknown; add it to clients/types/units.py")
