package import InitJSON
package import InitWords

/// A process that the supervisor keeps running (protocol §3, `processes`).
package struct ProcessShape: Sendable, Shape {
  /// The name in the manifest.
  package var name = ""
  /// The process id; nil while it doesn't run.
  package var pid: Int?
  /// The time since the process's last start, in seconds; nil while it doesn't run.
  package var uptime: Double?
  /// How often the process was restarted.
  package var restarts = 0
  /// The cause of the last exit, even with exit status 0, or why the process couldn't be started; nil before that.
  package var lastExit: Cause?
  /// The time of the next restart, in seconds since the Unix epoch; nil if no restart is scheduled.
  package var nextStart: Double?
  /// Whether the process was given up after too many exits; it is restarted only when a client requests it.
  package var givenUp = false
  /// Why the process isn't started although nothing has failed; otherwise nil.
  package var skipped: SkippedShape?

  /// Creates an empty value, to be filled by reading.
  package init() {}

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

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("name", &name)
    try json.optional("pid", &pid)
    try json.optional("uptime", &uptime)
    try json.required("restarts", &restarts)
    try json.optional("lastExit", &lastExit)
    try json.optional("nextStart", &nextStart)
    try json.required("givenUp", &givenUp)
    try json.optional("skipped", &skipped)
  }
}
