"""One raw connection to a supervisor: sends bytes, frames and messages, receives checked messages; and the worker's side of a run."""

from __future__ import annotations

import itertools
import json
import socket
import struct
import time
from typing import Any, Callable, Optional

import shapes
from deadlines import DEADLINE, PROMPT, shortened, until


def frame(payload: bytes) -> bytes:
    """A frame around `payload`."""
    return struct.pack(">I", len(payload)) + payload


def message(**members: Any) -> bytes:
    """The payload of a JSON-RPC message."""
    return json.dumps({"jsonrpc": "2.0"} | members, separators=(",", ":")).encode()


def connected(path: str) -> socket.socket:
    """A socket connected to `path`. Raises `OSError`."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.settimeout(DEADLINE)
        stream.connect(path)
    except BaseException:
        stream.close()
        raise
    return stream


class Ended(AssertionError):
    """The connection ended although a message was expected."""


class Late(AssertionError):
    """The expected message, or the end, did not come in time."""


class Peer:
    """One connection to a supervisor: sends raw bytes, frames and messages, and receives checked messages.

    Messages that a call doesn't expect stay in `inbox`, in order, for later calls.
    """

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        stream.settimeout(DEADLINE)
        self.inbox: list[dict[str, Any]] = []
        self._ids = itertools.count(1)
        self._buffer = bytearray()
        self._methods: dict[Any, str] = {}

    def close(self) -> None:
        self.stream.close()

    # Sending

    def send_bytes(self, data: bytes) -> None:
        self.stream.sendall(data)

    def send_payload(self, payload: bytes) -> None:
        self.send_bytes(frame(payload))

    def send(self, **members: Any) -> None:
        """Sends a JSON-RPC message of these members."""
        self.send_payload(message(**members))

    def request(self, method: str, params: Any = None) -> int:
        """Sends a request and returns its id."""
        id = next(self._ids)
        self._methods[id] = method
        self.send(id=id, method=method, **({} if params is None else {"params": params}))
        return id

    # Receiving

    def receive(self, deadline: float = DEADLINE) -> Optional[dict[str, Any]]:
        """The next message, or None if the connection ended."""
        if self.inbox:
            return self.inbox.pop(0)
        return self._read(time.monotonic() + deadline)

    def take(self, wanted: Callable[[dict[str, Any]], bool], what: str, deadline: float = DEADLINE) -> dict[str, Any]:
        """The first message for which `wanted` is true; the others stay."""
        for index, each in enumerate(self.inbox):
            if wanted(each):
                return self.inbox.pop(index)
        end = time.monotonic() + deadline
        while True:
            try:
                each = self._read(end)
            except Late:
                raise Late(f"{what} did not come within {deadline} s; came: {shortened(self.inbox)}") from None
            if each is None:
                raise Ended(f"the connection ended before {what}; came: {shortened(self.inbox)}")
            if wanted(each):
                return each
            self.inbox.append(each)

    def answer(self, id: Any, deadline: float = DEADLINE) -> dict[str, Any]:
        """The answer to `id`; its result is checked against the shape of its method."""
        answer = self.take(
            lambda each: "method" not in each and each["id"] == id and type(each["id"]) is type(id),
            f"the answer to {self._methods.get(id, id)!r}",
            deadline,
        )
        if "result" in answer:
            shapes.check_result(self._methods.get(id), answer["result"])
        return answer

    def call(self, method: str, params: Any = None, deadline: float = DEADLINE) -> dict[str, Any]:
        """Sends a request and returns its answer, result or error."""
        return self.answer(self.request(method, params), deadline)

    def ok(self, method: str, /, **params: Any) -> Any:
        """The result of a request that must succeed. A trailing underscore is removed, e.g. of `for_` and `pass_`."""
        answer = self.call(method, {name.rstrip("_"): value for name, value in params.items()} or None)
        assert "result" in answer, f"{method} {params} was refused: {answer}"
        return answer["result"]

    def refused(self, code: int, method: str, params: Any = None, naming: str = "") -> dict[str, Any]:
        """The error of a request that must be refused with `code`, its message naming the member `naming`."""
        return refusal(self.call(method, params), code, naming)

    def complaint(self, code: int) -> dict[str, Any]:
        """The next message, which must be an error with id null."""
        answer = self.receive()
        assert answer is not None, f"the connection ended before the error {code}"
        assert "id" in answer and answer["id"] is None, f"expected an error with id null, got {answer}"
        return refusal(answer, code)

    def expect_end(self, deadline: float = DEADLINE) -> None:
        """The connection must end. Events may precede the end."""
        while (each := self.receive(deadline)) is not None:
            assert each.get("method") == "event", f"expected the end, got {each}"

    def expect_end_now(self, deadline: float = PROMPT) -> None:
        """The connection must end without a message, and earlier than a silent one."""
        each = self.receive(deadline)
        assert each is None, f"expected the end, got {each}"

    def alive(self) -> None:
        """The connection still works: a ping is answered."""
        assert self.ok("ping", still="there") == {"still": "there"}

    # Events

    def event(self, deadline: float = DEADLINE) -> dict[str, Any]:
        """The params of the next event."""
        return self.take(lambda each: each.get("method") == "event", "an event", deadline)["params"]

    def event_where(self, **members: Any) -> dict[str, Any]:
        """Returns the params of the first event with these members; earlier events are dropped."""
        return self.events_until(lambda event: all(event.get(name) == value for name, value in members.items()))[-1]

    def events_until(self, last: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
        """The params of all events up to the first for which `last` is true."""
        events = []
        while True:
            try:
                events.append(self.event())
            except AssertionError as error:
                raise AssertionError(f"{error}; events before: {shortened(events)}") from None
            if last(events[-1]):
                return events

    def initializer_events_until(self, name: str, status: str) -> list[dict[str, Any]]:
        """Returns the events up to the event that shows the initializer with this status."""
        return self.events_until(
            lambda event: event.get("topic") == "initializer"
            and event["initializer"]["name"] == name
            and event["initializer"]["status"] == status
        )

    # Queries

    def status(self) -> dict[str, Any]:
        return self.ok("status")

    def initializer(self, name: str) -> dict[str, Any]:
        """The Initializer of that name."""
        for each in self.status()["initializers"]:
            if each["name"] == name:
                return each
        raise AssertionError(f"no initializer {name} in {self.status()}")

    def until_initializer(self, name: str, status: str) -> dict[str, Any]:
        """Polls until the initializer has this status."""
        return until(
            lambda: next((e for e in self.status()["initializers"] if e["name"] == name and e["status"] == status), None),
            f"{name} {status}; it is {self.initializer(name)}",
        )

    def last_pass(self) -> dict[str, Any]:
        """The last pass of the history."""
        return self.ok("history")["passes"][-1]

    # A worker's side

    def register(self, *initializers: Any) -> list[str]:
        """Registers initializers, given as names or as declarations."""
        declared = [{"name": each} if isinstance(each, str) else each for each in initializers]
        names = self.ok("register", initializers=declared)["registered"]
        assert names == [each["name"] for each in declared], names
        return names

    def expect_run(self, name: Optional[str] = None, deadline: float = DEADLINE) -> Run:
        """The next requested run, which must be of `name`."""
        request = self.take(lambda each: each.get("method") == "run", f"a run of {name}", deadline)
        assert name is None or request["params"]["initializer"] == name, f"expected a run of {name}, got {request}"
        return Run(self, request)

    def expect_no_run(self) -> None:
        """Asserts that no run has been requested so far."""
        self.alive()
        runs = [each for each in self.inbox if each.get("method") == "run"]
        assert not runs, f"nothing should run, but: {runs}"

    # The bytes

    def _read(self, end: float) -> Optional[dict[str, Any]]:
        header = self._bytes(4, end, may_end=True)
        if header is None:
            return None
        assert header[0] == 0, f"a frame's first byte must be 0: {bytes(header)!r}"
        (length,) = struct.unpack(">I", header)
        assert length >= 1, "a frame of length 0"
        payload = self._bytes(length, end)
        assert payload is not None
        return shapes.decode(bytes(payload))

    def _bytes(self, count: int, end: float, may_end: bool = False) -> Optional[bytearray]:
        while len(self._buffer) < count:
            left = end - time.monotonic()
            if left <= 0:
                raise Late("nothing came in time, and the connection is open")
            self.stream.settimeout(left)
            try:
                more = self.stream.recv(1 << 20)
            except ConnectionResetError:
                more = b""
            except TimeoutError:
                raise Late("nothing came in time, and the connection is open") from None
            finally:
                self.stream.settimeout(DEADLINE)
            if not more:
                assert may_end and not self._buffer, f"the connection ended in the middle of a frame: {bytes(self._buffer)!r}"
                return None
            self._buffer += more
        taken = self._buffer[:count]
        del self._buffer[:count]
        return taken


class Run:
    """One run that a supervisor requested of this peer."""

    def __init__(self, peer: Peer, request: dict[str, Any]) -> None:
        self.peer = peer
        self.id = request["id"]
        self.params = request["params"]
        self.number: int = self.params["run"]

    def succeed(self) -> None:
        self.peer.send(id=self.id, result={})

    def fail(self, why: str = "broken") -> None:
        self.peer.send(id=self.id, error={"code": 1, "message": why})

    def stopped(self) -> None:
        """Answers as for a cancelled run."""
        self.peer.send(id=self.id, error={"code": -32008, "message": "cancelled"})

    def progress(self, **members: Any) -> None:
        self.peer.send(method="progress", params={"run": self.number} | members)

    def expect_cancel(self, reason: str) -> Run:
        """The run must be cancelled for this reason."""
        cancel = self.peer.take(
            lambda each: each.get("method") == "cancel" and each["params"]["run"] == self.number, f"cancel of run {self.number}"
        )
        assert cancel["params"]["reason"] == reason, f"expected the reason {reason}, got {cancel}"
        return self


def refusal(answer: dict[str, Any], code: int, naming: str = "") -> dict[str, Any]:
    """The error of an answer that must be one of `code`."""
    assert "error" in answer, f"expected the error {code}, got {answer}"
    error = answer["error"]
    assert error["code"] == code, f"expected the error {code}, got {answer}"
    assert naming in error["message"], f"the message must name {naming!r}: {error['message']!r}"
    return error


def hello(peer: Peer, name: str = "conformance") -> dict[str, Any]:
    """Sends hello and returns the result."""
    return peer.ok("hello", protocol=1, client={"name": name, "version": "1"})
