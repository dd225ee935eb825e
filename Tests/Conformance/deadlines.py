"""Waiting: every expected result has a deadline, and no test relies on a sleep."""

from __future__ import annotations

import os
import time
from typing import Any, Callable

DEADLINE = float(os.environ.get("CONFORMANCE_DEADLINE", "15"))
"""How long an expected result may take before a test fails, in seconds."""

PROMPT = min(DEADLINE, 5.0)
"""How long an immediate disconnection may take: less than the 10 s after which a silent client is disconnected anyway."""

POLL = 0.01


def until(condition: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
    """Polls `condition` until it is true, and returns it."""
    end = time.monotonic() + deadline
    while True:
        if value := condition():
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {deadline} s")
        time.sleep(POLL)


def shortened(value: Any) -> str:
    """Returns a value for the text of a failure: its beginning and its end."""
    text = repr(value)
    return text if len(text) < 3000 else f"{text[:1500]} … {text[-1500:]}"
