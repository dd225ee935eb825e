"""One peer against the others: it uses all descriptors, requests more than it reads, or sends long reports. The others are served."""

import contextlib
import os
import re
import resource
import signal
import socket
import struct
import time
import unittest

from deadlines import DEADLINE, until
from peer import Peer, connected, frame, hello, message
from supervisor import Conformance

FEW = 300
"""The number of descriptors of a supervisor whose limit can't be raised."""


class Crowd:
    """Opens this many connections, sends hello, and returns those that were accepted."""

    def __init__(self, test, path, count):
        self.peers = []
        for _ in range(count):
            peer = Peer(connected(path))
            test.addCleanup(peer.close)
            peer.send(id=1, method="hello", params={"protocol": 1, "client": {"name": "crowd", "version": "1"}})
            if "result" in peer.receive():
                self.peers.append(peer)


def threads(supervisor):
    """The number of threads of a supervisor."""
    return len(os.listdir(f"/proc/{supervisor.pid}/task"))


class DescriptorTests(Conformance):
    INITIALIZERS = """\
        retried: { command: 'exit 1', retry: { attempts: 3, delay: 50ms }, priority: appActive, optional: true }
        late: { worker: true, timeout: 100ms, priority: appActive, optional: true }
        missing: { worker: true, priority: appActive, optional: true }
        """

    def start_with_few(self, limit=FEW):
        prefix = ["/bin/sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"]
        directory = self.directory()
        observe = os.path.join(directory, "observe.sock")
        supervisor = self.start_with(self.INITIALIZERS, "--observe-socket", observe, directory=directory, prefix=prefix)
        until(lambda: os.path.exists(observe), "the socket for observers, which is created second")
        return supervisor, observe

    def activate(self, peer, worker=None):
        """A retry's delay, a worker's timeout, its grace period, and the wait for a worker that never connects: all timers fire."""
        worker = worker or self.supervisor.worker("late", name="late")
        peer.ok("activate")
        run = worker.expect_run("late")
        run.expect_cancel("timeout")
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
        status = {each["name"]: each for each in peer.status()["initializers"]}
        self.assertEqual(status["retried"]["attempt"], 3)
        self.assertEqual(status["retried"]["error"]["cause"], {"kind": "exit", "status": 1})
        self.assertEqual(status["late"]["error"]["cause"]["kind"], "timeout")
        self.assertEqual(status["missing"]["error"]["cause"]["kind"], "workerLost")
        worker.expect_end()
        peer.ok("deactivate", wait=True)

    def test_work_continues_when_observers_use_all_their_connections(self):
        self.supervisor, observe = self.start_with_few()
        crowd = Crowd(self, observe, FEW)
        self.assertLess(len(crowd.peers), FEW - 50, "some aren't let in")
        self.assertGreater(len(crowd.peers), 20)
        self.activate(self.supervisor.peer())

    def test_work_continues_when_both_sockets_are_full(self):
        self.supervisor, observe = self.start_with_few()
        peer = self.supervisor.peer()
        worker = self.supervisor.worker("late", name="late")
        for path in (observe, self.supervisor.path):
            self.assertGreater(len(Crowd(self, path, FEW).peers), 20)
        self.activate(peer, worker)
        self.supervisor.program.pump()
        self.assertIn(b" connections instead of ", self.supervisor.program.err)

    def test_descriptors_are_left_for_as_many_runs_as_may_run_at_once(self):
        """Clients have all of their connections. Each run takes several descriptors."""
        few, count = 700, 60
        prefix = ["/bin/sh", "-c", f'ulimit -n {few}; exec "$@"', "sh"]
        directory = self.directory()
        os.mkfifo(directory + "/gate")
        gate = os.open(directory + "/gate", os.O_RDWR)
        self.addCleanup(os.close, gate)
        each = "{ command: 'echo >> begun; read line < gate', priority: appActive }"
        manifest = self.manifest("\n".join(f"n{number}: {each}" for number in range(count)), head=f"version: 1\nconcurrency: {count}\n")
        supervisor = self.start(manifest, directory=directory, prefix=prefix)
        peer = supervisor.peer()
        self.assertGreater(len(Crowd(self, supervisor.path, few).peers), 20)
        peer.ok("activate")
        supervisor.until_lines("begun", count)
        os.write(gate, b"\n" * count)
        self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")

    def test_two_sockets_share_the_descriptors_for_connections(self):
        limits = []
        for is_shared in (False, True):
            directory = self.directory()
            words = ["--observe-socket", os.path.join(directory, "o")] if is_shared else []
            prefix = ["/bin/sh", "-c", f'ulimit -n {FEW}; exec "$@"', "sh"]
            supervisor = self.start_with("", *words, directory=directory, prefix=prefix)
            supervisor.program.until_err(" connections instead of ")
            limits.append(int(re.search(r"the limit is (\d+) connections", supervisor.program.err.decode())[1]))
        alone, shared = limits
        self.assertLessEqual(2 * shared, alone)

    def test_a_supervisor_has_one_thread_with_any_timers(self):
        self.supervisor, _ = self.start_with_few()
        peer = self.supervisor.peer()
        self.activate(peer)
        self.assertEqual(threads(self.supervisor), 1)

    def test_the_soft_limit_is_raised_and_children_get_the_original_one(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard <= FEW:
            self.skipTest("the hard limit is too small to tell it from the soft one")
        prefix = ["/bin/sh", "-c", f'ulimit -S -n {FEW}; exec "$@"', "sh"]
        supervisor = self.start_with("a: { command: 'ulimit -S -n; ulimit -H -n' }", prefix=prefix)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        self.assertEqual(resource.prlimit(supervisor.pid, resource.RLIMIT_NOFILE), (hard, hard))
        lines = [each["line"] for each in peer.ok("logs")["lines"]]
        self.assertEqual(lines, [str(FEW), "unlimited" if hard == resource.RLIM_INFINITY else str(hard)])


class AnswersTests(Conformance):
    def big(self, supervisor, count):
        """A worker with this many names that wait for one."""
        worker = supervisor.peer("big")
        names = [{"name": f"{'n' * 100}{number}", "dependencies": ["first"]} for number in range(count)]
        for place in range(0, count, 5000):
            worker.ok("register", initializers=([{"name": "first"}] if place == 0 else []) + names[place : place + 5000])
        return worker

    def test_waits_that_time_out_unread_take_no_memory_for_their_answers(self):
        """Each request is answered with a Status of 700 KiB once the client reads."""
        supervisor = self.start_fast()
        self.big(supervisor, 2000)
        peer = supervisor.peer()
        peer.status()
        before = supervisor.resident()
        waits = 200
        peer.send_bytes(b"".join(frame(message(id=f"w{n}", method="wait", params={"for": "active", "timeout": 0.2})) for n in range(waits)))
        other = supervisor.peer()
        other.refused(-32003, "wait", {"for": "active", "timeout": 0.5})
        self.assertLess(supervisor.resident() - before, 16 << 20)
        for number in range(waits):
            error = peer.answer(f"w{number}")["error"]
            self.assertEqual(error["code"], -32003)
            self.assertEqual(len(error["data"]["status"]["initializers"]), 2001)
        self.assertLess(supervisor.resident() - before, 16 << 20)

    def timed_out_unread(self, supervisor, waits):
        """A client with this many waits, all of which time out before it reads."""
        peer = supervisor.peer()
        peer.send_bytes(b"".join(frame(message(id=f"w{n}", method="wait", params={"for": "active", "timeout": 0.1})) for n in range(waits)))
        supervisor.peer().refused(-32003, "wait", {"for": "active", "timeout": 0.5})
        return peer

    def test_a_client_that_closes_its_writing_side_gets_every_answer(self):
        supervisor = self.start_fast()
        self.big(supervisor, 2000)
        peer = self.timed_out_unread(supervisor, 10)
        peer.stream.shutdown(socket.SHUT_WR)
        for number in range(10):
            error = peer.answer(f"w{number}")["error"]
            self.assertEqual(error["code"], -32003)
            self.assertEqual(len(error["data"]["status"]["initializers"]), 2001)
        peer.expect_end()

    def test_a_client_that_closes_its_writing_side_may_read_a_large_answer_late(self):
        """Later than the time for a last message."""
        supervisor = self.start_fast("--limit", "farewell=100ms")
        peer = supervisor.peer()
        sent = {"x": "y" * 900_000}
        ping = peer.request("ping", sent)
        peer.stream.shutdown(socket.SHUT_WR)
        # This takes longer by the supervisor's own timers.
        supervisor.peer().refused(-32003, "wait", {"for": "active", "timeout": 0.3})
        self.assertEqual(peer.answer(ping)["result"], sent)
        peer.expect_end()

    def test_at_shutdown_every_request_is_answered_if_necessary_by_a_short_error(self):
        supervisor = self.start_fast("--limit", "farewell=10s")
        self.big(supervisor, 2000)
        peer = self.timed_out_unread(supervisor, 10)
        supervisor.peer().ok("shutdown")
        for number in range(10):
            self.assertIn(peer.answer(f"w{number}")["error"]["code"], (-32003, -32006))
        peer.event_where(topic="shutdown")
        self.assertEqual(supervisor.ended(), 0)

    def test_many_subscribers_catch_up_one_after_the_other(self):
        supervisor = self.start_fast()
        worker = self.big(supervisor, 500)
        run = worker.expect_run("first")
        subscribers = [supervisor.peer() for _ in range(20)]
        for each in subscribers:
            each.ok("subscribe", topics=["initializer"])
        for number in range(2000):
            run.progress(message=f"{number} " + "y" * 1000)
        worker.alive()
        seq = supervisor.peer().status()["seq"]
        for each in subscribers:
            dropped = each.event_where(topic="lagged")["dropped"]
            self.assertGreater(dropped, 0)
            snapshot = each.event()
            self.assertEqual(snapshot["topic"], "snapshot")
            self.assertGreaterEqual(snapshot["snapshot"]["seq"], seq)
            self.assertEqual(len(snapshot["snapshot"]["initializers"]), 501)

    def test_a_message_of_a_megabyte_is_cut_and_marked(self):
        supervisor = self.start_fast()
        worker = supervisor.worker(*[{"name": f"n{number}", "optional": True} for number in range(30)])
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["initializer"])
        for number in range(30):
            run = worker.expect_run(f"n{number}")
            run.progress(message="\u0001" * 170_000)
            if number % 2:
                run.succeed()
            else:
                run.fail("é" * 160_000)
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        for each in peer.status()["initializers"]:
            progress = each["progress"]["message"]
            self.assertTrue(progress.endswith("… (cut)"), progress[-20:])
            self.assertLessEqual(len(progress.encode()), 1024)
            if "error" in each:
                said = each["error"]["cause"]["message"]
                self.assertTrue(said.endswith("… (cut)") and len(said.encode()) <= 1024, said[-20:])
        worker.close()
        self.assertLess(len(peer.call("status")["result"]["initializers"]), 31)

    def test_a_status_fits_with_any_declarations_and_reports(self):
        """A cycle of 5,000 names prevents all of them from running, and is in the error of each."""
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.peer("cycle")
        names = [f"{'c' * 90}{number}" for number in range(5000)]
        declared = [{"name": name, "dependencies": [names[place - 1]]} for place, name in enumerate(names)]
        worker.ok("register", initializers=declared[:2500])
        worker.ok("register", initializers=declared[2500:])
        peer = supervisor.peer()
        peer.ok("subscribe", topics=["initializer", "pass"])
        peer.ok("launch")
        error = self.failed(supervisor.peer().ok("wait", for_="launch"), "circularDependency")
        self.assertEqual(len(error["cycle"]), 5001)
        status = supervisor.peer().status()
        self.assertEqual(len(status["initializers"]), 5000)
        self.assertEqual({each["status"] for each in status["initializers"]}, {"failed", "notRun"})

    def test_the_client_with_the_most_memory_is_disconnected_at_the_limit_of_all_clients(self):
        supervisor = self.start_fast("--limit", "clientBytes=4MiB", "--limit", "answerBytes=16MiB")
        honest = supervisor.peer("honest")
        hogs = [supervisor.peer(f"hog{number}") for number in range(3)]
        payload = frame(message(id=1, method="ping", params={"x": "y" * (500 << 10)}))
        hogs[0].stream.settimeout(DEADLINE)

        def fill():
            """A client that requests and doesn't read."""
            try:
                for _ in range(20):
                    hogs[0].send_bytes(payload)
            except OSError:
                pass

        fill()
        supervisor.program.until_err("disconnected hog0")
        supervisor.program.pump()
        said = [line for line in supervisor.program.err.decode().splitlines() if "disconnected" in line]
        self.assertEqual(len(said), 1, said)
        self.assertIn(f"pid {os.getpid()}", said[0])
        for each in [honest, *hogs[1:]]:
            each.alive()


    def test_only_one_of_several_unread_large_answers_is_encoded(self):
        """Three answers of 700 KiB, or pages of half a MiB, which exceed the memory of all clients."""
        supervisor = self.start_with("c: { command: 'yes $(printf %01000d 0) | head -n 650' }", "--limit", "clientBytes=1MiB")
        other = supervisor.peer()
        other.ok("wait", for_="launch")
        worker = self.big(supervisor, 2200)
        for method, size in (("status", 680 << 10), ("logs", 450 << 10)):
            with self.subTest(method):
                peer = supervisor.peer()
                ids = [peer.request(method) for _ in range(3)]
                for _ in range(20):
                    other.alive()
                for id in ids:
                    answer = peer.answer(id)
                    self.assertGreater(len(message(**answer)), size)
        worker.alive()

    def test_observers_are_disconnected_before_a_client_of_the_own_user_with_more_memory(self):
        directory = self.directory()
        observe = os.path.join(directory, "observe.sock")
        supervisor = self.start_fast("--observe-socket", observe, "--limit", "clientBytes=1MiB", directory=directory)
        own = supervisor.peer("own")
        observer = Peer(connected(observe))
        self.addCleanup(observer.close)
        hello(observer, "observer")
        ping = frame(message(id="p", method="ping", params={"x": "y" * (570 << 10)}))
        begun = 560 << 10
        own.send_bytes(ping[:begun])
        # The client is disconnected before or after its last byte.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            observer.send_bytes(ping[: 500 << 10])
        observer.expect_end()
        supervisor.program.until_err("disconnected observer")
        own.send_bytes(ping[begun:])
        self.assertIn("result", own.answer("p"))


