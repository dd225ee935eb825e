internal import InitText

/// The claims of runs that are marked `once`: they decide whether this host may run them, until when, and what happens if a claim is lost.
///
/// A value without side effects, like the machine: its input is events, its output is effects, and time is an argument. Invariants:
///
/// 1. A run executes here only while its claim is held. If the lease isn't renewed, the run gets `cancelGrace` to stop, and is killed
///    `margin` before the lease ends. If less time is left, it gets less.
/// 2. A run completes only after the coordinator has recorded that, or has said that another host completed it.
/// 3. Each claim that was sent ends with exactly one of: the answer `done`, a refusal, a recorded completion, or `unclaim`, unless the
///    coordinator is lost before.
/// 4. Each run ends with exactly one of `finish`, `fail`, `cancel`, or the end of the execution on this host.
/// 5. A run that the machine has told to stop is never recorded, even if it succeeds afterwards (S12, S15): `unclaim` has the reason of the
///    machine.
public struct Claims: Hashable, Sendable {
  private enum Stage: Hashable, Sendable {
    /// The run waits for a coordinator, and fails at that instant.
    case waiting(until: Instant)
    /// The coordinator was asked.
    case asked
    /// The run is executed here; the lease ends at that instant.
    case executed(leaseEnd: Instant?)
    /// The run is executed here, and must stop; it is killed at that instant, unless that was done.
    case stopping(String, killedAt: Instant?)
    /// The run has succeeded here, and needs no lease any more; the coordinator was asked to record that.
    case recording
  }

  /// A run that is marked `once`.
  private struct Claim: Hashable, Sendable {
    var stage: Stage
    /// The machine's decision that the run must stop, if it has decided that.
    var order: Order?
  }

  /// The machine's decision that a run must stop.
  private struct Order: Hashable, Sendable {
    /// Why the run counts as failed; nil if it counts as cancelled.
    let reason: String?
  }

  /// How long before the end of the lease a run must have been killed.
  static let margin = Duration.milliseconds(200)

  private var registrationTimeout: Duration
  private var cancelGrace: Duration
  private var claims: [RunID: Claim] = [:]
  private var hasCoordinator = false

  /// Creates a value without claims.
  ///
  /// - Parameters:
  ///   - registrationTimeout: the maximum time that a run waits for a coordinator.
  ///   - cancelGrace: the maximum time that a run may take to stop before it is killed (S13).
  public init(registrationTimeout: Duration, cancelGrace: Duration) {
    self.registrationTimeout = registrationTimeout
    self.cancelGrace = cancelGrace
  }

  /// Changes the times; runs that already wait keep their deadlines.
  public mutating func set(registrationTimeout: Duration, cancelGrace: Duration) {
    self.registrationTimeout = registrationTimeout
    self.cancelGrace = cancelGrace
  }

  /// Whether the coordinator was asked about a run, and hasn't answered.
  public func isAsked(_ run: RunID) -> Bool { claims[run]?.stage == .asked }

  /// Returns whether the coordinator was asked to record a run, and hasn't answered.
  public func isRecording(_ run: RunID) -> Bool { claims[run]?.stage == .recording }

  /// Returns whether a run depends on the coordinator's next answer, so its reports are shown.
  public func isUndecided(_ run: RunID) -> Bool {
    switch claims[run]?.stage {
    case .waiting, .asked, .recording: true
    case .executed, .stopping, nil: false
    }
  }

  /// Whether a run is executed here, or must be recorded.
  public func isHeld(_ run: RunID) -> Bool {
    switch claims[run]?.stage {
    case .executed, .stopping, .recording: true
    case .waiting, .asked, nil: false
    }
  }

  /// Whether a run is known.
  public func contains(_ run: RunID) -> Bool { claims[run] != nil }

  /// The next time at which `timePassed` is needed; nil if it isn't needed.
  public var nextDeadline: Instant? { claims.values.compactMap { deadline(of: $0.stage) }.min() }

  private func deadline(of stage: Stage) -> Instant? {
    switch stage {
    case .waiting(let instant): instant
    case .asked: nil
    case .executed(let leaseEnd): leaseEnd.map { $0 - cancelGrace - Self.margin }
    case .stopping(_, let killedAt): killedAt
    case .recording: nil
    }
  }

  /// Applies an event.
  ///
  /// Events about unknown runs, or that come too late, have no effect.
  public mutating func apply(_ event: ClaimEvent, at now: Instant) -> [ClaimEffect] {
    switch event {
    case .started(let run): return ask(run, at: now)
    case .cancelled(let run, let reason): return cancel(run, reason)
    case .coordinatorConnected:
      hasCoordinator = true
      return claims.keys.sorted().filter { isWaiting($0) }.flatMap { ask($0, at: now) }
    case .coordinatorLost:
      hasCoordinator = false
      return claims.keys.sorted().flatMap { loseCoordinator(of: $0, at: now) }
    case .granted(let run, let fence, let lease): return grant(run, fence, lease, at: now)
    case .done(let run):
      guard claims[run]?.stage == .asked else { return [] }
      return end(run, .finish(run: run))
    case .refused(let run, let reason):
      guard claims[run]?.stage == .asked else { return [] }
      return end(run, .fail(run: run, reason))
    case .unrecorded(let run, let reason):
      guard claims[run]?.stage == .recording else { return [] }
      return end(run, .fail(run: run, reason))
    case .renewed(let run, let sent, let lease):
      renew(run, lease, from: min(sent, now))
      return []
    case .revoked(let run, let reason): return lose(run, reason ?? "the claim was lost", at: now)
    case .succeeded(let run): return succeed(run)
    case .stopped(let run, let reason): return handleStop(of: run, reason)
    case .recorded(let run):
      guard claims[run]?.stage == .recording else { return [] }
      return end(run, .finish(run: run))
    case .timePassed: return claims.keys.sorted().flatMap { handleTime($0, at: now) }
    }
  }

