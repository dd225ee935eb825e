"""The memory and the wake-ups of a process."""

import pathlib


def _rollup(pid, member):
    for text in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if text.startswith(member + ":"):
            return int(text.split()[1]) * 1024
    raise ValueError(f"no {member} in smaps_rollup")


def proportional(pid):
    """The proportional set size, in bytes: shared pages are divided among the processes that share them."""
    return _rollup(pid, "Pss")


def anonymous(pid):
    """Returns the memory that belongs to no file, in bytes: heap, stacks, and written pages in private mappings of files."""
    return _rollup(pid, "Anonymous")


def switches(pid):
    """Returns how often the threads of a process have given up the processor voluntarily: an idle process that doesn't wake up never
    does."""
    count = 0
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        for text in (thread / "status").read_text().splitlines():
            if text.startswith("voluntary_ctxt_switches:"):
                count += int(text.split()[1])
    return count
