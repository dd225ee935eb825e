"""Compares JSON in a document with real JSON.

Values that differ each time are shown as examples: only the type of the members in `VARYING` is compared. `…` stands
for omitted parts: `{…}` any object, `[…]` any list, `,…}` further members, `,…]` further elements, and within a string any text.
All other text must be exactly as shown.
"""

from __future__ import annotations

import json
import re
from typing import Any

VARYING = {"time", "started", "opened", "ready", "uptime", "duration", "seq", "pid", "instance", "version"}
VARYING |= {"waited", "queued", "running", "cpu", "backoff", "finished", "held", "cores", "busy", "processes", "supervisor"}  # In summaries of passes.
_REST = "…"


def parse(text: str) -> Any:
    """JSON with `…` in it. Raises `ValueError`."""
    text = re.sub(r"\{\s*…\s*\}", '{"…":0}', text)
    text = re.sub(r"\[\s*…\s*\]", '["…"]', text)
    text = re.sub(r",\s*…\s*\}", ',"…":0}', text)
    text = re.sub(r",\s*…\s*\]", ',"…"]', text)
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError(f"a member twice in {pairs}")
    return members


def mismatch(shown: Any, real: Any, path: str = "") -> str | None:
    """Returns where and how `real` differs from `shown`, or None."""
    where = path or "the message"
    if isinstance(shown, dict) and isinstance(real, dict):
        is_open = _REST in shown
        for name in shown.keys() - {_REST}:
            if name not in real:
                return f"{where}: there is no {name}"
            inner = f"{path}.{name}" if path else name
            if name in VARYING:
                if _kind(shown[name]) != _kind(real[name]):
                    return f"{inner}: is {real[name]!r}"
            elif why := mismatch(shown[name], real[name], inner):
                return why
        extra = sorted(real.keys() - shown.keys())
        return f"{where}: there is also {', '.join(extra)}" if extra and not is_open else None
    if isinstance(shown, list) and isinstance(real, list):
        is_open = bool(shown) and shown[-1] == _REST
        wanted = shown[:-1] if is_open else shown
        if len(real) < len(wanted) or (len(real) > len(wanted) and not is_open):
            return f"{where}: has {len(real)} elements"
        return next((why for i, each in enumerate(wanted) if (why := mismatch(each, real[i], f"{path}[{i}]"))), None)
    if isinstance(shown, str) and isinstance(real, str) and _REST in shown:
        text = ".*".join(re.escape(part) for part in shown.split(_REST))
        return None if re.fullmatch(text, real, re.DOTALL) else f"{where}: is {real!r}"
    return None if _kind(shown) == _kind(real) and shown == real else f"{where}: is {real!r}"


def _kind(value: Any) -> str:
    return "number" if type(value) in (int, float) else type(value).__name__
