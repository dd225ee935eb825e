"""seeing.md: `blame` and `critical-path` of passes whose answers are known beforehand.

The commands of a pass have fixed durations, and note when they began and ended. So each expected value follows from the graph and from
these notes, and not from the supervisor's own history, with which test_blame.py compares.
"""

from __future__ import annotations

import subprocess
import unittest
from typing import Any, Callable, Optional

from deadlines import until
from recorded import CLOSE
from rounds import TOLERANCE, Inexact, apart, in_one_round, near
from supervisor import Conformance, Supervisor
from witness import Noted, Witness, timed, with_script

UNIT = 0.08
"""The durations of a graph are multiples of this unit, so no two of its initializers end within the same one. Later rounds have longer
units."""


def graph(unit: float) -> str:
    """Commands whose durations are multiples of a unit."""
    return f"""
        a: {{ {timed(2 * unit)} }}
        b: {{ {timed(6 * unit)} }}
        c: {{ {timed(2 * unit)}, dependencies: [a] }}
        d: {{ {timed(unit, succeeds=2)}, retry: {{ attempts: 3, delay: {unit} }} }}
        e: {{ {timed(3 * unit)}, dependencies: [b, d] }}
        f: {{ {timed(3 * unit)}, dependencies: [a] }}
    """


NEEDS = {"a": [], "b": [], "c": ["a"], "d": [], "e": ["b", "d"], "f": ["a"]}
SHORTEST = {"a": 2, "b": 6, "c": 2, "d": 2, "e": 3, "f": 3}
"""No command runs shorter than it sleeps: this many units."""

PARTS = ("waited", "queued", "running", "backoff")
Link = tuple[str, str, Optional[str]]
Slack = dict[str, Callable[[Witness], float]]


