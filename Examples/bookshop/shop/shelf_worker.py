"""The worker: keeps the catalogue and its prices in memory. init.yaml declares the order."""

from __future__ import annotations

import http.client
import json
import logging
import select
from contextlib import closing
from typing import NamedTuple

import place
import stock
from appinitializers import Context, Worker

WATCH_EVERY = 0.05
"""How often a request that waits for the back office checks for cancellation, in seconds."""


class Shelf(NamedTuple):
    """The data of this process. A run replaces it when it ends, or not at all."""

    titles: dict[str, str]
    """The title of each book on sale, by ISBN."""
    words: dict[str, set[str]]
    """Returns the ISBNs of books by each word in a title or an author's name."""


shelf = Shelf({}, {})
prices: dict[str, int] = {}

worker = Worker(name="shelf-worker")


@worker.initializer("catalogue")
def catalogue(context: Context) -> None:
    """Loads the books on sale, imprint by imprint."""
    global shelf
    formats = json.loads(place.TOGGLES.read_text(encoding="utf-8"))["formats"]
    loading = Shelf({}, {})
    with closing(place.database()) as database:
        for count, imprint in enumerate(stock.IMPRINTS, start=1):
            context.check()
            marks = ", ".join("?" * len(formats))
            query = f"SELECT isbn, title, author FROM books WHERE imprint = ? AND format IN ({marks})"
            for isbn, title, author in database.execute(query, [imprint, *formats]):
                loading.titles[isbn] = title
                for word in f"{title} {author}".casefold().split():
                    loading.words.setdefault(word, set()).add(isbn)
            context.progress(count / len(stock.IMPRINTS), f"{len(loading.titles)} books")
    shelf = loading


@worker.initializer("prices")
def refresh_prices(context: Context) -> None:
    """Requests the prices of all books on the shelf, imprint by imprint."""
    global prices
    fresh: dict[str, int] = {}
    for count, imprint in enumerate(stock.IMPRINTS):
        context.progress(count / len(stock.IMPRINTS), f"asking for {imprint}")
        fresh |= {isbn: cents for isbn, cents in ask_for(imprint, context).items() if isbn in shelf.titles}
    changed = sum(prices.get(isbn) != cents for isbn, cents in fresh.items())
    context.check()
    prices = fresh
    context.progress(1, f"{len(fresh)} prices, {changed} of them new")


def ask_for(imprint: str, context: Context) -> dict[str, int]:
    """An imprint's prices; waits until the run is cancelled. Raises `Cancelled`, and `OSError` if the request fails."""
    with closing(http.client.HTTPConnection("127.0.0.1", place.OFFICE_PORT, timeout=10)) as office:
        try:
            office.request("GET", f"/prices/{imprint}")
        except ConnectionRefusedError:
            raise OSError(f"cannot ask for {imprint}: the back office is closed") from None
        while not select.select([office.sock], [], [], WATCH_EVERY)[0]:
            context.check()
        answer = office.getresponse()
        if answer.status != 200:
            raise OSError(f"cannot ask for {imprint}: the back office answered {answer.status} {answer.reason}")
        return json.load(answer)


logging.basicConfig(level=logging.ERROR)  # The supervisor reports the failure.
worker.run()
