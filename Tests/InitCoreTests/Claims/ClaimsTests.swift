import TestSupport
import Testing

@testable import InitCore

struct ClaimsTests {
  private func claims(coordinator: Bool = true) -> Claims {
    var claims = Claims(registrationTimeout: .seconds(10), cancelGrace: .seconds(5))
    if coordinator { #expect(claims.apply(.coordinatorConnected, at: .zero).isEmpty) }
    return claims
  }

  @Test("a granted run is executed, recorded, and complete after that")
  func granted() {
    var claims = claims()
    #expect(claims.apply(.started(run: 1), at: .zero) == [.claim(run: 1)])
    #expect(!claims.isHeld(1) && claims.contains(1))
    #expect(claims.apply(.granted(run: 1, fence: 7, lease: nil), at: .zero) == [.execute(run: 1, fence: 7)])
    #expect(claims.isHeld(1) && claims.nextDeadline == nil)
    #expect(claims.apply(.succeeded(run: 1), at: .zero) == [.complete(run: 1)])
    #expect(claims.apply(.recorded(run: 1), at: .zero) == [.finish(run: 1)])
    #expect(!claims.contains(1))
  }

  @Test("without a coordinator a run waits for one, and fails at its deadline")
  func noCoordinator() {
    var claims = claims(coordinator: false)
    #expect(claims.apply(.started(run: 1), at: .seconds(1)) == [.awaitCoordinator(run: 1)])
    #expect(claims.apply(.started(run: 2), at: .seconds(2)) == [.awaitCoordinator(run: 2)])
    #expect(claims.nextDeadline == .seconds(11))
    let failed = claims.apply(.timePassed, at: .seconds(11))
    guard case .fail(run: 1, let reason)? = failed.first, failed.count == 1 else {
      Issue.record("\(failed)")
      return
    }
    #expect(reason.contains("within 10 s") && reason.contains("initfleet agent"))
    #expect(claims.apply(.coordinatorConnected, at: .seconds(11.5)) == [.claim(run: 2)])
    #expect(claims.nextDeadline == nil)
  }

  @Test("a run with a lease is told to stop before its end, by the grace, and is killed at its end")
  func lease() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: .seconds(20)), at: .seconds(1))
    #expect(claims.nextDeadline == .milliseconds(15_800))
    #expect(claims.apply(.renewed(run: 1, sent: .seconds(10), lease: .seconds(20)), at: .seconds(10)).isEmpty)
    #expect(claims.apply(.timePassed, at: .seconds(16)).isEmpty)
    #expect(claims.nextDeadline == .milliseconds(24_800))
    let reason = "the coordinator didn't renew the claim in time"
    #expect(claims.apply(.timePassed, at: .milliseconds(24_800)) == [.stop(run: 1, reason)])
    // The success is too late: the run has been told to stop.
    #expect(claims.apply(.renewed(run: 1, sent: .seconds(26), lease: .seconds(20)), at: .seconds(26)).isEmpty)
    #expect(claims.nextDeadline == .milliseconds(29_800))
    #expect(claims.apply(.timePassed, at: .milliseconds(29_800)) == [.kill(run: 1)])
    #expect(claims.nextDeadline == nil)
    #expect(
      claims.apply(.stopped(run: 1, "terminated by SIGKILL"), at: .seconds(30))
        == [.unclaim(run: 1, reason), .fail(run: 1, reason)])
  }

  @Test("a lease that isn't longer than the grace and the margin is refused", arguments: [0, 4000, 5000, 5200])
  func shortLease(milliseconds: Int) {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    let effects = claims.apply(.granted(run: 1, fence: 1, lease: .milliseconds(milliseconds)), at: .zero)
    guard effects.count == 2, case .unclaim(run: 1, _?) = effects[0], case .fail(run: 1, _) = effects[1] else {
      Issue.record("\(effects)")
      return
    }
    #expect(!claims.contains(1))
  }

  @Test("a lease that is a little longer than the grace and the margin is accepted")
  func shortestLease() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    let effects = claims.apply(.granted(run: 1, fence: 1, lease: .milliseconds(5201)), at: .zero)
    #expect(effects == [.execute(run: 1, fence: 1)])
    #expect(claims.nextDeadline == .milliseconds(1))
  }

  @Test(
    "a renewal that was sent before the lease's end counts, however late it is read, e.g. because the supervisor was stopped",
    arguments: [(14_800, false), (19_999, false), (20_000, true), (30_000, true)], [0, 1, 9_000])
  func lateRenewal(sent: (milliseconds: Int, isTooLate: Bool), delay: Int) {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: .seconds(20)), at: .zero)
    let moment = Duration.milliseconds(sent.milliseconds)
    let now = moment + .milliseconds(delay)
    _ = claims.apply(.renewed(run: 1, sent: moment, lease: .seconds(20)), at: now)
    #expect(claims.apply(.timePassed, at: now).isEmpty == !sent.isTooLate)
    if !sent.isTooLate { #expect(claims.nextDeadline == moment + .milliseconds(14_800)) }
  }

  @Test("renewals that waited together count one after the other, also those after the end of the first lease")
  func queuedRenewals() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: .seconds(6)), at: .zero)
    for sent in [4, 8, 12] {
      _ = claims.apply(.renewed(run: 1, sent: .seconds(sent), lease: .seconds(6)), at: .seconds(12.5))
    }
    #expect(claims.apply(.timePassed, at: .seconds(12.5)).isEmpty)
    #expect(claims.nextDeadline == .milliseconds(12_800))
  }

  @Test("a renewal of the future counts from now: clocks of two processes aren't read at once")
  func earlyRenewal() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: .seconds(20)), at: .zero)
    _ = claims.apply(.renewed(run: 1, sent: .seconds(60), lease: .seconds(20)), at: .seconds(1))
    #expect(claims.nextDeadline == .milliseconds(15_800))
  }

  @Test("a run that has succeeded needs no lease: its completion is being recorded until the coordinator answers")
  func recordingAfterTheLease() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: .seconds(20)), at: .zero)
    #expect(claims.apply(.succeeded(run: 1), at: .seconds(1)) == [.complete(run: 1)])
    #expect(claims.nextDeadline == nil)
    #expect(claims.apply(.timePassed, at: .seconds(600)).isEmpty)
    #expect(claims.apply(.recorded(run: 1), at: .seconds(600)) == [.finish(run: 1)])
  }

  @Test("reports of the coordinator are shown while its answer is awaited, and not while the run itself reports")
  func undecided() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    #expect(claims.isUndecided(1))
    _ = claims.apply(.granted(run: 1, fence: 1, lease: nil), at: .zero)
    #expect(!claims.isUndecided(1))
    _ = claims.apply(.succeeded(run: 1), at: .zero)
    #expect(claims.isUndecided(1))
    _ = claims.apply(.recorded(run: 1), at: .zero)
    #expect(!claims.isUndecided(1))
  }

  @Test("a lease that ends earlier than the grace, or has ended, leaves less time, or none", arguments: [1, 0])
  func lateLease(seconds: Int) {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: .seconds(20)), at: .zero)
    _ = claims.apply(.renewed(run: 1, sent: .seconds(2), lease: .seconds(seconds)), at: .seconds(2))
    let effects = claims.apply(.timePassed, at: .seconds(2))
    guard case .stop(run: 1, _)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(Array(effects.dropFirst()) == (seconds == 0 ? [.kill(run: 1)] : []))
    #expect(claims.nextDeadline == (seconds == 0 ? nil : .milliseconds(2800)))
  }

  @Test("while a completion is being recorded, answers to the claim have no effect, and a cancellation ends the claim")
  func recording() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    #expect(claims.apply(.unrecorded(run: 1, "no"), at: .zero).isEmpty)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: nil), at: .zero)
    _ = claims.apply(.succeeded(run: 1), at: .zero)
    #expect(claims.apply(.refused(run: 1, "no"), at: .zero).isEmpty)
    #expect(claims.apply(.done(run: 1), at: .zero).isEmpty)
    #expect(claims.apply(.cancelled(run: 1, nil), at: .zero) == [.unclaim(run: 1, nil), .cancel(run: 1)])
  }

  @Test(
    "S12, S15: a run that was told to stop isn't recorded, even if it succeeds afterwards",
    arguments: [nil, "timed out"])
  func successAfterTheOrder(reason: String?) {
    for isLost in [false, true] {
      var claims = claims()
      _ = claims.apply(.started(run: 1), at: .zero)
      _ = claims.apply(.granted(run: 1, fence: 1, lease: nil), at: .zero)
      #expect(claims.apply(.cancelled(run: 1, reason), at: .zero).isEmpty)
      if isLost { _ = claims.apply(.revoked(run: 1, "lost"), at: .zero) }
      #expect(claims.apply(.succeeded(run: 1), at: .zero) == [.unclaim(run: 1, reason), .cancel(run: 1)])
      #expect(!claims.contains(1))
    }
  }

  @Test("S15: the newest decision of the machine counts: a run that has timed out may be cancelled in that time")
  func newestOrder() {
    var claims = claims()
    _ = claims.apply(.started(run: 1), at: .zero)
    _ = claims.apply(.granted(run: 1, fence: 1, lease: nil), at: .zero)
    _ = claims.apply(.cancelled(run: 1, "timed out"), at: .zero)
    _ = claims.apply(.cancelled(run: 1, nil), at: .zero)
    #expect(claims.apply(.stopped(run: 1, "exit status 1"), at: .zero) == [.unclaim(run: 1, nil)])
  }

  /// A run and its coordinator, as they are known from outside, and the events that may come next.
  private struct Situation: Hashable {
    var claims: Claims
    var now: Instant = .zero
    var isConnected = true
    var isExecuted = false
    var isOver = false
    var order: String??
    var hasSucceeded = false
    var hasBeenLost = false

    var next: [ClaimEvent] {
      var next: [ClaimEvent] = [
        .cancelled(run: 1, nil), .cancelled(run: 1, "timed out"), .renewed(run: 1, sent: now, lease: .seconds(20)),
        .revoked(run: 1, "lost"), isConnected ? .coordinatorLost : .coordinatorConnected, .timePassed,
        .granted(run: 1, fence: 1, lease: .seconds(20)), .granted(run: 1, fence: 1, lease: nil), .done(run: 1),
        .refused(run: 1, "no"), .recorded(run: 1), .unrecorded(run: 1, "no"),
      ]
      if isExecuted, !hasSucceeded, !isOver { next += [.succeeded(run: 1), .stopped(run: 1, "broken")] }
      return next
    }
  }

  @Test(
    "every order of an order, an exit, a claim, a record, a renewal, the lease's end and a loss keeps the invariants")
  func allOrders() {
    var first = Situation(claims: claims())
    #expect(first.claims.apply(.started(run: 1), at: .zero) == [.claim(run: 1)])
    var known: Set<Situation> = [first]
    var queue = [first]
    while let situation = queue.popLast() {
      for event in situation.next {
        var after = situation
        if event == .timePassed {
          // Time passes only from deadline to deadline, at most a minute.
          guard let deadline = situation.claims.nextDeadline, deadline < .seconds(60) else { continue }
          after.now = max(situation.now, deadline)
        }
        switch event {
        case .coordinatorLost: after.isConnected = false
        case .coordinatorConnected: after.isConnected = true
        case .cancelled(_, let reason) where situation.isExecuted: after.order = .some(reason)
        case .succeeded: after.hasSucceeded = true
        default: break
        }
        let effects = after.claims.apply(event, at: after.now)
        for effect in effects {
          let context = "\(event) → \(effects) in \(situation)"
          switch effect {
          case .execute:
            #expect(!situation.isExecuted && !situation.isOver, "executes twice: \(context)")
            after.isExecuted = true
          case .stop: after.hasBeenLost = true
          case .complete:
            #expect(
              after.hasSucceeded && after.order == nil && !after.hasBeenLost,
              "records a run that had to stop: \(context)")
          case .unclaim(_, let reason):
            if case .succeeded = event, let order = after.order {
              #expect(reason == order, "doesn't tell what the machine has decided: \(context)")
            }
            if case .stopped = event, let order = after.order {
              #expect(reason == order, "doesn't tell what the machine has decided: \(context)")
            }
          case .finish:
            let isRecorded = event == .recorded(run: 1) && after.hasSucceeded && after.order == nil
            #expect(isRecorded || event == .done(run: 1), "completes without a record: \(context)")
            after.isOver = true
          case .fail, .cancel: after.isOver = true
          case .kill: #expect(after.hasBeenLost, "kills without an order to stop: \(context)")
          case .awaitCoordinator, .claim: #expect(!situation.isExecuted, "asks again: \(context)")
          }
        }
        if case .stopped = event { after.isOver = true }
        #expect(!after.isOver || !after.claims.contains(1), "keeps a run after its end: \(event) in \(situation)")
        // A run that was told to stop has ended once its execution has: nothing waits for the coordinator.
        if case .succeeded = event, after.order != nil {
          #expect(!after.claims.contains(1), "waits for the coordinator: \(event) in \(situation)")
        }
        if known.insert(after).inserted { queue.append(after) }
      }
    }
    #expect(known.count > 100)
  }

  /// The known facts about one run, from outside.
  private struct Observed {
    var isAsked = false
    var isExecuted = false
    var isToldToStop = false
    /// The machine has told it to stop.
    var isOrdered = false
    var isKilled = false
    var hasSucceeded = false
    var isRecordable = false
    var ends = 0
  }

  /// Plays random events, most of them about runs in flight, and checks the invariants of `Claims` from outside.
  @Test("random events keep the invariants", arguments: 1...300)
  func random(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let timeout = Duration.seconds(10)
    let grace = Duration.seconds(5)
    var claims = Claims(registrationTimeout: timeout, cancelGrace: grace)
    var now = Duration.zero
    var last = 0
    var isConnected = false
    var observed: [RunID: Observed] = [:]
    var story: [String] = []

    func play(_ event: ClaimEvent) {
      let effects = claims.apply(event, at: now)
      story.append("\(now) \(event) → \(effects)")
      check(event, effects)
    }

    func check(_ event: ClaimEvent, _ effects: [ClaimEffect]) {
      for effect in effects {
        switch effect {
        case .awaitCoordinator(let run): require(!isConnected && observed[run]?.ends == 0, "waits for a coordinator")
        case .claim(let run):
          require(isConnected && observed[run]?.isAsked == false && observed[run]?.isExecuted == false, "claims twice")
          observed[run]?.isAsked = true
        case .execute(let run, _):
          require(observed[run]?.isAsked == true && observed[run]?.isExecuted == false, "executes without a claim")
          observed[run]?.isExecuted = true
        case .complete(let run):
          require(observed[run]?.hasSucceeded == true && observed[run]?.isToldToStop == false, "records what was lost")
          require(observed[run]?.isOrdered == false, "records a run that was told to stop")
          observed[run]?.isRecordable = true
        case .unclaim(let run, _):
          require(observed[run]?.isAsked == true, "ends a claim that it didn't make")
          observed[run]?.isAsked = false
        case .stop(let run, _):
          require(observed[run]?.isExecuted == true && observed[run]?.isToldToStop == false, "stops nothing")
          observed[run]?.isToldToStop = true
        case .kill(let run):
          require(observed[run]?.isToldToStop == true && observed[run]?.isKilled == false, "kills without asking")
          observed[run]?.isKilled = true
        case .finish(let run):
          if case .recorded = event {
            require(observed[run]?.isRecordable == true, "completes without a record")
          } else {
            require(event == .done(run: run) && observed[run]?.isAsked == true, "completes by itself")
          }
          observed[run]?.isAsked = false
          end(run)
        case .fail(let run, _), .cancel(let run): end(run)
        }
      }
    }

    func end(_ run: RunID) {
      observed[run]?.ends += 1
      require(observed[run]?.ends == 1, "ends run \(run) twice")
      require(!claims.contains(run), "keeps run \(run) after its end")
    }

    func require(_ condition: Bool, _ what: String) {
      #expect(condition, "\(what), in: \(story.joined(separator: "\n"))")
    }

    for _ in 0..<60 {
      let run = RunID(last == 0 ? 1 : Int.random(in: max(1, last - 2)...last, using: &random))
      let known = observed[run]
      switch Int.random(in: 0..<12, using: &random) {
      case 0, 1:
        last += 1
        observed[RunID(last)] = Observed()
        play(.started(run: RunID(last)))
      case 2:
        if known?.isExecuted == true, known?.hasSucceeded == false { observed[run]?.isOrdered = true }
        play(.cancelled(run: run, random.happens(20) ? "timed out" : nil))
      case 3:
        guard !isConnected else { break }
        isConnected = true
        play(.coordinatorConnected)
      case 4:
        guard isConnected, random.happens(40) else { break }
        isConnected = false
        for (run, each) in observed where each.ends == 0 { observed[run]?.isAsked = each.isExecuted }
        play(.coordinatorLost)
      case 5, 6:
        let lease: Duration? = random.happens(50) ? .seconds(Int.random(in: 1...30, using: &random)) : nil
        play(.granted(run: run, fence: run.rawValue, lease: lease))
      case 7:
        play(
          random.happens(40)
            ? .done(run: run) : random.happens(50) ? .refused(run: run, "no") : .unrecorded(run: run, "no"))
      case 8:
        play(
          .renewed(
            run: run, sent: now - .seconds(Int.random(in: 0...9, using: &random)),
            lease: .seconds(Int.random(in: 6...30, using: &random))))
      case 9: play(.revoked(run: run, "lost"))
      case 10:
        // An executed run ends once.
        if known?.isExecuted == true, known?.hasSucceeded == false, claims.isHeld(run) {
          if random.happens(50) {
            observed[run]?.hasSucceeded = true
            play(.succeeded(run: run))
          } else {
            play(.stopped(run: run, "broken"))
            require(!claims.contains(run), "keeps run \(run) after it has stopped")
          }
        }
      default:
        play(.recorded(run: run))
      }
      // Time passes to the next deadline, or a little.
      let step = Duration.seconds(Int.random(in: 0...4, using: &random))
      while let deadline = claims.nextDeadline, deadline <= now + step {
        now = max(now, deadline)
        play(.timePassed)
        require(claims.nextDeadline.map { $0 > now } ?? true, "has a deadline in the past")
      }
      now += step
    }
  }
}
