"""1,000 commands: each after the previous one, and in layers, 8 at once. The supervisor already runs.

In the row `layers-cold`, the supervisor has just started, and it is its first pass.
"""

import subprocess
import time

from harness import dinit, graphs, s6
from harness.bench import absent
from harness.measure import Subject
from harness.supervisor import Supervisor


def _timed(*command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _make(stage, graph):
    makefile = graphs.makefile(stage.directory / "Makefile", graph)
    return lambda: _timed("make", "-rRj8", "-f", makefile)


def chain(bench):
    graph = graphs.chain(1000)
    with bench.stage() as stage:
        supervisor = stage.initd("--config", graphs.manifest(stage.directory / "init.yaml", graph))
        script = graphs.script(stage.directory / "chain.sh", graph)
        subjects = [
            Subject("initd", supervisor.active_pass),
            Subject("floor: vfork, exec, wait", stage.load("spawn", 1000, 1).once, at_most=1.25),
            Subject("sh", lambda: _timed("sh", script)),
            Subject("make -j8", _make(stage, graph), absent=absent("make")),
            # s6-rc takes several times as long as the others.
            Subject("s6-rc", absent=s6.ABSENT, most=3),
        ]
        if not s6.ABSENT:
            subjects[-1].once = s6.S6(stage, graph).once
        yield bench.alternate("chain", "1,000 × /bin/true in a chain", "s", subjects, 9)


def layers(bench):
    graph = graphs.layers(1000)
    with bench.stage() as stage:
        supervisor = stage.initd("--config", graphs.manifest(stage.directory / "init.yaml", graph, concurrency=8))
        subjects = [
            Subject("initd", supervisor.active_pass),
            Subject("floor: the same, 8 at once", stage.load("spawn", 1000, 8).once, at_most=1.25),
            Subject("make -j8", _make(stage, graph), at_most=1, absent=absent("make")),
            Subject("dinit", at_most=1, absent=dinit.ABSENT),
        ]
        if not dinit.ABSENT:
            subjects[-1].once = dinit.Dinit(stage, graph).once
        yield bench.alternate("layers", "1,000 × /bin/true in layers of 100, 8 at once", "s", subjects, 11)


def layers_cold(bench):
    graph = graphs.layers(1000)
    with bench.stage() as stage:
        manifest = graphs.manifest(stage.directory / "init.yaml", graph, concurrency=8)

        def first_pass():
            with Supervisor(stage.folder("cold"), "--config", manifest, program=bench.initd) as supervisor:
                return supervisor.active_pass()

        subjects = [
            Subject("initd, its first pass", first_pass),
            Subject("floor: the same, 8 at once", stage.load("spawn", 1000, 8).once, at_most=1.4),
        ]
        yield bench.alternate("layers-cold", "the same, in the first pass of a supervisor", "s", subjects, 11)
