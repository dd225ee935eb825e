"""protocol.md §8: permissions by the kernel's credentials. The table of clients/PROTOCOL.md is the test."""

import os
import re
import signal
import stat
import unittest

from deadlines import until
from flood import queued
from peer import Peer, connected, hello, refusal
from supervisor import ROOT, Conformance

USER, GROUP = 4242, 4343
ROLES = ("observe", "control", "register")


def table():
    """Each method with the roles that may use it."""
    with open(os.path.join(ROOT, "clients/PROTOCOL.md")) as file:
        text = file.read().split("<!-- roles -->")[1]
    rows = re.findall(r"^\| `(\w+)` \|(.*)\|(.*)\|(.*)\|$", text, re.MULTILINE)
    return {method: {role for role, cell in zip(ROLES, cells) if cell.strip() == "yes"} for method, *cells in rows}


PARAMS = {
    "wait": {"for": "launch", "timeout": 0},
    "register": {"initializers": []},
    "unregister": {"names": []},
    "rerun": {"initializers": []},
    "cancelRun": {"initializers": []},
    "environment": {"name": "a"},
    "stop": {"names": []},
    "start": {"names": []},
    "restart": {"names": []},
    "hello": {"protocol": 1, "client": {"name": "again", "version": "1"}},
}


@unittest.skipUnless(os.geteuid() == 0, "another user requires root")
class RoleTests(Conformance):
    def start_for(self, *options):
        directory = self.directory()
        os.chmod(directory, 0o755)
        return self.start(self.manifest(), "--socket-mode", "666", *options, directory=directory)

    def check(self, supervisor, roles, user=USER, groups=(), path=None):
        """Sends every method from a peer with these roles."""
        for method, allowed in table().items():
            peer, _ = supervisor.peer_of_another_process(user, groups, path)
            if method != "hello":
                hello(peer)
            answer = peer.call(method, PARAMS.get(method))
            is_refused = answer.get("error", {}).get("code") == -32005
            self.assertEqual(is_refused, not roles & allowed, f"{method} by who may {roles}: {answer}")
            if is_refused:
                refusal(answer, -32005, method)
                peer.alive()
            if method == "shutdown" and not is_refused:
                self.assertEqual(supervisor.ended(), 0)
                return

    def test_the_table_has_every_method(self):
        self.assertEqual(len(table()), 24)

    def test_each_role_has_the_permissions_of_the_table(self):
        for role in ROLES:
            self.check(self.start_for(f"--allow-{role}", str(USER)), {"observe", role})

    def test_two_roles_add_up(self):
        self.check(self.start_for("--allow-control", str(USER), "--allow-register", str(USER)), set(ROLES))

    def test_root_and_the_own_user_have_all_permissions(self):
        self.check(self.start_for(), set(ROLES), user=0)

    def test_a_group_counts_whether_first_or_supplementary(self):
        supervisor = self.start_for("--allow-observe", f"@{GROUP}")
        self.check(supervisor, {"observe"}, groups=[5000, GROUP])
        self.check(supervisor, {"observe"}, user=GROUP)  # The user's first group has that number.
        peer, _ = supervisor.peer_of_another_process(USER, [5000])
        refusal(peer.receive(), -32005)

    def test_users_and_groups_may_be_given_by_name(self):
        supervisor = self.start_for("--allow-observe", "nobody", "--allow-control", "@daemon")
        self.check(supervisor, {"observe"}, user=65534)
        for wrong in ("no-such-user", "@no-such-group"):
            finished = self.initd("--socket-mode", "666", "--allow-observe", wrong)
            self.assertStatus(finished, 64)
            self.assertIn(wrong.lstrip("@"), finished.err)

    def test_a_user_without_a_role_is_refused_with_the_reason(self):
        supervisor = self.start_for("--allow-observe", str(USER + 1))
        peer, _ = supervisor.peer_of_another_process(USER)
        answer = peer.receive()
        self.assertIsNone(answer["id"])
        refusal(answer, -32005, str(USER))
        peer.expect_end()

    def test_the_mode_and_the_group_of_the_socket_are_set(self):
        supervisor = self.start(self.manifest(), "--socket-mode", "660", "--socket-group", str(GROUP), "--allow-observe", f"@{GROUP}")
        found = os.stat(supervisor.path)
        self.assertEqual((stat.S_IMODE(found.st_mode), found.st_gid), (0o660, GROUP))

    def test_at_the_second_socket_every_client_may_only_observe(self):
        directory = self.directory()
        os.chmod(directory, 0o755)
        second = os.path.join(directory, "observe")
        supervisor = self.start(self.manifest(), "--observe-socket", second, directory=directory)
        supervisor.peer()
        self.assertEqual(stat.S_IMODE(os.stat(second).st_mode), 0o666)
        self.assertEqual(stat.S_IMODE(os.stat(supervisor.path).st_mode), 0o600)
        for user in (USER, 0):
            self.check(supervisor, {"observe"}, user=user, path=second)
        peer, _ = supervisor.peer_of_another_process(USER)
        self.assertIsNone(peer, "the first socket is as private as ever")
        supervisor.peer().ok("shutdown")
        supervisor.ended()
        self.assertFalse(os.path.exists(second))

    def test_connections_at_the_second_socket_are_freed(self):
        """The places are freed by clients that disconnect, are disconnected, or never send hello; a refused client doesn't count."""
        directory = self.directory()
        second = os.path.join(directory, "observe")
        supervisor = self.start(self.manifest(), "--observe-socket", second, "--limit", "connections=2", "--limit", "helloTimeout=500ms", directory=directory)
        until(lambda: os.path.exists(second), "the second socket")

        def come():
            peer = Peer(connected(second))
            self.addCleanup(peer.close)
            return peer

        def greeted():
            """An accepted peer; None if the limit was reached."""
            peer = come()
            try:
                peer.request("hello", {"protocol": 1, "client": {"name": "test", "version": "1"}})
                answer = peer.receive()
            except OSError:
                return None
            if answer is not None and "result" in answer:
                return peer
            self.assertTrue(answer is None or answer["error"]["data"]["limit"] == "connections", answer)
            return None

        for turn in range(5):
            with self.subTest(turn):
                peers = [until(greeted, "a place") for _ in range(2)]
                for _ in range(3):
                    self.assertIsNone(greeted(), "both places are taken")
                peers[0].close()
                # A client that is disconnected: it sends an invalid length.
                peers[1].send_bytes(b"\xff" * 8)
                self.assertEqual(peers[1].receive()["error"]["code"], -32700)
                peers[1].expect_end_now()
                peers[1].close()
        silent = [come(), come()]
        until(greeted, "a place of one that never said hello", 30)
        for each in silent:
            each.expect_end()
        supervisor.peer().alive()

    def test_the_second_socket_has_its_own_mode(self):
        directory = self.directory()
        second = os.path.join(directory, "observe")
        self.start(self.manifest(), "--observe-socket", second, "--observe-socket-mode", "640", directory=directory).peer()
        self.assertEqual(stat.S_IMODE(os.stat(second).st_mode), 0o640)

    def test_contradicting_options_are_usage_errors(self):
        for options in (["--socket-mode", "999"], ["--allow-observe", str(USER)], ["--observe-socket-mode", "600"]):
            finished = self.initd(*options)
            self.assertStatus(finished, 64)
            self.assertIn(";", finished.err)

    def test_a_worker_may_unregister_only_its_own_names(self):
        """A name without a worker may be unregistered by clients with the role control."""
        supervisor = self.start_for("--allow-register", str(USER))
        lost = supervisor.worker("lost")
        lost.expect_run("lost").succeed()
        lost.close()
        owner = supervisor.peer()
        until(lambda: owner.status()["workers"] == [], "the loss")
        peer, _ = supervisor.peer_of_another_process(USER)
        hello(peer)
        peer.register("own")
        refusal(peer.call("unregister", {"names": ["lost"]}), -32005)
        refusal(peer.call("unregister", {"names": ["own", "lost"]}), -32005)
        refusal(peer.call("unregister", {"names": ["nobody"]}), -32005)
        peer.ok("unregister", names=["own"])
        self.assertNames(owner.status()["initializers"], ["lost"])
        owner.ok("unregister", names=["lost"])

    def test_refused_clients_dont_lock_others_out(self):
        """Only a few of many refused clients are kept until they have read the reason, and none counts as a connection."""
        supervisor = self.start_for(
            "--allow-observe", str(USER), "--limit", "connections=20", "--limit", "farewell=60s", "--log-level", "error"
        )
        before = len(os.listdir(f"/proc/{supervisor.pid}/fd"))
        told, tells = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgroups([])
                os.setgid(GROUP)
                os.setuid(GROUP)
                held = [queued(supervisor.path) for _ in range(500)]
                os.write(tells, b"%d" % len(held))
                signal.pause()
            finally:
                os._exit(0)
        os.close(tells)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        self.assertEqual(os.read(told, 10), b"500")
        os.close(told)
        self.assertStatus(supervisor.ctl("status"), 0)
        self.assertLess(len(os.listdir(f"/proc/{supervisor.pid}/fd")), before + 64 + 10)
        for peer in [supervisor.peer_of_another_process(USER)[0] for _ in range(5)]:
            hello(peer)


class PathTests(Conformance):
    def test_a_second_socket_that_cant_be_created_is_73_and_the_first_is_removed(self):
        directory = self.directory()
        path = os.path.join(directory, "s")
        finished = self.initd("--socket", path, "--observe-socket", os.path.join(directory, "no", "where"))
        self.assertStatus(finished, 73)
        self.assertFalse(os.path.exists(path))
