"""The types of a client, composed of the protocol's definitions."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from descriptions import check, describe, words
from schema import Definition, Form, Member, needed, target

Definitions = dict[str, Definition]


class Type(NamedTuple):
    """A type of a client. It has the members of its definitions, and of their variants."""

    name: str
    about: str
    """The comment of the type."""
    definitions: list[str]
    only: frozenset[str] = frozenset()
    """The only members, if there are any."""
    omitted: frozenset[str] = frozenset()
    required: frozenset[str] = frozenset()
    """Members that this type always has, although one of its definitions doesn't."""


class Field(NamedTuple):
    member: Member
    about: Optional[str]


def fields(definitions: Definitions, each: Type) -> list[Field]:
    """The members of a type. A member is required if all definitions of the type require it."""
    sources = expanded(definitions, each.definitions)
    found: dict[str, Field] = {}
    for source in sources:
        for member in source.members:
            if member.name in each.omitted or each.only and member.name not in each.only:
                continue
            former = found.get(member.name)
            form = member.form if former is None else joined(former.member, member, each)
            required = member.name in each.required or all(requires(other, member.name) for other in sources)
            about = describe(source, member) if former is None or former.about is None else former.about
            found[member.name] = Field(Member(member.name, form, required), about)
    missing = (each.only | each.omitted | each.required) - {member.name for source in sources for member in source.members}
    if missing:
        raise ValueError(f"{each.name} has no member {min(missing)} any more; correct its entry in clients/types")
    return list(found.values())


def expanded(definitions: Definitions, names: list[str]) -> list[Definition]:
    """The definitions with these names; instead of a definition with variants, the variants."""
    each = [definitions[name] for name in names]
    return [source for one in each for source in ([definitions[name] for name in one.variants] or [one])]


def requires(definition: Definition, name: str) -> bool:
    return any(member.name == name and member.required for member in definition.members)


def joined(first: Member, second: Member, of: Type) -> Form:
    """The form of a member that two definitions have."""
    without = [{key: value for key, value in each.form.items() if key not in ("enum", "examples")} for each in (first, second)]
    if without[0] != without[1]:
        raise ValueError(f"the member {first.name} of {of.name} has different forms: {first.form} and {second.form}")
    known = list(dict.fromkeys(words(first) + words(second)))
    if known and "items" not in first.form:
        return {**without[0], "enum": known}
    return first.form


def completed(definitions: Definitions, types: list[Type]) -> tuple[list[Type], dict[str, str]]:
    """The types and, with a default name, all further ones that they refer to; and the type's name for each definition.

    References to a definition mean its first type that isn't only a part of it.
    """
    check(definitions)
    names: dict[str, str] = {}
    for each in types:
        if not each.only:
            for name in each.definitions:
                names.setdefault(name, each.name)
    covered = {source.name for each in types for source in expanded(definitions, each.definitions)}
    further = []
    for each in types:
        for field in fields(definitions, each):
            if "$ref" in (form := inner(field.member.form)):
                further += needed(definitions, [target(form)])
    extra = []
    for definition in further:
        if definition.name in names or definition.name in covered:
            continue
        name = "".join(part[:1].upper() + part[1:] for part in definition.name.split("."))
        names[definition.name] = name
        covered.update(source.name for source in expanded(definitions, [definition.name]))
        extra.append(Type(name, f"{name} is a shape of the protocol.", [definition.name]))
    return types + extra, names


def inner(form: Form) -> dict[str, Any]:
    """The form of the elements of an array, or of a single value."""
    result: dict[str, Any] = form.get("items", form)
    return result


def listed(known: list[str]) -> str:
    """The words as in a sentence."""
    quoted = [f'"{word}"' for word in known]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]
