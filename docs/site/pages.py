"""The pages of the site stand where they belong in the repository. This takes them from there, and makes their links those of the site."""

from __future__ import annotations

import fnmatch
import pathlib
import posixpath
import re
import subprocess
import sys
from typing import Any, Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from addresses import address  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
REPOSITORY = "https://" + (ROOT / "clients/go/go.mod").read_text().split()[1].removesuffix("/clients/go")
LINK = re.compile(r"\]\(([^)\s:#]+)(#[^)\s]*)?\)")
PICTURE = re.compile(r'<source media="\(prefers-color-scheme: dark\)" srcset="([^"]*)">\s*<img src="([^"]*)" (alt="[^"]*")>')
FENCE = re.compile(r"^( *)(```+)([\w-]*)", re.M)


def on_config(config: MkDocsConfig) -> None:
    """Replaces each pattern of the menu by the pages that it matches and that aren't in the menu themselves."""
    known = subprocess.check_output(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, text=True).splitlines()
    named = set(paths(config.nav))

    def expanded(items: list[Any]) -> Iterator[Any]:
        for item in items:
            if isinstance(item, str):
                yield from (path for path in sorted(known) if path == item or path not in named and fnmatch.fnmatch(path, item))
            else:
                yield {title: list(expanded(value)) if isinstance(value, list) else value for title, value in item.items()}

    config.nav = list(expanded(config.nav))
    config.extra["social"] = [{"icon": "fontawesome/brands/git-alt", "link": REPOSITORY, "name": "The sources"}]


def paths(items: Any) -> Iterator[str]:
    """Returns the paths of a menu."""
    if isinstance(items, str):
        yield items
    else:
        for each in items.values() if isinstance(items, dict) else items:
            yield from paths(each)


# Before the redirects, which know only the pages that are there.
@event_priority(100)
def on_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the pages of the menu, and the pictures."""
    for path in paths(config.nav):
        page = File.generated(config, path, abs_src_path=str(ROOT / path))
        page.dest_uri = address(path)[1:] + "index.html"
        files.append(page)
    for picture in (ROOT / "docs/pictures").glob("*.svg"):
        files.append(File.generated(config, str(picture.relative_to(ROOT)), abs_src_path=str(picture)))


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Gives each heading the anchor that it has in the repository, and rewrites the links to files that aren't pages."""
    folder = posixpath.dirname(page.file.src_uri)
    anchors: dict[str, int] = {}
    lines, fence = [], ""
    for line in markdown.splitlines():
        found = FENCE.match(line)
        if found and fence in ("", found[2]):
            fence = "" if fence else found[2]
            # Words after the language are for other programs.
            line = found[0]
        elif not fence:
            line = LINK.sub(lambda match: f"]({target(folder, match[1], files)}{match[2] or ''})", line)
            if line.startswith("#"):
                line += f" {{#{anchor(line, anchors)}}}"
            elif line.startswith("|"):
                line = re.sub(r"`[^`]*`", lambda match: match[0].replace("\\|", "|"), line)
        lines.append(line)
    # The site's own switch decides between light and dark.
    return PICTURE.sub(r'<img src="\1#only-dark" \3><img src="\2#only-light" \3>', "\n".join(lines))


def target(folder: str, link: str, files: Files) -> str:
    """Returns a link to a page of the site, or to the repository. mkdocs reports one to nothing."""
    path = posixpath.normpath(posixpath.join(folder, link))
    for page in (path, posixpath.join(path, "README.md")):
        if files.get_file_from_path(page):
            return posixpath.relpath(page, folder or ".")
    if not (ROOT / path).exists():
        return link
    return f"{REPOSITORY}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{path}"


def anchor(heading: str, anchors: dict[str, int]) -> str:
    """Returns the anchor of a heading of a page; the second of a name has a number."""
    name = re.sub(r"[^\w\- ]", "", heading.lstrip("#").strip().lower()).replace(" ", "-")
    number = anchors[name] = anchors.get(name, -1) + 1
    return f"{name}-{number}" if number else name
