import Fleet
import Testing

/// The renewal of a lease, and the time.
private struct Keeper {
  var rule: LeaseRenewal
  var now = Duration.zero

  /// Creates a keeper of a lease of ten seconds.
  init(seconds: Int = 10, members: Int = 3) {
    rule = LeaseRenewal(timeToLive: .seconds(seconds), members: members, seed: 1)
  }

  mutating func on(_ event: LeaseRenewal.Event) -> [LeaseRenewal.Effect] { rule.handle(event, at: now) }

  /// Lets the time pass until something is due.
  mutating func wait() -> [LeaseRenewal.Effect] {
    guard let due = rule.due else { return [] }
    now = max(now, due)
    return rule.handle(.passed, at: now)
  }

  /// Returns a keeper whose lease 1 was granted by member 0.
  static func holding(seconds: Int = 10, members: Int = 3) -> Keeper {
    var keeper = Keeper(seconds: seconds, members: members)
    _ = keeper.on(.began)
    _ = keeper.on(.granted(lease: 1, sent: .zero, member: 0))
    return keeper
  }

  mutating func answer(_ stream: Int, sent: Duration, seconds: Int = 10) -> [LeaseRenewal.Effect] {
    on(.answered(stream: stream, lease: 1, sent: sent, seconds: seconds))
  }
}

/// A lease of ten seconds from that moment on.
private func lease(_ id: Int, from sent: Duration) -> HeldLease {
  HeldLease(id: id, end: sent + .milliseconds(9500), freshUntil: sent + .seconds(10) / 3)
}

@Suite("The renewal of a lease")
struct LeaseRenewalTests {
  @Test("A lease is obtained, and renewed after a third of it, over one stream")
  func renewal() {
    var keeper = Keeper()
    #expect(keeper.on(.began) == [.grant])
    #expect(keeper.rule.lease == nil)
    keeper.now = .milliseconds(5)
    let granted = keeper.on(.granted(lease: 1, sent: .milliseconds(2), member: 1))
    #expect(granted == [.tell(lease(1, from: .milliseconds(2)), reason: "")])
    #expect(keeper.wait() == [.open(stream: 1, member: 1, lease: 1)])
    #expect(keeper.now > .seconds(3) && keeper.now <= .milliseconds(2) + .seconds(10) / 3)
    let sent = keeper.now
    keeper.now += .milliseconds(3)
    #expect(keeper.answer(1, sent: sent) == [.tell(lease(1, from: sent), reason: "")])
    #expect(keeper.wait() == [.renew(stream: 1)])
    #expect(keeper.now - sent >= .seconds(3) && keeper.now - sent <= .seconds(10) / 3)
  }

