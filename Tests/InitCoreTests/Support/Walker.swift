import InitCore
import InitWords
import TestSupport

/// Walks through a random world: the seed determines the graph and the events.
struct Walker {
  /// The declarations to register, and their workers.
  struct Guest {
    let name: String
    var dependencies: [String]
    var priority: Priority
    var isOptional: Bool
    var isPerProcess: Bool
    var retry: RetryPolicy
    var timeout: Duration?
  }

  var world: NaiveWorld
  private(set) var path: [Event] = []
  let length: Int
  private var generator: SeededGenerator
  private var guests: [Guest] = []
  private var duplicates: Set<String> = []
  private var nextWorker: WorkerID = 1
  private var hasStarted = false

  init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 1...12, using: &generator)
    var declared: [(Declaration, ProviderKind)] = []
    for index in 0..<count {
      let guest = Self.draw(index, of: count, &generator)
      let isDeclared = generator.happens(75)
      let isWorker = generator.happens(30)
      if !isDeclared || isWorker { guests.append(guest) }
      var declaration = guest.declaration
      declaration.hasStop = !isWorker && index.isMultiple(of: 2)
      if seed % 4 == 1, index.isMultiple(of: 3) { declaration.group = "g" }
      if seed % 4 > 1, index % 3 != 1 { declaration.after = Self.predecessors(of: index, seed) }
      declaration.hasCondition = seed.isMultiple(of: 3) && index % 3 == 1
      if isWorker, index.isMultiple(of: 2) { declaration.process = index % 4 == 0 ? "p" : "n\(index - 1)" }
      let isProcess = !isWorker && guest.priority == .appLaunch && generator.happens(20)
      if isProcess {
        declaration.hasStop = false
        declaration.rerunsDependents = index.isMultiple(of: 2)
      }
      if !isProcess, seed % 5 < 2, index % 4 != 3 {
        declaration.freshness = Freshness(
          limit: index.isMultiple(of: 2) ? .seconds(10) : nil,
          isEver: seed.isMultiple(of: 5) && guest.priority == .appLaunch)
      }
      if isDeclared { declared.append((declaration, isWorker ? .worker : isProcess ? .process : .command)) }
      if isDeclared, generator.happens(1) {
        declared.append((guest.declaration, .command))
        duplicates.insert(guest.name)
      }
    }
    var configuration = Machine.Configuration(
      concurrency: Int.random(in: 1...3, using: &generator), launchesAtStart: generator.happens(70),
      acceptsWorkers: !guests.isEmpty || generator.happens(50), seed: seed, defersPlanning: generator.happens(50))
    configuration.keepsGoing = seed % 5 == 2
    if seed % 4 == 1 { configuration.groups = ["g": 1 + Int(seed / 4 % 2)] }
    if seed % 7 == 3 { configuration.skipped = ["n1", "n4"] }
    if seed % 6 == 5 { configuration.only = ["n3", "n5"] }
    world = NaiveWorld(configuration, declared: declared)
    if seed.isMultiple(of: 8) {
      configuration.publishesInitializers = false
      world.mute = Machine(configuration, declared: declared)
    }
    length = Int.random(in: 10...40, using: &generator)
    self.generator = generator
  }

  private static func draw(_ index: Int, of count: Int, _ generator: inout SeededGenerator) -> Guest {
    var dependencies: [String] = []
    for other in 0..<index where generator.happens(25) { dependencies.append("n\(other)") }
    if generator.happens(2) { dependencies.append("n\(Int.random(in: 0..<count, using: &generator))") }
    if generator.happens(2) { dependencies.append("nobody") }
    dependencies.shuffle(using: &generator)
    let retries = generator.happens(25)
    let delay = Duration.seconds(Int.random(in: 0...2, using: &generator))
    return Guest(
      name: "n\(index)", dependencies: dependencies, priority: generator.happens(50) ? .appLaunch : .appActive,
      isOptional: generator.happens(20), isPerProcess: generator.happens(30),
      retry: retries ? RetryPolicy(attempts: Int.random(in: 2...3, using: &generator), delay: delay) : .never,
      timeout: generator.happens(30) ? .seconds(Int.random(in: 1...8, using: &generator)) : nil)
  }

  /// Returns an earlier one and, in few worlds, a later one, which may close a circle.
  private static func predecessors(of index: Int, _ seed: UInt64) -> [String] {
    let place = Int(seed / 4 % 12)
    return (place < index ? ["n\(place)"] : []) + (seed % 13 == 0 ? ["n\(index + 1)"] : [])
  }

  var summary: String {
    let lines = world.machine.initializers.map { snapshot in
      let declaration = snapshot.declaration
      let marks = (declaration.isOptional ? " optional" : "") + (declaration.isPerProcess ? " perProcess" : "")
      return "  \(declaration.name) \(declaration.priority) \(snapshot.provider) after \(declaration.dependencies)"
        + "\(declaration.after.isEmpty ? "" : " and the end of \(declaration.after)")\(marks) \(declaration.retry.attempts) attempts, \(snapshot.status)"
    }
    return "\(world.machine.configuration)\n" + lines.joined(separator: "\n")
  }

  /// Applies one event that can happen now.
  mutating func step() throws {
    if generator.happens(50) { world.now += .milliseconds(Int.random(in: 0...3000, using: &generator)) }
    let event = draw()
    path.append(event)
    do { try world.take(event) } catch is Refusal {}
  }

  private mutating func drawProcessEvent(of name: String) -> Event {
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<45: .processEnded(name)
    case 45..<70: .processReady(name)
    case 70..<78: .processStopped(name)
    case 78..<82: .processAnswered(name, isUp: generator.happens(70))
    case 82..<88: .processHealthChanged(name, isHealthy: generator.happens(50))
    default: .processStarted(name)
    }
  }

  private mutating func draw() -> Event {
    if path.isEmpty, generator.happens(20) {
      let names = (0..<12).map { "n\($0)" }
      let fingerprints = Dictionary(uniqueKeysWithValues: names.map { ($0, Fingerprint("x", at: .seconds(-3))) })
      return .remembered(
        names.filter { _ in generator.happens(50) }, stale: Set(names.filter { _ in generator.happens(20) }),
        fingerprints: fingerprints.filter { _ in generator.happens(80) })
    }
    if !hasStarted {
      hasStarted = true
      return .started
    }
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<35: return drawEnd() ?? .timePassed
    case 35..<39: return .launched
    case 39..<41: return drawCancellation() ?? .launched
    case 41..<44: return drawRerun() ?? .launched
    case 44..<46: return drawReload() ?? .launched
    case 46..<48:
      return world.fixed.keys.sorted().filter { world.fixed[$0] == .process }.randomElement(using: &generator)
        .map { drawProcessEvent(of: $0) } ?? .activated(hold: nil)
    case 48: return drawProcess()
    case 49..<51: return .activated(hold: nil)
    case 51..<55: return .activated(hold: HoldID(Int.random(in: 1...2, using: &generator)))
    case 55..<58: return .holdReleased(HoldID(Int.random(in: 1...2, using: &generator)))
    case 58..<64: return .deactivated
    case 64..<74: return drawRegistration() ?? .timePassed
    case 74..<78: return drawUnregistration() ?? .timePassed
    case 78..<82:
      return world.workers.keys.sorted().randomElement(using: &generator).map { .workerDisconnected($0) } ?? .launched
    case 82..<84: return drawProgress() ?? .timePassed
    case 84: return drawTry() ?? .timePassed
    case 85:
      return world.runs.keys.sorted().randomElement(using: &generator).map { .runDetached(run: $0) } ?? .timePassed
    case 86..<89:
      return world.over.randomElement(using: &generator).map { .runFinished(run: $0, .success) } ?? .timePassed
    case 89..<99:
      if let deadline = world.machine.nextDeadline { world.now = max(world.now, deadline) }
      return .timePassed
    default: return generator.happens(30) ? .shutdownRequested : .timePassed
    }
  }

  private mutating func drawProcess() -> Event {
    let names = ["p"] + world.machine.initializers.compactMap(\.declaration.process).sorted()
    let standings: [ProcessStanding] = [.alive, .alive, .idle, .ended(.exit(status: 5))]
    return .processChanged(
      names.randomElement(using: &generator) ?? "p", standings.randomElement(using: &generator) ?? .idle)
  }

  private mutating func drawAnswer() -> Event? {
    guard let number = world.checks.keys.sorted().randomElement(using: &generator) else { return nil }
    let hasCondition = world.checks[number].flatMap { world.machine.initializer(named: $0.name) }?.declaration
      .hasCondition
    if hasCondition == true, generator.happens(40) { return .conditionChecked(check: number, unmet: "no") }
    let digest = generator.happens(80) ? "x" : "y"
    let fingerprint = generator.happens(90) ? Fingerprint(digest, at: world.now) : nil
    return .conditionChecked(check: number, unmet: nil, fingerprint: fingerprint)
  }

  private mutating func drawEnd() -> Event? {
    if !world.checks.isEmpty, generator.happens(60) { return drawAnswer() }
    if let stop = world.stopping { return .stopEnded(run: stop.run) }
    if world.isFinished, !world.areStopsRequested { return .stopsRequested }
    guard let run = world.runs.keys.sorted().randomElement(using: &generator) else { return nil }
    let fails = generator.happens(20)
    return .runFinished(
      run: run, fails ? .failure(.exit(status: Int32.random(in: 1...3, using: &generator))) : .success)
  }

  private mutating func drawRerun() -> Event? {
    let names = world.machine.initializers.map(\.declaration.name).shuffled(using: &generator)
    guard !names.isEmpty else { return nil }
    return .rerunRequested(
      Array(names.prefix(Int.random(in: 1...2, using: &generator))), withDependents: generator.happens(40))
  }

  private mutating func drawReload() -> Event? {
    var reload = Reload(withDependents: generator.happens(30))
    let count = 12
    for name in world.fixed.keys.sorted() where generator.happens(25) {
      // A name that was declared twice stays a fault.
      if duplicates.contains(name) { continue }
      guard let known = world.machine.initializer(named: name) else { continue }
      // Without workers, a missing dependency is a mistake of the manifest.
      if world.machine.configuration.acceptsWorkers, generator.happens(20) {
        reload.removed.append(name)
        continue
      }
      var declaration = known.declaration
      var kind: ProviderKind = generator.happens(10) ? (known.provider == .worker ? .command : .worker) : known.provider
      if known.provider != .worker, declaration.priority == .appLaunch, !declaration.hasStop, generator.happens(10) {
        kind = .process
      }
      let isOfWork = kind != known.provider || generator.happens(60)
      if generator.happens(5) { declaration.hasCondition = kind == .command && !declaration.hasCondition }
      if kind == .process { declaration.hasCondition = false }
      declaration.rerunsDependents = kind == .process && generator.happens(30)
      if isOfWork {
        if kind != .process, generator.happens(20) {
          declaration.priority = declaration.priority == .appLaunch ? .appActive : .appLaunch
        }
        if generator.happens(30), let last = declaration.dependencies.last {
          declaration.dependencies.removeAll { $0 == last }
        }
      } else if kind == .command {
        // A worker's next registration would change the policy, but only from the next pass on.
        declaration.retry = generator.happens(50) ? .never : RetryPolicy(attempts: 2, delay: .seconds(1))
        if generator.happens(30) { declaration.after = declaration.after.isEmpty ? ["n0"] : [] }
      }
      reload.changed.append(Reload.Change(declaration, kind, isOfWork: isOfWork))
    }
    for index in 0..<count where world.fixed["n\(index)"] == nil && generator.happens(20) {
      var guest = Self.draw(index, of: count, &generator)
      if !world.machine.configuration.acceptsWorkers {
        guest.dependencies.removeAll { world.fixed[$0] == nil }
      }
      var kind: ProviderKind = generator.happens(30) ? .worker : .command
      if kind == .command, guest.priority == .appLaunch, generator.happens(20) { kind = .process }
      reload.added.append(Reload.Addition(guest.declaration, kind))
    }
    return .reloaded(reload)
  }

  private mutating func drawCancellation() -> Event? {
    let busy = world.machine.initializers.filter { [.running, .waiting].contains($0.status) || generator.happens(5) }
    let names = busy.map(\.declaration.name).shuffled(using: &generator).prefix(generator.happens(30) ? 2 : 1)
    return names.isEmpty ? nil : .runsCancelled(Array(names), by: "ops")
  }

  private mutating func drawProgress() -> Event? {
    guard let run = (Array(world.runs.keys.sorted()) + world.over.suffix(3)).randomElement(using: &generator) else {
      return nil
    }
    let fraction = generator.happens(80) ? Double.random(in: -0.5...1.5, using: &generator) : nil
    // An empty message removes the previous message.
    let message = generator.happens(50) ? ["half", ""].randomElement(using: &generator) : nil
    return .runProgressed(
      run: run, fraction: fraction, message: message,
      extend: generator.happens(30) ? .seconds(Int.random(in: 0...5, using: &generator)) : nil)
  }

  private mutating func drawTry() -> Event? {
    guard let run = (Array(world.runs.keys.sorted()) + world.over.suffix(3)).randomElement(using: &generator) else {
      return nil
    }
    return .runTried(
      run: run, failure: generator.happens(50) ? "refused" : "no answer",
      tries: Int.random(in: 1...3, using: &generator))
  }

  private mutating func drawRegistration() -> Event? {
    guard !guests.isEmpty else { return nil }
    var worker = nextWorker
    if let known = world.workers.keys.sorted().randomElement(using: &generator), generator.happens(50) {
      worker = known
    } else {
      nextWorker = nextWorker.next
    }
    let chosen = guests.shuffled(using: &generator).prefix(Int.random(in: 1...3, using: &generator))
    let drawn: Int32? = [100, 200, nil][Int.random(in: 0..<3, using: &generator)]
    let process = world.workers[worker].map(\.process) ?? drawn
    return .workerRegistered(worker, process: process, chosen.map(\.registration))
  }

  private mutating func drawUnregistration() -> Event? {
    let worker = generator.happens(70) ? world.workers.keys.sorted().randomElement(using: &generator) : nil
    let names = worker.map { world.workers[$0]?.names.sorted() ?? [] } ?? guests.map(\.name)
    guard !names.isEmpty else { return nil }
    return .workerUnregistered(by: worker, Array(names.shuffled(using: &generator).prefix(2)))
  }

  /// Requests launch, ends every run, and lets time pass: after that nothing may be in flight (S4, S8, S13, S20).
  mutating func drain() throws {
    if !world.isEnding {
      path.append(.launched)
      try world.take(.launched)
    }
    for name in world.stoppedByPerson.sorted() where !world.isEnding {
      path.append(.processStarted(name))
      try world.take(path[path.count - 1])
    }
    for name in world.unhealthy.sorted() {
      path.append(.processHealthChanged(name, isHealthy: true))
      try world.take(path[path.count - 1])
    }
    for name in world.processes.keys.sorted() {
      path.append(.processChanged(name, .idle))
      try world.take(path[path.count - 1])
    }
    for _ in 0..<400 {
      if let check = world.checks.keys.min() {
        path.append(.conditionChecked(check: check, unmet: generator.happens(30) ? "no" : nil))
      } else if let run = world.runs.keys.min() {
        path.append(.runFinished(run: run, generator.happens(10) ? .failure(.exit(status: 9)) : .success))
      } else if !world.passes.isEmpty || world.stopping != nil, let deadline = world.machine.nextDeadline {
        // A stop that isn't ended by the walker is abandoned.
        world.now = max(world.now, deadline)
        path.append(.timePassed)
      } else {
        break
      }
      try world.take(path[path.count - 1])
    }
    try world.require(world.runs.isEmpty && world.passes.isEmpty, "passes \(world.passes) never end")
    let asked = [world.machine.states.launch.pass, world.machine.states.active.pass].compactMap(\.self)
    for number in asked {
      try world.require(world.machine.knowledge(of: number) != .underWay, "S14: pass \(number) never starts")
    }
    try world.require(world.machine.nextDeadline == nil, "something waits for time although nothing is in flight")
  }
}

extension Walker.Guest {
  var declaration: Declaration {
    Declaration(
      name, priority: priority, dependencies: dependencies, timeout: timeout, retry: retry, isOptional: isOptional,
      isPerProcess: isPerProcess)
  }

  var registration: Registration {
    Registration(
      name, priority: priority, dependencies: dependencies, timeout: timeout, retry: retry, isOptional: isOptional,
      isPerProcess: isPerProcess)
  }
}

extension Event {
  /// The event in one short line: of a reload only the part that matters to the machine.
  var brief: String {
    guard case .reloaded(let reload) = self else { return "\(self)" }
    func words(_ declaration: Declaration, _ kind: ProviderKind) -> String {
      "\(declaration.name) \(declaration.priority) \(kind) after \(declaration.dependencies)"
    }
    let parts =
      reload.removed.map { "- \($0)" } + reload.added.map { "+ \(words($0.declaration, $0.kind))" }
      + reload.changed.map { "\($0.isOfWork ? "~" : "=") \(words($0.declaration, $0.kind))" }
    return "reloaded\(reload.withDependents ? " with dependents" : ""): \(parts.joined(separator: ", "))"
  }
}
