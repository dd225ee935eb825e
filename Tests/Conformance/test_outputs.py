"""Outputs for dependents: INITD_OUTPUT, INITD_INPUT_…, a worker's `output` and `params.inputs`."""

import json
import os
import signal

from supervisor import Conformance

TELL = "env | grep ^INITD_INPUT_ | sort > seen-$INITD_INITIALIZER; true"


class CommandTests(Conformance):
    def launched(self, initializers, *arguments):
        """A supervisor whose launch has ended, and the final state."""
        supervisor = self.start_with(initializers, *arguments)
        return supervisor, supervisor.peer().ok("wait", for_="launch")

    def test_a_commands_output_is_in_its_dependents_environment(self):
        supervisor, state = self.launched(
            f"""
            pick-port: {{ command: 'echo 8080 > "$INITD_OUTPUT"' }}
            db.url/main: {{ command: "printf '{{\\"host\\": \\"é\\"}}' > $INITD_OUTPUT" }}
            serve: {{ command: "{TELL}", dependencies: [pick-port, db.url/main] }}
            """
        )
        self.assertEqual(state["state"], "complete", state)
        self.assertEqual(
            supervisor.lines("seen-serve"),
            [
                'INITD_INPUT_DB_URL_MAIN={"host": "é"}',
                'INITD_INPUT_DB_URL_MAIN_JSON={"host": "é"}',
                "INITD_INPUT_PICK_PORT=8080",
                "INITD_INPUT_PICK_PORT_JSON=8080",
            ],
        )

    def test_S25_plain_text_is_a_string_and_a_strings_text_is_given_without_quotes(self):
        texts = {"a": "postgres://é/db\n", "b": "two\nlines\n\n", "c": "\n", "d": '"in \\"quotes\\""\n', "e": "1 2", "f": "{not: json}"}
        given = {"a": "postgres://é/db", "b": "two\nlines\n", "c": "", "d": 'in "quotes"', "e": "1 2", "f": "{not: json}"}
        directory = self.directory()
        for name, text in texts.items():
            self.write(os.path.join(directory, name), text)
        lines = "".join(f"{name}: {{ command: 'cat {name} > \"$INITD_OUTPUT\"' }}\n" for name in texts)
        lines += f"shell: {{ command: 'env -0 > seen', dependencies: [{', '.join(texts)}] }}\n"
        lines += f"worker: {{ worker: true, dependencies: [{', '.join(texts)}] }}\n"
        supervisor = self.start(self.manifest(lines), directory=directory)
        worker = supervisor.worker("worker")
        run = worker.expect_run("worker")
        self.assertEqual(run.params["inputs"], given)
        variables = dict(each.split("=", 1) for each in supervisor.text("seen").split("\0") if each)
        for name, text in given.items():
            self.assertEqual(variables[f"INITD_INPUT_{name.upper()}"], text)
            self.assertEqual(json.loads(variables[f"INITD_INPUT_{name.upper()}_JSON"]), text)

    def test_S25_text_with_a_nul_is_only_for_workers_and_a_command_that_would_get_it_fails(self):
        supervisor = self.start_with(f'a: {{ worker: true }}\nb: {{ command: "{TELL}", dependencies: [a] }}')
        worker = supervisor.worker("a")
        worker.send(id=worker.expect_run("a").id, result={"output": "x\0y"})
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="b")
        self.assertIn("the output of a", error["cause"]["message"])
        self.assertIn("NUL", error["cause"]["message"])
        self.assertEqual(supervisor.text("seen-b"), "")

    def test_only_outputs_of_direct_dependencies_are_passed_on(self):
        supervisor, state = self.launched(
            f"""
            a: {{ command: 'echo 1 > "$INITD_OUTPUT"' }}
            b: {{ command: "{TELL}", dependencies: [a] }}
            c: {{ command: "{TELL}", dependencies: [b] }}
            """
        )
        self.assertEqual(state["state"], "complete")
        self.assertEqual(supervisor.lines("seen-b"), ["INITD_INPUT_A=1", "INITD_INPUT_A_JSON=1"])
        self.assertEqual(supervisor.text("seen-c"), "")

    def test_S25_launch_outputs_are_passed_on_at_every_activation_and_active_ones_only_in_their_pass(self):
        supervisor, _ = self.launched(
            f"""
            a: {{ command: 'echo 1 > "$INITD_OUTPUT"' }}
            b: {{ command: 'echo "$INITD_PASS" > "$INITD_OUTPUT"', priority: appActive }}
            c: {{ command: "{TELL}", dependencies: [a, b], priority: appActive }}
            """
        )
        peer = supervisor.peer()
        for number in (2, 3):
            peer.ok("activate")
            peer.ok("wait", pass_=number)
            self.assertEqual(
                supervisor.lines("seen-c"),
                ["INITD_INPUT_A=1", "INITD_INPUT_A_JSON=1", f"INITD_INPUT_B={number}", f"INITD_INPUT_B_JSON={number}"],
            )
            peer.ok("deactivate", wait=True)

    def test_S25_an_active_initializers_output_from_launch_isnt_passed_on_in_an_active_pass(self):
        supervisor, state = self.launched(
            f"""
            b: {{ command: 'if test $INITD_PHASE = launch; then echo 1 > "$INITD_OUTPUT"; fi', priority: appActive }}
            l: {{ command: "{TELL}", dependencies: [b] }}
            c: {{ command: "{TELL}", dependencies: [b], priority: appActive }}
            """
        )
        self.assertEqual(state["state"], "complete", state)
        self.assertEqual(supervisor.lines("seen-l"), ["INITD_INPUT_B=1", "INITD_INPUT_B_JSON=1"])
        peer = supervisor.peer()
        peer.ok("activate")
        peer.ok("wait", pass_=2)
        self.assertEqual(supervisor.text("seen-c"), "")

    def test_a_missing_or_empty_file_is_no_output(self):
        supervisor, state = self.launched(
            f"""
            a: {{ command: "true" }}
            b: {{ command: ': > "$INITD_OUTPUT"' }}
            c: {{ command: "{TELL}", dependencies: [a, b] }}
            """
        )
        self.assertEqual(state["state"], "complete")
        self.assertEqual(supervisor.text("seen-c"), "")

    def test_an_invalid_output_fails_the_run_with_a_remedy(self):
        large = "x" * 65535
        for text, told in ((b"caf\xe9\n", "UTF-8"), (b"[" * 40 + b"]" * 40, "deep"), (f'"{large}"'.encode(), "65536"), (large.encode(), "65536")):
            with self.subTest(text[:10]):
                directory = self.directory()
                with open(os.path.join(directory, "text"), "wb") as file:
                    file.write(text)
                supervisor = self.start(self.manifest('a: { command: "cat text > $INITD_OUTPUT" }'), directory=directory)
                error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="a")
                self.assertEqual(error["cause"]["kind"], "error")
                self.assertIn("INITD_OUTPUT", error["cause"]["message"])
                self.assertIn(told, error["cause"]["message"])
                self.assertIn(";", error["cause"]["message"])

    def test_an_output_that_isnt_a_file_fails_the_run(self):
        for make in ("mkdir $INITD_OUTPUT", "ln -s /etc/passwd $INITD_OUTPUT", "mkfifo $INITD_OUTPUT"):
            with self.subTest(make):
                supervisor, state = self.launched(f"a: {{ command: '{make}' }}")
                error = self.failed(state, "initializerFailed", initializer="a")
                self.assertIn("not a regular file", error["cause"]["message"])

    def test_the_output_of_a_failed_attempt_is_dropped(self):
        supervisor, state = self.launched(
            f"""
            a:
              command: 'test -e $INITD_OUTPUT && exit 9; if test $INITD_ATTEMPT = 1; then echo 1 > $INITD_OUTPUT; exit 1; fi'
              retry: {{ attempts: 2, delay: 0 }}
            b: {{ command: "{TELL}", dependencies: [a] }}
            """
        )
        self.assertEqual(state["state"], "complete", state)
        self.assertEqual(supervisor.text("seen-b"), "")

    def test_nothing_is_left_behind(self):
        parent = self.directory()
        supervisor = self.start_with(
            """
            a: { command: 'echo 1 > "$INITD_OUTPUT"; (sleep 0.1; echo 2 > "$INITD_OUTPUT"; touch late) & true' }
            b: { command: 'dirname "$INITD_OUTPUT" > place; echo 3 > "$INITD_OUTPUT"; exit 1', dependencies: [a] }
            """,
            env={"XDG_RUNTIME_DIR": parent},
        )
        supervisor.peer().ok("wait", for_="launch")
        [place] = supervisor.until_lines("place")
        self.assertEqual(os.stat(place).st_mode & 0o777, 0o700)
        self.assertFalse([name for name in os.listdir(place) if name == "output-2"], "what the failed one wrote")
        supervisor.peer().ok("shutdown")
        supervisor.ended()
        self.assertFalse(os.path.exists(place))

    CLASHES = ((["a-b", "a.b"], "INITD_INPUT_A_B"), (["A_b", "x", "a_B"], "INITD_INPUT_A_B"), (["a", "a-json"], "INITD_INPUT_A_JSON"))

    def test_S25_dependencies_that_would_share_a_variable_are_an_error_of_check(self):
        for names, variable in self.CLASHES:
            for kind in ("command: env", "worker: true"):
                with self.subTest(names, kind=kind):
                    path = os.path.join(self.directory(), "init.yaml")
                    declared = "".join(f"  {name}: {{ command: 'true' }}\n" for name in names)
                    self.write(path, f"version: 1\ninitializers:\n{declared}  d: {{ {kind}, dependencies: [{', '.join(names)}] }}\n")
                    finished = self.assertStatus(self.initctl("check", path), 65)
                    [line] = finished.err.splitlines()
                    self.assertRegex(line, f":{len(names) + 3}:[0-9]+: .*{variable}; rename one")
                    self.assertIn(f'"{names[0]}" and "{names[-1]}"', line)
                    self.assertStatus(self.initd("--config", path, "--socket", path + ".sock"), 65)

    def test_S25_dependencies_that_would_share_a_variable_are_refused_at_registration(self):
        supervisor = self.start_fast()
        peer = supervisor.peer()
        for names, variable in self.CLASHES:
            with self.subTest(names):
                params = {"initializers": [{"name": "c"}, {"name": "d", "dependencies": names}]}
                error = peer.refused(-32602, "register", params, f"params.initializers[1].dependencies[{len(names) - 1}]")
                self.assertIn(variable, error["message"])
                dependencies = [word for name in names for word in ("--dependency", name)]
                finished = self.assertStatus(supervisor.ctl("worker", "d", *dependencies, "--", "true"), 64)
                self.assertIn(variable, finished.err)
        self.assertEqual(peer.status()["initializers"], [])

    def test_the_environment_around_the_supervisor_doesnt_leak_in(self):
        supervisor = self.start_with(f'a: {{ command: "{TELL}" }}', env={"INITD_INPUT_A": "forged", "INITD_OUTPUT": "/nowhere/x"})
        supervisor.peer().ok("wait", for_="launch")
        self.assertEqual(supervisor.text("seen-a"), "")


