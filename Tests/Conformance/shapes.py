"""Checks the messages of the supervisor. Every message that a `Peer` receives is checked here.

The members and their types are those of clients/protocol.schema.json, which `initctl schema --protocol` of the same commit prints. So a
member that the schema doesn't have is an error here, and so is a word that it doesn't list, although a client accepts both. The rules
here are those that a schema can't express: relations between members, ranges, and members that only some messages have.
"""

from __future__ import annotations

import json
import pathlib
import re
import sys
from typing import Any, Callable, Optional

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "clients/types"))

import schema  # noqa: E402
from schema import Definition, Form  # noqa: E402

DEFINITIONS = {name: schema.sent(each) for name, each in schema.read().items()}
FORMS = {name: {member.name: member.form for member in each.members} for name, each in DEFINITIONS.items()}
REQUIRED = {name: {member.name for member in each.members if member.required} for name, each in DEFINITIONS.items()}
METHODS = schema.methods()
REQUESTS = {"run", "claim", "complete"}
NOTIFICATIONS = {"event", "cancel", "unclaim"}
"""The messages of the supervisor, other than answers."""

STATE_TOPICS = ["launch", "active", "composite", "lifecycle"]
DATA = {
    -32001: ("unsupportedProtocol", "supported"),
    -32002: ("nameConflict", None),
    -32003: ("timeout", "status"),
    -32004: ("unknownInitializer", None),
    -32005: ("notPermitted", None),
    -32006: ("shuttingDown", None),
    -32007: ("limitExceeded", "limit"),
    -32009: ("notRunning", "initializers"),
    -32010: ("inactive", None),
    -32011: ("invalidManifest", "findings"),
    -32012: ("unreadableManifest", None),
}
"""The `code` in the data of an error, and the other member of the data."""

EXACT, LARGEST = 2**53 - 1, 10**12
"""The largest integer of a message, and its largest other number."""
WIDE = (".fence",)
"""Integers with 64 bits: the fencing tokens."""


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
        method = message["method"]
        need(method in REQUESTS | NOTIFICATIONS, "a method of the supervisor's", message)
        need(set(message) == {"jsonrpc", "method", "params"} | ({"id"} if method in REQUESTS else set()), "its members", message)
        need(method in NOTIFICATIONS or type(message["id"]) in (int, str), "an id", message)
        check_form(METHODS[method]["params"], message["params"], "params", message)
    else:
        need(set(message) in ({"jsonrpc", "id", "result"}, {"jsonrpc", "id", "error"}), "an answer", message)
        if "error" in message:
            check("WireError", message["error"], "error")
            need(message["id"] is not None or message["error"]["code"] in (-32700, -32600, -32005, -32007), "an error with an id", message)
    return message


def check_result(method: Optional[str], result: Any) -> None:
    """Checks the result of a request of this method."""
    if method is None:
        return
    need(method in METHODS, "a method of the schema", method)
    check_form(METHODS[method]["result"], result, "result", result)


def need(condition: object, what: str, value: Any) -> None:
    """Fails with the expected and the actual value."""
    if not condition:
        raise AssertionError(f"expected {what}: {value!r}")


def check(name: str, value: Any, path: str = "") -> None:
    """Checks that a value is what the schema defines by this name, e.g. `Status.State`, and follows the rules that a schema can't express."""
    path = path or name
    need(isinstance(value, dict), f"{path}: an object", value)
    each = DEFINITIONS[name]
    if each.variants:
        check(variant(each, value, path), value, path)
    else:
        forms = FORMS[name]
        if unknown := value.keys() - forms.keys():
            raise AssertionError(f"expected {path}: the members of {name}, without {', '.join(unknown)}: {value!r}")
        if missing := REQUIRED[name] - value.keys():
            raise AssertionError(f"expected {path}: a member {', '.join(missing)}: {value!r}")
        for member, inner in value.items():
            check_form(forms[member], inner, f"{path}.{member}", value)
    if rule := RULES.get(name):
        rule(value)


def variant(each: Definition, value: dict[str, Any], path: str) -> str:
    """The name of the variant whose only word, e.g. of its `kind`, the value has."""
    for name in each.variants:
        if all(value.get(member.name) in member.form["enum"] for member in DEFINITIONS[name].members if "enum" in member.form):
            return name
    raise AssertionError(f"expected {path}: one of {', '.join(each.variants)}: {value!r}")


def check_form(form: Form, value: Any, path: str, whole: Any) -> None:
    """Checks a value, which `whole` contains. Null is never a value: a member without a value is left out."""
    if "$ref" in form:
        return check(schema.target(form), value, path)
    kind = form.get("type")
    if kind == "array":
        good, what = isinstance(value, list), "a list"
    elif kind == "string":
        known = schema.words(form)
        good, what = isinstance(value, str) and (not known or value in known), known or "a string"
    elif kind == "integer":
        limit = 2**63 if path.endswith(WIDE) else EXACT
        good, what = type(value) is int and -limit <= value <= limit, "an integer"
    elif kind == "number":
        good, what = type(value) in (int, float) and -LARGEST <= value <= LARGEST, "a number"
    elif kind == "boolean":
        good, what = isinstance(value, bool), "a boolean"
    elif kind == "object":
        good, what = isinstance(value, dict), "an object"
    else:
        good, what = not form, f"a form that is known here, not {form}"
    if not good:
        raise AssertionError(f"expected {path}: {what}: {whole!r}")
    if kind == "array":
        for index, inner in enumerate(value):
            check_form(form["items"], inner, f"{path}[{index}]", whole)
    elif kind == "object":
        for name, inner in value.items():
            check_form(form.get("additionalProperties", {}), inner, f"{path}.{name}", whole)


