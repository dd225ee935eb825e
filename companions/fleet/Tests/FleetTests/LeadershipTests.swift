import Fleet
import Testing

/// A candidate, and the time.
private struct Candidate {
  var rule = Leadership("billing", timeToLive: .seconds(4), seed: 1)
  var now = Duration.zero

  static func lease(_ id: Int, at now: Duration = .zero) -> HeldLease {
    HeldLease(id: id, end: now + .milliseconds(3800), freshUntil: now + .milliseconds(1300))
  }

  static let own = Leadership.Candidacy(key: "own", created: 7, isOwn: true)
  static let other = Leadership.Candidacy(key: "other", created: 5, isOwn: false)

  mutating func on(_ event: Leadership.Event) -> [Leadership.Effect] { rule.handle(event, at: now) }

  mutating func wait() -> [Leadership.Effect] {
    guard let due = rule.due else { return [] }
    now = max(now, due)
    return rule.handle(.passed, at: now)
  }

  /// Returns a candidate that has asked etcd.
  static func asking() -> Candidate {
    var candidate = Candidate()
    _ = candidate.on(.began)
    _ = candidate.on(.leaseChanged(Candidate.lease(1), reason: ""))
    _ = candidate.on(.supervisorFound(cancelGrace: .milliseconds(300)))
    return candidate
  }

  /// Returns a candidate that asks its supervisor to activate the app.
  static func activating() -> Candidate {
    var candidate = asking()
    candidate.elect()
    return candidate
  }

  /// It leads.
  static func leading() -> Candidate {
    var candidate = activating()
    _ = candidate.on(.held)
    return candidate
  }

  /// Elects the candidate, and renews its lease.
  mutating func elect() {
    _ = on(.listed([Candidate.own], revision: 7))
    now += .milliseconds(1)
    _ = on(.leaseChanged(Candidate.lease(1, at: now), reason: ""))
  }
}

@Suite("A candidate for a leadership")
struct LeadershipTests {
  @Test("The first candidate activates its app, and renews the hold")
  func first() {
    var candidate = Candidate()
    #expect(candidate.on(.began) == [.findSupervisor])
    #expect(candidate.on(.leaseChanged(Candidate.lease(1), reason: "")) == [])
    #expect(candidate.on(.supervisorFound(cancelGrace: nil)) == [.campaign(lease: 1)])
    #expect(candidate.on(.listed([Candidate.own], revision: 7)) == [.prolong])
    let fresh = Candidate.lease(1, at: .milliseconds(10))
    #expect(candidate.on(.leaseChanged(fresh, reason: "")) == [.hold(until: fresh.end, fence: 7)])
    #expect(candidate.on(.held) == [.say("leads billing"), .renew(until: fresh.end)])
    let renewed = Candidate.lease(1, at: .seconds(1))
    #expect(candidate.on(.leaseChanged(renewed, reason: "")) == [.renew(until: renewed.end)])
  }

