internal import InitCore
internal import InitHistory
package import InitModel
internal import InitText
package import InitTimeline
internal import InitWords

/// Predicts how a recorded pass, or launch and active together, would have gone if something had been different.
///
/// Executes the recorded graph again with the supervisor's machine, in simulated time: with the recorded outcomes, attempts and
/// registrations, and with the needs of the runs. A retry keeps its place during its pauses (S16), so only their sum matters: each lasts
/// the mean of the recorded ones.
package struct Forecaster: Sendable {
  /// The recorded pass.
  let timeline: Timeline
  let initializers: [Initializer]
  let graph: ExecutedGraph
  /// The cores that the runs need.
  let workload: Workload
  private lazy var needs = workload.needs()
  /// Whether a complete start is predicted: the recorded pass failed or was cancelled, so its duration can't be compared with a start.
  let isStart: Bool
  private let usual: [Phase: [String: Usual.Initializer]]
  /// The initializers that would run in a start although they didn't run in the recorded pass.
  private let others: [Phase?: [String: Unstarted]]

  /// Creates the forecaster of a pass, or of launch and the active pass that waited for it.
  ///
  /// - Parameters:
  ///   - timeline: the recorded pass.
  ///   - initializers: all initializers in the order of registration, which decides the order of runs (S6).
  ///   - usual: the usual durations of the phases and their initializers.
  package init(_ timeline: Timeline, among initializers: [Initializer], usual: [Usual] = []) {
    self.timeline = timeline
    self.initializers = initializers
    graph = ExecutedGraph(timeline)
    workload = Workload(graph, timeline.pass)
    isStart = [.failed, .cancelled].contains(timeline.outcome)
    others = Dictionary(grouping: timeline.unstarted.filter { !$0.isDone }) { $0.phase }
      .mapValues { Dictionary($0.map { ($0.name, $0) }) { first, _ in first } }
    let known = usual.compactMap { each in each.phase.known.map { ($0, each) } }
    self.usual = Dictionary(
      known.map { phase, each in
        (phase, Dictionary(each.initializers.map { ($0.name, $0) }) { first, _ in first })
      }
    ) { first, _ in first }
  }

  /// Returns the forecast with these changes.
  package mutating func forecast(_ whatIf: WhatIf) -> Forecast {
    let concurrency = whatIf.concurrency ?? timeline.pass.concurrency ?? 1
    let isMeasured = whatIf.isUnchanged(from: timeline.pass) && !isStart
    let groups = (timeline.pass.groups?.places ?? [:]).merging(whatIf.groups) { $1 }
    let needs = isMeasured ? Workload.Needs(demands: [:], sharing: nil) : self.needs
    let input = SimulationInput(self, needs, whatIf)
    let missing = isStart ? nil : graph.nodes.last.flatMap { $0.start == nil ? $0 : nil }
    let isCrowded = needs.isCrowded(concurrency) || needs.isCrowded(timeline.pass.concurrency ?? 1)
    var simulation = Simulation(
      input, concurrency: concurrency, groups: groups, sharing: isCrowded ? needs.sharing : nil,
      patience: missing.map { $0.ended - graph.lastEnd }, passes: timeline.joint == nil ? 1 : 2)
    var passes = simulation.run()
    if !isMeasured, let last = passes.indices.last {
      // The supervisor starts and ends one run at a time.
      let runs = passes.reduce(0) { $0 + $1.runs.count }
      let least = Duration.seconds(workload.supervisorPerRun * Double(runs))
      passes[last].ended = passes[last].ended.map { max($0, least) }
    }
    let predicted = timeline(of: passes.map { shape($0, concurrency) }, concurrency)
    var failure: Failure?
    for pass in passes { if case .failed(let first) = pass.outcome, isStart { failure = failure ?? first } }
    return Forecast(
      input, predicted.adding(unstarted: unstarted(missing, in: predicted.pass.runs, whatIf)), isStart: isStart,
      isMeasured: isMeasured, failure: failure, cpu: isMeasured ? workload.cpu : simulation.cpu)
  }

  /// Returns whether an initializer runs in forecasts, if nothing is changed.
  package func runs(_ name: String) -> Bool {
    graph.nodes.contains { $0.start != nil && $0.name == name }
      || isStart && phases.contains { unstarted(name, in: $0) != nil }
  }

  /// Returns whether an initializer itself waited for another one, or would in a start.
  package func depends(_ dependency: WhatIf.Dependency) -> Bool {
    graph.nodes.contains { $0.name == dependency.dependent && $0.waitedFor.contains(dependency.dependency) }
      || isStart
        && phases.contains {
          unstarted(dependency.dependent, in: $0)?.dependencies.contains(dependency.dependency) == true
        }
  }

  private func timeline(of passes: [Pass], _ concurrency: Int) -> Timeline {
    if timeline.joint != nil, passes.count == 2 {
      return Timeline(joining: passes[0], passes[1], now: passes[1].started + (passes[1].duration ?? 0))
    }
    let none = Pass(
      pass: timeline.pass.pass, phase: timeline.pass.phase.known ?? .launch, started: 0, opened: 0, duration: 0,
      outcome: nil, concurrency: concurrency, cores: timeline.pass.cores, runs: [])
    let pass = passes.first ?? none
    return Timeline(pass, now: pass.duration ?? 0)
  }

  private func shape(_ pass: History.PassRecord, _ concurrency: Int) -> Pass {
    let own = timeline.joint.map { pass.phase == .launch ? $0.launch : $0.active } ?? timeline.pass
    var outcome = own.outcome?.known
    if isStart { if case .failed = pass.outcome { outcome = .failed } else { outcome = .complete } }
    return Pass(
      pass: own.pass, phase: own.phase.known ?? pass.phase, started: pass.started.inSeconds,
      opened: (pass.opened ?? pass.started).inSeconds, duration: ((pass.ended ?? .zero) - pass.started).inSeconds,
      outcome: outcome, error: isStart ? nil : own.error, concurrency: concurrency,
      cores: own.cores ?? timeline.pass.cores,
      runs: pass.runs.map { Pass.Run($0, seconds: \.inSeconds) })
  }

  /// Returns the initializer that the pass waited for at its end, if it doesn't start in the forecast either.
  private func unstarted(_ missing: ExecutedNode?, in runs: [Pass.Run], _ whatIf: WhatIf) -> [Unstarted] {
    guard let missing, !whatIf.without.contains(missing.name),
      !runs.contains(where: { $0.initializer == missing.name })
    else { return [] }
    let ready = runs.filter { missing.waitedFor.contains($0.initializer) }.reduce(0) {
      max($0, $1.started + ($1.duration ?? 0))
    }
    return [
      Unstarted(
        name: missing.name, phase: missing.phase, dependencies: missing.waitedFor, ready: ready,
        status: .known(.waiting), isDone: false)
    ]
  }

  /// The phases that are executed; `nil` for the phase of a single pass.
  var phases: [Phase?] { timeline.joint == nil ? [nil] : [.launch, .active] }

  /// When the app was activated, in seconds from the opening, if launch and the active pass are executed.
  var activation: Double? { timeline.joint.map { max(0, $0.active.started - graph.opened) } }

  /// Returns an initializer that belongs to the recorded pass, and would run in a start.
  func unstarted(_ name: String, in phase: Phase?) -> Unstarted? {
    others[phase]?[name]
  }

  /// How long an initializer usually takes.
  func usual(_ name: String, in phase: Phase?) -> Usual.Initializer? {
    (phase ?? timeline.pass.phase.known).flatMap { usual[$0]?[name] }
  }
}

extension ExecutedGraph {
  /// When the last run ended.
  fileprivate var lastEnd: Double { nodes.filter { $0.start != nil }.reduce(opened) { max($0, $1.ended) } }
}
