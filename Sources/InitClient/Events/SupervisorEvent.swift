public import AppInitializers
internal import InitModel
internal import InitWire
internal import WireConversions

/// A topic of events of a ``SupervisorClient``.
public enum SupervisorTopic: String, Sendable, Hashable, CaseIterable {
  /// Changes of the launch state.
  case launch
  /// Changes of the active state.
  case active
  /// Changes of the composite state.
  case composite
  /// The app became active or inactive.
  case lifecycle
  /// Every change of an initializer.
  case initializer
  /// The start and end of every pass.
  case pass
  /// Workers that connect and disconnect, and changes of the processes that the supervisor keeps running.
  case worker
  /// Output lines of commands.
  case log

  /// The default: the three states.
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

/// An event of a supervisor.
public enum SupervisorEvent: Sendable, Equatable {
  /// The complete current status; later events build on it.
  ///
  /// A snapshot comes first, after a reconnection, and after events were lost because this program read them too slowly.
  case snapshot(SupervisorStatus)
  /// This many events were lost, because this program or its connection was too slow.
  ///
  /// A snapshot follows, which replaces them.
  case lagged(dropped: Int)
  /// The states, after one of the requested states has changed.
  case states(SupervisorStates)
  /// An initializer after a change.
  case initializer(InitializerStatus)
  /// An initializer was removed; its last status.
  case initializerRemoved(InitializerStatus)
  /// A pass has started.
  case passStarted(InitializationPass)
  /// A pass has ended.
  ///
  /// If it failed, the states have the error.
  case passEnded(InitializationPass, PassOutcome)
  /// A worker registered or unregistered initializers.
  ///
  /// A client that provides no initializers any more isn't a worker, and its disconnection causes no event.
  case workerConnected(WorkerStatus)
  /// A worker has disconnected.
  case workerDisconnected(WorkerStatus)
  /// A process that the supervisor keeps running, after a change.
  case process(ProcessStatus)
  /// A reload has removed such a process, which has exited; its last status.
  case processRemoved(ProcessStatus)
  /// An output line of a command.
  case log(LogLine)
  /// The supervisor shuts down.
  ///
  /// After the next supervisor has started, a snapshot follows.
  case shutdown
  /// An event of a later version.
  case other(topic: String)

  /// The outcome of a pass.
  public enum PassOutcome: String, Sendable, Hashable, CaseIterable {
    /// Completed.
    case complete
    /// Stopped with an error.
    case failed
    /// Cancelled.
    case cancelled
  }

  /// A line that a command wrote.
  public struct LogLine: Sendable, Hashable {
    /// The name of the initializer.
    public let initializer: String
    /// The run's number.
    public let run: Int
    /// Whether the line was written to standard error.
    public let isError: Bool
    /// The line, without its line break.
    ///
    /// The text may have control characters: escape them before you print it.
    public let text: String
  }

  /// Converts an event of the protocol.
  init(_ event: ReceivedEvent) {
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
      case nil: self = .other(topic: Topic.pass.rawValue)
      }
    case .worker(let event):
      let worker = WorkerStatus(event.worker)
      self = event.connected ? .workerConnected(worker) : .workerDisconnected(worker)
    case .log(let line):
      self = .log(
        LogLine(initializer: line.initializer, run: line.run, isError: line.stream == .stderr, text: line.line))
    case .process(let shape): self = .process(ProcessStatus(shape))
    case .processRemoved(let shape): self = .processRemoved(ProcessStatus(shape))
    case .lagged(let dropped): self = .lagged(dropped: dropped)
    case .shutdown: self = .shutdown
    case .unknown(let topic): self = .other(topic: topic)
    }
  }
}
