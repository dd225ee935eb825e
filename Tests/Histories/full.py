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
    """Fills etcd in a thread of its own, and makes room again.

    It makes room again later too: a member that was away may raise the alarm when it has caught up.
    """

    def __init__(self, cluster: Cluster, history: History) -> None:
        self._cluster, self._history = cluster, history
        self._thread: threading.Thread | None = None
        self._until = 0.0
        self.is_over = True
        """Whether there is room, as far as is known."""

    def fill(self, until: float) -> None:
        """Fills etcd until that time, unless it is full."""
        if not self.is_over:
            return
        self.is_over, self._until = False, until
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def heal(self) -> None:
        """Makes room soon."""
        self._until = 0.0

    def _run(self) -> None:
        while True:
            is_full = False
            while time.monotonic() < self._until:
                is_full = is_full or self._write()
                time.sleep(PAUSE if is_full else 0.01)
            while not (self._has_room() or self._makes_room()):
                self.is_over = False
                time.sleep(PAUSE)
            self.is_over = time.monotonic() >= self._until
            time.sleep(PAUSE)

    def _has_room(self) -> bool:
        """Returns whether etcd has told that it isn't full, and nothing has filled it."""
        try:
            return self.is_over and not self._cluster.ask(MEMBERS[0], "/v3/maintenance/alarm", {"action": "GET"}).get("alarms")
        except (OSError, ValueError):
            return self.is_over

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
