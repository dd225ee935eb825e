"""protocol.md §2: hello, ids, and which messages are answered."""

import unittest

from peer import hello, message, refusal
from supervisor import Conformance, SharedConformance

GREETING = {"protocol": 1, "client": {"name": "conformance", "version": "1"}}


class HelloTests(SharedConformance):
    def test_hello_describes_the_supervisor(self):
        result = hello(self.supervisor.connect())
        self.assertEqual(result["protocol"], 1)
        self.assertEqual(result["server"]["name"], "initd")
        self.assertTrue(result["server"]["version"])
        self.assertTrue(result["instance"])
        self.assertEqual(result["pid"], self.supervisor.pid)
        self.assertEqual(result["limits"]["frameBytes"], 1 << 20)

    def test_the_instance_is_the_same_for_all_and_in_status(self):
        instances = {hello(self.supervisor.connect())["instance"] for _ in range(3)}
        instances.add(self.supervisor.peer().status()["instance"])
        self.assertEqual(len(instances), 1)

    def test_anything_but_hello_first_is_32600_and_closes(self):
        for method in ("status", "ping", "shutdown", "unheardOf", "Hello"):
            with self.subTest(method):
                peer = self.supervisor.connect()
                peer.refused(-32600, method)
                peer.expect_end_now()

    def test_a_notification_first_is_32600_and_closes(self):
        peer = self.supervisor.connect()
        peer.send(method="hello", params=GREETING)
        answer = peer.receive()
        self.assertEqual(answer["error"]["code"], -32600)
        peer.expect_end_now()

    def test_an_answer_first_is_32600_and_closes(self):
        peer = self.supervisor.connect()
        peer.send(id=1, result={})
        self.assertEqual(peer.receive()["error"]["code"], -32600)
        peer.expect_end_now()

    def test_an_invalid_request_first_is_32600_and_closes(self):
        peer = self.supervisor.connect()
        peer.send_payload(b'{"jsonrpc":"1.0","id":1,"method":"hello"}')
        self.assertEqual(peer.receive()["error"]["code"], -32600)
        peer.expect_end_now()

    def test_a_second_hello_is_32600_and_the_connection_continues(self):
        peer = self.supervisor.peer()
        peer.refused(-32600, "hello", GREETING)
        peer.alive()

    def test_another_version_is_32001_with_the_supported_ones_and_closes(self):
        for version in (0, 2, 1000):
            with self.subTest(version=version):
                peer = self.supervisor.connect()
                error = peer.refused(-32001, "hello", GREETING | {"protocol": version})
                self.assertEqual(error["data"]["supported"], [1])
                peer.expect_end_now()

    def test_wrong_params_of_hello_are_32602_and_name_the_member(self):
        for params, member in (
            ({"client": GREETING["client"]}, "protocol"),
            ({"protocol": 1}, "client"),
            (GREETING | {"protocol": "1"}, "protocol"),
            (GREETING | {"protocol": 1.5}, "protocol"),
            (GREETING | {"client": "me"}, "client"),
            (GREETING | {"client": {"version": "1"}}, "name"),
            (GREETING | {"client": {"name": "me"}}, "version"),
            (GREETING | {"client": {"name": 5, "version": "1"}}, "name"),
            (None, ""),
        ):
            with self.subTest(params=params):
                self.supervisor.connect().refused(-32602, "hello", params, naming=member)

    def test_unknown_members_of_hello_are_ignored(self):
        peer = self.supervisor.connect()
        peer.send(id=1, method="hello", extra=[1], params=GREETING | {"colour": "blue", "client": GREETING["client"] | {"x": 1}})
        self.assertIn("result", peer.answer(1))

    def test_requests_may_follow_without_waiting_for_the_answer(self):
        peer = self.supervisor.connect()
        peer.send(id=1, method="hello", params=GREETING)
        peer.send(id=2, method="status")
        peer.send(id=3, method="ping", params={"a": 1})
        self.assertEqual(peer.answer(3)["result"], {"a": 1})
        self.assertIn("result", peer.answer(2))
        self.assertIn("result", peer.answer(1))


class InstanceTests(Conformance):
    def test_another_supervisor_is_another_instance(self):
        self.assertNotEqual(hello(self.start().connect())["instance"], hello(self.start().connect())["instance"])


