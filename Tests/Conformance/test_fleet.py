"""initfleet: initializers that run once for a release on all hosts of a fleet, with a real etcd."""

import os
import signal
import time
import unittest

from deadlines import until
from fake import FakeSupervisor
from fleet import HEAD, INITFLEET, MIGRATE, Fleet, text64
from supervisor import ROOT

# Reports progress as sd_notify does.
PROGRESS = """\
import os, socket
with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
    notify.connect(os.environ["NOTIFY_SOCKET"])
    notify.send(b"STATUS=half of the rows\\nX_INITD_PROGRESS=0.4")
"""


class OnceTests(Fleet):
    def test_one_host_runs_it_and_the_others_wait_and_get_its_output(self):
        hosts = [self.host(name) for name in ("a", "b", "c")]
        self.assertEqual([self.launched(each) for each in hosts], ["complete"] * 3)
        lines = self.lines()
        winner = lines[0].split()[2]
        self.assertEqual([line.split()[0] for line in lines[:2]], ["start", "end"], lines)
        self.assertEqual(sorted(lines[2:]), [f"serve {name} {winner}" for name in "abc"])
        for each, name in zip(hosts, "abc"):
            once = each.peer().initializer("migrate")["once"]
            self.assertEqual("fence" in once, name == winner)
            if name != winner:
                self.assertIn(f"completed on {winner} at", once["message"])

    def test_a_later_host_learns_that_it_is_done_and_a_new_release_runs_it_again(self):
        self.assertEqual(self.launched(self.host("a")), "complete")
        self.assertEqual(self.launched(self.host("b")), "complete")
        self.assertEqual(self.launched(self.host("c", head=HEAD.replace("v1", "v2"))), "complete")
        starts = [line.split() for line in self.lines() if line.startswith("start")]
        self.assertEqual([line[2] for line in starts], ["a", "c"])
        self.assertLess(int(starts[0][1]), int(starts[1][1]))

    def test_those_who_wait_see_who_does_it(self):
        self.host("a", sleep="30")
        until(self.lines, "the start")
        peer = self.host("b").peer()
        until(lambda: peer.initializer("migrate").get("progress", {}).get("message") == "runs on a", "the host")

    def test_the_timeout_of_a_host_that_waits_for_another_does_not_count(self):
        gated = MIGRATE.replace("sleep $SLEEP;", 'while [ ! -e "$LOG.go" ]; do sleep 0.05; done;')
        first = self.host("a", initializers=gated)
        until(self.lines, "the start")
        second = self.host("b", initializers=gated.replace("once: fleet", "once: fleet\n  timeout: 1s\n  retry: { attempts: 1 }"))
        peer = second.peer()
        until(lambda: peer.initializer("migrate").get("progress", {}).get("message") == "runs on a", "the host")
        # The time passes by the supervisor's own timers.
        peer.refused(-32003, "wait", {"for": "launch", "timeout": 2.5})
        open(self.log + ".go", "w").close()
        self.assertEqual((self.launched(first), self.launched(second)), ("complete", "complete"))

    def test_a_failure_lets_the_next_host_run_it(self):
        failing = MIGRATE.replace("sleep $SLEEP;", "sleep $SLEEP; exit 3;")
        first = self.host("a", initializers=failing)
        until(self.lines, "the start")
        second = self.host("b")
        self.assertEqual((self.launched(first), self.launched(second)), ("failed", "complete"))
        self.assertEqual([line.split()[::2] for line in self.lines()[:3]], [["start", "a"], ["start", "b"], ["end", "b"]])

    def test_a_run_that_was_told_to_stop_is_not_done_although_it_ends_with_success(self):
        """A migration that ends with status 0 when it is interrupted: another host has to run it."""
        stopped = MIGRATE.replace("sleep $SLEEP;", "trap \"exit 0\" TERM; sleep 600 & wait $!;")
        for how in ("SIGTERM", "shutdown", "timeout", "cancelRun"):
            with self.subTest(how=how):
                head = HEAD.replace("v1", f"stopped-{how}")
                name = f"a-{how.lower()}"
                first = self.host(
                    name, initializers=stopped if how != "timeout" else stopped.replace("once: fleet", "once: fleet\n  timeout: 1s"), head=head)
                until(lambda: [line for line in self.lines() if line.split()[::2] == ["start", name]], "the start")
                if how == "SIGTERM":
                    os.kill(first.pid, signal.SIGTERM)
                elif how == "shutdown":
                    first.peer().ok("shutdown")
                elif how == "cancelRun":
                    first.peer().ok("cancelRun", initializers=["migrate"])
                if how in ("SIGTERM", "shutdown"):
                    first.ended()
                else:
                    self.assertEqual(self.launched(first), "failed")
                second = self.host(f"b-{how.lower()}", head=head)
                self.assertEqual(self.launched(second), "complete")
                self.assertIn(["end", f"b-{how.lower()}"], [line.split()[::2] for line in self.lines()])

    def test_those_who_wait_see_its_progress_and_how_it_failed_before(self):
        failing = MIGRATE.replace("sleep $SLEEP;", "sleep $SLEEP; exit 3;")
        first = self.host("a", initializers=failing)
        self.assertEqual(self.launched(first), "failed")
        once = self.status()["once"]
        self.assertEqual([(each["state"], each["host"]) for each in once], [("failed", "a")])
        self.assertIn("status 3", once[0]["message"])
        # The program continues until it is allowed to end.
        program = self.write(self.directory() + "/progress.py", PROGRESS)
        slow = MIGRATE.replace("sleep $SLEEP;", f'python3 {program}; while [ ! -e "$LOG.go" ]; do sleep 0.05; done;')
        self.host("b", initializers=slow)
        until(lambda: len(self.lines()) == 2, "the second start")
        third = self.host("c").peer()
        said = lambda: (third.initializer("migrate").get("progress") or {}).get("message", "")
        until(lambda: said().startswith("runs on b: 40 %, half of the rows, after it failed on a: "), "its progress")
        until(lambda: "waiting" in self.record("c"), "its record")
        # Otherwise each waiting host would write each progress.
        self.assertEqual(self.record("c")["waiting"], ["migrate"])
        waits = "migrate (runs on b: 40 %, half of the rows)"
        self.assertEqual(self.status()["hosts"][-1]["waiting"], [waits])
        self.assertIn(f"{waits} waits\n", self.initfleet("status").out)
        until(lambda: f"  c: {waits} waits\n" in self.initfleet("wait", "--timeout", "1s").err, "the same in wait")
        open(self.log + ".go", "w").close()
        self.assertEqual(third.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual([each["state"] for each in self.status()["once"]], ["complete"])

    def test_a_host_whose_attempt_has_failed_waits_for_another(self):
        policy = "once: fleet\n  retry: { attempts: 100, delay: 500ms, factor: 1 }"
        work = MIGRATE.replace("sleep $SLEEP;", 'test "$HOST" = b || exit 3; while [ ! -e "$LOG.go" ]; do sleep 0.05; done;').replace("once: fleet", policy)
        first = self.host("a", initializers=work)
        until(self.lines, "the start")
        second = self.host("b", initializers=work)
        peer = first.peer()
        until(lambda: peer.initializer("migrate").get("progress", {}).get("message", "").startswith("runs on b"), "the wait")
        # The token of the failed attempt is still shown.
        self.assertIn("fence", peer.initializer("migrate")["once"])
        peer.ok("activate")
        until(lambda: self.record("a").get("lifecycle") == "active", "a record after that")
        self.assertEqual((self.record("a").get("waiting"), self.record("a").get("running")), (["migrate"], None))
        open(self.log + ".go", "w").close()
        self.assertEqual((self.launched(first), self.launched(second)), ("complete", "complete"))

    def test_a_killed_agent_stops_the_run_and_another_host_takes_over_after_its_lease(self):
        first = self.host("a", sleep="30")
        until(self.lines, "the start")
        second = self.host("b")
        first.agent.process.kill()
        self.assertEqual((self.launched(first), self.launched(second)), ("failed", "complete"))
        self.assertEqual([line.split()[0::2] for line in self.lines()[:3]], [["start", "a"], ["start", "b"], ["end", "b"]])

    def test_a_claim_of_nobody_is_deleted(self):
        """A transaction that the agent had given up may be executed late, and create such a claim."""
        host = self.host("a", lease="60s")
        self.assertEqual(self.launched(host), "complete")
        lease = self.ask("/kv/range", key=text64("/initfleet/shop host a"))["kvs"][0]["lease"]
        claim = text64("/initfleet/shop once v2 migrate claim")
        self.ask("/kv/put", key=claim, lease=lease, value=text64('{"host":"a","owner":"gone-0-1"}'))
        # The same agent, with a supervisor of the next release at the same path.
        os.kill(host.pid, signal.SIGKILL)
        host.ended()
        manifest = self.manifest(MIGRATE, head=HEAD.replace("v1", "v2"))
        again = self.start(manifest, directory=host.directory, env={"HOST": "a", "LOG": self.log, "SLEEP": "0.3"})
        self.assertEqual(self.launched(again), "complete")

    def test_a_killed_supervisor_lets_another_host_take_over(self):
        first = self.host("a", sleep="30")
        until(self.lines, "the start")
        second = self.host("b")
        os.kill(first.pid, signal.SIGKILL)
        self.assertEqual(self.launched(second), "complete")

    def test_the_commands_of_a_killed_supervisor_end_with_it_so_another_host_needn_t_wait_for_the_lease(self):
        """A lease of 5 minutes would last longer than this test may."""
        first = self.host("a", sleep="600", lease="300s")
        until(self.lines, "the start")
        second = self.host("b", lease="300s")
        until(lambda: second.peer().initializer("migrate").get("progress", {}).get("message") == "runs on a", "the host")
        os.kill(first.pid, signal.SIGKILL)
        self.assertEqual(self.launched(second), "complete")

    def test_a_host_that_has_failed_becomes_ready_when_another_completes_the_release(self):
        failing = MIGRATE.replace("sleep $SLEEP;", 'sleep $SLEEP; test "$HOST" = b || exit 3;')
        first = self.host("a", initializers=failing)
        self.assertEqual(self.launched(first), "failed")
        second = self.host("b", initializers=failing)
        self.assertEqual(self.launched(second), "complete")
        peer = first.peer()
        until(lambda: peer.status()["launch"]["state"] == "complete", "the launch of the first host")
        first.agent.until_err("migrate of release v1 has been completed by another host: launching again")
        self.assertIn("completed on b", peer.initializer("migrate")["once"]["message"])

    def test_a_host_that_goes_on_after_its_failure_launches_again_when_its_pass_has_ended(self):
        work = MIGRATE.replace("sleep $SLEEP;", 'test "$HOST" = b || exit 3;')
        work += """other: { command: 'test "$HOST" = b || while [ ! -e "$LOG.go" ]; do sleep 0.05; done' }\n"""
        head = HEAD + "keepGoing: true\nconcurrency: 2\n"
        first = self.host("a", initializers=work, head=head)
        peer = first.peer()
        until(lambda: peer.initializer("migrate")["status"] == "failed", "the failure")
        second = self.host("b", initializers=work, head=head)
        self.assertEqual(self.launched(second), "complete")
        # The agent gets these orders after the completion.
        self.until_hosts("a", "b")
        for _ in range(2):
            self.assertStatus(self.initfleet("deactivate"), 0)
        self.assertEqual(peer.initializer("other")["status"], "running")
        first.agent.pump()
        self.assertNotIn("launching again", first.agent.err.decode(), "migrate has had its turn in this pass")
        open(self.log + ".go", "w").close()
        first.agent.until_err("migrate of release v1 has been completed by another host: launching again")
        until(lambda: peer.status()["launch"]["state"] == "complete", "the launch of the first host")
        self.assertIn("completed on b", peer.initializer("migrate")["once"]["message"])

    def test_an_agent_that_is_started_again_after_a_failure_retries_when_another_completes_the_release(self):
        failing = MIGRATE.replace("sleep $SLEEP;", 'sleep $SLEEP; test "$HOST" = b || exit 3;')
        first = self.host("a", initializers=failing)
        self.assertEqual(self.launched(first), "failed")
        first.agent.process.terminate()
        self.assertEqual(first.agent.wait(10), 0)
        again = self.agent(first, "a")
        self.until_hosts("a")
        self.assertEqual(self.launched(self.host("b", initializers=failing)), "complete")
        peer = first.peer()
        until(lambda: peer.status()["launch"]["state"] == "complete", "the launch of the first host")
        again.until_err("migrate of release v1 has been completed by another host: launching again")

    def test_an_agent_that_is_ended_keeps_the_claim_of_a_lost_worker_until_its_lease_ends(self):
        worker = "migrate: { worker: true, once: fleet, retry: { attempts: 1 } }\n"
        first = self.host("a", initializers=worker)
        lost = first.peer("worker")
        lost.register("migrate")
        lost.expect_run("migrate")
        begin = time.monotonic()
        # The worker may still work.
        lost.close()
        self.assertEqual(self.launched(first), "failed")
        first.agent.process.terminate()
        self.assertEqual(first.agent.wait(10), 0)
        next_worker = self.host("b", initializers=worker).peer("worker")
        next_worker.register("migrate")
        next_worker.expect_run("migrate")
        # The lease of 4 s was renewed at most a third of it before.
        self.assertGreater(time.monotonic() - begin, 2.5)

    def test_a_hung_supervisor_lets_another_host_take_over(self):
        first = self.host("a", sleep="30")
        until(self.lines, "the start")
        second = self.host("b")
        os.kill(first.pid, signal.SIGSTOP)
        first.agent.until_err("the supervisor hasn't answered for 4 s")
        self.assertEqual(self.launched(second), "complete")
        os.kill(first.pid, signal.SIGCONT)
        self.assertEqual(self.launched(first), "failed")

    def test_a_supervisor_that_was_killed_and_started_again_gets_a_new_token(self):
        first = self.host("a", sleep="30")
        until(self.lines, "the start")
        os.kill(first.pid, signal.SIGKILL)
        first.ended()
        # The agent connects again. This supervisor also numbers its runs from 1.
        again = self.start(self.manifest(MIGRATE, head=HEAD), directory=first.directory, env={"HOST": "a", "LOG": self.log, "SLEEP": "0.3"})
        self.assertEqual(self.launched(again), "complete")
        tokens = [int(line.split()[1]) for line in self.lines() if line.startswith("start")]
        self.assertEqual(len(tokens), 2)
        self.assertLess(tokens[0], tokens[1])

    def test_after_etcds_data_was_lost_its_tokens_are_smaller_until_writes_have_raised_its_revision(self):
        def write(times):
            for _ in range(times):
                revision = int(self.ask("/kv/put", key=text64("x"), value="")["header"]["revision"])
            return revision

        write(40)
        first = self.host("a")
        self.assertEqual(self.launched(first), "complete")
        first.agent.process.terminate()
        self.assertEqual(first.agent.wait(10), 0)
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()
        self.etcd_directory = self.directory()
        self.start_etcd()
        self.assertEqual(self.launched(self.host("b")), "complete")
        token = lambda: int([line for line in self.lines() if line.startswith("start")][-1].split()[1])
        largest = int(self.lines()[0].split()[1])
        self.assertLess(token(), largest)
        # The steps are those of the guide.
        while write(1) <= largest:
            pass
        self.assertEqual(self.launched(self.host("c", head=HEAD.replace("v1", "v2"))), "complete")
        self.assertGreater(token(), largest)

    def test_the_first_run_with_a_lease_that_is_just_long_enough_is_completed(self):
        host = self.host("a", sleep="3", head=HEAD.replace("300ms", "2700ms"))
        self.assertEqual(self.launched(host), "complete")
        self.assertEqual([line.split()[0] for line in self.lines()], ["start", "end", "serve"])

    def test_an_agent_that_the_next_supervisor_refuses_says_so_at_once(self):
        # The host starts although its lease would last long.
        host = self.host("a", lease="300s")
        self.assertEqual(self.launched(host), "complete")
        os.kill(host.pid, signal.SIGKILL)
        host.ended()
        os.unlink(host.path)
        refusal = Exception({"code": -32002, "message": "cannot coordinate: another one does that already; end it first"})
        fake = FakeSupervisor(host.path, lambda method, params: refusal if method == "coordinate" else None)
        host.agent.until_err("connecting again")
        host.agent.until_err("initfleet: warning: the supervisor refuses this agent: cannot coordinate: another one does that already; end it first; trying again\n")
        until(lambda: "refuses the agent: cannot coordinate: another" in self.status()["hosts"][0].get("trouble", ""), "the refusal in status")
        until(lambda: fake.asked["coordinate"] > 2, "another attempt")
        fake.close()
        os.unlink(host.path)
        manifest = self.manifest(MIGRATE, head=HEAD.replace("v1", "v2"))
        again = self.start(manifest, directory=host.directory, env={"HOST": "a", "LOG": self.log, "SLEEP": "0.3"})
        self.assertEqual(self.launched(again), "complete")
        host.agent.until_err("connected to the supervisor again")
        self.assertEqual(host.agent.err.decode().count("refuses this agent"), 1, host.agent.err)

    def test_an_agent_without_a_next_supervisor_says_so_after_its_lease(self):
        host = self.host("a")
        self.assertEqual(self.launched(host), "complete")
        os.kill(host.pid, signal.SIGKILL)
        host.ended()
        host.agent.until_err("no supervisor has accepted this agent for 4 s: none is running, or")

    def test_a_stopped_agent_loses_its_run_before_another_host_begins(self):
        first = self.host("a", sleep="30")
        until(self.lines, "the start")
        second = self.host("b")
        first.agent.process.send_signal(signal.SIGSTOP)
        until(lambda: len(self.lines()) > 1, "the second start")
        self.assertNotEqual(first.peer().initializer("migrate")["status"], "running")
        first.agent.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.launched(second), "complete")

    def test_etcd_is_waited_for(self):
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()
        host = self.host("a")
        peer = host.peer()
        until(lambda: "etcd" in peer.initializer("migrate").get("progress", {}).get("message", ""), "the reason")
        self.start_etcd()
        self.assertEqual(self.launched(host), "complete")

    def test_a_host_that_waits_for_another_one_says_that_etcd_hangs(self):
        """The connection stays open, and its watch tells no change."""
        self.host("a", sleep="600")
        until(self.lines, "the start")
        second = self.host("b").peer()
        until(lambda: second.initializer("migrate").get("progress", {}).get("message") == "runs on a", "the other host")
        os.kill(self.etcd.pid, signal.SIGSTOP)
        until(lambda: "waits for etcd: " in second.initializer("migrate").get("progress", {}).get("message", ""), "the reason")
        os.kill(self.etcd.pid, signal.SIGCONT)
        # Host a has lost its lease, or still runs it.
        until(lambda: "waits for etcd: " not in second.initializer("migrate").get("progress", {}).get("message", ""), "the answer of etcd")

    def test_sigterm_ends_the_agent_and_its_claims_at_once(self):
        # No host waits for as long as cancelGrace.
        first = self.host("a", sleep="30", lease="60s", head=HEAD.replace("300ms", "20s"))
        until(self.lines, "the start")
        second = self.host("b")
        first.agent.process.terminate()
        self.assertEqual(first.agent.wait(10), 0)
        self.assertEqual(self.launched(second), "complete")

    def test_an_agent_that_is_ended_lets_nobody_run_before_its_run_has_stopped(self):
        # The command takes longer to stop than everything else here, but not longer than its cancelGrace.
        stubborn = "migrate: { command: 'trap \"sleep 1; echo stopped a >> $LOG; exit 1\" TERM; echo start a >> $LOG; while :; do sleep 0.01; done', once: fleet }\n"
        first = self.host("a", initializers=stubborn, lease="60s", head=HEAD.replace("300ms", "5s"))
        until(self.lines, "the start")
        second = self.host("b")
        first.agent.process.terminate()
        self.assertEqual(self.launched(second), "complete")
        self.assertEqual([line.split()[0] for line in self.lines()[:3]], ["start", "stopped", "start"])


