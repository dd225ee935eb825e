"""manifest.md: `user`, `limits` and `nice` of commands."""

import os
import signal
import subprocess
import unittest

from deadlines import until
from supervisor import INITD, Conformance

HEAD = "version: 1\n"
ROOT = os.geteuid() == 0


def read(path):
    with open(path) as file:
        return file.read()


def is_alive(pid):
    try:
        return read(f"/proc/{pid}/stat").split()[2] != "Z"
    except FileNotFoundError:
        return False


class SettingsCase(Conformance):
    def lines(self, text, **options):
        """The lines of the initializer `a` of a manifest whose launch must complete."""
        peer = self.start(HEAD + text, **options).peer()
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        return [line["line"] for line in peer.ok("logs")["lines"] if line["initializer"] == "a"]


class SettingsTests(SettingsCase):
    def test_limits_are_those_of_the_command_alone(self):
        limits = "limits: { openFiles: 77, memory: 512MiB, core: 0 }"
        script = "ulimit -n; ulimit -Hn; ulimit -v; ulimit -Hv; ulimit -c"
        found = self.lines(f"initializers:\n  b: {{ command: [bash, -c, '{script}'], nice: 7 }}\n  a: {{ command: [bash, -c, '{script}'], {limits} }}\n")
        self.assertEqual(found, ["77", "77", "524288", "524288", "0"])

    def test_nice_is_that_of_the_command_and_its_children(self):
        own = os.nice(0)
        self.assertEqual(self.lines("initializers: { a: { command: 'nice; sh -c nice', nice: 7 } }\n"), ["7", "7"])
        self.assertEqual(self.lines("initializers: { a: { command: nice } }\n"), [str(own)])

    def test_a_number_with_a_sign_is_no_user(self):
        path = self.write(os.path.join(self.directory(), "init.yaml"), HEAD + "initializers:\n  a: { command: x, user: '+5:5' }\n")
        self.assertIn(":3:26: ", self.assertStatus(self.initd("--check", path), 65).err)
        self.assertIn("allow-control", self.assertStatus(self.initd("--allow-control", "+5"), 64).err)

    def test_mistakes_have_remedies(self):
        path = self.write(os.path.join(self.directory(), "init.yaml"), HEAD + "initializers:\n  a: { command: x, user: 'a b', limits: { memory: 5MB }, nice: 20 }\n")
        err = self.assertStatus(self.initd("--check", path), 65).err.splitlines()
        self.assertEqual([line.removeprefix(path).split(": ")[0] for line in err], [":3:26", ":3:51", ":3:64"])
        for line, remedy in zip(err, ("write user: www-data", "512MiB", "nice: 10")):
            self.assertIn(remedy, line)


