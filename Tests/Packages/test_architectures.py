"""scripts/dist takes the architecture from the programs. Here they are small ones in C, for x86_64 and, run by qemu, for aarch64."""

import io
import json
import os
import pathlib
import platform
import shutil
import subprocess
import tarfile
import tempfile
import unittest
import zipfile

from packages import BUILD, PROGRAMS, ROOT, VERSION

HERE = pathlib.Path(__file__).resolve().parent
ARCHITECTURES = {"x86_64": ("amd64", b"\x3e"), "aarch64": ("arm64", b"\xb7")}
"""For each architecture: its name in Debian and in images, and its number in ELF headers."""

FORMAT = pathlib.Path("/usr/lib/binfmt.d/qemu-aarch64.conf")
REGISTER = f'mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && cat {FORMAT} >/proc/sys/fs/binfmt_misc/register && exec "$@"'
"""Lets the kernel run programs for aarch64 with qemu, in a namespace."""

EMULATED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", REGISTER, "sh"]


def emulation():
    """Returns why programs of the other architecture don't run here; None if they do."""
    if platform.machine() != "x86_64":
        return "only machines of x86_64 emulate the other architecture"
    if shutil.which("aarch64-linux-gnu-gcc") is None or not FORMAT.exists():
        return "there is no compiler or no emulator for aarch64: scripts/install-missing packages"
    if subprocess.run([*EMULATED, "true"], capture_output=True).returncode != 0:
        return "the kernel has no binfmt_misc in namespaces, which needs Linux 6.7"
    return None


class ArchitectureTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.copy = pathlib.Path(tempfile.mkdtemp(prefix="packages-", dir="/tmp"))
        cls.addClassCleanup(shutil.rmtree, cls.copy)
        subprocess.run(["git", "clone", "--quiet", "--shared", ROOT, cls.copy], check=True)
        for folder in (".", "companions/web", "companions/fleet"):
            (cls.copy / folder / ".build/release").mkdir(parents=True)
            # A program in C has no packages of Swift.
            (cls.copy / folder / "Package.resolved").write_text('{"pins": []}')
        (cls.copy / ".build/packaging").symlink_to(BUILD / "packaging")

    def build(self, architecture, *programs):
        """Puts a program in the place of each."""
        compiler = ["cc"] if architecture == platform.machine() else [f"{architecture}-linux-gnu-gcc"]
        for program in programs:
            companion = program.removeprefix("init")
            folder = self.copy / (f"companions/{companion}" if companion in ("web", "fleet") else ".")
            command = [*compiler, "-static", f'-DVERSION="{VERSION}"', "-o", folder / ".build/release" / program, HERE / "standin.c"]
            subprocess.run(command, check=True)

    def dist(self, *kinds, emulated=False):
        """Runs scripts/dist; returns the finished process."""
        variables = dict(os.environ)
        if emulated:
            # The archives of the other architecture aren't installed; those of this one stand in for their versions.
            tools = self.copy / ".build/tools"
            tools.mkdir(exist_ok=True)
            (tools / "dpkg-query").write_text('#!/bin/bash\nexec /usr/bin/dpkg-query "${@/:arm64/}"\n')
            (tools / "dpkg-query").chmod(0o755)
            variables |= {"PATH": f"{tools}:{os.environ['PATH']}", "STRIP": "aarch64-linux-gnu-strip"}
        command = [*(EMULATED if emulated else []), self.copy / "scripts/dist", *kinds]
        return subprocess.run(command, env=variables, capture_output=True, text=True)

    def test_each_package_has_the_architecture_of_its_programs(self):
        for architecture in ARCHITECTURES:
            with self.subTest(architecture):
                emulated = architecture != platform.machine()
                if emulated and (reason := emulation()):
                    self.skipTest(reason)
                shutil.rmtree(self.copy / "dist", ignore_errors=True)
                self.build(architecture, "initd", "initctl", "initweb", "initfleet")
                done = self.dist("tarball", "deb", "python", "image", "web", "fleet", emulated=emulated)
                self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
                for package, programs in PROGRAMS.items():
                    self.packed(package, programs, architecture)
                self.wheel(architecture)
                self.image(architecture)

    def packed(self, package, programs, architecture):
        """Checks the tarball, the bill of materials and Debian's package."""
        debian = ARCHITECTURES[architecture][0]
        folder = f"{package}-{VERSION}-linux-{architecture}"
        with tarfile.open(self.copy / f"dist/{folder}.tar.gz") as archive:
            for program in programs:
                self.is_for(architecture, archive.extractfile(f"{folder}/bin/{program}").read())
        document = json.loads((self.copy / f"dist/{folder}.spdx.json").read_text())
        self.assertEqual([each["fileName"] for each in document["files"]], [f"./bin/{program}" for program in programs])
        locators = [each["referenceLocator"] for part in document["packages"] for each in part.get("externalRefs", [])]
        self.assertEqual({each.partition("?")[2] for each in locators}, {f"arch={debian}"})
        package_file = self.copy / f"dist/{package}_{VERSION}_{debian}.deb"
        fields = subprocess.run(["dpkg-deb", "--field", package_file, "Package", "Architecture", "Version"], check=True, capture_output=True, text=True)
        self.assertEqual(fields.stdout, f"Package: {package}\nArchitecture: {debian}\nVersion: {VERSION}\n")
        contents = subprocess.run(["dpkg-deb", "--fsys-tarfile", package_file], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(contents)) as archive:
            for program in programs:
                self.is_for(architecture, archive.extractfile(f"./usr/bin/{program}").read())

    def wheel(self, architecture):
        found = list((self.copy / "dist").glob("*linux*.whl"))
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].name.endswith(f"_{architecture}.whl"), found[0].name)
        with zipfile.ZipFile(found[0]) as archive:
            tags = [line for line in archive.read(f"appinitializers-{VERSION}.dist-info/WHEEL").decode().splitlines() if line.startswith("Tag: ")]
            self.is_for(architecture, archive.read(f"appinitializers-{VERSION}.data/scripts/initd"))
        self.assertEqual(set(tags), {f"Tag: py3-none-{each}_{architecture}" for each in ("manylinux2014", "manylinux_2_17", "musllinux_1_1")})

    def image(self, architecture):
        with tarfile.open(self.copy / f"dist/appinitializers-{VERSION}-image-{architecture}.tar") as archive:
            told = json.load(archive.extractfile("manifest.json"))[0]
            self.assertEqual(json.load(archive.extractfile(told["Config"]))["architecture"], ARCHITECTURES[architecture][0])

    def is_for(self, architecture, program):
        self.assertEqual((program[:4], program[18:19]), (b"\x7fELF", ARCHITECTURES[architecture][1]))

    def test_programs_of_two_architectures_are_refused(self):
        if reason := emulation():
            self.skipTest(reason)
        self.build("x86_64", "initd", "initctl")
        self.build("aarch64", "initweb")
        done = self.dist("tarball", "web")
        self.assertEqual(done.returncode, 1)
        self.assertIn("initweb: it is for aarch64, and .build/release/initd is for x86_64; build both for the same architecture", done.stderr)

    def test_a_file_that_is_no_program_is_refused(self):
        self.build(platform.machine(), "initd", "initctl")
        (self.copy / ".build/release/initctl").write_text("#!/bin/sh\n# This isn't a program.\n")
        done = self.dist("tarball")
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot pack .build/release/initctl: it isn't a program for x86_64 or aarch64", done.stderr)


if __name__ == "__main__":
    unittest.main()
