"""CONTRIBUTING.md: its example of a test is an existing test."""

from __future__ import annotations

from typing import Callable, Iterator

from markdown import ROOT, Document
from sources import tests

DOCUMENT = Document(ROOT / "CONTRIBUTING.md")


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "CONTRIBUTING.md: the example of a test exists", example_is_a_test


def example_is_a_test() -> None:
    blocks = [block.text.split() for block in DOCUMENT.blocks() if block.language == "swift"]
    assert len(blocks) == 1, f"{len(blocks)} Swift blocks"
    told = [file.read_text().split() for file in tests("InitCoreTests")]
    assert any(" ".join(blocks[0]) in " ".join(test) for test in told), "no test of InitCore is like it"
