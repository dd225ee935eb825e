"""What becomes of a supervisor's children, workers and files when it is killed."""

import contextlib
import os
import signal
import sys
import unittest

from deadlines import until
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


class DeathTests(Conformance):
    def test_commands_die_with_a_supervisor_that_is_killed(self):
        """In the middle of launch and of an activation, and also those that would ignore SIGTERM."""
        for phase in ("appLaunch", "appActive"):
            with self.subTest(phase):
                supervisor = self.start_with(
                    f"""
                    a: {{ command: "trap '' TERM; echo $$ >> pids; while :; do sleep 1; done", priority: {phase} }}
                    """,
                    "--activate",
                )
                [pid] = map(int, supervisor.until_lines("pids"))
                self.assertTrue(is_running(pid))
                supervisor.program.signal(signal.SIGKILL)
                supervisor.ended()
                until(lambda: not is_running(pid), f"the end of {pid}")

    def test_workers_notice_connect_again_and_register_again_with_the_next_one(self):
        """Killed in the middle of launch and of an activation: `initctl worker` and a worker in Python do the rest of it."""
        directory = self.directory()
        manifest = """
            a: { worker: true }
            b: { worker: true, dependencies: [a] }
            c: { worker: true, priority: appActive }
            """
        gate = os.path.join(directory, "gate")
        script = f"echo $INITD_INITIALIZER >> {directory}/ran; until test -e {gate}; do sleep 0.02; done"
        path = os.path.join(directory, "initd.sock")
        words = [INITCTL, "--socket", path, "worker", "--connect-timeout", "15s"]
        workers = [self.program([*words, "b", "--", "sh", "-c", script]), self.program([*words, "--priority", "appActive", "c", "--", "sh", "-c", script])]
        python = self.write(os.path.join(directory, "worker.py"), PYTHON)
        workers.append(self.program([sys.executable, python, path, os.path.join(directory, "ran")], env={"PYTHONPATH": os.path.join(ROOT, "clients/python")}))
        for expected in (["a", "b"], ["a", "b", "a", "b"]):
            supervisor = self.start_with(manifest, "--activate", directory=directory)
            self.assertEqual(supervisor.until_lines("ran", len(expected)), expected)
            supervisor.program.signal(signal.SIGKILL)
            supervisor.ended()
        supervisor = self.start_with(manifest, "--activate", directory=directory)
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
        supervisor = self.start_with(manifest, "--activate", directory=directory)
        self.assertEqual(supervisor.peer().ok("wait", for_="ready")["state"], "complete")
        for worker in workers:
            self.assertIsNone(worker.process.poll(), "it stayed all the while")

    def test_the_manifests_workers_die_with_it_and_the_app_is_told_to_end(self):
        directory = self.directory()
        text = self.manifest() + 'workers:\n  w: { command: "trap \'\' TERM; echo $$ >> pids; while :; do sleep 1; done" }\n'
        manifest = self.write(os.path.join(directory, "init.yaml"), text)
        app = "trap 'echo told >> told; exit' TERM; echo $$ >> pids; while :; do sleep 0.02; done"
        words = [INITD, "--socket", os.path.join(directory, "s"), "--config", manifest, "--", "sh", "-c", app]
        program = self.program(words, cwd=directory)

        def lines(name):
            with contextlib.suppress(FileNotFoundError), open(os.path.join(directory, name)) as file:
                return file.read().split()
            return []

        pids = list(map(int, until(lambda: len(found := lines("pids")) == 2 and found, "both")))
        program.signal(signal.SIGKILL)
        program.wait()
        until(lambda: lines("told") == ["told"], "the app's signal")
        until(lambda: not any(map(is_running, pids)), "the end of both")


if __name__ == "__main__":
    unittest.main()
