"""Processes that the supervisor keeps running, and orphans, from start to end."""

import os
import signal
import subprocess
import time

from deadlines import until
from supervisor import INITCTL, Conformance, is_running


class ProcessCase(Conformance):
    def start_process(self, *workers, initializers="", head="version: 1\ncancelGrace: 300ms\n", arguments=(), **options):
        """A supervisor that keeps these processes, each a line of the manifest."""
        manifest = self.manifest(initializers, head) + "workers:\n" + "".join(f"  {each}\n" for each in workers)
        return self.start(manifest, *arguments, **options)

    def process(self, supervisor, name="w"):
        """The Status of one process."""
        [found] = [each for each in supervisor.peer().status()["processes"] if each["name"] == name]
        return found

    def ended(self, supervisor):
        """Ends the supervisor in order, and returns its log."""
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        supervisor.program.pump()
        return supervisor.program.err.decode()


class StatusTests(ProcessCase):
    def test_a_process_is_in_the_status_from_its_start(self):
        supervisor = self.start_process("b: { command: [sleep, 600] }", "a: { command: 'echo $$ >> pid; exec sleep 600' }")
        [pid] = map(int, supervisor.until_lines("pid"))
        processes = supervisor.peer().status()["processes"]
        self.assertEqual([each["name"] for each in processes], ["b", "a"], "in the manifest's order")
        uptime = processes[1].pop("uptime")
        self.assertTrue(0 <= uptime < 600, uptime)
        self.assertEqual(processes[1], {"name": "a", "pid": pid, "restarts": 0, "givenUp": False})

    def test_without_any_there_are_none(self):
        self.assertEqual(self.start_fast().peer().status()["processes"], [])

    def test_the_status_shows_how_a_process_ended_and_when_it_is_restarted(self):
        for command, last in (("exit 3", {"kind": "exit", "status": 3}), ("kill -9 $$", {"kind": "signal", "signal": "SIGKILL"})):
            supervisor = self.start_process(f"w: {{ command: '{command}', backoff: {{ delay: 10m, maxDelay: 10m }} }}")
            supervisor.program.until_err("process w restarts")
            process = self.process(supervisor)
            before = time.time()
            self.assertTrue(before + 500 < process.pop("nextStart") < before + 700)
            self.assertEqual(process, {"name": "w", "restarts": 0, "givenUp": False, "lastExit": last})
            self.assertRegex(supervisor.ctl("status").out, "w: starts again in (9|10) min")

    def test_the_status_shows_a_process_that_isnt_restarted_or_cant_be_started(self):
        supervisor = self.start_process("w: { command: 'exit 0' }", "v: { command: [./nothing-there] }", arguments=("--limit", "workerBurst=1"))
        supervisor.program.until_err("process w ended")
        supervisor.program.until_err("process v is given up")
        self.assertEqual(self.process(supervisor), {"name": "w", "restarts": 0, "givenUp": False, "lastExit": {"kind": "exit", "status": 0}})
        given_up = self.process(supervisor, "v")
        self.assertEqual([given_up["givenUp"], given_up["lastExit"]["kind"]], [True, "notFound"])
        shown = supervisor.ctl("status").out
        self.assertRegex(shown, "w: has ended, last: exit status 0")
        self.assertRegex(shown, "v: given up; see initctl logs v")

    def test_subscribers_of_worker_get_each_change_and_the_last_one_equals_the_status(self):
        supervisor = self.start_process(
            "w: { command: 'test -e go && exec sleep 600; exit 3', backoff: { delay: 1ms, factor: 1 } }", arguments=("--limit", "workerBurst=2")
        )
        supervisor.program.until_err("process w is given up")
        watcher = supervisor.peer()
        snapshot = watcher.ok("subscribe", topics=["worker"])["snapshot"]
        self.assertEqual([each["givenUp"] for each in snapshot["processes"]], [True])
        peer = supervisor.peer()
        peer.ok("launch")
        told = [watcher.event()["process"] for _ in range(4)]
        last = {"kind": "exit", "status": 3}
        shown = [("pid" in each, each["restarts"], "nextStart" in each, each["givenUp"], each["lastExit"]) for each in told]
        self.assertEqual(
            shown, [(True, 2, False, False, last), (False, 2, True, False, last), (True, 3, False, False, last), (False, 3, False, True, last)]
        )
        self.assertEqual(told[-1], self.process(supervisor))
        self.write(supervisor.file("go"), "")
        peer.ok("activate")
        started = watcher.event()["process"]
        os.kill(started["pid"], signal.SIGKILL)
        self.assertEqual(watcher.event()["process"]["lastExit"], {"kind": "signal", "signal": "SIGKILL"})

    def test_at_shutdown_the_end_of_each_is_reported_and_in_the_status(self):
        stubborn = "w: { command: \"trap '' TERM; echo x >> up; while :; do sleep 0.01; done\" }"
        supervisor = self.start_process(stubborn, "v: { command: 'exec sleep 600' }", head="version: 1\ncancelGrace: 60s\n")
        supervisor.until_lines("up")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["worker"])
        peer = supervisor.peer()
        peer.ok("shutdown")
        ended = watcher.events_until(lambda event: event.get("process", {}).get("name") == "v" and "pid" not in event["process"])[-1]
        self.assertEqual(ended["process"]["lastExit"], {"kind": "signal", "signal": "SIGTERM"})
        shown = {each["name"]: each for each in peer.status()["processes"]}
        self.assertEqual(shown["v"], ended["process"])
        os.kill(shown["w"]["pid"], signal.SIGKILL)
        self.assertEqual(supervisor.ended(), 0)

    def test_the_names_of_a_killed_worker_are_shown_as_unavailable(self):
        supervisor = self.start_with("a: { worker: true }\nb: { worker: true, priority: appActive }")
        worker = supervisor.worker("a", "b")
        worker.expect_run("a").succeed()
        supervisor.peer().ok("wait", for_="launch")
        self.assertNotIn("gone", supervisor.ctl("status").out)
        worker.close()
        until(lambda: not supervisor.peer().status()["workers"], "the end of the worker")
        rows = {line.split()[0]: line for line in supervisor.ctl("status").out.splitlines() if line.startswith(("a ", "b "))}
        self.assertIn("its worker has disconnected", rows["a"])
        self.assertIn("no worker provides it", rows["b"], "it has never been run")

    def test_watch_shows_them(self):
        supervisor = self.start_process("w: { command: 'exec sleep 600' }", initializers="a: { command: 'true' }")
        [pid] = [each["pid"] for each in supervisor.peer().status()["processes"]]
        watch = supervisor.start_ctl("watch", "worker")
        self.assertIn(f"process w (pid {pid}): up", watch.line() + watch.line() + watch.line())
        os.kill(pid, signal.SIGKILL)
        self.assertRegex(watch.line(), "process w: starts again in .*, last: killed by SIGKILL, not by initd")


