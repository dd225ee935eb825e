/// How a child process ended.
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// It exited, with this status from 0 to 255.
  case exited(Int32)
  /// A signal ended it.
  case signaled(Int32)
  /// It ended, but other code in this process reaped it, or the kernel has discarded the status.
  case unknown

  /// Whether it exited with status 0.
  public var isSuccess: Bool { self == .exited(0) }

  /// A predicate for messages: "ended: exited with status 3", "was terminated by SIGTERM".
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
    case .unknown: "ended with unknown status"
    }
  }
}

/// The resource usage of a child process and of the processes that it waited for.
public struct ResourceUsage: Equatable, Sendable {
  /// CPU time in user mode.
  public let userTime: Duration
  /// CPU time in kernel mode.
  public let systemTime: Duration
  /// Its peak resident memory, in bytes.
  public let maximumResidentBytes: Int

  /// A usage with these values.
  package init(userTime: Duration, systemTime: Duration, maximumResidentBytes: Int) {
    self.userTime = userTime
    self.systemTime = systemTime
    self.maximumResidentBytes = maximumResidentBytes
  }
}
