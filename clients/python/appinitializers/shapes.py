"""The protocol's shapes, for type checkers: dictionaries with the protocol's names. PROTOCOL.md describes their members.

Accept names that you don't know: a later version of the supervisor may add states, kinds of causes, topics and members.

clients/types/generate makes this file from clients/protocol.schema.json. Don't edit it.
"""

from __future__ import annotations

from typing import Any, TypedDict

from .words import Priority as Priority
from .words import Target as Target


class _Cause(TypedDict):
    kind: str


class Cause(_Cause, total=False):
    """Why a run failed, or how a process ended. `kind` is "error", "notFound", "exit", "signal", "timeout", "workerLost" or "operator"."""

    message: str
    status: int
    signal: str
    after: float
    user: str


class Skipped(TypedDict):
    """The reason why an initializer or a process isn't run although nothing has failed. `reason` is "requested", "condition", "fresh" or
    "unselected"."""

    reason: str
    message: str


class _Process(TypedDict):
    name: str
    restarts: int
    givenUp: bool


class Process(_Process, total=False):
    """A process that the supervisor keeps running."""

    pid: int
    uptime: float
    lastExit: Cause
    nextStart: float
    skipped: Skipped
    stale: bool
    earlierOutputs: list[str]
    waitsFor: list[str]
    unhealthy: bool
    unhealthySince: float
    failure: str
    external: bool
    answers: bool
    stoppedBy: str
    stoppedAt: float


class _Failure(TypedDict):
    code: str
    initializer: str
    message: str


class Failure(_Failure, total=False):
    """Why a pass failed. `message` can be shown. `errors` has all failures of a pass that kept going after its first one. `code` is
    "circularDependency", "missingDependency", "duplicateInitializer" or "initializerFailed"."""

    cycle: list[str]
    errors: list[Failure]
    dependency: str
    cause: Cause


_State = TypedDict("_State", {"error": Failure, "pass": int}, total=False)


class State(_State):
    """The state of launch, of active, or of both together. `state` is "pending", "complete", "failed" or "cancelled"."""

    state: str


class Group(TypedDict):
    """A group of initializers, of which at most `places` run at once."""

    name: str
    places: int


class StatusSource(TypedDict):
    path: str
    digest: str


_PassInFlight = TypedDict("_PassInFlight", {"pass": int, "phase": str})


class PassInFlight(_PassInFlight, total=False):
    """A pass in flight. `opened` is left out while an active pass waits for launch. `phase` is "launch" or "active"."""

    opened: float


class _Again(TypedDict):
    reason: str
    message: str


class Again(_Again, total=False):
    """Why an initializer runs again although an earlier supervisor has run it. `reason` is "secret", "stopped", "failed", "cancelled",
    "interrupted", "changed", "inputs", "stale", "expired", "perProcess", "checked", "inProcess", "once", "dependency" or "unrecorded"."""

    initializer: str


class Progress(TypedDict, total=False):
    """The last report of an initializer's run."""

    fraction: float
    message: str


class _Once(TypedDict):
    release: str


class Once(_Once, total=False):
    """The release for which an initializer runs once. `fence` is the fencing token of its last run on this host."""

    fence: int
    message: str


_Initializer = TypedDict(
    "_Initializer",
    {
        "after": list[str],
        "waitsFor": str,
        "process": str,
        "optional": bool,
        "group": str,
        "blockedBy": str,
        "skipped": Skipped,
        "again": Again,
        "stale": bool,
        "changed": bool,
        "run": int,
        "attempt": int,
        "attempts": int,
        "nextAttempt": float,
        "pass": int,
        "phase": str,
        "started": float,
        "duration": float,
        "firstStarted": float,
        "pid": int,
        "progress": Progress,
        "error": Failure,
        "killed": str,
        "once": Once,
    },
    total=False,
)


class Initializer(_Initializer):
    """An initializer, and its last run. `priority` is "appLaunch" or "appActive". `provider` is "inProcess", "command", "worker", "waitFor"
    or "process". `status` is "idle", "waiting", "running", "stopping", "complete", "failed", "cancelled", "notRun" or "skipped". `phase` is
    "launch" or "active"."""

    name: str
    priority: str
    dependencies: list[str]
    provider: str
    available: bool
    status: str


class _WorkerShape(TypedDict):
    client: str
    initializers: list[str]


class WorkerShape(_WorkerShape, total=False):
    """A connection that provides initializers."""

    pid: int


class _Status(TypedDict):
    seq: int
    time: float
    instance: str
    pid: int
    uptime: float
    subscribers: int
    processes: list[Process]
    lifecycle: str
    launch: State
    active: State
    composite: State
    holds: int
    concurrency: int
    inFlight: list[PassInFlight]
    initializers: list[Initializer]
    workers: list[WorkerShape]


class Status(_Status, total=False):
    """The complete state of a supervisor at one moment. `lifecycle` is "inactive" or "active"."""

    fence: int
    groups: list[Group]
    ports: dict[str, int]
    manifest: list[str]
    sources: list[StatusSource]
    watch: bool
    warnings: list[str]


_LogLine = TypedDict("_LogLine", {"attempt": int, "pass": int, "instance": str}, total=False)


