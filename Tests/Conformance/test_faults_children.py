"""Faults of children that can't be started, don't end, leave processes behind, write endlessly, or end with a thousand others.

After each fault the supervisor must have recovered (`Calm`).
"""

import contextlib
import errno
import fcntl
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

import calm
from calm import Calm
from deadlines import until
from flood import percentile
from supervisor import INITD, Conformance, Supervisor, is_running

WITHOUT_CLONE3 = r"""
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[1])),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {4, rules};
  if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter)) return 1;
  execv(argv[2], argv + 2);
  return 1;
}
"""
"""Executes a program in which clone3 fails with this error number, as on an old kernel, or in an old container.

With another error than ENOSYS, the C library can't create threads.
"""

STRANGER = 64321
"""A user without other processes."""


class ChildFaults(Conformance):
    """A test case with one initializer, `c`, which runs at each activation."""

    def setUp(self):
        super().setUp()
        self.took = []
        """How long another client has waited for each answer during a flood."""

    def start_child(self, command, more="", **options):
        return self.start_with(f"c:\n  priority: appActive\n  command: {command}\n{more}", **options)

    def cycle(self, peer):
        """Activates, waits for the outcome, deactivates, and returns the outcome."""
        peer.ok("activate")
        state = peer.ok("wait", for_="active")
        peer.ok("deactivate", wait=True)
        return state

    def flooded(self, supervisor, peer):
        """The outcome of an active pass, during which another client must be answered promptly."""
        peer.ok("activate")
        while (state := peer.status()["active"]["state"]) == "pending":
            self.took.append(calm.status_takes(supervisor.path))
        peer.ok("deactivate", wait=True)
        return state

    def assert_prompt(self, took):
        """The 99th percentile of the answers' durations."""
        self.assertGreaterEqual(len(took), 10, "too few samples")
        self.assertLess(percentile(took, 0.99), calm.IN_TIME, f"of {len(took)}, whose median is {percentile(took, 0.5)}")

    def repeat(self, supervisor, check, times=30):
        """Causes the fault once, because the first time may allocate memory that is kept; then often enough to detect any leak."""
        peer = supervisor.peer()
        for _ in range(5):
            check(self.cycle(peer))
        before = Calm(supervisor)
        for _ in range(times):
            check(self.cycle(peer))
        before.assert_back()


