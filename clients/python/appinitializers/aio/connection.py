"""A connection of `asyncio`: one link, and one task that reads it."""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from .. import errors, messages
from .link import AsyncLink


class AsyncConnection:
    """Sends requests, several at once, and matches their answers."""

    def __init__(self, link: AsyncLink) -> None:
        self.session = link.session
        self._link = link
        self._reader = asyncio.ensure_future(self._read())

    async def request(self, method: str, params: Optional[dict[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Sends a request and waits for its result.

        Raises a `RequestError` if the supervisor refuses, `ConnectionLost`, `FrameTooLarge`, or `TimedOut` after `timeout` seconds.
        """
        answer = asyncio.get_running_loop().create_future()
        id, frame = self.session.request(answer, method, params)
        try:
            await self._link.send(frame)
            return await asyncio.wait_for(answer, timeout)
        except errors.InitdError:
            raise  # The error may be a `TimedOut`, which is also a TimeoutError.
        except asyncio.TimeoutError:  # Before Python 3.11, asyncio's TimeoutError isn't the built-in one.
            raise errors.no_answer(method, timeout) from None
        finally:
            self.session.abandon(id)

    async def ended(self) -> errors.InitdError:
        """Waits until the connection ends, and returns the reason."""
        return await asyncio.shield(self._reader)

    async def close(self) -> None:
        """Closes the connection. Further calls have no effect."""
        await self._link.close()
        await asyncio.wait([self._reader])

    async def _read(self) -> errors.InitdError:
        try:
            while True:
                message = await self._link.receive()
                if isinstance(message, messages.Answer):
                    self.session.settle(message)
        except errors.InitdError as error:
            return error
        finally:
            await self._link.close()
