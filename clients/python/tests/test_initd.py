"""A few conversations with a real supervisor, if $INITD is the path of one."""

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from appinitializers import AsyncClient, Client, Inactive, InvalidManifest, NotRunning, TimedOut, UnreadableManifest, Worker

from .fake_supervisor import DEADLINE
from .working import serving

INITD = os.environ.get("INITD")


class Connected(Worker):
    """A worker that reports when it has registered."""

    def __init__(self, path):
        super().__init__(path)
        self.registered = threading.Semaphore(0)
        self.lost = threading.Semaphore(0)

    def on_connected(self):
        self.registered.release()

    def on_lost(self, reason):
        self.lost.release()


@unittest.skipUnless(INITD, "INITD isn't set")
class InitdTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.mkdtemp(prefix="initd-")
        self.addCleanup(shutil.rmtree, directory)
        self.path = os.path.join(directory, "initd.sock")
        self.program = None
        self.start("--activate")
        self.addCleanup(self.kill)

    def start(self, *options):
        self.program = subprocess.Popen([os.path.abspath(INITD), "--socket", self.path, "--log-level", "error", *options])

    def kill(self, number=signal.SIGKILL):
        self.program.send_signal(number)
        self.program.wait(DEADLINE)

    def test_a_worker_and_a_client(self):
        worker = Worker(self.path, "shelf")

        @worker.initializer("port")
        def port(context):
            context.hand_over({"port": 8080})

        @worker.initializer("serve", priority="appActive", dependencies=["port"])
        async def serve(context):
            await asyncio.sleep(0)
            context.progress(0.5, f"port {context.inputs['port']['port']}")

        with serving(worker), Client(self.path, connect_timeout=DEADLINE) as client:
            try:
                self.assertEqual(client.wait(initializer="port", appear=True, timeout=DEADLINE), {"state": "complete"})
                self.assertEqual(client.wait(initializer="serve", appear=True, timeout=DEADLINE), {"state": "complete"})
                status = client.status()
                self.assertEqual([each["client"] for each in status["workers"]], ["shelf"])
                self.assertEqual([each.get("progress") for each in status["initializers"]], [None, {"fraction": 0.5, "message": "port 8080"}])
                with self.assertRaises(TimedOut) as caught:
                    client.wait(initializer="later", appear=True, timeout=0)
                self.assertEqual(caught.exception.status["lifecycle"], "active")
            finally:
                worker.stop()

    def test_a_run_is_cancelled_by_its_user(self):
        worker = Worker(self.path)
        reasons = []

        @worker.initializer("slow", retry=3, optional=True)
        def slow(context):
            running.set()
            context.wait(3600)
            reasons.append(context.reason)

        running = threading.Event()
        with serving(worker), Client(self.path, connect_timeout=DEADLINE) as client:
            try:
                self.assertTrue(running.wait(DEADLINE))
                self.assertEqual(client.cancel(["slow"]), ["slow"])
                self.assertEqual(reasons, ["operator"])
                cause = client.wait(initializer="slow", timeout=DEADLINE)["error"]["cause"]
                self.assertEqual((cause["kind"], cause["user"]), ("operator", pwd.getpwuid(os.getuid()).pw_name))
                with self.assertRaises(NotRunning) as caught:
                    client.cancel(["slow"])
                self.assertEqual(caught.exception.initializers, [{"name": "slow", "status": "failed"}])
            finally:
                worker.stop()

    def test_initializers_run_again_with_their_dependents(self):
        worker = Worker(self.path)
        ran = []
        worker.initializer("a")(lambda context: ran.append("a"))
        worker.initializer("b", dependencies=["a"])(lambda context: ran.append("b"))
        worker.initializer("c", priority="appActive")(lambda context: None)

        with serving(worker), Client(self.path, connect_timeout=DEADLINE) as client:
            try:
                self.assertEqual(client.wait(initializer="b", appear=True, timeout=DEADLINE), {"state": "complete"})
                for with_dependents, expected in ((False, ["a"]), (True, ["a", "b"])):
                    del ran[:]
                    for number in client.rerun(["a"], with_dependents=with_dependents):
                        self.assertEqual(client.wait(pass_=number, timeout=DEADLINE)["state"], "complete")
                    self.assertEqual(ran, expected)
                    stale = {each["name"]: each.get("stale", False) for each in client.status()["initializers"]}
                    self.assertEqual(stale["b"], not with_dependents)
                client.deactivate(wait=True)
                with self.assertRaises(Inactive):
                    client.rerun(["c"])
            finally:
                worker.stop()

    def test_a_reload_says_what_differs(self):
        self.kill()
        manifest = os.path.join(os.path.dirname(self.path), "init.yaml")

        def write(text):
            with open(manifest, "w") as file:
                file.write("version: 1\ninitializers:\n" + text)

        write("  a: { worker: true, optional: true, timeout: 5s }\n")
        self.start("--config", manifest)
        with Client(self.path, connect_timeout=DEADLINE) as client:
            client.status()  # Now it has read the manifest.
            write("  a: { worker: true, optional: true, timeout: 6s }\n  b: { worker: true, optional: true }\n")
            expected = {"added": ["b"], "changed": [], "removed": [], "unchanged": 1, "fromNextRun": [{"name": "a", "keys": ["timeout"]}]}
            for dry_run, names in ((True, ["a"]), (False, ["a", "b"])):
                self.assertEqual(client.reload(dry_run=dry_run), expected)
                self.assertEqual([each["name"] for each in client.status()["initializers"]], names)
            write("  c: {}\n")
            with self.assertRaises(InvalidManifest) as caught:
                client.reload()
            self.assertEqual([(each["file"], each["line"]) for each in caught.exception.findings], [(manifest, 3)])
            os.remove(manifest)
            with self.assertRaises(UnreadableManifest):
                client.reload()

    def test_everything_survives_a_supervisor_that_is_killed(self):
        worker = Connected(self.path)
        worker.initializer("a", priority="appActive")(lambda context: None)

        async def observe():
            client = AsyncClient(self.path, connect_timeout=DEADLINE)
            async with client.hold(), client.subscribe("pass") as events:
                first = events.snapshot["instance"]
                self.kill()
                self.assertTrue(worker.lost.acquire(timeout=DEADLINE))
                self.start()  # Only the hold activates the app.
                async for event in events:
                    if event["topic"] == "snapshot":
                        self.assertNotEqual(events.snapshot["instance"], first)
                        break
                async with client:
                    await client.wait(initializer="a", appear=True, timeout=DEADLINE)
                    self.assertNotEqual(client.instance, first)

        with serving(worker):
            try:
                self.assertTrue(worker.registered.acquire(timeout=DEADLINE))
                begun = time.monotonic()
                asyncio.run(asyncio.wait_for(observe(), 3 * DEADLINE))
                self.assertTrue(worker.registered.acquire(timeout=DEADLINE))
                self.assertLess(time.monotonic() - begun, 2 * DEADLINE)
            finally:
                worker.stop()

    def test_a_hold_is_a_scope(self):
        with Client(self.path, connect_timeout=DEADLINE) as client:
            client.deactivate(wait=True)
            with client.hold() as hold:
                self.assertEqual(client.status()["lifecycle"], "active")
                self.assertEqual(client.wait(pass_=hold.activated["pass"], timeout=DEADLINE)["state"], "complete")
            self.assertEqual(client.status()["lifecycle"], "inactive")

    def test_a_shutdown_is_an_event(self):
        with Client(self.path, connect_timeout=DEADLINE) as client, client.subscribe() as events:
            client.shutdown()
            self.assertEqual(next(events), {"topic": "shutdown"})
        self.program.wait(DEADLINE)


if __name__ == "__main__":
    unittest.main()
