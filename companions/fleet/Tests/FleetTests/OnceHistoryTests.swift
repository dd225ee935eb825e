import Fleet
import Testing

/// A fleet in a made-up world, in which the seed decides everything.
///
/// The etcd of this world executes requests late, loses answers and ends leases. Supervisors die. Only the test moves the clock.
private struct World {
  /// A host, with at most one claim at a time.
  struct Host {
    var claim: OnceClaim?
    var lease: HeldLease?
    /// Whether the supervisor works for the claim, and until when it may; an orphan is the worker of a supervisor that was killed.
    var works: (fence: Int, until: Duration, isOrphan: Bool)?
    /// Whether the host has a result: its own, or that of another host.
    var isDone = false
    var number = 0
    var watches = false
    /// Whether the initializer is a command, which is killed with its supervisor.
    var endsWithSupervisor = false
    /// Whether the host asks no more, because its attempts are used up.
    var hasGivenUp = false
  }

  /// A request that etcd hasn't executed, or whose answer hasn't arrived.
  struct Message {
    var host: Int
    var owner: String
    var effect: OnceClaim.Effect
    /// Until when etcd may execute the request although it counts as unanswered; nil if it is awaited.
    var lateUntil: Duration?
  }

  var random: SeededGenerator
  var now = Duration.zero
  var hosts: [Host]
  var messages: [Message] = []
  /// etcd: leases with their ends, the key of the claim, and the completion.
  var leases: [Int: Duration] = [:]
  var key: (owner: String, host: Int, created: Int, lease: Int)?
  var done: DoneRecord?
  var revision = 1
  /// Descriptions of events that must never happen.
  var violations: [String] = []
  /// The fencing tokens of completed runs, and the confirmed tokens.
  var completions: [Int] = []

  static let timeToLive = Duration.seconds(4)

  init(seed: UInt64, hosts count: Int) {
    random = SeededGenerator(seed)
    hosts = (0..<count).map { Host(endsWithSupervisor: $0 % 2 == 0) }
  }

  mutating func run(steps: Int) {
    for _ in 0..<steps where violations.isEmpty { step() }
  }

  private mutating func step() {
    now += .milliseconds(Int.random(in: 1...300, using: &random))
    expire()
    let host = Int.random(in: 0..<hosts.count, using: &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0...6: deliver()
    case 7...9: renew(host)
    case 10...11: begin(host)
    case 12...13: finishRun(host)
    case 14:
      hosts[host].works?.isOrphan = true
      let hasEnded = Bool.random(using: &random)
      // Commands are killed soon after their supervisor.
      if hasEnded, hosts[host].endsWithSupervisor, let works = hosts[host].works {
        hosts[host].works?.until = min(works.until, now + .milliseconds(Int.random(in: 0...1900, using: &random)))
      }
      feed(host, .disconnected(hasEnded: hasEnded))
    case 15: feed(host, .doubted)
    case 16:
      // The supervisor cancels a run before it is allowed.
      if hosts[host].works == nil { feed(host, .ended(failure: nil, hasStopped: true)) }
    default: tick(host)
    }
    check()
  }

  private mutating func expire() {
    for (id, end) in leases where end <= now {
      leases[id] = nil
      if key?.lease == id { vacate() }
    }
    for host in hosts.indices {
      if let lease = hosts[host].lease, lease.end <= now {
        hosts[host].lease = nil
        feed(host, .leaseChanged(nil, reason: "ended"))
      }
      // The supervisor stops the run without a request.
      if let works = hosts[host].works, works.until <= now {
        hosts[host].works = nil
        if !works.isOrphan { feed(host, .ended(failure: "the lease has ended", hasStopped: true)) }
      }
    }
  }

  private mutating func renew(_ host: Int) {
    let id = hosts[host].lease?.id ?? Int.random(in: 1...1_000_000, using: &random)
    leases[id] = now + Self.timeToLive
    let lease = HeldLease(id: id, end: now + Self.timeToLive * 0.95, freshUntil: now + Self.timeToLive / 3)
    hosts[host].lease = lease
    feed(host, .leaseChanged(lease, reason: ""))
  }

