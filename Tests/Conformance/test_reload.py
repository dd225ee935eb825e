"""manifest.md, S27: a reload reads the manifest again, and applies the differences in one step."""

import json
import os
import pwd
import signal
import time
import unittest

from deadlines import until
from peer import hello, refusal
from state import StateCase
from supervisor import FAST, INITD, Conformance, is_running
from test_systemd import Manager

RAN = "echo $INITD_INITIALIZER >> ran"


class ReloadCase(Conformance):
    def reload(self, supervisor, initializers, *words, head=FAST, tail="", status=0):
        """Writes a manifest with these initializers and reloads; returns the output of `initctl reload`."""
        self.write(supervisor.manifest, self.manifest(initializers, head) + tail)
        return self.assertStatus(supervisor.ctl("reload", *words), status)

    def start_launched(self, initializers, *arguments, **options):
        """A supervisor with these initializers, whose launch is complete; and a connection to it."""
        supervisor = self.start_with(initializers, *arguments, **options)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        return supervisor, peer

    def start_gated(self, manifest):
        """A supervisor whose directory has the fifo `go`."""
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "go"))
        return self.start(manifest, directory=directory)

    def launched(self, peer):
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")

    def pass_on(self, supervisor, name):
        """Lets the command that reads from this fifo continue."""
        with open(supervisor.file(name), "w") as fifo:
            fifo.write("go\n")


BASE = f"""
    a: {{ command: '{RAN}', timeout: 1m }}
    b: {{ command: '{RAN}', dependencies: [a] }}
    c: {{ command: '{RAN}', environment: {{ A: one }} }}
    """
WITH_D = BASE.rstrip() + f"\n    d: {{ command: '{RAN}' }}\n"
WITH_E = WITH_D.rstrip() + f"\n    e: {{ command: '{RAN}' }}\n"


class DifferenceTests(ReloadCase):
    def test_without_a_change_nothing_happens(self):
        supervisor, peer = self.start_launched(BASE)
        before = peer.status()
        done = self.reload(supervisor, BASE)
        self.assertEqual(done.out, "= 3 unchanged\n")
        self.assertEqual(done.err, "")
        after = peer.status()
        for name in ("initializers", "launch", "active", "seq"):
            self.assertEqual(after[name], before[name], name)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c"])

    def test_each_key_that_affects_the_work_is_named_and_makes_it_run_again(self):
        changes = [
            ("c (command)", "c: { command: 'echo $INITD_INITIALIZER >> ran; true', environment: { A: one } }", FAST),
            ("c (environment: A)", f"c: {{ command: '{RAN}', environment: {{ A: two }} }}", FAST),
            ("c (environment: A)", f"c: {{ command: '{RAN}' }}", FAST),
            ("c (workingDirectory)", "c: { command: 'echo $INITD_INITIALIZER >> ran', environment: { A: one }, workingDirectory: . }", FAST),
            ("c (dependencies)", f"c: {{ command: '{RAN}', environment: {{ A: one }}, dependencies: [a] }}", FAST),
            ("c (command, dependencies)", "c: { command: 'echo c >> ran', environment: { A: one }, dependencies: [b] }", FAST),
            ("c (command, timeout)", "c: { command: 'echo c >> ran', environment: { A: one }, timeout: 9s }", FAST),
        ]
        for expected, line, head in changes:
            with self.subTest(expected, line=line):
                supervisor, peer = self.start_launched(BASE)
                text = BASE.replace(BASE.strip().split("\n")[2].strip(), line)
                self.assertNotEqual(text, BASE)
                if "workingDirectory" in expected:
                    os.mkdir(supervisor.file("sub"))
                    text = text.replace("workingDirectory: .", "workingDirectory: sub")
                done = self.reload(supervisor, text, head=head)
                self.assertEqual(done.out, f"~ {expected}\n= 2 unchanged\n")
                self.launched(peer)
                ran = supervisor.lines("ran") + supervisor.lines("sub/ran")
                self.assertEqual(sorted(ran), ["a", "b", "c", "c"])
                self.assertEqual(supervisor.ctl("reload").out, "= 3 unchanged\n", "it is the manifest from now on")

    def test_a_variable_of_all_commands_changes_those_that_have_no_own_one(self):
        supervisor, peer = self.start_launched(BASE)
        done = self.reload(supervisor, BASE, head=FAST + "environment: { A: three }\n")
        self.assertEqual(done.out, "~ a (environment: A)\n~ b (environment: A)\n= 1 unchanged\n")
        self.assertIn("environment", done.err)
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "a", "b"])

    def test_the_next_run_has_the_new_environment(self):
        text = "a: { command: 'echo a $A $B >> ran', environment: { A: 1 } }\nb: { command: 'echo b $A $B >> ran' }"
        supervisor, peer = self.start_launched(text, env={"A": "inherited"})
        for own, head, expected in (
            ("1", FAST + "environment: { B: 2 }\n", ["a 1 2", "b inherited 2"]),
            ("3", FAST + "environment: { B: 2 }\n", ["a 3 2"]),
            ("3", FAST + "environment: { A: 4 }\n", ["a 3", "b 4"]),
            ("3", FAST, ["b inherited"]),
        ):
            ran = len(supervisor.lines("ran"))
            self.reload(supervisor, text.replace("A: 1", f"A: {own}"), head=head)
            self.launched(peer)
            self.assertEqual(supervisor.lines("ran")[ran:], expected, head)

    def test_other_keys_hold_from_the_next_run_on_and_rerun_nothing(self):
        supervisor, peer = self.start_launched(BASE)
        for key, line in (
            ("timeout", "a: { command: 'echo $INITD_INITIALIZER >> ran', timeout: 2m }"),
            ("timeout", "a: { command: 'echo $INITD_INITIALIZER >> ran' }"),
            ("retry", "a: { command: 'echo $INITD_INITIALIZER >> ran', retry: { attempts: 3 } }"),
            ("retry, optional", "a: { command: 'echo $INITD_INITIALIZER >> ran', optional: true }"),
            ("optional, stop", "a: { command: 'echo $INITD_INITIALIZER >> ran', stop: 'true' }"),
            ("secret, stop", "a: { command: 'echo $INITD_INITIALIZER >> ran', secret: true }"),
            ("perProcess, secret", "a: { command: 'echo $INITD_INITIALIZER >> ran', perProcess: true }"),
        ):
            text = BASE.replace(BASE.strip().split("\n")[0].strip(), line)
            done = self.reload(supervisor, text)
            self.assertEqual(done.out, "= 3 unchanged\n", line)
            self.assertEqual(done.err, f"initctl: a ({key}): holds from the next run on\n")
        text = text.replace("perProcess: true", "perProcess: true, description: what it is for")
        self.assertEqual(self.reload(supervisor, text).out, "= 3 unchanged\n")
        self.assertEqual(peer.ok("history", limit=9)["passes"][-1]["pass"], 1)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c"])

    def test_what_nobody_sees_of_an_initializer_sends_no_event(self):
        supervisor, peer = self.start_launched("a: { command: 'true' }")
        peer.ok("subscribe", topics=["initializer"])
        for keys in ("timeout: 50s", "timeout: 50s, retry: { delay: 2s }", "timeout: 50s, perProcess: true"):
            self.reload(supervisor, f"a: {{ command: 'true', {keys} }}")
        self.reload(supervisor, "a: { command: 'true', optional: true }")
        event = peer.take(lambda each: each.get("method") == "event", "an event")
        self.assertEqual(event["params"]["initializer"]["optional"], True, "the first one has a difference")

    def test_a_timeout_holds_for_the_next_run(self):
        supervisor, peer = self.start_launched(f"a: {{ command: '{RAN}', priority: appActive }}")
        self.reload(supervisor, "a: { command: sleep 600, priority: appActive, timeout: 50ms }")
        peer.ok("activate")
        self.failed(peer.ok("wait", for_="active"), "initializerFailed", cause={"kind": "timeout", "after": 0.05})
        self.reload(supervisor, "a: { command: sleep 600, priority: appActive, timeout: 70ms }")
        peer.ok("activate")
        self.failed(peer.ok("wait", for_="active"), "initializerFailed", cause={"kind": "timeout", "after": 0.07})

    def test_what_was_added_runs_in_order_and_what_was_removed_is_gone(self):
        supervisor, peer = self.start_launched(BASE)
        done = self.reload(
            supervisor,
            f"""
            e: {{ command: '{RAN}', dependencies: [d] }}
            c: {{ command: '{RAN}', environment: {{ A: one }} }}
            d: {{ command: '{RAN}', dependencies: [c] }}
            """,
        )
        self.assertEqual(done.out, "+ e\n+ d\n- a\n- b\n= 1 unchanged\n")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "d", "e"])
        self.assertNames(peer.status()["initializers"], ["c", "e", "d"])
        peer.refused(-32004, "wait", {"initializer": "a"})
        peer.refused(-32004, "logs", {"initializer": "a"})
        # The name is free, and its earlier completion doesn't count.
        self.assertEqual(self.reload(supervisor, BASE).out, "+ a\n+ b\n- e\n- d\n= 1 unchanged\n")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran")[5:], ["a", "b"])

    def test_a_dry_run_changes_nothing(self):
        supervisor, peer = self.start_launched(BASE)
        before = peer.status()
        text = f"a: {{ command: 'true' }}\nd: {{ command: '{RAN}' }}"
        expected = "+ d\n~ a (command, timeout)\n- b\n- c\n= 0 unchanged\n"
        self.assertEqual(self.reload(supervisor, text, "--dry-run").out, expected)
        self.assertEqual(supervisor.ctl("reload", "--dry-run").out, expected)
        after = peer.status()
        for name in ("initializers", "launch", "active", "seq"):
            self.assertEqual(after[name], before[name], name)
        self.assertEqual(supervisor.ctl("reload").out, expected)

    def test_the_result_is_one_json_value(self):
        supervisor, _ = self.start_launched(BASE)
        text = WITH_D.replace("timeout: 1m", "timeout: 2m").replace("A: one", "A: $HOME")
        done = self.reload(supervisor, text, "--json", "--dry-run", head=FAST + "concurrency: 3\n")
        [result] = done.json()
        [warning] = result.pop("warnings")
        self.assertEqual(
            result,
            {
                "added": ["d"],
                "changed": [{"name": "c", "keys": ["environment"], "variables": ["A"]}],
                "removed": [],
                "unchanged": 2,
                "fromNextRun": [{"name": "a", "keys": ["timeout"]}],
                "settings": ["concurrency"],
            },
        )
        self.assertEqual((warning["file"], warning["severity"]), (supervisor.manifest, "warning"))
        self.assertIn(f"{supervisor.manifest}:{warning['line']}:{warning['column']}: warning: ", done.err)


