"""A process that is started again when it has ended, and the faults that it can suffer: it is killed, asked to end, or stopped for a while."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import Callable, Collection, Optional, Sequence

from history import History

FOREVER = float("inf")
INSISTS_AFTER = 0.3
"""When the second signal follows the first one, if a process is asked twice."""
CRASHES = frozenset({-signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGFPE, -signal.SIGSEGV})
"""The exit statuses of a process that has crashed: no fault is an excuse for that."""


class Kept:
    """A process that is kept running. `tick` performs the actions that are due; it is called every few milliseconds."""

    def __init__(
        self, history: History, host: str, role: str, words: Callable[[], Sequence[str]], environment: Callable[[], dict[str, str]],
        log: str, may_end_with: Collection[int] = (),
    ) -> None:
        """`may_end_with`: exit statuses with which it may end without a signal; with others, the history gets `unexpected`."""
        self.history, self.host, self.role, self.log = history, host, role, log
        self._words, self._environment, self._may_end_with = words, environment, may_end_with
        self.process: Optional[subprocess.Popen[bytes]] = None
        self.started = 0.0
        self.down_until = 0.0
        self._stopped_until: Optional[float] = None
        self._is_expected = False
        self._insists_at: Optional[float] = None

    @property
    def runs(self) -> bool:
        """Whether the process runs, even if it is stopped."""
        return self.process is not None and self.process.poll() is None

    def tick(self) -> None:
        """Continues the process, notices when it has ended, and starts it again."""
        now = time.monotonic()
        if self._stopped_until is not None and now >= self._stopped_until:
            self.proceed()
        if self.process is not None and self.process.poll() is not None:
            self._ended()
        if self._insists_at is not None and now >= self._insists_at:
            self._insist()
        if self.process is None and now >= self.down_until:
            self._start()

    def _start(self) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self._words(), env=self._environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._is_expected = False
        self.started = time.monotonic()
        self.history.record("started", self.started, host=self.host, role=self.role)

    def _ended(self) -> None:
        assert self.process is not None
        status = self.process.returncode
        expected = status not in CRASHES and (self._is_expected or status in self._may_end_with)
        says = {} if expected else {"says": self._last_words()}
        self.history.record("exited", host=self.host, role=self.role, status=status, expected=expected, **says)
        self.process, self._stopped_until, self._insists_at = None, None, None
        if not self._is_expected:
            self.down_until = time.monotonic() + 0.3

    def _last_words(self) -> str:
        """Returns the end of the process's log."""
        with open(self.log, errors="replace") as file:
            return file.read()[-500:].strip()

    def kill(self, until: float = 0) -> None:
        """Kills the process, which is started again at that time."""
        self.down_until = until
        if self.runs:
            self._is_expected = True
            self.history.record("killed", host=self.host, role=self.role)
            self._signal(signal.SIGKILL)

    def terminate(self, until: float = 0, twice: bool = False) -> None:
        """Asks the process to exit, after which it is restarted, at that time at the earliest.

        If it is asked twice, SIGINT follows SIGTERM, as from an impatient user.
        """
        if self.runs:
            self.down_until = max(self.down_until, until)
            self._is_expected = True
            self.history.record("asked", host=self.host, role=self.role)
            self._signal(signal.SIGTERM)
            if twice:
                self._insists_at = time.monotonic() + INSISTS_AFTER

    def _insist(self) -> None:
        self._insists_at = None
        if self.runs:
            self.history.record("insisted", host=self.host, role=self.role)
            self._signal(signal.SIGINT)

    def stop(self, until: float) -> None:
        """Stops the process with SIGSTOP until that time."""
        if self.runs and self._stopped_until is None:
            self.history.record("stopped", host=self.host, role=self.role)
            self._stopped_until = until
            self._signal(signal.SIGSTOP)

    def proceed(self) -> None:
        """Continues the process, if it is stopped."""
        if self._stopped_until is not None:
            self._signal(signal.SIGCONT)
            self._stopped_until = None
            self.history.record("continued", host=self.host, role=self.role)

    def _signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def heal(self) -> None:
        """Ends all faults."""
        self.down_until = min(self.down_until, time.monotonic())
        self.proceed()

    def finish(self) -> None:
        """Kills the process permanently."""
        self.kill(FOREVER)
        if self.process is not None:
            self.process.wait()
