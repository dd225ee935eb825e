import Fleet
import Testing

/// The claim of one host, and its effects since the test looked last.
private struct Host {
  static let timeToLive = Duration.seconds(4)

  var claim: OnceClaim
  var now = Duration.zero

  init(lease: Int? = 1, isSecret: Bool = false, timeout: Duration? = nil, endsWithSupervisor: Bool = false) {
    claim = OnceClaim(
      owner: "a-1", isSecret: isSecret, lease: lease.map { Host.lease($0) }, timeToLive: Host.timeToLive,
      timeout: timeout, endsWithSupervisor: endsWithSupervisor, seed: 1)
  }

  static func lease(_ id: Int, at now: Duration = .zero) -> HeldLease {
    HeldLease(id: id, end: now + .milliseconds(3800), freshUntil: now + .milliseconds(1300))
  }

  mutating func on(_ event: OnceClaim.Event) -> [OnceClaim.Effect] { claim.handle(event, at: now) }

  /// Lets the time pass until the claim has something to do.
  mutating func wait() -> [OnceClaim.Effect] {
    guard let due = claim.due else { return [] }
    now = max(now, due)
    return claim.handle(.passed, at: now)
  }

  /// Returns a host whose claim is allowed with the fencing token 7.
  static func running() -> Host {
    var host = Host()
    _ = host.on(.began)
    _ = host.on(.created(revision: 7))
    return host
  }
}

private typealias Sight = OnceClaim.Sight

private func other(_ created: Int, _ host: String = "b", progress: String? = nil) -> Sight.Claim {
  Sight.Claim(created: created, lease: 9, record: ClaimRecord(host: host, owner: "\(host)-1", progress: progress))
}

private func done(_ output: String? = nil, isSecret: Bool = false) -> DoneRecord {
  DoneRecord(host: "b", time: 1, fence: 5, output: output, isSecret: isSecret)
}

@Suite("The claim of a run that is once for a release")
struct OnceClaimTests {
  @Test("The first host runs it, and its completion is recorded before it is confirmed")
  func first() {
    var host = Host()
    #expect(host.on(.began) == [.claim(lease: 1, evenIfDone: false)])
    #expect(host.on(.created(revision: 7)) == [.allow(fence: 7, until: .milliseconds(3800))])
    #expect(host.on(.completed(output: "1", isSecret: false)) == [.record(fence: 7, output: "1", isSecret: false)])
    #expect(host.on(.recorded(true)) == [.confirm, .finish])
  }

