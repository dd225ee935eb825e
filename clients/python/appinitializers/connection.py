"""A connection: one socket, one reader thread, requests in both directions.

Rule 1. Only the reader thread reads. It handles messages in the order of their arrival, one after the other.
Rule 2. Any thread may send; frames are never mixed.
Rule 3. Handlers run on the reader thread. They must not wait for an answer on this connection, because only that thread can read it.
Rule 4. The end is reported once: every open request fails with the reason, then `on_close` is called.
"""

from __future__ import annotations

import itertools
import os
import socket
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Optional

from . import errors, frames, messages


def default_path() -> str:
    """The default path of the socket: `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in /run for root.

    Raises `NoSupervisor` if none of these applies.
    """
    if path := os.environ.get("INITD_SOCKET"):
        return path
    if directory := os.environ.get("XDG_RUNTIME_DIR"):
        return os.path.join(directory, "initd.sock")
    if os.geteuid() == 0:
        return "/run/initd.sock"
    raise errors.NoSupervisor("cannot find the supervisor: no socket path is given; pass a path, or set INITD_SOCKET or XDG_RUNTIME_DIR")


def connect(path: Optional[str] = None) -> socket.socket:
    """A socket connected to the supervisor at `path`, or at the default path. Raises `NoSupervisor`."""
    where = os.fspath(path) if path is not None else default_path()
    peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        peer.connect(where)
    except OSError as error:
        peer.close()
        raise errors.NoSupervisor(f"cannot connect to {where}: {error.strerror or error}") from error
    return peer


class Connection:
    """Sends requests and matches their answers; passes the peer's requests and notifications to handlers.

    A request is answered with `answer` or `refuse`, at once or later, from any thread. `on_close` gets the reason.
    """

    def __init__(
        self,
        peer: socket.socket,
        *,
        on_request: Optional[Callable[[messages.Request], None]] = None,
        on_notification: Optional[Callable[[messages.Notification], None]] = None,
        on_close: Optional[Callable[[errors.InitdError], None]] = None,
    ) -> None:
        self.frame_limit = frames.HELLO_LIMIT
        self._peer = peer
        self._on_request = on_request
        self._on_notification = on_notification
        self._on_close = on_close
        self._ids = itertools.count(1)
        self._sending = threading.Lock()
        self._state = threading.Lock()
        self._open: dict[messages.Id, tuple[Future[Any], Optional[Callable[[Any], None]]]] = {}
        self._ended: Optional[errors.InitdError] = None
        self._closing = False
        self._complaint: Optional[errors.InitdError] = None
        self._reader = threading.Thread(target=self._read, name="appinitializers-reader", daemon=True)
        self._reader.start()

    @property
    def is_open(self) -> bool:
        """Whether requests can still be sent."""
        return self._ended is None and not self._closing

    def request(
        self,
        method: str,
        params: Optional[dict[str, Any]] = None,
        *,
        timeout: Optional[float] = None,
        then: Optional[Callable[[Any], None]] = None,
    ) -> Any:
        """Sends a request and waits for its result.

        `then` gets the result on the reader thread, before any later message is handled. Raises a `RequestError` if the
        supervisor refuses, `ConnectionLost`, `FrameTooLarge`, or `TimeoutError` after `timeout` seconds.
        """
        answer: Future[Any] = Future()
        with self._state:
            if not self.is_open:
                raise self._ended or errors.ConnectionClosed("cannot send: the connection was closed")
            id = next(self._ids)
            self._open[id] = (answer, then)
        try:
            self._send(messages.request(id, method, params))
            return answer.result(timeout)
        except FutureTimeout:
            raise TimeoutError(f"cannot {method}: no answer within {timeout} s") from None
        finally:
            with self._state:
                self._open.pop(id, None)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Sends a notification. Raises `ConnectionLost` or `FrameTooLarge`."""
        self._send(messages.notification(method, params))

    def answer(self, id: messages.Id, value: Any) -> None:
        """Answers the peer's request `id` with a result. Raises `ConnectionLost` or `FrameTooLarge`."""
        self._send(messages.result(id, value))

    def refuse(self, id: messages.Id, code: int, message: str, data: Optional[dict[str, Any]] = None) -> None:
        """Answers the peer's request `id` with an error. Raises `ConnectionLost` or `FrameTooLarge`."""
        self._send(messages.failure(id, code, message, data))

    def close(self) -> None:
        """Closes the connection and waits until its reader has ended, unless a handler calls it. Further calls have no effect."""
        self._closing = True
        self._shut()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _shut(self) -> None:
        try:
            self._peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # It has ended already.

    def _send(self, payload: bytes) -> None:
        frame = frames.encode(payload, self.frame_limit)
        with self._sending:
            try:
                self._peer.sendall(frame)
            except OSError as error:
                raise self._ended or self._complaint or errors.ConnectionLost(f"cannot send: {error.strerror or error}") from error

    def _read(self) -> None:
        reason: errors.InitdError
        try:
            self._read_until_end()
            reason = self._complaint or errors.ConnectionLost("the supervisor closed the connection")
        except errors.InitdError as error:
            reason = error
        except OSError as error:
            reason = errors.ConnectionLost(f"the connection was lost: {error.strerror or error}")
        except BaseException as error:  # An error of a handler must not leave others waiting for ever.
            reason = errors.ConnectionLost(f"the connection was closed because of an error: {error!r}")
            raise
        finally:
            self._end(errors.ConnectionClosed("the connection was closed") if self._closing else reason)

    def _read_until_end(self) -> None:
        reader = frames.FrameReader()
        while data := self._peer.recv(65536):
            for payload in reader.feed(data):
                self._handle(messages.decode(payload))
        if not reader.is_between_frames and not self._closing:
            raise errors.ProtocolError("the supervisor closed the connection in the middle of a message")

    def _handle(self, message: messages.Message) -> None:
        match message:
            case messages.Answer(id=None, error=error):
                self._complaint = error  # It belongs to no request: it is the reason if the connection ends.
            case messages.Answer(id=id, result=result, error=error):
                with self._state:
                    answer, then = self._open.pop(id, (None, None))
                if answer is None:
                    return
                if error is not None:
                    answer.set_exception(error)
                    return
                if then is not None:
                    then(result)
                answer.set_result(result)
            case messages.Request():
                if self._on_request is not None:
                    self._on_request(message)
                else:
                    self.refuse(message.id, errors.METHOD_NOT_FOUND, f"unknown method {message.method}")
            case messages.Notification():
                if self._on_notification is not None:
                    self._on_notification(message)

    def _end(self, reason: errors.InitdError) -> None:
        with self._state:
            self._ended = reason
            waiting = [answer for answer, _ in self._open.values()]  # Each request removes its own entry.
        self._shut()  # First, so that a sender that is blocked by the peer releases the lock.
        with self._sending:
            self._peer.close()
        for answer in waiting:
            answer.set_exception(reason)
        if self._on_close is not None:
            self._on_close(reason)