class SpawnTests(ChildFaults):
    def check_not_started(self, command, naming, more="", **options):
        def check(state):
            cause = self.failed(state, "initializerFailed", initializer="c")["cause"]
            self.assertEqual(cause["kind"], "notFound")
            self.assertIn("cannot start", cause["message"])
            self.assertIn(naming, cause["message"])

        supervisor = self.start_child(command, more, **options)
        self.repeat(supervisor, check)
        return supervisor

    def holding(self, name, data, mode):
        directory = self.directory()
        path = os.path.join(directory, name)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)
        return directory

    def test_no_such_file(self):
        self.check_not_started("[./nothing-there]", "no such file")

    def test_no_such_program(self):
        self.check_not_started("[no-such-program-anywhere]", "PATH")

    def test_not_executable(self):
        self.check_not_started("[./data]", "chmod +x", directory=self.holding("data", b"#!/bin/sh\n", 0o644))

    def test_neither_a_program_nor_a_script(self):
        for data in (b"neither\n", b"\x7fELF\x02\x01\x01" + b"\0" * 100, b"\0" * 64):
            with self.subTest(data[:8]):
                self.check_not_started("[./data]", "neither a program for this machine nor a script", directory=self.holding("data", data, 0o755))

    def test_a_missing_interpreter(self):
        self.check_not_started("[./script]", "interpreter", directory=self.holding("script", b"#!/nowhere/interpreter\n", 0o755))

    def test_no_such_directory(self):
        """The program is removed after the manifest was read, and restored later."""
        directory = self.directory()
        os.mkdir(os.path.join(directory, "state"))
        supervisor = self.start_child("[pwd]", "  workingDirectory: ./state\n", directory=directory)
        peer = supervisor.peer()
        self.assertEqual(self.cycle(peer)["state"], "complete")
        before = Calm(supervisor)
        os.rmdir(os.path.join(directory, "state"))
        for _ in range(30):
            cause = self.failed(self.cycle(peer), "initializerFailed", initializer="c")["cause"]
            self.assertIn("working directory", cause["message"])
        before.assert_back()
        os.mkdir(os.path.join(directory, "state"))
        self.assertEqual(self.cycle(peer)["state"], "complete")

    def test_an_argument_list_that_is_too_long(self):
        self.check_not_started(f"[echo, {'x' * 140_000}]", "too long")

    def test_an_environment_that_is_too_long(self):
        self.check_not_started("[echo]", "too long", f"  environment: {{ MUCH: {'x' * 140_000} }}\n")

    def test_no_process_available(self):
        """EAGAIN, by the limit on a user's processes; when the limit is lifted, starting works again."""
        supervisor = self.start_of_a_user_alone("[echo, started]")
        peer = supervisor.peer() if os.geteuid() else supervisor.peer_of_another_process(STRANGER)[0]
        if os.geteuid() == 0:
            peer.ok("hello", protocol=1, client={"name": "conformance", "version": "1"})
        self.assertEqual(self.cycle(peer)["state"], "complete")
        before = Calm(supervisor)
        self.limit_processes(supervisor.pid, 1)
        for _ in range(30):
            cause = self.failed(self.cycle(peer), "initializerFailed", initializer="c")["cause"]
            self.assertIn("too many processes", cause["message"])
        before.assert_back()
        self.limit_processes(supervisor.pid, resource.getrlimit(resource.RLIMIT_NPROC)[0])
        self.assertEqual(self.cycle(peer)["state"], "complete")
        before.assert_back()

    def start_of_a_user_alone(self, command):
        """A supervisor that can be prevented from starting processes; root can't be."""
        if os.geteuid() != 0:
            return self.start_child(command)
        directory = self.directory()
        os.chown(directory, STRANGER, STRANGER)
        as_stranger = {"user": STRANGER, "group": STRANGER, "extra_groups": []}
        try:
            subprocess.run([INITD, "--version"], capture_output=True, cwd="/", **as_stranger)
        except PermissionError:
            self.skipTest("another user can't execute initd at its path")
        self.addCleanup(os.chown, directory, 0, 0)
        return self.start_child(command, directory=directory, cwd="/", **as_stranger)

    def limit_processes(self, pid, count):
        """Sends a signal from a process of the same user, because root may lack the permission in some environments."""
        own = {"user": STRANGER, "group": STRANGER, "extra_groups": []} if os.geteuid() == 0 else {}
        subprocess.run(["prlimit", "--pid", str(pid), f"--nproc={count}:"], check=True, cwd="/", **own)


