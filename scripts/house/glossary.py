"""The words of ARCHITECTURE.md's glossary."""

from __future__ import annotations

import re
from typing import Iterator

from .swift_source import declarations
from .tree import Tree, module

HEAD = ["word", "meaning", "type"]
# Other types whose name is a word of the glossary, and why.
ALSO = {
    "AppInitializersPublishers.Failure": "Combine's Publisher requires it",
    "InitClient.Provider": "InitializerStatus.Provider, which a product shows: the kind of a provider, for users",
    "InitSupervisor.Workers": "the part of the supervisor for the workers that are connected",
    "Libuv.Events": "Poll.Events, a set of a descriptor's events, as the system calls them",
}
# A second meaning begins like this.
SECOND_MEANING = re.compile(r"[;.] (?:or|also|else|in|for)\b|\balso\b", re.IGNORECASE)


def rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row of the table in the section Glossary, its head first."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            section = line.lstrip("#").strip()
        elif section == "Glossary" and line.startswith("|") and not re.fullmatch(r"[|\s:-]+", line):
            yield number, [cell.strip() for cell in line.strip("|").split("|")]


def findings(tree: Tree) -> Iterator[str]:
    """Each word has one row and one meaning there, and one type in the sources."""
    table = list(rows(tree.text("ARCHITECTURE.md")))
    if not table or table[0][1] != HEAD:
        yield f"ARCHITECTURE.md: its glossary must be a table with the columns {', '.join(HEAD)}"
        return
    homes: dict[str, str] = {}
    meanings: dict[str, str] = {}
    for number, cells in table[1:]:
        where = f"ARCHITECTURE.md:{number}"
        if len(cells) != len(HEAD):
            yield f"{where}: a row of the glossary has {len(HEAD)} cells"
            continue
        word, meaning, home = cells[0].lower(), cells[1], cells[2].strip("`")
        if word in homes:
            yield f'{where}: "{word}" has two rows; one word has one meaning'
        if meaning in meanings:
            yield f'{where}: "{word}" and "{meanings[meaning]}" have the same meaning; keep one word'
        if SECOND_MEANING.search(meaning):
            yield f'{where}: "{word}" has two meanings; give the second one a word of its own'
        if home != "—" and not re.fullmatch(r"\w+\.\w+", home):
            yield f"{where}: the type of a word is written `Module.Name`, or — if it has none"
        homes[word], meanings[meaning] = home, word
    yield from _types(tree, homes)


def _types(tree: Tree, homes: dict[str, str]) -> Iterator[str]:
    declared: dict[str, list[tuple[str, str]]] = {}
    for file in tree.files("Sources"):
        for each in declarations(tree.text(file)):
            if each.is_new:
                declared.setdefault(each.name, []).append((f"{module(file)}.{each.name}", f"{file}:{each.line}"))
    used = set()
    for word, home in homes.items():
        name = "".join(part.capitalize() for part in word.split())
        own = [where for full, where in declared.get(home.split(".")[-1], []) if full == home]
        if home != "—" and not own:
            yield f'ARCHITECTURE.md: the glossary sends "{word}" to {home}, which isn\'t declared there'
        for where in own[1:]:
            yield f"{where}: {home} is declared a second time; rename one of them"
        plural = name + ("es" if name.endswith("s") else "s")
        for full, where in [*declared.get(name, []), *declared.get(plural, [])]:
            if full == home or full == f"{home.split('.')[0]}.{plural}":
                continue
            if full not in ALSO or full in used:
                at = "has no type" if home == "—" else f"is {home}"
                yield f'{where}: the word "{word}" of the glossary {at}; rename this one, or give the reason in scripts/house/glossary.py'
            used.add(full)
    for full in sorted(ALSO.keys() - used):
        yield f"scripts/house/glossary.py: {full} isn't declared any more, or is no word of the glossary; take it off the list"
