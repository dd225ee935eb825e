"""Frames: they mark where one message ends and the next begins.

    +--------+--------+--------+--------+------------ - - -+
    |    length N, unsigned, big-endian |  N bytes of JSON |
    +--------+--------+--------+--------+------------ - - -+

Towards a client 1 ≤ N < 16 MiB, so the first byte is always 0. An announced length reserves no memory.
"""

from __future__ import annotations

import struct
from typing import Optional

from .errors import FrameTooLarge, ProtocolError

_LENGTH = struct.Struct(">I")

RECEIVE_LIMIT = (16 << 20) - 1
"""The maximum payload that a supervisor may send, in bytes."""

HELLO_LIMIT = 4096
"""The maximum payload that a supervisor accepts before it has answered hello, in bytes."""


def encode(payload: bytes, limit: int) -> bytes:
    """Returns one frame around `payload`. Raises `FrameTooLarge` if the peer would refuse it."""
    if not 1 <= len(payload) <= limit:
        raise FrameTooLarge(f"cannot send a message of {len(payload)} bytes: the supervisor accepts 1 to {limit}")
    return _LENGTH.pack(len(payload)) + payload


class FrameReader:
    """Splits a stream of bytes into payloads, regardless of how the bytes are divided into reads."""

    def __init__(self, limit: int = RECEIVE_LIMIT) -> None:
        self._limit = limit
        self._buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Adds bytes that were read."""
        self._buffer += data

    def next(self) -> Optional[bytes]:
        """The next complete payload, or None. Raises `ProtocolError` at a length out of range."""
        if self._buffer and self._buffer[0] != 0:
            raise ProtocolError(
                f"the peer is not initd: its message begins with byte {self._buffer[0]:#04x} instead of 0; check the socket's path"
            )
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if not 1 <= length <= self._limit:
            raise ProtocolError(f"cannot read a frame of {length} bytes: it must have 1 to {self._limit}")
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return payload

    @property
    def is_between_frames(self) -> bool:
        """Whether all received bytes were returned in payloads: then no message is truncated if the stream ends here."""
        return not self._buffer