  /// Renews the lease of a run, unless the renewal was sent after the end of the lease.
  ///
  /// A renewal that was sent before the end counts even if it is read later, because this process was stopped: the coordinator has held the
  /// claim all the time.
  private mutating func renew(_ run: RunID, _ lease: Duration, from sent: Instant) {
    guard case .executed(let end?) = claims[run]?.stage, sent < end else { return }
    claims[run]?.stage = .executed(leaseEnd: sent + lease)
  }

  private func isWaiting(_ run: RunID) -> Bool { if case .waiting = claims[run]?.stage { true } else { false } }

  private mutating func end(_ run: RunID, _ effects: ClaimEffect...) -> [ClaimEffect] {
    claims[run] = nil
    return effects
  }

  private mutating func ask(_ run: RunID, at now: Instant) -> [ClaimEffect] {
    if hasCoordinator {
      claims[run] = Claim(stage: .asked)
      return [.claim(run: run)]
    }
    claims[run] = Claim(stage: .waiting(until: now + registrationTimeout))
    return [.awaitCoordinator(run: run)]
  }

  private mutating func cancel(_ run: RunID, _ reason: String?) -> [ClaimEffect] {
    switch claims[run]?.stage {
    case .waiting: end(run, .cancel(run: run))
    // While it is being recorded, the completion may count or not; the next claim shows it.
    case .asked, .recording: end(run, .unclaim(run: run, reason), .cancel(run: run))
    // The machine itself cancels the execution, whose end is still to come.
    case .executed, .stopping: record(Order(reason: reason), for: run)
    case nil: []
    }
  }

  /// Records the machine's newest decision about a run that is executed here.
  private mutating func record(_ order: Order, for run: RunID) -> [ClaimEffect] {
    claims[run]?.order = order
    return []
  }

  private mutating func grant(_ run: RunID, _ fence: Int, _ lease: Duration?, at now: Instant) -> [ClaimEffect] {
    guard claims[run]?.stage == .asked else { return [] }
    if let lease, lease <= cancelGrace + Self.margin {
      let reason =
        "the lease of \(lease.words) isn't longer than cancelGrace, \(cancelGrace.words), and \(Self.margin.words): use a longer lease, or a shorter cancelGrace"
      return end(run, .unclaim(run: run, reason), .fail(run: run, reason))
    }
    claims[run]?.stage = .executed(leaseEnd: lease.map { now + $0 })
    return [.execute(run: run, fence: fence)]
  }

  /// Ends a lost claim: the run must stop.
  private mutating func lose(_ run: RunID, _ reason: String, at now: Instant) -> [ClaimEffect] {
    switch claims[run]?.stage {
    case .executed(let leaseEnd):
      let killedAt = min(now + cancelGrace, leaseEnd.map { $0 - Self.margin } ?? now + cancelGrace)
      claims[run]?.stage = .stopping(reason, killedAt: killedAt > now ? killedAt : nil)
      // The lease may have ended while this process was stopped.
      return [.stop(run: run, reason)] + (killedAt > now ? [] : [.kill(run: run)])
    case .recording: return end(run, .unclaim(run: run, reason), .fail(run: run, reason))
    case .waiting, .asked, .stopping, nil: return []
    }
  }

  private mutating func loseCoordinator(of run: RunID, at now: Instant) -> [ClaimEffect] {
    let reason = "the coordinator was lost"
    switch claims[run]?.stage {
    case .asked: return ask(run, at: now)
    case .executed: return lose(run, reason, at: now)
    case .recording: return end(run, .fail(run: run, "\(reason) before it had recorded the completion"))
    case .waiting, .stopping, nil: return []
    }
  }

  private mutating func succeed(_ run: RunID) -> [ClaimEffect] {
    switch claims[run]?.stage {
    case .executed:
      if let order = claims[run]?.order { return end(run, .unclaim(run: run, order.reason), .cancel(run: run)) }
      claims[run]?.stage = .recording
      return [.complete(run: run)]
    case .stopping(let loss, _): return endStopped(run, loss)
    case .waiting, .asked, .recording, nil: return []
    }
  }

  private mutating func handleStop(of run: RunID, _ reason: String) -> [ClaimEffect] {
    switch claims[run]?.stage {
    case .executed:
      let order = claims[run]?.order
      return end(run, .unclaim(run: run, order.map(\.reason) ?? reason))
    case .stopping(let loss, _): return endStopped(run, loss)
    case .waiting, .asked, .recording, nil: return []
    }
  }

  /// Ends a run whose claim was lost; if the machine has told it to stop, the decision of the machine counts.
  private mutating func endStopped(_ run: RunID, _ loss: String) -> [ClaimEffect] {
    guard let order = claims[run]?.order else { return end(run, .unclaim(run: run, loss), .fail(run: run, loss)) }
    return end(run, .unclaim(run: run, order.reason), .cancel(run: run))
  }

  private mutating func handleTime(_ run: RunID, at now: Instant) -> [ClaimEffect] {
    guard let stage = claims[run]?.stage, let deadline = deadline(of: stage), deadline <= now else { return [] }
    switch stage {
    case .waiting:
      let waited = registrationTimeout.words
      return end(
        run,
        .fail(
          run: run, "no coordinator has connected within \(waited): start initfleet agent beside this supervisor"))
    case .executed: return lose(run, "the coordinator didn't renew the claim in time", at: now)
    case .stopping(let reason, _):
      claims[run]?.stage = .stopping(reason, killedAt: nil)
      return [.kill(run: run)]
    case .asked, .recording: return []
    }
  }
}
