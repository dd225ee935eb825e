internal import InitText

/// Escapes everything in a text that can't be seen.
///
/// All text of a manifest is escaped before it is written to a terminal.
func escaped(_ text: String) -> String { TerminalText.escape(text, visibleOnly: true) }

/// Escapes and quotes a text, for a message.
func quoted(_ text: String) -> String { TerminalText.quote(text) }

/// Returns the code point of a character that can't be shown, for example `U+0007`.
func codePoint(_ scalar: Unicode.Scalar) -> String {
  "U+" + scalar.value.digits(4, radix: 16).uppercased()
}

/// Joins words, as in "a, b or c".
func list(_ words: [String]) -> String {
  words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " or " + words[words.count - 1]
}
