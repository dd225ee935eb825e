"""The asynchronous client: `Client` for programs with `asyncio`."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Mapping, Optional, Sequence, cast

from .. import errors, pages, requests
from ..shapes import Activated, Launched, LogLine, PassRecord, Reloaded, State, Status
from ..socket_path import Path
from ..version import __version__
from ..words import Target
from .connection import AsyncConnection
from .dialer import AsyncDialer
from .hold import AsyncHold
from .subscription import AsyncSubscription


class AsyncClient:
    """A client of the supervisor at `path`, with the arguments, methods and errors of `Client`.

        async with AsyncClient() as client:
            await client.activate()
            await client.wait("ready", timeout=30)

    All its methods belong to one event loop. A request whose task is cancelled is abandoned.
    """

    def __init__(
        self, path: Optional[Path] = None, *, name: Optional[str] = None, version: str = __version__, connect_timeout: Optional[float] = 30.0
    ) -> None:
        self._dialer = AsyncDialer(path, name, version)
        self._connect_timeout = connect_timeout
        self._lock: Optional[asyncio.Lock] = None
        self._connection: Optional[AsyncConnection] = None

    async def __aenter__(self) -> AsyncClient:
        await self._connected()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connection. Requests that are open raise `ConnectionClosed`. Subscriptions and holds end with their own scopes."""
        self._dialer.is_stopped = True
        if self._connection is not None:
            await self._connection.close()

    @property
    def server(self) -> Mapping[str, Any]:
        """The supervisor's `name` and `version`, of the last connection."""
        return self._connection.session.server if self._connection else {}

    @property
    def instance(self) -> str:
        """Identifies one execution of a supervisor: that of the last connection."""
        return self._connection.session.instance if self._connection else ""

    @property
    def pid(self) -> int:
        """The supervisor's process id, of the last connection."""
        return self._connection.session.pid if self._connection else 0

    async def request(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Sends any request of the protocol, and returns its result. Raises `TimedOut` without an answer within `timeout` seconds."""
        connection = await self._connected()
        return await connection.request(method, None if params is None else dict(params), timeout=timeout)

    # Queries

    async def ping(self, params: Optional[Mapping[str, Any]] = None) -> dict[str, Any]:
        """See `Client.ping`."""
        return cast("dict[str, Any]", await self.request("ping", params or {}))

    async def status(self) -> Status:
        """See `Client.status`."""
        return cast(Status, await self.request("status"))

    async def history(
        self, limit: int = 1, *, pass_: Optional[int] = None, phase: Optional[str] = None, in_flight: bool = False
    ) -> list[PassRecord]:
        """See `Client.history`."""
        answers = await self._pages("history", requests.history(limit, pass_, phase, in_flight))
        return cast("list[PassRecord]", pages.passes(answers))

    async def logs(self, initializer: Optional[str] = None, limit: int = 1000) -> list[LogLine]:
        """See `Client.logs`."""
        return cast("list[LogLine]", pages.lines(await self._pages("logs", requests.logs(initializer, limit))))

    async def _pages(self, method: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        """All pages of an answer, the newest first."""
        answers = []
        following: Optional[dict[str, Any]] = params
        while following is not None:
            answers.append(await self.request(method, following))
            following = pages.next_page(params, answers[-1])
        return answers

    async def wait(
        self,
        state: Optional[Target] = None,
        *,
        initializer: Optional[str] = None,
        pass_: Optional[int] = None,
        timeout: Optional[float] = None,
        appear: bool = False,
    ) -> State:
        """See `Client.wait`."""
        params = requests.wait(state, initializer, pass_, timeout, appear)
        return cast(State, await self.request("wait", params, timeout=requests.patience(timeout)))

    # The app's lifecycle

    async def launch(self) -> Launched:
        """See `Client.launch`."""
        return cast(Launched, await self.request("launch"))

    async def activate(self) -> Activated:
        """See `Client.activate`."""
        return cast(Activated, await self.request("activate"))

    def hold(self) -> AsyncHold:
        """Holds the app active during an `async with` block; see `Client.hold`."""
        return AsyncHold(self._dialer.another(), self._connect_timeout)

    async def deactivate(self, wait: bool = False) -> list[str]:
        """See `Client.deactivate`."""
        return cast("list[str]", (await self.request("deactivate", {"wait": wait}))["cancelled"])

    async def rerun(self, names: Sequence[str], *, with_dependents: bool = False) -> list[int]:
        """See `Client.rerun`."""
        return cast("list[int]", (await self.request("rerun", requests.rerun(names, with_dependents)))["passes"])

    async def cancel(self, names: Sequence[str]) -> list[str]:
        """See `Client.cancel`."""
        return cast("list[str]", (await self.request("cancelRun", {"initializers": list(names)}))["cancelled"])

    async def unregister(self, names: Sequence[str]) -> None:
        """See `Client.unregister`."""
        await self.request("unregister", {"names": list(names)})

    async def reload(self, *, dry_run: bool = False, with_dependents: bool = False) -> Reloaded:
        """See `Client.reload`."""
        return cast(Reloaded, await self.request("reload", requests.reload(dry_run, with_dependents)))

    async def shutdown(self) -> None:
        """See `Client.shutdown`."""
        await self.request("shutdown")

    # Events

    def subscribe(self, *topics: str) -> AsyncSubscription:
        """The events of `topics`, from a snapshot on; see `Client.subscribe`.

            async with client.subscribe("pass") as events:
                async for event in events:
                    print(event["pass"], event["status"])
        """
        return AsyncSubscription(self._dialer.another(), self._connect_timeout, topics)

    # Connecting

    async def _connected(self) -> AsyncConnection:
        self._lock = self._lock or asyncio.Lock()  # In Python 3.9 a lock belongs to the loop in which it is made.
        begun, limit = time.monotonic(), self._connect_timeout
        async with self._lock:
            if self._connection is None or self._connection.session.ended is not None:
                left = limit and max(0.0, begun + limit - time.monotonic())  # Another task may have waited before.
                connection = AsyncConnection(await self._dialer.wait(left))
                if self._dialer.is_stopped:
                    await connection.close()
                    raise errors.ConnectionClosed("cannot send: the client was closed")
                self._connection = connection
            return self._connection
