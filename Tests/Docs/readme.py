"""README.md and docs/uses.md: the manifest is checked, the quickstart is executed, and the Python and Swift code runs."""

from __future__ import annotations

import re
import signal
from typing import Callable, Iterator

from markdown import ROOT, Document, spans
from world import EMBEDDED_EXAMPLE, LIBRARY_EXAMPLE, World, until

DOCUMENT = Document(ROOT / "README.md")
USES = Document(ROOT / "docs/uses.md")
EMBEDDED_SOURCE = ROOT / "Examples/embedded/main.swift"
LIBRARY_SOURCE = ROOT / "Examples/library/main.swift"


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "README.md: the manifest is valid", manifest_is_good
    yield "README.md: the quickstart works unchanged", quickstart
    yield "uses.md: the Python worker runs", python_worker
    yield "uses.md: the Swift example is the one that is built", swift_is_the_source
    yield "uses.md: the Swift example prints the expected output", swift_runs
    yield "uses.md: the program that is its own supervisor is the one that is built", embedded_is_the_source
    yield "uses.md: the program that is its own supervisor works as described, and ends on SIGINT", embedded_runs
    yield "README.md: every command and option exists", lambda: commands_and_options(DOCUMENT)
    yield "uses.md: every command and option exists", lambda: commands_and_options(USES)


def the_block(language: str, holding: str = "") -> str:
    """The only fenced block of both pages in that language that contains a text."""
    found = [block.text for block in DOCUMENT.blocks() + USES.blocks() if block.language == language and holding in block.text]
    assert len(found) == 1, f"{len(found)} blocks of {language} hold {holding!r}"
    return found[0]


def manifest_is_good() -> None:
    with World() as world:
        world.succeeds("initd", "--check", world.write("init.yaml", the_block("yaml")))


def quickstart() -> None:
    with World() as world:
        del world.environment["INITD_SOCKET"]  # The quickstart uses the socket of the folder.
        world.write("init.yaml", the_block("yaml"))
        out = world.succeeds("bash", "-e", "-c", the_block("sh", "initctl up"))
        assert "ready" in out.splitlines(), f"it never said ready:\n{out}"
        for name in ("migrate", "toggles", "session"):
            assert re.search(rf"{name}.*complete", out), f"status doesn't show {name} complete:\n{out}"
        left = list((world.directory / "initd").glob("*.sock"))
        assert not left, f"the supervisor has left its socket: {left}"


def python_worker() -> None:
    with World() as world:
        world.supervise("--config", world.write("init.yaml", the_block("yaml")))
        worker = world.start("python3", world.write("worker.py", the_block("python")))
        until(lambda: "favorites" in world.run("initctl", "status", "--json")[1] or worker.poll() is not None, "favorites")
        assert worker.poll() is None, worker.communicate()[1]
        world.succeeds("initctl", "activate", "--wait", "--timeout", "20")
        world.succeeds("initctl", "wait", "favorites", "--timeout", "20")
        worker.terminate()
        assert worker.wait(20) == 0, worker.communicate()[1]


def swift_is_the_source() -> None:
    shown, source = the_block("swift", "InitManager").split(), LIBRARY_SOURCE.read_text().split()
    assert source[: len(shown)] == shown, f"{LIBRARY_SOURCE.name} doesn't begin with the block"
    assert source[len(shown) :] == ["await", "open()"], f"{LIBRARY_SOURCE.name} has more than the call"


def swift_runs() -> None:
    with World() as world:
        out = world.succeeds(LIBRARY_EXAMPLE).splitlines()
        assert out == ["migrating", "refreshing the session", "complete"], out


def embedded_is_the_source() -> None:
    assert the_block("swift", "EmbeddedSupervisor").split() == EMBEDDED_SOURCE.read_text().split()


def embedded_runs() -> None:
    with World() as world:
        program = world.start(str(EMBEDDED_EXAMPLE))
        world.succeeds("initctl", "wait", "launch", "--connect-timeout", "20")
        assert "migrating" in world.succeeds("initctl", "logs", "migrate")
        world.start("initctl", "worker", "favorites", "--", "true")
        world.succeeds("initctl", "wait", "--timeout", "20")
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=20)
        assert (program.returncode, out.splitlines()) == (0, ["loading the catalogue", "complete"]), (program.returncode, out, err)
        assert not world.socket.exists(), "it has left its socket"


def commands_and_options(document: Document) -> None:
    """Each `initctl X --option` and `initd --option` in code spans, or alone on a line of a block, is in the program's own help."""
    blocks = [(block.line, f"`{line.split('#')[0].strip()}`") for block in document.blocks() if block.language == "sh" for line in block.text.splitlines()]
    with World() as world:
        for number, line in [*document.prose(), *blocks]:
            for span in spans(line):
                words = span.replace("\\|", "|").split("|")[0].split(" -- ")[0].split()
                if words[:1] not in (["initd"], ["initctl"]) or len(words) < 2:
                    continue
                command = words[:2] if words[0] == "initctl" else words[:1]
                text = world.succeeds(*command, "--help")
                for option in (word for word in words if word.startswith("--")):
                    assert option in text, f"line {number}: {' '.join(command)} has no {option}"
