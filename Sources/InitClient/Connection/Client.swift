package import InitWire
package import Libuv

/// A connection to a supervisor: requests and their answers, and the events of a subscription.
///
/// It lives on its loop's thread, whoever uses it: its executor is the loop. From a task that prefers the same loop no
/// call changes threads.
///
/// ```swift
/// let loop = try Loop.startedInThread(name: "supervisor")
/// let client = try await Client.connect(loop: loop, program: ProgramShape(name: "bookshop", version: "1.0"))
/// _ = try await client.activate()
/// let state = try await client.wait(WaitParams(for: .ready, timeout: 30))
/// ```
package actor Client {
  /// Where it lives.
  package nonisolated let loop: Loop
  /// The socket's path.
  package nonisolated let path: String
  /// The loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Who listens to the supervisor's requests; called on the loop's thread.
  struct Listener: Sendable {
    let onRun: @Sendable (RequestID, RunParams) -> Void
    let onCancel: @Sendable (CancelParams) -> Void
  }

  let connection: Connection
  private var feed: Feed?
  private var lastFeed = 0
  /// Why the connection ended, once it has.
  private var endReason: ClientError? { connection.endReason }
  private var endWaiters: [Int64: CheckedContinuation<ClientError?, Never>] = [:]

  /// The subscription that events go to.
  private struct Feed {
    let number: Int
    var queue = EventQueue()
    /// The reader was told that events were dropped, and is to get a snapshot next.
    var needsSnapshot = false
    /// The supervisor said farewell: the end isn't a loss.
    var sawShutdown = false
    var reader: CheckedContinuation<Void, Never>?
  }

  init(loop: Loop, path: String, program: ProgramShape) {
    self.loop = loop
    self.path = path
    connection = Connection(loop: loop, path: path, program: program)
  }

  /// What the supervisor said of itself; nil until it has answered, which happens before its first other answer.
  package var hello: HelloResult? { connection.hello }

  /// Whether requests can be sent.
  package var isOpen: Bool { connection.isOpen }

  /// Sends a request and waits for its answer: the result as it stands, unknown members included.
  ///
  /// When the waiting task is cancelled, the answer is dropped; the supervisor carries the request out all the same.
  ///
  /// - Parameter within: how long the answer may take; nil for as long as it likes.
  /// - Throws: `ClientError`: `refused` where the supervisor refused it, `timedOut` after `within`, `cancelled`, and
  ///   otherwise why the connection ended.
  package func request(_ request: Request, within: Duration? = nil) async throws(ClientError) -> RawJSON {
    try await self.request(request, within: within, onAnswer: nil)
  }

  /// The same; `onAnswer` is called in the place of the answer among all messages, before what came behind it.
  func request(
    _ request: Request, within: Duration? = nil, onAnswer: ((Result<RawJSON, ClientError>) -> Void)?
  ) async throws(ClientError) -> RawJSON {
    let id = connection.reserveID()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Result<RawJSON, ClientError>, Never>) in
        connection.call(request, id: id, within: within) { result in
          onAnswer?(result)
          continuation.resume(returning: result)
        }
        // A task that had been cancelled before has had its word of it, too early.
        if Task.isCancelled { connection.abandon(id) }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.connection.abandon(id) } }
    }
    return try result.get()
  }

  /// Ends the connection, and with it its hold, its subscription and what it registered; any number of times.
  package func close() { connection.close() }

  // MARK: Connecting

  /// Connects and says hello without waiting for the answer; requests may follow at once.
  func open(helloTimeout: Duration, then: @escaping (Result<RawJSON, ClientError>) -> Void) throws(ClientError) {
    connection.onEvent = { [weak self] params, json in
      self?.assumeIsolated { $0.received(ReceivedEvent(params: params, json: json)) }
    }
    connection.onEnd = { [weak self] reason in self?.assumeIsolated { $0.ended(reason) } }
    try connection.open(helloTimeout: helloTimeout, then: then)
  }

  /// Connects, and waits for the answer to hello.
  func openAndGreet(helloTimeout: Duration) async throws(ClientError) {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<RawJSON, ClientError>, Never>) in
      do throws(ClientError) {
        try open(helloTimeout: helloTimeout) { continuation.resume(returning: $0) }
      } catch {
        continuation.resume(returning: .failure(error))
      }
    }
    _ = try result.get()
    if let endReason { throw endReason }
  }

  private func ended(_ reason: ClientError) {
    wakeReader()
    let waiting = endWaiters.sorted { $0.key < $1.key }
    endWaiters = [:]
    for (_, waiter) in waiting { waiter.resume(returning: reason) }
  }

  /// Waits for the connection's end, and says why it ended; nil when the waiting task was cancelled before.
  package func untilClosed() async -> ClientError? {
    if let endReason { return endReason }
    let key = connection.reserveID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation {
        endWaiters[key] = $0
        // Asked again, as others may have had their turn on the way here.
        if let endReason { ended(endReason) }
        if Task.isCancelled { forgetEndWaiter(key) }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.forgetEndWaiter(key) } }
    }
  }

  private func forgetEndWaiter(_ key: Int64) { endWaiters.removeValue(forKey: key)?.resume(returning: nil) }

  // MARK: Working

  /// Takes the supervisor's requests from now on.
  func setListener(_ listener: Listener) {
    connection.onRun = listener.onRun
    connection.onCancel = listener.onCancel
  }

  /// Answers a run.
  func answer(_ id: RequestID, _ outcome: Result<RawJSON, WireError>) { connection.answer(id, outcome) }

  /// Reports on a run.
  func report(_ progress: ProgressParams) { connection.report(progress) }

  // MARK: Events

  /// Subscribes to the events of some topics, in place of those subscribed to before (protocol §5).
  ///
  /// - Throws: `ClientError`.
  package func subscribe(to topics: [Topic] = Topic.defaults) async throws(ClientError) -> EventSequence {
    lastFeed += 1
    let number = lastFeed
    let answer = try await request(.subscribe(SubscribeParams(topics: topics))) { [weak self] result in
      guard case .success = result else { return }
      self?.assumeIsolated { $0.begin(number) }
    }
    let status = try read(answer, as: SubscribeResult.self).snapshot
    return EventSequence(
      snapshot: try snapshot(status, inAnswer: answer), status: status, client: self, number: number)
  }

  /// Ends the subscription: no event follows.
  ///
  /// - Throws: `ClientError`.
  package func unsubscribe() async throws(ClientError) {
    _ = try await request(.unsubscribe) { [weak self] _ in self?.assumeIsolated { $0.begin(nil) } }
  }

  /// The last lines that commands wrote, and the subscription to those that follow: neither a gap nor a repetition.
  ///
  /// - Parameters:
  ///   - initializer: whose lines; nil for everybody's. The subscription has everybody's.
  ///   - limit: how many lines at most.
  /// - Throws: `ClientError`.
  package func followLogs(
    of initializer: String? = nil, limit: Int = 1000
  ) async throws(ClientError) -> (lines: [LogLineShape], following: EventSequence) {
    let subscription = try await subscribe(to: [.log])
    // What has come by the time of the answer is contained in it.
    let answer = try await request(.logs(LogsParams(initializer: initializer, limit: limit))) { [weak self] _ in
      self?.assumeIsolated { $0.feed?.queue.removeAll() }
    }
    return (try read(answer, as: LogsResult.self).lines, subscription)
  }

  /// Reads a result as the shape that it must have.
  func read<Result: Shape>(_ answer: RawJSON, as _: Result.Type) throws(ClientError) -> Result {
    do throws(ShapeFault) {
      return try answer.read()
    } catch {
      throw .notASupervisor(path: path, reason: "its answer can't be read: \(error)")
    }
  }

  /// The event that stands for the snapshot in the answer to `subscribe`, `{"snapshot":Status}`.
  private func snapshot(_ status: StatusShape, inAnswer answer: RawJSON) throws(ClientError) -> ReceivedEvent {
    let text = Array("{\"topic\":\"snapshot\",".utf8) + answer.bytes.dropFirst()
    do throws(StrictJSON.Fault) {
      return ReceivedEvent(params: EventParams(unnumbered: .snapshot(status)), json: try RawJSON(checking: text))
    } catch {
      throw .notASupervisor(path: path, reason: "its answer can't be read: \(error)")
    }
  }

  /// From here on, events are for this subscription.
  private func begin(_ number: Int?) {
    wakeReader()
    feed = number.map { Feed(number: $0) }
  }

  private func received(_ event: ReceivedEvent) {
    feed?.queue.put(event)
    if event.params.body == .shutdown { feed?.sawShutdown = true }
    wakeReader()
  }

  private func wakeReader() {
    let reader = feed?.reader
    feed?.reader = nil
    reader?.resume()
  }

  /// The next event of a subscription, or nil at its end.
  func nextEvent(of number: Int) async throws(ClientError) -> ReceivedEvent? {
    while feed?.number == number {
      if Task.isCancelled { throw .cancelled }
      if feed?.needsSnapshot == true, let event = try await catchUp() { return event }
      switch feed?.queue.take() {
      case .event(let event): return event
      case .lagged(let dropped):
        feed?.needsSnapshot = true
        return .lagged(dropped: dropped)
      case .nothing, nil: break
      }
      if let endReason {
        guard endReason != .closed, feed?.sawShutdown != true else { return nil }
        throw endReason
      }
      await sleepUntilWoken(number)
    }
    return nil
  }

  /// What is, after events were dropped on this side. Nil where the connection ends over it: that is told in its turn.
  private func catchUp() async throws(ClientError) -> ReceivedEvent? {
    feed?.needsSnapshot = false
    guard let answer = try? await request(.status) else { return nil }
    let status = try read(answer, as: StatusShape.self)
    feed?.queue.resume(after: status.seq)
    do throws(StrictJSON.Fault) {
      return try .snapshot(status, json: answer)
    } catch {
      throw .notASupervisor(path: path, reason: "its answer can't be read: \(error)")
    }
  }

  private func sleepUntilWoken(_ number: Int) async {
    precondition(feed?.reader == nil, "a subscription may have one reader")
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Asked again, as others may have had their turn on the way here.
        let hasNothing = feed?.number == number && feed?.queue.isEmpty == true && endReason == nil
        guard hasNothing, !Task.isCancelled else { return continuation.resume() }
        feed?.reader = continuation
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.wakeReader() } }
    }
  }
}
