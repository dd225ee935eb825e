"""A witness of etcd's own promise: a lease lives as long as it is renewed in time.

etcd breaks it sometimes: a member that led, was stopped, and goes on, may revoke all leases that weren't renewed at *it* (etcd's issue 15247;
versions before 3.4.31 and 3.5.13). Then a host loses its claims at once, although its agent has just renewed the lease. The witness keeps a
lease of its own, which is known to every member, and records if it ends early.
"""

from __future__ import annotations

import threading
import time
from typing import Optional

from cluster import MEMBERS, Cluster
from history import History

LEASE = 3
EARLY = 2.5
"""A lease that ends less than this after a renewal was sent has ended early; its clock may run a little fast."""


class Witness:
    """Keeps a lease in a thread until the process ends."""

    def __init__(self, cluster: Cluster, history: History) -> None:
        self._cluster, self._history = cluster, history
        threading.Thread(target=self._keep, daemon=True).start()

    def _keep(self) -> None:
        while True:
            granted = self._ask("/v3/lease/grant", {"TTL": LEASE})
            if granted is not None:
                self._watch(granted["ID"])
            time.sleep(0.1)

    def _watch(self, lease: str) -> None:
        renewed = time.monotonic()
        while True:
            time.sleep(0.2)
            sent = time.monotonic()
            answer = self._ask("/v3/lease/keepalive", {"ID": lease})
            if answer is None:
                continue
            if int(answer.get("result", {}).get("TTL", 0)) > 0:
                renewed = sent
                continue
            if time.monotonic() - renewed < EARLY:
                self._history.record("revoked", begun=renewed)
            return

    def _ask(self, path: str, body: dict[str, object]) -> Optional[dict]:
        """The answer of a member."""
        for name in MEMBERS:
            try:
                return self._cluster.ask(name, path, body, timeout=0.3)
            except (OSError, ValueError):
                continue
        return None
