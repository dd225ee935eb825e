"""initweb --otlp: the spans that a collector receives, and the fate of the others if it doesn't accept them."""

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import unittest

from collector import Collector, error_body, partial_success
from deadlines import until
from web import INITWEB, Web

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CHAIN = """\
a: { command: 'echo "a $TRACEPARENT" >> traces; test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }
b: { command: 'echo "b $TRACEPARENT" >> traces', dependencies: [a] }
c: { command: 'echo "c $TRACEPARENT" >> traces', priority: appActive }
"""


class Traces(Web):
    def collector(self, answer=None, **options):
        collector = Collector(answer, **options)
        self.addCleanup(collector.close)
        return collector

    def traced(self, initializers, collector, *arguments, environment=None, **options):
        """A supervisor, and an initweb that sends its spans to the collector."""
        supervisor = self.start_with(initializers, *arguments, **options)
        self.web = self.serve(supervisor.path, "--otlp", getattr(collector, "url", collector), env=environment)
        return supervisor

    def until_taken(self, collector, count):
        return until(lambda: len(collector.taken) >= count and collector.taken, f"{count} spans")

    def cycle(self, supervisor, times=1):
        """Active passes."""
        for _ in range(times):
            self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
            self.assertStatus(supervisor.ctl("deactivate"), 0)

    def refused_port(self):
        """Returns a port on which no process listens."""
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            return taken.getsockname()[1]


