"""Initializers that are marked `once`, and the coordinator that decides where they run (PROTOCOL.md, "The coordinator")."""

import os
import signal
import time
import unittest

from deadlines import until
from peer import Peer, connected, hello
from supervisor import FAST, Conformance

MIGRATE = "migrate: { command: 'echo $INITD_FENCE >> ran; echo 7 > $INITD_OUTPUT', once: fleet }\n"
RELEASE = FAST + "release: v1\n"


class Coordinator:
    """A client that coordinates."""

    def __init__(self, supervisor):
        self.peer = supervisor.peer("coordinator")
        self.offer = self.peer.ok("coordinate")

    def claim(self, name="migrate", **options):
        """The next claim of an initializer."""
        request = self.peer.take(lambda each: each.get("method") == "claim", f"a claim of {name}", **options)
        assert request["params"]["initializer"] == name, request
        return request["params"] | {"id": request["id"]}

    def grant(self, claim, fence=1, **more):
        self.peer.send(id=claim["id"], result={"decision": "run", "fence": fence} | more)

    def completion(self, claim):
        """The request to record a completion."""
        request = self.peer.take(lambda each: each.get("method") == "complete", "a completion")
        assert request["params"]["run"] == claim["run"], request
        return request["params"] | {"id": request["id"]}

    def record(self, claim):
        """Takes the request to record, and confirms it."""
        completion = self.completion(claim)
        self.peer.send(id=completion["id"], result={})
        return completion

    def unclaimed(self, claim):
        """The end of a claim without a completion."""
        unclaim = self.peer.take(lambda each: each.get("method") == "unclaim", "an unclaim")["params"]
        assert unclaim["run"] == claim["run"], unclaim
        return unclaim

    def sends_nothing(self):
        self.peer.alive()
        assert not [each for each in self.peer.inbox if each.get("method") in ("claim", "complete", "unclaim")], self.peer.inbox


class Base(Conformance):
    def start_once(self, initializers=MIGRATE, *arguments, head=RELEASE, **options):
        supervisor = self.start(self.manifest(initializers, head=head), *arguments, **options)
        return supervisor, supervisor.peer()

    def let_pass(self, watcher, seconds):
        """Lets time pass by the supervisor's own timers, so earlier timers have fired."""
        watcher.refused(-32003, "wait", {"initializer": watcher.status()["initializers"][0]["name"], "timeout": seconds})

    def launched(self, watcher):
        return watcher.ok("wait", for_="launch")


class MomentTests(Base):
    def test_a_lease_counts_from_its_moment(self):
        """The message may have waited, e.g. because a process was stopped."""
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        coordinator.grant(coordinator.claim(), lease=60, at=time.monotonic() - 59.8)
        self.assertIn("cancelGrace", self.launched(watcher)["error"]["message"])
        self.assertEqual(supervisor.lines("ran"), [])

    def test_a_renewal_counts_from_its_moment(self):
        supervisor, watcher = self.start_once("migrate: { command: 'echo start >> ran; exec sleep 60', once: fleet }\n")
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim, lease=60, at=time.monotonic())
        supervisor.until_lines("ran")
        coordinator.peer.send(method="renew", params={"run": claim["run"], "lease": 60, "at": time.monotonic() - 59.8})
        self.assertIn("renew", self.launched(watcher)["error"]["message"])


    def test_the_time_of_a_suspended_machine_counts_by_the_clock_boot(self):
        """The moment by CLOCK_BOOTTIME comes first: by CLOCK_MONOTONIC, which stands still in the meantime, the lease lasts."""
        supervisor, watcher = self.start_once("migrate: { command: 'echo >> ran; sleep 600', once: fleet }\n")
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        boot = time.clock_gettime(time.CLOCK_BOOTTIME)
        coordinator.grant(claim, lease=60, at=time.monotonic(), boot=boot)
        supervisor.until_lines("ran")
        coordinator.peer.send(method="renew", params={"run": claim["run"], "lease": 60, "at": time.monotonic(), "boot": boot - 60})
        self.assertIn("didn't renew", coordinator.unclaimed(claim)["message"])


class InvalidTests(Base):
    def test_an_invalid_answer_to_a_claim_is_an_error(self):
        """Otherwise the run would wait for another run indefinitely."""
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        coordinator.peer.send(id=coordinator.claim()["id"], result={"decision": "run", "fence": 1}, error={"code": 1, "message": "both"})
        self.assertEqual(coordinator.peer.receive()["error"]["code"], -32600)
        self.assertEqual(self.launched(watcher)["state"], "failed")
        self.assertEqual(supervisor.lines("ran"), [])


