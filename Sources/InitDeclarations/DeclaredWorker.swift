package import InitCore

/// A process that the supervisor starts at once and restarts when it exits; usually it registers initializers over the socket.
public struct DeclaredWorker: Hashable, Sendable {
  /// The name in logs.
  public var name: String
  /// The command to start.
  public var command: Command
  /// Decides when the worker is restarted.
  public var restart: RestartPolicy
  /// The delays between starts; its `attempts` isn't used.
  package var pauses: RetryPolicy

  /// The initializers that must be complete before it is started.
  package var dependencies: [String] = []
  /// The files whose changes restart it, if they are watched.
  package var inputs: [InputPattern] = []
  /// The directory at which relative inputs start.
  package var inputsDirectory = ""
  /// Decides how the worker's readiness is detected, and how it is stopped.
  package var policy = ProcessPolicy()
  /// Why the worker isn't started; `nil` if it is started, or if it has `ready`: then the machine decides (S28).
  package var exclusion: SkipReason?
  /// With `ready`: the start of the process as an initializer, which completes when the process is ready.
  package var start: Declaration

  /// Declares a process to keep running.
  package init(_ name: String, command: Command, restart: RestartPolicy, pauses: RetryPolicy) {
    self.name = name
    self.command = command
    self.restart = restart
    self.pauses = pauses
    start = Declaration(name)
  }
}

/// When a kept process is restarted.
public enum RestartPolicy: String, Hashable, Sendable, CaseIterable {
  /// When the exit status isn't 0, a signal ended the process, or it couldn't be started.
  case onFailure
  /// Regardless of how the process ended.
  case always
  /// The process is never restarted.
  case never
}
