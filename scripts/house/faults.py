"""Each fault of Tests/Faults still applies to the sources, and its test still exists. `Tests/Faults/run` makes them."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from typing import Iterator, Optional

from .tree import Tree

FOLDER = "Tests/Faults"
MEMBERS = {"breaks", "file", "before", "after", "test"}


@dataclasses.dataclass(frozen=True)
class Fault:
    """A small change of one source file that breaks it, and the test that must fail then."""

    name: str
    breaks: str
    """What is broken, in a sentence."""
    file: str
    before: str
    after: str
    test: str
    """`Target.Suite/function` of a Swift test, or `test_file.py test_name` of the conformance suite."""

    @property
    def target(self) -> Optional[str]:
        """The target of its test; None for the conformance suite."""
        return None if self.test.startswith("test_") else self.test.split(".")[0]

    @property
    def command(self) -> list[str]:
        """Runs only its test."""
        if self.target:
            return ["scripts/swift-test", "--skip-build", "--filter", f"^{re.escape(self.test)}\\("]
        file, name = self.test.split()
        return ["Tests/Conformance/run", "-k", name, file]

    def applied(self, text: str) -> str:
        """The source file with the fault."""
        return text.replace(self.before, self.after)


def lists(tree: Tree) -> list[str]:
    """The files that list faults."""
    return tree.files(FOLDER, suffixes=(".toml",))


def faults(tree: Tree) -> list[Fault]:
    """All faults; only if there are no findings."""
    return [Fault(name=name, **members) for each in lists(tree) for name, members in tomllib.loads(tree.text(each)).items()]


def findings(tree: Tree) -> Iterator[str]:
    """Each fault has one name, applies to one place, and has a test."""
    names: set[str] = set()
    for each in lists(tree):
        try:
            tables = tomllib.loads(tree.text(each))
        except tomllib.TOMLDecodeError as error:
            yield f"{each}: cannot read it: {error}"
            continue
        for name, members in tables.items():
            if name in names:
                yield f"{each}: two faults are named {name}; rename one of them"
            names.add(name)
            if not isinstance(members, dict) or set(members) != MEMBERS or not all(isinstance(each, str) for each in members.values()):
                yield f"{each}: {name} must have exactly {', '.join(sorted(MEMBERS))}, each a text"
            elif problem := _problem(tree, Fault(name=name, **members)):
                yield f"{each}: {name}: {problem}"


def _problem(tree: Tree, fault: Fault) -> Optional[str]:
    if fault.file not in tree.files("Sources", suffixes=(".swift", ".c", ".h")):
        return f"there is no {fault.file}; name the file that now has the code"
    count = tree.text(fault.file).count(fault.before)
    if count != 1:
        return f"cannot apply it: {fault.file} has its `before` {count} times; write the fault for the present code"
    if fault.before == fault.after:
        return "its `after` is its `before`; write what breaks the code"
    if not _has_test(tree, fault):
        return f"there is no test {fault.test}; name the test that finds the fault"
    return None


def _has_test(tree: Tree, fault: Fault) -> bool:
    if not fault.target:
        file, _, name = fault.test.partition(" ")
        path = f"Tests/Conformance/{file}"
        return path in tree.files("Tests/Conformance", suffixes=(".py",)) and f"def {name}(" in tree.text(path)
    found = re.fullmatch(r"(\w+)\.(\w+)/(\w+)", fault.test)
    if not found:
        return False
    target, suite, function = found.groups()
    declared = re.compile(rf"\b(?:struct|class|enum|actor|extension) {suite}\b")
    texts = (tree.text(file) for file in tree.files(f"Tests/{target}"))
    return any(declared.search(text) and f"func {function}(" in text for text in texts)
