"""HTTP/1.1 with asyncio: connections that are kept, and answers that are read as they come."""

import asyncio
import json

PATIENCE = 3
"""How many seconds the agent waits for an answer."""


class Unreachable(Exception):
    """No answer came: the connection failed, or the time was up. The request may have been executed."""


class Refused(Exception):
    """etcd answered with an error."""


def request(path, body):
    """The bytes that libcurl sends for the agent. Without a body, a GET."""
    if body is None:
        return f"GET {path} HTTP/1.1\r\nHost: etcd\r\nAccept: */*\r\n\r\n".encode()
    text = json.dumps(body, separators=(",", ":")).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: etcd\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n\r\n"
    return head.encode() + text


class Connection(asyncio.Protocol):
    """One connection with one exchange at a time.

    `on_part` gets each part of an answer's body, `on_end` its status at the end, or None if the connection is lost before that.
    """

    def __init__(self):
        self.transport = None
        self.on_part = self.on_end = None
        self.buffer = b""
        self.status = None
        self.left = 0
        """How many bytes of the body or of its current chunk are still to come, with the chunk's line end."""
        self.is_chunked = False

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, _):
        self._end(None)

    def begin(self, data, on_part, on_end):
        """Sends a request."""
        self.on_part, self.on_end = on_part, on_end
        self.transport.write(data)

    def close(self):
        """Nothing is called any more."""
        self.on_part = self.on_end = None
        if self.transport:
            self.transport.abort()

    def _end(self, status):
        on_end, self.on_part, self.on_end, self.status = self.on_end, None, None, None
        if on_end:
            on_end(status)

    def data_received(self, data):
        self.buffer += data
        while self.on_end and self.buffer and self._step():
            pass

    def _step(self):
        """Takes one part off the buffer. False if that has not come yet."""
        if self.status is None:
            return self._head()
        if not self.left:
            return self._chunk()
        # The line end after a chunk comes with it, so that a part is the whole rest of a chunk.
        if len(self.buffer) < self.left:
            return False
        part, self.buffer = self.buffer[: self.left], self.buffer[self.left :]
        self.left = 0
        self.on_part(part[:-2] if self.is_chunked else part)
        if not self.is_chunked:
            self._end(self.status)
        return True

    def _head(self):
        head, found, rest = self.buffer.partition(b"\r\n\r\n")
        if not found:
            return False
        self.buffer = rest
        lines = head.lower().split(b"\r\n")
        self.status = int(lines[0].split(None, 2)[1])
        fields = dict(line.split(b": ", 1) for line in lines[1:])
        self.is_chunked = fields.get(b"transfer-encoding") == b"chunked"
        self.left = 0 if self.is_chunked else int(fields.get(b"content-length", 0))
        if not self.is_chunked and not self.left:
            self._end(self.status)
        return True

    def _chunk(self):
        line, found, rest = self.buffer.partition(b"\r\n")
        if not found:
            return False
        size = int(line.split(b";")[0], 16)
        if size:
            self.buffer, self.left = rest, size + 2
            return True
        # The last chunk. A trailer of the gateway's streams follows it, and ends with an empty line.
        end = b"\r\n" if rest.startswith(b"\r\n") else b"\r\n\r\n"
        _, found, after = rest.partition(end)
        if not found:
            return False
        self.buffer = after
        self._end(self.status)
        return True


class Client:
    """The connections of one host. As libcurl does, it takes one that is idle, or opens another."""

    def __init__(self, port, address, opened):
        self.port, self.address, self.opened = port, address, opened
        self.idle = []

    async def connect(self):
        """A new connection, from the host's own address: one address has too few ports for thousands of hosts."""
        self.opened()
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(PATIENCE):
                _, connection = await loop.create_connection(Connection, "127.0.0.1", self.port, local_addr=(self.address, 0))
        except (OSError, TimeoutError) as error:
            raise Unreachable(str(error)) from None
        return connection

    async def exchange(self, path, body=None):
        """The whole answer. Raises `Unreachable` or `Refused`."""
        loop = asyncio.get_running_loop()
        connection = self.idle.pop() if self.idle else await self.connect()
        answer, parts = loop.create_future(), []
        deadline = loop.call_later(PATIENCE, lambda: answer.done() or answer.set_result(None))
        try:
            connection.begin(request(path, body), parts.append, lambda status: answer.done() or answer.set_result(status))
            status = await answer
        finally:
            deadline.cancel()
            if not answer.done() or answer.cancelled() or answer.result() is None:
                connection.close()
            else:
                self.idle.append(connection)
        text = b"".join(parts)
        if status is None:
            raise Unreachable("no answer")
        if status != 200:
            # 14: unavailable, e.g. without a leader; 4: its own timeout.
            code = json.loads(text).get("code") if text.startswith(b"{") else 14
            raise (Unreachable if code in (4, 14) else Refused)(text.decode())
        return text


class Watch:
    """A stream of changes on a connection of its own. `on_events` gets a list, and `on_end` is called when the connection is lost."""

    def __init__(self, on_events, on_end):
        self.on_events, self.on_end = on_events, on_end
        self.line = b""
        self.is_created = asyncio.get_running_loop().create_future()

    async def open(self, client, body):
        self.connection = await client.connect()
        self.connection.begin(request("/v3/watch", body), self._take, lambda _: self.on_end())
        async with asyncio.timeout(PATIENCE * 10):
            await self.is_created

    def _take(self, part):
        *lines, self.line = (self.line + part).split(b"\n")
        for line in lines:
            result = json.loads(line)["result"]
            if result.get("created") and not self.is_created.done():
                self.is_created.set_result(None)
            if events := result.get("events"):
                self.on_events(events)
