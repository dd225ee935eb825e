public import AppInitializers
package import InitCore

/// A process that the supervisor starts at once and, if it ends, starts again: one that registers initializers over the socket, mostly.
public struct DeclaredWorker: Sendable {
  /// What logs call it.
  public var name: String
  /// What is started.
  public var command: Command
  /// When it is started again.
  public var restart: RestartPolicy
  /// The waits between one start and the next; its `attempts` has no meaning here.
  public var backoff: AppInitializers.RetryPolicy

  /// A process to keep running.
  public init(
    _ name: String, command: Command, restart: RestartPolicy = .onFailure, backoff: AppInitializers.RetryPolicy = .never
  ) {
    self.name = name
    self.command = command
    self.restart = restart
    self.backoff = backoff
  }

  /// The same with a policy of the machine's.
  package init(_ name: String, command: Command, restart: RestartPolicy, backoff: InitCore.RetryPolicy) {
    self.init(
      name, command: command, restart: restart,
      backoff: AppInitializers.RetryPolicy(
        attempts: backoff.attempts, delay: backoff.delay, factor: backoff.factor, maxDelay: backoff.maxDelay))
  }
}
