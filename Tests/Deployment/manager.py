"""systemd as the first process of its own namespaces, with only the example's units installed."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import time
from typing import Optional, Sequence

from image import BUILT, EXAMPLE, NEEDED, ROOT
from namespace import BASE, PATH, UNAVAILABLE as NO_NAMESPACES, Namespace
from program import Finished

from deadlines import until

UNITS = ROOT / "Examples/systemd"
SYSTEMD = pathlib.Path("/lib/systemd/systemd")
USER = 10001
"""The user `shop`, which the units expect."""

OPERATOR = 10002
"""The group `ops`, with a member."""

REFERRED = ["default", "basic", "sysinit", "sockets", "multi-user", "network-online", "shutdown", "umount", "paths", "slices", "timers", "exit"]
"""Targets of a complete system that the units refer to."""

MANIFEST = """\
version: 1
initializers:
  migrate: { command: 'hold="$STATE_DIRECTORY/hold"; test ! -e "$hold" || read line < "$hold"' }
  session: { command: 'true', priority: appActive }
"""
"""The manifest of initd.service and of the user unit: launch waits if there is a FIFO `hold` in the state directory."""

_RESULT = "ExecStopPost=/bin/sh -c 'echo result $$SERVICE_RESULT $$EXIT_CODE $$EXIT_STATUS'"
"""systemd may have forgotten a stopped unit, and with it how it ended."""

_MANAGER = f"""\
[Service]
Type=notify
User=shop
Delegate=yes
RuntimeDirectory=user
Environment=XDG_RUNTIME_DIR=/run/user
ExecStart={SYSTEMD} --user --log-target=null
KillMode=mixed
"""
"""The manager of the user `shop`, started as by user@.service, but without a login."""

_START = """
mkdir -p sys run tmp root old var/lib var/tmp
chmod 1777 tmp var/tmp
mount --bind proc/sys proc/sys && mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=0755 run run
for each in system system-generators system-environment-generators user user-generators user-environment-generators; do
  if [ -d "usr/lib/systemd/$each" ]; then mount -t tmpfs -o mode=0755 own "usr/lib/systemd/$each"; fi
