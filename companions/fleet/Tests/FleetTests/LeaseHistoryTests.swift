import Fleet
import Testing

/// A keeper of leases in a made-up world, in which the seed decides everything.
///
/// The etcd of this world answers late, loses requests and answers, ends leases, and has a clock that runs up to 5 % faster than this
/// host's. Its members are slow or silent, and end streams. The supervisor is silent at times, and the keeper's process is stopped. Only
/// the test moves the clock.
private struct World {
  struct Member {
    /// How long a request and its answer take together, at most.
    var latency: Duration
    /// Until then, nothing is answered.
    var silence = Duration.zero
  }

  struct Stream {
    var member: Int
    var lease: Int
    /// When the last request is executed, and the last answer arrives: both keep their order.
    var lastExecution = Duration.zero
    var lastAnswer = Duration.zero
    var isOpen = true
  }

  enum Happening {
    case grant(member: Int, sent: Duration)
    case execution(stream: Int, sent: Duration)
    /// An event for the keeper; that of a closed stream is lost.
    case event(LeaseRenewal.Event, stream: Int?)
    case heartbeat
    /// Something changes.
    case change
  }

  var random: SeededGenerator
  var now = Duration.zero
  var rule: LeaseRenewal
  let timeToLive: Duration
  /// How long etcd keeps a lease of this length, by this host's clock.
  let kept: Duration
  var members: [Member]
  var streams: [Int: Stream] = [:]
  var pending: [(at: Duration, what: Happening)] = []
  /// etcd's leases with their ends.
  var leases: [Int: Duration] = [:]
  /// The leases that etcd was told to end.
  var ended: Set<Int> = []
  /// Until then, the keeper's process is stopped.
  var stopped = Duration.zero
  /// Until then, the supervisor is silent; and when it has answered last.
  var hung = Duration.zero
  var heartbeat = Duration.zero
  /// The lease that is held, and those that were.
  var held: Int?
  var past: Set<Int> = []
  /// The member that always answers; nil if all may be silent.
  let good: Int?
  /// Descriptions of events that must never happen.
  var violations: [String] = []
  /// The number of answers that took longer than an interval, and of lost leases.
  var lateAnswers = 0
  var losses = 0

  init(seed: UInt64, hasGoodMember: Bool) {
    var random = SeededGenerator(seed)
    let seconds = [4, 10, 30].randomElement(using: &random) ?? 10
    let count = Int.random(in: 1...5, using: &random)
    let timeToLive = Duration.seconds(seconds)
    self.timeToLive = timeToLive
    kept = timeToLive / Double.random(in: 1...1.05, using: &random)
    members = (0..<count).map { _ in Member(latency: timeToLive / 20) }
    good = hasGoodMember ? Int.random(in: 0..<count, using: &random) : nil
    rule = LeaseRenewal(timeToLive: timeToLive, members: count, seed: random.next())
    self.random = random
    if let good { members[good].latency = timeToLive * 0.49 }
    schedule(.heartbeat, at: .zero)
    schedule(.change, at: .zero)
    feed(.began)
  }

  /// Lets a time pass that is a multiple of the lease.
  mutating func run(leases: Int) {
    let end = timeToLive * leases
    while now < end, violations.isEmpty { step() }
  }

  private mutating func schedule(_ what: Happening, at moment: Duration) { pending.append((moment, what)) }

  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  private mutating func some(_ longest: Duration) -> Duration { longest * Double.random(in: 0...1, using: &random) }

  /// How long a request or its answer takes: often as long as it may.
  private mutating func delay(_ member: Member) -> Duration {
    chance(2) ? member.latency / 2 : some(member.latency / 2)
  }

  private mutating func step() {
    let place = pending.indices.min { pending[$0].at < pending[$1].at } ?? 0
    // A timer is late, and a stopped process does nothing.
    let timer = rule.due.map { max(max($0, now) + some(.milliseconds(15)), stopped) }
    if let timer, timer < pending[place].at {
      now = timer
      return tick()
    }
    let (moment, what) = pending.remove(at: place)
    now = max(now, moment)
    switch what {
    case .grant(let member, let sent): grant(member, sent)
    case .execution(let stream, let sent): execute(stream, sent)
    case .event(let event, let stream):
      if now < stopped { return schedule(what, at: stopped) }
      guard stream.map({ streams[$0]?.isOpen == true || chance(10) }) ?? true else { return }
      if case .answered(_, _, let sent, _) = event, now - sent > timeToLive / 3 { lateAnswers += 1 }
      feed(event)
    case .heartbeat:
      schedule(.heartbeat, at: now + timeToLive / 4)
      if now >= hung, now >= stopped {
        heartbeat = now
        feed(.supervisorAnswered(sent: now))
      }
    case .change:
      schedule(.change, at: now + some(timeToLive / 3))
      change()
    }
  }

  /// Changes a member, the supervisor, the keeper's process, or what the users want.
  private mutating func change() {
    let member = Int.random(in: members.indices, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2 where member != good: members[member].silence = now + some(timeToLive * 4)
    case 3...5 where member != good: members[member].latency = some(chance(2) ? timeToLive / 10 : timeToLive * 2)
    case 6: if let number = streams.keys.sorted().randomElement(using: &random) { end(number) }
    case 7: if now >= stopped { feed(.allowed(cancelGrace: some(timeToLive / 2))) }
    case 8: if now >= stopped { feed(chance(2) ? .demanded : .preferred(member: member)) }
    case 9 where good == nil && chance(4): hung = now + some(timeToLive * 4)
    case 10 where good == nil && chance(2): stopped = now + some(timeToLive * 1.5)
    case 11 where good == nil && chance(4):
      guard let held, now >= stopped else { return }
      if chance(2) { return feed(.abandoned) }
      leases[held] = now
      ended.insert(held)
    default: return
    }
  }

