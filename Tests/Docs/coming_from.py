"""docs/coming-from.md: our file of each pair gets ready, with stand_in.py for its programs, and the other one is what its tool reads."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shutil
import socket
from typing import Any, Callable, Iterator

import other_tools
import readme
from engine import Engine
from markdown import ROOT, Block, Document, spans
from stand_in import PROGRAMS
from world import World

DOCUMENT = Document(ROOT / "docs/coming-from.md")
STAND_IN = ROOT / "Tests/Docs/stand_in.py"
FILES = {".env": "SHOP=1\n", "shop.env": "SHOP=1\n", "schema.sql": "", "migrations/1.sql": "", "src/app.py": "", "shop/tasks.py": ""}
"""What the examples find in their folder."""


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for theirs, ours in pairs():
        place = f"coming-from.md:{theirs.line} {theirs.section}"
        yield f"{place}: our file gets ready", lambda theirs=theirs, ours=ours: gets_ready(theirs, ours)
        yield f"{place}: their file has its form", lambda theirs=theirs: other_tools.FORMS[theirs.language](theirs.text)
        if other_tools.ARE_INSTALLED and theirs.section in other_tools.READERS:
            yield f"{place}: their tool reads their file", lambda theirs=theirs: is_read(theirs)
    yield "coming-from.md: each part has their file and ours", are_pairs
    yield "coming-from.md: every command and option exists", lambda: readme.commands_and_options(DOCUMENT)
    yield "coming-from.md: every word of ours is one of init.yaml", our_words_exist


def pairs() -> Iterator[tuple[Block, Block]]:
    """Their file and ours, of each part."""
    blocks = DOCUMENT.blocks()
    return zip(blocks[::2], blocks[1::2])


def are_pairs() -> None:
    for theirs, ours in itertools.zip_longest(DOCUMENT.blocks()[::2], DOCUMENT.blocks()[1::2]):
        assert ours and theirs.section == ours.section and ours.language == "yaml", f"line {theirs.line}: there is no pair"


def gets_ready(theirs: Block, ours: Block) -> None:
    with project(ours.text) as world:
        engine = Engine(world.directory / "engine.sock")
        world.succeeds("initctl", "check", "--strict")
        if theirs.section == "systemd units":
            # It is a server of the machine there.
            world.start("postgres")
        try:
            status = up(world)
            for name, state in states(status).items():
                assert name in theirs.text, f"their file has no {name}"
                # What is only wanted fails here.
                assert state == ("failed" if name == "warm-cache" else "complete"), f"{name} is {state}"
            dead = [each["name"] for each in status["processes"] if "pid" not in each or each["restarts"]]
            assert not dead, f"{dead} ended after the start"
            if theirs.section == "devenv":
                repeats_nothing(world)
        finally:
            world.run("initctl", "down")
        if theirs.section == "docker run":
            assert engine.signals == {"shop-db": "SIGINT", "shop-web": "SIGTERM"}, f"its containers were stopped by {engine.signals}"


@contextlib.contextmanager
def project(manifest: str) -> Iterator[World]:
    """A folder with the manifest and what it needs. Its ports become any free ones: another program may have those."""
    with World() as world:
        manifest = re.sub(r"\d{4}\+", "auto", manifest)
        for number in ("8000", "7000"):
            with socket.create_server(("127.0.0.1", 0)) as free:
                manifest = manifest.replace(number, str(free.getsockname()[1]))
        for name, text in {**FILES, "init.yaml": manifest}.items():
            (world.directory / name).parent.mkdir(exist_ok=True)
            world.write(name, text)
        for name in PROGRAMS:
            (world.directory / ("" if name.startswith("./") else "bin") / name).symlink_to(STAND_IN)
        del world.environment["INITD_SOCKET"]  # The socket is that of the folder.
        world.environment |= {"XDG_RUNTIME_DIR": str(world.directory), "DOCKER_HOST": f"unix://{world.directory}/engine.sock"}
        if "pg_isready" in manifest:
            world.environment["PGHOST"] = str(world.directory)
        yield world


def up(world: World) -> dict[str, Any]:
    """Starts the project, and returns its Status."""
    world.succeeds("initctl", "up", "--timeout", "25s")
    return json.loads(world.succeeds("initctl", "status", "--json"))


def states(status: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["status"] for each in status["initializers"]}


def repeats_nothing(world: World) -> None:
    """At the next start, migrate runs only if its files have changed or nobody knows, and seed only if there is nothing to see of it."""
    migrations, state = world.directory / "migrations/1.sql", world.directory / ".initd"
    for change, wanted in (
        (lambda: None, []),
        (lambda: migrations.write_text("more"), ["migrate"]),
        (lambda: shutil.rmtree(state), ["migrate"]),
        (lambda: (world.directory / "data/seeded").unlink(), ["seed"]),
    ):
        world.succeeds("initctl", "down")
        (world.directory / "runs").write_text("")
        change()
        up(world)
        runs = (world.directory / "runs").read_text().split()
        assert runs == wanted, f"{runs} ran, not {wanted}"


def is_read(theirs: Block) -> None:
    with project("") as world:
        other_tools.READERS[theirs.section](world, theirs.text)


def our_words_exist() -> None:
    """On our side of the tables, a code span that isn't a command has only keys and values of init.yaml."""
    with World() as world:
        known = set(re.findall(r'"(\w+)"', world.succeeds("initctl", "schema"))) | {"initd"}
    for number, line in DOCUMENT.prose():
        if line.startswith("| ") and line.count(" | ") == 1:
            for span in spans(line.split(" | ")[1]):
                # The keys of a mapping, but not the names of ports; or one word.
                words = re.findall(r"(\w+): ", re.sub("(ports: ).*", r"\1", span)) or re.findall(r"^[a-z]\w+$", span)
                assert known.issuperset(words), f"line {number}: init.yaml has no {', '.join(set(words) - known)}"
