"""Transcripts and vectors: conversations that a real supervisor can't be made to have at will."""

from __future__ import annotations

import contextlib
import os
import unittest

from subject import Scenario, active
from transcript import Server, play

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = {"id": "run-1", "method": "run", "params": {"run": 1, "initializer": "a", "pass": 1, "phase": "active", "attempt": 1}}


def vectors(kind: str) -> list[tuple[str, bytes]]:
    """The payloads of a directory of vectors. A file `.hex` has bytes in hexadecimal, with comments."""
    found = []
    for name in sorted(os.listdir(os.path.join(HERE, "vectors", kind))):
        with open(os.path.join(HERE, "vectors", kind, name), "rb") as file:
            data = file.read()
        if name.endswith(".hex"):
            lines = data.decode().splitlines()
            data = bytes.fromhex("".join(line.split("#")[0] for line in lines))
        elif data.endswith(b"\n"):
            data = data[:-1]
        found.append((name, data))
    return found


class Transcripts(Scenario):
    """One test for each file of transcripts."""


def _add(name: str) -> None:
    def test(self: Scenario) -> None:
        play(self, os.path.join(HERE, "transcripts", name))

    setattr(Transcripts, "test_" + name.removesuffix(".txt").replace("-", "_"), test)


for each in sorted(os.listdir(os.path.join(HERE, "transcripts"))):
    _add(each)


class Vectors(Scenario):
    def test_valid_messages_are_read(self) -> None:
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a"))
        talk = server.accept()
        talk.begin()
        for number, (name, payload) in enumerate(vectors("valid"), 1):
            with self.subTest(name):
                talk.send_bytes(len(payload).to_bytes(4, "big") + payload)
                talk.send(RUN | {"id": f"run-{number}", "params": RUN["params"] | {"run": number}})  # type: ignore[operator]
                talk.expect({"id": f"run-{number}", "result": {}})
        self.assertEqual(subject.count("lost"), 0)

    def test_invalid_messages_end_the_connection(self) -> None:
        self._broken([(name, len(payload).to_bytes(4, "big") + payload) for name, payload in vectors("invalid")])

    def test_bad_frames_end_the_connection(self) -> None:
        self._broken(vectors("frames"))

    def test_messages_that_are_not_strict_do_no_harm(self) -> None:
        # The supervisor never sends them. A client may read them or not, but continues.
        for name, payload in vectors("strict"):
            with self.subTest(name):
                server = Server(os.path.join(self.directory(), "initd.sock"))
                self.addCleanup(server.close)
                subject = self.subject(server.path, active("a"))
                talk = server.accept()
                talk.begin()
                talk.send_bytes(len(payload).to_bytes(4, "big") + payload)
                answer = None
                with contextlib.suppress(BrokenPipeError):
                    talk.send(RUN)
                    answer = talk.next()
                if answer is None:  # The subject didn't read the message, and connects again.
                    talk.close()
                    talk = server.accept()
                    talk.begin()
                    talk.send(RUN)
                    answer = talk.receive()
                self.assertEqual((answer["id"], answer["result"]), ("run-1", {}))
                subject.take("done", "a")

    def _broken(self, frames: list[tuple[str, bytes]]) -> None:
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a"))
        talk = server.accept()
        talk.begin()
        for name, data in frames:
            with self.subTest(name):
                talk.send_bytes(data)
                talk.expect_end()
                subject.take("lost")
                talk.close()
                talk = server.accept()
                talk.begin()


if __name__ == "__main__":
    unittest.main()
