public import InitJSON

extension Status {
  /// A state (protocol §3): of a phase, of the composite, or, in the answer to `wait`, of its target.
  ///
  /// `{"state":"pending"}`, `{"state":"complete","pass":1}`, `{"state":"failed","error":{…}}`, `{"state":"cancelled"}`
  public struct State: Sendable, Shape {
    /// The states' names.
    public enum Name: String, WireWord {
      /// The target is neither complete nor failed.
      case pending
      /// Done.
      case complete
      /// Failed; there is an error.
      case failed
      /// Cancelled: an outcome of an initializer or a pass, never the state of a phase (S11).
      case cancelled
    }

    /// The state's name.
    public var state: Word<Name> = .unknown("")
    /// The error, if it failed.
    public var error: InitializationError?
    /// The number of the last launch or active pass, if there was one.
    public var pass: Int?

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a state with its error, if it failed, and its pass, if there was one.
    package init(_ state: Name, error: InitializationError? = nil, pass: Int? = nil) {
      self.state = .known(state)
      self.error = error
      self.pass = pass
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("state", &state)
      try json.optional("error", &error)
      try json.optional("pass", &pass)
    }
  }
}
