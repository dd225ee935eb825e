"""Frames."""

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
            reader, payloads = FrameReader(), []
            for part in (stream[:cut], stream[cut:]):
                reader.feed(part)
                payloads += iter(reader.next, None)
            self.assertEqual(payloads, [b"{}", b'{"a":1}', b"x" * 300])
            self.assertTrue(reader.is_between_frames)

    def test_an_incomplete_frame_is_detected_at_the_end(self):
        reader = FrameReader()
        reader.feed(b"\x00\x00\x00\x02{")
        self.assertIsNone(reader.next())
        self.assertFalse(reader.is_between_frames)

    def test_a_length_out_of_range_is_refused_before_its_payload(self):
        for header in (b"\x00\x00\x00\x00", b"\x01\x00\x00\x00"):
            with self.assertRaises(ProtocolError):
                self.read(header)
        self.assertIsNone(self.read(RECEIVE_LIMIT.to_bytes(4, "big")).next())

    def read(self, stream):
        reader = FrameReader()
        reader.feed(stream)
        while reader.next() is not None:
            pass
        return reader

    def test_a_first_byte_that_is_not_zero_is_not_initd(self):
        for stream in (b"H", b"\x16\x03\x01", encode(b"{}", 4096) + b"H"):
            with self.assertRaisesRegex(ProtocolError, "not initd"):
                self.read(stream)

    def test_what_came_before_a_bad_frame_is_read(self):
        reader = FrameReader()
        reader.feed(encode(b"{}", 4096) + b"HTTP")
        self.assertEqual(reader.next(), b"{}")
        with self.assertRaises(ProtocolError):
            reader.next()


if __name__ == "__main__":
    unittest.main()
