package import InitJSON
package import InitModel
package import InitWords

/// Asks the coordinator whether this host may run an initializer that is marked `once`.
package struct ClaimRequest: Request, Shape {
  package static let method = "claim"

  /// The run's number, which also identifies the claim.
  package var run = 0
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
    try json.sent("secret", &secret)
    try json.optional("provider", &provider)
  }

  /// The result of `claim`.
  package struct Result: Sendable, Shape {
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
    ) -> ClaimRequest.Result {
      var result = ClaimRequest.Result()
      result.decision = .known(.run)
      result.fence = fence
      result.lease = lease
      result.at = at
      result.boot = boot
      result.message = message
      return result
    }

    /// Creates the decision that another host has completed the initializer.
    package static func done(output: RawJSON?, message: String? = nil) -> ClaimRequest.Result {
      var result = ClaimRequest.Result()
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
}
