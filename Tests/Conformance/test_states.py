"""semantics.md: the states (S1, S8–S11), and protocol.md §5: the events that report them."""

import unittest

from shapes import STATE_TOPICS, bare, composite
from supervisor import Conformance

ACTIVE = {"name": "a", "priority": "appActive"}
ALL = [*STATE_TOPICS, "initializer", "pass", "worker", "log"]


class StateTests(Conformance):
    def test_S1_both_states_start_pending(self):
        status = self.start_fast("--no-launch").peer().status()
        for name in ("launch", "active", "composite"):
            self.assertEqual(status[name]["state"], "pending")
            self.assertNotIn("pass", status[name])
        self.assertEqual(status["lifecycle"], "inactive")

    def test_S1_the_composite_is_pending_until_both_are_complete(self):
        supervisor = self.start_fast()
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(peer.status()["composite"]["state"], "pending")
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="composite")["state"], "complete")

    def test_S1_the_composite_is_failed_with_launchs_error_first(self):
        supervisor = self.start_with("l: { command: 'exit 3' }", "--activate")
        peer = supervisor.peer()
        state = peer.ok("wait", for_="composite")
        self.error(state["error"], "initializerFailed", initializer="l", cause={"kind": "exit", "status": 3})
        peer.ok("wait", for_="active")
        self.error(peer.status()["composite"]["error"], "initializerFailed", initializer="l")

    def test_S1_the_composite_fails_with_actives_error(self):
        supervisor = self.start_with("a: { command: 'exit 4', priority: appActive }", "--activate")
        state = supervisor.peer().ok("wait", for_="composite")
        self.failed(state, "initializerFailed", initializer="a", cause={"kind": "exit", "status": 4})

    def test_S1_ready_needs_the_lifecycle_too(self):
        supervisor = self.start_with("a: { command: 'true', priority: appActive }")
        peer = supervisor.peer()
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")
        peer.ok("deactivate")
        self.assertEqual(peer.status()["composite"]["state"], "complete")
        self.assertEqual(peer.call("wait", {"for": "ready", "timeout": 0})["error"]["code"], -32003)

    def test_S1_every_change_is_published_in_order_and_never_the_same_value_twice(self):
        supervisor = self.start_fast("--no-launch")
        watcher = supervisor.peer()
        snapshot = watcher.ok("subscribe", topics=["launch", "active", "composite", "lifecycle"])["snapshot"]
        worker = supervisor.worker("l", ACTIVE)
        peer = supervisor.peer()
        peer.ok("launch")
        worker.expect_run("l").succeed()
        peer.ok("wait", for_="launch")
        for outcome in ("succeed", "fail", "fail", "succeed"):
            peer.ok("activate")
            getattr(worker.expect_run("a"), outcome)()
            peer.ok("wait", for_="active")
        peer.ok("deactivate")
        peer.ok("shutdown")
        last = snapshot
        states = []
        for event in watcher.events_until(lambda event: event["topic"] == "shutdown")[:-1]:
            changed = [name for name in STATE_TOPICS[:3] if bare(event[name]) != bare(last[name])]
            if event["lifecycle"] != last["lifecycle"]:
                changed.append("lifecycle")
            self.assertEqual(sorted(event["changed"]), sorted(changed), (last, event))
            if "active" in changed:
                states.append(event["active"]["state"])
            last = event
        self.assertEqual(states, ["complete", "pending", "failed", "pending", "failed", "pending", "complete"])

    def test_S1_the_three_are_of_one_moment(self):
        supervisor = self.start_with("l: { command: 'true' }\na: { command: 'true', priority: appActive }", "--no-launch")
        watcher, peer = supervisor.peer(), supervisor.peer()
        watcher.ok("subscribe")
        peer.ok("launch")
        for _ in range(5):
            peer.ok("activate")
            peer.ok("wait", for_="ready")
        peer.ok("shutdown")
        events = watcher.events_until(lambda event: event["topic"] == "shutdown")[:-1]
        self.assertGreaterEqual(len(events), 10)
        for event in events:
            self.assertEqual(composite(event["launch"], event["active"]), bare(event["composite"]))

    def test_S1_another_error_is_a_change_and_the_same_one_is_not(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(ACTIVE)
        worker.expect_run("a").fail("one")
        watcher = supervisor.peer()
        self.failed(watcher.ok("wait", for_="composite"), "initializerFailed", initializer="a")
        watcher.ok("subscribe", topics=["launch", "composite"])
        worker.register("l")
        again = watcher.event()
        self.assertEqual((again["changed"], again["launch"]["state"]), (["launch"], "pending"))
        self.error(again["composite"]["error"], "initializerFailed", initializer="a")
        worker.expect_run("l").fail("two")
        last = watcher.event()
        self.assertEqual(sorted(set(last["changed"]) - {"active"}), ["composite", "launch"])
        self.error(last["composite"]["error"], "initializerFailed", initializer="l")

    def test_S2_an_error_a_worker_reported_names_initializer_and_cause(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a").fail("HTTP 503")
        peer = supervisor.peer()
        state = peer.ok("wait", for_="launch")
        self.failed(state, "initializerFailed", initializer="a", cause={"kind": "error", "message": "HTTP 503"})
        shown = peer.initializer("a")
        self.assertEqual(shown["status"], "failed")
        self.error(shown["error"], "initializerFailed", initializer="a")

    def test_S10_activate_sets_active_pending_before_the_caller_has_its_answer(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(ACTIVE)
        worker.expect_run("a").succeed()
        peer = supervisor.peer()
        complete = peer.ok("wait", for_="active")
        answer = peer.ok("activate")
        self.assertEqual(answer["active"]["state"], "pending")
        self.assertGreater(answer["pass"], complete["pass"])
        self.assertEqual(answer["active"]["pass"], answer["pass"])
        self.assertEqual(answer["launch"]["state"], "complete")
        self.assertEqual(peer.status()["active"]["state"], "pending")
        worker.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="active")["pass"], answer["pass"])

    def test_S11_deactivate_leaves_active_pending(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(ACTIVE)
        run = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        self.assertEqual(peer.status()["active"]["state"], "pending")
        run.expect_cancel("deactivated").stopped()
        peer.ok("deactivate", wait=True)
        status = peer.status()
        self.assertEqual((status["active"]["state"], status["lifecycle"]), ("pending", "inactive"))

    def test_S11_a_pass_that_had_completed_keeps_its_state(self):
        peer = self.start_fast("--activate").peer()
        peer.ok("wait", for_="ready")
        peer.ok("deactivate")
        status = peer.status()
        self.assertEqual((status["active"]["state"], status["lifecycle"]), ("complete", "inactive"))

    def test_S11_a_pass_that_had_failed_keeps_its_state(self):
        peer = self.start_with("a: { command: 'exit 1', priority: appActive }", "--activate").peer()
        peer.ok("wait", for_="active")
        peer.ok("deactivate")
        status = peer.status()
        self.assertEqual((status["active"]["state"], status["lifecycle"]), ("failed", "inactive"))

    def test_S11_deactivate_cancels_a_pass_that_waits_for_launch(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l", ACTIVE)
        run = worker.expect_run("l")
        peer = supervisor.peer()
        number = peer.ok("activate")["pass"]
        peer.ok("deactivate")
        self.assertEqual(peer.ok("wait", pass_=number)["state"], "cancelled")
        run.succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        worker.expect_no_run()
        self.assertEqual(peer.status()["active"]["state"], "pending")

    def test_S11_the_launch_pass_continues_and_so_does_an_active_initializer_in_it(self):
        supervisor = self.start_fast("--no-launch", "--activate")
        worker = supervisor.worker({"name": "a", "priority": "appActive"}, {"name": "l", "dependencies": ["a"]})
        peer = supervisor.peer()
        peer.ok("launch")
        run = worker.expect_run("a")
        self.assertEqual(run.params["phase"], "launch")
        self.assertEqual(peer.ok("deactivate")["cancelled"], [])
        self.assertEqual(peer.initializer("a")["status"], "running")
        run.succeed()
        worker.expect_run("l").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")


class SeqTests(Conformance):
    def test_each_status_shows_what_has_changed_since_the_last_one(self):
        supervisor = self.start_fast()
        worker, peer = supervisor.worker("a", "b"), supervisor.peer()
        run = worker.expect_run("a")
        self.assertEqual([peer.initializer(name)["status"] for name in "ab"], ["running", "waiting"])
        run.progress(message="half")
        worker.alive()
        self.assertEqual(peer.initializer("a")["progress"]["message"], "half")
        run.succeed()
        worker.expect_run("b")
        self.assertEqual([peer.initializer(name)["status"] for name in "ab"], ["complete", "running"])
        worker.ok("unregister", names=["a"])
        self.assertEqual([each["name"] for each in peer.status()["initializers"]], ["b"])

    def test_seq_rises_by_one_over_all_topics(self):
        supervisor = self.start_with("c: { command: 'echo one; echo two >&2' }", "--no-launch")
        watcher, peer = supervisor.peer(), supervisor.peer()
        snapshot = watcher.ok("subscribe", topics=ALL)["snapshot"]
        worker = supervisor.worker("l", ACTIVE)
        peer.ok("launch")
        run = worker.expect_run("l")
        run.progress(fraction=0.5)
        run.succeed()
        peer.ok("activate")
        worker.expect_run("a").fail()
        peer.ok("wait", for_="active")
        worker.close()
        peer.ok("shutdown")
        events = watcher.events_until(lambda event: event["topic"] == "shutdown")[:-1]
        self.assertEqual([each["seq"] for each in events], list(range(snapshot["seq"] + 1, snapshot["seq"] + 1 + len(events))))
        self.assertEqual({each["topic"] for each in events}, {"state", "initializer", "pass", "worker", "log"})

    def test_an_event_that_nobody_gets_has_a_number_too(self):
        """The snapshots before and after the removal show that; an event of another topic continues."""
        supervisor = self.start_fast("--no-launch")
        peer = supervisor.peer()
        before = peer.status()["seq"]
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        after = peer.ok("subscribe", topics=["lifecycle"])["snapshot"]["seq"]
        self.assertGreater(after, before)
        peer.ok("activate")
        self.assertGreater(peer.event()["seq"], after)

    def test_an_event_reports_a_committed_change(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(ACTIVE)
        watcher, peer = supervisor.peer(), supervisor.peer()
        watcher.ok("subscribe", topics=["active"])
        for _ in range(10):
            worker.expect_run("a").succeed()
            event = watcher.events_until(lambda event: event["active"]["state"] == "complete")[-1]
            status = peer.status()
            self.assertGreaterEqual(status["seq"], event["seq"])
            self.assertEqual(status["active"]["state"], "complete")
            peer.ok("activate")

    def test_events_follow_with_seq_above_the_snapshots(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("l")
        watcher = supervisor.peer()
        run = worker.expect_run("l")
        for _ in range(20):
            run.progress(message="going on")
        snapshot = watcher.ok("subscribe", topics=ALL)["snapshot"]
        run.succeed()
        self.assertGreater(watcher.event()["seq"], snapshot["seq"])


if __name__ == "__main__":
    unittest.main()
