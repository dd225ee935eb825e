"""Measures the cost of a worker's connection: the path of one activation to a worker and back, many runs of one worker, and a cancelled
run.

All processes of these rows are on one processor. The processes wait for each other, so at any time only one of them works. Waking up an
idle processor for the next run would take longer than the work, and would vary.
"""

from harness.bench import one_processor
from harness.measure import Subject


def _beside_a_floor(bench, name, title, load, floor, count, at_most, floor_name, arguments=()):
    with one_processor(), bench.stage() as stage:
        supervisor = stage.initd()
        subjects = [
            Subject("initd", stage.load(load, "initd", supervisor.path, count).once),
            Subject(floor_name, stage.load(load, "floor", stage.floor(floor, *arguments), count).once, at_most=at_most),
        ]
        return bench.alternate(name, title, "s", subjects, 21)


def relay(bench):
    title = "client → initd → worker → initd → client: activate, its run, the end of the pass"
    yield _beside_a_floor(bench, "relay", title, "roundtrip", "relay", 500, 2.5, "floor: C relay on libuv")


def runs(bench):
    title = "1,000 dependent runs of one worker's connection, each"
    yield _beside_a_floor(bench, "runs", title, "worker", "pingpong", 1000, 3, "floor: C ping-pong", (1000,))


def cancel(bench):
    yield _beside_a_floor(bench, "cancel", "deactivate until the worker has cancel", "cancel", "echo", 200, 3, "floor: C ping-pong")