class OfferTests(Base):
    def test_the_answer_tells_what_is_marked_once(self):
        supervisor, _ = self.start_once(MIGRATE + "other: { command: 'true' }\n", "--no-launch")
        self.assertEqual(Coordinator(supervisor).offer, {"cancelGrace": 0.3, "once": [{"initializer": "migrate", "release": "v1"}]})

    def test_the_answer_precedes_the_first_claim(self):
        supervisor, _ = self.start_once()
        peer = supervisor.peer("coordinator")
        id = peer.request("coordinate")
        self.assertEqual(peer.receive()["id"], id)
        self.assertEqual(peer.receive()["method"], "claim")

    def test_a_second_coordinator_is_refused_until_the_first_has_left(self):
        supervisor, _ = self.start_once(MIGRATE, "--no-launch")
        first = Coordinator(supervisor)
        second = supervisor.peer()
        second.refused(-32002, "coordinate", naming="coordinator")
        self.assertEqual(first.peer.ok("coordinate"), first.offer)
        first.peer.close()
        until(lambda: "result" in second.call("coordinate"), "the second coordinator")

    def test_the_role_control_is_needed(self):
        path = self.directory() + "/observe.sock"
        self.start_once(MIGRATE, "--no-launch", "--observe-socket", path)
        peer = Peer(connected(path))
        self.addCleanup(peer.close)
        hello(peer, "conformance")
        peer.refused(-32005, "coordinate", naming="the role control")

    def test_the_release_may_be_in_the_environment_and_overrides_the_manifest(self):
        for head, env, release in ((FAST, "v9", "v9"), (RELEASE, "v9", "v9"), (RELEASE, "", "v1")):
            supervisor, _ = self.start_once(MIGRATE, "--no-launch", head=head, env={"INITD_RELEASE": env})
            self.assertEqual(Coordinator(supervisor).offer["once"][0]["release"], release)

    def test_without_a_release_it_does_not_start(self):
        for head, env, why in ((FAST, None, "no release"), (FAST, "a b", "can't be used")):
            directory = self.directory()
            path = self.write(directory + "/init.yaml", self.manifest(MIGRATE, head=head))
            ended = self.initd("--socket", directory + "/s", "--config", path, env={"INITD_RELEASE": env})
            self.assertStatus(ended, 65)
            self.assertIn(why, ended.err)
            self.assertIn("migrate", ended.err)

    def test_mistakes_in_the_manifest_are_told(self):
        path = self.write(self.directory() + "/init.yaml", self.manifest(MIGRATE.replace("fleet", "flet"), head=FAST + "release: a b\n"))
        ended = self.assertStatus(self.initctl("check", path), 65)
        self.assertIn('did you mean "fleet"?', ended.err)
        self.assertIn('"a b" cannot be a release', ended.err)


