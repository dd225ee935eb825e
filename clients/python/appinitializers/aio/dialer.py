"""A dialer of `asyncio`: it connects to one supervisor, again and again if need be, until it is stopped."""

from __future__ import annotations

import asyncio
from typing import Awaitable, Callable, Optional, TypeVar

from .. import errors
from ..socket_path import Path
from ..waiting import Waiting
from .link import AsyncLink

Result = TypeVar("Result")


class AsyncDialer:
    """`Dialer` for `asyncio`."""

    def __init__(self, path: Optional[Path], name: Optional[str], version: str) -> None:
        self._path = path
        self._name = name
        self._version = version
        self.is_stopped = False
        """Set it to end the wait that is under way after its next attempt, and each later one at once."""

    def another(self) -> AsyncDialer:
        """A dialer for the same supervisor."""
        return AsyncDialer(self._path, self._name, self._version)

    async def wait(self, limit: Optional[float]) -> AsyncLink:
        """A link, once a supervisor answers, but within `limit` seconds. Raises an `InitdError`."""

        async def keep(link: AsyncLink) -> AsyncLink:
            return link

        return await self.until(keep, limit=limit)

    async def until(
        self, use: Callable[[AsyncLink], Awaitable[Result]], *, lost: Optional[errors.InitdError] = None, limit: Optional[float] = None
    ) -> Result:
        """See `Dialer.until`."""
        error = lost
        with Waiting(self._path, limit, after_loss=lost is not None, later=asyncio.get_running_loop().call_later) as waiting:
            while True:
                if error is not None:
                    await asyncio.sleep(waiting.delay(error))
                if self.is_stopped:
                    raise errors.ConnectionClosed("cannot connect: this side was closed")
                try:
                    return await use(await AsyncLink.to(self._path, self._name, self._version, waiting.patience))
                except errors.InitdError as failure:
                    error = failure
