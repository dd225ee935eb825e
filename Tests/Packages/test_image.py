"""The container image: it is what the Dockerfile of Examples/container makes, it runs, and others are built from it, without an engine."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import unittest

import roots
from packages import DIST, IMAGE, LINE, VERSION, instructions, manifest
from roots import RootTests, made

import probes
from container import Container


def archive():
    """The files of the image's archive, by their names."""
    with tarfile.open(DIST / IMAGE) as file:
        return {each.name: file.extractfile(each).read() for each in file if each.isfile()}


class FileTests(unittest.TestCase):
    def setUp(self):
        self.files = archive()
        self.index = json.loads(self.files["index.json"])
        self.manifest = self.blob(self.index["manifests"][0])
        self.config = self.blob(self.manifest["config"])

    def blob(self, told):
        data = self.files["blobs/" + told["digest"].replace(":", "/")]
        self.assertEqual((hashlib.sha256(data).hexdigest(), len(data)), (told["digest"][7:], told["size"]))
        return json.loads(data)

    def test_its_settings_are_those_of_the_dockerfile(self):
        settings, dockerfile = self.config["config"], probes.IMAGE
        self.assertEqual(settings["User"], dockerfile.final.last("USER"))
        self.assertEqual(settings["Entrypoint"], dockerfile.entrypoint)
        self.assertEqual(settings["Healthcheck"]["Test"], ["CMD", "/initctl", "wait", "ready", "--timeout", "1s"])
        self.assertEqual(settings["Healthcheck"]["Test"], ["CMD", *dockerfile.health])
        options = dict(word[2:].split("=") for word in dockerfile.final.last("HEALTHCHECK").split() if word.startswith("--"))
        for option, name in (("interval", "Interval"), ("timeout", "Timeout"), ("start-period", "StartPeriod")):
            self.assertEqual(settings["Healthcheck"][name], probes.seconds(options[option]) * 10**9, option)
        environment = dict(each.split("=", 1) for each in settings["Env"])
        self.assertEqual({name: value for name, value in environment.items() if name != "PATH"}, dockerfile.environment)

    def test_its_layer_is_the_one_that_is_named(self):
        data = self.files["blobs/" + self.manifest["layers"][0]["digest"].replace(":", "/")]
        unpacked = subprocess.run(["gzip", "-dc"], input=data, check=True, capture_output=True).stdout
        self.assertEqual([f"sha256:{hashlib.sha256(unpacked).hexdigest()}"], self.config["rootfs"]["diff_ids"])
        earlier = json.loads(self.files["manifest.json"])
        self.assertEqual(earlier[0]["RepoTags"], [f"appinitializers:{VERSION}"])
        self.assertEqual(self.blob(self.manifest["config"]), json.loads(self.files[earlier[0]["Config"]]))


@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
class RunTests(RootTests):
    def unpacked(self):
        """Writes the contents of the image's layer to a directory."""
        files = archive()
        layer = json.loads(files["manifest.json"])[0]["Layers"][0]
        root = self.place() / "root"
        root.mkdir()
        with tarfile.open(fileobj=io.BytesIO(files[layer])) as contents:
            contents.extractall(root)
        return root

    def test_it_runs_as_a_container(self):
        root = self.unpacked()
        container = Container(probes.IMAGE, root, read_only=True, tmpfs=[f"/run:mode=0755,uid={probes.IMAGE.user}"])
        self.addCleanup(container.end)
        container.until_up()
        self.assertEqual(container.execute(probes.IMAGE.health).status, 0)
        self.assertEqual(container.stop(), 0)

    def test_it_prints_its_version(self):
        self.assertRegex(self.run_in(self.with_proc(self.unpacked()), "/initd", "--version"), rf"^{LINE}\n$")

    def with_proc(self, root):
        (root / "proc").mkdir()
        return root


@unittest.skipIf(roots.UNAVAILABLE, roots.UNAVAILABLE)
@unittest.skipUnless(shutil.which("buildah"), "buildah isn't installed")
class BuildTests(RootTests):
    """Builds with buildah, which needs no engine. Images of registries aren't here: the base is Debian's own Python and Node."""

    def setUp(self):
        self.storage = self.place()

    def buildah(self, *words):
        options = ["--root", str(self.storage / "images"), "--runroot", str(self.storage / "run"), "--storage-driver", "vfs"]
        environment = os.environ | {"BUILDAH_ISOLATION": "chroot", "TMPDIR": str(self.storage)}
        done = subprocess.run(["buildah", *options, *words], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"buildah {' '.join(words)}: {done.stderr}")
        return done.stdout.strip()

    def test_an_image_gets_it_with_two_lines(self):
        self.buildah("pull", f"docker-archive:{DIST / IMAGE}")
        base = self.buildah("from", "scratch")
        self.buildah("add", "--quiet", base, str(made("bookworm", "python3", "nodejs")), "/")
        self.buildah("commit", "--quiet", "--rm", base, "base")
        lines = instructions("image: beside")
        self.assertEqual(len(lines.splitlines()), 2)
        context = self.storage / "context"
        context.mkdir()
        (context / "init.yaml").write_text(manifest())
        (context / "Dockerfile").write_text(f"FROM base\nCOPY init.yaml /\n{lines}CMD [\"python3\", \"-c\", \"print('open')\"]\n")
        self.buildah("bud", "--quiet", "--tag", "shop", "--format", "docker", str(context))
        shop = self.buildah("from", "--pull-never", "shop")
        root = pathlib.Path(self.buildah("mount", shop))
        settings = json.loads(self.buildah("inspect", "--type", "image", "shop"))["Docker"]["config"]
        for app in (settings["Cmd"], ["node", "-e", "console.log('open')"], ["sh", "-c", "echo open"]):
            with self.subTest(app[0]):
                out = self.run_in(root, *settings["Entrypoint"], *app)
                self.assertRegex(out, r"(?m)^open$")
                self.assertIn("session", out)

    def test_the_tarball_is_an_image_from_scratch(self):
        from packages import TARBALL, ARCHITECTURE

        context = self.storage / "context"
        context.mkdir()
        shutil.copy(DIST / TARBALL, context)
        folder = f"/appinitializers-{VERSION}-linux-{ARCHITECTURE}"
        (context / "Dockerfile").write_text(f'FROM scratch\nADD {TARBALL} /\nENTRYPOINT ["{folder}/bin/initd"]\n')
        self.buildah("bud", "--quiet", "--tag", "small", str(context))
        small = self.buildah("from", "--pull-never", "small")
        root = pathlib.Path(self.buildah("mount", small))
        (root / "proc").mkdir()
        self.assertRegex(self.run_in(root, f"{folder}/bin/initd", "--version"), rf"^{LINE}\n$")


if __name__ == "__main__":
    unittest.main()
