"""A connection: one link, one thread that reads it, requests in both directions.

Rule 1. Only the reader thread reads. It handles messages in the order of their arrival, one after the other.
Rule 2. Handlers run on the reader thread. They must not wait for an answer on this connection, because only that thread can read it.
Rule 3. The end is reported once: every open request fails with the reason, then `on_close` is called.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Optional

from . import errors, messages
from .link import Link


def _ignore(_: object) -> None:
    pass


class Connection:
    """Sends requests and matches their answers; passes the peer's requests and notifications to handlers.

    A request of the peer is answered with `answer` or `refuse`, at once or later, from any thread. `on_close` gets the reason of the end.
    """

    def __init__(
        self,
        link: Link,
        *,
        on_request: Optional[Callable[[messages.Request], None]] = None,
        on_notification: Callable[[messages.Notification], None] = _ignore,
        on_close: Callable[[errors.InitdError], None] = _ignore,
    ) -> None:
        self.session = link.session
        self._link = link
        self._on_request = on_request or self._unknown
        self._on_notification = on_notification
        self._on_close = on_close
        self._reader = threading.Thread(target=self._read, name="appinitializers-reader", daemon=True)
        try:
            self._reader.start()
        except BaseException:  # The system has no further thread.
            link.close()
            raise

    @property
    def is_open(self) -> bool:
        """Whether requests can still be sent."""
        return self.session.ended is None

    def begin(self, method: str, params: Optional[dict[str, Any]] = None, answer: Optional[Future[Any]] = None) -> Future[Any]:
        """Sends a request, and returns the future of its result: `answer`, or a new future. Raises `ConnectionLost` or `FrameTooLarge`."""
        answer = Future() if answer is None else answer
        self._link.send(self.session.request(answer, method, params)[1])
        return answer

    def request(self, method: str, params: Optional[dict[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Sends a request and waits for its result.

        Raises a `RequestError` if the supervisor refuses, `ConnectionLost`, `FrameTooLarge`, or `TimedOut` after `timeout` seconds.
        """
        answer: Future[Any] = Future()
        id, frame = self.session.request(answer, method, params)
        try:
            self._link.send(frame)
            return answer.result(timeout)
        except errors.InitdError:
            raise  # The error may be a `TimedOut`, which is also a TimeoutError.
        except FutureTimeout:
            raise errors.no_answer(method, timeout) from None
        finally:
            self.session.abandon(id)

    def notify(self, method: str, params: dict[str, Any]) -> None:
        """Sends a notification. Raises `ConnectionLost` or `FrameTooLarge`."""
        self._send(messages.notification(method, params))

    def answer(self, id: messages.Id, value: Any) -> None:
        """Answers the peer's request `id` with a result. Raises `ConnectionLost` or `FrameTooLarge`."""
        self._send(messages.result(id, value))

    def refuse(self, id: messages.Id, code: int, message: str) -> None:
        """Answers the peer's request `id` with an error. Raises `ConnectionLost` or `FrameTooLarge`."""
        self._send(messages.failure(id, code, message))

    def close(self) -> None:
        """Closes the connection and waits until its reader has ended, unless a handler calls it. Further calls have no effect."""
        self._link.shut()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def _send(self, message: bytes) -> None:
        self._link.send(self.session.framed(message))

    def _unknown(self, request: messages.Request) -> None:
        self.refuse(request.id, errors.METHOD_NOT_FOUND, f"unknown method {request.method}")

    def _read(self) -> None:
        try:
            while True:
                self._handle(self._link.receive())
        except errors.InitdError as error:
            reason = error
        except BaseException as error:  # An error of a handler must not leave others waiting indefinitely.
            reason = errors.ConnectionLost(f"the connection was closed because of an error: {error!r}")
            raise
        finally:
            self._on_close(self._link.end(reason))

    def _handle(self, message: messages.Message) -> None:
        if isinstance(message, messages.Answer):
            self.session.settle(message)
        elif isinstance(message, messages.Request):
            self._on_request(message)
        else:
            self._on_notification(message)
