"""The documented shapes of messages. Every message that a `Peer` receives is checked here.

Undocumented members are allowed; documented ones must be present with the right types. Members without a value are left out, so null
appears only as the id of some errors, and in the result of `ping`.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Callable, Optional

STATUSES = {"idle", "waiting", "running", "stopping", "complete", "failed", "cancelled", "notRun", "skipped"}
REASONS = {"deactivated", "timeout", "failed", "unregistered", "shutdown", "operator"}
STATE_TOPICS = ["launch", "active", "composite", "lifecycle"]
DATA_CODES = {
    -32001: "unsupportedProtocol",
    -32002: "nameConflict",
    -32003: "timeout",
    -32004: "unknownInitializer",
    -32005: "notPermitted",
    -32006: "shuttingDown",
    -32007: "limitExceeded",
    -32009: "notRunning",
    -32010: "inactive",
    -32011: "invalidManifest",
    -32012: "unreadableManifest",
}


def loads(payload: bytes) -> Any:
    """Checks that a text is one strict JSON value."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        assert len(members) == len(pairs), f"a member twice in {payload!r}"
        return members

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} in {payload!r}")

    try:
        return json.loads(payload.decode("utf-8"), object_pairs_hook=unique, parse_constant=refuse)
    except ValueError as error:
        raise AssertionError(f"not JSON: {payload[:2000]!r}: {error}") from None


def decode(payload: bytes) -> dict[str, Any]:
    """A JSON-RPC 2.0 message that this protocol defines."""
    message = loads(payload)
    need(isinstance(message, dict) and message.get("jsonrpc") == "2.0", "a message of JSON-RPC 2.0", message)
    if "method" in message:
        need(message["method"] in METHODS, "a method of the supervisor's", message)
        params = members(message["params"], dict, message)
        METHODS[message["method"]](params)
        if message["method"] in ("run", "claim", "complete"):
            need(type(message.get("id")) in (int, str), "an id", message)
        else:
            need("id" not in message, "a notification", message)
    else:
        need("id" in message and ("result" in message) != ("error" in message), "an answer", message)
        if "error" in message:
            check_refusal(message["error"])
            need(message["id"] is not None or message["error"]["code"] in (-32700, -32600, -32005, -32007), "an error with an id", message)
    return message


def need(condition: bool, what: str, value: Any) -> None:
    """Fails with the expected and the actual value."""
    if not condition:
        raise AssertionError(f"expected {what}: {value!r}")


def members(value: Any, kind: Any, whole: Any = None) -> Any:
    """Checks that the type of `value` is `kind`. Numbers may be written as integers; a boolean isn't a number."""
    kinds = (int, float) if kind is float else kind
    need(isinstance(value, kinds) and (kind is bool or not isinstance(value, bool)), f"a {kind.__name__}", (value, whole))
    return value


def has(value: dict[str, Any], required: dict[str, Any], optional: Optional[dict[str, Any]] = None) -> None:
    """Checks that `value` has the required members, and the types of all members."""
    members(value, dict)
    for name, kind in required.items():
        need(name in value, f"a member {name}", value)
        members(value[name], kind, value)
    for name, kind in (optional or {}).items():
        if name in value:
            members(value[name], kind, value)


def check_refusal(error: Any) -> None:
    has(error, {"code": int, "message": str}, {"data": dict})
    if (name := DATA_CODES.get(error["code"])) is not None:
        need(error.get("data", {}).get("code") == name, f"data.code {name}", error)
    if error["code"] == -32003:
        check_status(error["data"]["status"])
    if error["code"] == -32011:
        need(bool(error["data"]["findings"]), "a finding", error)
        for each in error["data"]["findings"]:
            check_finding(each)


def check_state(state: Any) -> None:
    has(state, {"state": str}, {"pass": int})
    need(state["state"] in ("pending", "complete", "failed"), "a state", state)
    need(("error" in state) == (state["state"] == "failed"), "an error where it failed, and only there", state)
    if "error" in state:
        check_error(state["error"])


