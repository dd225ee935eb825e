internal import InitModel
internal import InitWire

/// The decision when the app is active, for a program that moves an app between hosts.
///
/// While it lasts, the supervisor refuses `activate` from others, e.g. `initctl activate`, unless they force it. Get it with
/// ``SupervisorClient/manageActivation()``. It lasts until ``end()``, or until its connection is lost: then it must be taken again.
public final class ActivationManagement: Sendable {
  private let client: Client

  init(_ client: Client) { self.client = client }

  deinit { Task { [client] in await client.close() } }

  /// Asks the supervisor how long runs take to stop at most.
  ///
  /// This is the `cancelGrace` of its manifest, so a reload may change it. The end of a ``LeasedHold`` must be further away.
  ///
  /// - Parameter limit: the maximum time for the answer; no limit by default.
  /// - Returns: the time; nil if the supervisor is too old to tell it.
  /// - Throws: ``SupervisorError`` if the management has ended, or no answer comes in time.
  public func cancelGrace(within limit: Duration? = nil) async throws -> Duration? {
    try await SupervisorError.translate { () async throws(ClientError) in
      // A second `manage` of the same connection changes nothing.
      try await client.send(ManageRequest(), within: limit).cancelGrace.map { .seconds($0) }
    }
  }

  /// Returns when it has ended, because its connection is lost or ``end()`` was called.
  public func untilEnded() async { _ = await client.untilClosed() }

  /// Ends it.
  ///
  /// Further calls have no effect.
  public func end() async { await client.close() }
}
