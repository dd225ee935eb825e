"""README.md's pictures are drawn from what the programs show now, and each is shown."""

from __future__ import annotations

import os
import subprocess
from typing import Callable, Iterator

from markdown import ROOT
from world import DEADLINE, INITCTL, INITD


def checks() -> Iterator[tuple[str, Callable[[], None]]]:
    yield "README.md: the pictures have the words of the programs, and refer to nothing elsewhere", as_the_programs_show
    yield "README.md: each picture is shown", each_is_shown


def as_the_programs_show() -> None:
    environment = os.environ | {"INITD": str(INITD), "INITCTL": str(INITCTL), "CONFORMANCE_DEADLINE": str(DEADLINE)}
    done = subprocess.run([ROOT / "scripts/pictures", "--check"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def each_is_shown() -> None:
    readme = (ROOT / "README.md").read_text()
    for path in sorted((ROOT / "docs/pictures").glob("*.svg")):
        assert f'"docs/pictures/{path.name}"' in readme, f"{path.name} is in no picture of README.md"
