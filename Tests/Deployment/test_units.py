"""Examples/systemd: a real systemd starts the units, and the statements of their comments are checked."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import manager
from image import BUILT
from manager import OPERATOR, UNITS, USER, Manager

from deadlines import until

SOCKET = {"INITD_SOCKET": "/run/initd.sock"}
OBSERVING = {"INITD_SOCKET": "/run/initd-observe.sock"}
SHOP = {"INITD_SOCKET": "/run/shop/initd.sock"}
EXPOSURE = 20
"""The maximum score of `systemd-analyze security`, of 100."""


@unittest.skipIf(manager.UNAVAILABLE, manager.UNAVAILABLE)
class UnitTests(unittest.TestCase):
    """A test case with a systemd that ends with it."""

    def boot(self, settings=None):
        place = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="units-", dir="/tmp")))
        self.addCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        system = Manager(place, settings)
        self.addCleanup(system.end)
        system.until_up()
        return system

    def ok(self, finished):
        self.assertEqual(finished.status, 0, repr(finished))
        return finished.out

    def initctl(self, system, *words, user=USER, **environment):
        return system.execute(["/usr/local/bin/initctl", *words], user, **environment)

    def until_property(self, system, unit, name, value):
        until(lambda: system.property(unit, name) == value, f"{name}={value} of {unit}")

    def held(self, system):
        """A launch of initd.service that waits; a line to that path lets it continue."""
        state = system.inside("/var/lib/shop")
        state.mkdir()
        os.mkfifo(state / "hold")
        for path in (state, state / "hold"):
            os.chown(path, USER, USER)
        return state / "hold"


class LineTests(unittest.TestCase):
    """Tests that need no systemd."""

    def test_initd_accepts_their_command_lines(self):
        pattern = re.compile(r"^Exec\w+=\S+/(init(?:d|ctl) .*)$", re.M)
        lines = [(path, line) for path in UNITS.rglob("*.service") for line in pattern.findall(path.read_text())]
        self.assertEqual(len(lines), 5)
        for path, line in lines:
            with self.subTest(path.name, line=line):
                # The manifest is missing, or a supervisor is running: the other options were accepted.
                name, *words = re.sub(r"--config \S+", "--config /nowhere/init.yaml", line).split()
                ended = subprocess.run([BUILT[name], *words], env={"INITD_SOCKET": "/nowhere/initd.sock"}, capture_output=True, timeout=30)
                self.assertEqual(ended.returncode, {"initd": 66, "initctl": 69}[name], ended.stderr)


class FileTests(UnitTests):
    def test_systemd_reports_no_problems(self):
        system = self.boot()
        names = sorted(path.name for path in UNITS.iterdir() if path.suffix in (".service", ".socket"))
        self.assertEqual(names, ["after-ready.service", "initd-observe.socket", "initd.service", "initd.socket", "shop.service"])
        finished = system.execute(["systemd-analyze", "verify", "--man=no", *names])
        self.assertEqual((finished.status, finished.out, finished.err), (0, "", ""))
        user = ["systemd-analyze", "verify", "--user", "--man=no", "/home/shop/.config/systemd/user/initd.service"]
        finished = system.execute(user, USER, HOME="/home/shop", XDG_RUNTIME_DIR="/tmp")
        self.assertEqual((finished.status, finished.out, finished.err), (0, "", ""))

    def test_they_are_hardened(self):
        system = self.boot()
        for name in ("initd.service", "shop.service"):
            self.ok(system.execute(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", f"/etc/systemd/system/{name}"]))


class SupervisorTests(UnitTests):
    def test_it_is_started_when_launch_is_complete_and_not_before(self):
        system = self.boot()
        hold = self.held(system)
        self.ok(system.systemctl("start", "--no-block", "initd.service"))
        self.until_property(system, "initd.service", "StatusText", "launching")
        self.assertEqual(system.property("initd.service", "ActiveState"), "activating")
        self.assertEqual(system.property("initd.socket", "ActiveState"), "active", "started with it")
        hold.write_text("go\n")
        self.until_property(system, "initd.service", "ActiveState", "active")
        self.until_property(system, "initd.service", "StatusText", "launched, not active")
        self.ok(self.initctl(system, "activate", "--wait", **SOCKET))
        self.until_property(system, "initd.service", "StatusText", "ready")
        self.ok(system.systemctl("stop", "initd.service"))
        self.assertRegex(system.said("initd"), r"initd: ended\nresult success exited 0\n\Z")

    def test_its_sockets_exist_before_it_and_start_it(self):
        system = self.boot()
        self.ok(system.systemctl("start", "initd.socket", "initd-observe.socket"))
        self.assertEqual(system.property("initd.service", "ActiveState"), "inactive")
        modes = [system.inside(path).stat() for path in ("/run/initd.sock", "/run/initd-observe.sock")]
        self.assertEqual([(each.st_uid, each.st_mode & 0o777) for each in modes], [(USER, 0o600), (USER, 0o666)])
        self.ok(self.initctl(system, "wait", "launch", "--timeout", "10s", **OBSERVING))
        self.until_property(system, "initd.service", "ActiveState", "active")

    def test_at_the_second_socket_every_client_may_only_observe(self):
        system = self.boot()
        self.ok(system.systemctl("start", "initd.service"))
        for user in (0, USER, USER + 1):
            self.ok(self.initctl(system, "status", user=user, **OBSERVING))
            self.assertEqual(self.initctl(system, "activate", user=user, **OBSERVING).status, 77)
        self.assertEqual(self.initctl(system, "status", user=USER + 1, **SOCKET).status, 77)
        self.ok(self.initctl(system, "activate", user=0, **SOCKET))

    def test_others_get_access_as_documented(self):
        blocks = re.findall(r"```ini\n# systemctl edit (\S+)\n\[\w+\]\n(.*?)```", (UNITS / "README.md").read_text(), re.S)
        self.assertEqual([name for name, _ in blocks], ["initd.socket", "initd.service"])
        system = self.boot({name: lines.splitlines() for name, lines in blocks})
        self.ok(system.systemctl("start", "initd.service"))
        self.ok(self.initctl(system, "activate", "--wait", user=OPERATOR, **SOCKET))

    def test_a_later_unit_waits_until_it_is_ready(self):
        system = self.boot()
        self.ok(system.systemctl("start", "--no-block", "after-ready.service"))
        self.until_property(system, "initd.service", "StatusText", "launched, not active")
        self.until_property(system, "after-ready.service", "SubState", "start-pre")
        self.ok(self.initctl(system, "activate", **SOCKET))
        self.until_property(system, "after-ready.service", "SubState", "running")

    def test_a_supervisor_that_hangs_is_restarted_and_its_sockets_stay(self):
        self.assertIn("\nWatchdogSec=", (UNITS / "initd.service").read_text())
        system = self.boot({"initd.service": ["WatchdogSec=1s"]})
        self.ok(system.systemctl("start", "initd.service"))
        before = system.property("initd.service", "MainPID")
        socket = system.inside("/run/initd.sock").stat().st_ino
        self.ok(system.systemctl("kill", "--kill-whom=main", "--signal=SIGSTOP", "initd.service"))
        until(lambda: system.property("initd.service", "NRestarts") == "1", "a restart")
        self.ok(self.initctl(system, "wait", "launch", "--timeout", "10s", **SOCKET))
        self.assertNotEqual(system.property("initd.service", "MainPID"), before)
        self.assertEqual(system.inside("/run/initd.sock").stat().st_ino, socket)

    def test_a_failed_launch_can_be_inspected_and_retried(self):
        system = self.boot()
        system.inside("/etc/initd/init.yaml").write_text("version: 1\ninitializers:\n  migrate: { command: 'test -e /var/lib/shop/done' }\n")
        self.ok(system.systemctl("start", "--no-block", "initd.service"))
        self.until_property(system, "initd.service", "StatusText", "launch failed: migrate failed: exit status 1")
        self.assertEqual(system.property("initd.service", "ActiveState"), "activating")
        system.inside("/var/lib/shop/done").touch()
        self.ok(self.initctl(system, "launch", "--wait", **SOCKET))
        self.until_property(system, "initd.service", "ActiveState", "active")

    def test_a_bad_manifest_fails_it_without_a_restart(self):
        system = self.boot()
        system.inside("/etc/initd/init.yaml").write_text("version: 2\n")
        self.assertNotEqual(system.systemctl("start", "initd.service").status, 0)
        self.assertEqual(system.property("initd.service", "ExecMainStatus"), "65")
        self.assertEqual(system.property("initd.service", "ActiveState"), "failed")


class ShopTests(UnitTests):
    def test_it_runs_hardened_and_ends_with_the_app(self):
        system = self.boot()
        self.ok(system.systemctl("start", "shop.service"))
        self.assertIn("open, on port 8080", until(lambda: "open" in system.said("shop") and system.said("shop"), "the app"))
        self.ok(self.initctl(system, "wait", "--timeout", "1s", **SHOP))
        ask = "import urllib.request as web; print(web.urlopen('http://127.0.0.1:8080').read().decode())"
        self.assertEqual(self.ok(system.execute(["python3", "-c", ask])), "3 books on sale\n\n")
        with open(f"/proc/{system.processes('/opt/shop/shop.py', 'serve')[-1]}/status") as file:
            status = file.read()
        self.assertRegex(status, rf"(?m)^Uid:\t{USER}\t{USER}\t{USER}\t{USER}$")
        for each in (r"CapBnd:\t0+", r"NoNewPrivs:\t1", r"Seccomp:\t2"):
            self.assertRegex(status, rf"(?m)^{each}$")
        self.ok(system.systemctl("stop", "shop.service"))
        self.assertRegex(system.said("shop"), r"(?s)\nclosed\n.*the app ended: exit status 0.*initd: ended\nresult success exited 0\n\Z")

    def test_an_app_that_sigterm_ends_isnt_a_failure(self):
        system = self.boot({"shop.service": ["ExecStart=", "ExecStart=/usr/local/bin/initd --config /opt/shop/init.yaml -- sleep 1000"]})
        self.ok(system.systemctl("start", "shop.service"))
        self.ok(system.systemctl("stop", "shop.service"))
        self.assertEqual(system.said("shop").splitlines()[-1], "result success exited 143")
        self.assertEqual(system.property("shop.service", "ActiveState"), "inactive")

    def test_a_failed_initialization_restarts_it(self):
        system = self.boot({"shop.service": ["RestartSec=10ms"]})
        (system.inside("/var/lib/shop") / "shop.db").mkdir(parents=True)
        self.ok(system.systemctl("start", "--no-block", "shop.service"))
        until(lambda: int(system.property("shop.service", "NRestarts")) >= 1, "a restart")
        self.assertRegex(system.said("shop"), "critical:    └─ migrate failed .* ago: attempt 3 of 3, exit status 1; ")
        self.assertNotIn("open, on port", system.said("shop"))


class UserTests(UnitTests):
    def test_the_user_unit_works(self):
        system = self.boot()
        self.ok(system.systemctl("start", "manager.service"))
        own = {"XDG_RUNTIME_DIR": "/run/user", "HOME": "/home/shop"}
        self.ok(system.execute(["systemctl", "--user", "start", "initd.service"], USER, **own))
        shown = self.ok(system.execute(["systemctl", "--user", "show", "--property", "ActiveState,StatusText", "initd.service"], USER, **own))
        self.assertEqual(sorted(shown.splitlines()), ["ActiveState=active", "StatusText=launched, not active"])
        self.ok(self.initctl(system, "activate", "--wait", **own))
        self.ok(system.execute(["systemctl", "--user", "stop", "initd.service"], USER, **own))
