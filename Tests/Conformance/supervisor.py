"""The harness: real `initd` and `initctl` processes, driven from outside.

It knows the two contract pages and nothing else, and shares no code with any client. `Conformance` is the test case to inherit
from: it starts supervisors, ends and reaps everything at teardown, and shows what they logged when a test failed. `Peer` is one
raw connection; whatever it receives is checked against the pages' shapes before a test sees it.

Nothing here sleeps to be right: waiting is polling or receiving with a deadline.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from typing import Any, Callable, Iterable, Optional, Sequence

import shapes

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INITD = os.path.abspath(os.environ.get("INITD") or os.path.join(ROOT, ".build/debug/initd"))
INITCTL = os.path.abspath(os.environ.get("INITCTL") or os.path.join(ROOT, ".build/debug/initctl"))

DEADLINE = float(os.environ.get("CONFORMANCE_DEADLINE", "15"))
"""How long anything that should come may take before a test fails, in seconds."""

POLL = 0.01

FAST = """\
version: 1
cancelGrace: 300ms
registrationTimeout: 500ms
"""
"""The head of a manifest whose waits are short."""


def until(condition: Callable[[], Any], what: str, deadline: float = DEADLINE) -> Any:
    """Polls `condition` until it is true, and returns it."""
    end = time.monotonic() + deadline
    while True:
        if value := condition():
            return value
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {deadline} s")
        time.sleep(POLL)


def frame(payload: bytes) -> bytes:
    """A frame around `payload`."""
    return struct.pack(">I", len(payload)) + payload


def message(**members: Any) -> bytes:
    """The payload of a JSON-RPC message."""
    return json.dumps({"jsonrpc": "2.0"} | members, separators=(",", ":")).encode()


def connected(path: str) -> socket.socket:
    """A socket connected to `path`. Raises `OSError`."""
    stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        stream.settimeout(DEADLINE)
        stream.connect(path)
    except BaseException:
        stream.close()
        raise
    return stream


class Ended(AssertionError):
    """The connection ended where a message was expected."""


class Late(AssertionError):
    """What was expected, a message or the end, did not come in time."""


def shortened(value: Any) -> str:
    """A value for a failure's text: its beginning and its end."""
    text = repr(value)
    return text if len(text) < 3000 else f"{text[:1500]} … {text[-1500:]}"


