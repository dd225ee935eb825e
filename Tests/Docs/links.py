"""Every Markdown file: what a link names is there."""

from __future__ import annotations

import subprocess
from typing import Callable, Iterator

from markdown import ROOT, Document


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for name in subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True).split():
        document = Document(ROOT / name)
        yield f"{name}: its links lead somewhere", lambda document=document: links_lead_somewhere(document)


def links_lead_somewhere(document: Document) -> None:
    for number, link in document.links():
        if "://" in link or link.startswith("mailto:"):
            continue
        name, _, anchor = link.partition("#")
        target = (document.path.parent / name).resolve() if name else document.path
        assert target.exists(), f"line {number}: there is no {name}"
        assert target.is_relative_to(ROOT), f"line {number}: {name} is outside of the repository"
        if anchor:
            assert anchor in Document(target).anchors(), f"line {number}: {target.name} has no heading #{anchor}"
