"""`scripts/install-missing`: who is asked before packages are installed. Programs that only record their words stand for apt-get and sudo."""

import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

from broken import ROOT

INSTALL = "apt-get install -q -y --no-install-recommends"


class InstallMissingTests(unittest.TestCase):
    def setUp(self):
        self.programs = pathlib.Path(tempfile.mkdtemp(prefix="install-"))
        self.addCleanup(shutil.rmtree, self.programs)
        self.record = self.programs / "record"
        # Without etcd, the package etcd-server is missing.
        for name in ("bash", "env", "python3", "ip", "tc"):
            (self.programs / name).symlink_to(shutil.which(name) or "/bin/true")
        self.program("apt-get", f'echo "apt-get $*" >>{self.record}')
        self.program("sudo", f'echo "sudo $*" >>{self.record}\nexec "$@"')

    def program(self, name, script):
        path = self.programs / name
        path.write_text(f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def install(self, user, stdin=subprocess.DEVNULL, **variables):
        """Runs the script as if by the user with this number."""
        self.program("id", f"echo {user}")
        environment = {"PATH": str(self.programs), **variables}
        done = subprocess.run(
            [ROOT / "scripts/install-missing", "etcd"], stdin=stdin, capture_output=True, text=True, env=environment, timeout=60)
        done.record = self.record.read_text() if self.record.exists() else ""
        return done

    def answer(self, text):
        """Runs the script as a user at a terminal who answers this."""
        terminal, end = pty.openpty()
        try:
            os.write(terminal, text)
            return self.install(1000, stdin=end)
        finally:
            os.close(terminal)
            os.close(end)

    def test_root_isnt_asked_and_needs_no_sudo(self):
        done = self.install(0)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("== installing", done.stdout)
        self.assertRegex(done.record, f"^apt-get update -q\n{INSTALL} .*etcd-server\n$")

    def test_a_variable_or_ci_answers_yes(self):
        for variables in ({"INSTALL_MISSING": "yes"}, {"CI": "true"}):
            with self.subTest(variables):
                done = self.install(1000, **variables)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertRegex(done.record, f"sudo env DEBIAN_FRONTEND=noninteractive {INSTALL} .*etcd-server\n")
                self.record.unlink()

    def test_without_a_terminal_it_fails_and_says_what_to_do(self):
        for variables in ({}, {"INSTALL_MISSING": "no"}, {"CI": ""}):
            with self.subTest(variables):
                done = self.install(1000, **variables)
                self.assertEqual((done.returncode, done.stdout, done.record), (1, "", ""))
                self.assertRegex(done.stderr, "^cannot install .*etcd-server: .*; type \"sudo apt-get install .*etcd-server\", or set INSTALL_MISSING=yes$")

    def test_at_a_terminal_it_asks(self):
        for text, installs in ((b"y\n", True), (b"YES\n", True), (b"\n", False), (b"n\n", False), (b"\x04", False)):
            with self.subTest(text):
                done = self.answer(text)
                self.assertEqual(done.returncode, 0 if installs else 1, done.stderr)
                self.assertRegex(done.stdout, "(?s)Missing packages: .*etcd-server.*sudo apt-get install .*INSTALL_MISSING=yes")
                self.assertIn("Install them now with sudo?", done.stderr)
                self.assertEqual("etcd-server" in done.record, installs)
                self.record.unlink(missing_ok=True)

    def test_a_system_without_apt_get_or_sudo_is_named(self):
        for name in ("sudo", "apt-get"):
            (self.programs / name).unlink()
            with self.subTest(name):
                done = self.install(1000, CI="true")
                self.assertEqual((done.returncode, done.record), (1, ""))
                self.assertRegex(done.stderr, f"^cannot install .*etcd-server: there is no {name}; ")

    def test_nothing_is_asked_if_nothing_is_missing(self):
        self.program("etcd", "exit 0")
        done = self.install(0)
        if "installing" in done.stdout:
            self.skipTest("a library of the build is missing here")
        done = self.install(1000)
        self.assertEqual((done.returncode, done.stdout, done.stderr, done.record), (0, "", "", ""))


if __name__ == "__main__":
    unittest.main()
