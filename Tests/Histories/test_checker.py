"""The checker finds each kind of violation in a history that was written for it, and none in a correct one."""

import json
import unittest

from checker import AFTER_CONTINUING, MOVES_ON, check


def run(token, host, begin, end, outcome="done", task="r1/migrate"):
    """The records of a run. Without an outcome it was killed."""
    members = {"task": task, "host": host, "token": token}
    found = [{"t": begin, "event": "start", **members}, {"t": begin, "event": "write", "accepted": True, **members}]
    if outcome:
        found += [{"t": end, "event": "write", "accepted": True, **members}, {"t": end, "event": outcome, **members}]
    return found + [{"t": end, "event": "last", **members}]


def ready(t, host, token, task="r1/migrate"):
    return [{"t": t, "event": "ready", "task": task, "host": host, "token": token}]


def stopped(host, begin, end, role="supervisor"):
    return [{"t": begin, "event": "stopped", "host": host, "role": role}, {"t": end, "event": "continued", "host": host, "role": role}]


def change(revision, kind, task="r1/migrate", created=None, **value):
    key = f"/initfleet/shop once {task.replace('/', ' ')} {kind}"
    return {"revision": revision, "created": created or revision, "key": key, "value": json.dumps(value) if value else None}


def claim(token, host, task="r1/migrate"):
    return change(token, "claim", task, host=host, owner="x-1")


def done(revision, token, host, task="r1/migrate"):
    return change(revision, "done", task, host=host, fence=token, time=0, secret=False)


LOG = [claim(10, "a"), change(12, "claim"), claim(13, "b"), done(15, 13, "b"), change(15, "claim")]
HISTORY = run(10, "a", 1, 2, "failed") + run(13, "b", 3, 4) + ready(4.1, "a", 13) + ready(4.2, "b", 13)
"""A run that failed, then one that completed the task, and two hosts that consider the task complete."""


class Checker(unittest.TestCase):
    def rules(self, history, log=None):
        """The rules that don't hold."""
        return sorted({each.rule for each in check(history, LOG if log is None else log)})

    def found(self, rule, what, history, log=None):
        violations = check(history, LOG if log is None else log)
        self.assertEqual(self.rules(history, log), [rule], violations)
        self.assertTrue(any(what in each.what for each in violations), violations)


class CorrectTests(Checker):
    def test_a_correct_history(self):
        self.assertEqual(check(HISTORY, LOG), [])

    def test_nothing_happened(self):
        self.assertEqual(check([], []), [])

    def test_runs_of_different_tasks_may_overlap(self):
        log = LOG + [claim(20, "c", "r2/migrate"), done(21, 20, "c", "r2/migrate")]
        self.assertEqual(self.rules(HISTORY + run(20, "c", 3.5, 3.8, task="r2/migrate"), log), [])

    def test_a_claim_may_be_written_again(self):
        again = change(14, "claim", created=13, host="b", owner="x-1")
        self.assertEqual(self.rules(HISTORY, LOG[:3] + [again] + LOG[3:]), [])
        self.assertEqual(self.rules(HISTORY, LOG[:2] + [again, done(15, 14, "b")]), ["completions"])

    def test_a_run_may_be_done_without_being_recorded(self):
        """Its agent was killed before it could record the completion, so another host runs it again."""
        self.assertEqual(self.rules(run(10, "a", 1, 2) + HISTORY[5:]), [])

    def test_a_refused_writer_is_no_accepted_one(self):
        late = {"t": 3.5, "event": "write", "accepted": False, "task": "r1/migrate", "host": "a", "token": 10}
        self.assertEqual(self.rules(HISTORY + [late]), [])


class TokenTests(Checker):
    def test_a_register_that_accepts_a_smaller_token(self):
        late = {"t": 3.5, "event": "write", "accepted": True, "task": "r1/migrate", "host": "a", "token": 10}
        self.found("tokens", "smaller token", HISTORY[:7] + [late] + HISTORY[7:])

    def test_two_runs_with_one_token(self):
        self.found("tokens", "two runs", HISTORY + run(13, "b", 5, 6, None))
        self.assertIn("tokens", self.rules(HISTORY + run(13, "c", 5, 6)))


