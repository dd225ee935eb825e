public import AppInitializers
public import ServiceLifecycle

/// A manager, or a supervisor that is part of the program, as a service of a `ServiceGroup`: the app is active while the group runs.
///
/// It activates when it starts, and on graceful shutdown ends the manager or the supervisor: what runs is cancelled, and has stopped when the service ends. If
/// initialization fails it throws the ``AppInitializers/AppInitializationError``, and the group does what it was told to do about a service that
/// fails. It handles no signal: that is the group's, so start a supervisor without `endingOn`. A supervisor that is ended otherwise,
/// by `initctl shutdown`, ends the service.
///
/// A group starts its services in order, and doesn't wait for one to be ready before it starts the next. Wrap what has to wait in
/// ``AfterInitialization``:
///
/// ```swift
/// let manager = InitManager([Migrate(), Session()])
/// let group = ServiceGroup(
///   services: [InitializationService(manager), AfterInitialization(manager) { server }], gracefulShutdownSignals: [.sigterm],
///   logger: logger)
/// try await group.run()
/// ```
public struct InitializationService: Service {
  private let initialization: any Initialization

  /// The service of a manager or a supervisor.
  public init(_ initialization: some Initialization) { self.initialization = initialization }

  /// Activates, and is there until graceful shutdown or cancellation; then deactivates.
  ///
  /// - Throws: the ``AppInitializers/AppInitializationError`` that initialization failed with.
  public func run() async throws {
    await initialization.activate()
    let error = await cancelledOnShutdown { () -> AppInitializationError? in
      for await state in initialization.state.values {
        if case .failed(let error) = state { return error }
      }
      return nil
    }
    await initialization.finish()
    if let error { throw error }
  }
}

/// A service that starts once initialization is complete, and not at all if it fails.
public struct AfterInitialization: Service {
  private let initialization: any Initialization
  private let makeService: @Sendable () async throws -> any Service

  /// Waits for the composite state of a manager or a supervisor, then makes the service and runs it.
  public init(_ initialization: some Initialization, service: @escaping @Sendable () async throws -> any Service) {
    self.initialization = initialization
    makeService = service
  }

  /// Waits until the composite state is complete, then runs the service. Told to shut down before that, it ends at once.
  ///
  /// - Throws: the ``AppInitializers/AppInitializationError`` that initialization failed with, or what the service throws.
  public func run() async throws {
    let state = await cancelledOnShutdown { () -> InitializationState? in
      for await state in initialization.state.values where state != .pending { return state }
      return nil
    }
    switch state {
    case .complete: try await makeService().run()
    case .failed(let error): throw error
    case .pending, nil: return
    }
  }
}

/// Runs `body` in a task that is cancelled by graceful shutdown too.
private func cancelledOnShutdown<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) async -> Result {
  let task = Task { await body() }
  return await withTaskCancellationHandler {
    await withGracefulShutdownHandler {
      await task.value
    } onGracefulShutdown: {
      task.cancel()
    }
  } onCancel: {
    task.cancel()
  }
}
