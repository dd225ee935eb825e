internal import InitWords

/// A deadline: it takes effect unless another event comes first.
enum Deadline: Hashable, Sendable, Comparable {
  /// The run has exceeded its timeout (S15).
  case timeout(RunID)
  /// The run was asked to stop, but hasn't stopped (S13).
  case grace(RunID)
  /// The wait before the initializer's next attempt is over (S16).
  case retry(Phase, String)
  /// No worker came (S20).
  case registration(Phase)
  /// The initializer's process has ended permanently, or hasn't registered it in time (S32).
  case process(Phase, String)
  /// A stop takes too long, or is abandoned after that (S24).
  case stop(RunID)
}

/// Deadlines.
///
/// The machine's driver sends `timePassed` at `nextDeadline`, or later.
extension Machine {
  /// When the machine next needs `timePassed`; `nil` if it waits only for other events.
  ///
  /// If a pass must be planned again, this is an instant in the past: the pass is planned soon, after all events that have already arrived.
  public var nextDeadline: Instant? { isPlanningDue ? .zero : deadlines.first?.value }

  /// Whether names have changed since a pass was planned.
  public var isPlanningDue: Bool { launch.pass?.isStale == true || active.pass?.isStale == true }

  mutating func handleTime(at now: Instant) {
    // Runs that the new plan starts may move other deadlines; these are checked in the next step.
    if planIfStale(at: now) { return }
    while let (instant, deadline) = deadlines.first, instant <= now {
      deadlines[deadline] = nil
      switch deadline {
      case .timeout(let run): timeOut(run, at: now)
      case .grace(let run): effects.append(.killRun(run))
      case .retry(let phase, let name): retry(name, phase)
      case .registration(let phase): giveUpWaiting(phase, at: now)
      case .process(let phase, let name): giveUpProcess(of: name, phase, at: now)
      case .stop(let run): hurryStop(run, at: now)
      }
    }
  }

  /// Fails a run whose time is up, whatever its provider answers.
  ///
  /// If no attempt is left, the pass fails at once (S15), unless it keeps going.
  private mutating func timeOut(_ id: RunID, at now: Instant) {
    guard let run = runs[id], run.state == .running, run.deadline != nil else { return }
    stop(id, reason: .timeout, at: now)
    let declaration = self[run.phase].pass?
      .declaration(of: run.initializer, registry.index(of: run.initializer, formerly: run.entry))
    guard let declaration, run.attempt >= declaration.retry.attempts, !declaration.isOptional, !configuration.keepsGoing
    else { return }
    fail(run.phase, with: .initializerFailed(run.initializer, run.timeout(at: now).bounded), at: now)
  }

  /// Allows an initializer to start again in its place after the delay (S16).
  private mutating func retry(_ name: String, _ phase: Phase) {
    guard let pass = self[phase].pass,
      let index = pass.plan.index(of: name, registry.index(of: name)),
      case .delayed(let attempts) = pass.standings[index]
    else { return }
    self[phase].pass?.delayed.remove(name)
    self[phase].pass?.standings[index] = .ready(attempt: attempts + 1)
    self[phase].pass?.makeReady(index, attempt: attempts + 1)
    dueAgain.append(name)
  }
}