class OverlapTests(Checker):
    def overlapping(self, last=3.6):
        return run(10, "a", 1, last, None) + HISTORY[5:]

    def test_two_runs_at_a_time(self):
        self.found("one run at a time", "0.600 s after b", self.overlapping())

    def test_a_run_that_begins_after_a_newer_one(self):
        self.found("one run at a time", "a executed", run(10, "a", 3.5, 3.6, None) + HISTORY[5:])

    def test_a_stopped_supervisor_excuses_its_run_until_shortly_after_it_was_continued(self):
        self.assertEqual(self.rules(self.overlapping() + stopped("a", 1.5, 3.5)), [])
        self.assertEqual(self.rules(self.overlapping(3.5 + AFTER_CONTINUING + 0.1) + stopped("a", 1.5, 3.5)), ["one run at a time"])

    def test_a_supervisor_that_stays_stopped_or_is_killed(self):
        self.assertEqual(self.rules(self.overlapping() + stopped("a", 1.5, 0)[:1]), [])
        ended = [{"t": 2, "event": "exited", "host": "a", "role": "supervisor", "status": -9, "expected": True}]
        self.assertEqual(self.rules(self.overlapping() + stopped("a", 1.5, 0)[:1] + ended), ["one run at a time"])

    def test_a_lease_that_etcd_has_ended_early_excuses_what_begins_soon_after(self):
        # The newer run begins at 3.
        def revoked(begun, t):
            return [{"t": t, "event": "revoked", "begun": begun}]

        self.assertEqual(self.rules(self.overlapping() + revoked(2.7, 2.9)), [])
        self.assertEqual(self.rules(self.overlapping() + revoked(3.2, 3.4)), ["one run at a time"], "after that")
        long = run(10, "a", 1, 12, None) + run(12, "b", 8, 9)
        self.assertIn("one run at a time", self.rules(long + revoked(2.7, 2.9)), "long before")

    def test_nothing_else_is_an_excuse(self):
        for what, stop in {
            "its agent": stopped("a", 1.5, 3.5, "agent"), "the other host": stopped("b", 1.5, 3.5), "too early": stopped("a", 0.1, 0.9),
            "too late": stopped("a", 3.2, 3.5), "a leader of etcd": stopped("m1", 1.5, 3.5, "etcd"),
        }.items():
            with self.subTest(what):
                self.assertEqual(self.rules(self.overlapping() + stop), ["one run at a time"])


class CompletionTests(Checker):
    def test_a_completion_that_is_recorded_twice(self):
        self.found("completions", "recorded twice", HISTORY, LOG + [done(16, 13, "b")])

    def test_a_completion_that_is_deleted(self):
        self.found("completions", "deleted", HISTORY, LOG + [change(16, "done")])

    def test_a_claim_after_the_completion(self):
        self.found("completions", "claimed again", HISTORY + run(17, "a", 5, 6, None), LOG + [claim(17, "a")])

    def test_a_completion_without_the_claim(self):
        self.found("completions", "without its claim", HISTORY, LOG[:3] + [done(15, 13, "a")])
        self.assertEqual(self.rules(HISTORY, LOG[:2] + [done(15, 13, "b")]), ["completions"])

    def test_a_completion_by_a_run_that_has_not_succeeded(self):
        self.assertIn("completions", self.rules(run(10, "a", 1, 2, "failed") + run(13, "b", 3, 4, "failed") + ready(4.1, "a", 13)))
        self.found("completions", "hasn't succeeded", run(10, "a", 1, 2, "failed") + run(13, "b", 3, 4, None))

    def test_a_run_without_a_claim(self):
        self.found("completions", "without a claim", HISTORY + run(14, "c", 4.5, 4.6, None))

    def test_a_lost_completion(self):
        self.found("completions", "is lost", HISTORY, LOG[:3])

    def test_a_host_that_takes_another_run_as_done(self):
        self.found("completions", "another run", run(10, "a", 1, 2) + HISTORY[5:] + ready(5, "c", 10))


class ReadyTests(Checker):
    def test_a_host_that_is_ready_too_early(self):
        self.found("ready", "before", HISTORY + ready(3.9, "c", 13))

    def test_a_host_that_is_ready_without_any_run(self):
        self.assertIn("ready", self.rules(ready(4, "a", 13)))


