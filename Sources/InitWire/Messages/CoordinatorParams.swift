// Messages between the supervisor and its coordinator (PROTOCOL.md, "The coordinator"). The coordinator is the client that decides which
// host of a fleet runs initializers marked `once`.

package import InitJSON
package import InitModel
package import InitWords

/// The result of `coordinate`.
package struct CoordinateResult: Sendable, Shape {
  /// An initializer that is marked `once`.
  package struct Once: Sendable, Shape {
    /// The name.
    package var initializer = ""
    /// The release of an initializer that runs once for it.
    package var release = ""

    /// Describes an initializer and its release.
    package init(initializer: String, release: String) {
      self.initializer = initializer
      self.release = release
    }
    package init() {}
    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("initializer", &initializer)
      try json.required("release", &release)
    }
  }

  /// The maximum time for a run to stop before it is killed, in seconds (S13).
  ///
  /// A lease must be longer.
  package var cancelGrace = 0.0
  /// The initializers that are marked `once`, in order.
  package var once: [Once] = []

  package init() {}

  /// Creates the answer to `coordinate`.
  package init(cancelGrace: Double, once: [Once]) {
    self.cancelGrace = cancelGrace
    self.once = once
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("cancelGrace", &cancelGrace)
    try json.required("once", &once)
  }
}

/// Params of the request `claim`, with which the supervisor asks its coordinator whether this host may run an
/// initializer that is marked `once`.
package struct ClaimParams: Sendable, Shape {
  /// The run's number, which also identifies the claim.
  package var run = 0
  /// The initializer.
  package var initializer = ""
  /// The release of an initializer that runs once for it.
  package var release = ""
  /// The number of the pass.
  package var pass = 0
  /// The phase of that pass.
  package var phase: Word<Phase> = .unknown("")
  /// The number of the attempt in the pass, from 1 (S16).
  package var attempt = 1
  /// The timeout in seconds (S15); nil for no limit.
  package var timeout: Double?
  /// Whether the output is secret: then it isn't recorded, and each host must run the initializer.
  package var secret = false
  /// The kind of the provider; a command ends with its supervisor, but a worker need not.
  package var provider: Word<ProviderKind> = .unknown("")

  package init() {}

  /// Creates a claim.
  package init(
    run: Int, initializer: String, release: String, pass: Int, phase: Phase, attempt: Int, timeout: Double?,
    secret: Bool, provider: ProviderKind
  ) {
    self.run = run
    self.initializer = initializer
    self.release = release
    self.pass = pass
    self.phase = .known(phase)
    self.attempt = attempt
    self.timeout = timeout
    self.secret = secret
    self.provider = .known(provider)
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.required("initializer", &initializer, .initializerName)
    try json.required("release", &release)
    try json.required("pass", &pass, .positive)
    try json.required("phase", &phase)
    try json.required("attempt", &attempt, .positive)
    try json.optional("timeout", &timeout, .seconds)
    try json.optional("secret", &secret)
    try json.optional("provider", &provider)
  }
}

