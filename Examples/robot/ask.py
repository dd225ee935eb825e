"""Asks a device of the bus: `ask.py BUS DEVICE WORD`. The exit status is 0 if the answer is ok."""

import os
import sys
import time


def ask(bus: str, device: str, word: str) -> str:
    terminal = os.open(bus, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(terminal, f"{device} {word}\n".encode())
        answer = b""
        while not answer.endswith(b"\n"):
            answer += os.read(terminal, 4096)
            time.sleep(0)
        return answer.decode().strip()
    finally:
        os.close(terminal)


if __name__ == "__main__":
    found = ask(*sys.argv[1:])
    print(found)
    sys.exit(0 if found.startswith("ok ") else 1)
