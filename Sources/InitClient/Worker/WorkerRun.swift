package import InitJSON
internal import InitLocks
internal import InitModel
internal import InitText
package import InitWire
package import InitWords

/// One initializer of a worker: its declaration and its body.
package struct WorkerInitializer: Sendable {
  /// The declaration, as in `register`.
  package let registration: RegisterRequest.Registration
  /// Runs the initializer once.
  ///
  /// Returning means success, throwing means failure. When its task is cancelled it must stop; its result is ignored then (S12, S13).
  package let body: @Sendable (WorkerRun) async throws -> Void

  /// Creates a declaration and its body.
  package init(_ registration: RegisterRequest.Registration, body: @escaping @Sendable (WorkerRun) async throws -> Void)
  {
    self.registration = registration
    self.body = body
  }
}

/// One run of an initializer, passed to its body.
package struct WorkerRun: Sendable {
  /// The supervisor's request: the numbers of run, pass and attempt, the phase, the timeout, and the inputs.
  package let params: RunRequest

  /// The reason why the run was cancelled, if it was.
  package let stopReason: StopReason

  /// The reason why a run was cancelled: set before its task is cancelled.
  package final class StopReason: Sendable {
    private let content = Locked<(reason: CancelReason?, isLost: Bool)>((nil, false))

    /// The supervisor's reason; nil before a cancellation, or for a reason of a later version.
    package internal(set) var reason: CancelReason? {
      get { content.withLock { $0.reason } }
      set { content.withLock { $0.reason = newValue } }
    }

    /// Whether the reason is a lost connection.
    package internal(set) var isLost: Bool {
      get { content.withLock { $0.isLost } }
      set { content.withLock { $0.isLost = newValue } }
    }
  }

  let client: Client
  let worker: WorkerService

  /// Reports progress (S17).
  ///
  /// A report is dropped while the supervisor doesn't read.
  ///
  /// - Parameters:
  ///   - fraction: the share of the work that is done, 0…1.
  ///   - message: a text for people.
  ///   - extend: moves the run's deadline, if it has one, to this duration from now (S15).
  package func report(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) async {
    await client.report(
      ProgressNotification(run: params.run, fraction: fraction, message: message, extend: extend?.inSeconds))
  }

  /// Reports progress from the loop's thread: the report is sent before this returns.
  package func reportAtOnce(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) {
    client.assumeIsolated {
      $0.report(ProgressNotification(run: params.run, fraction: fraction, message: message, extend: extend?.inSeconds))
    }
  }

  /// Returns the output of a dependency (S25).
  ///
  /// - Throws: `ShapeFault` if it has no output, isn't a dependency, or its output has another type.
  package func output<Value: Decodable>(
    of dependency: String, as type: Value.Type = Value.self
  ) throws(ShapeFault) -> Value {
    guard let input = params.inputs[dependency] else {
      throw ShapeFault(
        path: "inputs.\(dependency)",
        reason: "is missing; add it to the dependencies of \(params.initializer), or let its run return a value")
    }
    return try input.decode(type)
  }

  /// Sets the output for dependents (S25); dropped if the run is cancelled.
  ///
  /// A later value replaces an earlier one.
  ///
  /// - Parameters:
  ///   - value: any value that can be written as JSON.
  ///   - isSecret: whether the value must not appear in the supervisor's logs.
  /// - Throws: the reason why the output can't be written as JSON, or can't be passed on.
  package func handOver(_ value: some Encodable, isSecret: Bool = false) async throws {
    await handOver(try RunOutput(encoding: value, isSecret: isSecret))
  }

  /// Hands over the run's output, which is already JSON.
  package func handOver(_ output: RunOutput) async { await worker.keep(output, of: params.run) }

  /// Sets the CPU time of the run, which its answer reports to the supervisor.
  package func use(cpu: Duration) async { await worker.keep(cpu: cpu, of: params.run) }
}

extension WireError {
  /// Returns the answer of a run whose body threw: a `WireError` unchanged, any other error by its description.
  static func answer(_ error: any Error) -> WireError {
    error as? WireError ?? WireError(code: 1, message: "\(error)".cut())
  }
}
