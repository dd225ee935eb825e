import Glibc
import InitJSON
import InitText
import Logging
import Platform

/// A log on standard error, one line per event: text for people, or JSON for programs, with the event's metadata as members.
///
/// Text from other programs is escaped.
struct StandardErrorLog: LogHandler {
  enum Format: String, CaseIterable { case text, json }

  var format: Format
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  private let stream: LogStream
  /// Whether text has colours.
  private let hasColor = Terminal.allowsColor(STDERR_FILENO)
  /// How text looks on a terminal; nil elsewhere.
  private let foreground: ForegroundText?

  /// Creates a log that writes to a stream of ``stream(_:)``.
  init(format: Format, level: Logger.Level, stream: LogStream, foreground: ForegroundText? = nil) {
    self.format = format
    self.stream = stream
    self.logLevel = level
    self.foreground = foreground
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Returns standard error as a stream; lost lines are reported in this format.
  ///
  /// `file` is the file that is standard error; nil if it is none of the supervisor's own.
  static func stream(_ format: Format, file: String? = nil) -> LogStream {
    LogStream(file: file.map(WorkingDirectory.absolute)) { count in
      let words =
        "\(count) \(count == 1 ? "line" : "lines") of the log \(count == 1 ? "was" : "were") lost: standard error was not read"
      return format.line(.warning, words, [:], hasColor: false)
    }
  }

  func log(event: LogEvent) {
    let members = metadata.merging(event.metadata ?? [:]) { _, own in own }
    if let foreground {
      return stream.write(foreground.line(event.level, "\(event.message)", members, hasColor: hasColor))
    }
    stream.write(format.line(event.level, "\(event.message)", members, hasColor: hasColor))
  }
}

extension StandardErrorLog.Format {
  /// Returns a line with the current time.
  fileprivate func line(
    _ level: Logger.Level, _ message: String, _ members: Logger.Metadata, hasColor: Bool
  ) -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    switch self {
    case .text:
      let colors = hasColor ? LogColors(level, members) : nil
      return text(level, TerminalText.escape(message), colors, at: now)
    case .json: return json(level, message, members, at: now)
    }
  }

  /// Returns the time of day.
  static func clock() -> String {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return clock(at: now)
  }

  private static func clock(at now: timespec) -> String {
    var seconds = now.tv_sec
    var parts = tm()
    localtime_r(&seconds, &parts)
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0.digits(2) }.joined(separator: ":")
    return "\(clock).\((now.tv_nsec / 1_000_000).digits(3))"
  }

  /// `message` is the escaped message.
  private func text(_ level: Logger.Level, _ message: String, _ colors: LogColors?, at now: timespec) -> String {
    let word = level == .info || level == .debug ? "" : colors?.paint("\(level):") ?? "\(level):"
    let line = colors?.paintPrefix(message) ?? message
    return "\(Self.clock(at: now)) initd: \(word)\(word.isEmpty ? "" : " ")\(line)"
  }

  private func json(_ level: Logger.Level, _ message: String, _ members: Logger.Metadata, at now: timespec) -> String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("time")
      writer.plain("\(now.tv_sec).\((now.tv_nsec / 1000).digits(6))")
      writer.key("level")
      writer.string("\(level)")
      writer.key("message")
      writer.string(TerminalText.escape(message))
      writer.members(members)
    }
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

/// The colours of a line of the log: of its level, and of the name before a line that a command wrote.
struct LogColors {
  private let level: Int?
  /// The name, if the line is output of a command.
  private let name: String?

  init(_ level: Logger.Level, _ members: Logger.Metadata) {
    self.level =
      switch level {
      case .warning: 33
      case .error, .critical: 31
      case .trace, .debug, .info, .notice: nil
      }
    name = members["event"] == "output" ? (members["initializer"] ?? members["process"]).map { "\($0)" } : nil
  }

  /// Returns the name of the level in its colour.
  func paint(_ word: String) -> String { level.map { "\u{1B}[\($0)m\(word)\u{1B}[0m" } ?? word }

  /// Paints `NAME |` at the start of the line in the colour of the name.
  func paintPrefix(_ line: String) -> String {
    guard let name, line.hasPrefix(name + " |") else { return line }
    return "\u{1B}[\(NameColor.code(of: name))m\(name) |\u{1B}[0m" + line.dropFirst(name.count + 2)
  }
}

extension JSONWriter {
  /// Writes members, sorted by name.
  fileprivate mutating func members(_ members: Logger.Metadata) {
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      key(named: TerminalText.escape(name))
      self.value(value)
    }
  }

  /// Writes a number as a number, a dictionary as an object, an array as an array, and any other value as a string that is safe for a
  /// terminal.
  private mutating func value(_ value: Logger.MetadataValue) {
    switch value {
    case .stringConvertible(let number as Int): plain("\(number)")
    case .stringConvertible(let number as Double) where number.isFinite: plain("\(number)")
    case .dictionary(let members): object { $0.members(members) }
    case .array(let values): array { array in for each in values { array.value(each) } }
    default: string(TerminalText.escape("\(value)"))
    }
  }
}
