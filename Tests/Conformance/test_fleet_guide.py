"""The commands and programs of the guide Examples/fleet."""

import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Docs"))

import pathlib
import unittest

from deadlines import until
from fleet import HEAD, INITFLEET, Fleet, free_port
from markdown import Document
from supervisor import INITCTL, INITD, ROOT, Conformance, is_running

EXAMPLES = os.path.join(ROOT, "Examples/fleet")
PATH = ":".join([*map(os.path.dirname, (INITD, INITCTL, INITFLEET)), os.environ["PATH"]])


class LaptopTests(Conformance):
    def test_its_commands_work_unchanged_and_leave_nothing_behind(self):
        blocks = [each.text for each in Document(pathlib.Path(EXAMPLES, "README.md")).blocks() if each.section == "On a laptop"]
        self.assertEqual([block.split()[0] for block in blocks], ["make", "export", "cat", "initfleet", "kill"])
        # etcd takes its ports from the environment, so the tests of several clones can run at the same time.
        client, peer = (f"http://127.0.0.1:{free_port()}" for _ in range(2))
        env = {"ETCD_LISTEN_CLIENT_URLS": client, "ETCD_ADVERTISE_CLIENT_URLS": client, "ETCD_LISTEN_PEER_URLS": peer}
        env |= {"ETCD_INITIAL_ADVERTISE_PEER_URLS": peer, "ETCD_INITIAL_CLUSTER": f"default={peer}"}
        script = "".join(blocks[1:]).replace("http://127.0.0.1:2379", client)
        temporary = self.directory()
        shell = self.program(["bash", "-e", "-c", f"cd {EXAMPLES}\n{script}"], env=env | {"PATH": PATH, "TMPDIR": temporary})
        done = self.assertStatus(shell.finish(120), 0)
        migrations = [line for line in done.out.splitlines() if "migrates, fencing token" in line]
        self.assertEqual(len(migrations), 1, done)
        winner = migrations[0].split()[0]
        self.assertEqual(done.out.count(f"completed on {winner} at 20"), 1, done)
        self.assertIn("web-1 is active\nweb-2 is active\nREADY\nhosts    2 of 2 ready\n", done.out)
        self.assertEqual(os.listdir(temporary), [])

    def test_every_command_and_option_of_its_pages_exists(self):
        shown = set()
        for page in pathlib.Path(EXAMPLES).rglob("*.md"):
            text = page.read_text().replace("\\\n", " ")
            lines = [line.split("#")[0] for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
            spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))]
            for words in (each.split() for each in lines + spans if each.strip().startswith("initfleet ")):
                shown |= {(words[1], word.split("=")[0]) for word in words[1:] if word.startswith("--") or word == words[1]}
        self.assertGreater(len(shown), 20)
        for command, word in sorted(shown):
            if not command.startswith("-"):
                page = self.assertStatus(self.program([INITFLEET, "help", command]).finish(), 0).out
                self.assertIn(f"initfleet {command}" if word == command else f"  {word} ", page)

    def test_its_manifests_are_valid(self):
        for name in ("laptop.yaml", "init.yaml"):
            self.assertStatus(self.program([INITD, "--check", os.path.join(EXAMPLES, name)]).finish(), 0)


    def test_it_lists_the_calls_of_etcd_that_are_used(self):
        calls, service = set(), ""
        for line in pathlib.Path(ROOT, "companions/fleet/Protocol/etcd.proto").read_text().splitlines():
            words = line.replace("(", " ").split()
            service = words[1] if words[:1] == ["service"] else service
            calls |= {(service, words[1])} if words[:1] == ["rpc"] else set()
        guide = pathlib.Path(EXAMPLES, "README.md").read_text()
        rows = re.findall(r"^\| (KV|Lease|Watch|Auth) \| (.*) \|$", guide, re.MULTILINE)
        self.assertEqual({(service, call) for service, listed in rows for call in re.findall(r"`([A-Z]\w+)`", listed)}, calls)


class WaitForReleaseTests(Conformance):
    """After a deployment, a wait counts only hosts of the new release: those of the old one stay ready in the meantime."""

    def test_the_job_of_kubernetes_has_the_image_and_the_release_of_the_kustomization(self):
        place = pathlib.Path(EXAMPLES, "kubernetes")
        (block,) = [each.text for each in Document(place / "README.md").blocks() if "wait.yaml" in each.text]
        directory = pathlib.Path(self.directory())
        kustomization = (place / "kustomization.yaml").read_text()
        self.assertEqual(kustomization.count("newTag: v7 "), 1)
        (directory / "kustomization.yaml").write_text(kustomization.replace("newTag: v7 ", "newTag: v8.1 "))
        (directory / "wait.yaml").write_text((place / "wait.yaml").read_text())
        # A kubectl that keeps the job, and says that it is complete.
        (directory / "kubectl").write_text('#!/bin/sh\n[ "$1" != create ] || { cat >job.yaml; echo job.batch/shop-ready-x; }\n')
        (directory / "kubectl").chmod(0o755)
        path = f"{directory}:{os.environ['PATH']}"
        self.assertStatus(self.program(["sh", "-eu", "-c", block], cwd=directory, env={"PATH": path}).finish(), 0)
        words = [line.split() for line in (directory / "job.yaml").read_text().splitlines() if not line.lstrip().startswith("#")]
        self.assertIn(["image:", "shop:v8.1"], words)
        self.assertEqual(words[words.index(["-", "--release"]) + 1], ["-", "v8.1"])
        self.assertFalse(any("RELEASE" in word for line in words for word in line), words)

    def test_the_pages_about_deployments_wait_for_a_release(self):
        for name in ("kubernetes", "systemd"):
            for line in pathlib.Path(EXAMPLES, name, "README.md").read_text().splitlines():
                if "initfleet wait" in line:
                    self.assertIn("--release", line)


