"""A collector of OpenTelemetry's traces (OTLP over HTTP), which decodes the protobuf that it is sent, and answers as the test wants."""

from __future__ import annotations

import http.server
import ssl
import struct
import threading
from typing import Any, Callable, Iterator, Optional

Fields = dict[int, list[Any]]
Answer = tuple[int, dict[str, str], bytes]
"""A status, headers, and a body."""


def _varint(data: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[place]
        number |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return number, place


def fields(data: bytes) -> Fields:
    """The fields of a message in protobuf's wire format, by number: integers, or bytes."""
    found: Fields = {}
    place = 0
    while place < len(data):
        tag, place = _varint(data, place)
        kind = tag & 7
        value: Any
        if kind == 0:
            value, place = _varint(data, place)
        elif kind == 1:
            value, place = data[place : place + 8], place + 8
        elif kind == 2:
            size, place = _varint(data, place)
            value, place = data[place : place + size], place + size
        elif kind == 5:
            value, place = data[place : place + 4], place + 4
        else:
            raise ValueError(f"wire type {kind}")
        if place > len(data):
            raise ValueError("the message ends within a field")
        found.setdefault(tag >> 3, []).append(value)
    return found


def varint(number: int) -> bytes:
    """A number in protobuf's wire format."""
    coded = b""
    while number > 0x7F:
        coded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return coded + bytes([number])


def partial_success(refused: int, reason: str) -> bytes:
    """The body of an answer that refuses spans."""
    part = b"\x08" + varint(refused) + b"\x12" + varint(len(reason)) + reason.encode()
    return b"\x0a" + varint(len(part)) + part


def error_body(reason: str) -> bytes:
    """The body of an answer with an error's status: google.rpc.Status."""
    return b"\x12" + varint(len(reason)) + reason.encode()


def _value(data: bytes) -> Any:
    found = fields(data)
    if 1 in found:
        return found[1][0].decode()
    if 3 in found:
        return found[3][0]
    if 4 in found:
        return struct.unpack("<d", found[4][0])[0]
    raise ValueError(f"an attribute's value of an unknown kind: {found}")


def _attributes(list_: list[bytes]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in list_:
        pair = fields(each)
        name = pair[1][0].decode()
        assert name not in found, f"the attribute {name} twice"
        found[name] = _value(pair[2][0])
    return found


class Span:
    """A span that was received."""

    def __init__(self, data: bytes, resource: dict[str, Any], scope: str) -> None:
        found = fields(data)
        self.resource, self.scope = resource, scope
        self.trace: str = found[1][0].hex()
        self.id: str = found[2][0].hex()
        assert (len(self.trace), len(self.id)) == (32, 16)
        self.parent: Optional[str] = found[4][0].hex() if 4 in found else None
        self.name: str = found[5][0].decode()
        self.kind: int = found[6][0]
        self.start, self.end = (struct.unpack("<Q", found[number][0])[0] for number in (7, 8))
        self.attributes = _attributes(found.get(9, []))
        self.events = {event[2][0].decode(): struct.unpack("<Q", event[1][0])[0] for event in map(fields, found.get(11, []))}
        self.links = [(link[1][0].hex(), link[2][0].hex()) for link in map(fields, found.get(13, []))]
        self.flags: int = struct.unpack("<I", found[16][0])[0]
        status = fields(found[15][0]) if 15 in found else {}
        self.code: int = status.get(3, [0])[0]
        self.message: str = status.get(2, [b""])[0].decode()

    def __repr__(self) -> str:
        return f"<{self.name} {self.trace} {self.id} of {self.parent} {self.attributes} {self.code} {self.message!r}>"


def spans_of(body: bytes) -> Iterator[Span]:
    """The spans of a request."""
    for resource_spans in map(fields, fields(body).get(1, [])):
        resource = _attributes(fields(resource_spans[1][0]).get(1, []))
        for scope_spans in map(fields, resource_spans.get(2, [])):
            scope = fields(scope_spans[1][0])[1][0].decode()
            for span in scope_spans.get(2, []):
                yield Span(span, resource, scope)


class Collector:
    """Listens at a port of this machine. `answer` gets a request's spans and returns the answer; by default it takes them.

    With a certificate and its key, as paths, it speaks HTTPS.
    """

    def __init__(
        self, answer: Optional[Callable[[list[Span]], Answer]] = None, port: int = 0, certificate: Optional[tuple[str, str]] = None
    ) -> None:
        self.answer = answer or (lambda spans: (200, {}, b""))
        self.requests: list[list[Span]] = []
        """Returns the spans of each request, including those that weren't accepted."""
        self.taken: list[Span] = []
        """The spans of requests with status 200."""
        self.faults: list[str] = []
        self.headers: list[dict[str, str]] = []
        collector = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, headers, text = collector._handle(self.path, dict(self.headers), body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # The client has gone.

        self._server = Server(("127.0.0.1", port), Handler)
        self.port: int = self._server.server_address[1]
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            # The handshake is the handler's, so it doesn't stop other connections from being accepted.
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def _handle(self, path: str, headers: dict[str, str], body: bytes) -> Answer:
        headers = {name.lower(): value for name, value in headers.items()}
        try:
            assert path == "/v1/traces", path
            assert headers["content-type"] == "application/x-protobuf", headers
            spans = list(spans_of(body))
            assert spans, "a request without spans"
        except Exception as fault:
            self.faults.append(repr(fault))
            return 400, {}, error_body(repr(fault))
        self.headers.append(headers)
        self.requests.append(spans)
        answer = self.answer(spans)
        if answer[0] == 200:
            self.taken += spans
        return answer

    def close(self) -> None:
        """Stops listening. Raises the first fault of a request."""
        self._server.shutdown()
        self._server.server_close()
        if self.faults:
            raise AssertionError(self.faults[0])
