"""seeing.md: the effects of changes on a pass (`what-if`), the passes (`history`), and slower initializers (`compare`)."""

from __future__ import annotations

import json
import os
import random
import statistics
import unittest

from recorded import CLOSE
from supervisor import Conformance
from test_blame import GRAPH, Explained


class WhatIfTests(Explained):
    def test_unchanged_it_predicts_the_measured_duration(self):
        for concurrency in (1, 2, 4):
            with self.subTest(concurrency):
                supervisor = self.start_with(GRAPH, "--concurrency", str(concurrency))
                supervisor.peer().ok("wait", for_="launch")
                answer = self.json(supervisor, "what-if")
                path = self.json(supervisor, "critical-path")
                self.assertEqual(answer["pass"], 1)
                self.assertAlmostEqual(answer["duration"], path["duration"], delta=CLOSE)
                self.assertAlmostEqual(answer["predicted"], answer["duration"], delta=max(0.005, answer["duration"] * 0.05))
                self.assertEqual(answer["path"], [step["name"] for step in path["path"]])

    def test_the_concurrency_decides_how_much_is_done_at_once(self):
        supervisor = self.start_with("\n".join(f"{name}: {{ command: sleep 0.1 }}" for name in "abcd"))
        supervisor.peer().ok("wait", for_="launch")
        running = {each["name"]: each["running"] for each in self.json(supervisor, "blame")["initializers"]}
        all_at_once = self.json(supervisor, "what-if", "--concurrency", "4")
        self.assertAlmostEqual(all_at_once["predicted"], max(running.values()), delta=CLOSE)
        two = self.json(supervisor, "what-if", "--concurrency", "2")
        self.assertLess(two["predicted"], sum(running.values()))
        self.assertGreater(two["predicted"], all_at_once["predicted"])

    def test_without_faster_and_another_duration(self):
        supervisor = self.start_with(GRAPH)
        supervisor.peer().ok("wait", for_="launch")
        parts = {each["name"]: each for each in self.json(supervisor, "blame")["initializers"]}
        whole = self.json(supervisor, "what-if")["predicted"]
        for words, saved in (
            (["--without", "b"], parts["b"]["running"]),
            (["--without", "d"], parts["d"]["running"] + parts["d"]["backoff"]),
            (["--speedup", "b=2"], parts["b"]["running"] / 2),
            (["--speedup", "d=4"], parts["d"]["running"] * 3 / 4),
            (["--duration", "b=1s"], parts["b"]["running"] - 1),
            (["--duration", "b=0", "--without", "a"], parts["b"]["running"] + parts["a"]["running"]),
        ):
            with self.subTest(words):
                answer = self.json(supervisor, "what-if", *words)
                self.assertAlmostEqual(whole - answer["predicted"], saved, delta=2 * CLOSE)
                for word in words[1:]:
                    if words[0] == "--without":
                        self.assertNotIn(word, answer["path"])

    def test_options_can_be_repeated(self):
        supervisor = self.start_with("\n".join(f"{name}: {{ command: sleep 0.05 }}" for name in "abcd"))
        supervisor.peer().ok("wait", for_="launch")
        running = {each["name"]: each["running"] for each in self.json(supervisor, "blame")["initializers"]}
        for words, durations in (
            (["--without", "a", "--without", "c"], [running["b"], running["d"]]),
            (["--speedup", "a=2", "--speedup", "b=0.5"], [running["a"] / 2, running["b"] * 2, running["c"], running["d"]]),
            (["--duration", "a=1s", "--duration", "b=250ms", "--without", "d"], [1, 0.25, running["c"]]),
        ):
            with self.subTest(words):
                answer = self.json(supervisor, "what-if", *words)
                # With one place and no dependencies, the pass takes as long as all of its runs.
                overhead = answer["duration"] - sum(running.values())
                self.assertLessEqual(abs(answer["predicted"] - sum(durations)), overhead + 2 * CLOSE)
                self.assertEqual(len(answer["path"]), len(durations))

    def test_without_a_dependency(self):
        supervisor = self.start_with(
            "a: { command: sleep 0.1 }\nb:c: { command: sleep 0.2, dependencies: [a] }\nd: { command: sleep 0.1, dependencies: ['b:c', a] }",
            "--concurrency", "3")
        supervisor.peer().ok("wait", for_="launch")
        running = {each["name"]: each["running"] for each in self.json(supervisor, "blame")["initializers"]}
        for words, expected in (
            (["--without-dependency", "b:c:a"], running["b:c"] + running["d"]),
            (["--without-dependency", "d:b:c"], running["a"] + running["b:c"]),
            (["--without-dependency", "d:b:c", "--without-dependency", "d:a", "--without-dependency", "b:c:a"], running["b:c"]),
        ):
            with self.subTest(words):
                answer = self.json(supervisor, "what-if", *words)
                # In the chain, the pass takes as long as all of its runs; the pauses between them are also predicted.
                overhead = answer["duration"] - sum(running.values())
                self.assertLessEqual(abs(answer["predicted"] - expected), overhead + 2 * CLOSE)
        out = self.assertStatus(supervisor.ctl("what-if", "--without-dependency", "d:b:c"), 0).out
        self.assertIn("without the dependency of d on b:c", out)
        finished = self.assertStatus(supervisor.ctl("what-if", "--without-dependency", "a:d"), 0)
        self.assertIn("a did not wait for d itself; this changes nothing", finished.err)
        for word in ("b:c", "nobody", "d:", "x:a", "d:bb:c"):
            self.assertStatus(supervisor.ctl("what-if", "--without-dependency", word), 64)

    def test_of_a_failed_pass_a_start_is_predicted(self):
        supervisor = self.start_with(
            "a: { command: sleep 0.1 }\nb: { command: 'sleep 0.1; test -e good', dependencies: [a] }\n"
            "c: { command: sleep 0.3, dependencies: [b] }")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
        # No pass has completed, so it isn't known how long the rest takes.
        answer = self.json(supervisor, "what-if")
        self.assertEqual(answer["unknown"], ["b", "c"])
        self.assertAlmostEqual(answer["predicted"], answer["duration"], delta=0.02)
        out = self.assertStatus(supervisor.ctl("what-if"), 0).out
        self.assertRegex(out, r"predicted for a start that completes: at least [0-9.]+ m?s with nothing changed")
        self.assertIn("unknown, because they did not run to completion in any pass: how long b and c take", out)
        self.assertEqual(self.json(supervisor, "what-if", "--duration", "b=1s", "--duration", "c=2s").get("unknown"), None)
        # Then the launch is resumed, and completes.
        self.write(supervisor.file("good"), "")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        running = {each["name"]: each["running"] for each in self.json(supervisor, "blame")["initializers"]}
        answer = self.json(supervisor, "what-if", "--pass", "1")
        self.assertNotIn("unknown", answer)
        first = self.json(supervisor, "blame", "--pass", "1")["initializers"]
        whole = next(each["running"] for each in first if each["name"] == "a") + running["b"] + running["c"]
        self.assertAlmostEqual(answer["predicted"], whole, delta=0.02)
        self.assertIn("as long as usual, because they did not run to completion: b and c", self.assertStatus(supervisor.ctl("what-if", "--pass", "1"), 0).out)
        # Initializers that had completed before aren't a part of the resumed launch.
        self.assertAlmostEqual(self.json(supervisor, "what-if")["predicted"], running["b"] + running["c"], delta=0.02)

    def test_launch_and_the_active_pass_together(self):
        supervisor = self.start_with(
            "static: { command: sleep 0.4 }\nl: { command: sleep 0.1 }\n"
            "a: { command: sleep 0.2, priority: appActive, dependencies: [l] }", "--activate", "--concurrency", "2")
        supervisor.peer().ok("wait", for_="ready")
        answer = self.json(supervisor, "what-if", "--phase", "all")
        self.assertAlmostEqual(answer["predicted"], answer["duration"], delta=max(0.005, answer["duration"] * 0.05))
        self.assertEqual(answer["path"], ["static", "a"])
        parts = {each["name"]: each["running"] for each in self.json(supervisor, "blame", "--phase", "all")["initializers"]}
        without = self.json(supervisor, "what-if", "--phase", "all", "--without", "static")
        self.assertAlmostEqual(without["predicted"], parts["l"] + parts["a"], delta=0.02)
        self.assertEqual(without["path"], ["l", "a"])
        serial = self.json(supervisor, "what-if", "--phase", "all", "--concurrency", "1")
        self.assertAlmostEqual(serial["predicted"], sum(parts.values()), delta=0.02)

    def test_a_late_worker_stays_late(self):
        supervisor = self.start(self.manifest("base: { command: sleep 0.2 }", "version: 1\n"))
        worker = supervisor.worker({"name": "w", "dependencies": ["base"]})
        worker.expect_run("w").succeed()
        supervisor.peer().ok("wait", for_="launch")
        answer = self.json(supervisor, "what-if", "--phase", "launch")
        self.assertAlmostEqual(answer["predicted"], answer["duration"], delta=max(0.005, answer["duration"] * 0.05))

    def test_a_name_that_nobody_declared_is_status_64_with_a_suggestion(self):
        supervisor = self.start_with("migrate: { command: 'true' }\nother: { command: 'true', priority: appActive }")
        supervisor.peer().ok("wait", for_="launch")
        for words in (["--without", "migrat"], ["--speedup", "migrat=2"], ["--duration", "migrat=1s"]):
            finished = self.assertStatus(supervisor.ctl("what-if", *words), 64)
            self.assertIn('did you mean "migrate"?', finished.err)
        for words in (["--without"], ["--speedup", "migrate"], ["--speedup", "migrate=0"], ["--speedup", "migrate=-1"], ["--duration", "migrate=soon"], ["--concurrency", "0"]):
            self.assertStatus(supervisor.ctl("what-if", *words), 64)
        # An initializer that is declared and didn't run changes nothing.
        finished = self.assertStatus(supervisor.ctl("what-if", "--without", "other", "--json"), 0)
        self.assertIn("other", finished.err)
        self.assertEqual(json.loads(finished.out)["path"], ["migrate"])

    def test_random_graphs_with_concurrency_1_and_4_are_predicted_from_each_other(self):
        generator = random.Random(4)
        lines = []
        for number in range(12):
            needs = generator.sample(range(number), min(number, generator.randrange(3)))
            lines.append(f"n{number}: {{ command: sleep 0.{generator.randrange(5, 15):02}, dependencies: [{', '.join(f'n{n}' for n in needs)}] }}")
        duration = {}
        for concurrency, other in ((1, 4), (4, 1)):
            supervisor = self.start_with("\n".join(lines), "--concurrency", str(concurrency))
            supervisor.peer().ok("wait", for_="launch")
            answer = self.json(supervisor, "what-if", "--concurrency", str(other))
            duration[concurrency] = (answer["duration"], answer["predicted"])
        # The same commands take longer when the machine is busy, so only the order is certain.
        self.assertLess(duration[4][0], duration[1][0])
        self.assertLess(duration[1][1], duration[1][0])
        self.assertGreater(duration[4][1], duration[4][0])


