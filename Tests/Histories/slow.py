"""Slow answers: a device in the router that keeps packets for a while. It replaces `netem`, which many kernels don't have.

The router sends the packets to a node through the device, whose other end is this program; it writes them back when they are due.
"""

from __future__ import annotations

import fcntl
import heapq
import itertools
import os
import struct
import threading
import time

from network import Network, run

DEVICE = "late"
TABLE = "100"
SET_INTERFACE, WITHOUT_HEADER, TUNNEL = 0x400454CA, 0x1000, 0x0001
BACK, LATE = "200", "300"
"""The order of the rules: the cuts of the network come first, then packets that are back, then those that must be kept."""


class Slow:
    """Delays packets in threads until the process ends."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._delays: dict[str, float] = {}
        self._packets: list[tuple[float, int, bytes]] = []
        self._count = itertools.count()
        self._changed = threading.Condition()
        self._file = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self._file, SET_INTERFACE, struct.pack("16sH22x", DEVICE.encode(), TUNNEL | WITHOUT_HEADER))
        run("ip", "link", "set", DEVICE, "up")
        for name in ("all", DEVICE):
            with open(f"/proc/sys/net/ipv4/conf/{name}/rp_filter", "w") as file:
                file.write("0")
        run("ip", "route", "add", "default", "dev", DEVICE, "table", TABLE)
        run("ip", "rule", "add", "pref", BACK, "iif", DEVICE, "lookup", "main")
        threading.Thread(target=self._take, daemon=True).start()
        threading.Thread(target=self._give_back, daemon=True).start()

    def begin(self, node: str, seconds: float) -> None:
        """Delays the packets to a node from now on, instead of an earlier delay."""
        self.end(node)
        self._delays[self._network.address(node)] = seconds
        run("ip", "rule", "add", "pref", LATE, "to", self._network.address(node), "lookup", TABLE)

    def end(self, node: str) -> None:
        """Removes the delay, if there is one."""
        if self._delays.pop(self._network.address(node), None) is not None:
            run("ip", "rule", "del", "pref", LATE, "to", self._network.address(node), "lookup", TABLE)

    def heal(self) -> None:
        """Ends all delays."""
        for address in list(self._delays):
            del self._delays[address]
            run("ip", "rule", "del", "pref", LATE, "to", address, "lookup", TABLE)

    def _take(self) -> None:
        while True:
            packet = os.read(self._file, 65536)
            if packet[0] >> 4 != 4:
                continue
            seconds = self._delays.get(".".join(str(byte) for byte in packet[16:20]), 0.0)
            with self._changed:
                heapq.heappush(self._packets, (time.monotonic() + seconds, next(self._count), packet))
                self._changed.notify()

    def _give_back(self) -> None:
        while True:
            with self._changed:
                while not self._packets or (rest := self._packets[0][0] - time.monotonic()) > 0:
                    self._changed.wait(rest if self._packets else None)
                packet = heapq.heappop(self._packets)[2]
            os.write(self._file, packet)
