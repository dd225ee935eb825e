"""Where everything is: the same for each program of the shop."""

from __future__ import annotations

import os
import pathlib
import sqlite3

SHOP = pathlib.Path(__file__).resolve().parent.parent
WORKS = SHOP / "data" / "works.csv"
MIGRATIONS = SHOP / "migrations"

STATE = pathlib.Path(os.environ["BOOKSHOP_STATE"])
"""The directory of what the shop writes."""
DATABASE = STATE / "shop.db"
TOGGLES = STATE / "toggles.json"
REVISIONS = STATE / "revisions.json"

OFFICE_PORT = int(os.environ["BOOKSHOP_OFFICE_PORT"])
"""Where the back office is, or will be, on 127.0.0.1."""


def database() -> sqlite3.Connection:
    """The shop's database, in autocommit: who needs a transaction begins one. A lock is waited for a quarter of a second."""
    return sqlite3.connect(DATABASE, timeout=0.25, isolation_level=None)


def write(path: pathlib.Path, text: str) -> None:
    """Puts `text` in the place of what is at `path`: readers find the old or the new one, whole."""
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