class FrameTests(Conformance):
    def test_a_frames_deadline_isnt_extended_for_an_expensive_client(self):
        supervisor = self.start_fast("--limit", "frameTimeout=1s")
        peer = supervisor.peer()
        peer.ok("register", initializers=[{"name": f"n{number}", "dependencies": ["nobody"]} for number in range(5000)])
        began = time.monotonic()
        peer.send_bytes(struct.pack(">I", 1000))
        with self.assertRaises(OSError):
            while time.monotonic() < began + DEADLINE:
                time.sleep(0.2)
                peer.send_bytes(b"x")
        self.assertIn("complete", peer.complaint(-32700)["message"])


class OrderTests(Conformance):
    """An abandoned pass, and removed names, are published at once."""

    STUBBORN = "s: { command: \"trap '' TERM; echo >> trapped; while :; do sleep 0.05; done\", priority: appActive }"

    def start_stubborn(self):
        head = "version: 1\ncancelGrace: 60s\n"
        supervisor = self.start(self.manifest(self.STUBBORN, head=head), "--deactivate-on", "USR2")
        peer = supervisor.peer()
        peer.ok("activate")
        # Before that, SIGTERM would end it.
        supervisor.until_lines("trapped")
        peer.ok("deactivate")
        return supervisor, peer

    def kill_stubborn(self, supervisor):
        supervisor.program.signal(signal.SIGTERM)
        supervisor.program.until_err("shutting down")
        # The test signals until the signal isn't a repetition of the first one any more.
        until(lambda: supervisor.program.process.poll() is not None or supervisor.program.signal(signal.SIGTERM), "its end")
        supervisor.ended()

    def test_a_wait_for_an_abandoned_pass_is_answered_before_the_previous_one_has_stopped(self):
        for how in ("a signal", "a client", "a released hold"):
            with self.subTest(how):
                supervisor, peer = self.start_stubborn()
                holder = supervisor.peer()
                number = holder.ok("activate", hold=True)["pass"] if how == "a released hold" else peer.ok("activate")["pass"]
                wait = peer.request("wait", {"pass": number})
                peer.alive()
                if how == "a signal":
                    supervisor.program.signal(signal.SIGUSR2)
                elif how == "a client":
                    supervisor.peer().ok("deactivate")
                else:
                    holder.close()
                self.assertEqual(peer.answer(wait)["result"]["state"], "cancelled")
                self.assertEqual(peer.initializer("s")["status"], "stopping")
                self.kill_stubborn(supervisor)

    def test_events_over_a_snapshot_give_the_later_status(self):
        """Names are registered, removed while they run, and registered again."""
        supervisor = self.start_fast()
        watcher = supervisor.peer()
        shown = {each["name"]: each for each in watcher.ok("subscribe", topics=["initializer"])["snapshot"]["initializers"]}
        worker = supervisor.peer("w")
        for turn in range(20):
            worker.register("a", "b", {"name": "c", "dependencies": ["a"]})
            run = worker.expect_run()
            if turn % 2:
                run.progress(fraction=0.5)
            worker.ok("unregister", names=["c", "a", "b"])
            run.expect_cancel("unregistered")
            if turn % 3 == 0:
                worker.register("z")
                worker.ok("unregister", names=["z"])
            run.stopped()
        worker.register("last", "b")
        worker.expect_run("last").succeed()
        worker.expect_run("b").succeed()
        status = supervisor.peer().status()
        while True:
            event = watcher.event()
            name = event["initializer"]["name"]
            if event.get("removed"):
                del shown[name]
            else:
                shown[name] = event["initializer"]
            if event["seq"] >= max(status["seq"] - 3, 0) and list(shown.values()) == status["initializers"]:
                break
        self.assertEqual(list(shown), ["last", "b"])


if __name__ == "__main__":
    unittest.main()
