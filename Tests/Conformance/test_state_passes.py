"""--state-directory: passes of earlier supervisors are known."""

import json
import os
import signal
import unittest

from deadlines import until
from state import RAN, StateCase


def in_flight(supervisor):
    """The runs that have no outcome in the recorded passes in flight; None if the last line has no such passes."""
    last = (supervisor.lines("state/passes") or [""])[-1]
    if not last.startswith("~"):
        return None
    passes = json.loads(last.split(" ", 1)[1])["passes"]
    return [run["initializer"] for each in passes for run in each["runs"] if "outcome" not in run]


class PassesTests(StateCase):
    """protocol.md §4: summaries of passes, and how long they usually take, survive a restart."""

    INITIALIZERS = "a: { command: 'true', priority: appActive }\nb: { command: 'true' }"

    def pass_twice(self, directory):
        supervisor = self.again(self.INITIALIZERS, "--activate", directory=directory)
        peer = supervisor.peer()
        peer.ok("wait", for_="ready")
        return supervisor, peer

    def test_summaries_of_earlier_supervisors_are_told(self):
        directory = self.directory()
        first, peer = self.pass_twice(directory)
        instance = peer.status()["instance"]
        self.killed(first)
        second, peer = self.pass_twice(directory)
        answer = peer.ok("history", limit=1000, summaries=True, usual=True)
        self.assertEqual(
            [(each.get("instance"), each["pass"], each["phase"]) for each in answer["summaries"]],
            [(instance, 1, "launch"), (instance, 2, "active"), (None, 1, "launch"), (None, 2, "active")])
        self.assertEqual([(each["phase"], each["passes"]) for each in answer["usual"]], [("launch", 1), ("active", 2)])
        self.assertEqual([each["pass"] for each in peer.ok("history", limit=9)["passes"]], [1, 2])

    def test_initctl_lists_the_passes_of_all_supervisors(self):
        directory = self.directory()
        first, peer = self.pass_twice(directory)
        instance = peer.status()["instance"]
        self.killed(first)
        second, peer = self.pass_twice(directory)

        def listed(*words):
            return self.assertStatus(second.ctl("history", "--json", *words), 0).json()

        self.assertEqual(listed("--all"), peer.ok("history", limit=1000, summaries=True)["summaries"])
        self.assertEqual([each["pass"] for each in listed()], [1, 2])
        for words, told in (
            (["--limit", "3"], [(instance, 2), (None, 1), (None, 2)]), (["--phase", "launch"], [(instance, 1), (None, 1)]),
            (["--pass", "2"], [(instance, 2), (None, 2)]),
        ):
            self.assertEqual([(each.get("instance"), each["pass"]) for each in listed("--all", *words)], told)
        rows = self.assertStatus(second.ctl("history", "--all"), 0).out.splitlines()[1:]
        self.assertEqual([row.split()[:3] for row in rows], [["1", "launch", "complete"], ["2", "active", "complete"]] * 2)
        self.assertEqual([row.endswith(f"  {instance[:8]}") for row in rows], [True, True, False, False])
        for row in rows:
            self.assertRegex(row, r" [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z ")

    def test_a_damaged_line_is_left_out(self):
        directory = self.directory()
        first, _ = self.pass_twice(directory)
        first.program.signal(signal.SIGTERM)
        self.assertEqual(first.ended(), 0)
        path = os.path.join(directory, "state", "passes")
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        with open(path, "wb") as file:
            file.write(b"\n".join([lines[0].replace(b"launch", b"lunch!")] + lines[1:] + [b"half a li"]))
        third, peer = self.pass_twice(directory)
        summaries = peer.ok("history", limit=1000, summaries=True)["summaries"]
        self.assertEqual([each["phase"] for each in summaries], ["active", "launch", "active"])
        told = f"the file of passes was damaged: 1 pass is unknown; it was renamed to {path}.damaged"
        third.program.until_err(f"warning: {told}\n")
        self.assertEqual(peer.status()["warnings"], [told])
        with open(path + ".damaged", "rb") as file:
            self.assertIn(b"lunch!", file.read())
        self.killed(third)
        _, peer = self.pass_twice(directory)
        self.assertNotIn("warnings", peer.status(), "what is left isn't damaged")
        self.assertEqual(len(peer.ok("history", limit=1000, summaries=True)["summaries"]), 5)

    def test_a_file_that_others_may_have_written_is_renamed_and_status_says_so(self):
        directory = self.directory()
        first, _ = self.pass_twice(directory)
        self.killed(first)
        path = os.path.join(directory, "state", "passes")
        os.chmod(path, 0o620)
        second, peer = self.pass_twice(directory)
        told = f"the file of passes was ignored: other users may write in it (mode 620); it was renamed to {path}.damaged"
        second.program.until_err(f"warning: {told}\n")
        self.assertEqual(peer.status()["warnings"], [told])
        self.assertEqual(len(peer.ok("history", limit=1000, summaries=True)["summaries"]), 2)

    def test_passes_that_were_cut_off_are_known_afterwards(self):
        """The kill interrupts launch, whose runs are known, and the active pass that waited for it."""
        directory = self.directory()
        initializers = f"""
            a: {{ command: '{RAN}' }}
            b: {{ command: '{RAN}; sleep 600', dependencies: [a] }}
            z: {{ command: 'true', priority: appActive }}
            """
        supervisor = self.again(initializers, "--activate", directory=directory)
        until(lambda: in_flight(supervisor) == ["b"], "a record of what runs")
        instance = supervisor.peer().status()["instance"]
        self.killed(supervisor)
        for again in range(2):
            supervisor = self.again(initializers, "--no-launch", directory=directory)
            summaries = supervisor.peer().ok("history", limit=1000, summaries=True)["summaries"]
            self.assertEqual([(each["instance"], each["pass"], each["phase"], each["outcome"], each["interrupted"]) for each in summaries],
                             [(instance, 1, "launch", "cancelled", True), (instance, 2, "active", "cancelled", True)])
            self.assertEqual([(each["name"], each["outcome"]) for each in summaries[0]["initializers"]], [("a", "complete"), ("b", "cancelled")])
            self.assertEqual(summaries[1]["initializers"], [])
            self.assertGreater(summaries[1]["held"], 0)
            rows = self.assertStatus(supervisor.ctl("history", "--all"), 0).out.splitlines()[1:]
            self.assertEqual([row.split()[:3] for row in rows], [["1", "launch", "interrupted"], ["2", "active", "interrupted"]])
            if again == 0:
                supervisor.program.until_err("the supervisor before this one ended during launch pass 1\n")
                supervisor.program.until_err("the supervisor before this one ended during active pass 2\n")
                supervisor.program.until_err("b runs again: the supervisor ended while it ran\n")
            self.killed(supervisor)

    def test_a_pass_in_flight_that_ends_is_recorded_once(self):
        directory = self.directory()
        initializers = "\n".join(
            f"{name}: {{ command: 'until test -e end-{name}; do sleep 0.02; done', dependencies: [{needed}], priority: {priority} }}"
            for name, needed, priority in (("a", "", "appLaunch"), ("b", "a", "appLaunch"), ("z", "", "appActive")))
        supervisor = self.again(initializers, "--activate", directory=directory)
        for name in "abz":
            until(lambda: in_flight(supervisor) == [name], f"a record of {name}")
            self.write(supervisor.file(f"end-{name}"), "")
        self.assertEqual(supervisor.peer().ok("wait", for_="ready")["state"], "complete")
        self.assertIsNone(in_flight(supervisor))
        self.killed(supervisor)
        supervisor = self.again(initializers, "--no-launch", directory=directory)
        summaries = supervisor.peer().ok("history", limit=1000, summaries=True)["summaries"]
        self.assertEqual([(each["pass"], each["outcome"], each.get("interrupted")) for each in summaries], [(1, "complete", None), (2, "complete", None)])

    def test_the_file_is_compacted_when_most_of_it_is_obsolete(self):
        """Only the last 32 passes have details; up to as many obsolete bytes and 1 MiB are tolerated."""
        directory = self.directory()
        names = [f"n{number:03}" for number in range(250)]
        initializers = "a: { command: 'exit 1' }\n" + "\n".join(f"{name}: {{ command: 'true', dependencies: [a] }}" for name in names)
        supervisor = self.again(initializers, "--no-launch", "--log-level", "critical", directory=directory)
        peer = supervisor.peer()
        path, sizes = supervisor.file("state/passes"), []
        while len(sizes) < 4 or sizes[-1] > sizes[-2]:
            peer.ok("launch")
            self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
            sizes.append(os.path.getsize(path))
            each = max(after - before for before, after in zip(sizes, sizes[1:])) if len(sizes) > 1 else 0
            self.assertLessEqual(sizes[-1], (1 << 20) + 64 * (each or sizes[-1]) + 2 * sizes[0] + len(sizes) * 1000, "it grows without end")
        self.assertGreater(sizes[-2], 1 << 20, "it isn't written again each time")
        self.assertLess(sizes[-1], 34 * sizes[0], "the details of 32 passes, and the others")
        answer = peer.ok("history", limit=1000, summaries=True)["summaries"]
        self.assertEqual(len(answer), len(sizes), "no pass is lost")


if __name__ == "__main__":
    unittest.main()
