"""protocol.md §4: wait."""

import signal
import socket
import unittest

from peer import refusal
from supervisor import Conformance

ACTIVE = {"name": "a", "priority": "appActive"}


class WaitTests(Conformance):
    def late(self, answer):
        """The error of a wait that timed out; it has the Status."""
        error = refusal(answer, -32003)
        self.assertIn("seq", error["data"]["status"])
        return error

    def pending(self, peer, params):
        """A wait that isn't answered yet."""
        id = peer.request("wait", params)
        peer.alive()
        self.assertEqual([each for each in peer.inbox if each.get("id") == id], [], "the wait must not be answered yet")
        return id

    def test_the_default_is_ready(self):
        supervisor = self.start_fast("--activate")
        self.assertEqual(supervisor.peer().ok("wait")["state"], "complete")
        supervisor = self.start_fast("--no-launch")
        self.late(supervisor.peer().call("wait", {"timeout": 0.05}))

    def test_ready_is_complete_when_the_composite_is_and_the_lifecycle_is_active(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l", ACTIVE)
        peer = supervisor.peer()
        id = self.pending(peer, {"for": "ready"})
        worker.expect_run("l").succeed()
        supervisor.peer().ok("wait", for_="launch")
        supervisor.peer().ok("activate")
        run = worker.expect_run("a")
        self.assertFalse([each for each in peer.inbox if each.get("id") == id])
        run.succeed()
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_ready_is_failed_when_the_composite_is_even_while_inactive(self):
        peer = self.start_with("a: { command: 'exit 1' }").peer()
        self.failed(peer.ok("wait"), "initializerFailed", initializer="a")

    def test_a_state_is_answered_as_soon_as_it_isnt_pending_even_if_failed(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("l", ACTIVE)
        run = worker.expect_run("l")
        peer = supervisor.peer()
        ids = {what: self.pending(peer, {"for": what}) for what in ("launch", "active", "composite")}
        run.succeed()
        self.assertEqual(peer.answer(ids["launch"])["result"]["state"], "complete")
        worker.expect_run("a").fail()
        for what in ("active", "composite"):
            self.failed(peer.answer(ids[what])["result"], "initializerFailed", initializer="a")

    def test_many_may_wait_at_once_on_one_connection_and_on_many(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l")
        run = worker.expect_run("l")
        peers = [supervisor.peer() for _ in range(5)]
        ids = [(peer, self.pending(peer, {"for": "launch"})) for peer in peers for _ in range(5)]
        run.succeed()
        for peer, id in ids:
            self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_more_waits_than_a_turn_settles_are_all_answered_in_order(self):
        """The waits are settled repeatedly, and the last waits even if their client has closed its writing side in the meantime."""
        supervisor = self.start_fast()
        for name in ("a", "b"):
            peer, worker = supervisor.peer(), supervisor.worker(name)
            run = worker.expect_run(name)
            ids = [peer.request("wait", {"initializer": name}) for _ in range(900)]
            peer.alive()
            last = self.pending(worker, {"initializer": name})
            # The supervisor finds the end of the run and the end of the connection in two turns. In each it settles 256 waits.
            supervisor.program.signal(signal.SIGSTOP)
            run.succeed()
            worker.stream.shutdown(socket.SHUT_WR)
            supervisor.program.signal(signal.SIGCONT)
            answers = [peer.receive() for _ in ids]
            self.assertEqual([each and each["id"] for each in answers], ids)
            self.assertEqual(worker.answer(last)["result"]["state"], "complete")

    def test_a_wait_that_times_out_is_32003_with_the_status_of_that_moment(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l")
        worker.expect_run("l")
        peer = supervisor.peer()
        for params in ({"for": "launch"}, {"initializer": "l"}, {"pass": supervisor.peer().status()["launch"]["pass"]}):
            for timeout in (0, 0.05, 0.1):
                with self.subTest(params=params, timeout=timeout):
                    error = self.late(peer.call("wait", params | {"timeout": timeout}))
                    self.assertEqual(error["data"]["status"]["launch"]["state"], "pending")

    def test_each_wait_times_out_at_its_own_deadline(self):
        peer = self.start_fast().peer()
        never = {"initializer": "never", "appear": True}
        self.pending(peer, never | {"timeout": 3600})
        self.late(peer.call("wait", never | {"timeout": 0.05}))

    def test_a_settled_wait_is_answered_once(self):
        """The deadline comes before the deadline of a wait that is never settled."""
        supervisor = self.start_fast()
        run = supervisor.worker("l").expect_run("l")
        peer = supervisor.peer()
        id = self.pending(peer, {"initializer": "l", "timeout": 1})
        run.succeed()
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")
        self.late(peer.call("wait", {"initializer": "never", "appear": True, "timeout": 1.05}))
        peer.alive()
        self.assertEqual([each for each in peer.inbox if each.get("id") == id], [])

    def test_a_timeout_of_0_is_answered_at_once(self):
        peer = self.start_fast().peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(peer.ok("wait", for_="launch", timeout=0)["state"], "complete")

    def test_a_wait_for_an_initializer_gives_its_last_outcome(self):
        supervisor = self.start_with("c: { command: 'true' }\nf: { command: 'exit 2', optional: true }", "--activate")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", initializer="c")["state"], "complete")
        self.failed(peer.ok("wait", initializer="f"), "initializerFailed", initializer="f", cause={"kind": "exit", "status": 2})
        worker = supervisor.worker(ACTIVE)
        id = self.pending(peer, {"initializer": "a"})
        run = worker.expect_run("a")
        peer.ok("deactivate")
        run.stopped()
        self.assertEqual(peer.answer(id)["result"]["state"], "cancelled")
        self.assertEqual(peer.ok("wait", initializer="a")["state"], "cancelled")

    def test_a_notRun_initializer_is_failed_with_the_error_that_prevented_it(self):
        supervisor = self.start_with("f: { command: 'exit 2' }\nn: { command: 'true', dependencies: [f] }", "--no-launch")
        peer = supervisor.peer()
        id = self.pending(peer, {"initializer": "n"})
        supervisor.peer().ok("launch")
        self.failed(peer.answer(id)["result"], "initializerFailed", initializer="f", cause={"kind": "exit", "status": 2})
        self.assertEqual(peer.initializer("n")["status"], "notRun")

    def test_an_initializer_that_runs_again_is_waited_for(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(ACTIVE)
        worker.expect_run("a").fail()
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", initializer="a")["state"], "failed")
        peer.ok("activate")
        run = worker.expect_run("a")
        id = self.pending(peer, {"initializer": "a"})
        run.succeed()
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_an_undeclared_name_is_32004(self):
        peer = self.start_fast().peer()
        peer.refused(-32004, "wait", {"initializer": "nobody"})
        peer.refused(-32004, "wait", {"initializer": "nobody", "appear": False, "timeout": 5})

    def test_an_undeclared_name_is_waited_for_with_appear(self):
        supervisor = self.start_fast()
        peer = supervisor.peer()
        id = self.pending(peer, {"initializer": "late", "appear": True})
        worker = supervisor.worker("late")
        run = worker.expect_run("late")
        self.assertFalse([each for each in peer.inbox if each.get("id") == id])
        run.succeed()
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")
        self.late(peer.call("wait", {"initializer": "never", "appear": True, "timeout": 0.05}))

    def test_a_name_that_is_removed_during_the_wait_is_32004(self):
        """The wait is refused, no matter whether the initializer hasn't run, runs, or belongs to another connection's worker; the message
        has its name."""
        for arguments in (["--no-launch"], []):
            with self.subTest(arguments):
                supervisor = self.start_fast(*arguments)
                worker = supervisor.worker("a", "b")
                peer = supervisor.peer()
                if not arguments:
                    worker.expect_run("a")
                ids = [self.pending(peer, {"initializer": "a"}), self.pending(peer, {"initializer": "a", "appear": False, "timeout": 600})]
                other = self.pending(peer, {"initializer": "b"})
                worker.ok("unregister", names=["a"])
                for id in ids:
                    refusal(peer.answer(id), -32004, "a")
                peer.alive()
                self.assertEqual([each for each in peer.inbox if each.get("id") == other], [], "b is still there")

    def test_the_wait_for_a_removed_name_continues_with_appear(self):
        """The wait continues until the initializer is registered again and has run, or the wait times out."""
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        peer = supervisor.peer()
        id = self.pending(peer, {"initializer": "a", "appear": True})
        late = self.pending(peer, {"initializer": "a", "appear": True, "timeout": 0.5})
        worker.ok("unregister", names=["a"])
        run.stopped()
        self.late(peer.answer(late))
        again = supervisor.worker("a", name="again").expect_run("a")
        peer.alive()
        self.assertEqual([each for each in peer.inbox if each.get("id") == id], [], "it hasn't run yet")
        again.succeed()
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_the_wait_for_a_name_of_the_manifest_continues_without_its_worker(self):
        supervisor = self.start_with("a: { worker: true }", "--no-launch")
        worker, peer = supervisor.worker("a"), supervisor.peer()
        id = self.pending(peer, {"initializer": "a"})
        worker.ok("unregister", names=["a"])
        peer.alive()
        self.assertEqual([each for each in peer.inbox if each.get("id") == id], [])
        again = supervisor.worker("a", name="again")
        supervisor.peer().ok("launch")
        again.expect_run("a").succeed()
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_a_pass_ends_complete_failed_or_cancelled_and_can_be_queried_later(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(ACTIVE)
        peer = supervisor.peer()
        numbers = {}
        for outcome in ("complete", "failed", "cancelled"):
            number = numbers[outcome] = peer.ok("activate")["pass"]
            run = worker.expect_run("a")
            id = self.pending(peer, {"pass": number})
            self.end_run(run, outcome, peer)
            self.assertEqual(peer.answer(id)["result"]["state"], outcome)
        for outcome, number in numbers.items():
            self.assertEqual(peer.ok("wait", pass_=number)["state"], outcome)
        self.failed(peer.ok("wait", pass_=numbers["failed"]), "initializerFailed", initializer="a")

    def test_an_unknown_or_forgotten_pass_is_32602_and_the_last_32_are_kept(self):
        peer = self.start_fast().peer()
        peer.ok("wait", for_="launch")
        last = 1
        for _ in range(33):
            last = peer.ok("activate")["pass"]
            peer.ok("wait", pass_=last)
        for number in range(last - 31, last + 1):
            self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
        peer.refused(-32602, "wait", {"pass": 1}, naming="pass")
        peer.refused(-32602, "wait", {"pass": last + 1}, naming="pass")

    def test_open_waits_are_answered_with_32006_on_shutdown(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l")
        worker.expect_run("l")
        peer = supervisor.peer()
        # An active pass that waits for launch is cancelled at once.
        waiting = {"pass": peer.ok("activate")["pass"]}
        targets = ({"for": "launch"}, {}, {"initializer": "l"}, waiting, {"initializer": "x", "appear": True})
        ids = [self.pending(peer, params) for params in targets]
        peer.ok("shutdown")
        for id in ids:
            refusal(peer.answer(id), -32006)

    def test_a_waiting_client_may_disconnect(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l")
        run = worker.expect_run("l")
        for _ in range(10):
            peer = supervisor.peer()
            peer.request("wait", {"for": "launch"})
            peer.close()
        run.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")


if __name__ == "__main__":
    unittest.main()
