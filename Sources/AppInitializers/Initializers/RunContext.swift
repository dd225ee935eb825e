package import InitCore
internal import InitLocks
internal import InitWords

/// The context of a run: its attributes, its inputs, and its progress reports.
public struct RunContext: Sendable {
  private let content: Content

  /// The content of a context; a copy of the context is a reference to it.
  private final class Content: Sendable {
    let start: RunStart
    weak let manager: InitManager?
    let traceparent: String?
    let fence: Int?
    let inputs: [String: any Sendable]
    let roster: Roster
    let elsewhere: Elsewhere?
    let output = Locked<(any Sendable)?>(nil)
    let cause = Locked<CancellationCause?>(nil)

    init(
      _ start: RunStart, _ manager: InitManager?, _ traceparent: String?, _ fence: Int?,
      _ inputs: [String: any Sendable], _ roster: Roster, _ elsewhere: Elsewhere?
    ) {
      self.start = start
      self.manager = manager
      self.traceparent = traceparent
      self.fence = fence
      self.inputs = inputs
      self.roster = roster
      self.elsewhere = elsewhere
    }
  }

  /// Replaces the manager of a run: for a test, or for a supervisor in another process.
  struct Elsewhere: Sendable {
    let report: @Sendable (RunReport) async -> Void
    let cancellation: @Sendable () -> CancellationCause?
  }

  init(
    _ start: RunStart, manager: InitManager?, traceparent: String? = nil, fence: Int? = nil,
    inputs: [String: any Sendable] = [:], roster: Roster, elsewhere: Elsewhere? = nil
  ) {
    content = Content(start, manager, traceparent, fence, inputs, roster, elsewhere)
  }

  /// The run, as the machine requested it.
  package var start: RunStart { content.start }
  /// The manager; held weakly, because an initializer may keep its context.
  package var manager: InitManager? { content.manager }
  /// The outputs of the run's dependencies, by name (S25).
  package var inputs: [String: any Sendable] { content.inputs }
  /// The manager's objects.
  private var roster: Roster { content.roster }

  /// Creates a context without a manager, for a test of one initializer's `run`.
  ///
  /// - Parameters:
  ///   - initializer: the name of the initializer.
  ///   - runNumber: the number of the run.
  ///   - passNumber: the number of the pass.
  ///   - phase: the phase of that pass.
  ///   - attempt: the number of the attempt, from 1.
  ///   - timeout: the timeout of the run; it isn't enforced.
  ///   - fence: the fencing token of the run.
  ///   - cancellation: why the run was cancelled.
  ///   - onReport: called for each report.
  public init(
    initializer: String, runNumber: Int = 1, passNumber: Int = 1, phase: InitializerPriority = .appLaunch,
    attempt: Int = 1, timeout: Duration? = nil, fence: Int? = nil, cancellation: CancellationCause? = nil,
    onReport: (@Sendable (RunReport) -> Void)? = nil
  ) {
    let start = RunStart(
      run: RunID(runNumber), initializer: initializer, pass: PassID(passNumber),
      phase: phase == .appActive ? .active : .launch,
      attempt: attempt,
      timeout: timeout, worker: nil)
    let elsewhere = Elsewhere(report: { onReport?($0) }, cancellation: { cancellation })
    self.init(start, manager: nil, fence: fence, roster: Roster(), elsewhere: elsewhere)
  }

  /// Returns the same context with the output of a dependency; for tests.
  public func providing<Initializer: ContextualInitializer>(
    _ output: Initializer.Output, of dependency: Initializer.Type
  ) -> RunContext {
    let name = TypeName.qualified(dependency)
    var roster = roster
    roster.add(dependency, named: name)
    return providing(output, of: name, roster)
  }

  /// Returns the same context with the output of a dependency of that name; for tests.
  public func providing(_ output: some Sendable, of dependency: String) -> RunContext {
    providing(output, of: dependency, roster)
  }

  private func providing(_ output: some Sendable, of dependency: String, _ roster: Roster) -> RunContext {
    RunContext(
      start, manager: manager, traceparent: traceparent, fence: fence,
      inputs: inputs.merging([dependency: output]) { $1 }, roster: roster, elsewhere: content.elsewhere)
  }

  /// The initializer's name.
  public var initializer: String { start.initializer }
  /// The number of the run: unique, and larger than the numbers of all previous runs.
  public var runNumber: Int { start.run.rawValue }
  /// The number of the run's pass.
  public var passNumber: Int { start.pass.rawValue }
  /// The pass's phase, named by the priority of the initializers that it executes.
  public var phase: InitializerPriority { InitializerPriority(start.phase.priority) }
  /// The number of the attempt, from 1 (S16).
  public var attempt: Int { start.attempt }
  /// The maximum duration of the run; `nil` for no limit (S15).
  public var timeout: Duration? { start.timeout }
  /// The run as a span of a distributed trace, for example for the header of the same name of an HTTP request: a W3C trace context.
  ///
  /// All runs of a pass belong to one trace. `nil` without a supervisor.
  public var traceparent: String? { content.traceparent }
  /// The fencing token of an initializer that runs once for a release, in a fleet: it grows with each claim.
  ///
  /// Pass it to the database, which can then refuse a late writer. `nil` for other initializers.
  public var fence: Int? { content.fence }

