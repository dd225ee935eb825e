"""The protocol's shapes, for type checkers: dictionaries with the protocol's names. PROTOCOL.md describes their members.

Every member may be missing, unless the protocol says that it is always there. Accept names that you don't know: a later version of the
supervisor may add states, kinds of causes, topics and members.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

Target = Union[Literal["ready", "launch", "active", "composite"], str]
"""The target of `wait`. Editors suggest these names; a `str` is also accepted."""

Priority = Union[Literal["appLaunch", "appActive"], str]
"""The priority of an initializer."""

Cause = TypedDict("Cause", {"kind": str, "message": str, "status": int, "signal": str, "after": float, "user": str}, total=False)
"""Why a run failed: `kind` is "error", "exit", "signal", "timeout", "workerLost", "notFound" or "operator"."""

Failure = TypedDict(
    "Failure",
    {"code": str, "message": str, "initializer": str, "dependency": str, "cycle": list[str], "cause": Cause, "errors": list["Failure"]},
    total=False,
)
"""Why a pass failed. `message` can be shown. `errors` has all failures of a pass that kept going after its first one."""

State = TypedDict("State", {"state": str, "pass": int, "error": Failure}, total=False)
"""`state` is "pending", "complete", "failed" or "cancelled"."""

Progress = TypedDict("Progress", {"fraction": float, "message": str}, total=False)

Skipped = TypedDict("Skipped", {"reason": str, "message": str}, total=False)
"""The reason why an initializer isn't run although nothing has failed: `reason` is "requested" or "unselected"."""

Once = TypedDict("Once", {"release": str, "fence": int, "message": str}, total=False)

Initializer = TypedDict(
    "Initializer",
    {
        "name": str,
        "priority": str,
        "dependencies": list[str],
        "provider": str,
        "available": bool,
        "status": str,
        "optional": bool,
        "stale": bool,
        "blockedBy": str,
        "skipped": Skipped,
        "run": int,
        "attempt": int,
        "attempts": int,
        "pass": int,
        "phase": str,
        "started": float,
        "firstStarted": float,
        "pid": int,
        "nextAttempt": float,
        "duration": float,
        "progress": Progress,
        "error": Failure,
        "once": Once,
    },
    total=False,
)
"""`status` is "idle", "waiting", "running", "stopping", "complete", "failed", "cancelled", "notRun" or "skipped"."""

WorkerShape = TypedDict("WorkerShape", {"client": str, "pid": int, "initializers": list[str]}, total=False)
"""A connection that provides initializers."""

Process = TypedDict(
    "Process",
    {
        "name": str,
        "pid": int,
        "uptime": float,
        "restarts": int,
        "lastExit": Cause,
        "nextStart": float,
        "givenUp": bool,
        "skipped": Skipped,
    },
    total=False,
)
"""A process that the supervisor keeps running."""

PassInFlight = TypedDict("PassInFlight", {"pass": int, "phase": str, "opened": float}, total=False)

Status = TypedDict(
    "Status",
    {
        "seq": int,
        "time": float,
        "instance": str,
        "pid": int,
        "uptime": float,
        "subscribers": int,
        "lifecycle": str,
        "launch": State,
        "active": State,
        "composite": State,
        "holds": int,
        "concurrency": int,
        "initializers": list[Initializer],
        "inFlight": list[PassInFlight],
        "workers": list[WorkerShape],
        "processes": list[Process],
        "warnings": list[str],
    },
    total=False,
)
"""The complete state of a supervisor at one moment."""

LogLine = TypedDict(
    "LogLine",
    {"time": float, "initializer": str, "run": int, "attempt": int, "stream": str, "line": str},
    total=False,
)
"""A line of output. It may contain control characters: escape them before you print it."""

RunRecord = TypedDict(
    "RunRecord",
    {
        "run": int,
        "initializer": str,
        "attempt": int,
        "attempts": int,
        "ready": float,
        "waitedFor": list[str],
        "provided": float,
        "freed": float,
        "freedBy": str,
        "started": float,
        "duration": float,
        "cpu": float,
        "polls": float,
        "outcome": str,
        "cause": Cause,
    },
    total=False,
)
"""A run in the history."""

PassRecord = TypedDict(
    "PassRecord",
    {
        "pass": int,
        "phase": str,
        "started": float,
        "opened": float,
        "duration": float,
        "outcome": str,
        "error": Failure,
        "concurrency": int,
        "cores": float,
        "busy": float,
        "processes": float,
        "supervisor": float,
        "runs": list[RunRecord],
    },
    total=False,
)
"""A pass in the history."""

Launched = TypedDict("Launched", {"pass": int, "launch": State})
"""The answer to `launch`: the pass that it started or joined, else the last launch pass."""

Activated = TypedDict("Activated", {"pass": int, "active": State, "launch": State})
"""The answer to `activate`: the pass that it started or joined, else the last active pass."""

Redefined = TypedDict("Redefined", {"name": str, "keys": list[str]})
"""A changed initializer or process, with the changed keys in the manifest's words."""

Finding = TypedDict(
    "Finding",
    {"file": str, "line": int, "column": int, "severity": str, "message": str, "suggestion": str},
    total=False,
)
"""A mistake in a configuration, or a warning about it: `severity` is "error" or "warning"."""

Reloaded = TypedDict(
    "Reloaded",
    {
        "added": list[str],
        "changed": list[Redefined],
        "removed": list[str],
        "unchanged": int,
        "fromNextRun": list[Redefined],
        "settings": list[str],
        "warnings": list[Finding],
    },
    total=False,
)
"""The answer to `reload`: the differences. `unchanged` is how many initializers and processes stay as they are."""

Event = TypedDict(
    "Event",
    {
        "topic": str,
        "seq": int,
        "time": float,
        "changed": list[str],
        "lifecycle": str,
        "launch": State,
        "active": State,
        "composite": State,
        "initializer": Any,
        "removed": bool,
        "pass": int,
        "phase": str,
        "status": str,
        "worker": WorkerShape,
        "connected": bool,
        "process": Process,
        "run": int,
        "attempt": int,
        "stream": str,
        "line": str,
        "dropped": int,
        "snapshot": Status,
    },
    total=False,
)
"""An event. `topic` says which members it has; `initializer` is an `Initializer`, or in log lines a name."""
