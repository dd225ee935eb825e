"""The protocol's definitions, read from `clients/protocol.schema.json` (`initctl schema --protocol`)."""

from __future__ import annotations

import json
import pathlib
from typing import Any, NamedTuple, Optional

CLIENTS = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = "#/$defs/"

Form = dict[str, Any]
"""The JSON Schema of a value: with `type` (and `items`, `enum` or `examples`), with `$ref`, or empty for anything."""


class Member(NamedTuple):
    name: str
    form: Form
    required: bool


class Definition(NamedTuple):
    name: str
    """The name in the schema, e.g. `Pass.Run`."""
    members: list[Member]
    variants: list[str]
    """The names of the definitions of which a value has one; then it has no members itself."""


def read(path: Optional[pathlib.Path] = None) -> dict[str, Definition]:
    """The definitions by name, in the schema's order."""
    schema = json.loads((path or CLIENTS / "protocol.schema.json").read_text())
    return {name: definition(name, body) for name, body in schema["$defs"].items()}


def definition(name: str, body: dict[str, Any]) -> Definition:
    required = set(body.get("required", []))
    members = [Member(member, form, member in required) for member, form in body.get("properties", {}).items()]
    return Definition(name, members, [target(each) for each in body.get("anyOf", [])])


def target(form: Form) -> str:
    """The name of the definition that a form refers to."""
    return form["$ref"][len(REFERENCE):]


def needed(definitions: dict[str, Definition], roots: list[str]) -> list[Definition]:
    """These definitions and all that they consist of, those that are needed first."""
    found: dict[str, Definition] = {}
    entered: set[str] = set()

    def visit(name: str) -> None:
        if name in entered:
            return
        entered.add(name)
        each = definitions[name]
        for other in each.variants + [target(form) for member in each.members for form in [member.form.get("items", member.form)] if "$ref" in form]:
            visit(other)
        found[name] = each

    for root in roots:
        visit(root)
    return list(found.values())
