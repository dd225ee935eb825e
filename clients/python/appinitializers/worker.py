"""A worker: functions that the supervisor runs when their turn comes.

Rule 1. No function runs twice at once in this process: after a lost connection, the worker registers again only when all old runs have
stopped.
Rule 2. One loop, on the thread that called `run`, makes all decisions: connect, register, wait, reconnect. Other threads and signal handlers
only wake it.
Rule 3. After `stop`, every wait is limited by the cancel grace, and remaining threads don't keep the program from exiting.
"""

from __future__ import annotations

import logging
import time
from concurrent.futures import Future
from typing import Any, Callable, Iterable, Optional, TypeVar, Union

from . import coroutines, errors, messages
from .connection import Connection
from .context import Context
from .declaration import Retry, declaration
from .dialer import Dialer
from .link import Link
from .runs import Runs
from .session import HELLO_TIMEOUT
from .signals import StoppingSignals
from .socket_path import Path
from .version import __version__
from .wake import Wake
from .words import Priority

_log = logging.getLogger(__package__)

_LONGEST = 1e9
"""The protocol's limit of every duration, in seconds; the locks of Python also have one."""

Function = TypeVar("Function", bound=Callable[[Context], object])
"""An initializer: an ordinary function, or a function that returns an awaitable, such as an `async def`."""


