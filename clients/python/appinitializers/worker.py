"""A worker: functions that the supervisor runs when their turn comes (protocol §6).

Rule 1. Each run has its own thread; an awaitable that it returns runs in the worker's event loop. No function runs twice at
once in this process: after a lost connection, the worker registers again only when all old runs have stopped.
Rule 2. Each run is answered once: with success if the function returns, with the exception's message if it raises, and
with `cancelled` if the run was cancelled, regardless of the function's result.
Rule 3. One loop, on the thread that called `run`, makes all decisions: connect, register, wait for events, reconnect. Signal
handlers and other threads only send it messages.
"""

from __future__ import annotations

import inspect
import logging
import queue
import random
import signal
import socket
import threading
import time
from dataclasses import dataclass
from types import FrameType
from typing import Any, Callable, Iterable, Optional, Union

from . import coroutines, errors, messages
from .client import HELLO_TIMEOUT, Client

_log = logging.getLogger(__name__)

_FIRST_DELAY = 0.1
_MOST_DELAY = 5.0
_UNREGISTER_TIMEOUT = 2.0
_LONGEST_MESSAGE = 4096
_DEEPEST_OUTPUT = 29

Function = Callable[["Context"], object]
"""An initializer: an ordinary function, or one that returns an awaitable, such as an `async def`."""


@dataclass(frozen=True)
class Retry:
    """The retry policy of a failed run. `attempts` includes the first one; delays are in seconds; None is the supervisor's default."""

    attempts: int
    delay: Optional[float] = None
    factor: Optional[float] = None
    max_delay: Optional[float] = None

    def shape(self) -> dict[str, Any]:
        """The protocol's form of it."""
        return _given(attempts=self.attempts, delay=self.delay, factor=self.factor, maxDelay=self.max_delay)


class Context:
    """The context of a run: its attributes, and its reports."""

    def __init__(self, client: Client, id: messages.Id, params: dict[str, Any]) -> None:
        self.run: int = params["run"]
        """The run's number: unique for the life of the supervisor."""
        self.initializer: str = params["initializer"]
        """The registered name."""
        self.pass_: int = params["pass"]
        """The number of the pass that this run belongs to."""
        self.phase: str = params["phase"]
        """The phase of that pass, "launch" or "active"."""
        self.attempt: int = params["attempt"]
        """The number of the attempt; 1 for the first one."""
        self.timeout: Optional[float] = params.get("timeout")
        """The timeout of the run in seconds, or None."""
        self.traceparent: Optional[str] = params.get("traceparent")
        """The run as a span of a distributed trace: a W3C trace context. All runs of a pass belong to one trace."""
        self.inputs: dict[str, Any] = params.get("inputs", {})
        """The outputs of its dependencies (S25), by name."""
        self.cancelled = threading.Event()
        """Set when the run is cancelled."""
        self.reason: Optional[str] = None
        """Why the run was cancelled: the supervisor's reason, or "lost" if the connection was lost."""
        self._client = client
        self._id = id
        self._answering = threading.Lock()
        self._answered = False
        self._cancel_coroutine: Optional[Callable[[], None]] = None
        self._result: dict[str, Any] = {}

    def progress(
        self, fraction: Optional[float] = None, message: Optional[str] = None, *, extend: Optional[float] = None
    ) -> None:
        """Reports progress: a fraction from 0 to 1, and a message. `extend` moves the deadline to that many seconds from now.

        Has no effect after the run was cancelled. Raises `ValueError` for a fraction out of range.
        """
        if fraction is not None and not 0 <= fraction <= 1:
            raise ValueError(f"cannot report a fraction of {fraction}: it must be from 0 to 1")
        if self.cancelled.is_set():
            return
        params = {"run": self.run} | _given(fraction=fraction, message=message, extend=extend)
        try:
            self._client.notify("progress", params)
        except errors.ConnectionLost:
            pass  # The loss cancels the run.

    def hand_over(self, value: Any, *, secret: bool = False) -> None:
        """Sets the run's output, any JSON value, for its dependents (S25). Only the last one counts, and only if the run succeeds.

        The supervisor never shows a `secret`. Raises `ValueError` or `TypeError` if the value can't be passed on as JSON.
        """
        copy = messages.copied(value)
        if messages.depth(copy) > _DEEPEST_OUTPUT:
            raise ValueError(f"cannot pass on an output that is nested more than {_DEEPEST_OUTPUT} levels deep: use fewer levels")
        self._result = {"output": copy} | ({"secret": True} if secret else {})

    def check(self) -> None:
        """Raises `Cancelled` if the run was cancelled. Call it between steps."""
        if self.cancelled.is_set():
            raise errors.Cancelled(f"{self.initializer}: {self.reason}")

    def wait(self, seconds: Optional[float] = None) -> bool:
        """Sleeps for this time, or until the run is cancelled. Returns whether it was cancelled."""
        return self.cancelled.wait(seconds)

    def _cancel(self, reason: str) -> None:
        with self._answering:
            if not self._answered and not self.cancelled.is_set():
                self.reason = reason
                self.cancelled.set()
                if self._cancel_coroutine is not None:
                    self._cancel_coroutine()

    def _can_cancel(self, cancel: Callable[[], None]) -> None:
        with self._answering:
            self._cancel_coroutine = cancel
            if self.cancelled.is_set():
                cancel()

    def _run(self, function: Function, loop: coroutines.EventLoop) -> None:
        failure: Optional[BaseException] = None
        try:
            if not self.cancelled.is_set():
                result = function(self)
                coroutines.require_result(result)
                if inspect.isawaitable(result):
                    loop.finish(result, self._can_cancel)
        except BaseException as error:  # Rule 2: even `sys.exit` is answered.
            failure = error
            if not isinstance(error, errors.Cancelled):
                _log.warning("%s failed in run %d", self.initializer, self.run, exc_info=error)
        self._answer(failure)

    def _answer(self, failure: Optional[BaseException]) -> None:
        with self._answering:
            self._answered = True
        try:
            if self.cancelled.is_set():
                self._client.refuse(self._id, errors.CANCELLED, "cancelled")
            elif failure is not None:
                self._client.refuse(self._id, errors.RUN_FAILED, _message(failure))
            else:
                self._succeed()
        except errors.ConnectionLost:
            _log.info("run %d of %s ended after the connection to its supervisor was lost", self.run, self.initializer)


    def _succeed(self) -> None:
        try:
            self._client.answer(self._id, self._result)
        except errors.FrameTooLarge as error:  # Rule 2: the run must be answered.
            self._client.refuse(self._id, errors.RUN_FAILED, f"cannot pass on its output: {error}; write it to a file, and output its path")


