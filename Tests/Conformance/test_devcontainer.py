"""Examples/devcontainer: the feature installs the programs, and the two commands run what is theirs."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Docs"))

from deadlines import until
from markdown import Document
from portblock import PortBlock
from release import Release
from supervisor import INITCTL, INITD, ROOT, Conformance, is_running
from test_project import ProjectCase

FOLDER = pathlib.Path(ROOT, "Examples/devcontainer")
FEATURE = ".devcontainer/appinitializers"
LONG = 120
"""The maximum time for a command, in seconds."""


class FeatureTests(Conformance):
    """The files of the feature, and `install.sh` in a scratch directory."""

    def setUp(self):
        super().setUp()
        self.feature = os.path.join(self.directory(), "appinitializers")
        shutil.copytree(FOLDER / FEATURE, self.feature)
        self.prefix = os.path.join(self.directory(), "usr/local")

    def install(self, package, status=0, **variables):
        """Runs `install.sh` in another directory, with the variables of its options."""
        env = {"PACKAGE": package, "PREFIX": self.prefix, "SHA256": ""} | variables
        finished = self.program([os.path.join(self.feature, "install.sh")], cwd="/", env=env).finish(LONG)
        return self.assertStatus(finished, status)

    def assertInstalled(self, directory):
        for name in ("initd", "initctl"):
            version = subprocess.run([os.path.join(directory, name), "--version"], capture_output=True, check=True, text=True).stdout
            self.assertTrue(version.startswith(f"{name} "), version)

    def assertRefused(self, why, *words, **options):
        """An error that names the reason; nothing is installed."""
        finished = self.install(*words, status=1, **options)
        self.assertRegex(finished.err.splitlines()[-1], f"^appinitializers: .*{why}")
        self.assertFalse(os.path.exists(self.prefix), finished)

    def release(self):
        return Release(self.directory(), initd=INITD, initctl=INITCTL)

    def test_a_tarball_beside_it(self):
        shutil.copy(self.release().tarball(), os.path.join(self.feature, "own.tgz"))
        finished = self.install("own.tgz")
        self.assertInstalled(os.path.join(self.prefix, "bin"))
        self.assertTrue(os.path.exists(os.path.join(self.prefix, "share/doc/appinitializers")))
        self.assertRegex(finished.out, r"installing own\.tgz in .*\n.* installed initctl \d+\.\d+\.\d+ \(.*\) in ")

    def test_a_tarball_of_a_URL_with_a_checksum(self):
        tarball = self.release().tarball()
        with open(tarball, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        self.assertRefused("the checksum of .* isn't", f"file://{tarball}", SHA256=digest[1:] + digest[0])
        finished = self.install(f"file://{tarball}?download=1", SHA256=digest)
        self.assertInstalled(os.path.join(self.prefix, "bin"))
        self.assertIn("the checksum is correct", finished.out)

    def test_a_debian_package(self):
        # With this variable, dpkg works in another root.
        root = self.directory()
        os.makedirs(os.path.join(root, "var/lib/dpkg/updates"))
        os.mkdir(os.path.join(root, "var/lib/dpkg/info"))
        pathlib.Path(root, "var/lib/dpkg/status").touch()
        self.install(self.release().deb(), DPKG_ROOT=root, DPKG_FORCE="not-root")
        self.assertInstalled(os.path.join(root, "usr/bin"))

    def test_it_needs_only_a_POSIX_shell(self):
        shells = [shell for shell in (["dash"], ["busybox", "sh"]) if shutil.which(shell[0])]
        self.assertTrue(shells)
        tarball = self.release().tarball()
        for shell in shells:
            with self.subTest(shell):
                shutil.rmtree(self.prefix, ignore_errors=True)
                script = os.path.join(self.feature, "install.sh")
                self.assertStatus(self.program([*shell, script], env={"PACKAGE": tarball, "PREFIX": self.prefix}).finish(LONG), 0)
                self.assertInstalled(os.path.join(self.prefix, "bin"))

    def test_mistakes_are_named_with_the_remedy(self):
        self.assertRefused('no package is given; set the option "package"', "")
        self.assertRefused("there is no file /.*/appinitializers/gone.tar.gz; copy the package there", "gone.tar.gz")
        self.assertRefused("cannot download file:///gone.tar.gz; correct the URL", "file:///gone.tar.gz")
        self.write(os.path.join(self.feature, "own.zip"), "")
        self.assertRefused("own.zip is neither a tarball", "own.zip")
        self.write(os.path.join(self.feature, "cut.tar.gz"), "cut")
        self.assertRefused("cannot unpack cut.tar.gz", "cut.tar.gz")
        subprocess.run(["tar", "-czf", "other.tar.gz", "install.sh"], cwd=self.feature, check=True)
        self.assertRefused("other.tar.gz has no bin/initctl", "other.tar.gz")

    def test_programs_for_another_machine_are_not_installed(self):
        release = self.release()
        (release.stage / "bin/initctl").write_text("\x7fELF")
        self.assertRefused("initctl doesn't run here: see above; give the tarball for ", release.tarball())

    def test_its_members_are_those_of_the_schema(self):
        """What https://github.com/devcontainers/spec requires: schemas/devContainerFeature.schema.json, and for a feature in a project's
        own folder docs/specs/devcontainer-features-distribution.md, "Locally referenced Features"."""
        feature = json.loads((FOLDER / FEATURE / "devcontainer-feature.json").read_text())
        self.assertLessEqual({"id", "version"}, feature.keys())
        self.assertLessEqual(feature.keys(), {"id", "version", "name", "description", "documentationURL", "licenseURL", "options"})
        self.assertRegex(feature["version"], r"^\d+\.\d+\.\d+$")
        for name, option in feature["options"].items():
            self.assertLessEqual({"type", "default"}, option.keys(), name)
            self.assertLessEqual(option.keys(), {"type", "default", "description", "proposals"}, name)
            self.assertEqual((option["type"], type(option["default"])), ("string", str), name)
            # The script gets each option in a variable of this name.
            self.assertIn(f"{{{name.upper()}", (FOLDER / FEATURE / "install.sh").read_text())
        self.assertEqual(feature["id"], os.path.basename(FEATURE))
        self.assertTrue(os.access(FOLDER / FEATURE / "install.sh", os.X_OK))
        self.assertEqual((FOLDER / FEATURE).parent.name, ".devcontainer")

    def test_the_container_uses_it_with_options_that_it_has(self):
        """schemas/devContainer.base.schema.json of the same repository: a container needs an image, and a feature's options are members."""
        container = json.loads((FOLDER / ".devcontainer/devcontainer.json").read_text())
        feature = json.loads((FOLDER / FEATURE / "devcontainer-feature.json").read_text())
        self.assertEqual(container.keys(), {"name", "image", "features", "postCreateCommand", "postStartCommand", "forwardPorts"})
        ((place, options),) = container["features"].items()
        self.assertEqual(place, f"./{feature['id']}")
        self.assertLessEqual(options.keys(), feature["options"].keys())
        for command in ("postCreateCommand", "postStartCommand"):
            self.assertIsInstance(container[command], str)
        self.assertEqual([type(port) for port in container["forwardPorts"]], [int])


