"""everyday.md "Processes, by that name": `initctl stop`, `start` and `restart`.

Each test names the sentence of the page that it is about.
"""

import os
import pwd
import re
import signal
import unittest

from deadlines import until
from supervisor import is_running
from test_ready import STAYS, STOPS_LATE, TIDY, ReadyCase

USER = pwd.getpwuid(os.geteuid()).pw_name

SLEEPS = "echo start >> starts; exec sleep 1000"
WEB = f"web: {{ command: '{SLEEPS}', ready: {{ path: gate, every: 10ms }} }}"
"""A process that is ready while the file `gate` exists."""
QUEUE = "queue: { command: 'exec sleep 1000' }"
"""A process without `ready`."""
OTHER = "other: { command: echo other >> others }"
AFTER = "after: { command: echo after >> order, dependencies: [web] }"
LOOP = "loop: { command: 'exit 3', restart: always, backoff: { delay: 20ms, factor: 1 } }"
"""A process that is restarted again and again: the tests that nothing starts another one count its restarts instead of sleeping."""


class StopStartCase(ReadyCase):
    def ready(self, workers, initializers="", head="", *arguments, **options):
        """A supervisor whose processes are ready, because the file `gate` exists; and a client."""
        self.write(os.path.join(self.home, "gate"), "")
        supervisor = self.begin(workers, initializers, head, *arguments, **options)
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        return supervisor, peer

    def close_gate(self, supervisor):
        os.unlink(supervisor.file("gate"))

    def pid(self, peer, name):
        return self.until_process(peer, name, lambda each: "pid" in each, f"the start of {name}")["pid"]

    def stop(self, supervisor, *names):
        done = self.assertStatus(supervisor.ctl("stop", *names), 0)
        self.assertEqual(done.out, "".join(f"{name} stopped\n" for name in names))

    def until_restarts(self, peer, count=5):
        """Waits until the process `loop` has been restarted this often since the call."""
        before = self.process(peer, "loop")["restarts"]
        self.until_process(peer, "loop", lambda each: each["restarts"] >= before + count, "restarts of another process")

    def assertStopped(self, peer, name, by=USER):
        found = self.process(peer, name)
        self.assertEqual(found.get("stoppedBy"), by, found)
        self.assertFalse({"pid", "nextStart"} & found.keys(), found)

    def edit(self, supervisor, old, new):
        with open(supervisor.manifest) as file:
            text = file.read()
        self.assertIn(old, text)
        self.write(supervisor.manifest, text.replace(old, new))


class StopTests(StopStartCase):
    """Stops processes as at shutdown, returns when they have stopped, prints each."""

    def test_it_prints_a_line_for_each_once_they_have_stopped(self):
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}")
        pids = [self.pid(peer, name) for name in ("web", "queue")]
        done = self.assertStatus(supervisor.ctl("stop", "web", "queue"), 0)
        self.assertEqual((done.out, done.err), ("web stopped\nqueue stopped\n", ""))
        self.assertFalse(any(map(is_running, pids)))
        self.assertStopped(peer, "web")
        self.assertStopped(peer, "queue")

    def test_it_waits_for_one_that_takes_its_time(self):
        supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", stopTimeout: 60s }}")
        supervisor.until_lines("order")
        peer = supervisor.peer()
        pid = self.pid(peer, "web")
        client = supervisor.start_ctl("stop", "web")
        self.assertEqual(supervisor.until_lines("order", 2), ["start", "asked"])
        self.assertIn("pid", self.process(peer, "web"))
        self.assertIsNone(client.process.poll())
        self.open(supervisor)
        self.assertEqual(self.assertStatus(client.finish(), 0).out, "web stopped\n")
        self.assertFalse(is_running(pid))
        self.assertEqual(supervisor.lines("order"), ["start", "asked", "ended"])

    def test_its_stopSignal_is_used(self):
        for name in ("with", "without"):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                ready = ", ready: { path: up, every: 10ms }" if name == "with" else ""
                supervisor = self.begin(
                    f"web: {{ command: \"trap 'echo int >> order; exit 0' INT; trap '' TERM; {STAYS}\", stopSignal: INT, stopTimeout: 60s{ready} }}")
                supervisor.until_lines("order")
                until(lambda: os.path.exists(supervisor.file("up")), "its traps")
                self.stop(supervisor, "web")
                self.assertEqual(supervisor.lines("order"), ["start", "int"])

    def test_it_is_killed_after_its_stopTimeout(self):
        supervisor = self.begin(f"web: {{ command: \"trap '' TERM; {STAYS}\", stopTimeout: 300ms, ready: {{ path: up, every: 10ms }} }}")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        pid = self.pid(peer, "web")
        self.stop(supervisor, "web")
        self.assertFalse(is_running(pid))
        supervisor.program.until_err("is killed with SIGKILL: it didn't exit within 300 ms of SIGTERM (stopTimeout)")

    def test_one_that_is_stopped_already_is_a_success(self):
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}")
        self.stop(supervisor, "web")
        self.assertEqual(self.assertStatus(supervisor.ctl("stop", "web"), 0).out, "web is stopped already\n")
        self.assertEqual(self.assertStatus(supervisor.ctl("stop", "web", "queue"), 0).out, "web is stopped already\nqueue stopped\n")
        self.assertStopped(peer, "queue")

    def test_one_that_starts_is_stopped_and_its_launch_has_not_failed(self):
        supervisor = self.begin(WEB, f"{AFTER}\n{OTHER}")
        peer = supervisor.peer()
        peer.until_initializer("web", "running")
        pid = self.pid(peer, "web")
        supervisor.until_lines("starts")
        self.stop(supervisor, "web")
        self.assertFalse(is_running(pid))
        self.assertStopped(peer, "web")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertNotIn(peer.initializer("web")["status"], ("failed", "complete"))
        supervisor.until_lines("others")
        self.open(supervisor)
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])
        self.assertEqual(supervisor.lines("starts"), ["start"] * 2)

    def test_one_that_waits_for_its_backoff_is_stopped(self):
        supervisor = self.begin(f"web: {{ command: 'echo start >> starts; exit 3', restart: always, backoff: {{ delay: 10m, maxDelay: 10m }} }}")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
        self.stop(supervisor, "web")
        self.assertStopped(peer, "web")

    def test_one_that_was_given_up_is_stopped(self):
        supervisor = self.begin("web: { command: 'echo start >> starts; exit 3' }", "", "", "--limit", "workerBurst=1")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
        self.stop(supervisor, "web")
        self.assertStopped(peer, "web")
        peer.ok("launch")
        self.assertStopped(peer, "web")
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_one_that_has_ended_is_stopped(self):
        """Its policy doesn't restart it, but a launch or a reload would."""
        supervisor = self.begin("web: { command: 'echo start >> starts', restart: never }")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: "lastExit" in each, "its end")
        self.stop(supervisor, "web")
        self.assertStopped(peer, "web")

    def test_clients_that_subscribed_are_told(self):
        supervisor, peer = self.ready(WEB)
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["worker"])
        self.stop(supervisor, "web")
        told = watcher.events_until(lambda event: "pid" not in event.get("process", {"pid": 0}))[-1]["process"]
        self.assertEqual((told["name"], told["stoppedBy"]), ("web", USER))