class MistakeTests(ReloadCase):
    def test_mistakes_change_nothing_and_are_all_told(self):
        supervisor, peer = self.start_launched(BASE)
        before = peer.status()
        done = self.reload(supervisor, "a: { command: 'true', dependencies: [nothing] }\nb: { comand: 'true' }", status=65)
        self.assertEqual(done.out, "")
        lines = done.err.splitlines()
        self.assertEqual(len(lines), 4, done.err)
        for line in lines[:3]:
            self.assertRegex(line, rf"^{supervisor.manifest}:\d+:\d+: .+; .+")
        self.assertIn("nothing has changed", lines[3])
        checked = self.initd("--check", supervisor.manifest)
        self.assertEqual(checked.err.splitlines(), lines[:3], "the same as check")
        error = peer.refused(-32011, "reload")
        self.assertEqual([f"{each['file']}:{each['line']}:{each['column']}: {each['message']}; {each['suggestion']}" for each in error["data"]["findings"]], lines[:3])
        supervisor.program.until_err(lines[2])
        after = peer.status()
        for name in ("initializers", "launch", "active", "seq"):
            self.assertEqual(after[name], before[name], name)
        self.assertEqual(self.reload(supervisor, BASE).out, "= 3 unchanged\n")

    def test_at_most_a_hundred_mistakes_are_answered(self):
        supervisor, peer = self.start_launched(BASE)
        self.reload(supervisor, "\n".join(f"a{i}: {{ comand: 'true' }}" for i in range(200)), status=65)
        error = peer.refused(-32011, "reload", naming="400 mistakes")
        self.assertEqual(len(error["data"]["findings"]), 100)

    def test_a_selected_or_skipped_name_that_is_gone_is_a_mistake(self):
        """The checks are as at the start, so a reload never runs less than the selected initializers, or more, without saying so."""
        for option, gone, left in (("--only", "b", BASE.replace("    b:", "    d:")), ("--skip", "c", WITH_D.replace("    c:", "    e:"))):
            with self.subTest(option):
                supervisor, peer = self.start_launched(BASE, option, gone)
                before = peer.status()
                for words in ([], ["--dry-run"]):
                    done = self.reload(supervisor, left, *words, status=65)
                    told = f'initd was started with {option} {gone}, and no initializer or process is named "{gone}" any more; declare it, or restart initd without {option} {gone}'
                    self.assertEqual((done.out, done.err.splitlines()[0]), ("", f"{supervisor.manifest}:1:1: {told}"))
                    self.assertIn("nothing has changed", done.err)
                after = peer.status()
                for name in ("initializers", "launch", "active", "seq"):
                    self.assertEqual(after[name], before[name], name)
                self.assertEqual(self.reload(supervisor, WITH_D).out, "+ d\n= 3 unchanged\n")

    def test_a_manifest_that_cant_be_read_changes_nothing(self):
        supervisor, peer = self.start_launched(BASE)
        before = peer.status()["initializers"]

        def check(naming):
            done = self.assertStatus(supervisor.ctl("reload"), 66)
            self.assertIn(naming, done.err)
            self.assertIn("nothing has changed", done.err)
            peer.refused(-32012, "reload", naming=naming)

        os.rename(supervisor.manifest, supervisor.file("aside"))
        check("No such file")
        os.mkdir(supervisor.manifest)
        check("a directory")
        os.rmdir(supervisor.manifest)
        os.mkfifo(supervisor.manifest)
        check("must be a regular file")
        os.unlink(supervisor.manifest)
        os.rename(supervisor.file("aside"), supervisor.manifest)
        self.assertEqual(peer.status()["initializers"], before)
        self.assertEqual(supervisor.ctl("reload").out, "= 3 unchanged\n")

    def test_without_a_manifest_it_is_refused_with_a_remedy(self):
        supervisor = self.start()
        done = self.assertStatus(supervisor.ctl("reload"), 1)
        self.assertRegex(done.err, "cannot reload: .*--config FILE")

    def test_too_many_initializers_are_refused(self):
        supervisor, peer = self.start_launched(BASE, "--limit", "initializers=4")
        worker = supervisor.worker("w")
        self.write(supervisor.manifest, self.manifest(WITH_D))
        refusal(peer.call("reload"), -32007, "4 initializers")
        worker.ok("unregister", names=["w"])
        self.assertEqual(peer.ok("reload")["added"], ["d"])
        self.reload(supervisor, WITH_E, status=65)

    def test_a_new_name_that_a_worker_has_registered_is_refused(self):
        supervisor, peer = self.start_launched(BASE)
        worker = supervisor.worker("d", name="shelf")
        worker.expect_run("d").succeed()
        self.launched(peer)
        done = self.reload(supervisor, WITH_D, status=1)
        self.assertIn("d is provided by shelf", done.err)
        self.assertEqual(peer.initializer("d")["provider"], "worker")
        worker.close()
        until(lambda: not peer.initializer("d")["available"], "a lost worker")
        self.assertEqual(supervisor.ctl("reload").out, "+ d\n= 3 unchanged\n")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "d"])

    def test_during_the_shutdown_it_is_refused(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        text = self.manifest("a: { command: \"trap '' TERM; echo > up; read line < fifo\" }", "version: 1\ncancelGrace: 10m\n")
        supervisor = self.start(text, directory=directory)
        supervisor.until_lines("up")
        peer = supervisor.peer()
        peer.ok("shutdown")
        peer.refused(-32006, "reload")


class RunningTests(ReloadCase):
    WAITS = "a: { command: 'echo one >> ran; read line < fifo; echo end one >> ran' }\nb: { command: 'echo b >> ran', dependencies: [a] }"

    def started(self, *arguments):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        supervisor = self.start_with(self.WAITS, *arguments, directory=directory)
        supervisor.until_lines("ran")
        return supervisor, supervisor.peer()

    def test_a_running_one_finishes_with_its_old_command_and_runs_again(self):
        supervisor, peer = self.started()
        run = peer.initializer("a")["run"]
        done = self.reload(supervisor, self.WAITS.replace("echo one >> ran; read line < fifo; echo end one >> ran", "echo two >> ran"))
        self.assertEqual(done.out, "~ a (command)\n= 1 unchanged\n")
        self.assertEqual((peer.initializer("a")["status"], peer.initializer("a")["run"]), ("running", run))
        self.pass_on(supervisor, "fifo")
        until(lambda: "two" in supervisor.lines("ran"), "the new command")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["one", "end one", "two", "b"], "b waits for the new command (S6)")
        self.assertEqual(peer.last_pass()["pass"], 1)

    def test_a_waiting_one_runs_once_with_its_new_command(self):
        supervisor, peer = self.started()
        self.reload(supervisor, self.WAITS.replace("echo b >> ran", "echo new b >> ran"))
        self.pass_on(supervisor, "fifo")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["one", "end one", "new b"])

    def test_a_removed_one_is_stopped_and_its_dependents_go_on(self):
        supervisor, peer = self.started()
        peer.ok("subscribe", topics=["initializer"])
        done = self.reload(supervisor, "b: { command: 'echo b >> ran' }")
        self.assertEqual(done.out, "~ b (dependencies)\n- a\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["one", "b"])
        events = peer.events_until(lambda event: event["initializer"]["name"] == "b" and event["initializer"]["status"] == "complete")
        self.assertEqual([event["initializer"]["name"] for event in events if event.get("removed")], ["a"])

    def test_a_failed_one_waits_for_the_next_launch(self):
        supervisor = self.start_with("a: { command: 'echo one >> ran; exit 3' }")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
        self.reload(supervisor, "a: { command: 'echo two >> ran' }")
        self.assertEqual(peer.status()["launch"]["state"], "failed")
        peer.ok("launch")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["one", "two"])

    def test_the_next_attempt_has_the_new_command(self):
        supervisor = self.start_with("a: { command: 'echo one >> ran; exit 3', retry: { attempts: 2, delay: 10m, maxDelay: 10m } }")
        peer = supervisor.peer()
        until(lambda: peer.initializer("a")["status"] == "waiting" and supervisor.lines("ran"), "a delay")
        self.reload(supervisor, "a: { command: 'echo two >> ran', retry: { attempts: 2, delay: 10m, maxDelay: 10m } }")
        self.assertEqual(supervisor.lines("ran"), ["one"])
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)

    def test_more_concurrency_lets_more_run_at_once(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        text = "".join(f"{name}: {{ command: 'echo {name} >> ran; read line < fifo' }}\n" for name in "abc")
        supervisor = self.start_with(text, directory=directory)
        supervisor.until_lines("ran")
        done = self.reload(supervisor, text, head=FAST + "concurrency: 3\n")
        self.assertIn("concurrency", done.err)
        self.assertEqual(sorted(supervisor.until_lines("ran", 3)), ["a", "b", "c"])
        self.assertEqual(supervisor.peer().status()["concurrency"], 3)

    def test_times_hold_for_what_begins_later(self):
        supervisor, peer = self.start_launched("a: { worker: true, priority: appActive }")
        self.reload(supervisor, "a: { worker: true, priority: appActive }", head="version: 1\nregistrationTimeout: 50ms\n")
        peer.ok("activate")
        self.failed(peer.ok("wait", for_="active"), "initializerFailed", cause={"kind": "workerLost"})


class ActiveTests(ReloadCase):
    TEXT = "a: { command: 'echo a >> ran', priority: appActive }\nb: { command: 'echo b >> ran', priority: appActive }"

    def test_while_the_app_is_active_a_changed_one_runs_again_in_an_active_pass(self):
        supervisor, peer = self.start_launched(self.TEXT, "--activate")
        peer.ok("wait", for_="ready")
        self.reload(supervisor, self.TEXT.replace("echo b", "echo new"))
        self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "new"])
        self.assertEqual(peer.last_pass()["phase"], "active")

    def test_while_it_is_inactive_the_next_activation_runs_it(self):
        supervisor, peer = self.start_launched(self.TEXT)
        self.reload(supervisor, self.TEXT.replace("echo b", "echo new"))
        self.assertEqual(peer.initializer("b")["status"], "idle")
        self.assertEqual(supervisor.lines("ran"), [])
        peer.ok("activate")
        peer.ok("wait", for_="ready")
        self.assertEqual(supervisor.lines("ran"), ["a", "new"])

    def test_one_that_changes_its_phase_runs_in_the_other(self):
        for word, launch, active in (("phase", "launch", "active"), ("priority", "appLaunch", "appActive")):
            text = f"a: {{ command: '{RAN}' }}\nb: {{ command: '{RAN}', {word}: {launch} }}"
            supervisor, peer = self.start_launched(text)
            moved = text.replace(launch, active)
            self.assertEqual(self.reload(supervisor, moved).out, "~ b (phase)\n= 1 unchanged\n")
            self.assertEqual(peer.status()["launch"]["state"], "complete")
            self.assertRegex(supervisor.ctl("status", "b").out, r"\nb +idle +command +active")
            peer.ok("activate")
            peer.ok("wait", for_="ready")
            self.assertEqual(supervisor.lines("ran"), ["a", "b", "b"])
            self.assertEqual(peer.initializer("b")["phase"], "active")
            self.reload(supervisor, text)
            self.launched(peer)
            peer.ok("wait", for_="ready")
            self.assertEqual(supervisor.lines("ran"), ["a", "b", "b", "b"])
            self.assertEqual(peer.initializer("b")["phase"], "launch")

    def test_a_hold_and_its_app_stay_active(self):
        supervisor, peer = self.start_launched(self.TEXT)
        peer.ok("activate", hold=True)
        peer.ok("wait", for_="ready")
        self.reload(supervisor, self.TEXT.replace("echo b", "echo new") + "\nc: { command: 'echo c >> ran', priority: appActive }")
        peer.ok("wait", for_="ready")
        self.assertEqual(peer.status()["lifecycle"], "active")
        self.assertEqual(sorted(supervisor.lines("ran")[2:]), ["c", "new"])