class SpanTests(Traces):
    def test_a_run_is_the_span_that_its_command_got(self):
        collector = self.collector()
        supervisor = self.traced(CHAIN, collector, env={"TRACEPARENT": None})
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        got = [line.split(" ") for line in supervisor.until_lines("traces", 4)]
        spans = self.until_taken(collector, 6)
        for name, context in got:
            _, trace, number, _ = context.split("-")
            [span] = [each for each in spans if (each.trace, each.id) == (trace, number)]
            self.assertEqual(span.name, name)
            [parent] = [each for each in spans if (each.trace, each.id) == (trace, span.parent)]
            self.assertEqual(parent.name, "active pass" if name == "c" else "launch pass")
            self.assertIsNone(parent.parent)
            self.assertLessEqual(parent.start, span.start)
            self.assertLess(span.start, span.end)
            self.assertLessEqual(span.end, parent.end + 1000)
        self.assertEqual(len(spans), 6)
        self.assertEqual(len({(each.trace, each.id) for each in spans}), 6)
        self.assertEqual({each.kind for each in spans}, {1})
        first, second = [each for each in spans if each.name == "a"]
        self.assertEqual([each.attributes["initd.attempt"] for each in (first, second)], [1, 2])
        self.assertEqual([each.attributes["initd.outcome"] for each in (first, second)], ["failed", "complete"])
        self.assertEqual([each.code for each in (first, second)], [2, 0])
        self.assertIn("exit status 1", first.message)
        [b] = [each for each in spans if each.name == "b"]
        self.assertEqual(b.links, [(second.trace, second.id)])
        self.assertGreaterEqual(b.attributes["initd.queued_seconds"], 0)
        self.assertGreaterEqual(b.attributes["initd.cpu_seconds"], 0)
        # The clock of this machine.
        self.assertLess(abs(first.start / 1e9 - time.time()), 300)
        self.assertEqual(b.resource["service.name"], "initd")
        self.assertEqual(b.resource["service.instance.id"], supervisor.peer().status()["instance"])
        self.assertEqual(b.scope, "initweb")

    def test_a_failed_pass_says_why(self):
        collector = self.collector()
        self.traced("a: { command: 'exit 3' }", collector)
        root, run = self.until_taken(collector, 2)
        self.assertEqual((root.code, root.attributes["initd.failed_by"]), (2, "a"))
        self.assertIn("a failed: exit status 3", root.message)
        self.assertEqual((run.code, run.message), (2, "exit status 3"))

    def test_the_launch_pass_belongs_to_the_trace_of_the_environment(self):
        collector = self.collector()
        supervisor = self.traced(CHAIN, collector, env={"TRACEPARENT": PARENT})
        self.cycle(supervisor)
        spans = self.until_taken(collector, 6)
        [launch] = [each for each in spans if each.name == "launch pass"]
        self.assertEqual((launch.trace, launch.parent, launch.flags), (PARENT[3:35], PARENT[36:52], 0x301))
        [active] = [each for each in spans if each.name == "active pass"]
        self.assertNotEqual(active.trace, launch.trace)
        self.assertIsNone(active.parent)
        self.assertEqual({each.parent for each in spans if each.name in "ab"}, {launch.id})

    def test_what_is_not_to_be_recorded_is_not_sent(self):
        collector = self.collector()
        supervisor = self.traced(CHAIN, collector, env={"TRACEPARENT": PARENT[:-1] + "0"})
        self.cycle(supervisor)
        spans = self.until_taken(collector, 2)
        self.assertEqual([each.name for each in spans], ["active pass", "c"])

    def test_a_held_pass_says_when_it_opened(self):
        collector = self.collector()
        supervisor = self.traced("a: { command: 'until test -e go; do sleep 0.02; done' }\nc: { command: 'true', priority: appActive }", collector)
        self.assertStatus(supervisor.ctl("activate"), 0)
        open(supervisor.file("go"), "w").close()
        spans = self.until_taken(collector, 4)
        [active] = [each for each in spans if each.name == "active pass"]
        self.assertAlmostEqual((active.events["opened"] - active.start) / 1e9, active.attributes["initd.held_seconds"], 5)
        [c] = [each for each in spans if each.name == "c"]
        self.assertLessEqual(active.events["opened"], c.start + 1000)

    def test_a_worker_gets_the_span_of_its_run(self):
        collector = self.collector()
        supervisor = self.traced("", collector, "--no-launch")
        worker = supervisor.worker("w")
        self.assertStatus(supervisor.ctl("launch"), 0)
        run = worker.expect_run()
        run.succeed()
        span = self.until_taken(collector, 2)[1]
        self.assertEqual(run.params["traceparent"], f"00-{span.trace}-{span.id}-01")

    def test_the_environment_names_the_service_and_the_headers(self):
        collector = self.collector()
        self.traced("a: { command: 'true' }", collector, environment={
            "OTEL_SERVICE_NAME": "shop", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test%2C1",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20secret"})
        span = self.until_taken(collector, 2)[0]
        self.assertEqual((span.resource["service.name"], span.resource["deployment.environment"]), ("shop", "test,1"))
        self.assertEqual(collector.headers[0]["authorization"], "Bearer secret")
        self.assertRegex(collector.headers[0]["user-agent"], "^initweb/[0-9.]+$")

    def test_passes_are_sent_once_and_in_order(self):
        collector = self.collector()
        supervisor = self.traced("c: { command: 'true', priority: appActive }", collector)
        self.cycle(supervisor, 5)
        # On a new connection, initweb requests everything that the supervisor remembers again.
        self.until_taken(collector, 11)
        for peer in ("SIGSTOP", "SIGCONT"):
            self.web.signal(getattr(signal, peer))
        self.cycle(supervisor)
        self.until_taken(collector, 13)
        passes = [each.attributes["initd.pass"] for each in collector.taken if each.name.endswith("pass")]
        self.assertEqual(passes, sorted(set(passes)))
        self.assertEqual(len({(each.trace, each.id) for each in collector.taken}), len(collector.taken))

    def test_passes_from_before_its_start_have_the_same_numbers_each_time(self):
        collector, again = self.collector(), self.collector()
        supervisor = self.start_with(CHAIN)
        self.cycle(supervisor, 2)
        sent = []
        for each in (collector, again):
            self.serve(supervisor.path, "--otlp", each.url)
            sent.append({(span.trace, span.id, span.parent) for span in self.until_taken(each, 8)})
        self.assertEqual(sent[0], sent[1])

    def test_another_supervisor_at_the_socket(self):
        collector = self.collector()
        supervisor = self.traced("a: { command: 'true' }", collector)
        self.until_taken(collector, 2)
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        self.start(self.manifest("a: { command: 'true' }"), directory=supervisor.directory)
        spans = self.until_taken(collector, 4)
        self.assertEqual(len({each.resource["service.instance.id"] for each in spans}), 2)
        self.assertEqual([each.attributes["initd.pass"] for each in spans], [1, 1, 1, 1])
        self.assertEqual(len({each.trace for each in spans}), 2)

    def test_a_large_pass_is_sent_in_several_requests(self):
        collector = self.collector()
        self.traced("".join(f"i{number}: {{ command: 'true' }}\n" for number in range(600)), collector)
        spans = self.until_taken(collector, 601)
        self.assertEqual(len(spans), 601)
        self.assertEqual(len({each.trace for each in spans}), 1)
        self.assertEqual([len(each) for each in collector.requests], [512, 89])


