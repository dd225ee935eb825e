"""commands-and-manifest.md: initd's command line, exit statuses and surroundings."""

import os
import signal
import socket
import stat
import unittest

import shapes
from peer import connected
from supervisor import INITCTL, INITD, Conformance, Supervisor

GOOD = "version: 1\ninitializers:\n  a: { command: 'true' }\n"


class CommandLineTests(Conformance):
    def test_wrong_usage_is_64(self):
        for words in (
            ["--nonsense"],
            ["argument"],
            ["--socket"],
            ["--config"],
            ["--concurrency", "none"],
            ["--concurrency", "0"],
            ["--concurrency"],
            ["--log-level", "loud"],
            ["--log-format", "xml"],
            ["--check"],
            ["--activate-on"],
            ["--activate-on", "NOPE"],
            ["--activate-on", "KILL"],
            ["--deactivate-on", "SIGTERM"],
            ["--deactivate-on", "0"],
            ["--activate-on", "USR1", "--deactivate-on", "sigusr1"],
            ["--concurrency", "2", "--concurrency=2"],
            ["--output", "all", "--output", "none"],
            ["--socket-mode", "600", "--socket-mode", "666"],
        ):
            with self.subTest(words):
                finished = self.initd(*words, env={"INITD_SOCKET": os.path.join(self.directory(), "s")})
                self.assertStatus(finished, 64)
                self.assertEqual(finished.out, "")
                self.assertTrue(finished.err.strip())

    def test_control_characters_are_printed_escaped(self):
        trick = "\x1b[31m\r\nforged"
        for option in ("--nonsense", "--concurrency", "--log-level", "--log-format", "--activate-on", "--limit", "--socket-mode", "--allow-observe"):
            for words in ([option, trick], [f"{option}={trick}"], [option + trick]):
                with self.subTest(words):
                    finished = self.assertStatus(self.initd(*words, env={"INITD_SOCKET": os.path.join(self.directory(), "s")}), 64)
                    self.assertFalse({"\x1b", "\r"} & set(finished.err), finished)
                    self.assertFalse([line for line in finished.err.splitlines() if line.startswith("forged")], finished)

    def test_a_bad_manifest_is_65(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), "version: 1\nnonsense: 1\n")
        finished = self.initd("--socket", os.path.join(directory, "s"), "--config", path)
        self.assertStatus(finished, 65)
        self.assertIn(f"{path}:2:1: ", finished.err)
        self.assertFalse(os.path.lexists(os.path.join(directory, "s")))

    def test_a_manifest_that_cant_be_read_is_66(self):
        directory = self.directory()
        for path in (os.path.join(directory, "nothing.yaml"), directory):
            with self.subTest(path):
                finished = self.initd("--socket", os.path.join(directory, "s"), "--config", path)
                self.assertStatus(finished, 66)
                self.assertIn(path, finished.err)

    def test_another_supervisor_at_the_socket_is_75_and_its_pid_is_printed(self):
        supervisor = self.start()
        finished = self.initd("--socket", supervisor.path)
        self.assertStatus(finished, 75)
        self.assertIn(str(supervisor.pid), finished.err)
        supervisor.peer().alive()
        self.assertTrue(stat.S_ISSOCK(os.stat(supervisor.path).st_mode))

    def test_another_program_at_the_socket_isnt_affected(self):
        path = os.path.join(self.directory(), "s")
        other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(other.close)
        other.bind(path)
        other.listen()
        self.assertStatus(self.initd("--socket", path), 73, 75)
        connected(path).close()

    def test_a_socket_that_cant_be_created_is_73(self):
        directory = self.directory()
        self.write(os.path.join(directory, "file"), "precious")
        os.mkdir(os.path.join(directory, "directory"))
        os.symlink("file", os.path.join(directory, "link"))
        for name in ("nowhere/s", "file", "directory", "link", "file/s"):
            with self.subTest(name):
                finished = self.initd("--socket", os.path.join(directory, name))
                self.assertStatus(finished, 73)
                self.assertIn(name, finished.err)
        with open(os.path.join(directory, "file")) as file:
            self.assertEqual(file.read(), "precious")
        self.assertTrue(os.path.islink(os.path.join(directory, "link")))

    def test_a_path_longer_than_the_system_allows_is_73_and_never_truncated(self):
        directory = self.directory()
        for length in (108, 150, 1000):
            with self.subTest(length):
                path = os.path.join(directory, "s" * (length - len(directory) - 1))
                self.assertStatus(self.initd("--socket", path), 73)
                self.assertEqual([name for name in os.listdir(directory) if stat.S_ISSOCK(os.lstat(os.path.join(directory, name)).st_mode)], [])

    def test_the_longest_path_that_the_system_allows_works(self):
        directory = self.directory()
        path = os.path.join(directory, "s" * (107 - len(directory) - 1))
        self.start(directory=directory, socket_path=path).peer().alive()

    def test_a_stale_socket_is_replaced(self):
        directory = self.directory()
        stale = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stale.bind(os.path.join(directory, "initd.sock"))
        stale.close()
        supervisor = self.start(directory=directory)
        supervisor.peer().alive()
        self.assertEqual(stat.S_IMODE(os.stat(supervisor.path).st_mode), 0o600)

    def test_the_files_of_a_killed_supervisor_are_replaced(self):
        directory = self.directory()
        supervisor = self.start(directory=directory)
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        self.assertTrue(os.path.lexists(supervisor.path))
        self.start(directory=directory).peer().alive()

    def test_the_socket_has_mode_0600_with_any_umask(self):
        for umask in (0, 0o777):
            with self.subTest(oct(umask)):
                supervisor = self.start(umask=umask)
                self.assertEqual(stat.S_IMODE(os.stat(supervisor.path).st_mode), 0o600)

    def test_the_socket_is_INITD_SOCKET_or_in_XDG_RUNTIME_DIR(self):
        for env, name in (
            (lambda d: {"INITD_SOCKET": f"{d}/own.sock", "XDG_RUNTIME_DIR": d}, "own.sock"),
            (lambda d: {"XDG_RUNTIME_DIR": d}, "initd.sock"),
        ):
            with self.subTest(name):
                directory = self.directory()
                supervisor = Elsewhere(self, os.path.join(directory, name), env(directory))
                supervisor.wait_until_up()
                supervisor.peer().alive()

    def test_the_option_overrides_INITD_SOCKET(self):
        directory = self.directory()
        supervisor = self.start(directory=directory, env={"INITD_SOCKET": f"{directory}/other.sock"})
        supervisor.peer().alive()
        self.assertFalse(os.path.lexists(f"{directory}/other.sock"))

    def test_the_concurrency_option_overrides_the_manifests(self):
        supervisor = self.start("version: 1\nconcurrency: 2\n", "--concurrency", "5")
        self.assertEqual(supervisor.peer().status()["concurrency"], 5)
        self.assertEqual(self.start("version: 1\nconcurrency: 2\n").peer().status()["concurrency"], 2)
        self.assertEqual(self.start("version: 1\n").peer().status()["concurrency"], 1)

    def test_activate_counts_the_app_as_active_from_the_start(self):
        supervisor = self.start_with("a: { command: 'true', priority: appActive }", "--activate")
        peer = supervisor.peer()
        self.assertEqual(peer.status()["lifecycle"], "active")
        self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")

    def test_without_config_there_are_only_workers_initializers(self):
        supervisor = self.start()
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(peer.status()["initializers"], [])
        supervisor.worker("a").expect_run("a")

    def test_a_failed_launch_doesnt_end_it_and_can_be_inspected_and_retried(self):
        supervisor = self.start_with("a: { command: test -e there }")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
        self.assertIsNone(supervisor.program.process.poll())
        self.write(supervisor.file("there"), "")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_SIGHUP_is_logged_and_otherwise_ignored(self):
        supervisor = self.start()
        peer = supervisor.peer()
        before = len(supervisor.program.err)
        supervisor.program.signal(signal.SIGHUP)
        supervisor.program.until_err("HUP")
        self.assertGreater(len(supervisor.program.err), before)
        peer.alive()

    def test_signals_are_handled_from_the_moment_the_socket_answers(self):
        for _ in range(25):
            supervisor = self.start()
            supervisor.program.signal(signal.SIGTERM)
            self.assertEqual(supervisor.ended(), 0)
            self.assertFalse(os.path.lexists(supervisor.path))
            supervisor = self.start()
            supervisor.program.signal(signal.SIGHUP)
            supervisor.peer().alive()

    def test_lifecycle_events_may_come_as_signals(self):
        supervisor = self.start_with(
            "a: { command: 'true', priority: appActive }", "--activate-on", "USR1", "--deactivate-on", "SIGUSR2")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        peer.ok("subscribe", topics=["lifecycle"])
        for number in (2, 3):
            supervisor.program.signal(signal.SIGUSR1)
            peer.event_where(lifecycle="active")
            self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
            supervisor.program.signal(signal.SIGUSR2)
            peer.event_where(lifecycle="inactive")

    def test_only_the_log_is_written_to_standard_error(self):
        supervisor = self.start_with("a: { command: echo on standard output }")
        supervisor.peer().ok("wait", for_="launch")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        supervisor.program.pump()
        self.assertEqual(supervisor.program.out, b"")
        self.assertTrue(supervisor.program.err)

    def test_logs_may_be_json_one_value_per_line(self):
        supervisor = self.start(GOOD, "--log-format", "json")
        supervisor.peer().ok("wait", for_="launch")
        supervisor.program.signal(signal.SIGTERM)
        supervisor.ended()
        supervisor.program.pump()
        lines = supervisor.program.err.splitlines()
        self.assertTrue(lines)
        for line in lines:
            self.assertIsInstance(shapes.loads(line), dict)

    def test_a_lost_standard_error_doesnt_end_it(self):
        supervisor = self.start()
        peer = supervisor.peer()
        supervisor.program.close_err()
        supervisor.program.signal(signal.SIGHUP)
        for _ in range(10):
            supervisor.connect().close()
        peer.alive()

    def test_an_inherited_signal_mask_doesnt_block_its_signals(self):
        blocked = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}

        def block():
            signal.pthread_sigmask(signal.SIG_BLOCK, blocked)

        supervisor = self.start(preexec_fn=block)
        supervisor.program.signal(signal.SIGHUP)
        supervisor.program.until_err("HUP")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)


