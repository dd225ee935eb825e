"""everyday.md "Restart on change": `initd --watch`.

Each test names the sentence that it checks, of the page or of the issue. No test relies on how fast the machine is:

- To show that a change had no effect, `settle` makes two later changes and waits for their effects.
- Changes that must be seen at once are made while initd is paused (SIGSTOP), so initd never sees a state between them.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import textwrap
import time
import unittest

from deadlines import DEADLINE, until
from supervisor import FAST, INITD, is_running
from test_ready import STAYS, TIDY
from test_stop_start import StopStartCase

MARKERS = ("one", "two")
"""Processes that each test has beside its own ones; `settle` restarts them."""

LIMITED = ["unshare", "--user", "--map-root-user", "sh", "-c", 'echo "$0" > /proc/sys/user/$1 && shift && exec "$@"']
"""Runs a program in a user namespace with a limit of inotify: LIMITED VALUE NAME PROGRAM…"""


def can_limit():
    with contextlib.suppress(OSError):
        return subprocess.run([*LIMITED, "3", "max_inotify_watches", "true"], capture_output=True).returncode == 0
    return False


class WatchCase(StopStartCase):
    # Starting

    def text(self, processes="", initializers="", head=FAST):
        """A manifest with these processes and initializers, and the markers."""
        markers = "".join(f"{each}: {{ command: 'echo >> {each}.starts; exec sleep 1000', inputs: [{each}.mark] }}\n" for each in MARKERS)

        def section(name, text):
            return f"{name}:\n" + textwrap.indent(text, "  ")

        return (
            head
            + section("processes", markers + textwrap.dedent(processes).strip("\n") + "\n")
            + (section("initializers", textwrap.dedent(initializers).strip("\n") + "\n") if initializers else "")
        )

    def begin(self, processes="", initializers="", *arguments, head=FAST):
        """A supervisor that watches, whose markers have started; and a client."""
        for each in MARKERS:
            if not os.path.exists(os.path.join(self.home, f"{each}.mark")):
                self.put(f"{each}.mark", "0")
        before = [self.count(f"{each}.starts") for each in MARKERS]
        supervisor = self.start(self.text(processes, initializers, head), "--watch", *arguments, directory=self.home)
        for each, count in zip(MARKERS, before):
            supervisor.until_lines(f"{each}.starts", count + 1)
        return supervisor, supervisor.peer()

    def launched(self, peer):
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    # Changing

    def put(self, path, text):
        """Gives a file these contents in one step, with the directories above it."""
        path = os.path.join(self.home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        temporary = os.path.join(self.home, "temporary")
        with open(temporary, "w") as file:
            file.write(text)
        os.replace(temporary, path)

    def overwrite(self, path, text):
        """Writes over the beginning of a file in one step, and keeps the file itself."""
        descriptor = os.open(os.path.join(self.home, path), os.O_WRONLY)
        os.write(descriptor, text.encode())
        os.close(descriptor)

    def point(self, path, target):
        """Makes a symbolic link, or points it elsewhere, in one step."""
        temporary = os.path.join(self.home, "temporary")
        os.symlink(target, temporary)
        os.replace(temporary, os.path.join(self.home, path))

    def change_manifest(self, supervisor, old, new):
        with open(supervisor.manifest) as file:
            text = file.read()
        self.assertIn(old, text)
        self.put(supervisor.manifest, text.replace(old, new))

    @contextlib.contextmanager
    def paused(self, supervisor):
        """Stops initd, so it sees all changes of the block at once."""
        supervisor.program.signal(signal.SIGSTOP)
        try:
            until(lambda: set(self.thread_states(supervisor.pid)) == {"T"}, "a stopped initd")
            yield
        finally:
            supervisor.program.signal(signal.SIGCONT)

    def thread_states(self, pid):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/task/{thread}/stat") as file:
                yield file.read().rsplit(")", 1)[1].split()[0]

    # Looking

    def count(self, name):
        with contextlib.suppress(FileNotFoundError), open(os.path.join(self.home, name)) as file:
            return len(file.readlines())
        return 0

    def settle(self, supervisor):
        """Waits until initd has handled all earlier changes: two later changes have had their effects, one after the other.

        A test may call it four times: a marker that is restarted more often within 10 s counts as a loop.
        """
        for each in MARKERS:
            before = self.count(f"{each}.starts")
            self.put(f"{each}.mark", str(before))
            supervisor.until_lines(f"{each}.starts", before + 1)

    def assertLines(self, supervisor, name, expected):
        """Waits for these lines of a file, and asserts that no further line follows."""
        supervisor.until_lines(name, len(expected))
        self.settle(supervisor)
        self.assertEqual(supervisor.lines(name), expected)

    def log(self, supervisor):
        supervisor.program.pump()
        return supervisor.program.err.decode()

    def changes(self, supervisor):
        """The lines of the log that name a changed file, without the markers'."""
        found = re.findall(r"(?m)^.*?initd: (.* changed: .*)$", self.log(supervisor))
        return [each for each in found if ".mark changed" not in each]

    def until_pass_of(self, peer, name):
        """Waits until the initializer is complete, and launch with it."""
        peer.until_initializer(name, "complete")
        self.until_state(peer, "launch", "complete")

    def pass_on(self, supervisor, name="go"):
        """Lets the command that reads from this fifo continue."""
        with open(supervisor.file(name), "w") as fifo:
            fifo.write("go\n")


WEB = "web: { command: 'echo start >> starts; exec sleep 1000', inputs: [src] }"
SEES = "web: { command: 'cat src/app.py >> seen; exec sleep 1000', inputs: [src] }"
"""A process that records the contents that it was started with."""


