"""Prints a part of JSON lines: field.py lifecycle|pass of a Status, or field.py events."""

import json
import sys

for line in sys.stdin:
    message = json.loads(line)
    if sys.argv[1] == "lifecycle":
        print(message["lifecycle"])
    elif sys.argv[1] == "pass":
        print(message["active"]["pass"])
    elif message["topic"] == "snapshot":
        print("snapshot", message["snapshot"]["instance"])
    elif message["topic"] == "lagged":
        print("lagged", message["dropped"])
    else:
        print("event", message["topic"])
