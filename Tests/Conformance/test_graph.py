"""seeing.md: `initctl graph` and `initctl plan`, of a supervisor and of a manifest."""

import json
import os
import re
import unittest

from supervisor import INITCTL, INITD, Conformance

SHOP = """
migrate: { command: 'true' }
toggles: { command: 'true', dependencies: [migrate] }
favorites: { worker: true, priority: appActive, dependencies: [toggles] }
menu: { command: 'true', priority: appActive, dependencies: [migrate, favorites] }
"""
NODES = {
    "migrate": ("appLaunch", "command"),
    "toggles": ("appLaunch", "command"),
    "favorites": ("appActive", "worker"),
    "menu": ("appActive", "command"),
}
EDGES = [("toggles", "migrate"), ("favorites", "toggles"), ("menu", "migrate"), ("menu", "favorites")]


class Seeing(Conformance):
    def of_manifest(self, text, *words):
        """The output of a command with `--config`; initctl finds `initd` in its own directory or in PATH."""
        path = self.write(os.path.join(self.directory(), "init.yaml"), text)
        programs = f"{os.path.dirname(INITD)}:{os.path.dirname(INITCTL)}:{os.environ['PATH']}"
        return self.initctl(*words, "--config", path, env={"PATH": programs, "INITD_SOCKET": "/nowhere/initd.sock"})

    def value(self, finished):
        """Returns the only JSON value that the command printed, on one line."""
        (value,) = self.assertStatus(finished, 0).json()
        self.assertEqual(finished.out.count("\n"), 1)
        return value


