package import InitJSON
package import InitWire

/// The value of the key `order`: what a host is to do.
package struct OrderRecord: Shape {
  /// What to do.
  package enum Action: String, WireWord {
    /// Make the app active, and wait for the end of the pass.
    case activate
    /// Make the app inactive, and wait until the cancelled runs have stopped.
    case deactivate
  }

  /// Differs from that of every other order.
  package var id = ""
  /// What to do.
  package var action: Word<Action> = .unknown("")

  package init() {}
  package init(id: String, action: Action) { (self.id, self.action) = (id, .known(action)) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("id", &id)
    try json.required("action", &action)
  }
}

/// What has become of an order.
package struct OrderOutcome: Shape {
  /// How far it is.
  package enum State: String, WireWord {
    /// It is being carried out.
    case running
    /// It is done.
    case complete
    /// It has failed.
    case failed
  }

  /// The order.
  package var id = ""
  /// How far it is.
  package var state: Word<State> = .unknown("")
  /// Why it has failed.
  package var message: String?
  /// The runs that it has cancelled.
  package var cancelled: [String]?

  package init() {}
  package init(id: String, _ state: State, message: String? = nil, cancelled: [String]? = nil) {
    (self.id, self.state, self.message, self.cancelled) = (id, .known(state), message, cancelled)
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("id", &id)
    try json.required("state", &state)
    try json.optional("message", &message)
    try json.optional("cancelled", &cancelled)
  }
}
