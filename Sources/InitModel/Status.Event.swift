public import InitJSON
public import InitWords

extension Status {
  /// The params of the notification `event` (protocol §5).
  ///
  /// The members of a topic are on the same level as `seq`, `time` and `topic`. The members of a log line are flat too; its `time` is the
  /// event's.
  public struct Event: Sendable, Shape {
    /// The number of the event, one more than that of the previous event; nil for `lagged`, `snapshot` and `shutdown`, which have none.
    public var seq: Int?
    /// The time of the event, in seconds since the Unix epoch; nil if the topic has no time.
    ///
    /// A log line has a time of its own.
    public var time: Double?
    /// What happened.
    public var body: Status.Event.Body

    /// Creates an event with a number.
    package init(seq: Int, time: Double, body: Status.Event.Body) {
      self.seq = seq
      self.time = time
      self.body = body
    }

    /// Creates an event for one connection, without a number: `lagged`, `snapshot` or `shutdown`.
    package init(unnumbered body: Status.Event.Body) {
      self.body = body
    }

    /// Creates an empty value, to be filled by reading.
    public init() { self.init(unnumbered: .shutdown) }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.optional("seq", &seq)
      var topic = body.topic
      try json.required("topic", &topic)
      guard !json.isDescribing else { return Self.describe(&json) }
      if json.isReading { body = try Status.Event.Body.blank(topic, &json) }
      if case .log(var line) = body {
        try line.visit(&json)
        body = .log(line)
        time = line.time
        return
      }
      try json.optional("time", &time)
      try body.visit(&json)
    }

    private static func describe(_ json: inout Members) {
      let bodies: [Body] = [
        .state(StateChange()), .pass(PassChange()), .lagged(dropped: 0), .snapshot(Status()), .shutdown,
      ]
      for var body in bodies {
        json.variant("topic", body.topic) { json throws(ShapeFault) in
          var time: Double?
          try json.optional("time", &time)
          try body.visit(&json)
        }
      }
      json.variant("topic", "log") { json throws(ShapeFault) in
        var line = LogLine()
        try line.visit(&json)
      }
      json.variant("topic", "initializer") { json throws(ShapeFault) in
        var (time, isRemoved): (Double?, Bool?)
        var initializer = Initializer()
        try json.optional("time", &time)
        try json.required("initializer", &initializer)
        try json.optional("removed", &isRemoved)
      }
      json.variant("topic", "worker") { json throws(ShapeFault) in
        var (time, isConnected, isRemoved): (Double?, Bool?, Bool?)
        var worker: Status.Worker?
        var process: Status.Process?
        try json.optional("time", &time)
        try json.optional("worker", &worker)
        try json.optional("connected", &isConnected)
        try json.optional("process", &process)
        try json.optional("removed", &isRemoved)
      }
    }
  }
}

extension Status.Event {
  /// The contents of an event, by topic (protocol §5).
  public enum Body: Sendable, Equatable {
    /// Launch, active, composite or lifecycle changed; all are of the same moment.
    case state(Status.Event.StateChange)
    /// An initializer's shape changed.
    case initializer(Initializer)
    /// An initializer was removed.
    ///
    /// This is the initializer's last shape; its name is free from now on.
    case initializerRemoved(Initializer)
    /// A pass started or ended.
    case pass(Status.Event.PassChange)
    /// A worker connected or disconnected, or its names changed.
    case worker(Status.Event.WorkerChange)
    /// A process that the supervisor keeps running was started, has exited, or was given up; an event of the topic `worker`.
    case process(Status.Process)
    /// A reload has removed such a process, which has exited.
    ///
    /// This is the process's last shape.
    case processRemoved(Status.Process)
    /// A command wrote a line.
    case log(LogLine)
    /// This many events were dropped, because this connection read too slowly.
    case lagged(dropped: Int)
    /// The current Status, after `lagged` and before further events.
    case snapshot(Status)
    /// The supervisor has ended, and closes this connection.
    case shutdown
    /// A topic that this version doesn't know; ignore it.
    case unknown(topic: String)
  }
}

