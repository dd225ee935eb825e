"""`initctl worker`: several names from one file, progress, status lines, and reconnecting. One name alone: test_initctl_cli.py."""

import json
import os
import signal
import textwrap
import time
import unittest

from deadlines import until
from supervisor import FAST, INITCTL, Conformance, is_running
from test_coordination import RELEASE, Coordinator


class WorkerCase(Conformance):
    def config(self, supervisor, text, name="worker.yaml"):
        """Writes a manifest of a worker; `text` is its initializers, or all of it."""
        text = textwrap.dedent(text).strip("\n")
        if not text.startswith("version:"):
            text = "version: 1\ninitializers:\n" + textwrap.indent(text, "  ")
        return self.write(supervisor.file(name), text + "\n")

    def serve(self, supervisor, text, *words, **options):
        """Starts `initctl worker --config` with status lines in the file `status`, and waits until its names are registered."""
        command = [INITCTL, "--socket", supervisor.path, "worker", "--config", self.config(supervisor, text), "--status-fd", "3", *words]
        program = self.program(["sh", "-c", 'exec "$@" 3>>status', "sh", *command], cwd=supervisor.directory, **options)
        self.until_status(supervisor, "connected")
        return program

    def until_status(self, supervisor, wanted, count=1):
        """The status lines, once there are `count` that begin with `wanted`."""
        return until(
            lambda: (lines := supervisor.lines("status")) and sum(each.startswith(wanted) for each in lines) >= count and lines,
            f"{count} times {wanted!r} in the status lines {supervisor.lines('status')}",
        )


