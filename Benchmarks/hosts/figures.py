"""Counts and latencies of requests, by phase."""

import collections
import dataclasses
import os
import pathlib
import statistics
import time

KINDS = ("grant", "renew", "record", "claim", "read", "progress", "complete", "watch")
"""The kinds of requests: of a lease, of its renewal, of a host's record, of a claim, of reads without a claim, of a progress, of a completion, of watches."""


def percentile(values, share):
    """A value that this share of the values doesn't exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def busy():
    """Returns the CPU seconds of all processes of this machine, and those that its host has taken away."""
    user, nice, system, _, _, *interrupts = map(int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


@dataclasses.dataclass
class Phase:
    """The changes from one time to the next."""

    name: str
    begin: float
    before: object
    """The sample of etcd at the phase's begin."""
    own: float
    """The CPU seconds of this process: at its begin, and after it how many."""
    busy: float
    """The same for all processes."""
    end: float = 0
    after: object = None
    answers: list = dataclasses.field(default_factory=list)
    """Each answer: its kind, when it came, and its latency."""
    failures: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    @property
    def seconds(self):
        return self.end - self.begin

    @property
    def cpu(self):
        return self.after.cpu - self.before.cpu

    @property
    def others(self):
        """The CPU seconds of processes other than etcd and this process."""
        return max(0.0, self.busy - self.cpu - self.own)

    def of(self, *kinds):
        """The answers of some kinds; of all without an argument."""
        return [each for each in self.answers if not kinds or each[0] in kinds]

    def most(self, answers):
        """The largest number of answers that came in one second."""
        counts = collections.Counter(int(moment - self.begin) for _, moment, _ in answers)
        return max(counts.values(), default=0)

    def latency(self, share, *kinds):
        return percentile([latency for *_, latency in self.of(*kinds)], share)


class Figures:
    """The figures of one fleet."""

    def __init__(self):
        self.phases = {}
        self.current = None
        self.connections = 0
        self.lost_leases = 0

    def begin(self, name, sample):
        """Ends the current phase, and begins another."""
        self.end(sample)
        self.current = self.phases[name] = Phase(name, time.perf_counter(), sample, time.process_time(), busy())

    def end(self, sample):
        if self.current and not self.current.end:
            self.current.end, self.current.after = time.perf_counter(), sample
            self.current.own = time.process_time() - self.current.own
            self.current.busy = busy() - self.current.busy

    def opened(self):
        self.connections += 1

    def answered(self, kind, start):
        now = time.perf_counter()
        self.current.answers.append((kind, now, now - start))

    def failed(self, kind):
        self.current.failures[kind] += 1


def spread(values):
    """The median and the largest of some values."""
    return (statistics.median(values), max(values)) if values else (0.0, 0.0)
