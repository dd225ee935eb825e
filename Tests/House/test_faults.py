from house import faults
from broken import HouseTests

LIST = "Tests/Faults/new.toml"
FILE = "Sources/InitWire/JSON/New.swift"
GOOD = """[new]
breaks = "It is broken."
file = "Sources/InitWire/JSON/New.swift"
before = "a < b"
after = "a <= b"
test = "InitWireTests.NewTests/order"
"""


class FaultsTests(HouseTests):
    rule = faults.findings
    CHANGED = {
        LIST: GOOD,
        FILE: "func f(_ a: Int, _ b: Int) -> Bool { a < b }\n",
        "Tests/InitWireTests/NewTests.swift": "struct NewTests {\n  @Test func order() {}\n}\n",
        "Tests/Conformance/test_new.py": "class NewTests(Conformance):\n    def test_order(self):\n",
    }

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])
        self.assertEqual(self.found(self.CHANGED), [])
        self.assertEqual(self.found({**self.CHANGED, LIST: GOOD.replace("InitWireTests.NewTests/order", "test_new.py test_order")}), [])

    def test_a_fault_that_applies_to_no_place_or_to_two_is_found(self):
        for count, text in [(0, "a > b"), (2, "a < b\na < b")]:
            self.refuses(f"new: cannot apply it: {FILE} has its `before` {count} times", {**self.CHANGED, FILE: text})

    def test_a_fault_of_a_missing_file_is_found(self):
        self.refuses("there is no Sources/Old.swift", {**self.CHANGED, LIST: GOOD.replace(FILE, "Sources/Old.swift")})

    def test_a_fault_that_changes_nothing_is_found(self):
        self.refuses("its `after` is its `before`", {**self.CHANGED, LIST: GOOD.replace("<=", "<")})

    def test_a_missing_test_is_found(self):
        for test in ["InitWireTests.NewTests/other", "InitWireTests.Other/order", "Other.NewTests/order", "order", "test_new.py test_other", "test_other.py test_order"]:
            with self.subTest(test):
                self.refuses(f"there is no test {test}", {**self.CHANGED, LIST: GOOD.replace("InitWireTests.NewTests/order", test)})

    def test_a_missing_or_unknown_member_is_found(self):
        for text in [GOOD.replace("breaks", "does"), GOOD + "why = 1\n", GOOD[: GOOD.index("test")]]:
            self.refuses("new must have exactly", {**self.CHANGED, LIST: text})

    def test_a_name_that_two_lists_have_is_found(self):
        self.refuses("two faults are named new", {**self.CHANGED, "Tests/Faults/other.toml": GOOD})

    def test_a_list_that_cannot_be_read_is_found(self):
        self.refuses(f"{LIST}: cannot read it", {**self.CHANGED, LIST: "[new"})
