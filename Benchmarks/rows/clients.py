"""`initctl wait` and `initctl status` as whole processes, with 10 and with 1,000 known initializers."""

import shutil

from harness import dinit, graphs, s6
from harness.bench import absent, read_in_one_piece
from harness.measure import Subject

REDIS = absent("redis-server", "redis-cli")


def rows(bench):
    for count in (10, 1000):
        yield from _with(bench, count)


def _with(bench, count):
    graph = graphs.layers(count)
    with bench.stage() as stage:
        supervisor = stage.initd("--config", graphs.manifest(stage.directory / "init.yaml", graph, concurrency=8))
        supervisor.active_pass()
        process = lambda *command: stage.load("process", shutil.which(command[0]), *command[1:]).once
        client = bench.compiled("client")
        peers = {"dinitctl": dinit.ABSENT, "s6-rc": s6.ABSENT, "redis-cli": REDIS}
        waits, statuses = {}, {}
        if not dinit.ABSENT:
            there = dinit.Dinit(stage, graph)
            there.start()
            # The service has started, so the answer comes at once, like that of `wait`.
            waits["dinitctl"] = process("dinitctl", "--socket-path", there.path, "start", "all")
            statuses["dinitctl"] = process("dinitctl", "--socket-path", there.path, "list")
        if not s6.ABSENT:
            there = s6.S6(stage, graph)
            there.start()
            runner = stage.directory / "s6/scan/s6rc-oneshot-runner"
            waits["s6-rc"] = process("s6-svstat", str(runner))
            statuses["s6-rc"] = process("s6-rc", "-l", there.live, "-a", "list")
        if not REDIS:
            path = stage.redis()
            waits["redis-cli"] = process("redis-cli", "-s", path, "ping")
            statuses["redis-cli"] = process("redis-cli", "-s", path, "info")
        read_in_one_piece(bench.initctl, client, *map(shutil.which, ["dinitctl", "s6-svstat", "s6-rc", "redis-cli"]))
        for what, others, words in [
            ("wait", waits, {"dinitctl": "dinitctl start", "s6-rc": "s6-svstat", "redis-cli": "redis-cli ping"}),
            ("status", statuses, {"dinitctl": "dinitctl list", "s6-rc": "s6-rc list", "redis-cli": "redis-cli info"}),
        ]:
            subjects = [
                Subject(f"initctl {what}", process(bench.initctl, "--socket", supervisor.path, what)),
                Subject("floor: static C client", process(client, what, supervisor.path)),
            ]
            target = 1.2 if count == 10 else 1.0
            for peer, reason in peers.items():
                subjects.append(Subject(words[peer], others.get(peer), absent=reason, at_most=target if peer == "dinitctl" else None))
            if what == "status":
                subjects[0].limit = 0.006 if count == 1000 else 0.004
            yield bench.alternate(f"{what}-{count}", f"initctl {what} as a whole process, {count:,} known", "s", subjects, 41)
