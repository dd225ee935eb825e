/// The way in which a child process ended.
public enum ExitStatus: Equatable, Sendable, CustomStringConvertible {
  /// Exited, with this status from 0 to 255.
  case exited(Int32)
  /// A signal ended the process.
  case signaled(Int32)
  /// The process has ended, but other code in this process reaped it, or the kernel has discarded the status.
  case unknown

  /// Decodes the status that `waitpid` has stored for a process that has ended.
  package init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exited(waitStatus >> 8 & 0xFF) : .signaled(signal)
  }

  /// Whether the process exited with status 0.
  public var isSuccess: Bool { self == .exited(0) }

  /// The exit status that a shell would report: the process's own, 128 + n for a signal, otherwise 1.
  public var ofShell: Int32 {
    switch self {
    case .exited(let status): status
    case .signaled(let number): 128 + number
    case .unknown: 1
    }
  }

  /// A predicate for messages: "ended: exit status 3", "was terminated by SIGTERM".
  public var predicate: String {
    if case .signaled = self { "was \(self)" } else { "ended: \(self)" }
  }

  /// A phrase for messages: "exit status 3", "terminated by SIGTERM".
  public var description: String {
    switch self {
    case .exited(let status): "exit status \(status)"
    case .signaled(let number): "terminated by \(SignalName.of(number))"
    case .unknown: "its exit status was lost: something else in this process reaped it"
    }
  }
}

/// The resource usage of a child process and of the processes that it waited for.
public struct ResourceUsage: Equatable, Sendable {
  /// CPU time in user mode.
  public let userTime: Duration
  /// CPU time in kernel mode.
  public let systemTime: Duration
  /// CPU time in both modes.
  public var cpuTime: Duration { userTime + systemTime }
  /// The peak resident memory, in bytes.
  public let maximumResidentBytes: Int

  /// Creates a usage with these values.
  package init(userTime: Duration, systemTime: Duration, maximumResidentBytes: Int) {
    self.userTime = userTime
    self.systemTime = systemTime
    self.maximumResidentBytes = maximumResidentBytes
  }
}
