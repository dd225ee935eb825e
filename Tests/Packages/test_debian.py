"""The Debian package: clean under lintian; installed, used, upgraded, removed and purged in fresh roots, with systemd and without."""

import pathlib
import re
import shutil
import subprocess
import unittest

import roots
from packages import DEB, DIST, LINE, VERSION, instructions, manifest
from roots import SUITES, RootTests, files, made

from deadlines import until

NOT_OURS = re.compile(r"(var/(log|cache)|var/lib/(dpkg|apt|systemd)|run|tmp|proc|sys|dev)(/|$)|etc/(ld\.so\.cache|\.pwd\.lock)$")
"""What the package manager and the system write."""

OURS = re.compile(r"appinitializers|initd|initctl|init\.yaml")
SOCKET = {"INITD_SOCKET": "/run/initd/shop/initd.sock"}


def release_tests(suites):
    """Makes a test for each release of each method of a class whose name begins with `each_`."""

    def made_of(case):
        for name, method in list(vars(case).items()):
            if name.startswith("each_"):
                for suite in suites:
                    setattr(case, f"test_{name[5:]}_on_{suite}", lambda self, method=method, suite=suite: method(self, suite))
        return case

    return made_of


def clean(package):
    """What lintian says of a package, and its exit status."""
    done = subprocess.run(["lintian", "--fail-on=error,warning", "--tag-display-limit=0", str(package)], capture_output=True, text=True)
    return done.stdout, done.returncode


class FileTests(unittest.TestCase):
    def test_lintian_has_no_complaints(self):
        self.assertEqual(clean(DIST / DEB), ("", 0))

    def test_it_names_the_sources_of_what_is_linked_statically(self):
        using = subprocess.run(["dpkg-deb", "--field", str(DIST / DEB), "Built-Using"], check=True, capture_output=True, text=True).stdout
        self.assertEqual([re.sub(r"-\d+$", "", each.split()[0]) for each in using.split(", ")], ["c-ares", "gcc", "glibc", "libuv1", "libyaml"])


class DebianTests(RootTests):
    """Creates a root of one release, with the package's file in it."""

    def begin(self, suite):
        root = self.overlay(made(suite))
        (root / "packages").mkdir()
        shutil.copy(DIST / DEB, root / "packages")
        return root

    def later(self, root):
        """The package again, as a later version; its name in the root."""
        place = self.place() / "later"
        subprocess.run(["dpkg-deb", "--raw-extract", str(DIST / DEB), str(place)], check=True)
        control = place / "DEBIAN/control"
        control.write_text(control.read_text().replace(f"Version: {VERSION}", "Version: 99.0.0"))
        with (place / "usr/bin/initd").open("ab") as program:
            program.write(b"later")
        command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", str(place), str(root / "packages/later.deb")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return "/packages/later.deb"


@release_tests(SUITES)
@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
class PackageTests(DebianTests):
    """Without systemd, as in a container."""

    def each_purge_leaves_nothing(self, suite):
        root = self.begin(suite)
        (root / "packages/init.yaml").write_text(manifest())
        before = self.all_files(root)
        out = self.run_in(root, "sh", "-euc", "cd /packages\n" + instructions("debian: install").replace("apt install", "apt-get install -qq"))
        self.assertRegex(out, rf"(?m)^{LINE}$")
        (root / "etc/initd/mine.yaml").write_text("version: 1\n")
        # The quickstart of README.md.
        self.run_in(root, "sh", "-euc", """
            cd /packages
            export INITD_SOCKET=$PWD/initd.sock
            initd --config init.yaml &
            initctl wait launch --connect-timeout 5s
            initctl activate --wait
            initctl wait
            initctl shutdown
            wait
        """)
        for page in ("initd", "initctl", "init.yaml"):
            self.assertIn("/usr/share/man/man", self.run_in(root, "man", "--where", page))
        self.run_in(root, "apt-get", "remove", "-qq", "appinitializers")
        self.assertTrue((root / "etc/initd/mine.yaml").exists())
        self.assertEqual({name for name in self.all_files(root) - before if not name.startswith("etc/initd")}, set())
        self.run_in(root, "apt-get", "purge", "-qq", "appinitializers")
        self.assertEqual(self.all_files(root) ^ before, set())

    def all_files(self, root):
        names = {name for folder in root.iterdir() for name in files(root, folder.name)}
        return {name for name in names if not NOT_OURS.match(name) and not name.startswith("packages/")}


