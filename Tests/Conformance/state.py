"""Supervisors that follow each other with one state directory."""

import contextlib
import os
import signal

from deadlines import until
from peer import connected
from supervisor import Conformance

RAN = "echo $INITD_INITIALIZER >> ran"


def connected_to(path):
    """A connection, closed at once; None if it can't be made."""
    with contextlib.suppress(OSError), connected(path):
        return True
    return None


class StateCase(Conformance):
    def again(self, initializers, *arguments, directory, **options):
        """A supervisor with this directory as its state directory."""
        state = os.path.join(directory, "state")
        return self.start_with(initializers, "--state-directory", state, *arguments, directory=directory, **options)

    def killed(self, supervisor):
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        # A child that the killed supervisor was just starting holds its socket for a moment longer.
        until(lambda: connected_to(supervisor.path) is None, "a socket that refuses")

    def launched(self, supervisor):
        return supervisor.peer().ok("wait", for_="launch")
