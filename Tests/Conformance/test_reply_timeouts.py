"""--reply-timeout: a supervisor that answers hello and then is silent holds no command; a wait only needs it to be alive."""

import os
import signal
import threading
import unittest

from deadlines import until
from fake import STATUS, FakeSupervisor
from supervisor import INITCTL, Conformance

SILENT = "no answer from the supervisor at {} within 300 ms; check whether it hangs, or wait longer with --reply-timeout"


class ReplyTimeouts(Conformance):
    def fake(self, answer, is_silent=False):
        supervisor = FakeSupervisor(os.path.join(self.directory(), "s"), answer, is_silent)
        self.addCleanup(supervisor.close)
        return supervisor

    def silent(self, path, *words, **options):
        finished = self.assertStatus(self.initctl("--socket", path, "--reply-timeout", "300ms", *words, **options), 69)
        self.assertIn(SILENT.format(path), finished.err)


class SilenceTests(ReplyTimeouts):
    def test_every_command_ends_if_its_request_is_not_answered(self):
        supervisor = self.fake(lambda method, params: None, is_silent=True)
        for words in (
            ["status"], ["status", "--json"], ["launch"], ["launch", "--wait"], ["activate"], ["activate", "--wait"], ["deactivate"],
            ["deactivate", "--wait"], ["watch"], ["watch", "--json"], ["watch", "--until", "ready"], ["wait"], ["wait", "--timeout", "60s"],
            ["wait", "a", "b"], ["wait", "--progress"], ["why"], ["why", "a"], ["blame"], ["critical-path"], ["plot"], ["trace"], ["what-if"],
            ["history"], ["compare"], ["graph"], ["plan"], ["run", "--", "true"], ["worker", "a", "--", "true"], ["logs"], ["logs", "a"],
            ["logs", "--follow"], ["shutdown"],
        ):
            with self.subTest(words):
                self.silent(supervisor.path, *words)

    def test_a_wait_ends_if_the_supervisor_falls_silent_while_it_is_open(self):
        answers = {
            "launch": {"pass": 1, "launch": {"state": "pending", "pass": 1}}, "subscribe": {"snapshot": STATUS}, "shutdown": {}, "logs": {"lines": []},
        }
        supervisor = self.fake(lambda method, params: answers.get(method), is_silent=True)
        for words in (["launch", "--wait"], ["watch", "--json", "--until", "ready"], ["wait", "--progress"], ["watch", "--json"], ["logs", "--follow"], ["shutdown"]):
            with self.subTest(words):
                self.silent(supervisor.path, *words)

    def test_a_wait_ends_if_a_real_supervisor_is_stopped(self):
        supervisor = self.start_fast()
        program = supervisor.start_ctl("wait", "later", "--appear", "--reply-timeout", "300ms")
        # The command has survived several pings.
        answered = supervisor.peer()
        until(lambda: answered.status()["pid"] and program.process.poll() is None, "the wait")
        supervisor.program.signal(signal.SIGSTOP)
        self.addCleanup(supervisor.program.signal, signal.SIGCONT)
        finished = self.assertStatus(program.finish(), 69)
        self.assertIn(SILENT.format(supervisor.path), finished.err)

    def test_a_shorter_timeout_of_the_request_is_still_124(self):
        supervisor = self.fake(lambda method, params: None)
        finished = self.assertStatus(self.initctl("--socket", supervisor.path, "activate", "--timeout", "100ms"), 124)
        self.assertIn("no answer within 100 ms", finished.err)


    def test_no_time_at_all_is_wrong_usage(self):
        self.assertIn("--reply-timeout must be more than 0", self.assertStatus(self.initctl("--reply-timeout", "0", "status"), 64).err)


class LongWaitTests(ReplyTimeouts):
    def test_an_answer_to_a_wait_may_come_later_than_the_reply_timeout(self):
        """The wait is answered only after pings for several times the reply timeout."""
        pings = threading.Semaphore(0)

        def answer(method, params):
            if method == "ping":
                pings.release()
                return {}
            return {"wait": None, "deactivate": None if (params or {}).get("wait") else {"cancelled": []}}[method]

        for words, result in ((["wait", "launch"], {"state": "complete"}), (["deactivate", "--wait"], {"cancelled": ["a"]})):
            with self.subTest(words):
                supervisor = self.fake(answer, is_silent=True)
                program = self.program([INITCTL, "--socket", supervisor.path, "--reply-timeout", "200ms", *words])
                for _ in range(6):
                    self.assertTrue(pings.acquire(timeout=60))
                self.assertIsNone(program.process.poll())
                supervisor.reply(words[0], result)
                self.assertStatus(program.finish(), 0)


class StreamTests(ReplyTimeouts):
    def test_a_watch_in_a_pipe_waits_until_the_supervisor_answers_again(self):
        supervisor = self.start_fast()
        program = supervisor.start_ctl("watch", "--reply-timeout", "300ms")
        self.assertIn("snapshot", program.line())
        supervisor.program.signal(signal.SIGSTOP)
        self.assertIn(f"the supervisor doesn't answer; waiting for it at {supervisor.path}", program.line())
        supervisor.program.signal(signal.SIGCONT)
        self.assertIn(f"connected again to the supervisor (pid {supervisor.program.pid})", program.line())
        self.assertIn("snapshot", program.line())

    def test_a_follower_survives_silence_while_pings_are_answered(self):
        answers = {"subscribe": {"snapshot": STATUS}, "logs": {"lines": []}}
        supervisor = self.fake(lambda method, params: answers[method])
        program = self.program([INITCTL, "--socket", supervisor.path, "--reply-timeout", "200ms", "logs", "--follow"])
        until(lambda: supervisor.asked["ping"] >= 6, "six pings")
        self.assertIsNone(program.process.poll())
        supervisor.event(seq=2, time=1.0, topic="log", initializer="i", run=1, stream="stdout", line="a line")
        self.assertEqual(program.line(), "i | a line")


if __name__ == "__main__":
    unittest.main()
