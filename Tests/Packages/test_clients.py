"""The packages of the clients in Node, Rust and Go: each installs into an empty project from its file, and the worker of its README runs."""

import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

from packages import ARCHITECTURE, BUILD, CRATE, DIST, GO, NPM, ROOT, TARBALL, VERSION, instructions

LICENCE = (ROOT / "LICENSE").read_bytes()
MODULE = (ROOT / "clients/go/go.mod").read_text().split()[1]


def example(client, language):
    """The first worker of a client's README."""
    text = (ROOT / "clients" / client / "README.md").read_text()
    found = re.findall(rf"```{language}[a-z_,]*\n(.*?)```", text, re.S)
    return next(block for block in found if "/tmp/shop.sock" in block)


def removal(program):
    """The command of INSTALL.md that removes a client."""
    return re.search(rf"`({program} [^`]*(?:remove|uninstall|@none)[^`]*)`", (ROOT / "INSTALL.md").read_text())[1]


class ClientTests(unittest.TestCase):
    def setUp(self):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="packages-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.place)
        with tarfile.open(DIST / TARBALL) as archive:
            archive.extractall(self.place / "programs")
        programs = self.place / f"programs/appinitializers-{VERSION}-linux-{ARCHITECTURE}/bin"
        self.project = self.place / "project"
        self.project.mkdir()
        self.socket = self.place / "initd.sock"
        caches = {"CARGO_TARGET_DIR": str(BUILD / "packages-rust"), "GOFLAGS": "-mod=mod", "GOPROXY": "off", "npm_config_cache": str(self.place / "npm")}
        self.environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "INITD_SOCKET": str(self.socket)} | caches

    def shell(self, text, **options):
        done = subprocess.run(
            ["bash", "-euc", text], cwd=self.project, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
        self.assertEqual(done.returncode, 0, f"{text}\n{done.stdout}")
        return done.stdout

    def works(self, command):
        """Runs a worker that provides `favorites`, until it has run."""
        self.shell(f"""
            initd --activate --log-level warning &
            trap 'kill $worker || true; initctl shutdown || true; wait' EXIT
            worker=
            initctl wait launch --connect-timeout 5s
            {command} &
            worker=$!
            initctl wait favorites --appear --timeout 30s
        """)

    def example(self, client, language, file):
        (self.project / file).write_text(example(client, language).replace("/tmp/shop.sock", str(self.socket)))

    def test_node(self):
        shutil.copy(DIST / NPM, self.project)
        with tarfile.open(DIST / NPM) as archive:
            names = set(archive.getnames())
            self.assertEqual(archive.extractfile("package/LICENSE").read(), LICENCE)
        self.assertEqual({name.split("/")[1] for name in names}, {"LICENSE", "README.md", "package.json", "lib", "types"})
        self.shell("npm init -y >/dev/null\n" + instructions("clients: node"))
        self.example("node", "js", "shelf.mjs")
        self.works("node shelf.mjs")
        self.shell(removal("npm"))
        self.assertEqual(list((self.project / "node_modules").glob("app*")), [])

    def test_rust(self):
        shutil.copy(DIST / CRATE, self.project.parent)
        with tarfile.open(DIST / CRATE) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
            self.assertEqual(archive.extractfile(f"appinitializers-{VERSION}/LICENSE").read(), LICENCE)
        self.assertLessEqual({"Cargo.toml", "README.md", "src/lib.rs"}, names)
        self.assertEqual({name for name in names if name.startswith(("conformance", "target", ".git"))}, set())
        shutil.copy(DIST / CRATE, self.project)
        unpack, add = instructions("clients: rust").splitlines()
        crates = f"--offline --config {ROOT}/scripts/crates.toml" if pathlib.Path("/usr/share/cargo/registry").is_dir() else ""
        self.shell(f"cargo init --quiet --vcs none --name shelf\n{unpack}\n{add} {crates}")
        self.example("rust", "rust", "src/main.rs")
        self.shell(f"cargo build --quiet {crates}")
        self.works(self.environment["CARGO_TARGET_DIR"] + "/debug/shelf")
        self.shell(f"{removal('cargo')} {crates}")
        self.assertNotIn("appinitializers", (self.project / "Cargo.toml").read_text())

    def test_go(self):
        folder = f"appinitializers-{VERSION}-go"
        with tarfile.open(DIST / GO) as archive:
            self.assertEqual({name.partition("/")[0] for name in archive.getnames()}, {folder})
            self.assertEqual(archive.extractfile(f"{folder}/LICENSE").read(), LICENCE)
        shutil.copy(DIST / GO, self.project)
        self.shell("go mod init shop.example/shelf 2>/dev/null\n" + instructions("clients: go archive"))
        self.assertEqual(self.shell(f"go list -m {MODULE}").split()[0], MODULE)
        self.example("go", "go", "main.go")
        self.shell(f"go build -o shelf . && go vet {MODULE}")
        self.works("./shelf")
        self.shell("rm main.go\n" + removal("go"))
        self.assertNotIn("require", (self.project / "go.mod").read_text())

    def test_go_fetches_the_module_of_a_tag(self):
        # git finds the repository's address here, with the tag that make release names.
        address = "https://" + MODULE.removesuffix("/clients/go")
        subprocess.run(["git", "clone", "--quiet", "--bare", ROOT, self.place / "repository"], check=True)
        subprocess.run(["git", "tag", f"clients/go/v{VERSION}"], cwd=self.place / "repository", check=True)
        (self.place / "gitconfig").write_text(f'[url "file://{self.place}/repository"]\ninsteadOf = {address}\n')
        self.environment |= {"GIT_CONFIG_GLOBAL": str(self.place / "gitconfig"), "GOPATH": str(self.place / "go"), "GOPROXY": "direct", "GOSUMDB": "off"}
        self.addCleanup(self.shell, "go clean -modcache")
        self.shell("go mod init shop.example/shelf 2>/dev/null\n" + instructions("clients: go"))
        self.assertEqual(self.shell(f"go list -m {MODULE}"), f"{MODULE} v{VERSION}\n")
        self.example("go", "go", "main.go")
        self.shell("go build -o shelf .")
        module = pathlib.Path(self.shell(f"go list -m -f '{{{{.Dir}}}}' {MODULE}").strip())
        self.assertEqual((module / "LICENSE").read_bytes(), LICENCE)


if __name__ == "__main__":
    unittest.main()