  private mutating func tick() {
    feed(.passed)
    if let lease = rule.lease, lease.end <= now { violations.append("lease \(lease.id) is held after its end") }
    if let due = rule.due, due <= now { violations.append("the moment \(due) is over") }
  }

  // MARK: etcd

  private mutating func grant(_ member: Int, _ sent: Duration) {
    let id = leases.count + 1
    leases[id] = now + kept
    if good == nil, chance(6) {
      return schedule(.event(.notGranted(.init("no answer")), stream: nil), at: sent + .seconds(3))
    }
    let answer = now + some(good == nil ? members[member].latency : timeToLive / 20)
    schedule(.event(.granted(lease: id, sent: sent, member: member), stream: nil), at: answer)
  }

  /// Sends a renewal.
  private mutating func send(_ number: Int) {
    guard var stream = streams[number], stream.isOpen else {
      violations.append("a renewal over the closed stream \(number)")
      return
    }
    let member = members[stream.member]
    // A silent member may execute it later, or never.
    var arrival = now + delay(member)
    if arrival < member.silence {
      if chance(2) { return }
      arrival = member.silence + delay(member)
    }
    stream.lastExecution = max(stream.lastExecution, arrival)
    streams[number] = stream
    schedule(.execution(stream: number, sent: now), at: stream.lastExecution)
  }

  private mutating func execute(_ number: Int, _ sent: Duration) {
    guard var stream = streams[number], let end = leases[stream.lease] else { return }
    let lasts = now < end
    if lasts { leases[stream.lease] = now + kept }
    stream.lastAnswer = max(stream.lastAnswer, now + delay(members[stream.member]))
    streams[number] = stream
    let answer = LeaseRenewal.Event.answered(
      stream: number, lease: stream.lease, sent: sent, seconds: lasts ? Int(timeToLive.components.seconds) : 0)
    schedule(.event(answer, stream: number), at: stream.lastAnswer)
  }

  /// Ends a stream.
  private mutating func end(_ number: Int) {
    guard let stream = streams[number], stream.isOpen, stream.member != good else { return }
    schedule(.event(.streamEnded(number, chance(4) ? nil : .init("reset")), stream: number), at: now)
  }

  // MARK: The keeper

  private mutating func feed(_ event: LeaseRenewal.Event) {
    let before = rule.lease
    let effects = rule.handle(event, at: now)
    if case .answered(_, let lease, _, _) = event, lease != before?.id, !effects.isEmpty || rule.lease != before {
      violations.append("an answer about the old lease \(lease) counts")
    }
    for effect in effects { carryOut(effect) }
    guard let lease = rule.lease else { return }
    if past.contains(lease.id) { violations.append("the lost lease \(lease.id) is held again") }
    if lease.id != held { violations.append("nobody was told about lease \(lease.id)") }
    if let end = leases[lease.id], end < lease.end, !ended.contains(lease.id) {
      violations.append("lease \(lease.id) is held until \(lease.end), and etcd ends it at \(end)")
    }
  }

  private mutating func carryOut(_ effect: LeaseRenewal.Effect) {
    switch effect {
    case .grant, .open, .renew:
      if now - heartbeat > timeToLive { violations.append("\(effect) for a silent supervisor") }
    default: break
    }
    switch effect {
    case .grant:
      let member = good ?? Int.random(in: members.indices, using: &random)
      let delay = some(good == nil ? members[member].latency : timeToLive / 20)
      schedule(.grant(member: member, sent: now), at: now + delay)
    case .open(let stream, let member, let lease):
      streams[stream] = Stream(member: member, lease: lease)
      send(stream)
    case .renew(let stream): send(stream)
    case .close(let stream): streams[stream]?.isOpen = false
    case .prefer(let member): feed(.preferred(member: member))
    case .tell(let lease?, _): held = lease.id
    case .tell(nil, let reason):
      guard let old = held else { return }
      past.insert(old)
      held = nil
      losses += 1
      if good != nil { violations.append("the lease is lost: \(reason)") }
    case .revoke(let lease):
      leases[lease] = now
      ended.insert(lease)
    case .expire, .say, .warn: break
    }
  }
}

@Suite("Random histories of the renewal of a lease")
struct LeaseHistoryTests {
  @Test("A lease is never held longer than etcd keeps it, nor when it was lost, nor renewed for a silent supervisor")
  func safety() {
    var (losses, lateAnswers) = (0, 0)
    for seed in 1...150 as ClosedRange<UInt64> {
      var world = World(seed: seed, hasGoodMember: false)
      world.run(leases: 40)
      #expect(world.violations == [], "seed \(seed)")
      losses += world.losses
      lateAnswers += world.lateAnswers
    }
    // The histories would prove nothing without these.
    #expect(losses > 500)
    #expect(lateAnswers > 1000)
  }

  @Test("If one member answers within half of the lease, the lease is never lost")
  func liveness() {
    var lateAnswers = 0
    for seed in 1...150 as ClosedRange<UInt64> {
      var world = World(seed: seed, hasGoodMember: true)
      world.run(leases: 40)
      #expect(world.violations == [], "seed \(seed)")
      #expect(world.rule.lease != nil)
      lateAnswers += world.lateAnswers
    }
    #expect(lateAnswers > 1000)
  }
}
