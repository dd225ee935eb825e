"""manifest.md "Stopping one run" (S34): `cancelRun`, and `initctl cancel`."""

import os
import pwd
import unittest

from deadlines import until
from supervisor import Conformance, is_running

USER = pwd.getpwuid(os.geteuid()).pw_name
CAUSE = {"kind": "operator", "user": USER}


class CancelTests(Conformance):
    def test_a_command_has_failed_and_what_depends_on_it_doesnt_run(self):
        supervisor = self.start_with("slow: { command: 'echo $$ > pid; exec sleep 600', retry: { attempts: 3 } }\nnext: { command: 'true', dependencies: [slow] }")
        pid = int(supervisor.until_lines("pid")[0])
        peer = supervisor.peer()
        self.assertEqual(peer.ok("cancelRun", initializers=["slow"]), {"cancelled": ["slow"]})
        self.assertFalse(is_running(pid), "the answer came before the command had stopped")
        error = self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="slow", cause=CAUSE)
        self.assertEqual(error["message"], f"slow failed: cancelled by {USER}")
        self.assertEqual([each["status"] for each in peer.status()["initializers"]], ["failed", "notRun"])
        (run,) = peer.last_pass()["runs"]
        self.assertEqual((run["outcome"], run["cause"]), ("failed", CAUSE))

    def test_it_is_answered_only_once_the_runs_have_stopped(self):
        supervisor = self.start_with("", "--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        peer.ok("launch")
        run = worker.expect_run("a")
        id = peer.request("cancelRun", {"initializers": ["a"]})
        run.expect_cancel("operator")
        peer.alive()
        self.assertEqual(peer.initializer("a")["status"], "stopping")
        # The run has failed regardless of its answer.
        run.succeed()
        self.assertEqual(peer.answer(id)["result"], {"cancelled": ["a"]})
        self.failed(peer.ok("wait", initializer="a"), "initializerFailed", cause=CAUSE)

    def test_several_are_answered_when_all_have_stopped(self):
        supervisor = self.start_with("", "--no-launch", "--concurrency", "2")
        worker = supervisor.worker("a", "b")
        peer = supervisor.peer()
        peer.ok("launch")
        first, second = worker.expect_run("a"), worker.expect_run("b")
        id = peer.request("cancelRun", {"initializers": ["b", "a"]})
        first.expect_cancel("operator").stopped()
        second.expect_cancel("operator")
        self.assertEqual(peer.ok("wait", initializer="a")["state"], "failed")
        self.assertEqual(peer.initializer("b")["status"], "stopping")
        second.stopped()
        answers = peer.answer(id)["result"]
        self.assertEqual(answers, {"cancelled": ["b", "a"]})
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="b", cause=CAUSE)

    def test_one_that_waits_for_its_retry_ends_at_once(self):
        supervisor = self.start_with("a: { command: 'exit 3', retry: { attempts: 3, delay: 1h, maxDelay: 1h } }")
        peer = supervisor.peer()
        until(lambda: "nextAttempt" in peer.initializer("a"), "the delay")
        self.assertEqual(peer.ok("cancelRun", initializers=["a"]), {"cancelled": ["a"]})
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", cause=CAUSE)
        self.assertEqual(len(peer.last_pass()["runs"]), 1)

    def test_without_an_optional_one_the_pass_goes_on(self):
        supervisor = self.start_with(
            "slow: { command: 'exec sleep 600', optional: true }\nhangs-on: { command: 'true', dependencies: [slow], optional: true }\nlast: { command: 'true' }"
        )
        peer = supervisor.peer()
        peer.until_initializer("slow", "running")
        peer.ok("cancelRun", initializers=["slow"])
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual([each["status"] for each in peer.status()["initializers"]], ["failed", "notRun", "complete"])

    def test_all_or_none_with_the_status_of_each_that_doesnt_run(self):
        supervisor = self.start_with("done: { command: 'true' }\nslow: { command: 'exec sleep 600' }\nz: { command: 'true', priority: appActive }")
        peer = supervisor.peer()
        peer.until_initializer("slow", "running")
        error = peer.refused(-32009, "cancelRun", {"initializers": ["slow", "done", "z"]}, naming="done is complete, z is idle")
        self.assertEqual(error["data"], {"code": "notRunning", "initializers": [{"name": "done", "status": "complete"}, {"name": "z", "status": "idle"}]})
        peer.refused(-32004, "cancelRun", {"initializers": ["slow", "nobody"]}, naming="nobody")
        self.assertEqual(peer.initializer("slow")["status"], "running")

    def test_names_are_required_once_each(self):
        peer = self.start_fast("--no-launch").peer()
        for params in (None, {}, {"initializers": "a"}, {"initializers": [1]}, {"initializers": ["a", "a"]}):
            peer.refused(-32602, "cancelRun", params, naming="params.initializers")

    def test_a_stubborn_command_is_killed_after_the_grace_period(self):
        supervisor = self.start("version: 1\ncancelGrace: 0.1\ninitializers:\n  a: { command: \"trap '' TERM; echo up > up; while :; do sleep 0.01; done\" }\n")
        supervisor.until_lines("up")
        peer = supervisor.peer()
        peer.ok("cancelRun", initializers=["a"])
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", cause=CAUSE)

    def test_a_shutdown_answers_it_too(self):
        supervisor = self.start_with("", "--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        peer.ok("launch")
        run = worker.expect_run("a")
        id = peer.request("cancelRun", {"initializers": ["a"]})
        run.expect_cancel("operator")
        peer.ok("shutdown")
        run.stopped()
        self.assertEqual(peer.answer(id)["result"], {"cancelled": ["a"]})

    def test_another_user_needs_the_role_control_and_is_named_by_number_if_it_has_no_name(self):
        if os.geteuid() != 0:
            self.skipTest("another user requires root")
        directory = self.directory()
        os.chmod(directory, 0o755)
        supervisor = self.start(
            self.manifest("a: { command: 'exec sleep 600' }"), "--socket-mode", "666", "--allow-control", "4242", "--allow-observe", "4343", directory=directory
        )
        supervisor.peer().until_initializer("a", "running")
        for user, code in ((4343, -32005), (4242, None)):
            peer, _ = supervisor.peer_of_another_process(user)
            peer.ok("hello", protocol=1, client={"name": "other", "version": "1"})
            if code is not None:
                peer.refused(code, "cancelRun", {"initializers": ["a"]})
            else:
                peer.ok("cancelRun", initializers=["a"])
        state = supervisor.peer().ok("wait", for_="launch")
        self.failed(state, "initializerFailed", cause={"kind": "operator", "user": "uid 4242"})


class CommandTests(Conformance):
    def test_it_prints_what_it_cancelled(self):
        supervisor = self.start_with("slow: { command: 'exec sleep 600' }\nother: { command: 'exec sleep 600' }", "--concurrency", "2")
        peer = supervisor.peer()
        peer.until_initializer("slow", "running")
        peer.until_initializer("other", "running")
        finished = self.assertStatus(supervisor.ctl("cancel", "slow", "other"), 0)
        self.assertEqual((finished.out, finished.err), ("cancelled slow\ncancelled other\n", ""))
        self.assertIn(f"slow failed: cancelled by {USER}", self.assertStatus(supervisor.ctl("wait", "launch"), 1).err)

    def test_what_doesnt_run_is_refused_with_its_status(self):
        supervisor = self.start_with("done: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("cancel", "done"), 1)
        self.assertEqual(finished.err, "initctl: cannot cancel: done is complete; only an initializer that is running or waiting for its retry can be cancelled\n")

    def test_an_unknown_name_is_64_with_a_suggestion(self):
        supervisor = self.start_with("migrate: { command: 'true' }", "--no-launch")
        finished = self.assertStatus(supervisor.ctl("cancel", "migrat"), 64)
        self.assertEqual(finished.err, 'initctl: no initializer or process is named "migrat"; did you mean "migrate"?\n')

    def test_wrong_usage_is_64(self):
        for words, text in (([], "missing name"), (["a", "a"], '"a" is given twice')):
            with self.subTest(words):
                self.assertIn(text, self.assertStatus(self.initctl("cancel", *words), 64).err)

    def test_a_timeout_ends_only_the_wait(self):
        supervisor = self.start_with("", "--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        peer.ok("launch")
        run = worker.expect_run("a")
        self.assertStatus(supervisor.ctl("cancel", "a", "--timeout", "0.1"), 124)
        run.expect_cancel("operator").stopped()
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", cause=CAUSE)


if __name__ == "__main__":
    unittest.main()