class StaleTests(ReloadCase):
    TEXT = "a: { command: 'echo a >> ran' }\nb: { command: 'echo b >> ran', dependencies: [a] }\nc: { command: 'echo c >> ran', dependencies: [b] }"

    def test_what_depends_on_it_is_stale(self):
        supervisor, peer = self.start_launched(self.TEXT)
        self.reload(supervisor, self.TEXT.replace("echo a", "echo new"))
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "new"])
        self.assertEqual([each.get("stale") for each in peer.status()["initializers"]], [None, True, True])

    def test_with_dependents_it_runs_too(self):
        supervisor, peer = self.start_launched(self.TEXT)
        self.reload(supervisor, self.TEXT.replace("echo a", "echo new"), "--with-dependents")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "new", "b", "c"])
        self.assertEqual([each.get("stale") for each in peer.status()["initializers"]], [None, None, None])


class WorkerTests(ReloadCase):
    def test_a_workers_initializer_runs_again_if_its_dependencies_change(self):
        supervisor = self.start_with("a: { command: 'true' }\nw: { worker: true }")
        worker = supervisor.worker("w")
        peer = supervisor.peer()
        worker.expect_run("w").succeed()
        self.launched(peer)
        self.assertEqual(self.reload(supervisor, "a: { command: 'true' }\nw: { worker: true, dependencies: [a] }").out, "~ w (dependencies)\n= 1 unchanged\n")
        worker.expect_run("w").succeed()
        self.launched(peer)
        self.assertEqual(peer.initializer("w")["dependencies"], ["a"])
        # The worker declares no dependencies, or the same.
        worker.ok("unregister", names=["w"])
        worker.register({"name": "w", "dependencies": ["a"]})

    def test_a_removed_workers_name_is_free(self):
        supervisor = self.start_with("a: { command: 'true' }\nw: { worker: true }")
        worker = supervisor.worker("w")
        peer = supervisor.peer()
        run = worker.expect_run("w")
        self.assertEqual(self.reload(supervisor, "a: { command: 'true' }").out, "- w\n= 1 unchanged\n")
        run.expect_cancel("unregistered").stopped()
        self.launched(peer)
        self.assertNames(peer.status()["initializers"], ["a"])
        self.assertEqual(peer.status()["workers"], [])
        worker.register({"name": "w", "priority": "appActive"})
        self.assertEqual(peer.initializer("w")["priority"], "appActive")

    def test_a_worker_becomes_a_command_and_the_reverse(self):
        supervisor = self.start_with("w: { worker: true }")
        worker = supervisor.worker("w")
        peer = supervisor.peer()
        worker.expect_run("w").succeed()
        self.launched(peer)
        self.assertEqual(self.reload(supervisor, f"w: {{ command: '{RAN}' }}").out, "~ w (command)\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["w"])
        self.assertEqual((peer.initializer("w")["provider"], peer.status()["workers"]), ("command", []))
        peer.refused(-32002, "register", {"initializers": [{"name": "w"}]})
        self.assertEqual(self.reload(supervisor, "w: { worker: true }").out, "~ w (command)\n= 0 unchanged\n")
        self.assertEqual(peer.initializer("w")["provider"], "worker")
        other = supervisor.worker("w")
        other.expect_run("w").succeed()
        self.launched(peer)

    def test_what_a_worker_registered_by_itself_stays(self):
        supervisor, peer = self.start_launched(BASE)
        worker = supervisor.worker({"name": "w", "dependencies": ["a"]})
        worker.expect_run("w").succeed()
        self.launched(peer)
        self.reload(supervisor, BASE.replace("timeout: 1m", "timeout: 2m"))
        worker.expect_no_run()
        self.assertEqual(peer.initializer("w")["status"], "complete")
        self.assertEqual(peer.initializer("w")["available"], True)


class ProcessTests(ReloadCase):
    """The processes of `workers`."""

    def process(self, name, more=""):
        return f"  {name}: {{ command: [sh, -c, 'echo {name} $$ >> up; trap \"echo {name} >> down; exit\" TERM; while :; do sleep 0.01; done'{more}] }}\n"

    def started(self, *names, arguments=()):
        supervisor = self.start(FAST + "workers:\n" + "".join(self.process(each) for each in names), *arguments)
        supervisor.until_lines("up", len(names))
        return supervisor

    def edit(self, supervisor, *lines, status=0):
        self.write(supervisor.manifest, FAST + ("workers:\n" if lines else "") + "".join(lines))
        return self.assertStatus(supervisor.ctl("reload"), status)

    def names(self, peer):
        return [each["name"] for each in peer.status()["processes"]]

    def test_changed_ones_stop_in_reverse_order_and_start_in_order(self):
        supervisor = self.started("a", "b", "c")
        peer = supervisor.peer()
        pids = {name: pid for name, pid in map(str.split, supervisor.lines("up"))}
        done = self.edit(supervisor, self.process("a", ", x"), self.process("b"), self.process("c", ", x"))
        self.assertEqual(done.out, "~ a (command)\n~ c (command)\n= 1 unchanged\n")
        up = [line.split()[0] for line in supervisor.until_lines("up", 5)]
        self.assertEqual(sorted(up[3:]), ["a", "c"])
        self.assertEqual(supervisor.lines("down"), ["c", "a"])
        until(lambda: supervisor.program.pump() or supervisor.program.err.count(b" started, pid") == 5, "the starts in the log")
        log = supervisor.program.err.decode()
        started = [line.split("process ")[1].split()[0] for line in log.splitlines() if " started, pid" in line]
        self.assertEqual(started, ["a", "b", "c", "a", "c"])
        processes = {each["name"]: each for each in peer.status()["processes"]}
        self.assertEqual(processes["b"]["pid"], int(pids["b"]))
        self.assertEqual([processes[name]["restarts"] for name in "abc"], [1, 0, 1])
        # They were asked to end, so their exits aren't a problem.
        self.assertEqual([name for name in "abc" if "lastExit" in processes[name]], [])
        self.assertStatus(supervisor.ctl("activate", "--wait"), 0)
        self.assertEqual(supervisor.ctl("status").out.splitlines()[0], "READY")

    def test_removed_ones_stop_and_added_ones_start(self):
        supervisor = self.started("a", "b")
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["worker"])
        done = self.edit(supervisor, self.process("c"), self.process("b"))
        self.assertEqual(done.out, "+ c\n- a\n= 1 unchanged\n")
        supervisor.until_lines("up", 3)
        self.assertEqual(supervisor.lines("down"), ["a"])
        self.assertEqual(self.names(peer), ["c", "b"], "in the manifest's order")
        removed = peer.events_until(lambda event: event.get("removed"))[-1]["process"]
        self.assertEqual((removed["name"], "pid" in removed), ("a", False))
        self.assertEqual(self.edit(supervisor).out, "- c\n- b\n= 0 unchanged\n")
        until(lambda: self.names(peer) == [], "no process")
        self.assertEqual(supervisor.lines("down"), ["a", "c", "b"], "in the reverse order of their starts")

    def test_the_restart_policy_holds_from_the_next_exit_on(self):
        supervisor = self.started("a")
        done = self.edit(supervisor, self.process("a").replace("command:", "restart: always, backoff: { delay: 1ms }, command:"))
        self.assertEqual(done.out, "= 1 unchanged\n")
        self.assertIn("a (restart, backoff): holds from the next run on", done.err)
        self.assertEqual(supervisor.lines("down"), [])
        os.kill(int(supervisor.lines("up")[0].split()[1]), signal.SIGTERM)
        supervisor.until_lines("up", 2)

    def test_one_that_was_given_up_or_has_ended_starts_again_if_it_changed(self):
        supervisor = self.start(FAST + "workers:\n  a: { command: 'exit 3' }\n  b: { command: 'exit 0' }\n", "--limit", "workerBurst=1")
        supervisor.program.until_err("process a is given up")
        supervisor.program.until_err("process b ended")
        self.edit(supervisor, self.process("a"), self.process("b"))
        self.assertEqual(sorted(line.split()[0] for line in supervisor.until_lines("up", 2)), ["a", "b"])

    def test_one_that_ignores_sigterm_is_killed_and_another_reload_in_between_counts(self):
        supervisor = self.start(FAST + "workers:\n  a: { command: \"trap '' TERM; echo one $$ >> up; while :; do sleep 0.01; done\" }\n")
        pid = int(supervisor.until_lines("up")[0].split()[1])
        peer = supervisor.peer()
        self.edit(supervisor, "  a: { command: 'echo two >> up; exec sleep 600' }\n")
        self.edit(supervisor)
        self.edit(supervisor, "  a: { command: 'echo three >> up; exec sleep 600' }\n  b: { command: 'echo b >> up; exec sleep 600' }\n")
        supervisor.until_lines("up", 3)
        self.assertFalse(is_running(pid))
        self.assertEqual(sorted(supervisor.lines("up")[1:]), ["b", "three"])
        self.assertEqual(self.names(peer), ["a", "b"])

    def test_a_shutdown_in_the_middle_ends_all(self):
        supervisor = self.start(FAST + "workers:\n  b: { command: 'exec sleep 600' }\n  a: { command: \"trap '' TERM; echo one $$ >> up; while :; do sleep 0.01; done\" }\n")
        pid = int(supervisor.until_lines("up")[0].split()[1])
        self.edit(supervisor, "  a: { command: 'echo two >> up; exec sleep 600' }\n", self.process("c"))
        supervisor.program.signal(signal.SIGTERM)
        supervisor.program.until_err("process a was terminated by SIGKILL")
        self.assertEqual(supervisor.ended(), 0)
        self.assertNotIn("left processes running", supervisor.program.err.decode())
        self.assertFalse(is_running(pid))
        self.assertEqual(len(supervisor.lines("up")), 1)

    def test_the_environment_of_all_commands_is_the_processes_too(self):
        supervisor = self.start(FAST + "environment: { A: one }\nworkers:\n  a: { command: 'echo $A >> up; exec sleep 600' }\n")
        supervisor.until_lines("up")
        self.write(supervisor.manifest, FAST + "environment: { A: two }\nworkers:\n  a: { command: 'echo $A >> up; exec sleep 600' }\n")
        self.assertEqual(supervisor.ctl("reload").out, "~ a (environment: A)\n= 0 unchanged\n")
        self.assertEqual(supervisor.until_lines("up", 2), ["one", "two"])


