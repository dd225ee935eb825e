"""A link of `asyncio`: a connected socket that one task reads. Any task may send and close."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Optional

from .. import errors, messages, session, socket_path

_CHUNK = 65536


class AsyncLink:
    """A connection to a supervisor, after hello. Made by `to`."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.session: session.Session[asyncio.Future[Any]] = session.Session()
        self._reader = reader
        self._writer = writer
        self._draining = asyncio.Lock()

    @classmethod
    async def to(cls, path: Optional[socket_path.Path], name: Optional[str], version: str, patience: float) -> AsyncLink:
        """Connects and sends hello, and waits `patience` seconds for the answer.

        Raises `NoSupervisor`, `UnsupportedProtocol`, `NotPermitted`, `ProtocolError` or `ConnectionLost`.
        """
        where = socket_path.resolve(path)
        try:
            link = cls(*await asyncio.open_unix_connection(where))
        except OSError as error:
            raise socket_path.unreachable(where, error) from error
        try:
            hello = link.ask("hello", session.hello(name, version))
            link.session.greeted(await asyncio.wait_for(hello, patience))
        except asyncio.TimeoutError:
            await link.close()
            raise socket_path.silent(patience) from None
        except BaseException:
            await link.close()
            raise
        return link

    async def ask(self, method: str, params: Optional[dict[str, Any]] = None) -> Any:
        """Sends a request and reads until its result. Only for the reading task. Raises the error that answers it, or the reason of the end."""
        answer = asyncio.get_running_loop().create_future()
        id, frame = self.session.request(answer, method, params)
        others = []
        try:
            with contextlib.suppress(errors.ConnectionLost):  # The peer may have said why it closed the connection.
                await self.send(frame)
            while not answer.done():
                message = await self.receive()
                if isinstance(message, messages.Answer):
                    self.session.settle(message)
                else:
                    others.append(message)
            return answer.result()
        except errors.InitdError:
            if answer.done():
                answer.exception()  # Otherwise asyncio reports that the result was never retrieved.
            raise
        finally:
            self.session.abandon(id)
            self.session.keep(others)

    async def send(self, frame: bytes) -> None:
        """Sends a frame. Raises the reason of the end."""
        if self.session.ended is not None:
            raise self.session.ended
        try:
            self._writer.write(frame)
            async with self._draining:
                await self._writer.drain()
        except OSError as error:
            raise self.session.ended or errors.ConnectionLost(f"cannot send: {error.strerror or error}") from error

    async def receive(self) -> messages.Message:
        """The next message. Raises the reason of the end, once there are no more messages."""
        while True:
            try:
                if (message := self.session.next()) is not None:
                    return message
                self.session.feed(await self._reader.read(_CHUNK))
            except errors.InitdError as error:  # Before OSError: a `ConnectionLost` is one.
                raise self.end(error) from None
            except OSError as error:
                raise self.end(errors.ConnectionLost(f"the connection was lost: {error.strerror or error}")) from error

    def end(self, reason: errors.InitdError) -> errors.InitdError:
        """Closes the connection because of `reason`, and returns the reason that counts: the first one."""
        self._writer.transport.abort()
        return self.session.end(reason)

    async def close(self) -> None:
        """Closes the connection. Further calls have no effect."""
        self.end(errors.ConnectionClosed("the connection was closed"))
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
