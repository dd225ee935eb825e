"""Examples/container/django, a shop of django-oscar: everything is warm before nginx opens, and nothing is left behind.

There are 159 migrations, which take most of the time. So each test of a container has a copy of a volume in which they have been applied.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import namespace
from container import Container
from image import BUILT, EXAMPLE, ROOT, Image
from probes import IMAGE
from program import Program

from deadlines import until

DJANGO = EXAMPLE / "django"
STACK = Image((DJANGO / "Dockerfile").read_text(), DJANGO, images={"INITD": IMAGE})
KEPT = {"postgres", "redis", "celery", "gunicorn"}
SHELVES = ["history_2", "novels_3", "poetry_4", "science_5"]
PAGES = ["/catalogue/", *(f"/catalogue/category/books/{each}/" for each in SHELVES), "/catalogue/the-histories_1/", "/catalogue/opticks_20/"]
START = 120
"""How long a start may take, in seconds. On a busy machine, a start with all migrations takes half a minute."""


def setUpModule():
    subprocess.run([ROOT / "scripts/install-missing", "django"], check=True)


def parsed(name):
    """A YAML file of the example. PyYAML may have been installed by `setUpModule`."""
    import yaml

    return yaml.safe_load((DJANGO / name).read_text())


@unittest.skipIf(namespace.UNAVAILABLE, namespace.UNAVAILABLE)
class StackTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Builds the image's contents, and makes a volume in which the migrations have been applied."""
        place = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="django-", dir="/tmp")))
        cls.addClassCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        cls.root, cls.volume = place / "root", place / "volume"
        cls.root.mkdir(mode=0o755)
        STACK.write(cls.root)
        (cls.root / "tmp").mkdir()
        (cls.root / "tmp").chmod(0o1777)

        first = cls.container()
        cls.addClassCleanup(first.end)
        until(lambda: first.program.process.poll() is not None or "initd: migrate is complete" in first.log(), "the migrations", START)
        assert first.stop() == 143, first.log()
        (cls.root / "shop/state").rename(cls.volume)

    def setUp(self):
        """The volume has tables without rows, and nothing has been launched."""
        subprocess.run(["cp", "-a", self.volume, self.root / "shop/state"], check=True)
        self.addCleanup(shutil.rmtree, self.root / "shop/state")
        launched = self.root / "shop/launched"
        shutil.rmtree(launched)
        launched.mkdir(mode=0o700)
        os.chown(launched, STACK.user, STACK.user)

    @classmethod
    def container(cls):
        return Container(STACK, cls.root, mounts={"/shop/venv": ROOT / ".build/django"})

    def start(self):
        """The container, from its start on."""
        running = self.container()
        self.addCleanup(running.end)
        return running

    def until_open(self, running):
        """Waits until nginx has been started, and listens."""

        def is_open():
            self.assertIsNone(running.program.process.poll(), running.log())
            return "initd: started nginx" in running.log() and (self.root / "shop/state/nginx.pid").exists()

        until(is_open, "nginx", START)

    def page(self, running, path):
        """The status of a page that nginx answers."""
        return int(self.run_in(running, "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", f"http://127.0.0.1:8080{path}"))

    def cached(self, running):
        """Returns the keys of Oscar's entries in the cache."""
        return set(self.run_in(running, "redis-cli", "-s", "state/redis.sock", "-n", "1", "keys", "*").split("\n")) - {""}

    def all_are_warm(self, running):
        """Requests each page: it finds its data in the cache, so it puts nothing there."""
        before = self.cached(running)
        self.assertEqual({path: self.page(running, path) for path in PAGES}, dict.fromkeys(PAGES, 200))
        self.assertEqual(self.cached(running), before)
        self.assertTrue([each for each in before if "sorl-thumbnail" in each], before)
        self.assertLessEqual(len(SHELVES), len([each for each in before if "CATEGORY_URL" in each]), before)

    def is_counted(self, running):
        """Whether celery has counted all views of products."""
        wrong = "SELECT count(*) FROM analytics_productrecord WHERE abs(9 * score - num_views) > 0.01"
        return self.run_in(running, "sh", "-c", f'psql -h "$PWD/state/postgres" -d shop -Atc "{wrong}"') == "0\n"

    def process(self, running, name):
        """A kept process, as in the status."""
        [status] = running.execute(["initctl", "status", "--json"]).json()
        return next(each for each in status["processes"] if each["name"] == name)

    def run_in(self, running, *command):
        """Runs a command in the container, and returns its output."""
        finished = running.execute(command)
        self.assertEqual(finished.status, 0, repr(finished))
        return finished.out

    def test_each_page_is_warm_at_its_first_request(self):
        running = self.start()
        self.until_open(running)
        self.all_are_warm(running)
        self.assertEqual(self.page(running, "/static/admin/css/base.css"), 200)
        self.assertEqual(self.page(running, "/media/image_not_found.jpg"), 200)

        # Redis is started again, and empty. An activation waits for it, and warms the cache again.
        self.run_in(running, "initctl", "deactivate")
        self.run_in(running, "sh", "-c", f"kill -KILL {self.process(running, 'redis')['pid']}")
        self.run_in(running, "initctl", "activate", "--wait", "--timeout", "60s")
        self.assertEqual(self.process(running, "redis")["restarts"], 1)
        self.all_are_warm(running)

        # A killed process is started again.
        first = self.process(running, "gunicorn")["pid"]
        self.run_in(running, "sh", "-c", f"kill -KILL {first}")
        until(lambda: self.process(running, "gunicorn").get("pid") not in (None, first), "another gunicorn", START)
        until(lambda: self.page(running, "/catalogue/") == 200, "a page from it", START)

        # nginx ends first, then what needs the servers, then the servers; what doesn't depend on each other ends side by side.
        running.signal(signal.SIGTERM)
        self.assertEqual(running.program.wait(START), 0)
        started = list(dict.fromkeys(re.findall(r"^initd: process (\w+) started", running.log(), re.M)))
        self.assertEqual(set(started), KEPT)
        ended = re.findall(r"^initd: (?:process )?(the app|\w+) ended: exit status 0$", running.log(), re.M)
        self.assertEqual((ended[0], set(ended[1:3]), set(ended[3:])), ("the app", {"gunicorn", "celery"}, {"postgres", "redis"}), running.log())

    def test_what_was_launched_isnt_in_the_volume(self):
        volumes = STACK.final.all("VOLUME")
        launched = STACK.entrypoint[STACK.entrypoint.index("--state-directory") + 1]
        self.assertEqual((volumes, launched), (["/shop/state"], "launched"), "a new image's migration would be skipped")

    def test_nginx_is_never_started_if_a_migration_fails(self):
        """A new release of the shop has an application of its own, whose migration fails."""
        migrations, settings = self.root / "shop/broken/migrations", self.root / "shop/shop/settings.py"
        self.addCleanup(settings.write_text, settings.read_text())
        self.addCleanup(shutil.rmtree, migrations.parent)
        migrations.mkdir(parents=True)
        (migrations / "__init__.py").touch()
        (migrations / "0001_initial.py").write_text(
            "from django.db import migrations\n"
            "class Migration(migrations.Migration):\n"
            "    dependencies = [('catalogue', '0001_initial')]\n"
            "    operations = [migrations.RunSQL('ALTER TABLE catalogue_product DROP COLUMN author')]\n"
        )
        settings.write_text(settings.read_text() + 'INSTALLED_APPS += ["broken"]\n')
        running = self.start()
        self.assertEqual(running.program.wait(START), 1, running.log())
        log = running.log()
        self.assertIn('migrate | django.db.utils.ProgrammingError: column "author" of relation "catalogue_product" does not exist\n', log)
        self.assertEqual(log.count("of relation"), 1, "the reason is told once")
        self.assertIn("initd: error: launch pass 1 failed\n", log)
        self.assertIn("initd: critical: the app is not started:\ninitd: critical: └─ launch failed\n", log)
        self.assertRegex(log, "initd: critical:    └─ migrate failed .* ago: exit status 1; fix it, then start the supervisor again\n")
        self.assertNotIn("initd: started nginx", log)
        self.assertEqual(set(re.findall(r"^initd: process (\w+) ended: exit status 0$", log, re.M)), {"postgres", "redis"})
        self.assertFalse((self.root / "shop/state/nginx.pid").exists())

    def test_only_what_changed_is_done_again_by_a_reload_or_after_a_kill(self):
        running = self.start()
        self.until_open(running)
        self.assertEqual(self.page(running, "/catalogue/the-histories_1/"), 200)
        self.assertFalse(self.is_counted(running))
        self.run_in(running, "initctl", "rerun", "scores", "--wait", "--timeout", "60s")
        self.assertTrue(self.is_counted(running))

        # More books are in a second file that only the new manifest names.
        manifest, second = self.root / "shop/init.yaml", self.root / "shop/second.csv"
        self.addCleanup(manifest.write_text, manifest.read_text())
        self.addCleanup(second.unlink)
        second.write_text("Book,Books > Science,science-6,Principia,By Isaac Newton.,Publisher,science-6,25.00,10\n")
        manifest.write_text(manifest.read_text().replace("catalogue.csv]", "catalogue.csv, second.csv]"))
        self.assertEqual(self.page(running, "/catalogue/principia_21/"), 404)
        self.assertEqual(self.run_in(running, "initctl", "reload"), "~ stock (command)\n= 11 unchanged\n")
        self.run_in(running, "initctl", "wait", "--timeout", "60s")
        self.assertEqual(self.page(running, "/catalogue/principia_21/"), 200)

        running.signal(signal.SIGKILL)
        running.program.wait()
        # The files are still there, as in a volume. The kernel notifies nginx of initd's end, and nginx may be quick enough to remove its
        # file.
        for name in ("redis.sock", "gunicorn.sock", "postgres/postmaster.pid"):
            self.assertTrue((self.root / "shop/state" / name).exists(), name)
        (self.root / "shop/state/nginx.pid").unlink(missing_ok=True)
        # In the next container the pid in it may be that of another process, and then PostgreSQL refuses to start.
        (self.root / "shop/state/postgres/postmaster.pid").unlink()
        manifest.write_text(manifest.read_text().replace("catalogue.csv, second.csv]", "second.csv]"))

        running = self.start()
        self.until_open(running)
        self.all_are_warm(running)
        log = running.log()
        self.assertIn("initd: stock runs again: its definition has changed since it completed\n", log)
        self.assertIn("initd: 3 launch initializers completed before and don't run again: countries, migrate, static; ", log)
        run = re.findall(r"^initd: ([\w-]+) is complete after", log, re.M)
        # PostgreSQL recovers first.
        self.assertLess(run.index("postgres"), run.index("stock"))
        self.assertEqual(sorted(run), sorted([*KEPT, "secret-key", "stock", "scores", "pages"]))
        self.assertEqual(running.stop(), 0)


