/// The params of the notification `event` (protocol §5).
///
/// A topic's members stand beside `seq`, `time` and `topic`, on one level; a line of a log likewise, so that its `time`
/// is the event's.
public struct EventParams: Sendable, Equatable {
  /// The event's number, one more than the previous one's; nil for `lagged`, `snapshot` and `shutdown`, which have none.
  public var seq: Int?
  /// When it happened, in seconds since the Unix epoch; nil where the topic has none. A log line brings its own.
  public var time: Double?
  /// What happened.
  public var body: EventBody

  /// An event of the supervisor's sequence.
  public init(seq: Int, time: Double, body: EventBody) {
    self.seq = seq
    self.time = time
    self.body = body
  }

  /// An event for one connection, outside of the sequence: `lagged`, `snapshot` or `shutdown`.
  public init(unnumbered body: EventBody) {
    self.body = body
  }
}

/// What happened, by topic (protocol §5).
public enum EventBody: Sendable, Equatable {
  /// Launch, active, composite or lifecycle changed; all of them, of one moment.
  case state(StateEvent)
  /// An initializer's shape changed.
  case initializer(InitializerShape)
  /// An initializer was removed. This is its last shape; the name isn't known any more.
  case initializerRemoved(InitializerShape)
  /// A pass started or ended.
  case pass(PassEvent)
  /// A worker came or went.
  case worker(WorkerEvent)
  /// A process that the supervisor keeps running was started, ended, or was given up; an event of the topic `worker`.
  case process(ProcessShape)
  /// An output line of a command.
  case log(LogLineShape)
  /// This connection read too slowly, and that many events were dropped.
  case lagged(dropped: Int)
  /// The Status, after `lagged`; later events follow it.
  case snapshot(StatusShape)
  /// The supervisor shuts down, and closes this connection.
  case shutdown
  /// A topic that this version doesn't know; to be ignored.
  case unknown(topic: String)
}

/// The members of a `state` event (protocol §5).
public struct StateEvent: Codable, Sendable, Equatable {
  /// Which of them changed: `launch`, `active`, `composite`, `lifecycle`.
  public var changed: [Word<Topic>]
  /// The launch phase's state.
  public var launch: StateShape
  /// The active phase's state.
  public var active: StateShape
  /// Both together (S1).
  public var composite: StateShape
  /// The lifecycle.
  public var lifecycle: Word<LifecycleName>

  /// All states of one moment.
  public init(
    changed: [Topic], launch: StateShape, active: StateShape, composite: StateShape, lifecycle: LifecycleName
  ) {
    self.changed = changed.map { .known($0) }
    self.launch = launch
    self.active = active
    self.composite = composite
    self.lifecycle = .known(lifecycle)
  }
}

/// The members of a `pass` event (protocol §5).
public struct PassEvent: Codable, Sendable, Equatable {
  /// The status of the pass.
  public enum Status: String, Codable, Sendable, Equatable, CaseIterable {
    /// It began.
    case started
    /// It completed.
    case complete
    /// It failed.
    case failed
    /// It was cancelled.
    case cancelled
  }

  /// Its number.
  public var pass: Int
  /// Which phase it executes.
  public var phase: Word<PhaseName>
  /// What became of it.
  public var status: Word<Status>

  /// A pass that started or ended.
  public init(pass: Int, phase: PhaseName, status: Status) {
    self.pass = pass
    self.phase = .known(phase)
    self.status = .known(status)
  }
}

/// The members of a `worker` event (protocol §5).
public struct WorkerEvent: Codable, Sendable, Equatable {
  /// The worker, with the initializers that it provides or provided.
  public var worker: WorkerShape
  /// Whether it is connected.
  public var connected: Bool

  /// A worker that came or went.
  public init(worker: WorkerShape, connected: Bool) {
    self.worker = worker
    self.connected = connected
  }
}

extension EventParams: Codable {
  private enum Key: CodingKey { case seq, time, topic, initializer, removed, process, dropped, snapshot }

  /// Reads an event; a topic that this version doesn't know is `.unknown`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    seq = try container.decodeIfPresent(Int.self, forKey: .seq)
    time = try container.decodeIfPresent(Double.self, forKey: .time)
    let topic = try container.decode(String.self, forKey: .topic)
    body =
      switch topic {
      case "state": .state(try StateEvent(from: decoder))
      case "initializer":
        try container.decodeIfPresent(Bool.self, forKey: .removed) == true
          ? .initializerRemoved(try container.decode(InitializerShape.self, forKey: .initializer))
          : .initializer(try container.decode(InitializerShape.self, forKey: .initializer))
      case "pass": .pass(try PassEvent(from: decoder))
      case "worker" where container.contains(.process):
        .process(try container.decode(ProcessShape.self, forKey: .process))
      case "worker": .worker(try WorkerEvent(from: decoder))
      case "log": .log(try LogLineShape(from: decoder))
      case "lagged": .lagged(dropped: try container.decode(Int.self, forKey: .dropped))
      case "snapshot": .snapshot(try container.decode(StatusShape.self, forKey: .snapshot))
      case "shutdown": .shutdown
      default: .unknown(topic: topic)
      }
  }

  /// Writes an event.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encodeIfPresent(seq, forKey: .seq)
    try container.encode(topic, forKey: .topic)
    if case .log(let line) = body {
      return try line.encode(to: encoder)
    }
    try container.encodeIfPresent(time, forKey: .time)
    switch body {
    case .state(let event): try event.encode(to: encoder)
    case .initializer(let initializer): try container.encode(initializer, forKey: .initializer)
    case .initializerRemoved(let initializer):
      try container.encode(initializer, forKey: .initializer)
      try container.encode(true, forKey: .removed)
    case .pass(let event): try event.encode(to: encoder)
    case .worker(let event): try event.encode(to: encoder)
    case .process(let process): try container.encode(process, forKey: .process)
    case .lagged(let dropped): try container.encode(dropped, forKey: .dropped)
    case .snapshot(let status): try container.encode(status, forKey: .snapshot)
    case .log, .shutdown, .unknown: break
    }
  }

  /// What `topic` says.
  public var topic: String {
    switch body {
    case .state: "state"
    case .initializer, .initializerRemoved: "initializer"
    case .pass: "pass"
    case .worker, .process: "worker"
    case .log: "log"
    case .lagged: "lagged"
    case .snapshot: "snapshot"
    case .shutdown: "shutdown"
    case .unknown(let topic): topic
    }
  }
}
