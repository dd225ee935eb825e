import InitCore
import InitWords
import Testing

@Suite("S30: freshness")
struct MachineFreshnessTests {
  /// Returns a story with an active initializer a, and z that depends on it, after a first activation in which a's inputs were "x".
  private func activated(_ a: Declaration = active("a").freshness(), _ more: [Declaration] = []) throws -> Story {
    var story = Story([a, active("z", "a")] + more)
    _ = try story.tell(.started)
    #expect(try story.tell(.activated(hold: nil)).last == "check 1 a")
    #expect(try story.answer("a", nil, "x") == ["run 1 a"])
    _ = try story.finish("a")
    _ = try story.finish("z")
    return story
  }

  @Test("S30: with the same inputs it is skipped at the next activation, and its dependents get its output")
  func fresh() throws {
    var story = try activated()
    #expect(try story.tell(.activated(hold: nil)).last == "check 2 a")
    #expect(story.status("a") == .waiting)
    #expect(try story.answer("a", nil, "x") == ["reuse a active", "run 3 z"])
    #expect(story.status("a") == .skipped)
    #expect(story.machine.initializer(named: "a")?.skipReason == .fresh)
    #expect(story.machine.outcome(of: "a") == .complete)
    #expect(try story.finish("z").first == "pass 3 active complete")
    #expect(story.machine.initializer(named: "z")?.isStale == false)
  }

