"""manifest.md: freshness (S30)."""

import os
import signal
import textwrap
import unittest

from deadlines import until
from state import RAN, StateCase


class FreshnessTests(StateCase):
    def activated(self, peer):
        peer.ok("activate")
        self.assertEqual(peer.ok("wait")["state"], "complete")
        return {each["name"]: each for each in peer.status()["initializers"]}

    def logged(self, supervisor) -> str:
        supervisor.program.pump()
        return supervisor.program.err.decode()

    def test_S30_unchanged_inputs_are_fresh_and_the_output_stands(self):
        directory = self.directory()
        self.write(os.path.join(directory, "1.sql"), "one")
        supervisor = self.start_with(
            f"""
            a: {{ command: '{RAN}; echo $PPID$$ > "$INITD_OUTPUT"', inputs: ["*.sql"], phase: active }}
            z: {{ command: 'echo "$INITD_INPUT_A" >> given', dependencies: [a], phase: active }}
            """, directory=directory)
        peer = supervisor.peer()
        self.assertEqual(self.activated(peer)["a"]["status"], "complete")
        shape = self.activated(peer)["a"]
        self.assertEqual((shape["status"], shape["skipped"]["reason"]), ("skipped", "fresh"))
        self.assertEqual(shape["skipped"]["message"], "fresh: its inputs are the same as when it completed")
        self.assertIn("a skipped: fresh: its inputs are the same as when it completed", self.logged(supervisor))
        self.assertNotIn("stale", self.activated(peer)["z"])
        self.assertEqual(supervisor.lines("ran"), ["a"])
        given = supervisor.lines("given")
        self.assertEqual(len(given), 3)
        self.assertEqual(len(set(given)), 1, "each activation got the same output")
        self.assertRegex(self.assertStatus(supervisor.ctl("status"), 0).out, "a +skipped .*fresh: its inputs")
        self.assertIn("fresh", self.assertStatus(supervisor.ctl("why", "a"), 0).out)
        self.assertEqual([each["initializer"] for each in peer.last_pass()["runs"]], ["z"])

    def test_S30_contents_count_and_time_stamps_do_not(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "data"), "one")
        supervisor = self.start_with(f"a: {{ command: '{RAN}', inputs: [data], phase: active }}", directory=directory)
        peer = supervisor.peer()
        for change, status in [
            (lambda: None, "complete"),
            (lambda: os.utime(path, (1, 1)), "skipped"),
            (lambda: self.write(path, "one"), "skipped"),
            (lambda: (self.write(path, "two"), os.utime(path, (1, 1))), "complete"),
            (lambda: None, "skipped"),
            (lambda: self.write(path, "one"), "complete"),
        ]:
            change()
            self.assertEqual(self.activated(peer)["a"]["status"], status)
        self.assertIn("a runs again: its input data has changed since it completed", self.logged(supervisor))

    def test_S30_the_files_that_have_changed_are_named_even_after_a_restart(self):
        directory = self.directory()
        os.mkdir(os.path.join(directory, "m"))
        files = [os.path.join(directory, f"m/{number}.sql") for number in range(3)]
        for path in files:
            self.write(path, "one")
        text = self.manifest("base: { command: 'true' }\na: { command: 'true', inputs: ['m/*.sql'], dependencies: [base] }")
        for change, reason in [
            (lambda: None, None),
            (lambda: self.write(files[1], "two"), "its input m/1.sql has changed since it completed"),
            (lambda: (os.remove(files[0]), self.write(files[2], "two")), "its inputs have changed since it completed: 2 files, e.g. m/0.sql"),
            (lambda: None, None),
            ("stale", "something that it depends on has run since it completed"),
        ]:
            if reason and change != "stale":
                change()
            supervisor = self.start(text, "--state-directory", os.path.join(directory, "state"), directory=directory)
            peer = supervisor.peer()
            peer.ok("wait", for_="launch")
            if change == "stale":
                peer.ok("rerun", initializers=["base"])
                peer.ok("wait", for_="launch")
                self.assertStatus(supervisor.ctl("shutdown"), 0)
                supervisor = self.start(text, "--state-directory", os.path.join(directory, "state"), directory=directory)
                supervisor.peer().ok("wait", for_="launch")
            log = self.logged(supervisor)
            if reason:
                self.assertIn(f"a runs again: {reason}\n", log)
            else:
                self.assertNotIn("a runs again", log)
            self.assertStatus(supervisor.ctl("shutdown"), 0)

    def test_S30_patterns_and_directories(self):
        directory = self.directory()
        for name in ["m/1.sql", "src/x/deep", "tool"]:
            os.makedirs(os.path.dirname(os.path.join(directory, name)), exist_ok=True)
            self.write(os.path.join(directory, name), name)
        supervisor = self.start_with(f"a: {{ command: '{RAN}', inputs: ['m/*.sql', src, ./tool], phase: active }}", directory=directory)
        peer = supervisor.peer()
        self.assertEqual(self.activated(peer)["a"]["status"], "complete")
        for change, status in [
            (lambda: self.write(os.path.join(directory, "m/other"), ""), "skipped"),
            (lambda: self.write(os.path.join(directory, "m/2.sql"), ""), "complete"),
            (lambda: os.remove(os.path.join(directory, "m/2.sql")), "complete"),
            (lambda: self.write(os.path.join(directory, "src/x/new"), ""), "complete"),
            (lambda: self.write(os.path.join(directory, "tool"), ""), "complete"),
            (lambda: None, "skipped"),
        ]:
            change()
            self.assertEqual(self.activated(peer)["a"]["status"], status)

    def test_S30_an_input_without_a_file_or_that_cannot_be_read_is_not_fresh(self):
        directory = self.directory()
        os.mkfifo(os.path.join(directory, "fifo"))
        for inputs, problem in [
            ("nothing", "no file matches its input nothing"), ("m/*.sql", "no file matches its input m/*.sql"),
            ("fifo", "cannot read its input fifo: it is a named pipe"),
        ]:
            with self.subTest(inputs):
                supervisor = self.start_with(f"a: {{ command: '{RAN}-{inputs[0]}', inputs: ['{inputs}'], phase: active }}", directory=directory)
                peer = supervisor.peer()
                for _ in range(2):
                    self.assertEqual(self.activated(peer)["a"]["status"], "complete")
                self.assertEqual(len(supervisor.lines(f"ran-{inputs[0]}")), 2)
                self.assertIn(f"cannot tell whether a is fresh: {problem}; it runs", self.logged(supervisor))
                supervisor.program.signal(signal.SIGTERM)
                supervisor.ended()

    def test_S30_the_loop_answers_while_a_large_input_is_read_and_a_change_meanwhile_counts(self):
        directory = self.directory()
        path = os.path.join(directory, "large")
        with open(path, "wb") as file:
            file.truncate(16 << 20)
        supervisor = self.start_with(f"a: {{ command: '{RAN}', inputs: [large], phase: active }}", directory=directory)
        peer = supervisor.peer()
        peer.ok("activate")
        with open(path, "r+b") as file:
            # The same bytes are written again until the file has been read.
            while peer.status()["initializers"][0]["status"] == "waiting":
                file.seek(0)
                file.write(b"\0")
                file.flush()
        self.assertEqual(peer.ok("wait")["state"], "complete")
        self.assertIn("its input large was changed while it was read; it runs", self.logged(supervisor))
        self.assertEqual(self.activated(peer)["a"]["status"], "complete", "what it ran with isn't known")

    def test_S30_the_supervisor_ends_while_a_large_input_is_read(self):
        directory = self.directory()
        with open(os.path.join(directory, "large"), "wb") as file:
            file.truncate(1 << 30)
        supervisor = self.start_with(f"a: {{ command: '{RAN}', inputs: [large] }}", directory=directory)
        peer = supervisor.peer()
        self.assertEqual(peer.status()["initializers"][0]["status"], "waiting")
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(supervisor.lines("ran"), [])

    def test_S30_outputs_of_dependencies_count_as_inputs(self):
        directory = self.directory()
        self.write(os.path.join(directory, "value"), "1")
        supervisor = self.start_with(
            f"""
            given: {{ command: 'cat value > "$INITD_OUTPUT"', phase: active }}
            a: {{ command: '{RAN}', freshFor: 1h, dependencies: [given], phase: active }}
            """, directory=directory)
        peer = supervisor.peer()
        for value, status in [("1", "complete"), ("1", "skipped"), ("2", "complete"), ("2", "skipped")]:
            self.write(os.path.join(directory, "value"), value)
            self.assertEqual(self.activated(peer)["a"]["status"], status)

    def test_S30_freshFor_bounds_it_in_time(self):
        supervisor = self.start_with(
            f"a: {{ command: '{RAN}', freshFor: 100ms, phase: active }}\nb: {{ command: '{RAN}', freshFor: 1h, phase: active }}")
        peer = supervisor.peer()
        self.assertEqual(self.activated(peer)["b"]["status"], "complete")
        shape = self.activated(peer)["b"]
        self.assertEqual((shape["status"], shape["skipped"]["message"]), ("skipped", "fresh: it completed less than 1 h ago"))
        until(lambda: self.activated(peer)["a"]["status"] == "complete", "it isn't fresh any more")
        self.assertEqual(peer.initializer("b")["status"], "skipped")
        self.assertIn("a runs again: it completed longer ago than its freshFor", self.logged(supervisor))

    def test_S26_S30_rerun_forces(self):
        directory = self.directory()
        self.write(os.path.join(directory, "data"), "")
        supervisor = self.start_with(f"a: {{ command: '{RAN}', inputs: [data], phase: active }}", directory=directory)
        peer = supervisor.peer()
        self.activated(peer)
        self.assertEqual(self.activated(peer)["a"]["status"], "skipped")
        self.assertStatus(supervisor.ctl("rerun", "a", "--wait"), 0)
        self.assertEqual(supervisor.lines("ran"), ["a", "a"])
        self.assertEqual(self.activated(peer)["a"]["status"], "skipped")

    def test_S30_a_failed_run_undoes_an_earlier_completion(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "data"), "good")
        supervisor = self.start_with(f"a: {{ command: '{RAN}; grep -q good data', inputs: [data], phase: active }}", directory=directory)
        peer = supervisor.peer()
        self.activated(peer)
        self.write(path, "bad")
        peer.ok("activate")
        self.assertEqual(peer.ok("wait")["state"], "failed")
        self.write(path, "good")
        self.assertEqual(self.activated(peer)["a"]["status"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["a", "a", "a"])

    def test_S30_with_a_state_directory_launch_is_fresh_after_a_kill_and_a_shutdown(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "data"), "1")
        initializers = f"""
            a: {{ command: '{RAN}; cat data > "$INITD_OUTPUT"', inputs: [data] }}
            b: {{ command: '{RAN}; echo "$INITD_INPUT_A" >> given', dependencies: [a], perProcess: true }}
            c: {{ command: '{RAN}', dependencies: [a] }}
            """
        for number, end in enumerate((self.killed, lambda each: (each.program.signal(signal.SIGTERM), each.ended())) * 2):
            supervisor = self.again(initializers, directory=directory)
            self.assertEqual(self.launched(supervisor)["state"], "complete")
            shapes = {each["name"]: each for each in supervisor.peer().status()["initializers"]}
            self.assertEqual(shapes["a"]["status"], "skipped" if number else "complete")
            self.assertFalse(shapes["c"].get("stale", False), "what is fresh makes nothing stale")
            if number:
                self.assertIn("1 launch initializer completed before, and runs again unless it is fresh: a", self.logged(supervisor))
            end(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "b", "c", "b", "b", "b"])
        self.assertEqual(supervisor.lines("given"), ["1"] * 4)
        self.write(path, "2")
        supervisor = self.again(initializers, directory=directory)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        shapes = {each["name"]: each for each in supervisor.peer().status()["initializers"]}
        self.assertEqual(supervisor.lines("ran")[-2:], ["a", "b"])
        self.assertEqual(supervisor.lines("given")[-1], "2")
        self.assertTrue(shapes["c"]["stale"], "it completed with the earlier output")

    def test_S30_a_completion_without_a_record_is_not_fresh(self):
        directory = self.directory()
        self.write(os.path.join(directory, "data"), "1")
        plain = f"a: {{ command: '{RAN}' }}"
        for initializers, reason in [
            (plain, None), (plain.replace(" }", ", inputs: [data] }"), "changed"), (plain.replace(" }", ", inputs: [dat*] }"), "changed"),
            (plain.replace(" }", ", inputs: [dat*], freshFor: 1h }"), "fresh"), (plain, "changed"), (plain.replace(" }", ", freshFor: 1h }"), "inputs"),
        ]:
            supervisor = self.again(initializers, "--no-launch", directory=directory)
            peer = supervisor.peer()
            shape = peer.status()["initializers"][0]
            self.assertEqual(shape.get("again", {}).get("reason"), None if reason == "fresh" else reason)
            peer.ok("launch")
            self.launched(supervisor)
            self.assertEqual(peer.status()["initializers"][0]["status"], "skipped" if reason == "fresh" else "complete")
            self.killed(supervisor)

    def test_S30_a_run_that_was_killed_with_the_supervisor_undoes_an_earlier_completion(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "data"), "1")
        initializers = f"a: {{ command: '{RAN}; grep -q 1 data || sleep 600', inputs: [data] }}"
        supervisor = self.again(initializers, directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        self.write(path, "2")
        supervisor = self.again(initializers, directory=directory)
        until(lambda: len(supervisor.lines("ran")) == 2, "a second run")
        self.killed(supervisor)
        self.write(path, "1")
        supervisor = self.again(initializers, directory=directory)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["a", "a", "a"])

    def test_S30_a_run_in_the_active_phase_replaces_what_launch_recorded(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "data"), "1")
        initializers = f"""
            a: {{ command: '{RAN}', inputs: [data], phase: active }}
            b: {{ command: 'true', dependencies: [a] }}
            """
        supervisor = self.again(initializers, directory=directory)
        self.launched(supervisor)
        self.write(path, "2")
        self.assertEqual(self.activated(supervisor.peer())["a"]["status"], "complete")
        self.killed(supervisor)
        self.write(path, "1")
        supervisor = self.again(initializers, directory=directory)
        self.launched(supervisor)
        self.assertEqual(self.activated(supervisor.peer())["a"]["status"], "complete")
        self.assertEqual(supervisor.lines("ran"), ["a", "a", "a"])

    def test_S30_damage_of_the_record_means_not_fresh(self):
        directory = self.directory()
        self.write(os.path.join(directory, "data"), "1")
        initializers = f"a: {{ command: '{RAN}', inputs: [data] }}"
        supervisor = self.again(initializers, directory=directory)
        self.launched(supervisor)
        self.killed(supervisor)
        record = os.path.join(directory, "state", "launched")
        with open(record, "rb") as file:
            whole = file.read()
        for place in range(0, len(whole), 7):
            with self.subTest(place=place):
                with open(record, "wb") as file:
                    file.write(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1:])
                before = len(supervisor.lines("ran"))
                supervisor = self.again(initializers, directory=directory)
                self.launched(supervisor)
                self.killed(supervisor)
                self.assertEqual(len(supervisor.lines("ran")), before + 1)

    def test_S24_S30_what_was_stopped_at_the_end_is_not_fresh_and_what_is_fresh_is_stopped(self):
        directory = self.directory()
        self.write(os.path.join(directory, "data"), "1")
        initializers = f"a: {{ command: '{RAN}', inputs: [data], stop: 'echo stop >> ran' }}"
        for end in [self.killed, lambda each: (each.program.signal(signal.SIGTERM), each.ended()), self.killed]:
            supervisor = self.again(initializers, directory=directory)
            self.launched(supervisor)
            end(supervisor)
        self.assertEqual(supervisor.lines("ran"), ["a", "stop", "a"])

    def test_S30_mistakes_are_found(self):
        for text, place, part in [
            ("command: [x], inputs: data", "2:44", "inputs: [migrations/*.sql]"),
            ("command: [x], inputs: []", "2:44", '"inputs" is empty'),
            ("command: [x], inputs: ['']", "2:45", "an input is empty"),
            ("command: [x], inputs: [[a]]", "2:45", "an input is a list"),
            ("command: [x], freshFor: 0s", "2:46", "more than 0"),
            ("command: [x], freshFor: soon", "2:46", "is not a duration"),
            ("command: [x], input: [a]", "2:36", 'did you mean "inputs"?'),
            ("waitFor: { path: x }, inputs: [a]", "2:44", "only for commands and workers"),
            ("waitFor: { path: x }, freshFor: 1s", "2:44", "only for commands and workers"),
            ("command: [x], once: fleet, inputs: [a]", "2:49", "both once and inputs"),
        ]:
            path = self.write(self.directory() + "/init.yaml", f"version: 1\ninitializers: {{ a: {{ {text} }} }}\n")
            checked = self.assertStatus(self.initd("--check", path), 65)
            self.assertIn(f"{path}:{place}: ", checked.err)
            self.assertIn(part, checked.err)

    def test_S30_check_strict_finds_inputs_without_files(self):
        path = self.write(self.directory() + "/init.yaml", "version: 1\ninitializers: { a: { command: [true], inputs: [init.yaml, '*.sql'] } }\n")
        self.assertIn("inputs: init.yaml, *.sql", self.assertStatus(self.initd("--check", path), 0).out)
        checked = self.assertStatus(self.initd("--check", path, "--strict"), 65)
        self.assertIn(f"{path}:2:59: a is never fresh: no file matches its input *.sql; correct the path", checked.err)


