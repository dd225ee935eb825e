"""Writes the shapes of the Go client. The text is as gofmt writes it."""

from __future__ import annotations

import textwrap
from typing import NamedTuple

import compose
from compose import Definitions, Field, Type
from descriptions import words
from schema import Definition, target
from units import unit

RUN_INFO = frozenset({"run", "attempt", "attempts", "started", "duration"})
PASS = frozenset({"pass", "phase", "opened"})

# fmt: off
TYPES = [
    Type("State", "State is the state of a phase, a pass, an initializer, or both phases together.", ["Status.State"]),
    Type("Failure", "Failure says why a pass failed, and which initializer caused it.", ["InitializationError"]),
    Type("Cause", "Cause says how a run failed, or how a process ended.", ["Cause"]),
    Type("Status", "Status is the complete state of a supervisor at one moment.", ["Status"]),
    Type("Group", "Group is a group of initializers of which only some run at once.", ["Status.Group"]),
    Type("Pass", "Pass says which pass it is, and when its runs could begin: Opened is nil while an active pass waits for launch.",
         ["Status.PassInFlight"]),
    Type("RunInfo", "RunInfo says which run it is, and when it worked. Attempts is set if there may be more than one.",
         ["Initializer", "Pass.Run"], only=RUN_INFO),
    Type("InitializerStatus", "InitializerStatus is an initializer with its last run.", ["Initializer"], omitted=RUN_INFO),
    Type("Skipped", "Skipped is why an initializer or a process isn't run although nothing has failed.", ["Initializer.Skip"]),
    Type("Again", "Again is why an initializer runs again although an earlier supervisor with the same state directory has run it.",
         ["Initializer.Again"]),
    Type("Progress", "Progress is the last report of a run.", ["Initializer.Progress"]),
    Type("Once", "Once describes an initializer that runs once for a release, on one host of a fleet.", ["Initializer.Once"]),
    Type("WorkerStatus", "WorkerStatus is a connection that provides initializers.", ["Status.Worker"]),
    Type("ProcessStatus", "ProcessStatus is a process that the supervisor keeps running.", ["Status.Process"]),
    Type("LogLine", "LogLine is a line of output of a command, or of a process that the supervisor keeps running.", ["LogLine"]),
    Type("Requested", "Requested is the answer to a request for a pass: its number, and the states after the request.",
         ["LaunchRequest.Result", "ActivateRequest.Result"], required=frozenset({"active"})),
    Type("HistoryQuery", "HistoryQuery selects the result of [Client.History]. The zero value is the last pass.", ["HistoryRequest"],
         omitted=frozenset({"before"})),
    Type("History", "History is the supervisor's record of its passes, the newest last.", ["HistoryRequest.Result"],
         omitted=frozenset({"more", "before"})),
    Type("PassRecord", "PassRecord is a pass with its runs, in the order in which they ended.", ["Pass"], omitted=PASS),
    Type("RunRecord", "RunRecord is a run. A run started at the latest of Ready, Provided and Freed: that was its last wait.", ["Pass.Run"],
         omitted=RUN_INFO),
    Type("PassSummary", "PassSummary says where the time of a pass went.", ["Pass.Times"]),
    Type("InitializerSummary", "InitializerSummary says where the time of an initializer went in a pass.",
         ["Pass.InitializerTimes", "Usual.Initializer"]),
    Type("UsualPhase", "UsualPhase says how long a phase and its initializers usually take: the medians of complete passes.", ["Usual"]),
    Type("ReloadOptions", "ReloadOptions says how [Client.Reload] reloads.", ["ReloadRequest"]),
    Type("Reloaded", "Reloaded describes the differences between the supervisor's previous configuration and the configuration that it has "
         "read. The names are those of initializers and of processes that the supervisor keeps running.", ["ConfigurationChanges"]),
    Type("Redefined", "Redefined is a changed initializer or process, with the changed keys.", ["ConfigurationChanges.Change"]),
    Type("Finding", "Finding is a mistake in a configuration, or a warning about it.", ["ConfigurationChanges.Finding"]),
]
# fmt: on

