"""initweb: probes and metrics of a real supervisor over HTTP."""

import concurrent.futures
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import unittest

from deadlines import until
from fake import STATUS, FakeSupervisor
from web import INITWEB, Web

GATED = """\
migrate: { command: 'until test -e go; do sleep 0.02; done' }
serve: { command: 'true', dependencies: [migrate] }
"""
STAGED = GATED + "session: { command: 'true', priority: appActive }\n"


class ProbeTests(Web):
    def test_a_start_is_followed_to_ready_and_back(self):
        supervisor = self.supervised(STAGED)
        answer = until(lambda: (found := self.probe("startupz")[1]).get("waitsFor") and found, "what it waits for")
        self.assertEqual(answer["reason"], "launchPending")
        self.assertEqual(answer["waitsFor"], [{"initializer": "migrate", "status": "running"}])
        self.assertEqual(answer["message"], "launch waits for migrate (running)")
        self.assertEqual(self.probe("readyz")[1]["reason"], "launchPending")
        self.assertEqual(self.probe("livez")[0], 200)
        open(supervisor.file("go"), "w").close()
        self.until_reason("startupz", None)
        self.until_reason("readyz", "inactive")
        self.assertStatus(supervisor.ctl("activate"), 0)
        self.until_reason("readyz", None)
        self.assertStatus(supervisor.ctl("deactivate"), 0)
        self.until_reason("readyz", "inactive")
        self.assertEqual(self.probe("startupz")[0], 200)

    def test_what_it_waits_for_changes_during_a_pass(self):
        """No event tells of it: nobody reads events, so initweb gets none of initializers."""
        supervisor = self.supervised(
            "".join(f"{name}: {{ command: 'until test -e {name}; do sleep 0.02; done', dependencies: [{needs}] }}\n" for name, needs in ("a ", "ba", "cb")))
        for name in "abc":
            until(lambda: [each["initializer"] for each in self.probe("startupz")[1].get("waitsFor", [])] == [name], f"it to wait for {name}")
            open(supervisor.file(name), "w").close()
        self.until_reason("startupz", None)

    def test_a_reload_that_runs_nothing_is_seen(self):
        supervisor = self.supervised(STAGED)
        open(supervisor.file("go"), "w").close()
        self.until_sample('initd_initializers{status="idle"}', 1)
        self.write(supervisor.manifest, self.manifest(STAGED + "more: { command: 'true', priority: appActive }\n"))
        self.assertStatus(supervisor.ctl("reload"), 0)
        self.until_sample('initd_initializers{status="idle"}', 2)

    def test_a_failed_launch_is_named(self):
        self.supervised("migrate: { command: 'exit 3' }")
        answer = self.until_reason("readyz", "launchFailed")
        self.assertIn("migrate failed: exit status 3", answer["message"])

    def test_a_frozen_supervisor_is_known_within_a_second_and_recovers(self):
        supervisor = self.supervised(GATED)
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.until_reason("readyz", None)
        os.kill(supervisor.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, supervisor.pid, signal.SIGCONT)
        frozen = time.monotonic()
        answer = self.until_reason("readyz", "silent")
        took = time.monotonic() - frozen
        self.assertIn("doesn't answer", answer["message"])
        for name in ("livez", "startupz"):
            self.assertEqual(self.probe(name)[1]["reason"], "silent")
        self.assertEqual(self.samples()["initd_up"], 0)
        os.kill(supervisor.pid, signal.SIGCONT)
        thawed = time.monotonic()
        self.until_reason("readyz", None)
        again = time.monotonic() - thawed
        if os.environ.get("SPEED"):
            self.assertLess(took, 1)
            self.assertLess(again, 1)

    def test_a_supervisor_that_is_killed_and_started_again(self):
        supervisor = self.supervised(GATED)
        open(supervisor.file("go"), "w").close()
        self.until_reason("readyz", None)
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        self.until_reason("livez", "unreachable")
        self.assertEqual(self.probe("readyz")[0], 503)
        os.unlink(supervisor.file("go"))
        again = self.start(self.manifest(GATED), "--observe-socket", self.observe, directory=supervisor.directory)
        # The state must not be that of the previous supervisor.
        self.until_reason("startupz", "launchPending")
        open(again.file("go"), "w").close()
        self.until_reason("startupz", None)

    def test_a_path_that_leads_to_another_supervisor_while_the_first_one_lives(self):
        """No connection ends, and the first one still answers."""
        for frozen in (False, True):
            with self.subTest(frozen=frozen):
                path = self.directory() + "/link.sock"
                first, second = self.start(self.manifest()), self.start(self.manifest("slow: { command: 'sleep 600' }"))
                os.symlink(first.path, path)
                self.serve(path)
                self.assertStatus(first.ctl("activate", "--wait"), 0)
                self.until_reason("readyz", None)
                self.assertEqual(json.loads(self.ask("/api/v1/why")[2])["status"], "complete")
                if frozen:
                    os.kill(first.pid, signal.SIGSTOP)
                    self.addCleanup(os.kill, first.pid, signal.SIGCONT)
                    self.until_reason("readyz", "silent")
                os.symlink(second.path, path + ".new")
                os.replace(path + ".new", path)
                answer = self.until_reason("readyz", "launchPending")
                self.assertIn("slow", answer["message"])
                self.until_sample("initd_initializers{status=\"running\"}", 1)
                self.assertEqual(json.loads(self.ask("/api/v1/why")[2])["status"], "pending")
                self.assertIn('id="i-slow"', self.ask("/")[2])
                os.unlink(path)
                self.until_reason("livez", "unreachable")

    def test_a_supervisor_that_comes_later(self):
        directory = self.directory()
        self.serve(directory + "/initd.sock")
        answer = self.until_reason("livez", "unreachable")
        self.assertIn(directory + "/initd.sock", answer["message"])
        self.start(self.manifest(), directory=directory)
        self.until_reason("startupz", None)

    def test_a_peer_that_never_answers(self):
        directory = self.directory()
        with socket.socket(socket.AF_UNIX) as mute:
            mute.bind(directory + "/mute.sock")
            mute.listen()
            self.serve(directory + "/mute.sock")
            self.assertIn("doesn't answer", until(
                lambda: "doesn't answer" in (found := self.probe("readyz")[1])["message"] and found, "the reason")["message"])

    def test_requests_cause_none_to_the_supervisor(self):
        path = self.directory() + "/fake.sock"
        answers = {"subscribe": {"snapshot": STATUS}, "history": {"passes": []}, "status": STATUS}
        fake = FakeSupervisor(path, lambda method, params: answers[method])
        self.addCleanup(fake.close)
        self.serve(path)
        self.until_reason("readyz", "launchPending")
        until(lambda: fake.asked["history"] and fake.asked["status"], "its first requests")

        def asked():
            """The number of requests other than those that initweb sends at intervals."""
            return fake.asked.total() - fake.asked["ping"] - fake.asked["status"]

        before, status, began = asked(), fake.asked["status"], time.monotonic()
        for _ in range(100):
            self.probe("readyz")
            self.ask("/metrics")
        self.assertEqual(asked(), before)
        # At most twice a second, and one may have been on its way.
        self.assertLessEqual(fake.asked["status"] - status, 1 + 2 * (time.monotonic() - began))


