"""everyday.md "Processes, by that name": the key `processes`, and processes without `ready`.

`processes:` is a synonym of `workers:` at the top (both in one file: a mistake; in files that are merged they are one key). A process
without `ready` can be a dependency: it counts as complete once it has started (`ready: started` says so and is what it means).
`initctl rerun`, `why`, `wait`, `status`, `logs`, `restart` take every process.
"""

import os
import re
import unittest

from deadlines import until
from supervisor import INITCTL, Conformance, is_running
from test_ready import ReadyCase

HEAD = "version: 1\n"
SLEEPS = "command: [sleep, '1000']"


class KeyTests(Conformance):
    """`processes:` is a synonym of `workers:`."""

    def setUp(self):
        super().setUp()
        self.root = self.directory()

    def file(self, name, text):
        return self.write(os.path.join(self.root, name), text)

    def names(self, peer):
        return [each["name"] for each in peer.status()["processes"]]

    def test_its_processes_run(self):
        supervisor = self.start(
            HEAD + "processes:\n  web: { command: 'echo start >> starts; exec sleep 1000' }\n"
            "  db: { command: [sleep, '1000'], ready: { path: gate, every: 10ms } }\n"
            "initializers:\n  migrate: { command: 'true', dependencies: [db] }\n")
        peer = supervisor.peer()
        self.assertEqual(self.names(peer), ["web", "db"])
        supervisor.until_lines("starts")
        self.assertEqual(peer.initializer("db")["provider"], "process")
        self.write(supervisor.file("gate"), "")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def test_both_in_one_file_are_a_mistake(self):
        for text in (
            f"processes:\n  a: {{ {SLEEPS} }}\nworkers:\n  b: {{ {SLEEPS} }}\n",
            f"workers:\n  b: {{ {SLEEPS} }}\nprocesses:\n  a: {{ {SLEEPS} }}\n",
        ):
            with self.subTest(text):
                path = self.file("init.yaml", HEAD + text)
                done = self.assertStatus(self.initd("--check", path), 65)
                [line] = done.err.splitlines()
                self.assertRegex(line, "^" + re.escape(path) + r":4:1: .+; .+")
                self.assertIn('"processes"', line)
                self.assertIn('"workers"', line)

    def test_in_merged_files_they_are_one_key(self):
        """The upper file replaces the command, and the environment of the lower one stays."""
        for below, above in (("workers", "processes"), ("processes", "workers"), ("processes", "processes")):
            for how in ("include", "two files"):
                with self.subTest(how, below=below, above=above):
                    self.root = self.directory()
                    common = self.file(
                        "common.yaml",
                        ("" if how == "include" else HEAD)
                        + f"{below}:\n  web: {{ command: 'false', environment: {{ A: common }} }}\n  db: {{ {SLEEPS} }}\n")
                    path = self.file(
                        "init.yaml",
                        HEAD + ("include: [common.yaml]\n" if how == "include" else "")
                        + f"{above}:\n  web: {{ command: 'echo $A > seen; echo >> up; exec sleep 1000' }}\n  queue: {{ {SLEEPS} }}\n")
                    paths = [path] if how == "include" else [common, path]
                    words = [word for each in paths for word in ("--config", each)]
                    supervisor = self.start(None, *words, directory=self.root)
                    supervisor.until_lines("up")
                    self.assertEqual(supervisor.text("seen"), "common\n")
                    self.assertEqual(sorted(self.names(supervisor.peer())), ["db", "queue", "web"])

    def test_a_name_can_be_removed_by_the_other_key(self):
        self.file("common.yaml", f"workers:\n  web: {{ {SLEEPS} }}\n  db: {{ {SLEEPS} }}\n")
        path = self.file("init.yaml", HEAD + "include: [common.yaml]\nprocesses: { web: null }\n")
        supervisor = self.start(None, "--config", path, directory=self.root)
        self.assertEqual(self.names(supervisor.peer()), ["db"])

    def test_a_manifest_that_is_resolved_has_one_of_them(self):
        self.file("common.yaml", f"workers:\n  db: {{ {SLEEPS} }}\n")
        path = self.file("init.yaml", HEAD + f"include: [common.yaml]\nprocesses:\n  web: {{ {SLEEPS} }}\n")
        shown = self.assertStatus(self.initctl("check", "--resolved", path), 0).out
        self.assertEqual(len(re.findall(r"(?m)^(?:processes|workers):", shown)), 1, shown)
        again = self.file("resolved.yaml", shown)
        supervisor = self.start(None, "--config", again, directory=self.root)
        self.assertEqual(sorted(self.names(supervisor.peer())), ["db", "web"])

    def test_a_reload_may_change_the_key(self):
        """The processes are the same, so nothing is restarted."""
        text = f"web: {{ {SLEEPS} }}\n"
        supervisor = self.start(HEAD + "workers:\n  " + text, directory=self.root)
        peer = supervisor.peer()
        pid = until(lambda: peer.status()["processes"][0].get("pid"), "its start")
        self.write(supervisor.manifest, HEAD + "processes:\n  " + text)
        answer = peer.ok("reload")
        self.assertEqual((answer["added"], answer["changed"], answer["removed"]), ([], [], []))
        self.assertEqual(peer.status()["processes"][0]["pid"], pid)

    def test_messages_show_processes_first(self):
        path = self.file("init.yaml", HEAD + "initializers:\n  fav: { worker: other }\n")
        self.assertIn("declare it under processes", self.assertStatus(self.initd("--check", path), 65).err)
        self.file("init.yaml", HEAD + "process:\n  a: { command: x }\n")
        self.assertIn('did you mean "processes"?', self.assertStatus(self.initd("--check", path), 65).err)


