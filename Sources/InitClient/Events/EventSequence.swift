package import InitWire

/// The events of one subscription, in order, from a snapshot on (protocol §5).
///
/// It ends after the supervisor's `shutdown` event, when another subscription replaces it, and when it or the connection
/// is closed on this side. It throws where the supervisor went away without a word. A reader that is too slow gets
/// `lagged` and `snapshot`, as from the supervisor. There may be one reader.
package struct EventSequence: Sendable, AsyncSequence {
  /// What was when the subscription began; every event follows it.
  package let snapshot: ReceivedEvent
  /// The picture in `snapshot`.
  package let status: StatusShape

  let client: Client
  let number: Int

  /// The one reader.
  package func makeAsyncIterator() -> Iterator { Iterator(client: client, number: number) }

  /// Reads a subscription, event by event.
  package struct Iterator: AsyncIteratorProtocol {
    let client: Client
    let number: Int

    /// The next event, or nil at the end.
    ///
    /// - Throws: `ClientError` where the supervisor went away without a word, or the reading task was cancelled.
    package mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> ReceivedEvent? {
      try await client.nextEvent(of: number)
    }

    /// The next event, or nil at the end.
    ///
    /// - Throws: `ClientError` where the supervisor went away without a word, or the reading task was cancelled.
    package mutating func next() async throws(ClientError) -> ReceivedEvent? {
      try await client.nextEvent(of: number)
    }
  }
}
