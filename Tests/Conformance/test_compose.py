"""manifest.md "Composing it": the meaning of the keys of a manifest of several files, their mistakes, and the remedies."""

import os

from supervisor import Conformance

HEAD = "version: 1\n"


class ComposeCase(Conformance):
    def setUp(self):
        super().setUp()
        self.root = self.directory()

    def file(self, name, text):
        """Writes a file; returns its path."""
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return self.write(path, text)

    def run_launch(self, *paths, arguments=(), **options):
        """The lines that the commands of these manifests wrote during launch, by initializer."""
        words = [word for path in paths for word in ("--config", path)]
        supervisor = self.start(None, *words, *arguments, **options)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        lines = {}
        for line in peer.ok("logs")["lines"]:
            lines.setdefault(line["initializer"], []).append(line["line"])
        return lines

    def assertMistakes(self, finished, *expected):
        """Checks the findings, each `(file, line, column, part of the text)`, and that there are no others."""
        self.assertStatus(finished, 65)
        lines = finished.err.splitlines()
        self.assertEqual(len(lines), len(expected), finished)
        for line, (path, row, column, part) in zip(lines, expected):
            self.assertTrue(line.startswith(f"{path}:{row}:{column}: "), f"{line!r} isn't at {path}:{row}:{column}")
            self.assertIn(part, line)


class MergeTests(ComposeCase):
    def test_mappings_are_merged_by_key_and_lists_are_replaced(self):
        base = self.file(
            "base.yaml",
            HEAD
            + "environment: { A: base, B: base }\ninitializers:\n"
            + "  a: { command: [sh, -c, 'echo $A $B'] }\n  b: { command: echo b, dependencies: [a] }\n",
        )
        prod = self.file("prod.yaml", "environment: { B: prod }\ninitializers:\n  a: { environment: { A: own } }\n  c: { command: [echo, c] }\n")
        self.assertEqual(self.run_launch(base, prod), {"a": ["own prod"], "b": ["b"], "c": ["c"]})
        self.assertEqual(self.run_launch(base), {"a": ["base base"], "b": ["b"]})

    def test_null_removes(self):
        base = self.file("base.yaml", HEAD + "environment: { A: a }\ninitializers:\n  a: { command: echo a }\n  b: { command: 'echo ${A-none}' }\n")
        prod = self.file("prod.yaml", "environment: { A: null }\ninitializers: { a: null }\n")
        self.assertEqual(self.run_launch(base, prod, env={"A": None}), {"b": ["none"]})
        wrong = self.file("wrong.yaml", "initializers:\n  aa: null\n")
        self.assertMistakes(self.initd("--config", base, "--config", wrong), (wrong, 2, 7, "remove it"))

    def test_what_needs_a_removed_name_says_which_file_removes_it(self):
        base = self.file(
            "base.yaml",
            HEAD + "groups: { db: 2 }\ninitializers:\n  a: { command: x }\n  b: { command: x, dependencies: [a], group: db }\n"
            "  c: { worker: web }\nworkers:\n  web: { command: x }\n",
        )
        self.assertStatus(self.initd("--check", base), 0)
        prod = self.file("prod.yaml", "groups: { db: null }\ninitializers:\n  a: null\nworkers: { web: null }\n")
        self.assertMistakes(
            self.initd("--check", base, "--check", prod),
            (base, 5, 35, f'the dependency "a" is removed by {prod}:3:3; remove it here too, or keep it there'),
            (base, 5, 46, f'the group "db" is removed by {prod}:1:11; remove it here too, or keep it there'),
            (base, 6, 16, f'the process "web" is removed by {prod}:4:12; keep it there, or write worker: true'),
        )
        again = self.file("again.yaml", "initializers: { a: { command: y }, b: { group: null } }\nworkers: { web: { command: y } }\n")
        self.assertStatus(self.initd("--check", base, "--check", prod, "--check", again), 0)

    def test_relative_paths_are_those_of_their_own_file(self):
        base = self.file("base/base.yaml", HEAD + "initializers:\n  a: { command: [./where] }\n  b: { command: pwd, workingDirectory: ./here }\n")
        prod = self.file("prod/prod.yaml", "initializers:\n  a: { environment: { A: x } }\n  c: { command: pwd }\n  b: { workingDirectory: ./here }\n")
        where = self.file("base/where", "#!/bin/sh\npwd\n")
        os.chmod(where, 0o755)
        os.mkdir(os.path.join(self.root, "prod/here"))
        real = os.path.realpath(self.root)
        self.assertEqual(self.run_launch(base, prod), {"a": [real + "/base"], "b": [real + "/prod/here"], "c": [real + "/prod"]})