class RunTests(unittest.TestCase):
    def test_it_leaves_no_process_and_no_file(self):
        run = Program([DJANGO / "run"], env=os.environ | {name.upper(): str(path) for name, path in BUILT.items()})
        self.addCleanup(run.end)
        run.until_err("initd: started nginx", START)
        [shop] = re.findall(r"--unix-socket (/tmp/shop\.\w+)/", run.out.decode())

        def processes():
            """Returns the processes that were started in its directory."""
            found = {}
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.readlink(f"/proc/{pid}/cwd").startswith(shop) or shop.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                        found[int(pid)] = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
                except OSError:
                    pass
            return found

        def page():
            return subprocess.run(["curl", "-si", "--unix-socket", f"{shop}/state/http.sock", "http://shop/catalogue/"], capture_output=True, text=True).stdout

        manifest = parsed("init.yaml")
        done = re.findall(r"initd: ([\w-]+) is complete after", run.err.decode())
        self.assertEqual(sorted(done), sorted([*manifest["initializers"], *manifest["workers"]]), "each once")
        until(page, "nginx")
        self.assertIn("<title>", page())
        self.assertLessEqual({"initd", "postgres", "redis-server", "nginx"}, set(processes().values()))
        run.signal(signal.SIGTERM)
        self.assertEqual(run.wait(START), 0, run.err.decode())
        self.assertEqual(processes(), {})
        self.assertFalse(pathlib.Path(shop).exists())


