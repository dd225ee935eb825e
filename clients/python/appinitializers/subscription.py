"""The events of a supervisor, as an iterator."""

from __future__ import annotations

from typing import Iterator, Optional, Sequence

from . import errors, requests
from .dialer import Dialer
from .link import Link
from .messages import event_in
from .shapes import Event, Status


class Subscription(Iterator[Event]):
    """The events of one subscription, in order. It begins with `snapshot`; every event follows it.

    A `snapshot` event replaces everything known before, and `snapshot` too. A snapshot comes after `lagged`, if this program has read too
    slowly, and when the connection was lost and a supervisor answers again. The event `shutdown` says that the supervisor is shutting down.
    The subscription continues with the next supervisor; leave the loop if you don't want that.

    The iterator ends when the subscription is closed. It raises an `InitdError` if connecting again is impossible, e.g. because permission
    is denied. One thread reads; any thread may close.
    """

    def __init__(self, dialer: Dialer, limit: Optional[float], topics: Sequence[str]) -> None:
        self.snapshot: Status
        """The status at the beginning, or in the newest `snapshot` event."""
        self._dialer = dialer
        self._topics = topics
        self._subscribe(dialer.wait(limit))

    def __enter__(self) -> Subscription:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the subscription. Further calls have no effect."""
        self._dialer.stop()
        self._link.close()

    def __next__(self) -> Event:
        while not self._dialer.is_stopped:
            try:
                event = event_in(self._link.receive())
            except errors.InitdError as error:
                return self._again(error)
            if event is not None:
                self.snapshot = event.get("snapshot", self.snapshot)
                return event
        raise StopIteration

    def _again(self, error: errors.InitdError) -> Event:
        try:
            self._dialer.until(self._subscribe, lost=error)
        except errors.ConnectionClosed:
            raise StopIteration from None
        return {"topic": "snapshot", "snapshot": self.snapshot}

    def _subscribe(self, link: Link) -> None:
        self._link = link
        if self._dialer.is_stopped:  # The subscription was closed in the meantime, with the former link.
            link.shut()
        try:
            self.snapshot = link.ask("subscribe", requests.subscribe(self._topics))["snapshot"]
        except BaseException:
            link.close()
            raise
