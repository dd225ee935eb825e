"""manifest.md: conditions (S29)."""

import os
import unittest

from supervisor import Conformance


class ConditionTests(Conformance):
    def launched(self, initializers, *arguments, **options):
        supervisor = self.start_with(initializers, *arguments, **options)
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        return supervisor, {each["name"]: each for each in peer.status()["initializers"]}

    def test_S29_env_must_be_set_and_the_reason_is_told(self):
        text = """
            a: { command: echo a >> order, when: { env: INITD_TEST_CI } }
            b: { command: echo b >> order, dependencies: [a] }
            """
        supervisor, shapes = self.launched(text)
        self.assertEqual(supervisor.lines("order"), ["b"])
        self.assertEqual((shapes["a"]["status"], shapes["a"]["skipped"]),
                         ("skipped", {"reason": "condition", "message": "INITD_TEST_CI is not set"}))
        self.assertIn("a skipped: INITD_TEST_CI is not set", self.logged(supervisor))
        supervisor = self.start_with(text.replace("INITD_TEST_CI", "CI_OF_TEST"), env={"CI_OF_TEST": "1"})
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.lines("order"), ["a", "b"])

    def test_S29_a_skip_is_logged_in_each_pass(self):
        supervisor, _ = self.launched("a: { command: 'true', when: { path: ./flag }, priority: appActive }")
        peer = supervisor.peer()
        for times in (1, 2, 3):
            peer.ok("activate")
            self.assertEqual(peer.ok("wait", for_="ready")["state"], "complete")
            self.assertEqual(self.logged(supervisor).count("a skipped: "), times)

    def logged(self, supervisor) -> str:
        supervisor.program.pump()
        return supervisor.program.err.decode()

    def test_S29_env_with_a_value_is_compared_in_the_environment_of_the_command(self):
        supervisor, shapes = self.launched(
            """
            a: { command: echo a >> order, when: { env: "STAGE=prod" }, environment: { STAGE: prod } }
            b: { command: echo b >> order, when: { env: "STAGE=prod" }, environment: { STAGE: secret } }
            c: { command: echo c >> order, when: { env: "STAGE=" }, environment: { STAGE: "" } }
            """
        )
        self.assertEqual(supervisor.lines("order"), ["a", "c"])
        self.assertEqual(shapes["b"]["skipped"]["message"], 'STAGE is not "prod"')

    def test_S29_files_exist_or_are_missing_when_its_turn_comes(self):
        supervisor, shapes = self.launched(
            """
            makes: { command: touch seed.sql }
            seed: { command: echo seed >> order, when: { path: ./seed.sql }, dependencies: [makes] }
            init: { command: echo init >> order, when: { missing: seed.sql }, dependencies: [makes] }
            fresh: { command: echo fresh >> order, when: { missing: data/PG_VERSION } }
            never: { command: echo never >> order, when: { path: nothing } }
            """
        )
        self.assertEqual(supervisor.lines("order"), ["seed", "fresh"])
        self.assertEqual(shapes["init"]["skipped"]["message"], supervisor.file("seed.sql") + " exists")
        self.assertEqual(shapes["never"]["skipped"]["message"], supervisor.file("nothing") + " doesn't exist")

    def test_S29_all_that_stand_there_must_hold(self):
        supervisor, shapes = self.launched(
            """
            a: { command: echo a >> order, when: { env: HOME, path: ., missing: x } }
            b: { command: echo b >> order, when: { env: HOME, path: ., missing: init.yaml } }
            """
        )
        self.assertEqual(supervisor.lines("order"), ["a"])
        self.assertEqual(shapes["b"]["status"], "skipped")

    def test_S29_a_condition_is_checked_again_at_each_activation(self):
        supervisor = self.start_with("a: { command: echo a >> order, priority: appActive, when: { path: go } }")
        peer = supervisor.peer()
        for expected in ([], ["a"]):
            peer.ok("activate")
            self.assertEqual(peer.ok("wait")["state"], "complete")
            self.assertEqual(supervisor.lines("order"), expected)
            self.write(supervisor.file("go"), "")
        shape = peer.status()["initializers"][0]
        self.assertEqual(shape["status"], "complete")
        self.assertNotIn("skipped", shape)

    def test_S20_S29_a_skipped_initializer_needs_no_worker(self):
        _, shapes = self.launched("w: { worker: true, when: { path: nothing } }")
        self.assertEqual(shapes["w"]["status"], "skipped")

    def test_S29_why_wait_and_status_say_it(self):
        supervisor, _ = self.launched("a: { command: x, when: { env: UNSET_HERE } }")
        self.assertIn("UNSET_HERE is not set", self.assertStatus(supervisor.ctl("why", "a"), 0).out)
        self.assertRegex(self.assertStatus(supervisor.ctl("status"), 0).out, "a +skipped.*UNSET_HERE is not set")
        self.assertStatus(supervisor.ctl("wait", "a", "--timeout", "5s"), 0)
        self.assertEqual(supervisor.peer().last_pass()["runs"], [])

    def test_S29_mistakes_are_found(self):
        for text, place, part in [
            ("{}", "2:42", "no condition"),
            ("{ enw: CI }", "2:44", 'did you mean "env"?'),
            ("{ env: =x }", "2:49", "no variable"),
            ("{ path: '' }", "2:50", "empty"),
            ("often", "2:42", "when: { env: CI }"),
        ]:
            path = self.write(self.directory() + "/init.yaml", f"version: 1\ninitializers: {{ a: {{ command: [x], when: {text} }} }}\n")
            checked = self.assertStatus(self.initd("--check", path), 65)
            self.assertIn(f"{path}:{place}: ", checked.err)
            self.assertIn(part, checked.err)


if __name__ == "__main__":
    unittest.main()
