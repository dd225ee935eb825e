"""A dialer: it connects to one supervisor, again and again if need be, until it is stopped."""

from __future__ import annotations

import time
from typing import Callable, Optional, TypeVar

from . import errors
from .link import Link
from .socket_path import Path
from .waiting import Waiting
from .wake import Wake

Result = TypeVar("Result")


class Dialer:
    """Makes links to the supervisor at `path`, for one thread at a time. Any thread, and a signal handler, may stop it."""

    def __init__(self, path: Optional[Path], name: Optional[str], version: str, wake: Optional[Wake] = None) -> None:
        self._path = path
        self._name = name
        self._version = version
        self.is_stopped = False
        """Whether `stop` was called."""
        self._wake = wake or Wake()
        self._opening: Optional[Link] = None

    def another(self) -> Dialer:
        """A dialer for the same supervisor."""
        return Dialer(self._path, self._name, self._version)

    def wait(self, limit: Optional[float]) -> Link:
        """A link, once a supervisor answers, but within `limit` seconds. Raises an `InitdError`."""
        return self.until(lambda link: link, limit=limit)

    def until(
        self,
        use: Callable[[Link], Result],
        *,
        lost: Optional[errors.InitdError] = None,
        limit: Optional[float] = None,
    ) -> Result:
        """Connects until `use` succeeds with a link, and returns its result. After a loss, `lost` is the reason of that.

        Raises the error of an attempt if waiting doesn't cure it, or after `limit` seconds; `ConnectionClosed` once it is stopped.
        """
        error = lost
        if not self.is_stopped:
            with Waiting(self._path, limit, after_loss=lost is not None) as waiting:
                while error is None or self._sleep(waiting.delay(error)):
                    try:
                        return use(self._link(waiting.patience))
                    except errors.InitdError as failure:
                        error = failure
        raise errors.ConnectionClosed("cannot connect: this side was closed")

    def stop(self) -> None:
        """Ends the attempt or the wait that is under way, and each later one."""
        self.is_stopped = True
        self._wake.set()
        if (link := self._opening) is not None:
            link.shut()

    def _link(self, patience: float) -> Link:
        self._opening = link = Link.to(self._path)
        try:
            if self.is_stopped:
                link.shut()
            link.hello(self._name, self._version, patience)
        finally:
            self._opening = None
        return link

    def _sleep(self, seconds: float) -> bool:
        """Waits this many seconds, or until `stop`. Returns whether it wasn't stopped."""
        until = time.monotonic() + seconds
        while not self.is_stopped and (left := until - time.monotonic()) > 0:
            self._wake.wait(left)
        return not self.is_stopped
