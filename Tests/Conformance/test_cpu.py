"""protocol.md §4: the CPU time of runs, and the cores that they could use."""

from __future__ import annotations

import json
import os
import shlex
import sys
import textwrap
import unittest

from supervisor import Conformance
from test_initctl_worker import WorkerCase
from test_state_directory import StateCase

TICK = 0.02
"""The accuracy of the kernel's counters of busy cores, for each core, in seconds."""


TICKS = 0.1
"""The accuracy of the CPU time of the few processes of a start: each has up to four counters, which are rounded down to 10 ms."""


def computes(seconds: float, then: str = "") -> str:
    """A shell command whose process uses this much CPU time, and little more, even on a busy machine; then it executes more Python."""
    return f'{sys.executable} -S -c "import time; next(now for now in iter(time.process_time, -1) if now >= {seconds}){then}"'


def manifest(**commands: str) -> str:
    """Initializers with these commands."""
    return "\n".join(f"{name}: {{ command: {json.dumps(command)} }}" for name, command in commands.items())


class RecordTests(Conformance):
    def launched(self, initializers: str, *arguments: str, **options):
        supervisor = self.start_with(initializers, *arguments, **options)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        return supervisor, peer

    def test_a_commands_cpu_time_includes_the_processes_that_it_waited_for(self):
        _, peer = self.launched(manifest(computes=computes(0.2), both=f"{computes(0.2)}; {computes(0.1)}; true", waits="sleep 0.3"))
        cpu = {run["initializer"]: run["cpu"] for run in peer.last_pass()["runs"]}
        for name, least in (("computes", 0.2), ("both", 0.3)):
            self.assertGreaterEqual(cpu[name], least)
            self.assertLess(cpu[name], least + 0.2)
        self.assertGreater(cpu["waits"], 0)
        self.assertLess(cpu["waits"], 0.1)

    def test_each_attempt_has_its_own_and_a_summary_the_sum(self):
        command = f"{computes(0.1)}; test $INITD_ATTEMPT = 2"
        _, peer = self.launched(f"a: {{ command: {json.dumps(command)}, retry: {{ attempts: 2, delay: 10ms }} }}")
        runs = peer.last_pass()["runs"]
        self.assertEqual([run["outcome"] for run in runs], ["failed", "complete"])
        for run in runs:
            self.assertGreaterEqual(run["cpu"], 0.1)
            self.assertLess(run["cpu"], 0.2)
        answer = peer.ok("history", summaries=True, usual=True)
        (summary,) = answer["summaries"][0]["initializers"]
        self.assertAlmostEqual(summary["cpu"], sum(run["cpu"] for run in runs), delta=1e-6)
        self.assertEqual(answer["usual"][0]["initializers"], [{"name": "a", "running": summary["running"], "cpu": summary["cpu"]}])

    def test_a_run_in_flight_and_one_of_a_silent_worker_have_none(self):
        supervisor = self.start_with("a: { command: sleep 60 }\nw: { worker: true }", "--concurrency", "2")
        worker = supervisor.worker({"name": "w"})
        worker.expect_run("w").succeed()
        peer = supervisor.peer()
        peer.ok("wait", initializer="w")
        peer.until_initializer("a", "running")
        (each,) = peer.ok("history", pass_=1)["passes"]
        self.assertEqual({run["initializer"]: "cpu" in run for run in each["runs"]}, {"a": False, "w": False})
        self.assertNotIn("busy", each)

    def test_a_stopped_command_has_its_cpu_time_too(self):
        supervisor = self.start_with(
            f"a: {{ command: {json.dumps(computes(60))} }}\nb: {{ command: 'until test -e go; do sleep 0.02; done; exit 3' }}",
            "--concurrency", "2")
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        self.write(supervisor.file("go"), "")
        peer.ok("wait", for_="launch")
        (a,) = [run for run in peer.last_pass()["runs"] if run["initializer"] == "a"]
        self.assertEqual(a["outcome"], "cancelled")
        self.assertGreater(a["cpu"], 0)

    def test_a_pass_tells_the_cores_that_its_runs_could_use(self):
        for prefix, cores in (((), len(os.sched_getaffinity(0))), (("taskset", "-c", str(min(os.sched_getaffinity(0)))), 1)):
            with self.subTest(prefix):
                supervisor, peer = self.launched(manifest(a="true"), prefix=prefix)
                each = peer.last_pass()
                # A quota of the machine's may allow fewer.
                self.assertLessEqual(each["cores"], cores)
                self.assertGreater(each["cores"], 0)
                if prefix:
                    self.assertEqual(each["cores"], 1)
                self.assertEqual(peer.ok("history", summaries=True)["summaries"][0]["cores"], each["cores"])

    def test_busy_is_what_everything_used_and_at_most_all_cores(self):
        _, peer = self.launched(manifest(a=computes(0.5)))
        each = peer.last_pass()
        self.assertGreaterEqual(each["busy"], each["runs"][0]["cpu"] - TICK * each["cores"])
        self.assertLessEqual(each["busy"], (each["duration"] + TICK) * each["cores"])
        # A pass without runs has used nothing.
        self.assertNotIn("busy", peer.ok("history", pass_=peer.ok("activate")["pass"])["passes"][0])