class MetricsTests(Web):
    def test_runs_passes_and_states(self):
        supervisor = self.supervised("flags: { command: 'echo >> tries; test -e go', retry: { attempts: 100, delay: 10ms } }\n", "--no-launch")
        self.until_sample('initd_initializers{status="idle"}', 1)
        self.assertStatus(supervisor.ctl("launch"), 0)
        supervisor.until_lines("tries", 3)
        open(supervisor.file("go"), "w").close()
        self.until_sample('initd_passes_total{phase="launch",outcome="complete"}', 1)
        samples = self.samples()
        self.assertEqual(samples['initd_state{scope="launch",state="complete"}'], 1)
        self.assertEqual(samples['initd_state{scope="launch",state="pending"}'], 0)
        self.assertEqual(samples['initd_runs_total{initializer="flags",outcome="complete"}'], 1)
        # Each attempt is a run.
        self.assertEqual(samples['initd_retries_total{initializer="flags"}'], len(supervisor.lines("tries")) - 1)
        self.assertEqual(samples['initd_runs_total{initializer="flags",outcome="failed"}'], samples['initd_retries_total{initializer="flags"}'])
        self.assertEqual(samples['initd_run_duration_seconds_count{initializer="flags"}'], 1)
        memory = samples["initd_resident_memory_bytes"]
        self.assertGreater(memory, supervisor.resident() / 2)
        self.assertLess(memory, supervisor.resident() * 2)

    def test_workers_and_restarts(self):
        head = "version: 1\nworkers:\n  shelf: { command: 'echo >> begun; sleep 600' }\n"
        directory = self.directory()
        supervisor = self.start(self.manifest("", head=head), directory=directory)
        self.serve(supervisor.path)
        self.until_sample('initd_process_running{process="shelf"}', 1)
        supervisor.until_lines("begun")
        pid = supervisor.peer().ok("status")["processes"][0]["pid"]
        os.kill(pid, signal.SIGKILL)
        self.until_sample('initd_process_restarts_total{process="shelf"}', 1)
        worker = supervisor.worker("favorites")
        self.until_sample("initd_workers", 1)
        worker.close()
        self.until_sample("initd_workers", 0)

    def test_the_format(self):
        supervisor = self.supervised("a: { command: 'true' }\nb: { command: 'exit 1', optional: true }\n", "--no-launch")
        self.assertStatus(supervisor.ctl("launch"), 0)
        self.until_sample('initd_runs_total{initializer="a",outcome="complete"}', 1)
        status, headers, text = self.ask("/metrics")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        if promtool := shutil.which("promtool"):
            checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
            self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))
        kinds = {}
        for line in text.splitlines():
            if found := re.fullmatch(r"# TYPE ([a-z_]+) (counter|gauge|histogram)", line):
                self.assertNotIn(found[1], kinds)
                kinds[found[1]] = found[2]
            elif not re.fullmatch(r"# HELP [a-z_]+ .+\.", line):
                found = re.fullmatch(r'([a-z_]+)(\{[a-z]+="[^"\\]*"(,[a-z]+="[^"\\]*")*\})? -?[0-9.]+(e-?[0-9]+)?', line)
                self.assertTrue(found, line)
                name = re.sub("_(bucket|sum|count)$", "", found[1])
                self.assertTrue(found[1] in kinds or kinds.get(name) == "histogram", line)
        for name, kind in kinds.items():
            self.assertEqual(kind == "counter", name.endswith("_total"), name)


