"""Examples/container/django: PostgreSQL, Redis, celery and gunicorn are warm before nginx opens, and nothing of them is left behind."""

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
PAGES = ["/", "/shelf/history", "/shelf/novels", "/shelf/poetry", "/shelf/science"]
START = 90
"""How long the whole start may take, in seconds. On an idle machine it takes five."""


def setUpModule():
    subprocess.run([ROOT / "scripts/install-missing", "django"], check=True)


@unittest.skipIf(namespace.UNAVAILABLE, namespace.UNAVAILABLE)
class StackTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Builds the image's contents once; each test gets an empty volume, and has launched nothing."""
        place = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="django-", dir="/tmp")))
        cls.addClassCleanup(shutil.rmtree, place)
        place.chmod(0o755)
        cls.root = place / "root"
        cls.root.mkdir(mode=0o755)
        STACK.write(cls.root)
        shutil.copytree(ROOT / ".build/django", cls.root / "shop/venv", symlinks=True)
        (cls.root / "tmp").mkdir()
        (cls.root / "tmp").chmod(0o1777)

    def setUp(self):
        for path in STACK.owned & {"/shop/state", "/shop/launched"}:
            directory = self.root / path.lstrip("/")
            shutil.rmtree(directory)
            directory.mkdir(mode=0o700)
            os.chown(directory, STACK.user, STACK.user)

    def start(self):
        """The container, from its start on."""
        running = Container(STACK, self.root)
        self.addCleanup(running.end)
        return running

    def until_open(self, running):
        """Waits until nginx has been started, and listens."""

        def is_open():
            self.assertIsNone(running.program.process.poll(), running.log())
            return "initd: started nginx" in running.log() and (self.root / "shop/state/nginx.pid").exists()

        until(is_open, "nginx", START)

    def page(self, running, path):
        """The status of a page that nginx answers, and its header X-Cache."""
        finished = running.execute(["curl", "-si", f"http://127.0.0.1:8080{path}"])
        self.assertEqual(finished.status, 0, repr(finished))
        head = finished.out.partition("\n\n")[0]
        cache = re.search(r"^X-Cache: (\w+)", head, re.M)
        return int(head.split()[1]), cache and cache[1]

    def process(self, running, name):
        """A kept process, as in the status."""
        [status] = running.execute(["initctl", "status", "--json"]).json()
        return next(each for each in status["processes"] if each["name"] == name)

    def run_in(self, running, *command):
        finished = running.execute(command)
        self.assertEqual(finished.status, 0, repr(finished))

    def test_each_page_is_warm_at_its_first_request(self):
        running = self.start()
        self.until_open(running)
        self.assertEqual({path: self.page(running, path) for path in PAGES}, dict.fromkeys(PAGES, (200, "hit")))
        self.assertEqual(self.page(running, "/static/admin/css/base.css")[0], 200)

        # Redis is started again, and empty. An activation waits for it, and warms the cache again.
        self.run_in(running, "initctl", "deactivate")
        self.run_in(running, "sh", "-c", f"kill -KILL {self.process(running, 'redis')['pid']}")
        self.run_in(running, "initctl", "activate", "--wait", "--timeout", "60s")
        self.assertEqual(self.process(running, "redis")["restarts"], 1)
        self.assertEqual({path: self.page(running, path) for path in PAGES}, dict.fromkeys(PAGES, (200, "hit")))

        # A killed process is started again.
        first = self.process(running, "gunicorn")["pid"]
        self.run_in(running, "sh", "-c", f"kill -KILL {first}")
        until(lambda: self.process(running, "gunicorn").get("pid") not in (None, first), "another gunicorn", START)
        until(lambda: self.page(running, "/") == (200, "hit"), "a page from it", START)

        # nginx ends first, then each process by itself, the last one that was started first.
        running.signal(signal.SIGTERM)
        self.assertEqual(running.program.wait(START), 0)
        started = list(dict.fromkeys(re.findall(r"^initd: worker (\w+) started", running.log(), re.M)))
        self.assertEqual(set(started), KEPT)
        ended = re.findall(r"^initd: (?:worker )?(the app|\w+) ended: exit status 0$", running.log(), re.M)
        self.assertEqual(ended, ["the app", *reversed(started)], running.log())

    def test_what_was_launched_isnt_in_the_volume(self):
        volumes = STACK.final.all("VOLUME")
        launched = STACK.entrypoint[STACK.entrypoint.index("--state-directory") + 1]
        self.assertEqual((volumes, launched), (["/shop/state"], "launched"), "a new image's migration would be skipped")

    def test_nginx_is_never_started_if_a_migration_fails(self):
        broken = self.root / "shop/shop/migrations/0002_broken.py"
        self.addCleanup(broken.unlink)
        broken.write_text(
            "from django.db import migrations\n"
            "class Migration(migrations.Migration):\n"
            "    dependencies = [('shop', '0001_books')]\n"
            "    operations = [migrations.RunSQL('ALTER TABLE shop_book DROP COLUMN author')]\n"
        )
        running = self.start()
        self.assertEqual(running.program.wait(START), 1, running.log())
        log = running.log()
        self.assertIn('migrate | django.db.utils.ProgrammingError: column "author" of relation "shop_book" does not exist\n', log)
        self.assertEqual(log.count("of relation"), 1, "the reason is told once")
        self.assertIn("initd: error: launch pass 1 failed\n", log)
        self.assertIn("initd: critical: the app is not started:\ninitd: critical: └─ launch failed\n", log)
        self.assertRegex(log, "initd: critical:    └─ migrate failed .* ago: exit status 1; fix it, then start the supervisor again\n")
        self.assertNotIn("initd: started nginx", log)
        self.assertEqual(set(re.findall(r"^initd: worker (\w+) ended: exit status 0$", log, re.M)), {"postgres", "redis"})
        self.assertFalse((self.root / "shop/state/nginx.pid").exists())

    def test_after_a_kill_only_what_changed_is_done_again(self):
        running = self.start()
        self.until_open(running)
        running.signal(signal.SIGKILL)
        running.program.wait()
        # They are still there, as in a volume. The kernel tells nginx of initd's end, and nginx may be quick enough to remove its file.
        for name in ("redis.sock", "gunicorn.sock", "postgres/postmaster.pid"):
            self.assertTrue((self.root / "shop/state" / name).exists(), name)
        (self.root / "shop/state/nginx.pid").unlink(missing_ok=True)
        manifest = self.root / "shop/init.yaml"
        self.addCleanup(manifest.write_text, manifest.read_text())
        manifest.write_text(manifest.read_text().replace("manage.py, stock]", 'manage.py, stock, --verbosity, "2"]'))

        running = self.start()
        self.until_open(running)
        self.assertEqual({path: self.page(running, path) for path in PAGES}, dict.fromkeys(PAGES, (200, "hit")))
        log = running.log()
        self.assertIn("initd: stock runs again: its definition has changed since it completed\n", log)
        self.assertIn("initd: 3 launch initializers completed before and don't run again: database, migrate, static; ", log)
        run = re.findall(r"^initd: ([\w-]+) is complete after", log, re.M)
        # PostgreSQL recovers first.
        self.assertLess(run.index("postgres"), run.index("stock"))
        self.assertEqual(sorted(run), sorted(["postgres", "redis", "gunicorn", "stock", "bestsellers", "pages"]))
        self.assertEqual(running.stop(), 0)


class RunTests(unittest.TestCase):
    def test_it_leaves_no_process_and_no_file(self):
        run = Program([DJANGO / "run"], env=os.environ | {name.upper(): str(path) for name, path in BUILT.items()})
        self.addCleanup(run.end)
        run.until_err("initd: started nginx", START)
        [shop] = re.findall(r"--unix-socket (/tmp/shop\.\w+)/", run.out.decode())

        def processes():
            """Those that were started in its directory."""
            found = {}
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.readlink(f"/proc/{pid}/cwd").startswith(shop) or shop.encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                        found[int(pid)] = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
                except OSError:
                    pass
            return found

        def page():
            return subprocess.run(["curl", "-si", "--unix-socket", f"{shop}/state/http.sock", "http://shop/"], capture_output=True, text=True).stdout

        until(page, "nginx")
        self.assertIn("X-Cache: hit", page())
        self.assertLessEqual({"initd", "postgres", "redis-server", "nginx"}, set(processes().values()))
        run.signal(signal.SIGTERM)
        self.assertEqual(run.wait(START), 0, run.err.decode())
        self.assertEqual(processes(), {})
        self.assertFalse(pathlib.Path(shop).exists())
