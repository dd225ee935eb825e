"""An idle supervisor: the kernel has mapped little of its program."""

import os
import re

from deadlines import until
from supervisor import Conformance


def mapped_share(pid):
    """The share of the program's code that is mapped into its memory."""
    program = os.path.realpath(f"/proc/{pid}/exe")
    sizes, counts = {"Size": 0, "Rss": 0}, False
    with open(f"/proc/{pid}/smaps") as file:
        for line in file:
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                words = line.split()
                counts = "x" in words[1] and words[-1] == program
            elif counts and line.startswith(("Size:", "Rss:")):
                name, kib = line.split()[:2]
                sizes[name[:-1]] += int(kib)
    return sizes["Rss"] / sizes["Size"]


class IdleTests(Conformance):
    def test_pages_of_the_program_are_unmapped_after_a_pass_and_it_works_on(self):
        supervisor = self.start_with("a: { command: 'true', priority: appActive }")
        peer = supervisor.peer()
        for _ in range(2):
            peer.ok("activate")
            self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
            # While it works, more than half is mapped.
            until(lambda: mapped_share(supervisor.pid) < 0.1, "unmapped pages")
            peer.alive()
            peer.ok("deactivate", wait=True)