class RestartTests(ProcessCase):
    def test_the_last_lines_of_a_process_that_exits_at_once_are_in_logs_and_in_the_log(self):
        for words in ("echo out; printf err >&2; exit 1", "echo out; printf err >&2; kill -9 $$"):
            supervisor = self.start_process(f"w: {{ command: '{words}', restart: never }}")
            supervisor.program.until_err("process w ")
            lines = until(lambda: len(found := supervisor.peer().ok("logs", initializer="w")["lines"]) == 2 and found, "its lines")
            self.assertEqual({(each["run"], each["stream"], each["line"]) for each in lines}, {(1, "stdout", "out"), (1, "stderr", "err")})
            log = self.ended(supervisor)
            self.assertIn("warning: w | out\n", log)
            self.assertIn("warning: w | err\n", log)

    def test_by_default_it_is_restarted_only_after_a_failure(self):
        supervisor = self.start_process(
            "w: { command: 'echo x >> starts; test -e stop && exit 0; exit 1', backoff: { delay: 1ms, factor: 1 } }", arguments=("--limit", "workerBurst=1000")
        )
        supervisor.until_lines("starts", 3)
        self.write(supervisor.file("stop"), "")
        supervisor.program.until_err("process w ended: exit status 0")
        supervisor.peer().alive()
        log = self.ended(supervisor)
        after = log.split("process w ended: exit status 0")[1]
        self.assertNotIn("process w", after)

    def test_a_waiting_process_isnt_started_during_shutdown(self):
        """The wait of a client ends long before the process that delays the shutdown is killed."""
        held = "held: { command: \"trap '' TERM; echo x >> up; while :; do sleep 0.02; done\", priority: appActive }"
        supervisor = self.start_process(
            "w: { command: 'exit 1', restart: always, backoff: { delay: 500ms, maxDelay: 500ms, factor: 1 } }",
            initializers=held, head="version: 1\ncancelGrace: 1500ms\n", arguments=("--activate", "--limit", "workerBurst=1000"),
        )
        supervisor.until_lines("up")
        log = self.ended(supervisor)
        ending = log.split("shutting down")[1]
        self.assertNotIn("process w started", ending)
        self.assertIn("held cancelled", ending)

    def test_a_process_that_was_given_up_isnt_started_during_shutdown(self):
        supervisor = self.start_process("w: { command: 'exit 1' }", arguments=("--limit", "workerBurst=1"))
        run = supervisor.worker("a").expect_run("a")
        supervisor.program.until_err("process w is given up")
        peer = supervisor.peer()
        peer.ok("shutdown")
        peer.refused(-32006, "launch")
        peer.refused(-32006, "activate")
        run.stopped()
        self.assertEqual(supervisor.ended(), 0)
        supervisor.program.pump()
        self.assertEqual(supervisor.program.err.decode().count("process w started"), 1)

    def test_a_core_dump_is_reported_as_its_signal(self):
        crash = ["/bin/sh", "-c", "ulimit -c unlimited; kill -SEGV $$"]
        status = subprocess.run(["python3", "-c", f"import os, subprocess; p = subprocess.Popen({crash!r}); print(os.waitpid(p.pid, 0)[1])"],
            capture_output=True, cwd=self.directory(), text=True, check=True)  # fmt: skip
        if not os.WCOREDUMP(int(status.stdout)):
            self.skipTest("the system dumps no core here")
        supervisor = self.start_process(
            f"w: {{ command: '{crash[2]}', restart: never }}", initializers=f"a: {{ command: '{crash[2]}' }}", directory=self.directory()
        )
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="a")
        self.assertEqual(error["cause"], {"kind": "signal", "signal": "SIGSEGV"})
        process = until(lambda: (found := self.process(supervisor)).get("lastExit") and found, "the end of w")
        self.assertEqual(process["lastExit"], {"kind": "signal", "signal": "SIGSEGV"})


