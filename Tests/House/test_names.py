from house import glossary, names
from broken import HouseTests

NEW = "Sources/Libuv/New.swift"
PAGE = "ARCHITECTURE.md"


class GlossaryTests(HouseTests):
    rule = glossary.findings

    def row(self, old, new):
        """The page with a row, or a part of one, replaced."""
        text = self.text(PAGE)
        self.assertEqual(text.count(old), 1, old)
        return {PAGE: text.replace(old, new)}

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_second_type_of_a_word_is_found_however_it_is_declared(self):
        for declaration in [
            "struct Event {}",
            "public final class Event {}",
            "@frozen public enum Event {}",
            "private struct Event {}",
            "enum Other {\n  fileprivate indirect enum Event {}\n}",
            "typealias Event = Int",
            "extension Loop {\n  @available(*, deprecated) package actor Event {}\n}",
            "struct Effects {}",
            "struct Passes {}",
            "struct KeptProcess {}",
            "struct Turns {}",
            "protocol Attempt {}",
        ]:
            with self.subTest(declaration):
                self.refuses(f"{NEW}:", {NEW: declaration + "\n"})

    def test_a_second_type_in_the_module_of_the_first_is_found(self):
        self.refuses("InitCore.Run is declared a second time", {"Sources/InitCore/Words/New.swift": "enum Other {\n  struct Run {}\n}\n"})

    def test_an_exception_holds_once(self):
        self.refuses('the word "event"', {NEW: "struct Other {\n  struct Events {}\n}\n"})

    def test_a_string_comment_member_or_other_name_declares_no_type(self):
        text = '// struct Event {}\nlet x = "struct Event {}"\nstruct EventLine {}\nenum New { case event }\nextension Event {}\nclass func event() {}\n'
        self.assertEqual(self.found({NEW: text}), [])

    def test_a_word_with_two_rows_is_found(self):
        row = "| event | an input of the machine | `InitCore.Event` |\n"
        self.refuses('"event" has two rows', self.row(row, row + "| Event | a message to subscribers | `InitCore.Event` |\n"))

    def test_a_word_with_two_meanings_is_found(self):
        for more in ["; in the protocol, a notification", "; or a notification", ", and also a notification"]:
            with self.subTest(more):
                self.refuses('"event" has two meanings', self.row("| an input of the machine |", f"| an input of the machine{more} |"))

    def test_two_words_with_one_meaning_are_found(self):
        row = "| event | an input of the machine | `InitCore.Event` |\n"
        self.refuses('"incident" and "event" have the same meaning', self.row(row, row + "| incident | an input of the machine | — |\n"))

    def test_a_type_that_is_not_where_the_glossary_says_is_found(self):
        findings = self.found(self.row("`InitCore.Event`", "`InitWire.Event`"))
        self.assertIn("to InitWire.Event, which isn't declared there", findings[0])

    def test_a_glossary_without_its_table_is_found(self):
        self.refuses("must be a table", self.row("| word | meaning | type |", "| word | meaning |"))


class SameNameTests(HouseTests):
    rule = names.findings

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_types_of_two_modules_with_the_same_name_are_found(self):
        for declaration in ["struct Machine {}", "@frozen public struct Machine {}", "private class Machine {}", "typealias Machine = Int"]:
            with self.subTest(declaration):
                self.refuses("two types are named Machine", {NEW: declaration + "\n"})
