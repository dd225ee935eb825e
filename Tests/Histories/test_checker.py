"""The checker finds each kind of violation in a history that was written for it, and none in a correct one."""

import json
import unittest

from checker import AFTER_CONTINUING, LATE, MOVES_ON, QUIET, RESERVE, check


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

    def test_a_stop_within_the_reserve_is_no_excuse(self):
        self.assertEqual(self.rules(self.overlapping() + stopped("a", 2.8, 2.8 + RESERVE - 0.01)), ["one run at a time"])
        self.assertEqual(self.rules(self.overlapping() + stopped("a", 2.8, 2.8 + RESERVE + 0.01)), [])

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
        for killed in ("terminated by SIGTERM", "killed by SIGKILL, not by initd: perhaps the kernel's OOM killer"):
            self.assertEqual(self.rules(history, failed(killed)), [])
        for other in ("no SIGNATURE", "its lease has ended, so it was terminated by SIGTERM", "terminated by SIGTERM: the agent ends"):
            self.found("successes", "as a failure", history, failed(other))
        self.assertEqual(self.rules(history + stopped("a", 1.2, 1.9), failed("its lease has ended")), [])
        # No renewal was answered since 0.1, so the run was told to stop at 2.45.
        answered = [trace(0.2, "lease 1f has 3 s: answer to a renewal sent 0.1 seconds ago")]
        self.assertEqual(self.rules(history + answered, failed("its lease has ended")), [])
        answered += [trace(1.9, "lease 1f has 3 s: answer to a renewal sent 0.1 seconds ago")]
        self.found("successes", "as a failure", history + answered, failed("its lease has ended"))
        # The supervisor may learn of the success only after it was stopped.
        self.assertEqual(self.rules(history + stopped("a", 2 + LATE - 0.1, 6), failed("its lease has ended")), [])
        self.found("successes", "as a failure", history + stopped("a", 2 + LATE + 0.1, 6), failed("its lease has ended"))
        # A command begins some time after its supervisor has started it.
        self.assertEqual(self.rules(history + stopped("a", 0.8, 1.9), failed("its lease has ended")), [])
        self.found("successes", "as a failure", history + stopped("a", 1.2, 1.9, "agent") + stopped("b", 1.2, 1.9), failed("its lease has ended"))


    def test_a_run_that_was_told_to_stop_and_succeeds_may_count_as_a_failure(self):
        log = LOG[:2] + [change(12, "failed", host="a", fence=10, time=0, message="the agent ends")] + LOG[2:]
        history = run(10, "a", 1, 2) + HISTORY[5:]

        def asked(t, role="agent"):
            return [{"t": t, "event": "asked", "host": "a", "role": role}]

        self.assertEqual(self.rules(history + asked(1.9), log), [])
        # The supervisor ends the run half a second before the lease ends.
        for lost in (1.9, 2 + LATE + 0.4):
            self.assertEqual(self.rules(history + [trace(lost, "the lease is lost: no answer")], log), [])
        late = [trace(2 + LATE + 0.6, "the lease is lost: no answer")]
        for others in (asked(2 + LATE + 0.1), asked(1.9, "lead"), asked(0.9), [trace(0.9, "the lease is lost: no answer")], late):
            self.found("successes", "as a failure", history + others, log)


def trace(t, says, host="a", role="agent"):
    return {"t": t, "event": "trace", "host": host, "role": role, "says": says}


def answer(t, sent):
    return trace(t, f"lease 7f has 3 s: answer to a renewal sent {t - sent:.4f} seconds ago")


class KeptClaimTests(Checker):
    """The claim of a run that has succeeded isn't given up: the run ends at 2, and the claim is deleted at 2.5 unless another time is given."""

    def history(self, *others, deleted=2.5):
        told = {"t": deleted, "event": "etcd", "what": "deleted", "key": LOG[1]["key"], "revision": 12, "lease": "0", "member": "m1"}
        return run(10, "a", 1, 2) + HISTORY[5:] + [told, answer(1.1, 1.05), answer(1.9, 1.8), *others]

    def given_up(self, history, log=None):
        self.found("successes", "although its run had succeeded", history, log)

    def event(self, event, t, role="agent", **members):
        return {"t": t, "event": event, "host": "a", "role": role, **members}

    def test_a_claim_that_is_given_up_after_the_success(self):
        self.given_up(self.history())

    def test_a_recorded_success_is_judged_elsewhere(self):
        for kind in ("done", "failed"):
            record = change(12, kind, host="a", fence=10, time=0, message="x", secret=False)
            self.assertNotIn("although its run had succeeded", str(check(self.history(), LOG[:2] + [record])))

    def test_a_run_that_has_not_succeeded(self):
        self.assertEqual(self.rules(run(10, "a", 1, 2, None) + self.history()[5:]), [])

    def test_what_happens_to_the_supervisor_is_an_excuse_and_what_happened_before_is_not(self):
        for event in ("killed", "asked", "exited"):
            self.assertEqual(self.rules(self.history(self.event(event, 2.2, "supervisor", status=0, expected=True))), [])
            self.given_up(self.history(self.event(event, 0.9, "supervisor", status=0, expected=True)))
        self.assertEqual(self.rules(self.history(*stopped("a", 0.5, 1.2))), [])
        self.given_up(self.history(*stopped("a", 0.5, 0.9)))
        self.given_up(self.history(*stopped("b", 0.5, 1.2)))

    def test_an_agent_that_is_asked_to_end_after_the_success_records_it(self):
        late = 2 + LATE + 0.1
        ends = [self.event("asked", late), self.event("exited", late + 0.1, status=0, expected=True)]
        renewed = answer(late, late - 0.1)
        self.given_up(self.history(renewed, *ends, deleted=late + 0.2))
        self.assertEqual(self.rules(self.history(renewed, *ends, self.event("insisted", late + 0.1), deleted=late + 0.2)), [])
        self.assertEqual(self.rules(self.history(self.event("asked", 1.9))), [], "asked before it")
        self.assertEqual(self.rules(self.history(renewed, ends[1], deleted=late + 0.2)), [], "not asked")
        for event in ("killed", "insisted"):
            self.assertEqual(self.rules(self.history(self.event(event, 2.2))), [])

    def test_a_lease_that_may_have_ended_is_an_excuse(self):
        self.assertEqual(self.rules(self.history(deleted=1.8 + 3.1)), [], "it wasn't renewed any more")
        self.assertEqual(self.rules(self.history(trace(2.1, "the lease is lost: no answer"))), [])
        self.assertEqual(self.rules(self.history({"t": 2.4, "event": "revoked", "begun": 2})), [])
        # The supervisor may have told the run to stop before it succeeded.
        history = [each for each in self.history() if each["event"] != "trace"]
        self.assertEqual(self.rules(history + [answer(2.1, 2.05)]), [])
        self.given_up(history + [answer(1.9, 1.8)])

    def test_hosts_with_few_attempts_may_cancel_runs(self):
        few = {"t": 0, "event": "few", "host": "a", "initializer": "index", "attempts": 1}
        self.assertEqual(self.rules(self.history(few)), [])
        self.given_up(self.history(few | {"host": "b"}))


