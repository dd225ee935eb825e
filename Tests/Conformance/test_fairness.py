"""protocol.md: clients of one user don't delay the clients of another user, regardless of their number."""

import fcntl
import json
import os
import select
import signal
import struct
import termios
import time
import unittest

from deadlines import until
from peer import frame, hello, message
from supervisor import Conformance

ATTACKER, VICTIM = 64321, 64322
CONNECTIONS = 40
# Each of these characters takes six bytes in JSON, so an answer is a whole page.
NOISE = r"""noise: { command: [python3, -c, "print(('\\1' * 2000 + '\\n') * 100)"] }"""


def unread(peer):
    """How many bytes wait for a client."""
    return struct.unpack("i", fcntl.ioctl(peer.stream, termios.FIONREAD, bytes(4)))[0]


def processor_time(pid):
    """The processor time of a process so far, in seconds."""
    # The clock of a process has a number that the kernel computes from its id (clock_getcpuclockid).
    return time.clock_gettime(~pid << 3 | 2)


@unittest.skipUnless(os.geteuid() == 0, "other users require root")
class FairnessTests(Conformance):
    def crowd(self, *arguments):
        """A supervisor that is stopped, a client of a user, and forty of another user."""
        users = [word for user in (ATTACKER, VICTIM) for word in ("--allow-observe", str(user))]
        supervisor = self.start_with(NOISE, "--socket-mode", "666", *users, *arguments)
        os.chmod(supervisor.directory, 0o755)
        supervisor.peer().ok("wait", for_="launch")
        victim, _ = supervisor.peer_of_another_process(VICTIM)
        attackers = [supervisor.peer_of_another_process(ATTACKER)[0] for _ in range(CONNECTIONS)]
        for each in (victim, *attackers):
            hello(each)
        supervisor.program.signal(signal.SIGSTOP)
        return supervisor, victim, attackers

    def answered(self, attackers):
        """Returns how many of them have an answer."""
        return len(select.select([each.stream for each in attackers], [], [], 0)[0])

    def check(self, supervisor, victim, attackers, method):
        """The supervisor finds all requests at once, the victim's last."""
        request = victim.request(method)
        supervisor.program.signal(signal.SIGCONT)
        self.assertIn("result", victim.answer(request))
        served = self.answered(attackers)
        self.assertLessEqual(served, CONNECTIONS // 4, f"{served} of {CONNECTIONS} clients of another user came first")

    def test_large_answers_of_another_user_come_later(self):
        for method in ("ping", "status"):
            with self.subTest(method):
                supervisor, victim, attackers = self.crowd()
                for each in attackers:
                    each.request("logs", {"limit": 100_000})
                self.check(supervisor, victim, attackers, method)

    def test_a_status_comes_before_most_requests_of_a_flood(self):
        supervisor, victim, attackers = self.crowd()
        flood = b"".join(frame(message(id=number, method="status")) for number in range(400))
        for each in attackers:
            each.send_bytes(flood)
        request = victim.request("status")
        supervisor.program.signal(signal.SIGCONT)
        size = len(json.dumps(victim.answer(request)))
        answers = sum(unread(each) for each in attackers) // size
        self.assertLess(answers, CONNECTIONS * 400 // 20)

    def test_a_client_that_has_waited_long_is_served_though_others_come_first(self):
        """Clients of root, which come first, have requests for many turns."""
        supervisor, victim, attackers = self.crowd()
        flood = frame(message(id=1, method="ping")) * 2000
        owners = []
        supervisor.program.signal(signal.SIGCONT)
        for _ in range(CONNECTIONS // 2):
            owners.append(supervisor.peer())
        supervisor.program.signal(signal.SIGSTOP)
        for each in owners:
            each.send_bytes(flood)
        request = victim.request("ping")
        supervisor.program.signal(signal.SIGCONT)
        size = len(json.dumps(victim.answer(request), separators=(",", ":"))) + 4
        answers = sum(unread(each) for each in owners) // size
        self.assertLess(answers, len(owners) * 2000 // 2)

    def test_many_answers_to_one_client_leave_room_for_those_to_another(self):
        """Sends waits that time out at once; each answer has a whole Status."""
        supervisor, victim, [attacker, *_] = self.crowd()
        supervisor.program.signal(signal.SIGCONT)
        worker = supervisor.peer()
        worker.ok("register", initializers=[{"name": f"{'n' * 100}{number}", "priority": "appActive"} for number in range(100)])
        requests = [attacker.request("wait", {"for": "active", "timeout": 1}) for _ in range(100)]
        attacker.alive()
        last = victim.request("wait", {"for": "active", "timeout": 1})
        victim.alive()
        supervisor.program.signal(signal.SIGSTOP)
        end = time.monotonic() + 1
        until(lambda: time.monotonic() > end, "the end of all these waits")
        supervisor.program.signal(signal.SIGCONT)
        times = [attacker.answer(each)["error"]["data"]["status"]["time"] for each in requests]
        self.assertLess(victim.answer(last)["error"]["data"]["status"]["time"], times[12])

    def test_the_worker_of_a_run_and_the_client_with_a_lease_come_first(self):
        """Other clients of their user, which has a debt by then, have waited longer."""
        for role in ("a worker", "a leader"):
            with self.subTest(role):
                supervisor, _, attackers = self.crowd("--allow-register", str(ATTACKER), "--allow-control", str(ATTACKER))
                supervisor.program.signal(signal.SIGCONT)
                first = attackers.pop()
                if role == "a worker":
                    first.register("warm")
                    first.expect_run("warm")
                else:
                    first.ok("activate", hold=True, lease=60)
                for each in attackers:
                    each.request("logs", {"limit": 100_000})
                # The others wait for their answers now.
                before = until(lambda: self.answered(attackers), "the first answer")
                first.alive()
                self.assertLessEqual(self.answered(attackers) - before, CONNECTIONS // 4)

    def test_a_user_who_has_used_much_is_served_at_once_if_no_one_else_waits(self):
        """The account decides who comes first: it is no punishment, and no work."""
        supervisor, victim, attackers = self.crowd()
        supervisor.program.signal(signal.SIGCONT)
        start = processor_time(supervisor.pid)
        for each in attackers[:10]:
            each.request("logs", {"limit": 100_000})
        for each in attackers[:10]:
            self.assertTrue(each.receive())
        used = processor_time(supervisor.pid) - start
        attackers[0].alive()
        self.assertLess(processor_time(supervisor.pid) - start - used, used / 2)
        victim.alive()

    def test_a_new_connection_has_the_debt_of_its_user(self):
        """The cost of a user's former connection counts for the next connections: their answers are made later than another user's."""
        supervisor, victim, attackers = self.crowd()
        supervisor.program.signal(signal.SIGCONT)
        spender, start = attackers.pop(), processor_time(supervisor.pid)
        while processor_time(supervisor.pid) < start + 0.3:
            spender.ok("logs", limit=100_000)
        spender.close()
        victim.alive()
        supervisor.program.signal(signal.SIGSTOP)
        requests = [(each, each.request("status")) for each in [*attackers, victim]]
        supervisor.program.signal(signal.SIGCONT)
        *times, last = [each.answer(request)["result"]["time"] for each, request in requests]
        self.assertLess(last, min(times))


if __name__ == "__main__":
    unittest.main()
