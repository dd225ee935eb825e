"""--state-directory: launch initializers that completed since the system booted don't run again in the next supervisor."""

import contextlib
import json
import os
import resource
import signal
import unittest

from deadlines import until
from peer import connected
from supervisor import Conformance

RAN = "echo $INITD_INITIALIZER >> ran"


def connected_to(path):
    """A connection, closed at once; None where there is none to be had."""
    with contextlib.suppress(OSError), connected(path):
        return True
    return None


class StateCase(Conformance):
    def again(self, initializers, *arguments, directory, **options):
        """A supervisor in that directory, which keeps its state there."""
        state = os.path.join(directory, "state")
        return self.start_with(initializers, "--state-directory", state, *arguments, directory=directory, **options)

    def killed(self, supervisor):
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        # A child that it had begun to start has its socket for a moment more.
        until(lambda: connected_to(supervisor.path) is None, "a socket that refuses")

    def launched(self, supervisor):
        return supervisor.peer().ok("wait", for_="launch")


class PassesTests(StateCase):
    """protocol.md §4: summaries of passes, and how long they usually take, survive a restart."""

    INITIALIZERS = "a: { command: 'true', priority: appActive }\nb: { command: 'true' }"

    def pass_twice(self, directory):
        supervisor = self.again(self.INITIALIZERS, "--activate", directory=directory)
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        return supervisor, peer

    def test_summaries_of_earlier_supervisors_are_told(self):
        directory = self.directory()
        first, peer = self.pass_twice(directory)
        instance = peer.status()["instance"]
        self.killed(first)
        second, peer = self.pass_twice(directory)
        answer = peer.ok("history", limit=1000, summaries=True, usual=True)
        self.assertEqual(
            [(each.get("instance"), each["pass"], each["phase"]) for each in answer["summaries"]],
            [(instance, 1, "launch"), (instance, 2, "active"), (None, 1, "launch"), (None, 2, "active")])
        self.assertEqual([(each["phase"], each["passes"]) for each in answer["usual"]], [("launch", 2), ("active", 2)])
        self.assertEqual([each["pass"] for each in peer.ok("history", limit=9)["passes"]], [1, 2])

    def test_a_damaged_line_is_left_out(self):
        directory = self.directory()
        first, _ = self.pass_twice(directory)
        first.program.signal(signal.SIGTERM)
        self.assertEqual(first.ended(), 0)
        path = os.path.join(directory, "state", "passes")
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        with open(path, "wb") as file:
            file.write(b"\n".join([lines[0].replace(b"launch", b"lunch!")] + lines[1:] + [b"half a li"]))
        _, peer = self.pass_twice(directory)
        summaries = peer.ok("history", limit=1000, summaries=True)["summaries"]
        self.assertEqual([each["phase"] for each in summaries], ["active", "launch", "active"])


