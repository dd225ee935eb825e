"""The methods of both clients."""

import inspect
import threading
import unittest
from unittest import mock

from appinitializers import (
    Client,
    ConnectionClosed,
    ConnectionLost,
    NoSupervisor,
    NotRunning,
    ProtocolError,
    RequestError,
    TimedOut,
    UnknownInitializer,
    UnsupportedProtocol,
)
from appinitializers import requests, session, waiting

from .fake_supervisor import DEADLINE, STATUS, FakeSupervisor
from .kinds import Asynchronous, Both
from .logs import logged


class HelloTests(Both, unittest.TestCase):
    def test_hello_comes_first_with_the_clients_name(self):
        hellos = []

        def script(peer):
            hellos.append(peer.greet())
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path, name="shop", version="2") as client:
            self.assertEqual((client.pid, client.instance, client.server["name"]), (4711, "6f0c", "fake"))
        self.assertEqual(hellos[0]["params"], {"protocol": 1, "client": {"name": "shop", "version": "2"}})

    def test_the_name_is_by_default_that_of_the_program(self):
        for program, name in (("/opt/shop/shelf.py", "shelf.py"), ("-c", "python"), ("", "python")):
            with mock.patch("sys.argv", [program]):
                self.assertEqual(session.hello(None, "1")["client"]["name"], name)

    def refused(self, script, error):
        with FakeSupervisor(script) as supervisor, self.assertRaises(error) as caught:
            with self.kind.client(supervisor.path, connect_timeout=0):
                pass
        return caught.exception

    def test_another_version_is_reported_with_the_supported_ones(self):
        def script(peer):
            peer.refuse("hello", -32001, "too old", {"code": "unsupportedProtocol", "supported": [2, 3]})
            peer.expect_end()

        self.assertEqual(self.refused(script, UnsupportedProtocol).supported, [2, 3])

    def test_an_answer_to_hello_without_its_members_is_refused(self):
        self.refused(lambda peer: peer.reply("hello", {"protocol": 1}), ProtocolError)

    def test_a_peer_that_is_not_initd_is_reported(self):
        def script(peer):
            peer.expect("hello")
            peer.send_bytes(b"SSH-2.0-OpenSSH_9.2")

        self.assertIn("not initd", str(self.refused(script, ProtocolError)))

    def test_a_supervisor_that_does_not_answer_is_none(self):
        def script(peer):
            peer.expect("hello")
            peer.expect_end()

        with mock.patch.object(waiting, "HELLO_TIMEOUT", 0.05):
            self.assertIn("no answer to hello", str(self.refused(script, NoSupervisor)))

    def test_a_refused_connection_has_the_supervisors_reason(self):
        def script(peer):
            peer.expect("hello")
            peer.send({"id": None, "error": {"code": -32007, "message": "too many", "data": {"code": "limitExceeded", "limit": "connections"}}})

        error = self.refused(script, RequestError)
        self.assertEqual((error.code, error.word, error.limit), (-32007, "limitExceeded", "connections"))


class ConnectTests(Both, unittest.TestCase):
    def test_it_waits_30_s_by_default(self):
        parameters = inspect.signature(type(self.kind.new("/nowhere"))).parameters
        self.assertEqual(parameters["connect_timeout"].default, 30)

    def test_0_makes_one_attempt(self):
        with mock.patch.object(waiting, "FIRST", 3600):
            with self.assertRaises(NoSupervisor), self.kind.client("/nowhere/initd.sock", connect_timeout=0):
                pass

    def test_the_limit_includes_an_attempt_that_hangs(self):
        def hang(peer):
            peer.expect("hello")
            peer.expect_end()

        with FakeSupervisor(hang) as supervisor, mock.patch.multiple(waiting, HELLO_TIMEOUT=3600, FIRST=3600):
            with self.assertRaises(NoSupervisor), self.kind.client(supervisor.path, connect_timeout=0.05):
                pass

    def test_it_says_once_that_it_waits_even_if_an_attempt_hangs(self):
        def hang(peer):
            peer.expect("hello")
            self.assertTrue(log.told.wait(DEADLINE))

        def lose(peer):
            peer.expect("hello")

        def serve(peer):
            peer.greet()
            peer.expect_end()

        with logged() as log, mock.patch.multiple(waiting, TOLD_AFTER=0.05, FIRST=0.06):
            with FakeSupervisor(hang, lose, serve) as supervisor, self.kind.client(supervisor.path):
                pass
        self.assertEqual(log.lines, [f"waiting for a supervisor at {supervisor.path}: it hasn't answered yet"])

    def test_it_does_not_wait_if_that_is_useless(self):
        with self.assertRaises(NoSupervisor), self.kind.client("x" * 200, connect_timeout=3600):
            pass

    def test_the_next_request_connects_again_after_a_loss(self):
        def lose(peer):
            peer.greet()
            peer.expect("ping")

        def serve(peer):
            peer.greet(instance="next")
            peer.reply("ping", {})
            peer.expect_end()

        with FakeSupervisor(lose, serve) as supervisor, self.kind.client(supervisor.path) as client:
            with self.assertRaises(ConnectionLost):
                self.kind.do(client.ping())
            self.kind.do(client.ping())
            self.assertEqual(client.instance, "next")

    def test_the_time_to_connect_counts_for_the_connect_limit_only(self):
        def hang(peer):
            peer.expect("hello")
            peer.expect_end()

        with FakeSupervisor(hang) as supervisor, mock.patch.multiple(waiting, FIRST=3600), mock.patch.object(requests, "MARGIN", 0):
            client = self.kind.new(supervisor.path, connect_timeout=0.3)
            with self.assertRaises(NoSupervisor):
                self.kind.do(client.wait(timeout=0.01))

    def test_a_closed_client_sends_nothing(self):
        def script(peer):
            peer.greet()
            peer.expect_end()

        with FakeSupervisor(script) as supervisor:
            with self.kind.client(supervisor.path) as client:
                pass
            with self.assertRaises(ConnectionClosed):
                self.kind.do(client.ping())
            self.kind.do(client.close())


