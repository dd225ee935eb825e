"""`initctl watch` in a real terminal: its contents in each size, its keys, and how it ends."""

import os
import re
import signal
import sys
import unittest

from deadlines import until
from fake import STATUS, FakeSupervisor
from screen import Screen, Watch, fixed
from supervisor import INITCTL, ROOT, Conformance

EACH = """\
version: 1
concurrency: 2
registrationTimeout: 1h
initializers:
  migrate: { command: 'true' }
  prices: { command: 'echo asking the office; echo no answer >&2; exit 3', optional: true }
  menu: { command: 'exit 4', retry: { attempts: 3, delay: 1h, maxDelay: 1h } }
  tables: { worker: true }
  queue: { command: 'true' }
  chained: { command: 'true', dependencies: [tables] }
  session: { command: 'true', priority: appActive }
"""
"""One initializer fails, one is retried much later, one runs as long as the test wants, one waits for a place, and there are others."""

READINESS = "NOT READY: menu has been waiting for T: attempt 1 of 3, next in T, exit status 4"
WIDE = "launch pass 1: 1 of 6 complete, 1 running, 1 retrying, 1 failed, T"
REVERSED = r"\x1b\[7m(\x1b\[\d*m)*"
HINTS = "j k move  Enter look  / filter  f fold  ? keys  q quit"
UNFOLD = "j k move  Enter look  / filter  f unfold  ? keys  q quit"
ROWS = [
    "> prices  failed  T  optional, exit status 3",
    "  │ asking the office",
    "  │ no answer",
    "  tables  running  T  50% half",
    "  menu  retrying  T  attempt 1 of 3, next in T, exit status 4",
    "  queue  waiting  T  waits for a place: all 2 are taken by menu and tables",
    "  2 waiting",
    "  chained  waiting  waits for tables",
    "  session  waiting  waits for launch",
    "  1 complete",
    "  migrate  complete  T",
]


class WatchScreen(Conformance):
    def each(self, **options):
        supervisor = self.start(EACH, "--no-launch", **options)
        worker = supervisor.worker("tables")
        peer = supervisor.peer()
        peer.ok("launch")
        peer.ok("activate")
        self.tables = worker.expect_run("tables")
        self.tables.progress(fraction=0.5, message="half")
        return supervisor

    def running(self, **options):
        """A supervisor in whose launch one initializer runs as long as the test likes."""
        supervisor = self.start_fast("--no-launch", **options)
        worker = supervisor.worker("l")
        supervisor.peer().ok("launch")
        self.run_of_l = worker.expect_run("l")
        return supervisor


