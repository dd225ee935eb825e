"""The harness: real `initd` and `initctl` processes, driven from outside.

It uses only the documented contract, and shares no code with any client. `Conformance` is the base class of test cases:
it starts supervisors, ends and reaps everything at teardown, and shows the logs if a test failed.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from typing import Any, Iterable, Optional, Sequence

from deadlines import DEADLINE, until
from peer import Peer, connected, hello
from program import Finished, Program

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INITD = os.path.abspath(os.environ.get("INITD") or os.path.join(ROOT, ".build/debug/initd"))
INITCTL = os.path.abspath(os.environ.get("INITCTL") or os.path.join(ROOT, ".build/debug/initctl"))

FAST = """\
version: 1
cancelGrace: 300ms
registrationTimeout: 500ms
"""
"""The beginning of a manifest with short timeouts."""


class Supervisor:
    """An `initd` in its own directory, with the manifest `init.yaml` there if there is one."""

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
        """A connection before hello."""
        peer = Peer(connected(self.path))
        self.test.addCleanup(peer.close)
        return peer

    def peer(self, name: str = "conformance") -> Peer:
        """A connection after hello."""
        peer = self.connect()
        hello(peer, name)
        return peer

    def worker(self, *initializers: Any, name: str = "worker") -> Peer:
        """A connection that has registered initializers, given as names or as declarations."""
        peer = self.peer(name)
        peer.register(*initializers)
        return peer

    def peer_of_another_process(
        self, user: Optional[int] = None, groups: Sequence[int] = (), path: Optional[str] = None
    ) -> tuple[Optional[Peer], int]:
        """A connection of another process, of another user if given, and that process's id; the process keeps running.

        Returns None if the client couldn't connect.
        """
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            try:
                ours.close()
                if user is not None:
                    os.setgroups(list(groups))
                    os.setgid(user)
                    os.setuid(user)
                with connected(path or self.path) as stream:
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

    def peers_of_another_user(self, user: int, count: int) -> list[Peer]:
        """Connections of one process of another user, which has ended."""
        ours, theirs = socket.socketpair()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
                for _ in range(count):
                    with connected(self.path) as stream:
                        socket.send_fds(theirs, [b"x"], [stream.fileno()])
            finally:
                os._exit(0)
        theirs.close()
        peers = []
        while descriptors := socket.recv_fds(ours, 1, 1)[1]:
            peers.append(Peer(socket.socket(fileno=descriptors[0])))
            self.test.addCleanup(peers[-1].close)
        ours.close()
        os.waitpid(child, 0)
        return peers

    def wait_until_up(self) -> None:
        """Tries to connect until the socket answers."""

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
        """Returns a path in the supervisor's directory."""
        return os.path.join(self.directory, name)

    def text(self, name: str) -> str:
        """Returns the contents of a file in its directory; empty if there is none."""
        try:
            with open(self.file(name)) as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def lines(self, name: str) -> list[str]:
        """Returns the complete lines of a file in the supervisor's directory."""
        return [line[:-1] for line in self.text(name).splitlines(keepends=True) if line.endswith("\n")]

    def until_lines(self, name: str, count: int = 1) -> list[str]:
        """Polls until that file has this many lines."""
        return until(lambda: len(found := self.lines(name)) >= count and found, f"{count} lines in {name}")

    def ctl(self, *words: str, **options: Any) -> Finished:
        """Runs `initctl` for the supervisor to the end."""
        return self.start_ctl(*words, **options).finish()

    def start_ctl(self, *words: str, **options: Any) -> Program:
        """Starts `initctl` for the supervisor."""
        return self.test.program([INITCTL, "--socket", self.path, *words], **options)

    def ended(self, deadline: float = DEADLINE) -> int:
        """Waits until the supervisor ends, and returns its exit status."""
        return self.program.wait(deadline)

    def resident(self) -> int:
        """Returns the supervisor's resident memory, in bytes."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Conformance(unittest.TestCase):
    """A test case that starts processes and ends all of them."""

    maxDiff = None

    def setUp(self) -> None:
        self._programs: list[Program] = []
        self._directories: list[str] = []
        self._shown: list[Program] = []
        self.addCleanup(self._clean)

    def directory(self) -> str:
        """A new directory with a short path, because it contains sockets."""
        directory = os.path.realpath(tempfile.mkdtemp(prefix="initd-", dir="/tmp"))
        self._directories.append(directory)
        return directory

    @functools.cached_property
    def _runtime(self) -> str:
        """A runtime directory of the test's own: in the user's, initctl would find the supervisors of other tests."""
        return self.directory()

    def write(self, path: str, text: str) -> str:
        """Writes a file without its common indentation, and returns its path."""
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def start(self, manifest: Optional[str] = None, *arguments: str, directory: Optional[str] = None, **options: Any) -> Supervisor:
        """A supervisor whose socket answers."""
        supervisor = Supervisor(self, manifest, arguments, directory=directory or self.directory(), **options)
        supervisor.wait_until_up()
        return supervisor

    def manifest(self, initializers: str = "", head: str = FAST) -> str:
        """The text of a manifest with short timeouts and these initializers."""
        body = textwrap.indent(textwrap.dedent(initializers).strip("\n"), "  ")
        return head + (f"initializers:\n{body}\n" if body else "")

    def start_with(self, initializers: str, *arguments: str, **options: Any) -> Supervisor:
        """A supervisor with these initializers, and short timeouts."""
        return self.start(self.manifest(initializers), *arguments, **options)

    def start_fast(self, *arguments: str, **options: Any) -> Supervisor:
        """A supervisor without initializers, and with short timeouts."""
        return self.start(self.manifest(), *arguments, **options)

    def program(self, words: Sequence[str], env: Optional[dict[str, Optional[str]]] = None, **options: Any) -> Program:
        """Starts a process that ends with the test. `env` changes the environment; None removes a variable."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("INITD", "NOTIFY_", "LISTEN_", "WATCHDOG_", "XDG_"))}
        clean["XDG_RUNTIME_DIR"] = self._runtime
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
        """Runs `initd` until it ends."""
        return self.program([INITD, *words], **options).finish()

    def initctl(self, *words: str, **options: Any) -> Finished:
        """Runs `initctl` until it ends."""
        return self.program([INITCTL, *words], **options).finish()

    def assertStatus(self, finished: Finished, *expected: int) -> Finished:
        """Asserts that the exit status is one of these."""
        self.assertIn(finished.status, expected, repr(finished))
        return finished

    def assertNames(self, initializers: Iterable[dict[str, Any]], expected: list[str]) -> None:
        self.assertEqual([each["name"] for each in initializers], expected)

    def assertRuns(self, peer: Peer, expected: list[str]) -> None:
        """Asserts that the last pass ran these initializers, in this order."""
        self.assertEqual([run["initializer"] for run in peer.last_pass()["runs"]], expected)

    def end_run(self, run: Any, outcome: str, peer: Peer) -> None:
        """Ends the run of an active pass as a pass can end: complete, failed, or cancelled by `deactivate`."""
        if outcome == "complete":
            run.succeed()
        elif outcome == "failed":
            run.fail()
        else:
            peer.ok("deactivate")
            run.stopped()

    def failed(self, state: dict[str, Any], code: str, **members: Any) -> dict[str, Any]:
        """Asserts that a State has failed with this Error."""
        self.assertEqual(state["state"], "failed", state)
        return self.error(state["error"], code, **members)

    def error(self, error: dict[str, Any], code: str, **members: Any) -> dict[str, Any]:
        """Asserts that an Error has this code and these members."""
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
    """A test case whose tests share one supervisor, `self.supervisor`; they must not change it permanently."""

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
    """Signals a supervisor until it has ended, up to a deadline, so it can end its children."""
    end = time.monotonic() + 3
    while program.process.poll() is None and time.monotonic() < end:
        program.signal(signal.SIGTERM)
        program.pump()
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.process.wait(0.1)


def _kill_children_of(directory: str) -> None:
    """Kills the processes that a supervisor of that directory left behind, identified by `INITD_SOCKET`."""
    mark = f"INITD_SOCKET={directory}/".encode()
    for entry in os.listdir("/proc"):
        if entry.isdigit() and int(entry) != os.getpid():
            with contextlib.suppress(OSError):
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if mark in file.read():
                        os.kill(int(entry), signal.SIGKILL)


def is_running(pid: int) -> bool:
    """Whether a process exists and isn't a zombie."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
