package import AppInitializers
package import InitCore
package import InitModel
internal import InitText
package import InitWire
package import InitWords

// Conversions between the protocol's shapes and the library's types.

extension RegisterRequest.Registration {
  /// Creates the registration of an object by a worker.
  package init(_ declaration: Declaration, isPerProcess: Bool) {
    let retry = declaration.retry
    self.init(
      name: declaration.name, priority: declaration.priority, dependencies: declaration.dependencies,
      timeout: declaration.timeout?.inSeconds,
      retry: retry == .never
        ? nil
        : RegisterRequest.Retry(
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
