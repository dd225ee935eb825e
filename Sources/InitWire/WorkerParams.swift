// Params of what the supervisor and a worker send each other (protocol §6).

/// Params of the request `run`, from the supervisor to a worker.
public struct RunParams: Encodable, Sendable, Equatable {
  /// The run's number.
  public var run: Int
  /// The initializer to run.
  public var initializer: String
  /// The number of the pass it belongs to.
  public var pass: Int
  /// The phase of that pass.
  public var phase: Word<PhaseName>
  /// Which attempt of its pass it is, from 1 (S16).
  public var attempt: Int
  /// How long it may take, in seconds (S15); nil for no limit.
  public var timeout: Double?
  /// The outputs of its dependencies (S25), by name.
  public var inputs: [String: RawJSON]

  /// Without the inputs: those are in JSON already, and `Message` adds them.
  private enum CodingKeys: CodingKey {
    case run, initializer, pass, phase, attempt, timeout
  }

  /// A run to be carried out.
  public init(
    run: Int, initializer: String, pass: Int, phase: PhaseName, attempt: Int, timeout: Double? = nil,
    inputs: [String: RawJSON] = [:]
  ) {
    self.run = run
    self.inputs = inputs
    self.initializer = initializer
    self.pass = pass
    self.phase = .known(phase)
    self.attempt = attempt
    self.timeout = timeout
  }

  init(_ params: ParamsReader) throws(WireError) {
    run = try params.required("run").positiveInteger()
    initializer = try params.required("initializer").initializerName()
    pass = try params.required("pass").positiveInteger()
    phase = Word(try params.required("phase").string())
    attempt = try params.required("attempt").positiveInteger()
    timeout = try params["timeout"]?.seconds()
    inputs = try params["inputs"]?.members() ?? [:]
  }
}

extension RunParams: CustomStringConvertible, CustomReflectable {
  /// The run's number and initializer, and only the names of its inputs, which may be secret.
  public var description: String { "run \(run) of \(initializer), with inputs of \(inputs.keys.sorted())" }
  /// The same for `dump` and the like.
  public var customMirror: Mirror {
    Mirror(self, children: ["run": run, "initializer": initializer, "pass": pass, "inputs": inputs.keys.sorted()])
  }
}

/// Params of the notification `cancel`, from the supervisor to a worker.
public struct CancelParams: Encodable, Sendable, Equatable {
  /// The run to stop.
  public var run: Int
  /// Why; nil for a reason that this version doesn't know, which cancels all the same.
  public var reason: CancelReason?

  /// A word that a run is to stop.
  public init(run: Int, reason: CancelReason) {
    self.run = run
    self.reason = reason
  }

  init(_ params: ParamsReader) throws(WireError) {
    run = try params.required("run").positiveInteger()
    reason = CancelReason(rawValue: try params.required("reason").string())
  }
}

/// Params of the notification `progress`, from a worker to the supervisor (S17).
public struct ProgressParams: Encodable, Sendable, Equatable {
  /// The run that reports.
  public var run: Int
  /// How much of it is done, 0…1.
  public var fraction: Double?
  /// What it is doing, for people.
  public var message: String?
  /// The run's new deadline, if it has one, in seconds from now (S15).
  public var extend: Double?

  /// A report of a run.
  public init(run: Int, fraction: Double? = nil, message: String? = nil, extend: Double? = nil) {
    self.run = run
    self.fraction = fraction
    self.message = message
    self.extend = extend
  }

  init(_ params: ParamsReader) throws(WireError) {
    run = try params.required("run").positiveInteger()
    fraction = try params["fraction"]?.fraction()
    message = try params["message"]?.string()
    extend = try params["extend"]?.seconds()
  }
}
