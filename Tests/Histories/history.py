"""The history of one schedule: what has happened, with times of CLOCK_MONOTONIC, which all processes of a machine share.

A *task* is an initializer of a release, e.g. `r1/migrate`. Each record has `event` and `t`. The times of the others are their own, so a
delay of this process doesn't move them:

| event | when, and its members |
| --- | --- |
| `start` | a run has begun to work: `task`, `host`, `token` |
| `write` | the register has got a token: `task`, `host`, `token`, and whether it was `accepted`; in the order of the register |
| `last` | the last sign of life of a run: `task`, `host`, `token`. It is recorded when the run has ended |
| `done`, `failed` | a run has ended by itself: `task`, `host`, `token` |
| `ready` | a host has completed what depends on the task: `task`, `host`, and the `token` of the run that it takes as done |
| `started`, `killed`, `asked` | a process was started, killed, or asked to end with SIGTERM: `host`, `role` |
| `insisted` | a process that was asked to end got a second signal: `host`, `role` |
| `exited` | it has ended: `host`, `role`, `status`, and `expected`: whether a fault ended it; if not, what it `says` in its log |
| `stopped`, `continued` | a process was stopped with SIGSTOP (the time is before that), or continued (the time is after that): `host`, `role` |
| `active`, `inactive` | the lifecycle of a supervisor changed: `host` |
| `work` | a command that runs while a host is active has ended: `host`, `begun`; the time is its last sign of life |
| `revoked` | etcd has ended the witness's lease early: `begun`, when the last renewal was sent; the time is when that was noticed |
| `full`, `room` | etcd refuses writes because its space is exceeded; it has space again |
| `hung` | a supervisor was stopped in a quiet fleet, for at least as long as others may take to go on: `host` |
| `few` | a host may try an initializer only a few times: `host`, `initializer`, `attempts` |
| `delayed`, `undelayed` | the answers to a host are late, by `seconds`; they are in time again: `host` |
| `away`, `back` | in a quiet fleet, all members of etcd were killed; they start again |
| `etcd` | a key of the fleet was created or deleted, as a watch at a member has told it: `what`, `key`, `revision`, `lease`, `member` |
| `diverged` | the members of etcd have different data at the end: their `hashes` |
| `trace` | what an agent or a candidate says about its lease: `host`, `role`, `says` |
| `fault` | what the schedule did: `what`, and for a single fault its `kind`, its `target`, and `until` when it lasts at most |
| `late` | what should have happened and didn't: `what` |
"""

from __future__ import annotations

import threading
import time
from typing import Any, Optional


class History:
    """Records in the order in which this process has learned of them."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self._lock = threading.Lock()

    def record(self, event: str, t: Optional[float] = None, **members: Any) -> None:
        """Adds a record; its time is now, unless one is given."""
        with self._lock:
            self.records.append({"t": time.monotonic() if t is None else t, "event": event, **members})

    def all(self) -> list[dict[str, Any]]:
        """A copy of all records."""
        with self._lock:
            return list(self.records)
