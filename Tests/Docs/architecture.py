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
            elif not (ROOT / span).is_file():
                word = re.match(r"\w+", span)
                declared = word and any(re.search(rf"\b(func|var|let|case|struct|enum) {word[0]}\b", file.read_text()) for file in files)
                assert declared, f"line {number}: `{span}` is neither a file nor declared in the preceding one"


def names_occur() -> None:
    """Checks the names in its text and its tables: a file, a name in the sources or in a Package.swift, or a type with its module."""
    files = [ROOT / "Package.swift", *ROOT.glob("companions/*/Package.swift"), *(path for suffix in ("swift", "c", "h", "modulemap") for path in SOURCES.rglob("*." + suffix))]
    known = {word for file in files for word in re.findall(r"\w+", file.read_text())} | {file.stem for file in files}
    for number, line in DOCUMENT.prose():
        for span in spans(line):
            assert is_known(span, known), f"line {number}: nothing in the sources is named `{span}`"


def is_known(span: str, known: set[str]) -> bool:
    if (ROOT / span).exists() or any(ROOT.glob(span)) or named(span):
        return True
    module, dot, name = span.partition(".")
    if dot and (SOURCES / module).is_dir():
        return any(re.search(rf"\b(struct|class|enum|actor|protocol|typealias) {name}\b", file.read_text()) for file in (SOURCES / module).rglob("*.swift"))
    if re.fullmatch(r"[\w.+…]+(/[\w.+…]+)+", span):
        return False
    # A type, a member of one, a call, or a name in another language, e.g. an option or a command: each name in it occurs.
    return all(word in known for word in re.findall(r"(?<![-\w])[A-Za-z_]\w*", span))


def named(span: str) -> list[pathlib.Path]:
    """Returns the files of Sources that a code span means: a file, a directory, a file in any folder of a module, or, with `…`, all names
    with that beginning."""
    if span == "Sources/InitCore" or span == "init.yaml":
        return sorted((SOURCES / "InitCore").rglob("*.swift"))
    if (SOURCES / span).is_dir():
        return sorted((SOURCES / span).rglob("*.swift"))
    name = span.replace("…", "*").replace("/", "/**/")
    return sorted(SOURCES.rglob(name if name.endswith((".c", ".h")) else name + ".swift"))
