internal import EventLoop
public import InitModel

/// The events of a supervisor, from a snapshot on.
///
/// Each iterator has a connection of its own.
///
/// ```swift
/// for try await event in SupervisorEvents([.initializer, .pass]) { print(event.body) }
/// ```
///
/// The sequence waits for a supervisor that isn't running yet; after a second, a line on standard error says so. It survives a restart of the
/// supervisor: it reconnects, with growing delays of at most a second, and continues with a new snapshot. It ends when its task is cancelled.
public struct SupervisorEvents: AsyncSequence, Sendable {
  private let path: String?
  private let name: String?
  private let topics: [Topic]

  /// Observes the events of these topics, without a ``SupervisorClient``.
  ///
  /// - Parameters:
  ///   - topics: the events to receive, in addition to snapshots.
  ///   - socketPath: the socket of the supervisor. By default `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in `/run` for
  ///     root.
  ///   - name: this client's name in the supervisor; by default, the program's name.
  public init(
    _ topics: [Topic] = Topic.defaults, at socketPath: String? = nil, named name: String? = nil
  ) {
    self.path = socketPath
    self.name = name
    self.topics = topics
  }

  /// Starts observing; the first event is a snapshot.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// An iterator over the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let sequence: SupervisorEvents
    private var following: (client: ClosedWithIterator, events: EventSequence.Iterator)?
    private var backoff = Backoff.reconnecting
    private var wasConnected = false

    init(_ sequence: SupervisorEvents) { self.sequence = sequence }

    /// Returns the next event; `nil` once the task is cancelled.
    ///
    /// - Throws: ``SupervisorError`` if reconnecting is impossible, e.g. because permission is denied.
    public mutating func next() async throws -> Status.Event? {
      while !Task.isCancelled {
        do throws(ClientError) {
          guard following != nil else { return try await connect() }
          if let event = try await following?.events.next() { return event.params }
          // The supervisor has shut down.
        } catch {
          if error == .cancelled { return nil }
          guard wasConnected ? error.mayPassAfterLoss : error.mayPass else { throw SupervisorError(error) }
        }
        try await disconnected()
      }
      return nil
    }

    private mutating func connect() async throws(ClientError) -> Status.Event? {
      let path = try SocketPath.resolve(asked: sequence.path)
      let loop: Loop
      do { loop = try ClientLoop.get() } catch { throw .lost(path: path, reason: "\(error)") }
      // The first time, a user may have just started the supervisor, and be waiting for the first event.
      let client = try await Client.connect(
        loop: loop, path: path, program: ClientLoop.program(sequence.name),
        within: wasConnected ? nil : ClientLoop.unlimited, onWaiting: StandardError.reportWaiting)
      let owner = ClosedWithIterator(client)
      let subscription = try await client.subscribe(to: sequence.topics)
      following = (owner, subscription.makeAsyncIterator())
      backoff.reset()
      wasConnected = true
      return subscription.snapshot.params
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
