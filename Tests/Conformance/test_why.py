"""seeing.md: `initctl why`, and the same explanations in `status` and `wait`."""

import json
import os
import re
import signal
import subprocess
import unittest

from deadlines import until
from rounds import in_one_round, near
from supervisor import Conformance
from witness import Noted, Witness, timed, with_script

MEMBERS = {"name", "status", "since", "usual", "message", "output", "because"}


def nodes(tree):
    """All nodes of a tree, each before its causes."""
    yield tree
    for each in tree["because"]:
        yield from nodes(each)


def ends(tree):
    """The names of the nodes without causes."""
    return [each["name"] for each in nodes(tree) if not each["because"]]


def depth(text):
    """Returns how deep JSON is nested."""
    level = deepest = 0
    for character in text:
        level += {"{": 1, "[": 1, "}": -1, "]": -1}.get(character, 0)
        deepest = max(deepest, level)
    return deepest


class WhyCase(Conformance):
    def why(self, supervisor, *words, status):
        """The tree, which has the documented members."""
        finished = self.assertStatus(supervisor.ctl("why", *words, "--json"), status)
        self.assertEqual(finished.out.count("\n"), 1)
        (tree,) = finished.json()
        for node in nodes(tree):
            self.assertLessEqual({"name", "status", "message", "because"}, set(node))
            self.assertLessEqual(set(node), MEMBERS)
            for name, kind in (("name", str), ("status", str), ("message", str), ("because", list), ("since", (int, float)), ("usual", (int, float))):
                self.assertIsInstance(node.get(name, kind() if isinstance(kind, type) else 0), kind)
        return tree

    def failing(self, initializers, *arguments):
        supervisor = self.start_with(initializers, *arguments)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "failed")
        return supervisor


