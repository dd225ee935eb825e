from house import trust
from broken import HouseTests

NEW = "Sources/InitCore/Words/New.swift"


class TrustTests(HouseTests):
    rule = trust.findings

    def test_nothing_is_found(self):
        self.assertEqual(self.found({}), [])

    def test_a_declaration_that_the_compiler_cannot_check_is_found_in_whatever_form(self):
        for line in [
            "final class X: @unchecked Sendable {}",
            "final class X: @unchecked  Sendable {}",
            "final class X: @unchecked\n  Sendable {}",
            'let x = "http://"; nonisolated(unsafe) var y = 1',
            "nonisolated (unsafe) var y = 1",
            "unowned(unsafe) let x: X",
            "let x = Unmanaged.passRetained(y)",
            "let x = unsafeBitCast(y, to: Int.self)",
            "let x = unsafeDowncast(y, to: X.self)",
            'let x = "a \\(unsafeBitCast(y, to: Int.self)) b"',
        ]:
            with self.subTest(line):
                self.refuses("0 of its kind allowed here", {NEW: line + "\n"})

    def test_a_string_or_comment_declares_nothing(self):
        self.assertEqual(self.found({NEW: '// @unchecked Sendable\nlet x = "Unmanaged \\("Unmanaged") Unmanaged"\nlet y = #"\\(Unmanaged)"#\n'}), [])

    def test_one_more_in_a_file_on_the_list_is_found(self):
        name = "Sources/EventLoop/Loop/Loop.swift"
        self.refuses("3 of its kind allowed here", {name: self.text(name) + "let x = Unmanaged.passRetained(y)\n"})

    def test_a_list_that_allows_more_than_there_is_is_found(self):
        name = "Sources/Platform/Threads/WakeUps.swift"
        self.refuses("Platform/WakeUps.swift trusts in 0 places, and may in 1", {name: self.text(name).replace("@unchecked Sendable", "Sendable")})