class Peer:
    """One connection to a supervisor: raw bytes, frames and messages out, checked messages in.

    Messages that a call doesn't ask for stay in `inbox`, in order, for the next one that does.
    """

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        stream.settimeout(DEADLINE)
        self.inbox: list[dict[str, Any]] = []
        self._ids = itertools.count(1)
        self._buffer = bytearray()
        self._methods: dict[Any, str] = {}

    def close(self) -> None:
        self.stream.close()

    # Out

    def send_bytes(self, data: bytes) -> None:
        self.stream.sendall(data)

    def send_payload(self, payload: bytes) -> None:
        self.send_bytes(frame(payload))

    def send(self, **members: Any) -> None:
        """Sends a JSON-RPC message of these members."""
        self.send_payload(message(**members))

    def request(self, method: str, params: Any = None) -> int:
        """Sends a request and returns its id."""
        id = next(self._ids)
        self._methods[id] = method
        self.send(id=id, method=method, **({} if params is None else {"params": params}))
        return id

    # In

    def receive(self, deadline: float = DEADLINE) -> Optional[dict[str, Any]]:
        """The next message, or None where the connection ended."""
        if self.inbox:
            return self.inbox.pop(0)
        return self._read(time.monotonic() + deadline)

    def take(self, wanted: Callable[[dict[str, Any]], bool], what: str, deadline: float = DEADLINE) -> dict[str, Any]:
        """The first message that is `wanted`; the others stay."""
        for index, each in enumerate(self.inbox):
            if wanted(each):
                return self.inbox.pop(index)
        end = time.monotonic() + deadline
        while True:
            try:
                each = self._read(end)
            except Late:
                raise Late(f"{what} did not come within {deadline} s; came: {shortened(self.inbox)}") from None
            if each is None:
                raise Ended(f"the connection ended before {what}; came: {shortened(self.inbox)}")
            if wanted(each):
                return each
            self.inbox.append(each)

    def answer(self, id: Any, deadline: float = DEADLINE) -> dict[str, Any]:
        """The answer to `id`, its result checked against the shape of its method."""
        answer = self.take(
            lambda each: "method" not in each and each["id"] == id and type(each["id"]) is type(id),
            f"the answer to {self._methods.get(id, id)!r}",
            deadline,
        )
        if "result" in answer:
            shapes.check_result(self._methods.get(id), answer["result"])
        return answer

    def call(self, method: str, params: Any = None, deadline: float = DEADLINE) -> dict[str, Any]:
        """Sends a request and returns its answer, whatever it is."""
        return self.answer(self.request(method, params), deadline)

    def ok(self, method: str, /, **params: Any) -> Any:
        """The result of a request that must succeed. A trailing underscore makes `for_` and `pass_` members."""
        answer = self.call(method, {name.rstrip("_"): value for name, value in params.items()} or None)
        assert "result" in answer, f"{method} {params} was refused: {answer}"
        return answer["result"]

    def refused(self, code: int, method: str, params: Any = None, naming: str = "") -> dict[str, Any]:
        """The error of a request that must be refused with `code`, its message naming the member `naming`."""
        return refusal(self.call(method, params), code, naming)

    def complaint(self, code: int) -> dict[str, Any]:
        """The next message, which must be an error of no request in particular."""
        answer = self.receive()
        assert answer is not None, f"the connection ended before the error {code}"
        assert "id" in answer and answer["id"] is None, f"expected an error with id null, got {answer}"
        return refusal(answer, code)

    def expect_end(self, deadline: float = DEADLINE) -> None:
        """The connection must end. The shutdown event and other events may come before."""
        while (each := self.receive(deadline)) is not None:
            assert each.get("method") == "event", f"expected the end, got {each}"

    def expect_end_now(self, deadline: float = DEADLINE) -> None:
        """The connection must end with nothing before."""
        each = self.receive(deadline)
        assert each is None, f"expected the end, got {each}"

    def alive(self) -> None:
        """The connection goes on: a ping is answered."""
        assert self.ok("ping", still="there") == {"still": "there"}

    # Events

    def event(self, deadline: float = DEADLINE) -> dict[str, Any]:
        """The params of the next event."""
        return self.take(lambda each: each.get("method") == "event", "an event", deadline)["params"]

    def event_where(self, **members: Any) -> dict[str, Any]:
        """The params of the first event with these members; the ones before it are dropped."""
        return self.events_until(lambda event: all(event.get(name) == value for name, value in members.items()))[-1]

    def events_until(self, last: Callable[[dict[str, Any]], Any]) -> list[dict[str, Any]]:
        """The params of all events up to the first for which `last` is true."""
        events = []
        while True:
            try:
                events.append(self.event())
            except AssertionError as error:
                raise AssertionError(f"{error}; events before: {shortened(events)}") from None
            if last(events[-1]):
                return events

    def initializer_events_until(self, name: str, status: str) -> list[dict[str, Any]]:
        """The events up to the one that shows `name` in `status`."""
        return self.events_until(
            lambda event: event.get("topic") == "initializer"
            and event["initializer"]["name"] == name
            and event["initializer"]["status"] == status
        )

    # What is

    def status(self) -> dict[str, Any]:
        return self.ok("status")

    def initializer(self, name: str) -> dict[str, Any]:
        """The Initializer of that name."""
        for each in self.status()["initializers"]:
            if each["name"] == name:
                return each
        raise AssertionError(f"no initializer {name} in {self.status()}")

    def until_initializer(self, name: str, status: str) -> dict[str, Any]:
        """Polls until `name` is in `status`."""
        return until(
            lambda: next((e for e in self.status()["initializers"] if e["name"] == name and e["status"] == status), None),
            f"{name} {status}; it is {self.initializer(name)}",
        )

    def last_pass(self) -> dict[str, Any]:
        """The newest pass of the history."""
        return self.ok("history")["passes"][-1]

    # A worker's side

    def register(self, *initializers: Any) -> list[str]:
        """Registers initializers, given as names or as declarations."""
        declared = [{"name": each} if isinstance(each, str) else each for each in initializers]
        names = self.ok("register", initializers=declared)["registered"]
        assert names == [each["name"] for each in declared], names
        return names

    def expect_run(self, name: Optional[str] = None, deadline: float = DEADLINE) -> Run:
        """The next run, which must be of `name`."""
        request = self.take(lambda each: each.get("method") == "run", f"a run of {name}", deadline)
        assert name is None or request["params"]["initializer"] == name, f"expected a run of {name}, got {request}"
        return Run(self, request)

    def expect_no_run(self) -> None:
        """No run has been asked for by now."""
        self.alive()
        runs = [each for each in self.inbox if each.get("method") == "run"]
        assert not runs, f"nothing should run, but: {runs}"

    # The bytes

    def _read(self, end: float) -> Optional[dict[str, Any]]:
        header = self._bytes(4, end, may_end=True)
        if header is None:
            return None
        assert header[0] == 0, f"a frame's first byte must be 0: {bytes(header)!r}"
        (length,) = struct.unpack(">I", header)
        assert length >= 1, "a frame of length 0"
        payload = self._bytes(length, end)
        assert payload is not None
        return shapes.decode(bytes(payload))

    def _bytes(self, count: int, end: float, may_end: bool = False) -> Optional[bytearray]:
        while len(self._buffer) < count:
            left = end - time.monotonic()
            if left <= 0:
                raise Late("nothing came in time, and the connection is open")
            self.stream.settimeout(left)
            try:
                more = self.stream.recv(1 << 20)
            except ConnectionResetError:
                more = b""
            except TimeoutError:
                raise Late("nothing came in time, and the connection is open") from None
            finally:
                self.stream.settimeout(DEADLINE)
            if not more:
                assert may_end and not self._buffer, f"the connection ended in the middle of a frame: {bytes(self._buffer)!r}"
                return None
            self._buffer += more
        taken = self._buffer[:count]
        del self._buffer[:count]
        return taken