class DeliveryTests(Traces):
    ONE = "c: { command: 'true', priority: appActive }"

    def test_a_collector_that_is_down_and_comes_later(self):
        port = self.refused_port()
        supervisor = self.traced(self.ONE, f"http://127.0.0.1:{port}")
        self.web.until_err(f"cannot send spans to http://127.0.0.1:{port}/v1/traces")
        self.cycle(supervisor, 3)
        self.until_sample("initweb_spans_queued", 7)
        self.assertEqual(self.samples()["initweb_spans_exported_total"], 0)
        collector = self.collector(port=port)
        spans = self.until_taken(collector, 7)
        self.web.until_err(f"http://127.0.0.1:{port}/v1/traces takes spans again")
        self.assertEqual(len(spans), 7)
        self.assertEqual(self.web.err.count(b"cannot send spans"), 1)
        self.until_sample("initweb_spans_exported_total", 7)
        self.until_sample("initweb_spans_queued", 0)

    def test_503_with_retry_after(self):
        times = []

        def answer(spans):
            times.append(time.monotonic())
            return (503, {"Retry-After": "2"}, b"") if len(times) == 1 else (200, {}, b"")

        collector = self.collector(answer)
        self.traced("a: { command: 'true' }", collector)
        self.assertEqual(len(self.until_taken(collector, 2)), 2)
        # The request isn't repeated earlier than the collector wanted: the first pause would be 0.5 s at most.
        self.assertGreaterEqual(times[1] - times[0], 2)
        self.assertEqual([[span.id for span in each] for each in collector.requests], [[span.id for span in collector.taken]] * 2)

    def test_statuses_that_mean_later(self):
        statuses = [429, 502, 504]
        collector = self.collector(lambda spans: (statuses.pop(0) if statuses else 200, {}, b""))
        self.traced("a: { command: 'true' }", collector)
        self.assertEqual(len(self.until_taken(collector, 2)), 2)
        self.assertEqual(len(collector.requests), 4)
        self.assertEqual(self.samples()['initweb_spans_dropped_total{reason="refused"}'], 0)

    def test_what_is_refused_is_not_sent_again_and_counted(self):
        for status in (400, 401, 404, 500, 301):
            with self.subTest(status):
                statuses = [status]
                collector = self.collector(lambda spans: (statuses.pop(), {}, error_body("no token")) if statuses else (200, {}, b""))
                supervisor = self.traced(self.ONE, collector)
                self.until_sample('initweb_spans_dropped_total{reason="refused"}', 1)
                self.web.until_err(f"spans are lost: {collector.url}/v1/traces refuses them: the collector answers with status {status}: no token")
                self.cycle(supervisor)
                self.assertEqual(len(self.until_taken(collector, 2)), 2)
                self.web.until_err("takes spans again")
                self.until_sample("initweb_spans_exported_total", 2)
                self.web.end()
                supervisor.program.signal(signal.SIGTERM)
                supervisor.ended()

    def test_partial_success(self):
        collector = self.collector(lambda spans: (200, {}, partial_success(1, "too old")))
        self.traced("a: { command: 'true' }", collector)
        self.until_sample('initweb_spans_dropped_total{reason="refused"}', 1)
        self.assertEqual(self.samples()["initweb_spans_exported_total"], 1)
        self.web.until_err("refuses them: too old")
        self.assertEqual(len(collector.requests), 1)

    def test_a_collector_that_does_not_answer(self):
        """Spans are queued, and everything else continues."""
        release = threading.Event()
        self.addCleanup(release.set)

        def answer(spans):
            release.wait(60)
            return 200, {}, b""

        collector = self.collector(answer)
        supervisor = self.traced(self.ONE, collector)
        until(lambda: collector.requests, "a request")
        self.cycle(supervisor, 2)
        self.until_reason("startupz", None)
        self.until_sample("initweb_spans_queued", 5)
        release.set()
        self.assertEqual(len(self.until_taken(collector, 5)), 5)
        self.assertEqual(len(collector.requests[0]), 1)

    def test_an_answer_that_is_not_http_or_too_long(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def serve():
                for text in (b"x" * 1000 + b"\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + b"x" * 1_000_000):
                    stream, _ = listener.accept()
                    with stream:
                        stream.recv(65536)
                        try:
                            stream.sendall(text)
                            while stream.recv(65536):
                                pass
                        except OSError:
                            pass  # The peer has closed the connection.
            thread = threading.Thread(target=serve)
            thread.start()
            self.traced("a: { command: 'true' }", f"http://127.0.0.1:{listener.getsockname()[1]}")
            self.until_sample("initweb_spans_exported_total", 2)
            thread.join()

    def test_sigterm_sends_what_is_queued(self):
        answers = [(503, {"Retry-After": "300"}, b"")]
        collector = self.collector(lambda spans: answers.pop() if answers else (200, {}, b""))
        supervisor = self.traced(self.ONE, collector)
        until(lambda: collector.requests, "a request")
        self.cycle(supervisor, 2)
        self.until_sample("initweb_spans_queued", 5)
        self.web.signal(signal.SIGTERM)
        self.assertEqual(self.web.wait(), 0)
        self.assertEqual(len(collector.taken), 5)
        self.assertNotIn(b"lost", self.web.err)

    def test_sigterm_ends_it_even_if_nobody_takes_the_spans(self):
        def never(spans):
            released.wait(60)
            return 200, {}, b""

        released = threading.Event()
        self.addCleanup(released.set)
        for collector, count in ((f"http://127.0.0.1:{self.refused_port()}", 3), (self.collector(never), 3)):
            supervisor = self.traced(self.ONE, collector)
            self.cycle(supervisor)
            self.until_sample("initweb_spans_queued", count)
            self.web.signal(signal.SIGTERM)
            self.assertEqual(self.web.wait(), 0)
            self.assertIn(f"{count} spans are lost".encode(), self.web.err)
            supervisor.program.signal(signal.SIGTERM)
            supervisor.ended()

    def certificate(self):
        """A certificate for this machine, and its key."""
        directory = self.directory()
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=test",
             "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", directory + "/key.pem", "-out", directory + "/certificate.pem"],
            capture_output=True, text=True, timeout=60)
        self.assertEqual(made.returncode, 0, made.stderr)
        return directory + "/certificate.pem", directory + "/key.pem"

    @unittest.skipUnless(shutil.which("openssl"), "without openssl")
    def test_https_with_a_certificate_that_nobody_has_signed(self):
        collector = self.collector(certificate=self.certificate())
        self.assertTrue(collector.url.startswith("https://"))
        self.traced("a: { command: 'true' }", collector)
        self.web.until_err(f"cannot send spans to {collector.url}/v1/traces")
        self.until_sample("initweb_spans_queued", 2)
        self.assertEqual(collector.requests, [])
        self.assertIn(b"CERTIFICATE_VERIFY_FAILED", self.web.err)

    @unittest.skipUnless(shutil.which("openssl") and os.geteuid() == 0, "without openssl, or not as root")
    def test_https(self):
        """The certificate is the only trusted one, in a namespace of its own."""
        certificate, key = self.certificate()
        collector = self.collector(certificate=(certificate, key))
        supervisor = self.start_with("a: { command: 'true' }")
        bundle = "/etc/ssl/certs/ca-certificates.crt"
        script = f'mount --bind {certificate} {bundle} && exec "$0" "$@"'
        self.web = self.program(
            ["unshare", "-m", "sh", "-c", script, INITWEB, "--socket", supervisor.path, "--listen", "127.0.0.1:0", "--otlp", collector.url])
        self.assertEqual(len(self.until_taken(collector, 2)), 2)

    def test_wrong_addresses(self):
        for address in ("127.0.0.1:4318", "ftp://a", "http://", "http://user:secret@a", "http://a?x=1"):
            ended = self.program([INITWEB, "--otlp", address]).finish()
            self.assertEqual(ended.status, 64, address)
        ended = self.program([INITWEB, "--otlp", "http://a"], env={"OTEL_EXPORTER_OTLP_HEADERS": "secret"}).finish()
        self.assertEqual(ended.status, 64)
        self.assertIn("OTEL_EXPORTER_OTLP_HEADERS", ended.err)
        self.assertNotIn("secret", ended.err)

    def test_without_the_option_nothing_is_counted(self):
        self.supervised("a: { command: 'true' }")
        self.until_reason("startupz", None)
        self.assertFalse([name for name in self.samples() if re.match("initweb_spans", name)])


if __name__ == "__main__":
    unittest.main()
