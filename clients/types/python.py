"""The types of the Python client: dictionaries with the protocol's names."""

from __future__ import annotations

import keyword
import textwrap

import schema
from schema import Definition, Form, Member

ROOTS = ["Status", "LogLine", "Pass", "Pass.Times", "Usual", "LaunchRequest.Result", "ActivateRequest.Result", "ConfigurationChanges", "WireError.Standing", "Status.Event"]
"""The definitions that users of the client get. All that these consist of is generated too."""

NAMES = {
    "InitializationError": "Failure",
    "Initializer.Progress": "Progress",
    "Initializer.Skip": "Skipped",
    "Initializer.Again": "Again",
    "Initializer.Once": "Once",
    "Status.State": "State",
    "Status.Group": "Group",
    "Status.Worker": "WorkerShape",
    "Status.Process": "Process",
    "Status.PassInFlight": "PassInFlight",
    "Status.Event": "Event",
    "Pass": "PassRecord",
    "Pass.Run": "RunRecord",
    "Pass.InitializerTimes": "InitializerTimes",
    "LaunchRequest.Result": "Launched",
    "ActivateRequest.Result": "Activated",
    "ConfigurationChanges": "Reloaded",
    "ConfigurationChanges.Change": "Redefined",
    "ConfigurationChanges.Finding": "Finding",
    "WireError.Standing": "Standing",
}
"""Names that users know; the others are the schema's without dots."""

NOTES = {
    "Cause": "Why a run failed, or how a process ended.",
    "InitializationError": "Why a pass failed. `message` can be shown. `errors` has all failures of a pass that kept going after its first one.",
    "Initializer.Skip": "The reason why an initializer or a process isn't run although nothing has failed.",
    "Initializer.Again": "Why an initializer runs again although an earlier supervisor has run it.",
    "Initializer.Progress": "The last report of an initializer's run.",
    "Initializer.Once": "The release for which an initializer runs once. `fence` is the fencing token of its last run on this host.",
    "Status.State": "The state of launch, of active, or of both together.",
    "Initializer": "An initializer, and its last run.",
    "Status.PassInFlight": "A pass in flight. `opened` is left out while an active pass waits for launch.",
    "Status.Worker": "A connection that provides initializers.",
    "Status.Process": "A process that the supervisor keeps running.",
    "Status.Group": "A group of initializers, of which at most `places` run at once.",
    "Status": "The complete state of a supervisor at one moment.",
    "LogLine": "A line of output. It may contain control characters: escape them before you print it.",
    "Pass": "A pass in the history.",
    "Pass.Run": "A run in the history.",
    "Pass.Times": "Where the time of a pass went.",
    "Pass.InitializerTimes": "Where the time of an initializer in a pass went.",
    "Usual": "How long a phase usually takes.",
    "Usual.Initializer": "How long an initializer usually takes.",
    "LaunchRequest.Result": "The answer to `launch`: the pass that it started or joined, else the last launch pass.",
    "ActivateRequest.Result": "The answer to `activate`: the pass that it started or joined, else the last active pass.",
    "ConfigurationChanges": "The answer to `reload`: the differences. `unchanged` is how many initializers and processes stay as they are.",
    "ConfigurationChanges.Change": "A changed initializer or process, with the changed keys in the manifest's words.",
    "ConfigurationChanges.Finding": "A mistake in a configuration, or a warning about it.",
    "WireError.Standing": "An initializer that a request couldn't be applied to, and its status.",
    "Status.Event": "An event. `topic` says which members it has; `initializer` is an `Initializer`, or in log lines a name.",
}

WIDTH, INDENT = 140, "    "

HEAD = '''"""The protocol's shapes, for type checkers: dictionaries with the protocol's names. PROTOCOL.md describes their members.

Accept names that you don't know: a later version of the supervisor may add states, kinds of causes, topics and members.

clients/types/generate makes this file from clients/protocol.schema.json. Don't edit it.
"""

from __future__ import annotations

from typing import Any, TypedDict

from .words import Priority as Priority
from .words import Target as Target
'''


def shapes(definitions: dict[str, Definition]) -> str:
    schema.check_names(definitions, [*ROOTS, *NAMES, *NOTES])
    found = schema.needed(definitions, ROOTS)
    variants = {name for each in found for name in each.variants}
    return HEAD + "".join(shape(schema.sent(schema.merged(each, definitions))) for each in found if each.name not in variants)


def shape(each: Definition) -> str:
    """The class of a shape. If only some members are required, it has a base with these.

    Members that are keywords can't be in a class, so a base has them.
    """
    name, note = public(each.name), described(each)
    required = [member for member in each.members if member.required]
    optional = [member for member in each.members if not member.required]
    base, rest = (optional, required) if keywords(optional) or not required else (required, optional)
    if not keywords(base) and not (base and rest):
        return block(name, "TypedDict", base is required, base, note)
    text = function if keywords(base) else block
    return text(f"_{name}", "TypedDict", base is required, base, "") + block(name, f"_{name}", rest is required, rest, note)


def block(name: str, base: str, total: bool, members: list[Member], note: str) -> str:
    lines = [f"class {name}({base}{'' if total or not members else ', total=False'}):"]
    if note:
        lines += textwrap.wrap(f'"""{note}"""', WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    if note and members:
        lines.append("")
    lines += [f"{INDENT}{member.name}: {type_of(member.form)}" for member in members]
    if not note and not members:
        lines.append(f"{INDENT}pass")
    return "\n".join(["", "", *lines, ""])


def function(name: str, base: str, total: bool, members: list[Member], _: str) -> str:
    types = [f'"{member.name}": {type_of(member.form)}' for member in members]
    line = f"{name} = {base}(\"{name}\", {{{', '.join(types)}}}{'' if total else ', total=False'})"
    if len(line) <= WIDTH:
        return f"\n\n{line}\n"
    lines = [f'    "{name}",', "    {", *(f"        {each}," for each in types), "    },", *([] if total else ["    total=False,"])]
    return "\n".join(["", "", f"{name} = {base}(", *lines, ")", ""])


def keywords(members: list[Member]) -> bool:
    return any(keyword.iskeyword(member.name) for member in members)


def public(name: str) -> str:
    return NAMES.get(name, name.replace(".", ""))


def described(each: Definition) -> str:
    """What the shape is, and the words that its members can be."""
    words = [(member, schema.words(member.form.get("items", member.form))) for member in each.members]
    sentences = [f"`{member.name}` {'has' if 'items' in member.form else 'is'} {listed(known)}." for member, known in words if known]
    if each.name in NOTES:
        sentences.insert(0, NOTES[each.name])
    return " ".join(sentences)


def listed(words: list[str]) -> str:
    quoted = [f'"{word}"' for word in words]
    return " or ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


def type_of(form: Form) -> str:
    if "$ref" in form:
        return public(schema.target(form))
    match form.get("type"):
        case "array":
            return f"list[{type_of(form['items'])}]"
        case "string":
            return "str"
        case "integer":
            return "int"
        case "number":
            return "float"
        case "boolean":
            return "bool"
        case "object":
            return f"dict[str, {type_of(form.get('additionalProperties', {}))}]"
        case _:
            return "Any"


FILES = {"python/appinitializers/shapes.py": shapes}
