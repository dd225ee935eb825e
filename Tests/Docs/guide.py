"""docs/guide.md: its manifests are valid, its commands exist, and its tables are compared with the sources."""

from __future__ import annotations

import re
from typing import Callable, Iterator

import readme
from markdown import ROOT, Document, spans
from protocol import check_manifest, swift_cases

DOCUMENT = Document(ROOT / "docs/guide.md")


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for block in DOCUMENT.blocks():
        if block.language == "yaml":
            yield f"guide.md:{block.line} {block.section}: the manifest", lambda block=block: check_manifest(block)
    yield "guide.md: every command and option exists", lambda: readme.commands_and_options(DOCUMENT)
    yield "guide.md: all reasons to run again are listed", reasons_are_real
    yield "guide.md: all exit statuses are listed", exit_statuses_are_real


def reasons_are_real() -> None:
    shown = {reason for row in DOCUMENT.rows("What runs again") for reason in spans(row[0])}
    real = swift_cases("InitModel", "Words", "AgainReason")
    assert shown == real, shown ^ real


def exit_statuses_are_real() -> None:
    for program in ("initctl", "initd"):
        text = DOCUMENT.path.read_text().split("## Exit statuses\n")[1].split(f"\n`{program}`:\n")[1].split("\n\n`")[0]
        shown = set(re.findall(r"^\| (\d+) \|", text, re.M)) | set(re.findall(r"\b(12[67]) if", text))
        files = [ROOT / "Sources/CommandLineOptions/ProgramStatus.swift", *(ROOT / "Sources" / program).rglob("*.swift")]
        real = {status for file in files for status in re.findall(r"= ProgramStatus\((\d+)\)", file.read_text())}
        if program == "initd":
            # It has failed only if its app has, or couldn't be started.
            real = real - {"1"} | {"126", "127"}
        assert shown == real, f"{program}: {shown ^ real}"
