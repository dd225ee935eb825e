"""The packages of initweb and initfleet: installed beside the core, used, removed and purged in fresh roots, with systemd and without."""

import re
import shutil
import subprocess
import unittest

import roots
from packages import COMPANIONS, CORE, DEB, DIST, MADE, PROGRAMS, ROOT, VERSION, bill, deb, deb_files, folder, for_each, instructions, tarball
from roots import RootTests, files, made
from test_debian import NOT_OURS, SOCKET, clean, release_tests

from deadlines import DEADLINE, until

LIBRARIES = ("libsqlite3-0", "libstdc++6", "zlib1g", "curl")
"""What the programs need of the system, and what asks initweb."""

EXAMPLES = {
    "appinitializers-web": ("initweb@.service", "Examples/web/initweb.service"),
    "appinitializers-fleet": ("initfleet@.service", "Examples/fleet/systemd/initfleet.service"),
}
"""The unit of each companion, and the example that it is made after."""

OWN = {
    "initweb@.service": {"Description", "Documentation", "After", "Wants", "Requires", "Environment", "ExecStart", "StateDirectory"},
    "initfleet@.service": {
        "Description", "Documentation", "After", "Wants", "Requires", "PartOf", "EnvironmentFile", "Environment", "ExecStart", "LoadCredential", "User", "WantedBy",
    },
}
"""The settings that a unit has of its own, because it belongs to initd@NAME."""

NOT_MADE = 'make dist made no packages of the companions: make dist WITH="web fleet"'
SUITES = ("bookworm", "trixie")
"""The programs use the C library of the release that they were built on, so an earlier one doesn't run them."""


def settings(text):
    """The settings of a unit, without its comments."""
    joined = text.replace("\\\n", "")
    return [tuple(line.split("=", 1)) for line in joined.splitlines() if "=" in line and not line.startswith("#")]


@unittest.skipUnless(set(COMPANIONS) <= set(MADE), NOT_MADE)
class FileTests(unittest.TestCase):
    @for_each(COMPANIONS)
    def test_lintian_has_no_complaints(self, package):
        self.assertEqual(clean(DIST / deb(package)), ("", 0))

    @for_each(COMPANIONS)
    def test_they_depend_on_the_core_and_on_the_libraries_of_the_system(self, package):
        told = subprocess.run(["dpkg-deb", "--field", DIST / deb(package), "Depends", "Recommends"], check=True, capture_output=True, text=True).stdout
        fields = dict(line.split(": ", 1) for line in told.splitlines())
        self.assertRegex(fields["Depends"], r"\blibc6 \(>= ")
        self.assertIn(f"appinitializers (>= {VERSION})", fields["Depends" if package == "appinitializers-web" else "Recommends"])
        self.assertEqual("libsqlite3-0" in fields["Depends"], package == "appinitializers-web")

    @for_each(COMPANIONS)
    def test_the_bill_of_materials_names_the_libraries_of_the_system(self, package):
        text = (DIST / bill(package)).read_text()
        depends = subprocess.run(["dpkg-deb", "--field", DIST / deb(package), "Depends"], check=True, capture_output=True, text=True).stdout
        for library, part in (("libc6", "glibc"), ("libstdc++6", "libstdc++ and libgcc"), ("libsqlite3-0", "SQLite"), ("zlib1g", "zlib")):
            self.assertEqual(library in depends, f'"name": "{part}"' in text, part)

    @for_each(COMPANIONS)
    def test_their_units_are_those_of_the_examples(self, package):
        unit, example = EXAMPLES[package]
        found = settings(deb_files(package)[f"lib/systemd/system/{unit}"].decode())
        expected = settings((ROOT / example).read_text())
        shared = [each for each in found if each[0] not in OWN[unit]]
        self.assertEqual(shared, [each for each in expected if each[0] not in OWN[unit]])
        self.assertGreater(len(shared), 20)


class CompanionTests(RootTests):
    """Creates a root of one release, with the packages' files in it."""

    def begin(self, suite):
        root = self.overlay(made(suite, *LIBRARIES))
        (root / "packages").mkdir()
        for name in (DEB, *map(deb, COMPANIONS)):
            shutil.copy(DIST / name, root / "packages")
        return root


@release_tests(SUITES)
@unittest.skipUnless(set(COMPANIONS) <= set(MADE), NOT_MADE)
@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
class PackageTests(CompanionTests):
    """Without systemd, as in a container."""

    def each_purge_leaves_nothing(self, suite):
        for package in COMPANIONS:
            root = self.begin(suite)
            self.run_in(root, "apt-get", "install", "-qq", f"/packages/{DEB}")
            before = self.all_files(root)
            self.run_in(root, "apt-get", "install", "-qq", f"/packages/{deb(package)}")
            program = PROGRAMS[package][0]
            self.assertRegex(self.run_in(root, program, "--version"), rf"^{program} {re.escape(VERSION)} \(commit ")
            self.assertIn("/usr/share/man/man1", self.run_in(root, "man", "--where", program))
            self.run_in(root, "apt-get", "purge", "-qq", package)
            self.assertEqual(self.all_files(root) ^ before, set())

    def each_tarball_runs(self, suite):
        root = self.begin(suite)
        for package in COMPANIONS:
            shutil.copy(DIST / tarball(package), root)
            unpack, version = instructions(f"{package.partition('-')[2]}: tarball").splitlines()
            subprocess.run(["sh", "-euc", unpack], cwd=root, check=True)
            program = PROGRAMS[package][0]
            self.assertEqual(version, f"{folder(package)}/bin/{program} --version")
            self.assertRegex(self.run_in(root, *f"/{version}".split()), rf"^{program} {re.escape(VERSION)} \(commit ")

    def all_files(self, root):
        names = {name for each in root.iterdir() for name in files(root, each.name)}
        return {name for name in names if not NOT_OURS.match(name) and not name.startswith("packages/")}


