public import AppInitializers
public import ServiceLifecycle

/// A manager, or a supervisor that is part of the program, as a service of a `ServiceGroup`: the app is active while the group runs.
///
/// The service activates the app when it starts. On graceful shutdown it ends the manager or the supervisor: when the service ends, all
/// runs have stopped, and `stop()` of the completed initializers has been called. The service handles no signals, because the group does;
/// so start a supervisor without `endingOn`. If a supervisor ends in another way, e.g. by `initctl shutdown`, the service also ends.
///
/// If the first initialization fails, the service throws the `AppInitializationError`, and the group handles it as
/// configured. Once the app has been ready, failures don't end the service: the state is `failed`, and the next activation tries again.
/// ``EndingFailures`` changes this.
///
/// A group starts its services in order, and doesn't wait until one is ready before it starts the next. Wrap a service that must wait in
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
  /// Decides which failures of initialization end the service.
  public enum EndingFailures: Sendable, Hashable, CaseIterable {
    /// A failure before the app was ready for the first time, so no dependent service has started.
    case first
    /// Any failure.
    case any
    /// No failure: the program checks the state, and calls `launch()` or `activate()` again.
    case none
  }

  private let initialization: any Initialization
  private let endingFailures: EndingFailures

  /// Creates the service of a manager or a supervisor.
  ///
  /// - Parameters:
  ///   - initialization: the manager or the supervisor to serve.
  ///   - endingFailures: the failures that end the service with the error.
  public init(_ initialization: some Initialization, endingOn endingFailures: EndingFailures = .first) {
    self.initialization = initialization
    self.endingFailures = endingFailures
  }

  /// Activates the app, and waits for graceful shutdown or cancellation; then ends the manager or the supervisor.
  ///
  /// - Throws: the `AppInitializationError` that initialization failed with, if that ends the service.
  public func run() async throws {
    await initialization.activate()
    let error = await cancelledOnShutdown { await endingFailure() }
    await initialization.finish()
    if let error { throw error }
  }

  /// Waits for the first failure that ends the service; `nil` if it ends in another way.
  private func endingFailure() async -> AppInitializationError? {
    var hasBeenReady = false
    for await state in initialization.state.values {
      switch (state, endingFailures) {
      case (.failed(let error), .any): return error
      case (.failed(let error), .first): if !hasBeenReady { return error }
      case (.complete, _): hasBeenReady = true
      case (.failed, .none), (.pending, _): break
      }
    }
    return nil
  }
}

/// A service that starts once initialization is complete, and not at all if it fails.
public struct AfterInitialization: Service {
  private let initialization: any Initialization
  private let makeService: @Sendable () async throws -> any Service

  /// Waits for the composite state of a manager or a supervisor, then creates the service and runs it.
  public init(_ initialization: some Initialization, service: @escaping @Sendable () async throws -> any Service) {
    self.initialization = initialization
    makeService = service
  }

  /// Waits until the composite state is complete, then runs the service.
  ///
  /// If a shutdown comes before that, the service ends at once.
  ///
  /// - Throws: the `AppInitializationError` that initialization failed with, or the service's error.
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

/// Runs `body` in a task that graceful shutdown cancels too.
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