class StaysStoppedTests(StopStartCase):
    """They stay stopped over reloads and restarts of their policy until `start`."""

    def test_over_its_restart_policy(self):
        supervisor, peer = self.ready(
            f"web: {{ command: '{SLEEPS}', restart: always, backoff: {{ delay: 1ms, factor: 1 }} }}\n{LOOP}", "", "", "--limit", "workerBurst=1000")
        supervisor.until_lines("starts")
        self.stop(supervisor, "web")
        self.until_restarts(peer)
        self.assertStopped(peer, "web")
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_with_ready_over_its_restart_policy(self):
        supervisor, peer = self.ready(
            f"web: {{ command: '{SLEEPS}', ready: {{ path: gate, every: 10ms }}, restart: always, backoff: {{ delay: 1ms, factor: 1 }} }}\n{LOOP}",
            "", "", "--limit", "workerBurst=1000")
        self.stop(supervisor, "web")
        self.until_restarts(peer)
        self.assertStopped(peer, "web")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_over_a_launch_and_an_activation(self):
        for name, text in (("with", WEB), ("without", f"web: {{ command: '{SLEEPS}' }}")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor, peer = self.ready(text, OTHER)
                supervisor.until_lines("starts")
                self.stop(supervisor, "web")
                peer.ok("launch")
                peer.ok("activate")
                self.assertStatus(supervisor.ctl("rerun", "other", "--wait"), 0)
                self.assertStopped(peer, "web")
                self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_over_a_reload_that_does_not_change_it(self):
        for name, text in (("with", WEB), ("without", f"web: {{ command: '{SLEEPS}' }}")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor, peer = self.ready(text)
                supervisor.until_lines("starts")
                self.stop(supervisor, "web")
                self.edit(supervisor, "workers:\n", "workers:\n  new: { command: [sleep, '1000'] }\n")
                peer.ok("reload")
                self.pid(peer, "new")
                self.assertStopped(peer, "web")
                self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_over_a_reload_that_changes_it(self):
        """It is started with the new definition."""
        for name, text in (("with", WEB), ("without", f"web: {{ command: '{SLEEPS}' }}")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor, peer = self.ready(text)
                supervisor.until_lines("starts")
                self.stop(supervisor, "web")
                self.edit(supervisor, "workers:\n", "workers:\n  new: { command: [sleep, '1000'] }\n")
                self.edit(supervisor, "echo start", "echo changed")
                self.assertEqual([each["name"] for each in peer.ok("reload")["changed"]], ["web"])
                self.pid(peer, "new")
                self.assertStopped(peer, "web")
                self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
                self.assertEqual(supervisor.until_lines("starts", 2), ["start", "changed"])
                self.until_state(peer, "launch", "complete")

    def test_until_its_definition_is_removed(self):
        """If a later reload adds the name again, that is another process."""
        supervisor, peer = self.ready(f"{QUEUE}\n{WEB}")
        self.stop(supervisor, "web")
        with open(supervisor.manifest) as file:
            text = file.read()
        self.write(supervisor.manifest, text.replace(f"  {WEB}\n", ""))
        self.assertEqual(peer.ok("reload")["removed"], ["web"])
        self.until_state(peer, "launch", "complete")
        self.write(supervisor.manifest, text)
        self.assertEqual(peer.ok("reload")["added"], ["web"])
        self.pid(peer, "web")
        self.assertNotIn("stoppedBy", self.process(peer, "web"))

    def test_a_rerun_of_its_dependency_with_dependents_does_not_start_it(self):
        supervisor, peer = self.ready(
            f"web: {{ command: '{SLEEPS}', ready: {{ path: gate, every: 10ms }}, dependencies: [init] }}",
            f"init: {{ command: echo init >> inits }}\n{OTHER}")
        self.stop(supervisor, "web")
        peer.ok("rerun", initializers=["init"], withDependents=True)
        supervisor.until_lines("inits", 2)
        self.assertStatus(supervisor.ctl("rerun", "other", "--wait"), 0)
        self.assertStopped(peer, "web")
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_a_shutdown_does_not_start_it(self):
        supervisor, peer = self.ready(f"{WEB}\nlate: {{ command: \"{STOPS_LATE.replace('gate', 'end')}{STAYS}\", stopTimeout: 60s }}")
        supervisor.until_lines("order")
        self.stop(supervisor, "web")
        client = supervisor.start_ctl("shutdown")
        supervisor.until_lines("order", 2)
        self.assertStopped(peer, "web")
        self.open(supervisor, "end")
        self.assertStatus(client.finish(), 0)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("starts"), ["start"])


class LaunchTests(StopStartCase):
    """What counted as complete doesn't any more: the phase is pending, and `why` says so. Dependents that are complete stay so."""

    def test_launch_is_pending_until_it_runs_again(self):
        supervisor, peer = self.ready(WEB, AFTER)
        self.stop(supervisor, "web")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertNotEqual(peer.initializer("web")["status"], "complete")
        done = self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.assertEqual(done.out, "web started\n")
        self.assertEqual(peer.initializer("web")["status"], "complete")
        self.until_state(peer, "launch", "complete")
        self.assertNotIn("stoppedBy", self.process(peer, "web"))

    def test_who_waits_for_launch_waits_until_it_runs_again(self):
        supervisor, peer = self.ready(WEB)
        self.stop(supervisor, "web")
        id = peer.request("wait", {"for": "launch"})
        peer.alive()
        self.assertEqual(peer.inbox, [])
        self.assertStatus(supervisor.ctl("start", "web"), 0)
        self.assertEqual(peer.answer(id)["result"]["state"], "complete")

    def test_dependents_that_are_complete_stay_so(self):
        supervisor, peer = self.ready(WEB, AFTER)
        self.stop(supervisor, "web")
        self.assertEqual(peer.initializer("after")["status"], "complete")
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(peer.initializer("after")["status"], "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])

    def test_a_dependent_that_is_not_complete_waits_for_its_start(self):
        self.write(os.path.join(self.home, "gate"), "")
        supervisor = self.begin(WEB, f"{AFTER}\n{OTHER}", "", "--no-launch")
        peer = supervisor.peer()
        self.stop(supervisor, "web")
        peer.ok("launch")
        supervisor.until_lines("others")
        self.assertIn("initctl start web", self.assertStatus(supervisor.ctl("why", "after"), 2).out)
        self.assertEqual(supervisor.lines("order"), [])
        self.assertStatus(supervisor.ctl("start", "web"), 0)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])
        self.assertEqual(supervisor.lines("starts"), ["start"])

    def test_other_initializers_can_be_rerun_while_it_is_stopped(self):
        supervisor, peer = self.ready(WEB, OTHER)
        self.stop(supervisor, "web")
        self.assertStatus(supervisor.ctl("rerun", "other", "--wait"), 0)
        self.assertEqual(supervisor.lines("others"), ["other"] * 2)
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertStopped(peer, "web")

    def test_its_dependent_can_be_rerun_once_it_runs_again(self):
        supervisor, peer = self.ready(WEB, AFTER)
        self.stop(supervisor, "web")
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.assertStatus(supervisor.ctl("rerun", "after", "--wait"), 0)
        self.assertEqual(supervisor.lines("order"), ["after"] * 2)

    def test_a_rerun_of_it_is_refused_with_the_remedy(self):
        supervisor, peer = self.ready(WEB, OTHER)
        self.stop(supervisor, "web")
        refused = supervisor.ctl("rerun", "web")
        self.assertStatus(refused, 1)
        self.assertIn("initctl start web", refused.err)
        answer = peer.call("rerun", {"initializers": ["other", "web"]})
        self.assertIn("initctl start web", answer["error"]["message"])
        self.assertStopped(peer, "web")
        self.assertEqual(supervisor.lines("others"), ["other"])

    def test_why_says_who_has_stopped_it_and_what_starts_it(self):
        supervisor, _ = self.ready(f"{WEB}\n{QUEUE}")
        self.stop(supervisor, "web", "queue")
        for words in (["why"], ["why", "web"]):
            with self.subTest(words):
                why = self.assertStatus(supervisor.ctl(*words), 2).out
                self.assertIn(f"web was stopped by {USER}", why)
                self.assertIn("initctl start web", why)
        why = supervisor.ctl("why", "queue").out
        self.assertIn(f"queue was stopped by {USER}", why)
        self.assertIn("initctl start queue", why)

    def test_status_says_who_has_stopped_it(self):
        supervisor, _ = self.ready(f"{WEB}\n{QUEUE}")
        self.stop(supervisor, "web", "queue")
        status = self.assertStatus(supervisor.ctl("status"), 0).out
        for name in ("web", "queue"):
            self.assertRegex(status, rf"(?m)^.*\b{name}\b.*stopped by {USER}")
        shown = supervisor.ctl("status", "--json").json()[0]["processes"]
        self.assertEqual([each["stoppedBy"] for each in shown], [USER] * 2)


class StartTests(StopStartCase):
    """Starts what was stopped or given up, resets its backoff."""

    def test_it_prints_a_line_for_each(self):
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}")
        self.stop(supervisor, "web", "queue")
        done = self.assertStatus(supervisor.ctl("start", "web", "queue"), 0)
        self.assertEqual((done.out, done.err), ("web started\nqueue started\n", ""))
        for name in ("web", "queue"):
            self.pid(peer, name)
            self.assertNotIn("stoppedBy", self.process(peer, name))

    def test_one_without_ready_runs_when_it_returns(self):
        for options in ([], ["--wait"]):
            with self.subTest(options):
                self.home = self.directory()
                supervisor, peer = self.ready(QUEUE)
                self.stop(supervisor, "queue")
                self.assertEqual(self.assertStatus(supervisor.ctl("start", "queue", *options), 0).out, "queue started\n")
                self.assertIn("pid", self.process(peer, "queue"))

    def test_one_that_runs_is_a_success(self):
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}")
        pids = [self.pid(peer, name) for name in ("web", "queue")]
        for options in ([], ["--wait"]):
            with self.subTest(options):
                done = self.assertStatus(supervisor.ctl("start", "web", "queue", *options), 0)
                self.assertEqual(done.out, "web runs already\nqueue runs already\n")
        self.assertEqual([self.pid(peer, name) for name in ("web", "queue")], pids)

    def test_without_wait_it_returns_before_it_is_ready(self):
        supervisor, peer = self.ready(WEB)
        self.stop(supervisor, "web")
        self.close_gate(supervisor)
        self.assertEqual(self.assertStatus(supervisor.ctl("start", "web"), 0).out, "web started\n")
        peer.until_initializer("web", "running")
        self.assertEqual(peer.status()["launch"]["state"], "pending")

    def test_with_wait_it_returns_once_it_is_ready(self):
        supervisor, peer = self.ready(WEB)
        self.stop(supervisor, "web")
        self.close_gate(supervisor)
        client = supervisor.start_ctl("start", "web", "--wait")
        self.pid(peer, "web")
        peer.until_initializer("web", "running")
        self.assertIsNone(client.process.poll())
        self.open(supervisor)
        self.assertEqual(self.assertStatus(client.finish(), 0).out, "web started\n")
        self.assertEqual(peer.initializer("web")["status"], "complete")

    def test_with_wait_it_fails_if_it_will_not_be_ready(self):
        supervisor, peer = self.ready(
            "web: { command: 'test -e fails && exit 3; exec sleep 1000', ready: { path: gate, every: 10ms }, restart: never }")
        self.stop(supervisor, "web")
        self.close_gate(supervisor)
        self.open(supervisor, "fails")
        done = self.assertStatus(supervisor.ctl("start", "web", "--wait"), 1)
        self.assertIn("exit status 3", done.err)
        os.unlink(supervisor.file("fails"))
        self.open(supervisor)
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.until_state(peer, "launch", "complete")

    def test_with_wait_and_a_timeout_it_gives_up_waiting(self):
        supervisor, peer = self.ready(WEB)
        self.stop(supervisor, "web")
        self.close_gate(supervisor)
        self.assertStatus(supervisor.ctl("start", "web", "--wait", "--timeout", "200ms"), 124)
        self.assertIn("pid", self.process(peer, "web"))
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")

    def test_one_that_was_given_up_is_started(self):
        for name, ready in (("with", ", ready: { path: go, every: 10ms }"), ("without", "")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor = self.begin(
                    f"web: {{ command: 'echo start >> starts; test -e go && exec sleep 1000; exit 3'{ready} }}", "", "", "--limit", "workerBurst=2")
                peer = supervisor.peer()
                self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
                before = len(supervisor.lines("starts"))
                self.open(supervisor, "go")
                self.assertEqual(self.assertStatus(supervisor.ctl("start", "web"), 0).out, "web started\n")
                self.assertFalse(self.process(peer, "web")["givenUp"])
                self.pid(peer, "web")
                supervisor.until_lines("starts", before + 1)

    def test_its_backoff_begins_again(self):
        """The first delay is short, and the second one longer than any test."""
        supervisor = self.begin(
            "web: { command: 'echo start >> starts; exit 3', restart: always, backoff: { delay: 100ms, factor: 1000, maxDelay: 10m } }",
            "", "", "--limit", "workerBurst=1000")
        peer = supervisor.peer()
        supervisor.until_lines("starts", 2)
        self.until_process(peer, "web", lambda each: each.get("nextStart", 0) > peer.status()["time"] + 60, "its long delay")
        self.assertEqual(len(supervisor.lines("starts")), 2)
        self.assertEqual(self.assertStatus(supervisor.ctl("start", "web"), 0).out, "web started\n")
        supervisor.until_lines("starts", 4)
        self.until_process(peer, "web", lambda each: each.get("nextStart", 0) > peer.status()["time"] + 60, "its long delay")
        self.assertEqual(len(supervisor.lines("starts")), 4)

    def test_one_that_has_ended_is_started(self):
        supervisor = self.begin("web: { command: 'echo start >> starts; test -e gate && exec sleep 1000', restart: never }")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: "lastExit" in each, "its end")
        self.open(supervisor)
        self.assertEqual(self.assertStatus(supervisor.ctl("start", "web"), 0).out, "web started\n")
        self.pid(peer, "web")

    def test_one_that_still_stops_is_started_after_its_exit(self):
        for name, ready in (("with", ", ready: { path: up, every: 10ms }"), ("without", "")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", stopTimeout: 60s{ready} }}")
                supervisor.until_lines("order")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                pid = self.pid(peer, "web")
                stop = peer.request("stop", {"names": ["web"]})
                self.assertEqual(supervisor.until_lines("order", 2), ["start", "asked"])
                start = supervisor.start_ctl("start", "web", "--wait")
                self.until_process(peer, "web", lambda each: "stoppedBy" not in each, "that it may start")
                self.assertEqual(supervisor.lines("order"), ["start", "asked"])
                self.open(supervisor)
                self.assertStatus(start.finish(), 0)
                self.assertIn("result", peer.answer(stop))
                self.assertEqual(supervisor.until_lines("order", 4), ["start", "asked", "ended", "start"])
                self.assertFalse(is_running(pid))
                self.assertNotEqual(self.pid(peer, "web"), pid)
                self.until_state(peer, "launch", "complete")


