#!/usr/bin/env python3
"""Stands in for the program by whose name it is called in an example of docs/coming-from.md.

It does what the example needs of that program, and not at once: a server refuses its first client, so what doesn't wait for it fails.
"""

from __future__ import annotations

import http.server
import json
import os
import pathlib
import re
import signal
import socket
import sys
import time

DATABASE = pathlib.Path(os.environ.get("PGHOST", "/nowhere")) / ".s.PGSQL.5432"
REFUSED = DATABASE.with_suffix(".refused")
ENGINE = os.environ.get("DOCKER_HOST", "").removeprefix("unix://")


def connected(path: pathlib.Path | str) -> socket.socket:
    """Connects to a Unix socket."""
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(str(path))
    return stream


def postgres() -> None:
    """Listens once pg_isready was refused."""
    while not REFUSED.exists():
        time.sleep(0.01)
    DATABASE.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(DATABASE))
        listener.listen()
        signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
        while True:
            listener.accept()[0].close()


def pg_isready() -> None:
    try:
        connected(DATABASE).close()
    except OSError:
        REFUSED.touch()
        sys.exit(2)


def task() -> None:
    """Fails without the database, if the example has one. Leaves a line for each run."""
    if "PGHOST" in os.environ:
        connected(DATABASE).close()
    with open("runs", "a") as file:
        file.write(f"{pathlib.Path(sys.argv[0]).name}\n")


def seed() -> None:
    task()
    pathlib.Path("data").mkdir(exist_ok=True)
    pathlib.Path("data/seeded").touch()


class Page(http.server.BaseHTTPRequestHandler):
    """The server isn't available for its first request."""

    asked = False

    def do_GET(self) -> None:
        self.send_response(200 if Page.asked else 503)
        self.send_header("Content-Length", "0")
        self.end_headers()
        Page.asked = True


def server() -> None:
    """Serves at the port of its words, else of its environment. Without one, it reports to NOTIFY_SOCKET."""
    port = re.search(r"(?:^| |:)(\d+)(?: |$)", " ".join(sys.argv[1:]))
    if number := int(port[1] if port else os.environ.get("PORT", "0")):
        http.server.ThreadingHTTPServer(("127.0.0.1", number), Page).serve_forever()
    notify("READY=1")
    while True:
        time.sleep(int(os.environ["WATCHDOG_USEC"]) / 4e6)
        notify("WATCHDOG=1")


def notify(message: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(message.encode(), os.environ["NOTIFY_SOCKET"])


def worker() -> None:
    """Runs on, and says so."""
    print("celery@shop ready.", flush=True)
    signal.pause()


def docker() -> None:
    """Asks the engine, passes signals on to it, and ends with its answer."""
    engine = connected(ENGINE)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: engine.sendall(f"{signal.Signals(number).name}\n".encode()))
    engine.sendall((json.dumps(sys.argv[1:]) + "\n").encode())
    sys.exit(int(engine.recv(16)))


PROGRAMS = {
    "postgres": postgres, "pg_isready": pg_isready, "redis-server": worker, "celery": worker, "gunicorn": server, "docker": docker,
    "./manage.py": task, "./migrate": task, "./seed": seed, "./warm-cache": lambda: sys.exit(1), "./web": server, "./shelf": server,
}
"""What each does, by its name: on PATH, or in the project's folder."""

if __name__ == "__main__":
    name = pathlib.Path(sys.argv[0]).name
    (PROGRAMS.get(name) or PROGRAMS[f"./{name}"])()
