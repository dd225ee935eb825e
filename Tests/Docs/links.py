"""Every Markdown file: the targets of its links exist, and so do the paths and make targets in its code spans."""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Callable, Iterator

from markdown import ROOT, Document, spans

MODULES = {path.name for path in (ROOT / "Sources").iterdir()}


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for name in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True).split():
        document = Document(ROOT / name)
        yield f"{name}: its links lead somewhere", lambda document=document: links_lead_somewhere(document)
        yield f"{name}: the paths and targets it names are there", lambda document=document: named_things_are_there(document)


def links_lead_somewhere(document: Document) -> None:
    for number, link in document.links():
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (document.path.parent / name).resolve() if name else document.path
        assert target.exists(), f"line {number}: there is no {name}"
        assert target.is_relative_to(ROOT), f"line {number}: {name} is outside of the repository"
        if anchor:
            assert anchor in Document(target).anchors(), f"line {number}: {target.name} has no heading #{anchor}"


def named_things_are_there(document: Document) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    # A command `make X` in a code span, or alone on a line of a block.
    typed = [line.split("#")[0] for block in document.blocks() if block.language == "sh" for line in block.text.splitlines()]
    for number, line in [*document.prose(), *((0, f"`{line.strip()}`") for line in typed if line.strip())]:
        for span in spans(line):
            word, *further = span.split()
            if word == "make" and further and further[0].isalpha():
                assert further[0] in targets, f"line {number}: make {further[0]} is not in the Makefile"
            if re.match(r"(Tests|Sources|scripts|Examples|Fuzz|Benchmarks|clients)/\w", word):
                assert list(ROOT.glob(word.replace("…", "*"))), f"line {number}: there is no {word}"
            elif document.path.parent == ROOT and re.fullmatch(r"[\w+…]+(/[\w+…]+)*\.(swift|c|h|py|md)", word):
                assert tracked(word), f"line {number}: there is no {word}"
            elif document.path.parent == ROOT and re.fullmatch(r"[\w+]+/[\w+…]+", word) and word.partition("/")[0] in MODULES:
                assert tracked(word + ".*"), f"line {number}: there is no {word}"


def tracked(name: str) -> list[pathlib.Path]:
    """The files that a name means, in any folder of their module or above it."""
    pattern = name.replace("…", "*").replace("/", "/**/")
    return [path for top in ("Sources", "Tests", "Examples", "Fuzz", "clients", "scripts") for path in (ROOT / top).rglob(pattern)] or list(ROOT.glob(name))
