internal import Passes

/// Counts what has happened since this program was started: the values only grow, even if another supervisor takes over.
struct Tally: Sendable {
  /// A run's outcome, for an initializer.
  struct RunKey: Hashable, Comparable {
    var initializer: String
    var outcome: String

    static func < (left: Self, right: Self) -> Bool {
      (left.initializer, left.outcome) < (right.initializer, right.outcome)
    }
  }

  /// A pass's outcome.
  struct PassKey: Hashable, Comparable {
    var phase: Phase
    var outcome: String

    static func < (left: Self, right: Self) -> Bool {
      (left.phase.rawValue, left.outcome) < (right.phase.rawValue, right.outcome)
    }
  }

  /// How many initializers have metrics of their own; all further ones share one label.
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
  private var lastRuns: [String: Initializer.Run] = [:]
  private var lastRestarts: [String: Int] = [:]

  /// Begins with a supervisor; the numbers of another one start again.
  mutating func begin(instance: String) {
    guard instance != self.instance else { return }
    self.instance = instance
    lastRuns = [:]
    lastRestarts = [:]
  }

  /// Counts an initializer's last run, unless it was counted.
  mutating func count(_ initializer: Initializer) {
    guard let run = initializer.run else { return }
    let last = lastRuns[initializer.name]
    guard last != run else { return }
    let label = label(initializer.name)
    // Attempts in between may have been missed; their number is known.
    let before = last.map { $0.pass == run.pass ? $0.attempt : 1 } ?? 1
    if run.attempt > before { retries[label, default: 0] += run.attempt - before }
    if let duration = run.duration, last?.number != run.number || last?.duration == nil {
      let outcome =
        switch initializer.status {
        case "complete": "complete"
        case "cancelled": "cancelled"
        // Waiting: for the next attempt.
        default: "failed"
        }
      runs[RunKey(initializer: label, outcome: outcome), default: 0] += 1
      if outcome == "complete" { durations[label, default: Histogram()].add(duration) }
    }
    lastRuns[initializer.name] = run
  }

  /// Counts the durations of a pass and its runs.
  mutating func count(_ pass: EndedPass) {
    if pass.outcome == .complete { passDurations[pass.phase, default: Histogram()].add(pass.openDuration) }
    for run in pass.runs {
      let label = label(run.initializer)
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

  /// Counts the end of a pass.
  mutating func endPass(_ phase: Phase, outcome: String) {
    passes[PassKey(phase: phase, outcome: outcome), default: 0] += 1
  }

  /// Forgets the last run of an initializer; its counts stay.
  mutating func forget(initializer name: String) { lastRuns[name] = nil }

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
