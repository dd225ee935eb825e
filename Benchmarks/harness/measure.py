"""Alternates rounds, and evaluates them: medians, quartiles, ratios of medians, and whether the targets hold."""

import dataclasses
import statistics
from typing import Callable, Optional


@dataclasses.dataclass
class Subject:
    """One of the subjects that a row measures. The first subject of a row is ours.

    A ratio is our median divided by this one's. `at_most` and `at_least` are targets of the ratio, `limit` of the median itself.
    `absent` says why it can't be measured here. `most` is how often a slow one is measured, without warm-up.
    """

    name: str
    once: Optional[Callable[[], float]] = None
    at_most: Optional[float] = None
    at_least: Optional[float] = None
    limit: Optional[float] = None
    absent: Optional[str] = None
    most: Optional[int] = None
    samples: list = dataclasses.field(default_factory=list)

    @property
    def median(self):
        return statistics.median(self.samples) if self.samples else None

    @property
    def quartiles(self):
        if len(self.samples) < 2:
            return (self.median, self.median)
        low, _, high = statistics.quantiles(self.samples, n=4, method="inclusive")
        return (low, high)


@dataclasses.dataclass
class Measurement:
    """A row after it was measured."""

    row: str
    title: str
    unit: str
    subjects: list
    note: str = ""

    def ratio(self, subject):
        ours = self.subjects[0]
        if subject is ours or not subject.samples or not ours.samples or subject.median == 0:
            return None
        return ours.median / subject.median

    def targets(self, subject):
        """The targets of a subject: each with its sign, its value, whether it is a target for the ratio, and whether it holds.

        The last value is None if it can't be decided here.
        """
        ratio = self.ratio(subject)
        if subject.limit is not None:
            yield "≤", subject.limit, False, subject.median <= subject.limit if subject.samples else None
        if subject.at_most is not None:
            yield "≤", subject.at_most, True, ratio <= subject.at_most if ratio is not None else None
        if subject.at_least is not None:
            yield "≥", subject.at_least, True, ratio >= subject.at_least if ratio is not None else None

    @property
    def undecided(self):
        """The subjects whose targets can't be decided, because they are absent."""
        return [each.name for each in self.subjects if any(holds is None for *_, holds in self.targets(each))]

    @property
    def all_hold(self):
        """Whether every decided target holds: None if there is none."""
        results = [holds for each in self.subjects for *_, holds in self.targets(each) if holds is not None]
        return all(results) if results else None


def alternate(row, title, unit, subjects, rounds, warm_up=1, note=""):
    """Measures the subjects in turns. Each round begins with another subject, so no subject always follows the same one."""
    there = [each for each in subjects if each.once]
    for number in range(-warm_up, rounds):
        first = number % len(there) if there else 0
        for each in there[first:] + there[:first]:
            if each.most is not None and (number < 0 or len(each.samples) == each.most):
                continue
            value = each.once()
            if number >= 0:
                each.samples.append(value)
    return Measurement(row, title, unit, subjects, note)
