"""The history of initweb, its commands, and their alarm."""

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import threading
import unittest

from deadlines import until
from test_web import INITWEB, Web

WARM = """\
migrate: { command: 'true' }
warm: { command: 'sleep "$(cat pause 2>/dev/null || echo 0)"', priority: appActive }
"""


class History(Web):
    """Supervisors, with an initweb that keeps a history."""

    def recorded(self, initializers=WARM, *options):
        """A supervisor, and an initweb with a history."""
        self.supervisor = self.start(self.manifest(initializers))
        self.path = self.supervisor.file("history.db")
        self.web = self.serve(self.supervisor.path, "--history", self.path, *options)
        return self.supervisor

    def again(self, *options):
        """Starts another initweb, with the same history."""
        self.web = self.serve(self.supervisor.path, "--history", self.path, *options)

    def activate(self, times=1):
        """Executes active passes."""
        for _ in range(times):
            self.assertStatus(self.supervisor.ctl("activate", "--wait"), 0)
            self.assertStatus(self.supervisor.ctl("deactivate"), 0)

    def command(self, name, *arguments, path=None):
        return self.program([INITWEB, name, "--history", path or self.path, *arguments]).finish()

    def listed(self, *options):
        """The passes that `initweb history` prints as JSON."""
        ended = self.command("history", "--json", "--limit", "1000", *options)
        return [json.loads(line) for line in self.assertStatus(ended, 0).out.splitlines()]

    def until_listed(self, numbers):
        # The file may just be created.
        until(lambda: self.command("history").status == 0, "a history", 60)
        return until(lambda: [each["pass"] for each in self.listed()] == numbers, f"passes {numbers}", 60) and self.listed()

    def ids(self):
        """The passes in the file, and whether it is intact."""
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            self.assertEqual(database.execute("PRAGMA foreign_key_check").fetchall(), [])
            return database.execute("SELECT id, number FROM pass ORDER BY id").fetchall()

    def until_stored(self, count):
        until(lambda: self.samples()["initweb_history_stored_passes_total"] >= count, f"{count} passes stored", 60)

    def until_failed(self, reason):
        """The history fails for this reason, which is logged once, and the probes continue."""
        until(lambda: self.samples()["initweb_history_failed"] == 1, "a failure", 60)
        self.web.until_err(reason)
        self.assertEqual(self.probe("startupz")[0], 200)
        self.assertEqual(self.web.err.decode().count("the history isn't written"), 1)

    def until_recovered(self):
        self.web.until_err("the history is written again", 90)
        self.assertEqual(self.samples()["initweb_history_failed"], 0)
        self.assertEqual(self.samples()["initweb_history_waiting_passes"], 0)


