internal import CommandLineOptions
internal import EventLoop
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

// Invariants:
//
// 1. Events change the model, keys change the view; both only mark the screen as stale. It is drawn by `show` alone.
// 2. Before the process stops, ends, or dies of a signal, the terminal is as it was.

/// `watch` on a terminal: takes events, keys and signals, and draws the scene.
actor WatchTerminal {
  /// After this time, a lone ESC is the key Escape.
  private static let timeOfSequence = Duration.milliseconds(50)
  /// After this time without an event, the supervisor is pinged.
  private static let pauseOfPings = Duration.seconds(2)

  /// The outcome.
  private enum Ending {
    case quit
    case shutdown
    case signal(Int32)
    case settled(Status.State, Client)
    case failed(any Error)
  }

  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let until: WaitTarget?
  private let reconnection: Reconnection
  private let timer: Timer
  private let sequenceTimer: Timer
  private var feed: (client: Client, subscription: EventSequence)
  private var model: WatchModel
  private var view = WatchView()
  private var requests = WatchRequests()
  private var scene: WatchScene?
  private var screen = AlternateScreen()
  private var decoder = KeyDecoder()
  private var signals: [SignalSource] = []
  private var clock: RemoteClock
  private var pace = DrawingPace()
  private var isStale = false
  private var isSuspended = false
  private var isContinued = false
  private var isResized = false
  private var ending: Ending?
  private var sleeper: CheckedContinuation<Void, Never>?

  init(_ client: Client, _ subscription: EventSequence, until: WaitTarget?, reconnection: Reconnection) {
    loop = client.loop
    self.until = until
    self.reconnection = reconnection
    timer = Timer(loop: client.loop, name: "screen")
    sequenceTimer = Timer(loop: client.loop, name: "keys")
    feed = (client, subscription)
    model = WatchModel(subscription.status, path: client.path)
    model.hasOthers = FoundSupervisor.areSeveral
    clock = RemoteClock(subscription.status.time, on: client.loop)
  }

  /// Shows the screen until the user, the supervisor, a signal or an error ends it.
  func show() async throws -> ProgramStatus {
    try watchSignals()
    defer { screen.leave() }
    try screen.enter()
    if screen.hasKeys {
      Keyboard.read { [weak self] bytes in
        guard let self else { return }
        self.loop.perform { self.assumeIsolated { $0.type(bytes) } }
      }
    }
    Task(executorPreference: loop) { await self.follow() }
    try draw()
    while ending == nil {
      timer.start(at: due) { [weak self] in self?.assumeIsolated { $0.wake() } }
      await sleep()
      if isSuspended { try suspend() }
      if isContinued { try screen.enter() }
      if isResized { screen.forget() }
      if isContinued || isResized { stale(isUrgent: true) }
      isContinued = false
      isResized = false
      if ending == nil, loop.now >= due { try draw() }
    }
    screen.leave()
    return try await conclude()
  }

  // MARK: Waking

  private func sleep() async {
    guard ending == nil, !isSuspended, !isContinued, !isResized else { return }
    await withCheckedContinuation { sleeper = $0 }
  }

  private func wake() {
    sleeper?.resume()
    sleeper = nil
  }

  /// Marks the screen as stale: it differs from the drawn one.
  ///
  /// - Parameter isUrgent: whether the user waits for the change.
  private func stale(isUrgent: Bool = false) {
    if isUrgent { pace.hurry() } else if isStale { return }
    isStale = true
    wake()
  }

  private func end(_ ending: Ending) {
    self.ending = self.ending ?? ending
    wake()
  }

  // MARK: Drawing

  private var due: Duration {
    pace.due(isStale: isStale, isRunning: model.status.initializers.contains { $0.isInFlight })
  }

  private var now: Double { clock.now }

  private func draw() throws {
    let start = loop.now
    isStale = false
    updateLink()
    let terminal = OutputTerminal.current
    let columns = terminal.size?.columns ?? 80
    let lines = compose(on: terminal).lines.map { $0.text(columns, Style(hasColor: terminal.hasColor)) }
    let cost = loop.now - start
    try screen.draw(lines)
    pace.drew(at: loop.now, composedIn: cost)
    fetch()
  }

  private func updateLink() {
    if case .lost = model.link { return }
    if let silence = feed.client.assumeIsolated({ $0.silentFor }) {
      model.link = .silent(since: model.link.end ?? now - silence.inSeconds)
    } else if model.link.end != nil {
      model.link = .up
    }
  }

  @discardableResult
  private func compose(on terminal: OutputTerminal) -> WatchScene {
    let scene = WatchScene(model, &view, terminal, now: now, hasKeys: screen.hasKeys)
    self.scene = scene
    return scene
  }

  // MARK: Keys

  private func type(_ bytes: [UInt8]) {
    press(decoder.keys(bytes))
    sequenceTimer.stop()
    guard decoder.isPending else { return }
    sequenceTimer.start(after: Self.timeOfSequence) { [weak self] in
      self?.assumeIsolated { $0.press($0.decoder.flush()) }
    }
  }

  private func press(_ keys: [Key]) {
    guard !keys.isEmpty else { return }
    for key in keys {
      let before = view.listing
      if let scene { view.press(key, scene.list, page: scene.page, model.status) }
      // The next key moves in the list as this key has changed it.
      if view.listing != before { compose(on: .current) }
    }
    if view.isOver { end(.quit) }
    if let action = view.takeAction() {
      let client = feed.client
      Task(executorPreference: loop) { await self.perform(action, on: client) }
    }
    stale(isUrgent: true)
  }

  private func perform(_ action: ProcessAction, on client: Client) async {
    view.message = await action.perform(on: client)
    stale(isUrgent: true)
  }

  // MARK: The supervisor

  /// Applies the events of one connection after the other.
  private func follow() async {
    do {
      while true {
        do {
          let client = feed.client
          await client.expectNews(pingingAfter: Self.pauseOfPings)
          Task(executorPreference: loop) { await self.settle(on: client) }
          for try await event in feed.subscription {
            model.apply(event.params)
            stale()
          }
          try reconnection.endsWithShutdown(of: client.path)
          return end(.shutdown)
        } catch {
          let wasSilent = if case ClientError.unresponsive = error { true } else { false }
          model.link = .lost(since: model.link.end ?? now, wasSilent: wasSilent)
          stale()
          try await reconnect(after: error)
        }
      }
    } catch {
      end(.failed(error))
    }
  }

  private func reconnect(after error: any Error) async throws {
    var reason = error
    while true {
      let client = try await reconnection.client(after: feed.client, reason)
      do {
        feed = (client, try await client.subscribe(to: WatchModel.topics))
        clock = RemoteClock(feed.subscription.status.time, on: loop)
        model.renew(feed.subscription.status)
        return stale()
      } catch {
        reason = error
      }
    }
  }

  /// Waits for the target on a connection.
  private func settle(on client: Client) async {
    guard let until else { return }
    do throws(ClientError) {
      end(.settled(try await client.send(WaitRequest(for: until)), client))
    } catch {
      // If the connection is lost or the supervisor shuts down, the subscription also ends.
      if case .refused(let refusal) = error, refusal.knownCode != .shuttingDown { end(.failed(error)) }
    }
  }

  /// Requests the data that the scene lacks.
  private func fetch() {
    for request in requests.due(model, view, now: loop.now) {
      let client = feed.client
      Task(executorPreference: loop) { await self.fetch(request, from: client) }
    }
  }

  /// Fetches data that the scene lacks.
  ///
  /// Without an answer, the model stays as it is.
  private func fetch(_ request: WatchRequests.Fetch, from client: Client) async {
    switch request {
    case .usual:
      if let usual = await client.usual(within: WatchRequests.patience) { model.usual = usual }
    case .output(let name, let run):
      let lines = try? await client.logs(
        LogsRequest(initializer: name, limit: WatchRequests.linesOfOutput), within: WatchRequests.patience)
      // The runs of another supervisor may have the same numbers.
      guard client === feed.client else { return }
      model.show(RunOutput.lines(of: run, in: lines?.lines ?? []), ofRun: run)
    case .log(let name):
      let lines = try? await client.logs(
        LogsRequest(initializer: name, limit: WatchRequests.linesOfLog), within: WatchRequests.patience)
      if requests.logAnswered(name, now: loop.now) { model.log = lines?.lines ?? model.log ?? [] }
    }
    stale()
  }

  // MARK: Signals

  private func watchSignals() throws {
    func watch(_ signal: Int32, _ action: @escaping @Sendable (isolated WatchTerminal) -> Void) throws {
      signals.append(
        try SignalSource(loop: loop, signal: signal) { [weak self] in
          self?.assumeIsolated {
            action($0)
            $0.wake()
          }
        })
    }
    for signal in OwnSignals.ending { try watch(signal) { $0.end(.signal(signal)) } }
    try watch(SIGTSTP) { $0.isSuspended = true }
    try watch(SIGCONT) { $0.isContinued = true }
    try watch(SIGWINCH) { $0.isResized = true }
  }

  private func suspend() throws {
    isSuspended = false
    screen.leave()
    OwnSignals.suspend()
    try screen.enter()
    isStale = true
  }

  /// Says how the watch has ended, on the normal screen.
  private func conclude() async throws -> ProgramStatus {
    switch ending {
    case .signal(let number):
      for source in signals { source.close() }
      OwnSignals.die(of: number)
    case .failed(let error): throw error
    case .settled(let state, let client):
      if state.state == .complete { say(last) }
      return await client.explain(until ?? .ready, state)
    case .shutdown:
      guard let until else {
        say("the supervisor has shut down")
        return .success
      }
      Console.complain("the supervisor has shut down before \(until) was complete")
      return .failure
    case .quit, nil:
      say(last)
      return until == nil ? .success : .failure
    }
  }

  /// The counts, for the normal screen.
  private var last: String { CountsLine(Situation(model.status, usual: model.usual, now: now)).text }

  private func say(_ line: String) {
    // If the terminal is closed, no one reads it.
    try? Console.write(line + "\n")
  }
}
