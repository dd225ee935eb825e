"""Wall clocks that jump: leases, claims and leaders count by a clock that doesn't."""

import os
import subprocess
import time
import unittest

from deadlines import until
from fleet import MIGRATE, Fleet

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")
DAY = 86_400


class ClockTests(Fleet):
    def setUp(self):
        super().setUp()
        self.library = self.directory() + "/clock.so"
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", self.library, SOURCE], check=True)
        self.clock = self.directory() + "/clock"
        self.jump(0)

    def jump(self, seconds):
        """The wall clock of host a differs that much from now on."""
        self.write(self.clock, f"{seconds}\n")

    def faked(self):
        return {"LD_PRELOAD": self.library, "JUMPING_CLOCK": self.clock}

    def jumping_host(self, initializers):
        host = self.host("a", initializers, agent=False, **self.faked())
        host.agent = self.agent(host, "a", env=self.faked())
        return host

    def let_pass(self, peer, seconds):
        """Lets time pass, by the supervisor's own timers."""
        peer.refused(-32003, "wait", {"for": "launch", "timeout": seconds})

    def test_a_run_and_its_claim_survive_jumps(self):
        gated = MIGRATE.replace("sleep $SLEEP;", 'while [ ! -e "$LOG.go" ]; do sleep 0.05; done;')
        first = self.jumping_host(gated)
        peer = first.peer()
        until(self.lines, "the start")
        second = self.host("b", gated)
        for jump in (DAY, -DAY):
            self.jump(jump)
            # Longer than the lease.
            self.let_pass(peer, 4.5)
        self.assertEqual(len(self.lines()), 1, self.lines())
        self.assertEqual([(each["state"], each["host"]) for each in self.status()["once"]], [("running", "a")])
        open(self.log + ".go", "w").close()
        self.assertEqual((self.launched(first), self.launched(second)), ("complete", "complete"))
        self.assertEqual([line.split()[::2] for line in self.lines()[:2]], [["start", "a"], ["end", "a"]])
        # Only times for people use that clock.
        self.assertLess(self.status()["once"][0]["time"], time.time() - DAY / 2)

    def test_a_leader_survives_jumps(self):
        host = self.host("a", "warm: { command: 'true', priority: appActive }\n", agent=False, **self.faked())
        words = ["lead", "billing", "--host", "a", "--lease", "4s", "--socket", host.path]
        leader = self.start_initfleet(*words, env=self.faked())
        peer = host.peer()
        until(lambda: peer.status()["lifecycle"] == "active", "the leader")
        for jump in (DAY, -DAY):
            self.jump(jump)
            peer.refused(-32003, "wait", {"initializer": "other", "timeout": 4.5, "appear": True})
        self.assertEqual(peer.status()["lifecycle"], "active")
        self.assertNotIn("doesn't lead", leader.err.decode())


if __name__ == "__main__":
    unittest.main()