class ComposeTests(unittest.TestCase):
    """Tests that compose.yaml does the same as init.yaml."""

    OTHER = {"postgres", "redis"}
    """The images come from others, and their entry points do more: that of postgres does the work of `cluster`."""
    WITHIN = {"cluster", "secret-key"}
    """What no service does: with Compose, a person chooses the secret key."""

    @classmethod
    def setUpClass(cls):
        manifest = parsed("init.yaml")
        cls.workers = manifest["workers"]
        cls.steps = manifest["initializers"] | cls.workers
        cls.services = parsed("compose.yaml")["services"]

    def words(self, command):
        return [str(word) for word in command]

    def needed(self, name, entries, key):
        """What an entry depends on, directly and through others."""
        direct = set(entries[name].get(key, []))
        return direct.union(*(self.needed(each, entries, key) for each in direct))

    def test_it_has_the_same_services(self):
        self.assertEqual(set(self.services), set(self.steps) - self.WITHIN | {"nginx"})
        for name, service in self.services.items():
            if name not in self.OTHER:
                command = STACK.command if name == "nginx" else self.steps[name]["command"]
                self.assertEqual(self.words(service["command"]), self.words(command), name)

    def test_each_waits_for_the_same(self):
        for name in set(self.services) - {"nginx"}:
            expected = self.needed(name, self.steps, "dependencies") - self.WITHIN
            self.assertEqual(self.needed(name, self.services, "depends_on"), expected, name)
        self.assertEqual(self.needed("nginx", self.services, "depends_on"), set(self.services) - {"nginx"}, "it is the last one")
        for name, service in self.services.items():
            for other, entry in service.get("depends_on", {}).items():
                condition = "service_healthy" if other in KEPT else "service_completed_successfully"
                self.assertEqual(entry, {"condition": condition}, f"{name} of {other}")

    def test_processes_are_checked_and_kept(self):
        for name in KEPT | {"nginx"}:
            self.assertEqual(self.services[name]["restart"], "always", name)
        for name in KEPT:
            self.assertIn("healthcheck", self.services[name])
            stop = self.workers[name].get("stopTimeout")
            self.assertEqual(self.services[name].get("stop_grace_period"), stop, name)
        for name in KEPT - self.OTHER:
            self.assertEqual(self.services[name]["healthcheck"]["test"], ["CMD", *self.workers[name]["ready"]["command"]], name)

    def test_the_manifest_is_shorter(self):
        manifest, compose = (
            len([line for line in (DJANGO / name).read_text().splitlines() if line.strip() and not line.strip().startswith("#")])
            for name in ("init.yaml", "compose.yaml")
        )
        self.assertLess(manifest, compose)

    def test_neither_waits_in_a_command(self):
        for name, entry in [*self.steps.items(), *self.services.items()]:
            text = " ".join(self.words(entry["command"])) if isinstance(entry.get("command"), list) else entry.get("command", "")
            self.assertNotRegex(text, r"\b(while|until|for|sleep)\b|initctl wait", name)
