"""Faults of peers: whatever clients and workers do, or stop doing, the supervisor serves the others and is as it was afterwards."""

import contextlib
import os
import sys
import unittest

import shapes
from calm import PROMPTLY, calm
from deadlines import until
from flood import Flood, all_gone, fresh_status, greeted, percentile, queued, timed
from peer import Ended, frame, hello, message
from supervisor import Conformance

LONG = bool(os.environ.get("LONG"))
KEPT_SILENT = 64
"""How many connections that haven't said hello are kept."""

CONNECTIONS = 1000
"""How many connections there may be."""

HELLO = message(id=1, method="hello", params={"protocol": 1, "client": {"name": "conformance", "version": "1"}})
QUIET = ("--log-level", "error")
"""For what is logged more often than the pipe of the log, which is read at the end, has room for."""


def active(name, **more):
    return {"name": name, "priority": "appActive"} | more


def come_and_go(path, data=b""):
    """Somebody who connects, says that, and hangs up without reading."""
    with contextlib.closing(queued(path)) as peer, contextlib.suppress(BrokenPipeError):
        peer.send_bytes(data)


def silent_ones(path, silent, most=200):
    """One more that says nothing; the oldest of them goes, if they are more than `most`."""
    silent.append(queued(path))
    if len(silent) > most:
        silent.pop(0).close()


LAST = frame(message(id="the last", method="ping"))
SMALL = frame(message(id=1, method="status")) * 1000 + LAST
LARGE = frame(message(id=1, method="ping", params={"x": "y" * (64 * 1024)})) * 8 + LAST


def pipeline(peer, requests):
    """Many requests at once, and their answers, read as bytes."""
    peer.send_bytes(requests)
    tail = b""
    while b"the last" not in tail:
        tail = tail[-10:] + peer.stream.recv(1 << 20)


class HonestTests(Conformance):
    """Under floods `status` takes a new client, and one that has been there, no longer than promptly in 99 of 100 cases."""

    CALLS = 200

    def floods(self, supervisor):
        """What a flood does, and what it begins with."""
        path = supervisor.path
        return {
            "connect and close": (lambda _: come_and_go(path), lambda: None),
            "say hello and close": (lambda _: come_and_go(path, frame(HELLO)), lambda: None),
            "say nothing": (lambda silent: silent_ones(path, silent), list),
            "pipeline small requests": (lambda peer: pipeline(peer, SMALL), lambda: greeted(path)),
            "pipeline large requests": (lambda peer: pipeline(peer, LARGE), lambda: greeted(path)),
        }

    def honest_under(self, floods, copies, is_spoken=False):
        """So many processes of each of these floods, and a command whose output doesn't end."""
        supervisor = self.start_with(
            """\
            first: { command: "true" }
            spoken: { command: exec yes a line of output neither short nor long, priority: appActive }
            """,
            *QUIET,
        )
        with contextlib.closing(supervisor.peer()) as peer:
            peer.ok("wait", for_="launch")  # Of the first command some descriptors are kept for the next.
        with calm(supervisor):
            flowing = [Flood(self, *self.floods(supervisor)[each]) for each in floods for _ in range(copies)]
            honest = greeted(supervisor.path)
            if is_spoken:
                honest.ok("activate")
                until(lambda: honest.ok("logs", limit=1)["lines"], "output")
            for each in flowing:
                each.until(10)
            before = [each.count for each in flowing]
            times = {
                "who has been there": [timed(honest.status) for _ in range(self.CALLS)],
                "a new client": [timed(lambda: fresh_status(supervisor.path)) for _ in range(self.CALLS)],
            }
            after = [each.count for each in flowing]
            for each in flowing:
                each.alive()
                each.stop()
            if is_spoken:
                self.assertEqual(honest.initializer("spoken")["status"], "running")
                honest.ok("deactivate", wait=True)
            honest.close()
        for then, now in zip(before, after):
            self.assertGreater(now, then, "a flood that doesn't flow")
        for who, took in times.items():
            self.assertLess(percentile(took, 0.99), PROMPTLY, f"{who} waits so long; the median is {percentile(took, 0.5)}")

    def test_under_a_flood_of_connections_that_close(self):
        self.honest_under(["connect and close", "say hello and close"], 2)

    def test_under_a_flood_of_connections_that_say_nothing(self):
        self.honest_under(["say nothing"], 3)

    def test_under_a_flood_of_small_pipelined_requests(self):
        self.honest_under(["pipeline small requests"], 3)

    def test_under_a_flood_of_large_pipelined_requests(self):
        self.honest_under(["pipeline large requests"], 2)

    def test_under_a_flood_of_output(self):
        self.honest_under([], 0, is_spoken=True)

    def test_under_all_floods_at_once(self):
        self.honest_under(["connect and close", "say nothing", "pipeline small requests", "pipeline large requests"], 1, is_spoken=True)