class EndTests(ChildFaults):
    def stubborn(self, script, times=5):
        """Activates and deactivates with a command that doesn't end: none of its processes is left."""
        supervisor = self.start_child(f'"{script}"')
        peer = supervisor.peer()
        before = None
        for number in range(1, times + 2):
            peer.ok("activate")
            pids = [int(word) for word in supervisor.until_lines("pids", number)[-1].split()]
            self.assertTrue(all(map(is_running, pids)))
            self.assertEqual(peer.ok("deactivate", wait=True), {"cancelled": ["c"]})
            until(lambda: not any(map(is_running, pids)), "the end of the whole group")
            # Whether the socket of a killed command is kept for the next depends on when its pipes were closed.
            before = before or Calm(supervisor, spare={"socket": 1})
        before.assert_back()

    def test_a_command_that_ignores_sigterm(self):
        self.stubborn("trap '' TERM HUP INT; sleep 600 & echo $$ $! >> pids; while :; do wait; done")

    def test_a_stopped_command(self):
        """A stopped process doesn't react to SIGTERM."""
        self.stubborn("sleep 600 & echo $$ $! >> pids; kill -STOP $! $$; wait")

    def test_a_command_that_stops_and_continues_has_not_ended(self):
        supervisor = self.start_child('"echo $$ >> pids; exec 3< gate; read line <&3"', directory=self.with_gate())
        peer = supervisor.peer()
        before = None
        for number in (1, 2):
            peer.ok("activate")
            pid = int(supervisor.until_lines("pids", number)[-1])
            for each in [signal.SIGSTOP, signal.SIGCONT] * 20:
                os.kill(pid, each)
            self.assertEqual(peer.until_initializer("c", "running")["status"], "running")
            # The gate isn't opened only for writing, which would wait for a reader.
            with open(supervisor.file("gate"), "r+b", buffering=0) as gate:
                gate.write(b"go\n")
                self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
            peer.ok("deactivate", wait=True)
            before = before or Calm(supervisor)
        before.assert_back()

    def with_gate(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "gate"))
        return directory

    def test_a_grandchild_in_its_group_that_holds_its_output(self):
        # After `d`, which leaves no process behind, the supervisor has as many prepared sockets as before.
        supervisor = self.start_child('"sleep 600 & echo $! >> pids"', 'd: { priority: appActive, dependencies: [c], command: "true" }')
        self.repeat(supervisor, lambda state: self.assertEqual(state["state"], "complete"))
        until(lambda: not any(is_running(int(line)) for line in supervisor.lines("pids")), "the end of all of them")

    def test_a_grandchild_elsewhere_that_holds_its_output(self):
        """The process continues in its own session, and its copies of our descriptors are closed."""
        supervisor = self.start_child("\"setsid sh -c 'echo $$ >> pids; exec sleep 600' & until grep -qsx $! pids; do :; done; echo done\"")
        peer = supervisor.peer()
        self.assertEqual(self.cycle(peer)["state"], "complete")
        [pid] = map(int, supervisor.until_lines("pids"))
        before = Calm(supervisor)  # Including the remaining process, which is now the supervisor's child.
        self.assertIn(pid, calm.children(before.pid))
        for _ in range(20):
            self.assertEqual(self.cycle(peer)["state"], "complete")
        pids = [int(line) for line in supervisor.until_lines("pids", 21)]
        for each in pids[1:]:
            self.assertTrue(is_running(each))
            os.kill(each, signal.SIGKILL)
        before.assert_back()
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(pid), "nothing is left behind")

    def test_a_grandchild_elsewhere_that_never_stops_writing(self):
        supervisor = self.start_child("\"setsid yes 0123456789abcde & until grep -qs yes /proc/$!/comm; do :; done\"")
        peer = supervisor.peer()
        self.assertEqual(self.cycle(peer)["state"], "complete")
        before = Calm(supervisor)
        for _ in range(20):
            self.assertEqual(self.flooded(supervisor, peer), "complete")
        self.assert_prompt(self.took)
        before.assert_back()

    def test_double_forks_with_setsid(self):
        """50 processes that left the command's group before it ended are reaped, including their own children."""
        script = "for i in $(seq 50); do (setsid sh -c 'echo out; (sleep 0.01; echo x >> ended) > /dev/null & exit 0' & exit 0); done | head -n 50"
        supervisor = self.start_child(f'"{script}"')
        peer = supervisor.peer()
        self.assertEqual(self.cycle(peer)["state"], "complete")
        supervisor.until_lines("ended", 50)
        before = Calm(supervisor)
        for _ in range(3):
            self.assertEqual(self.cycle(peer)["state"], "complete")
        supervisor.until_lines("ended", 200)
        before.assert_back()

    def test_orphans_that_ignore_sigterm_are_killed_at_shutdown(self):
        daemon = "setsid sh -c 'trap : TERM; echo $$ >> pids; while :; do sleep 0.05; done' > /dev/null 2>&1 & exit 0"
        supervisor = self.start_child(f'"({daemon}); until test -s pids; do :; done"')
        peer = supervisor.peer()
        self.assertEqual(self.cycle(peer)["state"], "complete")
        [pid] = map(int, supervisor.until_lines("pids"))
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(pid))

    def test_1000_that_exit_at_once(self):
        """All children end while the supervisor is stopped, before it can handle the first exit."""
        count = 1000
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < 8 * count:
            self.skipTest(f"{count} commands at once take more than the {hard} descriptors that are allowed here")
        script = "exec 3< gate; echo $$ >> up; read line <&3; exit 0"
        each = "".join(f'  n{number}: {{ priority: appActive, command: "{script}" }}\n' for number in range(count))
        each += "  alone: { command: 'true' }\n"
        directory = self.with_gate()
        manifest = f"version: 1\nconcurrency: {count}\ninitializers:\n{each}"

        def many():
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))

        supervisor = self.start(manifest, "--log-level", "error", directory=directory, preexec_fn=many)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        alone = Calm(supervisor, memory=32 << 20)
        self.at_once(supervisor, peer, count, 1)
        alone.assert_back()
        before = Calm(supervisor, memory=4 << 20)
        self.at_once(supervisor, peer, count, 2)
        before.assert_back()

    def at_once(self, supervisor, peer, count, times):
        gate = os.open(supervisor.file("gate"), os.O_RDWR)
        try:
            peer.ok("activate")
            pids = [int(line) for line in supervisor.until_lines("up", count * times)[-count:]]
            pid = calm.process_of(supervisor)
            os.kill(pid, signal.SIGSTOP)
        finally:
            os.close(gate)
        try:
            until(lambda: len(calm.zombies(pid)) == count, f"{count} that have exited")
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        until(lambda: not any(map(is_running, pids)), "the end of all")
        self.assertEqual(len(peer.last_pass()["runs"]), count)
        peer.ok("deactivate", wait=True)


