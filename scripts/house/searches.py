"""Functions of the standard library that search a string for a string: they link its regular expressions, 1.2 MB in each static program."""

from __future__ import annotations

import re
from typing import Iterator

from .swift_source import code, line_of
from .tree import Tree

SEARCHES = re.compile(r"\.replacing\((?:[^()]|\([^()]*\))*\bwith:|(?<!func )\b(?:firstRange|ranges)\(of:|\.(?:trimmingPrefix|trimPrefix)\(")


def findings(tree: Tree) -> Iterator[str]:
    """Checks that no source calls one of them. What a type of ours declares under such a name has other labels."""
    for file in tree.files("Sources"):
        text = code(tree.text(file))
        for found in SEARCHES.finditer(text):
            yield f"{file}:{line_of(text, found.start())}: links regular expressions; search for a character, or compare bytes"
