"""A client: one method for each request of the protocol (§4), and the events of a subscription (§5).

Times are seconds since the Unix epoch, durations are seconds. Shapes (Status, State, Initializer, Error) are
dictionaries with the protocol's names.
"""

from __future__ import annotations

import collections
import threading
import time
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence

from . import connection, errors, messages

Shape = Mapping[str, Any]

HELLO_TIMEOUT = 10.0
"""How long a supervisor may take to answer hello, in seconds."""

EVENTS_KEPT = 10_000
"""How many unread events a `Subscription` keeps; further ones are dropped, and the reader gets their number."""

_RETRY_EVERY = 0.05


class Client:
    """A connection to a supervisor, after hello.

    `path` is the socket's path; by default it follows the protocol's rule (`default_path`). `connect_timeout` is how many
    seconds to wait for a supervisor that isn't running yet. Raises `NoSupervisor`, `UnsupportedProtocol`, `NotPermitted`.

    Every method raises a `RequestError` if the supervisor refuses, and `ConnectionLost` if the connection is lost.
    Methods may be called from several threads at once.
    """

    def __init__(
        self,
        path: Optional[str] = None,
        *,
        name: str = "python",
        version: str = "0.1.0",
        connect_timeout: float = 0.0,
        on_request: Optional[Callable[[messages.Request], None]] = None,
        on_notification: Optional[Callable[[messages.Notification], None]] = None,
        on_close: Optional[Callable[[errors.InitdError], None]] = None,
    ) -> None:
        self._subscription: Optional[Subscription] = None
        self._subscribing = threading.Lock()
        self._on_notification = on_notification
        self._on_close = on_close
        self._connection = connection.Connection(
            _connect(path, connect_timeout), on_request=on_request, on_notification=self._notified, on_close=self._ended
        )
        try:
            hello = self._connection.request(
                "hello",
                {"protocol": messages.PROTOCOL, "client": {"name": name, "version": version}},
                timeout=HELLO_TIMEOUT,
            )
            self._connection.frame_limit = hello["limits"]["frameBytes"]
            self.server: Shape = hello["server"]
            self.instance: str = hello["instance"]
            self.pid: int = hello["pid"]
        except (KeyError, TypeError):
            self._connection.close()
            raise errors.ProtocolError("cannot read the answer to hello: a member is missing") from None
        except TimeoutError as error:
            self._connection.close()
            raise errors.NoSupervisor(str(error)) from None
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection, which ends its hold, its subscription and its registrations."""
        self._connection.close()

    @property
    def is_open(self) -> bool:
        """Whether requests can still be sent."""
        return self._connection.is_open

    # Queries

    def ping(self, params: Optional[Shape] = None) -> Shape:
        """Sends `params`, and returns the same object from the supervisor."""
        return self._request("ping", dict(params or {}))

    def status(self) -> Shape:
        """The complete Status at one moment."""
        return self._request("status")

    def history(self, limit: int = 1) -> list[Shape]:
        """The last `limit` passes with their runs, the newest last."""
        return self._request("history", {"limit": limit})["passes"]

    def logs(self, initializer: Optional[str] = None, limit: int = 1000) -> list[Shape]:
        """The last `limit` output lines of commands; of one initializer, or of all."""
        return self._request("logs", {"limit": limit} | _given(initializer=initializer))["lines"]

    # The app's lifecycle

    def launch(self) -> Shape:
        """Requests launch: retries a failed one, or joins a running one. Returns `{"pass", "launch"}`, without waiting for the pass."""
        return self._request("launch")

    def activate(self, hold: bool = False) -> Shape:
        """Requests an active pass. With `hold`, the app stays active only as long as this connection exists.

        Returns `{"pass", "active", "launch"}`, without waiting for the pass.
        """
        return self._request("activate", {"hold": hold})

    def release(self) -> None:
        """Releases this connection's hold, if it has one."""
        self._request("release")

    def deactivate(self, wait: bool = False) -> list[str]:
        """Cancels the active pass, and ends all holds. Returns the names of the cancelled runs; with `wait` once they have stopped."""
        return self._request("deactivate", {"wait": wait})["cancelled"]

    def shutdown(self) -> None:
        """Shuts the supervisor down."""
        self._request("shutdown")

    def wait(
        self,
        state: Optional[str] = None,
        *,
        initializer: Optional[str] = None,
        pass_: Optional[int] = None,
        timeout: Optional[float] = None,
        appear: bool = False,
    ) -> Shape:
        """Waits for `state` ("ready", "launch", "active" or "composite"), an initializer, or a pass; by default for "ready".

        Returns the State as soon as it isn't pending, even if it is failed. Raises `TimedOut` after `timeout` seconds, and
        `UnknownInitializer` for a name that isn't declared, unless `appear` is set.
        """
        params = _given(initializer=initializer, timeout=timeout) | _given(**{"for": state, "pass": pass_})
        return self._request("wait", params | ({"appear": True} if appear else {}))

    # Events

    def subscribe(self, *topics: str) -> Subscription:
        """The events of `topics` (by default launch, active and composite), from a snapshot on. Replaces an earlier subscription."""
        with self._subscribing:
            subscription = Subscription(self)

            def begin(result: Shape) -> None:
                # On the reader thread: messages before the answer belong to the earlier subscription, the following ones to this one.
                former, self._subscription = self._subscription, subscription
                subscription.snapshot = result["snapshot"]
                if former is not None:
                    former._finish(None)

            self._connection.request("subscribe", {"topics": list(topics)} if topics else {}, then=begin)
            return subscription

    def unsubscribe(self) -> None:
        """Ends the subscription; its iterator ends after the events that came before."""
        with self._subscribing:

            def end(_: Shape) -> None:
                former, self._subscription = self._subscription, None
                if former is not None:
                    former._finish(None)

            self._connection.request("unsubscribe", then=end)

    # Initializers

    def register(self, initializers: Iterable[Shape]) -> list[str]:
        """Registers initializers, all or none. Their runs arrive as requests, which `Worker` answers. Raises `NameConflict`."""
        return self._request("register", {"initializers": [dict(each) for each in initializers]})["registered"]

    def unregister(self, names: Sequence[str]) -> None:
        """Removes initializers, all or none: this connection's, or ones without a live provider. Raises `NameConflict`."""
        self._request("unregister", {"names": list(names)})

    def answer(self, id: messages.Id, result: Shape) -> None:
        """Answers a request of the supervisor with success."""
        self._connection.answer(id, dict(result))

    def refuse(self, id: messages.Id, code: int, message: str) -> None:
        """Answers a request of the supervisor with an error."""
        self._connection.refuse(id, code, message)

    def notify(self, method: str, params: Shape) -> None:
        """Sends the supervisor a notification."""
        self._connection.notify(method, dict(params))

    def _request(self, method: str, params: Optional[dict[str, Any]] = None, timeout: Optional[float] = None) -> Any:
        return self._connection.request(method, params, timeout=timeout)

    def _notified(self, notification: messages.Notification) -> None:
        if notification.method == "event" and self._subscription is not None:
            self._subscription._put(notification.params)
        if self._on_notification is not None:
            self._on_notification(notification)

    def _ended(self, reason: errors.InitdError) -> None:
        if self._subscription is not None:
            self._subscription._finish(None if isinstance(reason, errors.ConnectionClosed) else reason)
        if self._on_close is not None:
            self._on_close(reason)


