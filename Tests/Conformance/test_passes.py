"""semantics.md: passes (S3–S10, S12, S14, S19)."""

import unittest

from supervisor import Conformance


def launch(name, *dependencies, **more):
    return {"name": name, "dependencies": list(dependencies)} | more


def active(name, *dependencies, **more):
    return launch(name, *dependencies, priority="appActive", **more)


class PassTests(Conformance):
    def test_S3_a_launch_pass_starts_by_itself(self):
        peer = self.start_with("a: { command: 'true' }").peer()
        state = peer.ok("wait", for_="launch")
        self.assertEqual((state["state"], state["pass"]), ("complete", 1))
        self.assertRuns(peer, ["a"])

    def test_S3_no_launch_waits_for_the_launch_event(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a")
        worker.expect_no_run()
        peer = supervisor.peer()
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        peer.ok("launch")
        worker.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_S3_launch_runs_dependencies_of_any_priority_and_no_other_active_one(self):
        supervisor = self.start_with(
            """
            a: { command: echo a >> order, priority: appActive }
            b: { command: echo b >> order, priority: appActive, dependencies: [a] }
            c: { command: echo c >> order, priority: appActive }
            l: { command: echo l >> order, dependencies: [b] }
            """
        )
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("order"), ["a", "b", "l"])

    def test_S4_an_active_pass_runs_every_active_one_again_and_no_launch_one(self):
        supervisor = self.start_with(
            """
            l: { command: echo l >> order, dependencies: [a] }
            a: { command: echo a >> order, priority: appActive }
            b: { command: echo b >> order, priority: appActive, dependencies: [l, a] }
            """
        )
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        for _ in range(2):
            peer.ok("activate")
            self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        self.assertEqual(supervisor.lines("order"), ["a", "l", "a", "b", "a", "b"])

    def test_S4_active_runs_come_after_launch_has_completed(self):
        supervisor = self.start_fast("--concurrency", "4")
        worker = supervisor.worker("l", active("a"))
        run = worker.expect_run("l")
        peer = supervisor.peer()
        peer.ok("activate")
        worker.expect_no_run()
        run.succeed()
        self.assertEqual(worker.expect_run("a").params["phase"], "active")

    def test_S5_a_cycle_fails_the_pass_before_anything_has_run(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("first", launch("a", "b"), launch("b", "c"), launch("c", "a"))
        peer = supervisor.peer()
        peer.ok("launch")
        error = self.failed(peer.ok("wait", for_="launch"), "circularDependency")
        self.assertIn(error["cycle"], (["a", "b", "c", "a"], ["b", "c", "a", "b"], ["c", "a", "b", "c"]))
        worker.expect_no_run()
        self.assertEqual(peer.last_pass()["runs"], [])

    def test_S5_a_dependency_on_itself_is_a_cycle(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker(launch("a", "a"))
        peer = supervisor.peer()
        peer.ok("launch")
        self.failed(peer.ok("wait", for_="launch"), "circularDependency", initializer="a", cycle=["a", "a"])

    def test_S5_a_cycle_that_a_pass_doesnt_need_doesnt_affect_it(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l", active("a", "b"), active("b", "a"))
        peer = supervisor.peer()
        peer.ok("launch")
        worker.expect_run("l").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        peer.ok("activate")
        self.failed(peer.ok("wait", for_="active"), "circularDependency")

    def test_S6_one_at_a_time_in_depth_first_order(self):
        supervisor = self.start_with(
            """
            e: { command: echo e >> order, dependencies: [d, b] }
            a: { command: echo a >> order }
            b: { command: echo b >> order, dependencies: [c, a] }
            c: { command: echo c >> order }
            d: { command: echo d >> order, dependencies: [c] }
            """
        )
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("order"), ["c", "d", "a", "b", "e"])
        self.assertRuns(peer, ["c", "d", "a", "b", "e"])

    def test_S6_a_dependency_has_completed_before_its_dependent_starts(self):
        supervisor = self.start_fast("--concurrency", "4", "--no-launch")
        worker = supervisor.worker(launch("b", "a"), "a")
        supervisor.peer().ok("launch")
        run = worker.expect_run("a")
        worker.expect_no_run()
        run.succeed()
        worker.expect_run("b")

    def test_S6_with_concurrency_1_the_next_starts_when_the_previous_one_has_ended(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a", "b")
        supervisor.peer().ok("launch")
        run = worker.expect_run("a")
        worker.expect_no_run()
        run.succeed()
        worker.expect_run("b")

    def test_S6_with_concurrency_2_at_most_2_run_and_the_first_in_order_that_can_start_does(self):
        supervisor = self.start_fast("--concurrency", "2", "--no-launch")
        worker = supervisor.worker("a", launch("b", "a"), "c", "d")
        supervisor.peer().ok("launch")
        a, c = worker.expect_run("a"), worker.expect_run("c")
        worker.expect_no_run()
        a.succeed()
        b = worker.expect_run("b")
        worker.expect_no_run()
        c.succeed()
        d = worker.expect_run("d")
        b.succeed()
        d.succeed()

    def test_S6_the_manifests_concurrency_is_used(self):
        supervisor = self.start("version: 1\nconcurrency: 3\n", "--no-launch")
        worker = supervisor.worker("a", "b", "c", "d")
        peer = supervisor.peer()
        self.assertEqual(peer.status()["concurrency"], 3)
        peer.ok("launch")
        runs = [worker.expect_run(name) for name in ("a", "b", "c")]
        worker.expect_no_run()
        self.assertEqual(sum(each["status"] == "running" for each in peer.status()["initializers"]), 3)
        for run in runs:
            run.succeed()
        worker.expect_run("d").succeed()

    def test_S7_each_runs_once_in_a_pass_even_if_several_depend_on_it(self):
        supervisor = self.start_with(
            """
            top: { command: echo top >> order, dependencies: [left, right] }
            left: { command: echo left >> order, dependencies: [base] }
            right: { command: echo right >> order, dependencies: [base] }
            base: { command: echo base >> order }
            """
        )
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("order"), ["base", "left", "right", "top"])

    def test_S8_the_first_error_stops_the_pass(self):
        supervisor = self.start_fast("--concurrency", "2", "--no-launch")
        worker = supervisor.worker("a", "b", "c", launch("d", "a"))
        peer = supervisor.peer()
        peer.ok("launch")
        a, b = worker.expect_run("a"), worker.expect_run("b")
        a.fail("first")
        b.expect_cancel("failed")
        worker.expect_no_run()
        self.assertEqual(peer.status()["launch"]["state"], "pending", "the state becomes failed when what runs has stopped")
        b.stopped()
        error = self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a")
        self.assertEqual(error["cause"]["message"], "first")
        worker.expect_no_run()
        shown = {each["name"]: each for each in peer.status()["initializers"]}
        self.assertEqual({name: each["status"] for name, each in shown.items()}, {"a": "failed", "b": "cancelled", "c": "notRun", "d": "notRun"})
        self.assertEqual((shown["c"]["blockedBy"], shown["d"]["blockedBy"]), ("a", "a"))

    def test_S8_an_error_while_stopping_is_not_the_first_error(self):
        supervisor = self.start_fast("--concurrency", "2", "--no-launch")
        worker = supervisor.worker("a", "b")
        peer = supervisor.peer()
        peer.ok("launch")
        a, b = worker.expect_run("a"), worker.expect_run("b")
        a.fail("first")
        b.expect_cancel("failed").fail("second")
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a")

    def test_S8_if_launch_failed_no_active_one_runs_and_the_pass_fails_with_launchs_error(self):
        supervisor = self.start_fast("--activate", "--no-launch")
        worker = supervisor.worker("l", active("a"))
        peer = supervisor.peer()
        peer.ok("launch")
        run = worker.expect_run("l")
        waiting = peer.ok("activate")["pass"]
        run.fail()
        self.failed(peer.ok("wait", pass_=waiting), "initializerFailed", initializer="l")
        self.failed(peer.ok("wait", for_="active"), "initializerFailed", initializer="l")
        later = peer.ok("activate")["pass"]
        self.assertGreater(later, waiting)
        self.failed(peer.ok("wait", pass_=later), "initializerFailed", initializer="l")
        worker.expect_no_run()

    def test_S8_an_optional_one_that_fails_doesnt_stop_the_pass(self):
        supervisor = self.start_with(
            """
            a: { command: 'exit 3', optional: true }
            b: { command: 'true' }
            c: { command: 'true', dependencies: [a], optional: true }
            """
        )
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        a, b, c = peer.status()["initializers"]
        self.assertEqual((a["status"], b["status"]), ("failed", "complete"))
        self.error(a["error"], "initializerFailed", cause={"kind": "exit", "status": 3})
        self.assertEqual((c["status"], c["blockedBy"]), ("notRun", "a"))

    def test_S8_a_required_dependent_of_a_failed_optional_one_fails_the_pass(self):
        peer = self.start_with("a: { command: 'exit 3', optional: true }\nb: { command: 'true', dependencies: [a] }").peer()
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a", cause={"kind": "exit", "status": 3})

    def test_S9_after_a_failed_active_pass_activate_runs_all_of_it_again(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a"), active("b"))
        worker.expect_run("a").succeed()
        worker.expect_run("b").fail()
        peer = supervisor.peer()
        peer.ok("wait", for_="active")
        peer.ok("activate")
        worker.expect_run("a").succeed()
        worker.expect_run("b").succeed()
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")

    def test_S9_launch_retries_without_completed_initializers(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a", "b", "c")
        peer = supervisor.peer()
        first = peer.ok("launch")["pass"]
        worker.expect_run("a").succeed()
        worker.expect_run("b").fail()
        peer.ok("wait", for_="launch")
        again = peer.ok("launch")
        self.assertEqual(again["launch"]["state"], "pending")
        self.assertGreater(again["pass"], first)
        worker.expect_run("b").succeed()
        worker.expect_run("c").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(peer.initializer("a")["status"], "complete")

    def test_S9_launch_sets_an_active_state_that_failed_with_its_error_to_pending(self):
        supervisor = self.start_fast("--activate", "--no-launch")
        worker = supervisor.worker("l", active("a"))
        peer = supervisor.peer()
        peer.ok("launch")
        worker.expect_run("l").fail()
        self.assertEqual(peer.ok("wait", for_="active")["state"], "failed")
        peer.ok("launch")
        status = peer.status()
        self.assertEqual((status["launch"]["state"], status["active"]["state"]), ("pending", "pending"))
        worker.expect_run("l").succeed()
        worker.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")

    def test_S10_activate_joins_the_pass_in_flight(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(active("a"))
        peer = supervisor.peer()
        number = peer.ok("activate")["pass"]
        run = worker.expect_run("a")
        self.assertEqual(run.params["pass"], number)
        self.assertEqual([peer.ok("activate")["pass"] for _ in range(3)], [number] * 3)
        worker.expect_no_run()
        run.succeed()
        self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
        worker.expect_no_run()

    def test_S10_activate_joins_the_pass_that_waits_for_launch(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l", active("a"))
        run = worker.expect_run("l")
        peer = supervisor.peer()
        number = peer.ok("activate")["pass"]
        self.assertEqual(peer.ok("activate")["pass"], number)
        run.succeed()
        self.assertEqual(worker.expect_run("a").params["pass"], number)

    def test_S10_activate_after_a_completed_pass_runs_a_new_one(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a"))
        numbers = [worker.expect_run("a")]
        numbers[0].succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="active")
        number = peer.ok("activate")["pass"]
        run = worker.expect_run("a")
        self.assertEqual(run.params["pass"], number)
        self.assertGreater(number, numbers[0].params["pass"])
        self.assertGreater(run.number, numbers[0].number)

    def test_S10_launch_after_a_completed_launch_has_no_effect(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        number = peer.ok("launch")["pass"]
        run = worker.expect_run("a")
        self.assertEqual(peer.ok("launch")["pass"], number, "during one it joins")
        run.succeed()
        peer.ok("wait", for_="launch")
        again = peer.ok("launch")
        self.assertEqual((again["pass"], again["launch"]["state"]), (number, "complete"))
        worker.expect_no_run()
        self.assertEqual(len(peer.ok("history", limit=10)["passes"]), 1)

    def test_S10_passes_are_numbered_by_one_counter_from_1_over_both_phases(self):
        peer = self.start_fast("--no-launch").peer()
        self.assertEqual(peer.ok("launch")["pass"], 1)
        peer.ok("wait", for_="launch")
        for number in (2, 3):
            self.assertEqual(peer.ok("activate")["pass"], number)
            peer.ok("wait", pass_=number)

    def test_S10_each_pass_has_one_started_and_one_finished_event_with_its_outcome(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l", active("a"))
        watcher, peer = supervisor.peer(), supervisor.peer()
        watcher.ok("subscribe", topics=["pass"])
        peer.ok("launch")
        worker.expect_run("l").succeed()
        peer.ok("wait", for_="launch")
        for outcome in ("complete", "failed", "cancelled"):
            number = peer.ok("activate")["pass"]
            run = worker.expect_run("a")
            self.end_run(run, outcome, peer)
            peer.ok("wait", pass_=number)
        peer.ok("shutdown")
        events = watcher.events_until(lambda event: event["topic"] == "shutdown")[:-1]
        told = [(each["pass"], each["phase"], each["status"]) for each in events]
        self.assertEqual(
            told,
            [
                (1, "launch", "started"),
                (1, "launch", "complete"),
                (2, "active", "started"),
                (2, "active", "complete"),
                (3, "active", "started"),
                (3, "active", "failed"),
                (4, "active", "started"),
                (4, "active", "cancelled"),
            ],
        )

    def test_S12_a_cancelled_run_never_counts_whatever_it_reports_later(self):
        for outcome in ("succeed", "fail"):
            with self.subTest(outcome):
                supervisor = self.start_fast("--activate")
                worker = supervisor.worker(active("a"))
                run = worker.expect_run("a")
                peer = supervisor.peer()
                peer.ok("deactivate")
                run.expect_cancel("deactivated")
                run.progress(fraction=1, message="late")
                getattr(run, outcome)()
                peer.ok("deactivate", wait=True)
                shown = peer.initializer("a")
                self.assertEqual(shown["status"], "cancelled")
                self.assertEqual(peer.status()["active"]["state"], "pending")
                self.assertNotEqual(shown.get("progress", {}).get("message"), "late")
                self.assertEqual(peer.last_pass()["outcome"], "cancelled")

    def test_S12_initializers_that_a_cancelled_pass_didnt_start_are_idle_and_run_in_the_next_pass(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a"), active("b"))
        run = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        run.stopped()
        peer.ok("deactivate", wait=True)
        self.assertEqual(peer.initializer("b")["status"], "idle")
        peer.ok("activate")
        worker.expect_run("a").succeed()
        worker.expect_run("b").succeed()
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")

    def test_S14_activate_while_a_cancelled_pass_is_stopping_starts_the_new_one_when_it_has_stopped(self):
        supervisor = self.start("version: 1\n", "--activate")  # The grace period of 5 s must not cause the end.
        worker = supervisor.worker(active("a"))
        old = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        old.expect_cancel("deactivated")
        number = peer.ok("activate")["pass"]
        self.assertGreater(number, old.params["pass"])
        worker.expect_no_run()
        old.succeed()
        new = worker.expect_run("a")
        self.assertEqual(new.params["pass"], number)
        self.assertEqual(peer.status()["active"]["state"], "pending")
        new.succeed()
        self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")

    def test_S14_after_a_first_error_launch_begins_once_all_runs_have_stopped(self):
        supervisor = self.start("version: 1\nconcurrency: 2\n", "--no-launch")
        worker = supervisor.worker("a", "b")
        peer = supervisor.peer()
        first = peer.ok("launch")["pass"]
        a, b = worker.expect_run("a"), worker.expect_run("b")
        a.fail()
        b.expect_cancel("failed")
        again = peer.ok("launch")["pass"]
        self.assertGreater(again, first)
        worker.expect_no_run()
        b.stopped()
        worker.expect_run("a").succeed()
        worker.expect_run("b").succeed()
        self.assertEqual(peer.ok("wait", pass_=again)["state"], "complete")

    def test_S14_deactivate_after_a_first_error_makes_the_pass_cancelled(self):
        supervisor = self.start("version: 1\nconcurrency: 2\n", "--activate")
        worker = supervisor.worker(active("a"), active("b"))
        a, b = worker.expect_run("a"), worker.expect_run("b")
        peer = supervisor.peer()
        a.fail()
        b.expect_cancel("failed")
        peer.ok("deactivate")
        b.stopped()
        self.assertEqual(peer.ok("wait", pass_=a.params["pass"])["state"], "cancelled")
        self.assertEqual(peer.status()["active"]["state"], "pending")

    def test_S19_an_initializer_registered_during_its_pass_joins_it(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        worker.register("b")
        run.succeed()
        later = worker.expect_run("b")
        self.assertEqual(later.params["pass"], run.params["pass"])
        later.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S19_after_a_completed_launch_a_registration_starts_a_new_pass(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        first = worker.expect_run("a")
        first.succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        worker.register("b")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        run = worker.expect_run("b")
        self.assertGreater(run.params["pass"], first.params["pass"])
        run.succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertRuns(peer, ["b"])

    def test_S19_a_registered_active_initializer_waits_for_activate_while_the_app_is_inactive(self):
        supervisor = self.start_fast()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        worker = supervisor.worker(active("a"))
        worker.expect_no_run()
        peer.ok("activate")
        worker.expect_run("a").succeed()
        peer.ok("wait", for_="active")
        worker.register(active("b"))
        self.assertEqual(peer.status()["active"]["state"], "pending")
        worker.expect_run("b").succeed()
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        self.assertRuns(peer, ["b"])

    def test_S19_an_active_pass_in_flight_starts_nothing_more_until_the_new_launch_has_completed(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a"), active("b"))
        a = worker.expect_run("a")
        worker.register("l")
        peer = supervisor.peer()
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        a.succeed()
        l = worker.expect_run("l")
        worker.expect_no_run()
        l.succeed()
        worker.expect_run("b").succeed()
        self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")

    def test_S19_an_active_pass_in_flight_fails_with_the_new_launch(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a"), active("b"))
        a = worker.expect_run("a")
        worker.register("l")
        a.succeed()
        worker.expect_run("l").fail()
        peer = supervisor.peer()
        self.failed(peer.ok("wait", for_="active"), "initializerFailed", initializer="l")
        worker.expect_no_run()

    def test_S19_after_a_failed_phase_a_registered_initializer_waits_for_the_next_pass(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a").fail()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        worker.register("b")
        worker.expect_no_run()
        self.assertEqual(peer.status()["launch"]["state"], "failed")
        peer.ok("launch")
        worker.expect_run("a").succeed()
        worker.expect_run("b").succeed()

    def test_an_initializer_that_a_failed_pass_didnt_start_is_notRun_until_its_next_pass(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", "b")
        worker.expect_run("a").fail()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(peer.initializer("b")["status"], "notRun")
        peer.ok("launch")
        self.assertEqual(peer.initializer("b")["status"], "waiting")

    def test_a_chain_of_200_runs_in_order(self):
        text = "".join(
            f"n{n}: {{ command: echo {n} >> order{', dependencies: [n' + str(n - 1) + ']' if n else ''} }}\n" for n in range(200)
        )
        supervisor = self.start_with(text)
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("order"), [str(n) for n in range(200)])


if __name__ == "__main__":
    unittest.main()