class WaitingTests(StopStartCase):
    GATE = "init: { command: 'until test -e open; do sleep 0.01; done' }"

    def test_a_start_that_waits_says_for_what(self):
        """`initctl start NAME…` starts what was stopped: after what it depends on, and says so."""
        for ready in ("", ", ready: { path: '/' }"):
            with self.subTest(ready):
                self.home = self.directory()
                supervisor = self.begin(f"web: {{ command: '{SLEEPS}', dependencies: [init]{ready} }}", self.GATE)
                peer = supervisor.peer()
                peer.until_initializer("init", "running")
                self.stop(supervisor, "web")
                self.assertEqual(self.assertStatus(supervisor.ctl("start", "web"), 0).out, "web waits for init, and starts then\n")
                if not ready:
                    self.assertEqual(self.process(peer, "web")["waitsFor"], ["init"])
                    self.assertIn("web: waits for init", supervisor.ctl("status").out)
                self.write(supervisor.file("open"), "")
                self.assertNotIn("waitsFor", self.until_process(peer, "web", lambda each: "pid" in each, "the start"))


class RestartTests(StopStartCase):
    """Both; `onRestart` holds. Not logged or counted as a crash (nor is one by `rerun`)."""

    def test_it_is_stopped_and_started_again(self):
        for name, ready in (("with", ", ready: { path: up, every: 10ms }"), ("without", "")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor = self.begin(f"web: {{ command: \"trap 'echo ended >> order; exit 0' TERM; {STAYS}\"{ready} }}")
                supervisor.until_lines("order")
                until(lambda: os.path.exists(supervisor.file("up")), "its trap")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                pid = self.pid(peer, "web")
                done = self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0)
                self.assertEqual((done.out, done.err), ("web restarted\n", ""))
                self.assertEqual(supervisor.until_lines("order", 3), ["start", "ended", "start"])
                self.assertFalse(is_running(pid))
                self.assertNotEqual(self.pid(peer, "web"), pid)
                self.assertNotIn("stoppedBy", self.process(peer, "web"))
                self.until_state(peer, "launch", "complete")

    def test_it_prints_a_line_for_each(self):
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}")
        pids = [self.pid(peer, name) for name in ("web", "queue")]
        self.assertEqual(self.assertStatus(supervisor.ctl("restart", "web", "queue"), 0).out, "web restarted\nqueue restarted\n")
        until(lambda: not any(map(is_running, pids)), "the end of both")
        self.assertTrue({self.pid(peer, name) for name in ("web", "queue")}.isdisjoint(pids))

    def test_with_wait_it_returns_once_it_is_ready_again(self):
        supervisor, peer = self.ready(WEB)
        pid = self.pid(peer, "web")
        self.close_gate(supervisor)
        client = supervisor.start_ctl("restart", "web", "--wait")
        self.until_process(peer, "web", lambda each: each.get("pid", pid) != pid, "another process")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.assertIsNone(client.process.poll())
        self.open(supervisor)
        self.assertEqual(self.assertStatus(client.finish(), 0).out, "web restarted\n")
        self.assertEqual(peer.initializer("web")["status"], "complete")

    def test_with_wait_it_fails_if_it_will_not_be_ready_again(self):
        supervisor, peer = self.ready(
            "web: { command: 'test -e fails && exit 3; exec sleep 1000', ready: { path: gate, every: 10ms }, restart: never }")
        self.close_gate(supervisor)
        self.open(supervisor, "fails")
        done = self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 1)
        self.assertIn("exit status 3", done.err)

    def test_onRestart_holds(self):
        for option, count in (("", 1), (", onRestart: ignore", 1), (", onRestart: rerun", 2)):
            with self.subTest(option):
                self.home = self.directory()
                supervisor = self.begin(
                    f"web: {{ command: \"{TIDY}{STAYS.replace('order', 'starts')}\", ready: {{ path: up, every: 10ms }}{option} }}", f"{AFTER}\n{OTHER}")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0)
                self.assertEqual(supervisor.until_lines("order", count), ["after"] * count)
                self.until_state(peer, "launch", "complete")
                self.assertStatus(supervisor.ctl("rerun", "other", "--wait"), 0)
                self.assertEqual(supervisor.lines("order"), ["after"] * count)
                self.assertEqual(supervisor.lines("starts"), ["start"] * 2)

    def test_it_is_not_logged_as_a_crash(self):
        """The log has no warning about it, although the process exits with a failure."""
        failing = f"trap 'exit 3' TERM; {STAYS}"
        for words in (["restart", "web"], ["restart", "web", "queue"], ["stop", "web", "queue"], ["rerun", "web"]):
            with self.subTest(words):
                self.home = self.directory()
                supervisor = self.begin(
                    f"web: {{ command: \"{failing}\", ready: {{ path: up, every: 10ms }} }}\nqueue: {{ command: 'exec sleep 1000' }}")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                self.pid(peer, "queue")
                wait = ["--wait"] if words[0] != "stop" else []
                self.assertStatus(supervisor.ctl(*words, *wait), 0)
                self.assertStatus(supervisor.ctl("shutdown"), 0)
                self.assertEqual(supervisor.ended(), 0)
                log = supervisor.program.err.decode().split("shutting down")[0]
                self.assertEqual(re.findall(r"(?m)^.*\b(?:warning|error): .*\b(?:web|queue)\b.*$", log), [], log)

    def test_it_is_not_counted_as_a_crash(self):
        for words in (["restart", "web", "--wait"], ["rerun", "web", "--wait"]):
            with self.subTest(words):
                self.home = self.directory()
                supervisor, peer = self.ready(WEB)
                pid = self.pid(peer, "web")
                self.assertStatus(supervisor.ctl(*words), 0)
                found = self.process(peer, "web")
                self.assertNotEqual(found["pid"], pid)
                self.assertEqual((found["restarts"], found.get("lastExit")), (0, None))
                self.assertNotIn("but", supervisor.ctl("status").out.splitlines()[0])

    def test_a_stop_and_a_start_are_not_counted_as_a_crash(self):
        supervisor, peer = self.ready(WEB)
        self.stop(supervisor, "web")
        self.assertStatus(supervisor.ctl("start", "web", "--wait"), 0)
        self.assertEqual(self.process(peer, "web")["restarts"], 0)

    def test_many_do_not_give_it_up(self):
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}", "", "", "--limit", "workerBurst=2")
        for _ in range(4):
            self.assertStatus(supervisor.ctl("restart", "web", "queue", "--wait"), 0)
        self.assertEqual([(each["givenUp"], "pid" in each) for each in peer.status()["processes"]], [(False, True)] * 2)

    def test_a_crash_after_it_is_a_crash(self):
        supervisor, peer = self.ready(
            f"web: {{ command: '{SLEEPS}', ready: {{ path: gate, every: 10ms }}, restart: always, backoff: {{ delay: 10ms }} }}")
        self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0)
        os.kill(self.pid(peer, "web"), signal.SIGKILL)
        found = self.until_process(peer, "web", lambda each: each["restarts"] == 1 and "pid" in each, "its restart")
        self.assertEqual(found["lastExit"], {"kind": "signal", "signal": "SIGKILL"})

    def test_one_that_was_stopped_is_started(self):
        supervisor, peer = self.ready(WEB)
        self.stop(supervisor, "web")
        self.assertEqual(self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0).out, "web restarted\n")
        self.assertNotIn("stoppedBy", self.process(peer, "web"))
        self.until_state(peer, "launch", "complete")

    def test_in_a_crash_loop_it_is_started_at_once(self):
        for name, ready in (("with", ", ready: { path: gate, every: 10ms }"), ("without", "")):
            with self.subTest(f"{name} ready"):
                self.home = self.directory()
                supervisor = self.begin(
                    "web: { command: 'echo start >> starts; test -e gate && exec sleep 1000; exit 3', restart: always,"
                    f" backoff: {{ delay: 10m, maxDelay: 10m }}{ready} }}")
                peer = supervisor.peer()
                self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
                self.open(supervisor)
                self.assertEqual(self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0).out, "web restarted\n")
                self.assertNotIn("nextStart", self.process(peer, "web"))
                self.pid(peer, "web")
                self.assertEqual(supervisor.until_lines("starts", 2), ["start"] * 2)
                self.until_state(peer, "launch", "complete")

    def test_one_that_starts_is_started_again_and_its_launch_has_not_failed(self):
        supervisor = self.begin(WEB, AFTER)
        peer = supervisor.peer()
        pid = self.pid(peer, "web")
        supervisor.until_lines("starts")
        self.assertStatus(supervisor.ctl("restart", "web"), 0)
        self.until_process(peer, "web", lambda each: each.get("pid", pid) != pid, "another process")
        self.assertEqual(peer.status()["launch"]["state"], "pending")
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])


