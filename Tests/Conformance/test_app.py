"""commands-and-manifest.md: `initd … -- APP`."""

import contextlib
import json
import os
import select
import shlex
import signal
import unittest

from calm import children
from deadlines import until
from peer import Peer, connected, hello
from supervisor import INITD, Conformance, is_running

FORWARDED = [signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGWINCH, signal.SIGRTMIN + 3]


class AppTests(Conformance):
    def app(self, initializers, *app, options=(), head=None, **more):
        """A supervisor with an app; it may end at any moment."""
        directory = self.directory()
        manifest = self.manifest(initializers) if head is None else self.manifest(initializers, head)
        path = self.write(os.path.join(directory, "init.yaml"), manifest)
        socket = os.path.join(directory, "s")
        program = self.program([INITD, "--socket", socket, "--config", path, *options, "--", *app], cwd=directory, **more)
        program.directory, program.socket = directory, socket
        return program

    def lines(self, program, name):
        try:
            with open(os.path.join(program.directory, name)) as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def test_the_app_starts_although_the_manifest_was_reloaded_before(self):
        program = self.app("a: { command: 'until test -e go; do sleep 0.01; done' }", "/bin/sh", "-c", "echo app >app")
        until(lambda: os.path.exists(program.socket), "no socket")
        control = Peer(connected(program.socket))
        self.addCleanup(control.close)
        hello(control)
        more = "a: { command: 'until test -e go; do sleep 0.01; done' }\nb: { command: 'echo b >b' }"
        self.write(os.path.join(program.directory, "init.yaml"), self.manifest(more))
        self.assertEqual(control.ok("reload")["added"], ["b"])
        self.write(os.path.join(program.directory, "go"), "")
        self.assertEqual(program.wait(), 0)
        self.assertEqual((self.lines(program, "b"), self.lines(program, "app")), (["b"], ["app"]))

    def test_every_exit_status_is_passed_on(self):
        """Tests all 256 statuses, each with its own supervisor, in an empty root, which is fast."""
        for status in range(256):
            program = self.app("", "/bin/sh", "-c", f"exit {status}", options=("--log-level", "error"))
            self.assertEqual(program.wait(), status)

    def test_the_status_of_an_app_ended_by_a_signal_is_128_more(self):
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGUSR1):
            program = self.app("", "/bin/sh", "-c", f"kill -{int(number)} $$")
            self.assertEqual(program.wait(), 128 + number)

    def test_S24_the_app_ends_before_initializers_are_stopped(self):
        program = self.app(
            "a: { command: 'true', stop: 'echo a >> order' }",
            "/bin/sh", "-c", "trap 'sleep 0.1; echo app >> order; exit 0' TERM; touch up; while :; do sleep 0.05; done",
        )
        until(lambda: os.path.exists(os.path.join(program.directory, "up")), "the app runs")
        self.initctl("--socket", program.socket, "shutdown")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.lines(program, "order"), ["app", "a"])

    def test_it_starts_once_ready_and_deactivates_when_it_ends(self):
        program = self.app(
            """
            l: { command: "echo l >> order" }
            a: { command: "sleep 0.05; echo a >> order", priority: appActive, dependencies: [l] }
            """,
            "/bin/sh", "-c", "echo app >> order; exit 5",
        )
        self.assertEqual(program.wait(), 5)
        self.assertEqual(self.lines(program, "order"), ["l", "a", "app"])
        self.assertFalse(os.path.exists(program.socket))

    def test_it_has_initds_streams_environment_and_directory_and_the_socket(self):
        program = self.app("", "/bin/sh", "-c", 'cat; echo "$INITD_SOCKET $MINE"; pwd; echo err >&2', env={"MINE": "kept"}, stdin=-1)
        program.process.stdin.write(b"typed\n")
        program.process.stdin.close()
        self.assertEqual(program.wait(), 0)
        program.pump()
        self.assertEqual(program.out.decode().splitlines(), ["typed", f"{program.socket} kept", program.directory])
        self.assertIn(b"\nerr\n", b"\n" + program.err)

    def test_it_is_never_started_if_initialization_fails_and_the_error_is_printed(self):
        for priority in ("appLaunch", "appActive"):
            program = self.app(f"a: {{ command: 'echo no space >&2; exit 3', priority: {priority} }}", "touch", "started", options=("--log-level", "critical"))
            self.assertEqual(program.wait(), 1)
            program.pump()
            self.assertFalse(os.path.exists(os.path.join(program.directory, "started")))
            self.assertRegex(program.err.decode(), "a failed [0-9]+ ms ago: exit status 3")
            self.assertIn("no space", program.err.decode())

    def test_a_failed_start_is_explained_once_by_the_tree_of_why(self):
        """At each level of the log that shows it; the reason isn't repeated."""
        phases = {"launch": ["launch failed"], "active": ["active failed"]}
        for level, reasons in (("info", 2), ("error", 1), ("critical", 1)):
            for phase, above in phases.items():
                with self.subTest(level=level, phase=phase):
                    priority = "appLaunch" if phase == "launch" else "appActive"
                    program = self.app(
                        f"""
                        db: {{ command: 'true' }}
                        a: {{ command: 'echo no space >&2; exit 3', dependencies: [db], priority: {priority} }}
                        z: {{ command: 'true', dependencies: [a], priority: {priority} }}
                        """,
                        "touch", "started", options=("--log-level", level, "--state-directory", "state"))
                    self.assertEqual(program.wait(), 1)
                    program.pump()
                    lines = [line.split(" initd: ", 1)[1] for line in program.err.decode().splitlines()]
                    self.assertEqual(sum("exit status 3" in line for line in lines), reasons)
                    self.assertEqual(sum("no space" in line for line in lines), 1)
                    tree = [line.removeprefix("critical: ") for line in lines if line.startswith("critical: ")]
                    self.assertEqual(tree[0], "the app is not started:")
                    self.assertRegex(tree[1], f"^└─ {phase} failed$")
                    self.assertRegex(tree[2], "^   └─ a failed [0-9]+ ms ago: exit status 3; fix it, then start the supervisor again$")
                    self.assertEqual(tree[3:], [] if level == "info" else ["         a | no space"])
                    if level == "info":
                        self.assertIn("shutting down: initialization failed", lines)
                        self.assertIn(f"this start is recorded: initctl why --state-directory {program.directory}/state", lines)
                        failed = [line for line in lines if " pass " in line and "failed" in line]
                        self.assertEqual(failed, ["error: launch pass 1 failed", "error: active pass 2 failed: launch failed"] if phase == "launch" else ["error: active pass 2 failed"])

    def test_the_line_about_an_app_that_isnt_started_has_members(self):
        program = self.app("a: { command: 'exit 3' }", "true", options=("--log-format", "json"))
        self.assertEqual(program.wait(), 1)
        program.pump()
        [line] = [each for each in map(json.loads, program.err.decode().splitlines()) if each.get("event") == "appNotStarted"]
        self.assertEqual((line["level"], line["initializer"], line["cause"]), ("critical", "a", {"kind": "exit", "status": 3}))

    def test_one_that_cant_be_started_is_127_or_126(self):
        directory = self.directory()
        self.write(os.path.join(directory, "data"), "not a program\n")
        for app, status in (("/nowhere/app", 127), ("no-such-program-anywhere", 127), (os.path.join(directory, "data"), 126)):
            program = self.app("", app)
            self.assertEqual(program.wait(), status)
            program.pump()
            self.assertIn(app, program.err.decode())

    def test_signals_are_forwarded_to_it(self):
        names = " ".join(str(int(number)) for number in FORWARDED)
        program = self.app(
            "", "/bin/bash", "-c",
            f"""for n in {names} 15 2; do trap "echo $n >> seen" $n; done; trap 'exit 9' TERM; echo up >> seen
            while :; do sleep 0.01; done""",
        )
        until(lambda: self.lines(program, "seen") == ["up"], "the app")
        for count, number in enumerate([*FORWARDED, signal.SIGINT], start=2):
            program.signal(number)
            until(lambda: len(self.lines(program, "seen")) >= count, f"signal {number}")
        self.assertEqual(self.lines(program, "seen")[1:], [str(int(number)) for number in [*FORWARDED, signal.SIGINT]])
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 9)

    def test_a_stopped_app_can_continue(self):
        program = self.app("", "/bin/sh", "-c", "echo $$ > pid; while :; do sleep 0.01; done")
        until(lambda: self.lines(program, "pid"), "the app")
        pid = int(self.lines(program, "pid")[0])

        def state():
            with open(f"/proc/{pid}/stat") as file:
                return file.read().rsplit(")", 1)[1].split()[0]

        program.signal(signal.SIGTSTP)
        until(lambda: state() == "T", "the app to stop")
        program.signal(signal.SIGCONT)
        until(lambda: state() != "T", "the app to continue")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)

    def test_a_stopped_app_is_still_terminated(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            program = self.app("", "/bin/sh", "-c", "trap 'exit 7' TERM HUP; echo $$ > up; while :; do sleep 0.01; done")
            [pid] = until(lambda: self.lines(program, "up"), "the app")
            os.kill(int(pid), signal.SIGSTOP)
            until(lambda: children(program.pid).get(int(pid)) == "T", "a stopped app")
            program.signal(number)
            self.assertEqual(program.wait(), 7)

    def test_a_signal_before_its_start_ends_initd_with_the_signals_status(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            program = self.app("a: { command: 'echo $$ > pid; sleep 600' }", "touch", "started")
            until(lambda: self.lines(program, "pid"), "the initializer")
            program.signal(number)
            self.assertEqual(program.wait(), 128 + number)
            self.assertFalse(os.path.exists(os.path.join(program.directory, "started")))
            self.assertFalse(is_running(int(self.lines(program, "pid")[0])))

    def test_activate_and_deactivate_work_while_it_runs(self):
        program = self.app("a: { command: 'echo $INITD_PASS >> passes', priority: appActive }", "/bin/sh", "-c", "echo > up; read line", stdin=-1)
        until(lambda: self.lines(program, "up") == [""], "the app")
        self.assertStatus(self.initctl("--socket", program.socket, "deactivate"), 0)
        self.assertStatus(self.initctl("--socket", program.socket, "activate", "--wait"), 0)
        self.assertEqual(len(self.lines(program, "passes")), 2)
        program.process.stdin.close()
        self.assertEqual(program.wait(), 1)

    def test_a_failed_activation_later_leaves_it_running(self):
        program = self.app("a: { command: '! test -e bad', priority: appActive }", "/bin/sh", "-c", "echo > up; read line", stdin=-1)
        until(lambda: self.lines(program, "up") == [""], "the app")
        self.write(os.path.join(program.directory, "bad"), "")
        self.initctl("--socket", program.socket, "deactivate")
        self.assertStatus(self.initctl("--socket", program.socket, "activate", "--wait"), 1)
        self.assertIsNone(program.process.poll())
        program.process.stdin.close()
        self.assertEqual(program.wait(), 1)

    def test_shutdown_ends_it_and_returns_its_status(self):
        program = self.app("", "/bin/sh", "-c", "trap 'exit 4' TERM; echo > up; while :; do sleep 0.01; done")
        until(lambda: self.lines(program, "up") == [""], "the app")
        self.assertStatus(self.initctl("--socket", program.socket, "shutdown"), 0)
        self.assertEqual(program.wait(), 4)

    def test_one_that_ignores_sigterm_is_killed_on_shutdown(self):
        program = self.app("", "/bin/sh", "-c", "trap '' TERM; echo > up; while :; do sleep 0.01; done")
        until(lambda: self.lines(program, "up") == [""], "the app")
        self.assertStatus(self.initctl("--socket", program.socket, "shutdown"), 0)
        self.assertEqual(program.wait(), 137)

    def test_the_status_of_an_app_that_is_killed_when_the_waiting_is_skipped_is_returned(self):
        """The app is killed even if there is no connected client that the supervisor would wait for."""
        program = self.app("", "/bin/sh", "-c", "trap '' TERM INT; echo > up; while :; do sleep 0.01; done", head="version: 1\ncancelGrace: 1m\n")
        until(lambda: self.lines(program, "up") == [""], "the app")
        peer = Peer(connected(program.socket))
        hello(peer)
        peer.ok("shutdown")
        peer.close()
        for number in (signal.SIGTERM, signal.SIGINT):
            program.signal(number)
        self.assertEqual(program.wait(), 137)

    def test_processes_that_it_leaves_behind_are_ended(self):
        """Even processes in another session are killed: orphans that the supervisor has adopted."""
        program = self.app("", "/bin/sh", "-c", "setsid sh -c 'echo $$ > daemon; exec sleep 600' & until test -s daemon; do :; done; exit 3")
        self.assertEqual(program.wait(), 3)
        self.assertFalse(is_running(int(self.lines(program, "daemon")[0])))

    def test_orphans_are_reaped_while_it_runs(self):
        program = self.app(
            "", "/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do sh -c 'sleep 0.05 & true'; done; echo > up; read line", stdin=-1
        )
        until(lambda: self.lines(program, "up") == [""], "the app")

        until(lambda: len(found := children(program.pid)) == 1 and "Z" not in found.values(), "nothing but the app")
        program.process.stdin.close()
        self.assertEqual(program.wait(), 1)

    def test_no_launch_and_an_app_exclude_each_other(self):
        finished = self.initd("--no-launch", "--", "true")
        self.assertStatus(finished, 64)


class WorkerTests(Conformance):
    WORKER = """
import os, sys
sys.path.insert(0, CLIENT)
from appinitializers import Worker
worker = Worker()
@worker.initializer("favorites", per_process=True)
def favorites(context):
    with open("runs", "a") as file:
        print(os.getpid(), file=file)
worker.run()
"""

    def start_workers(self, workers, initializers="", *arguments, head=None, **options):
        directory = self.directory()
        client = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../clients/python")
        self.write(os.path.join(directory, "worker.py"), self.WORKER.replace("CLIENT", repr(client)))
        # A worker in Python may start slowly on a busy machine.
        patient = "version: 1\ncancelGrace: 300ms\n"
        body = self.manifest(initializers, head=head or patient).rstrip("\n") + "\nworkers:\n" + "\n".join("  " + line for line in workers) + "\n"
        return self.start(body, *arguments, directory=directory, **options)

    def test_a_worker_is_started_and_registers_and_is_used(self):
        supervisor = self.start_workers(["shelf: { command: [python3, worker.py] }"], "favorites: { worker: true }", "--activate")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        [pid] = map(int, supervisor.lines("runs"))
        self.assertEqual([each["pid"] for each in peer.status()["workers"]], [pid])
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(pid))

    def test_a_crashed_worker_is_restarted_and_its_perProcess_initializers_run_again(self):
        supervisor = self.start_workers(
            ["shelf: { command: [python3, worker.py], backoff: { delay: 10ms } }"], "favorites: { worker: true }", "--activate"
        )
        supervisor.peer().ok("wait", for_="launch")
        [first] = map(int, supervisor.lines("runs"))
        os.kill(first, signal.SIGKILL)
        second = int(supervisor.until_lines("runs", 2)[1])
        self.assertNotEqual(first, second)
        self.assertTrue(is_running(second))

    def test_restart_determines_after_which_exits_it_is_restarted(self):
        for restart, command, starts in (
            ("never", "exit 1", 1), ("onFailure", "exit 0", 1), ("onFailure", "exit 1", 3), ("always", "exit 0", 3),
        ):
            with self.subTest(f"{restart} {command}"):
                supervisor = self.start_workers(
                    [f"w: {{ command: 'echo x >> starts; {command}', restart: {restart}, backoff: {{ delay: 1ms, factor: 1 }} }}"]
                )
                supervisor.until_lines("starts", starts)
                if starts == 1:
                    supervisor.program.until_err("process w ended")
                    supervisor.peer().alive()
                    self.assertEqual(len(supervisor.lines("starts")), 1)

    def test_a_worker_that_repeatedly_exits_at_once_is_given_up_with_an_error(self):
        for command in ("'echo x >> starts; exit 3'", "[./nothing-there]"):
            supervisor = self.start_workers([f"w: {{ command: {command}, backoff: {{ delay: 1ms, factor: 1 }} }}"])
            supervisor.program.until_err("process w is given up")
            supervisor.peer().alive()
        self.assertIn("initctl logs w", supervisor.program.err.decode())

    def test_a_worker_that_was_given_up_is_started_by_the_next_launch_or_activation(self):
        for method in ("launch", "activate"):
            supervisor = self.start_workers(["w: { command: [./w], backoff: { delay: 1ms, factor: 1 } }"])
            supervisor.program.until_err("process w is given up")
            self.assertIn("initctl start w", supervisor.program.err.decode())
            os.chmod(self.write(supervisor.file("w"), "#!/bin/sh\necho >> starts\nexec sleep 600\n"), 0o755)
            supervisor.peer().ok(method)
            supervisor.until_lines("starts")

    def test_a_workers_output_is_in_the_logs_under_its_name(self):
        supervisor = self.start_workers(["w: { command: 'echo out; echo err >&2; exec sleep 600' }"])
        until(lambda: len(supervisor.peer().ok("logs", initializer="w")["lines"]) == 2, "its lines")
        self.assertEqual(supervisor.ctl("logs", "w").status, 0)

    def test_it_has_the_socket_its_environment_and_its_directory(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "sub"))
        body = "version: 1\nworkers:\n  w: { command: 'echo $INITD_SOCKET $A $B; pwd; env | grep -c ^NOTIFY_SOCKET; exec sleep 600', environment: { B: 2 }, workingDirectory: sub }\n"
        supervisor = self.start(body, directory=directory, env={"A": "1", "NOTIFY_SOCKET": "/x"})
        lines = until(lambda: len(found := supervisor.peer().ok("logs", initializer="w")["lines"]) == 3 and found, "its lines")
        self.assertEqual([each["line"] for each in lines], [f"{supervisor.path} 1 2", os.path.join(directory, "sub"), "0"])

    def test_they_are_stopped_each_waited_for(self):
        loud = "trap 'sleep 0.05; echo {0} >> stopped; exit 0' TERM; echo {0} >> started; while :; do sleep 0.01; done"
        supervisor = self.start_workers([f'{name}: {{ command: "{loud.format(name)}" }}' for name in ("a", "b", "c")])
        supervisor.until_lines("started", 3)
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(sorted(supervisor.lines("stopped")), ["a", "b", "c"])

    def test_one_that_ignores_sigterm_is_killed_after_the_grace(self):
        supervisor = self.start_workers(["w: { command: \"trap '' TERM; echo $$ >> pid; while :; do sleep 0.01; done\" }"])
        [pid] = map(int, supervisor.until_lines("pid"))
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(pid))


