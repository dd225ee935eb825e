"""protocol.md §5: subscriptions."""

import select
import struct
import threading
import unittest

from deadlines import until
from peer import frame, message
from supervisor import Conformance

ACTIVE = {"name": "a", "priority": "appActive"}


class TopicTests(Conformance):
    def drain(self, peer):
        """The topics of all events until the end."""
        return peer.events_until(lambda event: event["topic"] == "shutdown")[:-1]

    def all_that_happens(self, *topics):
        """The events of a short session, for a subscriber of these topics."""
        supervisor = self.start_with("c: { command: echo hello }", "--no-launch")
        watcher, peer = supervisor.peer(), supervisor.peer()
        watcher.ok("subscribe", **({"topics": list(topics)} if topics else {}))
        worker = supervisor.worker(ACTIVE)
        peer.ok("launch")
        peer.ok("wait", for_="launch")
        peer.ok("activate")
        run = worker.expect_run("a")
        run.progress(fraction=0.5)
        run.succeed()
        peer.ok("wait", for_="active")
        peer.ok("deactivate")
        peer.ok("shutdown")
        events = self.drain(watcher)
        seqs = [each["seq"] for each in events]
        self.assertEqual(seqs, sorted(set(seqs)))
        return events

    def test_a_state_topic_selects_the_state_events_that_list_it_in_changed(self):
        for topic in ("launch", "active", "composite", "lifecycle"):
            with self.subTest(topic):
                events = self.all_that_happens(topic)
                self.assertTrue(events)
                for event in events:
                    self.assertEqual(event["topic"], "state")
                    self.assertIn(topic, event["changed"])

    def test_without_topics_it_is_launch_active_and_composite(self):
        events = self.all_that_happens()
        self.assertEqual({each["topic"] for each in events}, {"state"})
        changed = {name for each in events for name in each["changed"]}
        self.assertTrue({"launch", "active", "composite"} <= changed)
        for event in events:
            self.assertTrue({"launch", "active", "composite"} & set(event["changed"]))

    def test_lifecycle_reports_activation_and_deactivation(self):
        self.assertEqual([each["lifecycle"] for each in self.all_that_happens("lifecycle")][:2], ["active", "inactive"])

    def test_each_other_topic_selects_only_its_own_events(self):
        for topic in ("initializer", "pass", "worker", "log"):
            with self.subTest(topic):
                self.assertEqual({each["topic"] for each in self.all_that_happens(topic)}, {topic})

    def test_initializer_reports_each_status(self):
        statuses = [e["initializer"]["status"] for e in self.all_that_happens("initializer") if e["initializer"]["name"] == "a"]
        ways = [each for each in statuses if each in ("waiting", "running", "complete")]
        self.assertEqual([each for n, each in enumerate(ways) if n == 0 or ways[n - 1] != each][:3], ["waiting", "running", "complete"])

    def test_worker_reports_connections_and_disconnections(self):
        supervisor = self.start_fast("--no-launch")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["worker"])
        worker = supervisor.worker("a", name="api-worker")
        event = watcher.event()
        self.assertEqual((event["connected"], event["worker"]["client"], event["worker"]["initializers"]), (True, "api-worker", ["a"]))
        worker.close()
        event = watcher.event_where(connected=False)
        self.assertEqual(event["worker"]["client"], "api-worker")

    def test_worker_reports_the_remaining_names_after_unregister(self):
        supervisor = self.start_fast("--no-launch")
        worker, watcher = supervisor.worker("a", "b"), supervisor.peer()
        watcher.ok("subscribe", topics=["worker"])
        worker.ok("unregister", names=["a"])
        event = watcher.event()
        self.assertEqual((event["connected"], event["worker"]["initializers"]), (True, ["b"]))

    def test_log_reports_each_line(self):
        supervisor = self.start_with("c: { command: 'echo one; echo two >&2' }", "--no-launch")
        watcher = supervisor.peer()
        watcher.ok("subscribe", topics=["log"])
        supervisor.peer().ok("launch")
        events = [watcher.event(), watcher.event()]
        self.assertEqual({(e["initializer"], e["stream"], e["line"]) for e in events}, {("c", "stdout", "one"), ("c", "stderr", "two")})
        self.assertLess(events[0]["seq"], events[1]["seq"])

    def test_the_snapshot_is_the_status_of_that_moment(self):
        supervisor = self.start_fast("--no-launch")
        supervisor.worker("a")
        snapshot = supervisor.peer().ok("subscribe")["snapshot"]
        self.assertNames(snapshot["initializers"], ["a"])
        self.assertEqual(snapshot["launch"]["state"], "pending")

    def test_the_status_has_the_number_of_subscribers(self):
        supervisor = self.start_fast()
        asking, one, two = supervisor.peer(), supervisor.peer(), supervisor.peer()

        def subscribers():
            return asking.ok("status")["subscribers"]

        self.assertEqual(subscribers(), 0)
        # It is one, whatever its topics.
        for topics in (["pass"], ["pass", "log"], ["pass"]):
            one.ok("subscribe", topics=topics)
            self.assertEqual(subscribers(), 1)
        two.ok("subscribe", topics=["log"])
        self.assertEqual(subscribers(), 2)
        one.ok("unsubscribe")
        two.ok("subscribe", topics=[])
        self.assertEqual(subscribers(), 0)
        two.ok("subscribe")
        self.assertEqual(subscribers(), 1)
        two.close()
        until(lambda: subscribers() == 0, "no subscribers")

    def test_a_second_subscribe_replaces_the_topics(self):
        supervisor = self.start_fast("--no-launch")
        watcher, peer = supervisor.peer(), supervisor.peer()
        watcher.ok("subscribe", topics=["pass", "launch"])
        watcher.ok("subscribe", topics=["lifecycle"])
        peer.ok("launch")
        peer.ok("activate")
        self.assertEqual(watcher.event()["changed"].count("lifecycle"), 1)
        peer.ok("deactivate")
        peer.ok("shutdown")
        self.assertTrue(all("lifecycle" in each["changed"] for each in self.drain(watcher)))

    def test_no_event_follows_the_answer_to_unsubscribe(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a")
        watcher = supervisor.peer()
        run = worker.expect_run("a")
        watcher.ok("subscribe", topics=["initializer"])
        for number in range(200):
            run.progress(message=f"step {number}")
        id = watcher.request("unsubscribe")
        while (each := watcher.receive()).get("method") == "event":
            pass
        self.assertEqual((each["id"], each["result"]), (id, {}))
        for number in range(200):
            run.progress(message=f"further {number}")
        worker.alive()
        watcher.alive()
        self.assertEqual(watcher.inbox, [])

    def test_an_event_that_waits_to_be_sent_precedes_the_answer_to_unsubscribe(self):
        """A report, which isn't answered, and the request are read in one turn."""
        supervisor = self.start_fast("--activate")
        peer = supervisor.worker("a")
        run = peer.expect_run("a")
        peer.ok("subscribe", topics=["initializer"])
        report = message(method="progress", params={"run": run.number, "message": "at the last moment"})
        peer.send_bytes(frame(report) + frame(message(id="u", method="unsubscribe")))
        self.assertEqual(peer.receive()["params"]["initializer"]["progress"]["message"], "at the last moment")
        self.assertEqual(peer.receive()["id"], "u")

    def test_an_event_that_waits_to_be_sent_precedes_an_answer(self):
        """A report, which isn't answered, and the request are read in one turn."""
        supervisor = self.start_fast("--activate")
        peer = supervisor.worker("a")
        run = peer.expect_run("a")
        peer.ok("subscribe", topics=["initializer"])
        report = message(method="progress", params={"run": run.number, "message": "at the last moment"})
        peer.send_bytes(frame(report) + frame(message(id="p", method="ping")))
        self.assertEqual(peer.receive()["params"]["initializer"]["progress"]["message"], "at the last moment")
        self.assertEqual(peer.receive()["id"], "p")

    def test_a_slow_reader_that_unsubscribes_gets_neither_lagged_nor_a_snapshot(self):
        supervisor = self.start_fast("--activate", "--limit", "eventBytes=16KiB")
        worker, watcher = supervisor.worker("a"), supervisor.peer()
        run = worker.expect_run("a")
        watcher.ok("subscribe", topics=["initializer"])
        for number in range(2000):
            run.progress(message=f"step {number} " + "x" * 500)
        worker.alive()
        id = watcher.request("unsubscribe")
        # The message is handled before anything is read: at the latest two turns later.
        for _ in range(2):
            worker.alive()
        seen = []
        while (each := watcher.receive()).get("method") == "event":
            seen.append(each["params"]["topic"])
        self.assertEqual((each["id"], each["result"]), (id, {}))
        self.assertLess(len(seen), 2000, "it has to lag")
        self.assertEqual(set(seen), {"initializer"})
        for number in range(200):
            run.progress(message=f"further {number}")
        worker.alive()
        watcher.alive()
        self.assertEqual(watcher.inbox, [])
        # A new subscription starts over.
        self.assertEqual(watcher.ok("subscribe", topics=["initializer"])["snapshot"]["initializers"][0]["status"], "running")
        run.progress(message="one more")
        self.assertEqual(watcher.event()["initializer"]["progress"]["message"], "one more")

    def test_on_shutdown_each_connection_gets_the_event_subscribed_or_not(self):
        supervisor = self.start_fast()
        quiet, subscribed, unsubscribed, worker = supervisor.peer(), supervisor.peer(), supervisor.peer(), supervisor.worker("a")
        worker.expect_run("a").succeed()
        subscribed.ok("subscribe")
        unsubscribed.ok("subscribe")
        unsubscribed.ok("unsubscribe")
        asking = supervisor.peer()
        asking.ok("shutdown")
        for peer in (quiet, subscribed, unsubscribed, worker, asking):
            peer.event_where(topic="shutdown")
            peer.expect_end_now()


class SlowReaderTests(Conformance):
    """A subscriber that doesn't read gets `lagged` and a snapshot when it reads again, and doesn't delay other clients."""

    TOPICS = ["launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log"]

    def test_a_slow_reader_gets_the_number_of_missed_events_and_continues_from_a_snapshot(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        slow = supervisor.peer()
        start = slow.ok("subscribe", topics=self.TOPICS)["snapshot"]["seq"]
        before = supervisor.resident()
        for number in range(1000):
            run.progress(message=f"{number} " + "x" * 10_000)
        worker.alive()
        self.assertLess(supervisor.resident() - before, 40 << 20)

        events = slow.events_until(lambda event: event["topic"] == "lagged")
        seqs = [each["seq"] for each in events[:-1]]
        self.assertEqual(seqs, list(range(start + 1, start + 1 + len(seqs))), "what it got before is every event, in order")
        snapshot = slow.event()
        self.assertEqual(snapshot["topic"], "snapshot")
        self.assertGreater(events[-1]["dropped"], 0)
        last = seqs[-1] if seqs else start
        self.assertEqual(snapshot["snapshot"]["seq"] - last, events[-1]["dropped"])
        run.progress(message="afterwards")
        event = slow.event()
        self.assertEqual(event["seq"], snapshot["snapshot"]["seq"] + 1)
        self.assertEqual(event["initializer"]["progress"]["message"], "afterwards")
        run.succeed()

    def test_an_event_follows_a_large_answer_of_which_only_a_part_is_written(self):
        """The rest of the answer doesn't fit into the kernel's buffer."""
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        slow = supervisor.peer()
        slow.ok("subscribe", topics=["initializer"])
        sent = {"x": "y" * 900_000}
        ping = slow.request("ping", sent)
        # The message is read in several turns.
        while not select.select([slow.stream], [], [], 0)[0]:
            worker.alive()
        run.progress(message="meanwhile")
        worker.alive()
        answer = slow.receive()
        self.assertEqual((answer["id"], answer["result"] == sent), (ping, True))
        self.assertEqual(slow.event()["initializer"]["progress"]["message"], "meanwhile")

    def test_while_clients_use_much_memory_a_slow_reader_misses_events_sooner(self):
        """The clients hold more than three quarters of the limit: then no event is queued for the subscriber beyond the kernel's buffer."""
        supervisor = self.start_fast("--activate", "--limit", "clientBytes=8MiB")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        for _ in range(7):
            # An incomplete frame, for which at most 1 MiB is allocated.
            supervisor.peer("hog").send_bytes(struct.pack(">I", 1 << 20) + b"x" * (900 << 10))
        slow = supervisor.peer()
        slow.ok("subscribe", topics=["initializer"])
        for number in range(2000):
            run.progress(message=f"{number} " + "x" * 1000)
        worker.alive()
        events = slow.events_until(lambda event: event["topic"] == "lagged")
        self.assertLess(len(events) * 1000, 1 << 19, "the kernel's share")

    def test_a_slow_reader_delays_neither_another_client_nor_an_initializer(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a", "b")
        run = worker.expect_run("a")
        slow, quick = supervisor.peer(), supervisor.peer()
        slow.ok("subscribe", topics=["initializer"])
        quick.ok("subscribe", topics=["initializer"])
        count = 3000
        seen = []

        def read():
            seen.extend(quick.initializer_events_until("a", "complete"))

        reader = threading.Thread(target=read)
        reader.start()
        for number in range(count):
            run.progress(message=f"{number} " + "x" * 1_000)
        run.succeed()
        worker.expect_run("b").succeed()
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")
        reader.join(30)
        self.assertFalse(reader.is_alive())
        reported = [each for each in seen if each.get("initializer", {}).get("progress", {}).get("message", "").endswith("x")]
        self.assertGreaterEqual(len(reported), count, "a quick reader gets every event")
        slow.event_where(topic="lagged")

    def test_many_slow_readers_use_no_more_memory_than_their_limits(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        slow = [supervisor.peer() for _ in range(10)]
        for peer in slow:
            peer.ok("subscribe", topics=["initializer"])
        before = supervisor.resident()
        for number in range(1000):
            run.progress(message=f"{number} " + "x" * 10_000)
        worker.alive()
        self.assertLess(supervisor.resident() - before, 60 << 20)
        for peer in slow:
            peer.event_where(topic="lagged")
            self.assertEqual(peer.event()["topic"], "snapshot")
        run.succeed()

    def test_a_reader_that_is_a_little_behind_misses_nothing(self):
        """In the end half a MiB is queued for it, far below the limit of all clients together."""
        supervisor = self.start_fast("--limit", "clientBytes=2MiB")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        late = supervisor.peer()
        late.ok("subscribe", topics=["initializer"])
        for number in range(400):
            run.progress(message=f"{number} " + "x" * 1_000)
        run.succeed()
        worker.alive()
        events = late.events_until(lambda event: event["topic"] == "lagged" or event["initializer"]["status"] == "complete")
        self.assertEqual({each["topic"] for each in events}, {"initializer"})
        self.assertGreater(len(events), 400)

    def test_answers_to_a_slow_reader_are_not_dropped(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker("a")
        run = worker.expect_run("a")
        slow = supervisor.peer()
        slow.ok("subscribe", topics=["initializer"])
        for number in range(3000):
            run.progress(message=f"{number} " + "x" * 1_000)
        worker.alive()
        slow.alive()
        run.succeed()


if __name__ == "__main__":
    unittest.main()