class NameTests(StopStartCase):
    """Several names do all or none; a name that is no process is 64."""

    def setUp(self):
        super().setUp()
        self.supervisor, self.peer = self.ready(f"{WEB}\n{QUEUE}", "migrate: { command: 'true' }")
        self.pids = [self.pid(self.peer, name) for name in ("web", "queue")]

    def assertUntouched(self):
        for name, pid in zip(("web", "queue"), self.pids):
            found = self.process(self.peer, name)
            self.assertEqual((found["pid"], found.get("stoppedBy")), (pid, None))

    def test_one_unknown_name_and_nothing_happens(self):
        for word in ("stop", "restart", "start"):
            for names in (["wbe"], ["web", "wbe"], ["wbe", "queue"]):
                with self.subTest(word, names=names):
                    done = self.assertStatus(self.supervisor.ctl(word, *names), 64)
                    self.assertEqual(done.out, "")
                    self.assertIn('"wbe"', done.err)
                    self.assertIn('did you mean "web"?', done.err)
                    self.assertUntouched()

    def test_one_unknown_name_and_nothing_is_started(self):
        self.stop(self.supervisor, "web")
        self.assertStatus(self.supervisor.ctl("start", "web", "nobody"), 64)
        self.assertStatus(self.supervisor.ctl("restart", "web", "nobody"), 64)
        self.assertStopped(self.peer, "web")

    def test_an_initializer_is_no_process(self):
        for word in ("stop", "start", "restart"):
            with self.subTest(word):
                done = self.assertStatus(self.supervisor.ctl(word, "web", "migrate"), 64)
                self.assertEqual(done.out, "")
                self.assertIn("migrate", done.err)
                self.assertRegex(done.err, "initctl cancel migrate|--skip migrate")
                self.assertUntouched()

    def test_a_name_is_required(self):
        for word in ("stop", "start", "restart"):
            with self.subTest(word):
                self.assertStatus(self.supervisor.ctl(word), 64)
                self.assertUntouched()


