"""Three members of etcd, and what they have recorded."""

from __future__ import annotations

import base64
import json
import os
import shutil
import urllib.request
from typing import Any, Optional

from history import History
from kept import Kept
from network import Network

MEMBERS = ("m1", "m2", "m3")
PREFIX = "/initfleet/"
FLEET = "shop"


class Cluster:
    """The members, each a node of the network. Their data survive their end."""

    def __init__(self, network: Network, history: History, directory: str) -> None:
        self._network, self._directory = network, directory
        self.members = {
            name: Kept(history, name, "etcd", lambda name=name: self._words(name), self._environment, f"{directory}/{name}.log")
            for name in MEMBERS
        }

    @property
    def urls(self) -> list[str]:
        """The URLs of all members, for clients."""
        return [self._url(name) for name in MEMBERS]

    def _url(self, name: str, port: int = 2379) -> str:
        return f"http://{self._network.address(name)}:{port}"

    def _environment(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"]}

    def _words(self, name: str) -> list[str]:
        client, peer = self._url(name), self._url(name, 2380)
        everyone = ",".join(f"{each}={self._url(each, 2380)}" for each in MEMBERS)
        words = ["etcd", "--name", name, "--data-dir", f"{self._directory}/{name}.data", "--log-level", "error", "--logger", "zap"]
        words += ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer]
        words += ["--initial-advertise-peer-urls", peer, "--initial-cluster", everyone, "--initial-cluster-state", "new"]
        return self._network.words(name, words)

    def ask(self, name: str, path: str, body: dict[str, Any], timeout: float = 2) -> Any:
        """A member's answer. Raises `OSError` or `ValueError`."""
        request = urllib.request.Request(self._url(name) + path, json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.load(answer)

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
                return int(self.ask(name, "/v3/kv/range", {"key": _encoded("x")})["header"]["revision"])
            except (OSError, ValueError):
                continue
        return None

    def log(self, last: int) -> list[dict[str, Any]]:
        """All changes of keys up to a revision, in order: `revision`, `created`, `key`, `value`.

        `created` is the revision at which the key was created. The value is None if the key was deleted. A watch from the first revision tells them, because nothing is ever compacted.
        """
        for name in MEMBERS:
            try:
                return self._log(name, last)
            except (OSError, ValueError):
                continue
        raise RuntimeError("no member of etcd tells its history")

    def _log(self, name: str, last: int) -> list[dict[str, Any]]:
        create = {"key": _encoded("\0"), "range_end": _encoded("\0"), "start_revision": "1"}
        request = urllib.request.Request(self._url(name) + "/v3/watch", json.dumps({"create_request": create}).encode())
        changes: list[dict[str, Any]] = []
        with urllib.request.urlopen(request, timeout=10) as answer:
            while last > 1 and (not changes or changes[-1]["revision"] < last):
                for event in json.loads(answer.readline())["result"].get("events", []):
                    entry = event["kv"]
                    value = None if event.get("type") == "DELETE" else base64.b64decode(entry.get("value", "")).decode()
                    key = base64.b64decode(entry["key"]).decode()
                    created = int(entry.get("create_revision", 0))
                    changes.append({"revision": int(entry["mod_revision"]), "created": created, "key": key, "value": value})
        return changes


def _encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def version() -> tuple[int, ...]:
    """The version of etcd, e.g. (3, 4, 23)."""
    from network import run

    return tuple(int(part) for part in run(shutil.which("etcd") or "etcd", "--version").split()[2].split("."))