class Worker:
    """Provides initializers to the supervisor at `path`; by default the path follows the protocol's rule.

    Declare functions with `initializer`, then call `run`, which returns after `stop`, SIGTERM or SIGINT.
    """

    def __init__(self, path: Optional[str] = None, name: str = "shelf-worker") -> None:
        self._path = path
        self._name = name
        self._functions: dict[str, Function] = {}
        self._declarations: list[dict[str, Any]] = []
        self._inbox: queue.SimpleQueue[str] = queue.SimpleQueue()  # A signal handler may call its `put`.
        self._client: Optional[Client] = None
        self._was_registered = False
        self._runs: dict[int, Context] = {}
        self._lock = threading.Lock()
        self._loop = coroutines.EventLoop()

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
        declaration: dict[str, Any] = {"name": name}
        declaration |= _given(priority=priority, dependencies=None if dependencies is None else list(dependencies))
        declaration |= _given(timeout=timeout, description=description)
        if retry is not None:
            declaration["retry"] = (Retry(retry) if isinstance(retry, int) else retry).shape()
        if per_process:
            declaration["perProcess"] = True
        if optional:
            declaration["optional"] = True

        def declare(function: Function) -> Function:
            coroutines.require_runnable(name, function)
            self._functions[name] = function
            self._declarations.append(declaration)
            return function

        return declare

    def run(self) -> None:
        """Connects, registers and runs until `stop`; reconnects when the connection is lost.

        On the main thread, SIGTERM and SIGINT end it: it unregisters, cancels its runs and waits for them. A second signal
        has its default action. Raises `RequestError` if the supervisor refuses the registration.
        """
        delay = _FIRST_DELAY
        with _Signals(self.stop, lambda: self._inbox.put("signal")):
            try:
                while (registered := self._serve()) is not None:
                    delay = _FIRST_DELAY if registered else min(delay * 2, _MOST_DELAY)
                    if self._stopped(within=delay * random.uniform(0.5, 1.0)):
                        return
            finally:
                self._loop.close()

    def stop(self) -> None:
        """Makes `run` unregister and return. May be called from any thread and from a signal handler."""
        self._inbox.put("stop")

    # The loop

    def _serve(self) -> Optional[bool]:
        """One connection, from start to end. Returns whether it had registered, or None after `stop`."""
        try:
            self._client = Client(
                self._path, name=self._name, on_request=self._asked, on_notification=self._told, on_close=self._lost
            )
        except (errors.NoSupervisor, errors.ConnectionLost) as error:
            _log.info("no supervisor yet: %s", error)
            return False
        with self._client as client:
            try:
                client._request("register", {"initializers": self._declarations}, timeout=HELLO_TIMEOUT)
            except (errors.ConnectionLost, errors.ShuttingDown, TimeoutError) as error:
                _log.info("cannot register yet: %s", error)
                return False
            except errors.NameConflict as error:
                if not self._was_registered:
                    raise
                _log.warning("cannot register again yet: %s", error)  # The supervisor may not have noticed the end of the old connection.
                return False
            self._was_registered = True
            _log.info("registered %s", ", ".join(self._functions))
            while client.is_open:
                if self._inbox.get() == "stop":
                    self._leave(client)
                    return None
        return True if self._wait_for_runs() else None

    def _leave(self, client: Client) -> None:
        try:
            client._request("unregister", {"names": list(self._functions)}, timeout=_UNREGISTER_TIMEOUT)
        except (errors.ConnectionLost, errors.RequestError, TimeoutError) as error:
            _log.info("cannot unregister: %s", error)
        self._cancel_all("unregistered")
        self._wait_for_runs()

    def _wait_for_runs(self) -> bool:
        """Waits until all cancelled runs have stopped. Returns whether the worker continues after that."""
        goes_on = True
        while names := self._running():
            _log.info("waiting for %s to stop", ", ".join(names))
            goes_on = self._inbox.get() != "stop" and goes_on
        return goes_on

    def _stopped(self, within: float) -> bool:
        """Waits this many seconds, or until `stop`. Returns whether it was stopped."""
        until = time.monotonic() + within
        try:
            while self._inbox.get(timeout=max(0.0, until - time.monotonic())) != "stop":
                pass
            return True
        except queue.Empty:
            return False

    def _running(self) -> list[str]:
        with self._lock:
            return [context.initializer for context in self._runs.values()]

    def _cancel_all(self, reason: str) -> None:
        with self._lock:
            for context in self._runs.values():
                context._cancel(reason)

    # On the reader thread

    def _asked(self, request: messages.Request) -> None:
        client = self._client
        assert client is not None, "a run comes only after register"
        if request.method != "run":
            client.refuse(request.id, errors.METHOD_NOT_FOUND, f"unknown method {request.method}")
            return
        try:
            context = Context(client, request.id, request.params)
            function = self._functions[context.initializer]
        except KeyError as missing:
            client.refuse(request.id, errors.INVALID_PARAMS, f"cannot run: {missing} is missing or unknown")
            return
        with self._lock:
            self._runs[context.run] = context
        thread = threading.Thread(target=self._execute, args=(context, function), name=f"run-{context.run}", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # The system has no further thread.
            with self._lock:
                del self._runs[context.run]
            client.refuse(request.id, errors.RUN_FAILED, f"cannot run {context.initializer}: {error}")

    def _told(self, notification: messages.Notification) -> None:
        if notification.method != "cancel":
            return
        with self._lock:
            context = self._runs.get(notification.params.get("run", -1))
        if context is not None:
            context._cancel(notification.params.get("reason", ""))

    def _lost(self, reason: errors.InitdError) -> None:
        self._cancel_all("lost")
        self._inbox.put("lost")

    # In a run's thread

    def _execute(self, context: Context, function: Function) -> None:
        try:
            context._run(function, self._loop)
        finally:
            with self._lock:
                self._runs.pop(context.run, None)
            self._inbox.put("ended")


class _Signals:
    """During this context, the first SIGTERM or SIGINT calls `stop`; the next one has its previous action. Only for the main thread.

    Python calls handlers on the main thread, between two of its instructions. If that thread has just begun to wait, or another thread
    got the signal, nothing interrupts the wait. So each signal is also written to a socket, whose reader calls `wake`.
    """

    def __init__(self, stop: Callable[[], None], wake: Callable[[], None]) -> None:
        self._stop = stop
        self._wake = wake
        self._former: dict[signal.Signals, Any] = {}
        self._writer: Optional[socket.socket] = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._former_wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._listen, args=(reader,), name="appinitializers-signals", daemon=True).start()
        for number in (signal.SIGTERM, signal.SIGINT):
            self._former[number] = signal.signal(number, self._caught)

    def __exit__(self, *_: object) -> None:
        self._restore()
        if self._writer is not None:
            signal.set_wakeup_fd(self._former_wakeup)
            self._writer.close()

    def _restore(self) -> None:
        for number, former in self._former.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)

    def _caught(self, number: int, frame: Optional[FrameType]) -> None:
        self._restore()
        self._stop()

    def _listen(self, reader: socket.socket) -> None:
        with reader:
            while reader.recv(1):
                self._wake()


def _message(failure: BaseException) -> str:
    text = str(failure) or type(failure).__name__
    return text[:_LONGEST_MESSAGE].encode("utf-8", "replace").decode("utf-8")


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not None}
