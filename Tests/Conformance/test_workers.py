"""protocol.md §6 and semantics.md S18–S22: workers."""

import os
import shutil
import subprocess
import unittest

from deadlines import until
from peer import hello
from supervisor import Conformance


def active(name, **more):
    return {"name": name, "priority": "appActive"} | more


class RunTests(Conformance):
    def test_a_run_has_its_numbers(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker({"name": "l", "timeout": 30}, active("a"))
        first = worker.expect_run("l")
        self.assertEqual((first.params["phase"], first.params["attempt"], first.params["timeout"]), ("launch", 1, 30))
        first.succeed()
        second = worker.expect_run("a")
        self.assertEqual((second.params["phase"], second.params["attempt"]), ("active", 1))
        self.assertNotIn("timeout", second.params)
        self.assertGreater(second.number, first.number)
        self.assertNotEqual(second.id, first.id)
        shown = supervisor.peer().initializer("a")
        self.assertEqual((shown["run"], shown["pass"], shown["phase"], shown["attempt"]), (second.number, second.params["pass"], "active", 1))
        self.assertEqual(shown["status"], "running")

    def test_the_answer_to_register_comes_before_the_first_run(self):
        supervisor = self.start_fast()
        for number in range(20):
            peer = supervisor.peer()
            id = peer.request("register", {"initializers": [{"name": f"n{number}"}]})
            first = peer.receive()
            self.assertEqual((first.get("id"), first.get("result")), (id, {"registered": [f"n{number}"]}))
            peer.expect_run(f"n{number}").succeed()

    def test_any_result_is_success(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.send(id=worker.expect_run("a").id, result={"rows": 5})
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_an_error_fails_the_run_with_its_message(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a").fail("HTTP 503: \u201cé\u201d \u2028")
        state = supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(state["error"]["cause"], {"kind": "error", "message": "HTTP 503: \u201cé\u201d \u2028"})

    def test_S17_progress_is_shown_and_changes_no_state(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer", "launch"])
        run = worker.expect_run("a")
        run.progress(fraction=0.5, message="half of the shelves")
        event = watcher.events_until(lambda event: event.get("initializer", {}).get("progress"))[-1]
        self.assertEqual(event["initializer"]["progress"], {"fraction": 0.5, "message": "half of the shelves"})
        shown = supervisor.peer().initializer("a")
        self.assertEqual((shown["status"], shown["progress"]["fraction"]), ("running", 0.5))
        self.assertEqual(supervisor.peer().status()["launch"]["state"], "pending")
        run.succeed()

    def test_S17_every_progress_report_is_published_and_never_merged(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        watcher = supervisor.peer()
        run = worker.expect_run("a")
        watcher.ok("subscribe", topics=["initializer"])
        for number in range(1, 101):
            run.progress(fraction=number / 100, message=f"step {number}")
        events = [watcher.event() for _ in range(100)]
        self.assertEqual([each["initializer"]["progress"]["message"] for each in events], [f"step {n}" for n in range(1, 101)])
        self.assertEqual([each["initializer"]["progress"]["fraction"] for each in events], [n / 100 for n in range(1, 101)])

    def test_S17_a_repeated_report_is_published_again(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        watcher = supervisor.peer()
        run = worker.expect_run("a")
        watcher.ok("subscribe", topics=["initializer"])
        for _ in range(5):
            run.progress(message="still at it")
        for _ in range(5):
            self.assertEqual(watcher.event()["initializer"]["progress"]["message"], "still at it")

    def test_S17_the_fraction_doesnt_go_down(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer"])
        run = worker.expect_run("a")
        run.progress(fraction=0.8, message="one")
        run.progress(fraction=0.3, message="two")
        run.succeed()
        fractions = [
            each["initializer"]["progress"]["fraction"]
            for each in watcher.initializer_events_until("a", "complete")
            if "fraction" in each["initializer"].get("progress", {})
        ]
        self.assertEqual(fractions, sorted(fractions))
        self.assertIn(0.8, fractions)

    def test_invalid_progress_is_ignored(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        worker.send(method="progress", params={"run": run.number + 100, "fraction": 0.5})
        worker.send(method="progress", params={"run": "seven"})
        worker.send(method="progress")
        for wrong in ({"fraction": "half"}, {"fraction": 7}, {"fraction": -1}, {"message": 5}, {"extend": "long"}):
            run.progress(**wrong)
        worker.alive()
        run.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S15_a_run_that_exceeds_its_timeout_is_cancelled_and_has_failed_whatever_it_answers(self):
        supervisor = self.start("version: 1\n", "--no-launch")
        worker = supervisor.worker({"name": "a", "timeout": 0.2})
        peer = supervisor.peer()
        peer.ok("launch")
        run = worker.expect_run("a")
        self.assertEqual(run.params["timeout"], 0.2)
        run.expect_cancel("timeout")
        self.assertEqual(peer.initializer("a")["status"], "stopping")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        run.succeed()
        state = peer.ok("wait", for_="launch")
        self.failed(state, "initializerFailed", initializer="a", cause={"kind": "timeout", "after": 0.2})

    def test_S15_extend_moves_the_deadline(self):
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "a", "timeout": 0.5})
        run = worker.expect_run("a")
        run.progress(extend=60)
        # If the deadline hadn't moved, the cancel would arrive during this wait, whose exact duration doesn't matter.
        supervisor.peer().call("wait", {"initializer": "a", "timeout": 0.9})
        worker.alive()
        self.assertEqual(worker.inbox, [])
        run.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S15_extend_can_shorten_the_deadline_and_adds_none(self):
        supervisor = self.start_fast("--concurrency", "2")
        worker = supervisor.worker({"name": "a", "timeout": 600}, "b")
        a, b = worker.expect_run("a"), worker.expect_run("b")
        b.progress(extend=0.05)
        a.progress(extend=0.1)
        a.expect_cancel("timeout").stopped()
        b.expect_cancel("failed").stopped()

    def test_S16_a_failed_run_is_retried_as_the_next_attempt(self):
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "a", "retry": {"attempts": 3, "delay": 0.02, "factor": 1}}, "b")
        first = worker.expect_run("a")
        first.fail("one")
        second = worker.expect_run("a")
        self.assertEqual(second.params["attempt"], 2)
        self.assertGreater(second.number, first.number)
        self.assertEqual(second.params["pass"], first.params["pass"])
        second.fail("two")
        third = worker.expect_run("a")
        self.assertEqual(third.params["attempt"], 3)
        third.succeed()
        worker.expect_run("b").succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S16_after_the_last_attempt_the_pass_fails(self):
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "a", "retry": {"attempts": 2, "delay": 0.02}})
        worker.expect_run("a").fail("one")
        worker.expect_run("a").fail("two")
        state = supervisor.peer().ok("wait", for_="launch")
        self.failed(state, "initializerFailed", cause={"kind": "error", "message": "two"})

    def test_S16_the_delay_keeps_the_place_and_a_pass_that_ends_ends_the_delay(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a", retry={"attempts": 2, "delay": 600, "maxDelay": 600}), active("b"))
        worker.expect_run("a").fail()
        peer = supervisor.peer()
        worker.expect_no_run()
        self.assertEqual(peer.initializer("b")["status"], "waiting")
        peer.ok("deactivate")
        peer.ok("deactivate", wait=True)
        self.assertEqual(peer.last_pass()["outcome"], "cancelled")

    def test_S16_a_cancelled_run_is_not_retried(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a", retry={"attempts": 5, "delay": 0.01}))
        run = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        run.fail()
        peer.ok("deactivate", wait=True)
        worker.expect_no_run()
        self.assertEqual(peer.initializer("a")["status"], "cancelled")

    def test_a_malformed_answer_to_a_run_fails_it(self):
        supervisor = self.start_fast()
        for number, answer in enumerate([{}, {"result": {}, "error": {"code": 1, "message": "both"}}]):
            with self.subTest(answer):
                worker = supervisor.worker({"name": f"w{number}", "priority": "appActive"})
                peer = supervisor.peer()
                number = peer.ok("activate")["pass"]
                run = worker.expect_run()
                worker.send(id=run.id, **answer)
                error = worker.take(lambda each: each.get("id") == run.id, "the refusal")["error"]
                self.assertEqual(error["code"], -32600)
                self.assertEqual(peer.ok("wait", pass_=number)["state"], "failed")
                worker.ok("unregister", names=[run.params["initializer"]])

    def test_an_answer_to_a_run_already_answered_is_ignored(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", "b")
        run = worker.expect_run("a")
        run.succeed()
        run.fail("late")
        worker.expect_run("b").succeed()
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(peer.initializer("a")["status"], "complete")

    def test_an_answer_from_another_connection_is_ignored(self):
        supervisor = self.start_fast()
        worker, other = supervisor.worker("a"), supervisor.worker(active("x"))
        run = worker.expect_run("a")
        other.send(id=run.id, result={})
        other.send(method="progress", params={"run": run.number, "fraction": 0.9, "message": "not mine"})
        other.alive()
        shown = supervisor.peer().initializer("a")
        self.assertEqual((shown["status"], shown.get("progress")), ("running", None))
        run.fail("mine")
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["error"]["cause"]["message"], "mine")

    def test_S13_a_worker_that_doesnt_stop_in_time_is_closed(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(active("a"), name="stubborn")
        run = worker.expect_run("a")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("deactivate", wait=True)["cancelled"], ["a"])
        run.expect_cancel("deactivated")
        worker.expect_end()
        self.assertEqual(peer.initializer("a")["available"], False)
        self.assertEqual(peer.status()["workers"], [])

    def test_S13_it_occupies_its_place_until_it_has_answered(self):
        supervisor = self.start("version: 1\n", "--activate")
        worker = supervisor.worker(active("a"), active("b"))
        run = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        run.expect_cancel("deactivated")
        peer.ok("activate")
        worker.expect_no_run()
        run.stopped()
        worker.expect_run("a")

    def test_the_reasons_of_a_cancel(self):
        supervisor = self.start_fast("--activate", "--concurrency", "2")
        peer = supervisor.peer()
        worker = supervisor.worker(active("a", timeout=60), active("b"))
        a, b = worker.expect_run("a"), worker.expect_run("b")
        b.fail()
        a.expect_cancel("failed").stopped()
        peer.ok("wait", for_="active")
        peer.ok("activate")
        a, b = worker.expect_run("a"), worker.expect_run("b")
        worker.ok("unregister", names=["b"])
        b.expect_cancel("unregistered").stopped()
        peer.ok("shutdown")
        cancels = [each["params"]["reason"] for each in self.messages(worker) if each.get("method") == "cancel"]
        self.assertTrue(set(cancels) <= {"shutdown", "failed"}, cancels)

    def test_the_reason_of_a_cancel_at_the_end_is_shutdown(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        supervisor.peer().ok("shutdown")
        run.expect_cancel("shutdown").stopped()
        worker.expect_end()
        self.assertEqual(supervisor.ended(), 0)

    def messages(self, peer):
        """All messages until the end of the connection."""
        found = []
        while (each := peer.receive()) is not None:
            found.append(each)
        return found


class RegistrationTests(Conformance):
    def test_S18_a_second_live_registration_is_refused_and_the_first_stays(self):
        supervisor = self.start_fast()
        first = supervisor.worker("a")
        run = first.expect_run("a")
        supervisor.peer().refused(-32002, "register", {"initializers": [{"name": "a"}]})
        run.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S18_the_manifests_command_cannot_be_registered(self):
        supervisor = self.start_with("c: { command: 'true' }", "--no-launch")
        supervisor.peer().refused(-32002, "register", {"initializers": [{"name": "c"}]})

    def test_a_name_of_the_manifest_has_the_manifests_priority_and_dependencies(self):
        supervisor = self.start_with("c: { command: 'true' }\nw: { worker: true, priority: appActive, dependencies: [c] }", "--no-launch")
        peer = supervisor.peer()
        shown = peer.initializer("w")
        self.assertEqual((shown["provider"], shown["available"], shown["priority"], shown["dependencies"]), ("worker", False, "appActive", ["c"]))
        supervisor.worker("w")
        shown = peer.initializer("w")
        self.assertEqual((shown["available"], shown["priority"], shown["dependencies"]), (True, "appActive", ["c"]))

    def test_a_different_priority_or_dependencies_than_the_manifests_are_32002(self):
        supervisor = self.start_with("c: { command: 'true' }\nw: { worker: true, priority: appActive, dependencies: [c] }", "--no-launch")
        peer = supervisor.peer()
        for different in ({"priority": "appLaunch"}, {"dependencies": []}, {"dependencies": ["c", "x"]}):
            with self.subTest(different):
                peer.refused(-32002, "register", {"initializers": [{"name": "w"} | different]})
        peer.register({"name": "w", "priority": "appActive", "dependencies": ["c"]})

    def test_S20_the_pass_continues_with_others_while_a_worker_is_missing(self):
        supervisor = self.start(
            "version: 1\ninitializers:\n  w: { worker: true }\n  c: { command: echo c >> order }\n  d: { command: echo d >> order, dependencies: [w] }\n"
        )
        self.assertEqual(supervisor.until_lines("order"), ["c"])
        peer = supervisor.peer()
        peer.until_initializer("w", "waiting")
        supervisor.worker("w").expect_run("w").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("order"), ["c", "d"])

    def test_S20_a_declared_name_that_isnt_registered_in_time_is_a_lost_worker(self):
        supervisor = self.start_with("w: { worker: true }\nd: { command: 'true', dependencies: [w] }")
        peer = supervisor.peer()
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="w", cause={"kind": "workerLost"})
        self.assertEqual(peer.initializer("d")["status"], "notRun")

    def test_S20_a_name_that_isnt_declared_in_time_is_a_missing_dependency(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker({"name": "a", "dependencies": ["events"]})
        peer = supervisor.peer()
        peer.ok("launch")
        self.failed(peer.ok("wait", for_="launch"), "missingDependency", initializer="a", dependency="events")
        worker.expect_no_run()

    def test_S20_a_registration_in_time_lets_the_pass_continue(self):
        supervisor = self.start("version: 1\nregistrationTimeout: 60s\n", "--no-launch")
        first = supervisor.worker({"name": "a", "dependencies": ["events"]})
        peer = supervisor.peer()
        peer.ok("launch")
        first.expect_no_run()
        self.assertEqual(peer.initializer("a")["status"], "waiting")
        second = supervisor.worker("events")
        second.expect_run("events").succeed()
        first.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_S20_a_cycle_found_by_a_registration_fails_the_pass_at_once(self):
        supervisor = self.start("version: 1\nregistrationTimeout: 600s\n", "--no-launch")
        supervisor.worker({"name": "a", "dependencies": ["b"]})
        peer = supervisor.peer()
        peer.ok("launch")
        supervisor.worker({"name": "b", "dependencies": ["a"]})
        self.failed(peer.ok("wait", for_="launch"), "circularDependency")

    def test_S21_a_worker_that_disconnects_fails_its_run(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a")
        worker.close()
        peer = supervisor.peer()
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a", cause={"kind": "workerLost"})
        shown = peer.initializer("a")
        self.assertEqual((shown["available"], shown["status"]), (False, "failed"))

    def test_S21_a_stopping_run_of_a_worker_that_disconnects_has_stopped(self):
        supervisor = self.start("version: 1\n", "--activate")
        worker = supervisor.worker(active("a"))
        run = worker.expect_run("a")
        peer = supervisor.peer()
        id = peer.request("deactivate", {"wait": True})
        run.expect_cancel("deactivated")
        worker.close()
        self.assertEqual(peer.answer(id)["result"]["cancelled"], ["a"])
        self.assertEqual(peer.initializer("a")["status"], "cancelled")
        self.assertEqual(peer.status()["active"]["state"], "pending")

    def test_S21_registering_again_provides_the_names_again(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a")
        worker.close()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        again = supervisor.worker("a")
        self.assertTrue(peer.initializer("a")["available"])
        peer.ok("launch")
        again.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_S21_a_lost_run_may_be_retried_by_the_next_worker(self):
        supervisor = self.start("version: 1\nregistrationTimeout: 60s\n", "--no-launch")
        declared = {"name": "a", "retry": {"attempts": 2, "delay": 0.02}}
        worker = supervisor.worker(declared)
        peer = supervisor.peer()
        peer.ok("launch")
        worker.expect_run("a")
        worker.close()
        until(lambda: not peer.initializer("a")["available"], "the loss")
        self.assertEqual(supervisor.worker(declared).expect_run("a").params["attempt"], 2)

    def test_S21_unregister_removes_the_initializers(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", "b")
        worker.expect_run("a").succeed()
        worker.expect_run("b").succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(worker.ok("unregister", names=["a"]), {})
        self.assertNames(peer.status()["initializers"], ["b"])
        self.assertEqual(peer.status()["workers"][0]["initializers"], ["b"])

    def test_S21_others_may_remove_names_without_a_live_provider(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        peer.refused(-32002, "unregister", {"names": ["a"]})
        worker.close()
        until(lambda: not peer.initializer("a")["available"], "the loss")
        self.assertEqual(peer.ok("unregister", names=["a"]), {})
        self.assertEqual(peer.status()["initializers"], [])

    def test_S21_a_name_the_manifest_declares_loses_only_its_provider(self):
        supervisor = self.start_with("w: { worker: true }", "--no-launch")
        worker = supervisor.worker("w")
        worker.ok("unregister", names=["w"])
        shown = supervisor.peer().initializer("w")
        self.assertEqual(shown["available"], False)
        supervisor.worker("w")
        self.assertEqual(supervisor.peer().initializer("w")["available"], True)

    def test_a_lost_name_may_be_declared_differently_from_the_next_pass_on(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker({"name": "a", "dependencies": ["gone"]}).close()
        peer = supervisor.peer()
        until(lambda: peer.status()["workers"] == [], "the loss")
        worker = supervisor.worker({"name": "a", "dependencies": []})
        self.assertEqual(peer.initializer("a")["dependencies"], [])
        peer.ok("launch")
        worker.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")


class ProcessTests(Conformance):
    """S22: the kernel's peer pid identifies a worker's process."""

    def worker_of_another_process(self, supervisor, *initializers):
        """A worker whose connection was made by a separate process, which runs until the test ends, and its pid."""
        peer, child = supervisor.peer_of_another_process()
        hello(peer)
        peer.register(*initializers)
        return peer, child

    def test_a_workers_pid_is_reported_by_the_kernel(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker("mine")
        _, child = self.worker_of_another_process(supervisor, "theirs")
        workers = supervisor.peer().status()["workers"]
        self.assertEqual([each["pid"] for each in workers], [os.getpid(), child])

    def take_over(self, declared):
        supervisor = self.start_fast()
        first = supervisor.worker(declared)
        first.expect_run("a").succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        first.close()
        until(lambda: not peer.initializer("a")["available"], "the loss")
        second, _ = self.worker_of_another_process(supervisor, declared)
        return supervisor, peer, second

    def test_S22_a_per_process_initializer_runs_again_when_another_process_takes_over(self):
        _, peer, second = self.take_over({"name": "a", "perProcess": True})
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        second.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_S22_other_completed_initializers_stay_complete(self):
        _, peer, second = self.take_over({"name": "a"})
        second.expect_no_run()
        self.assertEqual(peer.status()["launch"]["state"], "complete")
        self.assertEqual(peer.initializer("a")["status"], "complete")

    def test_S22_a_per_process_initializer_stays_complete_when_its_process_reconnects(self):
        supervisor = self.start_fast()
        declared = {"name": "a", "perProcess": True}
        first = supervisor.worker(declared)
        first.expect_run("a").succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        first.close()
        until(lambda: not peer.initializer("a")["available"], "the loss")
        again = supervisor.worker(declared)
        again.expect_no_run()
        self.assertEqual(peer.status()["launch"]["state"], "complete")

    def test_S22_an_unknown_pid_counts_as_another_process(self):
        unshare = shutil.which("unshare")
        prefix = [unshare or "", "--pid", "--fork", "--kill-child", "--mount-proc"]
        if not unshare or subprocess.run([*prefix, "true"], capture_output=True).returncode:
            self.skipTest("pid namespaces can't be created here")
        supervisor = self.start_fast(prefix=prefix)
        peer = supervisor.connect()
        self.assertEqual(hello(peer)["pid"], 1)
        declared = {"name": "a", "perProcess": True}
        first = supervisor.worker(declared)
        self.assertNotIn("pid", peer.status()["workers"][0])
        first.expect_run("a").succeed()
        peer.ok("wait", for_="launch")
        first.close()
        until(lambda: not peer.initializer("a")["available"], "the loss")
        supervisor.worker(declared).expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)


if __name__ == "__main__":
    unittest.main()
