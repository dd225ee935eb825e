"""protocol.md §1, §2: limits. The slow tests are in this file."""

import resource
import select
import struct
import time
import unittest

from deadlines import DEADLINE, until
from peer import connected, frame, hello, message
from supervisor import Conformance


def ended(stream, deadline):
    """Whether the connection ends within `deadline` seconds, regardless of earlier messages."""
    stream.settimeout(deadline)
    try:
        while stream.recv(4096):
            pass
    except ConnectionResetError:
        pass
    except TimeoutError:
        return False
    return True


class LimitTests(Conformance):
    def silent(self, supervisor):
        stream = connected(supervisor.path)
        self.addCleanup(stream.close)
        return stream

    def test_64_silent_clients_are_kept_and_the_oldest_is_closed_first(self):
        supervisor = self.start()
        greeted = supervisor.peer()
        silent = [supervisor.connect() for _ in range(64)]
        greeted.alive()
        further = supervisor.connect()
        self.assertTrue(ended(silent[0].stream, 5), "the oldest silent one goes")
        for peer in [*silent[1:], further]:
            hello(peer)
        greeted.alive()

    def test_a_client_after_hello_is_not_silent(self):
        supervisor = self.start()
        peers = [supervisor.peer() for _ in range(100)]
        silent = [supervisor.connect() for _ in range(64)]
        for peer in peers:
            peer.alive()
        hello(silent[0])

    def test_slow_a_client_that_hasnt_sent_hello_within_10_s_is_disconnected(self):
        supervisor = self.start()
        greeted = supervisor.peer()
        start = time.monotonic()
        silent, dripping = self.silent(supervisor), self.silent(supervisor)
        dripping.sendall(frame(message(id=1, method="hello"))[:9])
        self.assertTrue(ended(silent, 12))
        self.assertGreater(time.monotonic() - start, 9)
        self.assertTrue(ended(dripping, 12))
        greeted.alive()

    def test_slow_a_frame_that_isnt_complete_30_s_after_its_first_byte_is_32700_and_closes(self):
        supervisor = self.start()
        whole, header = supervisor.peer(), supervisor.peer()
        start = time.monotonic()
        header.send_bytes(b"\x00\x00")
        answer = header.receive(40)
        self.assertEqual((answer["id"], answer["error"]["code"]), (None, -32700))
        header.expect_end_now()
        self.assertGreater(time.monotonic() - start, 29)
        whole.alive()

    def test_sending_single_bytes_doesnt_extend_a_frames_deadline(self):
        """The time runs from the first byte, before and after hello."""
        supervisor = self.start(None, "--limit", "frameTimeout=1s", "--limit", "helloTimeout=1s")
        data = frame(message(id="late", method="ping", params={"x": "y" * 3000}))
        hello_data = frame(message(id=1, method="hello", params={"protocol": 1, "client": {"name": "x" * 3000, "version": "1"}}))
        for connect, data, answer in ((supervisor.peer, data, (None, -32700)), (supervisor.connect, hello_data, None)):
            with self.subTest(answer):
                peer, start = connect(), time.monotonic()
                came = 0
                for byte in data[:-1]:
                    try:
                        peer.send_bytes(bytes([byte]))
                    except OSError:
                        break
                    came += 1
                    if select.select([peer.stream], [], [], 0.05)[0]:
                        break
                    self.assertLess(time.monotonic() - start, DEADLINE, "each byte moves the deadline")
                self.assertGreater(time.monotonic() - start, 0.9)
                if answer:
                    error = peer.receive()
                    self.assertEqual((error["id"], error["error"]["code"]), answer)
                peer.expect_end_now()
                self.assertGreater(came, 2, "it dripped to the end")

    def test_without_descriptors_it_continues_and_serves_again_later(self):
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

        supervisor = self.start(preexec_fn=few)
        first = supervisor.peer()
        others = [self.silent(supervisor) for _ in range(120)]
        first.alive()
        for stream in others:
            stream.close()
        first.alive()

        def served():
            try:
                supervisor.peer().alive()
                return True
            except (AssertionError, OSError):
                return False

        until(served, "a new client served")

    def test_1000_runs_of_one_worker_are_all_sent_and_all_count(self):
        supervisor = self.start("version: 1\nconcurrency: 1000\n", "--no-launch")
        names = [f"n{number}" for number in range(1000)]
        worker = supervisor.worker(*names)
        peer = supervisor.peer()
        peer.ok("launch")
        runs = [worker.expect_run() for _ in names]
        self.assertEqual([run.params["initializer"] for run in runs], names)
        worker.send_bytes(b"".join(frame(message(id=run.id, result={})) for run in runs))
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_a_flood_of_bad_payloads_on_one_connection_doesnt_affect_others(self):
        supervisor = self.start()
        other = supervisor.peer()
        flood = supervisor.peer()
        flood.stream.settimeout(0.5)
        try:
            for _ in range(20_000):
                flood.send_bytes(struct.pack(">I", 1) + b"{")
        except (TimeoutError, OSError):
            pass  # The supervisor need not read from it while it doesn't read its answers.
        other.alive()
        self.assertLess(supervisor.resident(), 100 << 20)


if __name__ == "__main__":
    unittest.main()
