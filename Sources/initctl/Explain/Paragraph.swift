internal import InitText

/// Text for people that is longer than a line.
enum Paragraph {
  /// Breaks a text into lines that fit the terminal; one line if the output isn't a terminal.
  ///
  /// Later lines are indented.
  static func lines(_ text: String, _ terminal: OutputTerminal) -> [String] {
    terminal.size.map { lines(text, columns: $0.columns) } ?? [text]
  }

  /// Breaks a text into lines of at most that many columns.
  ///
  /// It is broken at spaces, and within a word only if the word is longer than a line, as East Asian text is, which has no spaces.
  ///
  /// `head` precedes the first line. `margin` precedes the later lines.
  static func lines(_ text: String, columns: Int, head: String = "", margin: String = "  ") -> [String] {
    let whole = head + text
    guard TextWidth.columns(whole) > columns else { return [whole] }
    // If the margin took most of a line, hardly any text would be left.
    let margin = TextWidth.columns(margin) * 2 > columns ? "" : margin
    let indent = TextWidth.columns(margin)
    var lines: [String] = []
    var line = head
    var used = TextWidth.columns(head)
    var isAtMargin = true
    func breakLine() {
      while line.hasSuffix(" ") { line.removeLast() }
      lines.append(line)
      line = margin
      used = indent
      isAtMargin = true
    }
    for word in words(text) {
      let width = TextWidth.columns(word)
      if !isAtMargin {
        if used + 1 + width > columns, indent + width <= columns {
          breakLine()
        } else {
          line += " "
          used += 1
        }
      }
      // Spaces where a line is broken are left out, those at the start of the text aren't.
      guard !word.isEmpty else {
        isAtMargin = isAtMargin && !lines.isEmpty
        continue
      }
      for character in word {
        let width = TextWidth.columns(String(character))
        if used + width > columns, !isAtMargin { breakLine() }
        line.append(character)
        used += width
        isAtMargin = false
      }
    }
    return lines + [line]
  }

  /// Returns the parts of the text between the spaces.
  ///
  /// A number and its unit of time are one part.
  private static func words(_ text: String) -> [String] {
    text.split(separator: " ", omittingEmptySubsequences: false).reduce(into: []) { words, word in
      if let last = words.last, last.last?.isNumber == true,
        ["ms", "s", "min", "h"].contains(word.prefix(while: \.isLetter))
      {
        words[words.count - 1] = "\(last) \(word)"
      } else {
        words.append(String(word))
      }
    }
  }
}