ABOUT_EVENT = "Event is a change in the supervisor. Topic says which members are set; an unknown one has only Raw."

GENERAL = ["topic", "seq", "time"]
"""The members that the events of all topics may have."""

EMBEDDED = {"InitializerStatus": "RunInfo", "PassRecord": "Pass", "RunRecord": "RunInfo"}
"""The type that a type embeds, which has its omitted members."""

NAMES = {"pid": "PID", "cpu": "CPU", "error": "Failure", "State.state": "Outcome", "Pass.pass": "Number", "Event.status": "PassStatus"}
"""The names of fields, by the member's name or by the names of the type and the member. Other names begin with a capital."""

WORDS = {
    "lifecycle": "Lifecycle",
    "outcome": "Outcome",
    "phase": "Phase",
    "priority": "Priority",
    "topic": "Topic",
    "State.state": "Outcome",
    "InitializerStatus.status": "Activity",
    "Event.status": "PassStatus",
    "Event.changed": "Topic",
}
"""The types of members that are texts of an enumeration, by the same names. The other ones are strings."""

BIG = {"pass", "run", "seq", "fence"}
"""The integers that are an int64; the other ones are an int."""

POINTERS = {
    "Cause.status",
    "Progress.fraction",
    "RunRecord.ready",
    "PassSummary.held",
    "PassSummary.duration",
    "InitializerSummary.running",
}
"""Members that are pointers, so that programs can tell 0 from a missing member. Times, durations and shapes are, if they are optional."""


class Line(NamedTuple):
    """A field of a struct; an embedded one has only a name."""

    about: list[str]
    name: str
    type: str = ""
    tag: str = ""


def shapes(definitions: Definitions) -> str:
    types, names = compose.completed(definitions, TYPES)
    parts = ["// Code generated by clients/types/generate. DO NOT EDIT.\n\npackage initd\n\nimport \"encoding/json\"\n"]
    parts += [struct(each, compose.fields(definitions, each), names) for each in types]
    parts.append(event(definitions, names))
    return "\n".join(parts)


def struct(each: Type, fields: list[compose.Field], names: dict[str, str]) -> str:
    embedded = [Line([], EMBEDDED[each.name])] if each.name in EMBEDDED else []
    return written(comment(each.about), each.name, embedded + [line(each, field, names) for field in fields])


def written(about: list[str], name: str, lines: list[Line]) -> str:
    """A struct, with the columns of consecutive fields aligned."""
    text = about + [f"type {name} struct {{"]
    block: list[Line] = []

    def flush() -> None:
        widths = [max((len(each[column]) for each in block), default=0) for column in (1, 2)]
        text.extend("\t" + f"{each.name:{widths[0]}} {each.type:{widths[1]}} {each.tag}".rstrip() for each in block)
        block.clear()

    for each in lines:
        if each.about or not each.type:
            flush()
        text.extend("\t" + part for part in each.about)
        block.append(each)
        if not each.type:
            flush()
    flush()
    return "\n".join(text + ["}\n"])


def comment(text: str, width: int = 137) -> list[str]:
    return ["// " + part for part in textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)]


def line(each: Type, field: Field, names: dict[str, str]) -> Line:
    member = field.member
    about = field.about or ""
    if (known := words(member)) and word_type(each, member.name) is None:
        about = f"{about} It is {compose.listed(known)}.".lstrip()
    tag = member.name if member.required else f"{member.name},omitempty"
    return Line(comment(about, 133), field_name(each, member.name), go_type(each, field, names), f'`json:"{tag}"`')


def field_name(each: Type, member: str) -> str:
    return NAMES.get(f"{each.name}.{member}") or NAMES.get(member) or member[:1].upper() + member[1:]


def word_type(each: Type, member: str) -> str | None:
    return WORDS.get(f"{each.name}.{member}") or WORDS.get(member)


