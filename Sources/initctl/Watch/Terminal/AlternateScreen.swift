internal import Glibc
internal import Platform

// Invariants:
//
// 1. Between `enter` and `leave`, the terminal shows its alternate screen, without a cursor and without wrapping lines, and sends keys one
//    at a time without an echo. Signals of keys (^C, ^Z) work as before.
// 2. `leave` restores everything, including the modes of the line discipline as `enter` found them.
// 3. Drawing never scrolls: each line has its row, and no line ends with a newline.

/// The alternate screen of the terminal on standard output, and the mode of the terminal on standard input.
struct AlternateScreen {
  /// Whether standard input is a terminal, so there are keys.
  let hasKeys = isatty(STDIN_FILENO) == 1

  private var modes: TerminalModes?
  private var isEntered = false
  /// The lines that the terminal shows; nil if it must be erased first.
  private var drawn: [String]?

  /// Takes the terminal, or takes it again after another process had it.
  mutating func enter() throws(SystemError) {
    if hasKeys, let modes = TerminalModes() {
      if !isEntered { self.modes = modes }
      modes.sendKeys()
    }
    isEntered = true
    drawn = nil
    try Console.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
  }

  /// Leaves the terminal as it was.
  ///
  /// Shows the normal screen again; further calls have no effect.
  mutating func leave() {
    guard isEntered else { return }
    isEntered = false
    // If the terminal is closed, nothing can be restored.
    try? Console.write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    modes?.restore()
  }

  /// Forgets the drawn lines, because the window's size has changed.
  mutating func forget() { drawn = nil }

  /// Draws lines that fit, from the top, but only the changed ones.
  mutating func draw(_ lines: [String]) throws(SystemError) {
    var text = drawn == nil ? "\u{1B}[2J" : ""
    let before = drawn ?? []
    for (row, line) in lines.enumerated() where row >= before.count || before[row] != line {
      text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
    }
    drawn = lines
    if !text.isEmpty { try Console.write(text) }
  }
}