class UsageTests(WatchCase):
    def test_without_a_manifest_it_is_wrong_usage(self):
        """`initd --watch --config init.yaml`. Without a manifest: status 64."""
        finished = self.initd("--watch", "--socket", os.path.join(self.home, "s"), cwd=self.home)
        self.assertStatus(finished, 64)
        self.assertIn("--watch", finished.err)
        self.assertIn("--config", finished.err)
        self.assertFalse(os.path.lexists(os.path.join(self.home, "s")))

    def test_inputs_may_stand_on_a_process(self):
        """`inputs` may stand on a process, with the same patterns as of an initializer."""
        path = os.path.join(self.home, "init.yaml")
        for inputs, status in (("[src, '*.py', '**/[a-z]?.html', /etc/hosts]", 0), ("[]", 65), ("src", 65), ("['']", 65)):
            with self.subTest(inputs):
                self.put("init.yaml", f"version: 1\nprocesses:\n  web: {{ command: [sh], inputs: {inputs} }}\n")
                finished = self.assertStatus(self.initd("--check", path), status)
                if status:
                    self.assertIn(f"{path}:3:", finished.err)
                    self.assertIn("input", finished.err)


class InitializerTests(WatchCase):
    def test_it_runs_again_with_what_depends_on_it(self):
        """When the contents of `inputs` of something change, it runs again with what depends on it."""
        self.put("migrations/1.sql", "1")
        supervisor, peer = self.begin(
            "",
            """
            migrate: { command: 'echo migrate >> ran', inputs: ['migrations/*.sql'] }
            seed: { command: 'echo seed >> ran', dependencies: [migrate] }
            index: { command: 'echo index >> ran', dependencies: [seed] }
            other: { command: 'echo other >> others' }
            """)
        self.launched(peer)
        self.put("migrations/2.sql", "2")
        self.assertLines(supervisor, "ran", ["migrate", "seed", "index"] * 2)
        self.assertLines(supervisor, "others", ["other"])
        self.until_pass_of(peer, "index")
        self.assertFalse(any(each.get("stale") for each in peer.status()["initializers"]))
        self.assertEqual(self.changes(supervisor), ["migrations/2.sql changed: migrate runs again"])

    def test_the_same_contents_are_no_change(self):
        """An initializer whose inputs' contents change runs again; touch without a change of content does nothing."""
        self.put("sql/1.sql", "1")
        supervisor, peer = self.begin(WEB.replace("src", "sql"), "migrate: { command: 'echo migrate >> ran', inputs: [sql] }")
        self.launched(peer)
        supervisor.until_lines("starts")
        os.utime(supervisor.file("sql/1.sql"), (1, 1))
        os.chmod(supervisor.file("sql/1.sql"), 0o600)
        self.overwrite("sql/1.sql", "1")
        self.settle(supervisor)
        self.put("sql/1.sql", "1")
        self.assertLines(supervisor, "ran", ["migrate"])
        self.assertEqual(supervisor.lines("starts"), ["start"])
        self.assertEqual(self.changes(supervisor), [])
        self.overwrite("sql/1.sql", "2")
        self.assertLines(supervisor, "ran", ["migrate"] * 2)
        self.assertLines(supervisor, "starts", ["start"] * 2)

    def test_files_that_are_added_renamed_and_removed_count(self):
        """What a reload notices: files that were added or removed count."""
        self.put("sql/1.sql", "1")
        self.put("sql/notes.txt", "1")
        supervisor, peer = self.begin("", "migrate: { command: 'ls sql/*.sql | tr \"\\n\" \" \" >> ran; echo >> ran', inputs: ['sql/*.sql'] }")
        self.launched(peer)
        self.put("sql/2.sql", "2")
        supervisor.until_lines("ran", 2)
        os.rename(supervisor.file("sql/2.sql"), supervisor.file("sql/3.sql"))
        supervisor.until_lines("ran", 3)
        os.unlink(supervisor.file("sql/1.sql"))
        supervisor.until_lines("ran", 4)
        self.put("sql/notes.txt", "2")
        self.assertLines(supervisor, "ran", ["sql/1.sql ", "sql/1.sql sql/2.sql ", "sql/1.sql sql/3.sql ", "sql/3.sql "])

    def test_one_that_waits_for_its_turn_runs_once(self):
        """An initializer that still waits for its turn needs no rerun."""
        os.mkfifo(os.path.join(self.home, "go"))
        self.put("data", "one\n")
        supervisor, peer = self.begin(
            "",
            """
            first: { command: 'read line < go' }
            migrate: { command: 'cat data >> ran', inputs: [data], dependencies: [first] }
            """)
        peer.until_initializer("first", "running")
        self.put("data", "two\n")
        self.settle(supervisor)
        self.assertEqual(supervisor.lines("ran"), [])
        self.pass_on(supervisor)
        self.launched(peer)
        self.assertLines(supervisor, "ran", ["two"])
        self.assertNotIn("migrate runs again", self.log(supervisor))

    def test_a_run_in_flight_finishes_and_then_it_runs_again(self):
        """A run in flight finishes, then runs again: once, however many changes there were."""
        os.mkfifo(os.path.join(self.home, "go"))
        self.put("data", "one\n")
        supervisor, peer = self.begin("", "migrate: { command: 'cat data >> ran; read line < go; echo end >> ran', inputs: [data] }")
        supervisor.until_lines("ran")
        for text in ("two\n", "three\n"):
            self.put("data", text)
            self.settle(supervisor)
            self.assertEqual(supervisor.lines("ran"), ["one"])
            self.assertEqual(peer.initializer("migrate")["status"], "running")
        self.pass_on(supervisor)
        self.assertEqual(supervisor.until_lines("ran", 3), ["one", "end", "three"])
        self.pass_on(supervisor)
        self.assertLines(supervisor, "ran", ["one", "end", "three", "end"])
        self.until_pass_of(peer, "migrate")

    def test_a_run_that_changes_its_own_input_is_followed_by_another_one(self):
        """A run in flight finishes, then runs again, even if the run itself made the change."""
        self.put("out/first", "")
        supervisor, peer = self.begin(
            "", "build: { command: 'echo build >> ran; test -e once || { touch once; echo made > out/made; }', inputs: [out] }")
        self.launched(peer)
        self.assertLines(supervisor, "ran", ["build"] * 2)
        self.until_pass_of(peer, "build")

    def test_one_that_failed_runs_again(self):
        """One that failed runs again, and launch goes on."""
        self.put("sql/bad.sql", "1")
        supervisor, peer = self.begin(
            "",
            """
            migrate: { command: 'echo migrate >> ran; test -e sql/good.sql', inputs: [sql] }
            after: { command: 'echo after >> ran', dependencies: [migrate] }
            """)
        self.until_state(peer, "launch", "failed")
        self.put("sql/bad.sql", "2")
        self.assertEqual(supervisor.until_lines("ran", 2), ["migrate"] * 2)
        self.put("sql/good.sql", "")
        self.assertLines(supervisor, "ran", ["migrate", "migrate", "migrate", "after"])
        self.until_state(peer, "launch", "complete")

    def test_one_of_the_active_phase_runs_only_while_the_app_is_active(self):
        """One of the active phase isn't rerun while the app is inactive."""
        self.put("data", "one\n")
        supervisor, peer = self.begin("", "z: { command: 'cat data >> ran', inputs: [data], phase: active }")
        self.put("data", "two\n")
        self.settle(supervisor)
        self.assertEqual(supervisor.lines("ran"), [])
        peer.ok("activate")
        supervisor.until_lines("ran")
        self.until_state(peer, "active", "complete")
        self.put("data", "three\n")
        supervisor.until_lines("ran", 2)
        self.until_state(peer, "active", "complete")
        peer.ok("deactivate")
        self.put("data", "four\n")
        self.settle(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["two", "three"])
        peer.ok("activate")
        self.assertLines(supervisor, "ran", ["two", "three", "four"])

    def test_one_that_an_earlier_supervisor_completed_runs_again(self):
        """When the contents of `inputs` of something change, it runs again: also if this supervisor hasn't run it, because it is fresh."""
        self.put("data", "one\n")
        text = "migrate: { command: 'cat data >> ran', inputs: [data] }"
        state = os.path.join(self.home, "state")
        supervisor, peer = self.begin("", text, "--state-directory", state)
        self.launched(peer)
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        self.assertEqual(supervisor.ended(), 0)
        supervisor, peer = self.begin("", text, "--state-directory", state)
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["one"])
        self.put("data", "two\n")
        self.assertLines(supervisor, "ran", ["one", "two"])
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        self.assertEqual(supervisor.ended(), 0)


