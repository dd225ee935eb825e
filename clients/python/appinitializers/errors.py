"""Everything that can go wrong, as types: one for each error code of the protocol (§7), and one for each way to lose a peer."""

from __future__ import annotations

from typing import Any, Mapping, Optional

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
CANCELLED = -32008

RUN_FAILED = 1
"""The code a worker answers with when its initializer raised."""


class InitdError(Exception):
    """What every error of this package is."""


class NoSupervisor(InitdError):
    """No supervisor answers at the socket, or the path names no socket that could be tried."""


class ConnectionLost(InitdError):
    """The connection ended before the answer came."""


class ConnectionClosed(ConnectionLost):
    """The connection was closed on this side."""


class ProtocolError(InitdError):
    """The peer sent what protocol version 1 does not allow. The connection is closed."""


class FrameTooLarge(InitdError):
    """A message does not fit the frame limit that the supervisor named. Nothing of it was sent."""


class Cancelled(InitdError):
    """A run was asked to stop. `Context.check` raises it; it may simply leave the initializer."""


class RequestError(InitdError):
    """The supervisor refused a request.

    `code` is the JSON-RPC error code, `data` the error's `data` (an empty mapping if there was none).
    """

    def __init__(self, code: int, message: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data: Mapping[str, Any] = data or {}

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"


class UnsupportedProtocol(RequestError):
    """−32001: the supervisor speaks other versions; `supported` lists them."""

    @property
    def supported(self) -> list[int]:
        return list(self.data.get("supported", []))


class NameConflict(RequestError):
    """−32002: the name has a live provider, or the manifest says otherwise."""


class TimedOut(RequestError):
    """−32003: a `wait` ran out; `status` is the whole picture at that moment."""

    @property
    def status(self) -> Mapping[str, Any]:
        return self.data.get("status", {})


class UnknownInitializer(RequestError):
    """−32004: a name nobody declared."""


class NotPermitted(RequestError):
    """−32005: this process's user may not do this."""


class ShuttingDown(RequestError):
    """−32006: the supervisor is ending and takes no new work."""


class LimitExceeded(RequestError):
    """−32007: too many of something; `limit` names it."""

    @property
    def limit(self) -> Optional[str]:
        return self.data.get("limit")


_BY_CODE: dict[int, type[RequestError]] = {
    -32001: UnsupportedProtocol,
    -32002: NameConflict,
    -32003: TimedOut,
    -32004: UnknownInitializer,
    -32005: NotPermitted,
    -32006: ShuttingDown,
    -32007: LimitExceeded,
}


def from_wire(error: Any) -> InitdError:
    """The exception for an answer's `error` member."""
    if not isinstance(error, dict):
        return ProtocolError("cannot read an answer: its error is not an object")
    code, message, data = error.get("code"), error.get("message"), error.get("data")
    if type(code) is not int or not isinstance(message, str):
        return ProtocolError("cannot read an answer: its error has no code and message")
    return _BY_CODE.get(code, RequestError)(code, message, data if isinstance(data, dict) else None)
