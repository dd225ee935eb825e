public import AppInitializers
internal import Glibc
package import InitCore
internal import Platform

/// A process that the supervisor starts at once and restarts when it exits; usually it registers initializers over the socket.
public struct DeclaredWorker: Hashable, Sendable {
  /// The name in logs.
  public var name: String
  /// The command to start.
  public var command: Command
  /// Decides when the worker is restarted.
  public var restart: RestartPolicy
  /// The delays between starts; its `attempts` isn't used.
  public var backoff: AppInitializers.RetryPolicy

  /// The initializers that must be complete before it is started.
  package var dependencies: [String] = []
  /// Decides how the worker's readiness is detected, and how it is stopped.
  package var policy = ProcessPolicy()
  /// Why the worker isn't started; `nil` if it is started, or if it has `ready`: then the machine decides (S28).
  package var exclusion: SkipReason?

  /// The number of the signal that asks the process to end.
  var stopSignal: Int32 { SignalName.number(of: policy.stopSignal) ?? SIGTERM }

  /// Declares a process to keep running.
  public init(
    _ name: String, command: Command, restart: RestartPolicy = .onFailure, backoff: AppInitializers.RetryPolicy = .never
  ) {
    self.name = name
    self.command = command
    self.restart = restart
    self.backoff = backoff
  }

  /// Creates the declaration with a policy of the machine.
  package init(_ name: String, command: Command, restart: RestartPolicy, backoff: InitCore.RetryPolicy) {
    self.init(
      name, command: command, restart: restart,
      backoff: AppInitializers.RetryPolicy(
        attempts: backoff.attempts, delay: backoff.delay, factor: backoff.factor, maxDelay: backoff.maxDelay))
  }
}
