"""A worker: functions that the supervisor runs when their turn comes.

Rule 1. Each run has its own thread; an awaitable that it returns runs in the worker's event loop. No function runs twice at
once in this process: after a lost connection, the worker registers again only when all old runs have stopped.
Rule 2. One loop, on the thread that called `run`, makes all decisions: connect, register, wait, reconnect. Other threads and signal handlers
only wake it.
"""

from __future__ import annotations

import logging
import threading
import time
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Callable, Iterable, Optional, TypeVar, Union

from . import coroutines, errors, messages
from .backoff import Backoff
from .connection import Connection
from .context import Context
from .declaration import Retry, declaration
from .link import Link
from .session import HELLO_TIMEOUT
from .signals import StoppingSignals
from .socket_path import Path
from .version import __version__
from .wake import Wake

_log = logging.getLogger(__package__)

_PATIENCE = 0.8
"""How long a worker that stops waits for an answer, in seconds."""

Function = TypeVar("Function", bound=Callable[[Context], object])
"""An initializer: an ordinary function, or one that returns an awaitable, such as an `async def`."""


class Worker:
    """Provides initializers to the supervisor at `path`; by default the path follows the protocol's rule.

    Declare functions with `initializer`, then call `run`, which returns after `stop`, SIGTERM or SIGINT. The supervisor shows `name` and
    `version`; the name is by default that of the program.
    """

    def __init__(self, path: Optional[Path] = None, name: Optional[str] = None, *, version: str = __version__) -> None:
        self._path = path
        self._name = name
        self._version = version
        self._functions: dict[str, Callable[[Context], object]] = {}
        self._declarations: list[dict[str, Any]] = []
        self._stopping = False
        self._wake = Wake()
        self._opening: Optional[Link] = None
        self._is_registered = False
        self._was_registered = False
        self._runs: dict[int, Context] = {}
        self._lock = threading.Lock()
        self._answering = threading.Lock()
        self._loop: coroutines.EventLoop

    def initializer(
        self,
        name: str,
        *,
        priority: Optional[str] = None,
        dependencies: Optional[Iterable[str]] = None,
        timeout: Optional[float] = None,
        retry: Union[Retry, int, None] = None,
        per_process: bool = False,
        optional: bool = False,
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

        Waits for a supervisor that isn't running yet. On the main thread, SIGTERM and SIGINT end it: it unregisters, cancels its runs and
        waits for them. A second signal has its previous action. Raises `RequestError` if the supervisor refuses the registration, and
        `NoSupervisor` if waiting is useless, e.g. because permission is denied.
        """
        with StoppingSignals(self.stop):
            self._serve_until_stopped(coroutines.EventLoop())

    async def serve(self) -> None:
        """`run` for a program with `asyncio`: coroutines run in its loop. When the task is cancelled, it ends as after `stop`.

        Signals are left to the program.
        """
        import asyncio

        loop = asyncio.get_running_loop()
        serving = loop.run_in_executor(None, self._serve_until_stopped, coroutines.EventLoop(loop))
        try:
            await asyncio.shield(serving)
        except asyncio.CancelledError:
            self.stop()
            await serving
            raise

    def stop(self) -> None:
        """Makes `run` unregister and return. May be called from any thread and from a signal handler."""
        self._stopping = True
        self._wake.set()
        if (link := self._opening) is not None:
            link.shut()

    # To be overridden

    def on_connected(self) -> None:
        """Called when the initializers are registered, at first and again after each loss. It must not block: messages wait for it."""

    def on_lost(self, reason: errors.InitdError) -> None:
        """Called when a connection that had registered the initializers is lost, before the runs are cancelled. It must not block."""

    def on_answered(self, context: Context) -> None:
        """Called when a run has ended and its answer was sent. It must not block: runs that follow wait for it."""

    # The loop

    def _serve_until_stopped(self, loop: coroutines.EventLoop) -> None:
        self._loop = loop
        try:
            self._connect_until_stopped()
        finally:
            self._stopping = False
            loop.close()

    def _connect_until_stopped(self) -> None:
        backoff = Backoff()
        while True:
            self._wait_while(self._is_running)
            if self._stopping:
                return
            try:
                connection = self._registered()
            except errors.InitdError as error:
                if not (self._stopping or errors.may_pass(error) or self._may_pass_after_a_loss(error)):
                    raise
                self._sleep(backoff.next(error))
                continue
            try:
                backoff.reset()
                self._wait_while(lambda: connection.is_open and not self._stopping)
                if connection.is_open:
                    self._leave(connection)
                else:
                    self._sleep(backoff.next(errors.ConnectionLost("the connection was lost")))
            finally:
                connection.close()

    def _may_pass_after_a_loss(self, error: errors.InitdError) -> bool:
        """The supervisor may not have noticed the end of the old connection yet, or may have ended in the middle of a message."""
        return self._was_registered and isinstance(error, (errors.NameConflict, errors.ProtocolError))

    def _registered(self) -> Connection:
        """A connection that has registered the initializers. Raises an `InitdError`."""
        self._opening = link = Link.to(self._path)
        if self._stopping:
            link.shut()
        link.hello(self._name, self._version)
        self._opening = None
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
            self._cancel_all("unregistered")
            self._await(answer)
        except errors.InitdError as error:
            _log.info("cannot unregister: %s", error)
        self._wait_while(self._is_running)

    def _await(self, answer: Future[Any]) -> None:
        """Waits for an answer; not for long once the worker stops."""
        deadline = time.monotonic() + HELLO_TIMEOUT
        while True:
            try:
                answer.result(_PATIENCE)
                return
            except FutureTimeout:
                if self._stopping or time.monotonic() >= deadline:
                    raise errors.ConnectionLost("the supervisor doesn't answer") from None

    def _wait_while(self, condition: Callable[[], bool]) -> None:
        while condition():
            self._wake.wait()

    def _sleep(self, seconds: float) -> None:
        """Waits this many seconds, or until `stop`."""
        until = time.monotonic() + seconds
        while not self._stopping and (left := until - time.monotonic()) > 0:
            self._wake.wait(left)

    def _is_running(self) -> bool:
        with self._lock:
            return bool(self._runs)

    def _cancel_all(self, reason: str) -> None:
        with self._lock:
            runs = list(self._runs.values())
        for context in runs:
            context.cancel(reason)

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
        with self._lock:
            self._runs[context.run] = context
        thread = threading.Thread(target=self._perform, args=(context, function), name=f"run-{context.run}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # The system has no further thread.
            with self._lock:
                del self._runs[context.run]
            connection.refuse(request.id, errors.RUN_FAILED, f"cannot run {context.initializer}: {error}")

    def _answered(self, answer: Future[Any]) -> None:
        if answer.exception() is None:
            self._is_registered = self._was_registered = True
            _log.info("registered %s", ", ".join(self._functions))
            self.on_connected()

    def _told(self, notification: messages.Notification) -> None:
        run = notification.params.get("run")
        if notification.method != "cancel" or not isinstance(run, int):
            return
        with self._lock:
            context = self._runs.get(run)
        if context is not None:
            context.cancel(str(notification.params.get("reason", "")))

    def _ended(self, reason: errors.InitdError) -> None:
        try:
            if self._is_registered and not isinstance(reason, errors.ConnectionClosed):
                _log.info("lost the supervisor: %s", reason)
                self.on_lost(reason)
        finally:
            self._is_registered = False
            self._cancel_all("lost")
            self._wake.set()

    # In a run's thread

    def _perform(self, context: Context, function: Callable[[Context], object]) -> None:
        try:
            with self._answering:  # The answer to an earlier run may have caused this run: `on_answered` comes first.
                pass
            failure = context.perform(function, self._loop)
            with self._answering:
                if context.answer(failure):
                    self.on_answered(context)
        finally:
            with self._lock:
                self._runs.pop(context.run, None)
            self._wake.set()
