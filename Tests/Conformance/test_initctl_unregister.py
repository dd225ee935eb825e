"""`initctl unregister`: removes stale names; a refusal names the live provider."""

import os
import unittest

from deadlines import until
from supervisor import Conformance


class UnregisterTests(Conformance):
    def names(self, supervisor):
        return [each["name"] for each in supervisor.peer().status()["initializers"]]

    def stale(self, supervisor, *initializers):
        """The names of a worker that has gone."""
        supervisor.worker(*initializers).close()
        until(lambda: not any(each["available"] for each in supervisor.peer().status()["initializers"] if each["name"] in initializers), "the loss")

    def test_a_stale_name_is_removed_and_launch_no_longer_waits_for_it(self):
        supervisor = self.start("version: 1\nregistrationTimeout: 1h\n", "--no-launch")
        self.stale(supervisor, "old", "older")
        self.stale(supervisor, "kept")
        peer = supervisor.peer()
        number = peer.ok("launch")["pass"]
        self.assertStatus(supervisor.ctl("wait", "launch", "--timeout", "0"), 124)
        finished = self.assertStatus(supervisor.ctl("unregister", "old", "older"), 0)
        self.assertEqual((finished.out, finished.err), ("", ""))
        self.assertEqual(self.names(supervisor), ["kept"])
        self.assertStatus(supervisor.ctl("unregister", "kept"), 0)
        self.assertEqual(peer.ok("wait", **{"pass": number})["state"], "complete")

    def test_a_live_provider_is_named(self):
        supervisor = self.start_fast("--no-launch")
        self.stale(supervisor, "old")
        worker = supervisor.worker("favorites", name="shelf")
        finished = self.assertStatus(supervisor.ctl("unregister", "old", "favorites"), 1)
        self.assertEqual(finished.err, f"initctl: favorites is provided by shelf (pid {os.getpid()}); stop it, and its names can be unregistered\n")
        # All or none.
        self.assertEqual(self.names(supervisor), ["old", "favorites"])
        again = {"initializers": [{"name": "favorites"}]}
        error = supervisor.peer().refused(-32002, "register", again)
        self.assertEqual(error["message"], f"favorites is provided by shelf (pid {os.getpid()}); stop it first, or choose another name")
        error = worker.refused(-32002, "register", again)
        self.assertEqual(error["message"], "favorites is already provided by this connection; unregister it first")

    def test_names_of_the_supervisor_itself_stay(self):
        supervisor = self.start_with("migrate: { command: 'true' }\nshelf: { worker: true }", "--no-launch")
        finished = self.assertStatus(supervisor.ctl("unregister", "migrate"), 1)
        self.assertEqual(finished.err, "initctl: cannot unregister migrate: it is provided by the supervisor itself\n")
        finished = self.assertStatus(supervisor.ctl("unregister", "shelf"), 0)
        self.assertEqual(finished.err, "initctl: shelf stays: the manifest declares it, or a worker has registered it again\n")
        self.assertEqual(self.names(supervisor), ["migrate", "shelf"])

    def test_an_unknown_name_is_64_with_a_suggestion(self):
        supervisor = self.start_fast("--no-launch")
        self.stale(supervisor, "favorites")
        finished = self.assertStatus(supervisor.ctl("unregister", "favorites", "favorits"), 64)
        self.assertEqual(finished.err, 'initctl: no initializer or process is named "favorits"; did you mean "favorites"?\n')
        self.assertEqual(self.names(supervisor), ["favorites"])

    def test_wrong_usage_is_64(self):
        for words, text in (([], "missing name"), (["a", "a"], '"a" is given twice')):
            with self.subTest(words):
                self.assertIn(text, self.assertStatus(self.initctl("unregister", *words), 64).err)

    def test_a_client_that_may_only_register_is_refused(self):
        # The observers' socket allows no control, even to root.
        observers = os.path.join(self.directory(), "o")
        supervisor = self.start_fast("--observe-socket", observers)
        self.stale(supervisor, "old")
        self.assertStatus(self.initctl("--socket", observers, "unregister", "old"), 77)
        self.assertEqual(self.names(supervisor), ["old"])


if __name__ == "__main__":
    unittest.main()
