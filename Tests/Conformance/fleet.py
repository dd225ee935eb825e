"""A fleet: etcd, and supervisors with their agents."""

import base64
import contextlib
import json
import os
import random
import signal
import socket
import urllib.error
import urllib.request

from deadlines import until
from supervisor import FAST, ROOT, Conformance

INITFLEET = os.path.abspath(os.environ.get("INITFLEET") or os.path.join(ROOT, "companions/fleet/.build/debug/initfleet"))
HEAD = FAST.replace("500ms", "20s") + "release: v1\n"
# The command appends a line when it starts, with its fencing token, and another line when it ends.
MIGRATE = """\
migrate:
  command: 'echo "start $INITD_FENCE $HOST" >> $LOG; sleep $SLEEP; echo "end $INITD_FENCE $HOST" >> $LOG; echo $HOST > $INITD_OUTPUT'
  once: fleet
serve: { command: 'echo "serve $HOST $INITD_INPUT_MIGRATE" >> $LOG', dependencies: [migrate] }
"""


def text64(text):
    return base64.b64encode(text.encode()).decode()


def free_port():
    """Returns a port at which nobody listens, below those that the kernel assigns: it won't assign this one in the meantime."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class Fleet(Conformance):
    """Hosts of a fleet: supervisors with their agents, and etcd."""

    def setUp(self):
        super().setUp()
        self.log = self.directory() + "/log"
        self.port = free_port()
        self.etcd_directory = self.directory()
        self.start_etcd()

    def start_etcd(self, *options):
        url, peers = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{free_port()}"
        words = ["etcd", "--name", "e", "--data-dir", self.etcd_directory + "/data", "--listen-client-urls", url, "--advertise-client-urls", url]
        words += ["--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers, "--initial-cluster", f"e={peers}"]
        self.etcd = self.program([*words, "--log-level", "error", *options])

        def answers():
            try:
                return urllib.request.urlopen(url + "/health", timeout=1).status == 200
            except OSError:
                return False

        until(answers, "etcd")

    def start_small_etcd(self):
        """Starts etcd again, with space for 4 MiB."""
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()
        self.start_etcd("--quota-backend-bytes", str(4 << 20))

    def fill_etcd(self):
        with self.assertRaises(urllib.error.HTTPError) as full:
            for number in range(100):
                self.ask("/kv/put", key=text64(f"big {number}"), value=text64("x" * (200 << 10)))
        full.exception.close()

    def empty_etcd(self):
        revision = self.ask("/kv/deleterange", key=text64("big "), range_end=text64("big!"))["header"]["revision"]
        self.ask("/kv/compaction", revision=revision, physical=True)
        self.ask("/maintenance/defragment")
        for alarm in self.ask("/maintenance/alarm", action="GET")["alarms"]:
            self.ask("/maintenance/alarm", action="DEACTIVATE", **alarm)

    def host(self, name, initializers=MIGRATE, sleep="0.3", head=HEAD, agent=True, lease="4s", **env):
        env |= {"HOST": name, "LOG": self.log, "SLEEP": sleep}
        supervisor = self.start(self.manifest(initializers, head=head), env=env)
        supervisor.agent = self.agent(supervisor, name, lease) if agent else None
        return supervisor

    def agent(self, supervisor, name, lease="4s", *options, env=None):
        words = [INITFLEET, "agent", "--etcd", f"http://127.0.0.1:{self.port}", "--fleet", "shop", "--host", name]
        return self.program([*words, "--lease", lease, "--socket", supervisor.path, *options], env=env)

    def ask(self, path, **body):
        """Calls etcd's API."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v3{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def initfleet(self, *words, timeout=60, env=None):
        """Runs initfleet until it ends."""
        return self.start_initfleet(*words, env=env).finish(timeout)

    def start_initfleet(self, *words, env=None):
        where = {"INITFLEET_ETCD": f"http://127.0.0.1:{self.port}", "INITFLEET_NAME": "shop"}
        return self.program([INITFLEET, *words], env=where | (env or {}))

    def status(self):
        """The status of the fleet."""
        return json.loads(self.assertStatus(self.initfleet("status", "--json"), 0).out)

    def record(self, host):
        """The record of a host in etcd."""
        found = self.ask("/kv/range", key=text64(f"/initfleet/shop host {host}")).get("kvs")
        return json.loads(base64.b64decode(found[0]["value"])) if found else {}

    def until_hosts(self, *names):
        """Waits until the agents of these hosts, and no others, are running."""
        until(lambda: [each["host"] for each in self.status()["hosts"]] == sorted(names), "the hosts")

    def lines(self):
        try:
            with open(self.log) as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def launched(self, supervisor):
        return supervisor.peer().ok("wait", for_="launch")["state"]
