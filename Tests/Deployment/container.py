"""A container without an engine: an image's contents, its user, environment and directory, and no further privileges."""

from __future__ import annotations

import pathlib
import signal
from typing import Optional, Sequence

from image import NEEDED, Image
from namespace import BASE, PATH, Namespace

from deadlines import until

_START = """
for each in $volumes; do mount --bind ".$each" ".$each"; done
for each in $mounts; do mkdir -p ".${each%%=*}"; mount --bind "${each#*=}" ".${each%%=*}"; done
for each in $tmpfs; do mount -t tmpfs -o "${each#*:}" run ".${each%%:*}"; done
mount -o "remount,bind,$access" "$root"
exec setpriv --no-new-privs unshare --root "$root" --wd "$directory" --setgid "$user" --setuid "$user" -- "$@"
"""


class Container(Namespace):
    """Runs an image: its entry point with the given command, by default the image's own.

    `tmpfs` are mounts as in compose files, `/path:options`; `volumes` are directories of the image that stay writable,
    and `mounts` directories of this machine, by their paths in the container.
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
        mounts: Optional[dict[str, pathlib.Path]] = None,
    ) -> None:
        self.image = image
        base = [] if image.final.base == "scratch" else BASE
        if base:
            root.with_name("hosts").write_text("127.0.0.1 localhost shop\n")
            if image.name:
                root.with_name("passwd").write_text(f"root:x:0:0::/root:/bin/sh\n{image.name}:x:{image.user}:{image.user}::/:/bin/sh\n")
        variables = {
            "volumes": " ".join(volumes),
            "tmpfs": " ".join(tmpfs),
            "mounts": " ".join(f"{there}={here}" for there, here in (mounts or {}).items()),
            "access": "ro" if read_only else "rw",
            "directory": image.directory,
            "user": str(image.user),
        }
        words = [*image.entrypoint, *(image.command if command is None else command)]
        super().__init__(root, _START, variables, words, {"PATH": PATH} | image.environment, base=base, files=NEEDED, user=image.user)

    def until_up(self) -> None:
        """Waits until the container's supervisor answers."""
        status = [next(word for word in self.image.health if word.endswith("initctl")), "status"]

        def answers() -> bool:
            ended = self.program.process.poll()
            assert ended is None, f"the container ended with {ended}: {self.log()}"
            return "initd: listening" in self.log() and self.execute(status).status == 0

        until(answers, "a supervisor in the container")

    def stop(self) -> int:
        """Sends the container SIGTERM, and returns its exit status."""
        self.signal(signal.SIGTERM)
        return self.program.wait()
