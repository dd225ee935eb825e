public import AppInitializers
internal import InitCore
public import InitDeclarations

extension DeclaredWorker {
  /// Declares a process to keep running.
  ///
  /// - Parameters:
  ///   - name: the name in logs.
  ///   - command: the command to start.
  ///   - restart: when it is started again.
  ///   - backoff: the pauses between the starts; its `attempts` isn't used.
  public init(
    _ name: String, command: Command, restart: RestartPolicy = .onFailure, backoff: AppInitializers.RetryPolicy = .never
  ) {
    self.init(name, command: command, restart: restart, pauses: backoff.corePolicy)
  }

  /// The pauses between its starts; their `attempts` isn't used.
  public var backoff: AppInitializers.RetryPolicy {
    get {
      AppInitializers.RetryPolicy(
        attempts: pauses.attempts, delay: pauses.delay, factor: pauses.factor, maxDelay: pauses.maxDelay)
    }
    set { pauses = newValue.corePolicy }
  }
}