class SizeTests(WatchScreen):
    def test_40x12(self):
        watch = Watch(self, self.each().path, 40, 12)
        shown = watch.until([
            "launch pass 1: 1 of 6 complete,",
            "1 running, 1 retrying, 1 failed, T",
            "NOT READY: menu has been waiting for T",
            "lifecycle active, launch pending, activ…",
            "> prices  failed  T",
            "  │ asking the office",
            "  │ no answer",
            "  tables  running  T",
            "  menu  retrying  T",
            "  queue  waiting  T",
            "? keys  q quit  lines 1–6 of 8",
        ], narrow=True)
        self.assertIn("attempt 1 of 3", shown[3])
        watch.keys("q")
        watch.ended(0)

    def test_80x24(self):
        watch = Watch(self, self.each().path)
        watch.until([
            WIDE,
            READINESS,
            "lifecycle active, launch pending, active pending, composite pending",
            # Clipped, because a name below is longer.
            *("  queue  waiting  T …" if row.startswith("  queue") else row for row in ROWS),
            *[""] * 8,
            HINTS,
        ])
        watch.keys("q")
        self.assertIn(WIDE, [fixed(line) for line in watch.ended(0)])

    def test_200x50(self):
        watch = Watch(self, self.each().path, 200, 50)
        watch.until([
            WIDE,
            READINESS,
            "lifecycle active, launch pending, active pending, composite pending",
            "",
            *ROWS,
            *[""] * 34,
            HINTS,
        ])
        watch.keys("q")
        watch.ended(0)

    def test_one_row_and_resizing(self):
        watch = Watch(self, self.each().path, 80, 1)
        watch.until([WIDE])
        watch.resize(120, 5)
        watch.until([WIDE, READINESS, ROWS[0], *ROWS[2:4]])
        watch.resize(40, 12)
        watch.until(lambda lines: lines[1].startswith("1 running, 1 retrying") and lines[-1].startswith("? keys"))
        watch.resize(80, 24)
        watch.until("composite pending")
        watch.keys("q")
        watch.ended(0)

    def test_a_thousand_initializers(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("gate", *({"name": f"i{number}", "dependencies": ["gate"]} for number in range(1000)))
        supervisor.peer().ok("launch")
        worker.expect_run("gate")
        watch = Watch(self, supervisor.path)
        watch.until([
            "launch pass 1: 0 of 1001 complete, 1 running, 0 retrying, 0 failed, T",
            "NOT READY: gate has been running for T",
            "lifecycle inactive, launch pending, active pending, composite pending",
            "",
            "> gate  running  T",
            "  1000 waiting, 17 shown",
            *(f"  i{number}  waiting  waits for gate" for number in range(17)),
            UNFOLD,
        ])
        watch.keys("f", "G")
        watch.until(lambda lines: lines[-2].startswith("> i999  waiting") and lines[-1].endswith("lines 984–1002 of 1002"))
        watch.type("/i77")
        watch.until(lambda lines: sum(line[2:].startswith("i77") for line in lines) == 11 and lines[-1].startswith("filter: i77"))
        watch.keys("q")
        watch.ended(0)


    def test_60_rows_are_used(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("gate", *({"name": f"i{number}", "dependencies": ["gate"]} for number in range(100)))
        supervisor.peer().ok("launch")
        worker.expect_run("gate")
        watch = Watch(self, supervisor.path, 80, 60)
        watch.until([
            "launch pass 1: 0 of 101 complete, 1 running, 0 retrying, 0 failed, T",
            "NOT READY: gate has been running for T",
            "lifecycle inactive, launch pending, active pending, composite pending",
            "",
            "> gate  running  T",
            "  100 waiting, 53 shown",
            *(f"  i{number}  waiting  waits for gate" for number in range(53)),
            UNFOLD,
        ])
        watch.keys("q")
        watch.ended(0)


class ProcessTests(WatchScreen):
    """everyday.md: "with keys: `s` stop, `r` restart, `x` external, asked once"."""

    def begin(self, processes):
        supervisor = self.start(f"version: 1\nprocesses:\n  {processes}\n")
        until(lambda: self.process(supervisor).get("pid"), "the start of the process")
        return supervisor

    def process(self, supervisor):
        return supervisor.peer().ok("status")["processes"][0]

    def test_stop_start_restart(self):
        supervisor = self.begin("queue: { command: 'exec sleep 1000' }")
        first = self.process(supervisor)["pid"]
        watch = Watch(self, supervisor.path, 100, 24)
        watch.until("s stop")
        watch.keys("s")
        watch.until("stop queue? y does it, any other key doesn't")
        watch.keys("n")
        watch.keys("r")
        watch.until("restart queue?")
        watch.keys("y")
        watch.until("queue is restarted")
        second = until(lambda: (pid := self.process(supervisor).get("pid")) and pid != first and pid, "another start")
        watch.keys("s", "y")
        watch.until("queue is stopped; s starts it again")
        self.assertNotIn("pid", self.process(supervisor))
        watch.until("stopped by")
        watch.keys("s", "y")
        watch.until("queue is started")
        until(lambda: self.process(supervisor).get("pid") not in (None, second), "a start after the stop")
        watch.keys("q")
        watch.ended(0)

    def test_external(self):
        supervisor = self.begin("web: { command: 'exec sleep 1000', ready: { path: gate, every: 10ms } }")
        watch = Watch(self, supervisor.path, 100, 24)
        watch.until("web  running")
        watch.keys("x")
        watch.until("stop web, because you run it by hand?")
        watch.keys("y")
        watch.until("web is stopped: what answers its ready counts as web")
        self.assertTrue(self.process(supervisor)["external"])
        watch.keys("q")
        watch.ended(0)

    def test_what_cannot_be_done_is_told(self):
        supervisor = self.begin("queue: { command: 'exec sleep 1000' }")
        watch = Watch(self, supervisor.path, 120, 24)
        watch.until("s stop")
        watch.keys("x", "y")
        watch.until("queue can't be run by hand")
        watch.keys("q")
        watch.ended(0)


class PassTests(WatchScreen):
    """A screen that was open before doesn't change: a new pass number alone isn't a change of a state."""

    def test_a_launch_that_starts_while_it_is_open(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("l")
        watch = Watch(self, supervisor.path)
        watch.until("launch not started: 0 of 1 complete")
        supervisor.peer().ok("launch")
        run = worker.expect_run("l")
        watch.until([
            "launch pass 1: 0 of 1 complete, 1 running, 0 retrying, 0 failed, T",
            "NOT READY: l has been running for T",
            "lifecycle inactive, launch pending, active pending, composite pending",
            "",
            "> l  running  T",
            *[""] * 18,
            HINTS,
        ])
        run.succeed()
        watch.until("launch pass 1 complete: 1 of 1")
        watch.keys("q")
        watch.ended(0)

    def test_after_deactivate_the_pass_is_cancelled_and_its_time_stands_still(self):
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "a", "priority": "appActive"}, {"name": "b", "priority": "appActive"})
        peer = supervisor.peer()
        # A complete pass comes first, so usual durations are known.
        peer.ok("activate")
        worker.expect_run("a").succeed()
        worker.expect_run("b").succeed()
        peer.ok("wait", **{"for": "active"})
        watch = Watch(self, supervisor.path, 120, 24)
        watch.until("2 complete: 2 of 2")
        peer.ok("activate")
        run = worker.expect_run("a")
        watch.until(lambda lines: re.search(r"^active pass \d+: 0 of 2 complete, 1 running", lines[0]))
        peer.ok("deactivate")
        run.expect_cancel("deactivated").stopped()
        shown = watch.until(lambda lines: re.search(r"^active pass \d+ cancelled: 0 of 2 complete, 0 running, 0 retrying, 0 failed, [\d.]+ m?s$", lines[0]))
        self.assertEqual(shown[1], "NOT READY: the app is inactive; make it active with initctl activate")
        # The screen is drawn again later, and the time hasn't changed.
        watch.keys("/")
        self.assertEqual(watch.until("Enter accepts")[0], shown[0])
        watch.keys("Escape")
        watch.until("j k move")
        watch.keys("q")
        watch.ended(0)


class KeyTests(WatchScreen):
    def test_a_question_mark_lists_the_keys_and_any_key_goes_back(self):
        watch = Watch(self, self.each().path)
        watch.until("  1 complete")
        watch.keys("Enter")
        watch.until("output:")
        watch.keys("?")
        shown = watch.until("Any key closes this.")
        self.assertTrue(shown[0].startswith("j k "))
        watch.keys("q")
        watch.until("output:")
        watch.keys("Escape")
        watch.until("  1 complete")

    def test_enter_shows_why_and_the_log_of_one_and_escape_goes_back(self):
        watch = Watch(self, self.each().path)
        watch.until("  1 complete")
        watch.keys("Enter")
        watch.until([
            "prices failed T ago: optional, exit status 3; launch goes on without it; fix",
            "   it, then run it again with initctl rerun prices",
            "output:",
            "  asking the office",
            "  no answer",
            *[""] * 18,
            "j k scroll  PgUp PgDn  ? keys  q back",
        ])
        watch.keys("Escape")
        watch.until("  1 complete")
        watch.keys("j", "Enter")
        watch.until("tables has been running for")
        self.tables.progress(fraction=0.75, message="more")
        watch.until("75% more")
        watch.keys("q")
        watch.until("  1 complete")
        watch.keys("q")
        watch.ended(0)

    def test_at_40x12_enter_shows_all_of_why(self):
        watch = Watch(self, self.each().path, 40, 12)
        watch.until(lambda lines: lines[-1].startswith("Enter look"))
        watch.keys("Enter")
        shown = watch.until("  no answer")
        reason = " ".join(line.strip() for line in shown[: shown.index("output:")])
        self.assertRegex(reason, "^prices failed [0-9].* ago: optional, exit status 3; launch goes on without it; "
            "fix it, then run it again with initctl rerun prices$")
        watch.keys("q", "q")
        watch.ended(0)

    def test_arrows_paging_folds_and_the_filter(self):
        watch = Watch(self, self.each().path, 80, 24, colored=True)
        watch.until("  1 complete")
        # The selected line is in reverse video.
        self.assertRegex(watch.tmux("capture-pane", "-p", "-e"), REVERSED + "  prices")
        watch.keys("f")
        watch.until(lambda lines: not any("migrate" in line for line in lines))
        watch.keys("NPage", "Enter")
        watch.until("  migrate  complete")
        watch.keys("f")
        watch.until(lambda lines: not any("migrate" in line for line in lines))
        watch.keys("PPage", "Down")
        until(lambda: re.search(REVERSED + "  tables", watch.tmux("capture-pane", "-p", "-e")), "the mark")
        watch.type("/ch")
        watch.until(lambda lines: lines[-1].startswith("filter: ch") and any("  chained  waiting" in line for line in lines))
        watch.keys("Escape")
        watch.until("  2 waiting")
        # Unknown keys.
        watch.keys("F5", "M-x", "C-Right", "Z", "Left", "q")
        watch.ended(0)

    def test_without_a_terminal_as_input_it_has_no_keys(self):
        watch = Watch(self, self.each().path, arguments="</dev/null")
        watch.until(lambda lines: "  1 complete" in lines and lines[-1] == "" and "  prices" in lines[4])
        watch.signal(signal.SIGTERM)
        watch.ended(128 + signal.SIGTERM)


class EndTests(WatchScreen):
    def test_signals_end_it_by_themselves(self):
        path = self.running().path
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            with self.subTest(number):
                watch = Watch(self, path)
                watch.until("> l  running")
                watch.signal(number)
                watch.ended(128 + number)

    def test_the_keys_of_the_terminal_interrupt_it_and_suspend_it(self):
        watch = Watch(self, self.running().path)
        watch.until("> l  running")
        watch.keys("C-z")
        watch.until_shell()
        self.assertEqual(watch.about("alternate_on"), "0")
        self.assertEqual(watch.modes("suspended"), watch.before)
        watch.type("fg")
        watch.until("> l  running")
        self.assertEqual(watch.about("alternate_on"), "1")
        watch.keys("C-c")
        watch.ended(128 + signal.SIGINT)

    def test_it_continues_after_it_was_stopped_from_outside(self):
        watch = Watch(self, self.running().path)
        watch.until("> l  running")
        watch.signal(signal.SIGSTOP)
        watch.until_shell()
        watch.type("fg")
        watch.until("> l  running")
        watch.keys("q")
        watch.ended(0)

    def test_it_continues_though_no_shell_noticed_that_it_was_stopped(self):
        watch = Watch(self, self.running().path, has_job_control=False)
        watch.until("> l  running")
        watch.signal(signal.SIGSTOP)
        watch.signal(signal.SIGCONT)
        watch.keys("/")
        watch.until("Enter accepts")
        watch.keys("Escape")
        watch.until("j k move")
        watch.keys("q")
        watch.ended(0)

    def test_a_shutdown_ends_it(self):
        supervisor = self.start_fast()
        watch = Watch(self, supervisor.path)
        watch.until("no initializers")
        supervisor.peer().ok("shutdown")
        self.assertIn("the supervisor has shut down", watch.ended(0))

    def test_until_ends_it_with_the_status_of_wait(self):
        supervisor = self.running()
        watch = Watch(self, supervisor.path, arguments="--until launch")
        watch.until("> l  running")
        self.run_of_l.succeed()
        self.assertTrue(any(line.startswith("launch pass 1 complete: 1 of 1") for line in watch.ended(0)))

    def test_until_that_is_refused_ends_it_and_says_why(self):
        refusal = {"code": -32000, "message": "too many waits"}
        answers = {"subscribe": {"snapshot": STATUS}, "wait": Exception(refusal), "history": {"passes": []}}
        fake = FakeSupervisor(self.directory() + "/s", lambda method, _: answers[method])
        self.addCleanup(fake.close)
        watch = Watch(self, fake.path, arguments="--until ready")
        self.assertTrue(any("too many waits" in line for line in watch.ended(1)))

    def test_until_is_0_though_the_supervisor_shut_down_just_after_that(self):
        """Both messages, and the end of the connection, are read at once."""
        answers = {"subscribe": {"snapshot": STATUS}, "wait": None, "history": {"passes": []}}
        fake = FakeSupervisor(self.directory() + "/s", lambda method, _: answers[method])
        self.addCleanup(fake.close)
        watch = Watch(self, fake.path, arguments="--until active", has_job_control=False)
        watch.until("no initializers")
        until(lambda: fake.asked["wait"], "the wait")
        watch.signal(signal.SIGSTOP)
        fake.reply("wait", {"state": "complete", "pass": 1})
        fake.event(seq=2, time=2.0, topic="shutdown")
        fake.close()
        watch.signal(signal.SIGCONT)
        watch.ended(0)

    def test_until_tells_why_it_failed(self):
        supervisor = self.running()
        watch = Watch(self, supervisor.path, arguments="--until ready")
        watch.until("> l  running")
        self.run_of_l.fail("no tables")
        self.assertIn("initctl: ready failed: l failed: no tables", watch.ended(1))

    def test_until_is_1_if_the_user_ends_it_before(self):
        watch = Watch(self, self.running().path, arguments="--until ready")
        watch.until("> l  running")
        watch.keys("q")
        watch.ended(1)


class DumbTests(WatchScreen):
    def test_a_dumb_terminal_gets_lines(self):
        supervisor = self.running()
        screen = Screen(self)
        screen.type(f"clear; TERM=dumb {INITCTL} --socket {supervisor.path} watch")
        screen.until("l is running")
        self.run_of_l.succeed()
        shown = screen.until("launch pass 1 is complete")
        self.assertEqual(screen.about("alternate_on"), "0")
        # The first lines are still there: they weren't overwritten.
        self.assertTrue(any("snapshot lifecycle inactive" in line for line in shown))
        screen.keys("C-c")


class SilentTests(WatchScreen):
    def test_a_supervisor_that_hangs_is_told_and_the_durations_stand_still(self):
        supervisor = self.running()
        watch = Watch(self, supervisor.path)
        watch.until("> l  running")
        supervisor.program.signal(signal.SIGSTOP)
        self.addCleanup(supervisor.program.signal, signal.SIGCONT)
        first = watch.until(lambda lines: re.fullmatch(r"no news for [\d.]+ s: the supervisor doesn't answer", lines[1]))
        later = watch.until(lambda lines: lines[1].startswith("no news for") and lines[1] != first[1])
        self.assertEqual(later[2:], first[2:])
        self.assertEqual(later[0], first[0])
        supervisor.program.signal(signal.SIGCONT)
        watch.until(lambda lines: lines[1].startswith("NOT READY: l has been running for"))
        self.run_of_l.succeed()
        watch.until("launch pass 1 complete: 1 of 1")
        watch.keys("q")
        watch.ended(0)

    def test_after_the_reply_timeout_it_waits_for_an_answer(self):
        supervisor = self.running()
        watch = Watch(self, supervisor.path, 120, 24, arguments="--reply-timeout 1s")
        watch.until("> l  running")
        supervisor.program.signal(signal.SIGSTOP)
        self.addCleanup(supervisor.program.signal, signal.SIGCONT)
        watch.until("the supervisor doesn't answer; waiting for it at")
        supervisor.program.signal(signal.SIGCONT)
        watch.until(f"connected again to the supervisor (pid {supervisor.program.pid})")
        watch.keys("q")
        watch.ended(0)


class LostTests(WatchScreen):
    def test_it_waits_for_a_new_supervisor(self):
        supervisor = self.running()
        watch = Watch(self, supervisor.path)
        watch.until("> l  running")
        supervisor.program.signal(signal.SIGKILL)
        watch.until([
            "launch pass 1: 0 of 1 complete, 1 running, 0 retrying, 0 failed, T",
            "the supervisor has gone; waiting for a new one at PATH",
            "NOT READY: l has been running for T",
            "lifecycle inactive, launch pending, active pending, composite pending",
            "",
            "> l  running  T",
            *[""] * 17,
            HINTS,
        ])
        supervisor.ended()
        self.start_with("other: { command: 'true' }", directory=supervisor.directory)
        watch.until([
            "launch pass 1 complete: 1 of 1, 0 running, 0 retrying, 0 failed, T",
            "connected to a new supervisor (pid N)",
            "READY",
            "lifecycle inactive, launch complete, active pending, composite pending",
            "",
            "> 1 complete",
            "  other  complete  T",
            *[""] * 16,
            HINTS,
        ])
        watch.keys("q")
        watch.ended(0)

    def test_it_can_be_ended_while_it_waits(self):
        supervisor = self.running()
        watches = [(Watch(self, supervisor.path), key, status) for key, status in (("q", 0), ("C-c", 128 + signal.SIGINT))]
        for watch, _, _ in watches:
            watch.until("> l  running")
        supervisor.program.signal(signal.SIGKILL)
        for watch, key, status in watches:
            watch.until("the supervisor has gone")
            watch.keys(key)
            watch.ended(status)

    def test_it_gives_up_after_the_connect_timeout(self):
        supervisor = self.running()
        watch = Watch(self, supervisor.path, arguments="--connect-timeout 100ms")
        watch.until("> l  running")
        supervisor.program.signal(signal.SIGKILL)
        self.assertTrue(any("cannot connect to" in line for line in watch.ended(69)))


class BookshopTests(WatchScreen):
    def test_the_bookshop(self):
        directory = self.directory()
        shop = os.path.join(ROOT, "Examples/bookshop")
        env = {
            "BOOKSHOP_STATE": directory, "PYTHONPATH": os.path.join(ROOT, "clients/python"),
            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1", "INITD_SOCKET": os.path.join(directory, "initd.sock"),
        }
        supervisor = self.start(None, "--config", os.path.join(shop, "init.yaml"), "--activate", directory=directory, env=env)
        env["INITD_PORT_OFFICE"] = supervisor.ctl("port", "office").out.strip()
        watch = Watch(self, supervisor.path, 100, 24)
        self.program([sys.executable, os.path.join(shop, "shop/shelf_worker.py")], env=env)
        watch.until([
            "launch pass 1: 1 of 3 complete, 1 running, 0 retrying, 0 failed, T",
            "NOT READY: feature-toggles has been running for T: pid N",
            "lifecycle active, launch pending, active pending, composite pending",
            "",
            "> feature-toggles  running  T  pid N",
            "  │ the back office is closed, waiting for it to open",
            "  3 waiting",
            "  catalogue  waiting  waits for feature-toggles",
            "  session  waiting  waits for feature-toggles",
            "  prices  waiting  waits for session and catalogue",
            "  1 complete",
            "  migrate  complete  T",
            *[""] * 11,
            HINTS,
        ])
        watch.keys("Enter")
        watch.until("  the back office is closed")
        watch.keys("q")
        self.program([sys.executable, os.path.join(shop, "shop/back_office.py")], env=env)
        watch.until([
            "active pass 2 complete: 2 of 2, 0 running, 0 retrying, 0 failed, T",
            "READY",
            "lifecycle active, launch complete, active complete, composite complete",
            "",
            "  5 complete",
            "  migrate  complete  T",
            # Enter has selected it.
            "> feature-toggles  complete  T",
            *(f"  {name}  complete  T" for name in ("catalogue", "session", "prices")),
            *[""] * 13,
            HINTS,
        ])
        watch.keys("q")
        watch.ended(0)


class EstimateTests(WatchScreen):
    def test_the_rest_is_estimated_from_earlier_passes(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker({"name": "w", "priority": "appActive"})
        run = worker.expect_run("w")
        watch = Watch(self, supervisor.path)
        watch.until("1 running, 0 retrying, 0 failed")
        self.assertFalse(any("left" in line or "usual" in line for line in watch.lines()))
        run.succeed()
        watch.until("0 running, 0 retrying, 0 failed")
        supervisor.peer().ok("deactivate", wait=True)
        supervisor.peer().ok("activate")
        worker.expect_run("w")
        # The first one was short.
        watch.until(lambda lines: lines[1] == "longer than usual" and any("usually" in line for line in lines))
        watch.keys("q")
        watch.ended(0)


class ClosedTests(WatchScreen):
    def test_a_terminal_that_is_closed_ends_it(self):
        path = self.running().path
        screen = Screen(self)
        self.write(os.path.join(screen.directory, "w"), f"echo $$ >pid\nexec {INITCTL} --socket {path} watch\n")
        screen.type("sh w")
        screen.until("> l  running")
        pid = int(until(lambda: screen.file("pid"), "the id"))
        screen.close()
        until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of watch")


if __name__ == "__main__":
    unittest.main()
