"""The packages that `make dist` has made."""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import pathlib
import platform
import re
import subprocess
import tarfile
import unittest
from typing import Callable, Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / ".build"
DIST = pathlib.Path(os.environ.get("DIST") or ROOT / "dist").resolve()
"""The folder of the packages."""

VERSION = subprocess.run([ROOT / "scripts/version"], check=True, capture_output=True, text=True).stdout.strip()
ARCHITECTURE = platform.machine()
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}[ARCHITECTURE]
CORE, COMPANIONS = "appinitializers", ("appinitializers-web", "appinitializers-fleet")
PROGRAMS = {CORE: ("initctl", "initd"), "appinitializers-web": ("initweb",), "appinitializers-fleet": ("initfleet",)}
"""The packages with programs."""


def folder(package: str) -> str:
    """The folder in the package's tarball."""
    return f"{package}-{VERSION}-linux-{ARCHITECTURE}"


def tarball(package: str) -> str:
    return f"{folder(package)}.tar.gz"


def deb(package: str) -> str:
    return f"{package}_{VERSION}_{DEBIAN}.deb"


def bill(package: str) -> str:
    """The bill of materials."""
    return f"{folder(package)}.spdx.json"


MADE = [package for package in PROGRAMS if (DIST / tarball(package)).exists()]
"""`make dist` makes the packages of the companions only if asked to."""

TARBALL, DEB, SBOM = tarball(CORE), deb(CORE), bill(CORE)
PURE_WHEEL = f"appinitializers-{VERSION}-py3-none-any.whl"
SDIST = f"appinitializers-{VERSION}.tar.gz"
IMAGE = f"appinitializers-{VERSION}-image-{ARCHITECTURE}.tar"
NPM = f"appinitializers-{VERSION}-npm.tgz"
CRATE = f"appinitializers-{VERSION}.crate"
GO = f"appinitializers-{VERSION}-go.tar.gz"
LINE = rf"init(d|ctl) {re.escape(VERSION)} \(commit [0-9a-f]{{12}}(-dirty)?, protocol 1, {ARCHITECTURE}\)"
"""Returns the output of --version."""


def for_each(packages: Iterable[str]) -> Callable:
    """Makes a test of a method that takes a package: it runs with each of these, in a subtest."""

    def test_of(method: Callable) -> Callable:
        @functools.wraps(method)
        def test(self: unittest.TestCase) -> None:
            for package in packages:
                with self.subTest(package):
                    method(self, package)

        return test

    return test_of


def tarball_files(package: str) -> dict[str, bytes]:
    """The files of a tarball, by their names in its folder."""
    with tarfile.open(DIST / tarball(package)) as archive:
        return {each.name.partition("/")[2]: archive.extractfile(each).read() for each in archive if each.isfile()}


def tarball_modes(package: str) -> dict[str, int]:
    """The permissions of the files of a tarball, by the same names."""
    with tarfile.open(DIST / tarball(package)) as archive:
        return {each.name.partition("/")[2]: each.mode for each in archive if each.isfile()}


def deb_files(package: str) -> dict[str, bytes]:
    """The files of a Debian package, by their paths; those that are compressed without `.gz`, and their contents."""
    packed = subprocess.run(["dpkg-deb", "--fsys-tarfile", DIST / deb(package)], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        found = {each.name.removeprefix("./"): archive.extractfile(each).read() for each in archive if each.isfile()}
    return {name.removesuffix(".gz"): gzip.decompress(data) if name.endswith(".gz") else data for name, data in found.items()}


def image_files() -> dict[str, bytes]:
    """The files of the image, by their paths."""
    with tarfile.open(DIST / IMAGE) as archive:
        layer = json.load(archive.extractfile("manifest.json"))[0]["Layers"][0]
        with tarfile.open(fileobj=archive.extractfile(layer)) as contents:
            return {each.name: contents.extractfile(each).read() for each in contents if each.isfile()}


def wheel() -> pathlib.Path:
    """The wheel with the programs."""
    found = list(DIST.glob(f"appinitializers-{VERSION}-py3-none-*linux*_{ARCHITECTURE}.whl"))
    assert len(found) == 1, f"{len(found)} wheels with programs in {DIST}"
    return found[0]


def instructions(name: str) -> str:
    """A block of INSTALL.md, by the name in the comment above it."""
    text = (ROOT / "INSTALL.md").read_text()
    found = re.findall(rf"<!-- {re.escape(name)} -->\n```\w+\n(.*?)```", text, re.S)
    assert len(found) == 1, f"{len(found)} blocks are named {name} in INSTALL.md"
    # The packages are for this architecture.
    return found[0].replace("_amd64.deb", f"_{DEBIAN}.deb").replace("x86_64", ARCHITECTURE)


def manifest() -> str:
    """The manifest of README.md."""
    found = re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert found
    return found[1]
