"""docs/start.md: its steps work as printed, one after the other, in one folder."""

from __future__ import annotations

import re
from typing import Callable, Iterator

import readme
from markdown import ROOT, Block, Document
from world import World

DOCUMENT = Document(ROOT / "docs/start.md")


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "start.md: the steps work as printed", steps_work
    yield "start.md: every command and option exists", lambda: readme.commands_and_options(DOCUMENT)


def steps_work() -> None:
    with World() as world:
        del world.environment["INITD_SOCKET"]  # The socket is that of the folder.
        printed = ""
        try:
            for block in DOCUMENT.blocks():
                if block.language == "yaml":
                    world.write("init.yaml", block.text)
                elif block.language == "sh":
                    printed = output(world, block)
                else:
                    compare(block, printed)
        finally:
            world.run("initctl", "down")


def output(world: World, block: Block) -> str:
    """Runs the commands of a block: what they print, standard output first."""
    wanted = int(block.note.removeprefix("status ")) if block.note else 0
    status, out, err = world.run("bash", "-e", "-c", block.text)
    assert status == wanted, f"line {block.line} ended with {status}\n{block.text}{out}{err}"
    return out + err


def compare(block: Block, printed: str) -> None:
    """Compares a block with what was printed: a line with only … stands for any lines, and … in a line for any text."""
    lines = ["(.*\n)*?" if line == "…" else ".*".join(re.escape(part) for part in line.split("…")) + "\n" for line in block.text.splitlines()]
    # What another stream prints may stand before or after.
    rest = "(.*\n)*?"
    assert re.fullmatch(rest + rest.join(lines) + "(.*\n)*", printed), f"line {block.line}: expected\n{block.text}printed\n{printed}"
