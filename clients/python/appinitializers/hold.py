"""A hold: the app stays active as long as it exists."""

from __future__ import annotations

import logging
import threading
from typing import Callable

from . import errors
from .backoff import Backoff
from .connection import Connection
from .link import Link
from .session import HELLO_TIMEOUT
from .shapes import Activated

_log = logging.getLogger(__package__)


class Hold:
    """Holds the app active, from its creation until `release`, the end of its `with` block, or the end of this process.

    It has a connection of its own. If that is lost, it connects again and activates the app again.
    """

    def __init__(self, link: Link, connect: Callable[[], Link]) -> None:
        self.activated: Activated
        """The answer to the request: `pass`, `active` and `launch`."""
        self._connect = connect
        self._released = threading.Event()
        self._connection: Connection
        self._lock = threading.Lock()
        self._hold(link)

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Ends the hold. If it was the last one, and nobody has activated the app without a hold, the app is deactivated."""
        self._released.set()
        with self._lock:
            connection = self._connection
        try:
            connection.request("release", timeout=HELLO_TIMEOUT)
        except (errors.InitdError, TimeoutError) as error:
            _log.info("the hold has ended with its connection: %s", error)
        self._link.shut()  # It may be waiting for an answer to `activate`.
        connection.close()

    def _hold(self, link: Link) -> None:
        self._link = link
        try:
            activated = link.ask("activate", {"hold": True})
        except BaseException:
            link.close()
            raise
        with self._lock:
            self.activated, self._connection = activated, Connection(link, on_close=self._lost)
        if self._released.is_set():  # It was released meanwhile, with the former connection.
            self._connection.close()

    def _lost(self, reason: errors.InitdError) -> None:
        backoff = Backoff()
        while errors.may_pass(reason) and not self._released.wait(backoff.next(reason)):
            try:
                return self._hold(self._connect())
            except errors.InitdError as error:
                reason = error
        if not self._released.is_set():
            _log.error("the app is no longer held active: %s", reason)
