"""A flood: an operation repeated in a separate process, so it doesn't slow down the client whose time is measured."""

from __future__ import annotations

import contextlib
import ctypes
import math
import mmap
import os
import signal
import socket
import struct
import sys
import time
import traceback
from typing import Any, Callable

from calm import Held
from deadlines import DEADLINE, until
from peer import Ended, Peer, hello
from supervisor import Conformance, Supervisor


class Flood:
    """A process that repeats `once(state)` until it is stopped or exits; `prepare` creates the state first.

    The process inherits its parent's descriptors, so create it before connections that must be able to end during the flood.
    """

    def __init__(self, test: Conformance, once: Callable[[Any], None], prepare: Callable[[], Any] = lambda: None) -> None:
        self._shared = mmap.mmap(-1, 8)
        self._counter = ctypes.c_uint64.from_buffer(self._shared)
        self.pid = os.fork()
        if self.pid == 0:
            self._flow(once, prepare)
        test.addCleanup(self.stop)

    @property
    def count(self) -> int:
        """The number of repetitions so far."""
        return self._counter.value

    def until(self, more: int, deadline: float = DEADLINE) -> None:
        """Waits until there were this many more repetitions."""
        wanted = self.count + more

        def reached() -> bool:
            self.alive()
            return self.count >= wanted

        until(reached, f"a flood of {more}", deadline)

    def alive(self) -> None:
        """Checks that the flood is still running, so the measurement is valid."""
        assert self.pid and os.waitpid(self.pid, os.WNOHANG) == (0, 0), "the flood has ended; its error is above"

    def pause(self) -> None:
        """Stops the process with its connections open, and waits until it has stopped."""
        os.kill(self.pid, signal.SIGSTOP)
        os.waitpid(self.pid, os.WUNTRACED)

    def resume(self) -> None:
        """Continues it."""
        os.kill(self.pid, signal.SIGCONT)

    def ended(self) -> None:
        """Waits until the flood has exited without a signal."""
        assert until(lambda: os.waitpid(self.pid, os.WNOHANG) != (0, 0), "the end of a process")
        self.pid = 0

    def stop(self) -> None:
        """Kills the flood; its connections end."""
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.pid = 0

    def _flow(self, once: Callable[[Any], None], prepare: Callable[[], Any]) -> None:
        try:
            state = prepare()
            while True:
                once(state)
                self._counter.value += 1
        except SystemExit:
            pass
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)


def queued(path: str) -> Peer:
    """A blocking connection: with a Python timeout it would poll, and fail if the socket's backlog is full."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", int(DEADLINE), 0))
        stream.connect(path)
    except BaseException:
        stream.close()
        raise
    return Peer(stream)


def greeted(path: str, name: str = "conformance") -> Peer:
    """Such a connection, after hello."""
    peer = queued(path)
    try:
        hello(peer, name)
    except BaseException:
        peer.close()
        raise
    return peer


def all_gone(supervisor: Supervisor, before: Held) -> None:
    """Waits until its earlier connections are closed: a new connection that is greeted was accepted after them."""
    greeted(supervisor.path).close()
    until(lambda: not Held(supervisor.pid).descriptors - before.descriptors, "the end of all connections")


def let_in(path: str) -> Peer:
    """A connection after hello; retries if it is closed as the oldest of many that haven't sent hello."""
    while True:
        with contextlib.suppress(Ended, BrokenPipeError):
            return greeted(path)


def fresh_status(path: str) -> None:
    """Connects a new client and requests `status`."""
    with contextlib.closing(let_in(path)) as peer:
        peer.status()


def come_and_go(path: str, data: bytes = b"") -> None:
    """A client that connects, sends this, and closes without reading."""
    with contextlib.closing(queued(path)) as peer, contextlib.suppress(BrokenPipeError):
        peer.send_bytes(data)


def percentile(times: list[float], share: float) -> float:
    """The smallest duration that this share of all durations doesn't exceed."""
    return sorted(times)[max(0, math.ceil(len(times) * share) - 1)]


def timed(call: Callable[[], Any]) -> float:
    """The duration of a call, in seconds."""
    start = time.monotonic()
    call()
    return time.monotonic() - start