class ClaimTests(Base):
    def test_it_runs_here_with_its_fence_and_completes_once_that_is_recorded(self):
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        self.assertEqual(
            {name: claim[name] for name in ("release", "pass", "phase", "attempt", "secret")},
            {"release": "v1", "pass": 1, "phase": "launch", "attempt": 1, "secret": False},
        )
        self.assertEqual(supervisor.lines("ran"), [])
        coordinator.grant(claim, 42)
        completion = coordinator.completion(claim)
        self.assertEqual((supervisor.lines("ran"), completion["output"]), (["42"], 7))
        self.assertEqual(watcher.initializer("migrate")["status"], "running")
        coordinator.peer.send(id=completion["id"], result={})
        self.assertEqual(self.launched(watcher)["state"], "complete")
        self.assertEqual(watcher.initializer("migrate")["once"], {"release": "v1", "fence": 42})
        coordinator.sends_nothing()

    def test_done_elsewhere_completes_at_once_with_the_recorded_output(self):
        supervisor, watcher = self.start_once(MIGRATE + "after: { command: 'echo $INITD_INPUT_MIGRATE >> got', dependencies: [migrate] }\n")
        coordinator = Coordinator(supervisor)
        coordinator.peer.send(
            id=coordinator.claim()["id"], result={"decision": "done", "output": "x y", "message": "completed on host-b at 12:00"}
        )
        self.assertEqual(self.launched(watcher)["state"], "complete")
        self.assertEqual((supervisor.lines("ran"), supervisor.lines("got")), ([], ["x y"]))
        self.assertEqual(watcher.initializer("migrate")["once"]["message"], "completed on host-b at 12:00")
        self.assertIn("completed on host-b at 12:00", supervisor.ctl("status").out)
        coordinator.sends_nothing()

    def test_the_coordinator_shows_who_does_it(self):
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.peer.send(method="progress", params={"run": claim["run"], "fraction": 0.5, "message": "host-b: half"})
        until(lambda: watcher.initializer("migrate")["progress"] == {"message": "host-b: half"}, "the progress")
        self.assertIn("host-b: half", supervisor.ctl("status").out)
        coordinator.grant(claim)
        self.assertNotIn("fraction", watcher.initializer("migrate")["progress"])

    def test_an_error_fails_the_attempt_and_the_next_claims_again(self):
        supervisor, watcher = self.start_once(MIGRATE.replace("once", "retry: { attempts: 2, delay: 10ms }, once"))
        coordinator = Coordinator(supervisor)
        coordinator.peer.send(id=coordinator.claim()["id"], error={"code": 1, "message": "etcd says no"})
        claim = coordinator.claim()
        self.assertEqual(claim["attempt"], 2)
        coordinator.grant(claim)
        coordinator.record(claim)
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_a_failure_is_told_to_the_coordinator(self):
        supervisor, watcher = self.start_once("migrate: { command: 'exit 3', once: fleet }\n")
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim)
        self.assertEqual(coordinator.unclaimed(claim), {"run": claim["run"], "outcome": "failed", "message": "exit status 3", "stopped": True})
        self.failed(self.launched(watcher), "initializerFailed", initializer="migrate", cause={"kind": "exit", "status": 3})

    def test_a_completion_that_is_not_recorded_is_a_failure(self):
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim)
        coordinator.peer.send(id=coordinator.completion(claim)["id"], error={"code": 1, "message": "the key is host-b's"})
        self.failed(self.launched(watcher), "initializerFailed", cause={"kind": "error", "message": "the key is host-b's"})

    def test_a_completion_is_recorded_however_long_that_takes(self):
        """A completed run needs no lease any more; the reports of the coordinator in the meantime are shown."""
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim, lease=0.6)
        completion = coordinator.completion(claim)
        coordinator.peer.send(method="progress", params={"run": claim["run"], "message": "done; waiting for etcd to record it"})
        coordinator.peer.alive()
        self.assertEqual(watcher.initializer("migrate")["progress"]["message"], "done; waiting for etcd to record it")
        self.let_pass(watcher, 0.7)
        coordinator.sends_nothing()
        self.assertEqual(watcher.initializer("migrate")["status"], "running")
        coordinator.peer.send(id=completion["id"], result={})
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_answers_that_cannot_be_used_fail_the_run(self):
        answers = (
            ({"decision": "run"}, "fence"),
            ({"decision": "maybe"}, "decision"),
            ({}, "decision"),
            ({"decision": "run", "fence": -1}, "fence"),
            ({"decision": "run", "fence": 1, "lease": 0.2}, "cancelGrace"),
        )
        for answer, named in answers:
            with self.subTest(answer=answer):
                supervisor, watcher = self.start_once()
                coordinator = Coordinator(supervisor)
                claim = coordinator.claim()
                coordinator.peer.send(id=claim["id"], result=answer)
                self.assertIn(named, self.launched(watcher)["error"]["cause"]["message"])
                self.assertEqual(coordinator.unclaimed(claim)["outcome"], "failed")
                self.assertEqual(supervisor.lines("ran"), [])

    def test_a_worker_gets_the_fence_and_its_answer_is_not_the_end(self):
        supervisor, watcher = self.start_once("m: { worker: true, once: fleet }\n")
        coordinator = Coordinator(supervisor)
        worker = supervisor.worker("m")
        claim = coordinator.claim("m")
        worker.expect_no_run()
        coordinator.grant(claim, 9)
        run = worker.expect_run("m")
        self.assertEqual((run.params["fence"], run.number), (9, claim["run"]))
        worker.send(id=run.id, result={"output": [1]})
        completion = coordinator.completion(claim)
        self.assertEqual((completion["output"], watcher.initializer("m")["status"]), ([1], "running"))
        coordinator.peer.send(id=completion["id"], result={})
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_a_secret_output_is_not_sent(self):
        supervisor, watcher = self.start_once(MIGRATE.replace("once", "secret: true, once"))
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        self.assertTrue(claim["secret"])
        coordinator.grant(claim)
        completion = coordinator.record(claim)
        self.assertEqual((completion.get("output"), completion["secret"]), (None, True))
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_done_is_refused_for_a_secret_output(self):
        supervisor, watcher = self.start_once(MIGRATE.replace("once", "secret: true, once"))
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.peer.send(id=claim["id"], result={"decision": "done", "output": "hunter2"})
        self.assertIn("is secret", self.launched(watcher)["error"]["cause"]["message"])
        self.assertEqual(coordinator.unclaimed(claim)["outcome"], "failed")

    def test_a_worker_says_that_its_output_is_secret(self):
        supervisor, watcher = self.start_once("m: { worker: true, once: fleet }\n")
        coordinator = Coordinator(supervisor)
        worker = supervisor.worker("m")
        claim = coordinator.claim("m")
        coordinator.grant(claim)
        worker.send(id=worker.expect_run("m").id, result={"output": "pw", "secret": True})
        completion = coordinator.record(claim)
        self.assertEqual((completion.get("output"), completion["secret"]), (None, True))
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_answers_in_the_wrong_order_have_no_effect(self):
        supervisor, watcher = self.start_once(
            MIGRATE + "after: { command: 'echo $INITD_INPUT_MIGRATE >> got', dependencies: [migrate] }\n"
        )
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        complete = f"complete-{claim['run']}"
        coordinator.peer.send(id=complete, error={"code": 1, "message": "no"})
        coordinator.grant(claim)
        for answer in ({"result": {"decision": "done", "output": "forged"}}, {"error": {"code": 1, "message": "no"}}, {"result": {}}):
            coordinator.peer.send(id=claim["id"], **answer)
        coordinator.completion(claim)
        for answer in ({"result": {"decision": "done", "output": "forged"}}, {"error": {"code": 1, "message": "no"}}):
            coordinator.peer.send(id=claim["id"], **answer)
        coordinator.sends_nothing()
        coordinator.peer.send(id=complete, result={})
        self.assertEqual((self.launched(watcher)["state"], supervisor.lines("got")), ("complete", ["7"]))
        self.assertEqual(watcher.initializer("migrate")["once"], {"release": "v1", "fence": 1})

    def test_long_messages_are_cut(self):
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        coordinator.peer.send(id=coordinator.claim()["id"], result={"decision": "done", "message": "x" * 900_000})
        self.launched(watcher)
        self.assertLess(len(watcher.initializer("migrate")["once"]["message"]), 2000)

    def test_perProcess_is_refused(self):
        path = self.write(self.directory() + "/init.yaml", self.manifest("m: { worker: true, perProcess: true, once: fleet }\n", head=RELEASE))
        self.assertIn("both once and perProcess", self.assertStatus(self.initctl("check", path), 65).err)

    def test_others_run_without_it(self):
        supervisor, watcher = self.start_once("plain: { command: 'echo \"[$INITD_FENCE]\" >> ran' }\n", env={"INITD_FENCE": "5"})
        self.assertEqual(self.launched(watcher)["state"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["[]"])
        self.assertNotIn("once", watcher.initializer("plain"))

    def test_its_completion_is_not_remembered_by_the_supervisor(self):
        directory, state = self.directory(), self.directory()
        declared = MIGRATE + "after: { command: 'echo after >> after', dependencies: [migrate] }\nplain: { command: 'echo plain >> plain' }\n"
        for release in ("v1", "v2"):
            supervisor, watcher = self.start_once(
                declared, "--state-directory", state, head=FAST + f"release: {release}\n", directory=directory
            )
            coordinator = Coordinator(supervisor)
            claim = coordinator.claim()
            self.assertEqual(claim["release"], release)
            coordinator.grant(claim)
            coordinator.record(claim)
            self.assertEqual(self.launched(watcher)["state"], "complete")
            watcher.ok("shutdown")
            self.assertEqual(supervisor.ended(), 0)
        # The dependents also run again.
        self.assertEqual((supervisor.lines("after"), supervisor.lines("plain")), (["after", "after"], ["plain"]))


    def test_the_decision_about_an_earlier_release_is_not_shown_after_a_reload(self):
        supervisor, watcher = self.start_once()
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim, fence=3)
        coordinator.record(claim)
        self.launched(watcher)
        self.assertEqual(self.once(watcher), {"release": "v1", "fence": 3})
        self.write(supervisor.manifest, self.manifest(MIGRATE, head=RELEASE.replace("v1", "v2")))
        watcher.ok("reload")
        claim = coordinator.claim()
        self.assertEqual((claim["release"], self.once(watcher)), ("v2", {"release": "v2"}))
        coordinator.peer.send(id=claim["id"], result={"decision": "done", "message": "completed elsewhere"})
        self.launched(watcher)
        self.assertEqual(self.once(watcher), {"release": "v2", "message": "completed elsewhere"})

    def once(self, watcher):
        """What the status says about the release."""
        return watcher.status()["initializers"][0]["once"]


