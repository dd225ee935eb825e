internal import InitCore
package import InitWire
internal import Synchronization

/// One initializer that a worker provides: how it is declared, and what runs it.
package struct WorkerInitializer: Sendable {
  /// How it is declared (protocol §4, `register`).
  package let registration: RegistrationShape
  /// Runs it once. To return is success, to throw is failure; when its task is cancelled it is to stop what it does, and
  /// whatever it then answers counts as stopped (S12, S13).
  package let body: @Sendable (WorkerRun) async throws -> Void

  /// A declaration and what runs it.
  package init(_ registration: RegistrationShape, body: @escaping @Sendable (WorkerRun) async throws -> Void) {
    self.registration = registration
    self.body = body
  }
}

/// One run of an initializer, for the body that carries it out (protocol §6).
package struct WorkerRun: Sendable {
  /// What the supervisor asked for: the numbers of run, pass and attempt, the phase, the timeout, and the inputs.
  package let params: RunParams

  /// Why the run was told to stop, once it was.
  package let stopReason: StopReason

  /// Why a run was told to stop: set before its task is cancelled.
  package final class StopReason: Sendable {
    private let content = Mutex<CancelReason?>(nil)

    /// The reason; nil while there is none, or for one of a later version.
    package internal(set) var reason: CancelReason? {
      get { content.withLock { $0 } }
      set { content.withLock { $0 = newValue } }
    }
  }

  let client: Client
  let worker: WorkerService

  /// Reports progress (S17). Dropped while the supervisor doesn't read.
  ///
  /// - Parameters:
  ///   - fraction: how much is done, 0…1.
  ///   - message: what it is doing, for people.
  ///   - extend: moves the deadline of a run that has one to so long from now (S15).
  package func report(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) async {
    await client.report(
      ProgressParams(run: params.run, fraction: fraction, message: message, extend: extend?.inSeconds))
  }

  /// What a dependency has handed over (S25).
  ///
  /// - Throws: `ShapeFault` if it has handed over nothing, isn't a dependency, or its output is no such value.
  package func output<Value: Decodable>(
    of dependency: String, as type: Value.Type = Value.self
  ) throws(ShapeFault) -> Value {
    guard let input = params.inputs[dependency] else {
      throw ShapeFault(
        path: "inputs.\(dependency)",
        reason: "is missing; add it to the dependencies of \(params.initializer), or have its run hand over a value")
    }
    return try input.decode(type)
  }

  /// Hands a value to those that depend on this (S25), if the run counts; the last one does.
  ///
  /// - Parameters:
  ///   - value: anything that has a JSON.
  ///   - isSecret: that it mustn't be seen in the supervisor's logs.
  /// - Throws: why it has no JSON, or none that can be passed on.
  package func handOver(_ value: some Encodable, isSecret: Bool = false) async throws {
    await handOver(try RunOutput(encoding: value, isSecret: isSecret))
  }

  /// The same, with a value that is in JSON already.
  package func handOver(_ output: RunOutput) async { await worker.keep(output, of: params.run) }
}

extension WireError {
  /// The longest message of a failed run, in characters.
  private static let longestMessage = 4096

  /// The answer of a run whose body threw: a `WireError` as it is, anything else by its words.
  static func answer(_ error: any Error) -> WireError {
    if let error = error as? WireError { return error }
    let message = "\(error)"
    return WireError(code: 1, message: message.count <= longestMessage ? message : message.prefix(longestMessage) + "…")
  }
}
