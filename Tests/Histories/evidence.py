"""Explains an overlap: when claims were created and deleted in etcd, and the agents' traces of their leases.

A lease was ended by etcd (its issue 15247) if it ends although an answer to its last renewal came less than its length ago. If an agent has
reported an end to its supervisor that is later than that of the lease, the fault is ours.
"""

from __future__ import annotations

import base64
import glob
import json
import threading
import time
import urllib.request
from datetime import datetime

from cluster import MEMBERS, PREFIX, Cluster, encoded
from history import History


class KeyWatch:
    """Watches the fleet's keys in threads until the process ends, at every member: the first member that reports a change counts."""

    def __init__(self, cluster: Cluster, history: History) -> None:
        self._cluster, self._history = cluster, history
        self._told: set[tuple[str, int]] = set()
        self._lock = threading.Lock()
        for name in MEMBERS:
            threading.Thread(target=self._watch, args=(name,), daemon=True).start()

    def _watch(self, name: str) -> None:
        create = {"key": encoded(PREFIX), "range_end": encoded(PREFIX[:-1] + "0")}
        body = json.dumps({"create_request": create}).encode()
        while True:
            try:
                with urllib.request.urlopen(urllib.request.Request(self._cluster.url(name) + "/v3/watch", body), timeout=60) as answer:
                    while line := answer.readline():
                        self._take(json.loads(line)["result"].get("events", []), name)
            except (OSError, ValueError, KeyError):
                pass
            time.sleep(0.1)

    def _take(self, events: list[dict], member: str) -> None:
        now = time.monotonic()
        for event in events:
            entry = event["kv"]
            key, revision = base64.b64decode(entry["key"]).decode(), int(entry["mod_revision"])
            is_deleted = event.get("type") == "DELETE"
            if not is_deleted and entry.get("create_revision") != entry["mod_revision"]:
                continue
            with self._lock:
                is_new = (key, revision) not in self._told
                self._told.add((key, revision))
            if is_new:
                what = "deleted" if is_deleted else "created"
                self._history.record("etcd", now, what=what, key=key, revision=revision, lease=f"{int(entry.get('lease', 0)):x}", member=member)


def traces(history: History, directory: str) -> None:
    """Adds the records of the agents' logs. The wall clock must not be set in the meantime."""
    offset = time.time() - time.monotonic()
    for path in glob.glob(f"{directory}/h*/*.log"):
        host, name = path.split("/")[-2:]
        with open(path, errors="replace") as file:
            for line in file:
                time_of, found, says = line.rstrip().partition("Z initfleet: trace: ")
                if found:
                    moment = datetime.fromisoformat(time_of + "+00:00").timestamp() - offset
                    history.record("trace", moment, host=host, role=name.removesuffix(".log"), says=says)
