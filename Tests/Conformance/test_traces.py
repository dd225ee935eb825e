"""PROTOCOL.md, Commands and `run`: a pass is a trace, and a run is a span of it."""

import re

from deadlines import until
from supervisor import FAST, INITCTL, Conformance

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
CONTEXT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-(0[01])")

INITIALIZERS = """
a: { command: 'echo "$TRACEPARENT" >> traces' }
b: { command: 'echo "$TRACEPARENT" >> traces', dependencies: [a] }
c: { command: 'echo "$TRACEPARENT" >> traces', priority: appActive }
"""


class TraceTests(Conformance):
    def parts(self, text):
        """The trace, the span and the flags of a trace context."""
        found = CONTEXT.fullmatch(text)
        self.assertTrue(found, text)
        self.assertNotEqual(found[1], "0" * 32)
        self.assertNotEqual(found[2], "0" * 16)
        return found.groups()

    def traces(self, **env):
        """The contexts of a and b in the launch pass, and of c in two active passes."""
        supervisor = self.start_with(INITIALIZERS, env={"TRACEPARENT": None, **env})
        for _ in range(2):
            self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
            self.assertStatus(supervisor.ctl("deactivate"), 0)
        return [self.parts(each) for each in supervisor.until_lines("traces", 4)]

    def test_the_runs_of_a_pass_share_a_trace_and_are_different_spans(self):
        a, b, c, again = self.traces()
        self.assertEqual(a[0], b[0])
        self.assertEqual(len({a[0], c[0], again[0]}), 3)
        self.assertEqual(len({each[1] for each in (a, b, c, again)}), 4)
        self.assertEqual({each[2] for each in (a, b, c, again)}, {"01"})

    def test_the_launch_pass_belongs_to_the_trace_of_the_environment(self):
        trace, span, _ = self.parts(PARENT)
        a, b, c, again = self.traces(TRACEPARENT=PARENT)
        self.assertEqual((a[0], b[0]), (trace, trace))
        self.assertEqual(len({span, a[1], b[1]}), 3)
        self.assertEqual(len({trace, c[0], again[0]}), 3)

    def test_the_environment_of_the_manifest_counts_as_well(self):
        head = FAST + f"environment: {{ TRACEPARENT: {PARENT} }}\n"
        supervisor = self.start(self.manifest(INITIALIZERS, head), env={"TRACEPARENT": None})
        traces = [self.parts(each)[0] for each in supervisor.until_lines("traces", 2)]
        self.assertEqual(traces, [PARENT[3:35]] * 2)

    def test_the_history_tells_them(self):
        supervisor = self.start_with(INITIALIZERS, env={"TRACEPARENT": PARENT})
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        launch, active = supervisor.peer().ok("history", limit=2)["passes"]
        told = [run["traceparent"] for run in launch["runs"] + active["runs"]]
        self.assertEqual(told, supervisor.until_lines("traces", 3))
        self.assertEqual(launch["traceparent"], PARENT)
        self.assertNotIn("traceparent", active)

    def test_a_trace_that_is_not_recorded_is_passed_on_as_such(self):
        a, b, c, _ = self.traces(TRACEPARENT=PARENT[:-1] + "0")
        self.assertEqual((a[0], a[2], b[2], c[2]), (PARENT[3:35], "00", "00", "01"))

    def test_an_invalid_trace_context_is_ignored(self):
        for invalid in ("", "x", PARENT.upper(), "01" + PARENT[2:], PARENT + "-00", "00-" + "0" * 32 + PARENT[35:], PARENT[:36] + "0" * 16 + "-01"):
            with self.subTest(invalid):
                a, b, _, _ = self.traces(TRACEPARENT=invalid)
                self.assertEqual(a[0], b[0])
                self.assertNotIn(a[0], (PARENT[3:35], "0" * 32))

    def test_two_supervisors_have_different_traces(self):
        self.assertNotEqual(self.traces()[0][0], self.traces()[0][0])

    def test_a_retry_is_another_span(self):
        supervisor = self.start_with(
            """a: { command: 'echo "$TRACEPARENT" >> traces; test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }"""
        )
        first, second = [self.parts(each) for each in supervisor.until_lines("traces", 2)]
        self.assertEqual(first[0], second[0])
        self.assertNotEqual(first[1], second[1])

    def test_variables_of_the_manifest_do_not_replace_it(self):
        supervisor = self.start_with(
            f"""a: {{ command: 'echo "$TRACEPARENT" >> traces', environment: {{ TRACEPARENT: "{PARENT}" }} }}"""
        )
        self.assertNotEqual(self.parts(supervisor.until_lines("traces")[0])[0], PARENT[3:35])

    def test_the_state_of_another_trace_is_not_inherited(self):
        supervisor = self.start_with("""a: { command: 'echo "<$TRACESTATE>" >> states' }""", env={"TRACESTATE": "vendor=1"})
        self.assertEqual(supervisor.until_lines("states"), ["<>"])

    def test_the_app_gets_a_span_of_the_launch_trace(self):
        directory = self.directory()
        app = ["--", "sh", "-c", f'echo "$TRACEPARENT" > {directory}/app; exec sleep 60']
        supervisor = self.start(self.manifest(), *app, directory=directory, env={"TRACEPARENT": PARENT})
        (app,) = supervisor.until_lines("app")
        self.assertEqual((app[:36], app == PARENT), (PARENT[:36], False))

    def test_a_process_has_the_span_of_its_run_or_one_of_the_launch_trace(self):
        supervisor = self.start(
            """
            version: 1
            workers:
              plain: { command: 'echo "$TRACEPARENT" > plain; exec sleep 60' }
              ready: { command: 'echo "$TRACEPARENT" > ready; exec sleep 60', ready: { path: ready } }
            """)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        (run,) = peer.ok("history")["passes"][0]["runs"]
        self.assertEqual(supervisor.until_lines("ready"), [run["traceparent"]])
        (plain,) = supervisor.until_lines("plain")
        self.assertEqual((plain[:36], plain == run["traceparent"]), (run["traceparent"][:36], False))


class WorkerTests(Conformance):
    def test_a_worker_gets_the_trace_of_its_run(self):
        supervisor = self.start_with("""a: { command: 'echo "$TRACEPARENT" >> traces' }""", "--no-launch")
        worker = supervisor.worker({"name": "b"}, {"name": "c", "dependencies": ["b"]})
        self.assertStatus(supervisor.ctl("launch"), 0)
        contexts = []
        for _ in range(2):
            run = worker.expect_run()
            contexts.append(run.params["traceparent"])
            run.succeed()
        command = supervisor.until_lines("traces")[0]
        self.assertEqual(len({each[:36] for each in [*contexts, command]}), 1)
        self.assertEqual(len({*contexts, command}), 3)

    def test_initctl_worker_passes_it_to_its_command(self):
        supervisor = self.start_with("", "--no-launch")
        script = 'echo "$TRACEPARENT <$TRACESTATE>" >> traces'
        self.program(
            [INITCTL, "--socket", supervisor.path, "worker", "a", "--", "sh", "-c", script], cwd=supervisor.directory,
            env={"TRACEPARENT": PARENT, "TRACESTATE": "vendor=1"},
        )
        peer = supervisor.peer()
        until(lambda: peer.status()["initializers"], "a worker")
        self.assertStatus(supervisor.ctl("launch", "--wait"), 0)
        context, state = supervisor.until_lines("traces")[0].split()
        self.assertRegex(context, CONTEXT)
        self.assertNotEqual(context[3:35], PARENT[3:35])
        self.assertEqual(state, "<>")
