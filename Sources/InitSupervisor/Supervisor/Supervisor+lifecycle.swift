internal import InitCore
internal import Logging

/// The app's lifecycle, for the program that the supervisor is part of; clients say the same over the socket.
extension Supervisor {
  /// The app became active: a plain `activate` (S10, S23). Once shutting down has begun it does nothing (S24).
  ///
  /// - Parameter reason: for the log.
  /// - Returns: the number of the pass that it started or joined; 0 if the supervisor is ending.
  @discardableResult package func activate(because reason: String) -> Int {
    logger.info("activating: \(reason)")
    processes.startGivenUp()
    guard (try? core.apply(.activated(hold: nil))) != nil else { return 0 }
    return core.read { $0.states.active.pass } ?? 0
  }

  /// The app is no longer active: what runs of the active phase is cancelled (S11), and holds end (S23).
  ///
  /// - Parameter reason: for the log.
  package func deactivate(because reason: String) {
    logger.info("deactivating: \(reason)")
    try? core.apply(.deactivated)
  }
}
