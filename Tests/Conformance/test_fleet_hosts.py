"""initfleet status, wait, watch, activate and deactivate: the states of the hosts of a fleet."""

import json
import os
import signal
import unittest

from deadlines import until
from fleet import HEAD, Fleet, text64

# The app fails on the host whose name is $BAD, and takes a second phase to warm up.
APP = """\
serve: { command: 'test $HOST != "$BAD"' }
warm: { command: 'echo "$HOST begin" >> $LOG; sleep $SLEEP; echo "$HOST end" >> $LOG; test $HOST != "$COLD"', priority: appActive, dependencies: [serve] }
"""


class Hosts(Fleet):
    def app(self, *names, sleep="0.1", **env):
        """Hosts; their agents are running."""
        hosts = {name: self.host(name, APP, sleep=sleep, **({"BAD": "", "COLD": ""} | env)) for name in names}
        self.until_hosts(*names)
        return hosts

    def until_state(self, name, **members):
        def reached():
            for host in self.status()["hosts"]:
                if host["host"] == name:
                    return all(host.get(key) == value for key, value in members.items())

        until(reached, f"{name} with {members}")


def text(program):
    """Returns the output so far."""
    program.pump()
    return program.out.decode()


class WaitTests(Hosts):
    def test_all_are_ready_when_each_is_active_and_complete(self):
        self.app("a", "b")
        self.assertStatus(self.initfleet("wait", "launch", "--all", "--count", "2", "--timeout", "30s"), 0)
        late = self.assertStatus(self.initfleet("wait", "ready", "--all", "--timeout", "0.2s"), 124)
        self.assertIn("timed out after 200 ms waiting for ready: 0 of the 2 needed hosts are", late.err)
        self.assertIn("  a: the app isn't active\n  b: the app isn't active\n", late.err)
        waiting = self.start_initfleet("wait", "ready", "--all", "--timeout", "60s")
        self.assertStatus(self.initfleet("activate"), 0)
        self.assertEqual(waiting.wait(60), 0)

    def test_a_failed_host_fails_the_wait_for_all_and_its_reason_is_told(self):
        self.app("a", "b", "c", BAD="b")
        failed = self.assertStatus(self.initfleet("wait", "launch", "--all", "--timeout", "60s"), 1)
        self.assertRegex(failed.err, r"  b: launch failed: .*serve.*exit")
        self.assertStatus(self.initfleet("wait", "launch", "--count", "2", "--timeout", "60s"), 0)
        self.assertStatus(self.initfleet("wait", "launch", "--percent", "66", "--timeout", "60s"), 0)
        self.assertStatus(self.initfleet("wait", "launch", "--percent", "67", "--timeout", "60s"), 1)

    def wait_while_another_runs_it(self, end):
        """Waits for two hosts of which one has failed with `migrate`, which the other runs until `end`; returns the status."""
        work = """migrate: { once: fleet, retry: { attempts: 1 }, command: 'test "$HOST" = a && exit 3; until [ -e "$LOG.go" ]; do sleep 0.05; done; . "$LOG.go"' }\n"""
        self.assertEqual(self.launched(self.host("a", work)), "failed")
        self.host("b", work)
        until(lambda: self.record("a").get("launch", {}).get("state") == "failed" and self.record("b").get("running"), "the failure, and the run")
        self.assertStatus(self.initfleet("wait", "launch", "--count", "2", "--timeout", "1s"), 124)
        waiting = self.start_initfleet("wait", "launch", "--count", "2", "--timeout", "60s")
        self.write(self.log + ".go", end)
        return waiting.wait(60)

    def test_a_failed_host_has_not_failed_yet_while_another_one_runs_what_it_failed_with(self):
        self.assertEqual(self.wait_while_another_runs_it("exit 0"), 0)

    def test_if_the_other_host_fails_too_the_wait_has_failed(self):
        self.assertEqual(self.wait_while_another_runs_it("exit 3"), 1)

    def test_hosts_that_have_not_joined_are_waited_for(self):
        self.app("a")
        late = self.assertStatus(self.initfleet("wait", "launch", "--count", "2", "--timeout", "0.5s"), 124)
        self.assertIn("and only 1 has joined", late.err)
        waiting = self.start_initfleet("wait", "launch", "--count", "2", "--timeout", "60s")
        self.host("b", APP)
        self.assertEqual(waiting.wait(60), 0)

    def test_an_empty_fleet_is_not_ready(self):
        late = self.assertStatus(self.initfleet("wait", "--timeout", "0.2s"), 124)
        self.assertIn("start initfleet agent beside each supervisor", late.err)
        status = self.assertStatus(self.initfleet("status"), 0)
        self.assertIn("NO HOSTS", status.out)
        self.assertEqual(self.status(), {"fleet": "shop", "ready": 0, "hosts": [], "leaders": [], "once": []})
        self.assertStatus(self.initfleet("activate"), 1)

    def test_a_host_that_waits_for_another_says_so(self):
        self.host("a", sleep="30")
        until(self.lines, "the start")
        self.host("b")
        self.until_hosts("a", "b")
        self.until_state("a", reason="migrate is running")
        self.until_state("b", reason="migrate (runs on a) waits")
        late = self.assertStatus(self.initfleet("wait", "launch", "--timeout", "0.2s"), 124)
        self.assertIn("  a: migrate is running\n  b: migrate (runs on a) waits\n", late.err)
        self.assertEqual([(each["initializer"], each["state"], each["host"]) for each in self.status()["once"]], [("migrate", "running", "a")])

    def test_hosts_of_another_release_do_not_count(self):
        self.launched(self.host("a"))
        self.host("b", sleep="30", head=HEAD.replace("v1", "v2"))
        self.until_hosts("a", "b")
        self.until_state("b", release="v2", reason="migrate is running")
        mixed = self.assertStatus(self.initfleet("wait", "launch", "--count", "1"), 0)
        self.assertIn("the hosts are of different releases: v1 on a; v2 on b; add --release to count one", mixed.err)
        late = self.assertStatus(self.initfleet("wait", "launch", "--count", "1", "--release", "v2", "--timeout", "0.2s"), 124)
        self.assertIn("  a: its release is v1\n  b: migrate is running\n", late.err)
        self.assertStatus(self.initfleet("wait", "launch", "--count", "1", "--release", "v1", "--timeout", "30s"), 0)

    def test_while_other_hosts_may_launch_a_release_no_failure_ends_the_wait_for_a_number(self):
        head = HEAD.replace("v1", "v2")
        work = "migrate: { command: 'true', once: fleet }\n" + APP
        self.assertEqual(self.launched(self.host("a", work, head=head, BAD="a", COLD="")), "failed")
        until(lambda: self.record("a").get("launch", {}).get("state") == "failed", "the failure")
        waiting = self.start_initfleet("wait", "launch", "--count", "1", "--release", "v2", "--timeout", "60s")
        waiting.until_err("initfleet: a: launch failed: serve failed")
        waiting.until_err("; waiting for other hosts of release v2\n")
        self.assertStatus(self.initfleet("wait", "launch", "--count", "1", "--release", "v2", "--all"), 1)
        self.assertEqual(self.launched(self.host("b", work, head=head, BAD="a", COLD="")), "complete")
        self.assertEqual(waiting.wait(60), 0)
        self.assertEqual(waiting.err.count(b"a: launch failed"), 1)

    def test_a_lost_supervisor_is_not_ready_and_a_killed_agent_leaves_with_its_lease(self):
        hosts = self.app("a", "b")
        self.assertStatus(self.initfleet("activate"), 0)
        os.kill(hosts["a"].pid, signal.SIGKILL)
        self.until_state("a", ready=False, reason="its supervisor doesn't answer")
        self.assertStatus(self.initfleet("wait", "--timeout", "0.2s"), 124)
        hosts["a"].agent.process.kill()
        self.until_hosts("b")
        self.assertStatus(self.initfleet("wait", "--timeout", "30s"), 0)

    def test_an_agent_that_ends_leaves_at_once(self):
        host = self.host("a", APP, lease="60s")
        self.until_hosts("a")
        host.agent.process.terminate()
        self.assertEqual(host.agent.wait(10), 0)
        self.assertEqual(self.status()["hosts"], [])

    def test_a_killed_agent_that_starts_again_has_its_name_back_at_once(self):
        host = self.host("a", APP, lease="60s")
        self.until_hosts("a")
        first = self.status()["hosts"][0]["agent"]
        host.agent.process.kill()
        host.agent.wait(10)
        self.agent(host, "a", "60s")
        until(lambda: self.status()["hosts"][0]["agent"] != first, "the new agent")

    def test_two_agents_with_one_name_are_told_and_the_first_returns_when_the_second_has_ended(self):
        first = self.host("a", APP)
        self.until_hosts("a")
        agent = self.status()["hosts"][0]["agent"]
        second = self.host("a", APP)
        second.agent.until_err("takes the place of another one named a")
        # The first host notices when a state of its supervisor changes.
        first.peer().ok("activate")
        first.agent.until_err("another agent of this fleet is named a too")
        self.assertNotEqual(self.status()["hosts"][0]["agent"], agent)
        second.agent.process.terminate()
        self.assertEqual(second.agent.wait(10), 0)
        until(lambda: [each["agent"] for each in self.status()["hosts"]] == [agent], "the first one")

    def test_proxies_of_the_environment_are_not_used(self):
        proxy = {name + "_proxy": "http://127.0.0.1:1" for name in ("http", "https", "all", "grpc")}
        proxy |= {name.upper(): value for name, value in proxy.items()}
        self.assertStatus(self.initfleet("status", env=proxy), 0)

    def test_without_etcd_status_ends_and_wait_goes_on_to_its_timeout(self):
        self.app("a")
        os.kill(self.etcd.pid, signal.SIGKILL)
        self.etcd.process.wait()
        self.assertStatus(self.initfleet("status"), 69)
        late = self.assertStatus(self.initfleet("wait", "launch", "--timeout", "1s"), 124)
        self.assertIn("trying again", late.err)
        waiting = self.start_initfleet("wait", "launch", "--timeout", "60s")
        self.start_etcd()
        self.assertEqual(waiting.wait(60), 0)