class KnownAnswers(Conformance):
    def start_timed(self, initializers: str, *arguments: str) -> Supervisor:
        """Starts a supervisor with timed commands, which waits for `launch`, so the test notes the opening."""
        return self.start(self.manifest(initializers, "version: 1\n"), "--no-launch", *arguments, directory=with_script(self.directory()))

    def explained(self, supervisor: Supervisor, number: int, concurrency: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """`blame` and `critical-path` of a pass. The assertions hold on any machine."""
        (blame,) = self.assertStatus(supervisor.ctl("blame", "--pass", str(number), "--json"), 0).json()
        (path,) = self.assertStatus(supervisor.ctl("critical-path", "--pass", str(number), "--json"), 0).json()
        self.assertEqual(set(blame), {"pass", "phase", "outcome", "held", "duration", "initializers"})
        self.assertEqual(set(path), {"pass", "phase", "duration", "path", "slack"})
        self.assertEqual((blame["pass"], path["pass"]), (number, number))
        self.assertEqual(blame["phase"], path["phase"])
        self.assertAlmostEqual(blame["duration"], path["duration"], delta=CLOSE)
        for each in blame["initializers"]:
            self.assertEqual(set(each) - {"cpu"}, {"name", "outcome", "attempts", *PARTS, "finished"})
            self.assertTrue(all(each[part] >= 0 for part in PARTS), each)
            self.assertAlmostEqual(each["finished"], sum(each[part] for part in PARTS), delta=CLOSE)
            self.assertLessEqual(each["finished"], blame["duration"] + CLOSE)
        work = sum(each["running"] + each["backoff"] for each in blame["initializers"])
        self.assertLessEqual(work, concurrency * blame["duration"] + CLOSE, "waiting isn't work: no more of it fits into the places")
        for step in path["path"]:
            self.assertLessEqual(set(step), {"name", "link", "from", "queued", "running", "backoff", "share"})
            self.assertAlmostEqual(step["share"], step["queued"] + step["running"] + step["backoff"], delta=CLOSE)
        self.assertAlmostEqual(sum(step["share"] for step in path["path"]), path["duration"], delta=CLOSE)
        return blame, path

    def assertParts(self, blame: dict[str, Any], witness: Witness, opened: float, needs: dict[str, list[str]]) -> None:
        """Each value of `blame` follows from the graph and the noted times."""
        self.assertCountEqual([each["name"] for each in blame["initializers"]], needs)
        near(blame["duration"], witness.last() - opened, "the duration")
        for each in blame["initializers"]:
            name = each["name"]
            self.assertEqual(each["attempts"], len(witness.attempts[name]), name)
            ready = max([opened, *map(witness.ended, needs[name])])
            near(each["waited"], ready - opened, f"waited of {name}")
            near(each["queued"], witness.began(name) - ready, f"queued of {name}")
            near(each["running"], witness.running(name), f"running of {name}")
            near(each["backoff"], witness.backoff(name), f"backoff of {name}")
            near(each["finished"], witness.ended(name) - opened, f"finished of {name}")
            if not needs[name]:
                self.assertEqual(each["waited"], 0, name)

    def assertPath(self, path: dict[str, Any], witness: Witness, opened: float, links: list[Link], slack: Slack) -> None:
        """The links are the known links, and each share follows from the noted times."""
        self.assertEqual([(step["name"], step["link"], step.get("from")) for step in path["path"]], links)
        moment = opened
        for step in path["path"]:
            name = step["name"]
            near(step["queued"], witness.began(name) - moment, f"queued of {name} on the path")
            near(step["running"], witness.running(name), f"running of {name} on the path")
            near(step["backoff"], witness.backoff(name), f"backoff of {name} on the path")
            near(step["share"], witness.ended(name) - moment, f"share of {name}")
            moment = witness.ended(name)
        self.assertCountEqual([each["name"] for each in path["slack"]], slack)
        for each in path["slack"]:
            self.assertEqual(set(each), {"name", "slack"})
            near(each["slack"], slack[each["name"]](witness), f"slack of {each['name']}")

    def assertApart(self, witness: Witness, order: str) -> None:
        """The premise of a known answer: the initializers ended in this order, so far apart that no two are taken for each other."""
        if "".join(witness.order()) != order or min(witness.gaps()) < apart():
            raise Inexact(f"the machine is busy: they ended in the order {witness.order()}")


class GraphTests(KnownAnswers):
    def assertKnown(self, concurrency: int, order: str, links: list[Link], slack: Slack) -> None:
        def scenario(scale: float) -> None:
            unit = scale * UNIT
            supervisor = self.start_timed(graph(unit), "--concurrency", str(concurrency))
            peer = supervisor.peer()
            with Noted() as opening:
                peer.ok("launch")
            peer.ok("wait", for_="launch")
            witness = Witness(supervisor)
            blame, path = self.explained(supervisor, 1, concurrency)
            self.assertEqual((blame["phase"], blame["outcome"], blame["held"]), ("launch", "complete", 0))
            self.assertEqual({each["outcome"] for each in blame["initializers"]}, {"complete"})
            for each in blame["initializers"]:
                self.assertGreaterEqual(each["running"], SHORTEST[each["name"]] * unit - CLOSE)
                if each["name"] == "d":
                    self.assertGreaterEqual(each["backoff"], unit - CLOSE)
                else:
                    self.assertEqual(each["backoff"], 0)
            self.assertApart(witness, order)
            self.assertParts(blame, witness, opening.moment, NEEDS)
            self.assertPath(path, witness, opening.moment, links, slack)

        in_one_round(scenario)

    def test_with_concurrency_1_each_waits_for_the_place_of_the_one_before(self):
        # In units of time: a 0-2, b 2-8, c 8-10, d 10-13, e 13-16, f 16-19.
        links: list[Link] = [
            ("a", "opening", None), ("b", "place", "a"), ("c", "place", "b"), ("d", "place", "c"), ("e", "dependency", "d"), ("f", "place", "e"),
        ]
        self.assertKnown(1, "abcdef", links, {})

    def test_with_concurrency_2_dependencies_and_places_alternate(self):
        # a 0-2, b 0-6, c 2-4, d 4-7 in c's place, f 6-9 in b's place, e 7-10.
        links: list[Link] = [("a", "opening", None), ("c", "dependency", "a"), ("d", "place", "c"), ("e", "dependency", "d")]
        slack: Slack = {
            "b": lambda it: min(it.began("e") - it.ended("b"), it.ended("e") - it.ended("f")),
            "f": lambda it: it.ended("e") - it.ended("f"),
        }
        self.assertKnown(2, "acbdfe", links, slack)

    def test_with_concurrency_4_only_dependencies_matter(self):
        # a 0-2, b 0-6, d 0-3, c 2-4, f 2-5, e 6-9.
        links: list[Link] = [("b", "opening", None), ("e", "dependency", "b")]
        slack: Slack = {
            "a": lambda it: it.ended("e") - it.ended("f"),
            "c": lambda it: it.ended("e") - it.ended("c"),
            "d": lambda it: it.began("e") - it.ended("d"),
            "f": lambda it: it.ended("e") - it.ended("f"),
        }
        self.assertKnown(4, "adcfbe", links, slack)

    def test_pauses_between_attempts_are_backoff_also_on_the_path(self):
        def scenario(scale: float) -> None:
            unit = scale * UNIT
            supervisor = self.start_timed(f"""
                a: {{ {timed(unit, succeeds=3)}, retry: {{ attempts: 3, delay: {unit}, factor: 2 }} }}
                b: {{ {timed(unit)}, dependencies: [a] }}
            """)
            peer = supervisor.peer()
            with Noted() as opening:
                peer.ok("launch")
            peer.ok("wait", for_="launch")
            witness = Witness(supervisor)
            blame, path = self.explained(supervisor, 1, 1)
            a = next(each for each in blame["initializers"] if each["name"] == "a")
            self.assertEqual((a["attempts"], a["outcome"]), (3, "complete"))
            self.assertGreaterEqual(a["backoff"], 3 * unit - CLOSE, "one unit, then two")
            self.assertParts(blame, witness, opening.moment, {"a": [], "b": ["a"]})
            self.assertPath(path, witness, opening.moment, [("a", "opening", None), ("b", "dependency", "a")], {})

        in_one_round(scenario)

    def test_the_attempts_of_what_failed_are_work(self):
        def scenario(scale: float) -> None:
            unit = scale * UNIT
            supervisor = self.start_timed(f"a: {{ {timed(unit, succeeds=9)}, retry: {{ attempts: 2, delay: {unit} }} }}\nb: {{ {timed(unit)} }}")
            peer = supervisor.peer()
            with Noted() as opening:
                peer.ok("launch")
            self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
            witness = Witness(supervisor)
            blame, path = self.explained(supervisor, 1, 1)
            self.assertEqual(blame["outcome"], "failed")
            self.assertEqual([(each["name"], each["outcome"]) for each in blame["initializers"]], [("a", "failed")])
            self.assertParts(blame, witness, opening.moment, {"a": []})
            self.assertPath(path, witness, opening.moment, [("a", "opening", None)], {})

        in_one_round(scenario)


class WorkerTests(KnownAnswers):
    def test_a_late_worker_is_the_link_and_the_time_until_it_registered_is_queued(self):
        def scenario(scale: float) -> None:
            unit = scale * UNIT
            initializers = f"""
                base: {{ {timed(2 * unit)} }}
                clock: {{ {timed(6 * unit)} }}
                late: {{ worker: true, dependencies: [base] }}
                after: {{ {timed(unit)}, dependencies: [late] }}
            """
            supervisor = self.start_timed(initializers, "--concurrency", "2")
            peer = supervisor.peer()
            with Noted() as opening:
                peer.ok("launch")
            peer.ok("wait", initializer="clock")
            worker = supervisor.peer("late")
            with Noted() as registration:
                worker.register("late")
            run = worker.expect_run("late")
            with Noted() as work:
                subprocess.run(["sleep", str(2 * unit)], check=True)
            run.succeed()
            peer.ok("wait", for_="launch")
            witness = Witness(supervisor)
            witness.add("late", work.before, work.after)
            blame, path = self.explained(supervisor, 1, 2)
            late = next(each for each in blame["initializers"] if each["name"] == "late")
            near(late["queued"], registration.moment - witness.ended("base"), "queued until the worker registered")
            self.assertGreaterEqual(late["running"], 2 * unit - CLOSE)
            needs = {"base": [], "clock": [], "late": ["base"], "after": ["late"]}
            self.assertParts(blame, witness, opening.moment, needs)
            links: list[Link] = [("base", "opening", None), ("late", "worker", "late"), ("after", "dependency", "late")]
            self.assertPath(path, witness, opening.moment, links, {"clock": lambda it: it.last() - it.ended("clock")})

        in_one_round(scenario)

    def test_a_worker_that_registers_before_a_place_is_free_is_not_the_link(self):
        # `busy` occupies the only place until the late worker has registered, however slow the machine is.
        supervisor = self.start_timed("first: { worker: true }\nbusy: { worker: true }\nlate: { worker: true }")
        peer = supervisor.peer()
        worker = supervisor.worker("first", "busy")
        peer.ok("launch")
        worker.expect_run("first").succeed()
        busy = worker.expect_run("busy")
        late = supervisor.worker("late", name="late")
        late.expect_no_run()
        busy.succeed()
        late.expect_run("late").succeed()
        peer.ok("wait", for_="launch")
        _, path = self.explained(supervisor, 1, 1)
        links = [("first", "opening", None), ("busy", "place", "first"), ("late", "place", "busy")]
        self.assertEqual([(step["name"], step["link"], step.get("from")) for step in path["path"]], links)


class HeldTests(KnownAnswers):
    def test_what_a_pass_waited_for_launch_is_held_and_in_no_other_value(self):
        def scenario(scale: float) -> None:
            unit = scale * UNIT
            supervisor = self.start_timed(f"""
                l: {{ {timed(4 * unit)} }}
                a: {{ {timed(2 * unit)}, priority: appActive, dependencies: [l] }}
                b: {{ {timed(unit)}, priority: appActive, dependencies: [a] }}
            """)
            peer = supervisor.peer()
            with Noted() as launched:
                peer.ok("launch")
            with Noted() as asked:
                number = peer.ok("activate")["pass"]
            peer.ok("wait", pass_=number)
            opened = Witness(supervisor, 1).ended("l")
            witness = Witness(supervisor, number)
            launch, _ = self.explained(supervisor, 1, 1)
            self.assertEqual((launch["phase"], launch["held"]), ("launch", 0))
            self.assertParts(launch, Witness(supervisor, 1), launched.moment, {"l": []})
            blame, path = self.explained(supervisor, number, 1)
            self.assertEqual((blame["phase"], blame["outcome"]), ("active", "complete"))
            near(blame["held"], opened - asked.moment, "held until launch was complete")
            self.assertParts(blame, witness, opened, {"a": [], "b": ["a"]})
            self.assertPath(path, witness, opened, [("a", "opening", None), ("b", "dependency", "a")], {})

        in_one_round(scenario)

    def test_a_pass_that_still_waits_for_launch_is_held_up_to_now(self):
        supervisor = self.start_timed("l: { worker: true }\na: { command: 'true', priority: appActive }")
        peer = supervisor.peer()
        worker = supervisor.worker("l")
        peer.ok("launch")
        worker.expect_run("l")
        with Noted() as asked:
            number = peer.ok("activate")["pass"]
        until(lambda: self.held(supervisor, number) > 3 * TOLERANCE, "the time that the pass is held grows")
        with Noted() as shown:
            (blame,) = self.assertStatus(supervisor.ctl("blame", "--phase", "active", "--json"), 0).json()
        self.assertEqual((blame["pass"], blame["outcome"], blame["duration"]), (number, "running", 0))
        self.assertGreaterEqual(blame["held"], shown.before - asked.after - CLOSE)
        self.assertLessEqual(blame["held"], shown.after - asked.before + CLOSE)

    def held(self, supervisor: Supervisor, number: int) -> float:
        (blame,) = self.assertStatus(supervisor.ctl("blame", "--pass", str(number), "--json"), 0).json()
        return blame["held"]


if __name__ == "__main__":
    unittest.main()
