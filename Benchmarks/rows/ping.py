"""`ping` over 50 connections. Redis has a row because its PING is the same question; the load generator is the same for both."""

from harness.bench import absent
from harness.measure import Subject


def plain(bench):
    yield _row(bench, "ping", "requests `ping` over 50 connections, each", 1, 100_000, 1 / 0.85)


def pipelined(bench):
    yield _row(bench, "ping-pipelined", "the same, 16 pipelined", 16, 400_000, 1 / 0.5)


def _row(bench, name, title, depth, requests, at_most):
    """`at_most` is how long a request may take, compared with one of Redis."""
    with bench.stage() as stage:
        supervisor = stage.initd()
        load = lambda kind, path: stage.load("ping", kind, path, 50, depth, requests // bench.quick).once
        subjects = [
            Subject("initd", load("initd", supervisor.path)),
            Subject("floor: C echo", load("echo", stage.floor("echo"))),
            Subject("Redis", at_most=at_most, absent=absent("redis-server")),
        ]
        if not subjects[2].absent:
            subjects[2].once = load("redis", stage.redis())
        return bench.alternate(name, title, "s", subjects, 9)