  @Test("The lease counts from the sending of its renewal, less a twentieth, or 100 ms if that is more")
  func sending() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    let sent = keeper.now
    keeper.now += .seconds(2)
    _ = keeper.answer(1, sent: sent)
    #expect(keeper.rule.lease?.end == sent + .milliseconds(9500))
    #expect(Keeper.holding(seconds: 1).rule.lease?.end == .milliseconds(900))
    var late = Keeper()
    _ = late.on(.began)
    late.now = .seconds(1)
    _ = late.on(.granted(lease: 1, sent: .zero, member: 0))
    #expect(late.rule.lease?.end == .milliseconds(9500))
  }

  @Test("An earlier answer that comes later shortens nothing, and a shorter lease counts as such")
  func order() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    let first = keeper.now
    _ = keeper.wait()
    let second = keeper.now
    keeper.now += .seconds(1)
    #expect(keeper.answer(2, sent: second) == [.tell(lease(1, from: second), reason: "")])
    #expect(keeper.answer(1, sent: first) == [])
    #expect(keeper.rule.lease == lease(1, from: second))
    var short = Keeper.holding()
    _ = short.wait()
    _ = short.answer(1, sent: short.now, seconds: 8)
    #expect(short.rule.lease?.end == short.now + .milliseconds(7500))
  }

  @Test("A late answer counts although other members were asked, and the slow member stays the first")
  func lateAnswer() {
    var keeper = Keeper.holding()
    #expect(keeper.wait() == [.open(stream: 1, member: 0, lease: 1)])
    let sent = keeper.now
    #expect(keeper.wait() == [.open(stream: 2, member: 1, lease: 1)])
    #expect(keeper.now - sent == .milliseconds(500))
    #expect(keeper.wait() == [.open(stream: 3, member: 2, lease: 1)])
    #expect(keeper.now - sent == .seconds(1))
    keeper.now = sent + .milliseconds(1200)
    #expect(keeper.answer(1, sent: sent) == [.tell(lease(1, from: sent), reason: "")])
    // The next round begins with the same member, and the others aren't needed.
    #expect(keeper.wait() == [.close(stream: 2), .close(stream: 3), .renew(stream: 1)])
  }

  @Test("With answers that always come after 1.2 s, a lease is kept", arguments: [4, 10])
  func slow(seconds: Int) {
    var keeper = Keeper(seconds: seconds)
    var answers: [(due: Duration, event: LeaseRenewal.Event)] = []
    var open: Set<Int> = []
    func carryOut(_ effects: [LeaseRenewal.Effect], at now: Duration) {
      for effect in effects {
        var renewed: Int?
        switch effect {
        case .open(let stream, _, _):
          open.insert(stream)
          renewed = stream
        case .renew(let stream): renewed = stream
        case .close(let stream): open.remove(stream)
        case .grant: answers.append((now + .milliseconds(1200), .granted(lease: 1, sent: now, member: 0)))
        case .tell(nil, let reason): Issue.record("the lease is lost at \(now): \(reason)")
        default: break
        }
        if let renewed {
          let answer = LeaseRenewal.Event.answered(stream: renewed, lease: 1, sent: now, seconds: seconds)
          answers.append((now + .milliseconds(1200), answer))
        }
      }
    }
    carryOut(keeper.on(.began), at: .zero)
    while keeper.now < .seconds(600) {
      let place = answers.indices.min { answers[$0].due < answers[$1].due }
      if let place, answers[place].due < keeper.rule.due ?? .seconds(600) {
        let answer = answers.remove(at: place)
        keeper.now = answer.due
        if case .answered(let stream, _, _, _) = answer.event, !open.contains(stream) { continue }
        carryOut(keeper.on(answer.event), at: keeper.now)
      } else {
        let effects = keeper.wait()
        carryOut(effects, at: keeper.now)
      }
    }
    #expect(keeper.rule.lease?.id == 1)
  }

  @Test("A member that says nothing in a whole round is asked last, and the stream to it is closed")
  func silentMember() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    #expect(keeper.wait() == [.open(stream: 2, member: 1, lease: 1)])
    let sent = keeper.now
    #expect(keeper.answer(2, sent: sent) == [.tell(lease(1, from: sent), reason: "")])
    #expect(keeper.wait() == [.prefer(member: 1), .close(stream: 1), .renew(stream: 2)])
    #expect(keeper.answer(2, sent: keeper.now).count == 1)
    #expect(keeper.wait() == [.renew(stream: 2)])
  }

  @Test("If no member has answered, the next round begins nevertheless, no stream is closed, and the log says so")
  func rounds() {
    var keeper = Keeper.holding()
    let first = keeper.wait() + keeper.wait() + keeper.wait()
    #expect(first == (1...3).map { .open(stream: $0, member: $0 - 1, lease: 1) })
    let late = keeper.now
    var second: [LeaseRenewal.Effect] = []
    while second.count < 4 { second += keeper.wait() }
    #expect(second.filter { if case .renew = $0 { true } else { false } } == (1...3).map { .renew(stream: $0) })
    #expect(keeper.rule.trouble.hasPrefix("etcd can't be reached: no answer to a renewal within 3."))
    #expect(second.contains(.warn("\(keeper.rule.trouble); trying again")))
    // An answer of the last round doesn't end this one.
    #expect(keeper.answer(3, sent: late) == [.say("etcd answers again"), .tell(lease(1, from: late), reason: "")])
    #expect(keeper.answer(2, sent: late) == [])
    #expect(keeper.answer(3, sent: keeper.now) == [.tell(lease(1, from: keeper.now), reason: "")])
    // Both others have answered, too late.
    #expect(keeper.wait() == [.prefer(member: 2), .close(stream: 1), .close(stream: 2), .renew(stream: 3)])
  }

  @Test("A lease ends for its users before it ends in etcd, and another one is obtained")
  func end() {
    var keeper = Keeper.holding(members: 1)
    var effects: [LeaseRenewal.Effect] = []
    while keeper.rule.lease != nil { effects = keeper.wait() }
    #expect(keeper.now == .milliseconds(9500))
    #expect(effects.first == .close(stream: 1))
    guard case .tell(nil, let reason) = effects.last else {
      Issue.record("\(effects)")
      return
    }
    #expect(reason.hasSuffix(", and the lease of this host has ended"))
    #expect(keeper.rule.trouble == reason)
    #expect(keeper.wait() == [.grant])
    _ = keeper.on(.granted(lease: 2, sent: keeper.now, member: 0))
    #expect(keeper.rule.lease?.id == 2)
  }

  @Test("An answer of zero seconds, or that the lease doesn't exist, loses the lease")
  func lost() {
    for event in [
      LeaseRenewal.Event.answered(stream: 1, lease: 1, sent: .seconds(3), seconds: 0), .missed(lease: 1),
    ] {
      var keeper = Keeper.holding()
      _ = keeper.wait()
      #expect(
        keeper.on(event) == [.close(stream: 1), .tell(nil, reason: "the lease of this host has ended")])
      #expect(keeper.rule.lease == nil)
      #expect(keeper.wait() == [.grant])
    }
  }

  @Test("A late answer about a lost lease changes nothing")
  func oldLease() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    let sent = keeper.now
    #expect(
      keeper.on(.abandoned) == [.close(stream: 1), .tell(nil, reason: "this host has given up its lease")])
    #expect(keeper.answer(1, sent: sent) == [])
    #expect(keeper.rule.lease == nil)
    #expect(keeper.wait() == [.grant])
    #expect(keeper.answer(1, sent: sent) == [])
    _ = keeper.on(.granted(lease: 2, sent: sent - .seconds(1), member: 0))
    #expect(keeper.answer(1, sent: sent) == [])
    #expect(keeper.on(.answered(stream: 1, lease: 1, sent: sent, seconds: 0)) == [])
    #expect(keeper.on(.missed(lease: 1)) == [])
    #expect(keeper.rule.lease == lease(2, from: sent - .seconds(1)))
  }

  @Test("A lease that was granted too late is given back")
  func lateGrant() {
    var keeper = Keeper()
    _ = keeper.on(.began)
    keeper.now = .milliseconds(9600)
    #expect(keeper.on(.granted(lease: 1, sent: .zero, member: 0)) == [.revoke(lease: 1)])
    #expect(keeper.rule.lease == nil)
    #expect(keeper.wait() == [.grant])
  }

  @Test("A stream that has failed lets the next member be asked at once; without another one, it is opened again")
  func failure() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    let reset = LeaseRenewal.Failure("reset")
    #expect(
      keeper.on(.streamEnded(1, reset)) == [.warn("reset; trying again"), .open(stream: 2, member: 1, lease: 1)])
    #expect(keeper.on(.streamEnded(2, reset)) == [.open(stream: 3, member: 2, lease: 1)])
    let failed = keeper.now
    #expect(keeper.on(.streamEnded(3, reset)) == [])
    #expect(keeper.wait() == [.open(stream: 4, member: 0, lease: 1)])
    #expect(keeper.now - failed <= .milliseconds(400))
    #expect(keeper.answer(4, sent: keeper.now).first == .say("etcd answers again"))
    // A stream that fails between two renewals.
    #expect(keeper.on(.streamEnded(4, nil)) == [])
    #expect(keeper.wait() == [.open(stream: 5, member: 0, lease: 1)])
  }

  @Test("A refused lease is asked for again, and the users learn why there is none")
  func refused() {
    var keeper = Keeper()
    _ = keeper.on(.began)
    let failure = LeaseRenewal.Event.notGranted(LeaseRenewal.Failure("no etcd"))
    #expect(keeper.on(failure) == [.warn("no etcd; trying again"), .tell(nil, reason: "no etcd")])
    #expect(keeper.wait() == [.grant])
    #expect(keeper.on(failure) == [.tell(nil, reason: "no etcd")])
    #expect(keeper.wait() == [.grant])
    let answers = keeper.on(.granted(lease: 1, sent: keeper.now, member: 0))
    #expect(answers == [.say("etcd answers again"), .tell(lease(1, from: keeper.now), reason: "")])
  }

  @Test("For a supervisor that is silent for a lease nothing is renewed, and then no lease obtained")
  func silence() {
    var keeper = Keeper.holding()
    _ = keeper.on(.supervisorAnswered(sent: .zero))
    while keeper.now <= .seconds(10) {
      if case .open(let stream, _, _)? = keeper.wait().first { _ = keeper.answer(stream, sent: keeper.now) }
      if keeper.now <= .seconds(10), keeper.rule.lease?.end != keeper.now + .milliseconds(9500) {
        _ = keeper.answer(1, sent: keeper.now)
      }
    }
    let words = "the supervisor hasn't answered for 10 s"
    #expect(keeper.rule.trouble == words)
    #expect(keeper.on(.demanded) == [])
    let end = keeper.rule.lease?.end
    #expect(keeper.rule.due == end)
    #expect(
      keeper.wait() == [.close(stream: 1), .tell(nil, reason: "\(words), and the lease of this host has ended")])
    #expect(keeper.now == end)
    #expect(keeper.wait() == [])
    #expect(keeper.rule.due == nil)
    // It was silent until now.
    #expect(keeper.on(.supervisorAnswered(sent: .seconds(1))) == [])
    #expect(keeper.on(.supervisorAnswered(sent: keeper.now)) == [.grant])
  }

  @Test("A supervisor that answers before the lease has ended, or leaves, ends the silence")
  func silenceEnds() {
    for event in [LeaseRenewal.Event.supervisorAnswered(sent: .seconds(3)), .supervisorLeft] {
      var keeper = Keeper.holding()
      _ = keeper.on(.supervisorAnswered(sent: .seconds(-8)))
      #expect(
        keeper.wait() == [
          .warn("the supervisor hasn't answered for 10 s: its lease isn't renewed; check whether it hangs")
        ])
      #expect(keeper.on(event) == [.open(stream: 1, member: 0, lease: 1)])
    }
  }

  @Test("The interval depends on the cancelGrace, and a changed one changes it at once")
  func cancelGrace() {
    var keeper = Keeper.holding()
    keeper.now = .seconds(1)
    // Half of what the drift and the cancelGrace leave.
    let changed = HeldLease(id: 1, end: .milliseconds(9500), freshUntil: .milliseconds(2250))
    #expect(keeper.on(.allowed(cancelGrace: .seconds(5))) == [.tell(changed, reason: "")])
    #expect(keeper.wait() == [.open(stream: 1, member: 0, lease: 1)])
    #expect(keeper.now > .milliseconds(2020) && keeper.now <= .milliseconds(2250))
    let sent = keeper.now
    _ = keeper.answer(1, sent: sent)
    keeper.now += .seconds(1)
    _ = keeper.on(.allowed(cancelGrace: .seconds(8)))
    // The shorter interval has passed already.
    #expect(keeper.rule.due.map { $0 <= keeper.now } == true)
    #expect(keeper.wait() == [.renew(stream: 1)])
    #expect(keeper.now == sent + .seconds(1))
    let warned = keeper.on(.allowed(cancelGrace: .seconds(9)))
    let warning =
      "runs may be stopped too early: a lease of 10 s is too short for cancelGrace, 9 s: the lease must be longer by its drift, 500 ms, and 1 s; use --lease 11s or longer, or a shorter cancelGrace"
    #expect(warned.last == .warn(warning))
  }

  @Test("Without an answer, what acts under the lease is told to stop before the supervisor stops it")
  func expiry() {
    var keeper = Keeper.holding(members: 1)
    _ = keeper.on(.allowed(cancelGrace: .seconds(5)))
    var effects: [LeaseRenewal.Effect] = []
    while !effects.contains(where: { if case .expire = $0 { true } else { false } }), keeper.now < .seconds(9) {
      effects = keeper.wait()
    }
    // The lease ends after 9.5 s, and the supervisor needs 5.2 s.
    #expect(keeper.now == .milliseconds(4250))
    #expect(effects.count == 1)
    guard case .expire(let reason)? = effects.first else { return }
    #expect(reason.hasPrefix("etcd can't be reached: no answer to a renewal within"))
    // Once, unless the lease is renewed in the meantime.
    while let due = keeper.rule.due, due < .milliseconds(9500) {
      #expect(!keeper.wait().contains { if case .expire = $0 { true } else { false } })
    }
  }

  @Test("A renewed lease doesn't expire")
  func noExpiry() {
    var keeper = Keeper.holding(members: 1)
    _ = keeper.on(.allowed(cancelGrace: .seconds(5)))
    for _ in 0..<20 {
      let effects = keeper.wait()
      #expect(!effects.contains { if case .expire = $0 { true } else { false } })
      _ = keeper.answer(1, sent: keeper.now)
    }
  }

  @Test("A demand renews at once, and doesn't delay the next members")
  func demand() {
    var keeper = Keeper.holding()
    keeper.now = .seconds(1)
    #expect(keeper.on(.demanded) == [.open(stream: 1, member: 0, lease: 1)])
    keeper.now += .milliseconds(400)
    #expect(keeper.on(.demanded) == [.renew(stream: 1)])
    #expect(keeper.wait() == [.open(stream: 2, member: 1, lease: 1)])
    #expect(keeper.now == .milliseconds(1500))
  }

  @Test("When other requests move to another member, the renewals follow")
  func preference() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    _ = keeper.answer(1, sent: keeper.now)
    #expect(keeper.on(.preferred(member: 2)) == [])
    #expect(keeper.wait() == [.close(stream: 1), .open(stream: 2, member: 2, lease: 1)])
  }

  @Test("Nothing is renewed after the end, and the lease is revoked if nobody needs it")
  func stopped() {
    var keeper = Keeper.holding()
    _ = keeper.wait()
    #expect(keeper.on(.stopped) == [.close(stream: 1)])
    #expect(keeper.rule.due == nil)
    #expect(keeper.answer(1, sent: keeper.now) == [])
    #expect(keeper.on(.gaveUp) == [.revoke(lease: 1)])
    #expect(keeper.on(.gaveUp) == [])
    var other = Keeper.holding()
    #expect(other.on(.gaveUp) == [.revoke(lease: 1)])
    #expect(other.rule.lease == nil)
  }
}
