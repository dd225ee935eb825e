/// How a child process ended.
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// It exited, with this status from 0 to 255.
  case exited(Int32)
  /// A signal ended it.
  case signaled(Int32)
  /// It ended, and somebody else in this process took the status away, or the kernel was told not to keep it.
  case unknown

  /// Whether it exited with status 0.
  public var isSuccess: Bool { self == .exited(0) }

  /// What becomes of a sentence's subject: "ended: exited with status 3", "was terminated by SIGTERM".
  public var predicate: String {
    switch self {
    case .exited: "ended: \(self)"
    case .signaled(let number): "was terminated by \(SignalName.of(number))"
    case .unknown: "\(self)"
    }
  }

  /// A phrase for messages: "exited with status 3".
  public var description: String {
    switch self {
    case .exited(let status): "exited with status \(status)"
    case .signaled(let number): "was terminated by \(SignalName.of(number))"
    case .unknown: "ended, its status is unknown"
    }
  }
}

/// What a child process and those it waited for used.
public struct ResourceUsage: Equatable, Sendable {
  /// Time on a processor, in its own code.
  public let userTime: Duration
  /// Time on a processor, in the kernel for it.
  public let systemTime: Duration
  /// The most memory it had resident, in bytes.
  public let maximumResidentBytes: Int

  /// What was used.
  package init(userTime: Duration, systemTime: Duration, maximumResidentBytes: Int) {
    self.userTime = userTime
    self.systemTime = systemTime
    self.maximumResidentBytes = maximumResidentBytes
  }
}
