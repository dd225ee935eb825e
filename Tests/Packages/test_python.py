"""The Python packages: valid, and installed, used and removed in empty environments of each Python that is here."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from packages import ARCHITECTURE, BUILD, DIST, LINE, PURE_WHEEL, ROOT, SDIST, VERSION, instructions, manifest, wheel

TOOLS = BUILD / "packaging/bin"
WORKER = """
from appinitializers import Worker
worker = Worker(name="shelf")
@worker.initializer("favorites", priority="appActive", dependencies=["toggles"])
def favorites(context):
    context.progress(0.5, "half of the shelves")
worker.run()
"""


def pythons():
    """The Pythons of this machine from 3.9 on, by their versions."""
    found = {}
    places = [*pathlib.Path("/usr/bin").glob("python3.*"), *pathlib.Path("/usr/local/bin").glob("python3.*")]
    places += pathlib.Path.home().glob(".pyenv/versions/3.*/bin/python3")
    for path in places:
        if re.fullmatch(r"python3(\.\d+)?", path.name):
            ask = "import ensurepip, venv, sys; print(sys.version_info >= (3, 9), '%d.%d' % sys.version_info[:2])"
            words = subprocess.run([path, "-c", ask], capture_output=True, text=True).stdout.split()
            if words[:1] == ["True"]:
                found.setdefault(words[1], path)
    return found


class FileTests(unittest.TestCase):
    def test_twine_accepts_them(self):
        files = [wheel(), DIST / PURE_WHEEL, DIST / SDIST]
        done = subprocess.run([TOOLS / "twine", "check", "--strict", *files], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.count("PASSED")), (0, 3), done.stdout)

    def test_the_wheels_have_the_same_client(self):
        def contents(path):
            with zipfile.ZipFile(path) as archive:
                return {name: archive.read(name) for name in archive.namelist() if name.startswith("appinitializers/")}

        self.assertIn("appinitializers/py.typed", contents(wheel()))
        self.assertEqual(contents(wheel()), contents(DIST / PURE_WHEEL))


class InstallationTests(unittest.TestCase):
    def directory(self):
        place = pathlib.Path(tempfile.mkdtemp(prefix="packages-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, place)
        return place

    def succeeds(self, words, **options):
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}")
        return done.stdout

    def files(self, place):
        """The files of an environment; pip leaves empty folders."""
        return {path for path in place.rglob("*") if "__pycache__" not in path.parts and not path.is_dir()}

    def test_in_each_python(self):
        found = pythons()
        self.assertTrue(found)
        for version, python in found.items():
            with self.subTest(version):
                self.installed(python)
        print(f"pythons tried: {', '.join(sorted(found, key=lambda each: int(each[2:])))}")

    def installed(self, python):
        place = self.directory()
        self.succeeds([python, "-m", "venv", place / "shop"])
        before = self.files(place / "shop")
        for path in [wheel(), DIST / PURE_WHEEL]:
            shutil.copy(path, place)
        # With that Python, and no other programs than the system's.
        (place / "bin").mkdir()
        (place / "bin/python3").symlink_to(python)
        variables = {"PATH": f"{place}/bin:/usr/bin:/bin", "HOME": str(place), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        install = next(line for line in instructions("python: install").splitlines() if "pip install" in line)
        self.succeeds(["sh", "-euc", install], cwd=place, env=variables)
        inside = variables | {"PATH": f"{place}/shop/bin:/usr/bin:/bin"}
        for program in ("initd", "initctl"):
            self.assertRegex(self.succeeds([program, "--version"], env=inside), rf"^{LINE}\n$")
        # The manual pages are found beside the programs. pip has put the completions where the shells' own are below a prefix.
        for page, section in (("initd", 1), ("initctl", 1), ("init.yaml", 5)):
            where = self.succeeds(["man", "--where", page], env=inside)
            self.assertEqual(where.strip(), f"{place}/shop/share/man/man{section}/{page}.{section}")
        completed = self.succeeds(["bash", "-euc", f". {place}/shop/share/bash-completion/completions/initctl; complete -p initctl"], env=inside)
        self.assertRegex(completed, r"^complete .* initctl\n$")
        for name in ("zsh/site-functions/_initctl", "fish/vendor_completions.d/initctl.fish"):
            self.assertTrue((place / "shop/share" / name).is_file(), name)
        # The manifest is that of README.md, with a worker that uses the installed client.
        (place / "init.yaml").write_text(manifest())
        (place / "worker.py").write_text(WORKER)
        self.succeeds(["sh", "-euc", f"""
            export INITD_SOCKET={place}/initd.sock
            trap 'kill $worker 2>/dev/null || true; initctl shutdown || true; wait' EXIT
            initd --config init.yaml &
            initctl wait launch --connect-timeout 5s
            python worker.py &
            worker=$!
            initctl activate
            initctl wait favorites --appear --timeout 20s
        """], cwd=place, env=inside)
        self.succeeds([place / "shop/bin/pip", "uninstall", "--yes", "appinitializers"], env=variables)
        self.assertEqual(self.files(place / "shop") ^ before, set())

    def test_the_source_distribution_is_the_client_alone(self):
        place = self.directory()
        self.succeeds(["/usr/bin/python3", "-m", "venv", place / "shop"])
        # The tools are those that the tests have, so nothing is downloaded.
        self.succeeds([TOOLS / "python", "-m", "build", "--no-isolation", "--wheel", "--outdir", place, self.unpacked(place)])
        self.assertEqual([path.name for path in place.glob("*.whl")], [PURE_WHEEL])
        self.succeeds([place / "shop/bin/pip", "install", "--no-index", place / PURE_WHEEL])
        said = self.succeeds([place / "shop/bin/python", "-c", "import appinitializers; print(appinitializers.version.__version__)"])
        self.assertEqual(said, f"{VERSION}\n")
        self.assertFalse((place / "shop/bin/initd").exists())

    def unpacked(self, place):
        shutil.unpack_archive(DIST / SDIST, place)
        return place / f"appinitializers-{VERSION}"

    def test_pipx_runs_it_without_installing(self):
        place = self.directory()
        shutil.copy(wheel(), place)
        variables = {"PATH": f"{TOOLS}:/usr/bin:/bin", "HOME": str(place), "PIPX_HOME": str(place / "pipx")}
        command = re.search(r"`(pipx run [^`]*)`", (ROOT / "INSTALL.md").read_text())[1].replace("x86_64", ARCHITECTURE)
        self.assertRegex(self.succeeds(["sh", "-euc", command], cwd=place, env=variables), rf"(?m)^{LINE}$")


if __name__ == "__main__":
    unittest.main()
