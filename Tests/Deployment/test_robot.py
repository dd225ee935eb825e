"""Examples/robot: devices that share a bus are asked one at a time, and a driver that comes back is prepared again, alone."""

import json
import os
import pathlib
import re
import shutil
import signal
import tempfile
import unittest

from deadlines import until
from image import BUILT, ROOT
from program import Program

ROBOT = ROOT / "Examples/robot"
START = 60
"""How long a step may take, in seconds. On an idle machine it takes one."""


class RobotTests(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="robot-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.place)
        shutil.copytree(ROBOT, self.place, dirs_exist_ok=True)
        self.environment = os.environ | {
            "INITD_SOCKET": str(self.place / "initd.sock"), "ROBOT_CLIENTS": str(ROOT / "clients/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.initd = Program([BUILT["initd"], "--config", "init.yaml", "--activate"], env=self.environment, cwd=self.place)
        self.addCleanup(self.initd.end)

    def initctl(self, *words):
        run = Program([BUILT["initctl"], *words], env=self.environment, cwd=self.place)
        self.addCleanup(run.end)
        return run.wait(START), run.out.decode()

    def status(self):
        return json.loads(self.initctl("status", "--json")[1])

    def initializer(self, name):
        return next(each for each in self.status()["initializers"] if each["name"] == name)

    def test_it_starts_and_a_driver_that_is_lost_comes_back(self):
        self.assertEqual(self.initctl("wait", "--connect-timeout", "10s", "--timeout", f"{START}s")[0], 0, self.initd.err.decode())
        runs = {name: self.initializer(name)["run"] for name in ("scan", "motors", "firmware")}
        [driver] = [each for each in self.status()["processes"] if each["name"] == "lidar"]
        os.kill(driver["pid"], signal.SIGKILL)

        def is_prepared_again():
            scan = self.initializer("scan")
            return scan["run"] != runs["scan"] and scan["status"] == "complete"

        until(is_prepared_again, "the new driver", START)
        self.assertEqual({name: self.initializer(name)["run"] for name in ("motors", "firmware")}, {name: runs[name] for name in ("motors", "firmware")})
        self.assertEqual(self.initctl("wait", "--timeout", f"{START}s")[0], 0)
        self.assertEqual(self.initctl("shutdown")[0], 0)
        self.assertEqual(self.initd.wait(START), 0)
        log = self.initd.err.decode()
        self.assertNotIn("collision", log)
        asked = [name for name in re.findall(r"initd: (\w+) is complete after", log) if name in ("firmware", "motors", "arm", "home")]
        self.assertEqual((asked[0], asked[-1]), ("firmware", "home"), log)
