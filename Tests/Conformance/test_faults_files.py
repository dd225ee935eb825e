"""Files that are opened by name: files of other programs stay unchanged, and files of a killed supervisor are removed."""

import contextlib
import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import unittest

import calm
from deadlines import until
from peer import connected
from supervisor import INITCTL, INITD, Conformance

SLOW_LISTEN = r"""
#include <sys/syscall.h>
#include <unistd.h>

int listen(int socket, int backlog) {
  usleep(300000);
  return (int)syscall(SYS_listen, socket, backlog);
}
"""
"""Returns a slow listen, so the test can act before it."""


def entries(directory):
    return sorted(os.listdir(directory))


class LockFileTests(Conformance):
    def test_a_file_with_another_name_is_refused_as_a_lock_and_keeps_its_content(self):
        """Tests the directories of the socket, the second socket, and the state directory."""
        arguments = {
            "s": lambda path: ["--socket", path("s")],
            "o": lambda path: ["--socket", path("s"), "--observe-socket", path("o")],
            "state/launched": lambda path: ["--socket", path("s"), "--state-directory", path("state")],
        }
        for name, words in arguments.items():
            with self.subTest(name):
                directory = self.directory()
                path = lambda each: os.path.join(directory, each)
                os.mkdir(path("state"), 0o700)
                self.write(path("precious"), "precious\n")
                os.link(path("precious"), path(name + ".lock"))
                finished = self.assertStatus(self.initd(*words(path)), 73)
                self.assertIn(path(name + ".lock"), finished.err)
                with open(path("precious")) as file:
                    self.assertEqual(file.read(), "precious\n")
                self.assertTrue(os.path.samefile(path("precious"), path(name + ".lock")))
                self.assertFalse(os.path.lexists(path("s")))

    def test_a_file_with_other_contents_is_refused_as_a_lock(self):
        directory = self.directory()
        path = os.path.join(directory, "Gemfile")
        self.write(path + ".lock", "precious\n")
        self.assertIn(path + ".lock", self.assertStatus(self.initd("--socket", path), 73).err)
        with open(path + ".lock") as file:
            self.assertEqual(file.read(), "precious\n")