class EtcdTests(Checker):
    def test_members_with_different_data_are_the_only_violation(self):
        diverged = {"t": 9, "event": "diverged", "hashes": {"m1": "1", "m2": "2"}}
        self.found("etcd", "different data", run(10, "a", 1, 2) + [diverged], [])


class LeaseTests(Checker):
    """The answers to a host are late from 10 to 20, and its lease is lost at 17."""

    def history(self, *others, seconds=0.7, lost=17, role="agent"):
        delayed = {"t": 10, "event": "delayed", "host": "a", "seconds": seconds}
        undelayed = {"t": 20, "event": "undelayed", "host": "a"}
        return [*HISTORY, delayed, undelayed, trace(lost, "the lease is lost: the lease of this host has ended", role=role), *others]

    def fault(self, t, kind, target, until):
        return {"t": t, "event": "fault", "what": kind, "kind": kind, "target": target, "until": until}

    def lost(self, history):
        self.found("leases", "only its answers were late", history)

    def test_a_lease_that_is_lost_because_of_late_answers(self):
        for role in ("agent", "lead"):
            self.lost(self.history(role=role))
        self.assertEqual(self.rules(self.history(seconds=0.75)), [], "a quarter of the lease")
        self.assertEqual(self.rules(self.history(lost=21)), [], "after that")
        self.assertEqual(self.rules(self.history(lost=9)), [], "before that")

    def test_the_end_of_all_delays(self):
        everywhere = [each if each["event"] != "undelayed" else each | {"host": "*"} for each in self.history()]
        self.lost(everywhere)
        later = [each if each["event"] != "trace" else each | {"t": 21} for each in everywhere]
        self.assertEqual(self.rules(later), [], "after that")

    def test_the_lease_of_another_host(self):
        self.assertEqual(self.rules([each if each["event"] != "trace" else each | {"host": "b"} for each in self.history()]), [])

    def test_what_else_has_happened_shortly_before_is_an_excuse(self):
        soon = 17 - QUIET + 0.1
        for other in (
            self.fault(8, "cut-host", "a", soon), self.fault(8, "slow-member", "m1", soon), self.fault(8, "kill-all", "", soon),
            self.fault(8, "cut-leader", "m2", soon), {"t": soon, "event": "exited", "host": "a", "role": "agent", "status": 0, "expected": True},
            {"t": soon, "event": "killed", "host": "m1", "role": "etcd"}, {"t": 16, "event": "revoked", "begun": 15}, {"t": 3, "event": "full"},
        ):
            with self.subTest(other):
                self.assertEqual(self.rules(self.history(other)), [])
        self.assertEqual(self.rules(self.history(*stopped("a", 8, soon, "agent"))), [])
        self.assertEqual(self.rules(self.history(*stopped("m1", 8, soon, "etcd"))), [])

    def test_nothing_else_is_an_excuse(self):
        early = 17 - QUIET - 0.1
        for other in (
            self.fault(8, "cut-host", "a", early), self.fault(16, "cut-host", "b", 18), self.fault(10, "delay-host", "a", 20),
            self.fault(17.5, "cut-host", "a", 19), {"t": 16, "event": "killed", "host": "b", "role": "agent"},
        ):
            with self.subTest(other):
                self.lost(self.history(other))
        self.lost(self.history({"t": 3, "event": "full"}, {"t": 4, "event": "room"}))
        self.lost(self.history(*stopped("b", 8, 18, "agent")))


class EndTests(Checker):
    def test_a_program_that_ends_by_itself(self):
        crash = {"t": 1, "event": "exited", "host": "a", "role": "agent", "status": -4, "expected": False}
        self.found("ends", "the agent of a", HISTORY + [crash])

    def test_what_is_late(self):
        self.found("late", "h1", HISTORY + [{"t": 9, "event": "late", "what": "h1 isn't ready"}])


if __name__ == "__main__":
    unittest.main()