class UsageTests(Fleet):
    def test_wrong_usage_is_told(self):
        for words, why in (
            ([], "no etcd"), (["--etcd", "ftp://x"], "invalid URL"), (["--etcd", "http://x"], "no name of a fleet"),
            (["--lease", "1s"], "2s to 24h"), (["--lease", "2500ms"], "whole seconds"), (["--etcd", ","], "no URL"), (["--etcd", "http://x", "--fleet", "f", "--cacert", "c"], "no effect"), (["--fleet", "a b"], "invalid name"),
            (["--prefix", ""], "must not be empty"), (["--prefix", "a b"], "must not be empty"), (["--etcd", "http://x", "--fleet", "f", "--host", "a b"], "letters, digits"),
        ):
            ended = self.program([INITFLEET, "agent", *words]).finish()
            self.assertEqual(ended.status, 64, ended)
            self.assertIn(why, ended.err)

    def test_an_empty_release_is_refused(self):
        for words in (["wait", "--release", ""], ["forget", ""]):
            self.assertIn("is empty", self.assertStatus(self.initfleet(*words), 64).err)

    def test_output_that_cannot_be_written_is_a_failure_unless_its_reader_has_closed_it(self):
        for words in (["--help"], ["--version"], ["status"], ["status", "--json"]):
            for output, status, told in (("/dev/full", 1, "initfleet: cannot write standard output: No space left on device\n"), ("| true", 0, "")):
                target = output if output.startswith("|") else f"> {output}"
                env = {"INITFLEET_ETCD": f"http://127.0.0.1:{self.port}", "INITFLEET_NAME": "shop"}
                ended = self.program(["bash", "-c", f'set -o pipefail; "{INITFLEET}" "$@" {target}', "bash", *words], env=env).finish()
                self.assertEqual((ended.status, ended.err), (status, told), words)

    def test_it_tells_its_version_and_commit(self):
        told = self.assertStatus(self.initfleet("--version"), 0).out
        self.assertRegex(told, r"\Ainitfleet \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}(-dirty)?|unknown), (x86_64|aarch64)\)\n\Z")

    def test_its_manual_page_has_all_commands_and_options(self):
        directory = self.directory()
        self.assertStatus(self.program([ROOT + "/scripts/man-pages", INITFLEET, directory]).finish(), 0)
        pages = {name: open(os.path.join(directory, name)).read().splitlines() for name in os.listdir(directory)}
        page = pages.pop("initfleet.1")
        self.assertRegex(page[0], r'\A\.TH INITFLEET 1 "" "initfleet \d+\.\d+\.\d+" "AppInitializers"\Z')
        self.assertEqual(page[2], "initfleet \\- Coordinate the supervisors (initd) of many hosts through etcd")
        self.assertEqual(page[3:5], [".SH SYNOPSIS", ".B initfleet <subcommand>"])
        commands = ["agent", "status", "wait", "watch", "launch", "activate", "deactivate", "forget", "lead"]
        self.assertEqual(set(pages), {f"initfleet-{command}.1" for command in commands})
        self.assertEqual(page.count(".B \\-\\-version"), 1)
        for option in ("\\-\\-keep <n>", "\\-\\-lease <duration>", "\\-\\-percent <p>", "\\-\\-force", "\\-\\-etcd <URL,…>"):
            self.assertTrue(any(f".B {option}" in each for each in pages.values()), option)
        # An example stays on its line.
        self.assertIn("  initfleet agent \\-\\-etcd https://a:2379,https://b:2379 \\-\\-fleet shop \\-\\-host web\\-1 \\-\\-lease 15s", pages["initfleet-agent.1"])

    def test_an_agent_without_a_supervisor_leaves_no_host_behind(self):
        words = ["agent", "--socket", self.directory() + "/none", "--connect-timeout", "1s", "--lease", "60s"]
        self.assertStatus(self.initfleet(*words), 69)
        self.assertEqual(self.status()["hosts"], [])

    def test_without_a_supervisor_it_ends(self):
        words = [INITFLEET, "agent", "--etcd", f"http://127.0.0.1:{self.port}", "--fleet", "f", "--socket", self.directory() + "/none"]
        ended = self.program(words).finish()
        self.assertEqual(ended.status, 69, ended)


if __name__ == "__main__":
    unittest.main()
