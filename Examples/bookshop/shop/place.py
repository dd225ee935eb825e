"""Paths and addresses, for all programs of the shop."""

from __future__ import annotations

import os
import pathlib
import sqlite3

SHOP = pathlib.Path(__file__).resolve().parent.parent
WORKS = SHOP / "data" / "works.csv"
MIGRATIONS = SHOP / "migrations"

STATE = pathlib.Path(os.environ["BOOKSHOP_STATE"])
"""The directory for files that the shop writes."""
DATABASE = STATE / "shop.db"
TOGGLES = STATE / "toggles.json"
REVISIONS = STATE / "revisions.json"

OFFICE_PORT = int(os.environ["INITD_PORT_OFFICE"])
"""The address of the back office on 127.0.0.1."""


def database() -> sqlite3.Connection:
    """The shop's database, in autocommit mode: begin a transaction explicitly. It waits 250 ms for a lock."""
    return sqlite3.connect(DATABASE, timeout=0.25, isolation_level=None)


def write(path: pathlib.Path, text: str) -> None:
    """Replaces the file at `path` with `text` atomically: readers get either the old or the new contents."""
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)
