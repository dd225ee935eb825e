"""Large files and types, and unfinished comments."""

from __future__ import annotations

import re
from collections import Counter
from typing import Iterator

from .swift_source import declarations
from .tree import Tree, module

# A size is a hint where to look: exceeding it is a warning.
MANY_LINES = 500
MANY_PROPERTIES = 12


def unfinished(tree: Tree) -> Iterator[str]:
    """The sources have no reminders of unfinished work."""
    for file in tree.files("Sources", suffixes=(".swift", ".c", ".h")):
        for number, line in enumerate(tree.text(file).splitlines(), 1):
            if re.search(r"\b(TODO|FIXME|XXX)\b", line):
                yield f"{file}:{number}: an unfinished thought; finish it or open an issue"


def warnings(tree: Tree) -> Iterator[str]:
    """Files and types that may have more than one task."""
    for file in tree.files("Sources", suffixes=(".swift", ".c", ".h")):
        if (count := len(tree.text(file).splitlines())) > MANY_LINES:
            yield f"{file}: {count} lines"
    lines: Counter[str] = Counter()
    properties: Counter[str] = Counter()
    for file in tree.files("Sources"):
        for each in declarations(tree.text(file)):
            name = f"{module(file)}/{each.name}"
            if each.depth == 0 and each.kind not in ("typealias", "associatedtype"):
                lines[name] += each.lines
            # Nested types of different types may have the same name.
            properties[name] = max(properties[name], each.properties)
    for counts, many, what in [(lines, MANY_LINES, "lines with its extensions"), (properties, MANY_PROPERTIES, "stored properties")]:
        for name, count in counts.most_common():
            if count > many:
                yield f"{name}: {count} {what}"