class TroubleTests(ProcessCase):
    def test_a_process_that_crash_loops_is_named_beside_ready(self):
        """In the first line of status, and by why, which is complete all the same."""
        supervisor = self.start_process("w: { command: 'echo no port; exit 3', backoff: { delay: 10m, maxDelay: 10m } }", arguments=("--activate",))
        supervisor.program.until_err("process w restarts")
        self.assertStatus(supervisor.ctl("wait", "ready"), 0)
        trouble = "the process w doesn't run: starts again in (9 min .*|10 min), last: exit status 3; see initctl logs w"
        self.assertRegex(supervisor.ctl("status").out.splitlines()[0], f"^READY, but {trouble}$")
        why = self.assertStatus(supervisor.ctl("why"), 0).out
        self.assertRegex(why, rf"^ready is complete\n└─ {trouble}\n +w \| no port\n$")
        [tree] = supervisor.ctl("why", "--json").json()
        [node] = tree["because"]
        self.assertEqual((tree["status"], node["name"], node["status"], node["output"]), ("complete", "w", "notRunning", ["no port"]))

    def test_why_names_the_process_that_crash_loops_for_what_waits_for_a_worker(self):
        supervisor = self.start_process(
            "shelf: { command: 'echo no module; exit 3', backoff: { delay: 10m, maxDelay: 10m } }", "other: { command: 'sleep 600' }",
            initializers="favorites: { worker: true }", head="version: 1\nregistrationTimeout: 1h\n",
        )
        supervisor.program.until_err("process shelf restarts")
        why = self.assertStatus(supervisor.ctl("why", "favorites"), 2).out
        self.assertRegex(why, "(?s)no worker provides it; start the worker that registers it\n└─ the process shelf doesn't run: .*exit status 3.*no module\n$")
        self.assertNotIn("other", why)
        self.assertRegex(supervisor.ctl("status").out.splitlines()[0], "^NOT READY: the process shelf doesn't run: .*; see initctl logs shelf")

    def test_launch_and_activate_end_the_backoff_of_a_process(self):
        for method in ("launch", "activate"):
            with self.subTest(method):
                supervisor = self.start_process(
                    "w: { command: 'echo x >> starts; test -e go && exec sleep 600; exit 3', backoff: { delay: 10m, maxDelay: 10m } }"
                )
                supervisor.program.until_err("process w restarts")
                self.write(supervisor.file("go"), "")
                supervisor.peer().ok(method)
                supervisor.until_lines("starts", 2)
                process = self.process(supervisor)
                self.assertEqual(("pid" in process, process["restarts"], "nextStart" in process), (True, 1, False))
                supervisor.peer().ok(method)
                self.assertEqual(self.process(supervisor)["pid"], process["pid"], "a process that runs stays")

    def test_the_time_in_which_a_process_waits_for_initializers_is_no_lifetime(self):
        """The process waits for longer than `workerSettled` for its initializer, and then exits at once, as often as the limit allows."""
        supervisor = self.start_process(
            f"w: {{ command: 'echo x >> starts; {INITCTL} wait gate; exit 3', backoff: {{ delay: 1ms, factor: 1 }} }}",
            initializers="gate: { worker: true }", head="version: 1\nregistrationTimeout: 1h\n",
            arguments=("--limit", "workerBurst=2", "--limit", "workerSettled=3s"),
        )
        run = supervisor.worker("gate").expect_run("gate")
        supervisor.until_lines("starts")
        until(lambda: self.process(supervisor)["uptime"] > 3.5, "a time that would count as settled")
        run.succeed()
        supervisor.program.until_err("process w is given up: none of 2 starts in a row lasted 3 s")
        self.assertEqual(len(supervisor.lines("starts")), 2)

    def test_the_time_after_a_wait_is_lifetime(self):
        """Whether the wait was answered, or its client was killed: the process lasts for longer than `workerSettled`, and isn't given up."""
        for wait in (f"{INITCTL} wait gate", f"{INITCTL} wait never & sleep 0.3; kill -9 $!"):
            with self.subTest(wait):
                supervisor = self.start_process(
                    f"w: {{ command: 'echo x >> starts; {wait}; sleep 0.6; exit 3', backoff: {{ delay: 1ms, factor: 1 }} }}",
                    initializers="gate: { worker: true }\nnever: { worker: true, optional: true }", head="version: 1\nregistrationTimeout: 1h\n",
                    arguments=("--limit", "workerBurst=1", "--limit", "workerSettled=500ms"),
                )
                run = supervisor.worker("gate").expect_run("gate")
                until(lambda: self.process(supervisor)["uptime"] > 0.3, "a time for the wait to begin")
                run.succeed()
                supervisor.until_lines("starts", 2)

    def test_the_socket_of_its_environment_is_that_of_its_supervisor(self):
        supervisor = self.start_process("w: { command: 'echo $INITD_SOCKET >> seen; exec sleep 600' }", env={"INITD_SOCKET": "/of/another"})
        self.assertEqual(supervisor.until_lines("seen"), [supervisor.path])

    def test_a_process_that_somebody_else_killed_says_so(self):
        supervisor = self.start_process("w: { command: 'exec sleep 600', restart: never }")
        os.kill(self.process(supervisor)["pid"], signal.SIGKILL)
        supervisor.program.until_err("warning: process w was killed by SIGKILL, not by initd: perhaps the kernel's OOM killer\n")


