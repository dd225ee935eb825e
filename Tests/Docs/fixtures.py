"""The fixture for tests of applications: the example in clients/python/README.md, and the tests in Examples/tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
import threading
from typing import Callable, Iterator

from markdown import ROOT, Document
from world import World

README = Document(ROOT / "clients/python/README.md")
EXAMPLE = Document(ROOT / "Examples/tests/README.md")
_installing = threading.Lock()


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "clients/python/README.md: the fixture gives a test an app", the_fixture_of_the_readme
    yield "clients/python/README.md: it has every member and option of the fixture", every_member_and_option
    yield "Examples/tests: the three fixtures hold the supervisor in the same way", the_same_scripts
    yield "Examples/tests/README.md: the tests in Python pass", lambda: commands("python", r"3 passed")
    yield "Examples/tests/README.md: the command for any language", lambda: commands("any", r'^port \d+, prices {"emma":1200,"ulysses":1800}\n$')


def with_pytest(world: World) -> None:
    """Puts a Python with pytest into the PATH of a world."""
    with _installing:
        subprocess.run([ROOT / "scripts/install-missing", "pytest"], check=True, stdout=subprocess.DEVNULL)
    world.environment["PATH"] = f"{ROOT / '.build/pytest/bin'}:{world.environment['PATH']}"
    world.environment["PYTHONDONTWRITEBYTECODE"] = "1"


def the_fixture_of_the_readme() -> None:
    blocks = [block for block in README.blocks() if block.section == "Tests of an application"]
    assert [block.language for block in blocks] == ["yaml", "python", "python"], blocks
    with World() as world:
        with_pytest(world)
        for name, block in zip(("ci.yaml", "conftest.py", "test_page.py"), blocks):
            world.write(name, block.text)
        out = world.succeeds("python3", "-m", "pytest", "-q")
        assert "1 passed" in out, out


def every_member_and_option() -> None:
    text = "\n".join(README.lines)
    code = (ROOT / "clients/python/appinitializers/testing.py").read_text()
    app = code[code.index("class App:") : code.index("@contextlib.contextmanager")]
    members = set(re.findall(r"def ([a-z]\w*)\(self", app)) | set(re.findall(r"self\.([a-z]\w*)\b(?!\()", app))
    rows = re.findall(r"^\| (`.*?) \|", text[text.index("## Tests of an application") : text.index("## When the connection")], re.M)
    shown = set(re.findall(r"`(\w+)", " ".join(rows)))
    assert shown == members, shown ^ members
    options = re.findall(r"^    (\w+): .* = ", code[code.index("def supervisor(") :], re.M)
    signature = re.search(r"`supervisor\(manifest, ([^)]*)\)`", text)
    assert signature and re.findall(r"(\w+)=", signature[1]) == options, options


def the_same_scripts() -> None:
    """The script that stops the supervisor when the tests end is tested in the clients for Python and Node."""
    files = ("clients/python/appinitializers/testing.py", "clients/node/lib/testing.js", "Examples/tests/swift/Supervisor.swift")
    scripts = [re.search(r"^ *directory=\$1\n.*?^ *exit \S+\n", (ROOT / file).read_text(), re.M | re.S) for file in files]
    texts = [script and textwrap.dedent(script[0]) for script in scripts]
    assert None not in texts and len(set(texts)) == 1, texts


def commands(note: str, expected: str) -> None:
    """Runs the block of the README with this note, in a copy of the folder."""
    [block] = [block.text for block in EXAMPLE.blocks() if block.note == note]
    with World() as world:
        with_pytest(world)
        del world.environment["PYTHONPATH"]
        folder = world.directory / "Examples/tests"
        shutil.copytree(EXAMPLE.path.parent, folder)
        (world.directory / "clients").symlink_to(ROOT / "clients")
        out = world.succeeds("bash", "-e", "-c", f"cd Examples/tests\n{block}")
        assert re.search(expected, out), out
