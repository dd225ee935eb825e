"""The pages of large answers: of `logs` and of `history`."""

from __future__ import annotations

from typing import Any, Optional


def next_page(params: dict[str, Any], page: dict[str, Any]) -> Optional[dict[str, Any]]:
    """The params for the page after this page; None if this page is the last."""
    return {**params, "before": page["before"]} if page.get("more") else None


def lines(pages: list[dict[str, Any]]) -> list[Any]:
    """Returns the lines of pages; the first page has the newest lines."""
    return [line for page in reversed(pages) for line in page["lines"]]


def passes(pages: list[dict[str, Any]]) -> list[Any]:
    """Returns the passes of pages; the first page has the newest passes. The runs of a pass may be in several."""
    joined: list[Any] = []
    for page in reversed(pages):
        following = page["passes"]
        if joined and following and joined[-1]["pass"] == following[0]["pass"]:
            earlier = joined.pop()["runs"]
            following = [{**following[0], "runs": earlier + following[0]["runs"]}, *following[1:]]
        joined += following
    return joined