class RequestTests(StopStartCase):
    """The requests `stop`, `start` and `restart`."""

    def changes(self, peer, method, *names, **more):
        return [(each["name"], each["changed"]) for each in peer.ok(method, names=list(names), **more)["processes"]]

    def test_the_answer_says_what_has_changed_in_the_order_of_the_names(self):
        _, peer = self.ready(f"{WEB}\n{QUEUE}")
        self.assertEqual(self.changes(peer, "stop", "queue"), [("queue", True)])
        self.assertEqual(self.changes(peer, "stop", "web", "queue"), [("web", True), ("queue", False)])
        self.assertEqual(self.changes(peer, "start", "queue"), [("queue", True)])
        self.assertEqual(self.changes(peer, "start", "queue", "web"), [("queue", False), ("web", True)])
        self.until_state(peer, "launch", "complete")
        self.assertEqual(self.changes(peer, "restart", "web", "queue"), [("web", True), ("queue", True)])

    def test_stop_is_answered_once_they_have_stopped(self):
        supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", stopTimeout: 60s }}\n{QUEUE}")
        supervisor.until_lines("order")
        peer = supervisor.peer()
        ids = [peer.request("stop", {"names": names}) for names in (["queue", "web"], ["web"])]
        supervisor.until_lines("order", 2)
        self.until_process(peer, "queue", lambda each: "pid" not in each, "the end of the other")
        self.assertEqual(peer.inbox, [])
        self.assertEqual(self.process(peer, "web")["stoppedBy"], USER)
        self.open(supervisor)
        for id in ids:
            self.assertIn("result", peer.answer(id))
        self.assertStopped(peer, "web")

    def test_start_is_answered_once_they_have_started(self):
        _, peer = self.ready(f"{WEB}\n{QUEUE}")
        peer.ok("stop", names=["web", "queue"])
        peer.ok("start", names=["web", "queue"])
        self.assertTrue(all("pid" in each for each in peer.status()["processes"]))

    def test_restart_is_answered_once_they_have_started_again(self):
        supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", stopTimeout: 60s }}")
        supervisor.until_lines("order")
        peer = supervisor.peer()
        pid = self.pid(peer, "web")
        id = peer.request("restart", {"names": ["web"]})
        supervisor.until_lines("order", 2)
        peer.alive()
        self.assertEqual(peer.inbox, [])
        self.open(supervisor)
        self.assertIn("result", peer.answer(id))
        self.assertNotIn(self.process(peer, "web").get("pid"), (pid, None))

    def test_wrong_params_are_refused_and_change_nothing(self):
        _, peer = self.ready(f"{WEB}\n{QUEUE}", "migrate: { command: 'true' }")
        for method in ("stop", "start", "restart"):
            with self.subTest(method):
                peer.refused(-32004, method, {"names": ["web", "nobody"]}, naming="nobody")
                peer.refused(-32602, method, {"names": ["web", "migrate"]}, naming="migrate")
                for params in (None, {}, {"names": "web"}, {"names": ["web", "web"]}, {"names": [1]}):
                    peer.refused(-32602, method, params)
        for name in ("web", "queue"):
            self.assertNotIn("stoppedBy", self.process(peer, name))
            self.assertEqual(self.process(peer, name)["restarts"], 0)

    def test_during_the_shutdown_they_are_refused(self):
        supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", stopTimeout: 60s }}")
        supervisor.until_lines("order")
        peer = supervisor.peer()
        peer.ok("shutdown")
        for method in ("stop", "start", "restart"):
            peer.refused(-32006, method, {"names": ["web"]})
        self.open(supervisor)
        self.assertEqual(supervisor.ended(), 0)

    def test_a_stop_in_flight_is_answered_when_a_shutdown_begins(self):
        supervisor = self.begin(f"web: {{ command: \"{STOPS_LATE}{STAYS}\", stopTimeout: 60s }}")
        supervisor.until_lines("order")
        client = supervisor.start_ctl("stop", "web")
        supervisor.until_lines("order", 2)
        supervisor.peer().ok("shutdown")
        self.open(supervisor)
        self.assertStatus(client.finish(), 0)
        self.assertEqual(supervisor.ended(), 0)


