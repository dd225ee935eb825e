import InitLocks
import Testing

@testable import AppInitializers

/// Counts starts without an end, and events in a wrong order.
private final class Pairs: AppInitializerEventsDelegate {
  private struct Content: Sendable {
    var passes: Set<InitializationPass> = []
    var runs: Set<InitializerRun> = []
    var finished = 0
    var faults: [String] = []
  }

  private let content = Locked(Content())

  var faults: [String] { content.withLock { $0.faults } }
  var finished: Int { content.withLock { $0.finished } }
  var open: Int { content.withLock { $0.passes.count + $0.runs.count } }

  func passDidStart(_ pass: InitializationPass) {
    content.withLock { if !$0.passes.insert(pass).inserted { $0.faults.append("\(pass) starts twice") } }
  }
  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {
    content.withLock { content in
      if content.passes.remove(pass) == nil { content.faults.append("\(pass) finishes and hasn't started") }
      content.finished += 1
    }
  }
  func initializerDidStart(_ run: InitializerRun) {
    content.withLock { content in
      if !content.passes.contains(run.pass) { content.faults.append("\(run) starts outside of its pass") }
      content.runs.insert(run)
    }
  }
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration) { end(run) }
  func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration) {
    end(run)
  }
  func initializerDidCancel(_ run: InitializerRun, after duration: Duration) { end(run) }

  private func end(_ run: InitializerRun) {
    content.withLock { if $0.runs.remove(run) == nil { $0.faults.append("\(run) ends and hasn't started") } }
  }
}

private final class Launch: AppInitializer, Sendable {
  let priority = InitializerPriority.appLaunch
  func run() async throws {}
}

private final class Active: AppInitializer, Sendable {
  let priority = InitializerPriority.appActive
  let dependencies: [any AppInitializer.Type] = [Launch.self]
  func run() async throws {}
}

@Suite("A delegate receives all events from the first one on")
struct FirstEventsTests {
  /// Calls that a program may make right after it has created a manager.
  enum First: CaseIterable { case activate, launch, deactivate, finish, nothing }

  /// How many managers a case makes.
  private static let count = 500

  @Test("Each start is followed by exactly one end, for every first call", arguments: First.allCases)
  func onItsOwn(_ first: First) async throws {
    for _ in 0..<Self.count {
      let pairs = Pairs()
      try await live(InitManager([Launch(), Active()], eventsDelegate: pairs), first, pairs)
    }
  }

  @Test("Each start is followed by exactly one end if several run at once", arguments: First.allCases)
  func concurrently(_ first: First) async throws {
    for _ in 0..<Self.count {
      let pairs = Pairs()
      try await live(InitManager([Launch(), Active()], eventsDelegate: pairs, concurrency: 2), first, pairs)
    }
  }

  @Test("Each start is followed by exactly one end on the main actor", arguments: First.allCases)
  @MainActor
  func onMainActor(_ first: First) async throws {
    for _ in 0..<Self.count {
      let pairs = Pairs()
      try await live(InitManager([Launch(), Active()], eventsDelegate: pairs, on: MainActor.shared), first, pairs)
    }
  }

  private func live(_ manager: InitManager, _ first: First, _ pairs: Pairs) async throws {
    switch first {
    case .activate:
      // Launch is the first pass, even without waiting for its start.
      #expect(await manager.activate() == 2)
      try await manager.ready()
    case .launch: await manager.launch()
    case .deactivate: await manager.deactivate()
    case .finish: await manager.finish()
    case .nothing: break
    }
    if first != .finish { try await manager.launched() }
    await manager.finish()
    #expect(pairs.faults == [])
    #expect(pairs.open == 0)
    #expect(pairs.finished == (first == .activate ? 2 : first == .finish ? pairs.finished : 1))
  }
}
