#if DEBUG
  /// A suspended task. It must be resumed exactly once, which debug builds check.
  ///
  /// Checked continuations have no fixed layout: to use the first ones, Swift's runtime searches all conformances of a program five times, which
  /// would be a quarter of the instructions of `initctl wait`.
  typealias Resumption<Value> = CheckedContinuation<Value, Never>
#else
  typealias Resumption<Value> = UnsafeContinuation<Value, Never>
#endif

/// Suspends the task until the resumption that `body` gets is resumed. `body` runs at once, on the caller's actor.
func suspended<Value>(
  isolation: isolated (any Actor)? = #isolation, _ body: (Resumption<Value>) -> Void
) async -> sending Value {
  #if DEBUG
    await withCheckedContinuation(isolation: isolation, body)
  #else
    await withUnsafeContinuation(isolation: isolation, body)
  #endif
}
