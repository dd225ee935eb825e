"""--state-directory: launch initializers that completed since the system booted don't run again in the next supervisor."""

import json
import os
import resource
import signal
import unittest

from deadlines import until
from state import RAN, StateCase
from supervisor import INITD


class StateDirectoryTests(StateCase):
    def test_completed_initializers_arent_run_again_after_a_kill_or_a_shutdown(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}' }}
            b: {{ command: '{RAN}', dependencies: [a] }}
            c: {{ command: '{RAN}', priority: appActive, dependencies: [a] }}
            """
        for end in (self.killed, lambda each: self.assertEqual((each.program.signal(signal.SIGTERM), each.ended())[1], 0)) * 2:
            supervisor = self.again(initializers, "--activate", directory=directory)
            peer = supervisor.peer()
            self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")
            self.assertEqual([each["status"] for each in peer.status()["initializers"]], ["complete"] * 3)
            end(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "c", "c", "c"])

    def test_S25_outputs_are_kept_for_active_dependents_too(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}; echo 42 > "$INITD_OUTPUT"' }}
            z: {{ command: 'echo "$INITD_INPUT_A" >> inputs', priority: appActive, dependencies: [a] }}
            """
        for _ in range(2):
            supervisor = self.again(initializers, "--activate", directory=directory)
            self.assertEqual(supervisor.peer().ok("wait", for_="ready")["state"], "complete")
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a"])
        self.assertEqual(supervisor.lines("inputs"), ["42", "42"])

    def test_S24_stopped_initializers_run_again(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}' }}
            b: {{ command: '{RAN}', stop: 'echo stopped >> ran', dependencies: [a] }}
            """
        for end in (self.killed, lambda each: (each.program.signal(signal.SIGTERM), each.ended())) * 2:
            supervisor = self.again(initializers, directory=directory)
            self.assertEqual(self.launched(supervisor)["state"], "complete")
            end(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "stopped", "b", "stopped"])

    def test_a_killed_launch_continues_with_initializers_that_hadnt_completed(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}; echo 42 > "$INITD_OUTPUT"' }}
            b: {{ command: '{RAN}', dependencies: [a] }}
            c: {{ command: '{RAN}; echo "$INITD_INPUT_A" >> inputs; test -e goes-on || sleep 600', dependencies: [a, b] }}
            d: {{ command: '{RAN}', dependencies: [c] }}
            """
        supervisor = self.again(initializers, directory=directory)
        supervisor.until_lines("inputs")
        self.killed(supervisor)
        self.write(os.path.join(directory, "goes-on"), "")
        supervisor = self.again(initializers, directory=directory)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "c", "d"])
        self.assertEqual(supervisor.lines("inputs"), ["42", "42"], "dependents have the outputs of completed initializers")

    def test_a_published_completion_is_durable(self):
        """A completion is written before it is published: even after repeated kills, no initializer runs twice."""
        directory = self.directory()
        names = [f"n{number}" for number in range(20)]
        initializers = "\n".join(f"{name}: {{ command: '{RAN}', dependencies: [{', '.join(names[:index])}] }}" for index, name in enumerate(names))
        told = set()
        while len(told) < len(names):
            supervisor = self.again(initializers, "--no-launch", directory=directory)
            peer = supervisor.peer()
            snapshot = peer.ok("subscribe", topics=["initializer"])["snapshot"]
            complete = {each["name"] for each in snapshot["initializers"] if each["status"] == "complete"}
            self.assertGreaterEqual(complete, told)
            told = complete
            peer.ok("launch")
            while len(told) < len(names):
                each = peer.event()["initializer"]
                if each["status"] == "complete":
                    told.add(each["name"])
                    break
            self.killed(supervisor)
        ran = supervisor.lines("ran")
        self.assertEqual(sorted(set(ran)), sorted(names))
        # A run that was in flight when its supervisor was killed starts again.
        self.assertLessEqual(len(ran), 2 * len(names))

    def test_a_command_that_changed_runs_again(self):
        directory = self.directory()
        for number, more in enumerate(("", "; true", "; true")):
            supervisor = self.again(f"a: {{ command: '{RAN}{more}' }}\nb: {{ command: '{RAN}' }}", directory=directory)
            self.launched(supervisor)
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "a"])
        for changed in ("environment: { X: one }", "environment: { X: two }", "workingDirectory: ."):
            supervisor = self.again(f"a: {{ command: '{RAN}; true', {changed} }}\nb: {{ command: '{RAN}' }}", directory=directory)
            self.launched(supervisor)
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "a", "a", "a", "a"])

    def test_dependents_of_a_changed_command_run_again_and_the_log_says_so(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}CHANGE' }}
            b: {{ command: '{RAN}', dependencies: [a] }}
            secret: {{ command: '{RAN}; echo 1 > "$INITD_OUTPUT"', secret: true, dependencies: [b] }}
            c: {{ command: '{RAN}', dependencies: [secret] }}
            other: {{ command: '{RAN}', dependencies: [] }}
            after: {{ command: '{RAN}', dependencies: [other] }}
            """
        supervisor = self.again(initializers.replace("CHANGE", ""), directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "secret", "c", "other", "after"])
        changed = initializers.replace("CHANGE", "; test -e mended")
        for _ in range(2):  # The dependents are forgotten even if the initializer fails now, and permanently once it has run.
            supervisor = self.again(changed, directory=directory)
            self.assertEqual(self.launched(supervisor)["state"], "failed")
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran")[6:], ["a", "a"])
        self.write(supervisor.file("mended"), "")
        for _ in range(2):
            supervisor = self.again(changed, directory=directory)
            self.assertEqual(self.launched(supervisor)["state"], "complete")
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran")[8:], ["a", "b", "secret", "c"] + ["secret", "c"], "a secret and what took it run each time")

    def test_a_workers_initializer_that_depends_on_a_changed_command_runs_again(self):
        """The worker registers its dependency itself, after the supervisor must know it."""
        directory = self.directory()
        w = {"name": "w", "dependencies": ["a"]}
        for number, more in enumerate(("", "", "; true")):
            supervisor = self.again(f"a: {{ command: '{RAN}{more}' }}", directory=directory)
            worker = supervisor.worker(w, {"name": "x", "dependencies": ["w"]}, {"name": "probe", "perProcess": True})
            for name in (["w", "x", "probe"], ["probe"], ["w", "x", "probe"])[number]:
                worker.expect_run(name).succeed()
            self.assertEqual(self.launched(supervisor)["state"], "complete")
            self.killed(supervisor)

    def test_a_workers_initializer_is_complete_when_registered_again_unless_it_is_per_process(self):
        directory = self.directory()
        manifest = "a: { worker: true }\nz: { worker: true, dependencies: [a] }"
        declared = ["a", "b", {"name": "c", "perProcess": True}, {"name": "d", "dependencies": ["a", "b", "c"]}, "z"]
        supervisor = self.again(manifest, "--concurrency", "4", directory=directory)
        worker = supervisor.worker(*declared)
        while (run := worker.expect_run()).params["initializer"] != "d":
            if run.params["initializer"] != "z":
                worker.send(id=run.id, result={"output": 7})
        self.killed(supervisor)
        supervisor = self.again(manifest, directory=directory)
        worker = supervisor.worker(*declared)
        for name, inputs in (("z", {"a": 7}), ("c", None), ("d", {"a": 7, "b": 7, "c": 8})):
            run = worker.expect_run(name)
            self.assertEqual(run.params.get("inputs"), inputs)
            worker.send(id=run.id, result={"output": 8})
        self.assertEqual(self.launched(supervisor)["state"], "complete")

    def test_a_per_process_initializer_runs_again_even_if_it_no_longer_is_one(self):
        directory = self.directory()
        for declared in ({"name": "a", "perProcess": True}, {"name": "a"}):
            supervisor = self.again("", directory=directory)
            supervisor.worker(declared).expect_run("a").succeed()
            supervisor.peer().ok("wait", initializer="a")
            self.killed(supervisor)
        supervisor = self.again("", directory=directory)
        supervisor.worker("a", {"name": "b", "dependencies": ["a"]}).expect_run("b")

    def test_unregistered_initializers_are_forgotten(self):
        directory = self.directory()
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker("a", "b")
        for _ in range(2):
            worker.send(id=worker.expect_run().id, result={})
        self.launched(supervisor)
        worker.ok("unregister", names=["a"])
        self.killed(supervisor)
        worker = self.again("", directory=directory).worker("a", "b")
        worker.expect_run("a")

    @unittest.skipUnless(os.environ.get("SPEED"), "debug programs can't read 64 MiB within the deadline: set SPEED=1 for release programs")
    def test_initializers_that_dont_fit_into_the_file_run_again_and_the_log_says_so(self):
        directory = self.directory()
        names = [f"n{number:04}" for number in range(1130)]
        output = "x" * 60_000
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker(*names)
        for _ in names:
            worker.send(id=worker.expect_run().id, result={"output": output})
        self.launched(supervisor)
        supervisor.program.until_err("the state file would exceed 64 MiB")
        [warning] = supervisor.peer().status()["warnings"]
        self.assertIn("full (64 MiB): after a restart these run again: n", warning)
        self.killed(supervisor)
        self.assertLessEqual(os.path.getsize(supervisor.file("state/launched")), 64 << 20)
        entries = [json.loads(line.split(" ", 1)[1]) for line in supervisor.lines("state/launched")[1:]]
        kept = [entry["name"] for entry in entries if "work" in entry]
        self.assertEqual({entry["again"] for entry in entries if "work" not in entry}, {"unrecorded"})
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker(*names)
        again = []
        for _ in range(len(names) - len(kept)):
            run = worker.expect_run()
            again.append(run.params["initializer"])
            run.succeed()
        self.assertEqual(sorted(again + kept), names)
        self.assertEqual(self.launched(supervisor)["state"], "complete", "nothing else has run again")

    def test_initializers_with_a_secret_output_run_again_and_no_secret_is_written(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}; echo 12345678 > "$INITD_OUTPUT"', secret: true }}
            b: {{ command: '{RAN}', dependencies: [a] }}
            """
        for _ in range(2):
            supervisor = self.again(initializers, directory=directory)
            self.launched(supervisor)
            self.assertNotIn("12345678", supervisor.text("state/launched") + supervisor.text("state/passes"))
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "a", "b"], "what took the old secret gets the new one")


