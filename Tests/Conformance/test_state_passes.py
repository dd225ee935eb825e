"""--state-directory: passes of earlier supervisors are known."""

import os
import signal
import unittest

from state import StateCase


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
        _, peer = self.pass_twice(directory)
        summaries = peer.ok("history", limit=1000, summaries=True)["summaries"]
        self.assertEqual([each["phase"] for each in summaries], ["active", "launch", "active"])


if __name__ == "__main__":
    unittest.main()