class OutputTests(ChildFaults):
    def test_a_gigabyte_without_a_newline(self):
        """A client is answered in the meantime, and memory is bounded."""
        size = 1 << 30
        supervisor = self.start_child(f"\"head -c {size} /dev/zero | tr '\\\\0' x\"")
        peer = supervisor.peer()
        self.assertEqual(self.flooded(supervisor, peer), "complete")
        before = Calm(supervisor, memory=4 << 20)
        self.assertEqual(self.flooded(supervisor, peer), "complete")
        self.assert_prompt(self.took)
        before.assert_back()
        lines = peer.ok("logs", limit=10)["lines"]
        self.assertTrue(all(set(each["line"]) == {"x"} and len(each["line"]) <= 8192 for each in lines), lines[-1]["line"][:80])

    def test_lines_without_end(self):
        """Lines of four bytes: the number of lines costs time, not their size. A client is answered in the meantime."""
        supervisor = self.start_child('"exec yes yes"')
        peer = supervisor.peer()
        before = None
        for answers in (20, 150):
            peer.ok("activate")
            until(lambda: peer.ok("logs", limit=1)["lines"], "the first line")
            took = [calm.status_takes(supervisor.path) for _ in range(answers)]
            self.assertEqual(peer.ok("deactivate", wait=True), {"cancelled": ["c"]})
            before = before or Calm(supervisor, memory=4 << 20)
        self.assert_prompt(took)
        before.assert_back()

    def test_binary_and_terminal_escapes(self):
        """`initctl` and the log escape all terminal controls, and every line is available."""
        directory = self.directory()
        nasty = [
            b"\x1b[2J\x1b[H\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07",
            b"\x9b31m\x9d0;x\x9c",
            b"\xc2\x9b31m csi of 8 bits in UTF-8",
            bytes(range(256)).replace(b"\n", b""),
            b"\xff\xfe\xfd",
            b"\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80",
            b"\xe2\x80\xae right to left \xe2\x80\xac",
            b"\r\rgone\x08\x08",
            b"\0\0\0",
            b"\xe2\x82",
            b"after",
        ]
        with open(os.path.join(directory, "bytes"), "wb") as file:
            file.write(b"\n".join(nasty) + b"\n")
        supervisor = self.start_child("'cat bytes; cat bytes >&2; exit 1'", directory=directory)
        self.repeat(supervisor, lambda state: self.assertEqual(state["state"], "failed"), times=20)
        peer = supervisor.peer()
        lines = [each["line"] for each in peer.ok("logs", initializer="c", limit=2 * len(nasty))["lines"]]
        self.assertEqual(len(lines), 2 * len(nasty))
        self.assertEqual(lines.count("after"), 2)
        for words in (["logs", "c"], ["status"], ["status", "--json"]):
            self.assert_harmless(supervisor.ctl(*words).out)
        supervisor.program.pump()
        self.assert_harmless(supervisor.program.err.decode())

    def assert_harmless(self, text):
        found = re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
        self.assertIsNone(found, found and text[max(0, found.start() - 80) : found.end() + 20])