class GraphTests(Seeing):
    def edges(self, graph):
        self.assertEqual(set(graph), {"nodes", "edges"})
        for edge in graph["edges"]:
            self.assertEqual(set(edge), {"from", "to"})
        return [(edge["from"], edge["to"]) for edge in graph["edges"]]

    def test_json_of_a_supervisor_has_nodes_with_statuses_and_edges(self):
        supervisor = self.start_with(SHOP)
        supervisor.peer().ok("wait", for_="launch")
        for words in (["--json"], ["--format", "json"]):
            graph = self.value(supervisor.ctl("graph", *words))
            self.assertEqual({each["name"]: (each["priority"], each["provider"]) for each in graph["nodes"]}, NODES)
            statuses = {each["name"]: each["status"] for each in graph["nodes"]}
            self.assertEqual(statuses, {"migrate": "complete", "toggles": "complete", "favorites": "idle", "menu": "idle"})
            self.assertEqual(self.edges(graph), EDGES)

    def test_json_of_a_manifest_has_the_same_nodes_and_edges(self):
        graph = self.value(self.of_manifest(self.manifest(SHOP), "graph", "--json"))
        self.assertEqual({each["name"]: (each["priority"], each["provider"]) for each in graph["nodes"]}, NODES)
        self.assertEqual({each["status"] for each in graph["nodes"]}, {"idle"})
        self.assertEqual(self.edges(graph), EDGES)

    def test_a_name_shows_what_it_needs_and_what_needs_it(self):
        for words, names in (
            (["toggles"], {"migrate", "toggles", "favorites", "menu"}),
            (["toggles", "--needs"], {"migrate", "toggles"}),
            (["toggles", "--needed-by"], {"toggles", "favorites", "menu"}),
            (["menu", "--needed-by"], {"menu"}),
        ):
            with self.subTest(words):
                graph = self.value(self.of_manifest(self.manifest(SHOP), "graph", "--json", *words))
                self.assertEqual({each["name"] for each in graph["nodes"]}, names)
                self.assertEqual(self.edges(graph), [each for each in EDGES if names.issuperset(each)])

    def test_of_a_supervisor_each_format_shows_the_chosen_part(self):
        supervisor = self.start_with(SHOP)
        supervisor.peer().ok("wait", for_="launch")
        for direction, names in (("--needs", {"migrate", "toggles"}), ("--needed-by", {"toggles", "favorites", "menu"})):
            edges = [each for each in EDGES if names.issuperset(each)]
            for form in ("text", "dot", "mermaid", "json"):
                with self.subTest(direction=direction, form=form):
                    out = self.assertStatus(supervisor.ctl("graph", "toggles", direction, "--format", form), 0).out
                    self.assertEqual({name for name in NODES if re.search(rf"\b{name}\b", out)}, names)
                    if form == "json":
                        self.assertEqual(self.edges(json.loads(out)), edges)
                    elif form == "dot":
                        self.assertEqual(re.findall(r'"([^"]+)" -> "([^"]+)"', out), edges)
                    elif form == "mermaid":
                        self.assertEqual(out.count("-->"), len(edges))

    def test_the_tree_goes_the_chosen_way(self):
        """Each name stands below the initializer that needs it; with --needed-by, above it."""
        text = "a: { command: 'true' }\nb: { command: 'true', dependencies: [a] }\nc: { command: 'true', dependencies: [b] }"
        for words, order in (([], "cba"), (["--needs"], "cba"), (["--needed-by"], "abc")):
            with self.subTest(words):
                out = self.assertStatus(self.of_manifest(self.manifest(text), "graph", *words), 0).out
                self.assertEqual("".join(re.findall(r"\b([abc])\b", out)), order)

    def test_a_dependency_that_nobody_declared_is_a_node_with_a_name_alone(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker({"name": "a", "dependencies": ["nobody"]})
        graph = self.value(supervisor.ctl("graph", "--json"))
        self.assertEqual(self.edges(graph), [("a", "nobody")])
        self.assertIn({"name": "nobody"}, graph["nodes"])

    def test_text_names_each_with_its_status(self):
        supervisor = self.start_with(SHOP)
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("graph", env={"TERM": "xterm-256color"}), 0)
        for name in NODES:
            self.assertRegex(finished.out, rf"(?m){name}\b.*\b(complete|idle)\b")
        self.assertNotIn("\x1b", finished.out)
        self.assertEqual(finished.err, "")

    def test_text_repeats_nothing_however_often_it_is_needed(self):
        # A walk over all paths would have 2 ** 40 lines.
        layers = "".join(
            f"l{number}x{side}: {{ worker: true, dependencies: [{', '.join(f'l{number - 1}x{each}' for each in 'ab' if number)}] }}\n"
            for number in range(40) for side in "ab"
        )
        finished = self.assertStatus(self.of_manifest(self.manifest(layers), "graph"), 0)
        self.assertLessEqual(len(finished.out.splitlines()), 80 + 4 * 39)
        for number in range(40):
            self.assertIn(f"l{number}x", finished.out)

    def test_dot_declares_each_node_and_edge_once(self):
        out = self.assertStatus(self.of_manifest(self.manifest(SHOP), "graph", "--format", "dot"), 0).out
        self.assertRegex(out, r"\Adigraph \w+ \{\n")
        self.assertTrue(out.endswith("}\n"))
        self.assertEqual(re.findall(r'^  "([^"]+)" \[.*\];$', out, re.MULTILINE), list(NODES))
        self.assertEqual(re.findall(r'^  "([^"]+)" -> "([^"]+)";$', out, re.MULTILINE), EDGES)

    def test_mermaid_numbers_the_nodes(self):
        out = self.assertStatus(self.of_manifest(self.manifest(SHOP), "graph", "--format", "mermaid"), 0).out
        self.assertTrue(out.startswith("flowchart "))
        names = dict(re.findall(r'^  (n\d+)[(\[]+"([^"]+)"', out, re.MULTILINE))
        self.assertEqual(list(names.values()), list(NODES))
        edges = re.findall(r"^  (n\d+) --> (n\d+)$", out, re.MULTILINE)
        self.assertEqual([(names[one], names[other]) for one, other in edges], EDGES)

    def test_a_name_that_nobody_declared_is_64_with_a_suggestion(self):
        supervisor = self.start_with(SHOP, "--no-launch")
        for finished in (supervisor.ctl("graph", "togles"), self.of_manifest(self.manifest(SHOP), "graph", "togles")):
            self.assertStatus(finished, 64)
            self.assertEqual(finished.out, "")
            self.assertIn('did you mean "toggles"?', finished.err)

    def test_wrong_usage_is_64(self):
        for words in (["--format", "svg"], ["a", "b"], ["a", "--needs", "--needed-by"], ["--json", "--format", "dot"]):
            with self.subTest(words):
                self.assertStatus(self.initctl("--socket", "/nowhere/s", "graph", *words), 64)

    def test_a_bad_manifest_is_65_with_its_place_and_one_that_cant_be_read_66(self):
        for command in ("graph", "plan"):
            finished = self.assertStatus(self.of_manifest("version: 1\ninitializers: { a: { comand: x } }\n", command), 65)
            self.assertRegex(finished.err, r'init\.yaml:2:\d+: .*"comand".*did you mean "command"')
            self.assertEqual(finished.out, "")
            self.assertStatus(self.initctl(command, "--config", "/nowhere/init.yaml"), 66)


