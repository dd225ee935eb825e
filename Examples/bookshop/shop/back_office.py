"""The back office: a small HTTP server for feature toggles and the prices of each imprint's books.

GET  /toggles                   the feature toggles
GET  /prices/IMPRINT            {isbn: cents}; during a revision of the imprint's prices, the answer waits for the new ones
POST /prices/IMPRINT/revision   begins a revision
PUT  /prices/IMPRINT            {"percent": 5}: ends it, and raises the prices by this percentage

Before it opens, it computes the price of every book. Revisions are stored, so a restarted office has the last prices.
"""

from __future__ import annotations

import http.server
import json
import socketserver
import sys
import threading
from typing import Any

import place
import stock

TOGGLES = {"formats": ["hardcover", "paperback", "large print"], "sessionMinutes": 30}
CENTS = {"hardcover": 2400, "paperback": 1100, "large print": 1900, "audiobook": 1500}


def tell(line: str) -> None:
    """Prints a whole line at once, because requests are handled in parallel."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Prices:
    """The prices of all imprints. A request gets the prices before or after a revision, never a mixture."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._revising: set[str] = set()
        self._percents: dict[str, int] = json.loads(place.REVISIONS.read_text()) if place.REVISIONS.exists() else {}
        self._cents: dict[str, dict[str, int]] = {imprint: {} for imprint in stock.IMPRINTS}
        for book in stock.books():
            age = max(0, min(1900 - book.year, 400))
            self._cents[book.imprint][book.isbn] = CENTS[book.format] - age + int(book.isbn[-5:-1]) % 300

    def of(self, imprint: str) -> dict[str, int]:
        """An imprint's prices in cents, after any revision. Raises `KeyError` for an unknown imprint."""
        with self._changed:
            base = self._cents[imprint]
            if imprint in self._revising:
                tell(f"a reader waits for {imprint}")
            self._changed.wait_for(lambda: imprint not in self._revising)
            percent = self._percents.get(imprint, 0)
        return {isbn: cents + cents * percent // 100 for isbn, cents in base.items()}

    def begin_revision(self, imprint: str) -> None:
        """Begins a revision: from now on, requests for this imprint wait. Raises `KeyError` for an unknown imprint."""
        with self._changed:
            self._cents[imprint]
            self._revising.add(imprint)
            tell(f"{imprint} revises its prices")

    def end_revision(self, imprint: str, percent: int) -> None:
        """Ends a revision: raises the prices, and answers waiting requests. Raises `KeyError` for an unknown imprint."""
        with self._changed:
            self._cents[imprint]
            self._percents[imprint] = self._percents.get(imprint, 0) + percent
            place.write(place.REVISIONS, json.dumps(self._percents))
            self._revising.discard(imprint)
            self._changed.notify_all()
            tell(f"the new prices of {imprint} are out")


class Desk(http.server.BaseHTTPRequestHandler):
    """Answers one request."""

    prices: Prices

    def do_GET(self) -> None:
        match self.path.split("/")[1:]:
            case ["toggles"]:
                self._answer(TOGGLES)
            case ["prices", imprint]:
                self._about(imprint, self.prices.of)
            case _:
                self.send_error(404)

    def do_POST(self) -> None:
        match self.path.split("/")[1:]:
            case ["prices", imprint, "revision"]:
                self._about(imprint, self.prices.begin_revision)
            case _:
                self.send_error(404)

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            percent = int(json.loads(body)["percent"])
        except (ValueError, TypeError, KeyError):
            self.send_error(400, "the body is not {\"percent\": N}")
            return
        match self.path.split("/")[1:]:
            case ["prices", imprint]:
                self._about(imprint, lambda imprint: self.prices.end_revision(imprint, percent))
            case _:
                self.send_error(404)

    def _about(self, imprint: str, ask: Any) -> None:
        try:
            answer = ask(imprint)
        except KeyError:
            self.send_error(404, "no such imprint")
            return
        self._answer(answer or {})

    def _answer(self, value: object) -> None:
        body = json.dumps(value).encode()
        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            tell("a client has disconnected before its answer")

    def log_request(self, code: object = "-", size: object = "-") -> None:
        pass  # Important events are printed where they occur.


class Office(http.server.ThreadingHTTPServer):
    """Listens at a port that the demo has reserved, without a lookup of the host's name."""

    allow_reuse_port = True
    daemon_threads = True

    def server_bind(self) -> None:
        socketserver.TCPServer.server_bind(self)


Desk.prices = Prices()
with Office(("127.0.0.1", place.OFFICE_PORT), Desk) as office:
    tell(f"open, with the prices of {sum(1 for _ in stock.books())} books")
    office.serve_forever()
