"""The register that the runs write to: a database that refuses fencing tokens which are smaller than a token that it has seen.

It is a server at a Unix socket, which cuts of the network don't affect. A message is a line of words, and is answered with `ok` or `refused`:

    KIND TASK HOST TOKEN TIME

KIND is `start`, `sign` (a sign of life), `done` or `failed` for a run; `ready` for a host; `work` for a sign of life of an active host. TASK is a
release and an initializer, e.g. `r1/migrate`. TIME is the sender's CLOCK_MONOTONIC.
"""

from __future__ import annotations

import os
import socket
import socketserver
import threading
from typing import Any, Optional

from history import History

WRITES = ("start", "sign", "done", "failed")


class Register:
    """Serves in threads until the process ends."""

    def __init__(self, path: str, history: History) -> None:
        self._history = history
        self._largest: dict[str, int] = {}
        self._running: list[str] = []
        self._lock = threading.Lock()
        register = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                register._handle(self.rfile, self.connection)

        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True
            request_queue_size = 64

        self._server = Server(path, Handler)
        os.chmod(path, 0o666)
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True).start()

    @property
    def runner(self) -> Optional[str]:
        """Returns the host that executes a run, if there is such a host; the last host if there are several."""
        return self._running[-1] if self._running else None

    def _handle(self, lines: Any, connection: socket.socket) -> None:
        first: Optional[list[str]] = None
        last: Optional[list[str]] = None
        try:
            for line in lines:
                last = line.decode().split()
                if first is None:
                    first = last
                    if first[0] == "start":
                        self._running.append(first[2])
                accepted = self.take(*last)
                connection.sendall(b"ok\n" if accepted else b"refused\n")
        except OSError:
            pass
        # The run has ended, or was killed.
        if first and last and first[0] == "start":
            self._running.remove(first[2])
            self._history.record("last", float(last[4]), task=last[1], host=last[2], token=int(last[3]))
        if first and last and first[0] == "work":
            self._history.record("work", float(last[4]), host=last[2], begun=float(first[4]))

    def take(self, kind: str, task: str, host: str, token: str, time: str) -> bool:
        """Records one message of a run. Returns False if the message's token is too small."""
        members = {"task": task, "host": host, "token": int(token)}
        if kind in WRITES:
            with self._lock:
                accepted = members["token"] >= self._largest.get(task, 0)
                # Only the refused signs of life, and the last sign, are kept: there are fifty in a second.
                if kind != "sign" or not accepted:
                    self._history.record("write", float(time), accepted=accepted, **members)
                if accepted:
                    self._largest[task] = members["token"]
        else:
            accepted = True
        if kind in ("start", "done", "failed", "ready") and (accepted or kind == "start"):
            self._history.record(kind, float(time), **members)
        return accepted
