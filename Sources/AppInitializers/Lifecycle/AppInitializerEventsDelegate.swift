internal import InitCore
internal import InitWords

/// Receives the events of a manager.
///
/// Every method has a default that does nothing.
///
/// The manager calls the methods on its executor (see ``InitManager``), in the order of the events. The host's states are already updated.
/// The methods should return soon. Calls on the manager take effect after they return.
///
/// The delegate receives all events from the first one on. After the start of a run follows exactly one completion, failure or
/// cancellation; after the start of a pass, exactly one finish.
public protocol AppInitializerEventsDelegate: AnyObject, Sendable {
  /// Called when a run has started.
  func initializerDidStart(_ run: InitializerRun)
  /// Called when a run has reported progress (S17).
  ///
  /// `fraction` is 0…1 and never decreases; both values are `nil` until the run has reported them.
  func initializerDidReport(fraction: Double?, message: String?, of run: InitializerRun)
  /// Called when a run has completed, after this duration.
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration)
  /// Called when a run has failed, after this duration.
  ///
  /// If it is retried, another run follows, whose ``InitializerRun/attempt`` is one higher (S16).
  func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration)
  /// Called when a cancelled run has stopped, after this duration; its result doesn't count (S12, S13).
  func initializerDidCancel(_ run: InitializerRun, after duration: Duration)
  /// Called when an initializer wasn't run, because the pass failed before its turn: `blocker` failed with that error (S2, S8).
  func initializerWasNotRun(_ initializer: String, blockedBy blocker: String, with error: AppInitializationError)
  /// Called when a pass has started.
  func passDidStart(_ pass: InitializationPass)
  /// Called when a pass has ended, and all its runs have stopped.
  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome)
}

extension AppInitializerEventsDelegate {
  /// Does nothing.
  public func initializerDidStart(_ run: InitializerRun) {}
  /// Does nothing.
  public func initializerDidReport(fraction: Double?, message: String?, of run: InitializerRun) {}
  /// Does nothing.
  public func initializerDidComplete(_ run: InitializerRun, after duration: Duration) {}
  /// Does nothing.
  public func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration) {}
  /// Does nothing.
  public func initializerDidCancel(_ run: InitializerRun, after duration: Duration) {}
  /// Does nothing.
  public func initializerWasNotRun(
    _ initializer: String, blockedBy blocker: String, with error: AppInitializationError
  ) {}
  /// Does nothing.
  public func passDidStart(_ pass: InitializationPass) {}
  /// Does nothing.
  public func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {}
}

/// One attempt to run one initializer, for delegates.
public struct InitializerRun: Sendable, Hashable {
  /// The initializer's name.
  public let initializer: String
  /// The number of the run: unique in its manager, and larger than the numbers of all previous runs.
  public let number: Int
  /// The number of the attempt, from 1 (S16).
  public let attempt: Int
  /// The pass of the run.
  public let pass: InitializationPass

  /// Creates a run; for tests of a delegate.
  public init(initializer: String, number: Int, attempt: Int = 1, pass: InitializationPass) {
    self.initializer = initializer
    self.number = number
    self.attempt = attempt
    self.pass = pass
  }
}

/// One execution of a phase, for delegates.
public struct InitializationPass: Sendable, Hashable {
  /// The outcome of a pass.
  public enum Outcome: Sendable, Equatable {
    /// All initializers of the pass completed, except optional ones that failed.
    case complete
    /// This error stopped the pass (S8).
    case failed(error: AppInitializationError)
    /// The pass was cancelled (S11).
    case cancelled
  }

  /// The number; one counter for both phases (S10).
  public let number: Int
  /// The phase, as the priority of the phase's initializers.
  public let phase: InitializerPriority

  /// Creates a pass; for tests of a delegate.
  public init(number: Int, phase: InitializerPriority) {
    self.number = number
    self.phase = phase
  }

  init(_ id: PassID, _ phase: Phase) { self.init(number: id.rawValue, phase: InitializerPriority(phase.priority)) }
}

/// Calls the delegate for a machine's effects.
extension AppInitializerEventsDelegate {
  /// Calls the method for an effect.
  ///
  /// `error` returns the failure with the thrown error itself, if a Swift object threw one.
  func receive(_ effect: Effect, error: (Failure) -> AppInitializationError) {
    switch effect {
    case .startRun(let start): initializerDidStart(InitializerRun(start))
    case .publish(.runEnded(let record)):
      let run = InitializerRun(record)
      switch record.outcome {
      case .complete: initializerDidComplete(run, after: record.duration)
      case .cancelled: initializerDidCancel(run, after: record.duration)
      case nil: break
      case .failed(let cause):
        initializerDidFail(run, with: error(.initializerFailed(record.initializer, cause)), after: record.duration)
      }
    case .publish(.initializer(let snapshot)):
      guard snapshot.status == .notRun, let blocker = snapshot.blockedBy, let failure = snapshot.failure else { return }
      initializerWasNotRun(snapshot.declaration.name, blockedBy: blocker, with: error(failure))
    case .publish(.pass(let id, let phase, let status)):
      let pass = InitializationPass(id, phase)
      switch status {
      case .started: passDidStart(pass)
      case .complete: passDidFinish(pass, with: .complete)
      case .cancelled: passDidFinish(pass, with: .cancelled)
      case .failed(let failure): passDidFinish(pass, with: .failed(error: error(failure)))
      }
    case .publish(.state), .publish(.initializerRemoved), .publish(.passOpened), .publish(.passAbandoned), .cancelRun,
      .killRun, .checkCondition, .reuseOutput, .finish, .startStop, .cancelStop, .giveUpStop, .finishStops:
      break
    }
  }

  /// Tells the progress of a run that has just reported.
  func receiveProgress(of snapshot: InitializerSnapshot) {
    guard snapshot.status == .running, let run = snapshot.run, let progress = run.progress else { return }
    initializerDidReport(
      fraction: progress.fraction, message: progress.message, of: InitializerRun(snapshot.declaration.name, run))
  }
}

extension InitializerRun {
  init(_ start: RunStart) {
    self.init(
      initializer: start.initializer, number: start.run.rawValue, attempt: start.attempt,
      pass: InitializationPass(start.pass, start.phase))
  }

  init(_ record: RunRecord) {
    self.init(
      initializer: record.initializer, number: record.run.rawValue, attempt: record.attempt,
      pass: InitializationPass(record.pass, record.phase))
  }

  init(_ name: String, _ run: RunSnapshot) {
    self.init(
      initializer: name, number: run.id.rawValue, attempt: run.attempt, pass: InitializationPass(run.pass, run.phase))
  }
}
