package import InitCore

/// What a run is told about itself, and how it reports.
public struct RunContext: Sendable {
  /// The run as the machine asked for it.
  package let start: RunStart
  /// Who runs it; not kept, as an initializer may keep its context.
  package weak let manager: InitManager?
  /// What becomes known in the course of the run.
  let memory = Memory()
  /// What its dependencies have handed over in this pass, by name.
  package let inputs: [String: any Sendable]
  /// The names of the manager's objects, by type.
  let names: [ObjectIdentifier: [String]]

  /// What becomes known in the course of a run, for all copies of its context.
  final class Memory: Sendable {
    /// What it hands to its dependents.
    let output = Locked<(any Sendable)?>(nil)
    /// Why it was told to stop.
    let cause = Locked<CancellationCause?>(nil)
  }

  package init(
    _ start: RunStart, manager: InitManager, inputs: [String: any Sendable] = [:],
    names: [ObjectIdentifier: [String]] = [:]
  ) {
    self.start = start
    self.manager = manager
    self.inputs = inputs
    self.names = names
  }

  /// The initializer's name.
  public var initializer: String { start.initializer }
  /// The run's number: unique, and larger than those of all runs before it.
  public var runNumber: Int { start.run }
  /// The pass it belongs to.
  public var passNumber: Int { start.pass }
  /// That pass's phase, by the priority whose initializers it executes.
  public var phase: InitializerPriority { InitializerPriority(start.phase) }
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
    await manager?.report(run: runNumber, fraction: fraction, message: message, extend: extend)
  }

  /// What the dependency of that type has handed over in this pass.
  ///
  /// - Throws: ``MissingOutput`` where there is nothing: it isn't a dependency, or completed in a pass before this one; or where several
  ///   initializers are of that type, which have to be asked for by name.
  public func output<Initializer: ContextualInitializer>(
    of dependency: Initializer.Type
  ) throws(MissingOutput) -> Initializer.Output {
    let names = names[ObjectIdentifier(dependency)] ?? [dependency.defaultName]
    guard names.count == 1 else { throw missing(dependency.defaultName, .ambiguous(names)) }
    return try output(of: names[0], as: Initializer.Output.self)
  }

  /// What a dependency of that name has handed over in this pass. What a command or a worker did is JSON, and read as the type if that is
  /// `Decodable`.
  ///
  /// - Throws: ``MissingOutput`` where there is nothing, or something of another type.
  public func output<Value: Sendable>(
    of dependency: String, as type: Value.Type = Value.self
  ) throws(MissingOutput) -> Value {
    guard let input = inputs[dependency] else { throw missing(dependency, .nothing) }
    if let value = input as? Value { return value }
    guard let encoded = input as? any EncodedOutput, let decodable = Value.self as? any Decodable.Type else {
      let found = input is any EncodedOutput ? "JSON" : "\(Swift.type(of: input))"
      throw missing(dependency, .type(found: found, wanted: "\(Value.self)"))
    }
    do {
      if let value = try encoded.decode(decodable) as? Value { return value }
      throw missing(dependency, .type(found: "JSON", wanted: "\(Value.self)"))
    } catch let error as MissingOutput {
      throw error
    } catch {
      // What can't be read is told by decoders, with what stood there.
      let reason = encoded.isSecret ? "" : ": \(error)"
      throw missing(dependency, .type(found: "JSON of another shape\(reason)", wanted: "\(Value.self)"))
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
  public var cancellation: CancellationCause? { memory.cause.withLock { $0 } }
}

extension RunContext: CustomStringConvertible, CustomReflectable {
  /// Which run it is; nothing of what was handed over, which may be secret.
  public var description: String { "run \(runNumber) of \(initializer)" }
  /// The same for `dump` and the like.
  public var customMirror: Mirror {
    Mirror(self, children: ["run": runNumber, "initializer": initializer, "pass": passNumber, "attempt": attempt])
  }
}

/// Why a run was told to stop.
public enum CancellationCause: Sendable, Hashable {
  /// The app is no longer active (S11).
  case deactivated
  /// It took longer than it may (S15).
  case timeout
  /// Another initializer failed, and the pass with it (S8).
  case failed
  /// Its initializer was taken away (S21).
  case unregistered
  /// Everything is shutting down (S24).
  case shutdown

  init(_ reason: CancelReason) {
    switch reason {
    case .deactivated: self = .deactivated
    case .timeout: self = .timeout
    case .failed: self = .failed
    case .unregistered: self = .unregistered
    case .shutdown: self = .shutdown
    }
  }
}

/// A run asked for what a dependency didn't hand over.
public struct MissingOutput: Error, Hashable, Sendable, CustomStringConvertible {
  /// Why there is nothing.
  public enum Reason: Hashable, Sendable {
    /// Nothing was handed over in this pass.
    case nothing
    /// Several initializers, of these names, are of the type that was asked for.
    case ambiguous([String])
    /// What was handed over is of another type.
    case type(found: String, wanted: String)
  }

  /// Who asked.
  public let initializer: String
  /// Whose output was asked for.
  public let dependency: String
  /// Why there is nothing.
  public let reason: Reason

  /// What is wrong, and what to do.
  public var description: String {
    switch reason {
    case .nothing:
      """
      cannot give \(initializer) the output of \(dependency): there is none in this pass; make \(dependency) a dependency, and expect nothing \
      where it completed in a pass before
      """
    case .ambiguous(let names):
      """
      cannot give \(initializer) the output of \(dependency): there are \(names.joined(separator: ", ")) of this type; ask for one by its \
      name
      """
    case .type(let found, let wanted):
      "cannot give \(initializer) the output of \(dependency): it is \(found), not \(wanted); ask for what it returns"
    }
  }
}
