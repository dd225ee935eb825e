internal import EventLoop
internal import Glibc
internal import InitProcesses
internal import Platform

/// The standard output of commands if it may contain reports: these are passed on, and all other lines are printed.
@ProgramLoop final class CommandLines {
  /// A longer line is printed in parts.
  private static let longestLine = 64 * 1024

  private let loop: Loop
  private let prefix: [UInt8]
  private let output: LogStream
  private let drain: LogDrain

  /// `prefix` is the text at the beginning of each report.
  init(loop: Loop, prefix: String) {
    self.loop = loop
    self.prefix = Array(prefix.utf8)
    output = LogStream(to: STDOUT_FILENO) { "initctl: \($0) lines of output were lost: standard output isn't read" }
    drain = LogDrain(output, on: loop)
  }

  /// Reads the output of a command, and calls `onReport` for each report.
  ///
  /// - Throws: `SystemError` if the output can't be read.
  func read(_ descriptor: Descriptor, onReport: @escaping (ReportLine) -> Void) throws(SystemError) -> OutputPipe {
    try OutputPipe(loop: loop, descriptor: descriptor, lineLimit: Self.longestLine) { [prefix, output] line in
      if let report = ReportLine(line, prefix: prefix) { onReport(report) } else { output.write(line: line) }
    }
  }

  /// Writes the queued bytes.
  func close() {
    drain.close()
    output.finish()
  }
}
