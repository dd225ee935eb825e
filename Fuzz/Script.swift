/// The fuzzer's bytes as they are read: two for the configuration, four for each initializer, four for each event. What is
/// missing at the end is zero. Every record has its own place, so a byte that changes doesn't turn all behind it into something else.
struct Script {
  /// What there is to declare or to register.
  struct Role {
    let declaration: Declaration
    /// Who the manifest says provides it; `nil` if only a worker speaks of it.
    let declared: ProviderKind?
    var isForWorkers: Bool { declared == nil || declared == .worker }
  }

  /// One event, as far as bytes can say it; which run or worker it is about depends on the world.
  struct Line {
    let kind: UInt8
    let first: Int
    let second: Int
    /// How much time has passed before; `nil` for as long as the machine waits.
    let span: Duration?
  }

  let configuration: Machine.Configuration
  let roles: [Role]
  /// What an earlier life has completed.
  let remembered: [String]
  /// How runs behave once the lines are at their end: a run that was asked to stop waits to be killed, and none ends before its timeout.
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
    // Three half bytes say how far back a dependency stands, and 0 that there is none. Few graphs are ill.
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

  /// The next line; `nil` at the end.
  mutating func next() -> Line? {
    guard !rest.isEmpty else { return nil }
    let (kind, first, second, time) = (rest.take(), rest.take(), rest.take(), rest.take())
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
