"""Root directories of distributions, made by debootstrap, and systemd in them.

A root is made once, in .build/roots, and never changed: a test gets an overlay of it.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Optional

from packages import BUILD, ROOT

sys.path[:0] = [str(ROOT / "Tests/Deployment"), str(ROOT / "Tests/Conformance")]

import manager  # noqa: E402
from manager import Systemd  # noqa: E402
from namespace import UNAVAILABLE as NO_NAMESPACES  # noqa: E402

SUITES = {"bullseye": "Debian 11", "bookworm": "Debian 12", "trixie": "Debian 13"}
"""The releases that the packages are tried on."""

PACKAGES = "systemd,systemd-sysv,dbus,man-db,ca-certificates"
"""What a server has, and the smallest root doesn't."""

_UP = """
mkdir -p old
mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=0755 run run
pivot_root . old
umount -l /old
exec "$@"
"""

UNAVAILABLE: Optional[str] = NO_NAMESPACES
"""Returns why there are no roots here; None if there are."""
if shutil.which("debootstrap", path="/usr/sbin:/usr/bin") is None:
    UNAVAILABLE = UNAVAILABLE or "debootstrap isn't installed"


def made(suite: str, *more: str) -> pathlib.Path:
    """Returns the root of a release, with `more` packages; it is made now if it doesn't exist. The packages come from the sources of this
    machine's own packages."""
    root = BUILD / "roots" / "-".join([suite, *more])
    if not root.exists():
        unfinished = root.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        command = ["debootstrap", "--variant=minbase", f"--include={','.join([PACKAGES, *more])}", suite, str(unfinished), *_mirror()]
        done = subprocess.run(command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, capture_output=True, text=True)
        if done.returncode != 0:
            raise unittest.SkipTest(f"debootstrap can't make {suite}: {done.stdout.splitlines()[-1:]}")
        unfinished.rename(root)
    return root


def _mirror() -> list[str]:
    """The address of Debian's packages in apt's settings of this machine."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN)", "Created-By: Packages"]
    found = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return next(([words[0]] for words in map(str.split, found) if words[1:] == ["Debian"]), [])


class RootTests(unittest.TestCase):
    """A test case with its own overlays of roots."""

    def place(self) -> pathlib.Path:
        """A new directory, which is removed after the test."""
        place = pathlib.Path(tempfile.mkdtemp(prefix="packages-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        return place

    def overlay(self, below: pathlib.Path) -> pathlib.Path:
        """A directory with the contents of another, which may be changed."""
        place = self.place()
        for name in ("upper", "work", "root"):
            (place / name).mkdir(mode=0o755)
        layers = f"lowerdir={below},upperdir={place}/upper,workdir={place}/work"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, str(place / "root")], check=True)
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(place / "root")], check=True)
        return place / "root"

    def run_in(self, root: pathlib.Path, *command: str, status: int = 0, **environment: str) -> str:
        """Runs a command in a root to the end; returns its output."""
        variables = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
        # The command runs in namespaces, so no process that it starts outlives it.
        words = ["unshare", "--fork", "--pid", "--kill-child", "--mount", "--ipc", f"--root={root}", "--mount-proc=/proc", *command]
        done = subprocess.run(words, env=variables | environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, status, f"{' '.join(command)}\n{done.stdout}")
        return done.stdout

    def boot(self, root: pathlib.Path) -> Systemd:
        """systemd as the first process of a root."""
        if manager.UNAVAILABLE:
            self.skipTest(manager.UNAVAILABLE)
        system = Systemd(root, _UP, "multi-user.target", {}, base=[])
        self.addCleanup(system.end)
        system.until_up()
        return system


def files(root: pathlib.Path, *folders: str) -> set[str]:
    """The paths in these folders of a root."""
    found = set()
    for folder in folders:
        found |= {str(path.relative_to(root)) for path in (root / folder).rglob("*")}
    return found
