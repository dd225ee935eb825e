internal import InitWire

/// The value of the key `claim`: which host runs an initializer.
struct ClaimRecord: Shape {
  /// The name of the host.
  var host = ""
  /// Identifies the agent's connection to its supervisor, and the run.
  var owner = ""

  init() {}
  init(host: String, owner: String) { (self.host, self.owner) = (host, owner) }

  mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("host", &host)
    try json.required("owner", &owner)
  }
}

/// The value of the key `done`: which host has completed an initializer.
struct DoneRecord: Shape {
  /// The name of the host.
  var host = ""
  /// When it was recorded, in seconds since the Unix epoch, by that host's clock.
  var time = 0.0
  /// The fencing token of the run.
  var fence = 0
  /// Its output; nil if there is none, or it is secret.
  var output: RawJSON?
  /// Whether its output is secret, so that each host needs a run of its own.
  var secret = false

  init() {}
  init(host: String, time: Double, fence: Int, output: RawJSON?, secret: Bool) {
    (self.host, self.time, self.fence, self.output, self.secret) = (host, time, fence, output, secret)
  }

  mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("host", &host)
    try json.required("time", &time)
    try json.required("fence", &fence)
    try json.optional("output", &output)
    try json.optional("secret", &secret)
  }
}
