"""everyday.md "Processes, by that name", the shutdown (S24).

Shutdown stops side by side what nothing that still runs depends on (by `dependencies` and `after`), so it lasts as long as the longest
chain. `initctl shutdown` returns when the process is gone.

No test measures a time: each process records what it sees when it is asked to stop, and waits for files before it exits. Each has a
`stopTimeout` that is longer than a test may take, so if processes that wait for each other are stopped one after the other, the shutdown
never ends.
"""

import os
import signal
import subprocess
import unittest

from deadlines import until
from supervisor import INITD, Conformance, is_running
from test_ready import ReadyCase


def process(name, wait="", alive="", **keys):
    """A process that says in `order` when it is asked to stop, and when it exits.

    It is ready once its traps are set. `wait` is a shell condition that holds before it exits. If one of the processes `alive` exists when
    it is asked to stop, `order` says so.
    """
    seen = "".join(f"kill -0 $(cat {other}.pid) 2> /dev/null && echo {name} before {other} >> order; " for other in alive.split())
    hold = f"until {wait}; do sleep 0.01; done; " if wait else ""
    trap = f"echo asked {name} >> order; touch {name}.asked; {seen}{hold}echo ended {name} >> order; exit 0"
    more = "".join(f", {key}: {value}" for key, value in keys.items())
    return (
        f"{name}: {{ command: \"trap '{trap}' TERM; echo $$ > {name}.pid; touch {name}.up; while :; do sleep 0.01; done\","
        f" ready: {{ path: {name}.up, every: 10ms }}, stopTimeout: 600s{more} }}\n")


def asked(*names):
    """A shell condition: these have been asked to stop."""
    return " && ".join(f"test -e {name}.asked" for name in names)


class SideBySideTests(ReadyCase):
    def launched(self, processes, initializers="", *arguments):
        supervisor = self.begin(processes, initializers, "", *arguments)
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        return supervisor, peer

    def assertEnds(self, supervisor):
        self.assertEqual(supervisor.ended(), 0)
        return supervisor.lines("order")

    def test_independent_ones_are_stopped_side_by_side(self):
        names = ["one", "two", "three", "four"]
        supervisor, peer = self.launched("".join(process(name, asked(*names)) for name in names))
        peer.ok("shutdown")
        order = self.assertEnds(supervisor)
        self.assertEqual(sorted(order), sorted(f"{word} {name}" for word in ("asked", "ended") for name in names))
        self.assertNotIn("SIGKILL", supervisor.program.err.decode())

    def test_independent_ones_without_ready_are_stopped_side_by_side(self):
        names = ["one", "two", "three", "four"]
        texts = [process(name, asked(*names)) for name in names]
        supervisor = self.begin("".join(text.replace(f" ready: {{ path: {name}.up, every: 10ms }},", "") for name, text in zip(names, texts)))
        for name in names:
            self.wait_for_file(supervisor, f"{name}.up")
        supervisor.peer().ok("shutdown")
        self.assertEqual(len(self.assertEnds(supervisor)), 8)

    def wait_for_file(self, supervisor, name):
        until(lambda: os.path.exists(supervisor.file(name)), name)

    def test_a_signal_stops_them_side_by_side(self):
        names = ["one", "two"]
        supervisor, _ = self.launched("".join(process(name, asked(*names)) for name in names))
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(len(self.assertEnds(supervisor)), 4)

    def test_a_chain_is_stopped_in_the_reverse_order_one_after_the_other(self):
        """The last one of the chain stops only when a test lets it; by then an independent one has been asked, and no other one."""
        supervisor, peer = self.launched(
            process("db", alive="api web") + process("api", alive="web", dependencies="[db]")
            + process("web", "test -e gate", dependencies="[api]") + process("other"))
        peer.ok("shutdown")
        self.wait_for_file(supervisor, "web.asked")
        self.wait_for_file(supervisor, "other.asked")
        peer.alive()
        self.assertFalse(os.path.exists(supervisor.file("api.asked")))
        self.assertFalse(os.path.exists(supervisor.file("db.asked")))
        self.open(supervisor)
        order = [line for line in self.assertEnds(supervisor) if "other" not in line]
        self.assertEqual(order, [f"{word} {name}" for name in ("web", "api", "db") for word in ("asked", "ended")])

    def test_after_counts_too(self):
        supervisor, peer = self.launched(
            process("db", alive="web") + process("web", "test -e gate", after="[db]") + process("other"))
        peer.ok("shutdown")
        self.wait_for_file(supervisor, "web.asked")
        self.wait_for_file(supervisor, "other.asked")
        peer.alive()
        self.assertFalse(os.path.exists(supervisor.file("db.asked")))
        self.open(supervisor)
        order = [line for line in self.assertEnds(supervisor) if "other" not in line]
        self.assertEqual(order, ["asked web", "ended web", "asked db", "ended db"])

    def test_the_dependents_of_one_are_stopped_side_by_side_before_it(self):
        supervisor, peer = self.launched(
            process("db", alive="left right") + process("left", asked("left", "right"), dependencies="[db]")
            + process("right", asked("left", "right"), dependencies="[db]"))
        peer.ok("shutdown")
        order = self.assertEnds(supervisor)
        self.assertEqual(order[4:], ["asked db", "ended db"])
        self.assertEqual(sorted(order[:4]), ["asked left", "asked right", "ended left", "ended right"])

    def test_two_chains_do_not_wait_for_each_other(self):
        """The first one of a chain is stopped while the last one of the other still stops."""
        supervisor, peer = self.launched(
            process("db", alive="web") + process("web", dependencies="[db]")
            + process("cache", alive="queue") + process("queue", asked("db"), dependencies="[cache]"))
        peer.ok("shutdown")
        order = self.assertEnds(supervisor)
        self.assertLess(order.index("asked db"), order.index("ended queue"))
        self.assertLess(order.index("ended queue"), order.index("asked cache"))
        self.assertFalse([line for line in order if "before" in line], order)

    def test_one_on_which_an_other_depends_through_an_initializer_is_stopped_after_it(self):
        supervisor, peer = self.launched(
            process("db", alive="web") + process("web", "test -e gate", dependencies="[migrate]") + process("other"),
            "migrate: { command: 'true', dependencies: [db] }")
        peer.ok("shutdown")
        self.wait_for_file(supervisor, "web.asked")
        self.wait_for_file(supervisor, "other.asked")
        peer.alive()
        self.assertFalse(os.path.exists(supervisor.file("db.asked")))
        self.open(supervisor)
        order = [line for line in self.assertEnds(supervisor) if "other" not in line]
        self.assertEqual(order, ["asked web", "ended web", "asked db", "ended db"])

    def test_one_that_does_not_stop_in_time_is_killed_before_the_next_is_asked(self):
        stubborn = (
            "web: { command: \"trap 'echo asked web >> order' TERM; echo $$ > web.pid; touch web.up; while :; do sleep 0.01; done\","
            " ready: { path: web.up, every: 10ms }, stopTimeout: 300ms, dependencies: [db] }\n")
        supervisor, peer = self.launched(process("db", alive="web") + stubborn)
        peer.ok("shutdown")
        self.assertEqual(self.assertEnds(supervisor), ["asked web", "asked db", "ended db"])
        supervisor.program.until_err("is killed with SIGKILL: it didn't exit within 300 ms of SIGTERM (stopTimeout)")

    def test_two_that_have_to_be_killed_are_asked_side_by_side(self):
        """A third one exits once both have been asked."""
        stubborn = (
            "{0}: {{ command: \"trap 'touch {0}.asked' TERM; touch {0}.up; while :; do sleep 0.01; done\","
            " ready: {{ path: {0}.up, every: 10ms }}, stopTimeout: 1s }}\n")
        supervisor, peer = self.launched(stubborn.format("one") + stubborn.format("two") + process("three", asked("one", "two")))
        peer.ok("shutdown")
        self.assertEqual(self.assertEnds(supervisor), ["asked three", "ended three"])
        self.assertEqual(supervisor.program.err.decode().count("is killed with SIGKILL"), 2)

    def test_one_that_an_operator_has_stopped_delays_nobody(self):
        supervisor, peer = self.launched(process("db") + process("web", dependencies="[db]"))
        self.assertStatus(supervisor.ctl("stop", "web"), 0)
        peer.ok("shutdown")
        self.assertEqual(self.assertEnds(supervisor), [f"{word} {name}" for name in ("web", "db") for word in ("asked", "ended")])

    def test_one_that_has_ended_delays_nobody(self):
        supervisor, peer = self.launched(
            process("db") + "web: { command: 'touch web.up; until test -e gate; do sleep 0.01; done',"
            " ready: { path: web.up, every: 10ms }, restart: never, dependencies: [db] }")
        self.open(supervisor)
        self.until_process(peer, "web", lambda each: "pid" not in each, "its end")
        peer.ok("shutdown")
        self.assertEqual(self.assertEnds(supervisor), ["asked db", "ended db"])


