package import InitCore

/// Direct use of a manager by code that runs on its executor, without a hop.
///
/// It isn't `Sendable`, so it stays where it was made.
package struct ManagerAccess {
  private let manager: InitManager

  /// Creates the access for code on this manager's executor.
  package init(_ manager: InitManager) { self.manager = manager }

  /// The current instant of the manager's clock.
  package var now: Instant { manager.now }

  /// How many events the machine has processed.
  package var steps: Int { use { $0.stepCount } }

  /// Applies an event to the machine.
  ///
  /// When this returns, the resulting notices have been handled, unless this is called while one is.
  ///
  /// - Throws: why the event is refused; then nothing has changed.
  package func apply(_ event: Event) throws(Refusal) {
    try use { manager in Result { () throws(Refusal) in try manager.apply(event) } }.get()
  }

  /// Applies a reload to the machine, with the providers of new and changed initializers (S27).
  ///
  /// - Throws: why it is refused; then nothing has changed.
  package func reload(_ reload: Reload, providers: [String: (any InitializerProvider)?]) throws(Refusal) {
    try use { manager in Result { () throws(Refusal) in try manager.reload(reload, providers: providers) } }.get()
  }

  /// Queries the machine.
  ///
  /// Reads from the machine without returning it: its next step would have to copy it.
  package func read<Value: Sendable>(_ query: @Sendable (inout Machine) -> Value) -> Value { use { $0.query(query) } }

  /// Calls a function of the manager.
  package func use<Value: Sendable>(_ body: (isolated InitManager) -> Value) -> Value { manager.assumeIsolated(body) }

  /// Whether shutting down has begun (S24).
  package var isEnding: Bool { read { $0.isEnding } }

  /// Returns whether an initializer with this name is known.
  package func isKnown(_ name: String) -> Bool { read { $0.provider(of: name) != nil } }
}
