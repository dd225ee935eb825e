package import InitJSON

/// The value of the key `claim`: which host runs an initializer.
package struct ClaimRecord: Shape {
  /// The name of the host.
  package var host = ""
  /// Identifies the agent's connection to its supervisor, and the run.
  package var owner = ""
  /// What the run reports, for people.
  package var progress: String?

  package init() {}
  package init(host: String, owner: String, progress: String? = nil) {
    self.host = host
    self.owner = owner
    self.progress = progress
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("host", &host)
    try json.required("owner", &owner)
    try json.optional("progress", &progress)
  }
}

/// The value of the key `failed`: the last failure of an initializer.
package struct FailureRecord: Shape {
  /// The name of the host.
  package var host = ""
  /// When it was recorded, in seconds since the Unix epoch, by that host's clock.
  package var time = 0.0
  /// The fencing token of the run.
  package var fence = 0
  /// The reason, for people.
  package var message = ""

  package init() {}
  package init(host: String, time: Double, fence: Int, message: String) {
    self.host = host
    self.time = time
    self.fence = fence
    self.message = message
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("host", &host)
    try json.required("time", &time)
    try json.required("fence", &fence)
    try json.required("message", &message)
  }
}

/// The value of the key `done`: which host has completed an initializer.
package struct DoneRecord: Shape {
  /// The name of the host.
  package var host = ""
  /// When it was recorded, in seconds since the Unix epoch, by that host's clock.
  package var time = 0.0
  /// The fencing token of the run.
  package var fence = 0
  /// The output; nil if there is none, or it is secret.
  package var output: RawJSON?
  /// Whether its output is secret, so each host needs a run of its own.
  package var secret = false

  package init() {}
  package init(host: String, time: Double, fence: Int, output: RawJSON?, secret: Bool) {
    self.host = host
    self.time = time
    self.fence = fence
    self.output = output
    self.secret = secret
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("host", &host)
    try json.required("time", &time)
    try json.required("fence", &fence)
    try json.optional("output", &output)
    try json.optional("secret", &secret)
  }
}
