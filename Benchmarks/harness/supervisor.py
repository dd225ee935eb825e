"""The programs that are measured, and a client of the supervisor."""

import contextlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INITD = os.environ.get("INITD", str(ROOT / ".build/release/initd"))
INITCTL = os.environ.get("INITCTL", str(ROOT / ".build/release/initctl"))
# Starts a program with a socket, as systemd does: valgrind doesn't support the clone with which initd creates its own.
WITH_SOCKET = """
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(4096)
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
"""


def connect(path):
    """A connected socket, as soon as a server listens at the path."""
    deadline = time.monotonic() + 10
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.001)


class Peer:
    """A connection that has sent `hello`."""

    def __init__(self, path):
        self.socket = connect(path)
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
    """Starts a supervisor with its own socket in a directory, which ends with the `with` block."""

    def __init__(self, directory, *arguments, program=INITD):
        self.path = str(pathlib.Path(directory) / "initd.sock")
        self.process = subprocess.Popen([program, "--socket", self.path, "--log-level", "error", *arguments])

    def __enter__(self):
        self.peer = Peer(self.path)
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, EOFError):
            self.peer.request("shutdown")
        self.process.wait()

    def active_pass(self):
        """Runs the initializers of the active phase. Returns the seconds from the request to the answer that they are complete."""
        start = time.perf_counter()
        number = self.peer.request("activate")["pass"]
        state = self.peer.request("wait", **{"pass": number})
        took = time.perf_counter() - start
        assert state["state"] == "complete", state
        return took


def whole_process(program, *arguments, statuses=(0,)):
    """The duration of a program from start to end, in seconds. It must end with one of these statuses."""
    start = time.perf_counter()
    pid = os.posix_spawn(
        program, [program, *arguments], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    took = time.perf_counter() - start
    assert status in statuses, f"{arguments} ended with {status}"
    return took
