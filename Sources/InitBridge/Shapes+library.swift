package import AppInitializers
package import InitCore
package import InitWire

// Conversions between the protocol's shapes and the library's types.

extension AppInitializationError {
  /// From the protocol's words.
  package init(_ shape: ErrorShape) {
    switch shape.reason {
    case .circularDependency(let cycle): self = .circularDependency(cycle)
    case .missingDependency(let dependency):
      self = .missingDependency(initializer: shape.initializer, dependency: dependency)
    case .duplicateInitializer: self = .duplicateInitializer(shape.initializer)
    case .initializerFailed(let cause):
      self = .initializerFailed(
        initializer: shape.initializer, underlyingError: InitializerFailure(cause, message: shape.message))
    case .unknown:
      self = .initializerFailed(
        initializer: shape.initializer, underlyingError: InitializerFailure.reported(message: shape.message))
    }
  }
}

extension InitializerFailure {
  /// Converts from the protocol's type; `message` tells a cause that a later version added.
  fileprivate init(_ cause: CauseShape, message: String) {
    switch cause {
    case .error(let message): self = .reported(message: message)
    case .exit(let status): self = .exit(status: Int32(truncatingIfNeeded: status))
    case .signal(let name): self = .signal(name)
    case .timeout(let after): self = .timeout(after: .seconds(after))
    case .workerLost: self = .workerLost
    case .notFound(let message): self = .notFound(message: message)
    case .unknown: self = .reported(message: message)
    }
  }
}

extension InitializationState {
  /// Converts from the protocol's type; a state that a later version added counts as pending.
  package init(_ shape: StateShape) {
    switch (shape.state.known, shape.error) {
    case (.failed, let error?): self = .failed(error: AppInitializationError(error))
    case (.complete, _): self = .complete
    case (.failed, nil), (.pending, _), (.cancelled, _), (nil, _): self = .pending
    }
  }
}

extension RegistrationShape {
  /// The registration of an object by a worker.
  package init(_ declaration: Declaration, isPerProcess: Bool) {
    let retry = declaration.retry
    let priority: PriorityName =
      switch declaration.priority {
      case .appLaunch: .appLaunch
      case .appActive: .appActive
      }
    self.init(
      name: declaration.name, priority: priority, dependencies: declaration.dependencies,
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
  /// Converts from the protocol's type; one that a later version added counts as launch.
  package init(_ word: Word<PriorityName>) {
    switch word.known {
    case .appActive: self = .appActive
    case .appLaunch, nil: self = .appLaunch
    }
  }

  /// The priority of a phase's initializers.
  package init(_ word: Word<PhaseName>) {
    switch word.known {
    case .active: self = .appActive
    case .launch, nil: self = .appLaunch
    }
  }
}

extension CancellationCause {
  /// From the protocol's words.
  package init(_ reason: InitWire.CancelReason) {
    switch reason {
    case .deactivated: self = .deactivated
    case .timeout: self = .timeout
    case .failed: self = .failed
    case .unregistered: self = .unregistered
    case .shutdown: self = .shutdown
    }
  }
}
