"""A separate directory with the built programs on PATH; its supervisors end with it."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable

from markdown import ROOT

sys.path.insert(0, str(ROOT / "Tests/Conformance"))

DEADLINE = 30.0
"""How long an expected result may take before a check fails, in seconds."""


def _program(variable: str, name: str) -> pathlib.Path:
    return pathlib.Path(os.environ.get(variable) or ROOT / ".build/debug" / name).absolute()


INITD = _program("INITD", "initd")
INITCTL = _program("INITCTL", "initctl")
LIBRARY_EXAMPLE = _program("LIBRARY_EXAMPLE", "library-example")
EMBEDDED_EXAMPLE = _program("EMBEDDED_EXAMPLE", "embedded-example")
WORKER_EXAMPLE = _program("WORKER_EXAMPLE", "worker-example")


class World:
    """A temporary directory, the environment of a user who has installed the programs, and the processes started there."""

    def __init__(self) -> None:
        # A short path, because it contains sockets.
        self.directory = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="docs-", dir="/tmp")))
        self.socket = self.directory / "initd.sock"
        programs = self.directory / "bin"
        programs.mkdir()
        (programs / "initd").symlink_to(INITD)
        (programs / "initctl").symlink_to(INITCTL)
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("INITD", "NOTIFY_", "LISTEN_", "WATCHDOG_", "XDG_"))}
        self.environment = inherited | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "clients/python"),
            "INITD_SOCKET": str(self.socket),
            "XDG_RUNTIME_DIR": str(self.directory),
            "NO_COLOR": "1",
            "PYTHONUNBUFFERED": "1",
        }
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(3)
            # Processes that a shell left in the background are in its group.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        shutil.rmtree(self.directory, ignore_errors=True)

    def write(self, name: str, text: str) -> pathlib.Path:
        """Writes a file in its directory."""
        path = self.directory / name
        path.write_text(text)
        return path

    def start(self, *words: Any, **options: Any) -> subprocess.Popen[str]:
        """Starts a program that ends with this world."""
        process = subprocess.Popen(
            [str(word) for word in words],
            cwd=self.directory,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **options,
        )
        self._processes.append(process)
        return process

    def run(self, *words: Any) -> tuple[int, str, str]:
        """Runs a program until it ends: returns exit status, standard output, standard error."""
        process = self.start(*words)
        try:
            out, err = process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            raise AssertionError(f"{words} didn't end within {DEADLINE} s\n{out}{err}") from None
        return process.returncode, out, err

    def succeeds(self, *words: Any) -> str:
        """Runs a program that must end with status 0: its standard output."""
        status, out, err = self.run(*words)
        assert status == 0, f"{words} ended with {status}\n{out}{err}"
        return out

    def supervise(self, *options: Any) -> subprocess.Popen[str]:
        """Starts a supervisor at the socket, and waits until it answers."""
        # The log would fill a pipe that isn't read; errors are enough to find out why the supervisor ended.
        process = self.start(INITD, "--log-level", "error", *options)
        until(lambda: process.poll() is not None or self.answers(), "a supervisor at the socket")
        assert process.poll() is None, f"initd {options} ended: {process.communicate()[1]}"
        return process

    def answers(self) -> bool:
        """Whether a supervisor answers at the socket."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as stream:
            stream.connect(str(self.socket))
            return True
        return False


def until(condition: Callable[[], Any], what: str) -> Any:
    """Polls `condition` until it is true, and returns it."""
    end = time.monotonic() + DEADLINE
    while not (value := condition()):
        assert time.monotonic() < end, f"{what}: not within {DEADLINE} s"
        time.sleep(0.01)
    return value
