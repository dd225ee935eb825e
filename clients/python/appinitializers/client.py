"""The blocking client: one method for each request, and the scopes of a subscription and a hold.

Times are seconds since the Unix epoch, durations are seconds.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Mapping, Optional, Sequence, cast

from . import pages, requests
from .connection import Connection
from .dialer import Dialer
from .hold import Hold
from .shapes import Activated, Launched, LogLine, PassRecord, Reloaded, State, Status
from .socket_path import Path
from .subscription import Subscription
from .version import __version__
from .words import Target


class Client:
    """A client of the supervisor at `path`; by default the path follows the protocol's rule.

    The client connects when a `with` block begins, otherwise with the first request. It waits `connect_timeout` seconds for a supervisor
    that isn't running yet; 0 makes one attempt, and None waits indefinitely. The supervisor shows `name` and `version`; the name is by
    default that of the program.

        with Client() as client:
            client.activate()
            client.wait("ready", timeout=30)

    If the connection is lost, open requests raise `ConnectionLost`, and the next request connects again. Every method raises a `RequestError`
    if the supervisor refuses the request, and `NoSupervisor` or `ConnectionLost` if none answers. Methods may be called from several threads.
    """

    def __init__(
        self, path: Optional[Path] = None, *, name: Optional[str] = None, version: str = __version__, connect_timeout: Optional[float] = 30.0
    ) -> None:
        self._dialer = Dialer(path, name, version)
        self._connect_timeout = connect_timeout
        self._lock = threading.Lock()
        self._connection: Optional[Connection] = None

    def __enter__(self) -> Client:
        self._connected()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connection. Requests that are open raise `ConnectionClosed`. Subscriptions and holds end with their own scopes."""
        self._dialer.stop()
        with self._lock:
            connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def server(self) -> Mapping[str, Any]:
        """The supervisor's `name` and `version`."""
        return self._connected().session.server

    @property
    def instance(self) -> str:
        """Identifies one execution of a supervisor. If it differs, passes and runs count from 1 again."""
        return self._connected().session.instance

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        return self._connected().session.pid

    def request(self, method: str, params: Optional[Mapping[str, Any]] = None, *, timeout: Optional[float] = None) -> Any:
        """Sends any request of the protocol, and returns its result. Raises `TimedOut` without an answer within `timeout` seconds."""
        return self._connected().request(method, None if params is None else dict(params), timeout=timeout)

    # Queries

    def ping(self, params: Optional[Mapping[str, Any]] = None) -> dict[str, Any]:
        """Sends `params`, and returns the same object from the supervisor."""
        return cast("dict[str, Any]", self.request("ping", params or {}))

    def status(self) -> Status:
        """The complete state of the supervisor at one moment."""
        return cast(Status, self.request("status"))

    def history(
        self, limit: int = 1, *, pass_: Optional[int] = None, phase: Optional[str] = None, in_flight: bool = False
    ) -> list[PassRecord]:
        """The last `limit` passes with their runs, the newest last; or one pass, or the passes of one phase."""
        return cast("list[PassRecord]", pages.passes(self._pages("history", requests.history(limit, pass_, phase, in_flight))))

    def logs(self, initializer: Optional[str] = None, limit: int = 1000) -> list[LogLine]:
        """The last `limit` output lines of commands; of one initializer, or of all."""
        return cast("list[LogLine]", pages.lines(self._pages("logs", requests.logs(initializer, limit))))

    def _pages(self, method: str, params: dict[str, Any]) -> list[dict[str, Any]]:
        """All pages of an answer, the newest first."""
        answers = []
        following: Optional[dict[str, Any]] = params
        while following is not None:
            answers.append(self.request(method, following))
            following = pages.next_page(params, answers[-1])
        return answers

    def wait(
        self,
        state: Optional[Target] = None,
        *,
        initializer: Optional[str] = None,
        pass_: Optional[int] = None,
        timeout: Optional[float] = None,
        appear: bool = False,
    ) -> State:
        """Waits for `state` ("ready", "launch", "active" or "composite"), an initializer, or a pass; by default for "ready".

        Returns the state as soon as it isn't pending, even if it is failed or cancelled. Raises `TimedOut` after `timeout` seconds, and
        `UnknownInitializer` for a name that isn't declared, unless `appear` is set. If the supervisor itself doesn't answer within that
        time and 5 s, the `status` of the `TimedOut` is None.
        """
        params = requests.wait(state, initializer, pass_, timeout, appear)
        return cast(State, self.request("wait", params, timeout=requests.patience(timeout)))

    # The app's lifecycle

    def launch(self) -> Launched:
        """Starts the launch pass, joins the running one, or retries a failed one. Doesn't wait for the pass."""
        return cast(Launched, self.request("launch"))

    def activate(self) -> Activated:
        """Makes the app active, and starts an active pass or joins the running one. Doesn't wait: `wait(pass_=activated["pass"])` does."""
        return cast(Activated, self.request("activate"))

    def hold(self) -> Hold:
        """Holds the app active, until the end of a `with` block or of this process.

            with client.hold():
                client.wait("ready")

        The hold has a connection of its own. If that is lost, the hold connects again and activates the app again.
        """
        return Hold(self._dialer.another(), self._connect_timeout)

    def deactivate(self, wait: bool = False) -> list[str]:
        """Cancels the active pass, and ends all holds. Returns the names of the cancelled runs; with `wait` once they have stopped."""
        return cast("list[str]", self.request("deactivate", {"wait": wait})["cancelled"])

    def rerun(self, names: Sequence[str], *, with_dependents: bool = False) -> list[int]:
        """Runs initializers again, all or none; with `with_dependents` also their dependents, which otherwise become stale.

        Returns the numbers of the passes. Doesn't wait: `wait(pass_=number)` does. Raises `Inactive` for an active initializer while the app
        is inactive, and `NotRunning` for one that `--only` or `--skip` leaves out.
        """
        return cast("list[int]", self.request("rerun", requests.rerun(names, with_dependents))["passes"])

    def cancel(self, names: Sequence[str]) -> list[str]:
        """Cancels the runs of initializers, as their timeouts would, all or none: each run has failed, and isn't retried.

        Returns the names of the initializers once the runs have stopped. Raises `NotRunning` for a name that neither runs nor waits for its
        next attempt.
        """
        return cast("list[str]", self.request("cancelRun", {"initializers": list(names)})["cancelled"])

    def unregister(self, names: Sequence[str]) -> None:
        """Removes initializers without a live provider, all or none. Raises `NameConflict`."""
        self.request("unregister", {"names": list(names)})

    def reload(self, *, dry_run: bool = False, with_dependents: bool = False) -> Reloaded:
        """Makes the supervisor read its configuration again and apply the differences; with `dry_run` it only says what would change.

        Dependents of initializers that run again become stale; with `with_dependents` they also run again. Doesn't wait for the passes.
        Raises `InvalidManifest` or `UnreadableManifest` if nothing has changed because of mistakes.
        """
        return cast(Reloaded, self.request("reload", requests.reload(dry_run, with_dependents)))

    def shutdown(self) -> None:
        """Shuts the supervisor down. It answers at once, and then stops everything."""
        self.request("shutdown")

    # Events

    def subscribe(self, *topics: str) -> Subscription:
        """The events of `topics` (by default launch, active and composite), from a snapshot on.

            with client.subscribe("pass") as events:
                for event in events:
                    print(event["pass"], event["status"])

        Each subscription has a connection of its own.
        """
        return Subscription(self._dialer.another(), self._connect_timeout, topics)

    # Connecting

    def _connected(self) -> Connection:
        connection = self._connection
        if connection is not None and connection.is_open:
            return connection
        begun, limit = time.monotonic(), self._connect_timeout
        with self._lock:
            if self._connection is None or not self._connection.is_open:
                left = limit and max(0.0, begun + limit - time.monotonic())  # Another thread may have waited before.
                self._connection = Connection(self._dialer.wait(left))
            return self._connection
