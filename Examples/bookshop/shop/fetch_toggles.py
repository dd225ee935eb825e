"""The initializer `feature-toggles`: waits for the back office, requests the feature toggles, and stores them."""

from __future__ import annotations

import json
import time
import urllib.request
from typing import Any

import place

ASK_EVERY = 0.05
"""The delay after a refused attempt to connect, in seconds."""


def fetch() -> Any:
    """The answer of the back office, whenever it opens; the initializer's timeout is the limit."""
    waits = False
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{place.OFFICE_PORT}/toggles", timeout=10) as answer:
                return json.load(answer)
        except urllib.error.URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
        if not waits:
            print("the back office is closed, waiting for it to open")
            waits = True
        time.sleep(ASK_EVERY)


toggles = fetch()
place.write(place.TOGGLES, json.dumps(toggles))
print(f"on sale: {', '.join(toggles['formats'])}; a session lasts {toggles['sessionMinutes']} minutes")
