"""A process with pipes that are read with deadlines, and its exit status."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from typing import Any, Optional, Sequence

import shapes
from deadlines import DEADLINE, until


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
        """Reads all available output."""
        while not self._ended and self._open.get_map() and self._open.select(0):
            self._pump(time.monotonic() + 1)

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def close_out(self) -> None:
        """Stops reading the program's standard output, as `head` does after its last line."""
        self._close(self.process.stdout)

    def close_err(self) -> None:
        """Stops reading the program's standard error."""
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
        """Waits only for the end of the process: other processes may hold its pipes."""
        return until(lambda: self._reaped(), f"the end of {self.words}; err {self.err!r}", deadline)[0]

    def _reaped(self) -> Optional[tuple[int]]:
        self.pump()
        status = self.process.poll()
        return None if status is None else (status,)

    def end(self) -> None:
        """Kills the program, if it still runs, and reaps it."""
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
    """The exit status of a program, and its output."""

    def __init__(self, words: Sequence[str], status: int, out: str, err: str) -> None:
        self.words, self.status, self.out, self.err = words, status, out, err

    def json(self) -> list[Any]:
        """Standard output, parsed as one JSON value per line."""
        return [shapes.loads(line.encode()) for line in self.out.splitlines()]

    def __repr__(self) -> str:
        return f"{' '.join(self.words[1:])!r} ended with {self.status}\nout: {self.out}\nerr: {self.err}"
