internal import ArgumentParser
internal import Etcd
internal import Logging

/// Options about the log of a program that runs until it is ended.
struct LogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Log nothing that is less severe; trace also logs each renewal of the lease. Default: info.",
      valueName: "level"),
    completion: .list(Logger.Level.allCases.map { "\($0)" }), transform: Self.level)
  var logLevel: Logger.Level?
  @Option(help: ArgumentHelp("The format of the log on standard error.", valueName: "format"))
  var logFormat = StandardErrorLog.Format.text

  private static func level(_ text: String) throws -> Logger.Level {
    guard let level = Logger.Level(rawValue: text) else {
      throw ValidationError(
        "write \(Logger.Level.allCases.dropLast().map { "\($0)" }.joined(separator: ", ")) or critical")
    }
    return level
  }

  /// Runs a service, and logs why it fails.
  ///
  /// `start` returns what runs until the service ends. In text, a failure of the start has no time, as with other commands. Throws the exit
  /// status if the service fails.
  @FleetActor func run(_ start: (Logger) throws -> @FleetActor () async throws -> Void) async throws {
    let logger = Logger(label: "initfleet") { [logFormat, logLevel] _ in
      StandardErrorLog(format: logFormat, level: logLevel ?? .info)
    }
    var isRunning = false
    defer { LogWriter.standardError.flush() }
    do {
      let service = try start(logger)
      isRunning = true
      try await service()
    } catch {
      guard let failure = Main.failure(error), isRunning || logFormat == .json else { throw error }
      logger.error("\(failure.message)")
      throw failure.status
    }
  }
}

/// A log on standard error, one line per event, as that of `initd`: text for people, or JSON for programs.
///
/// Text from other programs is escaped.
struct StandardErrorLog: LogHandler {
  enum Format: String, CaseIterable, ExpressibleByArgument { case text, json }

  private let format: Format
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  init(format: Format, level: Logger.Level) {
    self.format = format
    logLevel = level
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let members = metadata.merging(event.metadata ?? [:]) { _, own in own }
    let line = format.line(event.level, event.message.description, members)
    LogWriter.standardError.write(line) { [format, metadata] count in
      let lines = count == 1 ? "line of the log was" : "lines of the log were"
      return format.line(.warning, "\(count) \(lines) lost: standard error was not read", metadata)
    }
  }
}

extension Logger {
  /// Returns this logger with these members of its lines in JSON.
  func about(_ fleet: FleetConnection, host: String, leadership: String? = nil) -> Logger {
    var logger = self
    logger[metadataKey: "fleet"] = "\(fleet.name)"
    logger[metadataKey: "host"] = "\(host)"
    if let leadership { logger[metadataKey: "leadership"] = "\(leadership)" }
    return logger
  }
}

extension StandardErrorLog.Format {
  /// Returns a line with the current time.
  fileprivate func line(_ level: Logger.Level, _ message: String, _ members: Logger.Metadata) -> String {
    let message = Console.visible(message)
    switch self {
    case .text:
      let word = level == .info || level == .debug ? "" : "\(level): "
      return "\(WallTime.text(WallTime.now)) initfleet: \(word)\(message)\n"
    case .json:
      var line = members.mapValues { Member.text(Console.visible("\($0)")) }
      line["time"] = .number(WallTime.now)
      line["level"] = .text("\(level)")
      line["message"] = .text(message)
      return (try? JSONLine.text(line)) ?? ""
    }
  }
}

/// A member of a line in JSON.
private enum Member: Encodable {
  case number(Double)
  case text(String)

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    }
  }
}
