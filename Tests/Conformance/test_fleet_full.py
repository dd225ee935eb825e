"""initfleet: a full etcd, which accepts only deletions."""

import os
import signal
import unittest

from deadlines import until
from fleet import MIGRATE, Fleet, text64

WAIT = 'while [ ! -e "$LOG.go" ]; do sleep 0.05; done;'
CLAIM = "/initfleet/shop once v1 migrate claim"


class FullTests(Fleet):
    def setUp(self):
        super().setUp()
        self.start_small_etcd()

    def host_in_full_etcd(self, command=WAIT):
        """Returns a host whose migration ends when etcd is full."""
        host = self.host("a", initializers=MIGRATE.replace("sleep $SLEEP;", command), lease="60s")
        until(self.lines, "the start")
        self.fill_etcd()
        open(self.log + ".go", "w").close()
        return host

    def host_that_waits_for_space(self):
        """Returns a host whose completed migration isn't recorded yet."""
        host = self.host_in_full_etcd()
        why = "waiting for etcd to record it: etcd refused: database space exceeded; compact and defragment etcd"
        host.agent.until_err("migrate of release v1 is done; " + why)
        return host

    def once(self):
        return [each["state"] for each in self.status()["once"]]

    def starts(self):
        return [line for line in self.lines() if line.startswith("start")]

    def test_a_full_etcd_is_told_and_the_completion_is_recorded_when_there_is_space(self):
        host = self.host_that_waits_for_space()
        self.empty_etcd()
        self.assertEqual(self.launched(host), "complete")
        self.assertEqual(self.once(), ["complete"])

    def test_an_agent_that_ends_waits_until_the_completion_is_recorded(self):
        host = self.host_that_waits_for_space()
        host.agent.process.terminate()
        host.agent.until_err("waits until etcd has recorded that migrate completed; a second signal ends the agent at once")
        self.empty_etcd()
        self.assertStatus(host.agent.finish(), 0)
        self.assertEqual(self.once(), ["complete"])

    def test_a_second_signal_ends_the_agent_at_once_and_leaves_the_key_to_the_lease(self):
        host = self.host_that_waits_for_space()
        host.agent.process.terminate()
        host.agent.until_err("waits until etcd has recorded")
        host.agent.process.send_signal(signal.SIGINT)
        self.assertStatus(host.agent.finish(), 0)
        self.assertTrue(self.ask("/kv/range", key=text64(CLAIM)).get("kvs"), "another host would run it at once")

    def test_a_completion_is_recorded_although_the_supervisor_has_ended_in_order(self):
        host = self.host_that_waits_for_space()
        os.kill(host.pid, signal.SIGTERM)
        self.assertEqual(host.ended(), 0)
        self.empty_etcd()
        until(lambda: self.once() == ["complete"], "the record")
        self.assertEqual(self.launched(self.host("b")), "complete")
        self.assertEqual(len(self.starts()), 1)

    def test_a_failed_run_leaves_its_claim_to_others(self):
        self.host_in_full_etcd(WAIT + " exit 3;")
        until(lambda: not self.ask("/kv/range", key=text64(CLAIM)).get("kvs"), "the deletion of the claim")
        self.empty_etcd()
        self.assertEqual(self.launched(self.host("b")), "complete")


if __name__ == "__main__":
    unittest.main()
