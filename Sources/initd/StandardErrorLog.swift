import Glibc
import InitWire
import Logging

/// A log on standard error, a line an event: for people, or JSON for programs. What comes from outside is escaped.
struct StandardErrorLog: LogHandler {
  enum Format: String, CaseIterable { case text, json }

  var format: Format
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  init(format: Format, level: Logger.Level) {
    self.format = format
    self.logLevel = level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let text =
      switch format {
      case .text: line(of: event, at: now)
      case .json: json(of: event, at: now)
      }
    // One write, so that lines of several processes don't mix; what can't be written is lost: a log that nobody reads holds nothing up.
    let bytes = Array((text + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private func line(of event: LogEvent, at now: timespec) -> String {
    var seconds = now.tv_sec
    var parts = tm()
    localtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }.joined(separator: ":")
    let level = event.level == .info || event.level == .debug ? "" : "\(event.level): "
    return "\(clock).\(digits(now.tv_nsec / 1_000_000, 3)) initd: \(level)\(TerminalText.escape("\(event.message)"))"
  }

  private func json(of event: LogEvent, at now: timespec) -> String {
    let time = "\(now.tv_sec).\(digits(now.tv_nsec / 1000, 6))"
    return "{\"time\":\(time),\"level\":\"\(event.level)\",\"message\":\(JSONText.string("\(event.message)"))}"
  }

  private func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}

/// A string as JSON writes it.
enum JSONText {
  /// The string in its quotes, with everything escaped that JSON or a terminal would stumble over.
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
