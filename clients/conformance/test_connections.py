"""Connections: lost, refused, and not there yet."""

from __future__ import annotations

import os
import signal
import socket
import time
import unittest

from deadlines import until
from subject import LANGUAGE, Scenario, active, launch
from transcript import Server


class Connections(Scenario):
    def test_a_supervisor_that_starts_later(self) -> None:
        directory = self.directory()
        subject = self.subject(os.path.join(directory, "initd.sock"), active("a"))
        until(lambda: subject.program.pump() or subject.program.err, "a line on standard error after a second")
        supervisor = self.start_fast(directory=directory)
        self.available(supervisor.peer(), active("a"))

    def test_the_supervisor_is_killed_and_started_again(self) -> None:
        directory = self.directory()
        first = self.start_fast(directory=directory)
        subject, peer = self.registered(first, active("a", {"sleep": 300}), launch("b"))
        peer.ok("activate")
        run = subject.run("a")
        for outage in (0, 3, 0, 0):
            first.program.signal(signal.SIGKILL)
            first.ended()
            subject.take("lost")
            time.sleep(outage)  # The pauses between the client's attempts to connect must be long.
            second = self.start_fast(directory=directory)
            begun = time.monotonic()
            peer = second.peer()
            self.available(peer, active("a"), launch("b"))
            took = time.monotonic() - begun
            first = second
            if took < 2 and outage:
                break
        self.assertLess(took, 2, "it must register again within 2 s, even after an outage; three attempts")
        self.assertEqual(subject.take("cancel", "a", run)[3], "lost")
        subject.take("connected")
        peer.ok("activate")
        subject.run("a")
        peer.ok("deactivate", wait=True)
        subject.take("done", "a")

    def test_a_supervisor_that_closes_each_connection_is_tried_after_growing_pauses(self) -> None:
        """An accepted connection isn't success. Only lower limits are checked, so a busy machine changes nothing."""
        for is_known in (False, True):
            with self.subTest(was_registered=is_known):
                path = os.path.join(self.directory(), "initd.sock")
                server = Server(path)
                self.addCleanup(server.close)
                subject = self.subject(path, active("a"))
                if is_known:
                    talk = server.accept()
                    talk.begin()
                    talk.close()
                    subject.take("lost")
                starts = []
                for _ in range(9):
                    talk = server.accept()
                    starts.append(time.monotonic())
                    talk.close()
                self.assertGreaterEqual(starts[-1] - starts[-2], 0.4)
                self.assertGreaterEqual(starts[-2] - starts[-3], 0.4)
                subject.program.end()

    def test_a_name_that_another_worker_has(self) -> None:
        supervisor = self.start_fast()
        supervisor.worker("a:taken")
        subject = self.subject(supervisor, active("other"), launch("a:taken"))
        self.assertNotEqual(subject.program.wait(), 0)
        subject.program.pump()
        self.assertIn(b"a:taken", subject.program.err)
        self.assertNotIn("other", [each["name"] for each in supervisor.peer().status()["initializers"]])

    def test_a_limit_of_connections_is_waited_for_and_another_is_an_error(self) -> None:
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a"))
        for method, limit in (("hello", "connections"), ("register", "initializers")):
            talk = server.accept()
            if method == "register":
                talk.begin("hello")
            request = talk.expect({"method": method})
            error = {"code": -32007, "message": f"too many {limit}", "data": {"code": "limitExceeded", "limit": limit}}
            talk.send({"id": request["id"], "error": error})
            if method == "hello":
                talk.close()
        self.assertNotEqual(subject.program.wait(), 0)
        subject.program.pump()
        self.assertIn(b"too many initializers", subject.program.err)

    def test_a_name_that_is_taken_while_it_was_away(self) -> None:
        directory = self.directory()
        first = self.start_fast(directory=directory)
        subject, peer = self.registered(first, active("a"))
        subject.program.signal(signal.SIGSTOP)
        first.program.signal(signal.SIGKILL)
        first.ended()
        second = self.start_fast(directory=directory)
        other = second.worker(active("a"))
        subject.program.signal(signal.SIGCONT)
        subject.take("lost")
        until(lambda: len(second.peer().status()["workers"]) == 1, "one worker")
        other.close()
        subject.take("connected")
        peer = second.peer()
        self.available(peer, active("a"))
        number = peer.ok("activate")["pass"]
        self.assertEqual(self.outcome(peer, number), "complete")

    def test_the_shutdown(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"sleep": 300}))
        peer.ok("activate")
        subject.run("a")
        peer.ok("shutdown")
        self.assertEqual(subject.take("cancel", "a")[3], "shutdown")
        subject.take("done", "a")
        self.assertEqual(supervisor.ended(), 0)
        subject.take("lost")
        self.assertEqual(subject.terminate(), 0)

    def test_it_leaves(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"sleep": 300}), launch("b"))
        number = peer.ok("activate")["pass"]
        run = subject.run("a")
        begun = time.monotonic()
        self.assertEqual(subject.terminate(), 0)
        self.assertLess(time.monotonic() - begun, 2)
        self.assertEqual(subject.take("cancel", "a", run)[3], "unregistered")
        subject.take("done", "a", run)
        self.assertEqual(peer.status()["initializers"], [])
        peer.ok("deactivate")
        self.assertIn(self.outcome(peer, number), ("cancelled", "complete"))

    def test_it_leaves_while_it_is_disconnected(self) -> None:
        supervisor = self.start_fast()
        subject, _ = self.registered(supervisor, active("a"))
        supervisor.program.signal(signal.SIGKILL)
        subject.take("lost")
        begun = time.monotonic()
        self.assertEqual(subject.terminate(), 0)
        self.assertLess(time.monotonic() - begun, 2)

    @unittest.skipIf(LANGUAGE == "node", "a busy loop blocks its only thread")
    def test_it_leaves_while_a_run_blocks(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"block": 600}), launch("b"))
        peer.ok("activate")
        subject.run("a")
        self.assertEqual(subject.terminate(), 0)
        self.assertEqual(peer.status()["workers"], [])

    @unittest.skipIf(LANGUAGE == "node", "a busy loop blocks its only thread")
    def test_it_leaves_while_a_run_blocks_and_it_is_disconnected(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"block": 600}))
        peer.ok("activate")
        subject.run("a")
        supervisor.program.signal(signal.SIGKILL)
        subject.take("lost")
        self.assertEqual(subject.terminate(), 0)

    def test_it_leaves_while_a_run_ignores_the_cancel(self) -> None:
        supervisor = self.start_fast()
        subject, peer = self.registered(supervisor, active("a", {"ignoreCancelFor": 600}, {"sleep": 600}))
        peer.ok("activate")
        subject.run("a")
        self.assertEqual(subject.terminate(), 0)

    def test_it_leaves_before_the_answer_to_hello(self) -> None:
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a"))
        server.accept().expect({"method": "hello"})
        self.assertEqual(subject.terminate(), 0)

    def test_it_leaves_before_the_answer_to_register(self) -> None:
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a"))
        server.accept().begin("hello")
        self.assertEqual(subject.terminate(), 0)

    def test_it_leaves_before_there_is_a_supervisor(self) -> None:
        subject = self.subject(os.path.join(self.directory(), "initd.sock"), active("a"))
        until(lambda: subject.program.pump() or subject.program.err, "a line on standard error after a second")
        self.assertEqual(subject.terminate(), 0)

    def test_something_else_listens_at_the_socket(self) -> None:
        directory = self.directory()
        path = os.path.join(directory, "s")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen()
        self.addCleanup(listener.close)
        subject = self.subject(path, active("a"))
        stream, _ = listener.accept()
        self.addCleanup(stream.close)
        stream.recv(4096)
        stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        until(lambda: (subject.program.pump() or b"not initd" in subject.program.err) or subject.program.process.poll() is not None, "the words \"not initd\" on standard error")
        self.assertIn(b"not initd", subject.program.err)
