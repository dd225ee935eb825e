"""A name has one meaning."""

from __future__ import annotations

from typing import Iterator

from .swift_source import declarations
from .tree import Tree, module

# No two modules may declare a type with the same name, except these.
SAME_NAME = {
    # The machine's status, and the client library's type for users.
    "InitializerStatus": {"InitWords", "InitClient"},
    # The machine's type, and the library's type for users.
    "RetryPolicy": {"InitCore", "AppInitializers"},
}


def findings(tree: Tree) -> Iterator[str]:
    """Each type outside of others has a name of its own."""
    declared: dict[str, dict[str, str]] = {}
    for file in tree.files("Sources"):
        for each in declarations(tree.text(file)):
            if each.is_new and each.depth == 0:
                declared.setdefault(each.name, {})[module(file)] = file
    for name, places in sorted(declared.items()):
        if len(places) > 1 and set(places) != SAME_NAME.get(name):
            yield f"{', '.join(places.values())}: two types are named {name}; rename one of them"
    for name, homes in SAME_NAME.items():
        if set(declared.get(name, {})) != homes:
            yield f"scripts/house/names.py: {name} is no longer declared in {' and '.join(sorted(homes))}; take it off the list"