class HistoryTests(History):
    def test_every_pass_with_its_runs(self):
        supervisor = self.recorded("""
            migrate: { command: 'test -e once || { touch once; exit 3; }', retry: { attempts: 2, delay: 10ms } }
            serve: { command: 'true', dependencies: [migrate] }
            warm: { command: 'exit 5', priority: appActive }
            """)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 1)
        launch, active = self.until_listed([1, 2])
        self.assertEqual([launch[key] for key in ("phase", "outcome", "criticalPath")], ["launch", "complete", ["migrate", "serve"]])
        self.assertEqual([(run["initializer"], run["attempt"], run["outcome"]) for run in launch["runs"]],
                         [("migrate", 1, "failed"), ("migrate", 2, "complete"), ("serve", 1, "complete")])
        self.assertIn("exit status 3", launch["runs"][0]["error"])
        self.assertEqual(launch["runs"][2]["waitedFor"], ["migrate"])
        parts = {each["name"]: each for each in launch["initializers"]}
        self.assertEqual(parts["migrate"]["attempts"], 2)
        self.assertGreaterEqual(parts["migrate"]["backoff"], 0.009)
        self.assertAlmostEqual(sum(step[part] for step in launch["path"] for part in ("queued", "running", "backoff")), launch["duration"], delta=0.002)
        # The pass is compared with the supervisor's own report.
        [told] = [json.loads(line) for line in supervisor.ctl("history", "--json", "--pass", "1").out.splitlines()]
        self.assertAlmostEqual(told["started"], launch["started"], delta=1e-5)
        self.assertEqual([run["run"] for run in told["runs"]], [run["run"] for run in launch["runs"]])
        self.assertEqual((active["outcome"], active["failedBy"]), ("failed", "warm"))
        self.assertIn("exit status 5", active["error"])
        table = self.assertStatus(self.command("history"), 0).out
        self.assertIn("failed (warm)", table)
        self.assertIn("migrate → serve", table)
        self.assertEqual(len(self.listed("--phase", "launch")), 1)
        self.assertEqual(self.listed("--since", "0s"), [])
        self.assertEqual(len(self.listed("--since", "1h")), 2)

    def test_a_pass_in_flight_is_not_stored(self):
        supervisor = self.recorded("a: { command: 'until test -e go; do sleep 0.02; done' }\n")
        self.until_sample('initd_initializers{status="running"}', 1)
        self.web.until_err("following the supervisor")
        until(lambda: self.command("history").out == "no passes\n", "an empty history")
        open(supervisor.file("go"), "w").close()
        self.until_listed([1])

    def test_of_several_supervisors_and_servers_each_pass_once(self):
        supervisor = self.recorded()
        self.activate(3)
        first = self.until_listed([1, 2, 3, 4])
        # A second initweb, with the same file, stores nothing twice.
        self.again()
        self.until_reason("startupz", None)
        self.activate()
        self.until_listed([1, 2, 3, 4, 5])
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        self.supervisor = self.start(self.manifest(WARM), directory=supervisor.directory)
        self.activate()
        listed = until(lambda: len(found := self.listed()) == 7 and found, "the passes of both")
        self.assertEqual([each["pass"] for each in listed], [1, 2, 3, 4, 5, 1, 2])
        self.assertEqual(listed[:4], first)
        self.assertEqual(len({each["instance"] for each in listed}), 2)
        self.assertEqual(len(self.ids()), 7)

    def test_it_is_closed_at_the_end_and_read_without_a_server(self):
        self.recorded()
        self.activate(2)
        self.until_stored(3)
        self.web.signal(signal.SIGTERM)
        self.assertEqual(self.web.wait(), 0)
        self.assertFalse(os.path.exists(self.path + "-wal"))
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o600)
        self.assertEqual([each["pass"] for each in self.listed()], [1, 2, 3])

    def test_recorded_once_without_a_server(self):
        self.supervisor = self.start(self.manifest(WARM))
        self.path = self.supervisor.file("history.db")
        self.activate(2)
        for new in (3, 0):
            ended = self.command("record", "--socket", self.supervisor.path)
            self.assertIn(f"{new} new passes stored", self.assertStatus(ended, 0).out)
        self.assertEqual([each["pass"] for each in self.listed()], [1, 2, 3])
        self.assertIn("nothing.sock", self.assertStatus(self.command("record", "--socket", "nothing.sock"), 69).err)
        self.assertStatus(self.command("record", "--socket", self.supervisor.path, path="/nowhere/history.db"), 66)
        self.assertStatus(self.program([INITWEB, "record", "--socket", self.supervisor.path]).finish(), 64)

    def test_old_passes_are_deleted(self):
        self.recorded(WARM, "--keep", "1ms")
        self.activate(5)
        # The newest one stays.
        until(lambda: [number for _, number in self.ids()] == [6], "the newest pass only")

    def test_kills_at_any_moment_lose_nothing(self):
        chance = random.Random(31)
        supervisor = self.recorded()
        ending = threading.Event()

        def execute():
            peer = supervisor.peer()
            while not ending.is_set():
                peer.ok("activate")
                peer.ok("wait", for_="active")
                peer.ok("deactivate", wait=True)

        thread = threading.Thread(target=execute)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(ending.set)
        self.until_stored(1)
        before = self.ids()
        for kill in range(12):
            # At a moment during its start, or while it stores passes.
            if kill % 3:
                self.until_stored(chance.randint(1, 30))
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.web.process.wait(chance.random() / 20)
            self.web.signal(signal.SIGKILL)
            self.web.wait()
            after = self.ids()
            self.assertEqual(after[:len(before)], before)
            self.assertEqual(len(set(number for _, number in after)), len(after))
            before = after
            self.again()
        ending.set()
        thread.join()
        last = supervisor.peer().ok("history", limit=1)["passes"][0]["pass"]
        until(lambda: self.ids()[-1][1] == last, "the last pass")
        # The history contains all passes that the supervisor still knew at each start.
        numbers = [number for _, number in self.ids()]
        self.assertEqual(numbers[-32:], list(range(last - 31, last + 1)))


