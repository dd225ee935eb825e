"""manifest.md, Output that survives: the last lines of each initializer's newest failed attempt, even after a restart."""

import os
import signal
import unittest

from deadlines import until
from state import StateCase

GOOD_AND_BAD = "good: { command: 'echo fine' }\nbad: { command: 'echo $INITD_PASS why; test -e fixed' }"
NAMES = [f"bad{number}" for number in range(30)]


class FailedOutputTests(StateCase):
    def output(self, supervisor, *words, status=0):
        return self.assertStatus(supervisor.ctl("logs", *words), status).out.splitlines()

    def failing(self, directory, *arguments, initializers=None):
        """A supervisor in which `bad` has failed, and `good` has completed, in pass 1."""
        initializers = initializers or GOOD_AND_BAD
        supervisor = self.again(initializers, *arguments, directory=directory)
        self.launched(supervisor)
        return supervisor

    def restarted(self, supervisor, directory, *arguments, initializers=None):
        """Starts the supervisor's successor, in which no initializer has run yet."""
        self.killed(supervisor)
        initializers = initializers or GOOD_AND_BAD
        return self.again(initializers, "--no-launch", *arguments, directory=directory)

    def test_the_lines_survive_a_kill_under_the_number_and_the_supervisor_that_history_shows(self):
        directory = self.directory()
        supervisor = self.failing(directory)
        instance = supervisor.peer().status()["instance"]
        [before] = supervisor.peer().ok("logs", failed=True)["lines"]
        self.assertEqual((before["pass"], before["attempt"], "instance" in before), (1, 1, False))
        for _ in range(3):
            supervisor = self.restarted(supervisor, directory)
            peer = supervisor.peer()
            listed = self.assertStatus(supervisor.ctl("history", "--all", "--json"), 0).json()
            self.assertEqual([(each["instance"], each["pass"]) for each in listed], [(instance, 1)])
            self.assertEqual(peer.ok("logs", initializer="bad")["lines"], [before | {"instance": instance}])
            for words in (["bad"], ["--failed", "bad"], ["bad", "--pass", "1"], ["--failed", "--pass", "1", "bad"]):
                self.assertEqual(self.output(supervisor, *words), ["1 why"], words)
            for words in ([], ["--failed"], ["--pass", "1"]):
                self.assertEqual(self.output(supervisor, *words), ["bad | 1 why"], words)
            self.assertEqual(self.output(supervisor, "good"), [])
            self.assertNotIn("dropped", peer.ok("logs"))
            self.assertNotIn("warnings", peer.status())

    def test_a_later_failure_or_success_replaces_them_after_a_restart_too(self):
        directory = self.directory()
        supervisor = self.restarted(self.failing(directory), directory)
        peer = supervisor.peer()
        for number in (1, 2):
            peer.ok("launch")
            self.launched(supervisor)
            [line] = peer.ok("logs", failed=True)["lines"]
            self.assertEqual((line["line"], "instance" in line), (f"{number} why", False))
        supervisor = self.restarted(supervisor, directory)
        self.assertEqual(self.output(supervisor, "--failed"), ["bad | 2 why"])
        self.write(supervisor.file("fixed"), "")
        supervisor.peer().ok("launch")
        self.launched(supervisor)
        self.assertEqual(self.output(supervisor, "--failed"), [])
        self.assertEqual(self.output(supervisor, "bad"), ["1 why"], "of the run that succeeded")
        supervisor = self.restarted(supervisor, directory)
        self.assertEqual(self.output(supervisor, "bad"), [])

    def test_a_failed_attempt_before_a_success_is_kept_only_until_then(self):
        """The output is kept even after a kill while the next attempt runs."""
        directory = self.directory()
        initializers = "bad: { command: 'echo try $INITD_ATTEMPT; test $INITD_ATTEMPT = 2 || exit 1; until test -e go; do sleep 0.02; done', retry: { attempts: 2, delay: 10ms } }"
        supervisor = self.again(initializers, directory=directory)
        until(lambda: self.output(supervisor, "bad") == ["try 1", "try 2"], "the second attempt")
        self.assertEqual(self.output(supervisor, "bad", "--failed"), ["try 1"])
        supervisor = self.restarted(supervisor, directory, initializers=initializers)
        [line] = supervisor.peer().ok("logs", failed=True)["lines"]
        self.assertEqual((line["line"], line["attempt"]), ("try 1", 1))
        self.write(supervisor.file("go"), "")
        supervisor.peer().ok("launch")
        self.launched(supervisor)
        self.assertEqual(self.output(supervisor, "bad", "--failed"), [])

    def test_the_last_100_lines_and_64_kib_of_each_are_kept_whatever_the_limits_of_the_log_are(self):
        directory = self.directory()
        initializers = "\n".join(f"{name}: {{ command: 'seq 150; exit 1', optional: true }}" for name in NAMES)
        initializers += "\nlong: { command: 'seq 1000 1 1199 | xargs printf \"%01000d\\\\n\"; exit 1', optional: true }\nloud: { command: 'seq 2000' }"
        options = "--limit", "logLines=10", "--limit", "logBytes=100"
        supervisor = self.failing(directory, *options, initializers=initializers)
        for again in range(2):
            for name in NAMES:
                self.assertEqual(self.output(supervisor, name), [str(number) for number in range(51, 151)])
            long = self.output(supervisor, "long", "--failed")
            self.assertEqual([int(line) for line in long], list(range(1200 - 65, 1200)))
            all_lines = self.assertStatus(supervisor.ctl("logs", "--failed", "--json"), 0).json()
            times = [line["time"] for line in all_lines if "line" in line]
            self.assertEqual(len(times), 100 * len(NAMES) + 65)
            self.assertEqual(times, sorted(times))
            if again == 0:
                self.assertIn("were dropped; raise --limit log", supervisor.ctl("logs", "--failed").err)
                supervisor = self.restarted(supervisor, directory, *options, initializers=initializers)

    def test_what_gives_up_lines_to_others_does_so_on_the_disk_too(self):
        """150 failures of 64 KiB take more than 8 MiB."""
        directory = self.directory()
        initializers = "small: { command: 'echo why; exit 1', optional: true }\n"
        initializers += "\n".join(f"large{number}: {{ command: 'cat lines; exit 1', optional: true }}" for number in range(150))
        self.write(os.path.join(directory, "lines"), ("x" * 999 + "\n") * 65)
        options = "--log-level", "critical"
        supervisor = self.failing(directory, *options, initializers=initializers)
        told = [line["line"] for line in self.failed_output(supervisor) if "line" in line]
        self.assertIn("why", told, "it isn't larger than its share")
        self.assertLess(sum(len(line) + 128 for line in told), 8 << 20)
        self.assertGreater(sum(len(line) + 128 for line in told), 6 << 20)
        counting = lambda: sum(len(each) for each in self.last_of_each(supervisor).values())
        until(lambda: counting() < 9 << 20, "the records of those that gave up lines")
        supervisor = self.restarted(supervisor, directory, *options, initializers=initializers)
        again = [line["line"] for line in self.failed_output(supervisor)]
        self.assertEqual(again, told)

    def failed_output(self, supervisor):
        """All lines that are kept of failed runs: 8 MiB take a busy machine more time than other commands."""
        return self.assertStatus(supervisor.start_ctl("logs", "--failed", "--json").finish(60), 0).json()

    def last_of_each(self, supervisor):
        """The last record of each name, as it is in the file."""
        records = [line.split(b" ", 1)[1] for line in self.recorded(supervisor).splitlines()]
        return {record.split(b'"')[3]: record for record in records}

    def test_pages_have_all_of_them_once(self):
        directory = self.directory()
        text = "\\\\001" * 600
        initializers = "\n".join(
            f"{name}: {{ command: \"for n in $(seq 100); do printf '{text}%s\\\\n' $n; done; exit 1\", optional: true }}" for name in NAMES[:4])
        supervisor = self.failing(directory, initializers=initializers)
        for _ in range(2):
            peer, params, found, pages = supervisor.peer(), {}, [], 0
            while not pages or "before" in params:
                page = peer.ok("logs", failed=True, limit=390, **params)
                found[:0] = [(line["initializer"], line["line"].lstrip("\x01")) for line in page["lines"]]
                params = {name: page[name] for name in ("before",) if page.get("more")}
                pages += 1
            self.assertGreater(pages, 2)
            self.assertEqual(found, [(name, str(number)) for name in NAMES[:4] for number in range(1, 101)][10:])
            supervisor = self.restarted(supervisor, directory, initializers=initializers)

    def test_output_that_is_read_after_the_failure_is_recorded_too(self):
        directory = self.directory()
        # The command's group is killed with it, so the rest of its output comes from a process with a session of its own.
        late = "touch away; until test -e go; do sleep 0.02; done; echo late"
        initializers = f"bad: {{ command: 'setsid sh -c \"{late}\" & until test -e away; do sleep 0.02; done; echo early; exit 1' }}"
        supervisor = self.failing(directory, "--limit", "outputDrain=30s", initializers=initializers)
        self.assertEqual(self.output(supervisor, "--failed"), ["bad | early"])
        self.write(supervisor.file("go"), "")
        until(lambda: self.output(supervisor, "bad", "--failed") == ["early", "late"], "the late line")
        until(lambda: b"late" in self.recorded(supervisor), "its record")
        supervisor = self.restarted(supervisor, directory, initializers=initializers)
        self.assertEqual(self.output(supervisor, "bad"), ["early", "late"])

    def recorded(self, supervisor):
        with open(supervisor.file("state/failures"), "rb") as file:
            return file.read()

    def test_a_record_that_a_kill_has_cut_off_is_ignored(self):
        directory = self.directory()
        supervisor = self.failing(directory)
        self.killed(supervisor)
        path, whole = supervisor.file("state/failures"), self.recorded(supervisor)
        with open(path, "ab") as file:
            file.write(whole[: len(whole) // 2])
        supervisor = self.again("bad: { command: 'false', optional: true }", "--no-launch", directory=directory)
        self.assertNotIn("warnings", supervisor.peer().status())
        self.assertEqual(self.output(supervisor, "bad"), ["1 why"])

    def test_a_damaged_record_is_told_and_ignored(self):
        directory = self.directory()
        initializers = "a: { command: 'echo of a; exit 1', optional: true }\nb: { command: 'echo of b; exit 1', optional: true }"
        supervisor = self.failing(directory, initializers=initializers)
        self.killed(supervisor)
        path, whole = supervisor.file("state/failures"), self.recorded(supervisor)
        with open(path, "wb") as file:
            file.write(whole.replace(b"of a", b"of c"))
        offline = self.program_of(supervisor, "--failed")
        self.assertEqual((offline.status, offline.out), (0, "b | of b\n"))
        self.assertIn("failures is damaged in 1 line, which is left out\n", offline.err)
        supervisor = self.again(initializers, "--no-launch", directory=directory)
        told = f"the file of failures was damaged: the output of 1 failed attempt is unknown; it was renamed to {path}.damaged"
        supervisor.program.until_err(f"warning: {told}\n")
        self.assertEqual(supervisor.peer().status()["warnings"], [told])
        self.assertEqual(self.output(supervisor, "--failed"), ["b | of b"])
        with open(path + ".damaged", "rb") as file:
            self.assertIn(b"of c", file.read())
        supervisor = self.restarted(supervisor, directory, initializers=initializers)
        self.assertNotIn("warnings", supervisor.peer().status(), "what is left isn't damaged")
        self.assertEqual(self.output(supervisor, "--failed"), ["b | of b"])

    def test_a_file_that_others_may_have_written_is_renamed(self):
        directory = self.directory()
        supervisor = self.failing(directory)
        self.killed(supervisor)
        path = supervisor.file("state/failures")
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        os.chmod(path, 0o620)
        supervisor = self.again("bad: { command: 'false' }", "--no-launch", directory=directory)
        told = f"the file of failures was ignored: other users may write in it (mode 620); it was renamed to {path}.damaged"
        self.assertEqual(supervisor.peer().status()["warnings"], [told])
        self.assertEqual(self.output(supervisor), [])

    def program_of(self, supervisor, *words):
        """`initctl logs` without a supervisor."""
        return self.initctl("logs", "--state-directory", supervisor.file("state"), *words, env={"INITD_SOCKET": "/no/such/socket"})

    def test_they_are_shown_without_a_supervisor(self):
        directory = self.directory()
        supervisor = self.failing(directory)
        instance = supervisor.peer().status()["instance"]
        self.killed(supervisor)
        for words, told in (([], "bad | 1 why\n"), (["bad"], "1 why\n"), (["--failed", "--pass", "1"], "bad | 1 why\n"), (["--supervisor", instance[:8]], "bad | 1 why\n")):
            finished = self.program_of(supervisor, *words)
            self.assertEqual((finished.status, finished.out, finished.err), (0, told, ""), words)
        for words in (["good"], ["--pass", "2"], ["--supervisor", "x"]):
            finished = self.assertStatus(self.program_of(supervisor, *words), 1)
            self.assertIn("no such output", finished.err)
        self.assertStatus(self.program_of(supervisor, "--follow"), 64)
        os.remove(supervisor.file("state/failures"))
        self.assertStatus(self.program_of(supervisor), 66)

    def test_a_name_that_is_not_declared_any_more_is_shown_while_its_failure_is_kept(self):
        directory = self.directory()
        supervisor = self.failing(directory)
        supervisor = self.restarted(supervisor, directory, initializers="other: { command: 'true' }")
        self.assertEqual(self.output(supervisor, "bad"), ["1 why"])
        self.assertEqual(self.output(supervisor, "--failed"), ["bad | 1 why"])
        self.assertStatus(supervisor.ctl("logs", "good"), 64)

    def test_what_a_reload_removes_is_forgotten_on_the_disk_too(self):
        directory = self.directory()
        words = "--state-directory", os.path.join(directory, "state")
        other = "version: 1\nkeepGoing: true\ninitializers:\n  good: { command: 'true' }\n"
        supervisor = self.start(
            other
            + "  bad: { command: 'echo why; exit 1', optional: true }\n"
            + "workers:\n  web: { command: 'echo of web; exit 1', restart: never }\n  db: { command: 'echo of db; exit 1', restart: never, ready: { path: up } }\n",
            *words, directory=directory)
        until(lambda: sorted(self.output(supervisor, "--failed")) == ["bad | why", "db | of db", "web | of web"], "all failures")
        self.write(supervisor.manifest, other)
        self.assertStatus(supervisor.ctl("reload"), 0)
        self.assertEqual(self.output(supervisor, "--failed"), [])
        for name in ("bad", "web", "db"):
            self.assertStatus(supervisor.ctl("logs", name), 64)
        self.killed(supervisor)
        supervisor = self.start(other, *words, "--no-launch", directory=directory)
        self.assertEqual(self.output(supervisor, "--failed"), [])

    def test_what_an_unregistered_name_has_failed_with_is_forgotten(self):
        directory = self.directory()
        supervisor = self.restarted(self.failing(directory), directory, initializers="good: { command: 'true' }")
        worker = supervisor.worker("bad")
        self.assertEqual(self.output(supervisor, "--failed"), ["bad | 1 why"])
        worker.ok("unregister", names=["bad"])
        self.assertEqual(self.output(supervisor, "--failed"), [])
        supervisor = self.restarted(supervisor, directory)
        self.assertEqual(self.output(supervisor, "--failed"), [])

    def test_a_run_that_fails_after_its_name_was_removed_keeps_nothing(self):
        """The run has timed out, and exits after the reload."""
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "go"))
        other = "good: { command: 'true' }"
        slow = "slow: { command: \"trap 'echo told > told' TERM; echo why; while ! read line < go; do :; done; exit 1\", timeout: 50ms }"
        supervisor = self.start(self.manifest(f"{other}\n{slow}", "version: 1\ncancelGrace: 10m\n"), directory=directory)
        supervisor.until_lines("told")
        self.write(supervisor.manifest, self.manifest(other, "version: 1\ncancelGrace: 10m\n"))
        self.assertStatus(supervisor.ctl("reload"), 0)
        with open(supervisor.file("go"), "w") as fifo:
            fifo.write("go\n")
        self.launched(supervisor)
        self.assertEqual(self.output(supervisor, "--failed"), [])

    def test_with_output_none_nothing_is_on_the_disk(self):
        directory = self.directory()
        supervisor = self.failing(directory, "--output", "none")
        self.assertEqual(self.output(supervisor, "--failed"), ["bad | 1 why"])
        self.assertEqual(self.recorded(supervisor), b"")
        self.killed(supervisor)
        supervisor = self.failing(directory)
        self.assertIn(b"why", self.recorded(supervisor))
        supervisor = self.restarted(supervisor, directory, "--output", "none")
        self.assertEqual(self.output(supervisor), [])
        self.assertEqual(self.recorded(supervisor), b"")

    def test_a_process_of_the_supervisor_too(self):
        directory = self.directory()
        manifest = self.manifest("a: { command: 'true' }") + "workers:\n  web: { command: 'echo cannot bind; exit 1', restart: never }\n"
        supervisor = self.start(manifest, "--state-directory", os.path.join(directory, "state"), directory=directory)
        until(lambda: self.output(supervisor, "web", "--failed") == ["cannot bind"], "its failure")
        self.killed(supervisor)
        supervisor = self.again("a: { command: 'true' }", "--no-launch", directory=directory)
        self.assertEqual(self.output(supervisor, "web"), ["cannot bind"])

    def test_a_process_that_does_not_become_ready_too(self):
        """The output is kept, no matter whether the process ends before it is ready, even with status 0, or is stopped."""
        for command, options in (("echo why; exit 1", ""), ("echo why; exit 0", ""), ("echo why; exec sleep 60", "timeout: 1s, ")):
            with self.subTest(command):
                directory = self.directory()
                manifest = "version: 1\ninitializers:\n  first: { command: 'true' }\nworkers:\n  web: { command: 'test -e fixed && { echo up; exec sleep 60; }; "
                manifest += f"{command}', ready: {{ path: fixed }}, {options}restart: never }}\n"
                words = "--state-directory", os.path.join(directory, "state")
                supervisor = self.start(manifest, *words, directory=directory)
                self.assertEqual(self.launched(supervisor)["state"], "failed")
                [line] = supervisor.peer().ok("logs", failed=True)["lines"]
                self.assertEqual((line["initializer"], line["line"], line["pass"]), ("web", "why", 1))
                self.killed(supervisor)
                supervisor = self.start(manifest, *words, "--no-launch", directory=directory)
                self.assertEqual(self.output(supervisor, "web", "--pass", "1"), ["why"])
                self.write(supervisor.file("fixed"), "")
                supervisor.peer().ok("launch")
                self.assertEqual(self.launched(supervisor)["state"], "complete")
                self.assertEqual(self.output(supervisor, "--failed"), [])
                until(lambda: self.output(supervisor, "web") == ["up"], "the output of the one that is ready")

    def test_a_pass_is_that_of_its_runs(self):
        supervisor = self.start_with("a: { command: 'echo $INITD_PASS', priority: appActive }\nb: { command: 'echo $INITD_PASS; exit 1', priority: appActive, optional: true }")
        peer = supervisor.peer()
        numbers = []
        for _ in range(2):
            numbers.append(peer.ok("activate")["pass"])
            peer.ok("wait", pass_=numbers[-1])
        for number in numbers:
            self.assertEqual(self.output(supervisor, "--pass", str(number)), [f"a | {number}", f"b | {number}"])
            self.assertEqual({line["pass"] for line in peer.ok("logs", pass_=number)["lines"]}, {number})
        self.assertEqual(self.output(supervisor, "--failed"), [f"b | {numbers[1]}"])
        self.assertEqual(self.output(supervisor, "--failed", "--pass", str(numbers[0])), [])
        told = self.assertStatus(supervisor.ctl("logs", "--pass", "99"), 1).err
        self.assertIn("pass 99 is unknown or forgotten; use one of these:", told)
        self.assertStatus(supervisor.ctl("logs", "--failed", "--follow"), 64)
        peer.refused(-32602, "logs", {"pass": 0}, naming="pass")
        peer.refused(-32602, "logs", {"failed": 1}, naming="failed")

    def test_follow_of_a_pass_shows_no_lines_of_another(self):
        manifest = self.manifest("a: { command: 'echo one; until test -e go; do sleep 0.02; done; echo two', priority: appActive }")
        supervisor = self.start(manifest + "workers:\n  w: { command: 'until test -e say; do sleep 0.02; done; echo other; sleep 60' }\n")
        peer = supervisor.peer()
        number = peer.ok("activate")["pass"]
        program = supervisor.start_ctl("logs", "--follow", "--pass", str(number))
        self.assertEqual(program.line(), "a | one")
        self.write(supervisor.file("say"), "")
        until(lambda: peer.ok("logs", initializer="w")["lines"], "a line of no pass")
        self.write(supervisor.file("go"), "")
        self.assertEqual(program.line(), "a | two")
        program.signal(signal.SIGINT)
        program.finish()

    def test_the_file_is_compacted_when_most_of_it_is_obsolete(self):
        directory = self.directory()
        initializers = "bad: { command: 'seq 1000000 1000099; head -c 60000 /dev/zero | tr \"\\\\0\" x; exit 1', optional: true, priority: appActive }"
        supervisor = self.again(initializers, "--output", "all", "--log-level", "critical", directory=directory)
        peer, sizes = supervisor.peer(), [0, 1]
        while sizes[-1] > sizes[-2]:
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
            sizes.append(len(self.recorded(supervisor)))
            self.assertLess(sizes[-1], (1 << 20) + 4 * 70_000, "it grows without end")
        self.assertGreater(sizes[-2], 1 << 20, "it isn't written again each time")
        self.assertLess(sizes[-1], 80_000)


if __name__ == "__main__":
    unittest.main()
