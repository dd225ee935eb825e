internal import InitCore

/// Told what a manager does, as it happens; every method has a default that does nothing.
///
/// The methods are called on the manager's executor (see ``InitManager``), in the order of the events, in the step that made them: the
/// manager's states say already what the event says. They should return soon. Whatever they call on the manager is done after they return.
///
/// It is told from the first event on. Each run's start is followed by exactly one of completion, failure and cancellation, each pass's start
/// by exactly one finish.
public protocol AppInitializerEventsDelegate: AnyObject, Sendable {
  /// A run has started.
  func initializerDidStart(_ run: InitializerRun)
  /// A run said how far it is (S17). `fraction` is 0…1 and doesn't go down; each is `nil` until a run has said something of it.
  func initializerDidReport(fraction: Double?, message: String?, of run: InitializerRun)
  /// A run did what it was for, after so long.
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration)
  /// A run failed, after so long. If it may be tried again, another run follows, its ``InitializerRun/attempt`` one higher (S16).
  func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration)
  /// A run that was told to stop has stopped, after so long; what it came to doesn't count (S12, S13).
  func initializerDidCancel(_ run: InitializerRun, after duration: Duration)
  /// The pass failed before it came to the initializer: it wasn't run, and `blocker` stood in the way with that error (S2, S8).
  func initializerWasNotRun(_ initializer: String, blockedBy blocker: String, with error: AppInitializationError)
  /// A pass has started.
  func passDidStart(_ pass: InitializationPass)
  /// A pass has ended: what it ran has stopped.
  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome)
}

extension AppInitializerEventsDelegate {
  public func initializerDidStart(_ run: InitializerRun) {}
  public func initializerDidReport(fraction: Double?, message: String?, of run: InitializerRun) {}
  public func initializerDidComplete(_ run: InitializerRun, after duration: Duration) {}
  public func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration) {}
  public func initializerDidCancel(_ run: InitializerRun, after duration: Duration) {}
  public func initializerWasNotRun(
    _ initializer: String, blockedBy blocker: String, with error: AppInitializationError
  ) {}
  public func passDidStart(_ pass: InitializationPass) {}
  public func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {}
}

/// One attempt to execute one initializer, as delegates are told of it.
public struct InitializerRun: Sendable, Hashable {
  /// The initializer's name.
  public let initializer: String
  /// The run's number: unique in its manager, and larger than those of all runs before it.
  public let number: Int
  /// Which attempt it is, from 1 (S16).
  public let attempt: Int
  /// The pass it belongs to.
  public let pass: InitializationPass

  /// A run; for tests of a delegate.
  public init(initializer: String, number: Int, attempt: Int = 1, pass: InitializationPass) {
    self.initializer = initializer
    self.number = number
    self.attempt = attempt
    self.pass = pass
  }
}

/// One execution of a phase, as delegates are told of it.
public struct InitializationPass: Sendable, Hashable {
  /// How a pass ended.
  public enum Outcome: Sendable, Equatable {
    /// Everything in it completed, what is optional aside.
    case complete
    /// It stopped at this error (S8).
    case failed(error: AppInitializationError)
    /// It was cancelled (S11).
    case cancelled
  }

  /// Its number; one counter for both phases (S10).
  public let number: Int
  /// Its phase, by the priority whose initializers it executes.
  public let phase: InitializerPriority

  /// A pass; for tests of a delegate.
  public init(number: Int, phase: InitializerPriority) {
    self.number = number
    self.phase = phase
  }

  init(_ number: Int, _ phase: Phase) { self.init(number: number, phase: InitializerPriority(phase.priority)) }
}

/// What of a machine's effects a delegate is told.
extension AppInitializerEventsDelegate {
  /// `error` gives a failure with the error itself, where a Swift object threw it.
  func hear(_ effect: Effect, error: (Failure) -> AppInitializationError) {
    switch effect {
    case .startRun(let start): initializerDidStart(InitializerRun(start))
    case .publish(.runEnded(let record)):
      let run = InitializerRun(record)
      switch record.outcome {
      case .complete: initializerDidComplete(run, after: record.duration)
      case .cancelled: initializerDidCancel(run, after: record.duration)
      case .failed(let cause):
        initializerDidFail(run, with: error(.initializerFailed(record.initializer, cause)), after: record.duration)
      }
    case .publish(.initializer(let snapshot)):
      guard snapshot.status == .notRun, let blocker = snapshot.blockedBy, let failure = snapshot.failure else { return }
      initializerWasNotRun(snapshot.declaration.name, blockedBy: blocker, with: error(failure))
    case .publish(.pass(let number, let phase, let status)):
      let pass = InitializationPass(number, phase)
      switch status {
      case .started: passDidStart(pass)
      case .complete: passDidFinish(pass, with: .complete)
      case .cancelled: passDidFinish(pass, with: .cancelled)
      case .failed(let failure): passDidFinish(pass, with: .failed(error: error(failure)))
      }
    case .publish(.state), .publish(.initializerRemoved), .publish(.passAbandoned), .cancelRun, .killRun, .finish,
      .startStop, .cancelStop, .giveUpStop, .finishStops:
      break
    }
  }

  /// A run has just reported: what is known of its progress by now.
  func hearProgress(of snapshot: InitializerSnapshot) {
    guard snapshot.status == .running, let run = snapshot.run, let progress = run.progress else { return }
    initializerDidReport(
      fraction: progress.fraction, message: progress.message, of: InitializerRun(snapshot.declaration.name, run))
  }
}

extension InitializerRun {
  init(_ start: RunStart) {
    self.init(
      initializer: start.initializer, number: start.run, attempt: start.attempt,
      pass: InitializationPass(start.pass, start.phase))
  }

  init(_ record: RunRecord) {
    self.init(
      initializer: record.initializer, number: record.run, attempt: record.attempt,
      pass: InitializationPass(record.pass, record.phase))
  }

  init(_ name: String, _ run: RunSnapshot) {
    self.init(
      initializer: name, number: run.number, attempt: run.attempt, pass: InitializationPass(run.pass, run.phase))
  }
}
