internal import InitWords

/// Interprets the fuzzer's bytes as a graph and a list of events, and applies these to a machine. For any bytes:
/// 1. Every step keeps the laws that the naive world of the tests checks, and a refused event changes nothing.
/// 2. Afterwards, when runs end and time passes, every pass ends and no initializer waits any more; after a shutdown, the machine finishes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMachine(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var play = Play(Script(Array(UnsafeBufferPointer(start: start, count: count))))
  do {
    try play.perform()
  } catch {
    fatalError("\(error)\n\(play)")
  }
  return 0
}

/// A script that is played in a naive world.
private struct Play {
  private var script: Script
  private var world: NaiveWorld
  /// The events and the effects so far; printed only if a law is broken.
  private var path: [(now: Instant, event: Event, effects: [Effect], refusal: Refusal?)] = []
  private var nextWorker: WorkerID = 1

  init(_ script: Script) {
    self.script = script
    world = NaiveWorld(
      script.configuration, declared: script.roles.compactMap { role in role.declared.map { (role.declaration, $0) } })
  }

  mutating func perform() throws {
    if !script.remembered.isEmpty { try take(.remembered(script.remembered)) }
    try take(.started)
    while let line = script.next() {
      if let span = line.span { world.now += span } else { wait() }
      try take(event(of: line))
    }
    try end()
  }

  private mutating func take(_ event: Event) throws {
    path.append((world.now, event, [], nil))
    do {
      path[path.count - 1].effects = try world.take(event)
    } catch let refusal as Refusal {
      path[path.count - 1].refusal = refusal
    }
  }

  /// Lets time pass until the machine's next deadline.
  private mutating func wait() {
    if let deadline = world.machine.nextDeadline { world.now = max(world.now, deadline) }
  }

  // MARK: Events

  /// Returns the line's event, or passed time if the line's event isn't possible now.
  private mutating func event(of line: Script.Line) -> Event {
    switch line.kind % 32 {
    case 0..<13: ending(line) ?? .timePassed
    case 13: .launched
    case 14, 15: .activated(hold: nil)
    case 16: .activated(hold: HoldID(line.first % 3))
    case 17: .holdReleased(HoldID(line.first % 3))
    case 18, 19: .deactivated
    case 20..<24: registration(line) ?? .timePassed
    case 24: unregistration(line) ?? .timePassed
    case 25: pick(world.workers.keys.sorted(), line.first).map { .workerDisconnected($0) } ?? .timePassed
    case 26: progress(line)
    case 27:
      .runFinished(
        run: pick(world.over, line.first) ?? 1_000_000, line.second % 2 == 0 ? .success : .failure(.workerLost))
    case 28: line.first >= 224 ? .shutdownRequested : .timePassed
    default: .timePassed
    }
  }

  private func pick<Element>(_ elements: [Element], _ byte: Int) -> Element? {
    elements.isEmpty ? nil : elements[byte % elements.count]
  }

  private func ending(_ line: Script.Line) -> Event? {
    let causes: [Cause] = [
      .exit(status: 1), .exit(status: 2), .signal("SIGSEGV"), .error(message: "no"), .notFound(message: "no such file"),
    ]
    let result: RunResult = line.kind % 32 < 9 ? .success : .failure(causes[line.second % causes.count])
    return pick(world.runs.keys.sorted(), line.first).map { .runFinished(run: $0, result) }
  }

  private func progress(_ line: Script.Line) -> Event {
    .runProgressed(
      run: pick(world.runs.keys.sorted() + world.over.suffix(3), line.first) ?? 1_000_000,
      fraction: line.second & 1 == 0 ? nil : Double(line.second >> 4) / 15,
      message: line.second & 2 == 0 ? nil : "half",
      extend: line.second & 4 == 0 ? nil : .seconds(line.second >> 5))
  }

  /// Returns the registration of a connected or a new worker, with one to three names; a name that no worker may register is refused.
  private mutating func registration(_ line: Script.Line) -> Event? {
    let roles = script.roles.filter { $0.isForWorkers || line.second >= 252 }
    guard !roles.isEmpty else { return nil }
    var worker = nextWorker
    if line.first & 1 != 0, let known = pick(world.workers.keys.sorted(), line.first >> 4) {
      worker = known
    } else {
      nextWorker = nextWorker.next
    }
    let process = world.workers[worker].map(\.process) ?? [100, 200, nil, 100][line.first >> 1 & 3]
    let registrations = (0..<min(roles.count, 1 + line.second % 3)).map { offset in
      registration(of: roles[(line.second / 3 + offset) % roles.count], saying: line.first >> 3 & 7)
    }
    return .workerRegistered(worker, process: process, registrations)
  }

