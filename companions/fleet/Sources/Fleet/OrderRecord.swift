/// The value of the key `order`: what a host must do.
package struct OrderRecord: Record {
  /// Run launch, or retry it if it has failed, and wait until the pass has ended.
  package static let launch = "launch"
  /// Make the app active, and wait until the pass has ended.
  package static let activate = "activate"
  /// Make the app inactive, and wait until the cancelled runs have stopped.
  package static let deactivate = "deactivate"

  /// Differs from the identifier of every other order.
  package var id: String
  /// What to do.
  package var action: String

  package init(id: String, action: String) {
    self.id = id
    self.action = action
  }
}

/// The outcome of an order.
package struct OrderOutcome: Record {
  /// The state of the work.
  package enum State: String, Codable, Sendable {
    /// The order is being carried out.
    case running
    /// The order is done.
    case complete
    /// The order has failed.
    case failed
  }

  /// The order.
  package var id: String
  /// The state of the work.
  package var state: State
  /// Why the order has failed.
  package var message: String?
  /// The runs that the agent has cancelled.
  package var cancelled: [String]?

  package init(id: String, _ state: State, message: String? = nil, cancelled: [String]? = nil) {
    self.id = id
    self.state = state
    self.message = message
    self.cancelled = cancelled
  }
}