class StartTests(Conformance):
    """The start of a kept process is a run, with the CPU time of all that it started."""

    def launched(self, workers, initializers="", *arguments, **options):
        """A supervisor whose processes are up, and its launch pass."""
        supervisor = self.start(self.manifest(initializers) + "workers:\n" + textwrap.indent(textwrap.dedent(workers), "  "), *arguments, **options)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        return supervisor, peer.last_pass()

    def process(self, *before, ready="{ path: up }", after=(), **keys):
        """A process that executes commands until it is ready, and others after that; then it sleeps."""
        script = "; ".join([*before, "touch up", *after, "exec sleep 600"])
        return json.dumps({"command": script, "ready": "READY", "timeout": "1m", **keys}).replace('"READY"', ready)

    def test_it_has_that_of_the_process_and_of_its_children(self):
        # A child that lives has a child that was waited for.
        child = f"({computes(0.2)}; {computes(0.1)}; touch computed; exec sleep 600) &"
        _, each = self.launched(f"p: {self.process(computes(0.2), child + ' :', 'until test -e computed; do sleep 0.02; done')}")
        (run,) = each["runs"]
        self.assertGreaterEqual(run["cpu"], 0.5 - TICKS)
        self.assertLess(run["cpu"], 0.9)

    def test_it_has_that_of_all_tries_and_checks(self):
        first = f"test -e again || {{ touch again; {computes(0.2)}; exit 3; }}"
        check = json.dumps(["sh", "-c", f"test -e up && {computes(0.2)}"])
        _, each = self.launched(f"p: {self.process(first, computes(0.2), ready=f'{{ command: {check} }}', backoff={'delay': '10ms'})}")
        (run,) = each["runs"]
        self.assertGreaterEqual(run["cpu"], 0.6 - TICKS)
        self.assertLess(run["cpu"], 1)

    def test_one_that_is_restarted_has_that_of_its_new_start_alone(self):
        supervisor, _ = self.launched(f"p: {self.process(f'test -e again || {computes(0.5)}', 'touch again')}")
        peer = supervisor.peer()
        (number,) = peer.ok("rerun", initializers=["p"])["passes"]
        self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
        (run,) = peer.last_pass()["runs"]
        self.assertEqual(run["outcome"], "complete")
        self.assertLess(run["cpu"], 0.3)

    def test_what_a_process_computes_after_its_start_is_no_run_and_no_other_program(self):
        _, each = self.launched(
            f"p: {self.process(after=[computes(0.5), 'touch done'])}",
            "a: { command: 'until test -e done; do sleep 0.02; done', dependencies: [p] }")
        cpu = {run["initializer"]: run["cpu"] for run in each["runs"]}
        self.assertLess(cpu["p"] + cpu["a"], 0.4)
        # Some of it is counted for the start, if the check came late.
        self.assertGreaterEqual(each["processes"] + cpu["p"], 0.5 - TICKS)
        self.assertLessEqual(each["processes"], each["busy"] + TICK * each["cores"])

    def test_two_that_compute_while_they_start_are_not_predicted_to_share_a_core_for_nothing(self):
        one = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
        workers = "\n".join(f"{name}: {self.process(computes(0.5)).replace('up', name)}" for name in ("a", "b", "c"))
        supervisor, each = self.launched(workers, prefix=one)
        cpu = sum(run["cpu"] for run in each["runs"])
        self.assertGreaterEqual(cpu, 1.5 - TICKS)
        for places in ("2", "3"):
            (answer,) = self.assertStatus(supervisor.ctl("what-if", "--json", "--concurrency", places), 0).json()
            self.assertGreaterEqual(answer["predicted"], 0.98 * cpu)
        self.assertNotIn("unknown", self.assertStatus(supervisor.ctl("what-if", "--concurrency", "2"), 0).out)

    def test_a_forecast_says_whose_cpu_time_it_doesnt_know(self):
        supervisor = self.start_with("told: { worker: true }\nw: { worker: true }", "--concurrency", "2", "--no-launch")
        worker = supervisor.worker({"name": "told"}, {"name": "w"})
        supervisor.peer().ok("launch")
        # The run of w is the last to end, so it takes at least half of a pass with one after another.
        told, silent = worker.expect_run("told"), worker.expect_run("w")
        worker.send(id=told.id, result={"cpu": 0})
        silent.succeed()
        supervisor.peer().ok("wait", for_="launch")
        one = ("--concurrency", "1")
        for words, isSaid in (((), False), (one, True), ((*one, "--moment", "w"), False), ((*one, "--duration", "w=1s"), False)):
            out = self.assertStatus(supervisor.ctl("what-if", *words), 0).out
            self.assertEqual("unknown, so it counts as waiting: the CPU time of w\n" in out, isSaid, out)
            self.assertEqual("unknown" in out, isSaid, out)


