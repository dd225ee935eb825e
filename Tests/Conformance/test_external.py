"""everyday.md "Processes, by that name": `initctl stop --external NAME`, and `initd --external NAME`."""

import os

from deadlines import until
from supervisor import Conformance

WEB = "web: { command: 'echo start >> starts; echo $$ > pid; touch up; exec sleep 1000', ready: { path: up, every: 10ms }, healthy: { every: 10ms, onFailure: report } }"
QUEUE = "queue: { command: [sleep, '1000'] }"
SEED = "seed: { command: 'echo seed >> seeds', dependencies: [web] }"


class ExternalTests(Conformance):
    def begin(self, *options, directory=None):
        manifest = f"version: 1\nprocesses:\n  {WEB}\n  {QUEUE}\ninitializers:\n  {SEED}\n"
        return self.start(manifest, *options, directory=directory)

    def launched(self):
        supervisor = self.begin()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        return supervisor, peer

    def process(self, peer, name="web"):
        return next(each for each in peer.status()["processes"] if each["name"] == name)

    def until_launch(self, peer, state):
        until(lambda: peer.status()["launch"]["state"] == state, f"launch {state}")

    def taken(self):
        """A supervisor of which a person runs `web` by hand, and nobody answers."""
        supervisor, peer = self.launched()
        os.unlink(supervisor.file("up"))
        self.assertEqual(self.assertStatus(supervisor.ctl("stop", "--external", "web"), 0).out, "web stopped\n")
        self.until_launch(peer, "pending")
        return supervisor, peer

    def test_it_is_stopped_and_the_phase_is_pending_while_nobody_answers(self):
        supervisor, peer = self.taken()
        found = self.process(peer)
        self.assertNotIn("pid", found)
        self.assertIs(found["external"], True)
        self.assertIs(found["answers"], False)
        why = supervisor.ctl("why").out
        self.assertIn("web is run by hand, and nobody answers; start it by hand, or initctl start web", why)

    def test_what_a_person_starts_counts_as_long_as_it_answers(self):
        supervisor, peer = self.taken()
        self.write(supervisor.file("up"), "")
        self.until_launch(peer, "complete")
        self.assertEqual(peer.initializer("web")["status"], "complete")
        self.assertIs(self.process(peer)["answers"], True)
        self.assertEqual(supervisor.lines("seeds"), ["seed"], "its dependent stays complete")
        os.unlink(supervisor.file("up"))
        self.until_launch(peer, "pending")
        self.write(supervisor.file("up"), "")
        self.until_launch(peer, "complete")

    def test_start_takes_it_back(self):
        supervisor, peer = self.taken()
        self.assertStatus(supervisor.ctl("start", "web", "--wait", "--timeout", "10s"), 0)
        self.assertNotIn("external", self.process(peer))
        self.assertEqual(supervisor.lines("starts"), ["start", "start"])

    def test_start_is_refused_while_somebody_else_answers(self):
        supervisor, peer = self.taken()
        self.write(supervisor.file("up"), "")
        self.until_launch(peer, "complete")
        for command in ("start", "restart"):
            refused = self.assertStatus(supervisor.ctl(command, "web"), 1)
            self.assertIn("somebody else answers in its place; end that process, then initctl start web", refused.err)
        self.assertIs(self.process(peer)["external"], True)

    def test_one_without_a_probe_is_refused_and_all_stay(self):
        supervisor, peer = self.launched()
        refused = self.assertStatus(supervisor.ctl("stop", "--external", "web", "queue"), 64)
        self.assertIn("queue can't be run by hand: its ready isn't tcp, http, unix, path or command", refused.err)
        self.assertIn("pid", self.process(peer))

    def test_a_plain_stop_ends_it_and_the_other_way_round(self):
        supervisor, peer = self.taken()
        self.write(supervisor.file("up"), "")
        self.until_launch(peer, "complete")
        self.assertStatus(supervisor.ctl("stop", "web"), 0)
        self.until_launch(peer, "pending")
        self.assertNotIn("external", self.process(peer))
        self.assertStatus(supervisor.ctl("stop", "--external", "web"), 0)
        self.until_launch(peer, "complete")

    def test_from_the_start(self):
        directory = self.directory()
        supervisor = self.begin("--external", "web", directory=directory)
        peer = supervisor.peer()
        until(lambda: self.process(peer).get("external"), "the process that is run by hand")
        self.assertEqual(peer.initializer("seed")["status"], "waiting")
        self.write(os.path.join(directory, "up"), "")
        peer.ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("seeds"), ["seed"])
        self.assertFalse(os.path.exists(supervisor.file("starts")))

    def test_a_shutdown_leaves_what_a_person_runs(self):
        supervisor, peer = self.taken()
        self.write(supervisor.file("up"), "")
        self.until_launch(peer, "complete")
        self.assertStatus(supervisor.ctl("shutdown"), 0)
        self.assertTrue(os.path.exists(supervisor.file("up")))