class ConfigTests(WorkerCase):
    def test_all_names_are_registered_with_their_settings(self):
        supervisor = self.start_with("migrate: { command: 'true' }", "--no-launch")
        self.serve(
            supervisor,
            """
            port: { command: 'true', dependencies: [migrate], timeout: 90s, perProcess: true, description: picks a port }
            serve: { command: 'true', dependencies: [port, later], priority: appActive }
            """,
        )
        peer = supervisor.peer()
        port, serve = peer.initializer("port"), peer.initializer("serve")
        self.assertEqual((port["priority"], port["dependencies"], port["provider"], port["available"]), ("appLaunch", ["migrate"], "worker", True))
        self.assertEqual((serve["priority"], serve["dependencies"]), ("appActive", ["port", "later"]))
        [worker] = peer.status()["workers"]
        self.assertEqual((worker["client"], worker["initializers"]), ("initctl worker port and 1 more", ["port", "serve"]))

    def test_its_timeout_and_its_retries_are_the_runs(self):
        supervisor = self.start_fast("--no-launch")
        self.serve(supervisor, "a: { command: 'echo x >> ran; exec sleep 600', timeout: 200ms, retry: { attempts: 2, delay: 10ms } }")
        peer = supervisor.peer()
        peer.ok("launch")
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a", cause={"kind": "timeout", "after": 0.2})
        self.assertEqual(supervisor.lines("ran"), ["x", "x"])

    def test_an_optional_one_may_fail(self):
        supervisor = self.start_fast("--no-launch")
        self.serve(supervisor, "a: { command: 'false', optional: true }\nb: { command: 'true' }")
        peer = supervisor.peer()
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(peer.initializer("a")["status"], "failed")

    def test_settings_that_the_file_leaves_out_are_the_manifests(self):
        supervisor = self.start_with("c: { command: 'true' }\nw: { worker: true, priority: appActive, dependencies: [c] }", "--no-launch")
        self.serve(supervisor, "w: { command: 'true' }")
        shown = supervisor.peer().initializer("w")
        self.assertEqual((shown["priority"], shown["dependencies"], shown["available"]), ("appActive", ["c"], True))

    def test_the_environment_and_the_directory_are_those_of_the_file(self):
        supervisor = self.start_fast("--no-launch")
        os.mkdir(supervisor.file("state"))
        os.mkdir(supervisor.file("elsewhere"))
        self.write(supervisor.file("show"), '#!/bin/sh\necho "$PWD $A $B" > "$OUT.new"; mv "$OUT.new" "$OUT"\n')
        os.chmod(supervisor.file("show"), 0o755)
        config = self.config(
            supervisor,
            """
            version: 1
            environment: { A: one, B: one }
            initializers:
              a: { command: [./show], environment: { B: two, OUT: ../got-a }, workingDirectory: state }
              b: { command: './show', environment: { OUT: got-b } }
            """,
        )
        self.program([INITCTL, "--socket", supervisor.path, "worker", "--config", config], cwd=supervisor.file("elsewhere"))
        peer = supervisor.peer()
        until(lambda: peer.status()["workers"], "the registration")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("got-a"), [supervisor.file("state") + " one two"])
        self.assertEqual(supervisor.lines("got-b"), [supervisor.directory + " one one"])

    def test_the_file_may_be_standard_input(self):
        supervisor = self.start_fast()
        path = self.config(supervisor, "a: { command: 'pwd > got' }")
        with open(path) as file:
            supervisor.start_ctl("worker", "--config", "-", stdin=file, cwd=supervisor.directory)
        self.assertEqual(supervisor.until_lines("got"), [supervisor.directory])
        with open(self.write(path, "version: 1\n")) as file:
            finished = supervisor.ctl("worker", "--config", "-", stdin=file)
        self.assertEqual((self.assertStatus(finished, 65).err[:12]), "<stdin>:1:1:")

    def test_every_mistake_is_told_with_its_line_and_a_remedy(self):
        supervisor = self.start_fast("--no-launch")
        path = self.config(
            supervisor,
            """
            version: 1
            workers: {}
            initializers:
              a: { comand: x, timeout: 30x }
              b: { worker: true }
              c: { command: 'true', stop: 'true', dependencies: [c] }
              d: { command: 'true', once: fleet, priority: appActiv }
            """,
        )
        found = self.assertStatus(supervisor.ctl("worker", "--config", path), 65).err.splitlines()
        for place, text in (
            ("2:1", 'unknown key "workers" in the manifest'), ("4:8", 'unknown key "comand" in initializer "a"; did you mean "command"?'),
            ("4:3", 'initializer "a" has no command'), ("4:28", '"timeout"'), ("5:8", 'unknown key "worker"'), ("6:25", 'unknown key "stop"'),
            ("6:54", "circular dependency c -> c"), ("7:25", 'unknown key "once"'), ("7:48", 'did you mean "appActive"?'),
        ):
            with self.subTest(place):
                self.assertTrue(any(each.startswith(f"{path}:{place}: ") and text in each for each in found), found)
        self.assertEqual(len(found), 9, "\n".join(found))

    def test_a_file_without_initializers_is_a_mistake(self):
        supervisor = self.start_fast("--no-launch")
        for text in ("version: 1", "version: 1\ninitializers: {}"):
            path = self.config(supervisor, text)
            self.assertIn("there are no initializers", self.assertStatus(supervisor.ctl("worker", "--config", path), 65).err)

    def test_a_file_that_cannot_be_read_is_66(self):
        supervisor = self.start_fast("--no-launch")
        self.assertStatus(supervisor.ctl("worker", "--config", supervisor.file("nothing")), 66)

    def test_what_the_file_says_cannot_be_said_beside_it(self):
        path = self.write(os.path.join(self.directory(), "w.yaml"), "version: 1\ninitializers: { a: { command: x } }\n")
        for words in (
            ["a"], ["--", "true"], ["--priority", "appActive"], ["--dependency", "b"], ["--timeout", "1s"], ["--secret"], ["--status-fd", "9"],
            ["--status-fd", "x"], ["--progress-prefix="],
        ):
            with self.subTest(words):
                self.assertStatus(self.initctl("worker", "--config", path, *words), 64)


