"""The initializer `session`: removes expired sessions, and creates a new one."""

from __future__ import annotations

import json
import secrets
import sqlite3
import sys
import time
from contextlib import closing

import place


def refresh(database: sqlite3.Connection, minutes: int) -> None:
    """In one transaction, removes expired sessions and creates a new one."""
    now = int(time.time())
    database.execute("BEGIN IMMEDIATE")
    ended = database.execute("DELETE FROM sessions WHERE expires <= ?", [now]).rowcount
    database.execute("INSERT INTO sessions VALUES (?, ?)", [secrets.token_hex(16), now + 60 * minutes])
    (count,) = database.execute("SELECT count(*) FROM sessions").fetchone()
    database.execute("COMMIT")
    print(f"a new session; {count} are open, {ended} had ended")


try:
    with closing(place.database()) as database:
        refresh(database, json.loads(place.TOGGLES.read_text(encoding="utf-8"))["sessionMinutes"])
except sqlite3.OperationalError as error:
    sys.exit(f"cannot refresh the session: {error}")
