internal import InitModel
internal import InitTimeline
internal import InitWire
internal import InitWords

/// The knowledge of `watch` about the supervisor: a Status that every event changes, and further data that it has fetched.
struct WatchModel {
  /// The topics whose events the model needs.
  static let topics: [Topic] = [.launch, .active, .composite, .lifecycle, .initializer, .pass, .worker]

  /// The connection to the supervisor.
  enum Link: Equatable {
    /// The connection is up.
    case up
    /// The connection is up, but the supervisor has been silent since this moment, and doesn't answer a ping.
    case silent(since: Double)
    /// The connection has been lost since this moment.
    ///
    /// If the supervisor was silent before, it has only been given up.
    case lost(since: Double, wasSilent: Bool = false)
    /// The connection has been up again since this moment, with a new supervisor or with the same one.
    case renewed(at: Double, isNew: Bool)
  }

  /// The Status, with all events until now.
  private(set) var status: Status
  /// How long phases and initializers usually take.
  var usual: [Usual] = []
  /// The last lines of failed runs, by the number of the run.
  var outputs: [Int: [String]] = [:]
  /// The lines of the initializer that is shown alone; nil until they are known.
  var log: [LogLine]?
  /// The connection.
  var link = Link.up
  /// Whether there are other supervisors, so it matters whose states these are.
  var hasOthers = false
  /// The socket's path.
  let path: String
  /// The number of passes that have ended since.
  ///
  /// Each may have changed the usual durations.
  private(set) var endedPasses = 0
  /// The number of connections so far.
  ///
  /// Runs of different supervisors may have the same numbers.
  private(set) var connections = 1

  private var indexes: [String: Int] = [:]

  /// Creates the model after a snapshot.
  init(_ status: Status, path: String) {
    self.status = status
    self.path = path
    indexAll()
  }

  /// Takes the snapshot of a new connection.
  mutating func renew(_ status: Status) {
    let isNew = status.instance != self.status.instance
    if isNew {
      outputs = [:]
      log = nil
    }
    link = .renewed(at: status.time, isNew: isNew)
    connections += 1
    replace(with: status)
  }

  mutating func apply(_ event: Status.Event) {
    switch event.body {
    case .state(let state):
      status.launch = state.launch
      status.active = state.active
      status.composite = state.composite
      status.lifecycle = state.lifecycle
      if state.launch.state == .complete { open(at: event.time) }
    case .initializer(let each):
      if let index = indexes[each.name] {
        status.initializers[index] = each
      } else {
        indexes[each.name] = status.initializers.count
        status.initializers.append(each)
      }
    case .initializerRemoved(let each):
      status.initializers.removeAll { $0.name == each.name }
      indexAll()
    case .pass(let pass): record(pass, at: event.time)
    case .snapshot(let status): replace(with: status)
    case .process(var process):
      // The event contains the uptime at its own time; the uptimes in a Status are at the time of the Status.
      if let time = event.time { process.uptime = process.uptime.map { $0 - (time - status.time) } }
      if let index = status.processes?.firstIndex(where: { $0.name == process.name }) {
        status.processes?[index] = process
      } else {
        status.processes?.append(process)
      }
    case .processRemoved(let process): status.processes?.removeAll { $0.name == process.name }
    case .worker, .log, .lagged, .shutdown, .unknown: break
    }
  }

  /// The first failed initializers, whose output is shown, with their runs.
  var failures: [(name: String, run: Int)] {
    status.initializers.lazy.filter { $0.status == .failed && $0.provider == .command }
      .compactMap { each in each.run.map { (each.name, $0) } }.prefix(RunOutput.count).map { $0 }
  }

  /// The first running commands, whose output is shown, with their runs.
  var running: [(name: String, run: Int)] {
    status.initializers.lazy.filter { $0.isInFlight && $0.pid != nil }
      .compactMap { each in each.run.map { (each.name, $0) } }.prefix(RunOutput.count).map { $0 }
  }

  /// Keeps only the output of runs that are still shown, and this.
  mutating func show(_ lines: [String], ofRun run: Int) {
    let shown = failures.map(\.run) + running.map(\.run)
    outputs = outputs.filter { shown.contains($0.key) }
    outputs[run] = lines
  }

  /// Records the number of a new pass.
  ///
  /// The event isn't a change of a state, so no other event contains it (S1).
  private mutating func record(_ pass: Status.Event.PassChange, at time: Double?) {
    if pass.status != .started { endedPasses += 1 }
    switch (pass.status, pass.phase.known) {
    case (.known(.started), let phase?):
      switch phase {
      case .launch: status.launch.pass = pass.pass
      case .active: status.active.pass = pass.pass
      }
      let isOpen = phase == .launch || status.launch.state == .complete
      status.inFlight?.append(Status.PassInFlight(pass: pass.pass, phase: phase, opened: isOpen ? time : nil))
    case (.known(.complete), _), (.known(.failed), _), (.known(.cancelled), _):
      status.inFlight?.removeAll { $0.pass == pass.pass }
    case (.known(.started), nil), (.unknown, _): break
    }
  }

  /// Opens the active pass that has waited for launch, which is complete.
  private mutating func open(at time: Double?) {
    for index in (status.inFlight ?? []).indices where status.inFlight?[index].opened == nil {
      status.inFlight?[index].opened = time
    }
  }

  private mutating func replace(with status: Status) {
    self.status = status
    indexAll()
  }

  private mutating func indexAll() {
    indexes = Dictionary(status.initializers.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }
}

extension WatchModel.Link {
  /// The time until which the supervisor's state is known; nil if the connection is up.
  var end: Double? {
    switch self {
    case .silent(let since), .lost(let since, _): since
    case .up, .renewed: nil
    }
  }
}