class OrderTests(Hosts):
    def test_rolling_does_one_after_the_other(self):
        self.app("a", "b", "c")
        done = self.assertStatus(self.initfleet("activate", "--rolling", "1"), 0)
        self.assertEqual(done.out, "a is active\nb is active\nc is active\n")
        self.assertEqual(self.lines(), [f"{name} {what}" for name in "abc" for what in ("begin", "end")])
        self.assertEqual(self.status()["ready"], 3)
        done = self.assertStatus(self.initfleet("deactivate", "--rolling", "2"), 0)
        self.assertEqual(sorted(done.out.splitlines()), [f"{name} is inactive" for name in "abc"])
        self.assertEqual([each["lifecycle"] for each in self.status()["hosts"]], ["inactive"] * 3)

    def test_the_first_failure_stops_it(self):
        self.app("a", "b", "c", COLD="b")
        failed = self.assertStatus(self.initfleet("activate", "--rolling", "1"), 1)
        self.assertEqual(failed.out, "a is active\n")
        self.assertRegex(failed.err, "b: .*warm")
        self.assertIn("not asked: c\n", failed.err)
        self.assertNotIn("c begin", self.lines())

    def test_launch_retries_it_where_it_has_failed_and_runs_nothing_elsewhere(self):
        gated = "serve: { command: 'echo $HOST >> $LOG; test $HOST = a || test -e $LOG.go' }\n"
        hosts = {name: self.host(name, gated) for name in "abc"}
        self.assertEqual([self.launched(each) for each in hosts.values()], ["complete", "failed", "failed"])
        self.until_hosts(*hosts)
        failed = self.assertStatus(self.initfleet("launch", "--rolling", "1"), 1)
        self.assertEqual(failed.out, "a has launched\n")
        self.assertRegex(failed.err, "b: .*serve.*\\n.*not asked: c\n")
        self.write(self.log + ".go", "")
        done = self.assertStatus(self.initfleet("launch"), 0)
        self.assertEqual(sorted(done.out.splitlines()), [f"{name} has launched" for name in "abc"])
        self.assertStatus(self.initfleet("wait", "launch", "--all", "--count", "3"), 0)
        self.assertEqual(sorted(self.lines()), ["a", "b", "b", "b", "c", "c"])

    def test_deactivate_tells_what_it_cancelled(self):
        hosts = self.app("a", sleep="30")
        hosts["a"].peer().ok("activate")
        until(lambda: "a begin" in self.lines(), "the run")
        done = self.assertStatus(self.initfleet("deactivate"), 0)
        self.assertEqual(done.out, "a is inactive, cancelled warm\n")

    def test_a_timeout_names_the_hosts(self):
        self.app("a", "b", sleep="30")
        late = self.assertStatus(self.initfleet("activate", "--rolling", "1", "--timeout", "1s"), 124)
        self.assertIn("timed out after 1 s: a isn't active yet", late.err)
        self.assertIn("not asked: b\n", late.err)

    def test_an_order_that_another_one_replaces_has_failed(self):
        self.app("a", "b", sleep="30")
        replaced = self.start_initfleet("activate", "--rolling", "1")
        until(lambda: "a begin" in self.lines(), "the run")
        done = self.assertStatus(self.initfleet("deactivate"), 0)
        self.assertIn("a is inactive, cancelled warm\n", done.out)
        ended = self.assertStatus(replaced.finish(60), 1)
        self.assertIn("a: another launch, activate or deactivate of the fleet has replaced this one", ended.err)
        self.assertIn("not asked: b", ended.err)

    def test_an_interrupted_command_asks_no_further_hosts(self):
        self.app("a", "b", sleep="1")
        rolling = self.start_initfleet("activate", "--rolling", "1")
        until(lambda: "a begin" in self.lines(), "the first host")
        rolling.process.send_signal(signal.SIGINT)
        rolling.wait(10)
        self.until_state("a", ready=True)
        self.assertNotIn("b begin", self.lines())

    def until_no_order(self, *hosts):
        """Waits until these hosts have no order: its lease has ended, or it is done."""
        for host in hosts:
            until(lambda: not self.ask("/kv/range", key=text64(f"/initfleet/shop order {host} ")).get("kvs"), "the end of the order", 60)

    def test_a_command_that_was_stopped_for_longer_than_its_lease_goes_on(self):
        self.app("a", "b", sleep="0.5")
        rolling = self.start_initfleet("activate", "--rolling", "1")
        until(lambda: "a begin" in self.lines(), "the first host")
        rolling.signal(signal.SIGSTOP)
        self.until_state("a", ready=True)
        self.until_no_order("a")
        rolling.signal(signal.SIGCONT)
        ended = self.assertStatus(rolling.finish(60), 0)
        self.assertEqual((ended.out, ended.err), ("a is active\nb is active\n", ""))

    def test_a_command_that_was_stopped_does_not_undo_a_newer_one(self):
        hosts = self.app("a", sleep="30")
        stopped = self.start_initfleet("activate")
        until(lambda: "a begin" in self.lines(), "the run")
        stopped.signal(signal.SIGSTOP)
        self.until_no_order("a")
        self.assertStatus(self.initfleet("deactivate"), 0)
        stopped.signal(signal.SIGCONT)
        self.assertIn("has replaced this one", self.assertStatus(stopped.finish(60), 1).err)
        # The agent handles orders one after the other.
        self.assertStatus(self.initfleet("launch"), 0)
        self.assertEqual(hosts["a"].peer().status()["lifecycle"], "inactive")
        self.assertEqual(self.lines(), ["a begin"])

    def test_an_agent_that_starts_again_does_not_carry_out_an_order_that_is_done(self):
        warm = """warm: { priority: appActive, command: 'echo "$HOST begin" >> "$LOG"; test "$HOST" = a || while [ ! -e "$LOG.go" ]; do sleep 0.05; done' }\n"""
        hosts = {name: self.host(name, warm) for name in "ab"}
        self.until_hosts(*hosts)
        rolling = self.start_initfleet("activate", "--rolling", "1")
        until(lambda: "b begin" in self.lines(), "the second host")
        self.until_no_order("a")
        hosts["a"].agent.process.terminate()
        self.assertEqual(hosts["a"].agent.wait(10), 0)
        self.agent(hosts["a"], "a")
        self.until_hosts("a", "b")
        self.write(self.log + ".go", "")
        ended = self.assertStatus(rolling.finish(60), 0)
        self.assertEqual(ended.out, "a is active\nb is active\n")
        self.assertEqual(self.lines(), ["a begin", "b begin"])

    def test_a_host_whose_agent_is_killed_has_failed(self):
        hosts = self.app("a", sleep="30")
        ordered = self.start_initfleet("activate")
        until(lambda: "a begin" in self.lines(), "the run")
        hosts["a"].agent.process.kill()
        self.assertEqual(ordered.wait(60), 1)


