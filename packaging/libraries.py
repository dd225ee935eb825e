"""The libraries in the programs of $PACKAGE, which $FOLDER has built: for packaging/sbom and packaging/licences."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Iterator, NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE, FOLDER = os.environ["PACKAGE"], ROOT / os.environ["FOLDER"]
ARCHITECTURE = os.environ["DEBIAN_ARCHITECTURE"]
DOCUMENTS = pathlib.Path("/usr/share/doc")
LICENCES = pathlib.Path("/usr/share/common-licenses")
PROGRAMS = {"appinitializers": ("initd", "initctl"), "appinitializers-web": ("initweb",), "appinitializers-fleet": ("initfleet",)}
SWIFT = "Apache-2.0 WITH Swift-exception"
LICENCE = re.compile("LICEN[SC]E|NOTICE")
"""The names of files with licences."""


class Library(NamedTuple):
    """A library in the programs."""

    name: str
    version: str
    licence: str
    """An expression of SPDX."""
    locator: str = ""
    """A package URL."""
    location: str = "NOASSERTION"
    link: str = "STATIC_LINK"
    texts: tuple[pathlib.Path, ...] = ()
    """The files with its licence and its notices, which must accompany a static library."""


class Archive(NamedTuple):
    """A library of Debian, and the package with its archive."""

    name: str
    package: str
    licence: str
    texts: tuple[pathlib.Path, ...] = ()


GLIBC = Archive("glibc", "libc6-dev", "LGPL-2.1-or-later", (LICENCES / "LGPL-2.1",))
GCC = Archive("libstdc++ and libgcc", "libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", (LICENCES / "GPL-3",))
ZLIB = Archive("zlib", "zlib1g-dev", "Zlib")
ARCHIVES = {
    "appinitializers": [
        Archive("libuv", "libuv1-dev", "MIT"), Archive("libyaml", "libyaml-dev", "MIT"), Archive("c-ares", "libc-ares-dev", "MIT"), GLIBC, GCC,
    ],
    # These use the system's libraries, so the package doesn't contain them.
    "appinitializers-web": [GLIBC, GCC, Archive("SQLite", "libsqlite3-dev", "blessing"), ZLIB],
    "appinitializers-fleet": [GLIBC, GCC, ZLIB],
}


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


@functools.cache
def _programs() -> list[bytes]:
    """The programs, with their symbols."""
    return [(FOLDER / ".build/release" / program).read_bytes() for program in PROGRAMS[PACKAGE]]


def _archives() -> Iterator[Library]:
    """The libraries of Debian."""
    static = PACKAGE == "appinitializers"
    for name, package, licence, texts in ARCHIVES[PACKAGE]:
        version = output("dpkg-query", "--show", "--showformat=${Version}", f"{package}:{ARCHITECTURE}")
        locator = f"pkg:deb/debian/{package.replace('+', '%2B')}@{version.replace('+', '%2B')}?arch={ARCHITECTURE}"
        copyright = DOCUMENTS / ("gcc-12-base" if package == GCC.package else package) / "copyright"
        yield Library(name, version, licence, locator, link="STATIC_LINK" if static else "DYNAMIC_LINK", texts=(copyright, *texts) if static else ())


def _packages() -> Iterator[Library]:
    """The packages of Swift of which a module is in the programs, by the symbols of the module."""
    for pin in json.loads((FOLDER / "Package.resolved").read_text())["pins"]:
        location, state = pin["location"].removesuffix(".git"), pin["state"]
        checkout = FOLDER / ".build/checkouts" / location.rpartition("/")[2]
        modules = sorted(checkout.glob("Sources/*/")) + sorted(checkout.glob("*/"))
        symbols = [f"$s{len(module.name)}{module.name}".encode() for module in modules]
        if any(symbol in program for symbol in symbols for program in _programs()):
            texts = [path for place in (checkout, *modules) for path in sorted(place.glob("*")) if LICENCE.match(path.name) and path.is_file()]
            locator = f"pkg:swift/{location.partition('//')[2]}@{state['version']}"
            yield Library(pin["identity"], state["version"], _licence(pin["identity"], texts), locator, f"git+{location}@{state['revision']}", texts=tuple(texts))


def _licence(name: str, texts: list[pathlib.Path]) -> str:
    """The licence of a package of Swift, by the words of its text."""
    text = " ".join(texts[0].read_text().split()) if texts else ""
    if "Apache License" in text:
        return SWIFT if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    sys.exit(f"cannot pack {PACKAGE}: the licence of {name} is unknown; describe it in packaging/libraries.py")


def _runtime() -> Iterator[Library]:
    """What the compiler adds. Foundation contains ICU, whose data names its version."""
    swift = os.environ.get("SWIFT", "swift")
    version = re.search(r"Swift version (\S+)", output(swift, "--version"))
    assert version, f"{swift} --version names no version"
    licence = pathlib.Path(shutil.which(swift) or "").resolve().parent.parent / "share/swift/LICENSE.txt"
    yield Library("Swift runtime and standard library", version[1], SWIFT, texts=(licence,))
    if found := next(filter(None, (re.search(rb"\bicudt(\d+)", program) for program in _programs())), None):
        yield Library("ICU", found[1].decode(), "Unicode-3.0", texts=(ROOT / "packaging/ICU-LICENSE.txt",))


def libraries() -> list[Library]:
    """All of them."""
    return [*_archives(), *_packages(), *_runtime()]