class StateDirectoryTests(StateCase):
    def test_what_had_completed_is_not_run_again_whether_it_was_killed_or_ended(self):
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

    def test_S25_what_was_handed_over_is_there_for_active_dependents_too(self):
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

    def test_S24_what_was_stopped_runs_again(self):
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

    def test_a_launch_that_was_killed_in_the_middle_goes_on_with_what_had_not_completed(self):
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
        self.assertEqual(supervisor.lines("inputs"), ["42", "42"], "what a completed one handed over is there for its dependents")

    def test_who_was_told_can_rely_on_it(self):
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
        # A run that was under way when its supervisor was killed is begun again.
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

    def test_what_depends_on_a_command_that_changed_runs_again_too_and_the_log_says_so(self):
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
        for _ in range(2):  # Its dependents are forgotten even if it fails now, and permanently once it has run.
            supervisor = self.again(changed, directory=directory)
            self.assertEqual(self.launched(supervisor)["state"], "failed")
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran")[6:], ["a", "a"])
        self.write(supervisor.file("mended"), "")
        for _ in range(2):
            supervisor = self.again(changed, directory=directory)
            self.assertEqual(self.launched(supervisor)["state"], "complete")
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran")[8:], ["a", "b", "secret", "c", "secret"], "a secret runs each time")

    def test_the_log_names_what_changed_and_what_depends_on_it(self):
        directory = self.directory()
        initializers = f"a: {{ command: '{RAN}CHANGE' }}\nb: {{ command: '{RAN}', dependencies: [a] }}\nc: {{ command: '{RAN}' }}"
        supervisor = self.again(initializers.replace("CHANGE", ""), directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        supervisor = self.again(initializers.replace("CHANGE", "; true"), directory=directory)
        supervisor.program.until_err("changed since completion, and run again: a\n")
        supervisor.program.until_err("run again because they depend on what changed: b\n")
        supervisor.program.until_err("complete since before: c\n")

    def test_a_workers_initializer_that_depends_on_a_command_that_changed_runs_again(self):
        """It registers its dependency itself, after the supervisor must know it."""
        directory = self.directory()
        w = {"name": "w", "dependencies": ["a"]}
        for number, more in enumerate(("", "", "; true")):
            supervisor = self.again(f"a: {{ command: '{RAN}{more}' }}", directory=directory)
            worker = supervisor.worker(w, {"name": "x", "dependencies": ["w"]}, {"name": "probe", "perProcess": True})
            for name in (["w", "x", "probe"], ["probe"], ["w", "x", "probe"])[number]:
                worker.expect_run(name).succeed()
            self.assertEqual(self.launched(supervisor)["state"], "complete")
            self.killed(supervisor)

    def test_a_workers_initializer_is_complete_when_the_worker_comes_back_unless_it_is_per_process(self):
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

    def test_what_was_per_process_runs_again_also_if_it_no_longer_is(self):
        directory = self.directory()
        for declared in ({"name": "a", "perProcess": True}, {"name": "a"}):
            supervisor = self.again("", directory=directory)
            supervisor.worker(declared).expect_run("a").succeed()
            supervisor.peer().ok("wait", initializer="a")
            self.killed(supervisor)
        supervisor = self.again("", directory=directory)
        supervisor.worker("a", {"name": "b", "dependencies": ["a"]}).expect_run("b")

    def test_what_was_unregistered_is_forgotten(self):
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

    @unittest.skipUnless(os.environ.get("SPEED"), "reading 64 MiB takes the debug programs longer than a deadline: SPEED=1 says that these are the release programs")
    def test_what_the_file_has_no_room_for_runs_again_and_the_log_says_so(self):
        directory = self.directory()
        names = [f"n{number:04}" for number in range(1130)]
        output = "x" * 60_000
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker(*names)
        for _ in names:
            worker.send(id=worker.expect_run().id, result={"output": output})
        self.launched(supervisor)
        supervisor.program.until_err("the state file would have more than 64 MiB")
        [warning] = supervisor.peer().status()["warnings"]
        self.assertIn("full (64 MiB): after a restart these run again: n", warning)
        self.killed(supervisor)
        self.assertLessEqual(os.path.getsize(supervisor.file("state/launched")), 64 << 20)
        kept = [json.loads(line.split(" ", 1)[1])["name"] for line in supervisor.lines("state/launched")[1:]]
        supervisor = self.again("", directory=directory)
        worker = supervisor.worker(*names)
        again = []
        for _ in range(len(names) - len(kept)):
            run = worker.expect_run()
            again.append(run.params["initializer"])
            run.succeed()
        self.assertEqual(sorted(again + kept), names)
        self.assertEqual(self.launched(supervisor)["state"], "complete", "nothing else has run again")

    def test_what_handed_over_a_secret_runs_again_and_no_secret_is_written(self):
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}; echo 12345678 > "$INITD_OUTPUT"', secret: true }}
            b: {{ command: '{RAN}', dependencies: [a] }}
            """
        for _ in range(2):
            supervisor = self.again(initializers, directory=directory)
            self.launched(supervisor)
            self.assertNotIn("12345678", supervisor.text("state/launched"))
            self.killed(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "a"])


class FileTests(StateCase):
    ONE = f"a: {{ command: '{RAN}' }}\nb: {{ command: '{RAN}' }}"

    def after(self, change):
        """A supervisor that finds its file changed."""
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

    def test_the_file_and_its_directory_are_its_users_own(self):
        directory = self.directory()
        supervisor = self.again(self.ONE, directory=directory, umask=0)
        self.launched(supervisor)
        self.assertEqual([os.stat(supervisor.file(each)).st_mode & 0o777 for each in ("state", "state/launched")], [0o700, 0o600])

    def test_a_damaged_file_is_put_aside_and_all_of_launch_runs(self):
        flipped = lambda data: data[:-10] + bytes([data[-10] ^ 1]) + data[-9:]
        for change in (flipped, lambda data: b"", lambda data: data[1:], lambda data: b"\n" + data, lambda data: data + b"x\n", lambda data: data + b"\n"):
            with self.subTest(change(b"0123456789abcdef")):
                supervisor, data = self.after(change)
                self.assertEqual(supervisor.lines("ran"), ["a", "b"] * 2)
                with open(supervisor.file("state/launched.damaged"), "rb") as file:
                    self.assertEqual(file.read(), change(data))
                supervisor.program.until_err("damaged")

    def test_a_last_line_that_was_being_written_does_not_count(self):
        for cut in (1, 5, 40):
            with self.subTest(cut):
                supervisor, _ = self.after(lambda data: data[:-cut])
                self.assertEqual(supervisor.lines("ran"), ["a", "b", "b"])
                self.assertFalse(os.path.exists(supervisor.file("state/launched.damaged")))

    def test_the_file_is_compacted_when_most_of_it_has_been_overtaken(self):
        """60 KB for each completion, 40 times: at most 1 MiB of stale bytes is kept, beyond the size of the current ones."""
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

    def test_that_of_another_boot_says_nothing(self):
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
        self.assertEqual(supervisor.text("state/launched").count("\n"), 3, "it speaks of this boot now")

    def test_a_full_disk_loses_nothing_but_the_memory(self):
        if os.geteuid() != 0:
            self.skipTest("mounting takes root")
        directory = self.directory()
        state = os.path.join(directory, "state")
        words = ["unshare", "--mount", "sh", "-c", 'mkdir "$0" && mount -t tmpfs -o size=64k,mode=0700 none "$0" && exec "$@"', state]
        initializers = f"""
            a: {{ command: 'head -c 1000000 /dev/zero > state/fill; head -c 9000 /dev/zero | tr "\\\\0" 1 > "$INITD_OUTPUT"' }}
            b: {{ command: 'echo >> waiting; until test -e goes-on; do sleep 0.02; done; rm state/fill', dependencies: [a] }}
            """
        supervisor = self.again(initializers, directory=directory, prefix=words)
        supervisor.until_lines("waiting")
        [warning] = supervisor.peer().status()["warnings"]
        self.assertIn("the state file is not written", warning)
        self.assertIn("No space left", self.assertStatus(supervisor.ctl("status"), 0).out)
        self.write(supervisor.file("goes-on"), "")
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        supervisor.program.until_err("cannot write")
        self.assertNotIn("warnings", supervisor.peer().status())
        with open(f"/proc/{supervisor.pid}/root{state}/launched") as file:
            self.assertEqual(file.read().count("\n"), 3, "once there is room again, all of it is written")

    def limited(self, supervisor, size):
        """From now on the supervisor's files can't grow: its writes fail, as on a full disk."""
        resource.prlimit(supervisor.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def test_what_could_not_be_written_is_written_at_the_end(self):
        directory = self.directory()
        supervisor = self.again(self.ONE, "--no-launch", directory=directory)
        peer = supervisor.peer()
        self.limited(supervisor, 100)
        peer.ok("launch")
        self.launched(supervisor)
        self.assertEqual(len(peer.status()["warnings"]), 1)
        self.assertEqual(supervisor.text("state/launched").count("\n"), 1)
        self.limited(supervisor, resource.RLIM_INFINITY)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.text("state/launched").count("\n"), 3)

    def test_what_could_not_be_forgotten_is_not_believed_by_the_next(self):
        """A removed name runs again, although the file can't be updated: the file is removed then."""
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

    def test_a_file_that_others_may_have_written_is_put_aside(self):
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
                supervisor.program.until_err("state/launched.damaged, and all of launch runs")
                self.assertTrue(os.path.exists(supervisor.file("state/launched.damaged")))

    def test_another_name_of_the_file_keeps_what_it_has(self):
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

    @unittest.skipUnless(os.geteuid() == 0, "a link of another user takes root")
    def test_a_directory_that_another_users_link_names_is_refused(self):
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

    def test_a_second_supervisor_is_told_who_has_it(self):
        supervisor = self.again(self.ONE, directory=self.directory())
        finished = self.initd("--socket", supervisor.file("other.sock"), "--state-directory", supervisor.file("state"))
        self.assertStatus(finished, 75)
        self.assertIn(f"pid {supervisor.pid}", finished.err)
        self.assertFalse(os.path.exists(supervisor.file("other.sock")))

    def test_a_directory_that_can_not_be_used_is_refused_with_what_to_do(self):
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
