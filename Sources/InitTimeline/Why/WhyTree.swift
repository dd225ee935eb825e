package import InitModel
package import InitWords

/// Builds the trees of `Explanation`.
///
/// Terms. A subject is *explained* at the node that lists its causes. Each subject is explained once; if it is a cause again, that node has
/// no causes. Below the maximum level, the initializers between a cause and the ends of its chains are left out. So a tree has a bounded
/// depth, and about as many nodes as initializers.
package struct WhyTree {
  /// A node of a tree.
  private enum Subject: Hashable {
    case initializer(String)
    case phase(Phase)
    /// The app's lifecycle.
    case app
    /// A kept process that doesn't run.
    case process(String)
  }

  /// The level at which chains of dependencies are cut.
  ///
  /// With this depth, the JSON of a tree is nested no deeper than 32 (protocol §2).
  private static let deepest = 10
  /// The maximum number of causes of one subject that were already listed.
  private static let mostRepeated = 3

  private let situation: Situation
  private var listed: Set<Subject> = []
  private var explained: Set<Subject> = []

  private init(_ situation: Situation) { self.situation = situation }

  /// Returns why the target of a wait isn't complete, or that it is; nil for an unknown name, and for a pass that isn't its phase's last
  /// one.
  package static func why(_ target: WaitTarget, in situation: Situation) -> Explanation? {
    var tree = WhyTree(situation)
    switch target {
    case .state(.ready): return tree.root("ready", needsActivity: true)
    case .state(.composite): return tree.root("composite", needsActivity: false)
    case .state(.launch): return tree.node(.phase(.launch), 0)
    case .state(.active): return tree.node(.phase(.active), 0)
    case .initializer(let name):
      if situation.initializer(name) != nil { return tree.node(.initializer(name), 0) }
      return tree.process(name).map { tree.explain($0) }
    case .pass(let number):
      let phase = Phase.allCases.first { situation.state(of: $0).pass == number }
      return phase.map { tree.node(.phase($0), 0) }
    }
  }

  private mutating func root(_ name: String, needsActivity: Bool) -> Explanation {
    let status = situation.status
    let isInactive = needsActivity && status.lifecycle == .inactive && situation.hasActivePhase
    // Without an active phase, launch makes an inactive app ready (S1).
    let needsOnlyLaunch = needsActivity && status.lifecycle == .inactive && !situation.hasActivePhase
    var causes: [Subject] = []
    if status.launch.state != .complete { causes.append(.phase(.launch)) }
    if isInactive, status.composite.state != .failed { causes.append(.app) }
    if causes.isEmpty, !needsOnlyLaunch, status.active.state != .complete { causes.append(.phase(.active)) }
    var state = (needsOnlyLaunch ? status.launch : status.composite).state.rawValue
    if isInactive, status.composite.state == .complete { state = Status.State.Name.pending.rawValue }
    var why = Explanation(name, state)
    if why.status == Status.State.Name.pending.rawValue {
      why.since = situation.start(of: .launch) ?? situation.start(of: .active)
    }
    why.because = children(causes, 1)
    // A process that should run, but doesn't, is reported whatever makes the app ready.
    if needsActivity, state == Status.State.Name.complete.rawValue { why.because += children(processes, 1) }
    return why
  }

  /// The kept processes that don't run.
  private var processes: [Subject] { situation.troubled.map { .process($0.name) } }

  private mutating func node(_ subject: Subject, _ level: Int) -> Explanation {
    listed.insert(subject)
    var why: Explanation
    var causes: [Subject]
    switch subject {
    case .app:
      return Explanation("app", situation.status.lifecycle.rawValue, remedy: "make it active with initctl activate")
    case .phase(let phase): (why, causes) = explain(phase)
    case .process(let name): return explain(process: name)
    case .initializer(let name):
      guard let each = situation.initializer(name) else { return undeclared(name) }
      (why, causes) = explain(each)
    }
    guard !causes.isEmpty else { return why }
    guard explained.insert(subject).inserted else {
      why.detail += (why.detail.isEmpty ? "" : " ") + "(see above)"
      return why
    }
    if level >= Self.deepest, case .initializer(let name) = subject {
      let (ends, between) = ends(of: name)
      if between > 0 {
        why.detail += ", and through \(between == 1 ? "one other" : "\(between) others") for what follows"
      }
      causes = ends
    }
    why.because = children(causes, level + 1)
    return why
  }

  private mutating func children(_ causes: [Subject], _ level: Int) -> [Explanation] {
    var repeated = 0
    var children: [Explanation] = []
    for cause in causes {
      if listed.contains(cause) {
        repeated += 1
        guard repeated <= Self.mostRepeated else { continue }
      }
      children.append(node(cause, level))
    }
    return children
  }

  private func explain(_ each: Initializer) -> (Explanation, [Subject]) {
    let reason = situation.reason(of: each)
    var why = Explanation(
      each.name, each.status.rawValue, situation.detail(of: each, reason), remedy: situation.remedy(of: each, reason))
    // The run is complete, but the process is as good as none.
    if case .unhealthy = reason { why.status = Status.Process.Trouble.unhealthy.rawValue }
    why.usual = situation.usual(each)
    why.since = since(each)
    why.pid = each.pid
    if each.error != nil || each.pid != nil { why.run = each.run }
    switch reason {
    case .dependencies(let names), .ends(let names), .place(let names), .group(_, let names):
      return (why, names.map { .initializer($0) })
    case .failure(let name), .undeclared(let name): return (why, [.initializer(name)])
    case .launch: return (why, [.phase(.launch)])
    case .inactive: return (why, situation.status.launch.state == .complete ? [] : [.phase(.launch)])
    case .nextPass(let phase): return (why, situation.state(of: phase).state == .failed ? [.phase(phase)] : [])
    case .provider:
      // Otherwise the process that registers it is unknown.
      return (why, each.process.flatMap(process).map { [.process($0.name)] } ?? processes)
    case .none where each.status == .failed && each.process == nil && each.hasNoWorker:
      // The process that should have registered it is unknown, and may be one that doesn't run.
      return (why, processes)
    case .none where each.status == .failed || each.status == .running:
      // The start of a kept process still runs while the process waits to be restarted.
      let name = each.status == .running && each.provider == .process ? each.name : each.process
      let troubled = situation.troubled.first { $0.name == name }
      return (why, troubled.map { [.process($0.name)] } ?? [])
    case .none, .turn, .notLaunched, .stopped, .unanswered, .unhealthy: return (why, [])
    }
  }

  /// Explains a process that is no initializer: it counts as complete while it runs.
  private func explain(_ process: Status.Process) -> Explanation {
    let condition = process.condition(at: situation.now, of: situation.status.time)
    if process.stoppedBy != nil {
      return Explanation(
        process.name, InitializerStatus.idle.rawValue, condition, remedy: "initctl start \(process.name)")
    }
    guard process.pid != nil, process.trouble(at: situation.now, of: situation.status.time) == nil else {
      return explain(process: process.name)
    }
    return Explanation(process.name, InitializerStatus.complete.rawValue, condition)
  }

  private func explain(process name: String) -> Explanation {
    let now = situation.now
    let time = situation.status.time
    guard let process = process(name) else { return Explanation(name, "") }
    let trouble = process.trouble(at: now, of: time) ?? (process.pid == nil ? .notRunning : .unregistered)
    if trouble == .unhealthy {
      let illness = Status.Process.illnessPhrase(since: process.unhealthySince, process.failure ?? "", now: now)
      return Explanation(name, trouble.rawValue, illness, remedy: process.remedy)
    }
    let isStarted = process.pid != nil || process.lastExit != nil
    var why = Explanation(
      name, trouble.rawValue, process.condition(at: now, of: time), remedy: isStarted ? process.remedy : nil)
    why.pid = process.pid
    why.run = trouble == .unregistered ? process.restarts + 1 : process.failedStart
    return why
  }

  /// Returns the kept process with this name.
  private func process(_ name: String) -> Status.Process? {
    (situation.status.processes ?? []).first { $0.name == name }
  }

  private func since(_ each: Initializer) -> Double? {
    switch each.status {
    case .known(.running), .known(.stopping): each.started
    case .known(.complete), .known(.failed), .known(.cancelled): each.ended
    case .known(.waiting): each.ended ?? situation.phase(of: each).flatMap(situation.start)
    case .known(.notRun): each.blockedBy.flatMap(situation.initializer)?.ended
    case .known(.idle), .known(.skipped), .unknown: nil
    }
  }

  private func explain(_ phase: Phase) -> (Explanation, [Subject]) {
    let state = situation.state(of: phase)
    var why = Explanation(phase.rawValue, state.state.rawValue)
    why.usual = situation.usual(phase)
    why.since = situation.start(of: phase)
    if let error = state.error {
      let isOfLaunch = phase == .active && situation.status.launch.error == error
      if isOfLaunch { return (why, [.phase(.launch)]) }
      // If the initializer was removed since then, and perhaps registered again, only the error of its failure is known.
      let known = (error.errors ?? [error]).map(\.initializer).filter {
        situation.initializer($0).map { $0.status != .idle } ?? false
      }
      guard known.isEmpty else { return (why, known.map { .initializer($0) }) }
      why.detail = error.message
      why.remedy = "fix it, then retry with initctl \(phase.command)"
      return (why, [])
    }
    guard state.state == .pending else { return (why, []) }
    switch phase {
    case .launch where state.pass == nil:
      why.detail = "it has not been started"
      why.remedy = "start it with initctl launch"
      return (why, [])
    case .active where situation.status.launch.state != .complete:
      let active = situation.status.initializers.filter { $0.priority == .appActive }
      why.detail = situation.launchPhrase(of: active.map(\.name))
      return (why, [.phase(.launch)])
    case .active where situation.status.lifecycle == .inactive:
      return (why, [.app] + situation.occupying(.active).map { .initializer($0) })
    case .launch, .active:
      let (done, total) = situation.tally(of: phase)
      why.detail = "\(done) of \(total) complete"
      let others = phase == .launch ? situation.unhealthyOthers : []
      return (why, situation.frontier(of: phase).map { .initializer($0) } + others.map { .process($0) })
    }
  }

  private func undeclared(_ name: String) -> Explanation {
    let meant = situation.nearest(to: name).map { "did you mean \"\($0)\"?" }
    return Explanation(
      name, "undeclared", remedy: "declare it, or start the worker that registers it" + (meant.map { "; \($0)" } ?? ""))
  }

  /// Returns the ends of all chains of dependencies from an initializer that haven't been listed, and how many initializers are between.
  private mutating func ends(of name: String) -> (ends: [Subject], between: Int) {
    var ends: [Subject] = []
    var between = 0
    var open = [name]
    while let next = open.popLast() {
      guard let each = situation.initializer(next), case .dependencies(let names) = situation.reason(of: each) else {
        ends.append(.initializer(next))
        continue
      }
      if next != name { between += 1 }
      for name in names.reversed() where !listed.contains(.initializer(name)) {
        listed.insert(.initializer(name))
        open.append(name)
      }
    }
    for end in ends { listed.remove(end) }
    return (ends, between)
  }
}
