"""ARCHITECTURE.md: every file that its tables send somebody to is there, and holds what they say it holds."""

from __future__ import annotations

import pathlib
import re
from typing import Callable, Iterator

from markdown import ROOT, Document

DOCUMENT = Document(ROOT / "ARCHITECTURE.md")
SOURCES = ROOT / "Sources"


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "ARCHITECTURE.md: the files of its tables are there", files_are_there


def files_are_there() -> None:
    rows = list(DOCUMENT.spans("Which file decides a rule"))
    assert rows, "its tables are gone"
    for number, spans in rows:
        files: list[pathlib.Path] = []
        for span in spans:
            if found := named(span):
                files += found
            else:
                word = re.match(r"\w+", span)
                declared = word and any(re.search(rf"\b(func|var|let|case|struct|enum) {word[0]}\b", file.read_text()) for file in files)
                assert declared, f"line {number}: `{span}` is neither a file of Sources nor declared in what stands before it"


def named(span: str) -> list[pathlib.Path]:
    """The files of Sources that a span means: a file, a directory, or names that go on where `…` stands."""
    if span == "Sources/InitCore" or span == "init.yaml":
        return sorted((SOURCES / "InitCore").glob("*.swift"))
    if (SOURCES / span).is_dir():
        return sorted((SOURCES / span).glob("*.swift"))
    return sorted(SOURCES.rglob(span.replace("…", "*") + ".swift"))
