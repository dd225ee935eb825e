"""A hold of `asyncio`: the app stays active as long as it exists."""

from __future__ import annotations

import asyncio
import logging
from typing import Optional

from .. import errors
from ..session import HELLO_TIMEOUT
from ..shapes import Activated
from .connection import AsyncConnection
from .dialer import AsyncDialer
from .link import AsyncLink

_log = logging.getLogger("appinitializers")


class AsyncHold:
    """`Hold` for `async with`."""

    def __init__(self, dialer: AsyncDialer, limit: Optional[float]) -> None:
        self.activated: Activated
        """The answer to the request: `pass`, `active` and `launch`."""
        self._dialer = dialer
        self._limit = limit

    async def __aenter__(self) -> AsyncHold:
        await self._hold(await self._dialer.wait(self._limit))
        self._keeper = asyncio.ensure_future(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._keeper.cancel()
        await asyncio.wait([self._keeper])
        try:
            await self._connection.request("release", timeout=HELLO_TIMEOUT)
        except errors.InitdError as error:
            _log.info("the hold has ended with its connection: %s", error)
        finally:
            await self._connection.close()

    async def _hold(self, link: AsyncLink) -> None:
        try:
            activated = await link.ask("activate", {"hold": True})
        except BaseException:
            await link.close()
            raise
        self.activated, self._connection = activated, AsyncConnection(link)

    async def _keep(self) -> None:
        try:
            while True:
                reason = await self._connection.ended()
                await self._dialer.until(self._hold, lost=reason)
        except errors.InitdError as error:
            _log.error("the app is no longer held active: %s", error)
