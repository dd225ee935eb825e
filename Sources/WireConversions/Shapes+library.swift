package import AppInitializers
package import InitCore
package import InitModel
internal import InitText
package import InitWire
package import InitWords

// Conversions between the protocol's shapes and the library's types.

extension AppInitializationError {
  /// Creates an error from the protocol's words.
  package init(_ shape: InitializationError) {
    switch shape.reason {
    case .circularDependency(let cycle): self = .circularDependency(cycle)
    case .missingDependency(let dependency):
      self = .missingDependency(initializer: shape.initializer, dependency: dependency)
    case .duplicateInitializer: self = .duplicateInitializer(shape.initializer)
    case .initializerFailed(let cause) where !cause.isUnknown:
      self = .initializerFailed(initializer: shape.initializer, underlyingError: InitializerFailure(cause))
    case .initializerFailed, .unknown:
      // A later version added it; the message describes it.
      self = .initializerFailed(
        initializer: shape.initializer, underlyingError: InitializerFailure.reported(message: shape.message))
    }
  }
}

extension InitializationState {
  /// Converts from the protocol's type; a state that a later version added counts as pending.
  package init(_ shape: Status.State) {
    switch (shape.state.known, shape.error) {
    case (.failed, let error?): self = .failed(error: AppInitializationError(error))
    case (.complete, _): self = .complete
    case (.failed, nil), (.pending, _), (.cancelled, _), (nil, _): self = .pending
    }
  }
}

extension RegistrationShape {
  /// Creates the registration of an object by a worker.
  package init(_ declaration: Declaration, isPerProcess: Bool) {
    let retry = declaration.retry
    self.init(
      name: declaration.name, priority: declaration.priority, dependencies: declaration.dependencies,
      timeout: declaration.timeout?.inSeconds,
      retry: retry == .never
        ? nil
        : RetryShape(
          attempts: retry.attempts, delay: retry.delay.inSeconds, factor: retry.factor,
          maxDelay: retry.maxDelay.inSeconds), perProcess: isPerProcess ? true : nil,
      optional: declaration.isOptional ? true : nil)
  }
}

extension InitializerPriority {
  /// Creates a priority from the protocol's words; one that a later version added counts as launch.
  package init(_ word: Word<Priority>) { self.init(word.known ?? .appLaunch) }

  /// Converts a phase to the priority whose initializers it executes.
  package init(_ word: Word<Phase>) { self.init((word.known ?? .launch).priority) }
}

extension Cause {
  fileprivate var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