class ContainerTests(ProjectCase):
    """A container of the sample project: created, started, stopped, started."""

    def setUp(self):
        super().setUp()
        shutil.copytree(FOLDER, self.folder, dirs_exist_ok=True)
        self.container = json.loads(self.contents(self.file(".devcontainer/devcontainer.json")))
        self.install()
        # Another program of this machine may have the port.
        block = PortBlock()
        self.addCleanup(block.close)
        (self.port,) = self.container["forwardPorts"]
        text = self.contents(self.file("init.yaml"))
        self.assertIn(f"{{ web: {self.port} }}", text)
        self.put("init.yaml", text.replace(f"{{ web: {self.port} }}", f"{{ web: {block.first} }}"))
        self.addCleanup(self.end_background, self.folder, [])

    def install(self):
        """Copies the package as the page says, and runs `install.sh` with the container's options."""
        tarball = Release(self.directory(), initd=INITD, initctl=INITCTL).tarball()
        os.rename(tarball, self.file(os.path.basename(tarball)))
        (copy,) = [each.text for each in Document(FOLDER / "README.md").blocks() if each.language == "sh"]
        self.assertStatus(self.program(["bash", "-e", "-c", copy], cwd=self.folder).finish(LONG), 0)
        (options,) = self.container["features"].values()
        prefix = self.directory()
        env = {name.upper(): value for name, value in options.items()} | {"PREFIX": prefix}
        self.assertStatus(self.program(["./install.sh"], cwd=self.file(FEATURE), env=env).finish(LONG), 0)
        self.environment["PATH"] = f"{prefix}/bin:{os.environ['PATH']}"

    def command(self, name, status=0):
        """Runs a command of the container as its tool does: with a shell, in the project's folder."""
        program = self.program(["sh", "-c", self.container[name]], cwd=self.folder, env=self.environment)
        return self.assertStatus(program.finish(LONG), status)

    def ran(self):
        """What this supervisor has run."""
        return {each["name"] for each in self.status()["initializers"] if "run" in each}

    def stop(self, of_the_machine):
        """Ends everything as the end of a container does. After a boot of the machine, the records that count for one boot are missing."""
        (pid,) = self.background()
        processes = [each["pid"] for each in self.status()["processes"]]
        os.kill(pid, signal.SIGKILL)
        until(lambda: not any(map(is_running, [pid, *processes])), "the end of the processes")
        if of_the_machine:
            os.remove(self.file(".initd/launched"))

    def test_what_runs_when_it_is_created_and_at_each_start(self):
        self.command("postCreateCommand")
        self.assertEqual((self.ran(), self.status()["lifecycle"]), ({"database", "web"}, "inactive"))
        created = self.status()["pid"]
        self.command("postStartCommand")
        self.assertEqual((self.ran(), self.status()["pid"]), ({"database", "web", "reminders"}, created))
        self.assertIn("water the plants", self.assertStatus(self.ctl("logs", "reminders"), 0).out)
        for of_the_machine in (False, True):
            with self.subTest(of_the_machine=of_the_machine):
                self.stop(of_the_machine)
                self.command("postStartCommand")
                self.assertEqual(self.ran(), {"web", "reminders"})
                self.assertIn("water the plants", self.assertStatus(self.ctl("logs", "reminders"), 0).out)
        self.assertNotEqual(self.status()["pid"], created)

    def test_a_changed_schema_makes_the_database_again_at_the_next_start(self):
        self.command("postCreateCommand")
        self.put("schema.sql", self.contents(self.file("schema.sql")).replace("water the plants", "feed the cat"))
        self.stop(of_the_machine=True)
        self.command("postStartCommand")
        self.assertIn("database", self.ran())
        self.assertIn("feed the cat", self.assertStatus(self.ctl("logs", "reminders"), 0).out)

    def test_a_failure_is_explained_and_is_the_status(self):
        self.put("schema.sql", "nonsense\n")
        self.assertRegex(self.command("postCreateCommand", status=1).err, "(?s)database failed .*: exit status 1.*syntax error")

    def test_the_page_shows_the_commands(self):
        (shown,) = [each.text for each in Document(FOLDER / "README.md").blocks() if each.language == "json"]
        commands = json.loads("{" + shown.strip().rstrip(",") + "}")
        self.assertEqual(commands, {name: self.container[name] for name in ("postCreateCommand", "postStartCommand")})


if __name__ == "__main__":
    unittest.main()
