"""The client's methods (protocol §4) and subscriptions (§5)."""

import threading
import unittest
from unittest import mock

from appinitializers import (
    Client,
    ConnectionLost,
    NoSupervisor,
    ProtocolError,
    TimedOut,
    UnknownInitializer,
    UnsupportedProtocol,
)
from appinitializers import client as client_module

from .fake_supervisor import HELLO, STATUS, FakeSupervisor


class HelloTests(unittest.TestCase):
    def test_hello_comes_first_with_the_clients_name(self):
        hellos = []

        def script(peer):
            hellos.append(peer.greet())
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, Client(supervisor.path, name="shop", version="2") as client:
            self.assertEqual((client.pid, client.instance, client.server["name"]), (4711, "6f0c", "fake"))
        self.assertEqual(hellos[0]["params"], {"protocol": 1, "client": {"name": "shop", "version": "2"}})

    def test_another_version_is_reported_with_the_supported_ones(self):
        def script(peer):
            peer.refuse("hello", -32001, "too old", {"code": "unsupportedProtocol", "supported": [2, 3]})

        with FakeSupervisor(script) as supervisor, self.assertRaises(UnsupportedProtocol) as caught:
            Client(supervisor.path)
        self.assertEqual(caught.exception.supported, [2, 3])

    def test_an_answer_to_hello_without_its_members_is_refused(self):
        with FakeSupervisor(lambda peer: peer.reply("hello", {"protocol": 1})) as supervisor:
            with self.assertRaises(ProtocolError):
                Client(supervisor.path)

    def test_a_supervisor_that_does_not_answer_is_none(self):
        def script(peer):
            peer.expect("hello")
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, mock.patch.object(client_module, "HELLO_TIMEOUT", 0.05):
            with self.assertRaises(NoSupervisor):
                Client(supervisor.path)

    def test_connect_timeout_waits_for_a_supervisor_that_is_not_up_yet(self):
        with FakeSupervisor(lambda peer: peer.greet()) as supervisor:
            tries = []

            def connect(path, real=client_module.connection.connect):
                tries.append(path)
                if len(tries) < 3:
                    raise NoSupervisor("not yet")
                return real(path)

            with mock.patch.object(client_module.connection, "connect", connect):
                Client(supervisor.path, connect_timeout=10).close()
        self.assertEqual(len(tries), 3)
        with self.assertRaises(NoSupervisor):
            Client("/nowhere/initd.sock")


class RequestTests(unittest.TestCase):
    CALLS = [
        (lambda c: c.ping({"a": 1}), "ping", {"a": 1}, {"a": 1}, {"a": 1}),
        (lambda c: c.status(), "status", None, STATUS, STATUS),
        (lambda c: c.launch(), "launch", None, {"pass": 1}, {"pass": 1}),
        (lambda c: c.activate(), "activate", {"hold": False}, {"pass": 2}, {"pass": 2}),
        (lambda c: c.activate(hold=True), "activate", {"hold": True}, {"pass": 2}, {"pass": 2}),
        (lambda c: c.release(), "release", None, {}, None),
        (lambda c: c.deactivate(), "deactivate", {"wait": False}, {"cancelled": ["a"]}, ["a"]),
        (lambda c: c.deactivate(wait=True), "deactivate", {"wait": True}, {"cancelled": []}, []),
        (lambda c: c.wait(), "wait", {}, {"state": "complete"}, {"state": "complete"}),
        (lambda c: c.wait("launch", timeout=3), "wait", {"for": "launch", "timeout": 3}, {}, {}),
        (lambda c: c.wait(initializer="a", appear=True), "wait", {"initializer": "a", "appear": True}, {}, {}),
        (lambda c: c.wait(pass_=3), "wait", {"pass": 3}, {}, {}),
        (lambda c: c.register([{"name": "a"}]), "register", {"initializers": [{"name": "a"}]}, {"registered": ["a"]}, ["a"]),
        (lambda c: c.unregister(["a"]), "unregister", {"names": ["a"]}, {}, None),
        (lambda c: c.logs(), "logs", {"limit": 1000}, {"lines": []}, []),
        (lambda c: c.logs("a", limit=2), "logs", {"initializer": "a", "limit": 2}, {"lines": [{}]}, [{}]),
        (lambda c: c.history(), "history", {"limit": 1}, {"passes": []}, []),
        (lambda c: c.history(4), "history", {"limit": 4}, {"passes": [{}]}, [{}]),
        (lambda c: c.unsubscribe(), "unsubscribe", None, {}, None),
        (lambda c: c.shutdown(), "shutdown", None, {}, None),
    ]

    def test_every_method_sends_its_request_and_returns_its_result(self):
        sent = []

        def script(peer):
            peer.greet()
            for _, method, _, result, _ in self.CALLS:
                sent.append(peer.reply(method, result).get("params"))

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            results = [call(client) for call, *_ in self.CALLS]
        self.assertEqual(sent, [params for _, _, params, _, _ in self.CALLS])
        self.assertEqual(results, [expected for *_, expected in self.CALLS])

    def test_a_wait_that_times_out_has_the_status(self):
        def script(peer):
            peer.greet()
            peer.refuse("wait", -32003, "ran out", {"code": "timeout", "status": STATUS})
            peer.refuse("wait", -32004, "who?", {"code": "unknownInitializer"})

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            with self.assertRaises(TimedOut) as caught:
                client.wait(timeout=0)
            self.assertEqual(caught.exception.status, STATUS)
            with self.assertRaises(UnknownInitializer):
                client.wait(initializer="nobody")

    def test_the_frame_limit_is_that_of_hello(self):
        def script(peer):
            peer.greet(limits={"frameBytes": 200})
            peer.reply("ping", {})

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            with self.assertRaisesRegex(Exception, "1 to 200"):
                client.ping({"text": "x" * 200})
            client.ping()


