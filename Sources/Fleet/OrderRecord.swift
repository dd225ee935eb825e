package import InitJSON
package import InitWire

/// The value of the key `order`: what a host is to do.
package struct OrderRecord: Shape {
  /// What to do.
  package enum Action: String, WireWord {
    /// Make the app active, and wait until the pass has ended.
    case activate
    /// Make the app inactive, and wait until the cancelled runs have stopped.
    case deactivate
  }

  /// Differs from that of every other order.
  package var id = ""
  /// What to do.
  package var action: Word<Action> = .unknown("")

  package init() {}
  package init(id: String, action: Action) {
    self.id = id
    self.action = .known(action)
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("id", &id)
    try json.required("action", &action)
  }
}

/// The outcome of an order.
package struct OrderOutcome: Shape {
  /// The state of the work.
  package enum State: String, WireWord {
    /// The order is being carried out.
    case running
    /// The order is done.
    case complete
    /// The order has failed.
    case failed
  }

  /// The order.
  package var id = ""
  /// The state of the work.
  package var state: Word<State> = .unknown("")
  /// Why it has failed.
  package var message: String?
  /// The runs that it has cancelled.
  package var cancelled: [String]?

  package init() {}
  package init(id: String, _ state: State, message: String? = nil, cancelled: [String]? = nil) {
    self.id = id
    self.state = .known(state)
    self.message = message
    self.cancelled = cancelled
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("id", &id)
    try json.required("state", &state)
    try json.optional("message", &message)
    try json.optional("cancelled", &cancelled)
  }
}
