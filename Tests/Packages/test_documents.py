"""The documents and examples in the tarballs, Debian packages and the image: all are there, and each link leads to a file."""

import os
import pathlib
import re
import subprocess
import unittest

from packages import CORE, MADE, ROOT, VERSION, deb_files, image_files, tarball_files, tarball_modes

LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)|(?:src|srcset)=\"([^\"]+)\"")
OWN = {"Examples/web": "appinitializers-web", "Examples/fleet": "appinitializers-fleet"}
"""The examples that are in a package of their own."""


def committed(folder):
    """The files of a folder of the repository, without what is only for git."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, check=True, capture_output=True, text=True)
    return {name for name in listed.stdout.splitlines() if not name.endswith("/.gitignore")}


def documents():
    """For each package and form of it, the documents by their names in its folder of documents."""
    for package in MADE:
        for form, files in (("tarball", tarball_files(package)), ("deb", deb_files(package)), *([("image", image_files())] if package == CORE else [])):
            folder = f"share/doc/{package}/"
            yield package, form, {name.partition(folder)[2]: data for name, data in files.items() if folder in name}


class DocumentTests(unittest.TestCase):
    def test_all_are_there(self):
        examples = committed("Examples")
        self.assertTrue(all(any(name.startswith(f"{folder}/") for name in examples) for folder in OWN))
        for package, form, found in documents():
            with self.subTest(f"{form} of {package}"):
                expected = {"README.md", "CHANGELOG.md", "LICENSES-OF-LIBRARIES.txt", "NOTICE", f"{package}.spdx.json", "copyright" if form == "deb" else "LICENSE"}
                if package == CORE:
                    expected |= {"INSTALL.md", "SECURITY.md", "clients/PROTOCOL.md", "examples/init.yaml", *committed("docs")}
                    expected |= {f"examples/{name[9:]}" for name in examples if not name.startswith(tuple(f"{folder}/" for folder in OWN))}
                else:
                    folder = next(folder for folder, owner in OWN.items() if owner == package)
                    # The first page of the example is that of the package.
                    expected |= {f"examples{name.removeprefix(folder)}" for name in examples if name.startswith(f"{folder}/") and name != f"{folder}/README.md"}
                self.assertEqual(expected - found.keys(), set())

    def test_each_link_leads_to_a_file(self):
        for package, form, found in documents():
            with self.subTest(f"{form} of {package}"):
                folders = {str(each) for name in found for each in pathlib.PurePath(name).parents}
                tried = 0
                for name in (name for name in found if name.endswith(".md")):
                    for target in (one or two for one, two in LINK.findall(found[name].decode())):
                        address = re.match(rf"https://github\.com/[\w.-]+/[\w.-]+/(?:blob|tree)/v{re.escape(VERSION)}/(.*)", target)
                        if address:
                            self.assertTrue((ROOT / address[1]).exists(), f"{name}: {target}")
                        elif "://" not in target:
                            self.assertIn(os.path.normpath(os.path.join(os.path.dirname(name), target)), found.keys() | folders, f"{name}: {target}")
                        tried += 1
                self.assertGreater(tried, 5)

    def test_examples_that_are_programs_can_be_run(self):
        modes = subprocess.run(["git", "ls-files", "--stage", "Examples"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        programs = {line.partition("\t")[2].removeprefix("Examples/") for line in modes.splitlines() if line.startswith("100755")}
        self.assertTrue(programs)
        for package in MADE:
            for name, mode in tarball_modes(package).items():
                _, inside, example = name.partition("/examples/")
                if inside:
                    folder = package.removeprefix(f"{CORE}-") + "/" if package != CORE else ""
                    self.assertEqual(mode, 0o755 if folder + example in programs else 0o644, name)


if __name__ == "__main__":
    unittest.main()
