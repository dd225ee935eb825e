"""manifest.md: running part of a manifest (S28)."""

import unittest

from supervisor import Conformance

INITIALIZERS = """
    a: { command: echo a >> order }
    b: { command: echo b >> order, dependencies: [a] }
    c: { command: echo c >> order }
    d: { command: echo d >> order, dependencies: [b, e], priority: appActive }
    e: { command: echo e >> order, priority: appActive }
    f: { command: echo f >> order, priority: appActive }
    """


class SelectionTests(Conformance):
    def ready(self, supervisor):
        peer = supervisor.peer()
        peer.ok("activate")
        self.assertEqual(peer.ok("wait")["state"], "complete")
        return peer, {each["name"]: each for each in peer.status()["initializers"]}

    def test_S28_a_skipped_initializer_is_not_run_and_its_dependents_go_on(self):
        peer, shapes = self.ready(supervisor := self.start_with(INITIALIZERS, "--skip", "a", "--skip", "d"))
        self.assertEqual(supervisor.lines("order"), ["b", "c", "e", "f"])
        self.assertEqual([shapes[name]["status"] for name in "abcdef"], ["skipped", "complete", "complete", "skipped", "complete", "complete"])
        self.assertEqual(shapes["a"]["skipped"]["reason"], "requested")
        self.assertNotIn("skipped", shapes["b"])
        self.assertEqual(peer.ok("wait", initializer="a")["state"], "complete")

    def test_S28_only_the_selected_ones_and_what_they_need_run(self):
        _, shapes = self.ready(supervisor := self.start_with(INITIALIZERS, "--only", "d"))
        self.assertEqual(supervisor.lines("order"), ["a", "b", "e", "d"])
        self.assertEqual([shapes[name]["status"] for name in "abcdef"], ["complete", "complete", "idle", "complete", "complete", "idle"])
        self.assertEqual(shapes["c"]["skipped"]["reason"], "unselected")

    def test_S28_both_can_be_repeated_and_combined(self):
        _, shapes = self.ready(supervisor := self.start_with(INITIALIZERS, "--only", "d", "--only", "c", "--skip", "b"))
        self.assertEqual(supervisor.lines("order"), ["c", "e", "d"])
        self.assertEqual(shapes["b"]["status"], "skipped")

    def test_S19_S28_a_registration_that_nothing_selected_needs_does_not_run(self):
        supervisor = self.start_with(INITIALIZERS, "--only", "c")
        supervisor.peer().ok("wait", for_="launch")
        worker = supervisor.worker("late")
        worker.expect_no_run()
        self.assertEqual(supervisor.peer().status()["launch"]["state"], "complete")

    def test_S28_a_command_gets_no_output_of_a_skipped_dependency(self):
        supervisor = self.start_with(
            """
            a: { command: 'echo one > $INITD_OUTPUT' }
            b: { command: 'echo ${INITD_INPUT_A-none} >> order', dependencies: [a] }
            """,
            "--skip", "a",
        )
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("order"), ["none"])

    def test_S26_S28_a_rerun_of_what_is_left_out_is_refused(self):
        supervisor = self.start_with(INITIALIZERS, "--skip", "a", "--only", "b", "--only", "c")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        error = peer.refused(-32009, "rerun", {"initializers": ["c", "f", "a"]})
        self.assertEqual(
            error["message"],
            "cannot rerun: a is left out by --skip, f is left out by --only; to run them, start initd without --skip a and with --only f")
        self.assertEqual(
            error["data"], {"code": "notRunning", "initializers": [{"name": "a", "status": "skipped"}, {"name": "f", "status": "idle"}]})
        refused = self.assertStatus(supervisor.ctl("rerun", "e", "--wait"), 1)
        self.assertEqual(refused.err, "initctl: cannot rerun: e is left out by --only; to run it, start initd with --only e\n")
        self.assertEqual(supervisor.lines("order"), ["b", "c"])
        # As a dependent, it is left out.
        self.assertStatus(supervisor.ctl("rerun", "b", "--with-dependents", "--wait"), 0)
        self.assertEqual(supervisor.lines("order"), ["b", "c", "b"])

    def test_S28_status_and_why_say_it(self):
        supervisor = self.start_with(INITIALIZERS, "--skip", "a", "--only", "b")
        supervisor.peer().ok("wait", for_="launch")
        status = self.assertStatus(supervisor.ctl("status"), 0).out
        self.assertRegex(status, r"a +skipped.*--skip")
        why = self.assertStatus(supervisor.ctl("why", "a"), 0)
        self.assertIn("initd was started with --skip", why.out)
        self.assertIn("--only", self.assertStatus(supervisor.ctl("why", "c"), 2).out)
        self.assertStatus(supervisor.ctl("wait", "a", "--timeout", "5s"), 0)

    def test_S28_an_unknown_name_is_refused_with_the_nearest_one(self):
        path = self.write(self.directory() + "/init.yaml", self.manifest("migrate: { command: 'true' }"))
        for option in ("--only", "--skip"):
            ended = self.assertStatus(self.initd("--config", path, "--socket", self.directory() + "/s", option, "migarte"), 64)
            self.assertIn(f"{option}: ", ended.err)
            self.assertIn('did you mean "migrate"?', ended.err)

    def test_S28_one_name_cannot_be_selected_and_skipped(self):
        self.assertIn("both name a", self.assertStatus(self.initd("--only", "a", "--skip", "a"), 64).err)


if __name__ == "__main__":
    unittest.main()
