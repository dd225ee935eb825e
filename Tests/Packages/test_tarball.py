"""The tarball: the programs run in a root that contains only them, in a root with only BusyBox, and in each distribution."""

import re
import shutil
import subprocess
import tarfile
import unittest

import roots
from packages import ARCHITECTURE, DIST, LINE, ROOT, TARBALL, VERSION, instructions, manifest
from roots import SUITES, RootTests, made

FOLDER = f"appinitializers-{VERSION}-linux-{ARCHITECTURE}"
ALONE = f"""
version: 1
initializers:
  check: {{ command: [/{FOLDER}/bin/initd, --check, /init.yaml] }}
  again: {{ command: [/{FOLDER}/bin/initctl, --version], priority: appActive, dependencies: [check] }}
"""
RUN = f"""
export INITD_SOCKET=/initd.sock PATH=/{FOLDER}/bin:$PATH
initd --config /init.yaml &
initctl wait launch --connect-timeout 5s
initctl activate --wait
initctl wait
initctl shutdown
wait
"""


class FileTests(unittest.TestCase):
    def test_it_belongs_to_nobody_in_particular(self):
        with tarfile.open(DIST / TARBALL) as archive:
            members = archive.getmembers()
        self.assertEqual({(each.uid, each.gid, each.uname, each.gname) for each in members}, {(0, 0, "", "")})
        self.assertEqual(len({each.mtime for each in members}), 1)
        for each in members:
            if "/examples/" not in each.name:
                self.assertEqual(each.mode, 0o755 if each.isdir() or "/bin/" in each.name else 0o644, each.name)
        names = {each.name.partition("/")[2] for each in members}
        expected = {
            "bin/initd", "bin/initctl", "share/man/man1/initd.1", "share/man/man1/initctl.1", "share/man/man5/init.yaml.5",
            "share/bash-completion/completions/initctl", "share/zsh/site-functions/_initctl", "share/fish/vendor_completions.d/initctl.fish",
            *(f"share/doc/appinitializers/{name}" for name in ("LICENSE", "NOTICE", "INSTALL.md", "LICENSES-OF-LIBRARIES.txt")),
        }
        self.assertEqual(expected - names, set())


@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
class RunTests(RootTests):
    def unpack(self, root):
        """Unpacks the tarball in a root, as documented; returns the output of the programs there."""
        shutil.copy(DIST / TARBALL, root)
        commands = instructions("tarball: install").splitlines()
        self.assertEqual(len(commands), 2)
        subprocess.run(["sh", "-euc", commands[0]], cwd=root, check=True)
        return self.run_in(root, f"/{commands[1].split()[0]}", *commands[1].split()[1:])

    def test_in_an_empty_root(self):
        root = self.place()
        (root / "proc").mkdir()
        self.assertRegex(self.unpack(root), rf"^{LINE}\n$")
        (root / "init.yaml").write_text(ALONE)
        self.assertRegex(self.run_in(root, f"/{FOLDER}/bin/initd", "--check", "/init.yaml"), "check")

    def test_in_a_root_with_only_busybox(self):
        busybox = shutil.which("busybox")
        if busybox is None or "not a dynamic executable" not in subprocess.run(["ldd", busybox], capture_output=True, text=True).stderr:
            self.skipTest("there is no static busybox: apt-get install busybox-static")
        root = self.place()
        for name in ("proc", "bin", "dev"):
            (root / name).mkdir()
        (root / "dev/null").touch()
        shutil.copy(busybox, root / "bin/busybox")
        for name in ("sh", "sleep", "mount"):
            (root / "bin" / name).symlink_to("busybox")
        self.assertRegex(self.unpack(root), rf"^{LINE}\n$")
        (root / "init.yaml").write_text(manifest())
        self.run_in(root, "/bin/sh", "-euc", RUN)

    def test_in_each_distribution(self):
        for suite, name in SUITES.items():
            with self.subTest(name):
                root = self.overlay(made(suite))
                self.assertRegex(self.unpack(root), rf"^{LINE}\n$")
                (root / "init.yaml").write_text(manifest())
                self.run_in(root, "sh", "-euc", RUN)


class LineTests(unittest.TestCase):
    def test_the_commit_is_that_of_the_sources(self):
        with tarfile.open(DIST / TARBALL) as archive:
            document = archive.extractfile(f"{FOLDER}/share/doc/appinitializers/appinitializers.spdx.json").read().decode()
        told = re.search(r"built from commit ([0-9a-f]+)(-dirty)?", document)
        self.assertTrue(told)
        known = subprocess.run(["git", "cat-file", "-t", told[1]], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(known.stdout, "commit\n")


if __name__ == "__main__":
    unittest.main()
