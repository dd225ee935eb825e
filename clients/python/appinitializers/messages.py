"""Messages: JSON-RPC 2.0 without batches, in both directions.

`decode` distinguishes the three kinds: `Request`, `Notification` and `Answer`. The functions below encode them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Optional, Union, cast

from . import errors
from .shapes import Event

PROTOCOL = 1
"""The protocol version that this package implements."""

Id = Union[int, str]


@dataclass(frozen=True)
class Request:
    """A request; the peer expects an answer with `id`."""

    id: Id
    method: str
    params: dict[str, Any]


@dataclass(frozen=True)
class Notification:
    """A notification; the peer expects no answer."""

    method: str
    params: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """Returns the answer to the request `id`: `result`, or `error` if it is given. `id` is None if the peer couldn't read the request."""

    id: Optional[Id]
    result: Any
    error: Optional[errors.InitdError]


Message = Union[Request, Notification, Answer]


def request(id: Id, method: str, params: Optional[dict[str, Any]] = None) -> bytes:
    """The bytes of a request."""
    return _encode({"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params}))


def notification(method: str, params: dict[str, Any]) -> bytes:
    """The bytes of a notification."""
    return _encode({"jsonrpc": "2.0", "method": method, "params": params})


def result(id: Id, value: Any) -> bytes:
    """The bytes of a successful answer."""
    return _encode({"jsonrpc": "2.0", "id": id, "result": value})


def failure(id: Id, code: int, message: str, data: Optional[dict[str, Any]] = None) -> bytes:
    """The bytes of an error answer."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return _encode({"jsonrpc": "2.0", "id": id, "error": error})


def copied(value: Any) -> Any:
    """The value that the peer will read for `value`. Raises `ValueError` or `TypeError` if it can't be written as strict JSON."""
    try:
        return json.loads(_encode(value), object_pairs_hook=_unique)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def depth(value: Any) -> int:
    """The depth of nested lists and objects in `value`."""
    deepest, level = 0, [value]
    while level := [each for each in level if isinstance(each, (list, dict))]:
        deepest += 1
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
    return deepest


def event_in(message: Message) -> Optional[Event]:
    """The event that a message carries, or None if it is another message, or an event without a topic."""
    if isinstance(message, Notification) and message.method == "event" and isinstance(message.params.get("topic"), str):
        return cast(Event, message.params)
    return None


def decode(payload: bytes) -> Message:
    """The message in `payload`. Raises `ProtocolError` if it is not one strict JSON object of JSON-RPC 2.0."""
    try:
        value = json.loads(payload.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise errors.ProtocolError(f"cannot read a message: {error}") from None
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise errors.ProtocolError("cannot read a message: it is not an object of JSON-RPC 2.0")
    method, id, params = value.get("method"), value.get("id"), value.get("params", {})
    if isinstance(method, str):
        if "id" not in value:  # A later version may send notifications that this one can't read.
            return Notification(method, params if isinstance(params, dict) else {})
        if not isinstance(params, dict):
            raise errors.ProtocolError(f"cannot read {method}: its params are not an object")
        if type(id) is int or isinstance(id, str):
            return Request(id, method, params)
    elif "method" not in value and "id" in value and (id is None or type(id) is int or isinstance(id, str)):
        if "error" in value:
            return Answer(id, None, errors.from_wire(value["error"]))
        if "result" in value:
            return Answer(id, value["result"], None)
    raise errors.ProtocolError("cannot read a message: it is neither a request, nor a notification, nor an answer")


def _encode(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a duplicate member")
    return members


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
