"""The types of the Node client: interfaces with the protocol's names."""

from __future__ import annotations

import textwrap

import schema
from schema import Definition, Form, Member

ROOTS = ["Status", "LogLine", "HistoryRequest.Result", "LaunchRequest.Result", "ActivateRequest.Result", "ConfigurationChanges", "WireError.Standing", "Status.Event"]
"""The definitions that users of the client get. All that these consist of is generated too."""

NAMES = {
    "InitializationError": "Failure",
    "Initializer.Progress": "Progress",
    "Initializer.Skip": "Skipped",
    "Initializer.Again": "Again",
    "Initializer.Once": "Once",
    "Status.State": "State",
    "Status.Group": "Group",
    "Status.Worker": "WorkerConnection",
    "Status.Process": "Process",
    "Status.PassInFlight": "PassInFlight",
    "Status.Event": "Event",
    "Pass.Run": "RunRecord",
    "Pass.InitializerTimes": "InitializerTimes",
    "HistoryRequest.Result": "History",
    "LaunchRequest.Result": "Launched",
    "ActivateRequest.Result": "Activated",
    "ConfigurationChanges": "Reloaded",
    "ConfigurationChanges.Change": "Redefined",
    "ConfigurationChanges.Finding": "Finding",
    "WireError.Standing": "Standing",
}
"""Names that users know; the others are the schema's without dots."""

OMITTED = {"HistoryRequest.Result.more", "HistoryRequest.Result.before"}
"""Members that users don't get, because the client uses them itself."""

NOTES = {
    "Cause": "Why a run failed, or how a process ended.",
    "Cause.status": "The exit status.",
    "Cause.after": "The timeout in seconds.",
    "Cause.user": "The user that has cancelled the run.",
    "InitializationError": "The reason why a pass failed, and the initializer that caused it.",
    "InitializationError.errors": "All failures of a pass that kept going after its first one, including the first one.",
    "Initializer": "An initializer, and its last run.",
    "Initializer.waitsFor": "With the providers `waitFor` and `process`: the target that it waits for, e.g. `localhost:5432`.",
    "Initializer.process": "The process of the supervisor that registers it, if the manifest names it.",
    "Initializer.available": "Whether the initializer can run now.",
    "Initializer.stale": "The initializer is complete, but a dependency has run since then.",
    "Initializer.changed": "The initializer failed, and a reload has changed its work since then.",
    "Initializer.pid": "The process id of the initializer's command, while the command runs.",
    "Initializer.killed": "Why the command was killed, if it ignored SIGTERM after a timeout.",
    "Initializer.Progress": "The last report of an initializer's run; each member is left out until it is reported.",
    "Initializer.Skip": "Why an initializer or a process isn't run although nothing has failed.",
    "Initializer.Again": "Why an initializer runs again although an earlier supervisor has run it.",
    "Initializer.Again.initializer": "With the reason `dependency`: the initializer on which it depends.",
    "Initializer.Once": "The release for which an initializer runs once.",
    "Initializer.Once.fence": "The fencing token of its last run on this host.",
    "Status": "The complete state of the supervisor at one moment. Durations are in seconds, and times are seconds since the Unix epoch.",
    "Status.seq": "The number of the last event.",
    "Status.instance": "Identifies one execution of a supervisor: if it differs, passes and runs count from 1 again.",
    "Status.subscribers": "How many connections get events.",
    "Status.fence": "The fencing token of the client that holds the app active with a lease.",
    "Status.State": "The state of launch, of active, or of both together.",
    "Status.Process": "A process that the supervisor keeps running.",
    "Status.Process.skipped": "Why the process isn't started although nothing has failed.",
    "Status.Group": "A group of initializers.",
    "Status.Group.places": "The maximum number of them that run at once.",
    "Status.PassInFlight": "A pass in flight.",
    "Status.PassInFlight.opened": "Left out while an active pass waits for launch.",
    "Status.Worker": "A connection that provides initializers.",
    "Status.Event": (
        "An event. `snapshot` comes first, and again when events were missed: replace your state by it. Durations are in seconds, and times "
        "are seconds since the Unix epoch. A topic that isn't listed may come from a later supervisor."
    ),
    "LogLine": "A line of a command's output.",
    "LogLine.time": "In seconds since the Unix epoch.",
    "LogLine.instance": "The earlier supervisor that executed the attempt; left out for the present one.",
    "HistoryRequest.Result": "The result of `history`.",
    "HistoryRequest.Result.summaries": "With `summaries`: where the time went.",
    "HistoryRequest.Result.usual": "With `usual`: how long each phase and each initializer usually takes.",
    "Pass": "A pass: one execution of a phase. Durations are in seconds, and times are seconds since the Unix epoch.",
    "Pass.Run": "A run in the history.",
    "Pass.Times": "Where the time of a pass went.",
    "Pass.InitializerTimes": "Where the time of an initializer in a pass went.",
    "Usual": "How long a phase usually takes.",
    "Usual.Initializer": "How long an initializer usually takes.",
    "LaunchRequest.Result": "The result of `launch`: the pass that it started or joined, else the last launch pass.",
    "ActivateRequest.Result": "The result of `activate`: the pass that it started or joined, else the last active pass.",
    "ConfigurationChanges": "The result of `reload`: names of initializers, and of processes that the supervisor keeps running.",
    "ConfigurationChanges.changed": "The initializers and processes whose work differs.",
    "ConfigurationChanges.unchanged": "The number of unchanged initializers and processes.",
    "ConfigurationChanges.fromNextRun": "The unchanged initializers with a changed setting that takes effect at the next run, e.g. the timeout.",
    "ConfigurationChanges.settings": "The changed settings of the supervisor, in the manifest's words.",
    "ConfigurationChanges.warnings": "Warnings about valid but probably unintended parts.",
    "ConfigurationChanges.Change": "A changed initializer or process, with the changed keys in the manifest's words.",
    "ConfigurationChanges.Finding": "A mistake in a configuration, or a warning about it.",
    "WireError.Standing": "An initializer that a request couldn't be applied to, and its status.",
}
"""What a definition or a member is, by its name in the schema."""