class SocketFileTests(Conformance):
    def slow(self):
        """An environment in which listening takes time."""
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("slowing down a process requires a C compiler")
        directory = self.directory()
        source, library = self.write(os.path.join(directory, "slow.c"), SLOW_LISTEN), os.path.join(directory, "slow.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
        return {"LD_PRELOAD": library}

    def test_a_client_that_finds_the_socket_file_is_answered(self):
        """At the start and when a socket is restored; for both sockets."""
        directory = self.directory()
        paths = [os.path.join(directory, name) for name in ("s", "o")]
        program = self.program([INITD, "--socket", paths[0], "--observe-socket", paths[1]], env=self.slow())
        for path in paths * 3:
            until(lambda: os.path.lexists(path), "the socket's file")
            with connected(path):
                os.unlink(path)
        self.assertIsNone(program.process.poll())

    def test_files_of_a_supervisor_that_was_killed_before_it_listened_are_removed(self):
        for length in (1, 3, 80):
            with self.subTest(length):
                directory = self.directory()
                path = os.path.join(directory, "s" * length)
                stale = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                stale.bind(path + ".new")
                stale.close()
                self.start(directory=directory, socket_path=path).peer().alive()
                self.assertEqual(entries(directory), ["s" * length, "s" * length + ".lock"])

    def test_a_place_that_cannot_be_written_is_named(self):
        # No user can create files there, not even root.
        finished = self.assertStatus(self.initd("--socket", "/sys/s"), 73)
        self.assertRegex(finished.err, r"^initd: cannot bind /sys/s: cannot open /sys/s\.lock: .*; let this user write there, or choose another --socket$")

    def test_another_file_at_its_temporary_name_stays(self):
        directory = self.directory()
        path = os.path.join(directory, "s")
        self.write(path + ".new", "precious\n")
        self.assertIn(path + ".new", self.assertStatus(self.initd("--socket", path), 73).err)
        self.assertEqual(entries(directory), ["s.lock", "s.new"] if os.path.exists(path + ".lock") else ["s.new"])

    def test_the_longest_names_work_and_can_be_restored(self):
        """A file name that is so long that no suffix fits still gets a temporary name."""
        for length in (103, 104, 107):
            with self.subTest(length):
                directory, name = self.directory(), "n" * length
                program = self.program([INITD, "--socket", name], cwd=directory)
                for _ in range(2):
                    until(lambda: os.path.lexists(os.path.join(directory, name)), "the socket's file")
                    self.assertStatus(self.initctl("--socket", name, "status", cwd=directory), 0)
                    self.assertEqual(entries(directory), [name, name + ".lock"])
                    os.unlink(os.path.join(directory, name))
                program.signal(signal.SIGTERM)
                self.assertEqual(program.wait(), 0)
                self.assertEqual(entries(directory), [])

    @unittest.skipUnless(os.geteuid() == 0, "another group requires root")
    def test_both_have_the_requested_mode_and_group_even_when_restored(self):
        without_proc = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        for umask, prefix in ((0, []), (0o777, []), (0o777, without_proc)):
            with self.subTest(umask=umask, prefix=prefix):
                supervisor = self.start(None, "--socket-mode", "660", "--socket-group", "7", umask=umask, prefix=prefix)
                for _ in range(2):
                    found = os.stat(supervisor.path)
                    self.assertEqual((stat.S_IMODE(found.st_mode), found.st_gid), (0o660, 7))
                    os.unlink(supervisor.path)
                    supervisor.wait_until_up()


def temporary(path):
    """The environment of a supervisor without a runtime directory, so that it uses this directory for private files."""
    return {"TMPDIR": path, "XDG_RUNTIME_DIR": None}


SECRET = 'a: { command: "echo secret > $INITD_OUTPUT; echo $INITD_OUTPUT >> where; sleep 600", secret: true }'


class PrivateDirectoryTests(Conformance):
    def begun(self, directory, **options):
        """A supervisor whose command has written its output, and the path of the output file."""
        before = len(self.where(directory))
        supervisor = self.start_with(SECRET, directory=directory, env=temporary(os.path.join(directory, "tmp")), **options)
        output = until(lambda: len(found := self.where(directory)) > before and found[-1], "the output")
        self.assertTrue(os.path.exists(output))
        return supervisor, output

    def where(self, directory):
        with contextlib.suppress(FileNotFoundError), open(os.path.join(directory, "where")) as file:
            return file.read().splitlines()
        return []

    def directory(self):
        directory = super().directory()
        os.mkdir(os.path.join(directory, "tmp"))
        return directory

    def test_the_guard_of_a_killed_supervisor_removes_its_files(self):
        directory = self.directory()
        supervisor, output = self.begun(directory)
        self.assertTrue(output.startswith(os.path.join(directory, "tmp") + "/"))
        os.makedirs(os.path.join(os.path.dirname(output), "left", "deep"))
        os.symlink(directory, os.path.join(os.path.dirname(output), "left", "link"))
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        until(lambda: entries(os.path.join(directory, "tmp")) == [], "its end")
        self.assertTrue(os.path.exists(os.path.join(directory, "where")), "links aren't followed")

    def test_files_that_the_guard_couldnt_remove_are_removed_by_the_next_supervisor(self):
        """Files of a running supervisor, or of other programs, stay."""
        directory = self.directory()
        tmp = os.path.join(directory, "tmp")
        supervisor, left = self.begun(directory)
        os.kill(until(lambda: calm.guard(supervisor.pid), "a guard"), signal.SIGKILL)
        other, kept = self.begun(directory, socket_path=os.path.join(directory, "other"))
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        for name in ("initd-run-abcdefg", "initd-other", "initd-run-abc"):
            os.mkdir(os.path.join(tmp, name), 0o700)
        os.mkdir(os.path.join(tmp, "initd-run-public"), 0o755)
        os.symlink(directory, os.path.join(tmp, "initd-run-abcdef"))
        self.assertTrue(os.path.exists(left))
        self.begun(directory)
        until(lambda: not os.path.exists(os.path.dirname(left)), "its removal")
        self.assertTrue(os.path.exists(kept))
        self.assertEqual(len(entries(tmp)), 7)
        other.program.signal(signal.SIGTERM)
        other.ended()
        self.assertFalse(os.path.exists(os.path.dirname(kept)))

    def test_the_output_file_of_a_killed_initctl_worker_is_removed(self):
        directory = self.directory()
        supervisor = self.start_with("a: { worker: true }", directory=directory)
        script = "echo secret > $INITD_OUTPUT; echo $INITD_OUTPUT >> where; sleep 600"
        words = [INITCTL, "--socket", supervisor.path, "worker", "a", "--", "sh", "-c", script]
        worker = self.program(words, cwd=directory, env={"XDG_RUNTIME_DIR": os.path.join(directory, "tmp")})
        [output] = supervisor.until_lines("where")
        self.assertTrue(os.path.exists(output))
        worker.signal(signal.SIGKILL)
        until(lambda: entries(os.path.join(directory, "tmp")) == [], "its end")

    def test_an_unusable_directory_is_reported_in_the_log_and_in_the_status(self):
        directory = self.directory()
        tmp = os.path.join(directory, "tmp")
        cases = {"nowhere": "No such file", "x" * 100: "longer", "tmp": "other users may write"}
        os.chmod(tmp, 0o777)
        for name, why in cases.items():
            with self.subTest(name):
                supervisor = self.start_with("a: { command: 'dirname $INITD_OUTPUT' }", env=temporary(os.path.join(directory, name)))
                peer = supervisor.peer()
                peer.ok("wait", for_="launch")
                self.assertTrue(peer.ok("logs")["lines"][0]["line"].startswith("/tmp/initd-run-"))
                supervisor.program.until_err("warning: cannot use " + os.path.join(directory, name))
                [warning] = peer.status()["warnings"]
                self.assertIn(why, warning)
                shown = self.assertStatus(supervisor.ctl("status"), 0).out
                self.assertIn(f"warning    {warning}", shown)
        # The fallback is the same for a path that isn't UTF-8, even if its directory exists.
        bad = os.path.join(directory, os.fsdecode(b"\xff"))
        os.mkdir(bad)
        supervisor = self.start_with("a: { command: 'dirname $INITD_OUTPUT' }", env=temporary(bad))
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertTrue(peer.ok("logs")["lines"][0]["line"].startswith("/tmp/initd-run-"))
        [warning] = peer.status()["warnings"]
        self.assertIn("$TMPDIR isn't UTF-8; /tmp is used instead", warning)
        os.chmod(tmp, 0o1777)
        supervisor = self.start_with("a: { command: 'dirname $INITD_OUTPUT' }", env=temporary(tmp))
        supervisor.peer().ok("wait", for_="launch")
        self.assertNotIn("warnings", supervisor.peer().status())


class RelativePathTests(Conformance):
    def test_commands_in_other_directories_find_the_socket_and_their_output_is_found(self):
        for words, env in (
            (["--socket", "s"], {"TMPDIR": "tmp"}),
            ([], {"INITD_SOCKET": "./s", "XDG_RUNTIME_DIR": "tmp"}),
            ([], {"XDG_RUNTIME_DIR": "tmp"}),
        ):
            with self.subTest(words=words, env=env):
                directory = self.directory()
                for name in ("tmp", "elsewhere"):
                    os.mkdir(os.path.join(directory, name))
                command = f"{INITCTL} status > status && echo 42 > $INITD_OUTPUT"
                look = "echo $INITD_INPUT_A $TMPDIR$XDG_RUNTIME_DIR > ../seen"
                manifest = self.manifest(
                    f"""
                    a: {{ command: '{command}', workingDirectory: elsewhere }}
                    b: {{ command: '{look}', workingDirectory: elsewhere, dependencies: [a] }}
                    """
                )
                path = self.write(os.path.join(directory, "init.yaml"), manifest)
                app = ["sh", "-c", f"cd /; {INITCTL} status"]
                program = self.program([INITD, *words, "--config", path, "--", *app], cwd=directory, env={"TMPDIR": None, "XDG_RUNTIME_DIR": None, **env})
                self.assertStatus(program.finish(), 0)
                with open(os.path.join(directory, "seen")) as file:
                    self.assertEqual(file.read().split(), ["42", os.path.join(directory, "tmp")])

    def test_the_command_of_initctl_worker_finds_the_socket_too(self):
        supervisor = self.start_with("a: { worker: true }")
        script = f"cd / && {INITCTL} status > /dev/null"
        self.program([INITCTL, "--socket", "initd.sock", "worker", "a", "--", "sh", "-c", script], cwd=supervisor.directory)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_a_socket_whose_absolute_path_is_too_long_works_by_its_relative_path_and_the_log_says_so(self):
        directory = os.path.join(self.directory(), "d" * 100)
        os.mkdir(directory)
        program = self.program([INITD, "--socket", "s"], cwd=directory)
        program.until_err("commands in other directories")
        self.assertStatus(self.initctl("--socket", "s", "status", cwd=directory), 0)


class TextTests(Conformance):
    def test_a_path_that_is_not_UTF_8_is_refused(self):
        directory = self.directory()
        path = os.path.join(directory, os.fsdecode(b"\xff\xfe"))
        for program in (INITD, INITCTL):
            for words in (["--socket", path], ["--socket=" + path], ["--", path]):
                with self.subTest(program=program, words=words):
                    more = ["status"] if program == INITCTL else []
                    self.assertIn("UTF-8", self.assertStatus(self.program([program, *words, *more]).finish(), 64).err)
        for name in ("INITD_SOCKET", "XDG_RUNTIME_DIR"):
            with self.subTest(name):
                env = {name: path}
                self.assertIn(f"${name} isn't UTF-8", self.assertStatus(self.initd(env=env), 64).err)
                self.assertIn(f"${name} isn't UTF-8", self.assertStatus(self.initctl("status", env=env), 69).err)
        self.assertEqual(os.listdir(directory), [])

    def test_other_variables_that_are_not_UTF_8_are_passed_on_unchanged(self):
        bad = os.fsdecode(b"\xe9t\xe9")
        command = "printf %s $LATIN | od -An -tx1 > seen"
        supervisor = self.start_with(f"a: {{ command: '{command}' }}", env={"LATIN": bad})
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.text("seen").split(), ["e9", "74", "e9"])
        app = self.initd("--socket", supervisor.file("t"), "--log-level", "error", "--", "sh", "-c", 'printf %s "$LATIN" | od -An -tx1', env={"LATIN": bad})
        self.assertEqual(app.out.split(), ["e9", "74", "e9"])