class InitializerTests(WhyCase):
    def test_what_is_complete_is_0(self):
        supervisor = self.start_with("a: { command: 'true' }", "--activate")
        supervisor.peer().ok("wait")
        for words in ([], ["a"], ["ready"], ["launch"], ["active"], ["composite"]):
            tree = self.why(supervisor, *words, status=0)
            self.assertEqual((tree["name"], tree["status"], tree["because"]), (words[0] if words else "ready", "complete", []))

    def test_what_waits_is_followed_to_what_runs(self):
        supervisor = self.start_fast("--concurrency", "2")
        worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]}, {"name": "c", "dependencies": ["b"]})
        run = worker.expect_run("a")
        run.progress(fraction=0.5, message="half of the shelves")
        worker.alive()
        tree = self.why(supervisor, "c", status=2)
        self.assertEqual([(each["name"], each["status"]) for each in nodes(tree)], [("c", "waiting"), ("b", "waiting"), ("a", "running")])
        shown = supervisor.peer().initializer("a")
        last = tree["because"][0]["because"][0]
        self.assertEqual(last["since"], shown["started"])
        self.assertEqual(last["message"], "50% half of the shelves")
        self.assertEqual(tree["message"], "waits for b")
        text = self.assertStatus(supervisor.ctl("why", "c"), 2).out.splitlines()
        self.assertEqual(text[:2], ["c waits for b", "└─ b waits for a"])
        self.assertRegex(text[2], r"^   └─ a has been running for [0-9.]+ m?s: 50% half of the shelves$")

    def test_what_failed_is_1_with_the_last_lines_that_it_wrote(self):
        supervisor = self.failing("a: { command: 'seq 12; echo no such table >&2; exit 3' }\nb: { command: 'true', dependencies: [a] }")
        tree = self.why(supervisor, "a", status=1)
        self.assertEqual((tree["status"], len(tree["output"])), ("failed", 10))
        self.assertIn("no such table", tree["output"])
        self.assertIn("exit status 3", tree["message"])
        self.assertIn("initctl launch", tree["message"])
        self.assertIn("a | no such table", self.assertStatus(supervisor.ctl("why", "a"), 1).out)
        late = self.why(supervisor, "b", status=1)
        self.assertEqual([(each["name"], each["status"]) for each in nodes(late)], [("b", "notRun"), ("a", "failed")])

    def test_a_failure_two_levels_down_is_the_end_of_the_tree(self):
        supervisor = self.failing(
            "a: { command: 'echo no such table >&2; exit 3' }\nb: { command: 'true', dependencies: [a] }\n"
            "c: { command: 'true', dependencies: [b] }\nother: { command: 'true' }")
        tree = self.why(supervisor, "c", status=1)
        self.assertEqual((tree["name"], tree["status"]), ("c", "notRun"))
        [last] = [each for each in nodes(tree) if not each["because"]]
        self.assertEqual((last["name"], last["status"], last["output"]), ("a", "failed", ["no such table"]))
        self.assertIn("exit status 3", last["message"])
        self.assertIn("a failed first", tree["message"])
        self.assertNotIn("other", [each["name"] for each in nodes(tree)])
        text = self.assertStatus(supervisor.ctl("why", "c"), 1).out
        for part in ("c", "a", "exit status 3", "no such table"):
            self.assertIn(part, text)
        # Readiness has failed for the same reason.
        self.assertEqual(ends(self.why(supervisor, status=1)), ["a"])

    def test_an_optional_failure_is_1_for_what_needs_it_and_0_for_readiness(self):
        supervisor = self.start_with(
            "a: { command: 'exit 3', optional: true }\nb: { command: 'true', dependencies: [a], optional: true }\nc: { command: 'true' }",
            "--activate")
        supervisor.peer().ok("wait")
        self.assertEqual(self.why(supervisor, status=0)["because"], [])
        self.assertEqual(self.why(supervisor, "c", status=0)["status"], "complete")
        self.assertEqual(self.why(supervisor, "a", status=1)["status"], "failed")
        self.assertEqual(ends(self.why(supervisor, "b", status=1)), ["a"])

    def test_what_runs_is_explained_with_since_when_and_how_long_it_usually_takes(self):
        """The first pass is the usual one. In the second one, gate runs until the test has asked."""

        def scenario(scale):
            text = f"""
                first: {{ {timed(scale * 0.1)}, priority: appActive }}
                gate: {{ worker: true, priority: appActive, dependencies: [first] }}
                last: {{ command: 'true', priority: appActive, dependencies: [gate] }}
            """
            supervisor = self.start_with(text, directory=with_script(self.directory()))
            worker, peer = supervisor.worker("gate"), supervisor.peer()
            number = peer.ok("activate")["pass"]
            run = worker.expect_run("gate")
            subprocess.run(["sleep", str(scale * 0.1)], check=True)
            with Noted() as answer:
                run.succeed()
            peer.ok("wait", pass_=number)
            usual = answer.moment - Witness(supervisor, number).ended("first")
            number = peer.ok("activate")["pass"]
            worker.expect_run("gate")
            for words, found in ((["last"], ["last", "gate"]), (["active"], ["active", "gate"]), ([], ["ready", "active", "gate"])):
                tree = self.why(supervisor, *words, status=2)
                self.assertEqual([each["name"] for each in nodes(tree)], found)
            gate = list(nodes(tree))[-1]
            self.assertEqual(gate["status"], "running")
            near(gate["since"], Witness(supervisor, number).ended("first"), "since when gate runs")
            near(gate["usual"], usual, "how long gate usually takes")

        in_one_round(scenario)

    def test_the_next_attempt_is_as_soon_as_status_says(self):
        supervisor = self.start_with(
            "a: { command: 'exit 22', retry: { attempts: 7, delay: 300ms, factor: 1000, maxDelay: 1000s } }\nb: { command: 'true', dependencies: [a] }")
        peer = supervisor.peer()
        shown = until(lambda: (each := peer.initializer("a")).get("attempt") == 2 and "nextAttempt" in each and each, "the second pause")
        with Noted() as asked:
            tree = self.why(supervisor, "b", status=2)
        self.assertEqual([each["name"] for each in nodes(tree)], ["b", "a"])
        a = tree["because"][0]
        self.assertEqual((a["status"], a["because"]), ("waiting", []))
        minutes, seconds = re.fullmatch(r"attempt 2 of 7, next in (\d+) min(?: (\d+) s)?, exit status 22", a["message"]).groups()
        told = 60 * int(minutes) + int(seconds or 0)
        self.assertLessEqual(shown["nextAttempt"] - asked.after - 1, told)
        self.assertLessEqual(told, shown["nextAttempt"] - asked.before + 1)

    def test_one_that_will_be_retried_says_which_attempt_and_when(self):
        supervisor = self.start_with("a: { command: 'echo no host; exit 22', retry: { attempts: 4, delay: 600s, maxDelay: 600s } }")
        peer = supervisor.peer()
        until(lambda: peer.initializer("a").get("nextAttempt"), "the pause before the next attempt")
        tree = self.why(supervisor, "a", status=2)
        self.assertEqual((tree["status"], tree["output"], tree["because"]), ("waiting", ["no host"], []))
        self.assertRegex(tree["message"], "^attempt 1 of 4, next in [0-9]+ min( [0-9]+ s)?, exit status 22$")
        self.assertIn("attempt 1 of 4, next in ", supervisor.ctl("status").out)

    def test_names_that_nobody_declared_and_workers_that_are_missing(self):
        supervisor = self.start("version: 1\nregistrationTimeout: 600s\ninitializers:\n  menu: { worker: true }\n")
        worker = supervisor.worker({"name": "a", "dependencies": ["menus"]}, {"name": "b", "dependencies": ["menu"]})
        tree = self.why(supervisor, "a", status=2)
        self.assertEqual([(each["name"], each["status"]) for each in nodes(tree)], [("a", "waiting"), ("menus", "undeclared")])
        self.assertIn('did you mean "menu"?', tree["because"][0]["message"])
        tree = self.why(supervisor, "b", status=2)
        self.assertEqual([each["name"] for each in nodes(tree)], ["b", "menu"])
        self.assertIn("no worker provides it", tree["because"][0]["message"])
        self.assertEqual(ends(self.why(supervisor, status=2))[:2], ["menu", "menus"])
        worker.close()

    def test_a_place_that_is_taken(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", "b")
        worker.expect_run("a")
        tree = self.why(supervisor, "b", status=2)
        self.assertEqual([(each["name"], each["status"]) for each in nodes(tree)], [("b", "waiting"), ("a", "running")])
        self.assertEqual(tree["message"], "waits for a place: the only one is taken by a")

    def test_an_active_initializer_that_is_held_by_launch_or_by_the_inactive_app(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("l", {"name": "s", "priority": "appActive"})
        run = worker.expect_run("l")
        tree = self.why(supervisor, "s", status=2)
        self.assertEqual((tree["status"], ends(tree)), ("idle", ["l"]))
        supervisor.peer().ok("activate")
        tree = self.why(supervisor, "s", status=2)
        self.assertEqual([each["name"] for each in nodes(tree)], ["s", "launch", "l"])
        supervisor.peer().ok("deactivate")
        run.succeed()
        supervisor.peer().ok("wait", for_="launch")
        tree = self.why(supervisor, "s", status=2)
        self.assertIn("initctl activate", tree["message"])

    def test_what_was_stopped_says_who_failed_first(self):
        supervisor = self.start_with(
            "tables: { command: 'until test -e slow; do sleep 0.01; done; exit 1' }\nslow: { command: 'touch slow; exec sleep 600' }",
            "--concurrency", "2",
        )
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
        self.assertEqual(peer.initializer("slow")["blockedBy"], "tables")
        tree = self.why(supervisor, "slow", status=1)
        self.assertEqual([each["name"] for each in nodes(tree)], ["slow", "tables"])
        self.assertEqual(tree["message"], "stopped because tables failed first")
        self.assertIn("stopped because tables failed first", supervisor.ctl("status").out)
        self.assertIn("slow was stopped because tables failed first", self.assertStatus(supervisor.ctl("wait", "slow"), 1).err)

    def test_the_usual_duration_is_the_median_of_the_complete_passes(self):
        supervisor = self.start_with("s: { command: 'sleep 0.2', priority: appActive }")
        peer = supervisor.peer()
        self.assertNotIn("usual", self.why(supervisor, "s", status=2))
        for _ in range(2):
            peer.ok("wait", pass_=peer.ok("activate")["pass"])
        [usual] = [each for each in peer.ok("history", usual=True)["usual"] if each["phase"] == "active"]
        self.assertEqual(self.why(supervisor, "s", status=0)["usual"], usual["initializers"][0]["running"])
        self.assertEqual(self.why(supervisor, "active", status=0)["usual"], usual["duration"])

    def test_a_mistyped_name_is_64_with_the_one_that_was_meant(self):
        supervisor = self.start_with("favorites: { command: 'true' }")
        for words, meant in ((["why", "favorits"], "favorites"), (["status", "favorits"], "favorites"), (["why", "lanuch"], "launch")):
            finished = self.assertStatus(supervisor.ctl(*words), 64)
            self.assertEqual((finished.out, finished.err), ("", f'initctl: no initializer or process is named "{words[1]}"; did you mean "{meant}"?\n'))


class ReadinessTests(WhyCase):
    def test_it_is_what_runs_now_and_the_inactive_app(self):
        supervisor = self.start_fast("--concurrency", "3")
        worker = supervisor.worker("a", "b", {"name": "c", "dependencies": ["a"]}, {"name": "z", "priority": "appActive"})
        worker.expect_run("a")
        worker.expect_run("b")
        tree = self.why(supervisor, status=2)
        self.assertEqual((tree["name"], tree["status"], ends(tree)), ("ready", "pending", ["a", "b", "app"]))
        self.assertIn("0 of 3 complete", [each["message"] for each in nodes(tree)])

    def test_a_failure_is_1_and_leads_to_the_initializer_that_failed(self):
        supervisor = self.failing("a: { command: 'true' }\nb: { command: 'echo no such table; exit 3', dependencies: [a] }")
        tree = self.why(supervisor, status=1)
        self.assertEqual([each["name"] for each in nodes(tree)], ["ready", "launch", "b"])
        self.assertEqual(list(nodes(tree))[-1]["output"], ["no such table"])

    def test_launch_that_was_never_started_says_what_starts_it(self):
        supervisor = self.start_with("a: { command: 'true' }", "--no-launch")
        self.assertIn("initctl launch", self.why(supervisor, "launch", status=2)["message"])


class SizeTests(WhyCase):
    def test_shared_dependencies_are_explained_once(self):
        """A ladder with two on each rung, each of which needs both below, has 2^20 paths."""
        lines = ["ground: { worker: true }"]
        for rung in range(20):
            below = "ground" if rung == 0 else f"a{rung - 1}, b{rung - 1}"
            lines += [f"{side}{rung}: {{ command: 'true', dependencies: [{below}] }}" for side in "ab"]
        supervisor = self.start_with("\n".join(lines), "--no-launch")
        worker = supervisor.worker("ground")
        supervisor.peer().ok("launch")
        worker.expect_run("ground")
        tree = self.why(supervisor, "a19", status=2)
        self.assertLess(len(list(nodes(tree))), 100)
        self.assertIn("ground", ends(tree))

    def test_a_chain_of_3000_is_no_deeper_than_a_message_may_be(self):
        lines = ["c0: { worker: true }"] + [f"c{place}: {{ command: 'true', dependencies: [c{place - 1}] }}" for place in range(1, 3000)]
        supervisor = self.start_with("\n".join(lines), "--no-launch")
        worker = supervisor.worker("c0")
        supervisor.peer().ok("launch")
        worker.expect_run("c0")
        finished = self.assertStatus(supervisor.ctl("why", "c2999", "--json"), 2)
        self.assertLessEqual(depth(finished.out), 32)
        self.assertEqual(ends(json.loads(finished.out)), ["c0"])
        self.assertLess(len(self.assertStatus(supervisor.ctl("why", "c2999"), 2).out.splitlines()), 20)


class StatusTests(WhyCase):
    def first(self, supervisor, *words):
        return self.assertStatus(supervisor.ctl("status", *words), 0).out.splitlines()[0]

    def row(self, supervisor, name):
        [row] = [line for line in supervisor.ctl("status").out.splitlines() if line.startswith(name + " ")]
        return row

    def test_the_first_line_says_whether_it_is_ready_and_if_not_why_and_what_to_do(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", {"name": "z", "priority": "appActive"})
        run = worker.expect_run("a")
        self.assertRegex(self.first(supervisor), "^NOT READY: a has been running for [0-9.]+ m?s; .+$")
        run.succeed()
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.first(supervisor), "NOT READY: the app is inactive; make it active with initctl activate")
        supervisor.peer().ok("activate")
        worker.expect_run("z").succeed()
        supervisor.peer().ok("wait")
        self.assertEqual(self.first(supervisor), "READY")
        failed = self.failing("a: { command: 'exit 3' }")
        self.assertRegex(self.first(failed), "^NOT READY: a failed .*: exit status 3; fix it, then retry with initctl launch$")

    def test_the_detail_is_the_message_of_why(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]}, "c")
        worker.expect_run("a").progress(fraction=0.5, message="half of the shelves")
        worker.alive()
        for name in ("a", "b", "c"):
            message = self.why(supervisor, name, status=2)["message"]
            self.assertTrue(message)
            self.assertTrue(self.row(supervisor, name).endswith("  " + message), message)

    def test_names_and_filters_choose_the_rows(self):
        supervisor = self.start_fast("--concurrency", "2")
        worker = supervisor.worker({"name": "bad", "optional": True}, "a", "b", {"name": "c", "dependencies": ["b"]})
        worker.expect_run("bad").fail()
        worker.expect_run("a").succeed()
        worker.expect_run("b")
        supervisor.peer().until_initializer("bad", "failed")
        for words, names in (
            (["--failed"], ["bad"]), (["--running"], ["b"]), (["--waiting"], ["c"]), (["--failed", "--running"], ["bad", "b"]),
            (["a", "c"], ["a", "c"]), (["a", "b", "--running"], ["b"]), (["a", "--running"], []),
        ):
            with self.subTest(words):
                (status,) = self.assertStatus(supervisor.ctl("status", *words, "--json"), 0).json()
                self.assertNames(status["initializers"], names)
                rows = self.assertStatus(supervisor.ctl("status", *words), 0).out.split("\n\n")[1].splitlines()
                self.assertEqual([row.split()[0] for row in rows[1:]], names)

    def test_one_that_was_retried_has_its_own_time_and_the_total(self):
        supervisor = self.start_with("a: { command: 'test $INITD_ATTEMPT = 2', retry: { attempts: 2, delay: 1s, factor: 1 } }\nb: { command: 'true' }")
        supervisor.peer().ok("wait", for_="launch")
        shown = supervisor.peer().initializer("a")
        self.assertGreater(shown["started"] - shown["firstStarted"], 0.9)
        out = supervisor.ctl("status").out
        self.assertIn("TOTAL", out)
        self.assertRegex(self.row(supervisor, "a"), r"^a +complete +command +launch +[0-9]+ ms +1(\.[0-9])? s +attempt 2 of 2$")
        self.assertRegex(self.row(supervisor, "b"), r"^b +complete +command +launch +([0-9.]+ m?s) +\1$")

    def test_providers_that_are_lost_are_named(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("shelf")
        worker.expect_run("shelf").succeed()
        supervisor.peer().ok("wait", for_="launch")
        worker.close()
        until(lambda: not supervisor.peer().initializer("shelf")["available"], "the loss of the worker")
        self.assertTrue(self.row(supervisor, "shelf").endswith("its worker has disconnected"))
        self.assertRegex(supervisor.ctl("status").out, r"\nlost +shelf: ")

    def test_kept_processes_are_told_with_pid_uptime_restarts_and_last_exit(self):
        manifest = "version: 1\nworkers:\n  shelf: { command: [sleep, '600'], backoff: { delay: 1ms, factor: 1 } }\n"
        supervisor = self.start(manifest)
        peer = supervisor.peer()
        first = until(lambda: peer.status()["processes"][0].get("pid"), "the start")
        os.kill(first, signal.SIGKILL)
        second = until(lambda: peer.status()["processes"][0].get("pid") not in (None, first) and peer.status()["processes"][0]["pid"], "the restart")
        self.assertRegex(
            supervisor.ctl("status").out, rf"\nprocesses +shelf \(pid {second}\): up [0-9.]+ m?s, 1 restart, last: killed by SIGKILL, not by initd: .*\n"
        )


class WaitTests(WhyCase):
    def test_it_waits_for_all_and_the_first_failure_ends_it(self):
        supervisor = self.start_fast("--concurrency", "3")
        worker = supervisor.worker({"name": "a", "optional": True}, "b", "c")
        runs = {name: worker.expect_run(name) for name in "abc"}
        both = supervisor.start_ctl("wait", "b", "c")
        failing = supervisor.start_ctl("wait", "a", "b", "launch")
        runs["b"].succeed()
        supervisor.peer().until_initializer("b", "complete")
        self.assertIsNone(both.process.poll())
        runs["a"].fail("no such shelf")
        finished = self.assertStatus(failing.finish(), 1)
        self.assertIn("a failed: no such shelf", finished.err)
        runs["c"].succeed()
        self.assertStatus(both.finish(), 0)

    def test_any_is_the_first_to_complete_and_1_only_if_all_fail(self):
        supervisor = self.start_fast("--concurrency", "3")
        worker = supervisor.worker({"name": "a", "optional": True}, {"name": "b", "optional": True}, "c")
        runs = {name: worker.expect_run(name) for name in "abc"}
        runs["a"].fail("no such shelf")
        first = supervisor.start_ctl("wait", "--any", "a", "b", "c")
        none = supervisor.start_ctl("wait", "--any", "a", "b")
        runs["c"].succeed()
        self.assertStatus(first.finish(), 0)
        self.assertIsNone(none.process.poll())
        runs["b"].fail("no such book")
        finished = self.assertStatus(none.finish(), 1)
        for text in ("no such shelf", "no such book"):
            self.assertIn(text, finished.err)

    def test_a_timeout_names_what_is_not_complete_and_shows_the_tree(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]})
        worker.expect_run("a")
        finished = self.assertStatus(supervisor.ctl("wait", "b", "launch", "--timeout", "100ms"), 124)
        lines = finished.err.splitlines()
        self.assertRegex(lines[0], r"^initctl: timed out after 100 ms waiting for b, launch: a has been running for [0-9.]+ m?s$")
        self.assertEqual(lines[1], "  b waits for a")
        self.assertIn("  launch has been pending", finished.err)
        self.assertStatus(supervisor.ctl("wait", "b", "a", "--any", "--timeout", "0"), 124)

    def test_any_times_out_if_one_failed_and_one_is_late(self):
        supervisor = self.start_fast("--concurrency", "2")
        worker = supervisor.worker({"name": "a", "optional": True}, "b")
        runs = {name: worker.expect_run(name) for name in "ab"}
        runs["a"].fail("no such shelf")
        finished = self.assertStatus(supervisor.ctl("wait", "--any", "a", "b", "--timeout", "100ms"), 124)
        self.assertIn("timed out after 100 ms waiting for b:", finished.err)

    def test_what_is_late_is_told_in_the_order_of_the_words(self):
        supervisor = self.start_fast("--no-launch")
        names = [f"n{number}" for number in range(20)]
        supervisor.worker(*names)
        names.reverse()
        finished = self.assertStatus(supervisor.ctl("wait", *names, "--timeout", "0"), 124)
        self.assertIn(f"waiting for {', '.join(names)}: ", finished.err)

    def test_one_unknown_name_among_several_is_64(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("shelf")
        worker.expect_run("shelf")
        for words in (["shelf", "shelve"], ["shelve", "shelf", "--any"]):
            self.assertIn('did you mean "shelf"?', self.assertStatus(supervisor.ctl("wait", *words), 64).err)

    def test_progress_is_a_line_for_each_start_failure_and_end_and_all_of_them(self):
        supervisor = self.start_with(
            "gate: { worker: true }\n"
            "a: { command: 'test $INITD_ATTEMPT = 2 || exit 3', retry: { attempts: 2, delay: 1ms, factor: 1 }, dependencies: [gate] }\n"
            + "\n".join(f"x{number}: {{ command: 'true', dependencies: [a] }}" for number in range(30)),
            "--no-launch",
        )
        worker = supervisor.worker({"name": "gate", "retry": {"attempts": 100000, "delay": 0}})
        supervisor.peer().ok("launch")
        program = supervisor.start_ctl("wait", "launch", "--progress")

        def is_told():
            """The gate fails until that is reported: the events that follow are subscribed to."""
            worker.expect_run("gate").fail("not yet")
            program.pump()
            return b"not yet" in program.out

        until(is_told, "a line of the gate")
        worker.expect_run("gate").succeed()
        finished = self.assertStatus(program.finish(), 0)
        self.assertEqual(finished.err, "")
        told = [line.split(" ", 1)[1] for line in finished.out.splitlines()]
        told = told[next(place for place, line in enumerate(told) if line.startswith("gate is complete")) + 1 :]
        self.assertEqual(told[0], "a started")
        self.assertRegex(told[1], "^a: attempt 1 of 2 failed after [0-9]+ ms: exit status 3; next attempt in [01] ms$")
        self.assertEqual(told[2], "a started (attempt 2)")
        for name in [f"x{number}" for number in range(30)]:
            self.assertEqual([line.split(" ")[1] for line in told if line.split(" ")[0] == name], ["started", "is"])
        self.assertEqual(told[-1], "launch pass 1 is complete")

    def test_run_gives_up_with_124_if_the_app_is_not_ready_in_time(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a")
        worker.expect_run("a")
        finished = self.assertStatus(supervisor.ctl("run", "--timeout", "100ms", "--", "echo", "started"), 124)
        self.assertEqual(finished.out, "")
        self.assertIn("a has been running", finished.err)
        until(lambda: supervisor.peer().status()["lifecycle"] == "inactive", "the app inactive")


class SuggestionTests(Conformance):
    def test_mistyped_commands_and_options_are_64_with_what_was_meant(self):
        for words, meant in ((["statsu"], '"status"'), (["wyh"], '"why"'), (["status", "--faild"], "--failed"), (["wait", "--progess"], "--progress")):
            finished = self.assertStatus(self.initctl(*words, env={"INITD_SOCKET": "/nowhere/s"}), 64)
            self.assertIn(f"did you mean {meant}?", finished.err)


if __name__ == "__main__":
    unittest.main()
