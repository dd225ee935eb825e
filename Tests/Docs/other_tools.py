"""The files of other tools in docs/coming-from.md: each has the form of its language, and its own tool reads it.

`scripts/install-missing others` installs the tools that can be had. For a file whose tool can't, a parser of its language is there.
"""

from __future__ import annotations

import configparser
import importlib.util
import re
import tomllib
from typing import Callable

from markdown import ROOT, Block
from world import World

TOOLS = ROOT / ".build/others"
ARE_INSTALLED = (TOOLS / "requirements.txt").exists()


def units(text: str) -> dict[str, str]:
    """The units of a block, by name: each begins with a comment that has its name."""
    parts = re.split(r"^# (\S+\.service)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2]))


def parse_ini(text: str) -> None:
    for part in list(units(text).values()) or [text]:
        parser = configparser.RawConfigParser()
        parser.read_string(part)
        assert parser.sections(), f"no section in {part}"


def parse_lines(text: str) -> None:
    for line in text.splitlines():
        assert re.fullmatch(r"[\w-]+: \S.*", line), f"not a line of a Procfile: {line}"


def parse_shell(text: str) -> None:
    with World() as world:
        world.succeeds("bash", "-n", world.write("theirs.sh", text))


def parse_yaml(text: str) -> None:
    if importlib.util.find_spec("yaml"):
        import yaml

        yaml.safe_load(text)


def parse_brackets(text: str) -> None:
    """All brackets are closed: only the parser of the language knows more."""
    pairs = {")": "(", "]": "[", "}": "{"}
    opened = []
    for letter in re.findall(r"[][(){}]", re.sub(r'"[^"\n]*"', "", text)):
        if letter in pairs:
            assert opened and opened.pop() == pairs[letter], f"{letter} closes nothing"
        else:
            opened.append(letter)
    assert not opened, f"{opened} is open at the end"


FORMS: dict[str, Callable[[str], object]] = {
    "yml": parse_yaml, "ini": parse_ini, "toml": tomllib.loads, "sh": parse_shell, "": parse_lines, "nix": parse_brackets,
    "csharp": parse_brackets,
}
"""What parses a file, by its language."""


def read_compose(world: World, text: str) -> None:
    # The program that the package puts into bin/ calls this one, and ends with status 0 whatever it does.
    program = next(TOOLS.glob("lib/python3*/site-packages/compose/docker-compose"))
    world.succeeds(program, "--file", world.write("compose.yaml", text), "config", "--quiet")


def read_units(world: World, text: str) -> None:
    files = [world.write(name, part.replace("/srv/shop", str(world.directory))) for name, part in units(text).items()]
    world.write("postgresql.service", "[Service]\nExecStart=/bin/true\n")
    out = world.run("systemd-analyze", "verify", "--man=no", *files)
    assert out == (0, "", ""), out


def read_supervisor(world: World, text: str) -> None:
    load = "import sys; from supervisor.options import ServerOptions; ServerOptions().realize(['-c', sys.argv[1]])"
    world.succeeds(TOOLS / "bin/python", "-c", load, world.write("supervisord.conf", text))


def read_procfile(world: World, text: str) -> None:
    world.succeeds(TOOLS / "bin/honcho", "check", "--procfile", world.write("Procfile", text))


def read_yaml(world: World, text: str) -> None:
    world.succeeds(TOOLS / "bin/python", "-c", "import sys, yaml; yaml.safe_load(open(sys.argv[1]))", world.write("theirs.yaml", text))


def syntax_of(language: str) -> Callable[[World, str], None]:
    def read(world: World, text: str) -> None:
        parse = (
            f"import sys, tree_sitter, tree_sitter_{language} as language\n"
            "tree = tree_sitter.Parser(tree_sitter.Language(language.language())).parse(open(sys.argv[1], 'rb').read())\n"
            "sys.exit(f'not valid: {tree.root_node}' if tree.root_node.has_error else 0)")
        world.succeeds(TOOLS / "bin/python", "-c", parse, world.write("theirs", text))

    return read


READERS: dict[str, Callable[[World, str], None]] = {
    "Docker Compose": read_compose, "systemd units": read_units, "process-compose": read_yaml, "supervisord": read_supervisor,
    "Procfile": read_procfile, "devenv": syntax_of("nix"), ".NET Aspire": syntax_of("c_sharp"),
}
"""What reads a file, by its part of the page. The others have a parser of their language here."""
