package import InitCore
internal import InitWords

/// Swift objects whose runs are controlled from outside: those of a worker, whose supervisor is another process.
package struct HostedObjects: Sendable {
  /// The declarations of the objects, in order.
  ///
  /// A dependency on a type without an object here gets the type's short name, because another worker or the supervisor itself may provide
  /// it.
  package let declarations: [Declaration]
  /// The first dependency that another type would satisfy by accident; such objects can't be registered.
  package let ambiguity: Ambiguity?
  private let roster: Roster
  private let providers: [String: ObjectProvider]

  /// A type without an object here has the short name of another type, so a supervisor couldn't distinguish them.
  package struct Ambiguity: Sendable, Equatable {
    package let name: String
    /// The qualified name of the type without an object.
    package let dependency: String
    /// The qualified name of the other type.
    package let namesake: String
    /// Whether the other type is that of an object in this worker.
    ///
    /// Otherwise the initializer has no object either.
    package let namesakeIsOwn: Bool
  }

  /// Takes ownership of objects: unless they are `Sendable`, no other code may use them any more.
  ///
  /// `executor` is the executor that the objects prefer.
  package init(_ objects: sending [any AppInitializer], executor: any TaskExecutor) {
    var roster = Roster(objects)
    let absent = objects.flatMap(\.dependencies).filter { roster.names(of: $0).isEmpty }
    var ambiguity: Ambiguity?
    for type in absent where !roster.has(type) {
      let name = TypeName.short(type)
      if let namesake = roster.type(named: name), ambiguity == nil {
        ambiguity = Ambiguity(
          name: name, dependency: TypeName.qualified(type), namesake: TypeName.qualified(namesake),
          namesakeIsOwn: !absent.contains { $0 == namesake })
      }
      roster.add(type, named: name)
    }
    self.ambiguity = ambiguity
    declarations = roster.declarations(of: objects)
    var providers: [String: ObjectProvider] = [:]
    for (provider, name) in zip(ObjectProvider.all(objects, executor: executor), roster.names) {
      providers[name] = provider
    }
    self.providers = providers
    self.roster = roster
  }

  /// Runs an object until it ends.
  ///
  /// - Parameters:
  ///   - start: the run to execute.
  ///   - traceparent: the W3C trace context of the run, if it has one.
  ///   - fence: the fencing token of the run, if it has one.
  ///   - inputs: the outputs of its dependencies, by name.
  ///   - report: called for each report.
  ///   - cancellation: returns why the task is cancelled, once it is.
  /// - Returns: the output of the run; `nil` for none.
  /// - Throws: the object's error.
  package func run(
    _ start: RunStart, traceparent: String?, fence: Int?, inputs: [String: any Sendable],
    report: @escaping @Sendable (RunReport) async -> Void, cancellation: @escaping @Sendable () -> CancellationCause?
  ) async throws -> (any Sendable)? {
    guard let provider = providers[start.initializer] else { throw MissingContext(initializer: start.initializer) }
    let context = RunContext(
      start, manager: nil, traceparent: traceparent, fence: fence, inputs: inputs, roster: roster,
      elsewhere: RunContext.Elsewhere(report: report, cancellation: cancellation))
    try await provider.run(context)
    return context.output is Void ? nil : context.output
  }

  /// Calls an object's `stop()`.
  package func stop(_ name: String) async {
    let start = RunStart(
      run: 0, initializer: name, pass: 0, phase: .launch, attempt: 1, timeout: nil, worker: nil)
    await providers[name]?.stop(RunContext(start, manager: nil, roster: roster))
  }
}
