"""A full etcd: values fill its quota, so it refuses writes. Later an operator makes room: compacts, defragments, and ends the alarm."""

from __future__ import annotations

import threading
import time

from cluster import MEMBERS, Cluster, encoded
from history import History

KEY = encoded("filler")
VALUE = encoded("." * 1_000_000)
PAUSE = 0.2


class Full:
    """Fills etcd in a thread of its own, and makes room again."""

    def __init__(self, cluster: Cluster, history: History) -> None:
        self._cluster, self._history = cluster, history
        self._thread: threading.Thread | None = None
        self._until = 0.0

    @property
    def is_over(self) -> bool:
        """Returns whether there is room again."""
        return self._thread is None or not self._thread.is_alive()

    def fill(self, until: float) -> None:
        """Fills etcd until that time, unless it is full."""
        if self.is_over:
            self._until = until
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def heal(self) -> None:
        """Makes room soon."""
        self._until = 0.0

    def _run(self) -> None:
        is_full = False
        while time.monotonic() < self._until:
            if not is_full:
                is_full = self._write()
            time.sleep(PAUSE if is_full else 0.01)
        while not self._makes_room():
            time.sleep(PAUSE)

    def _write(self) -> bool:
        """Whether a member says that the space is exceeded."""
        for name in MEMBERS:
            try:
                self._cluster.ask(name, "/v3/kv/put", {"key": KEY, "value": VALUE})
                return False
            except OSError as error:
                if "space exceeded" in getattr(error, "says", ""):
                    self._history.record("full")
                    return True
            except ValueError:
                pass
        return False

    def _makes_room(self) -> bool:
        """Follows the steps of etcd's guide. False if a member doesn't answer yet."""
        ask = self._cluster.ask
        try:
            ask(MEMBERS[0], "/v3/kv/deleterange", {"key": KEY})
            self._cluster.compact()
            for name in MEMBERS:
                ask(name, "/v3/maintenance/defragment", {}, timeout=5)
            for alarm in ask(MEMBERS[0], "/v3/maintenance/alarm", {"action": "GET"}).get("alarms", []):
                ask(MEMBERS[0], "/v3/maintenance/alarm", {**alarm, "action": "DEACTIVATE"})
            if ask(MEMBERS[0], "/v3/maintenance/alarm", {"action": "GET"}).get("alarms"):
                return False
        except (OSError, ValueError, RuntimeError):
            return False
        self._history.record("room")
        return True
