"""protocol.md §8: without options, root and the supervisor's own user have all permissions, and others none."""

import os
import subprocess
import unittest

from supervisor import INITCTL, Conformance

NOBODY = 65534


class PermissionTests(Conformance):
    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("only root can become another user")
        self.supervisor = self.start()
        os.chmod(self.supervisor.directory, 0o755)

    def peer_of(self, user):
        """A peer whose connection was made by another user, or None if that failed."""
        return self.supervisor.peer_of_another_process(user)[0]

    def test_the_sockets_mode_keeps_others_out(self):
        self.assertIsNone(self.peer_of(NOBODY))

    def test_a_user_without_a_role_gets_32005_with_id_null_and_is_closed(self):
        os.chmod(self.supervisor.path, 0o666)
        peer = self.peer_of(NOBODY)
        peer.complaint(-32005)
        peer.expect_end_now()
        self.supervisor.peer().alive()

    def test_initctl_ends_with_77_if_permission_is_denied(self):
        os.chmod(self.supervisor.path, 0o666)
        as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
        try:
            subprocess.run([INITCTL], capture_output=True, **as_nobody)
        except PermissionError:
            self.skipTest("another user can't execute initctl at its path")
        self.assertStatus(self.supervisor.ctl("status", **as_nobody), 77)


if __name__ == "__main__":
    unittest.main()
