internal import InitText
internal import Platform

/// The standard streams.
///
/// The result of a command goes to standard output, everything else to standard error.
enum FleetConsole {
  /// Writes text to standard output, all of it, before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE if the reader has closed it.
  static func write(_ text: String) throws(SystemError) { try write(Array(text.utf8)) }

  /// Writes bytes to standard output, all of them, before it returns.
  ///
  /// - Throws: `SystemError`; EPIPE if the reader has closed it.
  static func write(_ bytes: [UInt8]) throws(SystemError) { try StandardStream.output.write(bytes) }

  /// Prints a message on standard error.
  static func complain(_ message: String) { explain("initfleet: \(message)") }

  /// Prints a line on standard error.
  static func explain(_ line: String) { StandardStream.error.say(TerminalText.escape(line)) }
}

/// Text in columns.
enum Columns {
  /// The rows as lines; each column is as wide as its widest cell.
  static func lines(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in
      rows.reduce(0) { max($0, TextWidth.columns($1[column])) }
    }
    return rows.map { row in
      var line = zip(row, widths).map { TextWidth.pad($0, to: $1) }.joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line
    }
  }
}
