package import InitCore

/// Swift objects whose runs are controlled from outside: those of a worker, whose supervisor is another process.
package struct HostedObjects: Sendable {
  /// The declarations of the objects, in order. A dependency on a type without an object here gets the type's short name, because another
  /// worker or the supervisor itself may provide it.
  package let declarations: [Declaration]
  private let roster: Roster
  private let providers: [String: ObjectProvider]

  /// Takes ownership of objects: unless they are `Sendable`, no other code may use them any more.
  ///
  /// - Parameter executor: the executor that they prefer.
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
  ///   - start: the run to execute.
  ///   - inputs: the outputs of its dependencies, by name.
  ///   - report: called for each report.
  ///   - cancellation: why the task is cancelled, once it is.
  /// - Returns: its output; `nil` for none.
  /// - Throws: the object's error.
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
