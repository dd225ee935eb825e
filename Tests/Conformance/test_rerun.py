"""manifest.md "Changing it while it runs" (S26): `rerun`, `initctl rerun`, and stale initializers."""

import os
import unittest

from supervisor import Conformance

CHAIN = """
a: { command: "echo a >> runs; echo $INITD_RUN > \\"$INITD_OUTPUT\\"" }
b: { command: "echo b$INITD_INPUT_A >> runs", dependencies: [a] }
c: { command: "echo c >> runs", dependencies: [b] }
z: { command: "echo z$INITD_INPUT_A >> runs", dependencies: [a], priority: appActive }
"""


class RerunTests(Conformance):
    def started(self, initializers=CHAIN, *options):
        """A supervisor whose app is ready."""
        supervisor = self.start_with(initializers, "--activate", *options)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")
        return supervisor, peer

    def stale(self, peer):
        return [each["name"] for each in peer.status()["initializers"] if each.get("stale")]

    def test_it_runs_again_alone_and_what_depends_on_it_is_stale(self):
        supervisor, peer = self.started()
        self.assertEqual(self.stale(peer), [])
        answer = peer.ok("rerun", initializers=["a"])
        self.assertEqual(answer, {"passes": [3]})
        self.assertEqual(peer.ok("wait", **{"pass": 3})["state"], "complete")
        self.assertEqual(supervisor.lines("runs"), ["a", "b1", "c", "z1", "a"])
        self.assertEqual(self.stale(peer), ["b", "c", "z"])
        self.assertEqual([each["status"] for each in peer.status()["initializers"]], ["complete"] * 4)
        # An initializer that runs again gets the new output, and isn't stale any more; its dependents are.
        peer.ok("wait", **{"pass": peer.ok("rerun", initializers=["b"])["passes"][0]})
        self.assertEqual(supervisor.lines("runs")[-1], "b5")
        self.assertEqual(self.stale(peer), ["c", "z"])
        peer.ok("wait", **{"pass": peer.ok("activate")["pass"]})
        self.assertEqual(supervisor.lines("runs")[-1], "z5")
        self.assertEqual(self.stale(peer), ["c"])

    def test_with_dependents_all_of_them_run_again_in_both_phases(self):
        supervisor, peer = self.started()
        answer = peer.ok("rerun", initializers=["a"], withDependents=True)
        self.assertEqual(answer, {"passes": [3, 4]})
        for number in answer["passes"]:
            self.assertEqual(peer.ok("wait", **{"pass": number})["state"], "complete")
        self.assertEqual(supervisor.lines("runs"), ["a", "b1", "c", "z1", "a", "b5", "c", "z5"])
        self.assertEqual(self.stale(peer), [])

    def test_an_active_one_gets_the_outputs_of_its_activation(self):
        _, peer = self.started(
            """
            y: { command: 'echo from-y > "$INITD_OUTPUT"', priority: appActive }
            z: { command: 'echo $INITD_INPUT_Y >> seen', priority: appActive, dependencies: [y] }
            """
        )
        (number,) = peer.ok("rerun", initializers=["z"])["passes"]
        self.assertEqual(peer.ok("wait", **{"pass": number})["state"], "complete")
        self.assertEqual([run["initializer"] for run in peer.last_pass()["runs"]], ["z"])
        self.assertEqual(self.supervisors_lines("seen"), ["from-y", "from-y"])

    def supervisors_lines(self, name):
        return self._last.lines(name)

    def start_with(self, *arguments, **options):
        self._last = super().start_with(*arguments, **options)
        return self._last

    def test_it_follows_the_pass_in_flight(self):
        supervisor = self.start_with("a: { command: 'echo a >> runs' }\nb: { command: 'read x < gate; echo b >> runs', dependencies: [a] }", directory=self.gate())
        peer = supervisor.peer()
        peer.until_initializer("b", "running")
        self.assertEqual(peer.ok("rerun", initializers=["a"]), {"passes": [2]})
        self.assertEqual(peer.status()["launch"], {"state": "pending", "pass": 2})
        self.assertEqual(peer.initializer("a")["status"], "complete")
        self.open_gate(supervisor)
        self.assertEqual(peer.ok("wait", **{"pass": 2})["state"], "complete")
        self.assertEqual(supervisor.lines("runs"), ["a", "b", "a"])
        self.assertEqual([each["pass"] for each in peer.ok("history", limit=5)["passes"]], [1, 2])

    def gate(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "gate"))
        return directory

    def open_gate(self, supervisor):
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")

    def test_an_active_one_is_refused_while_the_app_is_inactive(self):
        _, peer = self.started()
        peer.ok("deactivate")
        error = peer.refused(-32010, "rerun", {"initializers": ["a", "z"]})
        self.assertEqual(error["message"], "cannot rerun z: the app is inactive; the next activation runs it")
        self.assertEqual(error["data"], {"code": "inactive"})
        self.assertEqual(peer.ok("rerun", initializers=["a"], withDependents=True), {"passes": [3]})
        self.assertEqual(peer.ok("wait", **{"pass": 3})["state"], "complete")
        self.assertEqual(self.stale(peer), ["z"])

    def test_unknown_names_and_wrong_params(self):
        peer = self.start_with(CHAIN).peer()
        peer.refused(-32004, "rerun", {"initializers": ["a", "nobody"]}, naming="nobody")
        for params in (None, {}, {"initializers": "a"}, {"initializers": ["a", "a"]}, {"initializers": ["a"], "withDependents": 1}):
            peer.refused(-32602, "rerun", params)

    def test_events_tell_it(self):
        _, peer = self.started()
        peer.ok("subscribe", topics=["initializer", "pass"])
        peer.ok("rerun", initializers=["a"])
        events = peer.events_until(lambda event: event["topic"] == "pass" and event["status"] == "complete")
        told = [event["initializer"]["name"] for event in events if event["topic"] == "initializer" and event["initializer"].get("stale")]
        self.assertEqual(sorted(told), ["b", "c", "z"])

    def test_a_failure_fails_launch_and_a_retry_mends_it(self):
        supervisor, peer = self.started("a: { command: 'test -e fails && exit 3; true' }\nb: { command: 'true', dependencies: [a] }")
        self.write(supervisor.file("fails"), "")
        (number,) = peer.ok("rerun", initializers=["a"])["passes"]
        self.failed(peer.ok("wait", **{"pass": number}), "initializerFailed", initializer="a", cause={"kind": "exit", "status": 3})
        self.assertEqual([each["status"] for each in peer.status()["initializers"]], ["failed", "complete"])
        os.remove(supervisor.file("fails"))
        self.assertEqual(peer.ok("wait", **{"pass": peer.ok("launch")["pass"]})["state"], "complete")
        self.assertEqual(self.stale(peer), ["b"])


