"""initweb scraped by a real Prometheus, and the example dashboard and alerts: they use only metrics that exist."""

import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

from collector import Collector
from deadlines import until
from supervisor import ROOT
from web import Web

EXAMPLES = os.path.join(ROOT, "Examples/web")
NAME = re.compile(r"\binit(?:d|web)_[a-z_]+")
MANIFEST_HEAD = "version: 1\nconcurrency: 2\nworkers:\n  shelf: { command: 'sleep 600' }\n"
INITIALIZERS = """\
a: { command: 'test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }
b: { command: 'true', dependencies: [a] }
c: { command: 'true', priority: appActive }
"""
VARIABLES = {"$job": ".*", "$instance": ".*", "$__rate_interval": "1m", "$__range": "1h"}


def expressions():
    """The expressions of the dashboard, without its variables."""
    with open(os.path.join(EXAMPLES, "dashboard.json")) as file:
        dashboard = json.load(file)
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            expression = target["expr"]
            for name, value in VARIABLES.items():
                expression = expression.replace(name, value)
            yield panel["title"], expression


class PrometheusTests(Web):
    def everything(self):
        """A supervisor and an initweb that have every metric."""
        collector = Collector()
        self.addCleanup(collector.close)
        directory = self.directory()
        supervisor = self.start(self.manifest(INITIALIZERS, head=MANIFEST_HEAD), "--no-launch", directory=directory)
        self.serve(supervisor.path, "--otlp", collector.url)
        self.until_sample("initd_up", 1)
        self.assertStatus(supervisor.ctl("launch", "--wait"), 0)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.until_sample('initd_pass_duration_seconds_count{phase="launch"}', 1)
        self.until_sample('initd_pass_duration_seconds_count{phase="active"}', 1)
        self.until_sample("initweb_spans_exported_total", 6)
        return supervisor

    def test_the_values_of_passes(self):
        supervisor = self.everything()
        samples = self.samples()
        [launch] = [each for each in supervisor.peer().ok("history", limit=9)["passes"] if each["phase"] == "launch"]
        took = launch["started"] + launch["duration"] - launch["opened"]
        self.assertAlmostEqual(samples['initd_last_pass_duration_seconds{phase="launch"}'], took, 3)
        self.assertAlmostEqual(samples['initd_pass_duration_seconds_sum{phase="launch"}'], took, 3)
        for name in "ab":
            runs = [run for run in launch["runs"] if run["initializer"] == name]
            self.assertAlmostEqual(samples[f'initd_run_cpu_seconds_total{{initializer="{name}"}}'], sum(run["cpu"] for run in runs), 5)
            self.assertEqual(samples[f'initd_run_queue_seconds_count{{initializer="{name}"}}'], 1)
            self.assertAlmostEqual(samples[f'initd_run_queue_seconds_sum{{initializer="{name}"}}'], runs[0]["started"] - runs[0]["ready"], 3)
        self.assertEqual(samples["initweb_missed_passes_total"], 0)
        if promtool := shutil.which("promtool"):
            text = self.ask("/metrics")[2]
            checked = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, timeout=60)
            self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""))

    def test_passes_from_before_its_start_are_not_counted(self):
        supervisor = self.start_with(INITIALIZERS)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.serve(supervisor.path)
        until(lambda: 'initd_last_pass_duration_seconds{phase="launch"}' in self.samples(), "the last pass")
        self.assertEqual(self.samples()['initd_pass_duration_seconds_count{phase="launch"}'], 0)
        self.assertStatus(supervisor.ctl("deactivate"), 0)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.until_sample('initd_pass_duration_seconds_count{phase="active"}', 1)

    def test_the_examples_use_metrics_that_exist(self):
        self.everything()
        known = {re.sub(r"\{.*| .*", "", name) for name in self.samples()}
        with open(os.path.join(EXAMPLES, "alerts.yml")) as file:
            used = {"alerts.yml": file.read(), **{f"the panel {title}": expression for title, expression in expressions()}}
        for where, text in used.items():
            names = set(NAME.findall(text))
            self.assertTrue(names, where)
            self.assertEqual(names - known, set(), where)

    @unittest.skipUnless(shutil.which("promtool"), "without promtool")
    def test_the_alerts_fire_when_they_should(self):
        for words in (("check", "rules", os.path.join(EXAMPLES, "alerts.yml")), ("test", "rules", os.path.join(ROOT, "Tests/Conformance/alerts.yml"))):
            checked = subprocess.run(["promtool", *words], capture_output=True, text=True, timeout=60)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    @unittest.skipUnless(shutil.which("prometheus"), "without prometheus")
    def test_a_real_prometheus_scrapes_it(self):
        self.everything()
        directory = self.directory()
        self.write(
            directory + "/prometheus.yml",
            f"""\
            global: {{ scrape_interval: 1s, evaluation_interval: 1s }}
            rule_files: [{EXAMPLES}/alerts.yml]
            scrape_configs:
              - job_name: shop
                static_configs: [{{ targets: ['127.0.0.1:{self.port}'] }}]
            """,
        )
        server = self.program(
            ["prometheus", "--config.file", "prometheus.yml", "--storage.tsdb.path", "data", "--web.listen-address", "127.0.0.1:0"],
            cwd=directory,
        )
        # The server logs the port that the system has chosen.
        server.until_err("Server is ready")
        port = re.search(rb'"Listening on" address=127\.0\.0\.1:([0-9]+)', server.err)[1].decode()

        def query(expression):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(expression)}", timeout=10) as answer:
                    return json.load(answer)["data"]["result"]
            except urllib.error.HTTPError as error:
                raise AssertionError(f"{expression}: {error.read().decode()}") from None
            except OSError:
                return []  # The server doesn't listen yet.

        [found] = until(lambda: query('initd_state{scope="launch", state="complete"}'), "initd_state in Prometheus")
        self.assertEqual(found["value"][1], "1")
        self.assertEqual((found["metric"]["job"], found["metric"]["instance"]), ("shop", f"127.0.0.1:{self.port}"))
        # Two scrapes, for rates.
        until(lambda: (count := query("count_over_time(initd_up[1m])")) and float(count[0]["value"][1]) >= 2, "two scrapes")
        for title, expression in expressions():
            result = query(expression)
            # No initializer has failed, was retried between two scrapes, or was given up.
            if "> 0" not in expression and "== 1" not in expression:
                self.assertTrue(result, f"{title}: {expression}")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/rules", timeout=10) as answer:
            rules = json.load(answer)["data"]["groups"][0]["rules"]
        self.assertEqual({rule["name"] for rule in rules}, {"InitdNotReady", "InitdPassSlow", "InitdProcessCrashLoop"})
        until(lambda: not query("ALERTS"), "no alert")


if __name__ == "__main__":
    unittest.main()
