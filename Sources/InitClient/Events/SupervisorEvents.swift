internal import InitWire
internal import Libuv

/// The events of a supervisor; see ``SupervisorClient``. Each iterator has a connection of its own.
public struct SupervisorEvents: AsyncSequence, Sendable {
  let path: String
  let name: String?
  let topics: [SupervisorTopic]

  /// Starts observing; the first event is a snapshot.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// An iterator over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let sequence: SupervisorEvents
    private var following: (client: ClosedWithIterator, events: EventSequence.Iterator)?
    private var backoff = Backoff.reconnecting

    init(_ sequence: SupervisorEvents) { self.sequence = sequence }

    /// The next event; `nil` once the task is cancelled.
    ///
    /// - Throws: ``SupervisorError`` if reconnecting is impossible, e.g. because permission is denied.
    public mutating func next() async throws -> SupervisorEvent? {
      while !Task.isCancelled {
        do throws(ClientError) {
          guard following != nil else { return try await connect() }
          if let event = try await following?.events.next() {
            if let event = SupervisorEvent(event) { return event }
            continue
          }
          // The supervisor has shut down.
        } catch {
          if error == .cancelled { return nil }
          guard error.mayPass else { throw SupervisorError(error) }
        }
        try await disconnected()
      }
      return nil
    }

    private mutating func connect() async throws(ClientError) -> SupervisorEvent? {
      let loop: Loop
      do { loop = try ClientLoop.get() } catch { throw .lost(path: sequence.path, reason: "\(error)") }
      let client = try await Client.connect(
        loop: loop, path: sequence.path, program: ClientLoop.program(sequence.name))
      let owner = ClosedWithIterator(client)
      let subscription = try await client.subscribe(to: sequence.topics.map(\.word))
      following = (owner, subscription.makeAsyncIterator())
      backoff.reset()
      return SupervisorEvent.snapshot(SupervisorStatus(subscription.status))
    }

    private mutating func disconnected() async throws {
      following = nil
      await Sleep.on(try ClientLoop.get(), for: backoff.next())
    }
  }

  /// Closes the connection when the iterator is dropped.
  private final class ClosedWithIterator: Sendable {
    private let client: Client

    init(_ client: Client) { self.client = client }
    deinit { Task { [client] in await client.close() } }
  }
}
