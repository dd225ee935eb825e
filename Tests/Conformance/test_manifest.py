"""commands-and-manifest.md: the manifest and its errors, as reported by `initd --check` and `initctl check`."""

import os
import re
import unittest

from supervisor import INITCTL, INITD, Conformance

HEAD = "version: 1\n"

ANYWHERE = None
"""Checks that there is at least one error, at any position: a text that isn't YAML can be reported in several ways."""

# The mistake, the manifest, and the position of each error: line, and column if it is documented; then a suggestion.
BAD = {
    "an unknown key": (HEAD + "colour: blue\n", [(2, 1, None)]),
    "an unknown key that is near one": (HEAD + "concurency: 2\n", [(2, 1, "concurrency")]),
    "an unknown key of an initializer": (HEAD + "initializers:\n  a:\n    comand: x\n    command: x\n", [(4, 5, "command")]),
    "an unknown key of retry": (HEAD + "initializers:\n  a:\n    command: x\n    retry: { atempts: 3 }\n", [(5, 14, "attempts")]),
    "a wrong type: concurrency": (HEAD + "concurrency: many\n", [(2, 14, None)]),
    "a wrong type: concurrency in a list": (HEAD + "concurrency: [1]\n", [(2, 14, None)]),
    "a wrong type: initializers": (HEAD + "initializers: 5\n", [(2, 15, None)]),
    "a wrong type: initializers as a list": (HEAD + "initializers:\n  - a\n", [(3, None, None)]),
    "a wrong type: an initializer": (HEAD + "initializers:\n  a: 5\n", [(3, 6, None)]),
    "a wrong type: command": (HEAD + "initializers:\n  a: { command: { x: y } }\n", [(3, 17, None)]),
    "a wrong type: a word of a command": (HEAD + "initializers:\n  a: { command: [x, [y]] }\n", [(3, 21, None)]),
    "a wrong type: dependencies": (HEAD + "initializers:\n  a: { command: x, dependencies: { b: c } }\n", [(3, 34, None)]),
    "a wrong type: optional": (HEAD + "initializers:\n  a: { command: x, optional: perhaps }\n", [(3, 30, None)]),
    "a wrong type: worker": (HEAD + "initializers:\n  a: { worker: perhaps }\n", [(3, 16, None)]),
    "a wrong type: timeout": (HEAD + "initializers:\n  a: { command: x, timeout: soon }\n", [(3, 29, None)]),
    "a wrong type: timeout in a list": (HEAD + "initializers:\n  a: { command: x, timeout: [1s] }\n", [(3, 29, None)]),
    "a wrong type: retry": (HEAD + "initializers:\n  a: { command: x, retry: often }\n", [(3, 27, None)]),
    "a wrong type: attempts": (HEAD + "initializers:\n  a: { command: x, retry: { attempts: few } }\n", [(3, 39, None)]),
    "a wrong type: environment": (HEAD + "environment: [A]\n", [(2, 14, None)]),
    "a wrong type: a value of environment": (HEAD + "environment: { A: [b] }\n", [(2, 19, None)]),
    "a wrong type: cancelGrace": (HEAD + "cancelGrace: long\n", [(2, 14, None)]),
    "a wrong type: registrationTimeout": (HEAD + "registrationTimeout: {}\n", [(2, 22, None)]),
    "a wrong type: the whole": ("- version\n", [(1, None, None)]),
    "a version that isn't this one": ("version: 2\n", [(1, 10, None)]),
    "an unknown priority": (HEAD + "initializers:\n  a: { command: x, priority: appLunch }\n", [(3, 30, "appLaunch")]),
    "an unknown name": (HEAD + "initializers:\n  '.a': { command: x }\n", [(3, 3, None)]),
    "a duplicate name": (HEAD + "initializers:\n  a: { command: x }\n  b: { command: x }\n  a: { command: x }\n", [(5, 3, None)]),
    "a duplicate key": (HEAD + "concurrency: 1\nconcurrency: 2\n", [(3, 1, None)]),
    "an undeclared dependency": (HEAD + "initializers:\n  a: { command: x, dependencies: [nobody] }\n", [(3, 35, None)]),
    "a dependency that is near a name": (
        HEAD + "initializers:\n  migrate: { command: x }\n  b: { command: x, dependencies: [migrat] }\n",
        [(4, 35, "migrate")],
    ),
    "no YAML: an open list": (HEAD + "initializers: [a, b\n", ANYWHERE),
    "no YAML: a tab for indentation": (HEAD + "initializers:\n\ta: 1\n", ANYWHERE),
    "no YAML: an unknown alias": (HEAD + "concurrency: *nothing\n", ANYWHERE),
}

