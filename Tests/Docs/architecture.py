"""ARCHITECTURE.md: every file in its tables exists, and contains the named declarations."""

from __future__ import annotations

import pathlib
import re
from typing import Callable, Iterator

from markdown import ROOT, Document, spans

DOCUMENT = Document(ROOT / "ARCHITECTURE.md")
SOURCES = ROOT / "Sources"


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "ARCHITECTURE.md: the files of its tables exist", files_are_there
    yield "ARCHITECTURE.md: its names occur in the sources", names_occur


def files_are_there() -> None:
    rows = list(DOCUMENT.spans("Which file decides a rule"))
    assert rows, "its tables are missing"
    for number, row in rows:
        files: list[pathlib.Path] = []
        for span in row:
            if found := named(span):
                files += found
            else:
                word = re.match(r"\w+", span)
                declared = word and any(re.search(rf"\b(func|var|let|case|struct|enum) {word[0]}\b", file.read_text()) for file in files)
                assert declared, f"line {number}: `{span}` is neither a file of Sources nor declared in the preceding one"


def names_occur() -> None:
    """Types, methods and targets in its text: each is a word in the sources or in Package.swift, or the name of a file there."""
    files = [ROOT / "Package.swift", *SOURCES.rglob("*.swift"), *SOURCES.rglob("*.c"), *SOURCES.rglob("*.h"), *SOURCES.rglob("*.modulemap")]
    known = {word for file in files for word in re.findall(r"\w+", file.read_text())} | {file.stem for file in files}
    for number, line in DOCUMENT.prose():
        for span in [] if line.startswith("|") else spans(line):
            if match := re.match(r"(?:[A-Z]\w*[+.])*\w+", span):
                words = [match[0]] if match[0] in known else re.split(r"[+.]", match[0])
                unknown = [word for word in words if word not in known and not (ROOT / span.rstrip("…").strip()).exists()]
                assert not unknown, f"line {number}: nothing in the sources is named {', '.join(unknown)}"


def named(span: str) -> list[pathlib.Path]:
    """The files of Sources that a code span means: a file, a directory, a file in any folder of a module, or, with `…`, all names with that beginning."""
    if span == "Sources/InitCore" or span == "init.yaml":
        return sorted((SOURCES / "InitCore").rglob("*.swift"))
    if (SOURCES / span).is_dir():
        return sorted((SOURCES / span).rglob("*.swift"))
    name = span.replace("…", "*").replace("/", "/**/")
    return sorted(SOURCES.rglob(name if name.endswith((".c", ".h")) else name + ".swift"))
