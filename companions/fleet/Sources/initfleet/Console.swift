internal import Glibc

/// The standard streams.
///
/// The result of a command goes to standard output, everything else to standard error.
enum Console {
  /// Writes the whole text to standard output before it returns.
  ///
  /// - Throws: `OutputFailure` if the text can't be written.
  static func write(_ text: String) throws(OutputFailure) {
    guard write(text, to: STDOUT_FILENO) else { throw OutputFailure(errno: errno) }
  }

  /// Prints a message on standard error.
  static func complain(_ message: String) { explain("initfleet: \(message)") }

  /// Prints a line on standard error.
  static func explain(_ line: String) { _ = write(visible(line) + "\n", to: STDERR_FILENO) }

  /// Writes the whole text before it returns; returns false if it can't be written.
  static func write(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var pending = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&pending, 1, -1)
        continue
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Returns the text with escapes for everything that could move the cursor, end a line, or reorder or hide other text.
  static func visible(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
        result += scalar == "\n" ? "\\n" : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Standard output can't be written.
struct OutputFailure: Error {
  let errno: Int32

  /// Whether the reader has closed it, which isn't an error.
  var isClosed: Bool { errno == EPIPE }

  var description: String { "cannot write standard output: \(String(cString: strerror(errno)))" }
}

/// Text in columns.
enum Columns {
  /// Returns the rows as lines; each column is as wide as its widest cell.
  static func lines(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      var line = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
