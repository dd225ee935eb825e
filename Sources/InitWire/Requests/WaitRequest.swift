package import InitJSON
package import InitModel
package import InitWords

/// Waits until something isn't pending any more: its result is the state, even if it is failed (protocol §4).
package struct WaitRequest: ClientRequest, Shape {
  package static let method = "wait"
  package static let roles: [Role] = [.observe]
  package static let since = "0.1.0"

  /// The target: one of `for`, `initializer` and `pass`; without any of them, `ready`.
  package var target: WaitTarget
  /// The timeout in seconds, after which the answer is −32003; nil for none.
  package var timeout: Double?
  /// Whether to wait even for a name that isn't declared; without this the answer is −32004.
  package var appear: Bool

  package init(for target: WaitTarget = .ready, timeout: Double? = nil, appear: Bool = false) {
    self.target = target
    self.timeout = timeout
    self.appear = appear
  }

  package init() { self.init(for: .ready) }

  package var isWait: Bool { true }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var state: WaitTarget.State? = if case .state(let state) = target { state } else { nil }
    var name: String? = if case .initializer(let name) = target { name } else { nil }
    var pass: Int? = if case .pass(let number) = target { number } else { nil }
    let given = [("for", json.has("for")), ("initializer", json.has("initializer")), ("pass", json.has("pass"))].filter(
      \.1)
    if given.count > 1 {
      let reason = "must not be given with \"\(given[0].0)\": wait for one thing at a time"
      throw ShapeFault(path: ".\(given[1].0)", reason: reason)
    }
    try json.optional("for", &state)
    try json.optional("initializer", &name, .initializerName)
    try json.optional("pass", &pass, .positive)
    target = name.map(WaitTarget.initializer) ?? pass.map(WaitTarget.pass) ?? .state(state ?? .ready)
    try json.optional("timeout", &timeout, .seconds)
    var appears: Bool? = appear ? true : nil
    try json.optional("appear", &appears)
    appear = appears ?? false
  }

  package typealias Result = Status.State
}
