from house import sizes
from broken import HouseTests


def lines(count):
    return "// a line\n" * count


class FilesTests(HouseTests):
    rule = sizes.files

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_file_that_is_too_long_is_found_in_each_language(self):
        for name, limit in [
            ("Sources/InitCore/Words/New.swift", 300),
            ("Sources/CPlatform/new.c", 300),
            ("Sources/CPlatform/include/new.h", 300),
            ("Tests/InitCoreTests/NewTests.swift", 600),
            ("Tests/Conformance/test_new.py", 600),
            ("clients/python/appinitializers/new.py", 600),
        ]:
            with self.subTest(name):
                self.assertEqual(self.found({name: lines(limit)}), [])
                self.refuses(f"{name}: {limit + 1} lines", {name: lines(limit + 1)})

    def test_a_script_without_a_suffix_that_is_too_long_is_found(self):
        self.refuses("Tests/Model/new: 601 lines", {"Tests/Model/new": "#!/usr/bin/env python3\n" + lines(600)})

    def test_an_exception_that_is_not_needed_is_found(self):
        self.refuses("Tests/Model/world.py isn't longer", {"Tests/Model/world.py": lines(10)})

    def test_a_folder_with_too_many_files_is_found(self):
        self.refuses("Sources/InitCore/New: 16 files", {f"Sources/InitCore/New/New{number}.swift": "" for number in range(16)})

    def test_an_unfinished_comment_is_found(self):
        self.refuses("an unfinished thought", {"Sources/CPlatform/new.c": "// TO" + "DO: free it\n"})


class TypesTests(HouseTests):
    rule = sizes.types
    FILE = "Sources/InitTimeline/New.swift"

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_type_that_is_too_long_with_its_extensions_is_found(self):
        halves = {self.FILE: "struct New {\n" + lines(198) + "}\n", "Sources/InitTimeline/New+more.swift": "extension New {\n" + lines(198) + "}\n"}
        self.assertEqual(self.found(halves), [])
        self.refuses("InitTimeline/New: 401 lines with its extensions, 400 allowed", {**halves, "Sources/InitTimeline/New+end.swift": "extension New {}\n"})

    def test_a_type_with_an_exception_may_not_grow_beyond_it(self):
        self.refuses("InitCore/Machine: ", {"Sources/InitCore/Machine/Machine+new.swift": "extension Machine {\n" + lines(200) + "}\n"})

    def test_a_type_with_too_many_stored_properties_is_found(self):
        twenty_five = "struct New {\n" + "  private(set) var x: [Int: (Int, String)] = [:]\n" * 25
        self.assertEqual(self.found({self.FILE: twenty_five + "}\n"}), [])
        for one in ["let x: Int", "@Lazy var x = 1", "lazy var x = { 1 }()", "var x = 1 { didSet { y() } }", "weak var x: X?", "var x:\n    Int"]:
            with self.subTest(one):
                self.refuses("InitTimeline/New: 26 stored properties", {self.FILE: f"{twenty_five}  {one}\n}}\n"})

    def test_several_stored_properties_in_one_declaration_count(self):
        for several in ["let x, y: Int", "let (x, y): (Int, Int)"]:
            with self.subTest(several):
                self.refuses("InitTimeline/New: 50 stored properties", {self.FILE: "final class New {\n" + f"  {several}\n" * 25 + "}\n"})

    def test_what_is_not_stored_does_not_count(self):
        for one in [
            "static let x = 1", "var x: Int { 1 }", "var x: Int\n  {\n    1\n  }", "func x() {\n    let x = 1\n  }", "struct X {\n    let x = 1\n  }",
            "var x: [Int] {\n    get { [] }\n    set {}\n  }",
        ]:
            with self.subTest(one):
                self.assertEqual(self.found({self.FILE: "struct New {\n" + f"  {one}\n" * 26 + "}\n"}), [])