  @Test("A second one waits for the one before it, and says so once")
  func second() {
    var candidate = Candidate.asking()
    let both = [Candidate.other, Candidate.own]
    #expect(
      candidate.on(.listed(both, revision: 7)) == [.follow(["other", "own"], after: 7), .say("waits to lead billing")])
    #expect(candidate.on(.changed) == [.stopFollowing, .campaign(lease: 1)])
    #expect(candidate.on(.listed(both, revision: 8)) == [.follow(["other", "own"], after: 8)])
    #expect(candidate.on(.changed) == [.stopFollowing, .campaign(lease: 1)])
    #expect(candidate.on(.listed([Candidate.own], revision: 9)) == [.prolong])
  }

  @Test("The lease is renewed before the app is activated, however long it still is")
  func prolonged() {
    var candidate = Candidate.asking()
    candidate.now = .seconds(1)
    #expect(candidate.on(.listed([Candidate.own], revision: 7)) == [.prolong])
    #expect(candidate.on(.leaseChanged(Candidate.lease(1), reason: "")) == [])
    let renewed = Candidate.lease(1, at: .seconds(1))
    #expect(candidate.on(.leaseChanged(renewed, reason: "")) == [.hold(until: renewed.end, fence: 7)])
  }

  @Test("When the lease ends, everything is stopped")
  func leaseEnds() {
    var candidate = Candidate.leading()
    #expect(
      candidate.on(.leaseChanged(nil, reason: "no answer")) == [
        .warn("doesn't lead billing any more: no answer"), .deactivate,
      ])
    #expect(candidate.on(.stopped) == [.delete(created: 7)])
    #expect(candidate.on(.deleted) == [.drop, .findSupervisor])
    #expect(candidate.on(.supervisorFound(cancelGrace: .milliseconds(300))) == [])
    #expect(candidate.on(.leaseChanged(Candidate.lease(2), reason: "")) == [.campaign(lease: 2)])
  }

  @Test("A leader that resigns deletes its key when everything has stopped")
  func resigns() {
    var candidate = Candidate.leading()
    #expect(
      candidate.on(.resigned) == [.say("doesn't lead billing any more: this host resigns"), .deactivate])
    #expect(candidate.on(.stopped) == [.delete(created: 7)])
    #expect(candidate.on(.unanswered) == [])
    #expect(candidate.wait() == [.delete(created: 7)])
    #expect(candidate.on(.deleted) == [.drop, .giveUpLease, .end(misfit: nil)])
    #expect(candidate.rule.isOver)
    #expect(candidate.on(.cancelled) == [])
  }

  @Test("If it is unknown whether everything has stopped, the lease runs out")
  func unreachable() {
    var candidate = Candidate.leading()
    #expect(
      candidate.on(.lost(.connection("lost"))) == [.warn("doesn't lead billing any more: lost"), .deactivate])
    #expect(candidate.on(.notStopped) == [.abandonLease, .drop, .findSupervisor])
  }

  @Test("After a failed activation other hosts have their turn, with pauses that grow")
  func pauses() {
    var candidate = Candidate.leading()
    var pauses: [Duration] = []
    for _ in 0..<7 {
      _ = candidate.on(.lost(.inactive("it failed")))
      _ = candidate.on(.stopped)
      #expect(candidate.on(.deleted) == [.drop])
      pauses.append((candidate.rule.due ?? .zero) - candidate.now)
      #expect(candidate.wait() == [.findSupervisor])
      _ = candidate.on(.supervisorFound(cancelGrace: .milliseconds(300)))
      candidate.elect()
      _ = candidate.on(.held)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
  }

  @Test("The time that the supervisor needs to stop everything is allowed before the campaign")
  func cancelGrace() {
    var candidate = Candidate()
    _ = candidate.on(.began)
    #expect(candidate.on(.supervisorFound(cancelGrace: .seconds(2))) == [.allow(cancelGrace: .seconds(2))])
    #expect(candidate.on(.leaseChanged(Candidate.lease(1), reason: "")) == [.campaign(lease: 1)])
    candidate.elect()
    _ = candidate.on(.held)
    // The supervisor has read its manifest again.
    _ = candidate.on(.lost(.shutdown))
    _ = candidate.on(.deleted)
    #expect(
      candidate.on(.supervisorFound(cancelGrace: .seconds(1))) == [
        .allow(cancelGrace: .seconds(1)), .campaign(lease: 1),
      ])
  }

  @Test("A lease that is too short even when it is fresh ends the candidacy before the campaign")
  func misfit() {
    // The lease is 4 s, less 200 ms for the drift of clocks, and renewals need a second.
    for (milliseconds, fits) in [(2800, true), (2801, false), (3500, false), (5000, false)] {
      var candidate = Candidate()
      _ = candidate.on(.leaseChanged(Candidate.lease(1), reason: ""))
      let grace = Duration.milliseconds(milliseconds)
      let effects = candidate.on(.supervisorFound(cancelGrace: grace))
      #expect(
        effects
          == (fits ? [.allow(cancelGrace: grace), .campaign(lease: 1)] : [.drop, .giveUpLease, .end(misfit: grace)]))
      #expect(candidate.rule.isOver == !fits)
    }
  }

  @Test("A supervisor that refuses the rest of a lease doesn't end the candidacy")
  func oldLease() {
    var candidate = Candidate.activating()
    #expect(
      candidate.on(.refused(.other("too short"))) == [
        .warn("doesn't lead billing any more: too short"), .delete(created: 7),
      ])
    #expect(candidate.on(.deleted) == [.drop])
    #expect(candidate.wait() == [.findSupervisor])
    #expect(candidate.on(.supervisorFound(cancelGrace: .milliseconds(300))) == [.campaign(lease: 1)])
    // The supervisor has read its manifest again.
    _ = candidate.on(.listed([Candidate.own], revision: 9))
    _ = candidate.on(.leaseChanged(Candidate.lease(1, at: .seconds(2)), reason: ""))
    _ = candidate.on(.refused(.other("too short")))
    _ = candidate.on(.deleted)
    _ = candidate.wait()
    #expect(
      candidate.on(.supervisorFound(cancelGrace: .seconds(9))) == [.drop, .giveUpLease, .end(misfit: .seconds(9))])
  }

  @Test("A candidate that can't wait gives up its lease only if its app is inactive")
  func cancelled() {
    let end: [Leadership.Effect] = [.drop, .giveUpLease, .end(misfit: nil)]
    var asking = Candidate.asking()
    #expect(asking.on(.cancelled) == end)
    var following = Candidate.asking()
    _ = following.on(.listed([Candidate.other, Candidate.own], revision: 7))
    #expect(following.on(.cancelled) == end)
    var prolonging = Candidate.asking()
    _ = prolonging.on(.listed([Candidate.own], revision: 7))
    #expect(prolonging.on(.cancelled) == end)

    let active: [Leadership.Effect] = [
      .warn("ends while its app may be active: another host can lead when the lease has ended"), .drop,
      .end(misfit: nil),
    ]
    var activating = Candidate.activating()
    #expect(activating.on(.cancelled) == active)
    #expect(activating.on(.held) == [])
    var leading = Candidate.leading()
    #expect(leading.on(.cancelled) == active)
    var stopping = Candidate.leading()
    _ = stopping.on(.resigned)
    #expect(stopping.on(.cancelled) == active)
    var stopped = Candidate.leading()
    _ = stopped.on(.resigned)
    _ = stopped.on(.stopped)
    #expect(stopped.on(.cancelled) == end)
  }

  @Test("A leader that resigns keeps its lease if it is unknown whether everything has stopped")
  func resignsUnreachable() {
    var candidate = Candidate.leading()
    _ = candidate.on(.resigned)
    #expect(candidate.on(.notStopped) == [.abandonLease, .drop, .end(misfit: nil)])
  }

  @Test("Without a supervisor it lets others lead, and looks for one")
  func noSupervisor() {
    var candidate = Candidate.activating()
    #expect(candidate.on(.refused(.unreachable("no socket"))) == [.delete(created: 7)])
    #expect(candidate.on(.deleted) == [.drop, .findSupervisor])
    #expect(candidate.on(.supervisorMissing) == [])
    #expect(candidate.wait() == [.findSupervisor])
  }

  @Test("If the answer to an activation is lost, the app may be active: the lease runs out")
  func unanswered() {
    var candidate = Candidate.activating()
    #expect(
      candidate.on(.refused(.unanswered("lost"))) == [
        .warn("doesn't lead billing any more: lost"), .abandonLease, .drop, .findSupervisor,
      ])
  }

  @Test("A leader whose supervisor has ended hands over at once")
  func shutdown() {
    var candidate = Candidate.leading()
    #expect(
      candidate.on(.lost(.shutdown)) == [
        .warn("doesn't lead billing any more: the supervisor has ended"), .delete(created: 7),
      ])
  }

  @Test("A candidate that resigns while it is activated stops everything first")
  func resignsWhileActivated() {
    var candidate = Candidate.activating()
    #expect(candidate.on(.resigned) == [])
    #expect(
      candidate.on(.held) == [
        .say("leads billing"), .say("doesn't lead billing any more: this host resigns"), .deactivate,
      ])
  }

  @Test("A candidate that waits resigns at once, and one that asks when etcd has answered")
  func resignsBefore() {
    var waiting = Candidate.asking()
    _ = waiting.on(.listed([Candidate.other, Candidate.own], revision: 7))
    #expect(waiting.on(.resigned) == [.stopFollowing, .drop, .giveUpLease, .end(misfit: nil)])
    var asking = Candidate.asking()
    #expect(asking.on(.resigned) == [])
    #expect(asking.on(.listed([Candidate.own], revision: 7)) == [.delete(created: 7)])
  }
}
