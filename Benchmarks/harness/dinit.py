"""dinit as a user's instance, with services that run `/bin/true` once."""

import subprocess
import time

from .bench import absent

ABSENT = absent("dinit", "dinitctl")


class Dinit:
    def __init__(self, stage, graph, name="dinit"):
        """Starts dinit. The service `all` depends on every name of the graph."""
        folder = stage.folder(name)
        services = folder / "services"
        services.mkdir()
        (services / "boot").write_text("type = internal\n")
        (services / "all").write_text("type = internal\n" + "".join(f"depends-on = {each}\n" for each in graph))
        for each, dependencies in graph.items():
            needs = "".join(f"depends-on = {one}\n" for one in dependencies)
            (services / each).write_text(f"type = scripted\ncommand = /bin/true\n{needs}")
        self.path = str(folder / "control.sock")
        self.command = ["dinit", "--user", "--quiet", "--services-dir", str(services), "--socket-path", self.path]
        stage.server(name, self.command, self.path)
        self._until(lambda: self._control("list", check=False).returncode == 0)

    def _control(self, *words, check=True):
        return subprocess.run(["dinitctl", "--socket-path", self.path, *words], check=check, capture_output=True, text=True)

    def _until(self, condition):
        deadline = time.monotonic() + 30
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("dinit")
            time.sleep(0.005)

    def start(self):
        self._control("start", "all")

    def once(self):
        """Runs the services. Returns the seconds of `dinitctl start`, which waits for them. Stopping them isn't measured."""
        begin = time.perf_counter()
        self.start()
        took = time.perf_counter() - begin
        self._control("stop", "all")
        self._until(lambda: "+" not in self._control("list").stdout.split("boot", 1)[1])
        return took