class CommandTests(ReadyCase):
    """`initctl shutdown` returns when the process is gone: `initctl shutdown && initd …` never meets the old one."""

    def test_it_returns_only_when_the_supervisor_is_gone(self):
        supervisor = self.begin(process("web", "test -e gate"))
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        client = supervisor.start_ctl("shutdown")
        self.assertEqual(supervisor.until_lines("order"), ["asked web"])
        peer.alive()
        self.assertIsNone(client.process.poll())
        self.open(supervisor)
        self.assertStatus(client.finish(), 0)
        self.assertFalse(is_running(supervisor.pid))
        self.assertEqual(supervisor.lines("order"), ["asked web", "ended web"])

    def test_the_next_one_can_start_at_once(self):
        text = process("web")
        for _ in range(3):
            supervisor = self.begin(text)
            self.until_state(supervisor.peer(), "launch", "complete")
            self.assertStatus(supervisor.ctl("shutdown"), 0)
            os.unlink(supervisor.file("web.up"))


class TerminalTests(Conformance):
    """On a terminal `initd` says whom it waits for after 1 s, and that a second Ctrl-C kills."""

    def test_it_says_whom_it_waits_for(self):
        directory = self.directory()
        path = os.path.join(directory, "init.yaml")
        self.write(path, "version: 1\nprocesses: { web: { command: \"trap '' TERM; touch up; while :; do sleep 0.1; done\", stopTimeout: 10m } }\n")
        terminal, other = os.openpty()
        initd = subprocess.Popen([INITD, "--config", path, "--socket", os.path.join(directory, "s")], stderr=other, start_new_session=True)
        self.addCleanup(initd.wait)
        self.addCleanup(initd.kill)
        self.addCleanup(os.close, terminal)
        os.close(other)
        until(lambda: os.path.exists(os.path.join(directory, "up")), "the process")
        initd.send_signal(signal.SIGINT)
        shown = b""
        while b"waiting for the end of web; a second Ctrl-C kills what still runs" not in shown:
            shown += os.read(terminal, 4096)
        initd.send_signal(signal.SIGINT)
        self.assertEqual(initd.wait(), 0)


if __name__ == "__main__":
    unittest.main()
