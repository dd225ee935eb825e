"""Reports a command's progress to its supervisor, as with sd_notify: in a datagram to NOTIFY_SOCKET."""

from __future__ import annotations

import os
import socket


def report(fraction: float, message: str) -> None:
    """Reports a fraction from 0 to 1 and a message; has no effect without NOTIFY_SOCKET."""
    path = os.environ.get("NOTIFY_SOCKET")
    if path is None:
        return
    address = "\0" + path[1:] if path.startswith("@") else path
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as peer:
        peer.sendto(f"X_INITD_PROGRESS={fraction:.3f}\nSTATUS={message}\n".encode(), address)
