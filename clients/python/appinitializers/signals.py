"""Signals that stop a worker."""

from __future__ import annotations

import signal
import socket
import threading
from types import FrameType
from typing import Any, Callable, Optional

_STOPPING = (signal.SIGTERM, signal.SIGINT)


class StoppingSignals:
    """During this context, the first SIGTERM or SIGINT calls `stop`; the next signal has its previous action. Only for the main thread.

    A signal that was ignored before, e.g. SIGINT in a background job of a shell, ends the program the second time.

    Python calls handlers on the main thread, between two of its instructions. If that thread waits, and another thread got the signal,
    nothing interrupts the wait. So `stop` is called by another thread, which reads the numbers of the signals from a socket.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self._stop = stop
        self._former: dict[signal.Signals, Any] = {}
        self._writer: Optional[socket.socket] = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._former_wakeup = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        threading.Thread(target=self._listen, args=(reader,), name="appinitializers-signals", daemon=True).start()
        for number in _STOPPING:
            self._former[number] = signal.signal(number, self._caught)

    def __exit__(self, *_: object) -> None:
        for number, former in self._former.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)
        if self._writer is not None:
            signal.set_wakeup_fd(self._former_wakeup)
            self._writer.close()

    def _caught(self, number: int, frame: Optional[FrameType]) -> None:
        for each, former in self._former.items():
            signal.signal(each, signal.SIG_DFL if former in (None, signal.SIG_IGN) else former)

    def _listen(self, reader: socket.socket) -> None:
        with reader:
            while number := reader.recv(1):
                if number[0] in _STOPPING:
                    self._stop()
