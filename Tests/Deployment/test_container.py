"""Examples/container: both images run as their files specify, and every probe answers as documented."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import sqlite3
import stat
import tempfile
import time
import unittest

import namespace
import probes
from container import Container
from image import BUILT, EXAMPLE, Image, libraries
from probes import BESIDE, IMAGE

from deadlines import until

DYNAMIC = ", ".join(name for name, path in BUILT.items() if libraries(path))


def table():
    """The documented exit statuses of the probes: one column per state for each command."""
    lines = (EXAMPLE / "README.md").read_text().splitlines()
    head = next(number for number, line in enumerate(lines) if line.startswith("| probe |"))
    names, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[head : lines.index("", head)]]
    return {row[0].strip("`"): dict(zip(names[1:], map(int, row[1:]))) for row in rows}


def row(command):
    """The table's name of a command, which for `wait` includes its target."""
    words = [pathlib.Path(command[0]).name, *command[1:]]
    if words[1:3] == ["wait", "--timeout"]:
        words.insert(2, "ready")
    return " ".join(words)


class PageTests(unittest.TestCase):
    def test_its_entry_point_is_that_of_the_example(self):
        begins = Image("FROM scratch\n" + probes.found(r"^```dockerfile\n([^`]*)```", (EXAMPLE / "README.md").read_text())[0])
        self.assertEqual((begins.entrypoint, begins.command, begins.health), (BESIDE.entrypoint, BESIDE.command, BESIDE.health))
        self.assertLessEqual(begins.environment.items(), BESIDE.environment.items())
        self.assertEqual(probes.of_image("", begins).timeout, probes.of_image("", BESIDE).timeout)

    def test_a_health_check_asks_whether_all_is_ready(self):
        states = {name: table()[row(image.health)] for name, image in (("small", IMAGE), ("beside", BESIDE))}
        for name, answers in states.items():
            with self.subTest(name):
                self.assertEqual(answers["ready"], 0)
                for state in ("launching", "deactivated", "failed", "stuck"):
                    self.assertNotEqual(answers[state], 0, state)

    def test_each_probe_runs_the_documented_command(self):
        asked = dict(re.findall(r"^\| `(\w+)`[^|]*\| `([\w ]+)` \|", (EXAMPLE / "README.md").read_text(), re.M))
        kinds = ("startupProbe", "readinessProbe", "livenessProbe")
        found = {kind: probes.of_kubernetes(kind) for kind in kinds} | {"HEALTHCHECK": probes.of_compose()}
        self.assertEqual(asked.keys(), found.keys())
        for kind, probe in found.items():
            self.assertEqual(row(probe.command).partition(" --")[0], f"initctl {asked[kind]}")


@unittest.skipIf(namespace.UNAVAILABLE, namespace.UNAVAILABLE)
class ContainerTests(unittest.TestCase):
    """A test case with its own directory for images, and containers that end with it."""

    def contents(self, image):
        """The image's contents, in a directory."""
        place = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="container-", dir="/tmp")))
        self.addCleanup(shutil.rmtree, place)
        # The image's user isn't a user of this machine.
        place.chmod(0o755)
        root = place / "root"
        root.mkdir(mode=0o755)
        image.write(root)
        return root

    def run_image(self, image, root=None, command=None, **options):
        """A container of the image, which may exit at any moment."""
        running = Container(image, root or self.contents(image), command, **options)
        self.addCleanup(running.end)
        return running

    def as_composed(self, root, **options):
        """The shop, run as in compose.yaml."""
        text = probes.text("compose.yaml")
        self.assertEqual(probes.found(r"^ +read_only: (\w+)$", text), ("true",))
        tmpfs = json.loads(probes.found(r"^ +tmpfs: (\[.*\])$", text)[0])
        volume = json.loads(probes.found(r"^ +volumes: (\[.*\])$", text)[0])[0].partition(":")[2]
        return self.run_image(BESIDE, root, read_only=True, tmpfs=tmpfs, volumes=[volume], **options)

    def answers(self, running, state, among=None, **environment):
        """Every probe answers as documented, within its engine's timeout."""
        # All probes are sent at once; the probe with the shortest timeout is checked first.
        ordered = sorted(among or probes.all_probes(), key=lambda probe: probe.timeout)
        start = time.monotonic()
        started = [(probe, running.start(probe.command, **environment)) for probe in ordered]
        try:
            for probe, program in started:
                with self.subTest(probe.where, state=state):
                    finished = program.finish(start + probe.timeout - time.monotonic())
                    self.assertEqual(finished.status, table()[row(probe.command)][state], repr(finished))
                    self.assertTrue(finished.status == 0 or finished.err, "a failure says why")
        finally:
            for _, program in started:
                program.end()

    def until_log(self, running, text):
        """Waits until a line of its output begins so."""

        def is_said():
            log = running.log()
            self.assertTrue(f"\n{text}" in f"\n{log}" or running.program.process.poll() is None, log)
            return f"\n{text}" in f"\n{log}"

        until(is_said, text)


