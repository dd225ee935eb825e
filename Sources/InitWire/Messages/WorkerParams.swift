// Params of the messages between the supervisor and a worker (protocol §6).

package import InitJSON
package import InitModel
package import InitWords

/// Params of the request `run`, from the supervisor to a worker.
package struct RunParams: Sendable, Shape {
  /// The run's number.
  package var run: Int
  /// The initializer to run.
  package var initializer: String
  /// The number of the pass that the run belongs to.
  package var pass: Int
  /// The phase of that pass.
  package var phase: Word<Phase>
  /// The number of the attempt in the pass, from 1 (S16).
  package var attempt: Int
  /// The timeout in seconds (S15); nil for no limit.
  package var timeout: Double?
  /// The fencing token of an initializer that is marked `once`; nil for others.
  package var fence: Int?
  /// The W3C trace context of the run (``TraceContext``); nil if it has none, or an invalid one.
  package var traceparent: String?
  /// The outputs of the initializer's dependencies (S25), by name.
  package var inputs: [String: RawJSON]

  /// Creates a request to run an initializer.
  package init(
    run: Int, initializer: String, pass: Int, phase: Phase, attempt: Int, timeout: Double? = nil,
    fence: Int? = nil, traceparent: String? = nil, inputs: [String: RawJSON] = [:]
  ) {
    self.run = run
    self.fence = fence
    self.traceparent = traceparent
    self.inputs = inputs
    self.initializer = initializer
    self.pass = pass
    self.phase = .known(phase)
    self.attempt = attempt
    self.timeout = timeout
  }

  package init() { self.init(run: 0, initializer: "", pass: 0, phase: .launch, attempt: 1) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.required("initializer", &initializer, .initializerName)
    try json.required("pass", &pass, .positive)
    try json.required("phase", &phase)
    try json.required("attempt", &attempt, .positive)
    try json.optional("timeout", &timeout, .seconds)
    try json.optional("fence", &fence, .positive)
    try json.optional("traceparent", &traceparent)
    if json.isReading { traceparent = traceparent.flatMap { TraceContext($0) }?.description }
    var given = inputs.isEmpty ? nil : inputs
    try json.optional("inputs", &given)
    inputs = given ?? [:]
  }
}

extension RunParams: CustomStringConvertible, CustomReflectable {
  /// The run's number and initializer, and only the names of its inputs, which may be secret.
  package var description: String { "run \(run) of \(initializer), with inputs of \(inputs.keys.sorted())" }
  /// The same for `dump` and the like.
  package var customMirror: Mirror {
    Mirror(self, children: ["run": run, "initializer": initializer, "pass": pass, "inputs": inputs.keys.sorted()])
  }
}

/// Params of the notification `cancel`, from the supervisor to a worker.
package struct CancelParams: Sendable, Shape {
  /// The run to stop.
  package var run: Int
  /// The reason; nil for a reason that this version doesn't know; the run is still cancelled.
  package var reason: CancelReason?

  /// Creates a request to stop a run.
  package init(run: Int, reason: CancelReason) {
    self.run = run
    self.reason = reason
  }

  package init() { self.init(run: 0, reason: .failed) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    var word = reason.map(Word.known) ?? .unknown("")
    try json.required("reason", &word)
    reason = word.known
  }
}

/// Params of the notification `progress`, from a worker to the supervisor (S17).
package struct ProgressParams: Sendable, Shape {
  /// The run that reports.
  package var run: Int
  /// The progress, 0…1.
  package var fraction: Double?
  /// The current activity, for people.
  package var message: String?
  /// The run's new timeout, if it has one, in seconds from now (S15).
  package var extend: Double?

  /// Creates a progress report of a run.
  package init(run: Int, fraction: Double? = nil, message: String? = nil, extend: Double? = nil) {
    self.run = run
    self.fraction = fraction
    self.message = message
    self.extend = extend
  }

  package init() { self.init(run: 0) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("run", &run, .positive)
    try json.optional("fraction", &fraction, .fraction)
    try json.optional("message", &message)
    try json.optional("extend", &extend, .seconds)
  }
}