WIDTH = 140

HEAD = """// The shapes of the protocol. Durations are in seconds here, and times are seconds since the Unix epoch. A later supervisor may add members
// and names: expect a name that isn't listed, and show it as it is.
//
// clients/types/generate makes this file from clients/protocol.schema.json. Don't edit it.

import type { Word } from './values.js';

/** The members of a numbered event. */
export interface Numbered {
  seq: number;
  time: number;
}
"""


def shapes(definitions: dict[str, Definition]) -> str:
    schema.check_names(definitions, [*ROOTS, *NAMES, *NOTES, *OMITTED])
    found = schema.needed({name: offered(each) for name, each in definitions.items()}, ROOTS)
    variants = {name for each in found for name in each.variants}
    text = HEAD + topics(definitions["SubscribeRequest"])
    for each in found:
        if each.name == "Status.Event":
            topics_of = "\n".join(event(definitions[name]) for name in each.variants)
            text += f"\n{note(each.name)}export type {public(each.name)} =\n{topics_of};\n"
        elif each.name not in variants:
            text += "\n" + interface(schema.sent(schema.merged(each, definitions)))
    return text


def topics(subscription: Definition) -> str:
    (form,) = [member.form["items"] for member in subscription.members if member.name == "topics"]
    return f"\n/** A topic of a subscription. */\nexport type Topic = {type_of({**form, 'enum': [], 'examples': form['enum']})};\n"


def offered(each: Definition) -> Definition:
    """The definition without the members that users don't get."""
    return each._replace(members=[member for member in each.members if f"{each.name}.{member.name}" not in OMITTED])


def interface(each: Definition) -> str:
    lines = [note(f"{each.name}.{member.name}", "  ") + f"  {typed(member)};\n" for member in each.members]
    return note(each.name) + f"export interface {public(each.name)} {{\n{''.join(lines)}}}\n"


def event(variant: Definition) -> str:
    """One topic: the numbered events always have `seq` and `time`, and the others never."""
    members = [member for member in variant.members if member.name not in ("seq", "time")]
    (topic,) = [schema.words(member.form)[0] for member in members if member.name == "topic"]
    start, end = ("{", "}") if topic in schema.UNNUMBERED else ("(Numbered & {", "})")
    line = f"  | {start} {'; '.join(map(typed, members))} {end}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"  | {start}", *(f"      {typed(member)};" for member in members), f"    {end}"])


def note(name: str, indent: str = "") -> str:
    """The comment of a definition or of a member."""
    text = NOTES.get(name)
    if text is None:
        return ""
    line = f"{indent}/** {text} */\n"
    if len(line) <= WIDTH:
        return line
    mark = f"{indent} * "
    return "\n".join([f"{indent}/**", *textwrap.wrap(text, WIDTH, initial_indent=mark, subsequent_indent=mark), f"{indent} */", ""])


def typed(member: Member) -> str:
    return f"{member.name}{'' if member.required else '?'}: {type_of(member.form)}"


def public(name: str) -> str:
    return NAMES.get(name, name.replace(".", ""))


def type_of(form: Form) -> str:
    if "$ref" in form:
        return public(schema.target(form))
    match form.get("type"):
        case "array":
            items = type_of(form["items"])
            return f"({items})[]" if " | " in items and not items.startswith("Word<") else f"{items}[]"
        case "string" if form.get("enum"):
            return alternatives(form["enum"])
        case "string" if form.get("examples"):
            return f"Word<{alternatives(form['examples'])}>"
        case "string":
            return "string"
        case "integer" | "number":
            return "number"
        case "boolean":
            return "boolean"
        case "object":
            return f"Record<string, {type_of(form.get('additionalProperties', {}))}>"
        case _:
            return "unknown"


def alternatives(words: list[str]) -> str:
    return " | ".join(f"'{word}'" for word in words)


FILES = {"node/types/shapes.d.ts": shapes}
