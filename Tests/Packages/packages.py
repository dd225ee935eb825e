"""The packages that `make dist` has made."""

from __future__ import annotations

import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / ".build"
DIST = pathlib.Path(os.environ.get("DIST") or ROOT / "dist").resolve()
"""The folder of the packages."""

VERSION = subprocess.run([ROOT / "scripts/version"], check=True, capture_output=True, text=True).stdout.strip()
ARCHITECTURE = platform.machine()
DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}[ARCHITECTURE]
TARBALL = f"appinitializers-{VERSION}-linux-{ARCHITECTURE}.tar.gz"
DEB = f"appinitializers_{VERSION}_{DEBIAN}.deb"
PURE_WHEEL = f"appinitializers-{VERSION}-py3-none-any.whl"
SDIST = f"appinitializers-{VERSION}.tar.gz"
SBOM = f"appinitializers-{VERSION}-linux-{ARCHITECTURE}.spdx.json"
IMAGE = f"appinitializers-{VERSION}-image-{ARCHITECTURE}.tar"
NPM = f"appinitializers-{VERSION}-npm.tgz"
CRATE = f"appinitializers-{VERSION}.crate"
GO = f"appinitializers-{VERSION}-go.tar.gz"
LINE = rf"init(d|ctl) {re.escape(VERSION)} \(commit [0-9a-f]{{12}}(-dirty)?, protocol 1, {ARCHITECTURE}\)"
"""Returns the output of --version."""


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
    # The package is for this architecture.
    return found[0].replace("_amd64.deb", f"_{DEBIAN}.deb").replace("x86_64", ARCHITECTURE)


def manifest() -> str:
    """The manifest of README.md."""
    found = re.search(r"```yaml\n(.*?)```", (ROOT / "README.md").read_text(), re.S)
    assert found
    return found[1]
