#!/usr/bin/env python3
"""Stands in for the program by whose name it is called in an example of docs/coming-from.md.

It does what the example needs of that program, and not at once: a server refuses its first client, so what doesn't wait for it fails.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import re
import signal
import socket
import sys
import time

DATABASE = pathlib.Path(os.environ.get("PGHOST", "/nowhere")) / ".s.PGSQL.5432"
REFUSED, ANSWERED = DATABASE.with_suffix(".refused"), DATABASE.with_suffix(".answered")
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
        ANSWERED.touch()
    except OSError:
        REFUSED.touch()
        sys.exit(2)


def task() -> None:
    """Fails before the database, if the example has one, is known to answer. Leaves a line for each run."""
    if "PGHOST" in os.environ and not ANSWERED.exists():
        sys.exit("no database")
    with open("runs", "a") as file:
        file.write(f"{pathlib.Path(sys.argv[0]).name}\n")


def seed() -> None:
    task()
    pathlib.Path("data").mkdir(exist_ok=True)
    pathlib.Path("data/seeded").touch()


def server() -> None:
    """Serves at the port of its words, else of its environment, but not the first client. Without a port, it reports to NOTIFY_SOCKET."""
    port = re.search(r"(?:^| |:)(\d+)(?: |$)", " ".join(sys.argv[1:]))
    if number := int(port[1] if port else os.environ.get("PORT", "0")):
        with socket.create_server(("127.0.0.1", number)) as listener:
            for status in itertools.chain(["503 Service Unavailable"], itertools.repeat("200 OK")):
                stream = listener.accept()[0]
                # A client may only connect.
                with stream, contextlib.suppress(OSError):
                    if stream.recv(4096):
                        stream.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())
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
