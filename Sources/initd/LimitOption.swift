import CommandLineOptions
import InitManifest
internal import InitRunner
internal import InitServer
import InitSupervisor
import InitText

/// A limit on the command line: `NAME=VALUE`, with the names of the protocol's table.
struct LimitOption: Equatable {
  /// The limits' names.
  enum Name: String, CaseIterable {
    case frameBytes, frameTimeout, connections, silentConnections, helloTimeout, initializers, declarationBytes, waits,
      allWaits, clientBytes, eventBytes
    case answerBytes, framesPerTurn, logLines, logBytes, logLineBytes, outputDrain, outputBytes, workerBurst
    case workerSettled, farewell
  }

  /// The unit of a limit, its property, and its bounds.
  private enum Kind {
    case count(WritableKeyPath<Limits, Int>, ClosedRange<Int>)
    case bytes(WritableKeyPath<Limits, Int>, ClosedRange<Int>)
    case time(WritableKeyPath<Limits, Duration>, ClosedRange<Duration>)
  }

  let name: Name
  private let value: String

  /// Checks that no limit is set twice.
  static func validate(_ options: [LimitOption]) throws(UsageError) {
    var names: Set<Name> = []
    for option in options where !names.insert(option.name).inserted {
      throw UsageError("--limit \(option.name.rawValue) is given twice; give one value")
    }
  }

  /// Sets it.
  ///
  /// - Throws: an error that says what to write instead of an invalid value.
  func apply(to limits: inout Limits) throws(InvalidArgument) {
    switch kind {
    case .count(let path, let range): limits[keyPath: path] = try checked(Int(value), in: range) { "\($0)" }
    case .bytes(let path, let range): limits[keyPath: path] = try checked(Self.bytes(value), in: range, Self.text)
    case .time(let path, let range):
      limits[keyPath: path] = try checked(try? DurationText.parse(value), in: range, DurationText.print)
    }
  }

  /// Reads `NAME=VALUE`.
  ///
  /// - Throws: the correct format.
  fileprivate static func parse(_ text: String) throws(InvalidArgument) -> LimitOption {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw InvalidArgument("write NAME=VALUE, e.g. connections=2000") }
    guard let name = Name(rawValue: String(parts[0])) else {
      throw InvalidArgument(String(parts[0]), isNoneOf: Name.allCases.map(\.rawValue))
    }
    let option = LimitOption(name: name, value: String(parts[1]))
    var limits = Limits()
    try option.apply(to: &limits)
    return option
  }

  private func checked<Value: Comparable>(
    _ value: Value?, in range: ClosedRange<Value>, _ print: (Value) -> String
  ) throws(InvalidArgument) -> Value {
    guard let value, range.contains(value) else {
      throw InvalidArgument("write \(what), from \(print(range.lowerBound)) to \(print(range.upperBound))")
    }
    return value
  }

  private var what: String {
    switch kind {
    case .count: "a number"
    case .bytes: "a number of bytes, e.g. 4096, 64KiB or 1MiB"
    case .time: "a time, e.g. 500ms, 30s or 2m"
    }
  }

  private var kind: Kind {
    let many = 1...1_000_000
    let some = 1...(1 << 30)
    let moment = Duration.milliseconds(1)...Duration.seconds(86_400)
    return switch name {
    // A hello must fit, and the first byte of the header must stay 0, because it distinguishes frames from text.
    case .frameBytes: .bytes(\.clients.frameBytes, 4096...0xFF_FFFF)
    case .frameTimeout: .time(\.clients.frameTimeout, moment)
    case .connections: .count(\.clients.connections, many)
    case .silentConnections: .count(\.clients.silentConnections, many)
    case .helloTimeout: .time(\.clients.helloTimeout, moment)
    case .initializers: .count(\.initializers, many)
    case .declarationBytes: .bytes(\.declarationBytes, 4096...(8 << 20))
    case .waits: .count(\.waits, many)
    case .allWaits: .count(\.allWaits, many)
    case .clientBytes: .bytes(\.clients.memory, 4096...(1 << 40))
    case .eventBytes: .bytes(\.clients.eventBytes, some)
    case .answerBytes: .bytes(\.clients.answerBytes, some)
    case .framesPerTurn: .count(\.clients.framesPerTurn, many)
    case .logLines: .count(\.logLines, many)
    case .logBytes: .bytes(\.logBytes, some)
    case .logLineBytes: .bytes(\.runs.logLineBytes, 16...(1 << 20))
    case .outputDrain: .time(\.runs.outputDrain, moment)
    case .outputBytes: .bytes(\.runs.outputBytes, 1...(1 << 20))
    case .workerBurst: .count(\.runs.workerBurst, many)
    case .workerSettled: .time(\.runs.workerSettled, moment)
    case .farewell: .time(\.clients.farewell, moment)
    }
  }

  private static func bytes(_ text: String) -> Int? {
    for (suffix, factor) in [("KiB", 1024), ("MiB", 1 << 20)] where text.hasSuffix(suffix) {
      guard let count = Int(text.dropLast(suffix.count)), count >= 0, count < 1 << 20 else { return nil }
      return count * factor
    }
    return Int(text)
  }

  private static func text(_ bytes: Int) -> String {
    bytes % (1 << 20) == 0 ? "\(bytes >> 20)MiB" : bytes % 1024 == 0 ? "\(bytes >> 10)KiB" : "\(bytes)"
  }
}

extension ArgumentKind<LimitOption> {
  /// A limit and its value.
  static var limit: Self {
    let words = LimitOption.Name.allCases.map { $0.rawValue + "=" }
    return Self("limit", placeholder: "name=value", values: .words(words), read: LimitOption.parse)
  }
}
