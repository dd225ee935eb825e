"""semantics.md S24: the shutdown."""

import os
import signal
import time
import unittest

from deadlines import until
from peer import connected
from supervisor import INITCTL, INITD, Conformance, is_running


class ShutdownTests(Conformance):
    def test_S24_shutdown_and_signals_end_it_with_status_0_and_remove_the_socket(self):
        for how in ("request", signal.SIGTERM, signal.SIGINT):
            with self.subTest(how):
                supervisor = self.start_with("a: { command: 'true' }")
                peer = supervisor.peer()
                peer.ok("wait", for_="launch")
                if how == "request":
                    peer.ok("shutdown")
                else:
                    supervisor.program.signal(how)
                peer.event_where(topic="shutdown")
                peer.expect_end_now()
                self.assertEqual(supervisor.ended(), 0)
                self.assertFalse(os.path.lexists(supervisor.path))

    def test_S24_no_new_work_is_accepted_and_observing_continues(self):
        supervisor = self.start("version: 1\n")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        peer, watcher = supervisor.peer(), supervisor.peer()
        peer.ok("shutdown")
        run.expect_cancel("shutdown")
        peer.refused(-32006, "launch")
        peer.refused(-32006, "activate")
        peer.refused(-32006, "activate", {"hold": True})
        peer.refused(-32006, "register", {"initializers": [{"name": "b"}]})
        watcher.ok("subscribe", topics=["initializer"])
        self.assertEqual(watcher.initializer("a")["status"], "stopping")
        run.stopped()
        watcher.expect_end()
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_a_deactivate_with_wait_is_answered_once_the_cancelled_runs_have_stopped(self):
        supervisor = self.start("version: 1\n", "--activate")
        worker = supervisor.worker({"name": "a", "priority": "appActive"})
        run = worker.expect_run("a")
        peer = supervisor.peer()
        id = peer.request("deactivate", {"wait": True})
        run.expect_cancel("deactivated")
        supervisor.peer().ok("shutdown")
        peer.alive()
        self.assertEqual(peer.inbox, [], "deactivate must not be answered while a run is stopping")
        run.stopped()
        self.assertEqual(peer.answer(id)["result"], {"cancelled": ["a"]})
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_many_deactivates_with_wait_are_all_answered_before_the_end(self):
        """More than a turn settles, and their last run ends with the supervisor."""
        supervisor = self.start("version: 1\n", "--activate")
        worker = supervisor.worker({"name": "a", "priority": "appActive"})
        run = worker.expect_run("a")
        peer = supervisor.peer()
        ids = [peer.request("deactivate", {"wait": True}) for _ in range(700)]
        peer.alive()
        supervisor.peer().ok("shutdown")
        run.stopped()
        for id in ids:
            self.assertIn("result", peer.answer(id))
        self.assertEqual(supervisor.ended(), 0)

    def test_S13_a_deactivate_with_wait_is_answered_when_the_last_cancelled_run_has_stopped(self):
        supervisor = self.start("version: 1\nconcurrency: 2\n", "--activate")
        worker = supervisor.worker(*({"name": name, "priority": "appActive"} for name in "ab"))
        runs = [worker.expect_run(name) for name in "ab"]
        peer = supervisor.peer()
        id = peer.request("deactivate", {"wait": True})
        for run in runs:
            peer.alive()
            self.assertEqual(peer.inbox, [], "deactivate must not be answered while a run is stopping")
            run.expect_cancel("deactivated").stopped()
            worker.alive()
        self.assertEqual(peer.answer(id)["result"], {"cancelled": ["a", "b"]})

    def test_S24_it_waits_for_runs(self):
        supervisor = self.start("version: 1\n")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        supervisor.program.signal(signal.SIGTERM)
        run.expect_cancel("shutdown")
        worker.alive()
        self.assertIsNone(supervisor.program.process.poll())
        run.stopped()
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_a_worker_that_doesnt_stop_in_time_doesnt_delay_it(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_a_running_command_gets_sigterm(self):
        supervisor = self.start(
            """
            version: 1
            initializers:
              c:
                command: |
                  trap 'echo told >> order; exit 0' TERM
                  echo up >> order
                  while :; do sleep 0.05; done
            """
        )
        supervisor.until_lines("order", 1)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order"), ["up", "told"])

    def test_S24_completed_initializers_are_stopped_in_reverse_order_after_the_app_and_runs(self):
        supervisor = self.start(
            self.manifest(
                """
                a: { command: 'true', stop: 'echo "a $INITD_INITIALIZER $X" >> order', environment: { X: y } }
                failing: { command: 'exit 1', optional: true, stop: 'echo failing >> order' }
                b: { command: 'true', stop: [sh, -c, 'echo b >> order; exit 3'], dependencies: [a] }
                c: { command: 'true', stop: 'echo c >> order', dependencies: [b] }
                z: { command: "trap 'echo told >> order; exit 0' TERM; touch up; while :; do sleep 0.05; done", priority: appActive, stop: 'echo z >> order' }
                """
            ),
            "--activate",
        )
        until(lambda: os.path.exists(supervisor.file("up")), "z runs")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order"), ["told", "c", "b", "a a y"])
        self.assertIn("the stop command of b failed: exit status 3", supervisor.program.err.decode())

    def test_S24_a_stop_that_takes_too_long_is_killed_and_the_next_one_runs(self):
        supervisor = self.start(
            self.manifest(
                """
                a: { command: 'true', stop: 'echo a >> order' }
                b: { command: 'true', stop: "trap 'echo told >> order' TERM; echo b >> order; while :; do sleep 0.05; done", dependencies: [a] }
                """,
                head="version: 1\ncancelGrace: 300ms\nstopTimeout: 300ms\n",
            )
        )
        supervisor.peer().ok("wait", for_="launch")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order"), ["b", "told", "a"])

    def signal_again(self, program):
        """Sends a second signal that isn't just a repetition of the first one, which came before this call."""
        moment = time.monotonic() + 0.1
        until(lambda: time.monotonic() > moment, "the moment of the second signal")
        program.signal(signal.SIGTERM)

    def test_S24_a_signal_that_is_repeated_at_once_is_one(self):
        """`timeout` signals a process, and at once its group."""
        supervisor = self.start_with("a: { command: 'true', stop: 'echo a >> order' }")
        supervisor.peer().ok("wait", for_="launch")
        os.kill(supervisor.pid, signal.SIGTERM)
        os.kill(supervisor.pid, signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("order"), ["a"])

    def test_S24_a_second_signal_skips_the_stops(self):
        supervisor = self.start_with(
            """
            a: { command: 'true', stop: 'echo a >> order' }
            b: { command: 'true', stop: 'touch up; sleep 600', dependencies: [a] }
            """
        )
        supervisor.peer().ok("wait", for_="launch")
        supervisor.program.signal(signal.SIGTERM)
        until(lambda: os.path.exists(supervisor.file("up")), "the stop runs")
        self.signal_again(supervisor.program)
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(os.path.exists(supervisor.file("order")))

    def test_S24_processes_that_dont_stop_in_time_are_killed(self):
        supervisor = self.start_with("c:\n  command: |\n    trap '' TERM\n    sleep 600 &\n    echo $$ $! >> pids\n    while :; do wait; done\n")
        pids = [int(word) for word in supervisor.until_lines("pids", 1)[0].split()]
        supervisor.peer().ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)
        until(lambda: not any(map(is_running, pids)), "the end of the whole group")

    def test_S24_killed_commands_end_it_although_clients_may_take_long_for_their_last_message(self):
        supervisor = self.start_with("c: { command: \"trap '' TERM; echo >> up; while :; do sleep 0.05; done\" }", "--limit", "farewell=600s")
        supervisor.until_lines("up")
        supervisor.program.signal(signal.SIGTERM)
        supervisor.program.until_err("shutting down")
        self.signal_again(supervisor.program)
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_a_second_signal_skips_the_waiting(self):
        for first in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(first):
                supervisor = self.start("version: 1\ncancelGrace: 10m\n")
                worker = supervisor.worker("a")
                run = worker.expect_run("a")
                supervisor.program.signal(first)
                run.expect_cancel("shutdown")
                self.signal_again(supervisor.program)
                supervisor.ended()
                self.assertFalse(os.path.lexists(supervisor.path))

    def test_S24_shutdown_twice_is_answered_twice(self):
        supervisor = self.start("version: 1\n")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("shutdown"), {"exits": True})
        self.assertEqual(peer.ok("shutdown"), {"exits": True})
        run.expect_cancel("shutdown").stopped()
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_another_supervisors_socket_isnt_removed(self):
        supervisor = self.start()
        self.write(supervisor.path + ".new", "somebody else's")
        os.rename(supervisor.path + ".new", supervisor.path)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        with open(supervisor.path) as file:
            self.assertEqual(file.read(), "somebody else's")

    def test_S24_the_next_supervisor_may_start_at_the_same_path(self):
        directory = self.directory()
        for _ in range(3):
            supervisor = self.start(directory=directory)
            supervisor.peer().ok("shutdown")
            self.assertEqual(supervisor.ended(), 0)

    def test_S24_a_connection_that_never_sent_hello_doesnt_delay_it(self):
        supervisor = self.start()
        silent = connected(supervisor.path)
        self.addCleanup(silent.close)
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)

    def test_S24_a_client_that_doesnt_read_doesnt_delay_it(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        slow = supervisor.peer()
        slow.ok("subscribe", topics=["initializer"])
        for number in range(300):
            run.progress(message=f"{number} " + "x" * 10_000)
        run.succeed()
        supervisor.peer().ok("wait", for_="launch")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(30), 0)

    def unread(self, *arguments):
        """A supervisor with a client that reads nothing, so the shutdown waits for it after it has closed other connections."""
        supervisor = self.start_fast(*arguments)
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        slow = supervisor.peer()
        slow.ok("subscribe", topics=["initializer"])
        for number in range(300):
            run.progress(message=f"{number} " + "x" * 10_000)
        run.succeed()
        supervisor.peer().ok("wait", for_="launch")
        return supervisor

    def test_S24_initctl_shutdown_returns_when_the_process_is_gone(self):
        supervisor = self.unread()
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        self.assertFalse(is_running(supervisor.pid))

    def test_S24_the_next_supervisor_never_meets_the_one_that_initctl_has_shut_down(self):
        directory = self.directory()
        for _ in range(30):
            supervisor = self.start(self.manifest("a: { command: 'true' }"), "--state-directory", f"{directory}/state", directory=directory)
            self.assertStatus(supervisor.ctl("shutdown"), 0)
            self.assertFalse(is_running(supervisor.pid))

    def test_S24_initctl_shutdown_names_the_process_that_doesnt_end(self):
        supervisor = self.unread("--limit", "farewell=600s")
        finished = self.assertStatus(supervisor.ctl("--reply-timeout", "500ms", "shutdown"), 69)
        self.assertIn(f"the supervisor has closed its connections, but its process (pid {supervisor.pid}) still runs after 500 ms", finished.err)
        self.assertIn("--reply-timeout", finished.err)

    @unittest.skipUnless(os.geteuid() == 0, "a PID namespace requires root")
    def test_S24_initctl_shutdown_waits_for_the_process_of_a_container(self):
        """Seen from inside, the process has another number."""
        directory = self.directory()
        path = os.path.join(directory, "s")
        inside = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
        for around, within in ((inside, []), ([], inside)):
            with self.subTest(supervisor=around, client=within):
                program = self.program([*around, INITD, "--socket", path])
                until(lambda: os.path.exists(path), "the socket")
                self.assertStatus(self.program([*within, INITCTL, "--socket", path, "shutdown"]).finish(), 0)
                self.assertFalse(os.path.exists(path + ".lock"))
                self.assertEqual(program.wait(), 0)

    def test_a_supervisor_whose_client_was_killed_continues(self):
        supervisor = self.start()
        other = supervisor.peer()
        for _ in range(20):
            peer = supervisor.peer()
            peer.request("status")
            peer.close()
        other.alive()

    def test_S24_no_worker_is_started_during_shutdown(self):
        directory = self.directory()
        body = self.manifest("slow: { command: \"trap '' TERM; echo up >> up; while test ! -e go; do sleep 0.01; done\" }") + "workers:\n"
        body += "  w: { command: 'echo x >> starts; until test -e ended; do sleep 0.01; done; exit 1', backoff: { delay: 1ms, maxDelay: 1ms } }\n"
        supervisor = self.start(body.replace("cancelGrace: 300ms", "cancelGrace: 30s"), directory=directory)
        supervisor.until_lines("up")
        supervisor.until_lines("starts")
        supervisor.peer().ok("shutdown")
        self.write(supervisor.file("ended"), "")
        supervisor.program.until_err("process w ended")
        self.write(supervisor.file("go"), "")
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("starts"), ["x"])

    def test_S24_a_second_signal_skips_the_waiting_for_an_app_too(self):
        directory = self.directory()
        path = os.path.join(directory, "s")
        manifest = self.write(os.path.join(directory, "init.yaml"), "version: 1\ncancelGrace: 10m\n")
        app = "trap '' TERM; echo up > up; while :; do sleep 0.02; done"
        program = self.program([INITD, "--socket", path, "--config", manifest, "--", "/bin/sh", "-c", app], cwd=directory)
        until(lambda: os.path.exists(os.path.join(directory, "up")), "the app")
        client = self.program([INITCTL, "--socket", path, "shutdown"])
        program.until_err("shutting down")
        # Two signals, which may be merged into one.
        until(lambda: program.process.poll() is not None or program.signal(signal.SIGTERM), "its end, long before the app's grace")
        program.wait()
        client.finish()


if __name__ == "__main__":
    unittest.main()
