"""An initweb at a real supervisor's read-only socket: the base class of its tests."""

import http.client
import json
import os
import re

from deadlines import until
from supervisor import ROOT, Conformance

INITWEB = os.path.abspath(os.environ.get("INITWEB") or os.path.join(ROOT, "companions/web/.build/debug/initweb"))


class Web(Conformance):
    """Supervisors, with an initweb at the read-only socket."""

    def serve(self, path, *options, **arguments):
        """An initweb for the supervisor at that socket."""
        web = self.program([INITWEB, "--socket", path, "--listen", "127.0.0.1:0", *options], **arguments)
        web.until_err("listening at 127.0.0.1:")
        self.port = int(re.search(rb"listening at 127\.0\.0\.1:(\d+)", web.err)[1])
        return web

    def supervised(self, initializers="", *arguments, **options):
        """A supervisor, observed at its second socket."""
        directory = self.directory()
        self.observe = directory + "/observe.sock"
        supervisor = self.start(self.manifest(initializers), "--observe-socket", self.observe, *arguments, directory=directory, **options)
        self.web = self.serve(self.observe)
        return supervisor

    def ask(self, path, method="GET"):
        """The status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()
        finally:
            connection.close()

    def probe(self, name):
        """The status of a probe's answer, and its JSON."""
        status, headers, body = self.ask("/" + name)
        self.assertEqual(headers["Content-Type"], "application/json")
        answer = json.loads(body)
        self.assertEqual(answer["passes"], status == 200, answer)
        return status, answer

    def until_reason(self, name, reason, within=15.0):
        """Waits until a probe doesn't pass for this reason, or passes (None)."""
        return until(lambda: (found := self.probe(name)[1]).get("reason") == reason and found, f"{name} for {reason}", within)

    def samples(self):
        """The metrics: a value for each name with labels."""
        lines = [line for line in self.ask("/metrics")[2].splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def until_sample(self, name, value):
        until(lambda: self.samples().get(name) == value, f"{name} {value}")