@unittest.skipIf(os.environ.get("SANITIZED") == "thread", "the thread sanitizer writes a larger file at its start")
class FileSizeTests(Conformance):
    """`ulimit -f`: failed writes are reported, and no process ends."""

    def limited(self):
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    def test_a_supervisor_continues_and_its_children_have_the_default(self):
        directory = self.directory()
        log = os.path.join(directory, "log")
        initializers = "\n".join(f"n{number}: {{ command: 'grep SigIgn /proc/self/status > ignored' }}" for number in range(100))
        supervisor = self.start_with(
            initializers, "--state-directory", os.path.join(directory, "state"), "--log-level", "debug",
            directory=directory, preexec_fn=self.limited, prefix=["sh", "-c", f'exec "$@" 2> {log}', "sh"])
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        warnings = peer.status()["warnings"]
        self.assertEqual([warning.split(" is ")[0] for warning in warnings], ["the state file", "the file of passes"])
        for warning in warnings:
            self.assertIn("File too large", warning)
        self.assertEqual(supervisor.text("ignored").split()[1], "0" * 16)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)

    def test_the_app_doesnt_get_it(self):
        """SIGXFSZ of the supervisor's own writes has no effect; a SIGXFSZ from another process is still forwarded to the app."""
        directory = self.directory()
        log = os.path.join(directory, "log")
        script = "echo up > up; trap 'echo got; exit 5' XFSZ; until test -s go; do sleep 0.02; done; kill -XFSZ $PPID; while :; do sleep 0.02; done"
        words = ["sh", "-c", f'exec "$@" 2> {log}', "sh", INITD, "--socket", os.path.join(directory, "s"), "--log-level", "debug", "--", "bash", "-c", script]
        program = self.program(words, cwd=directory, preexec_fn=self.limited)
        until(lambda: os.path.exists(os.path.join(directory, "up")), "the app")

        activate = lambda: self.assertStatus(self.initctl("--socket", os.path.join(directory, "s"), "activate", "--wait"), 0)
        until(lambda: activate() and os.stat(log).st_size >= 4096, "a log that is full")
        for _ in range(5):
            activate()
        self.assertIsNone(program.process.poll())
        self.write(os.path.join(directory, "go"), "go\n")
        self.assertEqual(program.wait(), 5)


