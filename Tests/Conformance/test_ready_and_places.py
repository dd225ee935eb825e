"""everyday.md "Ready without a second phase" (S1) and "What waits takes no place" (S6, S13)."""

import os
import re

from deadlines import until
from supervisor import FAST, Conformance
from test_systemd import Manager

ACTIVE = "prices: { command: 'true', phase: active }\n"


class ReadyTests(Conformance):
    def test_without_an_active_phase_launch_makes_an_inactive_app_ready(self):
        supervisor = self.start_with("migrate: { command: 'true' }")
        self.assertStatus(supervisor.ctl("wait", "--timeout", "10s"), 0)
        peer = supervisor.peer()
        self.assertEqual(peer.status()["lifecycle"], "inactive")
        self.assertEqual(peer.status()["composite"], {"state": "pending"}, "the composite stays as it is")
        self.assertIn("READY", supervisor.ctl("status").out.splitlines()[0])
        self.assertIn("ready is complete", self.assertStatus(supervisor.ctl("why"), 0).out)
        supervisor.program.until_err(" ready\n")

    def test_with_one_it_waits_for_the_activation_and_says_so_at_once(self):
        supervisor = self.start_with("migrate: { command: 'true' }\n" + ACTIVE)
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        wait = self.assertStatus(supervisor.ctl("wait", "--timeout", "300ms"), 124)
        self.assertIn("the app is inactive: initctl activate, or wait launch", wait.err)
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.assertStatus(supervisor.ctl("wait"), 0)

    def test_readiness_is_recomputed_when_an_active_initializer_comes_or_goes(self):
        supervisor = self.start_with("migrate: { command: 'true' }")
        self.assertStatus(supervisor.ctl("wait"), 0)
        worker = supervisor.worker({"name": "prices", "priority": "appActive"})
        self.assertStatus(supervisor.ctl("wait", "--timeout", "200ms"), 124)
        waiting = supervisor.start_ctl("wait", "--timeout", "20s")
        waiting.until_err("the app is inactive")
        worker.ok("unregister", names=["prices"])
        self.assertEqual(waiting.wait(), 0)

    def test_activate_in_the_manifest_is_the_option_and_no_activate_overrides_it(self):
        head = FAST + "activate: true\n"
        supervisor = self.start(self.manifest(ACTIVE, head))
        self.assertStatus(supervisor.ctl("wait"), 0)
        self.assertEqual(supervisor.peer().status()["lifecycle"], "active")
        supervisor = self.start(self.manifest(ACTIVE, head), "--no-activate")
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        self.assertEqual(supervisor.peer().status()["lifecycle"], "inactive")
        self.assertStatus(self.initd("--activate", "--no-activate"), 64)
        self.assertIn("--no-activate can't be used with an app", self.assertStatus(self.initd("--no-activate", "--", "true"), 64).err)


class ManagerTests(Conformance):
    def test_a_reload_of_activate_changes_nothing_for_the_service_manager(self):
        """It matters at the start only: who started inactive gets READY=1 when launch is complete."""
        manager = Manager(self)
        supervisor = self.start_with("a: { command: 'until test -e go; do sleep 0.02; done' }\n" + ACTIVE, env={"NOTIFY_SOCKET": manager.path})
        self.write(supervisor.manifest, "activate: true\n" + open(supervisor.manifest).read())
        self.assertStatus(supervisor.ctl("reload"), 0)
        open(supervisor.file("go"), "w").close()
        manager.until(READY="1")


class PlaceTests(Conformance):
    def test_servers_start_side_by_side_with_concurrency_one(self):
        """One that never gets ready holds up only what depends on it."""
        workers = "".join(
            f"  {name}: {{ command: 'echo {name} >> order; {then} exec sleep 100', ready: {{ path: {name}.up, every: 20ms }} }}\n"
            for name, then in (("never", ""), ("web", "touch web.up;")))
        supervisor = self.start(self.manifest(
            "a: { command: 'true' }\nb: { command: 'true', dependencies: [web] }\nc: { command: 'true', dependencies: [never] }") + "workers:\n" + workers)
        for name in ("a", "web", "b"):
            self.assertStatus(supervisor.ctl("wait", name, "--timeout", "10s"), 0)
        self.assertEqual(supervisor.peer().initializer("never")["status"], "running")
        self.assertEqual(supervisor.peer().initializer("c")["status"], "waiting")
        self.assertIn("never", supervisor.ctl("why", "c").out)
        open(supervisor.file("never.up"), "w").close()
        self.assertStatus(supervisor.ctl("wait", "launch"), 0)
        runs = supervisor.peer().ok("history")["passes"][-1]["runs"]
        self.assertEqual({run["initializer"] for run in runs if run.get("waits")}, {"never", "web"})

    def test_a_wait_takes_no_place(self):
        supervisor = self.start_with("net: { waitFor: { path: go } }\nafter: { command: 'true', dependencies: [net] }\nbeside: { command: 'true' }")
        self.assertStatus(supervisor.ctl("wait", "beside", "--timeout", "10s"), 0)
        self.assertEqual(supervisor.peer().initializer("net")["status"], "running")

    def test_of_a_group_a_starting_process_takes_a_place(self):
        head = FAST + "groups: { g: 1 }\n"
        supervisor = self.start(self.manifest("a: { command: 'true', group: g, dependencies: [b] }\nb: { command: 'true' }", head)
                                + "workers:\n  db: { command: 'exec sleep 100', ready: { path: go, every: 20ms }, group: g }\n")
        until(lambda: supervisor.peer().initializer("db")["status"] == "running", "its start")
        self.assertStatus(supervisor.ctl("wait", "b"), 0)
        self.assertEqual(supervisor.peer().initializer("a")["status"], "waiting")
        open(supervisor.file("go"), "w").close()
        self.assertStatus(supervisor.ctl("wait", "a"), 0)

    def test_check_notes_that_more_could_run_at_once(self):
        def notes(text):
            path = self.write(os.path.join(self.directory(), "init.yaml"), "version: 1\n" + text)
            done = self.assertStatus(self.initctl("check", "--strict", path), 0)
            return re.findall(r"^note: (.*)$", done.out, re.M)

        four = "initializers: { a: { command: 'true' }, b: { command: 'true' }, c: { command: 'true' }, d: { command: 'true' } }\n"
        self.assertEqual(notes(four), ["4 initializers could run at once: concurrency: 4"])
        self.assertEqual(notes("concurrency: 2\n" + four), [])
        self.assertEqual(notes("initializers: { a: { command: 'true' }, b: { command: 'true', dependencies: [a] } }\n"), [])
        self.assertEqual(notes("initializers: { a: { command: 'true' }, b: { waitFor: { path: x } } }\n"), [])
        self.assertEqual(notes("groups: { g: 1 }\n" + four.replace("'true'", "'true', group: g")), [])
