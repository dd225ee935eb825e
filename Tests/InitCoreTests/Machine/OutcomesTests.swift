import InitWords
import TestSupport
import Testing

@testable import InitCore

/// Computes the outcome of a phase again by recursion over the graph, and compares it with the machine's.
@Suite("Outcomes")
struct OutcomesTests {
  /// A graph in which each initializer succeeds at one attempt, or never.
  struct Fates {
    var declarations: [Declaration] = []
    /// The attempt that succeeds; `nil` for none.
    var succeedsAt: [String: Int] = [:]
    var priority = Priority.appLaunch

    init(seed: UInt64) {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 1...12, using: &generator)
      for index in 0..<count {
        var dependencies = (0..<index).filter { _ in generator.happens(25) }.map { "n\($0)" }
        if generator.happens(2) { dependencies.append("n\(Int.random(in: 0..<count, using: &generator))") }
        if generator.happens(2) { dependencies.append("nobody") }
        let attempts = generator.happens(30) ? 3 : 1
        var declaration = Declaration("n\(index)", dependencies: dependencies.shuffled(using: &generator))
        declaration.isOptional = generator.happens(40)
        if seed % 3 == 0 {
          let predecessors = (0..<count).filter { generator.happens($0 < index ? 25 : 1) }
          declaration.after = predecessors.map { "n\($0)" }
        }
        declaration.retry = RetryPolicy(attempts: attempts, delay: .seconds(1))
        declarations.append(declaration)
        succeedsAt["n\(index)"] = generator.happens(85) ? Int.random(in: 1...attempts, using: &generator) : nil
      }
      declarations.shuffle(using: &generator)
    }

    func declaration(_ name: String) -> Declaration? { declarations.first { $0.name == name } }
  }

  /// The phase by the rules, one initializer at a time.
  struct Oracle {
    let fates: Fates
    var runs: [String] = []
    var failure: Failure?
    private var order: [String] = []
    private var spoiled: [String: Failure] = [:]

    init(_ fates: Fates) {
      self.fates = fates
      failure = fault()
      guard failure == nil else { return }
      for declaration in fates.declarations { visit(declaration.name) }
      for name in order where failure == nil { turn(of: name) }
    }

    private mutating func visit(_ name: String) {
      guard !order.contains(name), let declaration = fates.declaration(name) else { return }
      for other in declaration.dependencies + declaration.after { visit(other) }
      order.append(name)
    }

    private func fault() -> Failure? {
      var done: Set<String> = []
      for declaration in fates.declarations {
        if let failure = fault(declaration.name, [], &done) { return failure }
      }
      return nil
    }

    private func fault(_ name: String, _ path: [String], _ done: inout Set<String>) -> Failure? {
      if let start = path.firstIndex(of: name) { return .circularDependency(path[start...] + [name]) }
      guard !done.contains(name), let declaration = fates.declaration(name) else { return nil }
      for dependency in declaration.dependencies {
        if fates.declaration(dependency) == nil { return .missingDependency(initializer: name, dependency: dependency) }
        if let failure = fault(dependency, path + [name], &done) { return failure }
      }
      for predecessor in declaration.after {
        if let failure = fault(predecessor, path + [name], &done) { return failure }
      }
      done.insert(name)
      return nil
    }

    private mutating func turn(of name: String) {
      guard let declaration = fates.declaration(name) else { return }
      let spoilers = declaration.dependencies.compactMap { spoiled[$0] }
      if let spoiler = spoilers.first {
        spoiled[name] = spoiler
        return
      }
      let attempts = fates.succeedsAt[name] ?? declaration.retry.attempts
      runs += Array(repeating: name, count: attempts)
      guard fates.succeedsAt[name] == nil else { return }
      let error = Failure.initializerFailed(name, .exit(status: 1))
      spoiled[name] = error
      if !declaration.isOptional || isNeeded(name) { failure = error }
    }

    private func isNeeded(_ name: String) -> Bool {
      fates.declarations.contains { $0.dependencies.contains(name) && (!$0.isOptional || isNeeded($0.name)) }
    }
  }

  @Test(
    "S5, S6, S8, S16: with concurrency 1 the runs and the end of the pass are the same as by recursion",
    arguments: 0..<8)
  func sequential(share: UInt64) throws {
    for seed in stride(from: share, to: 1_600, by: 8) {
      let fates = Fates(seed: seed)
      let oracle = Oracle(fates)
      let (runs, state) = try execute(fates, concurrency: 1, seed: seed)
      #expect(runs == oracle.runs, "seed \(seed)")
      #expect(state == oracle.failure.map { .failed($0) } ?? .complete, "seed \(seed)")
    }
  }

  @Test("S6, S8: with a higher concurrency a pass that can complete does so, with the same runs", arguments: 0..<8)
  func concurrent(share: UInt64) throws {
    for seed in stride(from: share, to: 1_600, by: 8) {
      let fates = Fates(seed: seed)
      let oracle = Oracle(fates)
      let (runs, state) = try execute(fates, concurrency: 3, seed: seed)
      #expect((state == .complete) == (oracle.failure == nil), "seed \(seed)")
      if oracle.failure == nil { #expect(runs.sorted() == oracle.runs.sorted(), "seed \(seed)") }
    }
  }

  private func execute(_ fates: Fates, concurrency: Int, seed: UInt64) throws -> ([String], PhaseState) {
    var generator = SeededGenerator(seed: seed)
    var story = Story(fates.declarations, .init(concurrency: concurrency))
    var runs: [String] = []
    var effects = try story.world.take(.started)
    while story.machine.states.launch.state == .pending {
      runs += effects.compactMap { if case .startRun(let start) = $0 { start.initializer } else { nil } }
      if let number = story.world.runs.keys.sorted().randomElement(using: &generator),
        let run = story.world.runs[number]
      {
        let succeeds = fates.succeedsAt[run.name] == run.attempt
        effects = try story.world.take(.runFinished(run: number, succeeds ? .success : .failure(.exit(status: 1))))
      } else {
        story.world.now = try #require(story.machine.nextDeadline)
        effects = try story.world.take(.timePassed)
      }
    }
    return (runs, story.machine.states.launch.state)
  }
}
