"""Stands between an agent and etcd: it holds back a request until the test answers it."""

from __future__ import annotations

import contextlib
import socket
import threading


class HeldRequest:
    """Relays connections to etcd's port, except the first request that contains `mark`: that one isn't passed on."""

    def __init__(self, etcd_port: int, mark: str) -> None:
        self.came = threading.Event()
        """Set when the request is here."""
        self._etcd, self._mark = ("127.0.0.1", etcd_port), mark.encode()
        self._answered = threading.Event()
        self._answer = b""
        self._streams: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)

    def answer(self, body: str) -> None:
        """Answers the request, instead of etcd."""
        self._answer = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        self._answered.set()

    def close(self) -> None:
        for stream in [self._listener, *self._streams]:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()

    def _start(self, work, *arguments) -> None:
        threading.Thread(target=work, args=arguments, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                etcd = socket.create_connection(self._etcd)
            except OSError:
                return
            self._streams += [client, etcd]
            self._start(self._relay, etcd, client, False)
            self._start(self._relay, client, etcd, True)

    def _relay(self, source: socket.socket, target: socket.socket, holds: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                while holds and data.startswith(b"POST") and not _is_whole(data):
                    data += source.recv(1 << 16)
                if holds and self._mark in data and not self.came.is_set():
                    self.came.set()
                    self._answered.wait(60)
                    source.sendall(self._answer)
                else:
                    target.sendall(data)
            target.shutdown(socket.SHUT_WR)


def _is_whole(request: bytes) -> bool:
    """Whether a request has its body."""
    head, found, body = request.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    return bool(found) and (not lengths or len(body) >= int(lengths[0]))
