from house import sizes
from broken import HouseTests


def lines(count):
    return "// a line\n" * count


class UnfinishedTests(HouseTests):
    rule = sizes.unfinished

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_an_unfinished_comment_is_found(self):
        self.refuses("an unfinished thought", {"Sources/CPlatform/new.c": "// TO" + "DO: free it\n"})


class WarningTests(HouseTests):
    rule = sizes.warnings
    FILE = "Sources/InitTimeline/New.swift"

    def warned(self, changed):
        """The warnings about the new type or file."""
        return [each for each in self.found(changed) if "New" in each or "new" in each]

    def test_a_long_file_is_a_warning_in_each_language(self):
        for name in ["Sources/InitCore/Words/New.swift", "Sources/CPlatform/new.c", "Sources/CPlatform/include/new.h"]:
            with self.subTest(name):
                self.assertEqual(self.warned({name: lines(500)}), [])
                self.assertEqual(self.warned({name: lines(501)}), [f"{name}: 501 lines"])

    def test_a_long_type_is_a_warning_with_its_extensions(self):
        halves = {self.FILE: "struct New {\n" + lines(248) + "}\n", "Sources/InitTimeline/New+more.swift": "extension New {\n" + lines(248) + "}\n"}
        self.assertEqual(self.warned(halves), [])
        more = {**halves, "Sources/InitTimeline/New+end.swift": "extension New {}\n"}
        self.assertEqual(self.warned(more), ["InitTimeline/New: 501 lines with its extensions"])

    def test_many_stored_properties_are_a_warning(self):
        twelve = "struct New {\n" + "  private(set) var x: [Int: (Int, String)] = [:]\n" * 12
        self.assertEqual(self.warned({self.FILE: twelve + "}\n"}), [])
        for one in ["let x: Int", "@Lazy var x = 1", "lazy var x = { 1 }()", "var x = 1 { didSet { y() } }", "weak var x: X?", "var x:\n    Int"]:
            with self.subTest(one):
                self.assertEqual(self.warned({self.FILE: f"{twelve}  {one}\n}}\n"}), ["InitTimeline/New: 13 stored properties"])

    def test_several_stored_properties_in_one_declaration_count(self):
        for several in ["let x, y: Int", "let (x, y): (Int, Int)"]:
            with self.subTest(several):
                found = self.warned({self.FILE: "final class New {\n" + f"  {several}\n" * 12 + "}\n"})
                self.assertEqual(found, ["InitTimeline/New: 24 stored properties"])

    def test_what_is_not_stored_does_not_count(self):
        for one in [
            "static let x = 1", "var x: Int { 1 }", "var x: Int\n  {\n    1\n  }", "func x() {\n    let x = 1\n  }", "struct X {\n    let x = 1\n  }",
            "var x: [Int] {\n    get { [] }\n    set {}\n  }",
        ]:
            with self.subTest(one):
                self.assertEqual(self.warned({self.FILE: "struct New {\n" + f"  {one}\n" * 13 + "}\n"}), [])