def check_refusal(error: dict[str, Any]) -> None:
    name, member = DATA.get(error["code"], (None, None))
    data = error.get("data", {})
    need(data.get("code") == name, f"data.code {name}", error)
    need(data.keys() - {"code"} == ({member} if member else set()), f"data with {member}", error)
    need(data.get("findings", True) and data.get("initializers", True), "one at least", error)


def check_state(state: dict[str, Any]) -> None:
    need(("error" in state) == (state["state"] == "failed"), "an error where it failed, and only there", state)


def check_error(error: dict[str, Any]) -> None:
    need(not any("errors" in each for each in error.get("errors", [])), "single errors in a list of errors", error)
    if (cycle := error.get("cycle")) is not None:
        need(len(cycle) >= 2 and cycle[0] == cycle[-1] and error["initializer"] in cycle, "a closed cycle", error)


def check_initializer(each: dict[str, Any]) -> None:
    status = each["status"]
    need("process" not in each or each["provider"] == "worker", "the process that registers it", each)
    need(("waitsFor" in each) == (each["provider"] in ("waitFor", "process")), "what it waits for, if that is its work", each)
    need("skipped" in each or status != "skipped", "a reason where it was skipped", each)
    need("error" in each or status != "failed", "an error where it failed", each)
    need("stale" not in each or (each["stale"] and status == "complete"), "only what is complete to be stale", each)
    need("changed" not in each or (each["changed"] and status == "failed"), "only what failed to be changed", each)
    need(each.get("optional", True), "optional left out unless it is true", each)
    need("pid" not in each or (each["provider"] == "command" and status in ("running", "stopping")), "a pid of a command that runs", each)


def check_process(process: dict[str, Any]) -> None:
    need(("pid" in process) == ("uptime" in process), "an uptime while it runs, and only then", process)
    need("pid" not in process or not ("nextStart" in process or process["givenUp"]), "nothing to come while it runs", process)


def check_status(status: dict[str, Any]) -> None:
    need(status["time"] > 1.7e9 and status["uptime"] >= 0, "seconds since the epoch, and an uptime", status)
    check_states(status)


def check_states(record: dict[str, Any]) -> None:
    """A record of one moment: both states, and the composite derived from them (S1)."""
    check_phases(record)
    need(composite(record["launch"], record["active"]) == bare(record["composite"]), "the composite that follows (S1)", record)


def check_phases(record: dict[str, Any]) -> None:
    """The states of phases: only the outcome of a pass, or of an initializer, can be cancelled."""
    need("cancelled" not in (record["launch"]["state"], record.get("active", {}).get("state")), "a state that isn't cancelled", record)


def bare(state: dict[str, Any]) -> dict[str, Any]:
    """Returns a State without its pass."""
    return {name: value for name, value in state.items() if name != "pass"}


def composite(launch: dict[str, Any], active: dict[str, Any]) -> dict[str, Any]:
    """The composite state, derived from both by S1."""
    for state in (launch, active):
        if state["state"] == "failed":
            return bare(state)
    return {"state": "complete" if launch["state"] == active["state"] == "complete" else "pending"}


def check_event(event: dict[str, Any]) -> None:
    numbers = {"seq", "time"} & event.keys()
    need(numbers == (set() if event["topic"] in schema.UNNUMBERED else {"seq", "time"}), "both seq and time, or neither", event)
    need(event.get("removed", True), "removed left out unless it is true", event)


def check_changed(event: dict[str, Any]) -> None:
    need(event["changed"] and set(event["changed"]) <= set(STATE_TOPICS), "what changed", event)
    check_states(event)


def check_worker(event: dict[str, Any]) -> None:
    about = {"worker", "connected", "process"} & event.keys()
    need(about == {"process"} or (about == {"worker", "connected"} and "removed" not in event), "a worker or a process", event)


def check_run(params: dict[str, Any]) -> None:
    need(re.fullmatch("00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]", params["traceparent"]), "a trace context", params)
    need(params.get("inputs") != {}, "inputs left out where there are none", params)


def check_reload(result: dict[str, Any]) -> None:
    need(all(each["keys"] for each in result["changed"] + result.get("fromNextRun", [])), "a key that differs", result)
    names = result["added"] + [each["name"] for each in result["changed"]] + result["removed"]
    need(len(names) == len(set(names)), "each name once", result)


RULES: dict[str, Callable[[dict[str, Any]], None]] = {
    "WireError": check_refusal,
    "Status": check_status,
    "Status.State": check_state,
    "Status.Process": check_process,
    "Status.Event": check_event,
    "Status.Event.state": check_changed,
    "Status.Event.worker": check_worker,
    "InitializationError": check_error,
    "Cause.signal": lambda cause: need(cause["signal"].startswith("SIG"), "a signal's name", cause),
    "Initializer": check_initializer,
    "Initializer.Progress": lambda progress: need(0 <= progress.get("fraction", 0) <= 1, "a fraction", progress),
    "LaunchRequest.Result": check_phases,
    "ActivateRequest.Result": check_phases,
    "ConfigurationChanges": check_reload,
    "RunRequest": check_run,
}
"""What a schema can't express, by the name of the definition."""
