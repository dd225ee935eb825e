import InitModel
import InitWire
import InitWords

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

extension Initializer {
  /// An initializer of the launch phase.
  static func fake(
    _ name: String, _ status: InitializerStatus, after dependencies: String..., priority: Priority = .appLaunch,
    provider: ProviderKind = .command, _ change: (inout Initializer) -> Void = { _ in }
  ) -> Initializer {
    var shape = Initializer(
      name: name, priority: priority, dependencies: dependencies, provider: provider, available: true, status: status)
    change(&shape)
    return shape
  }

  /// It runs, or ran, in pass 1 from 990 on.
  func ran(for duration: Double? = nil, in phase: Phase = .launch, pass: Int = 1) -> Initializer {
    var copy = self
    copy.run = 7
    copy.attempt = 1
    copy.pass = pass
    copy.phase = .known(phase)
    copy.started = 990
    copy.duration = duration
    return copy
  }

  /// It failed with exit status 3.
  func failing() -> Initializer {
    var copy = self
    copy.error = .exit3(name)
    return copy
  }

  /// Its definition has changed since it failed.
  func changed() -> Initializer {
    var copy = self
    copy.changed = true
    return copy
  }
}

extension InitializationError {
  static func exit3(_ name: String) -> InitializationError {
    InitializationError(
      initializer: name, reason: .initializerFailed(cause: .exit(status: 3)), message: "\(name) failed: exit status 3")
  }
}

extension Status {
  /// A Status at the moment 1000, in which launch is in flight.
  static func fake(
    _ initializers: [Initializer], launch: Status.State = Status.State(.pending, pass: 1),
    active: Status.State = Status.State(.pending), lifecycle: Lifecycle = .active, concurrency: Int = 1
  ) -> Status {
    var composite = Status.State(.pending)
    if let failed = [launch, active].first(where: { $0.state == .failed }) {
      composite = failed
    } else if launch.state == .complete, active.state == .complete {
      composite = Status.State(.complete)
    }
    return Status(
      seq: 1, time: 1000, instance: "6f0c", pid: 1, uptime: 10, lifecycle: lifecycle, launch: launch, active: active,
      composite: composite, holds: 0, concurrency: concurrency, initializers: initializers, workers: [])
  }
}

extension Explanation {
  /// The names in the tree, with their causes: `a(b(c),d)`.
  var outline: String { because.isEmpty ? name : "\(name)(\(because.map(\.outline).joined(separator: ",")))" }

  /// The number of levels below the node.
  var depth: Int { 1 + (because.map(\.depth).max() ?? 0) }

  /// The number of the tree's nodes.
  var count: Int { because.reduce(1) { $0 + $1.count } }

  static func of(_ name: String, _ status: Status, usual: [Usual] = []) -> Explanation? {
    WhyTree.why(.initializer(name), in: Situation(status, usual: usual))
  }

  static func readiness(_ status: Status) -> Explanation? { WhyTree.why(.ready, in: Situation(status)) }
}
