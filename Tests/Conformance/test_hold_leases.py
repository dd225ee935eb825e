"""Holds with a lease (PROTOCOL.md, `activate`)."""

import time
import unittest

from deadlines import until
from supervisor import Conformance

# An active initializer that writes a line when it is stopped.
WARM = "warm: { command: 'trap \"echo stopped >> log; exit 1\" TERM; echo started >> log; while :; do sleep 0.01; done', priority: appActive }\n"


class HoldLeaseTests(Conformance):
    def start_held(self, lease, initializers=WARM):
        supervisor = self.start(self.manifest(initializers))
        holder = supervisor.peer("leader")
        answer = holder.ok("activate", hold=True, lease=lease)
        self.assertEqual(answer["cancelGrace"], 0.3)
        return supervisor, holder

    def until_inactive(self, watcher):
        """The moment of the event that the app is inactive."""
        event = watcher.take(
            lambda each: each.get("method") == "event" and each["params"].get("lifecycle") == "inactive", "inactive")
        return event["params"]["time"]

    def test_the_app_is_deactivated_before_the_lease_ends(self):
        supervisor = self.start(self.manifest(WARM))
        holder, watcher = supervisor.peer("leader"), supervisor.peer()
        watcher.ok("subscribe", topics=["lifecycle"])
        begin = time.time()
        holder.ok("activate", hold=True, lease=1.5)
        supervisor.until_lines("log", 1)
        # 1.5 s less cancelGrace, 0.3 s, and 0.2 s. The supervisor read the request after `begin`.
        self.assertGreaterEqual(self.until_inactive(watcher) - begin, 0.99)
        self.assertEqual(supervisor.until_lines("log", 2), ["started", "stopped"])
        self.assertEqual(holder.status()["holds"], 0)

    def test_a_renewal_extends_it(self):
        supervisor, holder = self.start_held(1.5)
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["lifecycle"])
        begin = time.time()
        holder.send(method="renew", params={"lease": 3})
        holder.alive()
        self.assertGreaterEqual(self.until_inactive(watcher) - begin, 2.49)

    def test_the_end_of_the_connection_deactivates_even_if_others_have_activated(self):
        supervisor, holder = self.start_held(60)
        watcher = supervisor.peer()
        watcher.ok("activate")
        watcher.ok("activate", hold=True)
        watcher.ok("subscribe", topics=["lifecycle"])
        holder.close()
        self.until_inactive(watcher)
        self.assertEqual(watcher.status()["holds"], 0)

    def test_release_ends_it(self):
        supervisor, holder = self.start_held(60)
        holder.ok("release")
        self.assertEqual(holder.status()["lifecycle"], "inactive")

    def test_a_hold_without_a_lease_replaces_it(self):
        supervisor, holder = self.start_held(1.5)
        holder.ok("activate", hold=True)
        watcher = supervisor.peer()
        # By the supervisor's own timers, the lease would have ended.
        watcher.refused(-32003, "wait", {"initializer": "warm", "timeout": 1.6})
        self.assertEqual(watcher.status()["lifecycle"], "active")

    def test_after_a_deactivation_a_renewal_does_nothing(self):
        supervisor, holder = self.start_held(60)
        supervisor.peer().ok("deactivate", wait=True)
        holder.send(method="renew", params={"lease": 60})
        holder.alive()
        self.assertEqual((holder.status()["lifecycle"], holder.status()["holds"]), ("inactive", 0))

    def test_the_lease_of_a_hold_that_was_ended_deactivates_nobody_elses_app(self):
        """The hold isn't lost at its end, or when its connection ends."""
        for how in ("its end", "the end of its connection"):
            with self.subTest(how):
                supervisor, holder = self.start_held(1)
                peer = supervisor.peer()
                peer.ok("deactivate", wait=True)
                peer.ok("activate")
                if how == "its end":
                    # By the supervisor's own timers, the lease ends before that.
                    peer.refused(-32003, "wait", {"initializer": "warm", "timeout": 1.1})
                else:
                    holder.close()
                    peer.refused(-32003, "wait", {"initializer": "warm", "timeout": 0.1})
                self.assertEqual(peer.status()["lifecycle"], "active")

    def test_the_next_lease_ends_in_time_although_an_ended_one_would_end_earlier(self):
        supervisor, _ = self.start_held(1)
        watcher = supervisor.peer()
        watcher.ok("deactivate", wait=True)
        second = supervisor.peer("second")
        second.ok("activate", hold=True, lease=1.5)
        watcher.ok("subscribe", topics=["lifecycle"])
        self.until_inactive(watcher)

    def test_a_plain_activation_of_its_client_leaves_the_lease(self):
        supervisor, holder = self.start_held(60)
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["lifecycle"])
        holder.ok("activate")
        holder.close()
        self.until_inactive(watcher)

    def test_an_active_app_is_not_activated_anew(self):
        supervisor = self.start(self.manifest("warm: { command: 'echo ran >> log', priority: appActive }\n"))
        peer = supervisor.peer()
        number = peer.ok("activate")["pass"]
        peer.ok("wait", **{"pass": number})
        self.assertEqual(peer.ok("activate", hold=True, lease=60)["pass"], number)
        self.assertEqual(supervisor.lines("log"), ["ran"])

    def test_only_one_connection_can_have_one(self):
        supervisor, holder = self.start_held(60)
        other = supervisor.peer()
        other.refused(-32002, "activate", {"hold": True, "lease": 60}, naming="leader")
        holder.ok("activate", hold=True, lease=60)
        holder.close()
        until(lambda: "result" in other.call("activate", {"hold": True, "lease": 60}), "the second hold")

    def test_a_hold_that_was_ended_excludes_no_other_one(self):
        """The connection remains."""
        supervisor, _ = self.start_held(60)
        other = supervisor.peer()
        other.ok("deactivate", wait=True)
        other.ok("activate", hold=True, lease=60)

    def test_a_lease_counts_from_its_moment(self):
        """The message may have waited, e.g. because a process was stopped."""
        supervisor = self.start(self.manifest(WARM))
        holder, watcher = supervisor.peer("leader"), supervisor.peer()
        holder.refused(-32600, "activate", {"hold": True, "lease": 10, "at": time.monotonic() - 9.8}, naming="lease")
        watcher.ok("subscribe", topics=["lifecycle"])
        holder.ok("activate", hold=True, lease=60, at=time.monotonic() - 59)
        self.until_inactive(watcher)
        holder.ok("activate", hold=True, lease=60, at=time.monotonic())
        holder.send(method="renew", params={"lease": 60, "at": time.monotonic() - 59.8})
        self.until_inactive(watcher)

    def test_invalid_leases_are_refused(self):
        supervisor = self.start(self.manifest(WARM), "--no-launch")
        peer = supervisor.peer()
        peer.refused(-32602, "activate", {"lease": 60}, naming="hold")
        # 0.5 s are the grace and the margin.
        for lease in (0.5, 0, -1, "1", 1e10):
            peer.refused(-32602, "activate", {"hold": True, "lease": lease}, naming="lease")
        self.assertEqual(peer.status()["lifecycle"], "inactive")


if __name__ == "__main__":
    unittest.main()
