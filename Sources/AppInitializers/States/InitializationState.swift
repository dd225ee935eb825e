internal import InitCore

/// What initialization has come to (S1).
public enum InitializationState: Sendable, Equatable {
  /// Initialization is running, or has not started yet.
  case pending
  /// Everything completed.
  case complete
  /// It failed with this error.
  case failed(error: AppInitializationError)

  /// The error of ``failed(error:)``; `nil` otherwise.
  public var error: AppInitializationError? {
    switch self {
    case .failed(let error): error
    case .pending, .complete: nil
    }
  }
}

/// Why initialization failed (S2). Each case names its initializer.
public enum AppInitializationError: Error, Sendable {
  /// The initializers need each other: the whole cycle in order, the first one again at the end.
  case circularDependency([String])
  /// `initializer` depends on `dependency`, which nobody declared. A dependency by type is told with its module: `Orders.Migrate`.
  case missingDependency(initializer: String, dependency: String)
  /// Two initializers have this name.
  case duplicateInitializer(String)
  /// The initializer's run failed. `underlyingError` is what it threw, else an ``InitializerFailure``: a timeout, or what became of a command
  /// or worker.
  case initializerFailed(initializer: String, underlyingError: any Error)

  /// The initializer that the error is about.
  public var initializer: String { failure.initializer }
}

extension AppInitializationError: Equatable, CustomStringConvertible {
  /// Two errors are equal if they say the same of the same initializer; underlying errors are compared by what they say.
  public static func == (left: Self, right: Self) -> Bool { left.failure == right.failure }

  /// One sentence: what failed and why.
  public var description: String { failure.description }
}

extension AppInitializationError {
  /// As the machine knows it.
  var failure: Failure {
    switch self {
    case .circularDependency(let cycle): .circularDependency(cycle)
    case .missingDependency(let initializer, let dependency):
      .missingDependency(initializer: initializer, dependency: dependency)
    case .duplicateInitializer(let name): .duplicateInitializer(name)
    case .initializerFailed(let name, let error): .initializerFailed(name, Cause(error))
    }
  }

  /// From the machine's words and, where a Swift object threw it, the error itself.
  init(_ failure: Failure, thrown: (any Error)?) {
    switch failure {
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
