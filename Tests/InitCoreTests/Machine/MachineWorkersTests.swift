import InitWords
import Testing

@testable import InitCore

/// S18–S22: workers connect, register and disconnect.
@Suite("Workers")
struct MachineWorkersTests {
  private let open = Machine.Configuration(acceptsWorkers: true)

  @Test("S18: a second live registration of a name is refused completely, and the first stays")
  func taken() throws {
    var story = Story([launch("a")], open)
    _ = try story.register(1, ["w"])
    #expect(throws: Refusal.nameTaken("w")) { try story.register(2, ["v", "w"]) }
    #expect(throws: Refusal.nameTaken("w")) { try story.register(1, ["w"]) }
    #expect(throws: Refusal.nameResident("a")) { try story.register(2, ["a"]) }
    #expect(story.machine.initializer(named: "v") == nil)
    #expect(story.machine.names(providedBy: 1) == ["w"])
    #expect(story.machine.names(providedBy: 2) == [])
  }

  @Test("S18: the first registration sets the attributes that the manifest leaves open, even for the current pass")
  func saidByTheWorker() throws {
    var story = Story([(launch("w"), .worker)], open)
    _ = try story.tell(.started)
    let effects = try story.world.take(
      .workerRegistered(1, process: 100, [Registration("w", timeout: .seconds(3), retry: RetryPolicy(attempts: 2))]))
    let starts = effects.compactMap { if case .startRun(let start) = $0 { start } else { nil } }
    #expect(starts.map(\.timeout) == [.seconds(3)])
    #expect(story.machine.nextDeadline == story.world.now + .seconds(3))
    _ = try story.world.take(.runFinished(run: starts[0].run, .failure(.exit(status: 1))))
    #expect(story.machine.states.launch.state == .pending, "another attempt is to come")
    #expect(story.machine.initializer(named: "w")?.status == .waiting)
  }

  @Test("S18: another worker may register a name that has lost its worker")
  func freed() throws {
    var story = Story([], open)
    _ = try story.register(1, ["w"])
    _ = try story.tell(.workerDisconnected(1))
    _ = try story.register(2, ["w"], process: 200)
    #expect(story.machine.names(providedBy: 2) == ["w"])
  }

  @Test(
    "S18: a name of the manifest has the manifest's priority and dependencies; a registration with others is refused")
  func declaredOtherwise() throws {
    var story = Story([(active("w", "a"), .worker), (launch("a"), .command)], open)
    let refusal = Refusal.declaredOtherwise(active("w", "a"))
    #expect(throws: refusal) { try story.register(1, [Registration("w", priority: .appLaunch)]) }
    #expect(throws: refusal) { try story.register(1, [Registration("w", dependencies: [])]) }
    #expect(throws: Refusal.nameResident("a")) { try story.register(1, ["a"]) }
    _ = try story.register(1, [Registration("w", dependencies: ["a"], timeout: .seconds(3))])
    let declaration = story.machine.initializer(named: "w")?.declaration
    #expect(declaration == active("w", "a").timeout(.seconds(3)))
  }

  @Test("S19: an initializer registered while its phase's pass is running becomes part of that pass")
  func joins() throws {
    var story = Story([launch("a"), launch("b")], open)
    _ = try story.tell(.started)
    #expect(try story.register(1, ["w"]) == [])
    #expect(story.status("w") == .waiting)
    #expect(try story.finish("a") == ["run 2 b"])
    #expect(try story.finish("b") == ["run 3 w"])
    #expect(try story.finish("w") == ["pass 1 launch complete", "launch complete"])
  }

  @Test(
    "S19: after a completed launch, a registration starts a new launch pass, and the state is pending again")
  func launchBeginsAgain() throws {
    var story = Story([launch("a")], open)
    _ = try story.tell(.started)
    _ = try story.finish("a")
    #expect(try story.register(1, ["w"]) == ["pass 2 launch started", "launch pending", "run 2 w"])
    #expect(try story.finish("w") == ["pass 2 launch complete", "launch complete"])
  }

