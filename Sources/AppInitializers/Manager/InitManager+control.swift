internal import InitCore

/// Control of single initializers (S26, S34).
extension InitManager {
  /// Runs initializers again, in a pass of their phase after the one in flight: all or none (S26).
  ///
  /// This doesn't wait for the passes. An initializer with the priority `appActive` can run again only while the app is active. A dependent
  /// that doesn't run again becomes stale: it may have used a result that is replaced.
  ///
  /// - Parameters:
  ///   - initializers: the names.
  ///   - withDependents: whether their direct and indirect dependents also run again.
  /// - Returns: the numbers of the passes, for ``outcome(ofPass:)``.
  /// - Throws: ``InitializerRefusal`` if an initializer is unknown, the app is inactive, or the manager has been ended.
  @discardableResult public func rerun(
    _ initializers: String..., withDependents: Bool = false
  ) throws(InitializerRefusal) -> [Int] {
    try control(.rerunRequested(initializers, withDependents: withDependents))
    return query { $0.passes(rerunning: initializers, withDependents: withDependents).map(\.rawValue) }
  }

  /// Cancels the runs of initializers, and ends the delays of those between two attempts: all or none (S34).
  ///
  /// As after a timeout, each run has failed, with ``InitializerFailure/cancelled(by:)``, and its dependents don't run. It isn't retried,
  /// and has stopped when this returns.
  ///
  /// - Parameters:
  ///   - initializers: the names of the initializers.
  ///   - user: the name of the user who cancels them, for the error.
  /// - Throws: ``InitializerRefusal`` if an initializer is unknown, or doesn't run; `CancellationError` if the calling task is cancelled.
  public func cancel(_ initializers: String..., by user: String = "the program") async throws {
    try control(.runsCancelled(initializers, by: user))
    let runs = query { $0.cancelledRuns(of: initializers) }
    try await wait { manager -> Result<Void, any Error>? in
      manager.query { machine in runs.contains { machine.initializer(ofRun: $0) != nil } } ? nil : .success(())
    }
  }

  private func control(_ event: Event) throws(InitializerRefusal) {
    do throws(Refusal) { try apply(event) } catch { throw InitializerRefusal(error) }
  }
}

/// Why a manager refuses to control an initializer.
public struct InitializerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of refusal, for programs.
  public enum Kind: Hashable, Sendable {
    /// No initializer has that name.
    case unknownInitializer
    /// The initializer doesn't run, or never does.
    case notRunning
    /// The initializer runs in active passes, and the app is inactive.
    case inactive
    /// The manager has been ended.
    case ended
  }

  /// The kind of refusal.
  public let kind: Kind
  /// Says what is refused, why, and what to do.
  public let description: String

  init(_ refusal: Refusal) {
    kind =
      switch refusal {
      case .unknownInitializer: .unknownInitializer
      case .notRunning, .leftOut, .stopped: .notRunning
      case .inactive: .inactive
      case .shuttingDown, .nameTaken, .nameResident, .declaredOtherwise: .ended
      }
    description = refusal == .shuttingDown ? "the manager has been ended" : refusal.description
  }
}