class DependencyTests(ReadyCase):
    """A process without `ready` can be a dependency: it counts as complete once it has started."""

    GATED = "init: { command: 'until test -e gate; do sleep 0.01; done' }"

    def started(self, ready=""):
        """What depends on the process writes the Status at its start."""
        supervisor = self.begin(
            f"web: {{ {SLEEPS}, dependencies: [init]{ready} }}",
            f"{self.GATED}\nafter: {{ command: '{INITCTL} status --json > seen; echo after >> order', dependencies: [web] }}")
        peer = supervisor.peer()
        peer.until_initializer("init", "running")
        self.assertNotIn("pid", self.process(peer, "web"))
        self.assertEqual(peer.initializer("after")["status"], "waiting")
        self.open(supervisor)
        self.until_state(peer, "launch", "complete")
        self.assertRegex(supervisor.text("seen"), r'"name":"web"[^{}]*"pid":|"pid":[^{}]*"name":"web"')
        self.assertEqual(supervisor.lines("order"), ["after"])
        return supervisor, peer

    def test_its_dependents_run_once_it_has_started(self):
        self.started()

    def test_ready_started_says_so(self):
        self.started(", ready: started")

    def test_of_a_launch_without_others(self):
        for ready in ("", ", ready: started"):
            with self.subTest(ready):
                self.home = self.directory()
                supervisor = self.begin(f"web: {{ {SLEEPS}{ready} }}")
                peer = supervisor.peer()
                self.until_state(peer, "launch", "complete")
                self.assertIn("pid", self.process(peer, "web"))

    def test_of_a_process_and_of_an_active_initializer(self):
        supervisor = self.begin(
            f"db: {{ {SLEEPS} }}\nweb: {{ {SLEEPS}, dependencies: [db] }}\nshop: {{ {SLEEPS}, ready: {{ path: /, every: 10ms }}, dependencies: [web] }}",
            "active: { command: echo active >> order, phase: active, dependencies: [shop, web] }", "", "--activate")
        peer = supervisor.peer()
        self.until_state(peer, "active", "complete")
        self.assertTrue(all("pid" in each for each in peer.status()["processes"]))
        self.assertEqual(supervisor.lines("order"), ["active"])

    def test_one_that_can_not_be_started_is_not_complete(self):
        supervisor = self.begin(
            "web: { command: [./nothing-there] }", "after: { command: echo after >> order, dependencies: [web] }", "", "--limit", "workerBurst=1")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: each["givenUp"], "that it is given up")
        self.assertNotEqual(peer.status()["launch"]["state"], "complete")
        self.assertIn("web", supervisor.ctl("why", "after").out)
        self.assertEqual(supervisor.lines("order"), [])

    def test_its_crash_does_not_run_its_dependents_again(self):
        supervisor = self.begin(
            "web: { command: 'echo start >> starts; until test -e end-$(wc -l < starts); do sleep 0.01; done; exit 3', restart: always, backoff: { delay: 10ms } }",
            "after: { command: echo after >> order, dependencies: [web] }")
        peer = supervisor.peer()
        self.until_state(peer, "launch", "complete")
        supervisor.until_lines("starts")
        self.open(supervisor, "end-1")
        supervisor.until_lines("starts", 2)
        self.until_state(peer, "launch", "complete")
        self.assertEqual(peer.initializer("after")["status"], "complete")
        self.assertEqual(supervisor.lines("order"), ["after"])

    def test_the_manifest_is_good(self):
        for text, status in (
            (f"processes:\n  a: {{ {SLEEPS}, ready: started }}\n", 0),
            (f"workers:\n  a: {{ {SLEEPS}, ready: started }}\n", 0),
            (f"processes:\n  a: {{ {SLEEPS} }}\ninitializers:\n  b: {{ command: x, dependencies: [a] }}\n", 0),
            (f"processes:\n  a: {{ {SLEEPS}, ready: begun }}\n", 65),
        ):
            with self.subTest(text):
                done = self.assertStatus(self.initd("--check", self.write(os.path.join(self.home, "init.yaml"), HEAD + text)), status)
                if status:
                    self.assertIn("started", done.err)