class RunTests(WorkerCase):
    def test_runs_of_different_names_run_at_once(self):
        supervisor = self.start_fast("--no-launch", "--concurrency", "2")
        self.serve(supervisor, "a: { command: 'mkfifo f; echo from a > f' }\nb: { command: 'until test -p f; do sleep 0.01; done; cat f > got' }")
        peer = supervisor.peer()
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("got"), ["from a"])

    def test_a_command_that_somebody_else_killed_says_so(self):
        supervisor = self.start_with("a: { worker: true }")
        self.program([INITCTL, "--socket", supervisor.path, "worker", "a", "--", "sh", "-c", "kill -9 $$"])
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="a")
        self.assertEqual(error["cause"]["message"], "killed by SIGKILL, not by initd: perhaps the kernel's OOM killer")

    def test_its_environment_is_that_of_a_manifests_command(self):
        supervisor = self.start(
            self.manifest("base: { command: 'echo \\\"text\\\" > $INITD_OUTPUT' }\nw: { worker: true, once: fleet, dependencies: [base] }", head=RELEASE), "--no-launch"
        )
        coordinator = Coordinator(supervisor)
        self.serve(supervisor, "w: { command: 'env > got; mv got environment; echo 5 > $INITD_OUTPUT' }\nnext: { command: 'echo $INITD_INPUT_W > input', dependencies: [w] }")
        supervisor.peer().ok("launch")
        claim = coordinator.claim("w")
        coordinator.grant(claim, fence=42)
        coordinator.record(claim)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        got = dict(line.split("=", 1) for line in supervisor.lines("environment"))
        self.assertEqual((got["INITD_FENCE"], got["INITD_INPUT_BASE"], got["INITD_INPUT_BASE_JSON"]), ("42", "text", '"text"'))
        self.assertEqual((got["INITD_INITIALIZER"], got["INITD_PHASE"], got["INITD_ATTEMPT"], got["INITD_SOCKET"]), ("w", "launch", "1", supervisor.path))
        self.assertRegex(got["TRACEPARENT"], "^00-[0-9a-f]{32}-[0-9a-f]{16}-01$")
        self.assertEqual(os.path.dirname(got["INITD_OUTPUT"]), os.path.dirname(got["NOTIFY_SOCKET"]))
        self.assertEqual(supervisor.until_lines("input"), ["5"])

    def test_all_inputs_are_in_a_file_also_those_too_long_for_a_variable(self):
        supervisor = self.start_fast("--no-launch", "--limit", "outputBytes=1000KiB")
        worker = supervisor.worker("long", "short")
        self.serve(
            supervisor,
            "a: { command: 'cp $INITD_INPUTS got; echo ${INITD_INPUT_LONG-absent} $INITD_INPUT_SHORT > variables', dependencies: [long, short] }\n"
            "b: { command: 'cp $INITD_INPUTS none', dependencies: [a] }",
        )
        supervisor.peer().ok("launch")
        long = "é" * 100_000
        for name, output in (("long", long), ("short", [1, 2.50])):
            worker.send(id=worker.expect_run(name).id, result={"output": output})
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(json.loads(supervisor.text("got")), {"long": long, "short": [1, 2.5]})
        self.assertEqual(supervisor.lines("variables"), ["absent [1,2.5]"])
        self.assertEqual(json.loads(supervisor.text("none")), {})

    def test_a_secret_output_is_not_logged(self):
        supervisor = self.start_fast("--log-level", "debug")
        self.serve(supervisor, "a: { command: 'echo hunter2 > $INITD_OUTPUT', secret: true }\nb: { command: 'echo $INITD_INPUT_A > got', dependencies: [a] }")
        self.assertEqual(supervisor.until_lines("got"), ["hunter2"])
        supervisor.program.pump()
        self.assertNotIn(b"hunter2", supervisor.program.err)

    def test_a_line_makes_an_output_secret(self):
        supervisor = self.start_fast("--log-level", "debug")
        self.serve(
            supervisor, "a: { command: 'echo hunter2 > $INITD_OUTPUT; echo ::secret' }\nb: { command: 'echo $INITD_INPUT_A > got', dependencies: [a] }",
            "--progress-prefix", "::",
        )
        self.assertEqual(supervisor.until_lines("got"), ["hunter2"])
        supervisor.program.pump()
        self.assertNotIn(b"hunter2", supervisor.program.err)

    def test_a_line_is_the_reason_of_a_failure_unless_the_command_succeeds(self):
        for end, state in (("exit 3", "failed"), ("exit 0", "complete")):
            with self.subTest(end):
                supervisor = self.start_fast("--no-launch")
                self.serve(supervisor, f"a: {{ command: 'echo ::fail no such table; {end}' }}", "--progress-prefix", "::")
                peer = supervisor.peer()
                peer.ok("launch")
                found = peer.ok("wait", for_="launch")
                self.assertEqual(found["state"], state)
                if state == "failed":
                    self.failed(found, "initializerFailed", cause={"kind": "error", "message": "no such table"})

    def test_the_last_of_many_lines_is_read_though_the_command_has_exited(self):
        """The worker finds the output and the exit in one turn, in which it reads fewer lines."""
        supervisor = self.start_fast("--no-launch")
        script = "echo $$ >> pids; until test -e go; do sleep 0.01; done; seq 3000; echo ::fail no such table; exit 3"
        program = self.serve(supervisor, f"a: {{ command: '{script}' }}", "--progress-prefix", "::")
        peer = supervisor.peer()
        peer.ok("launch")
        [pid] = map(int, supervisor.until_lines("pids"))
        program.signal(signal.SIGSTOP)
        self.write(supervisor.file("go"), "")
        until(lambda: not is_running(pid), "its end")
        program.signal(signal.SIGCONT)
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", cause={"kind": "error", "message": "no such table"})

    def test_a_cancel_ends_the_commands_whole_group(self):
        supervisor = self.start("version: 1\n", "--activate")
        self.serve(supervisor, "a: { command: 'sleep 600 & echo $! >> pids; echo $$ >> pids; wait', priority: appActive }")
        pids = [int(each) for each in supervisor.until_lines("pids", 2)]
        supervisor.peer().ok("deactivate", wait=True)
        until(lambda: not any(is_running(each) for each in pids), "the end of the whole group")

    def test_a_command_that_ignores_SIGTERM_is_killed_after_the_grace(self):
        for words in (["--cancel-grace", "200ms"], []):
            with self.subTest(words):
                supervisor = self.start("version: 1\ncancelGrace: 60s\n", "--activate")
                text = """
                    version: 1
                    cancelGrace: 200ms
                    initializers:
                      a: { command: "trap 'echo told >> seen' TERM; echo $$ >> seen; while :; do sleep 0.01; done", priority: appActive }
                    """
                self.serve(supervisor, text.replace("200ms", "60s") if words else text, *words)
                child = int(supervisor.until_lines("seen")[0])
                supervisor.peer().ok("deactivate", wait=True)
                self.assertFalse(is_running(child))
                self.assertEqual(supervisor.lines("seen")[1:], ["told"])
                self.assertEqual(len(supervisor.peer().status()["workers"]), 1, "the supervisor had to close the connection")