class ServerTests(Web):
    def test_nothing_can_be_changed_and_other_paths_are_not_found(self):
        self.supervised()
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            status, headers, _ = self.ask("/readyz", method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"))
        for path in ("/readyz/", "/metrics/x", "/assets/x", "/assets/../x", "/api/v1/", "/api/v1/x", "/api/v2/status", "/..", "/%2e%2e/readyz"):
            status, _, body = self.ask(path)
            self.assertEqual(status, 404, path)
        named = re.findall(r"(?<=[ ,])/[a-z0-9/.]*", self.ask("/absent")[2])
        self.assertLessEqual({"/", "/history", "/readyz", "/metrics", "/api/v1/status", "/api/v1/openapi.json"}, set(named))
        for path in set(named) - {"/api/v1/events", "/api/v1/history", "/pass"}:
            self.assertNotEqual(self.ask(path)[0], 404, path)
        status, headers, body = self.ask("/livez", "HEAD")
        self.assertEqual(body, "")
        self.assertGreater(int(headers["Content-Length"]), 0)

    def test_a_header_that_is_too_large_is_refused(self):
        self.supervised()
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000)
            self.assertIn(client.recv(100).split(b" ")[1:2], ([b"400"], [b"431"]))
        self.until_reason("livez", None)

    def test_a_unix_socket(self):
        supervisor = self.start_fast()
        path = supervisor.file("web.sock")
        web = self.program([INITWEB, "--socket", supervisor.path, "--listen", "unix:" + path])
        web.until_err("listening at unix:" + path)
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10)
            client.connect(path)
            client.sendall(b"GET /metrics HTTP/1.0\r\nConnection: close\r\n\r\n")
            with client.makefile("rb") as source:
                self.assertIn(b" 200 ", source.readline())

    def test_sigterm_ends_it_in_order(self):
        self.supervised()
        self.until_reason("livez", None)
        self.web.signal(signal.SIGTERM)
        self.assertEqual(self.web.wait(), 0)

    def test_an_address_in_use_and_wrong_usage(self):
        self.supervised()
        ended = self.program([INITWEB, "--socket", self.observe, "--listen", f"127.0.0.1:{self.port}"]).finish()
        self.assertEqual(ended.status, 1)
        self.assertIn(f"cannot listen at 127.0.0.1:{self.port}", ended.err)
        for address in ("8088", "unix:", ":80", "localhost:99999"):
            self.assertEqual(self.program([INITWEB, "--listen", address]).finish().status, 64, address)

    def test_many_clients_at_once(self):
        self.supervised()
        self.until_reason("startupz", None)
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            asking = [pool.submit(self.probe, "startupz") for _ in range(500)]
            self.assertEqual({each.result()[0] for each in asking}, {200})


if __name__ == "__main__":
    unittest.main()
