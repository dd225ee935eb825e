/// The params of the notification `event` (protocol §5).
///
/// A topic's members stand beside `seq`, `time` and `topic`, on one level; a line of a log likewise, so that its `time`
/// is the event's.
public struct EventParams: Sendable, Equatable {
  /// The event's number, one above the last one's; nil for `lagged`, `snapshot` and `shutdown`, which have none.
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

  /// A word to one connection, outside of the sequence: `lagged`, `snapshot` or `shutdown`.
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
  /// An initializer was taken away. This is its last shape, and its name is nobody's from now on.
  case initializerRemoved(InitializerShape)
  /// A pass started or ended.
  case pass(PassEvent)
  /// A worker came or went.
  case worker(WorkerEvent)
  /// A process that the supervisor keeps running was started, ended, or was given up; an event of the topic `worker`.
  case process(ProcessShape)
  /// A command wrote a line.
  case log(LogLineShape)
  /// This connection read too slowly, and that many events were dropped.
  case lagged(dropped: Int)
  /// What is, before events go on after `lagged`.
  case snapshot(StatusShape)
  /// The supervisor ends, and this connection with it.
  case shutdown
  /// A topic that this version doesn't know; to be ignored.
  case unknown(topic: String)
}

/// The members of a `state` event (protocol §5).
public struct StateEvent: Sendable, Equatable {
  /// Which of them changed: `launch`, `active`, `composite`, `lifecycle`.
  public var changed: [Word<Topic>] = []
  /// The launch phase's state.
  public var launch = StateShape()
  /// The active phase's state.
  public var active = StateShape()
  /// Both together (S1).
  public var composite = StateShape()
  /// Where the app is.
  public var lifecycle: Word<Lifecycle> = .unknown("")

  /// A blank, to read into.
  package init() {}

  /// All states of one moment.
  public init(
    changed: [Topic], launch: StateShape, active: StateShape, composite: StateShape, lifecycle: Lifecycle
  ) {
    self.changed = changed.map { .known($0) }
    self.launch = launch
    self.active = active
    self.composite = composite
    self.lifecycle = .known(lifecycle)
  }
}

/// The members of a `pass` event (protocol §5).
public struct PassEvent: Sendable, Equatable {
  /// What became of the pass.
  public enum Status: String, WireWord {
    /// It began.
    case started
    /// It ended, and did what it should.
    case complete
    /// It ended with an error.
    case failed
    /// It was cancelled.
    case cancelled
  }

  /// Its number.
  public var pass = 0
  /// Which phase it executes.
  public var phase: Word<Phase> = .unknown("")
  /// What became of it.
  public var status: Word<Status> = .unknown("")

  /// A blank, to read into.
  package init() {}

  /// A pass that started or ended.
  public init(pass: Int, phase: Phase, status: Status) {
    self.pass = pass
    self.phase = .known(phase)
    self.status = .known(status)
  }
}

/// The members of a `worker` event (protocol §5).
public struct WorkerEvent: Sendable, Equatable {
  /// The worker and what it provides, or provided.
  public var worker = WorkerShape()
  /// Whether it is there now.
  public var connected = false

  /// A blank, to read into.
  package init() {}

  /// A worker that came or went.
  public init(worker: WorkerShape, connected: Bool) {
    self.worker = worker
    self.connected = connected
  }
}

extension EventParams: Shape {
  /// A blank, to read into.
  package init() { self.init(unnumbered: .shutdown) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("seq", &seq)
    var topic = topic
    try json.required("topic", &topic)
    if json.isReading { body = try EventBody.blank(topic, &json) }
    if case .log(var line) = body {
      try line.visit(&json)
      body = .log(line)
      // It has the line's time.
      if json.isReading { try json.optional("time", &time) }
      return
    }
    try json.optional("time", &time)
    try body.visit(&json)
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

extension EventBody {
  /// A body to read into, for a topic; a topic that this version doesn't know is `.unknown`.
  fileprivate static func blank(_ topic: String, _ json: inout some Members) throws(ShapeFault) -> EventBody {
    switch topic {
    case "state": return .state(StateEvent())
    case "initializer":
      var isRemoved: Bool?
      try json.optional("removed", &isRemoved)
      return isRemoved == true ? .initializerRemoved(InitializerShape()) : .initializer(InitializerShape())
    case "pass": return .pass(PassEvent())
    case "worker": return json.has("process") ? .process(ProcessShape()) : .worker(WorkerEvent())
    case "log": return .log(LogLineShape())
    case "lagged": return .lagged(dropped: 0)
    case "snapshot": return .snapshot(StatusShape())
    case "shutdown": return .shutdown
    default: return .unknown(topic: topic)
    }
  }

  fileprivate mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    switch self {
    case .state(var event):
      try event.visit(&json)
      self = .state(event)
    case .initializer(var shape):
      try json.required("initializer", &shape)
      self = .initializer(shape)
    case .initializerRemoved(var shape):
      try json.required("initializer", &shape)
      var isRemoved = true
      try json.required("removed", &isRemoved)
      self = .initializerRemoved(shape)
    case .pass(var event):
      try event.visit(&json)
      self = .pass(event)
    case .worker(var event):
      try event.visit(&json)
      self = .worker(event)
    case .process(var shape):
      try json.required("process", &shape)
      self = .process(shape)
    case .lagged(var dropped):
      try json.required("dropped", &dropped)
      self = .lagged(dropped: dropped)
    case .snapshot(var status):
      try json.required("snapshot", &status)
      self = .snapshot(status)
    case .log, .shutdown, .unknown: break
    }
  }
}

extension StateEvent: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("changed", &changed)
    try json.required("launch", &launch)
    try json.required("active", &active)
    try json.required("composite", &composite)
    try json.required("lifecycle", &lifecycle)
  }
}

extension PassEvent: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("phase", &phase)
    try json.required("status", &status)
  }
}

extension WorkerEvent: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("worker", &worker)
    try json.required("connected", &connected)
  }
}
