/// A point in time or a span of it, in the one clock that a machine is told about; an instant is a span since that clock's start.
public typealias Instant = Duration

/// What is said of one initializer before any of its runs: a task's name, its phase, and what has to be complete before it.
public struct Declaration: Hashable, Sendable {
  /// The unique name. On the wire 1 to 128 bytes of ASCII letters, digits and `._:/@+-`; the machine itself takes any string.
  public var name: String
  /// The phase that executes it.
  public var priority: Priority
  /// The names of the initializers that complete before it starts (S6), in the order they were listed.
  public var dependencies: [String]
  /// How long one attempt may take before it is told to stop and has failed (S15); `nil` for as long as it likes.
  public var timeout: Duration?
  /// How often, and after which delays, a failed run is tried again (S16).
  public var retry: RetryPolicy
  /// Whether its failure leaves the pass going on (S8).
  public var isOptional: Bool
  /// Whether its effect lives in its worker's memory, so that another process has to run it again (S22).
  public var isPerProcess: Bool
  /// Whether there is something to do at the end for what has completed (S24).
  public var hasStop: Bool

  /// Declares an initializer; everything but its name has the value that most initializers want.
  public init(
    _ name: String,
    priority: Priority = .appLaunch,
    dependencies: [String] = [],
    timeout: Duration? = nil,
    retry: RetryPolicy = .never,
    isOptional: Bool = false,
    isPerProcess: Bool = false,
    hasStop: Bool = false
  ) {
    self.name = name
    self.priority = priority
    self.dependencies = dependencies
    self.timeout = timeout
    self.retry = retry
    self.isOptional = isOptional
    self.isPerProcess = isPerProcess
    self.hasStop = hasStop
  }
}

extension Declaration {
  /// How many bytes its name and its dependencies have, with quotes and a comma for each.
  package var nameBytes: Int { dependencies.reduce(name.utf8.count + 3) { $0 + $1.utf8.count + 3 } }
}