done
cp ../targets/* usr/lib/systemd/system
cp ../targets/* usr/lib/systemd/user
mount -t tmpfs -o mode=0755 own usr/local/bin
cp ../programs/* usr/local/bin
chown -R "$user:$user" home/shop
pivot_root . old
umount -l /old
exec "$@"
"""


def _hierarchy() -> Optional[pathlib.Path]:
    """The mount point of the second version of cgroups."""
    with open("/proc/mounts") as file:
        return next((pathlib.Path(line.split()[1]) for line in file if line.split()[2] == "cgroup2"), None)


HIERARCHY = _hierarchy()

UNAVAILABLE = NO_NAMESPACES
"""Returns why systemd can't be run here; None if it can."""
if not SYSTEMD.exists():
    UNAVAILABLE = UNAVAILABLE or "systemd isn't installed"
elif HIERARCHY is None or not os.access(HIERARCHY, os.W_OK):
    UNAVAILABLE = UNAVAILABLE or "no groups (cgroup2) can be made here"


class Systemd(Namespace):
    """A running systemd with groups of its own; call `end`. `script` prepares its root directory, and executes its arguments at the end."""

    def __init__(self, root: pathlib.Path, script: str, unit: str, variables: dict[str, str], **options: Sequence[str]) -> None:
        assert HIERARCHY
        self.group = HIERARCHY / f"initd-trial-{os.getpid()}-{time.monotonic_ns()}"
        self.group.mkdir()
        command = [str(SYSTEMD), "--system", f"--unit={unit}", "--log-target=null", "--show-status=no"]
        super().__init__(root, script, variables, command, {"PATH": PATH, "container": "trial"}, cgroup=self.group, **options)

    def until_up(self) -> None:
        """Waits until systemd answers."""

        def answers() -> bool:
            ended = self.program.process.poll()
            assert ended is None, f"systemd ended with {ended}: {self.log()}"
            # The first process doesn't exist until it has been forked.
            with contextlib.suppress(ValueError):
                return self.inside("/run/systemd/private").exists()
            return False

        until(answers, "systemd")

    def inside(self, path: str) -> pathlib.Path:
        """Returns a path of the system, as seen from outside."""
        return pathlib.Path(f"/proc/{self.first()}/root{path}")

    def systemctl(self, *words: str) -> Finished:
        """Runs systemctl to the end."""
        return self.execute(["systemctl", "--no-pager", *words])

    def property(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.systemctl("show", "--value", "--property", name, unit).out.strip()

    def end(self) -> None:
        super().end()
        for directory, _, _ in os.walk(self.group, topdown=False):
            until(lambda: self._is_removed(directory), f"the end of all in {directory}")

    def _is_removed(self, directory: str) -> bool:
        try:
            os.rmdir(directory)
        except OSError:
            return False
        return True


class Manager(Systemd):
    """A running systemd, in a directory of the caller's; call `end`.

    The programs are in /usr/local/bin, the example of ../container is in /opt/shop, and the user `shop` exists. The output of a unit goes
    to a file that tests can read. `settings` are further lines for a unit's section, as added by `systemctl edit`.
    """

    def __init__(self, place: pathlib.Path, settings: Optional[dict[str, list[str]]] = None) -> None:
        self.place = place
        self._install(settings or {})
        # The root has its own /etc.
        base = [each for each in BASE if each != "etc"]
        super().__init__(place / "root", _START, "trial.target", {"user": str(USER)}, base=base, files=NEEDED)

    def _install(self, settings: dict[str, list[str]]) -> None:
        root = self.place / "root"
        units, home = root / "etc/systemd/system", root / "home/shop"
        for directory in (units, root / "etc/initd", root / "opt/shop", home / ".local/bin", home / ".config/initd", home / ".config/systemd/user"):
            directory.mkdir(parents=True)
        for name, path in BUILT.items():
            for directory in (self._new("programs"), home / ".local/bin"):
                shutil.copy(path, directory / name)
        for name in REFERRED:
            (self._new("targets") / f"{name}.target").write_text(f"[Unit]\nDescription={name}\nDefaultDependencies=no\n")
        (units / "trial.target").write_text("[Unit]\nDescription=what is tried\nAfter=basic.target\n")
        (units / "manager.service").write_text(_MANAGER)
        for path in [*UNITS.glob("*.service"), *UNITS.glob("*.socket")]:
            shutil.copy(path, units)
            output = [f"StandardOutput=append:/run/{path.stem}.log", "StandardError=inherit", _RESULT] if path.suffix == ".service" else []
            (units / f"{path.name}.d").mkdir()
            lines = [f"[{path.suffix[1:].capitalize()}]", *output, *settings.get(path.name, [])]
            (units / f"{path.name}.d/trial.conf").write_text("\n".join(lines) + "\n")
        for path in (UNITS / "user").iterdir():
            shutil.copy(path, home / ".config/systemd/user")
        for name in ("init.yaml", "shop.py"):
            shutil.copy(EXAMPLE / name, root / "opt/shop")
        for path in (root / "etc/initd", home / ".config/initd"):
            (path / "init.yaml").write_text(MANIFEST)
        (root / "etc/passwd").write_text(f"root:x:0:0::/root:/bin/sh\nshop:x:{USER}:{USER}::/home/shop:/bin/sh\n")
        (root / "etc/group").write_text(f"root:x:0:\nshop:x:{USER}:\nops:x:{OPERATOR}:\n")

    def _new(self, name: str) -> pathlib.Path:
        (self.place / name).mkdir(exist_ok=True)
        return self.place / name

    def said(self, unit: str) -> str:
        """The output of a unit."""
        path = self.inside(f"/run/{unit}.log")
        return path.read_text() if path.exists() else ""
