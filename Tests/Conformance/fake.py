"""A minimal supervisor for behaviour that a real one doesn't have: the test controls its answers; it runs on a separate thread."""

from __future__ import annotations

import collections
import contextlib
import json
import socket
import struct
import threading
from typing import Any, Callable, Optional

from deadlines import DEADLINE
from peer import frame, message

HELLO = {"protocol": 1, "server": {"name": "fake", "version": "9"}, "instance": "i", "pid": 1, "limits": {"frameBytes": 1 << 20}}
STATUS = {
    "seq": 1, "time": 1.0, "instance": "i", "pid": 1, "uptime": 1.0, "lifecycle": "active", "launch": {"state": "pending"},
    "active": {"state": "pending"}, "composite": {"state": "pending"}, "holds": 0, "concurrency": 1, "initializers": [], "workers": [],
}


class FakeSupervisor:
    """Listens at `path`. `answer` gets each request's method and params, and returns its result, or an `Exception` with the error as its
    only argument, or None to leave the request open. It answers `ping` itself, unless it `is_silent`.
    """

    def __init__(self, path: str, answer: Callable[[str, Any], Any], is_silent: bool = False) -> None:
        self.path = path
        self.is_silent = is_silent
        self.asked: collections.Counter[str] = collections.Counter()
        """The number of requests of each method."""
        self._answer = answer
        self._streams: list[socket.socket] = []
        self._faults: list[Exception] = []
        self._open: dict[str, tuple[socket.socket, Any]] = {}
        """The last request of each method that was left open."""
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen()
        self._sending = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Ends it.

        Raises the first exception of `answer`: the test tried something that isn't prepared for.
        """
        self._listener.close()
        for stream in self._streams:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()
        if self._faults:
            raise self._faults[0]

    def reply(self, method: str, result: Any) -> None:
        """Answers the open request with this method."""
        stream, number = self._open.pop(method)
        self._send(stream, message(id=number, result=result))

    def event(self, **params: Any) -> None:
        """Sends an event to all clients."""
        for stream in self._streams:
            self._send(stream, message(method="event", params=params))

    def _accept(self) -> None:
        while True:
            try:
                stream, _ = self._listener.accept()
            except OSError:
                return
            stream.settimeout(DEADLINE)
            self._streams.append(stream)
            threading.Thread(target=self._serve, args=(stream,), daemon=True).start()

    def _serve(self, stream: socket.socket) -> None:
        try:
            while (payload := self._payload(stream)) is not None:
                request = json.loads(payload)
                method = request["method"]
                self.asked[method] += 1
                result = self._own_answer(request)
                if result is None:
                    result = self._answer(method, request.get("params"))
                if isinstance(result, Exception):
                    self._send(stream, message(id=request["id"], error=result.args[0]))
                elif result is None:
                    self._open[method] = (stream, request["id"])
                else:
                    self._send(stream, message(id=request["id"], result=result))
        except OSError:
            pass  # The connection was closed.
        except Exception as fault:
            self._faults.append(fault)
            stream.close()

    def _own_answer(self, request: Any) -> Any:
        if request["method"] == "hello":
            return HELLO
        return request.get("params", {}) if request["method"] == "ping" and not self.is_silent else None

    def _send(self, stream: socket.socket, payload: bytes) -> None:
        with self._sending:
            stream.sendall(frame(payload))

    def _payload(self, stream: socket.socket) -> Optional[bytes]:
        header = stream.recv(4, socket.MSG_WAITALL)
        return stream.recv(struct.unpack(">I", header)[0], socket.MSG_WAITALL) if header else None