  private mutating func begin(_ host: Int) {
    guard hosts[host].claim == nil, hosts[host].works == nil, !hosts[host].isDone, !hosts[host].hasGivenUp else {
      return
    }
    hosts[host].number += 1
    hosts[host].claim = OnceClaim(
      owner: "\(host)-\(hosts[host].number)", isSecret: false, lease: hosts[host].lease, timeToLive: Self.timeToLive,
      endsWithSupervisor: hosts[host].endsWithSupervisor, seed: random.next())
    feed(host, .began)
  }

  private mutating func finishRun(_ host: Int) {
    guard let works = hosts[host].works, !works.isOrphan else { return }
    hosts[host].works = nil
    if Bool.random(using: &random) {
      feed(host, .ended(failure: "exit 1", hasStopped: true))
    } else {
      completions.append(works.fence)
      feed(host, .completed(output: nil, isSecret: false))
    }
  }

  private mutating func tick(_ host: Int) {
    guard let due = hosts[host].claim?.due, due <= now else { return }
    feed(host, .passed)
  }

  /// Executes one request in etcd, in any order; the answer may get lost.
  private mutating func deliver() {
    guard !messages.isEmpty else { return }
    let message = messages.remove(at: Int.random(in: 0..<messages.count, using: &random))
    if let lateUntil = message.lateUntil {
      if case .claim(let lease, let evenIfDone) = message.effect, now < lateUntil {
        _ = claim(message, lease, evenIfDone)
      }
      return
    }
    let isLost = Int.random(in: 0..<6, using: &random) == 0
    let isExecuted = !isLost || Bool.random(using: &random)
    let request: OnceClaim.Request
    var answer = OnceClaim.Event.deleted
    switch message.effect {
    case .claim(let lease, let evenIfDone):
      request = .ask
      if isExecuted { answer = claim(message, lease, evenIfDone) }
    case .look:
      request = .ask
      answer = .seen(sight(of: message.host))
    case .record(let fence, _, _):
      request = .record
      if !isLost, Int.random(in: 0..<4, using: &random) == 0 {
        guard hosts[message.host].claim?.owner == message.owner else { return }
        let refusal: OnceClaim.Refusal = Bool.random(using: &random) ? .full : .denied
        return feed(message.host, .unanswered(request, reason: "refused", refusal))
      }
      if isExecuted { answer = .recorded(record(message.host, fence)) }
    case .delete(let created, _):
      request = .delete
      if isExecuted, key?.created == created { vacate() }
    default: return
    }
    if !isExecuted {
      var late = message
      late.lateUntil = now + .seconds(9)
      messages.append(late)
    }
    guard hosts[message.host].claim?.owner == message.owner else { return }
    feed(message.host, isLost ? .unanswered(request, reason: "lost", nil) : answer)
  }

  /// Returns the keys as this host sees them: it knows only its own claims.
  private func sight(of host: Int) -> OnceClaim.Sight {
    let claim = key.map {
      OnceClaim.Sight.Claim(
        created: $0.created, lease: $0.lease, record: ClaimRecord(host: "\($0.host)", owner: $0.owner),
        isAbandoned: hosts[host].claim?.owner != $0.owner && hosts[host].lease?.id == $0.lease)
    }
    return OnceClaim.Sight(revision: revision, claim: claim, done: done.map { .recorded($0) })
  }

  private mutating func claim(_ message: Message, _ lease: Int, _ evenIfDone: Bool) -> OnceClaim.Event {
    // etcd refuses a lease that has ended.
    guard leases[lease] != nil else { return .unanswered(.ask, reason: "no lease", .final) }
    guard key == nil, evenIfDone || done == nil else { return .seen(sight(of: message.host)) }
    revision += 1
    key = (message.owner, message.host, revision, lease)
    return .created(revision: revision)
  }

