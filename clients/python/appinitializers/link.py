"""A link: a connected socket that blocks. Its owner reads it; any thread may send and close.

Frames of several senders are never mixed. The descriptor is closed once, when no thread uses it any more.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from concurrent.futures import Future
from typing import Any, Optional

from . import errors, messages, session, socket_path

_CHUNK = 65536


class Link:
    """A connection over `peer`, a connected socket. Call `hello` first."""

    def __init__(self, peer: socket.socket) -> None:
        self.session: session.Session[Future[Any]] = session.Session()
        self._peer = peer
        self._reading = threading.Lock()
        self._sending = threading.Lock()
        self._closing = False

    @classmethod
    def to(cls, path: Optional[socket_path.Path]) -> Link:
        """A link to the supervisor at `path`, or at the default path. Raises `NoSupervisor`."""
        where = socket_path.resolve(path)
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            peer.settimeout(session.HELLO_TIMEOUT)
            peer.connect(where)
        except OSError as error:
            peer.close()
            raise socket_path.unreachable(where, error) from error
        return cls(peer)

    def hello(self, name: Optional[str], version: str, patience: float) -> None:
        """Sends hello, and waits `patience` seconds for the answer.

        Raises `NoSupervisor`, `UnsupportedProtocol`, `NotPermitted`, `ProtocolError` or `ConnectionLost`.
        """
        try:
            self._peer.settimeout(patience)
            self.session.greeted(self.ask("hello", session.hello(name, version)))
            self._peer.settimeout(None)
        except socket.timeout:
            self.close()
            raise socket_path.silent(patience) from None
        except BaseException:
            self.close()
            raise

    def ask(self, method: str, params: Optional[dict[str, Any]] = None) -> Any:
        """Sends a request and reads until its result. Only for the owner. Raises the error that answers it, or the reason of the end."""
        answer: Future[Any] = Future()
        id, frame = self.session.request(answer, method, params)
        with contextlib.suppress(errors.ConnectionLost):  # The peer may have said why it closed the connection.
            self.send(frame)
        others = []
        while not answer.done():
            message = self.receive()
            if isinstance(message, messages.Answer):
                self.session.settle(message)
            else:
                others.append(message)
        self.session.keep(others)
        return answer.result()

    def send(self, frame: bytes) -> None:
        """Sends a frame. Raises the reason of the end."""
        with self._sending:
            try:
                self._peer.sendall(frame)
            except socket.timeout:
                raise
            except OSError as error:
                raise self.session.ended or errors.ConnectionLost(f"cannot send: {error.strerror or error}") from error

    def receive(self) -> messages.Message:
        """The next message. Raises the reason of the end, once there are no more messages."""
        while True:
            try:
                if (message := self.session.next()) is not None:
                    return message
                with self._reading:
                    data = self._peer.recv(_CHUNK)
                self.session.feed(data)
            except errors.InitdError as error:  # Before OSError: a `ConnectionLost` is one.
                raise self.end(error) from None
            except socket.timeout:
                raise
            except OSError as error:
                raise self.end(errors.ConnectionLost(f"the connection was lost: {error.strerror or error}")) from error

    def shut(self) -> None:
        """Ends the stream: pending reads and sends fail. Safe in a signal handler."""
        self._closing = True
        try:
            self._peer.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # The socket has ended already.

    def close(self) -> None:
        """Closes the connection. Further calls have no effect."""
        self._closing = True
        self.end(errors.ConnectionClosed("the connection was closed"))

    def end(self, reason: errors.InitdError) -> errors.InitdError:
        """Closes the connection because of `reason`, and returns the reason that counts: the first one."""
        ended = self.session.end(errors.ConnectionClosed("the connection was closed") if self._closing else reason)
        self.shut()
        with self._reading, self._sending:
            self._peer.close()
        return ended