class ManifestFileTests(Conformance):
    def test_a_manifest_that_isnt_a_regular_file_is_66_at_once(self):
        directory = self.directory()
        path = lambda name: os.path.join(directory, name)
        os.mkfifo(path("fifo"))
        os.mkdir(path("directory"))
        bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(bound.close)
        bound.bind(path("socket"))
        os.symlink("fifo", path("link"))
        for name, noun in ((path("fifo"), "named pipe"), (path("directory"), "directory"), (path("socket"), "socket"), (path("link"), "named pipe"), ("/dev/zero", "device"), ("/dev/null", "device")):
            for words in (["--check", name], ["--socket", path("s"), "--config", name]):
                with self.subTest(words):
                    finished = self.assertStatus(self.initd(*words), 66)
                    self.assertIn(f"cannot read {name}: it is a {noun}", finished.err)
        self.assertFalse(os.path.lexists(path("s")))

    def test_a_manifest_that_is_too_large_is_65(self):
        path = os.path.join(self.directory(), "init.yaml")
        self.write(path, "version: 1\n" + "# a comment\n" * 150_000)
        finished = self.assertStatus(self.initd("--check", path), 65)
        self.assertEqual(finished.err, f"{path}:1:1: the manifest is larger than 1 MiB, the maximum; move scripts into files of their own\n")

    def test_a_link_to_a_regular_file_is_read(self):
        directory = self.directory()
        self.write(os.path.join(directory, "real.yaml"), "version: 1\n")
        os.symlink("real.yaml", os.path.join(directory, "init.yaml"))
        self.assertStatus(self.initd("--check", os.path.join(directory, "init.yaml")), 0)

    def test_more_initializers_than_the_limit_are_65(self):
        directory = self.directory()
        manifest = lambda count: "version: 1\ninitializers:\n" + "".join(f"  n{number}: {{ worker: true }}\n" for number in range(count))
        for count, limit, status in ((10_001, [], 65), (10_000, [], 0), (4, ["--limit", "initializers=3"], 65), (3, ["--limit", "initializers=3"], 0)):
            with self.subTest(count):
                path = self.write(os.path.join(directory, "init.yaml"), manifest(count))
                finished = self.assertStatus(self.initd("--check", path, *limit), status)
                if status:
                    self.assertIn(f"{path}:{count + 2}:3: there are {count} initializers", finished.err)
                    finished = self.assertStatus(self.initd("--socket", os.path.join(directory, "s"), "--config", path, *limit), status)
                    self.assertIn(f"{path}:{count + 2}:3: there are {count} initializers", finished.err)

    def test_an_option_after_the_app_is_the_apps(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), "version: 1\n")
        app = self.initd("--socket", os.path.join(directory, "s"), "--config", path, "--log-level", "error", "--", "echo", "--config", "--config")
        self.assertEqual(self.assertStatus(app, 0).out, "--config --config\n")


class MissingAppTests(Conformance):
    def test_nothing_is_run_for_an_app_that_can_not_be_started(self):
        directory = self.directory()
        data = self.write(os.path.join(directory, "data"), "data\n")
        manifest = self.write(os.path.join(directory, "init.yaml"), self.manifest("a: { command: 'echo ran >> ran' }", "version: 1\nenvironment: { PATH: /bin }\n"))
        os.mkdir(os.path.join(directory, "bin"))
        own = self.write(os.path.join(directory, "bin", "own-program"), "#!/bin/sh\n")
        os.chmod(own, 0o755)
        env = {"PATH": os.path.join(directory, "bin") + ":" + os.environ["PATH"]}
        for app, status in (("/nowhere/app", 127), ("no-such-program", 127), ("own-program", 127), (data, 126), (directory, 126)):
            with self.subTest(app):
                finished = self.initd("--socket", os.path.join(directory, "s"), "--config", manifest, "--", app, cwd=directory, env=env)
                self.assertStatus(finished, status)
                self.assertIn(app, finished.err)
                self.assertEqual(entries(directory), ["bin", "data", "init.yaml"])


if __name__ == "__main__":
    unittest.main()