NOTIFY = """python3 -c 'import os, socket, sys; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(sys.argv[1].encode(), os.environ["NOTIFY_SOCKET"])' """


class ProgressTests(WorkerCase):
    def progress(self, text, *words):
        """The progress reports of a launch of `a`, and the supervisor and the worker."""
        supervisor = self.start_fast("--no-launch")
        program = self.serve(supervisor, text, *words)
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer"])
        watcher.ok("launch")
        events = [each["initializer"] for each in watcher.initializer_events_until("a", "complete")]
        reports = [each["progress"] for each in events if "progress" in each and each["status"] == "running"]
        return [report for index, report in enumerate(reports) if report not in reports[:index]], supervisor, program

    def test_datagrams_to_NOTIFY_SOCKET_are_reported(self):
        self.write(path := os.path.join(self.directory(), "report"), "#!/bin/sh\n" + NOTIFY + '"X_INITD_PROGRESS=0.25\nSTATUS=a quarter"\n')
        os.chmod(path, 0o755)
        reports, _, _ = self.progress(f"a: {{ command: [{path}] }}")
        self.assertEqual(reports, [{"fraction": 0.25, "message": "a quarter"}])

    def test_a_process_that_a_run_left_behind_cant_report_for_the_next(self):
        """Though it is still connected to the socket of its run."""
        stranger = """
            import os, socket, sys
            reports = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            reports.connect(os.environ["NOTIFY_SOCKET"])
            if os.fork():
                sys.exit()
            os.setsid()
            os.close(1)
            with open("go") as go:
                go.read()
            try:
                reports.send(b"STATUS=stranger")
            except OSError:
                pass
            with open("sent", "w") as sent:
                sent.write("sent\\n")
            """
        supervisor = self.start_fast("--no-launch")
        for name in ("go", "sent"):
            os.mkfifo(supervisor.file(name))
        self.write(supervisor.file("leave"), textwrap.dedent(stranger))
        self.write(supervisor.file("next"), f"echo > go\nread line < sent\n{NOTIFY} STATUS=own\n")
        self.serve(supervisor, "a: { command: [python3, leave] }\nb: { command: [sh, next], dependencies: [a] }")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer"])
        watcher.ok("launch")
        events = [each["initializer"] for each in watcher.initializer_events_until("b", "complete")]
        reports = [each["progress"]["message"] for each in events if each["name"] == "b" and each["status"] == "running" and "progress" in each]
        self.assertEqual(reports, ["own"])

    def test_nothing_of_a_run_stays_open(self):
        supervisor = self.start("version: 1\n")
        program = self.serve(supervisor, "a: { command: 'true', priority: appActive }")
        peer = supervisor.peer()
        opened = []
        for _ in range(5):
            peer.ok("activate")
            self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
            peer.ok("deactivate", wait=True)
            opened.append(len(os.listdir(f"/proc/{program.pid}/fd")))
        self.assertEqual(opened[1:], opened[:-1])

    def test_lines_with_the_prefix_are_reported_and_others_are_printed(self):
        lines = ["first", "::progress 0.25", "::progress 0.5 half  of it", ":: message the rest", "::progress 7", "::nonsense", "::extend x", "x::progress 1", "last"]
        reports, _, program = self.progress("a: { command: [printf, '%s\\n', " + ", ".join(f"'{each}'" for each in lines) + "] }", "--progress-prefix", "::")
        self.assertEqual(reports, [{"fraction": 0.25}, {"fraction": 0.5, "message": "half  of it"}, {"fraction": 0.5, "message": "the rest"}])
        program.signal(signal.SIGTERM)
        self.assertEqual(program.finish().out.splitlines(), ["first", "::progress 7", "::nonsense", "::extend x", "x::progress 1", "last"])

    def test_output_that_is_no_text_is_printed_unchanged(self):
        _, _, program = self.progress("a: { command: \"printf 'a\\\\377b\\\\nend without newline'\" }", "--progress-prefix", "::")
        program.signal(signal.SIGTERM)
        program.wait()
        program.pump()
        self.assertEqual(program.out, b"a\xffb\nend without newline\n")

    def test_without_the_option_such_a_line_is_printed(self):
        reports, _, program = self.progress("a: { command: echo ::progress 0.5 }")
        self.assertEqual(reports, [])
        program.signal(signal.SIGTERM)
        self.assertEqual(program.finish().out, "::progress 0.5\n")

    def test_a_report_extends_the_deadline(self):
        for how in ("echo ::extend 60s", NOTIFY + "EXTEND_TIMEOUT_USEC=60000000"):
            with self.subTest(how):
                supervisor = self.start_fast()
                self.write(supervisor.file("extend"), f"#!/bin/sh\n{how}\necho >> extended\nread line < go\n")
                os.chmod(supervisor.file("extend"), 0o755)
                os.mkfifo(supervisor.file("go"))
                self.serve(supervisor, "a: { command: [./extend], timeout: 2s }", "--progress-prefix", "::")
                supervisor.until_lines("extended")
                # If the deadline hadn't moved, the run would end during this wait, whose exact duration doesn't matter.
                supervisor.peer().refused(-32003, "wait", {"initializer": "a", "timeout": 2.5})
                with open(supervisor.file("go"), "w") as go:
                    go.write("\n")
                self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_standard_output_that_nobody_reads_keeps_no_run_from_ending(self):
        supervisor = self.start_fast("--no-launch")
        path = self.config(supervisor, "a: { command: 'seq 200000' }")
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        command = [INITCTL, "--socket", supervisor.path, "worker", "--config", path, "--progress-prefix", "::"]
        program = self.program(["sh", "-c", f'exec "$@" >&{writer}', "sh", *command], pass_fds=[writer])
        os.close(writer)
        peer = supervisor.peer()
        until(lambda: peer.status()["workers"], "the registration")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 0)