class TerminalTests(Conformance):
    """In the foreground of a terminal."""

    def typed(self, script, *words):
        """Starts a shell with job control in its own terminal, which starts initd with this app; input is sent there."""
        directory = self.directory()
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        job = [INITD, "--socket", os.path.join(directory, "s"), "--log-level", "info", *words, "--", "/bin/sh", "-c", script]
        # A Ctrl-C after initd has ended doesn't end the shell before it has written the status.
        shell = f"trap : INT; cd {directory}; stty tostop; {shlex.join(job)}; echo $? > status; exit"
        program = self.program(["setsid", "--ctty", "--wait", "/bin/bash", "-c", shell], stdin=theirs)
        os.close(theirs)
        return program, ours, directory

    def test_the_app_has_the_terminal_and_initd_gets_it_back_after_its_end(self):
        """Input belongs to the app. Ctrl-C goes to the app. After the app has ended, it goes to initd, which waits for a worker that
        ignores SIGTERM."""
        directory = self.directory()
        body = 'version: 1\ncancelGrace: 60s\nworkers:\n  w: { command: "trap \'\' TERM; echo up >> up; while :; do sleep 0.05; done" }\n'
        manifest = self.write(os.path.join(directory, "init.yaml"), body)
        script = f"until test -e {directory}/up; do sleep 0.01; done; read line; echo $line > typed; trap 'exit 5' INT; echo x > trapped; while :; do sleep 0.02; done"
        program, terminal, where = self.typed(script, "--config", manifest)

        def read(name):
            with contextlib.suppress(FileNotFoundError), open(os.path.join(where, name)) as file:
                return file.read()
            return ""

        until(lambda: os.path.exists(os.path.join(directory, "up")), "the worker")
        os.write(terminal, b"hello\n")
        until(lambda: read("typed") == "hello\n", "what was typed")
        until(lambda: read("trapped"), "the app's trap")
        os.write(terminal, b"\x03")
        program.until_err("the app ended: exit status 5")
        # Two signals, which may be merged into one.
        until(lambda: os.write(terminal, b"\x03") and read("status") == "5\n", "its end, long before the worker's grace")

    def test_a_background_initd_may_log_to_a_terminal_with_tostop(self):
        """With `stty tostop`, a background job is stopped when it writes; initd, whose app is in the foreground, isn't."""
        directory = self.directory()
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)
        job = shlex.join([INITD, "--socket", os.path.join(directory, "s"), "--", "/bin/sh", "-c", "read line; exit 6"])
        shell = f"stty tostop; {job} 2>&0; echo $? > {directory}/status"
        self.program(["setsid", "--ctty", "--wait", "/bin/bash", "-c", shell], stdin=theirs)
        os.close(theirs)
        said = bytearray()

        def is_started():
            if select.select([ours], [], [], 0)[0]:
                said.extend(os.read(ours, 4096))
            return b"started /bin/sh" in said

        until(is_started, "the app")
        os.write(ours, b"go\n")

        def is_over():
            with contextlib.suppress(FileNotFoundError), open(os.path.join(directory, "status")) as file:
                return file.read() == "6\n"

        until(is_over, "its end")


