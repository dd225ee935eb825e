"""The program that the initializers of a host run: `command.py once`, `serve` or `lead`. It uses few modules, so it starts quickly."""

import os
import signal
import socket
import sys
import time
import zlib


class Register:
    """The connection to the register. When the connection ends, the register knows that this process has ended, even if it was killed."""

    def __init__(self):
        self._stream = socket.socket(socket.AF_UNIX)
        self._stream.connect(os.environ["REGISTER"])
        self._answers = self._stream.makefile("r")

    def tell(self, kind, initializer, token):
        """Returns whether the register has accepted the message."""
        task = f"{os.environ['INITD_RELEASE']}/{initializer}"
        words = [kind, task, os.environ["HOST"], token, repr(time.monotonic())]
        self._stream.sendall((" ".join(words) + "\n").encode())
        return self._answers.readline() == "ok\n"


def once():
    """Works for a while, with signs of life. It may fail, or ignore SIGTERM; that depends on the seed and the token only."""
    name, token = os.environ["INITD_INITIALIZER"], os.environ["INITD_FENCE"]
    chance = zlib.crc32(f"{os.environ['SEED']} {token}".encode())
    if chance % 3 == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Longer than the lease, or not.
    is_long, part = chance // 3 % 5 < 3, chance // 15 % 1000 / 1000
    seconds = 3 + 4 * part if is_long else 0.2 + 1.3 * part
    register = Register()
    if not register.tell("start", name, token):
        sys.exit(3)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.02)
        if not register.tell("sign", name, token):
            sys.exit(3)
    if chance // 15000 % 6 == 0:
        register.tell("failed", name, token)
        sys.exit(4)
    if not register.tell("done", name, token):
        sys.exit(3)
    with open(os.environ["INITD_OUTPUT"], "w") as file:
        file.write(token)


def serve():
    """Tells which runs this host takes as done."""
    register = Register()
    for name in sys.argv[2:]:
        register.tell("ready", name, os.environ[f"INITD_INPUT_{name.upper()}"])


def lead():
    """Gives signs of life for as long as this host is active."""
    register = Register()
    while register.tell("work", "lead", "0"):
        time.sleep(0.02)


{"once": once, "serve": serve, "lead": lead}[sys.argv[1]]()
