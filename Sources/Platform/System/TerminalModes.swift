internal import Glibc

/// The modes of the line discipline of the terminal on standard input.
package struct TerminalModes: Sendable {
  private let modes: termios

  /// Reads the modes; nil if standard input isn't a terminal.
  package init?() {
    var modes = termios()
    guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return nil }
    self.modes = modes
  }

  /// Makes the terminal send keys one at a time, without an echo.
  ///
  /// Signals of keys (^C, ^Z) work as before. In the background, this stops the process until it is in the foreground.
  package func sendKeys() {
    var modes = modes
    modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
    withUnsafeMutableBytes(of: &modes.c_cc) {
      $0[Int(VMIN)] = 1
      $0[Int(VTIME)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }

  /// Gives the terminal these modes.
  package func restore() {
    var modes = modes
    tcsetattr(STDIN_FILENO, TCSANOW, &modes)
  }
}