class LogLine(_LogLine):
    """A line of output. It may contain control characters: escape them before you print it. `stream` is "stdout" or "stderr"."""

    time: float
    initializer: str
    run: int
    stream: str
    line: str


class _RunRecord(TypedDict):
    run: int
    initializer: str
    attempt: int
    ready: float
    started: float
    waitedFor: list[str]


class RunRecord(_RunRecord, total=False):
    """A run in the history. `outcome` is "complete", "failed" or "cancelled"."""

    attempts: int
    provided: float
    freedBy: str
    freed: float
    group: str
    waits: bool
    duration: float
    cpu: float
    polls: float
    outcome: str
    cause: Cause
    traceparent: str


_PassRecord = TypedDict("_PassRecord", {"pass": int, "phase": str, "started": float, "concurrency": int, "runs": list[RunRecord]})


class PassRecord(_PassRecord, total=False):
    """A pass in the history. `phase` is "launch" or "active". `outcome` is "complete", "failed" or "cancelled"."""

    opened: float
    duration: float
    outcome: str
    interrupted: bool
    error: Failure
    groups: list[Group]
    cores: float
    busy: float
    processes: float
    supervisor: float
    traceparent: str


class _InitializerTimes(TypedDict):
    name: str
    outcome: str
    attempts: int
    waited: float
    queued: float
    running: float
    backoff: float
    finished: float


class InitializerTimes(_InitializerTimes, total=False):
    """Where the time of an initializer in a pass went. `outcome` is "idle", "waiting", "running", "stopping", "complete", "failed",
    "cancelled", "notRun" or "skipped"."""

    cpu: float


_PassTimes = TypedDict(
    "_PassTimes",
    {
        "pass": int,
        "phase": str,
        "outcome": str,
        "started": float,
        "held": float,
        "duration": float,
        "initializers": list[InitializerTimes],
    },
)


class PassTimes(_PassTimes, total=False):
    """Where the time of a pass went. `phase` is "launch" or "active". `outcome` is "idle", "waiting", "running", "stopping", "complete",
    "failed", "cancelled", "notRun" or "skipped"."""

    instance: str
    interrupted: bool
    cores: float
    runs: int
    failedBy: str


class _UsualInitializer(TypedDict):
    name: str
    running: float


class UsualInitializer(_UsualInitializer, total=False):
    """How long an initializer usually takes."""

    cpu: float


class Usual(TypedDict):
    """How long a phase usually takes. `phase` is "launch" or "active"."""

    phase: str
    passes: int
    duration: float
    initializers: list[UsualInitializer]


_Launched = TypedDict("_Launched", {"pass": int, "launch": State})


class Launched(_Launched):
    """The answer to `launch`: the pass that it started or joined, else the last launch pass."""


_Activated = TypedDict("_Activated", {"pass": int, "active": State, "launch": State})


class Activated(_Activated, total=False):
    """The answer to `activate`: the pass that it started or joined, else the last active pass."""

    cancelGrace: float
    manager: str


class ConfigurationChangesChangeFiles(TypedDict):
    count: int
    example: str


class _Redefined(TypedDict):
    name: str
    keys: list[str]


class Redefined(_Redefined, total=False):
    """A changed initializer or process, with the changed keys in the manifest's words."""

    variables: list[str]
    files: ConfigurationChangesChangeFiles


class _Finding(TypedDict):
    file: str
    line: int
    column: int
    severity: str
    message: str


class Finding(_Finding, total=False):
    """A mistake in a configuration, or a warning about it. `severity` is "error" or "warning"."""

    suggestion: str


class _Reloaded(TypedDict):
    added: list[str]
    changed: list[Redefined]
    removed: list[str]
    unchanged: int


class Reloaded(_Reloaded, total=False):
    """The answer to `reload`: the differences. `unchanged` is how many initializers and processes stay as they are."""

    fromNextRun: list[Redefined]
    settings: list[str]
    warnings: list[Finding]


class Standing(TypedDict):
    """An initializer that a request couldn't be applied to, and its status. `status` is "idle", "waiting", "running", "stopping",
    "complete", "failed", "cancelled", "notRun" or "skipped"."""

    name: str
    status: str


_Event = TypedDict(
    "_Event",
    {
        "seq": int,
        "time": float,
        "changed": list[str],
        "launch": State,
        "active": State,
        "composite": State,
        "lifecycle": str,
        "fence": int,
        "pass": int,
        "phase": str,
        "status": str,
        "dropped": int,
        "snapshot": Status,
        "initializer": Any,
        "run": int,
        "attempt": int,
        "instance": str,
        "stream": str,
        "line": str,
        "removed": bool,
        "worker": WorkerShape,
        "connected": bool,
        "process": Process,
    },
    total=False,
)


class Event(_Event):
    """An event. `topic` says which members it has; `initializer` is an `Initializer`, or in log lines a name. `topic` is "state", "pass",
    "lagged", "snapshot", "shutdown", "log", "initializer" or "worker". `changed` has "launch", "active", "composite", "lifecycle",
    "initializer", "pass", "worker" or "log". `lifecycle` is "inactive" or "active". `phase` is "launch" or "active". `status` is "started",
    "complete", "failed" or "cancelled". `stream` is "stdout" or "stderr"."""

    topic: str