class IncludeTests(ComposeCase):
    def test_an_included_file_is_below_the_one_that_includes_it(self):
        self.file("parts/common.yaml", "concurrency: 1\ninitializers:\n  a: { command: pwd }\n  b: { command: echo common }\n")
        path = self.file("init.yaml", HEAD + "include: [parts/common.yaml]\ninitializers: { b: { command: echo own } }\n")
        self.assertEqual(self.run_launch(path), {"a": [os.path.realpath(self.root) + "/parts"], "b": ["own"]})

    def test_mistakes_are_in_the_file_that_has_them(self):
        common = self.file("common.yaml", "initializers:\n  a: { command: x, timeout: soon }\n")
        path = self.file("init.yaml", HEAD + "include: [common.yaml]\ninitializers: { b: { command: x, dependencies: [c] } }\n")
        self.assertMistakes(self.initd("--check", path), (path, 3, 49, "unknown dependency"), (common, 2, 29, "write e.g. 500ms"))

    def test_what_is_ignored_in_an_included_file_is_a_mistake(self):
        path = self.file("init.yaml", HEAD + "include: [part.yaml]\ninitializers: { a: { command: x, environment: { A: x } } }\n")
        for text, row, column, part in (
            ("text\n", 1, 1, "the manifest is text, not a mapping"),
            ("5\n", 1, 1, "the manifest is text, not a mapping"),
            ("[a, b]\n", 1, 1, "the manifest is a list, not a mapping"),
            ("initializers: text\n", 1, 15, '"initializers" is text, not a mapping'),
            ("initializers: 5\n", 1, 15, '"initializers" is text, not a mapping'),
            ("concurrency: 2\ninitializers: [a]\n", 2, 15, '"initializers" is a list, not a mapping'),
            ("initializers: { a: text }\n", 1, 20, '"a" is text, not a mapping'),
            ("initializers: { a: { environment: [A] } }\n", 1, 35, '"environment" is a list, not a mapping'),
        ):
            with self.subTest(text):
                part_file = self.file("part.yaml", text)
                self.assertMistakes(self.initd("--check", path), (part_file, row, column, part))
                self.assertMistakes(self.initd("--check", part_file, "--check", self.file("over.yaml", HEAD + "initializers: { a: { command: x, environment: { A: x } } }\n")), (part_file, row, column, part))
        for text in ("initializers:\n", "initializers: { a: }\n"):
            with self.subTest(text):
                self.file("part.yaml", text)
                self.assertStatus(self.initd("--check", path), 0)

    def test_cycles_and_missing_files_are_mistakes_of_the_include(self):
        path = self.file("init.yaml", HEAD + "include:\n  - other.yaml\n  - nothing.yaml\n")
        other = self.file("other.yaml", "include: [init.yaml]\n")
        self.assertMistakes(
            self.initd("--check", path),
            (path, 4, 5, "create the file, or remove it from include"),
            (other, 1, 11, "circular include init.yaml -> other.yaml -> init.yaml; remove one"),
        )

    def test_a_named_file_that_can_not_be_read_is_66(self):
        path = self.file("init.yaml", HEAD)
        missing = os.path.join(self.root, "missing.yaml")
        self.assertIn(missing, self.assertStatus(self.initd("--config", path, "--config", missing), 66).err)


class DefaultsTests(ComposeCase):
    def test_defaults_hold_for_initializers_that_say_nothing_else(self):
        path = self.file(
            "init.yaml",
            HEAD
            + "defaults: { timeout: 1m, retry: { attempts: 3, delay: 2s }, optional: true }\ninitializers:\n"
            + "  a: { command: x }\n  b: { command: x, timeout: null, retry: { attempts: 5 }, optional: false }\n",
        )
        out = self.assertStatus(self.initd("--check", path), 0).out
        self.assertRegex(out, r"  a  .*timeout: 1m  retry: \{ attempts: 3, delay: 2s, .* optional: true")
        self.assertRegex(out, r"  b  .*command  retry: \{ attempts: 5, delay: 2s, .* optional: false")

    def test_a_mistake_in_defaults_is_told_once(self):
        path = self.file("init.yaml", HEAD + "defaults: { timeout: soon, cwd: x }\ninitializers: { a: { command: x }, b: { command: x } }\n")
        self.assertMistakes(self.initd("--check", path), (path, 2, 22, "write e.g. 500ms"), (path, 2, 28, 'unknown key "cwd"'))


