import Glibc
import InitWire
import Logging
import Platform

/// A log on standard error, one line per event: text for people, or JSON for programs, with the event's metadata as members. Text from
/// other programs is escaped.
struct StandardErrorLog: LogHandler {
  enum Format: String, CaseIterable { case text, json }

  var format: Format
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  private let stream: LogStream

  /// A log that writes to a stream of ``stream(_:)``.
  init(format: Format, level: Logger.Level, stream: LogStream) {
    self.format = format
    self.stream = stream
    self.logLevel = level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Standard error; lost lines are reported in this format.
  static func stream(_ format: Format) -> LogStream {
    LogStream { count in
      let words =
        "\(count) \(count == 1 ? "line" : "lines") of the log \(count == 1 ? "was" : "were") lost: standard error was not read"
      return format.line(.warning, words, [:])
    }
  }

  func log(event: LogEvent) {
    let members = metadata.merging(event.metadata ?? [:]) { _, own in own }
    stream.write(format.line(event.level, "\(event.message)", members))
  }
}

extension StandardErrorLog.Format {
  /// A line with the current time.
  fileprivate func line(_ level: Logger.Level, _ message: String, _ members: Logger.Metadata) -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    switch self {
    case .text: return text(level, message, at: now)
    case .json: return json(level, message, members, at: now)
    }
  }

  private func text(_ level: Logger.Level, _ message: String, at now: timespec) -> String {
    var seconds = now.tv_sec
    var parts = tm()
    localtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.digits(2) }.joined(separator: ":")
    let word = level == .info || level == .debug ? "" : "\(level): "
    return "\(clock).\((now.tv_nsec / 1_000_000).digits(3)) initd: \(word)\(TerminalText.escape(message))"
  }

  private func json(_ level: Logger.Level, _ message: String, _ members: Logger.Metadata, at now: timespec) -> String {
    let time = "\(now.tv_sec).\((now.tv_nsec / 1000).digits(6))"
    let more = members.sorted { $0.key < $1.key }.map { ",\(JSONText.string($0.key)):\(JSONText.value($0.value))" }
    return "{\"time\":\(time),\"level\":\"\(level)\",\"message\":\(JSONText.string(message))\(more.joined())}"
  }
}

/// Values as JSON.
enum JSONText {
  /// An integer as a number, anything else as a string.
  static func value(_ value: Logger.MetadataValue) -> String {
    if case .stringConvertible(let number as Int) = value { return "\(number)" }
    return string("\(value)")
  }

  /// The quoted string, with all characters escaped that aren't valid in JSON or safe for a terminal.
  static func string(_ text: String) -> String {
    var json = "\""
    for scalar in TerminalText.escape(text).unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }
}
