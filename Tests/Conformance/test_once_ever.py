"""everyday.md "Done once" (S37): `once: ever` over two boots, and `unless`."""

import json
import os
import random
import shutil
import time

from deadlines import until
from state import RAN, StateCase

SEED = 20261129


class OnceCase(StateCase):
    def rebooted(self, directory):
        """Makes the records of this boot those of an earlier one."""
        path = os.path.join(directory, "state", "launched")
        with open(path, "rb") as file:
            header, _, rest = file.read().partition(b"\n")
        text = json.dumps({**json.loads(header.split(b" ", 1)[1]), "boot": "another"}, separators=(",", ":")).encode()
        checksum = self.checksum(text)
        self.assertEqual(header.split(b" ", 1)[0], self.checksum(header.split(b" ", 1)[1]), "the checksum of a line")
        with open(path, "wb") as file:
            file.write(checksum + b" " + text + b"\n" + rest)

    def checksum(self, text):
        """FNV-1a with 64 bits, as the state files have it."""
        value = 0xCBF29CE484222325
        for byte in text:
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return b"%016x" % value

    def launch(self, initializers, directory, *arguments):
        """A supervisor that has launched; returns it with the names that ran."""
        ran = os.path.join(directory, "ran")
        if os.path.exists(ran):
            os.unlink(ran)
        supervisor = self.again(initializers, *arguments, directory=directory)
        self.launched(supervisor)
        return supervisor, self.ran(supervisor)

    def ran(self, supervisor):
        path = supervisor.file("ran")
        return supervisor.text("ran").split() if os.path.exists(path) else []

    def end(self, supervisor):
        supervisor.peer().ok("shutdown")
        supervisor.ended()

    def twice(self, initializers, between=lambda directory: None, second=None):
        """What runs at a second boot."""
        directory = self.directory()
        supervisor, _ = self.launch(initializers, directory)
        self.end(supervisor)
        self.rebooted(directory)
        between(directory)
        return self.launch(second or initializers, directory)[1]

    def recorded(self, supervisor, count):
        """Waits until this many completions are on the disk."""
        supervisor.until_lines("state/ever", 1 + count)

    def copied(self, directory):
        """Puts a copy in the place of the state directory."""
        state = os.path.join(directory, "state")
        os.rename(state, state + ".moved")
        shutil.copytree(state + ".moved", state)
        return state

    def file_with(self, name, text):
        directory = self.directory()
        self.write(os.path.join(directory, name), text)
        return directory

    def boot(self, initializers, directory):
        """What runs at a boot at which nothing else has changed, and ends again."""
        supervisor, ran = self.launch(initializers, directory)
        self.end(supervisor)
        self.rebooted(directory)
        return ran

    def again_at_boot(self, between):
        """Whether one that is done once runs again after something has happened between two boots."""
        return self.twice(f"once: {{ command: '{RAN}', once: ever }}", between) == ["once"]


