"""Faults of the system: inherited process state, descriptors, clock, disk, and changes to the socket's path.

After each fault that the supervisor survives, it must have recovered (`Calm`).
"""

import concurrent.futures
import contextlib
import errno
import fcntl
import itertools
import os
import re
import resource
import shutil
import signal
import socket
import stat
import struct
import subprocess
import threading
import time
import unittest

import calm
import shapes
from calm import Calm
from deadlines import DEADLINE, PROMPT, until
from peer import Peer, connected, hello
from supervisor import INITD, Conformance

STRANGER = 64321
"""A user without other processes."""

SHELL = ["/bin/sh", "-c"]


class SystemFaults(Conformance):
    """A test case with one initializer, `c`, that fails at each activation in a recognizable way."""

    COMMAND = 'c: { priority: appActive, command: "echo out; exit 3" }'

    def start_tried(self, *arguments, manifest=COMMAND, **options):
        """Starts a supervisor that has run its command once, so the memory of a first run is allocated."""
        supervisor = self.start_with(manifest, *arguments, **options)
        self.cycle(supervisor.peer())
        return supervisor

    def cycle(self, peer):
        """A command runs, its output is read, and its exit status is known."""
        peer.ok("activate")
        error = self.failed(peer.ok("wait", for_="active"), "initializerFailed", initializer="c")
        self.assertEqual((error["cause"]["kind"], error["cause"].get("status")), ("exit", 3), error)
        self.assertEqual(peer.ok("logs", initializer="c", limit=1)["lines"][-1]["line"], "out")
        peer.ok("deactivate", wait=True)

    def assert_works(self, supervisor, times=20):
        """Checks that the supervisor works, keeps no additional memory, and leaves nothing behind when it ends."""
        peer = supervisor.peer()
        self.cycle(peer)
        before = Calm(supervisor)
        for _ in range(times):
            self.cycle(peer)
        before.assert_back()
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assert_untraced(supervisor.path)

    def assert_untraced(self, path):
        self.assertFalse(os.path.lexists(path))
        self.assertFalse(os.path.lexists(path + ".lock"))

    def run_at(self, path, *words, **options):
        """Runs a supervisor that can't start, until it ends."""
        finished = self.initd("--socket", path, *words, **options)
        self.assertNotIn("\n", finished.err.strip(), "one line says it")
        return finished


class DescriptorTests(SystemFaults):
    def test_out_of_descriptors_while_200_connect(self):
        """Connected clients are served, the others in turn, and no process uses CPU time in the meantime."""
        supervisor = self.start_tried()
        peer = supervisor.peer()
        before = Calm(supervisor)
        release = threading.Event()
        with concurrent.futures.ThreadPoolExecutor(200) as pool:
            with self.few_descriptors(supervisor.pid):
                clients = [pool.submit(self.visit, supervisor.path, release) for _ in range(200)]
                try:
                    supervisor.program.until_err("cannot accept connections")
                    self.assert_serves_on(supervisor, peer)
                finally:
                    release.set()
                for each in clients:
                    each.result()
        before.assert_back()
        self.cycle(peer)
        before.assert_back()

    def visit(self, path, release):
        """A client that stays connected until it is released, and is then served. If the backlog is full, it retries."""

        def connect():
            with contextlib.suppress(BlockingIOError):
                return connected(path)

        peer = Peer(until(connect, "room in the queue"))
        try:
            hello(peer)
            release.wait(DEADLINE)
            peer.status()
        finally:
            peer.close()

    def assert_serves_on(self, supervisor, peer):
        start, busy = time.monotonic(), calm.processor_time(supervisor.pid)
        peer.refused(-32003, "wait", {"initializer": "nobody", "appear": True, "timeout": 1})
        self.assertLess(calm.processor_time(supervisor.pid) - busy, 0.3 * (time.monotonic() - start), "it spins")
        start = time.monotonic()
        peer.status()
        self.assertLess(time.monotonic() - start, calm.IN_TIME)
        peer.ok("activate")
        cause = self.failed(peer.ok("wait", for_="active"), "initializerFailed", initializer="c")["cause"]
        self.assertIn("open files", cause["message"])
        peer.ok("deactivate", wait=True)

    @contextlib.contextmanager
    def few_descriptors(self, pid):
        """Room for ten more."""
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        highest = max(map(int, os.listdir(f"/proc/{pid}/fd")))
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 11, hard))
        try:
            yield
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))

    def test_descriptors_0_to_2_closed(self):
        """No other descriptor ever gets their numbers: a misdirected write must not reach a client."""
        for closed in itertools.chain.from_iterable(itertools.combinations(range(3), count) for count in (1, 2, 3)):
            with self.subTest(closed):
                script = " ".join(['exec "$@"', *(f"{number}>&-" for number in closed)])
                supervisor = self.start_tried(prefix=[*SHELL, script, "sh"])
                for number in closed:
                    self.assertEqual(os.readlink(f"/proc/{supervisor.pid}/fd/{number}"), "/dev/null")
                self.assert_works(supervisor, times=3)

    def test_children_dont_inherit_500_stray_descriptors(self):
        reading, writing = os.pipe()
        self.addCleanup(os.close, reading)
        strays = [os.dup(writing) for _ in range(500)]
        os.close(writing)
        options = {"pass_fds": strays}
        shown = self.COMMAND.replace("echo out", "ls /proc/self/fd; echo out")
        try:
            supervisor = self.start(self.manifest(shown) + "workers:\n  w: { command: 'ls /proc/self/fd; exec sleep 600' }\n", **options)
            app = self.initd("--socket", os.path.join(self.directory(), "s"), "--log-level", "error", "--", "ls", "/proc/self/fd", **options)
        finally:
            for each in strays:
                os.close(each)
        self.assertEqual(app.out.split(), ["0", "1", "2", "3"])
        self.assertGreater(len(os.listdir(f"/proc/{supervisor.pid}/fd")), 500)
        peer = supervisor.peer()
        self.cycle(peer)
        for name in ("c", "w"):
            lines = until(lambda: len(found := peer.ok("logs", initializer=name)["lines"]) >= 4 and found, f"the output of {name}")
            self.assertEqual([each["line"] for each in lines][:4], ["0", "1", "2", "3"])
        self.assert_works(supervisor)


