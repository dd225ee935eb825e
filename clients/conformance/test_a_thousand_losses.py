"""Connections that are lost repeatedly leave nothing behind."""

from __future__ import annotations

import os
import signal
import threading

from subject import LANGUAGE, LONG, Scenario, active, descriptors, threads
from transcript import Server


class Losses(Scenario):
    def test_connections_that_are_lost_leave_nothing_behind(self) -> None:
        # The other clients' own tests lose as many.
        count = 1000 if LONG or LANGUAGE in ("rust", "shell", "swift") else 100
        server = Server(os.path.join(self.directory(), "initd.sock"))
        self.addCleanup(server.close)
        subject = self.subject(server.path, active("a", {"sleep": 300}), active("b", {"block": 0.001}, {"sleep": 300}))
        before = (0, 0)
        for number in range(count):
            talk = server.accept()
            talk.begin()
            subject.take("connected")
            if number == count // 3:
                before = (descriptors(subject.pid), threads(subject.pid))
            for run, name in ((2 * number + 1, "a"), (2 * number + 2, "b")):
                talk.send({"id": f"run-{run}", "method": "run", "params": {"run": run, "initializer": name, "pass": 1, "phase": "active", "attempt": 1}})
                subject.take("run", name, run)
            talk.close()
            subject.take("lost")
        talk = server.accept()
        talk.begin()
        subject.take("connected")
        after = (descriptors(subject.pid), threads(subject.pid))
        self.assertLessEqual(after[0], before[0] + 2, f"descriptors and threads before and after: {before}, {after}")
        self.assertLessEqual(after[1], before[1] + 2, f"descriptors and threads before and after: {before}, {after}")
        self.assertEqual(subject.count("done"), 0)
        stop = threading.Timer(0, lambda: subject.program.signal(signal.SIGTERM))
        stop.start()
        talk.expect({"method": "unregister"})
        talk.close()
        status = subject.program.wait()
        subject.program.pump()
        self.assertEqual(status, 0, subject.program.err[-500:])
