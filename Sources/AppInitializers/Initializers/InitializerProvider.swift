package import InitCore

/// Runs initializers: a Swift object, a command or a worker.
///
/// All differences between the kinds of providers are in this protocol.
package protocol InitializerProvider: AnyObject, Sendable {
  /// The executor that `run` prefers; `nil` for the global one.
  var executor: (any TaskExecutor)? { get }
  /// Whether the task of a run may execute another run afterwards; see `IdleTask`.
  var sharesTasks: Bool { get }

  /// Runs the initializer until it ends.
  ///
  /// When it returns or throws, the run has stopped (S13).
  ///
  /// To stop the run, cancel its task. A thrown `Cause` is the cause of the failure; any other error is reported by its
  /// description.
  func run(_ context: RunContext) async throws

  /// Releases the resources of a completed run (S24).
  ///
  /// The task of the stop is cancelled if that takes too long.
  func stop(_ context: RunContext) async

  /// Kills a run that was asked to stop, but hasn't stopped within `cancelGrace` (S13).
  ///
  /// Swift objects can't be killed.
  func forceStop(run: RunID)
}

extension InitializerProvider {
  package var executor: (any TaskExecutor)? { nil }
  package var sharesTasks: Bool { false }
  package func stop(_ context: RunContext) async {}
  package func forceStop(run: RunID) {}
}

/// A Swift object as a provider.
final class ObjectProvider: InitializerProvider {
  /// The protocol is class-bound and not `Sendable`.
  ///
  /// The box is safe, because the objects are `Sendable`, or because the manager got them with `sending` and runs one of them at a time, so
  /// no other code uses them.
  private struct Box: @unchecked Sendable {
    let object: any AppInitializer
    let needsContext: Bool

    func run() async throws { try await object.run() }

    func run(_ context: RunContext) async throws {
      switch object {
      case let standIn as StandIn: context.handOver(try await standIn.body(context))
      case let contextual as any ContextualInitializer: try await run(contextual, context)
      default: try await object.run()
      }
    }

    func stop() async { await object.stop() }

    private func run(_ object: some ContextualInitializer, _ context: RunContext) async throws {
      context.handOver(try await object.run(context))
    }
  }

  private let box: Box
  /// Whether the object's `run` has a context or an output.
  var needsContext: Bool { box.needsContext }
  let executor: (any TaskExecutor)?
  var sharesTasks: Bool { true }

  private init(_ object: any AppInitializer, needsContext: Bool, executor: (any TaskExecutor)?) {
    self.box = Box(object: object, needsContext: needsContext)
    self.executor = executor
  }

  /// Returns the providers of objects, in order.
  ///
  /// Creates the providers of the objects; each type is examined once.
  static func all(_ objects: [any AppInitializer], executor: (any TaskExecutor)?) -> [ObjectProvider] {
    var needsContext = ByType<Bool>()
    return objects.map { object in
      ObjectProvider(
        object,
        needsContext: needsContext.value(of: type(of: object)) {
          object is StandIn || object is any ContextualInitializer
        }, executor: executor)
    }
  }

  func run(_ context: RunContext) async throws {
    try Task.checkCancellation()
    try await box.run(context)
  }

  /// Runs an object that needs no context.
  func run() async throws {
    try Task.checkCancellation()
    try await box.run()
  }

  func stop(_ context: RunContext) async { await box.stop() }
}
