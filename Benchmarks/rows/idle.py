"""An idle supervisor that knows 10 and 1,000 initializers: its memory, and how often it wakes up."""

import time

from harness import dinit, graphs
from harness.bench import absent
from harness.measure import Subject
from harness.memory import anonymous, proportional, switches

SECONDS = 5


def rows(bench):
    for count, of_redis, limit in [(10, 0.7, 1 << 20), (1000, 0.9, 2 << 20)]:
        yield from _with(bench, count, of_redis, limit)


def _with(bench, count, of_redis, limit):
    """`of_redis` is how much of Redis' memory it may take, and `limit` how many bytes besides its files."""
    graph, redis = graphs.layers(count), absent("redis-server")
    with bench.stage() as stage:
        stage.initd("--config", graphs.manifest(stage.directory / "init.yaml", graph, concurrency=8)).active_pass()
        stage.floor("relay")
        names = {"initd": None, "floor: C server on libuv": None, "dinit": dinit.ABSENT, "Redis": redis}
        if not dinit.ABSENT:
            dinit.Dinit(stage, graph).start()
        if not redis:
            stage.redis()
        time.sleep(1)
        memory = {name: proportional(pid) for name, pid in stage.pids.items()}
        alone = {name: anonymous(pid) for name, pid in stage.pids.items()}
        before = {name: switches(pid) for name, pid in stage.pids.items()}
        time.sleep(SECONDS)
        wakes = {name: switches(pid) - before[name] for name, pid in stage.pids.items()}
        key = lambda name: name.split(":")[0]

        def subjects(values, limit, of_redis=None):
            once = lambda name: lambda: values[key(name)]
            all_of_them = [
                Subject(name, None if reason else once(name), absent=reason, at_most=of_redis if name == "Redis" else None)
                for name, reason in names.items()
            ]
            all_of_them[0].limit = limit
            return all_of_them

        title = f"idle, {count:,} known, after a pass: proportional set size"
        yield bench.alternate(f"idle-{count}", title, "B", subjects(memory, None, of_redis), 1, warm_up=0)
        title = "the same: without the pages of files, which are mostly the program"
        yield bench.alternate(f"idle-{count}-anonymous", title, "B", subjects(alone, limit), 1, warm_up=0)
        yield bench.alternate(f"wake-ups-{count}", f"the same: wake-ups in {SECONDS} s", "", subjects(wakes, 0), 1, warm_up=0)