  /// All attributes. A name of the manifest may have no attributes; different ones are refused. An undeclared name always has the same
  /// declaration, because the naive world keeps only one per name, while a pass keeps its own.
  private func registration(of role: Script.Role, saying marks: Int) -> Registration {
    let declaration = role.declaration
    let marks = role.declared == nil ? 0 : marks
    if marks == 7 { return Registration(declaration.name) }
    let other: Priority = declaration.priority == .appLaunch ? .appActive : .appLaunch
    return Registration(
      declaration.name, priority: marks == 6 ? other : declaration.priority,
      dependencies: marks == 5 ? ["else"] : declaration.dependencies, timeout: declaration.timeout,
      retry: declaration.retry, isOptional: declaration.isOptional, isPerProcess: declaration.isPerProcess)
  }

  /// Returns an unregistration from a connected worker, or from a client that isn't one; of its own names, or any names.
  private func unregistration(_ line: Script.Line) -> Event? {
    let worker = line.first & 3 == 0 ? nil : pick(world.workers.keys.sorted(), line.first >> 2)
    let own = worker.flatMap { world.workers[$0]?.names.sorted() } ?? []
    let names = own.isEmpty || line.second >= 240 ? world.machine.initializers.map(\.declaration.name) : own
    guard !names.isEmpty else { return nil }
    let count = min(names.count, 1 + line.second % 2)
    return .workerUnregistered(by: worker, (0..<count).map { names[(line.second / 2 + $0) % names.count] })
  }

  // MARK: The end

  private mutating func end() throws {
    if !world.isEnding { try take(.launched) }
    try settle()
    let asked = [world.machine.states.launch.pass, world.machine.states.active.pass].compactMap(\.self)
    for number in asked {
      try world.require(world.machine.knowledge(of: number) != .underWay, "S14: pass \(number) never starts")
    }
    try world.require(world.machine.nextDeadline == nil, "something waits for time although nothing is in flight")
    if !world.isEnding { try take(.shutdownRequested) }
    try settle()
    try world.require(world.isFinished, "S24: it doesn't finish")
  }

  /// Ends runs and lets time pass until no pass is in flight. Each initializer has few attempts, so there are few steps.
  private mutating func settle() throws {
    for _ in 0..<2_000 where !world.passes.isEmpty || !world.runs.isEmpty {
      let willing = world.runs.filter { !script.isStubborn || $0.value.told == nil || $0.value.isKilled }
      let isWaiting = script.isSlow && world.runs.values.contains { $0.told == nil && $0.deadline != nil }
      if !isWaiting, let (number, run) = willing.min(by: { $0.key < $1.key }) {
        try take(.runFinished(run: number, run.isKilled ? .failure(.signal("SIGKILL")) : .success))
      } else {
        wait()
        try take(.timePassed)
      }
    }
    try world.require(world.runs.isEmpty && world.passes.isEmpty, "passes \(world.passes) never end")
  }
}

extension Play: CustomStringConvertible {
  /// All events, to reproduce the failure.
  var description: String {
    let declared = script.roles.map { "\($0.declared.map { "\($0)" } ?? "undeclared") \(words(for: $0.declaration))" }
    let steps = path.flatMap { step in
      ["\(step.now): \(words(for: step.event))"] + step.effects.compactMap(words(for:))
        + (step.refusal.map { ["  refused: \($0)"] } ?? [])
    }
    return (["\(script.configuration)"] + declared + steps).joined(separator: "\n")
  }

  private func words(for declaration: Declaration) -> String {
    let marks = (declaration.isOptional ? " optional" : "") + (declaration.isPerProcess ? " perProcess" : "")
    let timeout = declaration.timeout.map { ", timeout \($0)" } ?? ""
    return "\(declaration.name) \(declaration.priority)\(marks) after \(declaration.dependencies)"
      + ", \(declaration.retry.attempts) attempts after \(declaration.retry.delay)\(timeout)"
  }

  private func words(for event: Event) -> String {
    guard case .workerRegistered(let worker, let process, let registrations) = event else { return "\(event)" }
    let declarations = registrations.map { words(for: $0.declaration(over: Declaration($0.name))) }
    return
      "worker \(worker) of process \(process.map(String.init) ?? "?") registers \(declarations.joined(separator: "; "))"
  }

  private func words(for effect: Effect) -> String? {
    switch effect {
    case .startRun(let start):
      "  run \(start.run) of \(start.initializer), pass \(start.pass), attempt \(start.attempt)"
    case .cancelRun(let run, let reason): "  cancel \(run): \(reason)"
    case .killRun(let run): "  kill \(run)"
    case .publish(.pass(let number, let phase, let status)): "  \(phase) pass \(number): \(status)"
    case .publish(.runEnded(let record)): "  run \(record.run) ended: \(record.outcome)"
    case .publish(.state), .publish(.initializer), .publish(.initializerRemoved), .publish(.passOpened),
      .publish(.passAbandoned):
      nil
    case .startStop(let start): "  stop \(start.initializer)"
    case .cancelStop(let run): "  cancel stop \(run)"
    case .checkCondition(let check): "  check \(check.initializer)"
    case .reuseOutput(let name, let phase): "  reuse \(name) in \(phase)"
    case .giveUpStop(let run): "  give up stop \(run)"
    case .finish: "  finish"
    case .finishStops: "  stopped"
    }
  }
}
