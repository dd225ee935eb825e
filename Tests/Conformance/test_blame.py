"""seeing.md: how a pass spent its time (`blame`), and which initializers determined its duration (`critical-path`)."""

from __future__ import annotations

import json
import unittest
from typing import Any

from deadlines import until
from recorded import CLOSE, Recorded
from supervisor import Conformance, Supervisor

GRAPH = """
a: { command: sleep 0.1 }
b: { command: sleep 0.25 }
c: { command: sleep 0.05, dependencies: [a] }
d: { command: 'sleep 0.05; test $INITD_ATTEMPT = 3', retry: { attempts: 3, delay: 40ms } }
e: { command: sleep 0.05, dependencies: [b, d] }
"""
DEPENDENCIES = {"a": [], "b": [], "c": ["a"], "d": [], "e": ["b", "d"]}


class Explained(Conformance):
    def json(self, supervisor: Supervisor, *words: str) -> Any:
        finished = self.assertStatus(supervisor.ctl(*words, "--json"), 0)
        self.assertEqual(finished.out.count("\n"), 1, "one line")
        return json.loads(finished.out)

    def recorded(self, supervisor: Supervisor, number: int = 1) -> Recorded:
        (each,) = supervisor.peer().ok("history", pass_=number)["passes"]
        return Recorded(each)

    def assertExplained(self, supervisor: Supervisor, number: int = 1) -> tuple[dict[str, Any], dict[str, Any]]:
        """`blame` and `critical-path` of an ended pass agree with its history. Returns both."""
        recorded = self.recorded(supervisor, number)
        blame = self.json(supervisor, "blame", "--pass", str(number))
        path = self.json(supervisor, "critical-path", "--pass", str(number))
        for each in (blame, path):
            self.assertEqual(each["pass"], number)
            self.assertAlmostEqual(each["duration"], recorded.duration, delta=CLOSE)
        self.assertAlmostEqual(blame["held"], recorded.held, delta=CLOSE)
        self.assertCountEqual([each["name"] for each in blame["initializers"]], list(recorded.runs))
        running = [each["running"] for each in blame["initializers"]]
        self.assertEqual(running, sorted(running, reverse=True), "the longest running comes first")
        for each in blame["initializers"]:
            self.assertEqual(each["attempts"], len(recorded.runs[each["name"]]))
            self.assertEqual(each["outcome"], recorded.runs[each["name"]][-1]["outcome"])
            for member, value in recorded.parts(each["name"]).items():
                self.assertAlmostEqual(each[member], value, delta=CLOSE, msg=f"{each['name']} {member}")
        self.assertPath(recorded, path)
        return blame, path

    def assertPath(self, recorded: Recorded, path: dict[str, Any]) -> None:
        self.assertAlmostEqual(sum(step["share"] for step in path["path"]), recorded.duration, delta=CLOSE)
        moment = recorded.opened
        for step in path["path"]:
            runs = recorded.runs[step["name"]]
            self.assertAlmostEqual(step["share"], step["queued"] + step["running"] + step["backoff"], delta=CLOSE)
            self.assertAlmostEqual(step["running"], recorded.parts(step["name"])["running"], delta=CLOSE, msg="waiting isn't work")
            start = runs[0]["started"]
            if step["link"] == "opening":
                self.assertNotIn("from", step)
                self.assertAlmostEqual(start, recorded.opened, delta=CLOSE)
            elif step["link"] == "dependency":
                self.assertIn(step["from"], runs[0]["waitedFor"])
                self.assertAlmostEqual(start, recorded.end(step["from"]), delta=CLOSE)
            elif step["link"] == "place":
                self.assertAlmostEqual(start, recorded.end(step["from"]), delta=CLOSE)
                self.assertGreater(start, runs[0]["ready"])
            else:
                self.assertEqual((step["link"], step["from"]), ("worker", step["name"]))
                self.assertAlmostEqual(start, runs[0]["provided"], delta=0.1)
            moment += step["share"]
            self.assertAlmostEqual(moment, recorded.end(step["name"]), delta=CLOSE, msg="in the order of time")
        on_path = {step["name"] for step in path["path"]}
        self.assertCountEqual([each["name"] for each in path["slack"]], [name for name in recorded.runs if name not in on_path])
        slack = [each["slack"] for each in path["slack"]]
        self.assertEqual(slack, sorted(slack), "the least slack comes first")
        for each in path["slack"]:
            self.assertLessEqual(each["slack"], recorded.ended - recorded.end(each["name"]) + CLOSE)
            self.assertGreaterEqual(each["slack"], 0)


