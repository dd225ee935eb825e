"""A shop with a database: `migrate` creates it, `prices` fills it, `serve` answers on port 8080 until SIGTERM."""

import contextlib
import http.server
import os
import pathlib
import signal
import sqlite3
import sys
import threading

DATABASE = pathlib.Path(os.environ.get("SHOP_STATE", ".")) / "shop.db"
PORT = int(os.environ.get("SHOP_PORT", "8080"))
BOOKS = {"Middlemarch": 12, "Moby-Dick": 15, "Emma": 9}


def migrate():
    with contextlib.closing(sqlite3.connect(DATABASE)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS books (title TEXT PRIMARY KEY, price INTEGER)")
    print("the database is up to date")


def prices():
    with contextlib.closing(sqlite3.connect(DATABASE)) as database, database:
        database.executemany("INSERT OR REPLACE INTO books VALUES (?, ?)", BOOKS.items())
    print(f"{len(BOOKS)} prices")


class Shelf(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with contextlib.closing(sqlite3.connect(DATABASE)) as database:
            (count,) = database.execute("SELECT count(*) FROM books WHERE price IS NOT NULL").fetchone()
        body = f"{count} books on sale\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve():
    server = http.server.ThreadingHTTPServer(("", PORT), Shelf)
    # In another thread, because shutdown() waits until serve_forever() has returned.
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=server.shutdown).start())
    print(f"open, on port {server.server_port}")
    server.serve_forever()
    server.server_close()
    print("closed")


{"migrate": migrate, "prices": prices, "serve": serve}[sys.argv[1]]()