class BlameTests(Conformance):
    def test_blame_shows_it_in_a_column_and_as_a_member(self):
        supervisor = self.start_with(manifest(a=computes(0.3)) + "\nw: { worker: true }")
        worker = supervisor.worker({"name": "w"})
        worker.expect_run("w").succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        (blame,) = self.assertStatus(supervisor.ctl("blame", "--json"), 0).json()
        parts = {each["name"]: each for each in blame["initializers"]}
        (run,) = [run for run in peer.last_pass()["runs"] if run["initializer"] == "a"]
        self.assertAlmostEqual(parts["a"]["cpu"], run["cpu"], delta=1e-6)
        self.assertNotIn("cpu", parts["w"])
        rows = [line.split("  ") for line in self.assertStatus(supervisor.ctl("blame"), 0).out.splitlines()]
        (titles,) = [[cell.strip() for cell in row if cell.strip()] for row in rows if row[0].startswith("NAME")]
        self.assertEqual(titles[3:5], ["RUNNING", "CPU"])
        (a,) = [[cell.strip() for cell in row if cell.strip()] for row in rows if row[0] == "a"]
        self.assertEqual(a[4], f"{round(run['cpu'] * 1000)} ms")


class ForecastTests(Conformance):
    """With two places, two cores are used up: more places don't help, which a forecast of durations alone doesn't know."""

    SECONDS = 0.3

    def launched(self, count, *arguments, **options):
        supervisor = self.start_with(
            manifest(**{f"n{number}": computes(self.SECONDS) for number in range(count)}), *arguments, **options)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        each = peer.last_pass()
        return supervisor, sum(run["cpu"] for run in each["runs"]), each["cores"]

    def predicted(self, supervisor, *words):
        (answer,) = self.assertStatus(supervisor.ctl("what-if", "--json", *words), 0).json()
        return answer["predicted"]

    def test_more_places_are_not_predicted_to_be_faster_than_the_cores_allow(self):
        supervisor, cpu, cores = self.launched(6)
        self.assertGreaterEqual(self.predicted(supervisor, "--concurrency", "6"), cpu / cores * 0.98)
        self.assertGreaterEqual(self.predicted(supervisor, "--concurrency", "4"), cpu / cores * 0.98)

    def test_on_one_core_it_says_that_more_concurrency_wont_help(self):
        one = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
        supervisor, cpu, _ = self.launched(4, prefix=one)
        alone = self.predicted(supervisor)
        for places in ("2", "4"):
            # Together they don't need less of the core, and only a little more.
            self.assertGreaterEqual(self.predicted(supervisor, "--concurrency", places), 0.98 * cpu)
            self.assertLess(self.predicted(supervisor, "--concurrency", places), 1.3 * alone)
        beside, cpu, _ = self.launched(4, "--concurrency", "4", prefix=one)
        # One after another, they need as much of the core as together.
        whole = self.predicted(beside)
        self.assertLess(self.predicted(beside, "--concurrency", "1"), 1.25 * whole)
        self.assertGreater(self.predicted(beside, "--concurrency", "1"), 0.8 * cpu)

    def test_people_are_told_how_many_cores_the_runs_used(self):
        supervisor, _, cores = self.launched(4, "--concurrency", "4")
        out = self.assertStatus(supervisor.ctl("blame"), 0).out
        self.assertRegex(out, r"(?m)^its runs used [0-9.]+ of %g cores? on average$" % cores)
        one = ("taskset", "-c", str(min(os.sched_getaffinity(0))))
        said = []
        for _ in range(6):
            # Other programs may have needed the core.
            supervisor, cpu, _ = self.launched(4, "--concurrency", "4", prefix=one)
            said.append(self.assertStatus(supervisor.ctl("what-if"), 0).out)
            if "more concurrency won't help" in said[-1]:
                self.assertRegex(said[-1], r"(?m)^these runs used (0\.[0-9]|1) of 1 core(, and other programs 0\.[0-9])?: more concurrency won't help$")
                break
        else:
            self.fail(said)
        supervisor = self.start_with(manifest(a="sleep 0.1", b="sleep 0.1"))
        supervisor.peer().ok("wait", for_="launch")
        self.assertNotIn("won't help", self.assertStatus(supervisor.ctl("what-if", "--concurrency", "2"), 0).out)


