"""protocol.md §4: each method's params and results, and §7: errors."""

import unittest

from peer import frame, message
from supervisor import Conformance

ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-"


class ResultTests(Conformance):
    def test_status_has_all_members(self):
        supervisor = self.start(self.manifest("a: { command: 'true' }"), "--concurrency", "3")
        peer = supervisor.peer()
        peer.ok("wait", for_="launch")
        first, second = peer.status(), peer.status()
        self.assertEqual(first["pid"], supervisor.pid)
        self.assertEqual(first["concurrency"], 3)
        self.assertEqual(first["holds"], 0)
        self.assertEqual(first["lifecycle"], "inactive")
        self.assertNames(first["initializers"], ["a"])
        self.assertLessEqual(first["seq"], second["seq"])
        self.assertLessEqual(first["uptime"], second["uptime"])
        self.assertEqual(first["instance"], second["instance"])

    def test_status_shows_workers_and_their_names(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a", {"name": "b", "priority": "appActive", "dependencies": ["a"]}, name="api-worker")
        status = supervisor.peer().status()
        (shown,) = status["workers"]
        self.assertEqual((shown["client"], shown["initializers"]), ("api-worker", ["a", "b"]))
        a, b = status["initializers"]
        self.assertEqual((a["name"], a["priority"], a["dependencies"], a["provider"], a["available"]), ("a", "appLaunch", [], "worker", True))
        self.assertEqual((b["name"], b["priority"], b["dependencies"]), ("b", "appActive", ["a"]))
        self.assertEqual((a["status"], b["status"]), ("idle", "idle"))
        worker.alive()

    def send_at_once(self, peer, *requests):
        """Sends requests in one write; their ids are a letter and a number from 1."""
        payloads = [message(id=f"r{number}", method=method, params=params) for number, (method, params) in enumerate(requests, 1)]
        peer.send_bytes(b"".join(map(frame, payloads)))

    def test_a_status_requested_with_a_registration_shows_the_new_name_waiting(self):
        for method in ("status", "subscribe"):
            with self.subTest(method):
                supervisor = self.start_fast()
                supervisor.worker("a").expect_run("a")
                peer = supervisor.peer()
                self.send_at_once(peer, ("register", {"initializers": [{"name": "b"}]}), (method, {}))
                result = peer.answer("r2")["result"]
                a, b = result.get("snapshot", result)["initializers"]
                self.assertEqual((a["name"], a["status"]), ("a", "running"))
                self.assertEqual((b["name"], b["status"]), ("b", "waiting"))

    def test_each_status_shows_the_effects_of_earlier_requests(self):
        peer = self.start_fast().peer()
        self.send_at_once(peer, ("status", {}), ("activate", {}), ("status", {}), ("deactivate", {}), ("status", {}))
        shown = [peer.answer(f"r{number}")["result"] for number in (1, 3, 5)]
        self.assertEqual([each["lifecycle"] for each in shown], ["inactive", "active", "inactive"])

    def test_initializers_are_in_the_order_of_registration(self):
        supervisor = self.start_with("z: { command: 'true' }\ny: { command: 'true', dependencies: [x] }\nx: { command: 'true' }", "--no-launch")
        supervisor.worker("m", "b")
        supervisor.worker("a")
        self.assertNames(supervisor.peer().status()["initializers"], ["z", "y", "x", "m", "b", "a"])

    def test_launch_answers_with_its_pass_and_state(self):
        supervisor = self.start_fast("--no-launch")
        worker = supervisor.worker("a")
        peer = supervisor.peer()
        result = peer.ok("launch")
        self.assertEqual((result["pass"], result["launch"]["state"], result["launch"]["pass"]), (1, "pending", 1))
        worker.expect_run("a").succeed()
        self.assertEqual(peer.ok("wait", for_="launch")["pass"], 1)

    def test_release_is_answered_even_without_a_hold(self):
        peer = self.start_fast().peer()
        self.assertEqual(peer.ok("release"), {})
        peer.ok("activate", hold=True)
        self.assertEqual(peer.ok("release"), {})
        self.assertEqual(peer.ok("release"), {})

    def test_deactivate_returns_the_cancelled_initializers(self):
        supervisor = self.start_fast("--activate", "--concurrency", "2")
        worker = supervisor.worker(
            {"name": "a", "priority": "appActive"},
            {"name": "b", "priority": "appActive"},
            {"name": "c", "priority": "appActive", "dependencies": ["a"]},
        )
        runs = [worker.expect_run("a"), worker.expect_run("b")]
        peer = supervisor.peer()
        self.assertEqual(sorted(peer.ok("deactivate")["cancelled"]), ["a", "b"])
        self.assertEqual(peer.ok("deactivate")["cancelled"], [])
        for run in runs:
            run.stopped()

    def test_deactivate_with_wait_answers_once_nothing_is_stopping(self):
        supervisor = self.start_fast("--activate")
        worker = supervisor.worker({"name": "a", "priority": "appActive"})
        run = worker.expect_run("a")
        peer = supervisor.peer()
        id = peer.request("deactivate", {"wait": True})
        run.expect_cancel("deactivated")
        peer.alive()
        self.assertEqual(peer.inbox, [], "deactivate must not be answered while a run is stopping")
        self.assertEqual(peer.initializer("a")["status"], "stopping")
        run.stopped()
        self.assertEqual(peer.answer(id)["result"], {"cancelled": ["a"]})
        self.assertNotEqual(peer.initializer("a")["status"], "stopping")

    def test_deactivate_with_wait_answers_at_once_if_nothing_runs(self):
        peer = self.start_fast().peer()
        self.assertEqual(peer.ok("deactivate", wait=True), {"cancelled": []})

    def test_shutdown_is_answered(self):
        supervisor = self.start()
        peer = supervisor.peer()
        self.assertEqual(peer.ok("shutdown"), {"exits": True})
        self.assertEqual(supervisor.ended(), 0)


class WrongParamsTests(Conformance):
    def setUp(self):
        super().setUp()
        self.supervisor = self.start_fast("--no-launch")
        self.peer = self.supervisor.peer()

    def refuse(self, method, *cases):
        for params, member in cases:
            with self.subTest(method=method, params=params):
                self.peer.refused(-32602, method, params, naming=member)
                self.peer.alive()

    def test_activate_names_hold(self):
        self.refuse("activate", ({"hold": "yes"}, "hold"), ({"hold": 1}, "hold"), ({"hold": []}, "hold"))
        self.assertEqual(self.peer.status()["lifecycle"], "inactive")

    def test_deactivate_names_wait(self):
        self.refuse("deactivate", ({"wait": "yes"}, "wait"), ({"wait": 0}, "wait"))

    def test_subscribe_names_topics(self):
        self.refuse(
            "subscribe", ({"topics": "launch"}, "topics"), ({"topics": [1]}, "topics"), ({"topics": ["weather"]}, "topics"), ({"topics": {}}, "topics")
        )

    def test_wait_names_its_member(self):
        self.refuse(
            "wait",
            ({"for": "lunch"}, "for"),
            ({"for": 1}, "for"),
            ({"initializer": 1}, "initializer"),
            ({"pass": "1"}, "pass"),
            ({"pass": 1.5}, "pass"),
            ({"pass": 999}, "pass"),
            ({"pass": 0}, "pass"),
            ({"timeout": "1s"}, "timeout"),
            ({"appear": 1, "initializer": "a"}, "appear"),
        )

    def test_wait_accepts_only_one_target(self):
        self.refuse("wait", ({"for": "launch", "initializer": "a"}, ""), ({"for": "launch", "pass": 1}, ""), ({"initializer": "a", "pass": 1}, ""))

    def test_register_names_its_member(self):
        def one(**members):
            return {"initializers": [{"name": "a"} | members]}

        self.refuse(
            "register",
            (None, "initializers"),
            ({}, "initializers"),
            ({"initializers": "a"}, "initializers"),
            ({"initializers": {"name": "a"}}, "initializers"),
            ({"initializers": ["a"]}, "initializers"),
            ({"initializers": [{}]}, "name"),
            (one(name=1), "name"),
            (one(priority="appLunch"), "priority"),
            (one(priority=10), "priority"),
            (one(dependencies="b"), "dependencies"),
            (one(dependencies=[1]), "dependencies"),
            (one(timeout="30s"), "timeout"),
            (one(retry=3), "retry"),
            (one(retry={"attempts": "3"}), "attempts"),
            (one(retry={"attempts": 1.5}), "attempts"),
            (one(retry={"delay": "1s"}), "delay"),
            (one(retry={"factor": []}), "factor"),
            (one(retry={"maxDelay": True}), "maxDelay"),
            (one(perProcess=1), "perProcess"),
            (one(optional="no"), "optional"),
            (one(description=5), "description"),
        )
        self.assertEqual(self.peer.status()["initializers"], [])

    def test_a_name_is_1_to_128_letters_digits_and_some_signs_and_starts_with_a_letter_or_digit(self):
        bad = ["", "x" * 129, ".a", "_a", ":a", "/a", "@a", "+a", "-a", "a b", "a\n", "a\0", "é", "a,b", "a*", "a\\b", "a=b", "a(b)", " a"]
        self.refuse("register", *(({"initializers": [{"name": name}]}, "name") for name in bad))
        good = ["a", "0", "x" * 128, ALLOWED[:70], "9.", "Z" + "._:/@+-"]
        self.peer.register(*good)
        self.assertNames(self.peer.status()["initializers"], good)

    def test_the_same_name_twice_in_one_register_is_32602(self):
        self.refuse("register", ({"initializers": [{"name": "a"}, {"name": "b"}, {"name": "a"}]}, "name"))
        self.assertEqual(self.peer.status()["initializers"], [])

    def test_register_accepts_all_or_none(self):
        self.supervisor.worker("taken")
        self.peer.refused(-32002, "register", {"initializers": [{"name": "a"}, {"name": "taken"}, {"name": "b"}]})
        self.refuse("register", ({"initializers": [{"name": "a"}, {"name": "b", "priority": "high"}]}, "priority"))
        self.assertNames(self.peer.status()["initializers"], ["taken"])

    def test_unregister_names_its_member(self):
        self.refuse("unregister", (None, "names"), ({}, "names"), ({"names": "a"}, "names"), ({"names": [1]}, "names"))

    def test_unregister_of_an_undeclared_name_is_32004_and_removes_nothing(self):
        self.peer.register("a")
        self.peer.refused(-32004, "unregister", {"names": ["a", "nobody"]})
        self.assertNames(self.peer.status()["initializers"], ["a"])

    def test_unregister_of_anothers_live_name_is_32002_and_removes_nothing(self):
        self.supervisor.worker("theirs")
        self.peer.register("ours")
        self.peer.refused(-32002, "unregister", {"names": ["ours", "theirs"]})
        self.assertNames(self.peer.status()["initializers"], ["theirs", "ours"])

    def test_logs_and_history_name_their_member(self):
        self.refuse("logs", ({"initializer": 1}, "initializer"), ({"limit": "all"}, "limit"), ({"limit": 1.5}, "limit"))
        self.refuse("history", ({"limit": "all"}, "limit"), ({"limit": []}, "limit"))

    def test_logs_of_an_undeclared_name_is_32004(self):
        self.peer.refused(-32004, "logs", {"initializer": "nobody"})


if __name__ == "__main__":
    unittest.main()