class Run:
    """One run that a supervisor asked this peer for."""

    def __init__(self, peer: Peer, request: dict[str, Any]) -> None:
        self.peer = peer
        self.id = request["id"]
        self.params = request["params"]
        self.number: int = self.params["run"]

    def succeed(self) -> None:
        self.peer.send(id=self.id, result={})

    def fail(self, why: str = "broken") -> None:
        self.peer.send(id=self.id, error={"code": 1, "message": why})

    def stopped(self) -> None:
        """Answers as a cancelled run does."""
        self.peer.send(id=self.id, error={"code": -32008, "message": "cancelled"})

    def progress(self, **members: Any) -> None:
        self.peer.send(method="progress", params={"run": self.number} | members)

    def expect_cancel(self, reason: str) -> Run:
        """The run must be told to stop, for that reason."""
        cancel = self.peer.take(
            lambda each: each.get("method") == "cancel" and each["params"]["run"] == self.number, f"cancel of run {self.number}"
        )
        assert cancel["params"]["reason"] == reason, f"expected the reason {reason}, got {cancel}"
        return self


def refusal(answer: dict[str, Any], code: int, naming: str = "") -> dict[str, Any]:
    """The error of an answer that must be one of `code`."""
    assert "error" in answer, f"expected the error {code}, got {answer}"
    error = answer["error"]
    assert error["code"] == code, f"expected the error {code}, got {answer}"
    assert naming in error["message"], f"the message must name {naming!r}: {error['message']!r}"
    return error


