"""Builds the contents of a Dockerfile as a directory; supports only the part of its language that Examples/container uses.

RUN lines aren't executed. The COPY lines of the last stage are: they copy from a build stage, i.e. files that `make build` leaves in the
repository, or directories that the stage's RUN lines create. An instruction that isn't understood is an error, so the Dockerfiles and these
tests can't diverge.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
from typing import Optional

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "Examples/container"
BUILT = {name: pathlib.Path(os.environ.get(name.upper()) or ROOT / ".build/release" / name).resolve() for name in ("initd", "initctl")}
"""The built programs."""


def libraries(program: pathlib.Path) -> list[str]:
    """The files that a program is linked with; none if it is static."""
    return re.findall(r"(/\S+) \(0x", subprocess.run(["ldd", program], capture_output=True, text=True).stdout)


NEEDED = sorted({each for program in BUILT.values() for each in libraries(program)})
"""The libraries that the programs need: none for static programs, some for debug builds."""

UNDERSTOOD = {"COPY", "RUN", "WORKDIR", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


class Stage:
    """The instructions from one FROM to the next."""

    def __init__(self, base: str, name: str) -> None:
        self.base = base
        self.name = name
        self.lines: list[tuple[str, str]] = []
        """The instructions and their arguments."""

    def all(self, instruction: str) -> list[str]:
        return [rest for word, rest in self.lines if word == instruction]

    def last(self, instruction: str) -> Optional[str]:
        return (self.all(instruction) or [None])[-1]

    def directories(self) -> set[str]:
        """The directories that its RUN lines create, with `mkdir -p` and `install -d`; the single-letter options of both take one argument each."""
        found: set[str] = set()
        where = self.last("WORKDIR") or "/"
        for command in (part for run in self.all("RUN") for part in run.split("&&")):
            words = shlex.split(command)
            if words[:2] in (["mkdir", "-p"], ["install", "-d"]):
                operands = re.sub(r"(^| )-[ogm] \S+", "", " ".join(words[2:])).split()
                found |= {os.path.join(where, word) for word in operands}
        return found


class Image:
    """The last stage of a Dockerfile."""

    def __init__(self, text: str, context: pathlib.Path = EXAMPLE, images: Optional[dict[str, Image]] = None) -> None:
        self.context = context
        self.images = images or {}
        """Other stages that it may copy from, by name."""
        self.stages = _stages(text)
        self.final = self.stages[-1]
        self.user = int((self.final.last("USER") or "0").partition(":")[0])
        self.directory = self.final.last("WORKDIR") or "/"
        self.entrypoint: list[str] = json.loads(self.final.last("ENTRYPOINT") or "[]")
        self.command: list[str] = json.loads(self.final.last("CMD") or "[]")
        self.health: list[str] = json.loads((self.final.last("HEALTHCHECK") or "").partition("CMD ")[2])
        self.environment = dict(pair.split("=", 1) for rest in self.final.all("ENV") for pair in shlex.split(rest))
        self.owned = self.final.directories()
        """Returns the directories that the stage's RUN lines create for its user."""
        self.name: Optional[str] = None
        """Returns the stage's user's name, if a RUN line creates one."""
        for run in self.final.all("RUN"):
            made = re.search(r"useradd .*--uid (\d+) (\w+)", run)
            owners = set(re.findall(r"-[og] (\w+)", run))
            assert not owners or (made and int(made[1]) == self.user and owners == {made[2]}), f"RUN {run}: another user than USER"
            if made:
                self.name = made[2]

    def write(self, root: pathlib.Path) -> None:
        """Creates the stage's contents, without those of its base."""
        for rest in self.final.all("COPY"):
            words = rest.split()
            options = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
            *sources, target = [word for word in words if not word.startswith("--")]
            assert target.endswith("/") or len(sources) == 1, f"COPY {rest}: several need a directory"
            for source in sources:
                self._copy(source, options.get("from"), root, target, options.get("chown"))
        for path in self.owned:
            (root / path.lstrip("/")).mkdir(parents=True, exist_ok=True)
            os.chown(root / path.lstrip("/"), self.user, self.user)

    def _copy(self, source: str, stage: Optional[str], root: pathlib.Path, target: str, owner: Optional[str]) -> None:
        there = root / target.lstrip("/")
        taken = self.context / source if stage is None else self._of_stage(stage, source)
        if stage is None and taken.is_dir():
            shutil.copytree(taken, there, ignore=shutil.ignore_patterns("__pycache__"))
        elif taken is None or taken.is_dir():
            there.mkdir(parents=True, exist_ok=True)
            assert taken is None, f"COPY {source}: a directory that isn't empty isn't understood"
        else:
            if target.endswith("/"):
                there = there / pathlib.Path(source).name
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(taken, there)
        if owner:
            user, _, group = owner.partition(":")
            os.chown(there, int(user), int(group))

    def _of_stage(self, name: str, source: str) -> Optional[pathlib.Path]:
        """The file of a stage at a path; None for an empty directory."""
        stage = next((each for each in self.stages if each.name == name), None)
        assert stage, f"there is no stage {name}"
        if argument := re.fullmatch(r"\$\{(\w+)\}", stage.base):
            other = self.images[argument[1]]
            assert source in other.files(), f"the image {argument[1]} has no {source}"
            return other.files()[source]
        if source in stage.directories():
            return None
        assert any("make build" in run for run in stage.all("RUN")), f"stage {name} doesn't build"
        made = {f"{stage.last('WORKDIR')}/.build/release/{program}": path for program, path in BUILT.items()}
        assert source in made, f"nothing in stage {name} makes {source}"
        return made[source]

    def files(self) -> dict[str, pathlib.Path]:
        """Returns the files that the image copies from its build, by their paths in it."""
        found: dict[str, pathlib.Path] = {}
        for rest in self.final.all("COPY"):
            *sources, target = [word for word in rest.split() if not word.startswith("--")]
            for source in sources:
                if taken := self._of_stage("build", source):
                    found[os.path.join(target, pathlib.Path(source).name) if target.endswith("/") else target] = taken
        return found


def _stages(text: str) -> list[Stage]:
    lines = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
    stages: list[Stage] = []
    for line in filter(None, (line.strip() for line in lines)):
        word, rest = line.split(None, 1)
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(base, name))
            # A stage that begins with another stage also has its instructions.
            for other in [each for each in stages if each.name == base]:
                stages[-1].base, stages[-1].lines = other.base, list(other.lines)
        elif stages:
            assert word in UNDERSTOOD, f"{word} isn't understood"
            stages[-1].lines.append((word, rest))
        else:
            assert word == "ARG", f"{word} before the first FROM isn't understood"
    return stages
