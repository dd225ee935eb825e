"""docs/site: every page for readers is in the site's menu, and its address is in the list of addresses that never vanish."""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
from typing import Callable, Iterator

from markdown import ROOT

SITE = ROOT / "docs/site"
sys.path.insert(0, str(SITE))

from addresses import address  # noqa: E402

READ = re.compile(r"[A-Z]+\.md|docs/[\w-]+\.md|clients/[A-Z]+\.md|(clients|companions|Examples)/.*/README\.md")


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "the site's menu has every page", every_page_is_there
    yield "the site's menu leads only to pages that are there", nothing_else_is_there
    yield "the site's addresses are all listed", addresses_are_listed


def pages() -> list[str]:
    """The committed pages for readers."""
    found = subprocess.check_output(["git", "ls-files", "*.md"], cwd=ROOT, text=True).split()
    return [path for path in found if READ.fullmatch(path) and (ROOT / path).exists()]


def menu() -> list[str]:
    """The paths and patterns of the menu."""
    return re.findall(r"[\w/*-]+\.md$", (SITE / "mkdocs.yml").read_text().partition("\nnav:\n")[2], re.M)


def every_page_is_there() -> None:
    missing = [path for path in pages() if not any(fnmatch.fnmatch(path, each) for each in menu())]
    assert not missing, f"no line of nav in docs/site/mkdocs.yml has {', '.join(missing)}"


def nothing_else_is_there() -> None:
    lost = [each for each in menu() if not fnmatch.filter(pages(), each) and not (ROOT / each).exists()]
    assert menu() and not lost, f"nav in docs/site/mkdocs.yml names no page with {', '.join(lost)}"


def addresses_are_listed() -> None:
    new = {address(path) for path in pages()} - set((SITE / "addresses.txt").read_text().splitlines())
    assert not new, f"add to docs/site/addresses.txt: {', '.join(sorted(new))}"
