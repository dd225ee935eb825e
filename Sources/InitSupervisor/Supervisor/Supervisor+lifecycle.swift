internal import Glibc
internal import InitCore
internal import InitModel
internal import InitRunner
internal import InitWire
internal import Logging

/// The app's lifecycle, for the program that contains the supervisor; clients use the same requests over the socket.
extension Supervisor {
  /// Activates the app, like `activate` (S10, S23).
  ///
  /// During the shutdown this has no effect (S24).
  ///
  /// - Parameter reason: for the log.
  /// - Returns: the number of the pass that it started or joined; 0 if the supervisor is ending.
  @discardableResult package func activate(because reason: String) -> Int {
    shared.logger.info("activating: \(reason)")
    guard (try? shared.apply(.activated(hold: nil))) != nil else { return 0 }
    execution.processes.startNow()
    return shared.read { $0.states.active.pass }?.rawValue ?? 0
  }

  /// Reads the configuration again, and applies the changes, like `reload` (S27).
  ///
  /// The result is in the log.
  ///
  /// - Parameter reason: for the log.
  package func reload(because reason: String) {
    clients.reloads.reload(ReloadRequest(), of: geteuid(), because: reason) { _ in }
  }

  /// Deactivates the app: cancels the active pass (S11), and ends all holds (S23).
  ///
  /// - Parameter reason: for the log.
  package func deactivate(because reason: String) {
    shared.logger.info("deactivating: \(reason)")
    try? shared.apply(.deactivated)
  }
}
