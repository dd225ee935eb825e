import InitCore
import InitWords
import Testing

@testable import AppInitializers

@Suite("Outputs (S25)")
struct OutputsTests {
  private func start(_ initializer: String, _ phase: Phase) -> RunStart {
    RunStart(run: 1, initializer: initializer, pass: 1, phase: phase, attempt: 1, timeout: nil, worker: nil)
  }

  @Test("A run that starts drops the output of the earlier one in its own phase, and no other")
  func started() {
    var outputs = Outputs()
    for name in ["a", "b"] {
      outputs.keep("\(name) launch", of: name, in: .launch)
      outputs.keep("\(name) active", of: name, in: .active)
    }
    outputs.clear(for: start("a", .active))
    #expect(outputs.last(of: "a") as? String == "a launch")
    outputs.clear(for: start("a", .launch))
    #expect(outputs.last(of: "a") == nil)
    #expect(outputs.last(of: "b") as? String == "b active")
  }

  @Test("The last output is that of the active phase, even if launch has one too")
  func last() {
    var outputs = Outputs()
    outputs.keep(1, of: "a", in: .launch)
    outputs.keep(2, of: "a", in: .active)
    #expect(outputs.last(of: "a") as? Int == 2)
    outputs.beginActive()
    #expect(outputs.last(of: "a") as? Int == 1)
  }

  @Test("An output that is remembered again replaces the former one")
  func remembered() {
    var outputs = Outputs()
    outputs.remember(["a": 1, "b": 1])
    outputs.remember(["a": 2])
    #expect(outputs.last(of: "a") as? Int == 2)
    #expect(outputs.last(of: "b") as? Int == 1)
  }

  @Test("S30: the last output of an initializer that is fresh is used again in each phase, until it runs")
  func fresh() {
    var outputs = Outputs()
    outputs.keep("launch", of: "a", in: .launch, mayBeFresh: true)
    outputs.keep("other", of: "b", in: .active)
    outputs.beginActive()
    outputs.reuse(of: "a", in: .active)
    outputs.reuse(of: "b", in: .active)
    #expect(outputs.last(of: "a") as? String == "launch")
    #expect(outputs.last(of: "b") == nil)
    outputs.keep("active", of: "a", in: .active, mayBeFresh: true)
    outputs.beginActive()
    #expect(outputs.last(of: "a") as? String == "launch")
    outputs.reuse(of: "a", in: .active)
    #expect(outputs.last(of: "a") as? String == "active")
    outputs.clear(for: start("a", .active))
    outputs.reuse(of: "a", in: .active)
    #expect(outputs.last(of: "a") as? String == "launch")
    outputs.remember(["c": 3])
    outputs.reuse(of: "c", in: .active)
    outputs.forget(["a", "c"])
    outputs.reuse(of: "c", in: .active)
    #expect(outputs.last(of: "c") == nil)
  }

  @Test("Outputs are empty only if neither phase has one")
  func empty() {
    for phase in Phase.allCases {
      var outputs = Outputs()
      #expect(outputs.isEmpty)
      outputs.keep(1, of: "a", in: phase)
      #expect(!outputs.isEmpty)
      outputs.forget(["b"])
      #expect(!outputs.isEmpty)
      outputs.forget(["a"])
      #expect(outputs.isEmpty)
    }
  }

  /// Returns the number of its run, except the second time, when it has no output.
  private final class OnceWithOutput: InitializerProvider {
    func run(_ context: RunContext) async throws { if context.runNumber == 1 { context.handOver(1) } }
  }

  private final class Reader: ContextualInitializer {
    let name = "reader"
    let priority = InitializerPriority.appActive
    let dependencyNames = ["token"]
    let journal: Journal<Int?>

    init(_ journal: Journal<Int?>) { self.journal = journal }

    func run(_ context: RunContext) async throws { journal.note(try? context.output(of: "token", as: Int.self)) }
  }

  @Test("A launch initializer that runs again without an output leaves none of its earlier run")
  func launchAgain() async throws {
    let journal = Journal<Int?>()
    let manager = InitManager(testing: [Reader(journal)], .init(acceptsWorkers: true))
    await manager.serve(OnceWithOutput())
    for process in [Int32(100), 200] {
      try await manager.apply(
        .workerRegistered(WorkerID(Int(process)), process: process, [Registration("token", isPerProcess: true)]))
      await manager.start()
      try await manager.launched()
      _ = try await manager.outcome(ofPass: manager.activate())
      await manager.deactivate()
      try await manager.apply(.workerDisconnected(WorkerID(Int(process))))
    }
    #expect(journal.entries == [1, nil])
    #expect(await manager.output(of: "token", as: Int.self) == nil)
  }
}

extension InitManager {
  /// Runs the initializers that workers register.
  fileprivate func serve(_ provider: any InitializerProvider) { hooks.workerProvider = provider }
}
