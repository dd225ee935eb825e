"""The articles of the libraries: their code blocks compile, and their promises are tested."""

from __future__ import annotations

import re
from typing import Callable, Iterator

from markdown import ROOT, Document

# Each catalog, and the tests that compile its code blocks.
CATALOGS = {
    "AppInitializers": "ArticleExamplesTests",
    "InitClient": "HostsTests",
    "InitSupervisor": "HostsTests",
}
PROMISES = ROOT / "Sources/AppInitializers/AppInitializers.docc/Promises.md"


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for module, tests in CATALOGS.items():
        articles = sorted((ROOT / f"Sources/{module}/{module}.docc").glob("*.md"))
        assert articles, f"no article in the catalog of {module}"
        for article in articles:
            check = lambda article=article, tests=tests: examples_are_compiled(article, tests)  # noqa: E731
            yield f"{module}.docc/{article.name}: its examples are compiled", check
    yield "Promises.md: each promise has a test", promises_have_tests


def examples_are_compiled(article, tests, but=()) -> None:
    compiled = [" ".join(file.read_text().split()) for file in (ROOT / "Tests" / tests).rglob("*.swift")]
    for block in Document(article).blocks():
        if block.language == "swift" and block.text not in but:
            example = " ".join(block.text.split())
            assert any(example in text for text in compiled), f"not in Tests/{tests}:\n{block.text}"


def promises_have_tests() -> None:
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", PROMISES.read_text(), re.MULTILINE)
    named = [test for promise, test in rows if (promise, test) != ("promise", "test") and not set(promise) <= {"-"}]
    assert len(named) > 30, f"only {len(named)} promises"
    sources = "\n".join(file.read_text() for file in (ROOT / "Tests").rglob("*.swift"))
    there = set(re.findall(r'@Test\(\s*"((?:[^"\\]|\\.)*)"', sources))
    missing = [test for test in named if test not in there]
    assert not missing, "no such test: " + "; ".join(missing)
