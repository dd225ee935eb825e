"""manifest.md, waiting for the world (S31): `waitFor`, from outside."""

import contextlib
import os
import re
import socket
import struct
import subprocess
import threading
import time
import unittest

from supervisor import Conformance


def bound(host="127.0.0.1"):
    """A socket with a port of its own on which no process listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    stream = socket.socket(family, socket.SOCK_STREAM)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    stream.bind((host, 0))
    return stream


class WaitCase(Conformance):
    def port(self, host="127.0.0.1"):
        """A bound socket, which is closed with the test, and its port."""
        stream = bound(host)
        self.addCleanup(stream.close)
        return stream, stream.getsockname()[1]

    def message(self, supervisor, name, pattern):
        """Waits until the progress message of an initializer matches."""
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["initializer"])
        found = peer.initializer(name).get("progress", {}).get("message", "")
        while not re.search(pattern, found):
            event = peer.take(
                lambda each: each.get("method") == "event" and each["params"].get("initializer", {}).get("name") == name, f"a message of {name}"
            )
            found = event["params"]["initializer"].get("progress", {}).get("message", "")
        return found


class ReloadTests(WaitCase):
    """S27: a reload corrects a target while it is waited for."""

    def start_wrong(self, more=""):
        """A supervisor that waits for a port at which nothing listens; its port; and one at which something does."""
        (_, wrong), (stream, right) = self.port(), self.port()
        stream.listen()
        text = f'db: {{ waitFor: {{ tcp: "127.0.0.1:{wrong}", every: 20ms }}{more} }}\nafter: {{ command: echo after >> ran, dependencies: [db] }}\n'
        supervisor = self.start_with(text)
        self.message(supervisor, "db", "refused")
        return supervisor, text, wrong, right

    def reload(self, supervisor, text):
        self.write(supervisor.manifest, self.manifest(text))
        return self.assertStatus(supervisor.ctl("reload"), 0).out

    def test_S27_S31_it_goes_on_with_the_new_target_and_is_not_due_again(self):
        supervisor, text, wrong, right = self.start_wrong()
        peer = supervisor.peer()
        run = peer.initializer("db")["run"]
        self.assertEqual(self.reload(supervisor, text.replace(str(wrong), str(right))), "~ db (waitFor)\n= 1 unchanged\n")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        status = peer.status()
        self.assertEqual((status["initializers"][0]["run"], status["launch"]["pass"]), (run, 1))
        self.assertNotIn("stale", status["initializers"][1])
        self.assertEqual(supervisor.lines("ran"), ["after"])

    def test_S27_S31_its_failures_are_those_of_the_new_target(self):
        supervisor, text, wrong, right = self.start_wrong()
        absent = supervisor.file("absent")
        self.reload(supervisor, text.replace(f'tcp: "127.0.0.1:{wrong}"', f'path: "{absent}"'))
        self.message(supervisor, "db", "absent")
        self.write(absent, "")
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S27_what_else_of_its_work_has_changed_makes_it_due_again(self):
        supervisor, text, wrong, right = self.start_wrong()
        changed = text.replace(f'{wrong}", every: 20ms }}', f'{right}", every: 20ms }}, dependencies: [first]')
        self.assertIn("waitFor", self.reload(supervisor, changed + "first: { command: echo first >> ran }\n"))
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(peer.status()["launch"]["state"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["first", "after"], "it runs again after its new dependency, and after waits for that (S6)")


class TcpTests(WaitCase):
    def test_it_completes_once_the_port_accepts_a_connection(self):
        for host, written in (("127.0.0.1", "127.0.0.1"), ("127.0.0.1", "localhost"), ("::1", "[::1]"), ("::1", "localhost")):
            with self.subTest(host=host, written=written):
                stream, port = self.port(host)
                supervisor = self.start_with(
                    f"""
                    db: {{ waitFor: {{ tcp: "{written}:{port}", every: 20ms }} }}
                    after: {{ command: touch done, dependencies: [db] }}
                    """
                )
                self.assertEqual(self.message(supervisor, "db", "."), f"connection refused by {written}:{port}")
                shape = supervisor.peer().initializer("db")
                self.assertEqual((shape["provider"], shape["available"], shape["status"]), ("waitFor", True, "running"))
                self.assertEqual(shape["waitsFor"], f"{written}:{port}")
                self.assertNotIn("pid", shape)
                self.assertFalse(os.path.exists(supervisor.file("done")))
                stream.listen()
                supervisor.peer().until_initializer("after", "complete")
                self.assertNotIn("progress", {k: v for k, v in supervisor.peer().initializer("after").items()})

    def test_a_timeout_says_how_the_last_try_failed_and_how_many_there_were(self):
        _, port = self.port()
        supervisor = self.start_with(f'db: {{ waitFor: {{ tcp: "localhost:{port}", every: 50ms }}, timeout: 1s }}')
        shape = supervisor.peer().until_initializer("db", "failed")
        cause = shape["error"]["cause"]
        self.assertEqual((cause["kind"], cause["after"]), ("timeout", 1))
        tries = int(re.fullmatch(rf"connection refused by localhost:{port} \((\d+) tries\)", cause["message"])[1])
        self.assertLessEqual(tries, 21, "a pause between two tries")
        self.assertGreater(tries, 1)
        self.assertEqual(shape["error"]["message"], f"db failed: timed out after 1 s: {cause['message']}")
        self.assertIn(f"timed out after 1 s: {cause['message']}", supervisor.ctl("why").out)

    def test_tries_have_no_process_and_each_failure_is_told_once(self):
        _, port = self.port()
        supervisor = self.start_with(f'db: {{ waitFor: {{ tcp: "localhost:{port}", every: 5ms }}, timeout: 400ms }}')
        peer = supervisor.peer()
        peer.until_initializer("db", "failed")
        self.assertLess(peer.status()["seq"], 20, "not an event a try")

    def test_why_and_status_name_what_is_waited_for(self):
        _, port = self.port()
        supervisor = self.start_with(f'db: {{ waitFor: {{ tcp: "localhost:{port}" }} }}')
        self.message(supervisor, "db", "refused")
        words = f"waits for localhost:{port}, connection refused by localhost:{port}"
        self.assertIn(words, supervisor.ctl("why").out)
        self.assertIn(words, supervisor.ctl("status").out)

    def test_it_is_retried_cancelled_and_ended_like_any_other(self):
        stream, port = self.port()
        supervisor = self.start_with(
            f"""
            db: {{ waitFor: {{ tcp: "localhost:{port}", every: 20ms }}, timeout: 200ms, retry: {{ attempts: 2, delay: 10ms }} }}
            cache: {{ waitFor: {{ tcp: "localhost:{port}" }}, priority: appActive }}
            """
        )
        peer = supervisor.peer()
        self.assertEqual(peer.until_initializer("db", "failed")["attempt"], 2)
        stream.listen()
        peer.ok("launch")
        peer.until_initializer("db", "complete")
        stream.close()
        peer.ok("activate")
        peer.until_initializer("cache", "running")
        peer.ok("deactivate")
        peer.until_initializer("cache", "cancelled")
        peer.ok("activate")
        peer.until_initializer("cache", "running")
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)

    def test_a_name_that_no_file_knows_is_told(self):
        supervisor = self.start_with('db: { waitFor: { tcp: "no-such-host.invalid:5432" } }')
        self.assertRegex(self.message(supervisor, "db", "."), "^cannot look up no-such-host.invalid: ")


class Server:
    """Listens at a port of 127.0.0.1, and handles each connection as the test says."""

    def __init__(self, test, serve):
        self.listener = bound()
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        self.requests = []
        self._serve = serve
        self._open = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()
        test.addCleanup(self.close)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                stream, _ = self.listener.accept()
                self._open.append(stream)
                threading.Thread(target=self._talk, args=(stream,), daemon=True).start()

    def _talk(self, stream):
        with contextlib.suppress(OSError):
            self._serve(self, stream)

    def request(self, stream):
        """The head of the request."""
        head = b""
        while b"\r\n\r\n" not in head:
            if not (part := stream.recv(1000)):
                break
            head += part
        self.requests.append(head)
        return head

    def close(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for stream in self._open:
            stream.close()


def answering(*answers):
    """Answers requests with these bytes, one after another, and then always with the last."""

    def serve(server, stream):
        server.request(stream)
        stream.sendall(answers[min(len(server.requests), len(answers)) - 1])
        stream.close()

    return serve


class HttpTests(WaitCase):
    def waiting(self, server, rest="", path="/health"):
        url = f"http://127.0.0.1:{server.port}{path}"
        return url, self.start_with(f'a: {{ waitFor: {{ http: "{url}", every: 20ms{rest} }} }}')

    def test_it_completes_with_a_good_status(self):
        server = Server(self, answering(b"HTTP/1.1 503 No\r\n\r\n", b"HTTP/1.1 503 No\r\n\r\n", b"HTTP/1.1 204 Yes\r\n\r\n"))
        url, supervisor = self.waiting(server, path="/health?deep=1")
        shape = supervisor.peer().until_initializer("a", "complete")
        self.assertEqual(shape["progress"]["message"], f"{url} answered 503")
        self.assertEqual(len(server.requests), 3, "one try at a time, until it holds")
        head = server.requests[0].decode().split("\r\n")
        self.assertEqual(head[0], "GET /health?deep=1 HTTP/1.1")
        self.assertIn(f"Host: 127.0.0.1:{server.port}", head)

    def test_status_says_what_is_good(self):
        server = Server(self, answering(b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 401 No\r\n\r\n"))
        url, supervisor = self.waiting(server, ", status: [300-399, 401]")
        supervisor.peer().until_initializer("a", "complete")
        self.assertEqual(len(server.requests), 2)

    def test_each_wrong_answer_is_told(self):
        def silent(server, stream):
            server.request(stream)
            stream.recv(1)

        def slow(server, stream):
            server.request(stream)
            for byte in b"HTTP/1.1 20":
                stream.sendall(bytes([byte]))
                time.sleep(0.01)
            stream.recv(1)

        def endless(server, stream):
            server.request(stream)
            stream.sendall(b"HTTP/1.1 100 Continue\r\n")
            with contextlib.suppress(OSError):
                while True:
                    stream.sendall(b"X: " + b"y" * 1000 + b"\r\n")

        def resetting(server, stream):
            server.request(stream)
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.sendall(b"HTTP/1.1 2")
            # The reset is often there before the answer is read.
            stream.close()

        for what, serve, message in (
            ("a redirect", answering(b"HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n"), "URL answered 302, a redirect, which isn't followed"),
            ("rubbish", answering(b"SSH-2.0-OpenSSH_9.2\r\n"), "URL answered something that isn't HTTP"),
            ("zero bytes", answering(b"\0" * 100_000), "URL answered something that isn't HTTP"),
            ("no answer", answering(b""), "URL closed the connection without an answer"),
            ("half an answer", answering(b"HTTP/1.1 2"), "URL closed the connection without an answer"),
            ("a reset in the middle", resetting, "cannot connect to URL: Connection reset by peer"),
            ("silence", silent, "no answer from URL within 300 ms"),
            ("slow bytes", slow, "no answer from URL within 300 ms"),
            ("no end", endless, "URL answered something that isn't HTTP"),
        ):
            with self.subTest(what):
                server = Server(self, serve)
                url, supervisor = self.waiting(server, ", tryTimeout: 300ms")
                self.assertEqual(self.message(supervisor, "a", "."), message.replace("URL", url))
                self.assertEqual(supervisor.peer().initializer("a")["status"], "running")

    def test_slow_bytes_and_interim_answers_are_read(self):
        def serve(server, stream):
            server.request(stream)
            for byte in b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n":
                stream.sendall(bytes([byte]))
            stream.recv(1)

        server = Server(self, serve)
        _, supervisor = self.waiting(server)
        supervisor.peer().until_initializer("a", "complete")
        self.assertEqual(len(server.requests), 1)

    def test_a_try_that_waits_delays_nobody(self):
        def silent(server, stream):
            server.request(stream)
            stream.recv(1)

        server = Server(self, silent)
        _, supervisor = self.waiting(server, ", tryTimeout: 1h")
        peer = supervisor.peer()
        for _ in range(100):
            peer.ok("ping")
        peer.ok("shutdown")
        self.assertEqual(supervisor.ended(), 0)


class FileTests(WaitCase):
    def test_a_path_is_waited_for_relative_to_the_manifest(self):
        supervisor = self.start_with("a: { waitFor: { path: data/ready, every: 10ms } }")
        path = supervisor.file("data/ready")
        self.assertEqual(self.message(supervisor, "a", "."), f"{path} doesn't exist")
        os.mkdir(supervisor.file("data"))
        with open(path, "w"):
            pass
        shape = supervisor.peer().until_initializer("a", "complete")
        self.assertEqual(shape["waitsFor"], path)

    def test_a_link_to_nothing_is_no_file(self):
        directory = self.directory()
        os.symlink(os.path.join(directory, "nothing"), os.path.join(directory, "ready"))
        supervisor = self.start(self.manifest("a: { waitFor: { path: ready, every: 10ms } }"), directory=directory)
        self.assertRegex(self.message(supervisor, "a", "."), "doesn't exist$")

    def test_a_unix_socket_is_waited_for(self):
        supervisor = self.start_with("a: { waitFor: { unix: bus.sock, every: 10ms } }")
        path = supervisor.file("bus.sock")
        self.assertEqual(self.message(supervisor, "a", "."), f"{path} doesn't exist")
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.addCleanup(stream.close)
        stream.bind(path)
        self.assertEqual(self.message(supervisor, "a", "refused"), f"connection refused by {path}")
        stream.listen()
        supervisor.peer().until_initializer("a", "complete")

    def test_a_path_that_is_too_long_for_a_socket_is_told(self):
        directory = os.path.join(self.directory(), "x" * 60)
        os.mkdir(directory)
        with open(os.path.join(directory, "init.yaml"), "w") as file:
            file.write(self.manifest("a: { waitFor: { unix: " + "y" * 60 + ", every: 10ms } }"))
        supervisor = self.start(None, "--config", os.path.join(directory, "init.yaml"))
        self.assertRegex(self.message(supervisor, "a", "."), "^cannot connect to .*: File name too long$")


class NameServer:
    """Answers questions about names at a port, as the test says: with an address, with None for an unknown name, or not at all. The names of
    `truncated` are answered only over TCP."""

    def __init__(self, test, answers, port=0, truncated=()):
        self.answers = answers
        self.truncated = truncated
        self.asked = []
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", port))
        self.port = self.udp.getsockname()[1]
        self.tcp = socket.create_server(("127.0.0.1", self.port))
        for each, serve in ((self.udp, self._serve), (self.tcp, self._serve_tcp)):
            threading.Thread(target=serve, daemon=True).start()
            test.addCleanup(each.close)

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                question, client = self.udp.recvfrom(512)
                answer = self._answer(question, "udp")
                if answer:
                    self.udp.sendto(answer, client)

    def _serve_tcp(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.tcp.accept()
                with connection, connection.makefile("rwb") as stream:
                    while length := stream.read(2):
                        answer = self._answer(stream.read(int.from_bytes(length, "big")), "tcp")
                        stream.write(len(answer).to_bytes(2, "big") + answer)
                        stream.flush()

    def _answer(self, question, transport):
        name, place = [], 12
        while question[place]:
            name.append(question[place + 1 : place + 1 + question[place]].decode())
            place += 1 + question[place]
        name, kind = ".".join(name), question[place + 2]
        self.asked.append((name, kind, transport))
        if name not in self.answers:
            return b""
        address, records = self.answers[name], b""
        if address and (kind == 28) == (":" in address):
            data = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
            records = b"\xc0\x0c" + question[place + 1 : place + 5] + b"\0\0\0\1" + len(data).to_bytes(2, "big") + data
        flags = 0x81
        if name in self.truncated and transport == "udp":
            flags, records = 0x83, b""
        head = question[:2] + bytes([flags, 0x80 | (3 if address is None else 0), 0, 1, 0, bool(records), 0, 0, 0, 0])
        return head + question[12 : place + 5] + records


@unittest.skipUnless(os.geteuid() == 0, "another /etc/resolv.conf needs root")
class NameTests(WaitCase):
    """With a mount namespace for files of its own in /etc, and a network namespace for a name server at port 53."""

    def world(self, manifest, resolver, script):
        """Runs `initd` and a script in those namespaces, and returns the output of the script."""
        directory = self.directory()
        for name, text in (("resolv.conf", resolver), ("hosts", "127.0.0.1 localhost\n127.0.0.1 box-in-hosts\n"), ("script.py", script)):
            self.write(os.path.join(directory, name), text)
        self.write(os.path.join(directory, "init.yaml"), manifest)
        return directory

    def test_a_name_is_looked_up_in_hosts_and_by_the_name_servers(self):
        here = os.path.dirname(os.path.abspath(__file__))
        directory = self.world(
            self.manifest(
                """
                a: { waitFor: { tcp: "db:4000", every: 20ms } }
                b: { waitFor: { tcp: "box-in-hosts:4000", every: 20ms } }
                c: { waitFor: { http: "http://nowhere.example:4000/", every: 20ms, tryTimeout: 5s }, timeout: 1s }
                d: { waitFor: { tcp: "silent.example:4000", every: 20ms, tryTimeout: 300ms }, timeout: 1s }
                e: { waitFor: { tcp: "long.test.example:4000", every: 20ms } }
                f: { waitFor: { tcp: "new:4000", every: 20ms } }
                """,
                "version: 1\nconcurrency: 6\n",
            ).replace("timeout: 1s", "timeout: 1s, optional: true"),
            "nameserver 127.0.0.1\nsearch test.example\n",
            f"""
            import json, os, socket, subprocess, sys
            sys.path.insert(0, {here!r})
            from test_wait_for import NameServer
            from supervisor import Conformance, INITD, INITCTL
            subprocess.run("ip link set lo up || ifconfig lo up", shell=True, check=True)
            test = Conformance()
            test.setUp()
            known = {{"db.test.example": "127.0.0.1", "new.test.example": "::1", "long.test.example": "127.0.0.1"}}
            unknown = {{"nowhere.example": None, "nowhere.example.test.example": None}}
            server = NameServer(test, known | unknown, 53, truncated=["long.test.example"])
            listeners = [socket.create_server((address, 4000), family=family) for address, family in (("127.0.0.1", 2), ("::1", 10))]
            supervisor = test.start(open("init.yaml").read())
            peer = supervisor.peer()
            for name in "abefcd":
                shape = peer.until_initializer(name, "failed" if name in "cd" else "complete")
                print(name, shape["status"], shape.get("error", {{}}).get("cause", {{}}).get("message"))
            print(sorted(set(server.asked)))
            test.doCleanups()
            """,
        )
        binds = " && ".join(f"mount --bind {directory}/{name} /etc/{name}" for name in ("resolv.conf", "hosts"))
        done = subprocess.run(
            ["unshare", "-m", "-n", "--propagation", "private", "sh", "-c", f"{binds} && exec python3 script.py"],
            cwd=directory, capture_output=True, text=True, timeout=60,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[:4], [f"{name} complete None" for name in "abef"])
        self.assertRegex(lines[4], r"^c failed cannot look up nowhere.example: there is no such name \(\d+ tries\)$")
        self.assertRegex(lines[5], r"^d failed cannot look up silent.example: the name server 127.0.0.1 doesn't answer \(\d+ tr(y|ies)\)$")
        asked = eval(lines[6])
        self.assertIn(("db.test.example", 1, "udp"), asked)
        self.assertIn(("long.test.example", 1, "tcp"), asked)
        self.assertNotIn("box-in-hosts", lines[6], "hosts comes first")


class ManifestTests(Conformance):
    def check(self, text):
        path = self.write(os.path.join(self.directory(), "init.yaml"), "version: 1\ninitializers:\n  a: " + text + "\n")
        return self.initd("--check", path)

    def test_a_manifest_with_it_is_good(self):
        for text, words in {
            '{ waitFor: { tcp: "localhost:5432", every: 1s, tryTimeout: 2s } }': "localhost:5432",
            "{ waitFor: { http: 'http://a:9000/health', status: 200-299 } }": "http://a:9000/health",
            "{ waitFor: { unix: /run/bus.sock } }": "/run/bus.sock",
            "{ waitFor: { path: /data/ready }, timeout: 30s, retry: { attempts: 2 }, optional: true }": "/data/ready",
        }.items():
            with self.subTest(text):
                self.assertIn(f"a  waits for {words}", self.assertStatus(self.check(text), 0).out)

    def test_each_mistake_is_found(self):
        for text, remedy in {
            "{ waitFor: { http: 'https://localhost/' } }": "curl",
            "{ waitFor: { http: 'localhost/health' } }": "http://localhost:8080/health",
            "{ waitFor: { http: 'http://localhost/', status: ok } }": "200-299",
            "{ waitFor: { tcp: 'a:1', status: 200 } }": "remove it",
            "{ waitFor: { tcp: 'a:1', path: /x } }": "keep one of them",
            "{ waitFor: { unix: [x] } }": "/run/bus.sock",
            "{ waitFor: { path: '' } }": "/data/ready",
            "{ waitFor: { tcp: localhost } }": "localhost:5432",
            "{ waitFor: {} }": "write waitFor: {",
            "{ waitFor: { every: 1s } }": "write waitFor: {",
            "{ waitFor: { tcp: 'a:99999' } }": "65535",
            "{ waitFor: { tcp: 'a:1', every: 0s } }": "every: 500ms",
            "{ waitFor: { tcp: 'a:1', tryTimeout: -1s } }": "e.g.",
            "{ waitFor: { tcp: 'a:1', command: x } }": "unknown key",
            "{ command: x, waitFor: { tcp: 'a:1' } }": "keep one of them",
            "{ worker: true, waitFor: { tcp: 'a:1' } }": "keep one of them",
            "{ waitFor: { tcp: 'a:1' }, environment: { A: b } }": "remove it",
        }.items():
            with self.subTest(text):
                finished = self.assertStatus(self.check(text), 65)
                self.assertRegex(finished.err, r"init.yaml:3:\d+: .+; .+")
                self.assertIn(remedy, finished.err)


if __name__ == "__main__":
    unittest.main()
