/// Params of `wait` (protocol §4).
public struct WaitParams: Sendable, Equatable {
  /// The target of a wait: one of `for`, `initializer` and `pass`; default `ready`.
  public enum Target: Sendable, Equatable {
    /// The composite is complete while the lifecycle is active.
    case ready
    /// The launch state.
    case launch
    /// The active state.
    case active
    /// Both together (S1).
    case composite
    /// The last outcome of an initializer.
    case initializer(String)
    /// The end of a pass.
    case pass(Int)
  }

  /// The words of `for`.
  private enum Phase: String, CaseIterable { case ready, launch, active, composite }

  /// What is awaited.
  public var target: Target
  /// The timeout in seconds, after which the answer is −32003; nil for none.
  public var timeout: Double?
  /// Whether to wait for an undeclared name, instead of answering −32004.
  public var appear: Bool

  /// A wait for something.
  public init(for target: Target = .ready, timeout: Double? = nil, appear: Bool = false) {
    self.target = target
    self.timeout = timeout
    self.appear = appear
  }

  /// Reads the params.
  ///
  /// - Throws: −32602 for wrong members, and for more than one of `for`, `initializer` and `pass`.
  init(_ params: ParamsReader) throws(WireError) {
    let given = ["for", "initializer", "pass"].filter { params[$0] != nil }
    if given.count > 1 {
      throw params.wrong(given[1], "must not be given with \"\(given[0])\": wait for one thing at a time")
    }
    if let phase = try params["for"]?.word(Phase.self) {
      target =
        switch phase {
        case .ready: .ready
        case .launch: .launch
        case .active: .active
        case .composite: .composite
        }
    } else if let name = try params["initializer"]?.initializerName() {
      target = .initializer(name)
    } else if let pass = try params["pass"]?.positiveInteger() {
      target = .pass(pass)
    } else {
      target = .ready
    }
    timeout = try params["timeout"]?.seconds()
    appear = try params["appear"]?.boolean() ?? false
  }
}

extension WaitParams: Encodable {
  private enum Key: String, CodingKey {
    case phase = "for"
    case initializer, pass, timeout, appear
  }

  /// Writes the params.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch target {
    case .ready: try container.encode("ready", forKey: .phase)
    case .launch: try container.encode("launch", forKey: .phase)
    case .active: try container.encode("active", forKey: .phase)
    case .composite: try container.encode("composite", forKey: .phase)
    case .initializer(let name): try container.encode(name, forKey: .initializer)
    case .pass(let number): try container.encode(number, forKey: .pass)
    }
    try container.encodeIfPresent(timeout, forKey: .timeout)
    if appear { try container.encode(true, forKey: .appear) }
  }
}
