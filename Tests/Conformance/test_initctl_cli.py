"""commands-and-manifest.md and protocol.md §9: initctl's commands, their output, and their exit statuses."""

import json
import os
import signal
import unittest

import shapes
from deadlines import until
from supervisor import INITCTL, Conformance, is_running

ACTIVE = {"name": "a", "priority": "appActive"}
COMMANDS = (["status"], ["launch"], ["activate"], ["deactivate"], ["watch"], ["wait"], ["wait", "--progress"], ["why"], ["run", "--", "true"], ["logs"], ["shutdown"])


class UsageTests(Conformance):
    def test_wrong_usage_is_64_and_reported_on_standard_error(self):
        for words in (
            [],
            ["nonsense"],
            ["status", "--nonsense"],
            ["status", "no name"],
            ["why", "a", "b"],
            ["run", "--timeout", "soon", "--", "true"],
            ["--socket"],
            ["wait", "--timeout"],
            ["wait", "--timeout", "soon"],
            ["wait", "--connect-timeout", "5 minutes"],
            ["launch", "--timeout", "-1"],
            ["run"],
            ["run", "--"],
            ["worker"],
            ["worker", "a"],
            ["worker", "a", "--"],
            ["worker", "a", "--priority", "appLunch", "--", "true"],
            ["check"],
            ["watch", "weather"],
        ):
            with self.subTest(words):
                finished = self.initctl(*words, env={"INITD_SOCKET": "/nowhere/initd.sock"})
                self.assertStatus(finished, 64)
                self.assertEqual(finished.out, "")
                self.assertTrue(finished.err.strip())

    def test_words_of_other_programs_get_a_hint(self):
        for word, meant in (
            ("ps", '"status"'), ("processes", '"status"'), ("list", '"status" or "ls"'), ("tail", '"logs --follow"'),
            ("validate", '"check"'), ("verify", '"check"'),
        ):
            with self.subTest(word):
                finished = self.initctl(word)
                self.assertStatus(finished, 64)
                self.assertIn(f'unknown command "{word}"; did you mean {meant}?', finished.err)

    def test_without_a_supervisor_it_is_69(self):
        path = os.path.join(self.directory(), "initd.sock")
        for words in COMMANDS:
            with self.subTest(words):
                finished = self.initctl("--socket", path, *words)
                self.assertStatus(finished, 69)
                self.assertEqual(finished.out, "")
                self.assertIn(path, finished.err)

    def test_a_path_too_long_is_an_error_and_never_truncated(self):
        self.assertStatus(self.initctl("--socket", "/tmp/" + "s" * 200, "status"), 64, 69)

    def test_the_socket_is_the_option_then_INITD_SOCKET_then_XDG_RUNTIME_DIR(self):
        supervisor = self.start()
        for words, env in (
            (["--socket", supervisor.path], {"INITD_SOCKET": "/nowhere/s", "XDG_RUNTIME_DIR": "/nowhere"}),
            ([], {"INITD_SOCKET": supervisor.path, "XDG_RUNTIME_DIR": "/nowhere"}),
            ([], {"XDG_RUNTIME_DIR": supervisor.directory}),
        ):
            with self.subTest(env):
                (status,) = self.assertStatus(self.initctl(*words, "status", "--json", env=env), 0).json()
                self.assertEqual(status["pid"], supervisor.pid)