class WorkerTests(Base):
    """Workers of initializers that are marked `once`."""

    def start_worker(self, more="", **options):
        supervisor, watcher = self.start_once(f"m: {{ worker: true, once: fleet{more} }}\n", **options)
        return supervisor, watcher, Coordinator(supervisor), supervisor.worker("m")

    def test_a_worker_is_told_to_stop_when_the_claim_is_lost(self):
        for how in ("revoke", "lease", "coordinator"):
            with self.subTest(how=how):
                supervisor, watcher, coordinator, worker = self.start_worker()
                claim = coordinator.claim("m")
                coordinator.grant(claim, **({"lease": 0.6} if how == "lease" else {}))
                run = worker.expect_run("m")
                if how == "revoke":
                    coordinator.peer.send(method="revoke", params={"run": claim["run"], "message": "the claim was lost"})
                if how == "coordinator":
                    coordinator.peer.close()
                run.expect_cancel("timeout").stopped()
                words = {"revoke": "the claim was lost", "lease": "didn't renew", "coordinator": "the coordinator was lost"}
                self.assertIn(words[how], self.launched(watcher)["error"]["cause"]["message"])
                if how != "coordinator":
                    self.assertTrue(coordinator.unclaimed(claim)["stopped"])
                worker.alive()

    def test_a_worker_that_does_not_stop_may_still_run(self):
        supervisor, watcher, coordinator, worker = self.start_worker()
        claim = coordinator.claim("m")
        coordinator.grant(claim)
        worker.expect_run("m")
        coordinator.peer.send(method="revoke", params={"run": claim["run"], "message": "lost"})
        self.assertEqual(coordinator.unclaimed(claim), {"run": claim["run"], "outcome": "failed", "message": "lost", "stopped": False})
        self.failed(self.launched(watcher), "initializerFailed", cause={"kind": "error", "message": "lost"})

    def test_a_worker_that_leaves_before_the_decision_ends_the_claim(self):
        supervisor, watcher, coordinator, worker = self.start_worker()
        claim = coordinator.claim("m")
        worker.close()
        self.assertEqual(coordinator.unclaimed(claim)["outcome"], "failed")
        self.failed(self.launched(watcher), "initializerFailed", cause={"kind": "workerLost"})
        # A late decision has no effect.
        coordinator.grant(claim)
        coordinator.sends_nothing()

    def test_a_worker_may_leave_once_it_has_answered(self):
        supervisor, watcher, coordinator, worker = self.start_worker()
        claim = coordinator.claim("m")
        coordinator.grant(claim)
        worker.expect_run("m").succeed()
        completion = coordinator.completion(claim)
        worker.close()
        until(lambda: not watcher.status()["workers"], "the loss")
        coordinator.peer.send(id=completion["id"], result={})
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_a_run_that_is_cancelled_while_it_is_recorded_ends_the_claim(self):
        supervisor, watcher, coordinator, worker = self.start_worker(", timeout: 500ms")
        claim = coordinator.claim("m")
        coordinator.grant(claim)
        worker.expect_run("m").succeed()
        coordinator.completion(claim)
        # The timeout doesn't count any more.
        self.let_pass(watcher, 0.7)
        coordinator.sends_nothing()
        os.kill(supervisor.pid, signal.SIGTERM)
        self.assertEqual(coordinator.unclaimed(claim)["outcome"], "cancelled")
        self.assertEqual(supervisor.ended(), 0)


