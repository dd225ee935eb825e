"""Parses a Markdown document: fenced blocks, links, headings, tables. It supports only the parts of Markdown that our documents use."""

from __future__ import annotations

import dataclasses
import pathlib
import re
from typing import Iterator, Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
_FENCE = re.compile(r"^(```+)(.*)$")
_NOTE = re.compile(r"^<!-- *(.*?) *-->$")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_TAG = re.compile(r'^ *<[^>]* (?:src|srcset|href)="([^"]*)"')
_SPAN = re.compile(r"`([^`]+)`")


@dataclasses.dataclass
class Block:
    """A fenced block."""

    line: int
    """The number of the block's first line, from 1."""
    language: str
    text: str
    section: str
    """Its heading."""
    note: Optional[str]
    """The comment on the line before the block, with instructions for the check that readers don't see."""


class Document:
    """A Markdown file of this repository."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.name = str(path.relative_to(ROOT))
        self.lines = path.read_text().splitlines()

    def blocks(self) -> list[Block]:
        """Returns the document's fenced blocks, in order."""
        found: list[Block] = []
        open_block: Optional[Block] = None
        fence, section, note = "", "", None
        for number, line in enumerate(self.lines, 1):
            if open_block is not None:
                if line == fence:
                    found.append(open_block)
                    open_block, note = None, None
                else:
                    open_block.text += line + "\n"
            elif match := _FENCE.match(line):
                fence = match[1]
                open_block = Block(number, match[2].strip(), "", section, note)
            elif match := _NOTE.match(line):
                note = match[1]
            else:
                note = None
                if line.startswith("#"):
                    section = line.lstrip("#").strip()
        assert open_block is None, f"{self.name}: the block of line {open_block and open_block.line} has no end"
        return found

    def prose(self) -> Iterator[tuple[int, str]]:
        """Returns the document's lines outside of fenced blocks, with their numbers."""
        fence = None
        for number, line in enumerate(self.lines, 1):
            if fence is not None:
                if line == fence:
                    fence = None
            elif match := _FENCE.match(line):
                fence = match[1]
            else:
                yield number, line

    def links(self) -> Iterator[tuple[int, str]]:
        """Returns the targets of the document's links and pictures, with their line numbers. A link's text may be broken into two lines."""
        previous, last = "", 0
        for number, line in self.prose():
            begun = re.search(r"\[[^\]]*$", previous) if number == last + 1 else None
            for match in _LINK.finditer((begun[0] + " " if begun else "") + (_SPAN.sub("", line) if "](" not in line else line)):
                yield number, match[1]
            if match := _TAG.match(line):
                yield number, match[1]
            previous, last = line, number

    def anchors(self) -> set[str]:
        """The possible targets after `#`: each heading, as rendered by the usual tools."""
        headings = [line.lstrip("#").strip() for _, line in self.prose() if re.match(r"#+ ", line)]
        names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]
        # The second one of a name has a number.
        return {name if (count := names[:index].count(name)) == 0 else f"{name}-{count}" for index, name in enumerate(names)}

    def spans(self, within: str) -> Iterator[tuple[int, list[str]]]:
        """The code spans of each table row under headings that hold `within`."""
        section = ""
        for number, line in self.prose():
            if line.startswith("#"):
                section = line
            elif line.startswith("|") and within in section and (found := _SPAN.findall(line)):
                yield number, found

    def rows(self, heading: str) -> list[list[str]]:
        """The cells of the table that follows the heading, without its header and rule."""
        section, rows = "", []
        for _, line in self.prose():
            if line.startswith("#"):
                section = line.lstrip("#").strip()
            elif line.startswith("|") and section == heading:
                rows.append([cell.strip() for cell in line.strip("|").split("|")])
        return rows[2:]


def spans(text: str) -> list[str]:
    """The code spans of a piece of text."""
    return _SPAN.findall(text)
