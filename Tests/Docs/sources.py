"""Finds a module's files in any of its folders."""

from __future__ import annotations

import pathlib

from markdown import ROOT


def source(module: str, name: str) -> str:
    """The text of a module's file."""
    found = list((ROOT / "Sources" / module).rglob(name + ".swift"))
    assert len(found) == 1, f"{module} has {len(found)} files that are named {name}.swift"
    return found[0].read_text()


def tests(target: str) -> list[pathlib.Path]:
    """The files of a test target."""
    return sorted((ROOT / "Tests" / target).rglob("*.swift"))