class RoleTests(StopStartCase):
    """The requests need the role control."""

    def test_who_only_observes_may_not(self):
        second = os.path.join(self.home, "observe")
        supervisor, peer = self.ready(f"{WEB}\n{QUEUE}", "", "", "--observe-socket", second)
        pid = self.pid(peer, "web")
        for word in ("stop", "start", "restart"):
            with self.subTest(word):
                done = self.assertStatus(self.initctl("--socket", second, word, "web"), 77)
                self.assertEqual(done.out, "")
                found = self.process(peer, "web")
                self.assertEqual((found["pid"], found.get("stoppedBy")), (pid, None))

    @unittest.skipUnless(os.geteuid() == 0, "another user requires root")
    def test_the_user_who_has_stopped_it_is_the_client_s(self):
        os.chmod(self.home, 0o755)
        supervisor, peer = self.ready(WEB, "", "", "--socket-mode", "666", "--allow-control", "4242", "--allow-observe", "4243")
        client, _ = supervisor.peer_of_another_process(4243)
        client.ok("hello", protocol=1, client={"name": "observer", "version": "1"})
        client.refused(-32005, "stop", {"names": ["web"]})
        client, _ = supervisor.peer_of_another_process(4242)
        client.ok("hello", protocol=1, client={"name": "operator", "version": "1"})
        client.ok("stop", names=["web"])
        self.assertStopped(peer, "web", by="uid 4242")
        self.assertIn("web was stopped by uid 4242", supervisor.ctl("why").out)


class InBetweenTests(StopStartCase):
    def test_one_that_is_stopped_and_started_during_a_pass_runs_again_in_it(self):
        supervisor = self.begin(
            "web: { command: 'echo start >> starts; exec sleep 1000', ready: started }",
            "slow: { command: 'until test -e go; do sleep 0.01; done' }", "concurrency: 4\n")
        peer = supervisor.peer()
        peer.until_initializer("web", "complete")
        self.assertStatus(supervisor.ctl("stop", "web"), 0)
        self.assertStatus(supervisor.ctl("start", "web", "--wait", "--timeout", "10s"), 0)
        self.write(supervisor.file("go"), "")
        self.until_state(peer, "launch", "complete")
        self.assertEqual(peer.status()["launch"]["pass"], 1)

    def test_one_that_is_left_out_is_not_started(self):
        supervisor = self.begin("web: { command: [sleep, '1000'] }", "", "", "--skip", "web")
        refused = self.assertStatus(supervisor.ctl("start", "web"), 64)
        self.assertIn("web is left out: ", refused.err)


if __name__ == "__main__":
    unittest.main()