class WorkerTests(Conformance):
    def test_a_worker_passes_on_and_gets_outputs(self):
        supervisor = self.start_fast()
        worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]}, {"name": "c", "dependencies": ["a", "b"]})
        first = worker.expect_run("a")
        self.assertNotIn("inputs", first.params)
        handed = {"url": "http://x/é\n", "list": [1, 2.5, None, True], "n": 12345678901234567890}
        worker.send(id=first.id, result={"output": handed})
        second = worker.expect_run("b")
        self.assertEqual(second.params["inputs"], {"a": handed})
        worker.send(id=second.id, result={"output": None})
        third = worker.expect_run("c")
        self.assertEqual(third.params["inputs"], {"a": handed, "b": None})
        third.succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def test_S25_an_active_worker_gets_launch_outputs_at_every_activation_until_their_name_is_removed(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a", {"name": "z", "dependencies": ["a"], "priority": "appActive"})
        worker.send(id=worker.expect_run("a").id, result={"output": 1})
        run = worker.expect_run("z")
        self.assertEqual(run.params["inputs"], {"a": 1})
        run.succeed()
        peer = supervisor.peer()
        peer.ok("wait", for_="active")
        peer.ok("deactivate", wait=True)
        peer.ok("activate")
        run = worker.expect_run("z")
        self.assertEqual(run.params["inputs"], {"a": 1})
        run.succeed()
        peer.ok("wait", for_="active")
        worker.ok("unregister", names=["a"])
        worker.ok("register", initializers=[{"name": "a"}])
        worker.expect_run("a").succeed()
        peer.ok("activate")
        self.assertNotIn("inputs", worker.expect_run("z").params)

    def test_between_commands_and_workers(self):
        supervisor = self.start_with(
            f"""
            a: {{ command: 'echo "[1, 2]" > "$INITD_OUTPUT"' }}
            b: {{ worker: true, dependencies: [a] }}
            c: {{ command: "{TELL}", dependencies: [b] }}
            """
        )
        worker = supervisor.worker("b")
        run = worker.expect_run("b")
        self.assertEqual(run.params["inputs"], {"a": [1, 2]})
        worker.send(id=run.id, result={"output": "text"})
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        self.assertEqual(supervisor.lines("seen-c"), ["INITD_INPUT_B=text", 'INITD_INPUT_B_JSON="text"'])

    def test_the_output_of_a_cancelled_run_is_dropped(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker(
            {"name": "a", "priority": "appActive"}, {"name": "b", "priority": "appActive", "dependencies": ["a"]}
        )
        run = worker.expect_run("a")
        peer = supervisor.peer()
        peer.ok("deactivate")
        run.expect_cancel("deactivated")
        worker.send(id=run.id, result={"output": "old"})
        peer.ok("activate")
        worker.expect_run("a").succeed()
        self.assertNotIn("inputs", worker.expect_run("b").params)

    def test_the_output_of_a_timed_out_attempt_is_dropped(self):
        supervisor = self.start_fast()
        worker = supervisor.worker({"name": "a", "timeout": 0.05, "retry": {"attempts": 2, "delay": 0}}, {"name": "b", "dependencies": ["a"]})
        late = worker.expect_run("a").expect_cancel("timeout")
        worker.send(id=late.id, result={"output": "late"})
        worker.expect_run("a").succeed()
        self.assertNotIn("inputs", worker.expect_run("b").params)

    def test_an_output_that_is_too_large_or_too_deep_fails_the_run(self):
        deep: object = 1
        for _ in range(30):
            deep = [deep]
        for output, told in (("x" * 65536, "65536"), (deep, "deep")):
            with self.subTest(told):
                supervisor = self.start_fast()
                worker = supervisor.worker("a")
                worker.send(id=worker.expect_run("a").id, result={"output": output})
                error = self.failed(supervisor.peer().ok("wait", for_="launch"), "initializerFailed", initializer="a")
                self.assertIn(told, error["cause"]["message"])

    def test_an_output_at_the_limit_is_passed_on(self):
        deep: object = 1
        for _ in range(29):
            deep = [deep]
        for output in ("x" * 65534, deep):
            supervisor = self.start_fast()
            worker = supervisor.worker("a", {"name": "b", "dependencies": ["a"]})
            worker.send(id=worker.expect_run("a").id, result={"output": output})
            self.assertEqual(worker.expect_run("b").params["inputs"], {"a": output})

    def test_initctl_worker_passes_on_and_gets_outputs(self):
        supervisor = self.start_fast()
        words = ["worker", "b", "--dependency", "a", "--dependency", "t", "--"]
        supervisor.start_ctl(*words, "/bin/sh", "-c", TELL + "; echo five, or so > $INITD_OUTPUT", cwd=supervisor.directory)
        worker = supervisor.worker("a", "t", {"name": "c", "dependencies": ["b"]})
        worker.send(id=worker.expect_run("a").id, result={"output": {"k": "v"}})
        worker.send(id=worker.expect_run("t").id, result={"output": "a text"})
        self.assertEqual(worker.expect_run("c").params["inputs"], {"b": "five, or so"})
        variables = dict(line.split("=", 1) for line in supervisor.lines("seen-b"))
        self.assertEqual(json.loads(variables.pop("INITD_INPUT_A")), {"k": "v"})
        self.assertEqual(json.loads(variables.pop("INITD_INPUT_A_JSON")), {"k": "v"})
        self.assertEqual(variables, {"INITD_INPUT_T": "a text", "INITD_INPUT_T_JSON": '"a text"'})

    def test_S25_an_invalid_output_or_input_of_initctl_workers_command_fails_its_run(self):
        supervisor = self.start_fast()
        supervisor.start_ctl("worker", "b", "--", "/bin/sh", "-c", "printf 'caf\\351' > $INITD_OUTPUT")
        error = self.failed(supervisor.peer().ok("wait", initializer="b", appear=True), "initializerFailed", initializer="b")
        self.assertIn("UTF-8", error["cause"]["message"])
        supervisor = self.start_with("a: { worker: true }\nb: { worker: true, dependencies: [a] }")
        supervisor.start_ctl("worker", "b", "--", "true")
        worker = supervisor.worker("a")
        worker.send(id=worker.expect_run("a").id, result={"output": "x\0y"})
        error = self.failed(supervisor.peer().ok("wait", initializer="b", appear=True), "initializerFailed", initializer="b")
        self.assertIn("NUL", error["cause"]["message"])


class SecretTests(Conformance):
    def test_a_secret_is_in_no_log_status_or_event(self):
        """The secret outputs come from a command, a worker that marks it, a worker whose manifest marks it, an invalid output, and `initctl
        worker`."""
        directory = self.directory()
        supervisor = self.start(
            self.manifest(
                f"""
                token: {{ command: 'echo "\\"hunter-1\\"" > "$INITD_OUTPUT"', secret: true }}
                said: {{ worker: true, dependencies: [token] }}
                declared: {{ worker: true, dependencies: [said], secret: true }}
                typed: {{ worker: true, dependencies: [declared] }}
                broken: {{ command: 'printf "hunter-5\\\\377" > "$INITD_OUTPUT"', dependencies: [typed], secret: true, optional: true }}
                user: {{ command: "{TELL}", dependencies: [token, said, declared, typed] }}
                open: {{ command: 'echo "\\"shown\\"" > "$INITD_OUTPUT"', dependencies: [user] }}
                """
            ),
            "--log-level", "trace", directory=directory,
        )
        watcher = supervisor.peer()
        told = [watcher.ok("subscribe", topics=["launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log"])]
        worker = supervisor.worker("said", "declared")
        ctl = supervisor.start_ctl("worker", "typed", "--secret", "--", "/bin/sh", "-c", 'echo "\\"hunter-4\\"" > $INITD_OUTPUT')
        run = worker.expect_run("said")
        self.assertEqual(run.params["inputs"], {"token": "hunter-1"})
        worker.send(id=run.id, result={"output": "hunter-2", "secret": True})
        run = worker.expect_run("declared")
        worker.send(id=run.id, result={"output": "hunter-3"})
        told += watcher.events_until(lambda event: event.get("topic") == "pass" and event["status"] == "complete")
        peer = supervisor.peer()
        told += [peer.status(), peer.ok("history"), peer.ok("logs")]
        given = supervisor.text("seen-user")
        for number in range(1, 5):
            self.assertIn(f"hunter-{number}", given)
        ctl.signal(signal.SIGTERM)
        ctl.finish()
        peer.ok("shutdown")
        supervisor.ended()
        supervisor.program.pump()
        logged = supervisor.program.err.decode()
        self.assertNotIn("hunter", json.dumps(told) + logged + ctl.err.decode())
        self.assertEqual(logged.count(": a secret"), 4, logged)
        self.assertIn('output of open: "shown"', logged)