  @Test("S30: with other inputs it runs, and those count from then on")
  func changed() throws {
    var story = try activated()
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "y") == ["run 3 a"])
    _ = try story.finish("a")
    _ = try story.finish("z")
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "y") == ["reuse a active", "run 5 z"])
  }

  @Test("S30: inputs that can't be read count as changed, now and the next time")
  func unreadable() throws {
    var story = try activated()
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a") == ["run 3 a"])
    _ = try story.finish("a")
    _ = try story.finish("z")
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "x") == ["run 5 a"])
  }

  @Test("S30: freshFor counts from its completion, and not from when it was skipped")
  func expires() throws {
    var story = Story([active("a").freshness(.seconds(10))])
    _ = try story.tell(.started)
    _ = try story.wait(.seconds(3))
    _ = try story.tell(.activated(hold: nil))
    _ = try story.answer("a", nil, "x")
    // The run takes 5 s.
    _ = try story.wait(.seconds(5))
    _ = try story.finish("a")
    _ = try story.wait(.milliseconds(9999))
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "x").first == "reuse a active")
    _ = try story.wait(.milliseconds(1))
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "x") == ["run 2 a"])
  }

  @Test("S30: after a run that failed or was cancelled it isn't fresh, even with the inputs of an earlier completion")
  func interrupted() throws {
    for fails in [true, false] {
      var story = try activated()
      _ = try story.tell(.activated(hold: nil))
      _ = try story.answer("a", nil, "y")
      if fails {
        _ = try story.fail("a")
      } else {
        _ = try story.tell(.deactivated)
        _ = try story.finish("a")
      }
      _ = try story.tell(.activated(hold: nil))
      #expect(try story.answer("a", nil, "x") == ["run 4 a"])
    }
  }

  @Test("S26, S30: rerun forces it, and so does a reload that changes its work")
  func forced() throws {
    var story = try activated()
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    #expect(try story.answer("a", nil, "x") == ["run 3 a"])
    _ = try story.finish("a")
    let change = Reload.Change(active("a").freshness(), .command, isOfWork: true)
    #expect(try story.tell(.reloaded(Reload(changed: [change]))).last == "check 3 a")
    #expect(try story.answer("a", nil, "x") == ["run 4 a"])
    _ = try story.finish("a")
    let policy = Reload.Change(active("a").freshness().optional(), .command, isOfWork: false)
    _ = try story.tell(.reloaded(Reload(changed: [policy])))
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "x") == ["reuse a active", "run 5 z"])
  }

  @Test("S26, S30: what is stale isn't fresh")
  func stale() throws {
    var story = Story([launch("a"), active("z", "a").freshness()])
    _ = try story.tell(.started)
    _ = try story.finish("a")
    _ = try story.tell(.activated(hold: nil))
    _ = try story.answer("z", nil, "x")
    _ = try story.finish("z")
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("z", nil, "x").first == "reuse z active")
    _ = try story.tell(.rerunRequested(["a"], withDependents: false))
    _ = try story.finish("a")
    #expect(story.machine.initializer(named: "z")?.isStale == true)
    #expect(story.status("z") == .skipped)
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("z", nil, "x") == ["run 4 z"])
    #expect(story.machine.initializer(named: "z")?.isStale == false)
  }

  @Test("S30: one that completed in launch as a dependency is fresh in the active phase")
  func otherPhase() throws {
    var story = Story([launch("a", "b"), active("b").freshness()])
    _ = try story.tell(.started)
    _ = try story.answer("b", nil, "x")
    _ = try story.finish("b")
    _ = try story.finish("a")
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("b", nil, "x").first == "reuse b active")
    #expect(story.machine.states.active.state == .complete)
  }

  @Test("S30: one that an earlier supervisor completed doesn't count as complete before its turn; then it may be fresh")
  func remembered() throws {
    for (digest, limit, effects) in [
      ("x", nil, ["reuse a launch", "run 1 b"]), ("y", nil, ["run 1 a"]), ("x", Duration.seconds(2), ["run 1 a"]),
    ] as [(String, Duration?, [String])] {
      var story = Story([launch("a").freshness(limit), launch("b", "a")])
      let fingerprint = Fingerprint("x", at: .seconds(-2))
      _ = try story.tell(.remembered(["a"], fingerprints: ["a": fingerprint]))
      #expect(story.status("a") == .idle)
      #expect(try story.tell(.started).last == "check 1 a")
      #expect(try story.answer("a", nil, digest) == effects)
    }
  }

  @Test("S30: without a fingerprint, and if it was stale, one that an earlier supervisor completed runs again")
  func unknown() throws {
    for stale in [true, false] {
      var story = Story([launch("a").freshness()])
      _ = try story.tell(
        .remembered(
          ["a"], stale: stale ? ["a"] : [], fingerprints: stale ? ["a": Fingerprint("x", at: .zero)] : [:]))
      _ = try story.tell(.started)
      #expect(try story.answer("a", nil, "x") == ["run 1 a"])
    }
  }

  @Test("S24, S30: what an earlier supervisor did is undone at the end, even if it was fresh in this one")
  func stopped() throws {
    var story = Story([launch("a").freshness().stop()])
    _ = try story.tell(.remembered(["a"], fingerprints: ["a": Fingerprint("x", at: .zero)]))
    _ = try story.tell(.started)
    _ = try story.answer("a", nil, "x")
    _ = try story.tell(.shutdownRequested)
    #expect(try story.tell(.stopsRequested) == ["stop 1 a"])
  }

  @Test("S22, S30: when another process takes it over, a per-process one isn't fresh, even in a later pass")
  func takenOver() throws {
    var story = Story(
      [(active("b"), .command), (active("w", "b").freshness().perProcess(), .worker)], .init(acceptsWorkers: true))
    _ = try story.register(1, ["w"], process: 100)
    _ = try story.tell(.started)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("b")
    _ = try story.answer("w", nil, "x")
    _ = try story.finish("w")
    // The next activation fails before the initializer's turn.
    _ = try story.tell(.activated(hold: nil))
    _ = try story.fail("b")
    _ = try story.tell(.workerDisconnected(1))
    _ = try story.register(2, ["w"], process: 200)
    _ = try story.tell(.activated(hold: nil))
    _ = try story.finish("b")
    #expect(try story.answer("w", nil, "x") == ["run 5 w"])
  }

  @Test("S29, S30: a condition is checked first, and one that was skipped by it may still be fresh the next time")
  func conditions() throws {
    var story = try activated(active("a").freshness().condition())
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", "no") == ["run 3 z"])
    #expect(story.machine.initializer(named: "a")?.skipReason == .condition("no"))
    _ = try story.finish("z")
    _ = try story.tell(.activated(hold: nil))
    #expect(try story.answer("a", nil, "x") == ["reuse a active", "run 4 z"])
  }
}