class ConnectionTests(WorkerCase):
    def test_it_waits_for_a_supervisor_that_isnt_up_yet_and_says_so(self):
        directory = self.directory()
        path = os.path.join(directory, "initd.sock")
        program = self.program([INITCTL, "--socket", path, "worker", "a", "--connect-timeout", "60s", "--", "sh", "-c", "echo > ran"], cwd=directory)
        program.until_err(f"initctl: waiting for a supervisor at {path}\n")
        self.start_fast(directory=directory).until_lines("ran")

    def test_its_name_in_the_status(self):
        supervisor = self.start_fast("--no-launch")
        self.serve(supervisor, "a: { command: 'true' }", "--client-name", "shelves")
        self.assertEqual([each["client"] for each in supervisor.peer().status()["workers"]], ["shelves"])
        for name in ("x" * 129, ""):
            self.assertStatus(self.initctl("worker", "a", f"--client-name={name}", "--", "true"), 64)

    def test_status_lines_tell_runs_and_how_they_ended(self):
        supervisor = self.start_fast("--activate")
        self.serve(
            supervisor,
            """
            a: { command: 'test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 1ms } }
            b: { command: 'exec sleep 600', priority: appActive }
            """,
        )
        lines = self.until_status(supervisor, "run b")
        a, again, b = [line.split() for line in lines if line.startswith("run")]
        self.assertEqual((a[:2], a[3], again[:2], again[3], b[3]), (["run", "a"], "1", ["run", "a"], "2", "1"))
        supervisor.peer().ok("deactivate", wait=True)
        self.assertEqual(
            self.until_status(supervisor, "done b"),
            [
                "connected", " ".join(a), f"done a {a[2]}", " ".join(again), f"done a {again[2]}", " ".join(b), f"cancel b {b[2]} deactivated", f"done b {b[2]}",
            ],
        )

    def test_after_a_loss_it_stops_its_commands_and_is_registered_again_within_two_seconds(self):
        supervisor = self.start_fast()
        program = self.serve(supervisor, "a: { command: 'echo $$ >> pids; exec sleep 600' }\nb: { command: 'true', dependencies: [a] }")
        first = int(supervisor.until_lines("pids")[0])
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        lines = self.until_status(supervisor, "cancel")
        self.assertEqual(lines, ["connected", lines[1], "lost", f"cancel a {lines[1].split()[2]} lost"])
        until(lambda: not is_running(first), "the end of the command")
        again = self.start_fast(directory=supervisor.directory)
        began = time.monotonic()
        self.until_status(supervisor, "connected", 2)
        self.assertLess(time.monotonic() - began, 2)
        again.until_lines("pids", 2)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 0)

    def test_a_signal_unregisters_all_names_and_answers_what_runs(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                supervisor = self.start_fast("--concurrency", "2")
                program = self.serve(supervisor, "a: { command: 'echo >> began; exec sleep 600' }\nb: { command: 'echo >> began; exec sleep 600' }")
                supervisor.until_lines("began", 2)
                program.signal(number)
                self.assertEqual(program.wait(2), 0)
                lines = supervisor.lines("status")
                self.assertEqual(sorted(line.split()[1] for line in lines if line.startswith("done")), ["a", "b"])
                self.assertEqual(supervisor.peer().status()["initializers"], [])

    def test_a_signal_ends_it_while_it_is_disconnected(self):
        supervisor = self.start_fast("--no-launch")
        program = self.serve(supervisor, "a: { command: 'true' }")
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        self.until_status(supervisor, "lost")
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(2), 0)

    def test_status_lines_wait_for_a_reader_that_is_late(self):
        supervisor = self.start_fast("--no-launch")
        self.serve(supervisor, "a: { command: 'true' }")
        os.mkfifo(pipe := supervisor.file("pipe"))
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        command = [INITCTL, "--socket", supervisor.path, "worker", "b", "--status-fd", "3", "--", "true"]
        self.program(["sh", "-c", f'exec "$@" 3>{pipe}', "sh", *command])
        peer = supervisor.peer()
        until(lambda: len(peer.status()["workers"]) == 2, "the registration")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertTrue(until(lambda: self.read(reader), "its lines").startswith(b"connected\nrun b "))

    def read(self, descriptor):
        try:
            return os.read(descriptor, 4096)
        except BlockingIOError:
            return b""


if __name__ == "__main__":
    unittest.main()