class ShopTests(ContainerTests):
    @contextlib.contextmanager
    def held(self, root):
        """A locked database, and therefore a migration that doesn't end until the lock is released."""
        path = root / "var/lib/shop/shop.db"
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
            os.chown(path, BESIDE.user, BESIDE.user)
            database.execute("BEGIN EXCLUSIVE")
            running = self.as_composed(root)
            running.until_up()
            migration = until(lambda: running.processes("python3", "shop.py", "migrate"), "the migration")[0]
            # The migration waits only a few seconds for the lock. While it is stopped, it waits as long as the test needs.
            os.kill(migration, signal.SIGSTOP)
            yield running
        os.kill(migration, signal.SIGCONT)

    def test_its_probes_answer_as_documented_in_every_state(self):
        with self.held(self.contents(BESIDE)) as running:
            self.answers(running, "not running yet", INITD_SOCKET="/run/shop/not-yet.sock")
            self.answers(running, "launching")
        self.until_log(running, "open, on port 8080")
        self.answers(running, "ready")

        self.assertEqual(running.execute(["/initctl", "deactivate"]).status, 0)
        self.answers(running, "deactivated")
        self.assertEqual(running.execute(["/initctl", "activate", "--wait"]).status, 0)
        self.answers(running, "ready")

        running.signal(signal.SIGSTOP)
        self.answers(running, "stuck")
        running.signal(signal.SIGCONT)
        self.answers(running, "ready")

        self.assertEqual(running.stop(), 0)
        log = running.log()
        self.assertIn("open, on port 8080\nclosed\n", log)
        end = ["initd: the app ended: exit status 0", "initd: the app is inactive", "initd: shutting down: the app ended", "initd: ended"]
        self.assertEqual(log.splitlines()[-4:], end)

    def test_a_failure_without_an_app_can_be_inspected(self):
        text = (EXAMPLE / "Dockerfile.beside").read_text()
        entrypoint = re.sub(r", \"--\"\]$", "]", text.replace('CMD ["python3"', "# "), flags=re.M)
        image = Image(entrypoint, images={"INITD": IMAGE})
        self.assertEqual((image.entrypoint + ["--"], image.command), (BESIDE.entrypoint, []))
        root = self.contents(image)
        (root / "var/lib/shop/shop.db").mkdir()
        running = self.run_image(image, root)
        self.until_log(running, "initd: error: launch pass 1 failed")
        self.answers(running, "failed")
        self.assertEqual(running.stop(), 0)

    def test_a_failure_ends_it_with_1_and_the_reason(self):
        root = self.contents(BESIDE)
        (root / "var/lib/shop/shop.db").mkdir()
        running = self.as_composed(root)
        self.assertEqual(running.program.wait(), 1)
        self.assertRegex(running.log(), "critical:    └─ migrate failed .* ago: attempt 3 of 3, exit status 1; ")
        self.assertNotIn("open, on port", running.log())

    def test_it_serves_requests(self):
        running = self.as_composed(self.contents(BESIDE))
        self.until_log(running, "open, on port 8080")
        customer = json.loads(probes.found(r"^ +entrypoint: (\[.*\])$", probes.text("compose.yaml"))[0])
        finished = running.execute(customer)
        self.assertEqual((finished.status, finished.out), (0, "3 books on sale\n\n"), repr(finished))
        self.assertEqual(running.stop(), 0)

    def test_it_runs_as_in_kubernetes_yaml(self):
        text = probes.text("kubernetes.yaml")
        for name in ("runAsUser", "runAsGroup", "fsGroup"):
            self.assertEqual(int(probes.found(rf"{name}: (\d+)", text)[0]), BESIDE.user)
        self.assertEqual(probes.found(r"readOnlyRootFilesystem: (\w+)", text), ("true",))
        self.assertEqual(probes.found(r"allowPrivilegeEscalation: (\w+)", text), ("false",))
        mounts = re.findall(r"mountPath: ([\w/]+)", text)
        # An empty directory is writable for all, and belongs to the group fsGroup.
        running = self.run_image(BESIDE, read_only=True, tmpfs=[f"{path}:mode=2777,gid={BESIDE.user}" for path in mounts])
        self.until_log(running, "open, on port 8080")
        self.answers(running, "ready")
        self.assertEqual(running.stop(), 0)

    def test_it_writes_only_where_the_files_allow_it(self):
        running = self.as_composed(self.contents(BESIDE))
        self.until_log(running, "open, on port 8080")
        self.assertNotEqual(running.execute(["sh", "-c", "echo x > /shop/x"]).status, 0)
        look = "grep -E '^(Uid|CapEff|CapPrm|NoNewPrivs)' /proc/1/status; cat /proc/1/comm; stat -c %a /run/shop/initd.sock"
        status = running.execute(["sh", "-c", look])
        user = "\t".join([str(BESIDE.user)] * 4)
        none = "0" * 16
        self.assertEqual(status.out, f"Uid:\t{user}\nCapPrm:\t{none}\nCapEff:\t{none}\nNoNewPrivs:\t1\ninitd\n600\n")
        self.assertEqual(running.stop(), 0)

    def test_another_command_is_another_app_whose_status_is_the_containers(self):
        running = self.run_image(BESIDE, command=["sh", "-c", "echo 'initialized by then:' *.py; exit 7"])
        self.assertEqual(running.program.wait(), 7)
        log = running.log()
        self.assertIn("initialized by then: shop.py", log)
        self.assertIn("initd: ready", log)

    def test_an_app_isnt_killed_after_sigterm_but_after_cancelGrace_at_shutdown(self):
        running = self.run_image(BESIDE, command=["sh", "-c", "trap 'echo heard' TERM; echo deaf; while :; do sleep 0.1; done"])
        self.until_log(running, "deaf")
        running.signal(signal.SIGTERM)
        self.until_log(running, "heard")
        self.assertEqual(running.execute(["/initctl", "status"]).status, 0)
        # The command waits for the end of the supervisor, which ends the container, and so perhaps the command.
        self.assertIn(running.execute(["/initctl", "shutdown"]).status, (0, -signal.SIGKILL))
        self.assertEqual(running.program.wait(), 128 + signal.SIGKILL)
        self.assertIn("heard\nheard\n", running.log())

    def test_it_may_be_an_init_container(self):
        running = self.run_image(BESIDE, command=["true"])
        self.assertEqual(running.program.wait(), 0)
        self.assertIn("initd: ready", running.log())

    def test_observers_of_another_user_have_a_separate_socket(self):
        text = (EXAMPLE / "Dockerfile.beside").read_text().replace(', "--"]', ', "--observe-socket", "/run/shop/observe.sock", "--"]')
        image = Image(text, images={"INITD": IMAGE})
        running = self.run_image(image)
        self.until_log(running, "open, on port 8080")
        there = {"INITD_SOCKET": "/run/shop/observe.sock"}
        self.answers(running, "ready", **there)
        self.assertEqual(running.execute(["/initctl", "deactivate"], **there).status, 77)
        self.assertEqual(running.stop(), 0)

