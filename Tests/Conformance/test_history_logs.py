"""protocol.md §4: history and logs."""

import json
import unittest

from deadlines import until
from supervisor import Conformance

ACTIVE = {"name": "a", "priority": "appActive"}


class HistoryTests(Conformance):
    def test_a_pass_with_its_runs(self):
        supervisor = self.start_with("a: { command: 'true' }\nb: { command: 'true', dependencies: [a] }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        (each,) = peer.ok("history")["passes"]
        self.assertEqual((each["pass"], each["phase"], each["outcome"]), (1, "launch", "complete"))
        a, b = each["runs"]
        self.assertEqual((a["initializer"], a["attempt"], a["outcome"]), ("a", 1, "complete"))
        self.assertEqual((b["initializer"], b["waitedFor"]), ("b", ["a"]))
        self.assertEqual(a.get("waitedFor", []), [])
        self.assertLess(a["run"], b["run"])
        self.assertLessEqual(each["started"], a["started"])
        self.assertLessEqual(a["ready"], a["started"])
        self.assertGreaterEqual(b["ready"], a["started"] + a["duration"] - 0.01)
        self.assertLessEqual(b["ready"], b["started"])
        self.assertGreater(each["duration"], 0)

    def test_the_newest_is_last_and_limit_is_their_number(self):
        peer = self.start_fast("--activate").peer()
        peer.ok("wait", for_="ready")
        for _ in range(4):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertEqual([each["pass"] for each in peer.ok("history")["passes"]], [6])
        self.assertEqual([each["pass"] for each in peer.ok("history", limit=3)["passes"]], [4, 5, 6])
        self.assertEqual([each["pass"] for each in peer.ok("history", limit=100)["passes"]], [1, 2, 3, 4, 5, 6])

    def test_outcomes_of_passes_and_runs(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(ACTIVE)
        peer = supervisor.peer()
        for outcome in ("complete", "failed", "cancelled"):
            number = peer.ok("activate")["pass"]
            run = worker.expect_run("a")
            self.end_run(run, outcome, peer)
            peer.ok("wait", pass_=number)
            last = peer.last_pass()
            self.assertEqual((last["pass"], last["phase"], last["outcome"]), (number, "active", outcome))
            self.assertEqual([(each["run"], each["outcome"]) for each in last["runs"]], [(run.number, outcome)])

    def test_each_attempt_is_a_run(self):
        supervisor = self.start_with("c: { command: 'test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        runs = peer.last_pass()["runs"]
        self.assertEqual([(each["attempt"], each["outcome"]) for each in runs], [(1, "failed"), (2, "complete")])

    def test_a_run_says_what_it_waited_for_last(self):
        supervisor = self.start_with(
            "a: { command: 'true' }\nb: { command: 'true' }\nc: { command: 'true', dependencies: [a] }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        each = peer.last_pass()
        self.assertEqual(each["concurrency"], 1)
        self.assertEqual(each["opened"], each["started"])
        a, b, c = each["runs"]
        self.assertNotIn("freedBy", a)
        self.assertEqual((b["freedBy"], c["freedBy"]), ("a", "b"))
        self.assertEqual(b["ready"], each["opened"])
        self.assertAlmostEqual(c["freed"], b["started"] + b["duration"], delta=0.001)
        self.assertLessEqual(c["ready"], c["freed"])

    def test_a_failed_pass_and_its_run_say_why(self):
        supervisor = self.start_with("a: { command: 'exit 3', retry: { attempts: 2, delay: 10ms } }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        each = peer.last_pass()
        self.assertEqual(each["error"]["initializer"], "a")
        self.assertEqual([run["cause"] for run in each["runs"]], [{"kind": "exit", "status": 3}] * 2)
        self.assertEqual([run["attempts"] for run in each["runs"]], [2, 2])

    def test_a_pass_in_flight_is_told_when_asked_for(self):
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "w"}, ACTIVE)
        peer = supervisor.peer()
        run = worker.expect_run("w")
        number = peer.ok("activate")["pass"]
        self.assertNotIn("w", [each["initializer"] for old in peer.ok("history")["passes"] for each in old["runs"]])
        launch, active = peer.ok("history", inFlight=True)["passes"][-2:]
        self.assertEqual((launch["phase"], active["pass"]), ("launch", number))
        self.assertNotIn("outcome", launch)
        self.assertNotIn("duration", launch)
        self.assertNotIn("opened", active)
        (open_run,) = [each for each in launch["runs"] if each["initializer"] == "w"]
        self.assertNotIn("outcome", open_run)
        self.assertNotIn("duration", open_run)
        self.assertIn("provided", open_run)
        run.succeed()
        worker.expect_run("a").succeed()
        peer.ok("wait", pass_=number)
        (active,) = peer.ok("history", pass_=number)["passes"]
        self.assertGreaterEqual(active["opened"], launch["opened"])

    def test_a_pass_is_found_by_its_number_and_its_phase(self):
        peer = self.start_fast("--activate").peer()
        peer.ok("wait", for_="ready")
        peer.ok("wait", pass_=peer.ok("activate")["pass"])
        self.assertEqual([each["pass"] for each in peer.ok("history", pass_=2)["passes"]], [2])
        self.assertEqual(peer.ok("history", pass_=99)["passes"], [])
        self.assertEqual([each["pass"] for each in peer.ok("history", phase="launch", limit=9)["passes"]], [1])
        self.assertEqual([each["pass"] for each in peer.ok("history", phase="active", limit=9)["passes"]], [2, 3])

    def test_a_summary_says_where_the_time_went(self):
        supervisor = self.start_with(
            "a: { command: 'test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }\n"
            "b: { command: 'true', dependencies: [a] }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        answer = peer.ok("history", summaries=True, usual=True)
        self.assertEqual(answer["passes"], [])
        (summary,) = answer["summaries"]
        self.assertEqual((summary["pass"], summary["phase"], summary["outcome"]), (1, "launch", "complete"))
        self.assertEqual(summary["held"], 0)
        a, b = summary["initializers"]
        self.assertEqual((a["name"], a["attempts"], a["outcome"]), ("a", 2, "complete"))
        self.assertGreaterEqual(a["backoff"], 0.01)
        self.assertEqual((b["name"], b["attempts"], b["backoff"]), ("b", 1, 0))
        self.assertAlmostEqual(b["waited"], a["finished"], delta=0.001)
        for each in (a, b):
            parts = each["waited"] + each["queued"] + each["running"] + each["backoff"]
            self.assertAlmostEqual(each["finished"], parts, delta=0.001)
        (usual,) = answer["usual"]
        self.assertEqual((usual["phase"], usual["passes"]), ("launch", 1))
        self.assertEqual(
            {each["name"]: each["running"] for each in usual["initializers"]},
            {each["name"]: each["running"] for each in (a, b)})

    def test_any_limit_is_answered(self):
        supervisor = self.start_with("a: { command: sleep 60 }", "--activate")
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        for summaries in (False, True):
            answer = peer.ok("history", limit=2**63 - 1, inFlight=True, summaries=summaries)
            self.assertEqual([each["pass"] for each in answer["summaries" if summaries else "passes"]], [1, 2])

    def test_a_retry_tells_its_next_attempt(self):
        supervisor = self.start_with("a: { command: 'exit 1', retry: { attempts: 4, delay: 20s } }")
        peer = supervisor.peer()
        until(lambda: "nextAttempt" in peer.initializer("a"), "the next attempt is reported")
        status = peer.status()
        (a,) = status["initializers"]
        self.assertEqual((a["attempt"], a["attempts"]), (1, 4))
        self.assertGreater(a["nextAttempt"], status["time"])

    def test_before_any_pass_there_is_none(self):
        self.assertEqual(self.start_fast("--no-launch").peer().ok("history"), {"passes": []})


class LogsTests(Conformance):
    def lines(self, command, **params):
        supervisor = self.start_with(f"c:\n  command: {command}\n")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.peer = peer
        return peer.ok("logs", **params)["lines"]

    def test_the_output_of_a_command_line_by_line(self):
        lines = self.lines("'echo one; echo two; printf three'")
        self.assertEqual([each["line"] for each in lines], ["one", "two", "three"])
        run = self.peer.initializer("c")["run"]
        self.assertEqual({(each["initializer"], each["run"], each["stream"]) for each in lines}, {("c", run, "stdout")})
        times = [each["time"] for each in lines]
        self.assertEqual(times, sorted(times))

    def test_both_streams_are_distinguished(self):
        lines = self.lines("'echo out; echo err >&2'")
        self.assertEqual({(each["stream"], each["line"]) for each in lines}, {("stdout", "out"), ("stderr", "err")})

    def test_limit_keeps_the_last_lines(self):
        lines = self.lines("'for n in 1 2 3 4 5 6 7 8 9; do echo $n; done'", limit=3)
        self.assertEqual([each["line"] for each in lines], ["7", "8", "9"])

    def test_1000_lines_by_default(self):
        lines = self.lines("'seq 1500'")
        self.assertEqual(len(lines), 1000)
        self.assertEqual(lines[-1]["line"], "1500")

    def test_of_one_initializer_or_of_all(self):
        supervisor = self.start_with("a: { command: echo from a }\nb: { command: echo from b }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertEqual([each["line"] for each in peer.ok("logs")["lines"]], ["from a", "from b"])
        self.assertEqual([each["line"] for each in peer.ok("logs", initializer="b")["lines"]], ["from b"])

    def test_each_line_has_its_run(self):
        supervisor = self.start_with("c: { command: 'echo attempt $INITD_ATTEMPT; test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 10ms } }")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        runs = [each["run"] for each in peer.last_pass()["runs"]]
        lines = peer.ok("logs", initializer="c")["lines"]
        self.assertEqual([(each["run"], each["line"]) for each in lines], [(runs[0], "attempt 1"), (runs[1], "attempt 2")])

    def test_the_output_of_a_killed_command_is_kept(self):
        lines = self.lines("'echo before; kill -KILL $$'")
        self.assertEqual([each["line"] for each in lines], ["before"])

    def test_bytes_that_arent_utf_8_are_replaced(self):
        lines = self.lines("'printf \"\\377\\376 \\000 \\033[31m x\\n\"; echo after'")
        self.assertEqual(len(lines), 2)
        self.assertEqual(lines[1]["line"], "after")

    def test_an_endless_line_takes_bounded_memory(self):
        supervisor = self.start_with("c: { command: 'head -c 50000000 /dev/zero | tr \"\\\\0\" x' }", "--no-launch")
        peer = supervisor.peer()
        before = supervisor.resident()
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertLess(supervisor.resident() - before, 30 << 20)
        peer.ok("logs")

    def test_a_flood_of_lines_takes_bounded_memory(self):
        supervisor = self.start_with("c: { command: 'seq 300000' }", "--no-launch")
        peer = supervisor.peer()
        before = supervisor.resident()
        peer.ok("launch")
        self.assertEqual(peer.call("wait", {"for": "launch"}, deadline=60)["result"]["state"], "complete")
        self.assertLess(supervisor.resident() - before, 40 << 20)
        self.assertEqual(peer.ok("logs", limit=1)["lines"][0]["line"], "300000")


class PageTests(Conformance):
    """Answers have at most 1 MiB, and contain the position of the next page. (The supervisor may make them smaller.)"""

    MOST = 1 << 20

    def pages(self, peer, method, elements, **params):
        """All pages, the newest first, and the elements of their bodies in order."""
        pages = []
        while not pages or pages[-1].get("more"):
            if pages:
                params["before"] = pages[-1]["before"]
            pages.append(peer.ok(method, **params))
            self.assertLessEqual(len(json.dumps(pages[-1], separators=(",", ":"), ensure_ascii=False)), self.MOST)
        self.assertNotIn("before", pages[-1])
        return pages, [element for page in reversed(pages) for element in elements(page)]

    def test_logs(self):
        """Lines of control characters take six bytes each: one page has as many lines as fit, and the next page the lines before them."""
        supervisor = self.start_with(
            "a: { command: 'cat lines' }\nb: { command: 'echo b', dependencies: [a] }", "--no-launch")
        self.write(supervisor.file("lines"), "".join(f"{number} " + "\x01" * 4000 + "\n" for number in range(200)))
        peer = supervisor.peer()
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        for params, expected in (
            ({"initializer": "a"}, range(200)), ({}, [*range(200), "b"]), ({"initializer": "a", "limit": 150}, range(50, 200)),
            ({"limit": 2**63 - 1}, [*range(200), "b"]),
        ):
            with self.subTest(params):
                pages, lines = self.pages(peer, "logs", lambda page: page["lines"], **params)
                self.assertGreater(len(pages), 3)
                self.assertEqual([line["line"].split()[0] for line in lines], list(map(str, expected)))
        self.assertNotIn("more", peer.ok("logs", limit=1))
        self.assertNotIn("before", peer.ok("logs", initializer="b"))
        printed = supervisor.ctl("logs", "a").out.split("\n")
        self.assertEqual([line.split()[0] for line in printed if line], list(map(str, range(200))))

    def test_lines_that_come_between_two_pages_are_not_in_the_later_one(self):
        supervisor = self.start_with(
            "a: { command: 'cat lines' }\ns: { priority: appActive, command: 'echo later' }", "--no-launch")
        self.write(supervisor.file("lines"), "".join(f"{number} " + "\x01" * 4000 + "\n" for number in range(200)))
        peer = supervisor.peer()
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        first = peer.ok("logs")
        peer.ok("activate")
        peer.ok("wait", for_="ready")
        second = peer.ok("logs", before=first["before"])
        self.assertEqual(int(second["lines"][-1]["line"].split()[0]) + 1, int(first["lines"][0]["line"].split()[0]))

    def test_history(self):
        """A pass fits into several pages, followed by the next pass."""
        names = [f"{number:04}" + "n" * 100 for number in range(2000)]
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker(*names, {"name": "a", "priority": "appActive"})
        peer = supervisor.peer()
        peer.ok("launch")
        for _ in names:
            worker.expect_run().succeed()
        peer.ok("wait", for_="launch")
        peer.ok("activate")
        worker.expect_run("a").succeed()
        peer.ok("wait", for_="ready")
        for body, elements, params, passes in (
            ("passes", "runs", {}, [1, 2]), ("passes", "runs", {"inFlight": True}, [1, 2]), ("passes", "runs", {"phase": "launch"}, [1]),
            ("passes", "runs", {"pass_": 1}, [1]), ("summaries", "initializers", {"summaries": True}, [1, 2]),
        ):
            with self.subTest(body, **params):
                pages, parts = self.pages(peer, "history", lambda page: page[body], limit=9, **params)
                self.assertGreaterEqual(len(pages), 2 if body == "passes" else 1)
                self.assertEqual(list(dict.fromkeys(part["pass"] for part in parts)), passes)
                found = [each.get("initializer") or each["name"] for part in parts if part["pass"] == 1 for each in part[elements]]
                self.assertEqual(sorted(found), names)
        self.assertEqual([each["pass"] for each in peer.ok("history")["passes"]], [2])
        words = "history", "--json", "--pass", "1"
        self.assertEqual(len(json.loads(supervisor.ctl(*words).out)["runs"]), len(names))
        self.assertEqual(len(json.loads(supervisor.ctl(*words, "--all").out)["initializers"]), len(names))

    def test_a_position_of_nothing_is_the_end(self):
        peer = self.start_with("a: { command: 'echo a' }").peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(peer.ok("logs", before={"line": 0, "limit": 9}), {"lines": []})
        self.assertEqual(len(peer.ok("logs", before={"line": 2**62, "limit": 2**62})["lines"]), 1)
        self.assertEqual(peer.ok("history", before={"pass": 7, "count": 1, "limit": 1}), {"passes": []})
        for method, position in (("logs", {"line": -1, "limit": 1}), ("logs", 3), ("history", {"pass": 1}), ("history", {})):
            peer.refused(-32602, method, {"before": position}, naming="before")


if __name__ == "__main__":
    unittest.main()