class SubscriptionTests(unittest.TestCase):
    def test_events_follow_the_snapshot_until_shutdown(self):
        def script(peer):
            peer.greet()
            sent.append(peer.reply("subscribe", {"snapshot": STATUS})["params"])
            peer.event(seq=1, topic="state")
            peer.event(seq=2, topic="state")
            peer.event(topic="shutdown")

        sent = []
        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            events = client.subscribe("state", "pass")
            self.assertEqual(events.snapshot, STATUS)
            self.assertEqual([event.get("seq") for event in events], [1, 2, None])
        self.assertEqual(sent, [{"topics": ["state", "pass"]}])

    def test_without_topics_the_supervisor_chooses_them(self):
        def script(peer):
            peer.greet()
            self.assertNotIn("topics", peer.reply("subscribe", {"snapshot": STATUS})["params"])

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            client.subscribe()

    def test_a_loss_is_raised_after_the_received_events(self):
        def script(peer):
            peer.greet()
            peer.reply("subscribe", {"snapshot": STATUS})
            peer.event(seq=1, topic="state")

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            events = client.subscribe()
            self.assertEqual(next(events)["seq"], 1)
            with self.assertRaises(ConnectionLost):
                next(events)

    def test_closing_ends_the_iterator_and_unsubscribes(self):
        def script(peer):
            peer.greet()
            peer.reply("subscribe", {"snapshot": STATUS})
            peer.reply("unsubscribe", {})
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            with client.subscribe() as events:
                pass
            self.assertEqual(list(events), [])
            events.close()

    def test_a_closed_client_ends_the_iterator(self):
        def script(peer):
            peer.greet()
            peer.reply("subscribe", {"snapshot": STATUS})
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            events = client.subscribe()
            threading.Thread(target=client.close).start()
            self.assertEqual(list(events), [])

    def test_a_second_subscription_replaces_the_first_at_its_answer(self):
        def script(peer):
            peer.greet()
            peer.reply("subscribe", {"snapshot": STATUS})
            id = peer.expect("subscribe")["id"]
            peer.event(seq=1, topic="state")
            peer.send({"id": id, "result": {"snapshot": STATUS | {"seq": 1}}})
            peer.event(seq=2, topic="pass")
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
            first = client.subscribe()
            second = client.subscribe("pass")
            self.assertEqual([event["seq"] for event in first], [1])
            self.assertEqual(next(second)["seq"], 2)

    def test_events_after_a_gap_are_dropped_too(self):
        client = mock.Mock()
        client.status.return_value = STATUS | {"seq": 5}
        events = client_module.Subscription(client)
        with mock.patch.object(client_module, "EVENTS_KEPT", 2):
            for seq in range(1, 5):
                events._put({"seq": seq, "topic": "state"})
            self.assertEqual(next(events)["seq"], 1)
            events._put({"seq": 5, "topic": "state"})  # There is space again.
            self.assertEqual(next(events)["seq"], 2)
            self.assertEqual(next(events), {"topic": "lagged", "dropped": 3})

    def test_a_slow_reader_gets_the_number_of_missed_events_and_continues_from_a_snapshot(self):
        def script(peer):
            peer.greet()
            peer.reply("subscribe", {"snapshot": STATUS})
            for seq in range(1, 8):
                peer.event(seq=seq, topic="state")
            peer.reply("ping", {})
            id = peer.expect("status")["id"]
            peer.event(seq=8, topic="state")
            peer.send({"id": id, "result": STATUS | {"seq": 8}})
            peer.event(seq=9, topic="state")
            peer.expect_end()

        with mock.patch.object(client_module, "EVENTS_KEPT", 4):
            with FakeSupervisor(script) as supervisor, Client(supervisor.path) as client:
                events = client.subscribe()
                client.ping()  # Its answer follows the seven events.
                seen = [next(events) for _ in range(7)]
        self.assertEqual([event.get("seq") for event in seen], [1, 2, 3, 4, None, None, 9])
        self.assertEqual(seen[4], {"topic": "lagged", "dropped": 3})
        self.assertEqual(seen[5], {"topic": "snapshot", "snapshot": STATUS | {"seq": 8}})


if __name__ == "__main__":
    unittest.main()
