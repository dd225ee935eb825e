"""Subscriptions of both clients."""

import threading
import unittest
from unittest import mock

from appinitializers import NotPermitted, waiting

from .fake_supervisor import STATUS, FakeSupervisor
from .kinds import Asynchronous, Both


def idle(peer):
    """The connection of the client itself."""
    peer.greet()
    peer.expect_end()


def something_else(peer):
    """Another program listens at the socket."""
    peer.expect("hello")
    peer.send_bytes(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    peer.expect_end()


def serving(*events, seq=0):
    """A script that greets, answers subscribe, and sends events."""

    def script(peer):
        peer.greet()
        script.topics = peer.reply("subscribe", {"snapshot": dict(STATUS, seq=seq)})["params"]
        for event in events:
            peer.event(**event)
        if not script.loses:
            peer.expect_end()

    script.loses = False
    return script


def losing(*events, seq=0):
    script = serving(*events, seq=seq)
    script.loses = True
    return script


class SubscriptionTests(Both, unittest.TestCase):
    def test_events_follow_the_snapshot(self):
        script = serving({"seq": 1, "topic": "state"}, {"seq": 2, "topic": "pass"})
        with FakeSupervisor(idle, script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe("state", "pass")) as events:
                self.assertEqual(events.snapshot, STATUS)
                self.assertEqual([self.kind.next(events)["seq"] for _ in range(2)], [1, 2])
        self.assertEqual(script.topics, {"topics": ["state", "pass"]})

    def test_without_topics_the_supervisor_chooses_them(self):
        script = serving()
        with FakeSupervisor(idle, script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()):
                pass
        self.assertEqual(script.topics, {})

    def test_what_is_no_event_is_skipped(self):
        def script(peer):
            peer.greet()
            peer.reply("subscribe", {"snapshot": STATUS})
            peer.send({"method": "gossip", "params": {}})
            peer.event(seq=7, topic="weather", colour="blue")
            peer.expect_end()

        with FakeSupervisor(idle, script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()) as events:
                self.assertEqual(self.kind.next(events), {"seq": 7, "topic": "weather", "colour": "blue"})

    def test_the_snapshot_after_lagged_replaces_the_former_one(self):
        late = dict(STATUS, seq=9)
        script = serving({"topic": "lagged", "dropped": 8}, {"topic": "snapshot", "snapshot": late}, {"seq": 10, "topic": "state"})
        with FakeSupervisor(idle, script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()) as events:
                self.assertEqual(self.kind.next(events), {"topic": "lagged", "dropped": 8})
                self.assertEqual(events.snapshot["seq"], 0)
                self.assertEqual(self.kind.next(events), {"topic": "snapshot", "snapshot": late})
                self.assertEqual(events.snapshot, late)
                self.assertEqual(self.kind.next(events)["seq"], 10)

    def test_after_a_loss_it_starts_anew_from_a_snapshot(self):
        first, second, third = losing({"seq": 1, "topic": "pass"}), losing(seq=4), serving({"seq": 6, "topic": "pass"}, seq=5)
        with mock.patch.object(waiting, "FIRST", 0.001):
            with FakeSupervisor(idle, first, second, third) as supervisor, self.kind.client(supervisor.path) as client:
                with self.kind.scope(client.subscribe("pass")) as events:
                    seen = [self.kind.next(events) for _ in range(4)]
                    self.assertEqual(events.snapshot["seq"], 5)
        self.assertEqual([event["topic"] for event in seen], ["pass", "snapshot", "snapshot", "pass"])
        self.assertEqual([event["snapshot"]["seq"] for event in seen[1:3]], [4, 5])
        self.assertEqual(third.topics, {"topics": ["pass"]})

    def test_it_goes_on_after_a_shutdown(self):
        first, second = losing({"topic": "shutdown"}), serving(seq=3)
        with FakeSupervisor(idle, first, second) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe("pass")) as events:
                self.assertEqual([self.kind.next(events)["topic"] for _ in range(2)], ["shutdown", "snapshot"])

    def test_after_a_loss_it_outlasts_something_else_at_the_socket(self):
        with FakeSupervisor(idle, losing(), something_else, serving(seq=3)) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()) as events:
                self.assertEqual(self.kind.next(events)["snapshot"]["seq"], 3)

    def test_what_can_not_pass_is_raised(self):
        def refuse(peer):
            peer.greet()
            peer.refuse("subscribe", -32005, "not you")
            peer.expect_end()

        with FakeSupervisor(idle, losing(), refuse) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()) as events, self.assertRaises(NotPermitted):
                self.kind.next(events)
        with FakeSupervisor(idle, refuse) as supervisor, self.kind.client(supervisor.path) as client:
            with self.assertRaises(NotPermitted), self.kind.scope(client.subscribe()):
                pass

    def test_a_closed_one_has_no_more_events(self):
        with FakeSupervisor(idle, serving()) as supervisor, self.kind.client(supervisor.path) as client:
            with self.kind.scope(client.subscribe()) as events:
                pass
            with self.assertRaises(StopIteration):
                self.kind.next(events)
            self.kind.do(events.close())


class BlockingSubscriptionTests(unittest.TestCase):
    def test_another_thread_may_close_it(self):
        from appinitializers import Client

        with FakeSupervisor(idle, serving()) as supervisor, Client(supervisor.path) as client:
            events = client.subscribe()
            closing = threading.Timer(0.05, events.close)
            closing.start()
            self.assertEqual(list(events), [])
            closing.join()

    def test_closing_ends_it_while_it_waits_for_a_supervisor(self):
        from appinitializers import Client

        with mock.patch.object(waiting, "FIRST", 3600):
            with FakeSupervisor(idle, losing()) as supervisor, Client(supervisor.path) as client:
                events = client.subscribe()
                closing = threading.Timer(0.05, events.close)
                closing.start()
                self.assertEqual(list(events), [])
                closing.join()


    def test_closing_ends_it_while_a_supervisor_does_not_answer_hello(self):
        from appinitializers import Client

        def hang(peer):
            peer.expect("hello")
            events.close()
            peer.expect_end()

        with FakeSupervisor(idle, losing(), hang) as supervisor, Client(supervisor.path) as client:
            with mock.patch.object(waiting, "HELLO_TIMEOUT", 3600):
                events = client.subscribe()
                self.assertEqual(list(events), [])


class AsyncSubscriptionTests(SubscriptionTests):
    Kind = Asynchronous

    def test_it_subscribes_with_the_first_step_of_a_loop(self):
        async def first(client):
            async for event in (events := client.subscribe("pass")):
                await events.close()
                return event, events.snapshot

        with FakeSupervisor(idle, serving({"seq": 1, "topic": "pass"})) as supervisor:
            with self.kind.client(supervisor.path) as client:
                self.assertEqual(self.kind.do(first(client)), ({"seq": 1, "topic": "pass"}, STATUS))


if __name__ == "__main__":
    unittest.main()