@unittest.skipUnless(ROOT, "only root can start commands as other users")
class UserTests(SettingsCase):
    USER = "daemon"

    def test_a_command_runs_as_the_user_with_its_groups(self):
        script = 'id -u; id -g; id -G | tr " " "\\n" | sort -n | tr "\\n" " "; echo; echo $HOME $USER $LOGNAME; grep -E "^(Uid|Gid):" /proc/self/status'
        expected = [subprocess.run(["id", option, self.USER], capture_output=True, text=True).stdout.strip() for option in ("-u", "-g", "-G")]
        home = os.path.expanduser("~" + self.USER)
        found = self.lines(f"initializers:\n  a:\n    user: {self.USER}\n    workingDirectory: /\n    command: |\n      {script}\n", prefix=["setpriv", "--groups", "3999999997"])
        self.assertEqual(found[:2], expected[:2])
        self.assertEqual(sorted(found[2].split()), sorted(expected[2].split()))
        self.assertEqual(found[3], f"{home} {self.USER} {self.USER}")
        uid, gid = expected[:2]
        self.assertEqual([line.split()[1:] for line in found[4:]], [[uid] * 4, [gid] * 4])

    def test_a_group_and_numbers_may_be_given(self):
        self.assertEqual(self.lines("initializers: { a: { user: '12345:23456', workingDirectory: /, command: id -u; id -g; id -G } }\n"), ["12345", "23456", "23456"])
        found = self.lines("initializers: { a: { user: '12345:23456', workingDirectory: /, command: echo $HOME $USER $LOGNAME } }\n")
        self.assertEqual(found, ["/ 12345 12345"])
        found = self.lines("environment: { HOME: /tmp }\ninitializers: { a: { user: '12345:23456', workingDirectory: /, command: echo $HOME $USER } }\n")
        self.assertEqual(found, ["/tmp 12345"])
        found = self.lines(f"initializers: {{ a: {{ user: '{self.USER}:bin', workingDirectory: /, command: id -gn; id -Gn }} }}\n")
        self.assertEqual(found[0], "bin")
        self.assertIn(self.USER, found[1].split())

    def test_it_has_outputs_progress_and_a_stop(self):
        directory = self.directory()
        os.chmod(directory, 0o777)
        text = (
            f"initializers:\n  given:\n    user: {self.USER}\n    workingDirectory: /\n    stop: 'id -un > {directory}/stopped'\n    command: |\n"
            "      python3 - <<END\n      import os, socket\n      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
            "      s.sendto(b'STATUS=half', os.environ['NOTIFY_SOCKET'])\n      END\n"
            f"      until test -e {directory}/go; do sleep 0.01; done\n"
            '      test ! -e "$INITD_OUTPUT" && echo "from $(id -un)" > "$INITD_OUTPUT"\n'
            "  a: { command: 'echo $INITD_INPUT_GIVEN', dependencies: [given] }\n"
        )
        supervisor = self.start(HEAD + text)
        peer = supervisor.peer()
        self.assertEqual(until(lambda: peer.initializer("given").get("progress"), "the progress"), {"message": "half"})
        self.write(os.path.join(directory, "go"), "")
        self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
        self.assertEqual([line["line"] for line in peer.ok("logs")["lines"]], [f"from {self.USER}"])
        peer.ok("shutdown")
        supervisor.program.wait()
        self.assertEqual(read(os.path.join(directory, "stopped")), self.USER + "\n")

    NOTIFY = "python3 -c \"import os, socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'%s', os.environ['NOTIFY_SOCKET'])\""
    """A command that sends a notification."""

    def test_each_feature_works_as_another_user_from_the_start(self):
        notify = self.NOTIFY.replace('"', '\\"')
        features = {
            "a process that notifies": ("workers", f'ready: {{ notify: true }}, command: "{notify % "READY=1"}; exec sleep 1000"'),
            "a process that is checked by a command": ("workers", 'ready: { command: [sh, -c, "test $(id -un) = USER"] }, command: "exec sleep 1000"'),
            "progress": ("initializers", f'command: "{notify % "STATUS=x"}"'),
            "an output": ("initializers", 'command: "echo from $(id -un) > $INITD_OUTPUT"'),
            "inputs": ("initializers", 'command: "true", inputs: [readable]'),
            "a condition": ("initializers", 'command: "true", when: { path: readable }'),
            "a stop": ("initializers", f'command: "true", stop: "{notify % "STATUS=x"} && id -un > stopped"'),
        }
        for runtime in (None, 0o700):
            for feature, (kind, keys) in features.items():
                with self.subTest(feature, runtime=runtime):
                    directory = self.directory()
                    os.chmod(directory, 0o777)
                    self.write(os.path.join(directory, "readable"), "")
                    env = {}
                    if runtime is not None:
                        env["XDG_RUNTIME_DIR"] = os.path.join(directory, "run")
                        os.mkdir(env["XDG_RUNTIME_DIR"], runtime)
                    text = f"{kind}:\n  a: {{ user: {self.USER}, timeout: 30s, {keys.replace('USER', self.USER)} }}\n"
                    supervisor = self.start(HEAD + text, directory=directory, env=env)
                    peer = supervisor.peer()
                    self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
                    if feature == "progress":
                        self.assertEqual(peer.initializer("a")["progress"], {"message": "x"})
                    peer.ok("rerun", initializers=["a"])
                    self.assertEqual(peer.ok("wait", for_="launch")["state"], "complete")
                    peer.ok("shutdown")
                    self.assertEqual(supervisor.ended(), 0)
                    if feature == "a stop":
                        self.assertEqual(supervisor.text("stopped"), self.USER + "\n")

    def test_a_worker_runs_as_its_user_and_dies_with_the_supervisor(self):
        directory = self.directory()
        os.chmod(directory, 0o777)
        supervisor = self.start(HEAD + f"workers:\n  w: {{ user: {self.USER}, workingDirectory: '{directory}', command: 'id -un > user; echo $$ > pid; exec sleep 1000' }}\n")
        path = os.path.join(directory, "pid")
        until(lambda: os.path.exists(path) and read(path).strip(), "the worker")
        self.assertEqual(read(os.path.join(directory, "user")).strip(), self.USER)
        pid = int(read(path))
        os.kill(supervisor.pid, signal.SIGKILL)
        until(lambda: not is_alive(pid), "the worker's end")

    def test_an_unknown_user_is_found_strictly_and_fails_the_run(self):
        directory = self.directory()
        path = self.write(os.path.join(directory, "init.yaml"), HEAD + "initializers:\n  a: { command: [sh], user: nobody-has-this-name }\n")
        self.assertStatus(self.initd("--check", path), 0)
        err = self.assertStatus(self.initd("--check", path, "--strict"), 65).err
        self.assertEqual(err, f"{path}:3:29: there is no user nobody-has-this-name in /etc/passwd; create it, or correct user\n")
        peer = self.start(read(path)).peer()
        error = peer.ok("wait", for_="launch")
        self.assertEqual(error["state"], "failed")
        self.assertIn("there is no user nobody-has-this-name in /etc/passwd", str(error))

    def test_a_supervisor_that_is_not_root_refuses_it(self):
        directory = self.directory()
        os.chmod(directory, 0o777)
        path = self.write(os.path.join(directory, "init.yaml"), HEAD + f"initializers:\n  a: {{ command: [echo, ran], user: {self.USER} }}\n")
        os.chmod(path, 0o644)
        socket = os.path.join(directory, "s")
        line = f'{path}:3:36: only root can start commands as the user "{self.USER}"; start initd as root, or remove user\n'
        for words, status in ((["--check", path], 0), (["--check", path, "--strict"], 65), (["--socket", socket, "--config", path], 65)):
            done = subprocess.run([INITD, *words], capture_output=True, text=True, user=65534, group=65534, extra_groups=[], cwd="/", timeout=60)
            self.assertEqual((done.returncode, done.stderr), (status, line if status else ""), words)


if __name__ == "__main__":
    unittest.main()
