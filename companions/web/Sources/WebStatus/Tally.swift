internal import Passes

/// Counts events since this program was started: the values only grow, even if another supervisor follows.
struct Tally: Sendable {
  /// A run's outcome, for an initializer.
  struct RunKey: Hashable, Comparable {
    var initializer: String
    var outcome: Outcome

    static func < (left: Self, right: Self) -> Bool {
      (left.initializer, left.outcome.rawValue) < (right.initializer, right.outcome.rawValue)
    }
  }

  /// A pass's outcome.
  struct PassKey: Hashable {
    var phase: Phase
    var outcome: Outcome
  }

  /// The number of initializers that have metrics of their own; all further initializers share one label.
  static let nameLimit = 100
  /// The label of the others: no initializer can have this name.
  static let otherName = "_other"

  var runs: [RunKey: Int] = [:]
  var durations: [String: Histogram] = [:]
  var queues: [String: Histogram] = [:]
  var cpu: [String: Double] = [:]
  var passDurations = Dictionary(uniqueKeysWithValues: Phase.allCases.map { ($0, Histogram()) })
  /// How long the last complete pass took.
  var lastPasses: [Phase: Double] = [:]
  var retries: [String: Int] = [:]
  var passes: [PassKey: Int] = [:]
  var restarts: [String: Int] = [:]
  var lostEvents = 0

  private var instance = ""
  private var names: Set<String> = []
  private var lastRestarts: [String: Int] = [:]

  /// Begins with a supervisor; the numbers of another supervisor start again.
  mutating func begin(instance: String) {
    guard instance != self.instance else { return }
    self.instance = instance
    lastRestarts = [:]
  }

  /// Counts a pass with its runs.
  mutating func count(_ pass: EndedPass) {
    passes[PassKey(phase: pass.phase, outcome: pass.outcome), default: 0] += 1
    if pass.outcome == .complete { passDurations[pass.phase, default: Histogram()].add(pass.openDuration) }
    for run in pass.runs {
      let label = label(run.initializer)
      runs[RunKey(initializer: label, outcome: run.outcome), default: 0] += 1
      if run.outcome == .complete { durations[label, default: Histogram()].add(run.duration) }
      if run.attempt > 1 { retries[label, default: 0] += 1 }
      if let queued = run.queued { queues[label, default: Histogram()].add(queued) }
      if let seconds = run.cpu { cpu[label, default: 0] += seconds }
    }
  }

  /// Counts the restarts of a process since it was counted last.
  mutating func count(_ process: KeptProcess) {
    let new = process.restarts - (lastRestarts[process.name] ?? 0)
    restarts[process.name, default: 0] += max(new, 0)
    lastRestarts[process.name] = process.restarts
  }

  /// Forgets a process that a reload has removed.
  mutating func forget(process name: String) {
    lastRestarts[name] = nil
    restarts[name] = nil
  }

  private mutating func label(_ name: String) -> String {
    guard !names.contains(name) else { return name }
    guard names.count < Self.nameLimit else { return Self.otherName }
    names.insert(name)
    return name
  }
}
