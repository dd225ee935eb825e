package import EventLoop
package import InitJSON
package import InitModel
package import InitWire
internal import Platform

/// A connection to a supervisor: requests and their answers, and the events of a subscription.
///
/// A client runs on its loop's thread: its executor is the loop. Calls from a task that prefers the same loop don't switch threads.
///
/// ```swift
/// let loop = try Loop.startedInThread(name: "supervisor")
/// let client = try await Client.connect(loop: loop, program: HelloRequest.Program(name: "bookshop", version: "1.0"))
/// _ = try await client.send(ActivateRequest())
/// let state = try await client.send(WaitRequest(for: .ready, timeout: 30))
/// ```
package actor Client {
  /// The loop as an executor.
  package nonisolated let loop: Loop
  /// The socket's path.
  package nonisolated let path: String
  /// The loop.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let connection: Connection
  /// The maximum time for an answer, unless something must happen first; nil for no limit.
  package nonisolated let replyTimeout: Duration?
  private(set) lazy var vigil = replyTimeout.map(makeVigil)
  private var feed: Feed?
  private var lastFeed = 0
  /// The reason why the connection ended, if it has.
  private var endReason: ClientError? { connection.endReason }
  private var endWaiters: [Int64: CheckedContinuation<ClientError?, Never>] = [:]

  /// The subscription that receives events.
  private struct Feed {
    let number: Int
    var queue = EventQueue()
    /// The reader got `lagged`, and gets a snapshot next.
    var needsSnapshot = false
    /// The supervisor announced its shutdown: the end of the connection isn't a loss.
    var sawShutdown = false
    var reader: CheckedContinuation<Void, Never>?
  }

  init(loop: Loop, path: String, program: HelloRequest.Program, replyTimeout: Duration?) {
    self.loop = loop
    self.path = path
    self.replyTimeout = replyTimeout
    connection = Connection(loop: loop, path: path, program: program)
  }

  /// The name and version that hello sends.
  var program: HelloRequest.Program { connection.program }

  /// The supervisor's answer to hello; nil until it arrives, which is before all other answers.
  package var hello: HelloRequest.Result? { connection.hello }

  /// The supervisor's process; see ``Connection/process``.
  var process: PeerProcess? { connection.process }

  /// Whether requests can be sent.
  package var isOpen: Bool { connection.isOpen }

  /// Sends a request and waits for its result.
  ///
  /// The same as ``request(_:within:)``, and `notASupervisor` if the result can't be read.
  @discardableResult
  package func send<Sent: ClientRequest>(
    _ request: Sent, within: Duration? = nil
  ) async throws(ClientError) -> Sent.Result {
    try read(try await self.request(request, within: within), as: Sent.Result.self)
  }

  /// Sends a request and waits for its answer: the unparsed result, including unknown members.
  ///
  /// If the waiting task is cancelled, the answer is dropped, but the supervisor still executes the request.
  ///
  /// `within` is the maximum time for the answer; nil for no limit. Throws `ClientError`: `refused` if the supervisor refused it,
  /// `timedOut` after `within`, `unresponsive` after the reply timeout, `cancelled`, or the reason why the connection ended.
  package func request(_ request: some ClientRequest, within: Duration? = nil) async throws(ClientError) -> RawJSON {
    try await self.request(request, within: within, onAnswer: nil)
  }

  /// Sends a request.
  ///
  /// `onAnswer` is called when the answer is read, before later messages are handled.
  func request(
    _ request: some ClientRequest, within: Duration? = nil, onAnswer: ((CallOutcome) -> Void)?
  ) async throws(ClientError) -> RawJSON {
    let id = connection.reserveID()
    let limit = request.isWait ? within : within.map { min($0, replyTimeout ?? $0) } ?? replyTimeout
    if request.isWait { vigil?.begin() }
    defer { if request.isWait { vigil?.end() } }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<CallOutcome, Never>) in
        connection.call(request, id: id, within: limit) { outcome in
          onAnswer?(outcome)
          continuation.resume(returning: outcome)
        }
        // If the task was already cancelled, the cancellation handler ran before the call existed.
        if Task.isCancelled { connection.abandon(id) }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.connection.abandon(id) } }
    }
    if limit != within, case .failure(.timedOut(let after)) = outcome { throw .unresponsive(path: path, after: after) }
    return try outcome.get()
  }

  /// Closes the connection, which ends its hold, its subscription and its registrations.
  ///
  /// Further calls have no effect.
  package func close() { connection.close() }

  // MARK: Connecting

  /// Connects and sends hello without waiting for the answer; requests may follow at once.
  func open(helloTimeout: Duration, then: @escaping (CallOutcome) -> Void) throws(ClientError) {
    connection.onEvent = { [weak self] params, json in
      self?.assumeIsolated { $0.received(ReceivedEvent(params: params, text: json.bytes)) }
    }
    connection.onEnd = { [weak self] reason in self?.assumeIsolated { $0.ended(reason) } }
    try connection.open(helloTimeout: helloTimeout, then: then)
  }

  /// Connects, and waits for the answer to hello.
  ///
  /// If the waiting task is cancelled, the connection is closed.
  func openAndGreet(helloTimeout: Duration) async throws(ClientError) {
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<CallOutcome, Never>) in
        do throws(ClientError) {
          try open(helloTimeout: helloTimeout) { continuation.resume(returning: $0) }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.close() } }
    }
    _ = try outcome.get()
    if let endReason { throw endReason }
  }

  private func ended(_ reason: ClientError) {
    wakeReader()
    for waiter in endWaiters.values { waiter.resume(returning: reason) }
    endWaiters = [:]
  }

  /// Waits for the end of the connection and returns the reason; nil if the waiting task was cancelled before.
  package func untilClosed() async -> ClientError? {
    if let endReason { return endReason }
    let key = connection.reserveID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation {
        endWaiters[key] = $0
        // Checked again, because other calls may have run before this closure was entered.
        if let endReason { ended(endReason) }
        if Task.isCancelled { forgetEndWaiter(key) }
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.forgetEndWaiter(key) } }
    }
  }

  private func forgetEndWaiter(_ key: Int64) { endWaiters.removeValue(forKey: key)?.resume(returning: nil) }

  // MARK: Working

  /// Sets the handler of the supervisor's requests.
  func setListener(_ listener: ClientListener) {
    connection.onRun = listener.onRun
    connection.onCancel = listener.onCancel
    connection.onClaim = listener.onClaim
    connection.onComplete = listener.onComplete
    connection.onUnclaim = listener.onUnclaim
  }

  /// Sends a notification.
  package func notify(_ notification: some InitWire.Notification) { connection.notify(notification) }

  /// Answers a run; dropped if the connection has ended.
  func answer(_ id: RequestID, _ outcome: Result<RawJSON, WireError>) { connection.answer(id, outcome) }

  /// Reports on a run.
  func report(_ progress: ProgressNotification) { connection.report(progress) }

  // MARK: Events

  /// Subscribes to the events of these topics.
  ///
  /// This replaces an earlier subscription.
  ///
  /// - Throws: `ClientError`.
  package func subscribe(to topics: [Topic] = Topic.defaults) async throws(ClientError) -> EventSequence {
    lastFeed += 1
    let number = lastFeed
    let answer = try await request(SubscribeRequest(topics: topics)) { [weak self] result in
      guard case .success = result else { return }
      self?.assumeIsolated { $0.begin(number) }
    }
    let status = try read(answer, as: SubscribeRequest.Result.self).snapshot
    return EventSequence(
      snapshot: .snapshot(status, text: answer["snapshot"]?.bytes ?? []), status: status, client: self, number: number)
  }

  /// Ends the subscription: no event follows.
  ///
  /// Returns the events that were not read yet.
  ///
  /// - Throws: `ClientError`.
  @discardableResult
  package func unsubscribe() async throws(ClientError) -> [ReceivedEvent] {
    var rest: [ReceivedEvent] = []
    _ = try await request(UnsubscribeRequest()) { [weak self] _ in
      self?.assumeIsolated { client in
        while case .event(let event)? = client.feed?.queue.next() { rest.append(event) }
        client.begin(nil)
      }
    }
    return rest
  }

  /// Returns the last output lines of commands, and a subscription to the following ones, without gap or repetition.
  ///
  /// `initializer` and `pass` select the lines; nil for all. The subscription always has the lines of all. `limit` says how many
  /// lines at most. Throws `ClientError`.
  package func followLogs(
    of initializer: String? = nil, limit: Int = 1000, pass: Int? = nil
  ) async throws(ClientError) -> (result: LogsRequest.Result, following: EventSequence) {
    let subscription = try await subscribe(to: [.log])
    let params = LogsRequest(initializer: initializer, limit: limit, pass: pass)
    // The first page contains the newest lines up to this point.
    let answer = try await request(params) { [weak self] _ in
      self?.assumeIsolated { $0.feed?.queue.removeAll() }
    }
    return (try await logs(params, from: answer), subscription)
  }

  /// Reads a result as the shape that it must have.
  func read<Result: JSONValue>(_ answer: RawJSON, as _: Result.Type) throws(ClientError) -> Result {
    do throws(ShapeFault) {
      return try answer.read()
    } catch {
      throw .notASupervisor(path: path, reason: "its answer can't be read: \(error)")
    }
  }

  /// Makes all events from now on belong to this subscription.
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

  /// Returns the next event of a subscription, or nil at its end.
  func nextEvent(of number: Int) async throws(ClientError) -> ReceivedEvent? {
    while feed?.number == number {
      if Task.isCancelled { throw .cancelled }
      if feed?.needsSnapshot == true, let event = try await catchUp() { return event }
      switch feed?.queue.next() {
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

  /// Requests a new snapshot, after events were dropped on this side.
  ///
  /// Returns nil if the connection ends, which is reported separately.
  private func catchUp() async throws(ClientError) -> ReceivedEvent? {
    feed?.needsSnapshot = false
    guard let answer = try? await request(StatusRequest()) else { return nil }
    let status = try read(answer, as: Status.self)
    feed?.queue.resume(after: status.seq)
    return .snapshot(status, text: answer.bytes)
  }

  private func sleepUntilWoken(_ number: Int) async {
    precondition(feed?.reader == nil, "a subscription may have one reader")
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Checked again, because other calls may have run before this closure was entered.
        let hasNothing = feed?.number == number && feed?.queue.isEmpty == true && endReason == nil
        guard hasNothing, !Task.isCancelled else { return continuation.resume() }
        feed?.reader = continuation
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.wakeReader() } }
    }
  }
}
