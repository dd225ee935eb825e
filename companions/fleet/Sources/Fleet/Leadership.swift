/// A candidate for a leadership, as a value: while it leads, the app of its host is active.
///
/// The candidates' keys are those of etcd's own elections: each is bound to its candidate's lease, and the candidate whose key was created
/// first leads.
///
/// Invariants:
///
/// 1. The app is active for this candidate only by a hold that ends before etcd's lease. The supervisor keeps it, even if
///    this process is stopped.
/// 2. The candidate deletes its key only if it hasn't asked for an activation yet, or the supervisor has said that everything has stopped.
/// 3. It gives up its lease, which deletes the key as well, under the same condition. Otherwise the lease runs out by itself.
/// 4. It campaigns only with a lease that its supervisor accepts, if the lease is fresh.
package struct Leadership: Sendable, Hashable {
  /// A key of the leadership.
  package struct Candidacy: Sendable, Hashable {
    package var key: String
    /// The revision at which the key was created.
    package var created: Int
    /// Whether the key is this candidate's, bound to the lease with which it campaigned.
    package var isOwn: Bool

    package init(key: String, created: Int, isOwn: Bool) {
      self.key = key
      self.created = created
      self.isOwn = isOwn
    }
  }

  /// Why the supervisor doesn't hold the app active, or no longer.
  package enum Loss: Sendable, Hashable {
    /// The connection is lost, so the app may still be active.
    case connection(String)
    /// The activation has failed, or the app was deactivated.
    case inactive(String)
    /// The supervisor has ended, and with it everything that it ran.
    case shutdown
  }

  /// Why the supervisor hasn't activated the app.
  package enum Refusal: Sendable, Hashable {
    /// No supervisor can be reached.
    case unreachable(String)
    /// The supervisor's answer is lost, so it may have activated the app.
    case unanswered(String)
    /// The supervisor doesn't activate the app, e.g. because little of the lease was left.
    case other(String)
  }

  package enum Event: Sendable, Hashable {
    /// The candidate begins.
    case began
    /// This host's lease is new, lasts longer, or has ended for this reason.
    case leaseChanged(HeldLease?, reason: String)
    /// A supervisor answers. Its runs take up to `cancelGrace` to stop; nil if it doesn't tell that.
    case supervisorFound(cancelGrace: Duration?)
    /// No supervisor answers.
    case supervisorMissing
    /// The candidates' keys, at this revision.
    case listed([Candidacy], revision: Int)
    /// etcd hasn't answered.
    case unanswered
    /// A followed key has changed, or changes may have been missed.
    case changed
    /// The supervisor holds the app active.
    case held
    case refused(Refusal)
    case lost(Loss)
    /// All runs have stopped.
    case stopped
    /// Whether everything has stopped is unknown.
    case notStopped
    /// The candidate's key is gone.
    case deleted
    /// This program ends.
    case resigned
    /// This program ends and doesn't wait: the user is impatient, or etcd denies access.
    case cancelled
    /// The moment ``Leadership/due`` has come.
    case passed
  }

  package enum Effect: Sendable, Hashable {
    /// Look whether a supervisor answers, and ask it for its `cancelGrace`.
    case findSupervisor
    /// Renew the lease so often that the supervisor has this time to stop everything.
    case allow(cancelGrace: Duration)
    /// Create this candidate's key, bound to the lease, unless the key exists; then list all keys.
    case campaign(lease: Int)
    /// Report a change of one of these keys after the revision.
    case follow([String], after: Int)
    case stopFollowing
    /// Renew the lease now.
    case prolong
    /// Have the supervisor hold the app active, with the fencing token of this leadership.
    case hold(until: Duration, fence: Int)
    case renew(until: Duration)
    /// Deactivate the app, and wait until everything has stopped.
    case deactivate
    /// Close the connection that has the hold.
    case drop
    /// Delete this candidate's key, if it was created at this revision.
    case delete(created: Int)
    /// Let the lease run out, and get another lease.
    case abandonLease
    /// End the lease when the program ends: nothing is active under it.
    case giveUpLease
    /// Log it for people.
    case say(String)
    /// Log it for people: they may have to do something.
    case warn(String)
    /// The candidate has ended; with the supervisor's `cancelGrace` if that is too long for any lease with these options.
    case end(misfit: Duration?)
  }

  private enum State: Sendable, Hashable {
    /// The candidate looks for a supervisor.
    case seeking
    /// The candidate waits for a lease.
    case waiting
    case asking(lease: Int)
    case following
    /// The candidate is elected, and renews its lease before it activates the app: the supervisor refuses a hold that isn't longer than its
    /// `cancelGrace`.
    case prolonging(created: Int, lease: HeldLease)
    case activating(created: Int, lease: HeldLease)
    case leading(created: Int, lease: Int)
    /// The candidate deactivates the app.
    case stopping(created: Int, isFine: Bool)
    /// The candidate deletes its key.
    case resigning(created: Int, isFine: Bool, end: Duration, retry: Duration?)
    case pausing(until: Duration)
    case over
  }

  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)
  private static let retryPause = Duration.milliseconds(300)

  private let name: String
  private let timeToLive: Duration
  private var state = State.seeking
  private var lease: HeldLease?
  private var isEnding = false
  /// The `cancelGrace` that the supervisor has told.
  private var cancelGrace: Duration?
  /// The `cancelGrace` that is too long for any lease with these options.
  private var misfit: Duration?
  /// Whether the log says that this candidate waits.
  private var hasSaidThatItWaits = false
  /// The pause after a failed leadership: another host is to have its turn.
  private var pause = Leadership.firstPause
  private var jitter: Jitter

  /// Creates a candidate for the leadership with this name; `began` starts it.
  ///
  /// `timeToLive` is how long a lease lasts without a renewal. `seed` makes the pauses differ from those of other hosts.
  package init(_ name: String, timeToLive: Duration, seed: UInt64) {
    self.name = name
    self.timeToLive = timeToLive
    jitter = Jitter(seed: seed)
  }

  /// Whether the candidate has ended.
  package var isOver: Bool { state == .over }

  /// When to report `passed`; nil for never.
  package var due: Duration? {
    switch state {
    case .pausing(let until): until
    case .resigning(_, _, _, let retry): retry
    case .seeking, .waiting, .asking, .following, .prolonging, .activating, .leading, .stopping, .over: nil
    }
  }

  /// Whether the app may be active under the lease that this host has.
  private var mayBeActive: Bool {
    switch state {
    case .activating, .leading, .stopping: true
    case .seeking, .waiting, .asking, .following, .prolonging, .resigning, .pausing, .over: false
    }
  }

  /// Handles an event.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .began: return state == .seeking ? [.findSupervisor] : []
    case .leaseChanged(let lease, let reason): return changeLease(lease, reason, now)
    case .supervisorFound(let grace): return found(grace)
    case .supervisorMissing:
      guard case .seeking = state else { return [] }
      state = .pausing(until: now + .seconds(1))
      return []
    case .listed(let all, let revision): return list(all, revision, now)
    case .unanswered: return unanswered(now)
    case .changed:
      guard case .following = state else { return [] }
      return [.stopFollowing] + campaign()
    case .held: return held(now)
    case .refused(let refusal): return refused(refusal, now)
    case .lost(let loss): return lost(loss, now)
    case .stopped:
      guard case .stopping(let created, let isFine) = state else { return [] }
      return delete(created, isFine, now)
    case .notStopped:
      guard case .stopping(_, let isFine) = state else { return [] }
      return [.abandonLease] + next(isFine, now)
    case .deleted:
      guard case .resigning(_, let isFine, _, _) = state else { return [] }
      return next(isFine, now)
    case .resigned: return resign(now)
    case .cancelled: return cancel()
    case .passed: return passed(now)
    }
  }

  // MARK: The campaign

  /// Begins again, or ends.
  ///
  /// `isFine` is false if other hosts should try first.
  private mutating func next(_ isFine: Bool, _ now: Duration) -> [Effect] {
    if isEnding { return end() }
    if isFine {
      pause = Self.firstPause
      state = .seeking
      return [.drop, .findSupervisor]
    }
    state = .pausing(until: now + pause)
    pause = min(pause * 2, Self.longestPause)
    return [.drop]
  }

  private mutating func end() -> [Effect] {
    let ending: [Effect] = mayBeActive ? [] : [.giveUpLease]
    state = .over
    return [.drop] + ending + [.end(misfit: misfit)]
  }

  private mutating func found(_ grace: Duration?) -> [Effect] {
    guard case .seeking = state else { return [] }
    guard let grace, grace != cancelGrace else { return campaign() }
    // With a shorter lease, each leadership would end before its lease is renewed.
    guard LeaseTerms(timeToLive: timeToLive).fits(cancelGrace: grace) else {
      misfit = grace
      return end()
    }
    cancelGrace = grace
    return [.allow(cancelGrace: grace)] + campaign()
  }

  private mutating func campaign() -> [Effect] {
    guard let lease else {
      state = .waiting
      return []
    }
    state = .asking(lease: lease.id)
    return [.campaign(lease: lease.id)]
  }

  private mutating func list(_ all: [Candidacy], _ revision: Int, _ now: Duration) -> [Effect] {
    guard case .asking(let bound) = state else { return [] }
    let own = all.first { $0.isOwn }
    if isEnding { return own.map { delete($0.created, true, now) } ?? next(true, now) }
    guard let lease, lease.id == bound, let own else { return campaign() }
    let before = all.filter { $0.created < own.created }.max { $0.created < $1.created }
    if let before {
      state = .following
      let words: [Effect] = hasSaidThatItWaits ? [] : [.say("waits to lead \(name)")]
      hasSaidThatItWaits = true
      return [.follow([before.key, own.key], after: revision)] + words
    }
    hasSaidThatItWaits = false
    state = .prolonging(created: own.created, lease: lease)
    return [.prolong]
  }

  private mutating func activate(_ created: Int, _ lease: HeldLease) -> [Effect] {
    state = .activating(created: created, lease: lease)
    return [.hold(until: lease.end, fence: created)]
  }

  private mutating func unanswered(_ now: Duration) -> [Effect] {
    switch state {
    case .asking:
      // The lease is ended with the program, and a key with it.
      if isEnding { return next(true, now) }
      state = .pausing(until: now + .milliseconds(300) + .milliseconds(400) * jitter.next())
      return []
    case .resigning(let created, let isFine, let end, _):
      guard now < end else { return next(isFine, now) }
      state = .resigning(created: created, isFine: isFine, end: end, retry: now + Self.retryPause)
      return []
    case .seeking, .waiting, .following, .prolonging, .activating, .leading, .stopping, .pausing, .over: return []
    }
  }

  private mutating func changeLease(_ new: HeldLease?, _ reason: String, _ now: Duration) -> [Effect] {
    lease = new
    switch state {
    case .waiting: return new == nil ? [] : campaign()
    case .following where new == nil: return [.stopFollowing] + campaign()
    case .prolonging(let created, let old):
      guard let new, new.id == old.id else { return campaign() }
      return new.end > old.end ? activate(created, new) : []
    case .leading(_, let id):
      guard let new, new.id == id else { return stepDown(reason, isFine: true) }
      return [.renew(until: new.end)]
    case .seeking, .asking, .following, .activating, .stopping, .resigning, .pausing, .over: return []
    }
  }

  // MARK: The leadership

  private mutating func held(_ now: Duration) -> [Effect] {
    guard case .activating(let created, let old) = state else { return [] }
    let id = old.id
    state = .leading(created: created, lease: id)
    let words: [Effect] = [.say("leads \(name)")]
    if isEnding { return words + stepDown("this host resigns", isFine: true) }
    guard let lease, lease.id == id else { return words + stepDown("the lease of this host has ended", isFine: true) }
    return words + [.renew(until: lease.end)]
  }

  private mutating func refused(_ refusal: Refusal, _ now: Duration) -> [Effect] {
    guard case .activating(let created, _) = state else { return [] }
    switch refusal {
    case .unreachable: return delete(created, true, now)
    case .unanswered(let reason): return [leaves(reason), .abandonLease] + next(true, now)
    // If the lease was too short, a fresh one may not be. A changed `cancelGrace` is noticed before the next campaign.
    case .other(let reason): return [leaves(reason)] + delete(created, false, now)
    }
  }

  private mutating func lost(_ loss: Loss, _ now: Duration) -> [Effect] {
    guard case .leading(let created, _) = state else { return [] }
    switch loss {
    case .connection(let reason): return stepDown(reason, isFine: true)
    case .inactive(let reason): return stepDown(reason, isFine: false)
    case .shutdown: return [leaves("the supervisor has ended")] + delete(created, true, now)
    }
  }

  private func leaves(_ reason: String) -> Effect {
    let words = "doesn't lead \(name) any more: \(reason)"
    return isEnding ? .say(words) : .warn(words)
  }

  /// Stops everything before the key is deleted.
  private mutating func stepDown(_ reason: String, isFine: Bool) -> [Effect] {
    guard case .leading(let created, _) = state else { return [] }
    state = .stopping(created: created, isFine: isFine)
    return [leaves(reason), .deactivate]
  }

  /// Lets the next candidate lead: nothing runs here.
  private mutating func delete(_ created: Int, _ isFine: Bool, _ now: Duration) -> [Effect] {
    state = .resigning(created: created, isFine: isFine, end: now + timeToLive, retry: nil)
    return [.delete(created: created)]
  }

  private mutating func resign(_ now: Duration) -> [Effect] {
    isEnding = true
    switch state {
    case .seeking, .waiting, .pausing: return next(true, now)
    // The lease is ended with the program, and the key with it.
    case .following: return [.stopFollowing] + next(true, now)
    case .prolonging(let created, _): return delete(created, true, now)
    case .leading: return stepDown("this host resigns", isFine: true)
    case .asking, .activating, .stopping, .resigning, .over: return []
    }
  }

  private mutating func cancel() -> [Effect] {
    guard state != .over else { return [] }
    let warning: [Effect] =
      mayBeActive ? [.warn("ends while its app may be active: another host can lead when the lease has ended")] : []
    return warning + end()
  }

  private mutating func passed(_ now: Duration) -> [Effect] {
    guard let due, due <= now else { return [] }
    switch state {
    case .pausing:
      state = .seeking
      return [.findSupervisor]
    case .resigning(let created, let isFine, let end, _):
      state = .resigning(created: created, isFine: isFine, end: end, retry: nil)
      return [.delete(created: created)]
    case .seeking, .waiting, .asking, .following, .prolonging, .activating, .leading, .stopping, .over: return []
    }
  }
}
