import InitWords
import Testing

@testable import InitCore

/// S27: another manifest.
@Suite("Reloads")
struct MachineReloadTests {
  private func change(_ declaration: Declaration, _ kind: ProviderKind = .command, isOfWork: Bool = true)
    -> Reload.Change
  {
    Reload.Change(declaration, kind, isOfWork: isOfWork)
  }

  private func stale(_ story: Story) -> [String] {
    story.machine.initializers.filter(\.isStale).map(\.declaration.name)
  }

  @Test(
    "S27: a completed launch initializer with other work runs again in a launch pass right after; what depends on it is stale"
  )
  func changed() throws {
    var story = Story([launch("a"), launch("b", "a")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.finish("b")
    #expect(
      try story.tell(.reloaded(Reload(changed: [change(launch("a"))])))
        == ["pass 2 launch started", "launch pending", "run 3 a"])
    _ = try story.finish("a")
    #expect(stale(story) == ["b"])
    _ = try story.tell(.reloaded(Reload(changed: [change(launch("a"))], withDependents: true)))
    _ = try story.finish("a")
    #expect(try story.finish("b") == ["pass 3 launch complete", "launch complete"])
    #expect(stale(story) == [])
  }

  @Test("S27: one that runs finishes, and runs again; one that waits runs as it is declared now")
  func inFlight() throws {
    var story = Story([launch("a"), launch("b", "a"), launch("c")])
    _ = try story.tell(.started)
    let reload = Reload(
      added: [.init(launch("d"), .command)], changed: [change(launch("a")), change(launch("b", "a", "d"))])
    #expect(try story.tell(.reloaded(reload)) == [])
    #expect(try story.finish("a") == ["run 2 d"])
    #expect(try story.finish("d") == ["run 3 b"])
    _ = try story.finish("b")
    #expect(try story.finish("c") == ["pass 1 launch complete", "pass 2 launch started", "run 5 a"])
    #expect(try story.finish("a") == ["pass 2 launch complete", "launch complete"])
    #expect(stale(story) == ["b"])
  }

  @Test("S27: names are removed and added in one step, with their runs")
  func names() throws {
    var story = Story([launch("a"), launch("b")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    let reload = Reload(
      added: [.init(launch("c"), .command), .init(active("z"), .command)], changed: [], removed: ["a", "b"])
    #expect(try story.tell(.reloaded(reload)) == ["cancel 2 unregistered"])
    #expect(story.machine.initializers.map(\.declaration.name) == ["c", "z"])
    #expect(try story.tell(.runFinished(run: 2, .success)) == ["run 3 c"])
    #expect(try story.finish("c") == ["pass 1 launch complete", "launch complete"])
  }

  @Test("S27: retry and timeout hold from the next run on, and run nothing again")
  func policies() throws {
    var story = Story([launch("a")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    let now = launch("a").timeout(.seconds(3)).retry(2)
    #expect(try story.tell(.reloaded(Reload(changed: [change(now, isOfWork: false)]))) == [])
    #expect(story.machine.initializer(named: "a")?.declaration == now)
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    #expect(try story.wait(.seconds(3)) == ["cancel 2 timeout"])
    _ = try story.finish("a")
    #expect(try story.wait(.seconds(1)) == ["run 3 a"])
  }

  @Test("S27: an active one runs again while the app is active, else at the next activation")
  func ofActivePass() throws {
    var story = Story([active("z")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("z")
    #expect(try story.tell(.reloaded(Reload(changed: [change(active("z"))]))).last == "run 2 z")
    _ = try story.finish("z")
    _ = try story.tell(.deactivated)
    #expect(try story.tell(.reloaded(Reload(changed: [change(active("z"))]))) == [])
    #expect(story.status("z") == .idle)
    #expect(try story.tell(.activated(hold: nil)).last == "run 3 z")
  }

  @Test("S27: after a failed launch nothing runs until the next one, and what changed isn't complete")
  func failed() throws {
    var story = Story([launch("a"), launch("b")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.fail("b")
    let reload = Reload(added: [.init(launch("c"), .command)], changed: [change(launch("a")), change(launch("b"))])
    #expect(try story.tell(.reloaded(reload)) == [])
    #expect(story.statuses == [.idle, .failed, .idle])
    _ = try story.tell(.launched)
    #expect(try story.finish("a") == ["run 4 b"])
    #expect(try story.finish("b") == ["run 5 c"])
    #expect(try story.finish("c").last == "launch complete")
  }

  @Test("S27: another phase, and another provider")
  func moves() throws {
    var story = Story([(launch("a"), .command), (launch("w"), .worker)], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.register(1, ["w"])
    _ = try story.finish("a")
    _ = try story.finish("w")
    let reload = Reload(changed: [change(active("a")), change(launch("w"), .command)])
    #expect(try story.tell(.reloaded(reload)) == ["pass 2 launch started", "launch pending", "run 3 w"])
    #expect(story.machine.names(providedBy: 1) == [])
    _ = try story.finish("w")
    #expect(try story.tell(.activated(hold: nil)).last == "run 4 a")
  }

  @Test("S27: a reload that can't be done changes nothing")
  func refused() throws {
    var story = Story([(launch("a"), .command)], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.register(1, ["w"])
    #expect(throws: Refusal.unknownInitializer("x")) { try story.tell(.reloaded(Reload(removed: ["a", "x"]))) }
    #expect(throws: Refusal.nameResident("w")) { try story.tell(.reloaded(Reload(removed: ["w"]))) }
    #expect(throws: Refusal.nameTaken("w")) { try story.tell(.reloaded(Reload(added: [.init(launch("w"), .command)]))) }
    #expect(throws: Refusal.declaredOtherwise(launch("w", "a"))) {
      try story.tell(.reloaded(Reload(added: [.init(launch("w", "a"), .worker)])))
    }
    #expect(try story.tell(.reloaded(Reload(added: [.init(launch("w"), .worker)]))) == [])
    #expect(throws: Refusal.nameResident("a")) {
      try story.tell(.reloaded(Reload(added: [.init(launch("a"), .command)])))
    }
    _ = try story.tell(.shutdownRequested)
    #expect(throws: Refusal.shuttingDown) { try story.tell(.reloaded(Reload())) }
  }

  @Test("S27: the settings of a pass in flight change at once")
  func settings() throws {
    var story = Story([launch("a"), launch("b"), launch("c")])
    _ = try story.tell(.started)
    var settings = Reload.Settings(story.machine.configuration)
    settings.concurrency = 3
    #expect(try story.tell(.reloaded(Reload(settings: settings))) == ["run 2 b", "run 3 c"])
  }
}
