"""The socket's path."""

import os
import tempfile
import unittest
from unittest import mock

from appinitializers import NoSupervisor, default_path
from appinitializers.link import Link


class PathTests(unittest.TestCase):
    def test_the_default_path_follows_the_protocols_rule(self):
        with mock.patch.dict(os.environ, {"INITD_SOCKET": "/a/b.sock", "XDG_RUNTIME_DIR": "/run/user/1"}, clear=True):
            self.assertEqual(default_path(), "/a/b.sock")
        with mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": "/run/user/1"}, clear=True):
            self.assertEqual(default_path(), "/run/user/1/initd.sock")
        with mock.patch.dict(os.environ, {}, clear=True), mock.patch("os.geteuid", return_value=0):
            self.assertEqual(default_path(), "/run/initd.sock")
        with mock.patch.dict(os.environ, {}, clear=True), mock.patch("os.geteuid", return_value=1000):
            with self.assertRaises(NoSupervisor) as caught:
                default_path()
            self.assertFalse(caught.exception.may_pass)

    def test_a_path_too_long_is_an_error_and_never_truncated(self):
        with self.assertRaisesRegex(NoSupervisor, "cannot connect") as caught:
            Link.to("/tmp/" + "x" * 200)
        self.assertFalse(caught.exception.may_pass)

    def test_no_listener_is_no_supervisor(self):
        with self.assertRaisesRegex(NoSupervisor, "/nowhere/initd.sock") as caught:
            Link.to("/nowhere/initd.sock")
        self.assertTrue(caught.exception.may_pass)

    def test_waiting_for_a_socket_that_can_not_be_one_is_useless(self):
        with tempfile.NamedTemporaryFile() as file:
            with self.assertRaises(NoSupervisor) as caught:
                Link.to(file.name + "/initd.sock")
        self.assertFalse(caught.exception.may_pass)


if __name__ == "__main__":
    unittest.main()
