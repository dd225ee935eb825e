"""Consecutive TCP ports that are free, and that no other test uses at the same time."""

from __future__ import annotations

import random
import socket
from typing import Optional

SIZE = 110


class PortBlock:
    """A block of `SIZE` free ports, outside of the range from which the system chooses ports for connections.

    A Unix socket with an abstract name marks the block as taken until `close`, or until this process ends.
    """

    def __init__(self) -> None:
        self._mark: Optional[socket.socket] = None
        starts = [first for first in range(5000, 65_000, SIZE) if not _is_used_by_the_system(first)]
        random.shuffle(starts)
        for first in starts:
            if self._take(first):
                return
        raise AssertionError(f"there are no {SIZE} consecutive free ports")

    def _take(self, first: int) -> bool:
        mark = socket.socket(socket.AF_UNIX)
        try:
            mark.bind(f"\0initd-conformance-ports-{first}")
            for number in range(first, first + SIZE):
                with listener(number), listener(number, "::1"):
                    pass
        except OSError:
            mark.close()
            return False
        self._mark, self.first = mark, first
        return True

    def close(self) -> None:
        assert self._mark
        self._mark.close()


def _is_used_by_the_system(first: int) -> bool:
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        low, high = map(int, file.read().split())
    return first + SIZE > low and first <= high


def listener(port: int, address: str = "127.0.0.1") -> socket.socket:
    """A socket that listens at a port. One of IPv6 leaves the port of IPv4 free."""
    stream = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET)
    try:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if ":" in address:
            stream.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        stream.bind((address, port))
        stream.listen(5)
    except OSError:
        stream.close()
        raise
    return stream
