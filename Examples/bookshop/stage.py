"""The environment of the demo: a directory, processes, and their end.

Rule 1. Everything ends with the stage, however the demo ends: the processes, processes that they left behind
(orphans become children of this process), and the directory.
Rule 2. No step waits for a fixed time: it waits for a line of `initctl watch`, an exit or an answer. `PATIENCE` is the
maximum time before the demo fails.
Rule 3. An unexpected result is an `Upset`, which ends the demo.
"""

from __future__ import annotations

import ctypes
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from types import FrameType
from typing import Optional, Sequence

PATIENCE = 20.0
"""The maximum time of each wait, in seconds."""

GRACE = 5.0
"""How long a process may take to exit after SIGTERM before it is killed, in seconds."""

_PR_SET_CHILD_SUBREAPER = 36
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Upset(Exception):
    """A step had an unexpected result."""


class Interrupted(BaseException):
    """A signal interrupted the demo."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class Stage:
    """Between `open` and `close`, signals become `Interrupted`; `close` cleans up, even if `open` was interrupted."""

    def __init__(self) -> None:
        self._processes: list[subprocess.Popen[str]] = []
        self._readers: list[threading.Thread] = []
        self._printing = threading.Lock()
        self.directory: Optional[pathlib.Path] = None
        """The directory for all files of the demo."""
        self.environment = dict(os.environ)
        """The environment of every process."""

    def open(self) -> None:
        """Creates the directory."""
        for number in _SIGNALS:
            signal.signal(number, _interrupt)
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="bookshop-"))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def close(self) -> None:
        """Ends the processes, the last one first, and removes the directory."""
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # The program is about to end.
        for process in reversed(self._processes):
            self.end(process)
        self._bury_orphans()
        for reader in self._readers:
            reader.join()
        if self.directory is not None:
            shutil.rmtree(self.directory)

    # Output

    def say(self, line: str = "") -> None:
        """Prints a whole line at once."""
        with self._printing:
            print(line, flush=True)

    # Processes

    def start(self, argv: Sequence[str | pathlib.Path], prefix: str, lines: Optional[Lines] = None) -> subprocess.Popen[str]:
        """Starts a process in its own group, so only this process gets signals from the keyboard.

        Its output is printed after `prefix`, and also goes to `lines`.
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
                    pass  # The output has no reader any more: the next line of the demo reports it.
                if lines is not None:
                    lines.put(line.rstrip())
        if lines is not None:
            lines.finish()

    def end(self, process: subprocess.Popen[str]) -> int:
        """Ends a process and its group with SIGTERM, or else SIGKILL, and returns its exit status (−n for the signal n)."""
        if process.poll() is None:
            process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return process.returncode

    def kill(self, process: subprocess.Popen[str]) -> None:
        """Kills a process, to simulate a crash."""
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
        """The command lines of all remaining descendants of this process."""
        return [" ".join(_arguments(child)) for child in _children()]

    def _bury_orphans(self) -> None:
        """Kills all remaining descendants of this process, level by level."""
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
        """Runs a command until it ends, prints its name and output, and checks its exit status. Returns the output of the command."""
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

    def ask(self, port: str, method: str, path: str, body: bytes = b"") -> None:
        """Sends a request to a port of this machine; an answer that isn't 200 is an `Upset`."""
        request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=body, method=method)
        try:
            urllib.request.urlopen(request, timeout=PATIENCE).close()
        except OSError as error:
            raise Upset(f"{method} {path} failed: {error}") from None


class Lines:
    """The lines of a process, for a reader that waits for one of them.

    The threads use a `SimpleQueue`: unlike a `Condition`, it stays valid if a signal's exception interrupts `get`.
    """

    def __init__(self) -> None:
        self._coming: queue.SimpleQueue[Optional[str]] = queue.SimpleQueue()
        self._lines: list[str] = []
        self._finished = False

    def put(self, line: str) -> None:
        """Adds a line."""
        self._coming.put(line)

    def finish(self) -> None:
        """Reports that there are no further lines."""
        self._coming.put(None)

    def forget(self) -> None:
        """Discards the lines so far, so only later lines match."""
        while not self._coming.empty():
            self._take(0)
        self._lines.clear()

    def expect(self, *fragments: str) -> None:
        """Waits for a line that contains all of `fragments`, in this order, among the lines that weren't discarded."""
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
        return []  # The process has ended in the meantime.


def _children() -> list[int]:
    """The processes whose parent is this one."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue  # The process has ended in the meantime.
        if int(parent) == os.getpid():
            found.append(int(path.parent.name))
    return found
