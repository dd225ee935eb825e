"""The shop under test: a server that answers /TITLE with the price in cents, and / with the number of books."""

import http.server
import json
import os
import sys

PRICES = json.loads(os.environ["INITD_INPUT_PRICES_JSON"])


class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        title = self.path[1:]
        found = len(PRICES) if title == "" else PRICES.get(title)
        self.send_response(404 if found is None else 200)
        self.end_headers()
        self.wfile.write(str(found).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Shop)
print("open with", len(PRICES), "books", flush=True)
server.serve_forever()
