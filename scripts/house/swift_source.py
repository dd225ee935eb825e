"""Reads Swift source as far as the house rules need it: the code without its strings and comments, and the types that it declares."""

from __future__ import annotations

import dataclasses
import functools
import re
from typing import Iterator

_STRING = re.compile(r'(#*)("""|")')
# `class` is also a modifier of members, and `actor` may be a name: the name of a type follows on the same line.
_DECLARATION = re.compile(
    r"(?<![\w.`#@])(struct|class|enum|actor|protocol|extension|typealias|associatedtype)[ \t]+"
    r"`?(?!(?:func|var|let|subscript|override|final)\b)([A-Za-z_][\w.]*)"
)
_PROPERTY = re.compile(r"(?<![\w.`])(?:let|var)(?=[\s(])")


@functools.cache
def code(text: str) -> str:
    """Returns a file's text without its strings and comments: everything else keeps its position, so lines can be counted."""
    return _Scanner(text).scanned()


def line_of(text: str, offset: int) -> int:
    """The number of the line at an offset."""
    return text.count("\n", 0, offset) + 1


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.kept, self.at = text, list(text), 0

    def scanned(self) -> str:
        self._code()
        return "".join(self.kept)

    def _drop(self, count: int) -> None:
        end = min(self.at + count, len(self.text))
        self.kept[self.at : end] = [each if each == "\n" else " " for each in self.text[self.at : end]]
        self.at = end

    def _code(self, in_string: bool = False) -> None:
        """Passes code; in an interpolation, up to the bracket that closes it."""
        depth = 0
        while self.at < len(self.text):
            if self.text.startswith("//", self.at):
                end = self.text.find("\n", self.at)
                self._drop((end if end >= 0 else len(self.text)) - self.at)
            elif self.text.startswith("/*", self.at):
                self._comment()
            elif _STRING.match(self.text, self.at):
                self._string()
            else:
                depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
                if in_string and depth < 0:
                    return
                self.at += 1

    def _comment(self) -> None:
        depth = 0
        while self.at < len(self.text):
            mark = self.text[self.at : self.at + 2]
            depth += {"/*": 1, "*/": -1}.get(mark, 0)
            self._drop(2 if mark in ("/*", "*/") else 1)
            if depth == 0:
                return

    def _string(self) -> None:
        opening = _STRING.match(self.text, self.at)
        assert opening
        escape, end = "\\" + opening[1], opening[2] + opening[1]
        self._drop(len(opening[0]))
        while self.at < len(self.text):
            if self.text.startswith(end, self.at):
                return self._drop(len(end))
            if self.text.startswith(escape + "(", self.at):
                self._drop(len(escape))
                self.at += 1
                self._code(in_string=True)
                self.at += 1
            else:
                self._drop(len(escape) + 1 if self.text.startswith(escape, self.at) else 1)


@dataclasses.dataclass
class Declaration:
    """A type that a file declares or extends, wherever it is nested."""

    kind: str
    name: str
    """The name as it is written: an extension may name a nested type, with a dot."""
    line: int
    lines: int
    """Returns the number of lines, with the body."""
    depth: int
    """The number of braces around the declaration."""
    properties: int
    """Returns the number of stored properties that its body declares."""

    @property
    def is_new(self) -> bool:
        """Returns whether it declares a type, and doesn't extend one or name a protocol's requirement."""
        return self.kind not in ("extension", "associatedtype")


@functools.cache
def declarations(text: str) -> list[Declaration]:
    """The types that a file's text declares or extends, in order."""
    return list(_declared(code(text)))


def _declared(text: str) -> Iterator[Declaration]:
    depths = _depths(text)
    for found in _DECLARATION.finditer(text):
        line, count, properties = line_of(text, found.start()), 1, 0
        if found[1] not in ("typealias", "associatedtype") and (start := text.find("{", found.end())) >= 0:
            end = next((at for at in range(start + 1, len(text)) if depths[at] == depths[start]), len(text) - 1)
            count = line_of(text, end) - line + 1
            properties = sum(_stored(text, depths, start, end)) if found[1] in ("struct", "class", "actor") else 0
        yield Declaration(found[1], found[2], line, count, depths[found.start()], properties)


def _depths(text: str) -> list[int]:
    """Returns for each character the number of enclosing braces; a brace itself counts as outside of the braces that it opens or closes."""
    depths, depth = [], 0
    for each in text:
        depth -= each == "}"
        depths.append(depth)
        depth += each == "{"
    return depths


def _stored(text: str, depths: list[int], start: int, end: int) -> Iterator[int]:
    """How many stored properties each declaration directly in these braces makes."""
    for found in _PROPERTY.finditer(text, start, end):
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()].split(";")[-1]
        if depths[found.start()] != depths[start] + 1 or re.search(r"\b(static|class)\b", before):
            continue
        if names := _names(text[found.end() : end]):
            yield names


def _names(text: str) -> int:
    """Returns the number of stored properties that the text after `let` or `var` declares: none if they are computed."""
    depth, count, is_tuple = 0, 1, text.lstrip().startswith("(")
    for at, each in enumerate(text):
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": 0 if text[at - 1] == "-" else -1}.get(each, 0)
        if each == "," and (depth == 0 or is_tuple and depth == 1 and ":" not in text[:at]):
            count += 1
        elif each == "{" and depth == 0:
            return count if re.match(r"\s*(?:willSet|didSet)\b", text[at + 1 :]) else 0
        elif each == "=" and depth == 0:
            return count
        elif each == "\n" and depth == 0 and not re.search(r"[:,&]\s*$", text[:at]) and not re.match(r"\s*[{=]", text[at:]):
            return count
    return count
