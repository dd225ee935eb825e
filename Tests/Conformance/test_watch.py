"""`initctl watch` in a pipe: its end, a lost supervisor, and --until. The lines are tested in test_initctl_cli.py."""

import re
import signal
import unittest

from fake import STATUS, FakeSupervisor
from supervisor import INITCTL, Conformance

TIME = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z"


class LostTests(Conformance):
    def lose(self, *arguments):
        """`watch` that has just lost its supervisor, and that supervisor."""
        supervisor = self.start_with("i: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        watch = supervisor.start_ctl("watch", *arguments)
        watch.line()
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        return watch, supervisor

    def test_lines_say_that_it_has_gone_and_that_there_is_a_new_one(self):
        watch, supervisor = self.lose("initializer")
        while "the supervisor has gone" not in (line := watch.line()):
            pass
        self.assertRegex(line, f"^{TIME} the supervisor has gone; waiting for a new one at {re.escape(supervisor.path)}$")
        new = self.start_with("other: { command: 'true' }", "--no-launch", directory=supervisor.directory)
        self.assertRegex(watch.line(), rf"^{TIME} connected to a new supervisor \(pid {new.pid}\)$")
        self.assertIn("snapshot", watch.line())
        self.assertIn(" other is idle", watch.line())
        new.peer().ok("launch")
        self.assertIn(" other is waiting", watch.line())
        new.peer().ok("shutdown")
        finished = self.assertStatus(watch.finish(), 0)
        self.assertEqual(finished.out.count("the supervisor has gone"), 1)
        self.assertEqual(finished.err, "")

    def test_json_ends_with_69_unless_it_is_told_how_long_to_wait(self):
        watch, _ = self.lose("--json")
        self.assertStatus(watch.finish(), 69)
        watch, supervisor = self.lose("--json", "--connect-timeout", "60s")
        watch.until_err("waiting for a new one")
        new = self.start_fast("--no-launch", directory=supervisor.directory)
        watch.until_err(f"connected to a new supervisor (pid {new.pid})")
        new.peer().ok("shutdown")
        finished = self.assertStatus(watch.finish(), 0)
        # Only events.
        events = finished.json()
        self.assertEqual([each["topic"] for each in events if each["topic"] in ("snapshot", "shutdown")], ["snapshot", "snapshot", "shutdown"])
        self.assertEqual(len(finished.err.splitlines()), 2)

    def test_it_ends_with_69_after_the_connect_timeout(self):
        watch, _ = self.lose("--connect-timeout", "100ms")
        self.assertStatus(watch.finish(), 69)


class ShutdownTests(Conformance):
    def test_a_shutdown_is_0_and_the_last_line(self):
        for words in ([], ["--json"], ["pass"]):
            with self.subTest(words):
                supervisor = self.start_fast()
                watch = supervisor.start_ctl("watch", *words)
                watch.line()
                supervisor.peer().ok("shutdown")
                finished = self.assertStatus(watch.finish(), 0)
                last = finished.out.splitlines()[-1]
                self.assertIn("shutdown", last)
                if "--json" not in words:
                    self.assertRegex(last, f"^{TIME} ")


class UntilTests(Conformance):
    def test_it_ends_with_the_state_after_all_events_until_then(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("l", {"name": "a", "priority": "appActive"})
        watches = {state: supervisor.start_ctl("watch", "--json", "--until", state) for state in ("launch", "active", "ready", "composite")}
        for watch in watches.values():
            watch.line()
        worker.expect_run("l").succeed()
        launched = self.assertStatus(watches.pop("launch").finish(), 0)
        told = [event["initializer"]["status"] for event in launched.json() if event["topic"] == "initializer" and event["initializer"]["name"] == "l"]
        self.assertEqual(told[-1], "complete")
        for watch in watches.values():
            self.assertIsNone(watch.process.poll())
        worker.expect_run("a").succeed()
        for watch in watches.values():
            self.assertStatus(watch.finish(), 0)
        # A target that is already complete ends the command at once, after the snapshot.
        self.assertIn("snapshot", self.assertStatus(supervisor.ctl("watch", "--until", "ready"), 0).out)

    def test_a_failure_is_1_and_says_why(self):
        supervisor = self.start_with("i: { command: 'echo no tables; exit 3' }", "--no-launch")
        watch = supervisor.start_ctl("watch", "--until", "launch")
        watch.line()
        supervisor.peer().ok("launch")
        finished = self.assertStatus(watch.finish(), 1)
        self.assertIn("launch failed: i failed: exit status 3", finished.err)
        self.assertIn("i | no tables", finished.err)
        self.assertIn(" launch pass 1 failed", finished.out)

    def test_a_shutdown_before_is_1(self):
        supervisor = self.start_fast("--no-launch")
        watch = supervisor.start_ctl("watch", "--until", "ready")
        watch.line()
        supervisor.peer().ok("shutdown")
        self.assertStatus(watch.finish(), 1)

    def test_a_shutdown_before_the_supervisor_reads_the_wait_is_1_too(self):
        def answer(method, _):
            if method == "subscribe":
                return {"snapshot": STATUS}
            fake.event(seq=2, time=2.0, topic="shutdown")
            fake.close()
            return None

        fake = FakeSupervisor(self.directory() + "/s", answer)
        self.addCleanup(fake.close)
        watch = self.program([INITCTL, "--socket", fake.path, "watch", "--until", "ready"])
        self.assertIn("the supervisor has shut down before ready was complete", self.assertStatus(watch.finish(), 1).err)

    def test_it_waits_for_the_state_of_a_new_supervisor(self):
        supervisor = self.start_fast("--no-launch")
        watch = supervisor.start_ctl("watch", "--until", "launch")
        watch.line()
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        while "waiting for a new one" not in watch.line():
            pass
        self.start_with("i: { command: 'true' }", directory=supervisor.directory)
        self.assertIn(" i is complete after ", self.assertStatus(watch.finish(), 0).out)

    def test_it_waits_for_the_next_supervisor_after_a_shutdown_too(self):
        for words in (["--until", "launch"], ["--until", "launch", "--json"]):
            supervisor = self.start_fast("--no-launch")
            watch = supervisor.start_ctl("watch", "--reconnect", *words)
            watch.line()
            supervisor.peer().ok("shutdown")
            supervisor.ended()
            self.start_with("i: { command: 'true' }", directory=supervisor.directory)
            self.assertStatus(watch.finish(), 0)

    def test_another_word_is_64(self):
        supervisor = self.start_fast()
        self.assertIn("ready, launch, active", self.assertStatus(supervisor.ctl("watch", "--until", "noon"), 64).err)


if __name__ == "__main__":
    unittest.main()
