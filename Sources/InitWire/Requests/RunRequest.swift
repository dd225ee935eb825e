package import InitJSON
package import InitModel
package import InitWords

/// Asks a worker to run an initializer (protocol §6).
package struct RunRequest: Request, Shape {
  package static let method = "run"

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
    try json.sent("traceparent", &traceparent)
    if json.isReading { traceparent = traceparent.flatMap { TraceContext($0) }?.description }
    var given = inputs.isEmpty ? nil : inputs
    try json.optional("inputs", &given)
    inputs = given ?? [:]
  }
}

extension RunRequest: CustomStringConvertible, CustomReflectable {
  /// The run's number and initializer, and only the names of its inputs, which may be secret.
  package var description: String { "run \(run) of \(initializer), with inputs of \(inputs.keys.sorted())" }
  /// The same for `dump` and the like.
  package var customMirror: Mirror {
    Mirror(self, children: ["run": run, "initializer": initializer, "pass": pass, "inputs": inputs.keys.sorted()])
  }
}
