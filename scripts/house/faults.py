"""Hand-made faults: the lists of Tests/Faults, whether each fault still applies to the sources, and whether its test still exists.

`Tests/Faults/run` makes them. `scripts/check-house` doesn't check them: a refactoring needn't edit the lists.
"""

from __future__ import annotations

import dataclasses
import re
import tomllib
from typing import Optional

from .tree import Tree

FOLDER = "Tests/Faults"


@dataclasses.dataclass(frozen=True)
class Fault:
    """A small change of one source file that breaks it, and the test that must fail then."""

    name: str
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
    def package(self) -> str:
        """The folder of the package whose source it changes; empty for the core."""
        return "/".join(self.file.split("/")[:2]) if self.file.startswith("companions/") else ""

    @property
    def command(self) -> list[str]:
        """Runs only the fault's test."""
        if self.target and self.package:
            return ["swift", "test", "--package-path", self.package, "--skip-build", "--filter", f"^{re.escape(self.test)}\\("]
        if self.target:
            return ["scripts/swift-test", "--skip-build", "--filter", f"^{re.escape(self.test)}\\("]
        file, name = self.test.split()
        return ["Tests/Conformance/run", "-k", name, file]

    @property
    def change(self) -> str:
        """The change in one line."""
        return f"{self.file}: {_line(self.before)} → {_line(self.after) or 'nothing'}"

    def applied(self, text: str) -> str:
        """The source file with the fault."""
        return text.replace(self.before, self.after)

    def problem(self, tree: Tree) -> Optional[str]:
        """Returns why the fault can't be made, or its test can't be run."""
        if self.file not in tree.files(f"{self.package}/Sources".lstrip("/"), suffixes=(".swift", ".c", ".h")):
            return f"there is no {self.file}; name the file that now has the code"
        count = tree.text(self.file).count(self.before)
        if count != 1:
            return f"it no longer applies: {self.file} has {_line(self.before)!r} {count} times; write the fault for the present code"
        if self.before == self.after:
            return "it changes nothing; write what breaks the code"
        if not self._has_test(tree):
            return f"there is no test {self.test}; name the test that notices the fault"
        return None

    def _has_test(self, tree: Tree) -> bool:
        if not self.target:
            file, _, name = self.test.partition(" ")
            path = f"Tests/Conformance/{file}"
            return path in tree.files("Tests/Conformance", suffixes=(".py",)) and f"def {name}(" in tree.text(path)
        found = re.fullmatch(r"(\w+)\.(\w+)/(\w+)", self.test)
        if not found:
            return False
        target, suite, function = found.groups()
        declared = re.compile(rf"\b(?:struct|class|enum|actor|extension) {suite}\b")
        texts = (tree.text(file) for file in tree.files(f"{self.package}/Tests/{target}".lstrip("/")))
        return any(declared.search(text) and f"func {function}(" in text for text in texts)


def _line(code: str) -> str:
    return " ".join(code.split())


def read(tree: Tree) -> list[Fault]:
    """The faults of all lists.

    Raises ValueError, whose text describes the mistake: a list that can't be read, a line without its four texts, or a name that two faults
    have.
    """
    found: dict[str, Fault] = {}
    for file in tree.files(FOLDER, suffixes=(".toml",)):
        try:
            lines = tomllib.loads(tree.text(file))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{file}: cannot read it: {error}") from None
        for name, texts in lines.items():
            if not isinstance(texts, list) or len(texts) != 4 or not all(isinstance(text, str) for text in texts):
                raise ValueError(f"{file}: {name} must be four texts: [file, before, after, test]")
            if name in found:
                raise ValueError(f"{file}: two faults are named {name}; rename one of them")
            path, before, after, test = texts
            found[name] = Fault(name, path if path.startswith("companions/") else f"Sources/{path}", before, after, test)
    return list(found.values())
