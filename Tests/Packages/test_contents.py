"""All packages: their checksums, their bill of materials, their licences, and that nothing names the machine that made them."""

import hashlib
import json
import re
import subprocess
import tempfile
import unittest

from packages import BUILD, CORE, DIST, MADE, PROGRAMS, ROOT, VERSION, bill, for_each, tarball_files


class ContentTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.files = {package: tarball_files(package) for package in MADE}
        cls.documents = {package: json.loads((DIST / bill(package)).read_text()) for package in MADE}

    def linked(self, package):
        """The libraries that a bill of materials says are in the programs."""
        document = self.documents[package]
        found = {each["relatedSpdxElement"] for each in document["relationships"] if each["relationshipType"] == "STATIC_LINK"}
        return [each for each in document["packages"] if each["SPDXID"] in found]

    def test_the_checksums_are_those_of_all_files(self):
        sums = dict(reversed(line.split("  ")) for line in (DIST / "SHA256SUMS").read_text().splitlines())
        found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in DIST.iterdir() if path.name != "SHA256SUMS"}
        self.assertEqual(sums, found)

    def test_each_file_has_the_version_in_its_name(self):
        for path in DIST.iterdir():
            if path.name != "SHA256SUMS":
                self.assertRegex(path.name, rf"^appinitializers(-web|-fleet)?[-_]{re.escape(VERSION)}[-_.]")

    @for_each(MADE)
    def test_the_bill_of_materials_is_valid(self, package):
        done = subprocess.run([BUILD / "packaging/bin/pyspdxtools", "--infile", str(DIST / bill(package))], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @for_each(MADE)
    def test_it_describes_these_programs(self, package):
        described = self.documents[package]["files"]
        self.assertEqual([each["fileName"] for each in described], [f"./bin/{program}" for program in PROGRAMS[package]])
        for each in described:
            data = self.files[package][each["fileName"].removeprefix("./")]
            self.assertIn({"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}, each["checksums"])

    def test_notice_names_all_that_is_linked_and_its_licence(self):
        words = " ".join((ROOT / "NOTICE").read_text().split())
        linked = self.linked(CORE)
        self.assertEqual(len(linked), 8)
        for each in linked:
            licence = each["licenseConcluded"].partition(" ")[0]
            known = {"glibc": "The GNU C library", "Swift runtime and standard library": "Swift's runtime and standard library"}
            row = words.partition(known.get(each["name"], each["name"]))[2]
            self.assertTrue(row and licence in row[:120], f"{each['name']}: {licence}")

    @for_each(MADE)
    def test_the_licence_of_each_library_is_there(self, package):
        text = self.files[package][f"share/doc/{package}/LICENSES-OF-LIBRARIES.txt"].decode()
        linked = self.linked(package)
        self.assertTrue(linked)
        for each in linked:
            self.assertRegex(text, rf"(?m)^{re.escape(each['name'])}: (.*LICEN[SC]E|copyright)")

    def test_the_licences_of_the_core_are_whole(self):
        text = self.files[CORE][f"share/doc/{CORE}/LICENSES-OF-LIBRARIES.txt"].decode()
        for part in ("GNU LESSER GENERAL PUBLIC LICENSE", "GCC RUNTIME LIBRARY EXCEPTION", "The SwiftLog Project", "Runtime Library Exception", "libuv"):
            self.assertTrue(part.casefold() in text.casefold(), part)

    @for_each(MADE)
    def test_nothing_names_the_folder_of_the_build(self, package):
        for name, data in self.files[package].items():
            self.assertFalse(str(ROOT).encode() + b"/" in data, name)

    @for_each(MADE)
    def test_the_programs_are_stripped_and_those_of_the_core_are_static(self, package):
        for program in PROGRAMS[package]:
            with tempfile.NamedTemporaryFile() as file:
                file.write(self.files[package][f"bin/{program}"])
                file.flush()
                told = subprocess.run(["readelf", "--program-headers", "--sections", "--wide", file.name], check=True, capture_output=True).stdout
            self.assertIn(b"LOAD", told)
            self.assertEqual(b"INTERP" in told, package != CORE)
            self.assertNotIn(b".symtab", told, program)

    @for_each(MADE)
    def test_the_manual_of_each_program_has_the_version(self, package):
        for program in PROGRAMS[package]:
            page = self.files[package][f"share/man/man1/{program}.1"].decode()
            self.assertRegex(page, rf'(?m)^\.TH {program.upper()} 1 "" "{program} {re.escape(VERSION)}" ')

    @for_each(MADE)
    def test_each_program_has_completions(self, package):
        for program in PROGRAMS[package]:
            for name in (f"bash-completion/completions/{program}", f"fish/vendor_completions.d/{program}.fish"):
                self.assertIn(f"share/{name}", self.files[package])
        # One function of zsh completes both programs of the core.
        self.assertIn(f"share/zsh/site-functions/_{PROGRAMS[package][0]}", self.files[package])


if __name__ == "__main__":
    unittest.main()
