"""The fleet's keys, and the requests of the agent as dictionaries."""

import base64
import json

PREFIX, FLEET, RELEASE = "/initfleet", "shop", "v7"


def coded(text):
    return base64.b64encode(text.encode()).decode()


def decoded(text):
    return base64.b64decode(text).decode()


def after_all(prefix):
    """The first key after all that begin with a prefix."""
    return prefix[:-1] + chr(ord(prefix[-1]) + 1)


def watched(first, end, revision):
    return {"create_request": {"key": coded(first), "range_end": coded(end), "start_revision": str(revision)}}


def absent(key, revision=0):
    """The condition that a key doesn't exist, or was created at this revision."""
    return {"target": "CREATE", "result": "EQUAL", "key": coded(key), "create_revision": str(revision)}


def put(key, value, lease=0):
    text = json.dumps(value, separators=(",", ":"))
    return {"request_put": {"key": coded(key), "value": coded(text), "lease": str(lease)}}


def get(key):
    return {"request_range": {"key": coded(key)}}


def delete(key):
    return {"request_delete_range": {"key": coded(key)}}
