"""initweb: clients that keep connections, and the rules of HTTP for a connection."""

import contextlib
import http.client
import json
import re
import socket
import time
import unittest

from deadlines import until
from web import INITWEB, Web

UNFINISHED = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"


class Connections(Web):
    def connected(self, sent=b"", buffer=None, port=None):
        """A connection that has sent that."""
        stream = socket.socket()
        self.addCleanup(stream.close)
        if buffer:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        stream.settimeout(10)
        stream.connect(("127.0.0.1", port or self.port))
        stream.sendall(sent)
        return stream

    def is_open(self, stream):
        """Returns whether the other side has the connection open: its output may still have to be read."""
        sides = f":{self.port:04X}", f":{stream.getsockname()[1]:04X}"
        with open("/proc/net/tcp") as table:
            rows = [row.split() for row in table]
        return any(row[1].endswith(sides[0]) and row[2].endswith(sides[1]) and row[3] in ("01", "08") for row in rows)

    def answer(self, sent, port=None):
        """Everything that a client gets that keeps its side open, until the server closes the connection."""
        with self.connected(sent, port=port).makefile("rb") as source:
            return source.read().decode()

    def served(self, *options, initializers=""):
        """A supervisor, and an initweb with these options."""
        supervisor = self.start(self.manifest(initializers))
        self.web = self.serve(supervisor.path, *options)
        self.until_reason("startupz", None)
        return supervisor