GOOD = """
version: 1
concurrency: 2                # how many may run at once
registrationTimeout: 10s
cancelGrace: 500ms
environment: { LANG: C.UTF-8 }
initializers:
  migrate:
    command: [./migrate, --all]
    timeout: 2m
    retry: { attempts: 3, delay: 1s, factor: 2, maxDelay: 30s }
    optional: false
  feature-toggles:
    command: curl -fsS http://localhost:9000/toggles -o toggles.json
    dependencies: [migrate]
    workingDirectory: ./state
    environment: { TOKEN: x }
  favorites:
    worker: true
    priority: appActive
    dependencies: [feature-toggles]
"""


class ManifestTests(Conformance):
    def setUp(self):
        super().setUp()
        self.path = os.path.join(self.directory(), "init.yaml")

    def check(self, text):
        """The output of `initd --check` for a manifest."""
        with open(self.path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return self.initd("--check", self.path)

    def ctl(self, path=None):
        """The output of `initctl check`; it finds `initd` in its own directory or in PATH."""
        path_of_both = f"{os.path.dirname(INITD)}:{os.path.dirname(INITCTL)}:{os.environ['PATH']}"
        return self.initctl("check", path or self.path, env={"PATH": path_of_both})

    def places(self, finished):
        """Returns line, column and text of each error, all of which must have the documented form."""
        found = []
        for line in finished.err.splitlines():
            if match := re.fullmatch(re.escape(self.path) + r":(\d+):(\d+): (.+); (.+)", line):
                found.append((int(match[1]), int(match[2]), line))
        return found

    def assertPlaces(self, finished, expected):
        found = self.places(finished)
        if expected == ANYWHERE:
            self.assertTrue(found, finished)
            return
        self.assertEqual(len(found), len(expected), finished)
        for (line, column, text), (expected_line, expected_column, suggestion) in zip(sorted(found), expected):
            self.assertEqual(line, expected_line, finished)
            if expected_column is not None:
                self.assertEqual(column, expected_column, finished)
            if suggestion is not None:
                self.assertIn(suggestion, text)

    def test_each_error_has_its_position_the_problem_and_a_remedy(self):
        for what, (text, expected) in BAD.items():
            with self.subTest(what):
                finished = self.assertStatus(self.check(text), 65)
                self.assertPlaces(finished, expected)
                self.assertEqual(finished.out, "")

    def test_initctl_check_reports_the_same(self):
        for what in ("an unknown key that is near one", "a dependency that is near a name", "a duplicate name"):
            with self.subTest(what):
                text, expected = BAD[what]
                first = self.check(text)
                finished = self.assertStatus(self.ctl(), 65)
                self.assertPlaces(finished, expected)
                self.assertEqual(self.places(finished), self.places(first))

    def test_all_errors_are_reported_at_once(self):
        text = """\
version: 1
concurency: 2
cancelGrace: long
initializers:
  a:
    comand: x
    command: x
    dependencies: [b, nobody]
  b:
    command: x
    timeout: soon
"""
        finished = self.assertStatus(self.check(text), 65)
        self.assertEqual(sorted(line for line, _, _ in self.places(finished)), [2, 3, 6, 8, 11], finished)

    def test_a_cycle_is_reported_with_its_members(self):
        text = HEAD + "".join(f"  {a}: {{ command: x, dependencies: [{b}] }}\n" for a, b in (("one", "two"), ("two", "three"), ("three", "one")))
        text = text.replace(HEAD, HEAD + "initializers:\n")
        finished = self.assertStatus(self.check(text), 65)
        ((line, _, message),) = self.places(finished)
        self.assertIn(line, (3, 4, 5))
        for name in ("one", "two", "three"):
            self.assertIn(name, message)

    def test_a_dependency_on_itself_is_a_cycle(self):
        finished = self.assertStatus(self.check(HEAD + "initializers:\n  a: { command: x, dependencies: [a] }\n"), 65)
        self.assertEqual([line for line, _, _ in self.places(finished)], [3])

    def test_an_initializer_has_one_provider(self):
        for text in ("  a: { priority: appActive }\n", "  a: { command: x, worker: true }\n"):
            with self.subTest(text):
                finished = self.assertStatus(self.check(HEAD + "initializers:\n" + text), 65)
                self.assertEqual([line for line, _, _ in self.places(finished)], [3], finished)

    def test_bytes_that_arent_utf_8_are_65(self):
        self.assertStatus(self.check(b"version: 1\ninitializers:\n  a: { command: \"\xff\xfe\" }\n"), 65)

    def test_a_malicious_manifest_is_refused_or_accepted_without_other_effects(self):
        laughs = "version: 1\na0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 40))
        for what, text in (("aliases without end", laughs), ("nesting without end", HEAD + "initializers: " + "[" * 50_000)):
            with self.subTest(what):
                self.assertStatus(self.check(text), 65)

    def test_a_valid_manifest_is_0_and_the_order_is_printed(self):
        finished = self.assertStatus(self.check(GOOD), 0)
        self.assertEqual(self.places(finished), [])
        finished = self.assertStatus(self.ctl(), 0)
        places = [finished.out.find(name) for name in ("migrate", "feature-toggles", "favorites")]
        self.assertNotIn(-1, places, finished)
        self.assertEqual(places, sorted(places), finished)

    def test_check_prints_the_order_of_execution_not_of_the_file(self):
        names = ["epsilon", "delta", "gamma"]
        self.assertStatus(
            self.check(
                HEAD
                + "initializers:\n  gamma: { command: x, dependencies: [delta] }\n  delta: { command: x, dependencies: [epsilon] }\n"
                + "  epsilon: { command: x }\n"
            ),
            0,
        )
        finished = self.assertStatus(self.ctl(), 0)
        last = [finished.out.rfind(name) for name in names]
        first = [finished.out.find(name) for name in names]
        self.assertNotIn(-1, first, finished)
        self.assertTrue(first == sorted(first) or last == sorted(last), finished)

    def test_check_runs_nothing_and_needs_no_supervisor(self):
        self.check(HEAD + "initializers:\n  a: { command: echo ran > ran }\n")
        self.assertStatus(self.ctl(), 0)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["init.yaml"])

    def test_a_variable_in_a_value_of_environment_is_passed_on_literally_with_a_warning(self):
        text = HEAD + "environment: { DATA: /srv }\ninitializers:\n  a: { command: 'echo $A $B', environment: { A: $DATA/x, B: 5$ } }\n"
        path = self.write(os.path.join(self.directory(), "init.yaml"), text)
        warning = f'{path}:4:49: warning: environment A: "$DATA" is passed on literally; write ${{DATA}} for the value of the variable\n'
        for finished in (self.initd("--check", path), self.initd("--check", path, "--format", "json"), self.initctl("check", path)):
            self.assertEqual(self.assertStatus(finished, 0).err, warning)
            self.assertNotIn("warning", finished.out)
        supervisor = self.start(text)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual([line["line"] for line in peer.ok("logs")["lines"]], ["$DATA/x 5$"])
        supervisor.program.until_err('init.yaml:4:49: environment A: "$DATA" is passed on literally; write ${DATA} for the value of the variable\n')
        worker = self.write(os.path.join(self.directory(), "worker.yaml"), HEAD + "initializers: { a: { command: x, environment: { A: $DATA } } }\n")
        self.assertIn('environment A: "$DATA" is passed on literally', self.assertStatus(self.initd("--check-worker", worker), 0).err)

    def test_check_of_an_unreadable_file_fails(self):
        finished = self.assertStatus(self.ctl(path=self.path), 65, 66)
        self.assertIn(self.path, finished.err)
        self.assertEqual(finished.out, "")

    def test_a_chain_of_3000_is_checked(self):
        text = HEAD + "initializers:\n" + "".join(
            f"  n{n}: {{ command: x{f', dependencies: [n{n - 1}]' if n else ''} }}\n" for n in range(3000)
        )
        self.assertStatus(self.check(text), 0)

    def test_durations_are_500ms_30s_2m_or_seconds(self):
        for duration in ("500ms", "30s", "2m", "5", "0.5"):
            with self.subTest(duration):
                self.assertStatus(self.check(HEAD + f"cancelGrace: {duration}\ninitializers:\n  a: {{ command: x, timeout: {duration} }}\n"), 0)
        for wrong in ("5 minutes", "-1s", "s", "''", "1s30"):
            with self.subTest(wrong):
                self.assertStatus(self.check(HEAD + f"cancelGrace: {wrong}\n"), 65)


if __name__ == "__main__":
    unittest.main()
