"""initfleet: the log of `agent` and `lead`."""

import array
import fcntl
import json
import signal
import termios
import unittest

from deadlines import until
from fleet import Fleet, text64


class LogTests(Fleet):
    def candidate(self, host, *options):
        return self.start_initfleet("lead", "billing", "--host", "a", "--lease", "4s", "--socket", host.path, *options)

    def ended(self, program):
        program.process.terminate()
        self.assertEqual(program.wait(10), 0)
        return program.err.decode().splitlines()

    def test_its_json_has_the_time_the_level_and_the_host(self):
        host = self.host("a", agent=False)
        candidate = self.candidate(host, "--log-format", "json")
        candidate.until_err("a leads billing")
        host.peer().ok("deactivate")
        candidate.until_err("doesn't lead")
        lines = [json.loads(line) for line in self.ended(candidate)]
        self.assertEqual([each["level"] for each in lines[:2]], ["info", "warning"], lines)
        for each in lines:
            self.assertEqual((each["fleet"], each["host"], each["leadership"], type(each["time"])), ("shop", "a", "billing", float), each)

    def test_a_failure_is_the_last_line_and_has_the_format_too(self):
        ended = self.initfleet("lead", "billing", "--host", "a", "--socket", self.directory() + "/none", "--log-format", "json")
        self.assertEqual(ended.status, 69, ended)
        line = json.loads(ended.err.splitlines()[-1])
        self.assertEqual(line["level"], "error")
        self.assertIn("none", line["message"])

    def test_a_failure_at_the_start_has_the_format_too(self):
        words = ["agent", "--host", "a", "--fleet", "a b", "--log-format", "json"]
        self.assertIn("invalid name", self.assertStatus(self.initfleet(*words), 64).err)
        words = ["agent", "--host", "a", "--etcd", "ftp://x"]
        ended = self.assertStatus(self.initfleet(*words), 64)
        self.assertRegex(ended.err, r"\Ainitfleet: invalid URL")
        ended = self.assertStatus(self.initfleet(*words, "--log-format", "json"), 64)
        self.assertIn("invalid URL", json.loads(ended.err)["message"])

    def test_the_level_leaves_out_what_is_less_severe(self):
        host = self.host("a", agent=False)
        peer = host.peer()
        candidate = self.candidate(host, "--log-level", "warning")
        until(lambda: peer.status()["lifecycle"] == "active", "the leader")
        self.assertEqual(self.ended(candidate), [])
        candidate = self.candidate(host, "--log-level", "trace")
        candidate.until_err("initfleet: trace: lease ")
        self.assertStatus(self.initfleet("lead", "billing", "--log-level", "loud"), 64)

    def test_an_agent_says_what_it_does(self):
        first = self.host("a")
        first.agent.until_err("initfleet: coordinates the supervisor of a in the fleet shop, with a lease of 4 s\n")
        first.agent.until_err("initfleet: migrate of release v1 runs here, with the token ")
        first.agent.until_err("initfleet: migrate of release v1 is done\n")
        self.host("b").agent.until_err("initfleet: migrate of release v1 was completed on a at ")

    def test_an_agent_whose_log_isnt_read_keeps_its_lease(self):
        host = self.host("a", "warm: { command: 'true', priority: appActive }\n", agent=False)
        agent = self.agent(host, "a", "4s", "--log-level", "trace")
        full = fcntl.fcntl(agent.process.stderr, fcntl.F_SETPIPE_SZ, 4096)
        self.until_hosts("a")
        peer = host.peer()

        def is_full():
            unread = array.array("i", [0])
            fcntl.ioctl(agent.process.stderr, termios.FIONREAD, unread)
            return full - unread[0] < 256

        until(is_full, "a full pipe", 60)
        created = self.created("a")
        # Longer than the lease, by the supervisor's own timers.
        peer.refused(-32003, "wait", {"for": "composite", "timeout": 5.5})
        self.assertEqual(self.created("a"), created)
        self.assertStatus(self.initfleet("activate"), 0)
        agent.process.send_signal(signal.SIGTERM)
        self.assertEqual(agent.process.wait(10), 0)

    def created(self, host):
        """The revision at which the record of a host was created; None if there is no record."""
        hosts = self.ask("/kv/range", key=text64(f"/initfleet/shop host {host}")).get("kvs", [])
        return hosts[0]["create_revision"] if hosts else None


if __name__ == "__main__":
    unittest.main()