@unittest.skipUnless(os.geteuid() == 0, "root isn't limited, and only root can start a supervisor as another user")
class ThreadTests(SystemFaults):
    USER = STRANGER + 1
    """A user without other processes, because a limit on them counts all of the user's."""

    def test_without_threads_each_check_fails_with_the_reason(self):
        directory = self.directory()
        os.chmod(directory, 0o777)
        self.write(os.path.join(directory, "in"), "")
        # The supervisor, its guard, and six more: threads, and a command.
        limit = ["setpriv", f"--reuid={self.USER}", f"--regid={self.USER}", "--clear-groups", "bash", "-c", 'ulimit -u 8; exec "$@"', "bash"]
        manifest = """
            waits: { waitFor: { path: in }, timeout: 1s, optional: true }
            asks: { when: { path: in }, command: "true", optional: true }
            compares: { inputs: [in], command: "true", optional: true }
        """
        supervisor = self.start_with(manifest, "--no-launch", directory=directory, prefix=limit)
        others = [self.program(["sleep", "1000"], user=self.USER, group=self.USER, extra_groups=[]) for _ in range(6)]
        peer = supervisor.peer()
        peer.ok("launch")
        peer.until_initializer("compares", "failed")
        reason = "cannot start the thread files: Resource temporarily unavailable"
        self.assertIn(reason, peer.initializer("waits")["progress"]["message"])
        self.assertIn("too many processes", peer.initializer("asks")["error"]["message"], "it isn't skipped, as if the file were missing")
        supervisor.program.until_err(f"warning: cannot tell whether compares is fresh: {reason}; it runs\n")
        for each in others:
            each.end()
        peer.ok("rerun", initializers=["waits", "compares"])
        for name in ("waits", "compares"):
            peer.until_initializer(name, "complete")


