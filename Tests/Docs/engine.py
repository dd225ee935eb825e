"""The engine behind the docker client of stand_in.py: the ports of its containers belong to this process, as they do to the real one's proxy."""

from __future__ import annotations

import contextlib
import json
import pathlib
import re
import socket
import threading


class Container:
    """A listening port. As a proxy does, it accepts a connection before the container's program is there, and closes it then."""

    def __init__(self, words: list[str]) -> None:
        self.name = words[words.index("--name") + 1]
        self.is_ready = False
        host, port = re.search(r"([\d.]+):(\d+):\d+", " ".join(words)).groups()
        self.listener = socket.create_server((host, int(port)))
        self.ended = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                stream = self.listener.accept()[0]
                with stream, contextlib.suppress(OSError):
                    if self.is_asked():
                        stream.recv(4096)
                        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def is_asked(self) -> bool:
        """Whether the program is there: not for the first one who asks."""
        was, self.is_ready = self.is_ready, True
        return was

    def stop(self) -> None:
        # A blocked accept() keeps the port until it returns.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.ended.set()


class Engine:
    """Answers clients at a Unix socket, as long as this process lives."""

    def __init__(self, path: pathlib.Path) -> None:
        self.containers: dict[str, Container] = {}
        self.signals: dict[str, str] = {}
        """The signal that stopped each container, by its name."""
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self.answer, args=[self.listener.accept()[0]], daemon=True).start()

    def answer(self, stream: socket.socket) -> None:
        """Does what the client's words say, and sends the exit status."""
        with stream, contextlib.suppress(OSError), stream.makefile("r") as lines:
            command, *words = json.loads(lines.readline())
            status = {"run": self.run, "exec": self.execute, "rm": self.remove}[command](words, lines)
            stream.sendall(str(status).encode())

    def run(self, words, lines) -> int:
        name = words[words.index("--name") + 1]
        if name in self.containers:
            return 125
        container = self.containers[name] = Container(words)
        for line in lines:
            self.signals[name] = line.strip()
            self.remove([name], lines)
            return 0
        return 0

    def execute(self, words, _) -> int:
        container = self.containers.get(words[0])
        return 0 if container and container.is_asked() else 1

    def remove(self, words, _) -> int:
        if container := self.containers.pop(words[-1], None):
            container.stop()
        return 0
