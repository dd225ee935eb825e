package import InitCore

/// Swift objects whose runs somebody else decides about: those of a worker, whose supervisor is another process.
package struct HostedObjects: Sendable {
  /// What each object says of itself, in order. A dependency on a type of which there is no object here has the type's short name: another
  /// worker, or the supervisor itself, may have it.
  package let declarations: [Declaration]
  private let roster: Roster
  private let providers: [String: ObjectProvider]

  /// Takes objects over: nobody else may use them any more, unless they are `Sendable`.
  ///
  /// - Parameter executor: where they prefer to run.
  package init(_ objects: sending [any AppInitializer], executor: any TaskExecutor) {
    var roster = Roster(objects)
    for type in objects.flatMap(\.dependencies) where roster.names(of: type).isEmpty {
      roster.add(type, named: TypeName.short(type))
    }
    declarations = roster.declarations(of: objects)
    var providers: [String: ObjectProvider] = [:]
    for (object, name) in zip(objects, roster.names) { providers[name] = ObjectProvider(object, executor: executor) }
    self.providers = providers
    self.roster = roster
  }

  /// Runs an object to its end.
  ///
  /// - Parameters:
  ///   - start: which, and for what.
  ///   - inputs: what its dependencies have handed over, by name.
  ///   - report: told of each report.
  ///   - cancellation: why the task is cancelled, once it is.
  /// - Returns: what it hands over; `nil` for nothing.
  /// - Throws: what it threw.
  package func run(
    _ start: RunStart, inputs: [String: any Sendable], report: @escaping @Sendable (RunReport) async -> Void,
    cancellation: @escaping @Sendable () -> CancellationCause?
  ) async throws -> (any Sendable)? {
    guard let provider = providers[start.initializer] else { throw MissingContext(initializer: start.initializer) }
    var context = RunContext(start, manager: nil, inputs: inputs, roster: roster)
    context.elsewhere = RunContext.Elsewhere(report: report, cancellation: cancellation)
    try await provider.run(context)
    let output = context.memory.output.withLock { $0 }
    return output is Void ? nil : output
  }

  /// Calls an object's `stop()`.
  package func stop(_ name: String) async {
    let start = RunStart(
      run: 0, initializer: name, pass: 0, phase: .launch, attempt: 1, timeout: nil, worker: nil)
    await providers[name]?.stop(RunContext(start, manager: nil, roster: roster))
  }
}
