/// The claim of a run for an initializer that runs once for a release: a value.
///
/// Events go in, and effects come out. The caller carries the effects out, and reports their results as events.
///
/// Invariants:
///
/// 1. `allow` is returned at most once, only while the claim's key is this host's and bound to the current lease, and with an end that is
///    earlier than etcd's.
/// 2. The key of an allowed claim is deleted only after the supervisor has reported that the run has stopped, or when the lease would have
///    ended.
/// 3. A request may create the key although its answer is lost, also some time later. The claim isn't over before that is known, or the
///    lease would have ended: until then, other hosts would wait for a key that nobody needs.
/// 4. A completion is recorded until etcd has answered, and only under the fencing token of this run, and confirmed only if it is recorded.
/// 5. The supervisor's question, and its completion, are answered at most once.
package struct OnceClaim: Sendable, Hashable {
  /// What etcd stores about the initializer, at one revision.
  package struct Sight: Sendable, Hashable {
    /// The key of a claim.
    package struct Claim: Sendable, Hashable {
      /// The revision at which the key was created: the fencing token.
      package var created: Int
      /// The lease that the key is bound to.
      package var lease: Int
      /// The value of the key; nil if it can't be read.
      package var record: ClaimRecord?
      /// Whether the key is bound to this host's lease, and belongs to no claim that this host knows.
      package var isAbandoned: Bool

      package init(created: Int, lease: Int, record: ClaimRecord?, isAbandoned: Bool = false) {
        self.created = created
        self.lease = lease
        self.record = record
        self.isAbandoned = isAbandoned
      }
    }

    /// A completion.
    package enum Done: Sendable, Hashable {
      case recorded(DoneRecord)
      /// The value of this key can't be read.
      case unreadable(key: String)
    }

    package var revision: Int
    package var claim: Claim?
    package var done: Done?
    package var failed: FailureRecord?

    package init(revision: Int, claim: Claim? = nil, done: Done? = nil, failed: FailureRecord? = nil) {
      self.revision = revision
      self.claim = claim
      self.done = done
      self.failed = failed
    }
  }

  /// A request to etcd.
  package enum Request: Sendable, Hashable { case ask, record, delete }

  /// How etcd has refused a request.
  package enum Refusal: Sendable, Hashable {
    /// etcd has no space: it only accepts requests that delete keys and write none.
    case full
    /// etcd doesn't allow this host to use the keys at the moment: an operator may allow it again.
    case denied
    /// etcd won't accept this request later either.
    case final
  }

  package enum Event: Sendable, Hashable {
    /// The supervisor asks.
    case began
    /// This host's lease is new, lasts longer, or has ended for this reason.
    case leaseChanged(HeldLease?, reason: String)
    /// This host's lease isn't renewed, for this reason, and what acts under it must stop.
    case leaseExpires(reason: String)
    /// etcd has created the key of this claim, at this revision.
    case created(revision: Int)
    /// etcd has answered with the keys of the initializer.
    case seen(Sight)
    /// etcd has recorded the completion, or had done so before; or the key was no longer this claim's.
    case recorded(Bool)
    /// The key isn't this claim's any more.
    case deleted
    /// The request has failed; unless etcd has refused it, it may have been executed.
    case unanswered(Request, reason: String, Refusal?)
    /// The followed key has this value.
    case followed(Sight.Claim)
    /// The followed key is gone.
    case vacated
    /// Another host has completed the initializer.
    case completedElsewhere(Sight.Done)
    /// Changes may have been missed.
    case doubted
    /// The run reports its progress.
    case progressed(String?)
    /// The run has completed.
    case completed(output: String?, isSecret: Bool)
    /// The claim has ended without a completion.
    case ended(failure: String?, hasStopped: Bool)
    /// The connection to the supervisor is lost, and whether its process has ended.
    case disconnected(hasEnded: Bool)
    /// This agent ends, so it must give up the claim.
    case withdrawn(reason: String)
    /// The moment ``OnceClaim/due`` has come.
    case passed
  }

  package enum Effect: Sendable, Hashable {
    /// Create the key, bound to this lease, unless it exists.
    ///
    /// If the initializer is already complete, create it only if each host must run the initializer. Or look.
    case claim(lease: Int, evenIfDone: Bool)
    /// Look, without writing anything.
    case look
    /// Record the completion, and delete the key, if the key is this claim's.
    case record(fence: Int, output: String?, isSecret: Bool)
    /// Delete the key if it was created at this revision, and record the failure if there is one.
    case delete(created: Int, failure: String?)
    /// Write the progress into the key.
    case write(progress: String?, fence: Int, lease: Int)
    /// Report changes of the keys after this revision.
    case follow(after: Int)
    case stopFollowing
    /// Renew the lease now.
    case prolong
    /// Answer the supervisor.
    case allow(fence: Int, until: Duration)
    case skip(output: String?, by: DoneRecord)
    case confirm
    case fail(String)
    /// Tell the supervisor.
    case report(String)
    /// Another host runs the initializer: the timeout here must not end the wait.
    case extend(by: Duration)
    case renew(until: Duration)
    case revoke(String)
    /// Log the state of the initializer, and the reason why it waits.
    case log(String)
    /// Forget the claim: nothing is left to do.
    case finish
  }

  private enum State: Sendable, Hashable {
    /// The claim waits for a lease.
    case waiting
    /// A request is under way; it may create a key that is bound to this lease.
    case asking(lease: Int)
    /// The claim asks again at that time.
    case pausing(until: Duration)
    /// Another host has the claim.
    case following(created: Int, failure: FailureRecord?)
    /// This host has the key, and needs a longer lease before the run begins.
    case prolonging(fence: Int, lease: Int)
    /// The claim deletes a key of this host that nobody needs.
    case clearing(created: Int)
    /// The supervisor may run the initializer.
    case held(fence: Int, lease: Int)
    /// The run has completed. The supervisor waits for an answer if `isOpen`.
    case recording(fence: Int, output: String?, isSecret: Bool, isOpen: Bool, retry: Duration?)
    /// The claim has ended, but a worker may still work.
    case lingering(fence: Int, until: Duration, failure: String?)
    case deleting(fence: Int, failure: String?, retry: Duration?)
    /// The claim has ended, and a request may have created the key.
    case cleaning(retry: Duration?)
    case over
  }

  private static let firstPause = Duration.milliseconds(500)
  private static let longestPause = Duration.seconds(8)
  private static let retryPause = Duration.milliseconds(300)
  private static let lookPause = Duration.seconds(1)
  /// How long etcd may take to execute a request that it hasn't answered.
  private static let lateness = Duration.seconds(10)
  /// How long a lease lasts at most that this host doesn't renew any more, unless its time to live is longer.
  private static let longestEnd = Duration.seconds(60)
  /// How long it may take to kill the commands of a supervisor that was killed, even on a busy host.
  private static let killing = Duration.seconds(2)
  /// The minimum interval between two records of progress.
  private static let progressPause = Duration.seconds(2)

  /// Identifies the agent's connection to its supervisor, and the run.
  package let owner: String
  private let timeToLive: Duration
  /// The timeout of the initializer.
  private let timeout: Duration?
  /// When the deadline of the wait for another host must be moved again; nil unless another host had the key when etcd last answered.
  private var extensionDue: Duration?
  private var state = State.waiting
  private var lease: HeldLease?
  /// Why this host has no lease; nil before that is known.
  private var trouble: String?
  /// The lease that the claim's key is bound to, if there is a key.
  private var boundLease: Int?
  /// When the key has ended with its lease, at the latest; nil while this host keeps that lease, and the key with it.
  private var keyEnd: Duration?
  /// Until then, a request whose answer was lost may create the key.
  private var uncertainUntil: Duration?
  /// Whether each host must run it, because its output is secret.
  private var isSecret: Bool
  /// Whether another host has the key, as far as this one knows: then a request that may write would only burden etcd.
  private var isTaken = false
  private var isWithdrawn = false
  private var isRevoked = false
  private var pause = OnceClaim.firstPause
  private let endsWithSupervisor: Bool
  private var lastReport: String?
  /// The last progress that the run has reported, and the last that was written.
  private var reportedProgress: String?
  private var writtenProgress: String?
  /// When progress may be written again.
  private var progressDue: Duration?
  private var jitter: Jitter

  /// Creates a claim.
  ///
  /// `timeToLive` is how long a lease lasts without a renewal. `timeout` is the initializer's; nil for none. `endsWithSupervisor` says
  /// whether the work ends if the supervisor is killed. `seed` makes the pauses differ from those of other hosts.
  package init(
    owner: String, isSecret: Bool, lease: HeldLease?, timeToLive: Duration, timeout: Duration? = nil,
    endsWithSupervisor: Bool = false, seed: UInt64
  ) {
    self.timeout = timeout
    self.endsWithSupervisor = endsWithSupervisor
    self.owner = owner
    self.isSecret = isSecret
    self.lease = lease
    self.timeToLive = timeToLive
    jitter = Jitter(seed: seed)
  }

  /// When to report `passed`; nil for never.
  package var due: Duration? { [ownDue, extensionDue].compactMap(\.self).min() }

  /// When the state itself ends.
  private var ownDue: Duration? {
    switch state {
    case .pausing(let until), .lingering(_, let until, _): until
    case .held: reportedProgress != writtenProgress ? progressDue : nil
    case .recording(_, _, _, _, let retry), .deleting(_, _, let retry), .cleaning(let retry): retry
    case .waiting, .asking, .following, .prolonging, .clearing, .over: nil
    }
  }

  /// Whether the supervisor, or a worker that it has lost, may be working for this claim.
  package var mayWork: Bool {
    switch state {
    case .held, .lingering: true
    case .waiting, .asking, .pausing, .following, .prolonging, .clearing, .recording, .deleting, .cleaning, .over: false
    }
  }

  /// The fencing token of the run that the supervisor may execute, or has completed.
  package var fence: Int? {
    switch state {
    case .held(let fence, _), .recording(let fence, _, _, _, _): fence
    case .waiting, .asking, .pausing, .following, .prolonging, .clearing, .lingering, .deleting, .cleaning, .over: nil
    }
  }

  /// Whether a run has completed, and etcd hasn't recorded that: the key must stay.
  package var isRecording: Bool { if case .recording = state { true } else { false } }

  /// Whether the agent should wait for this claim before it ends.
  package var isBusy: Bool {
    switch state {
    case .held, .recording, .deleting, .prolonging, .asking, .clearing: true
    case .waiting, .pausing, .following, .lingering, .cleaning, .over: false
    }
  }

  /// Handles an event.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .began: return ask(now)
    case .leaseChanged(let lease, let reason): return changeLease(lease, reason, now)
    case .leaseExpires(let reason): return revoke(reason)
    case .created(let revision): return own(revision, now)
    case .seen(let sight): return see(sight, now)
    case .recorded(let isOurs): return recorded(isOurs, now)
    case .deleted: return deleted(now)
    case .unanswered(let request, let reason, let refusal): return unanswered(request, reason, refusal, now)
    case .followed(let claim): return follow(claim, now)
    case .vacated: return vacated(now)
    case .completedElsewhere(let done): return completedElsewhere(done, now)
    case .doubted:
      guard case .following = state else { return [] }
      return [.stopFollowing] + ask(now)
    case .progressed(let text):
      reportedProgress = text
      return writeProgress(now)
    case .completed(let output, let isSecret):
      guard case .held(let fence, _) = state else { return [.fail("this agent doesn't have the claim")] }
      state = .recording(fence: fence, output: output, isSecret: isSecret, isOpen: true, retry: nil)
      return [.record(fence: fence, output: output, isSecret: isSecret)]
    case .ended(let failure, let hasStopped): return ended(failure, hasStopped, now)
    case .disconnected(let hasEnded): return disconnected(hasEnded, now)
    case .withdrawn(let reason): return withdraw(reason, now)
    case .passed: return passed(now)
    }
  }

  // MARK: Asking

  private mutating func ask(_ now: Duration) -> [Effect] {
    guard let lease, !isWithdrawn else {
      state = .waiting
      return isWithdrawn ? [] : reportTrouble()
    }
    state = .asking(lease: lease.id)
    boundLease = lease.id
    keyEnd = nil
    return [isTaken ? .look : .claim(lease: lease.id, evenIfDone: isSecret)]
  }

  private mutating func askSoon(_ now: Duration) {
    isTaken = false
    extensionDue = nil
    // Hosts ask at different times.
    state = .pausing(until: now + .milliseconds(200) * jitter.next())
  }

  private mutating func changeLease(_ new: HeldLease?, _ reason: String, _ now: Duration) -> [Effect] {
    lease = new
    trouble = new == nil ? reason : nil
    if new?.id != boundLease, keyEnd == nil { keyEnd = now + max(timeToLive, Self.longestEnd) }
    switch state {
    case .waiting:
      return new == nil ? reportTrouble() : ask(now)
    // A hung etcd leaves the connection open, and tells no change.
    case .following where new == nil: return [.stopFollowing] + ask(now)
    case .prolonging(let fence, let id):
      guard let new, new.id == id else { return ask(now) }
      return now < new.freshUntil ? allow(fence, new) : []
    case .held(_, let id):
      if let new, new.id == id { return [.renew(until: new.end)] }
      return revoke(reason)
    case .recording(_, _, _, isOpen: true, _):
      return new.map { [.renew(until: $0.end)] } ?? []
    case .asking, .pausing, .following, .clearing, .recording, .lingering, .deleting, .cleaning, .over: return []
    }
  }

  /// Handles that the key belongs to this claim.
  private mutating func own(_ fence: Int, _ now: Duration) -> [Effect] {
    extensionDue = nil
    switch state {
    case .asking(let bound):
      pause = Self.firstPause
      guard !isWithdrawn else { return delete(fence, nil, now) }
      // If that lease has ended in the meantime, so has the key, or it will.
      guard let lease, lease.id == bound else { return ask(now) }
      if now < lease.freshUntil { return allow(fence, lease) }
      state = .prolonging(fence: fence, lease: lease.id)
      return [.prolong]
    case .cleaning: return delete(fence, nil, now)
    case .waiting, .pausing, .following, .prolonging, .clearing, .held, .recording, .lingering, .deleting, .over:
      return []
    }
  }

  private mutating func allow(_ fence: Int, _ lease: HeldLease) -> [Effect] {
    state = .held(fence: fence, lease: lease.id)
    return [.allow(fence: fence, until: lease.end)]
  }

  private mutating func see(_ sight: Sight, _ now: Duration) -> [Effect] {
    if case .cleaning = state {
      if let claim = sight.claim, claim.record?.owner == owner { return delete(claim.created, nil, now) }
      guard isUncertain(now) else { return finish() }
      state = .cleaning(retry: now + Self.lookPause)
      return []
    }
    guard case .asking = state else { return [] }
    pause = Self.firstPause
    if let claim = sight.claim, claim.record?.owner == owner, let lease, claim.lease == lease.id {
      state = .asking(lease: lease.id)
      return own(claim.created, now)
    }
    if isWithdrawn {
      state = .waiting
      return []
    }
    if let claim = sight.claim, claim.isAbandoned {
      // A request that was given up was executed after all.
      state = .clearing(created: claim.created)
      return [.delete(created: claim.created, failure: nil)]
    }
    if let done = sight.done, !isSecret {
      if let effects = skip(done) { return effects }
      return ask(now)
    }
    isTaken = sight.claim != nil
    guard let claim = sight.claim else {
      extensionDue = nil
      return ask(now)
    }
    state = .following(created: claim.created, failure: sight.failed)
    return [.follow(after: sight.revision)] + report(claim.record, sight.failed) + extend(now)
  }

  /// Answers with a completion of another host; returns nil if this host needs a run of its own.
  private mutating func skip(_ done: Sight.Done) -> [Effect]? {
    switch done {
    case .recorded(let record):
      guard !record.isSecret else {
        isSecret = true
        isTaken = false
        return nil
      }
      return [.skip(output: record.output, by: record)] + finish()
    case .unreadable(let key):
      return [.fail("the key \(key) in etcd can't be read; delete it to run the initializer again")] + finish()
    }
  }

  private mutating func finish() -> [Effect] {
    state = .over
    extensionDue = nil
    return [.finish]
  }

  /// Ends the claim, as soon as no earlier request can create its key any more.
  private mutating func conclude(_ now: Duration) -> [Effect] {
    guard isUncertain(now) else { return finish() }
    state = .cleaning(retry: nil)
    extensionDue = nil
    return [.look]
  }

  // MARK: While another host has the claim

  /// Moves the deadline before it comes.
  private mutating func extend(_ now: Duration) -> [Effect] {
    guard let timeout else { return [] }
    extensionDue = now + timeout / 2
    return [.extend(by: timeout)]
  }

  private mutating func follow(_ claim: Sight.Claim, _ now: Duration) -> [Effect] {
    guard case .following(let created, let failure) = state else { return [] }
    if claim.created == created { return report(claim.record, failure) }
    askSoon(now)
    return [.stopFollowing]
  }

  private mutating func vacated(_ now: Duration) -> [Effect] {
    guard case .following = state else { return [] }
    askSoon(now)
    return [.stopFollowing]
  }

  private mutating func completedElsewhere(_ done: Sight.Done, _ now: Duration) -> [Effect] {
    guard case .following = state, !isSecret else { return [] }
    // All hosts learn of the completion at once, and needn't ask etcd.
    if let effects = skip(done) { return [.stopFollowing] + effects }
    askSoon(now)
    return [.stopFollowing]
  }

  /// Reports who runs the initializer, how far the run is, and how it failed before.
  private mutating func report(_ holder: ClaimRecord?, _ failure: FailureRecord?) -> [Effect] {
    let progress = holder?.progress.map { ": \($0)" } ?? ""
    let past = failure.map { ", after it failed on \($0.host): \($0.message)" } ?? ""
    return report("runs on \(holder?.host ?? "another host")\(progress)\(past)")
  }

  /// Reports that the claim waits for a lease.
  private mutating func reportTrouble() -> [Effect] { trouble.map { report("waits for etcd: \($0)") } ?? [] }

  private mutating func report(_ text: String) -> [Effect] {
    guard text != lastReport else { return [] }
    lastReport = text
    return [.report(text)]
  }

  // MARK: The run

  private mutating func writeProgress(_ now: Duration) -> [Effect] {
    guard case .held(let fence, let lease) = state, reportedProgress != writtenProgress,
      now >= progressDue ?? now
    else { return [] }
    progressDue = now + Self.progressPause
    writtenProgress = reportedProgress
    return [.write(progress: reportedProgress, fence: fence, lease: lease)]
  }

  private mutating func recorded(_ isOurs: Bool, _ now: Duration) -> [Effect] {
    guard case .recording(let fence, _, _, let isOpen, _) = state else { return [] }
    if isOurs { return (isOpen ? [.confirm] : []) + conclude(now) }
    let failure = "the claim was lost before the completion was recorded"
    return (isOpen ? [.fail(failure)] : []) + delete(fence, failure, now)
  }

  private mutating func ended(_ failure: String?, _ hasStopped: Bool, _ now: Duration) -> [Effect] {
    switch state {
    case .held(let fence, _):
      guard hasStopped else {
        state = .lingering(fence: fence, until: now + timeToLive, failure: failure)
        return []
      }
      return delete(fence, failure, now)
    // The supervisor doesn't wait for the answer any more, e.g. because it ends. But the run has succeeded, so it must not run again.
    case .recording: return recordUnasked()
    case .waiting, .pausing, .following, .prolonging, .asking, .clearing, .lingering, .deleting, .cleaning, .over:
      return endUnallowed(now)
    }
  }

  private mutating func disconnected(_ hasEnded: Bool, _ now: Duration) -> [Effect] {
    switch state {
    case .held(let fence, _):
      // The run is being stopped, but a worker may continue if the supervisor was killed. The commands of that run are killed at once.
      let rest = hasEnded && endsWithSupervisor ? min(Self.killing, timeToLive) : timeToLive
      state = .lingering(fence: fence, until: now + rest, failure: nil)
      return []
    case .recording: return recordUnasked()
    case .waiting, .pausing, .following, .prolonging, .asking, .clearing, .lingering, .deleting, .cleaning, .over:
      return endUnallowed(now)
    }
  }

  /// Continues to record the completion, without an answer to the supervisor.
  private mutating func recordUnasked() -> [Effect] {
    guard case .recording(let fence, let output, let isSecret, _, let retry) = state else { return [] }
    state = .recording(fence: fence, output: output, isSecret: isSecret, isOpen: false, retry: retry)
    return []
  }

  /// Ends a claim before the supervisor was allowed to run the initializer.
  private mutating func endUnallowed(_ now: Duration) -> [Effect] {
    switch state {
    case .waiting, .pausing: return conclude(now)
    case .following: return [.stopFollowing] + conclude(now)
    case .clearing(let created):
      state = .deleting(fence: created, failure: nil, retry: nil)
      return []
    case .prolonging(let fence, _): return delete(fence, nil, now)
    case .asking:
      state = .cleaning(retry: nil)
      extensionDue = nil
      return []
    case .held, .recording, .lingering, .deleting, .cleaning, .over: return []
    }
  }

  private mutating func withdraw(_ reason: String, _ now: Duration) -> [Effect] {
    isWithdrawn = true
    switch state {
    case .pausing:
      state = .waiting
      return []
    case .following:
      state = .waiting
      return [.stopFollowing]
    case .prolonging(let fence, _): return delete(fence, nil, now)
    case .held: return revoke(reason)
    case .waiting, .asking, .clearing, .recording, .lingering, .deleting, .cleaning, .over: return []
    }
  }

  /// Tells the supervisor to stop the run, once.
  private mutating func revoke(_ reason: String) -> [Effect] {
    guard case .held = state, !isRevoked else { return [] }
    isRevoked = true
    return [.revoke(reason)]
  }

  // MARK: The end

  private mutating func delete(_ fence: Int, _ failure: String?, _ now: Duration) -> [Effect] {
    pause = Self.firstPause
    state = .deleting(fence: fence, failure: failure, retry: nil)
    return [.delete(created: fence, failure: failure)]
  }

  private mutating func deleted(_ now: Duration) -> [Effect] {
    switch state {
    case .clearing: return ask(now)
    case .deleting: return conclude(now)
    case .waiting, .asking, .pausing, .following, .prolonging, .held, .recording, .lingering, .cleaning, .over:
      return []
    }
  }

  private mutating func unanswered(
    _ request: Request, _ reason: String, _ refusal: Refusal?, _ now: Duration
  ) -> [Effect] {
    if request == .ask, refusal == nil { uncertainUntil = now + Self.lateness }
    switch (request, state) {
    case (.ask, .asking), (.delete, .clearing):
      state = .pausing(until: now + nextPause())
      return report("waits for etcd: \(reason)")
    case (.ask, .cleaning):
      if let keyEnd, now >= keyEnd { return finish() }
      state = .cleaning(retry: now + (refusal == nil ? Self.retryPause : nextPause()))
      return []
    case (.record, .recording(let fence, let output, let isSecret, let isOpen, _)):
      if refusal == .final {
        let answer = isOpen ? Effect.fail(reason) : .log("is done, but etcd won't record that: \(reason)")
        return [answer] + delete(fence, reason, now)
      }
      state = .recording(
        fence: fence, output: output, isSecret: isSecret, isOpen: isOpen,
        retry: now + (refusal == .denied ? nextPause() : Self.retryPause))
      let words = "waiting for etcd to record it: \(reason)"
      return report("done; \(words)").flatMap { [$0, .log("is done; \(words)")] }
    case (.delete, .deleting(let fence, let failure, _)):
      if let keyEnd, now >= keyEnd { return finish() }
      guard let refusal else {
        state = .deleting(fence: fence, failure: failure, retry: now + Self.retryPause)
        return []
      }
      // A full etcd accepts the deletion alone. That is more important: the other hosts wait for it.
      let rest = refusal == .full ? nil : failure
      state = .deleting(fence: fence, failure: rest, retry: now + (rest == failure ? nextPause() : .zero))
      let words = "has ended here, but other hosts wait until its claim is deleted: \(reason)"
      guard rest == failure, words != lastReport else { return [] }
      lastReport = words
      return [.log(words)]
    default: return []
    }
  }

  /// Returns whether a request whose answer was lost may still create the key.
  private func isUncertain(_ now: Duration) -> Bool { keyEnd == nil && uncertainUntil.map { now < $0 } ?? false }

  /// Returns a pause that is longer each time, and differs from those of other hosts.
  private mutating func nextPause() -> Duration {
    defer { pause = min(pause * 2, Self.longestPause) }
    return pause * (0.5 + jitter.next() / 2)
  }

  private mutating func passed(_ now: Duration) -> [Effect] {
    let extensions = extensionDue.map { $0 <= now } ?? false ? extend(now) : []
    return extensions + (ownDue.map { $0 <= now } ?? false ? proceed(now) : [])
  }

  /// Does what the end of the state's time means.
  private mutating func proceed(_ now: Duration) -> [Effect] {
    switch state {
    case .pausing: return ask(now)
    case .held: return writeProgress(now)
    case .recording(let fence, let output, let isSecret, let isOpen, _):
      state = .recording(fence: fence, output: output, isSecret: isSecret, isOpen: isOpen, retry: nil)
      return [.record(fence: fence, output: output, isSecret: isSecret)]
    case .lingering(let fence, _, let failure): return delete(fence, failure, now)
    case .deleting(let fence, let failure, _):
      state = .deleting(fence: fence, failure: failure, retry: nil)
      return [.delete(created: fence, failure: failure)]
    case .cleaning:
      state = .cleaning(retry: nil)
      return [.look]
    case .waiting, .asking, .following, .prolonging, .clearing, .over: return []
    }
  }
}
