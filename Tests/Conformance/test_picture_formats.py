"""seeing.md: `trace` is valid for Chrome's trace event format, and `plot` is an SVG picture, for passes with any outcome."""

from __future__ import annotations

import unittest
import xml.etree.ElementTree as ElementTree
from typing import Any, Callable

from deadlines import until
from recorded import CLOSE
from rounds import in_one_round, near
from supervisor import Conformance, Supervisor
from test_forecasts import SIZE, random_graph
from witness import Witness, timed, with_script

SVG = "{http://www.w3.org/2000/svg}"
METADATA = {"process_name": ("name", str), "process_labels": ("labels", str), "process_sort_index": ("sort_index", int),
            "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}
"""The metadata events of the format: which argument each has, and its type."""

ODD = ["A.b", "a_b:c", "a/b", "a@b", "a+b", "0", "a-b", "x" * 128]
"""Names with each character that a name may have, and one of the greatest length."""

SHORT = 32
"""A longer name may be shortened in the picture, if its title has all of it."""

HOSTILE = 'a < b & c > d "e" \'f\' ]]> <!-- </svg> \x1b[31m \x00 \x0b \ud7ff \ufffe é 漢 \U0001f600'
"""A message with everything that XML and terminals read in a special way."""


class Pictures(Conformance):
    def trace(self, supervisor: Supervisor, number: int) -> dict[str, list[dict[str, Any]]]:
        """The slices of each initializer, in the order of time. Every event is checked."""
        (trace,) = self.assertStatus(supervisor.ctl("trace", "--pass", str(number)), 0).json()
        tracks: dict[tuple[int, int], list[dict[str, Any]]] = {}
        names: dict[tuple[int, int], str] = {}
        for event in trace["traceEvents"]:
            self.assertIs(type(event["pid"]), int, event)
            self.assertIs(type(event["tid"]), int, event)
            self.assertIs(type(event["name"]), str, event)
            self.assertIsInstance(event.get("args", {}), dict, event)
            track = (event["pid"], event["tid"])
            if event["ph"] == "M":
                argument, kind = METADATA[event["name"]]
                self.assertIs(type(event["args"][argument]), kind, event)
                if event["name"] == "thread_name":
                    self.assertNotIn(track, names, "one name a track")
                    names[track] = event["args"]["name"]
            else:
                self.assertEqual(event["ph"], "X", event)
                for member in ("ts", "dur"):
                    self.assertIn(type(event[member]), (int, float), event)
                    self.assertGreaterEqual(event[member], 0, event)
                tracks.setdefault(track, []).append(event)
        self.assertLessEqual(set(tracks), set(names), "each track with slices has a name")
        self.assertEqual(len(set(names.values())), len(names), "one track an initializer")
        for slices in tracks.values():
            slices.sort(key=lambda each: (each["ts"], each["dur"]))
            for one, other in zip(slices, slices[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], other["ts"], "slices on a track don't overlap")
        return {name: tracks.get(track, []) for track, name in names.items()}

    def assertPictures(self, supervisor: Supervisor, expected: set[str], number: int = 1) -> dict[str, list[dict[str, Any]]]:
        """Checks that both pictures of a pass are valid, and name these initializers. Returns the slices of each."""
        tracks = self.trace(supervisor, number)
        self.assertEqual(set(tracks), expected)
        finished = self.assertStatus(supervisor.ctl("plot", "--pass", str(number)), 0)
        root = ElementTree.fromstring(finished.out)
        self.assertEqual(root.tag, SVG + "svg")
        texts = [each.text for each in root.iter(SVG + "text")]
        for name in expected:
            if len(name) <= SHORT:
                self.assertIn(name, texts)
            else:
                self.assertIn(name, " ".join(each.text or "" for each in root.iter(SVG + "title")))
        return tracks

    def total(self, slices: list[dict[str, Any]], name: str) -> float:
        return sum(each["dur"] for each in slices if each["name"] == name) / 1e6


class CompletePassTests(Pictures):
    def test_random_graphs(self):
        for concurrency in (1, 2, 4):
            with self.subTest(concurrency):
                supervisor = self.start_with(random_graph(concurrency), "--concurrency", str(concurrency))
                supervisor.peer().ok("wait", for_="launch")
                tracks = self.assertPictures(supervisor, {f"n{number}" for number in range(SIZE)})
                running = sorted((each["ts"], each["ts"] + each["dur"]) for track in tracks.values() for each in track if each["name"] == "running")
                for begin, _ in running:
                    # Times are rounded to microseconds.
                    at_once = sum(other <= begin and end > begin + 1 for other, end in running)
                    self.assertLessEqual(at_once, concurrency, "running isn't waiting: no more run at once than may")

    def test_the_slices_are_when_the_commands_ran(self):
        def scenario(scale: float) -> None:
            unit = scale * 0.05
            initializers = f"""
                a: {{ {timed(2 * unit)} }}
                b: {{ {timed(unit, succeeds=2)}, retry: {{ attempts: 2, delay: {unit} }}, dependencies: [a] }}
                c: {{ {timed(unit)}, dependencies: [b] }}
            """
            supervisor = self.start_with(initializers, "--concurrency", "2", directory=with_script(self.directory()))
            supervisor.peer().ok("wait", for_="launch")
            witness = Witness(supervisor)
            tracks = self.assertPictures(supervisor, {"a", "b", "c"})
            origin = tracks["a"][0]["ts"] / 1e6
            self.assertEqual([each["name"] for each in tracks["b"] if each["name"] != "queued"], ["waiting", "running", "backoff", "running"])
            for name, slices in tracks.items():
                running = [each for each in slices if each["name"] == "running"]
                self.assertEqual(len(running), len(witness.attempts[name]))
                for each, (began, ended) in zip(running, witness.attempts[name]):
                    near(each["ts"] / 1e6 - origin, began - witness.began("a"), f"the begin of {name}")
                    near(each["dur"] / 1e6, ended - began, f"the duration of {name}")

        in_one_round(scenario)

    def test_names_with_every_character_and_of_every_length(self):
        supervisor = self.start_with("\n".join(f"'{name}': {{ command: 'true' }}" for name in ODD))
        supervisor.peer().ok("wait", for_="launch")
        self.assertPictures(supervisor, set(ODD))

    def test_a_pass_without_initializers(self):
        supervisor = self.start_fast("--activate")
        supervisor.peer().ok("wait", for_="ready")
        for number in (1, 2):
            self.assertPictures(supervisor, set(), number)

    def test_a_late_worker_is_queued_until_it_registers(self):
        supervisor = self.start(self.manifest("base: { command: sleep 0.05 }\nw: { worker: true, dependencies: [base] }", "version: 1\n"))
        peer = supervisor.peer()
        peer.ok("wait", initializer="base")
        worker = supervisor.worker("w")
        worker.expect_run("w").succeed()
        peer.ok("wait", for_="launch")
        tracks = self.assertPictures(supervisor, {"base", "w"})
        self.assertEqual([each["name"] for each in tracks["w"]], ["waiting", "queued", "running"])

    def test_an_initializer_that_was_removed_and_ran_again(self):
        supervisor = self.start_fast("--no-launch", "--concurrency", "2")
        others = supervisor.worker("other", name="others")
        worker = supervisor.worker("w", name="w")
        peer = supervisor.peer()
        peer.ok("launch")
        other, first = others.expect_run("other"), worker.expect_run("w")
        worker.ok("unregister", names=["w"])
        first.expect_cancel("unregistered").stopped()
        worker.register("w")
        worker.expect_run("w").succeed()
        other.succeed()
        peer.ok("wait", for_="launch")
        tracks = self.assertPictures(supervisor, {"other", "w"})
        running = [each for each in tracks["w"] if each["name"] == "running"]
        self.assertEqual([each["args"]["outcome"] for each in running], ["cancelled", "complete"])


class OtherOutcomeTests(Pictures):
    def test_a_pass_that_was_held(self):
        supervisor = self.start_with("l: { command: sleep 0.2 }\na: { command: sleep 0.05, priority: appActive }", "--activate")
        supervisor.peer().ok("wait", for_="ready")
        tracks = self.assertPictures(supervisor, {"a"}, 2)
        self.assertGreaterEqual(sum(each["dur"] for each in tracks["a"]) / 1e6, 0.05 - CLOSE)
        (blame,) = supervisor.ctl("blame", "--phase", "active", "--json").json()
        self.assertLessEqual(sum(each["dur"] for each in tracks["a"]) / 1e6, blame["duration"] + CLOSE, "what was held isn't drawn as waiting")

    def test_a_pass_that_failed_and_stopped_another_run(self):
        supervisor = self.start_with(
            "slow: { command: 'touch slow; exec sleep 600' }\n"
            "bad: { command: 'until test -e slow; do sleep 0.01; done; exit 3', retry: { attempts: 2, delay: 10ms } }",
            "--concurrency", "2")
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "failed")
        tracks = self.assertPictures(supervisor, {"slow", "bad"})
        outcomes = {name: [each["args"]["outcome"] for each in slices if each["name"] == "running"] for name, slices in tracks.items()}
        self.assertEqual(outcomes, {"slow": ["cancelled"], "bad": ["failed", "failed"]})

    def test_a_pass_that_was_cancelled(self):
        supervisor = self.start_with("a: { command: sleep 600, priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        peer.ok("deactivate", wait=True)
        self.assertPictures(supervisor, {"a"}, 2)

    def test_a_pass_that_was_cancelled_before_it_opened(self):
        supervisor = self.start_with("l: { worker: true }\na: { command: 'true', priority: appActive }", "--no-launch")
        worker = supervisor.worker("l")
        peer = supervisor.peer()
        peer.ok("launch")
        worker.expect_run("l")
        number = peer.ok("activate")["pass"]
        peer.ok("deactivate", wait=True)
        self.assertPictures(supervisor, set(), number)

    def test_passes_in_flight(self):
        supervisor = self.start_fast("--no-launch", "--concurrency", "2")
        peer = supervisor.peer()
        worker = supervisor.worker(
            "a", {"name": "b", "retry": {"attempts": 2, "delay": 600, "maxDelay": 600}}, {"name": "c", "dependencies": ["a"]}, "d",
            {"name": "s", "priority": "appActive"})
        peer.ok("launch")
        worker.expect_run("a")
        worker.expect_run("b").fail()
        until(lambda: "nextAttempt" in peer.initializer("b"), "the pause before the next attempt")
        number = peer.ok("activate")["pass"]
        tracks = self.assertPictures(supervisor, {"a", "b", "c", "d"})
        names = {name: [each["name"] for each in slices][-1:] for name, slices in tracks.items()}
        self.assertEqual(names, {"a": ["running"], "b": ["backoff"], "c": ["waiting"], "d": ["queued"]})
        self.assertPictures(supervisor, {"s"}, number)

    def test_messages_of_other_programs_break_neither_picture(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a")
        supervisor.peer().ok("launch")
        worker.expect_run("a").fail(HOSTILE)
        supervisor.peer().ok("wait", for_="launch")
        tracks = self.assertPictures(supervisor, {"a"})
        (running,) = [each for each in tracks["a"] if each["name"] == "running"]
        self.assertIn("a < b & c > d", running["args"]["cause"])
        svg = ElementTree.fromstring(supervisor.ctl("plot").out)
        self.assertEqual({each.tag.removeprefix(SVG) for each in svg.iter()} & {"script", "foreignObject"}, set())


if __name__ == "__main__":
    unittest.main()