REMEMBERS = """
import os, signal, sys, time
def note(number, frame):
    with open(sys.argv[1], "a") as file:
        print(number, file=file)
for number in range(1, 65):
    if number not in (signal.SIGKILL, signal.SIGSTOP, 32, 33):
        signal.signal(number, note)
with open(sys.argv[1], "w") as file:
    print("pid", os.getpid(), file=file)
while True:
    signal.pause()
"""
"""A process that records each signal that it gets."""


@unittest.skipUnless(os.geteuid() == 0, "a PID namespace requires root")
class RecycledPidTests(ChildFaults):
    """A process that reuses the pid of a child that has ended is never signalled."""

    OUTLIVE = '"$@" & wait; echo ended > ended; read line < hold'
    FIRST = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c", OUTLIVE, "sh"]

    def start_inside(self, manifest):
        """A supervisor in its own namespace, whose first process outlives it."""
        if not os.path.exists("/proc/sys/kernel/ns_last_pid"):
            self.skipTest("the kernel has no ns_last_pid: the next number can't be chosen")
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "hold"))
        self.write(os.path.join(directory, "remembers.py"), REMEMBERS)
        supervisor = self.start(manifest, directory=directory, prefix=self.FIRST, cwd=directory)
        supervisor.inside = calm.process_of(supervisor)
        return supervisor

    def take_over(self, supervisor, number):
        """Starts an unrelated process with that free number, as the leader of a session with the same number."""
        path = supervisor.file(f"signals-{number}")
        script = f"echo {number - 1} > /proc/sys/kernel/ns_last_pid; setsid {sys.executable} {supervisor.file('remembers.py')} {path} & wait"

        def taken():
            if os.path.exists(path):
                os.unlink(path)
            inside = self.program(["nsenter", "--target", str(supervisor.inside), "--pid", "--mount", "--root", "sh", "-c", script])
            found = until(lambda: supervisor.lines(os.path.basename(path)) or inside.process.poll() is not None, "the stranger")
            if found == [f"pid {number}"]:
                return True
            inside.end()
            return False

        until(taken, f"the number {number}")
        return path

    def assert_unharmed(self, path):
        with open(path) as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[1:], [], "the unrelated process was signalled")
        number = int(lines[0].split()[1])
        found = [
            status for status in map(self.status_of, filter(str.isdigit, os.listdir("/proc")))
            if status and re.search(rf"^NSpid:\t\d+\t{number}$", status, re.MULTILINE) and "State:\tZ" not in status
        ]
        self.assertTrue(found, "the unrelated process was killed")

    def status_of(self, entry):
        try:
            with open(f"/proc/{entry}/status") as file:
                return file.read()
        except (FileNotFoundError, ProcessLookupError):
            return ""

    def test_the_pid_of_a_command_whose_remaining_process_holds_its_output(self):
        supervisor = self.start_inside(
            self.manifest(
                """
                c:
                  priority: appActive
                  command: "setsid sleep 600 & echo $$ >> pids; exit 0"
                d:
                  priority: appActive
                  dependencies: [c]
                  timeout: 300ms
                  command: "trap '' TERM; while :; do sleep 0.01; done"
                """
            )
        )
        peer = supervisor.peer()
        peer.ok("activate")
        number = int(supervisor.until_lines("pids")[0])
        path = self.take_over(supervisor, number)
        self.failed(peer.ok("wait", for_="active"), "initializerFailed", initializer="d")
        peer.ok("deactivate", wait=True)
        self.assert_unharmed(path)
        before = Calm(supervisor)
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        before.assert_back()
        peer.ok("shutdown")
        supervisor.until_lines("ended")
        self.assert_unharmed(path)

    def test_the_pid_of_a_worker_that_will_be_restarted(self):
        supervisor = self.start_inside(
            self.manifest() + 'workers:\n  w: { command: "echo $$ >> pids; exec sleep 600", backoff: { delay: 10m, maxDelay: 10m } }\n'
        )
        number = int(supervisor.until_lines("pids")[0])
        before = Calm(supervisor)
        [child] = calm.children(supervisor.inside)
        os.kill(child, signal.SIGKILL)
        until(lambda: not calm.children(supervisor.inside), "the worker's end")
        path = self.take_over(supervisor, number)
        before.assert_back()
        supervisor.peer().ok("shutdown")
        supervisor.until_lines("ended")
        self.assert_unharmed(path)


