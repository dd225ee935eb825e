"""The initializer `migrate`: applies missing migrations to the database, in order, and inserts the stock."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import place
import progress
import stock

BATCH = 768


def migrate(database: sqlite3.Connection) -> int:
    """Applies missing migrations, each completely or not at all. Returns their number."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    missing = [path for path in sorted(place.MIGRATIONS.glob("*.sql")) if int(path.name[:3]) > version]
    for path in missing:
        database.executescript(f"BEGIN;\n{path.read_text()}\nPRAGMA user_version = {int(path.name[:3])};\nCOMMIT;")
    return len(missing)


def fill(database: sqlite3.Connection) -> int:
    """Inserts every book that isn't in the database. Returns the number of books in it."""
    books = list(stock.books())
    for start in range(0, len(books), BATCH):
        batch = books[start : start + BATCH]
        database.execute("BEGIN")
        database.executemany("INSERT OR IGNORE INTO books VALUES (?, ?, ?, ?, ?, ?)", batch)
        database.execute("COMMIT")
        progress.report((start + len(batch)) / len(books), f"{start + len(batch)} books")
    return database.execute("SELECT count(*) FROM books").fetchone()[0]


with closing(place.database()) as database:
    print(f"{migrate(database)} migrations applied")
    print(f"{fill(database)} books in the database")