class AlarmTests(History):
    def pause(self, seconds):
        with open(self.supervisor.file("pause"), "w") as file:
            file.write(str(seconds))

    def test_a_slower_pass_is_told_and_by_what(self):
        self.recorded()
        self.pause(0.02)
        self.activate(8)
        self.until_listed(list(range(1, 10)))
        few = self.command("alarm", "--phase", "active")
        self.assertEqual((few.status, few.out), (2, ""))
        self.assertIn("can be compared with 7 earlier passes, and 8 are needed", few.err)
        quiet = self.command("alarm", "--phase", "launch", "--quiet")
        self.assertEqual((quiet.status, quiet.out, quiet.err), (2, "", ""))
        self.activate()
        self.until_listed(list(range(1, 11)))
        fine = self.command("alarm", "--slower-than", "10000%")
        self.assertIn("not slower: active pass 10 of supervisor", self.assertStatus(fine, 0).out)
        self.pause(3)
        self.activate()
        self.until_listed(list(range(1, 12)))
        slower = self.command("alarm", "--slower-than", "20%")
        self.assertEqual((slower.status, slower.err), (1, ""))
        self.assertIn("slower: active pass 11 of supervisor", slower.out)
        self.assertRegex(slower.out, r"warm +ran +.* → +3.*on the critical path")
        report = json.loads(self.command("alarm", "--json", "--last", "8").out)
        self.assertEqual([report[key] for key in ("slower", "pass", "phase", "passes")], [True, 11, "active", 8])
        self.assertEqual([(each["initializer"], each["kind"], each["isOnCriticalPath"]) for each in report["increases"]], [("warm", "running", True)])
        self.assertGreater(report["duration"], 3)
        # An earlier pass is judged without the later passes.
        self.assertStatus(self.command("alarm", "--pass", "10", "--slower-than", "10000%"), 0)
        self.assertEqual(self.command("alarm", "--pass", "3").status, 2)
        self.assertEqual(self.command("alarm", "--since", "0s").status, 2)
        self.assertEqual(self.command("alarm", "--supervisor", "nobody").status, 2)

    def test_wrong_usage_and_files_that_cannot_be_read(self):
        directory = self.directory()
        for words in (["alarm", "--slower-than", "20"], ["alarm", "--last", "7"], ["alarm", "--phase", "later"],
                      ["history", "--limit", "0"], ["history", "--since", "soon"]):
            self.assertEqual(self.command(*words, path=directory + "/h").status, 64, words)
        for words in (["--keep", "1d"], ["--history", "h", "--max-size", "1KiB"], ["--history", "h", "--keep", "long"]):
            self.assertEqual(self.program([INITWEB, "serve", *words]).finish().status, 64, words)
        self.assertEqual(self.program([INITWEB, "alarm"]).finish().status, 64)
        for name, text, reason in (("none", None, "No such file"), ("text", "no database\n" * 100, "isn't an SQLite database"), ("empty", "", "has no history")):
            path = os.path.join(directory, name)
            if text is not None:
                self.write(path, text)
            for command in ("history", "alarm"):
                ended = self.command(command, path=path)
                self.assertEqual((ended.status, ended.out), (66, ""))
                self.assertIn(reason, ended.err)


class FailureTests(History):
    """For every fault of the history, the probes continue, and so does the history once it is repaired."""

    def broken(self, directory, path):
        self.supervisor = self.start(self.manifest(WARM), directory=directory)
        self.path = path
        self.again()
        self.until_reason("startupz", None)

    def test_a_file_of_another_kind(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "history.db"), "no database\n" * 1000)
        self.broken(directory, path)
        self.until_failed("isn't an SQLite database; move it away")
        self.activate(3)
        os.rename(path, path + ".old")
        self.until_recovered()
        self.assertEqual([each["pass"] for each in self.listed()], [1, 2, 3, 4])
        self.assertEqual(open(path + ".old").read(), "no database\n" * 1000)

    def test_a_directory_that_is_missing(self):
        directory = self.directory()
        self.broken(directory, directory + "/later/history.db")
        self.until_failed("No such file or directory")
        os.mkdir(directory + "/later", 0o700)
        self.until_recovered()
        self.assertEqual(len(self.listed()), 1)

    def test_a_database_of_another_program_and_one_of_a_newer_version(self):
        directory = self.directory()
        path = directory + "/history.db"
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE pass (id)")
        self.broken(directory, path)
        self.until_failed("is the SQLite database of another program")
        os.unlink(path)
        self.until_recovered()
        self.web.signal(signal.SIGTERM)
        self.web.wait()
        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("INSERT INTO grdb_migrations VALUES ('99')")
            database.commit()
        self.again()
        self.until_reason("startupz", None)
        self.until_failed("was written by a newer version of initweb")
        self.assertEqual(self.command("history").status, 66)

    def test_a_file_that_is_moved_away(self):
        self.recorded()
        self.until_listed([1])
        os.rename(self.path, self.path + ".old")
        self.activate()
        self.web.until_err("the history continues in a new file")
        self.until_listed([2])

    def test_a_lock_of_another_process(self):
        self.recorded()
        self.until_listed([1])
        with contextlib.closing(sqlite3.connect(self.path)) as database:
            database.execute("BEGIN IMMEDIATE")
            self.activate()
            self.until_failed("is locked by another process")
            # Readers don't wait for it.
            self.assertEqual(len(self.listed()), 1)
            database.rollback()
        self.until_recovered()
        self.assertEqual(len(self.listed()), 2)

    def test_a_full_disk(self):
        disk = self.directory()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("no file system may be mounted here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        self.broken(self.directory(), disk + "/history.db")
        self.until_listed([1])
        with open(disk + "/fill", "wb", buffering=0) as file:
            with self.assertRaises(OSError):
                while True:
                    file.write(bytes(4096))
        # A few passes may fit into pages that are there.
        until(lambda: self.activate() or self.samples()["initweb_history_failed"] == 1, "a full disk", 120)
        self.until_failed("the disk is full")
        last = self.supervisor.peer().ok("history", limit=1)["passes"][0]["pass"]
        os.unlink(disk + "/fill")
        self.until_recovered()
        self.until_listed(list(range(1, last + 1)))
        self.ids()


if __name__ == "__main__":
    unittest.main()