  @Test(
    "S19: an active pass in flight starts nothing more until the new launch pass has completed; current runs continue"
  )
  func launchHoldsActiveUp() throws {
    var story = Story([active("y"), active("z")], open)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.register(1, ["w"]) == ["pass 3 launch started", "launch pending"])
    #expect(try story.finish("y") == ["run 2 w"])
    #expect(try story.finish("w") == ["pass 3 launch complete", "launch complete", "run 3 z"])
    #expect(try story.finish("z") == ["pass 2 active complete", "active complete, state complete"])
  }

  @Test(
    "S19: an active initializer that depends on an unregistered launch initializer runs after the launch pass that its registration starts"
  )
  func activeWaitsForRegistration() throws {
    var story = Story([active("z", "w")], open)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.nextDeadline == .seconds(10))
    #expect(try story.register(1, ["w"]) == ["pass 3 launch started", "launch pending", "run 1 w"])
    #expect(try story.wait(.seconds(60)) == [])
    #expect(try story.finish("w") == ["pass 3 launch complete", "launch complete", "run 2 z"])
  }

  @Test("S19: the waiting active pass fails if the new launch pass fails")
  func launchFailsActive() throws {
    var story = Story([active("y"), active("z")], open)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.register(1, ["w"])
    _ = try story.finish("y")
    let failure = "w failed: exit status 1"
    #expect(
      try story.fail("w") == [
        "pass 3 launch failed (\(failure))", "pass 2 active failed (\(failure))",
        "launch failed (\(failure)), active failed (\(failure)), state failed (\(failure))",
      ])
  }

  @Test("S19: after a completed active pass, a registration begins a new one only while the app is active")
  func activeBeginsAgain() throws {
    var story = Story([active("z")], open)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("z")
    #expect(
      try story.register(1, [Registration("w", priority: .appActive)]) == [
        "pass 3 active started", "active pending, state pending", "run 2 w",
      ])
    _ = try story.finish("w")
    _ = try story.tell(.deactivated)
    #expect(try story.register(1, [Registration("v", priority: .appActive)]) == [])
    #expect(story.status("v") == .idle)
    #expect(story.machine.states.active.state == .complete)
  }

  @Test("S19: if the phase has failed, a registered initializer waits for the next pass")
  func failedWaits() throws {
    var story = Story([launch("a")], open)
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.register(1, ["w"]) == [])
    #expect(story.status("w") == .idle)
    #expect(try story.tell(.launched) == ["pass 2 launch started", "launch pending, state pending", "run 2 a"])
    #expect(try story.finish("a") == ["run 3 w"])
  }

  @Test("S19: an initializer that is registered while its pass is stopping waits for the next one")
  func stoppingWaits() throws {
    var story = Story([active("y"), active("z")], open)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(try story.register(1, [Registration("w", priority: .appActive)]) == [])
    #expect(try story.finish("y") == ["pass 2 active cancelled"])
    #expect(story.status("w") == .idle)
  }

  @Test("S20: if the next one's worker isn't connected, the pass continues with others that can run")
  func goesOn() throws {
    var story = Story([(launch("w"), .worker), (launch("a", "w"), .command), (launch("b"), .command)], open)
    #expect(try story.tell(.started) == ["pass 1 launch started", "run 1 b"])
    #expect(story.machine.nextDeadline == nil)
  }

  @Test(
    "S20: if nothing else can run, the pass waits up to registrationTimeout from that moment, then fails with worker lost"
  )
  func waits() throws {
    var story = Story([(launch("w"), .worker), (launch("b"), .command)], open)
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(7))
    #expect(try story.finish("b") == [])
    #expect(story.machine.nextDeadline == .seconds(17))
    #expect(try story.wait(.seconds(9)) == [])
    let failure = "w failed: its worker is not connected"
    #expect(
      try story.wait(.seconds(1)) == [
        "pass 1 launch failed (\(failure))", "launch failed (\(failure)), state failed (\(failure))",
      ])
  }

  @Test("S20: a registration of a missing name lets the pass continue, and the timeout restarts the next time")
  func clockStartsAnew() throws {
    var story = Story([(launch("v"), .worker), (launch("w"), .worker)], open)
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(9))
    #expect(try story.register(1, ["v"]) == ["run 1 v"])
    #expect(story.machine.nextDeadline == nil)
    #expect(try story.finish("v") == [])
    #expect(story.machine.nextDeadline == .seconds(19))
  }

  @Test("S20: a registration of another name doesn't restart the timeout")
  func clockGoesOn() throws {
    var story = Story([(launch("w"), .worker)], open)
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(9))
    _ = try story.register(1, [Registration("z", priority: .appActive)])
    #expect(story.machine.nextDeadline == .seconds(10))
  }

  @Test("S19, S20: the timeout of an active pass pauses during a new launch pass, and restarts after it")
  func clockStopsForLaunch() throws {
    var story = Story([(active("z"), .worker)], open)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    #expect(story.machine.nextDeadline == .seconds(10))
    _ = try story.wait(.seconds(9))
    #expect(try story.register(1, ["w"]).last == "run 1 w")
    #expect(story.machine.nextDeadline == nil)
    #expect(try story.wait(.seconds(5)) == [])
    #expect(try story.finish("w") == ["pass 3 launch complete", "launch complete"])
    #expect(story.machine.nextDeadline == .seconds(24))
  }

  @Test("S20: the pass fails with missingDependency if a name is never declared")
  func missing() throws {
    var story = Story([launch("a", "gone"), launch("b", "a")], open)
    _ = try story.tell(.started)
    #expect(story.statuses == [.waiting, .waiting])
    let failure = "cannot run a: its dependency gone is not declared"
    #expect(
      try story.wait(.seconds(10)) == [
        "pass 1 launch failed (\(failure))", "launch failed (\(failure)), state failed (\(failure))",
      ])
    #expect(story.statuses == [.failed, .notRun])
  }

  @Test("S20: an optional initializer without its worker or dependency doesn't stop the pass")
  func missingOptional() throws {
    var story = Story(
      [
        (launch("w").optional(), .worker), (launch("a", "gone").optional(), .command),
        (launch("b", "a").optional(), .command),
      ], open)
    _ = try story.tell(.started)
    #expect(try story.wait(.seconds(10)) == ["pass 1 launch complete", "launch complete"])
    #expect(story.statuses == [.failed, .failed, .notRun])
    #expect(story.machine.initializer(named: "b")?.blockedBy == "a")
  }

  @Test("S20: each registration updates the plan, and a cycle found by it fails the pass at once")
  func cycleComesToLight() throws {
    var story = Story([launch("a", "w")], open)
    _ = try story.tell(.started)
    #expect(
      try story.register(1, [Registration("w", dependencies: ["a"])]).first
        == "pass 1 launch failed (cannot run a: circular dependency a -> w -> a)")
  }

  @Test("S20: a registered initializer adds its own dependencies to the pass")
  func replans() throws {
    var story = Story([launch("a", "w"), active("y")], open)
    _ = try story.tell(.started)
    #expect(try story.register(1, [Registration("w", dependencies: ["y"])]) == ["run 1 y"])
    #expect(try story.finish("y") == ["run 2 w"])
    #expect(try story.finish("w") == ["run 3 a"])
  }

  @Test("S20: if workers can't connect, a missing worker is lost at once")
  func noWorkers() throws {
    var story = Story([(launch("w"), .worker)])
    _ = try story.tell(.started)
    #expect(story.machine.nextDeadline == .zero)
    #expect(try story.wait(.zero).first == "pass 1 launch failed (w failed: its worker is not connected)")
  }

  @Test("S21: a worker that disconnects fails its runs, each with cause worker lost")
  func lost() throws {
    var story = Story([], .init(concurrency: 2, acceptsWorkers: true))
    _ = try story.register(1, ["v", "w"])
    _ = try story.tell(.started)
    #expect(
      try story.tell(.workerDisconnected(1)).first == "pass 1 launch failed (v failed: its worker is not connected)")
    for name in ["v", "w"] {
      #expect(story.machine.initializer(named: name)?.failure == .initializerFailed(name, .workerLost))
      #expect(story.machine.initializer(named: name)?.isAvailable == false)
    }
  }

  @Test("S21: a cancelled run has simply stopped when its worker disconnects")
  func lostWhileStopping() throws {
    var story = Story([], open)
    _ = try story.register(1, [Registration("w", priority: .appActive)])
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.deactivated)
    #expect(try story.tell(.workerDisconnected(1)) == ["pass 2 active cancelled"])
    #expect(story.status("w") == .cancelled)
  }

  @Test("S21: a lost run is retried like any failed one, once its worker is back")
  func lostRetried() throws {
    var story = Story([], open)
    let registration = Registration("w", retry: RetryPolicy(attempts: 2, delay: .seconds(1), maxDelay: .seconds(1)))
    _ = try story.register(1, [registration])
    _ = try story.tell(.started)
    #expect(try story.tell(.workerDisconnected(1)) == [])
    #expect(try story.wait(.seconds(1)) == [])
    #expect(story.machine.nextDeadline == .seconds(11))
    #expect(try story.register(2, [registration]) == ["run 2 w"])
    #expect(story.machine.initializer(named: "w")?.run?.attempt == 2)
  }

  @Test(
    "S21: initializers of a disconnected worker stay known, without a provider; registering again provides them again")
  func staysKnown() throws {
    var story = Story([], open)
    _ = try story.register(1, ["w"])
    _ = try story.tell(.started)
    _ = try story.finish("w")
    #expect(try story.tell(.workerDisconnected(1)) == [])
    #expect(story.status("w") == .complete)
    #expect(story.machine.initializer(named: "w")?.isAvailable == false)
    #expect(try story.register(2, ["w"], process: 200) == [])
    #expect(story.machine.initializer(named: "w")?.isAvailable == true)
  }

  @Test("S21: a worker that unregisters removes its initializers; their dependents wait for them")
  func unregister() throws {
    var story = Story([launch("a", "w")], open)
    _ = try story.register(1, ["w"])
    _ = try story.tell(.started)
    #expect(try story.tell(.workerUnregistered(by: 1, ["w"])) == ["cancel 1 unregistered"])
    #expect(story.machine.initializer(named: "w") == nil)
    #expect(try story.tell(.runFinished(run: 1, .success)) == [])
    #expect(story.machine.nextDeadline == .seconds(10))
    #expect(
      try story.wait(.seconds(10)).first
        == "pass 1 launch failed (cannot run a: its dependency w is not declared)")
  }

  @Test("S21: a worker that has unregistered a name and disconnects later doesn't take it from the next worker")
  func unregisteredAndGone() throws {
    var story = Story([launch("m")].map { ($0, .worker) }, open)
    _ = try story.tell(.started)
    _ = try story.register(1, ["m", "w"])
    _ = try story.tell(.workerUnregistered(by: 1, ["m", "w"]))
    _ = try story.register(2, ["m", "w"])
    _ = try story.tell(.workerDisconnected(1))
    for name in ["m", "w"] { #expect(story.machine.initializer(named: name)?.isAvailable == true, "\(name)") }
    _ = try story.tell(.workerDisconnected(2))
    for name in ["m", "w"] { #expect(story.machine.initializer(named: name)?.isAvailable == false, "\(name)") }
  }

  @Test("S16, S21: the attempts of a name that is removed and registered again are counted from 1")
  func attemptsAfterRemoval() throws {
    var story = Story([], open)
    let registration = Registration("w", timeout: .seconds(5), retry: RetryPolicy(attempts: 3, delay: .seconds(1)))
    _ = try story.register(1, [registration])
    _ = try story.tell(.started)
    _ = try story.fail("w")
    #expect(try story.wait(.seconds(2)) == ["run 2 w"])
    #expect(try story.wait(.seconds(5)) == ["cancel 2 timeout"])
    _ = try story.tell(.workerUnregistered(by: 1, ["w"]))
    #expect(try story.register(1, [registration]) == [])
    // The second attempt of the removed initializer stops; its failure doesn't count for the new initializer.
    #expect(try story.tell(.runFinished(run: 2, .success)) == ["run 3 w"])
    #expect(story.machine.initializer(named: "w")?.run?.attempt == 1)
  }

  @Test("S16, S20, S21: a retry without a worker whose dependency was removed fails once, and its pass ends")
  func retryWithoutDependency() throws {
    let retried = Declaration(
      "n", priority: .appActive, dependencies: ["d"], retry: RetryPolicy(attempts: 2, delay: .seconds(1)),
      isOptional: true)
    var story = Story([(retried, .worker)], open)
    _ = try story.register(1, [Registration("d")])
    _ = try story.register(2, ["n"], process: 200)
    _ = try story.tell(.started)
    _ = try story.finish("d")
    _ = try story.tell(.activated(hold: nil))
    _ = try story.tell(.workerDisconnected(2))
    // The delay is over, and no worker provides the initializer.
    _ = try story.wait(.seconds(2))
    _ = try story.tell(.workerUnregistered(by: 1, ["d"]))
    #expect(try story.wait(.seconds(11)).contains("pass 2 active complete"))
  }

  @Test("S21: a name of the manifest loses only its provider, and its cancelled run starts again later")
  func unregisterDeclared() throws {
    var story = Story([(launch("w"), .worker)], open)
    _ = try story.register(1, ["w"])
    _ = try story.tell(.started)
    _ = try story.tell(.workerUnregistered(by: 1, ["w"]))
    #expect(story.status("w") == .stopping)
    #expect(try story.register(2, ["w"], process: 200) == [])
    #expect(try story.tell(.runFinished(run: 1, .success)) == ["run 2 w"])
  }

  @Test("S13, S21: a name that is registered again before its run has stopped is shown as stopping, then runs")
  func backWhileStopping() throws {
    var story = Story([], open)
    _ = try story.register(1, ["w"])
    _ = try story.tell(.started)
    _ = try story.tell(.workerUnregistered(by: 1, ["w"]))
    #expect(try story.register(1, ["w"]) == [])
    #expect(story.status("w") == .stopping)
    #expect(try story.finish("w") == ["run 2 w"])
  }

  @Test(
    "S7, S21: if the dependent of a running initializer is removed and registered again, the failure fails the pass, and nothing runs twice"
  )
  func neededAgain() throws {
    var story = Story([active("y")], .init(acceptsWorkers: true, defersPlanning: true))
    let needing = Registration("w", dependencies: ["y"])
    _ = try story.register(1, [needing])
    #expect(try story.tell(.started).last == "run 1 y")
    #expect(try story.tell(.workerUnregistered(by: 1, ["w"])) == [])
    #expect(try story.register(1, [needing]) == [])
    #expect(try story.fail("y").first == "pass 1 launch failed (y failed: exit status 1)")
  }

  @Test("S16, S21: a name that is removed between two attempts frees its place")
  func takenAwayBetweenAttempts() throws {
    var story = Story([], open)
    _ = try story.register(1, [Registration("w", retry: RetryPolicy(attempts: 2)), Registration("v")])
    _ = try story.tell(.started)
    #expect(try story.fail("w") == [])
    #expect(try story.tell(.workerUnregistered(by: 1, ["w"])) == ["run 2 v"])
    #expect(story.machine.nextDeadline == nil)
  }

  @Test(
    "S21: names without a live provider can be removed; a removal that includes another worker's live name is refused completely"
  )
  func unregisterOthers() throws {
    var story = Story([(launch("m"), .worker), (launch("c"), .command)], open)
    _ = try story.register(1, ["v"])
    _ = try story.register(2, ["w"])
    _ = try story.tell(.workerDisconnected(1))
    #expect(throws: Refusal.nameTaken("w")) { try story.tell(.workerUnregistered(by: 3, ["v", "w"])) }
    #expect(throws: Refusal.nameTaken("w")) { try story.tell(.workerUnregistered(by: nil, ["w"])) }
    #expect(throws: Refusal.nameResident("c")) { try story.tell(.workerUnregistered(by: nil, ["c"])) }
    #expect(throws: Refusal.unknownInitializer("x")) { try story.tell(.workerUnregistered(by: nil, ["v", "x"])) }
    #expect(story.machine.initializer(named: "v") != nil)
    _ = try story.tell(.workerUnregistered(by: nil, ["v", "m"]))
    #expect(story.machine.initializers.map(\.declaration.name) == ["m", "c", "w"])
  }

  @Test("S21: a dependency that completed in the pass stays satisfied when its name is removed")
  func completedAndAway() throws {
    var story = Story([launch("a", "w", "b"), launch("b")], open)
    _ = try story.register(1, ["w"])
    _ = try story.tell(.started)
    #expect(try story.finish("w") == ["run 2 b"])
    #expect(try story.tell(.workerUnregistered(by: 1, ["w"])) == [])
    #expect(try story.finish("b") == ["run 3 a"])
  }

  @Test("S9, S19: a remembered name is complete when a worker registers it, once, and never if it is perProcess")
  func remembersNames() throws {
    var story = Story([launch("a", "w")], open)
    _ = try story.tell(.remembered(["w", "p"]))
    _ = try story.tell(.started)
    #expect(try story.register(1, ["w"]) == ["run 1 a"])
    #expect(try story.register(1, [Registration("p", isPerProcess: true)]) == [])
    #expect(try story.finish("a") == ["run 2 p"])
    _ = try story.finish("p")
    _ = try story.tell(.workerUnregistered(by: 1, ["w"]))
    #expect(try story.register(1, ["w"]).last == "run 3 w")
  }

  @Test("S22: a perProcess initializer runs again in another process; its dependents don't")
  func perProcess() throws {
    var story = Story([launch("a", "w")], open)
    _ = try story.register(1, [Registration("w", isPerProcess: true)], process: 100)
    _ = try story.tell(.started)
    _ = try story.finish("w")
    _ = try story.finish("a")
    _ = try story.tell(.workerDisconnected(1))
    #expect(story.status("w") == .complete)
    #expect(
      try story.register(2, [Registration("w", isPerProcess: true)], process: 200) == [
        "pass 2 launch started", "launch pending", "run 3 w",
      ])
    #expect(try story.finish("w") == ["pass 2 launch complete", "launch complete"])
  }

  @Test(
    "S22: a perProcess initializer doesn't run again in the same process, but it does in an unknown one",
    arguments: [(100, 100, false), (100, nil, true), (nil, nil, true)] as [(Int32?, Int32?, Bool)])
  func perProcessReturns(before: Int32?, process: Int32?, runs: Bool) throws {
    var story = Story([], open)
    _ = try story.register(1, [Registration("w", isPerProcess: true)], process: before)
    _ = try story.tell(.started)
    _ = try story.finish("w")
    _ = try story.tell(.workerDisconnected(1))
    let told = try story.register(2, [Registration("w", isPerProcess: true)], process: process)
    #expect(told.contains("run 2 w") == runs)
  }

  @Test(
    "S22: an initializer that is taken over after it completed in the current pass runs again in the next pass (S7)")
  func perProcessInPass() throws {
    var story = Story([launch("a")], open)
    _ = try story.register(1, [Registration("w", isPerProcess: true)], process: 100)
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.register(3, ["b"])
    _ = try story.finish("w")
    _ = try story.tell(.workerDisconnected(1))
    #expect(try story.register(2, [Registration("w", isPerProcess: true)], process: 200) == [])
    #expect(try story.finish("b") == ["pass 1 launch complete", "pass 2 launch started", "run 4 w"])
  }

  @Test("S6, S22: what needs one that was taken over, and hasn't started, waits for its new run, in the same pass")
  func perProcessDependents() throws {
    var story = Story([launch("b", "w", "c"), launch("c")], open)
    _ = try story.register(1, [Registration("w", isPerProcess: true)], process: 100)
    _ = try story.tell(.started)
    #expect(try story.finish("w") == ["run 2 c"])
    _ = try story.tell(.workerDisconnected(1))
    #expect(try story.register(2, [Registration("w", isPerProcess: true)], process: 200) == [])
    #expect(try story.finish("c") == ["run 3 w"])
    #expect(try story.finish("w") == ["run 4 b"])
    #expect(try story.finish("b") == ["pass 1 launch complete", "launch complete"])
  }

  @Test(
    "S6, S22: what the other process registers beside the one that it takes over waits for its new run, in either order",
    arguments: [false, true])
  func perProcessNewDependents(isFirst: Bool) throws {
    var story = Story([launch("a", "w")], open)
    let w = Registration("w", isPerProcess: true)
    let b = Registration("b", dependencies: ["w"])
    _ = try story.register(1, [w], process: 100)
    _ = try story.tell(.started)
    #expect(try story.finish("w") == ["run 2 a"])
    _ = try story.tell(.workerDisconnected(1))
    #expect(try story.register(2, isFirst ? [b, w] : [w, b], process: 200) == [])
    #expect(try story.finish("a") == ["run 3 w"])
    #expect(try story.finish("w") == ["run 4 b"])
  }

  @Test("S22: taking over an active initializer that launch ran as a dependency doesn't start a launch pass")
  func perProcessDependency() throws {
    var story = Story([launch("a", "w")], open)
    _ = try story.register(1, [Registration("w", priority: .appActive, isPerProcess: true)], process: 100)
    _ = try story.tell(.started)
    _ = try story.finish("w")
    _ = try story.tell(.workerDisconnected(1))
    #expect(try story.register(2, [Registration("w", priority: .appActive, isPerProcess: true)], process: 200) == [])
    #expect(try story.finish("a") == ["pass 1 launch complete", "launch complete"])
  }

  @Test("S16, S22: an initializer that is taken over while its dependent runs keeps its place between two attempts")
  func perProcessRetry() throws {
    var story = Story([launch("a", "w")], open)
    let w = Registration(
      "w", priority: .appActive, retry: RetryPolicy(attempts: 2, delay: .seconds(1), maxDelay: .seconds(1)),
      isPerProcess: true)
    _ = try story.register(1, [w], process: 100)
    _ = try story.tell(.started)
    _ = try story.finish("w")
    _ = try story.fail("a")
    #expect(try story.tell(.launched) == ["pass 2 launch started", "launch pending, state pending", "run 3 a"])
    _ = try story.tell(.workerDisconnected(1))
    #expect(try story.register(2, [w, Registration("o")], process: 200) == [])
    #expect(try story.finish("a") == ["run 4 w"])
    #expect(try story.fail("w") == [])
    #expect(try story.wait(.seconds(1)) == ["run 5 w"])
    #expect(try story.finish("w") == ["run 6 o"])
  }

  @Test("S8, S20: an active pass fails with the error of a launch initializer, even if the missing name has come since")
  func missedInLaunch() throws {
    var story = Story([launch("a", "b").optional(), active("b", "w").optional(), active("c", "a")], open)
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(10))
    #expect(story.statuses == [.notRun, .failed, .idle])
    #expect(try story.register(1, [Registration("w", priority: .appActive)]) == [])
    #expect(
      try story.tell(.activated(hold: nil)) == [
        "pass 2 active started", "pass 2 active failed (cannot run b: its dependency w is not declared)",
        "active failed (cannot run b: its dependency w is not declared), state failed (cannot run b: its dependency w is not declared), app active",
      ])
  }

  @Test("S19: a name that is removed and registered again after its turn runs in the next pass")
  func registeredAnew() throws {
    var story = Story([launch("a")], open)
    _ = try story.register(1, ["w"])
    _ = try story.register(2, ["b"])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.finish("w")
    _ = try story.tell(.workerUnregistered(by: 1, ["w"]))
    _ = try story.register(1, ["w"])
    #expect(try story.finish("b") == ["pass 1 launch complete", "pass 2 launch started", "run 4 w"])
  }

  @Test("S21: the newest declaration applies from the next pass on; the current pass keeps its own")
  func newestDeclaration() throws {
    var story = Story([launch("a"), active("z")], open)
    _ = try story.register(1, [Registration("w", dependencies: ["a"])])
    _ = try story.tell(.started)
    _ = try story.tell(.workerDisconnected(1))
    _ = try story.register(1, [Registration("w", priority: .appActive)])
    #expect(try story.finish("a") == ["run 2 w"])
    #expect(try story.finish("w") == ["pass 1 launch complete", "launch complete"])
    #expect(try story.tell(.activated(hold: nil)) == ["pass 2 active started", "app active", "run 3 z"])
    #expect(try story.finish("z") == ["run 4 w"])
  }

  @Test("S19: deferred registrations are planned together, and nothing starts before that")
  func deferred() throws {
    let configuration = Machine.Configuration(concurrency: 4, acceptsWorkers: true, defersPlanning: true)
    var story = Story([launch("a"), launch("b", "w")], configuration)
    _ = try story.tell(.started)
    #expect(try story.register(1, ["w"]) == [])
    #expect(try story.register(2, ["v"], process: 200) == [])
    #expect(story.machine.nextDeadline == .zero)
    #expect(try story.finish("a") == [])
    #expect(try story.tell(.timePassed) == ["run 2 w", "run 3 v"])
    #expect(story.machine.nextDeadline == nil)
    _ = try story.finish("w")
    _ = try story.finish("v")
    _ = try story.register(2, ["u"], process: 200)
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .pending, "u is in the pass, though that isn't planned again yet")
  }

  @Test("S21: a removed name is published with its last shape; a name of the manifest stays")
  func removal() throws {
    var story = Story([(launch("fixed"), .worker)], open)
    _ = try story.tell(.started)
    _ = try story.register(1, ["fixed", "own"])
    let effects = try story.world.take(.workerUnregistered(by: 1, ["fixed", "own"]))
    let removed = effects.compactMap {
      if case .publish(.initializerRemoved(let snapshot)) = $0 { snapshot } else { nil }
    }
    #expect(removed.map(\.declaration.name) == ["own"])
    #expect(story.machine.initializers.map(\.declaration.name) == ["fixed"])
    #expect(story.machine.initializer(named: "fixed")?.isAvailable == false)
  }
}
