"""Breaks a rule in a copy of this repository's files, in memory, and returns the findings of the house rules."""

from __future__ import annotations

import copy
import functools
import pathlib
import unittest
from typing import Any, Callable, Iterator, Optional

from house.tree import Tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@functools.cache
def package() -> dict[str, Any]:
    """Package.swift, read once."""
    return Tree(ROOT).package


class HouseTests(unittest.TestCase):
    """A test of one rule."""

    rule: Callable[[Tree], Iterator[str]]

    def found(self, changed: dict[str, str], package_of: Optional[dict[str, Any]] = None) -> list[str]:
        """Returns the findings of the rule in the files of this repository, with these texts instead of theirs."""
        return list(type(self).rule(Tree(ROOT, changed, package_of or package())))

    def refuses(self, expected: str, changed: dict[str, str], package_of: Optional[dict[str, Any]] = None) -> None:
        """Checks that the rule has one finding, which contains `expected`."""
        findings = self.found(changed, package_of)
        self.assertEqual(len(findings), 1, findings)
        self.assertIn(expected, findings[0])

    def text(self, name: str) -> str:
        """A file's text."""
        return (ROOT / name).read_text()


def depending(name: str, other: str) -> dict[str, Any]:
    """Package.swift with one more dependency of a target."""
    changed = copy.deepcopy(package())
    target = next(each for each in changed["targets"] if each["name"] == name)
    target["dependencies"].append({"byName": [other, None]})
    return changed