class PlanTests(Seeing):
    def test_of_a_manifest_each_initializer_follows_its_dependencies(self):
        plan = self.value(self.of_manifest(self.manifest(SHOP), "plan", "--json"))
        self.assertEqual(plan, {"launch": ["migrate", "toggles"], "active": ["favorites", "menu"]})
        text = """
            last: { worker: true, dependencies: [session, first] }
            first: { worker: true }
            prices: { worker: true, priority: appActive, dependencies: [session] }
            session: { worker: true, priority: appActive }
        """
        plan = self.value(self.of_manifest(self.manifest(text), "plan", "--json"))
        self.assertEqual(plan, {"launch": ["session", "first", "last"], "active": ["session", "prices"]})

    def test_text_says_the_order(self):
        out = self.assertStatus(self.of_manifest(self.manifest(SHOP), "plan"), 0).out
        self.assertEqual(re.findall(r"\d+  (\w+)", out), ["migrate", "toggles", "favorites", "menu"])

    def test_the_runs_are_those_of_the_plan_in_its_order(self):
        supervisor = self.start_with(SHOP.replace("worker: true", "command: 'true'"), "--no-launch")
        plan = self.value(supervisor.ctl("plan", "--json"))
        self.assertEqual(plan, {"launch": ["migrate", "toggles"], "active": ["favorites", "menu"]})
        peer = supervisor.peer()
        self.assertEqual(peer.ok("history", limit=9)["passes"], [])
        for method, phase in (("launch", "launch"), ("activate", "active")):
            peer.ok("wait", pass_=peer.ok(method)["pass"])
            self.assertRuns(peer, plan[phase])

    def test_a_complete_launch_is_not_planned_and_an_active_pass_is_planned_again(self):
        supervisor = self.start_with(SHOP.replace("worker: true", "command: 'true'"), "--activate")
        supervisor.peer().ok("wait", for_="ready")
        self.assertEqual(self.value(supervisor.ctl("plan", "--json")), {"launch": [], "active": ["favorites", "menu"]})

    def test_after_a_failed_launch_the_rest_is_planned(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'exit 3', dependencies: [a] }\nc: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.value(supervisor.ctl("plan", "--json"))["launch"], ["b", "c"])

    def test_of_a_pass_in_flight_the_rest_is_planned(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]})
        supervisor.peer().ok("launch")
        worker.expect_run("a").succeed()
        worker.expect_run("b")
        self.assertEqual(self.value(supervisor.ctl("plan", "--json"))["launch"], ["b"])

    def test_a_cycle_is_1_and_told(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker({"name": "a", "dependencies": ["b"]}, {"name": "b", "dependencies": ["a"]})
        finished = self.assertStatus(supervisor.ctl("plan", "--json"), 1)
        self.assertEqual(json.loads(finished.out), {"launch": [], "active": []})
        self.assertIn("a -> b -> a", finished.err)

    def test_what_a_worker_must_register_first_is_told(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker({"name": "a", "dependencies": ["nobody"]})
        finished = self.assertStatus(supervisor.ctl("plan", "--json"), 0)
        self.assertEqual(json.loads(finished.out)["launch"], ["a"])
        self.assertIn("until a worker registers nobody", finished.err)


class CheckTests(Seeing):
    def test_for_programs_initd_prints_the_graph_and_the_order(self):
        path = self.write(os.path.join(self.directory(), "init.yaml"), self.manifest(SHOP))
        (report,) = self.assertStatus(self.initd("--check", path, "--format", "json"), 0).json()
        self.assertEqual(set(report), {"concurrency", "nodes", "edges", "launch", "active"})
        self.assertEqual(report["launch"], ["migrate", "toggles"])
        self.assertStatus(self.initd("--format", "json"), 64)


if __name__ == "__main__":
    unittest.main()
