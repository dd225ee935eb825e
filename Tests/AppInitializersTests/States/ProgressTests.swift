import Testing

@testable import AppInitializers

/// Reports, and then waits.
private final class Reporting: ContextualInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  let gate = Gate()
  func run(_ context: RunContext) async throws {
    await context.report(fraction: 0.5, message: "half of the shelves")
    await gate.enter()
  }
}

@Suite("InitManager: progress")
struct ProgressTests {
  @Test("It has the number of complete initializers, the total, and the progress of each run (S17)")
  func running() async throws {
    let reporting = Reporting()
    let manager = InitManager(
      [Quick("a", .appLaunch), reporting, Quick("b", .appLaunch, after: ["Reporting"])], concurrency: 2)
    await reporting.gate.arrived()
    while await manager.progress.done < 1 { await Task.yield() }
    let progress = await manager.progress
    #expect((progress.done, progress.total) == (1, 3))
    #expect(progress.running.map(\.initializer) == ["Reporting"])
    #expect((progress.running[0].fraction, progress.running[0].message) == (0.5, "half of the shelves"))
    #expect(progress.fraction > 0.3 && progress.fraction < 0.4)
    reporting.gate.open()
    try await manager.launched()
    #expect(await manager.progress.done == 3)
    #expect(await manager.progress.running.isEmpty)
  }

  @Test("If it is asked for late, its values start with the current one")
  func late() async throws {
    let manager = InitManager([Quick("a", .appLaunch), Quick("b", .appLaunch)])
    try await manager.launched()
    var values = await manager.progress.values.makeAsyncIterator()
    let first = await values.next()
    #expect((first?.done, first?.total) == (2, 2))
  }

  @Test("Its values are the current one, then every change, and end with the manager")
  func values() async throws {
    let gate = Gate()
    let seen = Journal<String>()
    let manager = InitManager([
      Quick("a", .appLaunch, gate: gate), Quick("b", .appLaunch, after: ["a"]), Quick("z", .appActive),
    ])
    await gate.arrived()
    let values = await manager.progress.values
    await manager.activate()
    gate.open()
    try await manager.ready()
    await manager.finish()
    for await progress in values {
      seen.note("\(progress.done)/\(progress.total) \(progress.running.map(\.initializer).joined(separator: " "))")
    }
    #expect(seen.entries.first == "0/2 a")
    #expect(seen.entries.last == "3/3 ")
    #expect(seen.entries.contains("2/3 z"))
    #expect(zip(seen.entries, seen.entries.dropFirst()).allSatisfy { $0 != $1 })
  }

  @Test("A new activation counts again; initializers that completed in launch stay complete")
  func again() async throws {
    let manager = InitManager([Quick("a", .appLaunch), Quick("z", .appActive)])
    for _ in 0..<3 {
      await manager.activate()
      try await manager.ready()
      #expect(await manager.progress.done == 2)
      #expect(await manager.progress.total == 2)
      await manager.deactivate()
    }
  }
}

private final class Quick: AppInitializer, Sendable {
  let name: String
  let priority: InitializerPriority
  let dependencyNames: [String]
  let gate: Gate?

  init(_ name: String, _ priority: InitializerPriority, after dependencyNames: [String] = [], gate: Gate? = nil) {
    self.name = name
    self.priority = priority
    self.dependencyNames = dependencyNames
    self.gate = gate
  }

  func run() async throws { await gate?.enter() }
}