class RequestTests(Both, unittest.TestCase):
    CALLS = [
        (lambda c: c.ping({"a": 1}), "ping", {"a": 1}, {"a": 1}, {"a": 1}),
        (lambda c: c.ping(), "ping", {}, {}, {}),
        (lambda c: c.request("history", {"usual": True}), "history", {"usual": True}, {"usual": []}, {"usual": []}),
        (lambda c: c.status(), "status", None, STATUS, STATUS),
        (lambda c: c.launch(), "launch", None, {"pass": 1}, {"pass": 1}),
        (lambda c: c.activate(), "activate", None, {"pass": 2}, {"pass": 2}),
        (lambda c: c.deactivate(), "deactivate", {"wait": False}, {"cancelled": ["a"]}, ["a"]),
        (lambda c: c.deactivate(wait=True), "deactivate", {"wait": True}, {"cancelled": []}, []),
        (lambda c: c.wait(), "wait", {}, {"state": "complete"}, {"state": "complete"}),
        (lambda c: c.wait("launch", timeout=0), "wait", {"for": "launch", "timeout": 0}, {}, {}),
        (lambda c: c.wait(initializer="a", appear=True), "wait", {"initializer": "a", "appear": True}, {}, {}),
        (lambda c: c.wait(pass_=3), "wait", {"pass": 3}, {}, {}),
        (lambda c: c.rerun(("a", "b")), "rerun", {"initializers": ["a", "b"], "withDependents": False}, {"passes": [3]}, [3]),
        (lambda c: c.rerun(["a"], with_dependents=True), "rerun", {"initializers": ["a"], "withDependents": True}, {"passes": [3, 4]}, [3, 4]),
        (lambda c: c.cancel(("a", "b")), "cancelRun", {"initializers": ["a", "b"]}, {"cancelled": ["a", "b"]}, ["a", "b"]),
        (lambda c: c.unregister(["a"]), "unregister", {"names": ["a"]}, {}, None),
        (lambda c: c.logs(), "logs", {"limit": 1000}, {"lines": []}, []),
        (lambda c: c.logs("a", limit=2), "logs", {"initializer": "a", "limit": 2}, {"lines": [{}]}, [{}]),
        (lambda c: c.history(), "history", {"limit": 1}, {"passes": []}, []),
        (
            lambda c: c.history(4, pass_=2, phase="active", in_flight=True),
            "history",
            {"limit": 4, "pass": 2, "phase": "active", "inFlight": True},
            {"passes": [{}]},
            [{}],
        ),
        (lambda c: c.reload(), "reload", {"dryRun": False, "withDependents": False}, {"added": ["a"]}, {"added": ["a"]}),
        (lambda c: c.reload(dry_run=True), "reload", {"dryRun": True, "withDependents": False}, {}, {}),
        (lambda c: c.reload(with_dependents=True), "reload", {"dryRun": False, "withDependents": True}, {}, {}),
        (lambda c: c.shutdown(), "shutdown", None, {}, None),
    ]

    def test_large_answers_come_in_pages(self):
        asked = []

        def script(peer):
            peer.greet()
            for method, *results in (
                ("logs", {"lines": [3, 4], "more": True, "before": {"line": 2}}, {"lines": [1, 2]}),
                (
                    "history",
                    {"passes": [{"pass": 2, "runs": ["b"]}, {"pass": 3, "runs": []}], "more": True, "before": "x"},
                    {"passes": [{"pass": 1, "runs": ["z"]}, {"pass": 2, "runs": ["a"]}], "more": True, "before": "y"},
                    {"passes": [{"pass": 0, "runs": []}]},
                ),
            ):
                for result in results:
                    asked.append(peer.reply(method, result)["params"])
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path) as client:
            self.assertEqual(self.kind.do(client.logs("a", 9)), [1, 2, 3, 4])
            passes = self.kind.do(client.history(9))
        self.assertEqual([(each["pass"], each["runs"]) for each in passes], [(0, []), (1, ["z"]), (2, ["a", "b"]), (3, [])])
        self.assertEqual([each.pop("before", None) for each in asked], [None, {"line": 2}, None, "x", "y"])
        self.assertEqual(asked, [{"initializer": "a", "limit": 9}] * 2 + [{"limit": 9}] * 3)

    def test_every_method_sends_its_request_and_returns_its_result(self):
        sent = []

        def script(peer):
            peer.greet()
            for _, method, _, result, _ in self.CALLS:
                sent.append(peer.reply(method, result).get("params"))
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path) as client:
            results = [self.kind.do(call(client)) for call, *_ in self.CALLS]
        self.assertEqual(sent, [params for _, _, params, _, _ in self.CALLS])
        self.assertEqual(results, [expected for *_, expected in self.CALLS])

    def test_a_wait_that_times_out_has_the_status(self):
        def script(peer):
            peer.greet()
            peer.refuse("wait", -32003, "ran out", {"code": "timeout", "status": STATUS})
            peer.refuse("wait", -32004, "who?", {"code": "unknownInitializer"})
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.assertRaises(TimedOut) as caught:
                self.kind.do(client.wait(timeout=0))
            self.assertEqual((caught.exception.status, caught.exception.word), (STATUS, "timeout"))
            with self.assertRaises(UnknownInitializer):
                self.kind.do(client.wait(initializer="nobody"))

    def test_a_cancel_of_what_does_not_run_has_its_status(self):
        standing = [{"name": "a", "status": "complete"}]

        def script(peer):
            peer.greet()
            peer.refuse("cancelRun", -32009, "a is complete", {"code": "notRunning", "initializers": standing})
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.assertRaises(NotRunning) as caught:
                self.kind.do(client.cancel(["a"]))
        self.assertEqual((caught.exception.initializers, caught.exception.word), (standing, "notRunning"))

    def test_a_wait_ends_even_if_the_supervisor_does_not_answer(self):
        def script(peer):
            peer.greet()
            peer.expect("wait")
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, mock.patch.object(requests, "MARGIN", 0.05):
            with self.kind.client(supervisor.path) as client, self.assertRaises(TimedOut) as caught:
                self.kind.do(client.wait(timeout=0.05))
        self.assertIsNone(caught.exception.status)
        self.assertIn("cannot wait: no answer within 0.1 s", str(caught.exception))

    def test_the_frame_limit_is_that_of_hello(self):
        def script(peer):
            peer.greet(limits={"frameBytes": 200})
            peer.reply("ping", {})
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path) as client:
            with self.assertRaisesRegex(Exception, "1 to 200"):
                self.kind.do(client.ping({"text": "x" * 200}))
            self.kind.do(client.ping())

    def test_a_large_answer_with_everything_unknown_is_read(self):
        result = {"text": "é漢\U0001f642" * 600_000, "new": {"kind": "surprise", "deep": None}}
        for _ in range(100):
            result["new"] = {"deep": [result["new"]]}

        def script(peer):
            peer.greet(colour="blue")
            peer.event(topic="weather", seq=1)
            peer.send({"method": "gossip", "params": {}, "extra": 1})
            peer.reply("ping", result)
            peer.expect_end()

        with FakeSupervisor(script) as supervisor, self.kind.client(supervisor.path) as client:
            self.assertEqual(self.kind.do(client.ping()), result)


class ClosingTests(unittest.TestCase):
    def test_another_thread_may_close_it_while_it_connects(self):
        def hang(peer):
            peer.expect("hello")
            client.close()
            peer.expect_end()

        with FakeSupervisor(hang) as supervisor, mock.patch.object(waiting, "HELLO_TIMEOUT", 3600):
            client = Client(supervisor.path)
            with self.assertRaises(ConnectionClosed):
                client.ping()

    def test_another_thread_may_close_it_while_it_waits_for_the_next_attempt(self):
        client = Client("/nowhere/initd.sock", connect_timeout=None)
        closing = threading.Timer(0.05, client.close)
        closing.start()
        with mock.patch.object(waiting, "FIRST", 3600), self.assertRaises(ConnectionClosed):
            client.ping()
        closing.join()


class AsyncHelloTests(HelloTests):
    Kind = Asynchronous


class AsyncConnectTests(ConnectTests):
    Kind = Asynchronous


class AsyncRequestTests(RequestTests):
    Kind = Asynchronous


if __name__ == "__main__":
    unittest.main()
