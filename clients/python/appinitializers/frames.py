"""Frames: where one message ends and the next begins (protocol §1).

    +--------+--------+--------+--------+------------ - - -+
    |    length N, unsigned, big-endian |  N bytes of JSON |
    +--------+--------+--------+--------+------------ - - -+

Towards a client 1 ≤ N < 16 MiB, so the first byte is always 0. No memory is taken on the strength of an announced length.
"""

from __future__ import annotations

import struct

from .errors import FrameTooLarge, ProtocolError

_LENGTH = struct.Struct(">I")

RECEIVE_LIMIT = (16 << 20) - 1
"""The maximum payload that a supervisor may send, in bytes."""

HELLO_LIMIT = 4096
"""The maximum payload that a supervisor accepts before it has answered hello, in bytes."""


def encode(payload: bytes, limit: int) -> bytes:
    """One frame around `payload`. Raises `FrameTooLarge` if the peer would refuse it."""
    if not 1 <= len(payload) <= limit:
        raise FrameTooLarge(f"cannot send a message of {len(payload)} bytes: the supervisor accepts 1 to {limit}")
    return _LENGTH.pack(len(payload)) + payload


class FrameReader:
    """Splits a stream of bytes into payloads, regardless of how the bytes are divided into reads."""

    def __init__(self, limit: int = RECEIVE_LIMIT) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """The payloads that `data` completes, in order. Raises `ProtocolError` at a length out of range."""
        self._buffer += data
        payloads = []
        start = 0
        while len(self._buffer) - start >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._buffer, start)
            if not 1 <= length <= self._limit:
                raise ProtocolError(f"cannot read a frame of {length} bytes: 1 to {self._limit} are allowed; is this a supervisor's socket?")
            end = start + _LENGTH.size + length
            if len(self._buffer) < end:
                break
            payloads.append(bytes(self._buffer[start + _LENGTH.size : end]))
            start = end
        del self._buffer[:start]
        return payloads

    @property
    def is_between_frames(self) -> bool:
        """Whether all received bytes were returned in payloads: then an end here truncates no message."""
        return not self._buffer