class AliasTests(ComposeCase):
    def test_an_alias_stands_for_its_anchors_value(self):
        path = self.file(
            "init.yaml",
            HEAD
            + "initializers:\n  a: { command: [sh, -c, &line 'echo $A'], environment: &env { A: x } }\n"
            + "  b: { command: *line, environment: *env }\n  c: { <<: &more { command: 'echo $B' }, environment: { <<: *env, B: y } }\n",
        )
        self.assertEqual(self.run_launch(path), {"a": ["x"], "b": ["x"], "c": ["y"]})

    def test_an_unknown_alias_and_too_many_values_are_mistakes(self):
        path = self.file("init.yaml", HEAD + "initializers:\n  a: { command: &run x }\n  b: { command: *rum }\n")
        self.assertMistakes(self.initd("--check", path), (path, 4, 17, 'did you mean "*run"?'))
        laughs = "".join(f"  - &l{n} [{', '.join(['*l%d' % (n - 1) if n else 'x'] * 10)}]\n" for n in range(10))
        path = self.file("init.yaml", HEAD + "include:\n" + laughs)
        finished = self.assertStatus(self.initd("--check", path), 65)
        self.assertIn(f"{path}:8:25: the aliases of this file stand for more than 500000 values; use fewer aliases", finished.err)


class EnvironmentFileTests(ComposeCase):
    def test_environment_wins_over_environment_files(self):
        self.file("conf/.env", "# comment\nA=file\nB='file # x'\nexport C=\"two\\nlines\"\n")
        self.file("conf/own.env", "B=own\nD=own\n")
        path = self.file(
            "conf/init.yaml",
            HEAD
            + "environmentFile: [.env]\nenvironment: { A: manifest }\ninitializers:\n"
            + "  a: { command: 'echo $A $B $C $D', environmentFile: [own.env], environment: { D: command } }\n"
            + "  b: { command: 'echo \"$A $B\"; echo \"$C\"' }\n",
        )
        self.assertEqual(self.run_launch(path), {"a": ["manifest own two lines command"], "b": ["manifest file # x", "two", "lines"]})

    def test_a_missing_file_and_a_wrong_line_are_mistakes_that_show_no_value(self):
        env = self.file(".env", "A=1\nhunter2\n")
        path = self.file("init.yaml", HEAD + "environmentFile: [.env, none.env]\n")
        finished = self.initd("--check", path)
        self.assertMistakes(finished, (path, 2, 25, "create the file, or remove it from environmentFile"), (env, 2, 1, "write NAME=value"))
        self.assertNotIn("hunter2", finished.err)
        path = self.file("init.yaml", HEAD + "environmentFile: .env\n")
        self.assertMistakes(self.initd("--check", path), (path, 2, 18, "write environmentFile: [.env]"))


class VariableTests(ComposeCase):
    def test_a_variable_has_its_value_or_its_default(self):
        path = self.file(
            "init.yaml",
            HEAD
            + "environment: { A: '${HERE}/x', B: '${NOWHERE:-none}', C: '$${HERE}' }\ninitializers:\n"
            + "  a: { command: 'pwd; echo $A $B $C', workingDirectory: '${HERE}', environment: { D: '${A}' } }\n",
        )
        real = os.path.realpath(self.root)
        self.assertEqual(self.run_launch(path, env={"HERE": real, "NOWHERE": None}), {"a": [real, real + "/x none ${HERE}"]})

    def test_an_unset_variable_without_a_default_is_a_mistake(self):
        path = self.file("init.yaml", HEAD + "environment:\n  A: x${NOWHERE}\ninitializers: { a: { command: x, workingDirectory: '${A B}' } }\n")
        self.assertMistakes(
            self.initd("--check", path, env={"NOWHERE": None}),
            (path, 3, 6, "set it in the environment of initd, or write a default: ${NOWHERE:-default}"),
            (path, 4, 52, "write ${NAME}, ${NAME:-default}, or $${ for the text ${"),
        )


class ProfileTests(ComposeCase):
    def test_an_initializer_with_profiles_runs_if_one_is_selected(self):
        path = self.file(
            "init.yaml",
            HEAD + "initializers:\n  a: { command: echo a }\n  seed: { command: echo seed, profiles: [dev, test], dependencies: [a] }\n",
        )
        self.assertEqual(self.run_launch(path), {"a": ["a"]})
        self.assertEqual(self.run_launch(path, arguments=["--profile", "dev"]), {"a": ["a"], "seed": ["seed"]})
        finished = self.assertStatus(self.initd("--config", path, "--profile", "dve"), 64)
        self.assertIn('unknown profile "dve"', finished.err)
        self.assertIn('did you mean "dev"?', finished.err)
        self.assertStatus(self.initd("--profile", "dev"), 64)

    def test_a_dependency_that_is_not_selected_is_a_mistake(self):
        path = self.file("init.yaml", HEAD + "initializers:\n  a: { command: x, dependencies: [seed] }\n  seed: { command: x, profiles: [dev] }\n")
        self.assertMistakes(self.initd("--check", path), (path, 3, 35, "select it with --profile dev, or remove it here"))
        self.assertStatus(self.initd("--check", path, "--profile", "dev"), 0)


if __name__ == "__main__":
    import unittest

    unittest.main()
