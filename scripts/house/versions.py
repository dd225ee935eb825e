"""The version of this project: Release.swift has it, and the packages of the clients must have the same."""

from __future__ import annotations

import re
from typing import Iterator

from .tree import Tree

SOURCE = "Sources/InitWire/Words/Release.swift"
# The places of the version: each match's first group is one.
PLACES = {
    SOURCE: r'static let version = "([^"]+)"',
    "clients/python/appinitializers/version.py": r'^__version__ = "([^"]+)"',
    "clients/node/package.json": r'^  "version": "([^"]+)"',
    "clients/node/lib/options.js": r"^  version: '([^']+)'",
    "clients/rust/Cargo.toml": r'^version = "([^"]+)"',
    "companions/fleet/Sources/initfleet/InitFleet.swift": r'static let number = "([^"]+)"',
    "companions/web/Sources/initweb/InitWeb.swift": r'static let number = "([^"]+)"',
    "clients/go/README.md": r"\bclients/go@v(\d+\.\d+\.\d+)",
    "INSTALL.md": r"\b(?:appinitializers(?:-[a-z]+)?[-_:@]|clients/go@v)(\d+\.\d+\.\d+)",
}


def current(tree: Tree) -> str:
    """The version of Release.swift."""
    found = re.search(PLACES[SOURCE], tree.text(SOURCE))
    assert found, f"{SOURCE} has no version"
    return found[1]


def replaced(tree: Tree, version: str) -> dict[str, str]:
    """The texts of all places with another version."""

    def one(match: re.Match[str]) -> str:
        start, end = match.start(1) - match.start(), match.end(1) - match.start()
        return match[0][:start] + version + match[0][end:]

    return {file: re.sub(pattern, one, tree.text(file), flags=re.M) for file, pattern in PLACES.items()}


def findings(tree: Tree) -> Iterator[str]:
    """All places have the version of Release.swift."""
    version = current(tree)
    for file, pattern in PLACES.items():
        found = set(re.findall(pattern, tree.text(file), re.M))
        if not found:
            yield f"{file}: no version, where scripts/house/versions.py expects it; correct the pattern"
        elif found != {version}:
            yield f"{file}: version {', '.join(sorted(found - {version}))}, and {SOURCE} has {version}; make release VERSION={version} sets it"
