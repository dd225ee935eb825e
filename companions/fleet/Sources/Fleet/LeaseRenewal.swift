/// The lease of this process, as a value: it obtains a lease, renews it, and obtains another one when it has ended.
///
/// Each member of etcd may be slow or silent. So an answer counts from when its renewal was sent, however late it comes, and a stream isn't
/// closed while the only answer under way may be its own. A member that answers within half of the lease keeps it.
///
/// Invariants:
///
/// 1. ``LeaseRenewal/lease`` ends before etcd's lease: its end is counted from the sending of a renewal that etcd has answered, less
///    the drift.
/// 2. A lease that was lost is never held again, and an answer about it changes nothing.
/// 3. While the supervisor is silent, nothing is renewed or obtained.
package struct LeaseRenewal: Sendable, Hashable {
  /// Why etcd hasn't granted or renewed a lease.
  package struct Failure: Sendable, Hashable {
    package var reason: String
    /// Whether a later attempt may succeed.
    package var mayPass: Bool
    /// Whether etcd has denied access, which is reported elsewhere.
    package var isDenied: Bool

    package init(_ reason: String, mayPass: Bool = true, isDenied: Bool = false) {
      self.reason = reason
      self.mayPass = mayPass
      self.isDenied = isDenied
    }
  }

  package enum Event: Sendable, Hashable {
    case began
    /// etcd has created a lease, by a request that was sent then; this member has answered.
    case granted(lease: Int, sent: Duration, member: Int)
    case notGranted(Failure)
    /// etcd has answered a renewal that was sent then: the lease lasts for at least as many seconds; 0 if it has ended.
    case answered(stream: Int, lease: Int, sent: Duration, seconds: Int)
    /// A stream has ended; without a failure if the member has ended it.
    case streamEnded(Int, Failure?)
    /// etcd says that this lease doesn't exist.
    case missed(lease: Int)
    /// Other requests are sent to this member first.
    case preferred(member: Int)
    /// Programs that act under the lease need that time to stop.
    case allowed(cancelGrace: Duration)
    /// Something needs a longer lease.
    case demanded
    /// This host has to give up its lease.
    case abandoned
    /// The supervisor has answered a ping that was sent then, or has just been connected.
    case supervisorAnswered(sent: Duration)
    /// The connection to the supervisor has ended, which is reported elsewhere.
    case supervisorLeft
    /// This process renews nothing more: the lease runs out.
    case stopped
    /// This process needs its lease no more.
    case gaveUp
    /// The moment ``LeaseRenewal/due`` has come.
    case passed
  }

  package enum Effect: Sendable, Hashable {
    /// Ask etcd for a lease.
    case grant
    /// Open a stream to this member, and renew the lease over it at once.
    case open(stream: Int, member: Int, lease: Int)
    /// Renew the lease over this stream.
    case renew(stream: Int)
    case close(stream: Int)
    /// Send other requests to this member first.
    case prefer(member: Int)
    /// Tell the users that the lease is new, lasts longer, or has ended for this reason.
    case tell(HeldLease?, reason: String)
    /// Tell the users to stop what acts under the lease, because it isn't renewed, for this reason.
    case expire(reason: String)
    case revoke(lease: Int)
    /// Log it for people.
    case say(String)
    /// Log it for people: they may have to do something.
    case warn(String)
  }

  private struct Stream: Sendable, Hashable {
    var number: Int
    var member: Int
  }

  /// A lease, and the round of its renewal: one member after the other is asked, until one has answered.
  private struct Holding: Sendable, Hashable {
    var lease: HeldLease
    /// When the renewal was sent from which the lease counts.
    var renewed: Duration
    var streams: [Stream] = []
    /// When the round has begun.
    var begun: Duration
    /// Whether a renewal of this round is answered.
    var isAnswered = true
    /// The members that were asked in this round, and when the last one was asked.
    var asked: [Int] = []
    var lastAsked = Duration.zero
    /// The members that have answered since the round has begun, perhaps to an earlier round.
    var answering: [Int] = []
    /// How much earlier than necessary the next round begins, as a share of the interval.
    var share: Double
    /// When the next round begins, after a failure.
    var retry: Duration?
    /// When the first renewal was sent that has no answer yet.
    var waiting: Duration?
    /// Whether a failure since then says why.
    var isExplained = false
    /// Whether the programs that act under the lease were told to stop since the last renewal.
    var isExpiring = false
    /// Whether the next round waits for the supervisor.
    var isHeldBack = false
  }

  private enum State: Sendable, Hashable {
    case idle
    case granting
    case pausing(until: Duration)
    /// There is no lease, because the supervisor is silent.
    case heldBack
    case holding(Holding)
    /// Nothing is renewed any more; this lease may not have ended.
    case over(lease: Int?)
  }

  private let timeToLive: Duration
  /// The number of the cluster's members.
  private let members: Int
  private var state = State.idle
  private var cancelGrace = Duration.zero
  /// The member that is asked first.
  private var preferred = 0
  private var lastStream = 0
  /// When the ping was sent that the supervisor has answered last; nil without a connection to it.
  private var heartbeat: Duration?
  /// Why this host has no lease, or why the lease isn't renewed.
  package private(set) var trouble = "this host has no lease yet"
  /// Whether the trouble was reported.
  private var isTroubled = false
  /// Whether this host has had a lease.
  private var hasHeld = false
  private var jitter: Jitter

  /// Creates the renewal of leases that last that long without a renewal; `began` starts it.
  ///
  /// `members` is the number of the cluster's members. `seed` makes the pauses differ from those of other hosts.
  package init(timeToLive: Duration, members: Int, seed: UInt64) {
    self.timeToLive = timeToLive
    self.members = members
    jitter = Jitter(seed: seed)
  }

  /// The lease in the form for programs that act under it; nil if there is none.
  package var lease: HeldLease? {
    guard case .holding(let holding) = state else { return nil }
    return holding.lease
  }

  /// When to report `passed`; nil for never.
  package var due: Duration? {
    switch state {
    case .idle, .granting, .heldBack, .over: return nil
    case .pausing(let until): return until
    case .holding(let holding):
      if holding.isHeldBack { return holding.lease.end }
      return [holding.lease.end, nextRound(holding), nextMember(holding), nextDoubt(holding), nextExpiry(holding)]
        .compactMap(\.self).min()
    }
  }

  // MARK: The times

  /// How much earlier etcd may end a lease than this host's clock says.
  package var drift: Duration { terms.drift }

  private var terms: LeaseTerms { LeaseTerms(timeToLive: timeToLive) }

  /// The interval between renewals: programs that act under the lease must get a new end before they begin to stop.
  private var interval: Duration {
    max(min(timeToLive / 3, (timeToLive - drift - cancelGrace) / 2), .milliseconds(200))
  }

  /// How long an answer may take before the next member is asked.
  ///
  /// All members are asked within a tenth of the lease, so one that answers within half of the lease saves it.
  private var patience: Duration {
    min(timeToLive / 10, interval / 2, .seconds(3)) / max(members - 1, 1)
  }

  /// When the next round begins.
  ///
  /// It begins even if no answer has come: an answer that takes longer than the interval would otherwise come too late to renew again.
  private func nextRound(_ holding: Holding) -> Duration {
    // Hosts that have started together must not renew together indefinitely.
    let regular = holding.begun + interval * (1 - holding.share)
    return holding.retry.map { min($0, regular) } ?? regular
  }

  private func nextMember(_ holding: Holding) -> Duration? {
    holding.isAnswered || holding.asked.count >= members ? nil : holding.lastAsked + patience
  }

  /// When a missing answer is reported: half of what was left of the lease is gone.
  private func nextDoubt(_ holding: Holding) -> Duration? {
    guard let waiting = holding.waiting, !holding.isExplained else { return nil }
    return waiting + (holding.lease.end - waiting) / 2
  }

  /// When programs that act under the lease are told to stop: shortly before the supervisor stops them by itself, which doesn't know why.
  private func nextExpiry(_ holding: Holding) -> Duration? {
    guard let waiting = holding.waiting, !holding.isExpiring else { return nil }
    let expiry = holding.lease.end - cancelGrace - LeaseTerms.margin - .milliseconds(50)
    // Later it is useless, e.g. if the lease wasn't renewed because the supervisor was silent.
    return expiry > waiting ? expiry : nil
  }

  /// Whether the supervisor hasn't answered for as long as a lease.
  private func isSilent(_ now: Duration) -> Bool { heartbeat.map { now - $0 > timeToLive } ?? false }

  private var silence: String { "the supervisor hasn't answered for \(timeToLive.words)" }

  // MARK: Events

  /// Handles an event.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .began:
      guard case .idle = state else { return [] }
      return obtain(now)
    case .granted(let lease, let sent, let member): return granted(lease, sent, member, now)
    case .notGranted(let failure):
      guard case .granting = state else { return [] }
      state = .pausing(until: now + .milliseconds(300) + .milliseconds(400) * jitter.next())
      return record(failure) + [.tell(nil, reason: trouble)]
    case .answered(let stream, let lease, let sent, let seconds): return answered(stream, lease, sent, seconds, now)
    case .streamEnded(let stream, let failure): return streamEnded(stream, failure, now)
    case .missed(let lease):
      guard self.lease?.id == lease else { return [] }
      return lose("the lease of this host has ended", now)
    case .preferred(let member):
      preferred = member
      return []
    case .allowed(let cancelGrace): return allow(cancelGrace)
    case .demanded: return prolong(now)
    case .abandoned: return lose("this host has given up its lease", now)
    case .supervisorAnswered(let sent):
      heartbeat = max(heartbeat ?? sent, sent)
      return resume(now)
    case .supervisorLeft:
      heartbeat = nil
      return resume(now)
    case .stopped: return stop()
    case .gaveUp:
      let effects = stop()
      guard case .over(let lease?) = state else { return effects }
      state = .over(lease: nil)
      return effects + [.revoke(lease: lease)]
    case .passed: return passed(now)
    }
  }

  private mutating func passed(_ now: Duration) -> [Effect] {
    switch state {
    case .idle, .granting, .heldBack, .over: return []
    case .pausing(let until): return now < until ? [] : obtain(now)
    case .holding(let holding):
      if now >= holding.lease.end {
        return lose("\(holding.isHeldBack ? silence : trouble), and the lease of this host has ended", now)
      }
      return doubt(now) + expire(now) + ask(now)
    }
  }

  // MARK: Obtaining

  private mutating func obtain(_ now: Duration) -> [Effect] {
    if isSilent(now) {
      state = .heldBack
      trouble = silence
      return []
    }
    state = .granting
    return [.grant]
  }

  private mutating func granted(_ lease: Int, _ sent: Duration, _ member: Int, _ now: Duration) -> [Effect] {
    guard case .granting = state else { return [] }
    preferred = member
    let end = sent + timeToLive - drift
    guard end > now else {
      // Another member was asked first, or this process was stopped.
      state = .pausing(until: now + .milliseconds(300) + .milliseconds(400) * jitter.next())
      return [.revoke(lease: lease)]
    }
    hasHeld = true
    let held = HeldLease(id: lease, end: end, freshUntil: sent + interval)
    state = .holding(Holding(lease: held, renewed: sent, begun: sent, share: 0.1 * jitter.next()))
    return recover() + [.tell(held, reason: "")]
  }

  private mutating func lose(_ reason: String, _ now: Duration) -> [Effect] {
    guard case .holding(let holding) = state else { return [] }
    trouble = reason
    state = .pausing(until: now + .milliseconds(200) + .milliseconds(200) * jitter.next())
    return holding.streams.map { .close(stream: $0.number) } + [.tell(nil, reason: reason)]
  }

  private mutating func stop() -> [Effect] {
    guard case .holding(let holding) = state else {
      if case .over = state { return [] }
      state = .over(lease: nil)
      return []
    }
    state = .over(lease: holding.lease.id)
    return holding.streams.map { .close(stream: $0.number) }
  }

  // MARK: Renewing

  /// Begins the next round, or asks the next member, if it is time and the supervisor answers.
  private mutating func ask(_ now: Duration) -> [Effect] {
    guard case .holding(var holding) = state, !holding.isHeldBack else { return [] }
    let isNext = now >= nextRound(holding)
    guard isNext || nextMember(holding).map({ now >= $0 }) == true else { return [] }
    if isSilent(now) {
      holding.isHeldBack = true
      state = .holding(holding)
      trouble = silence
      return [.warn("\(silence): its lease isn't renewed; check whether it hangs")]
    }
    let effects = isNext ? begin(&holding, now) : askNext(&holding, now)
    state = .holding(holding)
    return effects
  }

  /// Begins a round.
  private mutating func begin(_ holding: inout Holding, _ now: Duration) -> [Effect] {
    var effects: [Effect] = []
    // The member that was asked first has said nothing in a whole round, and another one has answered.
    if holding.asked.contains(preferred), !holding.answering.contains(preferred), let other = holding.answering.last {
      preferred = other
      effects.append(.prefer(member: other))
    }
    // If the last round has no answer, one may be under way over any stream.
    if holding.isAnswered {
      effects += holding.streams.filter { $0.member != preferred }.map { .close(stream: $0.number) }
      holding.streams.removeAll { $0.member != preferred }
    }
    holding.begun = now
    holding.isAnswered = false
    holding.asked = []
    holding.answering = []
    holding.share = 0.1 * jitter.next()
    holding.retry = nil
    holding.waiting = holding.waiting ?? now
    return effects + [renew(at: preferred, &holding, now)]
  }

  private mutating func askNext(_ holding: inout Holding, _ now: Duration) -> [Effect] {
    let others = (0..<members).map { (preferred + $0) % members }
    guard let next = others.first(where: { !holding.asked.contains($0) }) else { return [] }
    return [renew(at: next, &holding, now)]
  }

  private mutating func renew(at member: Int, _ holding: inout Holding, _ now: Duration) -> Effect {
    holding.asked.append(member)
    holding.lastAsked = now
    if let stream = holding.streams.first(where: { $0.member == member }) { return .renew(stream: stream.number) }
    lastStream += 1
    holding.streams.append(Stream(number: lastStream, member: member))
    return .open(stream: lastStream, member: member, lease: holding.lease.id)
  }

  private mutating func prolong(_ now: Duration) -> [Effect] {
    guard case .holding(var holding) = state, !holding.isHeldBack, !isSilent(now) else { return [] }
    // In a round without an answer, the next members are asked in time.
    if !holding.isAnswered, let stream = holding.streams.first(where: { $0.member == preferred }) {
      return [.renew(stream: stream.number)]
    }
    let effects = begin(&holding, now)
    state = .holding(holding)
    return effects
  }

  private mutating func answered(
    _ stream: Int, _ lease: Int, _ sent: Duration, _ seconds: Int, _ now: Duration
  ) -> [Effect] {
    guard case .holding(var holding) = state, holding.lease.id == lease else { return [] }
    guard seconds > 0 else { return lose("the lease of this host has ended", now) }
    if let member = holding.streams.first(where: { $0.number == stream })?.member { holding.answering.append(member) }
    if sent >= holding.begun { holding.isAnswered = true }
    let end = sent + min(.seconds(seconds), timeToLive) - drift
    // Answers of several streams may come in any order.
    guard end > holding.lease.end else {
      state = .holding(holding)
      return []
    }
    holding.renewed = sent
    holding.lease = HeldLease(id: lease, end: end, freshUntil: sent + interval)
    holding.waiting = holding.isAnswered ? nil : holding.begun
    holding.isExplained = false
    holding.isExpiring = false
    state = .holding(holding)
    return recover() + [.tell(holding.lease, reason: "")]
  }

  private mutating func streamEnded(_ stream: Int, _ failure: Failure?, _ now: Duration) -> [Effect] {
    guard case .holding(var holding) = state,
      let place = holding.streams.firstIndex(where: { $0.number == stream })
    else { return [] }
    let member = holding.streams.remove(at: place).member
    // Another member has answered this round, so this one isn't needed.
    if holding.isAnswered, member != preferred {
      state = .holding(holding)
      return []
    }
    if failure != nil { holding.isExplained = true }
    var effects: [Effect] = []
    if !holding.isAnswered, holding.asked.count < members, !holding.isHeldBack, !isSilent(now) {
      effects = askNext(&holding, now)
    } else if holding.isAnswered || holding.streams.isEmpty {
      let soon = now + .milliseconds(200) + .milliseconds(200) * jitter.next()
      holding.retry = holding.retry.map { min($0, soon) } ?? soon
    }
    state = .holding(holding)
    return (failure.map { record($0) } ?? []) + effects
  }

  private mutating func allow(_ cancelGrace: Duration) -> [Effect] {
    self.cancelGrace = cancelGrace
    var effects: [Effect] = []
    if case .holding(var holding) = state {
      // The interval has changed.
      holding.lease = HeldLease(
        id: holding.lease.id, end: holding.lease.end, freshUntil: holding.renewed + interval)
      state = .holding(holding)
      effects.append(.tell(holding.lease, reason: ""))
    }
    guard !terms.fits(cancelGrace: cancelGrace) else { return effects }
    let remedy = LeaseTerms.remedy(cancelGrace: cancelGrace)
    return effects + [.warn("runs may be stopped too early: \(terms.misfit(cancelGrace: cancelGrace)); \(remedy)")]
  }

  /// Continues what has waited for the supervisor, if it isn't silent any more.
  private mutating func resume(_ now: Duration) -> [Effect] {
    guard !isSilent(now) else { return [] }
    switch state {
    case .heldBack: return obtain(now)
    case .holding(var holding) where holding.isHeldBack && now < holding.lease.end:
      holding.isHeldBack = false
      state = .holding(holding)
      return ask(now)
    case .idle, .granting, .pausing, .holding, .over: return []
    }
  }

  // MARK: Reports

  /// Reports that no answer has come for half of what was left of the lease.
  private mutating func doubt(_ now: Duration) -> [Effect] {
    guard case .holding(var holding) = state, !holding.isHeldBack, let waiting = holding.waiting,
      let doubt = nextDoubt(holding), now >= doubt
    else { return [] }
    holding.isExplained = true
    state = .holding(holding)
    return record(Failure(Self.silence(since: waiting, now)))
  }

  /// Tells the programs that act under the lease to stop, if no answer to the last renewal has come in time.
  private mutating func expire(_ now: Duration) -> [Effect] {
    guard case .holding(var holding) = state, let expiry = nextExpiry(holding), now >= expiry,
      let waiting = holding.waiting
    else { return [] }
    holding.isExpiring = true
    state = .holding(holding)
    let reason = holding.isExplained ? trouble : Self.silence(since: waiting, now)
    return [.expire(reason: reason)]
  }

  private static func silence(since waiting: Duration, _ now: Duration) -> String {
    "etcd can't be reached: no answer to a renewal within \((now - waiting).words)"
  }

  private mutating func record(_ failure: Failure) -> [Effect] {
    trouble = failure.reason
    // Denied access is reported elsewhere; a refused certificate only if it ends the program, at its start.
    guard failure.mayPass, !failure.isDenied || hasHeld, !isTroubled else { return [] }
    isTroubled = true
    return [.warn("\(trouble); trying again")]
  }

  private mutating func recover() -> [Effect] {
    guard isTroubled else { return [] }
    isTroubled = false
    return [.say("etcd answers again")]
  }
}