@release_tests(SUITES)
@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
class UnitTests(DebianTests):
    """With a systemd that runs."""

    def ok(self, finished):
        self.assertEqual(finished.status, 0, repr(finished))
        return finished.out

    def shell(self, system, text):
        return self.ok(system.execute(["sh", "-euc", text], DEBIAN_FRONTEND="noninteractive", LC_ALL="C"))

    def install(self, system):
        self.shell(system, "cd /packages\n" + instructions("debian: install").replace("apt install", "apt-get install -qq"))

    def started(self, suite):
        root = self.begin(suite)
        system = self.boot(root)
        # systemd has an initctl of its own.
        self.before = self.left(root, system)
        self.install(system)
        return root, system

    def left(self, root, system):
        """The paths that may be ours, but for logs and caches."""
        found = files(root, "etc", "usr", "var") | {f"run/{path.name}" for path in system.inside("/run").iterdir()}
        return {name for name in found if OURS.search(name) and not re.match("var/(log|cache)/", name)}

    def each_life(self, suite):
        root, system = self.started(suite)
        # The commands are those of the documentation, with the example.
        self.assertRegex(self.shell(system, instructions("debian: start")), r"(?m)^NOT READY|^READY")
        self.assertEqual(system.property("initd@shop", "ActiveState"), "active")
        self.ok(system.execute(["initctl", "activate", "--wait"], **SOCKET))
        self.assertIn("READY", self.ok(system.execute(["initctl", "status"], **SOCKET)))

        # A reload applies the user's changes.
        mine = "version: 1\ninitializers:\n  mine: { command: 'echo ran >> /var/lib/initd/shop/times' }\n"
        (root / "etc/initd/shop.yaml").write_text(mine)
        self.ok(system.systemctl("reload", "initd@shop"))
        self.ok(system.execute(["initctl", "wait", "mine", "--timeout", "10s"], **SOCKET))

        # An upgrade interrupts nothing, and keeps the user's changes.
        drop = root / "etc/systemd/system/initd@shop.service.d/override.conf"
        drop.parent.mkdir()
        drop.write_text("[Service]\nTimeoutStopSec=20s\n")
        pid = system.property("initd@shop", "MainPID")
        self.shell(system, f"apt-get install -qq {self.later(root)}")
        self.assertEqual(system.property("initd@shop", "MainPID"), pid)
        self.assertEqual(((root / "etc/initd/shop.yaml").read_text(), drop.exists()), (mine, True))
        self.ok(system.execute(["initctl", "status"], **SOCKET))
        # After a restart the new program runs, and doesn't repeat completed initializers.
        self.ok(system.systemctl("restart", "initd@shop"))
        self.assertNotEqual(system.property("initd@shop", "MainPID"), pid)
        self.assertEqual(system.property("initd@shop", "TimeoutStopUSec"), "20s")
        self.assertTrue(system.inside("/usr/bin/initd").read_bytes().endswith(b"later"))
        self.assertIn("complete since before", self.ok(system.execute(["initctl", "status"], **SOCKET)))
        self.assertEqual((root / "var/lib/initd/shop/times").read_text(), "ran\n")

        # Removed, it runs no longer; its settings are kept.
        self.shell(system, "apt-get remove -qq appinitializers")
        self.assertEqual(system.processes("/etc/initd/shop.yaml", "--state-directory", "/var/lib/initd/shop"), [])
        self.assertEqual(((root / "etc/initd/shop.yaml").read_text(), drop.exists()), (mine, True))
        # If the package is installed again, it continues with them.
        self.install(system)
        self.ok(system.systemctl("start", "initd@shop"))

        self.shell(system, "apt-get purge -qq appinitializers")
        self.assertEqual(self.left(root, system) - self.before, set())

    def test_the_socket_starts_it(self):
        root, system = self.started("bookworm")
        (root / "etc/initd/shop.yaml").write_text(manifest())
        self.ok(system.systemctl("enable", "--now", "initd@shop.socket"))
        self.assertEqual(system.property("initd@shop.service", "ActiveState"), "inactive")
        self.ok(system.execute(["initctl", "wait", "launch", "--timeout", "10s"], **SOCKET))
        # The socket stays if the service stops.
        self.ok(system.systemctl("stop", "initd@shop.service"))
        self.ok(system.execute(["initctl", "wait", "launch", "--timeout", "10s"], **SOCKET))
        self.shell(system, "apt-get purge -qq appinitializers")
        self.assertEqual(system.systemctl("is-active", "initd@shop.socket").out.strip(), "inactive")

    def test_a_user_and_an_app_as_documented(self):
        root, system = self.started("bookworm")
        (root / "etc/initd/shop.yaml").write_text(manifest())
        self.shell(system, "useradd --system shop")
        drop = root / "etc/systemd/system/initd@shop.service.d/override.conf"
        drop.parent.mkdir(parents=True)
        drop.write_text(instructions("debian: settings"))
        self.ok(system.systemctl("daemon-reload"))
        self.ok(system.systemctl("start", "initd@shop"))
        app = until(lambda: system.processes("/usr/bin/sleep", "infinity"), "the app")[0]
        user = self.shell(system, "id --user shop").strip()
        self.assertRegex(pathlib.Path(f"/proc/{app}/status").read_text(), rf"(?m)^Uid:\t{user}\t")

    def test_a_mistake_in_the_manifest_is_told(self):
        root, system = self.started("bookworm")
        (root / "etc/initd/shop.yaml").write_text("version: 1\nnonsense: 1\n")
        self.assertNotEqual(system.systemctl("start", "initd@shop").status, 0)
        # The unit isn't started again.
        self.assertEqual(system.property("initd@shop", "ExecMainStatus"), "65")
        self.assertEqual(system.property("initd@shop", "NRestarts"), "0")
        # The journal writes its messages a moment later.
        read = ["journalctl", "--unit", "initd@shop", "--output", "cat"]
        until(lambda: "nonsense" in self.ok(system.execute(read)), "the mistake in the journal")

    def each_unit_is_good(self, suite):
        _, system = self.started(suite)
        finished = system.execute(["systemd-analyze", "verify", "initd@shop.service", "initd@shop.socket"])
        # The systemd of Debian 11 also complains about the namespace.
        told = [line for line in (finished.out + finished.err).splitlines() if "initd@" in line]
        self.assertEqual((told, finished.status if suite != "bullseye" else 0), ([], 0))


if __name__ == "__main__":
    unittest.main()
