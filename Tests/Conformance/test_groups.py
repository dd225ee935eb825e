"""manifest.md: places for a group (S33)."""

import json
import unittest

from supervisor import FAST, Conformance

HEAD = FAST + "concurrency: 8\ngroups: { db: 2, bus: 1 }\n"


class GroupTests(Conformance):
    def start_group(self, initializers, *arguments, **options):
        return self.start(self.manifest(initializers, HEAD), *arguments, **options)

    def waits(self, supervisor):
        supervisor.until_lines("began", 3)
        return {each["name"]: each for each in supervisor.peer().status()["initializers"]}

    def held(self, *more):
        """Two of the group run until the file `go` exists, and a third one waits."""
        wait = "echo $INITD_INITIALIZER >> began; while ! test -e go; do sleep 0.02; done"
        return self.start_group(
            f"""
            vacuum: {{ command: '{wait}', group: db }}
            reindex: {{ command: '{wait}', group: db }}
            analyze: {{ command: 'echo $INITD_INITIALIZER >> began', group: db }}
            other: {{ command: 'echo $INITD_INITIALIZER >> began' }}
            """,
            *more,
        )

    def test_S33_at_most_so_many_of_a_group_run_at_once(self):
        supervisor = self.held()
        shapes = self.waits(supervisor)
        self.assertEqual(sorted(supervisor.lines("began")), ["other", "reindex", "vacuum"])
        self.assertEqual(shapes["analyze"]["status"], "waiting")
        self.assertEqual(shapes["analyze"]["group"], "db")
        self.assertNotIn("group", shapes["other"])
        self.assertEqual(supervisor.peer().status()["groups"], [{"name": "bus", "places": 1}, {"name": "db", "places": 2}])
        self.write(supervisor.file("go"), "")
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("began")[-1], "analyze")

    def test_S33_why_names_those_that_have_the_places(self):
        supervisor = self.held()
        self.waits(supervisor)
        why = self.assertStatus(supervisor.ctl("why", "analyze"), 2).out
        self.assertIn("waits for a place in the group db: vacuum, reindex have them", why)

    def test_S33_why_of_a_group_with_one_place(self):
        supervisor = self.start_group(
            """
            probe: { command: 'echo x >> began; while ! test -e go; do sleep 0.02; done', group: bus }
            scan: { command: 'true', group: bus }
            """
        )
        supervisor.until_lines("began")
        why = self.assertStatus(supervisor.ctl("why", "scan"), 2).out
        self.assertIn("waits for a place in the group bus: probe has it", why)

    def test_S13_S33_what_is_being_stopped_still_has_its_place(self):
        supervisor = self.start(
            self.manifest(
                """
                deaf: { command: 'trap "" TERM; echo deaf >> began; while ! test -e go; do sleep 0.02; done', group: bus, timeout: 200ms, optional: true }
                next: { command: 'echo next >> began', group: bus }
                """,
                HEAD.replace("300ms", "20s"),
            )
        )
        peer = supervisor.peer()
        supervisor.until_lines("began")
        while {each["name"]: each["status"] for each in peer.status()["initializers"]}["deaf"] != "stopping":
            pass
        self.assertEqual(supervisor.lines("began"), ["deaf"])
        self.write(supervisor.file("go"), "")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("began"), ["deaf", "next"])

    def test_S33_what_if_takes_more_places(self):
        sleeps = "\n".join(f"            s{number}: {{ command: sleep 0.3, group: db }}" for number in range(4))
        supervisor = self.start_group("\n" + sleeps + "\n")
        supervisor.peer().ok("wait", for_="launch")
        told = {places: json.loads(self.assertStatus(supervisor.ctl("what-if", "--json", "--group", f"db={places}"), 0).out) for places in (1, 2, 4)}
        duration = told[2]["duration"]
        self.assertAlmostEqual(told[2]["predicted"], duration, delta=0.05 * duration + 0.005)
        self.assertGreater(told[1]["predicted"], 1.4 * duration)
        self.assertLess(told[4]["predicted"], 0.8 * duration)
        text = self.assertStatus(supervisor.ctl("what-if", "--group", "db=4"), 0).out
        self.assertIn("with 4 places in the group db", text)
        wrong = self.assertStatus(supervisor.ctl("what-if", "--group", "bd=4"), 64)
        self.assertIn('did you mean "db"?', wrong.err)

    def test_S33_history_and_slack_know_the_group(self):
        supervisor = self.start_group(
            """
            first: { command: sleep 0.2, group: bus }
            second: { command: sleep 0.2, group: bus }
            """
        )
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        told = peer.last_pass()
        self.assertEqual([run["group"] for run in told["runs"]], ["bus", "bus"])
        self.assertEqual(told["groups"], [{"name": "bus", "places": 1}, {"name": "db", "places": 2}])
        path = json.loads(supervisor.ctl("critical-path", "--json").out)
        self.assertEqual([(step["name"], step["link"]) for step in path["path"]], [("first", "opening"), ("second", "place")])
        self.assertTrue(all(each["slack"] < 0.02 for each in path["slack"]), path)

    def test_S33_mistakes_are_found(self):
        for text, place, part in [
            ("groups: { db: 0 }\n", "2:15", "too small"),
            ("groups: [db]\n", "2:9", "a mapping"),
            ("groups: { 'a b': 1 }\n", "2:11", "cannot be the name of a group"),
            ("groups: { db: 2 }\ninitializers: { a: { command: x, group: bd } }\n", "3:41", 'did you mean "db"?'),
            ("initializers: { a: { command: x, group: db } }\n", "2:41", "groups: { db: 2 }"),
            ("groups: { db: 2 }\ninitializers: { a: { waitFor: { path: x }, group: db } }\n", "3:44", "runs nothing"),
        ]:
            path = self.write(self.directory() + "/init.yaml", "version: 1\n" + text)
            checked = self.assertStatus(self.initd("--check", path), 65)
            self.assertIn(f"{path}:{place}: ", checked.err)
            self.assertIn(part, checked.err)

    def test_S33_check_shows_it(self):
        path = self.write(self.directory() + "/init.yaml", self.manifest("a: { command: x, group: db }", HEAD))
        self.assertIn("group: db", self.assertStatus(self.initd("--check", path), 0).out)


if __name__ == "__main__":
    unittest.main()
