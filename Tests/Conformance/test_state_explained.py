"""seeing.md: the passes are explained from a state directory, after the supervisor has ended."""

import json
import os
import signal
import unittest

from deadlines import until
from state import StateCase
from test_state_passes import in_flight

STACK = """
db: { command: 'sleep 0.1' }
migrate: { command: 'echo connecting; sleep 0.1; echo no such role >&2; exit 3', dependencies: [db] }
pages: { command: 'true', priority: appActive }
"""


class ExplainedCase(StateCase):
    def told(self, directory, *words, status=0):
        state = os.path.join(directory, "state")
        return self.assertStatus(self.initctl(*words, "--state-directory", state, env={"INITD_SOCKET": "/no/such/socket"}), status)

    def json(self, directory, *words, status=0):
        return json.loads(self.told(directory, *words, "--json", status=status).out)

    def app(self, initializers, *app):
        """Runs a supervisor with an app until it ends. Returns the supervisor's directory and its exit status."""
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), self.manifest(initializers))
        finished = self.initd("--socket", os.path.join(directory, "s"), "--config", path, "--state-directory", os.path.join(directory, "state"), "--", *app, cwd=directory)
        return directory, finished


class EndedTests(ExplainedCase):
    def test_why_a_start_failed_is_explained_after_the_end(self):
        directory, finished = self.app(STACK, "true")
        self.assertEqual(finished.status, 1)
        lines = self.told(directory, "why", status=1).out.splitlines()
        self.assertRegex(lines[0], r"^recorded at [0-9-]{10}T[0-9:.]{12}Z, at the end of pass 2, by supervisor [0-9a-f]{8}$")
        self.assertEqual(lines[1:3], ["ready failed", "└─ launch failed"])
        self.assertRegex(lines[3], "^   └─ migrate failed [0-9]+ ms ago: exit status 3; fix it, then start the supervisor again$")
        self.assertEqual([line.strip() for line in lines[4:]], ["migrate | connecting", "migrate | no such role"])
        tree = self.json(directory, "why", "pages", status=1)
        self.assertEqual((tree["status"], tree["because"][0]["name"]), ("notRun", "migrate"))
        self.told(directory, "why", "db")
        self.assertIn('did you mean "pages"', self.told(directory, "why", "page", status=64).err)

    def test_where_the_time_went_is_explained_after_the_end(self):
        """The explanation is that of the supervisor itself while the app ran."""
        directory = self.directory()
        initializers = STACK.replace("exit 3", "exit 0")
        supervisor = self.again(initializers, "--activate", directory=directory)
        self.assertEqual(supervisor.peer().ok("wait", for_="ready")["state"], "complete")
        commands = [
            ["blame"], ["blame", "--phase", "launch"], ["critical-path", "--pass", "1"], ["what-if", "--pass", "1", "--speedup", "db=2"],
            ["compare", "1", "2"], ["trace", "--pass", "1"], ["why"], ["history", "--phase", "launch"],
        ]
        alive = [self.assertStatus(supervisor.ctl(*words, "--json"), 0).out for words in commands]
        picture = self.assertStatus(supervisor.ctl("plot", "--pass", "1"), 0).out
        listed = self.assertStatus(supervisor.ctl("history", "--all", "--json"), 0).json()
        instance = supervisor.peer().status()["instance"]
        supervisor.program.signal(signal.SIGTERM)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual([self.told(directory, *words, "--json").out for words in commands], alive)
        self.assertEqual(self.told(directory, "plot", "--pass", "1").out, picture)
        self.assertEqual(self.told(directory, "history", "--all", "--json").json(), [{"instance": instance, **each} for each in listed])
        self.assertIn("use one of these: 1 to 2", self.told(directory, "blame", "--pass", "3", status=1).err)

    def test_an_earlier_supervisor_can_be_chosen(self):
        directory = self.directory()
        instances = []
        for name in "ab":
            supervisor = self.again(f"{name}: {{ command: 'true' }}", directory=directory)
            self.launched(supervisor)
            instances.append(supervisor.peer().status()["instance"])
            self.killed(supervisor)
        names = lambda *words: [each["name"] for each in self.json(directory, "blame", *words)["initializers"]]
        self.assertEqual(names(), ["b"])
        for instance, name in zip(instances, "ab"):
            self.assertEqual(names("--supervisor", instance[:8]), [name])
        rows = self.told(directory, "history", "--all").out.splitlines()[1:]
        self.assertEqual([row.split()[-1] for row in rows], [each[:8] for each in instances])
        self.assertIn("no supervisor \"zz\" has recorded a pass", self.told(directory, "blame", "--supervisor", "zz", status=64).err)

    def test_a_supervisor_compares_its_own_newest_pass(self):
        """Though an earlier one has recorded passes with higher numbers."""
        directory = self.directory()
        for passes in (3, 1):
            supervisor = self.again("a: { command: 'true', priority: appActive }", directory=directory)
            self.launched(supervisor)
            peer = supervisor.peer()
            for _ in range(passes):
                peer.ok("activate")
                self.assertEqual(peer.ok("wait", for_="active")["state"], "complete")
                peer.ok("deactivate", wait=True)
            compared = self.assertStatus(supervisor.ctl("compare"), 0).out
            number = passes + 1
            self.assertRegex(compared, rf"^from the median of [0-9] earlier passes to pass {number} \(active\)")
            self.killed(supervisor)

    def test_what_a_killed_supervisor_was_doing_is_explained(self):
        """Before another supervisor uses the directory, the end of the pass is unknown; after that, the pass was interrupted."""
        directory = self.directory()
        initializers = "db: { command: 'true' }\nmigrate: { command: 'echo copying; sleep 600', dependencies: [db] }"
        supervisor = self.again(initializers, directory=directory)
        until(lambda: in_flight(supervisor) == ["migrate"], "a record of what runs")
        self.killed(supervisor)
        finished = self.told(directory, "why", status=2)
        self.assertRegex(finished.out, "^recorded at .*, while pass 1 was in flight, by supervisor ")
        self.assertRegex(finished.out, "migrate has been running for ")
        self.assertNotIn("initctl ", finished.out, "nothing can be asked of it")
        self.assertIn("the end of pass 1 isn't recorded: its supervisor was killed during it, or is still running\n", finished.err)
        blame = self.json(directory, "blame")
        self.assertEqual((blame["outcome"], {each["name"]: each["outcome"] for each in blame["initializers"]}), ("running", {"db": "complete", "migrate": "running"}))
        second = self.again(initializers, "--no-launch", directory=directory)
        second.peer().alive()
        self.killed(second)
        blame = self.json(directory, "blame")
        self.assertEqual((blame["outcome"], {each["name"]: each["outcome"] for each in blame["initializers"]}), ("cancelled", {"db": "complete", "migrate": "cancelled"}))
        self.assertRegex(self.told(directory, "blame").out, r"^pass 1 \(launch\) interrupted after .*, when its supervisor ended\n")
        self.assertEqual([step["name"] for step in self.json(directory, "critical-path")["path"]], ["db", "migrate"])


