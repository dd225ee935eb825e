/// Params of `wait` (protocol §4).
public struct WaitParams: Sendable, Equatable {
  /// The target: one of `for`, `initializer` and `pass`; without any of them, `ready`.
  public enum Target: Sendable, Equatable {
    /// The composite is complete while the lifecycle is active.
    case ready
    /// The launch state.
    case launch
    /// The active state.
    case active
    /// The composite of both (S1).
    case composite
    /// The last outcome of an initializer.
    case initializer(String)
    /// The end of a pass.
    case pass(Int)
  }

  /// The values of `for`.
  fileprivate enum State: String, WireWord { case ready, launch, active, composite }

  /// The target.
  public var target: Target
  /// The timeout in seconds, after which the answer is −32003; nil for none.
  public var timeout: Double?
  /// Whether to wait even for a name that isn't declared; without this the answer is −32004.
  public var appear: Bool

  /// A wait for a target.
  public init(for target: Target = .ready, timeout: Double? = nil, appear: Bool = false) {
    self.target = target
    self.timeout = timeout
    self.appear = appear
  }
}

extension WaitParams: Shape {
  /// An empty value, to be filled by reading.
  package init() { self.init(for: .ready) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    var (state, name, pass) = target.members
    let given = [("for", json.has("for")), ("initializer", json.has("initializer")), ("pass", json.has("pass"))].filter(
      \.1)
    if given.count > 1 {
      let reason = "must not be given with \"\(given[0].0)\": wait for one thing at a time"
      throw ShapeFault(path: ".\(given[1].0)", reason: reason)
    }
    try json.optional("for", &state)
    try json.optional("initializer", &name, .initializerName)
    try json.optional("pass", &pass, .positive)
    target = Target(state, name, pass)
    try json.optional("timeout", &timeout, .seconds)
    var appears: Bool? = appear ? true : nil
    try json.optional("appear", &appears)
    appear = appears ?? false
  }
}

extension WaitParams.Target {
  /// The values of the members `for`, `initializer` and `pass`; only one of them is not nil.
  fileprivate var members: (WaitParams.State?, String?, Int?) {
    switch self {
    case .ready: (.ready, nil, nil)
    case .launch: (.launch, nil, nil)
    case .active: (.active, nil, nil)
    case .composite: (.composite, nil, nil)
    case .initializer(let name): (nil, name, nil)
    case .pass(let number): (nil, nil, number)
    }
  }

  fileprivate init(_ state: WaitParams.State?, _ name: String?, _ pass: Int?) {
    self =
      switch (state, name, pass) {
      case (_, let name?, _): .initializer(name)
      case (_, _, let pass?): .pass(pass)
      case (.launch, _, _): .launch
      case (.active, _, _): .active
      case (.composite, _, _): .composite
      case (.ready, _, _), (nil, nil, nil): .ready
      }
  }
}
