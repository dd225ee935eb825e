// What requests are answered with (protocol §2, §4). `status` is answered with a StatusShape, `wait` with a StateShape,
// `ping` with the params as they came.

/// The result of `release`, `unsubscribe`, `unregister`, `shutdown` and `run`: `{}`.
public struct EmptyResult: Shape {
  /// `{}`
  public init() {}
  /// Unknown members are ignored.
  package mutating func visit(_ json: inout some Members) {}
}

/// The result of `hello` (protocol §2).
public struct HelloResult: Sendable, Equatable {
  /// `limits`: what the supervisor takes.
  public struct Limits: Shape {
    /// The largest payload towards the supervisor, in bytes.
    public var frameBytes: Int

    /// The limits of a supervisor.
    public init(frameBytes: Int) { self.frameBytes = frameBytes }
    /// A blank, to read into.
    package init() { self.init(frameBytes: 0) }
    package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
      try json.required("frameBytes", &frameBytes)
    }
  }

  /// `protocol`: the version that both will speak.
  public var protocolVersion = 0
  /// Which program the supervisor is.
  public var server = ProgramShape()
  /// Which life of the supervisor this is: different after every start.
  public var instance = ""
  /// The supervisor's process.
  public var pid = 0
  /// What the supervisor takes.
  public var limits = Limits()

  /// A blank, to read into.
  package init() {}

  /// The answer to `hello`.
  public init(protocolVersion: Int, server: ProgramShape, instance: String, pid: Int, limits: Limits) {
    self.protocolVersion = protocolVersion
    self.server = server
    self.instance = instance
    self.pid = pid
    self.limits = limits
  }
}

/// The result of `launch`.
public struct LaunchResult: Sendable, Equatable {
  /// The pass it started or joined, or the last one.
  public var pass = 0
  /// The launch state once the event is taken.
  public var launch = StateShape()

  /// A blank, to read into.
  package init() {}

  /// The answer to `launch`.
  public init(pass: Int, launch: StateShape) {
    self.pass = pass
    self.launch = launch
  }
}

/// The result of `activate`.
public struct ActivateResult: Sendable, Equatable {
  /// The pass it started or joined; where only a hold was added, the last active pass.
  public var pass = 0
  /// The active state once the event is taken.
  public var active = StateShape()
  /// The launch state at that moment.
  public var launch = StateShape()

  /// A blank, to read into.
  package init() {}

  /// The answer to `activate`.
  public init(pass: Int, active: StateShape, launch: StateShape) {
    self.pass = pass
    self.active = active
    self.launch = launch
  }
}

/// The result of `deactivate`.
public struct DeactivateResult: Sendable, Equatable {
  /// The names that were running and that this call cancelled.
  public var cancelled: [String] = []

  /// A blank, to read into.
  package init() {}

  /// The answer to `deactivate`.
  public init(cancelled: [String]) { self.cancelled = cancelled }
}

/// The result of `subscribe`.
public struct SubscribeResult: Sendable, Equatable {
  /// The picture that the events which follow go on from.
  public var snapshot = StatusShape()

  /// A blank, to read into.
  package init() {}

  /// The answer to `subscribe`.
  public init(snapshot: StatusShape) { self.snapshot = snapshot }
}

/// The result of `register`.
public struct RegisterResult: Sendable, Equatable {
  /// The names that this connection now provides.
  public var registered: [String] = []

  /// A blank, to read into.
  package init() {}

  /// The answer to `register`.
  public init(registered: [String]) { self.registered = registered }
}

/// The result of `logs`.
public struct LogsResult: Sendable, Equatable {
  /// The last lines, oldest first.
  public var lines: [LogLineShape] = []

  /// A blank, to read into.
  package init() {}

  /// The answer to `logs`.
  public init(lines: [LogLineShape]) { self.lines = lines }
}

/// The result of `history`.
public struct HistoryResult: Sendable, Equatable {
  /// The last passes, the newest last.
  public var passes: [PassShape] = []

  /// A blank, to read into.
  package init() {}

  /// The answer to `history`.
  public init(passes: [PassShape]) { self.passes = passes }
}

extension HelloResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("protocol", &protocolVersion)
    try json.required("server", &server)
    try json.required("instance", &instance)
    try json.required("pid", &pid)
    try json.required("limits", &limits)
  }
}

extension LaunchResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("launch", &launch)
  }
}

extension ActivateResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("active", &active)
    try json.required("launch", &launch)
  }
}

extension DeactivateResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("cancelled", &cancelled)
  }
}

extension SubscribeResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("snapshot", &snapshot)
  }
}

extension RegisterResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("registered", &registered)
  }
}

extension LogsResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("lines", &lines)
  }
}

extension HistoryResult: Shape {
  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("passes", &passes)
  }
}
