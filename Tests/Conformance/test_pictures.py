"""seeing.md: `initctl plot` and `initctl trace`."""

import json
import os
import unittest
import xml.etree.ElementTree as ElementTree

from supervisor import Conformance

RETRIED = """
first: { command: 'true' }
second: { command: 'test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 20ms }, dependencies: [first] }
third: { command: 'true', dependencies: [second] }
"""
SVG = "{http://www.w3.org/2000/svg}"


class PictureTests(Conformance):
    def complete(self, initializers=RETRIED, *arguments):
        supervisor = self.start_with(initializers, *arguments)
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def plot(self, supervisor, *words):
        """The text of the picture, which must be XML."""
        finished = self.assertStatus(supervisor.ctl("plot", *words), 0)
        root = ElementTree.fromstring(finished.out)
        self.assertEqual(root.tag, SVG + "svg")
        return finished.out, root

    def slices(self, text):
        """The slices of each track, by the names of the tracks."""
        trace = json.loads(text)
        self.assertEqual(list(trace), ["traceEvents"])
        events = trace["traceEvents"]
        names = {each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"}
        tracks = {name: [] for name in names.values()}
        for each in events:
            self.assertIn(each["ph"], "MX")
            if each["ph"] == "X":
                tracks[names[each["tid"]]].append(each)
        return tracks

    def assertApart(self, tracks):
        """Slices on a track follow one another."""
        for slices in tracks.values():
            for one, other in zip(slices, slices[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], other["ts"])

    def test_the_picture_names_the_pass_and_each_initializer(self):
        text, root = self.plot(self.complete())
        rows = [each for each in root.iter(SVG + "g") if each.find(SVG + "title") is not None]
        self.assertEqual([each.find(SVG + "text").text for each in rows], ["first", "second", "third"])
        self.assertIn("Pass 1 (launch) complete after", root.find(SVG + "title").text)
        self.assertIn("prefers-color-scheme", text)

    def test_outcomes_differ_in_more_than_colour(self):
        supervisor = self.complete("a: { command: 'exit 3' }")
        _, root = self.plot(supervisor)
        classes = [each.get("class") for each in root.iter() if each.get("class")]
        self.assertIn("run failed", classes)
        self.assertIn("mark failed", classes)
        self.assertTrue(any("exit status 3" in (each.text or "") for each in root.iter(SVG + "text")))

    def test_a_pass_in_flight_is_drawn_as_it_is_now(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]})
        worker.expect_run("a")
        text, root = self.plot(supervisor)
        self.assertIn("has been running for", root.find(SVG + "title").text)
        self.assertIn("run running", text)
        self.assertIn(">b<", text)
        tracks = self.slices(self.assertStatus(supervisor.ctl("trace"), 0).out)
        self.assertEqual(tracks["a"][-1]["args"]["outcome"], "running")
        self.assertEqual({each["name"] for each in tracks["b"]}, {"waiting"})

    def test_a_track_has_waiting_queued_and_running_apart(self):
        supervisor = self.complete()
        out = self.assertStatus(supervisor.ctl("trace"), 0).out
        tracks = self.slices(out)
        self.assertEqual(list(tracks), ["first", "second", "third"])
        self.assertApart(tracks)
        running = [each for each in tracks["second"] if each["name"] == "running"]
        self.assertEqual([(each["args"]["attempt"], each["args"]["outcome"]) for each in running], [(1, "failed"), (2, "complete")])
        self.assertEqual(running[0]["args"]["cause"], "exit status 1")
        (backoff,) = [each for each in tracks["second"] if each["name"] == "backoff"]
        self.assertGreaterEqual(backoff["dur"], 20_000)
        self.assertEqual([each["name"] for each in tracks["third"]][0], "waiting")
        (summary,) = supervisor.peer().ok("history", summaries=True)["summaries"]
        for each in summary["initializers"]:
            for part, name in (("waited", "waiting"), ("queued", "queued"), ("running", "running"), ("backoff", "backoff")):
                total = sum(piece["dur"] for piece in tracks[each["name"]] if piece["name"] == name)
                self.assertAlmostEqual(total / 1e6, each[part], delta=0.00001)
        process = next(each for each in json.loads(out)["traceEvents"] if each["name"] == "process_name")
        self.assertEqual(process["args"]["name"], "pass 1 (launch)")

    def test_the_pass_is_chosen_as_in_the_other_commands(self):
        supervisor = self.complete("a: { command: 'true' }\nz: { command: 'true', priority: appActive }", "--activate")
        supervisor.peer().ok("wait", for_="ready")
        for words, name in (([], "z"), (["--phase", "launch"], "a"), (["--pass", "1"], "a"), (["--pass", "2"], "z")):
            with self.subTest(words):
                self.assertEqual(list(self.slices(supervisor.ctl("trace", *words).out)), [name])
                self.assertIn(f">{name}</text>", self.plot(supervisor, *words)[0])
        for command in ("plot", "trace"):
            finished = self.assertStatus(supervisor.ctl(command, "--pass", "99"), 1)
            self.assertIn("1 to 2", finished.err)

    def test_output_is_the_file(self):
        supervisor = self.complete()
        for command in ("plot", "trace"):
            path = supervisor.file("result")
            finished = self.assertStatus(supervisor.ctl(command, "--output", path), 0)
            self.assertEqual(finished.out, "")
            self.assertEqual(supervisor.text("result"), supervisor.ctl(command).out)
            finished = self.assertStatus(supervisor.ctl(command, "--output", os.path.join(path, "none")), 1)
            self.assertIn(path, finished.err)
            self.assertStatus(supervisor.ctl(command, "--output", "/dev/full"), 1)


if __name__ == "__main__":
    unittest.main()
