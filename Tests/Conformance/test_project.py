"""everyday.md "The project's folder": finding init.yaml, the project's socket, `initctl up`, `down` and `ls`, and the notice of a change.

Each test names the sentence that it checks. Each test has its own runtime directory, so it sees and touches no other project of the user.
"""

import contextlib
import glob
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import unittest

import shapes
from deadlines import until
from peer import Peer, connected, hello
from state import connected_to
from supervisor import FAST, INITCTL, INITD, Conformance, Supervisor, is_running

GOOD = "initializers:\n  migrate: { command: 'echo migrate >> ran' }\n"
GATED = "initializers:\n  migrate: { command: 'echo migrate >> ran; until test -e go; do sleep 0.05; done' }\n"
"""An initializer that completes once the file `go` exists."""
BROKEN = "initializers:\n  migrate: { command: 'echo trouble >&2; echo migrate >> ran; test -e fixed' }\n"
"""An initializer that fails until the file `fixed` exists."""
ACTIVE = "initializers:\n  warm: { command: 'echo warm >> ran', phase: active }\n"
BAD = "nonsense: 1\n"

OTHER = 65534
"""Another user."""
RUN = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none /run && eval "$0" && exec "$@"']
"""Runs a program as root with a `/run` of its own: RUN SCRIPT PROGRAM…, where the script fills `/run`."""


def can_mount():
    with contextlib.suppress(OSError):
        return subprocess.run([*RUN, "true", "true"], capture_output=True).returncode == 0
    return False


class Found(Supervisor):
    """An `initd` that finds its manifest and its socket itself."""

    def __init__(self, test, words, *, path, cwd, env, **options):
        self.test, self.path, self.directory = test, path, cwd
        self.program = test.program(words, cwd=cwd, env=env, **options)


class ProjectCase(Conformance):
    def setUp(self):
        super().setUp()
        self.runtime = self.directory()
        self.environment = {"XDG_RUNTIME_DIR": self.runtime, "PATH": f"{os.path.dirname(INITD)}:{os.environ['PATH']}"}
        self.addCleanup(self.kill_background)
        self.folder = self.project(GOOD)

    # Folders

    def text(self, text):
        return FAST + textwrap.dedent(text)

    def project(self, text, directory=None, name="init.yaml"):
        """A folder with a manifest: a new one, or this one, which is created if it doesn't exist."""
        directory = directory or self.directory()
        os.makedirs(directory, exist_ok=True)
        self.write(os.path.join(directory, name), self.text(text))
        return directory

    def bare(self):
        """A folder without a manifest, in it or above it."""
        for above in ("/tmp", "/"):
            for name in ("init.yaml", "init.yml"):
                self.assertFalse(os.path.lexists(os.path.join(above, name)), f"remove {name} from {above}: initd finds it")
        return self.directory()

    def below(self, path="src/deep"):
        """A folder below the project's."""
        path = os.path.join(self.folder, path)
        os.makedirs(path, exist_ok=True)
        return path

    def file(self, name, folder=None):
        return os.path.join(folder or self.folder, name)

    def put(self, name, text="", folder=None):
        path = self.file(name, folder)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def contents(self, path):
        """The text of a file; empty if there is none."""
        with contextlib.suppress(FileNotFoundError), open(path, errors="replace") as file:
            return file.read()
        return ""

    def ran(self, folder=None):
        return self.contents(self.file("ran", folder)).split()

    def beside(self, ending, folder=None):
        """The path of a file of the project in the user's runtime directory."""
        digest = hashlib.sha256(os.path.realpath(folder or self.folder).encode()).hexdigest()
        return os.path.join(self.runtime, "initd", digest[:16] + ending)

    def socket(self, folder=None):
        return self.beside(".sock", folder)

    # Programs

    def start_ctl(self, *words, cwd=None, env=None, **options):
        return self.program([INITCTL, *words], cwd=cwd or self.folder, env=self.environment | (env or {}), **options)

    def ctl(self, *words, **options):
        """Runs `initctl` in the project's folder to its end."""
        return self.start_ctl(*words, **options).finish()

    def begin(self, *arguments, cwd=None, path=None, env=None, prefix=(), **options):
        """An `initd` without --socket, in the project's folder; by default it is expected at the project's socket."""
        cwd = cwd or self.folder
        supervisor = Found(
            self, [*prefix, INITD, *arguments], path=path or self.socket(cwd), cwd=cwd, env=self.environment | (env or {}), **options)
        supervisor.wait_until_up()
        return supervisor

    def begin_refused(self, *arguments, status, cwd=None, env=None):
        """The errors of an `initd` that can't start."""
        finished = self.initd(*arguments, cwd=cwd or self.folder, env=self.environment | (env or {}))
        return self.assertStatus(finished, status).err

    def launched(self, supervisor):
        """Waits until launch is complete."""
        self.assertEqual(supervisor.peer().ok("wait", for_="launch")["state"], "complete")

    def log(self, supervisor):
        supervisor.program.pump()
        return supervisor.program.err.decode()

    def start_up(self, *words, cwd=None, **options):
        """Starts `initctl up`; its supervisor ends with the test."""
        self.addCleanup(self.end_background, cwd or self.folder, [each for each in words if "project" in each])
        return self.start_ctl("up", *words, cwd=cwd, **options)

    def up(self, *words, status=0, **options):
        """Runs `initctl up` to its end."""
        return self.assertStatus(self.start_up(*words, **options).finish(), status)

    def status(self, *words, **options):
        [status] = self.assertStatus(self.ctl("status", "--json", *words, **options), 0).json()
        return status

    def until_status(self, condition, what, *words, **options):
        """Polls until a supervisor answers, and its Status is so."""

        def look():
            program = self.start_ctl("status", "--json", *words, **options)
            finished = program.finish()
            program.end()
            if finished.status == 0 and condition(status := finished.json()[0]):
                return status

        return until(look, what)

    # Supervisors in the background

    def background(self):
        """The pids of the supervisors in the background."""
        mark = f"XDG_RUNTIME_DIR={self.runtime}".encode()
        ours = {each.pid for each in self._programs}
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) not in ours:
                with contextlib.suppress(OSError), open(f"/proc/{entry}/comm") as comm, open(f"/proc/{entry}/environ", "rb") as environ:
                    if comm.read() == "initd\n" and mark in environ.read().split(b"\0") and is_running(int(entry)):
                        found.append(int(entry))
        return found

    def end_background(self, folder, words):
        if self.background():
            with contextlib.suppress(AssertionError):
                self.ctl("down", "--reply-timeout", "5s", *words, cwd=folder)

    def kill_background(self):
        """Kills what `initctl down` has not ended, and shows the logs if the test failed."""
        for pid in self.background():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if not getattr(self._outcome, "success", True):
            for path in glob.glob(os.path.join(self.runtime, "initd", "*.log")) + glob.glob(self.file(".state/initd.log")):
                print(f"\n--- {self.id()}: {path}\n{self.contents(path)[-4000:]}", file=sys.stderr)