  @Test("The others wait, report its progress, and get its output without asking again")
  func others() {
    var host = Host()
    _ = host.on(.began)
    #expect(
      host.on(.seen(Sight(revision: 8, claim: other(7)))) == [.follow(after: 8), .report("runs on b")])
    #expect(host.on(.followed(other(7, progress: "40 %"))) == [.report("runs on b: 40 %")])
    #expect(host.on(.followed(other(7, progress: "40 %"))) == [])
    #expect(
      host.on(.completedElsewhere(.recorded(done("1")))) == [
        .stopFollowing, .skip(output: "1", by: done("1")), .finish,
      ])
  }

  @Test("While another host runs it, the timeout doesn't end the wait")
  func extended() {
    var host = Host(timeout: .seconds(30))
    _ = host.on(.began)
    #expect(host.on(.seen(Sight(revision: 8, claim: other(7)))).last == .extend(by: .seconds(30)))
    #expect(host.claim.due == .seconds(15))
    #expect(host.wait() == [.extend(by: .seconds(30))])
    #expect(host.claim.due == .seconds(30))
    _ = host.on(.vacated)
    _ = host.wait()
    _ = host.on(.created(revision: 9))
    #expect(host.claim.due == nil)
  }

  @Test("If etcd is lost while another host runs it, the deadline still moves")
  func extendedWithoutEtcd() {
    var host = Host(timeout: .seconds(2))
    _ = host.on(.began)
    _ = host.on(.seen(Sight(revision: 8, claim: other(7))))
    #expect(host.on(.doubted) == [.stopFollowing, .look])
    host.now = .milliseconds(900)
    _ = host.on(.unanswered(.ask, reason: "no answer", nil))
    host.now = .seconds(1)
    #expect(host.on(.passed).contains(.extend(by: .seconds(2))))
    #expect((host.claim.due ?? .zero) <= .seconds(2))
  }

  @Test("A host that comes later learns that it is done")
  func later() {
    var host = Host()
    _ = host.on(.began)
    #expect(
      host.on(.seen(Sight(revision: 8, done: .recorded(done())))) == [.skip(output: nil, by: done()), .finish])
  }

  @Test("When the claim of another host is gone, it is this one's turn, after a short pause")
  func next() {
    var host = Host()
    _ = host.on(.began)
    let failure = FailureRecord(host: "b", time: 1, fence: 7, message: "exit 3")
    _ = host.on(.seen(Sight(revision: 8, claim: other(7, "c"), failed: failure)))
    #expect(host.on(.vacated) == [.stopFollowing])
    #expect(host.claim.due.map { $0 <= .milliseconds(200) } == true)
    #expect(host.wait() == [.claim(lease: 1, evenIfDone: false)])
  }

  @Test("While another host has it, and changes may have been missed, it only looks")
  func doubted() {
    var host = Host()
    _ = host.on(.began)
    _ = host.on(.seen(Sight(revision: 8, claim: other(7))))
    #expect(host.on(.doubted) == [.stopFollowing, .look])
    #expect(host.on(.seen(Sight(revision: 9, claim: other(7)))) == [.follow(after: 9)])
  }

  @Test("A secret output isn't recorded, so each host runs it, one after the other")
  func secret() {
    var host = Host()
    _ = host.on(.began)
    #expect(
      host.on(.seen(Sight(revision: 8, done: .recorded(done(isSecret: true))))) == [.claim(lease: 1, evenIfDone: true)])
    _ = host.on(.seen(Sight(revision: 9, claim: other(7), done: .recorded(done(isSecret: true)))))
    #expect(host.on(.completedElsewhere(.recorded(done(isSecret: true)))) == [])
  }

  @Test("A completion that can't be read is a failure, which names its key")
  func unreadable() {
    var host = Host()
    _ = host.on(.began)
    let effects = host.on(.seen(Sight(revision: 8, done: .unreadable(key: "k"))))
    #expect(effects.last == .finish)
    guard case .fail(let message)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(message.contains("the key k "))
  }

  // MARK: Leases

  @Test("A lease that is nearly used up is renewed before the run begins")
  func prolonged() {
    var host = Host()
    _ = host.on(.began)
    host.now = .seconds(2)
    #expect(host.on(.created(revision: 7)) == [.prolong])
    let renewed = Host.lease(1, at: .seconds(2))
    #expect(host.on(.leaseChanged(renewed, reason: "")) == [.allow(fence: 7, until: renewed.end)])
  }

  @Test("A key that is bound to a lease that has ended allows nothing")
  func rebound() {
    var host = Host()
    _ = host.on(.began)
    _ = host.on(.leaseChanged(nil, reason: "ended"))
    _ = host.on(.leaseChanged(Host.lease(2), reason: ""))
    // The key is bound to lease 1.
    #expect(host.on(.created(revision: 7)) == [.claim(lease: 2, evenIfDone: false)])
    let old = Sight.Claim(created: 7, lease: 1, record: ClaimRecord(host: "a", owner: "a-1"))
    #expect(host.on(.seen(Sight(revision: 8, claim: old))).first == .follow(after: 8))
    let new = Sight.Claim(created: 9, lease: 2, record: ClaimRecord(host: "a", owner: "a-1"))
    _ = host.on(.doubted)
    #expect(host.on(.seen(Sight(revision: 9, claim: new))) == [.allow(fence: 9, until: .milliseconds(3800))])
  }

  @Test("Renewals are passed on; if the lease ends, the run is stopped, once")
  func renewals() {
    var host = Host.running()
    let renewed = Host.lease(1, at: .seconds(1))
    #expect(host.on(.leaseChanged(renewed, reason: "")) == [.renew(until: renewed.end)])
    #expect(host.on(.leaseChanged(nil, reason: "ended")) == [.revoke("ended")])
    // A new lease doesn't protect the old key.
    #expect(host.on(.leaseChanged(Host.lease(2), reason: "")) == [])
    #expect(host.on(.ended(failure: "lost", hasStopped: true)) == [.delete(created: 7, failure: "lost")])
  }

  @Test("Without a lease it waits, and says why")
  func noLease() {
    var host = Host(lease: nil)
    #expect(host.on(.began) == [])
    #expect(host.on(.leaseChanged(nil, reason: "no answer")) == [.report("waits for etcd: no answer")])
    #expect(host.on(.leaseChanged(Host.lease(3), reason: "")) == [.claim(lease: 3, evenIfDone: false)])
  }

  @Test("A run is stopped once, with the reason why its lease isn't renewed")
  func expiring() {
    var host = Host.running()
    #expect(host.on(.leaseExpires(reason: "no answer")) == [.revoke("no answer")])
    #expect(host.on(.leaseChanged(nil, reason: "ended")) == [])
    #expect(host.on(.ended(failure: "no answer", hasStopped: true)) == [.delete(created: 7, failure: "no answer")])
    var waiting = Host(lease: nil)
    _ = waiting.on(.began)
    #expect(waiting.on(.leaseExpires(reason: "no answer")) == [])
  }

  @Test("A host that waits for another one and loses its lease says that it waits for etcd")
  func leaseLostWhileWaiting() {
    var host = Host(timeout: .seconds(60))
    _ = host.on(.began)
    _ = host.on(.seen(Sight(revision: 8, claim: other(7))))
    let words = [OnceClaim.Effect.stopFollowing, .report("waits for etcd: no answer")]
    #expect(host.on(.leaseChanged(nil, reason: "no answer")) == words)
    #expect(host.on(.leaseChanged(nil, reason: "no answer")) == [])
    // Its timeout doesn't count in the meantime.
    #expect(host.claim.due == .seconds(30))
    #expect(host.on(.leaseChanged(Host.lease(2), reason: "")) == [.look])
    #expect(
      host.on(.seen(Sight(revision: 9, claim: other(7)))) == [
        .follow(after: 9), .report("runs on b"), .extend(by: .seconds(60)),
      ])
  }

  // MARK: The end of a run

  @Test("A failure is recorded with the deletion of the key, which is tried until etcd answers")
  func failure() {
    var host = Host.running()
    #expect(host.on(.ended(failure: "exit 3", hasStopped: true)) == [.delete(created: 7, failure: "exit 3")])
    #expect(host.on(.unanswered(.delete, reason: "", nil)) == [])
    #expect(host.wait() == [.delete(created: 7, failure: "exit 3")])
    #expect(host.on(.deleted) == [.finish])
  }

  @Test("A full etcd accepts the deletion only without the record of the failure")
  func failureWithoutSpace() {
    var host = Host.running()
    _ = host.on(.ended(failure: "exit 3", hasStopped: true))
    #expect(host.on(.unanswered(.delete, reason: "no space", .full)) == [])
    #expect(host.wait() == [.delete(created: 7, failure: nil)])
  }

  @Test("As long as this host keeps the lease, a refused deletion is tried again: the others wait for it")
  func refusedDeletion() {
    var host = Host.running()
    _ = host.on(.ended(failure: "exit 3", hasStopped: true))
    let refusal = OnceClaim.Event.unanswered(.delete, reason: "permission denied", .final)
    #expect(
      host.on(refusal) == [
        .log("has ended here, but other hosts wait until its claim is deleted: permission denied")
      ])
    for _ in 0..<100 {
      #expect(host.on(.leaseChanged(Host.lease(1, at: host.now), reason: "")) == [])
      #expect(host.wait() == [.delete(created: 7, failure: "exit 3")])
      #expect(host.on(refusal) == [])
    }
    #expect(host.now > .seconds(300) && host.now < .seconds(900))
    // Without renewals, the key ends with the lease.
    #expect(host.on(.leaseChanged(Host.lease(2, at: host.now), reason: "")) == [])
    let end = host.now + .seconds(60)
    var last: [OnceClaim.Effect] = []
    for _ in 0..<20 where host.now < end {
      #expect(host.wait() == [.delete(created: 7, failure: "exit 3")])
      last = host.on(refusal)
      #expect(last == [] || host.now >= end)
    }
    #expect(last == [.finish])
  }

  @Test(
    "If a worker may still work, the key stays until the lease would have ended",
    arguments: [
      OnceClaim.Event.ended(failure: nil, hasStopped: false), .disconnected(hasEnded: false),
      .disconnected(hasEnded: true),
    ])
  func lingering(event: OnceClaim.Event) {
    var host = Host.running()
    host.now = .seconds(1)
    #expect(host.on(event) == [])
    #expect(host.claim.mayWork)
    #expect(host.claim.due == .seconds(1) + Host.timeToLive)
    #expect(host.wait() == [.delete(created: 7, failure: nil)])
  }

  @Test(
    "The commands of a supervisor that was killed end with it: another host needn't wait for a lease",
    arguments: [(true, 2), (false, 4)])
  func killedSupervisor(hasEnded: Bool, seconds: Int) {
    var host = Host(endsWithSupervisor: true)
    _ = host.on(.began)
    _ = host.on(.created(revision: 7))
    #expect(host.on(.disconnected(hasEnded: hasEnded)) == [])
    #expect(host.claim.due == .seconds(seconds))
    #expect(host.wait() == [.delete(created: 7, failure: nil)])
  }

  @Test("A completion is recorded until etcd answers, even if the supervisor is gone by then")
  func completion() {
    var host = Host.running()
    _ = host.on(.completed(output: nil, isSecret: true))
    let words = "waiting for etcd to record it: no space"
    #expect(
      host.on(.unanswered(.record, reason: "no space", .full)) == [
        .report("done; \(words)"), .log("is done; \(words)"),
      ])
    #expect(host.wait() == [.record(fence: 7, output: nil, isSecret: true)])
    // The same reason isn't logged again.
    #expect(host.on(.unanswered(.record, reason: "no space", .full)) == [])
    #expect(host.on(.disconnected(hasEnded: true)) == [])
    #expect(host.wait() == [.record(fence: 7, output: nil, isSecret: true)])
    #expect(host.on(.recorded(true)) == [.finish])
  }

  @Test("If the supervisor ends in order, the completion is recorded nevertheless")
  func completionWithoutSupervisor() {
    var host = Host.running()
    _ = host.on(.completed(output: "1", isSecret: false))
    _ = host.on(.unanswered(.record, reason: "no space", .full))
    #expect(host.on(.ended(failure: nil, hasStopped: true)) == [])
    #expect(host.claim.isRecording && host.claim.isBusy)
    #expect(host.wait() == [.record(fence: 7, output: "1", isSecret: false)])
    // Nobody waits for the answer.
    #expect(host.on(.recorded(true)) == [.finish])
    #expect(!host.claim.isRecording)
  }

  @Test("A completion without the key has failed, and confirms nothing")
  func lost() {
    var host = Host.running()
    _ = host.on(.completed(output: nil, isSecret: false))
    let effects = host.on(.recorded(false))
    #expect(!effects.contains(.confirm))
    #expect(
      effects == [
        .fail("the claim was lost before the completion was recorded"),
        .delete(created: 7, failure: "the claim was lost before the completion was recorded"),
      ])
  }

  @Test("A completion that etcd denies is recorded when it is allowed again, or the key is gone")
  func denied() {
    var host = Host.running()
    _ = host.on(.completed(output: nil, isSecret: false))
    let words = "waiting for etcd to record it: permission denied"
    #expect(
      host.on(.unanswered(.record, reason: "permission denied", .denied)) == [
        .report("done; \(words)"), .log("is done; \(words)"),
      ])
    let first = host.now
    #expect(host.wait() == [.record(fence: 7, output: nil, isSecret: false)])
    let pause = host.now - first
    #expect(host.on(.unanswered(.record, reason: "permission denied", .denied)) == [])
    #expect(host.wait() == [.record(fence: 7, output: nil, isSecret: false)])
    #expect(host.now - first > pause * 2, "etcd isn't asked more and more")
    var other = host
    #expect(host.on(.recorded(true)) == [.confirm, .finish])
    #expect(other.on(.recorded(false)).first == .fail("the claim was lost before the completion was recorded"))
  }

  @Test("A completion that etcd will never record has failed, and that is told")
  func refused() {
    var host = Host.running()
    _ = host.on(.completed(output: nil, isSecret: false))
    let refusal = OnceClaim.Event.unanswered(.record, reason: "request is too large", .final)
    var other = host
    #expect(
      host.on(refusal) == [.fail("request is too large"), .delete(created: 7, failure: "request is too large")])
    _ = other.on(.disconnected(hasEnded: true))
    #expect(
      other.on(refusal) == [
        .log("is done, but etcd won't record that: request is too large"),
        .delete(created: 7, failure: "request is too large"),
      ])
  }

  @Test("A completion of a run that wasn't allowed is refused")
  func unallowed() {
    var host = Host()
    _ = host.on(.began)
    #expect(host.on(.completed(output: nil, isSecret: false)) == [.fail("this agent doesn't have the claim")])
  }

  // MARK: Lost answers

  @Test("If the claim ends while a request may create its key, the key is deleted when it is found")
  func cleaning() {
    var host = Host()
    _ = host.on(.began)
    #expect(host.on(.ended(failure: nil, hasStopped: true)) == [])
    #expect(host.on(.unanswered(.ask, reason: "", nil)) == [])
    #expect(host.wait() == [.look])
    let own = Sight.Claim(created: 7, lease: 1, record: ClaimRecord(host: "a", owner: "a-1"))
    #expect(host.on(.seen(Sight(revision: 8, claim: own))) == [.delete(created: 7, failure: nil)])
  }

  @Test("The same, if the answer comes late")
  func lateAnswer() {
    var host = Host()
    _ = host.on(.began)
    _ = host.on(.disconnected(hasEnded: true))
    #expect(host.on(.created(revision: 7)) == [.delete(created: 7, failure: nil)])
  }

  @Test("If the claim ends after a lost answer, the key may still be created: it is looked for")
  func lateCreation() {
    var host = Host()
    _ = host.on(.began)
    _ = host.on(.unanswered(.ask, reason: "", nil))
    #expect(host.on(.ended(failure: nil, hasStopped: true)) == [.look])
    #expect(host.on(.seen(Sight(revision: 8))) == [])
    #expect(host.wait() == [.look])
    #expect(host.now == .seconds(1))
    let own = Sight.Claim(created: 9, lease: 1, record: ClaimRecord(host: "a", owner: "a-1"))
    #expect(host.on(.seen(Sight(revision: 9, claim: own))) == [.delete(created: 9, failure: nil)])
    #expect(host.on(.deleted) == [.look])
    host.now = .seconds(10)
    #expect(host.on(.seen(Sight(revision: 10))) == [.finish])
  }

  @Test("A key of this host's lease that belongs to nobody is deleted, even if the claim ends meanwhile")
  func abandonedAtTheEnd() {
    var host = Host()
    _ = host.on(.began)
    var claim = other(3, "a")
    claim.isAbandoned = true
    _ = host.on(.seen(Sight(revision: 8, claim: claim)))
    #expect(host.on(.ended(failure: nil, hasStopped: true)) == [])
    #expect(host.on(.unanswered(.delete, reason: "", nil)) == [])
    #expect(host.wait() == [.delete(created: 3, failure: nil)])
    #expect(host.on(.deleted) == [.finish])
  }

  @Test("A key of this host's lease that belongs to nobody is deleted")
  func abandoned() {
    var host = Host()
    _ = host.on(.began)
    var claim = other(3, "a")
    claim.isAbandoned = true
    #expect(host.on(.seen(Sight(revision: 8, claim: claim))) == [.delete(created: 3, failure: nil)])
    #expect(host.on(.deleted) == [.claim(lease: 1, evenIfDone: false)])
  }

  @Test("While etcd doesn't answer, the pauses grow, and the reason is reported")
  func unanswered() {
    var host = Host()
    _ = host.on(.began)
    var pauses: [Duration] = []
    for _ in 0..<8 {
      _ = host.on(.unanswered(.ask, reason: "no answer", nil))
      pauses.append((host.claim.due ?? .zero) - host.now)
      #expect(host.wait() == [.claim(lease: 1, evenIfDone: false)])
    }
    #expect(pauses[0] >= .milliseconds(250) && pauses[0] <= .milliseconds(500))
    #expect(pauses[7] >= .seconds(4) && pauses[7] <= .seconds(8))
  }

  // MARK: The end of the agent, and progress

  @Test("An agent that ends stops its runs, and takes no further claims")
  func withdrawn() {
    var running = Host.running()
    #expect(running.on(.withdrawn(reason: "the agent ends")) == [.revoke("the agent ends")])
    var asking = Host()
    _ = asking.on(.began)
    _ = asking.on(.withdrawn(reason: "the agent ends"))
    #expect(asking.on(.created(revision: 7)) == [.delete(created: 7, failure: nil)])
    var following = Host()
    _ = following.on(.began)
    _ = following.on(.seen(Sight(revision: 8, claim: other(7))))
    #expect(following.on(.withdrawn(reason: "the agent ends")) == [.stopFollowing])
    #expect(following.on(.leaseChanged(Host.lease(2), reason: "")) == [])
  }

  @Test("Progress is written at once, then at most every two seconds, and the last report isn't lost")
  func progress() {
    var host = Host.running()
    #expect(host.on(.progressed("1 %")) == [.write(progress: "1 %", fence: 7, lease: 1)])
    #expect(host.on(.progressed("2 %")) == [])
    #expect(host.on(.progressed("3 %")) == [])
    #expect(host.claim.due == .seconds(2))
    #expect(host.wait() == [.write(progress: "3 %", fence: 7, lease: 1)])
    #expect(host.claim.due == nil)
  }

  @Test("A claim has a fencing token from its allowance until its completion is recorded")
  func fence() {
    var host = Host()
    _ = host.on(.began)
    _ = host.on(.seen(Sight(revision: 8, claim: other(7))))
    #expect(host.claim.fence == nil)
    _ = host.on(.vacated)
    _ = host.wait()
    _ = host.on(.created(revision: 9))
    #expect(host.claim.fence == 9)
    _ = host.on(.completed(output: nil, isSecret: false))
    #expect(host.claim.fence == 9)
    _ = host.on(.recorded(true))
    #expect(host.claim.fence == nil)
  }
}