/// The result of `claim`.
package struct ClaimResult: Sendable, Shape {
  /// What the supervisor must do.
  package enum Decision: String, Sendable, Hashable, CaseIterable {
    /// Run the initializer.
    case run
    /// Another host has completed the initializer for this release.
    case done
  }

  /// What the supervisor must do.
  package var decision: Word<Decision> = .unknown("")
  /// The fencing token, larger than the tokens of all earlier runs: for `run`.
  package var fence: Int?
  /// How long the claim is held, in seconds, unless `renew` extends it: for `run`.
  ///
  /// nil until the run has ended.
  package var lease: Double?
  /// The moment from which the lease counts, in seconds by CLOCK_MONOTONIC; nil for the moment in which the supervisor reads this.
  package var at: Double?
  /// The same moment by CLOCK_BOOTTIME, which also counts the time while the machine was suspended.
  ///
  /// This moment takes precedence over `at`.
  package var boot: Double?
  /// The recorded output: for `done`.
  package var output: RawJSON?
  /// The decision, for people.
  package var message: String?

  package init() {}

  /// Creates the decision to run the initializer.
  package static func run(
    fence: Int, lease: Double? = nil, at: Double? = nil, boot: Double? = nil, message: String? = nil
  ) -> ClaimResult {
    var result = ClaimResult()
    result.decision = .known(.run)
    result.fence = fence
    result.lease = lease
    result.at = at
    result.boot = boot
    result.message = message
    return result
  }

  /// Creates the decision that another host has completed the initializer.
  package static func done(output: RawJSON?, message: String? = nil) -> ClaimResult {
    var result = ClaimResult()
    result.decision = .known(.done)
    result.output = output
    result.message = message
    return result
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("decision", &decision)
    try json.optional("fence", &fence, .positive)
    try json.optional("lease", &lease, .seconds)
    try json.optional("at", &at, .seconds)
    try json.optional("boot", &boot, .seconds)
    try json.optional("output", &output)
    try json.optional("message", &message)
  }
}

/// Params of the request `complete`, from the supervisor to its coordinator: record that a claimed run has completed.
package struct CompleteParams: Sendable, Shape {
  /// The run.
  package var run = 0
  /// The output, unless it is secret or missing.
  package var output: RawJSON?
  /// Whether the output is secret: then each host must run the initializer.
  package var secret = false

  package init() {}

  /// Reports a completed run.
  package init(run: Int, output: RawJSON?, secret: Bool = false) {
    self.run = run
    self.output = output
    self.secret = secret
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.optional("output", &output)
    try json.optional("secret", &secret)
  }
}

/// Params of the notification `unclaim`, from the supervisor to its coordinator: a claim has ended without a completion.
package struct UnclaimParams: Sendable, Shape {
  /// The outcome of the run.
  package enum Outcome: String, Sendable, Hashable, CaseIterable { case failed, cancelled }

  /// The run.
  package var run = 0
  /// The outcome.
  package var outcome: Word<Outcome> = .unknown("")
  /// Why the run has failed, for people.
  package var message: String?
  /// False if the work may not have stopped, because the connection of its worker was lost or closed.
  package var stopped = true

  package init() {}

  /// Reports how a claim ended.
  package init(run: Int, outcome: Outcome, message: String? = nil) {
    self.run = run
    self.outcome = .known(outcome)
    self.message = message
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.required("outcome", &outcome)
    try json.optional("message", &message)
    try json.optional("stopped", &stopped)
  }
}

/// Params of the notification `renew`: a claim is held for longer, from the coordinator; or a hold.
package struct RenewParams: Sendable, Shape {
  /// The run; nil for this connection's hold.
  package var run: Int?
  /// How long the claim or hold lasts, in seconds.
  package var lease = 0.0
  /// The moment from which the lease counts, in seconds by CLOCK_MONOTONIC; nil for the moment in which the supervisor reads this.
  package var at: Double?
  /// The same moment by CLOCK_BOOTTIME, which also counts the time while the machine was suspended.
  ///
  /// This moment takes precedence over `at`.
  package var boot: Double?

  package init() {}

  /// Renews a claim or a hold.
  package init(run: Int? = nil, lease: Double, at: Double? = nil, boot: Double? = nil) {
    self.run = run
    self.lease = lease
    self.at = at
    self.boot = boot
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.optional("run", &run, .positive)
    try json.required("lease", &lease, .seconds)
    try json.optional("at", &at, .seconds)
    try json.optional("boot", &boot, .seconds)
  }
}

/// Params of the notification `revoke`, from the coordinator: a claim is lost, so its run must stop.
package struct RevokeParams: Sendable, Shape {
  /// The run.
  package var run = 0
  /// The reason, for people.
  package var message: String?

  package init() {}

  /// Reports a lost claim.
  package init(run: Int, message: String?) {
    self.run = run
    self.message = message
  }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.optional("message", &message)
  }
}