@release_tests(SUITES)
@unittest.skipUnless(set(COMPANIONS) <= set(MADE), NOT_MADE)
@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
class UnitTests(CompanionTests):
    """With a systemd that runs, beside the supervisor of INSTALL.md."""

    def started(self, suite):
        root = self.begin(suite)
        system = self.boot(root)
        self.shell(system, "ip link set lo up 2>/dev/null || true")
        self.shell(system, "cd /packages\n" + self.instructions("debian: install") + instructions("debian: start"))
        return root, system

    def instructions(self, name):
        return instructions(name).replace("apt install", "apt-get install -qq")

    def shell(self, system, text):
        program = system.start(["sh", "-euc", text], DEBIAN_FRONTEND="noninteractive", LC_ALL="C")
        self.addCleanup(program.end)
        finished = program.finish(4 * DEADLINE)
        self.assertEqual(finished.status, 0, repr(finished))
        return finished.out

    def left(self, root):
        """The paths that belong to the companions, but for logs, caches, and the documents of the core."""
        names = files(root, "etc", "usr", "var")
        return {name for name in names if re.search("initweb|initfleet|observe", name) and not re.match("var/(log|cache)/|usr/share/doc/appinitializers/", name)}

    def each_initweb_shows_the_supervisor(self, suite):
        root, system = self.started(suite)
        out = self.shell(system, "cd /packages\n" + self.instructions("web: debian"))
        self.assertIn('"passes":true', out)
        self.assertEqual(system.property("initweb@shop", "ActiveState"), "active")
        # It observes, as a user of its own, and can do nothing else at that socket.
        self.assertNotEqual(system.property("initweb@shop", "UID"), "0")
        finished = system.execute(["initctl", "activate"], INITD_SOCKET="/run/initd/shop/observe.sock")
        self.assertIn("permission denied", finished.err)
        # It stays while the supervisor is restarted, and shows the new one.
        self.shell(system, "systemctl restart initd@shop && INITD_SOCKET=/run/initd/shop/initd.sock initctl activate --wait")
        self.shell(system, "curl --fail --silent --retry 9 http://127.0.0.1:8088/readyz")
        self.assertEqual(system.property("initweb@shop", "NRestarts"), "0")
        self.shell(system, "apt-get remove -qq appinitializers-web")
        self.assertNotEqual(system.property("initweb@shop", "ActiveState"), "active")
        self.shell(system, "apt-get purge -qq appinitializers-web")
        self.assertEqual(self.left(root), set())

    def each_initfleet_is_the_agent_of_the_supervisor(self, suite):
        root, system = self.started(suite)
        (root / "etc/initd/shop.yaml").write_text("version: 1\nrelease: v7\ninitializers:\n  migrate: { command: 'true', once: fleet, retry: { attempts: 1000 } }\n")
        self.shell(system, "cd /packages\nsystemctl stop initd@shop\n" + self.instructions("fleet: debian"))
        self.shell(system, "systemctl start --no-block initd@shop")
        # There is no etcd, and the supervisor knows that its agent waits for it.
        status = ["initctl", "status"]
        until(lambda: "waits for etcd" in system.execute(status, **SOCKET).out, "the agent, which waits for etcd")
        self.assertEqual(system.property("initfleet@shop", "ActiveState"), "active")
        # It ends with the supervisor, and starts with it.
        self.shell(system, "systemctl stop initd@shop")
        until(lambda: system.property("initfleet@shop", "ActiveState") == "inactive", "the end of the agent")
        self.shell(system, "systemctl start --no-block initd@shop")
        until(lambda: system.property("initfleet@shop", "ActiveState") == "active", "the agent")
        self.shell(system, "apt-get purge -qq appinitializers-fleet")
        self.assertEqual(self.left(root), set())

    def each_unit_is_good(self, suite):
        _, system = self.started(suite)
        self.shell(system, f"cd /packages && apt-get install -qq {' '.join(f'./{deb(package)}' for package in COMPANIONS)}")
        finished = system.execute(["systemd-analyze", "verify", "initweb@shop.service", "initd-observe@shop.socket", "initfleet@shop.service"])
        told = [line for line in (finished.out + finished.err).splitlines() if re.search("initweb@|initfleet@|initd-observe@", line)]
        self.assertEqual((told, finished.status), ([], 0))


if __name__ == "__main__":
    unittest.main()
