internal import InitText

/// The text with everything escaped that can't be seen. All text of a manifest is escaped before it reaches a terminal.
func escaped(_ text: String) -> String { TerminalText.escape(text, visibleOnly: true) }

/// The text escaped and quoted, for a message.
func quoted(_ text: String) -> String { TerminalText.quote(text) }

/// The code point of a character that can't be shown, e.g. `U+0007`.
func codePoint(_ scalar: Unicode.Scalar) -> String {
  "U+" + scalar.value.digits(4, radix: 16).uppercased()
}

/// Words as in "a, b or c".
func list(_ words: [String]) -> String {
  words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
}
