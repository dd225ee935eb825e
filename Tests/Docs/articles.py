"""The articles of AppInitializers: what they show compiles, and what they promise is tested."""

from __future__ import annotations

import re
from typing import Callable, Iterator

from markdown import ROOT, Document

CATALOG = ROOT / "Sources/AppInitializers/AppInitializers.docc"
PROMISES = CATALOG / "Promises.md"


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for article in sorted(CATALOG.glob("*.md")):
        yield f"{article.name}: its examples are compiled", lambda article=article: examples_are_compiled(article)
    yield "Promises.md: each promise has a test", promises_have_tests


def examples_are_compiled(article) -> None:
    compiled = [" ".join(file.read_text().split()) for file in (ROOT / "Tests/ArticleExamplesTests").glob("*.swift")]
    for block in Document(article).blocks():
        if block.language == "swift":
            example = " ".join(block.text.split())
            assert any(example in text for text in compiled), f"not in Tests/ArticleExamplesTests:\n{block.text}"


def promises_have_tests() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PROMISES.read_text(), re.MULTILINE)
    named = [test for promise, test in rows if (promise, test) != ("promise", "test") and not set(promise) <= {"-"}]
    assert len(named) > 30, f"only {len(named)} promises"
    sources = "\n".join(file.read_text() for file in (ROOT / "Tests").rglob("*.swift"))
    there = set(re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', sources))
    missing = [test for test in named if test not in there]
    assert not missing, "no such test: " + "; ".join(missing)
