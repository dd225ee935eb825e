"""--state-directory: after a restart, the log and Status say why an initializer runs again."""

import json
import os
import signal
import unittest

from state import RAN, StateCase


class ReasonTests(StateCase):
    def test_the_log_lists_changed_initializers_and_their_dependents(self):
        directory = self.directory()
        initializers = f"a: {{ command: '{RAN}CHANGE' }}\nb: {{ command: '{RAN}', dependencies: [a] }}\nc: {{ command: '{RAN}' }}"
        supervisor = self.again(initializers.replace("CHANGE", ""), directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        supervisor = self.again(initializers.replace("CHANGE", "; true"), directory=directory)
        supervisor.program.until_err("a runs again: its definition has changed since it completed\n")
        supervisor.program.until_err("b runs again: it depends on a, which runs again\n")
        supervisor.program.until_err("1 launch initializer completed before and doesn't run again: c; perProcess: true makes one run at each start\n")
        self.launched(supervisor)
        rows = {row.split()[0]: row for row in self.assertStatus(supervisor.ctl("status"), 0).out.splitlines() if row[:2] in ("a ", "b ", "c ")}
        self.assertRegex(rows["c"], "^c +complete .* complete since before this supervisor started$")
        for name in "ab":
            self.assertNotIn("again", rows[name], "once it is complete, it doesn't matter any more")

    def again_of(self, peer):
        return {each["name"]: each["again"]["reason"] for each in peer.status()["initializers"] if "again" in each}

    def test_the_log_and_the_status_say_why_each_initializer_runs_again(self):
        directory = self.directory()
        initializers = f"""
            kept: {{ command: '{RAN}' }}
            secret: {{ command: '{RAN}; echo 1 > "$INITD_OUTPUT"', secret: true }}
            took: {{ command: '{RAN}', dependencies: [secret] }}
            after: {{ command: '{RAN}', dependencies: [took] }}
            stopped: {{ command: '{RAN}; echo 1 > "$INITD_OUTPUT"', stop: 'true' }}
            given: {{ command: '{RAN}', dependencies: [stopped] }}
            still: {{ command: '{RAN}', stop: 'true' }}
            kept2: {{ command: '{RAN}', dependencies: [still] }}
            check: {{ command: '{RAN}', perProcess: true }}
            kept3: {{ command: '{RAN}', dependencies: [check] }}
            failed: {{ command: '{RAN}; exit 3', optional: true }}
            """
        why = {
            "secret": ("secret", "its output is secret, and secrets aren't recorded"),
            "took": ("dependency", "it depends on secret, which runs again"),
            "after": ("dependency", "it depends on took, which runs again"),
            "stopped": ("stopped", "it was stopped at the shutdown"),
            "given": ("dependency", "it depends on stopped, which runs again"),
            "still": ("stopped", "it was stopped at the shutdown"),
            "check": ("perProcess", "its effect ended with its process (perProcess)"),
            "failed": ("failed", "it failed"),
        }
        supervisor = self.again(initializers, directory=directory)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.assertEqual(self.again_of(supervisor.peer()), {}, "nothing has run before")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        ran = len(supervisor.lines("ran"))
        for _ in range(2):
            # The reasons hold until the initializers have run, even if supervisors end in between.
            supervisor = self.again(initializers, "--no-launch", "--log-format", "json", directory=directory)
            peer = supervisor.peer()
            supervisor.program.until_err('"listening')
            told = [json.loads(line) for line in supervisor.program.err.splitlines()]
            lines = {each["initializer"]: (each["reason"], each["message"]) for each in told if each.get("event") == "forgotten"}
            self.assertEqual(lines, {name: (word, f"{name} runs again: {text}") for name, (word, text) in why.items()})
            [kept] = [each["message"] for each in told if each.get("event") == "remembered"]
            self.assertEqual(kept, "3 launch initializers completed before and don't run again: kept, kept2, kept3; perProcess: true makes one run at each start")
            self.assertEqual(self.again_of(peer), {name: word for name, (word, _) in why.items()})
            if _ == 0:
                self.killed(supervisor)
        answer = self.assertStatus(supervisor.ctl("why", "took"), 2).out
        self.assertIn("runs again because it depends on secret, which runs again", answer)
        peer.ok("launch")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran")[ran:], [name for name in ("secret", "took", "after", "stopped", "given", "still", "check", "failed")])
        self.assertEqual(self.again_of(peer), {"failed": "failed"}, "only until they are complete")

    def test_the_reason_of_a_name_is_forgotten_when_it_is_unregistered(self):
        directory = self.directory()
        supervisor = self.again("", "--no-launch", directory=directory)
        worker = supervisor.worker("a")
        supervisor.peer().ok("launch")
        worker.expect_run("a").fail("no tables")
        self.assertEqual(self.launched(supervisor)["state"], "failed")
        self.killed(supervisor)
        supervisor = self.again("", "--no-launch", directory=directory)
        worker, peer = supervisor.worker("a"), supervisor.peer()
        self.assertEqual(self.again_of(peer), {"a": "failed"})
        worker.ok("unregister", names=["a"])
        worker.register("a")
        self.assertEqual(self.again_of(peer), {})

    def test_many_reasons_are_summarised(self):
        directory = self.directory()
        initializers = "\n".join(f"n{number:02}: {{ command: '{RAN}CHANGE' }}" for number in range(12)) + f"\nz: {{ command: '{RAN}', perProcess: true }}"
        supervisor = self.again(initializers.replace("CHANGE", ""), directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        supervisor = self.again(initializers.replace("CHANGE", "; true"), directory=directory)
        supervisor.program.until_err("12 initializers run again: their definitions have changed since they completed: n00, n01, n02, n03, n04, n05, n06, n07, n08, n09 and 2 more\n")
        supervisor.program.until_err("z runs again: its effect ended with its process (perProcess)\n")

    def test_a_cancelled_initializer_runs_again_and_the_log_says_so(self):
        directory = self.directory()
        initializers = f"a: {{ command: '{RAN}; sleep 600' }}"
        supervisor = self.again(initializers, directory=directory)
        supervisor.until_lines("ran")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        supervisor = self.again(initializers, directory=directory)
        supervisor.program.until_err("a runs again: it was cancelled\n")

    def test_checks_that_would_be_remembered_are_named_at_the_start(self):
        directory = self.directory()
        loop = "until test -e up; do sleep 0.02; done"
        self.write(os.path.join(directory, "up"), "")
        initializers = f"""
            first: {{ command: '{loop}' }}
            second: {{ command: [bash, -c, 'while ! test -e up; do sleep 0.02; done'], priority: appActive }}
            third: {{ command: 'sleep 0.01', dependencies: [second] }}
            fourth: {{ command: '{loop}', perProcess: true }}
            fifth: {{ command: '{loop}', priority: appActive }}
            """
        supervisor = self.again(initializers, directory=directory)
        supervisor.program.until_err(
            "warning: these launch commands wait in a loop: first, second; after a restart they don't run again; "
            "give each that waits for something to be up perProcess: true\n")
        other = self.start_with(initializers, directory=directory, socket_path=os.path.join(directory, "other.sock"))
        other.peer().ok("wait", for_="launch")
        other.program.pump()
        self.assertNotIn(b"in a loop", other.program.err, "without a state directory each runs again")


if __name__ == "__main__":
    unittest.main()
