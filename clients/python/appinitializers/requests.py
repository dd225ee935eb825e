"""The params of requests with optional params."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from .words import Target


def given(**members: Any) -> dict[str, Any]:
    """The members that have a value: the protocol has no null."""
    return {name: value for name, value in members.items() if value is not None}


def history(limit: int, pass_: Optional[int], phase: Optional[str], in_flight: bool) -> dict[str, Any]:
    return given(limit=limit, phase=phase, inFlight=in_flight or None, **{"pass": pass_})


def logs(initializer: Optional[str], limit: int) -> dict[str, Any]:
    return given(initializer=initializer, limit=limit)


def rerun(names: Sequence[str], with_dependents: bool) -> dict[str, Any]:
    return {"initializers": list(names), "withDependents": with_dependents}


def reload(dry_run: bool, with_dependents: bool) -> dict[str, Any]:
    return {"dryRun": dry_run, "withDependents": with_dependents}


def subscribe(topics: Sequence[str]) -> dict[str, Any]:
    return {"topics": list(topics)} if topics else {}


MARGIN = 5.0
"""How many seconds after its timeout the answer to `wait` may come."""


def patience(timeout: Optional[float]) -> Optional[float]:
    """Returns how many seconds to wait for the answer to `wait`; None for no limit."""
    return None if timeout is None else timeout + MARGIN


def wait(
    state: Optional[Target], initializer: Optional[str], pass_: Optional[int], timeout: Optional[float], appear: bool
) -> dict[str, Any]:
    return given(initializer=initializer, timeout=timeout, appear=appear or None, **{"for": state, "pass": pass_})