class CheckTests(Conformance):
    def test_a_good_manifest_is_0_and_nothing_runs(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), "version: 1\ninitializers:\n  a: { command: echo ran >> order }\n")
        self.assertStatus(self.initd("--check", path), 0)
        self.assertFalse(os.path.exists(os.path.join(directory, "order")))

    def test_a_report_that_can_not_be_written_is_1(self):
        """`initctl check` becomes `initd --check`, and finds `initd` in its own directory or in PATH."""
        path = self.write(os.path.join(self.directory(), "init.yaml"), GOOD)
        env = {"PATH": f"{os.path.dirname(INITD)}:{os.environ['PATH']}"}
        for words in ([INITD, "--check", path], [INITCTL, "check", path], [INITD, "--help"], [INITCTL, "--help"]):
            for closing in ("> /dev/full", ">&-", "<&- >&-"):
                with self.subTest(words=words, closing=closing):
                    program = self.program(["sh", "-c", f'exec "$@" {closing}', "sh", *words], env=env)
                    finished = self.assertStatus(program.finish(), 1)
                    self.assertIn("cannot write standard output: ", finished.err)
        # A reader that has seen enough is no error.
        for words in ([INITD, "--check", path], [INITCTL, "check", path]):
            reading, writing = os.pipe()
            os.close(reading)
            program = self.program(words, env=env, pass_fds=[writing], preexec_fn=lambda: os.dup2(writing, 1))
            os.close(writing)
            self.assertEqual(self.assertStatus(program.finish(), 0).err, "")

    def test_a_bad_one_is_65_and_one_that_cant_be_read_66(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), "version: 1\ninitializers: 5\n")
        finished = self.assertStatus(self.initd("--check", path), 65)
        self.assertIn(f"{path}:2:", finished.err)
        self.assertEqual(finished.out, "")
        self.assertStatus(self.initd("--check", os.path.join(directory, "nothing")), 66)


class Elsewhere(Supervisor):
    """A supervisor that determines its socket's path itself."""

    def __init__(self, test, path, env):
        self.test, self.path, self.directory = test, path, os.path.dirname(path)
        self.program = test.program([INITD], env=env)

    def test_a_missing_app_and_the_same_path_for_both_sockets_are_wrong_usage(self):
        path = os.path.join(self.directory(), "s")
        for words, naming in ((["--"], "give the app"), (["--observe-socket", path], "another path")):
            with self.subTest(words):
                self.assertIn(naming, self.assertStatus(self.initd("--socket", path, *words), 64).err)


if __name__ == "__main__":
    unittest.main()
