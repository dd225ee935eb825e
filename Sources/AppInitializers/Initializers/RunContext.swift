package import InitCore

/// What a run is told about itself, and how it reports.
public struct RunContext: Sendable {
  /// The run as the machine asked for it.
  package let start: RunStart
  /// Who runs it; not kept, as an initializer may keep its context.
  package weak let manager: InitManager?
  /// What becomes known in the course of the run.
  let memory = Memory()
  /// What its dependencies have handed over, by name (S25).
  package private(set) var inputs: [String: any Sendable]
  /// The manager's objects.
  private var roster: Roster
  /// Who is told and asked, if no manager of this process runs it.
  var elsewhere: Elsewhere?

  /// What a run without a manager has instead: a test's, or a supervisor in another process.
  struct Elsewhere: Sendable {
    let report: @Sendable (RunReport) async -> Void
    let cancellation: @Sendable () -> CancellationCause?
  }

  /// What becomes known in the course of a run, for all copies of its context.
  final class Memory: Sendable {
    /// What it hands to its dependents.
    let output = Locked<(any Sendable)?>(nil)
    /// Why it was told to stop.
    let cause = Locked<CancellationCause?>(nil)
  }

  init(_ start: RunStart, manager: InitManager?, inputs: [String: any Sendable] = [:], roster: Roster) {
    self.start = start
    self.manager = manager
    self.inputs = inputs
    self.roster = roster
  }

  /// A context without a manager, for a test of one initializer's `run`.
  ///
  /// - Parameters:
  ///   - initializer: the initializer's name.
  ///   - runNumber: the run's number.
  ///   - passNumber: the pass's number.
  ///   - phase: that pass's phase.
  ///   - attempt: which attempt it is, from 1.
  ///   - timeout: how long it may take. Nothing measures it.
  ///   - cancellation: why the run was told to stop.
  ///   - onReport: told of each report.
  public init(
    initializer: String, runNumber: Int = 1, passNumber: Int = 1, phase: InitializerPriority = .appLaunch,
    attempt: Int = 1, timeout: Duration? = nil, cancellation: CancellationCause? = nil,
    onReport: (@Sendable (RunReport) -> Void)? = nil
  ) {
    let start = RunStart(
      run: runNumber, initializer: initializer, pass: passNumber, phase: phase == .appActive ? .active : .launch,
      attempt: attempt,
      timeout: timeout, worker: nil)
    self.init(start, manager: nil, roster: Roster())
    elsewhere = Elsewhere(report: { onReport?($0) }, cancellation: { cancellation })
  }

  /// The same context with what a dependency hands over; for tests.
  public func providing<Initializer: ContextualInitializer>(
    _ output: Initializer.Output, of dependency: Initializer.Type
  ) -> RunContext {
    let name = TypeName.qualified(dependency)
    var context = providing(output, of: name)
    context.roster.add(dependency, named: name)
    return context
  }

  /// The same context with what a dependency of that name hands over; for tests.
  public func providing(_ output: some Sendable, of dependency: String) -> RunContext {
    var context = self
    context.inputs[dependency] = output
    return context
  }

  /// The initializer's name.
  public var initializer: String { start.initializer }
  /// The run's number: unique, and larger than those of all runs before it.
  public var runNumber: Int { start.run }
  /// The pass it belongs to.
  public var passNumber: Int { start.pass }
  /// That pass's phase, by the priority whose initializers it executes.
  public var phase: InitializerPriority { InitializerPriority(start.phase.priority) }
  /// Which attempt this is, from 1 (S16).
  public var attempt: Int { start.attempt }
  /// How long it may take; `nil` for as long as it likes (S15).
  public var timeout: Duration? { start.timeout }

  /// Reports how far the run is (S17). Once it was told to stop, nothing comes of it.
  ///
  /// - Parameters:
  ///   - fraction: 0…1; it doesn't go down.
  ///   - message: what it is doing.
  ///   - extend: moves the deadline of a run that has one to so long from now (S15).
  public func report(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) async {
    await elsewhere?.report(RunReport(fraction: fraction, message: message, extend: extend))
    await manager?.report(run: runNumber, fraction: fraction, message: message, extend: extend)
  }

  /// What the dependency of that type has handed over (S25).
  ///
  /// A launch initializer's output stands until it runs again: an active initializer gets it at every activation. An active initializer's
  /// output is for dependents in the same pass.
  ///
  /// - Throws: ``MissingOutput`` if there is nothing: it isn't a dependency, or hasn't handed over anything; or if several initializers are
  ///   of that type, which have to be asked for by name.
  public func output<Initializer: ContextualInitializer>(
    of dependency: Initializer.Type
  ) throws(MissingOutput) -> Initializer.Output {
    let names = roster.names(of: dependency)
    guard names.count <= 1 else { throw missing(TypeName.short(dependency), .ambiguous(names)) }
    return try output(of: names.first ?? TypeName.qualified(dependency), as: Initializer.Output.self)
  }

  /// What a dependency of that name has handed over (S25). What a command or a worker did is JSON, and read as the type if that is
  /// `Decodable`.
  ///
  /// - Throws: ``MissingOutput`` if there is nothing, or something of another type.
  public func output<Value: Sendable>(
    of dependency: String, as type: Value.Type = Value.self
  ) throws(MissingOutput) -> Value {
    guard let input = inputs[dependency] else { throw missing(dependency, .nothing) }
    do throws(MissingOutput.Reason) {
      return try Handed(value: input).read(as: type)
    } catch {
      throw missing(dependency, error)
    }
  }

  private func missing(_ dependency: String, _ reason: MissingOutput.Reason) -> MissingOutput {
    MissingOutput(initializer: initializer, dependency: dependency, reason: reason)
  }

  /// Keeps what the run hands to its dependents, should it count (S12).
  package func handOver(_ output: any Sendable) { memory.output.withLock { $0 = output } }

  /// Why the run's task was cancelled; `nil` while it wasn't.
  ///
  /// It is known by the time the task's cancellation is.
  public var cancellation: CancellationCause? { elsewhere?.cancellation() ?? memory.cause.withLock { $0 } }
}

extension RunContext: CustomStringConvertible, CustomReflectable {
  /// Which run it is; nothing of what was handed over, which may be secret.
  public var description: String { "run \(runNumber) of \(initializer)" }
  /// The same for `dump` and the like.
  public var customMirror: Mirror {
    Mirror(self, children: ["run": runNumber, "initializer": initializer, "pass": passNumber, "attempt": attempt])
  }
}

/// What a run told of itself with ``RunContext/report(fraction:message:extend:)``.
public struct RunReport: Sendable, Hashable {
  /// How far it is, 0…1.
  public let fraction: Double?
  /// What it is doing.
  public let message: String?
  /// How long from now its deadline is to be.
  public let extend: Duration?

  /// A report.
  public init(fraction: Double? = nil, message: String? = nil, extend: Duration? = nil) {
    self.fraction = fraction
    self.message = message
    self.extend = extend
  }
}
