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


class ProcessTests(Conformance):
    """Processes that have no `ready`, so they aren't initializers."""

    def text(self, x="named", more=""):
        """A manifest in which the process `x` registers the initializer `x`, and one of `first` and `second` registers `y`."""
        run = "'echo NAME >> up; exec sleep 1000'"
        names = ["named", "other", "first", "second"]
        processes = "".join(f"  {name}: {{ command: {run.replace('NAME', name)}{', dependencies: [a]' if name == 'second' else ''} }}\n" for name in names)
        return (
            "version: 1\nregistrationTimeout: 1m\ninitializers:\n  a: { command: echo a >> order }\n  b: { command: echo b >> order }\n"
            f"  x: {{ worker: {x}, dependencies: [b] }}\n  y: {{ worker: true }}\n  z: {{ worker: other }}\nworkers:\n{processes}{more}"
        )

    def processes(self, peer):
        """Returns the reason why each process isn't started; None for those that run."""
        found = {}
        for each in peer.status()["processes"]:
            self.assertEqual("pid" in each, "skipped" not in each, each)
            found[each["name"]] = each["skipped"]["reason"] if "skipped" in each else None
        return found

    def until_up(self, supervisor, *names):
        self.assertEqual(sorted(supervisor.until_lines("up", len(names))), sorted(names))

    def test_S28_a_chosen_command_starts_no_process(self):
        peer = (supervisor := self.start(self.text(), "--only", "b")).peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(self.processes(peer), dict.fromkeys(["named", "other", "first", "second"], "unselected"))
        self.assertEqual(supervisor.lines("order"), ["b"])
        self.assertEqual(supervisor.lines("up"), [])
        # Neither launch nor activation starts a process.
        peer.ok("activate")
        peer.ok("wait")
        self.assertEqual(set(self.processes(peer).values()), {"unselected"})
        status = self.assertStatus(supervisor.ctl("status"), 0).out
        self.assertEqual(status.splitlines()[0], "READY")
        self.assertRegex(status, r"first: not started: initd was started with --only for others that don't need it\n")

    def test_S28_a_chosen_initializer_starts_the_process_that_registers_it(self):
        supervisor = self.start(self.text(), "--only", "x")
        peer = supervisor.peer()
        self.until_up(supervisor, "named")
        self.assertEqual(self.processes(peer), {"named": None, "other": "unselected", "first": "unselected", "second": "unselected"})

    def test_S28_with_worker_true_each_process_is_started_that_no_initializer_names(self):
        supervisor = self.start(self.text(), "--only", "y")
        peer = supervisor.peer()
        self.until_up(supervisor, "first", "second")
        self.assertEqual(supervisor.lines("order"), ["a"], "second needs it")
        self.assertEqual(self.processes(peer), {"named": "unselected", "other": "unselected", "first": None, "second": None})

    def test_S28_a_process_can_be_chosen_itself(self):
        supervisor = self.start(self.text(), "--only", "second")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.until_up(supervisor, "second")
        self.assertEqual(supervisor.lines("order"), ["a"])

    def test_S28_a_process_with_ready_is_chosen_by_what_it_registers(self):
        ready = "  web: { command: 'touch web; exec sleep 1000', ready: { path: web } }\n"
        peer = (supervisor := self.start(self.text("web", ready), "--only", "x")).peer()
        self.assertEqual(peer.ok("wait", initializer="web")["state"], "complete")
        self.assertEqual(supervisor.lines("up"), [])

    def test_S28_a_skipped_process_is_not_started(self):
        supervisor = self.start(self.text(), "--skip", "named", "--skip", "second", "--skip", "y")
        self.until_up(supervisor, "first", "other")
        peer = supervisor.peer()
        self.assertEqual(self.processes(peer), {"named": "requested", "other": None, "first": None, "second": "requested"})
        self.assertIn("named: not started: initd was started with --skip for it\n", self.assertStatus(supervisor.ctl("status"), 0).out)
        why = self.assertStatus(supervisor.ctl("why", "x"), 2).out
        self.assertIn("initd was started with --skip for it", why)
        # A worker that is started by hand replaces the process.
        worker = supervisor.worker({"name": "x", "dependencies": ["b"]}, "z")
        for name in ("x", "z"):
            worker.expect_run(name).succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_S27_S28_a_reload_keeps_the_choice(self):
        supervisor = self.start(self.text(), "--only", "x")
        peer = supervisor.peer()
        self.until_up(supervisor, "named")
        more = "  added: { command: 'echo added >> up; exec sleep 1000' }\n"
        self.write(supervisor.manifest, self.text("other", more).replace("z: { worker: other }", "z: { worker: added }"))
        done = self.assertStatus(supervisor.ctl("reload"), 0).out
        self.assertEqual(done.splitlines()[:3], ["+ added", "~ named (only)", "~ other (only)"])
        self.until_up(supervisor, "named", "other")
        self.assertEqual(self.processes(peer), {"named": "unselected", "other": None, "first": "unselected", "second": "unselected", "added": "unselected"})
        self.write(supervisor.manifest, self.text("second"))
        self.assertStatus(supervisor.ctl("reload"), 0)
        self.until_up(supervisor, "named", "other", "second")
        self.assertEqual(supervisor.lines("order"), ["b", "a"], "second needs it")

    def test_S28_unknown_names_are_compared_with_those_of_processes(self):
        path = self.write(self.directory() + "/init.yaml", self.text())
        ended = self.assertStatus(self.initd("--config", path, "--socket", self.directory() + "/s", "--only", "secnod"), 64)
        self.assertIn('the manifest declares no initializer or process "secnod"; did you mean "second"?', ended.err)
        supervisor = self.start(self.text(), "--skip", "second")
        self.write(supervisor.manifest, self.text().replace("second", "third"))
        self.assertIn('no initializer or process is named "second" any more', self.assertStatus(supervisor.ctl("reload"), 65).err)


if __name__ == "__main__":
    unittest.main()