extension Status.Event {
  /// The members of a `state` event (protocol §5).
  public struct StateChange: Sendable, Shape {
    /// The changed states: `launch`, `active`, `composite`, `lifecycle`.
    public var changed: [Word<Topic>] = []
    /// The launch phase's state.
    public var launch = Status.State()
    /// The active phase's state.
    public var active = Status.State()
    /// The composite of both (S1).
    public var composite = Status.State()
    /// The app's lifecycle.
    public var lifecycle: Word<Lifecycle> = .unknown("")
    /// The fencing token of the client that holds the app active with a lease; nil without one.
    public var fence: Int?

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Reports all states at one moment.
    package init(
      changed: [Topic], launch: Status.State, active: Status.State, composite: Status.State, lifecycle: Lifecycle,
      fence: Int? = nil
    ) {
      self.changed = changed.map { .known($0) }
      self.launch = launch
      self.active = active
      self.composite = composite
      self.lifecycle = .known(lifecycle)
      self.fence = fence
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("changed", &changed)
      try json.required("launch", &launch)
      try json.required("active", &active)
      try json.required("composite", &composite)
      try json.required("lifecycle", &lifecycle)
      try json.optional("fence", &fence)
    }
  }
}

extension Status.Event {
  /// The members of a `pass` event (protocol §5).
  public struct PassChange: Sendable, Shape {
    /// The state of the pass.
    public enum StatusWord: String, WireWord {
      /// Started.
      case started
      /// Complete.
      case complete
      /// Failed with an error.
      case failed
      /// Cancelled.
      case cancelled
    }

    /// The number.
    public var pass = 0
    /// The phase that the pass executes.
    public var phase: Word<Phase> = .unknown("")
    /// The status.
    public var status: Word<StatusWord> = .unknown("")

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Reports a pass that started or ended.
    package init(pass: Int, phase: Phase, status: StatusWord) {
      self.pass = pass
      self.phase = .known(phase)
      self.status = .known(status)
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("pass", &pass)
      try json.required("phase", &phase)
      try json.required("status", &status)
    }
  }
}

extension Status.Event {
  /// The members of a `worker` event (protocol §5).
  public struct WorkerChange: Sendable, Shape {
    /// The worker and its initializers, or its former ones.
    public var worker = Status.Worker()
    /// Whether the worker is connected.
    public var connected = false

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Reports a worker that has connected or disconnected.
    package init(worker: Status.Worker, connected: Bool) {
      self.worker = worker
      self.connected = connected
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("worker", &worker)
      try json.required("connected", &connected)
    }
  }
}

extension Status.Event.Body {
  /// The value of `topic`.
  fileprivate var topic: String {
    switch self {
    case .state: "state"
    case .initializer, .initializerRemoved: "initializer"
    case .pass: "pass"
    case .worker, .process, .processRemoved: "worker"
    case .log: "log"
    case .lagged: "lagged"
    case .snapshot: "snapshot"
    case .shutdown: "shutdown"
    case .unknown(let topic): topic
    }
  }

  /// Creates an empty body for a topic, to be filled by reading; `.unknown` for a topic that this version doesn't know.
  fileprivate static func blank(_ topic: String, _ json: inout Members) throws(ShapeFault) -> Status.Event.Body {
    switch topic {
    case "state": return .state(Status.Event.StateChange())
    case "initializer":
      var isRemoved: Bool?
      try json.optional("removed", &isRemoved)
      return isRemoved == true ? .initializerRemoved(Initializer()) : .initializer(Initializer())
    case "pass": return .pass(Status.Event.PassChange())
    case "worker":
      guard json.has("process") else { return .worker(Status.Event.WorkerChange()) }
      var isRemoved: Bool?
      try json.optional("removed", &isRemoved)
      return isRemoved == true ? .processRemoved(Status.Process()) : .process(Status.Process())
    case "log": return .log(LogLine())
    case "lagged": return .lagged(dropped: 0)
    case "snapshot": return .snapshot(Status())
    case "shutdown": return .shutdown
    default: return .unknown(topic: topic)
    }
  }

  fileprivate mutating func visit(_ json: inout Members) throws(ShapeFault) {
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
    case .processRemoved(var shape):
      try json.required("process", &shape)
      var isRemoved = true
      try json.required("removed", &isRemoved)
      self = .processRemoved(shape)
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
