package import InitJSON
package import InitWire
package import InitWords

/// The value of the key `host`: the states of a supervisor, as its agent knows them.
package struct HostRecord: Shape {
  /// The name of the host.
  package var host = ""
  /// Identifies the agent.
  package var agent = ""
  /// When this was written, in seconds since the Unix epoch, by that host's clock.
  package var time = 0.0
  /// Why the agent knows nothing of the supervisor; then the states are the last that it knew.
  package var trouble: String?
  /// The app's lifecycle.
  package var lifecycle: Word<Lifecycle> = .known(.inactive)
  /// The launch phase's state.
  package var launch = StateShape(.pending)
  /// The active phase's state.
  package var active = StateShape(.pending)
  /// The composite of both (S1).
  package var composite = StateShape(.pending)
  /// The names of initializers that are running, at most ``mostNames``.
  package var running: [String]?
  /// The last order that the agent got.
  package var order: OrderOutcome?

  /// How many names of running initializers a record has.
  package static let mostNames = 3

  package init() {}

  /// A host whose state isn't known yet.
  package init(host: String, agent: String, time: Double) {
    self.host = host
    self.agent = agent
    self.time = time
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("host", &host)
    try json.required("agent", &agent)
    try json.required("time", &time)
    try json.optional("trouble", &trouble)
    try json.required("lifecycle", &lifecycle)
    try json.required("launch", &launch)
    try json.required("active", &active)
    try json.required("composite", &composite)
    try json.optional("running", &running)
    try json.optional("order", &order)
  }

  /// Returns the host's progress towards a target.
  package func progress(to target: FleetTarget) -> HostProgress {
    if let trouble { return .waiting(trouble) }
    let phases: [(name: String, state: StateShape)] =
      switch target {
      case .launch: [("launch", launch)]
      case .active: [("active", active)]
      case .composite, .ready: [("launch", launch), ("active", active)]
      }
    for (name, state) in phases where state.state == .failed {
      return .failed("\(name) failed: \(state.error?.message ?? "no reason given")")
    }
    if target == .ready, lifecycle != .active, launch.state == .complete { return .waiting("the app isn't active") }
    guard let open = phases.first(where: { $0.state.state != .complete }) else { return .ready }
    guard let running, !running.isEmpty else { return .waiting("\(open.name) is \(open.state.state.rawValue)") }
    return .waiting("\(running.joined(separator: ", ")) \(running.count == 1 ? "is" : "are") running")
  }
}

/// A state of each supervisor that one may wait for.
package enum FleetTarget: String, Sendable, CaseIterable {
  /// Launch and active are complete while the app is active.
  case ready
  /// Launch is complete.
  case launch
  /// The active phase is complete.
  case active
  /// Both are complete (S1).
  case composite
}

/// The progress of a host towards a target.
package enum HostProgress: Sendable, Hashable {
  case ready
  /// The reason.
  case failed(String)
  /// The initializer that the host waits for.
  case waiting(String)
}

/// The value of a candidate's key.
package struct CandidateRecord: Shape {
  /// The name of the host.
  package var host = ""

  package init() {}
  package init(host: String) { self.host = host }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) { try json.required("host", &host) }
}
