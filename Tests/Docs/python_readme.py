"""clients/python/README.md: its first example works, its client runs, and its list of requests is complete."""

from __future__ import annotations

import re
from typing import Callable, Iterator

from markdown import ROOT, Document
from sources import requests
from world import World, until

DOCUMENT = Document(ROOT / "clients/python/README.md")


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "clients/python/README.md: the first example", first_success
    yield "clients/python/README.md: the coroutine", coroutine
    yield "clients/python/README.md: the worker of a program with an event loop", served
    yield "clients/python/README.md: the client", client
    yield "clients/python/README.md: the asynchronous client", asynchronous_client
    yield "clients/python/README.md: one method for each request", one_method_for_each_request


def the_block(holding: str) -> str:
    """The only fenced block that contains a text."""
    found = [block.text for block in DOCUMENT.blocks() if holding in block.text]
    assert len(found) == 1, f"{len(found)} blocks hold {holding!r}"
    return found[0]


def first_success() -> None:
    with World() as world:
        del world.environment["INITD_SOCKET"]  # All three contain the socket's path, which is replaced by the path in this world.
        started, worker, asked = (
            the_block(text).replace("/tmp/shop.sock", str(world.socket)) for text in ("initd --socket", '"shelf-worker")', "$ python3")
        )
        world.start("bash", "-c", f"exec {started.strip()}")
        until(world.answers, "a supervisor at the socket")
        process = world.start("python3", world.write("shelf_worker.py", worker))
        watch = ("initctl", "--socket", world.socket, "wait")
        world.succeeds(*watch, "favorites", "--appear", "--timeout", "20")
        world.succeeds(*watch, "catalogue", "--timeout", "20")
        command, expected = re.fullmatch(r"\$ (.*)\n(.*)\n", asked).groups()
        out = world.succeeds("bash", "-c", command)
        assert out.strip() == expected, f"{command} prints {out}"
        process.terminate()
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0 and "favorites in pass" in out, f"{process.returncode}: {out}{err}"


def coroutine() -> None:
    with World() as world:
        world.supervise()
        process = world.start("python3", "-c", the_block('"async-worker"').replace("/tmp/shop.sock", str(world.socket)))
        world.succeeds("initctl", "wait", "prices", "--appear", "--timeout", "20")
        process.terminate()
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0, err


def served() -> None:
    with World() as world:
        world.supervise()
        process = world.start("python3", "-c", the_block("worker.serve()").replace("/tmp/shop.sock", str(world.socket)))
        world.succeeds("initctl", "wait", "sessions", "--appear", "--timeout", "20")
        _, err = process.communicate(timeout=20)
        assert process.returncode == 0, err
        assert "sessions" not in world.succeeds("initctl", "status"), "it hasn't unregistered"


def client() -> None:
    with World() as world:
        world.supervise()
        process = world.start("python3", "-c", the_block("with Client("))
        lines = [process.stdout.readline().strip() for _ in range(2)]
        assert lines == ["{'state': 'complete'}", "{'state': 'complete'}"], f"{lines} {process.stderr.read() if process.poll() else ''}"
        world.succeeds("initctl", "activate", "--wait")
        assert process.stdout.readline().strip() == "pass 3", "no event of the pass"
        world.succeeds("initctl", "shutdown")
        out, err = process.communicate(timeout=20)
        assert process.returncode == 0 and "shutdown" in out, f"{out}{err}"


def asynchronous_client() -> None:
    with World() as world:
        world.supervise()
        out = world.succeeds("python3", "-c", the_block("AsyncClient(connect_timeout"))
        assert out.splitlines() == ["{'state': 'complete', 'pass': 2}", "active", "inactive", "state active"], out


METHODS = {"cancelRun": "cancel"}
"""The requests whose methods have other names."""


def one_method_for_each_request() -> None:
    """The other requests belong to `initctl env` and `initctl stop`, a worker, a coordinator, a leader, and the scopes of a hold and a subscription."""
    shown = re.search(r"The methods are requests of the protocol: `([^`]+)`", " ".join(DOCUMENT.lines))
    assert shown, "the sentence is missing"
    others = {"hello", "register", "coordinate", "manage", "release", "unsubscribe", "environment", "stop", "start", "restart"}
    real = {METHODS.get(name, name) for name in requests()} - others
    assert set(shown[1].split()) == real, set(shown[1].split()) ^ real
    for file in ("client.py", "aio/client.py"):
        code = (ROOT / "clients/python/appinitializers" / file).read_text()
        assert (missing := {name for name in real if not re.search(rf"def {name}\(\s*self", code)}) == set(), f"no method {missing} in {file}"