class SignalsOfChildrenTests(Conformance):
    """A child has default dispositions before its signals are unblocked, however the kernel lets it be started.

    When it executes its program, the kernel resets what has a handler anyway. But before that it shares the supervisor's memory, and a
    signal must not run one of the supervisor's handlers there. So the execution is held by a lease of the program's file.
    """

    APP = ["--", "sh", "-c", "exec sleep 600"]
    """With an app, the supervisor has a handler of each signal that can be forwarded."""

    def assertDefaults(self, **options):
        def ignore():
            # It isn't forwarded, so it stays ignored by the supervisor.
            signal.signal(signal.SIGTTIN, signal.SIG_IGN)

        directory = self.directory()
        program = os.path.join(directory, "program")
        shutil.copy(shutil.which("true"), program)
        path = self.write(f"{directory}/init.yaml", self.manifest(f"c: {{ command: [{program}] }}"))
        before = signal.signal(signal.SIGIO, lambda *_: None)
        self.addCleanup(signal.signal, signal.SIGIO, before)
        with open(program) as file:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
            words = ["--config", path, *self.APP]
            supervisor = Supervisor(self, None, words, directory=directory, preexec_fn=ignore, **options)
            child = until(lambda: self.waiting_child(supervisor.pid), "the child that executes the program")
            masks = self.masks(child)
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
        self.assertEqual(masks, {"SigBlk:": 0, "SigIgn:": 0, "SigCgt:": 0})
        self.assertEqual(self.masks(supervisor.pid)["SigIgn:"] >> (signal.SIGTTIN - 1) & 1, 1)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def masks(self, pid):
        with open(f"/proc/{pid}/status") as file:
            masks = dict(line.split() for line in file if line.startswith(("SigBlk", "SigIgn", "SigCgt")))
        return {name: int(mask, 16) for name, mask in masks.items()}

    def waiting_child(self, parent):
        """The child that waits for the lease: its signals aren't blocked any more."""
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
                # The parent's pid is the second field after the name, which the guard has changed.
                comm, fields = file.read().split("(", 1)[1].rsplit(")", 1)
                if comm != calm.GUARD and fields.split()[1] == str(parent) and self.masks(name)["SigBlk:"] == 0:
                    return name
        return None

    def test_the_signals_of_a_child_have_their_defaults(self):
        self.assertDefaults()

    def test_they_have_them_without_clone3_too(self):
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("a filter of system calls requires a C compiler")
        program = os.path.join(self.directory(), "without-clone3")
        subprocess.run([compiler, "-x", "c", "-o", program, "-"], input=WITHOUT_CLONE3, text=True, check=True)
        for number in (errno.ENOSYS, errno.EINVAL, errno.EPERM):
            with self.subTest(errno.errorcode[number]):
                self.assertDefaults(prefix=[program, str(number)])


if __name__ == "__main__":
    unittest.main()
