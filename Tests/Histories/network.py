"""The network of one schedule: a namespace with an address for each node, connected by a router, which drops and delays packets.

The router is the namespace of this process. The network is routed and not bridged, so one rule drops the packets from one node to another,
silently and in one direction only. It needs no packet filter: `ip rule` with `blackhole` does it.
"""

from __future__ import annotations

import subprocess
from typing import Iterable, Sequence


def run(*words: str, text: str = "") -> str:
    """Runs a program until it ends, with this text as its input, and returns its output."""
    ended = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{' '.join(words)} failed: {ended.stderr.strip()}")
    return ended.stdout


class Network:
    """Namespaces with the names of the nodes. All of it ends with this process's namespaces."""

    def __init__(self, nodes: Sequence[str]) -> None:
        self._numbers = {node: number for number, node in enumerate(nodes, 1)}
        self._cuts: dict[tuple[str, str], int] = {}
        self._slow: set[str] = set()
        with open("/proc/sys/net/ipv4/ip_forward", "w") as file:
            file.write("1")
        run("ip", "link", "set", "lo", "up")
        for node in nodes:
            self._connect(node)

    def _connect(self, node: str) -> None:
        router = f"10.0.{self._numbers[node]}.1"
        run("ip", "netns", "add", node)
        run(
            "ip", "-batch", "-",
            text=f"link add {node} type veth peer name eth0 netns {node}\naddr add {router}/24 dev {node}\nlink set {node} up\n",
        )
        run(
            "ip", "-netns", node, "-batch", "-",
            text=f"addr add {self.address(node)}/24 dev eth0\nlink set lo up\nlink set eth0 up\nroute add default via {router}\n",
        )

    def address(self, node: str) -> str:
        """Returns the node's IP address."""
        return f"10.0.{self._numbers[node]}.2"

    def words(self, node: str, words: Sequence[str]) -> list[str]:
        """Returns a command that executes another command as a process of this node. It keeps its process id."""
        return ["nsenter", f"--net=/run/netns/{node}", *words]

    def processes(self, node: str) -> list[int]:
        """The processes of this node."""
        return [int(line) for line in run("ip", "netns", "pids", node).split()]

    def cut(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Drops all packets from the first node to the second one of each pair, until as many calls of `join` have named the pair."""
        new = []
        for pair in pairs:
            self._cuts[pair] = self._cuts.get(pair, 0) + 1
            if self._cuts[pair] == 1:
                new.append(pair)
        self._rules("add", new)

    def join(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Ends a cut. Pairs that aren't cut any more are ignored."""
        ended = []
        for pair in pairs:
            if pair in self._cuts:
                self._cuts[pair] -= 1
                if self._cuts[pair] == 0:
                    del self._cuts[pair]
                    ended.append(pair)
        self._rules("del", ended)

    def _rules(self, verb: str, pairs: Iterable[tuple[str, str]]) -> None:
        run("ip", "-batch", "-", text="".join(f"rule {verb} pref 100 from {self.address(a)} to {self.address(b)} blackhole\n" for a, b in pairs))

    def slow(self, node: str, kilobits: int) -> None:
        """Limits the node's line in both directions: packets queue for up to 1 s, and are dropped beyond that.

        `tbf` and not `netem`, because many kernels of virtual machines don't have `netem`.
        """
        for namespace, device in self._ends(node):
            limit = ["tbf", "rate", f"{kilobits}kbit", "burst", "1600", "latency", "1s"]
            run("tc", *namespace, "qdisc", "replace", "dev", device, "root", *limit)
        self._slow.add(node)

    def fast(self, node: str) -> None:
        """Removes the limit of a node's line, if there is one."""
        if node in self._slow:
            self._slow.remove(node)
            for namespace, device in self._ends(node):
                run("tc", *namespace, "qdisc", "del", "dev", device, "root")

    def _ends(self, node: str) -> list[tuple[list[str], str]]:
        return [([], node), (["-netns", node], "eth0")]

    def heal(self) -> None:
        """Ends all cuts and limits."""
        self._rules("del", self._cuts)
        self._cuts.clear()
        for node in list(self._slow):
            self.fast(node)
