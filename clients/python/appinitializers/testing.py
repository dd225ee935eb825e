"""Starts a supervisor for tests, and always stops it.

    import appinitializers.testing

    with appinitializers.testing.supervisor("ci.yaml") as app:
        urlopen(f"http://127.0.0.1:{app.port('web')}/")

`initd` and `initctl` must be installed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sysconfig
import tempfile
import time
import warnings
from typing import Any, Iterator, Mapping, Optional, Sequence, Union

from .client import Client
from .socket_path import Path

__all__ = ["App", "StartFailed", "supervisor"]

_STOP = 60.0
"""How long a shutdown may take before everything is killed, in seconds."""

_INHERITED = ("INITD_", "NOTIFY_", "LISTEN_", "WATCHDOG_")
"""The prefixes of variables that belong to a supervisor of the tests themselves."""

_GUARD = """
directory=$1
shift
"$@" </dev/null 2>"$directory/log" &
exec >/dev/null
cat
kill "$!"
wait "$!"
status=$?
rm -rf "$directory"
exit "$status"
"""
"""Runs the supervisor until standard input ends, as it does when this process ends, however it ends. Then stops it, and removes its files.

Only the supervisor and its app keep standard output open: if it ends before the environment of the app is complete, the start has failed.
"""

_APP = r"env -0; printf '\000'; exec sleep 1000000000"
"""The app, which is started once everything is ready, writes its environment: it has the ports and the outputs."""


class StartFailed(AssertionError):
    """The supervisor can't be started, or the app isn't ready. The message says why, with the output of what failed."""


class App:
    """An app that is ready.

    `socket` is the path of the supervisor's socket, `client` a connected `Client`. `environment` is the environment of a program that needs
    the app: that of the supervisor, with `INITD_SOCKET`, the ports and the outputs.
    """

    def __init__(self, client: Client, environment: Mapping[str, str]) -> None:
        self.client = client
        self.environment = dict(environment)
        self.socket = self.environment["INITD_SOCKET"]

    def port(self, name: str) -> int:
        """The number of a port of the manifest. Raises `LookupError` if there is no such port."""
        return int(self._variable("port", name, _variable("PORT", name)))

    def output(self, name: str) -> Any:
        """The output that an initializer had when the app became ready. Raises `LookupError` if it had none."""
        return json.loads(self._variable("output", name, _variable("INPUT", name) + "_JSON"))

    def log(self, name: str) -> str:
        """What an initializer or a process has written so far. Raises `UnknownInitializer`."""
        return "".join(f"{line['line']}\n" for line in self.client.logs(name, 10_000))

    def _variable(self, noun: str, name: str, variable: str) -> str:
        if variable not in self.environment:
            raise LookupError(f"the app has no {noun} {name!r}: its environment has no {variable}")
        return self.environment[variable]


@contextlib.contextmanager
def supervisor(
    manifest: Path,
    *,
    timeout: float = 60.0,
    env: Optional[Mapping[str, str]] = None,
    only: Union[str, Sequence[str]] = (),
    state_directory: Optional[Path] = None,
    programs: Optional[Path] = None,
) -> Iterator[App]:
    """Starts a supervisor of this manifest, activates the app, waits until it is ready, and stops everything at the end of the block.

    The socket, and by default the state directory, are in a temporary directory, so several supervisors can run at once.

    - `timeout`: how long the start may take, in seconds.
    - `env`: variables in addition to those of this process.
    - `only`: the initializers and processes to run, with everything that they need; by default all.
    - `state_directory`: a directory that is kept, so the next start doesn't repeat the launch initializers that have completed.
    - `programs`: the directory of `initd` and `initctl`; by default they are those beside this Python, else those in `PATH`.

    Raises `StartFailed`, an `AssertionError`.
    """
    __tracebackhide__ = True  # In pytest, the traceback ends at the caller.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_INHERITED)}
    environment.update(env or {})
    initd, initctl = (_program(name, programs, environment) for name in ("initd", "initctl"))
    names = [only] if isinstance(only, str) else only
    options = [word for name in names for word in ("--only", name)]
    running = _Running(os.fspath(manifest), initd, initctl, options, state_directory, environment)
    try:
        found = running.wait_until_ready(timeout)
        with Client(found["INITD_SOCKET"]) as client:
            yield App(client, found)
    finally:
        running.stop()


class _Running:
    """A supervisor and its temporary directory, until `stop`."""

    def __init__(
        self, manifest: str, initd: str, initctl: str, options: list[str], state: Optional[Path], environment: dict[str, str]
    ) -> None:
        self._manifest = manifest
        self._initctl = initctl
        self._environment = environment
        self._directory = tempfile.mkdtemp(prefix="initd-")
        self._socket = os.path.join(self._directory, "socket")
        self._state = os.path.join(self._directory, "state") if state is None else os.fspath(state)
        words = [initd, "--config", manifest, "--socket", self._socket, "--state-directory", self._state, *options]
        self._guard = subprocess.Popen(
            ["/bin/sh", "-c", _GUARD, "sh", self._directory, *words, "--", "/bin/sh", "-c", _APP],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Otherwise Ctrl-C would interrupt the supervisor, too.
        )

    def wait_until_ready(self, timeout: float) -> dict[str, str]:
        """The environment of the app. Raises `StartFailed`."""
        __tracebackhide__ = True
        assert self._guard.stdout
        end = time.monotonic() + timeout
        told = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._guard.stdout, selectors.EVENT_READ)
            while not told.endswith(b"\0\0"):
                if not selector.select(max(0.0, end - time.monotonic())):
                    raise self._late(timeout)
                part = os.read(self._guard.stdout.fileno(), 1 << 16)
                if not part:
                    raise self._ended()
                told += part
        entries = (os.fsdecode(entry).partition("=") for entry in told[:-2].split(b"\0"))
        return {name: value for name, _, value in entries}

    def stop(self) -> int:
        """Stops the supervisor, and returns its exit status. After a minute, or if it is interrupted, kills everything."""
        assert self._guard.stdin and self._guard.stdout
        self._guard.stdin.close()
        try:
            return self._guard.wait(_STOP)
        except BaseException as error:
            os.killpg(self._guard.pid, signal.SIGKILL)
            status = self._guard.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            warnings.warn(f"the supervisor of {self._manifest} hasn't stopped within {_STOP:g} s, and was killed", stacklevel=2)
            return status
        finally:
            self._guard.stdout.close()
            shutil.rmtree(self._directory, ignore_errors=True)  # The guard has removed it, unless it was killed.

    def _late(self, timeout: float) -> StartFailed:
        """The error for an app that isn't ready in time, with what the supervisor says about it."""
        why = self._explained("--socket", self._socket, "--connect-timeout", "10s")
        self.stop()
        return StartFailed(f"{self._manifest}: the app isn't ready after {timeout:g} s\n{why}")

    def _ended(self) -> StartFailed:
        """The error for a supervisor that has ended, with what it has recorded, or its log if it hasn't started anything."""
        why = self._explained("--state-directory", self._state)
        with open(os.path.join(self._directory, "log"), errors="replace") as file:
            log = file.read()
        status = self.stop()
        if status == 1:
            return StartFailed(f"{self._manifest}: the start has failed\n{why}")
        return StartFailed(f"{self._manifest}: initd has ended with status {status}\n{log}")

    def _explained(self, *source: str) -> str:
        """The tree of `initctl why`, and the output of what has failed, unless all of it is in the tree."""
        why = self._said("why", *source)
        failed = self._said("logs", "--failed", *source) if why else ""
        shown = {line.strip() for line in why.splitlines()}
        return why if shown.issuperset(failed.splitlines()) else f"{why}The last lines of what failed:\n{failed}"

    def _said(self, *words: str) -> str:
        said = subprocess.run([self._initctl, *words], env=self._environment, stdin=subprocess.DEVNULL, capture_output=True)
        return said.stdout.decode(errors="replace")


def _variable(kind: str, name: str) -> str:
    """The variable in which a program gets a port (kind PORT) or an output (kind INPUT)."""
    return f"INITD_{kind}_{re.sub('[^A-Z0-9]', '_', name.upper())}"


def _program(name: str, directory: Optional[Path], environment: Mapping[str, str]) -> str:
    """The path of `initd` or `initctl`. Raises `StartFailed`."""
    __tracebackhide__ = True
    places = [os.fspath(directory)] if directory is not None else [sysconfig.get_path("scripts"), environment.get("PATH", os.defpath)]
    found = shutil.which(name, path=os.pathsep.join(places))
    if found is None:
        where = places[0] if directory is not None else f"{places[0]} and in PATH"
        raise StartFailed(f"cannot find {name} in {where}: install it as INSTALL.md of AppInitializers says, or pass programs=DIRECTORY")
    return os.path.abspath(found)
