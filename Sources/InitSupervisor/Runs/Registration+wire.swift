internal import InitCore
internal import InitWire

extension Registration {
  init(_ shape: RegisterRequest.Registration) {
    self.init(
      shape.name, priority: shape.priority, dependencies: shape.dependencies,
      timeout: shape.timeout.map { .seconds($0) }, retry: shape.retry.map(RetryPolicy.init),
      isOptional: shape.optional, isPerProcess: shape.perProcess)
  }
}

extension RetryPolicy {
  init(_ shape: RegisterRequest.Retry) {
    self.init(
      attempts: shape.attempts, delay: .seconds(shape.delay), factor: shape.factor, maxDelay: .seconds(shape.maxDelay))
  }
}