class LeaderTests(Checker):
    def active(self, host, begin, end):
        return [{"t": begin, "event": "active", "host": host}, {"t": end, "event": "inactive", "host": host}]

    def supervisor(self, event, t):
        return [{"t": t, "event": event, "host": "a", "role": "supervisor", "status": -9, "expected": True}]

    def test_one_after_the_other(self):
        self.assertEqual(self.rules(HISTORY + self.active("a", 1, 2) + self.active("b", 2.1, 3)), [])

    def test_two_at_a_time(self):
        self.found("one leader at a time", "0.200 s", HISTORY + self.active("a", 1, 2.2) + self.active("b", 2, 3))

    def test_what_runs_while_a_host_is_active_counts(self):
        work = [{"t": 2.5, "event": "work", "host": "a", "begun": 1.1}]
        self.found("one leader at a time", "a was active", HISTORY + self.active("a", 1, 2) + work + self.active("b", 2.1, 3))

    def test_a_leader_that_never_ends(self):
        self.assertEqual(self.rules(HISTORY + self.active("a", 1, 0)[:1] + self.active("b", 2, 3)), ["one leader at a time"])

    def test_the_end_of_its_supervisor_ends_it(self):
        for signal in ("killed", "asked"):
            ended = self.active("a", 1, 0)[:1] + self.supervisor(signal, 1.9) + self.supervisor("exited", 2.1)
            self.assertEqual(self.rules(HISTORY + ended + self.active("b", 2, 3)), [])
            # The observer was late.
            self.assertEqual(self.rules(HISTORY + ended[1:] + ended[:1] + self.active("b", 2, 3)), [])

    def test_a_stopped_supervisor_excuses_it(self):
        self.assertEqual(self.rules(HISTORY + self.active("a", 1, 2.2) + self.active("b", 2, 3) + stopped("a", 1.5, 2.1)), [])


class MovesOnTests(Checker):
    def hung(self, t, host="a"):
        return [{"t": t, "event": "hung", "host": host}]

    def test_a_hung_run_moves_on_in_time_or_not(self):
        stop = stopped("a", 1.5, 1.5 + MOVES_ON + 1) + self.hung(1.5)
        self.assertEqual(self.rules(run(10, "a", 1, 4, None) + HISTORY[5:] + stop), [])
        late = [record | {"t": record["t"] + MOVES_ON} for record in HISTORY[5:]]
        self.found("moves on", "no other host has begun r1/migrate", run(10, "a", 1, 4, None) + late + stop)

    def test_its_own_next_run_is_no_move(self):
        log = [claim(10, "a"), change(12, "claim"), claim(13, "a"), done(15, 13, "a")]
        self.found("moves on", "no other host", run(10, "a", 1, 2.5, None) + run(13, "a", 3, 4) + self.hung(1.5), log)

    def test_a_run_that_had_ended_needs_no_move(self):
        self.assertEqual(self.rules(HISTORY + self.hung(4.5, "b")), [])

    def test_a_hung_leader(self):
        def active(host, begin, end):
            return [{"t": begin, "event": "active", "host": host}, {"t": end, "event": "inactive", "host": host}]

        stop = stopped("a", 5, 5 + MOVES_ON + 1) + self.hung(5)
        self.assertEqual(self.rules(HISTORY + active("a", 4, 9) + active("b", 8, 20) + stop), [])
        self.found("moves on", "no other host was active", HISTORY + active("a", 4, 9) + active("b", 5 + MOVES_ON + 1, 20) + stop)


class SuccessTests(Checker):
    def away(self, begin, end):
        return [{"t": begin, "event": "away"}, {"t": end, "event": "back"}]

    def test_a_success_while_etcd_is_away_counts(self):
        self.assertEqual(self.rules(HISTORY + self.away(3.5, 9)), [])
        self.found("successes", "wasn't recorded", run(10, "a", 1, 2) + HISTORY[5:] + self.away(1.5, 2.5))

    def test_others_need_not_be_recorded(self):
        self.assertEqual(self.rules(run(10, "a", 1, 2) + HISTORY[5:] + self.away(2.1, 2.5)), [], "done before that")
        self.assertEqual(self.rules(run(10, "a", 1, 2, None) + HISTORY[5:] + self.away(1.5, 2.5)), [], "killed")

    def test_a_success_that_is_recorded_as_a_failure(self):
        def failed(message):
            return LOG[:2] + [change(12, "failed", host="a", fence=10, time=0, message=message)] + LOG[2:]

        history = run(10, "a", 1, 2) + HISTORY[5:]
        self.found("successes", "as a failure", history, failed("its lease has ended"))
        self.assertEqual(self.rules(history, failed("was terminated by SIGTERM")), [])
        self.assertEqual(self.rules(history + stopped("a", 1.2, 1.9), failed("its lease has ended")), [])
        self.found("successes", "as a failure", history + stopped("a", 1.2, 1.9, "agent") + stopped("b", 1.2, 1.9), failed("its lease has ended"))


class EndTests(Checker):
    def test_a_program_that_ends_by_itself(self):
        crash = {"t": 1, "event": "exited", "host": "a", "role": "agent", "status": -4, "expected": False}
        self.found("ends", "the agent of a", HISTORY + [crash])

    def test_what_is_late(self):
        self.found("late", "h1", HISTORY + [{"t": 9, "event": "late", "what": "h1 isn't ready"}])


if __name__ == "__main__":
    unittest.main()
