"""clients/PROTOCOL.md: its conversations are played, its shapes are checked, and its tables are compared with the sources."""

from __future__ import annotations

import contextlib
import re
import struct
from typing import Callable, Iterator

import pattern
from conversation import Conversation, steps
from markdown import ROOT, Block, Document, spans
from sources import requests, source
from world import World, until

import peer as wire  # The module is from the conformance suite, found through `world`.
import shapes

DOCUMENT = Document(ROOT / "clients/PROTOCOL.md")
NOTES = {"bare", "launched", "active", "provided", "silent", "once"}
SHAPES = {"State": "Status.State", "Error": "InitializationError", "Cause": "Cause", "Initializer": "Initializer", "Status": "Status", "Process": "Status.Process"}
"""The names of the shapes on the page, and in the schema."""


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    for block in DOCUMENT.blocks():
        name = f"PROTOCOL.md:{block.line} {block.section}"
        if re.match(r"(?:[a-z]+ )?[→←#] ", block.text):
            yield f"{name}: the conversation", lambda block=block: play(block)
        elif block.language == "json":
            yield f"{name}: the JSON", lambda block=block: check_json(block)
        elif block.language == "yaml":
            yield f"{name}: the manifest", lambda block=block: check_manifest(block)
        elif re.match(r"[0-9a-f]{2} ", block.text):
            yield f"{name}: the bytes", lambda block=block: check_bytes(block)
        elif block.language == "python":
            yield f"{name}: the program", lambda block=block: run_program(block)
    yield "PROTOCOL.md: exactly the existing requests are described", requests_are_described
    yield "PROTOCOL.md: the limits are those of the supervisor", limits_are_real
    yield "PROTOCOL.md: all error codes are listed", codes_are_real
    yield "PROTOCOL.md: all topics are listed", topics_are_real
    yield "PROTOCOL.md: all events of the log are listed", log_events_are_real


def manifest(notes: set[str] = frozenset()) -> str:
    """The manifest of the conversations: the first manifest of the document, or with the note `once` the first manifest with a release."""
    manifests = [block.text for block in DOCUMENT.blocks() if block.language == "yaml"]
    return next(text for text in manifests if ("release:" in text) == ("once" in notes))


@contextlib.contextmanager
def stage(notes: set[str]) -> Iterator[World]:
    """Starts a supervisor for the conversation's note: `bare` without the manifest, `launched` and `active` after these phases, `provided`
    with a worker that runs everything, `once` with the manifest that has a release.
    """
    assert notes <= NOTES, f"unknown: {notes - NOTES}"
    with World() as world:
        options = [] if "bare" in notes else ["--config", world.write("init.yaml", manifest(notes))]
        world.supervise(*options, *([] if "launched" in notes else ["--no-launch"]))
        with contextlib.ExitStack() as closing:
            control = wire.Peer(wire.connected(str(world.socket)))
            closing.callback(control.close)
            wire.hello(control, "control")
            if "launched" in notes:
                assert control.ok("wait", for_="launch")["state"] == "complete"
            if "provided" in notes:
                worker = wire.Peer(wire.connected(str(world.socket)))
                closing.callback(worker.close)
                wire.hello(worker, "shelf-worker")
                worker.register("favorites")
                if "active" in notes:
                    control.ok("activate")
                    worker.expect_run("favorites").succeed()
                    assert control.ok("wait", for_="active")["state"] == "complete"
            control.close()
            yield world


def play(block: Block) -> None:
    notes = set((block.note or "").split())
    with stage(notes) as world:
        Conversation(world, steps(block.text, block.line + 1), greets="silent" not in notes).play()


def check_json(block: Block) -> None:
    """One value per line (an indented line continues the previous one), each with the shape in the note."""
    name = block.note or ""
    assert name in (*SHAPES, "log"), f"the comment before it must name one of {', '.join(SHAPES)}, log"
    values = re.sub(r"\n\s+", "", block.text).splitlines()
    assert values, "nothing in it"
    for text in values:
        value = pattern.parse(text)
        assert "…" not in value, f"unchecked, because something is left out: {text}"
        if name == "log":
            assert isinstance(value["time"], float) and all(isinstance(value[key], str) for key in ("level", "message", "event")), text
        else:
            shapes.check(SHAPES[name], value)


def check_manifest(block: Block) -> None:
    with World() as world:
        world.succeeds("initd", "--check", world.write("init.yaml", block.text))


def check_bytes(block: Block) -> None:
    """Two columns: bytes and their meaning. They must be one frame that a supervisor answers."""
    columns = [re.match(r"((?:[0-9a-f]{2} ?)+) *(.*)$", line) for line in block.text.splitlines()]
    data = b"".join(bytes.fromhex(match[1]) for match in columns)
    assert struct.unpack(">I", data[:4])[0] == len(data) - 4, "the length doesn't match the payload"
    shown = "".join(match[2] for match in columns[1:])
    assert data[4:].decode() == shown, f"{data[4:].decode()} is not {shown}"
    with stage({"bare"}) as world, contextlib.closing(wire.Peer(wire.connected(str(world.socket)))) as peer:
        peer.send_bytes(data)
        assert "result" in peer.receive(), "not answered"


