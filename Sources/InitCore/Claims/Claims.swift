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

  /// How long before the end of the lease a run must have been killed.
  static let margin = Duration.milliseconds(200)

  private var registrationTimeout: Duration
  private var cancelGrace: Duration
  private var stages: [RunID: Stage] = [:]
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
  public func isAsked(_ run: RunID) -> Bool { stages[run] == .asked }

  /// Returns whether the coordinator was asked to record a run, and hasn't answered.
  public func isRecording(_ run: RunID) -> Bool { stages[run] == .recording }

  /// Returns whether a run depends on the coordinator's next answer, so its reports are shown.
  public func isUndecided(_ run: RunID) -> Bool {
    switch stages[run] {
    case .waiting, .asked, .recording: true
    case .executed, .stopping, nil: false
    }
  }

  /// Whether a run is executed here, or must be recorded.
  public func isHeld(_ run: RunID) -> Bool {
    switch stages[run] {
    case .executed, .stopping, .recording: true
    case .waiting, .asked, nil: false
    }
  }

  /// Whether a run is known.
  public func contains(_ run: RunID) -> Bool { stages[run] != nil }

  /// The next time at which `timePassed` is needed; nil if it isn't needed.
  public var nextDeadline: Instant? { stages.values.compactMap(deadline).min() }

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
      return stages.keys.sorted().filter { isWaiting($0) }.flatMap { ask($0, at: now) }
    case .coordinatorLost:
      hasCoordinator = false
      return stages.keys.sorted().flatMap { loseCoordinator(of: $0, at: now) }
    case .granted(let run, let fence, let lease): return grant(run, fence, lease, at: now)
    case .done(let run):
      guard stages[run] == .asked else { return [] }
      return end(run, .finish(run: run))
    case .refused(let run, let reason):
      guard stages[run] == .asked else { return [] }
      return end(run, .fail(run: run, reason))
    case .unrecorded(let run, let reason):
      guard stages[run] == .recording else { return [] }
      return end(run, .fail(run: run, reason))
    case .renewed(let run, let sent, let lease):
      renew(run, lease, from: min(sent, now))
      return []
    case .revoked(let run, let reason): return lose(run, reason ?? "the claim was lost", at: now)
    case .succeeded(let run): return succeed(run)
    case .stopped(let run, let reason): return handleStop(of: run, reason)
    case .recorded(let run):
      guard stages[run] == .recording else { return [] }
      return end(run, .finish(run: run))
    case .timePassed: return stages.keys.sorted().flatMap { handleTime($0, at: now) }
    }
  }

  /// Renews the lease of a run, unless the renewal was sent after the end of the lease.
  ///
  /// A renewal that was sent before the end counts even if it is read later, because this process was stopped: the coordinator has held the
  /// claim all the time.
  private mutating func renew(_ run: RunID, _ lease: Duration, from sent: Instant) {
    guard case .executed(let end?) = stages[run], sent < end else { return }
    stages[run] = .executed(leaseEnd: sent + lease)
  }

  private func isWaiting(_ run: RunID) -> Bool { if case .waiting = stages[run] { true } else { false } }

  private mutating func end(_ run: RunID, _ effects: ClaimEffect...) -> [ClaimEffect] {
    stages[run] = nil
    return effects
  }

  private mutating func ask(_ run: RunID, at now: Instant) -> [ClaimEffect] {
    if hasCoordinator {
      stages[run] = .asked
      return [.claim(run: run)]
    }
    stages[run] = .waiting(until: now + registrationTimeout)
    return [.awaitCoordinator(run: run)]
  }

  private mutating func cancel(_ run: RunID, _ reason: String?) -> [ClaimEffect] {
    switch stages[run] {
    case .waiting: end(run, .cancel(run: run))
    // While it is being recorded, the completion may count or not; the next claim shows it.
    case .asked, .recording: end(run, .unclaim(run: run, reason), .cancel(run: run))
    // The machine itself cancels the execution.
    case .executed, .stopping, nil: []
    }
  }

  private mutating func grant(_ run: RunID, _ fence: Int, _ lease: Duration?, at now: Instant) -> [ClaimEffect] {
    guard stages[run] == .asked else { return [] }
    if let lease, lease <= cancelGrace + Self.margin {
      let reason =
        "the lease of \(lease.words) isn't longer than cancelGrace, \(cancelGrace.words), and \(Self.margin.words): use a longer lease, or a shorter cancelGrace"
      return end(run, .unclaim(run: run, reason), .fail(run: run, reason))
    }
    stages[run] = .executed(leaseEnd: lease.map { now + $0 })
    return [.execute(run: run, fence: fence)]
  }

  /// Ends a lost claim: the run must stop.
  private mutating func lose(_ run: RunID, _ reason: String, at now: Instant) -> [ClaimEffect] {
    switch stages[run] {
    case .executed(let leaseEnd):
      let killedAt = min(now + cancelGrace, leaseEnd.map { $0 - Self.margin } ?? now + cancelGrace)
      stages[run] = .stopping(reason, killedAt: killedAt > now ? killedAt : nil)
      // The lease may have ended while this process was stopped.
      return [.stop(run: run, reason)] + (killedAt > now ? [] : [.kill(run: run)])
    case .recording: return end(run, .unclaim(run: run, reason), .fail(run: run, reason))
    case .waiting, .asked, .stopping, nil: return []
    }
  }

  private mutating func loseCoordinator(of run: RunID, at now: Instant) -> [ClaimEffect] {
    let reason = "the coordinator was lost"
    switch stages[run] {
    case .asked: return ask(run, at: now)
    case .executed: return lose(run, reason, at: now)
    case .recording: return end(run, .fail(run: run, "\(reason) before it had recorded the completion"))
    case .waiting, .stopping, nil: return []
    }
  }

  private mutating func succeed(_ run: RunID) -> [ClaimEffect] {
    switch stages[run] {
    case .executed:
      stages[run] = .recording
      return [.complete(run: run)]
    case .stopping(let reason, _): return endStopped(run, reason)
    case .waiting, .asked, .recording, nil: return []
    }
  }

  private mutating func handleStop(of run: RunID, _ reason: String?) -> [ClaimEffect] {
    switch stages[run] {
    case .executed: end(run, .unclaim(run: run, reason))
    // If the machine has also cancelled it, it is cancelled.
    case .stopping(let why, _): reason == nil ? end(run, .unclaim(run: run, why)) : endStopped(run, why)
    case .waiting, .asked, .recording, nil: []
    }
  }

  private mutating func endStopped(_ run: RunID, _ reason: String) -> [ClaimEffect] {
    end(run, .unclaim(run: run, reason), .fail(run: run, reason))
  }

  private mutating func handleTime(_ run: RunID, at now: Instant) -> [ClaimEffect] {
    guard let stage = stages[run], let deadline = deadline(of: stage), deadline <= now else { return [] }
    switch stage {
    case .waiting:
      let waited = registrationTimeout.words
      return end(
        run,
        .fail(
          run: run, "no coordinator has connected within \(waited): start initfleet agent beside this supervisor"))
    case .executed: return lose(run, "the coordinator didn't renew the claim in time", at: now)
    case .stopping(let reason, _):
      stages[run] = .stopping(reason, killedAt: nil)
      return [.kill(run: run)]
    case .asked, .recording: return []
    }
  }
}