class ProcessTests(WatchCase):
    def test_it_is_restarted(self):
        """A process is restarted. What changed is logged: `src/app.py changed: web is restarted`."""
        self.put("src/app.py", "1")
        supervisor, peer = self.begin(f"{WEB}\nother: {{ command: 'echo start >> others; exec sleep 1000' }}")
        supervisor.until_lines("starts")
        pid = self.pid(peer, "web")
        self.put("src/app.py", "2")
        supervisor.until_lines("starts", 2)
        self.assertFalse(is_running(pid))
        found = self.until_process(peer, "web", lambda each: "pid" in each, "its start")
        self.assertEqual((found["restarts"], found.get("lastExit")), (0, None), "not a crash")
        self.assertLines(supervisor, "starts", ["start"] * 2)
        self.assertEqual(supervisor.lines("others"), ["start"])
        self.assertEqual(self.changes(supervisor), ["src/app.py changed: web is restarted"])

    def test_its_onRestart_holds(self):
        """A process is restarted (its `onRestart` holds)."""
        for option, count in (("", 1), (", onRestart: rerun", 2)):
            with self.subTest(option):
                self.home = self.directory()
                self.put("src/app.py", "1")
                supervisor, peer = self.begin(
                    f"web: {{ command: \"{TIDY}{STAYS.replace('order', 'starts')}\", ready: {{ path: up, every: 10ms }}, inputs: [src]{option} }}",
                    "after: { command: 'echo after >> order', dependencies: [web] }")
                self.launched(peer)
                self.put("src/app.py", "2")
                supervisor.until_lines("starts", 2)
                self.assertLines(supervisor, "order", ["after"] * count)
                self.until_state(peer, "launch", "complete")
                self.assertEqual(supervisor.lines("starts"), ["start"] * 2)

    def test_one_that_a_person_has_stopped_stays_so(self):
        """A process that a person has stopped stays so; `initctl start` starts it once."""
        for name, ready in (("with", "ready: { path: /, every: 10ms }, "), ("without", "")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                self.put("src/app.py", "1")
                supervisor, peer = self.begin(WEB.replace("inputs", ready + "inputs"))
                supervisor.until_lines("starts")
                self.launched(peer)
                self.stop(supervisor, "web")
                self.put("src/app.py", "2")
                self.settle(supervisor)
                self.assertStopped(peer, "web")
                self.assertEqual(supervisor.lines("starts"), ["start"])
                self.assertNotIn("web is restarted", self.log(supervisor))
                self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
                self.assertLines(supervisor, "starts", ["start"] * 2)

    def test_one_that_is_run_by_hand_stays_so(self):
        """A process that is run by hand (`--external`) stays so."""
        self.put("src/app.py", "1")
        self.put("gate", "")
        supervisor, peer = self.begin(WEB.replace("inputs", "ready: { path: gate, every: 10ms }, inputs"))
        self.launched(peer)
        supervisor.until_lines("starts")
        self.assertStatus(supervisor.ctl("stop", "--external", "web"), 0)
        self.put("src/app.py", "2")
        self.settle(supervisor)
        found = self.process(peer, "web")
        self.assertIs(found.get("external"), True, found)
        self.assertNotIn("pid", found)
        self.assertEqual(supervisor.lines("starts"), ["start"])
        self.assertNotIn("web is restarted", self.log(supervisor))

    def test_one_that_was_given_up_is_started_again(self):
        """One that was given up is started again."""
        for name, ready in (("with", "ready: { path: src/good, every: 10ms }, "), ("without", "")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                self.put("src/app.py", "1")
                supervisor, peer = self.begin(
                    f"web: {{ command: 'echo start >> starts; test -e src/good && exec sleep 1000; exit 3', {ready}inputs: [src] }}",
                    "", "--limit", "workerBurst=1")
                self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
                before = self.count("starts")
                self.put("src/good", "")
                self.assertLines(supervisor, "starts", ["start"] * (before + 1))
                self.pid(peer, "web")
                self.assertFalse(self.process(peer, "web")["givenUp"])
                self.until_state(peer, "launch", "complete")

    def test_one_that_waits_for_its_backoff_is_started_at_once(self):
        """A process is restarted: also one that has crashed and waits for its next start."""
        self.put("src/app.py", "1")
        supervisor, peer = self.begin(
            "web: { command: 'echo start >> starts; test -e src/good && exec sleep 1000; exit 3', inputs: [src], "
            "restart: always, backoff: { delay: 10m, maxDelay: 10m } }")
        self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
        self.put("src/good", "")
        self.assertLines(supervisor, "starts", ["start"] * 2)
        self.pid(peer, "web")

    def test_one_that_starts_gets_the_new_files(self):
        """A process is restarted: a change while it isn't ready yet isn't lost."""
        self.put("src/app.py", "one\n")
        supervisor, peer = self.begin(SEES.replace("inputs", "ready: { path: gate, every: 10ms }, inputs"))
        supervisor.until_lines("seen")
        self.assertEqual(peer.until_initializer("web", "running")["status"], "running")
        self.put("src/app.py", "two\n")
        self.settle(supervisor)
        self.open(supervisor)
        self.assertLines(supervisor, "seen", ["one", "two"])
        self.until_pass_of(peer, "web")

    def test_one_with_ready_is_restarted_after_its_dependency(self):
        """It runs again with what depends on it: a process with `ready`, too."""
        self.put("sql/1.sql", "1")
        supervisor, peer = self.begin(
            f"web: {{ command: \"{TIDY}{STAYS}\", ready: {{ path: up, every: 10ms }}, dependencies: [migrate] }}",
            "migrate: { command: 'echo migrate >> order', inputs: [sql] }")
        self.launched(peer)
        self.put("sql/1.sql", "2")
        self.assertLines(supervisor, "order", ["migrate", "start"] * 2)
        self.until_state(peer, "launch", "complete")

    def test_one_that_takes_an_output_is_restarted_if_the_output_differs(self):
        """`rerun --with-dependents` restarts a process that took outputs, if the value differs."""
        self.put("data", "1\nx\n")
        supervisor, peer = self.begin(
            "web: { command: 'echo \"$INITD_INPUT_PORT\" >> starts; exec sleep 1000', dependencies: [port], ready: started }",
            "port: { command: 'echo port >> ran; head -n 1 data > \"$INITD_OUTPUT\"', inputs: [data] }")
        self.launched(peer)
        supervisor.until_lines("starts")
        self.put("data", "1\ny\n")
        self.assertLines(supervisor, "ran", ["port"] * 2)
        self.assertEqual(supervisor.lines("starts"), ["1"])
        self.put("data", "2\ny\n")
        self.assertLines(supervisor, "starts", ["1", "2"])
        self.assertEqual(supervisor.lines("ran"), ["port"] * 3)


class EditorTests(WatchCase):
    def test_a_temporary_file_that_is_renamed_is_one_change(self):
        """An editor that writes a temporary file and renames: one change, and each further save is one again."""
        for inputs in ("[src]", "['src/*.py']", "[src/app.py]"):
            with self.subTest(inputs):
                self.home = self.directory()
                self.put("src/app.py", "one\n")
                supervisor, _ = self.begin(SEES.replace("[src]", inputs))
                supervisor.until_lines("seen")
                for count, text in ((2, "two\n"), (3, "three\n")):
                    with self.paused(supervisor):
                        self.write(supervisor.file("src/app.tmp.py"), text)
                        os.replace(supervisor.file("src/app.tmp.py"), supervisor.file("src/app.py"))
                    supervisor.until_lines("seen", count)
                self.assertLines(supervisor, "seen", ["one", "two", "three"])
                self.assertEqual(self.changes(supervisor), ["src/app.py changed: web is restarted"] * 2)

    def test_a_backup_and_a_new_file_are_one_change(self):
        """Editors that replace a file are one change: here as Vim does it, with the file `4913` and a backup that stays."""
        self.put("src/app.py", "one\n")
        supervisor, _ = self.begin(SEES)
        supervisor.until_lines("seen")
        with self.paused(supervisor):
            self.write(supervisor.file("src/4913"), "")
            os.unlink(supervisor.file("src/4913"))
            os.rename(supervisor.file("src/app.py"), supervisor.file("src/app.py~"))
            self.write(supervisor.file("src/app.py"), "two\n")
        self.assertLines(supervisor, "seen", ["one", "two"])
        self.assertEqual(self.changes(supervisor), ["src/app.py changed: web is restarted"])

    def test_a_file_that_is_written_in_place_is_a_change(self):
        """When the contents of `inputs` change: also if the file stays the same one, and its size too."""
        self.put("src/app.py", "one\n")
        supervisor, _ = self.begin(SEES)
        supervisor.until_lines("seen")
        self.overwrite("src/app.py", "two\n")
        supervisor.until_lines("seen", 2)
        self.overwrite("src/app.py", "six\n")
        self.assertLines(supervisor, "seen", ["one", "two", "six"])

    def test_files_that_editors_keep_beside_do_not_count(self):
        """Files that editors keep beside don't count when an input is a directory; other files whose names begin with a dot do."""
        beside = (".app.py.swp", "app.py~", "4913")
        self.put("src/app.py", "1")
        supervisor, _ = self.begin(WEB)
        supervisor.until_lines("starts")
        for name in beside:
            self.write(supervisor.file(f"src/{name}"), "1")
        os.symlink("somebody@host.4711", supervisor.file("src/.#app.py"))
        self.settle(supervisor)
        for name in beside:
            self.write(supervisor.file(f"src/{name}"), "2")
        self.settle(supervisor)
        for name in (*beside, ".#app.py"):
            os.unlink(supervisor.file(f"src/{name}"))
        self.settle(supervisor)
        self.assertEqual(supervisor.lines("starts"), ["start"])
        self.assertEqual(self.changes(supervisor), [])
        self.put("src/.env", "1")
        self.assertLines(supervisor, "starts", ["start"] * 2)

    def test_such_names_count_if_an_input_names_them(self):
        """They don't count *when an input is a directory*: an input that is the file itself counts."""
        self.put("data/app.py~", "1")
        self.put("data/4913", "1")
        supervisor, _ = self.begin(WEB.replace("[src]", "['data/app.py~', data/4913]"))
        supervisor.until_lines("starts")
        self.put("data/app.py~", "2")
        supervisor.until_lines("starts", 2)
        self.put("data/4913", "2")
        self.assertLines(supervisor, "starts", ["start"] * 3)


PATTERNS = {"a": "[src]", "b": "['src/*.py']", "c": "['src/**/*.py']", "d": "[src/app.py]"}
"""Ways to name the file src/app.py."""
FOUR = "\n".join(
    f"{name}: {{ command: 'cat src/app.py >> {name}.seen; echo >> {name}.starts; exec sleep 1000', inputs: {inputs} }}" for name, inputs in PATTERNS.items())
"""A process for each way; each records the contents that it was started with, if there are any."""


class DirectoryTests(WatchCase):
    def assertSeen(self, supervisor, expected):
        """Waits until each of the four processes was started with these contents, one after the other, and not more often."""
        for name in PATTERNS:
            supervisor.until_lines(f"{name}.seen", len(expected))
        self.settle(supervisor)
        for name, inputs in PATTERNS.items():
            self.assertEqual(supervisor.lines(f"{name}.seen"), expected, inputs)

    def test_a_directory_that_appears_later_counts(self):
        """A directory that appears later counts."""
        supervisor, _ = self.begin(FOUR)
        for name in PATTERNS:
            supervisor.until_lines(f"{name}.starts")
        self.put("src/app.py", "one\n")
        self.assertSeen(supervisor, ["one"])
        self.put("src/app.py", "two\n")
        self.assertSeen(supervisor, ["one", "two"])

    def test_a_directory_in_a_directory_counts(self):
        """Directories that appear later count: also below a directory, several at once, and with files that were there before the watch."""
        self.put("src/app.py", "1")
        supervisor, _ = self.begin("\n".join(
            f"{name}: {{ command: 'echo start >> {name}.starts; exec sleep 1000', inputs: {inputs} }}" for name, inputs in (("a", "[src]"), ("b", "['src/**/*.py']"))))
        for name in "ab":
            supervisor.until_lines(f"{name}.starts")
        with self.paused(supervisor):
            self.put("src/x/y/new.py", "1")
        for count, change in ((2, None), (3, lambda: self.put("src/x/y/new.py", "2")), (4, lambda: os.rename(supervisor.file("src/x"), supervisor.file("src/z")))):
            if change:
                change()
            for name in "ab":
                supervisor.until_lines(f"{name}.starts", count)
        self.settle(supervisor)
        for name in "ab":
            self.assertEqual(supervisor.lines(f"{name}.starts"), ["start"] * 4)

    def test_one_that_is_removed_and_made_again_counts(self):
        """A directory that is removed and made again counts: it is one change, and later changes in it count too."""
        self.put("src/app.py", "one\n")
        supervisor, _ = self.begin(FOUR)
        for name in PATTERNS:
            supervisor.until_lines(f"{name}.seen")
        with self.paused(supervisor):
            shutil.rmtree(supervisor.file("src"))
            self.put("src/app.py", "two\n")
        self.assertSeen(supervisor, ["one", "two"])
        self.put("src/app.py", "three\n")
        self.assertSeen(supervisor, ["one", "two", "three"])
        # Whether the removal is a change of its own depends on when initd looks.
        shutil.rmtree(supervisor.file("src"))
        self.put("src/app.py", "four\n")
        for name in PATTERNS:
            until(lambda: supervisor.lines(f"{name}.seen")[-1] == "four", f"a restart of {name}")

    def test_one_that_was_renamed_does_not_count_any_more(self):
        """A directory that is removed and made again counts, and the old one doesn't under its new name."""
        self.put("src/app.py", "one\n")
        self.put("new/app.py", "two\n")
        supervisor, _ = self.begin(FOUR)
        for name in PATTERNS:
            supervisor.until_lines(f"{name}.seen")
        with self.paused(supervisor):
            os.rename(supervisor.file("src"), supervisor.file("old"))
            os.rename(supervisor.file("new"), supervisor.file("src"))
        self.assertSeen(supervisor, ["one", "two"])
        self.put("old/app.py", "old\n")
        self.assertSeen(supervisor, ["one", "two"])
        self.assertEqual(len(self.changes(supervisor)), len(PATTERNS), self.changes(supervisor))

    def test_a_link_that_points_elsewhere_is_a_change(self):
        """When the contents of `inputs` change: also because a link in their path points to another directory."""
        for number in (1, 2):
            self.put(f"releases/{number}/app.py", f"{number}\n")
        self.point("current", "releases/1")
        supervisor, _ = self.begin(
            "a: { command: 'cat current/app.py >> a.seen; exec sleep 1000', inputs: [current/app.py] }\n"
            "b: { command: 'cat current/app.py >> b.seen; exec sleep 1000', inputs: ['current/*.py'] }")
        for count, change in (
            (1, lambda: None),
            (2, lambda: self.point("current", "releases/2")),
            (3, lambda: (self.put("releases/1/app.py", "old\n"), self.settle(supervisor), self.put("releases/2/app.py", "3\n"))),
        ):
            change()
            for name in "ab":
                supervisor.until_lines(f"{name}.seen", count)
        self.settle(supervisor)
        for name in "ab":
            self.assertEqual(supervisor.lines(f"{name}.seen"), ["1", "2", "3"])


class BatchTests(WatchCase):
    def git(self, *words):
        settings = ("user.name=x", "user.email=x@example.org", "gc.auto=0", "commit.gpgSign=false", "core.hooksPath=/dev/null")
        options = [word for each in settings for word in ("-c", each)]
        program = self.program(["git", *options, *words], cwd=self.home, env={"HOME": self.home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": None})
        self.assertStatus(program.finish(4 * DEADLINE), 0)

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_a_switch_of_branches_is_one_restart(self):
        """With git switching branches (500 files at once): one restart."""
        self.git("init", "--quiet")
        for branch in ("first", "second"):
            self.git("checkout", "--quiet", "-b", branch)
            for number in range(500):
                self.put(f"src/{number:03}.py", f"{branch}\n")
            self.git("add", "src")
            self.git("commit", "--quiet", "--message", branch)
        supervisor, _ = self.begin("web: { command: 'cat src/499.py >> seen; exec sleep 1000', inputs: [src] }")
        supervisor.until_lines("seen")
        with self.paused(supervisor):
            self.git("checkout", "--quiet", "first")
        self.assertLines(supervisor, "seen", ["second", "first"])
        self.assertEqual(self.changes(supervisor), ["src/000.py and 499 more files changed: web is restarted"])
        # How many restarts this one causes depends on how long git pauses between two files.
        self.git("checkout", "--quiet", "second")
        until(lambda: supervisor.lines("seen")[-1] == "second", "a restart with the second branch", 3 * DEADLINE)

    def test_it_waits_until_the_files_are_quiet(self):
        """By inotify with a quiet time of 200 ms.

        The pauses between the changes are shorter. A busy machine may make them longer, so the scenario is repeated, each time with another
        process. Without a quiet time, it would fail each time.
        """
        rounds = range(3)
        for number in rounds:
            self.put(f"src{number}/app.py", "0\n")
        supervisor, _ = self.begin("\n".join(
            f"web{number}: {{ command: 'cat src{number}/app.py >> seen{number}; exec sleep 1000', inputs: [src{number}] }}" for number in rounds))
        seen = []
        for number in rounds:
            supervisor.until_lines(f"seen{number}")
            for change in range(1, 13):
                self.put(f"src{number}/app.py", f"{change}\n")
                time.sleep(0.05)
            until(lambda: supervisor.lines(f"seen{number}")[-1] == "12", f"a restart of web{number} with the last change", 3 * DEADLINE)
            self.settle(supervisor)
            seen.append(supervisor.lines(f"seen{number}"))
            if seen[-1] == ["0", "12"]:
                return
        self.fail(f"12 changes at intervals of 50 ms were never one restart: {seen}")

    def test_each_runs_once_and_a_process_after_its_dependencies(self):
        """When the inputs of several things change at once, each is run again once; a process is restarted after an initializer it depends on."""
        for ready in ("", ", ready: started"):
            with self.subTest(ready):
                self.home = self.directory()
                self.put("sql/1.sql", "1")
                self.put("src/app.py", "1")
                supervisor, peer = self.begin(
                    f"""
                    direct: {{ command: 'echo direct >> order; exec sleep 1000', inputs: [src], dependencies: [migrate]{ready} }}
                    web: {{ command: 'echo web >> order; exec sleep 1000', inputs: [src], dependencies: [build]{ready} }}
                    alone: {{ command: 'echo start >> starts; exec sleep 1000', inputs: [src] }}
                    """,
                    """
                    migrate: { command: 'echo migrate >> order', inputs: [sql] }
                    build: { command: 'echo build >> order', dependencies: [migrate] }
                    """)
                self.launched(peer)
                supervisor.until_lines("order", 4)
                supervisor.until_lines("starts")
                with self.paused(supervisor):
                    self.put("sql/1.sql", "2")
                    self.put("src/app.py", "2")
                supervisor.until_lines("order", 8)
                self.assertLines(supervisor, "starts", ["start"] * 2)
                order = supervisor.lines("order")[4:]
                self.assertEqual(sorted(order), ["build", "direct", "migrate", "web"])
                self.assertEqual(order[0], "migrate")
                self.assertLess(order.index("build"), order.index("web"))
                self.until_state(peer, "launch", "complete")

    def test_an_initializer_and_its_dependent_run_once_in_their_order(self):
        """When the inputs of several things change at once, each is run again once, with what depends on them."""
        self.put("a/1", "1")
        self.put("b/1", "1")
        supervisor, peer = self.begin(
            "",
            """
            c: { command: 'echo c >> ran', dependencies: [b] }
            b: { command: 'echo b >> ran', dependencies: [a], inputs: [b] }
            a: { command: 'echo a >> ran', inputs: [a] }
            """)
        self.launched(peer)
        with self.paused(supervisor):
            self.put("b/1", "2")
            self.put("a/1", "2")
        self.assertLines(supervisor, "ran", ["a", "b", "c"] * 2)
        self.until_pass_of(peer, "c")


class LogTests(WatchCase):
    def test_several_files_are_one_line(self):
        """With several files: `a.py and 3 more files changed: web is restarted` (the first in the order of paths)."""
        self.put("src/z.py", "1")
        supervisor, _ = self.begin(WEB.replace("[src]", "['src/*.py', top.py]"))
        supervisor.until_lines("starts")
        with self.paused(supervisor):
            for name in ("top.py", "src/c.py", "src/b.py", "src/z.py"):
                self.put(name, "2")
        self.assertLines(supervisor, "starts", ["start"] * 2)
        self.assertEqual(self.changes(supervisor), ["src/b.py and 3 more files changed: web is restarted"])

    def test_paths_are_as_the_patterns_give_them(self):
        """Paths as the manifest's patterns give them: an absolute pattern gives an absolute path."""
        self.put("src/app.py", "1")
        supervisor, _ = self.begin(WEB.replace("[src]", f"[{self.home}/src]"))
        supervisor.until_lines("starts")
        self.put("src/app.py", "2")
        self.assertLines(supervisor, "starts", ["start"] * 2)
        self.assertEqual(self.changes(supervisor), [f"{self.home}/src/app.py changed: web is restarted"])

    def test_the_level_is_info(self):
        """Log lines: standard error of initd, level info."""
        self.put("src/app.py", "1")
        supervisor, _ = self.begin(WEB, "", "--log-format", "json")
        supervisor.until_lines("starts")
        self.put("src/app.py", "2")
        supervisor.until_lines("starts", 2)
        supervisor.program.until_err('"message":"src/app.py changed: web is restarted"')
        (line,) = [each for each in self.log(supervisor).splitlines() if "src/app.py changed" in each]
        self.assertIn('"level":"info"', line)


RELOADED = "init.yaml changed: the manifest is reloaded"
MORE = "\n  more: { command: 'echo start >> more; exec sleep 1000' }\n"


class ManifestTests(WatchCase):
    def test_it_is_reloaded(self):
        """When a file of the manifest changes, it is reloaded; the log says `init.yaml changed: the manifest is reloaded`."""
        self.put("src/app.py", "1")
        supervisor, peer = self.begin(WEB)
        supervisor.until_lines("starts")
        pid = self.pid(peer, "web")
        self.change_manifest(supervisor, "processes:\n", "processes:" + MORE)
        supervisor.until_lines("more")
        supervisor.program.until_err(RELOADED)
        self.assertEqual(self.pid(peer, "web"), pid, "what hasn't changed goes on")
        os.utime(supervisor.manifest)
        self.settle(supervisor)
        self.assertEqual(self.log(supervisor).count(RELOADED), 1, "a touch is no change")
        with open(supervisor.manifest) as file:
            self.overwrite("init.yaml", file.read().replace("echo start >> starts", "echo other >> starts"))
        self.assertLines(supervisor, "starts", ["start", "other"])
        self.assertEqual(self.log(supervisor).count(RELOADED), 2)

    def test_a_mistake_is_logged_and_changes_nothing(self):
        """With a mistake: the mistake is logged, nothing changes, and the next edit is looked at again."""
        self.put("src/app.py", "1")
        supervisor, peer = self.begin(WEB)
        supervisor.until_lines("starts")
        pid = self.pid(peer, "web")
        self.change_manifest(supervisor, "exec sleep 1000', inputs: [src]", "exec sleep 2000', inpust: [src]")
        supervisor.program.until_err('"inpust"')
        self.settle(supervisor)
        self.assertEqual(self.pid(peer, "web"), pid)
        self.assertNotIn("initd: shutting down", self.log(supervisor))
        self.put("src/app.py", "2")
        self.assertEqual(supervisor.until_lines("starts", 2), ["start"] * 2)
        self.change_manifest(supervisor, "inpust", "inputs")
        self.assertLines(supervisor, "starts", ["start"] * 3)
        self.put("src/app.py", "3")
        supervisor.until_lines("starts", 4)

    def test_includes_and_environment_files_belong_to_it(self):
        """init.yaml and its includes and environment files: the manifest is reloaded."""
        self.put("parts/more.yaml", "processes:" + MORE)
        self.put(".env", "STAGE=one\n")
        self.put("own.env", "COLOR=red\n")
        supervisor, _ = self.begin(
            "web: { command: 'echo $STAGE $COLOR >> starts; exec sleep 1000', environmentFile: [own.env] }",
            head=FAST + "include: [parts/more.yaml]\nenvironmentFile: [.env]\n")
        supervisor.until_lines("starts")
        supervisor.until_lines("parts/more")
        self.put("parts/more.yaml", "processes:" + MORE.replace("echo start", "echo other"))
        self.assertEqual(supervisor.until_lines("parts/more", 2), ["start", "other"])
        supervisor.program.until_err("parts/more.yaml changed: the manifest is reloaded")
        self.put(".env", "STAGE=two\n")
        self.assertEqual(supervisor.until_lines("starts", 2), ["one red", "two red"])
        supervisor.program.until_err(".env changed: the manifest is reloaded")
        self.put("own.env", "COLOR=blue\n")
        self.assertLines(supervisor, "starts", ["one red", "two red", "two blue"])
        supervisor.program.until_err("own.env changed: the manifest is reloaded")

    def test_a_corrected_include_is_noticed_although_its_mistake_kept_it_out(self):
        """With a mistake: the mistake is logged, nothing changes, and the next edit is looked at again: also in a file that is new."""
        supervisor, _ = self.begin(WEB)
        supervisor.until_lines("starts")
        self.put("new.yaml", "proceses:" + MORE)
        self.change_manifest(supervisor, "processes:\n", "include: [new.yaml]\nprocesses:\n")
        supervisor.program.until_err('"proceses"')
        self.settle(supervisor)
        self.put("new.yaml", "processes:" + MORE)
        supervisor.until_lines("more")

    def test_inputs_that_change_beside_a_key_that_restarts_nothing(self):
        """When the contents of `inputs` of something change, a process is restarted: also if the same edit changes its `ready`."""
        self.put("src/app.py", "1")
        supervisor, _ = self.begin("web: { command: 'echo start >> starts; exec sleep 1000', inputs: [src], ready: { path: /, every: 1s } }")
        supervisor.until_lines("starts")
        with self.paused(supervisor):
            self.change_manifest(supervisor, "every: 1s", "every: 2s")
            self.put("src/app.py", "2")
        supervisor.program.until_err("(ready)")
        self.assertLines(supervisor, "starts", ["start"] * 2)

    def test_a_change_right_after_a_reload_is_noticed(self):
        """When the contents of `inputs` change: also while the files are read after a reload."""
        self.put("src/app.py", "1")
        self.put("big/file", "x" * 2_000_000)
        supervisor, _ = self.begin(
            "web: { command: 'echo start >> starts; exec sleep 1000', inputs: [src] }\n"
            "other: { command: 'exec sleep 1000', inputs: [big] }")
        supervisor.until_lines("starts")
        for number in range(3):
            os.utime(supervisor.file("big/file"))
            with open(supervisor.manifest) as file:
                self.overwrite("init.yaml", file.read().replace("exec sleep 1000', inputs: [src]", f"exec sleep 100{number}1', inputs: [src]", 1))
            self.assertStatus(supervisor.ctl("reload"), 0)
            before = len(supervisor.lines("starts"))
            self.put("src/app.py", f"after {number}")
            supervisor.until_lines("starts", before + 1)
            with open(supervisor.manifest) as file:
                self.overwrite("init.yaml", file.read().replace(f"exec sleep 100{number}1", "exec sleep 1000", 1))
            supervisor.until_lines("starts", before + 2)

    def test_its_new_inputs_are_watched_and_the_old_ones_are_not(self):
        """The manifest is reloaded, as `initctl reload`: `inputs` hold as they are written now."""
        self.put("old.txt", "1")
        self.put("new.txt", "1")
        supervisor, peer = self.begin(WEB.replace("[src]", "[old.txt]"), "migrate: { command: 'echo migrate >> ran', inputs: [old.txt] }")
        self.launched(peer)
        supervisor.until_lines("starts")
        self.change_manifest(supervisor, "inputs: [old.txt]", "inputs: [new.txt]")
        supervisor.program.until_err(RELOADED)
        self.settle(supervisor)
        self.until_pass_of(peer, "migrate")
        starts, ran = self.count("starts"), self.count("ran")
        self.put("old.txt", "2")
        self.settle(supervisor)
        self.assertEqual((self.count("starts"), self.count("ran")), (starts, ran))
        self.put("new.txt", "2")
        supervisor.until_lines("starts", starts + 1)
        self.assertLines(supervisor, "ran", ["migrate"] * (ran + 1))
        self.assertEqual(self.count("starts"), starts + 1)

    def test_a_change_of_it_and_of_inputs_at_once_is_one_restart(self):
        """With git switching branches one restart: also if init.yaml is among the files that change."""
        self.put("src/app.py", "1")
        self.put("sql/1.sql", "1")
        supervisor, peer = self.begin(
            f"{WEB}\nsame: {{ command: 'echo start >> same; exec sleep 1000', inputs: [src] }}",
            """
            migrate: { command: 'echo migrate >> ran', inputs: [sql] }
            after: { command: 'echo after >> ran', dependencies: [migrate] }
            """)
        self.launched(peer)
        for name in ("starts", "same"):
            supervisor.until_lines(name)
        with self.paused(supervisor):
            self.put("src/app.py", "2")
            self.put("sql/1.sql", "2")
            self.change_manifest(supervisor, "echo start >> starts", "echo other >> starts")
        for name, count in (("starts", 2), ("same", 2), ("ran", 4)):
            supervisor.until_lines(name, count)
        self.settle(supervisor)
        self.assertEqual(supervisor.lines("starts"), ["start", "other"])
        self.assertEqual(supervisor.lines("same"), ["start"] * 2)
        self.assertEqual(supervisor.lines("ran"), ["migrate", "after"] * 2)
        supervisor.program.until_err(RELOADED)


class LoopTests(WatchCase):
    LOOP = "5 times in 10 s"

    def until_loop(self, supervisor, name):
        """Waits for the line that says it, and returns how often it has started once it starts no more."""
        supervisor.program.until_err(self.LOOP, 4 * DEADLINE)
        self.settle(supervisor)
        lines = [line for line in self.log(supervisor).splitlines() if self.LOOP in line]
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], rf"\b{name}\b")
        count = self.count("starts")
        self.assertGreaterEqual(count, 6, "the first start, and 5 more")
        return count

    def test_a_build_that_writes_into_a_watched_folder(self):
        """A loop: after 5 restarts in 10 s it says so and waits. Other things are still run again."""
        self.put("out/count", "0")
        supervisor, peer = self.begin(
            "",
            """
            build: { command: 'echo start >> starts; wc -l < starts > out/count', inputs: [out] }
            other: { command: 'echo other >> others', inputs: [other.txt] }
            """)
        count = self.until_loop(supervisor, "build")
        self.until_state(peer, "launch", "complete")
        self.put("other.txt", "1")
        self.assertLines(supervisor, "others", ["other"] * 2)
        self.assertEqual(self.count("starts"), count)

    def test_it_waits_until_the_files_are_quiet(self):
        """It isn't restarted until its inputs have been quiet for 10 s; then once, and changes count as before."""
        self.put("out/count", "0")
        supervisor, _ = self.begin("web: { command: 'echo start >> starts; test -e calm || wc -l < starts > out/count; exec sleep 1000', inputs: [out] }")
        count = self.until_loop(supervisor, "web")
        self.put("calm", "")
        self.put("out/more", "1")
        self.settle(supervisor)
        self.assertEqual(self.count("starts"), count)
        before = time.monotonic()
        self.put("out/more", "2")
        until(lambda: self.count("starts") > count, "a restart once the files are quiet", 2 * DEADLINE + 10)
        # A slow machine delays the restart. Nothing makes it earlier.
        self.assertGreater(time.monotonic() - before, 9.9)
        self.assertLines(supervisor, "starts", ["start"] * (count + 1))
        self.put("out/more", "3")
        self.assertLines(supervisor, "starts", ["start"] * (count + 2))
        self.assertEqual(self.log(supervisor).count(self.LOOP), 1)


class LimitTests(WatchCase):
    def refused(self, manifest, status, prefix=()):
        """Starts a supervisor that must end with this status before it listens, and returns what it says."""
        path, socket = self.write(os.path.join(self.home, "init.yaml"), manifest), os.path.join(self.home, "s")
        finished = self.program([*prefix, INITD, "--watch", "--socket", socket, "--config", path]).finish(4 * DEADLINE)
        self.assertStatus(finished, status)
        self.assertFalse(os.path.lexists(socket))
        return finished.err

    def test_too_many_directories(self):
        """10,000 directories at most, else `initd` ends with 65 and names the pattern, and the initializer or process."""
        for number in range(10_001):
            os.makedirs(os.path.join(self.home, f"tree/{number}"))
        self.put("tree/0/app.py", "1")
        for inputs, text in (
            ("tree", "initializers:\n  scan: { command: 'true', inputs: [init.yaml, tree] }\n"),
            ("tree/**/*.py", "processes:\n  scan: { command: [sleep, '1000'], inputs: [init.yaml, 'tree/**/*.py'] }\n"),
        ):
            with self.subTest(inputs):
                told = self.refused("version: 1\n" + text, 65)
                self.assertRegex(told, rf"{re.escape(inputs)}(?![\w/])")
                self.assertRegex(told, r"\bscan\b")
                self.assertRegex(told, "10,?000")

    @unittest.skipUnless(can_limit(), "needs user namespaces")
    def test_the_systems_limits_are_named(self):
        """inotify's limits (the message names the sysctl): initd ends with 73."""
        for number in range(10):
            self.put(f"src/{number}/app.py", "1")
        for limit, value, named in (
            ("max_inotify_watches", "3", "fs.inotify.max_user_watches"),
            ("max_inotify_instances", "0", "fs.inotify.max_user_instances"),
        ):
            with self.subTest(limit):
                told = self.refused("version: 1\nprocesses:\n  web: { command: [sleep, '1000'], inputs: [src] }\n", 73, [*LIMITED, value, limit])
                self.assertIn(named, told)


if __name__ == "__main__":
    unittest.main()
