"""Workers in a thread, for tests."""

import contextlib
import os
import threading

from appinitializers import Worker

from .fake_supervisor import DEADLINE, FakeSupervisor

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@contextlib.contextmanager
def serving(worker, within=DEADLINE):
    """`worker.run()` in a separate thread; it must return in this time."""
    failures = []

    def run():
        try:
            worker.run()
        except Exception as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield failures
    finally:
        thread.join(within)
        assert not thread.is_alive(), "the worker did not end"


def play(script, declare, *more):
    """Runs a worker, set up by `declare`, against `script`, and stops it when the scripts have ended."""
    box = {}

    def first(peer):
        peer.greet()
        box["register"] = peer.reply("register", {"registered": []})["params"]["initializers"]
        script(peer)
        if not more:
            box["worker"].stop()
            box["unregister"] = peer.reply("unregister", {})["params"]["names"]
            peer.expect_end()

    with FakeSupervisor(first, *more) as supervisor:
        worker = box["worker"] = Worker(supervisor.path, "test-worker")
        declare(worker)
        with serving(worker) as box["failures"]:
            pass
    return box
