"""The probes of the examples, read from their files."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from image import EXAMPLE, Image

UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}

IMAGE = Image((EXAMPLE / "Dockerfile").read_text())
"""The small image."""

BESIDE = Image((EXAMPLE / "Dockerfile.beside").read_text(), images={"INITD": IMAGE})
"""The image with an application."""


class Probe(NamedTuple):
    """A command, and its timeout in the engine."""

    where: str
    command: list[str]
    timeout: float


def seconds(text: str) -> float:
    """A duration in the format of these files."""
    number, unit = found(r"^(\d+)(\w*)$", text)
    return float(number) * UNITS[unit]


def found(pattern: str, text: str) -> tuple[str, ...]:
    """The groups of a pattern that must match exactly once."""
    matches = list(re.finditer(pattern, text, re.M))
    assert len(matches) == 1, f"{pattern} is there {len(matches)} times"
    return matches[0].groups()


def text(name: str) -> str:
    """A file of the example, without its comments."""
    return re.sub(r"^ *#.*\n", "", (EXAMPLE / name).read_text(), flags=re.M)


def of_image(name: str, image: Image) -> Probe:
    """The probe in HEALTHCHECK."""
    timeout = found(r"--timeout=(\w+)", image.final.last("HEALTHCHECK") or "")[0]
    return Probe(f"{name}: HEALTHCHECK", image.health, seconds(timeout))


def of_compose() -> Probe:
    """The probe in the service's `healthcheck`."""
    command = json.loads(found(r"^ +test: (\[.*\])$", text("compose.yaml"))[0])
    assert command[0] == "CMD", command
    return Probe("compose.yaml: healthcheck", command[1:], seconds(found(r"^ +timeout: (\w+)$", text("compose.yaml"))[0]))


def of_kubernetes(kind: str) -> Probe:
    """The probe `startupProbe`, `readinessProbe` or `livenessProbe`."""
    block = found(rf"^ +{kind}:\n((?: {{12,}}.*\n)+)", text("kubernetes.yaml"))[0]
    command = json.loads(found(r"^ +exec: { command: (\[.*\]) }$", block)[0])
    return Probe(f"kubernetes.yaml: {kind}", command, float(found(r"^ +timeoutSeconds: (\d+)$", block)[0]))


def all_probes() -> list[Probe]:
    """All probes of both images."""
    kinds = ("startupProbe", "readinessProbe", "livenessProbe")
    return [of_image("Dockerfile", IMAGE), of_image("Dockerfile.beside", BESIDE), of_compose(), *map(of_kubernetes, kinds)]
