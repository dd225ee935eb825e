"""Faults in frames: any bytes, in any pieces, leave the supervisor unchanged."""

import json
import os
import socket
import ssl
import string
import struct
import threading
import unittest

from calm import Held, calm
from deadlines import DEADLINE
from flood import all_gone, queued
from peer import Late, frame, hello, message
from supervisor import Conformance

LONG = bool(os.environ.get("LONG"))
LIMIT = 1 << 20
BEFORE_HELLO = 4096
HELLO = message(id=1, method="hello", params={"protocol": 1, "client": {"name": "conformance", "version": "1"}})


def malformed(limit):
    """Invalid lengths at every bit and boundary: 0, and beyond the limit each power of two and its neighbours."""
    powers = [1 << bit for bit in range(32)]
    lengths = {0, limit + 1, 0xFFFFFFFF, *powers, *(each - 1 for each in powers), *(each + 1 for each in powers)}
    return sorted(each for each in lengths if each == 0 or each > limit)


def keys(count):
    """Returns this many different short keys."""
    letters = string.ascii_letters + string.digits
    return [letters[n // 62**3 % 62] + letters[n // 62**2 % 62] + letters[n // 62 % 62] + letters[n % 62] for n in range(count)]


class LengthTests(Conformance):
    def test_every_malformed_length_before_hello_and_after(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            for connect, limit in ((supervisor.connect, BEFORE_HELLO), (supervisor.peer, LIMIT)):
                for length in malformed(limit):
                    for rest in (b"", b"x" * 100, HELLO):
                        with self.subTest(length=length, rest=len(rest)):
                            peer = connect()
                            peer.send_bytes(struct.pack(">I", length) + rest)
                            peer.complaint(-32700)
                            peer.expect_end_now()
                            peer.close()

    def test_a_malformed_length_in_pieces_is_refused_no_later_than_its_last_byte(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            for length in malformed(LIMIT):
                with self.subTest(length=length):
                    peer = supervisor.peer()
                    try:
                        for byte in struct.pack(">I", length):
                            peer.send_bytes(bytes([byte]))
                    except BrokenPipeError:
                        pass  # The first byte was already enough.
                    peer.complaint(-32700)
                    peer.expect_end_now()
                    peer.close()

    def test_a_refused_peer_that_stays_is_disconnected(self):
        """The peer neither reads nor closes, and continues to send as long as it can."""
        supervisor = self.start_fast()
        stayed = []
        with calm(supervisor):
            for _ in range(50):
                peer = supervisor.peer()
                peer.send_bytes(b"\xff" * 1000)
                stayed.append(peer)
        for peer in stayed:
            peer.complaint(-32700)
            peer.expect_end_now()


class OtherProtocolTests(Conformance):
    def tls(self):
        """The first bytes of a TLS client."""
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost")
        with self.assertRaises(ssl.SSLWantReadError):
            client.do_handshake()
        return outgoing.read()

    def test_text_and_tls_on_the_socket(self):
        said = [
            self.tls(),
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 100_000,
            b"SSH-2.0-OpenSSH_9.0\r\n",
            b"*1\r\n$4\r\nPING\r\n",
            b"EHLO example\r\n",
            b'{"jsonrpc":"2.0","id":1,"method":"hello"}\n',
            *(bytes([first]) for first in range(1, 256)),
        ]
        supervisor = self.start_fast()
        with calm(supervisor):
            for connect in (supervisor.connect, supervisor.peer):
                for data in said:
                    with self.subTest(data=data[:20], after=connect.__name__):
                        peer = connect()
                        try:
                            peer.send_bytes(data)
                        except BrokenPipeError:
                            pass  # The frame was refused before its end.
                        peer.complaint(-32700)
                        peer.expect_end_now()
                        peer.close()


class CutTests(Conformance):
    """A session that is truncated at every byte."""

    MESSAGES = [
        HELLO,
        message(id=2, method="register", params={"initializers": [{"name": "cut"}]}),
        message(id=3, method="subscribe", params={"topics": ["initializer", "pass", "worker", "log", "launch"]}),
        message(id=4, method="activate", params={"hold": True}),
        message(id=5, method="wait", params={"initializer": "other"}),
        message(method="progress", params={"run": 1, "fraction": 0.5}),
        message(id="run-1", result={}),
        message(id=6, method="unregister", params={"names": ["cut"]}),
    ]

    def cut_everywhere(self, end):
        """Sends the session up to each of its bytes, then closes it."""
        # So many workers connect and disconnect that the log would fill a pipe that is read only at the end.
        supervisor = self.start_with("other: { worker: true, priority: appActive }", "--no-launch", "--log-level", "error")
        stream = b"".join(map(frame, self.MESSAGES))
        edges = [sum(4 + len(each) for each in self.MESSAGES[:count]) for count in range(len(self.MESSAGES) + 1)]
        with calm(supervisor) as before:
            for cut in range(len(stream) + 1):
                with self.subTest(cut=cut):
                    peer = queued(supervisor.path)
                    peer.send_bytes(stream[:cut])
                    end(peer, [message for message, edge in zip(self.MESSAGES, edges[1:]) if edge <= cut])
                    peer.close()
            all_gone(supervisor, before)
        status = supervisor.peer().status()
        self.assertEqual((status["workers"], status["holds"], status["lifecycle"]), ([], 0, "inactive"))

    def test_the_session_is_closed_at_every_byte(self):
        self.cut_everywhere(lambda peer, whole: None)

    def test_the_stream_ends_at_every_byte_and_complete_requests_are_answered(self):
        """All requests except the wait, which is removed with its client; an incomplete frame gets no answer."""

        def end(peer, whole):
            peer.stream.shutdown(socket.SHUT_WR)
            answered = []
            while (each := peer.receive()) is not None:
                if "method" not in each:
                    self.assertIsNotNone(each["id"], each)
                    answered.append(each["id"])
            asked = [json.loads(each).get("id") for each in whole if b'"method"' in each]
            self.assertEqual(answered, [id for id in asked if id not in (None, 5)])

        self.cut_everywhere(end)

    def test_the_stream_ends_inside_a_large_frame(self):
        supervisor = self.start_fast()
        large = frame(message(id=2, method="ping", params={"x": "y" * (LIMIT - 100)}))
        with calm(supervisor):
            for cut in (1, 3, 4, 5, 4096, 16 * 1024, 64 * 1024 + 1, LIMIT // 2, len(large) - 1):
                for _ in range(10):
                    with self.subTest(cut=cut):
                        peer = supervisor.peer()
                        peer.send_bytes(large[:cut])
                        peer.stream.shutdown(socket.SHUT_WR)
                        peer.expect_end_now()
                        peer.close()


class DrippingTests(Conformance):
    def test_slow_one_byte_every_10_s(self):
        """The frames come from 60 clients at once. The test runs before hello, which has 10 s; with LONG=1 also after it, where a frame has
        30 s."""
        supervisor = self.start_fast()
        with calm(supervisor):
            dripping = [(supervisor.connect(), frame(HELLO)) for _ in range(60)]
            if LONG:
                dripping += [(supervisor.peer(), frame(message(id=2, method="ping"))) for _ in range(60)]
            offset = 0
            while dripping:
                self.assertLess(offset, 5, "a client may send single bytes indefinitely")
                for peer, data in dripping:
                    try:
                        peer.send_bytes(data[offset : offset + 1])
                    except BrokenPipeError:
                        pass  # The end of the connection is detected below.
                offset += 1
                # The frames began together, so they end together.
                wait = 10.0
                for peer, data in list(dripping):
                    try:
                        while peer.receive(wait) is not None:
                            pass
                    except Late:
                        wait = 0.01
                    else:
                        dripping.remove((peer, data))
                        peer.close()
                        wait = max(wait, 0.1)


class UnreadTests(Conformance):
    TOTAL = 64 << 20
    TURNS = 20
    """The number of answers to another client until the supervisor stops reading from a client."""

    def request(self, id):
        return frame(message(id=id, method="ping", params={"x": "y" * (64 * 1024 - 100)}))

    def send_until_unread(self, supervisor, peers, honest, data):
        """Sends the same bytes to all of them until none accepts more; the other client is answered in the meantime."""
        for peer in peers:
            peer.stream.setblocking(False)
        left = [b""] * len(peers)
        sent, full, held = 0, 0, 0
        while full < self.TURNS and sent < self.TOTAL * len(peers):
            full += 1
            for index, peer in enumerate(peers):
                try:
                    taken = peer.stream.send(left[index] or data)
                except BlockingIOError:
                    continue
                left[index] = (left[index] or data)[taken:]
                sent, full = sent + taken, 0
            honest.alive()
            held = max(held, Held(supervisor.pid).memory)
        self.assertLess(sent, self.TOTAL * len(peers), "it accepts requests although their answers aren't read")
        return held

    def test_64_MiB_of_pipelined_requests_never_read(self):
        """The supervisor takes no more than the limit from each of five clients, and frees it when they disconnect."""
        supervisor = self.start_fast()
        requests = {
            "64 KiB": self.request(2),
            "a few bytes, answered with as many": frame(message(id=2, method="ping")) * 1000,
            "a few bytes, answered with many more": frame(message(id=2, method="status")) * 1000,
        }
        for each, data in requests.items():
            with self.subTest(each), calm(supervisor) as before:
                honest = supervisor.peer()
                peers = [supervisor.peer() for _ in range(5)]
                held = self.send_until_unread(supervisor, peers, honest, data)
                self.assertLess(held - before.memory, len(peers) * (4 << 20))
                for peer in [honest, *peers]:
                    peer.close()

    def test_64_MiB_of_pipelined_requests_that_are_read_late_are_all_answered(self):
        supervisor = self.start_fast()
        count = self.TOTAL // len(self.request(0))
        with calm(supervisor):
            peer = supervisor.peer()
            sender = threading.Thread(target=lambda: [peer.send_bytes(self.request(f"n{number}")) for number in range(count)])
            sender.start()
            for number in range(count):
                self.assertEqual(peer.receive()["id"], f"n{number}")
            sender.join(DEADLINE)
            peer.close()


class ObjectTests(Conformance):
    """Objects that are large, deep, or have duplicate keys."""

    COUNT = 100_000

    def large(self, *more):
        """100,000 members, and these."""
        return b"{" + b",".join([*(f'"{key}":0'.encode() for key in keys(self.COUNT)), *more]) + b"}"

    def test_100_000_keys(self):
        supervisor = self.start_fast("--no-launch")
        payload = b'{"jsonrpc":"2.0","id":"p","method":"%s","params":%s}'
        with calm(supervisor):
            peer = supervisor.peer()
            with self.subTest("in the params of ping"):
                peer.send_payload(payload % (b"ping", self.large()))
                self.assertEqual(list(peer.answer("p")["result"]), keys(self.COUNT))
            with self.subTest("in an unknown member"):
                peer.send_payload(payload % (b"wait", self.large(b'"for":"active"', b'"timeout":0.001')))
                self.assertEqual(peer.answer("p")["error"]["code"], -32003)
            with self.subTest("in the message itself"):
                peer.send_payload(self.large(b'"jsonrpc":"2.0"', b'"id":"p"', b'"method":"ping"', b'"params":{}'))
                self.assertEqual(peer.answer("p")["result"], {})
            with self.subTest("in a registration"):
                declared = self.large(b'"name":"a"')
                peer.send_payload(payload % (b"register", b'{"initializers":[' + declared + b"]}"))
                self.assertEqual(peer.answer("p")["result"], {"registered": ["a"]})
            for first in (keys(self.COUNT)[0], keys(self.COUNT)[-1]):
                with self.subTest("the last one twice", first=first):
                    peer.send_payload(payload % (b"ping", self.large(f'"{first}":1'.encode())))
                    peer.complaint(-32700)
            peer.ok("unregister", names=["a"])
            peer.close()

    def test_nesting(self):
        """A whole frame of brackets, repeatedly, of each kind, closed or not."""
        supervisor = self.start_fast()
        head = b'{"jsonrpc":"2.0","id":"p","method":"ping","params":'
        deep = [
            head + b"[" * (LIMIT - 100) + b"}",
            head + b'{"a":' * (LIMIT // 5 - 100) + b"}",
            head + b'[{"a":' * (LIMIT // 6 - 100) + b"}",
            head + b"[" * (LIMIT // 2 - 100) + b"]" * (LIMIT // 2 - 100) + b"}",
            b"[" * LIMIT,
            b"{" * LIMIT,
            b'{"":' * (LIMIT // 4),
            b"]" * LIMIT,
        ]
        with calm(supervisor):
            peer = supervisor.peer()
            for _ in range(5):
                for payload in deep:
                    peer.send_payload(payload)
                    peer.complaint(-32700)
            peer.alive()
            peer.close()

    def test_duplicate_keys_anywhere_are_refused(self):
        supervisor = self.start_fast("--no-launch")
        doubled = [
            '{"jsonrpc":"2.0","jsonrpc":"2.0","id":9,"method":"register","params":{"initializers":[{"name":"a"}]}}',
            '{"jsonrpc":"2.0","id":9,"method":"ping","method":"register","params":{"initializers":[{"name":"a"}]}}',
            '{"jsonrpc":"2.0","id":9,"method":"register","params":{},"params":{"initializers":[{"name":"a"}]}}',
            '{"jsonrpc":"2.0","id":9,"method":"register","params":{"initializers":[{"name":"a"}],"initializers":[]}}',
            '{"jsonrpc":"2.0","id":9,"method":"register","params":{"initializers":[{"name":"a"},{"name":"b","name":"b"}]}}',
            '{"jsonrpc":"2.0","id":9,"method":"register","params":{"initializers":[{"name":"a","retry":{"delay":1,"delay":1}}]}}',
            '{"jsonrpc":"2.0","id":9,"method":"register","params":{"initializers":[{"name":"a","x":{"y":[{"z":1,"z":1}]}}]}}',
            '{"jsonrpc":"2.0","id":9,"method":"register","params":{"initializers":[{"name":"a","n\\u0061me":"b"}]}}',
            '{"jsonrpc":"2.0","method":"progress","params":{"run":1,"run":1}}',
            '{"jsonrpc":"2.0","id":"run-1","result":{},"result":{}}',
            '{"jsonrpc":"2.0","id":"run-1","error":{"code":1,"code":1,"message":""}}',
        ]
        with calm(supervisor):
            peer = supervisor.peer()
            for text in doubled:
                with self.subTest(text):
                    peer.send_payload(text.encode())
                    peer.complaint(-32700)
            self.assertEqual(peer.status()["initializers"], [])
            silent = supervisor.connect()
            silent.send_payload(HELLO.replace(b'"protocol":1', b'"protocol":1,"protocol":1'))
            silent.complaint(-32700)
            self.assertEqual(hello(silent)["protocol"], 1, "the connection continues, and hello wasn't sent")
            silent.close()
            peer.close()

    def test_unknown_keys_anywhere_are_ignored(self):
        supervisor = self.start_fast("--no-launch")
        self.say_with_unknown_keys(supervisor)  # The first retry creates a timer that is kept.
        with calm(supervisor):
            self.say_with_unknown_keys(supervisor)

    def say_with_unknown_keys(self, supervisor):
        unknown = {"": None, "unknown": {"deeper": [{"still": 1.5e300}]}, "é\u2028": "x" * 1000, "__proto__": {}, "run": True}
        peer = supervisor.connect()
        greeting = unknown | {"protocol": 1, "client": unknown | {"name": "c", "version": "1"}}
        peer.send(id=1, method="hello", params=greeting, **unknown)
        self.assertEqual(peer.answer(1)["result"]["protocol"], 1)
        for method in ("status", "release", "unsubscribe", "history", "logs", "deactivate"):
            with self.subTest(method):
                self.assertIn("result", peer.call(method, unknown))
        declared = unknown | {"name": "a", "retry": unknown | {"attempts": 2, "delay": 0.01}}
        self.assertEqual(peer.ok("register", **(unknown | {"initializers": [declared]})), {"registered": ["a"]})
        peer.ok("launch", **unknown)
        run = peer.expect_run("a")
        peer.send(method="progress", params=unknown | {"run": run.number, "fraction": 0.5}, **unknown)
        self.assertEqual(peer.initializer("a")["progress"]["fraction"], 0.5)
        peer.send(id=run.id, error=unknown | {"code": 1, "message": "again"}, **unknown)
        peer.send(id=peer.expect_run("a").id, result=unknown, **unknown)
        self.assertEqual(peer.ok("wait", **(unknown | {"for": "launch"}))["state"], "complete")
        peer.ok("unregister", **(unknown | {"names": ["a"]}))
        peer.close()


if __name__ == "__main__":
    unittest.main()