class Worker:
    """Provides initializers to the supervisor at `path`; by default the path follows the protocol's rule.

    Declare functions with `initializer`, then call `run`, which returns after `stop`, SIGTERM or SIGINT. The supervisor shows `name` and
    `version`; the name is by default that of the program.

    It waits indefinitely for a supervisor that isn't running, or at most `connect_timeout` seconds; 0 makes one attempt. After a loss it always
    waits indefinitely. A worker that stops waits `cancel_grace` seconds for its runs.
    """

    def __init__(
        self,
        path: Optional[Path] = None,
        name: Optional[str] = None,
        *,
        version: str = __version__,
        connect_timeout: Optional[float] = None,
        cancel_grace: float = 4.5,
    ) -> None:
        self._path = path
        self._name = name
        self._version = version
        self._connect_timeout = connect_timeout
        self._cancel_grace = cancel_grace
        self._functions: dict[str, Callable[[Context], object]] = {}
        self._declarations: list[dict[str, Any]] = []
        self._wake = Wake()
        self._runs = Runs(self.on_answered, self._run_ended)
        self._is_registered = False
        self._loop: coroutines.EventLoop
        self._dialer: Dialer
        self._give_up: Optional[float]
        self._begin()

    def initializer(
        self,
        name: str,
        *,
        priority: Optional[Priority] = None,
        dependencies: Optional[Iterable[str]] = None,
        timeout: Optional[float] = None,
        retry: Union[Retry, int, None] = None,
        per_process: Optional[bool] = None,
        optional: Optional[bool] = None,
        description: Optional[str] = None,
    ) -> Callable[[Function], Function]:
        """Declares the decorated function, which takes a `Context`, as the initializer `name`. It may be an `async def`.

        Arguments that are left out come from the supervisor's manifest if it declares the name, else from the protocol's defaults.
        `priority` is "appLaunch" or "appActive"; `timeout` is in seconds; `retry` is a `Retry` or a number of attempts;
        `per_process` means that the effect is only in this process's memory. Raises `ValueError` for a name that is declared twice,
        `TypeError` for a generator.
        """
        if name in self._functions:
            raise ValueError(f"cannot declare {name} twice: choose another name")
        declared = declaration(name, priority, dependencies, timeout, retry, per_process, optional, description)

        def declare(function: Function) -> Function:
            coroutines.require_runnable(name, function)
            self._functions[name] = function
            self._declarations.append(declared)
            return function

        return declare

    def run(self) -> None:
        """Connects, registers and runs until `stop`; connects and registers again when the connection is lost.

        On the main thread, SIGTERM and SIGINT end the worker: it unregisters, cancels its runs, answers each run that stops, and stops
        waiting for the other runs after the cancel grace. Such a run doesn't keep the program from exiting. A second signal has its
        previous action.

        Raises `ValueError` without an initializer, `RequestError` if the supervisor refuses the registration, and `NoSupervisor` after
        `connect_timeout`, or if waiting is useless, e.g. because permission is denied.
        """
        with StoppingSignals(self.stop):
            self._serve_until_stopped(coroutines.EventLoop())

    async def serve(self) -> None:
        """`run` for a program with `asyncio`: coroutines run in its loop. When the task is cancelled, it ends as after `stop`.

        The program itself must handle signals, and coroutines that can't be cancelled.
        """
        import asyncio

        from .threads import DaemonThreads

        loop = asyncio.get_running_loop()
        threads = DaemonThreads()
        serving = loop.run_in_executor(threads, self._serve_until_stopped, coroutines.EventLoop(loop))
        threads.shutdown()
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.stop()
            await serving
            raise

    def stop(self) -> None:
        """Makes `run` unregister and return. May be called from any thread and from a signal handler."""
        if self._give_up is None:
            self._give_up = time.monotonic() + min(self._cancel_grace, _LONGEST)
        self._dialer.stop()

    # To be overridden

    def on_connected(self) -> None:
        """Called when the initializers are registered, at first and again after each loss. It must not block: messages wait for it."""

    def on_lost(self, reason: errors.InitdError) -> None:
        """Called when a connection that had registered the initializers is lost, before the runs are cancelled. It must not block."""

    def on_answered(self, context: Context) -> None:
        """Called when a run has ended and its answer was sent. It must not block: runs that follow wait for it."""

    # The loop

    def _begin(self) -> None:
        self._dialer = Dialer(self._path, self._name, self._version, self._wake)
        self._give_up = None  # When a worker that stops waits no longer; None before `stop`.

    def _serve_until_stopped(self, loop: coroutines.EventLoop) -> None:
        if not self._functions:
            raise ValueError("cannot run the worker: it has no initializer; declare one with @worker.initializer")
        self._loop = loop
        patience = 0.0  # An error, e.g. because of a second signal, waits for nothing.
        try:
            self._connect_until_stopped()
            if self._runs:
                _log.warning("stopped waiting for %s, which didn't end within the cancel grace", ", ".join(self._runs.names))
            patience = self._left() or 0.0
        finally:
            self._runs.close()
            loop.close(patience)
            self._begin()

    def _connect_until_stopped(self) -> None:
        reason: Optional[errors.InitdError] = None
        limit = self._connect_timeout
        while True:
            self._wait_while(lambda: bool(self._runs))
            try:
                connection = self._dialer.until(self._registered, lost=reason, limit=limit)
            except errors.InitdError:
                if self._dialer.is_stopped:
                    return
                raise
            try:
                self._wait_while(lambda: connection.is_open and not self._dialer.is_stopped)
                if connection.is_open:
                    self._leave(connection)
            finally:
                connection.close()
            reason, limit = errors.ConnectionLost("the connection was lost"), None

    def _registered(self, link: Link) -> Connection:
        """A connection that has registered the initializers. Raises an `InitdError`."""
        connection: Connection = Connection(
            link,
            on_request=lambda request: self._asked(connection, request),
            on_notification=self._told,
            on_close=self._ended,
        )
        try:
            answer: Future[Any] = Future()
            answer.add_done_callback(self._answered)
            self._await(connection.begin("register", {"initializers": self._declarations}, answer))
        except BaseException:
            connection.close()
            raise
        return connection

    def _leave(self, connection: Connection) -> None:
        try:
            answer = connection.begin("unregister", {"names": list(self._functions)})
            self._runs.cancel_all("unregistered")
            self._await(answer)
        except errors.InitdError as error:
            _log.info("cannot unregister: %s", error)
        self._wait_while(lambda: bool(self._runs))

    def _await(self, answer: Future[Any]) -> None:
        """Waits for an answer; not for long once the worker stops."""
        answer.add_done_callback(lambda _: self._wake.set())
        self._wait_while(lambda: not answer.done(), HELLO_TIMEOUT)
        if not answer.done():
            raise errors.ConnectionLost("the supervisor doesn't answer")
        answer.result()

    def _wait_while(self, condition: Callable[[], bool], limit: float = _LONGEST) -> None:
        """Waits as long as `condition` holds, at most `limit` seconds, and once the worker stops at most for the cancel grace."""
        end = time.monotonic() + limit
        while condition() and (left := min(end, self._give_up or end) - time.monotonic()) > 0:
            self._wake.wait(left)

    def _left(self) -> Optional[float]:
        """Returns how many seconds a worker that stops may still wait; None before `stop`."""
        return None if self._give_up is None else max(0.0, self._give_up - time.monotonic())

    # On the reader thread

    def _asked(self, connection: Connection, request: messages.Request) -> None:
        if request.method != "run":
            connection.refuse(request.id, errors.METHOD_NOT_FOUND, f"unknown method {request.method}")
            return
        try:
            context = Context(connection, request.id, request.params)
            function = self._functions[context.initializer]
        except KeyError as missing:
            connection.refuse(request.id, errors.INVALID_PARAMS, f"cannot run: {missing} is missing or unknown")
            return
        try:
            self._runs.begin(context, function, self._loop)
        except RuntimeError as error:  # The system has no further thread.
            connection.refuse(request.id, errors.RUN_FAILED, f"cannot run {context.initializer}: {error}")

    def _answered(self, answer: Future[Any]) -> None:
        if answer.exception() is None:
            self._is_registered = True
            _log.info("registered %s", ", ".join(self._functions))
            self.on_connected()

    def _told(self, notification: messages.Notification) -> None:
        if notification.method == "cancel":
            self._runs.cancel(notification.params.get("run"), str(notification.params.get("reason", "")))

    def _run_ended(self) -> None:
        if self._dialer.is_stopped or not self._is_registered:  # Otherwise the loop doesn't wait for runs, and waking it takes time.
            self._wake.set()

    def _ended(self, reason: errors.InitdError) -> None:
        try:
            if self._is_registered and not isinstance(reason, errors.ConnectionClosed):
                _log.info("lost the supervisor: %s", reason)
                self.on_lost(reason)
        finally:
            self._is_registered = False
            self._runs.cancel_all("lost")
            self._wake.set()
