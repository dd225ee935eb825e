"""The descriptions of the protocol's members, for the comments in the types of the clients that have comments."""

from __future__ import annotations

from typing import Optional

import schema
from schema import Definition, Member

DESCRIPTIONS: dict[str, dict[str, str]] = {
    "Status": {
        "seq": "The number of the last event; 0 before the first.",
        "time": "The time at which the status was read.",
        "instance": "Identifies one execution of a supervisor: in another one, passes and runs count from 1 again.",
        "pid": "The process id of the supervisor.",
        "uptime": "The time since the supervisor's start.",
        "subscribers": "How many connections get events.",
        "lifecycle": "Whether the app is active.",
        "launch": "The state of launch.",
        "active": "The state of active.",
        "composite": "The state of both phases: failed if one has failed, complete if both are, otherwise pending.",
        "holds": "How many connections hold the app active.",
        "fence": "The fencing token of the client that holds the app active with a lease.",
        "concurrency": "How many initializers may run at once.",
        "groups": "The groups of initializers of which only some run at once.",
        "inFlight": "The passes that haven't ended.",
        "initializers": "The initializers, in the order of registration.",
        "workers": "The connections that provide initializers, oldest first.",
        "processes": "The processes that the supervisor keeps running, in the manifest's order.",
        "warnings": "Problems of the supervisor itself, for people.",
    },
    "Status.State": {
        "state": "Which state it is; cancelled only as the answer of some waits.",
        "pass": "The phase's newest pass, if there has been one. The composite state has none.",
        "error": "Why the phase, the pass or the initializer failed.",
    },
    "Status.Group": {
        "name": "The name of the group.",
        "places": "How many initializers of the group may run at once.",
    },
    "Status.PassInFlight": {
        "pass": "The number of the pass.",
        "phase": "The phase of the pass.",
        "opened": "The time at which its runs could begin. It is missing while an active pass waits for launch.",
    },
    "Status.Worker": {
        "client": "The name of the client.",
        "pid": "The process id of the client, if it is known.",
        "initializers": "The names of the initializers that it provides.",
    },
    "Status.Process": {
        "name": "The name of the process in the manifest.",
        "pid": "The process id, while the process runs.",
        "uptime": "The time since the last start, while the process runs.",
        "restarts": "How often the process was restarted.",
        "lastExit": "How the process last exited, even if the status was 0, or why it couldn't be started.",
        "nextStart": "The time of the next restart.",
        "givenUp": "Whether the process exited too often, and isn't restarted before the next launch or activate.",
        "skipped": "Why the process isn't started although nothing has failed.",
    },
    "Initializer": {
        "name": "The name of the initializer.",
        "priority": "When the initializer runs.",
        "dependencies": "The initializers that must be complete before this one.",
        "after": "The initializers of the same phase that must end before this one starts.",
        "provider": "What runs the initializer.",
        "waitsFor": "The target that a provider of the kind waitFor or process waits for, e.g. localhost:5432.",
        "process": "The process of the supervisor that registers the initializer.",
        "available": "Whether the initializer can run now, e.g. whether its worker is connected.",
        "status": "The initializer's current state, or its last outcome.",
        "optional": "Whether the pass continues if the initializer fails.",
        "group": "The group of which only some initializers run at once.",
        "blockedBy": "The initializer whose failure prevented or stopped this one.",
        "skipped": "Why the initializer isn't run although nothing has failed.",
        "again": "Why the initializer runs again although an earlier supervisor has run it.",
        "stale": "Whether the initializer is complete, but a dependency has run since then.",
        "changed": "Whether the initializer has failed, and a reload has changed its work since then.",
        "run": "The number of the last run.",
        "attempt": "The number of that run's attempt in its pass, from 1.",
        "attempts": "How many attempts there may be, if more than one.",
        "nextAttempt": "The start of the next attempt, while the initializer waits for it.",
        "pass": "The pass of the last run.",
        "phase": "The phase of that pass.",
        "started": "The start of the run.",
        "duration": "The duration of the run, once it has ended.",
        "firstStarted": "The start of the first attempt in that pass, if the run is a later attempt.",
        "pid": "The process id of its command, while the command runs.",
        "progress": "The last report of the run.",
        "error": "Why the last attempt failed.",
        "killed": "Why the command was killed after its timeout, for people.",
        "once": "Present if the initializer runs once for a release.",
    },
    "Initializer.Skip": {
        "reason": "Why it is skipped.",
        "message": "The reason, for people.",
    },
    "Initializer.Again": {
        "reason": "Why it runs again.",
        "initializer": "The dependency that is the reason.",
        "message": "The reason, for people.",
    },
    "Initializer.Progress": {
        "fraction": "From 0 to 1.",
        "message": "A message for people.",
    },
    "Initializer.Once": {
        "release": "The release for which the initializer runs once.",
        "fence": "The fencing token of its last run on this host.",
        "message": "Says that another host has run it, for people.",
    },
    "InitializationError": {
        "code": "The kind of the failure.",
        "initializer": "The initializer that caused it.",
        "dependency": "The dependency that isn't declared.",
        "cycle": "The names of a dependency cycle; the first one is repeated at the end.",
        "cause": "Why the run of the initializer failed.",
        "message": "The message for people.",
        "errors": "All failures of a pass that kept going after its first one, including the first one.",
    },
    "Cause": {
        "kind": "The kind of the cause.",
        "message": "The message of an error, why a program can't be started, or the last message before a timeout.",
        "status": "The exit status.",
        "signal": "The signal that ended the process, e.g. SIGKILL.",
        "after": "The timeout that has passed.",
        "user": "The user that has cancelled the run.",
    },
    "LogLine": {
        "time": "The time at which the line was written.",
        "initializer": "The initializer whose command has written the line, or the process.",
        "run": "The number of the run, or of the start of the process.",
        "attempt": "The number of the attempt. A line of a process or of a stop command has none.",
        "pass": "The number of the pass, if the line was written in one.",
        "instance": "The earlier supervisor that executed the attempt.",
        "stream": "The stream that the line was written to.",
        "line": "The line, without its newline.",
    },
    "LaunchRequest.Result": {
        "pass": "The number of the requested pass.",
        "launch": "The state of launch after the request.",
    },
    "ActivateRequest.Result": {
        "active": "The state of active after the request. Only an activation has it.",
        "cancelGrace": "How long a cancelled run may take to stop, if the client holds the app with a lease.",
        "manager": "The client that decides when the app is active.",
    },
    "HistoryRequest": {
        "limit": "How many passes; the default is 1.",
        "pass": "The number of the only pass.",
        "phase": "Only the passes of this phase.",
        "inFlight": "Whether passes that haven't ended are included.",
        "summaries": "Whether the result has Summaries instead of Passes.",
        "usual": "Whether the result also has Usual.",
    },
    "HistoryRequest.Result": {
        "passes": "The passes with their runs, the newest last.",
        "summaries": "Where the time of the passes went.",
        "usual": "How long the phases usually take.",
    },
    "Pass": {
        "pass": "The number of the pass.",
        "phase": "The phase of the pass.",
        "started": "The time at which the pass was requested.",
        "opened": "The time at which its runs could begin. It is missing if they couldn't.",
        "duration": "The duration of the pass, once it has ended.",
        "outcome": "The outcome of the pass. It is missing while the pass is in flight.",
        "interrupted": "Whether an earlier supervisor ended during the pass.",
        "error": "Why the pass failed.",
        "concurrency": "How many initializers could run at once.",
        "groups": "The groups of initializers of which only some could run at once.",
        "cores": "How many cores the runs of the pass could use, if it is known.",
        "busy": "The CPU time that everything used on these cores, if it is known.",
        "processes": "The CPU time that kept processes used outside of their starts, if it is known.",
        "supervisor": "The CPU time that the supervisor itself used, if it is known.",
        "traceparent": "The trace context of the supervisor's environment, if the pass belongs to its trace.",
        "runs": "The runs of the pass, in the order in which they ended. Each attempt is a run.",
    },
    "Pass.Run": {
        "run": "The number of the run.",
        "initializer": "The initializer of the run.",
        "attempt": "The number of the attempt, from 1.",
        "attempts": "How many attempts there may be, if more than one.",
        "ready": "The time at which its dependencies had completed, or its pass could begin.",
        "provided": "The time at which its worker had registered it.",
        "freedBy": "The initializer of the run that freed a place for this run.",
        "freed": "The time at which that run freed the place.",
        "group": "The group of which only some initializers run at once.",
        "waits": "True if the run only waited, and took no place of the concurrency.",
        "started": "The start of the run.",
        "duration": "The duration of the run, once it has ended.",
        "cpu": "The CPU time of the run, if it is known.",
        "polls": "The pause between two tries, if the run is a command that waits in a loop until something holds.",
        "outcome": "The outcome of the run. It is missing while the run is in flight.",
        "cause": "Why the run failed.",
        "traceparent": "The trace context that its command or worker got.",
        "waitedFor": "The dependencies that completed in its pass.",
    },
    "Pass.Times": {
        "instance": "The earlier supervisor that executed the pass.",
        "pass": "The number of the pass.",
        "phase": "The phase of the pass.",
        "outcome": "The outcome of the pass, or that it is running.",
        "interrupted": "Whether that supervisor ended during the pass.",
        "started": "The time at which the pass was requested.",
        "held": "The time from its start to its opening.",
        "duration": "The time from its opening to its end.",
        "cores": "How many cores the runs of the pass could use, if it is known.",
        "runs": "How many runs the pass had.",
        "failedBy": "The initializer whose failure failed the pass.",
        "initializers": "Where the time of each initializer went.",
    },
    "Pass.InitializerTimes": {
        "name": "The name of the initializer.",
        "outcome": "The outcome of the initializer in the pass.",
        "attempts": "How many attempts it had.",
        "waited": "The time from the opening of the pass until its dependencies had completed.",
        "queued": "The time from then to its first attempt.",
        "running": "The time of all attempts.",
        "cpu": "The CPU time of all attempts, if it is known.",
        "backoff": "The time of all pauses between attempts.",
        "finished": "The time from the opening of the pass to its end.",
    },
    "Usual": {
        "phase": "The phase.",
        "passes": "How many passes were compared.",
        "duration": "The median of their durations.",
        "initializers": "The medians of their initializers.",
    },
    "ReloadRequest": {
        "dryRun": "Whether nothing changes: the result says what would change.",
        "withDependents": "Whether the dependents of initializers that run again also run again. Otherwise they become stale.",
    },
    "ConfigurationChanges": {
        "added": "The names of new initializers and processes.",
        "changed": "The initializers and processes whose work differs.",
        "removed": "The names that are gone.",
        "unchanged": "How many others there are.",
        "fromNextRun": "The unchanged ones with a changed setting that takes effect at the next run, e.g. the timeout.",
        "settings": "The changed settings of the supervisor, in the manifest's words.",
        "warnings": "Valid but probably unintended parts of the configuration.",
    },
    "ConfigurationChanges.Change": {
        "name": "The name of the initializer or the process.",
        "keys": "The changed keys, in the manifest's words.",
        "variables": "If `environment` is one of them: which variables differ.",
    },
    "ConfigurationChanges.Finding": {
        "file": "The path of the file.",
        "line": "The line, from 1.",
        "column": "The column, from 1.",
        "severity": "The severity.",
        "message": "The message for people.",
        "suggestion": "How to correct it.",
    },
    "Status.Event": {
        "seq": "The number of the event. Gaps are events of other topics.",
        "topic": "The topic, which says which other members are present.",
        "time": "The time of the change.",
        "changed": "The changed states.",
        "launch": "The state of launch.",
        "active": "The state of active.",
        "composite": "The state of both phases.",
        "lifecycle": "Whether the app is active.",
        "fence": "The fencing token of the client that holds the app active with a lease.",
        "pass": "The number of the pass.",
        "phase": "The phase of the pass.",
        "status": "The new status of the pass.",
        "dropped": "How many events were missed.",
        "snapshot": "The complete status.",
        "initializer": "The newest shape of the initializer, or its last shape if it was removed.",
        "removed": "Whether it was removed; then this is its last shape.",
        "worker": "The worker, with the names that it provides, or has provided.",
        "connected": "Whether the worker is connected. A worker that is connected without names isn't a worker any more.",
        "process": "The newest shape of the process.",
    },
}  # fmt: skip


def check(definitions: dict[str, Definition]) -> None:
    """Fails if a member that is described here doesn't exist any more."""
    for name, described in DESCRIPTIONS.items():
        sources = [definitions[each] for each in definitions[name].variants or [name]]
        if unknown := described.keys() - {member.name for source in sources for member in source.members}:
            raise ValueError(f"{name} has no member {min(unknown)} any more; correct clients/types/descriptions.py")


def describe(definition: Definition, member: Member) -> Optional[str]:
    """The description of a member, if there is one. The variants of a definition have those of the definition."""
    for name in [definition.name, definition.name.rpartition(".")[0]]:
        if found := DESCRIPTIONS.get(name, {}).get(member.name):
            return found
    return None


def words(member: Member) -> list[str]:
    """The known words of a member that is a text or a list of texts; empty if it can be any."""
    return schema.words(member.form.get("items", member.form))