class FullTests(Hosts):
    """An etcd that is full refuses everything but reads, deletions and renewals."""

    def setUp(self):
        super().setUp()
        self.start_small_etcd()

    def test_a_host_whose_state_cannot_be_recorded_does_not_count_as_ready(self):
        hosts = self.app("a", "b")
        self.assertStatus(self.initfleet("activate"), 0)
        self.assertEqual(self.status()["ready"], 2)
        self.fill_etcd()
        hosts["a"].peer().ok("deactivate")
        why = "the states of this host aren't published: etcd refused: database space exceeded; compact and defragment etcd"
        hosts["a"].agent.until_err(why)
        self.until_hosts("b")
        self.empty_etcd()
        hosts["a"].agent.until_err("the states of this host are published again")
        self.until_state("a", lifecycle="inactive", ready=False)
        self.assertEqual(hosts["a"].agent.err.decode().count("aren't published"), 1)

    def test_an_order_that_cannot_be_given_says_why(self):
        self.app("a", "b", sleep="0.5")
        rolling = self.start_initfleet("activate", "--rolling", "1")
        until(lambda: "a begin" in self.lines(), "the first host")
        rolling.signal(signal.SIGSTOP)
        self.until_state("a", ready=True)
        self.fill_etcd()
        rolling.signal(signal.SIGCONT)
        rolling.until_err("initfleet: cannot ask b: etcd refused: database space exceeded; compact and defragment etcd")
        self.empty_etcd()
        ended = self.assertStatus(rolling.finish(60), 0)
        self.assertEqual(ended.out, "a is active\nb is active\n")
        self.assertEqual(ended.err.count("cannot ask"), 1)


class WatchTests(Hosts):
    def test_watch_shows_the_hosts_and_then_each_change(self):
        watch = self.start_initfleet("watch", "--json")
        self.app("a")
        self.assertStatus(self.initfleet("activate"), 0)
        host = self.status()["hosts"][0]
        self.assertTrue(host["ready"])
        until(lambda: any(json.loads(line).get("ready") for line in text(watch).splitlines()), "a line about the ready host")
        lines = [json.loads(line) for line in text(watch).splitlines()]
        self.assertEqual({line["topic"] for line in lines}, {"host"})
        self.assertEqual({line["host"] for line in lines}, {"a"})

    def test_people_get_a_sentence_for_each_change(self):
        host = self.host("a", APP, lease="60s")
        self.until_hosts("a")
        watch = self.start_initfleet("watch")
        until(lambda: "a isn't ready" in text(watch), "the host")
        host.agent.process.terminate()
        until(lambda: "a has left" in text(watch), "the end")


if __name__ == "__main__":
    unittest.main()
