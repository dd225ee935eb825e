"""The house rules: what the compiler doesn't check."""

from __future__ import annotations

from typing import Iterator

from . import glossary, imports, names, sizes, trust
from .tree import Tree

RULES = [glossary.findings, names.findings, imports.findings, imports.floors, trust.findings, sizes.files, sizes.types]


def findings(tree: Tree) -> Iterator[str]:
    """What breaks a rule: where, what, and what to do."""
    for rule in RULES:
        yield from rule(tree)