def run_program(block: Block) -> None:
    """A worker of `favorites` for the supervisor of the examples, or a coordinator, which ends with the supervisor."""
    if block.note == "once":
        return run_coordinator(block)
    with stage({"launched"}) as world, contextlib.closing(wire.Peer(wire.connected(str(world.socket)))) as control:
        program = world.start("python3", "-c", block.text)
        wire.hello(control, "control")
        until(lambda: control.status()["workers"] or program.poll() is not None, "a worker")
        control.ok("activate")
        assert control.ok("wait", for_="active", timeout=20)["state"] == "complete"
        control.ok("shutdown")
        out, err = program.communicate(timeout=20)
        assert (program.returncode, out) == (0, "running favorites\n"), f"it ended with {program.returncode}\n{out}{err}"


def run_coordinator(block: Block) -> None:
    with stage({"once"}) as world, contextlib.closing(wire.Peer(wire.connected(str(world.socket)))) as control:
        program = world.start("python3", "-c", block.text)
        wire.hello(control, "control")
        control.ok("launch")
        assert control.ok("wait", for_="launch", timeout=20)["state"] == "complete"
        control.ok("shutdown")
        out, err = program.communicate(timeout=20)
        assert (program.returncode, out) == (0, "here: migrate\n"), f"it ended with {program.returncode}\n{out}{err}"


def swift_cases(module: str, file: str, enumeration: str) -> set[str]:
    """The names of the cases of an enumeration in the sources."""
    text = source(module, file)
    body = re.search(rf"enum {enumeration}\b.*?\{{(.*?)^(?:  )?\}}", text, re.S | re.M)
    assert body, f"no {enumeration} in {file}"
    return {name for line in re.findall(r"^ *case (\w+(?:, \w+)*)", body[1], re.M) for name in line.split(", ")}


def requests_are_described() -> None:
    described = {name for _, line in DOCUMENT.prose() if line.startswith("### `") for name in spans(line)}
    real = requests() | {"run", "progress", "cancel", "event"}
    assert described == real, f"described only: {described - real}; not described: {real - described}"


def limits_are_real() -> None:
    files = [("InitServer", "ClientLimits"), ("InitRunner", "RunLimits"), ("InitSupervisor", "Limits")]
    text = "\n".join(source(module, name) for module, name in files).replace("var memory =", "var clientBytes =")
    units = {"seconds": 1.0, "milliseconds": 0.001}
    real: dict[str, float] = {}
    for name, value in re.findall(r"public var (\w+) = ([^()\n]+|Duration.+)$", text, re.MULTILINE):
        if duration := re.fullmatch(r"Duration\.(\w+)\((\d+)\)", value):
            real[name] = units[duration[1]] * int(duration[2])
        else:
            real[name] = 1
            for factor in value.split("*"):
                real[name] *= int(factor.strip().replace("_", ""))
    scale = {"KiB": 1024, "MiB": 1024**2, "s": 1, "ms": 0.001, "": 1}
    shown: dict[str, float] = {}
    for row in DOCUMENT.rows("Limits"):
        number, unit = re.match(r"([\d,]+) ?(KiB|MiB|s\b|ms\b|)", row[1]).groups()
        shown[spans(row[0])[0]] = int(number.replace(",", "")) * scale[unit]
    assert shown == real, f"shown {dict(shown.items() - real.items())}, real {dict(real.items() - shown.items())}"
    security = re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", (ROOT / "SECURITY.md").read_text(), re.MULTILINE)
    assert dict(security) == {spans(row[0])[0]: row[1] for row in DOCUMENT.rows("Limits")}, "SECURITY.md has other limits"


def codes_are_real() -> None:
    text = source("InitWire", "ErrorCode")
    numbers = dict(re.findall(r"case (\w+) = (-\d+)", text))
    shown = {row[0].replace("−", "-"): (spans(row[1]) or [None])[0] for row in DOCUMENT.rows("Errors that answer")}
    assert set(shown) == set(numbers.values()), set(shown) ^ set(numbers.values())
    for name, number in numbers.items():
        assert shown[number] == (name if int(number) > -32100 else None), f"{number}: {shown[number]} is not {name}"


def topics_are_real() -> None:
    shown = {topic for row in DOCUMENT.rows("Topics") for topic in spans(row[0])}
    real = swift_cases("InitModel", "Words", "Topic")
    assert shown == real, shown ^ real


def log_events_are_real() -> None:
    text = source("InitLog", "LogMembers")
    body = re.search(r"enum EventName.*?\{(.*?)\}", text, re.S)
    real = {name for line in re.findall(r"case (.+)", body[1]) for name in line.split(", ")}
    shown = {event for row in DOCUMENT.rows("The log") for event in spans(row[0])}
    assert shown == real, shown ^ real