class StatusTests(Conformance):
    def test_status_is_a_table_of_all_initializers_on_standard_output(self):
        supervisor = self.start_with("migrate: { command: 'true' }\nfavorites: { worker: true, priority: appActive }")
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("status"), 0)
        self.assertIn("migrate", finished.out)
        self.assertIn("favorites", finished.out)
        self.assertEqual(finished.err, "")

    def test_status_json_is_one_Status_on_one_line(self):
        supervisor = self.start_with("migrate: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("status", "--json"), 0)
        self.assertEqual(finished.out.count("\n"), 1)
        (status,) = finished.json()
        shapes.check("Status", status)
        self.assertNames(status["initializers"], ["migrate"])

    def test_status_is_0_even_after_a_failure(self):
        supervisor = self.start_with("a: { command: 'exit 3' }")
        supervisor.peer().ok("wait", for_="launch")
        self.assertStatus(supervisor.ctl("status"), 0)

    def test_colours_only_on_a_terminal(self):
        supervisor = self.start_with("a: { command: 'exit 3' }")
        supervisor.peer().ok("wait", for_="launch")
        for words in (["status"], ["wait", "launch"], ["logs"]):
            with self.subTest(words):
                finished = supervisor.ctl(*words, env={"TERM": "xterm-256color", "CLICOLOR_FORCE": None})
                self.assertNotIn("\x1b", finished.out + finished.err)


class PhaseTests(Conformance):
    def test_launch_is_0_once_it_is_accepted(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l")
        self.assertStatus(supervisor.ctl("launch"), 0)
        worker.expect_run("l")

    def test_launch_with_nothing_to_do_says_so(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l")
        self.assertNotIn("nothing to run", self.assertStatus(supervisor.ctl("launch"), 0).err)
        worker.expect_run("l").succeed()
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("launch"), 0)
        self.assertEqual((finished.out, finished.err), ("", "initctl: launch is complete: there is nothing to run\n"))

    def test_a_failed_optional_initializer_is_marked(self):
        """While the launch continues, a retry would only join it (S8, S10)."""
        supervisor = self.start_with("ads: { command: 'exit 3', optional: true }\nrest: { worker: true, dependencies: [] }")
        peer = supervisor.peer()
        peer.until_initializer("ads", "failed")
        self.assertEqual([each.get("optional") for each in peer.status()["initializers"]], [True, None])
        finished = self.assertStatus(supervisor.ctl("why", "ads"), 1)
        self.assertIn("launch goes on without it", finished.out)
        self.assertRegex(supervisor.ctl("status").out, r"ads .*failed.*optional, exit status 3")

    def test_wait_is_0_if_the_pass_completes_and_1_if_it_fails(self):
        for command, phase in (("launch", "appLaunch"), ("activate", "appActive")):
            for does, status in (("true", 0), ("exit 3", 1)):
                with self.subTest(command=command, does=does):
                    supervisor = self.start_with(f"i: {{ command: '{does}', priority: {phase} }}", "--no-launch")
                    if command == "activate":
                        supervisor.peer().ok("launch")
                    finished = self.assertStatus(supervisor.ctl(command, "--wait"), status)
                    if status:
                        self.assertIn("i", finished.err)

    def test_a_wait_that_times_out_is_124(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l", ACTIVE)
        self.assertStatus(supervisor.ctl("launch", "--wait", "--timeout", "50ms"), 124)
        worker.expect_run("l").succeed()
        supervisor.peer().ok("wait", for_="launch")
        self.assertStatus(supervisor.ctl("activate", "--wait", "--timeout", "0.05"), 124)
        run = worker.expect_run("a")
        self.assertStatus(supervisor.ctl("deactivate", "--wait", "--timeout", "50ms"), 124)
        run.expect_cancel("deactivated")

    def test_activate_waits_for_its_own_pass_and_is_1_if_that_is_cancelled(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(ACTIVE)
        program = supervisor.start_ctl("activate", "--wait")
        run = worker.expect_run("a")
        supervisor.peer().ok("deactivate")
        run.expect_cancel("deactivated").stopped()
        self.assertStatus(program.finish(), 1)

    def test_deactivate_prints_cancelled_initializers_on_standard_output(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker({"name": "favorites", "priority": "appActive"})
        run = worker.expect_run("favorites")
        finished = self.assertStatus(supervisor.ctl("deactivate"), 0)
        self.assertIn("favorites", finished.out)
        run.expect_cancel("deactivated").stopped()
        finished = self.assertStatus(supervisor.ctl("deactivate", "--wait"), 0)
        self.assertNotIn("favorites", finished.out)
        self.assertEqual(supervisor.peer().status()["lifecycle"], "inactive")

    def test_deactivate_wait_ends_when_it_has_stopped(self):
        supervisor = self.start("version: 1\n", "--activate")
        worker = supervisor.worker(ACTIVE)
        run = worker.expect_run("a")
        program = supervisor.start_ctl("deactivate", "--wait")
        run.expect_cancel("deactivated")
        self.assertIsNone(program.process.poll())
        run.stopped()
        self.assertStatus(program.finish(), 0)

    def test_refused_while_shutting_down_is_1(self):
        supervisor = self.start("version: 1\n")
        worker = supervisor.worker("l")
        run = worker.expect_run("l")
        supervisor.peer().ok("shutdown")
        run.expect_cancel("shutdown")
        self.assertStatus(supervisor.ctl("activate"), 1)
        run.stopped()

    def test_shutdown_ends_the_supervisor(self):
        supervisor = self.start()
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        self.assertEqual(supervisor.ended(), 0)


class WaitTests(Conformance):
    def test_complete_is_0_and_failed_is_1(self):
        good = self.start_with("i: { command: 'true' }", "--activate")
        bad = self.start_with("i: { command: 'exit 3' }", "--activate")
        for what in ([], ["ready"], ["launch"], ["active"], ["composite"], ["i"]):
            with self.subTest(what):
                self.assertStatus(good.ctl("wait", *what), 0)
                self.assertStatus(bad.ctl("wait", *what), 1)

    def test_a_failed_wait_prints_the_reason_and_the_commands_last_lines(self):
        supervisor = self.start_with("migrate: { command: 'echo first line; echo no such table >&2; exit 3' }")
        finished = self.assertStatus(supervisor.ctl("wait", "launch"), 1)
        self.assertIn("migrate", finished.err)
        self.assertIn("no such table", finished.err)
        self.assertNotIn("no such table", finished.out)

    def test_a_timeout_is_124_and_prints_what_is_still_pending(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("catalogue")
        worker.expect_run("catalogue")
        for duration in ("50ms", "0.05", "0.05s", "0"):
            with self.subTest(duration):
                finished = self.assertStatus(supervisor.ctl("wait", "launch", "--timeout", duration), 124)
                self.assertIn("catalogue", finished.err)

    def test_progress_says_after_a_while_what_it_is_still_waiting_for(self):
        supervisor = self.start_fast()
        run = supervisor.worker("l").expect_run("l")
        waiting = supervisor.start_ctl("wait", "launch", "--progress")
        for _ in range(2):
            self.assertIn("still waiting for launch: l has been running for", waiting.line(deadline=60))
        run.succeed()
        self.assertEqual(waiting.finish().status, 0)

    def test_a_supervisor_that_does_not_answer_is_told(self):
        supervisor = self.start_fast()
        supervisor.program.signal(signal.SIGSTOP)
        self.addCleanup(supervisor.program.signal, signal.SIGCONT)
        for words in (["status"], ["wait", "launch"], ["watch"]):
            asking = supervisor.start_ctl(*words)
            asking.until_err(f"initctl: waiting for an answer of the supervisor at {supervisor.path}\n")

    def test_it_waits_until_the_target_is_reached(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l")
        run = worker.expect_run("l")
        program = supervisor.start_ctl("wait", "launch", "--timeout", "60s")
        run.progress(message="going on")
        worker.alive()
        self.assertIsNone(program.process.poll())
        run.succeed()
        self.assertStatus(program.finish(), 0)

    def test_a_cancelled_initializer_is_1(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(ACTIVE)
        run = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        run.stopped()
        peer.ok("deactivate", wait=True)
        self.assertStatus(supervisor.ctl("wait", "a"), 1)

    def test_an_undeclared_name_is_64_and_with_appear_waited_for(self):
        supervisor = self.start_fast()
        self.assertIn("nobody", self.assertStatus(supervisor.ctl("wait", "nobody"), 64).err)
        self.assertStatus(supervisor.ctl("wait", "nobody", "--appear", "--timeout", "50ms"), 124)
        program = supervisor.start_ctl("wait", "late", "--appear")
        supervisor.worker("late").expect_run("late").succeed()
        self.assertStatus(program.finish(), 0)

    def test_connect_timeout_waits_for_a_supervisor_that_isnt_up_yet(self):
        directory = self.directory()
        path = os.path.join(directory, "initd.sock")
        program = self.program([INITCTL, "--socket", path, "wait", "launch", "--connect-timeout", "60s"])
        program.until_err(f"initctl: waiting for a supervisor at {path}\n")
        self.start(self.manifest("i: { command: 'true' }"), directory=directory)
        self.assertStatus(program.finish(), 0)

    def test_connect_timeout_ends_with_69_without_a_supervisor(self):
        path = os.path.join(self.directory(), "initd.sock")
        self.assertStatus(self.initctl("--socket", path, "wait", "--connect-timeout", "100ms"), 69)

    def test_a_lost_supervisor_is_69(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l")
        run = worker.expect_run("l")
        program = supervisor.start_ctl("wait", "launch")
        watch = supervisor.start_ctl("watch", "--json")
        watch.line()
        run.progress(message="going on")
        worker.alive()
        supervisor.program.signal(signal.SIGKILL)
        self.assertStatus(program.finish(), 69)
        self.assertStatus(watch.finish(), 69)


class WatchTests(Conformance):
    def test_json_begins_with_the_snapshot_and_has_one_event_per_line(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l")
        program = supervisor.start_ctl("watch", "--json", "launch", "pass", "initializer")
        first = shapes.loads(program.line().encode())
        self.assertEqual(first["topic"], "snapshot")
        shapes.check("Status", first["snapshot"])
        supervisor.peer().ok("launch")
        worker.expect_run("l").succeed()
        topics = set()
        last = first["snapshot"]["seq"]
        while topics != {"state", "pass", "initializer"}:
            event = shapes.loads(program.line().encode())
            shapes.check("Status.Event", event)
            self.assertGreater(event["seq"], last)
            last = event["seq"]
            topics.add(event["topic"])
        program.signal(signal.SIGINT)
        program.finish()

    def test_a_topic_shows_only_its_events(self):
        supervisor = self.start_fast("--no-launch")
        program = supervisor.start_ctl("watch", "pass", "--json")
        program.line()
        peer = supervisor.peer()
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        events = [shapes.loads(program.line().encode()) for _ in range(2)]
        self.assertEqual([(each["topic"], each["status"]) for each in events], [("pass", "started"), ("pass", "complete")])

    def test_a_pipe_gets_the_snapshot_then_one_line_per_event(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("catalogue")
        program = supervisor.start_ctl("watch", "initializer")
        program.line()
        supervisor.peer().ok("launch")
        run = worker.expect_run("catalogue")
        run.progress(message="half of the shelves")
        while "half of the shelves" not in program.line():
            pass
        run.succeed()
        self.assertNotIn(b"\x1b", program.out)

    def test_it_ends_when_its_reader_has_closed_the_pipe(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("l")
        run = worker.expect_run("l")
        program = supervisor.start_ctl("watch", "initializer", "--json")
        program.line()
        program.close_out()

        def ended():
            run.progress(message="going on")
            return program.process.poll() is not None

        until(ended, "the end of watch")

    def test_it_ends_with_the_supervisor(self):
        supervisor = self.start()
        program = supervisor.start_ctl("watch", "--json")
        program.line()
        supervisor.peer().ok("shutdown")
        program.wait()


class RunTests(Conformance):
    def test_the_status_is_the_commands_own(self):
        supervisor = self.start_fast()
        for status in (0, 1, 3, 124, 255):
            with self.subTest(status):
                self.assertStatus(supervisor.ctl("run", "--", "sh", "-c", f"exit {status}"), status)

    def test_a_command_that_isnt_found_is_127_and_one_that_cant_be_run_126(self):
        supervisor = self.start_fast()
        self.write(supervisor.file("data"), "not a program\n")
        self.assertStatus(supervisor.ctl("run", "--", "nothing-of-that-name-anywhere"), 127)
        self.assertStatus(supervisor.ctl("run", "--", "./nothing", cwd=supervisor.directory), 127)
        self.assertStatus(supervisor.ctl("run", "--", "./data", cwd=supervisor.directory), 126)
        self.assertStatus(supervisor.ctl("run", "--", supervisor.directory), 126)
        self.assertEqual(supervisor.peer().status()["lifecycle"], "inactive")

    def test_the_commands_arguments_input_and_output_are_unchanged(self):
        supervisor = self.start_fast()
        finished = self.assertStatus(supervisor.ctl("run", "--", "printf", "%s|", "a  b", "--json", "$HOME"), 0)
        self.assertEqual(finished.out, "a  b|--json|$HOME|")
        finished = self.assertStatus(supervisor.ctl("run", "--", "sh", "-c", "echo out; echo err >&2"), 0)
        self.assertEqual(finished.out, "out\n")
        self.assertIn("err\n", finished.err)

    def test_the_app_is_active_while_the_command_runs_which_starts_once_ready(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(ACTIVE)
        os.mkfifo(supervisor.file("gate"))
        program = supervisor.start_ctl("run", "--", "sh", "-c", "echo up; read x < gate; exit 5", cwd=supervisor.directory)
        run = worker.expect_run("a")
        peer = supervisor.peer()
        status = peer.status()
        self.assertEqual((status["lifecycle"], status["holds"]), ("active", 1))
        program.pump()
        self.assertEqual(program.out, b"")
        run.succeed()
        self.assertEqual(program.line(), "up")
        self.assertEqual(peer.status()["composite"]["state"], "complete")
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")
        self.assertStatus(program.finish(), 5)
        until(lambda: peer.status()["lifecycle"] == "inactive", "the app inactive")

    def test_the_app_is_deactivated_when_it_is_killed(self):
        supervisor = self.start_fast()
        program = supervisor.start_ctl("run", "--", "sh", "-c", "echo $$; exec sleep 600")
        child = int(program.line())
        self.addCleanup(lambda: is_running(child) and os.kill(child, signal.SIGKILL))
        program.signal(signal.SIGKILL)
        until(lambda: supervisor.peer().status()["lifecycle"] == "inactive", "the app inactive")

    def test_a_failed_initialization_is_1_and_the_command_never_starts(self):
        supervisor = self.start_with("i: { command: 'exit 3' }")
        finished = self.assertStatus(supervisor.ctl("run", "--", "echo", "started"), 1)
        self.assertNotIn("started\n", finished.out)
        self.assertIn("i", finished.err)

    def gone_on(self, happens):
        supervisor = self.start_fast()
        os.mkfifo(supervisor.file("gate"))
        program = supervisor.start_ctl("run", "--", "sh", "-c", "echo up; read x < gate; exit 5", cwd=supervisor.directory)
        self.assertEqual(program.line(), "up")
        before = len(program.err)
        happens(supervisor)
        until(lambda: program.pump() or len(program.err) > before, "the warning")
        with open(supervisor.file("gate"), "w") as gate:
            gate.write("go\n")
        self.assertStatus(program.finish(), 5)

    def test_the_command_continues_with_a_warning_if_the_app_is_deactivated(self):
        self.gone_on(lambda supervisor: supervisor.peer().ok("deactivate"))

    def test_the_command_continues_with_a_warning_if_the_supervisor_is_lost(self):
        self.gone_on(lambda supervisor: supervisor.program.signal(signal.SIGKILL))


class WorkerTests(Conformance):
    def registered(self, supervisor, name):
        """Waits until a worker provides `name`."""
        peer = supervisor.peer()
        return until(lambda: next((e for e in peer.status()["initializers"] if e["name"] == name and e["available"]), None), f"{name} provided")

    def test_it_registers_the_name_and_runs_the_command_whenever_its_turn_comes(self):
        supervisor = self.start_with("migrate: { command: 'true' }")
        program = supervisor.start_ctl(
            "worker", "favorites", "--priority", "appActive", "--dependency", "migrate", "--", "sh", "-c", "echo ran >> order", cwd=supervisor.directory
        )
        shown = self.registered(supervisor, "favorites")
        self.assertEqual((shown["priority"], shown["dependencies"], shown["provider"]), ("appActive", ["migrate"], "worker"))
        peer = supervisor.peer()
        for turn in (1, 2):
            peer.ok("activate")
            self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
            self.assertEqual(supervisor.lines("order"), ["ran"] * turn)
        self.assertIsNone(program.process.poll())

    def test_several_dependencies_and_launch_by_default(self):
        supervisor = self.start_with("x: { command: 'true' }\ny: { command: 'true' }")
        supervisor.start_ctl("worker", "w", "--dependency", "x", "--dependency", "y", "--", "true")
        shown = self.registered(supervisor, "w")
        self.assertEqual((shown["priority"], shown["dependencies"]), ("appLaunch", ["x", "y"]))
        self.assertEqual(supervisor.peer().ok("wait", initializer="w")["state"], "complete")

    def test_a_command_that_fails_fails_the_run(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.start_ctl("worker", "w", "--", "sh", "-c", "exit 3")
        self.registered(supervisor, "w")
        peer = supervisor.peer()
        peer.ok("launch")
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="w")

    def test_its_timeout_is_the_runs(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.start_ctl("worker", "w", "--timeout", "200ms", "--", "sleep", "600")
        self.registered(supervisor, "w")
        peer = supervisor.peer()
        peer.ok("launch")
        self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="w", cause={"kind": "timeout", "after": 0.2})

    def test_a_cancel_stops_the_command(self):
        supervisor = self.start("version: 1\n", "--activate")
        supervisor.start_ctl(
            "worker", "w", "--priority", "appActive", "--", "sh", "-c", "echo $$ >> pids; exec sleep 600", cwd=supervisor.directory
        )
        child = int(supervisor.until_lines("pids", 1)[0])
        peer = supervisor.peer()
        self.assertEqual(peer.ok("deactivate", wait=True)["cancelled"], ["w"])
        until(lambda: not is_running(child), "the end of the command")
        self.assertEqual(peer.initializer("w")["available"], True)

    def test_signals_unregister_it_and_end(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                supervisor = self.start_fast()
                program = supervisor.start_ctl("worker", "w", "--", "true")
                self.registered(supervisor, "w")
                program.signal(number)
                self.assertStatus(program.finish(), 0)
                until(lambda: supervisor.peer().status()["initializers"] == [], "the removed name")

    def test_a_signal_also_ends_the_command_that_runs(self):
        supervisor = self.start("version: 1\n")
        program = supervisor.start_ctl("worker", "w", "--", "sh", "-c", "echo $$ >> pids; exec sleep 600", cwd=supervisor.directory)
        child = int(supervisor.until_lines("pids", 1)[0])
        program.signal(signal.SIGTERM)
        program.wait()
        until(lambda: not is_running(child), "the end of the command")

    def test_a_name_that_is_taken_is_1(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker("w")
        self.assertStatus(supervisor.ctl("worker", "w", "--", "true"), 1)


class LogsTests(Conformance):
    def test_the_output_of_commands_goes_to_standard_output(self):
        supervisor = self.start_with("x: { command: echo from x }\ny: { command: 'echo from y >&2' }")
        supervisor.peer().ok("wait", for_="launch")
        finished = self.assertStatus(supervisor.ctl("logs"), 0)
        self.assertIn("from x", finished.out)
        self.assertIn("from y", finished.out)
        finished = self.assertStatus(supervisor.ctl("logs", "y"), 0)
        self.assertNotIn("from x", finished.out)
        self.assertIn("from y", finished.out)

    def test_an_undeclared_name_is_64(self):
        supervisor = self.start_fast()
        self.assertStatus(supervisor.ctl("logs", "nobody"), 64)
        self.assertStatus(supervisor.ctl("logs", "nobody", "--follow"), 64)

    def test_follow_continues_with_new_lines(self):
        supervisor = self.start_with("x: { command: 'echo pass $INITD_PASS', priority: appActive }")
        peer = supervisor.peer()
        first = peer.ok("activate")["pass"]
        peer.ok("wait", pass_=first)
        program = supervisor.start_ctl("logs", "x", "--follow")
        self.assertIn(f"pass {first}", program.line())
        second = peer.ok("activate")["pass"]
        self.assertIn(f"pass {second}", program.line())
        program.signal(signal.SIGINT)
        program.finish()

    def test_follow_ends_when_its_reader_has_closed_the_pipe(self):
        program = self.start_with("x: { command: echo a line }").start_ctl("logs", "--follow")
        program.line()
        program.close_out()
        self.assertEqual(program.wait(), 0)

    def test_follow_of_a_name_shows_only_its_lines(self):
        supervisor = self.start_with(
            "x: { command: 'echo x in $INITD_PASS', priority: appActive }\ny: { command: 'echo y in $INITD_PASS', priority: appActive, dependencies: [x] }"
        )
        peer = supervisor.peer()
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        program = supervisor.start_ctl("logs", "y", "--follow")
        lines = [program.line()]
        for _ in range(2):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
            lines.append(program.line())
        self.assertEqual([line.split(" in ")[0] for line in lines], ["y"] * 3)
        program.signal(signal.SIGINT)
        self.assertNotIn("x in", program.finish().out)

    @unittest.skipIf(os.environ.get("SANITIZED") == "thread", "with the thread sanitizer, 16 MiB take longer than hello may")
    def test_as_many_lines_as_fit_into_an_answer_are_shown(self):
        # Each of the bytes takes six in an answer: more than 16 MiB of them.
        script = "yes \"$(head -c 8000 /dev/zero | tr '\\000' '\\001')\" | head -c 4100000; echo; echo the last line"
        supervisor = self.start(f"version: 1\ninitializers:\n  x: {{ command: [sh, -c, {json.dumps(script)}] }}\n")
        supervisor.peer().ok("wait", for_="launch")
        for words, last in ((["logs"], "x | the last line"), (["logs", "x"], "the last line")):
            with self.subTest(words):
                lines = self.assertStatus(supervisor.start_ctl(*words).finish(120), 0).out.splitlines()
                self.assertEqual(lines[-1], last)
                self.assertGreater(len(lines), 200)


if __name__ == "__main__":
    unittest.main()
