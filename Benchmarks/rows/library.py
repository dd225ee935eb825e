"""Measures the library alone: initializers that do nothing, in a process without a supervisor; and a Status as text."""

import os
import subprocess

from harness.measure import Subject
from harness.supervisor import ROOT

INPROCESS = os.environ.get("INPROCESS", str(ROOT / ".build/benchmarks/release/inprocess"))
PARTS = os.environ.get("PARTS", str(ROOT / ".build/release/parts"))
LIMIT = 3e-6


def seconds(shape, count):
    return float(subprocess.run([INPROCESS, shape, str(count)], check=True, capture_output=True).stdout)


def _row(bench, shape):
    """The largest graph is the first subject: the ratio of its time to that of a smaller one shows whether the time is linear."""
    once = lambda count: lambda: seconds(shape, count) / count
    subjects = [
        Subject("1,000,000", once(1_000_000), limit=LIMIT, most=3),
        Subject("100,000", once(100_000), limit=LIMIT, at_most=2, most=2),
        Subject("10,000", once(10_000), limit=LIMIT, at_most=2),
        Subject("1,000", once(1_000), limit=LIMIT, at_most=2),
    ]
    return bench.alternate(f"inprocess-{shape}", f"initializers in Swift that do nothing, {shape}, each", "s", subjects, 7)


def chain(bench):
    yield _row(bench, "chain")


def fan(bench):
    yield _row(bench, "fan")


def layers(bench):
    yield _row(bench, "layers")


def texts(bench):
    run = lambda: subprocess.run([PARTS, "status"], check=True, capture_output=True, text=True).stdout.splitlines()
    lines = [dict(map(str.split, run())) for _ in range(5)]
    for row, name, title, limit in [
        ("status-written", "written", "a Status of 1,000 initializers, written", 0.0015),
        ("status-checked", "checked", "the same, checked", None),
        ("status-read", "checked-and-read", "the same, checked and read", 0.0025),
    ]:
        values = iter([float(each[name]) / 1000 for each in lines])
        yield bench.alternate(row, title, "s", [Subject("InitWire", lambda: next(values), limit=limit)], 3, warm_up=0)
