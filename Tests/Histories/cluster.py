"""Three members of etcd, and their records."""

from __future__ import annotations

import base64
import json
import os
import shutil
import threading
import urllib.error
import urllib.request
from typing import Any, Optional

from history import History
from kept import Kept
from network import Network

MEMBERS = ("m1", "m2", "m3")
PREFIX = "/initfleet/"
FLEET = "shop"
QUOTA = 8_000_000
"""The size of a member's database from which on it refuses writes. Without a filler, a schedule needs much less."""


class Cluster:
    """The members, each a node of the network. Their data survive a restart."""

    def __init__(self, network: Network, history: History, directory: str) -> None:
        self._network, self._directory = network, directory
        self._changes: list[dict[str, Any]] = []
        self._read = 0
        """The revision up to which the changes were read."""
        self._reading = threading.Lock()
        self.members = {
            name: Kept(history, name, "etcd", lambda name=name: self._words(name), self._environment, f"{directory}/{name}.log")
            for name in MEMBERS
        }

    @property
    def urls(self) -> list[str]:
        """The URLs of all members, for clients."""
        return [self.url(name) for name in MEMBERS]

    def url(self, name: str, port: int = 2379) -> str:
        """The URL of a member, for clients if no other port is given."""
        return f"http://{self._network.address(name)}:{port}"

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"]}

    def _words(self, name: str) -> list[str]:
        client, peer = self.url(name), self.url(name, 2380)
        everyone = ",".join(f"{each}={self.url(each, 2380)}" for each in MEMBERS)
        words = ["etcd", "--name", name, "--data-dir", f"{self._directory}/{name}.data", "--log-level", "error", "--logger", "zap"]
        words += ["--quota-backend-bytes", str(QUOTA)]
        words += ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer]
        words += ["--initial-advertise-peer-urls", peer, "--initial-cluster", everyone, "--initial-cluster-state", "new"]
        return self._network.words(name, words)

    def ask(self, name: str, path: str, body: dict[str, Any], timeout: float = 2) -> Any:
        """A member's answer. Raises `OSError` with the text of a refusal in `says`, or `ValueError`."""
        request = urllib.request.Request(self.url(name) + path, json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.says = error.read().decode(errors="replace")  # type: ignore[attr-defined]
            raise

    def leader(self) -> Optional[str]:
        """The member that leads, if one answers that it does."""
        for name in MEMBERS:
            try:
                status = self.ask(name, "/v3/maintenance/status", {}, timeout=0.3)
                if status.get("leader") == status["header"]["member_id"]:
                    return name
            except (OSError, ValueError):
                continue
        return None

    def revision(self) -> Optional[int]:
        """The last revision, if a majority answers."""
        for name in MEMBERS:
            try:
                return int(self.ask(name, "/v3/kv/range", {"key": encoded("x")})["header"]["revision"])
            except (OSError, ValueError):
                continue
        return None

    def hashes(self, revision: int) -> dict[str, str]:
        """The hash of each member's data at a revision. They differ only if etcd itself has lost data."""
        return {name: str(self.ask(name, "/v3/maintenance/hash", {"revision": str(revision)}).get("hash")) for name in MEMBERS}

    def log(self, last: int) -> list[dict[str, Any]]:
        """Returns all changes of keys up to a revision, in order: `revision`, `created`, `key`, `value`.

        `created` is the revision at which the key was created. The value is None if the key was deleted. A watch from the first revision
        reports them; before a compaction, `compact` reads the entries that it deletes.
        """
        with self._reading:
            for name in MEMBERS:
                try:
                    self._changes += self._log(name, self._read + 1, last)
                    self._read = max(self._read, last)
                    return self._changes
                except (OSError, ValueError):
                    continue
        raise RuntimeError("no member of etcd tells its history")

    def compact(self) -> None:
        """Reads all changes, then deletes them from etcd's history. Raises `OSError`, `ValueError` or `RuntimeError`."""
        last = int(self.ask(MEMBERS[0], "/v3/kv/range", {"key": encoded("x")})["header"]["revision"])
        self.log(last)
        try:
            self.ask(MEMBERS[0], "/v3/kv/compaction", {"revision": str(self._read), "physical": True}, timeout=5)
        except urllib.error.HTTPError as error:
            if "compacted" not in error.says:  # type: ignore[attr-defined]
                raise

    def _log(self, name: str, first: int, last: int) -> list[dict[str, Any]]:
        create = {"key": encoded("\0"), "range_end": encoded("\0"), "start_revision": str(first)}
        request = urllib.request.Request(self.url(name) + "/v3/watch", json.dumps({"create_request": create}).encode())
        changes: list[dict[str, Any]] = []
        if last < max(first, 2):
            return changes
        with urllib.request.urlopen(request, timeout=10) as answer:
            while not changes or changes[-1]["revision"] < last:
                result = json.loads(answer.readline())["result"]
                if result.get("canceled"):
                    raise ValueError(f"etcd has ended the watch: {result}")
                for event in result.get("events", []):
                    entry = event["kv"]
                    key = base64.b64decode(entry["key"]).decode()
                    value = None if event.get("type") == "DELETE" else base64.b64decode(entry.get("value", "")).decode()
                    if value is not None and not key.startswith(PREFIX):
                        value = ""
                    created = int(entry.get("create_revision", 0))
                    changes.append({"revision": int(entry["mod_revision"]), "created": created, "key": key, "value": value})
        return [change for change in changes if change["revision"] <= last]


def encoded(text: str) -> str:
    """A key or a value, as the JSON gateway takes it."""
    return base64.b64encode(text.encode()).decode()


def version() -> tuple[int, ...]:
    """The version of etcd, e.g. (3, 4, 23)."""
    from network import run

    return tuple(int(part) for part in run(shutil.which("etcd") or "etcd", "--version").split()[2].split("."))