class AboveTests(StateCase):
    """What has completed before isn't complete for its dependents until launch has decided everything above it (S30)."""

    SERVERS = """
        version: 1
        cancelGrace: 2s
        concurrency: 4
        initializers:
          migrate: { command: "echo migrate >> order; until test -e gate; do sleep 0.01; done; echo migrated >> order; test ! -e broken", inputs: [m.sql] }
          seed: { command: "echo seed >> order", dependencies: [migrate] }
        workers:
          server: { command: "echo server >> order; echo > up; exec sleep 1000", ready: { path: up, every: 20ms }, dependencies: [seed], restart: always, backoff: { delay: PAUSE, maxDelay: PAUSE } }
          plain: { command: "echo plain >> order; exec sleep 1000", dependencies: [seed], restart: always, backoff: { delay: PAUSE, maxDelay: PAUSE } }
        """

    def begin(self, directory, backoff="10ms"):
        state = os.path.join(directory, "state")
        return self.start(textwrap.dedent(self.SERVERS).replace("PAUSE", backoff), "--state-directory", state, directory=directory)

    def launched_once(self):
        """The directory of a supervisor that has launched all, and has ended."""
        directory = self.directory()
        for name in ("gate", "m.sql"):
            self.write(os.path.join(directory, name), name)
        supervisor = self.begin(directory)
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.until_order(supervisor, ["migrate", "migrated", "seed", "plain", "server"])
        supervisor.peer().ok("shutdown")
        supervisor.ended()
        for name in ("gate", "order", "up"):
            os.unlink(os.path.join(directory, name))
        return directory

    def until_order(self, supervisor, expected):
        until(lambda: sorted(supervisor.lines("order")) == sorted(expected), f"{expected}, and not {supervisor.lines('order')}")

    def test_S30_a_server_starts_at_once_if_everything_above_it_is_fresh(self):
        supervisor = self.begin(self.launched_once())
        self.until_order(supervisor, ["plain", "server"])

    def test_S30_a_server_does_not_start_before_a_migration_above_it(self):
        directory = self.launched_once()
        self.write(os.path.join(directory, "m.sql"), "another")
        supervisor = self.begin(directory)
        peer = supervisor.peer()
        supervisor.until_lines("order")
        self.assertEqual(peer.initializer("seed")["status"], "complete")
        self.assertEqual(peer.initializer("server")["status"], "waiting")
        self.assertRegex(self.assertStatus(supervisor.ctl("why", "server"), 2).out, r"(?s)server waits for migrate.*migrate has been running")
        self.write(os.path.join(directory, "gate"), "")
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.until_order(supervisor, ["migrate", "migrated", "plain", "server"])
        self.assertEqual(supervisor.lines("order")[:2], ["migrate", "migrated"])
        self.assertEqual(peer.initializer("seed").get("stale"), True)

    def test_S30_a_server_does_not_start_after_a_migration_above_it_has_failed(self):
        directory = self.launched_once()
        for name in ("m.sql", "gate", "broken"):
            self.write(os.path.join(directory, name), "another")
        supervisor = self.begin(directory)
        peer = supervisor.peer()
        self.assertEqual(self.launched(supervisor)["state"], "failed")
        self.assertEqual(peer.initializer("server")["status"], "notRun")
        self.assertEqual(peer.initializer("server")["blockedBy"], "migrate")
        self.assertEqual([each for each in peer.status()["processes"] if "pid" in each], [])
        os.unlink(os.path.join(directory, "broken"))
        peer.ok("launch")
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.until_order(supervisor, ["migrate", "migrated"] * 2 + ["plain", "server"])
        self.assertEqual(supervisor.lines("order")[:4], ["migrate", "migrated"] * 2)

    def test_S30_a_request_does_not_start_a_server_before_a_migration_above_it(self):
        """The migration has failed, and the servers wait for their restarts; then launch is retried, which ends the waits."""
        directory = self.launched_once()
        supervisor = self.begin(directory, backoff="10m")
        peer = supervisor.peer()
        self.until_order(supervisor, ["plain", "server"])
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        for name in ("m.sql", "gate", "broken"):
            self.write(os.path.join(directory, name), "another")
        [number] = peer.ok("rerun", initializers=["migrate"])["passes"]
        self.assertEqual(peer.ok("wait", **{"pass": number})["state"], "failed")
        for name in ("broken", "gate", "up", "order"):
            os.unlink(os.path.join(directory, name))
        for each in peer.status()["processes"]:
            os.kill(each["pid"], signal.SIGKILL)
        until(lambda: all("nextStart" in each for each in peer.status()["processes"]), "the pauses")
        peer.ok("launch")
        supervisor.until_lines("order")
        self.assertEqual(supervisor.lines("order"), ["migrate"])
        self.write(os.path.join(directory, "gate"), "")
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        self.until_order(supervisor, ["migrate", "migrated", "plain", "server"])
        self.assertEqual(supervisor.lines("order")[:2], ["migrate", "migrated"])

    def test_S30_a_server_that_crashes_is_not_started_again_before_a_migration_above_it(self):
        directory = self.launched_once()
        supervisor = self.begin(directory)
        peer = supervisor.peer()
        self.until_order(supervisor, ["plain", "server"])
        self.assertEqual(self.launched(supervisor)["state"], "complete")
        pids = {each["name"]: each["pid"] for each in peer.status()["processes"]}
        self.write(os.path.join(directory, "m.sql"), "another")
        peer.ok("rerun", initializers=["migrate"])
        supervisor.until_lines("order", 3)
        os.unlink(os.path.join(directory, "up"))
        for pid in pids.values():
            os.kill(pid, signal.SIGKILL)
        until(lambda: not [each for each in peer.status()["processes"] if "pid" in each], "the ends")
        # Their restarts would be due by now.
        peer.refused(-32003, "wait", {"initializer": "server", "timeout": 0.3})
        self.assertEqual(sorted(supervisor.lines("order")), ["migrate", "plain", "server"])
        self.write(os.path.join(directory, "gate"), "")
        self.until_order(supervisor, ["migrate", "migrated"] + ["plain", "server"] * 2)
        self.assertEqual(supervisor.lines("order")[2:4], ["migrate", "migrated"])


if __name__ == "__main__":
    unittest.main()
