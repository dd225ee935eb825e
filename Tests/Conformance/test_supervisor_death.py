"""The supervisor's children, workers and files after it is killed."""

import contextlib
import os
import signal
import sys
import unittest

import calm
from deadlines import DEADLINE, until
from supervisor import INITCTL, INITD, ROOT, Conformance, is_running

PYTHON = """\
import sys
from appinitializers import Worker

worker = Worker(path=sys.argv[1], name="python")

@worker.initializer("a")
def a(context):
    with open(sys.argv[2], "a") as file:
        print("a", file=file)

worker.run()
"""


def is_doomed(pid):
    """Whether a process has ended, or has a pending SIGKILL."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(f"/proc/{pid}/status") as file:
        pending = [int(line.split()[1], 16) for line in file if line.startswith(("SigPnd:", "ShdPnd:"))]
        return not is_running(pid) or any(each >> (signal.SIGKILL - 1) & 1 for each in pending)
    return True


class DeathTests(Conformance):
    def test_commands_die_with_a_supervisor_that_is_killed(self):
        """During launch and during an activation; including processes that ignore SIGTERM, and their children."""
        for phase in ("appLaunch", "appActive"):
            with self.subTest(phase):
                supervisor = self.start_with(
                    f"""
                    a: {{ command: "trap '' TERM; sleep 600 & echo $$ >> pids; echo $! >> pids; while :; do sleep 1; done", priority: {phase} }}
                    """,
                    "--activate",
                )
                pids = list(map(int, supervisor.until_lines("pids", 2)))
                self.assertTrue(all(map(is_running, pids)))
                supervisor.program.signal(signal.SIGKILL)
                supervisor.ended()
                until(lambda: not any(map(is_running, pids)), f"the end of {pids}")

    def test_no_command_runs_beside_one_of_the_previous_supervisor(self):
        """Even if the supervisor is killed repeatedly, a command's child processes are dead before the next supervisor starts."""
        directory = self.directory()
        manifest = "a: { command: '(sleep 600; echo) | cat & echo $! >> pids; sleep 600 | cat' }"
        for count in range(1, 11):
            supervisor = self.start_with(manifest, directory=directory)
            pids = list(map(int, supervisor.until_lines("pids", count)))
            self.assertEqual([each for each in pids if not is_doomed(each)], pids[-1:])
            supervisor.program.signal(signal.SIGKILL)
            supervisor.ended()

    def test_child_processes_of_the_command_of_a_killed_initctl_worker_are_killed(self):
        supervisor = self.start_with("a: { worker: true }")
        words = [INITCTL, "--socket", supervisor.path, "worker", "a", "--", "sh", "-c", "sleep 600 & echo $! >> pids; wait"]
        worker = self.program(words, cwd=supervisor.directory)
        [pid] = map(int, supervisor.until_lines("pids"))
        worker.signal(signal.SIGKILL)
        until(lambda: not is_running(pid), f"the end of {pid}")

    def test_no_process_listens_after_a_supervisor_was_killed(self):
        """A new supervisor can start at once: the guard of the old one never held the socket."""
        directory = self.directory()
        for _ in range(30):
            supervisor = self.start_with("", directory=directory)
            supervisor.program.signal(signal.SIGKILL)
            supervisor.ended()
            with self.assertRaises(ConnectionRefusedError):
                supervisor.connect()

    def test_the_guard_ends_with_its_supervisor_and_may_be_killed(self):
        """Tests the guard of a supervisor that is killed, that ends, and that loses its guard: orphans are still reaped, and the guard is
        replaced."""
        supervisor = self.start_with("a: { command: 'setsid sh -c \"echo >> begun; sleep 0.1; echo >> left\" & until test -e begun; do :; done', priority: appActive }")
        peer = supervisor.peer()
        guard = self.guard_of(supervisor)
        with open(f"/proc/{guard}/status") as status:
            blocked = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk:"))
        for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            self.assertTrue(blocked >> (each - 1) & 1, f"it heeds {each.name}")
        os.kill(guard, signal.SIGKILL)
        until(lambda: calm.guard(supervisor.pid) not in (None, guard), "another guard")
        self.assertFalse(is_running(guard))
        peer.ok("activate")
        supervisor.until_lines("left")
        until(lambda: calm.children(supervisor.pid) == {}, "no orphan and no zombie")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        supervisor = self.start_with("")
        guard = self.guard_of(supervisor)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(guard))
        supervisor = self.start_with("")
        guard = self.guard_of(supervisor)
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        until(lambda: not is_running(guard), "the end of the guard")

    def test_a_lost_guard_is_replaced_by_one_that_knows_all_processes_and_directories(self):
        """The guard is lost repeatedly, and the log and each Status say so; then the supervisor is killed."""
        supervisor = self.start_with("a: { command: 'echo \"$INITD_OUTPUT\" >> outputs; sleep 600 & echo $! >> pids; wait' }")
        [pid] = map(int, supervisor.until_lines("pids"))
        files = os.path.dirname(supervisor.lines("outputs")[0])
        self.assertNotIn("warnings", supervisor.peer().status())
        guards = [self.guard_of(supervisor)]
        for times in ("", r" \(2 times so far\)"):
            os.kill(guards[-1], signal.SIGKILL)
            until(lambda: calm.guard(supervisor.pid) not in (None, *guards), "another guard")
            guards.append(self.guard_of(supervisor))
            killed = "killed by SIGKILL, not by initd: perhaps the kernel's OOM killer"
            supervisor.program.until_err(f"warning: the guard was lost: {killed}; a new one was started, pid {guards[-1]}\n")
            [warning] = supervisor.peer().status()["warnings"]
            self.assertRegex(warning, rf"^the guard was lost and replaced at [-0-9]+T[:.0-9]+Z{times}: {killed}$")
            self.assertIn(warning, supervisor.ctl("status").out)
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        until(lambda: not is_running(pid), f"the end of {pid}")
        until(lambda: not os.path.exists(files), f"the end of {files}")
        until(lambda: not is_running(guards[-1]), "the end of the guard")

    def test_initctl_worker_replaces_its_guard_too(self):
        supervisor = self.start_with("a: { worker: true }")
        words = [INITCTL, "--socket", supervisor.path, "worker", "a", "--", "sh", "-c", "sleep 600 & echo $! >> pids; wait"]
        worker = self.program(words, cwd=supervisor.directory)
        [pid] = map(int, supervisor.until_lines("pids"))
        guard = until(lambda: calm.guard(worker.pid), "a guard")
        os.kill(guard, signal.SIGKILL)
        worker.until_err("the guard of a was lost: terminated by SIGKILL; a new one was started")
        worker.signal(signal.SIGKILL)
        until(lambda: not is_running(pid), f"the end of {pid}")

    def guard_of(self, supervisor):
        """A search for initd by name doesn't find the guard, which has only the supervisor's pipe and lock."""
        guard = until(lambda: calm.guard(supervisor.pid), "a guard")

        def named():
            with open(f"/proc/{guard}/cmdline") as arguments:
                return arguments.read().rstrip("\0") == "init-guard"

        until(named, "its name")
        until(lambda: len(os.listdir(f"/proc/{guard}/fd")) == 2, "two descriptors")
        return guard

    def test_workers_reconnect_and_register_with_the_next_supervisor(self):
        """Killed during launch and during an activation: `initctl worker` and a worker in Python continue with the next supervisor."""
        directory = self.directory()
        # Workers take as long as their start or the detection takes; on a busy machine that is longer than the usual deadline.
        manifest = self.manifest(
            """
            a: { worker: true }
            b: { worker: true, dependencies: [a] }
            c: { worker: true, priority: appActive }
            """,
            head=f"version: 1\nregistrationTimeout: {DEADLINE}s\n",
        )
        gate = os.path.join(directory, "gate")
        script = f"echo $INITD_INITIALIZER >> {directory}/ran; until test -e {gate}; do sleep 0.02; done"
        path = os.path.join(directory, "initd.sock")
        words = [INITCTL, "--socket", path, "worker", "--connect-timeout", "15s"]
        workers = [self.program([*words, "b", "--", "sh", "-c", script]), self.program([*words, "--priority", "appActive", "c", "--", "sh", "-c", script])]
        python = self.write(os.path.join(directory, "worker.py"), PYTHON)
        workers.append(self.program([sys.executable, python, path, os.path.join(directory, "ran")], env={"PYTHONPATH": os.path.join(ROOT, "clients/python")}))
        for expected in (["a", "b"], ["a", "b", "a", "b"]):
            supervisor = self.start(manifest, "--activate", directory=directory)
            self.assertEqual(supervisor.until_lines("ran", len(expected)), expected)
            supervisor.program.signal(signal.SIGKILL)
            supervisor.ended()
        supervisor = self.start(manifest, "--activate", directory=directory)
        supervisor.until_lines("ran", 6)
        self.write(gate, "")
        self.assertEqual(supervisor.peer().ok("wait", for_="ready")["state"], "complete")
        self.assertEqual(supervisor.lines("ran")[4:], ["a", "b", "c"])
        os.unlink(gate)
        supervisor.peer().ok("activate")
        supervisor.until_lines("ran", 8)
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        self.write(gate, "")
        supervisor = self.start(manifest, "--activate", directory=directory)
        self.assertEqual(supervisor.peer().ok("wait", for_="ready")["state"], "complete")
        for worker in workers:
            self.assertIsNone(worker.process.poll(), "it stayed all the while")

    def test_the_manifests_workers_die_with_it_and_the_app_gets_sigterm(self):
        """The app is killed with its child processes if it doesn't exit."""
        directory = self.directory()
        text = self.manifest() + 'workers:\n  w: { command: "trap \'\' TERM; echo $$ >> pids; while :; do sleep 1; done" }\n'
        manifest = self.write(os.path.join(directory, "init.yaml"), text)
        app = "trap 'echo told >> told' TERM; sleep 600 & echo $! >> pids; echo $$ >> pids; while :; do sleep 0.02; done"
        words = [INITD, "--socket", os.path.join(directory, "s"), "--config", manifest, "--", "sh", "-c", app]
        program = self.program(words, cwd=directory)

        def lines(name):
            with contextlib.suppress(FileNotFoundError), open(os.path.join(directory, name)) as file:
                return file.read().split()
            return []

        pids = list(map(int, until(lambda: len(found := lines("pids")) == 3 and found, "all of them")))
        program.signal(signal.SIGKILL)
        program.wait()
        until(lambda: lines("told") == ["told"], "the app's signal")
        until(lambda: not any(map(is_running, pids)), "their end")


if __name__ == "__main__":
    unittest.main()
