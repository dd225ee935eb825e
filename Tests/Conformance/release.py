"""The packages of a release, as recipes install them."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NAME = "appinitializers-0.1.0-linux-x86_64"


class Release:
    """Packages with the layout of a release. Their programs are scripts that run the built ones, so they are packed in an instant."""

    def __init__(self, directory: str, *, initd: str | os.PathLike[str], initctl: str | os.PathLike[str]) -> None:
        self.directory = pathlib.Path(directory)
        self.stage = self.directory / "stage" / NAME
        documents = self.stage / "share/doc/appinitializers"
        documents.mkdir(parents=True)
        (documents / "appinitializers.spdx.json").touch()
        (self.stage / "bin").mkdir()
        for name, built in (("initd", initd), ("initctl", initctl)):
            program = self.stage / "bin" / name
            program.write_text(f'#!/bin/sh\nexec {built} "$@"\n')
            program.chmod(0o755)

    def tarball(self) -> str:
        """Makes the tarball as scripts/dist does, and returns its path."""
        _, version, _, architecture = NAME.split("-")
        variables = {"STAGE": str(self.stage), "DIST": str(self.directory), "VERSION": version, "ARCHITECTURE": architecture}
        subprocess.run([ROOT / "packaging/tarball"], env=os.environ | variables | {"SOURCE_DATE_EPOCH": "0"}, check=True)
        return str(self.directory / f"{NAME}.tar.gz")

    def deb(self) -> str:
        """Makes a Debian package without scripts, and returns its path."""
        root = self.directory / "deb"
        shutil.copytree(self.stage, root / "usr")
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN/control").write_text(
            "Package: appinitializers\nVersion: 0.1.0\nArchitecture: all\nMaintainer: a <a@b.example>\nDescription: a supervisor\n")
        path = self.directory / "appinitializers.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", root, path], check=True, stdout=subprocess.DEVNULL)
        return str(path)
