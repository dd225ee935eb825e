"""The stage that the story of `run` plays on: a directory, a port, processes, and an end to all of them.

Rule 1. What was started ends with the stage, whichever way the story goes: the processes, what they may have left behind
        (orphans become this process's children), the directory.
Rule 2. Nothing is awaited by the clock: a line of `initctl watch`, an exit or an answer is awaited, and `PATIENCE` is how
        long a wait may last before the story counts as stuck.
Rule 3. What doesn't turn out as told is an `Upset`, and ends the story.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request
from types import FrameType
from typing import Optional, Sequence

PATIENCE = 20.0
"""How long anything that is awaited may take, in seconds."""

GRACE = 5.0
"""How long a process that was told to end may take before it is killed, in seconds."""

_PR_SET_CHILD_SUBREAPER = 36
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Upset(Exception):
    """The story didn't turn out as told."""


class Interrupted(BaseException):
    """Somebody wants an end, by a signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Stage:
    """Between `open` and `close` signals become `Interrupted`; `close` clears everything away, however far `open` came."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        self._port = socket.socket()
        self._printing = threading.Lock()
        self.directory: Optional[pathlib.Path] = None
        """Where everything is that the story writes."""
        self.environment = dict(os.environ)
        """What every process gets to see."""

    def open(self) -> None:
        """Makes the directory and finds the port."""
        for number in _SIGNALS:
            signal.signal(number, _interrupt)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bookshop-"))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        # Bound, but never listening: nobody else gets the port, and who connects is refused until the office listens.
        self._port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._port.bind(("127.0.0.1", 0))
        self.port: int = self._port.getsockname()[1]

    def close(self) -> None:
        """Ends the processes, last come, first gone, and takes the directory away."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # It is ending, and soon.
        for process in reversed(self._processes):
            self.end(process)
        self._bury_orphans()
        for reader in self._readers:
            reader.join()
        self._port.close()
        if self.directory is not None:
            shutil.rmtree(self.directory)

    # Words

    def say(self, line: str = "") -> None:
        """Prints a line, whole."""
        with self._printing:
            print(line, flush=True)

    # Processes

    def start(self, argv: Sequence[str | pathlib.Path], prefix: str, lines: Optional[Lines] = None) -> subprocess.Popen[str]:
        """Starts a process in a group of its own, so that a key pressed here is this process's alone.

        What it writes is printed behind `prefix`, and goes to `lines`, too.
        """
        try:
            process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                errors="replace", env=self.environment, process_group=0,
            )
        except OSError as error:
            raise Upset(f"cannot start {argv[0]}: {error.strerror}; make demo builds it") from None
        self._processes.append(process)
        reader = threading.Thread(target=self._pass_on, args=(process, prefix, lines), daemon=True)
        reader.start()
        self._readers.append(reader)
        return process

    def _pass_on(self, process: subprocess.Popen[str], prefix: str, lines: Optional[Lines]) -> None:
        assert process.stdout is not None
        with process.stdout as output:
            for line in output:
                try:
                    self.say(f"{prefix:>10} | {line.rstrip()}")
                except (OSError, ValueError):
                    pass  # Nobody reads any more: the next line of the story tells.
                if lines is not None:
                    lines.put(line.rstrip())
        if lines is not None:
            lines.finish()

    def end(self, process: subprocess.Popen[str]) -> int:
        """Ends a process and its group, gently if that works, and gives its exit status (−n for the signal n)."""
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return process.returncode

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Ends a process as a crash does."""
        process.kill()
        process.wait()

    def expect_end(self, process: subprocess.Popen[str], what: str) -> None:
        """Waits until a process has ended by itself, with status 0."""
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Upset(f"{what} did not end within {PATIENCE:.0f} s") from None
        if status != 0:
            raise Upset(f"{what} ended with status {status}, not 0")

    def left_behind(self) -> list[str]:
        """What still runs below this process, by its command line."""
        return [" ".join(_arguments(child)) for child in _children()]

    def _bury_orphans(self) -> None:
        """Kills what is left below this process, level by level, until there is nothing."""
        until = time.monotonic() + GRACE
        while time.monotonic() < until:
            for orphan in _children():
                os.kill(orphan, signal.SIGKILL)
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return

    # Commands and requests, one at a time

    def command(self, argv: Sequence[str | pathlib.Path], shown: str, status: int = 0) -> str:
        """Runs a command to its end, prints its name and what it wrote, and checks its exit status. What it wrote."""
        self.say(f"$ {shown}")
        try:
            done = subprocess.run(
                argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8",
                errors="replace", env=self.environment, timeout=PATIENCE,
            )
        except OSError as error:
            raise Upset(f"cannot start {argv[0]}: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise Upset(f"{shown} did not end within {PATIENCE:.0f} s") from None
        for line in done.stdout.splitlines():
            self.say(f"  {line}")
        if done.returncode != status:
            raise Upset(f"{shown} ended with status {done.returncode}, not {status}")
        return done.stdout

    def ask(self, method: str, path: str, body: bytes = b"") -> None:
        """Sends a request to the port; an answer that isn't 200 is an `Upset`."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data=body, method=method)
        try:
            urllib.request.urlopen(request, timeout=PATIENCE).close()
        except OSError as error:
            raise Upset(f"{method} {path} failed: {error}") from None


class Lines:
    """The lines of a process, as they come, for who waits for one.

    A `SimpleQueue` between the threads: a signal's exception in the midst of `get` leaves it whole, as it wouldn't a `Condition`.
    """

    def __init__(self) -> None:
        self._coming: queue.SimpleQueue[Optional[str]] = queue.SimpleQueue()
        self._lines: list[str] = []
        self._finished = False

    def put(self, line: str) -> None:
        """A line has come."""
        self._coming.put(line)

    def finish(self) -> None:
        """No further line will come."""
        self._coming.put(None)

    def forget(self) -> None:
        """What came until now is not what is awaited next."""
        while not self._coming.empty():
            self._take(0)
        self._lines.clear()

    def expect(self, *fragments: str) -> None:
        """Waits until there is a line that holds all of `fragments`, in this order, among those not forgotten."""
        until = time.monotonic() + PATIENCE
        wanted = " … ".join(fragments)
        while not any(_holds(line, fragments) for line in self._lines):
            if self._finished:
                raise Upset(f'the lines ended without "{wanted}"')
            try:
                self._take(max(0, until - time.monotonic()))
            except queue.Empty:
                raise Upset(f'no line "{wanted}" came within {PATIENCE:.0f} s') from None

    def _take(self, patience: float) -> None:
        line = self._coming.get(timeout=patience)
        if line is None:
            self._finished = True
        else:
            self._lines.append(line)


def _interrupt(number: int, _: Optional[FrameType]) -> None:
    raise Interrupted(number)


def _holds(line: str, fragments: Sequence[str]) -> bool:
    start = 0
    for fragment in fragments:
        start = line.find(fragment, start)
        if start < 0:
            return False
        start += len(fragment)
    return True


def _arguments(process: int) -> list[str]:
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_text(errors="replace").split("\0")[:-1]
    except OSError:
        return []  # It has ended meanwhile.


def _children() -> list[int]:
    """The processes whose parent is this one."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue  # It has ended meanwhile.
        if int(parent) == os.getpid():
            found.append(int(path.parent.name))
    return found
