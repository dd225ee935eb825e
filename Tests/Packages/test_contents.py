"""All packages: their checksums, their bill of materials, their licences, and that nothing names the machine that made them."""

import hashlib
import json
import re
import subprocess
import tarfile
import tempfile
import unittest

from packages import ARCHITECTURE, BUILD, DIST, ROOT, SBOM, TARBALL, VERSION

FOLDER = f"appinitializers-{VERSION}-linux-{ARCHITECTURE}"


def members():
    """The files of the tarball, by their names."""
    with tarfile.open(DIST / TARBALL) as archive:
        return {each.name.partition("/")[2]: archive.extractfile(each).read() for each in archive if each.isfile()}


class ContentTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = members()
        cls.document = json.loads((DIST / SBOM).read_text())

    def test_the_checksums_are_those_of_all_files(self):
        sums = dict(reversed(line.split("  ")) for line in (DIST / "SHA256SUMS").read_text().splitlines())
        found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DIST.iterdir() if path.name != "SHA256SUMS"}
        self.assertEqual(sums, found)

    def test_the_bill_of_materials_is_valid(self):
        done = subprocess.run([BUILD / "packaging/bin/pyspdxtools", "--infile", str(DIST / SBOM)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_it_describes_these_programs(self):
        self.assertEqual([each["fileName"] for each in self.document["files"]], ["./bin/initctl", "./bin/initd"])
        for each in self.document["files"]:
            data = self.files[each["fileName"].removeprefix("./")]
            self.assertIn({"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}, each["checksums"])

    def test_notice_names_all_that_is_linked_and_its_licence(self):
        notice = (ROOT / "NOTICE").read_text()
        words = " ".join(notice.split())
        linked = {each["relatedSpdxElement"] for each in self.document["relationships"] if each["relationshipType"] == "STATIC_LINK"}
        packages = [each for each in self.document["packages"] if each["SPDXID"] in linked]
        self.assertEqual(len(packages), 8)
        for each in packages:
            licence = each["licenseConcluded"].partition(" ")[0]
            known = {"glibc": "The GNU C library", "Swift runtime and standard library": "Swift's runtime and standard library"}
            row = words.partition(known.get(each["name"], each["name"]))[2]
            self.assertTrue(row and licence in row[:120], f"{each['name']}: {licence}")

    def test_the_licences_of_the_libraries_are_there(self):
        text = self.files["share/doc/appinitializers/LICENSES-OF-LIBRARIES.txt"].decode()
        for part in ("GNU LESSER GENERAL PUBLIC LICENSE", "GCC RUNTIME LIBRARY EXCEPTION", "The SwiftLog Project", "Runtime Library Exception", "libuv"):
            self.assertTrue(part.casefold() in text.casefold(), part)

    def test_nothing_names_the_folder_of_the_build(self):
        for name, data in self.files.items():
            self.assertFalse(str(ROOT).encode() + b"/" in data, name)

    def test_the_programs_are_static_and_stripped(self):
        for name in ("bin/initd", "bin/initctl"):
            with tempfile.NamedTemporaryFile() as file:
                file.write(self.files[name])
                file.flush()
                told = subprocess.run(["readelf", "--program-headers", "--sections", "--wide", file.name], check=True, capture_output=True).stdout
            self.assertIn(b"LOAD", told)
            self.assertNotIn(b"INTERP", told)
            self.assertNotIn(b".symtab", told, name)

    def test_the_manual_of_the_programs_has_the_version(self):
        self.assertRegex(self.files["share/man/man1/initd.1"].decode(), rf'(?m)^\.TH INITD 1 "" "initd {re.escape(VERSION)}" ')


if __name__ == "__main__":
    unittest.main()
