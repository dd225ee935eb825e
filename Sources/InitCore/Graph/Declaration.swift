/// A duration, or an instant given as the duration since the start of the machine's clock.
public typealias Instant = Duration

/// The attributes of an initializer: its name, its phase, its dependencies and its policies.
public struct Declaration: Hashable, Sendable {
  /// The unique name. On the wire 1 to 128 bytes of ASCII letters, digits and `._:/@+-`; the machine itself takes any string.
  public var name: String
  /// The phase that executes it.
  public var priority: Priority
  /// The names of the initializers that complete before it starts (S6), in the order they were listed.
  public var dependencies: [String]
  /// The timeout of one attempt: an attempt that takes longer fails, and is asked to stop (S15). `nil` for no limit.
  public var timeout: Duration?
  /// How often, and after which delays, a failed run is retried (S16).
  public var retry: RetryPolicy
  /// Whether the pass continues if it fails (S8).
  public var isOptional: Bool
  /// Whether its effect is only in its worker's memory, so that another process must run it again (S22).
  public var isPerProcess: Bool
  /// Whether it must be stopped at the end if it has completed (S24).
  public var hasStop: Bool

  /// Declares an initializer; all parameters but the name have defaults.
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
  /// How many bytes its name and its dependencies take in JSON, with quotes and a comma for each.
  package var nameBytes: Int { dependencies.reduce(name.utf8.count + 3) { $0 + $1.utf8.count + 3 } }
}