class EverTests(OnceCase):
    def test_a_completion_counts_over_restarts_of_the_system_and_others_run(self):
        initializers = f"once: {{ command: '{RAN}', once: ever }}\nother: {{ command: '{RAN}' }}"
        self.assertEqual(self.twice(initializers), ["other"])

    def test_its_output_counts_too(self):
        initializers = """
            once: { command: 'echo once >> ran; echo 42 > $INITD_OUTPUT', once: ever }
            taker: { command: 'echo $INITD_INPUT_ONCE >> ran', dependencies: [once] }
            """
        self.assertEqual(self.twice(initializers), ["42"])

    def test_another_definition_runs_again(self):
        self.assertEqual(
            self.twice(f"once: {{ command: '{RAN}', once: ever }}", second=f"once: {{ command: '{RAN};', once: ever }}"), ["once"])

    def test_other_contents_of_its_inputs_make_it_run_again(self):
        initializers = f"once: {{ command: '{RAN}', once: ever, inputs: [schema] }}"
        directory = self.file_with("schema", "1")
        self.assertEqual([self.boot(initializers, directory) for _ in range(2)], [["once"], []])
        self.write(os.path.join(directory, "schema"), "2")
        self.assertEqual(self.boot(initializers, directory), ["once"])

    def test_another_list_of_dependencies_makes_it_run_again(self):
        one = f"base: {{ command: 'true' }}\nonce: {{ command: '{RAN}', once: ever }}"
        two = f"base: {{ command: 'true' }}\nonce: {{ command: '{RAN}', once: ever, dependencies: [base] }}"
        self.assertEqual(self.twice(one, second=two), ["once"])

    def test_another_output_that_it_takes_makes_it_run_again_and_the_same_one_does_not(self):
        initializers = f"base: {{ command: 'cat value > $INITD_OUTPUT' }}\nonce: {{ command: '{RAN}', once: ever, dependencies: [base] }}"
        directory = self.file_with("value", "1")
        # At the second boot, the dependency runs again with the same output.
        self.assertEqual([self.boot(initializers, directory) for _ in range(2)], [["once"], []])
        self.write(os.path.join(directory, "value"), "2")
        self.assertEqual(self.boot(initializers, directory), ["once"])

    def test_a_rerun_runs_it_and_counts_as_the_completion(self):
        initializers = f"once: {{ command: '{RAN}', once: ever }}"
        directory = self.directory()
        supervisor, _ = self.launch(initializers, directory)
        self.assertEqual(supervisor.ctl("rerun", "once", "--wait").status, 0)
        self.assertEqual(self.ran(supervisor), ["once", "once"])
        self.end(supervisor)
        self.rebooted(directory)
        self.assertEqual(self.launch(initializers, directory)[1], [])

    def test_a_rerun_that_fails_undoes_it(self):
        initializers = f"once: {{ command: '{RAN}; test ! -e bad', once: ever }}"
        directory = self.directory()
        supervisor, _ = self.launch(initializers, directory)
        self.recorded(supervisor, 1)
        self.write(supervisor.file("bad"), "")
        self.assertNotEqual(supervisor.ctl("rerun", "once", "--wait").status, 0)
        self.end(supervisor)
        os.unlink(os.path.join(directory, "bad"))
        self.rebooted(directory)
        self.assertEqual(self.launch(initializers, directory)[1], ["once"])

    def test_a_record_of_another_machine_does_not_count(self):
        self.assertTrue(self.again_at_boot(self.copied))

    def test_an_adopted_copy_counts(self):
        def adopted(directory):
            done = self.initctl("state", "adopt", self.copied(directory))
            self.assertEqual((done.status, done.err), (0, ""))

        self.assertFalse(self.again_at_boot(adopted))

    def test_adopt_refuses_what_is_no_state_directory(self):
        adopted = self.initctl("state", "adopt", self.directory())
        self.assertEqual(adopted.status, 1)
        self.assertIn("has no records of what is done once", adopted.err)

    def test_a_damaged_record_does_not_count(self):
        def damaged(directory):
            path = os.path.join(directory, "state", "ever")
            with open(path, "r+b") as file:
                data = bytearray(file.read())
                data[-5] ^= 1
                file.seek(0)
                file.write(data)

        self.assertTrue(self.again_at_boot(damaged))

    def test_fresh_for_runs_out_by_the_wall_clock(self):
        def later(hours, keys=("seen", "completed")):
            def change(directory):
                path = os.path.join(directory, "state", "ever")
                with open(path, "rb") as file:
                    lines = file.read().split(b"\n")[:-1]
                changed = []
                for line in lines:
                    value = json.loads(line.split(b" ", 1)[1])
                    for key in keys:
                        if key in value:
                            value[key] -= hours * 3_600_000
                    text = json.dumps(value, separators=(",", ":")).encode()
                    changed.append(self.checksum(text) + b" " + text + b"\n")
                with open(path, "wb") as file:
                    file.write(b"".join(changed))
            return change

        initializers = f"once: {{ command: '{RAN}', once: ever, freshFor: 2h }}"
        self.assertEqual(self.twice(initializers, later(1)), [])
        self.assertEqual(self.twice(initializers, later(3)), ["once"])
        self.assertEqual(self.twice(initializers, later(-3)), ["once"], "it completed in the future")
        self.assertEqual(self.twice(initializers, later(-3, ["seen"])), ["once"], "the clock was set back")

    def test_without_a_state_directory_the_log_says_that_it_has_no_effect(self):
        supervisor = self.start_with("once: { command: 'true', once: ever }")
        supervisor.peer().ok("wait", for_="launch")
        supervisor.program.until_err("once: ever of once has no effect without a state directory")

    def test_its_stop_runs_before_a_rerun_and_not_at_the_shutdown(self):
        initializers = f"once: {{ command: '{RAN}', stop: 'echo undone >> ran', once: ever }}"
        directory = self.directory()
        supervisor, _ = self.launch(initializers, directory)
        self.assertEqual(supervisor.ctl("rerun", "once", "--wait").status, 0)
        self.end(supervisor)
        self.assertEqual(self.ran(supervisor), ["once", "undone", "once"])

    def test_mistakes(self):
        for entry in ["perProcess: true, command: x", "secret: true, command: x", "phase: active, command: x", "worker: true", "waitFor: { path: /x }"]:
            path = self.write(os.path.join(self.directory(), "init.yaml"), f"version: 1\ninitializers:\n  a: {{ {entry}, once: ever }}\n")
            checked = self.initctl("check", path)
            self.assertEqual(checked.status, 65, entry)
            self.assertIn("init.yaml:3:", checked.err)

    def test_a_completion_that_was_not_on_the_disk_yet_is_recorded_by_the_next_supervisor(self):
        initializers = f"once: {{ command: '{RAN}', once: ever }}"
        directory = self.directory()
        supervisor, _ = self.launch(initializers, directory)
        self.recorded(supervisor, 1)
        self.killed(supervisor)
        os.unlink(supervisor.file("state/ever"))
        supervisor, ran = self.launch(initializers, directory)
        self.assertEqual(ran, [])
        self.recorded(supervisor, 1)

    def test_killed_at_any_instant_nothing_counts_that_has_not_run(self):
        chance = random.Random(SEED)
        initializers = "".join(
            f"n{number}: {{ command: 'echo x > made{number}', once: ever{f', dependencies: [n{number - 1}]' if number else ''} }}\n" for number in range(6))
        for _ in range(20):
            directory = self.directory()
            supervisor = self.again(initializers, directory=directory)
            time.sleep(chance.random() / 25)
            self.killed(supervisor)
            if os.path.exists(os.path.join(directory, "state", "launched")):
                self.rebooted(directory)
            supervisor, _ = self.launch(initializers, directory)
            for number in range(6):
                self.assertTrue(os.path.exists(os.path.join(directory, f"made{number}")), f"n{number} counts, but hasn't run")
            self.end(supervisor)


