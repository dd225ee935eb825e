"""The house rules, which the compiler doesn't check."""

from __future__ import annotations

import pathlib
from typing import Iterator

from . import circles, imports, repository, searches, sizes, trust, versions
from .tree import Tree

RULES = [imports.findings, imports.floors, trust.findings, searches.findings, sizes.unfinished, versions.findings, repository.findings]


def findings(tree: Tree) -> Iterator[str]:
    """A broken rule: the place, the problem, and the remedy."""
    for rule in RULES:
        yield from rule(tree)


def warnings(tree: Tree) -> Iterator[str]:
    """A hint that may be worth a look."""
    yield from sizes.warnings(tree)
    count, name, files = circles.largest(tree)
    yield f"the largest circle has {count} files of {name}: {', '.join(pathlib.PurePath(file).stem for file in files)}"