  private mutating func record(_ host: Int, _ fence: Int) -> Bool {
    guard key?.created == fence else { return done?.fence == fence }
    if done != nil { violations.append("a second completion was recorded") }
    done = DoneRecord(host: "\(host)", time: 0, fence: fence, output: nil, isSecret: false)
    vacate()
    for other in hosts.indices where hosts[other].watches { feed(other, .completedElsewhere(.recorded(done!))) }
    return true
  }

  private mutating func vacate() {
    key = nil
    revision += 1
    for host in hosts.indices where hosts[host].watches { feed(host, .vacated) }
  }

  private mutating func feed(_ host: Int, _ event: OnceClaim.Event) {
    guard hosts[host].claim != nil, let effects = hosts[host].claim?.handle(event, at: now) else { return }
    for effect in effects { carryOut(effect, host) }
  }

  private mutating func carryOut(_ effect: OnceClaim.Effect, _ host: Int) {
    switch effect {
    case .claim, .look, .record, .delete:
      messages.append(Message(host: host, owner: hosts[host].claim?.owner ?? "", effect: effect))
    case .follow: hosts[host].watches = true
    case .stopFollowing: hosts[host].watches = false
    case .allow(let fence, let until):
      if key?.created != fence { violations.append("host \(host) is allowed without the key") }
      if until > (leases[key?.lease ?? 0] ?? .zero) { violations.append("host \(host) is allowed for too long") }
      if hosts[host].works != nil { violations.append("host \(host) is allowed twice") }
      hosts[host].works = (fence, until, false)
    case .renew(let until): if hosts[host].works?.isOrphan == false { hosts[host].works?.until = until }
    case .revoke:
      // A run takes some time to stop.
      if let works = hosts[host].works, !works.isOrphan {
        hosts[host].works?.until = min(works.until, now + .milliseconds(100))
      }
    case .confirm, .skip:
      if done == nil { violations.append("host \(host) is told of a completion that isn't recorded") }
      hosts[host].isDone = true
    case .finish:
      hosts[host].claim = nil
      hosts[host].watches = false
    case .fail, .report, .write, .prolong, .extend, .log: break
    }
  }

  private mutating func check() {
    let working = hosts.indices.filter { hosts[$0].works != nil }
    if working.count > 1 { violations.append("hosts \(working) work at the same time") }
    if !working.isEmpty, let done, hosts[working[0]].works!.fence > done.fence {
      violations.append("host \(working[0]) works after the completion")
    }
  }

  /// Whether all hosts have a result, except those that ask no more.
  var isAtRest: Bool { hosts.allSatisfy { $0.isDone || $0.hasGivenUp } }

  /// Ends all faults, and lets everything come to rest.
  ///
  /// One host asks no more, and keeps its lease.
  mutating func settle() {
    hosts[Int.random(in: 0..<hosts.count, using: &random)].hasGivenUp = true
    for _ in 0..<4000 where violations.isEmpty && !isAtRest {
      now += .milliseconds(100)
      expire()
      for host in hosts.indices {
        if let lease = hosts[host].lease, lease.freshUntil > now {} else { renew(host) }
        begin(host)
        if hosts[host].hasGivenUp, hosts[host].works == nil { feed(host, .ended(failure: nil, hasStopped: true)) }
        tick(host)
        if hosts[host].works != nil { finishRun(host) }
      }
      deliver()
    }
  }
}

@Suite("Random histories of claims")
struct OnceHistoryTests {
  @Test("One host at a time, one completion, and in the end all hosts have it")
  func histories() {
    var completed = 0
    for seed in 1...2400 as ClosedRange<UInt64> {
      var world = World(seed: seed, hosts: 3)
      // In a short history, the faults end before the completion, so one host must still complete it.
      world.run(steps: seed % 6 == 0 ? 600 : 30)
      #expect(world.violations == [], "seed \(seed)")
      world.settle()
      #expect(world.violations == [], "seed \(seed), at rest")
      #expect(world.isAtRest, "seed \(seed)")
      if world.done != nil { completed += 1 }
    }
    // Histories in which no run completes would prove nothing.
    #expect(completed == 2400)
  }
}
