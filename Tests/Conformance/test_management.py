"""A client that decides when the app is active, and the fencing token of a leader (PROTOCOL.md, `manage` and `activate`)."""

import os
import unittest

from deadlines import until
from supervisor import FAST, Conformance

FENCED = "l: { command: 'echo l $INITD_FENCE >> ran' }\na: { command: 'echo a $INITD_FENCE >> ran', priority: appActive, dependencies: [l] }\n"


class ManagementTests(Conformance):
    def setUp(self):
        super().setUp()
        self.supervisor = self.start(self.manifest(FENCED, head=FAST))
        self.manager = self.supervisor.peer("leader")
        self.peer = self.supervisor.peer()

    def lifecycle(self):
        return self.peer.status()["lifecycle"]

    def test_others_are_refused_unless_they_force_it(self):
        self.manager.ok("manage")
        message = self.peer.refused(-32002, "activate")["message"]
        for word in ("leader", "--force"):
            self.assertIn(word, message)
        self.peer.refused(-32002, "activate", {"hold": True})
        self.assertEqual(self.lifecycle(), "inactive")
        self.peer.ok("activate", force=True)
        self.assertEqual(self.lifecycle(), "active")

    def test_it_may_activate_itself_and_what_is_active_stays_so(self):
        self.peer.ok("activate")
        self.manager.ok("manage")
        self.assertEqual(self.lifecycle(), "active")
        self.peer.ok("deactivate")
        self.manager.ok("activate")
        self.assertEqual(self.lifecycle(), "active")

    def test_a_leased_hold_of_another_connection_is_accepted(self):
        self.manager.ok("manage")
        self.supervisor.peer("hold").ok("activate", hold=True, lease=60)
        self.assertEqual(self.lifecycle(), "active")

    def test_it_tells_the_cancel_grace_even_after_a_reload(self):
        self.assertEqual(self.manager.ok("manage"), {"cancelGrace": 0.3})
        self.write(self.supervisor.manifest, self.manifest(FENCED, head=FAST.replace("300ms", "2s")))
        self.manager.ok("reload")
        self.assertEqual(self.manager.ok("manage"), {"cancelGrace": 2})

    def test_it_ends_with_its_connection(self):
        self.manager.ok("manage")
        self.manager.close()
        until(lambda: "result" in self.peer.call("activate"), "the end of the management")

    def test_a_second_one_is_refused_and_the_first_may_repeat(self):
        self.manager.ok("manage")
        self.manager.ok("manage")
        self.assertIn("leader", self.peer.refused(-32002, "manage")["message"])
        self.peer.refused(-32002, "activate")

    def test_initctl_says_who_decides_and_force_overrides(self):
        self.manager.ok("manage")
        finished = self.assertStatus(self.supervisor.ctl("activate"), 1)
        self.assertIn("leader", finished.err)
        self.assertIn("--force", finished.err)
        self.assertStatus(self.supervisor.ctl("activate", "--force", "--wait"), 0)
        self.assertEqual(self.lifecycle(), "active")


class FenceTests(Conformance):
    def start_fenced(self, initializers=FENCED):
        supervisor = self.start(self.manifest(initializers, head=FAST))
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def test_active_runs_get_the_token_of_the_leader_and_launch_does_not(self):
        supervisor = self.start_fenced()
        leader, peer = supervisor.peer("leader"), supervisor.peer()
        peer.ok("wait", pass_=leader.ok("activate", hold=True, lease=60, fence=7)["pass"])
        self.assertEqual(supervisor.lines("ran"), ["l", "a 7"])
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertEqual(supervisor.lines("ran")[2:], ["a 7"])

    def test_after_the_hold_there_is_none(self):
        supervisor = self.start_fenced()
        leader, peer = supervisor.peer("leader"), supervisor.peer()
        peer.ok("wait", pass_=leader.ok("activate", hold=True, lease=60, fence=7)["pass"])
        leader.ok("release")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertEqual(supervisor.lines("ran")[2:], ["a"])

    def test_after_a_deactivation_there_is_none(self):
        """It ends all holds, although the holder is still connected."""
        supervisor = self.start_fenced()
        leader, peer = supervisor.peer("leader"), supervisor.peer()
        peer.ok("wait", pass_=leader.ok("activate", hold=True, lease=60, fence=7)["pass"])
        peer.ok("deactivate")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertEqual(supervisor.lines("ran")[2:], ["a"])

    def test_the_end_of_an_earlier_holder_leaves_the_token_of_the_next_one(self):
        supervisor = self.start_fenced()
        first, second, peer = supervisor.peer("first"), supervisor.peer("second"), supervisor.peer()
        peer.ok("wait", pass_=first.ok("activate", hold=True, lease=60, fence=7)["pass"])
        peer.ok("deactivate")
        peer.ok("wait", pass_=second.ok("activate", hold=True, lease=60, fence=8)["pass"])
        first.ok("release")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertEqual(supervisor.lines("ran")[2:], ["a 8", "a 8"])

    def test_a_new_launch_has_no_token(self):
        supervisor = self.start_fenced("l: { command: 'echo l $INITD_FENCE >> ran; test -e good' }\n")
        supervisor.peer("leader").ok("activate", hold=True, lease=60, fence=7)
        open(os.path.join(supervisor.directory, "good"), "w").close()
        peer = supervisor.peer()
        peer.ok("wait", pass_=peer.ok("launch")["pass"])
        self.assertEqual(supervisor.lines("ran"), ["l", "l"])

    def test_a_worker_gets_it_with_its_run(self):
        supervisor = self.start_fenced("a: { worker: true, priority: appActive }\n")
        worker = supervisor.worker("a")
        supervisor.peer("leader").ok("activate", hold=True, lease=60, fence=9)
        run = worker.expect_run("a")
        self.assertEqual(run.params["fence"], 9)
        run.succeed()

    def test_without_a_lease_or_below_one_it_is_refused(self):
        supervisor = self.start_fenced()
        peer = supervisor.peer()
        peer.refused(-32602, "activate", {"hold": True, "fence": 7}, naming="fence")
        for fence in (0, -1, 1.5, "7"):
            peer.refused(-32602, "activate", {"hold": True, "lease": 60, "fence": fence}, naming="fence")


if __name__ == "__main__":
    unittest.main()