class CrowdTests(Connections):
    def test_probes_are_answered_beside_any_number_of_unfinished_requests(self):
        self.served("--connections", "32")
        for sent in (b"", UNFINISHED):
            crowd = [self.connected(sent) for _ in range(100)]
            for name in ("livez", "startupz") * 5:
                self.assertEqual(self.probe(name)[0], 200)
            self.assertLess(sum(map(self.is_open, crowd)), 100)

    def test_probes_are_answered_beside_idle_connections_that_have_asked_before(self):
        self.served("--connections", "32")
        crowd = []
        for _ in range(100):
            crowd.append(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10))
            self.addCleanup(crowd[-1].close)
            crowd[-1].request("GET", "/livez")
            self.assertEqual(crowd[-1].getresponse().read()[-1:], b"\n")
        self.assertEqual(self.probe("livez")[0], 200)
        # The place of the first one was taken, not that of the last one.
        crowd[-1].request("GET", "/livez")
        self.assertEqual(crowd[-1].getresponse().status, 200)

    def test_a_reader_that_is_refused_is_disconnected_with_the_answer(self):
        self.served("--connections", "24")
        ask = b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
        readers = [self.connected(ask) for _ in range(16)]
        self.assertEqual({each.recv(12) for each in readers}, {b"HTTP/1.1 200"})
        for _ in range(40):
            refused = self.answer(ask)
            self.assertRegex(refused, r"^HTTP/1\.1 503 ")
            self.assertRegex(refused, r"(?i)\r\nConnection: close\r\n")
            self.assertIn("16 clients read events already", refused)
        crowd = [self.connected(ask) for _ in range(100)]
        # While so many arrive at once, any of them may lose its place to another one before its answer; then they are gone.
        until(lambda: not any(map(self.is_open, crowd)), "the end of the refused ones")
        self.assertEqual(self.probe("livez")[0], 200)
        # Those who read events have kept their places.
        self.assertEqual({self.is_open(each) for each in readers}, {True})

    def test_the_memory_of_readers_that_have_left_is_given_back(self):
        self.served()

        def resident():
            with open(f"/proc/{self.web.pid}/status") as file:
                return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

        self.probe("readyz")
        before = resident()
        readers = [self.connected(b"GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(600)]
        for each in readers:
            self.assertTrue(each.recv(4096))
        self.until_sample("initweb_event_readers", 600)
        taken = resident() - before
        for each in readers:
            each.close()
        self.until_sample("initweb_event_readers", 0)
        until(lambda: resident() - before < taken / 2, "half of the memory")

    def test_clients_that_send_or_read_slowly_are_closed(self):
        """Each connection would keep its place indefinitely. A whole request may take 5 s, the next piece of an answer 30 s."""
        self.served(initializers="".join(f"i{number}: {{ command: 'true' }}\n" for number in range(50)))
        head = self.connected(UNFINISHED)
        body = self.connected(b"POST /livez HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
        idle = self.connected()
        second = self.connected(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual(second.recv(12), b"HTTP/1.1 200")
        second.sendall(UNFINISHED)
        # More than the buffers of both sides take.
        answers = self.connected(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n" * 300, buffer=4096)
        sending = {"head": (head, b"X", 4), "body": (body, b"x", 4), "idle": (idle, b"", 4), "second": (second, b"X", 4), "answers": (answers, None, 20)}
        began = time.monotonic()

        def closed(stream, byte):
            """Returns whether initweb has closed the connection. It sends, or reads, a byte each time."""
            with contextlib.suppress(OSError):
                if byte:
                    stream.sendall(byte)
                else:
                    stream.recv(1, socket.MSG_DONTWAIT)
            return not self.is_open(stream)

        while sending:
            for name in [name for name, (stream, byte, _) in sending.items() if closed(stream, byte)]:
                self.assertGreater(time.monotonic() - began, sending[name][2], name)
                del sending[name]
            self.assertLess(time.monotonic() - began, 90, sending)
            if time.monotonic() - began > 25:
                self.assertEqual(set(sending) - {"answers"}, set())
            self.assertEqual(self.probe("livez")[0], 200)
            time.sleep(0.5)


class ProbeAddressTests(Connections):
    def test_probes_have_an_address_of_their_own(self):
        self.served("--connections", "16", "--probe-listen", "127.0.0.1:0")
        self.web.until_err("answering probes at 127.0.0.1:")
        port = int(re.search(rb"answering probes at 127\.0\.0\.1:(\d+)", self.web.err)[1])
        for path, status in (("/livez", 200), ("/startupz", 200), ("/readyz", 200), ("/metrics", 200), ("/", 404), ("/api/v1/status", 404), ("/history", 404)):
            answer = self.answer(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode(), port)
            self.assertRegex(answer, rf"^HTTP/1\.1 {status} ", path)
        self.assertIn("initd_up 1", self.answer(b"GET /metrics HTTP/1.0\r\n\r\n", port))
        # They are also answered at the first address.
        self.assertEqual(self.probe("livez")[0], 200)

    def test_an_address_of_probes_that_is_in_use_is_named(self):
        supervisor = self.served()
        ended = self.program([INITWEB, "--socket", supervisor.path, "--listen", "127.0.0.1:0", "--probe-listen", f"127.0.0.1:{self.port}"]).finish()
        self.assertEqual(ended.status, 1)
        self.assertIn(f"cannot listen at 127.0.0.1:0 or 127.0.0.1:{self.port}", ended.err)


class RuleTests(Connections):
    def test_after_an_answer_in_http_1_0_the_connection_is_closed(self):
        self.served()
        for more in ("", "Connection: keep-alive\r\n", "Connection: Keep-Alive\r\nHost: localhost\r\n"):
            answer = self.answer(f"GET /livez HTTP/1.0\r\n{more}\r\n".encode())
            self.assertRegex(answer, r"^HTTP/1\.[01] 200 ")
            self.assertEqual(json.loads(answer.partition("\r\n\r\n")[2])["passes"], True)
            self.assertRegex(answer, r"(?i)\r\nConnection: close\r\n")
        for word in ("close", "Close", "TE, close"):
            answer = self.answer(f"GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: {word}\r\n\r\n".encode())
            self.assertRegex(answer, r"^HTTP/1\.1 200 ")

    def test_a_client_in_http_1_0_gets_no_chunks(self):
        self.served()
        with self.connected(b"GET /api/v1/events HTTP/1.0\r\n\r\n").makefile("rb") as source:
            head = list(iter(source.readline, b"\r\n"))
            self.assertNotIn("transfer-encoding", b"".join(head).decode().lower())
            self.assertEqual(source.readline(), b"retry: 1000\n")

    def test_a_request_names_one_host(self):
        self.served()
        cases = [("", 400), ("Host: localhost\r\nHost: localhost\r\n", 400), ("Host: a\r\nHost: localhost\r\n", 400), ("Host: a b\r\n", 400),
                 ("Host: localhost/x\r\n", 400), ("Host: localhost\r\n", 200), ("hOsT: 127.0.0.1:80\r\n", 200)]
        for hosts, status in cases:
            for path in ("/livez", "/", "/api/v1/status"):
                answer = self.answer(f"GET {path} HTTP/1.1\r\nConnection: close\r\n{hosts}\r\n".encode())
                self.assertRegex(answer, rf"^HTTP/1\.1 {status} ", (hosts, path))
                if status == 400 and path.startswith("/api/"):
                    self.assertEqual(json.loads(answer.partition("\r\n\r\n")[2])["error"]["code"], "badRequest")
        # In HTTP/1.0 a request needn't name a host, but not two.
        self.assertRegex(self.answer(b"GET /livez HTTP/1.0\r\n\r\n"), r"^HTTP/1\.[01] 200 ")
        self.assertRegex(self.answer(b"GET /livez HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), r"^HTTP/1\.[01] 400 ")

    def test_requests_that_are_sent_at_once_are_answered_in_order(self):
        self.served()
        paths = ["/livez", "/absent", "/readyz", "/livez"]
        sent = "".join(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n" for path in paths)
        last = "GET /startupz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answer = self.answer((sent + last + sent).encode())
        self.assertEqual(re.findall(r"HTTP/1\.1 (\d+) ", answer), ["200", "404", "200", "200", "200"])

    def test_every_error_of_the_api_is_json(self):
        self.served()
        for method, path, status in (("GET", "/api", 404), ("GET", "/api/", 404), ("GET", "/api/v1/x", 404), ("GET", "/api/v2/status", 404),
                                     ("GET", "/api/v1/why/%ff", 404), ("POST", "/api/v1/status", 405), ("PUT", "/api/v1/x", 405), ("GET", "/api/v1/history", 404)):
            answer = self.answer(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
            head, _, body = answer.partition("\r\n\r\n")
            self.assertRegex(head, rf"^HTTP/1\.1 {status} ", path)
            self.assertRegex(head, r"(?i)\r\nContent-Type: application/json\r\n", path)
            self.assertEqual(set(json.loads(body)["error"]), {"code", "message"})


if __name__ == "__main__":
    unittest.main()
