"""A supervisor of the test: it plays one side of a conversation.

A transcript is a file of lines:

    subject {"initializers":[…]}      the argument of the subject; the first line
    > {"method":"hello"}              a message that must come: an object with at least these members
    < {"id":"run-1","method":"run"}   a message that is sent
    <{3} {…}                          the same, in parts of 3 bytes
    <+ {…}                            the same, in one write with the next one
    <# 00 00 00 00                    bytes that are sent
    begin                             hello and register are answered
    subscribed                        the same, until subscribe
    registered                        register is answered, on this connection or on the next one
    large 3145728                     an event with a text of that many bytes is sent
    = run a 1 1                       a line that the subject must print
    end                               the connection is closed
    ended                             the subject must close the connection
    again                             the subject must connect again

A string like "$id" is a placeholder for a value: the value at its first use. `…` in the last string of a message matches any text.
"""

from __future__ import annotations

import json
import os
import re
import socket
import struct
import time
from typing import Any, Optional

from deadlines import DEADLINE, shortened
from fake import HELLO, STATUS
from peer import frame

ABSENT = object()


class Talk:
    """One connection of a client."""

    def __init__(self, stream: socket.socket, values: dict[str, Any]) -> None:
        self.stream = stream
        stream.settimeout(DEADLINE)
        self._values = values
        self.last_length = 0
        """The bytes of the last message that came."""
        self._buffer = b""
        self._held = b""

    def close(self) -> None:
        self.stream.close()

    def begin(self, last: str = "register") -> None:
        """Answers hello, register and subscribe, until the last of them."""
        assert self.begin_or_none(last), f"the client has closed the connection before it sent {last}"

    def begin_or_none(self, last: str = "register") -> Optional[dict[str, Any]]:
        """The same; None if the client closes the connection before."""
        while (request := self.next()) is not None:
            method = str(request["method"])
            status = STATUS | {"instance": "one"}
            result: Any = {"hello": HELLO, "register": {"registered": []}, "subscribe": {"snapshot": status}}.get(method, {})
            self.send({"id": request["id"], "result": result})
            if method == last:
                break
        return request

    def send(self, message: dict[str, Any], part: int = 0, is_last: bool = True) -> None:
        """Sends a message, in parts of so many bytes."""
        self._held += frame(json.dumps({"jsonrpc": "2.0"} | self._filled(message), separators=(",", ":"), ensure_ascii=False).encode())
        if not is_last:
            return
        data, self._held = self._held, b""
        self.send_bytes(data, part)

    def send_bytes(self, data: bytes, part: int = 0) -> None:
        step = part or len(data)
        for start in range(0, len(data), step):
            self.stream.sendall(data[start : start + step])
            if part:
                time.sleep(0.0005)  # The client then reads each part alone. The result is the same without this pause.

    def receive(self) -> dict[str, Any]:
        """The next message."""
        message = self.next()
        assert message is not None, "the client has closed the connection"
        return message

    def next(self) -> Optional[dict[str, Any]]:
        """The next message, or None at the end."""
        header = self._bytes(4)
        if header is None:
            return None
        assert header[0] == 0, header
        payload = self._bytes(struct.unpack(">I", header)[0])
        assert payload is not None, "the end in the middle of a frame"
        self.last_length = len(payload)
        message = json.loads(payload)
        assert message.get("jsonrpc") == "2.0", message
        return message

    def expect(self, wanted: dict[str, Any]) -> dict[str, Any]:
        """The next message, which must have these members."""
        message = self.receive()
        why = self._differs(wanted, message)
        assert why is None, f"expected {shortened(wanted)}, got {shortened(message)}: {why}"
        return message

    def expect_end(self) -> None:
        """The client must close the connection; messages may come before."""
        while (message := self.next()) is not None:
            assert "method" in message, f"expected the end, got {shortened(message)}"

    def _bytes(self, count: int) -> Optional[bytes]:
        while len(self._buffer) < count:
            try:
                more = self.stream.recv(1 << 20)
            except TimeoutError:
                raise AssertionError(f"nothing came within {DEADLINE} s") from None
            except ConnectionResetError:
                more = b""
            if not more:
                return None
            self._buffer += more
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    def _filled(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._filled(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._filled(each) for each in value]
        return self._values.get(value, value) if isinstance(value, str) else value

    def _differs(self, wanted: Any, came: Any) -> Optional[str]:
        if isinstance(wanted, str) and wanted.startswith("$"):
            if self._values.setdefault(wanted, came) != came:
                return f"{wanted} is {self._values[wanted]!r}"
            return None
        if isinstance(wanted, str) and isinstance(came, str) and "…" in wanted:
            pattern = ".*".join(map(re.escape, wanted.split("…")))
            return None if re.fullmatch(pattern, came, re.DOTALL) else f"{came!r} isn't {wanted!r}"
        if isinstance(wanted, dict) and isinstance(came, dict):
            for name, each in wanted.items():
                if name not in came:
                    return f"{name} is missing"
                if why := self._differs(each, came[name]):
                    return f"{name}: {why}"
            return None
        if isinstance(wanted, list) and isinstance(came, list) and len(wanted) == len(came):
            return next(filter(None, map(self._differs, wanted, came)), None)
        return None if wanted == came and isinstance(wanted, bool) == isinstance(came, bool) else f"{came!r} isn't {wanted!r}"


class Server:
    """Listens for clients."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._values: dict[str, Any] = {}
        self._talks: list[Talk] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.settimeout(DEADLINE)
        self._listener.bind(path)
        self._listener.listen()

    def accept(self) -> Talk:
        """The next connection."""
        try:
            stream, _ = self._listener.accept()
        except TimeoutError:
            raise AssertionError(f"no connection within {DEADLINE} s") from None
        self._talks.append(Talk(stream, self._values))
        return self._talks[-1]

    def close(self) -> None:
        self._listener.close()
        for talk in self._talks:
            talk.close()


def play(test: Any, path: str) -> None:
    """Plays a transcript against a subject."""
    with open(path, encoding="utf-8") as file:
        lines = [(number, line.rstrip("\n")) for number, line in enumerate(file, 1) if line.strip() and not line.startswith("#")]
    assert lines[0][1].startswith("subject "), path
    server = Server(os.path.join(test.directory(), "initd.sock"))
    test.addCleanup(server.close)
    subject = test.subject(server.path, **json.loads(lines[0][1][8:]))
    talk = server.accept()
    for number, line in lines[1:]:
        try:
            talk = _step(server, subject, talk, line)
        except AssertionError as error:
            raise AssertionError(f"{os.path.basename(path)}:{number}: {line[:200]}\n{error}") from None
    subject.program.signal(15)
    talk.close()
    server.close()
    test.assertEqual(subject.program.wait(), 0)


def _step(server: Server, subject: Any, talk: Talk, line: str) -> Talk:
    word, _, rest = line.partition(" ")
    if word == ">":
        talk.expect(json.loads(rest))
    elif word in ("<", "<+"):
        talk.send(json.loads(rest), is_last=word == "<")
    elif word.startswith("<{"):
        talk.send(json.loads(rest), part=int(word[2:-1]))
    elif word == "<#":
        talk.send_bytes(bytes.fromhex(rest))
    elif word == "begin":
        talk.begin()
    elif word == "registered":
        while talk.begin_or_none() is None:
            talk.close()
            talk = server.accept()
    elif word == "subscribed":
        talk.begin("subscribe")
    elif word == "large":
        talk.send({"method": "event", "params": {"topic": "large", "text": "x" * int(rest)}})
    elif word == "=":
        subject.take(*rest.split())
    elif word == "end":
        talk.close()
    elif word == "ended":
        talk.expect_end()
    elif word == "again":
        talk.close()
        return server.accept()
    else:
        raise AssertionError("no such line in a transcript")
    return talk
