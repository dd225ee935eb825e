"""How agents behave, and when they renew their leases."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """When an agent sends something, and what it reads after a change."""

    name: str
    about: str
    pause: float = 0.2
    """The longest random pause, in seconds, before a claim is tried again after a change."""
    record_pause: float = 0.2
    """The longest random pause, in seconds, before the record is written."""
    patience: tuple = (10, 15)
    """After how many seconds without a change a waiting host reads again."""
    early: float = 0
    """By which part of the interval a renewal is earlier, at most."""
    takes_events: bool = False
    """Whether the event of a completion is the answer. Otherwise the agent sends its claim again."""
    backs_off: bool = False
    """Whether the pause after a failed request grows with each failure, and varies."""
    reads_first: bool = False
    """Whether the agent reads, without a write, before it sends its claim again."""


@dataclasses.dataclass(frozen=True)
class Lease:
    """The formulas of `Agent`, in seconds."""

    length: int
    grace: float

    @property
    def drift(self):
        return max(self.length / 20, 0.1)

    @property
    def interval(self):
        """The pause between two renewals."""
        return max(min(self.length / 3, (self.length - self.drift - self.grace) / 2), 0.2)