class SmallImageTests(ContainerTests):
    @unittest.skipIf(DYNAMIC, f"{DYNAMIC}: linked dynamically; only release builds are static")
    def test_it_contains_only_the_two_programs(self):
        root = self.contents(IMAGE)
        self.assertEqual({str(path.relative_to(root)) for path in root.rglob("*")}, {"initd", "initctl", "run"})
        self.assertEqual([libraries(root / name) for name in ("initd", "initctl")], [[], []])

    def test_it_supervises_without_other_files(self):
        root = self.contents(IMAGE)
        run = (root / "run").stat()
        self.assertEqual((run.st_uid, run.st_gid, stat.S_IMODE(run.st_mode)), (IMAGE.user, IMAGE.user, 0o755))
        running = self.run_image(IMAGE, root, read_only=True, volumes=["/run"])
        running.until_up()
        self.answers(running, "ready", [probes.of_image("Dockerfile", IMAGE)])
        self.assertEqual(running.stop(), 0)

    def test_it_prints_its_version(self):
        running = self.run_image(IMAGE, command=["--version"])
        self.assertEqual(running.program.wait(), 0)
        self.assertRegex(running.log(), r"\Ainitd \d+\.\d+\.\d+ \(.*protocol 1, \w+\)\n\Z")

    def test_it_can_be_the_base_of_an_app(self):
        text = (EXAMPLE / "Dockerfile").read_text()
        base, *lines = re.findall(r"^#   ((?:FROM|COPY|CMD) .*)$", text, flags=re.M)
        self.assertEqual(base, "FROM initd")
        context = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, context)
        (context / "init.yaml").write_text("version: 1\ninitializers:\n  a: { command: [/initctl, --version] }\n")
        # A static server whose exit status (75) shows that it was started with the supervisor's socket in its environment.
        shutil.copy(BUILT["initd"], context / "server")
        running = self.run_image(Image(text + "\n".join(lines), context))
        self.assertEqual(running.program.wait(), 75)
        self.assertIn("initd: ready", running.log())