class SilentTests(Conformance):
    def test_200_say_nothing_while_a_201st_works(self):
        """The oldest go without a word and 64 stay, of whom it was one itself until its hello; nobody has to go who has said that."""
        supervisor = self.start_fast()
        with calm(supervisor):
            silent = [queued(supervisor.path) for _ in range(200)]
            working = greeted(supervisor.path)
            self.assertLess(percentile([timed(working.status) for _ in range(100)], 0.99), PROMPTLY)
            working.register("a")
            working.expect_run("a").succeed()
            self.assertEqual(working.ok("wait", for_="launch")["state"], "complete")
            working.ok("unregister", names=["a"])
            stayed = silent[-(KEPT_SILENT - 1) :]
            for peer in silent[: -len(stayed)]:
                peer.expect_end_now()
                peer.close()
            for peer in stayed:
                hello(peer)
                peer.alive()
                peer.close()
            working.close()

    def test_200_say_nothing_after_hello(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            silent = [greeted(supervisor.path) for _ in range(200)]
            working = greeted(supervisor.path)
            self.assertLess(percentile([timed(working.status) for _ in range(100)], 0.99), PROMPTLY)
            for peer in [working, *silent]:
                peer.alive()
                peer.close()

    def test_of_more_than_1000_connections_the_further_are_told_so(self):
        supervisor = self.start_fast()
        with calm(supervisor):
            peers = [greeted(supervisor.path) for _ in range(CONNECTIONS)]
            for _ in range(200):
                with contextlib.closing(queued(supervisor.path)) as further:
                    said = b"".join(iter(lambda: further.stream.recv(4096), b""))
                    refused = shapes.loads(said[4:])
                    self.assertEqual((refused["id"], refused["error"]["code"]), (None, -32007))
                    self.assertEqual(refused["error"]["data"]["limit"], "connections")
            for peer in peers:
                peer.alive()
                peer.close()


class FloodTests(Conformance):
    """Connections that come and go as fast as they can, and leave at every point of a conversation."""

    TIMES = 2000

    def test_who_connects_and_closes(self):
        register = frame(message(id=2, method="register", params={"initializers": [{"name": "a"}]}))
        waiting = frame(message(id=3, method="wait", params={"for": "active"})) + frame(message(id=4, method="subscribe"))
        held = frame(message(id=5, method="activate", params={"hold": True}))
        for said in (b"", b"\0", b"\xff", frame(HELLO), frame(HELLO) + waiting + held, frame(HELLO) + register + waiting + held):
            with self.subTest(said=said):
                supervisor = self.start_fast(*QUIET, "--no-launch")
                come_and_go(supervisor.path, said)
                with calm(supervisor) as before:
                    flood = Flood(self, lambda _: come_and_go(supervisor.path, said))
                    flood.until(self.TIMES)
                    flood.stop()
                    all_gone(supervisor, before)
                status = supervisor.peer().status()
                self.assertEqual((status["workers"], status["holds"], status["lifecycle"]), ([], 0, "inactive"))


class SubscriberTests(Conformance):
    TOPICS = ["launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log"]

    def events(self, count, subscribers, size):
        """So many events to so many subscribers, one of which never reads: the others get the same bytes, and all of them."""
        supervisor = self.start_fast(*QUIET, "--activate")
        with calm(supervisor):
            worker = supervisor.worker(active("a"))
            run = worker.expect_run("a")
            peers = [greeted(supervisor.path) for _ in range(subscribers)]
            for peer in peers:
                peer.ok("subscribe", topics=["initializer"])
            deaf, first, *others = peers
            # No more at a time than a socket has room for: nobody is late but who doesn't read.
            batch = max(1, 64 * 1024 // (size + 500))
            for start in range(0, count, batch):
                numbers = range(start, min(start + batch, count))
                worker.send_bytes(b"".join(self.progress(run, number, size) for number in numbers))
                sent = self.frames(first, len(numbers))
                for peer in others:
                    if (got := self.bytes(peer, len(sent))) != sent:
                        self.assertEqual(got, sent)
            self.assertIn(self.progress(run, count - 1, size)[-size:-4], sent)
            deaf.event_where(topic="lagged")
            self.assertEqual(deaf.event()["topic"], "snapshot")
            run.succeed()
            worker.ok("unregister", names=["a"])
            for peer in [worker, *peers]:
                peer.close()

    def progress(self, run, number, size):
        return frame(message(method="progress", params={"run": run.number, "message": f"{number} " + "x" * size}))

    def frames(self, peer, count):
        """The next frames, as bytes."""
        found = b""
        for _ in range(count):
            header = self.bytes(peer, 4)
            found += header + self.bytes(peer, int.from_bytes(header, "big"))
        return found

    def bytes(self, peer, count):
        """The next bytes."""
        found = bytearray()
        while len(found) < count:
            more = peer.stream.recv(count - len(found))
            self.assertTrue(more, "a subscriber that reads was put out")
            found += more
        return bytes(found)

    def test_one_subscriber_of_five_never_reads_through_100000_events(self):
        self.events(100_000, 5, 100)

    def test_one_subscriber_of_as_many_as_there_may_be_never_reads(self):
        """As much as is kept for one and more; with LONG=1 all of 100,000 events."""
        others = 2  # The worker, and who asks afterwards whether all is well.
        if LONG:
            self.events(100_000, CONNECTIONS - others, 100)
        else:
            self.events(200, CONNECTIONS - others, 8000)

    def test_a_subscriber_vanishes_while_it_is_written_to_1000_times(self):
        """It has read nothing of what is written to it, a little, or only begun to; what it leaves is half a frame in a socket that is full."""
        supervisor = self.start_fast(*QUIET, "--activate")
        with calm(supervisor):
            talking = Flood(self, self.talk, lambda: self.talker(supervisor))
            talking.until(10)
            for number in range(1000):
                peer = greeted(supervisor.path)
                peer.ok("subscribe", topics=self.TOPICS)
                for _ in range(number % 3):
                    peer.event_where(topic="initializer")
                if number % 100 == 0:
                    talking.until(70)  # More than is kept for it: it goes with what it had missed untold.
                peer.close()
            talking.alive()
            talking.stop()
            peer = supervisor.peer()
            until(lambda: peer.status()["workers"] == [], "the loss")
            peer.ok("unregister", names=["a"])
            peer.close()

    def talker(self, supervisor):
        """A worker's run, in which it reports."""
        worker = greeted(supervisor.path, "talker")
        worker.register(active("a"))
        return worker.expect_run("a")

    def talk(self, run):
        """20 KB of reports, each told to all; no further ones before the others had their turn."""
        for _ in range(20):
            run.progress(message="x" * 1000)
        run.peer.alive()


class WorkerTests(Conformance):
    """A worker that ends, or stands still, in the middle of its run."""

    def setUp(self):
        super().setUp()
        self.supervisor = self.start("version: 1\ncancelGrace: 300ms\nregistrationTimeout: 60s\n", *QUIET)
        self.peer = self.supervisor.peer()

    def process(self, *declared):
        """A worker in a process of its own, which registers these and succeeds in all it is asked for, until it is put out."""

        def prepare():
            worker = queued(self.supervisor.path)
            hello(worker, "process")
            worker.register(*declared)
            return worker

        def work(worker):
            try:
                worker.expect_run(deadline=600).succeed()
            except (Ended, BrokenPipeError):
                sys.exit()

        return Flood(self, work, prepare)

    def gone(self, *names):
        """Waits until nobody provides anything, and takes the names away."""
        until(lambda: self.peer.status()["workers"] == [], "the loss of the worker")
        self.peer.ok("unregister", names=list(names))

    def again(self, what, times=100):
        """Calm around so many of them. What the first one brought with it, a timer for one, may be kept for the next."""
        what()
        with calm(self.supervisor):
            for _ in range(times):
                what()

    def activated(self):
        return self.peer.ok("activate")["pass"]

    def completes(self, number):
        self.assertEqual(self.peer.ok("wait", pass_=number)["state"], "complete")

    def outcomes(self):
        """How the runs of the newest pass ended."""
        return [each["outcome"] for each in self.peer.last_pass()["runs"]]

    def stopped_in_its_run(self, *declared):
        """A worker's process that stands still and is asked for a run."""
        worker = self.process(*declared)
        until(lambda: self.peer.status()["workers"], "the worker")
        worker.pause()
        number = self.activated()
        self.peer.until_initializer("a", "running")
        return worker, number

    def test_a_worker_is_killed(self):
        """In its run, which has failed then, and is tried again by the next worker."""

        def killed():
            declared = active("a", retry={"attempts": 2, "delay": 0})
            worker, number = self.stopped_in_its_run(declared)
            worker.stop()
            self.peer.until_initializer("a", "waiting")
            another = self.process(declared)
            self.completes(number)
            self.assertEqual(self.outcomes(), ["failed", "complete"])
            another.stop()
            self.peer.ok("deactivate", wait=True)
            self.gone("a")

        self.again(killed)

    def test_a_worker_is_stopped_and_continued(self):
        """Its run goes on as if nothing had been; what it is asked for meanwhile waits for it, and nobody else does."""
        worker, number = self.stopped_in_its_run(active("a"), active("b"))

        def continued():
            nonlocal number
            self.assertEqual(self.peer.call("wait", {"pass": number, "timeout": 0.01})["error"]["code"], -32003)
            before = worker.count
            worker.resume()
            self.completes(number)
            worker.until(before + 2 - worker.count)
            self.assertEqual(self.outcomes(), ["complete", "complete"])
            self.peer.ok("deactivate", wait=True)
            worker.pause()
            number = self.activated()
            self.peer.until_initializer("a", "running")

        self.again(continued)

    def test_a_worker_is_stopped_told_to_stop_and_continued_too_late(self):
        """It was put out after the grace that it had; what it says then is nobody's, and its place is another's."""

        def too_late():
            worker, _ = self.stopped_in_its_run(active("a"))
            self.assertEqual(self.peer.ok("deactivate", wait=True)["cancelled"], ["a"])
            self.assertEqual((self.peer.status()["workers"], self.outcomes()), ([], ["cancelled"]))
            another = self.process(active("a"))
            until(lambda: self.peer.status()["workers"], "another worker")
            worker.resume()
            worker.ended()
            self.completes(self.activated())
            another.until(1 - another.count)
            another.stop()
            self.peer.ok("deactivate", wait=True)
            self.gone("a")

        self.again(too_late, times=10)


class AnswerTests(Conformance):
    """Answers to what was not asked, or is no longer: each run ends as its own worker says, and nothing is kept of them."""

    def again(self, declared, wrong, wanted, times=200):
        """So many passes of two workers, of which `wrong` does something wrong in its run, and ends it in the end; how its runs ended."""
        supervisor = self.start_fast("--concurrency", "2", *QUIET)
        peer = supervisor.peer()
        worker, other = supervisor.worker(active("a", **declared)), supervisor.worker(active("b"))

        def once():
            number = peer.ok("activate")["pass"]
            run, its = worker.expect_run("a"), other.expect_run("b")
            wrong(run, its)
            worker.alive()
            self.assertEqual((peer.initializer("b")["status"], peer.initializer("b").get("progress")), ("running", None))
            its.succeed()
            self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
            runs = peer.last_pass()["runs"]
            self.assertEqual([each["outcome"] for each in runs if each["initializer"] == "a"], wanted)
            peer.ok("deactivate", wait=True)

        once()
        with calm(supervisor):
            for _ in range(times):
                once()
        self.assertEqual(worker.inbox + other.inbox, [], "nobody is asked or told anything more")

    def test_twice(self):
        def wrong(run, its):
            for _ in range(5):
                run.succeed()
                run.fail()
                run.progress(fraction=0.5)

        self.again({}, wrong, ["complete"])

    def test_late(self):
        """After its timeout, and again while the next attempt runs."""

        def wrong(run, its):
            run.progress(extend=0)
            run.expect_cancel("timeout").stopped()
            run.succeed()
            following = run.peer.expect_run("a")
            for _ in range(5):
                run.succeed()
                run.fail()
                run.progress(fraction=0.5)
            following.succeed()

        self.again({"timeout": 600, "retry": {"attempts": 2, "delay": 0}}, wrong, ["failed", "complete"])

    def test_for_anothers_run(self):
        def wrong(run, its):
            for _ in range(5):
                run.peer.send(id=its.id, result={})
                run.peer.send(id=its.id, error={"code": 1, "message": "not its own"})
                run.peer.send(method="progress", params={"run": its.number, "fraction": 0.5, "extend": 0})
            run.succeed()

        self.again({}, wrong, ["complete"])

    def test_for_a_run_that_never_was(self):
        strange = ["run-0", "run-1000000", "run--1", "run-", "run", "", "x" * 64, f"run-{2**64 - 1}", f"run-{2**63}", 0, 1, -1, 2**63 - 1]

        def wrong(run, its):
            for id in [*strange, f"run-0{run.number}", f"run-{run.number} ", f"RUN-{run.number}", f"run-+{run.number}", run.number]:
                run.peer.send(id=id, result={})
                run.peer.send(id=id, error={"code": 1, "message": "of nothing"})
            for number in (0, -1, run.number + 1000, 2**63 - 1):
                run.peer.send(method="progress", params={"run": number, "fraction": 0.5})
            run.peer.alive()
            self.assertEqual(run.peer.initializer("a")["status"], "running")
            run.succeed()

        self.again({}, wrong, ["complete"], times=50)


class NameTests(Conformance):
    def test_a_name_taken(self):
        """By one who stays and tries again, and by others who come for it and go: it stays with the first, and so do its runs."""
        supervisor = self.start_fast("--activate", *QUIET)
        first, second = supervisor.worker(active("a")), supervisor.peer()
        run = first.expect_run("a")
        wanted = {"initializers": [active("new"), active("a")]}
        with calm(supervisor):
            for _ in range(1000):
                second.refused(-32002, "register", wanted)
            for _ in range(500):
                with contextlib.closing(greeted(supervisor.path)) as other:
                    other.refused(-32002, "register", wanted)
        run.succeed()
        status = supervisor.peer().status()
        self.assertNames(status["initializers"], ["a"])
        self.assertEqual([each["initializers"] for each in status["workers"]], [["a"]])
        self.assertEqual(second.ok("wait", for_="active")["state"], "complete")

    def test_register_then_die_before_the_answer(self):
        """The name is free at once for the next one, and has its run."""
        register = message(id=2, method="register", params={"initializers": [active("a")]})
        supervisor = self.start_fast("--activate", *QUIET)
        peer = supervisor.peer()
        with calm(supervisor) as before:
            for number in range(1000):
                come_and_go(supervisor.path, frame(HELLO) + frame(register))
                if number % 50 == 0:
                    worker = greeted(supervisor.path)
                    until(lambda: "result" in worker.call("register", {"initializers": [active("a")]}), "a name that is free")
                    number = peer.ok("activate")["pass"]
                    worker.expect_run("a").succeed()
                    self.assertEqual(peer.ok("wait", pass_=number)["state"], "complete")
                    worker.close()
            all_gone(supervisor, before)
            peer.ok("unregister", names=["a"])
            self.assertEqual(peer.status()["initializers"], [])


if __name__ == "__main__":
    unittest.main()
