"""How long runs and leases last, and when agents write."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """What the initializer reports."""

    name: str
    about: str
    progress: float = 0
    """After how many seconds the run has a new progress; 0 for none."""


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
