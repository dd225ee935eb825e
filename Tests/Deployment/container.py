"""A container without an engine: a directory as the root of a process that is the first of its namespaces.

It gets what every engine gives: /proc, /dev with null and shm, /etc/hosts, a network of its own, the image's user, environment and
directory, and no further rights. The machine's own programs and libraries stand for the image that another one is built from; the
machine's directories are read-only in it.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
from typing import Optional, Sequence

from image import ROOT, Image

sys.path.insert(0, str(ROOT / "Tests/Conformance"))

from deadlines import until  # noqa: E402
from program import Finished, Program  # noqa: E402

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""What engines set where an image doesn't."""

BASE = ["usr", "bin", "sbin", "lib", "lib64", "etc"]
"""What stands for an image's base."""

UNAVAILABLE: Optional[str] = None
"""Why there can be no container here; None where there can."""
if os.geteuid() != 0:
    UNAVAILABLE = "a container without an engine needs root"
elif subprocess.run(["unshare", "--fork", "--pid", "--mount", "--net", "true"], capture_output=True).returncode != 0:
    UNAVAILABLE = "no namespaces can be made here"

_UP = "import fcntl, socket, struct; fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh22x', b'lo', 1))"
"""Sets the flag IFF_UP of the loopback interface."""

_START = """
root=$1 user=$2 directory=$3 base=$4 files=$5 kept=$6 tmpfs=$7 options=$8
shift 8
python3 -c "$UP"
unset UP
mount --bind "$root" "$root"
cd "$root"
for each in $base; do
  if [ -L "/$each" ]; then ln -sfn "$(readlink "/$each")" "$each"
  elif [ -d "/$each" ]; then mkdir -p "$each"; mount --bind "/$each" "$each"; mount -o remount,bind,ro "$each"; fi
done
if [ -n "$base" ]; then mount --bind ../hosts etc/hosts; fi
for each in $files; do
  if [ ! -e ".$each" ]; then mkdir -p ".${each%/*}"; touch ".$each"; mount --bind "$each" ".$each"; fi
done
mkdir -p proc dev
mount -t proc proc proc
mount -t tmpfs -o mode=0755 dev dev
touch dev/null && mount --bind /dev/null dev/null
mkdir dev/shm && mount -t tmpfs -o mode=1777 shm dev/shm
for each in $kept; do mount --bind ".$each" ".$each"; done
for each in $tmpfs; do mount -t tmpfs -o "${each#*:}" run ".${each%%:*}"; done
mount -o "remount,bind,$options" "$root"
exec setpriv --no-new-privs unshare --root "$root" --wd "$directory" --setgid "$user" --setuid "$user" -- "$@"
"""


class Container:
    """An image that runs: its entry point with the command that is said, the image's own unless one is.

    `tmpfs` are mounts as compose writes them, `/path:options`; `volumes` are directories of the image that stay writable.
    """

    def __init__(
        self,
        image: Image,
        root: pathlib.Path,
        command: Optional[Sequence[str]] = None,
        *,
        read_only: bool = False,
        volumes: Sequence[str] = (),
        tmpfs: Sequence[str] = (),
    ) -> None:
        self.image = image
        self.environment = {"PATH": PATH} | image.environment
        base = [] if image.final.base == "scratch" else BASE
        if base:
            root.with_name("hosts").write_text("127.0.0.1 localhost shop\n")
        words = [str(root), str(image.user), image.directory, " ".join(base), " ".join(image.libraries()), " ".join(volumes), " ".join(tmpfs)]
        words.append("ro" if read_only else "rw")
        words += [*image.entrypoint, *(image.command if command is None else command)]
        namespaces = ["unshare", "--fork", "--pid", "--mount", "--net", "--ipc", "--uts"]
        self.program = Program([*namespaces, "/bin/sh", "-euc", _START, "sh", *words], env=self.environment | {"UP": _UP})

    def first(self) -> int:
        """The id that its first process has outside."""
        with open(f"/proc/{self.program.pid}/task/{self.program.pid}/children") as file:
            return int(file.read())

    def processes(self, *command: str) -> list[int]:
        """The ids, outside, of its processes that end in these words."""
        space = os.stat(f"/proc/{self.first()}/ns/pid").st_ino
        tail = b"".join(word.encode() + b"\0" for word in command)

        def is_one(pid: str) -> bool:
            try:
                return os.stat(f"/proc/{pid}/ns/pid").st_ino == space and pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().endswith(tail)
            except OSError:
                return False

        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and is_one(pid)]

    def start(self, command: Sequence[str], **environment: str) -> Program:
        """Starts a command in it, as `exec` of an engine does: its user, its directory, its environment."""
        words = ["nsenter", "--target", str(self.first()), "--pid", "--mount", "--net", "--ipc", "--uts", "--root", "--wd"]
        words += ["--setgid", str(self.image.user), "--setuid", str(self.image.user), "--", *command]
        return Program(["setpriv", "--no-new-privs", *words], env=self.environment | environment)

    def execute(self, command: Sequence[str], **environment: str) -> Finished:
        """Runs a command in it to the end."""
        program = self.start(command, **environment)
        try:
            return program.finish()
        finally:
            program.end()

    def until_up(self) -> None:
        """Waits until its supervisor answers."""
        status = [next(word for word in self.image.health if word.endswith("initctl")), "status"]

        def answers() -> bool:
            ended = self.program.process.poll()
            self.program.pump()
            assert ended is None, f"the container ended with {ended}: {self.program.err.decode()}"
            return "initd: listening" in self.program.err.decode() and self.execute(status).status == 0

        until(answers, "a supervisor in the container")

    def signal(self, number: int) -> None:
        """Signals its first process, as an engine does that stops it."""
        os.kill(self.first(), number)

    def stop(self) -> int:
        """Tells it to end: its status."""
        self.signal(signal.SIGTERM)
        return self.program.wait()

    def end(self) -> None:
        """Kills it, if it is still there: its first process, and by the kernel's rule all others."""
        if self.program.process.poll() is None:
            with contextlib.suppress(ProcessLookupError, ValueError):
                self.signal(signal.SIGKILL)
        self.program.end()

    def log(self) -> str:
        """What its standard streams have said."""
        self.program.pump()
        return re.sub(r"^[\d:.]+ ", "", (self.program.out + self.program.err).decode(), flags=re.M)