class StartTests(SystemFaults):
    MASKS = "grep -E 'Sig(Blk|Ign)|ShdPnd' /proc/self/status"

    def test_every_signal_blocked_and_ignored(self):
        """Exit statuses are still known, and children don't inherit the ignored signal."""

        def deaf():
            for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())

        supervisor = self.start_tried(manifest=self.COMMAND.replace("echo out", f"{self.MASKS}; echo out"), preexec_fn=deaf)
        lines = [each["line"] for each in supervisor.peer().ok("logs")["lines"]]
        nothing = ["0" * 16] * 3
        self.assertEqual([line.split()[1] for line in lines[:3]], nothing)
        app = self.initd(
            "--socket", os.path.join(self.directory(), "s"), "--log-level", "error", "--", *SHELL, self.MASKS + "; exit 9", preexec_fn=deaf
        )
        self.assertEqual(([line.split()[1] for line in app.out.splitlines()], app.status), (nothing, 9))
        self.assert_works(supervisor)

    def test_umask_and_working_directory(self):
        """The supervisor's files are private with any umask. Its children have the inherited one, and it keeps its working directory."""
        looked = 'stat -c %a "$INITD_SOCKET" "$INITD_SOCKET.lock" "$(dirname "$NOTIFY_SOCKET")"; umask; echo out'
        for umask in (0, 0o27):
            with self.subTest(oct(umask)):
                directory = self.directory()
                os.mkdir(os.path.join(directory, "run"))
                supervisor = self.start_tried(
                    manifest=f"c: {{ priority: appActive, command: '{looked}; exit 3' }}",
                    directory=directory, umask=umask, env={"XDG_RUNTIME_DIR": os.path.join(directory, "run")},
                )
                lines = [each["line"] for each in supervisor.peer().ok("logs")["lines"]]
                self.assertEqual(lines, ["600", "600", "700", f"{umask:04o}", "out"])
                self.assertEqual(os.readlink(f"/proc/{supervisor.peer().ok('status')['pid']}/cwd"), os.getcwd())
                self.assert_works(supervisor)

    def test_no_HOME_and_nothing_else_in_the_environment(self):
        self.assert_works(self.start_tried(env={"HOME": None}))
        # Except the sanitizers' variables.
        kept = [f"{name}={value}" for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")]
        self.assert_works(self.start_tried(prefix=["/usr/bin/env", "-i", *kept]))

    def test_a_working_directory_that_is_deleted(self):
        """Before the start, and after it."""
        gone = self.directory()

        def leave_nothing():
            os.chdir(gone)
            os.rmdir(gone)

        self.assert_works(self.start_tried(preexec_fn=leave_nothing))
        os.mkdir(gone)
        app = self.initd("--socket", os.path.join(self.directory(), "s"), "--log-level", "error", "--", *SHELL, "exit 9", preexec_fn=leave_nothing)
        self.assertStatus(app, 9)
        os.mkdir(gone)
        self.assertIn("relative", self.assertStatus(self.run_at("relative", preexec_fn=leave_nothing), 73).err)
        os.mkdir(gone)
        supervisor = self.start_tried(cwd=gone)
        os.rmdir(gone)
        self.assert_works(supervisor)


SHIFTED_CLOCK = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long *shift;

__attribute__((constructor)) static void map(void) {
  void *found = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, open(getenv("SHIFT"), O_RDONLY | O_CLOEXEC), 0);
  if (found == MAP_FAILED) abort();
  shift = found;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int status = (int)syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *shift;
  return status;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
  return 0;
}

