"""Circles of files: files of a module that need each other, so none of them can be read alone.

A file needs another one if it uses a type that is declared there, outside of other types. What an extension adds isn't counted for its users.
"""

from __future__ import annotations

import re

from .swift_source import code
from .tree import Tree, module

_TYPE = re.compile(r"^(?:(?:public|package|internal|fileprivate|private|final|indirect)\s+)*(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.M)
_WORD = re.compile(r"(?<![\w.])[A-Z]\w*")


def largest(tree: Tree) -> tuple[int, str, list[str]]:
    """The size of the largest circle, its module, and its files."""
    files: dict[str, list[str]] = {}
    for name in tree.files("Sources"):
        files.setdefault(module(name), []).append(name)
    circles = [(len(circle), name, circle) for name, own in files.items() for circle in _circles(_needs(tree, own))]
    return max(circles, default=(0, "", []))


def _needs(tree: Tree, files: list[str]) -> dict[str, set[str]]:
    homes = {each: name for name in files for each in _TYPE.findall(code(tree.text(name)))}
    return {name: {homes[word] for word in _WORD.findall(code(tree.text(name))) if word in homes} - {name} for name in files}


def _circles(needs: dict[str, set[str]]) -> list[list[str]]:
    """The strongly connected files, by Tarjan's method with a stack of its own."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []
    for root in needs:
        if root in index:
            continue
        work = [(root, iter(sorted(needs[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            name, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    circle = stack[stack.index(name) :]
                    del stack[stack.index(name) :]
                    found.append(sorted(circle))
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                work.append((following, iter(sorted(needs[following]))))
            elif following in stack:
                low[name] = min(low[name], index[following])
    return found
