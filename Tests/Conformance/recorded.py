"""Calculates where the time of a pass went from `history` alone: `blame` and `critical-path` must agree with it."""

from __future__ import annotations

from typing import Any

CLOSE = 0.001
"""Recorded times agree within this, in seconds."""


def end(run: dict[str, Any]) -> float:
    return run["started"] + run["duration"]


class Recorded:
    """A pass that has ended."""

    def __init__(self, each: dict[str, Any]) -> None:
        self.opened = each["opened"]
        self.held = each["opened"] - each["started"]
        self.ended = each["started"] + each["duration"]
        self.duration = self.ended - self.opened
        self.runs: dict[str, list[dict[str, Any]]] = {}
        for run in sorted(each["runs"], key=lambda run: run["run"]):
            self.runs.setdefault(run["initializer"], []).append(run)

    def end(self, name: str) -> float:
        return end(self.runs[name][-1])

    def parts(self, name: str) -> dict[str, float]:
        """The members of `blame` for an initializer."""
        runs = self.runs[name]
        waited = runs[0]["ready"] - self.opened
        queued = runs[0]["started"] - runs[0]["ready"]
        running = sum(run["duration"] for run in runs)
        backoff = sum(after["started"] - end(before) for before, after in zip(runs, runs[1:]))
        return {"waited": waited, "queued": queued, "running": running, "backoff": backoff, "finished": self.end(name) - self.opened}
