import InitCore
import InitDeclarations
import Testing

@testable import InitSupervisor

private func process(_ name: String, after dependencies: [String] = [], isReadyKnown: Bool = false) -> DeclaredWorker {
  var process = DeclaredWorker(name, command: Command(["one"]))
  process.dependencies = dependencies
  process.policy.ready = isReadyKnown ? .notification : nil
  return process
}

private func registered(_ name: String, by process: String? = nil, after dependencies: [String] = [])
  -> DeclaredInitializer
{
  var declared = DeclaredInitializer.worker(name)
  declared.declaration.process = process
  declared.declaration.dependencies = dependencies
  return declared
}

@Suite("ProcessSelection")
struct ProcessSelectionTests {
  /// `a` and `b` are commands; `x` is registered by `named`, `y` by one of `first` and `second`, and `z` by `web`.
  private func selection(only: Set<String> = [], skip skipped: Set<String> = []) -> ProcessSelection {
    var configuration = SupervisorConfiguration(socketPath: "/s")
    let web = DeclaredInitializer(Declaration("web", dependencies: ["b"]), isProcess: true)
    configuration.initializers = [
      .command("a", ["one"]), .command("b", ["one"]), registered("x", by: "named", after: ["a"]), registered("y"),
      registered("z", by: "web"), web,
    ]
    configuration.workers = [
      process("named"), process("first"), process("second", after: ["b"]),
      process("web", after: ["b"], isReadyKnown: true),
    ]
    configuration.machine.only = only
    configuration.machine.skipped = skipped
    return ProcessSelection(of: configuration)
  }

  @Test("S28: without a choice, all processes are started, except those that are skipped")
  func all() {
    #expect(selection().excluded == [:] && selection().only == [])
    #expect(selection(skip: ["named", "web"]).excluded == ["named": .requested])
  }

  @Test("S28: a chosen command needs no process, and a chosen process needs its dependencies")
  func chosen() {
    #expect(selection(only: ["a"]).excluded.keys.sorted() == ["first", "named", "second"])
    #expect(selection(only: ["a"]).only == ["a"])
    let second = selection(only: ["second"])
    #expect(second.excluded.keys.sorted() == ["first", "named"])
    #expect(second.only == ["second", "b"])
  }

  @Test("S28: an initializer needs the process that it names, with or without ready")
  func named() {
    #expect(selection(only: ["x"]).excluded.keys.sorted() == ["first", "second"])
    #expect(selection(only: ["z"]).only == ["z", "web"])
    #expect(selection(only: ["z"]).excluded.keys.sorted() == ["first", "named", "second"])
  }

  @Test("S28: one that doesn't say which process registers it needs each process without ready that no other one names")
  func unnamed() {
    let selection = selection(only: ["y"])
    #expect(selection.excluded == ["named": .unselected])
    #expect(selection.only == ["y", "b"])
  }

  @Test("S28: what is skipped needs nothing, and a process that is skipped isn't started")
  func skipped() {
    #expect(selection(only: ["x", "y"], skip: ["y"]).excluded.keys.sorted() == ["first", "second"])
    #expect(selection(only: ["x"], skip: ["named"]).excluded["named"] == .requested)
  }
}