def go_type(each: Type, field: Field, names: dict[str, str]) -> str:
    member, form = field.member, field.member.form
    if form.get("type") == "array":
        return "[]" + element(each, member.name, form["items"], names)
    found = element(each, member.name, form, names)
    is_shape = "$ref" in form or found in ("Time", "Duration")
    if f"{each.name}.{member.name}" in POINTERS or is_shape and not member.required:
        return "*" + found
    return found


def element(each: Type, member: str, form: compose.Form, names: dict[str, str]) -> str:
    if "$ref" in form:
        return names[target(form)]
    match form.get("type"):
        case "string":
            return word_type(each, member) or "string"
        case "boolean":
            return "bool"
        case "integer":
            return "int64" if member in BIG else "int"
        case "number":
            return {"time": "Time", "duration": "Duration", "fraction": "float64"}[unit(member)]
        case _:
            return "json.RawMessage"


def event(definitions: Definitions, names: dict[str, str]) -> str:
    """An event, and the method that reads the members of its topic. The line of a log is a shape of its own."""
    variants = [definitions[name] for name in definitions["Status.Event"].variants if name != "Status.Event.log"]
    each = Type("Event", ABOUT_EVENT, [variant.name for variant in variants])
    found = {field.member.name: field for field in compose.fields(definitions, each)}
    text = [
        "// decode reads the members of the event's topic, except those of a log line. It calls into with the name and the target of each.",
        "func (e *Event) decode(into func(name string, target any)) {",
    ]
    text += [f'\tinto("{name}", &e.{field_name(each, name)})' for name in GENERAL]
    text.append("\tswitch e.Topic {")
    for variant in variants:
        text += decoding(each, variant, [found[member.name] for member in variant.members if member.name not in GENERAL], names)
    order = GENERAL + [name for name in found if name not in GENERAL]
    lines = [event_line(each, found[name], names, variants) for name in order] + [
        Line(["// The line of output. Only TopicLog has it."], "Line", "*LogLine"),
        Line(["// Why the connection was lost. Only TopicLost has it."], "Err", "error"),
        Line(["// All members as JSON. It is empty with TopicLost."], "Raw", "json.RawMessage"),
    ]
    return written(comment(each.about), each.name, lines) + "\n" + "\n".join(text + ["\t}", "}\n"])


def decoding(each: Type, variant: Definition, own: list[Field], names: dict[str, str]) -> list[str]:
    """The case of a topic. A shape that the topic always has is never nil."""
    if not own:
        return []
    text = [f"\tcase {topic(variant)}:"]
    required = {member.name for member in variant.members if member.required}
    for field in own:
        member, name, found = field.member.name, field_name(each, field.member.name), event_type(each, field, names)
        if found.startswith("*") and member in required:
            text += [f"\t\te.{name} = &{found[1:]}{{}}", f'\t\tinto("{member}", e.{name})']
        else:
            text.append(f'\t\tinto("{member}", &e.{name})')
    return text


def event_type(each: Type, field: Field, names: dict[str, str]) -> str:
    """The type of a member, which is optional because each topic has other members. A State and a Time are values nevertheless."""
    found = go_type(each, field, names)
    return found[1:] if found in ("*State", "*Time") else found


def event_line(each: Type, field: Field, names: dict[str, str], variants: list[Definition]) -> Line:
    name, about = field.member.name, field.about or ""
    topics = [topic(variant) for variant in variants if any(member.name == name for member in variant.members)]
    if name not in GENERAL:
        about += f" Only {' and '.join(topics)} {'has' if len(topics) == 1 else 'have'} it."
    return Line(comment(about.lstrip(), 133), field_name(each, name), event_type(each, field, names))


def topic(variant: Definition) -> str:
    """The constant of a variant's topic."""
    word = variant.name.rpartition(".")[2]
    return f"Topic{word[:1].upper()}{word[1:]}"


FILES = {"go/shapes_generated.go": shapes}