class UnlessTests(OnceCase):
    def shape(self, supervisor, name):
        return next(each for each in supervisor.peer().ok("status")["initializers"] if each["name"] == name)

    def test_status_0_means_already_done_and_dependents_continue(self):
        supervisor = self.start_with(
            f"seed: {{ command: '{RAN}', unless: {{ command: ['true'] }} }}\nnext: {{ command: '{RAN}', dependencies: [seed] }}")
        supervisor.peer().ok("wait", for_="launch")
        seed = self.shape(supervisor, "seed")
        self.assertEqual((seed["status"], seed["skipped"]["message"]), ("skipped", "already done"))
        self.assertEqual(self.ran(supervisor), ["next"])

    def test_anything_else_runs_it(self):
        for command in ["['false']", "[/nowhere]", "'kill -9 $$'"]:
            supervisor = self.start_with(f"seed: {{ command: '{RAN}', unless: {{ command: {command} }} }}")
            supervisor.peer().ok("wait", for_="launch")
            self.assertEqual(self.ran(supervisor), ["seed"], command)
            self.end(supervisor)

    def test_a_check_that_hangs_is_killed_and_it_runs(self):
        supervisor = self.start_with(f"seed: {{ command: '{RAN}', unless: {{ command: 'echo $$ > pid; exec sleep 600', timeout: 100ms }} }}")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.ran(supervisor), ["seed"])
        pid = int(supervisor.text("pid"))
        until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the check")

    def test_a_check_is_killed_when_its_pass_is_cancelled(self):
        supervisor = self.start_with(
            f"seed: {{ command: '{RAN}', phase: active, unless: {{ command: 'echo $$ > pid; exec sleep 600', timeout: 10m }} }}", "--activate")
        until(lambda: os.path.exists(supervisor.file("pid")) and supervisor.text("pid"), "the check")
        pid = int(supervisor.text("pid"))
        supervisor.peer().ok("deactivate")
        until(lambda: not os.path.exists(f"/proc/{pid}"), "the end of the check")
        self.assertEqual(self.ran(supervisor), [])

    def test_it_runs_as_the_command_would(self):
        supervisor = self.start_with(
            """
            pick: { command: 'echo 42 > $INITD_OUTPUT' }
            seed: { command: 'false', environment: { A: "${outputs.pick}" }, workingDirectory: sub, dependencies: [pick], unless: { command: 'test "$A $INITD_INPUT_PICK $(basename $PWD)" = "42 42 sub"' } }
            """, directory=self.with_folder("sub"))
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(self.shape(supervisor, "seed")["status"], "skipped")

    def with_folder(self, name):
        directory = self.directory()
        os.mkdir(os.path.join(directory, name))
        return directory

    def test_it_is_asked_also_of_what_a_state_directory_remembers(self):
        initializers = f"seed: {{ command: '{RAN}; touch there', unless: {{ command: [test, -e, there] }} }}"
        directory = self.directory()
        supervisor, ran = self.launch(initializers, directory)
        self.assertEqual(ran, ["seed"])
        self.end(supervisor)
        supervisor, ran = self.launch(initializers, directory)
        self.assertEqual(ran, [])
        self.end(supervisor)
        os.unlink(os.path.join(directory, "there"))
        self.assertEqual(self.launch(initializers, directory)[1], ["seed"])

    def test_a_rerun_does_not_ask_it(self):
        supervisor = self.start_with(f"seed: {{ command: '{RAN}', unless: {{ command: ['true'] }} }}")
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.ctl("rerun", "seed", "--wait").status, 0)
        self.assertEqual(self.ran(supervisor), ["seed"])

    def test_mistakes(self):
        for entry in ["worker: true, unless: { command: x }", "waitFor: { path: /x }, unless: { command: x }", "command: x, unless: {}", "command: x, unless: { command: [] }"]:
            path = self.write(os.path.join(self.directory(), "init.yaml"), f"version: 1\ninitializers:\n  a: {{ {entry} }}\n")
            checked = self.initctl("check", path)
            self.assertEqual(checked.status, 65, entry)
            self.assertIn("init.yaml:3:", checked.err)
