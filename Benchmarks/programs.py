"""The programs that are measured, and a client of the supervisor."""

import json
import os
import pathlib
import socket
import struct
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
INITD = os.environ.get("INITD", str(ROOT / ".build/release/initd"))
INITCTL = os.environ.get("INITCTL", str(ROOT / ".build/release/initctl"))


class Peer:
    def __init__(self, path):
        deadline = time.monotonic() + 10
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                break
            except OSError:
                self.socket.close()
                if time.monotonic() > deadline:
                    raise
        self.buffer = b""
        self.request("hello", protocol=1, client={"name": "bench", "version": "1"})

    def send(self, message):
        text = json.dumps(message).encode()
        self.socket.sendall(struct.pack(">I", len(text)) + text)

    def receive(self):
        while True:
            if len(self.buffer) >= 4:
                (length,) = struct.unpack(">I", self.buffer[:4])
                if len(self.buffer) >= 4 + length:
                    text, self.buffer = self.buffer[4 : 4 + length], self.buffer[4 + length :]
                    return json.loads(text)
            data = self.socket.recv(65536)
            if not data:
                raise EOFError("the supervisor closed the connection")
            self.buffer += data

    def request(self, method, **params):
        self.send({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        while True:
            answer = self.receive()
            if answer.get("id") == method:
                return answer["result"]


class Supervisor:
    def __init__(self, directory, *arguments):
        self.path = str(pathlib.Path(directory) / "initd.sock")
        self.process = subprocess.Popen([INITD, "--socket", self.path, "--log-level", "error", *arguments])

    def __enter__(self):
        self.peer = Peer(self.path)
        return self

    def __exit__(self, *_):
        self.peer.request("shutdown")
        self.process.wait()


def whole_process(program, *arguments, statuses=(0,)):
    """The duration of a program from start to end, in seconds. It must end with one of these statuses."""
    start = time.perf_counter()
    pid = os.posix_spawn(
        program, [program, *arguments], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    took = time.perf_counter() - start
    assert status in statuses, f"{arguments} ended with {status}"
    return took
