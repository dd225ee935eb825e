/// The value of the key `host`: the states of a supervisor, as its agent knows them.
package struct HostRecord: Record {
  /// The name of the host.
  package var host: String
  /// Identifies the agent.
  package var agent: String
  /// The time at which this was written, in seconds since the Unix epoch, by that host's clock.
  package var time: Double
  /// The release of the host; nil if its manifest has no initializer that runs once for a release.
  package var release: String?
  /// Why the agent has no connection to the supervisor; then the states are the last known ones.
  package var trouble: String?
  /// The app's lifecycle: `active` or `inactive`.
  package var lifecycle = "inactive"
  /// Whether an initializer belongs to the active phase; nil from an agent of an earlier edition, which didn't tell.
  package var hasActivePhase: Bool?
  /// The launch phase's state.
  package var launch = PhaseRecord.pending
  /// The active phase's state.
  package var active = PhaseRecord.pending
  /// The composite state of launch and active (S1).
  package var composite = PhaseRecord.pending
  /// The names of initializers that are running, at most ``mostNames``; nil if none is.
  package var running: [String]?
  /// The names of initializers that wait for another host, at most ``mostNames``; nil if none does.
  ///
  /// The progress of that host's run is in ``ClaimRecord/progress``. Agents of an earlier edition write it here, after the name.
  package var waiting: [String]?
  /// The last order that the agent got.
  package var order: OrderOutcome?

  /// How many names of running and of waiting initializers a record has.
  package static let mostNames = 3

  /// Creates the record of a host whose state isn't known yet.
  package init(host: String, agent: String, time: Double) {
    self.host = host
    self.agent = agent
    self.time = time
  }

  /// Whether the app is active.
  package var isActive: Bool { lifecycle == "active" }

  /// Returns how close the host is to the target.
  ///
  /// A host of another release than `wanted` hasn't begun; nil stands for any release.
  package func progress(to target: FleetTarget, release wanted: String? = nil) -> HostProgress {
    if let wanted, release != wanted {
      return .waiting(release.map { "its release is \($0)" } ?? "its release isn't known")
    }
    if let trouble { return .waiting(trouble) }
    // Without an active phase, launch makes an inactive app ready (S1).
    let needsOnlyLaunch = target == .ready && !isActive && hasActivePhase == false
    let phases: [(name: String, record: PhaseRecord)] =
      switch target {
      case .ready where needsOnlyLaunch: [("launch", launch)]
      case .launch: [("launch", launch)]
      case .active: [("active", active)]
      case .composite, .ready: [("launch", launch), ("active", active)]
      }
    for (name, record) in phases where record.state == .failed {
      return .failed("\(name) failed: \(record.error?.message ?? "no reason given")")
    }
    if target == .ready, !isActive, !needsOnlyLaunch, launch.state == .complete {
      return .waiting("the app isn't active")
    }
    guard let open = phases.first(where: { $0.record.state != .complete }) else { return .ready }
    let parts = [Self.words(running, "is running", "are running"), Self.words(waiting, "waits", "wait")]
    let reasons = parts.compactMap(\.self)
    return .waiting(
      reasons.isEmpty ? "\(open.name) is \(open.record.state.rawValue)" : reasons.joined(separator: "; "))
  }

  private static func words(_ names: [String]?, _ one: String, _ many: String) -> String? {
    guard let names, !names.isEmpty else { return nil }
    return "\(names.joined(separator: ", ")) \(names.count == 1 ? one : many)"
  }
}

/// The state of a phase.
package struct PhaseRecord: Record {
  /// The states.
  package enum State: String, Codable, Sendable {
    case pending, complete, failed
  }

  /// Why a phase has failed.
  package struct Failure: Record {
    /// The initializer.
    package var initializer: String?
    /// The reason, for people.
    package var message: String

    package init(initializer: String? = nil, message: String) {
      self.initializer = initializer
      self.message = message
    }
  }

  /// The state.
  package var state: State
  /// Why the phase has failed.
  package var error: Failure?

  package init(_ state: State, error: Failure? = nil) {
    self.state = state
    self.error = error
  }

  package static let pending = PhaseRecord(.pending)
  package static let complete = PhaseRecord(.complete)
}

/// A state of each supervisor that a user may wait for.
package enum FleetTarget: String, Sendable, CaseIterable {
  /// Launch and active are complete while the app is active.
  case ready
  /// Launch is complete.
  case launch
  /// The active phase is complete.
  case active
  /// Both phases are complete (S1).
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
package struct CandidateRecord: Record {
  /// The name of the host.
  package var host: String

  package init(host: String) { self.host = host }
}
