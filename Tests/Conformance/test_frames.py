"""protocol.md §1: the socket and its frames."""

import os
import stat
import struct
import unittest

from peer import frame, hello, message
from supervisor import SharedConformance

LIMIT = 1 << 20
HELLO = message(id=1, method="hello", params={"protocol": 1, "client": {"name": "conformance", "version": "1"}})


def padded(length, **members):
    """A message padded to `length` bytes by an unknown member."""
    bare = message(**members, padding="")
    return message(**members, padding="x" * (length - len(bare)))


class FramesTests(SharedConformance):
    def test_the_socket_has_mode_0600(self):
        mode = os.stat(self.supervisor.path).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)

    def test_a_stream_split_at_every_offset_gives_the_same_messages(self):
        stream = frame(HELLO) + frame(message(id="é", method="ping", params={"n": 1})) + frame(message(id=3, method="ping", params={}))
        for cut in range(1, len(stream)):
            with self.subTest(cut=cut):
                peer = self.supervisor.connect()
                peer.send_bytes(stream[:cut])
                peer.send_bytes(stream[cut:])
                self.assertEqual(peer.answer(1)["result"]["protocol"], 1)
                self.assertEqual(peer.answer("é")["result"], {"n": 1})
                self.assertEqual(peer.answer(3)["result"], {})
                peer.close()

    def test_a_message_may_be_sent_byte_by_byte(self):
        peer = self.supervisor.connect()
        for byte in frame(HELLO):
            peer.send_bytes(bytes([byte]))
        self.assertEqual(peer.answer(1)["result"]["protocol"], 1)

    def test_many_frames_in_one_write_are_each_answered(self):
        peer = self.supervisor.connect()
        peer.send_bytes(frame(HELLO) + b"".join(frame(message(id=n, method="ping", params={"n": n})) for n in range(2, 502)))
        self.assertEqual(peer.answer(1)["result"]["protocol"], 1)
        self.assertEqual({peer.answer(n)["result"]["n"] for n in range(2, 502)}, set(range(2, 502)))

    def test_hello_may_be_4096_bytes_long(self):
        peer = self.supervisor.connect()
        peer.send_payload(padded(4096, id=1, method="hello", params={"protocol": 1, "client": {"name": "c", "version": "1"}}))
        self.assertEqual(peer.answer(1)["result"]["protocol"], 1)

    def test_a_frame_over_4096_bytes_before_hello_closes_the_connection(self):
        peer = self.supervisor.connect()
        peer.send_bytes(struct.pack(">I", 4097))
        peer.complaint(-32700)
        peer.expect_end_now()

    def test_after_hello_a_frame_may_have_all_of_limits_frameBytes(self):
        peer = self.supervisor.connect()
        self.assertEqual(hello(peer)["limits"]["frameBytes"], LIMIT)
        peer.send_payload(padded(LIMIT, id="big", method="ping", params={"n": 1}))
        self.assertEqual(peer.answer("big")["result"], {"n": 1})

    def test_frames_after_hello_in_the_same_write_may_be_longer_than_4096_bytes(self):
        peer = self.supervisor.connect()
        peer.send_bytes(frame(HELLO) + frame(padded(20_000, id=2, method="ping", params={"n": 1})))
        self.assertEqual(peer.answer(1)["result"]["protocol"], 1)
        self.assertEqual(peer.answer(2)["result"], {"n": 1})

    def test_a_length_out_of_range_is_32700_with_id_null_and_closes_only_that_connection(self):
        other = self.supervisor.peer()
        for length in (0, LIMIT + 1, 1 << 24, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
            with self.subTest(length=length):
                peer = self.supervisor.peer()
                peer.send_bytes(struct.pack(">I", length))
                peer.complaint(-32700)
                peer.expect_end_now()
                other.alive()

    def test_requests_before_a_bad_length_are_answered(self):
        peer = self.supervisor.peer()
        peer.send_bytes(frame(message(id="a", method="ping", params={})) + b"\xff\xff\xff\xff" + frame(message(id="b", method="ping")))
        self.assertEqual(peer.answer("a")["result"], {})
        peer.complaint(-32700)
        peer.expect_end_now()

    def test_a_peer_that_speaks_http_tls_or_text_is_recognised_by_its_first_bytes(self):
        for data in (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"hello\n"):
            with self.subTest(data=data):
                peer = self.supervisor.connect()
                peer.send_bytes(data)
                peer.complaint(-32700)
                peer.expect_end_now()

    def test_an_end_in_the_middle_of_a_frame_has_no_effect_on_others(self):
        other = self.supervisor.peer()
        for data in (b"\x00", b"\x00\x00\x00", b"\x00\x00\x00\x10{"):
            peer = self.supervisor.peer()
            peer.send_bytes(data)
            peer.close()
        other.alive()

    def test_an_announced_length_takes_no_memory(self):
        peers = [self.supervisor.peer() for _ in range(50)]
        before = self.supervisor.resident()
        for peer in peers:
            peer.send_bytes(struct.pack(">I", LIMIT) + b'{"a"')
        peers[0].close()
        self.supervisor.peer().alive()
        self.assertLess(self.supervisor.resident() - before, 25 << 20)


if __name__ == "__main__":
    unittest.main()
