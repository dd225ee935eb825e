"""Messages."""

import json
import pickle
import unittest

from appinitializers import ConnectionClosed, ConnectionLost, NameConflict, NotPermitted, ProtocolError, RequestError, TimedOut
from appinitializers import messages


class MessagesTests(unittest.TestCase):
    def test_encoded_messages_are_read_back(self):
        self.assertEqual(messages.decode(messages.request(7, "ping", {"a": "é"})), messages.Request(7, "ping", {"a": "é"}))
        self.assertEqual(messages.decode(messages.request("x", "status")), messages.Request("x", "status", {}))
        self.assertEqual(messages.decode(messages.notification("cancel", {"run": 1})), messages.Notification("cancel", {"run": 1}))
        self.assertEqual(messages.decode(messages.result(7, {})), messages.Answer(7, {}, None))

    def test_params_are_left_out_if_there_are_none(self):
        self.assertEqual(json.loads(messages.request(1, "status")), {"jsonrpc": "2.0", "id": 1, "method": "status"})

    def test_an_error_becomes_the_exception_of_its_code(self):
        for code, kind in ((-32002, NameConflict), (-32003, TimedOut), (-32602, RequestError), (1, RequestError)):
            answer = messages.decode(messages.failure(1, code, "why", {"status": {"seq": 4}}))
            self.assertIs(type(answer.error), kind)
            self.assertEqual(answer.error.code, code)
            self.assertIn("why", str(answer.error))
        answer = messages.decode(messages.failure(1, -32003, "late", {"status": {"seq": 4}}))
        self.assertEqual(answer.error.status, {"seq": 4})

    def test_some_errors_are_those_of_python_too(self):
        for error, kind in (
            (TimedOut(-32003, "late", {"code": "timeout"}), TimeoutError),
            (NotPermitted(-32005, "no"), PermissionError),
            (ConnectionLost("gone"), ConnectionError),
            (ConnectionClosed("closed"), ConnectionError),
        ):
            with self.subTest(error=error):
                self.assertIsInstance(error, kind)
                copy = pickle.loads(pickle.dumps(error))
                self.assertEqual((type(copy), str(copy)), (type(error), str(error)))
                self.assertIn(str(error).split()[0], ("late", "no", "gone", "closed"))

    def test_an_error_with_id_null_has_no_id(self):
        answer = messages.decode(b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}')
        self.assertIsNone(answer.id)
        self.assertEqual(answer.error.code, -32700)

    def test_invalid_messages_are_refused(self):
        for payload in (
            b"",
            b"[]",
            b"{",
            b"{}",
            b'{"jsonrpc":"1.0","id":1,"result":1}',
            b'{"jsonrpc":"2.0","id":1}',
            b'{"jsonrpc":"2.0","id":1.5,"result":1}',
            b'{"jsonrpc":"2.0","id":true,"method":"run"}',
            b'{"jsonrpc":"2.0","id":1,"result":1,"result":2}',
            b'{"jsonrpc":"2.0","id":1,"result":NaN}',
            b'{"jsonrpc":"2.0","id":1,"result":1,}',
            b'{"jsonrpc":"2.0","id":1,"method":"run","params":[]}',
            b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":1}',
            b'{"jsonrpc":"2.0","id":1,"result":"\xff"}',
            b'{"jsonrpc":"2.0","id":1,"result":' + b"[" * 100_000,
        ):
            with self.subTest(payload=payload[:60]), self.assertRaises(ProtocolError):
                messages.decode(payload)

    def test_a_notification_that_can_not_be_read_is_none_that_matters(self):
        message = messages.decode(b'{"jsonrpc":"2.0","method":"event","params":[]}')
        self.assertEqual(message, messages.Notification("event", {}))
        for params in ({}, {"topic": 3}, {"seq": 4}):
            self.assertIsNone(messages.event_in(messages.Notification("event", params)))
        self.assertEqual(messages.event_in(messages.Notification("event", {"topic": "tide"})), {"topic": "tide"})

    def test_values_that_json_cant_express_are_not_sent(self):
        for value in (float("nan"), float("inf"), "\ud800"):
            with self.assertRaises(ValueError):
                messages.request(1, "ping", {"value": value})


if __name__ == "__main__":
    unittest.main()
