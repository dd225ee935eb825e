"""Examples/checkouts: two copies of a folder run side by side, each at its own port (S36)."""

import os
import re
import signal
import unittest

from deadlines import until
from portblock import PortBlock
from supervisor import INITCTL, INITD, ROOT, Conformance

FOLDER = os.path.join(ROOT, "Examples/checkouts")


class CheckoutsTests(Conformance):
    def start_run(self):
        """The script, and the directory for its files."""
        temporary = self.directory()
        os.chmod(temporary, 0o700)
        programs = {"INITD": INITD, "INITCTL": INITCTL, "TMPDIR": temporary, "XDG_RUNTIME_DIR": temporary}
        return self.program([os.path.join(FOLDER, "run")], env=programs), temporary

    def test_both_answer_at_their_own_ports_and_leave_nothing_behind(self):
        run, temporary = self.start_run()
        done = self.assertStatus(run.finish(150), 0)
        found = dict(re.findall(r"^(\w+) answers at port (\d+): the page of \1$", done.out, re.M))
        self.assertEqual(list(found), ["red", "blue"], done.out)
        self.assertEqual(len(set(found.values())), 2, done.out)
        self.assertTrue(done.out.endswith("both have ended\n"), done.out)
        self.assertEqual([each for each in os.listdir(temporary) if each.startswith("checkouts")], [])

    def test_interrupted_it_leaves_nothing_behind_either(self):
        run, temporary = self.start_run()
        self.assertRegex(run.line(150), "^red answers at port ")
        run.signal(signal.SIGTERM)
        self.assertEqual(run.wait(60), 143)
        self.assertEqual([each for each in os.listdir(temporary) if each.startswith("checkouts")], [])
        until(lambda: not self.mentioned(temporary), "the end of its processes")

    def mentioned(self, path):
        """The processes whose command lines have this path."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) != os.getpid():
                try:
                    with open(f"/proc/{entry}/cmdline", "rb") as file:
                        if path.encode() in file.read():
                            found.append(entry)
                except OSError:
                    continue
        return found

    def test_a_copy_takes_the_next_port_if_a_program_has_the_first(self):
        block = PortBlock()
        self.addCleanup(block.close)
        with open(os.path.join(FOLDER, "init.yaml")) as file:
            text = file.read().replace("8080+", f"{block.first}+")
        ports = []
        runtime = self.directory()
        os.chmod(runtime, 0o700)
        for name in ("red", "blue"):
            directory = self.directory()
            os.mkdir(os.path.join(directory, "site"))
            self.write(os.path.join(directory, "site/index.html"), f"the page of {name}\n")
            supervisor = self.start(text, directory=directory, env={"XDG_RUNTIME_DIR": runtime})
            self.assertStatus(supervisor.ctl("wait", "ready", "--timeout", "60s"), 0)
            self.assertIn(f"the page of {name}", supervisor.ctl("logs", "smoke-test").out)
            ports.append(supervisor.ctl("port", "web").out)
        self.assertEqual(ports, [f"{block.first}\n", f"{block.first + 1}\n"])


if __name__ == "__main__":
    unittest.main()
