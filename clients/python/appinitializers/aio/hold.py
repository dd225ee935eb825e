"""A hold of `asyncio`: the app stays active as long as it exists."""

from __future__ import annotations

import asyncio
import logging
from .. import errors
from ..backoff import Backoff
from ..session import HELLO_TIMEOUT
from ..shapes import Activated
from .connection import AsyncConnection
from .link import Connect

_log = logging.getLogger("appinitializers")


class AsyncHold:
    """`Hold` for `async with`."""

    def __init__(self, first: Connect, connect: Connect) -> None:
        self.activated: Activated
        """The answer to the request: `pass`, `active` and `launch`."""
        self._first = first
        self._connect = connect

    async def __aenter__(self) -> AsyncHold:
        await self._hold(self._first)
        self._keeper = asyncio.ensure_future(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._keeper.cancel()
        await asyncio.wait([self._keeper])
        try:
            await asyncio.wait_for(self._connection.request("release"), HELLO_TIMEOUT)
        except (errors.InitdError, asyncio.TimeoutError) as error:
            _log.info("the hold has ended with its connection: %s", error)
        finally:
            await self._connection.close()

    async def _hold(self, connect: Connect) -> None:
        link = await connect()
        try:
            activated = await link.ask("activate", {"hold": True})
        except BaseException:
            await link.close()
            raise
        self.activated, self._connection = activated, AsyncConnection(link)

    async def _keep(self) -> None:
        backoff = Backoff()
        reason = await self._connection.ended()
        while errors.may_pass(reason):
            await asyncio.sleep(backoff.next(reason))
            try:
                await self._hold(self._connect)
            except errors.InitdError as error:
                reason = error
                continue
            backoff.reset()
            reason = await self._connection.ended()
        _log.error("the app is no longer held active: %s", reason)
