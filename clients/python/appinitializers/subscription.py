"""The events of a supervisor, as an iterator."""

from __future__ import annotations

import threading
from typing import Callable, Iterator, Sequence

from . import errors, requests
from .backoff import Backoff
from .link import Link
from .messages import event_in
from .shapes import Event, Status


class Subscription(Iterator[Event]):
    """The events of one subscription, in order. It begins with `snapshot`; every event follows it.

    A `snapshot` event replaces everything known before, and `snapshot` too. It comes after `lagged`, if this program has read too slowly,
    and when the connection was lost and a supervisor answers again. The event `shutdown` says that the supervisor is shutting down. The
    subscription goes on with the next supervisor; leave the loop if you don't want that.

    The iterator ends when the subscription is closed. It raises an `InitdError` if connecting again is impossible, e.g. because permission
    is denied. One thread reads; any thread may close.
    """

    def __init__(self, link: Link, connect: Callable[[], Link], topics: Sequence[str]) -> None:
        self.snapshot: Status
        """The status at the beginning, or in the newest `snapshot` event."""
        self._connect = connect
        self._topics = topics
        self._closed = threading.Event()
        self._backoff = Backoff()
        self._subscribe(link)

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the subscription. Further calls have no effect."""
        self._closed.set()
        self._link.close()

    def __next__(self) -> Event:
        while not self._closed.is_set():
            try:
                event = event_in(self._link.receive())
            except errors.InitdError as error:
                return self._again(error)
            if event is not None:
                self.snapshot = event.get("snapshot", self.snapshot)
                return event
        raise StopIteration

    def _again(self, error: errors.InitdError) -> Event:
        while not self._closed.is_set():
            if not errors.may_pass(error):
                raise error
            if self._closed.wait(self._backoff.next(error)):
                break
            try:
                self._subscribe(self._connect())
                return {"topic": "snapshot", "snapshot": self.snapshot}
            except errors.InitdError as failure:
                error = failure
        raise StopIteration

    def _subscribe(self, link: Link) -> None:
        self._link = link
        try:
            self.snapshot = link.ask("subscribe", requests.subscribe(self._topics))["snapshot"]
        except BaseException:
            link.close()
            raise
        if self._closed.is_set():  # It was closed meanwhile, with the former link.
            link.close()
        self._backoff.reset()
