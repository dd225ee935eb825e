"""Finds a module's files in any of its folders."""

from __future__ import annotations

import json
import pathlib

from markdown import ROOT


def source(module: str, name: str) -> str:
    """The text of a module's file."""
    found = list((ROOT / "Sources" / module).rglob(name + ".swift"))
    assert len(found) == 1, f"{module} has {len(found)} files that are named {name}.swift"
    return found[0].read_text()


def requests() -> set[str]:
    """The methods of the requests that a client can send: those with roles in the schema of the protocol."""
    methods = json.loads((ROOT / "clients/protocol.schema.json").read_text())["methods"]
    return {name for name, method in methods.items() if "roles" in method}


def tests(target: str) -> list[pathlib.Path]:
    """The files of a test target."""
    return sorted((ROOT / "Tests" / target).rglob("*.swift"))
