"""A case of the model test: a manifest and a list of actions. It can be played, and made smaller if it fails."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from typing import Any, Iterator, Optional

from checker import Violation, line
from world import HARMLESS, Action, Plan, World, manifest

ATTEMPTS = 10
"""How often a failed case is repeated to measure how often it fails."""


@dataclasses.dataclass
class Case:
    plan: Plan
    actions: list[Action]
    fault: Optional[BaseException] = None
    shown: list[str] = dataclasses.field(default_factory=list)
    """The events that led to the violation."""

    def play(self, record: Optional[str] = None) -> None:
        """Raises the violation. `record` is a file for the observed events."""
        try:
            with World(self.plan) as world:
                try:
                    for action in self.actions:
                        world.play(action)
                    rest = world.rest()
                finally:
                    self.shown = [line(each) for each in world.seen]
                if record is not None:
                    write(record, dataclasses.asdict(world.recording(rest)))
                world.end()
        except Exception as fault:
            self.fault = fault
            self.shown = fault.leading if isinstance(fault, Violation) else self.shown
            raise

    @property
    def kind(self) -> Any:
        """The violation without its details."""
        return self.fault.rule if isinstance(self.fault, Violation) else type(self.fault)

    def fails(self, kind: Any, times: int) -> bool:
        """Returns whether it fails in this way within this many repetitions: a fault may depend on timing."""
        for _ in range(times):
            try:
                self.play()
            except Exception:
                if self.kind == kind:
                    return True
        return False

    def show(self, path: str) -> None:
        """Prints the case, and saves it as a file."""
        write(path, {"plan": self.plan, "actions": self.actions})
        refused = [f"INITD_REFUSE={self.plan['refuse']}"] if "refuse" in self.plan else []
        print("\n".join(["", "The manifest:", manifest(self.plan), *refused, "The actions:", *(f"  {each}" for each in self.actions)]))
        print("\n".join(["", "The events that led to it:", *self.shown[-80:]]))
        print(f"\n{type(self.fault).__name__}: {self.fault}\n\nTests/Model/run --replay {path}")

    @classmethod
    def read(cls, path: str) -> Case:
        with open(path) as file:
            read = json.load(file)
        return cls(read["plan"], [tuple(each) for each in read["actions"]])


def write(path: str, value: Any) -> None:
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "w") as file:
        json.dump(value, file, separators=(",", ":"))


def shrunk(case: Case, seconds: float) -> Case:
    """The smallest failing case found in this many seconds.

    Hypothesis' own shrinking gives up if a case doesn't fail every time, and these cases depend on timing. So each smaller case is repeated
    as often as the first one needed to fail again.
    """
    failures = sum(Case(case.plan, case.actions).fails(case.kind, 1) for _ in range(ATTEMPTS))
    if failures == 0:
        return case
    times = min(ATTEMPTS, 2 * ATTEMPTS // failures)
    end = time.monotonic() + seconds
    smaller: Optional[Case] = case
    while smaller is not None:
        case, smaller = smaller, None
        for each in candidates(case):
            if time.monotonic() > end:
                break
            if each.fails(case.kind, times):
                smaller = each
                break
    return case


def candidates(case: Case) -> Iterator[Case]:
    """Returns slightly simpler cases; those that omit most come first."""
    size = len(case.actions) // 2
    while size > 0:
        for start in range(0, len(case.actions), size):
            yield Case(case.plan, case.actions[:start] + case.actions[start + size :])
        size //= 2
    for plan in simpler(case.plan):
        yield Case(plan, case.actions)


def simpler(plan: Plan) -> Iterator[Plan]:
    every = plan["initializers"]
    for each in every if len(every) > 1 else []:
        chosen = {option: [name for name in plan[option] if name != each["name"]] for option in ("only", "skip") if option in plan}
        yield plan | chosen | {
            "initializers": [
                other | {"dependencies": [name for name in other["dependencies"] if name != each["name"]]} for other in every if other is not each
            ]
        }
    for index, each in enumerate(every):
        for simple in simpler_initializer(each):
            yield plan | {"initializers": [*every[:index], simple, *every[index + 1 :]]}
    for member in ("refuse", "keepGoing", "only", "skip"):
        if member in plan:
            yield {name: value for name, value in plan.items() if name != member}
    if plan["concurrency"] > 1:
        yield plan | {"concurrency": 1}


def simpler_initializer(each: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for name in each["dependencies"]:
        yield each | {"dependencies": [other for other in each["dependencies"] if other != name]}
    for member in ("optional", "perProcess", "when", "inputs", "group", "timeout", "retry"):
        if each.get(member):
            yield {name: value for name, value in each.items() if name != member}
    if each.get("command", HARMLESS[0]) != HARMLESS[0]:
        yield each | {"command": HARMLESS[0]}