@unittest.skipUnless(os.geteuid() == 0, "a PID namespace requires root")
class FirstProcessTests(Conformance):
    """Runs initd as PID 1 of a namespace."""

    def first(self, manifest, *app, **options):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), manifest)
        words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", INITD, "--socket", os.path.join(directory, "s"), "--config", path, "--", *app]
        program = self.program(words, cwd=directory, **options)
        program.directory = directory
        return program

    def test_initd_as_pid_1_returns_the_apps_status(self):
        for status in range(256):
            program = self.first("version: 1\ninitializers:\n  a: { command: 'echo $PPID > parent' }\n", "/bin/sh", "-c", f"exit {status}")
            self.assertEqual(program.wait(), status)
            with open(os.path.join(program.directory, "parent")) as file:
                self.assertEqual(file.read(), "1\n")

    def test_a_signal_before_it_listens_is_handled(self):
        """The signal has been pending since before the start; the kernel drops signals to a first process without a handler."""
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "gate"))
        initd = [INITD, "--socket", os.path.join(directory, "s"), "--", "touch", "started"]
        words = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "/bin/bash", "-c", 'read line < gate; exec "$@"', "bash", *initd]

        def block():
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

        program = self.program(words, cwd=directory, preexec_fn=block)
        # Opened for writing after it was opened for reading.
        with open(os.path.join(directory, "gate"), "w") as gate:
            [first] = children(program.pid)
            os.kill(first, signal.SIGTERM)
            gate.write("go\n")
        self.assertEqual(program.wait(), 143)
        self.assertFalse(os.path.exists(os.path.join(directory, "started")))

    def test_pids_of_another_namespace_arent_taken_for_its_children(self):
        """Without a /proc of its own, it sees that of its parent namespace, in which process 1 is another process."""
        directory = self.directory()
        words = ["unshare", "--pid", "--fork", "--kill-child", INITD, "--socket", os.path.join(directory, "s"), "--", "sh", "-c", "exit 6"]
        self.assertEqual(self.program(words, cwd=directory).wait(), 6)

    def test_every_signal_that_may_be_the_apps_reaches_it(self):
        """Sends all signals except those for initd itself, and those that can't be handled."""
        names = [number for number in range(1, 65) if number not in (4, 5, 6, 7, 8, 9, 11, 13, 17, 19, 21, 22, 31, 32, 33)]
        traps = "; ".join(f"trap 'echo {number} >> got' {number}" for number in names)
        sends = "; ".join(f"kill -{number} 1; until grep -qx {number} got; do sleep 0.005; done" for number in names)
        program = self.first("version: 1\n", "/bin/bash", "-c", f"touch got; {traps}; {sends}; exit 9")
        self.assertEqual(program.wait(60), 9)

    def test_a_signal_that_ended_the_app_is_128_more(self):
        for number in (1, 2, 3, 6, 9, 11, 15, 34, 64):
            self.assertEqual(self.first("version: 1\n", "/bin/sh", "-c", f"kill -{number} $$; sleep 5").wait(), 128 + number)

    def test_orphans_of_orphans_are_reaped(self):
        script = """
        for i in $(seq 50); do (setsid sh -c 'sleep 0.02 & exit 0' & exit 0); done
        sleep 0.05
        until ! grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null >&2; do sleep 0.01; done
        until [ $(ls -d /proc/[0-9]* | wc -l) -le 4 ]; do sleep 0.01; done
        exit 6
        """
        self.assertEqual(self.first("version: 1\n", "/bin/sh", "-c", script).wait(), 6)

    def test_signals_to_it_reach_the_app(self):
        program = self.first("version: 1\n", "/bin/bash", "-c", "trap 'exit 8' USR1; kill -USR1 1; while :; do sleep 0.01; done")
        self.assertEqual(program.wait(), 8)
