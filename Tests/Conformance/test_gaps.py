"""A supervisor that was stopped for a while, like one on a suspended machine: messages that arrived in time count."""

import contextlib
import os
import signal
import time
import unittest

from deadlines import DEADLINE, until
from peer import Peer, connected, frame, message
from supervisor import Conformance, is_running

TIMEOUT = 2
"""A timeout that passes while the supervisor is stopped, in seconds."""


class GapTests(Conformance):
    @contextlib.contextmanager
    def gap(self, supervisor, until_moment):
        """The supervisor is stopped in here, and continues when that moment of the monotonic clock has passed."""
        supervisor.program.signal(signal.SIGSTOP)
        try:
            yield
            until(lambda: time.monotonic() > until_moment, "the moment", deadline=60)
        finally:
            supervisor.program.signal(signal.SIGCONT)

    def test_commands_that_ended_in_time_are_complete(self):
        """This holds even if there are more of them than a turn of the loop handles."""
        names = [f"n{number}" for number in range(100)]
        directory = self.directory()
        os.mkfifo(directory + "/gate")
        gate = os.open(directory + "/gate", os.O_RDWR)
        self.addCleanup(os.close, gate)
        # Waiting costs nothing, so a busy machine starts all of them long before the timeout.
        each = f"command: 'echo $$ >> pids; read line < gate', timeout: {TIMEOUT * 4}s"
        supervisor = self.start(
            self.manifest("\n".join(f"{name}: {{ {each} }}" for name in names), head="version: 1\nconcurrency: 100\n"),
            directory=directory)
        peer = supervisor.peer()
        pids = list(map(int, supervisor.until_lines("pids", len(names))))
        # Timers wait for ready work for as long as they are late: long enough for a busy machine to handle all the ends.
        with self.gap(supervisor, time.monotonic() + TIMEOUT * 4 + 2.5):
            os.write(gate, b"\n" * len(names))
            until(lambda: not any(map(is_running, pids)), "the end of the commands")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_a_command_that_runs_on_times_out(self):
        supervisor = self.start_with(f"a: {{ command: 'echo >> begun; sleep 600', timeout: {TIMEOUT}s }}")
        peer = supervisor.peer()
        supervisor.until_lines("begun")
        with self.gap(supervisor, time.monotonic() + TIMEOUT + 0.5):
            pass
        state = peer.ok("wait", for_="launch")
        self.failed(state, "initializerFailed", initializer="a")
        self.assertEqual(state["error"]["cause"], {"kind": "timeout", "after": TIMEOUT})

    def test_answers_of_workers_that_wait_in_the_socket_count(self):
        supervisor = self.start_with(f"a: {{ worker: true, timeout: {TIMEOUT}s }}")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        with self.gap(supervisor, time.monotonic() + TIMEOUT + 0.5):
            run.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_a_worker_that_connected_and_registered_in_time_counts(self):
        """The connection waits to be accepted, and the registration to be read."""
        head = f"version: 1\nregistrationTimeout: {TIMEOUT}s\n"
        supervisor = self.start(self.manifest("a: { worker: true }", head=head))
        with self.gap(supervisor, time.monotonic() + TIMEOUT + 0.5):
            worker = Peer(connected(supervisor.path))
            self.addCleanup(worker.close)
            hello = message(id="h", method="hello", params={"client": {"name": "late", "version": "1"}, "protocol": 1})
            register = message(id="r", method="register", params={"initializers": [{"name": "a"}]})
            worker.send_bytes(frame(hello) + frame(register))
        worker.expect_run("a").succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_a_renewal_that_arrived_while_the_lease_lasted_counts(self):
        """This holds even if the app should have been deactivated before the lease's end."""
        supervisor = self.start(self.manifest("", head="version: 1\ncancelGrace: 2s\n"))
        holder = supervisor.peer("leader")
        begin = time.monotonic()
        holder.ok("activate", hold=True, lease=5, at=begin)
        with self.gap(supervisor, begin + 3.2):
            holder.send(method="renew", params={"lease": 60, "at": time.monotonic()})
        status = supervisor.peer().status()
        self.assertLess(time.monotonic(), begin + 5, "the machine is too slow for this test")
        self.assertEqual((status["lifecycle"], status["holds"]), ("active", 1))

    def test_a_run_once_for_a_release_counts_after_a_gap_that_is_longer_than_its_lease(self):
        """The renewals, and the exit if the process has ended, are queued: they are read before the lease is found to have ended."""
        for ends in (True, False):
            with self.subTest(ends=ends):
                self.check_gap_of_once(ends)

    def check_gap_of_once(self, ends):
        supervisor = self.start(
            self.manifest("a: { command: 'echo >> begun; read line < gate', once: fleet }", head="version: 1\ncancelGrace: 200ms\nrelease: v1\n"))
        gate = os.path.join(supervisor.directory, "gate")
        os.mkfifo(gate)
        gate = os.open(gate, os.O_RDWR)
        self.addCleanup(os.close, gate)
        coordinator = supervisor.peer("coordinator")
        coordinator.ok("coordinate")
        claim = coordinator.take(lambda each: each.get("method") == "claim", "a claim")
        begin = time.monotonic()
        coordinator.send(id=claim["id"], result={"decision": "run", "fence": 1, "lease": 2, "at": begin})
        supervisor.until_lines("begun")
        with self.gap(supervisor, begin + 2.5):
            for after, lease in ((1, 2), (2, 60)):
                until(lambda: time.monotonic() > begin + after, "the moment of a renewal")
                coordinator.send(method="renew", params={"run": claim["params"]["run"], "lease": lease, "at": begin + after})
            if ends:
                os.write(gate, b"\n")
        if not ends:
            # The supervisor's timers have fired: a lease that had ended would have stopped the run.
            supervisor.peer().refused(-32003, "wait", {"initializer": "a", "timeout": 0.5})
            os.write(gate, b"\n")
        completion = coordinator.take(lambda each: each.get("method") in ("complete", "unclaim"), "a completion")
        self.assertEqual(completion["method"], "complete")
        coordinator.send(id=completion["id"], result={})
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_a_renewal_after_the_end_of_the_lease_is_too_late(self):
        supervisor = self.start_fast()
        holder = supervisor.peer("leader")
        holder.ok("activate", hold=True, lease=1)
        with self.gap(supervisor, time.monotonic() + 1.2):
            holder.send(method="renew", params={"lease": 60})
        peer = supervisor.peer()
        until(lambda: peer.status()["lifecycle"] == "inactive", "its deactivation", deadline=5)
        self.assertEqual(peer.status()["holds"], 0)

    def test_a_frame_whose_rest_arrived_in_time_is_taken(self):
        supervisor = self.start_fast("--limit", f"frameTimeout={TIMEOUT}s")
        peer = supervisor.peer()
        ping = frame(message(id="p", method="ping", params={"still": "there"}))
        peer.send_bytes(ping[:10])
        supervisor.peer().alive()
        with self.gap(supervisor, time.monotonic() + TIMEOUT + 0.5):
            peer.send_bytes(ping[10:])
        self.assertEqual(peer.answer("p")["result"], {"still": "there"})

    def test_a_flood_delays_a_timeout_by_little(self):
        """Clients that always have a message ready."""
        supervisor = self.start_with(f"a: {{ command: 'echo >> begun; sleep 600', timeout: {TIMEOUT}s }}")
        floods = [supervisor.peer(f"flood {number}") for number in range(4)]
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["initializer"])
        supervisor.until_lines("begun")
        ping = frame(message(id=1, method="ping")) * 50
        for flood in floods:
            flood.stream.setblocking(False)
        end = time.monotonic() + DEADLINE
        while not any(self.is_cancelled(each) for each in peer.inbox):
            self.assertLess(time.monotonic(), end, "it doesn't time out")
            for flood in floods:
                with contextlib.suppress(BlockingIOError):
                    flood.stream.send(ping)
                with contextlib.suppress(BlockingIOError):
                    flood.stream.recv(1 << 20)
            with contextlib.suppress(AssertionError):
                peer.inbox.append(peer._read(time.monotonic() + 0.001))
        run = peer.last_pass()["runs"][-1]
        self.assertEqual(run["outcome"], "failed")
        self.assertLess(run["duration"], TIMEOUT + 1)

    @staticmethod
    def is_cancelled(each):
        return each.get("method") == "event" and each["params"].get("initializer", {}).get("status") == "failed"


if __name__ == "__main__":
    unittest.main()
