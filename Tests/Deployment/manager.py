"""systemd as the first process of namespaces of its own, with the example's units installed and nothing else."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import time
from typing import Optional

from image import BUILT, EXAMPLE, NEEDED, ROOT
from namespace import BASE, PATH, UNAVAILABLE as NO_NAMESPACES, Namespace
from program import Finished

from deadlines import until

UNITS = ROOT / "Examples/systemd"
SYSTEMD = pathlib.Path("/lib/systemd/systemd")
USER = 10001
"""The user `shop`, which the units are written for."""

OPERATOR = 10002
"""The group `ops`, and somebody in it."""

REFERRED = ["default", "basic", "sysinit", "sockets", "multi-user", "network-online", "shutdown", "umount", "paths", "slices", "timers", "exit"]
"""Targets of a whole system, that units refer to."""

MANIFEST = """\
version: 1
initializers:
  migrate: { command: 'hold="$STATE_DIRECTORY/hold"; test ! -e "$hold" || read line < "$hold"' }
  session: { command: 'true', priority: appActive }
"""
"""What initd.service and the user's own initialize: launch waits where a FIFO `hold` is in the state's directory."""

_RESULT = "ExecStopPost=/bin/sh -c 'echo result $$SERVICE_RESULT $$EXIT_CODE $$EXIT_STATUS'"
"""A unit that has been stopped may be forgotten, and with it how it ended."""

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
"""The manager of the user `shop`, as user@.service starts it, less the login."""

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
    """Where the second version's groups are mounted."""
    with open("/proc/mounts") as file:
        return next((pathlib.Path(line.split()[1]) for line in file if line.split()[2] == "cgroup2"), None)


HIERARCHY = _hierarchy()

UNAVAILABLE = NO_NAMESPACES
"""Why systemd can't be run here; None where it can."""
if not SYSTEMD.exists():
    UNAVAILABLE = UNAVAILABLE or "systemd isn't installed"
elif HIERARCHY is None or not os.access(HIERARCHY, os.W_OK):
    UNAVAILABLE = UNAVAILABLE or "no groups (cgroup2) can be made here"


class Manager(Namespace):
    """A systemd that runs, in a directory of the caller's; `end` it.

    The programs are in /usr/local/bin, the example of ../container in /opt/shop, and there is the user `shop`. What a unit writes is
    in a file for tests to read. `settings` are further lines for a unit's section, as `systemctl edit` adds them.
    """

    def __init__(self, place: pathlib.Path, settings: Optional[dict[str, list[str]]] = None) -> None:
        assert HIERARCHY
        self.place = place
        self.group = HIERARCHY / f"initd-trial-{os.getpid()}-{time.monotonic_ns()}"
        self._install(settings or {})
        self.group.mkdir()
        environment = {"PATH": PATH, "container": "trial"}
        command = [str(SYSTEMD), "--system", "--unit=trial.target", "--log-target=null", "--show-status=no"]
        # Its /etc is its own.
        base = [each for each in BASE if each != "etc"]
        variables = {"user": str(USER)}
        super().__init__(place / "root", _START, variables, command, environment, base=base, files=NEEDED, cgroup=self.group)

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

    def until_up(self) -> None:
        """Waits until it answers."""

        def answers() -> bool:
            ended = self.program.process.poll()
            assert ended is None, f"systemd ended with {ended}: {self.log()}"
            # Until it has been forked there is no first process.
            with contextlib.suppress(ValueError):
                return self.inside("/run/systemd/private").exists()
            return False

        until(answers, "systemd")

    def inside(self, path: str) -> pathlib.Path:
        """A path of its, from outside."""
        return pathlib.Path(f"/proc/{self.first()}/root{path}")

    def systemctl(self, *words: str) -> Finished:
        """Runs systemctl to the end."""
        return self.execute(["systemctl", "--no-pager", *words])

    def property(self, unit: str, name: str) -> str:
        """A property of a unit."""
        return self.systemctl("show", "--value", "--property", name, unit).out.strip()

    def said(self, unit: str) -> str:
        """What a unit has written."""
        path = self.inside(f"/run/{unit}.log")
        return path.read_text() if path.exists() else ""

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
