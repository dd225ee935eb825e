"""Observes the lifecycle of a supervisor over its socket: when its host became active, and inactive."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from typing import Any, Iterator

from history import History


class Observer:
    """Observes in a thread until the process ends. It connects again if the supervisor was restarted."""

    def __init__(self, host: str, path: str, history: History) -> None:
        self.host, self._path, self._history = host, path, history
        self.is_active = False
        threading.Thread(target=self._observe, daemon=True).start()

    def _observe(self) -> None:
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as stream:
                    stream.connect(self._path)
                    for moment, lifecycle in _lifecycles(stream):
                        self._become(lifecycle == "active", moment)
            except (OSError, EOFError):
                pass
            # A new supervisor is inactive. The history has the end of the old one.
            self.is_active = False
            time.sleep(0.05)

    def _become(self, is_active: bool, moment: float) -> None:
        if is_active != self.is_active:
            self.is_active = is_active
            self._history.record("active" if is_active else "inactive", moment, host=self.host)


def _lifecycles(stream: socket.socket) -> Iterator[tuple[float, str]]:
    """The lifecycle now and after each change, with the time by the supervisor's clock, converted to CLOCK_MONOTONIC."""
    _send(stream, id=1, method="hello", params={"protocol": 1, "client": {"name": "histories", "version": "1.0"}})
    _send(stream, id=2, method="subscribe", params={"topics": ["lifecycle"]})
    # The supervisor's times count from its start by the monotonic clock. The wall clock must not be set in the meantime.
    offset = time.time() - time.monotonic()
    while True:
        message = _receive(stream)
        if message.get("id") == 2:
            # The moment of the change isn't known: it is one before the snapshot.
            snapshot = message["result"]["snapshot"]
            yield snapshot["time"] - offset, snapshot["lifecycle"]
        elif message.get("method") == "event" and "lifecycle" in message["params"]:
            yield message["params"]["time"] - offset, message["params"]["lifecycle"]


def _send(stream: socket.socket, **members: Any) -> None:
    payload = json.dumps({"jsonrpc": "2.0", **members}).encode()
    stream.sendall(struct.pack(">I", len(payload)) + payload)


def _receive(stream: socket.socket) -> dict[str, Any]:
    (length,) = struct.unpack(">I", _bytes(stream, 4))
    message: dict[str, Any] = json.loads(_bytes(stream, length))
    return message


def _bytes(stream: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data
