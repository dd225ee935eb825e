"""--version of both programs."""

import subprocess
import unittest

from peer import hello
from supervisor import INITCTL, INITD, Conformance


class VersionTests(Conformance):
    def test_each_program_tells_what_it_is(self):
        for name, path in (("initd", INITD), ("initctl", INITCTL)):
            with self.subTest(name):
                finished = subprocess.run([path, "--version"], env={}, capture_output=True, text=True)
                self.assertEqual((finished.returncode, finished.stderr), (0, ""))
                self.assertRegex(finished.stdout, rf"\A{name} \d+\.\d+\.\d+ \(commit ([0-9a-f]{{12}}(-dirty)?|unknown), protocol 1, (x86_64|aarch64)\)\n\Z")
                # The version is that of the protocol's greeting, and of the manual page.
                supervisor = self.start("version: 1\n")
                self.assertEqual(finished.stdout.split()[1], hello(supervisor.connect())["server"]["version"])


if __name__ == "__main__":
    unittest.main()
