internal import InitWords

/// The interpretation of the fuzzer's bytes: two for the configuration, four for each initializer, four for each event. Missing bytes
/// at the end are zero. Every record has a fixed position, so a changed byte doesn't change the following records.
struct Script {
  /// An initializer to declare or to register.
  struct Role {
    let declaration: Declaration
    /// The provider of the name in the manifest; `nil` if only a worker registers it.
    let declared: ProviderKind?
    var isForWorkers: Bool { declared == nil || declared == .worker }
  }

  /// One event, as far as the bytes determine it; the world determines its run or worker.
  struct Line {
    let kind: UInt8
    let first: Int
    let second: Int
    /// How much time passes before the event; `nil` for the time until the machine's next deadline.
    let span: Duration?
  }

  let configuration: Machine.Configuration
  let roles: [Role]
  /// The initializers that an earlier process has completed.
  let remembered: [String]
  /// How runs behave after the last line: runs that were asked to stop wait until they are killed, and no run ends before its timeout.
  let isStubborn: Bool
  let isSlow: Bool
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
    let size = rest.take()
    let marks = rest.take()
    let count = 1 + Int(size & 15) % 12
    isStubborn = marks & 1 != 0
    isSlow = marks & 2 != 0
    var roles: [Role] = []
    for index in 0..<count {
      roles.append(Self.role(index, of: count, [rest.take(), rest.take(), rest.take(), rest.take()]))
    }
    configuration = Machine.Configuration(
      concurrency: 1 + Int(size >> 4) % 3, launchesAtStart: marks & 12 != 0,
      acceptsWorkers: marks & 16 != 0 || roles.contains(where: \.isForWorkers), seed: UInt64(marks))
    self.roles = roles
    remembered = marks >= 224 ? roles.enumerated().filter { $0.offset % 2 == 0 }.map(\.element.declaration.name) : []
  }

  private static func role(_ index: Int, of count: Int, _ bytes: [UInt8]) -> Role {
    // Three half bytes are the distances to dependencies, 0 for none. Few graphs have faults.
    var places = [bytes[1] & 15, bytes[1] >> 4, bytes[2] & 15].filter { $0 != 0 && Int($0) <= index }.map {
      index - Int($0)
    }
    if bytes[2] >= 0xFC { places.append((index + Int(bytes[2] & 1)) % count) }
    var dependencies = places.map { "n\($0)" }
    if bytes[2] & 0xFE == 0xFA { dependencies.append("nobody") }
    let delay = Duration.seconds(Int(bytes[3] >> 4 & 3))
    let declaration = Declaration(
      "n\(index)", priority: bytes[0] & 1 == 0 ? .appLaunch : .appActive, dependencies: Self.unique(dependencies),
      timeout: bytes[3] & 4 == 0 ? nil : .seconds([0, 1, 2, 8][Int(bytes[3] & 3)]),
      retry: RetryPolicy(
        attempts: 1 + max(0, Int(bytes[3] >> 6) - 1), delay: delay,
        maxDelay: bytes[3] & 8 == 0 ? .seconds(30) : .seconds(1)),
      isOptional: bytes[0] & 6 == 6, isPerProcess: bytes[0] & 24 == 24)
    let kinds: [ProviderKind?] = [.command, .inProcess, .worker, nil, .command, .command, .worker, nil]
    return Role(declaration: declaration, declared: kinds[Int(bytes[0] >> 5)])
  }

  private static func unique(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }

  /// Returns the next line; `nil` at the end.
  mutating func next() -> Line? {
    guard !rest.isEmpty else { return nil }
    let kind = rest.take()
    let first = rest.take()
    let second = rest.take()
    let time = rest.take()
    let span: Duration? =
      switch time {
      case ..<128: .zero
      case ..<192: .milliseconds(10 * (Int(time) - 127))
      case ..<255: .milliseconds(200 * (Int(time) - 191))
      default: nil
      }
    return Line(kind: kind, first: Int(first), second: Int(second), span: span)
  }
}

extension ArraySlice<UInt8> {
  fileprivate mutating func take() -> UInt8 { popFirst() ?? 0 }
}