class CommandTests(ReadyCase):
    """`initctl rerun`, `why`, `wait`, `status`, `logs`, `restart` take every process."""

    def begin_web(self, more="", initializers=""):
        supervisor = self.begin(f"web: {{ command: 'echo begins; echo start >> starts; exec sleep 1000'{more} }}", initializers)
        return supervisor, supervisor.peer()

    def test_rerun_restarts_it(self):
        supervisor, peer = self.begin_web()
        pid = self.until_process(peer, "web", lambda each: "pid" in each, "its start")["pid"]
        supervisor.until_lines("starts")
        self.assertStatus(supervisor.ctl("rerun", "web", "--wait"), 0)
        self.until_process(peer, "web", lambda each: each.get("pid") not in (pid, None), "another start")
        self.assertFalse(is_running(pid))
        supervisor.until_lines("starts", 2)

    def test_rerun_takes_it_beside_an_initializer(self):
        supervisor, peer = self.begin_web(initializers="other: { command: echo other >> others }")
        pid = self.until_process(peer, "web", lambda each: "pid" in each, "its start")["pid"]
        self.until_state(peer, "launch", "complete")
        self.assertStatus(supervisor.ctl("rerun", "other", "web", "--wait"), 0)
        self.assertEqual(supervisor.lines("others"), ["other"] * 2)
        self.until_process(peer, "web", lambda each: each.get("pid") not in (pid, None), "another start")

    def test_restart_restarts_it(self):
        supervisor, peer = self.begin_web()
        pid = self.until_process(peer, "web", lambda each: "pid" in each, "its start")["pid"]
        self.assertEqual(self.assertStatus(supervisor.ctl("restart", "web", "--wait"), 0).out, "web restarted\n")
        self.assertNotIn(self.process(peer, "web").get("pid"), (pid, None))

    def test_wait_waits_until_it_has_started(self):
        supervisor, peer = self.begin_web(", dependencies: [init]", DependencyTests.GATED)
        client = supervisor.start_ctl("wait", "web")
        peer.until_initializer("init", "running")
        self.assertStatus(supervisor.ctl("wait", "web", "--timeout", "50ms"), 124)
        self.assertIsNone(client.process.poll())
        self.open(supervisor)
        self.assertStatus(client.finish(), 0)
        self.assertIn("pid", self.process(peer, "web"))
        self.assertStatus(supervisor.ctl("wait", "web"), 0)

    def test_wait_fails_if_it_has_ended_and_is_not_started_again(self):
        supervisor = self.start("version: 1\nprocesses: { web: { command: 'exit 3', restart: never } }\n")
        waited = self.assertStatus(supervisor.ctl("wait", "web", "--timeout", "15s"), 1)
        self.assertIn("exit status 3", waited.err)

    def test_why_explains_it(self):
        supervisor, peer = self.begin_web(", dependencies: [init]", DependencyTests.GATED)
        peer.until_initializer("init", "running")
        why = self.assertStatus(supervisor.ctl("why", "web"), 2).out
        self.assertIn("process web doesn't run: waits for init", why)
        self.open(supervisor)
        self.until_process(peer, "web", lambda each: "pid" in each, "its start")
        self.assertIn("web", self.assertStatus(supervisor.ctl("why", "web"), 0).out)

    def test_why_names_the_exit_of_one_that_crashes(self):
        supervisor = self.begin("web: { command: 'echo no port; exit 3', backoff: { delay: 10m, maxDelay: 10m } }")
        peer = supervisor.peer()
        self.until_process(peer, "web", lambda each: "nextStart" in each, "its backoff")
        why = supervisor.ctl("why", "web").out
        self.assertIn("exit status 3", why)
        self.assertIn("no port", why)

    def test_logs_and_status_show_it(self):
        supervisor, _ = self.begin_web()
        until(lambda: "begins" in supervisor.ctl("logs", "web").out, "its line")
        self.assertRegex(supervisor.ctl("status").out, r"\bweb \(pid \d+\)|(?m:^web +)")

    def test_an_unknown_name_is_64_and_suggests_a_process(self):
        supervisor, _ = self.begin_web()
        for word in ("rerun", "why", "wait", "logs", "restart"):
            with self.subTest(word):
                done = self.assertStatus(supervisor.ctl(word, "wbe"), 64)
                self.assertIn('did you mean "web"?', done.err)


if __name__ == "__main__":
    unittest.main()
