"""A hold: the app stays active as long as it exists."""

from __future__ import annotations

import logging
import threading
from typing import Optional

from . import errors
from .connection import Connection
from .dialer import Dialer
from .link import Link
from .session import HELLO_TIMEOUT
from .shapes import Activated

_log = logging.getLogger(__package__)


class Hold:
    """Holds the app active, from its creation until `release`, the end of its `with` block, or the end of this process.

    A hold has a connection of its own. If that is lost, it connects again and activates the app again. An error that waiting doesn't cure
    ends the hold, and is logged.
    """

    def __init__(self, dialer: Dialer, limit: Optional[float]) -> None:
        self.activated: Activated
        """The answer to the request: `pass`, `active` and `launch`."""
        self._dialer = dialer
        self._connection: Connection
        self._lock = threading.Lock()
        self._hold(dialer.wait(limit))

    def __enter__(self) -> Hold:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Ends the hold. If it was the last hold, and no client has activated the app without a hold, the app is deactivated."""
        self._dialer.stop()
        with self._lock:
            connection = self._connection
        try:
            connection.request("release", timeout=HELLO_TIMEOUT)
        except errors.InitdError as error:
            _log.info("the hold has ended with its connection: %s", error)
        self._link.shut()  # The link may be waiting for an answer to `activate`.
        connection.close()

    def _hold(self, link: Link) -> None:
        self._link = link
        if self._dialer.is_stopped:  # The hold was released in the meantime: no further activation.
            link.shut()
        try:
            activated = link.ask("activate", {"hold": True})
        except BaseException:
            link.close()
            raise
        with self._lock:
            self.activated, self._connection = activated, Connection(link, on_close=self._lost)
        if self._dialer.is_stopped:  # The hold was released in the meantime, with the former connection.
            self._connection.close()

    def _lost(self, reason: errors.InitdError) -> None:
        try:
            self._dialer.until(self._hold, lost=reason)
        except errors.InitdError as error:
            if not self._dialer.is_stopped:
                _log.error("the app is no longer held active: %s", error)
