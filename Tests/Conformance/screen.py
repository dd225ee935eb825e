"""A program in a real terminal of a given size: tmux draws it, and the test reads the screen and types keys."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from typing import Callable, Optional, Sequence, Union

from deadlines import DEADLINE, until
from supervisor import INITCTL, Conformance

DURATION = r"(?<![\w.])\d+(?:\.\d+)? (?:ms|s|min|h)\b(?: \d+(?:\.\d+)? (?:s|min)\b)*"


def fixed(line: str, narrow: bool = False) -> str:
    """A line whose durations, process ids and paths of sockets are replaced, and whose columns are two spaces apart.

    If the terminal is `narrow`, the line is cut after its first duration, because the rest is clipped depending on that duration.
    """
    line = re.sub(r"(?<![\w.])\d[\d. ]*…$", "T …", re.sub(DURATION, "T", line))
    line = re.sub(r"\bpid \d+\b", "pid N", re.sub(r"/tmp/initd-\S+", "PATH", line))
    line = re.sub(r"\bT\b.*", "T", line) if narrow else re.sub(r"\bT\b.*…$", "T …", line)
    return re.sub(r"(?<=\S)  +", "  ", line.rstrip())


def joined(lines: Sequence[str]) -> list[str]:
    """Returns the lines, with the second line of the readiness joined to the first: the durations in them determine where they are
    broken."""
    found: list[str] = []
    for line in lines:
        if found and found[-1].startswith("NOT READY") and line.startswith("  "):
            found[-1] += line[1:]
        else:
            found.append(line)
    return found


class Screen:
    """A terminal in which a shell runs."""

    def __init__(self, test: Conformance, columns: int = 80, rows: int = 24, colored: bool = False) -> None:
        self.directory = test.directory()
        self._socket = os.path.join(self.directory, "tmux")
        options = os.path.join(self.directory, "options")
        test.write(options, "set -g status off\nset -g history-limit 5000\n")
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        for name in ("TMUX", "NO_COLOR"):
            environment.pop(name, None)
        if not colored:
            environment["NO_COLOR"] = "1"
        words = ["-f", options, "-u", "new-session", "-d", "-x", str(columns), "-y", str(rows), "PS1='$ ' exec bash --norc --noprofile"]
        test.addCleanup(self.close)
        self.tmux(*words, env=environment, cwd=self.directory)
        self.until("$")

    def close(self) -> None:
        """Ends the terminal, and the programs in it."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)

    def tmux(self, *words: str, **options: object) -> str:
        return subprocess.run(  # type: ignore[call-overload]
            ["tmux", "-S", self._socket, *words], stdout=subprocess.PIPE, check=True, text=True, timeout=DEADLINE, **options
        ).stdout

    def keys(self, *names: str) -> None:
        """Presses keys, each given as a character or by its name in tmux."""
        self.tmux("send-keys", *names)

    def type(self, text: str) -> None:
        """Types a text, and Enter."""
        self.tmux("send-keys", "-l", text)
        self.keys("Enter")

    def lines(self) -> list[str]:
        """The lines that are shown, without spaces at their ends."""
        return [line.rstrip() for line in self.tmux("capture-pane", "-p").splitlines()]

    def about(self, name: str) -> str:
        """Returns a value that tmux knows about the terminal, e.g. `history_size`."""
        return self.tmux("display-message", "-p", f"#{{{name}}}").strip()

    def resize(self, columns: int, rows: int) -> None:
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def until(self, wanted: Union[str, Sequence[str], Callable[[list[str]], object]], narrow: bool = False) -> list[str]:
        """Waits until a line has this text, or the whole screen is this one (with `fixed` lines), and returns its lines."""
        shown: list[str] = []

        def matches() -> bool:
            nonlocal shown
            shown = self.lines()
            if isinstance(wanted, str):
                return any(wanted in line for line in shown)
            if callable(wanted):
                return bool(wanted(shown))
            fixed_lines = [fixed(line, narrow) for line in joined(shown)]
            while fixed_lines and not fixed_lines[-1]:
                fixed_lines.pop()
            return fixed_lines == list(wanted)

        try:
            until(matches, "the screen")
        except AssertionError:
            expected = wanted if isinstance(wanted, str) else "\n".join(wanted) if not callable(wanted) else "something else"
            actual = "\n".join(fixed(line, narrow) for line in joined(shown))
            raise AssertionError(f"the screen isn't as expected; expected:\n{expected}\nshown:\n{actual}") from None
        return shown

    def file(self, name: str) -> Optional[str]:
        """Returns the contents of a file in the screen's directory, once it is complete: it ends with a newline."""
        try:
            with open(os.path.join(self.directory, name)) as file:
                text = file.read()
        except FileNotFoundError:
            return None
        return text if text.endswith("\n") else None


class Watch(Screen):
    """`initctl watch` in a terminal, started from its shell."""

    def __init__(
        self, test: Conformance, path: str, columns: int = 80, rows: int = 24, arguments: str = "", colored: bool = False, has_job_control: bool = True
    ) -> None:
        super().__init__(test, columns, rows, colored)
        self.test = test
        self.before = self.modes("before")
        self.history = int(self.about("history_size"))
        test.write(os.path.join(self.directory, "w"), f"echo $$ >pid\nexec {shlex.quote(INITCTL)} --socket {shlex.quote(path)} watch {arguments}\n")
        # A shell with job control takes the terminal, with its own modes, when its command is stopped.
        self.type("clear; sh w" if has_job_control else "clear; sh -c 'sh w; exit $?'")

    @property
    def pid(self) -> int:
        return int(until(lambda: self.file("pid"), "the id of watch"))

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def ended(self, status: int) -> list[str]:
        """Waits until the program ends, and asserts its status, and that the terminal is as before: modes, screen, cursor and history.

        Returns the lines that are shown.
        """
        # Before it has begun, the shell has the terminal too.
        until(lambda: self.file("pid"), "the start of watch")
        self.until_shell()
        shown = self.lines()
        self.test.assertEqual(self.about("alternate_on"), "0")
        self.test.assertEqual(self.about("cursor_flag"), "1")
        self.test.assertEqual(self.about("wrap_flag"), "1")
        # A terminal that has become higher shows lines of its history again.
        self.test.assertLessEqual(int(self.about("history_size")), self.history)
        self.type("echo $? >status")
        self.test.assertEqual(until(lambda: self.file("status"), "the status of watch"), f"{status}\n")
        self.test.assertEqual(self.modes("after"), self.before)
        return shown

    def until_shell(self) -> None:
        """Waits until the shell has the terminal."""
        until(lambda: self.about("pane_current_command") == "bash" and self.lines()[self.cursor_row].startswith("$"), "the shell")

    @property
    def cursor_row(self) -> int:
        return int(self.about("cursor_y"))

    def modes(self, name: str) -> str:
        """The modes of the terminal, as the shell in it sees them."""
        self.type(f"stty -a >{name}.part; mv {name}.part {name}")
        return re.sub(r"rows \d+; columns \d+;", "", until(lambda: self.file(name), "the modes of the terminal"))
