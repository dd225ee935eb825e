"""The schedules of seeds."""

import unittest

from schedule import HOSTS, KINDS, LEADING, MEMBERS, ONCE, schedule


class ScheduleTests(unittest.TestCase):
    def test_a_seed_has_always_the_same_schedule(self):
        self.assertEqual(schedule(7, 8), schedule(7, 8.0))
        self.assertNotEqual(schedule(7, 8), schedule(8, 8))

    def test_everything_begins_and_all_hosts_get_the_last_release(self):
        for seed in range(200):
            plan = schedule(seed, 8)
            self.assertEqual(list(plan.faults), sorted(plan.faults, key=lambda fault: fault.at))
            self.assertTrue(all(0 <= fault.at < 8 for fault in plan.faults))
            begun = {fault.target for fault in plan.faults if fault.kind.startswith("begin")}
            self.assertEqual(begun, {*HOSTS, *MEMBERS})
            last = {fault.target: fault.more[0] for fault in plan.faults if fault.kind == "release"}
            self.assertEqual(last, {host: plan.last_release for host in HOSTS})

    def test_releases_run_beside_each_other_and_everything_hangs_at_times(self):
        plans = [schedule(seed, 30, leads=True) for seed in range(100)]
        self.assertEqual({plan.hangs for plan in plans}, {"", "runner", "leader", "etcd", "delay"})
        self.assertNotIn("leader", {schedule(seed, 30).hangs for seed in range(100)})
        numbers = [[int(fault.more[0][1:]) for fault in plan.faults if fault.kind == "release"] for plan in plans]
        self.assertTrue(any(later < earlier for each in numbers for earlier, later in zip(each, each[1:])), "no host goes back")

    def test_some_hosts_have_few_attempts_and_at_least_two_have_many(self):
        plans = [schedule(seed, 8) for seed in range(100)]
        self.assertTrue(any(not plan.few for plan in plans))
        self.assertEqual({each[1:] for plan in plans for each in plan.few}, {(name, count) for name in ONCE for count in (1, 2)})
        for plan in plans:
            hosts = [host for host, _, _ in plan.few]
            self.assertEqual(len(hosts), len(set(hosts)))
            self.assertLessEqual(len(hosts), len(HOSTS) - 2)

    def test_agents_and_candidates_are_asked_twice(self):
        for leads, roles in ((False, {"agent"}), (True, {"agent", "lead"})):
            faults = [fault for seed in range(100) for fault in schedule(seed, 30, leads).faults]
            self.assertEqual({fault.more[0] for fault in faults if fault.kind == "ask-twice"}, roles)

    def test_all_kinds_of_faults_occur(self):
        kinds = {fault.kind for seed in range(100) for fault in schedule(seed, 30, leads=True).faults}
        self.assertEqual(kinds, {*KINDS, *LEADING, "begin-member", "begin-host", "release"})
        self.assertTrue(all(fault.kind not in LEADING for seed in range(100) for fault in schedule(seed, 30).faults))


if __name__ == "__main__":
    unittest.main()
