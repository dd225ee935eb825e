"""A conversation of a document, played with a real supervisor.

→ {…}            the client sends this; invalid JSON is sent unchanged, and must be answered with −32700
← {…}            the next message must match this (see `pattern`)
worker → {…}     the same on another connection, named worker
→ (end)          the client closes its writing side
← (closed)       the connection ends here
# …              a comment

An indented line continues the previous one. A client that doesn't send hello in the text has sent it before, unless the
conversation is about hello. At the end, every request must be answered, and every received message must be shown.
"""

from __future__ import annotations

import dataclasses
import json
import re
import socket
from typing import Any, Optional

import pattern
from world import DEADLINE, World

import peer as wire  # The module is from the conformance suite, found through `world`.
import shapes

_LINE = re.compile(r"^(?:([a-z]+) )?([→←]) (.*)$")
END, CLOSED = "(end)", "(closed)"


@dataclasses.dataclass
class Step:
    """One line of a conversation."""

    line: int
    who: str
    sends: bool
    text: str

    @property
    def value(self) -> Optional[dict[str, Any]]:
        """The message, or None for deliberately invalid JSON."""
        try:
            return pattern.parse(self.text)
        except ValueError:
            return None


def steps(text: str, first_line: int) -> list[Step]:
    """The lines of a conversation, with continuation lines joined."""
    found: list[Step] = []
    for number, line in enumerate(text.splitlines(), first_line):
        if line.startswith("#") or not line:
            continue
        if line[0] == " " and found:
            found[-1].text += line.strip() if line.strip()[0] in ",}]" else " " + line.strip()
            continue
        match = _LINE.match(line)
        assert match, f"line {number}: neither a message nor a comment: {line}"
        found.append(Step(number, match[1] or "client", match[2] == "→", match[3]))
    return found


class Conversation:
    """The messages, and their connections."""

    def __init__(self, world: World, steps: list[Step], greets: bool) -> None:
        self._world = world
        self._steps = steps
        self._greets = greets
        self._peers: dict[str, wire.Peer] = {}
        self._asked: dict[tuple[str, Any], str] = {}
        self._ended: set[str] = set()

    def play(self) -> None:
        """Plays the conversation until it ends. Raises `AssertionError` with the line."""
        try:
            for who in dict.fromkeys(step.who for step in self._steps):
                self._connect(who)
            for step in self._steps:
                try:
                    self._send(step) if step.sends else self._expect(step)
                except AssertionError as error:
                    raise AssertionError(f"line {step.line}: {error}") from None
            self._finish()
        finally:
            for each in self._peers.values():
                each.close()

    def _connect(self, who: str) -> None:
        peer = wire.Peer(wire.connected(str(self._world.socket)))
        self._peers[who] = peer
        says_it = any(step.who == who and step.sends and '"method":"hello"' in step.text for step in self._steps)
        if self._greets and not says_it:
            wire.hello(peer, "shelf-worker" if who == "worker" else who)

    def _send(self, step: Step) -> None:
        peer = self._peers[step.who]
        if step.text == END:
            return peer.stream.shutdown(socket.SHUT_WR)
        value = step.value
        peer.send_payload(step.text.encode())
        if value is not None and "method" in value and "id" in value:
            assert isinstance(value["id"], (int, str, type(None))), f"the id of {step.text}"
            self._asked[step.who, value["id"]] = value["method"]
        elif value is None:
            self._asked[step.who, None] = "what can't be read"

    def _expect(self, step: Step) -> None:
        came = self._peers[step.who].receive(DEADLINE)
        if step.text == CLOSED:
            assert came is None, f"the end was expected, and came: {came}"
            return self._ended.add(step.who)
        assert came is not None, f"the connection has ended, and {step.text} was expected"
        assert step.value is not None, f"not JSON: {step.text}"
        text = json.dumps(came, ensure_ascii=False, separators=(",", ":"))
        if why := pattern.mismatch(step.value, came):
            raise AssertionError(f"{why}\n  shown {step.text}\n  came  {text}")
        if "method" not in came:
            method = self._asked.pop((step.who, came["id"]), None)
            assert method is not None or came["id"] is None, f"no request for {text}"
            if "result" in came:
                shapes.check_result(method, came["result"])
            if method == "what can't be read":
                assert came["error"]["code"] == -32700, text

    def _finish(self) -> None:
        assert not self._asked, f"requests without an answer: {self._asked}"
        for who, peer in self._peers.items():
            if who not in self._ended:
                mark = f"end-of-{who}"
                peer.send(id=mark, method="ping", params={})
                came = peer.receive(DEADLINE)
                assert came is not None and came.get("id") == mark, f"{who} also gets: {came}"

