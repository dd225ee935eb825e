"""A start: of the supervisor until its first answer, of a sandbox, and of initctl."""

import os
import shutil

from harness import dinit, graphs
from harness.bench import read_in_one_piece
from harness.measure import Subject
from harness.supervisor import ROOT


def first_answer(bench):
    with bench.stage() as stage:
        path = str(stage.folder("ours") / "initd.sock")
        floor = str(stage.folder("floor") / "echo.sock")
        subjects = [
            Subject("initd", stage.load("start", "initd", path, bench.initd, "--socket", path, "--log-level", "error").once, limit=0.004),
            Subject("floor: C echo", stage.load("start", "floor", floor, bench.compiled("echo"), floor).once),
            Subject("dinit", absent=dinit.ABSENT),
        ]
        if not dinit.ABSENT:
            folder = stage.folder("dinit")
            (folder / "boot").write_text("type = internal\n")
            control = str(folder / "control.sock")
            command = [shutil.which("dinit"), "--user", "--quiet", "--services-dir", str(folder), "--socket-path", control]
            subjects[-1].once = stage.load("start", "dinit", control, *command).once
        read_in_one_piece(bench.initd, bench.compiled("echo"), shutil.which("dinit"))
        yield bench.alternate("start", "start of a supervisor until its first answer", "s", subjects, 41)


def sandbox(bench):
    """The cold boot of a sandbox: `initd` starts, runs 20 commands in five layers, 8 at once, then an app that ends, and ends itself."""
    graph = graphs.layers(20, width=4)
    with bench.stage() as stage:
        folder = stage.folder("ours")
        path = graphs.manifest(folder / "init.yaml", graph, priority="appLaunch", concurrency=8)
        makefile = graphs.makefile(stage.directory / "Makefile", graph)
        ours = [bench.initd, "--socket", str(folder / "initd.sock"), "--config", path, "--log-level", "error", "--", "/bin/true"]
        subjects = [
            Subject("initd -- true", stage.load("process", *ours).once),
            Subject("make -j8", stage.load("process", shutil.which("make"), "-rRj8", "-f", makefile).once, at_most=1.2),
        ]
        read_in_one_piece(bench.initd, shutil.which("make"))
        yield bench.alternate("sandbox", "20 commands, five deep, 8 at once, then an app: from exec to the exit", "s", subjects, 41)


def version(bench):
    """With an earlier initctl in BEFORE, it must have taken at least 1.5 times as long."""
    with bench.stage() as stage:
        subjects = [Subject("initctl --version", stage.load("process", bench.initctl, "--version").once)]
        copy = None
        if earlier := os.environ.get("BEFORE"):
            copy = bench.installed("earlier", earlier)
            subjects.append(Subject("the earlier initctl", stage.load("process", copy, "--version").once, at_most=1 / 1.5))
        read_in_one_piece(bench.initctl, copy)
        yield bench.alternate("version", "initctl --version as a whole process", "s", subjects, 101)


def sizes(bench):
    for name, program in [("initd", bench.initd), ("initctl", bench.initctl)]:
        subject = Subject(name, lambda program=program: os.stat(program).st_size, limit=13.5e6)
        yield bench.alternate(f"size-{name}", f"the program {name}, static, without symbols", "MB", [subject], 1, warm_up=0)
