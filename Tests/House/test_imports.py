from house import imports
from broken import HouseTests, depending

NEW = "Sources/InitCore/Words/New.swift"


class ImportsTests(HouseTests):
    rule = imports.findings

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_an_import_that_package_swift_does_not_list_is_found_in_whatever_form(self):
        for line in [
            "import Foundation",
            "@_spi(X) internal import Foundation",
            "@preconcurrency @_spi(X) import Foundation",
            "let x = 1; import Foundation",
            "#if os(Linux)\n  internal import struct Foundation.Data\n#endif",
            'let x = "//"; import Foundation',
            "/* x */ import Foundation",
            "internal\nimport\nFoundation",
        ]:
            with self.subTest(line):
                self.refuses("InitCore may not import Foundation", {NEW: line + "\n"})

    def test_a_string_or_comment_is_no_import(self):
        for line in ["// import Foundation", 'let x = "import Foundation"', '/* a /* b */ import Foundation */', 'let x = """\n  import Foundation\n  """']:
            with self.subTest(line):
                self.assertEqual(self.found({NEW: line + "\n"}), [])

    def test_a_product_that_shows_a_module_of_ours_is_found(self):
        self.refuses("shows InitCore", {"Sources/AppInitializers/New.swift": "@_spi(X) public import InitCore\n"})

    def test_a_module_that_is_exported_again_is_found(self):
        for line in ["@_exported public import InitWords", "@_exported\npublic import InitWords", "let x = 1; @_exported import InitWords"]:
            with self.subTest(line):
                self.refuses("InitCore exports a module again", {NEW: line + "\n"})

    def test_a_dependency_that_no_file_imports_is_found(self):
        self.refuses("InitCore depends on CommandLineOptions, and none", {}, depending("InitCore", "CommandLineOptions"))


class FloorsTests(HouseTests):
    rule = imports.floors

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_dependency_on_the_same_or_a_higher_floor_is_found(self):
        for name, other in [("InitCore", "Platform"), ("InitWire", "InitCore"), ("EventLoop", "InitSupervisor"), ("InitClient", "InitSupervisor")]:
            with self.subTest(name):
                self.refuses(f"{name} depends on {other}, which isn't on a lower floor", {}, depending(name, other))

    def test_a_module_that_decides_may_not_depend_on_one_that_acts(self):
        for name, other in [("InitManifest", "Platform"), ("InitTimeline", "CPlatform"), ("AppInitializers", "EventLoop")]:
            with self.subTest(name):
                self.refuses(f"{name} decides, and depends on {other}", {}, depending(name, other))

    def test_a_target_on_no_floor_is_found(self):
        package_of = depending("InitCore", "InitText")
        next(each for each in package_of["targets"] if each["name"] == "InitTimeline")["name"] = "InitNews"
        findings = self.found({}, package_of)
        self.assertIn("InitNews is on no floor", " ".join(findings))
        self.assertIn("InitTimeline is no target", " ".join(findings))
