"""The files that are made from the sources: they are what initctl prints, or what clients/types/generate makes of that. The examples of the
keys are valid, and man shows the page.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Callable, Iterator

from markdown import ROOT, Document
from world import World

DOCUMENT = Document(ROOT / "docs/manifest.md")
PRINTED = {
    "docs/manifest.md": "--format markdown",
    "docs/init.schema.json": "--format json",
    "docs/init.part.schema.json": "--format part",
    "clients/protocol.schema.json": "--protocol",
}
"""The options with which `initctl schema` prints a file."""
AROUND = {
    "Top level": "{example}",
    "An initializer": "groups: {{ db: 2 }}\nworkers:\n  django: {{ command: ./django }}\ninitializers:\n  migrate: {{ command: ./migrate }}\n  this:\n{example}",
    "A process": "groups: {{ db: 2 }}\ninitializers:\n  init-db: {{ command: ./init-db }}\nworkers:\n  this:\n{example}",
    "Readiness": "workers:\n  this:\n    command: ./this\n    ready:\n{deeper}",
    "Health": "processes:\n  this:\n    command: ./this\n    ready: {{ path: /ready }}\n    healthy:\n{deeper}",
    "What is waited for": "initializers:\n  this:\n    waitFor:\n{deeper}",
    "Conditions": "initializers:\n  this:\n    command: ./this\n    when:\n{deeper}",
    "What is already done": "initializers:\n  this:\n    command: ./this\n    unless:\n{deeper}",
    "Retries": "initializers:\n  this:\n    command: ./this\n    retry:\n{deeper}",
    "Pauses between starts": "workers:\n  this:\n    command: ./this\n    backoff:\n{deeper}",
    "Limits": "initializers:\n  this:\n    command: ./this\n    limits:\n{deeper}",
    "Defaults": "defaults:\n{example}\ninitializers:\n  this: {{ command: ./this }}",
}
"""The lines around the example of a key, by section."""


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for name, option in PRINTED.items():
        yield f"{name}: it is what initctl prints", lambda name=name, option=option: is_printed(name, option)
    yield "clients: clients/types/generate has made the types", types_are_made
    yield "docs/manifest.md: the example of each key is valid", examples_are_good
    yield "init.yaml(5): man shows every key, and groff has no complaint", page_is_good


def is_printed(name: str, option: str) -> None:
    with World() as world:
        text = world.succeeds("initctl", "schema", *option.split())
    assert (ROOT / name).read_text() == text, f"it has changed: initctl schema {option} > {name}"


def types_are_made() -> None:
    made = subprocess.run([ROOT / "clients/types/generate", "--check"], capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr


def entries() -> Iterator[tuple[str, str, str]]:
    """The section, the name and the example of each key."""
    section, key, text = "", "", DOCUMENT.path.read_text()
    for match in re.finditer(r"^## ([^\n]+)$|^### `([^`]+)`$|^```yaml\n(.*?)^```$", text, re.M | re.S):
        if match[1]:
            section, key = match[1], ""
        elif match[2]:
            key = match[2]
        elif key:
            yield section, key, match[3]


def examples_are_good() -> None:
    found = list(entries())
    assert len(found) == len(re.findall(r"^### `", DOCUMENT.path.read_text(), re.M)) > 30, "a key has no example"
    for section, key, example in found:
        assert re.search(rf"^{key}:", example, re.M), f"the example of {key} lacks it:\n{example}"
        lines = example.splitlines()
        if section in ("An initializer", "A process") and not re.search(r"^(command|worker|waitFor):", example, re.M):
            lines.insert(0, "command: ./this")
        around = AROUND[section].format(
            example="\n".join(("    " if section.startswith("A") else "  " if section == "Defaults" else "") + line for line in lines),
            deeper="\n".join("      " + line for line in lines))
        text = around if re.search("^version:", around, re.M) else "version: 1\n" + around
        with World() as world:
            world.write("common.yaml", "version: 1\n")
            world.write(".env", "A=b\n")
            status, _, error = world.run("initctl", "check", world.write("init.yaml", text + "\n"))
            assert status == 0, f"the example of {key} isn't valid: {error}\n{text}"


def page_is_good() -> None:
    with World() as world:
        page = world.succeeds("initctl", "schema", "--format", "man")
    for _, key, _ in entries():
        assert f".B {key}\n" in page, f"the page lacks {key}"
    if shutil.which("groff"):
        shown = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-rCHECKSTYLE=3"], input=page, text=True, capture_output=True)
        assert shown.returncode == 0 and not shown.stderr, shown.stderr