class ManifestTests(ProjectCase):
    """`initd` without `--config` takes `init.yaml` (or `init.yml`) of the working directory or the nearest one above it that has one."""

    def test_initd_takes_the_manifest_of_the_working_directory(self):
        """`initd` without `--config` takes `init.yaml` (or `init.yml`) of the working directory."""
        for name in ("init.yaml", "init.yml"):
            with self.subTest(name):
                self.folder = self.project(GOOD, name=name)
                self.launched(self.begin())
                self.assertEqual(self.status()["manifest"], [self.file(name)])
                self.assertEqual(self.ran(), ["migrate"])

    def test_init_yaml_comes_before_init_yml(self):
        """`init.yaml` (or `init.yml`)."""
        self.project("initializers:\n  other: { command: 'true' }\n", self.folder, "init.yml")
        self.begin()
        self.assertEqual(self.status()["manifest"], [self.file("init.yaml")])

    def test_initd_takes_the_nearest_manifest_above(self):
        """Or the nearest one above it that has one. Relative paths still start at the manifest's directory."""
        self.project("initializers:\n  inner: { command: 'echo inner >> ran' }\n", self.below("app"))
        for cwd, folder, name in ((self.below("src/deep"), self.folder, "migrate"), (self.below("app/src"), self.below("app"), "inner")):
            with self.subTest(cwd):
                self.launched(self.begin(cwd=cwd, path=self.socket(folder)))
                self.assertNames(self.status(cwd=cwd)["initializers"], [name])
                self.assertEqual(self.ran(folder), [name])

    def test_a_given_manifest_counts_and_not_the_one_that_is_here(self):
        """`initd` *without* `--config`."""
        other = self.project(BROKEN)
        supervisor = self.begin("--config", self.file("init.yaml"), cwd=other, path=self.socket(self.folder))
        self.launched(supervisor)
        self.assertEqual((self.ran(), self.ran(other)), (["migrate"], []))

    def test_without_any_there_are_only_workers_and_the_log_says_so(self):
        """Without any: as before, only workers, and the log says so."""
        bare = self.bare()
        supervisor = self.begin(cwd=bare, path=os.path.join(self.runtime, "initd.sock"))
        supervisor.program.until_err("there is no init.yaml here or above: all initializers come from workers")
        status = self.status(cwd=bare)
        self.assertEqual(status["initializers"], [])
        self.assertFalse({"manifest", "sources", "watch"} & status.keys(), status)
        supervisor.worker("a").expect_run("a")

    def test_a_manifest_that_is_found_and_has_mistakes_is_65(self):
        """It is read as one that is given."""
        self.project(BAD, self.folder)
        self.assertRegex(self.begin_refused(status=65, cwd=self.below()), r"init\.yaml:4:1: ")
        self.assertFalse(os.path.lexists(self.socket()))

    def test_check_takes_it_too(self):
        """`initctl` likewise for `check`."""
        for cwd in (self.folder, self.below()):
            with self.subTest(cwd):
                self.assertIn("migrate", self.assertStatus(self.ctl("check", cwd=cwd), 0).out)
        self.project(BAD, self.folder)
        self.assertRegex(self.assertStatus(self.ctl("check", cwd=self.below()), 65).err, r"init\.yaml:4:1: ")

    def test_graph_and_plan_take_it_too(self):
        """`initctl` likewise for `graph`, `plan`. No supervisor runs, so they have it from the manifest."""
        for command in ("graph", "plan"):
            for cwd in (self.folder, self.below()):
                with self.subTest(command, cwd=cwd):
                    self.assertIn("migrate", self.assertStatus(self.ctl(command, cwd=cwd), 0).out)


