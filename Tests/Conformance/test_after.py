"""everyday.md "Processes, by that name": the key `after` (S6)."""

import os

from supervisor import FAST, Conformance

HEAD = FAST + "concurrency: 8\n"
SAY = "echo $INITD_INITIALIZER >> order"


def held(more):
    """An initializer that runs until the file `go` exists, and others."""
    return f"cache: {{ command: 'echo cache >> order; while ! test -e go; do sleep 0.02; done', optional: true }}\n{more}"


class AfterTests(Conformance):
    def after(self, initializers, *arguments, head=HEAD, workers=""):
        return self.start(self.manifest(initializers, head) + workers, *arguments)

    def launched(self, supervisor, state="complete"):
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], state)
        return supervisor.lines("order")

    def go(self, supervisor):
        self.write(supervisor.file("go"), "")

    def check(self, manifest, status=65):
        path = self.write(os.path.join(self.directory(), "init.yaml"), "version: 1\n" + manifest)
        return self.assertStatus(self.initctl("check", path), status)

    def test_it_starts_after_the_end_however_that_is(self):
        fail, skip = "; exit 3'", "', when: { env: NO_SUCH }"
        for word, cache, expected in (
            ("complete", f"command: 'sleep 0.1; {SAY}'", ["cache", "web"]),
            ("failed", f"command: 'sleep 0.1; {SAY}{fail}, optional: true", ["cache", "web"]),
            ("skipped", f"command: '{SAY}{skip}", ["web"]),
            ("retried", f"command: '{SAY}{fail}, optional: true, retry: {{ attempts: 2, delay: 100ms }}", ["cache", "cache", "web"]),
            ("not run", f"command: '{SAY}', optional: true, dependencies: [broken]", ["web"]),
        ):
            with self.subTest(word):
                supervisor = self.after(
                    f"web: {{ command: '{SAY}', after: [cache] }}\ncache: {{ {cache} }}\nbroken: {{ command: 'exit 3', optional: true }}")
                self.assertEqual(self.launched(supervisor), expected)

    def test_a_failure_that_ends_the_pass_ends_it(self):
        initializers = f"web: {{ command: '{SAY}', after: [cache] }}\ncache: {{ command: 'exit 3' }}"
        supervisor = self.after(initializers)
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "failed")
        self.assertEqual(supervisor.peer().initializer("web")["status"], "notRun")
        supervisor = self.after(initializers, "--keep-going")
        self.assertEqual(self.launched(supervisor, "failed"), ["web"])

    def test_what_an_operator_has_cancelled_has_ended(self):
        supervisor = self.after(held(f"web: {{ command: '{SAY}', after: [cache] }}"))
        supervisor.until_lines("order")
        self.assertStatus(supervisor.ctl("cancel", "cache"), 0)
        self.assertEqual(self.launched(supervisor), ["cache", "web"])

    def test_it_gets_no_output_and_is_not_stale(self):
        supervisor = self.after(
            "cache: { command: 'echo 1 > $INITD_OUTPUT' }\nweb: { command: 'echo ${INITD_INPUT_CACHE-none} >> order', after: [cache] }")
        self.assertEqual(self.launched(supervisor), ["none"])
        peer = supervisor.peer()
        peer.ok("rerun", initializers=["cache"], dependents=True)
        self.assertEqual(self.launched(supervisor), ["none"])
        self.assertNotIn("stale", peer.initializer("web"))

    def test_it_pulls_nothing_in(self):
        initializers = f"cache: {{ command: '{SAY}' }}\nweb: {{ command: '{SAY}', after: [cache] }}"
        self.assertEqual(self.launched(self.after(initializers, "--only", "web")), ["web"])
        self.assertEqual(self.launched(self.after(initializers, "--skip", "cache")), ["web"])
        profiled = initializers.replace("cache: {", "cache: { profiles: [dev],")
        self.assertEqual(self.launched(self.after(profiled)), ["web"])
        self.assertEqual(self.launched(self.after(profiled, "--profile", "dev")), ["cache", "web"])

    def test_a_name_of_the_other_phase_is_not_waited_for(self):
        supervisor = self.after(
            held(f"late: {{ command: '{SAY}', phase: active, after: [cache, early] }}\nearly: {{ command: '{SAY}', after: [late] }}\n"))
        self.assertEqual(sorted(supervisor.until_lines("order", 2)), ["cache", "early"])
        self.go(supervisor)
        self.launched(supervisor)
        peer = supervisor.peer()
        peer.ok("activate")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        self.assertEqual(supervisor.lines("order")[-1], "late")

    def test_waiting_takes_no_place(self):
        supervisor = self.after(
            f"web: {{ command: '{SAY}', after: [cache] }}\nother: {{ command: '{SAY}' }}\ncache: {{ command: '{SAY}' }}", head=FAST)
        self.assertEqual(self.launched(supervisor), ["cache", "web", "other"])

    def test_why_says_whose_end_it_waits_for(self):
        supervisor = self.after(held("web: { command: 'true', after: [cache, gone], dependencies: [base] }\ngone: { command: 'true' }\nbase: { command: 'true' }"))
        supervisor.until_lines("order")
        peer = supervisor.peer()
        for name in ("gone", "base"):
            peer.ok("wait", initializer=name)
        why = self.assertStatus(supervisor.ctl("why", "web"), 2).out
        self.assertIn("waits for the end of cache\n", why)
        self.assertIn("─ cache has been running for", why)
        self.assertIn("waits for the end of cache", supervisor.ctl("status").out)
        self.assertEqual(peer.initializer("web")["after"], ["cache", "gone"])
        self.assertNotIn("after", peer.initializer("cache"))
        self.go(supervisor)
        self.launched(supervisor)
        web = next(each for each in peer.last_pass()["runs"] if each["initializer"] == "web")
        self.assertEqual(web["waitedFor"], ["base", "cache", "gone"])
        self.assertGreaterEqual(web["ready"], next(each["started"] + each["duration"] for each in peer.last_pass()["runs"] if each["initializer"] == "cache") - 1e-5)
        self.assertRegex(supervisor.ctl("critical-path").out, r"web .*cache")

    def test_a_process_starts_after_the_end(self):
        supervisor = self.after(
            held(""), workers="workers:\n  web: { command: 'echo web >> order; touch up; exec sleep 600', ready: { path: up }, after: [cache] }\n")
        supervisor.until_lines("order")
        self.assertIn("waits for the end of cache", self.assertStatus(supervisor.ctl("why", "web"), 2).out)
        self.assertNotIn("pid", supervisor.peer().status()["processes"][0])
        self.go(supervisor)
        self.assertEqual(self.launched(supervisor), ["cache", "web"])

    def test_an_initializer_starts_once_a_process_is_ready(self):
        supervisor = self.after(
            f"web: {{ command: '{SAY}', after: [db] }}", workers="workers:\n  db: { command: 'sleep 0.1; echo db >> order; touch up; exec sleep 600', ready: { path: up } }\n")
        self.assertEqual(self.launched(supervisor), ["db", "web"])

    def test_mistakes(self):
        a = "initializers:\n  a: { command: 'true', after: %s }\n  b: { command: 'true'%s }\n"
        for after, of_b, expected in (
            ("[c]", "", '3:33: unknown predecessor "c"; declare it under initializers, or remove it here'),
            ("[b, b]", "", '3:36: the predecessor "b" is already on line 3; remove it'),
            ("b", "", '3:32: "after" is text, not a list; write after: [b]'),
            ("[a]", "", "3:33: circular dependency a -> a; remove one of these dependencies"),
            ("[b]", ", dependencies: [a]", "3:33: circular dependency a -> b -> a; remove one of these dependencies"),
            ("[b]", ", after: [a]", "3:33: circular dependency a -> b -> a; remove one of these dependencies"),
        ):
            with self.subTest(after + of_b):
                self.assertIn(expected, self.check(a % (after, of_b)).err)
        self.check(a % ("[b]", ", phase: active, after: [a]"), 0)
        self.check(a % ("[b]", ", phase: active, dependencies: [a]"), 0)
        process = "initializers:\n  a: { command: 'true' }\nworkers:\n  w: { command: [sleep, '600'], after: [%s]%s }\n"
        self.check(process % ("a", ""), 0)
        self.assertIn('unknown predecessor "x"', self.check(process % ("x", ", ready: { path: up }")).err)
        named = "initializers:\n  cache: { command: 'true' }\n  a: { command: 'true', after: [cach] }\n"
        self.assertIn('4:33: unknown predecessor "cach"; did you mean "cache"?', self.check(named).err)
        out = self.check(a % ("[b]", ""), 0).out
        self.assertIn("after the end of b", out)
        self.assertLess(out.index("\n  b "), out.index("\n  a "))

    def test_a_reload_takes_the_wait_away_or_adds_it(self):
        def manifest(after):
            return self.manifest(held(f"web: {{ command: '{SAY}'{after} }}"), HEAD)

        supervisor = self.start(manifest(", after: [cache]"))
        supervisor.until_lines("order")
        peer = supervisor.peer()
        self.write(supervisor.manifest, manifest(""))
        answer = peer.ok("reload")
        self.assertEqual((answer["changed"], answer["fromNextRun"]), ([], [{"name": "web", "keys": ["after"]}]))
        self.assertEqual(supervisor.until_lines("order", 2), ["cache", "web"])
        self.assertNotIn("after", peer.initializer("web"))
        self.go(supervisor)
        self.launched(supervisor)
        self.write(supervisor.manifest, manifest(", after: [cache]"))
        self.assertEqual(peer.ok("reload")["changed"], [])
        peer.ok("rerun", initializers=["web", "cache"])
        self.assertEqual(self.launched(supervisor), ["cache", "web", "cache", "web"])

    def test_the_whole_manifest_has_it(self):
        path = self.write(os.path.join(self.directory(), "init.yaml"), "version: 1\ninitializers:\n  a: { command: 'true' }\n  b: { command: 'true', after: [a] }\n")
        self.assertRegex(self.assertStatus(self.initctl("check", "--resolved", path), 0).out, r"after:\s*(\[a\]|\n\s*- a)")

    def test_a_plan_and_a_forecast_keep_the_order(self):
        supervisor = self.after("web: { command: 'sleep 0.2', after: [cache] }\ncache: { command: 'sleep 0.2; exit 3', optional: true }", "--no-launch")
        (plan,) = supervisor.ctl("plan", "--json").json()
        self.assertEqual(plan["launch"], ["cache", "web"])
        peer = supervisor.peer()
        peer.ok("launch")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        (told,) = self.assertStatus(supervisor.ctl("what-if", "--json", "--concurrency", "4"), 0).json()
        self.assertGreaterEqual(told["predicted"], 0.4)