class UnreadableTests(ExplainedCase):
    def test_what_cant_be_read_is_an_error_with_a_remedy(self):
        directory = self.directory()
        path = lambda name: os.path.join(directory, name)
        for name in ("empty", "folder", "pipe", "none", "bad"):
            os.mkdir(path(name))
        os.mkdir(path("folder/passes"))
        os.mkfifo(path("pipe/passes"))
        self.write(path("none/passes"), "")
        self.write(path("bad/passes"), "nonsense\n{}\n")
        for name, status, words in (
            ("missing", 66, "No such file or directory; name the directory of initd --state-directory"),
            ("empty", 66, "No such file or directory; name the directory of initd --state-directory"),
            ("folder", 66, "it is a directory; name the directory"), ("pipe", 66, "it is a named pipe; name the directory"),
            ("none", 1, "no pass is recorded in "), ("bad", 65, "/passes is damaged in 2 lines"),
        ):
            with self.subTest(name):
                finished = self.assertStatus(self.initctl("why", "--state-directory", path(name)), status)
                self.assertIn(words, finished.err)
                self.assertEqual(finished.out, "")

    @unittest.skipUnless(os.geteuid() == 0, "another user requires root")
    def test_the_file_of_another_user_is_77(self):
        directory, _ = self.app(STACK, "true")
        os.chmod(directory, 0o755)
        finished = self.initctl("why", "--state-directory", os.path.join(directory, "state"), preexec_fn=lambda: os.setuid(64321))
        self.assertIn("Permission denied; run initctl as its owner", self.assertStatus(finished, 77).err)

    def test_a_damaged_line_is_told_and_left_out(self):
        directory, _ = self.app(STACK, "true")
        path = os.path.join(directory, "state", "passes")
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
        [place] = [number for number, line in enumerate(lines) if b'"phase":"launch"' in line.split(b"\t")[0] and not line.startswith(b"~")]
        lines[place] = lines[place].replace(b'"launch"', b'"lunch!"', 1)
        with open(path, "wb") as file:
            file.write(b"\n".join(lines))
        finished = self.told(directory, "blame")
        self.assertIn(f"{path} is damaged in 1 line, which is left out\n", finished.err)
        self.assertIn("pass 2 (active)", finished.out)

    def test_options_that_exclude_each_other(self):
        self.assertIn("--state-directory and --socket can't be combined", self.assertStatus(self.initctl("--socket", "s", "why", "--state-directory", "state"), 64).err)
        self.assertIn("--supervisor has no effect without --state-directory", self.assertStatus(self.initctl("why", "--supervisor", "a"), 64).err)


if __name__ == "__main__":
    unittest.main()
