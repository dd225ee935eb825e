"""1,000 commands, each after the one before it: what a supervisor costs that runs nothing at once."""

import subprocess
import time

from harness import graphs
from harness.bench import absent
from harness.measure import Subject


def timed(*command):
    """Seconds that a program takes, started without a shell."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def rows(bench):
    graph = graphs.chain(1000)
    with bench.stage() as stage:
        supervisor = stage.initd("--config", graphs.manifest(stage.directory / "init.yaml", graph))
        script = graphs.script(stage.directory / "chain.sh", graph)
        makefile = graphs.makefile(stage.directory / "Makefile", graph)
        subjects = [
            Subject("initd", supervisor.active_pass),
            Subject("floor: vfork, exec, wait", stage.load("spawn", 1000, 1).once, at_most=1.15),
            Subject("sh", lambda: timed("sh", script)),
            Subject("make -j8", lambda: timed("make", "-rRj8", "-f", makefile), absent=absent("make")),
        ]
        yield bench.alternate("chain", "1,000 × /bin/true in a chain", "s", subjects, 7)