time_t time(time_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now) *now = precise.tv_sec;
  return precise.tv_sec;
}
"""
"""A changed clock for one process: offset by the number of seconds in a file, because setting the real clock would affect all programs."""


class ClockTests(SystemFaults):
    def test_the_wall_clock_is_set_back_and_forward(self):
        """Durations stay correct, and published times never decrease."""
        shift = self.shift_file()
        late = "c: { priority: appActive, timeout: 500ms, command: [sleep, '600'] }"
        directory = os.path.dirname(shift)
        env = {"SHIFT": shift, "LD_PRELOAD": self.shifted_clock(directory)}
        supervisor = self.start(self.manifest(late), "--log-format", "json", directory=directory, env=env)
        with open(f"/proc/{supervisor.pid}/maps") as maps:
            if "clock.so" not in maps.read():
                self.skipTest("the clock of a static program can't be changed")
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["pass"])
        began, before = time.time(), None
        for seconds in (0, -3600, 365 * 86400, -int(began), 0):
            peer.ok("activate")
            peer.until_initializer("c", "running")
            self.set_clock(shift, seconds)
            start = time.monotonic()
            with self.subTest(seconds):
                peer.refused(-32003, "wait", {"for": "ready", "timeout": 0.2})
                self.assertTrue(0.19 < time.monotonic() - start < PROMPT)
                cause = self.failed(peer.ok("wait", for_="active"), "initializerFailed", initializer="c")["cause"]
                self.assertEqual(cause["kind"], "timeout")
                self.assertTrue(0.45 < peer.last_pass()["runs"][0]["duration"] < PROMPT, peer.last_pass())
            peer.ok("deactivate", wait=True)
            before = before or Calm(supervisor)
        before.assert_back()
        passes = [each for each in peer.ok("history")["passes"] if each["phase"] == "active"]
        started = [each["started"] for each in passes]
        self.assertEqual(started, sorted(started))
        self.assertTrue(all(began - 1 < each < time.time() + 1 for each in started), started)
        supervisor.program.pump()
        logged = [shapes.loads(line)["time"] for line in supervisor.program.err.splitlines()]
        self.assertTrue(min(logged) < 86400 and max(logged) > began + 364 * 86400, "the clock was not set")

    def shifted_clock(self, directory):
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("changing a process's clock requires a C compiler")
        source = self.write(os.path.join(directory, "clock.c"), SHIFTED_CLOCK)
        library = os.path.join(directory, "clock.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    def shift_file(self):
        path = os.path.join(self.directory(), "shift")
        with open(path, "wb") as file:
            file.write(struct.pack("l", 0))
        return path

    def set_clock(self, path, seconds):
        with open(path, "r+b") as file:
            file.write(struct.pack("l", seconds))


class LogTests(SystemFaults):
    def test_a_full_device(self):
        self.assert_works(self.start_tried(prefix=[*SHELL, 'exec "$@" 2> /dev/full', "sh"]))

    def test_a_full_disk(self):
        """The supervisor continues without its log, and logs again when there is space."""
        disk = self.small_disk()
        log, ballast = os.path.join(disk, "log"), os.path.join(disk, "ballast")
        supervisor = self.start_tried("--log-format", "json", prefix=[*SHELL, f'exec "$@" 2>> {log}', "sh"])
        self.fill(ballast)
        peer = supervisor.peer()
        self.cycle(peer)
        before = Calm(supervisor)
        for _ in range(20):
            self.cycle(peer)
        before.assert_back()
        os.unlink(ballast)
        size = os.stat(log).st_size
        self.cycle(peer)
        with open(log) as file:
            file.seek(size)
            self.assertTrue(file.read().strip(), "it is logged again")
        self.assert_works(supervisor)

    def test_a_full_disk_in_the_sockets_directory(self):
        disk = self.small_disk()
        self.fill(os.path.join(disk, "ballast"))
        path = os.path.join(disk, "s")
        # The lock's file has no pid then, which only names its holder.
        self.assert_works(self.start_tried(socket_path=path))

    def test_a_log_that_isnt_read(self):
        """A full pipe blocks nothing."""
        supervisor = self.start_tried()
        fcntl.fcntl(supervisor.program.process.stderr, fcntl.F_SETPIPE_SZ, 4096)
        peer = supervisor.peer()
        for _ in range(50):
            self.cycle(peer)
        self.assertLess(calm.status_takes(supervisor.path), calm.IN_TIME)
        peer.ok("shutdown")
        self.assertEqual(supervisor.program.process.wait(DEADLINE), 0)
        self.assert_untraced(supervisor.path)

    def test_a_log_that_isnt_read_is_bounded_and_reports_lost_lines(self):
        """100,000 lines of output, 2.5 MB of log, for a queue of 256 KiB and a pipe."""
        count = 100_000
        supervisor = self.start_with(f"c: {{ command: 'seq -f line-%.0f {count}', priority: appActive }}", "--output", "all")
        fcntl.fcntl(supervisor.program.process.stderr, fcntl.F_SETPIPE_SZ, 4096)
        peer = supervisor.peer()
        before = supervisor.resident()
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        # The lines that are kept for `logs` use up to 4 MiB plus the overhead of each line.
        self.assertLess(supervisor.resident() - before, 32 << 20)
        supervisor.program.until_err("lost: standard error was not read")
        kept, lost = supervisor.program.err.decode().split(" lines of the log were lost")[0].rsplit(" ", 1)
        self.assertLess(len(kept), 256 * 1024 + 4096 + 1024)
        self.assertGreater(len(kept), 128 * 1024)
        shown = kept.count("c | line-")
        self.assertTrue(count <= shown + int(lost) <= count + 20, f"{shown} shown, {lost} lost")
        self.assertEqual([int(number) for number in re.findall(r"c \| line-([0-9]+)\n", kept)], list(range(1, shown + 1)))
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)

    def small_disk(self):
        """One line of 64 KiB."""
        disk = self.directory()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True).returncode:
            self.skipTest("no file system may be mounted here")
        # A supervisor that still runs at the end has its log open.
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk], check=True)
        return disk

    def fill(self, path):
        with open(path, "wb", buffering=0) as file:
            with self.assertRaises(OSError) as raised:
                while True:
                    file.write(bytes(4096))
        self.assertEqual(raised.exception.errno, errno.ENOSPC)


class LostSocketTests(SystemFaults):
    def test_deleted_repeatedly_while_it_works(self):
        """Clients that connect before, between and after the changes; a run continues in the meantime."""
        supervisor = self.start_tried()
        worker = supervisor.worker({"name": "w", "priority": "appLaunch"})
        run = worker.expect_run("w")
        peer = supervisor.peer()
        self.delete(supervisor)
        before = Calm(supervisor)
        for _ in range(50):
            self.delete(supervisor)
        before.assert_back()
        run.succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        worker.close()
        until(lambda: not peer.initializer("w")["available"], "the loss")
        self.assert_works(supervisor)

    def delete(self, supervisor):
        os.unlink(supervisor.path)
        supervisor.wait_until_up()
        self.assertEqual(stat.S_IMODE(os.stat(supervisor.path).st_mode), 0o600)

    def test_deleted_as_soon_as_it_exists(self):
        """A socket is restored no matter when it is removed. If it is removed before the supervisor listens, it is restored a second later."""
        supervisor = self.start_tried()
        before = Calm(supervisor)
        for _ in range(20):
            end = time.monotonic() + DEADLINE
            while not self.is_deleted(supervisor.path):
                self.assertLess(time.monotonic(), end, "it isn't restored")
        supervisor.wait_until_up()
        before.assert_back()

    def is_deleted(self, path):
        try:
            os.unlink(path)
            return True
        except FileNotFoundError:
            return False

    def test_clients_in_the_backlog_are_accepted(self):
        supervisor = self.start_tried()
        before = Calm(supervisor)
        with self.stopped(supervisor):
            waiting = [supervisor.connect() for _ in range(50)]
            os.unlink(supervisor.path)
        for each in waiting:
            hello(each)
            each.close()
        before.assert_back()

    def test_another_file_at_the_path_stays_and_the_socket_is_restored_once_it_is_removed(self):
        supervisor = self.start_tried()
        peer = supervisor.peer()
        before = Calm(supervisor)
        with self.stopped(supervisor):
            os.unlink(supervisor.path)
            os.mkdir(supervisor.path)
        supervisor.program.until_err("can't be restored")
        self.cycle(peer)
        self.assertTrue(os.path.isdir(supervisor.path))
        os.rmdir(supervisor.path)
        supervisor.wait_until_up()
        before.assert_back()
        self.assert_works(supervisor)

    def test_its_directory_is_deleted_and_created_again(self):
        directory = os.path.join(self.directory(), "run")
        os.mkdir(directory)
        supervisor = self.start_tried(socket_path=os.path.join(directory, "s"))
        peer = supervisor.peer()
        before = None
        for _ in range(2):
            with self.stopped(supervisor):
                shutil.rmtree(directory)
            supervisor.program.until_err("can't be restored")
            self.cycle(peer)
            os.mkdir(directory)
            supervisor.wait_until_up()
            before = before or Calm(supervisor)
        before.assert_back()
        self.assert_works(supervisor)

    def test_its_lock_is_deleted_too_and_no_other_supervisor_starts(self):
        supervisor = self.start_tried()
        os.unlink(supervisor.path + ".lock")
        before = Calm(supervisor)
        self.assertStatus(self.run_at(supervisor.path), 73, 75)
        before.assert_back()
        self.assertEqual(calm.process_of(supervisor), supervisor.pid)
        self.assert_works(supervisor)

    def test_a_replaced_supervisor_doesnt_remove_its_successors_socket(self):
        supervisor = self.start_tried()
        peer = supervisor.peer()
        with self.stopped(supervisor):
            os.unlink(supervisor.path)
            os.unlink(supervisor.path + ".lock")
            other = self.start_tried(directory=supervisor.directory)
        supervisor.program.until_err("can't be restored")
        self.cycle(peer)
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(calm.process_of(other), other.pid)
        self.assert_works(other)

    @contextlib.contextmanager
    def stopped(self, supervisor):
        """The supervisor can't react in the meantime."""
        os.kill(supervisor.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(supervisor.pid, signal.SIGCONT)


class OccupiedPathTests(SystemFaults):
    """A clear error, status 73, and the existing file is unchanged."""

    def occupants(self):
        """The files that can exist at the path: a word of the error message, and how to create the file."""
        yield "a file", lambda path: self.write(path, "precious")
        yield "a file", lambda path: self.write(path, "")
        yield "a directory", os.mkdir
        yield "a directory", lambda path: (os.mkdir(path), self.write(os.path.join(path, "file"), "precious"))
        yield "symbolic link", lambda path: (self.write(path + ".target", "precious"), os.symlink("s.target", path))
        yield "symbolic link", lambda path: os.symlink("nothing", path)
        yield "named pipe", os.mkfifo

    def sockets(self):
        """The same for sockets: one in use belongs to another program, whichever user owns it."""
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            yield "another program", lambda path, kind=kind: self.bound(path, kind)
        yield "symbolic link", lambda path: (self.bound(path + ".target"), os.symlink("s.target", path))
        if os.geteuid() == 0:
            yield "another program", lambda path: (self.bound(path), os.chown(path, STRANGER, STRANGER))
            yield "another user", lambda path: (self.bound(path).close(), os.chown(path, STRANGER, STRANGER))

    def bound(self, path, kind=socket.SOCK_STREAM):
        """Creates another program's socket."""
        made = socket.socket(socket.AF_UNIX, kind)
        self.addCleanup(made.close)
        made.bind(path)
        if kind == socket.SOCK_STREAM:
            made.listen()
        return made

    def test_that_of_the_socket(self):
        for word, make in itertools.chain(self.occupants(), self.sockets()):
            self.check(word, make, lambda path: ["--socket", path])

    def test_that_of_the_lock(self):
        for word, make in self.occupants():
            if word != "a file":
                self.check(word, lambda path: make(path + ".lock"), lambda path: ["--socket", path])

    @unittest.skipUnless(os.geteuid() == 0, "a file of another user requires root")
    def test_that_of_the_lock_by_a_file_of_another_user(self):
        def make(path):
            os.chown(self.write(path + ".lock", "precious"), STRANGER, STRANGER)

        self.check("another user", make, lambda path: ["--socket", path])

    def test_that_of_the_second_socket(self):
        for word, make in itertools.chain(self.occupants(), self.sockets()):
            self.check(word, make, lambda path: ["--socket", path + ".first", "--observe-socket", path])

    def check(self, word, make, arguments):
        directory = self.directory()
        path = os.path.join(directory, "s")
        make(path)
        before = self.everything(directory)
        with self.subTest(before):
            finished = self.assertStatus(self.initd(*arguments(path)), 73)
            self.assertIn(word, finished.err)
            self.assertIn(path, finished.err)
            self.assertNotIn("\n", finished.err.strip())
            self.assertEqual(self.everything(directory), before)

    def everything(self, directory):
        """The contents of a directory, recursively."""
        found = {}
        for parent, directories, files in os.walk(directory):
            for path in (os.path.join(parent, name) for name in directories + files):
                what = os.lstat(path)
                holds = None
                if stat.S_ISLNK(what.st_mode):
                    holds = os.readlink(path)
                elif stat.S_ISREG(what.st_mode):
                    with open(path) as file:
                        holds = file.read()
                found[path] = (what.st_ino, what.st_mode, what.st_uid, what.st_mtime_ns, holds)
        return found


class RaceTests(SystemFaults):
    def test_two_started_at_the_same_moment_a_hundred_times(self):
        """Exactly one wins each time, even if a killed supervisor has left files."""
        path = os.path.join(self.directory(), "s")
        for number in range(100):
            winner, loser = self.race(path)
            with connected(path) as stream:
                peer = Peer(stream)
                self.assertEqual(hello(peer)["pid"], winner.pid)
            loser.pump()
            self.assertIn(path, loser.err.decode())
            winner.signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
            self.assertEqual(winner.wait(), -signal.SIGKILL if number % 2 else 0)
            self.assertEqual(os.path.lexists(path), number % 2 == 1)
            winner.end()
            loser.end()

    def race(self, path):
        """Returns the supervisor that runs and the supervisor that has ended, which wait for the same line."""
        reading, writing = os.pipe()
        try:
            script = 'read word; exec "$@" < /dev/null'
            both = [self.program([*SHELL, script, "sh", INITD, "--socket", path], stdin=reading) for _ in range(2)]
        finally:
            os.close(reading)
            os.close(writing)
        [loser] = until(lambda: [each for each in both if each.process.poll() is not None], "the one that loses")
        self.assertEqual(loser.process.returncode, 75)
        [winner] = [each for each in both if each is not loser]
        winner.until_err("listening")
        return winner, loser


if __name__ == "__main__":
    unittest.main()
