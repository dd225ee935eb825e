"""everyday.md "What a reload notices": the key `variables`."""

import os

from deadlines import until
from supervisor import Conformance

NAMES = ("PORT", "DB_HOST", "DB_PORT", "DEBUG", "OWN")
SHOW = "'printenv " + " ".join(NAMES) + " > $INITD_INITIALIZER.txt; true'"


class VariablesTests(Conformance):
    def started(self, manifest):
        supervisor = self.start(manifest)
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def environment(self, supervisor, name):
        variables = supervisor.peer().ok("environment", name=name)["variables"]
        return {each: variables[each] for each in NAMES if each in variables}

    def checked(self, manifest, *words):
        path = os.path.join(self.directory(), "init.yaml")
        self.write(path, manifest)
        return self.initctl("check", path, *words)

    def test_a_command_and_a_process_get_only_these_of_the_manifest(self):
        manifest = (
            "version: 1\nenvironment: { PORT: 1, DB_HOST: h, DB_PORT: 2, DEBUG: x }\ninitializers:\n"
            f"  all: {{ command: {SHOW} }}\n"
            f"  some: {{ command: {SHOW}, variables: [PORT, 'DB_*'], environment: {{ OWN: o }} }}\n"
            f"  none: {{ command: {SHOW}, variables: [] }}\n"
            f"  ends: {{ command: {SHOW}, variables: ['*_*T', '*DEBUG*'] }}\n"
            "workers:\n  web: { command: [sleep, '600'], variables: ['D*G'] }\n")
        supervisor = self.started(manifest)
        for name, expected in (("all", "1 h 2 x"), ("some", "1 h 2 o"), ("none", ""), ("ends", "h 2 x")):
            with self.subTest(name):
                self.assertEqual(supervisor.lines(f"{name}.txt"), expected.split())
        self.assertEqual(self.environment(supervisor, "web"), {"DEBUG": "x"})
        self.assertEqual(self.environment(supervisor, "some"), {"PORT": "1", "DB_HOST": "h", "DB_PORT": "2", "OWN": "o"})

    def test_others_do_not_touch_it(self):
        def manifest(debug, port, variables="variables: [PORT]"):
            return (
                f"version: 1\nenvironment: {{ DEBUG: {debug}, PORT: {port} }}\ninitializers:\n"
                f"  a: {{ command: 'echo x >> ran', {variables} }}\n  b: {{ command: 'true' }}\n"
                f"workers:\n  web: {{ command: [sleep, '600'], {variables} }}\n")

        supervisor = self.started(manifest(1, 1))
        peer = supervisor.peer()

        def reload(*values):
            self.write(supervisor.manifest, manifest(*values))
            return peer.ok("reload")

        answer = reload(2, 1)
        self.assertEqual([each["name"] for each in answer["changed"]], ["b"])
        answer = reload(2, 2)
        self.assertEqual(answer["changed"], [{"name": name, "keys": ["environment"], "variables": ["PORT"]} for name in ("a", "b", "web")])
        self.assertEqual(answer["settings"], ["environment"])
        answer = reload(2, 2, "variables: [PORT, OTHER]")
        self.assertEqual((answer["changed"], answer["fromNextRun"]), ([], [{"name": name, "keys": ["variables"]} for name in ("a", "web")]))
        answer = reload(2, 2, "output: all")
        self.assertEqual(answer["changed"], [{"name": name, "keys": ["environment", "variables", "output"], "variables": ["DEBUG"]} for name in ("a", "web")])

    def test_a_variable_that_was_inherited_with_the_same_value_changes_nothing(self):
        def manifest(environment):
            return f"version: 1\nenvironment: {{ {environment} }}\ninitializers:\n  a: {{ command: 'true' }}\nworkers:\n  web: {{ command: [sleep, '600'] }}\n"

        supervisor = self.start(manifest(""), env={"SAME": "x"})
        peer = supervisor.peer()
        for environment in ("SAME: x", ""):
            self.write(supervisor.manifest, manifest(environment))
            answer = peer.ok("reload")
            self.assertEqual((answer["changed"], answer["unchanged"], answer["settings"]), ([], 2, ["environment"]))

    def test_a_strict_check_looks_with_the_environment_of_the_start(self):
        manifest = "version: 1\nenvironment: { PATH: /nowhere, PORT: 1 }\ninitializers:\n  a: { command: [true], variables: [PORT] }\n"
        self.assertStatus(self.checked(manifest, "--strict"), 0)
        self.assertIn('the program "true" is not in PATH', self.assertStatus(self.checked(manifest.replace("[PORT]", "[P*]"), "--strict"), 65).err)

    def test_a_worker_of_commands_has_it_too(self):
        supervisor = self.start_with("", "--no-launch")
        path = os.path.join(self.directory(), "worker.yaml")
        self.write(path, f"version: 1\nenvironment: {{ PORT: 1, DEBUG: x }}\ninitializers:\n  a: {{ command: {SHOW}, variables: [PORT] }}\n")
        supervisor.start_ctl("worker", "--config", path)
        until(lambda: supervisor.peer().status()["initializers"], "the worker")
        supervisor.peer().ok("launch")
        supervisor.peer().ok("wait", for_="launch")
        with open(os.path.join(os.path.dirname(path), "a.txt")) as file:
            self.assertEqual(file.read(), "1\n")

    def test_a_wrong_value_names_the_remedy(self):
        for value, problem in (
            ("PORT", '"variables" is text, not a list; write variables: [PORT, "DB_*"]'),
            ("['A=1']", '"A=1" cannot be the name of a variable; write a name that isn\'t empty and contains neither = nor NUL'),
            ("[[]]", 'a variable is'),
        ):
            with self.subTest(value):
                self.assertIn(problem, self.assertStatus(self.checked(f"version: 1\ninitializers:\n  a: {{ command: x, variables: {value} }}\n"), 65).err)
        self.assertIn('"variables" is only for commands', self.assertStatus(self.checked("version: 1\ninitializers:\n  a: { worker: true, variables: [A] }\n"), 65).err)