class Subscription:
    """The events of one subscription, in order, as an iterator over the protocol's `event` params.

    It ends when it is closed or replaced, or after the supervisor's `shutdown` event; it raises `ConnectionLost` if the
    connection ends without that event. A reader that is `EVENTS_KEPT` events behind gets
    `{"topic": "lagged", "dropped": N}` and a `snapshot`, as in the protocol, and then the following events.
    """

    def __init__(self, client: Client) -> None:
        self.snapshot: Shape = {}
        """The Status at the start of the subscription; every event follows it."""
        self._client = client
        self._events: collections.deque[Shape] = collections.deque()
        self._changed = threading.Condition()
        self._dropped = 0
        self._since = -1
        self._finished = False
        self._reason: Optional[errors.InitdError] = None

    def __iter__(self) -> Subscription:
        return self

    def __next__(self) -> Shape:
        while True:
            with self._changed:
                while not self._events and not self._dropped and not self._finished:
                    self._changed.wait()
                if self._events:
                    event = self._events.popleft()
                    if event.get("seq", self._since + 1) > self._since:
                        return event
                    continue
                if not self._dropped:
                    if self._reason is not None:
                        raise self._reason
                    raise StopIteration
                dropped, self._dropped = self._dropped, 0
            self._catch_up(dropped)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the subscription, unless it has ended."""
        if self._client._subscription is self and not self._finished:
            try:
                self._client.unsubscribe()
            except errors.ConnectionLost:
                pass  # Then it has ended, too.

    def _catch_up(self, dropped: int) -> None:
        caught: list[Shape] = [{"topic": "lagged", "dropped": dropped}]
        try:
            status = self._client.status()
            self._since = status["seq"]
            caught.append({"topic": "snapshot", "snapshot": status})
        except errors.ConnectionLost:
            pass  # The end is reported in its turn.
        with self._changed:
            self._events.extendleft(reversed(caught))

    def _put(self, event: Shape) -> None:
        with self._changed:
            if self._finished:
                return
            if self._dropped or len(self._events) >= EVENTS_KEPT:
                self._dropped += 1
            else:
                self._events.append(event)
            if event.get("topic") == "shutdown":
                self._finished = True
            self._changed.notify_all()

    def _finish(self, reason: Optional[errors.InitdError]) -> None:
        with self._changed:
            if not self._finished:
                self._finished = True
                self._reason = reason
            self._changed.notify_all()


def _connect(path: Optional[str], timeout: float) -> Any:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return connection.connect(path)
        except errors.NoSupervisor:
            if time.monotonic() >= deadline:
                raise
        time.sleep(_RETRY_EVERY)


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
