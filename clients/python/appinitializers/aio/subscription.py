"""The events of a supervisor, as an asynchronous iterator."""

from __future__ import annotations

from typing import AsyncIterator, Optional, Sequence, cast

from .. import errors, requests
from ..messages import event_in
from ..shapes import Event, Status
from .dialer import AsyncDialer
from .link import AsyncLink


class AsyncSubscription(AsyncIterator[Event]):
    """`Subscription` for `async for`. It subscribes when an `async with` block begins, else at the first step of the loop."""

    def __init__(self, dialer: AsyncDialer, limit: Optional[float], topics: Sequence[str]) -> None:
        self.snapshot = cast(Status, {})
        """The status at the beginning, or in the newest `snapshot` event. Empty before the subscription has begun."""
        self._dialer = dialer
        self._limit = limit
        self._topics = topics
        self._link: Optional[AsyncLink] = None

    async def __aenter__(self) -> AsyncSubscription:
        await self._begun()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the subscription. Further calls have no effect."""
        self._dialer.is_stopped = True
        if self._link is not None:
            await self._link.close()

    async def __anext__(self) -> Event:
        link = await self._begun()
        while not self._dialer.is_stopped:
            try:
                event = event_in(await link.receive())
            except errors.InitdError as error:
                return await self._again(error)
            if event is not None:
                self.snapshot = event.get("snapshot", self.snapshot)
                return event
        raise StopAsyncIteration

    async def _begun(self) -> AsyncLink:
        return self._link or await self._subscribe(await self._dialer.wait(self._limit))

    async def _again(self, error: errors.InitdError) -> Event:
        try:
            await self._dialer.until(self._subscribe, lost=error)
        except errors.ConnectionClosed:
            raise StopAsyncIteration from None
        return {"topic": "snapshot", "snapshot": self.snapshot}

    async def _subscribe(self, link: AsyncLink) -> AsyncLink:
        try:
            self.snapshot = (await link.ask("subscribe", requests.subscribe(self._topics)))["snapshot"]
        except BaseException:
            await link.close()
            raise
        self._link = link
        if self._dialer.is_stopped:  # The subscription was closed in the meantime, with the former link.
            await link.close()
        return link
