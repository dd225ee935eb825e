"""What the commands say about failures and processes is true, and their advice works: stories of a person at a terminal."""

import os
import re

from deadlines import until
from supervisor import Conformance


class AdviceTests(Conformance):
    def why(self, supervisor, *words, status=None):
        finished = supervisor.ctl("why", *words)
        if status is not None:
            self.assertStatus(finished, status)
        return finished

    def launched(self, initializers, *arguments, **options):
        """A supervisor whose launch has ended, complete or not."""
        supervisor = self.start_with(initializers, *arguments, **options)
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def test_an_optional_failure_is_run_again_by_the_command_that_is_named(self):
        supervisor = self.launched("opt: { command: 'test -e fixed', optional: true }")
        advice = self.why(supervisor, "opt", status=1).out
        self.assertIn("launch is complete without it; fix it, then run it again with initctl rerun opt", advice)
        self.write(supervisor.file("fixed"), "")
        words = re.search(r"initctl (rerun opt)$", advice, re.M)[1].split()
        self.assertStatus(supervisor.ctl(*words), 0)
        self.assertStatus(supervisor.ctl("wait", "opt"), 0)

    def test_compare_tells_a_failure_from_what_did_not_run(self):
        supervisor = self.launched("a: { command: 'true' }\nopt: { command: 'test -e fixed', optional: true }")
        self.write(supervisor.file("fixed"), "")
        self.assertStatus(supervisor.ctl("rerun", "a"), 0)
        self.assertStatus(supervisor.ctl("wait", "opt"), 0)
        supervisor.peer().ok("wait", for_="launch")
        self.assertRegex(self.assertStatus(supervisor.ctl("compare"), 0).out, r"(?m)^opt .*  did not complete before$")
        self.assertRegex(self.assertStatus(supervisor.ctl("compare", "1", "2"), 0).out, r"(?m)^opt .*  did not complete in the first$")

    def test_the_process_that_never_registered_a_name_is_named_after_the_failure(self):
        supervisor = self.start(
            self.manifest(
                "w: { worker: true }",
                "version: 1\nregistrationTimeout: 100ms\nworkers:\n  loopy: { command: 'exit 7', backoff: { delay: 1h, maxDelay: 1h } }\n",
            )
        )
        supervisor.peer().ok("wait", for_="launch")
        until(lambda: supervisor.peer().status()["processes"][0].get("nextStart"), "the pause of loopy")
        for words in (["why", "w"], ["why"]):
            out = self.assertStatus(supervisor.ctl(*words), 1).out
            self.assertRegex(out, r"└─ the process loopy doesn't run: .*last: exit status 7; see initctl logs loopy")

    def test_why_leaves_no_failure_of_a_pass_that_keeps_going_out(self):
        initializers = """
            opt: { command: 'exit 4', optional: true }
            needs: { command: 'true', dependencies: [opt] }
            alone: { command: 'exit 5', optional: true }
            slow: { command: 'until test -e go; do sleep 0.05; done' }
            """
        supervisor = self.start_with(initializers, "--keep-going", "--concurrency", "4")
        peer = supervisor.peer()
        for name in ("opt", "alone"):
            peer.until_initializer(name, "failed")
        peer.until_initializer("slow", "running")
        out = self.why(supervisor, "launch", status=2).out
        self.assertRegex(out, "├─ opt failed .*exit status 4")
        self.assertRegex(out, "├─ slow has been running")
        self.assertRegex(out, "└─ alone failed .*exit status 5; launch goes on without it")
        self.write(supervisor.file("go"), "")

    def test_a_retry_after_an_edit_says_that_the_old_manifest_is_in_force(self):
        directory = self.directory()
        supervisor = self.start(self.manifest("a: { command: 'exit 3' }"), directory=directory)
        supervisor.peer().ok("wait", for_="launch")
        self.assertNotIn("has changed", self.why(supervisor, status=1).err)
        path = os.path.join(directory, "init.yaml")
        self.write(path, self.manifest("a: { command: 'true' }"))
        for words in (["why"], ["status"], ["launch"]):
            self.assertIn("initctl: init.yaml has changed: initctl reload\n", supervisor.ctl(*words).err, words)
        supervisor.peer().ok("wait", for_="launch")
        self.write(path, self.manifest("a: { comand: 'true' }"))
        self.assertIn("init.yaml has changed: initctl reload", self.why(supervisor, status=1).err)

    def test_after_the_reload_that_fixed_it_nothing_is_left_to_fix(self):
        directory = self.directory()
        supervisor = self.start(self.manifest("a: { command: 'exit 3' }"), directory=directory)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertIn("fix it, then retry with initctl launch", self.why(supervisor, status=1).out)
        self.assertNotIn("changed", peer.initializer("a"))
        self.write(os.path.join(directory, "init.yaml"), self.manifest("a: { command: 'exit 4' }"))
        self.assertStatus(supervisor.ctl("reload"), 0)
        finished = self.why(supervisor, status=1)
        self.assertIn("exit status 3; its definition has changed since then: retry with initctl launch", finished.out)
        self.assertNotIn("has changed", finished.err)
        self.assertTrue(peer.initializer("a")["changed"])
        self.assertStatus(supervisor.ctl("launch", "--wait"), 1)
        self.assertNotIn("changed", peer.initializer("a"))
        self.assertIn("exit status 4; fix it, then retry with initctl launch", self.why(supervisor, status=1).out)

    PROCESS = "m: { command: 'test ! -e broken' }\n"
    WEB = "workers:\n  web: { command: 'touch up; exec sleep 600', dependencies: [m], ready: { path: up } }\n"

    def test_a_process_that_somebody_reran_had_no_trouble(self):
        supervisor = self.start(self.manifest(self.PROCESS) + self.WEB, "--activate")
        peer = supervisor.peer()
        peer.ok("wait")
        pid = peer.status()["processes"][0]["pid"]
        self.assertStatus(supervisor.ctl("rerun", "web"), 0)
        until(lambda: peer.status()["processes"][0].get("pid") not in (pid, None), "the next process")
        peer.ok("wait")
        self.assertNotIn("lastExit", peer.status()["processes"][0])
        for words in (["status"], ["why"]):
            finished = self.assertStatus(supervisor.ctl(*words), 0)
            self.assertNotIn("SIGTERM", finished.out)
            self.assertNotIn("restarted", finished.out)

    def test_a_process_that_serves_is_up_even_if_it_was_not_run_again(self):
        supervisor = self.start(self.manifest(self.PROCESS) + self.WEB)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.write(supervisor.file("broken"), "")
        self.assertStatus(supervisor.ctl("rerun", "m", "--with-dependents"), 0)
        peer.until_initializer("web", "notRun")
        self.assertRegex(self.assertStatus(supervisor.ctl("status"), 0).out, r"(?m)^web +up +process .*  not run again because m failed first$")
        self.assertIn("web was not run again because m failed first", self.why(supervisor, "web", status=1).out)

    def test_check_notes_that_postgresql_accepts_connections_before_it_answers(self):
        path = self.write(
            os.path.join(self.directory(), "init.yaml"),
            "version: 1\nworkers:\n  db: { command: [postgres, -D, data], ready: { tcp: \"localhost:5432\" } }\n",
        )
        finished = self.assertStatus(self.initctl("check", path), 0)
        self.assertIn("note: db is ready as soon as PostgreSQL accepts connections, even while it recovers", finished.out)
        self.assertIn("pg_isready", finished.out)
        self.assertNotIn("warning", finished.err)

    def test_a_wait_that_only_an_activation_ends_says_so(self):
        for words in (["wait"], ["wait", "active"], ["wait", "z"], ["wait", "launch", "composite"]):
            with self.subTest(words):
                supervisor = self.launched("a: { command: 'true' }\nz: { command: 'true', phase: active }")
                waiting = supervisor.start_ctl(*words)
                waiting.until_err("the app is inactive: initctl activate, or wait launch")
                self.assertIsNone(waiting.process.poll())
                supervisor.peer().ok("activate")
                self.assertEqual(waiting.wait(), 0)
                waiting.pump()
                self.assertEqual(waiting.err.decode(), "initctl: the app is inactive: initctl activate, or wait launch\n")

    def test_a_wait_for_launch_says_nothing_of_the_inactive_app(self):
        supervisor = self.start_with("a: { command: 'until test -e go; do sleep 0.05; done' }")
        finished = self.assertStatus(supervisor.ctl("wait", "launch", "a", "--timeout", "500ms"), 124)
        self.assertNotIn("inactive", finished.err)
        self.write(supervisor.file("go"), "")
