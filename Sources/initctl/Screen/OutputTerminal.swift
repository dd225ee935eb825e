internal import Glibc
internal import Platform

/// The terminal of standard output or standard error, if that is one.
struct OutputTerminal: Equatable {
  /// The size of the window.
  struct Size: Equatable {
    /// Characters in a line.
    var columns: Int
    /// Lines.
    var rows: Int
  }

  /// The window's size, or nil if it isn't a terminal.
  var size: Size?
  /// Whether colours may be used: on a terminal, and without `NO_COLOR`.
  var hasColor: Bool

  /// Standard output as it is now.
  static var current: OutputTerminal { of(STDOUT_FILENO) }

  /// Standard error as it is now.
  static var ofErrors: OutputTerminal { of(STDERR_FILENO) }

  private static func of(_ descriptor: Int32) -> OutputTerminal {
    guard isatty(descriptor) == 1 else { return OutputTerminal(size: nil, hasColor: false) }
    var window = winsize()
    let known = ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 && window.ws_row > 0
    return OutputTerminal(
      size: known ? Size(columns: Int(window.ws_col), rows: Int(window.ws_row)) : Size(columns: 80, rows: 24),
      hasColor: Terminal.allowsColor(descriptor))
  }
}
