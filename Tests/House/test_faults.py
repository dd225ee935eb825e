import unittest

from broken import ROOT, package
from house import faults
from house.tree import Tree

LIST = "Tests/Faults/new.toml"
FILE = "Sources/InitWire/JSON/New.swift"
GOOD = "new = ['InitWire/JSON/New.swift', 'a < b', 'a <= b', 'InitWireTests.NewTests/order']\n"


class FaultsTests(unittest.TestCase):
    CHANGED = {
        LIST: GOOD,
        FILE: "func f(_ a: Int, _ b: Int) -> Bool { a < b }\n",
        "Tests/InitWireTests/NewTests.swift": "struct NewTests {\n  @Test func order() {}\n}\n",
        "Tests/Conformance/test_new.py": "class NewTests(Conformance):\n    def test_order(self):\n",
    }

    def problem(self, **changed):
        """Returns the problem of the fault `new`, with these texts instead."""
        tree = Tree(ROOT, {**self.CHANGED, **{LIST if name == "line" else FILE: text for name, text in changed.items()}}, package())
        return next(fault for fault in faults.read(tree) if fault.name == "new").problem(tree)

    def test_a_fault_is_one_line(self):
        self.assertIsNone(self.problem())
        self.assertIsNone(self.problem(line=GOOD.replace("InitWireTests.NewTests/order", "test_new.py test_order")))

    def test_a_fault_that_applies_to_no_place_or_to_two_is_found(self):
        for count, text in [(0, "a > b"), (2, "a < b\na < b")]:
            self.assertIn(f"it no longer applies: {FILE} has 'a < b' {count} times", self.problem(source=text))

    def test_a_fault_of_a_missing_file_is_found(self):
        self.assertIn("there is no Sources/InitWire/Old.swift", self.problem(line=GOOD.replace("JSON/New", "Old")))

    def test_a_fault_that_changes_nothing_is_found(self):
        self.assertIn("it changes nothing", self.problem(line=GOOD.replace("<=", "<")))

    def test_a_missing_test_is_found(self):
        for test in ["InitWireTests.NewTests/other", "InitWireTests.Other/order", "Other.NewTests/order", "order", "test_new.py test_other", "test_other.py test_order"]:
            with self.subTest(test):
                self.assertIn(f"there is no test {test}", self.problem(line=GOOD.replace("InitWireTests.NewTests/order", test)))

    def refuses(self, expected, lists):
        with self.assertRaises(ValueError) as raised:
            faults.read(Tree(ROOT, {**self.CHANGED, **lists}, package()))
        self.assertIn(expected, str(raised.exception))

    def test_a_line_without_its_four_texts_is_refused(self):
        for text in ["new = []\n", "new = 'a < b'\n", GOOD.replace("'a <= b'", "1"), GOOD.replace(", 'a <= b'", "")]:
            self.refuses(f"{LIST}: new must be four texts", {LIST: text})

    def test_a_name_that_two_lists_have_is_refused(self):
        self.refuses("two faults are named new", {"Tests/Faults/other.toml": GOOD})

    def test_a_list_that_cannot_be_read_is_refused(self):
        self.refuses(f"{LIST}: cannot read it", {LIST: "new = ["})
