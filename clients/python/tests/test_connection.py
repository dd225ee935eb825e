"""Connections: requests and answers over a socket."""

import contextlib
import socket
import struct
import threading
import unittest

from appinitializers import ConnectionClosed, ConnectionLost, NotPermitted, ProtocolError, RequestError
from appinitializers.connection import Connection
from appinitializers.link import Link

from .fake_supervisor import DEADLINE, Peer


@contextlib.contextmanager
def pair(**handlers):
    """A connection and its other end."""
    ours, theirs = socket.socketpair()
    connection = Connection(Link(ours), **handlers)
    try:
        with theirs:
            yield connection, Peer(theirs)
    finally:
        connection.close()


class Asking:
    """An open request in a separate thread."""

    def __init__(self, connection, method, params=None, **options):
        self.result = self.error = None

        def ask():
            try:
                self.result = connection.request(method, params, **options)
            except Exception as error:
                self.error = error

        self._thread = threading.Thread(target=ask)
        self._thread.start()

    def join(self):
        self._thread.join(DEADLINE)
        assert not self._thread.is_alive(), "no answer came"
        return self


class ConnectionTests(unittest.TestCase):
    def test_answers_find_their_requests_in_any_order(self):
        with pair() as (connection, peer):
            first = Asking(connection, "ping", {"n": 1})
            one = peer.expect("ping")
            second = Asking(connection, "ping", {"n": 2})
            two = peer.expect("ping")
            peer.send({"id": two["id"], "result": "two"})
            self.assertEqual(second.join().result, "two")
            peer.send({"id": one["id"], "result": "one"})
            self.assertEqual(first.join().result, "one")

    def test_an_answer_without_a_request_is_ignored(self):
        with pair() as (connection, peer):
            asking = Asking(connection, "ping")
            id = peer.expect("ping")["id"]
            peer.send({"id": "nothing", "result": 1})
            peer.send({"id": id, "result": 2})
            self.assertEqual(asking.join().result, 2)

    def test_a_refusal_is_raised(self):
        with pair() as (connection, peer):
            asking = Asking(connection, "ping")
            peer.refuse("ping", -32602, "no such thing")
            self.assertIsInstance(asking.join().error, RequestError)
            self.assertTrue(connection.is_open)

    def test_a_request_may_be_abandoned(self):
        with pair() as (connection, peer):
            with self.assertRaises(TimeoutError):
                connection.request("ping", timeout=0.01)
            peer.reply("ping", {})
            asking = Asking(connection, "status")
            peer.reply("status", {"seq": 1})
            self.assertEqual(asking.join().result, {"seq": 1})

    def test_a_request_that_fails_leaves_nothing_behind(self):
        with pair() as (connection, peer):
            for params in ({"text": "x" * 5000}, {"text": object()}, {"number": float("nan")}):
                with self.assertRaises(Exception):
                    connection.request("ping", params)
            with self.assertRaises(TimeoutError):
                connection.request("ping", timeout=0.01)
            id = peer.expect("ping")["id"]
            asking = Asking(connection, "ping")
            peer.refuse("ping", -32602, "no such thing")
            asking.join()
            peer.send({"id": id, "result": {}})  # The answer is too late: the request is no longer open.
            self.assertEqual(connection.session._open, {})
            asking = Asking(connection, "ping")
            peer.expect("ping")
            peer.stream.close()
            asking.join()
            with self.assertRaises(ConnectionLost):
                connection.request("ping")
            self.assertEqual(connection.session._open, {})

    def test_requests_of_the_peer_are_answered_or_unknown(self):
        with pair() as (connection, peer):
            peer.send({"id": "a", "method": "unheardOf"})
            self.assertEqual(peer.receive()["error"]["code"], -32601)

        def answer(request):
            connection.answer(request.id, {"got": request.params})

        with pair(on_request=answer) as (connection, peer):
            peer.send({"id": "a", "method": "run", "params": {"run": 7}})
            self.assertEqual(peer.receive(), {"jsonrpc": "2.0", "id": "a", "result": {"got": {"run": 7}}})

    def test_the_end_fails_open_requests_and_is_reported_once(self):
        ends = []
        with pair(on_close=ends.append) as (connection, peer):
            asking = Asking(connection, "ping")
            peer.expect("ping")
            peer.stream.close()
            self.assertIsInstance(asking.join().error, ConnectionLost)
            self.assertFalse(connection.is_open)
            with self.assertRaises(ConnectionLost):
                connection.request("ping")
            with self.assertRaises(ConnectionLost):
                connection.notify("progress", {})
        self.assertEqual([type(each) for each in ends], [ConnectionLost])

    def test_closing_here_is_distinguished_from_a_loss(self):
        ends = []
        with pair(on_close=ends.append) as (connection, peer):
            asking = Asking(connection, "ping")
            peer.expect("ping")
            connection.close()
            connection.close()
            self.assertIsInstance(asking.join().error, ConnectionClosed)
            peer.expect_end()
        self.assertEqual([type(each) for each in ends], [ConnectionClosed])

    def test_a_handler_may_close_the_connection(self):
        closed, ends = [], []

        def close(notification):
            connection.close()  # Closing doesn't wait for the reader, which is this thread.
            closed.append(notification.method)

        with pair(on_notification=close, on_close=ends.append) as (connection, peer):
            peer.send({"method": "event", "params": {}})
            peer.expect_end()
            connection.close()  # Closing waits for the reader, which calls the handlers.
            self.assertEqual(closed, ["event"])
            self.assertEqual([type(each) for each in ends], [ConnectionClosed])

    def test_the_end_does_not_wait_for_a_sender_whose_peer_reads_nothing(self):
        with pair() as (connection, peer):
            connection.session._frame_limit = 1 << 26
            sending = Asking(connection, "ping", {"text": "x" * (1 << 25)})
            self.assertEqual(len(peer.stream.recv(1)), 1)  # Now it sends, and can't finish.
            peer.send_bytes(b"HTTP/1.1 400 Bad Request\r\n")
            self.assertIsInstance(sending.join().error, ProtocolError)

    def test_an_error_with_id_null_is_the_reason_of_the_end(self):
        with pair() as (connection, peer):
            asking = Asking(connection, "hello")
            peer.expect("hello")
            peer.send({"id": None, "error": {"code": -32005, "message": "who are you"}})
            peer.stream.close()
            self.assertIsInstance(asking.join().error, NotPermitted)

    def test_a_protocol_violation_ends_the_connection(self):
        for data in (b"HTTP/1.1 400 Bad Request\r\n", struct.pack(">I", 0), struct.pack(">I", 3) + b"{,}"):
            with self.subTest(data=data), pair() as (connection, peer):
                asking = Asking(connection, "ping")
                peer.expect("ping")
                peer.send_bytes(data)
                self.assertIsInstance(asking.join().error, ProtocolError)
                peer.expect_end()

    def test_an_end_inside_a_message_is_reported_as_such(self):
        with pair() as (connection, peer):
            asking = Asking(connection, "ping")
            peer.expect("ping")
            peer.send_bytes(struct.pack(">I", 100) + b"{")
            peer.stream.close()
            error = asking.join().error
            self.assertIsInstance(error, ConnectionLost)
            self.assertIn("in the middle of a message", str(error))

    def test_frames_of_many_threads_are_not_mixed(self):
        with pair() as (connection, peer):
            connection.session._frame_limit = 1 << 20
            threads = [
                threading.Thread(target=connection.notify, args=("progress", {"text": str(n) * 50_000})) for n in range(8)
            ]
            for thread in threads:
                thread.start()
            texts = {peer.expect("progress")["params"]["text"] for _ in threads}
            for thread in threads:
                thread.join()
            self.assertEqual(texts, {str(n) * 50_000 for n in range(8)})


if __name__ == "__main__":
    unittest.main()
