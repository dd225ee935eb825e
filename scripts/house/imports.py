"""The modules that a module may import, and its floor."""

from __future__ import annotations

import re
from typing import Iterator

from .swift_source import code, line_of
from .tree import Tree, module

# The floors of ARCHITECTURE.md, bottom up. A module may depend only on modules of lower floors.
FLOORS = [
    {"InitJSON", "InitLocks", "InitText", "CPlatform", "CCares", "CLibuv", "CLibyaml", "CStart"},
    {"InitWords", "CProcesses"},
    {"InitModel"},
    {"InitCore", "InitWire", "Platform"},
    {"InitDeclarations"},
    {"InitManifest", "InitTimeline", "InitHistory", "InitLog", "CommandLineOptions", "EventLoop"},
    {"AppInitializers", "HostNames", "InitForecasts", "InitProcesses"},
    {
        "WireConversions", "AppInitializersPublishers", "AppInitializersObservation", "AppInitializersFoundation",
        "AppInitializersSignals", "AppInitializersServiceLifecycle",
    },
    {"InitServer", "InitRecords", "InitRunner", "InitClient"},
    {"InitSupervisor"},
    {"AppInitializersWorker"},
    {"initd", "initctl"},
]
# The modules that decide have no clock, thread, file or socket, so they may not depend on modules that have them.
DECIDES = {
    "InitJSON", "InitLocks", "InitText", "InitWords", "InitCore", "InitModel", "InitDeclarations", "InitWire", "InitManifest", "InitTimeline", "InitHistory", "InitForecasts", "AppInitializers", "WireConversions",
}
ACTS = {"CPlatform", "CProcesses", "CCares", "CLibuv", "CStart", "Platform", "EventLoop", "HostNames", "InitProcesses"}
# Package.swift determines the allowed imports. These are the modules of the toolchain and of the system, which it doesn't list.
FREE = {"Synchronization"}
SYSTEM = {
    "AppInitializersFoundation": {"Foundation", "UIKit"},
    "AppInitializersObservation": {"Observation"},
    "AppInitializersPublishers": {"Combine"},
    "AppInitializersSignals": {"Glibc"},
    "HostNames": {"Glibc"},
    "InitClient": {"Glibc"},
    "InitProcesses": {"Glibc"},
    "InitRunner": {"Glibc"},
    "InitServer": {"Glibc"},
    "InitSupervisor": {"Glibc"},
    "EventLoop": {"Glibc"},
    "Platform": {"Glibc"},
    "initctl": {"Glibc"},
    "initd": {"Glibc"},
}
# `import` is a keyword: wherever the code has it, a module's name follows.
IMPORT = re.compile(r"(?<![\w`.])import\s+(?:(?:struct|class|enum|protocol|typealias|func|let|var)\s+)?(\w+)")


def dependencies(target: dict) -> set[str]:
    """The modules that a target depends on. Products of other packages have the names of their modules."""
    return {next(iter(each.values()))[0] for each in target["dependencies"]}


def modules(tree: Tree) -> list[str]:
    """The modules with Swift code."""
    return sorted({module(name) for name in tree.files("Sources")})


def findings(tree: Tree) -> Iterator[str]:
    """Each file may import only its target's dependencies, and each dependency must be imported by a file."""
    targets = {each["name"]: each for each in tree.package["targets"]}
    products = {name for each in tree.package["products"] if "library" in each["type"] for name in each["targets"]}
    for name in modules(tree):
        if name not in targets:
            yield f"Sources/{name}: no target of Package.swift"
            continue
        may = dependencies(targets[name])
        unused = set(may)
        for file in tree.files("Sources/" + name):
            text = code(tree.text(file))
            for found in re.finditer("@_exported", text):
                yield f"{file}:{line_of(text, found.start())}: {name} exports a module again; each file imports what it uses"
            for found in IMPORT.finditer(text):
                where, imported = f"{file}:{line_of(text, found.start())}", found[1]
                unused.discard(imported)
                if imported not in may | FREE | SYSTEM.get(name, set()):
                    yield f"{where}: {name} may not import {imported}: Package.swift doesn't list it; imports go down a floor"
                before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
                if imported in targets and imported not in products and re.search(r"\bpublic\b", before) and name in products:
                    yield f"{where}: {name} shows {imported}, which its users can't import; make it internal or package"
        for imported in sorted(unused):
            yield f"Package.swift: {name} depends on {imported}, and none of its files imports it; take it off"


def floors(tree: Tree) -> Iterator[str]:
    """Dependencies go down a floor, and from the modules that decide never to those that act."""
    targets = {each["name"]: each for each in tree.package["targets"]}
    floor = {name: number for number, names in enumerate(FLOORS) for name in names}
    ours = {name for name, target in targets.items() if target.get("path") is None}
    ours -= {name for name, target in targets.items() if target["type"] == "test"}
    for name in sorted(ours ^ floor.keys()):
        yield f"scripts/house/imports.py: {name} is {'on no floor' if name in ours else 'no target of Package.swift'}; correct FLOORS"
    for name in sorted(ours & floor.keys()):
        for other in sorted(dependencies(targets[name]) & floor.keys()):
            if floor[other] >= floor[name]:
                yield f"Package.swift: {name} depends on {other}, which isn't on a lower floor; dependencies only go down"
            elif name in DECIDES and other in ACTS:
                yield f"Package.swift: {name} decides, and depends on {other}, which acts; pass it what it needs as a value"
    for name in sorted(DECIDES & SYSTEM.keys()):
        yield f"scripts/house/imports.py: {name} decides, and may import {', '.join(sorted(SYSTEM[name]))}; take it off SYSTEM"