def check_error(error: Any) -> None:
    has(error, {"code": str, "initializer": str, "message": str}, {"errors": list})
    for each in error.get("errors", []):
        need("errors" not in each, "single errors in a list of errors", error)
        check_error(each)
    match error["code"]:
        case "circularDependency":
            has(error, {"cycle": list})
            cycle = error["cycle"]
            need(len(cycle) >= 2 and cycle[0] == cycle[-1] and error["initializer"] in cycle, "a closed cycle", error)
        case "missingDependency":
            has(error, {"dependency": str})
        case "duplicateInitializer":
            pass
        case "initializerFailed":
            has(error, {"cause": dict})
            check_cause(error["cause"])
        case other:
            need(False, "an error code of the page", other)


def check_cause(cause: Any) -> None:
    has(cause, {"kind": str})
    match cause["kind"]:
        case "error" | "notFound":
            has(cause, {"message": str})
        case "exit":
            has(cause, {"status": int})
        case "signal":
            has(cause, {"signal": str})
            need(cause["signal"].startswith("SIG"), "a signal's name", cause)
        case "timeout":
            has(cause, {"after": float}, {"message": str})
        case "workerLost":
            pass
        case "operator":
            has(cause, {"user": str})
        case other:
            need(False, "a kind of cause of the page", other)


def check_initializer(each: Any) -> None:
    has(
        each,
        {"name": str, "priority": str, "dependencies": list, "provider": str, "available": bool, "status": str},
        {
            "waitsFor": str,
            "process": str,
            "optional": bool,
            "stale": bool,
            "changed": bool,
            "blockedBy": str,
            "run": int,
            "attempt": int,
            "pass": int,
            "phase": str,
            "started": float,
            "duration": float,
            "attempts": int,
            "nextAttempt": float,
            "firstStarted": float,
            "pid": int,
            "progress": dict,
            "error": dict,
            "skipped": dict,
            "group": str,
        },
    )
    need(each["priority"] in ("appLaunch", "appActive"), "a priority", each)
    need(all(isinstance(name, str) for name in each["dependencies"]), "names", each)
    need(each["provider"] in ("inProcess", "command", "worker", "waitFor", "process"), "a provider", each)
    need("process" not in each or each["provider"] == "worker", "the process that registers it", each)
    need(("waitsFor" in each) == (each["provider"] in ("waitFor", "process")), "what it waits for, if that is its work", each)
    need(each["status"] in STATUSES, "a status", each)
    need(each.get("phase", "launch") in ("launch", "active"), "a phase", each)
    if "progress" in each:
        has(each["progress"], {}, {"fraction": float, "message": str})
        need(0 <= each["progress"].get("fraction", 0) <= 1, "a fraction", each)
    if "error" in each:
        check_error(each["error"])
    if "skipped" in each:
        has(each["skipped"], {"reason": str, "message": str})
    need("skipped" in each or each["status"] != "skipped", "a reason where it was skipped", each)
    if each["status"] == "failed":
        need("error" in each, "an error where it failed", each)
    if "stale" in each:
        need(each["stale"] and each["status"] == "complete", "only what is complete to be stale", each)
    if "changed" in each:
        need(each["changed"] and each["status"] == "failed", "only what failed to be changed", each)
    if "pid" in each:
        need(each["provider"] == "command" and each["status"] in ("running", "stopping"), "a pid of a command that runs", each)


def check_worker(worker: Any) -> None:
    has(worker, {"client": str, "initializers": list}, {"pid": int})


def check_process(process: Any) -> None:
    has(process, {"name": str, "restarts": int, "givenUp": bool}, {"pid": int, "uptime": float, "lastExit": dict, "nextStart": float, "skipped": dict})
    if "skipped" in process:
        has(process["skipped"], {"reason": str, "message": str})
    need(("pid" in process) == ("uptime" in process), "an uptime while it runs, and only then", process)
    need("pid" not in process or not ("nextStart" in process or process["givenUp"]), "nothing to come while it runs", process)
    if "lastExit" in process:
        check_cause(process["lastExit"])


