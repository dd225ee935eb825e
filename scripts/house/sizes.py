"""The sizes of files and folders, and unfinished comments."""

from __future__ import annotations

import pathlib
import re
from collections import Counter
from typing import Iterator

from .tree import Tree, short

LONGEST_FILE = 300
MAY_BE_LONGER = {
    "AppInitializers/InitManager.swift": "what a step of the machine changes is private to the actor's file",
    "InitWire/StrictJSON+scan.swift": "one scanner, whose steps hand each byte to each other",
}
LARGEST_FOLDER = 15


def findings(tree: Tree) -> Iterator[str]:
    """A file holds one idea, and a folder few files."""
    long = set()
    for file in tree.files("Sources", suffixes=(".swift", ".c", ".h")):
        lines = tree.text(file).splitlines()
        if len(lines) > LONGEST_FILE:
            long.add(short(file))
            if short(file) not in MAY_BE_LONGER:
                yield f"{file}: {len(lines)} lines; a file holds one idea, at most {LONGEST_FILE} lines: split it"
        for number, line in enumerate(lines, 1):
            if re.search(r"\b(TODO|FIXME|XXX)\b", line):
                yield f"{file}:{number}: an unfinished thought; finish it or open an issue"
    for name in sorted(MAY_BE_LONGER.keys() - long):
        yield f"scripts/house/sizes.py: {name} isn't longer than {LONGEST_FILE} lines; take it off the list"
    for folder, count in sorted(Counter(str(pathlib.Path(file).parent) for file in tree.files("Sources")).items()):
        if count > LARGEST_FOLDER:
            yield f"{folder}: {count} files; a folder has at most {LARGEST_FOLDER}: divide it"
