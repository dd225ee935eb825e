/// The values of a state for an observer: the current value first, then the changes; see ``ObservableState/values``.
public struct InitializationStates: AsyncSequence, Sendable {
  /// An iterator over the values.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncStream<InitializationState>.Iterator
    var last: InitializationState?

    /// Returns the next value; `nil` if the task was cancelled or the manager is deallocated.
    ///
    /// After a gap, the next kept value may equal the last one. Then it isn't a change, and is skipped (S1).
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

  /// Creates an iterator.
  ///
  /// A sequence is one observer: iterate it once.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }
}
