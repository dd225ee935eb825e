"""Events to many subscribers: the time until the last subscriber has read them, and the memory that the server needs for each."""

import time

from harness.bench import absent, with_descriptors
from harness.measure import Subject
from harness.memory import anonymous


def measure(bench, row, subscribers, rounds, targets=True):
    """Measurements of the time and of the memory. The memory is that of the server before and after its subscribers connect."""
    with_descriptors(subscribers + 200)
    with bench.stage() as stage:
        supervisor = stage.initd("--limit", f"connections={subscribers + 100}")
        redis = absent("redis-server")
        servers = {"initd": ("initd", supervisor.path), "floor": ("floor", stage.floor("broadcast"))}
        if not redis:
            servers["Redis"] = ("redis", stage.redis("--maxclients", str(subscribers + 100)))
        once, bytes_each = {}, {}
        for name, (kind, path) in servers.items():
            # The first connections and events allocate memory that every server needs once.
            first = stage.load("fanout", kind, path, 10)
            first.once()
            first.close()
            time.sleep(0.2)
            before = anonymous(stage.pids[name])
            once[name] = stage.load("fanout", kind, path, subscribers).once
            time.sleep(0.2)
            bytes_each[name] = (anonymous(stage.pids[name]) - before) / subscribers
        title = f"one activation's two events until the last of {subscribers:,} subscribers has read them"
        yield bench.alternate(row, title, "s", [
            Subject("initd", once["initd"]),
            Subject("floor: C broadcast of one", once["floor"], at_most=1 if targets else None),
            Subject("Redis PUBLISH of one", once.get("Redis"), at_most=1 if targets else None, absent=redis),
        ], rounds, warm_up=2)
        yield bench.alternate(f"{row}-memory", "memory of the server for each subscriber that is idle", "B", [
            Subject("initd", lambda: bytes_each["initd"], limit=1024 if targets else None),
            Subject("floor: C server on libuv", lambda: bytes_each["floor"]),
            Subject("Redis", None if redis else lambda: bytes_each["Redis"], absent=redis),
        ], 1, warm_up=0)


def rows(bench):
    yield from measure(bench, "fanout", 10_000, 15)