class FileTests(StateCase):
    ONE = f"a: {{ command: '{RAN}' }}\nb: {{ command: '{RAN}' }}"

    def after(self, change):
        """A supervisor whose state file has changed."""
        directory = self.directory()
        supervisor = self.again(self.ONE, directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        path = supervisor.file("state/launched")
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(change(data))
        supervisor = self.again(self.ONE, directory=directory)
        self.launched(supervisor)
        return supervisor, data

    def test_only_the_owner_can_access_the_file_and_its_directory(self):
        directory = self.directory()
        supervisor = self.again(self.ONE, directory=directory, umask=0)
        self.launched(supervisor)
        self.assertEqual([os.stat(supervisor.file(each)).st_mode & 0o777 for each in ("state", "state/launched")], [0o700, 0o600])

    def test_a_damaged_file_is_renamed_and_all_launch_initializers_run(self):
        flipped = lambda data: data[:-10] + bytes([data[-10] ^ 1]) + data[-9:]
        for change in (flipped, lambda data: b"", lambda data: data[1:], lambda data: b"\n" + data, lambda data: data + b"x\n", lambda data: data + b"\n"):
            with self.subTest(change(b"0123456789abcdef")):
                supervisor, data = self.after(change)
                self.assertEqual(supervisor.lines("ran"), ["a", "b"] * 2)
                with open(supervisor.file("state/launched.damaged"), "rb") as file:
                    self.assertEqual(file.read(), change(data))
                supervisor.program.until_err("damaged")

    def test_an_incomplete_last_line_does_not_count(self):
        for cut in (1, 5, 40):
            with self.subTest(cut):
                supervisor, _ = self.after(lambda data: data[:-cut])
                self.assertEqual(supervisor.lines("ran"), ["a", "b", "b"])
                self.assertFalse(os.path.exists(supervisor.file("state/launched.damaged")))

    def test_the_file_is_compacted_when_most_of_it_is_stale(self):
        """40 completions of 60 KB each: at most 1 MiB of stale bytes is kept, in addition to the size of the current bytes."""
        directory = self.directory()
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker()
        output, sizes = "x" * 60_000, []
        for number in range(40):
            worker.register("a")
            worker.send(id=worker.expect_run("a").id, result={"output": f"{number}{output}"})
            worker.ok("wait", initializer="a")
            sizes.append(os.path.getsize(supervisor.file("state/launched")))
            if number < 39:
                worker.ok("unregister", names=["a"])
        self.assertGreater(max(sizes), 1 << 20, "it grows")
        self.assertLessEqual(max(sizes), (1 << 20) + 2 * 61_000)
        self.assertLess(sizes[-1], max(sizes))
        self.killed(supervisor)
        worker = self.again("a: { worker: true }\nb: { worker: true, dependencies: [a] }", directory=directory).worker("a", "b")
        self.assertEqual(worker.expect_run("b").params["inputs"], {"a": f"39{output}"})

    def test_a_file_of_another_boot_is_ignored(self):
        def another_boot(data):
            header = json.loads(data.split(b"\n")[0].split(b" ", 1)[1])
            text = json.dumps({**header, "boot": "another"}, separators=(",", ":")).encode()
            value = 0xCBF29CE484222325
            for byte in text:
                value = (value ^ byte) * 0x100000001B3 & (1 << 64) - 1
            return b"%016x %s\n" % (value, text) + data.split(b"\n", 1)[1]

        supervisor, _ = self.after(another_boot)
        self.assertEqual(supervisor.lines("ran"), ["a", "b"] * 2)
        self.assertFalse(os.path.exists(supervisor.file("state/launched.damaged")))
        self.assertEqual(supervisor.text("state/launched").count("\n"), 3, "it is of this boot now")

    def test_a_full_disk_loses_only_the_record(self):
        if os.geteuid() != 0:
            self.skipTest("mounting requires root")
        directory = self.directory()
        state = os.path.join(directory, "state")
        words = ["unshare", "--mount", "sh", "-c", 'mkdir "$0" && mount -t tmpfs -o size=64k,mode=0700 none "$0" && exec "$@"', state]
        initializers = f"""
            a: {{ command: 'head -c 1000000 /dev/zero > state/fill; head -c 9000 /dev/zero | tr "\\\\0" 1 > "$INITD_OUTPUT"' }}
            b: {{ command: 'echo >> waiting; until test -e goes-on; do sleep 0.02; done; rm state/fill', dependencies: [a] }}
            """
        supervisor = self.again(initializers, directory=directory, prefix=words)
        supervisor.until_lines("waiting")
        peer = supervisor.peer()
        # The file of passes may be unwritten too, with a warning of its own.
        until(lambda: self.unwritten(peer), "the warning")
        self.assertIn("No space left", self.assertStatus(supervisor.ctl("status"), 0).out)
        self.write(supervisor.file("goes-on"), "")
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        supervisor.program.until_err("cannot write")
        until(lambda: not self.unwritten(peer), "the end of the warning")
        with open(f"/proc/{supervisor.pid}/root{state}/launched") as file:
            self.assertEqual(file.read().count("\n"), 3, "once there is room again, all of it is written")

    def unwritten(self, peer):
        """The warnings about a state file that isn't written."""
        return [each for each in peer.status().get("warnings", []) if "the state file is not written" in each]

    @unittest.skipUnless(os.geteuid() == 0, "mounting requires root")
    def test_a_disk_that_is_full_at_the_start_loses_only_the_record(self):
        directory = self.directory()
        state = os.path.join(directory, "state")
        full = 'mkdir "$0" && mount -t tmpfs -o size=64k,mode=0700 none "$0" && ! head -c 1000000 /dev/zero 2> /dev/null > "$0/fill" && exec "$@"'
        words = ["unshare", "--mount", "sh", "-c", full, state]
        supervisor = self.again("a: { command: 'true' }", directory=directory, prefix=words)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        peer = supervisor.peer()
        warnings = [each for each in peer.status()["warnings"] if "state" in each]
        self.assertEqual(len(warnings), 2, "the state file and the file of passes")
        for warning in warnings:
            self.assertIn("No space left on device", warning)
        # Another supervisor can't use it, though no pid could be written.
        other = self.program(["nsenter", "--mount", "--target", str(supervisor.pid), INITD, "--socket", supervisor.file("other"), "--state-directory", state])
        self.assertEqual(other.wait(), 75)
        os.remove(f"/proc/{supervisor.pid}/root{state}/fill")
        until(lambda: "warnings" not in peer.status(), "the end of the warning")
        with open(f"/proc/{supervisor.pid}/root{state}/launched") as file:
            self.assertEqual(file.read().count("\n"), 2)

    def test_a_file_in_the_place_of_a_lock_is_renamed(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "state"), 0o700)
        names = ("launched", "passes", "failures")
        for name in names:
            self.write(os.path.join(directory, f"state/{name}.lock"), "precious\n")
        supervisor = self.again(self.ONE, directory=directory)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        for name in names:
            path = supervisor.file(f"state/{name}.lock")
            supervisor.program.until_err(f"{path} wasn't a lock; it was renamed to {path}.damaged\n")
            self.assertEqual(supervisor.text(f"state/{name}.lock.damaged"), "precious\n")
        self.killed(supervisor)
        self.again(self.ONE, directory=directory)
        self.assertEqual(supervisor.lines("ran"), ["a", "b"])

    def limited(self, supervisor, size):
        """From now on the supervisor's files can't grow: its writes fail, as on a full disk."""
        resource.prlimit(supervisor.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def test_unwritten_completions_are_written_at_the_end(self):
        directory = self.directory()
        supervisor = self.again(self.ONE, "--no-launch", directory=directory)
        peer = supervisor.peer()
        self.limited(supervisor, 100)
        peer.ok("launch")
        self.launched(supervisor)
        self.assertEqual(len(peer.status()["warnings"]), 2, "one for each file")
        self.assertEqual(supervisor.text("state/launched").count("\n"), 1)
        self.limited(supervisor, resource.RLIM_INFINITY)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.text("state/launched").count("\n"), 3)

    def test_a_full_disk_is_logged_once_and_again_when_the_files_are_written(self):
        directory = self.directory()
        initializers = "\n".join(f"n{number}: {{ command: 'true' }}" for number in range(30))
        supervisor = self.again(initializers, "--no-launch", directory=directory)
        peer = supervisor.peer()
        told = lambda words: supervisor.program.err.decode().count(words)
        for times in (1, 2):
            self.limited(supervisor, 100)
            peer.ok("launch" if times == 1 else "activate")
            peer.ok("wait", for_="launch" if times == 1 else "ready")
            until(lambda: len(peer.status().get("warnings", [])) == 3 - times, "a warning for each file that isn't written")
            tried = os.stat(supervisor.file("state")).st_mtime_ns
            until(lambda: os.stat(supervisor.file("state")).st_mtime_ns > tried, "another attempt, which fails")
            self.limited(supervisor, resource.RLIM_INFINITY)
            until(lambda: "warnings" not in peer.status(), "files that are written again, although nothing completes any more")
            supervisor.program.pump()
            self.assertEqual([told("passes is not written: "), told("file of passes " + supervisor.file("state/passes") + " can be written again")], [times] * 2)
            self.assertEqual([told("the state file is not written: "), told("the state file " + supervisor.file("state/launched") + " can be written again")], [1] * 2)
        self.assertEqual(supervisor.text("state/launched").count("\n"), 31)
        self.assertEqual([json.loads(line.split("\t")[0].split(" ", 1)[1])["pass"] for line in supervisor.lines("state/passes")], [1, 2])

    def test_a_file_that_couldnt_be_updated_is_removed(self):
        """A removed name runs again even if the file can't be updated: then the file is removed."""
        directory = self.directory()
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker("a", "b")
        for _ in range(2):
            worker.expect_run().succeed()
        self.launched(supervisor)
        self.limited(supervisor, 10)
        worker.ok("unregister", names=["a"])
        self.killed(supervisor)
        self.assertFalse(os.path.exists(supervisor.file("state/launched")))
        self.again("", directory=directory).worker("a", "b").expect_run("a")

    def test_a_file_that_couldnt_be_replaced_at_the_start_is_removed(self):
        directory = self.directory()
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker("a")
        worker.expect_run().succeed()
        self.launched(supervisor)
        self.killed(supervisor)
        # Each attempt to write a file of more than a few bytes fails.
        limit = ["bash", "-c", 'ulimit -f 0; exec "$@"', "bash"]
        supervisor = self.again("", directory=directory, prefix=limit)
        supervisor.program.until_err("the state file is not written")
        self.assertTrue(os.path.exists(supervisor.file("state/launched")))
        supervisor.worker("a").ok("unregister", names=["a"])
        self.killed(supervisor)
        self.assertFalse(os.path.exists(supervisor.file("state/launched")))

    def test_a_file_that_others_may_have_written_is_renamed(self):
        changes = {"other users may write": lambda path: os.chmod(path, 0o620)}
        if os.geteuid() == 0:
            changes["another user (uid 64321)"] = lambda path: os.chown(path, 64321, 64321)
        for why, change in changes.items():
            with self.subTest(why):
                directory = self.directory()
                supervisor = self.again(self.ONE, directory=directory)
                self.launched(supervisor)
                self.killed(supervisor)
                change(supervisor.file("state/launched"))
                supervisor = self.again(self.ONE, directory=directory)
                self.launched(supervisor)
                self.assertEqual(supervisor.lines("ran"), ["a", "b"] * 2)
                supervisor.program.until_err(why)
                supervisor.program.until_err("state/launched.damaged, and all launch initializers run")
                self.assertTrue(os.path.exists(supervisor.file("state/launched.damaged")))

    def test_a_hard_link_of_the_file_keeps_its_contents(self):
        directory = self.directory()
        supervisor = self.again(self.ONE, directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        os.link(supervisor.file("state/launched"), supervisor.file("backup"))
        before = supervisor.text("backup")
        supervisor = self.again(self.ONE + "\nc: { command: 'true' }", directory=directory)
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b"])
        self.assertEqual(supervisor.text("backup"), before)

    @unittest.skipUnless(os.geteuid() == 0, "a link of another user requires root")
    def test_a_directory_behind_another_users_link_is_refused(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "real"), 0o700)
        link = os.path.join(directory, "link")
        os.symlink("real", link)
        os.chown(link, 64321, 64321, follow_symlinks=False)
        self.assertStatus(self.initd("--socket", os.path.join(directory, "s"), "--state-directory", link), 73)
        self.assertEqual(os.listdir(os.path.join(directory, "real")), [])
        os.chown(link, 0, 0, follow_symlinks=False)
        self.start(None, "--state-directory", link, directory=directory)
        until(lambda: "launched" in os.listdir(os.path.join(directory, "real")), "the file that the link leads to")

    def test_a_second_supervisor_is_refused_with_the_pid_of_the_first(self):
        supervisor = self.again(self.ONE, directory=self.directory())
        finished = self.initd("--socket", supervisor.file("other.sock"), "--state-directory", supervisor.file("state"))
        self.assertStatus(finished, 75)
        self.assertIn(f"pid {supervisor.pid}", finished.err)
        self.assertFalse(os.path.exists(supervisor.file("other.sock")))

    def test_an_unusable_directory_is_refused_with_a_remedy(self):
        directory = self.directory()
        path = lambda name: os.path.join(directory, name)
        for name, mode in (("open", 0o777), ("group", 0o720), ("others", 0o702)):
            os.mkdir(path(name))
            os.chmod(path(name), mode)
        self.write(path("file"), "")
        os.mkdir(path("taken"))
        os.mkdir(path("taken/launched"))
        os.mkdir(path("linked"))
        os.symlink("/dev/null", path("linked/launched"))
        for name, words in (("open", "chmod go-w"), ("group", "chmod go-w"), ("others", "chmod go-w"), ("file", "file"), ("no/such", "no/such"), ("taken", "remove it"), ("linked", "remove it")):
            with self.subTest(name):
                finished = self.initd("--socket", path("s"), "--state-directory", path(name))
                self.assertStatus(finished, 73)
                self.assertIn("state directory" if "remove" not in words else "state file", finished.err)
                self.assertIn(words, finished.err)
                self.assertFalse(os.path.exists(path("s")))


if __name__ == "__main__":
    unittest.main()
