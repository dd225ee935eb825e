"""The tools of a row: a temporary directory, our programs as they are installed, compiled C programs, servers, and load generators."""

import contextlib
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

from . import measure
from .supervisor import INITCTL, INITD, Supervisor, connect

HERE = pathlib.Path(__file__).resolve().parent.parent
C_FLAGS = ["-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
LIBUV = ["-l:libuv_a.a", "-lpthread", "-ldl"]
# The further requirements of each C program: libuv, or that it is static.
EXTRA = {"relay": LIBUV, "broadcast": LIBUV, "client": ["-static"], "echo": ["-static"]}
# The Debian packages of the peers. Debian 12 has none of dinit and of s6-rc.
PACKAGES = {
    "dinit": "dinit",
    "dinitctl": "dinit",
    "s6-rc": "s6-rc",
    "s6-rc-compile": "s6-rc",
    "s6-rc-init": "s6-rc",
    "s6-svscan": "s6",
    "redis-server": "redis-server",
    "redis-cli": "redis-tools",
    "make": "make",
}



def descriptors(count):
    """Allows this process and its children `count` descriptors, or the maximum if that is less. Returns how many they are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count:
        # Only root may raise the limit, and not everywhere.
        with contextlib.suppress(ValueError, PermissionError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))
            return count
    if soft < min(count, hard):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return min(count, hard)


def read_in_one_piece(*programs):
    """Reads programs and their libraries into the page cache, from the beginning to the end of each file; None is left out.

    The kernel keeps a file that is read so in large pieces. If it is read page by page, by a program that runs, the pieces are small, and each
    later start takes a quarter longer. Otherwise the state would depend on the programs that ran before.
    """
    files = {os.path.realpath(program) for program in programs if program}
    for program in list(files):
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
        files |= {os.path.realpath(word) for word in libraries.split() if word.startswith("/")}
    for file in files:
        with open(file, "rb") as opened:
            # Only pages that are on the disk, and that no process has mapped, are dropped.
            os.fsync(opened.fileno())
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            while opened.read(1 << 20):
                pass


def with_descriptors(count):
    """Allows this process and its children `count` descriptors."""
    if descriptors(count) < count:
        raise RuntimeError(f"this needs {count} descriptors, and may have {descriptors(count)}: raise the hard limit (ulimit -Hn)")


@contextlib.contextmanager
def one_processor():
    """Runs everything that is started in the meantime on one processor: then no time is spent on waking up another processor."""
    all_of_them = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(all_of_them)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, all_of_them)


def absent(*programs):
    """Why a peer can't be measured, or None."""
    missing = dict.fromkeys(PACKAGES[each] for each in programs if not shutil.which(each))
    return f"install Debian's {', '.join(missing)}" if missing else None


class Load:
    """A load generator: a C program that measures once for each line that it gets."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._line()

    def once(self):
        self.process.stdin.write("\n")
        return float(self._line())

    def _line(self):
        text = self.process.stdout.readline()
        if not text:
            raise RuntimeError(f"{self.process.args[0]} ended with {self.process.wait()}")
        return text.strip() if text.strip() != "ready" else None

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Bench:
    """One execution of the benchmark. `quick` divides the number of rounds, for development."""

    def __init__(self, directory, quick=1):
        self.directory = pathlib.Path(directory)
        self.quick = quick
        self.initd = self.installed("initd", INITD)
        self.initctl = self.installed("initctl", INITCTL)

    def installed(self, name, program):
        """A copy of a program without symbols, as `make install` makes it."""
        if not os.path.exists(program):
            sys.exit(f"cannot measure {name}: {program} does not exist; build it with `make build`, or set {name.upper()} to its path")
        copy = str(self.directory / name)
        subprocess.run(["strip", "-o", copy, program], check=True)
        return copy

    def compiled(self, name):
        """The path of a C program of `floors` or `load`."""
        program = self.directory / "c" / name
        if not program.exists():
            program.parent.mkdir(exist_ok=True)
            (source,) = HERE.glob(f"*/{name}.c")
            subprocess.run([shutil.which("cc") or "clang", *C_FLAGS, "-o", str(program), str(source), *EXTRA.get(name, [])], check=True)
        return str(program)

    def alternate(self, row, title, unit, subjects, rounds, **more):
        return measure.alternate(row, title, unit, subjects, max(min(rounds, 3), rounds // self.quick), **more)

    @contextlib.contextmanager
    def stage(self):
        """A `Stage`: everything that it starts ends with it."""
        with contextlib.ExitStack() as stack:
            yield Stage(self, pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(dir=self.directory))), stack)


class Stage:
    """The servers and load generators of one row, in a directory."""

    def __init__(self, bench, directory, stack):
        self.bench, self.directory, self.stack = bench, directory, stack
        self.pids = {}

    def initd(self, *arguments, name="initd"):
        folder = self.folder(name)
        supervisor = self.stack.enter_context(Supervisor(folder, *arguments, program=self.bench.initd))
        self.pids[name] = supervisor.process.pid
        return supervisor

    def folder(self, name):
        path = self.directory / name
        path.mkdir(exist_ok=True)
        return path

    def server(self, name, command, path, ends=signal.SIGTERM):
        """Starts a server, which ends with the stage. Returns the path of its socket; the load generators wait until it listens."""
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.pids[name] = process.pid

        def end():
            process.send_signal(ends)
            process.wait()

        self.stack.callback(end)
        return path

    def floor(self, name, *arguments):
        """Starts a floor that is a server."""
        path = str(self.directory / f"{name}.sock")
        return self.server("floor", [self.bench.compiled(name), path, *map(str, arguments)], path)

    def redis(self, *options):
        """Starts Redis on a Unix socket, without persistence."""
        folder = self.folder("redis")
        path = str(folder / "redis.sock")
        command = ["redis-server", "--port", "0", "--unixsocket", path, "--save", "", "--appendonly", "no", "--dir", str(folder), *options]
        self.server("Redis", command, path)
        connect(path).close()
        return path

    def load(self, name, *arguments):
        """A load generator, connected to its server."""
        load = Load([self.bench.compiled(name), *map(str, arguments)])
        self.stack.callback(load.close)
        return load
