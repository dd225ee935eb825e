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
        forced = self.assertStatus(self.supervisor.ctl("activate", "--force", "--wait"), 0)
        self.assertEqual(self.lifecycle(), "active")
        self.assertIn("initctl: warning: leader hasn't activated this app, so another host may be the leader", forced.err)
        self.assertIn("the app may be active on two hosts, and both may write", forced.err)
        self.assertEqual(forced.err.count("\n"), 1)

    def test_only_an_activation_of_a_standby_host_by_force_names_the_client_that_decides(self):
        self.assertNotIn("manager", self.peer.ok("activate", force=True))
        self.manager.ok("manage")
        self.assertNotIn("manager", self.manager.ok("activate", force=True))
        self.assertEqual(self.peer.ok("activate", force=True)["manager"], "leader")
        # This host is the leader.
        holder = self.supervisor.peer("hold")
        self.assertNotIn("manager", holder.ok("activate", hold=True, lease=60))
        self.assertNotIn("manager", self.peer.ok("activate", force=True))
        self.peer.ok("deactivate")
        self.assertEqual(self.peer.ok("activate", force=True)["manager"], "leader")


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

    def test_the_status_and_the_events_of_the_lifecycle_show_it(self):
        supervisor = self.start_fenced()
        leader, peer = supervisor.peer("leader"), supervisor.peer()
        self.assertNotIn("fence", peer.ok("subscribe", topics=["lifecycle"])["snapshot"])

        def event():
            params = peer.event()
            self.assertIn("lifecycle", params["changed"])
            return params["lifecycle"], params.get("fence")

        leader.ok("activate", hold=True, lease=60, fence=7)
        self.assertEqual(event(), ("active", 7))
        self.assertEqual(peer.status()["fence"], 7)
        leader.ok("release")
        self.assertEqual(event(), ("inactive", None))
        self.assertNotIn("fence", peer.status())
        # The app is active already.
        supervisor.peer().ok("activate")
        self.assertEqual(event(), ("active", None))
        leader.ok("activate", hold=True, lease=60, fence=8)
        self.assertEqual(event(), ("active", 8))
        leader.ok("activate", hold=True)
        self.assertEqual(event(), ("active", None))
        leader.ok("activate", hold=True, lease=60, fence=9)
        self.assertEqual(event(), ("active", 9))
        supervisor.peer().ok("deactivate")
        self.assertEqual(event(), ("inactive", None))

    def test_a_refused_activation_leaves_the_token(self):
        supervisor = self.start_fenced()
        leader, peer = supervisor.peer("leader"), supervisor.peer()
        leader.ok("activate", hold=True, lease=60, fence=7)
        supervisor.peer().refused(-32002, "activate", {"hold": True, "lease": 60, "fence": 8})
        leader.refused(-32602, "activate", {"hold": True, "lease": 0.1, "fence": 9})
        self.assertEqual(peer.status()["fence"], 7)

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