class OrphanTests(ProcessCase):
    def test_orphans_get_sigterm_and_a_grace_period_before_sigkill(self):
        """Two processes exit a moment after SIGTERM: neither is killed, and the supervisor doesn't wait for the whole grace period."""
        polite = "setsid sh -c 'trap \"sleep 0.1; echo $0 >> told; exit 0\" TERM; echo $$ >> pids; while :; do sleep 0.01; done' {0} > /dev/null 2>&1 &"
        script = " ".join(polite.replace("{0}", name) for name in ("one", "two")) + " until test $(wc -l < pids) = 2; do :; done"
        supervisor = self.start("version: 1\ncancelGrace: 600s\ninitializers:\n  a: { command: [sh, ./script] }\n", directory=self.with_script(script))
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        pids = [int(line) for line in supervisor.until_lines("pids", 2)]
        log = self.ended(supervisor)
        self.assertEqual(sorted(supervisor.lines("told")), ["one", "two"])
        self.assertFalse(any(map(is_running, pids)))
        for pid in pids:
            self.assertRegex(log, rf"commands left processes running, which are terminated now: .*\(pid {pid}\)")

    def test_orphans_of_a_killed_orphan_are_killed_and_reaped_too(self):
        """A chain of three sessions, each a child of the previous one, which all ignore SIGTERM: the last two are adopted only at the end."""
        stubborn = "trap : TERM; echo $$ >> pids; while :; do sleep 0.05; done"
        directory = self.with_script(
            "setsid sh ./first > /dev/null 2>&1 & until test $(wc -l < pids) = 3; do :; done",
            first=f"setsid sh ./second & {stubborn}", second=f"setsid sh ./third & {stubborn}", third=stubborn,
        )
        supervisor = self.start("version: 1\ncancelGrace: 300ms\ninitializers:\n  a: { command: [sh, ./script] }\n", directory=directory)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        pids = [int(line) for line in supervisor.until_lines("pids", 3)]
        self.assertTrue(all(map(is_running, pids)))
        self.ended(supervisor)
        self.assertFalse(any(map(is_running, pids)))

    def test_a_second_signal_kills_orphans_too(self):
        stubborn = "trap '' TERM; echo $$ >> pids; while :; do sleep 0.05; done"
        directory = self.with_script("setsid sh ./stubborn > /dev/null 2>&1 & until test -s pids; do :; done", stubborn=stubborn)
        supervisor = self.start("version: 1\ncancelGrace: 600s\ninitializers:\n  a: { command: [sh, ./script] }\n", directory=directory)
        run = supervisor.worker("b").expect_run("b")
        [orphan] = map(int, supervisor.until_lines("pids"))
        supervisor.program.signal(signal.SIGTERM)
        run.expect_cancel("shutdown")
        # The test signals until the signal isn't a repetition of the first one any more.
        until(lambda: supervisor.program.process.poll() is not None or supervisor.program.signal(signal.SIGTERM), "its end")
        supervisor.ended()
        # The kernel may need a moment for that on a busy machine.
        until(lambda: not is_running(orphan), "the end of the orphan")

    def with_script(self, script, **more):
        directory = self.directory()
        for name, text in {"script": script, **more}.items():
            self.write(os.path.join(directory, name), "touch pids\n" + text + "\n")
        return directory