class Program:
    """A process with pipes, read with deadlines."""

    def __init__(self, words: Sequence[str], **options: Any) -> None:
        self.words = words
        self.process = subprocess.Popen(
            words, stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
        )
        self.pid = self.process.pid
        self.out = b""
        self.err = b""
        self._taken = 0
        self._ended = False
        self._open = selectors.DefaultSelector()
        assert self.process.stdout and self.process.stderr
        for stream, name in ((self.process.stdout, "out"), (self.process.stderr, "err")):
            os.set_blocking(stream.fileno(), False)
            self._open.register(stream, selectors.EVENT_READ, name)

    def line(self, deadline: float = DEADLINE) -> str:
        """The next line of standard output."""
        end = time.monotonic() + deadline
        while (index := self.out.find(b"\n", self._taken)) < 0:
            if not self._pump(end):
                raise AssertionError(f"no further line from {self.words}; out {self.out!r}, err {self.err!r}")
        line = self.out[self._taken : index].decode()
        self._taken = index + 1
        return line

    def until_err(self, text: str, deadline: float = DEADLINE) -> None:
        """Reads until standard error holds `text`."""
        end = time.monotonic() + deadline
        while text.encode() not in self.err:
            if not self._pump(end):
                raise AssertionError(f"no {text!r} from {self.words}; out {self.out!r}, err {self.err!r}")

    def pump(self) -> None:
        """Takes in what is there."""
        while not self._ended and self._open.get_map() and self._open.select(0):
            self._pump(time.monotonic() + 1)

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def close_out(self) -> None:
        """Stops reading its standard output, as `head` does when it has had enough."""
        self._close(self.process.stdout)

    def close_err(self) -> None:
        """Stops reading its standard error."""
        self._close(self.process.stderr)

    def _close(self, stream: Any) -> None:
        self._open.unregister(stream)
        stream.close()

    def finish(self, deadline: float = DEADLINE) -> Finished:
        """Waits for the end."""
        end = time.monotonic() + deadline
        while self._open.get_map():
            if not self._pump(end):
                break
        try:
            status = self.process.wait(max(0.01, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.words} did not end within {deadline} s; out {self.out!r}, err {self.err!r}") from None
        return Finished(self.words, status, self.out.decode(), self.err.decode("utf-8", "replace"))

    def wait(self, deadline: float = DEADLINE) -> int:
        """Waits for the end of the process alone: its pipes may be held by others."""
        return until(lambda: self._reaped(), f"the end of {self.words}; err {self.err!r}", deadline)[0]

    def _reaped(self) -> Optional[tuple[int]]:
        self.pump()
        status = self.process.poll()
        return None if status is None else (status,)

    def end(self) -> None:
        """Kills it, if it is still there, and reaps it."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.pump()
        self._open.close()
        self._ended = True
        for stream in (self.process.stdout, self.process.stderr, self.process.stdin):
            if stream is not None:
                stream.close()

    def _pump(self, end: float) -> bool:
        ready = self._open.select(max(0, end - time.monotonic())) if self._open.get_map() else []
        for key, _ in ready:
            data = os.read(key.fd, 1 << 16)
            if not data:
                self._open.unregister(key.fileobj)
            elif key.data == "out":
                self.out += data
            else:
                self.err += data
        return bool(ready)


class Finished:
    """How a program ended, and what it wrote."""

    def __init__(self, words: Sequence[str], status: int, out: str, err: str) -> None:
        self.words, self.status, self.out, self.err = words, status, out, err

    def json(self) -> list[Any]:
        """Standard output as one JSON value a line."""
        return [shapes.loads(line.encode()) for line in self.out.splitlines()]

    def __repr__(self) -> str:
        return f"{' '.join(self.words[1:])!r} ended with {self.status}\nout: {self.out}\nerr: {self.err}"


class Supervisor:
    """One `initd` in a directory of its own, with the manifest `init.yaml` there if there is one."""

    def __init__(
        self,
        test: Conformance,
        manifest: Optional[str],
        arguments: Sequence[str],
        *,
        directory: str,
        socket_path: Optional[str] = None,
        env: Optional[dict[str, Optional[str]]] = None,
        prefix: Sequence[str] = (),
        **options: Any,
    ) -> None:
        self.test = test
        self.directory = directory
        self.path = socket_path or os.path.join(directory, "initd.sock")
        words = [*prefix, INITD, "--socket", self.path, *arguments]
        if manifest is not None:
            self.manifest = test.write(os.path.join(directory, "init.yaml"), manifest)
            words += ["--config", self.manifest]
        self.program = test.program(words, env=env, **options)

    @property
    def pid(self) -> int:
        return self.program.pid

    def connect(self) -> Peer:
        """A connection that hasn't said hello."""
        peer = Peer(connected(self.path))
        self.test.addCleanup(peer.close)
        return peer

    def peer(self, name: str = "conformance") -> Peer:
        """A connection that has."""
        peer = self.connect()
        hello(peer, name)
        return peer

    def worker(self, *initializers: Any, name: str = "worker") -> Peer:
        """A connection that has registered initializers, given as names or as declarations."""
        peer = self.peer(name)
        peer.register(*initializers)
        return peer

    def peer_of_another_process(self, user: Optional[int] = None) -> tuple[Optional[Peer], int]:
        """A connection that another process made, of another user if there is one, and that process's id; it lives on.

        None where it could not connect.
        """
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            try:
                ours.close()
                if user is not None:
                    os.setgroups([])
                    os.setgid(user)
                    os.setuid(user)
                with connected(self.path) as stream:
                    socket.send_fds(theirs, [b"x"], [stream.fileno()])
                theirs.recv(1)
            finally:
                os._exit(0)
        theirs.close()

        def end() -> None:
            ours.close()
            os.waitpid(child, 0)

        self.test.addCleanup(end)
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 1)
        if not descriptors:
            return None, child
        peer = Peer(socket.socket(fileno=descriptors[0]))
        self.test.addCleanup(peer.close)
        return peer, child

    def wait_until_up(self) -> None:
        """Connects again and again, until the socket answers."""

        def answers() -> bool:
            status = self.program.process.poll()
            if status is not None:
                self.program.pump()
                raise AssertionError(f"initd ended with {status}: {self.program.err.decode()}")
            with contextlib.suppress(OSError), connected(self.path):
                return True
            return False

        until(answers, "a supervisor at the socket")

    def file(self, name: str) -> str:
        """A path in its directory."""
        return os.path.join(self.directory, name)

    def text(self, name: str) -> str:
        """What a file in its directory holds; empty if there is none."""
        try:
            with open(self.file(name)) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def lines(self, name: str) -> list[str]:
        """The whole lines of a file in its directory."""
        return [line[:-1] for line in self.text(name).splitlines(keepends=True) if line.endswith("\n")]

    def until_lines(self, name: str, count: int = 1) -> list[str]:
        """Polls until that file has so many lines."""
        return until(lambda: len(found := self.lines(name)) >= count and found, f"{count} lines in {name}")

    def ctl(self, *words: str, **options: Any) -> Finished:
        """Runs `initctl` against it to the end."""
        return self.start_ctl(*words, **options).finish()

    def start_ctl(self, *words: str, **options: Any) -> Program:
        """Starts `initctl` against it."""
        return self.test.program([INITCTL, "--socket", self.path, *words], **options)

    def ended(self, deadline: float = DEADLINE) -> int:
        """Waits for its end: its exit status."""
        return self.program.wait(deadline)

    def resident(self) -> int:
        """Its resident memory, in bytes."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def hello(peer: Peer, name: str = "conformance") -> dict[str, Any]:
    """Says hello and returns the result."""
    return peer.ok("hello", protocol=1, client={"name": name, "version": "1"})


class Conformance(unittest.TestCase):
    """A test case that starts processes and leaves none."""

    maxDiff = None

    def setUp(self) -> None:
        self._programs: list[Program] = []
        self._directories: list[str] = []
        self._shown: list[Program] = []
        self.addCleanup(self._clean)

    def directory(self) -> str:
        """A new directory, with a short path: it holds sockets."""
        directory = os.path.realpath(tempfile.mkdtemp(prefix="initd-", dir="/tmp"))
        self._directories.append(directory)
        return directory

    def write(self, path: str, text: str) -> str:
        """Writes a file, its common indentation taken away, and returns its path."""
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def start(self, manifest: Optional[str] = None, *arguments: str, directory: Optional[str] = None, **options: Any) -> Supervisor:
        """A supervisor whose socket answers."""
        supervisor = Supervisor(self, manifest, arguments, directory=directory or self.directory(), **options)
        supervisor.wait_until_up()
        return supervisor

    def manifest(self, initializers: str = "", head: str = FAST) -> str:
        """The text of a manifest with short waits and these initializers."""
        body = textwrap.indent(textwrap.dedent(initializers).strip("\n"), "  ")
        return head + (f"initializers:\n{body}\n" if body else "")

    def start_with(self, initializers: str, *arguments: str, **options: Any) -> Supervisor:
        """A supervisor with these initializers, and short waits."""
        return self.start(self.manifest(initializers), *arguments, **options)

    def start_fast(self, *arguments: str, **options: Any) -> Supervisor:
        """A supervisor without initializers, and with short waits."""
        return self.start(self.manifest(), *arguments, **options)

    def program(self, words: Sequence[str], env: Optional[dict[str, Optional[str]]] = None, **options: Any) -> Program:
        """A process that ends with the test. `env` changes the environment; None takes a name away."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("INITD", "NOTIFY_", "LISTEN_", "WATCHDOG_", "XDG_"))}
        for name, value in (env or {}).items():
            clean.pop(name, None)
            if value is not None:
                clean[name] = value
        try:
            program = Program(list(words), env=clean, **options)
        except FileNotFoundError as error:
            raise AssertionError(f"cannot start {error.filename}: build it first, or set INITD and INITCTL") from None
        self._programs.append(program)
        return program

    def initd(self, *words: str, **options: Any) -> Finished:
        """Runs `initd` to its end."""
        return self.program([INITD, *words], **options).finish()

    def initctl(self, *words: str, **options: Any) -> Finished:
        """Runs `initctl` to its end."""
        return self.program([INITCTL, *words], **options).finish()

    def assertStatus(self, finished: Finished, *expected: int) -> Finished:
        """The exit status is one of these."""
        self.assertIn(finished.status, expected, repr(finished))
        return finished

    def assertNames(self, initializers: Iterable[dict[str, Any]], expected: list[str]) -> None:
        self.assertEqual([each["name"] for each in initializers], expected)

    def assertRuns(self, peer: Peer, expected: list[str]) -> None:
        """The newest pass ran these, in this order."""
        self.assertEqual([run["initializer"] for run in peer.last_pass()["runs"]], expected)

    def failed(self, state: dict[str, Any], code: str, **members: Any) -> dict[str, Any]:
        """The Error of a State that must have failed so."""
        self.assertEqual(state["state"], "failed", state)
        return self.error(state["error"], code, **members)

    def error(self, error: dict[str, Any], code: str, **members: Any) -> dict[str, Any]:
        """An Error that must have this code and these members."""
        self.assertEqual(error["code"], code, error)
        for name, value in members.items():
            self.assertEqual(error.get(name), value, error)
        return error

    def _clean(self) -> None:
        failed = not getattr(self._outcome, "success", True)  # type: ignore[attr-defined]
        for program in reversed(self._programs):
            if INITD in program.words:
                _ask_to_end(program)
            program.end()
        for directory in self._directories:
            _kill_children_of(directory)
            shutil.rmtree(directory, ignore_errors=True)
        if failed:
            for program in self._shown + self._programs:
                program.pump()
                print(f"\n--- {self.id()}: {' '.join(program.words)}", file=sys.stderr)
                print(program.err.decode("utf-8", "replace")[-8000:].rstrip(), file=sys.stderr)


class SharedConformance(Conformance):
    """A test case whose tests share one supervisor, `self.supervisor`: for what must not harm it."""

    arguments: Sequence[str] = ()
    text: Optional[str] = None

    @classmethod
    def setUpClass(cls) -> None:
        cls._owner = Conformance()
        cls._owner.setUp()
        cls.addClassCleanup(cls._owner.doCleanups)
        cls._shared = cls._owner.start(cls.text, *cls.arguments)

    def setUp(self) -> None:
        super().setUp()
        self.supervisor = self._shared
        self.supervisor.test = self
        self._shown.append(self.supervisor.program)


def _ask_to_end(program: Program) -> None:
    """Signals a supervisor until it has ended, so that it ends its children; not for ever."""
    end = time.monotonic() + 3
    while program.process.poll() is None and time.monotonic() < end:
        program.signal(signal.SIGTERM)
        program.pump()
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.process.wait(0.1)


def _kill_children_of(directory: str) -> None:
    """Kills what a supervisor of that directory left behind, known by its `INITD_SOCKET`."""
    mark = f"INITD_SOCKET={directory}/".encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark in file.read():
                        os.kill(int(entry), signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Whether a process is there and not a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
