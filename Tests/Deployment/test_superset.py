"""Examples/superset: Apache Superset is installed, started and used; after a reboot, only what is checked is done again.

The start installs 150 packages from PyPI, and takes minutes, so only LONG=1 runs it.
"""

import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.request
import uuid

import namespace
from image import BUILT, ROOT
from program import Program

SUPERSET = ROOT / "Examples/superset"
COMPOSE_LINES = 113
"""The lines of docker-compose-image-tag.yml of Superset 5.0.0 that are neither empty nor comments."""
PROCESSES = {"postgres", "redis", "web", "worker", "beat"}
ASKED = {"key", "cluster", "database"}
ONCE = {"venv", "packages", "migrate", "admin", "roles"}
START = 900
"""How long a start may take, in seconds. On an idle machine, the first one takes less than two minutes."""


class ManifestTests(unittest.TestCase):
    def test_no_command_needs_a_shell(self):
        checked = subprocess.run([BUILT["initctl"], "check", SUPERSET / "init.yaml"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))
        self.assertNotIn("shell command", checked.stdout)
        self.assertNotIn("/bin/sh", checked.stdout)

    def test_it_is_shorter_than_supersets_own_compose_file(self):
        lines = len([line for line in (SUPERSET / "init.yaml").read_text().splitlines() if not re.match(r"\s*(#|$)", line)])
        self.assertLess(lines, COMPOSE_LINES)
        self.assertIn(f" {lines} lines, without a shell", (SUPERSET / "README.md").read_text())


@unittest.skipUnless(os.environ.get("LONG"), "it takes minutes: LONG=1 runs it")
@unittest.skipIf(namespace.UNAVAILABLE, namespace.UNAVAILABLE)
class StartTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([ROOT / "scripts/install-missing", "superset"], check=True)

    def setUp(self):
        """A checkout of the example, whose user isn't root: PostgreSQL refuses root."""
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="superset-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.place)
        self.folder = self.place / "checkout"
        self.folder.mkdir()
        for file in SUPERSET.iterdir():
            if file.is_file():
                shutil.copy(file, self.folder)
        for name in ("bin", "home"):
            (self.place / name).mkdir(mode=0o700)
        for name, path in BUILT.items():
            shutil.copy(path, self.place / "bin" / name)
        user = pwd.getpwnam("postgres")
        for path in [self.place, *self.place.rglob("*")]:
            os.chown(path, user.pw_uid, user.pw_gid)
        # Without XDG_RUNTIME_DIR, other supervisors of this user see which port is taken.
        left = {key: value for key, value in os.environ.items() if not key.startswith(("INITD_", "PYTHON", "PG", "XDG_"))}
        self.environment = left | {
            "PATH": f"{self.place}/bin:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.place / "home"),
            "ADMIN_PASSWORD": uuid.uuid4().hex,
        }
        self.addCleanup(self.end)

    def start(self, *words, boot=None):
        """Starts a command in the checkout: with `boot`, on a machine that has been booted anew with this id."""
        words = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "--", *words]
        if boot:
            words = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"', str(boot), *words]
        program = Program(words, cwd=self.folder, env=self.environment)
        self.addCleanup(program.end)
        return program

    def run_in(self, *words, boot=None, deadline=60):
        """The output of a command that succeeds."""
        finished = self.start(*words, boot=boot).finish(deadline)
        self.assertEqual(finished.status, 0, f"{finished!r}\n{self.log()}")
        return finished.out

    def log(self):
        path = self.folder / "state/initd.log"
        return path.read_text() if path.exists() else ""

    def end(self):
        """Ends the supervisor, also after a failure, so nothing goes on in a folder that is removed."""
        self.start("initctl", "down").finish(120)
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)

    def processes(self):
        """The processes whose directory is in the checkout."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{pid}/cwd").startswith(str(self.folder)):
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def initializers(self):
        """The names of the initializers, by what became of them."""
        [status] = [json.loads(line) for line in self.run_in("initctl", "status", "--json").splitlines()]
        found = {}
        for each in status["initializers"]:
            how = each["status"] + (f": {each['skipped']['message'].partition(':')[0]}" if each.get("skipped") else "")
            found.setdefault(how, set()).add(each["name"])
        return found

    def request(self, path, body=None, token=None):
        """What Superset answers."""
        port = self.run_in("initctl", "port", "web").strip()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", data, headers), timeout=60) as answer:
            return answer.read().decode()

    def log_in(self):
        """Logs in as the administrator; returns the user's name, and how often that user has logged in."""
        password = self.environment["ADMIN_PASSWORD"]
        body = {"username": "admin", "password": password, "provider": "db", "refresh": False}
        token = json.loads(self.request("/api/v1/security/login", body))["access_token"]
        me = json.loads(self.request("/api/v1/me/", token=token))["result"]
        return me["username"], me["login_count"]

    def test_a_reboot_repeats_only_what_is_checked(self):
        self.assertIn("the app is ready", self.run_in("initctl", "up", deadline=START))
        self.assertEqual(self.initializers(), {"complete": ASKED | ONCE | PROCESSES})
        self.assertIn("Superset", self.request("/login/"))
        self.assertEqual(self.log_in(), ("admin", 1))

        # beat gives the worker something to do each minute.
        worker = self.start("initctl", "logs", "--follow", "worker")
        while not re.search(r"Task reports\.scheduler\[.*\] succeeded", worker.line(180)):
            pass
        worker.end()

        # A new version of a package would repeat what depends on it, and nothing else.
        constraints = self.folder / "constraints.txt"
        before = constraints.read_text()
        constraints.write_text(before + "# another version\n")
        changed = self.run_in("initctl", "reload", "--dry-run")
        self.assertEqual(re.findall(r"^~ (\w+) ", changed, re.M), ["packages", "migrate", "roles"], changed)
        constraints.write_text(before)

        self.run_in("initctl", "down", deadline=120)
        self.assertEqual(self.processes(), [])

        boot = self.place / "boot_id"
        boot.write_text(f"{uuid.uuid4()}\n")
        boot.chmod(0o644)
        self.assertIn("the app is ready", self.run_in("initctl", "up", boot=boot, deadline=START))
        self.assertEqual(self.initializers(), {"complete": PROCESSES, "skipped: already done": ASKED, "skipped: fresh": ONCE})
        # It is the same administrator, in the same database.
        self.assertEqual(self.log_in(), ("admin", 2))
        self.run_in("initctl", "down", deadline=120)
        self.assertEqual(self.processes(), [])
