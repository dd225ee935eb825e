"""manifest.md: passes that keep going after a failure (S28)."""

import unittest

from supervisor import FAST, Conformance

KEEPS = FAST + "keepGoing: true\n"
INITIALIZERS = """
    a: { command: exit 3 }
    b: { command: echo b >> order, dependencies: [a] }
    c: { command: echo c >> order }
    d: { command: exit 4 }
    e: { command: echo e >> order, dependencies: [c] }
    """


class KeepGoingTests(Conformance):
    def check(self, peer) -> None:
        error = self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a", cause={"kind": "exit", "status": 3})
        self.assertEqual([(each["initializer"], each["cause"]["status"]) for each in error["errors"]], [("a", 3), ("d", 4)])
        self.assertEqual(error["message"], "a failed: exit status 3; also failed: d")
        shapes = {each["name"]: each for each in peer.status()["initializers"]}
        self.assertEqual({name: each["status"] for name, each in shapes.items()},
                         {"a": "failed", "b": "notRun", "c": "complete", "d": "failed", "e": "complete"})
        self.assertEqual(shapes["b"]["blockedBy"], "a")

    def test_S28_the_option_lets_a_failure_stop_only_its_dependents(self):
        supervisor = self.start_with(INITIALIZERS, "--keep-going")
        self.check(supervisor.peer())
        self.assertEqual(supervisor.lines("order"), ["c", "e"])

    def test_S28_the_key_does_the_same(self):
        supervisor = self.start(self.manifest(INITIALIZERS, KEEPS))
        self.check(supervisor.peer())
        self.assertEqual(supervisor.lines("order"), ["c", "e"])

    def test_S28_without_it_the_first_error_stops_the_pass(self):
        peer = self.start_with(INITIALIZERS).peer()
        error = self.failed(peer.ok("wait", for_="launch"), "initializerFailed", initializer="a")
        self.assertNotIn("errors", error)
        self.assertRuns(peer, ["a"])

    def test_S28_why_and_wait_name_every_failure(self):
        supervisor = self.start_with(INITIALIZERS, "--keep-going")
        supervisor.peer().ok("wait", for_="launch")
        why = self.assertStatus(supervisor.ctl("why"), 1)
        self.assertRegex(why.out, r"a +failed")
        self.assertRegex(why.out, r"d +failed")
        waited = self.assertStatus(supervisor.ctl("wait", "launch"), 1)
        self.assertIn("a failed: exit status 3; also failed: d", waited.err)

    def test_S28_the_next_launch_runs_what_has_not_completed(self):
        supervisor = self.start_with(
            """
            a: { command: test -e mended }
            b: { command: echo b >> order, dependencies: [a] }
            c: { command: echo c >> order }
            """,
            "--keep-going",
        )
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.write(supervisor.file("mended"), "")
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("order"), ["c", "b"])

    def test_S28_the_app_is_not_started(self):
        manifest = self.write(self.directory() + "/init.yaml", self.manifest(INITIALIZERS, KEEPS))
        ended = self.initd("--config", manifest, "--socket", self.directory() + "/s", "--", "echo", "started")
        self.assertStatus(ended, 1)
        self.assertEqual(ended.out, "")
        self.assertRegex(ended.err, "a failed .* exit status 3(.|\\n)*d failed .* exit status 4")

    def test_S28_the_key_is_true_or_false(self):
        path = self.write(self.directory() + "/init.yaml", "version: 1\nkeepGoing: often\n")
        checked = self.assertStatus(self.initd("--check", path), 65)
        self.assertIn(f"{path}:2:12: ", checked.err)


if __name__ == "__main__":
    unittest.main()