class MessageTests(SharedConformance):
    def test_an_id_is_an_integer_of_64_bits_or_a_string_of_at_most_64_bytes(self):
        peer = self.supervisor.peer()
        for id in (0, -1, 2**53 + 1, 2**63 - 1, -(2**63), "", "a", "1", "x" * 64, "é" * 32, "\0\n\"\\", "😀" * 16):
            with self.subTest(id=id):
                peer.send(id=id, method="ping", params={"a": 1})
                self.assertEqual(peer.answer(id)["result"], {"a": 1})

    def test_any_other_id_is_32600_with_id_null(self):
        peer = self.supervisor.peer()
        for id in (b"null", b"1.5", b"true", b"[1]", b'{"a":1}', b"9223372036854775808", b"-9223372036854775809", b"1e400"):
            with self.subTest(id=id):
                peer.send_payload(b'{"jsonrpc":"2.0","id":' + id + b',"method":"ping","params":{}}')
                peer.complaint(-32600)
                peer.alive()
        for id in ("x" * 65, "é" * 33, "€" * 22):
            with self.subTest(id=id):
                peer.send(id=id, method="ping", params={})
                peer.complaint(-32600)
                peer.alive()

    def test_other_invalid_requests_are_answered_with_their_id(self):
        peer = self.supervisor.peer()
        for number, members in enumerate(({}, {"method": 5}, {"method": None}, {"method": ["ping"]}), 100):
            with self.subTest(members=members):
                peer.send(id=number, **members)
                refusal(peer.answer(number), -32600)
                peer.alive()

    def test_a_message_of_another_json_rpc_is_32600(self):
        peer = self.supervisor.peer()
        for payload in (b'{"id":1,"method":"ping","params":{}}', b'{"jsonrpc":"1.0","id":1,"method":"ping","params":{}}'):
            with self.subTest(payload):
                peer.send_payload(payload)
                self.assertEqual(peer.receive()["error"]["code"], -32600)
                peer.alive()

    def test_an_unknown_request_is_32601(self):
        peer = self.supervisor.peer()
        for method in (
            "unheardOf", "Status", "status ", "", "run", "event", "cancel", "claim", "complete", "progress", "unclaim", "renew", "revoke", "rpc.discover",
            "stat\u0301us",
        ):
            with self.subTest(method):
                for params in ({}, [], None):
                    peer.refused(-32601, method, params)
                peer.alive()

    def test_an_unknown_notification_is_ignored(self):
        peer = self.supervisor.peer()
        peer.send(method="unheardOf", params={"a": 1})
        peer.send(method="unheardOf")
        peer.alive()
        self.assertEqual(peer.inbox, [])

    def test_a_requests_method_without_id_is_ignored(self):
        peer = self.supervisor.peer()
        peer.send(method="activate", params={})
        peer.send(method="activate", params={"hold": True})
        peer.send(method="register", params={"initializers": [{"name": "silent"}]})
        peer.send(method="status")
        peer.send(method="shutdown")
        peer.alive()
        self.assertEqual(peer.inbox, [])
        status = peer.status()
        self.assertEqual((status["lifecycle"], status["holds"], status["initializers"]), ("inactive", 0, []))

    def test_an_answer_without_a_request_is_ignored(self):
        peer = self.supervisor.peer()
        peer.send(id="run-999", result={})
        peer.send(id=12345, error={"code": 1, "message": "broken"})
        peer.alive()
        self.assertEqual(peer.inbox, [])

    def test_unknown_members_are_ignored(self):
        peer = self.supervisor.peer()
        peer.send(id="s", method="status", params={"colour": "blue"}, trace={"deep": [1, 2, {"x": None}]})
        self.assertIn("result", peer.answer("s"))

    def test_params_may_be_left_out_if_none_is_needed(self):
        peer = self.supervisor.peer()
        for method in ("status", "release", "unsubscribe", "logs", "history"):
            with self.subTest(method):
                self.assertIn("result", peer.call(method))
                self.assertIn("result", peer.call(method, {}))

    def test_params_that_arent_an_object_are_refused(self):
        peer = self.supervisor.peer()
        for params in ([], [1], "x", 5, True):
            with self.subTest(params=params):
                self.assertIn(peer.call("wait", params).get("error", {}).get("code"), (-32600, -32602))
                peer.alive()

    def test_each_request_gets_exactly_one_answer(self):
        peer = self.supervisor.peer()
        for number in range(1000, 1300):
            peer.send_payload(message(id=number, method=("status", "ping", "unheardOf")[number % 3], params={}))
        ids = [peer.receive()["id"] for _ in range(300)]
        self.assertEqual(sorted(ids), list(range(1000, 1300)))
        peer.alive()
        self.assertEqual(peer.inbox, [])


if __name__ == "__main__":
    unittest.main()
