"""One etcd in a temporary directory, and its own metrics."""

import contextlib
import dataclasses
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.request

METRICS = {
    "cpu": "process_cpu_seconds_total",
    "resident": "process_resident_memory_bytes",
    "descriptors": "process_open_fds",
    "proposals": "etcd_server_proposals_applied_total",
    "syncs": "etcd_disk_wal_fsync_duration_seconds_count",
    "sync_seconds": "etcd_disk_wal_fsync_duration_seconds_sum",
    "slow": "etcd_server_slow_apply_total",
    "keys": "etcd_debugging_mvcc_keys_total",
    "watches": "etcd_debugging_mvcc_watcher_total",
    "database": "etcd_mvcc_db_total_size_in_bytes",
}
"""The names of etcd 3.4 and later."""


@dataclasses.dataclass
class Sample:
    """The resources that etcd has used and holds at one time."""

    cpu: float = 0
    resident: float = 0
    descriptors: float = 0
    proposals: float = 0
    syncs: float = 0
    sync_seconds: float = 0
    slow: float = 0
    keys: float = 0
    watches: float = 0
    database: float = 0

    @classmethod
    def read(cls, text):
        """Reads the values from the text of `/metrics`."""
        values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        return cls(**{name: float(values.get(metric, 0)) for name, metric in METRICS.items()})


def free_port():
    with contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Store:
    """An etcd with default settings, until the end of the `with`."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.port = free_port()

    def __enter__(self):
        if not shutil.which("etcd"):
            raise SystemExit("cannot measure a fleet: etcd is not installed; install Debian's package etcd-server")
        peer = f"http://127.0.0.1:{free_port()}"
        client = f"http://127.0.0.1:{self.port}"
        # Its libraries write a few lines to standard error, regardless of the level.
        self.process = subprocess.Popen(
            stderr=subprocess.DEVNULL, args=["etcd", "--data-dir", self.directory / "data", "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
             "--logger", "zap", "--log-level", "error", "--log-outputs", self.directory / "log"])
        deadline = time.monotonic() + 30
        while True:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"{client}/health", timeout=1) as answer:
                    if b"true" in answer.read():
                        return self
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"cannot measure a fleet: etcd does not answer:\n{(self.directory / 'log').read_text()}")
            time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def sample(self):
        """Returns the resources that etcd has used; an overloaded etcd may answer late."""
        while True:
            with contextlib.suppress(OSError):
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=3) as answer:
                    return Sample.read(answer.read().decode())

    @staticmethod
    def version():
        return subprocess.run(["etcd", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0].split()[-1]
