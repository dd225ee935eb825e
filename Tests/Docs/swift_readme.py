"""clients/swift/README.md: its first example is the program that is built, and works; its other code compiles."""

from __future__ import annotations

from typing import Callable, Iterator

from articles import examples_are_compiled
from markdown import ROOT, Document
from world import WORKER_EXAMPLE, World, until

README = ROOT / "clients/swift/README.md"
SOURCE = ROOT / "Examples/worker/main.swift"
PACKAGE = ROOT / "Tests/Traits/library/Package.swift"


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "clients/swift/README.md: the first example is the one that is built", first_is_the_source
    yield "clients/swift/README.md: the first example", first_success
    yield "clients/swift/README.md: its package is like one that is built", package_is_built
    yield "clients/swift/README.md: its other examples are compiled", others_are_compiled


def the_block(holding: str) -> str:
    """The only fenced block that contains a text."""
    found = [block.text for block in Document(README).blocks() if holding in block.text]
    assert len(found) == 1, f"{len(found)} blocks hold {holding!r}"
    return found[0]


def first_is_the_source() -> None:
    assert the_block("import AppInitializersWorker").split() == SOURCE.read_text().split(), f"it isn't {SOURCE}"


def first_success() -> None:
    with World() as world:
        del world.environment["INITD_SOCKET"]  # The commands contain the socket's path, which is replaced by the path in this world.
        started, ran, asked = (
            the_block(text).replace("/tmp/shop.sock", str(world.socket)) for text in ("initd --socket", "swift run", "$ initctl")
        )
        world.start("bash", "-c", f"exec {started.strip()}")
        until(world.answers, "a supervisor at the socket")
        worker = world.start("bash", "-c", ran.strip().replace("swift run", f"exec {WORKER_EXAMPLE}"))
        world.succeeds("initctl", "--socket", world.socket, "wait", "favorites", "--appear", "--timeout", "20")
        command, expected = asked.removeprefix("$ ").strip().split("\n")
        assert (out := world.succeeds("bash", "-c", command).strip()) == expected, f"{command} prints {out}"
        assert worker.poll() is None, worker.communicate()[1]


def package_is_built() -> None:
    """Checks that its dependencies are written as in a package that `Tests/Traits` builds."""
    shown = the_block("// swift-tools-version").replace("../appinitializers", "../../..")
    built = {word.strip("[](),") for word in PACKAGE.read_text().split()}
    missing = [word for word in shown.split() if word.strip("[](),") not in built and "shelf" not in word]
    assert not missing, f"not in {PACKAGE}: {missing}"


def others_are_compiled() -> None:
    examples_are_compiled(README, "HostsTests", but=[the_block("import AppInitializersWorker"), the_block("// swift-tools-version")])
