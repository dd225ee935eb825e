"""A root directory and namespaces for a first process.

The machine's own programs and libraries are mounted read-only in place of installed ones. It has the parts of every container: /proc, /dev,
/etc/hosts, and a network with only a loopback interface.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
from typing import Optional, Sequence

from image import ROOT

sys.path.insert(0, str(ROOT / "Tests/Conformance"))

from program import Finished, Program  # noqa: E402

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""The environment that engines set if the image doesn't."""

BASE = ["usr", "bin", "sbin", "lib", "lib64", "etc"]
"""The machine's directories that are mounted as the installed system."""

UNAVAILABLE: Optional[str] = None
"""Returns why namespaces can't be created here; None if they can."""
if os.geteuid() != 0:
    UNAVAILABLE = "namespaces without an engine need root"
elif subprocess.run(["unshare", "--fork", "--pid", "--mount", "--net", "true"], capture_output=True).returncode != 0:
    UNAVAILABLE = "no namespaces can be made here"

_UP = "import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh22x', b'lo', 1))"
"""Sets the flag IFF_UP of the loopback interface."""

_ROOT = """
python3 -c "$up"
mount --bind "$root" "$root"
cd "$root"
for each in $base; do
  if [ -L "/$each" ]; then ln -sfn "$(readlink "/$each")" "$each"
  elif [ -d "/$each" ]; then mkdir -p "$each"; mount --bind "/$each" "$each"; mount -o remount,bind,ro "$each"; fi
done
for each in hosts passwd; do if [ -f ../$each ]; then mount --bind ../$each etc/$each; fi; done
for each in $files; do
  if [ ! -s ".$each" ]; then mkdir -p ".${each%/*}"; touch ".$each"; mount --bind "$each" ".$each"; fi
done
mkdir -p proc dev
mount -t proc proc proc
mount -t tmpfs -o mode=0755 dev dev
for each in null zero full random urandom tty; do touch "dev/$each"; mount --bind "/dev/$each" "dev/$each"; done
ln -s /proc/self/fd dev/fd
mkdir dev/pts && mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts dev/pts && ln -s pts/ptmx dev/ptmx
mkdir dev/shm && mount -t tmpfs -o mode=1777 shm dev/shm
"""


class Namespace:
    """The first process in a root directory. Files `hosts` and `passwd` beside the directory become those of its /etc.

    `script` runs when the root is complete and is the current directory; it ends by executing `command`, its arguments, as
    the first process. The variables of the program are `root` and the given variables. `user` is the user of joining processes by default.
    """

    def __init__(
        self,
        root: pathlib.Path,
        script: str,
        variables: dict[str, str],
        command: Sequence[str],
        environment: dict[str, str],
        *,
        base: Sequence[str] = BASE,
        files: Sequence[str] = (),
        user: int = 0,
        cgroup: Optional[pathlib.Path] = None,
    ) -> None:
        self.environment = environment
        self.user = user
        given = {"root": str(root), "base": " ".join(base), "files": " ".join(files), "up": _UP} | variables
        text = "".join(f"{name}={shlex.quote(value)}\n" for name, value in given.items()) + _ROOT + script
        words = ["unshare", "--fork", "--pid", "--mount", "--net", "--ipc", "--uts"]
        if cgroup:
            # First join that group: it is the root of the namespace.
            words = ["/bin/sh", "-c", 'echo $$ > "$1"; shift; exec "$@"', "sh", str(cgroup / "cgroup.procs"), *words, "--cgroup"]
        self.program = Program([*words, "/bin/sh", "-euc", text, "sh", *command], env=environment)

    def first(self) -> int:
        """Returns the id of the namespace's first process in our namespace."""
        with open(f"/proc/{self.program.pid}/task/{self.program.pid}/children") as file:
            return int(file.read())

    def processes(self, *command: str) -> list[int]:
        """Returns the ids, in our namespace, of its processes whose command lines end with these words."""
        space = os.stat(f"/proc/{self.first()}/ns/pid").st_ino
        tail = b"".join(word.encode() + b"\0" for word in command)

        def is_one(pid: str) -> bool:
            try:
                return os.stat(f"/proc/{pid}/ns/pid").st_ino == space and pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().endswith(tail)
            except OSError:
                return False

        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_one(pid)]

    def start(self, command: Sequence[str], user: Optional[int] = None, **environment: str) -> Program:
        """Starts a command in it, as an engine's `exec` does: with its user, by default, its directory and its environment."""
        words = ["nsenter", "--target", str(self.first()), "--pid", "--mount", "--net", "--ipc", "--uts", "--root", "--wd"]
        identity = str(self.user if user is None else user)
        words += ["--setgid", identity, "--setuid", identity, "--", *command]
        return Program(["setpriv", "--no-new-privs", *words], env=self.environment | environment)

    def execute(self, command: Sequence[str], user: Optional[int] = None, **environment: str) -> Finished:
        """Runs a command in it to the end."""
        program = self.start(command, user, **environment)
        try:
            return program.finish()
        finally:
            program.end()

    def signal(self, number: int) -> None:
        """Signals the first process, as an engine does to stop a container."""
        os.kill(self.first(), number)

    def end(self) -> None:
        """Kills the first process, if it still runs; then the kernel kills all others."""
        if self.program.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, ValueError):
                self.signal(signal.SIGKILL)
                # The parent reaps the process, and ends with it.
                self.program.wait()
        self.program.end()

    def log(self) -> str:
        """Returns the output of the standard streams, without times."""
        self.program.pump()
        return re.sub(r"^[\d:.]+ ", "", (self.program.out + self.program.err).decode(), flags=re.M)