class SocketTests(ProjectCase):
    def test_it_is_named_after_the_real_path_of_the_folder(self):
        """`initd/HASH.sock` in `$XDG_RUNTIME_DIR`; HASH is 16 hex digits of the SHA-256 of the real path of the manifest's directory."""
        link = os.path.join(self.directory(), "link")
        os.symlink(self.folder, link)
        supervisor = self.begin("--config", os.path.join(link, "init.yaml"), cwd="/", path=self.socket())
        self.assertEqual(os.stat(self.socket()).st_mode & 0o7777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(self.socket())).st_mode & 0o7777, 0o700)
        self.assertNotIn("initd.sock", os.listdir(self.runtime))
        self.assertEqual(self.status("--project", link, cwd="/")["pid"], supervisor.pid)

    def test_of_several_manifests_the_first_decides(self):
        """The project's, for a manifest given: of several the first."""
        other = self.project(ACTIVE)
        supervisor = self.begin("--config", self.file("init.yaml"), "--config", self.file("init.yaml", other), cwd=self.bare(), path=self.socket())
        self.launched(supervisor)
        self.assertEqual(self.status()["manifest"], [self.file("init.yaml"), self.file("init.yaml", other)])
        self.assertFalse(os.path.lexists(self.socket(other)))

    def test_the_order_of_the_places(self):
        """In this order: `--socket`, `INITD_SOCKET`, the manifest's `socket:`, the project's."""
        self.project("socket: key.sock\n" + GOOD, self.folder)
        option, variable = self.file("option.sock"), self.file("variable.sock")
        for arguments, env, path in (
            (["--socket", option], {"INITD_SOCKET": variable}, option),
            ([], {"INITD_SOCKET": variable}, variable),
            ([], {}, self.file("key.sock")),
        ):
            with self.subTest(path):
                supervisor = self.begin(*arguments, env=env, path=path)
                self.until_status(lambda status: status["pid"] == supervisor.pid, "the same order in initctl", *arguments, env=env)
                self.assertStatus(self.ctl("shutdown", *arguments, env=env), 0)
                self.assertEqual(supervisor.ended(), 0)

    def test_a_socket_of_the_manifest_is_found_by_a_link(self):
        """The manifest's `socket:` is relative to the manifest; the project's path is a link to it while the supervisor runs."""
        os.mkdir(self.file("run"))
        self.project("socket: run/s\n" + GOOD, self.folder)
        supervisor = self.begin(cwd=self.below(), path=self.file("run/s"))
        until(lambda: os.path.islink(self.socket()), "the link")
        self.assertEqual(os.path.realpath(self.socket()), self.file("run/s"))
        self.assertEqual(self.status(cwd=self.below())["pid"], supervisor.pid)
        self.assertStatus(self.ctl("shutdown"), 0)
        self.assertEqual(supervisor.ended(), 0)
        self.assertFalse(os.path.lexists(self.socket()))

    def test_the_link_of_a_killed_supervisor_is_replaced(self):
        """The project's path is a link to it while the supervisor runs."""
        self.project("socket: one.sock\n" + GOOD, self.folder)
        supervisor = self.begin(path=self.file("one.sock"))
        until(lambda: os.path.islink(self.socket()), "the link")
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        until(lambda: connected_to(supervisor.path) is None, "a socket that refuses")
        self.assertStatus(self.ctl("status"), 69)
        self.project("socket: two.sock\n" + GOOD, self.folder)
        supervisor = self.begin(path=self.file("two.sock"))
        until(lambda: os.path.realpath(self.socket()) == supervisor.path, "the new link")
        self.assertEqual(self.status()["pid"], supervisor.pid)

    def test_a_manifest_that_was_given_is_found_too(self):
        """For a manifest found or given, `initctl` finds its socket from any folder below."""
        given = self.project(GOOD, os.path.join(self.bare(), "given"), name="app.yaml")
        below = os.path.join(given, "src/deep")
        os.makedirs(below)
        self.assertStatus(self.ctl("status", cwd=below), 69)
        self.begin("--config", "app.yaml", cwd=given)
        for words, cwd in (([], given), ([], below), (["--project", below], "/")):
            with self.subTest(words, cwd=cwd):
                self.assertEqual(self.status(*words, cwd=cwd)["manifest"], [os.path.join(given, "app.yaml")])
        # The nearest folder counts.
        nearer = self.project(GOOD, below)
        self.assertIn(f"no supervisor runs for {nearer}", self.assertStatus(self.ctl("status", cwd=below), 69).err)
        self.assertIn(f"another one is ready: initctl --project {given}\n", self.ctl("status", cwd=below).err)

    def test_initctl_finds_it_from_any_folder_below(self):
        """`initctl` finds it from any folder below."""
        supervisor = self.begin()
        for cwd in (self.folder, self.below("a"), self.below("a/b/c")):
            self.assertEqual(self.status(cwd=cwd)["pid"], supervisor.pid)

    def test_initctl_takes_the_project_of_the_option(self):
        """`initctl --project DIR`."""
        supervisor = self.begin()
        elsewhere = self.project(GOOD)
        relative = os.path.relpath(self.folder, elsewhere)
        for words in (["--project", self.folder, "status", "--json"], ["status", "--json", "--project", relative]):
            for env in ({}, {"INITD_SOCKET": "/nowhere/s"}):
                with self.subTest(words, env=env):
                    [status] = self.assertStatus(self.ctl(*words, cwd=elsewhere, env=env), 0).json()
                    self.assertEqual(status["pid"], supervisor.pid)

    def test_a_directory_of_sockets_that_others_may_use_is_refused(self):
        """That folder 0700, ours, not a link, or refused: `initd` ends with 73, `initctl` with 69."""
        path = os.path.join(self.runtime, "initd")

        def make(kind):
            if kind == "link":
                os.symlink(self.bare(), path)
            elif kind == "file":
                self.write(path, "")
            else:
                os.mkdir(path)
                os.chmod(path, 0o755 if kind == "open" else 0o700)
                if kind == "another user's":
                    os.chown(path, OTHER, OTHER)

        for kind in ("open", "link", "file", *(["another user's"] if os.geteuid() == 0 else [])):
            with self.subTest(kind):
                make(kind)
                self.assertIn(path, self.begin_refused(status=73))
                for command in ("status", "down", "up"):
                    self.assertIn(path, self.assertStatus(self.ctl(command), 69).err)
                self.assertEqual(self.background(), [])
                self.assertFalse([each for each in glob.glob(path + "/*") if each.endswith(".sock")])
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)

    @unittest.skipUnless(can_mount(), "needs unshare with user and mount namespaces")
    def test_without_XDG_RUNTIME_DIR_it_is_in_run_user(self):
        """Else in `/run/user/UID` if it's there."""
        program = self.program(
            [*RUN, "mkdir -p -m 700 /run/user/0", INITD], cwd=self.folder, env=self.environment | {"XDG_RUNTIME_DIR": None})
        program.until_err(f"listening on /run/user/0/initd/{os.path.basename(self.socket())}")

    @unittest.skipUnless(os.geteuid() == 0, "needs root, for a user that nobody else is")
    def test_without_a_runtime_directory_it_is_in_tmp(self):
        """Else as `/tmp/initd-UID/HASH.sock` (that folder 0700)."""
        user = 1_000_000_000 + os.getpid()
        place = f"/tmp/initd-{user}"
        self.addCleanup(shutil.rmtree, place, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.project("initializers:\n  migrate: { command: 'true' }\n", self.folder)
        os.chmod(self.file("init.yaml"), 0o644)
        path = os.path.join(place, os.path.basename(self.socket()))
        identity = {"env": {"XDG_RUNTIME_DIR": None}, "user": user, "group": user, "extra_groups": []}
        supervisor = self.begin(path=path, **identity)
        self.assertEqual(os.stat(place).st_mode & 0o7777, 0o700)
        self.assertEqual(os.stat(place).st_uid, user)
        self.assertEqual(self.status(**identity)["pid"], supervisor.pid)
        self.assertStatus(self.ctl("shutdown", **identity), 0)
        self.assertEqual(supervisor.ended(), 0)


class NobodyTests(ProjectCase):
    """If nobody answers there, `initctl` says which socket it tried and why, and names other supervisors of the user that it sees."""

    def test_it_says_which_socket_it_tried(self):
        """If nobody answers there, `initctl` says which socket it tried and why."""
        for command in (["status"], ["launch"], ["why"], ["shutdown"], ["wait"], ["logs"]):
            with self.subTest(command):
                finished = self.assertStatus(self.ctl(*command, cwd=self.below()), 69)
                self.assertEqual(finished.out, "")
                self.assertIn(
                    f"initctl: no supervisor runs for {self.folder}: none listens at {self.socket()}; start one with initctl up, ", finished.err)

    def test_it_names_the_other_supervisors(self):
        """And names other supervisors of the user that it sees."""
        ready, failed = self.project(GOOD), self.project(BROKEN)
        self.launched(self.begin(cwd=ready))
        self.assertEqual(self.begin(cwd=failed).peer().ok("wait", for_="launch")["state"], "failed")
        err = self.assertStatus(self.ctl("status"), 69).err
        self.assertIn(f"initctl: another one is ready: initctl --project {ready}\n", err)
        self.assertIn(f"initctl: another one is failed: initctl --project {failed}\n", err)
        self.assertNotIn(f"--project {self.folder}", err)
        words = re.search(rf"initctl (--project {ready})$", err, re.M)[1].split()
        self.assertEqual(self.status(*words)["manifest"], [self.file("init.yaml", ready)])


class ListTests(ProjectCase):
    """`initctl ls` lists them: folder, state, pid, socket."""

    def lines(self, finished):
        """The lines about supervisors of this test."""
        return [line for line in self.assertStatus(finished, 0).out.splitlines() if " /run/initd/" not in line]

    def test_it_lists_folder_state_pid_and_socket(self):
        """`initctl ls` lists them: folder, state, pid, socket."""
        expected = []
        for state, text, words in (("ready", GOOD, []), ("failed", BROKEN, []), ("pending", GATED, ["--activate"]), ("inactive", ACTIVE, [])):
            folder = self.project(text)
            supervisor = self.begin(*words, cwd=folder)
            if state == "ready" or state == "inactive":
                self.launched(supervisor)
            elif state == "failed":
                supervisor.peer().ok("wait", for_="launch")
            expected.append([folder, state, "pid", str(supervisor.pid), self.socket(folder)])
        self.assertCountEqual([line.split() for line in self.lines(self.ctl("ls", cwd="/"))], expected)

    def test_one_with_a_socket_of_its_own_and_one_without_a_manifest_stand_there(self):
        """`initctl ls` lists them, each once."""
        self.project("socket: run.sock\n" + GOOD, self.folder)
        named = self.begin(path=self.file("run.sock"))
        until(lambda: os.path.islink(self.socket()), "the link")
        bare = self.begin(cwd=self.bare(), path=os.path.join(self.runtime, "initd.sock"))
        lines = self.lines(self.ctl("ls"))
        self.assertEqual(len(lines), 2, lines)
        for supervisor in (named, bare):
            [line] = [each for each in lines if each.endswith(f" {supervisor.path}")]
            self.assertIn(f" pid {supervisor.pid} ", line)

    def test_with_none_it_says_so(self):
        """With none it says so on standard error, status 0. The socket of a supervisor that was killed is none."""
        supervisor = self.begin()
        supervisor.program.signal(signal.SIGKILL)
        supervisor.ended()
        until(lambda: connected_to(supervisor.path) is None, "a socket that refuses")
        self.assertTrue(os.path.lexists(supervisor.path))
        finished = self.ctl("ls")
        self.assertEqual(self.lines(finished), [])
        if not finished.out:
            self.assertIn("no supervisor", finished.err)

    @unittest.skipUnless(can_mount(), "needs unshare with user and mount namespaces")
    def test_services_stand_there_too(self):
        """Also `/run/initd/*/initd.sock`."""
        words = [INITD, "--socket", "/run/initd/shop/initd.sock", "--", "sh", "-c", f"echo $PPID; unset INITD_SOCKET; {INITCTL} ls"]
        program = self.program([*RUN, "mkdir -p /run/initd/shop", *words], cwd=self.folder, env=self.environment)
        pid, line = self.assertStatus(program.finish(), 0).out.splitlines()
        self.assertEqual(line.split(), [self.folder, "ready", "pid", pid, "/run/initd/shop/initd.sock"])


class KeyTests(ProjectCase):
    """Keys at the top: `socket`, `stateDirectory` (relative to the manifest), `activate`, `output` … each is the option's default."""

    def test_stateDirectory_is_relative_to_the_manifest(self):
        """`stateDirectory` (relative to the manifest) is the option's default."""
        self.project("stateDirectory: .state\n" + GOOD, self.folder)
        supervisor = self.begin(cwd=self.below(), path=self.socket())
        self.launched(supervisor)
        self.assertTrue(os.listdir(self.file(".state")))
        self.assertStatus(self.ctl("shutdown"), 0)
        supervisor.ended()
        # It remembers what has completed.
        self.launched(self.begin())
        self.assertEqual(self.ran(), ["migrate"])

    def test_the_option_overrides_stateDirectory(self):
        """Each is the option's default."""
        self.project("stateDirectory: .state\n" + GOOD, self.folder)
        self.launched(self.begin("--state-directory", self.file("other")))
        self.assertTrue(os.listdir(self.file("other")))
        self.assertFalse(os.path.lexists(self.file(".state")))

    def test_output_is_the_default_of_the_option(self):
        """`output` is the option's default."""
        text = "initializers:\n  a: { command: 'echo hello' }\n  b: { command: 'echo trouble; exit 3', optional: true, dependencies: [a] }\n"
        for head, words, hello, trouble in (
            ("output: all\n", [], True, True),
            ("output: none\n", [], False, False),
            ("output: failed\n", [], False, True),
            ("output: all\n", ["--output", "none"], False, False),
        ):
            with self.subTest(head, words=words):
                self.folder = self.project(head + text)
                supervisor = self.begin(*words)
                self.launched(supervisor)
                supervisor.program.signal(signal.SIGTERM)
                self.assertEqual(supervisor.ended(), 0)
                log = self.log(supervisor)
                self.assertEqual(("a | hello" in log, "b | trouble" in log), (hello, trouble), log)

    def test_activate_is_the_default_of_the_option(self):
        """`activate` is the option's default."""
        for head, words, lifecycle in (("activate: true\n", [], "active"), ("activate: true\n", ["--no-activate"], "inactive"), ("", [], "inactive")):
            with self.subTest(head, words=words):
                self.folder = self.project(head + GOOD)
                self.begin(*words)
                self.assertEqual(self.status()["lifecycle"], lifecycle)

    def test_wrong_values_are_findings(self):
        """A mistake in a key is 65, with its place."""
        for line in ("socket: [a]", "socket: ''", "stateDirectory: {}", "output: loud", "activate: 5"):
            with self.subTest(line):
                self.project(line + "\n" + GOOD, self.folder)
                err = self.begin_refused(status=65)
                self.assertRegex(err, rf"init\.yaml:4:{line.index(' ') + 2}: ")
                self.assertIn(line.split(":")[0], err)


class LeftoverTests(ProjectCase):
    """`initctl up` starts a supervisor if none runs, whatever one that was killed has left."""

    def killed(self, text):
        self.project(text, self.folder)
        self.up()
        for pid in self.background():
            os.kill(pid, signal.SIGKILL)
        until(lambda: not self.background(), "the end of the supervisor")

    def test_a_socket_of_its_own_after_one_in_the_runtime_directory(self):
        self.killed(GOOD)
        self.project("socket: run.sock\n" + GOOD, self.folder)
        self.up()
        self.assertStatus(self.ctl("status"), 0)

    def test_and_the_other_way_round(self):
        self.killed("socket: run.sock\n" + GOOD)
        self.project(GOOD, self.folder)
        self.up()
        self.assertStatus(self.ctl("status"), 0)


class VariableTests(ProjectCase):
    def test_a_relative_variable_is_the_callers(self):
        """The socket: INITD_SOCKET comes before the project's; it starts at the caller's directory."""
        self.project(GOOD, self.folder)
        below = self.below()
        self.up(cwd=below, env={"INITD_SOCKET": "own.sock"})
        self.assertStatus(self.ctl("status", cwd=below, env={"INITD_SOCKET": "own.sock"}), 0)
        self.assertStatus(self.ctl("down", cwd=below, env={"INITD_SOCKET": "own.sock"}), 0)

    def test_the_supervisor_of_another_project_is_not_taken_for_this_one(self):
        """`initctl up`: starts `initd` for the project; with the socket of another one it says so."""
        other = self.project(GOOD)
        self.project(GOOD, self.folder)
        self.begin(cwd=other, path=self.socket(other))
        finished = self.up(status=1, env={"INITD_SOCKET": self.socket(other)})
        self.assertIn(os.path.join(other, "init.yaml"), finished.err)
        self.assertIn("unset INITD_SOCKET", finished.err)


class StatusTests(ProjectCase):
    def test_it_names_the_files_and_their_digests(self):
        """Status has `"manifest":["/srv/shop/init.yaml"]`; `sources` has each file that was read, with the SHA-256 of the key of `hello` and its contents."""
        self.project("include: [parts/more.yaml]\nenvironmentFile: [.env]\n" + GOOD, self.folder)
        self.put("parts/more.yaml", "version: 1\ninitializers:\n  more: { command: 'true' }\n")
        self.put(".env", "COLOR=red\n")
        self.begin(cwd=self.below(), path=self.socket())
        status = self.status()
        self.assertEqual(status["manifest"], [self.file("init.yaml")])

        peer = Peer(connected(self.socket()))
        key = hello(peer)["sourceKey"].encode()
        peer.close()

        def digest(path):
            with open(path, "rb") as file:
                return hashlib.sha256(key + file.read()).hexdigest()

        paths = [self.file(each) for each in ("init.yaml", "parts/more.yaml", ".env")]
        self.assertEqual({each["path"]: each["digest"] for each in status["sources"]}, {each: digest(each) for each in paths})
        self.assertEqual(len(status["sources"]), 3)
        self.assertNotIn("watch", status)

    def test_it_says_that_the_supervisor_watches(self):
        """`watch: true` with --watch."""
        self.begin("--watch")
        self.assertIs(self.status()["watch"], True)

    def test_its_members_are_those_of_the_protocol(self):
        """clients/protocol.schema.json has the new members."""
        self.begin("--watch")
        shapes.check("Status", self.status())

    def test_status_and_why_show_the_manifest_if_several_run(self):
        """`status`, `watch` and `why` show it where more than one supervisor runs."""
        for folder in (self.folder, self.project(GOOD)):
            self.launched(self.begin(cwd=folder))
        for command in ("status", "why"):
            with self.subTest(command):
                self.assertIn(self.file("init.yaml"), self.assertStatus(self.ctl(command), 0).out)

    def test_watch_shows_the_manifest_if_several_run(self):
        """`status`, `watch` and `why` show it where more than one supervisor runs."""
        supervisor = self.begin()
        self.launched(supervisor)
        self.begin(cwd=self.project(GOOD))
        watching = self.start_ctl("watch")
        self.until_status(lambda status: status["subscribers"] == 1, "initctl watch")
        self.assertStatus(self.ctl("shutdown"), 0)
        self.assertIn(self.file("init.yaml"), watching.finish().out)


class UpTests(ProjectCase):
    def test_it_starts_a_supervisor_and_waits_until_ready(self):
        """Starts `initd` in the background for the project if none runs, launches, activates, waits until ready."""
        self.project(GOOD.replace("initializers:\n", ACTIVE), self.folder)
        finished = self.up(cwd=self.below())
        self.assertRegex(finished.out.splitlines()[-1], "^the app is ready")
        self.assertEqual(finished.err, "")
        status = self.status()
        self.assertEqual((status["lifecycle"], status["launch"]["state"], status["active"]["state"]), ("active", "complete", "complete"))
        self.assertEqual(self.ran(), ["migrate", "warm"])
        self.assertEqual(self.background(), [status["pid"]])
        self.assertEqual(self.socket(), [each for each in glob.glob(os.path.join(self.runtime, "initd", "*.sock"))][0])

    def test_it_prints_progress_lines(self):
        """With progress lines, as `wait --progress`."""
        self.project(GATED, self.folder)
        up = self.start_up()
        self.until_status(lambda status: status["subscribers"] == 1, "the wait of up")
        waiting = self.start_ctl("wait", "--progress")
        self.until_status(lambda status: status["subscribers"] == 2, "the other wait")
        self.put("go")
        lines = self.assertStatus(up.finish(), 0).out.splitlines()
        self.assertRegex("\n".join(lines), r"(?m) migrate is complete after ")
        self.assertEqual(lines[:-1], self.assertStatus(waiting.finish(), 0).out.splitlines())
        self.assertRegex(lines[-1], "^the app is ready")

    def test_no_activate_waits_for_launch_alone(self):
        """Activates (with `--no-activate` it waits for launch alone), even if the manifest says `activate: true`."""
        self.project("activate: true\n" + GOOD.replace("initializers:\n", ACTIVE), self.folder)
        self.assertRegex(self.up("--no-activate").out.splitlines()[-1], "^launch is complete")
        self.assertEqual(self.status()["lifecycle"], "inactive")
        self.assertEqual(self.ran(), ["migrate"])

    def test_again_it_is_a_success_and_starts_nothing(self):
        """It is idempotent."""
        self.project(GOOD + "processes:\n  web: { command: 'echo web >> ran; exec sleep 1000' }\n", self.folder)
        self.up()
        before = self.status()
        finished = self.up(cwd=self.below())
        self.assertRegex(finished.out.splitlines()[-1], "^the app is ready")
        self.assertEqual(finished.err, "")
        after = self.status()
        self.assertEqual([each["processes"][0]["pid"] for each in (before, after)], [before["processes"][0]["pid"]] * 2)
        self.assertEqual((after["pid"], self.ran().count("migrate")), (before["pid"], 1))

    def test_again_it_does_not_run_what_an_active_app_has_run(self):
        """It is idempotent: the app is active already."""
        self.project(ACTIVE, self.folder)
        self.up()
        self.up()
        self.assertEqual(self.ran(), ["warm"])

    def test_several_at_once_start_one_supervisor(self):
        """Two `up` at once start one supervisor, and both succeed."""
        self.project(GATED, self.folder)
        ups = [self.start_up() for _ in range(4)]
        self.until_status(lambda status: status["subscribers"] == 4, "the waits of all")
        pid = self.status()["pid"]
        # The others have seen that it listens, or are about to.
        until(lambda: self.background() == [pid], "one supervisor")
        self.put("go")
        for each in ups:
            self.assertRegex(self.assertStatus(each.finish(), 0).out.splitlines()[-1], "^the app is ready")
        self.assertEqual(self.ran(), ["migrate"])
        self.assertEqual((self.status()["pid"], self.background()), (pid, [pid]))

    def test_it_takes_the_project_of_the_option(self):
        """`initctl --project DIR`, even if the environment has INITD_SOCKET, as that of each command has."""
        elsewhere = self.project(GOOD)
        for env in ({}, {"INITD_SOCKET": self.file("s", elsewhere)}):
            with self.subTest(env=env):
                self.folder = self.project(GOOD)
                self.up(f"--project={self.folder}", cwd=elsewhere, env=env)
                self.assertEqual(self.status()["manifest"], [self.file("init.yaml")])
                self.assertEqual(os.listdir(elsewhere), ["init.yaml"])

    def test_it_takes_the_socket_of_the_manifest(self):
        """The manifest's `socket:`; the project's path is a link to it."""
        self.project("socket: run.sock\n" + GOOD, self.folder)
        self.up()
        self.assertEqual(os.path.realpath(self.socket()), self.file("run.sock"))
        self.assertEqual(self.background(), [self.status()["pid"]])
        self.assertStatus(self.ctl("down"), 0)
        self.assertFalse(os.path.lexists(self.socket()))

    def test_a_failure_is_explained_and_the_next_up_tries_again(self):
        """On failure prints why, with the status of `wait`; launches what failed."""
        self.project(BROKEN, self.folder)
        finished = self.up(status=1)
        self.assertNotIn("is ready", finished.out)
        self.assertRegex(finished.err, r"migrate failed .*exit status 1")
        self.assertIn("migrate | trouble", finished.err)
        pid = self.status()["pid"]
        self.put("fixed")
        self.assertRegex(self.up().out.splitlines()[-1], "^the app is ready")
        self.assertEqual((self.status()["pid"], self.ran()), (pid, ["migrate"] * 2))

    def test_a_changed_manifest_is_reloaded(self):
        """Reloads if its manifest has changed, launches what failed."""
        self.project(BROKEN, self.folder)
        self.up(status=1)
        pid = self.status()["pid"]
        self.project(BROKEN.replace("test -e fixed", "true"), self.folder)
        finished = self.up()
        self.assertIn("the manifest has changed, and is reloaded\n", finished.err)
        self.assertRegex(finished.out.splitlines()[-1], "^the app is ready")
        self.assertEqual(self.status()["pid"], pid)
        self.assertEqual(self.up().err, "")

    def test_an_inactive_app_is_activated(self):
        """Activates."""
        self.project(ACTIVE, self.folder)
        self.launched(self.begin())
        self.assertEqual(self.ran(), [])
        self.assertRegex(self.up().out.splitlines()[-1], "^the app is ready")
        self.assertEqual((self.status()["lifecycle"], self.ran(), self.background()), ("active", ["warm"], []))

    def test_a_killed_supervisor_is_replaced(self):
        """Starts `initd` in the background for the project if none runs."""
        self.up()
        first = self.status()["pid"]
        os.kill(first, signal.SIGKILL)
        until(lambda: not is_running(first), "the end of the killed one")
        until(lambda: connected_to(self.socket()) is None, "a socket that refuses")
        self.up()
        self.assertNotEqual(self.status()["pid"], first)

    def test_a_timeout_is_124_and_the_supervisor_goes_on(self):
        """[`--timeout D`]; statuses as `wait`."""
        self.project(GATED, self.folder)
        finished = self.up("--timeout", "300ms", status=124)
        self.assertRegex(finished.err, "timed out after 300 ms waiting for ready: .*migrate")
        self.put("go")
        self.assertStatus(self.ctl("wait"), 0)
        self.assertEqual(self.ran(), ["migrate"])

    def test_without_a_manifest_it_is_66(self):
        """66 without a manifest."""
        bare = self.bare()
        for words, cwd in (([], bare), (["--project", bare], self.folder)):
            with self.subTest(words):
                self.assertIn("init.yaml", self.up(*words, cwd=cwd, status=66).err)
        self.assertEqual(self.background(), [])

    def test_a_bad_manifest_is_65_with_the_findings(self):
        """65 for a bad one. Nothing is started, and a supervisor that runs keeps its manifest."""
        self.project(BAD, self.folder)
        finished = self.up(status=65)
        self.assertRegex(finished.err, r"init\.yaml:4:1: ")
        self.assertEqual((finished.out, self.background()), ("", []))
        self.project(ACTIVE, self.folder)
        supervisor = self.begin()
        self.project(BAD, self.folder)
        self.assertRegex(self.up(status=65).err, r"init\.yaml:4:1: ")
        self.assertEqual(self.status()["pid"], supervisor.pid)
        self.assertNames(self.status()["initializers"], ["warm"])

    def test_a_supervisor_that_can_not_start_is_explained(self):
        """On failure prints why."""
        self.put("file")
        self.project("stateDirectory: file/state\n" + GOOD, self.folder)
        finished = self.start_up().finish()
        self.assertNotEqual(finished.status, 0, finished)
        self.assertIn(self.file("file/state"), finished.err)
        self.assertEqual((finished.out, self.background()), ("", []))

    def test_the_log_is_beside_the_socket(self):
        """Log in … else `HASH.log` beside the socket."""
        self.up()
        self.assertIn(f"listening on {self.socket()}", self.contents(self.beside(".log")))
        self.assertEqual(os.stat(self.beside(".log")).st_mode & 0o077, 0)
        self.assertNotIn("initd.log", os.listdir(self.folder))

    def test_the_log_is_in_the_state_directory(self):
        """Log in `initd.log` in the state directory."""
        self.project("stateDirectory: .state\n" + GOOD, self.folder)
        self.up(cwd=self.below())
        self.assertIn(f"listening on {self.socket()}", self.contents(self.file(".state/initd.log")))
        self.assertFalse(os.path.lexists(self.beside(".log")))

    def test_watch_is_passed_on(self):
        """`initctl up --watch`."""
        self.up("--watch")
        self.assertIs(self.status()["watch"], True)

    def test_the_supervisor_survives_up(self):
        """It is in a session of its own and survives the end of `up`: it holds nothing of its terminal."""
        self.project(GATED, self.folder)
        up = self.start_up(start_new_session=True)
        pid = self.until_status(lambda status: status["subscribers"] == 1, "the wait of up")["pid"]
        self.assertEqual(os.getsid(pid), pid)
        self.assertEqual(os.readlink(f"/proc/{pid}/fd/0"), "/dev/null")
        for number in (1, 2):
            self.assertEqual(os.readlink(f"/proc/{pid}/fd/{number}"), self.beside(".log"))
        os.killpg(up.pid, signal.SIGHUP)
        os.killpg(up.pid, signal.SIGKILL)
        up.finish()
        self.put("go")
        self.assertStatus(self.ctl("wait"), 0)
        self.assertEqual(self.status()["pid"], pid)


class DownTests(ProjectCase):
    def test_down_ends_the_supervisor_and_is_a_success_again(self):
        """`initctl down` = `shutdown`, 0 if none runs. It is idempotent. It returns when the process is gone."""
        self.project("initializers:\n  migrate: { command: 'true', stop: 'echo stopped >> ran' }\n", self.folder)
        self.up()
        pid = self.status()["pid"]
        self.assertStatus(self.ctl("down", cwd=self.below()), 0)
        self.assertFalse(is_running(pid))
        self.assertEqual(self.ran(), ["stopped"])
        for words in ([], ["--project", self.folder]):
            self.assertEqual(self.assertStatus(self.ctl("down", *words), 0).out, "")

    def test_down_ends_one_that_was_started_in_the_foreground(self):
        """`initctl down` = `shutdown`."""
        supervisor = self.begin()
        elsewhere = self.begin(cwd=self.project(GOOD))
        self.assertStatus(self.ctl("--project", self.folder, "down", cwd=elsewhere.directory), 0)
        self.assertEqual(supervisor.ended(), 0)
        elsewhere.peer().alive()


class LogFileTests(ProjectCase):
    MOST = 10 << 20
    """The size of a file of the log, in bytes."""

    def test_there_are_at_most_two_files_of_10_MiB(self):
        """At most 2 × 10 MiB: the file is renamed to FILE.1."""
        filler, count = "x" * 4000, 2900
        self.project(f"output: all\ninitializers:\n  big: {{ command: [seq, -f, '%.0f {filler}', '{count}'] }}\n", self.folder)
        log = self.file("own.log")
        self.write(log, "old " + "x" * (self.MOST - 10_000) + "\n")
        self.write(log + ".1", "older\n")
        supervisor = self.begin("--log-file", log)
        self.launched(supervisor)
        self.assertStatus(self.ctl("shutdown"), 0)
        self.assertEqual(supervisor.ended(), 0)
        self.assertEqual(sorted(os.path.basename(each) for each in glob.glob(log + "*")), ["own.log", "own.log.1"])
        sizes = [os.path.getsize(each) for each in (log, log + ".1")]
        self.assertLess(sizes[0], self.MOST + 8192)
        self.assertGreaterEqual(sizes[1], self.MOST - 8192)
        self.assertLess(sizes[1], self.MOST + 8192)
        # What was there is gone, the newest lines are in FILE, and no line is missing between the two.
        newest, before = self.contents(log), self.contents(log + ".1")
        self.assertIn("big is complete", newest)
        self.assertNotIn("old", newest + before)
        numbers = [int(each) for each in re.findall(rf"(?m)^.* initd: big \| (\d+) {filler}$", before + newest)]
        self.assertEqual(numbers, list(range(numbers[0], count + 1)))
        self.assertTrue(before.endswith("\n"))
        self.assertEqual(self.log(supervisor), "")

    def test_it_is_appended_to(self):
        """`initd --log-file FILE`: what an earlier supervisor has logged stays."""
        log = self.file("own.log")
        self.write(log, "earlier\n")
        supervisor = self.begin("--log-file", log)
        self.launched(supervisor)
        self.assertStatus(self.ctl("shutdown"), 0)
        supervisor.ended()
        self.assertRegex(self.contents(log), r"(?s)^earlier\n.*listening on .*\bended\n$")
        self.assertFalse(os.path.lexists(log + ".1"))

    def test_a_file_that_can_not_be_written_is_73(self):
        """`initd --log-file FILE`."""
        path = self.file("nowhere/own.log")
        self.assertIn(path, self.begin_refused("--log-file", path, status=73))
        self.assertFalse(os.path.lexists(self.socket()))


class ChangeTests(ProjectCase):
    """If the contents of a file that the manifest was read from have changed, `status`, `why`, `launch`, `activate` say so."""

    COMMANDS = ("status", "why", "launch", "activate")

    def assertNotice(self, name):
        """Each command says that this file has changed; None for no file."""
        for command in self.COMMANDS:
            finished = self.assertStatus(self.ctl(command), 0)
            notices = [line for line in finished.err.splitlines() if "changed" in line]
            self.assertEqual(notices, [] if name is None else [f"initctl: {name} has changed: initctl reload"], command)

    def test_a_changed_manifest_is_noticed_until_the_reload(self):
        """`init.yaml has changed: initctl reload`, on standard error."""
        supervisor = self.begin(cwd=self.below(), path=self.socket())
        self.launched(supervisor)
        self.assertNotice(None)
        self.project(GOOD.replace("migrate", "create"), self.folder)
        self.assertNotice("init.yaml")
        self.assertStatus(self.ctl("reload", "--dry-run"), 0)
        self.assertNotice("init.yaml")
        self.assertStatus(self.ctl("reload"), 0)
        self.assertStatus(self.ctl("wait", "launch"), 0)
        self.assertNotice(None)

    def test_the_same_contents_are_no_change(self):
        """If the *contents* have changed."""
        self.launched(self.begin())
        self.project(GOOD.replace("migrate", "create"), self.folder)
        self.assertNotice("init.yaml")
        self.project(GOOD, self.folder)
        os.utime(self.file("init.yaml"), (1, 1))
        self.assertNotice(None)

    def test_includes_and_environment_files_count(self):
        """Includes and environment files too."""
        self.project("include: [more.yaml]\nenvironmentFile: [.env]\n" + GOOD, self.folder)
        more = "version: 1\ninitializers:\n  more: {{ command: '{}', environmentFile: [own.env] }}\n"
        self.put("more.yaml", more.format("true"))
        self.put(".env", "COLOR=red\n")
        self.put("own.env", "SIZE=1\n")
        self.launched(self.begin())
        for name, text in (("more.yaml", more.format("exit 0")), (".env", "COLOR=blue\n"), ("own.env", "SIZE=2\n")):
            with self.subTest(name):
                before = self.contents(self.file(name))
                self.put(name, text)
                self.assertNotice(name)
                self.put(name, before)
                self.assertNotice(None)

    def test_the_second_of_several_manifests_counts(self):
        """A file that the manifest was read from."""
        self.project(GOOD.replace("migrate", "more"), self.folder, "local.yaml")
        self.launched(self.begin("--config", "init.yaml", "--config", "local.yaml"))
        self.assertNotice(None)
        self.project(GOOD.replace("migrate", "most"), self.folder, "local.yaml")
        self.assertNotice("local.yaml")


if __name__ == "__main__":
    unittest.main()
