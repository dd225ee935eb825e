"""A session: the protocol's side of a connection, without input and output. The blocking and the asynchronous client share it.

The session numbers requests, builds their frames, and gives each answer to the future that waits for it.
"""

from __future__ import annotations

import collections
import itertools
import os
import sys
import threading
from typing import Any, Generic, Iterable, Optional, Protocol, TypeVar

from . import errors, frames, messages

HELLO_TIMEOUT = 10.0
"""How long a supervisor may take to answer hello, in seconds."""


class Pending(Protocol):
    """The common interface of the futures of `concurrent.futures` and `asyncio`."""

    def done(self) -> bool: ...

    def set_result(self, result: Any, /) -> None: ...

    def set_exception(self, exception: Any, /) -> None: ...


Future = TypeVar("Future", bound=Pending)


class Session(Generic[Future]):
    """One connection. Its methods may be called from several threads, except `feed` and `next`."""

    def __init__(self) -> None:
        self.server: dict[str, Any] = {}
        """The supervisor's name and version."""
        self.instance = ""
        """Identifies one execution of a supervisor. If it differs, passes and runs count from 1 again."""
        self.pid = 0
        """The supervisor's process id."""
        self.ended: Optional[errors.InitdError] = None
        """The reason why the connection has ended; None while it is open."""
        self._frame_limit = frames.HELLO_LIMIT
        self._frames = frames.FrameReader()
        self._kept: collections.deque[messages.Message] = collections.deque()
        self._ids = itertools.count(1)
        self._open: dict[messages.Id, Future] = {}
        self._lock = threading.Lock()
        self._complaint: Optional[errors.InitdError] = None

    def request(self, answer: Future, method: str, params: Optional[dict[str, Any]] = None) -> tuple[messages.Id, bytes]:
        """The id and the frame of a request; `answer` gets its result or its error. Raises `FrameTooLarge`, or the reason of the end."""
        id = next(self._ids)
        frame = self.framed(messages.request(id, method, params))
        with self._lock:
            if self.ended is not None:
                raise self.ended
            self._open[id] = answer
        return id, frame

    def abandon(self, id: messages.Id) -> None:
        """Forgets a request: its answer, if one comes, is ignored."""
        with self._lock:
            self._open.pop(id, None)

    def framed(self, message: bytes) -> bytes:
        """The frame of a message. Raises `FrameTooLarge`."""
        return frames.encode(message, self._frame_limit)

    def feed(self, data: bytes) -> None:
        """Takes bytes that were read; none are the end. Raises `ConnectionLost` for the end."""
        if not data:
            where = "" if self._frames.is_between_frames else " in the middle of a message"
            raise errors.ConnectionLost(f"the supervisor closed the connection{where}")
        self._frames.feed(data)

    def next(self) -> Optional[messages.Message]:
        """The next complete message, or None. Raises `ProtocolError`."""
        if self._kept:
            return self._kept.popleft()
        payload = self._frames.next()
        return None if payload is None else messages.decode(payload)

    def keep(self, passed_over: Iterable[messages.Message]) -> None:
        """Puts messages back: they are the next messages that are read."""
        self._kept.extendleft(reversed(list(passed_over)))

    def settle(self, answer: messages.Answer) -> None:
        """Gives an answer to the future of its request."""
        if answer.id is None:
            self._complaint = answer.error  # The error belongs to no request: it is the reason if the connection ends.
            return
        with self._lock:
            future = self._open.pop(answer.id, None)
        if future is None or future.done():
            return
        if answer.error is not None:
            future.set_exception(answer.error)
        else:
            future.set_result(answer.result)

    def greeted(self, hello: Any) -> None:
        """Keeps the answer to hello. Raises `ProtocolError`."""
        try:
            self._frame_limit = int(hello["limits"]["frameBytes"])
            self.server, self.instance, self.pid = hello["server"], hello["instance"], hello["pid"]
        except (KeyError, TypeError, ValueError):
            raise errors.ProtocolError("cannot read the answer to hello: a member is missing or wrong") from None

    def end(self, reason: errors.InitdError) -> errors.InitdError:
        """Fails every open request and all later ones. Returns the reason of the first call, or the supervisor's own reason."""
        with self._lock:
            if self.ended is None:
                closed = isinstance(reason, errors.ConnectionClosed)
                self.ended = reason if closed or self._complaint is None else self._complaint
            waiting = list(self._open.values())
            self._open.clear()
        for future in waiting:
            if not future.done():
                future.set_exception(self.ended)
        return self.ended


def hello(name: Optional[str], version: str) -> dict[str, Any]:
    """The params of hello. By default the name is that of the program."""
    program = os.path.basename(sys.argv[0] if sys.argv else "")
    if not program or program.startswith("-"):
        program = "python"
    return {"protocol": messages.PROTOCOL, "client": {"name": name or program, "version": version}}
