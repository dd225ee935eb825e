"""The protocol's definitions, read from `clients/protocol.schema.json` (`initctl schema --protocol`)."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Iterable, NamedTuple, Optional

CLIENTS = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = "#/$defs/"

Form = dict[str, Any]
"""The JSON Schema of a value: with `type` (and `items`, `additionalProperties`, `enum` or `examples`), with `$ref`, or empty for anything."""


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
    sent: list[str] = []
    """The members that the supervisor always sends, although a message without them can be read."""


def read(path: Optional[pathlib.Path] = None) -> dict[str, Definition]:
    """The definitions by name, in the schema's order."""
    schema = json.loads((path or CLIENTS / "protocol.schema.json").read_text())
    return {name: definition(name, body) for name, body in schema["$defs"].items()}


def methods(path: Optional[pathlib.Path] = None) -> dict[str, dict[str, Form]]:
    """The forms of the `params` of each method, and of its `result`; a notification has no result."""
    found: dict[str, dict[str, Form]] = json.loads((path or CLIENTS / "protocol.schema.json").read_text())["methods"]
    return found


def definition(name: str, body: dict[str, Any]) -> Definition:
    required = set(body.get("required", []))
    members = [Member(member, form, member in required) for member, form in body.get("properties", {}).items()]
    return Definition(name, members, [target(each) for each in body.get("anyOf", [])], body.get("sent", []))


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


UNNUMBERED = {"lagged", "snapshot", "shutdown"}
"""The topics of the events without `seq` and `time`. All other events have both."""


def sent(each: Definition) -> Definition:
    """The definition as the supervisor sends it: members that it always sends are required."""
    members = [member._replace(required=member.required or member.name in each.sent) for member in each.members]
    return each._replace(members=members)


def words(form: Form) -> list[str]:
    """The words that a string can be; empty for any string."""
    found: list[str] = form.get("enum", form.get("examples", []))
    return found


def merged(each: Definition, definitions: dict[str, Definition]) -> Definition:
    """A definition that has the members of all its variants. Those that only some variants have aren't required."""
    if not each.variants:
        return each
    variants = [{member.name: member for member in definitions[name].members} for name in each.variants]
    members = []
    for name in dict.fromkeys(name for variant in variants for name in variant):
        found = [variant[name] for variant in variants if name in variant]
        required = len(found) == len(variants) and all(member.required for member in found)
        members.append(Member(name, joined([member.form for member in found]), required))
    return Definition(each.name, members, [])


def joined(forms: list[Form]) -> Form:
    """The form of a value that has one of these forms."""
    if all(form == forms[0] for form in forms):
        return forms[0]
    if all(words(form) for form in forms):
        return {"type": "string", "examples": list(dict.fromkeys(word for form in forms for word in words(form)))}
    return {"type": "string"} if all(form.get("type") == "string" for form in forms) else {}


def check_names(definitions: dict[str, Definition], names: Iterable[str]) -> None:
    """Fails if the schema has no definition or member of one of these names, e.g. `Pass` or `Pass.runs`."""
    existing = set(definitions) | {f"{each.name}.{member.name}" for each in definitions.values() for member in merged(each, definitions).members}
    if unknown := sorted(set(names) - existing):
        raise SystemExit(f"the protocol's schema doesn't have {', '.join(unknown)}; correct the tables in clients/types")
