"""A serial bus with three devices, on a pseudo-terminal: `bus.py LINK`. A request is `DEVICE WORD`, the answer `ok DEVICE WORD`, each a line.

Two requests at the same time collide, as on a real bus; the answer is then `collision`.
"""

import os
import pty
import select
import sys
import time
import tty

DEVICES = ["motors", "arm", "lidar"]
BUSY = 0.05
"""How long a device needs for an answer, in seconds."""


def main(link: str) -> None:
    main_end, device_end = pty.openpty()
    tty.setraw(device_end)
    # The link gets its name when it is complete: a program that sees it can open it.
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(os.ttyname(device_end), link + ".new")
    os.rename(link + ".new", link)
    pending = b""
    while True:
        pending += os.read(main_end, 4096)
        while b"\n" in pending:
            line, _, pending = pending.partition(b"\n")
            device, _, word = line.decode().partition(" ")
            time.sleep(BUSY)
            collides = bool(pending) or bool(select.select([main_end], [], [], 0)[0])
            known = device in DEVICES or device == "all"
            answer = "collision" if collides else f"ok {device} {word}" if known else f"unknown device {device}"
            os.write(main_end, answer.encode() + b"\n")


if __name__ == "__main__":
    main(sys.argv[1])
