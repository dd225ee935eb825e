"""everyday.md "What a reload notices" (S27): the contents of `inputs`."""

import os

from supervisor import Conformance

MIGRATE = "migrate: { command: 'echo migrate >> ran; test ! -e bad', inputs: ['sql/*.sql'] }\n"


class ChangedInputsCase(Conformance):
    def begin(self, initializers):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "sql"))
        for name in ("1", "2", "3"):
            self.write(os.path.join(directory, f"sql/{name}.sql"), name)
        supervisor = self.start_with(initializers, directory=directory)
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def reload(self, supervisor, *words):
        return self.assertStatus(supervisor.ctl("reload", *words), 0).out


class ReloadTests(ChangedInputsCase):
    def test_changed_contents_of_inputs_are_noticed(self):
        supervisor = self.begin(MIGRATE)
        self.assertEqual(self.reload(supervisor), "= 1 unchanged\n")
        self.write(supervisor.file("sql/2.sql"), "other")
        changed = "~ migrate (inputs: sql/2.sql)\n= 0 unchanged\n"
        self.assertEqual(self.reload(supervisor, "--dry-run"), changed)
        self.assertEqual(supervisor.lines("ran"), ["migrate"])
        self.assertEqual(self.reload(supervisor), changed)
        supervisor.until_lines("ran", 2)
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.reload(supervisor), "= 1 unchanged\n")

    def test_added_and_removed_files_count(self):
        supervisor = self.begin(MIGRATE)
        os.unlink(supervisor.file("sql/1.sql"))
        self.write(supervisor.file("sql/4.sql"), "4")
        self.assertEqual(self.reload(supervisor), "~ migrate (inputs: 2 files, e.g. sql/1.sql)\n= 0 unchanged\n")
        supervisor.until_lines("ran", 2)

    def test_another_key_and_the_files_are_one_change(self):
        supervisor = self.begin(MIGRATE)
        self.write(supervisor.file("sql/1.sql"), "other")
        self.write(supervisor.file("init.yaml"), self.manifest(MIGRATE.replace("} }", "}, timeout: 1m }").replace("] }", "], timeout: 1m }")))
        self.assertEqual(self.reload(supervisor), "~ migrate (timeout, inputs: sql/1.sql)\n= 0 unchanged\n")
        supervisor.until_lines("ran", 2)

    def test_what_has_not_completed_is_not_named(self):
        supervisor = self.begin("bad: { command: 'false', optional: true }\n" + MIGRATE.replace("inputs", "dependencies: [bad], inputs"))
        self.write(supervisor.file("sql/1.sql"), "other")
        self.assertEqual(self.reload(supervisor), "= 2 unchanged\n")

    def test_a_launch_after_a_failure_looks_again(self):
        supervisor = self.begin(MIGRATE + "serve: { command: 'echo serve >> ran; test -e good', dependencies: [migrate] }\n")
        self.assertEqual(supervisor.lines("ran"), ["migrate", "serve"])
        self.assertNotEqual(supervisor.ctl("launch", "--wait").status, 0)
        self.assertEqual(supervisor.lines("ran"), ["migrate", "serve", "serve"], "nothing has changed")
        self.write(supervisor.file("sql/1.sql"), "other")
        self.write(supervisor.file("good"), "")
        self.assertStatus(supervisor.ctl("launch", "--wait"), 0)
        self.assertEqual(supervisor.lines("ran"), ["migrate", "serve", "serve", "migrate", "serve"])
