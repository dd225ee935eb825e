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

  /// Returns a story in which an earlier supervisor has completed all of these: migrate, which may be fresh, seed after it, and web, a
  /// process, after seed.
  private func restarted(_ migrate: Declaration = launch("migrate").freshness(), digest: String = "x") throws -> Story {
    var story = Story([(launch("web", "seed"), .process), (launch("seed", "migrate"), .command), (migrate, .command)])
    let fingerprints = ["migrate": Fingerprint(digest, at: .zero)]
    _ = try story.tell(.remembered(["migrate", "seed"], stale: [], fingerprints: fingerprints))
    return story
  }

  @Test("S30: what has completed before isn't complete for its dependents until everything above it is decided")
  func undecidedAbove() throws {
    var story = try restarted()
    #expect(story.machine.decision(on: ["seed"]) == .open)
    #expect(try story.tell(.started).last == "check 1 migrate")
    #expect(story.status("seed") == .complete && story.status("web") == .waiting)
    #expect(story.machine.decision(on: ["seed"]) == .open)
    #expect(try story.answer("migrate", nil, "x") == ["reuse migrate launch", "run 1 web"])
    #expect(story.machine.decision(on: ["seed"]) == .made)
  }

  @Test("S30: a server doesn't start before a migration above it has ended, and not at all if the migration fails")
  func changedAbove() throws {
    for fails in [false, true] {
      var story = try restarted()
      _ = try story.tell(.started)
      #expect(try story.answer("migrate", nil, "y") == ["run 1 migrate"])
      #expect(story.machine.decision(on: ["seed"]) == .open)
      if fails {
        #expect(try story.fail("migrate").contains { $0.hasPrefix("launch failed") })
        #expect(story.status("web") == .notRun)
        #expect(story.machine.decision(on: ["seed"]) == .failed(by: "migrate"))
      } else {
        #expect(try story.finish("migrate") == ["run 2 web"])
        #expect(story.machine.initializer(named: "seed")?.isStale == true)
        // Its record names what it has waited for.
        let records = try story.world.take(.runFinished(run: 2, .success)).compactMap {
          if case .publish(.runEnded(let record)) = $0 { record } else { nil }
        }
        #expect(records.map(\.waitedFor) == [["migrate"]])
      }
    }
  }

  @Test("S30, S32: a server that has ended isn't started again before a changed migration above it has run")
  func restartedAbove() throws {
    var story = try restarted()
    _ = try story.tell(.started)
    _ = try story.answer("migrate", nil, "x")
    _ = try story.finish("web")
    #expect(try story.tell(.rerunRequested(["migrate"], withDependents: false)).last == "check 2 migrate")
    #expect(story.machine.decision(on: ["seed"]) == .open)
    // A new plan asks again.
    #expect(try story.tell(.processEnded("web")) == ["check 3 migrate"])
    #expect(try story.answer("migrate", nil, "x") == ["run 2 migrate"])
    #expect(story.status("web") == .waiting)
    #expect(try story.finish("migrate") == ["run 3 web"])
  }

  @Test("S13, S30: a migration that was told to stop is open until it has stopped")
  func stoppingAbove() throws {
    var story = Story(
      [(launch("seed", "migrate"), .command), (launch("migrate").freshness(), .command), (launch("other"), .command)],
      .init(concurrency: 2))
    _ = try story.tell(.remembered(["seed"], stale: [], fingerprints: [:]))
    _ = try story.tell(.started)
    _ = try story.answer("migrate", nil, "x")
    #expect(try story.fail("other").contains("cancel 2 failed"))
    #expect(story.machine.decision(on: ["seed"]) == .open)
    _ = try story.finish("migrate")
    #expect(story.machine.decision(on: ["seed"]) == .failed(by: "migrate"))
  }

  @Test("S30: nothing waits through an initializer that is left out, or for one that launch doesn't run")
  func notAbove() throws {
    var configuration = Machine.Configuration()
    configuration.skipped = ["seed"]
    var story = Story(
      [launch("web", "seed"), launch("seed", "migrate"), launch("migrate").freshness()], configuration)
    #expect(try story.tell(.started).suffix(1) == ["run 1 web"])
    var other = Story([launch("web", "seed"), launch("seed", "later"), active("later").freshness()])
    _ = try other.tell(.remembered(["seed"], stale: [], fingerprints: [:]))
    #expect(try other.tell(.started).last == "run 1 web")
  }
}
