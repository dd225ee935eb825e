"""A minimal supervisor: a real Unix socket, real bytes, and a script that each test writes for it.

Each script runs in a separate thread and plays one connection; its failures fail the test.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import tempfile
import threading
from typing import Any, Callable, Optional, Sequence

DEADLINE = 30.0
"""How long a step may take before a test fails, in seconds."""

HELLO = {
    "protocol": 1,
    "server": {"name": "fake", "version": "1"},
    "instance": "6f0c",
    "pid": 4711,
    "limits": {"frameBytes": 1048576},
}

STATUS = {"seq": 0, "instance": "6f0c", "pid": 4711, "lifecycle": "inactive", "initializers": [], "workers": []}


class Peer:
    """One accepted connection, for the script."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        stream.settimeout(DEADLINE)

    def send_bytes(self, data: bytes) -> None:
        self.stream.sendall(data)

    def send(self, message: dict[str, Any]) -> None:
        payload = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.send_bytes(struct.pack(">I", len(payload)) + payload)

    def receive(self) -> Optional[dict[str, Any]]:
        """The next message, or None at the end."""
        header = self._exactly(4)
        if header is None:
            return None
        payload = self._exactly(struct.unpack(">I", header)[0])
        assert payload is not None, "the connection ended in the middle of a message"
        return json.loads(payload)

    def expect(self, method: str) -> dict[str, Any]:
        """The next message, which must have this method."""
        message = self.receive()
        assert message is not None, f"the connection ended before {method}"
        assert message.get("method") == method, f"expected {method}, got {message}"
        return message

    def expect_end(self) -> None:
        message = self.receive()
        assert message is None, f"expected the end, got {message}"

    def reply(self, method: str, result: Any) -> dict[str, Any]:
        """Expects `method` and answers it."""
        request = self.expect(method)
        self.send({"id": request["id"], "result": result})
        return request

    def refuse(self, method: str, code: int, message: str, data: Optional[dict[str, Any]] = None) -> None:
        request = self.expect(method)
        self.send({"id": request["id"], "error": {"code": code, "message": message} | ({"data": data} if data else {})})

    def greet(self, **changes: Any) -> dict[str, Any]:
        return self.reply("hello", HELLO | changes)

    def event(self, **params: Any) -> None:
        self.send({"method": "event", "params": params})

    def run(self, number: int, initializer: str, **changes: Any) -> None:
        params = {"run": number, "initializer": initializer, "pass": 1, "phase": "launch", "attempt": 1} | changes
        self.send({"id": f"run-{number}", "method": "run", "params": params})

    def cancel(self, number: int, reason: str) -> None:
        self.send({"method": "cancel", "params": {"run": number, "reason": reason}})

    def _exactly(self, count: int) -> Optional[bytes]:
        data = b""
        while len(data) < count:
            try:
                more = self.stream.recv(count - len(data))
            except ConnectionResetError:  # The other side closed without reading all sent bytes.
                more = b""
            if not more:
                assert not data, "the connection ended in the middle of a message"
                return None
            data += more
        return data


Script = Callable[[Peer], object]


class FakeSupervisor:
    """Listens from the beginning. Each of `scripts` handles one connection, in the order in which they are made."""

    def __init__(self, *scripts: Callable[[Peer], None]) -> None:
        self._directory = tempfile.mkdtemp(prefix="initd-")
        self.path = os.path.join(self._directory, "initd.sock")
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(self.path)
        self._listener.listen()
        self._listener.settimeout(DEADLINE)
        self._failures: list[BaseException] = []
        self._accepting = threading.Thread(target=self._accept, args=(scripts,))
        self._accepting.start()

    def __enter__(self) -> FakeSupervisor:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._accepting.join()
        self._listener.close()
        shutil.rmtree(self._directory)
        if self._failures:
            raise AssertionError(f"a script failed: {self._failures[0]!r}") from self._failures[0]

    def _accept(self, scripts: Sequence[Script]) -> None:
        playing = []
        try:
            for script in scripts:
                stream, _ = self._listener.accept()
                playing.append(threading.Thread(target=self._play, args=(script, stream)))
                playing[-1].start()
        except BaseException as error:
            self._failures.append(AssertionError(f"only {len(playing)} of {len(scripts)} connections came: {error!r}"))
        for each in playing:
            each.join()

    def _play(self, script: Script, stream: socket.socket) -> None:
        with stream:
            try:
                script(Peer(stream))
            except BaseException as error:
                self._failures.append(error)
