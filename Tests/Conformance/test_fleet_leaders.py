"""initfleet lead: the app of one host at a time is active."""

import os
import signal
import unittest
import urllib.request

from deadlines import until
from fake import FakeSupervisor
from fleet import HEAD, Fleet

APP = "warm: { command: 'echo \"$HOST begin\" >> $LOG; test $HOST != \"$COLD\"', priority: appActive }\n"


class LeaderTests(Fleet):
    def candidate(self, name, app=APP, lease="4s", head=HEAD, **env):
        """A host with a candidate for the leadership."""
        host = self.host(name, app, agent=False, head=head, **({"COLD": ""} | env))
        host.name = name
        host.candidate = self.campaign(host, name, lease)
        return host

    def campaign(self, host, name, lease="4s"):
        return self.start_initfleet("lead", "billing", "--host", name, "--lease", lease, "--socket", host.path)

    def metric(self, name):
        """The value of a metric of etcd."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            values = [line.split() for line in answer.read().decode().splitlines()]
        return next(float(words[1]) for words in values if words[0] == name)

    def leader(self):
        return next((each["host"] for each in self.status()["leaders"]), None)

    def until_leads(self, name):
        until(lambda: self.leader() == name, f"{name} as the leader")

    def until_lifecycle(self, host, lifecycle):
        until(lambda: host.peer().status()["lifecycle"] == lifecycle, lifecycle)

    def pair(self, app=APP, lease="4s", **env):
        """The leader a, and b, which waits."""
        first = self.candidate("a", app, lease, **env)
        self.until_leads("a")
        self.until_lifecycle(first, "active")
        second = self.candidate("b", app, lease, **env)
        second.candidate.until_err("b waits to lead billing")
        self.assertEqual(second.peer().status()["lifecycle"], "inactive")
        return first, second

    def test_one_leads_and_its_end_hands_over_at_once(self):
        first, second = self.pair(lease="60s")
        first.candidate.process.terminate()
        self.assertEqual(first.candidate.wait(10), 0)
        self.assertEqual(first.peer().status()["lifecycle"], "inactive")
        self.until_leads("b")
        self.until_lifecycle(second, "active")
        until(lambda: self.lines() == ["a begin", "b begin"], "the activations")

    def test_the_successor_activates_only_after_the_deactivation_is_complete(self):
        stubborn = "warm: { command: 'trap \"sleep 1; echo $HOST stopped >> $LOG; exit 1\" TERM; echo $HOST begin >> $LOG; while :; do sleep 0.01; done', priority: appActive }\n"
        first = self.candidate("a", stubborn, "60s", head=HEAD.replace("300ms", "5s"))
        until(lambda: self.lines() == ["a begin"], "the first activation")
        self.candidate("b", stubborn, "60s").candidate.until_err("b waits")
        first.candidate.process.terminate()
        until(lambda: len(self.lines()) == 3, "the second activation")
        self.assertEqual(self.lines(), ["a begin", "a stopped", "b begin"])

    def test_a_leader_that_ends_without_waiting_leaves_its_lease_to_run_out(self):
        """The second signal comes while the runs stop."""
        stubborn = "warm: { command: 'trap \"sleep 2; echo $HOST stopped >> $LOG; exit 1\" TERM; echo $HOST begin >> $LOG; while :; do sleep 0.01; done', priority: appActive }\n"
        head = HEAD.replace("300ms", "5s")
        first = self.candidate("a", stubborn, "8s", head=head)
        until(lambda: self.lines() == ["a begin"], "the first activation")
        second = self.candidate("b", stubborn, "8s", head=head)
        second.candidate.until_err("b waits")
        first.candidate.process.terminate()
        first.candidate.until_err("a doesn't lead billing any more: this host resigns")
        first.candidate.process.send_signal(signal.SIGINT)
        self.assertEqual(first.candidate.wait(10), 0)
        self.assertIn("a ends while its app may be active: another host can lead when the lease has ended", first.candidate.err.decode())
        until(lambda: len(self.lines()) == 3, "the second activation")
        self.assertEqual(self.lines(), ["a begin", "a stopped", "b begin"])

    def test_a_killed_leader_is_inactive_at_once_and_replaced_after_its_lease(self):
        first, second = self.pair()
        first.candidate.process.kill()
        self.until_lifecycle(first, "inactive")
        self.until_leads("b")
        self.until_lifecycle(second, "active")

    def test_a_stopped_leader_is_deactivated_by_its_supervisor_before_another_leads(self):
        first, second = self.pair()
        first.candidate.process.send_signal(signal.SIGSTOP)
        self.until_lifecycle(second, "active")
        self.assertEqual(first.peer().status()["lifecycle"], "inactive")
        first.program.until_err("didn't renew the lease of its hold in time")
        first.candidate.process.send_signal(signal.SIGCONT)
        first.candidate.until_err("doesn't lead billing any more")
        first.candidate.until_err("a waits to lead billing")

    def test_a_killed_supervisor_lets_another_host_lead_and_is_a_candidate_again(self):
        first, second = self.pair()
        os.kill(first.pid, signal.SIGKILL)
        self.until_lifecycle(second, "active")
        self.assertIsNone(first.candidate.process.poll())

    def test_a_hung_supervisor_lets_another_host_lead(self):
        first, second = self.pair()
        os.kill(first.pid, signal.SIGSTOP)
        self.until_lifecycle(second, "active")
        os.kill(first.pid, signal.SIGCONT)
        # The reason is the lost lease, or the supervisor's reaction to it.
        first.candidate.until_err("the supervisor hasn't answered for 4 s")
        first.candidate.until_err("a doesn't lead billing any more: ")
        self.until_lifecycle(first, "inactive")

    def test_a_supervisor_that_does_not_answer_the_activation_lets_another_host_lead(self):
        """The leader may have activated its app, so the other candidate waits for the end of the lease."""
        path = self.directory() + "/socket"
        fake = FakeSupervisor(path, lambda method, params: {"cancelGrace": 0.3} if method == "manage" else None)
        self.addCleanup(fake.close)
        candidate = self.start_initfleet("lead", "billing", "--host", "a", "--lease", "4s", "--socket", path)
        self.until_leads("a")
        second = self.candidate("b")
        candidate.until_err("a doesn't lead billing any more: the supervisor hasn't answered for 4 s")
        self.until_lifecycle(second, "active")
        self.assertEqual(self.leader(), "b")

    def test_a_candidate_follows_only_the_one_before_it(self):
        self.pair(lease="60s")
        for name in ("c", "d"):
            self.candidate(name, lease="60s").candidate.until_err(f"{name} waits to lead billing")
        # The key of each later candidate was new after the earlier ones had begun to follow.
        self.assertEqual(self.metric("etcd_debugging_mvcc_events_total"), 0)

    def test_without_etcd_the_leader_is_deactivated_before_its_lease_ends(self):
        first, _ = self.pair()
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()
        self.until_lifecycle(first, "inactive")
        first.candidate.until_err("doesn't lead billing any more")
        self.start_etcd()
        until(self.leader, "a leader")

    def test_a_failed_activation_lets_another_host_lead(self):
        first = self.candidate("a", COLD="a")
        first.candidate.until_err("doesn't lead billing any more: warm")
        second = self.candidate("b", COLD="a")
        self.until_lifecycle(second, "active")

    def test_a_deactivation_by_others_hands_over(self):
        first, second = self.pair()
        first.peer().ok("deactivate")
        first.candidate.until_err("the app was deactivated")
        self.until_leads("b")
        self.until_lifecycle(second, "active")
        self.assertEqual(first.peer().status()["lifecycle"], "inactive")

    def test_each_leader_has_a_larger_fencing_token_which_its_active_runs_get(self):
        first, second = self.pair("warm: { command: 'echo \"$HOST $INITD_FENCE\" >> $LOG', priority: appActive }\n")
        before = self.status()["leaders"][0]["fence"]
        first.candidate.process.terminate()
        self.until_leads("b")
        after = self.status()["leaders"][0]["fence"]
        self.assertGreater(after, before)
        self.until_lifecycle(second, "active")
        until(lambda: self.lines() == [f"a {before}", f"b {after}"], "both tokens")

    def test_the_app_of_a_standby_host_cannot_be_activated_by_mistake(self):
        first, second = self.pair()
        self.assertIn("initfleet lead", second.peer().refused(-32002, "activate")["message"])
        self.agent(second, "b")
        self.until_hosts("b")
        refused = self.assertStatus(self.initfleet("activate"), 1)
        self.assertRegex(refused.err, r"b: cannot activate: initfleet lead .* or force the activation \(initctl activate --force, on that host\)\n")
        self.assertEqual(second.peer().status()["lifecycle"], "inactive")
        # The next supervisor is also managed.
        os.kill(first.pid, signal.SIGKILL)
        first.ended()
        self.until_lifecycle(second, "active")
        again = self.start(self.manifest(APP, head=HEAD), directory=first.directory, env={"HOST": "a", "LOG": self.log, "COLD": ""})
        again.program.until_err("initfleet lead decides when the app is active")
        again.peer().refused(-32002, "activate")
        # Without a candidate, it can be activated.
        first.candidate.process.terminate()
        self.assertEqual(first.candidate.wait(10), 0)
        until(lambda: "result" in again.peer().call("activate"), "the end of the management")

    def test_with_a_lease_that_is_too_short_it_ends(self):
        for lease, grace, drift, shortest in (("2s", "5s", "100 ms", 7), ("4s", "3.5s", "200 ms", 5)):
            host = self.candidate("a", lease=lease, head=HEAD.replace("300ms", grace))
            self.assertEqual(host.candidate.wait(30), 64)
            words = f"a lease of {lease[:-1]} s is too short for cancelGrace, {grace[:-1]} s: the lease must be longer by its drift, {drift}, and 1 s;"
            self.assertIn(f"this host can't lead: {words} use --lease {shortest}s or longer, or a shorter cancelGrace\n", host.candidate.err.decode())
            # It hasn't campaigned.
            self.assertNotIn("lead billing", host.candidate.err.decode())

    def test_without_agents_the_status_shows_the_leader(self):
        self.candidate("a")
        self.until_leads("a")

        def shown():
            text = self.initfleet("status").out
            return text if "leader" in text else None

        self.assertRegex(until(shown, "the leader"), r"\ANO HOSTS\nNo agent of the fleet shop is running: .*\nleader   a leads billing\n\Z")

    def test_an_activation_of_a_standby_host_by_force_says_that_two_may_be_active(self):
        first, second = self.pair()
        forced = self.assertStatus(second.ctl("activate", "--force"), 0)
        self.assertEqual([host.peer().status()["lifecycle"] for host in (first, second)], ["active", "active"])
        self.assertIn("initctl: warning: initfleet lead hasn't activated this app", forced.err)
        self.assertIn("(initfleet status names it): the app may be active on two hosts", forced.err)
        self.assertEqual(self.assertStatus(first.ctl("activate", "--force"), 0).err, "")

    def test_a_supervisor_that_refuses_the_rest_of_a_lease_is_asked_again(self):
        """Its answers are slow: the lease is long enough when it is renewed, and too short when the supervisor reads it."""
        path = self.directory() + "/socket"

        def answer(method, params):
            if method == "manage":
                return {"cancelGrace": 2.7}
            if method == "activate":
                return ValueError({"code": -32602, "message": "params.lease: must be longer than cancelGrace, 2.7 s, and 200 ms"})
            return None

        fake = FakeSupervisor(path, answer)
        self.addCleanup(fake.close)
        candidate = self.start_initfleet("lead", "billing", "--host", "a", "--lease", "4s", "--socket", path)
        until(lambda: fake.asked["activate"] == 2, "the second activation")
        candidate.until_err("a doesn't lead billing any more: params.lease: must be longer than cancelGrace, 2.7 s, and 200 ms")
        candidate.process.terminate()
        self.assertEqual(candidate.wait(10), 0)

    def test_the_first_leadership_with_a_lease_that_is_just_long_enough_lasts(self):
        leader = self.candidate("a", head=HEAD.replace("300ms", "2700ms"))
        leader.candidate.until_err("a leads billing")
        # Longer than the lease lasts without renewals, as its supervisor's timer counts.
        leader.peer().refused(-32003, "wait", {"initializer": "other", "timeout": 3, "appear": True})
        leader.candidate.pump()
        self.assertEqual(leader.candidate.err.decode().count("\n"), 1, leader.candidate.err)

    def test_a_lease_that_is_just_long_enough_is_accepted_whenever_the_election_comes(self):
        head = HEAD.replace("300ms", "2700ms")
        leader = self.candidate("a", head=head)
        self.until_leads("a")
        standby = self.candidate("b", head=head)
        for _ in range(3):
            standby.candidate.until_err("waits to lead billing")
            # Shortly before the next renewal, as its supervisor's timer counts.
            standby.peer().refused(-32003, "wait", {"initializer": "other", "timeout": 1.05, "appear": True})
            leader.candidate.process.terminate()
            self.assertEqual(leader.candidate.wait(10), 0)
            self.until_lifecycle(standby, "active")
            leader.candidate = self.campaign(leader, leader.name)
            leader, standby = standby, leader

    def test_a_second_leadership_of_a_supervisor_leaves_the_first_alone(self):
        for host, lifecycle in zip(self.pair(), ("active", "inactive")):
            second = self.start_initfleet("lead", "backups", "--host", "a", "--lease", "4s", "--socket", host.path)
            second.until_err("cannot manage: initfleet lead")
            peer = host.peer()
            # Time passes, by the supervisor's own timers.
            peer.refused(-32003, "wait", {"initializer": "other", "timeout": 2, "appear": True})
            self.assertEqual(peer.status()["lifecycle"], lifecycle)
            self.assertEqual([each["name"] for each in self.status()["leaders"]], ["billing"])
            second.process.terminate()
            self.assertEqual(second.wait(10), 0)
            self.assertEqual(second.err.decode().count("cannot manage"), 1)

    def test_a_supervisor_that_is_shut_down_hands_over_at_once(self):
        first, second = self.pair(lease="60s")
        first.peer().ok("shutdown")
        self.until_lifecycle(second, "active")

    def test_each_line_of_its_log_has_the_time_and_those_of_one_shot_commands_have_none(self):
        first, _ = self.pair(lease="60s")
        first.candidate.process.terminate()
        self.assertEqual(first.candidate.wait(10), 0)
        lines = first.candidate.err.decode().splitlines()
        self.assertEqual(len(lines), 2, lines)
        for line in lines:
            self.assertRegex(line, r"\A20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z initfleet: a .*leads? billing")
        missing = self.assertStatus(self.initfleet("status", "--etcd", "http://127.0.0.1:1"), 69)
        self.assertRegex(missing.err, r"\Ainitfleet: etcd can't be reached")

    def test_wrong_usage_and_a_missing_supervisor_are_told(self):
        self.assertStatus(self.initfleet("lead"), 64)
        self.assertStatus(self.initfleet("lead", "a b"), 64)
        self.assertStatus(self.initfleet("lead", "x", "--socket", self.directory() + "/none"), 69)


if __name__ == "__main__":
    unittest.main()
