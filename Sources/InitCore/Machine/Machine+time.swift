/// Something that happens unless something else happens first.
enum Deadline: Hashable, Sendable, Comparable {
  /// The run has taken longer than it may (S15).
  case timeout(Int)
  /// The run was told to stop and hasn't (S13).
  case grace(Int)
  /// The wait before the initializer's next attempt is over (S16).
  case retry(Phase, String)
  /// No worker came (S20).
  case registration(Phase)
  /// What is to be stopped takes too long, or after that is to be given up (S24).
  case stop(Int)
}

/// Deadlines. Whoever drives the machine says `timePassed` at `nextDeadline`, or later.
extension Machine {
  /// When the machine next wants to be told that time passed; `nil` if it waits for nothing but events.
  ///
  /// An instant long past where a pass is to be planned again: that is to be soon, and after all else that has come already.
  public var nextDeadline: Instant? { isPlanningDue ? .zero : deadlines.first?.value }

  /// Whether names have come or gone since a pass was planned.
  public var isPlanningDue: Bool { launch.pass?.isStale == true || active.pass?.isStale == true }

  mutating func takeTime(at now: Instant) {
    // What the new plan lets start may move other deadlines; they are looked at in the next step.
    if planIfStale(at: now) { return }
    while let (instant, deadline) = deadlines.first, instant <= now {
      deadlines[deadline] = nil
      switch deadline {
      case .timeout(let run): timeOut(run, at: now)
      case .grace(let run): effects.append(.killRun(run))
      case .retry(let phase, let name): retry(name, phase)
      case .registration(let phase): giveUpWaiting(phase, at: now)
      case .stop(let run): hurryStop(run, at: now)
      }
    }
  }

  /// The run has failed, whatever it answers; the pass knows at once if no attempt is left (S15).
  private mutating func timeOut(_ number: Int, at now: Instant) {
    guard let run = runs[number], run.state == .running, let deadline = run.deadline else { return }
    stop(number, reason: .timeout, at: now)
    let declaration = self[run.phase].pass?.declaration(of: run.initializer)
    guard let declaration, run.attempt >= declaration.retry.attempts, !declaration.isOptional else { return }
    let cause = Cause.timeout(after: deadline - run.started)
    fail(run.phase, with: .initializerFailed(run.initializer, cause), at: now)
  }

  /// The delay is over: the initializer may start again, in its place (S16).
  private mutating func retry(_ name: String, _ phase: Phase) {
    guard let pass = self[phase].pass, let place = pass.plan.places[name],
      case .delayed(let attempts) = pass.standings[place]
    else { return }
    self[phase].pass?.delayed.remove(name)
    self[phase].pass?.standings[place] = .ready(attempt: attempts + 1)
    self[phase].pass?.makeReady(place, attempt: attempts + 1)
  }
}
