"""The help of every command: it has at least two examples, which work unchanged."""

from __future__ import annotations

import re
import select
import shutil
from typing import Callable, Iterator

from world import DEADLINE, World, until

MANIFEST = """
version: 1
ports: { web: 8080+ }
initializers:
  migrate:
    command: [echo, migrated]
  menu:
    command: ["true"]
    priority: appActive
    dependencies: [migrate]
"""
PROCESSES = """
processes:
  web: { command: [sleep, "600"] }
  queue: { command: [sleep, "600"] }
"""
WORKER = """
version: 1
initializers:
  prices:
    command: "echo ::progress 0.5; echo fetched"
    dependencies: [migrate]
"""
ENDLESS = re.compile(r"initctl (watch(?! --until)|worker|logs --follow)")
"""Commands that run until they are stopped: their first output is enough."""


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    with World() as world:
        _, text, _ = world.run("initctl", "--help")
    commands = re.findall(r"^  ([\w-]+)  ", text.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    assert len(commands) > 10, commands
    for words in [["initd"], ["initctl"], *(["initctl", command] for command in commands)]:
        yield f"{' '.join(words)} --help: its examples work", lambda words=words: examples_work(words)


def examples_work(words: list[str]) -> None:
    with World() as world:
        text = world.succeeds(*words, "--help")
        examples = re.findall(r"^  (init(?:d|ctl)\b.*)$", text.split("Examples:")[1], re.MULTILINE) if "Examples:" in text else []
        assert len(examples) >= 2, f"{len(examples)} examples\n{text}"
    for example in examples:
        assert example.startswith(" ".join(words)) or words == ["initctl"] or "--socket" in example, f"an example of another command: {example}"
        example_works(example)


def example_works(example: str) -> None:
    """Runs the command in a directory with the files of the examples, and with a supervisor unless the command starts one."""
    with World() as world:
        world.write("init.yaml", MANIFEST)
        world.write("base.yaml", MANIFEST)
        world.write("prod.yaml", "initializers:\n  menu: { timeout: 1m }\n")
        world.write("worker.yaml", WORKER)
        for program in ("server", "batch-job", "load-favorites", "build-index"):
            world.write(program, "#!/bin/sh\nexit 0\n").chmod(0o755)
        if "jq" in example and not shutil.which("jq"):
            jq = world.directory / "bin/jq"
            jq.write_text("#!/bin/sh\ngrep -q '{' && echo {}\n")
            jq.chmod(0o755)
        if not example.startswith("initd"):
            world.supervise("--config", "init.yaml", "--activate")
            world.succeeds("initctl", "wait", "--timeout", "30s")
        if example.startswith("initctl state adopt "):
            keep_done(world, example.split()[3])
            example = example.replace(" /", " ./")
        if re.match(r"initctl (stop|start|restart|exec) ", example):
            world.write("init.yaml", MANIFEST + PROCESSES)
            world.succeeds("initctl", "reload")
        if example.startswith("initctl unregister "):
            for name in example.split()[2:]:
                leave_behind(world, name)
        if example.startswith("initctl cancel "):
            world.start("initctl", "worker", example.split()[2], "--", "sleep", "600")
            until(lambda: re.search(r"reindex .*running", world.run("initctl", "status")[1]), "a run to cancel")
        if ENDLESS.match(example) or example == "initd --config init.yaml":
            process = world.start("bash", "-o", "pipefail", "-c", example)
            worker = re.match(r"initctl worker (\w+|--config)", example)
            if worker:
                name = "prices" if worker[1] == "--config" else worker[1]
                until(lambda: process.poll() is not None or name in world.run("initctl", "status")[1], example)
                world.succeeds("initctl", "wait", name, "--timeout", "30s")
            elif example.startswith("initctl"):
                # If a command shows changes, this causes one.
                world.succeeds("initctl", "activate")
                assert select.select([process.stdout], [], [], DEADLINE)[0], f"{example} prints nothing"
            else:
                world.succeeds("initctl", "wait", "launch", "--connect-timeout", "30s")
            assert process.poll() is None, f"{example} ended with {process.returncode}: {process.communicate()[1]}"
        else:
            world.succeeds("bash", "-o", "pipefail", "-c", example)


def keep_done(world: World, name: str) -> None:
    """Leaves a state directory behind in which something is done once."""
    state = world.directory / name.strip("/")
    state.mkdir(parents=True, mode=0o755)
    world.write("once.yaml", "version: 1\ninitializers: { seed: { command: 'true', once: ever } }\n")
    process = world.start("initd", "--config", "once.yaml", "--state-directory", str(state), "--socket", "once.sock")
    world.succeeds("initctl", "--socket", "once.sock", "wait", "launch", "--connect-timeout", "30s")
    world.succeeds("initctl", "--socket", "once.sock", "shutdown")
    process.wait()


def leave_behind(world: World, name: str) -> None:
    """Registers a name with a worker that is killed."""
    process = world.start("initctl", "worker", name, "--", "true")
    world.succeeds("initctl", "wait", name, "--appear", "--timeout", "30s")
    process.kill()
    process.wait()
    until(lambda: "its worker has disconnected" in world.run("initctl", "status", name)[1], f"the loss of {name}")
