public import AppInitializers
internal import InitBridge
internal import InitWire

/// What ``SupervisorClient`` can tell of.
public enum SupervisorTopic: String, Sendable, Hashable, CaseIterable {
  /// Changes of the launch state.
  case launch
  /// Changes of the active state.
  case active
  /// Changes of the composite state.
  case composite
  /// That the app became active, or is so no longer.
  case lifecycle
  /// Every change of an initializer.
  case initializer
  /// The start and end of every pass.
  case pass
  /// Workers that come and go.
  case worker
  /// Lines that commands write.
  case log

  /// What is told unless a client says otherwise: the three states.
  public static let defaults: [SupervisorTopic] = [.launch, .active, .composite]

  var word: Topic {
    switch self {
    case .launch: .launch
    case .active: .active
    case .composite: .composite
    case .lifecycle: .lifecycle
    case .initializer: .initializer
    case .pass: .pass
    case .worker: .worker
    case .log: .log
    }
  }
}

/// Something that happened in a supervisor.
public enum SupervisorEvent: Sendable, Equatable {
  /// Everything as it is now. The events that follow go on from there. It comes first, after a reconnection, and after events were lost
  /// because this program read them too slowly.
  case snapshot(SupervisorStatus)
  /// The states after a change of one of those that were asked for.
  case states(SupervisorStates)
  /// An initializer after a change.
  case initializer(InitializerStatus)
  /// An initializer was taken away; its last status.
  case initializerRemoved(InitializerStatus)
  /// A pass has started.
  case passStarted(InitializationPass)
  /// A pass has ended. Why it failed is in the states.
  case passEnded(InitializationPass, PassOutcome)
  /// A worker came, or provides something else. If it provides nothing any more it is no worker from then on: no event tells of its end.
  case workerConnected(WorkerStatus)
  /// A worker that provided something went away.
  case workerDisconnected(WorkerStatus)
  /// A command wrote a line.
  case log(LogLine)

  /// How a pass ended.
  public enum PassOutcome: String, Sendable, Hashable, CaseIterable {
    /// It did what it should.
    case complete
    /// It stopped with an error.
    case failed
    /// It was cancelled.
    case cancelled
  }

  /// A line that a command wrote.
  public struct LogLine: Sendable, Hashable {
    /// Whose command.
    public let initializer: String
    /// The run's number.
    public let run: Int
    /// Whether it was written to standard error.
    public let isError: Bool
    /// The line, without its end. It may have control characters: escape them before you print it.
    public let text: String
  }

  /// The event as the protocol has it; nil for one that this version has nothing to say of.
  init?(_ event: ReceivedEvent) {
    switch event.params.body {
    case .snapshot(let status): self = .snapshot(SupervisorStatus(status))
    case .state(let state):
      self = .states(
        SupervisorStates(
          launch: state.launch, active: state.active, composite: state.composite, lifecycle: state.lifecycle))
    case .initializer(let shape): self = .initializer(InitializerStatus(shape))
    case .initializerRemoved(let shape): self = .initializerRemoved(InitializerStatus(shape))
    case .pass(let event):
      let pass = InitializationPass(number: event.pass, phase: InitializerPriority(event.phase))
      switch event.status.known {
      case .started: self = .passStarted(pass)
      case .complete: self = .passEnded(pass, .complete)
      case .failed: self = .passEnded(pass, .failed)
      case .cancelled: self = .passEnded(pass, .cancelled)
      case nil: return nil
      }
    case .worker(let event):
      let worker = WorkerStatus(event.worker)
      self = event.connected ? .workerConnected(worker) : .workerDisconnected(worker)
    case .log(let line):
      self = .log(
        LogLine(initializer: line.initializer, run: line.run, isError: line.stream == .stderr, text: line.line))
    case .lagged, .process, .shutdown, .unknown: return nil
    }
  }
}
