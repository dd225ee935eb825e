"""semantics.md S23: holds."""

import unittest

from deadlines import until
from supervisor import Conformance

ACTIVE = {"name": "a", "priority": "appActive"}


class HoldTests(Conformance):
    def setUp(self):
        super().setUp()
        self.supervisor = self.start_fast()
        self.peer = self.supervisor.peer()

    def until_inactive(self):
        until(lambda: self.peer.status()["lifecycle"] == "inactive", "the app inactive")

    def test_S23_a_hold_keeps_the_app_active_until_it_is_released(self):
        holder = self.supervisor.peer()
        holder.ok("activate", hold=True)
        status = self.peer.status()
        self.assertEqual((status["lifecycle"], status["holds"]), ("active", 1))
        holder.ok("release")
        status = self.peer.status()
        self.assertEqual((status["lifecycle"], status["holds"]), ("inactive", 0))

    def test_S23_a_hold_ends_with_its_connection(self):
        holder = self.supervisor.peer()
        holder.ok("activate", hold=True)
        holder.close()
        self.until_inactive()
        self.assertEqual(self.peer.status()["holds"], 0)

    def test_S23_the_app_is_deactivated_when_the_last_hold_ends(self):
        first, second = self.supervisor.peer(), self.supervisor.peer()
        first.ok("activate", hold=True)
        self.assertEqual(self.peer.status()["holds"], 1)
        second.ok("activate", hold=True)
        self.assertEqual(self.peer.status()["holds"], 2)
        first.ok("release")
        status = self.peer.status()
        self.assertEqual((status["lifecycle"], status["holds"]), ("active", 1))
        second.ok("release")
        self.assertEqual(self.peer.status()["lifecycle"], "inactive")

    def test_S23_a_connection_has_one_hold_even_after_several_requests(self):
        holder = self.supervisor.peer()
        for _ in range(3):
            holder.ok("activate", hold=True)
        self.assertEqual(self.peer.status()["holds"], 1)
        holder.ok("release")
        self.assertEqual(self.peer.status()["lifecycle"], "inactive")

    def test_S23_after_a_plain_activate_the_app_stays_active_when_the_last_hold_ends(self):
        holder = self.supervisor.peer()
        holder.ok("activate", hold=True)
        self.peer.ok("activate")
        holder.ok("release")
        self.assertEqual(self.peer.status()["lifecycle"], "active")

    def test_S23_adding_only_a_hold_runs_nothing_again(self):
        worker = self.supervisor.worker(ACTIVE)
        number = self.peer.ok("activate")["pass"]
        worker.expect_run("a").succeed()
        self.peer.ok("wait", pass_=number)
        holder = self.supervisor.peer()
        answer = holder.ok("activate", hold=True)
        self.assertEqual((answer["pass"], answer["active"]["state"]), (number, "complete"))
        worker.expect_no_run()
        self.assertEqual(self.peer.status()["holds"], 1)

    def test_S23_a_hold_after_a_failed_pass_runs_it_again(self):
        worker = self.supervisor.worker(ACTIVE)
        number = self.peer.ok("activate")["pass"]
        worker.expect_run("a").fail()
        self.peer.ok("wait", pass_=number)
        self.assertGreater(self.supervisor.peer().ok("activate", hold=True)["pass"], number)
        worker.expect_run("a").succeed()

    def test_S23_the_end_of_the_last_hold_cancels_runs(self):
        worker = self.supervisor.worker(ACTIVE)
        holder = self.supervisor.peer()
        holder.ok("activate", hold=True)
        run = worker.expect_run("a")
        holder.close()
        run.expect_cancel("deactivated").stopped()
        self.until_inactive()
        self.assertEqual(self.peer.status()["active"]["state"], "pending")

    def test_S23_deactivate_ends_holds(self):
        holder = self.supervisor.peer()
        holder.ok("activate", hold=True)
        self.peer.ok("deactivate")
        status = self.peer.status()
        self.assertEqual((status["lifecycle"], status["holds"]), ("inactive", 0))
        holder.ok("release")
        self.peer.ok("activate")
        holder.close()
        self.supervisor.peer().alive()
        self.assertEqual(self.peer.status()["lifecycle"], "active")


if __name__ == "__main__":
    unittest.main()
