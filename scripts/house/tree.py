"""The files that the house rules are checked against."""

from __future__ import annotations

import functools
import json
import pathlib
import subprocess
import sys
from typing import Any, Optional

BUILT = {".build", ".git", "__pycache__"}


class Tree:
    """The files of this repository, by their paths in it."""

    def __init__(self, root: pathlib.Path, changed: Optional[dict[str, str]] = None, package: Optional[dict[str, Any]] = None) -> None:
        """`changed` are texts that replace those of files or are new; tests of the rules make their breaks with it, and with `package`."""
        self.root = root
        self.changed = changed or {}
        if package is not None:
            self.package = package

    def files(self, *folders: str, suffixes: tuple[str, ...] = (".swift",)) -> list[str]:
        """Returns the files in these folders whose names end with one of `suffixes`; "" stands for scripts in Python whose names have
        none."""
        found = {name for folder in folders for name in _files(self.root, folder)}
        found |= {name for name in self.changed if name.startswith(tuple(each + "/" for each in folders))}
        return [name for name in sorted(found) if (suffix := pathlib.Path(name).suffix) in suffixes and (suffix or self._is_script(name))]

    def _is_script(self, name: str) -> bool:
        return self.text(name).startswith("#!/usr/bin/env python3")

    def text(self, name: str) -> str:
        """The text of a file."""
        return self.changed[name] if name in self.changed else _read(self.root / name)

    @functools.cached_property
    def package(self) -> dict[str, Any]:
        """Package.swift as JSON, from SwiftPM."""
        command = ["swift", "package", "--ignore-lock", "dump-package"]
        dump = subprocess.run(command, cwd=self.root, capture_output=True, text=True)
        if dump.returncode != 0:
            sys.exit(f"cannot read Package.swift: {dump.stderr}")
        return json.loads(dump.stdout)


@functools.cache
def _files(root: pathlib.Path, folder: str) -> list[str]:
    found = (path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file())
    return [str(path) for path in found if not BUILT & set(path.parts)]


@functools.cache
def _read(path: pathlib.Path) -> str:
    return path.read_text(errors="replace")


def module(name: str) -> str:
    """The module of a file in `Sources`."""
    return name.split("/")[1]


def short(name: str) -> str:
    """A file in `Sources` as the lists of exceptions name it: its module and its name, wherever in the module it is."""
    return f"{module(name)}/{pathlib.Path(name).name}"
