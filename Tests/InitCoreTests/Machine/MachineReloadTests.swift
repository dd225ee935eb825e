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

  @Test("S27: what failed has changed until it runs again, if its own work has")
  func changedSinceFailure() throws {
    var story = Story([launch("a"), launch("b")])
    _ = try story.tell(.started)
    _ = try story.fail("a")
    func changed(_ story: Story) -> [String] { story.machine.initializers.filter(\.isChanged).map(\.declaration.name) }
    _ = try story.tell(.reloaded(Reload(changed: [change(launch("a"), isOfWork: false)])))
    #expect(changed(story) == [])
    _ = try story.tell(.reloaded(Reload(changed: [change(launch("a")), change(launch("b"))])))
    #expect(changed(story) == ["a"])
    _ = try story.tell(.launched)
    _ = try story.fail("a")
    #expect(changed(story) == [])
  }

  @Test("S27: one that runs finishes, and runs again; one that waits runs as it is declared now")
  func inFlight() throws {
    var story = Story([launch("a"), launch("b"), launch("c")])
    _ = try story.tell(.started)
    let reload = Reload(
      added: [.init(launch("d"), .command), .init(launch("e"), .command)],
      changed: [change(launch("a")), change(launch("b", "d"))])
    #expect(try story.tell(.reloaded(reload)) == [])
    #expect(try story.finish("a") == ["run 2 d"])
    #expect(try story.finish("d") == ["run 3 b"])
    _ = try story.finish("b")
    _ = try story.finish("c")
    #expect(try story.finish("e") == ["pass 1 launch complete", "pass 2 launch started", "run 6 a"])
    #expect(try story.finish("a") == ["pass 2 launch complete", "launch complete"])
  }

  @Test("S6, S27: what needs a changed one and hasn't started waits for its new run, in the same pass")
  func renewal() throws {
    for isRunning in [true, false] {
      var story = Story([launch("a"), launch("x"), launch("b", "a"), launch("c", "b"), launch("d")])
      _ = try story.tell(.started)
      if !isRunning { _ = try story.finish("a") }
      _ = try story.tell(.reloaded(Reload(added: [.init(launch("e", "c"), .command)], changed: [change(launch("a"))])))
      if isRunning { #expect(try story.finish("a") == ["run 2 a"]) }
      if !isRunning { #expect(try story.finish("x") == ["run 3 a"]) }
      #expect(story.status("b") == .waiting)
      #expect(try story.finish("a") == [isRunning ? "run 3 x" : "run 4 b"])
      for name in (isRunning ? ["x"] : []) + ["b", "c", "d"] { _ = try story.finish(name) }
      #expect(try story.finish("e") == ["pass 1 launch complete", "launch complete"])
      #expect(stale(story) == [])
    }
  }

  @Test("S6, S27: one that has started goes on, and is stale; in an active pass likewise")
  func started() throws {
    var story = Story([active("a"), active("b", "a"), active("c", "a")])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.finish("a") == ["run 2 b"])
    _ = try story.tell(.reloaded(Reload(changed: [change(active("a"))])))
    #expect(try story.finish("b") == ["run 3 a"])
    #expect(stale(story) == ["b"])
    #expect(try story.finish("a") == ["run 4 c"])
    #expect(try story.finish("c") == ["pass 2 active complete", "active complete, state complete"])
  }

  @Test("S27: with dependents, what has started runs again, too, and what hasn't runs once")
  func renewalWithDependents() throws {
    var story = Story([launch("a"), launch("b", "a"), launch("c", "b"), launch("d")])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.tell(.reloaded(Reload(changed: [change(launch("a"))], withDependents: true)))
    #expect(try story.finish("b") == ["run 3 a"])
    #expect(try story.finish("a") == ["run 4 b"])
    #expect(try story.finish("b") == ["run 5 c"])
    #expect(try story.finish("c") == ["run 6 d"])
    #expect(try story.finish("d") == ["pass 1 launch complete", "launch complete"])
  }

  @Test("S16, S27: if a run from before the change fails, its retry is the run with the new work")
  func renewalByRetry() throws {
    let once = launch("a").retry(2)
    var story = Story([once, launch("b", "a")])
    _ = try story.tell(.started)
    _ = try story.tell(.reloaded(Reload(changed: [change(once)])))
    _ = try story.fail("a")
    #expect(try story.wait(.seconds(2)) == ["run 2 a"])
    #expect(try story.finish("a") == ["run 3 b"])
    #expect(try story.finish("b") == ["pass 1 launch complete", "launch complete"])
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

  @Test("S27: what is removed and added again in the pass in which it has completed isn't complete in it")
  func addedAgain() throws {
    var story = Story([launch("a"), launch("b")])
    _ = try story.tell(.started)
    #expect(try story.finish("a") == ["run 2 b"])
    _ = try story.tell(.reloaded(Reload(removed: ["a"])))
    let reload = Reload(added: [.init(launch("c", "a"), .command), .init(launch("a"), .command)])
    #expect(try story.tell(.reloaded(reload)) == [])
    #expect(try story.finish("b") == ["run 3 a"])
    #expect(try story.finish("a") == ["run 4 c"])
    #expect(try story.finish("c") == ["pass 1 launch complete", "launch complete"])
  }

  @Test("S27, S28: what is removed and added in one reload is new: it doesn't have the failure of the old one")
  func replaced() throws {
    var story = Story([(launch("a"), .command), (launch("b"), .command)], .init(keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.tell(.reloaded(Reload(added: [.init(launch("a"), .command)], removed: ["a"]))) == [])
    #expect(try story.finish("b") == ["run 3 a"])
    #expect(story.status("a") == .running)
  }

  @Test("S27, S32: a changed process has its dependents run again, if it is declared so")
  func rerunningDependents() throws {
    let web = launch("web").rerunningDependents()
    var story = Story([(web, .process), (launch("b", "web"), .command)])
    _ = try story.tell(.started)
    _ = try story.finish("web")
    _ = try story.finish("b")
    #expect(try story.tell(.reloaded(Reload(changed: [change(web, .process)]))).last == "run 3 web")
    #expect(try story.finish("web") == ["run 4 b"])
    #expect(try story.finish("b") == ["pass 2 launch complete", "launch complete"])
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

  @Test("S27, S32: a process that isn't ready yet is stopped, and starts in the same pass as it is declared now")
  func process() throws {
    var story = Story([(launch("web"), .process), (launch("b", "web"), .command)])
    _ = try story.tell(.started)
    let reload = Reload(
      added: [.init(launch("a"), .command)], changed: [change(launch("web", "a"), .process)])
    #expect(try story.tell(.reloaded(reload)) == ["cancel 1 unregistered", "run 2 a"])
    #expect(try story.tell(.runFinished(run: 1, .success)) == [])
    #expect(try story.finish("a") == ["run 3 web"])
    #expect(try story.tell(.reloaded(Reload(changed: [change(launch("web"), .process, isOfWork: false)]))) == [])
    #expect(try story.finish("web") == ["run 4 b"])
    #expect(try story.finish("b") == ["pass 1 launch complete", "launch complete"])
    #expect(
      try story.tell(.reloaded(Reload(changed: [change(launch("web"), .process)])))
        == ["pass 2 launch started", "launch pending", "run 5 web"])
  }

  @Test("S27: if a run with the work before doesn't count, the next one is that with the new work, and it runs once")
  func outdated() throws {
    let end = ["pass 1 launch complete", "pass 2 launch started", "pass 2 launch complete", "launch complete"]
    var story = Story([(launch("w"), .worker)], .init(acceptsWorkers: true))
    _ = try story.tell(.started)
    _ = try story.register(1, ["w"])
    #expect(try story.tell(.reloaded(Reload(changed: [change(launch("w"), .worker)]))) == [])
    #expect(try story.tell(.workerUnregistered(by: 1, ["w"])) == ["cancel 1 unregistered"])
    _ = try story.register(2, ["w"])
    #expect(try story.tell(.runFinished(run: 1, .success)) == ["run 2 w"])
    #expect(try story.finish("w") == end)
    story = Story([launch("a").retry(2)])
    _ = try story.tell(.started)
    _ = try story.tell(.reloaded(Reload(changed: [change(launch("a").retry(2))])))
    _ = try story.fail("a")
    _ = try story.wait(.seconds(60))
    #expect(try story.finish("a") == end)
  }

  @Test("S27: one that waits for the next pass, and that another reload brings into the pass in flight, runs once")
  func broughtForward() throws {
    for withDependents in [false, true] {
      var story = Story([launch("a")], .init(concurrency: 2))
      _ = try story.tell(.started)
      _ = try story.finish("a")
      _ = try story.tell(.reloaded(Reload(added: [.init(launch("w"), .command)])))
      #expect(try story.tell(.reloaded(Reload(changed: [change(launch("a"))], withDependents: withDependents))) == [])
      let reload = Reload(
        added: [.init(launch("b", "a"), .command)], changed: [change(launch("a"))], withDependents: withDependents)
      #expect(try story.tell(.reloaded(reload)) == ["run 3 a"])
      #expect(try story.finish("a") == ["run 4 b"])
      _ = try story.finish("b")
      #expect(
        try story.finish("w") == [
          "pass 2 launch complete", "pass 3 launch started", "pass 3 launch complete", "launch complete",
        ])
    }
  }

  @Test("S26, S27: what a rerun was asked for as well still runs again")
  func outdatedAndRerun() throws {
    var story = Story([launch("a").retry(2)])
    _ = try story.tell(.started)
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    _ = try story.tell(.reloaded(Reload(changed: [change(launch("a").retry(2))])))
    _ = try story.fail("a")
    _ = try story.wait(.seconds(60))
    #expect(try story.finish("a") == ["pass 1 launch complete", "pass 2 launch started", "run 3 a"])
  }

  @Test("S27, S29: one that is skipped is asked again if it counts as changed; a condition that held is asked again")
  func conditions() throws {
    var story = Story([launch("a").condition(), launch("b"), launch("c").condition()])
    #expect(try story.tell(.started).last == "check 1 a")
    #expect(try story.answer("a", "no") == ["run 1 b"])
    #expect(try story.finish("b") == ["check 2 c"])
    let reload = Reload(changed: [change(launch("c").condition(), isOfWork: false)])
    #expect(try story.tell(.reloaded(reload)) == ["check 3 c"])
    #expect(try story.answer("c") == ["run 2 c"])
    #expect(try story.finish("c") == ["pass 1 launch complete", "launch complete"])
    #expect(try story.tell(.reloaded(Reload(changed: [change(launch("a"))]))).last == "run 3 a")
    _ = try story.finish("a")
    #expect(story.status("a") == .complete)
  }

  @Test("S20, S27, S29: one whose condition has held, and that waits for its worker, is asked again")
  func admitted() throws {
    var story = Story([(launch("w").condition(), .worker)], .init(acceptsWorkers: true))
    #expect(try story.tell(.started).last == "check 1 w")
    #expect(try story.answer("w") == [])
    let reload = Reload(changed: [change(launch("w").condition(), .worker, isOfWork: false)])
    #expect(try story.tell(.reloaded(reload)) == ["check 2 w"])
    #expect(try story.answer("w", "no") == ["pass 1 launch complete", "launch complete"])
  }

  @Test("S27, S29: after a failed launch, one that was skipped and has changed is idle")
  func skippedInFailed() throws {
    var story = Story([launch("a").condition(), launch("b")])
    _ = try story.tell(.started)
    _ = try story.answer("a", "no")
    _ = try story.fail("b")
    #expect(try story.tell(.reloaded(Reload(changed: [change(launch("a"))]))) == [])
    #expect(story.statuses == [.idle, .failed])
  }

  @Test("S27: the settings of a pass in flight change at once")
  func settings() throws {
    var story = Story([launch("a"), launch("b"), launch("c")])
    _ = try story.tell(.started)
    var settings = Reload.Settings(story.machine.configuration)
    settings.concurrency = 3
    #expect(try story.tell(.reloaded(Reload(settings: settings))) == ["run 2 b", "run 3 c"])
  }

  @Test("S28: a reload may select further initializers, which join the pass in flight or begin another one")
  func selection() throws {
    var configuration = Machine.Configuration()
    configuration.only = ["a"]
    var story = Story([launch("a"), launch("b"), launch("c")], configuration)
    _ = try story.tell(.started)
    var settings = Reload.Settings(story.machine.configuration)
    settings.only = ["a", "b"]
    _ = try story.tell(.reloaded(Reload(settings: settings)))
    #expect(try story.finish("a") == ["run 2 b"])
    _ = try story.finish("b")
    #expect(story.statuses == [.complete, .complete, .idle])
    settings.only = ["c"]
    #expect(try story.tell(.reloaded(Reload(settings: settings))).last == "run 3 c")
    #expect(story.statuses == [.complete, .complete, .running])
  }
}
