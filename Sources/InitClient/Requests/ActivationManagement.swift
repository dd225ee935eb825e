/// The decision when the app is active, for a program that moves an app between hosts.
///
/// While it lasts, the supervisor refuses `activate` from others, e.g. `initctl activate`, unless they force it. Get it with
/// ``SupervisorClient/manageActivation()``. It lasts until ``end()``, or until its connection is lost: then it must be taken again.
public final class ActivationManagement: Sendable {
  private let client: Client

  init(_ client: Client) { self.client = client }

  deinit { Task { [client] in await client.close() } }

  /// Returns when it has ended, because its connection is lost or ``end()`` was called.
  public func untilEnded() async { _ = await client.untilClosed() }

  /// Ends it.
  ///
  /// Further calls have no effect.
  public func end() async { await client.close() }
}
