from house import searches
from broken import HouseTests

NEW = "Sources/InitCore/Words/New.swift"


class SearchesTests(HouseTests):
    rule = searches.findings

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_search_for_a_string_is_found(self):
        for line in [
            'let x = text.replacing("a", with: "b")',
            "let x = text.replacing(\n  name(of: y), with: z)",
            "if let range = text.firstRange(of: other) {}",
            "for range in text.ranges(of: other) {}",
            "if ranges(of: other).isEmpty {}",
            "let x = text.trimmingPrefix(other)",
        ]:
            with self.subTest(line):
                self.refuses("New.swift:1: links regular expressions", {NEW: line + "\n"})

    def test_a_function_of_the_same_name_is_none(self):
        self.assertEqual(self.found({NEW: 'let x = node.replacing("path") { $0.with(.empty) }\nlet y = text.replacing(each: a, by: b)\n'}), [])
