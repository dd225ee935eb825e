internal import InitCore
internal import InitWords

/// The state of initialization (S1).
public enum InitializationState: Sendable, Equatable {
  /// Initialization is running, hasn't started yet, or was cancelled.
  case pending
  /// Everything completed.
  case complete
  /// Failed with this error.
  case failed(error: AppInitializationError)

  /// The error of ``failed(error:)``; `nil` otherwise.
  public var error: AppInitializationError? {
    switch self {
    case .failed(let error): error
    case .pending, .complete: nil
    }
  }
}

/// The reason why initialization failed (S2).
///
/// Each error names its initializer.
public enum AppInitializationError: Error, Sendable {
  /// The initializers depend on each other: the whole cycle in order, the first one repeated at the end.
  case circularDependency([String])
  /// `initializer` depends on `dependency`, which isn't declared.
  ///
  /// A dependency by type is named with its module: `Orders.Migrate`.
  case missingDependency(initializer: String, dependency: String)
  /// Two initializers have this name.
  case duplicateInitializer(String)
  /// The initializer's run failed.
  ///
  /// `underlyingError` is the thrown error, else an ``InitializerFailure``: a timeout, or the failure of a command or worker.
  case initializerFailed(initializer: String, underlyingError: any Error)

  /// The initializer that the error is about.
  public var initializer: String { failure.initializer }
}

extension AppInitializationError: Equatable, CustomStringConvertible {
  /// Returns whether two errors have the same case and initializer; underlying errors are compared by their descriptions.
  public static func == (left: Self, right: Self) -> Bool { left.failure == right.failure }

  /// A sentence that says what failed, and why.
  public var description: String { failure.description }
}

extension AppInitializationError {
  /// The machine's value.
  var failure: Failure {
    switch self {
    case .circularDependency(let cycle): .circularDependency(cycle)
    case .missingDependency(let initializer, let dependency):
      .missingDependency(initializer: initializer, dependency: dependency)
    case .duplicateInitializer(let name): .duplicateInitializer(name)
    case .initializerFailed(let name, let error): .initializerFailed(name, Cause(error))
    }
  }

  /// Converts the machine's failure; if a Swift object threw an error, the result carries that error.
  init(_ failure: Failure, thrown: (any Error)?) {
    switch failure {
    case .several(let first, _): self.init(first, thrown: thrown)
    case .circularDependency(let cycle): self = .circularDependency(cycle)
    case .missingDependency(let initializer, let dependency):
      self = .missingDependency(initializer: initializer, dependency: dependency)
    case .duplicateInitializer(let name): self = .duplicateInitializer(name)
    case .initializerFailed(let name, let cause):
      let isThrown = thrown.map { Cause($0) == cause } ?? false
      let told = InitializerFailure(cause)
      self = .initializerFailed(initializer: name, underlyingError: isThrown ? thrown ?? told : told)
    }
  }
}
