"""manifest.md "check": several files, standard input, the initializers that will run, the whole manifest, and the findings, in the form for
programs and with --strict."""

import json
import os
import subprocess

from supervisor import INITCTL, INITD, Conformance

HEAD = "version: 1\n"


class CheckTests(Conformance):
    def setUp(self):
        super().setUp()
        self.root = os.path.realpath(self.directory())

    def file(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return self.write(path, text)

    def check(self, *words, status=0, **options):
        """Returns the answer of `initctl check`; `initd --check` must answer the same."""
        path = f"{os.path.dirname(INITD)}:{os.path.dirname(INITCTL)}:{os.environ['PATH']}"
        env = {"PATH": path, **options.pop("env", {})}
        finished = self.assertStatus(self.initctl("check", *words, env=env, **options), status)
        own = [each for word in words for each in ([word] if word.startswith("--") else ["--check", word])]
        again = self.assertStatus(self.initd(*own, env=env, **options), status)
        self.assertEqual((finished.out, finished.err), (again.out, again.err))
        return finished

    def test_several_files_are_merged_and_the_arguments_are_shown_as_they_will_run(self):
        base = self.file("base.yaml", HEAD + "initializers:\n  a: { command: [./a, 'b c', \"d\\te\"] }\n  b: { command: 'echo $X' }\n")
        prod = self.file("prod/prod.yaml", "initializers: { c: { command: [bin/c], stop: x } }\nworkers: { w: { command: [true] } }\n")
        out = self.check(base, prod).out
        self.assertTrue(out.startswith(f"{base} and {prod} are good: 3 initializers"), out)
        shown = [json.loads(line) for line in out.splitlines() if line.startswith("    [")]
        self.assertEqual(shown, [[f"{self.root}/./a", "b c", "d\te"], ["/bin/sh", "-c", "echo $X"], [f"{self.root}/prod/bin/c"], ["true"]])
        self.assertIn("no manifest is given", self.assertStatus(self.initctl("check"), 64).err)

    def test_a_dash_is_standard_input(self):
        for words in ([INITD, "--check", "-"], [INITCTL, "check", "-"]):
            env = {**os.environ, "PATH": f"{os.path.dirname(INITD)}:{os.environ['PATH']}"}
            done = subprocess.run(words, input=HEAD + "initializers: { a: { command: [./a] } }\n", capture_output=True, text=True, cwd=self.root, env=env)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn("<stdin> is good", done.stdout)
            self.assertIn(f'["{self.root}/./a"]', done.stdout)
            done = subprocess.run(words, input=HEAD + "concurrency: x\n", capture_output=True, text=True, cwd=self.root, env=env)
            self.assertEqual(done.returncode, 65, done)
            self.assertIn("<stdin>:2:14: ", done.stderr)

    def test_the_whole_manifest_is_a_manifest_that_means_the_same_anywhere(self):
        self.file(".env", "A='file ${X}'\n")
        common = "initializers: { c: { command: [./c], profiles: [dev] } }\n"
        self.file("parts/common.yaml", common)
        base = self.file(
            "base.yaml",
            HEAD
            + "include: [parts/common.yaml]\nenvironmentFile: [.env]\ndefaults: { timeout: 1m }\nconcurrency: 2\n"
            + "initializers:\n  a: { command: [./a, '1'], environment: { B: '${HERE}', C: '$${HERE}' } }\n  b: { command: \"x\\ny\\n\", dependencies: [a] }\n",
        )
        prod = self.file("prod.yaml", "concurrency: 3\ninitializers: { b: { timeout: null } }\n")
        env = {"HERE": "is ${A}"}
        whole = self.check("--profile=dev", "--resolved", base, prod, env=env).out
        for word in ("include", "defaults", "environmentFile", "profiles"):
            self.assertNotIn(f"{word}:", whole)
        other = os.path.join(os.path.realpath(self.directory()), "whole.yaml")
        self.write(other, whole)
        self.assertEqual(self.check("--resolved", other).out, whole)
        reports = [self.check(*words, env=env).out.split("\n", 1)[1] for words in (["--profile=dev", base, prod], [other])]
        self.assertEqual(*reports)
        self.assertIn(f'["{self.root}/parts/./c"]', reports[0])
        supervisor = self.start(whole.replace(f"{self.root}/./a", "/usr/bin/env").replace(", '1'", "").replace('"1"', '"sh", "-c", "echo $A $B $C; pwd"'), "--only", "a")
        peer = supervisor.peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual([line["line"] for line in peer.ok("logs")["lines"]], ["file ${X} is ${A} ${HERE}", self.root])

    def test_strict_refuses_programs_and_directories_that_do_not_exist(self):
        script = self.file("script", "#!/bin/sh\n")
        path = self.file(
            "init.yaml",
            HEAD
            + "environment: { PATH: '/usr/bin:/bin' }\ninitializers:\n  good: { command: [sh, -c, x] }\n  a: { command: [nobody-has-this] }\n  b: { command: [./none] }\n"
            + "  c: { command: [./script] }\n  d: { command: [sh], workingDirectory: nowhere }\n  e: { command: [sh], stop: [./gone] }\n"
            + "  f: { command: './none --all' }\n  g: { command: 'cd / && ./none' }\nworkers: { w: { command: [./w] } }\n",
        )
        self.check(path)
        finished = self.check("--strict", path, status=65)
        lines = [line.removeprefix(path) for line in finished.err.splitlines()]
        self.assertEqual(
            lines,
            [
                ':5:18: the program "nobody-has-this" is not in PATH; install it, or give its full path',
                f':6:18: the program "{self.root}/./none" does not exist; install it, or correct the path',
                f':7:18: the program "{self.root}/./script" can\'t be executed: Permission denied; make it executable (chmod +x)',
                f':8:41: the directory "{self.root}/nowhere" does not exist; create it, or correct workingDirectory',
                f':9:30: the program "{self.root}/./gone" does not exist; install it, or correct the path',
                ':10:17: the program "./none" does not exist; install it, or correct the path',
                f':12:27: the program "{self.root}/./w" does not exist; install it, or correct the path',
            ],
        )
        self.assertEqual(finished.out, "")
        os.chmod(script, 0o755)
        for name in ("none", "gone", "w"):
            os.chmod(self.file(name, "#!/bin/sh\n"), 0o755)
        os.mkdir(os.path.join(self.root, "nowhere"))
        os.mkdir(os.path.join(self.root, "bin"))
        text = open(path).read().replace("/usr/bin:/bin", f"/usr/bin:/bin:{self.root}/bin")
        os.chmod(self.file("bin/nobody-has-this", "#!/bin/sh\n"), 0o755)
        self.assertIn("is good", self.check("--strict", self.file("init.yaml", text)).out)

    def test_strict_checks_the_command_of_ready_and_programs_whose_directory_is_missing(self):
        path = self.file(
            "init.yaml",
            HEAD
            + "environment: { PATH: '/usr/bin:/bin' }\ninitializers:\n"
            + "  a: { command: [nobody-has-this], workingDirectory: nowhere, stop: [./gone] }\n"
            + "  b: { command: './unknown --all', workingDirectory: nowhere }\nworkers:\n"
            + "  w: { command: [sh], ready: { command: [pg_is_not_ready, -q] } }\n"
            + "  x: { command: [sh], ready: { command: './check --fast' } }\n"
            + "  y: { command: [sh], ready: { command: [./check] }, workingDirectory: nowhere }\n"
            + "  z: { command: [sh], ready: { command: 'test -e ready' } }\n",
        )
        self.check(path)
        lines = [line.removeprefix(path) for line in self.check("--strict", path, status=65).err.splitlines()]
        self.assertEqual(
            lines,
            [
                ':4:18: the program "nobody-has-this" is not in PATH; install it, or give its full path',
                f':4:54: the directory "{self.root}/nowhere" does not exist; create it, or correct workingDirectory',
                f':4:70: the program "{self.root}/./gone" does not exist; install it, or correct the path',
                f':5:54: the directory "{self.root}/nowhere" does not exist; create it, or correct workingDirectory',
                ':7:42: the program "pg_is_not_ready" is not in PATH; install it, or give its full path',
                ':8:41: the program "./check" does not exist; install it, or correct the path',
                f':9:42: the program "{self.root}/./check" does not exist; install it, or correct the path',
                f':9:72: the directory "{self.root}/nowhere" does not exist; create it, or correct workingDirectory',
            ],
        )

    def test_standard_input_can_be_read_only_once(self):
        for finished in (self.initctl("check", "-", "-"), self.initd("--check", "-", "--check", "-")):
            self.assertIn("standard input (-) can be read only once", self.assertStatus(finished, 64).err)

    def test_warnings_are_errors_if_strict(self):
        path = self.file(
            "init.yaml",
            HEAD
            + "initializers:\n  a: { command: [sh], phase: active }\n  b: { command: [sh], dependencies: [a] }\n"
            + "  c: { command: [sh], timeout: 1s, retry: { attempts: 3, delay: 10s } }\n",
        )
        finished = self.check(path)
        first, second = finished.err.splitlines()
        self.assertTrue(first.startswith(f'{path}:4:38: warning: "a" has the phase active, but also runs in launch: "b" depends on it; '), first)
        self.assertTrue(second.startswith(f"{path}:5:3: warning: the pauses between the attempts of "), second)
        finished = self.check("--strict", path, status=65)
        self.assertEqual(finished.err, f"{first}\n{second}\n".replace("warning: ", ""))

    def test_json_is_a_finding_a_line(self):
        path = self.file("init.yaml", HEAD + "initializers:\n  a: { comand: x }\n  b: { command: 'x', timeout: soon }\n")
        finished = self.check("--json", path, status=65)
        self.assertEqual(finished.err, "")
        findings = finished.json()
        self.assertEqual([(each["file"], each["line"], each["column"], each["severity"]) for each in findings], [(path, 3, 3, "error"), (path, 3, 8, "error"), (path, 4, 31, "error")])
        self.assertEqual(list(findings[0]), ["file", "line", "column", "severity", "message", "suggestion"])
        self.assertEqual(findings[1]["message"], 'unknown key "comand" in initializer "a"')
        self.assertEqual(findings[1]["suggestion"], 'did you mean "command"?')
        path = self.file("init.yaml", HEAD + "environment: { A: $DATA }\n")
        (finding,) = self.check("--json", path).json()
        self.assertEqual((finding["severity"], finding["line"], finding["column"]), ("warning", 2, 19))
        (finding,) = self.check("--json", "--strict", path, status=65).json()
        self.assertEqual(finding["severity"], "error")
        (graph,) = self.check("--json", self.file("init.yaml", HEAD + "initializers: { a: { command: x } }\n")).json()
        self.assertEqual((graph["launch"], graph["active"]), (["a"], []))

    def test_options_of_the_check_need_a_check(self):
        for words in (["--strict"], ["--resolved"], ["--json"], ["--check", "x", "--resolved", "--json"]):
            self.assertStatus(self.initd(*words), 64)
        self.assertStatus(self.initctl("check", "x", "--resolved", "--json"), 64)

    def test_graph_and_plan_merge_files_too(self):
        base = self.file("base.yaml", HEAD + "initializers: { a: { command: x } }\n")
        prod = self.file("prod.yaml", "initializers: { b: { command: x, dependencies: [a], profiles: [dev] } }\n")
        env = {"PATH": f"{os.path.dirname(INITD)}:{os.environ['PATH']}"}
        (plan,) = self.assertStatus(self.initctl("plan", "--config", base, "--config", prod, "--profile", "dev", "--json", env=env), 0).json()
        self.assertEqual(plan["launch"], ["a", "b"])
        (graph,) = self.assertStatus(self.initctl("graph", "--config", base, "--config", prod, "--json", env=env), 0).json()
        self.assertEqual([node["name"] for node in graph["nodes"]], ["a"])


if __name__ == "__main__":
    import unittest

    unittest.main()
