import InitWords
import Testing

@testable import InitCore

/// The machine doesn't recurse over the graph, and the cost of a run doesn't depend on the number of initializers.
@Suite("Scale")
struct MachineScaleTests {
  @Test(
    "A chain of 100,000 completes without recursion, with one step and a few effects per run",
    arguments: [10_000, 100_000])
  func chain(count: Int) throws {
    try runThrough(
      (0..<count).reversed().map { launch("n\($0)", dependencies: $0 == 0 ? [] : ["n\($0 - 1)"]) }, concurrency: 1)
  }

  @Test("A star of 100,000 dependents completes, with many runs at once")
  func star() throws {
    let count = 100_000
    try runThrough(
      [launch("hub", dependencies: [])] + (1..<count).map { launch("n\($0)", dependencies: ["hub"]) },
      concurrency: 64)
  }

  @Test("The failure of an optional one blocks a chain of 100,000 without recursion")
  func blockedChain() throws {
    let count = 100_000
    let chain = (0..<count).map { index in
      (launch("n\(index)", dependencies: index == 0 ? [] : ["n\(index - 1)"]).optional(), ProviderKind.command)
    }
    var machine = Machine(declared: chain)
    _ = try machine.apply(.started, at: .zero)
    _ = try machine.apply(.runFinished(run: 1, .failure(.exit(status: 1))), at: .zero)
    #expect(machine.states.launch.state == .complete)
    #expect(machine.initializer(named: "n99999")?.status == .notRun)
  }

  private func launch(_ name: String, dependencies: [String]) -> Declaration {
    Declaration(name, dependencies: dependencies)
  }

  private func runThrough(_ declarations: [Declaration], concurrency: Int) throws {
    let clock = ContinuousClock()
    let beginning = clock.now
    var machine = Machine(.init(concurrency: concurrency), declared: declarations.map { ($0, .command) })
    var effects = try machine.apply(.started, at: .zero)
    let planned = clock.now
    var queue: [RunID] = []
    var done = 0
    var longest = 0
    while machine.states.launch.state == .pending {
      for case .startRun(let start) in effects { queue.append(start.run) }
      effects = try machine.apply(.runFinished(run: queue[done], .success), at: .seconds(done))
      done += 1
      if done < declarations.count - 1, done > 1 { longest = max(longest, effects.count) }
    }
    let ran = clock.now
    _ = try machine.apply(.activated(hold: nil), at: .seconds(done))
    print(
      "\(declarations.count) initializers, \(concurrency) at once: planned in \(planned - beginning),",
      "ran in \(ran - planned), entered the active phase in \(clock.now - ran)")
    #expect(machine.states.composite == .complete)
    #expect(done == declarations.count)
    // A run's end, its notice, the next run's notice and its start.
    #expect(longest <= 4)
  }
}