class BlameTests(Explained):
    def test_every_member_is_as_recorded_at_each_concurrency(self):
        for concurrency in (1, 2, 4):
            with self.subTest(concurrency):
                supervisor = self.start_with(GRAPH, "--concurrency", str(concurrency))
                supervisor.peer().ok("wait", for_="launch")
                blame, path = self.assertExplained(supervisor)
                self.assertEqual((blame["phase"], blame["outcome"]), ("launch", "complete"))
                self.assertEqual(path["path"][-1]["link"], "dependency")

    def test_with_concurrency_1_the_place_is_the_link_and_all_are_on_the_path(self):
        supervisor = self.start_with("\n".join(f"{name}: {{ command: sleep 0.05 }}" for name in "abcd"))
        supervisor.peer().ok("wait", for_="launch")
        _, path = self.assertExplained(supervisor)
        self.assertEqual([(step["name"], step["link"]) for step in path["path"]], [("a", "opening"), ("b", "place"), ("c", "place"), ("d", "place")])
        self.assertEqual([step.get("from") for step in path["path"]], [None, "a", "b", "c"])
        self.assertEqual(path["slack"], [])

    def test_slack_is_how_much_longer_it_could_have_taken(self):
        supervisor = self.start_with(GRAPH, "--concurrency", "9")
        supervisor.peer().ok("wait", for_="launch")
        _, path = self.assertExplained(supervisor)
        recorded = self.recorded(supervisor)
        slack = {each["name"]: each["slack"] for each in path["slack"]}
        self.assertAlmostEqual(slack["c"], recorded.ended - recorded.end("c"), delta=CLOSE)
        self.assertAlmostEqual(slack["a"], slack["c"] + recorded.runs["c"][0]["started"] - recorded.end("a"), delta=CLOSE)

    def test_a_late_worker_is_the_link_and_its_lateness_is_queued(self):
        supervisor = self.start(self.manifest("base: { command: sleep 0.05 }\nw: { worker: true, dependencies: [base] }", "version: 1\n"))
        peer = supervisor.peer()
        until(lambda: peer.initializer("base")["status"] == "complete", "base is complete")
        worker = supervisor.worker({"name": "w"})
        worker.expect_run("w").succeed()
        peer.ok("wait", for_="launch")
        blame, path = self.assertExplained(supervisor)
        base, w = path["path"]
        self.assertEqual((base["name"], base["link"]), ("base", "opening"))
        self.assertEqual((w["name"], w["link"], w["from"]), ("w", "worker", "w"))
        queued = next(each["queued"] for each in blame["initializers"] if each["name"] == "w")
        self.assertAlmostEqual(w["queued"], queued, delta=CLOSE)

    def test_an_active_pass_that_waited_for_launch_counts_from_its_opening(self):
        supervisor = self.start_with(
            "l: { command: sleep 0.2 }\na: { command: sleep 0.05, priority: appActive, dependencies: [l] }", "--activate")
        supervisor.peer().ok("wait", for_="ready")
        blame, path = self.assertExplained(supervisor, 2)
        launch = self.recorded(supervisor, 1)
        self.assertEqual(blame["phase"], "active")
        self.assertGreater(blame["held"], 0.15)
        self.assertAlmostEqual(self.recorded(supervisor, 2).opened, launch.ended, delta=CLOSE)
        (a,) = blame["initializers"]
        self.assertEqual((a["name"], a["waited"]), ("a", 0))
        self.assertEqual([(step["name"], step["link"]) for step in path["path"]], [("a", "opening")])

    def test_a_failed_and_a_cancelled_pass(self):
        supervisor = self.start_with("a: { command: sleep 60 }\nb: { command: sleep 0.1; exit 3 }", "--concurrency", "2")
        supervisor.peer().ok("wait", for_="launch")
        blame, path = self.assertExplained(supervisor)
        self.assertEqual(blame["outcome"], "failed")
        self.assertEqual([step["name"] for step in path["path"]], ["a"])
        supervisor = self.start_with("a: { command: sleep 60, priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        peer.ok("deactivate", wait=True)
        blame, path = self.assertExplained(supervisor, 2)
        self.assertEqual((blame["outcome"], blame["initializers"][0]["outcome"]), ("cancelled", "cancelled"))

    def test_a_pass_in_flight_is_shown_as_it_is_now(self):
        supervisor = self.start(
            self.manifest(
                "a: { command: sleep 0.05 }\nb: { command: sleep 60, dependencies: [a] }\nc: { command: 'true' }\n"
                "d: { command: 'true', dependencies: [b] }"))
        peer = supervisor.peer()
        peer.until_initializer("b", "running")
        before = self.json(supervisor, "blame")
        path = self.json(supervisor, "critical-path")
        after = self.json(supervisor, "blame")
        self.assertEqual((before["outcome"], before["pass"]), ("running", 1))
        parts = {each["name"]: each for each in after["initializers"]}
        self.assertEqual({name: each["outcome"] for name, each in parts.items()}, {"a": "complete", "b": "running", "c": "waiting", "d": "waiting"})
        self.assertEqual({name: each["attempts"] for name, each in parts.items()}, {"a": 1, "b": 1, "c": 0, "d": 0})
        for name in "bcd":
            self.assertAlmostEqual(parts[name]["finished"], after["duration"], delta=CLOSE)
        self.assertAlmostEqual(parts["b"]["waited"] + parts["b"]["queued"] + parts["b"]["running"], after["duration"], delta=CLOSE)
        self.assertAlmostEqual(parts["c"]["queued"], after["duration"], delta=CLOSE)
        self.assertAlmostEqual(parts["d"]["waited"], after["duration"], delta=CLOSE)
        self.assertGreater(after["duration"], before["duration"])
        self.assertEqual([step["name"] for step in path["path"]], ["a", "b"])
        self.assertAlmostEqual(sum(step["share"] for step in path["path"]), path["duration"], delta=CLOSE)
        table = self.assertStatus(supervisor.ctl("blame"), 0).out
        self.assertIn("is running", table)
        self.assertIn("up to now", table)

    def test_the_newest_pass_of_a_phase_or_a_number(self):
        peer = (supervisor := self.start_with("a: { command: 'true' }\nb: { command: 'true', priority: appActive }", "--activate")).peer()
        peer.ok("wait", for_="ready")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        for words, number in (([], 3), (["--phase", "launch"], 1), (["--phase", "active"], 3), (["--pass", "2"], 2)):
            for command in ("blame", "critical-path", "what-if", "history"):
                if command != "history" or words:
                    with self.subTest(command=command, words=words):
                        out = self.assertStatus(supervisor.ctl(command, *words, "--json"), 0).out
                        self.assertEqual(json.loads(out.splitlines()[-1])["pass"], number)

    def test_a_pass_that_is_unknown_is_status_1_and_the_known_ones_are_told(self):
        supervisor = self.start_with("a: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        for words in (["blame"], ["critical-path"], ["what-if"], ["history"], ["compare"]):
            with self.subTest(words):
                finished = self.assertStatus(supervisor.ctl(*words, "--pass", "99"), 1)
                self.assertEqual(finished.out, "")
                self.assertIn("99", finished.err)
                self.assertRegex(finished.err, r"use one of these: 1\b")
        self.assertStatus(supervisor.ctl("blame", "--phase", "active"), 1)
        for words in (["--pass", "0"], ["--pass", "one"], ["--phase", "lunch"], ["--pass", "1", "--phase", "launch"]):
            self.assertStatus(supervisor.ctl("blame", *words), 64)

    def test_a_pass_in_flight_is_among_the_known_ones(self):
        supervisor = self.start_with("a: { command: sleep 60 }", "--activate")
        supervisor.peer().until_initializer("a", "running")
        for words in (["blame", "--pass", "9"], ["compare", "9"]):
            finished = self.assertStatus(supervisor.ctl(*words), 1)
            self.assertIn("pass 9 is unknown or forgotten; use one of these: 1 to 2", finished.err)

    def test_a_pass_that_has_not_opened_is_told_in_the_same_words_everywhere(self):
        supervisor = self.start_with("a: { command: sleep 60 }\nb: { command: 'true', priority: appActive }", "--activate")
        supervisor.peer().until_initializer("a", "running")
        words = r"ass 2 \(active\) has waited [0-9.]+ m?s for launch, and has not opened yet"
        for command in ("blame", "critical-path"):
            finished = self.assertStatus(supervisor.ctl(command, "--pass", "2"), 0)
            self.assertRegex(finished.out.splitlines()[0], f"^p{words}$")
        self.assertRegex(self.assertStatus(supervisor.ctl("plot", "--pass", "2"), 0).out, f"<title>P{words}</title>")
        for more in ([], ["--json"]):
            finished = self.assertStatus(supervisor.ctl("what-if", "--pass", "2", *more), 1)
            self.assertEqual(finished.out, "")
            self.assertRegex(finished.err, f"^initctl: p{words}$")

    def test_the_newest_pass_that_ran_something_is_shown_unless_another_is_named(self):
        ran_nothing = "pass 2 (active), which is newer, ran nothing"
        for a in ("sleep 0.1; exit 3", "sleep 0.1"):
            # After the failure of launch, and without active initializers, the active pass is empty.
            b = "\nb: { command: 'true', priority: appActive }" if "exit" in a else ""
            supervisor = self.start_with(f"a: {{ command: '{a}' }}{b}", "--activate")
            supervisor.peer().ok("wait", pass_=2)
            for command in ("blame", "critical-path", "what-if"):
                with self.subTest(command=command, a=a):
                    lines = self.assertStatus(supervisor.ctl(command), 0).out.splitlines()
                    self.assertRegex(lines[0], r"^pass 1 \(launch\)")
                    self.assertEqual(lines[1], ran_nothing)
                    for words, number in ((["--pass", "2"], 2), (["--phase", "active"], 2), (["--phase", "launch"], 1)):
                        self.assertNotIn(ran_nothing, self.assertStatus(supervisor.ctl(command, *words), 0).out)
                        self.assertEqual(self.json(supervisor, command, *words)["pass"], number)
                    self.assertEqual(self.json(supervisor, command)["pass"], 1)
            finished = self.assertStatus(supervisor.ctl("plot"), 0)
            self.assertIn("<title>Pass 1 (launch)", finished.out)
            self.assertIn(ran_nothing, finished.err)

    def test_without_a_pass_that_ran_something_the_newest_is_shown(self):
        supervisor = self.start_fast("--activate")
        supervisor.peer().ok("wait", pass_=2)
        self.assertEqual(self.json(supervisor, "blame")["pass"], 2)

    def test_an_active_pass_says_for_what_in_launch_it_waited(self):
        supervisor = self.start_with(
            "a: { command: 'true' }\nstatic: { command: sleep 0.4 }\ndocs: { command: sleep 0.3 }\n"
            "page: { command: sleep 0.05, priority: appActive, dependencies: [a] }", "--activate", "--concurrency", "3")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        for command in ("critical-path", "blame", "what-if"):
            lines = self.assertStatus(supervisor.ctl(command), 0).out.splitlines()
            self.assertRegex(lines[0], r"^pass 2 \(active\) complete in .*; before, it waited [0-9.]+ m?s for launch$")
            self.assertRegex(
                lines[1],
                r"^the active pass waited [0-9.]+ m?s for launch, in which static ended last; "
                r"[0-9.]+ m?s of that only for static and docs, on which no active initializer depends$")
            self.assertEqual(lines[2], f"both together: initctl {command} --phase all")
        # The next pass doesn't wait.
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertNotIn("waited", self.assertStatus(supervisor.ctl("critical-path"), 0).out.split("\n\n")[0])

    def test_why_says_so_while_it_waits(self):
        supervisor = self.start_with(
            "a: { command: 'true' }\nstatic: { command: sleep 60, dependencies: [a] }\n"
            "page: { command: 'true', priority: appActive, dependencies: [a] }\n"
            "needs: { command: 'true', priority: appActive, dependencies: [static] }", "--activate")
        supervisor.peer().until_initializer("static", "running")
        words = "waits for launch, although it depends on nothing that launch still runs"
        self.assertIn(words, self.assertStatus(supervisor.ctl("why", "page"), 2).out)
        for name in ("needs", "active"):
            self.assertNotIn("although", self.assertStatus(supervisor.ctl("why", name), 2).out.split("page")[0])

    def test_launch_and_the_active_pass_together(self):
        supervisor = self.start_with(
            "check: { command: sleep 0.05, priority: appActive }\nl: { command: sleep 0.3, dependencies: [check] }\n"
            "a: { command: sleep 0.1, priority: appActive, dependencies: [check] }", "--activate")
        supervisor.peer().ok("wait", for_="ready")
        launch, active = self.recorded(supervisor, 1), self.recorded(supervisor, 2)
        blame = self.json(supervisor, "blame", "--phase", "all")
        self.assertEqual((blame["pass"], blame["phase"], blame["outcome"], blame["held"]), (2, "all", "complete", 0))
        self.assertAlmostEqual(blame["duration"], active.ended - launch.opened, delta=CLOSE)
        self.assertCountEqual(
            [(each["name"], each["phase"]) for each in blame["initializers"]],
            [("check", "launch"), ("l", "launch"), ("check", "active"), ("a", "active")])
        for each in blame["initializers"]:
            own = launch if each["phase"] == "launch" else active
            self.assertAlmostEqual(each["running"], own.parts(each["name"])["running"], delta=CLOSE)
            self.assertAlmostEqual(each["finished"], own.end(each["name"]) - launch.opened, delta=CLOSE)
        path = self.json(supervisor, "critical-path", "--phase", "all")
        self.assertEqual(
            [(step["name"], step["phase"], step["link"], step.get("from")) for step in path["path"]],
            [("check", "launch", "opening", None), ("l", "launch", "dependency", "check"), ("check", "active", "launch", "l"),
             ("a", "active", "dependency", "check")])
        self.assertAlmostEqual(sum(step["share"] for step in path["path"]), blame["duration"], delta=CLOSE)
        lines = self.assertStatus(supervisor.ctl("critical-path", "--phase", "all"), 0).out.splitlines()
        self.assertRegex(lines[0], r"^passes 1 and 2 \(launch and active\) complete in .*; launch took .*, the active pass ")
        self.assertTrue(any(line.startswith("check (active)") and "launch complete, after l" in line for line in lines), lines)
        table = self.assertStatus(supervisor.ctl("blame", "--phase", "all"), 0).out.splitlines()
        self.assertIn("PHASE", next(line for line in table if line.startswith("NAME")))
        picture = self.assertStatus(supervisor.ctl("plot", "--phase", "all"), 0).out
        self.assertIn("<title>Passes 1 and 2 (launch and active) complete", picture)
        self.assertIn("launch is complete", picture)
        self.assertEqual(picture.count(">check</text>"), 2)
        tracks = json.loads(self.assertStatus(supervisor.ctl("trace", "--phase", "all"), 0).out)["traceEvents"]
        self.assertEqual(sum(each["ph"] == "X" and each["name"] == "running" for each in tracks), 4)

    def test_together_only_if_the_active_pass_waited_for_launch(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'true', priority: appActive }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("critical-path", "--phase", "all"), 1)
        self.assertIn("no pass of the active phase", finished.err)
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        finished = self.assertStatus(supervisor.ctl("plot", "--phase", "all"), 1)
        self.assertIn("pass 2 (active) didn't wait for launch", finished.err)
        self.assertEqual(finished.out, "")
        for words in (["--phase", "all", "--pass", "1"], ["--phase", "both"]):
            self.assertStatus(supervisor.ctl("blame", *words), 64)
        for command in ("history", "compare"):
            self.assertStatus(supervisor.ctl(command, "--phase", "all"), 64)

    def test_together_in_flight(self):
        supervisor = self.start_with("l: { command: sleep 60 }\na: { command: 'true', priority: appActive }", "--activate")
        supervisor.peer().until_initializer("l", "running")
        blame = self.json(supervisor, "blame", "--phase", "all")
        self.assertEqual(blame["outcome"], "running")
        self.assertEqual(
            {each["name"]: (each["phase"], each["outcome"]) for each in blame["initializers"]},
            {"l": ("launch", "running"), "a": ("active", "waiting")})

    def test_critical_path_says_first_how_much_it_waited_for_places_and_which_number_helps(self):
        supervisor = self.start_with("\n".join(f"n{number}: {{ command: sleep 0.1 }}" for number in range(12)))
        supervisor.peer().ok("wait", for_="launch")
        lines = self.assertStatus(supervisor.ctl("critical-path"), 0).out.splitlines()
        self.assertRegex(
            lines[1], r"^for 9[0-9]% of the time, the path waited for the only place; with --concurrency \d+, it would take about .* \(-\d+%\)$")
        concurrency = lines[1].split("--concurrency ")[1].split(",")[0]
        self.assertIn(int(concurrency), (8, 12))
        predicted = self.json(supervisor, "what-if", "--concurrency", concurrency)["predicted"]
        self.assertIn(f"about {round(predicted * 1000)} ms", lines[1])
        # A chain waits for nothing else.
        supervisor = self.start_with("a: { command: sleep 0.1 }\nb: { command: sleep 0.1, dependencies: [a] }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertNotIn("of the time", self.assertStatus(supervisor.ctl("critical-path"), 0).out)

    def test_a_table_in_a_pipe_has_no_colours(self):
        supervisor = self.start_with(GRAPH)
        supervisor.peer().ok("wait", for_="launch")
        for command in ("blame", "critical-path", "what-if", "history"):
            out = self.assertStatus(supervisor.ctl(command), 0).out
            self.assertNotIn("\x1b", out)
            self.assertTrue(all(line == line.rstrip() for line in out.splitlines()), out)


if __name__ == "__main__":
    unittest.main()