class HistoryCommandTests(Conformance):
    def test_one_line_a_pass_as_in_the_protocol(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'true', priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        lines = self.assertStatus(supervisor.ctl("history", "--json"), 0).out.splitlines()
        self.assertEqual([json.loads(line) for line in lines], peer.ok("history", limit=9)["passes"])
        for words, numbers in ((["--limit", "2"], [2, 3]), (["--phase", "launch"], [1]), (["--pass", "2"], [2])):
            lines = self.assertStatus(supervisor.ctl("history", "--json", *words), 0).out.splitlines()
            self.assertEqual([json.loads(line)["pass"] for line in lines], numbers)
        table = self.assertStatus(supervisor.ctl("history"), 0).out.splitlines()
        self.assertEqual([line.split()[:3] for line in table[1:]], [["1", "launch", "complete"], ["2", "active", "complete"], ["3", "active", "complete"]])

    def test_limit_is_how_many_of_the_newest_passes_of_the_phase(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'true', priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        for _ in range(3):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
        for words, numbers in (
            (["--limit", "1"], [5]), (["--limit", "99"], [1, 2, 3, 4, 5]), (["--limit", "2", "--phase", "active"], [4, 5]),
            (["--limit", "9", "--phase", "launch"], [1]),
        ):
            lines = self.assertStatus(supervisor.ctl("history", "--json", *words), 0).json()
            self.assertEqual([each["pass"] for each in lines], numbers)
            rows = self.assertStatus(supervisor.ctl("history", *words), 0).out.splitlines()[1:]
            self.assertEqual([int(row.split()[0]) for row in rows], numbers)
        for wrong in ("0", "-1", "all"):
            self.assertStatus(supervisor.ctl("history", "--limit", wrong), 64)

    def test_history_says_the_same_of_a_pass_with_all_and_without(self):
        supervisor = self.start_with(
            "a: { command: 'exit 3', optional: true, retry: { attempts: 2, delay: 10ms } }\nb: { command: 'test -e good' }\n"
            "w: { worker: true, dependencies: [b] }\nz: { command: 'true', priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.ok("wait", pass_=2)
        self.write(supervisor.file("good"), "")
        for _ in range(2):
            # The worker never comes.
            peer.ok("wait", pass_=peer.ok("launch")["pass"])
            worker = supervisor.worker({"name": "w"}) if _ else None
        peer.ok("launch")
        worker.expect_run("w").succeed()
        peer.ok("wait", for_="ready")
        rows = {}
        for words in ([], ["--all"]):
            lines = self.assertStatus(supervisor.ctl("history", *words), 0).out.splitlines()
            rows[tuple(words)] = [line.removesuffix("this one").rstrip() for line in lines[1:]]
        self.assertEqual(rows[()], rows[("--all",)])
        self.assertGreaterEqual(len(rows[()]), 5)
        # The initializer that failed the pass comes first, then the other failed ones; the active pass fails with launch's error.
        self.assertTrue(rows[()][0].endswith("  b and a"), rows)
        self.assertTrue(rows[()][1].endswith("  b"), rows)

    def test_a_pass_in_flight_is_the_last(self):
        supervisor = self.start_with("a: { command: sleep 60 }")
        supervisor.peer().until_initializer("a", "running")
        (line,) = self.assertStatus(supervisor.ctl("history", "--json", "--limit", "1"), 0).out.splitlines()
        self.assertNotIn("outcome", json.loads(line))
        self.assertIn("running", self.assertStatus(supervisor.ctl("history"), 0).out)


class CompareTests(Explained):
    MANIFEST = """
a: { command: 'echo x >> a.runs; sleep 0.$(wc -l < a.runs)', priority: appActive }
b: { command: 'true', priority: appActive }
"""

    def test_what_got_slower_comes_first(self):
        supervisor = self.start_with(self.MANIFEST, "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        running = {}
        for number in (2, 3):
            blame = self.json(supervisor, "blame", "--pass", str(number))
            running[number] = ({each["name"]: each["running"] for each in blame["initializers"]}, blame["duration"])
        for words in (["2", "3"], [], ["2"], ["--phase", "active"], ["2", "--pass", "3"]):
            with self.subTest(words):
                answer = self.json(supervisor, "compare", *words)
                self.assertEqual((answer["a"], answer["b"]), (2 if "2" in words else "median", 3))
                self.assertAlmostEqual(answer["duration"][0], running[2][1], delta=CLOSE)
                self.assertAlmostEqual(answer["duration"][1], running[3][1], delta=CLOSE)
                self.assertEqual([each["name"] for each in answer["initializers"]], ["a", "b"])
                for each in answer["initializers"]:
                    for place, number in enumerate((2, 3)):
                        self.assertAlmostEqual(each["running"][place], running[number][0][each["name"]], delta=CLOSE)
        changes = [abs(each["running"][1] - each["running"][0]) for each in self.json(supervisor, "compare", "1", "3")["initializers"]]
        self.assertEqual(changes, sorted(changes, reverse=True))
        self.assertIn("+", self.assertStatus(supervisor.ctl("compare"), 0).out)

    def test_without_b_the_newest_is_compared_with_the_median_of_the_earlier_ones_of_its_phase(self):
        # Each pass takes the time of its line; the passes of launch and failed passes don't count for the median.
        supervisor = self.start_with(
            "l: { command: sleep 0.5 }\n"
            "a: { command: 'echo x >> runs; set -- 0.05 0.35 0.1 0.9 0.2; shift $(($(wc -l < runs) - 1)); sleep $1; test $1 != 0.9', priority: appActive }",
            "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        outcomes = [peer.ok("wait", pass_=peer.ok("activate")["pass"])["state"] for _ in range(4)]
        self.assertEqual(outcomes, ["complete", "complete", "failed", "complete"])
        blames = {number: self.json(supervisor, "blame", "--pass", str(number)) for number in range(1, 7)}
        earlier = [blames[number] for number in (2, 3, 4)]
        answer = self.json(supervisor, "compare")
        self.assertEqual(answer["b"], 6)
        self.assertEqual([each["name"] for each in answer["initializers"]], ["a"])
        for (before, after), value in (
            (answer["duration"], lambda blame: blame["duration"]),
            (answer["initializers"][0]["running"], lambda blame: blame["initializers"][0]["running"]),
        ):
            self.assertAlmostEqual(before, statistics.median(map(value, earlier)), delta=CLOSE)
            self.assertAlmostEqual(after, value(blames[6]), delta=CLOSE)

    def test_one_that_ran_in_one_of_both_is_told_too(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'true', priority: appActive }", "--activate")
        supervisor.peer().ok("wait", for_="ready")
        answer = self.json(supervisor, "compare", "1", "2")
        running = {each["name"]: each["running"] for each in answer["initializers"]}
        self.assertEqual(set(running), {"a", "b"})
        for name, (before, after) in running.items():
            self.assertEqual(after if name == "a" else before, 0)
            self.assertGreater(before if name == "a" else after, 0)

    def test_only_what_both_ran_to_completion_is_compared(self):
        supervisor = self.start_with(
            "always: { command: 'exit 1', optional: true }\na: { command: sleep 0.2 }\nb: { command: 'sleep 0.1; test -e good', dependencies: [a] }\n"
            "c: { command: sleep 0.1, dependencies: [b] }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.write(supervisor.file("good"), "")
        peer.ok("wait", pass_=peer.ok("launch")["pass"])
        answer = self.json(supervisor, "compare", "1", "2")
        self.assertIs(answer["comparable"], False)
        self.assertTrue(all(each["comparable"] is False for each in answer["initializers"]), answer)
        self.assertCountEqual([each["name"] for each in answer["initializers"]], ["always", "a", "b", "c"])
        out = self.assertStatus(supervisor.ctl("compare", "1", "2"), 0).out
        self.assertIn("can't be compared: they didn't run the same initializers to completion", out.splitlines()[0])
        self.assertNotIn("CHANGE", out)
        for name, why in (("a", "did not run in the second"), ("b", "did not complete in the first"), ("c", "did not run in the first")):
            self.assertRegex(out, rf"(?m)^{name} .* {why}$")

    def test_what_always_fails_does_not_come_first(self):
        supervisor = self.start_with(
            "fails: { command: 'sleep 0.2; exit 1', optional: true, priority: appActive }\na: { command: 'true', priority: appActive }",
            "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        for words in ([], ["2", "3"]):
            answer = self.json(supervisor, "compare", *words)
            self.assertEqual([(each["name"], each.get("comparable")) for each in answer["initializers"]], [("a", None), ("fails", False)])
            self.assertNotIn("comparable", answer)

    def test_a_whole_launch_is_compared_with_whole_ones_if_there_are_any(self):
        supervisor = self.start_with(
            "a: { command: sleep 0.2, priority: appActive }\nb: { command: 'sleep 0.1; test $INITD_PASS != 4', priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        for _ in range(3):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertTrue(self.assertStatus(supervisor.ctl("compare"), 0).out.startswith("from the median of 2 earlier passes to pass 5"))
        # Pass 4 failed at b, so only a can be compared.
        out = self.assertStatus(supervisor.ctl("compare", "--pass", "4"), 0).out
        self.assertIn("can't be compared", out)
        self.assertIn("the one that ran to completion in both ran for", out)

    def test_a_pass_in_flight_is_the_newest_and_counts_up_to_now(self):
        supervisor = self.start_with("a: { command: 'test -e done || sleep 60', priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        # Even the first passes can be compared: launch has ended, and the active pass runs.
        answer = self.json(supervisor, "compare", "1", "2")
        self.assertEqual((answer["a"], answer["b"], [each["name"] for each in answer["initializers"]]), (1, 2, ["a"]))
        before = answer["duration"][1]
        self.assertGreater(self.json(supervisor, "compare", "1", "2")["duration"][1], before)
        self.assertIn("(active, so far)", self.assertStatus(supervisor.ctl("compare", "1", "2"), 0).out)
        # The newest pass is the one in flight, also with --phase; it is no part of a median.
        finished = self.assertStatus(supervisor.ctl("compare"), 1)
        self.assertIn("no earlier pass of the active phase", finished.err)
        peer.ok("deactivate", wait=True)
        self.write(supervisor.file("done"), "")
        for _ in range(2):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
        os.remove(supervisor.file("done"))
        number = peer.ok("activate")["pass"]
        peer.until_initializer("a", "running")
        for words in ([], ["--phase", "active"], ["3"]):
            answer = self.json(supervisor, "compare", *words)
            self.assertEqual((answer["a"], answer["b"]), (3 if words == ["3"] else "median", number))

    def test_the_newest_pass_is_not_compared_with_itself(self):
        supervisor = self.start_with("a: { command: 'true', priority: appActive }", "--activate")
        supervisor.peer().ok("wait", for_="ready")
        finished = self.assertStatus(supervisor.ctl("compare", "2"), 1)
        self.assertEqual(finished.out, "")
        self.assertIn("pass 2 is the newest of the active phase", finished.err)

    def test_people_are_told_of_different_phases_and_of_how_many_passes_the_median_is(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'true', priority: appActive }", "--activate")
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        finished = self.assertStatus(supervisor.ctl("compare", "1", "2"), 0)
        self.assertIn("pass 1 is of the launch phase, and pass 2 of the active phase", finished.err)
        for words in ("the only earlier pass", "the median of 2 earlier passes"):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
            finished = self.assertStatus(supervisor.ctl("compare"), 0)
            self.assertTrue(finished.out.startswith(f"from {words} to pass "), finished.out)
            self.assertEqual(finished.err, "")

    def test_there_must_be_something_to_compare_with(self):
        supervisor = self.start_with("a: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("compare"), 1)
        self.assertIn("no earlier pass", finished.err)
        self.assertStatus(supervisor.ctl("compare", "1", "9"), 1)
        self.assertStatus(supervisor.ctl("compare", "1", "1", "--pass", "1"), 64)


if __name__ == "__main__":
    unittest.main()