def check_status(status: Any) -> None:
    has(
        status,
        {
            "seq": int,
            "time": float,
            "instance": str,
            "pid": int,
            "uptime": float,
            "subscribers": int,
            "lifecycle": str,
            "launch": dict,
            "active": dict,
            "composite": dict,
            "holds": int,
            "concurrency": int,
            "initializers": list,
            "inFlight": list,
            "workers": list,
            "processes": list,
        },
        {"warnings": list, "fence": int},
    )
    need(status["time"] > 1.7e9 and status["uptime"] >= 0, "seconds since the epoch, and an uptime", status)
    check_states(status)
    for each in status["initializers"]:
        check_initializer(each)
    for each in status["inFlight"]:
        has(each, {"pass": int, "phase": str}, {"opened": float})
    for each in status["workers"]:
        check_worker(each)
    for each in status["processes"]:
        check_process(each)
    no_null(status)


def check_states(record: dict[str, Any]) -> None:
    """A record of one moment: both states, the lifecycle, and the composite derived from them (S1)."""
    need(record["lifecycle"] in ("inactive", "active"), "a lifecycle", record)
    for name in ("launch", "active", "composite"):
        check_state(record[name])
    need(composite(record["launch"], record["active"]) == bare(record["composite"]), "the composite that follows (S1)", record)


def bare(state: dict[str, Any]) -> dict[str, Any]:
    """Returns a State without its pass."""
    return {name: value for name, value in state.items() if name != "pass"}


def composite(launch: dict[str, Any], active: dict[str, Any]) -> dict[str, Any]:
    """The composite state, derived from both by S1."""
    for state in (launch, active):
        if state["state"] == "failed":
            return bare(state)
    return {"state": "complete" if launch["state"] == active["state"] == "complete" else "pending"}


def check_event(event: Any) -> None:
    has(event, {"topic": str})
    topic = event["topic"]
    if topic in ("lagged", "snapshot", "shutdown"):
        need("seq" not in event, "no seq", event)
        if topic == "lagged":
            has(event, {"dropped": int})
        if topic == "snapshot":
            check_status(event["snapshot"])
        return
    has(event, {"seq": int, "time": float})
    match topic:
        case "state":
            has(event, {"changed": list, "launch": dict, "active": dict, "composite": dict, "lifecycle": str}, {"fence": int})
            need(event["changed"] and set(event["changed"]) <= set(STATE_TOPICS), "what changed", event)
            check_states(event)
        case "initializer":
            check_initializer(event["initializer"])
        case "pass":
            has(event, {"pass": int, "phase": str, "status": str})
            need(event["phase"] in ("launch", "active"), "a phase", event)
            need(event["status"] in ("started", "complete", "failed", "cancelled"), "a pass's status", event)
        case "worker" if "process" in event:
            check_process(event["process"])
            need(event.get("removed", True) is True, "removed is true or left out", event)
        case "worker":
            has(event, {"worker": dict, "connected": bool})
            check_worker(event["worker"])
        case "log":
            check_line(event)
        case _:
            need(False, "a topic of the page", event)
    no_null(event)


def check_line(line: Any) -> None:
    has(line, {"time": float, "initializer": str, "run": int, "stream": str, "line": str})
    need(line["stream"] in ("stdout", "stderr"), "a stream", line)


def check_run(params: Any) -> None:
    has(params, {"run": int, "initializer": str, "pass": int, "phase": str, "attempt": int, "traceparent": str}, {"timeout": float, "inputs": dict})
    need(re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]", params["traceparent"]), "a trace context", params)
    need(params["phase"] in ("launch", "active"), "a phase", params)
    need(params.get("inputs") != {}, "inputs left out where there are none", params)
    no_null({name: each for name, each in params.items() if name != "inputs"})


