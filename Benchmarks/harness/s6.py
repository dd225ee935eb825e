"""s6-rc with a database of its own, under its own s6-svscan. Its oneshots run `/bin/true`."""

import subprocess
import time

from .bench import absent

ABSENT = absent("s6-svscan", "s6-rc", "s6-rc-compile", "s6-rc-init")


class S6:
    def __init__(self, stage, graph, name="s6"):
        """Starts s6-svscan, and makes the database. The bundle `all` contains every name of the graph."""
        folder = stage.folder(name)
        source, scan, compiled = folder / "source", folder / "scan", folder / "compiled"
        self.live = str(folder / "live")
        scan.mkdir()
        for each, dependencies in graph.items():
            self._service(source / each, "oneshot", "dependencies.d", dependencies)
            (source / each / "up").write_text("/bin/true\n")
        self._service(source / "all", "bundle", "contents.d", graph)
        process = subprocess.Popen(["s6-svscan", str(scan)])
        stage.pids[name] = process.pid

        def end():
            subprocess.run(["s6-svscanctl", "-t", str(scan)], check=True)
            process.wait()

        stage.stack.callback(end)
        deadline = time.monotonic() + 10
        while not (scan / ".s6-svscan" / "control").exists():
            if time.monotonic() > deadline:
                raise TimeoutError("s6-svscan")
            time.sleep(0.005)
        subprocess.run(["s6-rc-compile", str(compiled), str(source)], check=True)
        subprocess.run(["s6-rc-init", "-c", str(compiled), "-l", self.live, str(scan)], check=True)

    def _service(self, folder, kind, relation, names):
        (folder / relation).mkdir(parents=True)
        (folder / "type").write_text(kind + "\n")
        for each in names:
            (folder / relation / each).touch()

    def start(self):
        subprocess.run(["s6-rc", "-l", self.live, "-u", "change", "all"], check=True)

    def once(self):
        """Runs the oneshots. Returns the seconds of `s6-rc change`. Taking them down isn't measured."""
        begin = time.perf_counter()
        self.start()
        took = time.perf_counter() - begin
        subprocess.run(["s6-rc", "-l", self.live, "-d", "change", "all"], check=True)
        return took