class PollingTests(Conformance):
    CHECK = "until test -e up; do sleep 0.05; done"

    def recorded(self, *arguments):
        """A supervisor whose process comes up after 0.6 s, and the end of its check in seconds from the opening."""
        supervisor = self.start(
            self.manifest(f"first: {{ command: sleep 0.4 }}\ncheck: {{ command: {self.CHECK} }}")
            + "workers:\n  server: { command: 'sleep 0.6; touch up; exec sleep 600' }\n", *arguments)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        each = peer.last_pass()
        (check,) = [run for run in each["runs"] if run["initializer"] == "check"]
        self.assertEqual(check["polls"], 0.05)
        self.assertTrue(all("polls" not in run for run in each["runs"] if run["initializer"] != "check"))
        return supervisor, check["started"] + check["duration"] - each["opened"]

    def test_a_check_ends_at_the_same_moment_wherever_it_starts(self):
        supervisor, end = self.recorded()
        (answer,) = self.assertStatus(supervisor.ctl("what-if", "--concurrency", "2", "--json"), 0).json()
        # Earlier it wouldn't have ended earlier: it began at 0.4 s, and took the rest.
        self.assertAlmostEqual(answer["predicted"], end, delta=0.005)
        out = self.assertStatus(supervisor.ctl("what-if", "--concurrency", "2"), 0).out
        self.assertIn("check ends when the thing that it waits for is up, as recorded", out)
        # If it starts later, it doesn't wait.
        supervisor, end = self.recorded("--concurrency", "2")
        (answer,) = self.assertStatus(supervisor.ctl("what-if", "--duration", "first=2s", "--concurrency", "1", "--json"), 0).json()
        self.assertLess(answer["predicted"], 2.2)

    def test_moment_says_so_of_another_initializer(self):
        supervisor = self.start_with(manifest(a="sleep 0.2", bbbb="sleep 0.3"))
        supervisor.peer().ok("wait", for_="launch")
        (plain,) = self.assertStatus(supervisor.ctl("what-if", "--concurrency", "2", "--json"), 0).json()
        (moment,) = self.assertStatus(supervisor.ctl("what-if", "--concurrency", "2", "--moment", "bbbb", "--json"), 0).json()
        self.assertLess(plain["predicted"], 0.45)
        self.assertAlmostEqual(moment["predicted"], moment["duration"], delta=0.01)
        self.assertIn("did you mean", self.assertStatus(supervisor.ctl("what-if", "--moment", "bbb"), 64).err)


