public import InitJSON
public import InitWords

extension Status {
  /// A process that the supervisor keeps running (protocol §3, `processes`).
  public struct Process: Sendable, Shape {
    /// The name in the manifest.
    public var name = ""
    /// The process id; nil while it doesn't run.
    public var pid: Int?
    /// The time since the process's last start, in seconds; nil while it doesn't run.
    public var uptime: Double?
    /// How often the process was restarted.
    public var restarts = 0
    /// The cause of the last exit, even with exit status 0, or why the process couldn't be started; nil before that.
    public var lastExit: Cause?
    /// The time of the next restart, in seconds since the Unix epoch; nil if no restart is scheduled.
    public var nextStart: Double?
    /// Whether the process was given up after too many exits; it is restarted only when a client requests it.
    public var givenUp = false
    /// Whether an output that the process took at its start has another value now (S35).
    public var stale: Bool?
    /// The initializers with these outputs; nil if there are none.
    public var earlierOutputs: [String]?
    /// The initializers for whose completion the start waits, if the process has no `ready`; nil if it waits for none.
    public var waitsFor: [String]?
    /// Whether the process is unhealthy; nil if it isn't, or isn't checked (S38).
    public var unhealthy: Bool?
    /// Since when the process is unhealthy, in seconds since the Unix epoch.
    public var unhealthySince: Double?
    /// Why its last check failed, if the process is unhealthy.
    public var failure: String?
    /// Whether somebody runs the process by hand, instead of the supervisor; nil if nobody does (S39).
    public var external: Bool?
    /// Whether somebody answers in its place then.
    public var answers: Bool?
    /// The user who has stopped the process; nil if nobody has.
    public var stoppedBy: String?
    /// When that was, in seconds since the Unix epoch.
    public var stoppedAt: Double?
    /// Why the process isn't started although nothing has failed; otherwise nil.
    public var skipped: Initializer.Skip?

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a process at one moment.
    package init(
      name: String, pid: Int? = nil, uptime: Double? = nil, restarts: Int = 0, lastExit: Cause? = nil,
      nextStart: Double? = nil, givenUp: Bool = false
    ) {
      self.name = name
      self.pid = pid
      self.uptime = uptime
      self.restarts = restarts
      self.lastExit = lastExit
      self.nextStart = nextStart
      self.givenUp = givenUp
    }

    /// Visits the members, in the order in which they are written.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.optional("pid", &pid)
      try json.optional("uptime", &uptime)
      try json.required("restarts", &restarts)
      try json.optional("lastExit", &lastExit)
      try json.optional("nextStart", &nextStart)
      try json.required("givenUp", &givenUp)
      try json.optional("skipped", &skipped)
      try json.optional("stale", &stale)
      try json.optional("earlierOutputs", &earlierOutputs)
      try json.optional("waitsFor", &waitsFor)
      try json.optional("unhealthy", &unhealthy)
      try json.optional("unhealthySince", &unhealthySince)
      try json.optional("failure", &failure)
      try json.optional("external", &external)
      try json.optional("answers", &answers)
      try json.optional("stoppedBy", &stoppedBy)
      try json.optional("stoppedAt", &stoppedAt)
    }
  }
}
