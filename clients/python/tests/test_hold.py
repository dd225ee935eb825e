"""Holds of both clients."""

import logging
import threading
import unittest
from unittest import mock

from appinitializers import ShuttingDown, waiting

from .fake_supervisor import FakeSupervisor
from .kinds import Asynchronous, Both
from .logs import logged
from .test_subscription import idle, something_else

ACTIVATED = {"pass": 2, "active": {"state": "pending", "pass": 2}, "launch": {"state": "complete", "pass": 1}}


class HoldTests(Both, unittest.TestCase):
    def test_it_lasts_as_long_as_its_scope(self):
        released = threading.Event()

        def script(peer):
            peer.greet()
            sent.append(peer.reply("activate", ACTIVATED)["params"])
            peer.expect("release")
            released.set()
            peer.send({"id": 3, "result": {}})
            peer.expect_end()

        sent = []
        with FakeSupervisor(idle, script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.hold()) as hold:
                self.assertEqual(hold.activated, ACTIVATED)
                self.assertFalse(released.is_set())
            self.assertTrue(released.is_set())
        self.assertEqual(sent, [{"hold": True}])

    def test_it_activates_again_after_a_loss(self):
        def lose(peer):
            peer.greet()
            peer.reply("activate", ACTIVATED)

        def refuse(peer):
            peer.greet()
            peer.refuse("activate", -32006, "shutting down")
            peer.expect_end()

        def serve(peer):
            peer.greet()
            peer.reply("activate", dict(ACTIVATED, **{"pass": 3}))
            peer.reply("release", {})
            peer.expect_end()

        with FakeSupervisor(idle, lose, refuse, something_else, serve) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.hold()) as hold:
                former = hold._connection
                self.until(lambda: hold._connection is not former)
                self.assertEqual(hold.activated["pass"], 3)

    def test_one_that_is_released_while_it_connects_again_is_not_taken_again(self):
        connecting = threading.Event()

        def lose(peer):
            peer.greet()
            peer.reply("activate", ACTIVATED)

        def hang(peer):
            peer.expect("hello")
            connecting.set()
            peer.expect_end()

        with FakeSupervisor(idle, lose, hang) as supervisor, self.kind.client(supervisor.path) as client:
            with mock.patch.object(waiting, "HELLO_TIMEOUT", 3600), self.kind.scope(client.hold()):
                self.until(connecting.is_set)

    def test_an_error_that_waiting_does_not_cure_ends_it_and_is_logged(self):
        def lose(peer):
            peer.greet()
            peer.reply("activate", ACTIVATED)

        def refuse(peer):
            peer.greet()
            peer.refuse("activate", -32005, "not you")
            peer.expect_end()

        with logged(logging.ERROR) as log, FakeSupervisor(idle, lose, refuse) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.hold()):
                self.until(log.told.is_set)
        self.assertEqual(log.lines, ["the app is no longer held active: not you (-32005)"])

    def test_a_refused_one_is_raised(self):
        def refuse(peer):
            peer.greet()
            peer.refuse("activate", -32006, "shutting down")
            peer.expect_end()

        with FakeSupervisor(idle, refuse) as supervisor, self.kind.client(supervisor.path) as client:
            with self.assertRaises(ShuttingDown), self.kind.scope(client.hold()):
                pass

    def test_one_whose_supervisor_has_gone_ends_without_an_error(self):
        def lose(peer):
            peer.greet()
            peer.reply("activate", ACTIVATED)

        with FakeSupervisor(idle, lose) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.hold()) as hold:
                self.until(lambda: hold._connection.session.ended)

    def until(self, condition):
        self.kind.wait_until(condition)


class AsyncHoldTests(HoldTests):
    Kind = Asynchronous


if __name__ == "__main__":
    unittest.main()
