"""The engine behind the docker client of stand_in.py: the ports of its containers belong to this process, as to an engine's proxy."""

from __future__ import annotations

import contextlib
import json
import pathlib
import re
import socket
import threading
from typing import TextIO


class Container:
    """A port. Like a proxy, it accepts connections before the program in the container is there, and closes these."""

    def __init__(self, words: list[str]) -> None:
        host, port = re.search(r"([\d.]+):(\d+):\d+", " ".join(words)).groups()
        self.was_asked = False
        self.listener = socket.create_server((host, int(port)))
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                with self.listener.accept()[0] as stream, contextlib.suppress(OSError):
                    if self.is_there():
                        stream.recv(4096)
                        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def is_there(self) -> bool:
        """Whether the program in it is there: it isn't for the first one who asks."""
        is_there, self.was_asked = self.was_asked, True
        return is_there

    def end(self) -> None:
        # Otherwise the waiting accept() would keep the port.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Engine:
    """Answers clients at a Unix socket as long as this process lives."""

    def __init__(self, path: pathlib.Path) -> None:
        self.containers: dict[str, Container] = {}
        self.signals: dict[str, str] = {}
        """The signals that ended containers, by their names."""
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            threading.Thread(target=self.answer, args=[self.listener.accept()[0]], daemon=True).start()

    def answer(self, stream: socket.socket) -> None:
        """Does what the client's words say, and sends the exit status."""
        with stream, contextlib.suppress(OSError), stream.makefile("r") as lines:
            command, *words = json.loads(lines.readline())
            if command == "run":
                status = self.run(words, lines)
            elif command == "exec":
                container = self.containers.get(words[0])
                status = 0 if container and container.is_there() else 1
            else:
                self.remove(words[-1])
                status = 0
            stream.sendall(str(status).encode())

    def run(self, words: list[str], lines: TextIO) -> int:
        name = words[words.index("--name") + 1]
        if name in self.containers:
            return 125
        self.containers[name] = Container(words)
        # If the client is killed, it forwards nothing, and the container goes on.
        if signal := lines.readline().strip():
            self.signals[name] = signal
            self.remove(name)
        return 0

    def remove(self, name: str) -> None:
        if container := self.containers.pop(name, None):
            container.end()
