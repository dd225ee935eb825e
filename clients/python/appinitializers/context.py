"""A run of an initializer, as its function sees it.

Rule 1. Each run is answered once: with success if the function returns, with the exception's message if it raises, and with `cancelled` if
the run was cancelled, regardless of the function's result.
Rule 2. The answer is sent when the function has ended, not earlier.
"""

from __future__ import annotations

import inspect
import logging
import math
import threading
from typing import Any, Awaitable, Callable, Optional

from . import coroutines, errors, messages
from .connection import Connection
from .requests import given

_log = logging.getLogger(__package__)

_LONGEST_MESSAGE = 1024
_DEEPEST_OUTPUT = 29


class Context:
    """The context of a run: its attributes, and its reports. Its methods may be called from any thread, as long as the run lasts."""

    def __init__(self, connection: Connection, id: messages.Id, params: dict[str, Any]) -> None:
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
        self.inputs: dict[str, Any] = params.get("inputs", {})
        """The outputs of the initializer's dependencies, by name."""
        self.fence: Optional[int] = params.get("fence")
        """The fencing token of a run once for a release, or None. Pass it to the database, which can then refuse a late writer."""
        self.traceparent: Optional[str] = params.get("traceparent")
        """The run as a span of a distributed trace: a W3C trace context. All runs of a pass belong to one trace."""
        self.cancelled = threading.Event()
        """Set when the run is cancelled."""
        self.reason: Optional[str] = None
        """Why the run was cancelled: the supervisor's reason, or "lost" if the connection was lost."""
        self._connection = connection
        self._id = id
        self._lock = threading.Lock()
        self._over = False
        self._callbacks: list[Callable[[], object]] = []
        self._result: dict[str, Any] = {}

    def progress(
        self, fraction: Optional[float] = None, message: Optional[str] = None, *, extend: Optional[float] = None
    ) -> None:
        """Reports progress: a fraction from 0 to 1, and a message. `extend` moves the deadline to that many seconds from now.

        A fraction out of range counts as 0 or 1, and a fraction that is no number (NaN) isn't reported. Has no effect after the run was
        cancelled.
        """
        if fraction is not None:
            fraction = None if math.isnan(fraction) else min(max(fraction, 0), 1)
        if self.cancelled.is_set():
            return
        text = None if message is None else _shown(message)
        try:
            self._connection.notify("progress", given(run=self.run, fraction=fraction, message=text, extend=extend))
        except errors.ConnectionLost:
            pass  # The loss cancels the run.

    def hand_over(self, value: Any, *, secret: bool = False) -> None:
        """Sets the run's output, any JSON value, for its dependents. Only the last output counts, and only if the run succeeds.

        The supervisor never shows a `secret`. Raises `ValueError` or `TypeError` if the value can't be passed on as JSON.
        """
        copy = messages.copied(value)
        if messages.depth(copy) > _DEEPEST_OUTPUT:
            raise ValueError(f"cannot pass on an output that is nested more than {_DEEPEST_OUTPUT} levels deep: use fewer levels")
        self._result = {"output": copy, "secret": True} if secret else {"output": copy}

    def check(self) -> None:
        """Raises `Cancelled` if the run was cancelled. Call it between steps, and don't catch it."""
        if self.cancelled.is_set():
            raise errors.Cancelled(f"{self.initializer}: {self.reason}")

    def wait(self, seconds: Optional[float] = None) -> bool:
        """Sleeps for this time, or until the run is cancelled. Returns whether it was cancelled. Don't call it in coroutines: it blocks."""
        return self.cancelled.wait(seconds)

    def on_cancel(self, callback: Callable[[], object]) -> None:
        """Calls `callback` when the run is cancelled, at once if it has been. It can interrupt work that blocks, and must not block itself.

            process = subprocess.Popen(command)
            context.on_cancel(process.terminate)
        """
        with self._lock:
            if not self.cancelled.is_set():
                self._callbacks.append(callback)
                return
        self._call(callback)

    # For the worker

    def cancel(self, reason: str) -> None:
        """Cancels the run, unless it has ended. The first reason counts."""
        with self._lock:
            if self._over or self.cancelled.is_set():
                return
            self.reason = reason
            self.cancelled.set()
        for callback in self._callbacks:
            self._call(callback)

    def perform(self, function: Callable[[Context], object], loop: coroutines.EventLoop) -> Optional[BaseException]:
        """Calls the function, and returns the exception that it raised."""
        try:
            if not self.cancelled.is_set():
                result = function(self)
                coroutines.require_result(result)
                if inspect.isawaitable(result):
                    loop.finish(result, self.on_cancel)
        except BaseException as error:  # Rule 1: even `sys.exit` is answered.
            return self._ended(error)
        return self._ended(None)

    async def perform_in_loop(self, function: Callable[[Context], Awaitable[object]]) -> Optional[BaseException]:
        """`perform` for an `async def`, in the event loop."""
        try:
            if not self.cancelled.is_set():
                await coroutines.finished(function(self), self.on_cancel)
        except BaseException as error:  # Rule 1
            return self._ended(error)
        return self._ended(None)

    def _ended(self, failure: Optional[BaseException]) -> Optional[BaseException]:
        if failure is not None and not isinstance(failure, errors.Cancelled):
            _log.warning("%s failed in run %d", self.initializer, self.run, exc_info=failure)
        with self._lock:
            self._over = True
        return failure

    def answer(self, failure: Optional[BaseException]) -> bool:
        """Answers the run, and returns whether the answer was sent."""
        try:
            if self.cancelled.is_set():
                self._connection.refuse(self._id, errors.CANCELLED, "cancelled")
            elif failure is not None:
                self._connection.refuse(self._id, errors.RUN_FAILED, _shown(str(failure) or type(failure).__name__))
            else:
                self._succeed()
            return True
        except errors.ConnectionLost:
            _log.info("run %d of %s ended after the connection to its supervisor was lost", self.run, self.initializer)
            return False

    def _succeed(self) -> None:
        try:
            self._connection.answer(self._id, self._result)
        except errors.FrameTooLarge as error:  # Rule 1: the run must be answered.
            why = f"cannot pass on its output: {error}; write it to a file, and output its path"
            self._connection.refuse(self._id, errors.RUN_FAILED, why)

    def _call(self, callback: Callable[[], object]) -> None:
        try:
            callback()
        except Exception:
            _log.exception("a callback of %s failed when run %d was cancelled", self.initializer, self.run)


def _shown(text: str) -> str:
    """Text that the supervisor can show: it cuts a longer one, and JSON has no unpaired surrogates."""
    return text[:_LONGEST_MESSAGE].encode("utf-8", "replace").decode("utf-8")
