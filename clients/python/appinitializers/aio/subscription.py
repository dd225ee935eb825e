"""The events of a supervisor, as an asynchronous iterator."""

from __future__ import annotations

import asyncio
from typing import AsyncIterator, Optional, Sequence

from .. import errors, requests
from ..backoff import Backoff
from ..messages import event_in
from ..shapes import Event, Status
from .link import AsyncLink, Connect


class AsyncSubscription(AsyncIterator[Event]):
    """`Subscription` for `async for`. It subscribes when an `async with` block begins, else at the first step of the loop."""

    def __init__(self, first: Connect, connect: Connect, topics: Sequence[str]) -> None:
        self.snapshot: Status = {}
        """The status at the beginning, or in the newest `snapshot` event."""
        self._first = first
        self._connect = connect
        self._topics = topics
        self._closed = False
        self._backoff = Backoff()
        self._link: Optional[AsyncLink] = None

    async def __aenter__(self) -> AsyncSubscription:
        if self._link is None:
            self._link = await self._subscribed(self._first)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the subscription. Further calls have no effect."""
        self._closed = True
        if self._link is not None:
            await self._link.close()

    async def __anext__(self) -> Event:
        while not self._closed:
            try:
                self._link = self._link or await self._subscribed(self._first)
                event = event_in(await self._link.receive())
            except errors.InitdError as error:
                return await self._again(error)
            if event is not None:
                self.snapshot = event.get("snapshot", self.snapshot)
                return event
        raise StopAsyncIteration

    async def _again(self, error: errors.InitdError) -> Event:
        while not self._closed:
            if self._link is None or not errors.may_pass(error):
                raise error
            await asyncio.sleep(self._backoff.next(error))
            try:
                self._link = await self._subscribed(self._connect)
                return {"topic": "snapshot", "snapshot": self.snapshot}
            except errors.InitdError as failure:
                error = failure
        raise StopAsyncIteration

    async def _subscribed(self, connect: Connect) -> AsyncLink:
        link = await connect()
        try:
            self.snapshot = (await link.ask("subscribe", requests.subscribe(self._topics)))["snapshot"]
        except BaseException:
            await link.close()
            raise
        if self._closed:  # It was closed meanwhile, with the former link.
            await link.close()
        self._backoff.reset()
        return link
