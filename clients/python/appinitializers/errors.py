"""The errors of this package: one for each error code of the protocol, and one for each way to lose the connection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional

if TYPE_CHECKING:
    from .shapes import Finding, Status

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
TIMED_OUT = -32003
CANCELLED = -32008

RUN_FAILED = 1
"""The error code in a worker's answer if its initializer raised an exception."""


class InitdError(Exception):
    """The base class of all errors of this package."""


class NoSupervisor(InitdError):
    """No supervisor answers at the socket.

    `may_pass` is true if a supervisor may be about to start there, and false if e.g. no path is given or permission is denied.
    """

    def __init__(self, message: str, *, may_pass: bool = True) -> None:
        super().__init__(message)
        self.may_pass = may_pass


class ConnectionLost(InitdError, ConnectionError):
    """The connection ended before the answer arrived."""


class ConnectionClosed(ConnectionLost):
    """The program closed the connection."""


class ProtocolError(InitdError):
    """The peer violated protocol version 1. The connection is closed."""


class FrameTooLarge(InitdError):
    """A message exceeds the supervisor's frame limit. No part of the message was sent."""


class Cancelled(InitdError):
    """A run was cancelled. `Context.check` raises it; the initializer need not catch it."""


class RequestError(InitdError):
    """The supervisor refused a request.

    `code` is the JSON-RPC error code, `data` the error's `data` (an empty mapping if there was none), and `word` the protocol's word for
    the error, e.g. "nameConflict", if it has one.
    """

    def __init__(self, code: int, message: str, data: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data: Mapping[str, Any] = data or {}

    @property
    def word(self) -> Optional[str]:
        word = self.data.get("code")
        return word if isinstance(word, str) else None

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.code, self.message, dict(self.data))


class UnsupportedProtocol(RequestError):
    """−32001: the supervisor speaks other versions; `supported` lists them."""

    @property
    def supported(self) -> list[int]:
        return list(self.data.get("supported", []))


class NameConflict(RequestError):
    """−32002: the name has a live provider, or conflicts with the manifest."""


class TimedOut(RequestError, TimeoutError):
    """−32003: a `wait` timed out; `status` is the Status at that moment. It is None if the supervisor itself hasn't answered in time."""

    @property
    def status(self) -> Optional[Status]:
        status: Optional[Status] = self.data.get("status")
        return status


class UnknownInitializer(RequestError):
    """−32004: the name isn't declared."""


class NotPermitted(RequestError, PermissionError):
    """−32005: permission denied."""


class ShuttingDown(RequestError):
    """−32006: the supervisor is shutting down and takes no new work."""


class LimitExceeded(RequestError):
    """−32007: a limit is exceeded; `limit` names it."""

    @property
    def limit(self) -> Optional[str]:
        limit: Optional[str] = self.data.get("limit")
        return limit


class NotRunning(RequestError):
    """−32009: an initializer doesn't run, so it can't be cancelled, or never runs, so it can't run again.

    `initializers` has the `name` and `status` of each.
    """

    @property
    def initializers(self) -> list[dict[str, str]]:
        return list(self.data.get("initializers", []))


class Inactive(RequestError):
    """−32010: an initializer runs in active passes, and the app is inactive."""


class InvalidManifest(RequestError):
    """−32011: the configuration that `reload` has read has mistakes, and nothing has changed; `findings` lists them."""

    @property
    def findings(self) -> list[Finding]:
        return list(self.data.get("findings", []))


class UnreadableManifest(RequestError):
    """−32012: `reload` can't read the configuration, and nothing has changed."""


_BY_CODE: dict[int, type[RequestError]] = {
    -32001: UnsupportedProtocol,
    -32002: NameConflict,
    TIMED_OUT: TimedOut,
    -32004: UnknownInitializer,
    -32005: NotPermitted,
    -32006: ShuttingDown,
    -32007: LimitExceeded,
    -32009: NotRunning,
    -32010: Inactive,
    -32011: InvalidManifest,
    -32012: UnreadableManifest,
}


def may_pass(error: BaseException) -> bool:
    """Whether the same attempt to connect or register may succeed later: the supervisor may be starting, restarting or busy."""
    if isinstance(error, NoSupervisor):
        return error.may_pass
    if isinstance(error, LimitExceeded):
        return error.limit == "connections"  # A registration that is too large can't succeed later.
    return isinstance(error, (ConnectionLost, ShuttingDown)) and not isinstance(error, ConnectionClosed)


def may_pass_after_loss(error: BaseException) -> bool:
    """Returns `may_pass` for a client that was connected before: another program may use the socket for a while, and the supervisor may not
    have noticed yet that the old connection has ended."""
    return may_pass(error) or isinstance(error, (ProtocolError, NameConflict))


def no_answer(method: str, seconds: Optional[float]) -> TimedOut:
    """The error for a request that the supervisor doesn't answer in time."""
    return TimedOut(TIMED_OUT, f"cannot {method}: no answer within {seconds:g} s")


def from_wire(error: Any) -> InitdError:
    """The exception for an answer's `error` member."""
    if not isinstance(error, dict):
        return ProtocolError("cannot read an answer: its error is not an object")
    code, message, data = error.get("code"), error.get("message"), error.get("data")
    if type(code) is not int or not isinstance(message, str):
        return ProtocolError("cannot read an answer: its error has no code and message")
    return _BY_CODE.get(code, RequestError)(code, message, data if isinstance(data, dict) else None)
