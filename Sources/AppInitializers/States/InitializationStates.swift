/// What an observer of a state sees: the present value first, then the changes; see ``ObservableState/values``.
public struct InitializationStates: AsyncSequence, Sendable {
  /// One observer's way through the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<InitializationState>.Iterator
    var last: InitializationState?

    /// The next value; `nil` when the task was cancelled or the manager is gone.
    ///
    /// Behind a gap, the next value that is kept may be the last one seen; it is no change then, and passed over (S1).
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> InitializationState? {
      while let value = await base.next(isolation: actor) {
        guard value != last else { continue }
        last = value
        return value
      }
      return nil
    }
  }

  let stream: AsyncStream<InitializationState>

  /// An iterator. A sequence is one observer: iterate it once.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}
