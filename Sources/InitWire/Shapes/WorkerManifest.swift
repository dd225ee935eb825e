package import InitJSON

/// A valid manifest of a worker, as `initd --check-worker FILE` prints it: the initializers that `initctl worker` registers and runs.
package struct WorkerManifest: Sendable, Equatable {
  /// The grace unless the manifest sets it, in seconds: a little shorter than that of supervisors (5 s), so the answer to a cancelled run
  /// is in time even if its command has to be killed.
  package static let usualCancelGraceSeconds = 4.5
  /// The same as a duration.
  package static var usualCancelGrace: Duration { .seconds(usualCancelGraceSeconds) }

  /// The maximum time for a command to exit after SIGTERM before it is killed, in seconds.
  package var cancelGrace: Double
  /// The initializers, in the order of registration.
  package var initializers: [WorkerManifest.Command]

  /// Creates a manifest of a worker.
  package init(cancelGrace: Double = usualCancelGraceSeconds, initializers: [WorkerManifest.Command]) {
    self.cancelGrace = cancelGrace
    self.initializers = initializers
  }

  package init() { self.init(initializers: []) }
}

extension WorkerManifest {
  /// An initializer of a worker that is run by a command.
  package struct Command: Sendable, Equatable {
    /// What the worker registers.
    package var registration: RegisterRequest.Registration
    /// The program and its arguments.
    package var command: [String]
    /// The variables in addition to the worker's environment, as `NAME=value`.
    package var environment: [String]
    /// The working directory; nil for the worker's.
    package var directory: String?
    /// Whether the output must not appear in logs.
    package var secret: Bool

    /// Describes a command and its initializer.
    package init(
      _ registration: RegisterRequest.Registration, command: [String], environment: [String] = [],
      directory: String? = nil,
      secret: Bool = false
    ) {
      self.registration = registration
      self.command = command
      self.environment = environment
      self.directory = directory
      self.secret = secret
    }

    package init() { self.init(RegisterRequest.Registration(), command: []) }
  }
}

extension WorkerManifest: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("cancelGrace", &cancelGrace, .seconds)
    try json.required("initializers", &initializers)
  }
}

extension WorkerManifest.Command: Shape {
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("registration", &registration)
    try json.required("command", &command)
    try json.optional("environment", &environment)
    try json.optional("directory", &directory)
    try json.optional("secret", &secret)
  }
}