class StateDirectoryTests(Conformance):
    def again(self, directory, initializers=CHAIN):
        supervisor = self.start_with(initializers, "--state-directory", os.path.join(directory, "state"), directory=directory)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        return supervisor, peer

    def test_what_is_stale_stays_so_after_a_kill(self):
        directory = self.directory()
        supervisor, peer = self.again(directory)
        peer.ok("wait", **{"pass": peer.ok("rerun", initializers=["b"])["passes"][0]})
        supervisor.program.process.kill()
        supervisor.program.wait()
        supervisor, peer = self.again(directory)
        shapes = {each["name"]: each for each in peer.status()["initializers"]}
        self.assertEqual([name for name, each in shapes.items() if each.get("stale")], ["c"])
        self.assertEqual(supervisor.lines("runs"), ["a", "b1", "c", "b1"])
        rows = {line.split()[0]: line for line in self.assertStatus(supervisor.ctl("status"), 0).out.splitlines() if line}
        self.assertRegex(rows["a"], "complete since before this supervisor started$")
        self.assertRegex(rows["c"], "complete since before this supervisor started, stale: something that it depends on has run since then$")
        # Once it has run again, the next supervisor also knows that.
        peer.ok("wait", **{"pass": peer.ok("rerun", initializers=["c"])["passes"][0]})
        supervisor.program.process.kill()
        supervisor.program.wait()
        _, peer = self.again(directory)
        self.assertFalse(any(each.get("stale") for each in peer.status()["initializers"]))

    def test_what_depends_on_one_that_runs_at_each_start_is_stale(self):
        directory = self.directory()
        initializers = "a: { command: 'echo a >> runs', perProcess: true }\nb: { command: 'echo b >> runs', dependencies: [a] }"
        supervisor, _ = self.again(directory, initializers)
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        supervisor.ended()
        supervisor, peer = self.again(directory, initializers)
        self.assertEqual(supervisor.lines("runs"), ["a", "b", "a"])
        self.assertTrue(peer.initializer("b")["stale"])

    def test_a_rerun_that_a_kill_cut_off_isnt_taken_for_complete(self):
        directory = self.directory()
        initializers = "a: { command: 'echo a >> runs; test -e go || exec sleep 600' }"
        self.write(os.path.join(directory, "go"), "")
        supervisor, peer = self.again(directory, initializers)
        os.remove(os.path.join(directory, "go"))
        peer.ok("rerun", initializers=["a"])
        supervisor.until_lines("runs", 2)
        supervisor.program.process.kill()
        supervisor.program.wait()
        self.write(os.path.join(directory, "go"), "")
        supervisor, peer = self.again(directory, initializers)
        self.assertEqual(supervisor.lines("runs"), ["a"] * 3)