def check_cancel(params: Any) -> None:
    has(params, {"run": int, "reason": str})
    need(params["reason"] in REASONS, "a reason of the page", params)


def check_pass(each: Any) -> None:
    has(each, {"pass": int, "phase": str, "runs": list}, {"started": float, "duration": float, "outcome": str})
    need(each.get("outcome", "complete") in ("complete", "failed", "cancelled"), "an outcome", each)
    for run in each["runs"]:
        has(
            run,
            {"run": int, "initializer": str, "attempt": int},
            {"ready": float, "started": float, "duration": float, "outcome": str, "waitedFor": list},
        )


def check_claim(claim: dict[str, Any]) -> None:
    has(
        claim,
        {"run": int, "initializer": str, "release": str, "pass": int, "phase": str, "attempt": int, "secret": bool},
        {"timeout": float},
    )
    need(claim["phase"] in ("launch", "active"), "a phase", claim)


def check_unclaim(unclaim: dict[str, Any]) -> None:
    has(unclaim, {"run": int, "outcome": str, "stopped": bool}, {"message": str})
    need(unclaim["outcome"] in ("failed", "cancelled"), "an outcome", unclaim)


# The messages of the supervisor.
METHODS: dict[str, Callable[[dict[str, Any]], None]] = {
    "event": check_event,
    "run": check_run,
    "cancel": check_cancel,
    "claim": check_claim,
    "complete": lambda complete: has(complete, {"run": int, "secret": bool}),
    "unclaim": check_unclaim,
}


def check_result(method: Optional[str], result: Any) -> None:
    """Checks the result of a request of this method."""
    if method is None or method == "ping":
        return
    need(isinstance(result, dict), "an object", result)
    no_null(result)
    match method:
        case "hello":
            has(result, {"protocol": int, "server": dict, "instance": str, "pid": int, "limits": dict})
            has(result["server"], {"name": str, "version": str})
            has(result["limits"], {"frameBytes": int})
        case "status":
            check_status(result)
        case "launch":
            has(result, {"launch": dict}, {"pass": int})
            check_state(result["launch"])
        case "activate":
            has(result, {"active": dict, "launch": dict}, {"pass": int, "cancelGrace": float, "manager": str})
            check_state(result["active"])
            check_state(result["launch"])
        case "deactivate":
            has(result, {"cancelled": list})
        case "subscribe":
            check_status(result["snapshot"])
        case "wait":
            if result.get("state") != "cancelled":
                check_state(result)
        case "coordinate":
            has(result, {"cancelGrace": float, "once": list})
            for each in result["once"]:
                has(each, {"initializer": str, "release": str})
        case "register":
            has(result, {"registered": list})
        case "reload":
            check_reload(result)
        case "logs":
            for line in members(result.get("lines"), list):
                check_line(line)
        case "history":
            for each in members(result.get("passes"), list):
                check_pass(each)


def check_finding(finding: Any) -> None:
    has(finding, {"file": str, "line": int, "column": int, "severity": str, "message": str}, {"suggestion": str})
    need(finding["severity"] in ("error", "warning"), "a severity", finding)


def check_reload(result: Any) -> None:
    has(result, {"added": list, "changed": list, "removed": list, "unchanged": int}, {"fromNextRun": list, "settings": list, "warnings": list})
    for each in result["changed"] + result.get("fromNextRun", []):
        has(each, {"name": str, "keys": list})
        need(bool(each["keys"]), "a key that differs", each)
    for each in result.get("warnings", []):
        check_finding(each)
    names = result["added"] + [each["name"] for each in result["changed"]] + result["removed"]
    need(len(names) == len(set(names)), "each name once", result)


def no_null(value: Any) -> None:
    """Checks that members without a value are left out."""
    if isinstance(value, dict):
        for name, each in value.items():
            need(each is not None, f"{name} left out rather than null", value)
            no_null(each)
    elif isinstance(value, list):
        for each in value:
            no_null(each)
    elif isinstance(value, float):
        need(math.isfinite(value), "a number", value)
