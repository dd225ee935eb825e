package import InitModel
internal import InitWire

/// The events of one subscription, in order, from a snapshot on (protocol §5).
///
/// The sequence ends after the supervisor's `shutdown` event, when another subscription replaces it, and when it or the connection is
/// closed on this side. It throws if the connection is lost without that event. A reader that is too slow gets `lagged` and `snapshot`, as
/// if from the supervisor. There may be only one reader.
package struct EventSequence: Sendable, AsyncSequence {
  /// The snapshot at the start of the subscription; all events follow it.
  package let snapshot: ReceivedEvent
  /// The Status in `snapshot`.
  package let status: Status

  let client: Client
  let number: Int

  /// Creates the only iterator.
  package func makeAsyncIterator() -> Iterator { Iterator(client: client, number: number) }

  /// Reads a subscription, event by event.
  package struct Iterator: AsyncIteratorProtocol {
    let client: Client
    let number: Int

    /// Returns the next event, or nil at the end.
    ///
    /// - Throws: `ClientError` if the connection is lost without the event `shutdown`, or the reading task is cancelled.
    package mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> ReceivedEvent? {
      try await client.nextEvent(of: number)
    }

    /// Returns the next event, or nil at the end.
    ///
    /// - Throws: `ClientError` if the connection is lost without the event `shutdown`, or the reading task is cancelled.
    package mutating func next() async throws(ClientError) -> ReceivedEvent? {
      try await client.nextEvent(of: number)
    }
  }
}