class CommandTests(Conformance):
    def test_it_waits_for_all_of_its_passes(self):
        supervisor = self.start_with(CHAIN, "--activate")
        self.assertStatus(supervisor.ctl("wait"), 0)
        finished = self.assertStatus(supervisor.ctl("rerun", "a", "--with-dependents", "--wait"), 0)
        self.assertEqual((finished.out, finished.err), ("", ""))
        self.assertEqual(supervisor.lines("runs")[4:], ["a", "b5", "c", "z5"])

    def test_status_why_and_watch_say_what_is_stale(self):
        supervisor = self.start_with(CHAIN)
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        self.assertStatus(supervisor.ctl("rerun", "a", "--wait"), 0)
        rows = {line.split()[0]: line for line in self.assertStatus(supervisor.ctl("status"), 0).out.splitlines() if line}
        stale = "stale: something that it depends on has run since then"
        self.assertEqual([name for name, row in rows.items() if stale in row], ["b", "c"])
        why = self.assertStatus(supervisor.ctl("why", "b"), 0).out
        self.assertIn(stale, why)
        self.assertIn("run it again with initctl rerun b", why)
        watch = supervisor.start_ctl("watch", "initializer")
        supervisor.peer().until_initializer("a", "complete")
        self.assertStatus(supervisor.ctl("rerun", "b", "--wait"), 0)
        while "c is stale: something that it depends on has run since then" not in watch.line():
            pass

    def test_a_failure_is_explained(self):
        supervisor = self.start_with("a: { command: 'exit 3' }")
        self.assertStatus(supervisor.ctl("wait", "launch"), 1)
        finished = self.assertStatus(supervisor.ctl("rerun", "a", "--wait"), 1)
        self.assertIn("a failed: exit status 3", finished.err)

    def test_an_unknown_name_is_64_and_an_inactive_app_1(self):
        supervisor = self.start_with(CHAIN + "migrate: { command: 'true' }\n")
        self.assertEqual(
            self.assertStatus(supervisor.ctl("rerun", "migrat"), 64).err, 'initctl: no initializer or process is named "migrat"; did you mean "migrate"?\n'
        )
        self.assertEqual(
            self.assertStatus(supervisor.ctl("rerun", "z"), 1).err, "initctl: cannot rerun z: the app is inactive; the next activation runs it\n"
        )
        for words, text in (([], "missing name"), (["a", "a"], '"a" is given twice')):
            with self.subTest(words):
                self.assertIn(text, self.assertStatus(self.initctl("rerun", *words), 64).err)

    def test_its_timeout_ends_only_the_wait(self):
        supervisor = self.start_with("a: { command: 'test -e slow && exec sleep 600; true' }")
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        self.write(supervisor.file("slow"), "")
        self.assertStatus(supervisor.ctl("rerun", "a", "--wait", "--timeout", "0.1"), 124)
        supervisor.peer().until_initializer("a", "running")


if __name__ == "__main__":
    unittest.main()