class FollowerTests(Fleet):
    """while-leading: a command that runs only while its host leads."""

    WORK = "trap 'echo \"$HOST stops\" >> $LOG; exit' TERM; echo \"$HOST works\" >> $LOG; while :; do sleep 0.01; done"

    def follower(self, name, **more):
        host = self.host(name, "serve: { command: 'true' }\n", agent=False, head=HEAD)
        env = {"INITD_SOCKET": host.path, "HOST": name, "LOG": self.log, "PATH": PATH} | more
        host.follower = self.program([os.path.join(EXAMPLES, "while-leading"), "bash", "-c", self.WORK], env=env)
        return host

    def lead(self, host, name, lease="4s"):
        host.candidate = self.start_initfleet("lead", "billing", "--host", name, "--lease", lease, "--socket", host.path)

    def test_the_command_runs_on_the_leader_alone_and_moves_with_the_leadership(self):
        first, second = self.follower("a"), self.follower("b")
        self.lead(first, "a", "60s")
        until(lambda: self.lines() == ["a works"], "the work on a")
        self.lead(second, "b", "60s")
        second.candidate.until_err("b waits to lead billing")
        first.candidate.process.terminate()
        self.assertEqual(first.candidate.wait(10), 0)
        until(lambda: sorted(self.lines()) == ["a stops", "a works", "b works"], "the work on b")
        second.follower.process.terminate()
        self.assertEqual(second.follower.wait(10), 0)
        self.assertEqual(self.lines()[-1], "b stops")

    def test_the_command_gets_the_fencing_token_of_its_leadership(self):
        self.WORK = "trap 'exit' TERM; echo \"$HOST ${INITD_FENCE-none}\" >> $LOG; while :; do sleep 0.01; done"
        first, second = self.follower("a"), self.follower("b")
        # An app that was active before its host led.
        first.peer().ok("activate")
        until(lambda: self.lines() == ["a none"], "the work without a leadership")
        self.lead(first, "a", "60s")
        until(lambda: len(self.lines()) == 2, "the work of the leader")
        self.lead(second, "b", "60s")
        second.candidate.until_err("b waits to lead billing")
        fences = [self.status()["leaders"][0]["fence"]]
        first.candidate.process.terminate()
        self.assertEqual(first.candidate.wait(10), 0)
        until(lambda: len(self.lines()) == 3, "the work on b")
        fences.append(self.status()["leaders"][0]["fence"])
        self.assertEqual(self.lines()[1:], [f"a {fences[0]}", f"b {fences[1]}"])

    def test_a_token_of_its_environment_is_not_the_token_of_the_command(self):
        self.WORK = "echo \"${INITD_FENCE-none}\" >> $LOG; sleep 600"
        host = self.follower("a", INITD_FENCE="99")
        host.peer().ok("activate")
        until(lambda: self.lines() == ["none"], "the work without a token")

    def test_without_its_supervisor_it_stops_the_command(self):
        host = self.follower("a")
        self.lead(host, "a")
        until(lambda: self.lines() == ["a works"], "the work")
        os.kill(host.pid, signal.SIGKILL)
        until(lambda: self.lines() == ["a works", "a stops"], "the stop")

    def test_a_hung_supervisor_counts_as_none(self):
        host = self.follower("a")
        self.lead(host, "a", "60s")
        until(lambda: self.lines() == ["a works"], "the work")
        os.kill(host.pid, signal.SIGSTOP)
        until(lambda: self.lines() == ["a works", "a stops"], "the stop")
        os.kill(host.pid, signal.SIGCONT)
        until(lambda: self.lines() == ["a works", "a stops", "a works"], "the work again")

    def test_it_stops_what_the_command_has_started(self):
        self.WORK = 'sh -c \'trap "" TERM; sleep 600\' & echo $! >> "$LOG"; sleep 600'
        host = self.follower("a")
        self.lead(host, "a")
        child = until(self.lines, "the work")[0]
        host.candidate.process.terminate()
        self.assertEqual(host.candidate.wait(10), 0)
        until(lambda: not is_running(int(child)), "the end of the child")

    def test_it_needs_a_command(self):
        told = self.program([os.path.join(EXAMPLES, "while-leading")]).finish()
        self.assertStatus(told, 1)
        self.assertIn("while-leading COMMAND", told.err)


if __name__ == "__main__":
    unittest.main()
