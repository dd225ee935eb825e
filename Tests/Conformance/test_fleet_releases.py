"""initfleet forget, and initfleet agent --keep: the records of old releases."""

import contextlib
import socket
import threading
import unittest

from deadlines import until
from fleet import HEAD, Fleet, text64


class LosesAnswer:
    """A member of etcd whose answer to the first request with `text` is lost, with its connection."""

    def __init__(self, port, text, is_executed):
        self.target = port
        self.text = text
        self.is_executed = is_executed
        self.has_lost = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.target))
            silent = threading.Event()
            threading.Thread(target=self.requests, args=(client, server, silent), daemon=True).start()
            threading.Thread(target=self.answers, args=(server, client, silent), daemon=True).start()

    def requests(self, client, server, silent):
        while data := self.received(client):
            if self.text in data and not self.has_lost:
                # From now on, no answer is passed on.
                self.has_lost = True
                silent.set()
            server.sendall(data)
            if silent.is_set():
                until(self.is_executed, "the execution of the request")
                break
        for each in (client, server):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def answers(self, server, client, silent):
        while data := self.received(server):
            if not silent.is_set():
                client.sendall(data)

    @staticmethod
    def received(connection):
        try:
            return connection.recv(1 << 16)
        except OSError:
            return b""

    def close(self):
        self.listener.close()


class ReleaseTests(Fleet):
    def release(self, name, release, *options, **more):
        """A host of a release."""
        host = self.host(name, head=HEAD.replace("v1", release), agent=False, **more)
        host.agent = self.agent(host, name, "60s", *options)
        return host

    def run_release(self, name, release, *options):
        """The host runs the release, and leaves the fleet."""
        host = self.release(name, release, *options)
        self.assertEqual(self.launched(host), "complete")
        self.leave(host)

    def leave(self, host):
        host.agent.process.terminate()
        self.assertEqual(host.agent.wait(10), 0)

    def starts(self):
        return [line.split()[2] for line in self.lines() if line.startswith("start")]

    def recorded(self):
        return sorted({each["release"] for each in self.status()["once"]})

    def test_a_forgotten_release_runs_again_and_the_others_do_not(self):
        self.run_release("a", "v1")
        self.run_release("b", "v2")
        done = self.assertStatus(self.initfleet("forget", "v1"), 0)
        self.assertEqual(done.out, "forgot the release v1: migrate\n")
        self.assertEqual(self.recorded(), ["v2"])
        self.run_release("c", "v1")
        self.run_release("d", "v2")
        self.assertEqual(self.starts(), ["a", "b", "c"])

    def test_a_release_is_forgotten_even_if_the_answer_is_lost(self):
        self.run_release("a", "v1")
        key = "/initfleet/shop once v1 migrate done"
        member = LosesAnswer(self.port, key.encode(), lambda: not self.ask("/kv/range", key=text64(key)).get("kvs"))
        self.addCleanup(member.close)
        # The second one is another connection to the same member.
        urls = ",".join(2 * [f"http://127.0.0.1:{member.port}"])
        done = self.assertStatus(self.initfleet("forget", "v1", "--etcd", urls), 0)
        self.assertTrue(member.has_lost)
        self.assertEqual((done.out, done.err), ("forgot the release v1: migrate\n", ""))

    def test_the_release_of_a_host_is_forgotten_only_by_force(self):
        host = self.release("a", "v1")
        self.assertEqual(self.launched(host), "complete")
        until(lambda: [each.get("release") for each in self.status()["hosts"]] == ["v1"], "its release")
        refused = self.assertStatus(self.initfleet("forget", "v1"), 1)
        self.assertEqual(refused.err, "initfleet: cannot forget the release v1: a has it; give --force to forget it nevertheless\n")
        self.assertEqual(self.recorded(), ["v1"])
        self.assertStatus(self.initfleet("forget", "v1", "--force"), 0)
        self.assertEqual(self.recorded(), [])

    def test_a_release_that_runs_is_never_forgotten(self):
        # The first attempt fails, and the second one waits until it may end.
        script = 'echo start >> $LOG; test $(wc -l < $LOG) = 2 || exit 3; while [ ! -e $LOG.go ]; do sleep 0.05; done'
        gated = f"migrate: {{ command: '{script}', once: fleet, retry: {{ attempts: 2, delay: 10ms }} }}\n"
        host = self.release("a", "v1", initializers=gated)
        until(lambda: len(self.lines()) == 2 and self.status()["once"][0]["state"] == "running", "the second attempt")
        refused = self.assertStatus(self.initfleet("forget", "v1", "--force"), 1)
        self.assertIn("a runs its initializer migrate; wait until that has ended\n", refused.err)
        self.write(self.log + ".go", "")
        self.assertEqual(self.launched(host), "complete")
        self.assertStatus(self.initfleet("forget", "v1", "--force"), 0)
        self.assertEqual(self.recorded(), [])

    def test_a_mistyped_release_is_told(self):
        self.run_release("a", "v1")
        unknown = self.assertStatus(self.initfleet("forget", "v11"), 1)
        self.assertEqual(unknown.err, "initfleet: there are no records of a release v11; there are records of v1\n")

    def test_an_agent_keeps_the_newest_releases_and_those_of_hosts(self):
        old = self.release("old", "v1")
        self.assertEqual(self.launched(old), "complete")
        for number in (2, 3):
            self.run_release("a", f"v{number}")
        self.assertEqual(self.recorded(), ["v1", "v2", "v3"])
        host = self.release("b", "v4", "--keep", "2")
        self.assertEqual(self.launched(host), "complete")
        host.agent.until_err("initfleet: forgot old releases: v2\n")
        self.assertEqual(self.recorded(), ["v1", "v3", "v4"])
        self.leave(old)
        self.assertEqual(self.launched(self.release("c", "v5", "--keep", "2")), "complete")
        until(lambda: self.recorded() == ["v4", "v5"], "the end of v1")

    def test_wrong_usage_is_told(self):
        self.assertStatus(self.initfleet("forget"), 64)
        self.assertStatus(self.initfleet("agent", "--keep", "0"), 64)


if __name__ == "__main__":
    unittest.main()
