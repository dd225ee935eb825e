"""Notes: `notes.py create` makes their database, `notes.py due` prints those that are due, `notes.py serve PORT` shows all of them."""

import contextlib
import http.server
import sqlite3
import sys


def database():
    return contextlib.closing(sqlite3.connect("notes.db"))


def create():
    with database() as notes, open("schema.sql") as schema:
        notes.executescript(schema.read())


def due():
    with database() as notes:
        for (text,) in notes.execute("SELECT text FROM notes WHERE due <= date('now') ORDER BY due"):
            print(text)


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with database() as notes:
            page = "".join(f"{due}  {text}\n" for text, due in notes.execute("SELECT text, due FROM notes ORDER BY due"))
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())


def serve(port):
    http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Page).serve_forever()


{"create": create, "due": due, "serve": serve}[sys.argv[1]](*sys.argv[2:])