class StoppedRunTests(Base):
    """A run that was told to stop is never recorded as done, whatever it ends with (S12, S15)."""

    # It ends with success when it is told to stop.
    COMMAND = "m: { command: \"trap 'exit 0' TERM; echo start >> ran; while :; do sleep 0.01; done\", once: fleet, priority: appActive, timeout: %s }\n"
    WORKER = "m: { worker: true, once: fleet, priority: appActive, timeout: %s }\n"
    OTHER = "other: { command: 'until [ -e broken ]; do sleep 0.01; done; exit 1', priority: appActive }\n"

    # How the run is stopped, the reason that a worker gets, and the outcome and the message that the coordinator gets.
    WAYS = {
        "deactivate": ("deactivated", "cancelled", None),
        "timeout": ("timeout", "failed", "timed out"),
        "cancelRun": ("operator", "failed", "cancelled by "),
        "another's failure": ("failed", "cancelled", None),
        "shutdown": ("shutdown", "cancelled", None),
        "SIGTERM": ("shutdown", "cancelled", None),
    }

    def order(self, supervisor, watcher, way):
        if way == "deactivate":
            watcher.ok("deactivate")
        elif way == "cancelRun":
            watcher.request("cancelRun", {"initializers": ["m"]})
        elif way == "another's failure":
            self.write(supervisor.file("broken"), "")
        elif way == "shutdown":
            watcher.ok("shutdown")
        elif way == "SIGTERM":
            os.kill(supervisor.pid, signal.SIGTERM)

    def check(self, way, supervisor, watcher, coordinator, claim):
        _, outcome, message = self.WAYS[way]
        unclaim = coordinator.unclaimed(claim)
        self.assertEqual((unclaim["outcome"], unclaim["stopped"]), (outcome, True), unclaim)
        self.assertTrue(unclaim.get("message", "").startswith(message) if message else "message" not in unclaim, unclaim)
        if way in ("shutdown", "SIGTERM"):
            self.assertEqual(supervisor.ended(), 0)
        else:
            coordinator.sends_nothing()
            status = watcher.initializer("m")["status"]
            self.assertEqual(status, outcome)
        self.assertFalse([each for each in coordinator.peer.inbox if each.get("method") == "complete"])

    def test_a_command_that_succeeds_after_it_was_told_to_stop_is_not_recorded(self):
        for way in self.WAYS:
            with self.subTest(way=way):
                timeout = "1s" if way == "timeout" else "60s"
                supervisor, watcher = self.start_once(self.COMMAND % timeout + self.OTHER, "--activate", head=RELEASE + "concurrency: 2\n")
                coordinator = Coordinator(supervisor)
                claim = coordinator.claim("m")
                coordinator.grant(claim)
                supervisor.until_lines("ran")
                self.order(supervisor, watcher, way)
                self.check(way, supervisor, watcher, coordinator, claim)

    def test_a_worker_that_succeeds_after_it_was_told_to_stop_is_not_recorded(self):
        for way in self.WAYS:
            with self.subTest(way=way):
                supervisor, watcher = self.start_once(self.WORKER % "60s" + self.OTHER, "--activate", head=RELEASE + "concurrency: 2\n")
                worker = supervisor.worker("m")
                coordinator = Coordinator(supervisor)
                claim = coordinator.claim("m")
                coordinator.grant(claim)
                run = worker.expect_run("m")
                self.order(supervisor, watcher, way)
                if way == "timeout":
                    run.progress(extend=0.05)
                run.expect_cancel(self.WAYS[way][0])
                run.succeed()
                self.check(way, supervisor, watcher, coordinator, claim)

    def test_the_loss_of_a_worker_that_was_told_to_stop_is_a_cancellation(self):
        supervisor, watcher = self.start_once(self.WORKER % "60s", "--activate")
        worker = supervisor.worker("m")
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim("m")
        coordinator.grant(claim)
        worker.expect_run("m")
        watcher.ok("deactivate")
        worker.close()
        self.assertEqual(coordinator.unclaimed(claim), {"run": claim["run"], "outcome": "cancelled", "stopped": False})

    def test_nothing_waits_for_a_coordinator_that_never_answers(self):
        """The command ends in the moment in which it is told to stop: the supervisor goes on, whichever of the two it has noticed first."""
        for round in range(12):
            with self.subTest(round=round):
                supervisor, watcher = self.start_once(
                    "m: { command: 'echo start >> ran; until [ -e end ]; do :; done', once: fleet, priority: appActive }\n", "--activate")
                coordinator = Coordinator(supervisor)
                claim = coordinator.claim("m")
                coordinator.grant(claim)
                supervisor.until_lines("ran")
                self.write(supervisor.file("end"), "")
                watcher.ok("deactivate", wait=True)
                # Either the run was told to stop, or its completion isn't recorded any more: the claim has ended.
                self.assertEqual(coordinator.unclaimed(claim)["outcome"], "cancelled")
                self.assertEqual(watcher.initializer("m")["status"], "cancelled")
                os.kill(supervisor.pid, signal.SIGTERM)
                self.assertEqual(supervisor.ended(), 0)


