"""The address of the public repository: the module path of the client in Go contains it, because Go fetches the module from there."""

from __future__ import annotations

import re
from typing import Iterator

from .tree import Tree

MODULE = "clients/go/go.mod"
FOLDER = "clients/go"
ANYWHERE = re.compile(r"\bgithub\.com/([\w.-]+/[\w.-]+)/clients/go\b|--repo ([\w.-]+/[\w.-]+)")
"""How other files name the repository: as the module, or as an option of `gh`."""


def module(tree: Tree) -> str:
    """The module path of the client in Go."""
    return tree.text(MODULE).split(maxsplit=2)[1]


def findings(tree: Tree) -> Iterator[str]:
    """Go can fetch the module, and each file names the same repository."""
    path = module(tree)
    found = re.fullmatch(r"github\.com/([\w.-]+/[\w.-]+)/" + FOLDER, path)
    if not found:
        yield f"{MODULE}: Go can't fetch {path}; the path must be that of the repository and the folder: github.com/OWNER/NAME/{FOLDER}"
        return
    files = ["INSTALL.md", *tree.files("clients/go", "Examples", "scripts", ".github", suffixes=(".go", ".mod", ".md", ".yml"))]
    for file in files:
        for other in sorted({one or two for one, two in ANYWHERE.findall(tree.text(file))} - {found[1]}):
            yield f"{file}: names the repository {other}, and {MODULE} is of {found[1]}; use one of them everywhere"
