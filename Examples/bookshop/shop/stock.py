"""The list of books: each work of data/works.csv, by each imprint, in each format.

The works are real; imprints and ISBNs are invented, but the ISBNs' check digits are valid.
"""

from __future__ import annotations

import csv
from typing import Iterator, NamedTuple

from place import WORKS

IMPRINTS = ["foxglove", "halcyon", "lantern", "meridian", "paper-kite", "quayside"]
FORMATS = ["hardcover", "paperback", "large print", "audiobook"]


class Book(NamedTuple):
    """One edition."""

    isbn: str
    title: str
    author: str
    year: int
    format: str
    imprint: str


def books() -> Iterator[Book]:
    """Every book, 24 per work."""
    number = 0
    with open(WORKS, encoding="utf-8", newline="") as file:
        for work in csv.DictReader(file):
            for imprint in IMPRINTS:
                for format in FORMATS:
                    yield Book(isbn(number), work["title"], work["author"], int(work["year"]), format, imprint)
                    number += 1


def isbn(number: int) -> str:
    """The ISBN-13 of the book with that number."""
    digits = f"979{number:09d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"
