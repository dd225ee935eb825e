// The results of requests (protocol §2, §4). The result of `status` is a Status, that of `wait` a Status.State, and that of `ping` its
// params.

package import InitJSON
package import InitModel

/// The result of `release`, `unsubscribe`, `unregister`, `shutdown` and `run`: `{}`.
package struct EmptyResult: Shape {
  /// Creates the result `{}`.
  package init() {}
  /// Visits no members; unknown members are ignored.
  package mutating func visit(_ json: inout Members) {}
}

/// The result of `hello` (protocol §2).
package struct HelloResult: Sendable, Shape {
  /// `limits`: the supervisor's limits.
  package struct Limits: Shape {
    /// The maximum payload in bytes that the supervisor accepts.
    package var frameBytes: Int

    /// Creates the limits of a supervisor.
    package init(frameBytes: Int) { self.frameBytes = frameBytes }
    /// Creates an empty value, to be filled by reading.
    package init() { self.init(frameBytes: 0) }
    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("frameBytes", &frameBytes)
    }
  }

  /// `protocol`: the version that both sides use.
  package var protocolVersion = 0
  /// The supervisor's program.
  package var server = HelloParams.Program()
  /// Identifies one execution of a supervisor: different after every start.
  package var instance = ""
  /// The supervisor's process id.
  package var pid = 0
  /// The supervisor's limits.
  package var limits = Limits()

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `hello`.
  package init(protocolVersion: Int, server: HelloParams.Program, instance: String, pid: Int, limits: Limits) {
    self.protocolVersion = protocolVersion
    self.server = server
    self.instance = instance
    self.pid = pid
    self.limits = limits
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("protocol", &protocolVersion)
    try json.required("server", &server)
    try json.required("instance", &instance)
    try json.required("pid", &pid)
    try json.required("limits", &limits)
  }
}

/// The result of `launch`.
package struct LaunchResult: Sendable, Shape {
  /// The pass that `launch` started or joined, or the last launch pass.
  package var pass = 0
  /// The launch state after the request.
  package var launch = Status.State()

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `launch`.
  package init(pass: Int, launch: Status.State) {
    self.pass = pass
    self.launch = launch
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("launch", &launch)
  }
}

/// The result of `activate`.
package struct ActivateResult: Sendable, Shape {
  /// The pass that `activate` started or joined; if it only added a hold, the last active pass.
  package var pass = 0
  /// The active state after the request.
  package var active = Status.State()
  /// The launch state at the same moment.
  package var launch = Status.State()
  /// How long a run may take to stop, in seconds; nil without a lease.
  package var cancelGrace: Double?
  /// The client that decides when the app is active, if no lease holds the app active; nil unless the activation was forced.
  package var manager: String?

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `activate`.
  package init(
    pass: Int, active: Status.State, launch: Status.State, cancelGrace: Double? = nil, manager: String? = nil
  ) {
    self.pass = pass
    self.active = active
    self.launch = launch
    self.cancelGrace = cancelGrace
    self.manager = manager
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("pass", &pass)
    try json.required("active", &active)
    try json.required("launch", &launch)
    try json.optional("cancelGrace", &cancelGrace)
    try json.optional("manager", &manager)
  }
}

/// The result of `manage`.
package struct ManageResult: Sendable, Shape {
  /// How long a run may take to stop, in seconds; nil from a supervisor that doesn't tell it.
  package var cancelGrace: Double?

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `manage`.
  package init(cancelGrace: Double) { self.cancelGrace = cancelGrace }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("cancelGrace", &cancelGrace)
  }
}

/// The result of `shutdown`.
package struct ShutdownResult: Sendable, Shape {
  /// Whether the supervisor's process ends with it; left out if not, because the process has other work.
  package var exits: Bool?

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `shutdown`.
  package init(exits: Bool) { self.exits = exits ? true : nil }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("exits", &exits)
  }
}

/// The result of `rerun`.
package struct RerunResult: Sendable, Shape {
  /// The passes in which the initializers run again, in the order of the phases.
  package var passes: [Int] = []

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `rerun`.
  package init(passes: [Int]) { self.passes = passes }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("passes", &passes)
  }
}

/// The result of `deactivate` and `cancelRun`.
package struct DeactivateResult: Sendable, Shape {
  /// The initializers whose runs the request cancelled, or that it cancelled between two attempts.
  package var cancelled: [String] = []

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `deactivate`.
  package init(cancelled: [String]) { self.cancelled = cancelled }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("cancelled", &cancelled)
  }
}

/// The result of `subscribe`.
package struct SubscribeResult: Sendable, Shape {
  /// The Status that the following events continue from.
  package var snapshot = Status()

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `subscribe`.
  package init(snapshot: Status) { self.snapshot = snapshot }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("snapshot", &snapshot)
  }
}

/// The result of `register`.
package struct RegisterResult: Sendable, Shape {
  /// The names that this connection now provides.
  package var registered: [String] = []

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `register`.
  package init(registered: [String]) { self.registered = registered }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("registered", &registered)
  }
}

/// The result of `logs`.
package struct LogsResult: Sendable, Shape {
  /// The last lines, oldest first.
  package var lines: [LogLine] = []
  /// Whether the request matches older lines; left out if not.
  package var more: Bool?
  /// The position of the older lines: use it as `before` in the same request.
  package var before: LogsPosition?
  /// How many of the requested lines, without `limit`, aren't kept any more; left out if none.
  package var dropped: Int?
  /// The limit that caused the last of these to be dropped: `logLines` or `logBytes`.
  package var droppedBy: String?

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `logs`: all lines, or a page and the position of the next page.
  package init(lines: [LogLine], before: LogsPosition? = nil) {
    self.lines = lines
    self.before = before
    more = before.map { _ in true }
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("lines", &lines)
    try json.optional("more", &more)
    try json.optional("before", &before)
    try json.optional("dropped", &dropped)
    try json.optional("droppedBy", &droppedBy)
  }
}

/// The result of `history`.
package struct HistoryResult: Sendable, Shape {
  /// The last passes, the newest last.
  package var passes: [Pass] = []
  /// Summaries of the last passes, the newest last, if the request asked for them.
  package var summaries: [Pass.Times]?
  /// The usual duration of each phase, if the request asked for it; a phase without a complete pass is absent.
  package var usual: [Usual]?
  /// Whether the request matches older passes or elements; left out if not.
  package var more: Bool?
  /// The position of the older passes: use it as `before` in the same request.
  package var before: HistoryPosition?

  /// Creates an empty value, to be filled by reading.
  package init() {}

  /// Creates the answer to `history`: all passes, or a page and the position of the next page.
  package init(
    passes: [Pass], summaries: [Pass.Times]? = nil, usual: [Usual]? = nil,
    before: HistoryPosition? = nil
  ) {
    self.passes = passes
    self.summaries = summaries
    self.usual = usual
    self.before = before
    more = before.map { _ in true }
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("passes", &passes)
    try json.optional("summaries", &summaries)
    try json.optional("usual", &usual)
    try json.optional("more", &more)
    try json.optional("before", &before)
  }
}