class ReadyProcessTests(ReloadCase):
    """The processes of `workers` that are also initializers."""

    def web(self, words="one", ready="path: ups", more=""):
        script = f'echo {words} $$ >> ups; trap "echo {words} >> downs; exit" TERM; while :; do sleep 0.01; done'
        return f"  web: {{ command: [sh, -c, '{script}'], ready: {{ {ready}, every: 10ms }}{more} }}\n"

    def text(self, web, initializers=""):
        return FAST + ("initializers:\n" + initializers if initializers else "") + ("workers:\n" + web if web else "")

    AFTER = f"  after: {{ command: '{RAN}', dependencies: [web] }}\n"

    def begin_ready(self, web, initializers=""):
        """A supervisor whose process is ready; a connection to it; and the process."""
        supervisor = self.start(self.text(web, initializers))
        peer = supervisor.peer()
        self.launched(peer)
        return supervisor, peer, peer.status()["processes"][0]

    def change(self, supervisor, web, initializers="", *words, status=0):
        self.write(supervisor.manifest, self.text(web, initializers))
        return self.assertStatus(supervisor.ctl("reload", *words), status)

    def test_with_another_command_it_is_restarted_and_what_depends_on_it_is_stale(self):
        supervisor, peer, before = self.begin_ready(self.web(), self.AFTER)
        done = self.change(supervisor, self.web("two"), self.AFTER)
        self.assertEqual(done.out, "~ web (command)\n= 1 unchanged\n", "it is listed once")
        self.launched(peer)
        [after] = peer.status()["processes"]
        self.assertEqual((after["restarts"], is_running(before["pid"])), (1, False))
        # The file exists since the first process, so the second is ready before it has written its line.
        until(lambda: len(supervisor.lines("ups")) == 2, "the second process's line")
        self.assertEqual([line.split()[0] for line in supervisor.lines("ups")], ["one", "two"])
        self.assertEqual(supervisor.lines("downs"), ["one"])
        self.assertEqual(supervisor.lines("ran"), ["after"])
        self.assertIs(peer.initializer("after").get("stale"), True)
        self.assertRuns(peer, ["web"])

    def test_other_dependencies_restart_it(self):
        first = f"  first: {{ command: '{RAN}' }}\n"
        supervisor, peer, before = self.begin_ready(self.web())
        done = self.change(supervisor, self.web(more=", dependencies: [first]"), first)
        self.assertEqual(done.out, "+ first\n~ web (dependencies)\n= 0 unchanged\n")
        self.launched(peer)
        [second] = peer.status()["processes"]
        self.assertNotEqual(second["pid"], before["pid"])

    def test_a_changed_ready_holds_from_the_next_check_on_and_restarts_nothing(self):
        supervisor, peer, before = self.begin_ready(self.web())
        done = self.change(supervisor, self.web(ready="path: never"))
        self.assertEqual(done.out, "~ web (ready)\n= 0 unchanged\n")
        self.assertEqual(peer.status()["processes"][0]["pid"], before["pid"])
        self.launched(peer)
        os.kill(before["pid"], signal.SIGKILL)
        until(lambda: peer.initializer("web")["status"] == "running", "the next start")
        self.assertEqual(peer.initializer("web")["waitsFor"], supervisor.file("never"))
        # It is being checked now, and the check that never holds is replaced.
        pid = until(lambda: peer.status()["processes"][0].get("pid"), "the next process")
        self.change(supervisor, self.web(ready="path: ups"))
        self.launched(peer)
        self.assertEqual(peer.status()["processes"][0]["pid"], pid)

    def test_a_changed_environment_names_its_variables(self):
        supervisor, _, _ = self.begin_ready(self.web(more=", environment: { PORT: 1, SAME: x }"))
        done = self.change(supervisor, self.web(more=", environment: { PORT: 2, DEBUG: 1, SAME: x }"), "", "--dry-run")
        self.assertEqual(done.out, "~ web (environment: DEBUG, PORT)\n= 0 unchanged\n")

    def test_what_is_not_its_work_holds_from_the_next_start_on(self):
        supervisor, peer, before = self.begin_ready(self.web(), self.AFTER)
        done = self.change(supervisor, self.web(more=", timeout: 9s, stopSignal: INT, stopTimeout: 3s, restart: always"), self.AFTER)
        self.assertEqual(done.out, "= 2 unchanged\n")
        self.assertIn("web (restart, stopSignal, stopTimeout, timeout): holds from the next run on", done.err)
        self.assertEqual(peer.status()["processes"][0]["pid"], before["pid"])
        self.assertEqual(peer.ok("history", limit=9)["passes"][-1]["pass"], 1)

    def test_it_is_stopped_by_the_signal_that_it_was_started_with(self):
        supervisor, peer, _ = self.begin_ready(self.web())
        done = self.change(supervisor, self.web("two", more=", stopSignal: KILL"))
        self.assertEqual(done.out, "~ web (command, stopSignal)\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(supervisor.lines("downs"), ["one"])

    def test_its_run_waits_for_the_new_one_while_another_process_is_stopped(self):
        """The other process was started last, so it is stopped first. The old one still runs then, and was ready."""
        slow = "  slow: {{ command: [sh, -c, 'trap \"echo > asked; read line < go; exit\" TERM; echo > up; while :; do sleep 0.01; done'{more}], dependencies: [web] }}\n"
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "go"))
        supervisor = self.start(self.text(self.web() + slow.format(more="")), directory=directory)
        peer = supervisor.peer()
        self.launched(peer)
        supervisor.until_lines("up")
        self.change(supervisor, self.web("two") + slow.format(more=", x"))
        supervisor.until_lines("asked")
        self.pass_on(supervisor, "go")
        self.assertEqual([line.split()[0] for line in supervisor.until_lines("ups", 2)], ["one", "two"])
        self.launched(peer)
        self.assertEqual(peer.initializer("web")["run"], 2, "there was no run that the old one completed")

    def test_an_added_one_runs_and_a_removed_one_is_gone(self):
        a = f"  a: {{ command: '{RAN}' }}\n"
        supervisor = self.start(self.text("", a))
        peer = supervisor.peer()
        self.launched(peer)
        peer.ok("subscribe", topics=["initializer"])
        self.assertEqual(self.change(supervisor, self.web(), a).out, "+ web\n= 1 unchanged\n")
        self.launched(peer)
        self.assertEqual(peer.initializer("web")["status"], "complete")
        pid = peer.status()["processes"][0]["pid"]
        self.assertEqual(self.change(supervisor, "", a).out, "- web\n= 1 unchanged\n")
        events = peer.events_until(lambda event: event.get("removed"))
        self.assertEqual({event["initializer"].get("waitsFor") for event in events if event["initializer"]["name"] == "web"}, {supervisor.file("ups")})
        until(lambda: peer.status()["processes"] == [], "no process")
        self.assertFalse(is_running(pid))
        self.assertNames(peer.status()["initializers"], ["a"])

    def test_ready_makes_an_initializer_of_a_process_and_the_reverse(self):
        plain = self.web().replace(", ready: { path: ups, every: 10ms }", "")
        supervisor = self.start(self.text(plain))
        peer = supervisor.peer()
        supervisor.until_lines("ups")
        self.assertEqual(self.change(supervisor, self.web()).out, "~ web (ready)\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(peer.initializer("web")["provider"], "process")
        supervisor.until_lines("ups", 2)
        self.assertEqual(self.change(supervisor, plain).out, "~ web (ready)\n= 0 unchanged\n")
        supervisor.until_lines("ups", 3)
        self.assertNames(peer.status()["initializers"], [])

    def test_a_command_becomes_a_process_and_the_reverse(self):
        command = f"  web: {{ command: '{RAN}' }}\n"
        supervisor = self.start(self.text("", command))
        peer = supervisor.peer()
        self.launched(peer)
        self.assertEqual(self.change(supervisor, self.web()).out, "~ web (command)\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(peer.initializer("web")["provider"], "process")
        pid = int(supervisor.lines("ups")[0].split()[1])
        self.assertEqual(self.change(supervisor, "", command).out, "~ web (command)\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(peer.initializer("web")["provider"], "command")
        until(lambda: not is_running(pid), "its end")
        self.assertEqual(supervisor.lines("ran"), ["web", "web"])

    def test_one_that_never_gets_ready_is_replaced_in_the_same_pass(self):
        for broken in ("exit 3", "sleep 600"):
            with self.subTest(broken):
                supervisor = self.start(self.text(f"  web: {{ command: '{broken}', ready: {{ path: ups }}, restart: always, backoff: {{ delay: 30s }} }}\n", self.AFTER))
                peer = supervisor.peer()
                until(lambda: "progress" in peer.initializer("web"), "a try in vain")
                self.change(supervisor, self.web(), self.AFTER)
                self.launched(peer)
                self.assertEqual(peer.ok("history", limit=9)["passes"][-1]["pass"], 1)
                self.assertEqual(supervisor.lines("ran"), ["after"])

    def test_in_a_pass_in_flight_it_is_restarted_at_once(self):
        gate = "  slow: { command: 'read line < go' }\n"
        supervisor = self.start_gated(self.text(self.web(), gate).replace("initializers:", "concurrency: 2\ninitializers:"))
        peer = supervisor.peer()
        peer.until_initializer("web", "complete")
        self.write(supervisor.manifest, self.text(self.web("two"), gate).replace("initializers:", "concurrency: 2\ninitializers:"))
        self.assertStatus(supervisor.ctl("reload"), 0)
        self.assertEqual(supervisor.until_lines("ups", 2)[1].split()[0], "two")
        self.pass_on(supervisor, "go")
        self.launched(peer)
        self.assertEqual(peer.initializer("web")["status"], "complete")
        self.assertEqual(len(supervisor.lines("ups")), 2, "its next run finds it ready")

    def test_after_a_failed_launch_it_is_restarted_and_complete_with_the_next_one(self):
        fails = "  fails: { command: 'exit 3', dependencies: [web] }\n"
        supervisor = self.start(self.text(self.web(), fails))
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "failed")
        self.change(supervisor, self.web("two"), fails)
        supervisor.until_lines("ups", 2)
        peer.until_initializer("web", "idle")
        self.change(supervisor, self.web("two"), "  fails: { command: 'true', dependencies: [web] }\n")
        peer.ok("launch")
        self.launched(peer)
        self.assertEqual(len(supervisor.lines("ups")), 2)

    def test_a_shutdown_while_it_is_replaced_ends_all(self):
        stubborn = "  web: { command: \"trap '' TERM; echo one $$ >> ups; while :; do sleep 0.01; done\", ready: { path: ups, every: 10ms } }\n"
        supervisor, _, before = self.begin_ready(stubborn)
        self.change(supervisor, self.web("two"))
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(is_running(before["pid"]))
        self.assertEqual(len(supervisor.lines("ups")), 1)

    def test_a_cancelled_start_of_one_that_is_replaced_ends_and_starts_nothing(self):
        stubborn = "  web: { command: \"trap '' TERM; echo one $$ >> ups; while :; do sleep 0.01; done\", ready: { path: ups, every: 10ms } }\n"
        supervisor, peer, before = self.begin_ready(stubborn)
        self.change(supervisor, self.web("two"))
        peer.until_initializer("web", "running")
        peer.ok("cancelRun", initializers=["web"])
        self.assertEqual(peer.initializer("web")["status"], "failed")
        ended = until(lambda: (web := peer.status()["processes"][0]).get("pid") != before["pid"] and web, "its end")
        self.assertNotIn("pid", ended, "a start that an operator has cancelled isn't made up for")
        self.assertEqual(len(supervisor.lines("ups")), 1)
        peer.ok("launch")
        self.launched(peer)
        # The file exists since the first process, so the second is ready before it has written its line.
        until(lambda: len(supervisor.lines("ups")) == 2, "the second process's line")
        self.assertEqual(supervisor.lines("ups")[1].split()[0], "two")

    def test_a_process_goes_on_after_a_skipped_dependency(self):
        supervisor = self.start(self.text("  late: { command: 'echo late >> ups; exec sleep 600', dependencies: [seed] }\n", "  seed: { command: 'exit 3', when: { path: nowhere } }\n"))
        supervisor.until_lines("ups")


class ConditionTests(ReloadCase):
    def test_another_condition_is_checked_again_for_one_that_is_skipped(self):
        text = f"seed: {{ command: '{RAN}', when: {{ path: there }} }}\nafter: {{ command: '{RAN}', dependencies: [seed] }}"
        supervisor, peer = self.start_launched(text)
        self.assertEqual((peer.initializer("seed")["status"], supervisor.lines("ran")), ("skipped", ["after"]))
        now = text.replace("path: there", "missing: there")
        expected = "~ seed (when)\n= 1 unchanged\n"
        self.assertEqual(self.reload(supervisor, now, "--dry-run").out, expected)
        self.assertEqual(supervisor.lines("ran"), ["after"])
        self.assertEqual(self.reload(supervisor, now).out, expected)
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["after", "seed"])
        self.assertIs(peer.initializer("after").get("stale"), True)
        # A condition doesn't undo a completed run.
        done = self.reload(supervisor, text)
        self.assertEqual(done.out, "= 2 unchanged\n")
        self.assertIn("seed (when): holds from the next run on", done.err)
        self.assertEqual(peer.initializer("seed")["status"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["after", "seed"])

    def test_a_variable_of_all_commands_is_a_condition_too(self):
        text = "there: { waitFor: { path: / }, when: { env: STAGE=prod } }"
        supervisor, peer = self.start_launched(text)
        self.assertEqual(peer.initializer("there")["status"], "skipped")
        done = self.reload(supervisor, text, head=FAST + "environment: { STAGE: prod }\n")
        self.assertEqual(done.out, "~ there (when)\n= 0 unchanged\n")
        self.launched(peer)
        self.assertEqual(peer.initializer("there")["status"], "complete")

    def test_a_waiting_one_has_the_new_condition(self):
        text = f"slow: {{ command: 'read line < go' }}\nseed: {{ command: '{RAN}', dependencies: [slow], when: {{ path: there }} }}"
        supervisor = self.start_gated(self.manifest(text))
        peer = supervisor.peer()
        peer.until_initializer("slow", "running")
        self.reload(supervisor, text.replace("path: there", "missing: there"))
        self.pass_on(supervisor, "go")
        self.launched(peer)
        self.assertEqual(supervisor.lines("ran"), ["seed"])


class GroupTests(ReloadCase):
    def test_another_group_holds_from_the_next_start_on_and_reruns_nothing(self):
        head = FAST + "concurrency: 3\ngroups: { db: 1 }\n"
        text = "a: { command: 'read line < go', group: db }\nb: { command: 'read line < go', group: db }\nc: { command: 'true', dependencies: [a] }"
        supervisor = self.start_gated(self.manifest(text, head))
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        self.assertEqual(peer.initializer("b")["status"], "waiting")
        done = self.reload(supervisor, text.replace("b: { command: 'read line < go', group: db }", "b: { command: 'read line < go' }"), head=head)
        self.assertEqual(done.out, "= 3 unchanged\n")
        self.assertIn("b (group): holds from the next run on", done.err)
        peer.until_initializer("b", "running")
        self.assertEqual(peer.initializer("a")["status"], "running")
        self.assertEqual(peer.ok("history", limit=9)["passes"], [], "launch is still in its first pass")

    def test_more_places_let_more_run_at_once(self):
        head = FAST + "concurrency: 3\ngroups: { db: 1 }\n"
        text = "a: { command: sleep 600, group: db }\nb: { command: sleep 600, group: db }"
        supervisor = self.start(self.manifest(text, head))
        peer = supervisor.peer()
        peer.until_initializer("a", "running")
        done = self.reload(supervisor, text, head=head.replace("db: 1", "db: 2"))
        self.assertEqual(done.out, "= 2 unchanged\n")
        self.assertIn("settings that changed: groups", done.err)
        peer.until_initializer("b", "running")


class SignalTests(ReloadCase):
    def test_SIGHUP_reloads(self):
        supervisor, peer = self.start_launched(BASE, "--log-format", "json")
        self.write(supervisor.manifest, self.manifest(WITH_D))
        supervisor.program.signal(signal.SIGHUP)
        supervisor.until_lines("ran", 4)
        supervisor.program.until_err("got SIGHUP")
        events = [json.loads(line) for line in supervisor.program.err.decode().splitlines()]
        [told] = [each for each in events if each.get("event") == "reload"]
        self.assertEqual(told["message"], f"reloading {supervisor.manifest}: added: d; 3 unchanged (got SIGHUP)")
        self.write(supervisor.manifest, "version: 2\n")
        supervisor.program.signal(signal.SIGHUP)
        supervisor.program.until_err("reloadFailed")
        self.launched(peer)
        self.assertNames(peer.status()["initializers"], ["a", "b", "c", "d"])

    def test_while_an_app_runs_it_is_the_apps(self):
        directory = self.directory()
        manifest = self.write(os.path.join(directory, "init.yaml"), self.manifest(BASE))
        path = os.path.join(directory, "s")
        program = self.program(
            [INITD, "--socket", path, "--config", manifest, "--", "sh", "-c", "trap 'echo got it; exit 7' HUP; echo up; while :; do sleep 0.01; done"], cwd=directory
        )
        self.assertEqual(program.line(), "up")
        self.write(manifest, self.manifest(WITH_D))
        self.assertEqual(self.initctl("--socket", path, "reload").out, "+ d\n= 3 unchanged\n")
        program.signal(signal.SIGHUP)
        self.assertEqual(program.line(), "got it")
        self.assertEqual(program.wait(), 7)


class RequestTests(ReloadCase):
    def test_requests_are_handled_one_after_another_and_too_many_are_refused(self):
        supervisor, peer = self.start_launched(BASE)
        ids = [peer.request("reload") for _ in range(60)]
        answers = [peer.answer(each) for each in ids]
        done = [each for each in answers if "result" in each]
        self.assertGreaterEqual(len(done), 16)
        for each in answers:
            if "error" in each:
                self.assertEqual(refusal(each, -32007, "try again")["data"]["limit"], "reloads")
        self.assertEqual(peer.ok("reload")["unchanged"], 3)

    @unittest.skipUnless(os.geteuid() == 0, "only root can connect as another user")
    def test_the_requests_of_one_user_do_not_keep_out_those_of_others(self):
        # Reading takes long enough for all requests to wait.
        text = "\n".join(f"n{number}: {{ command: 'true', phase: active }}" for number in range(2000))
        directory = self.directory()
        os.chmod(directory, 0o755)
        supervisor, peer = self.start_launched(text, "--allow-control", "daemon", "--socket-mode", "666", directory=directory)
        [flooding] = supervisor.peers_of_another_user(pwd.getpwnam("daemon").pw_uid, 1)
        hello(flooding, "flood")
        ids = []

        def is_refused():
            ids.extend(flooding.request("reload") for _ in range(40))
            return "error" in flooding.answer(ids.pop())

        until(is_refused, "a request that is refused, because too many wait")
        self.assertEqual(peer.ok("reload", dryRun=True)["unchanged"], 2000)
        for each in ids:
            answer = flooding.answer(each)
            if "error" in answer:
                self.assertEqual(refusal(answer, -32007, "try again")["data"]["limit"], "reloads")

    def test_a_flood_of_requests_does_not_fill_the_log(self):
        supervisor, peer = self.start_launched("a: { command: 'true' }")
        for text, line in (("b: { command: 'true' }", "nothing has changed"), ("b: { comand: 'true' }", "unknown key")):
            start = time.monotonic()
            self.write(supervisor.manifest, self.manifest(text))
            for _ in range(50):
                peer.answer(peer.request("reload"))
            supervisor.program.until_err(line)
            supervisor.program.pump()
            self.assertLessEqual(supervisor.program.err.decode().count(line), time.monotonic() - start + 1)

    def test_a_client_that_has_gone_disturbs_nobody(self):
        supervisor, peer = self.start_launched(BASE)
        for _ in range(5):
            other = supervisor.peer()
            other.request("reload")
            other.close()
        self.assertEqual(peer.ok("reload")["unchanged"], 3)

    def test_wrong_params_are_refused(self):
        _, peer = self.start_launched(BASE)
        peer.refused(-32602, "reload", {"dryRun": 1}, "params.dryRun")
        peer.refused(-32602, "reload", {"withDependents": "yes"}, "params.withDependents")


class ManagerTests(ReloadCase):
    def test_systemd_is_told_when_a_reload_begins_and_ends(self):
        manager = Manager(self)
        supervisor = self.start_with("a: { command: 'true' }", env={"NOTIFY_SOCKET": manager.path})
        manager.until(READY="1")
        for text, status in (("a: { command: 'echo' }", 0), ("a: { comand: 'echo' }", 65)):
            before = time.clock_gettime(time.CLOCK_MONOTONIC)
            self.reload(supervisor, text, status=status)
            told = manager.until(RELOADING="1")
            self.assertTrue(before <= int(told["MONOTONIC_USEC"]) / 1e6 <= time.clock_gettime(time.CLOCK_MONOTONIC), told)
            self.assertNotIn("READY", told)
            manager.until(READY="1")
        self.reload(supervisor, "a: { command: 'true' }", "--dry-run")
        supervisor.peer().ok("shutdown")
        while "STOPPING" not in (told := manager.next()):
            self.assertNotIn("RELOADING", told, "a dry run isn't a reload")

    def test_before_it_is_ready_systemd_is_told_nothing(self):
        manager = Manager(self)
        supervisor = self.start_with("a: { command: 'exit 3' }", env={"NOTIFY_SOCKET": manager.path})
        supervisor.peer().ok("wait", for_="launch")
        self.reload(supervisor, "a: { command: 'exit 4' }")
        self.reload(supervisor, "a: { command: 'true' }")
        supervisor.peer().ok("launch")
        told = manager.until(READY="1")
        self.assertNotIn("RELOADING", told)
        self.assertEqual(told["STATUS"], "ready", "and not the end of a reload")
        self.assertFalse(any("RELOADING" in each for each in manager.told))


class StateTests(StateCase, ReloadCase):
    """With a state directory."""

    TEXT = f"""
        a: {{ command: '{RAN}' }}
        b: {{ command: '{RAN}', dependencies: [a] }}
        c: {{ command: '{RAN}' }}
        """

    def restarted(self, supervisor, text, *arguments):
        """The next supervisor, after the first one was killed."""
        self.killed(supervisor)
        return self.again(text, *arguments, directory=supervisor.directory)

    def test_what_was_changed_and_has_run_is_remembered_as_changed(self):
        supervisor = self.again(self.TEXT, directory=self.directory())
        self.launched(supervisor)
        new = self.TEXT.replace("c: { command: '", "c: { command: 'true; ")
        self.reload(supervisor, new)
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "c"])
        supervisor = self.restarted(supervisor, new)
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "c"])

    def test_what_was_changed_and_has_not_run_yet_runs_after_a_restart(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        supervisor = self.again(self.TEXT, directory=directory)
        self.launched(supervisor)
        for line in (
            "c: { command: 'read line < fifo', dependencies: [a] }",
            f"c: {{ command: '{RAN}', dependencies: [a] }}",
        ):
            new = self.TEXT.replace(f"c: {{ command: '{RAN}' }}", line)
            self.reload(supervisor, new)
        ran = len(supervisor.lines("ran"))
        supervisor = self.restarted(supervisor, new)
        supervisor.program.until_err("c runs again: ")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran")[ran:], ["c"])

    def test_a_run_that_began_before_the_change_is_not_remembered(self):
        directory = self.directory()
        for name in ("one", "two"):
            os.mkfifo(os.path.join(directory, name))
        text = "a: { command: 'echo a >> ran; read line < one' }"
        new = "g: { command: 'echo g >> ran; read line < two' }\na: { command: 'echo new >> ran', dependencies: [g] }"
        supervisor = self.again(text, directory=directory)
        supervisor.until_lines("ran")
        self.reload(supervisor, new)
        self.pass_on(supervisor, "one")
        supervisor.until_lines("ran", 2)
        supervisor = self.restarted(supervisor, new)
        supervisor.until_lines("ran", 3)
        self.pass_on(supervisor, "two")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "g", "g", "new"])

    def test_other_dependencies_make_the_next_supervisor_run_it_again(self):
        supervisor = self.again(self.TEXT, directory=self.directory())
        self.launched(supervisor)
        new = self.TEXT.replace(f"c: {{ command: '{RAN}' }}", f"c: {{ command: '{RAN}', dependencies: [a] }}")
        supervisor = self.restarted(supervisor, new)
        supervisor.program.until_err("c runs again: its definition has changed since it completed")
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "c"])

    def test_what_was_removed_is_forgotten(self):
        supervisor = self.again(self.TEXT, directory=self.directory())
        self.launched(supervisor)
        self.reload(supervisor, f"a: {{ command: '{RAN}' }}")
        supervisor = self.restarted(supervisor, self.TEXT)
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "b", "c"])

    def test_what_becomes_secret_leaves_the_disk(self):
        text = "a: { command: 'echo hidden-word > \"$INITD_OUTPUT\"' }\nb: { command: 'echo \"$INITD_INPUT_A\" >> ran', dependencies: [a] }"
        supervisor = self.again(text, directory=self.directory())
        self.launched(supervisor)
        self.assertIn("hidden-word", supervisor.text("state/launched"))
        self.reload(supervisor, text.replace("a: {", "a: { secret: true,"))
        self.assertNotIn("hidden-word", supervisor.text("state/launched"))
        supervisor = self.restarted(supervisor, text.replace("a: {", "a: { secret: true,"))
        self.launched(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["hidden-word", "hidden-word"], "it runs again, and so does what took its output")
