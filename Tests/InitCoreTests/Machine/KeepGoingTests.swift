import InitCore
import InitWords
import Testing

@Suite("S28: passes that keep going")
struct KeepGoingTests {
  private let configuration = Machine.Configuration(keepsGoing: true)

  @Test("S28: a failure stops only its dependents, and the pass fails at its end with all errors")
  func dependentsOnly() throws {
    var story = Story([launch("a"), launch("b", "a"), launch("c", "b"), launch("d"), launch("e")], configuration)
    _ = try story.tell(.started)
    #expect(try story.fail("a") == ["run 2 d"])
    #expect(story.statuses == [.failed, .notRun, .notRun, .running, .waiting])
    #expect(story.machine.initializer(named: "c")?.blockedBy == "a")
    #expect(try story.fail("d", .exit(status: 3)) == ["run 3 e"])
    #expect(
      try story.finish("e") == [
        "pass 1 launch failed (a failed: exit status 1; also failed: d)",
        "launch failed (a failed: exit status 1; also failed: d), state failed (a failed: exit status 1; also failed: d)",
      ])
    let first = Failure.initializerFailed("a", .exit(status: 1))
    let second = Failure.initializerFailed("d", .exit(status: 3))
    #expect(story.machine.states.launch.state == .failed(.several(first, others: [second])))
  }

  @Test("S28: a single failure is the error as it is without keepGoing")
  func single() throws {
    var story = Story([launch("a"), launch("b")], configuration)
    _ = try story.tell(.started)
    _ = try story.fail("a")
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .failed(.initializerFailed("a", .exit(status: 1))))
  }

  @Test("S28: the other runs aren't asked to stop, even when a timeout has no attempt left")
  func runsGoOn() throws {
    let configuration = Machine.Configuration(concurrency: 3, keepsGoing: true)
    var story = Story([launch("a").timeout(.seconds(1)), launch("b"), launch("c")], configuration)
    _ = try story.tell(.started)
    #expect(try story.wait(.seconds(1)) == ["cancel 1 timeout"])
    #expect(try story.finish("b") == [])
    #expect(try story.fail("a") == [])
    #expect(story.statuses == [.failed, .complete, .running])
    #expect(try story.finish("c").first == "pass 1 launch failed (a failed: timed out after 1 s)")
  }

  @Test("S28: a failed optional initializer counts if one that isn't optional needs it")
  func optional() throws {
    var story = Story([launch("a").optional(), launch("b", "a"), launch("c").optional()], configuration)
    _ = try story.tell(.started)
    #expect(try story.fail("a") == ["run 2 c"])
    #expect(try story.fail("c").first == "pass 1 launch failed (a failed: exit status 1)")
    #expect(story.statuses == [.failed, .notRun, .failed])
  }

  @Test("S9, S28: the next launch runs only what hasn't completed")
  func nextLaunch() throws {
    var story = Story([launch("a"), launch("b", "a"), launch("c")], configuration)
    _ = try story.tell(.started)
    _ = try story.fail("a")
    _ = try story.finish("c")
    #expect(try story.tell(.launched).last == "run 3 a")
    #expect(try story.finish("a") == ["run 4 b"])
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S16, S28: a failed attempt is retried while the others go on")
  func retried() throws {
    var story = Story([launch("a").retry(2), launch("b")], .init(concurrency: 2, keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.wait(.seconds(1)) == ["run 3 a"])
    _ = try story.finish("a")
    _ = try story.finish("b")
    #expect(story.machine.states.launch.state == .complete)
  }

  @Test("S20, S28: each initializer whose worker doesn't come fails")
  func missingWorkers() throws {
    let configuration = Machine.Configuration(acceptsWorkers: true, keepsGoing: true)
    var story = Story(
      [(launch("a"), .worker), (launch("b"), .worker), (launch("c", "nobody"), .command)], configuration)
    _ = try story.tell(.started)
    let told = try story.wait(.seconds(10))
    #expect(told.first == "pass 1 launch failed (a failed: its worker is not connected; also failed: b, c)")
  }

  @Test(
    "S8, S20, S28: a missing dependency stays an error of its pass, even if a reload removes the cause",
    arguments: [
      Reload(removed: ["a"]), Reload(changed: [.init(launch("a"), .command, isOfWork: true)]),
      Reload(added: [.init(launch("gone"), .command)]),
    ])
  func mendedByReload(reload: Reload) throws {
    // While the process lives, the wait for b isn't bounded, so the pass continues after the failure of a.
    var story = Story(
      [(launch("a", "gone"), .command), (launch("b").process("p"), .worker)],
      .init(acceptsWorkers: true, keepsGoing: true))
    _ = try story.tell(.processChanged("p", .alive))
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(10))
    _ = try story.tell(.reloaded(reload))
    if !reload.added.isEmpty { _ = try story.finish("gone") }
    _ = try story.register(1, ["b"])
    #expect(
      try story.finish("b").first == "pass 1 launch failed (cannot run a: its dependency gone is not declared)")
  }

  @Test("S5, S28: a cycle fails the pass before anything has run")
  func cycle() throws {
    var story = Story([launch("a", "b"), launch("b", "a"), launch("c")], configuration)
    #expect(
      try story.tell(.started).dropFirst() == [
        "pass 1 launch failed (cannot run a: circular dependency a -> b -> a)",
        "launch failed (cannot run a: circular dependency a -> b -> a), "
          + "state failed (cannot run a: circular dependency a -> b -> a)",
      ])
  }

  @Test("S5, S28: a fault that a registration reveals stops the pass, and its error lists the failures before")
  func lateFault() throws {
    var story = Story(
      [launch("a"), launch("b"), launch("c", "w"), launch("d", "c")],
      .init(concurrency: 2, acceptsWorkers: true, keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.register(1, [Registration("w", dependencies: ["d"])]) == ["cancel 2 failed"])
    #expect(
      try story.finish("b").first
        == "pass 1 launch failed (a failed: exit status 1; also failed: c)")
    #expect(story.machine.initializer(named: "b")?.blockedBy == "c")
    #expect(story.machine.initializer(named: "d")?.blockedBy == "c")
    #expect(story.statuses == [.failed, .cancelled, .failed, .notRun, .notRun])
  }

  @Test("S28, S34: a run that an operator cancels stops only its dependents")
  func cancelledByOperator() throws {
    var story = Story(
      [launch("a").retry(2), launch("b").retry(2), launch("c"), launch("d", "b")],
      .init(concurrency: 3, keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.fail("a")
    #expect(try story.tell(.runsCancelled(["a", "b"], by: "ops")) == ["cancel 2 operator"])
    #expect(try story.fail("b") == [])
    #expect(story.statuses == [.failed, .failed, .running, .notRun])
    #expect(try story.finish("c").first == "pass 1 launch failed (a failed: cancelled by ops; also failed: b)")
  }

  @Test("S19, S28: a failure of launch that is mended during an active pass isn't an error of that pass")
  func mended() throws {
    var story = Story(
      [launch("a", "w").optional(), active("b", "a"), active("c")], .init(acceptsWorkers: true, keepsGoing: true))
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(10))
    #expect(try story.tell(.activated(hold: nil)).last == "run 1 c")
    #expect(story.status("b") == .notRun)
    _ = try story.register(1, ["w"])
    _ = try story.finish("c")
    _ = try story.finish("w")
    _ = try story.finish("a")
    _ = try story.finish("b")
    #expect(story.machine.states.isReady)
  }

  @Test("S11, S28: a pass that is cancelled after a failure is cancelled")
  func cancelled() throws {
    var story = Story([active("a"), active("b")], configuration)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("a")
    _ = try story.tell(.deactivated)
    #expect(try story.finish("b").first == "pass 2 active cancelled")
  }

  @Test("S2: an error of many names eight others, and how many there are")
  func many() {
    let failures = (0..<12).map { Failure.initializerFailed("n\($0)", .exit(status: 1)) }
    let all = Failure.several(failures[0], others: Array(failures.dropFirst()))
    #expect("\(all)" == "n0 failed: exit status 1; also failed: n1, n2, n3, n4, n5, n6, n7, n8 and 3 more")
    #expect(all.all == failures && all.initializer == "n0")
  }
}