class LossTests(Base):
    SLOW = "migrate: { command: 'trap \"echo stopped >> ran; exit 1\" TERM; echo start >> ran; while :; do sleep 0.01; done', once: fleet }\n"

    def test_without_a_coordinator_it_waits_and_then_fails(self):
        supervisor, watcher = self.start_once()
        until(lambda: "coordinator" in watcher.initializer("migrate").get("progress", {}).get("message", ""), "the reason")
        error = self.failed(self.launched(watcher), "initializerFailed", initializer="migrate")
        self.assertIn("no coordinator has connected within 500 ms", error["cause"]["message"])
        self.assertIn("initfleet agent", error["cause"]["message"])

    def test_a_lost_coordinator_that_was_asked_is_waited_for(self):
        supervisor, watcher = self.start_once(head=RELEASE.replace("500ms", "30s"))
        first = Coordinator(supervisor)
        run = first.claim()["run"]
        first.peer.close()
        second = supervisor.peer()
        until(lambda: "result" in second.call("coordinate"), "the second coordinator")
        claim = second.take(lambda each: each.get("method") == "claim", "the claim again")
        self.assertEqual(claim["params"]["run"], run)
        second.send(id=claim["id"], result={"decision": "done"})
        self.assertEqual(self.launched(watcher)["state"], "complete")

    def test_a_lost_coordinator_stops_what_runs(self):
        supervisor, watcher = self.start_once(self.SLOW)
        coordinator = Coordinator(supervisor)
        coordinator.grant(coordinator.claim())
        supervisor.until_lines("ran")
        coordinator.peer.close()
        error = self.failed(self.launched(watcher), "initializerFailed")
        self.assertIn("the coordinator was lost", error["cause"]["message"])
        self.assertEqual(supervisor.lines("ran"), ["start", "stopped"])

    def test_a_revoked_claim_stops_what_runs_and_says_when_it_has_stopped(self):
        supervisor, watcher = self.start_once(self.SLOW)
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim)
        supervisor.until_lines("ran")
        coordinator.peer.send(method="revoke", params={"run": claim["run"], "message": "the lease was lost"})
        self.assertEqual(coordinator.unclaimed(claim), {"run": claim["run"], "outcome": "failed", "message": "the lease was lost", "stopped": True})
        self.assertEqual(supervisor.lines("ran"), ["start", "stopped"])
        self.failed(self.launched(watcher), "initializerFailed", cause={"kind": "error", "message": "the lease was lost"})

    def test_a_lease_that_is_not_renewed_stops_what_runs_before_it_ends(self):
        # The command ignores SIGTERM: it is killed, still before the lease has ended.
        supervisor, watcher = self.start_once("migrate: { command: 'trap \"\" TERM; echo start >> ran; while :; do sleep 0.01; done', once: fleet }\n")
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        begin = time.monotonic()
        coordinator.grant(claim, lease=1.0)
        self.assertIn("didn't renew", coordinator.unclaimed(claim)["message"])
        took = time.monotonic() - begin
        self.assertGreater(took, 0.65)
        error = self.failed(self.launched(watcher), "initializerFailed")
        self.assertIn("didn't renew", error["cause"]["message"])

    def test_a_lease_that_has_ended_kills_at_once(self):
        supervisor, watcher = self.start_once(
            "migrate: { command: 'trap \"\" TERM; echo start >> ran; while :; do sleep 0.01; done', once: fleet }\n",
            head=RELEASE.replace("300ms", "20s"),
        )
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim, lease=60)
        supervisor.until_lines("ran")
        coordinator.peer.send(method="renew", params={"run": claim["run"], "lease": 0})
        self.assertIn("didn't renew", coordinator.unclaimed(claim)["message"])
        self.failed(self.launched(watcher), "initializerFailed")

    def test_the_end_of_a_claim_is_only_told_to_the_coordinator_that_was_asked(self):
        supervisor, watcher = self.start_once(self.SLOW)
        first = Coordinator(supervisor)
        first.grant(first.claim())
        supervisor.until_lines("ran")
        first.peer.close()
        second = supervisor.peer()
        until(lambda: "result" in second.call("coordinate"), "the second coordinator")
        self.launched(watcher)
        second.alive()
        self.assertEqual([each["method"] for each in second.inbox if "method" in each], [])

    def test_a_renewed_lease_lets_it_go_on(self):
        supervisor, watcher = self.start_once(self.SLOW)
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim, lease=0.6)
        coordinator.peer.send(method="renew", params={"run": claim["run"], "lease": 60})
        supervisor.until_lines("ran")
        coordinator.peer.alive()
        self.let_pass(watcher, 0.7)
        coordinator.sends_nothing()
        self.assertEqual(watcher.initializer("migrate")["status"], "running")

    def test_a_deactivation_ends_the_claim(self):
        for granted in (False, True):
            with self.subTest(granted=granted):
                supervisor, watcher = self.start_once(self.SLOW.replace("once", "priority: appActive, once"), "--activate")
                coordinator = Coordinator(supervisor)
                claim = coordinator.claim()
                if granted:
                    coordinator.grant(claim)
                    supervisor.until_lines("ran")
                self.assertEqual(watcher.ok("deactivate", wait=True)["cancelled"], ["migrate"])
                self.assertEqual(coordinator.unclaimed(claim), {"run": claim["run"], "outcome": "cancelled", "stopped": True})
                self.assertEqual(watcher.initializer("migrate")["status"], "cancelled")
                # A late answer has no effect.
                coordinator.grant(claim)
                coordinator.sends_nothing()
                self.assertEqual(supervisor.lines("ran"), ["start", "stopped"] if granted else [])

    def test_its_timeout_begins_when_it_is_granted_and_counts_as_a_failure(self):
        supervisor, watcher = self.start_once(self.SLOW.replace("once", "timeout: 1s, once"))
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.peer.send(method="progress", params={"run": claim["run"], "message": "host-b", "extend": 60})
        self.let_pass(watcher, 1.1)
        coordinator.grant(claim)
        self.assertEqual(coordinator.unclaimed(claim), {"run": claim["run"], "outcome": "failed", "message": "timed out", "stopped": True})
        self.failed(self.launched(watcher), "initializerFailed", initializer="migrate")
        self.assertEqual(supervisor.lines("ran"), ["start", "stopped"])

    def test_its_timeout_tells_the_last_progress_of_the_run_and_not_that_of_the_coordinator(self):
        supervisor, watcher = self.start_once("m: { worker: true, once: fleet, timeout: 60s }\n")
        worker = supervisor.worker("m")
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim("m")
        coordinator.peer.send(method="progress", params={"run": claim["run"], "message": "runs on host-b"})
        until(lambda: watcher.initializer("m").get("progress") == {"message": "runs on host-b"}, "the progress")
        coordinator.grant(claim)
        run = worker.expect_run("m")
        self.assertEqual(watcher.initializer("m")["progress"], {})
        run.progress(message="half of the rows", extend=0.05)
        run.expect_cancel("timeout").stopped()
        self.assertEqual(coordinator.unclaimed(claim)["message"], "timed out: half of the rows")
        error = self.launched(watcher)["error"]
        self.assertEqual(error["cause"]["message"], "half of the rows")
        self.assertRegex(error["message"], r"\Am failed: timed out after [0-9.]+ m?s: half of the rows\Z")

    def test_the_shutdown_ends_the_claim(self):
        supervisor, _ = self.start_once(self.SLOW)
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim)
        supervisor.until_lines("ran")
        os.kill(supervisor.pid, signal.SIGTERM)
        self.assertEqual(coordinator.unclaimed(claim)["outcome"], "cancelled")
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("ran"), ["start", "stopped"])

    def test_only_what_ran_here_is_stopped_at_the_end(self):
        for here in (False, True):
            with self.subTest(here=here):
                supervisor, watcher = self.start_once(MIGRATE.replace("once", "stop: 'echo stop >> ran', once"))
                coordinator = Coordinator(supervisor)
                claim = coordinator.claim()
                if here:
                    coordinator.grant(claim)
                    coordinator.record(claim)
                else:
                    coordinator.peer.send(id=claim["id"], result={"decision": "done"})
                self.launched(watcher)
                watcher.ok("shutdown")
                supervisor.ended()
                self.assertEqual(supervisor.lines("ran"), ["1", "stop"] if here else [])

    def test_nonsense_of_the_coordinator_and_of_others_has_no_effect(self):
        supervisor, watcher = self.start_once(
            "migrate: { command: 'trap \"echo stopped >> ran\" TERM; echo start >> ran; until test -e go; do sleep 0.01; done', once: fleet }\n"
        )
        coordinator = Coordinator(supervisor)
        claim = coordinator.claim()
        coordinator.grant(claim, lease=60)
        supervisor.until_lines("ran")
        other = supervisor.peer()
        for peer, run in ((other, claim["run"]), (coordinator.peer, 99)):
            peer.send(method="revoke", params={"run": run})
            peer.send(method="renew", params={"run": run, "lease": 0})
            peer.send(id=f"claim-{run}", result={"decision": "done"})
            peer.send(id=f"complete-{run}", result={})
            peer.alive()
        coordinator.peer.send(id=f"complete-{claim['run']}", result={})
        coordinator.peer.send(method="revoke", params={"run": "x"})
        coordinator.peer.send(method="renew", params={"run": claim["run"], "lease": -1})
        # A run on this host reports its own progress.
        coordinator.peer.send(method="progress", params={"run": claim["run"], "message": "host-b: half"})
        coordinator.sends_nothing()
        shown = watcher.initializer("migrate")
        self.assertEqual(shown["status"], "running")
        self.assertEqual(shown["progress"], {})
        self.write(supervisor.file("go"), "")
        coordinator.record(claim)
        self.assertEqual(self.launched(watcher)["state"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["start"])


if __name__ == "__main__":
    unittest.main()
