"""The sizes of files, folders and types, and unfinished comments."""

from __future__ import annotations

import pathlib
import re
from collections import Counter
from typing import Iterator

from .swift_source import declarations
from .tree import Tree, module, short

LONGEST_FILE = 300
MAY_BE_LONGER = {
    "AppInitializers/InitManager.swift": "what a step of the machine changes is private to the actor's file",
    "Libuv/Loop.swift": "the queue and the handles that run it are private to the file",
    "InitWire/StrictJSON+scan.swift": "one scanner, whose steps hand each byte to each other",
}
LARGEST_FOLDER = 15
# Tests, fuzzers, examples, scripts and the Python client.
OTHERS = ("Benchmarks", "Examples", "Fuzz", "Tests", "clients", "scripts")
LONGEST_OTHER_FILE = 600
OTHERS_MAY_BE_LONGER = {
    "Tests/Conformance/test_faults_system.py": "every fault of the system, on one kind of supervisor",
    "Tests/Model/checker.py": "one pass over the events, whose rules share the state of the checker",
    "Tests/Model/world.py": "a random plan, and the threads that act it out",
}
# How many lines a type may have, with its extensions in all files of its module.
LARGEST_TYPE = 400
MAY_BE_LARGER = {
    "AppInitializers/InitManager": (550, "what a step of the machine changes is private to the actor's file"),
    "InitCore/Machine": (1270, "the rules S1–S24 over one state, divided among files by rule"),
    "InitManifest/ManifestReader": (550, "a method for each part of a manifest, all of which collect findings"),
    "Libuv/Loop": (450, "the queue and the handles that run it, and what each kind of handle keeps in its loop"),
    "InitWire/StrictJSON": (550, "one scanner, whose steps hand each byte to each other"),
}
MOST_PROPERTIES = 25
MAY_HAVE_MORE = {
    "InitSupervisor/Supervisor": (30, "wires all parts"),
    "AppInitializers/InitManager": (30, "what a step of the machine changes is private to the actor's file"),
}


def files(tree: Tree) -> Iterator[str]:
    """A file holds one idea, and a folder few files."""
    long = set()
    for file in tree.files("Sources", suffixes=(".swift", ".c", ".h")):
        lines = tree.text(file).splitlines()
        if len(lines) > LONGEST_FILE:
            long.add(short(file))
            if short(file) not in MAY_BE_LONGER:
                yield f"{file}: {len(lines)} lines; a file holds one idea, at most {LONGEST_FILE} lines: split it"
        for number, line in enumerate(lines, 1):
            if re.search(r"\b(TODO|FIXME|XXX)\b", line):
                yield f"{file}:{number}: an unfinished thought; finish it or open an issue"
    for file in tree.files(*OTHERS, suffixes=(".swift", ".py", "")):
        if (count := len(tree.text(file).splitlines())) > LONGEST_OTHER_FILE:
            long.add(file)
            if file not in OTHERS_MAY_BE_LONGER:
                yield f"{file}: {count} lines; a file of tests has at most {LONGEST_OTHER_FILE} lines: split it"
    for name in sorted({*MAY_BE_LONGER, *OTHERS_MAY_BE_LONGER} - long):
        yield f"scripts/house/sizes.py: {name} isn't longer than the limit; take it off the list"
    for folder, count in sorted(Counter(str(pathlib.Path(file).parent) for file in tree.files("Sources")).items()):
        if count > LARGEST_FOLDER:
            yield f"{folder}: {count} files; a folder has at most {LARGEST_FOLDER}: divide it"


def types(tree: Tree) -> Iterator[str]:
    """A type has one task, so few lines and few stored properties."""
    lines: Counter[str] = Counter()
    properties: Counter[str] = Counter()
    for file in tree.files("Sources"):
        for each in declarations(tree.text(file)):
            name = f"{module(file)}/{each.name}"
            if each.depth == 0 and each.kind not in ("typealias", "associatedtype"):
                lines[name] += each.lines
            # Nested types of different types may have the same name.
            properties[name] = max(properties[name], each.properties)
    for counts, most, exceptions, what in [
        (lines, LARGEST_TYPE, MAY_BE_LARGER, "lines with its extensions"),
        (properties, MOST_PROPERTIES, MAY_HAVE_MORE, "stored properties"),
    ]:
        for name, count in sorted(counts.items()):
            allowed = exceptions.get(name, (most, ""))[0]
            if count > allowed:
                yield f"{name}: {count} {what}, {allowed} allowed; a type has one task: divide it"
        for name in sorted(exceptions):
            if counts[name] <= most:
                yield f"scripts/house/sizes.py: {name} has {counts[name]} {what}, within the limit; take it off the list"