class WorkersTests(Conformance):
    def answered(self, **answer):
        """The CPU time in the history of a run of a worker that answers like this."""
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "w"})
        worker.send(id=worker.expect_run("w").id, **answer)
        peer = supervisor.peer()
        peer.ok("wait", initializer="w")
        (run,) = peer.last_pass()["runs"]
        self.assertEqual(run["outcome"], "complete" if "result" in answer else "failed")
        return run.get("cpu")

    def test_a_worker_tells_it_in_the_result_or_in_the_data_of_the_error(self):
        self.assertEqual(self.answered(result={"cpu": 1.25}), 1.25)
        self.assertEqual(self.answered(result={"output": 5, "cpu": 0}), 0)
        self.assertEqual(self.answered(error={"code": 1, "message": "broken", "data": {"cpu": 2}}), 2)

    def test_what_is_no_duration_is_ignored(self):
        for value in (-1, 1e9, "1", None, [1], {"cpu": 1}):
            with self.subTest(value):
                self.assertIsNone(self.answered(result={"cpu": value}))
                self.assertIsNone(self.answered(error={"code": 1, "message": "broken", "data": {"cpu": value}}))
        self.assertIsNone(self.answered(result=[1.5]))
        self.assertIsNone(self.answered(error={"code": 1, "message": "broken", "data": 5}))


class CommandWorkerTests(WorkerCase):
    def test_initctl_worker_tells_that_of_its_commands(self):
        supervisor = self.start_fast("--no-launch")
        self.serve(
            supervisor,
            f"""
            a: {{ command: {json.dumps(computes(0.2) + '; echo 7 > "$INITD_OUTPUT"')} }}
            b: {{ command: {json.dumps(computes(0.1) + '; exit 3')}, optional: true }}
            """)
        peer = supervisor.peer()
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        cpu = {run["initializer"]: (run["outcome"], run["cpu"]) for run in peer.last_pass()["runs"]}
        for name, outcome, least in (("a", "complete", 0.2), ("b", "failed", 0.1)):
            self.assertEqual(cpu[name][0], outcome)
            self.assertGreaterEqual(cpu[name][1], least)
            self.assertLess(cpu[name][1], least + 0.2)


class KeptTests(StateCase):
    def test_a_summary_in_the_state_directory_has_it(self):
        directory = self.directory()
        first = self.again(manifest(a=computes(0.1)), directory=directory)
        self.launched(first)
        (kept,) = first.peer().ok("history", summaries=True)["summaries"]
        self.killed(first)
        second = self.again(manifest(a=computes(0.1)), directory=directory)
        self.launched(second)
        told = second.peer().ok("history", summaries=True, limit=9)["summaries"][0]
        self.assertEqual((told["cores"], told["initializers"]), (kept["cores"], kept["initializers"]))
        self.assertGreaterEqual(told["initializers"][0]["cpu"], 0.1)


if __name__ == "__main__":
    unittest.main()
