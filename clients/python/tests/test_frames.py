"""Frames (protocol §1)."""

import unittest

from appinitializers import FrameTooLarge, ProtocolError
from appinitializers.frames import RECEIVE_LIMIT, FrameReader, encode


class FramesTests(unittest.TestCase):
    def test_a_frame_is_its_length_and_its_payload(self):
        self.assertEqual(encode(b"{}", 4096), b"\x00\x00\x00\x02{}")

    def test_a_payload_over_the_limit_is_not_encoded(self):
        self.assertEqual(len(encode(b"x" * 10, 10)), 14)
        for payload in (b"x" * 11, b""):
            with self.assertRaises(FrameTooLarge):
                encode(payload, 10)

    def test_a_stream_split_at_every_offset_gives_the_same_payloads(self):
        stream = encode(b"{}", 4096) + encode(b'{"a":1}', 4096) + encode(b"x" * 300, 4096)
        for cut in range(len(stream) + 1):
            reader = FrameReader()
            payloads = reader.feed(stream[:cut]) + reader.feed(stream[cut:])
            self.assertEqual(payloads, [b"{}", b'{"a":1}', b"x" * 300])
            self.assertTrue(reader.is_between_frames)

    def test_an_incomplete_frame_is_detected_at_the_end(self):
        reader = FrameReader()
        self.assertEqual(reader.feed(b"\x00\x00\x00\x02{"), [])
        self.assertFalse(reader.is_between_frames)

    def test_a_length_out_of_range_is_refused_before_its_payload(self):
        for header in (b"\x00\x00\x00\x00", b"\x01\x00\x00\x00", b"HTTP"):
            with self.assertRaises(ProtocolError):
                FrameReader().feed(header)
        self.assertEqual(FrameReader().feed(RECEIVE_LIMIT.to_bytes(4, "big")), [])


if __name__ == "__main__":
    unittest.main()
