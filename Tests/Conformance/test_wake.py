"""`initd --activate-on wake`: the app is activated again after the machine was suspended."""

import os
import subprocess

from supervisor import INITD, Conformance

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "jumping_clock.c")


class WakeTests(Conformance):
    def setUp(self):
        super().setUp()
        if subprocess.run(["ldd", INITD], capture_output=True).returncode != 0:
            self.skipTest("a static program can't be given another clock")

    def test_active_work_runs_again_and_launch_work_does_not(self):
        library, clock = self.directory() + "/clock.so", self.directory() + "/suspended"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, SOURCE], check=True)
        self.write(clock, "0\n")
        supervisor = self.start_with(
            "boot: { command: 'echo boot >> ran' }\nwake: { command: 'echo wake >> ran', priority: appActive }",
            "--activate", "--activate-on", "wake", env={"LD_PRELOAD": library, "SUSPENDED_FOR": clock})
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", pass_=2)["state"], "complete")
        self.write(clock, "3600\n")
        supervisor.program.until_err("activating: the machine was suspended for 1 h")
        self.assertEqual(peer.ok("wait", pass_=3)["state"], "complete")
        self.assertEqual(supervisor.text("ran").split(), ["boot", "wake", "wake"])