  /// Reports progress (S17).
  ///
  /// Reports are ignored after the run was cancelled.
  ///
  /// - Parameters:
  ///   - fraction: a number from 0 to 1, which never decreases. A number outside of that range counts as 0 or 1, and one that isn't a
  ///     number is ignored.
  ///   - message: a text for people.
  ///   - extend: moves the run's deadline, if it has one, to this duration from now (S15).
  public func report(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) async {
    let fraction = fraction.flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
    await content.elsewhere?.report(RunReport(fraction: fraction, message: message, extend: extend))
    await manager?.report(run: start.run, fraction: fraction, message: message, extend: extend)
  }

  /// Returns the output of the dependency of that type (S25).
  ///
  /// A launch initializer's output is kept until it runs again: an active initializer gets it at every activation. An active initializer's
  /// output is for dependents in the same pass.
  ///
  /// - Throws: ``MissingOutput`` if it isn't a dependency, or has no output; or if several initializers have that type: then ask for one of
  ///   them by name.
  public func output<Initializer: ContextualInitializer>(
    of dependency: Initializer.Type
  ) throws(MissingOutput) -> Initializer.Output {
    let names = roster.names(of: dependency)
    guard names.count <= 1 else { throw missing(TypeName.short(dependency), .ambiguous(names)) }
    return try output(of: names.first ?? TypeName.qualified(dependency), as: Initializer.Output.self)
  }

  /// Returns the output of the dependency of that name (S25).
  ///
  /// The output of a command or a worker is JSON, and is decoded as the type, which must be `Decodable`.
  ///
  /// - Throws: ``MissingOutput`` if the initializer has no output, or one of another type.
  public func output<Value: Sendable>(
    of dependency: String, as type: Value.Type = Value.self
  ) throws(MissingOutput) -> Value {
    guard let input = inputs[dependency] else { throw missing(dependency, .nothing) }
    do throws(MissingOutput.Reason) {
      return try OutputValue(value: input).read(as: type)
    } catch {
      throw missing(dependency, error)
    }
  }

  /// Returns the outputs of all dependencies that have one, by name (S25).
  ///
  /// Each output is read as by ``output(of:as:)``.
  ///
  /// - Throws: ``MissingOutput`` if an output has another type.
  public func outputs<Value: Sendable>(as type: Value.Type = Value.self) throws(MissingOutput) -> [String: Value] {
    var outputs: [String: Value] = [:]
    for name in inputs.keys { outputs[name] = try output(of: name, as: type) }
    return outputs
  }

  private func missing(_ dependency: String, _ reason: MissingOutput.Reason) -> MissingOutput {
    MissingOutput(initializer: initializer, dependency: dependency, reason: reason)
  }

  /// The run's output; it is dropped if the run is cancelled (S12).
  var output: (any Sendable)? { content.output.withLock { $0 } }

  /// What the provider has set as the run's output.
  package var handedOver: (any Sendable)? { output }

  /// Sets the run's output.
  package func handOver(_ output: any Sendable) { content.output.withLock { $0 = output } }

  /// Why the run's task was cancelled; `nil` if it wasn't.
  ///
  /// The cause is set before the task is cancelled.
  public var cancellation: CancellationCause? { content.elsewhere?.cancellation() ?? content.cause.withLock { $0 } }

  /// Sets the reason, before the task is cancelled.
  func cancel(_ cause: CancellationCause) { content.cause.withLock { $0 = cause } }
}

extension RunContext: CustomStringConvertible, CustomReflectable {
  /// The run's number and initializer, without inputs, which may be secret.
  public var description: String { "run \(runNumber) of \(initializer)" }
  /// The same for `dump` and the like.
  public var customMirror: Mirror {
    Mirror(self, children: ["run": runNumber, "initializer": initializer, "pass": passNumber, "attempt": attempt])
  }
}

/// A progress report of a run, from ``RunContext/report(fraction:message:extend:)``.
public struct RunReport: Sendable, Hashable {
  /// The fraction, 0…1.
  public let fraction: Double?
  /// A text for people.
  public let message: String?
  /// The new deadline, as a duration from now.
  public let extend: Duration?

  /// Creates a report.
  public init(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) {
    self.fraction = fraction
    self.message = message
    self.extend = extend
  }
}
